//! A document: the functions of a project, the resources that they use, and the knowledge graph.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fibula_knowledge::Knowledge;
use fibula_nodes::{FunctionType, ResourceId, ResourceKind, names};
use petgraph::algo::{astar, toposort};
use petgraph::graphmap::DiGraphMap;

use super::error::{End, GraphError, resource_text};
use super::file::ContentHash;
use super::function::Function;
use super::hash;
use super::ids::{FunctionId, Used};
use super::model::{BuildItem, Model, ModelResource};
use super::resource::{Content, Resource};
use super::users::{User, Users};

/// The functions and resources of a project, in one space of ids, and its knowledge graph.
///
/// A copy shares what it does not change, so it serves as a snapshot.
#[derive(Debug, Clone, Default)]
pub struct Document {
    functions: BTreeMap<FunctionId, Arc<Function>>,
    resources: BTreeMap<ResourceId, Resource>,
    /// The sum of the resources' hashes.
    resource_hash: u64,
    /// The build, the metadata and the package.
    model: Arc<Model>,
    /// What is known beside the functions.
    knowledge: Arc<Knowledge>,
    /// What was loaded of the contents of meshes and images, by the hashes of all that each consists of.
    loaded: Arc<BTreeMap<Vec<ContentHash>, Arc<dyn Content>>>,
    /// Which function calls which.
    calls: Arc<DiGraphMap<FunctionId, ()>>,
    /// Who refers to what.
    users: Arc<Users>,
    used: Used,
}

/// What can be read.
impl Document {
    /// A hash of the state: of every function and resource, in no order, but not of the ids that were given up. It is
    /// the same on every platform and in every version. Takes time in proportion to the functions, not their nodes.
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

    /// The build, the metadata and the package, to be changed by a checked plan; the items of the build are
    /// [set](Self::set_item) apart.
    pub(crate) fn model_mut(&mut self) -> &mut Model {
        Arc::make_mut(&mut self.model)
    }

    /// The knowledge graph.
    pub fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// The knowledge graph, to be changed by a checked plan.
    pub(crate) fn knowledge_mut(&mut self) -> &mut Knowledge {
        Arc::make_mut(&mut self.knowledge)
    }

    /// Who refers to what.
    pub(super) fn user_index(&self) -> &Users {
        &self.users
    }

    /// The objects, images, volume data and other resources of a model, by id.
    pub fn model_resources(&self) -> impl Iterator<Item = (ResourceId, &ModelResource)> {
        self.resources()
            .filter_map(|(id, resource)| match resource {
                Resource::Model(resource) => Some((id, resource)),
                Resource::Content(_) | Resource::ImageFunction(_) | Resource::File(_) => None,
            })
    }

    /// An object, an image, volume data or another resource of a model.
    pub fn model_resource(&self, id: ResourceId) -> Option<&ModelResource> {
        match self.resources.get(&id)? {
            Resource::Model(resource) => Some(resource),
            Resource::Content(_) | Resource::ImageFunction(_) | Resource::File(_) => None,
        }
    }

    /// What a resource answers with, if it is there: what was added in memory, or was [loaded](Self::load).
    pub fn content(&self, id: ResourceId) -> Option<&Arc<dyn Content>> {
        match self.resources.get(&id)? {
            Resource::Content(content) => Some(content),
            Resource::Model(resource) => self.loaded.get(&resource.contents()),
            Resource::ImageFunction(_) | Resource::File(_) => None,
        }
    }

    /// Gives a mesh or image what it answers with, read from the bytes that it names. The document stays the same: its
    /// hash does not tell.
    pub fn load(&mut self, id: ResourceId, content: Arc<dyn Content>) {
        if let Some(Resource::Model(resource)) = self.resources.get(&id) {
            Arc::make_mut(&mut self.loaded).insert(resource.contents(), content);
        }
    }

    /// What a resource is, in words: `level set 5 'Foot'`; `None` if there is none.
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

