//! Semantics of each instruction, in [`Lane`] operations: the one definition that all backends share.
//!
//! It agrees with `fibula_nodes`' `apply` exactly, but for elementary functions, which have the error that
//! [`Elementary`] states.

use fibula_nodes::{Binary, OracleUse, Unary};

use crate::code::{Arg, Fused, Instruction};
use crate::lane::{Elementary, Float, Lane};

/// True if [`unary`] is valid up to [`Elementary::REDUCTION_LIMIT`] only, and [`evaluate_large`] beyond.
#[inline(always)]
pub(crate) fn has_reduction_limit(operation: Unary) -> bool {
    matches!(operation, Unary::Sin | Unary::Cos | Unary::Tan)
}

/// An operation on one scalar. If it [has one](has_reduction_limit), [`evaluate_large`] answers beyond
/// [`Elementary::REDUCTION_LIMIT`].
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
pub(crate) fn unary_number<T: Float>(operation: Unary, a: T) -> T {
    if has_reduction_limit(operation) && exceeds_reduction_limit(a) {
        evaluate_large(operation, a)
    } else {
        unary(operation, a)
    }
}

/// True if a number is beyond [`Elementary::REDUCTION_LIMIT`], or not finite.
#[expect(clippy::neg_cmp_op_on_partial_ord, reason = "NaN is far too")]
#[inline(always)]
pub(crate) fn exceeds_reduction_limit<T: Float>(a: T) -> bool {
    !(Lane::abs(a) <= T::REDUCTION_LIMIT)
}

/// Sine, cosine and tangent of any number.
///
/// # Panics
/// If `operation` [has none](has_reduction_limit).
#[cold]
pub(crate) fn evaluate_large<T: Float>(operation: Unary, a: T) -> T {
    if operation == Unary::Sin {
        a.sin_large()
    } else if operation == Unary::Cos {
        a.cos_large()
    } else {
        assert_eq!(operation, Unary::Tan, "only these have a far part");
        a.tan_large()
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
        Instruction::Unary(operation, a) => unary_number(operation, value(a)),
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
            T::from_f64(answers.sample(at.map(|arg| value(arg).to_f64()), channel))
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
    let below_half = a.constant(L::Number::from_f64(0.5).next_down());
    a.add(below_half.with_sign_of(a)).trunc()
}
