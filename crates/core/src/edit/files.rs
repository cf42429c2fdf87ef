//! Edits of files. Nothing refers to a file, so nothing else changes with it.

use fibula_nodes::ResourceId;

use super::check::planned;
use super::{Change, Checked, Edit, EditError, Plan};
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
    let resource = Resource::File(file.clone());
    document.check_insert(resource_id, &resource)?;
    let facts = Edit::AddFile {
        resource_id: Some(resource_id),
        file: file.clone(),
    };
    let plan = Plan::Add(resource_id, resource);
    let mut checked = planned(facts, Edit::RemoveFile { resource_id }, plan);
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
    Ok(planned(
        Edit::RemoveFile { resource_id },
        inverse,
        Plan::Remove(resource_id),
    ))
}
