//! Requests in JSON for measures and comparisons.

use fibula_core::graph::FunctionId;
use fibula_geometry::{Comparison, Figure, Measures};
use fibula_nodes::ResourceId;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::shape_query::ShapeQuery;
use crate::background::ProgressFn;
use crate::edits::tried;
use crate::refusal::{Refusal, Result};
use crate::schema_types::ObjectForm;
use crate::service::Service;
use crate::shapes::accuracy::check_accuracy;
use crate::shapes::figures::{
    FigureDigits, check_density, check_names, chosen_figures, density_warning, figures, mass,
    uncounted_warning,
};
use crate::shapes::measuring::{Compare, Measure, Slabs, check_places, compare, measure};

json_structs! {
    /// Subject and resolution of measurements.
    pub request(Default) struct MeasurePart {
        /// The subject.
        #[serde(flatten)]
        pub look: ShapeQuery,
        /// Cell size in the project's unit; smaller features may be lost.
        pub cell: Option<f64>,
        /// Maximum deviation of the surface; cells follow. Default: a thousandth of the size.
        pub accuracy: Option<f64>,
        /// Degrees from the vertical; default 45.
        pub overhang: Option<f64>,
        /// Names of figures; default: all.
        pub figures: Option<Vec<String>>,
        /// Default significant.
        pub digits: FigureDigits = default,
        /// g/cm³; adds mass.
        pub density: Option<f64>,
        /// Adds the wall thickness at a point [x, y, z].
        #[schemars(with = "Option<Vec<f64>>")]
        pub at: Option<[f64; 3]>,
        /// Adds the volumes of so many slabs.
        pub slabs: Option<usize>,
        /// Of the slabs; default z.
        pub axis: Option<Axis>,
        /// true: each object, or output of the function.
        pub each: bool,
        /// Compares with {function_id or object_id, output, arguments, revision}.
        pub to: Option<ComparedShape>,
        /// Edits as of apply_edits, to try: nothing is written.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub edits: Vec<Json> = default,
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

    /// Measures of one of several subjects.
    pub answer(PartialEq) struct SubjectMeasured {
        pub of: String,
        #[schemars(with = "Option<u32>")]
        pub object_id: Option<ResourceId>,
        /// The output of the function.
        pub output: Option<String>,
        #[schemars(with = "Option<ObjectForm>")]
        pub figures: Option<Map<String, Json>>,
        pub warnings: Vec<String> = [],
        /// Reason why there are no figures.
        pub error: Option<String>,
    }

    /// The measured shape, or shapes.
    pub answer(PartialEq) struct PartMeasured {
        pub success: bool,
        /// The subjects.
        pub of: Vec<String>,
        pub unit: &'static str,
        /// Each with its error.
        #[schemars(with = "ObjectForm")]
        pub figures: Map<String, Json>,
        /// The measures of each subject, if each is measured.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub each: Vec<SubjectMeasured> = [],
        pub warnings: Vec<String> = [],
        pub revision: u64,
        pub to_revision: Option<u64>,
        /// Number of edits that were tried: they are not written.
        pub tried_edits: Option<usize>,
    }
}

/// An axis of space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Axis {
    X,
    Y,
    Z,
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
    /// The figures that are asked for, by name or by an option that adds them; `None` for all.
    fn wanted(&self) -> Option<Vec<String>> {
        let mut wanted = self.figures.clone()?;
        for (figure, is_given) in [
            ("mass", self.density.is_some()),
            ("thickness", self.at.is_some()),
            ("slabs", self.slabs.is_some()),
        ] {
            if is_given && self.to.is_none() {
                wanted.push(figure.to_owned());
            }
        }
        Some(wanted)
    }

    /// Refuses names that are no figures.
    fn check_names(&self) -> Result<()> {
        let wanted = self.figures.as_deref().unwrap_or_default();
        match self.to {
            None => check_names::<Measures>(wanted, &["mass"]),
            Some(_) => check_names::<Comparison>(wanted, &[]),
        }
    }

    /// Refuses invalid options before anything is measured: names that are no figures, a density that is none, figures without the option that they
    /// need, and slabs and points that cannot be.
    pub(super) fn check(&self) -> Result<()> {
        self.check_names()?;
        let is_wanted = |wanted: &str| {
            let mut names = self.figures.iter().flatten();
            names.any(|name| name.eq_ignore_ascii_case(wanted))
        };
        for (figure, is_given, option) in [
            (
                "thickness",
                self.at.is_some(),
                "at, a point such as [0, 0, 5]",
            ),
            ("slabs", self.slabs.is_some(), "slabs, their number"),
        ] {
            if is_wanted(figure) && !is_given {
                let message = format!("{figure} is a figure only with {option}");
                return Err(
                    Refusal::new("invalid_arguments", message).hint(format!("pass {option}"))
                );
            }
        }
        check_places(self.at, self.slabs)?;
        self.accuracy.map_or(Ok(()), check_accuracy)?;
        if self.axis.is_some() && self.slabs.is_none() {
            let message = "axis is that of slabs, but their number is not given";
            return Err(Refusal::new("invalid_arguments", message)
                .hint("pass slabs, such as 10, or omit axis"));
        }
        match self.density {
            Some(density) => check_density(density),
            None if is_wanted("mass") => {
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
        if request.each {
            return self.measure_each(request, watch);
        }
        let wanted = request.wanted();
        let chosen = |all, unit| chosen_figures(all, unit, wanted.as_deref(), request.digits);
        let bounds = look.bounds()?;
        match &request.to {
            None => request.check()?,
            Some(_) => request.check_names()?,
        }
        let resolved = look.resolve(self, None, true, &request.edits)?;
        let Some(to) = &request.to else {
            let slabs = request.slabs.map(|count| Slabs {
                axis: request.axis.unwrap_or(Axis::Z) as usize,
                count,
            });
            let settings = Measure {
                figures: wanted.clone(),
                bounds,
                cell,
                accuracy: request.accuracy,
                overhang,
                thickness_at: request.at,
                slabs,
                most_triangles: None,
                limits: look.limits()?,
            };
            let measured = measure(&resolved, &settings, watch)?;
            let (mut all, mut warnings) = (figures(&measured.measures)?, measured.warnings);
            if let Some(density) = request.density {
                warnings.extend(density_warning(density));
                let mass = mass(measured.measures.volume, resolved.unit, density);
                let Figure { value, error } = mass;
                let mass = json!({ "value": value, "error": error, "unit": "g" });
                all.insert("mass".to_owned(), mass);
            }
            warnings.extend(cell.and_then(|cell| uncounted_warning(cell, wanted.as_deref())));
            if request.at.is_some() {
                // Outside of the material there is none.
                all.entry("thickness").or_insert(Json::Null);
            }
            return Ok(PartMeasured {
                success: true,
                of: vec![measured.of],
                each: Vec::new(),
                unit: measured.unit,
                figures: chosen(all, measured.unit)?,
                warnings,
                revision: measured.revision,
                to_revision: None,
                tried_edits: tried(&request.edits),
            });
        };
        for (what, is_given) in [
            ("accuracy", request.accuracy.is_some()),
            ("overhang", overhang.is_some()),
            ("density", request.density.is_some()),
            ("at", request.at.is_some()),
            ("slabs", request.slabs.is_some()),
            ("axis", request.axis.is_some()),
        ] {
            if is_given {
                let message = format!("{what} applies to one subject, not to a comparison");
                return Err(
                    Refusal::new("invalid_arguments", message).hint(format!("omit {what} or to"))
                );
            }
        }
        let other = to.look(look);
        let other = other.resolve(self, None, true, &[])?;
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
            each: Vec::new(),
            unit: compared.unit,
            figures: chosen(figures(&compared.comparison)?, compared.unit)?,
            warnings: compared.warnings,
            revision: compared.revisions[0],
            to_revision: Some(compared.revisions[1]),
            tried_edits: tried(&request.edits),
        })
    }
}
