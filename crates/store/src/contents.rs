//! Content hashes that a project references: files, meshes, images and package parts.

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
