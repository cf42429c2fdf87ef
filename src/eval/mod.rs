//! Evaluation: from a function to numbers.
//!
//! A function is flattened into kernel operations, its calls written out, and becomes a [`Tape`]: the
//! operations that its outputs need. Tapes are immutable; an [`Evaluator`] holds the scratch of one thread.

mod error;
mod flatten;
mod tape;
mod trace;

pub use error::{EvalError, Missing};
pub use flatten::MOST_OPERATIONS;
pub use tape::{Evaluator, Request, Tape};
pub use trace::{Trace, TracedNode, trace};
