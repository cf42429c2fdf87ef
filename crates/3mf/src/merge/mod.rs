//! Merging a model into a document.

mod renumber;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fibula_core::edit::{
    Edit, EditError, FunctionEdit, ModelEdit, ResourceEdit, Stage, topological_order,
};
use fibula_core::graph::model::{ModelInfo, ModelResource, Part, Relationship};
use fibula_core::graph::{ContentHash, Document, FunctionData, FunctionId, GraphError};
use fibula_nodes::{ResourceId, names};

use crate::mesh::MeshDataError;
use crate::model::{Model, OmittedContent};
use crate::references::all_references;
use renumber::Renumbering;

/// Merges a model into a document, as edits on a [`Stage`]. Ids that the document does not have are kept; others are
/// replaced by unused ones, in every reference. The document itself does not change: finish the stage and apply it.
///
/// Time and space are near linear in the model.
///
/// ```
/// use fibula_3mf::{Dialect, Limits, WriteOptions};
/// use fibula_core::graph::Document;
/// use fibula_core::{eval::Tape, expression};
///
/// // A package with one function.
/// let mut source = Document::default();
/// expression::add_function(&mut source, "Ball", "length(pos) - 5")?;
/// let mut file = std::io::Cursor::new(Vec::new());
/// fibula_3mf::write(&source, &|_| Ok(None), &WriteOptions::default(), &mut file)?;
///
/// // Merge it into a document in which id 1 is taken.
/// let mut document = Document::default();
/// expression::add_function(&mut document, "Plane", "pos.z")?;
/// let model = fibula_3mf::read(&file.into_inner(), &Limits::default())?;
/// let merge = fibula_3mf::merge(&document, &model)?;
/// let ball = merge.new_id(model.functions[0].function_id.unwrap().into());
/// merge.stage.finish().apply(&mut document);
/// assert_eq!(Tape::new(&document, ball.into())?.at([8.0, 0.0, 0.0]), [3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`MergeError`] if the document refuses an edit, such as for a limit.
pub fn merge(document: &Document, model: &Model) -> Result<Merge, MergeError> {
    let mut merge = Merge::new(document, model)?;
    merge.run(model)?;
    Ok(merge)
}

/// The edits that merge a model into a document.
#[derive(Debug)]
pub struct Merge {
    /// The edits.
    pub stage: Stage,
    /// Bytes that the document refers to and [`Model::contents`] lacks: those with references to ids that changed.
    pub contents: Vec<Vec<u8>>,
    /// Omissions, because the document has something else in their place.
    pub left_out: Vec<OmittedContent>,
    numbers: Renumbering,
}

/// Error of [`merge()`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// The document refuses an edit.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A mesh of the model is damaged.
    #[error(transparent)]
    Mesh(#[from] MeshDataError),
    /// [`Model::contents`] lacks the bytes of a resource.
    #[error("the content of a resource of the file was not read")]
    MissingBytes,
}

impl From<GraphError> for MergeError {
    fn from(error: GraphError) -> Self {
        MergeError::Edit(error.into())
    }
}

impl MergeError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            MergeError::Edit(error) => error.code(),
            MergeError::Mesh(error) => error.code(),
            MergeError::MissingBytes => "damaged",
        }
    }
}

impl Merge {
    /// Returns the id in the document for an id in the file.
    pub fn new_id(&self, id: ResourceId) -> ResourceId {
        self.numbers.of(id)
    }

    /// Ids that changed: in the file, and in the document.
    pub fn renumbered(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.numbers.changed()
    }

    fn new(document: &Document, model: &Model) -> Result<Self, MergeError> {
        let resources = model.resources().map(|(id, _)| id);
        let own = model.function_ids().chain(resources);
        let own: BTreeSet<u32> = own.map(|id| id.0).collect();
        let named = model
            .resources()
            .flat_map(|(_, resource)| all_references(&resource));
        let named: BTreeSet<u32> = named.map(|id| id.0).collect();
        Ok(Merge {
            stage: Stage::new(document),
            numbers: Renumbering::new(document, own, &named)?,
            contents: Vec::new(),
            left_out: Vec::new(),
        })
    }

