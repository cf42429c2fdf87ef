//! Elements of the nodes of a function.

use fibula_nodes::{KindInfo, Type};

use super::xml_writer::XmlWriter;
use super::{Dialect, IMPLICIT};
use crate::roundtrip::node_tag::ElementTag;

/// A node as an element.
#[derive(Debug)]
pub(super) struct NodeElement<'a> {
    pub(super) about: &'static KindInfo,
    pub(super) identifier: String,
    pub(super) display_name: Option<&'a str>,
    pub(super) tag: Option<ElementTag>,
    pub(super) attributes: Vec<(&'static str, ElementAttribute)>,
    pub(super) inputs: Vec<ElementInput>,
    pub(super) outputs: Vec<ElementPort>,
}

/// Value of an attribute.
#[derive(Debug)]
pub(super) enum ElementAttribute {
    Text(String),
    Numbers(Vec<f64>),
    Id(u32),
}

/// Destination of a value.
#[derive(Debug)]
pub(super) struct ElementInput {
    pub(super) port: ElementPort,
    /// Reference to its source; empty if it is unset.
    pub(super) reference: String,
}

/// Source of a value.
#[derive(Debug)]
pub(super) struct ElementPort {
    pub(super) identifier: String,
    /// Display name, if it is not the identifier.
    pub(super) display_name: Option<String>,
    pub(super) ty: Type,
}

impl ElementPort {
    /// Returns a port whose name is its identifier.
    pub(super) fn new(identifier: impl Into<String>, ty: Type) -> Self {
        ElementPort {
            identifier: identifier.into(),
            display_name: None,
            ty,
        }
    }
}

impl NodeElement<'_> {
    /// Returns an element of a kind, without attributes and ports.
    pub(super) fn new(about: &'static KindInfo, identifier: String) -> Self {
        NodeElement {
            about,
            identifier,
            display_name: None,
            tag: None,
            attributes: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// Writes the element.
    pub(super) fn write(&self, dialect: Dialect, to: &mut XmlWriter<'_>) {
        let name = dialect.element(self.about);
        to.start(&format!("{IMPLICIT}{name}"))
            .attribute("identifier", &self.identifier)
            .optional("displayname", self.display_name.unwrap_or_default());
        if let Some(tag) = &self.tag {
            to.attribute("tag", &tag.to_string());
        }
        for (name, attribute) in &self.attributes {
            match attribute {
                ElementAttribute::Text(text) => to.attribute(name, text),
                ElementAttribute::Numbers(numbers) => to.numbers(name, numbers),
                ElementAttribute::Id(id) => to.integer(name, id),
            };
        }
        if !self.inputs.is_empty() {
            write_inputs("in", &self.inputs, to);
        }
        write_ports("out", &self.outputs, to);
        to.end();
    }
}

/// Writes a list of ports.
pub(super) fn write_ports(list: &str, ports: &[ElementPort], to: &mut XmlWriter<'_>) {
    to.start(&format!("{IMPLICIT}{list}"));
    for port in ports {
        start_port(port, "", to);
        to.end();
    }
    to.end();
}

/// Writes a list of inputs.
pub(super) fn write_inputs(list: &str, inputs: &[ElementInput], to: &mut XmlWriter<'_>) {
    to.start(&format!("{IMPLICIT}{list}"));
    for input in inputs {
        start_port(&input.port, "ref", to);
        to.attribute("ref", &input.reference);
        to.end();
    }
    to.end();
}

fn start_port(port: &ElementPort, ending: &str, to: &mut XmlWriter<'_>) {
    let ty = match port.ty {
        Type::Float3 => "vector",
        Type::Matrix4x4 => "matrix",
        Type::ResourceId if ending.is_empty() => "resourceid",
        Type::ResourceId => "resource",
        // Functions with such ports were rejected before, and parameters of such types are attributes.
        Type::Float | Type::Integer | Type::String => "scalar",
    };
    let name = port.display_name.as_deref().unwrap_or_default();
    to.start(&format!("{IMPLICIT}{ty}{ending}"))
        .attribute("identifier", &port.identifier)
        .optional("displayname", name);
}
