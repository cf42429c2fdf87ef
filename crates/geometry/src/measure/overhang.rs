//! Overhangs: surfaces that face down too steeply to be built without support.
//!
//! The function's gradient at the centre of a triangle decides, unless it contradicts the triangle: the triangles of a
//! cone are alternately steeper and less steep than it.

use fibula_core::vector::{Vector, add, cross, dot, length, scale, sub, unit};

use super::stage::Stage;
use crate::{Cancelled, Sampler, TriangleMesh};

/// Maximum height above the lowest point of surfaces on the plate, in cells.
const PLATE: f64 = 0.05;
/// Minimum excess over the angle, in radians: surfaces at exactly the angle are no overhangs.
const STEEPER: f64 = 1e-3;
/// Maximum angle between a triangle and the surface, in radians.
const TILT: f64 = 0.35;

/// Returns the area that faces down more steeply than an angle from the vertical, without surfaces on the plate.
pub(super) fn overhanging(
    mesh: &TriangleMesh,
    cell: f64,
    angle: f64,
    gradient: &Sampler<f64>,
    stage: Stage<'_>,
) -> Result<f64, Cancelled> {
    let [low, _] = mesh.bounding_box().unwrap_or_default();
    let plate = low[2] + PLATE * cell;
    let steep = (angle + STEEPER).sin();
    let least = (angle - TILT).sin();
    let sure = (angle + TILT).min(std::f64::consts::FRAC_PI_2).sin();
    let mut area = 0.0;
    let (mut doubtful, mut middles) = (Vec::new(), [const { Vec::new() }; 3]);
    for number in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.corners(number);
        let across = cross(sub(b, a), sub(c, a));
        let doubled = length(across);
        let down = -across[2] / doubled;
        // False without an area, too.
        let is_down = down > least;
        if !is_down || a[2].max(b[2]).max(c[2]) <= plate {
            continue;
        }
        if down > sure {
            area += doubled / 2.0;
            continue;
        }
        doubtful.push(across);
        let middle = scale(add(add(a, b), c), 1.0 / 3.0);
        for (coordinates, coordinate) in middles.iter_mut().zip(middle) {
            coordinates.push(coordinate);
        }
    }
    let mut results = [(); 4].map(|()| vec![0.0; doubtful.len()]);
    let inputs = middles.each_ref().map(Vec::as_slice);
    let mut outputs = results.each_mut().map(Vec::as_mut_slice);
    gradient.points(&inputs, &mut outputs, &|done, total| {
        stage.report(done, total)
    })?;
    let [_, x, y, z] = results;
    for (number, across) in doubtful.into_iter().enumerate() {
        let gradient = unit([x[number], y[number], z[number]]);
        let normal = normal(across, gradient);
        if -normal[2] > steep {
            area += length(across) / 2.0;
        }
    }
    Ok(area)
}

/// Returns the normal: the gradient's, unless it contradicts the triangle.
fn normal(across: Vector, gradient: Option<Vector>) -> Vector {
    let own = unit(across).unwrap_or_default();
    gradient
        .filter(|gradient| dot(*gradient, own) > TILT.cos())
        .unwrap_or(own)
}
