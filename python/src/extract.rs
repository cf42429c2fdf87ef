//! Functions out of documents, as graphs with what they call and query.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use fibula_core::graph::{Argument, ContentHash, Document, Function, FunctionId, Resource};
use fibula_nodes::{ResourceId, Value};
use fibula_service::Refusal;

use crate::compile::{Callee, wrapper};
use crate::graph::{Graph, ImageCall, Reference, Stored, unresolved};

impl Graph {
    /// Takes a function and what it calls out of a document.
    ///
    /// # Errors
    /// A [`Refusal`] if the function is unknown, or something that it refers to is missing or damaged.
    pub(crate) fn from_document(
        document: &Document,
        id: FunctionId,
        bytes: &BTreeMap<ContentHash, Vec<u8>>,
    ) -> Result<Arc<Graph>, Refusal> {
        let mut made: HashMap<ResourceId, Reference> = HashMap::new();
        let mut open = vec![ResourceId::from(id)];
        while let Some(&id) = open.last() {
            let needed: Vec<ResourceId> = match document.function(id.into()) {
                Ok(function) => literals(function).collect(),
                Err(_) => Vec::new(),
            };
            let missing: Vec<ResourceId> = needed
                .into_iter()
                .filter(|other| !made.contains_key(other))
                .collect();
            if !missing.is_empty() {
                open.extend(missing);
                continue;
            }
            open.pop();
            let reference = reference(document, id, &made, bytes)?;
            made.insert(id, reference);
        }
        match made.remove(&id.into()) {
            Some(Reference::Graph(graph)) => Ok(graph),
            Some(image @ Reference::Image(_)) => Graph::calling(document, id, image),
            Some(Reference::Stored(_)) | None => Err(Refusal::new(
                "unknown_function",
                format!("{id} is no function"),
            )),
        }
    }

    /// A function that calls an image and nothing else.
    fn calling(
        document: &Document,
        id: FunctionId,
        image: Reference,
    ) -> Result<Arc<Graph>, Refusal> {
        let ty = document.type_of(id)?;
        let names: Vec<&str> = ty.inputs.iter().map(|input| input.name.as_str()).collect();
        let outputs = ty.outputs.iter();
        let outputs =
            outputs.map(|output| format!("{0} = f({1}).{0}", output.name, names.join(", ")));
        let text: Vec<String> = outputs.collect();
        let name = document.noun(id.into()).unwrap_or_default();
        let callee = Callee {
            name: "f".to_owned(),
            inputs: ty.inputs.clone(),
            outputs: ty.outputs,
            reference: image,
        };
        wrapper(&name, text.join("; "), ty.inputs, callee)
    }
}

/// Makes the reference of a resource of a document; `made` has what it refers to.
fn reference(
    document: &Document,
    id: ResourceId,
    made: &HashMap<ResourceId, Reference>,
    bytes: &BTreeMap<ContentHash, Vec<u8>>,
) -> Result<Reference, Refusal> {
    if let Ok(function) = document.function(id.into()) {
        let resolve = |id: ResourceId| made.get(&id).cloned().ok_or_else(|| unresolved(id));
        return Ok(Reference::Graph(Arc::new(Graph::new(function, resolve)?)));
    }
    match document.resource(id) {
        Some(Resource::ImageFunction(settings)) => {
            let stored = document
                .model_resource(settings.image)
                .ok_or_else(|| unresolved(settings.image))?;
            Ok(Reference::Image(Arc::new(ImageCall {
                settings: settings.clone(),
                image: Arc::new(Stored::new(stored, bytes)?),
            })))
        }
        Some(Resource::Model(resource)) => {
            Ok(Reference::Stored(Arc::new(Stored::new(resource, bytes)?)))
        }
        Some(Resource::Content(_) | Resource::File(_)) | None => Err(unresolved(id)),
    }
}

/// Ids of resources that are literals of nodes.
fn literals(function: &Function) -> impl Iterator<Item = ResourceId> + '_ {
    function.nodes().flat_map(|node| {
        let places = 0..node.signature().parameters.len();
        places.filter_map(move |place| match node.argument(place) {
            Argument::Value(Value::ResourceId(id)) => Some(*id),
            _ => None,
        })
    })
}
