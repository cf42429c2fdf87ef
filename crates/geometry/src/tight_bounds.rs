//! Tight bounds: moves the sides of a box that surely contains a shape to the shape.
//!
//! A side is moved by bisection: a slab between the side and a plane is given up if interval arithmetic proves that
//! nothing of the shape is in it. A side that is almost at a round number is moved onto it, if that is proven too. The
//! box therefore contains the shape as surely as before.

use fibula_core::vector::sub;
use fibula_eval::PointEvaluator;
use fibula_eval::prune::IntervalBatch;
use fibula_knowledge::progress::{Cancelled, Watch};

use super::bounding_box::{BoundsSearch, sides};
use super::bounds::Bounds;
use super::shape::Shape;

/// Distance that a side moves at most, as a fraction of the size.
const RANGE: f64 = 0.02;
/// Bisections of that distance: to a millionth of the size.
const STEPS: i32 = 14;
/// Digits of the round numbers that are tried, of the size.
const DIGITS: [i32; 4] = [2, 3, 4, 5];
/// Distance of a round number, as a fraction of the size.
const NEAR: f64 = 1e-4;
/// Distance from a round number that need not be proven empty, as a fraction of the size: the surface is there.
pub(super) const TOUCHING: f64 = 1e-12;
/// Operations that one proof may take, and boxes that it takes at least and at most.
const OPERATIONS: usize = 2_000_000;
const BOXES: [usize; 2] = [64, 4_096];
/// Ratio of edges above which the longest one of a box is bisected.
const SLENDER: f64 = 256.0;

/// Returns the box around a shape, given one that contains it and is a few percent larger, such as that of
/// [`find_bounds`](crate::find_bounds). Calls `watch` with the steps done and their total; it may cancel the work.
///
/// # Errors
/// [`Cancelled`] if `watch` cancelled it.
pub fn tight_bounds(
    shape: &Shape<'_>,
    around: &Bounds,
    watch: &Watch<'_>,
) -> Result<Bounds, Cancelled> {
    let range = around.size().map(|size| RANGE * size);
    let inner = [
        std::array::from_fn(|axis| around.low()[axis] + range[axis]),
        std::array::from_fn(|axis| around.high()[axis] - range[axis]),
    ];
    proven_bounds(shape, around, inner, watch)
}

/// Returns a box that surely contains what a box `around` contains of a shape, whose sides are moved to those of
/// `inner` at most. Calls `watch` with the steps done and their total; it may cancel the work.
///
/// # Errors
/// [`Cancelled`] if `watch` cancelled it.
pub(super) fn proven_bounds(
    shape: &Shape<'_>,
    around: &Bounds,
    inner: [[f64; 3]; 2],
    watch: &Watch<'_>,
) -> Result<Bounds, Cancelled> {
    let mut search = BoundsSearch::new(shape);
    let point = search.point();
    let mut function = point.evaluator();
    let most = (OPERATIONS / shape.cost().max(1)).clamp(BOXES[0], BOXES[1]);
    let (mut low, mut high) = (around.low(), around.high());
    for side in 0..6 {
        if watch(side, 6).is_break() {
            return Err(Cancelled);
        }
        let (axis, is_high) = (side as usize / 2, side % 2 == 1);
        let size = high[axis] - low[axis];
        let end = if is_high { high[axis] } else { low[axis] };
        let sign = if is_high { 1.0 } else { -1.0 };
        // Nothing of the shape is beyond the plane.
        let mut is_empty = |plane: f64, end: f64| {
            let (mut from, mut to) = (low, high);
            (from[axis], to[axis]) = (plane.min(end), plane.max(end));
            search.is_empty(&mut function, from, to, most)
        };
        let range = sign * (end - inner[usize::from(is_high)][axis]);
        let (mut proven, mut open) = (0.0, range);
        while open - proven > RANGE * size * 0.5_f64.powi(STEPS) {
            let middle = f64::midpoint(proven, open);
            if is_empty(end - sign * middle, end) {
                proven = middle;
            } else {
                open = middle;
            }
        }
        let mut place = end - sign * proven;
        for digits in DIGITS {
            let step = 10_f64.powi(size.log10().floor() as i32 + 1 - digits);
            let text = format!("{:.*}", decimals(step), (place / step).round() * step);
            let Ok(round) = text.parse::<f64>() else {
                break;
            };
            let inwards = sign * (place - round);
            if (0.0..NEAR * size).contains(&inwards)
                && is_empty(round + sign * TOUCHING * size, place)
            {
                place = round + 0.0;
                break;
            }
        }
        if is_high {
            high[axis] = place;
        } else {
            low[axis] = place;
        }
    }
    Ok(Bounds::new(low, high).unwrap_or(*around))
}

/// Number of decimals of a power of ten.
fn decimals(step: f64) -> usize {
    (-step.log10().round()).clamp(0.0, 300.0) as usize
}

