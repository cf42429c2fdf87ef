//! Edits of the model: objects, images, volume data, the build, metadata and the package.

use fibula_nodes::ResourceId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::footprint::{Footprint, ProjectItem};
use super::group::EditGroup;
use super::{Change, Checked, Edit, EditError, Plan};
use crate::graph::model::{self, BuildItem, Metadata, ModelError, ModelInfo, ModelResource, Part};
use crate::graph::{ContentHash, Document, GraphError, Resource, form};

/// Edits of the objects, the build and the package; in JSON `{"set_build_item": {"item": {...}}}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ModelEdit {
    /// Adds an object, an image, volume data or another resource, or replaces the one with its id.
    SetResource {
        /// The id; the smallest that was never used if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<form::ResourceId>")]
        resource_id: Option<ResourceId>,
        /// The resource.
        resource: ModelResource,
    },
    /// Removes one that nothing refers to.
    RemoveResource {
        /// Its id.
        #[schemars(with = "form::ResourceId")]
        resource_id: ResourceId,
    },
    /// Adds an item to the build, or replaces the one with its id.
    SetBuildItem {
        /// Id of the item; the smallest that was never used if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item_id: Option<u32>,
        /// The item.
        item: BuildItem,
    },
    /// Removes an item of the build.
    RemoveBuildItem {
        /// Id of the item.
        item_id: u32,
    },
    /// Adds metadata, or replaces that of its name.
    SetMetadata(Metadata),
    /// Removes the metadata of a name.
    RemoveMetadata {
        /// The name.
        name: String,
    },
    /// Adds a part to the package, or replaces the one with its name.
    SetPart {
        /// Its name, without a slash in front.
        name: String,
        /// The part.
        part: Part,
    },
    /// Removes a part of the package.
    RemovePart {
        /// Its name.
        name: String,
    },
    /// Changes the unit and the other attributes of the package.
    SetInfo(ModelInfo),
}

impl EditGroup for ModelEdit {
    fn check(&self, document: &Document) -> Result<Checked, EditError> {
        check(document, self)
    }

    fn summary(&self) -> String {
        match self {
            ModelEdit::SetResource {
                resource_id: Some(id),
                resource,
            } => format!("set {}", resource.label(*id)),
            ModelEdit::SetResource { resource, .. } => format!("add {}", resource.noun()),
            ModelEdit::RemoveResource { resource_id } => format!("remove resource {resource_id}"),
            ModelEdit::SetBuildItem {
                item_id: Some(id),
                item,
            } => format!("set build item {id} to object {}", item.object),
            ModelEdit::SetBuildItem { item, .. } => format!("build object {}", item.object),
            ModelEdit::RemoveBuildItem { item_id } => format!("remove build item {item_id}"),
            ModelEdit::SetMetadata(metadata) => format!("set metadata {}", short(&metadata.name)),
            ModelEdit::RemoveMetadata { name } => format!("remove metadata {}", short(name)),
            ModelEdit::SetPart { name, .. } => format!("set part {}", short(name)),
            ModelEdit::RemovePart { name } => format!("remove part {}", short(name)),
            ModelEdit::SetInfo(info) => {
                format!("set the unit to {} and other properties", info.unit.name())
            }
        }
    }

    fn add_to(&self, footprint: &mut Footprint) {
        match self {
            ModelEdit::SetResource {
                resource_id,
                resource,
            } => {
                footprint.write_all(resource_id.map(ProjectItem::Resource));
                for id in resource.references() {
                    footprint.require(ProjectItem::Resource(id));
                }
                for field in resource.fields() {
                    footprint.require(ProjectItem::Ports(field.function_id.into()));
                }
            }
            ModelEdit::RemoveResource { resource_id } => {
                footprint.write(ProjectItem::Resource(*resource_id));
            }
            ModelEdit::SetBuildItem { item_id, item } => {
                footprint.write_all(item_id.map(ProjectItem::BuildItem));
                footprint.require(ProjectItem::Resource(item.object));
            }
            ModelEdit::RemoveBuildItem { item_id } => {
                footprint.write(ProjectItem::BuildItem(*item_id));
            }
            ModelEdit::SetMetadata(Metadata { name, .. }) | ModelEdit::RemoveMetadata { name } => {
                footprint.write(ProjectItem::Metadata(name.clone()));
            }
            ModelEdit::SetPart { name, .. } | ModelEdit::RemovePart { name } => {
                footprint.write(ProjectItem::PackagePart(name.clone()));
            }
            ModelEdit::SetInfo(_) => footprint.write(ProjectItem::Info),
        }
    }

