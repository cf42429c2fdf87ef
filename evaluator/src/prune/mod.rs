//! Pruning: values of a function where they matter, without computing it all everywhere.
//!
//! To draw a picture or to find a surface one needs a function's values near where it is 0. A [`Pruner`] divides a
//! [`Region`] into cells and bounds the function on 64 of them at once. Cells that are decided by their bounds are
//! done; of the others each is divided, with a tape of what the function still needs there: of a minimum of many
//! shapes a small cell mostly needs one. At the finest cells, [leaves](Leaf), what is left is computed at points, and
//! every value has the bits that the whole function would give there.
//!
//! The bounds hold all values that are computed in the same number type; they are not rounded outward, as those of
//! [`IntervalEvaluator`](crate::IntervalEvaluator) are, which hold the real values too.
//!
//! A [`Tape`] is immutable and shared; every thread has a [`Pruner`] of its own. Nothing here starts threads.

#![expect(
    clippy::inline_always,
    clippy::needless_bitwise_bool,
    clippy::neg_cmp_op_on_partial_ord,
    reason = "what stays a call or a branch is not computed in vectors, and what is no number is not less"
)]

mod bounds;
mod kind;
#[cfg(test)]
mod laws;
mod leaf;
mod pruner;
mod region;
mod row;
mod select;
mod simplify;
mod tape;

pub use leaf::Leaf;
pub use pruner::Pruner;
pub use region::{Axis, Cell, Cells, Next, Region, Visitor};
pub use tape::Tape;
