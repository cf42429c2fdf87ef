//! Measurements of shapes: volume, area, mass properties, components, walls, gaps, overhangs, and comparison of two
//! shapes.
//!
//! A shape is meshed three times, with cells of the requested size, 1.4 times and twice as large. The finest mesh gives
//! the values; the largest difference to the others is the error. Volumes, areas and moments of smooth shapes and of
//! sharp edges have errors of the square of the cell, so this is three times the estimate of Richardson's
//! extrapolation; for errors proportional to the cell it is still the estimate. A fraction of a cell, the error of
//! every vertex, is added, which no refinement shows. The bounding box is enclosed instead, between points inside and
//! planes beyond which nothing is, see `extent`. What is thinner than a cell may be in none of the meshes, so the
//! finest is also compared with the function at random points, see `mismatch`: where these refute it, the cells are made
//! smaller, or the errors larger, or the shape is not measured. Where they confirm the volume better than larger cells do, which
//! may not resolve a wall, its error is smaller. The error is an estimate, not a bound.
//!
//! ```
//! use fibula_core::eval::Tape;
//! use fibula_core::expression;
//! use fibula_geometry::{Bounds, MeasureSettings, Shape, measure};
//! use fibula_core::graph::Document;
//! use std::ops::ControlFlow;
//!
//! let mut document = Document::default();
//! let ball = expression::add_function(&mut document, "Ball", "length(pos) - 5")?;
//! let tape = Tape::new(&document, ball)?;
//! let measuring = MeasureSettings::new(Bounds::new([-6.0; 3], [6.0; 3])?, 0.5);
//! let measures = measure(&Shape::new(&tape)?, &measuring, &|_, _| ControlFlow::Continue(()))?.measures;
//! assert!((measures.volume.value - 523.6).abs() < measures.volume.error);
//! assert!((measures.wall.unwrap().value - 10.0).abs() < measures.wall.unwrap().error);
//! assert!(measures.gap.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod accuracy;
mod bvh;
mod compare;
mod deviation;
mod error;
mod exact;
mod extent;
mod figure;
mod gap_kind;
mod level;
mod local_refinement;
mod mismatch;
mod missed_surface;
mod narrowest;
mod nearby_ways;
mod overhang;
mod point_thickness;
mod refinement;
mod shell_removal;
mod simplification;
mod slabs;
mod stage;
mod taper;
mod thickness;
mod wall_search;
mod winding;

use std::sync::Arc;

use fibula_eval::{Code, Point, Rounding, Settings};

use super::mesh::{RoundEdges, mesh_of};
use super::{
    Bounds, Cancelled, MeshError, MeshSettings, Sampler, Shape, SimplifyError, TriangleMesh,
    UndefinedSamples, Watch,
};
use extent::Extent;
use level::{Levels, MeasureLevel};
use mismatch::Reference;
use overhang::overhanging;
use refinement::Refinement;
use stage::Stage;
use thickness::Probe;

pub use accuracy::{Accuracy, AccuracyAttempt, AccuracySearch};
pub(crate) use bvh::Bvh;
pub use compare::{CompareSettings, compare};
pub use error::MeasureError;
pub use exact::measure_mesh;
pub use figure::{Comparison, Count, FeatherEdge, Figure, GapKind, Measures, Region, Slab, Span};
pub use missed_surface::MissedSurface;
pub use refinement::{LostFeatures, ResolvedMesh};
pub use shell_removal::{FewerShells, ShellRemoval, ShellRemovalError, remove_shells};
pub use simplification::AccurateMesh;
pub use slabs::SlabSettings;
pub use winding::encloses_once;
pub(crate) use winding::winding;

/// Factors of the cell size, and the share of the work, for each mesh.
const LEVELS: [(f64, [f64; 2]); 3] = [(2.0, [0.2, 0.3]), (1.4, [0.3, 0.5]), (1.0, [0.5, 0.95])];
/// Share of the work until the finest mesh is found good.
const FINEST: [f64; 2] = [0.0, 0.2];
/// Share of the work that the bounding box is.
const EXTENT: [f64; 2] = [0.95, 1.0];

