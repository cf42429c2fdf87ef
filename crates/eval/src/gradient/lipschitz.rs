//! Lipschitz constants on a box: upper and lower bounds of the length of the gradient.
//!
//! The box is halved where its bound is highest (branch and bound: Moore, Kearfott and Cloud, Introduction to Interval
//! Analysis, 2009, chapter 9), and the gradient is computed at the centre of each part.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::steepness::{Steepness, SteepnessEvaluator};
use crate::code::{Code, Instruction};
use crate::cpu::Settings;
use crate::interval::Interval;

/// Bounds that are so close, in parts of the upper one, are close enough.
const CLOSE: f64 = 1e-3;

/// Bounds of the Lipschitz constant of an output on a box.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Lipschitz {
    /// No gradient on the box is longer, wherever there is one. It may be infinite: the output is then infinitely
    /// steep somewhere, or not enough is known of it.
    pub most: f64,
    /// The longest gradient that was met; 0 if there was none.
    pub least: f64,
    /// True if the output may jump, or have a pole. If not, and if it is a number between two points of the box, it
    /// differs there by at most [`most`](Self::most) times their distance.
    pub may_jump: bool,
}

impl Code {
    /// Bounds the Lipschitz constant of an output with respect to the inputs `directions`, on the box of all inputs.
    ///
    /// The more `parts` the box may be cut into, the closer the bounds; there are fewer if they are close to each other
    /// before. Takes time in proportion to parts, instructions and directions (some 0.8 us for each instruction of a
    /// part, by three directions), and memory in proportion to parts and to instructions times directions.
    ///
    /// # Panics
    /// If there are no such output and directions, not as many intervals as inputs, or if the processor lacks the
    /// instructions of `settings`.
    pub fn lipschitz(
        &self,
        output: usize,
        region: &[Interval<f64>],
        directions: &[usize],
        parts: usize,
        settings: Settings,
    ) -> Lipschitz {
        assert_eq!(region.len(), self.inputs, "an interval for each input");
        let mut code = self.clone();
        code.outputs = vec![self.outputs[output]];
        let code = code.renumber();
        // What the output does not depend on need not be cut.
        let mut whole: Vec<_> = region
            .iter()
            .map(|&side| Interval::point(centre(side)))
            .collect();
        for instruction in &code.instructions {
            if let Instruction::Input(input) = *instruction {
                whole[input as usize] = region[input as usize];
            }
        }
        let mut search = Search {
            directions,
            settings,
            walk: SteepnessEvaluator::new(&code, directions),
            least: 0.0,
            code,
        };
        let mut heap = BinaryHeap::from([search.bound_part(whole.clone())]);
        // The steepest of the parts that cannot be cut smaller.
        let mut finest = Steepness::FLAT;
        while heap.len() < parts {
            let Some(worst) = heap.pop() else { break };
            let is_close = worst.steepness.length * (1.0 - CLOSE) <= search.least;
            if is_close || worst.steepness.length <= finest.length {
                heap.push(worst);
                break;
            }
            match halves(&worst.region, &whole) {
                Some(halves) => heap.extend(halves.map(|half| search.bound_part(half))),
                None => finest = finest.or(worst.steepness),
            }
        }
        let parts = heap.iter().map(|part| part.steepness);
        let whole = parts.fold(finest, Steepness::or);
        Lipschitz {
            most: whole.length,
            least: search.least,
            may_jump: whole.may_jump,
        }
    }
}

struct Search<'a> {
    code: Code,
    directions: &'a [usize],
    settings: Settings,
    walk: SteepnessEvaluator,
    least: f64,
}

impl Search<'_> {
    fn bound_part(&mut self, region: Vec<Interval<f64>>) -> BoxPart {
        let centre: Vec<f64> = region.iter().map(|&side| centre(side)).collect();
        let jacobian = self.code.jacobian(&centre, self.directions, self.settings);
        let length = jacobian
            .gradient(0)
            .iter()
            .map(|slope| slope * slope)
            .sum::<f64>()
            .sqrt();
        // A derivative that is cut off is no gradient, and neither is one of what is no number.
        if length < 1e30 && jacobian.values[0].is_finite() {
            self.least = self.least.max(length);
        }
        BoxPart {
            steepness: self.walk.steepness(&region, 0),
            region,
        }
    }
}

/// A part of the box; of two, the steeper is the larger.
struct BoxPart {
    steepness: Steepness,
    region: Vec<Interval<f64>>,
}

impl PartialEq for BoxPart {
    fn eq(&self, other: &BoxPart) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for BoxPart {}

impl PartialOrd for BoxPart {
    fn partial_cmp(&self, other: &BoxPart) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for BoxPart {
    fn cmp(&self, other: &BoxPart) -> Ordering {
        self.steepness.length.total_cmp(&other.steepness.length)
    }
}

/// Both halves of a part, cut across its longest side in parts of the whole box's; `None` if there is nothing to cut.
fn halves(part: &[Interval<f64>], whole: &[Interval<f64>]) -> Option<[Vec<Interval<f64>>; 2]> {
    let share = |index: usize| {
        let share = width(part[index]) / width(whole[index]);
        if share > 0.0 { share } else { 0.0 }
    };
    let longest = (0..part.len()).max_by(|&a, &b| share(a).total_cmp(&share(b)))?;
    let sides = part[longest].split(centre(part[longest]))?;
    Some(sides.map(|side| {
        let mut half = part.to_vec();
        half[longest] = side;
        half
    }))
}

fn width(side: Interval<f64>) -> f64 {
    side.high() - side.low()
}

fn centre(side: Interval<f64>) -> f64 {
    let centre = side.low().midpoint(side.high());
    if centre.is_nan() { 0.0 } else { centre }
}
