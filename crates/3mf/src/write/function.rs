//! Functions as elements: nodes in topological order, with constants for their literals and defaults.

use fibula_core::graph::{Argument, Function, NodeId, NodeView};
use fibula_nodes::call::{FUNCTION_ID, SCALAR_OUTPUT, VECTOR_INPUT};
use fibula_nodes::{Family, KindInfo, PortSpec, ResourceId, Type, Value, catalogue};
use rustc_hash::FxHashMap;

use super::element::{ElementAttribute, ElementInput, ElementPort, NodeElement};
use super::error::{UNSET, WriteError, WriteNote};
use super::identifier::{FunctionPorts, Identifiers};
use super::plan::ExportPlan;
use crate::functions::parsed::RESOURCE;
use crate::roundtrip::image_sampler::IMAGE_SAMPLER;
use crate::roundtrip::node_tag::{ElementTag, NodeTag};
use crate::roundtrip::templates::{self, MATRIX_ELEMENTS};
use crate::topological_sort::topological_sort;

/// Elements of the nodes of a function, and its outputs.
pub(super) struct FunctionElements<'a> {
    pub(super) nodes: Vec<NodeElement<'a>>,
    pub(super) outputs: Vec<ElementInput>,
}

/// State of the writer of a function.
pub(super) struct FunctionWriter<'p, 'a> {
    pub(super) project: &'p ExportPlan<'a>,
    pub(super) notes: &'p mut Vec<WriteNote>,
    pub(super) function: &'a Function,
    pub(super) identifiers: Identifiers,
    /// Identifier of each node.
    own: FxHashMap<NodeId, String>,
    /// Written reference to each port; omitted nodes have none.
    pub(super) references: FxHashMap<(NodeId, usize), String>,
    pub(super) elements: Vec<NodeElement<'a>>,
    /// True if each node states its id, since it does not follow from the order.
    numbered: bool,
}

/// Kind of a native element, by its name.
pub(super) fn native(kind: &str) -> &'static KindInfo {
    catalogue::kind(kind).expect("the writer names kinds that there are")
}

/// Name of a function for messages.
pub(super) fn label(function: &Function) -> String {
    let name = fibula_nodes::names::visible(function.name(), 60);
    format!("function {} ({name})", function.id())
}

/// Builds the elements of a function.
///
/// # Errors
/// [`WriteError`] if a value has a type that 3MF does not have, or is not finite.
pub(super) fn elements<'a>(
    function: &'a Function,
    project: &ExportPlan<'a>,
    notes: &mut Vec<WriteNote>,
) -> Result<FunctionElements<'a>, WriteError> {
    let order = order(function);
    let mut graph = FunctionWriter {
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
    Ok(FunctionElements {
        nodes: graph.elements,
        outputs,
    })
}

/// Nodes between the ends, in topological order, else by their ids.
fn order(function: &Function) -> Vec<NodeView<'_>> {
    let begin = function.begin();
    let between = |node: &NodeView<'_>| node.id() != NodeId::END && Some(node.id()) != begin;
    let nodes: Vec<NodeView<'_>> = function.nodes().filter(between).collect();
    let places = nodes.iter().enumerate();
    let place: FxHashMap<NodeId, usize> = places.map(|(at, node)| (node.id(), at)).collect();
    let sources = |node: &NodeView<'_>| {
        let parameters = 0..node.signature().parameters.len();
        let linked = parameters.filter_map(|parameter| match node.argument(parameter) {
            Argument::Link { node, .. } => place.get(&node).copied(),
            Argument::Unset | Argument::Default(_) | Argument::Value(_) => None,
        });
        linked.collect()
    };
    let needs: Vec<Vec<usize>> = nodes.iter().map(sources).collect();
    let order = topological_sort(&needs).expect("the nodes of a function have an order");
    order.into_iter().map(|at| nodes[at]).collect()
}

/// True if a parameter of a node is linked.
pub(super) fn is_linked(node: NodeView<'_>, parameter: usize) -> bool {
    matches!(node.argument(parameter), Argument::Link { .. })
}

