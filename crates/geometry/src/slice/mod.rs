//! Slices: contours of a shape at heights, by marching squares with refinement.
//!
//! The plane is evaluated on a grid, where the function's interval bounds do not exclude a contour. Each crossing of an
//! edge of the grid is found to many digits, corners between crossings are the intersections of their tangents, and
//! where the contour deviates from the segment between two points by more than the tolerance, points are inserted.
//! Everything beyond the bounds is outside, so every contour is closed. Where the function is exactly 0, or NaN, is
//! outside. Contours intersect neither each other nor themselves.
//!
//! ```
//! use fibula_core::eval::Tape;
//! use fibula_core::expression;
//! use fibula_geometry::{Bounds, Shape, Slicer, SliceSettings};
//! use fibula_core::graph::Document;
//! use std::ops::ControlFlow;
//!
//! let mut document = Document::default();
//! let tube = expression::add_function(&mut document, "Tube", "max(length(pos) - 5, 3 - length(pos))")?;
//! let tape = Tape::new(&document, tube)?;
//! let slicing = SliceSettings::new(Bounds::new([-6.0; 3], [6.0; 3])?, 0.1);
//! let slices = Slicer::new(&Shape::new(&tape)?, slicing)?.slice(&[0.0, 4.0], &|_, _| ControlFlow::Continue(()))?;
//! let depths: Vec<usize> = slices[0].contours.iter().map(|contour| contour.depth).collect();
//! assert_eq!(depths, [0, 1]);
//! assert!((slices[0].area() - std::f64::consts::PI * 16.0).abs() < 0.1);
//! assert_eq!(slices[1].contours.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod area_error;
mod marching_squares;
mod nesting;
mod polylines;
mod refine;
mod row_index;
mod simplify;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fibula_eval::prune::{Axis, Cells, Region};
use fibula_eval::{Rounding, Settings};
use fibula_knowledge::progress::Progress;
use rayon::prelude::*;

use super::explore::{ExploreError, Explorer};
use super::grid_axis::{FINEST, MAX_ALONG, division, samples};
use super::{Bounds, Cancelled, Sampler, Shape, Watch, short_that};
use crate::budget::Budget;
use marching_squares::{ContourVisitor, Crossing};
use polylines::Polylines;

/// Cells along an edge of the pruner's boxes.
const SIDES: [usize; 2] = [8 * marching_squares::SIDE, marching_squares::SIDE];
/// Maximum points of all slices, and of one slice before simplification.
const MAX_POINTS: u64 = 20_000_000;
/// Maximum cells of one slice.
const MAX_CELLS: f64 = (1_u64 << 30) as f64;

/// Bounds and resolution of slices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SliceSettings {
    /// Everything beyond is outside.
    pub bounds: Bounds,
    /// Longest edge of a cell of the grid, in the unit of the bounds: smaller details are lost.
    pub cell: f64,
    /// Maximum distance of a polygon from its contour, in the unit of the bounds; at least a ten-thousandth of the
    /// cell.
    pub tolerance: f64,
    /// Approximate number of points at which a slice is compared with the shape, for the error of its area; 0 for none.
    pub area_points: usize,
}

impl SliceSettings {
    /// Settings with cells no longer than `cell`, and a tenth of it as tolerance.
    pub fn new(bounds: Bounds, cell: f64) -> SliceSettings {
        SliceSettings {
            bounds,
            cell,
            tolerance: cell / 10.0,
            area_points: 0,
        }
    }

    /// Tolerance in effect.
    pub fn effective_tolerance(&self) -> f64 {
        self.tolerance.max(self.cell * 1e-4)
    }

    /// Step of finite differences: as small as rounding allows.
    fn aside(&self) -> f64 {
        let near = self.cell / 65_536.0;
        near.max(self.bounds.reach() * 0.5_f64.powi(36))
            .min(self.cell / 4.0)
    }

    /// Returns about the least cell size with which there are not too many cells and all samples differ.
    fn least_cell(&self) -> f64 {
        let [x, y, _] = self.bounds.size();
        let least = [
            (x / MAX_CELLS).sqrt() * y.sqrt(),
            x.max(y) / MAX_ALONG,
            self.bounds.reach() / FINEST,
        ];
        let passes =
            |cell: f64| is_moderate(self.counts(cell)) && self.bounds.reach() / cell <= FINEST;
        short_that(1.02 * least.into_iter().fold(0.0, f64::max), passes)
    }

    fn counts(&self, cell: f64) -> [f64; 2] {
        let [x, y, _] = self.bounds.size();
        [x, y].map(|size| division(size, cell).0)
    }

