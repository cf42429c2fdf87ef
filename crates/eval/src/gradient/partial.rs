//! Intervals of the derivatives of one operation by its operands.

use std::f64::consts::{LN_2, LN_10};

use fibula_nodes::{Binary, Unary};

use crate::interval::span::{Outward, Span};
use crate::interval::{Interval, arithmetic, circular, exponential};

/// The derivatives of an operation by its operands, wherever these are numbers, and whether it may jump.
pub(super) struct PartialDerivatives {
    pub(super) by: [Span<f64>; 2],
    pub(super) may_jump: bool,
}

/// Partial derivative of an operation on one scalar.
pub(super) fn unary(
    operation: Unary,
    a: Interval<f64>,
    value: Interval<f64>,
) -> PartialDerivatives {
    let (x, y) = (a.span(), value.span());
    let one = Span::point(1.0);
    let smooth = |span| (span, false);
    let (by, may_jump) = match operation {
        Unary::Neg => smooth(Span::point(-1.0)),
        Unary::Abs => smooth(Span::new(
            if x.low < 0.0 { -1.0 } else { 1.0 },
            if x.high < 0.0 { -1.0 } else { 1.0 },
        )),
        Unary::Sign | Unary::Floor | Unary::Ceil | Unary::Round => {
            (Span::point(0.0), y.low != y.high)
        }
        Unary::Fract => (one, x.low.floor() != x.high.floor() || x.is_infinite()),
        Unary::Sqrt => smooth(arithmetic::mul::<f64, Outward>(
            Span::point(0.5),
            inverse(y),
        )),
        Unary::Sin => smooth(circular::cos::<f64, Outward>(x).0),
        Unary::Cos => smooth(arithmetic::neg(circular::sin::<f64, Outward>(x).0)),
        Unary::Tan => (one_and_square(y), y.is_infinite()),
        Unary::Asin | Unary::Acos => {
            let rest = arithmetic::sub::<f64, Outward>(one, square(x));
            let (root, _) = arithmetic::sqrt::<f64, Outward>(rest);
            let steep = inverse(root);
            smooth(if operation == Unary::Asin {
                steep
            } else {
                arithmetic::neg(steep)
            })
        }
        Unary::Atan => smooth(inverse(one_and_square(x))),
        Unary::Sinh => smooth(exponential::cosh::<f64, Outward>(x)),
        Unary::Cosh => smooth(exponential::rising::<f64, Outward>(Unary::Sinh, x)),
        Unary::Tanh => smooth(inverse(square(exponential::cosh::<f64, Outward>(x)))),
        Unary::Exp => smooth(y),
        Unary::Log => smooth(inverse(x)),
        Unary::Log2 => smooth(arithmetic::mul::<f64, Outward>(
            nearly(1.0 / LN_2),
            inverse(x),
        )),
        Unary::Log10 => smooth(arithmetic::mul::<f64, Outward>(
            nearly(1.0 / LN_10),
            inverse(x),
        )),
    };
    PartialDerivatives {
        by: [by, Span::point(0.0)],
        may_jump,
    }
}

/// Partial derivatives of an operation on two scalars, which is no minimum or maximum.
pub(super) fn binary(
    operation: Binary,
    a: Interval<f64>,
    b: Interval<f64>,
    value: Interval<f64>,
) -> PartialDerivatives {
    let (x, y, z) = (a.span(), b.span(), value.span());
    let one = Span::point(1.0);
    let (by, may_jump) = match operation {
        Binary::Add => ([one, one], false),
        Binary::Sub => ([one, Span::point(-1.0)], false),
        Binary::Mul => ([y, x], false),
        Binary::Div => {
            let by = [
                arithmetic::div::<f64, Outward>(one, y),
                arithmetic::neg(arithmetic::div::<f64, Outward>(z, y)),
            ];
            (by, y.has(0.0))
        }
        Binary::Min | Binary::Max => unreachable!("one of the operands counts"),
        Binary::Mod | Binary::Fmod => {
            let quotient = arithmetic::div::<f64, Outward>(x, y);
            let cut = if operation == Binary::Mod {
                f64::floor
            } else {
                f64::trunc
            };
            let whole = Span::new(cut(quotient.low), cut(quotient.high));
            (
                [one, arithmetic::neg(whole)],
                whole.low != whole.high || whole.is_infinite(),
            )
        }
        Binary::Pow => {
            let less = arithmetic::sub::<f64, Outward>(y, one);
            let power = exponential::pow::<f64, Outward>(x, less).0;
            let (log, _) = exponential::log::<f64, Outward>(Unary::Log, x);
            let by = [
                arithmetic::mul::<f64, Outward>(y, power),
                arithmetic::mul::<f64, Outward>(z, log),
            ];
            let is_number = y.low == y.high;
            let is_pole = x.has(0.0) && (y.low < 0.0 || y.low == 0.0 && !is_number);
            (by, is_pole || x.low < 0.0 && !is_number)
        }
        Binary::Atan2 => {
            let squares = arithmetic::add::<f64, Outward>(square(x), square(y));
            let by = [
                arithmetic::div::<f64, Outward>(y, squares),
                arithmetic::neg(arithmetic::div::<f64, Outward>(x, squares)),
            ];
            (by, x.has(0.0) && y.low <= 0.0)
        }
    };
    PartialDerivatives { by, may_jump }
}

fn square(a: Span<f64>) -> Span<f64> {
    arithmetic::square::<f64, Outward>(a)
}

fn one_and_square(a: Span<f64>) -> Span<f64> {
    arithmetic::add::<f64, Outward>(Span::point(1.0), square(a))
}

/// 1 / a, of the numbers that are positive.
fn inverse(a: Span<f64>) -> Span<f64> {
    let low = (1.0 / a.high.max(0.0)).next_down().max(0.0);
    let high = if a.low > 0.0 {
        (1.0 / a.low).next_up()
    } else {
        f64::INFINITY
    };
    Span::new(low, high)
}

/// A number that was rounded.
fn nearly(number: f64) -> Span<f64> {
    Span::new(number.next_down(), number.next_up())
}
