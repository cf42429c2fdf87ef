//! UUIDs for what has none in a model that requires the production extension, which demands one of the build and of each
//! item, object and component: a project may have some from a file with the extension, and others from elsewhere.
//!
//! They are hashes of those that are there and of what they are for: each export gives the same.

use fibula_core::graph::Document;
use fibula_core::graph::model::{Attribute, ModelResource};

use super::prefixes::Prefixes;
use crate::uuid::{UUID, derived, is_uuid};

/// Namespaces of the extension begin so.
const PRODUCTION: &str = "http://schemas.microsoft.com/3dmanufacturing/production/";

/// New UUIDs.
pub(super) struct NewUuids {
    /// Name of the attribute, with the prefix of its namespace.
    name: String,
    /// UUIDs that are there.
    seed: String,
}

impl NewUuids {
    /// `None` if the model does not require the extension.
    pub(super) fn new(document: &Document, prefixes: &Prefixes) -> Option<NewUuids> {
        let info = document.model().info();
        let namespace = info
            .required
            .iter()
            .find(|one| one.starts_with(PRODUCTION))?;
        let objects = document.model_resources();
        let objects = objects.filter_map(|(_, resource)| match resource {
            ModelResource::Object(object) => Some(&object.extra.attributes),
            _ => None,
        });
        let items = document.model().items();
        let items = items.map(|(_, item)| &item.extra.attributes);
        let all = std::iter::once(&info.build).chain(items).chain(objects);
        let known = all
            .flatten()
            .filter(|one| is_uuid(&one.namespace, &one.name));
        Some(NewUuids {
            name: prefixes.attribute(namespace, UUID)?,
            seed: known.map(|one| one.value.as_str()).collect(),
        })
    }

    /// Returns the name and the value of the attribute that is missing, if one is, given what it is for.
    pub(super) fn missing(&self, attributes: &[Attribute], what: &str) -> Option<(&str, String)> {
        let is_there = attributes
            .iter()
            .any(|one| is_uuid(&one.namespace, &one.name));
        let value = || derived(&format!("{} {what}", self.seed));
        (!is_there).then(|| (self.name.as_str(), value()))
    }
}
