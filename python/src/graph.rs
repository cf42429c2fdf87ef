//! Functions as values: a directed acyclic graph of function graphs, which share what they call.
//!
//! A [`Graph`] has no id and belongs to no document. Its identity is its content: a hash of its nodes and of everything
//! that it calls (a Merkle tree). A document is assembled only when one is needed, with one function for each content.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use blake3::Hash;
use fibula_3mf::{Model, contents};
use fibula_core::eval::Tape;
use fibula_core::graph::model::{Body, MeshBody, ModelResource, Object};
use fibula_core::graph::{
    Argument, Content, ContentHash, Document, Function, FunctionData, FunctionId, ImageFunction,
    NodeId, Setting, check_name,
};
use fibula_core::library::LibraryFunction;
use fibula_nodes::{InputDetails, PortSpec, ResourceId, Value};
use fibula_service::Refusal;
use serde_json::json;

/// A function graph with what it calls and queries.
#[derive(Debug)]
pub(crate) struct Graph {
    /// The function without its id; its references are indexes of `references`.
    data: FunctionData,
    /// Parameters of nodes that refer to something, in the order of the indexes.
    references: Vec<(NodeId, String, Reference)>,
    hash: Hash,
}

/// What a parameter refers to.
#[derive(Debug, Clone)]
pub(crate) enum Reference {
    /// A function graph.
    Graph(Arc<Graph>),
    /// An image that is called like a function.
    Image(Arc<ImageCall>),
    /// A mesh, beam lattice or image.
    Stored(Arc<Stored>),
}

/// An image that is called like a function.
#[derive(Debug)]
pub(crate) struct ImageCall {
    pub(crate) settings: ImageFunction,
    pub(crate) image: Arc<Stored>,
}

/// A mesh, beam lattice or image with its bytes.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) resource: ModelResource,
    pub(crate) contents: Vec<Vec<u8>>,
}

/// A document of a graph alone, with everything loaded that it queries.
#[derive(Debug)]
pub(crate) struct Assembled {
    pub(crate) document: Document,
    pub(crate) function: FunctionId,
}

impl Drop for Graph {
    /// A chain of calls as long as memory allows must not overflow the stack.
    fn drop(&mut self) {
        let mut open: Vec<Reference> = Vec::new();
        let take = |graph: &mut Graph, open: &mut Vec<Reference>| {
            open.extend(
                graph
                    .references
                    .drain(..)
                    .map(|(_, _, reference)| reference),
            );
        };
        take(self, &mut open);
        while let Some(reference) = open.pop() {
            if let Reference::Graph(graph) = reference
                && let Some(mut graph) = Arc::into_inner(graph)
            {
                take(&mut graph, &mut open);
            }
        }
    }
}

impl Reference {
    pub(crate) fn hash(&self) -> Hash {
        match self {
            Reference::Graph(graph) => graph.hash,
            Reference::Image(call) => {
                let settings = ImageFunction {
                    image: ResourceId(0),
                    ..call.settings.clone()
                };
                digest(&[
                    json!(settings).to_string().as_bytes(),
                    call.image.hash().as_bytes(),
                ])
            }
            Reference::Stored(stored) => stored.hash(),
        }
    }
}

impl Stored {
    /// Keeps of a resource what functions can query.
    ///
    /// # Errors
    /// A [`Refusal`] if the bytes of a mesh are damaged.
    pub(crate) fn new(
        resource: &ModelResource,
        bytes: &BTreeMap<ContentHash, Vec<u8>>,
    ) -> Result<Stored, Refusal> {
        let mut contents = Vec::new();
        for hash in resource.contents() {
            contents.push(bytes.get(&hash).cloned().ok_or_else(missing_bytes)?);
        }
        let ModelResource::Object(object) = resource else {
            let resource = resource.clone();
            return Ok(Stored { resource, contents });
        };
        // Colours and volume data are resources of their own, which no function queries.
        let mut data =
            fibula_3mf::MeshData::from_bytes(contents.first().ok_or_else(missing_bytes)?)
                .map_err(|error| Refusal::new(error.code(), error.to_string()))?;
        data.properties.clear();
        let bytes = data.to_bytes();
        let body = MeshBody {
            references: Vec::new(),
            ..data.body(&bytes)
        };
        let object = Object::new(object.name.clone(), Body::Mesh(body));
        Ok(Stored {
            resource: ModelResource::Object(Arc::new(object)),
            contents: vec![bytes],
        })
    }

    fn hash(&self) -> Hash {
        digest(&[json!(self.resource).to_string().as_bytes()])
    }
}

impl Graph {
    /// Makes a graph of a function, whose references `resolve` returns.
    pub(crate) fn new(
        function: &Function,
        mut resolve: impl FnMut(ResourceId) -> Result<Reference, Refusal>,
    ) -> Result<Graph, Refusal> {
        let mut references = Vec::new();
        for node in function.nodes() {
            for (place, parameter) in node.signature().parameters.iter().enumerate() {
                if let Argument::Value(Value::ResourceId(id)) = node.argument(place) {
                    references.push((node.id(), parameter.name.to_string(), resolve(*id)?));
                }
            }
        }
        Ok(Graph::from_parts(function.data(), references))
    }