    fn size(&self) -> usize {
        1 + match self {
            ModelEdit::SetResource { resource, .. } => resource.size(),
            ModelEdit::SetBuildItem { item, .. } => item.metadata.len() + item.extra.size(),
            ModelEdit::SetInfo(info) => info.extra.size() + info.relationships.len(),
            ModelEdit::RemoveResource { .. }
            | ModelEdit::RemoveBuildItem { .. }
            | ModelEdit::SetMetadata(_)
            | ModelEdit::RemoveMetadata { .. }
            | ModelEdit::SetPart { .. }
            | ModelEdit::RemovePart { .. } => 0,
        }
    }

    fn contents(&self) -> Vec<ContentHash> {
        match self {
            ModelEdit::SetResource { resource, .. } => resource.contents(),
            ModelEdit::SetPart { part, .. } => vec![part.content],
            ModelEdit::RemoveResource { .. }
            | ModelEdit::SetBuildItem { .. }
            | ModelEdit::RemoveBuildItem { .. }
            | ModelEdit::SetMetadata(_)
            | ModelEdit::RemoveMetadata { .. }
            | ModelEdit::RemovePart { .. }
            | ModelEdit::SetInfo(_) => Vec::new(),
        }
    }
}

impl ModelEdit {
    /// Applies the facts to the document that they were checked against.
    pub(super) fn apply(self, document: &mut Document) {
        match self {
            ModelEdit::SetResource {
                resource_id,
                resource,
            } => {
                let id = resource_id.expect("what was checked has its id");
                document.put_resource(id, Resource::Model(resource));
            }
            ModelEdit::RemoveResource { resource_id } => {
                document.remove_resource(resource_id);
            }
            ModelEdit::SetBuildItem { item_id, item } => {
                let id = item_id.expect("what was checked has its id");
                document.set_item(id, Some(item));
            }
            ModelEdit::RemoveBuildItem { item_id } => document.set_item(item_id, None),
            ModelEdit::SetMetadata(metadata) => {
                let name = metadata.name.clone();
                document.model_mut().set_metadata(&name, Some(metadata));
            }
            ModelEdit::RemoveMetadata { name } => document.model_mut().set_metadata(&name, None),
            ModelEdit::SetPart { name, part } => document.model_mut().set_part(&name, Some(part)),
            ModelEdit::RemovePart { name } => document.model_mut().set_part(&name, None),
            ModelEdit::SetInfo(info) => document.model_mut().set_info(info),
        }
    }
}

