//! The bounds of each kind of step on 64 boxes, and what is known of its result there.

use fibula_nodes::Unary;

use crate::code::Fused;
use crate::interval::span::{Computed, Span};
use crate::interval::{arithmetic, exponential, rounding};
use crate::lane::Float;
use crate::prune::kind::Operands;
use crate::prune::row::{BOXES, Marks, Row, lanes, unsure};

/// Facts about a step's result, by lane: besides its marks, the operand whose bits it has.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Outcome {
    pub(super) marks: Marks,
    pub(super) is_operand: [u64; 3],
}

/// Outcome of a result that equals no operand: `fixed` are the lanes in which all operands are fixed.
#[inline(always)]
pub(super) fn outcome<T: Float>(out: &mut Row<T>, fixed: u64, undefined: u64) -> Outcome {
    let undefined = unsure(out, undefined);
    let mut marks = Marks {
        fixed: fixed & !undefined,
        zero: 0,
        undefined,
    };
    if marks.fixed != 0 {
        marks.fixed &= lanes(|lane| out.low[lane] == out.high[lane]);
        marks.zero = marks.fixed & lanes(|lane| out.low[lane] == T::ZERO);
    }
    Outcome {
        marks,
        is_operand: [0; 3],
    }
}

#[inline(always)]
pub(super) fn unary_bounds<T: Float>(
    out: &mut Row<T>,
    operands: &Operands<T>,
    bound: impl Fn(Span<T>) -> Span<T>,
) -> Outcome {
    let [a, ..] = operands.rows();
    for lane in 0..BOXES {
        out.set(lane, bound(a.at(lane)));
    }
    outcome(
        out,
        operands.marks()[0].fixed,
        operands.marks()[0].undefined,
    )
}

#[inline(always)]
pub(super) fn binary_bounds<T: Float>(
    out: &mut Row<T>,
    operands: &Operands<T>,
    bound: impl Fn(Span<T>, Span<T>) -> Span<T>,
) -> Outcome {
    let [a, b, _] = operands.rows();
    for lane in 0..BOXES {
        out.set(lane, bound(a.at(lane), b.at(lane)));
    }
    let [a, b, _] = operands.marks();
    outcome(out, a.fixed & b.fixed, a.undefined | b.undefined)
}

/// A partial function: the bounds hold its results where it is defined.
#[inline(always)]
pub(super) fn partial<T: Float>(
    out: &mut Row<T>,
    operands: &Operands<T>,
    bound: impl Fn(Span<T>) -> (Span<T>, bool),
) -> Outcome {
    let [a, ..] = operands.rows();
    let mut is_undefined = false;
    for lane in 0..BOXES {
        let (span, undefined) = bound(a.at(lane));
        is_undefined |= undefined;
        out.set(lane, span);
    }
    let mut undefined = operands.marks()[0].undefined;
    if is_undefined {
        undefined |= lanes(|lane| bound(a.at(lane)).1);
    }
    outcome(out, operands.marks()[0].fixed, undefined)
}

#[inline(always)]
pub(super) fn set<T: Float>(out: &mut Row<T>, operands: &Operands<T>) -> Outcome {
    let number = operands.constants[0];
    out.low = [number; BOXES];
    out.high = [number; BOXES];
    let mut outcome = outcome(out, 0, 0);
    let fixed = !outcome.marks.undefined;
    outcome.marks.fixed = fixed;
    outcome.marks.zero = if number == T::ZERO { fixed } else { 0 };
    outcome
}

#[inline(always)]
pub(super) fn copy<T: Float>(out: &mut Row<T>, operands: &Operands<T>) -> Outcome {
    out.low = operands.rows()[0].low;
    out.high = operands.rows()[0].high;
    Outcome {
        marks: operands.marks()[0],
        is_operand: [0; 3],
    }
}

/// A function that goes in steps is one number wherever both ends are on the same step.
#[inline(always)]
pub(super) fn stepped<T: Float>(
    out: &mut Row<T>,
    operands: &Operands<T>,
    operation: Unary,
) -> Outcome {
    let [a, ..] = operands.rows();
    for lane in 0..BOXES {
        out.set(lane, rounding::step(operation, a.at(lane)));
    }
    // Where it is 0, its sign is that of the operand.
    let one_step = lanes(|lane| {
        let has_sign = !a.at(lane).has(T::ZERO);
        (out.low[lane] == out.high[lane]) & ((out.low[lane] != T::ZERO) | has_sign)
    });
    outcome(
        out,
        operands.marks()[0].fixed | one_step,
        operands.marks()[0].undefined,
    )
}

