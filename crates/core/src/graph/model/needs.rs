//! References of a model: whether they lead where they should, and who needs what.

use std::collections::BTreeSet;

use fibula_nodes::{FunctionType, PortSpec, ResourceId, Type};
use petgraph::algo::toposort;
use petgraph::graphmap::DiGraphMap;

use super::build::BuildItem;
use super::check::{check_alone, check_item};
use super::error::ModelError;
use super::object::{Body, Object, ObjectType};
use super::resource::ModelResource;
use super::volume::Field;
use crate::graph::{Document, Resource, User};

/// How many users a refusal names.
const SHOWN: usize = 5;

/// What a field's channel may be.
#[derive(Debug, Clone, Copy)]
enum Channel {
    Float,
    Float3,
    Either,
}

impl Channel {
    fn wants(self) -> &'static str {
        match self {
            Channel::Float => "a float",
            Channel::Float3 => "a float3",
            Channel::Either => "a float or a float3",
        }
    }

    fn takes(self, ty: Type) -> bool {
        match self {
            Channel::Float => ty == Type::Float,
            Channel::Float3 => ty == Type::Float3,
            Channel::Either => matches!(ty, Type::Float | Type::Float3),
        }
    }
}

/// The fields of a resource, with what their channels may be and how messages call them.
fn fields(resource: &ModelResource) -> Vec<(&Field, Channel, &'static str)> {
    match resource {
        ModelResource::Object(object) => match &object.body {
            Body::LevelSet(level) => vec![(&level.field, Channel::Float, "its field")],
            Body::Mesh(_) | Body::Components(_) | Body::Foreign(_) => Vec::new(),
        },
        ModelResource::VolumeData(volume) => {
            let mixed = volume.composite.iter().flat_map(|one| &one.materials);
            let mixed = mixed.map(|field| (field, Channel::Float, "a material"));
            let color = volume.color.iter();
            let color = color.map(|field| (field, Channel::Float3, "its colour"));
            let others = volume.properties.iter();
            let others = others.map(|one| (&one.field, Channel::Either, "a property"));
            mixed.chain(color).chain(others).collect()
        }
        ModelResource::Image(_) | ModelResource::Foreign(_) => Vec::new(),
    }
}

/// Which references of a document lead where they should.
impl Document {
    /// Whether a resource may be here under this id: all that it refers to is there and of the right kind.
    ///
    /// # Errors
    /// [`ModelError`] naming the first thing that is wrong.
    pub(crate) fn check_model_resource(
        &self,
        id: ResourceId,
        resource: &ModelResource,
    ) -> Result<(), ModelError> {
        // Only what is referred to can close a circle, and nothing refers to what is not there yet.
        if (self.model_users(id).next().is_some() || resource.references().contains(&id))
            && let Some(path) = self.circle(resource, id)
        {
            return Err(ModelError::RecursiveResource { path });
        }
        self.check_needs(id, resource)
    }

    /// Whether no resource of the model needs itself. Takes time in proportion to their references.
    ///
    /// # Errors
    /// [`ModelError::RecursiveResource`] with a circle.
    pub(super) fn check_circles(&self) -> Result<(), ModelError> {
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
            .and_then(|resource| self.circle(resource, id));
        let path = path.unwrap_or_else(|| vec![id, id]);
        Err(ModelError::RecursiveResource { path })
    }