/// Checks an edit.
pub(super) fn check(document: &Document, edit: &ModelEdit) -> Result<Checked, EditError> {
    let held = document.model();
    let mut change = Change::default();
    let (facts, inverse) = match edit {
        ModelEdit::SetResource {
            resource_id,
            resource,
        } => {
            let id = match resource_id {
                Some(id) => *id,
                None => ResourceId(document.next_id()?),
            };
            change.resource_id = Some(id);
            set_resource(document, id, resource)?
        }
        ModelEdit::RemoveResource { resource_id } => {
            (edit.clone(), removed_resource(document, *resource_id)?)
        }
        ModelEdit::SetBuildItem { item_id, item } => {
            let full = || GraphError::out_of_ids("the build");
            let id = match item_id {
                Some(id) => *id,
                None => held.next_item().ok_or_else(full)?,
            };
            document.check_build_item(id, item)?;
            change.item_id = Some(id);
            let set = |item: &BuildItem| ModelEdit::SetBuildItem {
                item_id: Some(id),
                item: item.clone(),
            };
            let remove = ModelEdit::RemoveBuildItem { item_id: id };
            (set(item), held.item(id).map_or(remove, set))
        }
        ModelEdit::RemoveBuildItem { item_id } => {
            let Some(item) = held.item(*item_id) else {
                let there = held.items().take(SHOWN);
                return Err(unknown(
                    format!("build item {item_id}"),
                    there.map(|(id, item)| format!("build item {id} (object {})", item.object)),
                ));
            };
            let inverse = ModelEdit::SetBuildItem {
                item_id: Some(*item_id),
                item: item.clone(),
            };
            (edit.clone(), inverse)
        }
        ModelEdit::SetMetadata(metadata) => {
            model::check_metadata(metadata)?;
            let name = metadata.name.clone();
            let inverse = match held.metadata_by_name(&name) {
                Some(before) => ModelEdit::SetMetadata(before.clone()),
                None => ModelEdit::RemoveMetadata { name },
            };
            (edit.clone(), inverse)
        }
        ModelEdit::RemoveMetadata { name } => {
            let Some(before) = held.metadata_by_name(name) else {
                let there = held.metadata().take(SHOWN);
                let there = there.map(|one| short(&one.name));
                return Err(unknown(format!("metadata {}", short(name)), there));
            };
            (edit.clone(), ModelEdit::SetMetadata(before.clone()))
        }
        ModelEdit::SetPart { name, part } => {
            model::check_part(name, part)?;
            let inverse = match held.part(name) {
                Some(before) => ModelEdit::SetPart {
                    name: name.clone(),
                    part: before.clone(),
                },
                None => ModelEdit::RemovePart { name: name.clone() },
            };
            (edit.clone(), inverse)
        }
        ModelEdit::RemovePart { name } => {
            let Some(before) = held.part(name) else {
                let there = held.parts().take(SHOWN).map(|(name, _)| short(name));
                return Err(unknown(format!("part {}", short(name)), there));
            };
            let inverse = ModelEdit::SetPart {
                name: name.clone(),
                part: before.clone(),
            };
            (edit.clone(), inverse)
        }
        ModelEdit::SetInfo(info) => {
            model::check_info(info)?;
            (edit.clone(), ModelEdit::SetInfo(held.info().clone()))
        }
    };
    Ok(Checked {
        edit: Edit::Model(facts.clone()),
        inverse: Edit::Model(inverse),
        change,
        plan: Plan::Model(facts),
    })
}

/// Maximum number of alternatives that a refusal names.
const SHOWN: usize = 5;

fn unknown(what: String, there: impl Iterator<Item = String>) -> EditError {
    let there = there.collect();
    ModelError::Unknown { what, there }.into()
}

fn short(name: &str) -> String {
    fibula_nodes::names::visible(name, 60)
}

/// Edit that restores a resource that may be removed.
fn removed_resource(document: &Document, id: ResourceId) -> Result<ModelEdit, EditError> {
    let Some(resource) = document.model_resource(id) else {
        let there = document.model_resources().take(SHOWN);
        return Err(unknown(
            format!("object, image or other resource {id}"),
            there.map(|(id, resource)| resource.label(id)),
        ));
    };
    document.check_unused(id, resource.label(id))?;
    Ok(ModelEdit::SetResource {
        resource_id: Some(id),
        resource: resource.clone(),
    })
}

/// A new resource, or another one under an id: who refers to it must find what it needs.
fn set_resource(
    document: &Document,
    id: ResourceId,
    resource: &ModelResource,
) -> Result<(ModelEdit, ModelEdit), EditError> {
    let set = |resource: &ModelResource| ModelEdit::SetResource {
        resource_id: Some(id),
        resource: resource.clone(),
    };
    document.check_model_resource(id, resource)?;
    let inverse = match document.model_resource(id) {
        Some(before) => set(before),
        None => match document.noun(id) {
            None => ModelEdit::RemoveResource { resource_id: id },
            Some(is) => {
                let wanted = resource.noun().to_owned();
                return Err(ModelError::DuplicateId { id, is, wanted }.into());
            }
        },
    };
    document.check_new(id, resource.kind(), |wants| resource.answers(wants))?;
    // What refers to a resource needs one of its kind, and asks no more.
    let changes = |before: &ModelResource| before.noun() != resource.noun();
    let has_users = document.referrers(id).next().is_some();
    if has_users && document.model_resource(id).is_some_and(changes) {
        let mut staged = document.clone();
        staged.put_resource(id, Resource::Model(resource.clone()));
        for (other, user) in staged.model_users(id) {
            if other != id {
                staged.check_model_resource(other, user)?;
            }
        }
        for (item_id, item) in staged.item_users(id) {
            staged.check_build_item(item_id, item)?;
        }
    }
    Ok((set(resource), inverse))
}
