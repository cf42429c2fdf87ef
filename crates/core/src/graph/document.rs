//! A document: the functions of a project, their resources, the model, and the knowledge graph.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fibula_knowledge::Knowledge;
use fibula_nodes::{FunctionType, ResourceId, ResourceKind, names};
use petgraph::Direction;
use petgraph::algo::{astar, toposort};
use petgraph::graphmap::DiGraphMap;

use super::error::{Endpoint, GraphError};
use super::file::ContentHash;
use super::function::Function;
use super::hash;
use super::ids::{FunctionId, IdSet};
use super::model::{BuildItem, Model, ModelResource};
use super::referrers::{ReferenceIndex, Referrer};
use super::resource::{Content, ImageFunction, Resource};

/// Functions and resources of a project, in one id space, and its knowledge graph.
///
/// Cloning is cheap (copy-on-write): a clone shares all unchanged parts, so it serves as a snapshot.
#[derive(Debug, Clone, Default)]
pub struct Document {
    functions: BTreeMap<FunctionId, Arc<Function>>,
    resources: BTreeMap<ResourceId, Resource>,
    /// The sum of the resources' hashes.
    resource_hash: u64,
    /// The build, the metadata and the package.
    model: Arc<Model>,
    knowledge: Arc<Knowledge>,
    /// Loaded contents of meshes and images, by their content hashes.
    loaded: Arc<BTreeMap<Vec<ContentHash>, Arc<dyn Content>>>,
    /// The call graph.
    calls: Arc<DiGraphMap<FunctionId, ()>>,
    referrers: Arc<ReferenceIndex>,
    used: IdSet,
}

/// Queries.
impl Document {
    /// Hash of the state: of all functions and resources, independent of order, without the used ids. It is stable
    /// across platforms and versions. Time is linear in the functions, not in their nodes.
    pub fn hash(&self) -> u64 {
        let functions = self.functions();
        let rest = [self.model.hash(), self.knowledge.hash()];
        let rest = rest.into_iter().fold(self.resource_hash, u64::wrapping_add);
        functions.fold(rest, |sum, function| sum.wrapping_add(function.hash()))
    }

    /// The build, the metadata and the package.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The model, mutable, for checked plans; build items are set by [`set_item`](Self::set_item).
    pub(crate) fn model_mut(&mut self) -> &mut Model {
        Arc::make_mut(&mut self.model)
    }

    /// The knowledge graph.
    pub fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// The knowledge graph, mutable, for checked plans.
    pub(crate) fn knowledge_mut(&mut self) -> &mut Knowledge {
        Arc::make_mut(&mut self.knowledge)
    }

    pub(super) fn reference_index(&self) -> &ReferenceIndex {
        &self.referrers
    }

    /// Resources of the model in ascending order of ids.
    pub fn model_resources(&self) -> impl Iterator<Item = (ResourceId, &ModelResource)> {
        self.resources()
            .filter_map(|(id, resource)| Some((id, resource.model()?)))
    }

    /// Returns a resource of the model.
    pub fn model_resource(&self, id: ResourceId) -> Option<&ModelResource> {
        self.resources.get(&id)?.model()
    }

    /// Returns an image function.
    pub fn image_function(&self, id: ResourceId) -> Option<&ImageFunction> {
        self.resources.get(&id)?.image_function()
    }

    /// Type of a function graph or image function, if one has this id.
    pub fn function_type(&self, id: ResourceId) -> Option<FunctionType> {
        match self.functions.get(&id.into()) {
            Some(function) => Some(function.ty()),
            None => self.image_function(id).map(ImageFunction::ty),
        }
    }

    /// Type of a function graph or image function.
    ///
    /// # Errors
    /// [`GraphError::UnknownFunction`] with the nearest ids.
    pub fn type_of(&self, id: FunctionId) -> Result<FunctionType, GraphError> {
        self.function_type(id.into())
            .ok_or_else(|| self.unknown_function(id))
    }

    /// Number of functions: graphs, and images that can be called.
    pub fn function_count(&self) -> usize {
        let images = self.resources.values();
        let images = images.filter(|resource| resource.image_function().is_some());
        self.functions.len() + images.count()
    }