impl BoundsSearch {
    /// True if it is proven, with so many boxes at most, that a box holds nothing of the shape.
    fn is_empty(
        &mut self,
        function: &mut PointEvaluator<'_>,
        low: [f64; 3],
        high: [f64; 3],
        most: usize,
    ) -> bool {
        let (mut open, mut holding) = (vec![(low, high)], Vec::new());
        let (mut count, mut value) = (0, [0.0]);
        while !open.is_empty() {
            let from = open.len().saturating_sub(IntervalBatch::<f64>::MOST);
            let some = open.split_off(from);
            count += some.len();
            let boxes: Vec<_> = some.iter().map(|&(low, high)| sides(low, high)).collect();
            self.may_hold(&boxes, &mut holding);
            for ((low, high), _) in some.iter().zip(&holding).filter(|(_, holds)| **holds) {
                let middle: [f64; 3] =
                    std::array::from_fn(|axis| f64::midpoint(low[axis], high[axis]));
                function.run(&middle, &mut value);
                if count > most || value[0] <= 0.0 {
                    return false;
                }
                let axis = smear_axis(function, *low, *high, value[0]);
                let (mut first, mut second) = (*high, *low);
                (first[axis], second[axis]) = (middle[axis], middle[axis]);
                open.push((*low, first));
                open.push((second, *high));
            }
        }
        true
    }
}

/// Returns the axis along which a box is bisected: that along which the function changes most between the middle, where it
/// has `value`, and the sides (the rule of maximal smear), or the longest one of a slender box.
fn smear_axis(
    function: &mut PointEvaluator<'_>,
    low: [f64; 3],
    high: [f64; 3],
    value: f64,
) -> usize {
    let edges = sub(high, low);
    let largest = |of: [f64; 3]| {
        let axis = (0..3).max_by(|&a, &b| of[a].total_cmp(&of[b]));
        axis.expect("there are three")
    };
    let longest = largest(edges);
    let mut changes = [0.0; 3];
    for axis in 0..3 {
        for end in [low[axis], high[axis]] {
            let mut at: [f64; 3] = std::array::from_fn(|axis| f64::midpoint(low[axis], high[axis]));
            at[axis] = end;
            let mut beside = [0.0];
            function.run(&at, &mut beside);
            changes[axis] = (beside[0] - value).abs().max(changes[axis]);
        }
    }
    let axis = largest(changes);
    if changes[axis] > 0.0 && edges[longest] <= SLENDER * edges[axis] {
        axis
    } else {
        longest
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::search_bounds;
    use crate::testing::tape;

    /// Checks the corners of the tight bounds of an expression, up to a fraction of their size.
    fn check(text: &str, low: [f64; 3], high: [f64; 3], tolerance: f64) {
        let watch = |_, _| ControlFlow::Continue(());
        let tape = tape(text);
        let shape = Shape::new(&tape).unwrap();
        let around = search_bounds(&shape, &watch).unwrap();
        let found = tight_bounds(&shape, &around, &watch).unwrap();
        for axis in 0..3 {
            let tolerance = tolerance * (high[axis] - low[axis]);
            let (below, above) = (
                low[axis] - found.low()[axis],
                found.high()[axis] - high[axis],
            );
            for gap in [below, above] {
                assert!((0.0..=tolerance).contains(&gap), "{text}: {found:?}");
            }
        }
    }

    #[test]
    fn sides_are_at_the_shape() {
        check("length(pos) - 5", [-5.0; 3], [5.0; 3], 0.0);
        check(
            "max(max(abs(x - 7) - 3, abs(y) - 0.05), abs(z + 4000) - 900)",
            [4.0, -0.05, -4900.0],
            [10.0, 0.05, -3100.0],
            0.0,
        );
        check(
            "length(pos - vec3(1, 2, 3)) - sqrt(2)",
            [1.0, 2.0, 3.0].map(|x: f64| x - 2.0_f64.sqrt()),
            [1.0, 2.0, 3.0].map(|x: f64| x + 2.0_f64.sqrt()),
            2e-6,
        );
        let half = 6.0 * 2.0_f64.sqrt();
        check(
            "max(max(abs(x + y) - 6, abs(x - y) - 6), abs(z) - 1)",
            [-6.0, -6.0, -1.0],
            [6.0, 6.0, 1.0],
            half * 1e-4,
        );
        let [sine, cosine] = [0.3_f64.sin(), 0.3_f64.cos()];
        let corner = [5.0 * cosine + 2.5 * sine, 5.0 * sine + 2.5 * cosine, 1.5];
        check(
            &format!(
                "max(max(abs({cosine} * x + {sine} * y) - 5, abs({cosine} * y - {sine} * x) - 2.5), abs(z) - 1.5)"
            ),
            corner.map(|side| -side),
            corner,
            1e-5,
        );
    }

    #[test]
    fn a_search_can_be_ended() {
        let tape = tape("length(pos) - 5");
        let shape = Shape::new(&tape).unwrap();
        let around = Bounds::new([-6.0; 3], [6.0; 3]).unwrap();
        let ended = tight_bounds(&shape, &around, &|_, _| ControlFlow::Break(()));
        assert_eq!(ended, Err(Cancelled));
    }
}
