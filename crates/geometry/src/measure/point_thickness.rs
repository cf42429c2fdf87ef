//! Wall thickness at a given point: straight through the material, from the nearest surface to the other side.
//!
//! At the rim of a plate the nearest surface may be the rim, from which straight is all along the plate. Therefore the largest
//! ball inside that touches the surface there is found (shrinking ball; Ma, Bae and Choi, *3D medial axis point approximation
//! using nearest neighbors and the normal field*, 2012). Where it touches the surface once more, there is another way straight
//! through the material. Beside a corner, a ball that touches both rims and grows away from them finds a third. The shortest
//! counts, or if it is beside the point between flat sides, the one through the point that is parallel to it.

use fibula_core::graph::Content as _;
use fibula_core::vector::{Vector, add, cross, dot, finite, length, scale, sub, unit};
use fibula_nodes::{Oracle, Query};

use super::bvh::Bvh;
use super::error::MeasureError;
use super::thickness::{FACING, Medium, PARALLEL, Probe, Way, halved, long};
use crate::TriangleMesh;

/// Distance from the mesh, in cells, up to which a point lies on the surface: vertices are off by up to a 4000th of a cell, so that
/// such a point may be on either side of the mesh.
const ON_SURFACE: f64 = 1e-3;
/// Distance outside the material, in cells, up to which a point counts as one of the surface.
const BESIDE: f64 = 0.5;

/// Distance in cells at which the function is compared where its gradient is undefined.
const APART: f64 = 0.01;
/// Maximum number of steps in which a ball shrinks, and the part of its radius by which the surface may be inside of it.
const SHRINKS: usize = 64;
const TOUCHING: f64 = 1e-3;
/// Maximum number of triangles that a ray enters before it is inside.
const ENTRIES: usize = 4;
/// Maximum radius of a ball that does not fill the way, as a part of it.
const SMALL: f64 = 0.4;
/// Growth of a ball by the way of its centre between two sides that are as good as parallel.
const SLOWEST: f64 = 0.1;

impl Probe<'_> {
    /// Returns the outward normal by central differences.
    fn difference_normal(&mut self, at: Vector) -> Option<Vector> {
        let apart = APART * self.cell;
        let mut normal = [0.0; 3];
        for (axis, component) in normal.iter_mut().enumerate() {
            let [mut before, mut after] = [at; 2];
            before[axis] -= apart;
            after[axis] += apart;
            *component = self.ask(after).0 - self.ask(before).0;
        }
        unit(normal).filter(|normal| finite(*normal))
    }
}

/// Search for the thickness at a point of a mesh.
struct PointSearch<'s, 'p> {
    mesh: &'s TriangleMesh,
    rays: &'s Bvh<'s>,
    distance: &'s dyn Oracle,
    probe: &'s mut Probe<'p>,
}

/// Returns the way through the material at a point, or `None` if the point is outside.
pub(super) fn thickness_at(
    mesh: &TriangleMesh,
    rays: &Bvh<'_>,
    probe: &mut Probe<'_>,
    at: Vector,
) -> Result<Option<Way>, MeasureError> {
    if mesh.triangles().is_empty() {
        return Ok(None);
    }
    let distance = mesh.clone().into_oracle()?.oracle(Query::UnsignedDistance);
    let distance = distance.expect("meshes answer for distances");
    let mut search = PointSearch {
        mesh,
        rays,
        distance: &*distance,
        probe,
    };
    Ok(search.thickness(at))
}

impl PointSearch<'_, '_> {
    fn thickness(&mut self, at: Vector) -> Option<Way> {
        let far = self.distance.sample(at, 0);
        let away = self.distance.gradient(at, 0);
        let is_inside = self.probe.is_inside(at);
        if !is_inside && far > BESIDE * self.probe.cell {
            return None;
        }
        let is_on_surface = far <= ON_SURFACE * self.probe.cell;
        let surface = if is_on_surface {
            at
        } else {
            sub(at, scale(away, far))
        };
        let outward = if is_on_surface {
            let own = self.probe.normal(at);
            own.or_else(|| self.probe.difference_normal(at))
        } else {
            // Beside the surface, it may be inside of the mesh and not of the function, or the other way round.
            let beside = far <= BESIDE * self.probe.cell;
            let own = self.probe.difference_normal(at).filter(|_| beside);
            let is_inward = own.map_or(is_inside, |own| dot(own, away) < 0.0);
            unit(if is_inward { scale(away, -1.0) } else { away })
        };
        // Triangles of round faces have other normals than these.
        let outward = outward?;
        let own = self.probe.onto(surface);
        let own = own.and_then(|own| Some((own, self.probe.normal(own)?)));
        let (surface, outward) = own
            .filter(|(at, normal)| {
                long([*at, surface]) < BESIDE * self.probe.cell && dot(*normal, outward) >= FACING
            })
            .unwrap_or((surface, outward));
        let inward = scale(outward, -1.0);
        let (way, _) = self.straight(surface, inward)?;
        let ball = self.largest_ball(surface, inward, 0.5 * long(way));
        let contact = self.foot(ball.0);
        // At a round rim the ball touches it everywhere, and only a ball farther inside touches the sides.
        let farther =
            (ball.1 < SMALL * long(way)).then(|| self.foot(add(ball.0, scale(inward, ball.1))));
        let grown = self.grown_ball(ball, [inward, contact.1], long(way));
        let mut best = way;
        for (from, along) in [Some(contact), farther, grown].into_iter().flatten() {
            if let Some((other, facing)) = self.straight(from, along)
                && facing >= FACING
                && long(other) < long(best)
            {
                best = other;
            }
        }
        Some(self.parallel_way(at, best).unwrap_or(best))
    }

