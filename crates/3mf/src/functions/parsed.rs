//! Parsed functions, before their kinds, links and types are resolved.

use std::io::Read;

use fibula_core::graph::model::Attribute;
use fibula_nodes::Type;

use crate::error::{Locate, Location, Problem, ReadError, brief};
use crate::numbers::resource_id;
use crate::roundtrip::end_attributes;
use crate::xml::XmlReader;
use crate::xml::budget::Budget;
use crate::xml::element::Element;

/// Element that names a resource.
pub(crate) const RESOURCE: &str = "constresourceid";

/// An implicit function of the file.
#[derive(Debug, Clone)]
pub(crate) struct ParsedFunction {
    pub(crate) id: u32,
    pub(crate) name: String,
    /// Location of its start tag.
    pub(crate) place: Location,
    pub(crate) inputs: Vec<ParsedPort>,
    pub(crate) outputs: Vec<ParsedPort>,
    pub(crate) nodes: Vec<ParsedNode>,
    /// True if its tag is `function`, which is that of a draft.
    pub(crate) old_tag: bool,
    /// Number of nodes after the outputs.
    pub(crate) nodes_after_outputs: usize,
    /// Attributes with a prefix.
    pub(crate) attributes: Vec<Attribute>,
    /// Ignored elements and attributes.
    pub(crate) skipped: Vec<Ignored>,
}

/// Element or attribute in a function for which a project has no place.
#[derive(Debug, Clone)]
pub(crate) struct Ignored {
    /// Description, such as `attribute note of node add`.
    pub(crate) what: String,
    /// True if its namespace is that of functions.
    pub(crate) is_known: bool,
}

/// A node.
#[derive(Debug, Clone)]
pub(crate) struct ParsedNode {
    /// Element with its attributes.
    pub(crate) element: Element,
    pub(crate) identifier: String,
    pub(crate) inputs: Vec<ParsedPort>,
    pub(crate) outputs: Vec<ParsedPort>,
}

/// Port: an input or output of the function, or of a node.
#[derive(Debug, Clone)]
pub(crate) struct ParsedPort {
    pub(crate) identifier: String,
    /// Display name, if it is neither empty nor the identifier.
    pub(crate) display_name: Option<String>,
    pub(crate) ty: Type,
    /// Reference of an input of a node or an output of the function to its source; empty if it is unset.
    pub(crate) reference: String,
    pub(crate) line: u64,
}

/// True if an element belongs to the implicit extension; drafts had it in the volumetric one.
pub(crate) fn is_implicit(element: &Element) -> bool {
    element.schema.is_volumetric()
}

impl ParsedFunction {
    /// Resources that its nodes name.
    pub(crate) fn named_resources(&self) -> impl Iterator<Item = u32> {
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

    /// Parses the rest of a function whose start tag was read.
    pub(crate) fn read<R: Read>(
        xml: &mut XmlReader<R>,
        start: &Element,
        id: u32,
        budget: &mut Budget,
    ) -> Result<ParsedFunction, ReadError> {
        let name = match start.attribute("displayname") {
            Some("") | None => format!("function_{id}"),
            Some(name) => name.to_owned(),
        };
        let place = Location {
            function: Some((id, brief(&name))),
            ..xml.location().at_line(start.line)
        };
        let mut function = ParsedFunction {
            id,
            name,
            place,
            inputs: Vec::new(),
            outputs: Vec::new(),
            nodes: Vec::new(),
            old_tag: start.name == "function",
            nodes_after_outputs: 0,
            attributes: start.prefixed.clone(),
            skipped: Vec::new(),
        };
        function.read_body(xml, budget).map_err(|mut error| {
            error.place.function.clone_from(&function.place.function);
            error
        })?;
        Ok(function)
    }

    fn read_body<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        budget: &mut Budget,
    ) -> Result<(), ReadError> {
        let skipped = &mut self.skipped;
        let mut outputs_seen = false;
        while let Some(element) = xml.next_child()? {
            match element.name.as_str() {
                _ if !is_implicit(&element) => {
                    ignore(xml, &element, budget, skipped)?;
                    xml.skip()?;
                }
                "in" => {
                    ignore_attributes(&element, &[], "the inputs of a function", skipped);
                    read_ports(xml, "", budget, skipped, &mut self.inputs)?;
                }
                "out" => {
                    ignore_attributes(&element, &[], "the outputs of a function", skipped);
                    read_ports(xml, "ref", budget, skipped, &mut self.outputs)?;
                    outputs_seen = true;
                }
                _ => {
                    budget.charge_node(&element).at(xml.location())?;
                    self.nodes_after_outputs += usize::from(outputs_seen);
                    let node = ParsedNode::read(xml, element, budget, skipped)?;
                    self.nodes.push(node);
                }
            }
        }
        Ok(())
    }
}

