//! A function as the file says it, before anything of it is understood.

use std::io::Read;

use fibula_core::graph::model::Attribute;
use fibula_nodes::Type;

use super::budget::Budget;
use super::element::Element;
use super::error::{Location, Problem, ReadError, brief};
use super::numbers::resource_id;
use super::scope::RESOURCE;
use super::xml::Xml;

/// An implicit function of the file.
#[derive(Debug, Clone)]
pub(super) struct Function {
    pub(super) id: u32,
    pub(super) name: String,
    /// Where it starts.
    pub(super) place: Location,
    pub(super) inputs: Vec<Port>,
    pub(super) outputs: Vec<Input>,
    pub(super) nodes: Vec<Node>,
    /// Whether it has the tag `function`.
    pub(super) old_tag: bool,
    /// How many nodes follow the outputs.
    pub(super) after_outputs: usize,
    /// The attributes with a prefix.
    pub(super) others: Vec<Attribute>,
    /// The elements that were passed over.
    pub(super) skipped: Vec<String>,
}

/// A node.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// The element with its attributes.
    pub(super) element: Element,
    pub(super) identifier: String,
    pub(super) inputs: Vec<Input>,
    pub(super) outputs: Vec<Port>,
}

/// Something that yields a value: an input of the function, or an output of a node.
#[derive(Debug, Clone)]
pub(super) struct Port {
    pub(super) identifier: String,
    /// What a person calls it, if that is not the identifier.
    pub(super) display_name: Option<String>,
    pub(super) ty: Type,
    pub(super) line: u64,
}

/// Something that takes a value: an input of a node, or an output of the function.
#[derive(Debug, Clone)]
pub(super) struct Input {
    pub(super) identifier: String,
    /// What a person calls it, if that is not the identifier.
    pub(super) display_name: Option<String>,
    pub(super) ty: Type,
    /// What it refers to; empty if it is unset.
    pub(super) reference: String,
    pub(super) line: u64,
}

/// Whether an element belongs to the implicit extension; drafts had it in the volumetric one.
pub(super) fn is_implicit(element: &Element) -> bool {
    element.space.is_volumetric()
}

impl Function {
    /// The resources that its nodes name.
    pub(super) fn named_resources(&self) -> impl Iterator<Item = u32> {
        let constants = self
            .nodes
            .iter()
            .filter(|node| node.element.name == RESOURCE);
        constants.filter_map(|node| {
            let element = &node.element;
            let named = element
                .attribute("value")
                .or(element.attribute("resourceid"));
            resource_id(named?)
        })
    }

    /// Reads the rest of a function whose start was read.
    pub(super) fn read<R: Read>(
        xml: &mut Xml<R>,
        start: &Element,
        id: u32,
        kept: &mut Budget,
    ) -> Result<Function, ReadError> {
        let name = match start.attribute("displayname") {
            Some("") | None => format!("function_{id}"),
            Some(name) => name.to_owned(),
        };
        let place = Location {
            function: Some((id, brief(&name))),
            ..xml.place().at_line(start.line)
        };
        let mut function = Function {
            id,
            name,
            place,
            inputs: Vec::new(),
            outputs: Vec::new(),
            nodes: Vec::new(),
            old_tag: start.name == "function",
            after_outputs: 0,
            others: start.others.clone(),
            skipped: Vec::new(),
        };
        function.read_body(xml, kept).map_err(|mut error| {
            error.place.function.clone_from(&function.place.function);
            error
        })?;
        Ok(function)
    }

    fn read_body<R: Read>(&mut self, xml: &mut Xml<R>, kept: &mut Budget) -> Result<(), ReadError> {
        let mut outputs_seen = false;
        while let Some(element) = xml.child()? {
            match element.name.as_str() {
                _ if !is_implicit(&element) => {
                    kept.nodes(1).map_err(|problem| xml.error(problem))?;
                    self.skipped.push(brief(&element.name));
                    xml.skip()?;
                }
                "in" => ports(xml, kept, &mut self.skipped, &mut self.inputs)?,
                "out" => {
                    inputs(xml, kept, &mut self.skipped, &mut self.outputs)?;
                    outputs_seen = true;
                }
                _ => {
                    kept.node(&element).map_err(|problem| xml.error(problem))?;
                    self.after_outputs += usize::from(outputs_seen);
                    self.nodes
                        .push(Node::read(xml, element, kept, &mut self.skipped)?);
                }
            }
        }
        Ok(())
    }
}

