//! Spans, the bounds of a value, and their rounding: outward, or as they are computed.

use crate::lane::{Float, Lane};

/// The numbers from `low` to `high`, both included; either may be infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Span<T> {
    pub(crate) low: T,
    pub(crate) high: T,
}

impl<T: Float> Span<T> {
    #[inline(always)]
    pub(crate) fn new(low: T, high: T) -> Span<T> {
        Span { low, high }
    }

    #[inline(always)]
    pub(crate) fn point(number: T) -> Span<T> {
        Span::new(number, number)
    }

    #[inline(always)]
    pub(crate) fn entire() -> Span<T> {
        Span::new(T::INFINITY.neg(), T::INFINITY)
    }

    /// True if the number is among them; the sign of a zero does not count.
    #[inline(always)]
    pub(crate) fn has(self, number: T) -> bool {
        (self.low <= number) & (self.high >= number)
    }

    #[inline(always)]
    pub(crate) fn is_point(self) -> bool {
        self.low == self.high
    }

    /// True if an infinity is among them.
    #[inline(always)]
    pub(crate) fn is_infinite(self) -> bool {
        !((self.low > T::INFINITY.neg()) & (self.high < T::INFINITY))
    }

    /// The least span with all of both.
    #[inline(always)]
    pub(crate) fn join(self, other: Span<T>) -> Span<T> {
        Span::new(self.low.lesser(other.low), self.high.greater(other.high))
    }

    /// `then` where the condition holds.
    #[inline(always)]
    pub(crate) fn or_if(self, condition: bool, then: Span<T>) -> Span<T> {
        Span::new(
            if condition { then.low } else { self.low },
            if condition { then.high } else { self.high },
        )
    }

    #[inline(always)]
    pub(crate) fn magnitude(self) -> T {
        Lane::abs(self.low).greater(Lane::abs(self.high))
    }
}

/// Rounding of bounds.
pub(crate) trait BoundRounding<T: Float> {
    /// A lower bound, of which the rounded `result` and what rounding took from it are known.
    fn low(result: T, error: impl FnOnce() -> T) -> T;
    /// An upper bound.
    fn high(result: T, error: impl FnOnce() -> T) -> T;
    /// A product of bounds; 0 times infinity is at liberty to be NaN or 0.
    fn product(a: T, b: T) -> T;
    /// Bounds of an elementary function of `arguments`, that were computed with its error.
    fn elementary<const N: usize>(span: Span<T>, arguments: [Span<T>; N]) -> Span<T>;
}

/// Bounds hold the real value and every value that is computed: they are moved outward, unless they are exact.
pub(crate) struct Outward;

/// Bounds hold every value that is computed in the same arithmetic. Since rounding keeps order, what is rounded once
/// needs no room, and of what is computed from one number the bounds are that number.
pub(crate) struct Computed;

impl<T: Float> BoundRounding<T> for Outward {
    #[inline(always)]
    fn low(result: T, error: impl FnOnce() -> T) -> T {
        if error() >= T::ZERO {
            result
        } else {
            result.next_down()
        }
    }

    #[inline(always)]
    fn high(result: T, error: impl FnOnce() -> T) -> T {
        if error() <= T::ZERO {
            result
        } else {
            result.next_up()
        }
    }

    #[inline(always)]
    fn product(a: T, b: T) -> T {
        let product = a.mul(b);
        product.if_nan(T::ZERO, product)
    }

    #[inline(always)]
    fn elementary<const N: usize>(span: Span<T>, _arguments: [Span<T>; N]) -> Span<T> {
        widen(span)
    }
}

impl<T: Float> BoundRounding<T> for Computed {
    #[inline(always)]
    fn low(result: T, _error: impl FnOnce() -> T) -> T {
        result
    }

    #[inline(always)]
    fn high(result: T, _error: impl FnOnce() -> T) -> T {
        result
    }

    #[inline(always)]
    fn product(a: T, b: T) -> T {
        a.mul(b)
    }

    #[inline(always)]
    fn elementary<const N: usize>(span: Span<T>, arguments: [Span<T>; N]) -> Span<T> {
        let fixed = arguments
            .into_iter()
            .fold(true, |fixed, argument| fixed & argument.is_point());
        widen(span).or_if(fixed, span)
    }
}

/// Room for the error of elementary functions, in parts of the result and in smallest numbers.
///
/// They are computed within 2 ulp. A function that rises may so fall by 4 ulp from one argument to the next, and what
/// is computed for the bound itself is 2 ulp off.
const ROOM: f64 = 8.0;

/// With room for the error of an elementary function, for what is computed and for the real value.
#[inline(always)]
pub(crate) fn widen<T: Float>(span: Span<T>) -> Span<T> {
    let most = T::MAX;
    let low = span.low.lesser(most);
    let high = span.high.greater(most.neg());
    Span::new(low.sub(room(low)), high.add(room(high)))
}

#[inline(always)]
fn room<T: Float>(bound: T) -> T {
    let tiny = T::ZERO.next_up().mul(T::from_f64(ROOM));
    Lane::abs(bound)
        .lesser(T::MAX)
        .mul(T::from_f64(ROOM).mul(ulp_of_one()))
        .add(tiny)
}

/// The distance from 1 to the next number.
#[inline(always)]
pub(crate) fn ulp_of_one<T: Float>() -> T {
    T::ONE.next_up().sub(T::ONE)
}
