//! Implicit solids: bounds, meshes, slices, masks, measurements and pictures of a function of a point.
//!
//! A [`Shape`] is a function that is below 0 where there is material. It need not be a distance, nor smooth, nor defined
//! everywhere. From such a function this crate computes what printers, viewers and programs for manufacturing need,
//! guided by interval arithmetic: only the neighbourhood of the surface is evaluated.
//!
//! | to get | use | algorithm |
//! |---|---|---|
//! | a box around it | [`find_bounds`], [`search_bounds`] | branch and bound with intervals |
//! | triangles | [`mesh()`] | dual contouring, always a manifold |
//! | fewer triangles | [`simplify()`] | half-edge collapse with a bound of the deviation |
//! | contours at heights | [`Slicer`] | marching squares, refined to a tolerance |
//! | pixels at heights | [`Masker`] | rasterisation with interval pruning |
//! | volume, walls, overhangs, distance of two shapes | [`measure()`], [`compare`] | meshes at three resolutions, ray casting |
//! | pictures | [`picture`] | ray marching, depth and normal buffer, ambient occlusion |
//! | values at points and on grids | [`Sampler`], [`Explorer`] | batches; octree of interval bounds |
//! | colours of surface points | [`colors()`] | |
//!
//! It is **not** a modeller: functions come from `fibula-core`, or from anything that makes a
//! [`Tape`](fibula_core::eval::Tape). It writes no files either: `fibula-formats` and `fibula-3mf` do.
//!
//! # Tour
//!
//! ```
//! use fibula_core::{eval::Tape, expression, graph::Document};
//! use fibula_geometry::{MeshSettings, Shape, SimplifySettings, SliceSettings, Slicer};
//! use fibula_geometry::{mesh, search_bounds, simplify};
//! use std::ops::ControlFlow;
//!
//! let mut document = Document::default();
//! let function = expression::add_function(&mut document, "Lens", "max(length(pos - vec3(0, 0, 3)), length(pos + vec3(0, 0, 3))) - 5")?;
//! let tape = Tape::new(&document, function)?;
//! let lens = Shape::new(&tape)?;
//!
//! // Everything long takes a watch, which reports progress and may cancel the work.
//! let watch = |_done: u64, _total: u64| ControlFlow::Continue(());
//! let bounds = search_bounds(&lens, &watch)?;
//! assert!(bounds.contains([3.9, 0.0, 0.0]) && !bounds.contains([0.0, 0.0, 2.1]));
//!
//! let fine = mesh(&lens, &MeshSettings::new(bounds, 0.2), &watch)?.mesh;
//! assert!(fine.topology().is_sound());
//! let coarse = simplify(&fine, &SimplifySettings::within(0.05), &watch)?;
//! assert!(coarse.mesh.triangles().len() < fine.triangles().len() / 2 && coarse.deviation <= 0.05);
//!
//! let slicer = Slicer::new(&lens, SliceSettings::new(bounds, 0.1))?;
//! let slices = slicer.slice(&[0.0], &watch)?;
//! assert!((slices[0].area() - std::f64::consts::PI * 16.0).abs() < 0.05);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Promises
//!
//! 1. Results do not depend on the number of threads, and are the same bits on every run.
//! 2. A mesh is closed, manifold, oriented and free of degenerate triangles, whatever the function. Contours are closed
//!    and do not intersect.
//! 3. Where the function is exactly 0 or NaN, and beyond the bounds, is outside.
//! 4. What is exact is said to be exact; a tolerance is kept; measurements come with an error, which is an estimate.
//! 5. Nothing here panics because of a function. Errors have a stable `code()`, and name a value that would pass.
//!
//! # Costs and limits
//!
//! Time and memory grow with the surface in cells, not with the volume, as long as interval bounds are good: a mesh of n²
//! surface cells takes O(n²). Details smaller than a cell may be lost. Work runs on rayon's threads; install a pool of
//! your own for another number of threads. Computations are in single precision where a cell has a thousand units in
//! the last place, else in double precision.
//!
//! # Where to read on
//!
//! `shape.rs` is the definition of a solid, `explore.rs` the pruning on which all else rests, `mesh/mod.rs` the outline of
//! dual contouring, `picture/depth_normal_buffer.rs` that of pictures.

#[cfg(test)]
mod testing;

mod bounds;
mod budget;
mod regula_falsi;
mod split_mix;
mod union_find;

mod explore;
mod sample;
mod shape;

mod grid_axis;

mod bounding_box;
mod domain_cuts;
mod mask;
mod mesh;
mod slice;
mod tight_bounds;

mod measure;

pub mod picture;

mod surface_colors;

pub use bounding_box::{BoundsError, find_bounds, search_bounds};
pub use bounds::{Bounds, InvalidBounds};
pub use domain_cuts::{DomainCut, domain_cuts, is_met};
pub use explore::{ExploreError, Explorer};
pub use fibula_knowledge::progress::{Cancelled, Watch};
pub use mask::{Mask, MaskError, MaskSettings, Masker};
pub use measure::{
    Accuracy, AccuracyAttempt, AccuracySearch, AccurateMesh, CompareSettings, Comparison, Count,
    FeatherEdge, FewerShells, Figure, GapKind, LostFeatures, MeasureError, MeasureSettings,
    Measures, MissedSurface, Region, ResolvedMesh, ShapeMeasures, ShellRemoval, ShellRemovalError,
    Slab, SlabSettings, Span, SurfaceReference, compare, encloses_once, measure, measure_mesh,
    mesh_resolved, remove_shells,
};
pub use mesh::{
    MassProperties, MeshError, MeshSettings, ShapeMesh, ShellCounts, SimplifiedMesh, SimplifyError,
    SimplifySettings, Topology, TriangleMesh, UndefinedSamples, count_shells, mesh, simplify,
};
pub use sample::{SampleGrid, Sampler};
pub use shape::{Shape, ShapeError};
pub use slice::{Contour, Slice, SliceError, SliceSettings, Slicer};
pub use surface_colors::colors;
pub use tight_bounds::tight_bounds;

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
