//! Renumbering of the ids of a model that the document has already, with all references.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fibula_core::graph::model::{Body, Extra, Field, Foreign, MeshBody, ModelResource};
use fibula_core::graph::{
    Argument, ContentHash, Document, Function, FunctionData, FunctionId, GraphError, ImageFunction,
    NodeData, NodeId, Resource, Setting,
};
use fibula_nodes::call::FUNCTION_ID;
use fibula_nodes::{ResourceId, Type, Value, catalogue};
use serde_json::{Value as Json, json};

use super::MergeError;
use super::part_plan::NewValues;
use crate::mesh::MeshData;
use crate::xml::attribute_values::{replace_extra_values, replace_values};
use crate::xml::fragment::{renumber_attribute, renumber_references};

/// Map from the ids of a file to those in the project, and new values of other attributes.
#[derive(Debug)]
pub(super) struct Renumbering {
    ids: BTreeMap<u32, u32>,
    values: NewValues,
}

impl Renumbering {
    /// Keeps ids that are free in the document and to which no knowledge is tied, and assigns others to the rest: none that
    /// the file refers to, since it may refer to ids that it does not have.
    pub(super) fn new(
        document: &Document,
        own: BTreeSet<u32>,
        named: &BTreeSet<u32>,
        values: NewValues,
    ) -> Result<Self, MergeError> {
        let awaited = awaited(document);
        let tied = document.tied_functions();
        let has = |id: u32| {
            document.has(ResourceId(id)) || awaited.contains(&id) || tied.contains(&FunctionId(id))
        };
        let mut taken: BTreeSet<u32> = own.iter().copied().filter(|id| !has(*id)).collect();
        let mut next = document.next_id()?;
        let mut find = |id: u32| -> Result<(u32, u32), MergeError> {
            if taken.contains(&id) {
                return Ok((id, id));
            }
            while taken.contains(&next) || named.contains(&next) || has(next) {
                let full = || GraphError::out_of_ids("a project");
                next = next.checked_add(1).ok_or_else(full)?;
            }
            taken.insert(next);
            Ok((id, next))
        };
        let ids = own.into_iter().map(&mut find);
        let ids = ids.collect::<Result<_, _>>()?;
        Ok(Renumbering { ids, values })
    }

    /// Returns the new id for an id of the file.
    pub(super) fn of(&self, id: ResourceId) -> ResourceId {
        ResourceId(self.ids.get(&id.0).copied().unwrap_or(id.0))
    }

    /// The ids that changed, with the new ones.
    pub(super) fn changed(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let all = self.ids.iter().map(|(old, new)| (*old, *new));
        all.filter(|(old, new)| old != new)
    }

    pub(super) fn image(&self, image: &ImageFunction) -> ImageFunction {
        ImageFunction {
            image: self.of(image.image),
            ..image.clone()
        }
    }

