//! Slices: the contours of a shape at heights.
//!
//! The plane is looked at on a grid, where the function's bounds do not say that there is no contour; each crossing of
//! an edge of the grid is found to many digits, corners between crossings are where their tangents meet, and where the contour
//! leaves the line between two points by more than the tolerance, points are put between. What is beyond the bounds is
//! outside, so every contour is closed. Where the function is exactly 0, or is not a number, it is outside.
//!
//! ```
//! use fibula::eval::Tape;
//! use fibula::expression;
//! use fibula::geometry::{Bounds, Shape, Slicer, Slicing};
//! use fibula::graph::Document;
//! use std::ops::ControlFlow;
//!
//! let mut document = Document::default();
//! let tube = expression::add_function(&mut document, "Tube", "max(length(pos) - 5, 3 - length(pos))")?;
//! let tape = Tape::new(&document, tube)?;
//! let slicing = Slicing::new(Bounds::new([-6.0; 3], [6.0; 3])?, 0.1);
//! let slices = Slicer::new(&Shape::new(&tape)?, slicing)?.slice(&[0.0, 4.0], &|_, _| ControlFlow::Continue(()))?;
//! let depths: Vec<usize> = slices[0].contours.iter().map(|contour| contour.depth).collect();
//! assert_eq!(depths, [0, 1]);
//! assert!((slices[0].area() - std::f64::consts::PI * 16.0).abs() < 0.1);
//! assert_eq!(slices[1].contours.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cells;
mod nest;
mod refine;
mod trace;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fibula_eval::prune::{Axis, Cells, Region};
use fibula_eval::{Batch, Rounding, Settings};
use rayon::prelude::*;

use super::explore::{Explorer, Unexplorable};
use super::{Bounds, Cancelled, Shape, Watch};
use cells::Finder;

/// The cells along an edge of the pruner's boxes.
const SIDES: [usize; 2] = [128, 16];
/// The most cells between the origin and a corner, so that neighbouring samples differ.
const FINEST: f64 = (1_u64 << 44) as f64;
/// The most points of all slices.
const MOST_POINTS: u64 = 20_000_000;
/// The most cells of one slice.
const MOST_CELLS: f64 = (1_u64 << 30) as f64;

/// Where a shape is sliced, and how finely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slicing {
    /// What is beyond is outside.
    pub bounds: Bounds,
    /// The longest edge of a cell of the grid, in the unit of the bounds: details that are smaller are lost.
    pub cell: f64,
    /// How far a polygon may be from the contour that it stands for, in the unit of the bounds; a ten-thousandth of the
    /// cell is the least that counts.
    pub tolerance: f64,
}

impl Slicing {
    /// Cells no longer than `cell`, and a tenth of it as tolerance.
    pub fn new(bounds: Bounds, cell: f64) -> Slicing {
        Slicing {
            bounds,
            cell,
            tolerance: cell / 10.0,
        }
    }

    /// How many cells there are along x and y.
    ///
    /// # Errors
    /// [`Unsliceable`] if the cell or the tolerance is no positive number, or the cell is too small.
    pub fn cells(&self) -> Result<[f64; 2], Unsliceable> {
        for (what, size) in [("cell", self.cell), ("tolerance", self.tolerance)] {
            if !(size.is_finite() && size > 0.0) {
                return Err(Unsliceable::Size { what, size });
            }
        }
        let [x, y, _] = self.bounds.size();
        let counts = [x, y].map(|size| (size / self.cell * (1.0 - 1e-12)).ceil().max(1.0) + 1.0);
        let cells = counts[0] * counts[1];
        if cells > MOST_CELLS {
            return Err(Unsliceable::TooManyCells {
                cell: self.cell,
                cells,
                passes: super::short(x.sqrt() * y.sqrt() / MOST_CELLS.sqrt() * 1.02),
            });
        }
        let corners = self.bounds.low().into_iter().chain(self.bounds.high());
        let reach = corners.fold(0.0, |reach: f64, place| reach.max(place.abs()));
        if reach / self.cell > FINEST {
            return Err(Unsliceable::TooFar {
                cell: self.cell,
                reach,
            });
        }
        Ok(counts)
    }
}

