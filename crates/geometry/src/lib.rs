//! Functions in space: what is made of many values of a function.
//!
//! [`Sampler`] computes values at points and on grids, [`Explorer`] where they matter only, both on all threads and
//! with progress; of a [`Shape`] [`mesh()`] makes triangles, of which [`simplify()`] leaves fewer, [`Slicer`] contours, [`Masker`]
//! masks, and [`picture`] pictures; [`measure()`] and [`compare`] measure it, and [`colors()`] tells the colours of its places.

mod bounds;
mod bracket;
mod explore;
pub mod picture;
mod sample;
mod shape;

mod extent;
mod mask;
mod mesh;
mod paint;
mod slice;

mod measure;

pub use bounds::{Bounds, NoBox};
pub use explore::{Explorer, Unexplorable};
pub use extent::{Boundless, find_bounds, search_bounds};
pub use fibula_knowledge::progress::{Cancelled, Watch};
pub use mask::{Mask, Masker, Masking, Unmaskable};
pub use measure::{
    Comparing, Comparison, Count, Figure, Measured, Measures, Measuring, Span, Unmeasurable,
    compare, measure,
};
pub use mesh::{
    Mass, Meshed, Meshing, Simplified, Simplifying, Topology, TriangleMesh, Undefined, Unmeshable,
    Unsimplifiable, mesh, simplify,
};
pub use paint::colors;
pub use sample::{Lattice, Sampler};
pub use shape::{NoShape, Shape};
pub use slice::{Contour, Slice, Slicer, Slicing, Unsliceable};

/// About the least size from one on, short to write, that passes; large ones do.
fn short_that(mut from: f64, passes: impl Fn(f64) -> bool) -> f64 {
    loop {
        let size = short(from);
        if passes(size) {
            return size;
        }
        from = (from * 1.02).next_up();
    }
}

/// A size that is at least as large, and short to write.
pub fn short(size: f64) -> f64 {
    let step = 10_f64.powf(size.log10().floor() - 1.0);
    let larger = (size / step).ceil() * step;
    // Without what rounding adds.
    format!("{larger:.3e}").parse().unwrap_or(larger)
}