    /// Returns the way through a point parallel to another one, if both cross the same two flat sides: their lengths differ by at
    /// most the distance between them, as for sides that meet at up to 45 degrees.
    fn parallel_way(&mut self, at: Vector, other: Way) -> Option<Way> {
        let along = unit(sub(other[1], other[0]))?;
        let (before, _) = self.straight(at, scale(along, -1.0))?;
        let (after, _) = self.straight(at, along)?;
        let way = [before[1], after[1]];
        let way = self.probe.trimmed(way, Medium::Wall).unwrap_or(way);
        for (end, own) in way.into_iter().zip(other) {
            if dot(self.probe.normal(end)?, self.probe.normal(own)?) < PARALLEL {
                return None;
            }
        }
        let beside = length(cross(sub(at, other[0]), along));
        ((long(way) - long(other)).abs() <= beside).then_some(way)
    }

    /// Returns the point of the surface that is nearest to a point inside, and the direction from there.
    fn foot(&self, at: Vector) -> (Vector, Vector) {
        let away = self.distance.gradient(at, 0);
        (sub(at, scale(away, self.distance.sample(at, 0))), away)
    }

    /// Returns the way from a point of the surface in a direction, and the cosine of the angle between this direction and the
    /// normal at its end.
    fn straight(&mut self, from: Vector, along: Vector) -> Option<(Way, f64)> {
        let mut least = 1e-3 * self.probe.cell;
        // A point of the surface may be outside of the mesh, which the ray enters first.
        let (distance, facing) = (0..ENTRIES).find_map(|_| {
            let reach = [least, f64::INFINITY];
            let hit = self.rays.first(from, along, reach, u32::MAX)?;
            let [a, b, c] = self.mesh.corners(hit.triangle as usize);
            let facing = unit(cross(sub(b, a), sub(c, a))).map_or(0.0, |normal| dot(normal, along));
            least = hit.distance + 1e-6 * self.probe.cell;
            (facing >= 0.0).then_some((hit.distance, facing))
        })?;
        let way = [from, add(from, scale(along, distance))];
        let trimmed = self.probe.trimmed(way, Medium::Wall);
        Some((trimmed.unwrap_or(way), facing))
    }

    /// Returns the centre and the radius of the largest ball inside, up to a radius, that touches the surface at a point.
    fn largest_ball(&self, at: Vector, inward: Vector, mut radius: f64) -> (Vector, f64) {
        for _ in 0..SHRINKS {
            let centre = add(at, scale(inward, radius));
            let (foot, _) = self.foot(centre);
            let chord = sub(foot, at);
            // The ball through both points.
            let smaller = dot(chord, chord) / (2.0 * dot(chord, inward));
            let is_smaller = smaller > 0.0 && smaller < radius;
            if length(sub(centre, foot)) >= (1.0 - TOUCHING) * radius || !is_smaller {
                break;
            }
            radius = smaller;
        }
        (add(at, scale(inward, radius)), radius)
    }

    /// Lets a ball that touches two sides with these inward normals grow, by at most a length, until it touches a third;
    /// returns the contact and the direction from there, unless the sides are parallel.
    fn grown_ball(
        &self,
        (centre, radius): (Vector, f64),
        normals: [Vector; 2],
        most: f64,
    ) -> Option<(Vector, Vector)> {
        let along = unit(add(normals[0], normals[1]))?;
        let growth = dot(along, normals[0]);
        if growth < SLOWEST {
            return None;
        }
        let place = |way: f64| add(centre, scale(along, way));
        let is_free = |way: f64| {
            let radius = radius + way * growth;
            self.distance.sample(place(way), 0) >= (1.0 - TOUCHING) * radius
        };
        let [_, beyond] = halved(0.0, most, is_free);
        Some(self.foot(place(beyond)))
    }
}
