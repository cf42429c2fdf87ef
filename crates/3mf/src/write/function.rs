//! A function as elements: nodes after their sources, with constants for their literals and defaults.

use fibula_core::graph::{Argument, Function, NodeId, NodeView};
use fibula_nodes::call::{FUNCTION_ID, SCALAR_OUTPUT, VECTOR_INPUT};
use fibula_nodes::{Family, KindInfo, PortSpec, ResourceId, Type, Value, catalogue};
use rustc_hash::FxHashMap;

use super::element::{Attribute, Element, Input, Port};
use super::error::{UNSET, WriteError, WriteNote};
use super::identifier::{Identifiers, Signature};
use super::plan::Project;
use crate::lowered::{self, ELEMENTS};
use crate::mark::{Mark, NodeMark};
use crate::order::needed_first;
use crate::sampler::SAMPLER;
use crate::scope::RESOURCE;

/// The nodes of a function as elements, and its outputs.
pub(super) struct Elements<'a> {
    pub(super) nodes: Vec<Element<'a>>,
    pub(super) outputs: Vec<Input>,
}

/// A function while its elements are made.
pub(super) struct Graph<'p, 'a> {
    pub(super) project: &'p Project<'a>,
    pub(super) notes: &'p mut Vec<WriteNote>,
    pub(super) function: &'a Function,
    pub(super) identifiers: Identifiers,
    /// The identifier of each node.
    own: FxHashMap<NodeId, String>,
    /// What references to each port are written as; none of nodes that are left out.
    pub(super) references: FxHashMap<(NodeId, usize), String>,
    pub(super) elements: Vec<Element<'a>>,
    /// Whether each node says its id, since their order does not.
    numbered: bool,
}

/// The kind of a native element, by its name.
pub(super) fn native(kind: &str) -> &'static KindInfo {
    catalogue::kind(kind).expect("the writer names kinds that there are")
}

/// How messages call a function.
pub(super) fn label(function: &Function) -> String {
    let name = fibula_nodes::names::visible(function.name(), 60);
    format!("function {} ({name})", function.id())
}

/// The elements of a function.
///
/// # Errors
/// [`WriteError`] when it has what 3MF has no type for.
pub(super) fn elements<'a>(
    function: &'a Function,
    project: &Project<'a>,
    notes: &mut Vec<WriteNote>,
) -> Result<Elements<'a>, WriteError> {
    let order = order(function);
    let mut graph = Graph {
        project,
        notes,
        function,
        identifiers: Identifiers::new(),
        own: FxHashMap::default(),
        references: FxHashMap::default(),
        elements: Vec::new(),
        numbered: false,
    };
    graph.number(&order);
    graph.begin();
    for &node in &order {
        graph.node(node)?;
    }
    let outputs = graph.outputs()?;
    Ok(Elements {
        nodes: graph.elements,
        outputs,
    })
}

/// The nodes between the ends, each after its sources, else by their ids.
fn order(function: &Function) -> Vec<NodeView<'_>> {
    let begin = function.begin();
    let between = |node: &NodeView<'_>| node.id() != NodeId::END && Some(node.id()) != begin;
    let nodes: Vec<NodeView<'_>> = function.nodes().filter(between).collect();
    let place: FxHashMap<NodeId, usize> = nodes
        .iter()
        .enumerate()
        .map(|(at, node)| (node.id(), at))
        .collect();
    let sources = |node: &NodeView<'_>| {
        let parameters = 0..node.signature().parameters.len();
        let linked = parameters.filter_map(|parameter| match node.argument(parameter) {
            Argument::Link { node, .. } => place.get(&node).copied(),
            Argument::Unset | Argument::Default(_) | Argument::Value(_) => None,
        });
        linked.collect()
    };
    let needs: Vec<Vec<usize>> = nodes.iter().map(sources).collect();
    let order = needed_first(&needs).expect("the nodes of a function have an order");
    order.into_iter().map(|at| nodes[at]).collect()
}

