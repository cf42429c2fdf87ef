//! Measures, as they are asked for and told in JSON.

use std::ops::ControlFlow;

use fibula_nodes::ResourceId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::looking::Looking;
use crate::graph::FunctionId;
use crate::service::form::ObjectForm;
use crate::service::{Compare, Measure, Refusal, Service, compare, measure};

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
    /// Another thing of the project: then both are compared.
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
    /// Such as that before a change.
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
        let smaller = |_| {
            let words = "a larger cell, or a longer time_limit, would pass".to_owned();
            (words, json!({ "cell": cell.map(|cell| 2.0 * cell) }))
        };
        let Some(to) = to else {
            let how = Measure {
                bounds,
                cell: *cell,
                overhang: *overhang,
                ..Measure::default()
            };
            let measured = look
                .limits()
                .within(watch, smaller, |watch| measure(&seen, &how, watch))?;
            return Ok(PartMeasured {
                success: true,
                of: vec![measured.of],
                unit: measured.unit,
                figures: figures(&measured.measures)?,
                warnings: measured.warnings,
                revision: measured.revision,
            });
        };
        if overhang.is_some() {
            let message = "overhangs are measured of one thing, not of two that are compared";
            return Err(Refusal::new("invalid_arguments", message).hint("leave overhang or to out"));
        }
        let other = Looking {
            project: look.project.clone(),
            revision: to.revision.or(look.revision),
            object_id: to.object_id,
            function_id: to.function_id,
            output: to.output.clone(),
            arguments: to.arguments.clone(),
            ..Looking::default()
        };
        let other = other.see(self, None, true)?;
        let how = Compare {
            bounds,
            cell: *cell,
            ..Compare::default()
        };
        let compared = look
            .limits()
            .within(watch, smaller, |watch| compare(&seen, &other, &how, watch))?;
        Ok(PartMeasured {
            success: true,
            of: compared.of.into(),
            unit: compared.unit,
            figures: figures(&compared.comparison)?,
            warnings: Vec::new(),
            revision: seen.revision,
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
