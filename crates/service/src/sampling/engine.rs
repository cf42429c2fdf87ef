//! Values of a function, chunk after chunk, from the evaluators to whoever takes them.

use std::sync::Arc;

use fibula_eval::{Code, Float, Settings};
use fibula_geometry::{Lattice, Sampler};

use super::beside::Progress;
use super::places::{Chunk, Places, Space};
use crate::Refusal;

/// Takes values as they come.
pub(super) trait Sink<T>: Send {
    /// Takes the values of the next points, a list for each output of the code.
    fn take(&mut self, places: &Places, chunk: &Chunk, columns: &[Vec<T>]) -> Result<(), Refusal>;
}

/// Computes the outputs of a code at all places, on all threads. Memory does not grow with the points.
pub(super) fn run<T: Float>(
    code: &Arc<Code>,
    places: &Places,
    settings: Settings,
    sink: &mut dyn Sink<T>,
    progress: &Progress,
) -> Result<(), Refusal> {
    let sampler = Sampler::<T>::of(code, settings);
    let others: Vec<T> = places.others.iter().map(|other| T::of(*other)).collect();
    let mut columns = vec![Vec::new(); code.outputs().len()];
    for chunk in places.space.chunks() {
        for column in &mut columns {
            column.resize(chunk.length, T::ZERO);
        }
        let mut outputs: Vec<&mut [T]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
        let watch = |done: u64, _: u64| progress.tell(chunk.first as u64 + done);
        let outcome = if let Space::Grid(_) = places.space {
            let axes = places.space.axes::<T>(&chunk);
            let axes: Vec<(usize, &[T])> = places
                .varying
                .iter()
                .zip(&axes)
                .map(|((place, _), numbers)| (*place, numbers.as_slice()))
                .collect();
            let lattice = Lattice {
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
