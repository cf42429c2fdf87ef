//! Signed distance to one beam.
//!
//! A beam is the union of a conical frustum and its caps: none (butt), the outer half of a ball (hemisphere), or a
//! whole ball (sphere), whose inner half sticks out of a frustum that narrows. By rotational symmetry everything is
//! computed in the half-plane of (`along`, `out`): the coordinate along the axis and the distance from it. There the
//! boundary consists of segments, arcs and the corners between them. From outside, the closest point is that of the
//! closest part. From inside, only points that no other part covers are on the surface; if the closest point of a
//! piece is covered, a corner is the closest.

use super::bvh::Primitive;
use crate::vector::{Vector, add, dot, finite, length, scale, sub, unit};

/// Cap of an end of a beam, as in 3MF.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cap {
    /// A ball of the end's radius.
    #[default]
    Sphere,
    /// The outer half of that ball.
    Hemisphere,
    /// None: the end is flat.
    Butt,
}

/// A point of the half-plane of a beam: the coordinate along the axis from the first end, and the distance from the
/// axis.
type ProfilePoint = [f64; 2];

/// Maximum number of corners of a beam.
const CORNERS: usize = 6;

/// Depth, relative to the radius, up to which a covered corner still counts.
const TOUCH: f64 = 1e-12;

/// A beam, or a ball if its length is 0.
#[derive(Debug, Clone)]
pub(super) struct Beam {
    start: Vector,
    /// Unit vector; any direction for a ball.
    axis: Vector,
    length: f64,
    radii: [f64; 2],
    caps: [Cap; 2],
    /// Corners of the profile, repeated cyclically if there are fewer.
    corners: [ProfilePoint; CORNERS],
}

/// The closest point of the surface.
#[derive(Debug, Clone, Copy)]
struct ClosestPoint {
    /// Never negative.
    distance: f64,
    /// Normal of the surface there, or direction to or from a corner.
    away: ProfilePoint,
}

impl Beam {
    /// Creates a beam between two points; `None` if they coincide.
    pub(super) fn new(ends: [Vector; 2], radii: [f64; 2], caps: [Cap; 2]) -> Option<Beam> {
        let along = sub(ends[1], ends[0]);
        let axis = unit(along).filter(|&axis| finite(axis))?;
        let mut beam = Beam {
            start: ends[0],
            axis,
            length: length(along),
            radii,
            caps,
            corners: [[0.0; 2]; CORNERS],
        };
        let corners: Vec<ProfilePoint> = beam.find_corners();
        for (corner, found) in beam.corners.iter_mut().zip(corners.iter().cycle()) {
            *corner = *found;
        }
        Some(beam)
    }

    /// A ball.
    pub(super) fn ball(middle: Vector, radius: f64) -> Beam {
        Beam {
            start: middle,
            axis: [1.0, 0.0, 0.0],
            length: 0.0,
            radii: [radius; 2],
            caps: [Cap::Sphere; 2],
            corners: [[0.0, radius]; CORNERS],
        }
    }

    /// Signed distance of a point, negative inside.
    #[inline]
    pub(super) fn distance(&self, at: Vector) -> f64 {
        let (place, _) = self.place(at);
        self.nearest(place).0
    }

    /// Gradient of the distance, of length 1.
    pub(super) fn gradient(&self, at: Vector) -> Vector {
        let (place, out) = self.place(at);
        let (_, [along, away]) = self.nearest(place);
        let out = self.across(out).unwrap_or_else(|| self.sideways());
        add(scale(self.axis, along), scale(out, away))
    }

    /// Unit vector perpendicular to the axis in the direction of a vector; `None` if the vector is rounding error on
    /// the axis.
    fn across(&self, out: Vector) -> Option<Vector> {
        let out = unit(out)?;
        let rest = sub(out, scale(self.axis, dot(out, self.axis)));
        if dot(rest, rest) < 0.5 {
            return None;
        }
        unit(rest)
    }

    /// Coordinates of a point in the half-plane, and the vector from the axis to it.
    #[inline]
    fn place(&self, at: Vector) -> (ProfilePoint, Vector) {
        let from = sub(at, self.start);
        let along = dot(from, self.axis);
        let out = sub(from, scale(self.axis, along));
        ([along, length(out)], out)
    }

    /// A unit vector perpendicular to the axis.
    fn sideways(&self) -> Vector {
        let least = if self.axis[0].abs() < 0.6 {
            [1.0, 0.0, 0.0]
        } else {
            [0.0, 1.0, 0.0]
        };
        let across = sub(least, scale(self.axis, dot(least, self.axis)));
        unit(across).expect("no axis is along both")
    }

