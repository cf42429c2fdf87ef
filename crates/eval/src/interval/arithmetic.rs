//! Bounds of sums, products, quotients, roots, magnitudes, and of products with a sum.

use crate::code::Fused;
use crate::interval::span::{BoundRounding, Span};
use crate::lane::{Float, Lane};

#[inline(always)]
pub(crate) fn neg<T: Float>(a: Span<T>) -> Span<T> {
    Span::new(a.high.neg(), a.low.neg())
}

#[inline(always)]
pub(crate) fn abs<T: Float>(a: Span<T>) -> Span<T> {
    let (low, high) = (Lane::abs(a.low), Lane::abs(a.high));
    let least = low.lesser(high);
    Span::new(
        if a.has(T::ZERO) { T::ZERO } else { least },
        low.greater(high),
    )
}

#[inline(always)]
pub(crate) fn add<T: Float, S: BoundRounding<T>>(a: Span<T>, b: Span<T>) -> Span<T> {
    Span::new(
        sum_low::<T, S>(a.low, b.low),
        sum_high::<T, S>(a.high, b.high),
    )
}

#[inline(always)]
pub(crate) fn sub<T: Float, S: BoundRounding<T>>(a: Span<T>, b: Span<T>) -> Span<T> {
    add::<T, S>(a, neg(b))
}

#[inline(always)]
pub(crate) fn mul<T: Float, S: BoundRounding<T>>(a: Span<T>, b: Span<T>) -> Span<T> {
    hull(corners(a, b).map(|(a, b)| {
        let product = S::product(a, b);
        let error = || product_error(a, b, product);
        (S::low(product, error), S::high(product, error))
    }))
}

/// The product of a value with itself.
#[inline(always)]
pub(crate) fn square<T: Float, S: BoundRounding<T>>(a: Span<T>) -> Span<T> {
    let a = abs(a);
    let (low, high) = (a.low.mul(a.low), a.high.mul(a.high));
    let least = S::low(low, || product_error(a.low, a.low, low));
    Span::new(
        // The least is below 0 where a small square is rounded to 0.
        if low > T::ZERO { least } else { T::ZERO },
        S::high(high, || product_error(a.high, a.high, high)),
    )
}

/// All numbers where the divisor may be 0: the sign of a zero is not known.
#[inline(always)]
pub(crate) fn div<T: Float, S: BoundRounding<T>>(a: Span<T>, b: Span<T>) -> Span<T> {
    hull(corners(a, b).map(|(a, b)| {
        let quotient = a.div(b);
        // Infinity by infinity: the other corners say all that is a number.
        let quotient = quotient.if_nan(T::ZERO, quotient);
        let error = || quotient_error(a, b, quotient);
        (S::low(quotient, error), S::high(quotient, error))
    }))
    .or_if(b.has(T::ZERO), Span::entire())
}

/// The root, and whether the value may be negative.
#[inline(always)]
pub(crate) fn sqrt<T: Float, S: BoundRounding<T>>(a: Span<T>) -> (Span<T>, bool) {
    let root = |number: T| {
        let number = if number >= T::ZERO { number } else { T::ZERO };
        let root = number.sqrt();
        let left = move || {
            let is_known = (number > small()) | (number == T::ZERO);
            let left = root.neg_mul_add(root, number);
            if is_known { left } else { T::NAN }
        };
        (root, left)
    };
    let ((low, below), (high, above)) = (root(a.low), root(a.high));
    (
        Span::new(S::low(low, below), S::high(high, above)),
        a.low < T::ZERO,
    )
}

#[inline(always)]
pub(crate) fn fused<T: Float, S: BoundRounding<T>>(
    operation: Fused,
    a: Span<T>,
    b: Span<T>,
    c: Span<T>,
) -> Span<T> {
    let (a, c) = match operation {
        Fused::MulAdd => (a, c),
        Fused::MulSub => (a, neg(c)),
        Fused::NegMulAdd => (neg(a), c),
    };
    hull(corners(a, b).map(|corner| {
        (
            fused_low::<T, S>(corner, c.low),
            fused_high::<T, S>(corner, c.high),
        )
    }))
}

/// A product with a sum, of which both factors are the value `a`.
#[inline(always)]
pub(crate) fn fused_square<T: Float, S: BoundRounding<T>>(
    operation: Fused,
    a: Span<T>,
    c: Span<T>,
) -> Span<T> {
    let size = abs(a);
    let (least, most) = match operation {
        Fused::MulAdd | Fused::MulSub => ((size.low, size.low), (size.high, size.high)),
        Fused::NegMulAdd => ((size.high.neg(), size.high), (size.low.neg(), size.low)),
    };
    let c = match operation {
        Fused::MulAdd | Fused::NegMulAdd => c,
        Fused::MulSub => neg(c),
    };
    Span::new(
        fused_low::<T, S>(least, c.low),
        fused_high::<T, S>(most, c.high),
    )
}

