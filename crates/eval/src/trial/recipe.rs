//! Random functions.

use std::ops::Range;

use fibula_nodes::{Binary, Expr, Kernel, Unary};
use proptest::prelude::*;

use super::oracles::{ball, field};
use crate::code::{Code, Rounding};
use crate::meaning;

/// Distribution of random functions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mix {
    pub(crate) inputs: usize,
    /// Families of operations, each with its share of the steps.
    pub(crate) families: &'static [(usize, Family)],
    /// The shares of operands that are a constant, one of the last values, and any value before.
    pub(crate) operands: [usize; 3],
    /// True if most functions of angles get small ones.
    pub(crate) near_angles: bool,
}

/// Operations from which a step of a random function is chosen.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Family {
    Constant,
    Unary(&'static [Unary]),
    Binary(&'static [Binary]),
    /// A product of a value with itself.
    Square,
    /// Sums and differences with products.
    ProductSum,
    Select,
    /// Samples of a ball and a field.
    Oracle,
}

/// Operations that most functions consist of.
pub(crate) const BASIC: [Binary; 5] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Max,
    Binary::Min,
];

/// Three arguments, and about as much of each operation as of every other.
pub(crate) const EVEN: Mix = Mix {
    inputs: 3,
    families: &[
        (5, Family::Binary(&BASIC)),
        (12, Family::Binary(&Binary::ALL)),
        (12, Family::Unary(&Unary::ALL)),
        (1, Family::Constant),
        (2, Family::Select),
        (1, Family::Square),
        (4, Family::ProductSum),
        (2, Family::Oracle),
    ],
    operands: [2, 3, 2],
    near_angles: false,
};

/// Number of values that count as the last ones. Those with one use are composed.
const LAST: usize = 3;

#[derive(Debug, Clone)]
pub(crate) struct Recipe {
    mix: Mix,
    steps: Vec<Step>,
    /// Number of the last values that are outputs.
    pub(crate) outputs: usize,
    pub(crate) rounding: Rounding,
}

/// Choices of the operation and operands of a step.
#[derive(Debug, Clone, Copy)]
struct Step {
    family: u16,
    operation: u16,
    operands: [u16; 4],
    number: f64,
}

/// Random functions of some steps, with constants among `numbers`.
pub(crate) fn recipes(
    mix: Mix,
    steps: Range<usize>,
    numbers: impl Strategy<Value = f64>,
) -> impl Strategy<Value = Recipe> {
    let step = (any::<[u16; 2]>(), any::<[u16; 4]>(), numbers);
    let step = step.prop_map(|([family, operation], operands, number)| Step {
        family,
        operation,
        operands,
        number,
    });
    let steps = prop::collection::vec(step, steps);
    let rounding = prop::sample::select(vec![Rounding::Exact, Rounding::Fast]);
    (steps, 1..4_usize, rounding).prop_map(move |(steps, outputs, rounding)| Recipe {
        mix,
        steps,
        outputs,
        rounding,
    })
}

impl Recipe {
    pub(crate) fn code(&self) -> Code {
        let (kernel, values) = self.kernel();
        let (operations, outputs) = kernel.reachable(&values[values.len() - self.outputs..]);
        let (inputs, oracles) = (self.mix.inputs, kernel.oracles());
        Code::new(&operations, &outputs, inputs, oracles, self.rounding)
    }

    /// A kernel, and its values: the arguments, and what each step yields.
    pub(crate) fn kernel(&self) -> (Kernel, Vec<Expr>) {
        let mut kernel = Kernel::new();
        let inputs = 0..self.mix.inputs as u32;
        let mut values: Vec<Expr> = inputs.map(|index| kernel.variable(index)).collect();
        for step in &self.steps {
            let value = self.mix.value(step, &mut kernel, &values);
            values.push(value);
        }
        (kernel, values)
    }
}

impl Mix {
    fn family(&self, choice: u16) -> Family {
        let shares = self.families.iter().map(|&(share, _)| share);
        let mut left = usize::from(choice) % shares.sum::<usize>();
        for &(share, family) in self.families {
            if left < share {
                return family;
            }
            left -= share;
        }
        unreachable!("less than all shares is left");
    }

    fn operand(&self, choice: u16, constant: Expr, values: &[Expr]) -> Expr {
        let [constants, last, any] = self.operands;
        let all = constants + last + any;
        let (share, place) = (usize::from(choice) % all, usize::from(choice) / all);
        if share < constants {
            constant
        } else if share < constants + last {
            values[values.len() - 1 - place % LAST]
        } else {
            values[place % values.len()]
        }
    }

    fn value(&self, step: &Step, kernel: &mut Kernel, values: &[Expr]) -> Expr {
        let constant = kernel.constant(step.number);
        let operands = step.operands;
        let [a, b, c, d] = operands.map(|choice| self.operand(choice, constant, values));
        let choice = usize::from(step.operation);
        match self.family(step.family) {
            Family::Constant => constant,
            Family::Unary(among) => {
                let operation = among[choice % among.len()];
                let is_near = self.near_angles && meaning::has_reduction_limit(operation);
                let a = if is_near && !operands[1].is_multiple_of(8) {
                    let (part, one) = (kernel.fract(a), kernel.constant(1.0));
                    kernel.min(part, one)
                } else {
                    a
                };
                kernel.unary(operation, a)
            }
            Family::Binary(among) => kernel.binary(among[choice % among.len()], a, b),
            Family::Square => kernel.mul(a, a),
            Family::ProductSum => {
                let product = kernel.mul(a, if choice % 2 == 0 { a } else { b });
                match choice / 2 % 3 {
                    0 => kernel.add(product, c),
                    1 => kernel.sub(product, c),
                    _ => kernel.sub(c, product),
                }
            }
            Family::Select => kernel.select(a, b, c, d),
            Family::Oracle if choice % 2 == 0 => kernel.oracle(&ball(), 0, [a, b, c]),
            Family::Oracle => kernel.oracle(&field(), (choice / 2 % 3) as u8, [a, b, c]),
        }
    }
}
