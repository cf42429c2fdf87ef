//! Measures of what is seen: what it is like, and how it lies to something else.

use std::cell::Cell;
use std::ops::ControlFlow;

use fibula_geometry::{
    self, Bounds, Comparing, Comparison, Measures, Measuring, Shape, Undefined, Unmeasurable,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::limits::{COMPARED, Limits, MEASURED};
use super::meshing::coarser;
use super::refusal::Refusal;
use super::sampling::beside;
use super::subject::Seen;

/// Parts of the work that are told.
const PARTS: u64 = 1_000;
/// Cells along the longest side if no size is given.
const CELLS: f64 = 100.0;

/// How something is measured. Lengths are in the unit of the project.
#[derive(Debug, Clone, Copy, Default)]
pub struct Measure {
    /// What is beyond is cut off; searched for if left out and not known.
    pub bounds: Option<Bounds>,
    /// The longest edge of the finest cells: what is thinner is lost; a hundredth of the longest side if left out.
    pub cell: Option<f64>,
    /// What faces down more steeply than this is an overhang; degrees from the vertical, 45 if left out.
    pub overhang: Option<f64>,
    /// The most triangles; [`Measuring::MOST_TRIANGLES`] if left out.
    pub most_triangles: Option<u64>,
    /// How much it may take.
    pub limits: Limits,
}

/// What was measured. Lengths are in `unit`, areas and volumes in its square and its cube.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Measured {
    /// What was measured.
    pub of: String,
    /// The unit of lengths.
    pub unit: &'static str,
    /// The figures.
    #[serde(flatten)]
    pub measures: Measures,
    /// What should be known of them.
    pub warnings: Vec<String>,
    /// The revision that was measured.
    pub revision: u64,
}

/// How two things are compared. Lengths are in the unit of their projects.
#[derive(Debug, Clone, Copy, Default)]
pub struct Compare {
    /// What of both is beyond is cut off; searched for if left out and not known.
    pub bounds: Option<Bounds>,
    /// The longest edge of the finest cells; a hundredth of the longest side of the smaller one if left out.
    pub cell: Option<f64>,
    /// The most triangles of each; [`Measuring::MOST_TRIANGLES`] if left out.
    pub most_triangles: Option<u64>,
    /// How much it may take.
    pub limits: Limits,
}

/// How two things lie to each other. Lengths are in `unit`, volumes in its cube.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Compared {
    /// The first and the second.
    pub of: [String; 2],
    /// The unit of lengths.
    pub unit: &'static str,
    /// The figures.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// The revisions of the first and the second.
    pub revisions: [u64; 2],
}