    /// Signed distance and its gradient.
    #[inline]
    fn nearest(&self, at: ProfilePoint) -> (f64, ProfilePoint) {
        if self.length == 0.0 {
            let foot = ball(at, self.radii[0]);
            return (foot.distance, foot.away);
        }
        let inside = self.in_frustum(at) || (0..2).any(|end| self.in_cap(end, at));
        if inside {
            let foot = self.inner_foot(at);
            (0.0 - foot.distance, foot.away)
        } else {
            let foot = self.outer_foot(at);
            (foot.distance, foot.away)
        }
    }

    fn outer_foot(&self, at: ProfilePoint) -> ClosestPoint {
        let mut nearest = self.slant(at).0;
        for end in 0..2 {
            let seen = self.seen_from(end, at);
            let foot = match self.caps[end] {
                Cap::Butt => line(seen, [0.0, 0.0], [0.0, self.radii[end]]).0,
                Cap::Hemisphere if seen[0] > 0.0 => continue,
                Cap::Hemisphere | Cap::Sphere => ball(seen, self.radii[end]),
            };
            if foot.distance < nearest.distance {
                nearest = turned_back(end, foot);
            }
        }
        nearest
    }

    /// Closest point from inside. Only pieces with the point on their inner side can be the closest: from the outer
    /// side, the segment to the piece leaves the beam before.
    fn inner_foot(&self, at: ProfilePoint) -> ClosestPoint {
        let normal = self.slant_normal();
        let mut nearest = ClosestPoint {
            distance: f64::INFINITY,
            away: normal,
        };
        let mut offer =
            |distance: f64, away: ProfilePoint, covered: &dyn Fn(ProfilePoint) -> bool| {
                let foot = [at[0] + away[0] * distance, at[1] + away[1] * distance];
                if distance >= 0.0 && distance < nearest.distance && !covered(foot) {
                    nearest = ClosestPoint { distance, away };
                }
            };
        if self.slant(at).1 {
            let depth = -(at[0] * normal[0] + (at[1] - self.radii[0]) * normal[1]);
            offer(depth, normal, &|foot| {
                (0..2).any(|end| self.in_ball(end, foot, 0.0))
            });
        }
        for end in 0..2 {
            let (seen, radius, other) = (self.seen_from(end, at), self.radii[end], 1 - end);
            match self.caps[end] {
                Cap::Butt if seen[1] <= radius => {
                    let flat = ClosestPoint {
                        distance: seen[0],
                        away: [-1.0, 0.0],
                    };
                    let out = turned_back(end, flat);
                    offer(out.distance, out.away, &|foot| {
                        self.in_ball(other, foot, 0.0)
                    });
                }
                Cap::Hemisphere if seen[0] > 0.0 => {}
                Cap::Butt => {}
                Cap::Hemisphere | Cap::Sphere => {
                    let out = turned_back(end, ball(seen, radius));
                    offer(-out.distance, out.away, &|foot| {
                        self.in_cap(other, foot) || self.in_frustum_strictly(foot)
                    });
                }
            }
        }
        for corner in self.corners {
            let to = [corner[0] - at[0], corner[1] - at[1]];
            let distance = size(to);
            let away = if distance > 0.0 {
                to.map(|x| x / distance)
            } else {
                normal
            };
            offer(distance, away, &|_| false);
        }
        nearest
    }

    /// Closest point of the lateral side, and true if it is not an end of it.
    #[inline]
    fn slant(&self, at: ProfilePoint) -> (ClosestPoint, bool) {
        line(at, [0.0, self.radii[0]], [self.length, self.radii[1]])
    }

    fn slant_normal(&self) -> ProfilePoint {
        let rise = self.radii[1] - self.radii[0];
        let long = size([self.length, rise]);
        [-rise / long, self.length / long]
    }

    /// Coordinates from an end: inward along the axis, and from the axis.
    #[inline]
    fn seen_from(&self, end: usize, [along, out]: ProfilePoint) -> ProfilePoint {
        [if end == 0 { along } else { self.length - along }, out]
    }

    fn radius_at(&self, along: f64) -> f64 {
        self.radii[0] + (self.radii[1] - self.radii[0]) * (along / self.length)
    }

    fn in_frustum(&self, [along, out]: ProfilePoint) -> bool {
        (0.0..=self.length).contains(&along) && out <= self.radius_at(along)
    }

    fn in_frustum_strictly(&self, [along, out]: ProfilePoint) -> bool {
        let edge = TOUCH * self.length;
        let radius = self.radius_at(along) - TOUCH * self.radii[0].max(self.radii[1]);
        along > edge && along < self.length - edge && out < radius
    }

    /// True if a point is in the cap of an end.
    fn in_cap(&self, end: usize, at: ProfilePoint) -> bool {
        let outward = self.seen_from(end, at)[0] <= 0.0;
        match self.caps[end] {
            Cap::Butt => false,
            Cap::Hemisphere => outward && self.in_circle(end, at, 0.0),
            Cap::Sphere => self.in_circle(end, at, 0.0),
        }
    }

