//! Insertion of an imported model into a project, as one change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fibula_3mf::{Model, OmittedContent};
use fibula_core::edit::{Edit, ModelEdit, Origin, Stage, State, needed_first};
use fibula_core::graph::model::{ModelInfo, ModelResource, Part, Relationship};
use fibula_core::graph::{ContentHash, Document, FunctionData, FunctionId};
use fibula_nodes::{ResourceId, names};
use fibula_store::contents;

use super::renumber::Renumbering;
use super::reports::{ImportResult, LeftOutInfo, RepairInfo, SHOWN};
use crate::functions::definitions;
use crate::project::change::{CommitOptions, PendingEdit};
use crate::project::commit::Project;
use crate::refusal::Refusal;

/// Inserts a model into a project. Ids that are taken are renumbered, with every reference.
pub(super) fn insert(
    project: &Arc<Project>,
    origin: &Origin,
    condition: CommitOptions,
    model: &Model,
    name: &str,
) -> Result<ImportResult, Refusal> {
    if is_empty(model) {
        return Err(Refusal::new(
            "nothing_to_import",
            "the file has neither functions nor objects",
        )
        .hint("choose another file; `fibula check FILE` tells what is in this one"));
    }
    let decide = |state: &State| {
        let mut insertion = Insertion::new(state.document(), model)?;
        insertion.run(model)?;
        if !condition.dry_run {
            insertion.store(model, project)?;
        }
        let Insertion {
            stage,
            numbers,
            left_out,
            ..
        } = insertion;
        let label = format!(
            "import {} from {}",
            counted(model),
            names::visible(name, 80)
        );
        let step = PendingEdit::labelled(stage.finish(), Some(label));
        Ok((step, (numbers, left_out)))
    };
    let mut imported = project.change_optimistically(
        origin,
        condition,
        decide,
        |document: &Document, done, (numbers, left_out): (Renumbering, Vec<OmittedContent>)| {
            let new = functions_of(model);
            let new: BTreeSet<u32> = new.map(|id| numbers.of(id).0).collect();
            let listed = definitions::all(document).filter(|(id, _)| new.contains(id));
            let left_out = model.left_out.iter().chain(&left_out).take(SHOWN);
            ImportResult {
                success: true,
                functions: listed
                    .take(SHOWN)
                    .map(|(_, listed)| listed.info())
                    .collect(),
                function_count: new.len(),
                resource_count: resources_of(model).count(),
                build_item_count: model.items.len(),
                repair_count: model.repairs.len(),
                repairs: Vec::new(),
                left_out: left_out.map(LeftOutInfo::new).collect(),
                renumbered: numbers.changed(),
                findings: None,
                revision: done.revision,
                dry_run: done.dry_run,
            }
        },
    )?;
    let repairs = model.repairs.iter().take(SHOWN);
    imported.repairs = repairs.map(RepairInfo::new).collect();
    Ok(imported)
}

fn is_empty(model: &Model) -> bool {
    functions_of(model).next().is_none()
        && resources_of(model).next().is_none()
        && model.items.is_empty()
}

/// Ids of the functions in the file.
fn functions_of(model: &Model) -> impl Iterator<Item = ResourceId> {
    let graphs = model.functions.iter().filter_map(|one| one.function_id);
    let images = model.image_functions.iter().map(|(id, _)| *id);
    graphs.map(Into::into).chain(images)
}

/// The other resources, with their ids in the file.
fn resources_of(model: &Model) -> impl Iterator<Item = (ResourceId, ModelResource)> {
    let images = model.images.iter();
    let images = images.map(|(id, one)| (*id, ModelResource::Image(Arc::new(one.clone()))));
    let foreign = model.foreign.iter();
    let foreign = foreign.map(|(id, one)| (*id, ModelResource::Foreign(Arc::new(one.clone()))));
    let volumes = model.volumes.iter();
    let volumes = volumes.map(|(id, one)| (*id, ModelResource::VolumeData(Arc::new(one.clone()))));
    let objects = model.objects.iter();
    let objects = objects.map(|(id, one)| (*id, ModelResource::Object(Arc::new(one.clone()))));
    images.chain(foreign).chain(volumes).chain(objects)
}

