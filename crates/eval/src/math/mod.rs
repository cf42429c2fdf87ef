//! Elementary functions, each written once in [`Lane`] operations and shared by every backend.
//!
//! There are no branches, tables or loops: reduction of the argument, a polynomial by Horner's rule, and choices for what
//! is special. Few operations matter more than short chains of them, as there are always other lanes to work at. Each
//! file is one family, for both number types; [`constants`] says what these do not share. [`Elementary`] states errors.

mod constants;
mod double;
mod exponential;
mod hyperbolic;
mod inverse;
mod logarithm;
mod power;
mod single;
mod trigonometric;

use crate::lane::Lane;

/// The elementary functions of a number type, for one number or for a [`Lane`] of many, which get the same bits.
///
/// | largest error | `f32` | `f64` | where |
/// |---|---|---|---|
/// | sin | 1.6 | 1.6 | to `FAR` |
/// | cos | 1.6 | 1.6 | to `FAR` |
/// | tan | 2.2 | 1.9 | to `FAR` |
/// | asin | 1.3 | 1.3 | all |
/// | acos | 1.3 | 1.3 | all |
/// | atan | 1.4 | 1.6 | all |
/// | atan2 | 1.6 | 1.7 | all |
/// | sinh | 1.6 | 1.9 | all |
/// | cosh | 1.9 | 1.7 | all |
/// | tanh | 1.6 | 1.6 | all |
/// | exp | 0.9 | 1.0 | all |
/// | log | 1.0 | 0.9 | all |
/// | log2 | 1.1 | 1.0 | all |
/// | log10 | 1.0 | 1.0 | all |
/// | pow | 1.0 | 1.5 | all |
///
/// The unit is that of the result's last place; of a result that is not normal, that of the smallest number. The bounds
/// are no proofs: the tests measure some 10^6 numbers for each function against 100 bits. They hold on every instruction
/// set, as all yield the same bits. Zeros, infinities, NaN and their signs are those of [`Unary::apply`] and [`Binary::apply`]; a NaN may
/// be any NaN.
///
/// [`Unary::apply`]: fibula_nodes::kernel::Unary::apply
/// [`Binary::apply`]: fibula_nodes::kernel::Binary::apply
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
    #[must_use]
    fn far_sin(self) -> Self;
    /// Cosine of any number.
    #[must_use]
    fn far_cos(self) -> Self;
    /// Tangent of any number.
    #[must_use]
    fn far_tan(self) -> Self;
}

/// Gives a number type its functions.
macro_rules! elementary {
    ($float:ident, $far:expr) => {
        impl $crate::math::Elementary for $float {
            const FAR: $float = $far;

            #[inline(always)]
            fn sin<L: Lane<Number = $float>>(x: L) -> L {
                $crate::math::trigonometric::sin(x)
            }
            #[inline(always)]
            fn cos<L: Lane<Number = $float>>(x: L) -> L {
                $crate::math::trigonometric::cos(x)
            }
            #[inline(always)]
            fn tan<L: Lane<Number = $float>>(x: L) -> L {
                $crate::math::trigonometric::tan(x)
            }
            #[inline(always)]
            fn asin<L: Lane<Number = $float>>(x: L) -> L {
                $crate::math::inverse::asin(x)
            }
            #[inline(always)]
            fn acos<L: Lane<Number = $float>>(x: L) -> L {
                $crate::math::inverse::acos(x)
            }
            #[inline(always)]
            fn atan<L: Lane<Number = $float>>(x: L) -> L {
                $crate::math::inverse::atan(x)
            }
            #[inline(always)]
            fn sinh<L: Lane<Number = $float>>(x: L) -> L {
                $crate::math::hyperbolic::sinh(x)
            }
            #[inline(always)]
            fn cosh<L: Lane<Number = $float>>(x: L) -> L {
                $crate::math::hyperbolic::cosh(x)
            }
            #[inline(always)]
            fn tanh<L: Lane<Number = $float>>(x: L) -> L {
                $crate::math::hyperbolic::tanh(x)
            }
            #[inline(always)]
            fn exp<L: Lane<Number = $float>>(x: L) -> L {
                $crate::math::exponential::exp(x)
            }
            #[inline(always)]
            fn log<L: Lane<Number = $float>>(x: L) -> L {
                $crate::math::logarithm::log(x)
            }
            #[inline(always)]
            fn log2<L: Lane<Number = $float>>(x: L) -> L {
                $crate::math::logarithm::log2(x)
            }
            #[inline(always)]
            fn log10<L: Lane<Number = $float>>(x: L) -> L {
                $crate::math::logarithm::log10(x)
            }
            #[inline(always)]
            fn atan2<L: Lane<Number = $float>>(y: L, x: L) -> L {
                $crate::math::inverse::atan2(y, x)
            }
            #[inline(always)]
            fn pow<L: Lane<Number = $float>>(x: L, y: L) -> L {
                $crate::math::power::pow(x, y)
            }

            fn far_sin(self) -> $float {
                libm::sin(f64::from(self)) as $float
            }
            fn far_cos(self) -> $float {
                libm::cos(f64::from(self)) as $float
            }
            fn far_tan(self) -> $float {
                libm::tan(f64::from(self)) as $float
            }
        }
    };
}
use elementary;
