//! A compiled function: evaluates columns of numbers on all threads.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use fibula_core::eval::Tape;
use fibula_eval::{
    Batch, BatchEvaluator, Code, Float, Interval, IntervalEvaluator, Rounding, Settings,
};
use fibula_nodes::{PortSpec, Type};
use fibula_service::{ProgressFn, Refusal, WatchedProgress, run_watched};
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::arrays::ColumnsView;

/// Points per piece of work.
pub(crate) const PIECE: usize = 16_384;
/// Instructions over all points from which on a call polls for signals, which takes a thread of its own.
const LONG: usize = 1 << 23;
/// Instructions that take as long as a query of a mesh or an image, about.
const QUERY: usize = 1 << 9;

/// A function that was compiled, with what is prepared for each precision.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) tape: Tape,
    single: Batches<f32>,
    double: Batches<f64>,
}

/// A function prepared for many points in one precision.
#[derive(Debug)]
pub(crate) struct Batches<T: Float> {
    values: OnceLock<Arc<Prepared<T>>>,
    /// With the derivatives by an input, by its index.
    gradients: Mutex<HashMap<usize, Arc<Prepared<T>>>>,
}

/// A code prepared for many points.
#[derive(Debug)]
pub(crate) struct Prepared<T: Float> {
    batch: Batch<T>,
    /// Instructions per point.
    cost: usize,
}

/// A number of an array, in one of the precisions of evaluators.
pub(crate) trait Number: Float + numpy::Element {
    /// In double precision values have the bits of `evaluate`; in single, products may be contracted into sums.
    const ROUNDING: Rounding;

    fn batches(compiled: &Compiled) -> &Batches<Self>;
}

impl Number for f32 {
    const ROUNDING: Rounding = Rounding::Fast;

    fn batches(compiled: &Compiled) -> &Batches<f32> {
        &compiled.single
    }
}

impl Number for f64 {
    const ROUNDING: Rounding = Rounding::Exact;

    fn batches(compiled: &Compiled) -> &Batches<f64> {
        &compiled.double
    }
}

impl<T: Float> Default for Batches<T> {
    fn default() -> Self {
        Batches {
            values: OnceLock::new(),
            gradients: Mutex::default(),
        }
    }
}

impl Compiled {
    /// Prepares a tape.
    ///
    /// # Errors
    /// A [`Refusal`] if an output is no number.
    pub(crate) fn new(tape: Tape) -> Result<Compiled, Refusal> {
        let is_number = |port: &&PortSpec| match port.ty {
            Type::Float | Type::Float3 | Type::Matrix4x4 => true,
            Type::Integer | Type::String | Type::ResourceId => false,
        };
        if let Some(output) = tape.outputs().iter().find(|output| !is_number(output)) {
            let message = format!("the output {output} is no number, so it has no array");
            return Err(Refusal::new("no_field", message)
                .hint("make a function of the other outputs, or use evaluate of a project"));
        }
        Ok(Compiled {
            tape,
            single: Batches::default(),
            double: Batches::default(),
        })
    }

    /// Prepares the values.
    pub(crate) fn values<T: Number>(&self) -> Arc<Prepared<T>> {
        let prepare = || prepared(self.tape.code(T::ROUNDING));
        T::batches(self).values.get_or_init(prepare).clone()
    }

    /// Prepares the values, and after them the derivatives of each scalar output by the components of an input.
    pub(crate) fn gradient<T: Number>(&self, input: usize) -> Arc<Prepared<T>> {
        let gradients = T::batches(self).gradients.lock();
        let mut gradients = gradients.unwrap_or_else(PoisonError::into_inner);
        let prepare = || {
            let widths = self.tape.inputs().iter().map(|input| input.ty.width());
            let first: usize = widths.take(input).sum();
            let directions: Vec<usize> =
                (first..first + self.tape.inputs()[input].ty.width()).collect();
            prepared(&self.tape.code(T::ROUNDING).with_gradient(&directions))
        };
        gradients.entry(input).or_insert_with(prepare).clone()
    }

    /// Bounds of each scalar output in a box, and whether it may be undefined there.
    pub(crate) fn bounds(&self, region: &[Interval<f64>]) -> Vec<(f64, f64, bool)> {
        let code = self.tape.code(Rounding::Exact).clone();
        let mut evaluator = IntervalEvaluator::new(code);
        let bounds = evaluator.evaluate(region).iter();
        bounds
            .map(|bounds| (bounds.low(), bounds.high(), bounds.may_be_undefined()))
            .collect()
    }
}

/// Scalar outputs that are not wanted, and arrays for the others, each with its numbers per point.
pub(crate) type Outputs<'o, T> = (usize, Vec<(&'o mut [T], usize)>);

