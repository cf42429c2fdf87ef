//! Bounds on lists of boxes, without what makes tapes shorter: for whoever looks at each box once.

use std::sync::Arc;

use crate::cpu::InstructionSet;
use crate::interval::Interval;
use crate::lane::Float;
use crate::prune::pruner::Compiled;
use crate::prune::row::BOXES;
use crate::prune::simplify::{Bounding, Level};
use crate::prune::tape::Tape;

/// Bounds the first output of a tape on up to 64 boxes at once. It belongs to one thread.
///
/// The whole tape is bounded on every box, in about the time of a single box with an
/// [`IntervalEvaluator`](crate::IntervalEvaluator), and a few times that where an oracle is sampled.
pub struct IntervalBatch<T: 'static> {
    tape: Arc<Tape<T>>,
    bounding: Bounding<T>,
    level: Level<T>,
}

impl<T: Float> IntervalBatch<T> {
    /// Number of boxes that are bounded at once.
    pub const MOST: usize = BOXES;

    /// Bounds of the tape, with the instructions that are named.
    ///
    /// # Panics
    /// If the processor lacks them.
    pub fn new(tape: Arc<Tape<T>>, set: InstructionSet) -> IntervalBatch<T> {
        let mut bounding = Bounding::new(set);
        bounding.prepare(&tape);
        IntervalBatch {
            bounding,
            level: Level::default(),
            tape,
        }
    }

    /// The bounds on some boxes, of which each is given by an interval for each input. As those that a
    /// [`Visitor`](crate::prune::Visitor) receives, they hold every value that is computed in the box, and they are
    /// `undefined` if some may be NaN or infinite.
    ///
    /// # Panics
    /// If there are more than [`MOST`](Self::MOST) boxes, or fewer intervals than the tape has inputs.
    pub fn bound<const INPUTS: usize>(
        &mut self,
        boxes: &[[Interval<T>; INPUTS]],
    ) -> impl Iterator<Item = Interval<T>> + use<'_, T, INPUTS> {
        let count = boxes.len();
        assert!(count <= BOXES, "there are up to 64 boxes");
        assert!(
            INPUTS >= self.tape.inputs,
            "there is an interval for each input"
        );
        let present = u64::MAX.checked_shr((BOXES - count) as u32).unwrap_or(0);
        if let Some(first) = boxes.first() {
            for input in 0..self.tape.inputs {
                let slot = Tape::<T>::input_slot(input);
                let row = self.bounding.row(slot);
                let mut fixed = 0;
                for lane in 0..BOXES {
                    // Boxes that are not there are like the first one.
                    let own = boxes.get(lane).unwrap_or(first)[input];
                    (row.low[lane], row.high[lane]) = (own.low(), own.high());
                    let is_one = own.low() == own.high() && own.low() != T::ZERO;
                    fixed |= u64::from(is_one) << lane;
                }
                self.bounding.input(slot, fixed & present);
            }
            (Compiled::get().bound)(self, present);
        }
        (0..count).map(|lane| {
            let output = self.tape.output_slot(0);
            let (span, undefined) = self.bounding.output(output, lane);
            Interval::from_span(span, undefined)
        })
    }

    pub(super) fn compute(&mut self, present: u64) {
        let tape = &self.tape;
        self.bounding
            .bound(tape, &tape.steps, &tape.constants, present, &mut self.level);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::interval::laws::{INPUTS, boxes, functions};
    use crate::prune::{Axis, Cell, CellAction, Cells, Leaf, Pruner, Region, Visitor};

    /// Keeps the bounds of the last cell.
    struct Last(Interval<f64>);

    impl Visitor<f64> for Last {
        fn bounded(&mut self, _: &Cell, bounds: Interval<f64>) -> CellAction {
            self.0 = bounds;
            CellAction::Done
        }

        fn leaf(&mut self, _: &mut Leaf<'_, f64>) {}
    }

    proptest! {
        #[test]
        fn batches_yield_the_bounds_of_each_box(
            recipe in functions(1..25),
            sides in prop::collection::vec(boxes(), 0..=64),
        ) {
            let code = recipe.code();
            let tape = Tape::new(&code).expect("it is short");
            let sides: Vec<[[f64; 2]; INPUTS]> = sides
                .into_iter()
                .map(|sides| sides.map(|[a, b]| [a.min(b), a.max(b)]))
                .collect();
            let intervals: Vec<[Interval<f64>; INPUTS]> = sides
                .iter()
                .map(|sides| sides.map(|[low, high]| Interval::new(low, high)))
                .collect();
            for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
                let mut together = IntervalBatch::new(Arc::clone(&tape), set);
                let mut pruner = Pruner::new(Arc::clone(&tape), set);
                // The second time nothing may be left of the first.
                for _ in 0..2 {
                    let found: Vec<Interval<f64>> = together.bound(&intervals).collect();
                    prop_assert_eq!(found.len(), sides.len());
                    for (sides, found) in sides.iter().zip(found) {
                        let axes = [0, 1, 2].map(|input| Axis::new(input, &sides[input]));
                        let region = Region {
                            axes: &axes,
                            inputs: &[0.0; INPUTS],
                            sides: &[8],
                            cells: Cells::Samples,
                        };
                        let mut last = Last(Interval::unknown());
                        pruner.explore(&region, 0..1, &mut last);
                        prop_assert_eq!(found, last.0, "{:?} of {:?}", sides, code);
                    }
                }
            }
        }
    }
}
