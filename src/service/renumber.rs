//! New ids for what comes from a file, where its own are taken, and the references that follow.

use std::collections::{BTreeMap, BTreeSet};

use fibula_nodes::call::FUNCTION_ID;
use fibula_nodes::{ResourceId, Type, Value, catalogue};
use serde_json::{Value as Json, json};

use super::refusal::Refusal;
use crate::graph::{
    Argument, Document, Function, FunctionData, FunctionId, GraphError, ImageFunction, NodeData,
    Resource, Setting,
};

/// The ids of a file, and what they become.
#[derive(Debug)]
pub(super) struct Renumbering {
    /// Functions and image functions.
    functions: BTreeMap<u32, u32>,
    /// What the file has beside them; references to it stay without a target.
    others: BTreeMap<u32, u32>,
}

impl Renumbering {
    /// Keeps the ids that are free in the document, and finds others for the rest.
    pub(super) fn new(
        document: &Document,
        functions: &[FunctionData],
        images: &[(ResourceId, ImageFunction)],
        others: &[u32],
    ) -> Result<Self, Refusal> {
        let own = functions
            .iter()
            .filter_map(|function| function.function_id)
            .map(|id| id.0);
        let own: BTreeSet<u32> = own.chain(images.iter().map(|(id, _)| id.0)).collect();
        let others: BTreeSet<u32> = others
            .iter()
            .copied()
            .filter(|id| !own.contains(id))
            .collect();
        let awaited = awaited(document);
        let has = |id: u32| document.has(ResourceId(id)) || awaited.contains(&id);
        let free = |id: &u32| !has(*id);
        let mut taken: BTreeSet<u32> = own.iter().chain(&others).copied().filter(free).collect();
        let mut next = document.next_id()?;
        let mut find = |id: u32| -> Result<(u32, u32), Refusal> {
            if taken.contains(&id) {
                return Ok((id, id));
            }
            while taken.contains(&next) || has(next) {
                let full = GraphError::TooLarge {
                    what: "a project",
                    limit: u32::MAX as usize,
                };
                next = next.checked_add(1).ok_or(full)?;
            }
            taken.insert(next);
            Ok((id, next))
        };
        Ok(Renumbering {
            functions: own.into_iter().map(&mut find).collect::<Result<_, _>>()?,
            others: others
                .into_iter()
                .map(&mut find)
                .collect::<Result<_, _>>()?,
        })
    }

    /// What an id of the file becomes.
    pub(super) fn of(&self, id: u32) -> ResourceId {
        let new = self.functions.get(&id).or_else(|| self.others.get(&id));
        ResourceId(new.copied().unwrap_or(id))
    }

    /// The new ids of the functions.
    pub(super) fn functions(&self) -> impl Iterator<Item = u32> {
        self.functions.values().copied()
    }

    /// The functions whose ids are not the file's.
    pub(super) fn changed(&self) -> BTreeMap<String, u32> {
        let changed = self.functions.iter().filter(|(old, new)| old != new);
        changed.map(|(old, new)| (old.to_string(), *new)).collect()
    }

    pub(super) fn image(&self, image: &ImageFunction) -> ImageFunction {
        ImageFunction {
            image: self.of(image.image.0),
            ..image.clone()
        }
    }

    /// A function with its own id and its literals of resources renumbered.
    pub(super) fn function(&self, function: &FunctionData, all: &[FunctionData]) -> FunctionData {
        let mut new = function.clone();
        new.function_id = function.function_id.map(|id| FunctionId(self.of(id.0).0));
        for node in &mut new.nodes {
            let names = references(node, function, all);
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
            *value = json!(self.of(id).0);
        }
    }
}

/// The ids that references in a document name and that nothing has, such as those of meshes that were left out. What
/// comes from another file must not be taken for them.
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

/// The parameters of a node whose literals are ids of resources.
fn references(node: &NodeData, function: &FunctionData, all: &[FunctionData]) -> Vec<String> {
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
            .rules
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
        // The other parameters are the inputs of the function that is called.
        let callee = callee(node, function).and_then(|id| {
            all.iter()
                .find(|other| other.function_id == Some(FunctionId(id)))
        });
        let inputs = callee.map_or(&[][..], |callee| &callee.inputs).iter();
        names.extend(
            inputs
                .filter(|input| input.ty == Type::ResourceId)
                .map(|input| input.name.clone()),
        );
    }
    names
}

/// The function that a node calls, by its id in the file.
fn callee(node: &NodeData, function: &FunctionData) -> Option<u32> {
    let literal = |setting: &Setting| match setting {
        Setting::Value(value) => value.as_u64().and_then(|id| u32::try_from(id).ok()),
        Setting::Source(_) => None,
    };
    match node.parameters.get(FUNCTION_ID)? {
        value @ Setting::Value(_) => literal(value),
        Setting::Source(source) => {
            let constant = function
                .nodes
                .iter()
                .find(|other| other.node_id == Some(source.node_id))?;
            constant.parameters.values().find_map(literal)
        }
    }
}