    /// The nodes and image functions that refer to a resource, as messages call them.
    pub fn references_to(&self, id: ResourceId) -> Vec<String> {
        let mut all = Vec::new();
        for user in self.users_of(id) {
            match user {
                User::Function(user) => {
                    let references = self.functions.get(&user).into_iter();
                    let references = references.flat_map(|function| function.references());
                    let refers = references.filter(|(other, _, _)| *other == id);
                    all.extend(refers.map(|(_, _, end)| format!("{end} in function {user}")));
                }
                User::Resource(other) => {
                    if let Some(Resource::ImageFunction(image)) = self.resources.get(&other) {
                        all.push(format!("image function {other} '{}'", image.name));
                    }
                }
                User::Item(_) => {}
            }
        }
        all
    }

    /// The functions, by id.
    pub fn functions(&self) -> impl ExactSizeIterator<Item = &Function> {
        self.functions.values().map(AsRef::as_ref)
    }

    /// A function.
    ///
    /// # Errors
    /// [`GraphError::UnknownFunction`] with the nearest ids.
    pub fn function(&self, id: FunctionId) -> Result<&Function, GraphError> {
        self.find_function(id)
            .ok_or_else(|| self.unknown_function(id))
    }

    /// A function, if it is there.
    pub(crate) fn find_function(&self, id: FunctionId) -> Option<&Function> {
        self.functions.get(&id).map(AsRef::as_ref)
    }

    fn unknown_function(&self, id: FunctionId) -> GraphError {
        let mut near: Vec<&Function> = self.functions().collect();
        near.sort_by_key(|function| (function.id().0.abs_diff(id.0), function.id()));
        near.truncate(3);
        near.sort_by_key(|function| function.id());
        let name = |function: &&Function| format!("{} ({})", function.id(), function.name());
        GraphError::UnknownFunction {
            function_id: id,
            functions: near.iter().map(name).collect(),
        }
    }

    /// The resources that are no function graphs, by id.
    pub fn resources(&self) -> impl ExactSizeIterator<Item = (ResourceId, &Resource)> {
        self.resources.iter().map(|(&id, resource)| (id, resource))
    }

    /// A resource that is no function graph.
    pub fn resource(&self, id: ResourceId) -> Option<&Resource> {
        self.resources.get(&id)
    }

    /// The smallest id that no function or resource ever had, and that no node refers to.
    ///
    /// # Errors
    /// [`GraphError::TooLarge`] when every id was used.
    pub fn next_id(&self) -> Result<u32, GraphError> {
        Ok(self.next_id_beside(None)?.0)
    }

    /// As [`next_id`](Self::next_id), but not the id of a function that is to come.
    ///
    /// # Errors
    /// As [`next_id`](Self::next_id).
    pub fn next_id_beside(&self, reserved: Option<FunctionId>) -> Result<FunctionId, GraphError> {
        let is_taken = |id: u32| {
            self.used.contains(id)
                || reserved == Some(FunctionId(id))
                || self.users_of(ResourceId(id)).next().is_some()
        };
        let mut next = self.used.next();
        while let Some(id) = next.filter(|&id| is_taken(id)) {
            next = id.checked_add(1);
        }
        next.map(FunctionId).ok_or(GraphError::TooLarge {
            what: "a project",
            limit: u32::MAX as usize,
        })
    }

    /// What refers to a resource as a node or an image function does, which may be there before it: as what, and where.
    fn references(&self, id: ResourceId) -> impl Iterator<Item = (ResourceKind, End)> {
        self.users_of(id).flat_map(move |user| match user {
            User::Function(user) => {
                let references = self.functions.get(&user).into_iter();
                let references = references.flat_map(|function| function.references());
                let here = references.filter(|(other, _, _)| *other == id);
                here.map(|(_, wants, end)| (wants, end)).collect()
            }
            User::Resource(user) => match self.resources.get(&user) {
                Some(Resource::ImageFunction(image)) => {
                    vec![(ResourceKind::Image, image.end("image"))]
                }
                Some(Resource::Content(_) | Resource::File(_) | Resource::Model(_)) | None => {
                    Vec::new()
                }
            },
            User::Item(_) => Vec::new(),
        })
    }

