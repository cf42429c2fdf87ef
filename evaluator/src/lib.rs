//! Fast evaluation of kernel operations.

mod block;
mod code;
mod cpu;
pub mod glsl;
mod interval;
mod lane;
mod math;
mod meaning;
mod optimise;
mod point;

pub use code::{Arg, Args, Code, Fused, Instruction, Place, Rounding};
pub use cpu::{InstructionSet, Settings};
pub use interval::{Choice, Interval, IntervalEvaluator};
pub use lane::{Float, Lane};
pub use math::Elementary;
pub use point::{Point, PointEvaluator};
