//! What each instruction means, in [`Lane`] operations: the one definition that all backends share.
//!
//! It agrees with `fibula_nodes`' `apply` exactly, but for elementary functions, which have the error that
//! [`Elementary`] states.

use fibula_nodes::{Binary, OracleUse, Unary};

use crate::code::{Arg, Fused, Instruction};
use crate::lane::{Elementary, Float, Lane};

/// Whether [`unary`] answers for magnitudes up to [`Elementary::FAR`] only, and [`far`] beyond.
#[inline(always)]
pub(crate) fn has_far(operation: Unary) -> bool {
    matches!(operation, Unary::Sin | Unary::Cos | Unary::Tan)
}

/// An operation on one scalar. If it [has one](has_far), [`far`] answers beyond [`Elementary::FAR`].
#[inline(always)]
pub(crate) fn unary<L: Lane>(operation: Unary, a: L) -> L {
    match operation {
        Unary::Neg => a.neg(),
        Unary::Abs => a.abs(),
        Unary::Sign => sign(a),
        Unary::Sqrt => a.sqrt(),
        Unary::Floor => a.floor(),
        Unary::Ceil => a.ceil(),
        Unary::Round => round(a),
        Unary::Fract => a.sub(a.floor()),
        Unary::Sin => L::Number::sin(a),
        Unary::Cos => L::Number::cos(a),
        Unary::Tan => L::Number::tan(a),
        Unary::Asin => L::Number::asin(a),
        Unary::Acos => L::Number::acos(a),
        Unary::Atan => L::Number::atan(a),
        Unary::Sinh => L::Number::sinh(a),
        Unary::Cosh => L::Number::cosh(a),
        Unary::Tanh => L::Number::tanh(a),
        Unary::Exp => L::Number::exp(a),
        Unary::Log => L::Number::log(a),
        Unary::Log2 => L::Number::log2(a),
        Unary::Log10 => L::Number::log10(a),
    }
}

/// An operation on one number of any magnitude.
#[inline(always)]
pub(crate) fn unary_of<T: Float>(operation: Unary, a: T) -> T {
    if has_far(operation) && is_far(a) {
        far(operation, a)
    } else {
        unary(operation, a)
    }
}

/// Whether a number is beyond what [`unary`] answers for, or not finite.
#[expect(clippy::neg_cmp_op_on_partial_ord, reason = "NaN is far too")]
#[inline(always)]
pub(crate) fn is_far<T: Float>(a: T) -> bool {
    !(Lane::abs(a) <= T::FAR)
}

/// Sine, cosine and tangent of any number.
///
/// # Panics
/// If `operation` [has none](has_far).
#[cold]
pub(crate) fn far<T: Float>(operation: Unary, a: T) -> T {
    if operation == Unary::Sin {
        a.far_sin()
    } else if operation == Unary::Cos {
        a.far_cos()
    } else {
        assert_eq!(operation, Unary::Tan, "only these have a far part");
        a.far_tan()
    }
}

/// An operation on two scalars.
#[inline(always)]
pub(crate) fn binary<L: Lane>(operation: Binary, a: L, b: L) -> L {
    match operation {
        Binary::Add => a.add(b),
        Binary::Sub => a.sub(b),
        Binary::Mul => a.mul(b),
        Binary::Div => a.div(b),
        Binary::Min => a.min(b),
        Binary::Max => a.max(b),
        Binary::Mod => a.sub(b.mul(a.div(b).floor())),
        Binary::Fmod => a.sub(b.mul(a.div(b).trunc())),
        Binary::Pow => L::Number::pow(a, b),
        Binary::Atan2 => L::Number::atan2(a, b),
    }
}

/// A product with a sum.
#[inline(always)]
pub(crate) fn fused<L: Lane>(operation: Fused, a: L, b: L, c: L) -> L {
    match operation {
        Fused::MulAdd => a.mul_add(b, c),
        Fused::MulSub => a.mul_sub(b, c),
        Fused::NegMulAdd => a.neg_mul_add(b, c),
    }
}

/// Evaluates an instruction for numbers, given the values of its arguments by `value`.
#[inline(always)]
pub(crate) fn instruction<T: Float>(
    instruction: Instruction,
    inputs: &[T],
    oracles: &[OracleUse],
    value: impl Fn(Arg) -> T,
) -> T {
    match instruction {
        Instruction::Input(index) => inputs[index as usize],
        Instruction::Unary(operation, a) => unary_of(operation, value(a)),
        Instruction::Binary(operation, a, b) => binary(operation, value(a), value(b)),
        Instruction::Fused(operation, a, b, c) => fused(operation, value(a), value(b), value(c)),
        Instruction::Select([a, b, then, otherwise]) => {
            value(a).if_less(value(b), value(then), value(otherwise))
        }
        Instruction::Oracle {
            oracle,
            channel,
            at,
        } => {
            let answers = &oracles[oracle as usize].answers;
            T::of(answers.sample(at.map(|arg| value(arg).wide()), channel))
        }
    }
}

#[inline(always)]
fn sign<L: Lane>(a: L) -> L {
    let (zero, one) = (a.bits(0), a.constant(L::Number::ONE));
    // 0, -0 and NaN are their own signs.
    let below = a.if_less(zero, one.neg(), a);
    zero.if_less(a, one, below)
}

/// To the nearest whole number, ties away from zero: what is less than a half away is added, and the rest cut off.
#[inline(always)]
fn round<L: Lane>(a: L) -> L {
    let below_half = a.constant(L::Number::of(0.5).down());
    a.add(below_half.with_sign_of(a)).trunc()
}
