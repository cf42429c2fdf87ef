//! Fast evaluation of kernel operations.

mod lane;
mod math;

pub use lane::{Float, Lane};
pub use math::Elementary;
