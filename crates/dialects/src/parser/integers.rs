//! Integers of typed texts, whose quotients are integers too: `1/2` is 0 in GLSL.

use super::Parser;
use crate::notes::Why;
use crate::tree::{Expr, Result, Target, Untranslatable, binary, call, number};

impl Parser<'_> {
    /// The quotient of two values: of integers in a typed text without its fraction.
    pub(super) fn quotient(&mut self, left: Expr, right: Expr, at: usize) -> Expr {
        if !self.is_typed || !self.is_integer(&left) || !self.is_integer(&right) {
            return binary("/", left, right);
        }
        self.notes
            .add(at, Why::Clause, "integers have no division of their own");
        let value = |value: &Expr| match value {
            Expr::Number(text) => text.parse::<f64>().ok(),
            _ => None,
        };
        if let (Some(dividend), Some(divisor)) = (value(&left), value(&right))
            && divisor != 0.0
        {
            return number((dividend / divisor).trunc());
        }
        let ratio = binary("/", left, right);
        let fraction = call("fmod", vec![ratio.clone(), number(1.0)], at);
        binary("-", ratio, fraction)
    }

    /// Notes the type of a variable or function.
    pub(super) fn note_integer(&mut self, name: &str, is_integer: bool) {
        if is_integer {
            self.integers.insert(name.to_owned());
        } else {
            self.integers.remove(name);
        }
    }

    /// Refuses that an integer gets a value that may have a fraction, which C leaves out.
    pub(super) fn check_integer(&self, target: &Target, value: &Expr) -> Result<()> {
        let is_number = match target {
            Target::Names(names) => names.iter().any(|name| self.integers.contains(name)),
            Target::Member(..) => false,
        };
        let is_whole = match value {
            Expr::Call(name, ..) => ["floor", "ceil", "round", "trunc"].contains(&name.as_str()),
            _ => false,
        };
        if self.is_typed && is_number && !is_whole && !self.is_integer(value) {
            return Err(Untranslatable::Unknown);
        }
        Ok(())
    }

    /// True if a value is an integer: a number without a point, a variable of type `int`, or computed from such.
    pub(super) fn is_integer(&self, value: &Expr) -> bool {
        match value {
            Expr::Number(text) => text.bytes().all(|byte| byte.is_ascii_digit()),
            Expr::Name(name, _) => self.integers.contains(name),
            Expr::Negation(inner) => self.is_integer(inner),
            Expr::Binary(_, a, b) | Expr::Conditional(_, a, b) => {
                self.is_integer(a) && self.is_integer(b)
            }
            Expr::Call(name, arguments, _) => {
                let mut values = arguments.iter().map(|argument| &argument.value);
                name == "int"
                    || self.integers.contains(name)
                    || ["fmod", "mod", "abs", "min", "max", "clamp"].contains(&name.as_str())
                        && values.all(|value| self.is_integer(value))
            }
            _ => false,
        }
    }
}