/// Measures what is seen. `watch` is told how many of how many parts are done, and may end it.
///
/// # Errors
/// A [`Refusal`]: nothing is inside, it has no bounds, the cells or the angle are none, its limits are passed, `watch`
/// ended it.
pub fn measure(
    seen: &Seen,
    request: &Measure,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<Measured, Refusal> {
    let cell = Cell::new(f64::NAN);
    let limits = request.limits;
    limits.within(watch, coarser(&cell), |watch| {
        measure_within(seen, request, &cell, watch)
    })
}

/// Measures, and tells the cell that is taken.
fn measure_within(
    seen: &Seen,
    request: &Measure,
    taken: &Cell<f64>,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<Measured, Refusal> {
    let shape = Shape::new(&seen.tape)?;
    let bounds = seen.bounds_or(request.bounds, &shape, watch)?;
    let mut measuring = Measuring::new(bounds, request.cell.unwrap_or(longest(&bounds) / CELLS));
    taken.set(measuring.cell);
    if let Some(degrees) = request.overhang {
        measuring.overhang = degrees.to_radians();
    }
    measuring.most_triangles = most_triangles(request.most_triangles, request.limits, MEASURED);
    let measured = beside(PARTS, watch, |progress| {
        fibula_geometry::measure(&shape, &measuring, &|done, _| progress.tell(done))
    })?;
    Ok(Measured {
        of: seen.label.clone(),
        unit: seen.unit.name(),
        warnings: warnings(&measured.measures, measured.undefined),
        measures: measured.measures,
        revision: seen.revision,
    })
}

/// Compares what is seen with something else. `watch` is told how many of how many parts are done, and may end it.
///
/// # Errors
/// A [`Refusal`]: their units differ, nothing is inside of one, it has no bounds, the cells are none, its limits are
/// passed, `watch` ended it.
pub fn compare(
    seen: &Seen,
    other: &Seen,
    request: &Compare,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<Compared, Refusal> {
    let cell = Cell::new(f64::NAN);
    let limits = request.limits;
    limits.within(watch, coarser(&cell), |watch| {
        compare_within(seen, other, request, &cell, watch)
    })
}

/// Compares, and tells the cell that is taken.
fn compare_within(
    seen: &Seen,
    other: &Seen,
    request: &Compare,
    taken: &Cell<f64>,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<Compared, Refusal> {
    if seen.unit != other.unit {
        let message = format!(
            "{} is in units of a {}, and {} in units of a {}",
            seen.label,
            seen.unit.name(),
            other.label,
            other.unit.name()
        );
        return Err(Refusal::new("units_differ", message)
            .hint("compare things of one unit; set_unit changes that of a project"));
    }
    let shapes = [Shape::new(&seen.tape)?, Shape::new(&other.tape)?];
    let bounds = [
        seen.bounds_or(request.bounds, &shapes[0], watch)?,
        other.bounds_or(request.bounds, &shapes[1], watch)?,
    ];
    let smaller = longest(&bounds[0]).min(longest(&bounds[1]));
    let comparing = Comparing {
        bounds,
        cell: request.cell.unwrap_or(smaller / CELLS),
        most_triangles: most_triangles(request.most_triangles, request.limits, COMPARED),
    };
    taken.set(comparing.cell);
    let comparison = beside(PARTS, watch, |progress| {
        let watch = |done, _| progress.tell(done);
        fibula_geometry::compare(&shapes[0], &shapes[1], &comparing, &watch)
    })?;
    Ok(Compared {
        of: [seen.label.clone(), other.label.clone()],
        unit: seen.unit.name(),
        comparison,
        revisions: [seen.revision, other.revision],
    })
}

/// The most triangles, so that they are in the memory that may be taken where each takes so many bytes.
fn most_triangles(wanted: Option<u64>, limits: Limits, each: u64) -> u64 {
    wanted
        .unwrap_or(Measuring::MOST_TRIANGLES)
        .min(limits.triangles(each))
}

fn longest(bounds: &Bounds) -> f64 {
    bounds.size().into_iter().fold(0.0, f64::max)
}

/// What should be known of some measures.
fn warnings(measures: &Measures, undefined: Option<Undefined>) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(undefined) = undefined {
        warnings.push(undefined.to_string());
    }
    let counts = [
        ("pieces", measures.components),
        ("cavities", measures.cavities),
        ("holes", measures.genus),
    ];
    for (what, count) in counts {
        if count.error > 0 {
            warnings.push(format!(
                "larger cells find {what} that differ by {}; take smaller cells to be sure",
                count.error
            ));
        }
    }
    for (what, span) in [("wall", &measures.wall), ("gap", &measures.gap)] {
        if let Some(span) = span.filter(|span| span.value < 2.0 * measures.cell) {
            warnings.push(format!(
                "the {what} of {:.3e} is not much thicker than a cell, of {:.3e}; what is thinner may be missed",
                span.value, measures.cell
            ));
        }
    }
    if measures.volume.value <= measures.volume.error {
        warnings.push(
            "the volume is not known: the shape is not thicker than a cell; take smaller cells"
                .to_owned(),
        );
    }
    warnings
}

impl From<Unmeasurable> for Refusal {
    fn from(error: Unmeasurable) -> Self {
        match error {
            Unmeasurable::Mesh(error) => error.into(),
            Unmeasurable::Angle { angle } => {
                let refusal = Refusal::new(error.code(), error.to_string());
                refusal.details(json!({ "overhang": angle.to_degrees() }))
            }
            Unmeasurable::Scale { .. } => Refusal::new(error.code(), error.to_string()),
            Unmeasurable::Cancelled(_) => Refusal::cancelled(),
        }
    }
}
