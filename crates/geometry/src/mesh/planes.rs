//! Where planes meet, in the sense of least squares.

use fibula_core::vector::{Vector, add, cross, dot, finite, scale, sub};

/// Weight of the place where a point is, beside that of one plane.
const STAY: f64 = 1e-3;

/// A plane: one of its points, and its unit normal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plane {
    pub(crate) point: Vector,
    pub(crate) normal: Vector,
}

/// Returns the point nearest to planes; where they leave it open, near `at`. `None` if it is not finite.
pub(crate) fn nearest_to_planes(at: Vector, planes: &[Plane]) -> Option<Vector> {
    let (mut matrix, mut right) = ([[0.0; 3]; 3], [0.0; 3]);
    for Plane { point, normal } in planes {
        let rise = dot(*normal, sub(*point, at));
        for (i, row) in matrix.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                *entry += normal[i] * normal[j];
            }
            right[i] += normal[i] * rise;
        }
    }
    for (i, row) in matrix.iter_mut().enumerate() {
        row[i] += STAY * planes.len() as f64;
    }
    let [a, b, c] = matrix;
    let minors = [cross(b, c), cross(c, a), cross(a, b)];
    let determinant = dot(a, minors[0]);
    let parts = [0, 1, 2].map(|place| scale(minors[place], right[place] / determinant));
    let moved = add(parts[0], add(parts[1], parts[2]));
    finite(moved).then(|| add(at, moved))
}
