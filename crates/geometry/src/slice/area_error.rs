//! Error of a slice's area, by random points.
//!
//! Points are inside of the function or not, and inside of the contours or not: those that differ estimate the area between
//! both. Where interval bounds exclude a contour there is none, so only the other boxes have points; contours before their
//! simplification do not leave them. The points are stratified: the tails of the number of those that differ are below those of
//! the Poisson distribution, by whose limits the error is bounded. With k points that differ, the expected number is below
//! k + 3.1 √k + 7 with a probability of 999 in 1000.

use fibula_knowledge::progress::{Cancelled, Watch};
use rayon::prelude::*;

use super::Point;
use super::row_index::{Rows, Segment, passes, segments};
use crate::Sampler;
use crate::split_mix::random;

/// Upper limit of a Poisson distribution's mean with a probability of 999 in 1000: this many more than the number found, and
/// this many of its square roots.
const MORE: f64 = 7.0;
const ROOTS: f64 = 3.1;
/// Range of the number of points along a side of a box.
const ALONG: [f64; 2] = [2.0, 128.0];

/// A plane in which a function is compared with contours.
pub(super) struct SampledPlane<'a> {
    pub(super) sampler: &'a Sampler<f64>,
    /// Height of the plane.
    pub(super) z: f64,
    /// Boxes that may have a contour.
    pub(super) boxes: &'a [[Point; 2]],
}

impl SampledPlane<'_> {
    /// Returns the error of the area within contours, by about so many points.
    ///
    /// # Errors
    /// [`Cancelled`] if the watch cancelled it.
    pub(super) fn area_error(
        &self,
        contours: &[&[Point]],
        points: usize,
        watch: &Watch<'_>,
    ) -> Result<f64, Cancelled> {
        let each = (points as f64 / self.boxes.len().max(1) as f64).sqrt();
        let along = each.ceil().clamp(ALONG[0], ALONG[1]);
        let count = (along * along) as usize;
        let total = count * self.boxes.len();
        let at = |index: usize| {
            let [low, high] = self.boxes[index / count];
            let place = (index % count) as f64;
            let cell = [place % along, (place / along).floor()];
            [0, 1].map(|axis| {
                let share = (cell[axis] + random((2 * index + axis) as u64)) / along;
                low[axis] + (high[axis] - low[axis]) * share
            })
        };
        let samples: Vec<Point> = (0..total).into_par_iter().map(at).collect();
        let inputs = [0, 1].map(|axis| samples.iter().map(|at| at[axis]).collect::<Vec<f64>>());
        let height = vec![self.z; total];
        let mut values = vec![0.0; total];
        self.sampler.points(
            &[&inputs[0], &inputs[1], &height],
            &mut [&mut values[..]],
            watch,
        )?;
        let interior = ContourInterior::new(contours);
        let differing = samples.par_iter().zip(&values).enumerate();
        let differing =
            differing.filter(|(_, (at, value))| (**value < 0.0) != interior.contains(**at));
        let differing: Vec<usize> = differing.map(|(index, _)| index / count).collect();
        // Area for which each point of a box stands.
        let weight = |own: usize| {
            let [low, high] = self.boxes[own];
            (high[0] - low[0]) * (high[1] - low[1]) / count as f64
        };
        let largest = (0..self.boxes.len()).map(weight).fold(0.0, f64::max);
        let (mut sum, mut squares) = (0.0, 0.0);
        for own in differing {
            let weight = weight(own);
            sum += weight;
            squares += weight * weight;
        }
        Ok(sum + ROOTS * f64::sqrt(squares) + MORE * largest)
    }
}

/// Interior of contours, whose segments are found by height.
struct ContourInterior {
    rows: Rows,
    segments: Vec<Segment>,
    low: f64,
    high: f64,
}

impl ContourInterior {
    fn new(contours: &[&[Point]]) -> ContourInterior {
        let segments: Vec<Segment> = contours
            .iter()
            .flat_map(|points| segments(points))
            .collect();
        let heights = || segments.iter().map(|[a, _]| a[1]);
        ContourInterior {
            low: heights().fold(f64::INFINITY, f64::min),
            high: heights().fold(f64::NEG_INFINITY, f64::max),
            rows: Rows::new(&segments),
            segments,
        }
    }

    /// True if a point is inside: an odd number of segments is to the left of it.
    fn contains(&self, [x, y]: Point) -> bool {
        if !(self.low <= y && y <= self.high) {
            return false;
        }
        let own = self.rows.at(y).iter();
        let crossed = own.filter_map(|side| passes(self.segments[*side as usize], y));
        crossed.filter(|place| *place <= x).count() % 2 == 1
    }
}
