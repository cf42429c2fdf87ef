//! Gradients: exact forward mode (Griewank and Walther, Evaluating Derivatives, 2008, chapter 3).
//!
//! For many points the derivatives are [written out](Code::with_gradient) as code of their own, beside the values, so
//! that every evaluator computes them: blocks, machine code, grids, intervals. What the function shares with its
//! derivatives is computed once, and what does not depend on a direction costs nothing. For one point,
//! [`Code::jacobian`] carries the derivatives along as numbers, by as many directions as are asked for, and tells of
//! the kinks that it met. [`Code::lipschitz`] bounds the gradient on a box.
//!
//! All mean the same:
//!
//! - At a kink one side counts: of a minimum, maximum or selection the side that is the value (of equal operands the
//!   second), of a magnitude at 0 the positive side.
//! - Steps are flat: floor, ceil, round and sign have the derivative 0. A fraction and a remainder have the slope
//!   between their jumps.
//! - The slopes of a root at 0, of arc sine and arc cosine at 1 and -1, and of a power between 0 and 1 at 0 are
//!   infinite. They are cut off at about 2^125, so that times 0 they are 0: the distance to a point has the gradient 0
//!   at that point. For the same reason `atan2` has the gradient 0 at the origin.
//! - Where a value is not a number, so is the derivative, unless it is 0 for all points; and where a value is infinite
//!   the derivative may be either.

#![expect(
    clippy::inline_always,
    reason = "a function that stays a call is not compiled for the instruction set of its caller"
)]
#![expect(
    clippy::float_cmp,
    reason = "kinks, zeros and ones are met exactly or not at all"
)]

mod derive;
mod jacobian;
mod lipschitz;
mod oracle;
mod partial;
mod slope;
mod steepness;

pub use jacobian::Jacobian;
pub use lipschitz::Lipschitz;

#[cfg(test)]
mod tests;

#[cfg(doc)]
use crate::code::Code;
