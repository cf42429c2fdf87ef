//! Extents: a box that surely contains a shape.
//!
//! Each side is found by dividing boxes, the outermost first, until one that may hold material is small (branch and
//! bound: Moore, Kearfott and Cloud, "Introduction to Interval Analysis", 2009). Bounds hold every value that is
//! computed in a box, so nothing is missed. Where a side is flat, tens of thousands of boxes lie along it: the longer a
//! search takes, the more of the outermost ones are bounded at once. What is found does not depend on that.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use fibula_eval::prune::{IntervalBatch, Tape};
use fibula_eval::{Code, Interval, IntervalEvaluator, Point, Rounding, Settings};
use fibula_knowledge::progress::{Cancelled, Watch};

use super::bounds::Bounds;
use super::shape::Shape;

/// How near a side of the box is to the shape, in parts of the box's size.
const TIGHT: f64 = 0.005;
/// Into how many parts a box is cut at first: coarsely, until it is about as large as the shape.
const COARSE: f64 = 0.1;
/// The most boxes that are bounded to find one side.
const MOST: usize = 200_000;
/// How often a watch is asked: once in so many boxes.
const PERIOD: usize = 256;
/// One box more is bounded at once for so many that were bounded: of those not many are needless.
const PATIENCE: usize = 4;
/// Fewer boxes than this are quicker bounded one after the other.
const FEW: usize = 4;
/// Half of the side of the box in which is searched where none is given; smaller ones if nothing is known far away.
const FARTHEST: f64 = 100_000.0;
const NEARER: [f64; 4] = [10_000.0, 1_000.0, 100.0, 10.0];

/// Why no box is known to contain a shape.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum Boundless {
    /// There is no material.
    #[error(
        "nothing of the shape is in the box from {:?} to {:?}: the function is nowhere below 0 there; look elsewhere, \
         or change the function's sign",
        .0.low(), .0.high()
    )]
    Empty(Bounds),
    /// There is material at the box's side.
    #[error(
        "the shape goes on beyond the box from {:?} to {:?}; give bounds for the part that is wanted, or intersect it \
         with a box",
        .0.low(), .0.high()
    )]
    Unbounded(Bounds),
    /// Nothing is known of the box's side.
    #[error(
        "it cannot be told whether the shape ends in the box from {:?} to {:?}: at its sides the function may be \
         undefined or below 0; give bounds",
        .0.low(), .0.high()
    )]
    Unknown(Bounds),
    /// It was ended.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl Boundless {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Boundless::Empty(_) => "empty_shape",
            Boundless::Unbounded(_) | Boundless::Unknown(_) => "unbounded_shape",
            Boundless::Cancelled(_) => "cancelled",
        }
    }
}

/// A box that contains all of a shape that is in another box, tight to about 1 % of its size.
///
/// Where the function may be undefined there may be material. `watch` is told how many of the steps are done, and may
/// end it. It takes time in proportion to the function's operations: some milliseconds for a hundred of them.
///
/// # Errors
/// [`Boundless`]: there is nothing in the box, or the shape does not end in it.
pub fn find_bounds(
    shape: &Shape<'_>,
    within: &Bounds,
    watch: &Watch<'_>,
) -> Result<Bounds, Boundless> {
    /// Rounds in which the box shrinks at most: to a billionth and less.
    const ROUNDS: u64 = 16;
    let mut search = Search::new(shape);
    let (mut low, mut high) = (within.low(), within.high());
    for round in 0..ROUNDS {
        let size: [f64; 3] = std::array::from_fn(|axis| high[axis] - low[axis]);
        let before = (low, high);
        for side in 0..6 {
            let told = || watch(round * 6 + side, ROUNDS * 6);
            let (axis, is_high) = (side as usize / 2, side % 2 == 1);
            let Some(end) = search.side(low, high, axis, is_high, COARSE, &told)? else {
                return Err(Boundless::Empty(*within));
            };
            let margin = size[axis] * 1e-6;
            if is_high {
                high[axis] = (end + margin).min(high[axis]);
            } else {
                low[axis] = (end - margin).max(low[axis]);
            }
        }
        let shrinks = (0..3).any(|axis| high[axis] - low[axis] < 0.7 * size[axis]);
        if !shrinks {
            (low, high) = before;
            break;
        }
    }
    // The last time, to the end.
    for axis in 0..3 {
        for is_high in [false, true] {
            let told = || watch(ROUNDS * 6 - 1, ROUNDS * 6);
            let Some(end) = search.side(low, high, axis, is_high, TIGHT, &told)? else {
                return Err(Boundless::Empty(*within));
            };
            if is_high {
                high[axis] = end;
            } else {
                low[axis] = end;
            }
        }
    }
    let touches =
        (0..3).any(|axis| low[axis] <= within.low()[axis] || high[axis] >= within.high()[axis]);
    if touches {
        return Err(search.beyond(within));
    }
    Bounds::new(low, high).map_err(|_| Boundless::Unknown(*within))
}

