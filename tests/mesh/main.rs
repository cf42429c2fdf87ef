//! From functions to meshes: what every mesh is, and how close it is to the shape.

mod shapes;
mod simplified;
mod surfaces;

use std::ops::ControlFlow;

use fibula::eval::Tape;
use fibula::expression;
use fibula::geometry::{Bounds, Meshed, Meshing, Shape, Unmeshable, Watch, mesh};
use fibula::graph::Document;

/// Never ends the work.
pub(crate) const ON: &Watch<'static> = &|_, _| ControlFlow::Continue(());

/// The tape of an expression.
pub(crate) fn tape(text: &str) -> Tape {
    let mut document = Document::default();
    let function = expression::add_function(&mut document, "shape", text).unwrap();
    Tape::new(&document, function).unwrap()
}

/// The cube around the origin.
pub(crate) fn cube(half: f64) -> Bounds {
    Bounds::new([-half; 3], [half; 3]).unwrap()
}

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
