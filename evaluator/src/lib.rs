//! Fast evaluation of kernel operations.

mod batch;
mod block;
mod code;
mod cpu;
mod grid;
#[cfg_attr(not(target_arch = "x86_64"), path = "jit/absent.rs")]
mod jit;
mod lane;
mod math;
mod meaning;
mod optimise;
mod point;

pub use batch::{Batch, BatchEvaluator};
pub use code::{Arg, Args, Code, Fused, Instruction, Place, Rounding};
pub use cpu::{InstructionSet, Settings};
pub use grid::{Grid, GridEvaluator};
pub use lane::{Float, Lane};
pub use math::Elementary;
pub use point::{Point, PointEvaluator};
