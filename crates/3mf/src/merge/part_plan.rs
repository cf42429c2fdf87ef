//! Plan of the parts and relationships that a merge adds to a project: shared, renamed or omitted, with new UUIDs.

use std::collections::{BTreeMap, BTreeSet};

use fibula_core::graph::model::{Body, Extra, ModelResource, Part, Relationship};
use fibula_core::graph::{ContentHash, Document};
use fibula_nodes::names;

use super::MergeError;
use super::part_paths::{PartPaths, key};
use super::uuids::{NewUuids, collect};
use crate::model::{Contents, Model};
use crate::package::{MODEL_PART, is_model_part};
use crate::xml::attribute_values::{replace_values, visit_extra, visit_values};

/// Endings of the types of relationships of which a source has at most one.
const SINGLE: [&str; 3] = ["/thumbnail", "/printticket", "/core-properties"];

/// New values of attributes of a file.
#[derive(Debug, Default)]
pub(super) struct NewValues {
    pub(super) paths: PartPaths,
    pub(super) uuids: NewUuids,
}

impl NewValues {
    /// True if all values stay.
    pub(super) fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.uuids.is_empty()
    }

    /// Returns the new value of an attribute; `None` keeps it.
    pub(super) fn replace(&self, namespace: &str, name: &str, value: &str) -> Option<String> {
        let path = self.paths.replace(name, value);
        path.or_else(|| self.uuids.replace(namespace, name, value))
    }
}

/// Changes to the package of a project.
#[derive(Debug, Default)]
pub(super) struct PartPlan {
    pub(super) values: NewValues,
    /// New parts with their names in the project.
    pub(super) parts: Vec<(String, Part)>,
    /// Bytes of parts that were changed.
    pub(super) contents: Vec<Vec<u8>>,
    /// Omitted parts, and the reasons.
    pub(super) left_out: Vec<(String, &'static str)>,
    /// Relationships of the file whose targets are in the project, with their names there.
    pub(super) relationships: Vec<Relationship>,
    /// Parts that were renamed, and their new names.
    pub(super) renamed: BTreeMap<String, String>,
}

impl PartPlan {
    /// Plans the parts of a file; `contents` returns bytes of the project.
    ///
    /// # Errors
    /// [`MergeError`] if bytes cannot be read.
    pub(super) fn new(
        document: &Document,
        contents: &Contents<'_>,
        model: &Model,
    ) -> Result<PartPlan, MergeError> {
        let held = sheets_and_parts(document);
        let file = FileParts::new(document, model);
        let mut plan = PartPlan::default();
        plan.rename_parts(&held, &file);
        let own = plan.own_uuids(&held, &file);
        if !own.is_empty() {
            plan.values.uuids = NewUuids::new(&own, &project_uuids(document, contents)?);
        }
        plan.add_parts(&held, &file);
        plan.add_relationships(&held, &file);
        Ok(plan)
    }

    /// Renames the parts that are referred to and have other bytes in the project, and model parts that refer to them.
    fn rename_parts(&mut self, held: &BTreeMap<String, ContentHash>, file: &FileParts<'_>) {
        let mut taken: BTreeSet<String> = held.keys().cloned().collect();
        taken.extend(file.sheets.keys().map(|name| key(name)));
        taken.extend(file.model.parts.keys().map(|name| key(name)));
        taken.insert(key(MODEL_PART));
        let clashes = |name: &str, content: ContentHash| {
            let there = held.get(&key(name));
            there.is_some_and(|there| *there != content) || key(name) == key(MODEL_PART)
        };
        let sheets = file.sheets.iter().map(|(name, content)| (*name, *content));
        let parts = file.model.parts.iter();
        let parts = parts.filter(|(name, _)| file.needed.contains(&key(name)));
        let parts = parts.map(|(name, part)| (name.as_str(), part.content));
        for (name, content) in sheets.chain(parts).filter(|one| clashes(one.0, one.1)) {
            // The bytes of a model part may change, so they are not shared under another name.
            let same = (!file.texts.contains_key(name)).then_some(content);
            self.values.paths.rename(name, same, held, &mut taken);
        }
        // A model part that the project has refers to the parts of the project.
        let mut open = !self.values.paths.is_empty();
        while open {
            open = false;
            for (&name, text) in &file.texts {
                let is_shared = held.contains_key(&key(name));
                if is_shared && self.values.paths.renamed(name).is_none() {
                    let paths = &self.values.paths;
                    let changes =
                        replace_values(text, &mut |_, name, value| paths.replace(name, value));
                    if changes.is_some() {
                        self.values.paths.rename(name, None, held, &mut taken);
                        open = true;
                    }
                }
            }
        }
    }