/// Bounds, resolution and limits of measurements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasureSettings {
    /// Everything beyond is outside.
    pub bounds: Bounds,
    /// Longest edge of a cell of the finest mesh, in the unit of the bounds.
    pub cell: f64,
    /// Size to which cells are reduced at most if walls or gaps are thinner than them; `cell` to keep them.
    pub least_cell: f64,
    /// Deviation of the surface to which cells are reduced, as far as `least_cell` allows.
    pub accuracy: Accuracy,
    /// Angle from the vertical, z, from which on surfaces that face down are overhangs; in radians, from 0 to less than
    /// a right angle.
    pub overhang: f64,
    /// Whether walls and gaps are searched for; if not, the measures have none, no thin places and no feather edge.
    pub walls: bool,
    /// Point at which the wall thickness is measured.
    pub thickness_at: Option<[f64; 3]>,
    /// Slabs whose volumes are measured.
    pub slabs: Option<SlabSettings>,
    /// Maximum triangles of a mesh.
    pub most_triangles: u64,
}

/// Measurements of a shape.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ShapeMeasures {
    /// The figures.
    pub measures: Measures,
    /// Samples at which the function is NaN, if any; they count as outside.
    pub undefined: Option<UndefinedSamples>,
    /// Surface that no mesh has, if some was found: all figures leave it out, and have wider errors.
    pub missed: Option<MissedSurface>,
}

impl MeasureSettings {
    /// Default of the maximum triangles.
    pub const MOST_TRIANGLES: u64 = 5_000_000;

    /// Settings for a box, with overhangs from 45 degrees on.
    pub fn new(bounds: Bounds, cell: f64) -> MeasureSettings {
        MeasureSettings {
            bounds,
            cell,
            least_cell: cell,
            accuracy: Accuracy {
                most: f64::INFINITY,
                is_asked: false,
            },
            overhang: std::f64::consts::FRAC_PI_4,
            walls: true,
            thickness_at: None,
            slabs: None,
            most_triangles: MeasureSettings::MOST_TRIANGLES,
        }
    }

    fn meshing(&self, times: f64) -> MeshSettings {
        MeshSettings {
            most_triangles: self.most_triangles,
            ..MeshSettings::new(self.bounds, self.cell * times)
        }
    }
}

/// Measures a shape.
///
/// Works on rayon's threads; the result does not depend on them. Calls `watch` with thousandths. Takes about four times
/// as long as the mesh.
///
/// # Errors
/// [`MeasureError`]: the cell size or the angle is out of range, nothing is inside, there are too many triangles,
/// figures would not be finite, or `watch` cancelled it.
pub fn measure(
    shape: &Shape<'_>,
    measuring: &MeasureSettings,
    watch: &Watch<'_>,
) -> Result<ShapeMeasures, MeasureError> {
    check_angle(measuring.overhang)?;
    measuring.meshing(1.0).cells()?;
    check_scale(&measuring.bounds, measuring.cell)?;
    let code = shape.code(Rounding::Fast, &[shape.value()], |_, at| at);
    let gradient = gradient(shape);
    let function = Function {
        point: Point::new(&gradient, Settings::default()),
        sampler: Sampler::from_code(&gradient, Settings::default()),
    };
    let reference = reference(shape, &function.sampler);
    let whole = Stage::whole(watch);
    let [from, to] = FINEST;
    let refinement = Refinement {
        code: &code,
        reference: &reference,
        round_edges: RoundEdges::Kept,
        least_cell: measuring.least_cell,
    };
    let (finest, deviation) = refinement.mesh_within(
        &measuring.meshing(1.0),
        measuring.accuracy,
        &function.sampler,
        shape.cost(),
        whole.part(from, to),
    )?;
    let measuring = MeasureSettings {
        cell: finest.cell,
        ..*measuring
    };
    let mut levels = Vec::with_capacity(LEVELS.len());
    for (times, [from, to]) in LEVELS {
        let stage = whole.part(from, to);
        let meshing = measuring.meshing(times);
        let coarser = if times > 1.0 {
            Some(meshed(&code, &meshing, true, stage.part(0.0, 0.4))?.0)
        } else {
            None
        };
        let mesh = coarser.as_ref().unwrap_or(&finest.meshed.mesh);
        let stage = stage.part(0.4, 1.0);
        levels.push(level(mesh, &function, &meshing, &measuring, stage)?);
    }
    let (mut mismatch, missed) = (finest.mismatch, finest.missed);
    if let Some(missed) = missed {
        let inside = mismatch.inside.unwrap_or(missed.around);
        mismatch.inside = Some(crate::bounds::enclosing(inside, missed.around));
    }
    let levels = Levels {
        all: &levels,
        cell: measuring.cell,
        slabs: measuring.slabs,
    };
    let mut measures = levels.measures();
    measures.deviation = deviation;
    let [from, to] = EXTENT;
    let extent = Extent::new(
        shape,
        &mut function.point.evaluator(),
        &finest.meshed.mesh,
        measuring.cell,
        &measuring.bounds,
        mismatch.inside,
        whole.part(from, to),
    )?;
    extent.correct(&mut measures.bounds);
    let is_held = measures.widen(&mismatch);
    if let Some(missed) = &missed {
        measures.leave_out(missed, &mismatch, &extent);
    }
    if !is_held && mismatch.misses_much() {
        return Err(MeasureError::Unresolved(finest.lost()));
    }
    Ok(ShapeMeasures {
        measures,
        undefined: finest.meshed.undefined,
        missed,
    })
}

