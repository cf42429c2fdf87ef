//! Measures of several subjects in one call: each object of a project, or each output of a function.

use std::time::Instant;

use fibula_core::graph::model::{Body, ModelResource};
use fibula_core::graph::{Document, FunctionId, Referrer};
use fibula_nodes::{ResourceId, Type};
use serde_json::Map;

use super::measure_part::{MeasurePart, PartMeasured, SubjectMeasured};
use super::shape_query::ShapeQuery;
use crate::background::ProgressFn;
use crate::edits::tried;
use crate::refusal::{Refusal, Result};
use crate::service::Service;
use crate::shapes::DEFAULT_TIME_LIMIT;

/// Maximum number of subjects.
const MOST_SUBJECTS: usize = 50;
/// Figures by default.
const FIGURES: [&str; 2] = ["bounds", "volume"];

/// One of the subjects.
struct EachSubject {
    of: String,
    object_id: Option<ResourceId>,
    output: Option<String>,
}

impl Service {
    /// Measures each object, or each output of a function. A subject that cannot be measured has its error instead.
    pub(super) fn measure_each(
        &self,
        request: &MeasurePart,
        watch: ProgressFn<'_>,
    ) -> Result<PartMeasured> {
        const PARTS: u64 = 1_000;
        request.check()?;
        let look = &request.look;
        for (what, is_given) in [
            ("to", request.to.is_some()),
            ("object_id", look.object_id.is_some()),
            ("output", look.output.is_some()),
        ] {
            if is_given {
                let message = format!("each measures several subjects, so {what} does not apply");
                return Err(Refusal::new("invalid_arguments", message)
                    .hint(format!("omit {what}, or omit each")));
            }
        }
        let project = self.project(look.project.as_deref())?;
        let snapshot = project.tried_at(look.revision, &request.edits)?;
        let snapshot = project.assembled(snapshot)?;
        let document = &snapshot.document;
        let mut subjects = match look.function_id {
            Some(function) => outputs(document, function)?,
            None => objects(document)?,
        };
        let mut warnings = Vec::new();
        let count = subjects.len();
        if count > MOST_SUBJECTS {
            subjects.truncate(MOST_SUBJECTS);
            warnings.push(format!(
                "the first {MOST_SUBJECTS} of {count} are measured; measure the others by object_id"
            ));
        }
        let defaults = || FIGURES.map(str::to_owned).to_vec();
        let figures = request.figures.clone().unwrap_or_else(defaults);
        let (begun, time) = (
            Instant::now(),
            look.time_limit.unwrap_or(DEFAULT_TIME_LIMIT.into()),
        );
        look.limits()?;
        let total = subjects.len() as u64;
        let mut each = Vec::with_capacity(subjects.len());
        let mut unit = document.model().info().unit.name();
        for (number, subject) in (0..).zip(subjects) {
            let own = MeasurePart {
                look: ShapeQuery {
                    revision: Some(snapshot.head.revision),
                    object_id: subject.object_id,
                    output: subject.output.clone(),
                    time_limit: Some((time - begun.elapsed().as_secs_f64()).max(f64::MIN_POSITIVE)),
                    ..look.clone()
                },
                figures: Some(figures.clone()),
                each: false,
                ..request.clone()
            };
            let watch = &mut |done: u64, all: u64| {
                let share = PARTS * done.min(all) / all.max(1);
                watch(number * PARTS + share, total * PARTS)
            };
            let (figures, warnings, error) = match self.measure_part(&own, watch) {
                Ok(measured) => {
                    unit = measured.unit;
                    (Some(measured.figures), measured.warnings, None)
                }
                Err(refusal) if refusal.code == "cancelled" => return Err(refusal),
                // A wrong name of a figure is wrong for all.
                Err(refusal) if refusal.code == "invalid_value" => return Err(refusal),
                Err(refusal) => (None, Vec::new(), Some(refusal.to_string())),
            };
            each.push(SubjectMeasured {
                of: subject.of,
                object_id: subject.object_id,
                output: subject.output,
                figures,
                warnings,
                error,
            });
        }
        Ok(PartMeasured {
            success: true,
            of: each.iter().map(|subject| subject.of.clone()).collect(),
            unit,
            figures: Map::new(),
            each,
            warnings,
            revision: snapshot.head.revision,
            to_revision: None,
            tried_edits: tried(&request.edits),
        })
    }
}

/// True if an object is only there to bound level sets.
fn is_only_domain(document: &Document, id: ResourceId) -> bool {
    let mut referrers = document.referrers(id).peekable();
    let is_bounded = |referrer: Referrer| {
        let Referrer::Resource(other) = referrer else {
            return false;
        };
        let Some(ModelResource::Object(object)) = document.model_resource(other) else {
            return false;
        };
        matches!(&object.body, Body::LevelSet(level) if level.mesh == id)
    };
    referrers.peek().is_some() && referrers.all(is_bounded)
}

/// All objects but the domains of level sets.
fn objects(document: &Document) -> Result<Vec<EachSubject>> {
    let objects = document.model_resources().filter(|(id, resource)| {
        matches!(resource, ModelResource::Object(_)) && !is_only_domain(document, *id)
    });
    let subject = |(id, resource): (ResourceId, &ModelResource)| EachSubject {
        of: resource.label(id),
        object_id: Some(id),
        output: None,
    };
    let subjects: Vec<EachSubject> = objects.map(subject).collect();
    if subjects.is_empty() {
        let refusal = Refusal::new("nothing_to_build", "there are no objects to measure");
        return Err(refusal.hint("pass a function_id to measure each output of a function"));
    }
    Ok(subjects)
}

/// All float outputs of a function.
fn outputs(document: &Document, id: FunctionId) -> Result<Vec<EachSubject>> {
    let outputs = document.type_of(id)?.outputs.into_iter();
    let floats = outputs.filter(|output| output.ty == Type::Float);
    let subject = |name: String| EachSubject {
        of: name.clone(),
        object_id: None,
        output: Some(name),
    };
    let subjects: Vec<EachSubject> = floats.map(|output| subject(output.name)).collect();
    if subjects.is_empty() {
        let message = format!("function {id} has no float output, so it does not define an inside");
        return Err(Refusal::new("no_field", message).hint("add an output that is negative inside"));
    }
    Ok(subjects)
}