    fn run(&mut self, model: &Model) -> Result<(), MergeError> {
        let fresh = is_fresh(self.stage.document());
        let resources: BTreeMap<ResourceId, ModelResource> = model.resources().collect();
        let all: BTreeSet<ResourceId> = resources.keys().copied().collect();
        let paths = self.paths(model);
        // Nodes may refer to meshes that come later, but functions come before what queries them.
        for (id, image) in &model.images {
            let image = ModelResource::Image(Arc::new(image.clone()));
            self.resource(model, *id, &image, &paths)?;
        }
        for (id, image) in &model.image_functions {
            self.stage
                .push(&Edit::Resource(ResourceEdit::AddImageFunction {
                    resource_id: self.numbers.of(*id),
                    image: self.numbers.image(image),
                }))?;
        }
        let functions = model.functions.iter();
        let functions = functions.filter_map(|one| Some((one.function_id?, one)));
        let functions: BTreeMap<FunctionId, &FunctionData> = functions.collect();
        for function in &model.functions {
            let function = self.numbers.function(function, &functions);
            self.stage
                .push(&Edit::Function(FunctionEdit::Set(function)))?;
        }
        let needs = |id: ResourceId| {
            let needed = resources[&id].references();
            needed
                .into_iter()
                .filter(|id| all.contains(id))
                .collect::<Vec<_>>()
                .into_iter()
        };
        for id in topological_order(&all, needs) {
            if !matches!(resources[&id], ModelResource::Image(_)) {
                self.resource(model, id, &resources[&id], &paths)?;
            }
        }
        for item in &model.items {
            let mut item = item.clone();
            if !item.is_external() {
                item.object = self.numbers.of(item.object);
            }
            self.numbers.extra(&mut item.extra);
            self.model(ModelEdit::SetBuildItem {
                item_id: None,
                item,
            })?;
        }
        self.metadata(model)?;
        let taken = self.parts(model)?;
        self.info(model, fresh, &taken)
    }

    fn model(&mut self, edit: ModelEdit) -> Result<(), MergeError> {
        self.stage.push(&Edit::Model(edit))?;
        Ok(())
    }

    fn resource(
        &mut self,
        model: &Model,
        id: ResourceId,
        resource: &ModelResource,
        paths: &BTreeMap<String, String>,
    ) -> Result<(), MergeError> {
        let bytes = |hash: &ContentHash| model.contents.get(hash).map(Vec::as_slice);
        let (mut resource, contents) = self.numbers.resource(id, resource, &bytes)?;
        self.contents.extend(contents);
        if let ModelResource::Image(image) = &mut resource {
            for sheet in &mut Arc::make_mut(image).sheets {
                if let Some(path) = paths.get(&sheet.path) {
                    sheet.path.clone_from(path);
                }
            }
        }
        self.model(ModelEdit::SetResource {
            resource_id: Some(self.numbers.of(id)),
            resource,
        })
    }

    /// Renames sheets of images where the project has other contents under their names.
    fn paths(&self, model: &Model) -> BTreeMap<String, String> {
        let held = sheets_and_parts(self.stage.document());
        let mut taken: BTreeSet<String> = held.keys().cloned().collect();
        let sheets = model.images.iter().flat_map(|(_, image)| &image.sheets);
        let sheets: BTreeMap<&str, ContentHash> = sheets
            .map(|sheet| (sheet.path.as_str(), sheet.content))
            .collect();
        taken.extend(sheets.keys().map(|path| path.to_ascii_lowercase()));
        let mut paths = BTreeMap::new();
        for (path, content) in sheets {
            let there = held.get(&path.to_ascii_lowercase());
            if there.is_none_or(|there| *there == content) {
                continue;
            }
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let other = (2..u32::MAX)
                .map(|number| {
                    format!("{folder}/{number}_{name}")
                        .trim_start_matches('/')
                        .to_owned()
                })
                .find(|other| !taken.contains(&other.to_ascii_lowercase()))
                .expect("ids cannot run out before names do");
            taken.insert(other.to_ascii_lowercase());
            paths.insert(path.to_owned(), other);
        }
        paths
    }

    fn metadata(&mut self, model: &Model) -> Result<(), MergeError> {
        for metadata in &model.metadata {
            match self
                .stage
                .document()
                .model()
                .metadata_by_name(&metadata.name)
            {
                Some(there) if there == metadata => {}
                Some(there) => {
                    let why = format!(
                        "the project already has {:?}",
                        names::visible(&there.value, 60)
                    );
                    let what = format!("metadata {}", names::visible(&metadata.name, 60));
                    self.leave(what, why);
                }
                None => self.model(ModelEdit::SetMetadata(metadata.clone()))?,
            }
        }
        Ok(())
    }