/// Meshes a shape, with smaller cells, down to `least_cell`, if walls or gaps are thinner than those of `meshing`.
///
/// Whether they are is determined at random points. Calls `watch` with thousandths; otherwise as
/// [`mesh`](crate::mesh()).
///
/// # Errors
/// As [`mesh`](crate::mesh()).
pub fn mesh_resolved(
    shape: &Shape<'_>,
    meshing: &MeshSettings,
    least_cell: f64,
    watch: &Watch<'_>,
) -> Result<ResolvedMesh, MeshError> {
    meshing.cells()?;
    let code = shape.code(Rounding::Fast, &[shape.value()], |_, at| at);
    let gradient = Sampler::from_code(&gradient(shape), Settings::default());
    let refinement = Refinement {
        code: &code,
        reference: &reference(shape, &gradient),
        round_edges: RoundEdges::Lowered,
        least_cell,
    };
    let mut refined = refinement.mesh(meshing, Stage::whole(watch))?;
    refined.meshed.mesh.separate();
    let is_coarse = refined.mismatch.is_coarse();
    Ok(ResolvedMesh {
        lost: is_coarse.then(|| refined.lost()),
        cell: refined.cell,
        missed: refined.missed,
        meshed: refined.meshed,
    })
}

/// Rejects angles of overhangs that are out of range.
fn check_angle(angle: f64) -> Result<(), MeasureError> {
    if (0.0..std::f64::consts::FRAC_PI_2).contains(&angle) {
        Ok(())
    } else {
        Err(MeasureError::Angle { angle })
    }
}

/// A shape, and the part of space in which meshes are compared with its surface.
#[derive(Debug)]
pub struct SurfaceReference<'a> {
    gradient: Sampler<f64>,
    bounds: &'a Bounds,
    /// Distance of samples.
    spacing: f64,
}

impl SurfaceReference<'_> {
    /// Prepares the comparison of meshes with cells of a size.
    pub fn new<'a>(shape: &Shape<'_>, bounds: &'a Bounds, cell: f64) -> SurfaceReference<'a> {
        SurfaceReference {
            gradient: Sampler::from_code(&gradient(shape), Settings::default()),
            bounds,
            spacing: cell,
        }
    }

    /// Returns the deviation of each triangle of a mesh from the surface, by Newton steps from samples of the triangle. Calls
    /// `watch` with thousandths.
    ///
    /// # Errors
    /// [`Cancelled`] if `watch` cancelled it.
    pub fn deviations(
        &self,
        mesh: &TriangleMesh,
        watch: &Watch<'_>,
    ) -> Result<Vec<f64>, Cancelled> {
        let stage = Stage::whole(watch);
        let all: Vec<usize> = (0..mesh.triangles().len()).collect();
        deviation::deviations(mesh, &all, self.spacing, self.bounds, &self.gradient, stage)
    }

    /// Refines a mesh where its triangles, whose deviations are given, are farther from the surface than `accuracy`: their corners
    /// move onto it or its creases, and their edges are split. The mesh stays closed, and not more than `cutting_pairs` of its
    /// triangles cut each other. Returns it with its deviations, which may be above `accuracy` still; `None` if that does not
    /// help, or more than a few are off: then smaller cells are needed. Calls `watch` with thousandths.
    ///
    /// # Errors
    /// [`Cancelled`] if `watch` cancelled it.
    pub fn refine(
        &self,
        mesh: &TriangleMesh,
        deviations: &[f64],
        accuracy: f64,
        cutting_pairs: usize,
        watch: &Watch<'_>,
    ) -> Result<Option<(TriangleMesh, Vec<f64>)>, Cancelled> {
        let goal = self.goal(accuracy);
        goal.refine(mesh, deviations, cutting_pairs, Stage::whole(watch))
    }

    /// Simplifies a mesh whose triangles have these deviations as far as an accuracy allows. Calls `watch` with thousandths.
    ///
    /// # Errors
    /// [`SimplifyError`]: the accuracy is no length, there are too many triangles, or `watch` cancelled it.
    pub fn simplify(
        &self,
        mesh: &TriangleMesh,
        deviations: Vec<f64>,
        accuracy: f64,
        watch: &Watch<'_>,
    ) -> Result<AccurateMesh, SimplifyError> {
        self.goal(accuracy)
            .simplify(mesh, deviations, Stage::whole(watch))
    }

    fn goal(&self, accuracy: f64) -> deviation::DeviationGoal<'_> {
        deviation::DeviationGoal {
            bounds: self.bounds,
            gradient: &self.gradient,
            cell: self.spacing,
            accuracy,
        }
    }
}

