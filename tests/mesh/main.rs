//! From functions to meshes: what every mesh is, and how close it is to the shape.

mod independent;
#[path = "../samples/mod.rs"]
mod samples;
mod shapes;
mod simplified;
#[path = "../space/mod.rs"]
mod space;
mod surfaces;

use fibula::geometry::{Bounds, Meshed, Meshing, Shape, Unmeshable, mesh};

pub(crate) use space::{ON, cube, tape};

/// The mesh of an expression.
///
/// # Errors
/// As [`mesh`].
pub(crate) fn meshed(text: &str, bounds: Bounds, cell: f64) -> Result<Meshed, Unmeshable> {
    mesh(
        &Shape::new(&tape(text)).unwrap(),
        &Meshing::new(bounds, cell),
        ON,
    )
}
