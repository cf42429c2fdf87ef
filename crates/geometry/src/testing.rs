//! Shapes for tests.

use fibula_core::eval::Tape;
use fibula_core::expression;
use fibula_core::graph::Document;

/// Returns the tape of an expression.
pub(super) fn tape(text: &str) -> Tape {
    let mut document = Document::default();
    let function = expression::add_function(&mut document, "Shape", text).unwrap();
    Tape::new(&document, function).unwrap()
}
