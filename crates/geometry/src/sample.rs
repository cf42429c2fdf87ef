//! Sampling: values of a function at many points, on all threads, with progress and cancellation.
//!
//! The work is divided into pieces for rayon's threads; run it inside a pool of your own (`rayon::ThreadPool::install`)
//! for another number of threads than the processor has. Values do not depend on the division. Memory does not grow
//! with the points.

use std::sync::Arc;

use fibula_core::eval::Tape;
use fibula_core::vector::Vector;
use fibula_eval::{Batch, BatchEvaluator, Code, Float, Grid, GridEvaluator, Rounding, Settings};
use fibula_knowledge::progress::{Cancelled, Progress, Watch};
use rayon::prelude::*;

/// Points per piece.
const PIECE: usize = 16_384;

/// A grid of points, parallel to the axes of some inputs.
#[derive(Debug, Clone, Copy)]
pub struct SampleGrid<'a, T> {
    /// One to three scalar inputs by index, and the coordinates on each; the first varies fastest.
    pub axes: &'a [(usize, &'a [T])],
    /// Values of the other scalar inputs, in their order.
    pub others: &'a [T],
}

impl<T> SampleGrid<'_, T> {
    /// Number of points.
    pub fn len(&self) -> usize {
        self.axes
            .iter()
            .map(|(_, coordinates)| coordinates.len())
            .product()
    }

    /// True without points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A function prepared for sampling; immutable and shared between threads.
#[derive(Debug)]
pub struct Sampler<T: Float> {
    batch: Batch<T>,
    inputs: usize,
    outputs: usize,
    settings: Settings,
    code: Arc<Code>,
}

impl<T: Float> Sampler<T> {
    /// Prepares the function of a tape.
    ///
    /// # Panics
    /// If the processor lacks the instructions of `settings`.
    pub fn new(tape: &Tape, rounding: Rounding, settings: Settings) -> Sampler<T> {
        Sampler::from_code(tape.code(rounding), settings)
    }

    /// Prepares a code, such as that of a function with its gradient.
    ///
    /// # Panics
    /// If the processor lacks the instructions of `settings`.
    pub fn from_code(code: &Arc<Code>, settings: Settings) -> Sampler<T> {
        Sampler {
            batch: Batch::new(code, code.inputs(), settings),
            inputs: code.inputs(),
            outputs: code.outputs().len(),
            settings,
            code: code.clone(),
        }
    }