#[inline(always)]
pub(super) fn abs<T: Float>(out: &mut Row<T>, operands: &Operands<T>) -> Outcome {
    let mut outcome = unary_bounds(out, operands, arithmetic::abs);
    let a = operands.rows()[0];
    outcome.is_operand[0] = lanes(|lane| a.low[lane] > T::ZERO);
    outcome
}

#[inline(always)]
pub(super) fn add<T: Float>(out: &mut Row<T>, operands: &Operands<T>) -> Outcome {
    let mut outcome = binary_bounds(out, operands, arithmetic::add::<T, Computed>);
    let [a, b, _] = operands.marks();
    if a.zero | b.zero != 0 {
        outcome.is_operand[0] = b.zero & keeps_zero(operands, 0);
        outcome.is_operand[1] = a.zero & keeps_zero(operands, 1);
    }
    outcome
}

/// A sum of which one operand may be too small to count: less than half an ulp of the other one, all over the box.
#[inline(always)]
pub(super) fn add_uneven<T: Float>(out: &mut Row<T>, operands: &Operands<T>) -> Outcome {
    let mut outcome = add(out, operands);
    let [a, b, _] = operands.rows();
    // Half an ulp of a number is at least this part of it.
    let part = T::ONE.sub(T::ONE.next_down()).mul(T::from_f64(0.5));
    let is_lost = |small: Span<T>, large: Span<T>| {
        let least = if large.low > T::ZERO {
            large.low
        } else {
            large.high.neg()
        };
        small.magnitude() < least.mul(part)
    };
    let defined = !(operands.marks()[0].undefined | operands.marks()[1].undefined);
    outcome.is_operand[0] |= defined & lanes(|lane| is_lost(b.at(lane), a.at(lane)));
    outcome.is_operand[1] |= defined & lanes(|lane| is_lost(a.at(lane), b.at(lane)));
    outcome
}

#[inline(always)]
pub(super) fn sub<T: Float>(out: &mut Row<T>, operands: &Operands<T>) -> Outcome {
    let mut outcome = binary_bounds(out, operands, arithmetic::sub::<T, Computed>);
    let b = operands.marks()[1];
    if b.zero != 0 {
        // Only -0 less -0 is 0 and not -0.
        let plus = b.fixed & lanes(|lane| Float::to_bits(operands.rows()[1].low[lane]) == 0);
        outcome.is_operand[0] = b.zero & (plus | keeps_zero(operands, 0));
    }
    outcome
}

/// A number less itself, which is 0 and not -0.
#[inline(always)]
pub(super) fn sub_same<T: Float>(out: &mut Row<T>, operands: &Operands<T>) -> Outcome {
    out.low = [T::ZERO; BOXES];
    out.high = [T::ZERO; BOXES];
    outcome(out, !0, operands.marks()[0].undefined)
}

#[inline(always)]
pub(super) fn mul<T: Float>(out: &mut Row<T>, operands: &Operands<T>) -> Outcome {
    let mut outcome = binary_bounds(out, operands, arithmetic::mul::<T, Computed>);
    let [a, b, _] = operands.marks();
    if a.zero | b.zero != 0 {
        let zero = product_zero(operands);
        // Its sign is known where those of both factors are.
        let known = a.zero & a.fixed & is_not_zero(operands.rows()[1])
            | b.zero & b.fixed & is_not_zero(operands.rows()[0]);
        outcome.marks.zero |= zero;
        outcome.marks.fixed |= zero & known;
    }
    outcome
}

/// Lanes in which a product is 0 because a factor is.
#[inline(always)]
pub(super) fn product_zero<T: Float>(operands: &Operands<T>) -> u64 {
    let [a, b, _] = operands.marks();
    a.zero & !b.undefined | b.zero & !a.undefined
}

/// Lanes in which a sum of an operand and a zero of any sign is the operand.
#[inline(always)]
pub(super) fn keeps_zero<T: Float>(operands: &Operands<T>, operand: usize) -> u64 {
    if operands.unsigned >> operand & 1 != 0 {
        !0
    } else {
        is_not_zero(operands.rows()[operand])
    }
}

#[inline(always)]
pub(super) fn is_not_zero<T: Float>(row: &Row<T>) -> u64 {
    lanes(|lane| !row.at(lane).has(T::ZERO))
}

