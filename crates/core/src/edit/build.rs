//! Building functions node by node: the most frequent edits as methods of [`Document`].

use fibula_nodes::{PortSpec, Type};
use serde_json::Value as Json;

use super::{Change, Edit, EditError, FunctionEdit, LinkEdit, NodeEdit};
use crate::graph::{Document, FunctionData, FunctionId, NodeId};

/// Edits with defaults, for programs that build functions. Each is checked and applied as [`Edit::apply`] does it, so a
/// refused one has changed nothing.
///
/// ```
/// use fibula_core::eval::Tape;
/// use fibula_core::graph::{Document, NodeId};
/// use fibula_nodes::Type;
///
/// let mut document = Document::default();
/// let ball = document.create_function("Ball", &[("pos", Type::Float3)], &[("shape", Type::Float)])?;
/// let length = document.create_node(ball, "Length")?;
/// let distance = document.create_node(ball, "Subtraction")?;
/// document.link(ball, (NodeId(1), "pos"), (length, "A"))?; // node 1 is Begin, which has the inputs
/// document.link(ball, (length, "result"), (distance, "A"))?;
/// document.set_value(ball, (distance, "B"), 5.0)?;
/// document.link(ball, (distance, "result"), (NodeId::END, "shape"))?;
///
/// assert_eq!(Tape::new(&document, ball)?.at([8.0, 0.0, 0.0]), [3.0]);
///
/// let refused = document.link(ball, (distance, "result"), (length, "A")).unwrap_err();
/// assert_eq!(refused.code(), "already_linked");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl Document {
    /// Adds a function with these inputs and outputs and without nodes but for `Begin`, which has the inputs, and `End`
    /// ([`NodeId::END`]), which has the outputs.
    ///
    /// # Errors
    /// [`EditError`] if a name is no name, is used twice, or a type is none of a port.
    #[expect(
        clippy::missing_panics_doc,
        reason = "what creates something has its id"
    )]
    pub fn create_function(
        &mut self,
        name: &str,
        inputs: &[(&str, Type)],
        outputs: &[(&str, Type)],
    ) -> Result<FunctionId, EditError> {
        let ports = |ports: &[(&str, Type)]| {
            let ports = ports.iter().map(|&(name, ty)| PortSpec::new(name, ty));
            ports.collect::<Vec<_>>()
        };
        let edit = Edit::Function(FunctionEdit::Set(FunctionData {
            function_id: None,
            name: name.to_owned(),
            inputs: ports(inputs),
            outputs: ports(outputs),
            nodes: Vec::new(),
        }));
        let change = edit.apply(self)?;
        Ok(change.function_id.expect("a function was created"))
    }

    /// Adds a node of a kind, such as `Addition`, with the next unused id.
    ///
    /// # Errors
    /// [`EditError`] if there is no such function or kind, or the function is full.
    #[expect(
        clippy::missing_panics_doc,
        reason = "what creates something has its id"
    )]
    pub fn create_node(
        &mut self,
        function_id: FunctionId,
        node_type: &str,
    ) -> Result<NodeId, EditError> {
        let edit = Edit::Node(NodeEdit::Create {
            function_id,
            node_type: node_type.to_owned(),
            node_id: None,
            display_name: None,
            position: None,
            callee: None,
        });
        let change = edit.apply(self)?;
        Ok(change.node_id.expect("a node was created"))
    }

    /// Links a port of a node to an unlinked parameter of another.
    ///
    /// # Errors
    /// [`EditError`] if an end does not exist, the parameter is linked already, the types differ, or the link would
    /// close a cycle.
    pub fn link(
        &mut self,
        function_id: FunctionId,
        (source_node_id, port): (NodeId, &str),
        (target_node_id, parameter): (NodeId, &str),
    ) -> Result<Change, EditError> {
        let edit = Edit::Link(LinkEdit::Create {
            function_id,
            source_node_id,
            source_port_name: port.to_owned(),
            target_node_id,
            target_parameter_name: parameter.to_owned(),
            replace: false,
            insert_conversion: false,
        });
        edit.apply(self)
    }

    /// Sets the value of an unlinked parameter, in the JSON form of its type; null clears it.
    ///
    /// # Errors
    /// [`EditError`] if there is no such parameter, it is linked, or the value does not fit its type.
    pub fn set_value(
        &mut self,
        function_id: FunctionId,
        (node_id, parameter): (NodeId, &str),
        value: impl Into<Json>,
    ) -> Result<Change, EditError> {
        let edit = Edit::Link(LinkEdit::SetValue {
            function_id,
            node_id,
            parameter_name: parameter.to_owned(),
            value: value.into(),
        });
        edit.apply(self)
    }
}
