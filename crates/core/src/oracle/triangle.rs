//! One triangle: closest point, ray crossing, solid angle.

use super::bvh::{Primitive, Ray};
use super::orientation::{orient2d, orient3d, orient3d_exact};
use crate::vector::{Vector, cross, dot, length, scale, sub, unit};

/// A triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Triangle(pub(super) [Vector; 3]);

/// Sine of the angle at the first corner below which cross products avoid cancellation.
const THIN: f64 = 1e-2;

/// The closest point.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClosestOffset {
    /// Squared distance.
    pub(super) square: f64,
    /// Vector from the closest point to the point.
    pub(super) offset: Vector,
}

impl Triangle {
    /// The corners.
    pub(super) fn corners(&self) -> [Vector; 3] {
        self.0
    }

    /// Vectors to the second and third corner.
    #[inline]
    fn sides(&self) -> [Vector; 2] {
        let [a, b, c] = self.0;
        [sub(b, a), sub(c, a)]
    }

    /// Normal vector, as long as twice the area; and its square.
    #[inline]
    fn area(&self) -> (Vector, f64) {
        let [first, second] = self.sides();
        let area = cross(first, second);
        let square = dot(area, area);
        if square > THIN * THIN * dot(first, first) * dot(second, second) {
            (area, square)
        } else {
            let area = careful_cross(first, second);
            (area, dot(area, area))
        }
    }

    /// Unit normal, if the square of the area is not 0, as the closest point query requires.
    pub(super) fn normal(&self) -> Option<Vector> {
        let (area, square) = self.area();
        unit(area).filter(|_| square > 0.0)
    }

    /// Squared distance to a point.
    #[inline]
    pub(super) fn square(&self, at: Vector) -> f64 {
        self.nearest(at).square
    }

    /// Closest point query.
    #[inline]
    pub(super) fn nearest(&self, at: Vector) -> ClosestOffset {
        let from = sub(at, self.0[0]);
        let [first, second] = self.sides();
        let (area, square) = self.area();
        // Barycentric coordinates of the perpendicular foot, times the square; it is in the triangle if all are
        // positive.
        let turned = cross(area, from);
        let parts = [dot(turned, second), -dot(turned, first)];
        if parts[0] > 0.0 && parts[1] > 0.0 && parts[0] + parts[1] < square {
            let height = dot(from, area);
            return ClosestOffset {
                square: height * height / square,
                offset: scale(area, height / square),
            };
        }
        self.edge(from)
    }

    /// Closest point of the three edges.
    #[inline]
    fn edge(&self, from: Vector) -> ClosestOffset {
        let [first, second] = self.sides();
        let mut best = segment(from, first);
        for other in [
            segment(from, second),
            segment(sub(from, first), sub(second, first)),
        ] {
            if other.square < best.square {
                best = other;
            }
        }
        best
    }
}

/// Returns the vector to a point from the closest point of a triangle.
pub fn offset_from_triangle(corners: [Vector; 3], at: Vector) -> Vector {
    Triangle(corners).nearest(at).offset
}

impl Primitive for Triangle {
    fn points(&self) -> impl Iterator<Item = Vector> + Clone {
        self.0.into_iter()
    }

    fn projection(&self, direction: Vector) -> [f64; 2] {
        let [a, b, c] = self.0.map(|corner| dot(corner, direction));
        [a.min(b).min(c), a.max(b).max(c)]
    }
}

/// Closest point of the segment from the origin to `end`.
#[inline]
pub(super) fn segment(from: Vector, end: Vector) -> ClosestOffset {
    let along = dot(from, end) / dot(end, end);
    // Also handles NaN for a segment without length.
    let along = if along > 0.0 { along.min(1.0) } else { 0.0 };
    let offset = sub(from, scale(end, along));
    ClosestOffset {
        square: dot(offset, offset),
        offset,
    }
}

/// Signed crossing of a ray and a triangle: 1 if the ray leaves the side where the corners are in clockwise order, -1
/// if it enters it, 0 if it misses. It is exact, and of two triangles at an edge, only one is crossed.
#[inline]
pub(super) fn crossing(corners: [Vector; 3], at: Vector, ray: Ray) -> i32 {
    let (u, v) = ((ray.axis + 1) % 3, (ray.axis + 2) % 3);
    let plane = |p: Vector| [p[u], p[v]];
    let ([a, b, c], seen) = (corners.map(plane), plane(at));
    let turn = orient2d(a, b, seen);
    if turn == 0 || orient2d(b, c, seen) != turn || orient2d(c, a, seen) != turn {
        return 0;
    }
    let above = match orient3d(corners, at) {
        0 => orient3d_exact(corners, at),
        above => above,
    };
    let up = if ray.up { 1 } else { -1 };
    if above * turn * up < 0 { turn * up } else { 0 }
}

/// Signed solid angle of a triangle as a fraction of the sphere, positive from the side where the corners are in
/// clockwise order.
///
/// Van Oosterom and Strackee, *The Solid Angle of a Plane Triangle*, IEEE Transactions on Biomedical Engineering 30
/// (1983), pages 125-126.
pub(super) fn solid_angle(corners: [Vector; 3], at: Vector) -> f64 {
    let [a, b, c] = corners.map(|corner| sub(corner, at));
    let (la, lb, lc) = (length(a), length(b), length(c));
    let volume = dot(a, cross(b, c));
    let rest = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    volume.atan2(rest) / std::f64::consts::TAU
}

/// Cross product, accurate to a few rounding errors of each component (Kahan's difference of products).
fn careful_cross(a: Vector, b: Vector) -> Vector {
    let difference = |a: f64, b: f64, c: f64, d: f64| {
        let second = c * d;
        let lost = c.mul_add(-d, second);
        a.mul_add(b, -second) + lost
    };
    [
        difference(a[1], b[2], a[2], b[1]),
        difference(a[2], b[0], a[0], b[2]),
        difference(a[0], b[1], a[1], b[0]),
    ]
}