    /// Whether the new resource `id` may be of this kind: nodes may have referred to it before it was there.
    ///
    /// # Errors
    /// [`GraphError::ResourceKindMismatch`] naming a node that expects another kind.
    pub(crate) fn check_new(
        &self,
        id: ResourceId,
        kind: ResourceKind,
        answers: impl Fn(ResourceKind) -> bool,
    ) -> Result<(), GraphError> {
        match self.references(id).find(|(wants, _)| !answers(*wants)) {
            None => Ok(()),
            Some((wants, target)) => Err(GraphError::ResourceKindMismatch {
                target,
                wants,
                is: resource_text(id, kind),
            }),
        }
    }

    /// Whether a function or resource has this id.
    pub fn has(&self, id: ResourceId) -> bool {
        self.functions.contains_key(&id.into()) || self.resources.contains_key(&id)
    }

    /// What a function takes and gives: a graph, or an image that is called like one.
    ///
    /// # Errors
    /// [`GraphError::UnknownFunction`]; [`GraphError::ResourceKindMismatch`], naming `target`, when the resource is
    /// of another kind.
    pub fn callable(&self, id: ResourceId, target: &End) -> Result<FunctionType, GraphError> {
        if let Some(function) = self.functions.get(&id.into()) {
            return Ok(function.ty());
        }
        match self.resources.get(&id) {
            Some(Resource::ImageFunction(image)) => Ok(image.ty()),
            Some(resource) => Err(GraphError::ResourceKindMismatch {
                target: target.clone(),
                wants: ResourceKind::Function,
                is: resource_text(id, resource.kind()),
            }),
            None => Err(self.unknown_function(id.into())),
        }
    }

    /// Whether a reference may name `id`: what is there must be of the kind, and may come later unless it is a
    /// function.
    ///
    /// # Errors
    /// As [`callable`](Self::callable).
    pub(crate) fn check_reference(
        &self,
        id: ResourceId,
        wants: ResourceKind,
        target: &End,
    ) -> Result<(), GraphError> {
        let mismatch = |is: ResourceKind| GraphError::ResourceKindMismatch {
            target: target.clone(),
            wants,
            is: resource_text(id, is),
        };
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

    /// The functions that call `function`, by id.
    pub fn callers(&self, function: FunctionId) -> Vec<FunctionId> {
        let callers = self
            .calls
            .neighbors_directed(function, petgraph::Direction::Incoming);
        callers.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Whether what image functions refer to is an image, or not there yet.
    pub(super) fn check_image_references(&self) -> Result<(), GraphError> {
        self.resources
            .values()
            .try_for_each(|resource| match resource {
                Resource::ImageFunction(image) => {
                    self.check_reference(image.image, ResourceKind::Image, &image.end("image"))
                }
                Resource::Content(_) | Resource::File(_) | Resource::Model(_) => Ok(()),
            })
    }

    /// Whether no function calls itself, by way of others.
    ///
    /// # Errors
    /// [`GraphError::RecursiveCall`] with a path.
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

    /// Whether `caller` may call `other`.
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
        let mut callers = self
            .calls
            .neighbors_directed(caller, petgraph::Direction::Incoming);
        if callers.next().is_none() || !self.calls.contains_node(other) {
            return Ok(());
        }
        match astar(
            &*self.calls,
            other,
            |function| function == caller,
            |_| 1_u32,
            |_| 0,
        ) {
            None => Ok(()),
            Some((_, path)) => {
                let path = std::iter::once(caller).chain(path).collect();
                Err(GraphError::RecursiveCall { path })
            }
        }
    }
}

/// What is changed by edits that were checked, and by importers through [`insert`](Document::insert).
impl Document {
    /// Builds a function and adds it; gives its id.
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

    /// Adds a function before those that refer to it.
    pub(super) fn add_function(&mut self, function: Function) -> Result<(), GraphError> {
        self.check_free(function.id().into())?;
        self.put(function);
        Ok(())
    }

    /// Adds a mesh, beam lattice or image under the next id, and gives that.
    ///
    /// # Errors
    /// [`GraphError::TooLarge`] when every id was used.
    pub fn add(&mut self, content: impl Content + 'static) -> Result<ResourceId, GraphError> {
        let id = ResourceId(self.next_id()?);
        self.insert_resource(id, Resource::Content(Arc::new(content)))?;
        Ok(id)
    }

