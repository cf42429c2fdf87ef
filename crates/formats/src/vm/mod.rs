//! .vm files: one formula as a list of operations, the text format of [fidget](https://www.mattkeeter.com/projects/fidget)
//! and of the Prospero challenge.
//!
//! A line is `ID OPERATION OPERANDS`; operands are ids of lines above. The last line is the value. Lines that are blank
//! or begin with `#` are ignored.
//!
//! ```
//! use fibula_formats::vm::{self, Limits};
//! use fibula_core::{eval::Tape, graph::Document};
//!
//! let ball = "_0 var-x\n_1 square _0\n_2 const 25\n_3 sub _1 _2\n";
//! let model = vm::read(ball.as_bytes(), "slab", &Limits::default())?;
//! let mut document = Document::default();
//! let slab = document.insert(&model.function)?;
//! assert_eq!(Tape::new(&document, slab)?.at([6.0, 0.0, 0.0]), [11.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The function has the input `pos` and the output `shape`. Each operation becomes the node that computes it, `var-x`
//! to `var-z` the ports of one `DecomposeVector`; constants become values of the parameters that they feed.
//!
//! | in the file | in the function |
//! |---|---|
//! | `neg` | `Multiplication` by -1 |
//! | `square` | `Multiplication` by itself |
//! | `recip` | `Division` of 1 |
//! | `mod a b` | `Mod` by the `Abs` of b, since fidget's result is never negative |
//! | `compare a b` | `Sign` of a - b |
//! | `not a`, `and a b`, `or a b` | two `Select` on the `Abs` of a |
//!
//! Fidget reads constants and computes in single precision; here both are double. `min` and `max` give the other
//! operand when one is NaN, where fidget gives NaN; `compare` gives NaN for two equal infinities, where fidget gives 0.

mod error;
mod line;
mod write;

#[cfg(test)]
mod tests;

use fibula_core::graph::FunctionData;

pub use error::{ReadError, ReadErrorKind};

/// Limits above which a file is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum bytes of the file.
    pub bytes: usize,
    /// Maximum lines with an operation.
    pub operations: usize,
    /// Maximum nodes of the function.
    pub nodes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            bytes: 64 << 20,
            operations: 1 << 20,
            nodes: fibula_core::graph::MOST_NODES,
        }
    }
}

/// Contents of a .vm file.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The formula, as a function without an id.
    pub function: FunctionData,
    /// Number of omitted operations, which the last line does not need.
    pub unused: usize,
}

/// True if a file with these first bytes is a .vm file: its first operation is a known one.
pub fn is_vm(start: &[u8]) -> bool {
    line::begins(start)
}

/// Reads a .vm file as a function with this name, in linear time and memory.
///
/// # Errors
/// [`ReadError`], with the line, if the file is beyond the limits or a line is no operation on lines above it.
pub fn read(bytes: &[u8], name: &str, limits: &Limits) -> Result<Model, ReadError> {
    let lines = line::lines(bytes, limits)?;
    write::function(&lines, name, limits)
}
