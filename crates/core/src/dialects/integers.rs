//! Integers of typed texts, whose quotients are integers too: `1/2` is 0 in GLSL.

use super::notes::Why;
use super::parser::Parser;
use super::tree::{Expr, binary, call, number};

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

    /// True if a value is an integer: a number without a point, a variable of type `int`, or computed from such.
    fn is_integer(&self, value: &Expr) -> bool {
        match value {
            Expr::Number(text) => text.bytes().all(|byte| byte.is_ascii_digit()),
            Expr::Name(name, _) => self.integers.contains(name),
            Expr::Negation(inner) => self.is_integer(inner),
            Expr::Binary(_, a, b) => self.is_integer(a) && self.is_integer(b),
            Expr::Call(name, ..) => name == "int",
            _ => false,
        }
    }
}
