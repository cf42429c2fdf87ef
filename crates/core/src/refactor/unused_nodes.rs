//! Remove unused nodes: dead code elimination by reachability from the `End`.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;

use super::function_editor::FunctionEditor;
use super::traversal::{consumers_first, reachable, sources};
use super::{MOST_NODES, RefactorError, RefactorOutcome};
use crate::edit::Stage;
use crate::graph::{Function, FunctionId, GraphError, NodeId};

/// Returns the nodes from which no links lead to the `End`, but for the `Begin`. Time is linear in the links.
///
/// # Errors
/// [`GraphError::UnknownNode`].
pub fn unused_nodes(function: &Function) -> Result<BTreeSet<NodeId>, GraphError> {
    let needed = reachable(function, [NodeId::END], sources)?;
    let is_unused = |id: &NodeId| !needed.contains(id) && Some(*id) != function.begin();
    Ok(function.node_ids().into_iter().filter(is_unused).collect())
}

/// Arguments of the refactoring *remove unused nodes*.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveUnusedNodes {
    /// The function.
    pub function_id: FunctionId,
}

impl RemoveUnusedNodes {
    /// Removes the nodes, at most [`MOST_NODES`] of them.
    pub(super) fn push(&self, stage: &mut Stage) -> Result<RefactorOutcome, RefactorError> {
        let function_id = self.function_id;
        let function = stage.document().function(function_id)?;
        let unused = unused_nodes(function)?;
        let mut nodes = consumers_first(function, &unused)?;
        nodes.truncate(MOST_NODES);
        let mut local = FunctionEditor { stage, function_id };
        for &node in &nodes {
            local.delete(node)?;
        }
        nodes.sort_unstable();
        Ok(RefactorOutcome {
            left: unused.len() - nodes.len(),
            nodes,
            ..RefactorOutcome::default()
        })
    }
}
