//! Content hashes that a project references: files, meshes, images and package parts.

use fibula_core::edit::Edit;
use fibula_core::graph::{ContentHash, Document, Resource};

/// Returns the content hashes that a document references: resources in id order, then package parts.
pub fn document_hashes(document: &Document) -> Vec<ContentHash> {
    let resources = document.resources();
    let resources = resources.flat_map(|(_, resource)| match resource {
        Resource::File(file) => vec![file.content],
        Resource::Model(resource) => resource.contents(),
        Resource::Content(_) | Resource::ImageFunction(_) => Vec::new(),
    });
    let parts = document.model().parts().map(|(_, part)| part.content);
    resources.chain(parts).collect()
}

/// Returns the content hashes that an edit references, in the order of the edit.
pub fn edit_hashes(edit: &Edit) -> Vec<ContentHash> {
    match edit {
        Edit::AddFile { file, .. } => vec![file.content],
        Edit::Model(edit) => edit.contents(),
        Edit::Batch(edits) => edits.iter().flat_map(edit_hashes).collect(),
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
        | Edit::RemoveFile { .. }
        | Edit::Knowledge(_) => Vec::new(),
    }
}
