//! Deviation of a mesh from the surface of its shape, at samples of the mesh.
//!
//! The samples are points of a grid on each triangle, among them its corners, and its centre. The distance of a sample from
//! the surface is that of first order: the value by the length of the gradient. Beyond a sharp edge the surface is farther, so
//! Newton steps lead on to a point of the surface, whose distance is an upper bound. Where a triangle cuts off a crease, the
//! crease is farther from it than it is from the sides; so points of creases are compared with the mesh, too. What no sample
//! shows, such as a tip between cells, is not found.

use fibula_core::vector::{Vector, add, dot, finite, length, scale, sub};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::bvh::Bvh;
use super::stage::Stage;
use crate::mesh::{Plane, nearest_to_planes};
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
const ONTO: usize = 4;
/// A point counts as one of the surface if that is nearer than this part of its distance from the mesh: farther away, the
/// first-order distance from the surface is too inexact to be subtracted.
const ARRIVED: f64 = 0.1;
/// Maximum ratio of a step to the one before.
const GROWTH: f64 = 2.0;
/// Number of triangles per point of a crease from which on only those near such points are searched.
const SPARSE: usize = 16;
/// Boxes of a grid that a triangle may touch before it counts as near a point of a crease without a look.
const MOST_BOXES: f64 = 64.0;

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

/// A point where sides of the surface meet.
struct CreasePoint {
    at: Vector,
    /// Distance from the surface.
    off: f64,
    /// Distance within which a triangle is.
    reach: f64,
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
    let at = nearest_to_planes(middle, &[one, other].map(|(at, plane)| plane.at_foot(at)))?;
    (reach(&at) <= size).then_some((at, size))
}

/// Moves the points of creases of triangles, given with the sizes of these, to the surface, and removes those that would move
/// farther than that.
fn on_surface(
    points: Vec<(Vector, f64)>,
    bounds: &Bounds,
    gradient: &Sampler<f64>,
    stage: Stage<'_>,
) -> Result<Vec<CreasePoint>, Cancelled> {
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
        .filter_map(|(((_, size), at), plane)| {
            Some(CreasePoint {
                at,
                off: plane?.distance.abs(),
                // The first place was within that of the middle, and so was the way from there.
                reach: 2.0 * size,
            })
        })
        .collect())
}

/// Returns the triangles that are nearest to points of creases, each with its distance from the surface there.
fn crease_distances(
    mesh: &TriangleMesh,
    points: &[CreasePoint],
    bounds: &Bounds,
    stage: Stage<'_>,
) -> Result<Vec<(usize, f64)>, Cancelled> {
    if points.is_empty() {
        return Ok(Vec::new());
    }
    let last = stage.part(1.0, 1.0);
    last.check()?;
    let near =
        (points.len() * SPARSE < mesh.triangles().len()).then(|| triangles_near(mesh, points));
    let part = near.as_ref().map(|near| {
        let triangles = near.iter().map(|number| mesh.triangles()[*number]);
        TriangleMesh::from_valid(mesh.vertices().to_vec(), triangles.collect())
    });
    let triangles = Bvh::new(part.as_ref().unwrap_or(mesh));
    let most = bounds.diagonal();
    let nearest = last.pieces(points.len(), |range| {
        let own = points[range].iter();
        own.map(|point| {
            let hit = triangles.nearest(point.at, most)?;
            let own = hit.triangle as usize;
            let triangle = near.as_ref().map_or(own, |near| near[own]);
            let distance = hit.distance.abs();
            (point.off <= ARRIVED * distance).then_some((triangle, distance - point.off))
        })
        .collect()
    })?;
    Ok(nearest.into_iter().flatten().collect())
}

