//! Random functions and boxes for the laws of bounds, and a plain evaluator that they are held against.

use std::sync::Arc;

use fibula_nodes::{Binary, Bounds, Expr, Kernel, Oracle, OracleUse, Query, ResourceId, Unary};
use proptest::prelude::*;

use crate::code::{Arg, Code, Instruction, Place, Rounding};
use crate::lane::Float;
use crate::meaning;

/// How many scalar arguments random functions have.
pub(crate) const INPUTS: usize = 3;

/// Numbers at which something happens.
pub(crate) const SPECIAL: [f64; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    0.1,
    1.5,
    std::f64::consts::FRAC_PI_2,
    std::f64::consts::PI,
    -4.0,
    1e-30,
    -1e-42,
    1e10,
    -1e20,
    1e30,
    -1e38,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// One step of a random function: what it does, of values that are picked among those before.
type Step = (u8, [u16; 4]);

/// A random function with some outputs.
#[derive(Debug, Clone)]
pub(crate) struct Recipe {
    steps: Vec<Step>,
    outputs: usize,
    rounding: Rounding,
}

/// Random functions of up to `most` operations.
pub(crate) fn recipes(most: usize) -> impl Strategy<Value = Recipe> {
    let steps = prop::collection::vec((any::<u8>(), any::<[u16; 4]>()), 1..most);
    let rounding = prop_oneof![Just(Rounding::Exact), Just(Rounding::Fast)];
    (steps, 1..3_usize, rounding).prop_map(|(steps, outputs, rounding)| Recipe {
        steps,
        outputs,
        rounding,
    })
}

impl Recipe {
    pub(crate) fn code(&self) -> Code {
        let mut kernel = Kernel::new();
        let mut values: Vec<Expr> = (0..INPUTS)
            .map(|input| kernel.variable(input as u32))
            .collect();
        let oracle = OracleUse {
            resource: ResourceId(1),
            query: Query::SignedDistance,
            answers: Arc::new(Ball),
        };
        for &(what, picks) in &self.steps {
            // What was just computed is picked often, so that functions are deep.
            let pick = |pick: u16| {
                let reach = if pick.is_multiple_of(3) {
                    values.len()
                } else {
                    values.len().min(4)
                };
                values[values.len() - 1 - usize::from(pick / 3) % reach]
            };
            let [a, b, c, d] = picks.map(pick);
            let constants = SPECIAL.len() as u16;
            let number = SPECIAL[usize::from(picks[1] % constants)];
            let value = match what {
                0..=29 => kernel.constant(number),
                30..=89 => {
                    let all = Unary::ALL;
                    kernel.unary(all[usize::from(what) % all.len()], a)
                }
                90..=99 => kernel.select(a, b, c, d),
                100..=104 => kernel.oracle(&oracle, 0, [a, b, c]),
                105..=149 => {
                    let number = kernel.constant(number);
                    let operation = Binary::ALL[usize::from(what) % Binary::ALL.len()];
                    let (a, b) = if picks[2] % 2 == 0 {
                        (a, number)
                    } else {
                        (number, a)
                    };
                    kernel.binary(operation, a, b)
                }
                150..=179 => {
                    let product = kernel.mul(a, if what % 2 == 0 { a } else { b });
                    if what % 3 == 0 {
                        kernel.sub(c, product)
                    } else {
                        kernel.add(product, c)
                    }
                }
                180..=214 => {
                    let all = [
                        Binary::Min,
                        Binary::Max,
                        Binary::Add,
                        Binary::Mul,
                        Binary::Sub,
                    ];
                    kernel.binary(all[usize::from(what) % all.len()], a, b)
                }
                215..=u8::MAX => {
                    let operation = Binary::ALL[usize::from(what) % Binary::ALL.len()];
                    kernel.binary(operation, a, b)
                }
            };
            values.push(value);
        }
        let outputs: Vec<Expr> = values.into_iter().rev().take(self.outputs).collect();
        let (operations, outputs) = kernel.reachable(&outputs);
        Code::new(
            &operations,
            &outputs,
            INPUTS,
            kernel.oracles(),
            self.rounding,
        )
    }
}

/// A number at which something happens, or any other.
pub(crate) fn numbers() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::sample::select(&SPECIAL[..SPECIAL.len() - 1]),
        -5.0..5.0_f64,
        -1000.0..1000.0_f64,
        any::<f64>().prop_filter("a number", |number| !number.is_nan()),
    ]
}

