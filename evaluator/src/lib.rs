//! Fast evaluation of kernel operations.

mod block;
mod code;
mod cpu;
mod lane;
mod math;
mod meaning;
mod optimise;
mod point;

pub use code::{Arg, Args, Code, Fused, Instruction, Place, Rounding};
pub use cpu::{InstructionSet, Settings};
pub use lane::{Float, Lane};
pub use math::Elementary;
pub use point::{Point, PointEvaluator};
