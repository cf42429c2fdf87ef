//! Bounds on one box.

use std::sync::Arc;

use fibula_nodes::{Binary, Unary};

use crate::code::{Arg, ArgSource, Code, Fused, Instruction};
use crate::interval::choice::{self, Choice};
use crate::interval::span::{Outward, Span};
use crate::interval::{Interval, above, arithmetic, below, circular, exponential, rounding};
use crate::lane::Float;

/// Computes the bounds of a code's outputs on boxes, one box at a time; see [`Interval`] for what they hold.
///
/// It belongs to one thread, and holds one interval per instruction. Time is in proportion to the instructions: some
/// 5 to 20 ns for each.
#[derive(Debug)]
pub struct IntervalEvaluator<T> {
    code: Arc<Code>,
    constants: Vec<Interval<T>>,
    values: Vec<Interval<T>>,
    choices: Vec<Choice>,
    outputs: Vec<Interval<T>>,
}

impl<T: Float> IntervalEvaluator<T> {
    /// An evaluator of the code.
    pub fn new(code: Arc<Code>) -> IntervalEvaluator<T> {
        let constant =
            |&number: &f64| Interval::from_span(Span::new(below(number), above(number)), false);
        IntervalEvaluator {
            constants: code.constants().iter().map(constant).collect(),
            values: Vec::with_capacity(code.instructions().len()),
            choices: Vec::with_capacity(code.instructions().len()),
            outputs: Vec::with_capacity(code.outputs().len()),
            code,
        }
    }

    /// The bounds of each output, where each scalar argument is one of an interval's numbers.
    ///
    /// # Panics
    /// If there are fewer intervals than [`Code::inputs`].
    pub fn evaluate(&mut self, inputs: &[Interval<T>]) -> &[Interval<T>] {
        let code = Arc::clone(&self.code);
        assert!(inputs.len() >= code.inputs(), "an interval for each input");
        self.values.clear();
        self.choices.clear();
        for instruction in code.instructions() {
            let (value, choice) = self.bounds(&code, *instruction, inputs);
            self.values.push(value);
            self.choices.push(choice);
        }
        self.outputs.clear();
        for &output in code.outputs() {
            self.outputs.push(self.at(output));
        }
        &self.outputs
    }

    /// Choices of the instructions on the last box: the operand of minima, maxima and selections, the side of 0 of
    /// magnitudes; [`Choice::Both`] of all others.
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// True if all values and constants were certainly finite numbers on the last box, and twice their values: `mod(x, y)`
    /// computes multiples of `y` that may be larger than `x`.
    #[cfg(test)]
    pub(crate) fn is_tame(&self) -> bool {
        let mut all = self.values.iter().chain(&self.constants);
        all.all(|value| {
            let most = value.span().magnitude();
            !value.undefined && most.add(most) < T::INFINITY
        })
    }

    fn at(&self, arg: Arg) -> Interval<T> {
        match arg.source() {
            ArgSource::Value(index) => self.values[index],
            ArgSource::Constant(index) => self.constants[index],
        }
    }

    fn bounds(
        &self,
        code: &Code,
        instruction: Instruction,
        inputs: &[Interval<T>],
    ) -> (Interval<T>, Choice) {
        let value = match instruction {
            Instruction::Input(index) => inputs[index as usize],
            Instruction::Unary(operation, a) => {
                let a = self.at(a);
                if operation == Unary::Abs {
                    return (unary(operation, a), choice::sides(a));
                }
                unary(operation, a)
            }
            Instruction::Binary(operation @ (Binary::Min | Binary::Max), a, b) => {
                return choice::extreme(operation, self.at(a), self.at(b));
            }
            Instruction::Binary(operation, a, b) => {
                binary(operation, self.at(a), self.at(b), a == b)
            }
            Instruction::Fused(operation, a, b, c) if a == b => {
                fused_square(operation, self.at(a), self.at(c))
            }
            Instruction::Fused(operation, a, b, c) => {
                fused(operation, self.at(a), self.at(b), self.at(c))
            }
            Instruction::Select(args) => {
                let [a, b, then, otherwise] = args.map(|arg| self.at(arg));
                return choice::select(a, b, then, otherwise);
            }
            Instruction::Oracle {
                oracle,
                channel,
                at,
            } => {
                let at = at.map(|arg| self.at(arg));
                let bounds = at.map(Interval::bounds);
                let mut answer = code.oracles()[oracle as usize].answers.bounds(
                    bounds.map(|bounds| bounds.low),
                    bounds.map(|bounds| bounds.high),
                    channel,
                );
                answer.undefined |= bounds.iter().any(|bounds| bounds.undefined);
                Interval::from_bounds(answer)
            }
        };
        (value, Choice::Both)
    }
}

