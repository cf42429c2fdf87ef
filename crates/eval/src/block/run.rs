//! One pass over the steps, for one block of points.

use std::mem;
use std::ops::Range;

use fibula_nodes::OracleUse;

use super::kernels::{CONSTANTS, Kernels, LANES};
use super::slots::{Action, BlockSource, BlockTarget};
use crate::lane::Float;

/// State that stays the same from block to block.
pub(super) struct BlockRun<'a, T: 'static> {
    pub(super) kernels: Kernels<T>,
    pub(super) actions: &'a [Action],
    pub(super) constants: &'a [[T; CONSTANTS]],
    pub(super) oracles: &'a [OracleUse],
    /// Slots; the one that is written is moved out meanwhile, so that the compiler sees that nothing reads it.
    pub(super) slots: Vec<&'a mut [T]>,
    pub(super) wide: &'a mut [Vec<f64>; 4],
}

impl<'a, T: Float> BlockRun<'a, T> {
    /// Computes fewer points than fill a vector, padded with the last one.
    pub(super) fn run_padded(&mut self, inputs: &[&[T]], outputs: &mut [&mut [T]], points: usize) {
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
            match *action {
                Action::Step {
                    code,
                    operands,
                    target,
                } => {
                    let out = mem::take(&mut self.slots[target as usize]);
                    let operands = operands.map(|slot| &*self.slots[slot as usize]);
                    self.kernels
                        .step(code, &mut out[..lanes], operands, constants);
                    self.slots[target as usize] = out;
                }
                Action::Outer {
                    code,
                    operands,
                    target,
                } => {
                    let slot = self.take_slot(target);
                    let operands = operands.map(|place| self.at(place, inputs, &range));
                    let out = match target {
                        BlockTarget::Slot(_) => &mut slot[..lanes],
                        BlockTarget::Output(output) => &mut outputs[output as usize][range.clone()],
                    };
                    self.kernels.step(code, out, operands, constants);
                    self.restore_slot(target, slot);
                }
                Action::Oracle {
                    oracle,
                    channel,
                    at,
                    target,
                } => {
                    let slot = self.take_slot(target);
                    let mut wide = mem::take(self.wide);
                    let [x, y, z, answers] = wide.each_mut().map(|list| &mut list[..lanes]);
                    for (list, place) in [&mut *x, &mut *y, &mut *z].into_iter().zip(at) {
                        let numbers = self.at(place, inputs, &range);
                        for (wide, number) in list.iter_mut().zip(numbers) {
                            *wide = number.to_f64();
                        }
                    }
                    let asked = &self.oracles[oracle as usize];
                    asked.answers.sample_block([x, y, z], channel, answers);
                    let out = match target {
                        BlockTarget::Slot(_) => &mut slot[..lanes],
                        BlockTarget::Output(output) => &mut outputs[output as usize][range.clone()],
                    };
                    for (out, answer) in out.iter_mut().zip(answers) {
                        *out = T::from_f64(*answer);
                    }
                    *self.wide = wide;
                    self.restore_slot(target, slot);
                }
            }
        }
    }

    /// Moves the slot that is written out of the others.
    fn take_slot(&mut self, target: BlockTarget) -> &'a mut [T] {
        match target {
            BlockTarget::Slot(slot) => mem::take(&mut self.slots[slot as usize]),
            BlockTarget::Output(_) => &mut [],
        }
    }

    fn restore_slot(&mut self, target: BlockTarget, numbers: &'a mut [T]) {
        if let BlockTarget::Slot(slot) = target {
            self.slots[slot as usize] = numbers;
        }
    }

    /// The block at `place`, which may be longer.
    fn at<'b>(&'b self, place: BlockSource, inputs: &[&'b [T]], range: &Range<usize>) -> &'b [T] {
        match place {
            BlockSource::Nowhere => &[],
            BlockSource::Slot(slot) => self.slots[slot as usize],
            BlockSource::Input(input) => &inputs[input as usize][range.clone()],
        }
    }
}
