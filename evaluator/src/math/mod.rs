//! Elementary functions, each written once in [`Lane`] operations and shared by every backend.

use crate::lane::Lane;

/// The elementary functions of a number type.
pub trait Elementary: Sized {
    /// Up to this magnitude [`sin`](Self::sin), [`cos`](Self::cos) and [`tan`](Self::tan) keep their error bound;
    /// beyond it, and for what is not finite, the `far_` functions answer.
    const FAR: Self;

    /// Sine, for magnitudes up to [`FAR`](Self::FAR).
    fn sin<L: Lane<Number = Self>>(x: L) -> L;
    /// Cosine, for magnitudes up to [`FAR`](Self::FAR).
    fn cos<L: Lane<Number = Self>>(x: L) -> L;
    /// Tangent, for magnitudes up to [`FAR`](Self::FAR).
    fn tan<L: Lane<Number = Self>>(x: L) -> L;
    /// Angle in [-pi/2, pi/2] whose sine is `x`; NaN beyond [-1, 1].
    fn asin<L: Lane<Number = Self>>(x: L) -> L;
    /// Angle in [0, pi] whose cosine is `x`; NaN beyond [-1, 1].
    fn acos<L: Lane<Number = Self>>(x: L) -> L;
    /// Angle in [-pi/2, pi/2] whose tangent is `x`.
    fn atan<L: Lane<Number = Self>>(x: L) -> L;
    /// Angle of the point (`x`, `y`), in [-pi, pi].
    fn atan2<L: Lane<Number = Self>>(y: L, x: L) -> L;
    /// Hyperbolic sine.
    fn sinh<L: Lane<Number = Self>>(x: L) -> L;
    /// Hyperbolic cosine.
    fn cosh<L: Lane<Number = Self>>(x: L) -> L;
    /// Hyperbolic tangent.
    fn tanh<L: Lane<Number = Self>>(x: L) -> L;
    /// e to the power `x`.
    fn exp<L: Lane<Number = Self>>(x: L) -> L;
    /// Natural logarithm; minus infinity at 0, NaN below.
    fn log<L: Lane<Number = Self>>(x: L) -> L;
    /// Logarithm to base 2.
    fn log2<L: Lane<Number = Self>>(x: L) -> L;
    /// Logarithm to base 10.
    fn log10<L: Lane<Number = Self>>(x: L) -> L;
    /// `x` to the power `y`, with the special cases of C's `pow`.
    fn pow<L: Lane<Number = Self>>(x: L, y: L) -> L;

    /// Sine of any number.
    fn far_sin(self) -> Self;
    /// Cosine of any number.
    fn far_cos(self) -> Self;
    /// Tangent of any number.
    fn far_tan(self) -> Self;
}
mod stub;
