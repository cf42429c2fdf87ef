//! Plan of the model part: the resources in topological order, and the ids of generated image functions.

use std::collections::{BTreeMap, BTreeSet};

use fibula_core::graph::model::ModelResource;
use fibula_core::graph::{Argument, Document, Function, ImageFunction, Resource};
use fibula_nodes::{ResourceId, Value};

use super::Dialect;
use super::error::{WriteError, WriteNote};
use super::function::label;
use super::identifier::{FunctionPorts, PortsById};
use super::lowering::sampler_request;
use crate::references::all_references;
use crate::resource_order::{self, Needs, OrderEntry};
use crate::roundtrip::image_sampler::{self, IMAGE_SAMPLER};
use crate::roundtrip::inner_content::InnerContents;
use crate::topological_sort::abbreviate_path;
use crate::xml::fragment;

/// Largest id that 3MF allows.
const LARGEST_ID: u32 = i32::MAX as u32;

/// Document, dialect and ports that the functions are written with.
pub(super) struct ExportPlan<'a> {
    pub(super) document: &'a Document,
    pub(super) dialect: Dialect,
    /// Ports of every function and image function.
    pub(super) signatures: PortsById,
    /// Image functions that are generated for samplers.
    pub(super) samplers: BTreeMap<(ResourceId, [i64; 4]), ResourceId>,
}

/// Resource to be written.
pub(super) enum PackageItem<'a> {
    Function(&'a Function),
    Image(ImageFunction),
    Model(&'a ModelResource),
    /// A kept element without an id.
    Element(String),
}

impl PackageItem<'_> {
    /// Name for messages.
    pub(super) fn label(&self, id: ResourceId) -> String {
        match self {
            PackageItem::Function(function) => label(function),
            PackageItem::Image(image) => {
                let name = fibula_nodes::names::visible(&image.name, 60);
                format!("image function {id} ({name})")
            }
            PackageItem::Model(resource) => resource.label(id),
            PackageItem::Element(_) => "an element without an id".to_owned(),
        }
    }
}

impl<'a> ExportPlan<'a> {
    /// Plans the export of a document.
    ///
    /// # Errors
    /// [`WriteError`] if an input or output has a type that 3MF does not have.
    pub(super) fn new(document: &'a Document, dialect: Dialect) -> Result<Self, WriteError> {
        let mut project = ExportPlan {
            document,
            dialect,
            signatures: PortsById::new(),
            samplers: BTreeMap::new(),
        };
        for function in document.functions() {
            let signature = FunctionPorts::new(&function.ty(), &label(function))?;
            project.signatures.insert(function.id().into(), signature);
        }
        for (id, resource) in document.resources() {
            if let Resource::ImageFunction(image) = resource {
                let signature = FunctionPorts::new(&image.ty(), &image.name)?;
                project.signatures.insert(id, signature);
            }
        }
        project.find_samplers();
        Ok(project)
    }

    /// True if the package will have a resource with this id.
    pub(super) fn has(&self, id: ResourceId) -> bool {
        match self.document.resource(id) {
            Some(Resource::File(_)) => false,
            Some(Resource::Content(_) | Resource::ImageFunction(_) | Resource::Model(_)) => true,
            None => self.document.has(id),
        }
    }

    /// Assigns ids to the image functions that samplers need.
    fn find_samplers(&mut self) {
        let mut requests = BTreeSet::new();
        for function in self.document.functions() {
            let nodes = function.nodes();
            for node in nodes.filter(|node| node.kind().info().name == IMAGE_SAMPLER) {
                let known = sampler_request(function, node).filter(|&(image, numbers)| {
                    let image = self.document.model_resource(image);
                    matches!(image, Some(ModelResource::Image(_)))
                        && image_sampler::image_function(ResourceId(1), numbers).is_some()
                });
                requests.extend(known);
            }
        }
        let functions = self.document.functions().map(|function| function.id().0);
        let resources = self.document.resources().map(|(id, _)| id.0);
        let mut last = functions.chain(resources).max().unwrap_or(0);
        for one in requests {
            // An id beyond the largest one is rejected when it is written.
            last = last.saturating_add(1);
            self.samplers.insert(one, ResourceId(last));
        }
    }

