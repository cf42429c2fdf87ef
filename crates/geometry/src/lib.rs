//! Functions in space: what is made of many values of a function.
//!
//! [`Sampler`] computes values at points and on grids, [`Explorer`] where they matter only, both on all threads and
//! with progress; of a [`Shape`] [`mesh()`] makes triangles, of which [`simplify()`] leaves fewer, [`Slicer`] contours, [`Masker`]
//! masks, and [`picture`] pictures; [`measure()`] and [`compare`] measure it, and [`colors()`] tells the colours of its places.

#[cfg(test)]
mod testing;

mod bounds;
mod budget;
mod regula_falsi;
mod union_find;

mod explore;
mod sample;
mod shape;

mod grid_axis;

mod bounding_box;
mod mask;
mod mesh;
mod slice;

mod measure;

pub mod picture;

mod surface_colors;

pub use bounding_box::{BoundsError, find_bounds, search_bounds};
pub use bounds::{Bounds, InvalidBounds};
pub use explore::{ExploreError, Explorer};
pub use fibula_knowledge::progress::{Cancelled, Watch};
pub use mask::{Mask, MaskError, MaskSettings, Masker};
pub use measure::{
    CompareSettings, Comparison, Count, Figure, MeasureError, MeasureSettings, Measures,
    ShapeMeasures, Span, compare, measure,
};
pub use mesh::{
    MassProperties, MeshError, MeshSettings, ShapeMesh, SimplifiedMesh, SimplifyError,
    SimplifySettings, Topology, TriangleMesh, UndefinedSamples, mesh, simplify,
};
pub use sample::{SampleGrid, Sampler};
pub use shape::{Shape, ShapeError};
pub use slice::{Contour, Slice, SliceError, SliceSettings, Slicer};
pub use surface_colors::colors;

/// Returns about the least size from one on that passes and is short to write; all large ones pass.
fn short_that(mut from: f64, passes: impl Fn(f64) -> bool) -> f64 {
    loop {
        let size = short(from);
        if passes(size) {
            return size;
        }
        from = (from * 1.02).next_up();
    }
}

/// Rounds a size up to a number of two digits.
pub fn short(size: f64) -> f64 {
    let step = 10_f64.powf(size.log10().floor() - 1.0);
    let larger = (size / step).ceil() * step;
    // Removes rounding noise.
    format!("{larger:.3e}").parse().unwrap_or(larger)
}
