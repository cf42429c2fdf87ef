//! What stored meshes and images answer with, read when an evaluation asks for it and kept for the next.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use fibula_3mf::contents;
use fibula_core::graph::model::{Body, ImageStack, MeshBody, ModelResource};
use fibula_core::graph::{Content, ContentHash, Document, Resource};
use fibula_nodes::{ResourceId, Value};

use super::project::{Project, Snapshot};
use super::refusal::Refusal;
use super::tapes::Key;

/// About how many bytes are kept for all projects, beside what was read last.
const MOST_BYTES: u64 = 512 << 20;

/// What was read lately, the newest last.
#[derive(Debug, Default)]
pub(super) struct Loaded(Mutex<Vec<Kept>>);

#[derive(Debug)]
struct Kept {
    contents: Vec<ContentHash>,
    bytes: u64,
    content: Arc<dyn Content>,
}

impl Loaded {
    fn find(&self, contents: &[ContentHash]) -> Option<Arc<dyn Content>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|one| one.contents == contents)?;
        let found = kept.remove(place);
        let content = found.content.clone();
        kept.push(found);
        Some(content)
    }

    fn keep(&self, new: Kept) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(new);
        let mut bytes: u64 = kept.iter().map(|one| one.bytes).sum();
        while bytes > MOST_BYTES && kept.len() > 1 {
            bytes -= kept.remove(0).bytes;
        }
    }
}

impl Project {
    /// Whether all that the function asks is there to answer.
    pub(super) fn is_loaded(&self, snapshot: &Snapshot, key: &Key) -> bool {
        let mut asked = stored(&snapshot.document, key.asks());
        asked.all(|(_, resource)| self.loaded.find(&resource.contents()).is_some())
    }

    /// The document with what functions and objects ask, which is read if need be.
    ///
    /// # Errors
    /// A [`Refusal`] that names the mesh or image whose bytes are lost, damaged, or such that nothing can be asked.
    pub(super) fn answering(
        &self,
        snapshot: &Snapshot,
        asking: impl IntoIterator<Item = ResourceId>,
    ) -> Result<Document, Refusal> {
        let mut document = snapshot.document.clone();
        for (id, resource) in stored(&snapshot.document, asking) {
            let contents = resource.contents();
            let content = if let Some(content) = self.loaded.find(&contents) {
                content
            } else {
                let (content, bytes) = self.read_content(id, resource)?;
                self.loaded.keep(Kept {
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

    /// Reads what a mesh or image answers with, and about how many bytes it takes.
    fn read_content(
        &self,
        id: ResourceId,
        resource: &ModelResource,
    ) -> Result<(Arc<dyn Content>, u64), Refusal> {
        let label = || resource.label(id);
        let bytes = |hash: ContentHash| -> Result<Vec<u8>, Refusal> {
            self.store.content(hash)?.ok_or_else(|| lost(&label()))
        };
        let refused = |error: contents::ContentError| {
            Refusal::new(error.code(), format!("{}: {error}", label()))
        };
        match body(resource) {
            None => Err(lost(&label())),
            Some(Stored::Mesh(mesh)) => {
                let content = contents::mesh(&bytes(mesh.content)?).map_err(refused)?;
                Ok((content, 3 * mesh.size))
            }
            Some(Stored::Image(image)) => {
                let mut sheets = Vec::with_capacity(image.sheets.len());
                for sheet in &image.sheets {
                    sheets.push((sheet.content, bytes(sheet.content)?));
                }
                let sheet = |hash: &ContentHash| {
                    let found = sheets.iter().find(|(other, _)| other == hash);
                    found.map(|(_, bytes)| bytes)
                };
                let content = contents::image(image, sheet).map_err(refused)?;
                let voxels = u64::from(image.columns) * u64::from(image.rows);
                Ok((content, 4 * voxels * image.sheets.len() as u64))
            }
        }
    }
}

/// What of a resource lies elsewhere and answers.
enum Stored<'a> {
    Mesh(&'a MeshBody),
    Image(&'a ImageStack),
}

fn body(resource: &ModelResource) -> Option<Stored<'_>> {
    match resource {
        ModelResource::Object(object) => match &object.body {
            Body::Mesh(mesh) => Some(Stored::Mesh(mesh)),
            Body::Components(_) | Body::LevelSet(_) | Body::Foreign(_) => None,
        },
        ModelResource::Image(image) => Some(Stored::Image(image)),
        ModelResource::VolumeData(_) | ModelResource::Foreign(_) => None,
    }
}

impl Key {
    /// The function, and the resources that its arguments name.
    pub(super) fn asks(&self) -> impl Iterator<Item = ResourceId> {
        self.statics
            .values()
            .filter_map(named)
            .chain([self.function.into()])
    }
}

/// The resource that a value names.
pub(super) fn named(value: &Value) -> Option<ResourceId> {
    match value {
        Value::ResourceId(id) => Some(*id),
        Value::Float(_)
        | Value::Float3(_)
        | Value::Matrix4x4(_)
        | Value::Integer(_)
        | Value::String(_) => None,
    }
}

/// The meshes and images that functions and objects ask, and those that they call or consist of.
fn stored(
    document: &Document,
    asking: impl IntoIterator<Item = ResourceId>,
) -> impl Iterator<Item = (ResourceId, &ModelResource)> {
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
            consists(resource, &mut open);
        }
    }
    let resources = seen.into_iter();
    let resources = resources.filter_map(|id| Some((id, document.model_resource(id)?)));
    resources.filter(|(_, resource)| body(resource).is_some())
}

/// What an object consists of, and the functions that a volume asks.
fn consists(resource: &ModelResource, open: &mut Vec<ResourceId>) {
    match resource {
        ModelResource::Object(object) => match &object.body {
            Body::Components(parts) => open.extend(parts.iter().map(|part| part.object)),
            Body::LevelSet(level_set) => {
                open.push(level_set.field.function_id);
                // The box around a mesh is known without it.
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

fn lost(label: &str) -> Refusal {
    let message = format!("the bytes of {label} are not in the store");
    Refusal::new("damaged_store", message).hint("`fibula verify` tells what else is missing")
}
