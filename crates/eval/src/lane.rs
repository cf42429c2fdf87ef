//! Lanes: the few machine operations in which the semantics of every instruction is written, once.
//!
//! A [`Lane`] is one number of many that are computed at once. For the scalar and block evaluators it is an `f32` or
//! an `f64` (loops over them become vector instructions); for the machine code it is a virtual register, and each
//! method writes an instruction. Every method rounds as IEEE 754 requires, so that all backends yield the same bits; the
//! bits of a NaN (its sign and payload) are the one thing that may differ.

#![expect(
    clippy::return_self_not_must_use,
    clippy::float_cmp,
    reason = "nobody computes and forgets, and equal is what is meant"
)]

use std::fmt::Debug;

/// One number of many that are computed at once, as IEEE 754 has it.
///
/// For the scalar and block evaluators it is an `f32` or an `f64`, for machine code a virtual register. Every method
/// rounds as IEEE 754 requires, so that all yield the same bits; the sign and payload of a NaN are the one thing that may
/// differ.
pub trait Lane: Copy {
    /// The type of the number: `f32` or `f64`.
    type Number: Float;

    /// The number `value`, in every lane. `self` only selects the backend.
    fn constant(self, value: Self::Number) -> Self;
    /// The number with these bits, in every lane; of an `f32` the low 32 bits count.
    fn bits(self, bits: u64) -> Self;

    /// `self + other`.
    fn add(self, other: Self) -> Self;
    /// `self - other`.
    fn sub(self, other: Self) -> Self;
    /// `self * other`.
    fn mul(self, other: Self) -> Self;
    /// `self / other`.
    fn div(self, other: Self) -> Self;
    /// `self * factor + term`, rounded once.
    fn mul_add(self, factor: Self, term: Self) -> Self;
    /// `self * factor - term`, rounded once.
    fn mul_sub(self, factor: Self, term: Self) -> Self;
    /// `term - self * factor`, rounded once.
    fn neg_mul_add(self, factor: Self, term: Self) -> Self;
    /// The square root; NaN below 0, and -0 at -0.
    fn sqrt(self) -> Self;
    /// The largest whole number not above.
    fn floor(self) -> Self;
    /// The smallest whole number not below.
    fn ceil(self) -> Self;
    /// The whole part: towards 0.
    fn trunc(self) -> Self;
    /// The nearest whole number, ties to even.
    fn nearest(self) -> Self;

    /// `self < other ? self : other`: the other when one is NaN or both are zeros.
    fn lesser(self, other: Self) -> Self;
    /// `self > other ? self : other`: the other when one is NaN or both are zeros.
    fn greater(self, other: Self) -> Self;
    /// `self < other ? then : otherwise`; a comparison with NaN is false.
    fn if_less(self, other: Self, then: Self, otherwise: Self) -> Self;
    /// `self == other ? then : otherwise`; a comparison with NaN is false.
    fn if_equal(self, other: Self, then: Self, otherwise: Self) -> Self;
    /// `then` where the sign bit is set, `otherwise` where it is not; all else of `self` does not count.
    fn if_negative(self, then: Self, otherwise: Self) -> Self;
    /// `then` where `self` is NaN.
    fn if_nan(self, then: Self, otherwise: Self) -> Self;

    /// The bits that both have.
    fn and(self, other: Self) -> Self;
    /// The bits that either has.
    fn or(self, other: Self) -> Self;
    /// The bits that one of both has.
    fn xor(self, other: Self) -> Self;
    /// The sum of the bits as whole numbers, modulo the width.
    fn int_add(self, other: Self) -> Self;
    /// The difference of the bits as whole numbers, modulo the width.
    fn int_sub(self, other: Self) -> Self;
    /// The bits moved up; zeros follow.
    fn shift_up<const BY: u32>(self) -> Self;
    /// The bits moved down; zeros follow, also for the sign.
    fn shift_down<const BY: u32>(self) -> Self;

