//! Functions in space: what is made of many values of a function.
//!
//! [`Sampler`] computes values at points and on grids, [`Explorer`] where they matter only, both on all threads and
//! with progress; [`mesh()`] builds on them, as slices and pictures do.

mod bounds;
mod explore;
mod mesh;
mod sample;

pub use bounds::{Bounds, NoBox};
pub use explore::{Explorer, Unexplorable};
pub use mesh::{Mass, Meshed, Meshing, Topology, TriangleMesh, Undefined, Unmeshable, mesh};
pub use sample::{Cancelled, Lattice, Sampler, Watch};
