//! Built-in compositions of nodes: literals of vectors and matrices, and those of GLSL.

use fibula_nodes::{Type, Value};

use super::builder::Operand;
use super::callee::BuiltIn;
use super::check::{Checker, wrong_type};
use super::error::Diagnostic;
use crate::vector;

/// Expands a built-in call into nodes.
pub(super) struct Composition<'c, 'a, 't> {
    pub(super) check: &'c mut Checker<'a, 't>,
    pub(super) name: &'c str,
    pub(super) at: usize,
}

impl<'c, 'a, 't> Composition<'c, 'a, 't> {
    pub(super) fn new(check: &'c mut Checker<'a, 't>, name: &'c str, at: usize) -> Self {
        Composition { check, name, at }
    }

    pub(super) fn value(
        mut self,
        built_in: BuiltIn,
        values: &[Operand],
    ) -> Result<Operand, Diagnostic> {
        match built_in {
            BuiltIn::Number => self.of_type(Type::Float, values).map(|()| values[0]),
            BuiltIn::Vector => self.composed(Type::Float3, "ComposeVector", values),
            BuiltIn::Matrix => self.composed(Type::Matrix4x4, "ComposeMatrix", values),
            // v / |v|; NaN for a vector of length 0.
            BuiltIn::Normalize => {
                self.of_type(Type::Float3, values)?;
                let length = self.apply("Length", &[values[0]])?;
                self.apply("Division", &[values[0], length])
            }
            // a (1 - t) + b t, exact at both ends.
            BuiltIn::Mix => {
                let &[a, b, t] = values else {
                    unreachable!("three were counted")
                };
                let one = self.check.builder.number(1.0);
                let rest = self.apply("Subtraction", &[one, t])?;
                let from = self.apply("Multiplication", &[a, rest])?;
                let to = self.apply("Multiplication", &[b, t])?;
                self.apply("Addition", &[from, to])
            }
            BuiltIn::Step => {
                let &[edge, x] = values else {
                    unreachable!("two were counted")
                };
                let (zero, one) = (
                    self.check.builder.number(0.0),
                    self.check.builder.number(1.0),
                );
                self.apply("Select", &[x, edge, zero, one])
            }
            // t² (3 - 2t) with t = clamp((x - from) / (to - from), 0, 1).
            BuiltIn::Smoothstep => {
                let &[from, to, x] = values else {
                    unreachable!("three were counted")
                };
                let (zero, one) = (
                    self.check.builder.number(0.0),
                    self.check.builder.number(1.0),
                );
                let (two, three) = (
                    self.check.builder.number(2.0),
                    self.check.builder.number(3.0),
                );
                let (above, range) = (
                    self.apply("Subtraction", &[x, from])?,
                    self.apply("Subtraction", &[to, from])?,
                );
                let ratio = self.apply("Division", &[above, range])?;
                let t = self.apply("Clamp", &[ratio, zero, one])?;
                let square = self.apply("Multiplication", &[t, t])?;
                let twice = self.apply("Multiplication", &[two, t])?;
                let rest = self.apply("Subtraction", &[three, twice])?;
                self.apply("Multiplication", &[square, rest])
            }
        }
    }

    pub(super) fn apply(
        &mut self,
        kind: &str,
        operands: &[Operand],
    ) -> Result<Operand, Diagnostic> {
        self.check.apply(kind, self.name, operands, self.at)
    }

    pub(super) fn of_type(&self, ty: Type, values: &[Operand]) -> Result<(), Diagnostic> {
        match values.iter().find(|value| value.ty != ty) {
            Some(other) => Err(wrong_type(self.name, ty, other.ty, self.at)),
            None => Ok(()),
        }
    }

