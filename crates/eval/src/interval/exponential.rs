//! Bounds of exponentials, logarithms, powers and hyperbolic functions.

use fibula_nodes::Unary;

use crate::interval::arithmetic;
use crate::interval::span::{BoundRounding, Span};
use crate::lane::Float;
use crate::meaning;

/// An elementary function that never falls, of all numbers: sinh, tanh, exp.
#[inline(always)]
pub(crate) fn rising<T: Float, S: BoundRounding<T>>(operation: Unary, a: Span<T>) -> Span<T> {
    let span = Span::new(
        meaning::unary(operation, a.low),
        meaning::unary(operation, a.high),
    );
    S::elementary(span, [a])
}

/// e to the power `a`, which is never negative.
#[inline(always)]
pub(crate) fn exp<T: Float, S: BoundRounding<T>>(a: Span<T>) -> Span<T> {
    let span = rising::<T, S>(Unary::Exp, a);
    Span::new(span.low.greater(T::ZERO), span.high)
}

#[inline(always)]
pub(crate) fn cosh<T: Float, S: BoundRounding<T>>(a: Span<T>) -> Span<T> {
    let size = arithmetic::abs(a);
    let span = Span::new(T::cosh(size.low), T::cosh(size.high));
    S::elementary(span, [a])
}

/// A logarithm, and whether the value may be negative.
#[inline(always)]
pub(crate) fn log<T: Float, S: BoundRounding<T>>(operation: Unary, a: Span<T>) -> (Span<T>, bool) {
    let span = Span::new(
        meaning::unary(operation, a.low.greater(T::ZERO)),
        meaning::unary(operation, a.high.greater(T::ZERO)),
    );
    // At 0 it is minus infinity, not near it.
    let settled = S::elementary(span, [a]);
    let low = if a.low > T::ZERO {
        settled.low
    } else {
        span.low
    };
    (Span::new(low, settled.high), a.low < T::ZERO)
}

/// A power, and whether it may be one of a negative number to an exponent that is not whole.
///
/// Of numbers that are not negative a power rises or falls with the base and with the exponent, so its bounds lie at
/// corners. Of negative ones it is the power of the magnitude, with the sign of the base if the exponent is odd.
#[inline(always)]
pub(crate) fn pow<T: Float, S: BoundRounding<T>>(a: Span<T>, b: Span<T>) -> (Span<T>, bool) {
    let zero = T::ZERO;
    let is_number = b.is_point();
    let is_whole = is_number & (b.low.trunc() == b.low);
    let half = b.low.mul(T::from_f64(0.5));
    let is_odd = is_whole & !(half.trunc() == half);
    let is_negative = a.low < zero;
    let fixed = is_number & a.is_point();
    let size = arithmetic::abs(a);
    let powers = ends(T::pow(size.low, b.low), T::pow(size.low, b.high))
        .join(ends(T::pow(size.high, b.low), T::pow(size.high, b.high)));
    let powers = S::elementary(powers, [a, b]);
    let powers = Span::new(powers.low.greater(zero), powers.high);
    let signed = Span::new(powers.high.neg(), powers.high);
    let power = T::pow(a.low, b.low);
    let odd = ends(power, T::pow(a.high, b.low));
    let span = powers
        .or_if(is_negative & !is_number, signed)
        .or_if(is_odd | fixed, S::elementary(odd, [a, b]));
    // A zero to a negative odd power is infinite, with the sign of the zero, which is not known.
    let has_pole = a.has(zero) & (b.low < zero) & (is_odd | !is_number);
    (
        span.or_if(has_pole, Span::entire()),
        is_negative & !is_whole,
    )
}

/// The span of two numbers in any order.
#[inline(always)]
fn ends<T: Float>(a: T, b: T) -> Span<T> {
    Span::new(a.lesser(b), a.greater(b))
}
