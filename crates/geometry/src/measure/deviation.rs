//! Deviation of a mesh from the surface of its shape, at samples of the mesh.
//!
//! The samples are points of a grid on each triangle, among them its corners, and its centre. The distance of a sample from
//! the surface is that of first order: the value by the length of the gradient. Beyond a sharp edge the surface is farther, so
//! Newton steps lead on to a point of the surface, whose distance is an upper bound. What no sample shows, such as a tip
//! between cells, is not found.

use fibula_core::vector::{Vector, add, finite, length, scale, sub};

use super::stage::Stage;
use crate::{Bounds, Cancelled, Sampler, TriangleMesh};

/// Number of samples that are evaluated at once.
const CHUNK: usize = 1 << 16;
/// Range of the number of steps of the grid along a side.
const STEPS: [f64; 2] = [2.0, 32.0];
/// Distance from which on a sample is followed to the surface, as a fraction of the spacing, and number of Newton steps.
const FOLLOWED: f64 = 1.0 / 64.0;
const NEWTON: usize = 4;
/// Maximum ratio of that distance to the first step.
const LONGER: f64 = 4.0;
/// Maximum ratio of a step to the one before.
const GROWTH: f64 = 2.0;

/// Returns for each triangle of a mesh the largest distance of its samples, which are about `spacing` apart, from the surface
/// of a shape within bounds. Samples at which the function or its gradient is undefined, or the gradient is 0, are omitted.
pub(super) fn deviations(
    mesh: &TriangleMesh,
    spacing: f64,
    bounds: &Bounds,
    gradient: &Sampler<f64>,
    stage: Stage<'_>,
) -> Result<Vec<f64>, Cancelled> {
    let total = mesh.triangles().len();
    let mut found = vec![0.0; total];
    let mut next = 0;
    let (mut samples, mut owners) = (Vec::with_capacity(CHUNK), Vec::with_capacity(CHUNK));
    while next < total {
        samples.clear();
        owners.clear();
        let share = next as f64 / total as f64;
        while next < total && owners.len() < CHUNK {
            for_each_sample(mesh.corners(next), spacing, |at| {
                samples.push(at);
                owners.push(next);
            });
            next += 1;
        }
        let stage = stage.part(share, next as f64 / total as f64);
        let steps = newton_steps(&samples, bounds, gradient, stage)?;
        let mut far = Vec::new();
        for ((at, step), &owner) in samples.iter().zip(steps).zip(&owners) {
            let Some(step) = step else { continue };
            let away = length(step);
            found[owner] = away.max(found[owner]);
            if away > FOLLOWED * spacing {
                far.push(Followed {
                    owner,
                    from: *at,
                    to: sub(*at, step),
                    first: away,
                    last: away,
                });
            }
        }
        for _ in 1..NEWTON {
            let points: Vec<Vector> = far.iter().map(|one| one.to).collect();
            let steps = newton_steps(&points, bounds, gradient, stage.part(1.0, 1.0))?;
            for (one, step) in far.iter_mut().zip(steps) {
                one.go(step);
            }
        }
        for one in far {
            found[one.owner] = one.distance().max(found[one.owner]);
        }
    }
    Ok(found)
}

/// A sample that is followed to the surface.
struct Followed {
    owner: usize,
    from: Vector,
    to: Vector,
    /// Lengths of the first and the last step.
    first: f64,
    last: f64,
}

impl Followed {
    /// Takes a step, unless it is no improvement: at an edge steps become at most twice as long, and on the surface itself the
    /// gradient may be degenerate.
    fn go(&mut self, step: Option<Vector>) {
        let Some(step) = step.filter(|step| length(*step) <= GROWTH * self.last) else {
            self.last = 0.0;
            return;
        };
        self.last = length(step);
        self.to = sub(self.to, step);
    }

    /// Upper bound of the distance from the surface.
    fn distance(&self) -> f64 {
        // Where the function is no distance at all, steps lead anywhere.
        length(sub(self.to, self.from)).min(LONGER * self.first)
    }
}