impl ParsedNode {
    fn read<R: Read>(
        xml: &mut XmlReader<R>,
        element: Element,
        budget: &mut Budget,
        skipped: &mut Vec<Ignored>,
    ) -> Result<ParsedNode, ReadError> {
        let identifier = xml.required(&element, "identifier")?.to_owned();
        ignore_attributes(&element, &NODE, "a node", skipped);
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        while let Some(child) = xml.next_child()? {
            match child.name.as_str() {
                "in" if is_implicit(&child) => {
                    ignore_attributes(&child, &[], "the inputs of a node", skipped);
                    read_ports(xml, "ref", budget, skipped, &mut inputs)?;
                }
                "out" if is_implicit(&child) => {
                    ignore_attributes(&child, &[], "the outputs of a node", skipped);
                    read_ports(xml, "", budget, skipped, &mut outputs)?;
                }
                _ => {
                    ignore(xml, &child, budget, skipped)?;
                    xml.skip()?;
                }
            }
        }
        Ok(ParsedNode {
            element,
            identifier,
            inputs,
            outputs,
        })
    }
}

/// Reads the rest of a list of ports: `<scalar>`, `<vector>`, `<matrix>` and `<resourceid>`, or, with the suffix `ref`,
/// `<scalarref>`, `<vectorref>`, `<matrixref>` and `<resourceref>`.
fn read_ports<R: Read>(
    xml: &mut XmlReader<R>,
    suffix: &str,
    budget: &mut Budget,
    skipped: &mut Vec<Ignored>,
    ports: &mut Vec<ParsedPort>,
) -> Result<(), ReadError> {
    while let Some(element) = xml.next_child()? {
        if is_implicit(&element) {
            budget
                .charge_port(&element, ports.len())
                .at(xml.location())?;
            let ty = parse_type(xml, &element, suffix)?;
            let identifier = xml.required(&element, "identifier")?;
            ignore_attributes(&element, &PORT, "a port", skipped);
            let name = element.attribute("displayname");
            let name = name.filter(|name| !name.is_empty() && *name != identifier);
            let reference = element.attribute("ref").filter(|_| suffix == "ref");
            ports.push(ParsedPort {
                identifier: identifier.to_owned(),
                display_name: name.map(str::to_owned),
                ty,
                reference: reference.unwrap_or_default().trim().to_owned(),
                line: element.line,
            });
            while let Some(child) = xml.next_child()? {
                ignore(xml, &child, budget, skipped)?;
                xml.skip()?;
            }
        } else {
            ignore(xml, &element, budget, skipped)?;
            xml.skip()?;
        }
    }
    Ok(())
}

/// Attributes of a node, for its values too.
const NODE: [&str; 10] = [
    "identifier",
    "displayname",
    "tag",
    "value",
    "x",
    "y",
    "z",
    "matrix",
    "resourceid",
    "accuraterange",
];
/// Attributes of a port.
const PORT: [&str; 3] = ["identifier", "displayname", "ref"];

/// Records the attributes of an element that are not understood.
fn ignore_attributes(element: &Element, known: &[&str], of: &str, skipped: &mut Vec<Ignored>) {
    let is_value = |name: &str| name.len() == 3 && name.starts_with('m');
    let others = element.unknown_attributes(known).into_iter();
    // Attributes of the writer are read elsewhere, as are the numbers of a matrix.
    let others = others.filter(|one| {
        one.namespace != end_attributes::NAMESPACE
            && !(one.namespace.is_empty() && is_value(&one.name))
    });
    skipped.extend(others.map(|one| Ignored {
        what: format!("attribute {} of {of}", brief(&one.name)),
        is_known: one.namespace.is_empty(),
    }));
}

/// Records an element that is not understood.
fn ignore<R: Read>(
    xml: &XmlReader<R>,
    element: &Element,
    budget: &mut Budget,
    skipped: &mut Vec<Ignored>,
) -> Result<(), ReadError> {
    skipped.push(Ignored {
        what: format!("element {} in a function", brief(&element.name)),
        is_known: is_implicit(element),
    });
    budget.charge_nodes(1).at(xml.location())
}

fn parse_type<R: Read>(
    xml: &XmlReader<R>,
    element: &Element,
    suffix: &str,
) -> Result<Type, ReadError> {
    let name = &element.name;
    match name.strip_suffix(suffix).unwrap_or_default() {
        "scalar" => Ok(Type::Float),
        "vector" => Ok(Type::Float3),
        "matrix" => Ok(Type::Matrix4x4),
        "resourceid" | "resource" => Ok(Type::ResourceId),
        _ => {
            let ending = if name.ends_with("ref") { "ref" } else { "" };
            let types = ["scalar", "vector", "matrix"];
            let problem = Problem::UnknownElement {
                element: brief(name),
                nearest: types.map(|ty| format!("{ty}{ending}")).to_vec(),
            };
            Err(problem.at(xml.location().at_line(element.line)))
        }
    }
}