/// A box: two numbers for each argument, in any order, of which the second may be the first.
pub(crate) fn boxes() -> impl Strategy<Value = [[f64; 2]; INPUTS]> {
    let side = prop_oneof![
        numbers().prop_map(|number| [number, number]),
        [numbers(), numbers()],
        (numbers(), -1.0..1.0_f64).prop_map(|(number, size)| [number, number + size]),
    ];
    prop::array::uniform3(side)
}

/// The values of the outputs at a point.
pub(crate) fn values<T: Float>(code: &Code, point: &[T]) -> Vec<T> {
    let mut values: Vec<T> = Vec::new();
    for instruction in code.instructions() {
        let at = |arg: Arg| match arg.place() {
            Place::Value(index) => values[index],
            Place::Constant(index) => T::of(code.constants()[index]),
        };
        let value = match *instruction {
            Instruction::Input(index) => point[index as usize],
            Instruction::Unary(operation, a) => meaning::unary_of(operation, at(a)),
            Instruction::Binary(operation, a, b) => meaning::binary(operation, at(a), at(b)),
            Instruction::Fused(operation, a, b, c) => {
                meaning::fused(operation, at(a), at(b), at(c))
            }
            Instruction::Select([a, b, then, otherwise]) => {
                at(a).if_less(at(b), at(then), at(otherwise))
            }
            Instruction::Oracle {
                oracle,
                channel,
                at: point,
            } => {
                let answers = &code.oracles()[oracle as usize].answers;
                T::of(answers.sample(point.map(|arg| at(arg).wide()), channel))
            }
        };
        values.push(value);
    }
    let at = |&arg: &Arg| match arg.place() {
        Place::Value(index) => values[index],
        Place::Constant(index) => T::of(code.constants()[index]),
    };
    code.outputs().iter().map(at).collect()
}

/// Whether both have the same bits, or both are no number.
pub(crate) fn same<T: Float>(a: T, b: T) -> bool {
    Float::to_bits(a) == Float::to_bits(b) || a.wide().is_nan() && b.wide().is_nan()
}

/// The distance to a ball of radius 1.
#[derive(Debug)]
struct Ball;

impl Oracle for Ball {
    fn sample(&self, at: [f64; 3], _channel: u8) -> f64 {
        let [x, y, z] = at;
        let distance = x.hypot(y).hypot(z) - 1.0;
        if at.iter().all(|number| number.is_finite()) {
            distance
        } else {
            f64::NAN
        }
    }

    fn gradient(&self, at: [f64; 3], _channel: u8) -> [f64; 3] {
        at
    }

    fn bounds(&self, low: [f64; 3], high: [f64; 3], _channel: u8) -> Bounds {
        let is_finite = |corner: [f64; 3]| corner.iter().all(|number| number.is_finite());
        if !is_finite(low) || !is_finite(high) {
            return Bounds::UNKNOWN;
        }
        let far = |axis: usize| low[axis].abs().max(high[axis].abs());
        let near = |axis: usize| low[axis].max(0.0).max(-high[axis]);
        let distance = |size: [f64; 3]| size[0].hypot(size[1]).hypot(size[2]) - 1.0;
        let room = 1e-14 * (1.0 + distance([far(0), far(1), far(2)]).abs());
        Bounds::new(
            distance([near(0), near(1), near(2)]) - room,
            distance([far(0), far(1), far(2)]) + room,
        )
    }
}
