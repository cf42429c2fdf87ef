//! Checks of references of a model, and queries by reference.

use std::collections::BTreeSet;

use fibula_nodes::{FunctionType, PortSpec, ResourceId, Type};
use petgraph::algo::toposort;
use petgraph::graphmap::DiGraphMap;

use super::build::BuildItem;
use super::check::{check_item, check_resource};
use super::error::ModelError;
use super::object::{Body, Object, ObjectType};
use super::resource::ModelResource;
use super::volume::Field;
use crate::graph::{Document, Referrer, Resource};

/// Maximum number of users named by an error.
const SHOWN: usize = 5;

/// Types that a field's channel may have.
#[derive(Debug, Clone, Copy)]
enum ChannelType {
    Float,
    Float3,
    Either,
}

impl ChannelType {
    fn wants(self) -> &'static str {
        match self {
            ChannelType::Float => "a float",
            ChannelType::Float3 => "a float3",
            ChannelType::Either => "a float or a float3",
        }
    }

    fn takes(self, ty: Type) -> bool {
        match self {
            ChannelType::Float => ty == Type::Float,
            ChannelType::Float3 => ty == Type::Float3,
            ChannelType::Either => matches!(ty, Type::Float | Type::Float3),
        }
    }
}

/// Fields of a resource, with the types of their channels and their labels.
fn fields(resource: &ModelResource) -> Vec<(&Field, ChannelType, &'static str)> {
    match resource {
        ModelResource::Object(object) => match &object.body {
            Body::LevelSet(level) => vec![(&level.field, ChannelType::Float, "its field")],
            Body::Mesh(_) | Body::Components(_) | Body::Foreign(_) => Vec::new(),
        },
        ModelResource::VolumeData(volume) => {
            let mixed = volume.composite.iter().flat_map(|one| &one.materials);
            let mixed = mixed.map(|field| (field, ChannelType::Float, "a material"));
            let color = volume.color.iter();
            let color = color.map(|field| (field, ChannelType::Float3, "its colour"));
            let others = volume.properties.iter();
            let others = others.map(|one| (&one.field, ChannelType::Either, "a property"));
            mixed.chain(color).chain(others).collect()
        }
        ModelResource::Image(_) | ModelResource::Foreign(_) => Vec::new(),
    }
}

/// Checks of references.
impl Document {
    /// Checks a resource with its references, and that these close no cycle.
    ///
    /// # Errors
    /// The first [`ModelError`] found.
    pub(crate) fn check_model_resource(
        &self,
        id: ResourceId,
        resource: &ModelResource,
    ) -> Result<(), ModelError> {
        // Only a referenced resource can close a cycle.
        if (self.model_users(id).next().is_some() || resource.references().contains(&id))
            && let Some(path) = self.find_cycle(resource, id)
        {
            return Err(ModelError::RecursiveResource { path });
        }
        self.check_references(id, resource)
    }

    /// Checks that the references of resources are acyclic, in linear time.
    ///
    /// # Errors
    /// [`ModelError::RecursiveResource`] with a cycle.
    pub(super) fn check_acyclic(&self) -> Result<(), ModelError> {
        let mut needs = DiGraphMap::<ResourceId, ()>::new();
        for (id, resource) in self.model_resources() {
            for other in resource.references() {
                needs.add_edge(id, other, ());
            }
        }
        let Err(cycle) = toposort(&needs, None) else {
            return Ok(());
        };
        let id = cycle.node_id();
        let path = self
            .model_resource(id)
            .and_then(|resource| self.find_cycle(resource, id));
        let path = path.unwrap_or_else(|| vec![id, id]);
        Err(ModelError::RecursiveResource { path })
    }

    /// Checks a resource and that its references exist and are of the right kinds.
    ///
    /// # Errors
    /// The first [`ModelError`] found.
    pub(super) fn check_references(
        &self,
        id: ResourceId,
        resource: &ModelResource,
    ) -> Result<(), ModelError> {
        let what = resource.label(id);
        check_resource(resource, &what)?;
        for (field, channel, role) in fields(resource) {
            let what = format!("{what} ({role})");
            let ty = self.field_function(&what, field.function_id)?;
            check_field(&what, field, channel, &ty)?;
        }
        match resource {
            ModelResource::Object(object) => self.check_object(&what, object),
            ModelResource::VolumeData(volume) => {
                if let Some(composite) = &volume.composite {
                    self.check_group(&what, composite.base_materials, "its materials")?;
                }
                Ok(())
            }
            ModelResource::Foreign(foreign) => self.check_all_there(&what, &foreign.references),
            ModelResource::Image(_) => Ok(()),
        }
    }

