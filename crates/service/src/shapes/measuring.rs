//! Measures of shapes, and comparison of two shapes.

use std::cell::Cell;

use fibula_geometry::{
    self, Accuracy, Bounds, CompareSettings, Comparison, GapKind, MeasureError, MeasureSettings,
    Measures, MissedSurface, Shape, SlabSettings, UndefinedSamples, measure_mesh,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::background::{ProgressFn, run_watched};
use crate::refusal::{Refusal, Result};
use crate::shapes::accuracy::{ACCURACY, check_accuracy, missed_accuracy};
use crate::shapes::figures::is_any_wanted;
use crate::shapes::limits::{BYTES_PER_TRIANGLE_COMPARING, BYTES_PER_TRIANGLE_MEASURING, Limits};
use crate::shapes::meshing::{FINER, no_solid, suggest_cell, unresolved};
use crate::shapes::placed_meshes::{PlacedMeshes, SubjectMesh, is_summable};
use crate::shapes::subject::ResolvedShape;

/// Progress steps of the work.
const PARTS: u64 = 1_000;
/// Cells along the longest side by default.
const CELLS: f64 = 100.0;
/// Figures for which walls and gaps are searched.
const WALL_FIGURES: [&str; 4] = ["wall", "thin_places", "feather_edge", "gap"];

/// Settings of measuring. Lengths are in the unit of the project.
#[derive(Debug, Clone, Default)]
pub struct Measure {
    /// Names of the wanted figures; all if left out. Walls and gaps are searched for only if one of these needs them, and warnings
    /// are only about these.
    pub figures: Option<Vec<String>>,
    /// Part of space that is measured; found by search if left out and unknown.
    pub bounds: Option<Bounds>,
    /// Longest edge of the finest cells: thinner details are lost. If left out, a hundredth of the longest side, or less if
    /// walls or gaps are thinner.
    pub cell: Option<f64>,
    /// Maximum deviation of the surface: the cell, unless it is given, follows from it. If left out with the cell, a thousandth
    /// of the longest side.
    pub accuracy: Option<f64>,
    /// Angle from the vertical, in degrees, beyond which surfaces facing down are overhangs; 45 if left out.
    pub overhang: Option<f64>,
    /// Point at which the wall thickness is measured.
    pub thickness_at: Option<[f64; 3]>,
    /// Slabs of the given bounds, or of those of the shape.
    pub slabs: Option<Slabs>,
    /// Maximum number of triangles; [`MeasureSettings::MOST_TRIANGLES`] if left out.
    pub most_triangles: Option<u64>,
    /// Time and memory limits.
    pub limits: Limits,
}

/// Slabs of equal thickness whose volumes are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slabs {
    /// Axis across which they are cut: 0, 1 or 2 for x, y and z.
    pub axis: usize,
    /// Number of slabs.
    pub count: usize,
}

/// Measurements of one shape. Lengths are in `unit`, areas and volumes in its square and its cube.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Measured")]
pub struct MeasureResult {
    /// The measured shape.
    pub of: String,
    /// The unit of lengths.
    pub unit: &'static str,
    /// The figures.
    #[serde(flatten)]
    pub measures: Measures,
    /// Warnings about the figures.
    pub warnings: Vec<String>,
    /// The measured revision.
    pub revision: u64,
}

/// Settings of a comparison. Lengths are in the unit of the projects.
#[derive(Debug, Clone, Copy, Default)]
pub struct Compare {
    /// Part of space that is compared; found by search if left out and unknown.
    pub bounds: Option<Bounds>,
    /// Longest edge of the finest cells; a hundredth of the longest side of the smaller shape if left out.
    pub cell: Option<f64>,
    /// Maximum number of triangles of each; [`MeasureSettings::MOST_TRIANGLES`] if left out.
    pub most_triangles: Option<u64>,
    /// Time and memory limits.
    pub limits: Limits,
}

/// Comparison of two shapes. Lengths are in `unit`, volumes in its cube.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Compared")]
pub struct CompareResult {
    /// The first and the second.
    pub of: [String; 2],
    /// The unit of lengths.
    pub unit: &'static str,
    /// The figures.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// Warnings about the shapes.
    pub warnings: Vec<String>,
    /// The revisions of the first and the second.
    pub revisions: [u64; 2],
}

