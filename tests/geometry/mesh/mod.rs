//! From functions to meshes: what every mesh is, and how close it is to the shape.

mod accuracy;
mod cuts;
mod exports;
mod independent;
mod reader;
pub(crate) mod shapes;
mod simplified;
mod surfaces;
mod written;

use fibula::geometry::{Bounds, MeshError, MeshSettings, Shape, ShapeMesh, mesh};

pub(crate) use crate::space::{ON, cube, tape};

/// The mesh of an expression.
///
/// # Errors
/// As [`mesh`].
pub(crate) fn meshed(text: &str, bounds: Bounds, cell: f64) -> Result<ShapeMesh, MeshError> {
    let tape = tape(text);
    let shape = Shape::new(&tape).unwrap();
    mesh(&shape, &MeshSettings::new(bounds, cell), ON)
}