    /// Content of a resource, if it was added in memory or [loaded](Self::load).
    pub fn content(&self, id: ResourceId) -> Option<&Arc<dyn Content>> {
        match self.resources.get(&id)? {
            Resource::Content(content) => Some(content),
            Resource::Model(resource) => self.loaded.get(&resource.contents()),
            Resource::ImageFunction(_) | Resource::File(_) => None,
        }
    }

    /// Attaches the decoded content of a mesh or image. The state and its hash do not change.
    pub fn load(&mut self, id: ResourceId, content: Arc<dyn Content>) {
        if let Some(hashes) = self.model_resource(id).map(ModelResource::contents) {
            Arc::make_mut(&mut self.loaded).insert(hashes, content);
        }
    }

    /// Label of a function or resource, such as `level set 5 'Foot'`.
    pub fn noun(&self, id: ResourceId) -> Option<String> {
        let named = |what: &str, name: &str| format!("{what} {id} '{}'", names::visible(name, 60));
        if let Some(function) = self.functions.get(&id.into()) {
            return Some(named("function", function.name()));
        }
        Some(match self.resources.get(&id)? {
            Resource::Model(resource) => resource.label(id),
            Resource::ImageFunction(image) => named("image function", &image.name),
            Resource::File(file) => named("file", &file.name),
            Resource::Content(content) => format!("{} {id}", content.kind()),
        })
    }

    /// Labels of the nodes and image functions that refer to a resource.
    pub fn references_to(&self, id: ResourceId) -> Vec<String> {
        let mut all = Vec::new();
        for user in self.referrers(id) {
            match user {
                Referrer::Function(user) => {
                    let references = self.functions.get(&user).into_iter();
                    let references = references.flat_map(|function| function.references());
                    let refers = references.filter(|(other, _, _)| *other == id);
                    all.extend(refers.map(|(_, _, end)| format!("{end} in function {user}")));
                }
                Referrer::Resource(other) => {
                    if let Some(image) = self.image_function(other) {
                        all.push(format!("image function {other} '{}'", image.name));
                    }
                }
                Referrer::Item(_) => {}
            }
        }
        all
    }

    /// Functions in ascending order of ids.
    pub fn functions(&self) -> impl ExactSizeIterator<Item = &Function> {
        self.functions.values().map(AsRef::as_ref)
    }

    /// Returns a function.
    ///
    /// # Errors
    /// [`GraphError::UnknownFunction`] with the nearest ids.
    pub fn function(&self, id: FunctionId) -> Result<&Function, GraphError> {
        self.find_function(id)
            .ok_or_else(|| self.unknown_function(id))
    }

    /// Returns a function, if it exists.
    pub fn find_function(&self, id: FunctionId) -> Option<&Function> {
        self.functions.get(&id).map(AsRef::as_ref)
    }

    fn unknown_function(&self, id: FunctionId) -> GraphError {
        const MOST_NEAREST: usize = 12;
        if let Some(image) = self.image_function(id.into()) {
            return GraphError::NoGraph {
                function_id: id,
                name: image.name.clone(),
                image: image.image,
            };
        }
        let images = self.resources().filter_map(|(id, resource)| {
            let image = resource.image_function()?;
            Some((FunctionId::from(id), image.name.as_str()))
        });
        let graphs = self
            .functions()
            .map(|function| (function.id(), function.name()));
        let mut near: Vec<(FunctionId, &str)> = graphs.chain(images).collect();
        near.sort_by_key(|(other, _)| (other.0.abs_diff(id.0), *other));
        near.truncate(MOST_NEAREST);
        near.sort_by_key(|(other, _)| *other);
        let name = |(id, name): &(FunctionId, &str)| format!("{id} ({name})");
        GraphError::UnknownFunction {
            function_id: id,
            functions: near.iter().map(name).collect(),
        }
    }

    /// Resources that are not function graphs, in ascending order of ids.
    pub fn resources(&self) -> impl ExactSizeIterator<Item = (ResourceId, &Resource)> {
        self.resources.iter().map(|(&id, resource)| (id, resource))
    }

    /// Returns a resource that is not a function graph.
    pub fn resource(&self, id: ResourceId) -> Option<&Resource> {
        self.resources.get(&id)
    }

    /// Smallest id that was never used by a function or resource, that no node refers to and to which no knowledge is tied.
    ///
    /// # Errors
    /// [`GraphError::TooLarge`] if all ids were used.
    pub fn next_id(&self) -> Result<u32, GraphError> {
        Ok(self.next_id_beside(None)?.0)
    }