/// A box that contains all of a shape, searched for in boxes up to a hundred thousand units from the origin.
///
/// Of a function that overflows far away, what is farther than that is taken to be outside.
///
/// # Errors
/// As [`find_bounds`].
pub fn search_bounds(shape: &Shape<'_>, watch: &Watch<'_>) -> Result<Bounds, Boundless> {
    let widest = find_bounds(shape, &cube(FARTHEST), watch);
    let Err(Boundless::Unknown(_)) = widest else {
        return widest;
    };
    for half in NEARER {
        match find_bounds(shape, &cube(half), watch) {
            Err(Boundless::Unknown(_)) => {}
            Err(Boundless::Empty(_)) => break,
            told => return told,
        }
    }
    widest
}

/// The box whose sides are so far from the origin.
fn cube(half: f64) -> Bounds {
    Bounds::new([-half; 3], [half; 3]).expect("the constants above are finite and above 0")
}

/// Looks for the ends of a shape.
struct Search {
    code: Arc<Code>,
    intervals: IntervalEvaluator<f64>,
    /// Bounds many boxes at once; not of functions that keep too many values for that.
    boxes: Option<IntervalBatch<f64>>,
}

/// A part of the box that may hold material.
struct Part {
    low: [f64; 3],
    high: [f64; 3],
    /// How far out it reaches.
    reach: f64,
    /// Its longest side, in parts of the box's.
    size: f64,
}

impl Part {
    fn sides(&self) -> [Interval<f64>; 3] {
        std::array::from_fn(|axis| Interval::new(self.low[axis], self.high[axis]))
    }
}

impl Search {
    fn new(shape: &Shape<'_>) -> Search {
        let code = shape.code(Rounding::Exact, &[shape.value()], |_, place| place);
        let set = Settings::default().instructions;
        Search {
            intervals: IntervalEvaluator::new(Arc::clone(&code)),
            boxes: Tape::new(&code).map(|tape| IntervalBatch::new(tape, set)),
            code,
        }
    }

    /// How far the shape reaches at most in a direction, up to a part of the box's size; `None` if there is nothing.
    fn side(
        &mut self,
        low: [f64; 3],
        high: [f64; 3],
        axis: usize,
        is_high: bool,
        tight: f64,
        told: &dyn Fn() -> std::ops::ControlFlow<()>,
    ) -> Result<Option<f64>, Cancelled> {
        let whole: [f64; 3] = std::array::from_fn(|axis| high[axis] - low[axis]);
        let part = |low: [f64; 3], high: [f64; 3]| Part {
            reach: if is_high { high[axis] } else { -low[axis] },
            size: (0..3)
                .map(|axis| (high[axis] - low[axis]) / whole[axis])
                .fold(0.0, f64::max),
            low,
            high,
        };
        let mut heap = BinaryHeap::from([part(low, high)]);
        let (mut outermost, mut holding) = (Vec::new(), Vec::new());
        let mut found: Option<f64> = None;
        let (mut count, mut asked) = (0, 0);
        loop {
            if count >= asked {
                asked = count + PERIOD;
                if told().is_break() {
                    return Err(Cancelled);
                }
            }
            outermost.clear();
            while outermost.len() < (count / PATIENCE).clamp(1, IntervalBatch::<f64>::MOST) {
                let is_farther = |part: &Part| found.is_none_or(|found| part.reach > found);
                let Some(part) = heap.pop().filter(is_farther) else {
                    break;
                };
                outermost.push(part);
            }
            if outermost.is_empty() {
                return Ok(found.map(|reach| if is_high { reach } else { -reach }));
            }
            count += outermost.len();
            self.which_may_hold(&outermost, &mut holding);
            let holding = outermost.iter().zip(&holding);
            for (outer, _) in holding.filter(|(_, may_hold)| **may_hold) {
                if outer.size <= tight || count > MOST {
                    let reach = outer.reach;
                    found = Some(found.map_or(reach, |found| found.max(reach)));
                    continue;
                }
                let longest = (0..3)
                    .max_by(|&a, &b| {
                        let share =
                            |axis: usize| (outer.high[axis] - outer.low[axis]) / whole[axis];
                        // Of equal ones that along which is searched.
                        share(a)
                            .total_cmp(&share(b))
                            .then((a == axis).cmp(&(b == axis)))
                    })
                    .expect("there are three");
                let middle = f64::midpoint(outer.low[longest], outer.high[longest]);
                let (mut first, mut second) = (outer.high, outer.low);
                (first[longest], second[longest]) = (middle, middle);
                heap.push(part(outer.low, first));
                heap.push(part(second, outer.high));
            }
        }
    }

