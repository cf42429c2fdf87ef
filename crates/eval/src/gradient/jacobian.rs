//! Derivatives at one point: forward-mode differentiation with dual numbers.

use std::f64::consts::{LN_2, LN_10};

use fibula_nodes::{Binary, Unary};

use super::derive::LEAST;
use crate::code::{Arg, ArgSource, Code, Fused, Instruction};
use crate::cpu::{Settings, dispatched};
use crate::meaning;

/// So many directions are carried along at once.
const WIDTH: usize = 4;

/// The outputs at a point and their derivatives.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Jacobian {
    /// The outputs, with the bits that [`Point`](crate::Point) yields.
    pub values: Vec<f64>,
    /// For each output its derivatives, by each direction.
    pub derivatives: Vec<f64>,
    /// Number of instructions exactly at a kink or jump, of which only one side is reported: a minimum or maximum of
    /// equal operands with different derivatives, a magnitude at 0 with a derivative that is not, a selection between
    /// equal numbers whose two sides differ, a step or remainder at a jump, an angle on its branch cut, a root or
    /// power with an infinite slope, an arc sine or arc cosine at 1 or -1, a division by 0 or a logarithm of 0. The
    /// kinks of oracles do not count.
    pub kinks: usize,
}

impl Jacobian {
    /// The derivatives of an output by each direction: its gradient.
    ///
    /// # Panics
    /// If there is no such output.
    pub fn gradient(&self, output: usize) -> &[f64] {
        let directions = self.derivatives.len() / self.values.len();
        &self.derivatives[output * directions..][..directions]
    }
}