    /// A vector or matrix of floats: a constant if all are constants, else a node of the kind.
    pub(super) fn composed(
        &mut self,
        ty: Type,
        kind: &str,
        values: &[Operand],
    ) -> Result<Operand, Diagnostic> {
        self.of_type(Type::Float, values)?;
        let scalar = |value: &Operand| match self.check.builder.foldable(*value) {
            Some(&Value::Float(number)) => Some(number),
            Some(_) | None => None,
        };
        let scalars: Option<Vec<f64>> = values.iter().map(scalar).collect();
        match scalars {
            Some(scalars) => {
                let constant = Value::from_scalars(ty, &scalars);
                let constant = constant.expect("the numbers were counted");
                Ok(self.check.builder.constant(constant))
            }
            None => self.apply(kind, values),
        }
    }

    pub(super) fn number(&mut self, number: f64) -> Operand {
        self.check.builder.number(number)
    }

    /// The number of an unnamed constant.
    pub(super) fn constant(&self, operand: Operand) -> Option<f64> {
        match self.check.builder.foldable(operand) {
            Some(&Value::Float(number)) => Some(number),
            Some(_) | None => None,
        }
    }

    /// Applies a kind of nodes to two values, or a function to their numbers if both are unnamed constants. A float after a
    /// float3 is spread over it.
    pub(super) fn folded(
        &mut self,
        kind: &str,
        operands: [Operand; 2],
        apply: impl Fn(f64, f64) -> f64,
    ) -> Result<Operand, Diagnostic> {
        let builder = &self.check.builder;
        let [one, other] = operands.map(|operand| builder.foldable(operand).map(Value::scalars));
        let (Some(one), Some(other)) = (one, other) else {
            return self.apply(kind, &operands);
        };
        let numbers: Vec<f64> = one
            .iter()
            .zip(other.iter().cycle())
            .map(|(one, other)| apply(*one, *other))
            .collect();
        let value = Value::from_scalars(operands[0].ty, &numbers).expect("they are as many");
        Ok(self.check.builder.constant(value))
    }

    pub(super) fn sum(&mut self, one: Operand, other: Operand) -> Result<Operand, Diagnostic> {
        self.folded("Addition", [one, other], |one, other| one + other)
    }

    pub(super) fn difference(
        &mut self,
        one: Operand,
        other: Operand,
    ) -> Result<Operand, Diagnostic> {
        self.folded("Subtraction", [one, other], |one, other| one - other)
    }

    pub(super) fn product(&mut self, one: Operand, other: Operand) -> Result<Operand, Diagnostic> {
        self.folded("Multiplication", [one, other], |one, other| one * other)
    }

    pub(super) fn quotient(&mut self, one: Operand, other: Operand) -> Result<Operand, Diagnostic> {
        self.folded("Division", [one, other], |one, other| one / other)
    }

    pub(super) fn scaled(&mut self, one: Operand, factor: f64) -> Result<Operand, Diagnostic> {
        let factor = self.number(factor);
        self.product(one, factor)
    }

    pub(super) fn root(&mut self, of: Operand) -> Result<Operand, Diagnostic> {
        match self.constant(of) {
            Some(number) => Ok(self.number(number.sqrt())),
            None => self.apply("Sqrt", &[of]),
        }
    }

    pub(super) fn dot(&mut self, one: Operand, other: Operand) -> Result<Operand, Diagnostic> {
        let builder = &mut self.check.builder;
        match [one, other].map(|operand| builder.foldable(operand)) {
            [Some(&Value::Float3(one)), Some(&Value::Float3(other))] => {
                let dot = vector::dot(one, other);
                Ok(builder.number(dot))
            }
            _ => self.apply("DotProduct", &[one, other]),
        }
    }

    pub(super) fn cross(&mut self, one: Operand, other: Operand) -> Result<Operand, Diagnostic> {
        let builder = &mut self.check.builder;
        match [one, other].map(|operand| builder.foldable(operand)) {
            [Some(&Value::Float3(one)), Some(&Value::Float3(other))] => {
                let cross = vector::cross(one, other);
                Ok(builder.constant(Value::Float3(cross)))
            }
            _ => self.apply("CrossProduct", &[one, other]),
        }
    }
}
