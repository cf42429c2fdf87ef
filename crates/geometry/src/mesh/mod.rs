//! From a function to a mesh of triangles.
//!
//! The function is negative inside. It is looked at on a grid, where its bounds do not say that there is no surface
//! (so time and memory go with the surface, not with the volume), and every piece of surface in a cell becomes a
//! vertex, every edge that is crossed two triangles (dual contouring: see `table` for why the mesh is always a
//! manifold, `quadric` for sharp edges, `root` for how crossings are found, and `cut` for how quads are cut). What
//! is beyond the box is outside, so that the mesh is closed there by the box's sides.
//!
//! Where the function is exactly 0, or is not a number, it is outside.
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
mod quadric;
mod quads;
mod round_edges;
mod simplify;
mod stitch;
mod topology;
mod triangles;
mod work;

use fibula_eval::prune::{Axis, Cells, Region};
use fibula_eval::{Batch, Code, Float, Rounding, Settings};

use super::explore::Explorer;
use super::{Bounds, Shape, Watch};
use block::Finder;
use crossings::Roots;
use grid::Grid;
use stitch::{StitchError, Stitcher};
use work::MeshWork;

pub use block::UndefinedSamples;
pub use error::MeshError;
pub use simplify::{SimplifiedMesh, SimplifyError, SimplifySettings, simplify};
pub use topology::Topology;
pub use triangles::{MassProperties, TriangleMesh};

/// The cells along an edge of the pruner's boxes, from the finest.
const SIDES: [usize; 3] = [128, 32, block::SIDE];
/// Cells along an axis from which on the coarsest of these boxes are worth it.
const WIDE: usize = 1024;
/// How many boxes of the middle side a slab has at least, if there are so many: a batch of the pruner's.
const SLAB: usize = 64;

/// What is made a mesh of, and how finely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeshSettings {
    /// What is beyond is outside.
    pub bounds: Bounds,
    /// The longest edge of a cell, in the unit of the bounds: details that are smaller are lost.
    pub cell: f64,
    /// The most triangles.
    pub most_triangles: u64,
    /// Whether to compute in double precision, which takes about twice as long, where single precision would do: where
    /// a cell is a thousand steps of single precision wide.
    pub double: bool,
}

/// A mesh of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeMesh {
    /// The mesh: closed, a manifold, oriented, and without degenerate triangles.
    pub mesh: TriangleMesh,
    /// How many cells the grid has along x, y and z.
    pub cells: [usize; 3],
    /// Samples at which the function is not a number, if there are some; they count as outside.
    pub undefined: Option<UndefinedSamples>,
}

impl MeshSettings {
    /// The most triangles if no other number is given.
    pub const MOST_TRIANGLES: u64 = 50_000_000;

    /// A mesh in a box, of cells no longer than `cell`.
    pub fn new(bounds: Bounds, cell: f64) -> MeshSettings {
        MeshSettings {
            bounds,
            cell,
            most_triangles: MeshSettings::MOST_TRIANGLES,
            double: false,
        }
    }

    /// About how many cells the grid has, if it can be made.
    ///
    /// # Errors
    /// [`MeshError`] if the size of the cells is no positive number, or too small.
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

/// Makes a mesh of a shape.
///
/// The work is done on rayon's threads, and the mesh does not depend on them. `watch` is told of cells.
/// Takes time and memory in proportion to the surface in cells, if the function's bounds are good.
///
/// # Errors
/// [`MeshError`]: the cells are too small, nothing is inside, there are too many triangles, or `watch` ended it.
pub fn mesh(
    shape: &Shape<'_>,
    meshing: &MeshSettings,
    watch: &Watch<'_>,
) -> Result<ShapeMesh, MeshError> {
    let code = shape.code(Rounding::Fast, &[shape.value()], |_, at| at);
    mesh_of(&code, meshing, RoundEdges::Lowered, watch)
}

/// What is done about edges that are rounder than a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RoundEdges {
    /// Vertices are brought down onto them, and there are more triangles around them.
    Lowered,
    /// Nothing, so that errors go with the square of the cells' size as evenly as they can.
    Kept,
}

/// Makes a mesh of a code of three inputs, whose first output is below 0 where there is material.
pub(super) fn mesh_of(
    code: &Code,
    meshing: &MeshSettings,
    round_edges: RoundEdges,
    watch: &Watch<'_>,
) -> Result<ShapeMesh, MeshError> {
    meshing.cells()?;
    if meshing.double || !meshing.bounds.is_single_enough(meshing.cell) {
        contour::<f64>(code, meshing, round_edges, watch)
    } else {
        contour::<f32>(code, meshing, round_edges, watch)
    }
}

fn contour<T: Float>(
    code: &Code,
    meshing: &MeshSettings,
    round_edges: RoundEdges,
    watch: &Watch<'_>,
) -> Result<ShapeMesh, MeshError> {
    let settings = Settings::default();
    let contouring = DualContouring {
        meshing,
        explorer: Explorer::<T>::from_code(code, settings)?,
        gradient: Batch::new(&code.with_gradient(&[0, 1, 2]), 3, settings),
        grid: Grid::new(&meshing.bounds, meshing.cell),
        round_edges,
        watch,
    };
    let (axis, thickness) = slabs(contouring.grid.cells());
    let run = |thickness: usize| match contouring.run(axis, thickness) {
        Ok(meshed) => Ok(Some(meshed)),
        Err(ContouringError::Far) => Ok(None),
        Err(ContouringError::MeshError(error)) => Err(error),
    };
    match run(thickness)? {
        Some(meshed) => Ok(meshed),
        // One slab has no other that is forgotten.
        None => run(usize::MAX)?.ok_or(MeshError::Torn),
    }
}