impl Code {
    /// The outputs at the point with these scalar arguments, and their derivatives by some inputs. What they mean is
    /// [here](super).
    ///
    /// Takes time in proportion to instructions and directions, and memory in proportion to instructions.
    ///
    /// # Panics
    /// If a direction is no input, if there are not as many arguments as inputs, or if the processor lacks the
    /// instructions of `settings`.
    pub fn jacobian(
        &self,
        arguments: &[f64],
        directions: &[usize],
        settings: Settings,
    ) -> Jacobian {
        settings.check();
        assert_eq!(arguments.len(), self.inputs, "one number for each input");
        for &direction in directions {
            assert!(direction < self.inputs, "{direction} is an input");
        }
        let mut evaluator = DualEvaluator {
            code: self,
            arguments,
            values: vec![0.0; self.instructions.len()],
            duals: vec![Dual::default(); self.instructions.len()],
        };
        evaluate(settings.instructions, &mut evaluator);
        let outputs = &self.outputs;
        let mut derivatives = vec![0.0; outputs.len() * directions.len()];
        for (index, part) in directions.chunks(WIDTH).enumerate() {
            differentiate(settings.instructions, &mut evaluator, part);
            for (output, &arg) in outputs.iter().enumerate() {
                let slopes = evaluator.dual(arg).slopes;
                derivatives[output * directions.len() + index * WIDTH..][..part.len()]
                    .copy_from_slice(&slopes[..part.len()]);
            }
        }
        // A kink by several directions counts once.
        let kinks = evaluator.duals.iter().filter(|dual| dual.is_kink).count();
        Jacobian {
            values: outputs.iter().map(|&arg| evaluator.value(arg)).collect(),
            derivatives,
            kinks,
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Dual {
    slopes: [f64; WIDTH],
    /// True if it depends on a direction.
    varies: bool,
    /// True if a kink was met, by these directions or those before.
    is_kink: bool,
}

struct DualEvaluator<'a> {
    code: &'a Code,
    arguments: &'a [f64],
    values: Vec<f64>,
    duals: Vec<Dual>,
}

dispatched! {
    fn evaluate<>(set; evaluator: &mut DualEvaluator<'_>) = evaluate_body;
}

dispatched! {
    fn differentiate<>(set; evaluator: &mut DualEvaluator<'_>, directions: &[usize]) = differentiate_body;
}

#[inline(always)]
fn evaluate_body(evaluator: &mut DualEvaluator<'_>) {
    for (index, instruction) in evaluator.code.instructions.iter().enumerate() {
        let value = |arg: Arg| evaluator.value(arg);
        evaluator.values[index] = meaning::instruction(
            *instruction,
            evaluator.arguments,
            &evaluator.code.oracles,
            value,
        );
    }
}

#[inline(always)]
fn differentiate_body(evaluator: &mut DualEvaluator<'_>, directions: &[usize]) {
    for (index, instruction) in evaluator.code.instructions.iter().enumerate() {
        let mut dual = evaluator.derived(*instruction, evaluator.values[index], directions);
        dual.is_kink |= evaluator.duals[index].is_kink;
        evaluator.duals[index] = dual;
    }
}

impl DualEvaluator<'_> {
    #[inline(always)]
    fn value(&self, arg: Arg) -> f64 {
        match arg.source() {
            ArgSource::Value(index) => self.values[index],
            ArgSource::Constant(index) => self.code.constants[index],
        }
    }

    #[inline(always)]
    fn dual(&self, arg: Arg) -> Dual {
        match arg.source() {
            ArgSource::Value(index) => self.duals[index],
            ArgSource::Constant(_) => Dual::default(),
        }
    }

    #[inline(always)]
    fn derived(&self, instruction: Instruction, value: f64, directions: &[usize]) -> Dual {
        match instruction {
            Instruction::Input(input) => {
                let mut dual = Dual::default();
                for (slope, &direction) in dual.slopes.iter_mut().zip(directions) {
                    if direction == input as usize {
                        *slope = 1.0;
                        dual.varies = true;
                    }
                }
                dual
            }
            Instruction::Unary(operation, a) => {
                unary(operation, self.value(a), value, self.dual(a))
            }
            Instruction::Binary(operation, a, b) => binary(
                operation,
                [self.value(a), self.value(b)],
                value,
                [self.dual(a), self.dual(b)],
            ),
            Instruction::Fused(operation, a, b, c) => {
                let (product, term) = match operation {
                    Fused::MulAdd => (1.0, 1.0),
                    Fused::MulSub => (1.0, -1.0),
                    Fused::NegMulAdd => (-1.0, 1.0),
                };
                combined([
                    (product * self.value(b), self.dual(a)),
                    (product * self.value(a), self.dual(b)),
                    (term, self.dual(c)),
                ])
            }
            Instruction::Select([a, b, then, otherwise]) => {
                let (first, second) = (self.value(a), self.value(b));
                let is_close = first == second && (self.dual(a).varies || self.dual(b).varies);
                let values = [then, otherwise].map(|arg| self.value(arg));
                let [then, otherwise] = [then, otherwise].map(|arg| self.dual(arg));
                let picked = if first < second { then } else { otherwise };
                let differs = values[0] != values[1] || then.slopes != otherwise.slopes;
                Dual {
                    slopes: picked.slopes,
                    varies: then.varies | otherwise.varies,
                    is_kink: is_close & differs,
                }
            }
            Instruction::Oracle {
                oracle,
                channel,
                at,
            } => {
                let duals = at.map(|arg| self.dual(arg));
                if !duals.iter().any(|dual| dual.varies) {
                    return Dual::default();
                }
                let answers = &self.code.oracles[oracle as usize].answers;
                let [x, y, z] = answers.gradient(at.map(|arg| self.value(arg)), channel);
                let [first, second, third] = duals;
                combined([(x, first), (y, second), (z, third)])
            }
        }
    }
}

#[inline(always)]
fn unary(operation: Unary, a: f64, value: f64, dual: Dual) -> Dual {
    if !dual.varies {
        return Dual::default();
    }
    let is_whole = a.floor() == a;
    let (factor, is_kink) = match operation {
        Unary::Neg => (-1.0, false),
        Unary::Abs => {
            let is_flat = dual.slopes == [0.0; WIDTH];
            (if a < 0.0 { -1.0 } else { 1.0 }, a == 0.0 && !is_flat)
        }
        Unary::Sign => return flat(a == 0.0),
        Unary::Floor | Unary::Ceil => return flat(is_whole),
        Unary::Round => return flat((a - a.trunc()).abs() == 0.5),
        Unary::Fract => (1.0, is_whole),
        Unary::Sqrt => (0.5 / at_least(value), value == 0.0),
        Unary::Sin => (meaning::unary_number(Unary::Cos, a), false),
        Unary::Cos => (-meaning::unary_number(Unary::Sin, a), false),
        Unary::Tan => (1.0 + value * value, false),
        Unary::Asin => (
            1.0 / at_least(((1.0 - a) * (1.0 + a)).sqrt()),
            a.abs() == 1.0,
        ),
        Unary::Acos => (
            -1.0 / at_least(((1.0 - a) * (1.0 + a)).sqrt()),
            a.abs() == 1.0,
        ),
        Unary::Atan => (1.0 / (1.0 + a * a), false),
        Unary::Sinh => (meaning::unary(Unary::Cosh, a), false),
        Unary::Cosh => (meaning::unary(Unary::Sinh, a), false),
        Unary::Tanh => {
            let below = meaning::unary(Unary::Cosh, a);
            (1.0 / below / below, false)
        }
        Unary::Exp => (value, false),
        Unary::Log => (1.0 / a, a == 0.0),
        Unary::Log2 => (1.0 / LN_2 / a, a == 0.0),
        Unary::Log10 => (1.0 / LN_10 / a, a == 0.0),
    };
    Dual {
        is_kink,
        ..combined([(factor, dual)])
    }
}

#[inline(always)]
fn binary(operation: Binary, [a, b]: [f64; 2], value: f64, duals: [Dual; 2]) -> Dual {
    let [first, second] = duals;
    if !(first.varies || second.varies) {
        return Dual::default();
    }
    let (factors, is_kink) = match operation {
        Binary::Add => ([1.0, 1.0], false),
        Binary::Sub => ([1.0, -1.0], false),
        Binary::Mul => ([b, a], false),
        Binary::Div => ([1.0 / b, -value / b], b == 0.0 && second.varies),
        Binary::Min | Binary::Max => {
            let is_first = if operation == Binary::Min {
                a < b
            } else {
                a > b
            };
            let picked = if is_first || b.is_nan() {
                first
            } else {
                second
            };
            return Dual {
                slopes: picked.slopes,
                varies: true,
                is_kink: a == b && first.slopes != second.slopes,
            };
        }
        Binary::Mod => {
            let quotient = a / b;
            let whole = quotient.floor();
            ([1.0, -whole], whole == quotient)
        }
        Binary::Fmod => {
            let quotient = a / b;
            let whole = quotient.trunc();
            ([1.0, -whole], whole == quotient && whole != 0.0)
        }
        Binary::Pow => {
            let away = if a < 0.0 { a } else { at_least(a) };
            let base = if b < 1.0 { away } else { a };
            let by_base = b * meaning::binary(Binary::Pow, base, b - 1.0);
            let by_exponent = value * meaning::unary(Unary::Log, away);
            ([by_base, by_exponent], a == 0.0 && b < 1.0 && b != 0.0)
        }
        Binary::Atan2 => {
            let squares = at_least(a * a + b * b);
            let is_cut = a == 0.0 && b <= 0.0;
            ([b / squares, -a / squares], is_cut)
        }
    };
    Dual {
        is_kink,
        ..combined([(factors[0], first), (factors[1], second)])
    }
}

/// The sum of derivatives times their factors; what does not vary has none.
#[inline(always)]
fn combined<const TERMS: usize>(terms: [(f64, Dual); TERMS]) -> Dual {
    let mut sum = Dual::default();
    for (factor, dual) in terms {
        sum.varies |= dual.varies;
        for (sum, slope) in sum.slopes.iter_mut().zip(dual.slopes) {
            if slope != 0.0 {
                *sum += factor * slope;
            }
        }
    }
    sum
}

/// A step, with or without a jump.
fn flat(is_kink: bool) -> Dual {
    Dual {
        is_kink,
        ..Dual::default()
    }
}

/// `a`, but no less than [`LEAST`]; NaN stays NaN.
#[inline(always)]
fn at_least(a: f64) -> f64 {
    if a < LEAST { LEAST } else { a }
}
