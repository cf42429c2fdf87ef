//! Fast evaluation of Fibula's kernel operations, which know nothing of graphs.
//!
//! A [`Code`] is a list of instructions that was optimised from kernel operations. It is evaluated at one [`Point`] after
//! the other, in [batches](Batch) of points (by an interpreter of blocks, and by machine code where that pays), on
//! [grids](Grid), on boxes ([`IntervalEvaluator`]), with [gradients](gradient), where it matters only ([`prune`]), or
//! elsewhere, as [GLSL](glsl). Codes and what is prepared from them are immutable and shared between threads; evaluators
//! hold the scratch of one thread and are made once; what they allocate while they run does not grow with the points.
//!
//! **One meaning.** Each instruction is written once, in the operations of a [`Lane`], the [elementary
//! functions](Elementary) too. Scalars, blocks on every [`InstructionSet`] and machine code run that one source, so that
//! they yield the same bits; the sign and payload of a NaN are the only exception.
//!
//! **Two roundings.** [`Rounding::Exact`] rounds each operation by itself, as the kernel defines it; elementary
//! functions keep the errors that [`Elementary`] states. [`Rounding::Fast`] is for sampling and takes the liberties that
//! [`Code::new`] lists.
//!
//! ```
//! use fibula_eval::{Batch, Code, Rounding, Settings};
//! use fibula_nodes::Kernel;
//!
//! let mut kernel = Kernel::new();
//! let position = [0, 1, 2].map(|axis| kernel.variable(axis));
//! let length = kernel.length(&position);
//! let radius = kernel.constant(5.0);
//! let distance = kernel.sub(length, radius);
//!
//! let code = Code::new(kernel.operations(), &[distance], 3, &[], Rounding::Fast);
//! let batch = Batch::<f32>::new(&code, 3, Settings::default());
//! let mut distances = [0.0; 2];
//! batch.evaluator().run(&[&[8.0, 0.0], &[0.0, 3.0], &[0.0, 4.0]], &[], &mut [&mut distances]);
//! assert_eq!(distances, [3.0, 0.0]);
//! ```

#![expect(
    clippy::inline_always,
    reason = "what stays a call in a loop is not computed in vectors"
)]

mod cpu;
mod lane;
mod sethi_ullman;

mod code;
mod math;

mod meaning;

#[cfg(test)]
mod trial;

mod block;
#[cfg_attr(not(target_arch = "x86_64"), path = "jit/absent.rs")]
mod jit;
mod optimise;
mod point;

mod batch;
pub mod glsl;
mod interval;

pub mod gradient;
mod grid;
pub mod prune;

pub use batch::{Batch, BatchEvaluator};
pub use code::{Arg, ArgSource, Args, Code, Fused, Instruction, Rounding};
pub use cpu::{InstructionSet, Settings};
pub use grid::{Grid, GridEvaluator};
pub use interval::{Choice, Interval, IntervalEvaluator};
pub use lane::{Elementary, Float, Lane};
pub use point::{Point, PointEvaluator};
