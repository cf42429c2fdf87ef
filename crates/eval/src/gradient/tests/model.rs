//! Derivatives written plainly, and random codes to try them on.

use std::ops::Range;

use fibula_nodes::{Binary, Expr, Kernel, Unary};
use proptest::prelude::*;

use crate::code::{Arg, ArgSource, Code, Fused, Instruction, Rounding};
use crate::gradient::derive::LEAST;
use crate::trial::{EVEN, Recipe, Term, Values, build, recipes};

fn code(kernel: &Kernel, outputs: &[Expr], rounding: Rounding) -> Code {
    Code::new(kernel.operations(), outputs, 3, kernel.oracles(), rounding)
}

pub(super) fn formula_code(
    formula: impl for<'a> Fn([Term<'a>; 3]) -> Term<'a>,
    rounding: Rounding,
) -> Code {
    let (kernel, value) = build(formula);
    code(&kernel, &[value], rounding)
}

/// A value with its derivatives, and for each the sum of the magnitudes of all that was summed up to it: what rounding
/// is measured by.
#[derive(Debug, Clone)]
pub(super) struct Number {
    pub(super) value: f64,
    pub(super) slopes: [f64; 3],
    pub(super) scales: [f64; 3],
    is_constant: bool,
}

/// All outputs of a code with their derivatives by its three inputs, whether every number on the way is finite, and
/// whether a slope was cut off though it is finite.
pub(super) fn model(code: &Code, point: [f64; 3]) -> (Vec<Number>, [bool; 2]) {
    let mut numbers: Vec<Number> = Vec::new();
    let (mut is_finite, mut is_cut) = (true, false);
    let values = Values::new(code, &point);
    for (index, instruction) in code.instructions.iter().enumerate() {
        is_cut |= match *instruction {
            Instruction::Unary(Unary::Sqrt | Unary::Log, a)
            | Instruction::Binary(Binary::Pow | Binary::Atan2, a, _) => {
                let size = at(code, &numbers, a).value.abs();
                0.0 < size && size < LEAST
            }
            _ => false,
        };
        let value = values.of(Arg::value(index));
        let terms = terms(code, *instruction, value, |arg| at(code, &numbers, arg));
        let mut number = Number {
            value,
            slopes: [0.0; 3],
            scales: [0.0; 3],
            is_constant: false,
        };
        for (factor, term) in terms {
            // Of a negative number a power has no derivative by its exponent, even if that stands still.
            is_finite &= factor.is_finite() || term.is_constant;
            for axis in 0..3 {
                if term.slopes[axis] != 0.0 || term.scales[axis] != 0.0 {
                    number.slopes[axis] += factor * term.slopes[axis];
                    number.scales[axis] += factor.abs() * term.scales[axis];
                }
            }
        }
        if let Instruction::Input(input) = *instruction {
            let input = input as usize;
            (number.slopes[input], number.scales[input]) = (1.0, 1.0);
        }
        // Of a number that is subnormal the reciprocal may be infinite.
        is_finite &= (value.is_normal() || value == 0.0)
            && number.scales.into_iter().all(|scale| scale < 1e100);
        numbers.push(number);
    }
    let outputs = code
        .outputs
        .iter()
        .map(|&output| at(code, &numbers, output));
    (outputs.collect(), [is_finite, is_cut])
}

fn at(code: &Code, numbers: &[Number], arg: Arg) -> Number {
    match arg.source() {
        ArgSource::Value(index) => numbers[index].clone(),
        ArgSource::Constant(index) => Number {
            value: code.constants[index],
            slopes: [0.0; 3],
            scales: [0.0; 3],
            is_constant: true,
        },
    }
}