#[inline(always)]
pub(super) fn min_of<T: Float>(out: &mut Row<T>, operands: &Operands<T>, k: T, l: T) -> Outcome {
    let [a, b, _] = operands.rows();
    let a = |lane: usize| plus(a.at(lane), k);
    let b = |lane: usize| plus(b.at(lane), l);
    for lane in 0..BOXES {
        let (a, b) = (a(lane), b(lane));
        out.low[lane] = a.low.lesser(b.low);
        out.high[lane] = a.high.lesser(b.high);
    }
    // Of equal operands the second is the result.
    let first = lanes(|lane| a(lane).high < b(lane).low);
    let second = lanes(|lane| b(lane).high <= a(lane).low);
    let marks = operands.marks();
    if marks[0].undefined | marks[1].undefined != 0 {
        for lane in 0..BOXES {
            let [is_a, is_b] = [0, 1].map(|operand| is_undefined(marks[operand], lane));
            out.high[lane] = either(
                is_a,
                is_b,
                out.high[lane],
                a(lane).high,
                b(lane).high,
                T::greater,
            );
        }
    }
    choice_outcome(out, operands, first, second)
}

#[inline(always)]
pub(super) fn max_of<T: Float>(out: &mut Row<T>, operands: &Operands<T>, k: T, l: T) -> Outcome {
    let [a, b, _] = operands.rows();
    let a = |lane: usize| plus(a.at(lane), k);
    let b = |lane: usize| plus(b.at(lane), l);
    for lane in 0..BOXES {
        let (a, b) = (a(lane), b(lane));
        out.low[lane] = a.low.greater(b.low);
        out.high[lane] = a.high.greater(b.high);
    }
    let first = lanes(|lane| a(lane).low > b(lane).high);
    let second = lanes(|lane| b(lane).low >= a(lane).high);
    let marks = operands.marks();
    if marks[0].undefined | marks[1].undefined != 0 {
        for lane in 0..BOXES {
            let [is_a, is_b] = [0, 1].map(|operand| is_undefined(marks[operand], lane));
            out.low[lane] = either(
                is_a,
                is_b,
                out.low[lane],
                a(lane).low,
                b(lane).low,
                T::lesser,
            );
        }
    }
    choice_outcome(out, operands, first, second)
}

/// An operation on two sums with constants.
#[inline(always)]
pub(super) fn of_sums<T: Float>(
    out: &mut Row<T>,
    operands: &Operands<T>,
    bound: impl Fn(Span<T>, Span<T>) -> Span<T>,
) -> Outcome {
    let [k, l, _] = *operands.constants;
    binary_bounds(out, operands, |a, b| bound(plus(a, k), plus(b, l)))
}

#[inline(always)]
pub(super) fn is_undefined(marks: Marks, lane: usize) -> bool {
    marks.undefined >> lane & 1 != 0
}

/// The bound of a minimum or maximum of which operands may be no numbers, so that the other is the result.
#[inline(always)]
pub(super) fn either<T: Float>(
    is_a: bool,
    is_b: bool,
    both: T,
    a: T,
    b: T,
    outer: impl Fn(T, T) -> T,
) -> T {
    let outermost = outer(a, b);
    let one = if is_a { b } else { a };
    if is_a & is_b {
        outermost
    } else if is_a | is_b {
        one
    } else {
        both
    }
}

#[inline(always)]
pub(super) fn choice_outcome<T: Float>(
    out: &mut Row<T>,
    operands: &Operands<T>,
    first: u64,
    second: u64,
) -> Outcome {
    let [a, b, _] = operands.marks();
    let (first, second) = (first & !a.undefined, second & !b.undefined);
    let fixed = a.fixed & b.fixed | first & a.fixed | second & b.fixed;
    let mut outcome = outcome(out, fixed, a.undefined & b.undefined);
    outcome.is_operand = [first, second & !first, 0];
    outcome
}

#[inline(always)]
pub(super) fn min_constant<T: Float>(out: &mut Row<T>, operands: &Operands<T>) -> Outcome {
    let (a, marks, limit) = (
        operands.rows()[0],
        operands.marks()[0],
        operands.constants[0],
    );
    for lane in 0..BOXES {
        out.low[lane] = a.low[lane].lesser(limit);
        out.high[lane] = a.high[lane].lesser(limit);
    }
    if marks.undefined != 0 {
        for lane in 0..BOXES {
            let high = out.high[lane];
            out.high[lane] = if is_undefined(marks, lane) {
                limit
            } else {
                high
            };
        }
    }
    let first = lanes(|lane| a.high[lane] < limit) & !marks.undefined;
    let constant = lanes(|lane| limit <= a.low[lane]);
    limit_outcome(out, marks, first, constant)
}

