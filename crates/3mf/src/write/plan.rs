//! What is written, and in which order: every resource after those that it refers to.

use std::collections::{BTreeMap, BTreeSet};

use fibula_core::graph::model::ModelResource;
use fibula_core::graph::{Argument, Document, Function, ImageFunction, Resource};
use fibula_nodes::{ResourceId, Value};

use super::Dialect;
use super::error::{WriteError, WriteNote};
use super::function::label;
use super::identifier::{Signature, Signatures};
use super::lowering::sampled;
use crate::order::{needed_first, shortened};
use crate::sampler::{self, SAMPLER};

/// The largest id that 3MF allows.
const LARGEST_ID: u32 = i32::MAX as u32;

/// What the functions of a project are written with.
pub(super) struct Project<'a> {
    pub(super) document: &'a Document,
    pub(super) dialect: Dialect,
    /// The ports of every function and image function.
    pub(super) signatures: Signatures,
    /// The image functions that are made for samplers.
    pub(super) samplers: BTreeMap<(ResourceId, [i64; 4]), ResourceId>,
}

/// A resource that is written.
pub(super) enum Item<'a> {
    Function(&'a Function),
    Image(ImageFunction),
    Model(&'a ModelResource),
}

impl Item<'_> {
    /// How messages call it.
    pub(super) fn label(&self, id: ResourceId) -> String {
        match self {
            Item::Function(function) => label(function),
            Item::Image(image) => {
                let name = fibula_nodes::names::visible(&image.name, 60);
                format!("image function {id} ({name})")
            }
            Item::Model(resource) => resource.label(id),
        }
    }
}

impl<'a> Project<'a> {
    /// Looks through a document.
    ///
    /// # Errors
    /// [`WriteError`] when something has an id or a type that 3MF does not have, or lies only in memory.
    pub(super) fn new(document: &'a Document, dialect: Dialect) -> Result<Self, WriteError> {
        let mut project = Project {
            document,
            dialect,
            signatures: Signatures::new(),
            samplers: BTreeMap::new(),
        };
        for function in document.functions() {
            let signature = Signature::new(&function.ty(), &label(function))?;
            project.signatures.insert(function.id().into(), signature);
        }
        for (id, resource) in document.resources() {
            if let Resource::ImageFunction(image) = resource {
                let signature = Signature::new(&image.ty(), &image.name)?;
                project.signatures.insert(id, signature);
            }
        }
        project.find_samplers();
        Ok(project)
    }

    /// Whether the package will have a resource with this id.
    pub(super) fn has(&self, id: ResourceId) -> bool {
        match self.document.resource(id) {
            Some(Resource::File(_)) => false,
            Some(Resource::Content(_) | Resource::ImageFunction(_) | Resource::Model(_)) => true,
            None => self.document.has(id),
        }
    }

    /// Gives ids to the image functions that samplers need.
    fn find_samplers(&mut self) {
        let mut asked = BTreeSet::new();
        for function in self.document.functions() {
            let nodes = function.nodes();
            for node in nodes.filter(|node| node.kind().info().name == SAMPLER) {
                let known = sampled(function, node).filter(|&(image, numbers)| {
                    let image = self.document.model_resource(image);
                    matches!(image, Some(ModelResource::Image(_)))
                        && sampler::function(ResourceId(1), numbers).is_some()
                });
                asked.extend(known);
            }
        }
        let functions = self.document.functions().map(|function| function.id().0);
        let resources = self.document.resources().map(|(id, _)| id.0);
        let mut last = functions.chain(resources).max().unwrap_or(0);
        for one in asked {
            // Beyond the largest id it is refused when it is written.
            last = last.saturating_add(1);
            self.samplers.insert(one, ResourceId(last));
        }
    }

    /// All resources, each after those that it refers to, else by their ids.
    ///
    /// # Errors
    /// [`WriteError::InvalidId`], [`WriteError::InMemory`] and [`WriteError::Circle`].
    pub(super) fn items(
        &self,
        notes: &mut Vec<WriteNote>,
    ) -> Result<Vec<(ResourceId, Item<'a>)>, WriteError> {
        let mut items: BTreeMap<ResourceId, Item<'a>> = BTreeMap::new();
        for function in self.document.functions() {
            items.insert(function.id().into(), Item::Function(function));
        }
        for (id, resource) in self.document.resources() {
            let item = match resource {
                Resource::Content(content) => {
                    let what = format!("{} {id}", content.kind());
                    return Err(WriteError::InMemory { what });
                }
                Resource::ImageFunction(image) => {
                    let item = Item::Image(image.clone());
                    if !self.has(image.image) {
                        return Err(WriteError::MissingResource {
                            what: item.label(id),
                            id: image.image,
                        });
                    }
                    item
                }
                Resource::Model(resource) => Item::Model(resource),
                Resource::File(file) => {
                    notes.push(WriteNote {
                        code: "file",
                        place: format!("file {id}"),
                        message: format!(
                            "'{}' is kept with the project, not in a package: left out",
                            fibula_nodes::names::visible(&file.name, 60)
                        ),
                    });
                    continue;
                }
            };
            items.insert(id, item);
        }
        for (&(image, numbers), &id) in &self.samplers {
            let function = sampler::function(image, numbers);
            items.extend(function.map(|function| (id, Item::Image(function))));
        }
        if let Some((id, item)) = items
            .iter()
            .find(|(id, _)| !(1..=LARGEST_ID).contains(&id.0))
        {
            return Err(WriteError::InvalidId {
                what: item.label(*id),
                id: id.0,
            });
        }
        let order = self.order(&items)?;
        let mut all: Vec<Option<(ResourceId, Item<'a>)>> = items.into_iter().map(Some).collect();
        Ok(order.into_iter().filter_map(|at| all[at].take()).collect())
    }

    fn order(&self, items: &BTreeMap<ResourceId, Item<'a>>) -> Result<Vec<usize>, WriteError> {
        let places: BTreeMap<ResourceId, usize> =
            items.keys().enumerate().map(|(at, &id)| (id, at)).collect();
        let needs = |(own, item): (&ResourceId, &Item<'a>)| -> Vec<usize> {
            let ids = match item {
                Item::Function(function) => self.needs(function),
                Item::Image(image) => BTreeSet::from([image.image]),
                Item::Model(resource) => resource.references(),
            };
            // A function may hold its own id, which calls nothing.
            let others = ids.iter().filter(|id| *id != own);
            others.filter_map(|id| places.get(id).copied()).collect()
        };
        let needs: Vec<Vec<usize>> = items.iter().map(needs).collect();
        needed_first(&needs).map_err(|circle| {
            let items: Vec<(&ResourceId, &Item<'a>)> = items.iter().collect();
            let label = |&at: &usize| items[at].1.label(*items[at].0);
            let path: Vec<String> = circle.iter().map(label).collect();
            WriteError::Circle {
                path: shortened(&path),
            }
        })
    }

    /// What a function refers to.
    fn needs(&self, function: &Function) -> BTreeSet<ResourceId> {
        let mut all = BTreeSet::new();
        for node in function.nodes() {
            let name = node.kind().info().name;
            for place in 0..node.signature().parameters.len() {
                if let Argument::Value(Value::ResourceId(id)) = node.argument(place) {
                    all.insert(*id);
                }
            }
            if name == SAMPLER {
                let asked = sampled(function, node);
                all.extend(asked.and_then(|asked| self.samplers.get(&asked)));
            }
        }
        all
    }
}
