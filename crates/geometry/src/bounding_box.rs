//! Bounding-box search: a box that surely contains a shape.
//!
//! Each side is found by branch and bound with interval arithmetic (Moore, Kearfott and Cloud, "Introduction to
//! Interval Analysis", 2009): boxes are bisected, the outermost first, until one that may hold material is small.
//! Intervals contain every value in a box, so nothing is missed. Where a side is flat, tens of thousands of boxes lie
//! along it. A box is therefore bisected in the direction of the search as long as its outer half proves to be empty, and
//! across it otherwise; after a while, along its longest edge. The longer a search takes, the more of the outermost boxes are
//! bounded at once. Unless too many boxes are needed, the result depends on neither, since the smallest boxes are the same.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use fibula_eval::prune::{IntervalBatch, Tape};
use fibula_eval::{Code, Interval, IntervalEvaluator, Point, Rounding, Settings};
use fibula_knowledge::progress::{Cancelled, Watch};

use super::bounds::Bounds;
use super::shape::Shape;

/// Distance of a side of the box from the shape, as a fraction of the box's size.
const TIGHT: f64 = 0.005;
/// Size of the smallest boxes at first, as a fraction: coarse, until the box is about as large as the shape.
const COARSE: f64 = 0.1;
/// Maximum boxes that are bounded for one side.
const MAX_BOXES: usize = 200_000;
/// Number of boxes after which boxes are bisected along their longest edge: where a function depends on several coordinates at once,
/// flat boxes prove nothing.
const TRIAL: usize = 8192;
/// Boxes between two calls of the watch.
const PERIOD: usize = 256;
/// The number bounded at once grows by one per so many boxes: few of those are needless.
const BOXES_PER_BATCH_BOX: usize = 4;
/// Fewer boxes than this are bounded one after the other, which is faster.
const FEW: usize = 4;
/// Half of the edge of the cube that is searched if no box is given; smaller ones if nothing is known far away.
const FARTHEST: f64 = 100_000.0;
const NEARER: [f64; 4] = [10_000.0, 1_000.0, 100.0, 10.0];

/// Error returned when no box is known to contain a shape.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum BoundsError {
    /// The box contains no material.
    #[error(
        "the shape is empty in the box from {:?} to {:?}: the function is nowhere below 0 there; use another box, or \
         negate the function",
        six_digits(.0.low()), six_digits(.0.high())
    )]
    Empty(Bounds),
    /// There is material on the sides of the box.
    #[error(
        "the shape extends beyond the box from {:?} to {:?}; give bounds for the part to use, or intersect it with a \
         box",
        six_digits(.0.low()), six_digits(.0.high())
    )]
    Unbounded(Bounds),
    /// Nothing is known about the sides of the box.
    #[error(
        "cannot determine whether the shape ends within the box from {:?} to {:?}: on its faces the function may be \
         undefined or below 0; give bounds",
        six_digits(.0.low()), six_digits(.0.high())
    )]
    Unknown(Bounds),
    /// The watch cancelled the search.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// A corner with six digits of each number, for messages.
fn six_digits(corner: [f64; 3]) -> [f64; 3] {
    corner.map(|number| format!("{number:.5e}").parse().unwrap_or(number))
}

impl BoundsError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            BoundsError::Empty(_) => "empty_shape",
            BoundsError::Unbounded(_) | BoundsError::Unknown(_) => "unbounded_shape",
            BoundsError::Cancelled(_) => "cancelled",
        }
    }
}

/// Returns a box that contains all of a shape that is in another box, tight to about 1 % of its size.
///
/// Where the function may be undefined there may be material. Calls `watch` with the steps done and their total; it may
/// cancel the search. Takes time proportional to the operations of the function: some milliseconds for a hundred.
///
/// # Errors
/// [`BoundsError`]: the box contains nothing, or the shape does not end in it.
pub fn find_bounds(
    shape: &Shape<'_>,
    within: &Bounds,
    watch: &Watch<'_>,
) -> Result<Bounds, BoundsError> {
    /// Maximum rounds in which the box shrinks: to a billionth and less.
    const ROUNDS: u64 = 16;
    let mut search = BoundsSearch::new(shape);
    let (mut low, mut high) = (within.low(), within.high());
    let mut shrink =
        |low: &mut [f64; 3], high: &mut [f64; 3], round: u64, tight: f64, margin: f64| {
            let size: [f64; 3] = std::array::from_fn(|axis| high[axis] - low[axis]);
            for side in 0..6 {
                let report = || watch((round * 6 + side).min(ROUNDS * 6 - 1), ROUNDS * 6);
                let (axis, is_high) = (side as usize / 2, side % 2 == 1);
                let end = search.side(*low, *high, axis, is_high, tight, &report)?;
                let end = end.ok_or(BoundsError::Empty(*within))?;
                if is_high {
                    high[axis] = (end + margin * size[axis]).min(high[axis]);
                } else {
                    low[axis] = (end - margin * size[axis]).max(low[axis]);
                }
            }
            Ok::<_, BoundsError>((0..3).any(|axis| high[axis] - low[axis] < 0.7 * size[axis]))
        };
    for round in 0..ROUNDS {
        let before = (low, high);
        if !shrink(&mut low, &mut high, round, COARSE, 1e-6)? {
            (low, high) = before;
            break;
        }
    }
    // Where bounds of the function are wide, only small boxes are surely outside: again, as long as that shrinks the box.
    for _ in 0..ROUNDS {
        if !shrink(&mut low, &mut high, ROUNDS, TIGHT, 0.0)? {
            break;
        }
    }
    let touches =
        (0..3).any(|axis| low[axis] <= within.low()[axis] || high[axis] >= within.high()[axis]);
    if touches {
        return Err(search.beyond(within));
    }
    Bounds::new(low, high).map_err(|_| BoundsError::Unknown(*within))
}

