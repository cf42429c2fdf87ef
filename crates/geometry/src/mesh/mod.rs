//! Dual contouring: from an implicit solid to a mesh of triangles.
//!
//! The function is negative inside. It is evaluated on a grid, where its interval bounds do not exclude the surface (so
//! time and memory grow with the surface, not with the volume). Every piece of surface in a cell becomes a vertex,
//! every crossed edge two triangles: see `cases` for why the mesh is always a manifold, `quadric` for sharp edges,
//! `crossings` for how crossings are found, and `quads` for how quads are split. Everything beyond the box is outside,
//! so the box's sides close the mesh.
//!
//! Where the function is exactly 0, or NaN, is outside.
//!
//! ```
//! use fibula_core::eval::Tape;
//! use fibula_core::expression;
//! use fibula_geometry::{Bounds, MeshSettings, Shape, mesh};
//! use fibula_core::graph::Document;
//! use std::ops::ControlFlow;
//!
//! let mut document = Document::default();
//! let ball = expression::add_function(&mut document, "Ball", "length(pos) - 5")?;
//! let tape = Tape::new(&document, ball)?;
//! let meshing = MeshSettings::new(Bounds::new([-6.0; 3], [6.0; 3])?, 1.0);
//! let meshed = mesh(&Shape::new(&tape)?, &meshing, &|_, _| ControlFlow::Continue(()))?;
//! assert!(meshed.mesh.topology().is_sound());
//! assert!((meshed.mesh.volume() - 523.6).abs() < 10.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block;
mod cases;
mod crossings;
mod error;
mod grid;
mod planes;
mod quadric;
mod quads;
mod round_edges;
mod stitch;
mod topology;
mod triangles;

mod morton_order;
mod shells;

mod box_tree;
mod stars;

mod cuts;
mod separate;
mod simplify;
mod small_shells;
mod untangle;

use fibula_eval::prune::{Axis, Cells, Region};
use fibula_eval::{Batch, Code, Float, Rounding, Settings};
use fibula_knowledge::progress::Progress;

use super::budget::Budget;
use super::explore::{ExploreError, Explorer};
use super::{Bounds, Shape, Watch};
use block::BlockVisitor;
use crossings::Roots;
use error::ContouringError;
use grid::MeshGrid;
use small_shells::remove_small_shells;
use stitch::Stitcher;

pub use block::UndefinedSamples;
pub use error::MeshError;
pub(crate) use planes::{Plane, nearest_to_planes};
pub(crate) use shells::{Shell, Shells};
pub use shells::{ShellCounts, count_shells};
pub(crate) use simplify::{KnownMesh, simplify_known};
pub use simplify::{SimplifiedMesh, SimplifyError, SimplifySettings, simplify};
pub(crate) use topology::Fans;
pub use topology::Topology;
pub use triangles::{MassProperties, TriangleMesh};

/// Cells along an edge of the pruner's boxes, the coarsest first.
const SIDES: [usize; 3] = [128, 32, block::SIDE];
/// Number of cells along an axis from which on the coarsest boxes pay.
const WIDE: usize = 1024;
/// Minimum boxes of the middle size in a slab, if there are so many: a batch of the pruner.
const SLAB: usize = 64;

/// Bounds, resolution and limits of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeshSettings {
    /// Everything beyond is outside.
    pub bounds: Bounds,
    /// Longest edge of a cell, in the unit of the bounds: smaller details are lost.
    pub cell: f64,
    /// Maximum triangles.
    pub most_triangles: u64,
    /// True to compute in double precision, which takes about twice as long, where single precision suffices: where a
    /// cell has a thousand units in the last place.
    pub double: bool,
}

/// A mesh of a shape.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ShapeMesh {
    /// The mesh: closed, a manifold, oriented, and without degenerate triangles; also where vertices are merged that are
    /// equal in single precision, unless cells are about as small as the last place.
    pub mesh: TriangleMesh,
    /// Numbers of cells of the grid along x, y and z.
    pub cells: [usize; 3],
    /// Samples at which the function is NaN, if any; they count as outside.
    pub undefined: Option<UndefinedSamples>,
}

