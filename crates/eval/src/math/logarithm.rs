//! Logarithms.
//!
//! x = 2^e (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), and log(1 + f) = f - s (f - R) with s = f / (2 + f), as in
//! FDLIBM's `e_log.c` (Sun Microsystems, 1993).

use super::constants::{Constants, polynomial};
use crate::lane::Lane;

#[inline(always)]
pub(super) fn log<F: Constants, L: Lane<Number = F>>(x: L) -> L {
    let (exponent, fraction) = split(x);
    let low = exponent.mul(x.constant(F::LN_2[1]));
    let small = less(fraction, low);
    let result = exponent.mul_add(x.constant(F::LN_2[0]), fraction.add(small));
    special(x, result)
}

#[inline(always)]
pub(super) fn log2<F: Constants, L: Lane<Number = F>>(x: L) -> L {
    let (exponent, fraction) = split(x);
    let (high, low) = sum(fraction);
    let low = low.mul(x.constant(F::LOG2_E[0]));
    let low = high.mul_add(x.constant(F::LOG2_E[1]), low);
    let result = high.mul_add(x.constant(F::LOG2_E[0]), low).add(exponent);
    special(x, result)
}

#[inline(always)]
pub(super) fn log10<F: Constants, L: Lane<Number = F>>(x: L) -> L {
    let (exponent, fraction) = split(x);
    let (high, low) = sum(fraction);
    let low = low.mul(x.constant(F::LOG10_E[0]));
    let low = high.mul_add(x.constant(F::LOG10_E[1]), low);
    let low = exponent.mul_add(x.constant(F::LOG10_2[1]), low);
    let result = high.mul_add(x.constant(F::LOG10_E[0]), low);
    special(x, exponent.mul_add(x.constant(F::LOG10_2[0]), result))
}

/// The exponent e and the fraction f of a positive finite number.
#[inline(always)]
pub(super) fn split<F: Constants, L: Lane<Number = F>>(x: L) -> (L, L) {
    let least = x.constant(F::MIN_NORMAL);
    let lifted = x.if_less(least, x.mul(x.constant(F::LIFT)), x);
    let bias = x.if_less(
        least,
        x.constant(F::LOG_BIAS_LIFTED),
        x.constant(F::LOG_BIAS),
    );
    let moved = lifted.int_add(x.bits(F::LOG_OFFSET));
    let exponent = F::from_exponent(moved).or(x.bits(F::LOG_MAGIC)).sub(bias);
    let fraction = moved
        .and(x.bits(F::FRACTION))
        .int_add(x.bits(F::LOG_CENTRE));
    (exponent, fraction.sub(x.constant(F::ONE)))
}

/// log(1 + `fraction`) - `fraction` + `more`.
#[inline(always)]
fn less<F: Constants, L: Lane<Number = F>>(fraction: L, more: L) -> L {
    let ratio = fraction.div(fraction.add(fraction.constant(F::TWO)));
    let square = ratio.mul(ratio);
    let remainder = polynomial(square, F::LOG).neg_mul_add(square, fraction);
    ratio.neg_mul_add(remainder, more)
}

/// log(1 + `fraction`) as a sum of two.
#[inline(always)]
fn sum<F: Constants, L: Lane<Number = F>>(fraction: L) -> (L, L) {
    let small = less(fraction, fraction.constant(F::ZERO));
    let high = fraction.add(small);
    (high, fraction.sub(high).add(small))
}

/// `result`, or what is right where `x` is not positive and finite.
#[inline(always)]
fn special<F: Constants, L: Lane<Number = F>>(x: L, result: L) -> L {
    let zero = x.constant(F::ZERO);
    let positive = x.if_less(x.constant(F::INFINITY), result, x);
    let other = x.if_equal(zero, x.constant(F::MINUS_INFINITY), x.constant(F::NAN));
    zero.if_less(x, positive, other)
}