    /// As [`next_id`](Self::next_id), excluding a reserved id.
    ///
    /// # Errors
    /// As [`next_id`](Self::next_id).
    pub fn next_id_beside(&self, reserved: Option<FunctionId>) -> Result<FunctionId, GraphError> {
        self.next_id_from(1, reserved)
    }

    /// As [`next_id_beside`](Self::next_id_beside), from an id on.
    ///
    /// # Errors
    /// As [`next_id`](Self::next_id).
    pub fn next_id_from(
        &self,
        first: u32,
        reserved: Option<FunctionId>,
    ) -> Result<FunctionId, GraphError> {
        let tied = self.tied_functions();
        let is_taken = |id: u32| {
            self.used.contains(id)
                || reserved == Some(FunctionId(id))
                || tied.contains(&FunctionId(id))
                || self.referrers(ResourceId(id)).next().is_some()
        };
        let mut next = self.used.next().map(|next| next.max(first));
        while let Some(id) = next.filter(|&id| is_taken(id)) {
            next = id.checked_add(1);
        }
        next.map(FunctionId)
            .ok_or_else(|| GraphError::out_of_ids("a project"))
    }

    /// Functions to which knowledge is tied, at them or at their nodes, even if they no longer exist. Takes time linear in
    /// the nodes of the knowledge graph if there are any.
    pub fn tied_functions(&self) -> BTreeSet<FunctionId> {
        if !self.knowledge.has_function_ends() {
            return BTreeSet::new();
        }
        let ends = self.knowledge.function_ends().into_iter();
        ends.map(|end| FunctionId(end.function)).collect()
    }

    /// References of nodes and image functions to a resource, which need not exist: the expected kind, and the
    /// parameter.
    fn references(&self, id: ResourceId) -> impl Iterator<Item = (ResourceKind, Endpoint)> {
        self.referrers(id).flat_map(move |user| match user {
            Referrer::Function(user) => {
                let references = self.functions.get(&user).into_iter();
                let references = references.flat_map(|function| function.references());
                let here = references.filter(|(other, _, _)| *other == id);
                here.map(|(_, wants, end)| (wants, end)).collect()
            }
            Referrer::Resource(user) => {
                let image = self.image_function(user).into_iter();
                image
                    .map(|image| (ResourceKind::Image, image.end("image")))
                    .collect()
            }
            Referrer::Item(_) => Vec::new(),
        })
    }

    /// Checks the kind of a new resource against references that were created before it.
    ///
    /// # Errors
    /// [`GraphError::ResourceKindMismatch`] with a node that expects another kind.
    pub(crate) fn check_new(
        &self,
        id: ResourceId,
        kind: ResourceKind,
        answers: impl Fn(ResourceKind) -> bool,
    ) -> Result<(), GraphError> {
        match self.references(id).find(|(wants, _)| !answers(*wants)) {
            None => Ok(()),
            Some((wants, target)) => Err(GraphError::wrong_kind(target, wants, id, kind)),
        }
    }

    /// True if a function or resource has this id.
    pub fn has(&self, id: ResourceId) -> bool {
        self.functions.contains_key(&id.into()) || self.resources.contains_key(&id)
    }

    /// Type of a function graph or image function.
    ///
    /// # Errors
    /// [`GraphError::UnknownFunction`]; [`GraphError::ResourceKindMismatch`] for `target` if the resource is of
    /// another kind.
    pub(crate) fn callable(
        &self,
        id: ResourceId,
        target: &Endpoint,
    ) -> Result<FunctionType, GraphError> {
        if let Some(ty) = self.function_type(id) {
            return Ok(ty);
        }
        match self.resources.get(&id) {
            Some(resource) => {
                let (target, wants) = (target.clone(), ResourceKind::Function);
                Err(GraphError::wrong_kind(target, wants, id, resource.kind()))
            }
            None => Err(self.unknown_function(id.into())),
        }
    }

