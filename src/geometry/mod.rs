//! Functions in space: what is made of many values of a function.
//!
//! [`Sampler`] computes values at points and on grids, [`Explorer`] where they matter only, both on all threads and
//! with progress; [pictures](picture) of [`Shape`]s build on them.

mod bounds;
mod explore;
mod extent;
pub mod picture;
mod sample;
mod shape;

pub use bounds::{Bounds, NoBox};
pub use explore::{Explorer, Unexplorable};
pub use extent::{Boundless, find_bounds, search_bounds};
pub use sample::{Cancelled, Lattice, Sampler, Watch};
pub use shape::{NoShape, Shape};