impl MeshSettings {
    /// Default of the maximum triangles.
    pub const MOST_TRIANGLES: u64 = 50_000_000;

    /// Settings for a box, with cells no longer than `cell`.
    pub fn new(bounds: Bounds, cell: f64) -> MeshSettings {
        MeshSettings {
            bounds,
            cell,
            most_triangles: MeshSettings::MOST_TRIANGLES,
            double: false,
        }
    }

    /// Returns the number of cells of the grid, approximately.
    ///
    /// # Errors
    /// [`MeshError`] if the cell size is not positive, or too small.
    pub fn cells(&self) -> Result<f64, MeshError> {
        let cell = self.cell;
        if !(cell.is_finite() && cell > 0.0) {
            return Err(MeshError::Cell { cell });
        }
        let cells = grid::cells(&self.bounds, cell);
        if !grid::is_moderate(&self.bounds, cell) {
            return Err(MeshError::TooManyCells {
                cell,
                cells,
                most: grid::MAX_CELLS,
                passes: grid::least(&self.bounds),
            });
        }
        if !grid::is_resolved(&self.bounds, cell) {
            return Err(MeshError::TooFar {
                cell,
                bounds: self.bounds,
            });
        }
        Ok(cells)
    }
}

/// Meshes a shape by dual contouring.
///
/// Works on rayon's threads; the mesh does not depend on them. Calls `watch` with cells. Takes time and memory
/// proportional to the surface in cells, if the function's interval bounds are good.
///
/// # Errors
/// [`MeshError`]: the cells are too small, nothing is inside, there are too many triangles, or `watch` cancelled it.
pub fn mesh(
    shape: &Shape<'_>,
    meshing: &MeshSettings,
    watch: &Watch<'_>,
) -> Result<ShapeMesh, MeshError> {
    let code = shape.code(Rounding::Fast, &[shape.value()], |_, at| at);
    let mut meshed = mesh_of(&code, meshing, RoundEdges::Lowered, watch)?;
    meshed.mesh.separate();
    Ok(meshed)
}

/// Treatment of edges that are rounder than a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RoundEdges {
    /// Vertices are lowered onto them, and there are more triangles around them.
    Lowered,
    /// Vertices stay, so that errors fall with the square of the cell size as evenly as they can.
    Kept,
}

/// Meshes a code of three inputs, whose first output is below 0 where there is material.
pub(super) fn mesh_of(
    code: &Code,
    meshing: &MeshSettings,
    round_edges: RoundEdges,
    watch: &Watch<'_>,
) -> Result<ShapeMesh, MeshError> {
    meshing.cells()?;
    let mut meshed = if meshing.double || !meshing.bounds.is_single_enough(meshing.cell) {
        contour::<f64>(code, meshing, round_edges, watch)?
    } else {
        contour::<f32>(code, meshing, round_edges, watch)?
    };
    let cells = meshed.cells.iter().product::<usize>() as u64;
    let end = |_, _| watch(cells, cells);
    remove_small_shells(&mut meshed.mesh, code, meshing.cell, &end)?;
    Ok(meshed)
}

fn contour<T: Float>(
    code: &Code,
    meshing: &MeshSettings,
    round_edges: RoundEdges,
    watch: &Watch<'_>,
) -> Result<ShapeMesh, MeshError> {
    let contouring = DualContouring::<T>::new(code, meshing, round_edges, watch)?;
    let (axis, thickness) = slabs(contouring.grid.cells());
    let run = |thickness: usize| match contouring.run(axis, thickness) {
        Ok(meshed) => Ok(Some(meshed)),
        Err(ContouringError::Far) => Ok(None),
        Err(ContouringError::Mesh(error)) => Err(error),
    };
    match run(thickness)? {
        Some(meshed) => Ok(meshed),
        // A single slab never refers to a released one.
        None => run(usize::MAX)?.ok_or(MeshError::Torn),
    }
}

