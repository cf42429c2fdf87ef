//! Bounds of functions on boxes: interval arithmetic, rounded outward.
//!
//! The bounds of one operation are functions of the bounds of its operands, in a file per family; they are written
//! without branches, so that the batches of `prune` compute them for many boxes at once. Here they are composed for
//! one box, conservatively: what the function really is at any point of the box, and what any evaluator computes for
//! it in the same number type, lies within the bounds. (The source of the method: Moore, Kearfott and Cloud,
//! Introduction to Interval Analysis, 2009.) Bounds are as wide as the worst case of each operation allows; they do
//! not see that two operands depend on each other, but for the product of a value with itself.

#![expect(
    clippy::needless_bitwise_bool,
    clippy::neg_cmp_op_on_partial_ord,
    reason = "what stays a call or a branch is not computed in vectors, and what is no number is not less"
)]

pub(crate) mod arithmetic;
pub(crate) mod choice;
pub(crate) mod circular;
mod evaluator;
pub(crate) mod exponential;
#[cfg(test)]
pub(crate) mod laws;
pub(crate) mod rounding;
pub(crate) mod span;

use fibula_nodes::Bounds;

use crate::lane::Float;

pub use choice::Choice;
pub use evaluator::IntervalEvaluator;

/// Bounds of a value on a box: wherever it is a number, it is at least [`low`](Self::low) and at most
/// [`high`](Self::high).
///
/// Neither bound is NaN, and the lower one is not above the upper one: there is no empty interval. Bounds may be
/// infinite, and so may values be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval<T> {
    low: T,
    high: T,
    undefined: bool,
}

impl<T: Float> Interval<T> {
    /// The numbers from `low` to `high`.
    ///
    /// # Panics
    /// If `low` is above `high`, or one of them is NaN.
    pub fn new(low: T, high: T) -> Interval<T> {
        assert!(low <= high, "{low:?} to {high:?} are no numbers");
        Interval {
            low,
            high,
            undefined: false,
        }
    }

    /// The one number `value`; anything if it is NaN.
    pub fn point(value: T) -> Interval<T> {
        Interval::from_span(span::Span::point(value), false)
    }

    /// Bounds that hold for any value.
    pub fn unknown() -> Interval<T> {
        Interval::from_span(span::Span::entire(), true)
    }

    /// The lower bound.
    #[inline]
    pub fn low(self) -> T {
        self.low
    }

    /// The upper bound.
    #[inline]
    pub fn high(self) -> T {
        self.high
    }

    /// True if the value may be NaN somewhere.
    #[inline]
    pub fn may_be_undefined(self) -> bool {
        self.undefined
    }

    /// The numbers up to `middle` and those from there on; `None` if it does not lie between the bounds.
    pub fn split(self, middle: T) -> Option<[Interval<T>; 2]> {
        let is_between = self.low < middle && middle < self.high;
        is_between.then(|| {
            let (mut lower, mut upper) = (self, self);
            (lower.high, upper.low) = (middle, middle);
            [lower, upper]
        })
    }

    /// True if the value may be `number`, which may be NaN.
    pub fn contains(self, number: T) -> bool {
        self.span().has(number) || self.undefined && number.to_f64().is_nan()
    }

    pub(crate) fn span(self) -> span::Span<T> {
        span::Span::new(self.low, self.high)
    }

    /// The span, and whether the value may be NaN; anything if a bound is, or if they are in the wrong order.
    pub(crate) fn from_span(span: span::Span<T>, undefined: bool) -> Interval<T> {
        if span.low <= span.high {
            Interval {
                low: span.low,
                high: span.high,
                undefined,
            }
        } else {
            Interval::unknown()
        }
    }

    /// The bounds of an oracle, outward.
    fn from_bounds(bounds: Bounds) -> Interval<T> {
        let span = span::Span::new(below(bounds.low), above(bounds.high));
        Interval::from_span(span, bounds.undefined)
    }

    /// The bounds for an oracle, outward.
    fn bounds(self) -> Bounds {
        Bounds {
            low: self.low.to_f64(),
            high: self.high.to_f64(),
            undefined: self.undefined,
        }
    }
}

/// The largest number of this type that is not above.
pub(crate) fn below<T: Float>(number: f64) -> T {
    let nearest = T::from_f64(number);
    if nearest.to_f64() > number {
        nearest.next_down()
    } else {
        nearest
    }
}

/// The smallest number of this type that is not below.
pub(crate) fn above<T: Float>(number: f64) -> T {
    let nearest = T::from_f64(number);
    if nearest.to_f64() < number {
        nearest.next_up()
    } else {
        nearest
    }
}