    /// Adds the parts of the package. Returns the names of the parts that now exist.
    fn parts(&mut self, model: &Model) -> Result<BTreeSet<String>, MergeError> {
        let held = sheets_and_parts(self.stage.document());
        let mut taken = BTreeSet::new();
        for (name, part) in &model.parts {
            match held.get(&name.to_ascii_lowercase()) {
                Some(content) if *content == part.content => {}
                Some(_) => {
                    let what = format!("part {}", names::visible(name, 60));
                    self.leave(
                        what,
                        "the project has another part with this name".to_owned(),
                    );
                    continue;
                }
                None => self.model(ModelEdit::SetPart {
                    name: name.clone(),
                    part: Part::clone(part),
                })?,
            }
            taken.insert(name.clone());
        }
        Ok(taken)
    }

    /// Merges the metadata of the file into that of the project.
    fn info(
        &mut self,
        model: &Model,
        fresh: bool,
        parts: &BTreeSet<String>,
    ) -> Result<(), MergeError> {
        let held = self.stage.document().model().info().clone();
        let info = if fresh {
            model.info.clone()
        } else {
            if held.unit != model.info.unit {
                let why = format!(
                    "the project's unit is {}; numbers of the file are not converted",
                    held.unit.name()
                );
                self.leave(format!("unit {}", model.info.unit.name()), why);
            }
            let other = &model.info;
            let unsaid = [
                (
                    "attributes and elements of the model",
                    other.extra != held.extra && !other.extra.is_empty(),
                ),
                (
                    "language",
                    other.language != held.language && !other.language.is_empty(),
                ),
                (
                    "attributes of the build",
                    other.build != held.build && !other.build.is_empty(),
                ),
            ];
            for (what, _) in unsaid.iter().filter(|(_, is_said)| *is_said) {
                self.leave((*what).to_owned(), "the project has its own".to_owned());
            }
            joined(held.clone(), other, parts)
        };
        if info == held {
            return Ok(());
        }
        self.model(ModelEdit::SetInfo(info))
    }

    fn leave(&mut self, what: String, why: String) {
        self.left_out.push(OmittedContent {
            what,
            count: 1,
            ids: Vec::new(),
            why,
        });
    }
}

/// True if the project is empty, so that it may become what the file is.
fn is_fresh(document: &Document) -> bool {
    document.functions().len() == 0
        && document.resources().len() == 0
        && document.model().is_empty()
}

/// Names of sheets and parts in lower case, as packages compare them, with their contents.
fn sheets_and_parts(document: &Document) -> BTreeMap<String, ContentHash> {
    let parts = document.model().parts();
    let parts = parts.map(|(name, part)| (name.to_ascii_lowercase(), part.content));
    let sheets = document
        .model_resources()
        .flat_map(|(_, resource)| match resource {
            ModelResource::Image(image) => image.sheets.as_slice(),
            ModelResource::Object(_) | ModelResource::VolumeData(_) | ModelResource::Foreign(_) => {
                &[]
            }
        });
    let sheets = sheets.map(|sheet| (sheet.path.to_ascii_lowercase(), sheet.content));
    parts.chain(sheets).collect()
}

/// Merges the metadata of two files: the first one wins, and what the second one needs is added.
fn joined(mut info: ModelInfo, other: &ModelInfo, parts: &BTreeSet<String>) -> ModelInfo {
    let add = |list: &mut Vec<String>, more: &[String]| {
        for one in more {
            if !list.contains(one) {
                list.push(one.clone());
            }
        }
    };
    add(&mut info.required, &other.required);
    add(&mut info.recommended, &other.recommended);
    let ends = |one: &Relationship| (one.source.clone(), one.target.clone(), one.relation.clone());
    let mut there: BTreeSet<_> = info.relationships.iter().map(ends).collect();
    let name = |one: &Relationship| (one.source.clone(), one.id.clone());
    let mut taken: BTreeSet<_> = info.relationships.iter().map(name).collect();
    // Next number for an id that is taken.
    let mut numbers: BTreeMap<(String, String), u64> = BTreeMap::new();
    for relationship in &other.relationships {
        // A thumbnail of a part that was left out is dropped, too.
        let belongs = relationship.external || parts.contains(&relationship.target);
        if !belongs || !there.insert(ends(relationship)) {
            continue;
        }
        let mut relationship = relationship.clone();
        if !taken.insert(name(&relationship)) {
            let number = numbers.entry(name(&relationship)).or_insert(2);
            let id = relationship.id.clone();
            loop {
                relationship.id = format!("{id}_{number}");
                *number += 1;
                if taken.insert(name(&relationship)) {
                    break;
                }
            }
        }
        info.relationships.push(relationship);
    }
    info
}
