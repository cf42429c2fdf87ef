//! Bounds of step functions: floor, ceil, round, sign, fraction and remainders.

use fibula_nodes::Unary;

use crate::interval::arithmetic;
use crate::interval::span::{BoundRounding, Span, ulp_of_one};
use crate::lane::Float;
use crate::meaning;

/// A function that never falls and is computed exactly: floor, ceil, round or sign.
#[inline(always)]
pub(crate) fn step<T: Float>(operation: Unary, a: Span<T>) -> Span<T> {
    Span::new(
        meaning::unary(operation, a.low),
        meaning::unary(operation, a.high),
    )
}

/// The fraction of a value: the distance from the whole number below it. It rises within a whole number and falls to 0
/// at the next.
#[inline(always)]
pub(crate) fn fract<T: Float, S: BoundRounding<T>>(a: Span<T>) -> Span<T> {
    let (below, above) = (a.low.floor(), a.high.floor());
    arithmetic::sub::<T, S>(a, Span::point(below)).or_if(
        !(below == above),
        // Just below a whole number the rest is rounded to 1.
        Span::new(T::ZERO, T::ONE),
    )
}

/// The remainder of a division whose quotient is rounded down, a - b floor(a / b), which has the sign of the divisor;
/// and whether it may be none: of an infinity, by 0 or infinity, or of numbers so large that the product overflows.
#[inline(always)]
pub(crate) fn floored_remainder<T: Float, S: BoundRounding<T>>(
    a: Span<T>,
    b: Span<T>,
) -> (Span<T>, bool) {
    remainder::<T, S>(a, b, T::floor, b)
}

/// The remainder of a division whose quotient is rounded towards 0, a - b trunc(a / b), which has the sign of the
/// dividend; and whether it may be none, as above.
#[inline(always)]
pub(crate) fn truncated_remainder<T: Float, S: BoundRounding<T>>(
    a: Span<T>,
    b: Span<T>,
) -> (Span<T>, bool) {
    remainder::<T, S>(a, b, T::trunc, a)
}

/// The remainder of a division whose quotient is made whole by `cut`, as it is computed: a - b cut(a / b), which has
/// the sign of `signed`.
///
/// Where the whole number is the same all over, so is the formula; elsewhere the result lies between 0 and the
/// divisor (or its negative), but for the rounding of each step: a quotient that is rounded to a whole number is off by
/// half an ulp, which times the divisor is half an ulp of a.
#[inline(always)]
fn remainder<T: Float, S: BoundRounding<T>>(
    a: Span<T>,
    b: Span<T>,
    cut: impl Fn(T) -> T,
    signed: Span<T>,
) -> (Span<T>, bool) {
    let quotient = arithmetic::div::<T, S>(a, b);
    let whole = Span::new(cut(quotient.low), cut(quotient.high));
    let taken = arithmetic::mul::<T, S>(b, whole);
    let formula = arithmetic::sub::<T, S>(a, taken);
    let room = a
        .magnitude()
        .add(b.magnitude())
        .mul(ulp_of_one::<T>().mul(T::from_f64(4.0)));
    let size = b.magnitude();
    let zero = T::ZERO;
    let low = if signed.low < zero { size.neg() } else { zero };
    let high = if signed.high > zero { size } else { zero };
    let (low, high) = (low.sub(room), high.add(room));
    let inside = Span::new(formula.low.greater(low), formula.high.lesser(high));
    // Of the largest numbers the product may overflow, though neither the quotient nor the remainder does.
    let is_infinite = a.is_infinite() | quotient.is_infinite() | taken.is_infinite();
    let is_unsure = is_infinite | !(inside.low <= inside.high);
    (
        inside.or_if(is_unsure, Span::entire()),
        is_infinite | b.is_infinite(),
    )
}
