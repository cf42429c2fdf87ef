//! Rounding, componentwise.

use crate::example::{s, v};
use crate::port::EACH;

node! {
    /// Each component of `A` rounded to the nearest whole number, ties away from zero.
    Round, "round", Rounding, (A) -> (result), EACH,
    [(s(2.5)) -> (s(3.0)), (v(-2.5, 0.4, 1.6)) -> (v(-3.0, 0.0, 2.0))],
    |x, k| x[0].each(|a| k.round(a))
}

node! {
    /// Each component of `A` rounded up to a whole number.
    Ceil, "ceil" | "ceiling", Rounding, (A) -> (result), EACH,
    [(s(1.2)) -> (s(2.0)), (s(-1.2)) -> (s(-1.0))],
    |x, k| x[0].each(|a| k.ceil(a))
}

node! {
    /// Each component of `A` rounded down to a whole number.
    Floor, "floor", Rounding, (A) -> (result), EACH,
    [(s(1.8)) -> (s(1.0)), (s(-1.2)) -> (s(-2.0))],
    |x, k| x[0].each(|a| k.floor(a))
}

node! {
    /// Fractional part `A` - floor(`A`), component by component. It lies in [0, 1), but may round to 1 just below a whole number.
    Fract, "fract" | "frac", Rounding, (A) -> (result), EACH,
    [(s(1.75)) -> (s(0.75)), (s(-0.25)) -> (s(0.75))],
    |x, k| x[0].each(|a| k.fract(a))
}
