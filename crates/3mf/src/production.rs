//! Objects in further model parts of a package (production extension 1.1): validated, and assembled with the root model.
//!
//! A document keeps further model parts as bytes, so that they are written back unchanged. To be evaluated, they are read
//! again, and [`assemble`] adds their resources to a copy of the document. Only the root model may refer to other parts,
//! so there is one level of parts, and no cycle.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use fibula_core::edit::{Edit, EditError, ModelEdit, Stage};
use fibula_core::graph::model::{
    Body, BuildItem, Component, Extra, ModelResource, Object, ObjectType, Part, Transform, Unit,
};
use fibula_core::graph::{ContentHash, Document};
use fibula_nodes::ResourceId;

use crate::error::{Location, Problem, ReadError, brief};
use crate::findings::Findings;
use crate::limits::Limits;
use crate::merge::{Merge, MergeError};
use crate::model::{Contents, Model};
use crate::package::part_names::percent_decode;
use crate::package::{MODEL, PartSource};
use crate::reader::ModelReader;
use crate::references::{ExternalReference, ReferenceOwner};
use crate::xml::attribute_values::visit_values;
use crate::xml::budget::Budget;

/// A document with the objects of further model parts as resources of its own.
#[derive(Debug, Clone)]
pub struct Assembly {
    /// The document. Objects of its other parts have ids that the original does not have.
    pub document: Document,
    /// Bytes that it refers to beside those of the original.
    pub contents: BTreeMap<ContentHash, Vec<u8>>,
}

/// Error of [`assemble`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AssemblyError {
    /// A part is missing.
    #[error(
        "{what} is in the part {path} of the package, which the project does not have; import its file again"
    )]
    MissingPart {
        /// Build item or object.
        what: String,
        /// Path of the part.
        path: String,
    },
    /// A part has no such object.
    #[error("{what} is object {object} of the part {path}, which has no such object")]
    MissingObject {
        /// Build item or object.
        what: String,
        /// Id of the object in the part.
        object: ResourceId,
        /// Path of the part.
        path: String,
    },
    /// A part cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A part cannot be added to the document.
    #[error(transparent)]
    Merge(#[from] MergeError),
}

impl From<EditError> for AssemblyError {
    fn from(error: EditError) -> Self {
        AssemblyError::Merge(error.into())
    }
}

impl AssemblyError {
    /// Stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            AssemblyError::MissingPart { .. } => "content_missing",
            AssemblyError::MissingObject { .. } => "dangling_reference",
            AssemblyError::Read(error) => error.code(),
            AssemblyError::Merge(error) => error.code(),
        }
    }
}

/// True if a build item or component of a document is an object of another part.
pub fn has_external_objects(document: &Document) -> bool {
    let items = || document.model().items().any(|(_, item)| item.is_external());
    items() || external_assemblies(document).next().is_some()
}

/// Assembles a document with the objects of its further model parts. `contents` returns bytes of the document.
///
/// Lengths in a part of another unit are converted. Time and space are near linear in the parts.
///
/// # Errors
/// [`AssemblyError`] if a part or object is missing, or a part cannot be read.
pub fn assemble(
    document: &Document,
    contents: &Contents<'_>,
    limits: &Limits,
) -> Result<Assembly, AssemblyError> {
    let mut assembler = Assembler {
        parts: Parts::of_document(document, contents),
        own: document.model().info().unit,
        assembly: Assembly {
            document: document.clone(),
            contents: BTreeMap::new(),
        },
        placed: BTreeMap::new(),
        limits,
    };
    let mut edits = Vec::new();
    for (id, item) in document.model().items() {
        if item.is_external() {
            let mut item = BuildItem::clone(item);
            let what = || format!("build item {id}");
            assembler.place(
                &what,
                &mut item.object,
                &mut item.transform,
                &mut item.extra,
            )?;
            let item_id = Some(id);
            edits.push(ModelEdit::SetBuildItem { item_id, item });
        }
    }
    for (id, object) in external_assemblies(document) {
        let mut object = Object::clone(object);
        if let Body::Components(components) = &mut object.body {
            for one in components.iter_mut().filter(|one| one.is_external()) {
                let what = || format!("a component of object {id}");
                assembler.place(&what, &mut one.object, &mut one.transform, &mut one.extra)?;
            }
        }
        edits.push(ModelEdit::SetResource {
            resource_id: Some(id),
            resource: ModelResource::Object(object.into()),
        });
    }
    let mut assembly = assembler.assembly;
    let mut stage = Stage::new(&assembly.document);
    for edit in edits {
        stage.push(&Edit::Model(edit))?;
    }
    stage.finish().apply(&mut assembly.document);
    Ok(assembly)
}

