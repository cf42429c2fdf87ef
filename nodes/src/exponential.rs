//! Powers, roots, exponentials and logarithms, componentwise.

use crate::example::{s, v};
use crate::port::EACH;

node! {
    /// Square root of each component of `A`. NaN for negative numbers.
    Sqrt, "sqrt", Exponential, (A) -> (result), EACH,
    [(s(2.25)) -> (s(1.5)), (s(-1.0)) -> (s(f64::NAN)), (v(1.0, 4.0, 9.0)) -> (v(1.0, 2.0, 3.0))],
    |x, k| x[0].each(|a| k.sqrt(a))
}

node! {
    /// `A` to the power `B`, component by component.
    Pow, "pow" | "power", Exponential, (A | base, B | exponent) -> (result | value), EACH,
    [(s(2.0), s(3.0)) -> (s(8.0)), (s(2.25), s(0.5)) -> (s(1.5))],
    |x, k| x[0].each_at(|place, a| k.pow(a, x[1].scalars()[place]))
}

node! {
    /// Exponential function of each component of `A`.
    Exp, "exp", Exponential, (A) -> (result), EACH,
    [(s(0.0)) -> (s(1.0)), (s(1.0)) -> (s(std::f64::consts::E))],
    |x, k| x[0].each(|a| k.exp(a))
}

node! {
    /// Natural logarithm of each component of `A`. Minus infinity at 0, NaN for negative numbers.
    Log, "log" | "ln", Exponential, (A) -> (result), EACH,
    [(s(std::f64::consts::E)) -> (s(1.0)), (s(0.0)) -> (s(f64::NEG_INFINITY))],
    |x, k| x[0].each(|a| k.log(a))
}

node! {
    /// Logarithm to base 2 of each component of `A`.
    Log2, "log2", Exponential, (A) -> (result), EACH,
    [(s(8.0)) -> (s(3.0))],
    |x, k| x[0].each(|a| k.log2(a))
}

node! {
    /// Logarithm to base 10 of each component of `A`.
    Log10, "log10", Exponential, (A) -> (result), EACH,
    [(s(1000.0)) -> (s(3.0))],
    |x, k| x[0].each(|a| k.log10(a))
}