    fn check_object(&self, what: &str, object: &Object) -> Result<(), ModelError> {
        if let Some(properties) = object.properties {
            self.check_group(what, properties.group, "its material or colour")?;
        }
        match &object.body {
            Body::Mesh(mesh) => {
                self.check_all_there(what, &mesh.references)?;
                self.check_volume(what, mesh.volume)
            }
            Body::Components(parts) => {
                let parts = parts.iter().filter(|part| !part.is_external());
                for part in parts {
                    self.object_of(what, part.object, "a part")?;
                }
                Ok(())
            }
            Body::LevelSet(level) => {
                let role = "its domain";
                let mesh = self.object_of(what, level.mesh, role)?;
                if !matches!(mesh.body, Body::Mesh(_)) {
                    return Err(self.wrong(what, level.mesh, role, "a mesh"));
                }
                self.check_volume(what, level.volume)
            }
            Body::Foreign(foreign) => self.check_all_there(what, &foreign.references),
        }
    }

    /// Checks a build item and its reference.
    ///
    /// # Errors
    /// The first [`ModelError`] found.
    pub(crate) fn check_build_item(&self, id: u32, item: &BuildItem) -> Result<(), ModelError> {
        let what = format!("build item {id}");
        check_item(item, &what)?;
        if item.is_external() {
            return Ok(());
        }
        self.object_of(&what, item.object, "its object").map(drop)
    }

    /// Label of an item's object if it is of the type `other`, which 3MF does not allow in a build. Projects may have
    /// such items, files may not.
    pub fn unbuildable(&self, item: &BuildItem) -> Option<String> {
        match self.model_resource(item.object)? {
            ModelResource::Object(object)
                if object.object_type == ObjectType::Other && !item.is_external() =>
            {
                Some(self.noun(item.object)?)
            }
            ModelResource::Object(_)
            | ModelResource::Image(_)
            | ModelResource::VolumeData(_)
            | ModelResource::Foreign(_) => None,
        }
    }

    /// Checks that all fields that use a function would remain valid if it had this type, or were removed (`None`).
    ///
    /// # Errors
    /// [`ModelError::InUse`] with the resources that use it.
    pub(crate) fn check_field_types(
        &self,
        function: ResourceId,
        ty: Option<&FunctionType>,
    ) -> Result<(), ModelError> {
        let mut by = Vec::new();
        for (id, resource) in self.model_users(function) {
            let users = fields(resource).into_iter();
            let mut users = users.filter(|(field, ..)| field.function_id == function);
            let fits = |field: &Field, channel| {
                ty.is_some_and(|ty| check_field("", field, channel, ty).is_ok())
            };
            if users.any(|(field, channel, _)| !fits(field, channel)) {
                by.push(resource.label(id));
            }
        }
        if by.is_empty() {
            return Ok(());
        }
        let what = match ty {
            None => format!("function {function}"),
            Some(_) => format!("the value of function {function}"),
        };
        Err(in_use(what, by))
    }

    /// Checks that no other resource and no build item refers to a resource. Nodes may refer to missing resources.
    ///
    /// # Errors
    /// [`ModelError::InUse`] with the users.
    pub(crate) fn check_unused(&self, id: ResourceId, what: String) -> Result<(), ModelError> {
        let by = self.users(id);
        if by.is_empty() {
            return Ok(());
        }
        Err(in_use(what, by))
    }

    /// Labels of the other resources and build items that refer to a resource.
    pub(crate) fn users(&self, id: ResourceId) -> Vec<String> {
        let resources = self.model_users(id);
        let resources = resources
            .filter(|(other, _)| *other != id)
            .map(|(other, resource)| resource.label(other));
        let items = self.item_users(id);
        let items = items.map(|(item, _)| format!("build item {item}"));
        resources.chain(items).collect()
    }

    /// Resources of the model that refer to a function or resource, in ascending order of ids.
    pub(crate) fn model_users(
        &self,
        id: ResourceId,
    ) -> impl Iterator<Item = (ResourceId, &ModelResource)> {
        self.referrers(id).filter_map(|user| match user {
            Referrer::Resource(user) => Some((user, self.model_resource(user)?)),
            Referrer::Function(_) | Referrer::Item(_) => None,
        })
    }

    /// Build items of an object, in ascending order of ids.
    pub fn item_users(&self, id: ResourceId) -> impl Iterator<Item = (u32, &BuildItem)> {
        self.referrers(id).filter_map(|user| match user {
            Referrer::Item(item) => Some((item, self.model().item(item)?)),
            Referrer::Function(_) | Referrer::Resource(_) => None,
        })
    }

    fn check_volume(&self, what: &str, volume: Option<ResourceId>) -> Result<(), ModelError> {
        let Some(id) = volume else {
            return Ok(());
        };
        let role = "the properties of its volume";
        match self.model_resource(id) {
            Some(ModelResource::VolumeData(_)) => Ok(()),
            Some(_) | None => Err(self.wrong(what, id, role, "volume data")),
        }
    }