/// Validates the parts that a root model refers to: the objects of items and components, stacks of slices, and targets of
/// relationships to models.
///
/// # Errors
/// The first error, unless all are collected.
pub(crate) fn check(
    root: &str,
    model: &Model,
    references: &[ExternalReference],
    limits: &Limits,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let mut named: BTreeMap<String, Option<Model>> = BTreeMap::new();
    let mut parts = Parts::of_model(model);
    for one in references {
        let place = Location::part(root).at_line(one.line);
        let (owner, path, id) = (one.owner, brief(&one.path), one.object);
        let Some(name) = parts
            .locate(&one.path)
            .filter(|name| !name.eq_ignore_ascii_case(root))
        else {
            let text = format!(
                "{owner}: its path refers to {path}, which is not another part of the package"
            );
            findings.fail(Problem::MissingPart(text).at(place))?;
            continue;
        };
        if !named.contains_key(&name) {
            let part = parts.read_model(&name, limits, findings)?;
            named.insert(name.clone(), part);
        }
        // A part with errors may have lost the object to one of them.
        let Some(part) = &named[&name] else { continue };
        let object = part.objects.iter().find(|(own, _)| *own == id);
        match (object, owner) {
            (None, _) => {
                let text = format!(
                    "{owner} refers to object {id} of the part {path}, which has no such object"
                );
                findings.fail(Problem::DanglingReference(text).at(place))?;
            }
            (Some((_, object)), ReferenceOwner::Item(item))
                if object.object_type == ObjectType::Other =>
            {
                let problem = Problem::NotBuildable { item, object: id.0 };
                findings.fail(problem.at(place))?;
            }
            (Some(_), _) => {}
        }
    }
    for path in other_paths(root, model) {
        let name = parts
            .locate(&path)
            .filter(|name| !name.eq_ignore_ascii_case(root));
        // A relationship that leads nowhere was reported as such.
        let Some(name) = name else { continue };
        if let Entry::Vacant(entry) = named.entry(name) {
            let part = parts.read_model(entry.key(), limits, findings)?;
            entry.insert(part);
        }
    }
    Ok(())
}

/// Paths of model parts that a root model refers to beside those of its items and components.
fn other_paths(root: &str, model: &Model) -> BTreeSet<String> {
    let relationships = model.info.relationships.iter();
    let models = relationships.filter(|one| {
        one.relation == MODEL && !one.external && one.source.eq_ignore_ascii_case(root)
    });
    let mut all: BTreeSet<String> = models.map(|one| one.target.clone()).collect();
    for (_, foreign) in model
        .foreign
        .iter()
        .filter(|(_, one)| one.element == "slicestack")
    {
        let bytes = model.contents.get(&foreign.content);
        if let Some(text) = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()) {
            visit_values(text, &mut |_, name, value| {
                if name == "slicepath" {
                    all.insert(value.to_owned());
                }
            });
        }
    }
    all
}

/// Objects with a component in another part.
fn external_assemblies(document: &Document) -> impl Iterator<Item = (ResourceId, &Object)> {
    document.model_resources().filter_map(|(id, resource)| {
        let ModelResource::Object(object) = resource else {
            return None;
        };
        match &object.body {
            Body::Components(parts) if parts.iter().any(Component::is_external) => {
                Some((id, &**object))
            }
            Body::Components(_) | Body::Mesh(_) | Body::LevelSet(_) | Body::Foreign(_) => None,
        }
    })
}

/// Adds parts to a document as they are referred to.
struct Assembler<'a> {
    parts: Parts<'a>,
    /// Unit of the root model.
    own: Unit,
    assembly: Assembly,
    /// Units of the parts that were added, and the new ids of their objects.
    placed: BTreeMap<String, (Unit, BTreeMap<ResourceId, ResourceId>)>,
    limits: &'a Limits,
}

impl Assembler<'_> {
    /// Replaces a reference to another part by one to the object that was added, and drops its path.
    fn place(
        &mut self,
        what: &dyn Fn() -> String,
        object: &mut ResourceId,
        transform: &mut Transform,
        extra: &mut Extra,
    ) -> Result<(), AssemblyError> {
        let path = extra.external_path().unwrap_or_default().to_owned();
        let shown = || brief(&path);
        let name = self
            .parts
            .locate(&path)
            .ok_or_else(|| AssemblyError::MissingPart {
                what: what(),
                path: shown(),
            })?;
        if !self.placed.contains_key(&name) {
            let added = self.add(&name)?;
            self.placed.insert(name.clone(), added);
        }
        let (unit, ids) = &self.placed[&name];
        *object = *ids
            .get(object)
            .ok_or_else(|| AssemblyError::MissingObject {
                what: what(),
                object: *object,
                path: shown(),
            })?;
        if *unit != self.own {
            let ratio = unit.metres() / self.own.metres();
            let mut scale = Transform::IDENTITY;
            for place in [0, 4, 8] {
                scale.0[place] = ratio;
            }
            *transform = scale.then(transform);
        }
        extra
            .attributes
            .retain(|one| one.value != path || one.name != "path");
        Ok(())
    }

    /// Adds the resources of a part; returns its unit, and the new ids of its objects.
    fn add(
        &mut self,
        name: &str,
    ) -> Result<(Unit, BTreeMap<ResourceId, ResourceId>), AssemblyError> {
        let mut findings = Findings::default();
        let bytes = self.parts.bytes(name).unwrap_or_default();
        let model = read_part(name, &bytes, &mut self.parts, self.limits, &mut findings)?;
        let resources = Model {
            info: self.assembly.document.model().info().clone(),
            metadata: Vec::new(),
            ..model
        };
        let merge = Merge::resources(&self.assembly.document, &resources)?;
        let ids = resources
            .objects
            .iter()
            .map(|(id, _)| (*id, merge.new_id(*id)));
        let ids = ids.collect();
        let changed = merge.contents.into_iter();
        let changed = changed.map(|bytes| (ContentHash::digest(&bytes), bytes));
        self.assembly.contents.extend(changed);
        self.assembly.contents.extend(resources.contents);
        merge.stage.finish().apply(&mut self.assembly.document);
        Ok((model.info.unit, ids))
    }
}

