//! Meshes and images that functions query, decoded on demand and cached.

use std::collections::BTreeSet;
use std::sync::Arc;

use fibula_3mf::contents;
use fibula_core::graph::model::{Body, ImageStack, MeshBody, ModelResource};
use fibula_core::graph::{Content, ContentHash, Document, Resource};
use fibula_nodes::{ResourceId, Value};

use crate::project::change::Snapshot;
use crate::project::commit::Project;
use crate::project::resource_cache::CachedContent;
use crate::project::tape_cache::TapeKey;
use crate::refusal::{LOST_CONTENT, Refusal, Result};

impl Project {
    /// Returns true if everything that the function queries is in the cache.
    pub(crate) fn is_loaded(&self, snapshot: &Snapshot, key: &TapeKey) -> bool {
        let mut needed = queried_resources(&snapshot.document, key.resources());
        needed.all(|(_, resource)| self.loaded.find(&resource.contents()).is_some())
    }

    /// Returns the document with the contents loaded that the functions and objects query.
    ///
    /// # Errors
    /// A [`Refusal`] that names the mesh or image whose bytes are missing, damaged or unusable.
    pub(crate) fn with_content(
        &self,
        snapshot: &Snapshot,
        asking: impl IntoIterator<Item = ResourceId>,
    ) -> Result<Document> {
        let mut document = snapshot.document.clone();
        for (id, resource) in queried_resources(&snapshot.document, asking) {
            let contents = resource.contents();
            let content = if let Some(content) = self.loaded.find(&contents) {
                content
            } else {
                let (content, bytes) = self.read_content(snapshot, id, resource)?;
                self.loaded.keep(CachedContent {
                    contents,
                    bytes,
                    content: content.clone(),
                });
                content
            };
            document.load(id, content);
        }
        Ok(document)
    }

    /// Decodes a mesh or image. Returns it with its approximate size in bytes.
    fn read_content(
        &self,
        snapshot: &Snapshot,
        id: ResourceId,
        resource: &ModelResource,
    ) -> Result<(Arc<dyn Content>, u64)> {
        let label = || resource.label(id);
        let bytes = |hash: ContentHash| -> Result<Vec<u8>> {
            self.content(snapshot, hash)?.ok_or_else(|| lost(&label()))
        };
        let refused = |error: contents::ContentError| {
            Refusal::new(error.code(), format!("{}: {error}", label()))
        };
        match body(resource) {
            None => Err(lost(&label())),
            Some(QueryableBody::Mesh(mesh)) => {
                let content = contents::load_mesh(&bytes(mesh.content)?).map_err(refused)?;
                Ok((content, 3 * mesh.size))
            }
            Some(QueryableBody::Image(image)) => {
                let mut sheets = Vec::with_capacity(image.sheets.len());
                for sheet in &image.sheets {
                    sheets.push((sheet.content, bytes(sheet.content)?));
                }
                let sheet = |hash: &ContentHash| {
                    let found = sheets.iter().find(|(other, _)| other == hash);
                    found.map(|(_, bytes)| bytes)
                };
                let content = contents::load_image(image, sheet).map_err(refused)?;
                let voxels = u64::from(image.columns) * u64::from(image.rows);
                Ok((content, 4 * voxels * image.sheets.len() as u64))
            }
        }
    }
}

/// A resource whose content is stored apart from the document and can be queried.
enum QueryableBody<'a> {
    Mesh(&'a MeshBody),
    Image(&'a ImageStack),
}

fn body(resource: &ModelResource) -> Option<QueryableBody<'_>> {
    match resource {
        ModelResource::Object(object) => match &object.body {
            Body::Mesh(mesh) => Some(QueryableBody::Mesh(mesh)),
            Body::Components(_) | Body::LevelSet(_) | Body::Foreign(_) => None,
        },
        ModelResource::Image(image) => Some(QueryableBody::Image(image)),
        ModelResource::VolumeData(_) | ModelResource::Foreign(_) => None,
    }
}

impl TapeKey {
    /// The function, and the resources that its arguments refer to.
    pub(crate) fn resources(&self) -> impl Iterator<Item = ResourceId> {
        self.statics
            .values()
            .filter_map(resource_of)
            .chain([self.function.into()])
    }
}

/// Returns the resource that a value refers to.
pub(crate) fn resource_of(value: &Value) -> Option<ResourceId> {
    match value {
        Value::ResourceId(id) => Some(*id),
        Value::Float(_)
        | Value::Float3(_)
        | Value::Matrix4x4(_)
        | Value::Integer(_)
        | Value::String(_) => None,
    }
}

/// Functions, objects and resources, and those that they refer to, directly or through calls and components.
pub(crate) fn reachable(
    document: &Document,
    asking: impl IntoIterator<Item = ResourceId>,
) -> BTreeSet<ResourceId> {
    let mut open: Vec<ResourceId> = asking.into_iter().collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        if let Ok(function) = document.function(id.into()) {
            open.extend(function.references().map(|(id, _, _)| id));
        } else if let Some(Resource::ImageFunction(image)) = document.resource(id) {
            open.push(image.image);
        } else if let Some(resource) = document.model_resource(id) {
            push_references(resource, &mut open);
        }
    }
    seen
}

/// Meshes and images that functions and objects query, directly or through calls and components.
fn queried_resources(
    document: &Document,
    asking: impl IntoIterator<Item = ResourceId>,
) -> impl Iterator<Item = (ResourceId, &ModelResource)> {
    let resources = reachable(document, asking).into_iter();
    let resources = resources.filter_map(|id| Some((id, document.model_resource(id)?)));
    resources.filter(|(_, resource)| body(resource).is_some())
}

/// Adds the components of an object, or the functions of volume data.
fn push_references(resource: &ModelResource, open: &mut Vec<ResourceId>) {
    match resource {
        ModelResource::Object(object) => match &object.body {
            Body::Components(parts) => open.extend(parts.iter().map(|part| part.object)),
            Body::LevelSet(level_set) => {
                open.push(level_set.field.function_id);
                // The bounding box of a mesh is known without its content.
                if !level_set.mesh_bbox_only {
                    open.push(level_set.mesh);
                }
            }
            Body::Mesh(_) | Body::Foreign(_) => {}
        },
        ModelResource::VolumeData(volume) => {
            open.extend(volume.fields().map(|field| field.function_id));
        }
        ModelResource::Image(_) | ModelResource::Foreign(_) => {}
    }
}

/// Refusal of a mesh or image, by its label, whose bytes are missing.
pub(crate) fn lost(label: &str) -> Refusal {
    let message = format!("the bytes of {label} are not in the store");
    Refusal::new("damaged_store", message).hint(LOST_CONTENT)
}
