//! The build, the metadata and the package of a document.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::build::{BuildItem, Metadata, ModelInfo, Part};
use super::check;
use super::error::ModelError;
use crate::graph::ids::IdSet;
use crate::graph::{Document, hash};

/// The build, the metadata and the package of a document.
#[derive(Debug, Clone, Default)]
pub struct Model {
    info: ModelInfo,
    metadata: BTreeMap<String, Metadata>,
    items: BTreeMap<u32, BuildItem>,
    /// The ids of items that were ever used.
    used: IdSet,
    parts: BTreeMap<String, Part>,
    /// Sum of the hashes of all entries.
    hash: u64,
}

impl Model {
    /// Description of the file.
    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// Metadata, sorted by name.
    pub fn metadata(&self) -> impl ExactSizeIterator<Item = &Metadata> {
        self.metadata.values()
    }

    /// Returns the metadata with this name.
    pub fn metadata_by_name(&self, name: &str) -> Option<&Metadata> {
        self.metadata.get(name)
    }

    /// Build items in ascending order of ids.
    pub fn items(&self) -> impl ExactSizeIterator<Item = (u32, &BuildItem)> {
        self.items.iter().map(|(&id, item)| (id, item))
    }

    /// Returns a build item.
    pub fn item(&self, id: u32) -> Option<&BuildItem> {
        self.items.get(&id)
    }

    /// Parts of the package without the model and the sheets of images, sorted by name.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = (&str, &Part)> {
        self.parts.iter().map(|(name, part)| (name.as_str(), part))
    }

    /// Returns a part of the package.
    pub fn part(&self, name: &str) -> Option<&Part> {
        self.parts.get(name)
    }

    /// True if all of it is at its defaults.
    pub fn is_empty(&self) -> bool {
        self.info == ModelInfo::default()
            && self.metadata.is_empty()
            && self.items.is_empty()
            && self.parts.is_empty()
    }

    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    /// Smallest item id that was never used; `None` if all were.
    pub(crate) fn next_item(&self) -> Option<u32> {
        self.used.next()
    }

    pub(crate) fn keep_used(&mut self, used: &IdSet) {
        self.used.merge(used);
    }

    pub(crate) fn set_info(&mut self, info: ModelInfo) {
        let hash = |info: &ModelInfo| {
            if *info == ModelInfo::default() {
                0
            } else {
                hash::entry(hash::ModelEntry::Info, &(), info)
            }
        };
        self.hash = self.hash.wrapping_sub(hash(&self.info));
        self.hash = self.hash.wrapping_add(hash(&info));
        self.info = info;
    }

    pub(crate) fn set_metadata(&mut self, name: &str, metadata: Option<Metadata>) {
        let (entry, name) = (hash::ModelEntry::Metadata, name.to_owned());
        change(&mut self.metadata, &mut self.hash, entry, name, metadata);
    }

    /// Inserts, replaces or removes an item; use [`Document::set_item`] for a model in a document, which updates its
    /// index.
    pub(crate) fn set_item(&mut self, id: u32, item: Option<BuildItem>) {
        self.used.insert(id);
        change(
            &mut self.items,
            &mut self.hash,
            hash::ModelEntry::Item,
            id,
            item,
        );
    }

    pub(crate) fn set_part(&mut self, name: &str, part: Option<Part>) {
        let (entry, name) = (hash::ModelEntry::Part, name.to_owned());
        change(&mut self.parts, &mut self.hash, entry, name, part);
    }

    /// Returns the model as plain data.
    pub(crate) fn data(&self) -> ModelData {
        let items = self.items.clone().into_iter();
        let parts = self.parts.clone().into_iter();
        ModelData {
            info: self.info.clone(),
            metadata: self.metadata.values().cloned().collect(),
            items: items
                .map(|(item_id, item)| ItemData { item_id, item })
                .collect(),
            parts: parts.map(|(name, part)| PartData { name, part }).collect(),
            used: self.used.clone(),
        }
    }
}

/// Inserts, replaces or removes an entry, and updates the sum of hashes.
fn change<K: Ord + Serialize, V: Serialize>(
    map: &mut BTreeMap<K, V>,
    sum: &mut u64,
    entry: hash::ModelEntry,
    key: K,
    value: Option<V>,
) {
    if let Some(old) = map.get(&key) {
        *sum = sum.wrapping_sub(hash::entry(entry, &key, old));
    }
    match value {
        None => drop(map.remove(&key)),
        Some(value) => {
            *sum = sum.wrapping_add(hash::entry(entry, &key, &value));
            map.insert(key, value);
        }
    }
}

/// The build, the metadata and the package of a document, written out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Model")]
pub struct ModelData {
    /// Description of the file.
    #[serde(default)]
    pub info: ModelInfo,
    /// The metadata.
    #[serde(default)]
    pub metadata: Vec<Metadata>,
    /// Items of the build.
    #[serde(default)]
    pub items: Vec<ItemData>,
    /// The parts of the package.
    #[serde(default)]
    pub parts: Vec<PartData>,
    /// The ids of items that were ever used.
    #[serde(default)]
    pub used: IdSet,
}

impl ModelData {
    /// True if it is empty and never had an item.
    pub(crate) fn is_empty(&self) -> bool {
        *self == ModelData::default()
    }
}

impl Document {
    /// Checks the resources of the model, which are all present, and adds the build, metadata and package.
    pub(crate) fn assemble_model(&mut self, data: ModelData) -> Result<(), ModelError> {
        for (id, resource) in self.model_resources() {
            self.check_references(id, resource)?;
        }
        self.check_acyclic()?;
        check::check_info(&data.info)?;
        let twice = |what: String| ModelError::Invalid {
            what,
            field: "the name or id",
            problem: "is a duplicate".to_owned(),
        };
        let mut model = Model::default();
        model.set_info(data.info);
        for metadata in data.metadata {
            check::check_metadata(&metadata)?;
            if model.metadata_by_name(&metadata.name).is_some() {
                return Err(twice(format!("the metadata {}", metadata.name)));
            }
            model.set_metadata(&metadata.name.clone(), Some(metadata));
        }
        let mut items = BTreeMap::new();
        for ItemData { item_id, item } in data.items {
            self.check_build_item(item_id, &item)?;
            if items.insert(item_id, item).is_some() {
                return Err(twice(format!("build item {item_id}")));
            }
        }
        for PartData { name, part } in data.parts {
            check::check_part(&name, &part)?;
            if model.part(&name).is_some() {
                return Err(twice(format!("part {name}")));
            }
            model.set_part(&name, Some(part));
        }
        model.keep_used(&data.used);
        *self.model_mut() = model;
        for (id, item) in items {
            self.set_item(id, Some(item));
        }
        Ok(())
    }
}

/// An item of the build, written out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ItemData {
    /// Its id.
    pub item_id: u32,
    /// The item.
    pub item: BuildItem,
}

/// A part of the package, written out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartData {
    /// Its name, without a slash in front.
    pub name: String,
    /// The part.
    pub part: Part,
}
