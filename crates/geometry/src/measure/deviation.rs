//! Deviation of a mesh from the surface of its shape, at samples of the mesh.
//!
//! The samples are the vertices, the middles of edges and the centres of triangles. The distance of a sample from the
//! surface is that of first order: the value by the length of the gradient. What no sample shows, such as a tip between
//! cells, is not found.

use fibula_core::vector::{Vector, add, length, scale};

use super::stage::Stage;
use crate::{Bounds, Cancelled, Sampler, TriangleMesh};

/// Number of samples that are evaluated at once.
const CHUNK: usize = 1 << 16;

/// Returns the largest distance of samples of a mesh from the surface of a shape within bounds. Samples at which the
/// function or its gradient is undefined, or the gradient is 0, are omitted.
pub(super) fn deviation(
    mesh: &TriangleMesh,
    bounds: &Bounds,
    gradient: &Sampler<f64>,
    stage: Stage<'_>,
) -> Result<f64, Cancelled> {
    let mut samples: Vec<Vector> = mesh.vertices().to_vec();
    samples.reserve(3 * mesh.triangles().len());
    for (number, corners) in mesh.triangles().iter().enumerate() {
        let [a, b, c] = mesh.corners(number);
        samples.push(scale(add(add(a, b), c), 1.0 / 3.0));
        for (side, ends) in [(0, [a, b]), (1, [b, c]), (2, [c, a])] {
            // Each edge of a closed mesh has two triangles.
            if corners[side] < corners[(side + 1) % 3] {
                samples.push(scale(add(ends[0], ends[1]), 0.5));
            }
        }
    }
    let mut most: f64 = 0.0;
    for (number, chunk) in samples.chunks(CHUNK).enumerate() {
        let done = (number * CHUNK) as f64 / samples.len() as f64;
        let stage = stage.part(done, (done + CHUNK as f64 / samples.len() as f64).min(1.0));
        let inputs: [Vec<f64>; 3] =
            std::array::from_fn(|axis| chunk.iter().map(|at| at[axis]).collect());
        let mut results = [(); 4].map(|()| vec![0.0; chunk.len()]);
        let inputs = inputs.each_ref().map(Vec::as_slice);
        let mut outputs = results.each_mut().map(Vec::as_mut_slice);
        gradient.points(&inputs, &mut outputs, &|done, total| {
            stage.report(done, total)
        })?;
        let [values, x, y, z] = results;
        for (place, &at) in chunk.iter().enumerate() {
            let distance = values[place] / length([x[place], y[place], z[place]]);
            // The shape ends at the sides of the box.
            let away = distance.max(beyond(bounds, at)).abs();
            if away.is_finite() && distance.is_finite() {
                most = most.max(away);
            }
        }
    }
    Ok(most)
}

/// Returns the signed distance from a box, which is negative inside.
fn beyond(bounds: &Bounds, at: Vector) -> f64 {
    let sides =
        (0..3).map(|axis| (bounds.low()[axis] - at[axis]).max(at[axis] - bounds.high()[axis]));
    sides.fold(f64::NEG_INFINITY, f64::max)
}
