//! Axes of the grids of dual contouring and marching squares.

use fibula_eval::Float;

use super::Bounds;

/// Maximum ratio of the distance of a corner from the origin to a cell, so that neighbouring samples differ.
pub(super) const FINEST: f64 = (1_u64 << 44) as f64;
/// Maximum cells along one side of a box, whose samples are all held.
pub(super) const MAX_ALONG: f64 = (1_u64 << 24) as f64;

/// Distance of inner samples from the upper ends of even divisions, as a fraction of a cell: a number that no design has.
/// Faces at round coordinates lie between samples then, so that solids that touch there are one, and what is cut off
/// there is gone.
const SHIFT: f64 = 0.381_966_011_250_105;

/// Returns the number of cells of at most a size along an edge, and the length of the inner ones.
pub(super) fn division(edge: f64, cell: f64) -> (f64, f64) {
    let inner = (edge / cell * (1.0 - 1e-12)).ceil().max(1.0);
    (inner + 1.0, edge / inner)
}

/// Returns the samples on an axis of a box, the first and the last one on its sides.
pub(super) fn samples<T: Float>(bounds: &Bounds, axis: usize, cell: f64) -> Vec<T> {
    let (low, high) = (bounds.low()[axis], bounds.high()[axis]);
    let (count, step) = division(bounds.size()[axis], cell);
    let inner = (1..count as usize).map(|index| low + (index as f64 - SHIFT) * step);
    let all = [low].into_iter().chain(inner).chain([high]);
    all.map(T::from_f64).collect()
}
