//! The values of a tape at points.

use crate::block::step::{Kernels, LANES};
use crate::cpu::InstructionSet;
use crate::lane::Float;
use crate::prune::kind::Kind;
use crate::prune::pruner::Compiled;
use crate::prune::region::{Cell, Region};
use crate::prune::row::Rows;
use crate::prune::tape::{Tape, TapeStep};

/// Number of points that are computed at once.
pub(crate) const POINTS: usize = 256;

/// The values of one step at points.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Block<T>(pub(crate) [T; POINTS]);

/// Working memory for values at points.
pub(crate) struct Pointwise<T: 'static> {
    kernels: Kernels<T>,
    blocks: Rows<Block<T>>,
    oracle: Vec<f64>,
}

impl<T: Float> Pointwise<T> {
    pub(crate) fn new(set: InstructionSet, tape: &Tape<T>) -> Pointwise<T> {
        let mut blocks = Rows(Vec::new());
        blocks.grow(tape.slots, Block([T::ZERO; POINTS]));
        Pointwise {
            kernels: Kernels::new(set),
            blocks,
            oracle: vec![
                0.0;
                if tape.oracle_channels.is_empty() {
                    0
                } else {
                    4 * POINTS
                }
            ],
        }
    }

    /// The points or values in a slot.
    pub(crate) fn block(&self, slot: usize) -> &[T; POINTS] {
        &self.blocks.0[slot].0
    }

    /// The points in a slot, to be filled.
    pub(crate) fn fill(&mut self, slot: usize) -> &mut [T; POINTS] {
        &mut self.blocks.0[slot].0
    }

    /// Computes the steps for the first `count` points.
    pub(crate) fn run(
        &mut self,
        tape: &Tape<T>,
        steps: &[TapeStep],
        constants: &[[T; 3]],
        count: usize,
    ) {
        let count = count.next_multiple_of(LANES).min(POINTS);
        for step in steps {
            let (out, a, b, c) = self.blocks.split(step.out, step.operands);
            let operands = [&a.0[..count], &b.0[..count], &c.0[..count]];
            let out = &mut out.0[..count];
            if step.kind == Kind::Oracle {
                sample_oracle(tape, step, out, operands, &mut self.oracle);
            } else {
                let constants = &constants[step.constants as usize];
                self.kernels
                    .step(step.kind.code(), out, operands, constants);
            }
        }
    }
}

/// A cell to be evaluated, with its specialised tape.
pub struct Leaf<'a, T: 'static> {
    pub(crate) tape: &'a Tape<T>,
    pub(crate) region: &'a Region<'a, T>,
    pub(crate) cell: &'a Cell,
    pub(crate) steps: &'a [TapeStep],
    pub(crate) constants: &'a [[T; 3]],
    pub(crate) pointwise: &'a mut Pointwise<T>,
    pub(crate) values: &'a mut Vec<T>,
}