/// Returns the triangles that may be within the reach of some points, and perhaps others, by a grid of boxes.
fn triangles_near(mesh: &TriangleMesh, points: &[CreasePoint]) -> Vec<usize> {
    let side = points.iter().map(|point| 2.0 * point.reach);
    let side = side.fold(f64::MIN_POSITIVE, f64::max);
    let places = |low: Vector, high: Vector| {
        let [low, high] = [low, high].map(|at| at.map(|x| (x / side).floor()));
        let count: f64 = sub(high, low).into_iter().map(|size| size + 1.0).product();
        let along = move |axis: usize| {
            let steps = 0..=(high[axis] - low[axis]) as u32;
            steps.map(move |step| (low[axis] + f64::from(step)).to_bits())
        };
        let places = along(0)
            .flat_map(move |x| along(1).flat_map(move |y| along(2).map(move |z| [x, y, z])));
        (count, places)
    };
    let reached = points.iter().flat_map(|CreasePoint { at, reach, .. }| {
        places(at.map(|x| x - reach), at.map(|x| x + reach)).1
    });
    let reached: FxHashSet<[u64; 3]> = reached.collect();
    let is_near = |number: &usize| {
        let [low, high] = mesh.box_of(*number as u32);
        let (count, mut places) = places(low, high);
        count > MOST_BOXES || places.any(|place| reached.contains(&place))
    };
    (0..mesh.triangles().len())
        .into_par_iter()
        .filter(is_near)
        .collect()
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

    /// The plane, given the point.
    pub(super) fn at_foot(&self, at: Vector) -> Plane {
        Plane {
            point: self.foot(at),
            normal: self.normal,
        }
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

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use fibula_core::oracle::offset_from_triangle;

    use super::super::{SurfaceReference, mesh_resolved};
    use super::*;
    use crate::testing::tape;
    use crate::{MeshSettings, Shape, Watch};

    const ON: &Watch<'_> = &|_, _| ControlFlow::Continue(());

    #[test]
    fn the_repair_of_cuts_leaves_vertices_on_faces_and_edges() {
        // Where a wall ends in a sharp edge, vertices of neighbouring cells are in the wrong order along it.
        let text = "max(gyroid(pos, 10, 1), box(pos, vec3(20, 20, 20)))";
        let tape = tape(text);
        let shape = Shape::new(&tape).unwrap();
        let bounds = Bounds::new([-10.04; 3], [10.04; 3]).unwrap();
        let made = mesh_resolved(&shape, &MeshSettings::new(bounds, 0.4), 0.4, ON).unwrap();
        let mut mesh = made.meshed.mesh;
        let reference = SurfaceReference::new(&shape, &bounds, 0.4);
        let before = largest(&reference.deviations(&mesh, ON).unwrap());
        assert!(mesh.cutting_pairs(ON).unwrap().len() > 50);
        assert_eq!(mesh.untangle(ON), Ok(0));
        let after = largest(&reference.deviations(&mesh, ON).unwrap());
        assert!(after < 1.2 * before && after < 0.05, "{before} {after}");
    }

    #[test]
    fn triangles_within_reach_are_found_among_many() {
        const SIDE: u32 = 40;
        // The boxes of the grid are smaller than the triangles.
        const REACH: f64 = 0.4;
        let place = |x: u32, y: u32| x * (SIDE + 1) + y;
        let squares = (0..SIDE).flat_map(|x| (0..SIDE).map(move |y| (x, y)));
        let triangles = squares.flat_map(|(x, y)| {
            let [a, b] = [place(x, y), place(x + 1, y)];
            let [c, d] = [place(x + 1, y + 1), place(x, y + 1)];
            [[a, b, c], [a, c, d]]
        });
        let places = (0..=SIDE).flat_map(|x| (0..=SIDE).map(move |y| [x, y].map(f64::from)));
        let vertices = places.map(|[x, y]| [x - 20.0, y - 20.0, (x * y).sin()]);
        let mesh = TriangleMesh::new(vertices.collect(), triangles.collect()).unwrap();
        let points =
            [0, 700, 1_300, 1_680].map(|vertex| add(mesh.vertices()[vertex], [0.1, 0.2, 0.2]));
        let points = points.map(|at| CreasePoint {
            at,
            off: 0.0,
            reach: REACH,
        });
        let near = triangles_near(&mesh, &points);
        assert!(near.len() < mesh.triangles().len() / 4, "{}", near.len());
        for point in &points {
            let distance =
                |number: usize| length(offset_from_triangle(mesh.corners(number), point.at));
            let within = (0..mesh.triangles().len()).filter(|number| distance(*number) <= REACH);
            let within: Vec<usize> = within.collect();
            assert!(!within.is_empty());
            assert!(
                within
                    .iter()
                    .all(|number| near.binary_search(number).is_ok())
            );
        }
    }
}
