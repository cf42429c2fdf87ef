//! Hyperbolic sine, cosine and tangent.
//!
//! With |x| = n ln 2 + r, a = (2^n + 2^-n) / 2 and b = (2^n - 2^-n) / 2: sinh = b cosh(r) + a sinh(r) and
//! cosh = a cosh(r) + b sinh(r). There is no division, and nothing cancels at 0. tanh = 1 - 2 / (exp(2 |x|) + 1), and a
//! polynomial where that would cancel.

use super::constants::{Constants, polynomial};
use super::exponential::{exp_of_rest, without};
use crate::lane::Lane;

#[inline(always)]
pub(super) fn sinh<F: Constants, L: Lane<Number = F>>(x: L) -> L {
    let magnitude = x.abs();
    let parts = Parts::of(x.constant(F::SINH_HIGHEST).lesser(magnitude));
    parts.sinh().xor(x.xor(magnitude))
}

#[inline(always)]
pub(super) fn cosh<F: Constants, L: Lane<Number = F>>(x: L) -> L {
    Parts::of(x.constant(F::SINH_HIGHEST).lesser(x.abs())).cosh()
}

#[inline(always)]
pub(super) fn tanh<F: Constants, L: Lane<Number = F>>(x: L) -> L {
    let magnitude = x.abs();
    let square = magnitude.mul(magnitude);
    let small = polynomial(square, F::TANH)
        .mul(square)
        .mul_add(magnitude, magnitude);

    let twice = x.constant(F::TANH_HIGHEST).lesser(magnitude);
    let twice = twice.add(twice);
    let magic = x.constant(F::TANH_MAGIC);
    let count = twice.mul_add(x.constant(F::LOG2_E[0]), magic);
    let power = exp_of_rest(without(twice, count.sub(magic)));
    let one = x.constant(F::ONE);
    let below = F::to_exponent(count).mul_add(power, one);
    let large = one.sub(x.constant(F::TWO).div(below));

    let least = x.constant(F::TANH_SMALL);
    let result = least.if_less(magnitude, large, small);
    result.xor(x.xor(magnitude))
}

/// Terms of both sums.
struct Parts<L> {
    /// 2 sinh(r).
    sinh: L,
    /// 2 (cosh(r) - 1).
    cosh: L,
    /// a / 2.
    sum: L,
    /// b / 2.
    difference: L,
}

impl<F: Constants, L: Lane<Number = F>> Parts<L> {
    #[inline(always)]
    fn of(x: L) -> Self {
        let magic = x.constant(F::SINH_MAGIC);
        let count = x.mul_add(x.constant(F::LOG2_E[0]), magic);
        let rest = without(x, count.sub(magic));
        let up = F::to_exponent(count);
        let down = x
            .bits(F::SINH_PAIR)
            .int_sub(up.lesser(x.constant(F::SINH_LARGE)));
        let square = rest.mul(rest);
        let twice = rest.add(rest);
        Parts {
            sinh: polynomial(square, F::SINH)
                .mul(square)
                .mul_add(twice, twice),
            cosh: polynomial(square, F::COSH).mul(square),
            sum: up.add(down),
            difference: up.sub(down),
        }
    }

    #[inline(always)]
    fn sinh(&self) -> L {
        let small = self.sinh.mul_add(self.sum, self.cosh.mul(self.difference));
        self.difference.mul_add(self.sum.constant(F::TWO), small)
    }

    #[inline(always)]
    fn cosh(&self) -> L {
        let small = self.cosh.mul_add(self.sum, self.sinh.mul(self.difference));
        self.sum.mul_add(self.sum.constant(F::TWO), small)
    }
}