/// Why a shape cannot be sliced.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unsliceable {
    /// It is too large.
    #[error(transparent)]
    Unexplorable(#[from] Unexplorable),
    /// A size is none.
    #[error(
        "the {what} is a length above 0, not {size}; a hundredth of the part is a good cell, and a tenth of that a tolerance"
    )]
    Size {
        /// Of what.
        what: &'static str,
        /// What was given.
        size: f64,
    },
    /// The cells are too small.
    #[error(
        "cells of {cell} divide a slice into {cells:.0e} cells, and the most are {MOST_CELLS:.0e}; {passes} passes"
    )]
    TooManyCells {
        /// The size that was given.
        cell: f64,
        /// How many there would be.
        cells: f64,
        /// A size with which there are not too many.
        passes: f64,
    },
    /// Neighbouring samples would be the same number.
    #[error(
        "cells of {cell} are too small for a place {reach} from the origin; move it closer or take larger cells"
    )]
    TooFar {
        /// The size that was given.
        cell: f64,
        /// How far the box reaches.
        reach: f64,
    },
    /// The contours would be too long.
    #[error(
        "the slices have more than {MOST_POINTS} points; take a larger tolerance, larger cells or fewer slices"
    )]
    TooManyPoints,
    /// A height is none.
    #[error("heights are finite numbers, not {0}")]
    Height(f64),
    /// The work was ended.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// A closed line around an inside or a hole.
#[derive(Debug, Clone, PartialEq)]
pub struct Contour {
    /// The corners: the inside is to the left, so outer contours go against the clock and holes with it. The first is
    /// not repeated.
    pub points: Vec<[f64; 2]>,
    /// The contour right around it, by its place.
    pub parent: Option<usize>,
    /// How many contours are around it; it is a hole if the number is odd.
    pub depth: usize,
}

impl Contour {
    /// The area that it encloses, in the square of the unit; negative for holes.
    pub fn area(&self) -> f64 {
        trace::area(&self.points)
    }
}

/// The contours at one height, those around others before them.
#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    /// The height.
    pub z: f64,
    /// The contours.
    pub contours: Vec<Contour>,
    /// Samples at which the function is not a number; they count as outside.
    pub undefined: u64,
}

impl Slice {
    /// The length of all contours, in the unit of the points.
    pub fn perimeter(&self) -> f64 {
        let length = |contour: &Contour| -> f64 {
            let points = &contour.points;
            let next = points.iter().cycle().skip(1);
            let edges = points.iter().zip(next);
            edges.map(|(a, b)| (b[0] - a[0]).hypot(b[1] - a[1])).sum()
        };
        self.contours.iter().map(length).sum()
    }

    /// The area of the inside, in the square of the unit.
    pub fn area(&self) -> f64 {
        let areas = self.contours.iter().map(Contour::area);
        // The sum of nothing is -0.
        areas.fold(0.0, |all, one| all + one)
    }
}

/// A shape that is sliced; shared between threads.
pub struct Slicer {
    explorer: Explorer<f64>,
    gradient: Batch<f64>,
    slicing: Slicing,
    /// The samples on x and y, the first and last ones on the sides of the box.
    samples: [Vec<f64>; 2],
}

impl Slicer {
    /// Prepares a shape.
    ///
    /// # Errors
    /// [`Unsliceable`] if the cells are none or too small, or the function is too large.
    pub fn new(shape: &Shape<'_>, slicing: Slicing) -> Result<Slicer, Unsliceable> {
        let counts = slicing.cells()?;
        let code = shape.code(Rounding::Fast, &[shape.value()], |_, at| at);
        let settings = Settings::default();
        Ok(Slicer {
            explorer: Explorer::of(&code, settings)?,
            gradient: Batch::new(&code.with_gradient(&[0, 1]), 3, settings),
            slicing,
            samples: [0, 1].map(|axis| samples(&slicing.bounds, axis, counts[axis])),
        })
    }