/// Returns a box that contains all of a shape, searched up to a hundred thousand units from the origin.
///
/// If the function overflows far away, space beyond that counts as outside.
///
/// # Errors
/// As [`find_bounds`].
pub fn search_bounds(shape: &Shape<'_>, watch: &Watch<'_>) -> Result<Bounds, BoundsError> {
    let widest = find_bounds(shape, &cube(FARTHEST), watch);
    let Err(BoundsError::Unknown(_)) = widest else {
        return widest;
    };
    for half in NEARER {
        match find_bounds(shape, &cube(half), watch) {
            Err(BoundsError::Unknown(_)) => {}
            Err(BoundsError::Empty(_)) => break,
            found => return found,
        }
    }
    widest
}

fn cube(half: f64) -> Bounds {
    Bounds::new([-half; 3], [half; 3]).expect("the constants above are finite and above 0")
}

/// Searches for the extremes of a shape along the axes.
pub(super) struct BoundsSearch {
    code: Arc<Code>,
    intervals: IntervalEvaluator<f64>,
    /// Bounds many boxes at once; `None` for functions that keep too many values for that.
    boxes: Option<IntervalBatch<f64>>,
}

/// A box that may hold material.
struct SearchBox {
    low: [f64; 3],
    high: [f64; 3],
    /// Extent in the direction of the search.
    reach: f64,
    /// Longest edge, as a fraction of that of the whole.
    size: f64,
    /// True for the outer half of a box that was bisected in the direction of the search.
    is_outer_half: bool,
}

/// The intervals of a box.
pub(super) fn sides(low: [f64; 3], high: [f64; 3]) -> [Interval<f64>; 3] {
    std::array::from_fn(|axis| Interval::new(low[axis], high[axis]))
}

impl BoundsSearch {
    pub(super) fn new(shape: &Shape<'_>) -> BoundsSearch {
        let code = shape.code(Rounding::Exact, &[shape.value()], |_, place| place);
        let set = Settings::default().instructions;
        BoundsSearch {
            intervals: IntervalEvaluator::new(Arc::clone(&code)),
            boxes: Tape::new(&code).map(|tape| IntervalBatch::new(tape, set)),
            code,
        }
    }