/// Returns the longest axis, along which the grid is cut in slabs, and the cells of a slab along it.
fn slabs(cells: [usize; 3]) -> (usize, usize) {
    let axis = (0..3).max_by_key(|&axis| cells[axis]).unwrap_or_default();
    let boxes = cells.map(|count| count.div_ceil(SIDES[1]));
    let layer = boxes[(axis + 1) % 3] * boxes[(axis + 2) % 3];
    (axis, SLAB.div_ceil(layer) * SIDES[1])
}

/// Limit of quads and progress in cells, for all threads.
struct MeshWork<'a> {
    quads: Budget,
    cells: Progress<'a>,
}

/// State of dual contouring.
struct DualContouring<'a, T: Float> {
    meshing: &'a MeshSettings,
    explorer: Explorer<T>,
    /// Evaluates the value and its derivatives.
    gradient: Batch<T>,
    grid: MeshGrid<T>,
    round_edges: RoundEdges,
    watch: &'a Watch<'a>,
}

impl<'a, T: Float> DualContouring<'a, T> {
    fn new(
        code: &Code,
        meshing: &'a MeshSettings,
        round_edges: RoundEdges,
        watch: &'a Watch<'a>,
    ) -> Result<Self, ExploreError> {
        let settings = Settings::default();
        Ok(DualContouring {
            meshing,
            explorer: Explorer::from_code(code, settings)?,
            gradient: Batch::new(&code.with_gradient(&[0, 1, 2]), 3, settings),
            grid: MeshGrid::new(&meshing.bounds, meshing.cell),
            round_edges,
            watch,
        })
    }

    /// Builds the mesh, in slabs of so many cells along an axis.
    fn run(&self, axis: usize, thickness: usize) -> Result<ShapeMesh, ContouringError> {
        let (grid, cells) = (&self.grid, self.grid.cells());
        let all = cells.iter().product::<usize>() as u64;
        let work = MeshWork {
            quads: Budget::new(self.meshing.most_triangles / 2),
            cells: Progress::new(all, self.watch),
        };
        let mut undefined: Option<UndefinedSamples> = None;
        let mut stitcher = Stitcher::new(grid, axis, thickness / block::SIDE);
        let mut is_empty = true;
        for low in (0..cells[axis]).step_by(thickness) {
            let high = cells[axis].min(low.saturating_add(thickness));
            let mut list = Vec::new();
            for found in self.found(axis, [low, high], &work)? {
                list.extend(found.blocks);
                if let Some(more) = found.undefined {
                    let all = undefined.get_or_insert(UndefinedSamples { samples: 0, ..more });
                    all.samples += more.samples;
                }
            }
            is_empty &= list.is_empty();
            // An excess is counted to its end.
            if !work.quads.is_exceeded() {
                stitcher.push(list)?;
            }
        }
        if work.quads.is_exceeded() {
            return Err(self.too_many(work.quads.count()).into());
        }
        if is_empty {
            return Err(MeshError::Empty {
                cell: self.meshing.cell,
                undefined,
            }
            .into());
        }
        let (vertices, triangles) = stitcher.finish()?;
        // Fans around round edges have up to twice as many triangles as quads.
        if triangles.len() as u64 > self.meshing.most_triangles {
            return Err(self.too_many(triangles.len().div_ceil(2) as u64).into());
        }
        if (self.watch)(all, all).is_break() {
            return Err(MeshError::Cancelled(super::Cancelled).into());
        }
        Ok(ShapeMesh {
            mesh: TriangleMesh::new(vertices, triangles).map_err(MeshError::from)?,
            cells,
            undefined,
        })
    }