/// Measures a shape. Calls `watch` with the steps done and their total; it may cancel the work.
///
/// # Errors
/// A [`Refusal`] if nothing is inside, the shape has no bounds, the cell or angle is invalid, a limit is exceeded, or
/// `watch` cancelled it.
pub fn measure(
    resolved: &ResolvedShape,
    request: &Measure,
    watch: ProgressFn<'_>,
) -> Result<MeasureResult> {
    check_places(request.thickness_at, request.slabs.map(|slabs| slabs.count))?;
    request.accuracy.map_or(Ok(()), check_accuracy)?;
    let cell = Cell::new(f64::NAN);
    let limits = request.limits;
    limits.within(watch, suggest_cell(&cell), |watch| {
        measure_within(resolved, request, &cell, watch)
    })
}

/// A length in a message.
fn three_digits(length: f64) -> f64 {
    format!("{length:.2e}").parse().unwrap_or(length)
}

/// Refuses a point without coordinates, and a number of slabs that is none.
pub(super) fn check_places(at: Option<[f64; 3]>, slabs: Option<usize>) -> Result<()> {
    const MOST_SLABS: usize = 200;
    if let Some(at) = at.filter(|at| !at.iter().all(|x| x.is_finite())) {
        let message = format!("at must be a point of finite coordinates, not {at:?}");
        return Err(Refusal::new("invalid_value", message));
    }
    if slabs.is_some_and(|slabs| !(1..=MOST_SLABS).contains(&slabs)) {
        let message = format!("slabs must be a number from 1 to {MOST_SLABS}");
        return Err(Refusal::new("invalid_value", message));
    }
    Ok(())
}

/// Measures, and stores the cell in use.
fn measure_within(
    resolved: &ResolvedShape,
    request: &Measure,
    taken: &Cell<f64>,
    watch: ProgressFn<'_>,
) -> Result<MeasureResult> {
    let shape = Shape::new(&resolved.tape)?;
    let is_whole = request.bounds.is_none() && request.cell.is_none();
    let surface = resolved.meshes.as_ref().filter(|_| is_whole);
    let surface = match surface.and_then(PlacedMeshes::surface) {
        Some(surface) if is_summable(&surface.mesh, watch)? => Some(surface),
        _ => None,
    };
    let (bounds, slabs) = match request.slabs {
        None => (resolved.bounds_or(request.bounds, &shape, watch)?, None),
        Some(Slabs { axis, count }) => {
            let extent = resolved.extent_or(request.bounds, &shape, watch)?;
            let bounds = [extent.tight.low(), extent.tight.high()];
            let slabs = SlabSettings {
                axis,
                count,
                bounds,
            };
            (extent.around, Some(slabs))
        }
    };
    let mut measuring =
        MeasureSettings::new(bounds, request.cell.unwrap_or(longest(&bounds) / CELLS));
    if request.cell.is_none() && surface.is_none() {
        measuring.least_cell = measuring.cell / FINER;
    }
    match (request.accuracy, request.cell) {
        (Some(most), _) => {
            measuring.accuracy = Accuracy {
                most,
                is_asked: true,
            };
        }
        (None, None) => measuring.accuracy.most = ACCURACY * longest(&bounds),
        (None, Some(_)) => {}
    }
    taken.set(measuring.cell);
    if let Some(degrees) = request.overhang {
        measuring.overhang = degrees.to_radians();
    }
    (measuring.thickness_at, measuring.slabs) = (request.thickness_at, slabs);
    measuring.walls = is_any_wanted(&WALL_FIGURES, request.figures.as_deref());
    measuring.most_triangles = most_triangles(
        request.most_triangles,
        request.limits,
        BYTES_PER_TRIANGLE_MEASURING,
    );
    let of_mesh = surface.as_ref().and_then(SubjectMesh::tape);
    let (mut measures, undefined, missed) = run_watched(PARTS, watch, |progress| {
        let watch = |done, _| progress.report(done);
        let Some(surface) = &surface else {
            let measured = fibula_geometry::measure(&shape, &measuring, &watch)?;
            return Ok((measured.measures, measured.undefined, measured.missed));
        };
        let own = of_mesh.as_ref().and_then(|tape| Shape::new(tape).ok());
        let shape = own.as_ref().unwrap_or(&shape);
        let measures = measure_mesh(&surface.mesh, shape, &measuring, &watch)?;
        Ok::<_, MeasureError>((measures, None, None))
    })?;
    let mut about_meshes = Vec::new();
    if let Some(surface) = surface {
        about_meshes = surface.warnings;
    } else if let Some(meshes) = &resolved.meshes {
        let edges @ [open, _] = meshes.faulty_edges();
        if let Some(why) = no_solid(edges) {
            measures.closed &= open == 0;
            about_meshes.push(format!("{why}: what it encloses is measured, on a grid"));
        } else if is_whole {
            about_meshes.push(
                "parts of the meshes share volume, cut each other or face inwards: what the triangles wind around is measured, on a grid"
                    .to_owned(),
            );
        }
    }
    Ok(MeasureResult {
        of: resolved.label.clone(),
        unit: resolved.unit.name(),
        warnings: [
            resolved.warnings.clone(),
            resolved.distance_errors.clone(),
            about_meshes,
            warnings(&measures, undefined, missed, request.figures.as_deref()),
            request
                .accuracy
                .and_then(|wanted| missed_accuracy(wanted, measures.deviation, measures.cell))
                .into_iter()
                .collect(),
            outside(&measures, request.thickness_at),
        ]
        .concat(),
        measures,
        revision: resolved.revision,
    })
}

