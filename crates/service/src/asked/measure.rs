//! Measures, as they are asked for and told in JSON.

use std::ops::ControlFlow;

use fibula_core::graph::FunctionId;
use fibula_nodes::ResourceId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::looking::Looking;
use crate::form::ObjectForm;
use crate::{Compare, Measure, Refusal, Service, compare, measure};

/// What is measured, and how finely.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeasurePart {
    /// What is looked at.
    #[serde(flatten)]
    pub look: Looking,
    /// What is smaller may be lost.
    pub cell: Option<f64>,
    /// Degrees from the vertical; 45 if left out.
    pub overhang: Option<f64>,
    /// Another thing: both are compared.
    pub to: Option<Second>,
}

/// What is compared with.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Second {
    #[schemars(with = "Option<u32>")]
    pub object_id: Option<ResourceId>,
    #[schemars(with = "Option<u32>")]
    pub function_id: Option<FunctionId>,
    pub output: Option<String>,
    #[schemars(with = "Option<ObjectForm>")]
    pub arguments: Option<Map<String, Json>>,
    /// Such as before a change; alone: the same thing.
    pub revision: Option<u64>,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct PartMeasured {
    pub success: bool,
    pub of: Vec<String>,
    pub unit: &'static str,
    /// Each with its error.
    #[schemars(with = "ObjectForm")]
    pub figures: Map<String, Json>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    pub revision: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_revision: Option<u64>,
}

impl Second {
    /// It as what is looked at; what is not said is as of the first, unless another thing is named.
    fn look(&self, first: &Looking) -> Looking {
        let second = Looking {
            project: first.project.clone(),
            revision: self.revision.or(first.revision),
            object_id: self.object_id,
            function_id: self.function_id,
            output: self.output.clone(),
            arguments: self.arguments.clone(),
            ..Looking::default()
        };
        if self.object_id.is_some() || self.function_id.is_some() {
            return second;
        }
        Looking {
            object_id: first.object_id,
            function_id: first.function_id,
            output: second.output.or_else(|| first.output.clone()),
            arguments: second.arguments.or_else(|| first.arguments.clone()),
            ..second
        }
    }
}

impl Service {
    /// Measures what is looked at, or compares it with something else. `watch` is told how much of how much is done, and
    /// may end it.
    ///
    /// # Errors
    /// A [`Refusal`], as [`see`](Self::see), [`measure`] and [`compare`].
    pub fn measure_part(
        &self,
        request: &MeasurePart,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<PartMeasured, Refusal> {
        let MeasurePart {
            look,
            cell,
            overhang,
            to,
        } = request;
        let bounds = look.bounds()?;
        let seen = look.see(self, None, true)?;
        let Some(to) = to else {
            let how = Measure {
                bounds,
                cell: *cell,
                overhang: *overhang,
                most_triangles: None,
                limits: look.limits()?,
            };
            let measured = measure(&seen, &how, watch)?;
            return Ok(PartMeasured {
                success: true,
                of: vec![measured.of],
                unit: measured.unit,
                figures: figures(&measured.measures)?,
                warnings: measured.warnings,
                revision: measured.revision,
                to_revision: None,
            });
        };
        if overhang.is_some() {
            let message = "overhangs are measured of one thing, not of two that are compared";
            return Err(Refusal::new("invalid_arguments", message).hint("leave overhang or to out"));
        }
        let other = to.look(look);
        let other = other.see(self, None, true)?;
        let how = Compare {
            bounds,
            cell: *cell,
            most_triangles: None,
            limits: look.limits()?,
        };
        let compared = compare(&seen, &other, &how, watch)?;
        Ok(PartMeasured {
            success: true,
            of: compared.of.into(),
            unit: compared.unit,
            figures: figures(&compared.comparison)?,
            warnings: Vec::new(),
            revision: compared.revisions[0],
            to_revision: Some(compared.revisions[1]),
        })
    }
}

/// Figures by their names.
fn figures(all: &impl Serialize) -> Result<Map<String, Json>, Refusal> {
    match serde_json::to_value(all) {
        Ok(Json::Object(all)) => Ok(all),
        Ok(other) => Err(Refusal::new(
            "internal",
            format!("figures are an object, not {other}"),
        )),
        Err(error) => Err(Refusal::new("internal", error.to_string())),
    }
}
