//! What a backend computes with: the few machine operations in which every meaning is written, once.
//!
//! A [`Lane`] is one number of many that are computed at once. For the scalar and block evaluators it is an `f32` or
//! an `f64` (loops over them become vector instructions); for the machine code it is a virtual register, and each
//! method writes an instruction. Every method rounds as IEEE 754 says, so that all backends yield the same bits; the
//! bits of a NaN (its sign and payload) are the one thing that may differ.

#![expect(
    clippy::return_self_not_must_use,
    clippy::float_cmp,
    reason = "nobody computes and forgets, and equal is what is meant"
)]

use std::fmt::Debug;

use crate::math::Elementary;
use crate::prune::Compiled;

/// One number of many that are computed at once, as IEEE 754 has it.
///
/// For the scalar and block evaluators it is an `f32` or an `f64`, for machine code a virtual register. Every method
/// rounds as IEEE 754 says, so that all yield the same bits; the sign and payload of a NaN are the one thing that may
/// differ.
pub trait Lane: Copy {
    /// The type of the number: `f32` or `f64`.
    type Number: Float;

    /// The number `value`, in every lane. `self` only says where.
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

/// `f32` or `f64`.
pub trait Float:
    Lane<Number = Self> + Elementary + Compiled + PartialOrd + Default + Debug + Send + Sync + 'static
{
    /// The sign bit; of an `f32` the low 32 bits count.
    const SIGN: u64;
    /// The largest finite number.
    const MOST: Self;
    /// Positive infinity.
    const INFINITY: Self;
    /// Not a number.
    const NAN: Self;
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// The nearest number.
    fn of(number: f64) -> Self;
    /// The number, exactly.
    fn wide(self) -> f64;
    /// The bits; of an `f32` in the low 32.
    fn to_bits(self) -> u64;
    /// The next number above.
    fn up(self) -> Self;
    /// The next number below.
    fn down(self) -> Self;
}

macro_rules! float {
    ($float:ident, $bits:ident, $sign:expr) => {
        impl Lane for $float {
            type Number = $float;

            #[inline(always)]
            fn constant(self, value: $float) -> $float {
                value
            }
            #[inline(always)]
            fn bits(self, bits: u64) -> $float {
                $float::from_bits(bits as $bits)
            }
            #[inline(always)]
            fn add(self, other: $float) -> $float {
                self + other
            }
            #[inline(always)]
            fn sub(self, other: $float) -> $float {
                self - other
            }
            #[inline(always)]
            fn mul(self, other: $float) -> $float {
                self * other
            }
            #[inline(always)]
            fn div(self, other: $float) -> $float {
                self / other
            }
            #[inline(always)]
            fn mul_add(self, factor: $float, term: $float) -> $float {
                $float::mul_add(self, factor, term)
            }
            #[inline(always)]
            fn mul_sub(self, factor: $float, term: $float) -> $float {
                $float::mul_add(self, factor, -term)
            }
            #[inline(always)]
            fn neg_mul_add(self, factor: $float, term: $float) -> $float {
                $float::mul_add(-self, factor, term)
            }
            #[inline(always)]
            fn sqrt(self) -> $float {
                $float::sqrt(self)
            }
            #[inline(always)]
            fn floor(self) -> $float {
                $float::floor(self)
            }
            #[inline(always)]
            fn ceil(self) -> $float {
                $float::ceil(self)
            }
            #[inline(always)]
            fn trunc(self) -> $float {
                $float::trunc(self)
            }
            #[inline(always)]
            fn nearest(self) -> $float {
                $float::round_ties_even(self)
            }
            #[inline(always)]
            fn lesser(self, other: $float) -> $float {
                if self < other { self } else { other }
            }
            #[inline(always)]
            fn greater(self, other: $float) -> $float {
                if self > other { self } else { other }
            }
            #[inline(always)]
            fn if_less(self, other: $float, then: $float, otherwise: $float) -> $float {
                if self < other { then } else { otherwise }
            }
            #[inline(always)]
            fn if_equal(self, other: $float, then: $float, otherwise: $float) -> $float {
                if self == other { then } else { otherwise }
            }
            #[inline(always)]
            fn if_negative(self, then: $float, otherwise: $float) -> $float {
                if self.to_bits() & ($sign as $bits) != 0 {
                    then
                } else {
                    otherwise
                }
            }
            #[inline(always)]
            fn if_nan(self, then: $float, otherwise: $float) -> $float {
                if self.is_nan() { then } else { otherwise }
            }
            #[inline(always)]
            fn and(self, other: $float) -> $float {
                $float::from_bits(self.to_bits() & other.to_bits())
            }
            #[inline(always)]
            fn or(self, other: $float) -> $float {
                $float::from_bits(self.to_bits() | other.to_bits())
            }
            #[inline(always)]
            fn xor(self, other: $float) -> $float {
                $float::from_bits(self.to_bits() ^ other.to_bits())
            }
            #[inline(always)]
            fn int_add(self, other: $float) -> $float {
                $float::from_bits(self.to_bits().wrapping_add(other.to_bits()))
            }
            #[inline(always)]
            fn int_sub(self, other: $float) -> $float {
                $float::from_bits(self.to_bits().wrapping_sub(other.to_bits()))
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
            const MOST: $float = $float::MAX;
            const INFINITY: $float = $float::INFINITY;
            const NAN: $float = $float::NAN;
            const ZERO: $float = 0.0;
            const ONE: $float = 1.0;

            #[inline(always)]
            fn of(number: f64) -> $float {
                number as $float
            }
            #[inline(always)]
            fn wide(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn to_bits(self) -> u64 {
                u64::from($float::to_bits(self))
            }
            #[inline(always)]
            fn up(self) -> $float {
                self.next_up()
            }
            #[inline(always)]
            fn down(self) -> $float {
                self.next_down()
            }
        }
    };
}

float!(f32, u32, 0x8000_0000_u64);
float!(f64, u64, 0x8000_0000_0000_0000_u64);
