//! Merging a model into a document.

mod part_paths;
mod uuids;

mod part_plan;
mod renumber;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fibula_core::edit::{
    Edit, EditError, FunctionEdit, ModelEdit, ResourceEdit, Stage, topological_order,
};
use fibula_core::graph::model::{Extra, ModelInfo, ModelResource, Part, Relationship};
use fibula_core::graph::{ContentHash, Document, FunctionData, FunctionId, GraphError};
use fibula_nodes::{ResourceId, names};

use crate::mesh::MeshDataError;
use crate::model::{Contents, Model, OmittedContent};
use crate::references::all_references;
use crate::resource_order::{self, OrderEntry};
use crate::roundtrip::inner_content::{InnerContent, InnerContents};
use crate::xml::fragment::is_specified;
use part_plan::PartPlan;
use renumber::Renumbering;

/// Merges a model into a document, as edits on a [`Stage`]. Ids that the document does not have are kept; others are
/// replaced by unused ones, in every reference. Parts of the package are shared if the document has the same bytes under the
/// same name; if it has others, they get a new name, in every reference. UUIDs that the document has are replaced, too.
/// `contents` returns bytes of the document; those that are missing are skipped. The document itself does not change: finish the stage and apply it.
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
/// let merge = fibula_3mf::merge(&document, &|_| Ok(None), &model)?;
/// let ball = merge.new_id(model.functions[0].function_id.unwrap().into());
/// merge.stage.finish().apply(&mut document);
/// assert_eq!(Tape::new(&document, ball.into())?.at([8.0, 0.0, 0.0]), [3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`MergeError`] if the document refuses an edit, such as for a limit.
pub fn merge(
    document: &Document,
    contents: &Contents<'_>,
    model: &Model,
) -> Result<Merge, MergeError> {
    let plan = PartPlan::new(document, contents, model)?;
    let mut merge = Merge::new(document, model, plan)?;
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
    /// Parts of the file that got a new name, and that name.
    pub renamed_parts: BTreeMap<String, String>,
    /// Number of UUIDs of the file that the document has, which were replaced.
    pub new_uuids: usize,
    numbers: Renumbering,
    /// New parts, with their names.
    parts: Vec<(String, Part)>,
    /// Relationships of the file.
    relationships: Vec<Relationship>,
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
    /// Bytes of the document cannot be read.
    #[error("the part {part} of the project cannot be read: {problem}; try again")]
    Contents {
        /// Name of the part.
        part: String,
        /// Message of the error.
        problem: String,
    },
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
            MergeError::Contents { .. } => "damaged_store",
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

    /// Merges a model of resources alone, whose UUIDs may be those of the document.
    pub(crate) fn resources(document: &Document, model: &Model) -> Result<Merge, MergeError> {
        let mut merge = Merge::new(document, model, PartPlan::default())?;
        merge.run(model)?;
        Ok(merge)
    }

    fn new(document: &Document, model: &Model, plan: PartPlan) -> Result<Self, MergeError> {
        let resources = model.resources().map(|(id, _)| id);
        let own = model.function_ids().chain(resources);
        let own: BTreeSet<u32> = own.map(|id| id.0).collect();
        let named = model
            .resources()
            .flat_map(|(_, resource)| all_references(&resource));
        let named: BTreeSet<u32> = named.map(|id| id.0).collect();
        let left_out = plan.left_out.into_iter().map(|(name, why)| {
            let what = format!("part {}", names::visible(&name, 60));
            omission(what, why.to_owned())
        });
        Ok(Merge {
            stage: Stage::new(document),
            contents: plan.contents,
            left_out: left_out.collect(),
            renamed_parts: plan.renamed,
            new_uuids: plan.values.uuids.len(),
            numbers: Renumbering::new(document, own, &named, plan.values)?,
            parts: plan.parts,
            relationships: plan.relationships,
        })
    }

    fn run(&mut self, model: &Model) -> Result<(), MergeError> {
        let fresh = is_fresh(self.stage.document());
        let resources: BTreeMap<ResourceId, ModelResource> = model.resources().collect();
        let all: BTreeSet<ResourceId> = resources.keys().copied().collect();
        // Nodes may refer to meshes that come later, but functions come before what queries them.
        for (id, image) in &model.images {
            let image = ModelResource::Image(Arc::new(image.clone()));
            self.resource(model, *id, &image)?;
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
                self.resource(model, id, &resources[&id])?;
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
        self.parts()?;
        self.info(model, fresh)
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
    ) -> Result<(), MergeError> {
        let bytes = |hash: &ContentHash| model.contents.get(hash).map(Vec::as_slice);
        let (resource, contents) = self.numbers.resource(id, resource, &bytes)?;
        self.contents.extend(contents);
        let new = self.numbers.of(id);
        if let ModelResource::Foreign(own) = &resource
            && new != id
            && !is_specified(&own.namespace)
        {
            let (element, namespace) = (&own.element, &own.namespace);
            let why = format!(
                "the resource has the id {new} here, since the project has {id}; references to it that only {} defines are unchanged, and \
                 now refer to the resource {id} of the project",
                names::visible(namespace, 60)
            );
            let what = format!(
                "references to the resource {} {id}",
                names::visible(element, 60)
            );
            self.leave(what, why);
        }
        self.model(ModelEdit::SetResource {
            resource_id: Some(self.numbers.of(id)),
            resource,
        })
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

    /// Adds the parts of the package.
    fn parts(&mut self) -> Result<(), MergeError> {
        for (name, part) in std::mem::take(&mut self.parts) {
            self.model(ModelEdit::SetPart { name, part })?;
        }
        Ok(())
    }

    /// Merges the metadata of the file into that of the project.
    fn info(&mut self, model: &Model, fresh: bool) -> Result<(), MergeError> {
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
            let mut other = model.info.clone();
            let mut held = held.clone();
            join_resources(&mut held.extra, &mut other.extra, &self.numbers);
            let other = &other;
            let unsaid = [
                (
                    "attributes and elements of the model",
                    !is_within(&other.extra, &held.extra),
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
            joined(held, other, &self.relationships)
        };
        if info == *self.stage.document().model().info() {
            return Ok(());
        }
        self.model(ModelEdit::SetInfo(info))
    }

    fn leave(&mut self, what: String, why: String) {
        self.left_out.push(omission(what, why));
    }
}

fn omission(what: String, why: String) -> OmittedContent {
    OmittedContent {
        what,
        count: 1,
        ids: Vec::new(),
        why,
    }
}

/// True if the project is empty, so that it may become what the file is.
fn is_fresh(document: &Document) -> bool {
    document.functions().len() == 0
        && document.resources().len() == 0
        && document.model().is_empty()
}

/// True if all attributes and elements are among those of the project.
fn is_within(extra: &Extra, held: &Extra) -> bool {
    let mut attributes = extra.attributes.iter();
    let mut elements = extra.elements.iter();
    attributes.all(|one| held.attributes.contains(one))
        && elements.all(|one| held.elements.contains(one))
}

/// Moves the order of a file's resources, and the elements without an id among them, to those of the project.
fn join_resources(held: &mut Extra, other: &mut Extra, numbers: &Renumbering) {
    const PLACE: &str = "resources";
    let (mut inner, own) = InnerContents::split(&other.elements);
    let mut more = inner.take(PLACE);
    let mut rest = InnerContent {
        attributes: std::mem::take(&mut more.attributes),
        ..InnerContent::default()
    };
    other.elements = own;
    let (mut kept, own) = InnerContents::split(&held.elements);
    held.elements = own;
    let there = kept.at(PLACE);
    // Those of the project stay, and are said if they differ.
    if rest.attributes == there.attributes {
        rest.attributes.clear();
    }
    *inner.at(PLACE) = rest;
    inner.store(other);
    let mut elements = Extra {
        attributes: Vec::new(),
        elements: more.elements,
    };
    numbers.extra(&mut elements);
    let mut order = resource_order::parse(&there.order);
    order.extend(
        resource_order::parse(&more.order)
            .into_iter()
            .map(|entry| match entry {
                OrderEntry::Resource(id) => OrderEntry::Resource(numbers.of(ResourceId(id)).0),
                element @ OrderEntry::Element(_) => element,
            }),
    );
    there.order = resource_order::format(&order);
    there.elements.extend(elements.elements);
    kept.store(held);
}

/// Merges the metadata of two files: the first one wins, and what the second one needs is added.
fn joined(mut info: ModelInfo, other: &ModelInfo, relationships: &[Relationship]) -> ModelInfo {
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
    for relationship in relationships {
        if !there.insert(ends(relationship)) {
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