    /// Checks a reference: an existing resource must be of the kind `wants`, and a function must exist.
    ///
    /// # Errors
    /// As [`callable`](Self::callable).
    pub(crate) fn check_reference(
        &self,
        id: ResourceId,
        wants: ResourceKind,
        target: &Endpoint,
    ) -> Result<(), GraphError> {
        let mismatch = |is| GraphError::wrong_kind(target.clone(), wants, id, is);
        if self.functions.contains_key(&id.into()) {
            if wants == ResourceKind::Function {
                return Ok(());
            }
            return Err(mismatch(ResourceKind::Function));
        }
        match self.resources.get(&id) {
            None if wants == ResourceKind::Function => Err(self.unknown_function(id.into())),
            None => Ok(()),
            Some(resource) if resource.answers(wants) => Ok(()),
            Some(resource) => Err(mismatch(resource.kind())),
        }
    }

    /// True if a function calls others.
    pub fn has_calls(&self, function: FunctionId) -> bool {
        self.calls.neighbors(function).next().is_some()
    }

    /// Callers of a function in ascending order of ids.
    pub fn callers(&self, function: FunctionId) -> Vec<FunctionId> {
        let callers = self.calls.neighbors_directed(function, Direction::Incoming);
        callers.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Checks that image functions refer to images or to missing resources.
    pub(super) fn check_image_references(&self) -> Result<(), GraphError> {
        let mut images = self.resources.values().filter_map(Resource::image_function);
        images.try_for_each(|image| {
            self.check_reference(image.image, ResourceKind::Image, &image.end("image"))
        })
    }

    /// Checks that the call graph is acyclic.
    ///
    /// # Errors
    /// [`GraphError::RecursiveCall`] with a cycle.
    pub(super) fn check_calls(&self) -> Result<(), GraphError> {
        let Err(cycle) = toposort(&*self.calls, None) else {
            return Ok(());
        };
        let caller = cycle.node_id();
        let callees: BTreeSet<FunctionId> = self.calls.neighbors(caller).collect();
        callees
            .into_iter()
            .try_for_each(|callee| self.check_call(caller, callee))
    }

    /// Checks that a call closes no cycle of the call graph.
    ///
    /// # Errors
    /// [`GraphError::RecursiveCall`] with the path.
    pub(crate) fn check_call(
        &self,
        caller: FunctionId,
        other: FunctionId,
    ) -> Result<(), GraphError> {
        if caller == other {
            return Err(GraphError::RecursiveCall {
                path: vec![caller, caller],
            });
        }
        let mut callers = self.calls.neighbors_directed(caller, Direction::Incoming);
        if callers.next().is_none() || !self.calls.contains_node(other) {
            return Ok(());
        }
        let is_caller = |function| function == caller;
        match astar(&*self.calls, other, is_caller, |_| 1_u32, |_| 0) {
            None => Ok(()),
            Some((_, path)) => {
                let path = std::iter::once(caller).chain(path).collect();
                Err(GraphError::RecursiveCall { path })
            }
        }
    }
}

/// Changes, made by checked edits and by importers through [`insert`](Document::insert).
impl Document {
    /// Builds a function, inserts it, and returns its id.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn insert(&mut self, data: &super::FunctionData) -> Result<FunctionId, GraphError> {
        let function = self.build(data)?;
        let id = function.id();
        self.check_free(id.into())?;
        let kind = ResourceKind::Function;
        self.check_new(id.into(), kind, |wants| wants == kind)?;
        self.put(function);
        Ok(id)
    }

    /// Adds a function, without checking references to it.
    pub(super) fn add_function(&mut self, function: Function) -> Result<(), GraphError> {
        self.check_free(function.id().into())?;
        self.put(function);
        Ok(())
    }

    /// Adds a mesh, beam lattice or image and returns its new id.
    ///
    /// # Errors
    /// [`GraphError::TooLarge`] when every id was used.
    pub fn add(&mut self, content: impl Content + 'static) -> Result<ResourceId, GraphError> {
        let id = ResourceId(self.next_id()?);
        self.insert_resource(id, Resource::Content(Arc::new(content)))?;
        Ok(id)
    }

    /// Adds a resource under an unused id.
    ///
    /// # Errors
    /// [`GraphError::DuplicateId`]; [`GraphError::ResourceKindMismatch`] if a reference expects another kind.
    pub fn insert_resource(
        &mut self,
        id: ResourceId,
        resource: Resource,
    ) -> Result<(), GraphError> {
        self.check_insert(id, &resource)?;
        self.add_resource(id, resource)
    }

