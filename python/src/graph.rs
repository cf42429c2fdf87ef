//! Functions as values: a directed acyclic graph of function graphs, which share what they call.
//!
//! A [`Graph`] has no id and belongs to no document. Its identity is its content: a hash of its nodes and of everything
//! that it calls (a Merkle tree). A document is assembled only when one is needed, with one function for each content.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use blake3::Hash;
use fibula_3mf::{Model, contents};
use fibula_core::eval::Tape;
use fibula_core::expression::{self, Request};
use fibula_core::graph::model::{Body, MeshBody, ModelResource, Object};
use fibula_core::graph::{
    Argument, Content, ContentHash, Document, Function, FunctionData, FunctionId, ImageFunction,
    NodeId, Resource, Setting, check_name,
};
use fibula_core::library::{self, LibraryFunction};
use fibula_nodes::{InputDetails, PortSpec, ResourceId, Value, catalogue};
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

    /// Warnings about the defaults of a copy of a function of the library: limits that they exceed. None of other functions.
    pub(crate) fn library_warnings(&self) -> Result<Vec<String>, Refusal> {
        let written = |input: &PortSpec| match input.default_value().map(Value::scalars) {
            None => expression::quoted(&input.name),
            Some([one]) => format!("{one:?}"),
            Some(several) => {
                let texts: Vec<String> = several.iter().map(|one| format!("{one:?}")).collect();
                format!("vec3({})", texts.join(", "))
            }
        };
        let Some(library) = library::find(self.name()) else {
            return Ok(Vec::new());
        };
        if library.data().nodes != self.data.nodes {
            return Ok(Vec::new());
        }
        let arguments: Vec<String> = self.inputs().iter().map(written).collect();
        let text = format!("{}({})", library.name, arguments.join(", "));
        let scratch = Scratch::new(&text, &[])?;
        Ok(scratch.compile(&Request::new(self.name(), text))?.1)
    }

    /// The same function of those inputs only that have no default; the others are constants.
    pub(crate) fn closed(self: &Arc<Graph>) -> Result<Arc<Graph>, Refusal> {
        let open = |input: &&PortSpec| input.default_value().is_none();
        if self.inputs().iter().all(|input| open(&input)) {
            return Ok(self.clone());
        }
        let inputs: Vec<PortSpec> = self.inputs().iter().filter(open).cloned().collect();
        let passed = inputs
            .iter()
            .map(|input| format!("{0} = {0}", expression::quoted(&input.name)));
        let passed: Vec<String> = passed.collect();
        let outputs = self.outputs().iter().map(|output| {
            let name = expression::quoted(&output.name);
            format!("{name} = f({}).{name}", passed.join(", "))
        });
        let text: Vec<String> = outputs.collect();
        wrapper(
            self.name(),
            text.join("; "),
            inputs,
            Callee::graph("f", self),
        )
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

/// A function that an expression may call, by a name of the caller's choice.
pub(crate) struct Callee {
    name: String,
    inputs: Vec<PortSpec>,
    outputs: Vec<PortSpec>,
    reference: Reference,
}

impl Callee {
    pub(crate) fn graph(name: &str, graph: &Arc<Graph>) -> Callee {
        Callee {
            name: name.to_owned(),
            inputs: graph.inputs().to_vec(),
            outputs: graph.outputs().to_vec(),
            reference: Reference::Graph(graph.clone()),
        }
    }
}

/// A document in which an expression is compiled: an empty function for each callee, and copies of the library functions
/// that the expression calls.
struct Scratch {
    document: Document,
    references: HashMap<ResourceId, Reference>,
}

impl Scratch {
    fn new(text: &str, callees: &[Callee]) -> Result<Scratch, Refusal> {
        let mut document = Document::default();
        let mut references = HashMap::new();
        for callee in callees {
            if catalogue::kind(&callee.name).is_ok() {
                let message = format!(
                    "'{}' is a kind of node, so no function can have the name",
                    callee.name
                );
                return Err(Refusal::new("invalid_name", message).hint("bind it to another name"));
            }
            let stub = FunctionData {
                function_id: None,
                name: callee.name.clone(),
                inputs: callee.inputs.clone(),
                outputs: callee.outputs.clone(),
                nodes: Vec::new(),
            };
            let id = document.insert(&stub)?;
            references.insert(id.into(), callee.reference.clone());
        }
        for called in library::called(&document, text) {
            let id = document.insert(called.data())?;
            let graph = Arc::new(Graph::of_library(called));
            references.insert(id.into(), Reference::Graph(graph));
        }
        Ok(Scratch {
            document,
            references,
        })
    }

    /// Compiles a request: the graph, and warnings about what it calls.
    fn compile(mut self, request: &Request) -> Result<(Arc<Graph>, Vec<String>), Refusal> {
        let data = expression::function(&self.document, request)?;
        let id = self.document.insert(&data)?;
        let function = self.document.function(id)?;
        let resolve = |id: ResourceId| {
            self.references
                .get(&id)
                .cloned()
                .ok_or_else(|| unresolved(id))
        };
        let graph = Graph::new(function, resolve)?;
        Ok((Arc::new(graph), library::warnings(&self.document, id)))
    }
}

/// Compiles an expression that may call `callees` and the library; `constants` are defaults of its inputs. Returns warnings
/// about what it calls, too.
///
/// # Errors
/// A [`Refusal`] if the text is invalid, a name is that of a kind of node, or a constant is not used.
pub(crate) fn compile(
    name: &str,
    text: &str,
    callees: &[Callee],
    constants: &[(String, Value)],
) -> Result<(Arc<Graph>, Vec<String>), Refusal> {
    let scratch = Scratch::new(text, callees)?;
    let mut inputs = expression::inferred_arguments(&scratch.document, text)?;
    for (name, value) in constants {
        if let Some(input) = inputs.iter_mut().find(|input| input.name == *name) {
            *input = PortSpec::new(name.clone(), value.ty());
        }
        set_default(&mut inputs, name, value)?;
    }
    scratch.compile(&Request {
        name: name.to_owned(),
        expression: text.to_owned(),
        arguments: Some(inputs),
        outputs: None,
    })
}

/// Compiles a text with these inputs, which calls one function as `f`.
fn wrapper(
    name: &str,
    text: String,
    inputs: Vec<PortSpec>,
    callee: Callee,
) -> Result<Arc<Graph>, Refusal> {
    let scratch = Scratch::new(&text, &[callee])?;
    let request = Request {
        name: name.to_owned(),
        expression: text,
        arguments: Some(inputs),
        outputs: None,
    };
    Ok(scratch.compile(&request)?.0)
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

fn set_reference(data: &mut FunctionData, node: NodeId, parameter: &str, id: u32) {
    let found = data.nodes.iter_mut().find(|one| one.node_id == Some(node));
    if let Some(node) = found {
        let value = Setting::Value(json!(id));
        node.parameters.insert(parameter.to_owned(), value);
    }
}

/// Sets the default of an input by its name.
fn set_default(inputs: &mut [PortSpec], name: &str, value: &Value) -> Result<(), Refusal> {
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

fn unresolved(id: ResourceId) -> Refusal {
    Refusal::new("unknown_resource", format!("resource {id} is missing"))
        .hint("import its file, or change the reference")
}

fn missing_bytes() -> Refusal {
    Refusal::new("damaged", "the bytes of a mesh or image are missing")
}