/// "3 functions, 2 objects and a build item".
fn counted(model: &Model) -> String {
    let others = model.images.len() + model.foreign.len() + model.volumes.len();
    let all = [
        (functions_of(model).count(), "function"),
        (model.objects.len(), "object"),
        (others, "other resource"),
        (model.items.len(), "build item"),
    ];
    let said = all.iter().filter(|(count, _)| *count > 0);
    let said: Vec<String> = said
        .map(|(count, what)| match count {
            1 => format!("a{} {what}", if what.starts_with('o') { "n" } else { "" }),
            _ => format!("{count} {what}s"),
        })
        .collect();
    match said.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// An insertion in progress.
struct Insertion {
    stage: Stage,
    numbers: Renumbering,
    /// Bytes rewritten because they refer to ids that have changed.
    contents: Vec<Vec<u8>>,
    left_out: Vec<OmittedContent>,
}

impl Insertion {
    fn new(document: &Document, model: &Model) -> Result<Self, Refusal> {
        let resources = resources_of(model).map(|(id, _)| id);
        let own = functions_of(model).chain(resources);
        let own: BTreeSet<u32> = own.map(|id| id.0).collect();
        let named = resources_of(model).flat_map(|(_, resource)| resource.references());
        let named: BTreeSet<u32> = named.map(|id| id.0).collect();
        Ok(Insertion {
            stage: Stage::new(document),
            numbers: Renumbering::new(document, own, &named)?,
            contents: Vec::new(),
            left_out: Vec::new(),
        })
    }

    fn run(&mut self, model: &Model) -> Result<(), Refusal> {
        let fresh = is_fresh(self.stage.document());
        let resources: BTreeMap<ResourceId, ModelResource> = resources_of(model).collect();
        let all: BTreeSet<ResourceId> = resources.keys().copied().collect();
        let paths = self.paths(model);
        // Nodes may refer to meshes that come later, but functions come before what queries them.
        for (id, image) in &model.images {
            let image = ModelResource::Image(Arc::new(image.clone()));
            self.resource(model, *id, &image, &paths)?;
        }
        for (id, image) in &model.image_functions {
            self.stage.push(&Edit::AddImageFunction {
                resource_id: self.numbers.of(*id),
                image: self.numbers.image(image),
            })?;
        }
        let functions = model.functions.iter();
        let functions = functions.filter_map(|one| Some((one.function_id?, one)));
        let functions: BTreeMap<FunctionId, &FunctionData> = functions.collect();
        for function in &model.functions {
            let function = self.numbers.function(function, &functions);
            self.stage.push(&Edit::SetFunction(function))?;
        }
        let needs = |id: ResourceId| {
            let needed = resources[&id].references();
            needed
                .into_iter()
                .filter(|id| all.contains(id))
                .collect::<Vec<_>>()
                .into_iter()
        };
        for id in needed_first(&all, needs) {
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

    /// Stores the bytes before anything refers to them.
    fn store(&self, model: &Model, project: &Project) -> Result<(), Refusal> {
        let named: BTreeSet<ContentHash> = contents::document_hashes(self.stage.document())
            .into_iter()
            .collect();
        let read = model
            .contents
            .iter()
            .filter(|(hash, _)| named.contains(hash));
        for bytes in read.map(|(_, bytes)| bytes).chain(&self.contents) {
            project.store.put_content(project.id, bytes)?;
        }
        Ok(())
    }

    fn model(&mut self, edit: ModelEdit) -> Result<(), Refusal> {
        self.stage.push(&Edit::Model(edit))?;
        Ok(())
    }

    fn resource(
        &mut self,
        model: &Model,
        id: ResourceId,
        resource: &ModelResource,
        paths: &BTreeMap<String, String>,
    ) -> Result<(), Refusal> {
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
                .expect("there are more numbers than names");
            taken.insert(other.to_ascii_lowercase());
            paths.insert(path.to_owned(), other);
        }
        paths
    }

    fn metadata(&mut self, model: &Model) -> Result<(), Refusal> {
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
                        "the project has {:?} already",
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
    fn parts(&mut self, model: &Model) -> Result<BTreeSet<String>, Refusal> {
        let held = sheets_and_parts(self.stage.document());
        let mut taken = BTreeSet::new();
        for (name, part) in &model.parts {
            match held.get(&name.to_ascii_lowercase()) {
                Some(content) if *content == part.content => {}
                Some(_) => {
                    let what = format!("part {}", names::visible(name, 60));
                    self.leave(what, "the project has another part of this name".to_owned());
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
    ) -> Result<(), Refusal> {
        let held = self.stage.document().model().info().clone();
        let info = if fresh {
            model.info.clone()
        } else {
            if held.unit != model.info.unit {
                let why = format!(
                    "the project is in {}; all numbers of the file are taken as they are",
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
