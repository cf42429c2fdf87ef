//! Shapes for tests.

use fibula_core::eval::Tape;
use fibula_core::graph::Document;
use fibula_core::library;

/// Returns the tape of an expression, which may call functions of the library.
pub(super) fn tape(text: &str) -> Tape {
    let mut document = Document::default();
    let function = library::add_function(&mut document, "Shape", text).unwrap();
    Tape::new(&document, function).unwrap()
}
