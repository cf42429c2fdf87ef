//! Edits of files. Nothing refers to a file, so nothing else changes with it.

use fibula_nodes::ResourceId;

use super::check::staged_edit;
use super::{Change, Checked, Edit, EditError};
use crate::graph::{Document, File, Resource};

pub(super) fn add(
    document: &Document,
    resource_id: Option<ResourceId>,
    file: &File,
) -> Result<Checked, EditError> {
    file.check()?;
    let resource_id = match resource_id {
        Some(id) => id,
        None => ResourceId(document.next_id()?),
    };
    let mut staged = document.clone();
    staged.insert_resource(resource_id, Resource::File(file.clone()))?;
    let facts = Edit::AddFile {
        resource_id: Some(resource_id),
        file: file.clone(),
    };
    let mut checked = staged_edit(facts, Edit::RemoveFile { resource_id }, staged);
    checked.change = Change {
        resource_id: Some(resource_id),
        ..Change::default()
    };
    Ok(checked)
}

pub(super) fn remove(document: &Document, resource_id: ResourceId) -> Result<Checked, EditError> {
    let Some(Resource::File(file)) = document.resource(resource_id) else {
        return Err(EditError::UnknownFile(resource_id));
    };
    let inverse = Edit::AddFile {
        resource_id: Some(resource_id),
        file: file.clone(),
    };
    let mut staged = document.clone();
    staged.remove_resource(resource_id);
    Ok(staged_edit(
        Edit::RemoveFile { resource_id },
        inverse,
        staged,
    ))
}
