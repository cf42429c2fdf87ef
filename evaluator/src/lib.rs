//! Fast evaluation of kernel operations.

mod code;
mod cpu;
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "what chooses between backends is to come")
)]
#[cfg_attr(not(target_arch = "x86_64"), path = "jit/absent.rs")]
mod jit;
mod lane;
mod math;
mod meaning;
mod optimise;

pub use code::{Arg, Args, Code, Fused, Instruction, Place, Rounding};
pub use cpu::{InstructionSet, Settings};
pub use lane::{Float, Lane};
pub use math::Elementary;
