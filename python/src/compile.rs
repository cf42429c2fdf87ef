//! Expressions as graphs: each is compiled against empty functions that have the inputs and outputs of what it calls.

use std::collections::HashMap;
use std::sync::Arc;

use fibula_core::expression::{self, Request};
use fibula_core::graph::{Document, FunctionData};
use fibula_core::library;
use fibula_nodes::{PortSpec, ResourceId, Value, catalogue};
use fibula_service::Refusal;

use crate::graph::{Graph, Reference, set_default, unresolved};

/// A function that an expression may call, by a name of the caller's choice.
pub(crate) struct Callee {
    pub(crate) name: String,
    pub(crate) inputs: Vec<PortSpec>,
    pub(crate) outputs: Vec<PortSpec>,
    pub(crate) reference: Reference,
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
        Ok((
            Arc::new(graph),
            library::warnings(&self.document, [id]).collect(),
        ))
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
pub(crate) fn wrapper(
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

impl Graph {
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
        if library.data().nodes != self.data().nodes {
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
}
