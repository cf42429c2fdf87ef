//! The nodes of a function as elements, before they become text.

use fibula_nodes::{KindInfo, Type};

use super::markup::Markup;
use super::{Dialect, IMPLICIT};
use crate::mark::Mark;

/// A node as an element.
#[derive(Debug)]
pub(super) struct Element<'a> {
    pub(super) about: &'static KindInfo,
    pub(super) identifier: String,
    pub(super) display_name: Option<&'a str>,
    pub(super) mark: Option<Mark>,
    pub(super) attributes: Vec<(&'static str, Attribute)>,
    pub(super) inputs: Vec<Input>,
    pub(super) outputs: Vec<Port>,
}

/// What an attribute says.
#[derive(Debug)]
pub(super) enum Attribute {
    Text(String),
    Numbers(Vec<f64>),
    Id(u32),
}

/// Something that takes a value.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) port: Port,
    /// What it refers to; empty if it is unset.
    pub(super) reference: String,
}

/// Something that yields a value.
#[derive(Debug)]
pub(super) struct Port {
    pub(super) identifier: String,
    /// What a person calls it, if that is not the identifier.
    pub(super) display_name: Option<String>,
    pub(super) ty: Type,
}

impl Port {
    /// A port whose name is its identifier.
    pub(super) fn new(identifier: impl Into<String>, ty: Type) -> Self {
        Port {
            identifier: identifier.into(),
            display_name: None,
            ty,
        }
    }
}

impl Element<'_> {
    /// An element of a kind, of which nothing else is said.
    pub(super) fn new(about: &'static KindInfo, identifier: String) -> Self {
        Element {
            about,
            identifier,
            display_name: None,
            mark: None,
            attributes: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// Writes the element.
    pub(super) fn write(&self, dialect: Dialect, to: &mut Markup<'_>) {
        let name = dialect.element(self.about);
        to.start(&format!("{IMPLICIT}{name}"))
            .attribute("identifier", &self.identifier)
            .optional("displayname", self.display_name.unwrap_or_default());
        if let Some(mark) = &self.mark {
            to.attribute("tag", &mark.to_string());
        }
        for (name, attribute) in &self.attributes {
            match attribute {
                Attribute::Text(text) => to.attribute(name, text),
                Attribute::Numbers(numbers) => to.numbers(name, numbers),
                Attribute::Id(id) => to.whole(name, id),
            };
        }
        if !self.inputs.is_empty() {
            inputs("in", &self.inputs, to);
        }
        ports("out", &self.outputs, to);
        to.end();
    }
}

/// Writes a list of what yields values.
pub(super) fn ports(list: &str, ports: &[Port], to: &mut Markup<'_>) {
    to.start(&format!("{IMPLICIT}{list}"));
    for port in ports {
        one(port, "", to);
        to.end();
    }
    to.end();
}

/// Writes a list of what takes values.
pub(super) fn inputs(list: &str, inputs: &[Input], to: &mut Markup<'_>) {
    to.start(&format!("{IMPLICIT}{list}"));
    for input in inputs {
        one(&input.port, "ref", to);
        to.attribute("ref", &input.reference);
        to.end();
    }
    to.end();
}

fn one(port: &Port, ending: &str, to: &mut Markup<'_>) {
    let ty = match port.ty {
        Type::Float3 => "vector",
        Type::Matrix4x4 => "matrix",
        Type::ResourceId if ending.is_empty() => "resourceid",
        Type::ResourceId => "resource",
        // Functions with such ports are refused before, and parameters of such types are attributes.
        Type::Float | Type::Integer | Type::String => "scalar",
    };
    to.start(&format!("{IMPLICIT}{ty}{ending}"))
        .attribute("identifier", &port.identifier)
        .optional(
            "displayname",
            port.display_name.as_deref().unwrap_or_default(),
        );
}
