//! Shapes in space, for the tests of what is made of them.

use std::ops::ControlFlow;

use fibula::eval::Tape;
use fibula::expression;
use fibula::geometry::{Bounds, Watch};
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