    /// Returns an upper bound of the shape's extent in a direction, tight to a fraction of the box's size; `None`
    /// without material.
    fn side(
        &mut self,
        low: [f64; 3],
        high: [f64; 3],
        axis: usize,
        is_high: bool,
        tight: f64,
        report: &dyn Fn() -> std::ops::ControlFlow<()>,
    ) -> Result<Option<f64>, Cancelled> {
        let whole: [f64; 3] = std::array::from_fn(|axis| high[axis] - low[axis]);
        let part = |low: [f64; 3], high: [f64; 3], is_outer_half| SearchBox {
            is_outer_half,
            reach: if is_high { high[axis] } else { -low[axis] },
            size: (0..3)
                .map(|axis| (high[axis] - low[axis]) / whole[axis])
                .fold(0.0, f64::max),
            low,
            high,
        };
        let mut heap = BinaryHeap::from([part(low, high, false)]);
        let (mut outermost, mut boxes, mut holding) = (Vec::new(), Vec::new(), Vec::new());
        let mut found: Option<f64> = None;
        let (mut count, mut asked) = (0, 0);
        loop {
            if count >= asked {
                asked = count + PERIOD;
                if report().is_break() {
                    return Err(Cancelled);
                }
            }
            outermost.clear();
            boxes.clear();
            while outermost.len()
                < (count / BOXES_PER_BATCH_BOX).clamp(1, IntervalBatch::<f64>::MOST)
            {
                let is_farther = |part: &SearchBox| found.is_none_or(|found| part.reach > found);
                let Some(part) = heap.pop().filter(is_farther) else {
                    break;
                };
                boxes.push(sides(part.low, part.high));
                outermost.push(part);
            }
            if outermost.is_empty() {
                return Ok(found.map(|reach| if is_high { reach } else { -reach }));
            }
            count += outermost.len();
            self.may_hold(&boxes, &mut holding);
            let holding = outermost.iter().zip(&holding);
            for (outer, _) in holding.filter(|(_, may_hold)| **may_hold) {
                if outer.size <= tight || count > MAX_BOXES {
                    let reach = outer.reach;
                    found = Some(found.map_or(reach, |found| found.max(reach)));
                    continue;
                }
                let share = |axis: usize| (outer.high[axis] - outer.low[axis]) / whole[axis];
                let across = [(axis + 1) % 3, (axis + 2) % 3];
                let widest = across[usize::from(share(across[1]) > share(across[0]))];
                let along = if count < TRIAL {
                    let is_tried = outer.is_outer_half && share(widest) > tight;
                    share(axis) > tight && !is_tried
                } else {
                    share(axis) >= share(widest)
                };
                let split = if along { axis } else { widest };
                let middle = f64::midpoint(outer.low[split], outer.high[split]);
                let (mut first, mut second) = (outer.high, outer.low);
                (first[split], second[split]) = (middle, middle);
                heap.push(part(outer.low, first, along && !is_high));
                heap.push(part(second, outer.high, along && is_high));
            }
        }
    }

    /// Determines which boxes may hold material, in order.
    pub(super) fn may_hold(&mut self, parts: &[[Interval<f64>; 3]], holding: &mut Vec<bool>) {
        // Where the function is 0 is the surface.
        let is_outside = |found: Interval<f64>| found.low() > 0.0 && !found.may_be_undefined();
        let intervals = &mut self.intervals;
        let mut alone = |part: &[Interval<f64>; 3]| !is_outside(intervals.evaluate(part)[0]);
        holding.clear();
        match &mut self.boxes {
            Some(boxes) if parts.len() >= FEW => {
                let all = boxes.bound(parts).zip(parts);
                holding.extend(all.map(|(found, part)| {
                    // Of many at once it is unknown whether they are NaN or only too large.
                    !is_outside(found) && (found.low() <= 0.0 || alone(part))
                }));
            }
            _ => holding.extend(parts.iter().map(alone)),
        }
    }

    /// The function at single points.
    pub(super) fn point(&self) -> Point {
        Point::new(&self.code, Settings::default())
    }

    /// Returns the reason why a shape does not end in a box: there is material on its sides, or nothing is known.
    fn beyond(&self, within: &Bounds) -> BoundsError {
        /// Points along each edge of a side.
        const POINTS: usize = 32;
        let point = self.point();
        let mut evaluator = point.evaluator();
        let size = within.size();
        let mut value = [0.0];
        for side in 0..6 {
            let (axis, is_high) = (side / 2, side % 2 == 1);
            for index in 0..POINTS * POINTS {
                // Low-discrepancy sequence in two dimensions.
                let shares =
                    [0.754_877_666, 0.569_840_291].map(|step| (step * index as f64).fract());
                let mut at = within.low();
                let mut others = shares.into_iter();
                for other in 0..3 {
                    let share = if other == axis {
                        f64::from(u8::from(is_high))
                    } else {
                        others.next().expect("two axes are left")
                    };
                    at[other] += size[other] * share;
                }
                evaluator.run(&at, &mut value);
                if value[0] <= 0.0 {
                    return BoundsError::Unbounded(*within);
                }
            }
        }
        BoundsError::Unknown(*within)
    }
}

