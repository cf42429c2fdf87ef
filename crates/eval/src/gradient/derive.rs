//! The derivatives of a code, written as code.

use std::f64::consts::{LN_2, LN_10};

use fibula_nodes::{Binary, OracleUse, Unary};

use super::oracle;
use super::slope::{Slope, SlopeBuilder};
use crate::code::{Arg, ArgSource, Code, Fused, Instruction};
use crate::optimise::CodeBuilder;

/// Lower bound of roots in derivatives, which cuts infinite slopes off. It is a normal number in `f32` too.
pub(super) const LEAST: f64 = f32::MIN_POSITIVE as f64;

impl Code {
    /// The code of the same outputs, and of their derivatives by some inputs: after all values, for each output, those
    /// by each of `directions`, in their order.
    ///
    /// The values have the bits that they have without their derivatives. The derivatives round as they like; they
    /// have the same bits with every evaluator. Takes time in proportion to instructions and directions. What the
    /// derivatives mean is [here](super).
    ///
    /// # Panics
    /// If a direction is no input.
    #[must_use]
    pub fn with_gradient(&self, directions: &[usize]) -> Code {
        for &direction in directions {
            assert!(direction < self.inputs, "{direction} is an input");
        }
        let capacity = self.instructions.len() * (1 + directions.len());
        let mut derivation = Derivation {
            code: self,
            directions,
            builder: CodeBuilder::new(capacity, self.rounding),
            values: Vec::with_capacity(self.instructions.len()),
            slopes: Vec::with_capacity(self.instructions.len() * directions.len()),
            oracles: self.oracles.clone(),
            gradients: vec![None; self.oracles.len()],
        };
        for instruction in &self.instructions {
            derivation.push(*instruction);
        }
        derivation.finish()
    }
}

struct Derivation<'a> {
    code: &'a Code,
    directions: &'a [usize],
    builder: CodeBuilder,
    /// Value of each instruction in the new code.
    values: Vec<Arg>,
    slopes: Vec<Slope>,
    oracles: Vec<OracleUse>,
    /// Index of the gradient of each oracle among them.
    gradients: Vec<Option<u32>>,
}

