//! Which bytes a project needs: of its files, its meshes and images, the parts of its package.

use fibula_core::edit::Edit;
use fibula_core::graph::{ContentHash, Document, Resource};

/// The bytes that a document needs: of its resources in the order of their ids, then of the parts of its package.
pub fn of_document(document: &Document) -> Vec<ContentHash> {
    let resources = document.resources();
    let resources = resources.flat_map(|(_, resource)| match resource {
        Resource::File(file) => vec![file.content],
        Resource::Model(resource) => resource.contents(),
        Resource::Content(_) | Resource::ImageFunction(_) => Vec::new(),
    });
    let parts = document.model().parts().map(|(_, part)| part.content);
    resources.chain(parts).collect()
}

/// The bytes that an edit needs, in its order.
pub fn of_edit(edit: &Edit) -> Vec<ContentHash> {
    match edit {
        Edit::AddFile { file, .. } => vec![file.content],
        Edit::Model(edit) => edit.contents(),
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
        | Edit::RemoveFile { .. }
        | Edit::Knowledge(_) => Vec::new(),
    }
}
