//! A node of a function, to be read.

use std::collections::BTreeMap;

use fibula_nodes::{Node, Signature, Type, Value};

use super::data::{NodeData, Setting};
use super::error::NodeLabel;
use super::function::{Consumer, Function, Input, Stored};
use super::ids::NodeId;

/// A node of a function, to be read.
#[derive(Debug, Clone, Copy)]
pub struct NodeView<'a> {
    pub(super) function: &'a Function,
    pub(super) stored: &'a Stored,
}

/// What a parameter has, to be read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Argument<'a> {
    /// Nothing, and the kind has no default for it.
    Unset,
    /// Nothing, so it has the kind's default.
    Default(&'a Value),
    /// A literal.
    Value(&'a Value),
    /// What a port yields.
    Link {
        /// The node.
        node: NodeId,
        /// The port's index.
        port: usize,
        /// The port's name.
        name: &'a str,
    },
}

impl<'a> NodeView<'a> {
    /// The node's id.
    pub fn id(self) -> NodeId {
        self.stored.id
    }

    /// The node itself.
    pub fn kind(self) -> &'a dyn Node {
        &*self.stored.kind
    }

    /// The node's parameters, ports and overloads.
    pub fn signature(self) -> &'a Signature {
        &self.stored.signature
    }

    /// The overload in force, an index of the signature's rules.
    pub fn overload(self) -> usize {
        self.stored.rule
    }

    /// What a person calls the node.
    pub fn display_name(self) -> Option<&'a str> {
        self.stored.display_name.as_deref()
    }

    /// Where the node is drawn.
    pub fn position(self) -> Option<[f64; 2]> {
        self.stored.position
    }

    /// How messages call the node.
    pub fn label(self) -> NodeLabel {
        self.stored.label()
    }

    /// The type of the parameter with this index.
    pub fn parameter_type(self, parameter: usize) -> Type {
        self.stored.parameter_type(parameter)
    }

    /// The type of the port with this index.
    pub fn port_type(self, port: usize) -> Type {
        self.stored.port_type(port)
    }

    /// What the parameter with this index has.
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

    /// The function or image function that the node refers to, if it is of a kind that refers to one and that is set.
    pub fn callee(self) -> Option<fibula_nodes::ResourceId> {
        self.function.callee(self.function.keys[&self.stored.id])
    }

    /// The links that leave the node: port index, target node and parameter index; sorted.
    pub fn consumers(self) -> Vec<(usize, NodeId, usize)> {
        let target = |consumer: &Consumer| {
            (
                consumer.port,
                self.function.nodes[consumer.node].id,
                consumer.parameter,
            )
        };
        let mut all: Vec<_> = self.stored.consumers.iter().map(target).collect();
        all.sort_unstable();
        all
    }

    /// The node, written out.
    pub fn data(self) -> NodeData {
        let stored = self.stored;
        let parameters: BTreeMap<String, Setting> = stored
            .signature
            .parameters
            .iter()
            .zip(&stored.inputs)
            .filter_map(|(parameter, input)| {
                let setting = self.function.setting(input)?;
                Some((parameter.name.to_string(), setting))
            })
            .collect();
        NodeData {
            node_id: Some(stored.id),
            node_type: stored.kind.info().name.to_owned(),
            display_name: stored.display_name.clone(),
            position: stored.position,
            overload: self.function.kept_overload(stored),
            callee: self.function.unnamed_callee(stored),
            parameters,
        }
    }
}