    /// Makes a graph of its data and references.
    pub(crate) fn from_parts(
        mut data: FunctionData,
        references: Vec<(NodeId, String, Reference)>,
    ) -> Graph {
        data.function_id = None;
        for (index, (node, parameter, _)) in references.iter().enumerate() {
            set_reference(&mut data, *node, parameter, index as u32);
        }
        let text = json!(data).to_string();
        let hashes: Vec<Hash> = references.iter().map(|(_, _, one)| one.hash()).collect();
        let mut parts: Vec<&[u8]> = vec![text.as_bytes()];
        parts.extend(hashes.iter().map(|hash| hash.as_bytes().as_slice()));
        Graph {
            hash: digest(&parts),
            data,
            references,
        }
    }

    /// A copy of a function of the library, whose inputs have other defaults.
    pub(crate) fn of_library(library: &LibraryFunction) -> Graph {
        Graph::from_parts(library.data().clone(), Vec::new())
    }

    /// Content hash, as hexadecimal digits.
    pub(crate) fn digest(&self) -> String {
        self.hash.to_hex().to_string()
    }

    pub(crate) fn name(&self) -> &str {
        &self.data.name
    }

    pub(crate) fn inputs(&self) -> &[PortSpec] {
        &self.data.inputs
    }

    pub(crate) fn outputs(&self) -> &[PortSpec] {
        &self.data.outputs
    }

    pub(crate) fn data(&self) -> &FunctionData {
        &self.data
    }

    pub(crate) fn references(&self) -> &[(NodeId, String, Reference)] {
        &self.references
    }

    /// The graph with another name, or other defaults of inputs.
    pub(crate) fn with(
        &self,
        name: Option<&str>,
        defaults: &[(String, Value)],
    ) -> Result<Graph, Refusal> {
        let mut data = self.data.clone();
        if let Some(name) = name {
            check_name("function", name)?;
            name.clone_into(&mut data.name);
        }
        for (name, value) in defaults {
            set_default(&mut data.inputs, name, value)?;
        }
        Ok(Graph::from_parts(data, self.references.clone()))
    }

    /// Graphs and what they refer to, each once, with ids from 1 on; and the ids of the graphs. Functions that are called get
    /// other names where their own are taken, so that expressions can name them.
    pub(crate) fn model(graphs: &[Arc<Graph>]) -> (Model, Vec<FunctionId>) {
        let mut model = Model::default();
        let mut ids: HashMap<Hash, ResourceId> = HashMap::new();
        let mut names: HashSet<String> = graphs.iter().map(|one| one.name().to_owned()).collect();
        let roots: HashSet<Hash> = graphs.iter().map(|one| one.hash).collect();
        for reference in Reference::in_order(graphs.iter().cloned().map(Reference::Graph)) {
            let id = ResourceId(ids.len() as u32 + 1);
            reference.add_to(&mut model, id, &ids);
            ids.insert(reference.hash(), id);
            if !roots.contains(&reference.hash())
                && let (Reference::Graph(_), Some(called)) = (reference, model.functions.last_mut())
            {
                let mut numbers = 2..;
                let own = called.name.clone();
                while !names.insert(called.name.clone()) {
                    let number: u64 = numbers
                        .next()
                        .expect("there are more numbers than functions");
                    called.name = format!("{own}_{number}");
                }
            }
        }
        let ids = graphs.iter().map(|one| ids[&one.hash].into());
        (model, ids.collect())
    }

    /// A document of the graph alone.
    ///
    /// # Errors
    /// A [`Refusal`] if the graph exceeds a limit of documents, or a mesh or image cannot be queried.
    pub(crate) fn assemble(self: &Arc<Graph>) -> Result<Assembled, Refusal> {
        let (model, functions) = Graph::model(std::slice::from_ref(self));
        let [function] = functions[..] else {
            unreachable!("a graph has an id");
        };
        let mut document = Document::default();
        let merge = fibula_3mf::merge(&document, &|_| Ok(None), &model)?;
        let function = merge.new_id(function.into()).into();
        let mut resources: Vec<(ResourceId, ModelResource)> = Vec::new();
        for (id, resource) in model.resources() {
            resources.push((merge.new_id(id), resource));
        }
        merge.stage.finish().apply(&mut document);
        for (id, resource) in resources {
            let refused = |error: contents::ContentError| {
                Refusal::new(error.code(), format!("{}: {error}", resource.label(id)))
            };
            let content: Arc<dyn Content> = if let ModelResource::Image(image) = &resource {
                contents::load_image(image, |hash| model.contents.get(hash)).map_err(refused)?
            } else {
                let hash = resource.contents().first().copied();
                let bytes = hash.and_then(|hash| model.contents.get(&hash));
                contents::load_mesh(bytes.ok_or_else(missing_bytes)?).map_err(refused)?
            };
            document.load(id, content);
        }
        Ok(Assembled { document, function })
    }