fn unary<T: Float>(operation: Unary, a: Interval<T>) -> Interval<T> {
    let span = a.span();
    let total = |span| (span, false);
    let (span, undefined) = match operation {
        Unary::Neg => total(arithmetic::neg(span)),
        Unary::Abs => total(arithmetic::abs(span)),
        Unary::Sqrt => arithmetic::sqrt::<T, Outward>(span),
        Unary::Sign | Unary::Floor | Unary::Ceil | Unary::Round => {
            total(rounding::step(operation, span))
        }
        Unary::Fract => (rounding::fract::<T, Outward>(span), span.is_infinite()),
        Unary::Sin => circular::sin::<T, Outward>(span),
        Unary::Cos => circular::cos::<T, Outward>(span),
        Unary::Tan => circular::tan::<T, Outward>(span),
        Unary::Asin => circular::asin::<T, Outward>(span),
        Unary::Acos => circular::acos::<T, Outward>(span),
        Unary::Atan => total(circular::atan::<T, Outward>(span)),
        Unary::Sinh | Unary::Tanh => total(exponential::rising::<T, Outward>(operation, span)),
        Unary::Cosh => total(exponential::cosh::<T, Outward>(span)),
        Unary::Exp => total(exponential::exp::<T, Outward>(span)),
        Unary::Log | Unary::Log2 | Unary::Log10 => exponential::log::<T, Outward>(operation, span),
    };
    Interval::from_span(span, undefined | a.undefined)
}

/// An operation on two values; `same` when they are one.
fn binary<T: Float>(operation: Binary, a: Interval<T>, b: Interval<T>, same: bool) -> Interval<T> {
    let (first, second) = (a.span(), b.span());
    let (span, undefined) = match operation {
        Binary::Add => (
            arithmetic::add::<T, Outward>(first, second),
            arithmetic::add_is_undefined(first, second),
        ),
        Binary::Sub if same => (Span::point(T::ZERO), first.is_infinite()),
        Binary::Sub => (
            arithmetic::sub::<T, Outward>(first, second),
            arithmetic::add_is_undefined(first, arithmetic::neg(second)),
        ),
        Binary::Mul if same => (arithmetic::square::<T, Outward>(first), false),
        Binary::Mul => (
            arithmetic::mul::<T, Outward>(first, second),
            arithmetic::mul_is_undefined(first, second),
        ),
        Binary::Div => (
            arithmetic::div::<T, Outward>(first, second),
            arithmetic::div_is_undefined(first, second),
        ),
        Binary::Min | Binary::Max => return choice::extreme(operation, a, b).0,
        Binary::Mod => rounding::floored_remainder::<T, Outward>(first, second),
        Binary::Fmod => rounding::truncated_remainder::<T, Outward>(first, second),
        Binary::Pow => {
            // 1 to any power is 1, and anything to the power 0, also what is not a number.
            let (span, undefined) = exponential::pow::<T, Outward>(first, second);
            let one = Span::point(T::ONE);
            let or_one = span.or_if(a.undefined | b.undefined, span.join(one));
            (or_one, undefined)
        }
        Binary::Atan2 => (circular::atan2::<T, Outward>(first, second), false),
    };
    Interval::from_span(span, undefined | a.undefined | b.undefined)
}

fn fused<T: Float>(
    operation: Fused,
    a: Interval<T>,
    b: Interval<T>,
    c: Interval<T>,
) -> Interval<T> {
    let (first, second, third) = (a.span(), b.span(), c.span());
    let product = arithmetic::mul::<T, Outward>(first, second);
    let undefined = arithmetic::mul_is_undefined(first, second)
        | arithmetic::add_is_undefined(product, term(operation, third));
    let span = arithmetic::fused::<T, Outward>(operation, first, second, third);
    Interval::from_span(span, undefined | a.undefined | b.undefined | c.undefined)
}

/// A product with a sum, of which both factors are the value `a`.
fn fused_square<T: Float>(operation: Fused, a: Interval<T>, c: Interval<T>) -> Interval<T> {
    let (factor, third) = (a.span(), c.span());
    let product = arithmetic::square::<T, Outward>(factor);
    let undefined = arithmetic::add_is_undefined(product, term(operation, third));
    let span = arithmetic::fused_square::<T, Outward>(operation, factor, third);
    Interval::from_span(span, undefined | a.undefined | c.undefined)
}

/// Term that is added to the product, but for the sign of both.
fn term<T: Float>(operation: Fused, third: Span<T>) -> Span<T> {
    match operation {
        Fused::MulAdd => third,
        Fused::MulSub | Fused::NegMulAdd => arithmetic::neg(third),
    }
}