    /// Finds out which of some parts may hold material: in order.
    fn which_may_hold(&mut self, parts: &[Part], holding: &mut Vec<bool>) {
        // What is 0 is the surface.
        let is_outside = |found: Interval<f64>| found.low() > 0.0 && !found.may_be_undefined();
        let intervals = &mut self.intervals;
        let mut alone = |part: &Part| !is_outside(intervals.evaluate(&part.sides())[0]);
        holding.clear();
        match &mut self.boxes {
            Some(boxes) if parts.len() >= FEW => {
                let sides: Vec<[Interval<f64>; 3]> = parts.iter().map(Part::sides).collect();
                let all = boxes.bound(&sides).zip(parts);
                holding.extend(all.map(|(found, part)| {
                    // Of many at once it is not known whether they are no numbers or only too large.
                    !is_outside(found) && (found.low() <= 0.0 || alone(part))
                }));
            }
            _ => holding.extend(parts.iter().map(alone)),
        }
    }

    /// Why a shape does not end in a box: there is material at its sides, or that is not known.
    fn beyond(&self, within: &Bounds) -> Boundless {
        /// Points along each edge of a side.
        const POINTS: usize = 32;
        let point = Point::new(&self.code, Settings::default());
        let mut evaluator = point.evaluator();
        let size = within.size();
        let mut value = [0.0];
        for side in 0..6 {
            let (axis, is_high) = (side / 2, side % 2 == 1);
            for index in 0..POINTS * POINTS {
                // Shares that no lattice repeats.
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
                    return Boundless::Unbounded(*within);
                }
            }
        }
        Boundless::Unknown(*within)
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Part) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Part {}

impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Part) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The outermost is the greatest; of equal ones, the smallest.
impl Ord for Part {
    fn cmp(&self, other: &Part) -> Ordering {
        let reach = self.reach.total_cmp(&other.reach);
        reach.then(other.size.total_cmp(&self.size))
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use fibula_core::eval::Tape;
    use fibula_core::expression;
    use fibula_core::graph::Document;

    fn tape(text: &str) -> Tape {
        let mut document = Document::default();
        let id = expression::add_function(&mut document, "made", text).unwrap();
        Tape::new(&document, id).unwrap()
    }

    fn found(text: &str) -> Result<Bounds, Boundless> {
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
        // No distance: the square, and what overflows far away.
        check("x*x + y*y + z*z - 16", [-4.0; 3], [4.0; 3]);
        check("exp(x*x + y*y + z*z) - exp(4)", [-2.0; 3], [2.0; 3]);
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
                matches!(refused, Boundless::Unbounded(_)),
                "{text}: {refused:?}"
            );
        }
        for text in ["length(pos) + 1", "x * 0 + 2"] {
            let refused = found(text).unwrap_err();
            assert!(
                matches!(refused, Boundless::Empty(_)),
                "{text}: {refused:?}"
            );
        }
        let refused = found("sqrt(0 - 1 - x*x) + y + z").unwrap_err();
        assert!(matches!(refused, Boundless::Unknown(_)), "{refused:?}");
        // A ball in each cell; the one at the origin is not all.
        let refused = found("length(mod(pos + 5, vec3(10, 10, 10)) - 5) - 3").unwrap_err();
        assert!(matches!(refused, Boundless::Unbounded(_)), "{refused:?}");
    }

    #[test]
    fn a_search_can_be_ended() {
        let tape = tape("length(pos) - 5");
        let shape = Shape::new(&tape).unwrap();
        let ended = search_bounds(&shape, &|_, _| ControlFlow::Break(()));
        assert_eq!(ended, Err(Boundless::Cancelled(Cancelled)));
    }
}
