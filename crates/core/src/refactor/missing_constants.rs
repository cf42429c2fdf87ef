//! Create missing constants: parameters that are neither set nor linked get constants.

use fibula_nodes::Type;
use schemars::JsonSchema;
use serde::Deserialize;

use super::function_editor::{FunctionEditor, NewNode};
use super::{MOST_NODES, RefactorError, RefactorOutcome};
use crate::edit::Stage;
use crate::graph::{Argument, Function, FunctionId, NodeId, NodeView};

/// Offset of the constants from their node: to the left of it, one below the other.
const OFFSET: [f64; 2] = [-220.0, 80.0];

/// Arguments of the refactoring *create missing constants*.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateMissingConstants {
    /// The function.
    pub function_id: FunctionId,
    /// One of its nodes; all but the `End` if left out.
    pub node_id: Option<NodeId>,
}

impl CreateMissingConstants {
    /// Adds a constant 0 for every float, float3 and matrix4x4 that is neither set nor linked and has no default.
    pub(super) fn push(&self, stage: &mut Stage) -> Result<RefactorOutcome, RefactorError> {
        let function_id = self.function_id;
        let function = stage.document().function(function_id)?;
        let missing: Vec<(NodeId, usize)> = match self.node_id {
            Some(id) => missing(function.node(id)?).collect(),
            None => all_missing(function),
        };
        let mut local = FunctionEditor { stage, function_id };
        let (mut nodes, mut left) = (Vec::new(), 0);
        let mut last = (NodeId::END, 0.0);
        for (id, place) in missing {
            // Read again, since the overload may have changed.
            let target = local.stage.document().function(function_id)?.node(id)?;
            let Some((kind, port)) = constant(target.parameter_type(place)) else {
                left += 1;
                continue;
            };
            if nodes.len() == MOST_NODES {
                left += 1;
                continue;
            }
            let name = target.signature().parameters[place].name.to_string();
            let row = if last.0 == id { last.1 + 1.0 } else { 0.0 };
            last = (id, row);
            let position = target.position();
            let node = local.create(NewNode {
                kind: kind.to_owned(),
                name: Some(name.clone()),
                position: position.map(|[x, y]| [x + OFFSET[0], y + row * OFFSET[1]]),
                ..NewNode::default()
            })?;
            local.link(&(node, port.to_owned()), id, &name)?;
            nodes.push(node);
        }
        Ok(RefactorOutcome {
            nodes,
            left,
            ..RefactorOutcome::default()
        })
    }
}

/// Returns the parameters of a node that have neither argument nor default.
fn missing(node: NodeView<'_>) -> impl Iterator<Item = (NodeId, usize)> {
    let places = 0..node.signature().parameters.len();
    let is_missing = move |place: &usize| node.argument(*place) == Argument::Unset;
    places
        .filter(is_missing)
        .map(move |place| (node.id(), place))
}

fn all_missing(function: &Function) -> Vec<(NodeId, usize)> {
    let nodes = function.nodes().filter(|node| node.id() != NodeId::END);
    nodes.flat_map(missing).collect()
}

/// Returns the kind of constant for a type, and its port.
fn constant(ty: Type) -> Option<(&'static str, &'static str)> {
    match ty {
        Type::Float => Some(("ConstantScalar", "value")),
        Type::Float3 => Some(("ConstantVector", "vector")),
        Type::Matrix4x4 => Some(("ConstantMatrix", "matrix")),
        Type::Integer | Type::String | Type::ResourceId => None,
    }
}
