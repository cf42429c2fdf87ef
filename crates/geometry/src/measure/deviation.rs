//! Deviation of a mesh from the surface of its shape, at samples of the mesh.
//!
//! The samples are points of a grid on each triangle, among them its corners, and its centre. The distance of a sample from
//! the surface is that of first order: the value by the length of the gradient. Beyond a sharp edge the surface is farther, so
//! Newton steps lead on to a point of the surface, whose distance is an upper bound. Where a triangle cuts off a crease, the
//! crease is farther from it than it is from the sides; so points of creases are compared with the mesh, too. What no sample
//! shows, such as a tip between cells, is not found.

use fibula_core::vector::{Vector, add, cross, dot, finite, length, scale, sub};
use rayon::prelude::*;

use super::bvh::Bvh;
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
/// Cosine of the least angle between the sides of a crease.
pub(super) const CREASE: f64 = 0.9;
/// Newton steps from where the sides of a crease meet to the surface.
const ONTO: usize = 2;
/// Weight of the place where a point is, beside that of one tangent plane.
const STAY: f64 = 1e-3;
/// Maximum ratio of a step to the one before.
const GROWTH: f64 = 2.0;

/// Returns for each of some triangles of a mesh, by their indexes in ascending order, the largest distance of its samples,
/// which are about `spacing` apart, from the surface of a shape within bounds, and of the points of creases of these triangles to
/// which it is nearest. Samples at which the function or its gradient is undefined, or the gradient is 0, are omitted.
pub(super) fn deviations(
    mesh: &TriangleMesh,
    some: &[usize],
    spacing: f64,
    bounds: &Bounds,
    gradient: &Sampler<f64>,
    stage: Stage<'_>,
) -> Result<Vec<f64>, Cancelled> {
    let mut found = vec![0.0; some.len()];
    let mut next = 0;
    let (mut samples, mut ranges) = (Vec::with_capacity(CHUNK), Vec::new());
    let mut creases = Vec::new();
    while next < some.len() {
        samples.clear();
        ranges.clear();
        let share = next as f64 / some.len() as f64;
        while next < some.len() && samples.len() < CHUNK {
            let first = samples.len();
            for_each_sample(mesh.corners(some[next]), spacing, |at| samples.push(at));
            ranges.push((next, first..samples.len()));
            next += 1;
        }
        let stage = stage.part(share, next as f64 / some.len() as f64);
        let planes = tangent_planes(&samples, bounds, gradient, stage)?;
        let own = ranges.par_iter();
        let own = own.filter_map(|(_, own)| crease(&samples[own.clone()], &planes[own.clone()]));
        let own = own.collect();
        creases.extend(on_surface(own, bounds, gradient, stage.part(1.0, 1.0))?);
        let mut far = Vec::new();
        let owners = ranges
            .iter()
            .flat_map(|(owner, own)| own.clone().map(|_| *owner));
        for ((at, plane), owner) in samples.iter().zip(planes).zip(owners) {
            let Some(plane) = plane else { continue };
            let away = plane.distance.abs();
            found[owner] = away.max(found[owner]);
            if away > FOLLOWED * spacing {
                far.push(Followed {
                    owner,
                    from: *at,
                    to: plane.foot(*at),
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
    let distances = crease_distances(mesh, &creases, bounds, stage)?;
    for (triangle, distance) in distances {
        if let Ok(place) = some.binary_search(&triangle) {
            found[place] = distance.max(found[place]);
        }
    }
    Ok(found)
}

/// Returns the point of a crease at a triangle, where the tangent planes at two of its samples meet that differ most, and the size
/// of the triangle.
fn crease(samples: &[Vector], planes: &[Option<TangentPlane>]) -> Option<(Vector, f64)> {
    let sides = || {
        samples
            .iter()
            .zip(planes)
            .filter_map(|(at, plane)| Some((*at, (*plane)?)))
    };
    let farthest_from = |normal: Vector| {
        let cosine = |(_, plane): &(Vector, TangentPlane)| dot(plane.normal, normal);
        sides().min_by(|a, b| cosine(a).total_cmp(&cosine(b)))
    };
    let one = farthest_from(sides().next()?.1.normal)?;
    let other = farthest_from(one.1.normal)?;
    if dot(one.1.normal, other.1.normal) > CREASE {
        return None;
    }
    let sum = samples.iter().fold([0.0; 3], |sum, at| add(sum, *at));
    let middle = scale(sum, 1.0 / samples.len() as f64);
    let reach = |from: &Vector| length(sub(*from, middle));
    let size = samples.iter().map(reach).fold(0.0, f64::max);
    // Planes that meet elsewhere say nothing about this triangle.
    let at = nearest_of_planes(middle, &[one, other])?;
    (reach(&at) <= size).then_some((at, size))
}

/// Moves points to the surface, and removes those that would move farther than the limit of each; returns them with their
/// remaining distances.
fn on_surface(
    points: Vec<(Vector, f64)>,
    bounds: &Bounds,
    gradient: &Sampler<f64>,
    stage: Stage<'_>,
) -> Result<Vec<(Vector, f64)>, Cancelled> {
    let mut moved: Vec<Vector> = points.iter().map(|(at, _)| *at).collect();
    for _ in 0..ONTO {
        let planes = tangent_planes(&moved, bounds, gradient, stage)?;
        for (at, plane) in moved.iter_mut().zip(planes) {
            *at = plane.map_or([f64::NAN; 3], |plane| plane.foot(*at));
        }
    }
    let planes = tangent_planes(&moved, bounds, gradient, stage)?;
    let all = points.into_iter().zip(moved).zip(planes);
    let near = all.filter(|(((from, most), to), _)| length(sub(*to, *from)) <= *most);
    Ok(near
        .filter_map(|((_, to), plane)| Some((to, plane?.distance.abs())))
        .collect())
}

/// Returns the triangles that are nearest to points, each with its distance from the surface, and the distances from the surface
/// at the points.
fn crease_distances(
    mesh: &TriangleMesh,
    points: &[(Vector, f64)],
    bounds: &Bounds,
    stage: Stage<'_>,
) -> Result<Vec<(usize, f64)>, Cancelled> {
    if points.is_empty() {
        return Ok(Vec::new());
    }
    let last = stage.part(1.0, 1.0);
    last.check()?;
    let triangles = Bvh::new(mesh);
    let most = bounds.diagonal();
    let nearest = last.pieces(points.len(), |range| {
        let own = points[range].iter();
        own.map(|(at, off)| {
            let hit = triangles.nearest(*at, most)?;
            Some((hit.triangle as usize, hit.distance.abs() - off))
        })
        .collect()
    })?;
    Ok(nearest.into_iter().flatten().collect())
}

/// Returns the point nearest to tangent planes, each with the point that it belongs to; where they leave it open, near `at`.
pub(super) fn nearest_of_planes(at: Vector, sides: &[(Vector, TangentPlane)]) -> Option<Vector> {
    let (mut matrix, mut right) = ([[0.0; 3]; 3], [0.0; 3]);
    for (from, plane) in sides {
        let rise = dot(plane.normal, sub(plane.foot(*from), at));
        for (i, row) in matrix.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                *entry += plane.normal[i] * plane.normal[j];
            }
            right[i] += plane.normal[i] * rise;
        }
    }
    for (i, row) in matrix.iter_mut().enumerate() {
        row[i] += STAY * sides.len() as f64;
    }
    let [a, b, c] = matrix;
    let minors = [cross(b, c), cross(c, a), cross(a, b)];
    let determinant = dot(a, minors[0]);
    let parts = [0, 1, 2].map(|place| scale(minors[place], right[place] / determinant));
    let moved = add(parts[0], add(parts[1], parts[2]));
    finite(moved).then(|| add(at, moved))
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

/// A maximum deviation from the surface of a shape within bounds.
pub(super) struct DeviationGoal<'a> {
    pub(super) bounds: &'a Bounds,
    pub(super) gradient: &'a Sampler<f64>,
    /// Size of the cells, and distance of the samples.
    pub(super) cell: f64,
    /// The deviation.
    pub(super) accuracy: f64,
}

/// Returns the largest of some deviations.
pub(super) fn largest(deviations: &[f64]) -> f64 {
    deviations.iter().copied().fold(0.0, f64::max)
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
