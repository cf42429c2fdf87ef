//! Value numbering (hash consing) with constant folding, algebraic simplification and strength reduction: instructions
//! are built in their simplest form, equal ones once.

use fibula_nodes::{Binary, Unary};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::code::{Arg, ArgSource, Instruction, Rounding};

/// Builds instructions, equal ones once.
pub(crate) struct CodeBuilder {
    pub(crate) instructions: Vec<Instruction>,
    known: FxHashMap<Instruction, Arg>,
    pub(crate) constants: Vec<f64>,
    places: FxHashMap<u64, Arg>,
    rounding: Rounding,
}

impl CodeBuilder {
    pub(crate) fn new(capacity: usize, rounding: Rounding) -> CodeBuilder {
        CodeBuilder {
            instructions: Vec::with_capacity(capacity),
            known: FxHashMap::with_capacity_and_hasher(capacity, FxBuildHasher),
            constants: Vec::new(),
            places: FxHashMap::default(),
            rounding,
        }
    }

    pub(crate) fn push(&mut self, instruction: Instruction) -> Arg {
        let place = Arg::value(self.instructions.len());
        let known = *self.known.entry(instruction).or_insert(place);
        if known == place {
            self.instructions.push(instruction);
        }
        known
    }

    pub(crate) fn constant(&mut self, number: f64) -> Arg {
        *self.places.entry(number.to_bits()).or_insert_with(|| {
            self.constants.push(number);
            Arg::constant(self.constants.len() - 1)
        })
    }

    pub(crate) fn constant_of(&self, arg: Arg) -> Option<f64> {
        match arg.source() {
            ArgSource::Constant(index) => Some(self.constants[index]),
            ArgSource::Value(_) => None,
        }
    }

    /// Operand of the negation that `arg` is.
    fn negated(&self, arg: Arg) -> Option<Arg> {
        match self.instructions[arg.index()?] {
            Instruction::Unary(Unary::Neg, a) => Some(a),
            _ => None,
        }
    }

    /// Negation of a difference, or of a sum with a constant, up to the sign of 0.
    fn reversed(&mut self, a: Arg) -> Option<Arg> {
        match self.instructions[a.index()?] {
            Instruction::Binary(Binary::Sub, b, c) => Some(self.difference(c, b)),
            Instruction::Binary(Binary::Add, b, c) => {
                let negative = self.constant(-self.constant_of(c)?);
                Some(self.difference(negative, b))
            }
            _ => None,
        }
    }

    pub(crate) fn is_fast(&self) -> bool {
        self.rounding == Rounding::Fast
    }

    pub(crate) fn unary(&mut self, operation: Unary, a: Arg) -> Arg {
        if let Some(number) = self.constant_of(a) {
            return self.constant(operation.apply(number));
        }
        if operation == Unary::Neg
            && self.is_fast()
            && let Some(difference) = self.reversed(a)
        {
            return difference;
        }
        match (operation, self.negated(a)) {
            (Unary::Neg, Some(inner)) => inner,
            (Unary::Abs | Unary::Cos | Unary::Cosh, Some(inner)) => self.unary(operation, inner),
            _ => match (operation, a.index().map(|index| self.instructions[index])) {
                (Unary::Abs, Some(Instruction::Unary(Unary::Abs, _))) => a,
                _ => self.push(Instruction::Unary(operation, a)),
            },
        }
    }

    pub(crate) fn binary(&mut self, operation: Binary, a: Arg, b: Arg) -> Arg {
        if let (Some(left), Some(right)) = (self.constant_of(a), self.constant_of(b)) {
            return self.constant(operation.apply(left, right));
        }
        match operation {
            Binary::Add => self.sum(a, b),
            Binary::Sub => self.difference(a, b),
            Binary::Mul => self.product(a, b),
            Binary::Div => self.quotient(a, b),
            Binary::Min | Binary::Max => self.extreme(operation, a, b),
            Binary::Pow => self.power(a, b),
            Binary::Mod | Binary::Fmod | Binary::Atan2 => {
                self.push(Instruction::Binary(operation, a, b))
            }
        }
    }

    fn sum(&mut self, a: Arg, b: Arg) -> Arg {
        let (a, b) = ordered(a, b);
        if let Some(number) = self.constant_of(b) {
            let drops = if self.is_fast() {
                number == 0.0
            } else {
                is(number, -0.0)
            };
            if drops {
                return a;
            }
        }
        match (self.negated(a), self.negated(b)) {
            (_, Some(inner)) => self.difference(a, inner),
            (Some(inner), None) => self.difference(b, inner),
            (None, None) => self.push(Instruction::Binary(Binary::Add, a, b)),
        }
    }