    /// Adds a resource under an id that is free.
    ///
    /// # Errors
    /// [`GraphError::DuplicateId`]; [`GraphError::ResourceKindMismatch`] when something refers to it as another kind.
    pub fn insert_resource(
        &mut self,
        id: ResourceId,
        resource: Resource,
    ) -> Result<(), GraphError> {
        self.check_insert(id, &resource)?;
        self.add_resource(id, resource)
    }

    /// Whether a resource may be added under this id.
    ///
    /// # Errors
    /// As [`insert_resource`](Self::insert_resource).
    pub(crate) fn check_insert(
        &self,
        id: ResourceId,
        resource: &Resource,
    ) -> Result<(), GraphError> {
        self.check_free(id)?;
        self.check_new(id, resource.kind(), |wants| resource.answers(wants))?;
        match resource {
            // It would be its own image.
            Resource::ImageFunction(image) if image.image == id => {
                Err(GraphError::ResourceKindMismatch {
                    target: image.end("image"),
                    wants: ResourceKind::Image,
                    is: resource_text(id, resource.kind()),
                })
            }
            Resource::ImageFunction(_)
            | Resource::Content(_)
            | Resource::File(_)
            | Resource::Model(_) => Ok(()),
        }
    }

    fn check_free(&self, id: ResourceId) -> Result<(), GraphError> {
        if self.has(id) {
            return Err(GraphError::DuplicateId {
                what: "resource",
                id: id.to_string(),
            });
        }
        Ok(())
    }

    /// Adds a resource before those that refer to it.
    pub(super) fn add_resource(
        &mut self,
        id: ResourceId,
        resource: Resource,
    ) -> Result<(), GraphError> {
        self.check_free(id)?;
        self.put_resource(id, resource);
        Ok(())
    }

    /// Adds a resource that may be, or puts it in the place of the one with its id.
    pub(crate) fn put_resource(&mut self, id: ResourceId, resource: Resource) {
        self.remove_resource(id);
        self.used.insert(id.0);
        let hash = hash::resource(id, &resource);
        self.resource_hash = self.resource_hash.wrapping_add(hash);
        Arc::make_mut(&mut self.users).add_resource(id, &resource);
        self.resources.insert(id, resource);
    }

    /// Adds an item to the build, puts it in the place of the one with its id, or takes that away.
    pub(crate) fn set_item(&mut self, id: u32, item: Option<BuildItem>) {
        let model = Arc::make_mut(&mut self.model);
        Arc::make_mut(&mut self.users).set_item(id, model.item(id), item.as_ref());
        model.set_item(id, item);
    }

    /// Gives an output of a function its new name in the fields that ask for it.
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
        Arc::make_mut(&mut self.users).remove_resource(id, &resource);
        self.resource_hash = self
            .resource_hash
            .wrapping_sub(hash::resource(id, &resource));
        Some(resource)
    }

    /// Adds a function, or puts it in the place of the one with its id.
    pub(crate) fn put(&mut self, function: Function) {
        let id = function.id();
        self.used.insert(id.0);
        self.functions.insert(id, Arc::new(function));
        self.update_calls(id);
    }

    /// The ids that were ever used.
    pub(super) fn used(&self) -> &Used {
        &self.used
    }

    /// Counts ids as used that were given up.
    pub(super) fn keep_used(&mut self, used: &Used) {
        self.used.merge(used);
    }

    pub(crate) fn remove_function(&mut self, id: FunctionId) {
        self.functions.remove(&id);
        Arc::make_mut(&mut self.calls).remove_node(id);
        Arc::make_mut(&mut self.users).set_function(id, None);
    }

    /// The function, to be changed by a checked plan.
    pub(crate) fn function_mut(&mut self, id: FunctionId) -> &mut Function {
        let function = self
            .functions
            .get_mut(&id)
            .expect("the plan was made for a function that exists");
        Arc::make_mut(function)
    }

    /// Brings the call graph and the users up to date after what a function refers to changed.
    pub(crate) fn update_calls(&mut self, id: FunctionId) {
        let Some(function) = self.functions.get(&id) else {
            return;
        };
        Arc::make_mut(&mut self.users).set_function(id, Some(function));
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
