//! Sine, cosine and tangent.
//!
//! The angle is brought near 0 as Cody and Waite do (Software Manual for the Elementary Functions, 1980), with fused
//! multiplication: the first of three parts of pi leaves no error, so that what is left keeps its relative precision
//! as long as the count of half turns is exact. Sine and cosine subtract multiples of pi, not of pi / 2: one longer
//! polynomial costs less than two and a choice.

use super::constants::{Constants, polynomial};
use crate::lane::Lane;

#[inline(always)]
pub(super) fn sin<F: Constants, L: Lane<Number = F>>(x: L) -> L {
    let magic = x.constant(F::MAGIC);
    let turns = x.mul_add(x.constant(F::FRAC_1_PI), magic);
    let rest = without(x, turns.sub(magic));
    sine_of_rest(rest).xor(F::odd_to_sign(turns))
}

#[inline(always)]
pub(super) fn cos<F: Constants, L: Lane<Number = F>>(x: L) -> L {
    // The sine of pi / 2 more.
    let magic = x.constant(F::MAGIC);
    let half = x.constant(F::HALF);
    let turns = x.mul_add(x.constant(F::FRAC_1_PI), half).add(magic);
    let rest = without(x, turns.sub(magic).sub(half));
    sine_of_rest(rest).xor(F::odd_to_sign(turns))
}

#[inline(always)]
pub(super) fn tan<F: Constants, L: Lane<Number = F>>(x: L) -> L {
    let magic = x.constant(F::MAGIC);
    let turns = x.mul_add(x.constant(F::FRAC_2_PI), magic);
    let count = turns.sub(magic);
    let [first, second, third] = F::FRAC_PI_2.map(|part| x.constant(part));
    let near = count.neg_mul_add(first, x);
    let step = count.mul(second);
    let rest = near.sub(step);
    // What the rounded rest has too much, as much as the tangent has of it.
    let excess = count.mul_add(third, count.mul_sub(second, step));
    let excess = rest.sub(near).add(step).add(excess);
    let square = rest.mul(rest);
    let excess = excess.mul_add(square, excess);
    let more = polynomial(square, F::TAN).mul(square).mul_sub(rest, excess);
    let tangent = rest.add(more);
    F::odd_to_sign(turns).if_negative(x.constant(F::MINUS_ONE).div(tangent), tangent)
}

/// `x` less `count` times pi. No part is negative, or -0 would become 0.
#[inline(always)]
fn without<F: Constants, L: Lane<Number = F>>(x: L, count: L) -> L {
    let rest = count.neg_mul_add(x.constant(F::PI[0]), x);
    let rest = count.neg_mul_add(x.constant(F::PI[1]), rest);
    count.neg_mul_add(x.constant(F::PI[2]), rest)
}

/// The sine of up to a quarter turn.
#[inline(always)]
fn sine_of_rest<F: Constants, L: Lane<Number = F>>(rest: L) -> L {
    let square = rest.mul(rest);
    // Where the sine is near 1 Horner's rule would round once more. What rest is multiplied with must be 0 at 0, not
    // -0.
    let more = polynomial(square, F::SIN).mul(square).mul(square);
    square
        .mul_add(rest.constant(F::SIN_FIRST), more)
        .mul_add(rest, rest)
}