/// Parts of a package by their names in lower case, and their bytes.
struct Parts<'a> {
    names: BTreeMap<String, (String, ContentHash)>,
    bytes: Box<dyn Fn(ContentHash) -> Option<Vec<u8>> + 'a>,
}

impl<'a> Parts<'a> {
    fn of_document(document: &'a Document, contents: &'a Contents<'a>) -> Parts<'a> {
        let resources = document.model_resources().map(|(_, resource)| resource);
        Parts {
            names: named(document.model().parts(), resources),
            bytes: Box::new(|hash| contents(hash).ok().flatten()),
        }
    }

    fn of_model(model: &'a Model) -> Parts<'a> {
        let resources: Vec<ModelResource> =
            model.resources().map(|(_, resource)| resource).collect();
        let parts = model.parts.iter().map(|(name, part)| (name.as_str(), part));
        Parts {
            names: named(parts, resources.iter()),
            bytes: Box::new(|hash| model.contents.get(&hash).cloned()),
        }
    }

    /// Name of the part that a path names, percent-encoded or not.
    fn locate(&self, path: &str) -> Option<String> {
        let name = path.trim_start_matches('/');
        let decoded = || self.find(&percent_decode(name)?);
        self.find(name).or_else(decoded)
    }

    fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        let (_, content) = self.names.get(&name.to_ascii_lowercase())?;
        (self.bytes)(*content)
    }

    /// Reads a model; `None` if it has errors, which are recorded.
    fn read_model(
        &mut self,
        name: &str,
        limits: &Limits,
        findings: &mut Findings,
    ) -> Result<Option<Model>, ReadError> {
        let before = findings.error_count();
        let bytes = self.bytes(name).unwrap_or_default();
        let step = read_part(name, &bytes, self, limits, findings);
        // The rest of the package is checked even if this part is not XML.
        let model = match step {
            Err(error) if !matches!(error.problem, Problem::Cancelled) => {
                findings.record(error)?;
                None
            }
            step => Some(step?),
        };
        Ok(model.filter(|_| findings.error_count() == before))
    }
}

impl PartSource for Parts<'_> {
    fn find(&self, name: &str) -> Option<String> {
        let (name, _) = self.names.get(&name.to_ascii_lowercase())?;
        Some(name.clone())
    }

    fn read_part(&mut self, name: &str, budget: &mut Budget) -> Result<Vec<u8>, ReadError> {
        let missing =
            || Problem::DanglingReference(format!("the bytes of {} are missing", brief(name)));
        let bytes = self
            .bytes(name)
            .ok_or_else(|| missing().at(Location::part(name)))?;
        let charged = budget.charge_bytes(bytes.len());
        charged.map_err(|problem| problem.at(Location::part(name)))?;
        Ok(bytes)
    }
}

/// Names of parts and sheets, by their names in lower case.
fn named<'m>(
    parts: impl Iterator<Item = (&'m str, &'m Part)>,
    resources: impl Iterator<Item = &'m ModelResource>,
) -> BTreeMap<String, (String, ContentHash)> {
    let parts = parts.map(|(name, part)| (name, part.content));
    let sheets = resources.flat_map(|resource| match resource {
        ModelResource::Image(image) => image.sheets.as_slice(),
        ModelResource::Object(_) | ModelResource::VolumeData(_) | ModelResource::Foreign(_) => &[],
    });
    let sheets = sheets.map(|sheet| (sheet.path.as_str(), sheet.content));
    let all = parts.chain(sheets);
    all.map(|(name, content)| (name.to_ascii_lowercase(), (name.to_owned(), content)))
        .collect()
}

/// Reads a further model part. Its build and metadata have no meaning.
fn read_part(
    name: &str,
    bytes: &[u8],
    parts: &mut dyn PartSource,
    limits: &Limits,
    findings: &mut Findings,
) -> Result<Model, ReadError> {
    let mut reader = ModelReader::read(bytes, name, limits, findings)?;
    reader.ignore_build()?;
    reader.read_sheets(parts)?;
    reader.into_model(limits)
}