/// First-order approximation of the surface at a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct TangentPlane {
    /// Unit normal, to the outside.
    pub(super) normal: Vector,
    /// Signed distance of the point.
    pub(super) distance: f64,
}

impl TangentPlane {
    /// The point of the plane nearest to the point.
    pub(super) fn foot(&self, at: Vector) -> Vector {
        sub(at, self.offset())
    }

    fn offset(&self) -> Vector {
        scale(self.normal, self.distance)
    }
}

/// Returns the offsets of points from their [tangent planes](tangent_planes).
fn newton_steps(
    points: &[Vector],
    bounds: &Bounds,
    gradient: &Sampler<f64>,
    stage: Stage<'_>,
) -> Result<Vec<Option<Vector>>, Cancelled> {
    let planes = tangent_planes(points, bounds, gradient, stage)?;
    let offset = |plane: Option<TangentPlane>| plane.map(|plane| plane.offset());
    Ok(planes.into_iter().map(offset).collect())
}

/// Returns the tangent planes of the surface of a shape within bounds at points; none where the function or its gradient is
/// undefined, or the gradient is 0.
pub(super) fn tangent_planes(
    points: &[Vector],
    bounds: &Bounds,
    gradient: &Sampler<f64>,
    stage: Stage<'_>,
) -> Result<Vec<Option<TangentPlane>>, Cancelled> {
    let inputs: [Vec<f64>; 3] =
        std::array::from_fn(|axis| points.iter().map(|at| at[axis]).collect());
    let mut results = [(); 4].map(|()| vec![0.0; points.len()]);
    let inputs = inputs.each_ref().map(Vec::as_slice);
    let mut outputs = results.each_mut().map(Vec::as_mut_slice);
    gradient.points(&inputs, &mut outputs, &|done, total| {
        stage.report(done, total)
    })?;
    let [values, x, y, z] = results;
    let plane = |(place, at): (usize, &Vector)| {
        let gradient = [x[place], y[place], z[place]];
        let slope = length(gradient);
        let distance = values[place] / slope;
        let (beyond, axis, outward) = beyond(bounds, *at);
        if !distance.is_finite() {
            return None;
        }
        // The shape ends at the sides of the box.
        if beyond > distance {
            let mut normal = [0.0; 3];
            normal[axis] = outward;
            let distance = beyond;
            return Some(TangentPlane { normal, distance });
        }
        let normal = scale(gradient, 1.0 / slope);
        finite(normal).then_some(TangentPlane { normal, distance })
    };
    Ok(points.iter().enumerate().map(plane).collect())
}

/// Calls `visit` with the samples of a triangle.
fn for_each_sample([a, b, c]: [Vector; 3], spacing: f64, mut visit: impl FnMut(Vector)) {
    let sides = [sub(b, a), sub(c, a), sub(c, b)];
    let longest = sides.map(length).into_iter().fold(0.0, f64::max);
    let steps = (longest / spacing).ceil().clamp(STEPS[0], STEPS[1]) as u32;
    let at = |u: f64, v: f64| add(a, add(scale(sides[0], u), scale(sides[1], v)));
    let part = 1.0 / f64::from(steps);
    for i in 0..=steps {
        for j in 0..=steps - i {
            visit(at(f64::from(i) * part, f64::from(j) * part));
        }
    }
    visit(at(1.0 / 3.0, 1.0 / 3.0));
}

/// Returns the signed distance from a box, which is negative inside, and the axis and the direction of the nearest side.
fn beyond(bounds: &Bounds, at: Vector) -> (f64, usize, f64) {
    let sides = (0..3).flat_map(|axis| {
        let (low, high) = (
            bounds.low()[axis] - at[axis],
            at[axis] - bounds.high()[axis],
        );
        [(low, axis, -1.0), (high, axis, 1.0)]
    });
    sides.fold((f64::NEG_INFINITY, 0, 1.0), |most, side| {
        if side.0 > most.0 { side } else { most }
    })
}