    /// The instruction that multiplies its first argument by 2 to the power of the second, a whole number, and rounds
    /// once; none if there is no such instruction.
    #[inline(always)]
    fn scaling(self) -> Option<fn(Self, Self) -> Self> {
        None
    }

    /// `-self`: the sign bit is flipped.
    #[inline(always)]
    fn neg(self) -> Self {
        self.xor(self.bits(Self::Number::SIGN))
    }

    /// The magnitude: the sign bit is cleared.
    #[inline(always)]
    fn abs(self) -> Self {
        self.and(self.bits(!Self::Number::SIGN))
    }

    /// The magnitude of `self` with the sign of `sign`.
    #[inline(always)]
    fn with_sign_of(self, sign: Self) -> Self {
        self.abs().or(sign.and(self.bits(Self::Number::SIGN)))
    }

    /// The smaller one, as the kernel has it: the other when one is NaN, and `other` when they are equal.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.lesser(other.if_nan(self, other))
    }

    /// The larger one, as the kernel has it: the other when one is NaN, and `other` when they are equal.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.greater(other.if_nan(self, other))
    }
}

/// The elementary functions of a number type, for one number or for a [`Lane`] of many, which get the same bits.
///
/// | largest error | `f32` | `f64` | where |
/// |---|---|---|---|
/// | sin | 1.6 | 1.6 | to `REDUCTION_LIMIT` |
/// | cos | 1.6 | 1.6 | to `REDUCTION_LIMIT` |
/// | tan | 2.2 | 1.9 | to `REDUCTION_LIMIT` |
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
/// The unit is that of the result's last place; of a result that is not normal, that of the smallest number. The
/// bounds are no proofs: the tests measure some 10^6 numbers for each function against 100 bits. They hold on every
/// instruction set, as all yield the same bits. Zeros, infinities, NaN and their signs are those of [`Unary::apply`]
/// and [`Binary::apply`]; a NaN may be any NaN.
///
/// [`Unary::apply`]: fibula_nodes::kernel::Unary::apply
/// [`Binary::apply`]: fibula_nodes::kernel::Binary::apply
pub trait Elementary: Sized {
    /// Up to this magnitude [`sin`](Self::sin), [`cos`](Self::cos) and [`tan`](Self::tan) keep their error bound;
    /// beyond it, and for what is not finite, the `_large` functions answer.
    const REDUCTION_LIMIT: Self;