    /// Numbers of cells along x and y.
    ///
    /// # Errors
    /// [`SliceError`] if the cell or the tolerance is not positive, or the cell is too small.
    pub fn cells(&self) -> Result<[f64; 2], SliceError> {
        for (what, size) in [("cell", self.cell), ("tolerance", self.tolerance)] {
            if !(size.is_finite() && size > 0.0) {
                return Err(SliceError::Size { what, size });
            }
        }
        let counts = self.counts(self.cell);
        let cells = counts[0] * counts[1];
        if !is_moderate(counts) {
            return Err(SliceError::TooManyCells {
                cell: self.cell,
                cells,
                passes: self.least_cell(),
            });
        }
        let reach = self.bounds.reach();
        if reach / self.cell > FINEST {
            return Err(SliceError::TooFar {
                cell: self.cell,
                reach,
            });
        }
        Ok(counts)
    }
}

/// Error returned when a shape cannot be sliced.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SliceError {
    /// The function cannot be explored.
    #[error(transparent)]
    Explore(#[from] ExploreError),
    /// A size is not positive.
    #[error(
        "the {what} must be a length above 0, but is {size}; start with a hundredth of the part's size for cells, and \
         a tenth of that for the tolerance"
    )]
    Size {
        /// Name of the size.
        what: &'static str,
        /// The size.
        size: f64,
    },
    /// The cells are too small.
    #[error(
        "a cell size of {cell} divides a slice into {cells:.0e} cells; the limits are {MAX_CELLS:.0e}, and \
         {MAX_ALONG:.0e} along a side; use a cell size of {passes} or more"
    )]
    TooManyCells {
        /// The cell size.
        cell: f64,
        /// Number of cells.
        cells: f64,
        /// A cell size that passes.
        passes: f64,
    },
    /// Neighbouring samples would coincide.
    #[error(
        "a cell size of {cell} is below the precision of coordinates at a distance of {reach} from the origin; move \
         the shape closer or use larger cells"
    )]
    TooFar {
        /// The cell size.
        cell: f64,
        /// Maximum magnitude of a coordinate.
        reach: f64,
    },
    /// The contours have too many points.
    #[error(
        "the slices, or one of them before simplification, have more than {MAX_POINTS} points; use a larger tolerance, \
         larger cells or fewer slices"
    )]
    TooManyPoints,
    /// A height is not finite.
    #[error("heights must be finite numbers, but one is {0}")]
    Height(f64),
    /// The watch cancelled the work.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// A closed polygon around material or a hole.
#[derive(Debug, Clone, PartialEq)]
pub struct Contour {
    /// Vertices: the inside is to the left, so outer contours are counterclockwise and holes clockwise. The first
    /// vertex is not repeated.
    pub points: Vec<[f64; 2]>,
    /// Index of the contour directly around it.
    pub parent: Option<usize>,
    /// Number of contours around it; odd for holes.
    pub depth: usize,
}

impl Contour {
    /// Enclosed area, in the square of the unit; negative for holes.
    pub fn area(&self) -> f64 {
        polylines::area(&self.points)
    }
}

/// The contours at one height, each after those around it.
#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    /// Height.
    pub z: f64,
    /// The contours.
    pub contours: Vec<Contour>,
    /// Error of the area, if points for it were asked for: larger than the true one with a probability of 999 in 1000.
    pub area_error: Option<f64>,
    /// Number of samples at which the function is NaN; they count as outside.
    pub undefined: u64,
}

impl Slice {
    /// Length of all contours, in the unit of the points.
    pub fn perimeter(&self) -> f64 {
        let length = |contour: &Contour| -> f64 {
            let points = &contour.points;
            let next = points.iter().cycle().skip(1);
            let edges = points.iter().zip(next);
            edges.map(|(a, b)| (b[0] - a[0]).hypot(b[1] - a[1])).sum()
        };
        self.contours.iter().map(length).sum()
    }

    /// Area of the inside, in the square of the unit.
    pub fn area(&self) -> f64 {
        let areas = self.contours.iter().map(Contour::area);
        // The sum of nothing is -0.
        areas.fold(0.0, |all, one| all + one)
    }
}

/// A point of the plane, or a direction.
type Point = [f64; 2];

/// The plane in which contours are searched.
#[derive(Debug)]
struct SlicePlane<'a> {
    /// Samples of the grid on x and y, the first and last ones on the sides of the box.
    samples: [&'a [f64]; 2],
    /// Maximum distance of a polygon from its contour.
    tolerance: f64,
    /// Step of finite differences.
    aside: f64,
    /// Distance within which a point is on a side of the box.
    close: f64,
}

