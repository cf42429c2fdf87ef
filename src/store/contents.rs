//! Which files' bytes a project needs.

use crate::edit::Edit;
use crate::graph::{ContentHash, Document, Resource};

/// The bytes of a document's files, in the order of the files' ids.
pub fn of_document(document: &Document) -> Vec<ContentHash> {
    let resources = document.resources();
    let files = resources.filter_map(|(_, resource)| match resource {
        Resource::File(file) => Some(file.content),
        Resource::Content(_) | Resource::ImageFunction(_) => None,
    });
    files.collect()
}

/// The bytes of the files that an edit adds, in its order.
pub fn of_edit(edit: &Edit) -> Vec<ContentHash> {
    match edit {
        Edit::AddFile { file, .. } => vec![file.content],
        Edit::Batch(edits) => edits.iter().flat_map(of_edit).collect(),
        Edit::SetFunction(_)
        | Edit::DeleteFunction { .. }
        | Edit::RenameFunction { .. }
        | Edit::AddPort { .. }
        | Edit::RemovePort { .. }
        | Edit::RenamePort { .. }
        | Edit::RetypePort { .. }
        | Edit::MovePort { .. }
        | Edit::CreateNode { .. }
        | Edit::DeleteNode { .. }
        | Edit::RenameNode { .. }
        | Edit::MoveNode { .. }
        | Edit::CreateLink { .. }
        | Edit::DeleteLink { .. }
        | Edit::SetParameterValue { .. }
        | Edit::SetOverload { .. }
        | Edit::SetCallee { .. }
        | Edit::AddImageFunction { .. }
        | Edit::RemoveImageFunction { .. }
        | Edit::RemoveFile { .. } => Vec::new(),
    }
}
