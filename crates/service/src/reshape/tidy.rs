//! Nodes that no output needs go; what is neither linked nor set gets constants.

use std::collections::BTreeSet;

use fibula_core::edit::Stage;
use fibula_core::graph::{Argument, Function, FunctionId, NodeId, NodeView};
use fibula_nodes::Type;
use serde::Deserialize;

use super::local::{Local, NewNode};
use super::{MOST_NODES, Reshaped, walk};
use crate::refusal::Refusal;

/// The function whose unused nodes are to go.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveUnused {
    pub(super) function_id: FunctionId,
}

/// Removes the nodes that no output needs; when there are very many, some of them.
pub(super) fn remove_unused(
    stage: &mut Stage,
    request: &RemoveUnused,
) -> Result<Reshaped, Refusal> {
    let function_id = request.function_id;
    let function = stage.document().function(function_id)?;
    let needed = walk::reached(function, [NodeId::END], walk::sources)?;
    let is_unused = |id: &NodeId| !needed.contains(id) && Some(*id) != function.begin();
    let unused: BTreeSet<NodeId> = function.node_ids().into_iter().filter(is_unused).collect();
    let mut nodes = walk::consumers_first(function, &unused)?;
    nodes.truncate(MOST_NODES);
    let mut local = Local { stage, function_id };
    for &node in &nodes {
        local.delete(node)?;
    }
    nodes.sort_unstable();
    Ok(Reshaped {
        left: unused.len() - nodes.len(),
        nodes,
        ..Reshaped::default()
    })
}

/// Where constants are to be created.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateConstants {
    pub(super) function_id: FunctionId,
    pub(super) node_id: Option<NodeId>,
}

/// How far from a node its constants are drawn: to the left of it, one below the other.
const BESIDE: [f64; 2] = [-220.0, 80.0];

/// Adds a constant, 0 for now, for every float, float3 and matrix4x4 that is neither set nor linked and has no default:
/// of one node, or of all but the `End`.
pub(super) fn create_constants(
    stage: &mut Stage,
    request: &CreateConstants,
) -> Result<Reshaped, Refusal> {
    let function_id = request.function_id;
    let function = stage.document().function(function_id)?;
    let missing: Vec<(NodeId, usize)> = match request.node_id {
        Some(id) => missing(function.node(id)?).collect(),
        None => all_missing(function),
    };
    let mut local = Local { stage, function_id };
    let (mut nodes, mut left) = (Vec::new(), 0);
    let mut last = (NodeId::END, 0.0);
    for (id, place) in missing {
        // Looked at anew: an overload may be another now.
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
            position: position.map(|[x, y]| [x + BESIDE[0], y + row * BESIDE[1]]),
            ..NewNode::default()
        })?;
        local.link(&(node, port.to_owned()), id, &name)?;
        nodes.push(node);
    }
    Ok(Reshaped {
        nodes,
        left,
        ..Reshaped::default()
    })
}

/// The parameters of a node that have nothing, not even a default.
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

/// The kind of constant for a type, and its port.
fn constant(ty: Type) -> Option<(&'static str, &'static str)> {
    match ty {
        Type::Float => Some(("ConstantScalar", "value")),
        Type::Float3 => Some(("ConstantVector", "vector")),
        Type::Matrix4x4 => Some(("ConstantMatrix", "matrix")),
        Type::Integer | Type::String | Type::ResourceId => None,
    }
}