    /// Renumbers a resource, and the bytes that it needs beside those of the file, which `bytes` returns.
    ///
    /// # Errors
    /// [`MergeError`] if bytes that have to be changed are missing or damaged.
    pub(super) fn resource<'a>(
        &self,
        id: ResourceId,
        resource: &ModelResource,
        bytes: &dyn Fn(&ContentHash) -> Option<&'a [u8]>,
    ) -> Result<(ModelResource, Vec<Vec<u8>>), MergeError> {
        let mut new = resource.clone();
        let mut contents = Vec::new();
        match &mut new {
            ModelResource::Object(object) => {
                let object = Arc::make_mut(object);
                if let Some(properties) = &mut object.properties {
                    properties.group = self.of(properties.group);
                }
                self.extra(&mut object.extra);
                match &mut object.body {
                    Body::Mesh(mesh) => {
                        self.option(&mut mesh.volume);
                        self.known(&mut mesh.references);
                        let renumbers = mesh.references.iter().any(|id| self.of(*id) != *id);
                        // Elements in a mesh may name parts.
                        if renumbers || !self.values.paths.is_empty() {
                            let (body, bytes) = self.mesh(mesh, bytes)?;
                            *mesh = body;
                            contents.push(bytes);
                        }
                    }
                    Body::Components(parts) => {
                        for part in parts {
                            if !part.is_external() {
                                part.object = self.of(part.object);
                            }
                            self.extra(&mut part.extra);
                        }
                    }
                    Body::LevelSet(level) => {
                        level.mesh = self.of(level.mesh);
                        self.option(&mut level.volume);
                        self.field(&mut level.field);
                    }
                    Body::Foreign(foreign) => contents.extend(self.foreign(None, foreign, bytes)?),
                }
            }
            ModelResource::Image(image) => {
                let image = Arc::make_mut(image);
                self.extra(&mut image.extra);
                for sheet in &mut image.sheets {
                    if let Some(path) = self.values.paths.renamed(&sheet.path) {
                        sheet.path = path;
                    }
                }
            }
            ModelResource::VolumeData(volume) => {
                let volume = Arc::make_mut(volume);
                if let Some(composite) = &mut volume.composite {
                    composite.base_materials = self.of(composite.base_materials);
                }
                volume.fields_mut().for_each(|field| self.field(field));
                self.extra(&mut volume.extra);
            }
            ModelResource::Foreign(foreign) => {
                contents.extend(self.foreign(Some(id), Arc::make_mut(foreign), bytes)?);
            }
        }
        Ok((new, contents))
    }

    fn option(&self, id: &mut Option<ResourceId>) {
        *id = id.map(|id| self.of(id));
    }

    fn field(&self, field: &mut Field) {
        field.function_id = self.of(field.function_id);
        self.extra(&mut field.extra);
    }

    pub(super) fn extra(&self, extra: &mut Extra) {
        for element in &mut extra.elements {
            *element = renumber_references(element, None, |id| self.of(id));
        }
        let elsewhere = extra.attributes.iter().any(|one| one.name == "path");
        for one in extra.attributes.iter_mut().filter(|_| !elsewhere) {
            let (namespace, name) = (&one.namespace, &one.name);
            let of = |id| self.of(id);
            if let Some(other) = renumber_attribute(namespace, name, &one.value, of) {
                one.value = other;
            }
        }
        if !self.values.is_empty() {
            replace_extra_values(extra, &mut |space, name, value| {
                self.values.replace(space, name, value)
            });
        }
    }

    /// Drops references to ids that the file does not have.
    fn known(&self, references: &mut Vec<ResourceId>) {
        references.retain(|id| self.ids.contains_key(&id.0));
    }

    /// Renumbers the references of triangles and beams in a mesh.
    fn mesh<'a>(
        &self,
        mesh: &MeshBody,
        bytes: &dyn Fn(&ContentHash) -> Option<&'a [u8]>,
    ) -> Result<(MeshBody, Vec<u8>), MergeError> {
        let bytes = bytes(&mesh.content).ok_or(MergeError::MissingBytes)?;
        let mut data = MeshData::from_bytes(bytes)?;
        for property in &mut data.properties {
            self.option(&mut property.group);
        }
        self.extra(&mut data.extra);
        let bytes = data.to_bytes();
        let mut body = MeshBody {
            volume: mesh.volume,
            ..data.body(&bytes)
        };
        let news: BTreeSet<u32> = self.ids.values().copied().collect();
        body.references.retain(|id| news.contains(&id.0));
        Ok((body, bytes))
    }

    /// Renumbers a foreign resource: its `own` id, if it has one, and its references. Returns the new bytes if there
    /// are any.
    fn foreign<'a>(
        &self,
        own: Option<ResourceId>,
        foreign: &mut Foreign,
        bytes: &dyn Fn(&ContentHash) -> Option<&'a [u8]>,
    ) -> Result<Option<Vec<u8>>, MergeError> {
        self.known(&mut foreign.references);
        let is_own = own.is_none_or(|id| self.of(id) == id);
        let renumbers = !is_own || foreign.references.iter().any(|id| self.of(*id) != *id);
        if !renumbers && self.values.is_empty() {
            return Ok(None);
        }
        let bytes = bytes(&foreign.content).ok_or(MergeError::MissingBytes)?;
        let mut text = String::from_utf8_lossy(bytes);
        let mut replace =
            |space: &str, name: &str, value: &str| self.values.replace(space, name, value);
        let replaced = (!self.values.is_empty()).then(|| replace_values(&text, &mut replace));
        match replaced.flatten() {
            Some(replaced) => text = replaced.into(),
            None if !renumbers => return Ok(None),
            None => {}
        }
        let own = own.map(|id| self.of(id));
        let text = renumber_references(&text, own, |id| self.of(id)).into_bytes();
        for id in &mut foreign.references {
            *id = self.of(*id);
        }
        foreign.references.sort_unstable();
        foreign.content = ContentHash::digest(&text);
        foreign.size = text.len() as u64;
        Ok(Some(text))
    }

    /// Renumbers a function and its literals of resources.
    pub(super) fn function(
        &self,
        function: &FunctionData,
        all: &BTreeMap<FunctionId, &FunctionData>,
    ) -> FunctionData {
        let mut new = function.clone();
        new.function_id = function
            .function_id
            .map(|id| FunctionId(self.of(id.into()).0));
        let nodes = function.nodes.iter();
        let nodes = nodes.filter_map(|node| Some((node.node_id?, node)));
        let nodes: BTreeMap<NodeId, &NodeData> = nodes.collect();
        let callee = |node: &NodeData| all.get(&FunctionId(callee(node, &nodes)?)).copied();
        for node in &mut new.nodes {
            let names = references(node, function, callee);
            for name in names {
                if let Some(Setting::Value(value)) = node.parameters.get_mut(&name) {
                    self.renumber(value);
                }
            }
        }
        new
    }

    fn renumber(&self, value: &mut Json) {
        if let Some(id) = value.as_u64().and_then(|id| u32::try_from(id).ok()) {
            *value = json!(self.of(ResourceId(id)).0);
        }
    }
}

