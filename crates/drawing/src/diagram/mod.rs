//! Diagrams of functions: as text, in the DOT language of Graphviz and as flowcharts of Mermaid, and as a scene.
//!
//! A diagram shows every node with its values, and every link with the ends that it joins. Diagrams are not read back;
//! [`FunctionData`](fibula_core::graph::FunctionData) is the form for that.

pub mod layout;

mod dot;
mod mermaid;

mod drawing;

#[cfg(test)]
mod tests;

use fibula_core::graph::{Argument, Function, NodeId, NodeView};
use fibula_nodes::{Type, Value};

pub use dot::dot;
pub use drawing::{ShownBox, draw, place};
pub use mermaid::mermaid;

/// Maximum number of characters of a value or a name; an ellipsis stands for the rest.
const LONGEST: usize = 60;

/// A link.
struct Link<'a> {
    source: NodeId,
    /// Index and name of the source's port.
    port: (usize, &'a str),
    /// Index and name of the target's parameter.
    parameter: (usize, &'a str),
    ty: Type,
}

/// Links to a node, in the order of its parameters.
fn links(node: NodeView<'_>) -> impl Iterator<Item = Link<'_>> {
    let parameters = node.signature().parameters.iter().enumerate();
    parameters.filter_map(move |(index, parameter)| match node.argument(index) {
        Argument::Link {
            node: source,
            port,
            name,
        } => Some(Link {
            source,
            port: (port, name),
            parameter: (index, parameter.name.as_ref()),
            ty: node.parameter_type(index),
        }),
        Argument::Unset | Argument::Default(_) | Argument::Value(_) => None,
    })
}

/// Text of a parameter and its value, if it has one: `B = 2.5`.
fn parameter(node: NodeView<'_>, index: usize) -> String {
    let name = short(&node.signature().parameters[index].name);
    match node.argument(index) {
        Argument::Value(value) => format!("{name} = {}", text(value)),
        Argument::Unset | Argument::Default(_) | Argument::Link { .. } => name,
    }
}

/// Kind and display name of a node.
fn title(node: NodeView<'_>) -> (&'static str, Option<String>) {
    (node.kind().info().name, node.display_name().map(short))
}

fn text(value: &Value) -> String {
    short(&value.to_json().to_string())
}

/// Truncates a text, and joins its lines.
fn short(text: &str) -> String {
    let line = |c: char| if c.is_control() { ' ' } else { c };
    let mut characters = text.chars();
    let mut short: String = characters.by_ref().take(LONGEST).map(line).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}

/// Signature of a function: `sphere(pos: float3, radius: float = 10) -> (shape: float)`; `shown` spells names.
fn signature(function: &Function, shown: impl Fn(&str) -> String) -> String {
    let list = |ports: Vec<fibula_nodes::PortSpec>| {
        let port = |port: &fibula_nodes::PortSpec| {
            format!("{}: {}", shown(&port.name), shown(&port.form()))
        };
        ports.iter().map(port).collect::<Vec<_>>().join(", ")
    };
    let (inputs, outputs) = (list(function.inputs()), list(function.outputs()));
    format!("{}({inputs}) -> ({outputs})", shown(function.name()))
}

/// Colour of a type, from a palette for the colour-blind (M. Okabe, K. Ito, "Color Universal Design", 2008).
fn colour(ty: Type) -> [u8; 3] {
    match ty {
        Type::Float => [0, 114, 178],
        Type::Float3 => [0, 158, 115],
        Type::Matrix4x4 => [213, 94, 0],
        Type::Integer => [204, 121, 167],
        Type::String => [230, 159, 0],
        Type::ResourceId => [0, 0, 0],
    }
}