impl Derivation<'_> {
    fn finish(mut self) -> Code {
        let code = self.code;
        let mut outputs: Vec<Arg> = code.outputs.iter().map(|&arg| self.renamed(arg)).collect();
        for &output in &code.outputs {
            for direction in 0..self.directions.len() {
                let slope = self.slope(output, direction);
                outputs.push(self.builder.value(slope));
            }
        }
        let written = Code {
            instructions: self.builder.instructions,
            constants: self.builder.constants,
            outputs,
            inputs: code.inputs,
            oracles: self.oracles,
            rounding: code.rounding,
        };
        written.renumber()
    }

    /// A value or constant in the new code.
    fn renamed(&mut self, arg: Arg) -> Arg {
        match arg.source() {
            ArgSource::Value(index) => self.values[index],
            ArgSource::Constant(index) => self.builder.constant(self.code.constants[index]),
        }
    }

    fn slope(&self, arg: Arg, direction: usize) -> Slope {
        match arg.source() {
            ArgSource::Value(index) => self.slopes[index * self.directions.len() + direction],
            ArgSource::Constant(_) => Slope::Zero,
        }
    }

    /// True if a value has a derivative that is not 0 everywhere.
    fn varies(&self, arg: Arg) -> bool {
        (0..self.directions.len()).any(|direction| !self.slope(arg, direction).is_zero())
    }

    fn push(&mut self, instruction: Instruction) {
        let renamed = instruction.map(|arg| self.renamed(arg));
        let value = self.builder.push(renamed);
        self.values.push(value);
        if !instruction.args().any(|arg| self.varies(arg)) {
            for &direction in self.directions {
                let is_direction = instruction == Instruction::Input(direction as u32);
                let slope = if is_direction {
                    Slope::ONE
                } else {
                    Slope::Zero
                };
                self.slopes.push(slope);
            }
            return;
        }
        match instruction {
            Instruction::Input(_) => unreachable!("an input takes nothing"),
            Instruction::Unary(operation, a) => self.unary(operation, a, value),
            Instruction::Binary(operation, a, b) => self.binary(operation, a, b, value),
            Instruction::Fused(operation, a, b, c) => {
                let (product, term) = match operation {
                    Fused::MulAdd => (1.0, 1.0),
                    Fused::MulSub => (1.0, -1.0),
                    Fused::NegMulAdd => (-1.0, 1.0),
                };
                self.each(|this, direction| {
                    let slope = this.product(a, b, direction);
                    let slope = this.builder.scaled(slope, product);
                    let term = this.builder.scaled(this.slope(c, direction), term);
                    this.builder.sum(slope, term)
                });
            }
            Instruction::Select([a, b, then, otherwise]) => {
                let (first, second) = (self.renamed(a), self.renamed(b));
                self.each(|this, direction| {
                    let (then, otherwise) = (
                        this.slope(then, direction),
                        this.slope(otherwise, direction),
                    );
                    this.builder.picked(first, second, then, otherwise)
                });
            }
            Instruction::Oracle {
                oracle,
                channel,
                at,
            } => self.oracle(oracle, channel, at),
        }
    }

    /// Writes the derivative by each direction.
    fn each(&mut self, mut slope: impl FnMut(&mut Self, usize) -> Slope) {
        for direction in 0..self.directions.len() {
            let slope = slope(self, direction);
            self.slopes.push(slope);
        }
    }

    fn unary(&mut self, operation: Unary, a: Arg, value: Arg) {
        let x = self.renamed(a);
        let builder = &mut self.builder;
        let (factor, number) = match operation {
            Unary::Sign | Unary::Floor | Unary::Ceil | Unary::Round => {
                return self.each(|_, _| Slope::Zero);
            }
            Unary::Neg => {
                return self.each(|this, by| this.builder.scaled(this.slope(a, by), -1.0));
            }
            Unary::Fract => return self.each(|this, by| this.slope(a, by)),
            Unary::Abs => {
                let zero = builder.constant(0.0);
                return self.each(|this, by| {
                    let slope = this.slope(a, by);
                    let negative = this.builder.scaled(slope, -1.0);
                    this.builder.picked(x, zero, negative, slope)
                });
            }
            Unary::Sqrt => (reciprocal_of_root(builder, value), 0.5),
            Unary::Sin => (builder.unary(Unary::Cos, x), 1.0),
            Unary::Cos => (builder.unary(Unary::Sin, x), -1.0),
            Unary::Tan => (one_and_square(builder, value), 1.0),
            Unary::Asin | Unary::Acos => {
                let one = builder.constant(1.0);
                let (below, above) = (
                    builder.binary(Binary::Add, x, one),
                    builder.binary(Binary::Sub, one, x),
                );
                let square = builder.binary(Binary::Mul, below, above);
                let root = builder.unary(Unary::Sqrt, square);
                let sign = if operation == Unary::Asin { 1.0 } else { -1.0 };
                (reciprocal_of_root(builder, root), sign)
            }
            Unary::Atan => {
                let below = one_and_square(builder, x);
                (reciprocal(builder, below), 1.0)
            }
            Unary::Sinh => (builder.unary(Unary::Cosh, x), 1.0),
            Unary::Cosh => (builder.unary(Unary::Sinh, x), 1.0),
            Unary::Tanh => {
                let below = builder.unary(Unary::Cosh, x);
                let factor = reciprocal(builder, below);
                (builder.binary(Binary::Mul, factor, factor), 1.0)
            }
            Unary::Exp => (value, 1.0),
            Unary::Log => (reciprocal(builder, x), 1.0),
            Unary::Log2 => (reciprocal(builder, x), 1.0 / LN_2),
            Unary::Log10 => (reciprocal(builder, x), 1.0 / LN_10),
        };
        self.each(|this, by| {
            let slope = this.builder.scaled(this.slope(a, by), number);
            this.builder.times(slope, factor)
        });
    }

    fn binary(&mut self, operation: Binary, a: Arg, b: Arg, value: Arg) {
        let (x, y) = (self.renamed(a), self.renamed(b));
        match operation {
            Binary::Add => self.each(|this, by| {
                let (a, b) = (this.slope(a, by), this.slope(b, by));
                this.builder.sum(a, b)
            }),
            Binary::Sub => self.each(|this, by| {
                let b = this.builder.scaled(this.slope(b, by), -1.0);
                this.builder.sum(this.slope(a, by), b)
            }),
            Binary::Mul => self.each(|this, by| this.product(a, b, by)),
            Binary::Div => self.quotient(a, b, value),
            Binary::Min | Binary::Max => {
                // The first is the value where it is less, and where the second is not a number.
                let is_min = operation == Binary::Min;
                let most = if is_min {
                    f64::INFINITY
                } else {
                    f64::NEG_INFINITY
                };
                let most = self.builder.constant(most);
                let known = self.builder.binary(operation, y, most);
                let (less, more) = if is_min { (x, known) } else { (known, x) };
                self.each(|this, by| {
                    let (a, b) = (this.slope(a, by), this.slope(b, by));
                    this.builder.picked(less, more, a, b)
                });
            }
            Binary::Mod | Binary::Fmod => {
                let whole = if self.varies(b) {
                    let cut = if operation == Binary::Mod {
                        WholePart::Floor
                    } else {
                        WholePart::Trunc
                    };
                    let quotient = self.builder.binary(Binary::Div, x, y);
                    cut.of(&mut self.builder, quotient)
                } else {
                    y
                };
                self.each(|this, by| {
                    let b = this.builder.scaled(this.slope(b, by), -1.0);
                    this.builder.sum_with(this.slope(a, by), whole, b)
                });
            }
            Binary::Pow => self.power(a, b, value),
            Binary::Atan2 => {
                let squares = self.builder.binary(Binary::Mul, y, y);
                let squares = self.builder.product_sum(x, x, squares);
                let squares = at_least(&mut self.builder, squares);
                let factor = reciprocal(&mut self.builder, squares);
                self.each(|this, by| {
                    let across = this.builder.times(this.slope(a, by), y);
                    let along = this.builder.scaled(this.slope(b, by), -1.0);
                    let turn = this.builder.sum_with(across, x, along);
                    this.builder.times(turn, factor)
                });
            }
        }
    }

    /// a b' + b a'
    fn product(&mut self, a: Arg, b: Arg, direction: usize) -> Slope {
        let (x, y) = (self.renamed(a), self.renamed(b));
        let (slope, other) = (self.slope(a, direction), self.slope(b, direction));
        if a == b {
            let slope = self.builder.scaled(slope, 2.0);
            return self.builder.times(slope, x);
        }
        let first = self.builder.times(slope, y);
        self.builder.sum_with(first, x, other)
    }

    /// (a' - (a / b) b') / b
    fn quotient(&mut self, a: Arg, b: Arg, value: Arg) {
        let divisor = self.renamed(b);
        let factor = reciprocal(&mut self.builder, divisor);
        self.each(|this, by| {
            let b = this.builder.scaled(this.slope(b, by), -1.0);
            let slope = this.builder.sum_with(this.slope(a, by), value, b);
            this.builder.times(slope, factor)
        });
    }

    /// b a^(b - 1) a' + a^b log(a) b'
    fn power(&mut self, a: Arg, b: Arg, value: Arg) {
        let (x, y) = (self.renamed(a), self.renamed(b));
        let builder = &mut self.builder;
        // The magnitude of a number of at least 0 is moved away from 0.
        let zero = builder.constant(0.0);
        let away = at_least(builder, x);
        let away = builder.select([x, zero, x, away]);
        let one = builder.constant(1.0);
        let base = builder.select([y, one, away, x]);
        let less = builder.binary(Binary::Sub, y, one);
        let power = builder.binary(Binary::Pow, base, less);
        let by_base = builder.binary(Binary::Mul, power, y);
        let by_exponent = if self.varies(b) {
            let log = self.builder.unary(Unary::Log, away);
            self.builder.binary(Binary::Mul, value, log)
        } else {
            value
        };
        self.each(|this, by| {
            let first = this.builder.times(this.slope(a, by), by_base);
            this.builder.sum_with(first, by_exponent, this.slope(b, by))
        });
    }

    fn oracle(&mut self, oracle: u32, channel: u8, at: [Arg; 3]) {
        let place = oracle as usize;
        let oracle = *self.gradients[place].get_or_insert_with(|| {
            self.oracles
                .push(oracle::gradient_use(&self.oracles[place]));
            self.oracles.len() as u32 - 1
        });
        let point = at.map(|arg| self.renamed(arg));
        let parts = [0, 1, 2].map(|axis| {
            let is_needed = self.varies(at[axis]);
            is_needed.then(|| {
                self.builder.push(Instruction::Oracle {
                    oracle,
                    channel: 3 * channel + axis as u8,
                    at: point,
                })
            })
        });
        self.each(|this, by| {
            let mut sum = Slope::Zero;
            for (arg, part) in at.into_iter().zip(parts) {
                if let Some(part) = part {
                    sum = this.builder.sum_with(sum, part, this.slope(arg, by));
                }
            }
            sum
        });
    }
}

