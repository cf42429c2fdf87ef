//! Requests in JSON for measures and comparisons.

use fibula_core::graph::FunctionId;
use fibula_geometry::Figure;
use fibula_nodes::ResourceId;
use serde_json::{Map, Value as Json, json};

use super::shape_query::ShapeQuery;
use crate::background::ProgressFn;
use crate::refusal::{Refusal, Result};
use crate::schema_types::ObjectForm;
use crate::service::Service;
use crate::shapes::figures::{FigureDigits, check_density, chosen_figures, figures, mass};
use crate::shapes::measuring::{Compare, Measure, compare, measure};

json_structs! {
    /// Subject and resolution of measurements.
    pub request(Default) struct MeasurePart {
        /// The subject.
        #[serde(flatten)]
        pub look: ShapeQuery,
        /// Cell size in the project's unit; smaller features may be lost.
        pub cell: Option<f64>,
        /// Degrees from the vertical; default 45.
        pub overhang: Option<f64>,
        /// Names of figures; default: all.
        pub figures: Option<Vec<String>>,
        /// Default significant.
        pub digits: FigureDigits = default,
        /// g/cm³; adds mass.
        pub density: Option<f64>,
        /// Another subject to compare with.
        pub to: Option<ComparedShape>,
    }

    /// Subject of a comparison.
    #[expect(missing_docs, reason = "the names say it")]
    #[schemars(rename = "Second")]
    pub request(Default) struct ComparedShape {
        #[schemars(with = "Option<u32>")]
        pub object_id: Option<ResourceId>,
        pub function_id: Option<FunctionId>,
        pub output: Option<String>,
        #[schemars(with = "Option<ObjectForm>")]
        pub arguments: Option<Map<String, Json>>,
        /// Such as before a change; alone: the same subject.
        pub revision: Option<u64>,
    }

    /// The measured shape.
    pub answer(PartialEq) struct PartMeasured {
        pub success: bool,
        pub of: Vec<String>,
        pub unit: &'static str,
        /// Each with its error.
        #[schemars(with = "ObjectForm")]
        pub figures: Map<String, Json>,
        pub warnings: Vec<String> = [],
        pub revision: u64,
        pub to_revision: Option<u64>,
    }
}

impl ComparedShape {
    /// The query of the second shape; missing fields are taken from the first, unless another subject is named.
    fn look(&self, first: &ShapeQuery) -> ShapeQuery {
        let second = ShapeQuery {
            project: first.project.clone(),
            revision: self.revision.or(first.revision),
            object_id: self.object_id,
            function_id: self.function_id,
            output: self.output.clone(),
            arguments: self.arguments.clone(),
            ..ShapeQuery::default()
        };
        if self.object_id.is_some() || self.function_id.is_some() {
            return second;
        }
        ShapeQuery {
            object_id: first.object_id,
            function_id: first.function_id,
            output: second.output.or_else(|| first.output.clone()),
            arguments: second.arguments.or_else(|| first.arguments.clone()),
            ..second
        }
    }
}

impl MeasurePart {
    /// Refuses a density that is none, and a mass without one, before anything is measured.
    fn check_mass(&self) -> Result<()> {
        match self.density {
            Some(density) => check_density(density),
            None if self
                .figures
                .iter()
                .flatten()
                .any(|name| name.eq_ignore_ascii_case("mass")) =>
            {
                let message = "mass is a figure only with a density";
                Err(Refusal::new("invalid_arguments", message)
                    .hint("pass a density in g/cm^3, such as 1.24"))
            }
            None => Ok(()),
        }
    }
}

impl Service {
    /// Measures a subject, or compares it with another. Calls `watch` with the progress and its total; it may cancel
    /// the work.
    ///
    /// # Errors
    /// A [`Refusal`], as [`resolve_shape`](Self::resolve_shape), [`measure`] and [`compare`].
    pub fn measure_part(
        &self,
        request: &MeasurePart,
        watch: ProgressFn<'_>,
    ) -> Result<PartMeasured> {
        let (look, cell, overhang) = (&request.look, request.cell, request.overhang);
        let chosen =
            |all, unit| chosen_figures(all, unit, request.figures.as_deref(), request.digits);
        let bounds = look.bounds()?;
        let resolved = look.resolve(self, None, true)?;
        let Some(to) = &request.to else {
            let settings = Measure {
                bounds,
                cell,
                overhang,
                most_triangles: None,
                limits: look.limits()?,
            };
            request.check_mass()?;
            let measured = measure(&resolved, &settings, watch)?;
            let mut all = figures(&measured.measures)?;
            if let Some(density) = request.density {
                let mass = mass(measured.measures.volume, resolved.unit, density);
                let Figure { value, error } = mass;
                let mass = json!({ "value": value, "error": error, "unit": "g" });
                all.insert("mass".to_owned(), mass);
            }
            return Ok(PartMeasured {
                success: true,
                of: vec![measured.of],
                unit: measured.unit,
                figures: chosen(all, measured.unit)?,
                warnings: measured.warnings,
                revision: measured.revision,
                to_revision: None,
            });
        };
        for (what, is_given) in [
            ("overhang", overhang.is_some()),
            ("density", request.density.is_some()),
        ] {
            if is_given {
                let message = format!("{what} applies to one subject, not to a comparison");
                return Err(
                    Refusal::new("invalid_arguments", message).hint(format!("omit {what} or to"))
                );
            }
        }
        let other = to.look(look);
        let other = other.resolve(self, None, true)?;
        let settings = Compare {
            bounds,
            cell,
            most_triangles: None,
            limits: look.limits()?,
        };
        let compared = compare(&resolved, &other, &settings, watch)?;
        Ok(PartMeasured {
            success: true,
            of: compared.of.into(),
            unit: compared.unit,
            figures: chosen(figures(&compared.comparison)?, compared.unit)?,
            warnings: compared.warnings,
            revision: compared.revisions[0],
            to_revision: Some(compared.revisions[1]),
        })
    }
}
