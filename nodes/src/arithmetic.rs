//! Arithmetic, componentwise; both operands have one type.

use crate::example::{m, s, v};
use crate::port::EACH;

node! {
    /// Sum of `A` and `B`, component by component.
    Addition, "addition" | "add" | "plus", Arithmetic, (A, B) -> (result), EACH,
    [(s(1.0), s(2.5)) -> (s(3.5)), (v(1.0, 2.0, 3.0), v(10.0, 20.0, 30.0)) -> (v(11.0, 22.0, 33.0)),
     (m([1.0; 16]), m([0.5; 16])) -> (m([1.5; 16]))],
    |x, k| x[0].each_at(|place, a| k.add(a, x[1].scalars()[place]))
}

node! {
    /// `A` minus `B`, component by component.
    Subtraction, "subtraction" | "subtract" | "sub" | "minus", Arithmetic, (A, B) -> (result), EACH,
    [(s(1.0), s(2.5)) -> (s(-1.5)), (v(1.0, 2.0, 3.0), v(1.0, 1.0, 1.0)) -> (v(0.0, 1.0, 2.0))],
    |x, k| x[0].each_at(|place, a| k.sub(a, x[1].scalars()[place]))
}

node! {
    /// Product of `A` and `B`, component by component. For matrices too: this is not the matrix product.
    Multiplication, "multiplication" | "multiply" | "mul" | "times", Arithmetic, (A, B) -> (result), EACH,
    [(s(1.5), s(2.0)) -> (s(3.0)), (v(1.0, 2.0, 3.0), v(2.0, 2.0, 0.5)) -> (v(2.0, 4.0, 1.5))],
    |x, k| x[0].each_at(|place, a| k.mul(a, x[1].scalars()[place]))
}

node! {
    /// `A` divided by `B`, component by component. Division by zero gives an infinity or NaN, as in IEEE 754.
    Division, "division" | "divide" | "div", Arithmetic, (A, B) -> (result), EACH,
    [(s(1.0), s(4.0)) -> (s(0.25)), (s(1.0), s(0.0)) -> (s(f64::INFINITY)),
     (v(1.0, 2.0, 3.0), v(2.0, 2.0, 2.0)) -> (v(0.5, 1.0, 1.5))],
    |x, k| x[0].each_at(|place, a| k.div(a, x[1].scalars()[place]))
}

node! {
    /// Remainder `A` - `B` floor(`A` / `B`), with the sign of `B` (floored division). Use it to repeat space. NaN where `B` is infinite.
    Mod, "mod" | "modulo", Arithmetic, (A, B) -> (result), EACH,
    [(s(-1.0), s(3.0)) -> (s(2.0)), (v(4.5, -0.5, 3.0), v(3.0, 1.0, 3.0)) -> (v(1.5, 0.5, 0.0))],
    |x, k| x[0].each_at(|place, a| k.modulo(a, x[1].scalars()[place]))
}

node! {
    /// Remainder `A` - `B` trunc(`A` / `B`), with the sign of `A` (truncated division, as `fmod`).
    Fmod, "fmod", Arithmetic, (A, B) -> (result), EACH,
    [(s(-1.0), s(3.0)) -> (s(-1.0)), (s(4.5), s(3.0)) -> (s(1.5))],
    |x, k| x[0].each_at(|place, a| k.fmod(a, x[1].scalars()[place]))
}

node! {
    /// Absolute value of each component of `A`.
    Abs, "abs" | "absolute", Arithmetic, (A) -> (result), EACH,
    [(s(-2.0)) -> (s(2.0)), (v(-1.0, 0.0, 1.0)) -> (v(1.0, 0.0, 1.0))],
    |x, k| x[0].each(|a| k.abs(a))
}

node! {
    /// Sign of each component of `A`: -1, 0 or 1.
    Sign, "sign" | "signum", Arithmetic, (A) -> (result), EACH,
    [(s(-2.0)) -> (s(-1.0)), (v(0.0, 3.0, -0.5)) -> (v(0.0, 1.0, -1.0))],
    |x, k| x[0].each(|a| k.sign(a))
}
