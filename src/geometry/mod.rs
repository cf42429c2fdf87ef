//! Functions in space: what is made of many values of a function.
//!
//! [`Sampler`] computes values at points and on grids on all threads; meshes, slices and pictures build on it.

mod sample;

pub use sample::{Cancelled, Lattice, Sampler, Watch};
