//! Vectors of three components, and eigenvalues of symmetric 3 x 3 matrices.

/// A point or a direction.
pub type Vector = [f64; 3];

/// Sum of two vectors.
#[inline]
pub fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Difference of two vectors.
#[inline]
pub fn sub(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Product of a vector and a number.
#[inline]
pub fn scale(a: Vector, by: f64) -> Vector {
    [a[0] * by, a[1] * by, a[2] * by]
}

/// Dot product.
#[inline]
pub fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Cross product.
#[inline]
pub fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Euclidean length.
#[inline]
pub fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

/// Normalizes a vector: `None` for a vector of length 0 or with a component that is not finite. Squares neither
/// overflow nor underflow.
#[inline]
pub fn unit(a: Vector) -> Option<Vector> {
    let square = dot(a, a);
    // Here the square of the length is accurate to rounding.
    if (1e-280..1e280).contains(&square) {
        let length = square.sqrt();
        return Some(a.map(|x| x / length));
    }
    let largest = largest(a);
    if !(largest > 0.0 && finite(a)) {
        return None;
    }
    let short = a.map(|x| x / largest);
    let length = length(short);
    Some(short.map(|x| x / length))
}

/// Euclidean length without overflow or underflow of the square.
pub(crate) fn long_length(a: Vector) -> f64 {
    let largest = largest(a);
    if largest > 0.0 {
        length(a.map(|x| x / largest)) * largest
    } else {
        largest
    }
}

/// Maximum norm: the largest absolute value of the components.
pub fn largest(a: Vector) -> f64 {
    a[0].abs().max(a[1].abs()).max(a[2].abs())
}

/// Unit vector of the coordinate axis along which a vector has its smallest component.
pub fn aside(a: Vector) -> Vector {
    let [x, y, z] = a.map(f64::abs);
    if x <= y && x <= z {
        [1.0, 0.0, 0.0]
    } else if y <= z {
        [0.0, 1.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    }
}

/// True if every component is finite.
#[inline]
pub fn finite(a: Vector) -> bool {
    a.iter().all(|x| x.is_finite())
}

/// Eigenvalues of a symmetric matrix in ascending order, by the trigonometric solution of the characteristic equation.
///
/// O. K. Smith, *Eigenvalues of a symmetric 3 x 3 matrix*, Communications of the ACM 4 (1961), page 168.
pub fn eigenvalues(matrix: &[Vector; 3]) -> Vector {
    let most = largest(matrix.map(largest));
    if most == 0.0 {
        return [0.0; 3];
    }
    // Scaled, so that squares neither overflow nor underflow.
    let matrix = matrix.map(|row| row.map(|x| x / most));
    let trace = matrix[0][0] + matrix[1][1] + matrix[2][2];
    let mean = trace / 3.0;
    let beside = [matrix[0][1], matrix[0][2], matrix[1][2]];
    let off: f64 = beside.iter().map(|x| x * x).sum();
    let on: f64 = (0..3).map(|k| (matrix[k][k] - mean).powi(2)).sum();
    let spread = ((on + 2.0 * off) / 6.0).sqrt();
    // A multiple of the identity.
    if spread <= 0.0 {
        return [mean * most; 3];
    }
    let mut shifted = matrix.map(|row| scale(row, 1.0 / spread));
    for (k, row) in shifted.iter_mut().enumerate() {
        row[k] -= mean / spread;
    }
    let [a, b, c] = shifted;
    let half = (dot(a, cross(b, c)) / 2.0).clamp(-1.0, 1.0);
    let angle = half.acos() / 3.0;
    let third = std::f64::consts::TAU / 3.0;
    let largest = mean + 2.0 * spread * angle.cos();
    let smallest = mean + 2.0 * spread * (angle + third).cos();
    [smallest, trace - largest - smallest, largest].map(|value| value * most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_vector_but_0_is_normalized() {
        for size in [1e-320, 1e-200, 1e-140, 1.0, 1e140, 1e200, 1e308] {
            let found = unit([size, 0.0, -size]).unwrap();
            let half = std::f64::consts::FRAC_1_SQRT_2;
            let off = sub(found, [half, 0.0, -half]);
            assert!(length(off) < 1e-12, "{found:?} for {size}");
            let long = long_length([0.3 * size, 0.4 * size, 0.0]);
            assert!((long / size - 0.5).abs() < 1e-3, "{long} for {size}");
        }
        assert_eq!(unit([0.0, -0.0, 0.0]), None);
        assert_eq!(long_length([0.0; 3]).to_bits(), 0);
        for wrong in [f64::NAN, f64::INFINITY] {
            assert_eq!(unit([wrong, 1.0, 0.0]), None);
        }
    }

    #[test]
    fn eigenvalues_are_those_that_a_matrix_is_composed_of() {
        let turned = |values: Vector, angle: f64| {
            let (s, c) = angle.sin_cos();
            let axes = [
                [c, s * 0.6, s * 0.8],
                [-s, c * 0.6, c * 0.8],
                [0.0, -0.8, 0.6],
            ];
            let entry = |row: usize, column: usize| {
                (0..3)
                    .map(|k| values[k] * axes[k][row] * axes[k][column])
                    .sum()
            };
            std::array::from_fn(|row| std::array::from_fn(|column| entry(row, column)))
        };
        for (values, angle) in [
            ([1.0, 2.0, 5.0], 0.7),
            ([1.0, 1.0, 5.0], 1.1),
            ([-3.0, 2.0, 2.0], 0.2),
            ([4.0; 3], 0.5),
            ([0.0; 3], 0.5),
        ] {
            for size in [1.0, 1e200, 1e-200] {
                let found = eigenvalues(&turned(scale(values, size), angle));
                for (found, expected) in found.into_iter().zip(values) {
                    let off = (found - expected * size).abs();
                    assert!(off < 1e-7 * size, "{found} {expected} {size}");
                }
            }
        }
    }
}