    /// Checks that a resource may be a group of materials or colours, which are uninterpreted.
    fn check_group(
        &self,
        what: &str,
        id: ResourceId,
        role: &'static str,
    ) -> Result<(), ModelError> {
        match self.model_resource(id) {
            Some(ModelResource::Foreign(_)) => Ok(()),
            Some(_) | None => Err(self.wrong(what, id, role, "a group of materials or colours")),
        }
    }

    /// Checks that resources exist.
    fn check_all_there(&self, what: &str, ids: &[ResourceId]) -> Result<(), ModelError> {
        let can_be = |id: &ResourceId| match self.resource(*id) {
            // Nothing refers to a file, so it may be removed at any time.
            Some(Resource::File(_)) => false,
            Some(Resource::Content(_) | Resource::ImageFunction(_) | Resource::Model(_)) => true,
            None => self.has(*id),
        };
        match ids.iter().find(|id| !can_be(id)) {
            None => Ok(()),
            Some(&id) => Err(self.wrong(what, id, "a dependency", "a resource")),
        }
    }

    fn object_of(
        &self,
        what: &str,
        id: ResourceId,
        role: &'static str,
    ) -> Result<&Object, ModelError> {
        match self.model_resource(id) {
            Some(ModelResource::Object(object)) => Ok(object),
            Some(_) | None => Err(self.wrong(what, id, role, "an object")),
        }
    }

    fn field_function(&self, what: &str, id: ResourceId) -> Result<FunctionType, ModelError> {
        let ty = self.function_type(id);
        ty.ok_or_else(|| self.wrong(what, id, "its function", "a function"))
    }

    /// Error of a reference to a missing resource or one of another kind.
    fn wrong(
        &self,
        what: &str,
        id: ResourceId,
        role: &'static str,
        wants: &'static str,
    ) -> ModelError {
        let what = what.to_owned();
        match self.noun(id) {
            None => ModelError::UnknownResource { what, id, role },
            Some(is) => ModelError::WrongResource {
                what,
                id,
                role,
                is,
                wants,
            },
        }
    }

    /// Finds a cycle through a resource that gets this id, by depth-first search.
    fn find_cycle(&self, resource: &ModelResource, id: ResourceId) -> Option<Vec<ResourceId>> {
        let mut open: Vec<Vec<ResourceId>> = vec![resource.references().into_iter().collect()];
        let mut path = vec![id];
        let mut seen = BTreeSet::new();
        while let Some(list) = open.last_mut() {
            let Some(next) = list.pop() else {
                open.pop();
                path.pop();
                continue;
            };
            if next == id {
                path.push(id);
                return Some(path);
            }
            if seen.insert(next)
                && let Some(resource) = self.model_resource(next)
            {
                open.push(resource.references().into_iter().collect());
                path.push(next);
            }
        }
        None
    }
}

fn in_use(what: String, mut by: Vec<String>) -> ModelError {
    let more = by.len().saturating_sub(SHOWN);
    by.truncate(SHOWN);
    if more > 0 {
        by.push(format!("{more} more"));
    }
    ModelError::InUse { what, by }
}

/// Checks that a function of this type has the input and output that a field needs.
fn check_field(
    what: &str,
    field: &Field,
    channel: ChannelType,
    ty: &FunctionType,
) -> Result<(), ModelError> {
    let is_position = |port: &PortSpec| port.name == "pos" && port.ty == Type::Float3;
    let listed = |ports: &[PortSpec], none: &str| match ports {
        [] => none.to_owned(),
        ports => {
            let ports = ports.iter().take(SHOWN).map(|port| {
                let name = fibula_nodes::names::visible(&port.name, 60);
                format!("{name} ({})", port.ty)
            });
            ports.collect::<Vec<_>>().join(", ")
        }
    };
    if !ty.inputs.iter().any(is_position) {
        return Err(ModelError::NoPosition {
            what: what.to_owned(),
            function_id: field.function_id,
            inputs: format!("its inputs are {}", listed(&ty.inputs, "none")),
        });
    }
    match ty.outputs.iter().find(|port| port.name == field.channel) {
        None => Err(ModelError::UnknownChannel {
            what: what.to_owned(),
            function_id: field.function_id,
            channel: field.channel.clone(),
            outputs: listed(&ty.outputs, "no outputs"),
        }),
        Some(port) if !channel.takes(port.ty) => Err(ModelError::ChannelType {
            what: what.to_owned(),
            function_id: field.function_id,
            channel: field.channel.clone(),
            wants: channel.wants(),
            is: port.ty,
        }),
        Some(_) => Ok(()),
    }
}