impl<T: Float> Leaf<'_, T> {
    /// The cell.
    pub fn cell(&self) -> &Cell {
        self.cell
    }

    /// Number of steps of the specialised tape.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Number of samples of the cell on each axis; 1 on missing axes.
    pub fn counts(&self) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.region.count(axis, self.cell))
    }

    /// The values of the first output at all samples of the cell, those along the first axis being neighbours.
    pub fn samples(&mut self) -> &[T] {
        let [width, height, depth] = self.counts();
        let count = width * height * depth;
        if count <= POINTS {
            self.rows(0, height * depth);
            self.run(count);
            return &self.pointwise.block(self.tape.output_slot(0))[..count];
        }
        self.values.clear();
        let rows = POINTS / width;
        if rows == 0 {
            self.long_rows(width, height * depth);
        } else {
            for first in (0..height * depth).step_by(rows) {
                let rows = rows.min(height * depth - first);
                self.rows(first, rows);
                self.keep(rows * width);
            }
        }
        self.values
    }

    /// The values of the outputs at points in the cell, which are given by a list of coordinates per axis.
    ///
    /// Values beyond the bounds of the cell are unspecified.
    ///
    /// # Panics
    /// If there is not a list per axis, there are more lists of values than outputs, or they differ in length.
    pub fn at(&mut self, points: &[&[T]], outputs: &mut [&mut [T]]) {
        (Compiled::get().evaluate)(self, points, outputs);
    }

    pub(super) fn compute(&mut self, points: &[&[T]], outputs: &mut [&mut [T]]) {
        let count = outputs.first().map_or(0, |output| output.len());
        assert_eq!(
            points.len(),
            self.region.axes.len(),
            "a list of coordinates per axis"
        );
        assert!(
            outputs.len() <= self.tape.outputs
                && outputs.iter().all(|output| output.len() == count)
                && points.iter().all(|points| points.len() >= count),
            "a value per point for each of the outputs"
        );
        for first in (0..count).step_by(POINTS) {
            let part = first..count.min(first + POINTS);
            for (axis, points) in self.region.axes.iter().zip(points) {
                let slot = Tape::<T>::input_slot(axis.input);
                self.pointwise.fill(slot)[..part.len()].copy_from_slice(&points[part.clone()]);
            }
            self.run(part.len());
            for (index, output) in outputs.iter_mut().enumerate() {
                let values = self.pointwise.block(self.tape.output_slot(index));
                output[part.clone()].copy_from_slice(&values[..part.len()]);
            }
        }
    }

    fn run(&mut self, count: usize) {
        self.pointwise
            .run(self.tape, self.steps, self.constants, count);
    }

    /// Computes the first points and keeps their values.
    fn keep(&mut self, count: usize) {
        self.run(count);
        let values = self.pointwise.block(self.tape.output_slot(0));
        self.values.extend_from_slice(&values[..count]);
    }

    /// Fills in the samples of whole rows along the first axis.
    fn rows(&mut self, first: usize, count: usize) {
        let [width, height, _] = self.counts();
        for (axis, along) in self.region.axes.iter().enumerate() {
            let samples = &along.samples[self.cell.start[axis]..];
            let block = self.pointwise.fill(Tape::<T>::input_slot(along.input));
            for (row, points) in block.chunks_exact_mut(width).take(count).enumerate() {
                let row = first + row;
                match axis {
                    0 => points.copy_from_slice(&samples[..width]),
                    1 => points.fill(samples[row % height]),
                    _ => points.fill(samples[row / height]),
                }
            }
        }
    }

    /// Computes rows that are longer than a block.
    fn long_rows(&mut self, width: usize, rows: usize) {
        let height = self.counts()[1];
        for row in 0..rows {
            for first in (0..width).step_by(POINTS) {
                let count = POINTS.min(width - first);
                for (axis, along) in self.region.axes.iter().enumerate() {
                    let samples = &along.samples[self.cell.start[axis]..];
                    let block = self.pointwise.fill(Tape::<T>::input_slot(along.input));
                    match axis {
                        0 => block[..count].copy_from_slice(&samples[first..first + count]),
                        1 => block[..count].fill(samples[row % height]),
                        _ => block[..count].fill(samples[row / height]),
                    }
                }
                self.keep(count);
            }
        }
    }
}

/// Samples an oracle, in f64.
#[cold]
fn sample_oracle<T: Float>(
    tape: &Tape<T>,
    step: &TapeStep,
    out: &mut [T],
    at: [&[T]; 3],
    numbers: &mut [f64],
) {
    let source = &tape.oracle_channels[step.constants as usize];
    let count = out.len();
    let (coordinates, rest) = numbers.split_at_mut(3 * POINTS);
    for (numbers, block) in coordinates.chunks_exact_mut(POINTS).zip(at) {
        for (number, &coordinate) in numbers.iter_mut().zip(block) {
            *number = coordinate.to_f64();
        }
    }
    let list = |axis: usize| &coordinates[axis * POINTS..axis * POINTS + count];
    let answers = &mut rest[..count];
    source
        .oracle
        .answers
        .sample_block([list(0), list(1), list(2)], source.channel, answers);
    for (value, &answer) in out.iter_mut().zip(answers.iter()) {
        *value = T::from_f64(answer);
    }
}