#[inline(always)]
pub(super) fn max_constant<T: Float>(out: &mut Row<T>, operands: &Operands<T>) -> Outcome {
    let (a, marks, limit) = (
        operands.rows()[0],
        operands.marks()[0],
        operands.constants[0],
    );
    for lane in 0..BOXES {
        out.low[lane] = a.low[lane].greater(limit);
        out.high[lane] = a.high[lane].greater(limit);
    }
    if marks.undefined != 0 {
        for lane in 0..BOXES {
            let low = out.low[lane];
            out.low[lane] = if is_undefined(marks, lane) {
                limit
            } else {
                low
            };
        }
    }
    let first = lanes(|lane| a.low[lane] > limit) & !marks.undefined;
    let constant = lanes(|lane| limit >= a.high[lane]);
    limit_outcome(out, marks, first, constant)
}

#[inline(always)]
pub(super) fn limit_outcome<T: Float>(
    out: &mut Row<T>,
    marks: Marks,
    first: u64,
    constant: u64,
) -> Outcome {
    let mut outcome = outcome(out, marks.fixed | constant, 0);
    outcome.is_operand[0] = first;
    outcome
}

#[inline(always)]
pub(super) fn less<T: Float>(out: &mut Row<T>, operands: &Operands<T>) -> Outcome {
    let [a, b, _] = operands.rows();
    let (one, zero) = (T::ONE, T::ZERO);
    let undefined = operands.marks()[0].undefined | operands.marks()[1].undefined;
    let always = lanes(|lane| a.high[lane] < b.low[lane]) & !undefined;
    // A comparison with what is no number is false.
    let never = lanes(|lane| a.low[lane] >= b.high[lane]);
    for lane in 0..BOXES {
        out.low[lane] = if always >> lane & 1 != 0 { one } else { zero };
        out.high[lane] = if never >> lane & 1 != 0 { zero } else { one };
    }
    Outcome {
        marks: Marks {
            fixed: always | never,
            zero: never,
            undefined: 0,
        },
        is_operand: [0; 3],
    }
}

#[inline(always)]
pub(super) fn pick<T: Float>(out: &mut Row<T>, operands: &Operands<T>) -> Outcome {
    let [_, then, otherwise] = operands.rows();
    let [condition, b, c] = operands.marks();
    let (first, second) = (condition.fixed & !condition.zero, condition.zero);
    for lane in 0..BOXES {
        let span = then.at(lane).join(otherwise.at(lane));
        let span = span.or_if(first >> lane & 1 != 0, then.at(lane));
        out.set(
            lane,
            span.or_if(second >> lane & 1 != 0, otherwise.at(lane)),
        );
    }
    let undefined = b.undefined & !second | c.undefined & !first;
    let mut outcome = outcome(out, first & b.fixed | second & c.fixed, undefined);
    outcome.is_operand = [0, first, second];
    outcome
}

/// A power of what is no number may be one: to the power 0, or of 1.
#[inline(always)]
pub(super) fn pow<T: Float>(out: &mut Row<T>, operands: &Operands<T>) -> Outcome {
    let [a, b, _] = operands.rows();
    let mut undefined = operands.marks()[0].undefined | operands.marks()[1].undefined;
    let mut is_partial = false;
    for lane in 0..BOXES {
        let (span, partial) = exponential::pow::<T, Computed>(a.at(lane), b.at(lane));
        is_partial |= partial;
        let or_one = span.or_if(undefined >> lane & 1 != 0, span.join(Span::point(T::ONE)));
        out.set(lane, or_one);
    }
    if is_partial {
        // A power of a negative number to what may be no whole number.
        let whole =
            |lane: usize| (b.low[lane] == b.high[lane]) & (b.low[lane].trunc() == b.low[lane]);
        undefined |= lanes(|lane| (a.low[lane] < T::ZERO) & !whole(lane));
    }
    outcome(
        out,
        operands.marks()[0].fixed & operands.marks()[1].fixed,
        undefined,
    )
}

#[inline(always)]
pub(super) fn plus<T: Float>(a: Span<T>, number: T) -> Span<T> {
    Span::new(a.low.add(number), a.high.add(number))
}

