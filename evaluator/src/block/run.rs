//! One pass over the steps, for one block of points.
//!
//! All slots lie in one piece of memory, which is split around the slot that is written, so that the compiler sees that
//! a step does not read what it writes.

use std::ops::Range;

use fibula_nodes::OracleUse;

use super::slots::{Action, Place, Target};
use super::step::{Kernels, LANES};
use crate::lane::Float;

/// What stays the same from block to block.
pub(super) struct Run<'a, T: 'static> {
    pub(super) kernels: Kernels<T>,
    pub(super) actions: &'a [Action],
    pub(super) constants: &'a [[T; 3]],
    pub(super) oracles: &'a [OracleUse],
    /// One behind the other.
    pub(super) slots: &'a mut [T],
    /// How far it is from one to the next.
    pub(super) stride: usize,
    pub(super) wide: &'a mut [Vec<f64>; 4],
}

impl<T: Float> Run<'_, T> {
    /// Computes fewer points than fill a vector, filled up with the last one.
    pub(super) fn few(&mut self, inputs: &[&[T]], outputs: &mut [&mut [T]], points: usize) {
        let filled = |input: &&[T]| {
            let mut numbers = [input[points - 1]; LANES];
            numbers[..points].copy_from_slice(input);
            numbers
        };
        let inputs: Vec<_> = inputs.iter().map(filled).collect();
        let inputs: Vec<_> = inputs.iter().map(<[T; LANES]>::as_slice).collect();
        let mut results = vec![[T::ZERO; LANES]; outputs.len()];
        let mut slices: Vec<_> = results.iter_mut().map(<[T; LANES]>::as_mut_slice).collect();
        self.block(&inputs, &mut slices, 0..LANES);
        for (output, result) in outputs.iter_mut().zip(&results) {
            output.copy_from_slice(&result[..points]);
        }
    }

    /// Computes the points in `range`, at most as many as a slot holds.
    pub(super) fn block(&mut self, inputs: &[&[T]], outputs: &mut [&mut [T]], range: Range<usize>) {
        let lanes = range.len();
        for (action, constants) in self.actions.iter().zip(self.constants) {
            let points = Points {
                inputs,
                range: range.clone(),
                stride: self.stride,
            };
            match *action {
                Action::Step {
                    code,
                    operands,
                    target,
                    ..
                } => {
                    let (out, blocks) = points.split(self.slots, outputs, target);
                    let operands = operands.map(|place| blocks.at(place));
                    self.kernels.step(code, out, operands, constants);
                }
                Action::SineCosine {
                    operand,
                    sine,
                    cosine,
                } => {
                    let [sine, cosine] = [sine, cosine].map(|slot| points.slot(slot));
                    if let Place::Slot(slot) = operand {
                        let ranges = [sine, cosine, points.slot(slot)];
                        let [sine, cosine, operand] = self
                            .slots
                            .get_disjoint_mut(ranges)
                            .expect("what is written is not read");
                        self.kernels.sine_cosine(sine, cosine, operand);
                    } else {
                        let [sine, cosine] = self
                            .slots
                            .get_disjoint_mut([sine, cosine])
                            .expect("there are two slots");
                        self.kernels
                            .sine_cosine(sine, cosine, points.input(operand));
                    }
                }
                Action::Oracle {
                    oracle,
                    channel,
                    at,
                    target,
                } => {
                    let (out, blocks) = points.split(self.slots, outputs, target);
                    let [x, y, z, answers] = self.wide.each_mut().map(|list| &mut list[..lanes]);
                    for (list, place) in [&mut *x, &mut *y, &mut *z].into_iter().zip(at) {
                        for (wide, number) in list.iter_mut().zip(blocks.at(place)) {
                            *wide = number.wide();
                        }
                    }
                    let asked = &self.oracles[oracle as usize];
                    for (index, answer) in answers.iter_mut().enumerate() {
                        *answer = asked
                            .answers
                            .sample([x[index], y[index], z[index]], channel);
                    }
                    for (out, answer) in out.iter_mut().zip(answers) {
                        *out = T::of(*answer);
                    }
                }
            }
        }
    }
}

/// The points of a block.
struct Points<'a, 'b, T> {
    inputs: &'a [&'b [T]],
    range: Range<usize>,
    stride: usize,
}

impl<'a, 'b, T> Points<'a, 'b, T> {
    /// Where a slot lies among them all.
    #[inline(always)]
    fn slot(&self, slot: u32) -> Range<usize> {
        let start = slot as usize * self.stride;
        start..start + self.range.len()
    }

    /// The part of an input, and nothing of what is none.
    #[inline(always)]
    fn input(&self, place: Place) -> &'a [T] {
        match place {
            Place::Input(input) => &self.inputs[input as usize][self.range.clone()],
            Place::Slot(_) | Place::Nowhere => &[],
        }
    }

    /// The block at `target`, and the others.
    #[inline(always)]
    fn split(
        self,
        slots: &'a mut [T],
        outputs: &'a mut [&mut [T]],
        target: Target,
    ) -> (&'a mut [T], Blocks<'a, 'b, T>) {
        match target {
            Target::Slot(slot) => {
                let (below, rest) = slots.split_at_mut(slot as usize * self.stride);
                let (out, above) = rest.split_at_mut(self.stride);
                let out = &mut out[..self.range.len()];
                let blocks = Blocks {
                    points: self,
                    below,
                    above,
                    slot,
                };
                (out, blocks)
            }
            Target::Output(output) => {
                let out = &mut outputs[output as usize][self.range.clone()];
                let blocks = Blocks {
                    points: self,
                    below: slots,
                    above: &[],
                    slot: u32::MAX,
                };
                (out, blocks)
            }
        }
    }
}

/// The blocks that a step may read.
struct Blocks<'a, 'b, T> {
    points: Points<'a, 'b, T>,
    below: &'a [T],
    above: &'a [T],
    /// The slot between both.
    slot: u32,
}

impl<'a, T> Blocks<'a, '_, T> {
    #[inline(always)]
    fn at(&self, place: Place) -> &'a [T] {
        match place {
            Place::Slot(slot) if slot < self.slot => &self.below[self.points.slot(slot)],
            Place::Slot(slot) => &self.above[self.points.slot(slot - self.slot - 1)],
            Place::Input(_) | Place::Nowhere => self.points.input(place),
        }
    }
}