    fn difference(&mut self, a: Arg, b: Arg) -> Arg {
        if let Some(number) = self.constant_of(b) {
            let negative = self.constant(-number);
            return self.sum(a, negative);
        }
        if let Some(number) = self.constant_of(a)
            && (is(number, -0.0) || self.is_fast() && number == 0.0)
        {
            return self.unary(Unary::Neg, b);
        }
        match self.negated(b) {
            Some(inner) => self.sum(a, inner),
            None => self.push(Instruction::Binary(Binary::Sub, a, b)),
        }
    }

    fn product(&mut self, a: Arg, b: Arg) -> Arg {
        let (a, b) = ordered(a, b);
        match (self.constant_of(b), self.negated(a), self.negated(b)) {
            (Some(1.0), ..) => a,
            (Some(-1.0), ..) => self.unary(Unary::Neg, a),
            (Some(number), Some(inner), _) => {
                let negative = self.constant(-number);
                self.product(inner, negative)
            }
            (_, Some(left), Some(right)) => self.product(left, right),
            _ => self.push(Instruction::Binary(Binary::Mul, a, b)),
        }
    }

    fn quotient(&mut self, a: Arg, b: Arg) -> Arg {
        if let Some(number) = self.constant_of(b) {
            let reciprocal = 1.0 / number;
            // In f32 too, neither may overflow or lose digits.
            let fits = [number, reciprocal]
                .iter()
                .all(|number| (number.abs() as f32).is_normal());
            let is_power_of_two = number.to_bits() << 12 == 0;
            if fits && (is_power_of_two || self.is_fast()) {
                let reciprocal = self.constant(reciprocal);
                return self.product(a, reciprocal);
            }
        }
        match (self.negated(a), self.negated(b)) {
            (Some(above), Some(below)) => self.quotient(above, below),
            _ => self.push(Instruction::Binary(Binary::Div, a, b)),
        }
    }

    fn extreme(&mut self, operation: Binary, a: Arg, b: Arg) -> Arg {
        if a == b {
            return a;
        }
        // Of equal operands the second counts, which only zeros can tell.
        match self.constant_of(a) {
            Some(number) if number != 0.0 && !number.is_nan() => {
                self.push(Instruction::Binary(operation, b, a))
            }
            _ => self.push(Instruction::Binary(operation, a, b)),
        }
    }

    fn power(&mut self, a: Arg, b: Arg) -> Arg {
        let plain = Instruction::Binary(Binary::Pow, a, b);
        let Some(exponent) = self.constant_of(b) else {
            return self.push(plain);
        };
        let one = self.constant(1.0);
        if exponent == 0.0 {
            one
        } else if is(exponent, 1.0) {
            a
        } else if is(exponent, -1.0) {
            self.quotient(one, a)
        } else if self.is_fast() && is(exponent, 0.5) {
            self.unary(Unary::Sqrt, a)
        } else if [2.0, 3.0, 4.0].contains(&exponent) {
            self.whole_power(a, exponent)
        } else if self.is_fast() && [-2.0, -3.0, -4.0].contains(&exponent) {
            let power = self.whole_power(a, -exponent);
            self.quotient(one, power)
        } else {
            self.push(plain)
        }
    }

    /// `a` to the power 2, 3 or 4.
    fn whole_power(&mut self, a: Arg, exponent: f64) -> Arg {
        let square = self.product(a, a);
        if is(exponent, 2.0) {
            square
        } else if is(exponent, 3.0) {
            self.product(square, a)
        } else {
            self.product(square, square)
        }
    }

    pub(crate) fn select(&mut self, [a, b, then, otherwise]: [Arg; 4]) -> Arg {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(left), Some(right)) if left < right => then,
            (Some(_), Some(_)) => otherwise,
            _ if then == otherwise || a == b => otherwise,
            _ => self.push(Instruction::Select([a, b, then, otherwise])),
        }
    }
}

/// A sum's or product's operands in one order: constants last.
fn ordered(a: Arg, b: Arg) -> (Arg, Arg) {
    if a <= b { (a, b) } else { (b, a) }
}

/// True if the bits are the same.
fn is(number: f64, other: f64) -> bool {
    number.to_bits() == other.to_bits()
}