    /// UUIDs of the file, without those in parts that the project has.
    fn own_uuids(
        &self,
        held: &BTreeMap<String, ContentHash>,
        file: &FileParts<'_>,
    ) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        let mut visit =
            |space: &str, name: &str, value: &str| collect(space, name, value, &mut all);
        for item in &file.model.items {
            visit_extra(&item.extra, &mut visit);
        }
        for (_, resource) in file.model.resources() {
            visit_resource(&resource, &mut visit);
        }
        for (name, text) in &file.texts {
            if !held.contains_key(&key(name)) || self.values.paths.renamed(name).is_some() {
                visit_values(text, &mut visit);
            }
        }
        all
    }

    fn add_parts(&mut self, held: &BTreeMap<String, ContentHash>, file: &FileParts<'_>) {
        for name in file.sheets.keys() {
            if let Some(new) = self.values.paths.renamed(name) {
                self.renamed.insert((*name).to_owned(), new);
            }
        }
        for (name, part) in &file.model.parts {
            let needed = file.needed.contains(&key(name));
            let is_there = held.get(&key(name)) == Some(&part.content);
            if !needed && !is_there && file.superseded.contains(&key(name)) {
                self.left_out
                    .push((name.clone(), "the project already has such a part"));
                continue;
            }
            let new = self.values.paths.renamed(name);
            let there = held.get(&key(new.as_deref().unwrap_or(name)));
            match there {
                Some(_) if new.is_some() => {}
                Some(there) if *there == part.content => continue,
                Some(_) => {
                    self.left_out
                        .push((name.clone(), "the project has another part with this name"));
                    continue;
                }
                None => {}
            }
            if let Some(new) = &new {
                self.renamed.insert(name.clone(), new.clone());
            }
            if there.is_some() {
                continue;
            }
            let mut part = Part::clone(part);
            if let Some(text) = file.texts.get(name.as_str()) {
                let values = &self.values;
                let mut replace =
                    |space: &str, name: &str, value: &str| values.replace(space, name, value);
                if let Some(text) = replace_values(text, &mut replace) {
                    let bytes = text.into_bytes();
                    part.content = ContentHash::digest(&bytes);
                    part.size = bytes.len() as u64;
                    self.contents.push(bytes);
                }
            }
            self.parts.push((new.unwrap_or_else(|| name.clone()), part));
        }
    }

    fn add_relationships(&mut self, held: &BTreeMap<String, ContentHash>, file: &FileParts<'_>) {
        let omitted: BTreeSet<String> = self.left_out.iter().map(|(name, _)| key(name)).collect();
        let own: BTreeSet<String> = file.model.parts.keys().map(|name| key(name)).collect();
        for one in &file.relationships {
            let mut one = Relationship::clone(one);
            if !one.external {
                let target = resolved(&one.target, &own);
                // A thumbnail of a part that was left out is dropped, too.
                let is_there = own.contains(&target) || held.contains_key(&target);
                if !is_there || omitted.contains(&target) {
                    continue;
                }
                if let Some(new) = self.values.paths.renamed(&one.target) {
                    one.target = new;
                }
            }
            if let Some(new) = self.values.paths.renamed(&one.source) {
                one.source = new;
            }
            self.relationships.push(one);
        }
    }
}

/// Parts of a file, as far as references to them are known.
struct FileParts<'m> {
    model: &'m Model,
    /// Sheets of images.
    sheets: BTreeMap<&'m str, ContentHash>,
    /// Texts of further model parts.
    texts: BTreeMap<&'m str, &'m str>,
    /// Keys of the parts that the model, its parts or their relationships refer to.
    needed: BTreeSet<String>,
    /// Keys of the targets of relationships of which the project has one already.
    superseded: BTreeSet<String>,
    /// The other relationships.
    relationships: Vec<&'m Relationship>,
}

