//! Edits of image functions, which functions call, and of files, which nothing refers to.

use fibula_nodes::{ResourceId, ResourceKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::footprint::{Footprint, ProjectItem};
use super::group::EditGroup;
use super::{Change, Checked, EditError, Plan, callers};
use crate::graph::{ContentHash, Document, File, ImageFunction, Resource, form};

/// Edits of image functions and files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ResourceEdit {
    /// Adds an image that functions call.
    AddImageFunction {
        /// Its id.
        #[schemars(with = "form::ResourceId")]
        resource_id: ResourceId,
        /// The image.
        image: ImageFunction,
    },
    /// Removes an image function that no function calls.
    RemoveImageFunction {
        /// Its id.
        #[schemars(with = "form::ResourceId")]
        resource_id: ResourceId,
    },
    /// Adds a file.
    AddFile {
        /// The id; the smallest that was never used if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<form::ResourceId>")]
        resource_id: Option<ResourceId>,
        /// The file.
        file: File,
    },
    /// Removes a file.
    RemoveFile {
        /// Its id.
        #[schemars(with = "form::ResourceId")]
        resource_id: ResourceId,
    },
}

impl EditGroup for ResourceEdit {
    fn check(&self, document: &Document) -> Result<Checked, EditError> {
        match self {
            ResourceEdit::AddImageFunction { resource_id, image } => {
                add_image_function(document, *resource_id, image)
            }
            ResourceEdit::RemoveImageFunction { resource_id } => {
                remove_image_function(document, *resource_id)
            }
            ResourceEdit::AddFile { resource_id, file } => add_file(document, *resource_id, file),
            ResourceEdit::RemoveFile { resource_id } => remove_file(document, *resource_id),
        }
    }

    fn summary(&self) -> String {
        match self {
            ResourceEdit::AddImageFunction { resource_id, image } => {
                format!("add image function {resource_id} '{}'", image.name)
            }
            ResourceEdit::RemoveImageFunction { resource_id } => {
                format!("remove image function {resource_id}")
            }
            ResourceEdit::AddFile {
                resource_id: Some(id),
                file,
            } => format!("add file {id} '{}'", file.name),
            ResourceEdit::AddFile {
                resource_id: None,
                file,
            } => format!("add file '{}'", file.name),
            ResourceEdit::RemoveFile { resource_id } => format!("remove file {resource_id}"),
        }
    }

    fn add_to(&self, footprint: &mut Footprint) {
        let id = match self {
            ResourceEdit::AddFile { resource_id, .. } => *resource_id,
            ResourceEdit::AddImageFunction { resource_id, .. }
            | ResourceEdit::RemoveImageFunction { resource_id }
            | ResourceEdit::RemoveFile { resource_id } => Some(*resource_id),
        };
        footprint.write_all(id.map(ProjectItem::Resource));
    }

    fn contents(&self) -> Vec<ContentHash> {
        match self {
            ResourceEdit::AddFile { file, .. } => vec![file.content],
            ResourceEdit::AddImageFunction { .. }
            | ResourceEdit::RemoveImageFunction { .. }
            | ResourceEdit::RemoveFile { .. } => Vec::new(),
        }
    }
}

fn add_image_function(
    document: &Document,
    resource_id: ResourceId,
    image: &ImageFunction,
) -> Result<Checked, EditError> {
    image.check()?;
    document.check_reference(image.image, ResourceKind::Image, &image.end("image"))?;
    let resource = Resource::ImageFunction(image.clone());
    document.check_insert(resource_id, &resource)?;
    Ok(Checked::new(
        ResourceEdit::AddImageFunction {
            resource_id,
            image: image.clone(),
        },
        ResourceEdit::RemoveImageFunction { resource_id },
        Plan::Add(resource_id, resource),
    ))
}

fn remove_image_function(
    document: &Document,
    resource_id: ResourceId,
) -> Result<Checked, EditError> {
    let Some(Resource::ImageFunction(image)) = document.resource(resource_id) else {
        return Err(EditError::UnknownResource(resource_id));
    };
    callers::check_uncalled(document, resource_id, &image.name)?;
    document.check_field_types(resource_id, None)?;
    document.check_unused(resource_id, format!("image function {resource_id}"))?;
    Ok(Checked::new(
        ResourceEdit::RemoveImageFunction { resource_id },
        ResourceEdit::AddImageFunction {
            resource_id,
            image: image.clone(),
        },
        Plan::Remove(resource_id),
    ))
}

fn add_file(
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
    let facts = ResourceEdit::AddFile {
        resource_id: Some(resource_id),
        file: file.clone(),
    };
    let inverse = ResourceEdit::RemoveFile { resource_id };
    Ok(
        Checked::new(facts, inverse, Plan::Add(resource_id, resource)).with_change(Change {
            resource_id: Some(resource_id),
            ..Change::default()
        }),
    )
}

fn remove_file(document: &Document, resource_id: ResourceId) -> Result<Checked, EditError> {
    let Some(Resource::File(file)) = document.resource(resource_id) else {
        return Err(EditError::UnknownFile(resource_id));
    };
    let inverse = ResourceEdit::AddFile {
        resource_id: Some(resource_id),
        file: file.clone(),
    };
    Ok(Checked::new(
        ResourceEdit::RemoveFile { resource_id },
        inverse,
        Plan::Remove(resource_id),
    ))
}
