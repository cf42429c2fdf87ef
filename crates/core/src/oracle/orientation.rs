//! Robust orientation predicates.
//!
//! They use floating-point arithmetic if its error bound permits, which is nearly always, and else exact expansions:
//! Shewchuk, *Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates*, Discrete &
//! Computational Geometry 18 (1997), pages 305-363. Coordinates are about 1 at most, so nothing overflows.

use crate::vector::{Vector, cross, dot, sub};

/// 2^-53: half the distance between 1 and the next number.
const EPSILON: f64 = f64::EPSILON / 2.0;
const PLANE_ERROR: f64 = (3.0 + 16.0 * EPSILON) * EPSILON;
const SPACE_ERROR: f64 = (7.0 + 56.0 * EPSILON) * EPSILON;

/// Side of the line from `a` to `b` on which the point `at` lies: 1 on the left, -1 on the right.
///
/// A point on the line is perturbed symbolically along the first axis, and less along the second, so exactly one of two
/// triangles at an edge contains it. The result is 0 only if `a` and `b` coincide.
#[inline]
pub(super) fn orient2d(a: [f64; 2], b: [f64; 2], at: [f64; 2]) -> i32 {
    let left = (a[0] - at[0]) * (b[1] - at[1]);
    let right = (a[1] - at[1]) * (b[0] - at[0]);
    let area = left - right;
    if area.abs() > PLANE_ERROR * (left.abs() + right.abs()) {
        return if area > 0.0 { 1 } else { -1 };
    }
    orient2d_exact(a, b, at)
}

#[cold]
fn orient2d_exact(a: [f64; 2], b: [f64; 2], at: [f64; 2]) -> i32 {
    let from = |p: [f64; 2], axis: usize| Expansion::difference(p[axis], at[axis]);
    let left = from(a, 0).times(&from(b, 1));
    let right = from(a, 1).times(&from(b, 0));
    let moved = [
        left.minus(&right).sign(),
        sign(a[1] - b[1]),
        sign(b[0] - a[0]),
    ];
    moved.into_iter().find(|&sign| sign != 0).unwrap_or(0)
}

/// Side of a triangle's plane on which the point `at` lies: 1 where its corners are in counterclockwise order, -1 on
/// the other side, 0 if unknown.
#[inline]
pub(super) fn orient3d([a, b, c]: [Vector; 3], at: Vector) -> i32 {
    let (a, b, c) = (sub(a, at), sub(b, at), sub(c, at));
    let volume = -dot(a, cross(b, c));
    let absolute = |v: Vector| v.map(f64::abs);
    let [u, v, w] = [absolute(a), absolute(b), absolute(c)];
    let permanent = u[0] * (v[1] * w[2] + v[2] * w[1])
        + u[1] * (v[2] * w[0] + v[0] * w[2])
        + u[2] * (v[0] * w[1] + v[1] * w[0]);
    if volume.abs() > SPACE_ERROR * permanent {
        return if volume > 0.0 { 1 } else { -1 };
    }
    0
}

/// Exact side of a triangle's plane; 0 in the plane.
#[cold]
pub(super) fn orient3d_exact(corners: [Vector; 3], at: Vector) -> i32 {
    let [a, b, c] = corners.map(|corner| {
        let component = |axis: usize| Expansion::difference(corner[axis], at[axis]);
        [component(0), component(1), component(2)]
    });
    let minor = |i: usize, j: usize| b[i].times(&c[j]).minus(&b[j].times(&c[i]));
    let volume = a[0]
        .times(&minor(1, 2))
        .plus(&a[1].times(&minor(2, 0)))
        .plus(&a[2].times(&minor(0, 1)));
    -volume.sign()
}

fn sign(x: f64) -> i32 {
    i32::from(x > 0.0) - i32::from(x < 0.0)
}

/// An expansion: an exact number as a sum of nonoverlapping nonzero floats in ascending order of magnitude.
#[derive(Debug, Clone, Default)]
struct Expansion(Vec<f64>);

impl Expansion {
    fn difference(a: f64, b: f64) -> Expansion {
        let (high, low) = two_sum(a, -b);
        Expansion(vec![low, high]).without_zeros()
    }

    fn without_zeros(mut self) -> Expansion {
        self.0.retain(|&part| part != 0.0);
        self
    }

