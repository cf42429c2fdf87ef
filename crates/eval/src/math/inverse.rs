//! The inverses of sine, cosine and tangent.
//!
//! Beyond 1/2, asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)); beyond 1, atan(x) = pi/2 - atan(1 / x).

use super::constants::{Constants, polynomial};
use crate::lane::Lane;

#[inline(always)]
pub(super) fn asin<F: Constants, L: Lane<Number = F>>(x: L) -> L {
    let magnitude = x.abs();
    let half = x.constant(F::HALF);
    let two = x.constant(F::TWO);
    let square = half.if_less(
        magnitude,
        magnitude.neg_mul_add(half, half),
        magnitude.mul(magnitude),
    );
    let sine = half.if_less(magnitude, square.sqrt(), magnitude);
    let more = polynomial(square, F::ASIN).mul(square).mul(sine);
    // pi/2 - 2 sine, and what its rounding lost.
    let right = x.constant(F::RIGHT_ANGLE[0]);
    let quarter = sine.neg_mul_add(two, right);
    let lost = sine.neg_mul_add(two, right.sub(quarter));
    let quarter_more = more
        .neg_mul_add(two, x.constant(F::RIGHT_ANGLE[1]))
        .add(lost);
    let angle =
        half.if_less(magnitude, quarter, sine)
            .add(half.if_less(magnitude, quarter_more, more));
    angle.xor(x.xor(magnitude))
}

#[inline(always)]
pub(super) fn acos<F: Constants, L: Lane<Number = F>>(x: L) -> L {
    let magnitude = x.abs();
    let half = x.constant(F::HALF);
    let two = x.constant(F::TWO);
    let square = half.if_less(magnitude, magnitude.neg_mul_add(half, half), x.mul(x));
    let sine = half.if_less(magnitude, square.sqrt(), x);
    let angle = polynomial(square, F::ASIN).mul(square).mul_add(sine, sine);
    let from = x.if_negative(x.constant(F::STRAIGHT_ANGLE), x.constant(F::ZERO));
    let from = half.if_less(magnitude, from, x.constant(F::RIGHT_ANGLE[0]));
    let factor = two.xor(x.xor(magnitude));
    let factor = half.if_less(magnitude, factor, x.constant(F::MINUS_ONE));
    angle.mul_add(factor, from)
}

#[inline(always)]
pub(super) fn atan<F: Constants, L: Lane<Number = F>>(x: L) -> L {
    let magnitude = x.abs();
    let one = x.constant(F::ONE);
    // The constant is on the left, so that NaN passes.
    let angle = octant(one.lesser(magnitude).div(one.greater(magnitude)));
    let quarter = x
        .constant(F::RIGHT_ANGLE[0])
        .sub(angle.sub(x.constant(F::RIGHT_ANGLE[1])));
    let angle = one.if_less(magnitude, quarter, angle);
    angle.xor(x.xor(magnitude))
}

#[inline(always)]
pub(super) fn atan2<F: Constants, L: Lane<Number = F>>(y: L, x: L) -> L {
    let (width, height) = (x.abs(), y.abs());
    let zero = x.constant(F::ZERO);
    let least = width.if_less(height, width, height);
    let most = width.if_less(height, height, width);
    // 0 / 0 becomes 0, and infinity / infinity 1.
    let most = x.bits(1).greater(most);
    let ratio = least.if_equal(most, x.constant(F::ONE), least.div(most));
    let angle = octant(ratio);
    let steep = width.if_less(height, x.bits(F::SIGN), zero);
    let angle = angle.xor(steep).xor(x.xor(width));
    let from = x.if_negative(x.constant(F::STRAIGHT_ANGLE), zero);
    let from = width.if_less(height, x.constant(F::RIGHT_ANGLE[0]), from);
    let angle = from
        .mul_add(x.constant(F::RIGHT_ANGLE_RATIO), angle)
        .add(from);
    angle.xor(y.xor(height))
}

/// The angle up to pi / 4 whose tangent this is.
#[inline(always)]
fn octant<F: Constants, L: Lane<Number = F>>(tangent: L) -> L {
    let square = tangent.mul(tangent);
    polynomial(square, F::ATAN)
        .mul(square)
        .mul_add(tangent, tangent)
}