    /// True if a point is in the ball of an end with a spherical cap, deeper than `touch` times its radius.
    fn in_ball(&self, end: usize, at: ProfilePoint, touch: f64) -> bool {
        self.caps[end] == Cap::Sphere && self.in_circle(end, at, touch)
    }

    fn in_circle(&self, end: usize, at: ProfilePoint, touch: f64) -> bool {
        size(self.seen_from(end, at)) < self.radii[end] * (1.0 - touch)
    }

    /// Finds the corners of the profile, at least one.
    fn find_corners(&self) -> Vec<ProfilePoint> {
        let mut corners = Vec::new();
        let long = self.length;
        for end in 0..2 {
            let other = 1 - end;
            let (radius, there) = (self.radii[end], self.radii[other]);
            let mut offer = |seen: ProfilePoint, covered: bool| {
                if !covered {
                    corners.push(self.seen_from(end, seen));
                }
            };
            let beyond = |seen: ProfilePoint| self.in_ball(other, self.seen_from(end, seen), TOUCH);
            offer([0.0, radius], beyond([0.0, radius]));
            if self.caps[end] != Cap::Sphere {
                continue;
            }
            // Where the ball leaves a side that narrows.
            let slope = (radius - there) / long;
            let along = 2.0 * radius * slope / (1.0 + slope * slope);
            if slope > 0.0 && along < long {
                let place = [along, radius - slope * along];
                offer(place, beyond(place));
            }
            // Where it leaves the other end.
            let out = (radius * radius - long * long).max(0.0).sqrt();
            match self.caps[other] {
                Cap::Butt => {
                    if radius > long && out < there {
                        offer([long, out], false);
                    }
                }
                Cap::Hemisphere | Cap::Sphere => {
                    let along = f64::midpoint(long, (radius - there) * (radius + there) / long);
                    let square = radius * radius - along * along;
                    let real = self.caps[other] == Cap::Sphere || along >= long;
                    if square > 0.0 && real {
                        let place = [along, square.sqrt()];
                        let whole = self.seen_from(end, place);
                        offer(place, self.in_frustum_strictly(whole));
                    }
                }
            }
        }
        if corners.is_empty() {
            // One ball covers everything else.
            let end = usize::from(self.radii[1] > self.radii[0]);
            let outermost = self.seen_from(end, [-self.radii[end], 0.0]);
            corners.push(outermost);
        }
        corners.truncate(CORNERS);
        corners
    }
}

/// Converts a closest point from the coordinates of an end.
#[inline]
fn turned_back(end: usize, foot: ClosestPoint) -> ClosestPoint {
    let [along, out] = foot.away;
    let along = if end == 0 { along } else { -along };
    ClosestPoint {
        away: [along, out],
        ..foot
    }
}

/// Distance from the origin.
#[inline]
fn size([along, out]: ProfilePoint) -> f64 {
    (along * along + out * out).sqrt()
}

/// Closest point of a circle around the origin; the distance is negative inside.
#[inline]
fn ball(at: ProfilePoint, radius: f64) -> ClosestPoint {
    let distance = size(at);
    let away = if distance > 0.0 {
        at.map(|x| x / distance)
    } else {
        [-1.0, 0.0]
    };
    ClosestPoint {
        distance: distance - radius,
        away,
    }
}

/// Closest point of a segment, and true if it is not an end. The direction points away from the segment; for a point on
/// the segment, to its left.
#[inline]
fn line(at: ProfilePoint, from: ProfilePoint, to: ProfilePoint) -> (ClosestPoint, bool) {
    let way = [to[0] - from[0], to[1] - from[1]];
    let offset = [at[0] - from[0], at[1] - from[1]];
    let square = way[0] * way[0] + way[1] * way[1];
    let share = (offset[0] * way[0] + offset[1] * way[1]) / square;
    let inside = share > 0.0 && share < 1.0;
    let share = if share > 0.0 { share.min(1.0) } else { 0.0 };
    let rest = [offset[0] - share * way[0], offset[1] - share * way[1]];
    let distance = size(rest);
    let away = if distance > 0.0 {
        rest.map(|x| x / distance)
    } else {
        let long = square.sqrt();
        if long > 0.0 {
            [-way[1] / long, way[0] / long]
        } else {
            [-1.0, 0.0]
        }
    };
    (ClosestPoint { distance, away }, inside)
}

impl Primitive for Beam {
    fn points(&self) -> impl Iterator<Item = Vector> + Clone {
        [self.start, add(self.start, scale(self.axis, self.length))].into_iter()
    }

    fn projection(&self, direction: Vector) -> [f64; 2] {
        let start = dot(self.start, direction);
        let end = start + dot(self.axis, direction) * self.length;
        let [first, second] = self.radii;
        [
            (start - first).min(end - second),
            (start + first).max(end + second),
        ]
    }
}
