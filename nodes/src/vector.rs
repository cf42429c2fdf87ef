//! Vectors: putting them together, taking them apart, products and length.

use crate::bundle::Bundle;
use crate::example::{s, v};
use crate::port::Overloads::One;
use crate::value::Type::{Float, Float3};

node! {
    /// Vector of three numbers.
    ComposeVector, "composevector", Vector, (x, y, z) -> (result | vector), One(&[Float; 3], &[Float3]),
    [(s(1.0), s(2.0), s(3.0)) -> (v(1.0, 2.0, 3.0))],
    |x, _k| [x[0].float(), x[1].float(), x[2].float()]
}

node! {
    /// The three components of a vector.
    DecomposeVector, "decomposevector", Vector, (A | vector) -> (x, y, z), One(&[Float3], &[Float; 3]),
    [(v(1.0, 2.0, 3.0)) -> (s(1.0), s(2.0), s(3.0))],
    |x, _k| x[0].float3().map(Bundle::Float).to_vec()
}

node! {
    /// Vector with the number `A` in all three components. This is the explicit conversion from float to float3; there is no implicit one.
    VectorFromScalar, "vectorfromscalar" | "splat", Vector, (A) -> (result), One(&[Float], &[Float3]),
    [(s(2.0)) -> (v(2.0, 2.0, 2.0))],
    |x, _k| [x[0].float(); 3]
}

node! {
    /// Dot product of two vectors.
    DotProduct, "dot", Vector, (A, B) -> (result), One(&[Float3, Float3], &[Float]),
    [(v(1.0, 2.0, 3.0), v(4.0, 5.0, 6.0)) -> (s(32.0))],
    |x, k| k.dot(x[0].scalars(), x[1].scalars())
}

node! {
    /// Cross product `A` x `B`: orthogonal to both, its length the area of the parallelogram that they span.
    CrossProduct, "cross", Vector, (A, B) -> (result | vector), One(&[Float3, Float3], &[Float3]),
    [(v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)) -> (v(0.0, 0.0, 1.0)), (v(1.0, 2.0, 3.0), v(4.0, 5.0, 6.0)) -> (v(-3.0, 6.0, -3.0))],
    |x, k| {
        let (a, b) = (x[0].float3(), x[1].float3());
        [(1, 2), (2, 0), (0, 1)].map(|(p, q)| {
            let (left, right) = (k.mul(a[p], b[q]), k.mul(a[q], b[p]));
            k.sub(left, right)
        })
    }
}

node! {
    /// Euclidean length of a vector.
    Length, "length", Vector, (A) -> (result), One(&[Float3], &[Float]),
    [(v(2.0, 3.0, 6.0)) -> (s(7.0))],
    |x, k| k.length(x[0].scalars())
}

node! {
    /// Exact signed distance from `pos` to the axis-aligned box from `min` to `max`, negative inside.
    BoxMinMax, helper "boxminmax", Vector, (pos, min, max) -> (shape), One(&[Float3; 3], &[Float]),
    [(v(3.0, 0.0, 0.0), v(-1.0, -1.0, -1.0), v(1.0, 1.0, 1.0)) -> (s(2.0)),
     (v(0.5, 0.0, 0.0), v(-1.0, -1.0, -1.0), v(1.0, 1.0, 1.0)) -> (s(-0.5))],
    |x, k| box_distance(x, k)
}

/// Outside: the length of what sticks out on each axis. Inside: the axis that is nearest to a face.
fn box_distance(x: &[Bundle], k: &mut crate::kernel::Kernel) -> crate::kernel::Expr {
    let zero = k.constant(0.0);
    let [pos, min, max] = [x[0].float3(), x[1].float3(), x[2].float3()];
    let beyond: [_; 3] = std::array::from_fn(|axis| {
        let (low, high) = (k.sub(min[axis], pos[axis]), k.sub(pos[axis], max[axis]));
        k.max(low, high)
    });
    let out = beyond.map(|distance| k.max(distance, zero));
    let outside = k.length(&out);
    let largest = k.max(beyond[1], beyond[2]);
    let largest = k.max(beyond[0], largest);
    let inside = k.min(largest, zero);
    k.add(outside, inside)
}
