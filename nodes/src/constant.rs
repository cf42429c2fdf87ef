//! Constants: numbers that a person or an agent sets.

use crate::bundle::Bundle;
use crate::example::{m, s, v};
use crate::port::Overloads::One;
use crate::value::Type::{Float, Float3, Matrix4x4};

/// An identity matrix, for examples.
pub(crate) const UNIT: [f64; 16] = [
    1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0,
];

node! {
    /// A number. Set `value`.
    ConstantScalar, "constant" | "scalar", Constant, (value = s(0.0)) -> (value), One(&[Float], &[Float]),
    [(s(2.5)) -> (s(2.5))],
    |x, _k| x[0].clone()
}

node! {
    /// A vector of three numbers. Set `x`, `y` and `z`.
    ConstantVector, "constvec" | "constantvec", Constant,
    (x = s(0.0), y = s(0.0), z = s(0.0)) -> (vector | result), One(&[Float; 3], &[Float3]),
    [(s(1.0), s(2.0), s(3.0)) -> (v(1.0, 2.0, 3.0))],
    |x, _k| [x[0].float(), x[1].float(), x[2].float()]
}

node! {
    /// A 4x4 matrix of sixteen numbers. Set `m00` to `m33`, row by row: `m30`, `m31`, `m32` are the translation.
    ConstantMatrix, "constmat" | "constantmat", Constant,
    (m00 = s(0.0), m01 = s(0.0), m02 = s(0.0), m03 = s(0.0), m10 = s(0.0), m11 = s(0.0), m12 = s(0.0), m13 = s(0.0),
     m20 = s(0.0), m21 = s(0.0), m22 = s(0.0), m23 = s(0.0), m30 = s(0.0), m31 = s(0.0), m32 = s(0.0), m33 = s(0.0))
        -> (matrix | result), One(&[Float; 16], &[Matrix4x4]),
    [(s(1.0), s(0.0), s(0.0), s(0.0), s(0.0), s(1.0), s(0.0), s(0.0),
      s(0.0), s(0.0), s(1.0), s(0.0), s(0.0), s(0.0), s(0.0), s(1.0)) -> (m(UNIT))],
    |x, _k| std::array::from_fn::<_, 16, _>(|place| Bundle::float(&x[place]))
}