#[inline(always)]
pub(super) fn times_plus<T: Float>(a: Span<T>, number: T, b: Span<T>) -> Span<T> {
    let (first, last) = ends(a, number);
    Span::new(first.mul_add(number, b.low), last.mul_add(number, b.high))
}

/// The ends with the least and the largest multiple. The sign is the same in all lanes, so one branch suffices.
#[inline(always)]
pub(super) fn ends<T: Float>(a: Span<T>, factor: T) -> (T, T) {
    if factor < T::ZERO {
        (a.high, a.low)
    } else {
        (a.low, a.high)
    }
}

#[inline(always)]
pub(super) fn square_and<T: Float>(a: Span<T>, b: Span<T>) -> Span<T> {
    arithmetic::fused_square::<T, Computed>(Fused::MulAdd, a, b)
}

/// A multiple: a k.
#[inline(always)]
pub(super) fn multiple<T: Float>(out: &mut Row<T>, operands: &Operands<T>) -> Outcome {
    let factor = operands.constants[0];
    let mut outcome = unary_bounds(out, operands, |a| {
        let (first, last) = ends(a, factor);
        Span::new(first.mul(factor), last.mul(factor))
    });
    outcome.marks.zero |= operands.marks()[0].zero;
    outcome
}

/// A multiple and a sum: a k + b.
#[inline(always)]
pub(super) fn multiple_and<T: Float>(out: &mut Row<T>, operands: &Operands<T>) -> Outcome {
    let factor = operands.constants[0];
    let mut outcome = binary_bounds(out, operands, |a, b| times_plus(a, factor, b));
    let [a, ..] = operands.marks();
    if a.zero != 0 {
        // To add -0 changes nothing.
        let is_minus = |lane: usize| Float::to_bits(operands.a.low[lane].mul(factor)) == T::SIGN;
        let minus = a.fixed & lanes(is_minus);
        outcome.is_operand[1] = a.zero & (minus | keeps_zero(operands, 1));
    }
    outcome
}

/// a a + b
#[inline(always)]
pub(super) fn square_add<T: Float>(out: &mut Row<T>, operands: &Operands<T>) -> Outcome {
    let mut outcome = binary_bounds(out, operands, square_and);
    let a = operands.marks()[0];
    if a.zero != 0 {
        outcome.is_operand[1] = a.zero & keeps_zero(operands, 1);
    }
    outcome
}

#[inline(always)]
pub(super) fn fused<T: Float>(
    out: &mut Row<T>,
    operands: &Operands<T>,
    operation: Fused,
) -> Outcome {
    fused_by(out, operands, operation, |a, b, c| {
        arithmetic::fused::<T, Computed>(operation, a, b, c)
    })
}

/// A product with a sum, of which both factors are one value.
#[inline(always)]
pub(super) fn fused_square<T: Float>(
    out: &mut Row<T>,
    operands: &Operands<T>,
    operation: Fused,
) -> Outcome {
    fused_by(out, operands, operation, |a, _, c| {
        arithmetic::fused_square::<T, Computed>(operation, a, c)
    })
}

#[inline(always)]
fn fused_by<T: Float>(
    out: &mut Row<T>,
    operands: &Operands<T>,
    operation: Fused,
    bound: impl Fn(Span<T>, Span<T>, Span<T>) -> Span<T>,
) -> Outcome {
    let [a, b, c] = operands.rows();
    for lane in 0..BOXES {
        out.set(lane, bound(a.at(lane), b.at(lane), c.at(lane)));
    }
    let marks = operands.marks();
    let undefined = marks[0].undefined | marks[1].undefined | marks[2].undefined;
    let fixed = marks[0].fixed & marks[1].fixed & marks[2].fixed;
    let mut outcome = outcome(out, fixed, undefined);
    if (marks[0].zero | marks[1].zero != 0) & (operation != Fused::MulSub) {
        let zero = product_zero(operands) & !marks[2].undefined;
        let is_zero_of = |sign: u64| {
            let product = |lane: usize| a.low[lane].mul(b.low[lane]);
            lanes(|lane| Float::to_bits(product(lane)) == sign) & marks[0].fixed & marks[1].fixed
        };
        // What is added to the third operand is -0.
        let minus = match operation {
            Fused::MulAdd | Fused::MulSub => is_zero_of(T::SIGN),
            Fused::NegMulAdd => is_zero_of(0),
        };
        outcome.is_operand[2] = zero & (minus | keeps_zero(operands, 2));
    }
    outcome
}
