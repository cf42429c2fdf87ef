//! Plain edits of one function on a stage.

use fibula_nodes::FunctionType;
use serde_json::Value as Json;

use crate::edit::{Edit, EditError, LinkEdit, NodeEdit, Stage};
use crate::graph::{FunctionId, NodeId};

/// A port of a node, by name.
pub(super) type PortRef = (NodeId, String);

/// Pushes plain edits of one function to a stage.
pub(super) struct FunctionEditor<'s> {
    pub(super) stage: &'s mut Stage,
    pub(super) function_id: FunctionId,
}

/// A node to be created.
#[derive(Debug, Default)]
pub(super) struct NewNode {
    pub(super) id: Option<NodeId>,
    pub(super) kind: String,
    pub(super) name: Option<String>,
    pub(super) position: Option<[f64; 2]>,
    pub(super) callee: Option<FunctionType>,
}

impl FunctionEditor<'_> {
    pub(super) fn create(&mut self, node: NewNode) -> Result<NodeId, EditError> {
        let change = self.stage.push(&Edit::Node(NodeEdit::Create {
            function_id: self.function_id,
            node_type: node.kind,
            node_id: node.id,
            display_name: node.name,
            position: node.position,
            callee: node.callee,
        }))?;
        Ok(change.node_id.expect("a node was created"))
    }

    /// Links a parameter, replacing its link.
    pub(super) fn link(
        &mut self,
        (source, port): &PortRef,
        target: NodeId,
        parameter: &str,
    ) -> Result<(), EditError> {
        self.push(&Edit::Link(LinkEdit::Create {
            function_id: self.function_id,
            source_node_id: *source,
            source_port_name: port.clone(),
            target_node_id: target,
            target_parameter_name: parameter.to_owned(),
            replace: true,
            insert_conversion: false,
        }))
    }

    pub(super) fn unlink(&mut self, target: NodeId, parameter: &str) -> Result<(), EditError> {
        self.push(&Edit::Link(LinkEdit::Delete {
            function_id: self.function_id,
            target_node_id: target,
            target_parameter_name: parameter.to_owned(),
        }))
    }

    pub(super) fn set_value(
        &mut self,
        node_id: NodeId,
        parameter: &str,
        value: Json,
    ) -> Result<(), EditError> {
        self.push(&Edit::Link(LinkEdit::SetValue {
            function_id: self.function_id,
            node_id,
            parameter_name: parameter.to_owned(),
            value,
        }))
    }

    pub(super) fn set_overload(
        &mut self,
        node_id: NodeId,
        overload: usize,
    ) -> Result<(), EditError> {
        self.push(&Edit::Node(NodeEdit::SetOverload {
            function_id: self.function_id,
            node_id,
            overload,
        }))
    }

    pub(super) fn delete(&mut self, node_id: NodeId) -> Result<(), EditError> {
        self.push(&Edit::Node(NodeEdit::Delete {
            function_id: self.function_id,
            node_id,
        }))
    }

    /// Names of a node's parameters.
    pub(super) fn parameters(&self, node_id: NodeId) -> Result<Vec<String>, EditError> {
        let node = self
            .stage
            .document()
            .function(self.function_id)?
            .node(node_id)?;
        let parameters = node.signature().parameters.iter();
        Ok(parameters.map(|one| one.name.to_string()).collect())
    }

    /// Names of a node's ports.
    pub(super) fn ports(&self, node_id: NodeId) -> Result<Vec<String>, EditError> {
        let node = self
            .stage
            .document()
            .function(self.function_id)?
            .node(node_id)?;
        let ports = node.signature().ports.iter();
        Ok(ports.map(|one| one.name.to_string()).collect())
    }

    /// True if a parameter has a link.
    pub(super) fn is_linked(&self, node_id: NodeId, parameter: &str) -> Result<bool, EditError> {
        let function = self.stage.document().function(self.function_id)?;
        let place = function
            .stored(function.key(node_id)?)
            .find_parameter(parameter)?;
        Ok(function.node(node_id)?.link(place).is_some())
    }

    fn push(&mut self, edit: &Edit) -> Result<(), EditError> {
        self.stage.push(edit).map(drop)
    }
}