/// Computes outputs at up to [`PIECE`] points, on this thread.
pub(crate) fn run_here<T: Number>(
    batch: &Prepared<T>,
    columns: ColumnsView<'_, T>,
    count: usize,
    (skipped, outputs): Outputs<'_, T>,
) {
    let piece = Piece {
        from: 0,
        count,
        outputs,
    };
    Worker::new(batch, columns, skipped).compute(columns, piece);
}

/// Computes outputs at all points, on the threads of a pool.
///
/// # Errors
/// [`Refusal::cancelled`] if `watch` cancelled it.
pub(crate) fn run<T: Number>(
    (batch, pool): (&Prepared<T>, &ThreadPool),
    columns: ColumnsView<'_, T>,
    points: usize,
    (skipped, outputs): Outputs<'_, T>,
    watch: ProgressFn<'_>,
) -> Result<(), Refusal> {
    let pieces = pieces(points, outputs);
    let work = |progress: &WatchedProgress| {
        let done = AtomicU64::new(0);
        let worker = || Worker::new(batch, columns, skipped);
        let compute = |worker: &mut Worker<'_, T>, piece: Piece<'_, T>| {
            let count = piece.count as u64;
            worker.compute(columns, piece);
            match progress.report(done.fetch_add(count, Relaxed) + count) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(Refusal::cancelled()),
            }
        };
        pool.install(|| pieces.into_par_iter().try_for_each_init(worker, compute))
    };
    if points.saturating_mul(batch.cost) < LONG {
        return work(&WatchedProgress::default());
    }
    run_watched(points as u64, watch, work)
}

fn prepared<T: Number>(code: &Code) -> Arc<Prepared<T>> {
    Arc::new(Prepared {
        batch: Batch::new(code, code.inputs(), Settings::default()),
        cost: code.instructions().len() + QUERY * code.oracles().len(),
    })
}

/// Some of the points.
struct Piece<'o, T> {
    /// The first of them.
    from: usize,
    count: usize,
    /// The part of each output that belongs to them, and its numbers per point.
    outputs: Vec<(&'o mut [T], usize)>,
}

/// Scratch memory of one thread.
struct Worker<'a, T: Float> {
    evaluator: BatchEvaluator<'a, T>,
    /// Numbers of inputs that do not lie one after the other.
    gathered: Vec<Vec<T>>,
    /// Outputs that nobody wants, then those that are interleaved.
    computed: Vec<Vec<T>>,
    skipped: usize,
}

impl<'a, T: Number> Worker<'a, T> {
    fn new(batch: &'a Prepared<T>, columns: ColumnsView<'_, T>, skipped: usize) -> Self {
        Worker {
            evaluator: batch.batch.evaluator(),
            gathered: vec![Vec::new(); columns.count()],
            computed: Vec::new(),
            skipped,
        }
    }

    fn compute(&mut self, columns: ColumnsView<'_, T>, piece: Piece<'_, T>) {
        let Piece {
            from,
            count,
            mut outputs,
        } = piece;
        let inputs = self.gathered.iter_mut().enumerate();
        let inputs: Vec<&[T]> = inputs
            .map(|(input, scratch)| columns.numbers(input, from, count, scratch))
            .collect();
        let interleaved = outputs.iter().map(|(_, width)| *width);
        let interleaved: usize = interleaved.filter(|width| *width != 1).sum();
        self.computed
            .resize_with(self.skipped + interleaved, Vec::new);
        for column in &mut self.computed {
            column.resize(count, T::ZERO);
        }
        let mut computed = self.computed.iter_mut().map(Vec::as_mut_slice);
        let mut targets: Vec<&mut [T]> = computed.by_ref().take(self.skipped).collect();
        for (output, width) in &mut outputs {
            if *width == 1 {
                targets.push(output);
            } else {
                targets.extend(computed.by_ref().take(*width));
            }
        }
        self.evaluator.run(&inputs, &[], &mut targets);
        let mut columns = self.computed[self.skipped..].iter();
        for (output, width) in outputs.into_iter().filter(|(_, width)| *width != 1) {
            for (component, column) in columns.by_ref().take(width).enumerate() {
                let to = output.iter_mut().skip(component).step_by(width);
                to.zip(column).for_each(|(to, number)| *to = *number);
            }
        }
    }
}

fn pieces<T>(points: usize, outputs: Vec<(&mut [T], usize)>) -> Vec<Piece<'_, T>> {
    let piece = |from: usize| Piece {
        from,
        count: PIECE.min(points - from),
        outputs: Vec::with_capacity(outputs.len()),
    };
    let mut pieces: Vec<Piece<'_, T>> = (0..points).step_by(PIECE).map(piece).collect();
    for (output, width) in outputs {
        let parts = output.chunks_mut(PIECE * width);
        for (piece, part) in pieces.iter_mut().zip(parts) {
            piece.outputs.push((part, width));
        }
    }
    pieces
}
