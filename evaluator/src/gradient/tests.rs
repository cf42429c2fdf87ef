//! The laws of gradients, against a model that is written plainly.

use std::sync::Arc;

use fibula_nodes::{Binary, Bounds, Expr, Kernel, Oracle, OracleUse, Query, ResourceId, Unary};
use proptest::prelude::*;

use super::derive::LEAST;
use crate::block::Blocks;
use crate::code::{Arg, Code, Fused, Instruction, Place, Rounding};
use crate::cpu::{InstructionSet, Settings};
use crate::lane::Float;
use crate::meaning;
use crate::point::Point;

/// A field with a known gradient: x y + z, in both channels with another sign.
#[derive(Debug)]
struct Field;

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

fn field() -> OracleUse {
    OracleUse {
        resource: ResourceId(1),
        query: Query::SignedDistance,
        answers: Arc::new(Field),
    }
}

fn code(kernel: &Kernel, outputs: &[Expr], rounding: Rounding) -> Code {
    Code::new(kernel.operations(), outputs, 3, kernel.oracles(), rounding)
}

/// A value with its derivatives, and for each the sum of the magnitudes of all that was summed up to it: what rounding
/// is measured by.
#[derive(Debug, Clone)]
struct Number {
    value: f64,
    slopes: [f64; 3],
    scales: [f64; 3],
    is_constant: bool,
}

/// All values of a code with their derivatives by its three inputs, and whether every number on the way is finite.
fn model(code: &Code, point: [f64; 3]) -> (Vec<Number>, bool) {
    let mut numbers: Vec<Number> = Vec::new();
    let mut is_finite = true;
    for instruction in &code.instructions {
        let at = |arg: Arg| match arg.place() {
            Place::Value(index) => numbers[index].clone(),
            Place::Constant(index) => Number {
                value: code.constants[index],
                slopes: [0.0; 3],
                scales: [0.0; 3],
                is_constant: true,
            },
        };
        let mut seed = None;
        let (value, terms): (f64, Vec<(f64, Number)>) = match *instruction {
            Instruction::Input(input) => {
                seed = Some(input as usize);
                (point[input as usize], Vec::new())
            }
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
                let place = place.map(at);
                let values = place.each_ref().map(|number| number.value);
                let gradient = Field.gradient(values, channel);
                (
                    Field.sample(values, channel),
                    gradient.into_iter().zip(place).collect(),
                )
            }
        };
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
        if let Some(input) = seed {
            (number.slopes[input], number.scales[input]) = (1.0, 1.0);
        }
        is_finite &= value.is_finite() && number.scales.into_iter().all(|scale| scale < 1e100);
        numbers.push(number);
    }
    let outputs = code.outputs.iter().map(|output| match output.place() {
        Place::Value(index) => numbers[index].clone(),
        Place::Constant(index) => Number {
            value: code.constants[index],
            slopes: [0.0; 3],
            scales: [0.0; 3],
            is_constant: true,
        },
    });
    (outputs.collect(), is_finite)
}