    /// Shewchuk's Grow-Expansion, page 314.
    fn add(&mut self, number: f64) {
        let mut carried = number;
        for part in &mut self.0 {
            let (high, low) = two_sum(carried, *part);
            (carried, *part) = (high, low);
        }
        self.0.push(carried);
        self.0.retain(|&part| part != 0.0);
    }

    fn plus(&self, other: &Expansion) -> Expansion {
        let mut sum = self.clone();
        for &part in &other.0 {
            sum.add(part);
        }
        sum
    }

    fn minus(&self, other: &Expansion) -> Expansion {
        self.plus(&Expansion(other.0.iter().map(|part| -part).collect()))
    }

    fn times(&self, other: &Expansion) -> Expansion {
        let mut product = Expansion::default();
        for &a in &self.0 {
            for &b in &other.0 {
                let high = a * b;
                product.add(a.mul_add(b, -high));
                product.add(high);
            }
        }
        product
    }

    /// The sign of the largest component, which exceeds the sum of the others.
    fn sign(&self) -> i32 {
        self.0.last().map_or(0, |&part| sign(part))
    }
}

/// Rounded sum and its rounding error (Knuth's Two-Sum).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points that differ from (1/2, 1/2, 1/2) in the last digits only: as integer multiples of 2^-53, and as floats.
    /// Differences from points with integer coordinates are not representable.
    fn close(step: i64) -> ([i128; 3], Vector) {
        let steps = [step % 9 - 4, step / 9 % 9 - 4, step / 81 - 4];
        let whole = steps.map(|step| (1 << 52) + i128::from(step));
        (whole, steps.map(|step| 0.5 + step as f64 * EPSILON))
    }

    /// A point with integer coordinates, in the form of [`close`].
    fn whole(at: [i64; 3]) -> ([i128; 3], Vector) {
        (at.map(|x| i128::from(x) << 53), at.map(|x| x as f64))
    }

    #[test]
    fn sides_of_a_line_agree_with_whole_numbers() {
        let mut wrong_without = 0;
        let (a, b) = (whole([12, 12, 0]), whole([24, 24, 0]));
        for (exact, at) in (0..81).map(close) {
            // Right of the diagonal, or moved there along the first axis.
            let expected = if exact[1] > exact[0] { 1 } else { -1 };
            let plane = |p: Vector| [p[0], p[1]];
            let side = orient2d(plane(a.1), plane(b.1), plane(at));
            assert_eq!(side, expected, "{at:?}");
            let other = orient2d(plane(b.1), plane(a.1), plane(at));
            assert_eq!(other, -expected, "{at:?}");
            let [u, v] = [sub(a.1, at), sub(b.1, at)];
            let naive = sign(u[0] * v[1] - u[1] * v[0]);
            wrong_without += i32::from(naive != (exact[1] - exact[0]).signum() as i32);
        }
        assert!(
            wrong_without > 10,
            "{wrong_without}: ordinary arithmetic would do"
        );
        assert_eq!(orient2d([0.5, 0.5], [0.5, 0.5], [0.5, 0.25]), 0);
        let along = orient2d([0.0, 0.5], [1.0, 0.5], [0.5, 0.5]);
        assert_eq!(along, 1, "moved along the second axis");
    }

    #[test]
    fn sides_of_a_plane_agree_with_whole_numbers() {
        let corners = [[12, 12, 12], [24, 24, 24], [12, 24, 35]];
        let [a, b, c] = corners.map(whole);
        // (12, 12, 12) x (0, 12, 23): the plane goes through the middle of the points.
        let normal = [132, -276, 144];
        let mut unsure = 0;
        for (exact, at) in (0..729).map(close) {
            let height: i128 = (0..3).map(|k| normal[k] * (exact[k] - a.0[k])).sum();
            let expected = height.signum() as i32;
            assert_eq!(orient3d_exact([a.1, b.1, c.1], at), expected, "{at:?}");
            assert_eq!(orient3d_exact([b.1, a.1, c.1], at), -expected, "{at:?}");
            let quick = orient3d([a.1, b.1, c.1], at);
            assert!(quick == 0 || quick == expected, "{at:?}");
            unsure += i32::from(quick == 0);
        }
        assert!(unsure > 100, "{unsure}: ordinary arithmetic would do");
        let floor = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        assert_eq!(orient3d(floor, [0.2, 0.2, 0.5]), 1);
        assert_eq!(orient3d(floor, [0.2, 0.2, -0.5]), -1);
    }
}
