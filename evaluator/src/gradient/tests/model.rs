//! Derivatives written plainly, and random codes to try them on.

use std::sync::Arc;

use fibula_nodes::{
    Binary, Bounds, Expr, Filter, Kernel, Oracle, OracleUse, Query, ResourceId, TileStyle, Unary,
};
use proptest::prelude::*;

use crate::code::{Arg, Code, Fused, Instruction, Place, Rounding};
use crate::gradient::derive::LEAST;
use crate::meaning;

/// A field with a known gradient: x y + z, in both channels with another sign.
#[derive(Debug)]
pub(super) struct Field;

impl Oracle for Field {
    fn sample(&self, [x, y, z]: [f64; 3], channel: u8) -> f64 {
        (x * y + z) * (1.0 - 2.0 * f64::from(channel))
    }

    fn gradient(&self, [x, y, _]: [f64; 3], channel: u8) -> [f64; 3] {
        [y, x, 1.0].map(|part| part * (1.0 - 2.0 * f64::from(channel)))
    }

    fn bounds(&self, _: [f64; 3], _: [f64; 3], _: u8) -> Bounds {
        Bounds::UNKNOWN
    }
}

pub(super) fn field() -> OracleUse {
    OracleUse {
        resource: ResourceId(1),
        query: Query::Image {
            filter: Filter::Linear,
            tiles: [TileStyle::Wrap; 3],
        },
        answers: Arc::new(Field),
    }
}

pub(super) fn code(kernel: &Kernel, outputs: &[Expr], rounding: Rounding) -> Code {
    Code::new(kernel.operations(), outputs, 3, kernel.oracles(), rounding)
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
    for instruction in &code.instructions {
        is_cut |= match *instruction {
            Instruction::Unary(Unary::Sqrt | Unary::Log, a)
            | Instruction::Binary(Binary::Pow | Binary::Atan2, a, _) => {
                let size = at(code, &numbers, a).value.abs();
                0.0 < size && size < LEAST
            }
            _ => false,
        };
        let (value, terms) = terms(*instruction, point, |arg| at(code, &numbers, arg));
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
        is_finite &= value.is_finite() && number.scales.into_iter().all(|scale| scale < 1e100);
        numbers.push(number);
    }
    let outputs = code
        .outputs
        .iter()
        .map(|&output| at(code, &numbers, output));
    (outputs.collect(), [is_finite, is_cut])
}

fn at(code: &Code, numbers: &[Number], arg: Arg) -> Number {
    match arg.place() {
        Place::Value(index) => numbers[index].clone(),
        Place::Constant(index) => Number {
            value: code.constants[index],
            slopes: [0.0; 3],
            scales: [0.0; 3],
            is_constant: true,
        },
    }
}

/// The value of an instruction, and what it takes with the derivatives by that.
fn terms(
    instruction: Instruction,
    point: [f64; 3],
    at: impl Fn(Arg) -> Number,
) -> (f64, Vec<(f64, Number)>) {
    match instruction {
        Instruction::Input(input) => (point[input as usize], Vec::new()),
        Instruction::Unary(operation, a) => {
            let a = at(a);
            let value = meaning::unary_of(operation, a.value);
            (value, vec![(unary_slope(operation, a.value, value), a)])
        }
        Instruction::Binary(operation, a, b) => {
            let (a, b) = (at(a), at(b));
            let value = meaning::binary(operation, a.value, b.value);
            let [first, second] = binary_slopes(operation, a.value, b.value, value);
            (value, vec![(first, a), (second, b)])
        }
        Instruction::Fused(operation, a, b, c) => {
            let (a, b, c) = (at(a), at(b), at(c));
            let value = meaning::fused(operation, a.value, b.value, c.value);
            let (product, term) = match operation {
                Fused::MulAdd => (1.0, 1.0),
                Fused::MulSub => (1.0, -1.0),
                Fused::NegMulAdd => (-1.0, 1.0),
            };
            (
                value,
                vec![
                    (product * b.value, a.clone()),
                    (product * a.value, b),
                    (term, c),
                ],
            )
        }
        Instruction::Select([a, b, then, otherwise]) => {
            let taken = at(if at(a).value < at(b).value {
                then
            } else {
                otherwise
            });
            (taken.value, vec![(1.0, taken)])
        }
        Instruction::Oracle {
            channel, at: place, ..
        } => {
            let place = place.map(&at);
            let values = place.each_ref().map(|number| number.value);
            let gradient = Field.gradient(values, channel);
            (
                Field.sample(values, channel),
                gradient.into_iter().zip(place).collect(),
            )
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
        Binary::Atan2 if a == 0.0 && b == 0.0 => [0.0, 0.0],
        Binary::Atan2 => [b / (a * a + b * b), -a / (a * a + b * b)],
    }
}

/// A kernel of random operations over three variables and an oracle.
pub(super) fn random(choices: &[(u8, u16, u16, u16, u16)]) -> (Kernel, Vec<Expr>) {
    let mut kernel = Kernel::new();
    let mut values: Vec<Expr> = (0..3).map(|index| kernel.variable(index)).collect();
    values.extend([0.5, -2.0, 2.5, 0.0, 1.0].map(|number| kernel.constant(number)));
    for &(operation, a, b, c, d) in choices {
        // Late values more often, so that the codes are deep.
        let pick = |at: u16| {
            let at = usize::from(at);
            values[values.len() - 1 - at * at / 65_536 * values.len() / 65_536]
        };
        let operation = usize::from(operation) % 34;
        let value = if let Some(&unary) = Unary::ALL.get(operation) {
            kernel.unary(unary, pick(a))
        } else if let Some(&binary) = Binary::ALL.get(operation - Unary::ALL.len()) {
            kernel.binary(binary, pick(a), pick(b))
        } else if operation == 31 {
            kernel.select(pick(a), pick(b), pick(c), pick(d))
        } else {
            kernel.oracle(&field(), (operation % 2) as u8, [pick(a), pick(b), pick(c)])
        };
        values.push(value);
    }
    let outputs = values
        .iter()
        .rev()
        .take(1 + choices.len() % 3)
        .copied()
        .collect();
    (kernel, outputs)
}

pub(super) fn choices(most: usize) -> impl Strategy<Value = Vec<(u8, u16, u16, u16, u16)>> {
    prop::collection::vec(any::<(u8, u16, u16, u16, u16)>(), 1..most)
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
