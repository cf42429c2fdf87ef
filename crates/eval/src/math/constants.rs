//! Constants of the two number types: numbers, coefficients, and the layout of their bits.

use crate::lane::{Float, Lane};

/// The constants of a number type. Pairs and triples are a number rounded, then what the rounding left, rounded, and so
/// on. Coefficients start at the lowest power; they minimise the largest relative error (Remez) after rounding.
pub(super) trait Constants: Float {
    /// 1.5 times the number whose last bit counts 1: added, it leaves the nearest whole number in the low bits.
    const MAGIC: Self;
    const HALF: Self;
    const TWO: Self;
    const MINUS_ONE: Self;
    /// The most negative finite number.
    const LEAST: Self;
    const MINUS_INFINITY: Self;

    const FRAC_1_PI: Self;
    const FRAC_2_PI: Self;
    /// pi, of which the first two parts are rounded down.
    const PI: [Self; 3];
    /// pi / 2, of which the first two parts are rounded down.
    const FRAC_PI_2: [Self; 3];
    /// pi / 2.
    const RIGHT_ANGLE: [Self; 2];
    /// The second part of pi / 2 over its first; that of pi is the same.
    const RIGHT_ANGLE_RATIO: Self;
    /// pi.
    const STRAIGHT_ANGLE: Self;
    /// The first coefficient of the next polynomial.
    const SIN_FIRST: Self;
    /// sin(r) = r + r z (`SIN_FIRST` + z P(z)) with z = r r, up to pi / 2 and a little more.
    const SIN: &'static [Self];
    /// tan(r) = r + r z P(z) with z = r r, up to pi / 4 and a little more.
    const TAN: &'static [Self];
    /// asin(s) = s + s z P(z) with z = s s, up to 1/2.
    const ASIN: &'static [Self];
    /// atan(t) = t + t z P(z) with z = t t, up to 1.
    const ATAN: &'static [Self];

    const LOG2_E: [Self; 2];
    const LN_2: [Self; 2];
    /// ln 2, with a first part so short that its product with any exponent is exact.
    const LN_2_SHORT: [Self; 2];
    const LOG10_E: [Self; 2];
    const LOG10_2: [Self; 2];

    /// Below this exp is 0.
    const EXP_LOWEST: Self;
    /// Above this exp is infinite.
    const EXP_HIGHEST: Self;
    /// [`MAGIC`](Self::MAGIC), the exponent's bias, and half of the exponents.
    const EXP_MAGIC_UP: Self;
    /// [`MAGIC`](Self::MAGIC), the exponent's bias, less half of the exponents.
    const EXP_MAGIC_DOWN: Self;
    /// 2 to the power of half of the exponents.
    const EXP_UP: Self;
    /// 1 / [`EXP_UP`](Self::EXP_UP).
    const EXP_DOWN: Self;
    /// exp(r) = 1 + r + r r P(r), up to ln(2) / 2.
    const EXP: &'static [Self];

    /// Above this sinh and cosh are infinite.
    const SINH_HIGHEST: Self;
    /// Above this tanh is 1.
    const TANH_HIGHEST: Self;
    /// Below this tanh is a polynomial.
    const TANH_SMALL: Self;
    /// [`MAGIC`](Self::MAGIC) and the exponent's bias.
    const TANH_MAGIC: Self;
    /// tanh(x) = x + x z P(z) with z = x x, up to [`TANH_SMALL`](Self::TANH_SMALL).
    const TANH: &'static [Self];
    /// [`MAGIC`](Self::MAGIC), the exponent's bias, less 2.
    const SINH_MAGIC: Self;
    /// The sum of the bits of 2^(n - 2) and 2^(-n - 2).
    const SINH_PAIR: u64;
    /// A power of two whose inverse does not count beside it.
    const SINH_LARGE: Self;
    /// sinh(r) = r + r z P(z) with z = r r, up to ln(2) / 2.
    const SINH: &'static [Self];
    /// cosh(r) - 1 = z P(z) with z = r r, up to ln(2) / 2, doubled.
    const COSH: &'static [Self];

    /// The smallest number of full precision.
    const MIN_NORMAL: Self;
    /// Factor that lifts subnormal numbers to full precision: 2 to the power of the fraction's width.
    const LIFT: Self;
    /// The bits of 1 less those of sqrt(1/2).
    const LOG_OFFSET: u64;
    /// The bits of sqrt(1/2).
    const LOG_CENTRE: u64;
    /// The bits of the fraction.
    const FRACTION: u64;
    /// The bits of the number whose last bit counts 1.
    const LOG_MAGIC: u64;
    /// That number and the exponent's bias.
    const LOG_BIAS: Self;
    /// That number, the exponent's bias and the fraction's width.
    const LOG_BIAS_LIFTED: Self;
    /// log((1 + s) / (1 - s)) = 2 s + s z P(z) with z = s s, for the fractions from sqrt(1/2) to sqrt(2).
    const LOG: &'static [Self];
    const FRAC_1_12: [Self; 2];
    /// log((1 + s/2) / (1 - s/2)) = s + s z (1/12 + z P(z)) with z = s s, for the same.
    const POW: &'static [Self];
    /// Beyond this what is below the last bit of a power's exponent does not count.
    const POW_FAR: Self;

    /// The low bits moved to where the exponent is.
    fn to_exponent<L: Lane<Number = Self>>(x: L) -> L;
    /// The exponent moved to the low bits.
    fn from_exponent<L: Lane<Number = Self>>(x: L) -> L;
    /// The lowest bit moved to where the sign is; nothing else is left.
    fn odd_to_sign<L: Lane<Number = Self>>(x: L) -> L;
}

/// The polynomial in `x` with these coefficients, the lowest power first, by Horner's rule.
#[inline(always)]
pub(super) fn polynomial<F: Float, L: Lane<Number = F>>(x: L, coefficients: &[F]) -> L {
    let (&highest, lower) = coefficients
        .split_last()
        .expect("every list of coefficients has some");
    lower
        .iter()
        .rev()
        .fold(x.constant(highest), |sum, &coefficient| {
            sum.mul_add(x, x.constant(coefficient))
        })
}
