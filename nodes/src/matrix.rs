//! Matrices: row-major, transforming row vectors, the translation in the last row.

use crate::bundle::Bundle;
use crate::constant::UNIT;
use crate::example::{m, s, v};
use crate::kernel::{Expr, Kernel};
use crate::port::Overloads::One;
use crate::value::Type::{Float, Float3, Matrix4x4};

/// A rotation by 90 degrees about z and a translation by (10, 20, 30), for examples.
const ROTATED_AND_MOVED: [f64; 16] = [
    0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 10.0, 20.0, 30.0, 1.0,
];

/// Its transpose.
const TRANSPOSED: [f64; 16] = [
    0.0, -1.0, 0.0, 10.0, 1.0, 0.0, 0.0, 20.0, 0.0, 0.0, 1.0, 30.0, 0.0, 0.0, 0.0, 1.0,
];

/// Its inverse.
const INVERSE: [f64; 16] = [
    0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -20.0, 10.0, -30.0, 1.0,
];

node! {
    /// Matrix of sixteen numbers, row by row: `m30`, `m31`, `m32` are the translation.
    ComposeMatrix, "composematrix", Matrix,
    (m00 = s(0.0), m01 = s(0.0), m02 = s(0.0), m03 = s(0.0), m10 = s(0.0), m11 = s(0.0), m12 = s(0.0), m13 = s(0.0),
     m20 = s(0.0), m21 = s(0.0), m22 = s(0.0), m23 = s(0.0), m30 = s(0.0), m31 = s(0.0), m32 = s(0.0), m33 = s(0.0))
        -> (result | matrix), One(&[Float; 16], &[Matrix4x4]),
    [(s(1.0), s(0.0), s(0.0), s(0.0), s(0.0), s(1.0), s(0.0), s(0.0),
      s(0.0), s(0.0), s(1.0), s(0.0), s(0.0), s(0.0), s(0.0), s(1.0)) -> (m(UNIT))],
    |x, _k| std::array::from_fn::<_, 16, _>(|place| x[place].float())
}

node! {
    /// The sixteen elements of a matrix, row by row.
    DecomposeMatrix, helper "decomposematrix", Matrix, (matrix | A)
        -> (m00, m01, m02, m03, m10, m11, m12, m13, m20, m21, m22, m23, m30, m31, m32, m33), One(&[Matrix4x4], &[Float; 16]),
    [(m(UNIT)) -> (s(1.0), s(0.0), s(0.0), s(0.0), s(0.0), s(1.0), s(0.0), s(0.0),
      s(0.0), s(0.0), s(1.0), s(0.0), s(0.0), s(0.0), s(0.0), s(1.0))],
    |x, _k| x[0].matrix().map(Bundle::Float).to_vec()
}

node! {
    /// Matrix with the vectors `A` to `D` as its columns. The last row is 0 0 0 1.
    ComposeMatrixFromColumns, "matrixfromcolumns", Matrix, (A | col0, B | col1, C | col2, D | col3) -> (result | matrix),
    One(&[Float3; 4], &[Matrix4x4]),
    [(v(0.0, -1.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 0.0, 1.0), v(0.0, 0.0, 0.0)) -> (m([
        0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]))],
    |x, k| {
        let last = [k.constant(0.0), k.constant(0.0), k.constant(0.0), k.constant(1.0)];
        let columns: [[Expr; 3]; 4] = std::array::from_fn(|column| x[column].float3());
        from_elements(|row, column| if row == 3 { last[column] } else { columns[column][row] })
    }
}

node! {
    /// Matrix with the vectors `A` to `D` as its rows. The last column is 0 0 0 1, so `D` is the translation.
    ComposeMatrixFromRows, "matrixfromrows", Matrix, (A | row0, B | row1, C | row2, D | row3) -> (result | matrix),
    One(&[Float3; 4], &[Matrix4x4]),
    [(v(0.0, 1.0, 0.0), v(-1.0, 0.0, 0.0), v(0.0, 0.0, 1.0), v(10.0, 20.0, 30.0)) -> (m(ROTATED_AND_MOVED))],
    |x, k| {
        let last = [k.constant(0.0), k.constant(0.0), k.constant(0.0), k.constant(1.0)];
        let rows: [[Expr; 3]; 4] = std::array::from_fn(|row| x[row].float3());
        from_elements(|row, column| if column == 3 { last[row] } else { rows[row][column] })
    }
}

node! {
    /// Point `B` transformed by the matrix `A`, as a row vector with w = 1 and without perspective divide.
    MatrixVectorMultiplication, "matvecmultiplication" | "matrixvectormultiplication" | "transform", Matrix,
    (A, B) -> (result), One(&[Matrix4x4, Float3], &[Float3]),
    [(m(ROTATED_AND_MOVED), v(1.0, 2.0, 3.0)) -> (v(8.0, 21.0, 33.0))],
    |x, k| transform(x[0].matrix(), x[1].float3(), k)
}