impl SlicePlane<'_> {
    /// True if both ends of a segment are on one side of the box, where the contour follows it and not the function.
    fn is_on_side(&self, a: Point, b: Point) -> bool {
        (0..2).any(|axis| {
            let samples = self.samples[axis];
            let sides = [samples[0], samples[samples.len() - 1]];
            let is_on = |side: f64, at: Point| (at[axis] - side).abs() < self.close;
            sides.iter().any(|&side| is_on(side, a) && is_on(side, b))
        })
    }

    /// True if a contour may deviate from the segment between two crossings: an arc deviates by a quarter of what its
    /// tangents do; unknown tangents may deviate by more.
    fn is_bent(&self, [from, to]: [Crossing; 2]) -> bool {
        let along = [to.at[0] - from.at[0], to.at[1] - from.at[1]];
        [from.normal, to.normal].into_iter().any(|[x, y]| {
            let is_unknown = x == 0.0 && y == 0.0;
            is_unknown || (x * along[0] + y * along[1]).abs() > self.tolerance
        })
    }
}

/// A shape prepared for slices; shared between threads.
pub struct Slicer {
    explorer: Explorer<f64>,
    /// The function, for the error of areas.
    sampler: Sampler<f64>,
    slicing: SliceSettings,
    /// Samples on x and y, the first and last ones on the sides of the box.
    samples: [Vec<f64>; 2],
    most_points: u64,
}

impl Slicer {
    /// Prepares a shape.
    ///
    /// # Errors
    /// [`SliceError`] if the cells are not positive or too small, or the function is too large.
    pub fn new(shape: &Shape<'_>, slicing: SliceSettings) -> Result<Slicer, SliceError> {
        slicing.cells()?;
        let code = shape.code(Rounding::Fast, &[shape.value()], |_, at| at);
        let settings = Settings::default();
        Ok(Slicer {
            explorer: Explorer::from_code(&code, settings)?,
            sampler: Sampler::from_code(&code, settings),
            slicing,
            samples: [0, 1].map(|axis| samples(&slicing.bounds, axis, slicing.cell)),
            most_points: MAX_POINTS,
        })
    }

    /// Returns the contours at heights, in their order; none above and below the bounds.
    ///
    /// Works on rayon's threads; the result does not depend on them. Calls `watch` with heights.
    ///
    /// # Errors
    /// [`SliceError::Height`], [`SliceError::TooManyPoints`], and [`SliceError::Cancelled`] if `watch` cancelled it.
    pub fn slice(&self, heights: &[f64], watch: &Watch<'_>) -> Result<Vec<Slice>, SliceError> {
        if let Some(&wrong) = heights.iter().find(|z| !z.is_finite()) {
            return Err(SliceError::Height(wrong));
        }
        let progress = Progress::new(heights.len() as u64, watch);
        let (points, full) = (AtomicU64::new(0), AtomicBool::new(false));
        // Also called within a slice, which may take long.
        let ask = |_, _| {
            progress.add(0);
            if full.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                progress.flow()
            }
        };
        let slices: Result<Vec<Slice>, Cancelled> = heights
            .par_iter()
            .map(|&z| {
                let budget = Budget::new(self.most_points);
                let slice = self.one(z, &budget, &ask);
                if budget.is_exceeded() {
                    full.store(true, Ordering::Relaxed);
                }
                let slice = slice?;
                progress.add(1);
                let own = slice.contours.iter().map(|one| one.points.len() as u64);
                let own: u64 = own.sum();
                if points.fetch_add(own, Ordering::Relaxed) + own > self.most_points {
                    full.store(true, Ordering::Relaxed);
                }
                Ok(slice)
            })
            .collect();
        progress.finish(())?;
        if full.into_inner() {
            return Err(SliceError::TooManyPoints);
        }
        Ok(slices?)
    }

    /// Returns the contours at a height; also cancelled if the budget is exceeded.
    fn one(&self, z: f64, budget: &Budget, watch: &Watch<'_>) -> Result<Slice, Cancelled> {
        let (low, high) = (self.slicing.bounds.low()[2], self.slicing.bounds.high()[2]);
        if !(low..=high).contains(&z) {
            return Ok(Slice {
                z,
                contours: Vec::new(),
                area_error: (self.slicing.area_points > 0).then_some(0.0),
                undefined: 0,
            });
        }
        let axes = [0, 1].map(|input| Axis::new(input, &self.samples[input]));
        let region = Region {
            axes: &axes,
            inputs: &[0.0, 0.0, z],
            sides: &SIDES,
            cells: Cells::Spaces,
        };
        let plane = SlicePlane {
            samples: [&self.samples[0], &self.samples[1]],
            tolerance: self.slicing.effective_tolerance(),
            aside: self.slicing.aside(),
            close: self.slicing.cell * 1e-6,
        };
        let found =
            self.explorer
                .explore(&region, || ContourVisitor::new(&plane, budget), watch)?;
        if budget.is_exceeded() {
            return Err(Cancelled);
        }
        let undefined = found.iter().map(|finder| finder.undefined).sum();
        let mut lines = Vec::with_capacity(found.len());
        let mut boxes = Vec::new();
        for finder in found {
            lines.push(finder.lines);
            boxes.extend(finder.boxes);
        }
        let tolerance = self.slicing.effective_tolerance() / 2.0;
        let lines = Polylines::loops(lines);
        let area_error = match self.slicing.area_points {
            0 => None,
            points => {
                let sampled = area_error::SampledPlane {
                    sampler: &self.sampler,
                    z,
                    boxes: &boxes,
                };
                let lines: Vec<&[Point]> = lines.iter().map(|line| &*line.points).collect();
                Some(sampled.area_error(&lines, points, watch)?)
            }
        };
        let found: f64 = lines.iter().map(|line| polylines::area(&line.points)).sum();
        let mut loops = simplify::simplify(lines, tolerance, watch)?;
        loops.retain(|points| points.len() >= 3 && polylines::area(points) != 0.0);
        let kept: f64 = loops.iter().map(|points| polylines::area(points)).sum();
        // Simplified contours may leave the boxes that have points.
        let area_error = area_error.map(|error| error + (kept - found).abs());
        Ok(Slice {
            z,
            contours: nesting::nest(loops),
            area_error,
            undefined,
        })
    }
}

