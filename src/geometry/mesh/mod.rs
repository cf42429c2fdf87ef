//! From a function to a mesh of triangles.
//!
//! The function is negative inside. It is looked at on a grid, where its bounds do not say that there is no surface
//! (so time and memory go with the surface, not with the volume), and every piece of surface in a cell becomes a
//! vertex, every edge that is crossed two triangles (dual contouring: see `table` for why the mesh is always a
//! manifold, `quadric` for sharp edges, `root` for how crossings are found, and `stitch` for how quads are cut). What
//! is beyond the box is outside, so that the mesh is closed there by the box's sides.
//!
//! Where the function is exactly 0, or is not a number, it is outside.
//!
//! ```
//! use fibula::eval::Tape;
//! use fibula::expression;
//! use fibula::geometry::{Bounds, Meshing, Shape, mesh};
//! use fibula::graph::Document;
//! use std::ops::ControlFlow;
//!
//! let mut document = Document::default();
//! let ball = expression::add_function(&mut document, "Ball", "length(pos) - 5")?;
//! let tape = Tape::new(&document, ball)?;
//! let meshing = Meshing::new(Bounds::new([-6.0; 3], [6.0; 3])?, 1.0);
//! let meshed = mesh(&Shape::new(&tape)?, &meshing, &|_, _| ControlFlow::Continue(()))?;
//! assert!(meshed.mesh.topology().is_sound());
//! assert!((meshed.mesh.volume() - 523.6).abs() < 10.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block;
mod budget;
mod error;
mod grid;
mod quadric;
mod root;
mod simplify;
mod stitch;
mod table;
mod topology;
mod triangles;

use std::ops::ControlFlow;

use fibula_eval::prune::{Axis, Cells, Region};
use fibula_eval::{Batch, Code, Float, Rounding, Settings};

use super::explore::Explorer;
use super::{Bounds, Shape, Watch};
use block::Finder;
use budget::Budget;
use grid::Grid;
use root::Roots;
use stitch::Blocks;

pub use block::Undefined;
pub use error::Unmeshable;
pub use simplify::{Simplified, Simplifying, Unsimplifiable, simplify};
pub use topology::Topology;
pub use triangles::{Mass, TriangleMesh};

/// The cells along an edge of the pruner's boxes, from the finest.
const SIDES: [usize; 3] = [128, 32, block::SIDE];
/// Cells along an axis from which on the coarsest of these boxes are worth it.
const WIDE: usize = 1024;

/// What is made a mesh of, and how finely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meshing {
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
pub struct Meshed {
    /// The mesh: closed, a manifold, oriented, and without degenerate triangles.
    pub mesh: TriangleMesh,
    /// How many cells the grid has along x, y and z.
    pub cells: [usize; 3],
    /// Samples at which the function is not a number, if there are some; they count as outside.
    pub undefined: Option<Undefined>,
}

impl Meshing {
    /// The most triangles if no other number is given.
    pub const MOST_TRIANGLES: u64 = 50_000_000;

    /// A mesh in a box, of cells no longer than `cell`.
    pub fn new(bounds: Bounds, cell: f64) -> Meshing {
        Meshing {
            bounds,
            cell,
            most_triangles: Meshing::MOST_TRIANGLES,
            double: false,
        }
    }

    /// About how many cells the grid has, if it can be made.
    ///
    /// # Errors
    /// [`Unmeshable`] if the size of the cells is no positive number, or too small.
    pub fn cells(&self) -> Result<f64, Unmeshable> {
        let cell = self.cell;
        if !(cell.is_finite() && cell > 0.0) {
            return Err(Unmeshable::Cell { cell });
        }
        let cells = grid::cells(&self.bounds, cell);
        if cells > grid::MOST_CELLS {
            return Err(Unmeshable::TooManyCells {
                cell,
                cells,
                most: grid::MOST_CELLS,
                passes: grid::least(&self.bounds),
            });
        }
        if !grid::is_resolved(&self.bounds, cell) {
            return Err(Unmeshable::TooFar {
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
/// [`Unmeshable`]: the cells are too small, nothing is inside, there are too many triangles, or `watch` ended it.
pub fn mesh(shape: &Shape<'_>, meshing: &Meshing, watch: &Watch<'_>) -> Result<Meshed, Unmeshable> {
    let code = shape.code(Rounding::Fast, &[shape.value()], |_, at| at);
    mesh_of(&code, meshing, watch)
}

/// Makes a mesh of a code of three inputs, whose first output is below 0 where there is material.
pub(super) fn mesh_of(
    code: &Code,
    meshing: &Meshing,
    watch: &Watch<'_>,
) -> Result<Meshed, Unmeshable> {
    meshing.cells()?;
    if meshing.double || !grid::is_single_enough(&meshing.bounds, meshing.cell) {
        contoured::<f64>(code, meshing, watch)
    } else {
        contoured::<f32>(code, meshing, watch)
    }
}

fn contoured<T: Float>(
    code: &Code,
    meshing: &Meshing,
    watch: &Watch<'_>,
) -> Result<Meshed, Unmeshable> {
    let settings = Settings::default();
    let explorer = Explorer::<T>::of(code, settings)?;
    let gradient = Batch::<T>::new(&code.with_gradient(&[0, 1, 2]), 3, settings);
    let grid = Grid::<T>::new(&meshing.bounds, meshing.cell);
    let cells = grid.cells();
    let axes = [0, 1, 2].map(|input| Axis {
        input,
        samples: &grid.samples[input],
        backwards: false,
    });
    let coarsest = usize::from(cells.iter().all(|&count| count < WIDE));
    let region = Region {
        axes: &axes,
        inputs: &[T::ZERO; 3],
        sides: &SIDES[coarsest..],
        cells: Cells::Spaces,
    };
    let all: usize = cells.iter().product();
    let budget = Budget::new(meshing.most_triangles / 2, all as u64, watch);
    let finder = || Finder::new(&grid, &budget, Roots::new(gradient.evaluator()));
    let found = explorer.explore(&region, finder, &|_, _| budget.flow())?;
    if budget.is_ended() {
        return Err(Unmeshable::Cancelled(super::Cancelled));
    }
    if let Some(quads) = budget.excess() {
        let most = meshing.most_triangles;
        let factor = (quads as f64 / (most as f64 / 2.0)).sqrt();
        return Err(Unmeshable::TooManyTriangles {
            triangles: 2 * quads,
            most,
            passes: super::short(meshing.cell * factor.max(1.0) * 1.02),
        });
    }
    let mut undefined: Option<Undefined> = None;
    let mut list = Vec::new();
    for found in found {
        list.extend(found.blocks);
        if let Some(more) = found.undefined {
            let all = undefined.get_or_insert(Undefined { samples: 0, ..more });
            all.samples += more.samples;
        }
    }
    if list.is_empty() {
        return Err(Unmeshable::Empty {
            cell: meshing.cell,
            undefined,
        });
    }
    let still = || match watch(all as u64, all as u64) {
        ControlFlow::Break(()) => Err(Unmeshable::Cancelled(super::Cancelled)),
        ControlFlow::Continue(()) => Ok(()),
    };
    let mut blocks = Blocks::new(&grid, list);
    still()?;
    blocks.part_pinched();
    still()?;
    let (vertices, triangles) = blocks.stitched().map_err(|_| Unmeshable::Torn)?;
    still()?;
    Ok(Meshed {
        mesh: TriangleMesh::new(vertices, triangles)?,
        cells,
        undefined,
    })
}
