//! Bounds of sine, cosine, tangent and their inverses.

use std::f64::consts::{FRAC_1_PI, PI};

use crate::interval::span::{BoundRounding, Span, ulp_of_one, widen};
use crate::lane::{Float, Lane};
use crate::meaning::exceeds_reduction_limit;

/// The sine, and whether the angle may be infinite.
#[inline(always)]
pub(crate) fn sin<T: Float, S: BoundRounding<T>>(a: Span<T>) -> (Span<T>, bool) {
    wave::<T, S>(a, 0.25, T::sin(a.low), T::sin(a.high))
}

/// The cosine, and whether the angle may be infinite.
#[inline(always)]
pub(crate) fn cos<T: Float, S: BoundRounding<T>>(a: Span<T>) -> (Span<T>, bool) {
    wave::<T, S>(a, 0.0, T::cos(a.low), T::cos(a.high))
}

/// The tangent, and whether the angle may be infinite: all numbers if there may be a pole.
#[inline(always)]
pub(crate) fn tan<T: Float, S: BoundRounding<T>>(a: Span<T>) -> (Span<T>, bool) {
    let turns = Turns::new(a, FRAC_1_PI);
    let span = S::elementary(Span::new(T::tan(a.low), T::tan(a.high)), [a]);
    let has_pole = turns.has(0.5) | turns.is_unsure;
    (span.or_if(has_pole, Span::entire()), a.is_infinite())
}

/// The arc sine, and whether the value may be beyond [-1, 1].
#[inline(always)]
pub(crate) fn asin<T: Float, S: BoundRounding<T>>(a: Span<T>) -> (Span<T>, bool) {
    let inside = within_one(a);
    let span = Span::new(T::asin(inside.low), T::asin(inside.high));
    (S::elementary(span, [a]), is_beyond_one(a))
}

/// The arc cosine, and whether the value may be beyond [-1, 1].
#[inline(always)]
pub(crate) fn acos<T: Float, S: BoundRounding<T>>(a: Span<T>) -> (Span<T>, bool) {
    let inside = within_one(a);
    let span = Span::new(T::acos(inside.high), T::acos(inside.low));
    (S::elementary(span, [a]), is_beyond_one(a))
}

#[inline(always)]
pub(crate) fn atan<T: Float, S: BoundRounding<T>>(a: Span<T>) -> Span<T> {
    S::elementary(Span::new(T::atan(a.low), T::atan(a.high)), [a])
}

/// The angle of the points (`x`, `y`): all angles if they may lie on the branch cut, where the sign of a zero would
/// tell half a turn to the left from one to the right.
#[inline(always)]
pub(crate) fn atan2<T: Float, S: BoundRounding<T>>(y: Span<T>, x: Span<T>) -> Span<T> {
    let zero = T::ZERO;
    // Seen from the origin, the corner that is furthest to the right, and the one furthest to the left.
    let right = if y.low >= zero { x.high } else { x.low };
    let left = if y.high <= zero { x.high } else { x.low };
    let first = T::atan2(if right > zero { y.low } else { y.high }, right);
    let last = T::atan2(if left > zero { y.high } else { y.low }, left);
    let is_on_cut = (x.low <= zero) & y.has(zero);
    let half = T::from_f64(PI);
    // Infinite corners have angles of their own, between which those of the other points may lie or not.
    let is_unsure = is_on_cut | x.is_infinite() | y.is_infinite();
    S::elementary(Span::new(first, last), [y, x])
        .or_if(is_unsure, widen(Span::new(half.neg(), half)))
}

/// Bounds of a function between -1 and 1 whose highest points lie at `top` turns and whole turns from there.
#[inline(always)]
fn wave<T: Float, S: BoundRounding<T>>(a: Span<T>, top: f64, low: T, high: T) -> (Span<T>, bool) {
    let turns = Turns::new(a, FRAC_1_PI * 0.5);
    let ends = Span::new(low.lesser(high), high.greater(low));
    let has_bottom = turns.has(top + 0.5) | turns.is_unsure;
    let has_top = turns.has(top) | turns.is_unsure;
    let one = T::ONE;
    let extremes = widen(Span::new(one.neg(), one));
    let ends = S::elementary(ends, [a]);
    let span = Span::new(
        if has_bottom { extremes.low } else { ends.low },
        if has_top { extremes.high } else { ends.high },
    );
    let fixed = a.is_point() & !turns.is_unsure;
    (span.or_if(fixed, ends), a.is_infinite())
}

/// Angles in turns of some size, and how wrong they may be.
#[derive(Clone, Copy)]
struct Turns<T> {
    low: T,
    high: T,
    /// True if they span a whole turn, or are beyond the reduction limit.
    is_unsure: bool,
}

impl<T: Float> Turns<T> {
    #[inline(always)]
    fn new(a: Span<T>, per_angle: f64) -> Turns<T> {
        let per_angle = T::from_f64(per_angle);
        let (low, high) = (a.low.mul(per_angle), a.high.mul(per_angle));
        let room = Lane::abs(low)
            .greater(Lane::abs(high))
            .add(T::ONE)
            .mul(ulp_of_one::<T>().mul(T::from_f64(4.0)));
        let (low, high) = (low.sub(room), high.add(room));
        Turns {
            low,
            high,
            is_unsure: !(high.sub(low) < T::ONE)
                | exceeds_reduction_limit(a.low)
                | exceeds_reduction_limit(a.high),
        }
    }

    /// True if an angle `turn` plus a whole number of turns is among them.
    #[inline(always)]
    fn has(self, turn: f64) -> bool {
        let turn = T::from_f64(turn);
        self.high.sub(turn).floor() >= self.low.sub(turn)
    }
}

#[inline(always)]
fn within_one<T: Float>(a: Span<T>) -> Span<T> {
    let one = T::ONE;
    Span::new(
        a.low.greater(one.neg()).lesser(one),
        a.high.greater(one.neg()).lesser(one),
    )
}

#[inline(always)]
fn is_beyond_one<T: Float>(a: Span<T>) -> bool {
    !((a.low >= T::ONE.neg()) & (a.high <= T::ONE))
}