impl Node {
    fn read<R: Read>(
        xml: &mut Xml<R>,
        element: Element,
        kept: &mut Budget,
        skipped: &mut Vec<String>,
    ) -> Result<Node, ReadError> {
        let identifier = xml.required(&element, "identifier")?.to_owned();
        let mut node = Node {
            element,
            identifier,
            inputs: Vec::new(),
            outputs: Vec::new(),
        };
        while let Some(child) = xml.child()? {
            match child.name.as_str() {
                "in" if is_implicit(&child) => inputs(xml, kept, skipped, &mut node.inputs)?,
                "out" if is_implicit(&child) => ports(xml, kept, skipped, &mut node.outputs)?,
                _ => {
                    kept.nodes(1).map_err(|problem| xml.error(problem))?;
                    skipped.push(brief(&child.name));
                    xml.skip()?;
                }
            }
        }
        Ok(node)
    }
}

/// Adds the rest of a list of `<scalar>`, `<vector>`, `<matrix>` and `<resourceid>`.
fn ports<R: Read>(
    xml: &mut Xml<R>,
    kept: &mut Budget,
    skipped: &mut Vec<String>,
    ports: &mut Vec<Port>,
) -> Result<(), ReadError> {
    while let Some(element) = xml.child()? {
        if is_implicit(&element) {
            kept.port(&element, ports.len())
                .map_err(|problem| xml.error(problem))?;
            let ty = typed(xml, &element, &element.name)?;
            let identifier = xml.required(&element, "identifier")?.to_owned();
            ports.push(Port {
                display_name: display_name(&element, &identifier),
                identifier,
                ty,
                line: element.line,
            });
        } else {
            kept.nodes(1).map_err(|problem| xml.error(problem))?;
            skipped.push(brief(&element.name));
        }
        xml.skip()?;
    }
    Ok(())
}

/// Adds the rest of a list of `<scalarref>`, `<vectorref>`, `<matrixref>` and `<resourceref>`.
fn inputs<R: Read>(
    xml: &mut Xml<R>,
    kept: &mut Budget,
    skipped: &mut Vec<String>,
    inputs: &mut Vec<Input>,
) -> Result<(), ReadError> {
    while let Some(element) = xml.child()? {
        if is_implicit(&element) {
            kept.port(&element, inputs.len())
                .map_err(|problem| xml.error(problem))?;
            let ty = typed(
                xml,
                &element,
                element.name.strip_suffix("ref").unwrap_or_default(),
            )?;
            let identifier = xml.required(&element, "identifier")?.to_owned();
            let reference = element
                .attribute("ref")
                .unwrap_or_default()
                .trim()
                .to_owned();
            inputs.push(Input {
                display_name: display_name(&element, &identifier),
                identifier,
                ty,
                reference,
                line: element.line,
            });
        } else {
            kept.nodes(1).map_err(|problem| xml.error(problem))?;
            skipped.push(brief(&element.name));
        }
        xml.skip()?;
    }
    Ok(())
}

/// What a person calls a port, if that is neither empty nor the identifier.
fn display_name(element: &Element, identifier: &str) -> Option<String> {
    let name = element.attribute("displayname")?;
    (!name.is_empty() && name != identifier).then(|| name.to_owned())
}

fn typed<R: Read>(xml: &Xml<R>, element: &Element, name: &str) -> Result<Type, ReadError> {
    match name {
        "scalar" => Ok(Type::Float),
        "vector" => Ok(Type::Float3),
        "matrix" => Ok(Type::Matrix4x4),
        "resourceid" | "resource" => Ok(Type::ResourceId),
        _ => {
            let ending = if element.name.ends_with("ref") {
                "ref"
            } else {
                ""
            };
            let nearest = ["scalar", "vector", "matrix"]
                .map(|ty| format!("{ty}{ending}"))
                .to_vec();
            let problem = Problem::UnknownElement {
                element: brief(&element.name),
                nearest,
            };
            Err(problem.at(xml.place().at_line(element.line)))
        }
    }
}
