//! Volume of slabs between parallel planes across an axis.
//!
//! By the divergence theorem, the volume of a closed surface is the integral of x times the x component of its normal.
//! Planes across another axis have no such component, so that the surface within a slab yields the volume of the slab,
//! though it is open: each triangle is clipped to the slabs that it crosses (Sutherland and Hodgman, *Reentrant polygon
//! clipping*, 1974).

use fibula_core::vector::{Vector, add, cross, length, scale, sub};

use crate::TriangleMesh;

/// Slabs of equal thickness in a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlabSettings {
    /// Axis across which the planes are: 0, 1 or 2 for x, y and z.
    pub axis: usize,
    /// Number of slabs.
    pub count: usize,
    /// Low and high corner of the box.
    pub bounds: [Vector; 2],
}

/// Volume and surface in a slab.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SlabContent {
    pub(super) volume: f64,
    pub(super) area: f64,
}

impl SlabSettings {
    /// Thickness of a slab.
    fn thickness(&self) -> f64 {
        let [low, high] = self.bounds;
        (high[self.axis] - low[self.axis]) / self.count as f64
    }

    /// Returns the two planes of a slab.
    pub(super) fn planes(&self, slab: usize) -> [f64; 2] {
        let low = self.bounds[0][self.axis];
        let step = self.thickness();
        [slab, slab + 1].map(|plane| low + plane as f64 * step)
    }

    /// Volume of a slab of the box.
    pub(super) fn whole(&self) -> f64 {
        let [low, high] = self.bounds;
        let size = sub(high, low);
        size.into_iter().product::<f64>() / self.count as f64
    }

    /// Computes the contents of the slabs of a mesh.
    pub(super) fn contents(&self, mesh: &TriangleMesh) -> Vec<SlabContent> {
        let mut contents = vec![SlabContent::default(); self.count];
        let (axis, across) = (self.axis, (self.axis + 1) % 3);
        let (low, step) = (self.bounds[0], self.thickness());
        for number in 0..mesh.triangles().len() {
            let corners = mesh.corners(number);
            let heights = corners.map(|corner| (corner[axis] - low[axis]) / step);
            let least = heights.into_iter().fold(f64::INFINITY, f64::min);
            let most = heights.into_iter().fold(f64::NEG_INFINITY, f64::max);
            // Casts saturate.
            let end = (most.floor() as usize + 1).min(self.count);
            let start = (least.floor() as usize).min(end);
            for (slab, content) in (start..end).zip(&mut contents[start..end]) {
                let [from, to] = self.planes(slab);
                let upper = clip(&corners, axis, from, 1.0);
                let part = clip(&upper, axis, to, -1.0);
                let Some((&first, rest)) = part.split_first() else {
                    continue;
                };
                for pair in rest.windows(2) {
                    let area = scale(cross(sub(pair[0], first), sub(pair[1], first)), 0.5);
                    let sum = add(add(first, pair[0]), pair[1]);
                    let middle = sum[across] / 3.0 - low[across];
                    content.volume += middle * area[across];
                    content.area += length(area);
                }
            }
        }
        contents
    }
}

/// Clips a convex polygon to the side of a plane across an axis that a sign names.
fn clip(polygon: &[Vector], axis: usize, plane: f64, sign: f64) -> Vec<Vector> {
    let depth = |point: &Vector| sign * (point[axis] - plane);
    let mut clipped = Vec::with_capacity(polygon.len() + 1);
    for (index, point) in polygon.iter().enumerate() {
        let next = &polygon[(index + 1) % polygon.len()];
        let (here, there) = (depth(point), depth(next));
        if here >= 0.0 {
            clipped.push(*point);
        }
        if (here > 0.0 && there < 0.0) || (here < 0.0 && there > 0.0) {
            clipped.push(add(
                *point,
                scale(sub(*next, *point), here / (here - there)),
            ));
        }
    }
    clipped
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron with its right angle at a point.
    fn corner(at: Vector) -> TriangleMesh {
        let vertices = vec![
            at,
            add(at, [6.0, 0.0, 0.0]),
            add(at, [0.0, 6.0, 0.0]),
            add(at, [0.0, 0.0, 6.0]),
        ];
        let triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        TriangleMesh::new(vertices, triangles).unwrap()
    }

    #[test]
    fn slabs_of_a_tetrahedron_are_frusta() {
        let at = [-1.0, 20.0, 3.0];
        for axis in 0..3 {
            let settings = SlabSettings {
                axis,
                count: 3,
                bounds: [at, add(at, [6.0; 3])],
            };
            let contents = settings.contents(&corner(at));
            // A pyramid of the height h has the volume h³ / 6.
            for (slab, high) in [6.0_f64, 4.0, 2.0].into_iter().enumerate() {
                let expected = (high.powi(3) - (high - 2.0).powi(3)) / 6.0;
                let volume = contents[slab].volume;
                assert!((volume - expected).abs() < 1e-9, "{axis} {slab}: {volume}");
                let share = volume / settings.whole();
                assert!((share - expected / 72.0).abs() < 1e-9);
            }
        }
        // What lies beyond the box is in no slab.
        let settings = SlabSettings {
            axis: 2,
            count: 2,
            bounds: [add(at, [0.0, 0.0, -4.0]), add(at, [6.0, 6.0, 2.0])],
        };
        let contents = settings.contents(&corner(at));
        assert!(contents[0].volume.abs() < 1e-12);
        let expected = (6.0_f64.powi(3) - 4.0_f64.powi(3)) / 6.0;
        assert!((contents[1].volume - expected).abs() < 1e-9);
    }
}
