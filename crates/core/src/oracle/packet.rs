//! Lower bounds of the distances to the triangles of a leaf, in SIMD.
//!
//! A triangle lies between two parallel planes, and behind three planes through its edges perpendicular to these. The
//! distance of a point from their intersection is a lower bound of its distance, and equal unless a corner is the
//! closest point. In single precision that takes a few vector instructions for four triangles, of which usually only
//! one needs the exact distance then.

use super::bvh::{Primitive as _, blur};
use super::surface::GROUP;
use super::triangle::Triangle;
use crate::vector::{Vector, cross, sub, unit};

/// Planes of the triangles of a leaf; missing triangles are infinitely far away.
#[derive(Debug)]
#[repr(align(16))]
pub(super) struct TrianglePacket {
    /// Normals of the triangles.
    normal: [[f32; GROUP]; 3],
    /// Centre and half width of the interval along the normal.
    middle: [f32; GROUP],
    half: [f32; GROUP],
    /// Outward directions of the edges in the planes of the triangles.
    away: [[[f32; GROUP]; 3]; 3],
    /// Maximum along these.
    most: [[f32; GROUP]; 3],
}

impl TrianglePacket {
    /// Packs up to [`GROUP`] triangles.
    pub(super) fn new(triangles: &[Triangle]) -> TrianglePacket {
        let zeros = [0.0; GROUP];
        let mut packet = TrianglePacket {
            normal: [zeros; 3],
            middle: zeros,
            half: [-1e30; GROUP],
            away: [[zeros; 3]; 3],
            most: [zeros; 3],
        };
        for (place, triangle) in triangles.iter().enumerate() {
            packet.put(place, triangle);
        }
        packet
    }

    fn put(&mut self, place: usize, triangle: &Triangle) {
        // The interval along a rounded direction is exact; a zero direction bounds nothing.
        let rounded = |direction: Option<Vector>| {
            let direction = direction.unwrap_or_default().map(|x| x as f32);
            (direction, triangle.projection(direction.map(f64::from)))
        };
        let normal = triangle.normal();
        let (direction, [low, high]) = rounded(normal);
        for (components, component) in self.normal.iter_mut().zip(direction) {
            components[place] = component;
        }
        let middle = (low / 2.0 + high / 2.0) as f32;
        let half = (high - f64::from(middle)).max(f64::from(middle) - low);
        self.middle[place] = middle;
        self.half[place] = (half as f32).next_up();
        let [a, b, c] = triangle.corners();
        for (edge, along) in [sub(b, a), sub(c, b), sub(a, c)].into_iter().enumerate() {
            let away = normal.and_then(|normal| unit(cross(along, normal)));
            let (direction, [_, high]) = rounded(away);
            for (components, component) in self.away[edge].iter_mut().zip(direction) {
                components[place] = component;
            }
            self.most[edge][place] = (high as f32).next_up();
        }
    }

    /// Lower bounds of the squared distances of the triangles from a point, but for rounding.
    #[inline]
    pub(super) fn keys(&self, at: [f32; 3]) -> [f32; GROUP] {
        let blur = blur(at);
        let mut keys = [0.0; GROUP];
        let [x, y, z] = &self.normal;
        for (place, key) in keys.iter_mut().enumerate() {
            let along = at[0] * x[place] + at[1] * y[place] + at[2] * z[place];
            let gap = (along - self.middle[place]).abs() - self.half[place] - blur;
            let gap = if gap > 0.0 { gap } else { 0.0 };
            *key = gap * gap;
        }
        let mut gaps = [0.0; GROUP];
        for ([x, y, z], most) in self.away.iter().zip(&self.most) {
            for (place, known) in gaps.iter_mut().enumerate() {
                let along = at[0] * x[place] + at[1] * y[place] + at[2] * z[place];
                let gap = along - most[place] - blur;
                *known = if gap > *known { gap } else { *known };
            }
        }
        for (key, gap) in keys.iter_mut().zip(gaps) {
            *key += gap * gap;
        }
        keys
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::oracle::bvh::limit;

    fn points(size: f64) -> impl Strategy<Value = Vector> {
        prop::array::uniform3(-size..size)
    }

    /// Triangles of all shapes, also nearly degenerate ones.
    fn triangles() -> impl Strategy<Value = Triangle> {
        (points(1.0), points(1.0), points(1.0), 0..4_i32, 0..8_i32).prop_map(
            |(a, b, c, small, thin)| {
                let along = sub(b, a).map(|x| x * 10.0_f64.powi(-2 * small));
                let aside = sub(c, a).map(|x| x * 10.0_f64.powi(-2 * thin));
                let add = |a: Vector, b: Vector| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
                Triangle([a, add(a, along), add(add(a, along), aside)])
            },
        )
    }

    proptest! {
        #[test]
        fn no_triangle_is_closer_than_its_key(
            triangles in prop::collection::vec(triangles(), 1..=GROUP),
            far in points(90.0),
            near in points(1.5),
            beside in points(1e-3),
        ) {
            let packet = TrianglePacket::new(&triangles);
            let corner = triangles[0].corners()[1];
            let beside = std::array::from_fn(|axis| corner[axis] + beside[axis]);
            for at in [far, near, beside, corner] {
                let keys = packet.keys(at.map(|x| x as f32));
                for (triangle, key) in triangles.iter().zip(keys) {
                    let square = triangle.square(at);
                    prop_assert!(key <= limit(square), "{key} above {square} at {at:?}");
                }
                for key in &keys[triangles.len()..] {
                    prop_assert!(*key > limit(f64::INFINITY), "nothing is there");
                }
            }
        }
    }

    #[test]
    fn keys_are_distances_where_no_corner_is_closest() {
        let floor = Triangle([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        let packet = TrianglePacket::new(&[floor]);
        for at in [
            [0.2, 0.2, 0.5],
            [0.2, 0.2, -0.25],
            [0.25, -0.5, 0.5],
            [0.75, 0.75, 0.0],
        ] {
            let (key, square) = (
                f64::from(packet.keys(at.map(|x: f64| x as f32))[0]),
                floor.square(at),
            );
            assert!((key - square).abs() < 1e-4 * square, "{key} for {square}");
        }
    }
}