/// True if a sum may be one of two opposite infinities.
#[inline(always)]
pub(crate) fn add_is_undefined<T: Float>(a: Span<T>, b: Span<T>) -> bool {
    let (least, most) = (T::INFINITY.neg(), T::INFINITY);
    ((a.low == least) & (b.high == most)) | ((a.high == most) & (b.low == least))
}

/// True if a product may be one of 0 and infinity.
#[inline(always)]
pub(crate) fn mul_is_undefined<T: Float>(a: Span<T>, b: Span<T>) -> bool {
    (a.has(T::ZERO) & b.is_infinite()) | (b.has(T::ZERO) & a.is_infinite())
}

/// True if a quotient may be one of zeros or infinities.
#[inline(always)]
pub(crate) fn div_is_undefined<T: Float>(a: Span<T>, b: Span<T>) -> bool {
    (a.has(T::ZERO) & b.has(T::ZERO)) | (a.is_infinite() & b.is_infinite())
}

/// The four pairs of one bound of each operand.
#[inline(always)]
fn corners<T: Float>(a: Span<T>, b: Span<T>) -> [(T, T); 4] {
    [
        (a.low, b.low),
        (a.low, b.high),
        (a.high, b.low),
        (a.high, b.high),
    ]
}

/// The least and largest bounds. The first may not be NaN; others that are do not count.
#[inline(always)]
fn hull<T: Float>(corners: [(T, T); 4]) -> Span<T> {
    let [first, rest @ ..] = corners;
    rest.into_iter()
        .fold(Span::new(first.0, first.1), |span, (low, high)| {
            Span::new(low.lesser(span.low), high.greater(span.high))
        })
}

#[inline(always)]
fn sum_low<T: Float, S: BoundRounding<T>>(a: T, b: T) -> T {
    let sum = a.add(b);
    S::low(sum, || sum_error(a, b, sum))
}

#[inline(always)]
fn sum_high<T: Float, S: BoundRounding<T>>(a: T, b: T) -> T {
    let sum = a.add(b);
    S::high(sum, || sum_error(a, b, sum))
}

#[inline(always)]
fn fused_low<T: Float, S: BoundRounding<T>>((a, b): (T, T), c: T) -> T {
    let result = a.mul_add(b, c);
    S::low(result, || fused_error(a, b, c, result))
}

#[inline(always)]
fn fused_high<T: Float, S: BoundRounding<T>>((a, b): (T, T), c: T) -> T {
    let result = a.mul_add(b, c);
    S::high(result, || fused_error(a, b, c, result))
}

/// Rounding error of a sum, the real sum less the rounded one, which is a number (two-sum: Knuth, TAOCP 2, 4.2.2); NaN
/// if there are infinities.
#[inline(always)]
fn sum_error<T: Float>(a: T, b: T, sum: T) -> T {
    let without = sum.sub(a);
    a.sub(sum.sub(without)).add(b.sub(without))
}

/// Rounding error of a product, or NaN if that is not a number.
#[inline(always)]
fn product_error<T: Float>(a: T, b: T, product: T) -> T {
    let error = a.mul_sub(b, product);
    let is_known = (Lane::abs(product) > small()) | (a == T::ZERO) | (b == T::ZERO);
    if is_known { error } else { T::NAN }
}

/// A number with the sign of the rounding error of a quotient, or NaN if that is not known.
#[inline(always)]
fn quotient_error<T: Float>(a: T, b: T, quotient: T) -> T {
    let left = quotient.neg_mul_add(b, a);
    let error = if b < T::ZERO { left.neg() } else { left };
    let is_known = ((Lane::abs(quotient) > small()) & (Lane::abs(a) > small())) | (a == T::ZERO);
    if is_known { error } else { T::NAN }
}

/// 0 if a product with a sum is exact, and NaN otherwise.
#[inline(always)]
fn fused_error<T: Float>(a: T, b: T, c: T, result: T) -> T {
    let product = a.mul(b);
    let exact = (product_error(a, b, product) == T::ZERO)
        & (sum_error(product, c, product.add(c)) == T::ZERO)
        & (product.add(c) == result);
    if exact { T::ZERO } else { T::NAN }
}

/// Products that are larger have errors that are numbers.
#[inline(always)]
fn small<T: Float>() -> T {
    // The square root of the smallest number: far above the smallest times the number of digits squared.
    T::ZERO.next_up().sqrt()
}
