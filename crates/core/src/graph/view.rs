//! Read access to a node of a function.

use fibula_nodes::{Node, Signature, Type, Value};

use super::data::NodeData;
use super::error::NodeLabel;
use super::function::{Consumer, Function, Input, Stored};
use super::ids::NodeId;

/// Read access to a node of a function.
#[derive(Debug, Clone, Copy)]
pub struct NodeView<'a> {
    pub(super) function: &'a Function,
    pub(super) stored: &'a Stored,
}

/// Argument of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Argument<'a> {
    /// None, and the parameter has no default.
    Unset,
    /// None, so the default applies.
    Default(&'a Value),
    /// A literal.
    Value(&'a Value),
    /// A port of a node.
    Link {
        /// The node.
        node: NodeId,
        /// Index of the port.
        port: usize,
        /// Name of the port.
        name: &'a str,
    },
}

impl<'a> NodeView<'a> {
    /// The node's id.
    pub fn id(self) -> NodeId {
        self.stored.id
    }

    /// The node's implementation.
    pub fn kind(self) -> &'a dyn Node {
        &*self.stored.kind
    }

    /// Parameters, ports and overloads.
    pub fn signature(self) -> &'a Signature {
        &self.stored.signature
    }

    /// Selected overload, an index of the signature's rules.
    pub fn overload(self) -> usize {
        self.stored.rule
    }

    /// Name given by the user.
    pub fn display_name(self) -> Option<&'a str> {
        self.stored.display_name.as_deref()
    }

    /// Position in the diagram.
    pub fn position(self) -> Option<[f64; 2]> {
        self.stored.position
    }

    /// Label for messages.
    pub fn label(self) -> NodeLabel {
        self.stored.label()
    }

    /// Type of the parameter with this index.
    pub fn parameter_type(self, parameter: usize) -> Type {
        self.stored.parameter_type(parameter)
    }

    /// Type of the port with this index.
    pub fn port_type(self, port: usize) -> Type {
        self.stored.port_type(port)
    }

    /// Argument of the parameter with this index.
    pub fn argument(self, parameter: usize) -> Argument<'a> {
        match &self.stored.inputs[parameter] {
            Input::Value(value) => Argument::Value(value),
            Input::Link { source, port } => {
                let source = &self.function.nodes[*source];
                let name = &source.signature.ports[*port].name;
                Argument::Link {
                    node: source.id,
                    port: *port,
                    name,
                }
            }
            Input::Unset => match &self.stored.signature.parameters[parameter].default {
                Some(value) => Argument::Default(value),
                None => Argument::Unset,
            },
        }
    }

    /// Node and port index that the parameter with this index is linked to.
    pub fn link(self, parameter: usize) -> Option<(NodeId, usize)> {
        match self.argument(parameter) {
            Argument::Link { node, port, .. } => Some((node, port)),
            Argument::Unset | Argument::Default(_) | Argument::Value(_) => None,
        }
    }

    /// The function or image function that the node refers to, if its kind refers to one and the reference is set.
    pub fn callee(self) -> Option<fibula_nodes::ResourceId> {
        self.function.callee(self.function.keys[&self.stored.id])
    }

    /// Links that leave the node, as port index, target node and parameter index; sorted.
    pub fn consumers(self) -> Vec<(usize, NodeId, usize)> {
        let target = |consumer: &Consumer| {
            let id = self.function.nodes[consumer.node].id;
            (consumer.port, id, consumer.parameter)
        };
        let mut all: Vec<_> = self.stored.consumers.iter().map(target).collect();
        all.sort_unstable();
        all
    }

    /// Returns the node as plain data.
    pub fn data(self) -> NodeData {
        let stored = self.stored;
        let parameters = stored.signature.parameters.iter().zip(&stored.inputs);
        let parameters = parameters.filter_map(|(parameter, input)| {
            let setting = self.function.setting(input)?;
            Some((parameter.name.to_string(), setting))
        });
        NodeData {
            node_id: Some(stored.id),
            node_type: stored.kind.info().name.to_owned(),
            display_name: stored.display_name.clone(),
            position: stored.position,
            overload: self.function.kept_overload(stored),
            callee: self.function.unnamed_callee(stored),
            parameters: parameters.collect(),
        }
    }
}
