//! Resources of a model: objects, images, volume data, and uninterpreted elements.

use std::collections::BTreeSet;
use std::sync::Arc;

use fibula_nodes::{ResourceId, ResourceKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extra::Foreign;
use super::image::ImageStack;
use super::object::{Body, Object};
use super::volume::{Field, VolumeData};
use crate::graph::ContentHash;

/// A resource of a model that is no function; in JSON `{"object": {...}}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModelResource {
    /// A mesh, an assembly or a level set.
    Object(Arc<Object>),
    /// An image in three dimensions.
    Image(Arc<ImageStack>),
    /// Properties of a volume.
    VolumeData(Arc<VolumeData>),
    /// Content that Fibula preserves but does not interpret.
    Foreign(Arc<Foreign>),
}

impl ModelResource {
    /// Kind of the resource, as references name it.
    pub fn kind(&self) -> ResourceKind {
        self.classify().0
    }

    /// True if a reference to the kind `wants` may name the resource.
    pub fn answers(&self, wants: ResourceKind) -> bool {
        match self {
            ModelResource::Object(object) => match &object.body {
                Body::Mesh(mesh) => {
                    wants == ResourceKind::Mesh
                        || (wants == ResourceKind::BeamLattice && mesh.beams > 0)
                }
                Body::Components(_) | Body::LevelSet(_) | Body::Foreign(_) => false,
            },
            ModelResource::Image(_) | ModelResource::VolumeData(_) | ModelResource::Foreign(_) => {
                wants == self.kind()
            }
        }
    }

    /// Name of its kind in messages, such as `level set` or `mesh`.
    pub fn noun(&self) -> &'static str {
        self.classify().1
    }

    fn classify(&self) -> (ResourceKind, &'static str) {
        match self {
            ModelResource::Object(object) => match &object.body {
                Body::Mesh(_) => (ResourceKind::Mesh, "mesh"),
                Body::Components(_) => (ResourceKind::Object, "assembly"),
                Body::LevelSet(_) => (ResourceKind::Object, "level set"),
                Body::Foreign(_) => (ResourceKind::Object, "object"),
            },
            ModelResource::Image(_) => (ResourceKind::Image, "image"),
            ModelResource::VolumeData(_) => (ResourceKind::VolumeData, "volume data"),
            ModelResource::Foreign(_) => (ResourceKind::Foreign, "other resource"),
        }
    }

    /// Label for messages, such as `level set 5 'Foot'`.
    pub fn label(&self, id: ResourceId) -> String {
        let name = match self {
            ModelResource::Object(object) => object.name.as_str(),
            ModelResource::Image(image) => image.name.as_str(),
            ModelResource::VolumeData(_) => "",
            ModelResource::Foreign(foreign) => foreign.element.as_str(),
        };
        match name {
            "" => format!("{} {id}", self.noun()),
            name => {
                let name = fibula_nodes::names::visible(name, 60);
                format!("{} {id} '{name}'", self.noun())
            }
        }
    }

    /// Number of its parts, sheets, fields and uninterpreted elements.
    pub(crate) fn size(&self) -> usize {
        let listed = match self {
            ModelResource::Object(object) => {
                let body = match &object.body {
                    Body::Mesh(mesh) => mesh.references.len(),
                    Body::Components(parts) => parts.iter().map(|part| 1 + part.extra.size()).sum(),
                    Body::LevelSet(level) => level.field.extra.size(),
                    Body::Foreign(foreign) => foreign.references.len(),
                };
                body + object.metadata.len() + object.extra.size()
            }
            ModelResource::Image(image) => image.sheets.len() + image.extra.size(),
            ModelResource::VolumeData(volume) => volume.extra.size(),
            ModelResource::Foreign(foreign) => foreign.references.len(),
        };
        listed + self.fields().len()
    }

    /// Hashes of its contents, in order.
    pub fn contents(&self) -> Vec<ContentHash> {
        match self {
            ModelResource::Object(object) => match &object.body {
                Body::Mesh(mesh) => vec![mesh.content],
                Body::Foreign(foreign) => vec![foreign.content],
                Body::Components(_) | Body::LevelSet(_) => Vec::new(),
            },
            ModelResource::Image(image) => image.sheets.iter().map(|one| one.content).collect(),
            ModelResource::VolumeData(_) => Vec::new(),
            ModelResource::Foreign(foreign) => vec![foreign.content],
        }
    }

    /// Its fields.
    pub fn fields(&self) -> Vec<&Field> {
        match self {
            ModelResource::Object(object) => match &object.body {
                Body::LevelSet(level) => vec![&level.field],
                Body::Mesh(_) | Body::Components(_) | Body::Foreign(_) => Vec::new(),
            },
            ModelResource::VolumeData(volume) => volume.fields().collect(),
            ModelResource::Image(_) | ModelResource::Foreign(_) => Vec::new(),
        }
    }

    /// Resources and functions that it refers to.
    pub fn references(&self) -> BTreeSet<ResourceId> {
        let fields = self.fields().into_iter();
        let mut all: BTreeSet<ResourceId> = fields.map(|field| field.function_id).collect();
        match self {
            ModelResource::Object(object) => {
                all.extend(object.properties.map(|one| one.group));
                match &object.body {
                    Body::Mesh(mesh) => all.extend(mesh.references.iter().chain(&mesh.volume)),
                    Body::Components(parts) => {
                        let parts = parts.iter().filter(|part| !part.is_external());
                        all.extend(parts.map(|part| part.object));
                    }
                    Body::LevelSet(level) => {
                        all.insert(level.mesh);
                        all.extend(level.volume);
                    }
                    Body::Foreign(foreign) => all.extend(&foreign.references),
                }
            }
            ModelResource::VolumeData(volume) => {
                all.extend(volume.composite.iter().map(|one| one.base_materials));
            }
            ModelResource::Foreign(foreign) => all.extend(&foreign.references),
            ModelResource::Image(_) => {}
        }
        all
    }

    /// Renames an output of a function in its fields; `None` if no field uses the output.
    pub(crate) fn with_channel(
        &self,
        function: ResourceId,
        name: &str,
        new_name: &str,
    ) -> Option<ModelResource> {
        let asks = |field: &&Field| field.function_id == function && field.channel == name;
        if !self.fields().iter().any(asks) {
            return None;
        }
        let rename = |field: &mut Field| {
            if field.function_id == function && field.channel == name {
                new_name.clone_into(&mut field.channel);
            }
        };
        let mut new = self.clone();
        match &mut new {
            ModelResource::Object(object) => {
                if let Body::LevelSet(level) = &mut Arc::make_mut(object).body {
                    rename(&mut level.field);
                }
            }
            ModelResource::VolumeData(volume) => {
                Arc::make_mut(volume).fields_mut().for_each(rename);
            }
            ModelResource::Image(_) | ModelResource::Foreign(_) => {}
        }
        Some(new)
    }
}