/// The axis along which the grid is cut in slabs, the longest, and how many cells along it a slab has.
fn slabs(cells: [usize; 3]) -> (usize, usize) {
    let axis = (0..3).max_by_key(|&axis| cells[axis]).unwrap_or_default();
    let boxes = cells.map(|count| count.div_ceil(SIDES[1]));
    let layer = boxes[(axis + 1) % 3] * boxes[(axis + 2) % 3];
    (axis, SLAB.div_ceil(layer) * SIDES[1])
}

/// Why there is no mesh yet.
enum ContouringError {
    MeshError(MeshError),
    /// It goes with thicker slabs.
    Far,
}

impl From<MeshError> for ContouringError {
    fn from(error: MeshError) -> ContouringError {
        ContouringError::MeshError(error)
    }
}

impl From<StitchError> for ContouringError {
    fn from(why: StitchError) -> ContouringError {
        match why {
            StitchError::Torn => ContouringError::MeshError(MeshError::Torn),
            StitchError::Far => ContouringError::Far,
        }
    }
}

/// All that is needed to look for a surface.
struct DualContouring<'a, T: Float> {
    meshing: &'a MeshSettings,
    explorer: Explorer<T>,
    /// The value and its derivatives.
    gradient: Batch<T>,
    grid: Grid<T>,
    round_edges: RoundEdges,
    watch: &'a Watch<'a>,
}

impl<T: Float> DualContouring<'_, T> {
    /// Makes the mesh, in slabs of so many cells along an axis.
    fn run(&self, axis: usize, thickness: usize) -> Result<ShapeMesh, ContouringError> {
        let (grid, cells) = (&self.grid, self.grid.cells());
        let all = cells.iter().product::<usize>() as u64;
        let work = MeshWork::new(self.meshing.most_triangles / 2, all, self.watch);
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
            // What is too much is counted to its end.
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
        // Around round edges there are up to twice as many as quads have.
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

    /// What is found in a slab, between two places along an axis.
    fn found<'b>(
        &'b self,
        axis: usize,
        [low, high]: [usize; 2],
        work: &'b MeshWork<'b>,
    ) -> Result<Vec<Finder<'b, T>>, MeshError> {
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
            Finder::new(grid, origin, work, roots, self.round_edges)
        };
        let found = self
            .explorer
            .explore(&region, finder, &|_, _| work.flow())?;
        if work.is_ended() {
            return Err(MeshError::Cancelled(super::Cancelled));
        }
        Ok(found)
    }

    /// The refusal of so many quads.
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

    /// Runs with slabs of other thicknesses, each with the number of triangles if no thicker slabs are needed.
    fn counts(text: &str, cell: f64, thicknesses: &[usize]) -> Vec<Option<usize>> {
        let tape = tape(text);
        let shape = Shape::new(&tape).unwrap();
        let meshing = MeshSettings::new(bounds(), cell);
        let code = shape.code(Rounding::Fast, &[shape.value()], |_, at| at);
        let contouring = DualContouring::<f32> {
            meshing: &meshing,
            explorer: Explorer::from_code(&code, Settings::default()).unwrap(),
            gradient: Batch::new(&code.with_gradient(&[0, 1, 2]), 3, Settings::default()),
            grid: Grid::new(&meshing.bounds, meshing.cell),
            round_edges: RoundEdges::Lowered,
            watch: &|_, _| ControlFlow::Continue(()),
        };
        let runs = (0..3).flat_map(|axis| thicknesses.iter().map(move |&by| (axis, by)));
        runs.map(|(axis, thickness)| match contouring.run(axis, thickness) {
            Ok(meshed) => {
                assert!(
                    meshed.mesh.topology().is_sound(),
                    "{text}: {axis} {thickness}"
                );
                Some(meshed.mesh.triangles().len())
            }
            Err(ContouringError::Far) => None,
            Err(ContouringError::MeshError(error)) => panic!("{text}: {error}"),
        })
        .collect()
    }

    #[test]
    fn slabs_of_any_thickness_make_one_mesh() {
        let whole = usize::MAX;
        // Samples of the last are inside or outside as if by chance, so that many cells pinch each other.
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
        // Where all edges of a sample are crossed in the sample itself, on the side of a slab.
        let cell = 0.25;
        let grid = Grid::<f32>::new(&bounds(), cell);
        let [x, y, z] = grid.point([2 * block::SIDE; 3]);
        let hole = format!("0 - length(pos - vec3({x}, {y}, {z}))");
        let found = counts(&hole, cell, &[block::SIDE, 2 * block::SIDE, usize::MAX]);
        for along in found.chunks(3) {
            assert!(
                matches!(along, [None, Some(a), Some(b)] if a == b),
                "{found:?}"
            );
        }
    }
}