    /// All resources in topological order, else in that of their file, else by their ids. Elements without an id have the
    /// id 0.
    ///
    /// # Errors
    /// [`WriteError::InvalidId`], [`WriteError::InMemory`], [`WriteError::MissingResource`] and [`WriteError::Cycle`].
    pub(super) fn items(
        &self,
        notes: &mut Vec<WriteNote>,
    ) -> Result<Vec<(ResourceId, PackageItem<'a>)>, WriteError> {
        let mut items: BTreeMap<ResourceId, PackageItem<'a>> = BTreeMap::new();
        for function in self.document.functions() {
            items.insert(function.id().into(), PackageItem::Function(function));
        }
        for (id, resource) in self.document.resources() {
            let item = match resource {
                Resource::Content(content) => {
                    let what = format!("{} {id}", content.kind());
                    return Err(WriteError::InMemory { what });
                }
                Resource::ImageFunction(image) => {
                    let item = PackageItem::Image(image.clone());
                    if !self.has(image.image) {
                        let (what, id) = (item.label(id), image.image);
                        return Err(WriteError::MissingResource { what, id });
                    }
                    item
                }
                Resource::Model(resource) => PackageItem::Model(resource),
                Resource::File(file) => {
                    let name = fibula_nodes::names::visible(&file.name, 60);
                    let message =
                        format!("'{name}' belongs to the project, not to a package: omitted");
                    let (code, place) = ("file", format!("file {id}"));
                    notes.push(WriteNote {
                        code,
                        place,
                        message,
                    });
                    continue;
                }
            };
            items.insert(id, item);
        }
        for (&(image, numbers), &id) in &self.samplers {
            let function = image_sampler::image_function(image, numbers);
            items.extend(function.map(|function| (id, PackageItem::Image(function))));
        }
        let mut all = items.iter();
        if let Some((id, item)) = all.find(|(id, _)| !(1..=LARGEST_ID).contains(&id.0)) {
            let (what, id) = (item.label(*id), id.0);
            return Err(WriteError::InvalidId { what, id });
        }
        self.in_order(items)
    }

    fn in_order(
        &self,
        mut items: BTreeMap<ResourceId, PackageItem<'a>>,
    ) -> Result<Vec<(ResourceId, PackageItem<'a>)>, WriteError> {
        let kept = &self.document.model().info().extra.elements;
        let resources = InnerContents::split(kept).0.take("resources");
        let needs = items.iter().map(|(id, item)| {
            let ids = match item {
                PackageItem::Function(function) => self.needs(function),
                PackageItem::Image(image) => BTreeSet::from([image.image]),
                PackageItem::Model(resource) => all_references(resource),
                PackageItem::Element(_) => BTreeSet::new(),
            };
            let ids = ids.into_iter().map(|id| id.0);
            (OrderEntry::Resource(id.0), ids.collect())
        });
        let mut needs: Needs = needs.collect();
        for (index, element) in resources.elements.iter().enumerate() {
            let ids = fragment::references(element).into_iter().map(|id| id.0);
            needs.insert(OrderEntry::Element(index), ids.collect());
        }
        let listed = resource_order::parse(&resources.order);
        let order = resource_order::sort(&listed, &needs).map_err(|cycle| {
            let label = |entry: &OrderEntry| match entry {
                OrderEntry::Resource(id) => items[&ResourceId(*id)].label(ResourceId(*id)),
                OrderEntry::Element(_) => "an element without an id".to_owned(),
            };
            let path: Vec<String> = cycle.iter().map(label).collect();
            let path = abbreviate_path(&path);
            WriteError::Cycle { path }
        })?;
        let take = |entry: OrderEntry| match entry {
            OrderEntry::Resource(id) => Some((ResourceId(id), items.remove(&ResourceId(id))?)),
            OrderEntry::Element(index) => {
                let element = resources.elements.get(index)?.clone();
                Some((ResourceId(0), PackageItem::Element(element)))
            }
        };
        Ok(order.into_iter().filter_map(take).collect())
    }

    /// Resources that a function refers to.
    fn needs(&self, function: &Function) -> BTreeSet<ResourceId> {
        let mut all = BTreeSet::new();
        for node in function.nodes() {
            let name = node.kind().info().name;
            for place in 0..node.signature().parameters.len() {
                if let Argument::Value(Value::ResourceId(id)) = node.argument(place) {
                    all.insert(*id);
                }
            }
            if name == IMAGE_SAMPLER {
                let request = sampler_request(function, node);
                all.extend(request.and_then(|request| self.samplers.get(&request)));
            }
        }
        all
    }
}
