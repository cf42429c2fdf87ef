//! One triangle: its nearest point, and the part of the sky that it covers.

use super::bvh::{Primitive, Ray};
use super::orientation::{orient2d, orient3d, orient3d_exact};
use crate::vector::{Vector, cross, dot, length, scale, sub, unit};

/// A triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Triangle(pub(super) [Vector; 3]);

/// Thinner than this, the sine of the angle at the first corner, products that cancel are taken with care.
const THIN: f64 = 1e-2;

/// What is nearest to a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nearest {
    /// The square of the distance.
    pub(super) square: f64,
    /// From the nearest point to the point.
    pub(super) offset: Vector,
}

impl Triangle {
    /// The corners.
    pub(super) fn corners(&self) -> [Vector; 3] {
        self.0
    }

    /// To the second and the third corner.
    #[inline]
    fn sides(&self) -> [Vector; 2] {
        let [a, b, c] = self.0;
        [sub(b, a), sub(c, a)]
    }

    /// A vector across the triangle, as long as twice its area; and the square of that.
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

    /// The unit normal, if the triangle has an area whose square is not 0: what is nearest is found with that.
    pub(super) fn normal(&self) -> Option<Vector> {
        let (area, square) = self.area();
        unit(area).filter(|_| square > 0.0)
    }

    /// The square of the distance to a point.
    #[inline]
    pub(super) fn square(&self, at: Vector) -> f64 {
        self.nearest(at).square
    }

    /// What is nearest to a point.
    #[inline]
    pub(super) fn nearest(&self, at: Vector) -> Nearest {
        let from = sub(at, self.0[0]);
        let [first, second] = self.sides();
        let (area, square) = self.area();
        // The parts of the foot along the two sides, times the square; it is in the triangle if they and the rest
        // are positive.
        let turned = cross(area, from);
        let parts = [dot(turned, second), -dot(turned, first)];
        if parts[0] > 0.0 && parts[1] > 0.0 && parts[0] + parts[1] < square {
            let height = dot(from, area);
            return Nearest {
                square: height * height / square,
                offset: scale(area, height / square),
            };
        }
        self.edge(from)
    }

    /// The nearest of the three edges.
    #[inline]
    fn edge(&self, from: Vector) -> Nearest {
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

impl Primitive for Triangle {
    fn points(&self) -> impl Iterator<Item = Vector> + Clone {
        self.0.into_iter()
    }

    fn projection(&self, direction: Vector) -> [f64; 2] {
        let [a, b, c] = self.0.map(|corner| dot(corner, direction));
        [a.min(b).min(c), a.max(b).max(c)]
    }
}

/// What is nearest on the line from the origin to `end`.
#[inline]
pub(super) fn segment(from: Vector, end: Vector) -> Nearest {
    let along = dot(from, end) / dot(end, end);
    // Also where the end is all but at the origin, and the quotient is NaN.
    let along = if along > 0.0 { along.min(1.0) } else { 0.0 };
    let offset = sub(from, scale(end, along));
    Nearest {
        square: dot(offset, offset),
        offset,
    }
}

/// How a ray from a point crosses a triangle: 1 if it leaves through it the side where the corners go round with the
/// clock, -1 if it comes there, 0 if it misses. Without error, and two triangles at one edge never both have it.
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

/// The signed part of the sky that a triangle covers, as seen from a point: 1 is all of it, positive from the side
/// where the corners go round with the clock.
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

/// The vector product, each component right but for a few roundings of its own (Kahan's difference of products).
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