/// True if the numbers of cells along both sides are not too large.
fn is_moderate([along, across]: [f64; 2]) -> bool {
    along * across <= MAX_CELLS && along.max(across) <= MAX_ALONG
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::tape;

    fn with<T>(text: &str, slicing: SliceSettings, then: impl FnOnce(Slicer) -> T) -> T {
        let tape = tape(text);
        then(Slicer::new(&Shape::new(&tape).unwrap(), slicing).unwrap())
    }

    #[test]
    fn what_has_too_many_points_is_not_looked_at_to_its_end() {
        const ON: &Watch<'_> = &|_, _| ControlFlow::Continue(());
        const MOST: u64 = 1_000;
        let bounds = Bounds::new([-10.0; 3], [10.0; 3]).unwrap();
        let noise = "sin(x * 1000 + y * 1717) * cos(y * 1300 - x * 777)";
        // Points are counted while crossings are found, and while points are inserted.
        for (text, cell, tolerance) in [(noise, 0.05, 0.005), ("length(pos) - 9", 0.2, 1e-5)] {
            let slicing = SliceSettings {
                tolerance,
                ..SliceSettings::new(bounds, cell)
            };
            with(text, slicing, |mut slicer| {
                let all = Budget::new(u64::MAX);
                slicer.one(0.0, &all, ON).unwrap();
                assert!(all.count() > 2 * MOST, "{} of {text}", all.count());
                let few = Budget::new(MOST);
                assert!(slicer.one(0.0, &few, ON).is_err());
                // Every thread completes its leaf, and a round of insertions is completed.
                assert!(few.count() < all.count(), "{} of {text}", few.count());
                slicer.most_points = MOST;
                let refused = slicer.slice(&[0.0], ON).unwrap_err();
                assert_eq!(refused, SliceError::TooManyPoints);
            });
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_size_that_is_said_to_pass_does(
            powers in prop::array::uniform3(-9.0..4.0_f64),
            off in prop_oneof![Just(0.0), 0.0..1e3],
        ) {
            let size = powers.map(|power| 10_f64.powf(power));
            let bounds = Bounds::new([off; 3], size.map(|size| off + size));
            prop_assume!(bounds.is_ok());
            let slicing = |cell: f64| SliceSettings::new(bounds.unwrap(), cell);
            let Err(SliceError::TooManyCells { passes, .. }) = slicing(1e-18).cells() else {
                panic!("a nanometre of a nanometre is too fine");
            };
            prop_assert!(slicing(passes).cells().is_ok(), "{passes}");
            prop_assert!(slicing(passes / 1.6).cells().is_err(), "{passes}");
        }
    }
}