impl<'a> FunctionWriter<'_, 'a> {
    /// Assigns identifiers, and determines if the ids follow from the order.
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
                Some(name) => self.identifiers.assign(name, &id),
                None => self.identifiers.assign(&format!("{kind}_{id}"), &id),
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

    fn outputs(&mut self) -> Result<Vec<ElementInput>, WriteError> {
        let end = self.function.node(NodeId::END);
        let end = end.expect("every function has an End");
        let signature = self.project.signatures.get(&self.function.id().into());
        let ports = signature
            .map(FunctionPorts::output_ports)
            .unwrap_or_default();
        let mut outputs = Vec::new();
        for (parameter, port) in ports.into_iter().enumerate() {
            let near = format!("outputs_{}", port.identifier);
            let reference = self.reference(end, parameter, &near)?;
            outputs.push(ElementInput { port, reference });
        }
        Ok(outputs)
    }

    /// Name of a node for messages.
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
        if about.name == IMAGE_SAMPLER {
            return self.sampler(node);
        }
        let linked = || (0..node.signature().parameters.len()).any(|one| is_linked(node, one));
        let lowered = match about.family {
            Family::Constant => linked(),
            _ => !self.project.dialect.has(about),
        };
        match templates::template(about.name).filter(|_| lowered) {
            Some(template) => self.lowered(node, template),
            None if about.family == Family::Constant => self.constant_node(node),
            None => self.native(node),
        }
    }

    /// Returns an element of a node, with everything that does not depend on its kind.
    pub(super) fn element(&self, node: NodeView<'a>) -> NodeElement<'a> {
        let about = node.kind().info();
        let mut element = NodeElement::new(about, self.identifier(node));
        element.display_name = node.display_name();
        element
    }

    /// Tag of a node, if it needs one.
    pub(super) fn node_tag(&self, node: NodeView<'_>, tag: NodeTag) -> Option<ElementTag> {
        let tag = NodeTag {
            position: node.position(),
            ..tag
        };
        let silent = tag == NodeTag::new(node.id()) && node.display_name().is_some();
        (self.numbered || !silent).then_some(ElementTag::Node(tag))
    }

    /// Adds an element whose ports are those of a node.
    pub(super) fn push(&mut self, node: NodeView<'_>, element: NodeElement<'a>) {
        for (port, written) in element.outputs.iter().enumerate() {
            let reference = format!("{}.{}", element.identifier, written.identifier);
            self.references.insert((node.id(), port), reference);
        }
        self.elements.push(element);
    }

    /// Adds a constant node with attributes.
    fn constant_node(&mut self, node: NodeView<'a>) -> Result<(), WriteError> {
        let mut element = self.element(node);
        let mut tag = NodeTag::new(node.id());
        let mut numbers = Vec::new();
        for (place, parameter) in node.signature().parameters.iter().enumerate() {
            let value = match node.argument(place) {
                Argument::Value(value) => value,
                Argument::Default(value) => {
                    tag.unset.push(parameter.name.to_string());
                    value
                }
                Argument::Unset | Argument::Link { .. } => continue,
            };
            self.check(node, &parameter.name, value)?;
            numbers.extend_from_slice(value.scalars());
        }
        element.attributes = number_attributes(element.about, &numbers);
        element.outputs = ports(element.about, node.overload());
        element.tag = self.node_tag(node, tag);
        self.push(node, element);
        Ok(())
    }

    /// Adds a node of a native kind.
    fn native(&mut self, node: NodeView<'a>) -> Result<(), WriteError> {
        let mut element = self.element(node);
        let project = self.project;
        let kept;
        let callee = node.callee().and_then(|id| project.signatures.get(&id));
        let callee = match (element.about.family, callee) {
            (Family::Call, None) => {
                kept = self.unnamed_callee(node)?;
                Some(&kept)
            }
            (_, callee) => callee,
        };
        let named = node.callee().is_some();
        let own = own_parameters(element.about, node);
        let mut tag = NodeTag::new(node.id());
        if let (Some(callee), false) = (callee, named) {
            let inputs = callee.ty.inputs.iter();
            tag.inputs = inputs
                .filter(|input| input.details.is_some())
                .cloned()
                .collect();
        }
        for (place, parameter) in node.signature().parameters.iter().enumerate() {
            let name: &str = &parameter.name;
            match (name, callee) {
                (SCALAR_OUTPUT | VECTOR_INPUT, Some(callee)) if place < own => {
                    let (name, ports, ty) = match name {
                        SCALAR_OUTPUT => (SCALAR_OUTPUT, callee.output_ports(), Type::Float),
                        _ => (VECTOR_INPUT, callee.input_ports(), Type::Float3),
                    };
                    let known = named.then_some((ports.as_slice(), ty));
                    let text = port_attribute(node, place, known, &mut tag);
                    element.attributes.extend(text.map(|text| (name, text)));
                }
                ("accuraterange", _) => {
                    let range = self.range(node, place)?;
                    element.attributes.extend(range);
                }
                (name, _) => {
                    let port = match callee.filter(|_| place >= own) {
                        Some(callee) => callee.input_ports().swap_remove(place - own),
                        None => ElementPort::new(name, node.parameter_type(place)),
                    };
                    let near = format!("{}_{}", element.identifier, port.identifier);
                    let reference = match (name, named) {
                        (FUNCTION_ID, false) if place < own && is_linked(node, place) => {
                            let message = "functionID is linked to a value that varies: left unset";
                            self.note(node, "linked_function", message.to_owned());
                            String::new()
                        }
                        _ => self.reference(node, place, &near)?,
                    };
                    element.inputs.push(ElementInput { port, reference });
                }
            }
        }
        element.outputs = match callee.filter(|_| element.about.name == "FunctionCall") {
            Some(callee) => callee.output_ports(),
            None => node_ports(node),
        };
        element.tag = self.node_tag(node, tag);
        self.push(node, element);
        Ok(())
    }

    /// Ports that a node without a function keeps.
    fn unnamed_callee(&self, node: NodeView<'_>) -> Result<FunctionPorts, WriteError> {
        let own = own_parameters(node.kind().info(), node);
        let signature = node.signature();
        let rule = &signature.overloads[node.overload()];
        let inputs = signature.parameters.iter().zip(&rule.inputs).skip(own);
        let inputs = inputs.map(|(one, &ty)| PortSpec {
            details: one.details.clone(),
            ..PortSpec::new(one.name.to_string(), ty)
        });
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
        FunctionPorts::new(&ty, &self.place(node))
    }

    /// Attribute for the range of a beam lattice.
    fn range(
        &mut self,
        node: NodeView<'_>,
        parameter: usize,
    ) -> Result<Option<(&'static str, ElementAttribute)>, WriteError> {
        let value = match node.argument(parameter) {
            Argument::Value(value) => value,
            Argument::Unset | Argument::Default(_) => return Ok(None),
            Argument::Link { node: source, .. } => {
                let source = self.function.node(source).expect("a link has a source");
                let constant = source.kind().info().name == "ConstantScalar";
                let value = match source.argument(0) {
                    Argument::Value(value) | Argument::Default(value) => Some(value),
                    Argument::Unset | Argument::Link { .. } => None,
                };
                let value = value.filter(|_| constant);
                let varies = "accuraterange is linked to a value that varies, which 3MF cannot express: omitted";
                let number = "accuraterange is linked: written as its constant value";
                let message = value.map_or(varies, |_| number);
                self.note(node, "linked_attribute", message.to_owned());
                let Some(value) = value else { return Ok(None) };
                value
            }
        };
        self.check(node, "accuraterange", value)?;
        let numbers = ElementAttribute::Numbers(value.scalars().to_vec());
        Ok(Some(("accuraterange", numbers)))
    }

    /// Reference of a parameter: to its source, or to a constant that is added before the node.
    pub(super) fn reference(
        &mut self,
        node: NodeView<'a>,
        parameter: usize,
        near: &str,
    ) -> Result<String, WriteError> {
        let name = &node.signature().parameters[parameter].name;
        let (value, tag) = match node.argument(parameter) {
            Argument::Link {
                node: source, port, ..
            } => {
                // Omitted nodes were noted before.
                let reference = self.references.get(&(source, port));
                return Ok(reference.cloned().unwrap_or_default());
            }
            Argument::Unset => {
                let name = fibula_nodes::names::visible(name, 60);
                let message =
                    format!("{name} is unset: other programs cannot evaluate the function");
                self.note(node, UNSET, message);
                return Ok(String::new());
            }
            Argument::Value(value) => (value, ElementTag::Literal),
            Argument::Default(value) => (value, ElementTag::Default),
        };
        self.check(node, name, value)?;
        self.constant(node, value, tag, near)
    }

    /// Adds a constant.
    fn constant(
        &mut self,
        node: NodeView<'a>,
        value: &Value,
        tag: ElementTag,
        near: &str,
    ) -> Result<String, WriteError> {
        let kind = match value {
            Value::Float(_) => "ConstantScalar",
            Value::Float3(_) => "ConstantVector",
            Value::Matrix4x4(_) => "ConstantMatrix",
            Value::ResourceId(id) if !self.project.has(*id) => {
                self.missing(node, *id);
                return Ok(String::new());
            }
            Value::ResourceId(_) => "Resource",
            Value::Integer(_) | Value::String(_) => {
                let (place, ty) = (self.place(node), value.ty());
                return Err(WriteError::NoSuchType { place, ty });
            }
        };
        let about = native(kind);
        let identifier = self.identifiers.assign(near, "value");
        let mut element = NodeElement::new(about, identifier);
        element.attributes = if let Value::ResourceId(id) = value {
            vec![("value", ElementAttribute::Id(id.0))]
        } else {
            number_attributes(about, value.scalars())
        };
        element.outputs = ports(about, 0);
        element.tag = Some(tag);
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

/// Number of parameters of a node before those of the function that it follows.
fn own_parameters(about: &KindInfo, node: NodeView<'_>) -> usize {
    let own = [FUNCTION_ID, "step", SCALAR_OUTPUT, VECTOR_INPUT];
    match (about.family, about.name) {
        (Family::Call, "FunctionCall") => 1,
        (Family::Call, _) => own.len(),
        _ => node.signature().parameters.len(),
    }
}

/// Attribute by which a gradient names a port of its function. If the project leaves it open, the implied port is named,
/// since 3MF requires it.
fn port_attribute(
    node: NodeView<'_>,
    parameter: usize,
    known: Option<(&[ElementPort], Type)>,
    tag: &mut NodeTag,
) -> Option<ElementAttribute> {
    let name = node.signature().parameters[parameter].name.to_string();
    let first = known.and_then(|(ports, ty)| ports.iter().find(|port| port.ty == ty));
    let (text, silent) = match node.argument(parameter) {
        Argument::Value(Value::String(text)) => (text.as_str(), &mut tag.empty),
        Argument::Default(_) | Argument::Unset | Argument::Value(_) | Argument::Link { .. } => {
            ("", &mut tag.unset)
        }
    };
    match (text, first) {
        ("", Some(first)) => {
            silent.push(name);
            Some(ElementAttribute::Text(first.identifier.clone()))
        }
        ("", None) => matches!(node.argument(parameter), Argument::Value(_))
            .then(|| ElementAttribute::Text(String::new())),
        (text, _) => {
            let named = |port: &&ElementPort| {
                port.display_name.as_ref().unwrap_or(&port.identifier) == text
            };
            let port = known.and_then(|(ports, _)| ports.iter().find(named));
            let identifier = port.map_or(text, |port| &port.identifier);
            Some(ElementAttribute::Text(identifier.to_owned()))
        }
    }
}

/// Attributes of a constant.
pub(super) fn number_attributes(
    about: &'static KindInfo,
    numbers: &[f64],
) -> Vec<(&'static str, ElementAttribute)> {
    if numbers.len() == MATRIX_ELEMENTS.len() {
        return vec![("matrix", ElementAttribute::Numbers(numbers.to_vec()))];
    }
    let names: &[&'static str] = if numbers.len() == 1 {
        &["value"]
    } else {
        &["x", "y", "z"]
    };
    debug_assert_eq!(about.signature.parameters.len(), numbers.len());
    let one =
        |(name, number): (&&'static str, &f64)| (*name, ElementAttribute::Numbers(vec![*number]));
    names.iter().zip(numbers).map(one).collect()
}

/// Ports of a kind with this overload.
pub(super) fn ports(about: &KindInfo, overload: usize) -> Vec<ElementPort> {
    let types = &about.signature.overloads[overload].outputs;
    let ports = about.signature.ports.iter().zip(types);
    let ports = ports.map(|(port, &ty)| ElementPort::new(port.name.to_string(), ty));
    ports.collect()
}

/// Ports of a node.
fn node_ports(node: NodeView<'_>) -> Vec<ElementPort> {
    let ports = node.signature().ports.iter().enumerate();
    ports
        .map(|(place, port)| ElementPort::new(port.name.to_string(), node.port_type(place)))
        .collect()
}