    /// Finds the blocks of a slab, between two positions along an axis.
    fn found<'b>(
        &'b self,
        axis: usize,
        [low, high]: [usize; 2],
        work: &'b MeshWork<'b>,
    ) -> Result<Vec<BlockVisitor<'b, T>>, MeshError> {
        let (grid, cells) = (&self.grid, self.grid.cells());
        let all = [0, 1, 2].map(|input| {
            let samples = &grid.samples[input];
            Axis {
                input,
                samples: if input == axis {
                    &samples[low..=high]
                } else {
                    samples
                },
                backwards: false,
            }
        });
        let coarsest = usize::from(cells.iter().all(|&count| count < WIDE));
        let region = Region {
            axes: &all,
            inputs: &[T::ZERO; 3],
            sides: &SIDES[coarsest..],
            cells: Cells::Spaces,
        };
        let mut origin = [0; 3];
        origin[axis] = low;
        let finder = || {
            let roots = Roots::new(self.gradient.evaluator());
            BlockVisitor::new(grid, origin, work, roots, self.round_edges)
        };
        let found = self
            .explorer
            .explore(&region, finder, &|_, _| work.cells.flow())?;
        if work.cells.is_ended() {
            return Err(MeshError::Cancelled(super::Cancelled));
        }
        Ok(found)
    }

    /// Error of too many quads.
    fn too_many(&self, quads: u64) -> MeshError {
        let most = self.meshing.most_triangles;
        let factor = (quads as f64 / (most as f64 / 2.0).max(1.0)).sqrt();
        MeshError::TooManyTriangles {
            triangles: 2 * quads,
            most,
            passes: super::short(self.meshing.cell * factor.max(1.0) * 1.02),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::testing::tape;

    fn bounds() -> Bounds {
        Bounds::new([-3.0; 3], [3.0; 3]).unwrap()
    }

    /// Runs with several thicknesses of slabs; returns the number of triangles, or `None` if thicker slabs are needed.
    fn counts(text: &str, cell: f64, thicknesses: &[usize]) -> Vec<Option<usize>> {
        let tape = tape(text);
        let shape = Shape::new(&tape).unwrap();
        let meshing = MeshSettings::new(bounds(), cell);
        let code = shape.code(Rounding::Fast, &[shape.value()], |_, at| at);
        let watch: &Watch<'_> = &|_, _| ControlFlow::Continue(());
        let round_edges = RoundEdges::Lowered;
        let contouring = DualContouring::<f32>::new(&code, &meshing, round_edges, watch).unwrap();
        let runs = (0..3).flat_map(|axis| thicknesses.iter().map(move |&by| (axis, by)));
        runs.map(|(axis, thickness)| match contouring.run(axis, thickness) {
            Ok(meshed) => {
                let topology = meshed.mesh.topology();
                assert!(topology.is_sound(), "{text}: {axis} {thickness}");
                Some(meshed.mesh.triangles().len())
            }
            Err(ContouringError::Far) => None,
            Err(ContouringError::Mesh(error)) => panic!("{text}: {error}"),
        })
        .collect()
    }

    #[test]
    fn slabs_of_any_thickness_make_one_mesh() {
        let whole = usize::MAX;
        // Samples of the last one are inside or outside nearly at random, so that many cells pinch each other.
        for (text, cell) in [
            (
                "abs(sin(pos.x) * cos(pos.y) + sin(pos.y) * cos(pos.z) + sin(pos.z) * cos(pos.x)) - 0.4",
                0.2,
            ),
            ("length(pos) - 2.3", 0.2),
            (
                "sin(pos.x * 127.1 + pos.y * 311.7 + pos.z * 74.7 + 20 * sin(pos.y * 91.3 + pos.x * 57.9))",
                0.3,
            ),
        ] {
            let found = counts(text, cell, &[block::SIDE, 2 * block::SIDE, whole]);
            assert!(found[2].is_some(), "{text}");
            for one in found.iter().flatten() {
                assert_eq!(Some(*one), found[2], "{text}: {found:?}");
            }
            let stitched = found.iter().flatten().count();
            assert!(stitched >= 6, "{text}: {found:?}");
        }
    }

    #[test]
    fn flat_triangles_may_need_thicker_slabs() {
        // All edges of a sample are crossed in the sample itself, on the side of a slab.
        let cell = 0.25;
        let grid = MeshGrid::<f32>::new(&bounds(), cell);
        let [x, y, z] = grid.point([2 * block::SIDE; 3]);
        let hole = format!("0 - length(pos - vec3({x}, {y}, {z}))");
        let found = counts(&hole, cell, &[block::SIDE, 2 * block::SIDE, usize::MAX]);
        for along in found.chunks(3) {
            let are_equal = matches!(along, [None, Some(a), Some(b)] if a == b);
            assert!(are_equal, "{found:?}");
        }
    }
}
