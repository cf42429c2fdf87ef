//! Powers.
//!
//! x^y = exp(y log |x|), with the logarithm and its product as sums of two numbers (T. J. Dekker, A floating-point
//! technique for extending the available precision, 1971), and the special cases of C.

use super::constants::{Constants, polynomial};
use super::exponential::exp_of_sum;
use super::logarithm::split;
use crate::lane::Lane;

#[inline(always)]
pub(super) fn pow<F: Constants, L: Lane<Number = F>>(x: L, y: L) -> L {
    let zero = x.constant(F::ZERO);
    let one = x.constant(F::ONE);
    let magnitude = x.abs();
    let (high, low) = log(magnitude);
    // An infinite exponent is as good as the largest finite one, and 0 times that is no NaN.
    let exponent = x.constant(F::LEAST).greater(x.constant(F::MAX).lesser(y));
    let product = exponent.mul(high);
    let small = exponent.mul_add(low, exponent.mul_sub(high, product));
    // Where the product is infinite what it lost is NaN.
    let small = product.abs().if_less(x.constant(F::POW_FAR), small, zero);
    let power = exp_of_sum(product, small);

    let half = y.mul(x.constant(F::HALF));
    let odd = half.if_equal(half.floor(), power, power.neg());
    let negative = x.if_equal(zero, power, x.constant(F::NAN));
    let infinite = magnitude.if_equal(x.constant(F::INFINITY), power, negative);
    let signed = y.if_equal(y.floor(), odd, infinite);
    let power = x.if_negative(signed, power);
    let power = y.if_equal(zero, one, power);
    x.if_equal(one, one, power)
}

/// The natural logarithm as a sum of two; of a magnitude.
#[inline(always)]
fn log<F: Constants, L: Lane<Number = F>>(x: L) -> (L, L) {
    let (exponent, fraction) = split(x);
    let one = x.constant(F::ONE);
    let two = x.constant(F::TWO);

    // s = 2 f / (2 + f), of which the last bits are found by multiplying back.
    let below = fraction.add(two);
    let below_low = fraction.sub(below.sub(two));
    let above = fraction.add(fraction);
    let inverse = one.div(below);
    let s = above.mul(inverse);
    let lost = s.neg_mul_add(below_low, s.neg_mul_add(below, above));
    let s_low = lost.mul(inverse);

    // z = s s and t = z (1/12 + z P(z)).
    let z = s.mul(s);
    let z_low = s.add(s).mul_add(s_low, s.mul_sub(s, z));
    let twelfth = x.constant(F::FRAC_1_12[0]);
    let t = z.mul(twelfth);
    let t_low = polynomial(z, F::POW).mul_add(z, x.constant(F::FRAC_1_12[1]));
    let t_low = z.mul_add(t_low, z.mul_sub(twelfth, t));
    let t_low = z_low.mul_add(twelfth, t_low);

    // log(1 + f) = s + s t.
    let more = s.mul(t);
    let more_low = s.mul_add(t_low, s.mul_sub(t, more));
    let more_low = s_low.mul_add(t, more_low).add(s_low);
    let high = s.add(more);
    let low = s.sub(high).add(more).add(more_low);

    // And the exponent.
    let whole = exponent.mul(x.constant(F::LN_2_SHORT[0]));
    let low = exponent.mul_add(x.constant(F::LN_2_SHORT[1]), low);
    let first = whole.add(high);
    let second = whole.sub(first).add(high).add(low);
    let sum = first.add(second);
    let low = first.sub(sum).add(second);

    let infinity = x.constant(F::INFINITY);
    let sum = x.if_less(infinity, sum, x);
    (
        x.if_equal(x.constant(F::ZERO), x.constant(F::MINUS_INFINITY), sum),
        low,
    )
}
