//! An optimising compiler and evaluators for scalar functions of points in space.
//!
//! A function arrives as operations of a [`Kernel`](fibula_nodes::Kernel). [`Code::new`] optimises them into
//! straight-line [instructions](Instruction) in static single assignment form; each evaluator prepares that code for
//! one way of asking. The crate knows nothing of graphs, files, units or threads: who calls it brings a kernel,
//! divides the work and shares what is prepared.
//!
//! # A tour
//!
//! ```
//! use fibula_eval::{Batch, Code, Interval, Rounding, Settings};
//! use fibula_nodes::Kernel;
//!
//! // The signed distance to a sphere of radius 5.
//! let mut kernel = Kernel::new();
//! let position = [0, 1, 2].map(|axis| kernel.variable(axis));
//! let (length, radius) = (kernel.length(&position), kernel.constant(5.0));
//! let distance = kernel.sub(length, radius);
//! let code = Code::new(kernel.operations(), &[distance], 3, &[], Rounding::Fast);
//!
//! // At many points: an array for each coordinate and for each output.
//! let batch = Batch::<f32>::new(&code, 3, Settings::default());
//! let mut distances = [0.0; 2];
//! batch.evaluator().run(&[&[8.0, 0.0], &[0.0, 3.0], &[0.0, 4.0]], &[], &mut [&mut distances]);
//! assert_eq!(distances, [3.0, 0.0]);
//!
//! // With its gradient at a point, and the largest slope in a box.
//! let at = code.jacobian(&[0.0, 8.0, 0.0], &[0, 1, 2], Settings::default());
//! assert_eq!((at.values[0], at.gradient(0)), (3.0, [0.0, 1.0, 0.0].as_slice()));
//! let region = [Interval::new(-9.0, 9.0); 3];
//! let slope = code.lipschitz(0, &region, &[0, 1, 2], 100, Settings::default());
//! assert!(slope.most < 1.001);
//! ```
//!
//! # Which evaluator
//!
//! | question | answer |
//! |---|---|
//! | one point at a time, `f64` | [`Point`] |
//! | many points | [`Batch`]: a block interpreter, and machine code once that pays |
//! | axis-aligned grids of points | [`Grid`]: what depends on one axis is computed once |
//! | bounds on a box, rounded outward | [`IntervalEvaluator`] |
//! | values only where they matter, for surfaces and pictures | [`prune`] |
//! | derivatives and Lipschitz constants | [`gradient`] |
//! | a graphics processor | [`glsl`] |
//!
//! # Invariants
//!
//! - **One semantics.** Each instruction is defined once, in the operations of a [`Lane`], and so are the elementary
//!   functions ([`Elementary`], with their error bounds). Points, blocks on every [`InstructionSet`] and machine code
//!   run that one source and yield the same bits; only the sign and payload of a NaN may differ.
//! - **Two roundings.** [`Rounding::Exact`] rounds each operation by itself, as the kernel defines it; [`Rounding::Fast`]
//!   takes the liberties that [`Code::new`] lists, for sampling.
//! - Codes and what is prepared from them are immutable and shared between threads. Evaluators hold the scratch memory of
//!   one thread and are reused.
//! - The crate does no input or output and starts no threads.
//!
//! # Costs and limits
//!
//! Optimisation and preparation take time and memory proportional to the instructions; evaluation takes time
//! proportional to points times instructions, and its allocations do not grow with the points. Machine code exists for
//! x86-64 with AVX2 or AVX-512 on codes without oracles; everything else runs portably. GLSL is limited to
//! [`MOST_INSTRUCTIONS`](glsl::MOST_INSTRUCTIONS) and has no oracles; a [tape](prune::Tape) holds at most some 65 000
//! live values.
//!
//! # Where to start reading
//!
//! `code` for the intermediate representation, `meaning` and `lane` for the semantics, `optimise` for the passes, then
//! one backend: `block` (interpreter) before `jit` (machine code). `interval` comes before `prune`. `trial` has the
//! random functions and the reference evaluator of the tests.

#![expect(clippy::inline_always, reason = "a loop with calls is not vectorised")]

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
