//! Documents of whole models, and what of them is compared.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Cursor;
use std::sync::Arc;

use fibula::edit::{Edit, ModelEdit};
use fibula::format::threemf::{self, Model, WriteOptions, WriteSummary};
use fibula::graph::model::ModelResource;
use fibula::graph::{ContentHash, Document, Resource};
use fibula_nodes::ResourceId;

/// The bytes that a document names.
pub(crate) type Contents = BTreeMap<ContentHash, Vec<u8>>;

fn apply(document: &mut Document, edit: ModelEdit) -> Result<(), String> {
    let edit = Edit::Model(edit);
    edit.apply(document)
        .map(drop)
        .map_err(|error| format!("{error}"))
}

/// The document of what was read.
pub(crate) fn document(model: &Model) -> Document {
    let mut document = Document::default();
    for (id, image) in &model.image_functions {
        let image = Resource::ImageFunction(image.clone());
        document.insert_resource(*id, image).unwrap();
    }
    for function in &model.functions {
        document.insert(function).unwrap();
    }
    let mut resources: Vec<(ResourceId, ModelResource)> = Vec::new();
    let images = model.images.iter().cloned();
    resources.extend(images.map(|(id, one)| (id, ModelResource::Image(Arc::new(one)))));
    let foreign = model.foreign.iter().cloned();
    resources.extend(foreign.map(|(id, one)| (id, ModelResource::Foreign(Arc::new(one)))));
    let volumes = model.volumes.iter().cloned();
    resources.extend(volumes.map(|(id, one)| (id, ModelResource::VolumeData(Arc::new(one)))));
    let objects = model.objects.iter().cloned();
    resources.extend(objects.map(|(id, one)| (id, ModelResource::Object(Arc::new(one)))));
    // What needs others comes after them.
    while !resources.is_empty() {
        let mut why = Vec::new();
        let before = resources.len();
        resources.retain(|(id, resource)| {
            let edit = ModelEdit::SetResource {
                resource_id: Some(*id),
                resource: resource.clone(),
            };
            let done = apply(&mut document, edit);
            why.extend(done.clone().err());
            done.is_err()
        });
        assert!(resources.len() < before, "{why:?}");
    }
    for item in &model.items {
        let edit = ModelEdit::SetBuildItem {
            item_id: None,
            item: item.clone(),
        };
        apply(&mut document, edit).unwrap();
    }
    for metadata in &model.metadata {
        apply(&mut document, ModelEdit::SetMetadata(metadata.clone())).unwrap();
    }
    for (name, part) in &model.parts {
        let edit = ModelEdit::SetPart {
            name: name.clone(),
            part: part.clone(),
        };
        apply(&mut document, edit).unwrap();
    }
    apply(&mut document, ModelEdit::SetInfo(model.info.clone())).unwrap();
    document
}

/// Writes a document whose bytes are these.
pub(crate) fn write(
    document: &Document,
    contents: &Contents,
    options: WriteOptions,
) -> (Vec<u8>, WriteSummary) {
    let mut file = Cursor::new(Vec::new());
    let fetch = |hash: ContentHash| Ok(contents.get(&hash).cloned());
    let written = threemf::write(document, &fetch, &options, &mut file);
    let written = written.unwrap_or_else(|error| panic!("{error}"));
    (file.into_inner(), written)
}

/// Everything that a document says, to be compared; numbers with their signs.
pub(crate) fn said(document: &Document) -> String {
    let mut all = String::new();
    for function in document.functions() {
        let _ = writeln!(all, "{:#?}", function.data());
    }
    for (id, resource) in document.resources() {
        let _ = writeln!(all, "{id}: {resource:#?}");
    }
    let model = document.model();
    let _ = writeln!(all, "{:#?}", model.info());
    for metadata in model.metadata() {
        let _ = writeln!(all, "{metadata:#?}");
    }
    for item in model.items() {
        let _ = writeln!(all, "{item:#?}");
    }
    for part in model.parts() {
        let _ = writeln!(all, "{part:#?}");
    }
    all
}

/// Says where two documents differ, if they do.
pub(crate) fn assert_same(before: &Document, after: &Document, what: &str) {
    let (before, after) = (said(before), said(after));
    for (line, (one, other)) in before.lines().zip(after.lines()).enumerate() {
        if one != other {
            let near: Vec<&str> = before
                .lines()
                .skip(line.saturating_sub(12))
                .take(24)
                .collect();
            panic!(
                "{what}, line {line}: {one} became {other}\n{}",
                near.join("\n")
            );
        }
    }
    assert_eq!(before.len(), after.len(), "{what}");
}
