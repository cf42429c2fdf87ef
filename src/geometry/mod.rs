//! Functions in space: what is made of many values of a function.
//!
//! [`Sampler`] computes values at points and on grids, [`Explorer`] where they matter only, both on all threads and
//! with progress; meshes, slices and pictures build on them.

mod bounds;
mod explore;
mod sample;

pub use bounds::{Bounds, NoBox};
pub use explore::{Explorer, Unexplorable};
pub use sample::{Cancelled, Lattice, Sampler, Watch};
