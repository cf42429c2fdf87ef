//! Fast evaluation of kernel operations.

mod batch;
mod block;
mod code;
mod cpu;
pub mod glsl;
pub mod gradient;
mod grid;
mod interval;
#[cfg_attr(not(target_arch = "x86_64"), path = "jit/absent.rs")]
mod jit;
mod lane;
mod math;
mod meaning;
mod optimise;
mod point;
pub mod prune;

pub use batch::{Batch, BatchEvaluator};
pub use code::{Arg, Args, Code, Fused, Instruction, Place, Rounding};
pub use cpu::{InstructionSet, Settings};
pub use grid::{Grid, GridEvaluator};
pub use interval::{Choice, Interval, IntervalEvaluator};
pub use lane::{Float, Lane};
pub use math::Elementary;
pub use point::{Point, PointEvaluator};