/// Ids that the document refers to but does not have, such as those of meshes that were left out. Imported resources
/// must not get them.
fn awaited(document: &Document) -> BTreeSet<u32> {
    let nodes = document.functions().flat_map(Function::nodes);
    let arguments = nodes.flat_map(|node| {
        (0..node.signature().parameters.len()).map(move |place| node.argument(place))
    });
    let literals = arguments.filter_map(|argument| match argument {
        Argument::Value(Value::ResourceId(id)) => Some(*id),
        _ => None,
    });
    let images = document
        .resources()
        .filter_map(|(_, resource)| match resource {
            Resource::ImageFunction(image) => Some(image.image),
            Resource::Content(_) | Resource::File(_) | Resource::Model(_) => None,
        });
    let named = literals.chain(images);
    named
        .filter(|id| !document.has(*id))
        .map(|id| id.0)
        .collect()
}

/// Parameters of a node whose literals are ids of resources; `callee` returns the called function.
fn references<'f>(
    node: &NodeData,
    function: &FunctionData,
    callee: impl Fn(&NodeData) -> Option<&'f FunctionData>,
) -> Vec<String> {
    let Ok(about) = catalogue::kind(&node.node_type) else {
        return Vec::new();
    };
    let mut names: Vec<String> = Vec::new();
    if about.name == "End" {
        let outputs = function
            .outputs
            .iter()
            .filter(|output| output.ty == Type::ResourceId);
        names.extend(outputs.map(|output| output.name.clone()));
        return names;
    }
    let is_reference = |place: usize| {
        about
            .signature
            .overloads
            .iter()
            .any(|rule| rule.inputs[place] == Type::ResourceId)
    };
    let parameters = about.signature.parameters.iter().enumerate();
    names.extend(
        parameters
            .filter(|&(place, _)| is_reference(place))
            .map(|(_, parameter)| parameter.name.to_string()),
    );
    if names.iter().any(|name| name == FUNCTION_ID) {
        // The other parameters are the inputs of the called function.
        let inputs = callee(node).map_or(&[][..], |callee| &callee.inputs).iter();
        names.extend(
            inputs
                .filter(|input| input.ty == Type::ResourceId)
                .map(|input| input.name.clone()),
        );
    }
    names
}

/// The function that a node calls, by its id in the file.
fn callee(node: &NodeData, nodes: &BTreeMap<NodeId, &NodeData>) -> Option<u32> {
    let literal = |setting: &Setting| match setting {
        Setting::Value(value) => value.as_u64().and_then(|id| u32::try_from(id).ok()),
        Setting::Source(_) => None,
    };
    match node.parameters.get(FUNCTION_ID)? {
        value @ Setting::Value(_) => literal(value),
        Setting::Source(source) => {
            let constant = nodes.get(&source.node_id)?;
            constant.parameters.values().find_map(literal)
        }
    }
}
