//! Affine transforms.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::vector::{dot, eigenvalues, largest};

/// An affine map of points, as 3MF writes it: the rows of a 4 x 3 matrix that a row vector (x, y, z, 1) is multiplied
/// with, so the last three numbers are the shift, in the project's unit.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Transform(pub [f64; 12]);

/// Compares bits, so 0 and -0 differ.
impl PartialEq for Transform {
    fn eq(&self, other: &Transform) -> bool {
        self.0.map(f64::to_bits) == other.0.map(f64::to_bits)
    }
}

impl Eq for Transform {}

impl Transform {
    /// The identity.
    pub const IDENTITY: Transform =
        Transform([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);

    /// True if it is the identity.
    pub fn is_identity(&self) -> bool {
        *self == Transform::IDENTITY
    }

    /// Transforms a point.
    pub fn apply(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let rows = &self.0;
        std::array::from_fn(|axis| {
            x * rows[axis] + y * rows[3 + axis] + z * rows[6 + axis] + rows[9 + axis]
        })
    }

    /// Determinant: the factor of volumes, negative for a reflection, 0 if it is singular.
    pub fn determinant(&self) -> f64 {
        let m = &self.0;
        m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6])
            + m[2] * (m[3] * m[7] - m[4] * m[6])
    }

    /// Spectral norm: the maximum factor of lengths, the root of the largest eigenvalue of the matrix times its
    /// transpose.
    pub fn stretch(&self) -> f64 {
        let row = |row: usize| [0, 1, 2].map(|column| self.0[3 * row + column]);
        let rows = [0, 1, 2].map(row);
        let most = largest(rows.map(largest));
        if most == 0.0 {
            return 0.0;
        }
        // Scaled, so that squares neither overflow nor underflow.
        let rows = rows.map(|row| row.map(|x| x / most));
        let square = rows.map(|one| rows.map(|other| dot(one, other)));
        let [.., longest] = eigenvalues(&square);
        most * longest.sqrt()
    }

    /// The inverse; `None` if it is singular or overflows.
    pub fn inverse(&self) -> Option<Transform> {
        let m = &self.0;
        let determinant = self.determinant();
        let cofactor = |row: usize, column: usize| {
            let at = |r: usize, c: usize| m[3 * ((row + r) % 3) + (column + c) % 3];
            at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1)
        };
        let mut back = [0.0; 12];
        for row in 0..3 {
            for column in 0..3 {
                back[3 * row + column] = cofactor(column, row) / determinant;
            }
        }
        for column in 0..3 {
            let shift = |row: usize| m[9 + row] * back[3 * row + column];
            back[9 + column] = -(shift(0) + shift(1) + shift(2));
        }
        let found = back.iter().all(|number| number.is_finite());
        found.then_some(Transform(back))
    }

    /// Composition: this transform, then the other.
    #[must_use]
    pub fn then(&self, next: &Transform) -> Transform {
        let mut both = [0.0; 12];
        for row in 0..3 {
            let [x, y, z] = [0, 1, 2].map(|column| self.0[3 * row + column]);
            for column in 0..3 {
                both[3 * row + column] =
                    x * next.0[column] + y * next.0[3 + column] + z * next.0[6 + column];
            }
        }
        let shift = next.apply([self.0[9], self.0[10], self.0[11]]);
        both[9..].copy_from_slice(&shift);
        Transform(both)
    }
}

impl Default for Transform {
    fn default() -> Self {
        Transform::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_row_vectors() {
        let turned = Transform([
            0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 10.0, 20.0, 30.0,
        ]);
        // Small integers, so nothing is rounded.
        let of = |at| turned.apply(at).map(f64::to_bits);
        let moved = [10.0_f64, 21.0, 30.0].map(f64::to_bits);
        assert_eq!(of([1.0, 0.0, 0.0]), moved);
        assert_eq!(of([0.0, 1.0, 1.0]), [9.0_f64, 20.0, 32.0].map(f64::to_bits));
        assert_eq!(turned.determinant().to_bits(), 2.0_f64.to_bits());
        assert!(Transform::default().is_identity());
    }

    #[test]
    fn stretch_is_that_of_the_longest_axis() {
        let (s, c) = 0.7_f64.sin_cos();
        let turn = Transform([c, s, 0.0, -s, c, 0.0, 0.0, 0.0, 1.0, 5.0, 6.0, 7.0]);
        let scaled =
            |[x, y, z]: [f64; 3]| Transform([x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z, 0.0, 0.0, 0.0]);
        for [x, y, z] in [[1.0; 3], [2.0, 3.0, 0.5], [-7.0, 1.0, 1.0], [0.1, 0.1, 0.2]] {
            let longest = f64::max(f64::abs(x), y).max(z);
            let stretch = turn.then(&scaled([x, y, z])).then(&turn).stretch();
            assert!((stretch / longest - 1.0).abs() < 1e-9);
        }
        for size in [1e200, 1e-200, 0.0] {
            let stretch = turn.then(&scaled([size, size, 0.5 * size])).stretch();
            assert!((stretch - size).abs() <= 1e-9 * size, "{stretch}");
        }
    }
}