/// Rounding of a quotient to a whole number.
#[derive(Clone, Copy)]
enum WholePart {
    Floor,
    Trunc,
}

impl WholePart {
    fn of(self, builder: &mut CodeBuilder, quotient: Arg) -> Arg {
        let floor = builder.unary(Unary::Floor, quotient);
        match self {
            WholePart::Floor => floor,
            WholePart::Trunc => {
                let zero = builder.constant(0.0);
                let ceil = builder.unary(Unary::Ceil, quotient);
                builder.select([quotient, zero, ceil, floor])
            }
        }
    }
}

fn reciprocal(builder: &mut CodeBuilder, a: Arg) -> Arg {
    let one = builder.constant(1.0);
    builder.binary(Binary::Div, one, a)
}

/// 1 / a, where a root a is taken to be no smaller than [`LEAST`].
fn reciprocal_of_root(builder: &mut CodeBuilder, root: Arg) -> Arg {
    let root = at_least(builder, root);
    reciprocal(builder, root)
}

/// a, but no less than [`LEAST`]; NaN stays NaN.
fn at_least(builder: &mut CodeBuilder, a: Arg) -> Arg {
    let least = builder.constant(LEAST);
    builder.select([a, least, least, a])
}

/// 1 + a a
fn one_and_square(builder: &mut CodeBuilder, a: Arg) -> Arg {
    let one = builder.constant(1.0);
    builder.product_sum(a, a, one)
}