/// Whether something of a node is linked.
pub(super) fn is_linked(node: NodeView<'_>, parameter: usize) -> bool {
    matches!(node.argument(parameter), Argument::Link { .. })
}

impl<'a> Graph<'_, 'a> {
    /// Gives each node its identifier, and finds out whether ids follow from the order.
    fn number(&mut self, order: &[NodeView<'a>]) {
        let (first, plain) = match self.function.begin() {
            None => (1, true),
            Some(begin) => (2, begin == NodeId(1)),
        };
        let kept = order.iter().filter(|&&node| !self.is_left_out(node));
        let in_order = kept.zip(first..).all(|(node, id)| node.id().0 == id);
        self.numbered = !(plain && in_order);
        for node in order {
            let id = node.id().to_string();
            let kind = node.kind().info().name;
            let identifier = match node.display_name() {
                Some(name) => self.identifiers.take(name, &id),
                None => self.identifiers.take(&format!("{kind}_{id}"), &id),
            };
            self.own.insert(node.id(), identifier);
        }
    }

    fn begin(&mut self) {
        let signature = self.project.signatures.get(&self.function.id().into());
        let (Some(begin), Some(signature)) = (self.function.begin(), signature) else {
            return;
        };
        for (port, identifier) in signature.inputs.iter().enumerate() {
            self.references
                .insert((begin, port), format!("inputs.{identifier}"));
        }
    }

    fn outputs(&mut self) -> Result<Vec<Input>, WriteError> {
        let end = self
            .function
            .node(NodeId::END)
            .expect("every function has an End");
        let signature = self.project.signatures.get(&self.function.id().into());
        let ports = signature.map(Signature::output_ports).unwrap_or_default();
        let mut outputs = Vec::new();
        for (parameter, port) in ports.into_iter().enumerate() {
            let near = format!("outputs_{}", port.identifier);
            let reference = self.reference(end, parameter, &near)?;
            outputs.push(Input { port, reference });
        }
        Ok(outputs)
    }

    /// How messages call a node.
    pub(super) fn place(&self, node: NodeView<'_>) -> String {
        format!("{}, node {}", label(self.function), node.label())
    }

    pub(super) fn note(&mut self, node: NodeView<'_>, code: &'static str, message: String) {
        let place = self.place(node);
        self.notes.push(WriteNote {
            code,
            place,
            message,
        });
    }

    pub(super) fn identifier(&self, node: NodeView<'_>) -> String {
        self.own[&node.id()].clone()
    }

    fn node(&mut self, node: NodeView<'a>) -> Result<(), WriteError> {
        let about = node.kind().info();
        if about.element == RESOURCE {
            self.resource(node);
            return Ok(());
        }
        if about.name == SAMPLER {
            return self.sampler(node);
        }
        let linked = || (0..node.signature().parameters.len()).any(|one| is_linked(node, one));
        let lowered = match about.family {
            Family::Constant => linked(),
            _ => !self.project.dialect.has(about),
        };
        match lowered::template(about.name).filter(|_| lowered) {
            Some(template) => self.lowered(node, template),
            None if about.family == Family::Constant => self.constant_node(node),
            None => self.native(node),
        }
    }

    /// An element of a node, with everything that does not depend on its kind.
    pub(super) fn element(&self, node: NodeView<'a>) -> Element<'a> {
        let about = node.kind().info();
        let mut element = Element::new(about, self.identifier(node));
        element.display_name = node.display_name();
        element
    }

    /// What is noted of a node, if something has to be.
    pub(super) fn mark(&self, node: NodeView<'_>, mark: NodeMark) -> Option<Mark> {
        let mark = NodeMark {
            position: node.position(),
            ..mark
        };
        let silent = mark == NodeMark::new(node.id()) && node.display_name().is_some();
        (self.numbered || !silent).then_some(Mark::Node(mark))
    }

    /// Adds an element whose ports are those of a node.
    pub(super) fn push(&mut self, node: NodeView<'_>, element: Element<'a>) {
        for (port, written) in element.outputs.iter().enumerate() {
            let reference = format!("{}.{}", element.identifier, written.identifier);
            self.references.insert((node.id(), port), reference);
        }
        self.elements.push(element);
    }

    /// A constant with attributes.
    fn constant_node(&mut self, node: NodeView<'a>) -> Result<(), WriteError> {
        let mut element = self.element(node);
        let mut mark = NodeMark::new(node.id());
        let mut numbers = Vec::new();
        for (place, parameter) in node.signature().parameters.iter().enumerate() {
            let value = match node.argument(place) {
                Argument::Value(value) => value,
                Argument::Default(value) => {
                    mark.unset.push(parameter.name.to_string());
                    value
                }
                Argument::Unset | Argument::Link { .. } => continue,
            };
            self.check(node, &parameter.name, value)?;
            numbers.extend_from_slice(value.scalars());
        }
        element.attributes = numbers_of(element.about, &numbers);
        element.outputs = ports(element.about, node.overload());
        element.mark = self.mark(node, mark);
        self.push(node, element);
        Ok(())
    }

    /// A node of a kind that 3MF has.
    fn native(&mut self, node: NodeView<'a>) -> Result<(), WriteError> {
        let mut element = self.element(node);
        let project = self.project;
        let kept;
        let callee = node.callee().and_then(|id| project.signatures.get(&id));
        let callee = match (element.about.family, callee) {
            (Family::Call, None) => {
                kept = self.kept_callee(node)?;
                Some(&kept)
            }
            (_, callee) => callee,
        };
        let named = node.callee().is_some();
        let own = own_parameters(element.about, node);
        let mut mark = NodeMark::new(node.id());
        for (place, parameter) in node.signature().parameters.iter().enumerate() {
            let name: &str = &parameter.name;
            match (name, callee) {
                (SCALAR_OUTPUT, Some(callee)) if place < own => {
                    let ports = callee.output_ports();
                    let known = named.then_some((ports.as_slice(), Type::Float));
                    let text = chosen(node, place, known, &mut mark);
                    element
                        .attributes
                        .extend(text.map(|text| (SCALAR_OUTPUT, text)));
                }
                (VECTOR_INPUT, Some(callee)) if place < own => {
                    let ports = callee.input_ports();
                    let known = named.then_some((ports.as_slice(), Type::Float3));
                    let text = chosen(node, place, known, &mut mark);
                    element
                        .attributes
                        .extend(text.map(|text| (VECTOR_INPUT, text)));
                }
                ("accuraterange", _) => {
                    let range = self.range(node, place)?;
                    element.attributes.extend(range);
                }
                (name, _) => {
                    let port = match callee.filter(|_| place >= own) {
                        Some(callee) => callee.input_ports().swap_remove(place - own),
                        None => Port::new(name, node.parameter_type(place)),
                    };
                    let near = format!("{}_{}", element.identifier, port.identifier);
                    let reference = match (name, named) {
                        (FUNCTION_ID, false) if place < own && is_linked(node, place) => {
                            let message = "functionID is linked to what varies: left unset";
                            self.note(node, "linked_function", message.to_owned());
                            String::new()
                        }
                        _ => self.reference(node, place, &near)?,
                    };
                    element.inputs.push(Input { port, reference });
                }
            }
        }
        element.outputs = match callee.filter(|_| element.about.name == "FunctionCall") {
            Some(callee) => callee.output_ports(),
            None => node_ports(node),
        };
        element.mark = self.mark(node, mark);
        self.push(node, element);
        Ok(())
    }

    /// The type that a node without a function keeps, with identifiers.
    fn kept_callee(&self, node: NodeView<'_>) -> Result<Signature, WriteError> {
        let own = own_parameters(node.kind().info(), node);
        let signature = node.signature();
        let rule = &signature.overloads[node.overload()];
        let inputs = signature.parameters.iter().zip(&rule.inputs).skip(own);
        let inputs = inputs.map(|(one, &ty)| PortSpec::new(one.name.to_string(), ty));
        let outputs = signature.ports.iter().zip(&rule.outputs);
        let outputs = outputs.map(|(one, &ty)| PortSpec::new(one.name.to_string(), ty));
        let is_call = node.kind().info().name == "FunctionCall";
        let ty = fibula_nodes::FunctionType {
            inputs: inputs.collect(),
            outputs: if is_call {
                outputs.collect()
            } else {
                Vec::new()
            },
        };
        Signature::new(&ty, &self.place(node))
    }

    /// The range of a beam lattice, which 3MF has as an attribute.
    fn range(
        &mut self,
        node: NodeView<'_>,
        parameter: usize,
    ) -> Result<Option<(&'static str, Attribute)>, WriteError> {
        let value = match node.argument(parameter) {
            Argument::Value(value) => value,
            Argument::Unset | Argument::Default(_) => return Ok(None),
            Argument::Link { node: source, .. } => {
                let source = self.function.node(source).expect("a link has a source");
                let constant = source.kind().info().name == "ConstantScalar";
                let value = match source.argument(0) {
                    Argument::Value(value) | Argument::Default(value) if constant => Some(value),
                    Argument::Unset
                    | Argument::Default(_)
                    | Argument::Value(_)
                    | Argument::Link { .. } => None,
                };
                let message = match value {
                    Some(_) => "accuraterange is linked; written as the number that it is",
                    None => {
                        "accuraterange is linked to what varies, which 3MF cannot say; left out"
                    }
                };
                self.note(node, "linked_attribute", message.to_owned());
                let Some(value) = value else { return Ok(None) };
                value
            }
        };
        self.check(node, "accuraterange", value)?;
        Ok(Some((
            "accuraterange",
            Attribute::Numbers(value.scalars().to_vec()),
        )))
    }

    /// What a parameter's reference is: to its source, or to a constant that is added before the node.
    pub(super) fn reference(
        &mut self,
        node: NodeView<'a>,
        parameter: usize,
        near: &str,
    ) -> Result<String, WriteError> {
        let name = &node.signature().parameters[parameter].name;
        let (value, mark) = match node.argument(parameter) {
            Argument::Link {
                node: source, port, ..
            } => {
                // Nodes that are left out have been told of.
                return Ok(self
                    .references
                    .get(&(source, port))
                    .cloned()
                    .unwrap_or_default());
            }
            Argument::Unset => {
                let name = fibula_nodes::names::visible(name, 60);
                let message =
                    format!("{name} is unset: other programs cannot evaluate the function");
                self.note(node, UNSET, message);
                return Ok(String::new());
            }
            Argument::Value(value) => (value, Mark::Literal),
            Argument::Default(value) => (value, Mark::Default),
        };
        self.check(node, name, value)?;
        self.constant(node, value, mark, near)
    }

    /// Adds a constant.
    fn constant(
        &mut self,
        node: NodeView<'a>,
        value: &Value,
        mark: Mark,
        near: &str,
    ) -> Result<String, WriteError> {
        let (kind, attributes) = match value {
            Value::Float(_) => (
                "ConstantScalar",
                numbers_of(native("ConstantScalar"), value.scalars()),
            ),
            Value::Float3(_) => (
                "ConstantVector",
                numbers_of(native("ConstantVector"), value.scalars()),
            ),
            Value::Matrix4x4(_) => (
                "ConstantMatrix",
                numbers_of(native("ConstantMatrix"), value.scalars()),
            ),
            Value::ResourceId(id) => {
                if !self.project.has(*id) {
                    self.missing(node, *id);
                    return Ok(String::new());
                }
                ("Resource", vec![("value", Attribute::Id(id.0))])
            }
            Value::Integer(_) | Value::String(_) => {
                return Err(WriteError::NoSuchType {
                    place: self.place(node),
                    ty: value.ty(),
                });
            }
        };
        let about = native(kind);
        let identifier = self.identifiers.take(near, "value");
        let mut element = Element::new(about, identifier);
        element.attributes = attributes;
        element.outputs = ports(about, 0);
        element.mark = Some(mark);
        let reference = format!("{}.{}", element.identifier, element.outputs[0].identifier);
        self.elements.push(element);
        Ok(reference)
    }

    pub(super) fn missing(&mut self, node: NodeView<'_>, id: ResourceId) {
        let message = format!("resource {id} is not in the project: left unset");
        self.note(node, "missing_resource", message);
    }

    fn check(&self, node: NodeView<'_>, parameter: &str, value: &Value) -> Result<(), WriteError> {
        match value.scalars().iter().find(|number| !number.is_finite()) {
            None => Ok(()),
            Some(&value) => {
                let parameter = fibula_nodes::names::visible(parameter, 60);
                let place = format!("{parameter} of {}", self.place(node));
                Err(WriteError::NotFinite { place, value })
            }
        }
    }
}

/// How many parameters a node that follows a function has before those of that function.
fn own_parameters(about: &KindInfo, node: NodeView<'_>) -> usize {
    let own = [FUNCTION_ID, "step", SCALAR_OUTPUT, VECTOR_INPUT];
    match (about.family, about.name) {
        (Family::Call, "FunctionCall") => 1,
        (Family::Call, _) => own.len(),
        _ => node.signature().parameters.len(),
    }
}

/// The attribute by which a gradient names a port of its function. Where the project leaves the choice, the port that
/// is meant is named, since 3MF leaves none.
fn chosen(
    node: NodeView<'_>,
    parameter: usize,
    known: Option<(&[Port], Type)>,
    mark: &mut NodeMark,
) -> Option<Attribute> {
    let name = node.signature().parameters[parameter].name.to_string();
    let first = known.and_then(|(ports, ty)| ports.iter().find(|port| port.ty == ty));
    let (text, silent) = match node.argument(parameter) {
        Argument::Value(Value::String(text)) => (text.as_str(), &mut mark.empty),
        Argument::Default(_) | Argument::Unset | Argument::Value(_) | Argument::Link { .. } => {
            ("", &mut mark.unset)
        }
    };
    match (text, first) {
        ("", Some(first)) => {
            silent.push(name);
            Some(Attribute::Text(first.identifier.clone()))
        }
        ("", None) => matches!(node.argument(parameter), Argument::Value(_))
            .then(|| Attribute::Text(String::new())),
        (text, _) => {
            let named =
                |port: &&Port| port.display_name.as_ref().unwrap_or(&port.identifier) == text;
            let port = known.and_then(|(ports, _)| ports.iter().find(named));
            let identifier = port.map_or(text, |port| &port.identifier);
            Some(Attribute::Text(identifier.to_owned()))
        }
    }
}

/// The attributes of a constant.
pub(super) fn numbers_of(
    about: &'static KindInfo,
    numbers: &[f64],
) -> Vec<(&'static str, Attribute)> {
    if numbers.len() == ELEMENTS.len() {
        return vec![("matrix", Attribute::Numbers(numbers.to_vec()))];
    }
    let names: &[&'static str] = if numbers.len() == 1 {
        &["value"]
    } else {
        &["x", "y", "z"]
    };
    debug_assert_eq!(about.signature.parameters.len(), numbers.len());
    let one = |(name, number): (&&'static str, &f64)| (*name, Attribute::Numbers(vec![*number]));
    names.iter().zip(numbers).map(one).collect()
}

/// The ports of a kind with this overload.
pub(super) fn ports(about: &KindInfo, overload: usize) -> Vec<Port> {
    let types = &about.signature.overloads[overload].outputs;
    let ports = about.signature.ports.iter().zip(types);
    ports
        .map(|(port, &ty)| Port::new(port.name.to_string(), ty))
        .collect()
}

/// The ports of a node.
fn node_ports(node: NodeView<'_>) -> Vec<Port> {
    let ports = node.signature().ports.iter().enumerate();
    ports
        .map(|(place, port)| Port::new(port.name.to_string(), node.port_type(place)))
        .collect()
}