node! {
    /// Point `pos` transformed by a matrix, as a row vector with w = 1 and without perspective divide.
    Transformation, helper "transformation", Matrix, (Transformation | matrix, pos) -> (pos),
    One(&[Matrix4x4, Float3], &[Float3]),
    [(m(ROTATED_AND_MOVED), v(1.0, 2.0, 3.0)) -> (v(8.0, 21.0, 33.0))],
    |x, k| transform(x[0].matrix(), x[1].float3(), k)
}

node! {
    /// Transpose of the matrix `A`.
    Transpose, "transpose", Matrix, (A) -> (result | matrix), One(&[Matrix4x4], &[Matrix4x4]),
    [(m(ROTATED_AND_MOVED)) -> (m(TRANSPOSED))],
    |x, _k| from_elements(|row, column| x[0].matrix()[column * 4 + row])
}

node! {
    /// Inverse of the matrix `A`. If the determinant of `A` is 0, or underflows to 0, every element is NaN.
    Inverse, "inverse" | "invert", Matrix, (A) -> (result | matrix), One(&[Matrix4x4], &[Matrix4x4]),
    [(m(ROTATED_AND_MOVED)) -> (m(INVERSE)), (m([0.0; 16])) -> (m([f64::NAN; 16]))],
    |x, k| inverse(x[0].matrix(), k)
}

/// A matrix from what stands at each row and column.
fn from_elements(mut place: impl FnMut(usize, usize) -> Expr) -> [Expr; 16] {
    std::array::from_fn(|index| place(index / 4, index % 4))
}

/// `point` as a row vector times `matrix`, with w = 1: x m0c + y m1c + z m2c + m3c for each column c.
fn transform(matrix: [Expr; 16], point: [Expr; 3], k: &mut Kernel) -> [Expr; 3] {
    std::array::from_fn(|column| {
        let column = [
            matrix[column],
            matrix[4 + column],
            matrix[8 + column],
            matrix[12 + column],
        ];
        let turned = k.dot(&point, &column[..3]);
        k.add(turned, column[3])
    })
}

/// The adjugate divided by the determinant, by way of the twelve 2x2 minors of the upper and lower two rows
/// (Laplace expansion by complementary minors).
fn inverse(a: [Expr; 16], k: &mut Kernel) -> [Expr; 16] {
    /// Pairs of columns; `PAIRS[5 - i]` is complementary to `PAIRS[i]`.
    const PAIRS: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let minors = |top: usize, k: &mut Kernel| {
        PAIRS.map(|(p, q)| {
            let left = k.mul(a[top + p], a[top + 4 + q]);
            let right = k.mul(a[top + q], a[top + 4 + p]);
            k.sub(left, right)
        })
    };
    let (upper, lower) = (minors(0, k), minors(8, k));
    let terms: [Expr; 6] = std::array::from_fn(|pair| k.mul(upper[pair], lower[5 - pair]));
    let signed = [
        (0, true),
        (1, false),
        (2, true),
        (3, true),
        (4, false),
        (5, true),
    ];
    let determinant = sum(&signed.map(|(pair, plus)| (terms[pair], plus)), k);
    let size = k.abs(determinant);
    let (zero, one, nan) = (k.constant(0.0), k.constant(1.0), k.constant(f64::NAN));
    let reciprocal = k.div(one, determinant);
    let scale = k.select(zero, size, reciprocal, nan);
    from_elements(|row, column| {
        // The cofactor of (column, row): its 3x3 minor expanded along the row that shares a half with it.
        let (half, minor) = if column < 2 {
            (4 - column * 4, &lower)
        } else {
            (20 - column * 4, &upper)
        };
        let others: Vec<usize> = (0..4).filter(|&other| other != row).collect();
        let pair = |p: usize, q: usize| {
            minor[PAIRS
                .iter()
                .position(|&known| known == (p, q))
                .expect("p < q, both below 4")]
        };
        let [first, second, third] = [others[0], others[1], others[2]];
        let products = [
            (k.mul(a[half + first], pair(second, third)), true),
            (k.mul(a[half + second], pair(first, third)), false),
            (k.mul(a[half + third], pair(first, second)), true),
        ];
        let cofactor = sum(&products, k);
        let cofactor = if (row + column) % 2 == 0 {
            cofactor
        } else {
            k.neg(cofactor)
        };
        k.mul(cofactor, scale)
    })
}

/// The sum of terms, each added or subtracted.
fn sum(terms: &[(Expr, bool)], k: &mut Kernel) -> Expr {
    let mut total = k.constant(0.0);
    for (place, &(term, plus)) in terms.iter().enumerate() {
        total = match (place, plus) {
            (0, true) => term,
            (_, true) => k.add(total, term),
            (_, false) => k.sub(total, term),
        };
    }
    total
}
