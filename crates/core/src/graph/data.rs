//! A function as plain data, for serialization and import.
//!
//! It may be invalid; [`Document::build`](super::Document::build) checks it and builds a [`Function`](super::Function).

use std::collections::BTreeMap;

use fibula_nodes::{FunctionType, PortSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{FunctionId, NodeId, form};

/// A function, written out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Function")]
pub struct FunctionData {
    /// The function's id; the next free one if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function_id: Option<FunctionId>,
    /// The function's name.
    pub name: String,
    /// The inputs, in their order.
    #[serde(default)]
    #[schemars(with = "Vec<form::PortSpec>")]
    pub inputs: Vec<PortSpec>,
    /// The outputs, in their order.
    #[serde(default)]
    #[schemars(with = "Vec<form::PortSpec>")]
    pub outputs: Vec<PortSpec>,
    /// The nodes. `End` (node 0) and, if there are inputs, `Begin` are among them only for their id, position
    /// and parameters; they may be left out when they have none of these.
    #[serde(default)]
    pub nodes: Vec<NodeData>,
}

/// A node, written out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Node")]
pub struct NodeData {
    /// The node's id; the next free one if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_id: Option<NodeId>,
    /// The kind's name.
    pub node_type: String,
    /// Display name of the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Where the node is drawn: x to the right and y down, in pixels at a zoom of 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 2]>,
    /// The overload, by its index, where the links alone would choose another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overload: Option<usize>,
    /// The type of the function that the node follows, where no reference names that function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<form::FunctionType>")]
    pub callee: Option<FunctionType>,
    /// The parameters that are linked or hold a value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Setting>,
}

/// Value of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Setting {
    /// A literal value, in a form that [`Value::from_json`](fibula_nodes::Value::from_json) reads.
    #[schemars(description = "A literal value.")]
    Value(#[schemars(with = "form::Value")] Json),
    /// A port of another node.
    Source(SourceData),
}

/// A port of a node, by names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Source")]
pub struct SourceData {
    /// The node.
    pub node_id: NodeId,
    /// The port's name.
    pub port: String,
}

impl SourceData {
    /// The port with this name of a node.
    pub fn new(node_id: NodeId, port: impl Into<String>) -> Self {
        let port = port.into();
        SourceData { node_id, port }
    }
}

impl NodeData {
    /// Creates a node of the kind `node_type` without parameters.
    pub fn new(node_id: NodeId, node_type: impl Into<String>) -> Self {
        NodeData {
            node_id: Some(node_id),
            node_type: node_type.into(),
            display_name: None,
            position: None,
            overload: None,
            callee: None,
            parameters: BTreeMap::new(),
        }
    }

    /// Links `parameter` to a port.
    #[must_use]
    pub fn link(mut self, parameter: &str, node_id: NodeId, port: &str) -> Self {
        let source = Setting::Source(SourceData::new(node_id, port));
        self.parameters.insert(parameter.to_owned(), source);
        self
    }

    /// Sets `parameter` to a value.
    #[must_use]
    pub fn value(mut self, parameter: &str, value: impl Into<Json>) -> Self {
        self.parameters
            .insert(parameter.to_owned(), Setting::Value(value.into()));
        self
    }
}