    /// Writes the scalar outputs at points; each scalar input is a slice.
    ///
    /// # Errors
    /// [`Cancelled`] if `watch` cancelled it; the outputs then hold some of the values.
    ///
    /// # Panics
    /// If there are not as many slices as scalar inputs and outputs, or their lengths differ.
    pub fn points(
        &self,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
        watch: &Watch<'_>,
    ) -> Result<(), Cancelled> {
        assert_eq!(inputs.len(), self.inputs, "one slice per scalar input");
        let total = outputs.first().map_or(0, |output| output.len());
        assert!(
            inputs.iter().all(|input| input.len() == total),
            "one number per point in each slice"
        );
        let run = |evaluator: &mut BatchEvaluator<'_, T>, from: usize, outputs: &mut [&mut [T]]| {
            let to = from + outputs[0].len();
            let inputs: Vec<&[T]> = inputs.iter().map(|input| &input[from..to]).collect();
            evaluator.run(&inputs, &[], outputs);
        };
        self.in_pieces(PIECE, outputs, watch, || self.batch.evaluator(), run)
    }

    /// Writes the scalar outputs on a grid; the first axis varies fastest.
    ///
    /// Computes once what depends on one axis only, or is constant along the first.
    ///
    /// # Errors
    /// [`Cancelled`] if `watch` cancelled it; the outputs then hold some of the values.
    ///
    /// # Panics
    /// If the axes are not one to three different scalar inputs, the others are not as many as the rest of them, or an
    /// output is not as long as the grid.
    pub fn grid(
        &self,
        lattice: &SampleGrid<'_, T>,
        outputs: &mut [&mut [T]],
        watch: &Watch<'_>,
    ) -> Result<(), Cancelled> {
        assert!(
            outputs.iter().all(|output| output.len() == lattice.len()),
            "one place per point in each output"
        );
        let axes: Vec<usize> = lattice.axes.iter().map(|&(input, _)| input).collect();
        let grid = Grid::new(&self.code, &axes, self.settings);
        let (_, first) = lattice.axes[0];
        // A row is one piece of work: a long one is divided, and a line has nothing that is constant along rows.
        if axes.len() == 1 || first.len() > PIECE || !grid.pays(first.len()) {
            return self.plain_grid(lattice, outputs, watch);
        }
        let coordinate = |axis: usize, row: usize| {
            let Some((_, coordinates)) = lattice.axes.get(axis) else {
                return T::ZERO;
            };
            let faster = &lattice.axes[1..axis];
            let stride: usize = faster.iter().map(|(_, axis)| axis.len()).product();
            coordinates[row / stride % coordinates.len()]
        };
        let run = |evaluator: &mut GridEvaluator<'_, T>, from: usize, outputs: &mut [&mut [T]]| {
            let from = from / first.len();
            let to = from + outputs[0].len() / first.len();
            let all = |axis| -> Vec<T> { (from..to).map(|row| coordinate(axis, row)).collect() };
            evaluator.run(&all(1), &all(2), outputs);
        };
        let evaluator = || grid.evaluator(first, lattice.others);
        let rows = (PIECE / first.len()).max(1);
        self.in_pieces(rows * first.len(), outputs, watch, evaluator, run)
    }

    /// Writes the outputs on a grid with the coordinates of each point written out.
    fn plain_grid(
        &self,
        lattice: &SampleGrid<'_, T>,
        outputs: &mut [&mut [T]],
        watch: &Watch<'_>,
    ) -> Result<(), Cancelled> {
        let mut others = lattice.others.iter();
        // For each input, the coordinates of its axis and their stride, or its constant value.
        let sources: Vec<(&[T], usize)> = (0..self.inputs)
            .map(|input| {
                let place = lattice.axes.iter().position(|&(axis, _)| axis == input);
                let Some(place) = place else {
                    let other = others.next();
                    let other = other.expect("one number per input that is no coordinate");
                    return (std::slice::from_ref(other), 1);
                };
                let faster = &lattice.axes[..place];
                let stride = faster.iter().map(|(_, axis)| axis.len()).product();
                (lattice.axes[place].1, stride)
            })
            .collect();
        let evaluator = || (self.batch.evaluator(), vec![Vec::new(); self.inputs]);
        let run = |(evaluator, written): &mut (BatchEvaluator<'_, T>, Vec<Vec<T>>),
                   from: usize,
                   outputs: &mut [&mut [T]]| {
            let to = from + outputs[0].len();
            for (written, &(axis, stride)) in written.iter_mut().zip(&sources) {
                write_coordinates(written, axis, stride, from, to);
            }
            let inputs: Vec<&[T]> = written.iter().map(Vec::as_slice).collect();
            evaluator.run(&inputs, &[], outputs);
        };
        self.in_pieces(PIECE, outputs, watch, evaluator, run)
    }

    /// Runs pieces of `piece` points on all threads; each of rayon's tasks creates one evaluator.
    fn in_pieces<E>(
        &self,
        piece: usize,
        outputs: &mut [&mut [T]],
        watch: &Watch<'_>,
        evaluator: impl Fn() -> E + Sync + Send,
        run: impl Fn(&mut E, usize, &mut [&mut [T]]) + Sync + Send,
    ) -> Result<(), Cancelled> {
        assert_eq!(outputs.len(), self.outputs, "one slice per scalar output");
        let total = outputs.first().map_or(0, |output| output.len());
        assert!(
            outputs.iter().all(|output| output.len() == total),
            "one place per point in each output"
        );
        let mut rests: Vec<&mut [T]> = outputs.iter_mut().map(|output| &mut **output).collect();
        let mut pieces = Vec::with_capacity(total.div_ceil(piece));
        for from in (0..total).step_by(piece) {
            let length = piece.min(total - from);
            let own: Vec<&mut [T]> = rests
                .iter_mut()
                .map(|rest| {
                    rest.split_off_mut(..length)
                        .expect("the outputs are as long as all pieces")
                })
                .collect();
            pieces.push((from, own));
        }
        let progress = Progress::new(total as u64, watch);
        pieces
            .into_par_iter()
            .for_each_init(evaluator, |evaluator, (from, mut outputs)| {
                if progress.is_ended() {
                    return;
                }
                run(evaluator, from, &mut outputs);
                progress.add(outputs[0].len() as u64);
            });
        progress.finish(())
    }
}

/// Returns the coordinates of points as a list for each axis.
pub(super) fn columns(points: &[Vector]) -> [Vec<f64>; 3] {
    [0, 1, 2].map(|axis| points.iter().map(|at| at[axis]).collect())
}

/// Writes the coordinates on one axis of the points from `from` to `to`; each repeats for `stride` points.
fn write_coordinates<T: Float>(
    written: &mut Vec<T>,
    axis: &[T],
    stride: usize,
    from: usize,
    to: usize,
) {
    written.clear();
    let mut next = from;
    while next < to {
        let place = next / stride % axis.len();
        if stride == 1 {
            let run = (axis.len() - place).min(to - next);
            written.extend_from_slice(&axis[place..place + run]);
            next += run;
        } else {
            let run = (stride - next % stride).min(to - next);
            written.resize(written.len() + run, axis[place]);
            next += run;
        }
    }
}