impl PartialEq for SearchBox {
    fn eq(&self, other: &SearchBox) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for SearchBox {}

impl PartialOrd for SearchBox {
    fn partial_cmp(&self, other: &SearchBox) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The outermost is the greatest; among equal ones, the smallest.
impl Ord for SearchBox {
    fn cmp(&self, other: &SearchBox) -> Ordering {
        let reach = self.reach.total_cmp(&other.reach);
        reach.then(other.size.total_cmp(&self.size))
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;
    use crate::testing::tape;

    fn found(text: &str) -> Result<Bounds, BoundsError> {
        let tape = tape(text);
        search_bounds(&Shape::new(&tape).unwrap(), &|_, _| {
            ControlFlow::Continue(())
        })
    }

    /// The box surely contains the shape, and is tight to a hundredth of its size.
    fn check(text: &str, low: [f64; 3], high: [f64; 3]) {
        let bounds = found(text).unwrap();
        for axis in 0..3 {
            let size = high[axis] - low[axis];
            let (below, above) = (
                low[axis] - bounds.low()[axis],
                bounds.high()[axis] - high[axis],
            );
            for gap in [below, above] {
                assert!((0.0..=0.012 * size).contains(&gap), "{text}: {bounds:?}");
            }
        }
    }

    #[test]
    fn boxes_are_tight() {
        check("length(pos) - 5", [-5.0; 3], [5.0; 3]);
        check(
            "length(pos - vec3(300, -20, 0.5)) - 0.25",
            [299.75, -20.25, 0.25],
            [300.25, -19.75, 0.75],
        );
        check(
            "max(max(abs(x - 7) - 3, abs(y) - 0.05), abs(z + 4000) - 900)",
            [4.0, -0.05, -4900.0],
            [10.0, 0.05, -3100.0],
        );
        let half = 3.0 * 2.0_f64.sqrt();
        check(
            "max(max(abs(x + y) - 6, abs(x - y) - 6) / sqrt(2), abs(z) - 1)",
            [-half * 2.0_f64.sqrt(), -half * 2.0_f64.sqrt(), -1.0],
            [half * 2.0_f64.sqrt(), half * 2.0_f64.sqrt(), 1.0],
        );
        // Not distances: a square, and a function that overflows far away.
        check("x*x + y*y + z*z - 16", [-4.0; 3], [4.0; 3]);
        check("exp(x*x + y*y + z*z) - exp(4)", [-2.0; 3], [2.0; 3]);
    }

    #[test]
    fn bounds_that_are_wide_far_away_do_not_widen_the_box() {
        // An ellipsoid; intervals multiply x and y as if they were independent.
        let bounds = found("x*x + y*y + z*z - 1.8*x*y - 29").unwrap();
        let [half, height] = [(29.0_f64 / 0.19).sqrt(), 29.0_f64.sqrt()];
        for (axis, half) in [half, half, height].into_iter().enumerate() {
            for end in [-bounds.low()[axis], bounds.high()[axis]] {
                assert!((half..1.2 * half).contains(&end), "{bounds:?}");
            }
        }
    }

    #[test]
    fn what_has_no_box_is_refused() {
        for text in [
            "sin(x) + sin(y) + sin(z)",
            "z",
            "length(vec3(x, y, 0)) - 2",
            "x * 0 - 1",
        ] {
            let refused = found(text).unwrap_err();
            assert!(
                matches!(refused, BoundsError::Unbounded(_)),
                "{text}: {refused:?}"
            );
        }
        for text in ["length(pos) + 1", "x * 0 + 2"] {
            let refused = found(text).unwrap_err();
            assert!(
                matches!(refused, BoundsError::Empty(_)),
                "{text}: {refused:?}"
            );
        }
        let refused = found("sqrt(0 - 1 - x*x) + y + z").unwrap_err();
        assert!(matches!(refused, BoundsError::Unknown(_)), "{refused:?}");
        // A ball in each cell; the one at the origin is not all.
        let refused = found("length(mod(pos + 5, vec3(10, 10, 10)) - 5) - 3").unwrap_err();
        assert!(matches!(refused, BoundsError::Unbounded(_)), "{refused:?}");
    }

    #[test]
    fn few_boxes_are_bounded() {
        let check = |text: &str, most: usize| {
            let calls = AtomicUsize::new(0);
            let tape = tape(text);
            let found = search_bounds(&Shape::new(&tape).unwrap(), &|_, _| {
                calls.fetch_add(1, Relaxed);
                ControlFlow::Continue(())
            });
            // Some calls are those of the sides and rounds.
            let boxes = calls.into_inner() * PERIOD;
            assert!(
                found.is_ok() && boxes < most,
                "{text}: {boxes} boxes, {found:?}"
            );
        };
        // Flat sides, along the axes and not.
        check("max(abs(x) - 3, max(abs(y) - 2, abs(z) - 1))", 50_000);
        let slanted = "max(abs(x + 0.3*y) - 3, max(abs(y - 0.2*z) - 2, abs(z) - 1))";
        check(slanted, 50_000);
        check(
            "let q = abs(pos) - vec3(3, 2, 1); \
             length(max(q, vec3(0, 0, 0))) + min(max(q.x, max(q.y, q.z)), 0)",
            50_000,
        );
        // Intervals are wide unless all edges are short.
        let several = "max(length(pos) - 4, length(pos) - 3 + (y + 0.001*x)*z - y*z)";
        check(several, 300_000);
    }

    #[test]
    fn a_search_can_be_ended() {
        let tape = tape("length(pos) - 5");
        let shape = Shape::new(&tape).unwrap();
        let ended = search_bounds(&shape, &|_, _| ControlFlow::Break(()));
        assert_eq!(ended, Err(BoundsError::Cancelled(Cancelled)));
    }
}
