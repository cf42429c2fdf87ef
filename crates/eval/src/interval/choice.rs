//! Bounds of what chooses between values, and which of them it needs.

use fibula_nodes::Binary;

use crate::interval::Interval;
use crate::interval::span::Span;
use crate::lane::Float;

/// Choice between the two values of an operation, on a whole box.
///
/// For minimum and maximum they are the operands, for a selection what it selects from, and for a magnitude the value
/// itself and its negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Choice {
    /// The first is the result everywhere.
    First,
    /// The second is the result everywhere.
    Second,
    /// Either may be the result somewhere.
    Both,
}

/// The minimum or maximum. Where an operand is not a number the other one is the result, so an operand that may be
/// undefined adds all that the other may be.
pub(crate) fn extreme<T: Float>(
    operation: Binary,
    a: Interval<T>,
    b: Interval<T>,
) -> (Interval<T>, Choice) {
    let is_min = operation == Binary::Min;
    let mut span = if is_min {
        Span::new(a.low.lesser(b.low), a.high.lesser(b.high))
    } else {
        Span::new(a.low.greater(b.low), a.high.greater(b.high))
    };
    for (may_be_none, other) in [(a.undefined, b), (b.undefined, a)] {
        span = span.or_if(may_be_none, span.join(other.span()));
    }
    // Of equal operands the second is the result.
    let (first, second) = if is_min {
        (a.high < b.low, b.high <= a.low)
    } else {
        (a.low > b.high, b.low >= a.high)
    };
    if first && !a.undefined {
        (a, Choice::First)
    } else if second && !b.undefined {
        (b, Choice::Second)
    } else {
        let either = Interval::from_span(span, a.undefined & b.undefined);
        (either, Choice::Both)
    }
}

/// `a < b ? then : otherwise`; a comparison with what is not a number is false.
pub(crate) fn select<T: Float>(
    a: Interval<T>,
    b: Interval<T>,
    then: Interval<T>,
    otherwise: Interval<T>,
) -> (Interval<T>, Choice) {
    if a.high < b.low && !a.undefined && !b.undefined {
        (then, Choice::First)
    } else if a.low >= b.high {
        (otherwise, Choice::Second)
    } else {
        let span = then.span().join(otherwise.span());
        let either = Interval::from_span(span, then.undefined | otherwise.undefined);
        (either, Choice::Both)
    }
}

/// Choice of a magnitude between the value itself and its negative.
pub(crate) fn sides<T: Float>(a: Interval<T>) -> Choice {
    if a.low >= T::ZERO {
        Choice::First
    } else if a.high <= T::ZERO {
        Choice::Second
    } else {
        Choice::Both
    }
}