    /// The contours at heights, in their order; there are none above and below the bounds.
    ///
    /// The work is done on rayon's threads, and what is found does not depend on them. `watch` is told of heights.
    ///
    /// # Errors
    /// [`Unsliceable::Height`], and [`Unsliceable::Cancelled`] if `watch` ended it.
    pub fn slice(&self, heights: &[f64], watch: &Watch<'_>) -> Result<Vec<Slice>, Unsliceable> {
        if let Some(&wrong) = heights.iter().find(|z| !z.is_finite()) {
            return Err(Unsliceable::Height(wrong));
        }
        let (done, points) = (AtomicU64::new(0), AtomicU64::new(0));
        let ended = AtomicBool::new(false);
        let total = heights.len() as u64;
        // Is asked within a slice too, which may take long.
        let ask = |_, _| {
            if watch(done.load(Ordering::Relaxed), total).is_break() {
                ended.store(true, Ordering::Relaxed);
            }
            let is_full = points.load(Ordering::Relaxed) > MOST_POINTS;
            if is_full || ended.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let slices: Result<Vec<Slice>, Cancelled> = heights
            .par_iter()
            .map(|&z| {
                let slice = self.one(z, &ask)?;
                done.fetch_add(1, Ordering::Relaxed);
                let own = slice.contours.iter().map(|one| one.points.len() as u64);
                points.fetch_add(own.sum(), Ordering::Relaxed);
                Ok(slice)
            })
            .collect();
        if ended.into_inner() {
            return Err(Cancelled.into());
        }
        if points.into_inner() > MOST_POINTS {
            return Err(Unsliceable::TooManyPoints);
        }
        Ok(slices?)
    }

    fn one(&self, z: f64, watch: &Watch<'_>) -> Result<Slice, Cancelled> {
        let (low, high) = (self.slicing.bounds.low()[2], self.slicing.bounds.high()[2]);
        if !(low..=high).contains(&z) {
            return Ok(Slice {
                z,
                contours: Vec::new(),
                undefined: 0,
            });
        }
        let axes = [0, 1].map(|input| Axis {
            input,
            samples: &self.samples[input],
            backwards: false,
        });
        let region = Region {
            axes: &axes,
            inputs: &[0.0, 0.0, z],
            sides: &SIDES,
            cells: Cells::Spaces,
        };
        let finder = || Finder::new(&self.samples, self.gradient.evaluator(), z);
        let found = self.explorer.explore(&region, finder, watch)?;
        let undefined = found.iter().map(|finder| finder.undefined).sum();
        let mut loops = trace::loops(found);
        let gradient = self.gradient.evaluator();
        refine::refine(&mut loops, &self.samples, &self.slicing, gradient, z);
        for points in &mut loops {
            refine::simplify(points, self.slicing.tolerance / 2.0);
        }
        loops.retain(|points| points.len() >= 3 && trace::area(points) != 0.0);
        Ok(Slice {
            z,
            contours: nest::nest(loops),
            undefined,
        })
    }
}

/// Samples along an axis, the first and last ones on the sides of the box.
fn samples(bounds: &Bounds, axis: usize, count: f64) -> Vec<f64> {
    /// How much closer to the low side the inner samples are than the middles of an even division: a number that no
    /// design has, so that sides at round places lie between samples.
    const SHIFT: f64 = 0.381_966_011_250_105;
    let (low, high) = (bounds.low()[axis], bounds.high()[axis]);
    let step = (high - low) / (count - 1.0);
    let inner = (1..count as usize).map(|place| low + (place as f64 - SHIFT) * step);
    let mut all = vec![low];
    all.extend(inner);
    all.push(high);
    all
}
