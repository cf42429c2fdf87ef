//! Evaluation chunk by chunk: memory does not depend on the number of points.

use std::sync::Arc;

use fibula_eval::{Code, Float, Settings};
use fibula_geometry::{SampleGrid, Sampler};

use super::sample_points::{Chunk, PointSet, SamplePoints};
use crate::background::WatchedProgress;
use crate::refusal::{Refusal, Result};

/// Consumer of values.
pub(super) trait ChunkSink<T>: Send {
    /// Consumes the values of the next points, a column for each output of the code.
    fn take(&mut self, places: &SamplePoints, chunk: &Chunk, columns: &[Vec<T>]) -> Result<()>;
}

/// Evaluates a code at all points, on all threads.
pub(super) fn run<T: Float>(
    code: &Arc<Code>,
    places: &SamplePoints,
    settings: Settings,
    sink: &mut dyn ChunkSink<T>,
    progress: &WatchedProgress,
) -> Result<()> {
    let sampler = Sampler::<T>::from_code(code, settings);
    let others: Vec<T> = places
        .others
        .iter()
        .map(|other| T::from_f64(*other))
        .collect();
    let mut columns = vec![Vec::new(); code.outputs().len()];
    for chunk in places.space.chunks() {
        for column in &mut columns {
            column.resize(chunk.length, T::ZERO);
        }
        let mut outputs: Vec<&mut [T]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
        let watch = |done: u64, _: u64| progress.report(chunk.first as u64 + done);
        let outcome = if let PointSet::Grid(_) = places.space {
            let axes = places.space.axes::<T>(&chunk);
            let axes: Vec<(usize, &[T])> = places
                .varying
                .iter()
                .zip(&axes)
                .map(|((place, _), numbers)| (*place, numbers.as_slice()))
                .collect();
            let lattice = SampleGrid {
                axes: &axes,
                others: &others,
            };
            sampler.grid(&lattice, &mut outputs, &watch)
        } else {
            let inputs = places.inputs::<T>(&chunk);
            let inputs: Vec<&[T]> = inputs.iter().map(Vec::as_slice).collect();
            sampler.points(&inputs, &mut outputs, &watch)
        };
        outcome.map_err(|_| Refusal::cancelled())?;
        sink.take(places, &chunk, &columns)?;
    }
    Ok(())
}
