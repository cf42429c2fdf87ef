//! The exponential function.
//!
//! exp(x) = 2^n exp(r) with r = x - n ln 2, which the first of two parts of ln 2 and fused multiplication leave exact.
//! The result may overflow and lose bits gradually, rounded once: where no instruction does that, the factor 2^n is two
//! factors.

use super::constants::{Constants, polynomial};
use crate::lane::Lane;

#[inline(always)]
pub(super) fn exp<F: Constants, L: Lane<Number = F>>(x: L) -> L {
    let x = clamp(x);
    scaled(x, |whole| exp_of_rest(without(x, whole)))
}

/// The exponential of a sum whose second term is below the last bit of the first.
#[inline(always)]
pub(super) fn exp_of_sum<F: Constants, L: Lane<Number = F>>(x: L, small: L) -> L {
    let x = clamp(x);
    scaled(x, |whole| {
        // 1 + rest is kept as a sum of two, so that nearly all error is that of the last addition.
        let one = x.constant(F::ONE);
        let first = whole.neg_mul_add(x.constant(F::LN_2[0]), x);
        let second = whole.neg_mul_add(x.constant(F::LN_2[1]), small);
        let rest = first.add(second);
        let sum = one.add(rest);
        let lost = first.sub(rest).add(second);
        let lost = one.sub(sum).add(rest).add(lost);
        let more = polynomial(rest, F::EXP).mul(rest).mul_add(rest, lost);
        sum.add(more)
    })
}

/// The exponential of up to half of ln 2.
#[inline(always)]
pub(super) fn exp_of_rest<F: Constants, L: Lane<Number = F>>(rest: L) -> L {
    let one = rest.constant(F::ONE);
    polynomial(rest, F::EXP)
        .mul_add(rest, one)
        .mul_add(rest, one)
}

/// Keeps `x` where the result is neither 0 nor infinite, and a little beyond; NaN passes.
#[inline(always)]
fn clamp<F: Constants, L: Lane<Number = F>>(x: L) -> L {
    let x = x.constant(F::EXP_LOWEST).greater(x);
    x.constant(F::EXP_HIGHEST).lesser(x)
}

/// `power` of n, the nearest whole number to x / ln 2, times 2^n.
#[inline(always)]
fn scaled<F: Constants, L: Lane<Number = F>>(x: L, power: impl FnOnce(L) -> L) -> L {
    let log2_e = x.constant(F::LOG2_E[0]);
    if let Some(scale) = x.scaling() {
        let magic = x.constant(F::MAGIC);
        let whole = x.mul_add(log2_e, magic).sub(magic);
        return scale(power(whole), whole);
    }
    // Leaves, when added, the biased exponent of the first of both factors in the low bits.
    let magic = x.if_negative(x.constant(F::EXP_MAGIC_UP), x.constant(F::EXP_MAGIC_DOWN));
    let count = x.mul_add(log2_e, magic);
    let other = x.if_negative(x.constant(F::EXP_DOWN), x.constant(F::EXP_UP));
    power(count.sub(magic))
        .mul(F::to_exponent(count))
        .mul(other)
}

/// `x` less `count` times ln 2.
#[inline(always)]
pub(super) fn without<F: Constants, L: Lane<Number = F>>(x: L, count: L) -> L {
    let rest = count.neg_mul_add(x.constant(F::LN_2[0]), x);
    count.neg_mul_add(x.constant(F::LN_2[1]), rest)
}