/// Compares two shapes. Calls `watch` with the steps done and their total; it may cancel the work.
///
/// # Errors
/// A [`Refusal`] if the units differ, nothing is inside of one, one has no bounds, the cell is invalid, a limit is
/// exceeded, or `watch` cancelled it.
pub fn compare(
    resolved: &ResolvedShape,
    other: &ResolvedShape,
    request: &Compare,
    watch: ProgressFn<'_>,
) -> Result<CompareResult> {
    let cell = Cell::new(f64::NAN);
    let limits = request.limits;
    limits.within(watch, suggest_cell(&cell), |watch| {
        compare_within(resolved, other, request, &cell, watch)
    })
}

/// Compares, and stores the cell in use.
fn compare_within(
    resolved: &ResolvedShape,
    other: &ResolvedShape,
    request: &Compare,
    taken: &Cell<f64>,
    watch: ProgressFn<'_>,
) -> Result<CompareResult> {
    if resolved.unit != other.unit {
        let message = format!(
            "{} has the unit {}, and {} the unit {}",
            resolved.label,
            resolved.unit.name(),
            other.label,
            other.unit.name()
        );
        return Err(Refusal::new("units_differ", message)
            .hint("compare shapes of the same unit; set_unit changes that of a project"));
    }
    let shapes = [Shape::new(&resolved.tape)?, Shape::new(&other.tape)?];
    let bounds = [
        resolved.bounds_or(request.bounds, &shapes[0], watch)?,
        other.bounds_or(request.bounds, &shapes[1], watch)?,
    ];
    let smaller = longest(&bounds[0]).min(longest(&bounds[1]));
    let comparing = CompareSettings {
        bounds,
        cell: request.cell.unwrap_or(smaller / CELLS),
        most_triangles: most_triangles(
            request.most_triangles,
            request.limits,
            BYTES_PER_TRIANGLE_COMPARING,
        ),
    };
    taken.set(comparing.cell);
    let comparison = run_watched(PARTS, watch, |progress| {
        let watch = |done, _| progress.report(done);
        fibula_geometry::compare(&shapes[0], &shapes[1], &comparing, &watch)
    })?;
    Ok(CompareResult {
        of: [resolved.label.clone(), other.label.clone()],
        unit: resolved.unit.name(),
        comparison,
        warnings: compared_warnings(resolved, other),
        revisions: [resolved.revision, other.revision],
    })
}