/// Operands of an instruction with the derivatives of its `value` by them.
fn terms(
    code: &Code,
    instruction: Instruction,
    value: f64,
    at: impl Fn(Arg) -> Number,
) -> Vec<(f64, Number)> {
    match instruction {
        Instruction::Input(_) => Vec::new(),
        Instruction::Unary(operation, a) => {
            let a = at(a);
            vec![(unary_slope(operation, a.value, value), a)]
        }
        Instruction::Binary(operation, a, b) => {
            let (a, b) = (at(a), at(b));
            let [first, second] = binary_slopes(operation, a.value, b.value, value);
            vec![(first, a), (second, b)]
        }
        Instruction::Fused(operation, a, b, c) => {
            let (a, b, c) = (at(a), at(b), at(c));
            let (product, term) = match operation {
                Fused::MulAdd => (1.0, 1.0),
                Fused::MulSub => (1.0, -1.0),
                Fused::NegMulAdd => (-1.0, 1.0),
            };
            let (by_first, by_second) = (product * b.value, product * a.value);
            vec![(by_first, a), (by_second, b), (term, c)]
        }
        Instruction::Select([a, b, then, otherwise]) => {
            let is_less = at(a).value < at(b).value;
            vec![(1.0, at(if is_less { then } else { otherwise }))]
        }
        Instruction::Oracle {
            oracle,
            channel,
            at: place,
        } => {
            let place = place.map(at);
            let values = place.each_ref().map(|number| number.value);
            let answers = &code.oracles[oracle as usize].answers;
            let gradient = answers.gradient(values, channel);
            gradient.into_iter().zip(place).collect()
        }
    }
}

pub(super) fn unary_slope(operation: Unary, a: f64, value: f64) -> f64 {
    match operation {
        Unary::Neg => -1.0,
        Unary::Abs if a < 0.0 => -1.0,
        Unary::Abs | Unary::Fract => 1.0,
        Unary::Sign | Unary::Floor | Unary::Ceil | Unary::Round => 0.0,
        Unary::Sqrt => 0.5 / value.max(LEAST),
        Unary::Sin => a.cos(),
        Unary::Cos => -a.sin(),
        Unary::Tan => 1.0 + a.tan().powi(2),
        Unary::Asin => 1.0 / ((1.0 - a) * (1.0 + a)).sqrt().max(LEAST),
        Unary::Acos => -1.0 / ((1.0 - a) * (1.0 + a)).sqrt().max(LEAST),
        Unary::Atan => 1.0 / (1.0 + a * a),
        Unary::Sinh => a.cosh(),
        Unary::Cosh => a.sinh(),
        Unary::Tanh => a.cosh().recip().powi(2),
        Unary::Exp => a.exp(),
        Unary::Log => a.recip(),
        Unary::Log2 => (a * std::f64::consts::LN_2).recip(),
        Unary::Log10 => (a * std::f64::consts::LN_10).recip(),
    }
}

pub(super) fn binary_slopes(operation: Binary, a: f64, b: f64, value: f64) -> [f64; 2] {
    match operation {
        Binary::Add => [1.0, 1.0],
        Binary::Sub => [1.0, -1.0],
        Binary::Mul => [b, a],
        Binary::Div => [1.0 / b, -value / b],
        Binary::Min if a < b || b.is_nan() => [1.0, 0.0],
        Binary::Max if a > b || b.is_nan() => [1.0, 0.0],
        Binary::Min | Binary::Max => [0.0, 1.0],
        Binary::Mod => [1.0, -(a / b).floor()],
        Binary::Fmod => [1.0, -(a / b).trunc()],
        Binary::Pow => {
            let away = if (0.0..LEAST).contains(&a) { LEAST } else { a };
            let base = if b < 1.0 { away } else { a };
            [b * base.powf(b - 1.0), value * away.ln()]
        }
        Binary::Atan2 => [b, -a].map(|part| part / (a * a + b * b).max(LEAST)),
    }
}

/// Random functions with few constants that are not near 0, so that most of their numbers are finite.
pub(super) fn functions(steps: Range<usize>) -> impl Strategy<Value = Recipe> {
    let often = prop::sample::select(vec![0.5, -2.0, 2.5, 0.0, 1.0]);
    recipes(EVEN, steps, prop_oneof![4 => often, 1 => -3.0..3.0_f64])
}

/// Points at which something happens, and others.
pub(super) fn point() -> impl Strategy<Value = [f64; 3]> {
    let coordinate = prop_oneof![
        (-8_i8..=8).prop_map(|number| f64::from(number) / 4.0),
        -3.0..3.0_f64,
        -1e3..1e3_f64,
    ];
    [coordinate.clone(), coordinate.clone(), coordinate]
}
