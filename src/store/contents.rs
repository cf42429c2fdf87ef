//! Which files' bytes a project needs.

use crate::edit::Edit;
use crate::graph::{ContentHash, Document};

/// The bytes that a document's files have, each once, in the order of their hashes.
pub fn of_document(_document: &Document) -> Vec<ContentHash> {
    Vec::new()
}

/// The bytes that an edit's files have, in the order in which it names them.
pub fn of_edit(_edit: &Edit) -> Vec<ContentHash> {
    Vec::new()
}
