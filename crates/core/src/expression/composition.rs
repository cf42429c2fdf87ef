//! Built-in compositions of nodes: literals of vectors and matrices, and those of GLSL.

use fibula_nodes::{Type, Value};

use super::builder::Operand;
use super::callee::BuiltIn;
use super::check::{Checker, wrong_type};
use super::error::Diagnostic;

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
}