    /// Sine, for magnitudes up to [`REDUCTION_LIMIT`](Self::REDUCTION_LIMIT).
    fn sin<L: Lane<Number = Self>>(x: L) -> L;
    /// Cosine, for magnitudes up to [`REDUCTION_LIMIT`](Self::REDUCTION_LIMIT).
    fn cos<L: Lane<Number = Self>>(x: L) -> L;
    /// Tangent, for magnitudes up to [`REDUCTION_LIMIT`](Self::REDUCTION_LIMIT).
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
    fn sin_large(self) -> Self;
    /// Cosine of any number.
    #[must_use]
    fn cos_large(self) -> Self;
    /// Tangent of any number.
    #[must_use]
    fn tan_large(self) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

/// Returns a table of functions for a number type, `f32` or `f64`. Both tables are compiled in this crate, and not with the
/// settings of the crate that chooses the type: without optimisation their loops take ten times as long.
macro_rules! table_of {
    ($table:ident<$number:ty> = $new:expr) => {{
        static SINGLE: $table<f32> = $new;
        static DOUBLE: $table<f64> = $new;
        let [single, double]: [&'static dyn std::any::Any; 2] = [&SINGLE, &DOUBLE];
        let table: Option<&'static $table<$number>> = single.downcast_ref();
        table
            .or_else(|| double.downcast_ref())
            .expect("no other type is a `Float`")
    }};
}
pub(crate) use table_of;

/// `f32` or `f64`.
pub trait Float:
    sealed::Sealed
    + Lane<Number = Self>
    + Elementary
    + PartialOrd
    + Default
    + Debug
    + Send
    + Sync
    + 'static
{
    /// The sign bit; of an `f32` the low 32 bits count.
    const SIGN: u64;
    /// The largest finite number.
    const MAX: Self;
    /// Positive infinity.
    const INFINITY: Self;
    /// Not a number.
    const NAN: Self;
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// The nearest number.
    fn from_f64(number: f64) -> Self;
    /// The number, exactly.
    fn to_f64(self) -> f64;
    /// The bits; of an `f32` in the low 32.
    fn to_bits(self) -> u64;
    /// The next number above.
    fn next_up(self) -> Self;
    /// The next number below.
    fn next_down(self) -> Self;
}

/// Declares methods on numbers of one type that are always inlined.
macro_rules! inlined {
    ($(fn $name:ident($self:ident $(, $argument:ident)*) = $body:expr;)*) => {$(
        #[inline(always)]
        fn $name($self $(, $argument: Self)*) -> Self {
            $body
        }
    )*};
}

macro_rules! float {
    ($float:ident, $bits:ident, $sign:expr) => {
        impl Lane for $float {
            type Number = $float;

            inlined! {
                fn constant(self, value) = value;
                fn add(self, other) = self + other;
                fn sub(self, other) = self - other;
                fn mul(self, other) = self * other;
                fn div(self, other) = self / other;
                fn mul_add(self, factor, term) = $float::mul_add(self, factor, term);
                fn mul_sub(self, factor, term) = $float::mul_add(self, factor, -term);
                fn neg_mul_add(self, factor, term) = $float::mul_add(-self, factor, term);
                fn sqrt(self) = $float::sqrt(self);
                fn floor(self) = $float::floor(self);
                fn ceil(self) = $float::ceil(self);
                fn trunc(self) = $float::trunc(self);
                fn nearest(self) = $float::round_ties_even(self);
                fn lesser(self, other) = if self < other { self } else { other };
                fn greater(self, other) = if self > other { self } else { other };
                fn if_less(self, other, then, otherwise) = if self < other { then } else { otherwise };
                fn if_equal(self, other, then, otherwise) = if self == other { then } else { otherwise };
                fn if_negative(self, then, otherwise) = if self.to_bits() & ($sign as $bits) != 0 { then } else { otherwise };
                fn if_nan(self, then, otherwise) = if self.is_nan() { then } else { otherwise };
                fn and(self, other) = $float::from_bits(self.to_bits() & other.to_bits());
                fn or(self, other) = $float::from_bits(self.to_bits() | other.to_bits());
                fn xor(self, other) = $float::from_bits(self.to_bits() ^ other.to_bits());
                fn int_add(self, other) = $float::from_bits(self.to_bits().wrapping_add(other.to_bits()));
                fn int_sub(self, other) = $float::from_bits(self.to_bits().wrapping_sub(other.to_bits()));
            }
            #[inline(always)]
            fn bits(self, bits: u64) -> $float {
                $float::from_bits(bits as $bits)
            }
            #[inline(always)]
            fn shift_up<const BY: u32>(self) -> $float {
                $float::from_bits(self.to_bits() << BY)
            }
            #[inline(always)]
            fn shift_down<const BY: u32>(self) -> $float {
                $float::from_bits(self.to_bits() >> BY)
            }
        }

        impl Float for $float {
            const SIGN: u64 = $sign;
            const MAX: $float = $float::MAX;
            const INFINITY: $float = $float::INFINITY;
            const NAN: $float = $float::NAN;
            const ZERO: $float = 0.0;
            const ONE: $float = 1.0;

            #[inline(always)]
            fn from_f64(number: f64) -> $float {
                number as $float
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn to_bits(self) -> u64 {
                u64::from($float::to_bits(self))
            }
            inlined! {
                fn next_up(self) = self.next_up();
                fn next_down(self) = self.next_down();
            }
        }
    };
}

float!(f32, u32, 0x8000_0000_u64);
float!(f64, u64, 0x8000_0000_0000_0000_u64);

impl sealed::Sealed for f32 {}
impl sealed::Sealed for f64 {}
