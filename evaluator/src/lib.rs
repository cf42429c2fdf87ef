//! Fast evaluation of kernel operations.

mod code;
mod cpu;
pub mod glsl;
mod lane;
mod math;
mod meaning;
mod optimise;

pub use code::{Arg, Args, Code, Fused, Instruction, Place, Rounding};
pub use cpu::{InstructionSet, Settings};
pub use lane::{Float, Lane};
pub use math::Elementary;