/// Rejects boxes and cells whose moments of inertia, the fifth power of lengths, are not finite.
fn check_scale(bounds: &Bounds, cell: f64) -> Result<(), MeasureError> {
    let reach = bounds.diagonal();
    if reach.powi(5).is_finite() && cell.powi(5).is_normal() {
        Ok(())
    } else {
        Err(MeasureError::Scale { reach, cell })
    }
}

/// A function and its gradient, for single points and for many.
struct Function {
    point: Point,
    sampler: Sampler<f64>,
}

/// Returns the code of a shape's function and its gradient.
fn gradient(shape: &Shape<'_>) -> Arc<Code> {
    let code = shape.code(Rounding::Exact, &[shape.value()], |_, at| at);
    Arc::new(code.with_gradient(&[0, 1, 2]))
}

/// Returns what meshes of a shape are compared with.
fn reference<'a>(shape: &Shape<'_>, gradient: &'a Sampler<f64>) -> Reference<'a> {
    let code = shape.code(Rounding::Exact, &[shape.value()], |_, at| at);
    let value = Sampler::from_code(&code, Settings::default());
    Reference::new(shape, value, gradient)
}

/// Meshes a code; an empty mesh may be allowed.
fn meshed(
    code: &Code,
    meshing: &MeshSettings,
    may_be_empty: bool,
    stage: Stage<'_>,
) -> Result<(TriangleMesh, Option<UndefinedSamples>), MeasureError> {
    // Errors follow from differences between meshes.
    let watch = |done, total| stage.report(done, total);
    match mesh_of(code, meshing, RoundEdges::Kept, &watch) {
        Ok(meshed) => Ok((meshed.mesh, meshed.undefined)),
        Err(MeshError::Empty { .. }) if may_be_empty => Ok((TriangleMesh::default(), None)),
        Err(error) => Err(error.into()),
    }
}

fn level(
    mesh: &TriangleMesh,
    function: &Function,
    meshing: &MeshSettings,
    measuring: &MeasureSettings,
    stage: Stage<'_>,
) -> Result<MeasureLevel, MeasureError> {
    let cell = meshing.cell;
    let mut level = MeasureLevel::new(mesh, cell);
    let stage_of_overhang = stage.part(0.1, 0.2);
    level.overhang = overhanging(
        mesh,
        cell,
        measuring.overhang,
        &function.sampler,
        stage_of_overhang,
    )?;
    stage.part(0.2, 1.0).check()?;
    let mut probe = Probe {
        bounds: meshing.bounds,
        function: function.point.evaluator(),
        cell,
    };
    if let Some(slabs) = &measuring.slabs {
        level.slabs = slabs.contents(mesh);
    }
    if measuring.walls || measuring.thickness_at.is_some() {
        let rays = Bvh::new(mesh);
        let own = (mesh, &rays);
        if let Some(at) = measuring.thickness_at {
            level.search_thickness(own, at, &mut probe)?;
        }
        if measuring.walls {
            level.search_walls(own, own, &mut probe, stage.part(0.2, 1.0))?;
        }
    }
    level.shells.forget_triangles();
    Ok(level)
}
