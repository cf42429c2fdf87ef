//! UUIDs for what has none in a model that requires the production extension, which demands one of the build and of each
//! item, object and component: a project may have some from a file with the extension, and others from elsewhere.
//!
//! They are hashes of the objects and UUIDs that are there, and of what they are for: each export gives the same.

use fibula_core::graph::model::{Attribute, Body, ModelResource};
use fibula_core::graph::{ContentHash, Document};

use super::prefixes::Prefixes;
use crate::uuid::{UUID, derive_uuid, is_uuid_attribute};

/// Namespaces of the extension begin so.
const PRODUCTION: &str = "http://schemas.microsoft.com/3dmanufacturing/production/";

/// UUIDs that are missing.
pub(super) struct MissingUuids {
    /// Name of the attribute, with the prefix of its namespace.
    name: String,
    /// Hash of the objects of the model, and of the attributes of its build and items.
    seed: ContentHash,
}

impl MissingUuids {
    /// `None` if the model does not require the extension.
    pub(super) fn new(document: &Document, prefixes: &Prefixes) -> Option<MissingUuids> {
        let info = document.model().info();
        let namespace = info
            .required
            .iter()
            .find(|one| one.starts_with(PRODUCTION))?;
        let items = document.model().items();
        let items: Vec<_> = items.map(|(_, item)| &item.extra.attributes).collect();
        let objects = document.model_resources();
        let objects = objects.filter_map(|(id, resource)| match resource {
            ModelResource::Object(object) => Some((
                id,
                &object.name,
                &object.extra.attributes,
                content(&object.body),
            )),
            _ => None,
        });
        let objects: Vec<_> = objects.collect();
        let seed = format!("{:?} {items:?} {objects:?}", info.build);
        Some(MissingUuids {
            name: prefixes.attribute(namespace, UUID)?,
            seed: ContentHash::digest(seed.as_bytes()),
        })
    }

    /// Returns the name and the value of the attribute that is missing, if one is, given what it is for.
    pub(super) fn missing(&self, attributes: &[Attribute], what: &str) -> Option<(&str, String)> {
        let is_there = attributes
            .iter()
            .any(|one| is_uuid_attribute(&one.namespace, &one.name));
        let value = || derive_uuid(&format!("{} {what}", self.seed));
        (!is_there).then(|| (self.name.as_str(), value()))
    }
}

/// Hash of the content of an object, if it has one.
fn content(body: &Body) -> Option<ContentHash> {
    match body {
        Body::Mesh(mesh) => Some(mesh.content),
        Body::Foreign(foreign) => Some(foreign.content),
        Body::Components(_) | Body::LevelSet(_) => None,
    }
}
