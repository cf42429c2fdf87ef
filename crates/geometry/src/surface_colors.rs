//! Colours of points on a surface, such as the vertices of a mesh.

use fibula_eval::{Rounding, Settings};
use fibula_knowledge::progress::{Cancelled, Watch};

use super::picture::{Light, SURFACE, paint};
use super::sample::{Sampler, columns};
use super::shape::Shape;

/// Points per batch.
const MANY: usize = 1 << 18;

/// Returns the colours of a shape at some points: linear sRGB, clamped to 0 and 1; the colour of plain surfaces where
/// all three are below 0. `red` is the first of three scalar outputs. Calls `watch` with the points done and their
/// total.
///
/// # Errors
/// [`Cancelled`] if `watch` cancelled it.
///
/// # Panics
/// If there are no such outputs.
pub fn colors(
    shape: &Shape<'_>,
    red: usize,
    points: &[[f64; 3]],
    watch: &Watch<'_>,
) -> Result<Vec<Light>, Cancelled> {
    let code = shape.code(Rounding::Fast, &[red, red + 1, red + 2], |_, at| at);
    let sampler = Sampler::<f64>::from_code(&code, Settings::default());
    let mut found = Vec::with_capacity(points.len());
    for some in points.chunks(MANY) {
        let inputs = columns(some);
        let mut parts = [0, 1, 2].map(|_| vec![0.0; some.len()]);
        let done = found.len() as u64;
        let [red, green, blue] = &mut parts;
        sampler.points(
            &inputs.each_ref().map(Vec::as_slice),
            &mut [red, green, blue],
            &|more, _| watch(done + more, points.len() as u64),
        )?;
        let color = |index: usize| {
            let light = paint(parts.each_ref().map(|part| part[index] as f32));
            light.unwrap_or(SURFACE)
        };
        found.extend((0..some.len()).map(color));
    }
    Ok(found)
}