    /// Performs the checks of [`insert_resource`](Self::insert_resource).
    pub(crate) fn check_insert(
        &self,
        id: ResourceId,
        resource: &Resource,
    ) -> Result<(), GraphError> {
        self.check_free(id)?;
        self.check_new(id, resource.kind(), |wants| resource.answers(wants))?;
        match resource.image_function() {
            // The image function would be its own image.
            Some(image) if image.image == id => {
                let (target, wants) = (image.end("image"), ResourceKind::Image);
                Err(GraphError::wrong_kind(target, wants, id, resource.kind()))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn check_free(&self, id: ResourceId) -> Result<(), GraphError> {
        if self.has(id) {
            return Err(GraphError::duplicate("resource", &id));
        }
        Ok(())
    }

    /// Adds a resource, without checking references to it.
    pub(super) fn add_resource(
        &mut self,
        id: ResourceId,
        resource: Resource,
    ) -> Result<(), GraphError> {
        self.check_free(id)?;
        self.put_resource(id, resource);
        Ok(())
    }

    /// Inserts or replaces a checked resource.
    pub(crate) fn put_resource(&mut self, id: ResourceId, resource: Resource) {
        self.remove_resource(id);
        self.used.insert(id.0);
        let hash = hash::resource(id, &resource);
        self.resource_hash = self.resource_hash.wrapping_add(hash);
        Arc::make_mut(&mut self.referrers).add_resource(id, &resource);
        self.resources.insert(id, resource);
    }

    /// Inserts, replaces or removes a build item.
    pub(crate) fn set_item(&mut self, id: u32, item: Option<BuildItem>) {
        let model = Arc::make_mut(&mut self.model);
        Arc::make_mut(&mut self.referrers).set_item(id, model.item(id), item.as_ref());
        model.set_item(id, item);
    }

    /// Renames an output of a function in the fields that use it.
    pub(crate) fn rename_channel(&mut self, function: ResourceId, name: &str, new_name: &str) {
        let renamed: Vec<(ResourceId, ModelResource)> = self
            .model_users(function)
            .filter_map(|(id, resource)| {
                Some((id, resource.with_channel(function, name, new_name)?))
            })
            .collect();
        for (id, resource) in renamed {
            self.put_resource(id, Resource::Model(resource));
        }
    }

    pub(crate) fn remove_resource(&mut self, id: ResourceId) -> Option<Resource> {
        Arc::make_mut(&mut self.calls).remove_node(id.into());
        let resource = self.resources.remove(&id)?;
        Arc::make_mut(&mut self.referrers).remove_resource(id, &resource);
        self.resource_hash = self
            .resource_hash
            .wrapping_sub(hash::resource(id, &resource));
        Some(resource)
    }

    /// Inserts or replaces a function.
    pub(crate) fn put(&mut self, function: Function) {
        let id = function.id();
        self.used.insert(id.0);
        self.functions.insert(id, Arc::new(function));
        self.update_calls(id);
    }

    /// Ids that were ever used.
    pub(super) fn used(&self) -> &IdSet {
        &self.used
    }

    /// Marks ids as used.
    pub(super) fn keep_used(&mut self, used: &IdSet) {
        self.used.merge(used);
    }

    pub(crate) fn remove_function(&mut self, id: FunctionId) {
        self.functions.remove(&id);
        Arc::make_mut(&mut self.calls).remove_node(id);
        Arc::make_mut(&mut self.referrers).set_function(id, None);
    }

    /// A function, mutable, for checked plans.
    pub(crate) fn function_mut(&mut self, id: FunctionId) -> &mut Function {
        let function = self.functions.get_mut(&id);
        Arc::make_mut(function.expect("the plan was made for a function that exists"))
    }

    /// Updates the call graph and the reference index after a change of a function's references.
    pub(crate) fn update_calls(&mut self, id: FunctionId) {
        let Some(function) = self.functions.get(&id) else {
            return;
        };
        Arc::make_mut(&mut self.referrers).set_function(id, Some(function));
        let callees = function.callees();
        let calls = Arc::make_mut(&mut self.calls);
        let before: Vec<FunctionId> = calls.neighbors(id).collect();
        for callee in before {
            calls.remove_edge(id, callee);
        }
        for callee in callees {
            calls.add_edge(id, callee, ());
        }
    }
}