/// Maximum number of triangles that fit in memory at this many bytes each.
fn most_triangles(requested: Option<u64>, limits: Limits, each: u64) -> u64 {
    requested
        .unwrap_or(MeasureSettings::MOST_TRIANGLES)
        .min(limits.triangles(each))
}

fn longest(bounds: &Bounds) -> f64 {
    bounds.size().into_iter().fold(0.0, f64::max)
}

/// Warnings about two shapes, each once.
fn compared_warnings(resolved: &ResolvedShape, other: &ResolvedShape) -> Vec<String> {
    let mut warnings = resolved.warnings.clone();
    let own = &resolved.warnings;
    let others = other.warnings.iter().filter(|one| !own.contains(one));
    warnings.extend(others.cloned());
    warnings
}

/// Warning about a point without wall thickness.
fn outside(measures: &Measures, at: Option<[f64; 3]>) -> Vec<String> {
    let point = at.filter(|_| measures.thickness.is_none());
    let warning = |point| {
        format!(
            "there is no wall at {point:?}: the point is outside of the material; pass one inside or on its surface"
        )
    };
    point.map(warning).into_iter().collect()
}

/// Warnings about measures, of those about single figures only the wanted ones.
fn warnings(
    measures: &Measures,
    undefined: Option<UndefinedSamples>,
    missed: Option<MissedSurface>,
    wanted: Option<&[String]>,
) -> Vec<String> {
    let is_wanted = |figure: &str| is_any_wanted(&[figure], wanted);
    let mut warnings = Vec::new();
    if let Some(undefined) = undefined {
        warnings.push(undefined.to_string());
    }
    if let Some(missed) = missed {
        warnings.push(format!(
            "{missed}; figures leave it out, and their errors are estimated from random points"
        ));
    }
    let counts = [
        ("components", "pieces", measures.components),
        ("cavities", "cavities", measures.cavities),
        ("genus", "holes", measures.genus),
    ];
    for (figure, what, count) in counts {
        if count.error > 0 && missed.is_none() && is_wanted(figure) {
            warnings.push(format!(
                "larger cells find {what} that differ by {}; use smaller cells to be sure",
                count.error
            ));
        }
    }
    for (figure, span) in [("wall", &measures.wall), ("gap", &measures.gap)] {
        let span = span.filter(|_| is_wanted(figure));
        let what = span
            .and_then(|span| span.kind)
            .map_or(figure, GapKind::name);
        if let Some(span) = span.filter(|span| span.value < 2.0 * measures.cell) {
            warnings.push(format!(
                "the {what} of {} is less than two cells of {}; thinner features may be missed",
                three_digits(span.value),
                three_digits(measures.cell)
            ));
        }
    }
    let tells_wall = measures.wall.is_some() && is_wanted("wall");
    let tells_edge = tells_wall || is_wanted("feather_edge");
    if let Some(edge) = measures.feather_edge.filter(|_| tells_edge) {
        let mut warning = format!(
            "two sides meet at {:.0} degrees at {:.3?}: the material tapers to nothing there",
            edge.value, edge.at
        );
        if tells_wall {
            warning.push_str("; wall is the thinnest place elsewhere");
        }
        warnings.push(warning);
    }
    if measures.volume.value <= measures.volume.error
        && ["volume", "mass"].into_iter().any(is_wanted)
    {
        warnings.push(
            "the volume is unknown: the shape is not thicker than a cell; use smaller cells"
                .to_owned(),
        );
    }
    warnings
}

impl From<MeasureError> for Refusal {
    fn from(error: MeasureError) -> Self {
        match error {
            MeasureError::Mesh(error) => error.into(),
            MeasureError::Angle { angle } => {
                let refusal = Refusal::new(error.code(), error.to_string());
                refusal.details(json!({ "overhang": angle.to_degrees() }))
            }
            MeasureError::Unresolved(lost) => unresolved(&lost),
            MeasureError::Scale { .. } => Refusal::new(error.code(), error.to_string()),
            MeasureError::Cancelled(_) => Refusal::cancelled(),
        }
    }
}