    /// Whether all that a resource refers to is there and of the right kind, and it is fit for itself.
    ///
    /// # Errors
    /// [`ModelError`] naming the first thing that is wrong.
    pub(super) fn check_needs(
        &self,
        id: ResourceId,
        resource: &ModelResource,
    ) -> Result<(), ModelError> {
        let what = resource.label(id);
        check_alone(resource, &what)?;
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

    /// Whether an item of the build may be here.
    ///
    /// # Errors
    /// [`ModelError`] naming the first thing that is wrong.
    pub(crate) fn check_build_item(&self, id: u32, item: &BuildItem) -> Result<(), ModelError> {
        let what = format!("build item {id}");
        check_item(item, &what)?;
        if item.is_external() {
            return Ok(());
        }
        self.object_of(&what, item.object, "what is built")
            .map(drop)
    }

    /// The object of an item as messages call it, if it is of the type that 3MF never builds. A project may have such
    /// items, but no file.
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

    /// Whether everything that asks a function would still find what it needs, if the function had this type.
    ///
    /// # Errors
    /// [`ModelError::InUse`] naming who asks it.
    pub(crate) fn check_askers(
        &self,
        function: ResourceId,
        ty: Option<&FunctionType>,
    ) -> Result<(), ModelError> {
        let mut by = Vec::new();
        for (id, resource) in self.model_users(function) {
            let asked = fields(resource).into_iter();
            let mut asked = asked.filter(|(field, ..)| field.function_id == function);
            let fits = |field: &Field, channel| {
                ty.is_some_and(|ty| check_field("", field, channel, ty).is_ok())
            };
            if asked.any(|(field, channel, _)| !fits(field, channel)) {
                by.push(resource.label(id));
            }
        }
        if by.is_empty() {
            return Ok(());
        }
        let what = match ty {
            None => format!("function {function}"),
            Some(_) => format!("what is asked of function {function}"),
        };
        Err(in_use(what, by))
    }

    /// Whether no other resource and no item of the build needs a resource. Nodes may refer to what is not there.
    ///
    /// # Errors
    /// [`ModelError::InUse`] naming who does.
    pub(crate) fn check_unused(&self, id: ResourceId, what: String) -> Result<(), ModelError> {
        let by = self.users(id);
        if by.is_empty() {
            return Ok(());
        }
        Err(in_use(what, by))
    }

    /// The other resources and items of the build that refer to a resource, as messages call them.
    pub(crate) fn users(&self, id: ResourceId) -> Vec<String> {
        let resources = self.model_users(id);
        let resources = resources
            .filter(|(other, _)| *other != id)
            .map(|(other, resource)| resource.label(other));
        let items = self.item_users(id);
        let items = items.map(|(item, _)| format!("build item {item}"));
        resources.chain(items).collect()
    }

    /// The resources of the model that refer to a function or resource, by id.
    pub(crate) fn model_users(
        &self,
        id: ResourceId,
    ) -> impl Iterator<Item = (ResourceId, &ModelResource)> {
        self.users_of(id).filter_map(|user| match user {
            User::Resource(user) => Some((user, self.model_resource(user)?)),
            User::Function(_) | User::Item(_) => None,
        })
    }

    /// The items of the build that build an object, by id.
    pub fn item_users(&self, id: ResourceId) -> impl Iterator<Item = (u32, &BuildItem)> {
        self.users_of(id).filter_map(|user| match user {
            User::Item(item) => Some((item, self.model().item(item)?)),
            User::Function(_) | User::Resource(_) => None,
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

    /// Whether a resource can be a group of materials or colours: those are left to other programs.
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

    /// Whether there are resources of whatever kind.
    fn check_all_there(&self, what: &str, ids: &[ResourceId]) -> Result<(), ModelError> {
        let can_be = |id: &ResourceId| match self.resource(*id) {
            // Nothing refers to a file, so that it may go at any time.
            Some(Resource::File(_)) => false,
            Some(Resource::Content(_) | Resource::ImageFunction(_) | Resource::Model(_)) => true,
            None => self.has(*id),
        };
        match ids.iter().find(|id| !can_be(id)) {
            None => Ok(()),
            Some(&id) => Err(self.wrong(what, id, "something that it needs", "a resource")),
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
        if let Some(function) = self.find_function(id.into()) {
            return Ok(function.ty());
        }
        match self.resource(id) {
            Some(Resource::ImageFunction(image)) => Ok(image.ty()),
            Some(_) | None => Err(self.wrong(what, id, "its function", "a function")),
        }
    }

    /// The refusal of a reference: nothing is there, or something else.
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

    /// The way from a resource that is to have an id through what it refers to back to that id.
    fn circle(&self, resource: &ModelResource, id: ResourceId) -> Option<Vec<ResourceId>> {
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

/// Whether a function of this type says what a field needs.
fn check_field(
    what: &str,
    field: &Field,
    channel: Channel,
    ty: &FunctionType,
) -> Result<(), ModelError> {
    let is_position = |port: &PortSpec| port.name == "pos" && port.ty == Type::Float3;
    let listed = |ports: &[PortSpec], none: &str| match ports {
        [] => none.to_owned(),
        ports => {
            let ports: Vec<String> = ports
                .iter()
                .take(SHOWN)
                .map(|port| {
                    format!(
                        "{} ({})",
                        fibula_nodes::names::visible(&port.name, 60),
                        port.ty
                    )
                })
                .collect();
            ports.join(", ")
        }
    };
    if !ty.inputs.iter().any(is_position) {
        return Err(ModelError::NoPosition {
            what: what.to_owned(),
            function_id: field.function_id,
            inputs: format!("its inputs: {}", listed(&ty.inputs, "none")),
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