impl<'m> FileParts<'m> {
    fn new(document: &Document, model: &'m Model) -> FileParts<'m> {
        let sheets = model.images.iter().flat_map(|(_, image)| &image.sheets);
        let sheets = sheets.map(|sheet| (sheet.path.as_str(), sheet.content));
        let parts = model.parts.iter();
        let texts = parts.filter(|(name, part)| is_model_part(name, &part.media_type));
        let texts = texts.filter_map(|(name, part)| {
            let bytes = model.contents.get(&part.content)?;
            Some((name.as_str(), std::str::from_utf8(bytes).ok()?))
        });
        let own: BTreeSet<String> = model.parts.keys().map(|name| key(name)).collect();
        let singles = document.model().info().relationships.iter();
        let singles: BTreeSet<(bool, &str)> = singles.filter_map(single).collect();
        let is_superseded =
            |one: &&Relationship| single(one).is_some_and(|one| singles.contains(&one));
        let (second, relationships): (Vec<_>, Vec<_>) =
            model.info.relationships.iter().partition(is_superseded);
        let mut all = FileParts {
            model,
            sheets: sheets.collect(),
            texts: texts.collect(),
            needed: BTreeSet::new(),
            superseded: second
                .iter()
                .map(|one| resolved(&one.target, &own))
                .collect(),
            relationships,
        };
        let mut needed: BTreeSet<String> = all.texts.keys().map(|name| key(name)).collect();
        let inner = all
            .relationships
            .iter()
            .filter(|one| !one.external && !one.source.is_empty());
        needed.extend(inner.map(|one| resolved(&one.target, &own)));
        let mut visit = |_: &str, _: &str, value: &str| {
            let target = resolved(value, &own);
            if own.contains(&target) {
                needed.insert(target);
            }
        };
        visit_extra(&model.info.extra, &mut visit);
        for item in &model.items {
            visit_extra(&item.extra, &mut visit);
        }
        for (_, resource) in model.resources() {
            visit_resource(&resource, &mut visit);
            let content = match &resource {
                ModelResource::Foreign(foreign) => Some(foreign.content),
                ModelResource::Object(object) => match &object.body {
                    Body::Foreign(foreign) => Some(foreign.content),
                    Body::Mesh(_) | Body::Components(_) | Body::LevelSet(_) => None,
                },
                ModelResource::Image(_) | ModelResource::VolumeData(_) => None,
            };
            let bytes = content.and_then(|hash| model.contents.get(&hash));
            if let Some(text) = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()) {
                visit_values(text, &mut visit);
            }
        }
        for text in all.texts.values() {
            visit_values(text, &mut visit);
        }
        all.needed = needed;
        all
    }
}

/// Source and type of a relationship of which a source has at most one: the package, or the model.
fn single(one: &Relationship) -> Option<(bool, &str)> {
    let kind = one.relation.as_str();
    let is_single = SINGLE
        .iter()
        .any(|ending| kind.to_ascii_lowercase().ends_with(ending));
    is_single.then_some((one.source.is_empty(), kind))
}

/// Key of the part that a path names, percent-encoded or not.
fn resolved(path: &str, parts: &BTreeSet<String>) -> String {
    let own = key(path);
    if parts.contains(&own) {
        return own;
    }
    crate::package::part_names::percent_decode(path).map_or(own, |path| key(&path))
}

/// Visits the kept attributes of a resource; contents that it names by hash are not read.
fn visit_resource(resource: &ModelResource, visit: &mut dyn FnMut(&str, &str, &str)) {
    for field in resource.fields() {
        visit_extra(&field.extra, visit);
    }
    match resource {
        ModelResource::Object(object) => {
            visit_extra(&object.extra, visit);
            if let Body::Components(parts) = &object.body {
                for part in parts {
                    visit_extra(&part.extra, visit);
                }
            }
        }
        ModelResource::Image(image) => visit_extra(&image.extra, visit),
        ModelResource::VolumeData(volume) => visit_extra(&volume.extra, visit),
        ModelResource::Foreign(_) => {}
    }
}

/// UUIDs of a project and of the model parts of its package.
fn project_uuids(
    document: &Document,
    contents: &Contents<'_>,
) -> Result<BTreeSet<String>, MergeError> {
    let mut all = BTreeSet::new();
    let mut visit = |space: &str, name: &str, value: &str| collect(space, name, value, &mut all);
    let build = Extra {
        attributes: document.model().info().build.clone(),
        elements: Vec::new(),
    };
    visit_extra(&build, &mut visit);
    for (_, item) in document.model().items() {
        visit_extra(&item.extra, &mut visit);
    }
    for (_, resource) in document.model_resources() {
        visit_resource(resource, &mut visit);
    }
    for (name, part) in document.model().parts() {
        if !is_model_part(name, &part.media_type) {
            continue;
        }
        let bytes = contents(part.content).map_err(|error| MergeError::Contents {
            part: names::visible(name, 60),
            problem: error.to_string(),
        })?;
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        visit_values(&text.unwrap_or_default(), &mut visit);
    }
    Ok(all)
}

/// Keys of sheets and parts, with their contents.
fn sheets_and_parts(document: &Document) -> BTreeMap<String, ContentHash> {
    let parts = document.model().parts();
    let parts = parts.map(|(name, part)| (key(name), part.content));
    let sheets = document
        .model_resources()
        .flat_map(|(_, resource)| match resource {
            ModelResource::Image(image) => image.sheets.as_slice(),
            ModelResource::Object(_) | ModelResource::VolumeData(_) | ModelResource::Foreign(_) => {
                &[]
            }
        });
    let sheets = sheets.map(|sheet| (key(&sheet.path), sheet.content));
    parts.chain(sheets).collect()
}
