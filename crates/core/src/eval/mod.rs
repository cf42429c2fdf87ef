//! Evaluation of functions.
//!
//! A function is flattened to kernel operations, with all calls inlined, and becomes a [`Tape`]: the operations that
//! its outputs need, which `fibula_eval` optimises and evaluates. Tapes are immutable; evaluators have the scratch
//! memory of one thread.

mod error;
mod explanation;
mod flatten;
mod paint;
mod sensitivity;
mod solid;
mod space;
mod tape;
mod trace;

mod changes;

pub use changes::{ADDED, REMOVED};
pub use error::{EvalError, UnsetInput};
pub use explanation::{Explanation, Reason, explain};
pub use flatten::{MOST_OPERATIONS, MOST_TUNABLE, TunableLiteral};
pub use paint::{Materials, NO_COLOR, Paint};
pub use solid::{MOST_PARTS, Solid, SolidError, domain_box, mesh_bounds};
pub use tape::{Request, Tape};
pub use trace::{Trace, TracedInput, TracedNode, trace};