    /// The tape of all outputs.
    ///
    /// # Errors
    /// As [`assemble`](Self::assemble), and if the function cannot be evaluated.
    pub(crate) fn tape(self: &Arc<Graph>) -> Result<Tape, Refusal> {
        let Assembled { document, function } = self.assemble()?;
        Ok(Tape::new(&document, function)?)
    }
}

impl Reference {
    /// References and what they refer to, each once and after what it refers to itself.
    pub(crate) fn in_order(roots: impl Iterator<Item = Reference>) -> Vec<Reference> {
        let (mut all, mut seen) = (Vec::new(), HashSet::new());
        let mut open: Vec<Reference> = roots.collect();
        while let Some(last) = open.last() {
            let missing = last.needs().filter(|one| !seen.contains(&one.hash()));
            let missing: Vec<Reference> = missing.collect();
            if missing.is_empty() {
                let last = open.pop().expect("it was looked at");
                if seen.insert(last.hash()) {
                    all.push(last);
                }
            } else {
                open.extend(missing);
            }
        }
        all
    }

    /// What it refers to itself.
    fn needs(&self) -> impl Iterator<Item = Reference> + '_ {
        let (graph, image) = match self {
            Reference::Graph(graph) => (&graph.references[..], None),
            Reference::Image(call) => (&[][..], Some(Reference::Stored(call.image.clone()))),
            Reference::Stored(_) => (&[][..], None),
        };
        let graphs = graph.iter().map(|(_, _, reference)| reference.clone());
        graphs.chain(image)
    }

    /// Adds it to a model under an id; `ids` has those of what it refers to.
    fn add_to(&self, model: &mut Model, id: ResourceId, ids: &HashMap<Hash, ResourceId>) {
        match self {
            Reference::Graph(graph) => {
                let mut data = graph.data.clone();
                data.function_id = Some(id.into());
                for (node, parameter, reference) in &graph.references {
                    set_reference(&mut data, *node, parameter, ids[&reference.hash()].0);
                }
                model.functions.push(data);
            }
            Reference::Image(call) => {
                let image = ids[&call.image.hash()];
                let settings = ImageFunction {
                    image,
                    ..call.settings.clone()
                };
                model.image_functions.push((id, settings));
            }
            Reference::Stored(stored) => {
                let hashes = stored.resource.contents();
                let contents = hashes.into_iter().zip(stored.contents.iter().cloned());
                model.contents.extend(contents);
                match &stored.resource {
                    ModelResource::Object(object) => model.objects.push((id, (**object).clone())),
                    ModelResource::Image(image) => model.images.push((id, (**image).clone())),
                    // No function queries others.
                    ModelResource::VolumeData(_) | ModelResource::Foreign(_) => {}
                }
            }
        }
    }
}

fn set_reference(data: &mut FunctionData, node: NodeId, parameter: &str, id: u32) {
    let found = data.nodes.iter_mut().find(|one| one.node_id == Some(node));
    if let Some(node) = found {
        let value = Setting::Value(json!(id));
        node.parameters.insert(parameter.to_owned(), value);
    }
}

/// Sets the default of an input by its name.
pub(crate) fn set_default(
    inputs: &mut [PortSpec],
    name: &str,
    value: &Value,
) -> Result<(), Refusal> {
    let names: Vec<String> = inputs.iter().map(ToString::to_string).collect();
    let Some(input) = inputs.iter_mut().find(|input| input.name == name) else {
        let message = format!("the function has no input '{name}'");
        let hint = format!("its inputs are {}", names.join(", "));
        return Err(Refusal::new("unknown_argument", message).hint(hint));
    };
    let value = match (input.ty, value) {
        (ty, value) if ty == value.ty() => value.clone(),
        (ty, value) => Value::from_json(ty, &value.to_json())
            .map_err(|error| Refusal::new("invalid_value", format!("{name}: {error}")))?,
    };
    if !value.scalars().iter().all(|scalar| scalar.is_finite()) {
        let message = format!("{name}: a default is a finite number");
        return Err(Refusal::new("invalid_value", message).hint("pass others with each call"));
    }
    if let Some(violation) = input.violation(&value) {
        return Err(Refusal::new(
            "invalid_value",
            format!("{name}: {violation}"),
        ));
    }
    let details = input.details.as_deref().cloned().unwrap_or_default();
    *input = input.clone().with_details(InputDetails {
        default: Some(value),
        ..details
    });
    Ok(())
}

fn digest(parts: &[&[u8]]) -> Hash {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize()
}

pub(crate) fn unresolved(id: ResourceId) -> Refusal {
    Refusal::new("unknown_resource", format!("resource {id} is missing"))
        .hint("import its file, or change the reference")
}

fn missing_bytes() -> Refusal {
    Refusal::new("damaged", "the bytes of a mesh or image are missing")
}
