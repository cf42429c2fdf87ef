//! Derivatives while they are written: values with constant factors kept apart, so that signs, halves and linear parts
//! cost nothing, and what is 0 everywhere is never written.

use fibula_nodes::{Binary, Unary};

use crate::code::{Arg, Fused, Instruction};
use crate::optimise::CodeBuilder;

/// The derivative of a value by one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Slope {
    /// 0 everywhere.
    Zero,
    /// A number that is not 0.
    Number(f64),
    /// A number that is not 0 times a value.
    Multiple(f64, Arg),
}

impl Slope {
    /// The derivative of a direction by itself.
    pub(super) const ONE: Slope = Slope::Number(1.0);

    pub(super) fn is_zero(self) -> bool {
        self == Slope::Zero
    }

    fn number(number: f64) -> Slope {
        if number == 0.0 {
            Slope::Zero
        } else {
            Slope::Number(number)
        }
    }
}

/// Writes derivatives.
pub(super) trait SlopeBuilder {
    fn value(&mut self, slope: Slope) -> Arg;
    fn scaled(&mut self, slope: Slope, number: f64) -> Slope;
    fn times(&mut self, slope: Slope, factor: Arg) -> Slope;
    fn sum(&mut self, a: Slope, b: Slope) -> Slope;
    /// A slope and another one times a value.
    fn sum_with(&mut self, slope: Slope, factor: Arg, other: Slope) -> Slope;
    /// `a < b ? then : otherwise`.
    fn picked(&mut self, a: Arg, b: Arg, then: Slope, otherwise: Slope) -> Slope;
    /// `a b + c`.
    fn product_sum(&mut self, a: Arg, b: Arg, c: Arg) -> Arg;
}

impl SlopeBuilder for CodeBuilder {
    fn value(&mut self, slope: Slope) -> Arg {
        match slope {
            Slope::Zero => self.constant(0.0),
            Slope::Number(number) => self.constant(number),
            Slope::Multiple(number, value) => {
                let number = self.constant(number);
                self.binary(Binary::Mul, value, number)
            }
        }
    }

    fn scaled(&mut self, slope: Slope, number: f64) -> Slope {
        match slope {
            Slope::Zero => Slope::Zero,
            _ if number == 0.0 => Slope::Zero,
            Slope::Number(other) => Slope::number(other * number),
            Slope::Multiple(other, value) => {
                if let Some(number) = moderate(other * number) {
                    return Slope::Multiple(number, value);
                }
                let value = self.value(slope);
                let number = self.constant(number);
                Slope::Multiple(1.0, self.binary(Binary::Mul, value, number))
            }
        }
    }

    fn times(&mut self, slope: Slope, factor: Arg) -> Slope {
        if let Some(number) = self.constant_of(factor) {
            return self.scaled(slope, number);
        }
        match slope {
            Slope::Zero => Slope::Zero,
            Slope::Number(number) if moderate(number).is_some() => Slope::Multiple(number, factor),
            Slope::Number(number) => {
                let number = self.constant(number);
                Slope::Multiple(1.0, self.binary(Binary::Mul, factor, number))
            }
            Slope::Multiple(number, value) => {
                Slope::Multiple(number, self.binary(Binary::Mul, value, factor))
            }
        }
    }

    fn sum(&mut self, a: Slope, b: Slope) -> Slope {
        match (a, b) {
            (Slope::Zero, other) | (other, Slope::Zero) => other,
            (Slope::Number(a), Slope::Number(b)) => Slope::number(a + b),
            (Slope::Number(shift), Slope::Multiple(number, value))
            | (Slope::Multiple(number, value), Slope::Number(shift)) => {
                let shift = self.constant(shift / number);
                Slope::Multiple(number, self.binary(Binary::Add, value, shift))
            }
            (Slope::Multiple(first, a), Slope::Multiple(second, b)) if a == b => {
                match Slope::number(first + second) {
                    Slope::Number(number) if moderate(number).is_some() => {
                        Slope::Multiple(number, a)
                    }
                    sum => self.times(sum, a),
                }
            }
            (Slope::Multiple(first, a), Slope::Multiple(second, b)) => {
                let ratio = second / first;
                let value = if ratio == 1.0 {
                    self.binary(Binary::Add, a, b)
                } else if ratio == -1.0 {
                    self.binary(Binary::Sub, a, b)
                } else {
                    let ratio = self.constant(ratio);
                    self.product_sum(b, ratio, a)
                };
                Slope::Multiple(first, value)
            }
        }
    }

    fn sum_with(&mut self, slope: Slope, factor: Arg, other: Slope) -> Slope {
        let (Slope::Multiple(first, a), Slope::Multiple(second, b), None) =
            (slope, other, self.constant_of(factor))
        else {
            let product = self.times(other, factor);
            return self.sum(slope, product);
        };
        let value = if first == second {
            self.product_sum(b, factor, a)
        } else if first == -second && self.is_fast() {
            self.push(Instruction::Fused(Fused::NegMulAdd, b, factor, a))
        } else {
            let product = self.times(other, factor);
            return self.sum(slope, product);
        };
        Slope::Multiple(first, value)
    }

    fn picked(&mut self, a: Arg, b: Arg, then: Slope, otherwise: Slope) -> Slope {
        if then == otherwise {
            return then;
        }
        // A number that both are multiples of.
        let number = match (then, otherwise) {
            (Slope::Multiple(first, _), Slope::Multiple(second, _)) if first != second => 1.0,
            (Slope::Multiple(number, _), _) | (_, Slope::Multiple(number, _)) => number,
            (Slope::Zero | Slope::Number(_), Slope::Zero | Slope::Number(_)) => 1.0,
        };
        let mut part = |slope: Slope| match slope {
            Slope::Zero => self.constant(0.0),
            Slope::Number(shift) => self.constant(shift / number),
            Slope::Multiple(_, value) if number != 1.0 => value,
            Slope::Multiple(..) => self.value(slope),
        };
        let (then, otherwise) = (part(then), part(otherwise));
        Slope::Multiple(number, self.select([a, b, then, otherwise]))
    }

    fn product_sum(&mut self, a: Arg, b: Arg, c: Arg) -> Arg {
        // The first factor of a fused operation is no constant.
        let (a, b) = if self.constant_of(a).is_some() {
            (b, a)
        } else {
            (a, b)
        };
        let is_plain = self.constant_of(a).is_some()
            || self
                .constant_of(b)
                .is_some_and(|number| number.abs() == 1.0);
        if self.is_fast() && !is_plain {
            return self.push(Instruction::Fused(Fused::MulAdd, a, b, c));
        }
        let product = self.binary(Binary::Mul, a, b);
        if let Some(Instruction::Unary(Unary::Neg, value)) =
            product.index().map(|index| self.instructions[index])
        {
            return self.binary(Binary::Sub, c, value);
        }
        self.binary(Binary::Add, c, product)
    }
}

/// A factor that neither overflows nor vanishes when it is multiplied with some others, in `f32` too.
fn moderate(number: f64) -> Option<f64> {
    (1e-12..=1e12).contains(&number.abs()).then_some(number)
}