fn unary_slope(operation: Unary, a: f64, value: f64) -> f64 {
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

fn binary_slopes(operation: Binary, a: f64, b: f64, value: f64) -> [f64; 2] {
    match operation {
        Binary::Add => [1.0, 1.0],
        Binary::Sub => [1.0, -1.0],
        Binary::Mul => [b, a],
        Binary::Div => [1.0 / b, -a / (b * b)],
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

const DIRECTIONS: [usize; 3] = [0, 1, 2];

/// The Jacobian and the written-out derivatives, row by row, in the layout of the latter.
fn both(code: &Code, point: [f64; 3], set: InstructionSet) -> [Vec<f64>; 2] {
    let settings = Settings {
        instructions: set,
        ..Settings::default()
    };
    let jacobian = code.jacobian(&point, &DIRECTIONS, settings);
    let mut numbers = jacobian.values.clone();
    numbers.extend(&jacobian.derivatives);
    let written = Point::new(&code.with_gradient(&DIRECTIONS), settings);
    let mut results = vec![0.0; numbers.len()];
    written.evaluator().run(&point, &mut results);
    [numbers, results]
}

fn check(code: &Code, point: [f64; 3]) -> Result<(), TestCaseError> {
    let (expected, is_finite) = model(code, point);
    let outputs = expected.len();
    for got in both(code, point, InstructionSet::best()) {
        for (index, number) in expected.iter().enumerate() {
            let same = got[index].to_bits() == number.value.to_bits();
            prop_assert!(same || got[index].is_nan() && number.value.is_nan());
            for axis in 0..3 {
                let slope = got[outputs + 3 * index + axis];
                let expected = number.slopes[axis];
                // A few ulp for each factor of which a derivative is made.
                let room = 1e-12 * number.scales[axis] + 1e-18;
                prop_assert!(
                    !is_finite || (slope - expected).abs() <= room,
                    "output {index} by {axis} at {point:?}: {slope}, not {expected} +- {room}\n{code:?}"
                );
            }
        }
    }
    Ok(())
}

/// A kernel of random operations over three variables and an oracle.
fn random(choices: &[(u8, u16, u16, u16, u16)]) -> (Kernel, Vec<Expr>) {
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

fn choices(most: usize) -> impl Strategy<Value = Vec<(u8, u16, u16, u16, u16)>> {
    prop::collection::vec(any::<(u8, u16, u16, u16, u16)>(), 1..most)
}

/// Points at which something happens, and others.
fn point() -> impl Strategy<Value = [f64; 3]> {
    let coordinate = prop_oneof![
        (-8_i8..=8).prop_map(|number| f64::from(number) / 4.0),
        -3.0..3.0_f64,
        -1e3..1e3_f64,
    ];
    [coordinate.clone(), coordinate.clone(), coordinate]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn gradients_of_random_codes_are_those_of_the_model(choices in choices(24), point in point(), is_fast: bool) {
        let (kernel, outputs) = random(&choices);
        let rounding = if is_fast { Rounding::Fast } else { Rounding::Exact };
        check(&code(&kernel, &outputs, rounding), point)?;
    }
}

proptest! {
    #[test]
    fn blocks_give_one_gradient_and_the_values_that_they_give_without(choices in choices(60), points in prop::collection::vec(point(), 1..100), is_fast: bool) {
        let (kernel, outputs) = random(&choices);
        let rounding = if is_fast { Rounding::Fast } else { Rounding::Exact };
        let code = code(&kernel, &outputs, rounding);
        check_blocks::<f32>(&code, &points)?;
        check_blocks::<f64>(&code, &points)?;
    }
}

fn check_blocks<T: Float>(code: &Code, points: &[[f64; 3]]) -> Result<(), TestCaseError> {
    let run = |code: &Code, set| {
        let inputs = [0, 1, 2].map(|axis| {
            points
                .iter()
                .map(|point| T::of(point[axis]))
                .collect::<Vec<T>>()
        });
        let inputs = inputs.each_ref().map(Vec::as_slice);
        let blocks = Blocks::new(code, 3);
        let mut results = vec![vec![T::ZERO; points.len()]; code.outputs.len()];
        let mut outputs: Vec<_> = results.iter_mut().map(Vec::as_mut_slice).collect();
        blocks.run(set, &mut blocks.scratch(), &inputs, &[], &mut outputs);
        results
    };
    let same = |a: &[Vec<T>], b: &[Vec<T>]| {
        let mut pairs = a.iter().flatten().zip(b.iter().flatten());
        pairs.all(|(&a, &b)| {
            Float::to_bits(a) == Float::to_bits(b) || a.wide().is_nan() && b.wide().is_nan()
        })
    };
    let derived = code.with_gradient(&DIRECTIONS);
    let expected = run(&derived, InstructionSet::Portable);
    for set in InstructionSet::ALL
        .into_iter()
        .filter(|set| set.is_available())
    {
        let got = run(&derived, set);
        prop_assert!(same(&got, &expected), "{}", set.name());
        let values = run(code, set);
        prop_assert!(
            same(&got[..values.len()], &values),
            "values with {}",
            set.name()
        );
    }
    Ok(())
}

/// Where a function is smooth, in what is put in place of x and y, and how far apart its arguments may lie.
fn smooth(write: impl Fn(&mut Kernel, Expr, Expr) -> Expr, points: &[[f64; 2]], about: &str) {
    let mut kernel = Kernel::new();
    let (x, y) = (kernel.variable(0), kernel.variable(1));
    let value = write(&mut kernel, x, y);
    let code = code(&kernel, &[value], Rounding::Exact);
    let at = |x: f64, y: f64| {
        let mut result = [0.0];
        Point::new(&code, Settings::default())
            .evaluator()
            .run(&[x, y, 0.0], &mut result);
        result[0]
    };
    for &[x, y] in points {
        let step = 1e-5;
        let differences = [
            (at(x + step, y) - at(x - step, y)) / (2.0 * step),
            (at(x, y + step) - at(x, y - step)) / (2.0 * step),
        ];
        for got in both(&code, [x, y, 0.0], InstructionSet::best()) {
            for (slope, difference) in got[1..3].iter().zip(differences) {
                // The third derivatives are below 100 and the values below 100.
                let room = 1e-8 * (1.0 + difference.abs());
                assert!(
                    (slope - difference).abs() <= room,
                    "{about} at {x}, {y}: {slope}, not {difference}"
                );
            }
        }
    }
}

#[test]
fn gradients_are_the_limits_of_differences() {
    let points = [
        [0.3, 0.7],
        [0.55, -0.2],
        [-0.4, 0.9],
        [0.81, 0.13],
        [-0.7, -0.6],
    ];
    let positive = [[0.3, 0.7], [0.55, 0.2], [1.4, 0.9], [2.7, 3.1]];
    for operation in Unary::ALL {
        let needs_positive = matches!(
            operation,
            Unary::Sqrt | Unary::Log | Unary::Log2 | Unary::Log10
        );
        let points: &[[f64; 2]] = if needs_positive { &positive } else { &points };
        let write = |kernel: &mut Kernel, x: Expr, _: Expr| kernel.unary(operation, x);
        smooth(write, points, &format!("{operation:?}"));
        let write = |kernel: &mut Kernel, x: Expr, y: Expr| {
            let (sum, two) = (kernel.mul(x, y), kernel.constant(0.125));
            let positive = kernel.mul(sum, sum);
            let inside = kernel.add(positive, two);
            kernel.unary(operation, inside)
        };
        smooth(
            write,
            &[[0.3, 0.7], [-0.5, 0.4], [0.8, -0.9]],
            &format!("{operation:?} of more"),
        );
    }
    for operation in Binary::ALL {
        let points: &[[f64; 2]] = if operation == Binary::Pow {
            &positive
        } else {
            &points
        };
        let write = |kernel: &mut Kernel, x: Expr, y: Expr| kernel.binary(operation, x, y);
        smooth(write, points, &format!("{operation:?}"));
        for number in [0.37, -1.7, 5.3] {
            let write = |kernel: &mut Kernel, x: Expr, _: Expr| {
                let number = kernel.constant(number);
                kernel.binary(operation, x, number)
            };
            smooth(write, points, &format!("{operation:?} with {number}"));
            let write = |kernel: &mut Kernel, _: Expr, y: Expr| {
                let number = kernel.constant(number.abs());
                kernel.binary(operation, number, y)
            };
            smooth(write, &positive, &format!("{operation:?} of {number}"));
        }
    }
    let write = |kernel: &mut Kernel, x: Expr, y: Expr| {
        let (sine, product) = (kernel.sin(x), kernel.mul(x, y));
        kernel.select(x, y, sine, product)
    };
    smooth(write, &points, "select");
    let write = |kernel: &mut Kernel, x: Expr, y: Expr| {
        let (sine, product) = (kernel.sin(x), kernel.mul(x, y));
        kernel.oracle(&field(), 1, [sine, product, y])
    };
    smooth(write, &points, "oracle");
}

/// The gradient by x, y and z of what `write` makes of them, at a point, and how many kinks were met.
fn gradient(write: impl Fn(&mut Kernel, [Expr; 3]) -> Expr, point: [f64; 3]) -> ([f64; 3], usize) {
    let mut kernel = Kernel::new();
    let variables = [0, 1, 2].map(|index| kernel.variable(index));
    let value = write(&mut kernel, variables);
    let code = code(&kernel, &[value], Rounding::Exact);
    let jacobian = code.jacobian(&point, &DIRECTIONS, Settings::default());
    let gradient = [0, 1, 2].map(|axis| jacobian.gradient(0)[axis]);
    let [_, written] = both(&code, point, InstructionSet::Portable);
    assert_eq!(written[1..], gradient, "written out");
    (gradient, jacobian.kinks)
}

#[test]
fn at_singular_points_gradients_are_what_is_said_of_them() {
    let origin = [0.0; 3];
    let length = |k: &mut Kernel, at: [Expr; 3]| k.length(&at);
    assert_eq!(gradient(length, origin), ([0.0; 3], 1));
    assert_eq!(gradient(length, [0.0, -4.0, 0.0]), ([0.0, -1.0, 0.0], 0));
    let power = |k: &mut Kernel, [x, y, _]: [Expr; 3]| {
        let (square, half) = (k.dot(&[x, y], &[x, y]), k.constant(0.5));
        k.pow(square, half)
    };
    assert_eq!(gradient(power, origin), ([0.0; 3], 1));
    let root = |k: &mut Kernel, [x, _, _]: [Expr; 3]| k.sqrt(x);
    assert_eq!(gradient(root, origin), ([0.5 / LEAST, 0.0, 0.0], 1));
    let angle = |k: &mut Kernel, [x, y, _]: [Expr; 3]| k.atan2(y, x);
    assert_eq!(gradient(angle, origin), ([0.0; 3], 1));
    assert_eq!(
        gradient(angle, [-2.0, 0.0, 0.0]),
        ([0.0, -0.5, 0.0], 1),
        "on the branch cut"
    );
    assert_eq!(gradient(angle, [2.0, 0.0, 0.0]), ([0.0, 0.5, 0.0], 0));
    let cosine = |k: &mut Kernel, [x, _, _]: [Expr; 3]| {
        let cosine = k.cos(x);
        k.acos(cosine)
    };
    assert_eq!(
        gradient(cosine, origin),
        ([0.0; 3], 1),
        "an arc cosine at 1 of what stands still"
    );
    // The operand that is a number counts, on either side.
    let undefined = |k: &mut Kernel, x: Expr| {
        let square = k.neg(x);
        k.sqrt(square)
    };
    let least = |k: &mut Kernel, [x, y, _]: [Expr; 3]| {
        let none = undefined(k, x);
        k.min(y, none)
    };
    assert_eq!(gradient(least, [1.0, 5.0, 0.0]), ([0.0, 1.0, 0.0], 0));
    let most = |k: &mut Kernel, [x, y, _]: [Expr; 3]| {
        let none = undefined(k, x);
        k.max(none, y)
    };
    assert_eq!(gradient(most, [1.0, 5.0, 0.0]), ([0.0, 1.0, 0.0], 0));
}

#[test]
fn kinks_are_counted_where_they_are_met_exactly() {
    type Write = fn(&mut Kernel, Expr, Expr) -> Expr;
    // What is written, and how many kinks there are at (1, 1), (0, 1) and (0.5, 2).
    let cases: [(&str, Write, [usize; 3]); 20] = [
        ("min(x, y)", |k, x, y| k.min(x, y), [1, 0, 0]),
        ("max(x, y)", |k, x, y| k.max(x, y), [1, 0, 0]),
        (
            "max(x, x y / y) has one gradient",
            |k, x, y| {
                let (product, zero) = (k.mul(x, y), k.constant(0.5));
                let more = k.add(product, zero);
                let less = k.sub(more, zero);
                k.max(product, less)
            },
            [0, 0, 0],
        ),
        ("|x|", |k, x, _| k.abs(x), [0, 1, 0]),
        (
            "|x^2|",
            |k, x, _| {
                let square = k.mul(x, x);
                k.abs(square)
            },
            [0, 0, 0],
        ),
        ("sign(x)", |k, x, _| k.sign(x), [0, 1, 0]),
        ("floor(x)", |k, x, _| k.floor(x), [1, 1, 0]),
        ("ceil(x)", |k, x, _| k.ceil(x), [1, 1, 0]),
        ("round(x)", |k, x, _| k.round(x), [0, 0, 1]),
        ("fract(x)", |k, x, _| k.fract(x), [1, 1, 0]),
        ("x mod y", |k, x, y| k.modulo(x, y), [1, 1, 0]),
        (
            "x fmod y goes on through 0",
            |k, x, y| k.fmod(x, y),
            [1, 0, 0],
        ),
        ("asin(x)", |k, x, _| k.asin(x), [1, 0, 0]),
        ("acos(x)", |k, x, _| k.acos(x), [1, 0, 0]),
        ("log(x)", |k, x, _| k.log(x), [0, 1, 0]),
        ("y / x", |k, x, y| k.div(y, x), [0, 1, 0]),
        (
            "x^0.3",
            |k, x, _| {
                let exponent = k.constant(0.3);
                k.pow(x, exponent)
            },
            [0, 1, 0],
        ),
        (
            "x < y ? x : y has a kink",
            |k, x, y| k.select(x, y, x, y),
            [1, 0, 0],
        ),
        (
            "x < y ? x : 2 y jumps",
            |k, x, y| {
                let more = k.add(y, y);
                k.select(x, y, x, more)
            },
            [1, 0, 0],
        ),
        (
            "1 < z ? floor(x) : y, whose floor counts too",
            |k, x, y| {
                let (one, z) = (k.constant(1.0), k.variable(2));
                let whole = k.floor(x);
                k.select(one, z, whole, y)
            },
            [1, 1, 0],
        ),
    ];
    for (name, write, expected) in cases {
        let points = [[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.5, 2.0, 0.0]];
        for (point, expected) in points.into_iter().zip(expected) {
            let mut kernel = Kernel::new();
            let (x, y) = (kernel.variable(0), kernel.variable(1));
            let value = write(&mut kernel, x, y);
            let code = code(&kernel, &[value], Rounding::Exact);
            let settings = Settings::default();
            let by_all = code.jacobian(&point, &[2, 2, 2, 2, 2, 0, 1], settings);
            assert_eq!(by_all.kinks, expected, "{name} at {point:?}");
            let by_another = code.jacobian(&point, &[2], settings);
            let is_select = name.contains('?');
            assert!(
                is_select || by_another.kinks == 0,
                "{name} at {point:?} by z"
            );
        }
    }
}

#[test]
fn a_jacobian_has_a_row_for_each_output_and_a_column_for_each_direction() {
    let mut kernel = Kernel::new();
    let inputs: Vec<Expr> = (0..9).map(|index| kernel.variable(index)).collect();
    let product = kernel.mul(inputs[1], inputs[8]);
    let difference = kernel.sub(inputs[3], product);
    let seven = kernel.constant(7.0);
    let code = Code::new(
        kernel.operations(),
        &[product, seven, difference],
        9,
        &[],
        Rounding::Fast,
    );
    let arguments: Vec<f64> = (0..9).map(f64::from).collect();
    let directions = [8, 7, 6, 5, 4, 3, 2, 1, 0, 1];
    let jacobian = code.jacobian(&arguments, &directions, Settings::default());
    assert_eq!(jacobian.values, [8.0, 7.0, -5.0]);
    assert_eq!(
        jacobian.gradient(0),
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 8.0, 0.0, 8.0]
    );
    assert_eq!(jacobian.gradient(1), [0.0; 10]);
    assert_eq!(
        jacobian.gradient(2),
        [-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -8.0, 0.0, -8.0]
    );
    let written = code.with_gradient(&directions);
    let mut results = vec![0.0; 33];
    Point::new(&written, Settings::default())
        .evaluator()
        .run(&arguments, &mut results);
    assert_eq!(results[..3], jacobian.values);
    assert_eq!(results[3..], jacobian.derivatives);
}

#[test]
fn derivatives_of_a_distance_are_as_short_as_by_hand() {
    let mut kernel = Kernel::new();
    let at = [0, 1, 2].map(|index| kernel.variable(index));
    let (length, one) = (kernel.length(&at), kernel.constant(1.0));
    let distance = kernel.sub(length, one);
    let code = code(&kernel, &[distance], Rounding::Fast);
    let written = code.with_gradient(&DIRECTIONS);
    // The guard against 0, a reciprocal, and a product for each direction.
    assert_eq!(
        written.instructions.len(),
        code.instructions.len() + 5,
        "{written:#?}"
    );
}
