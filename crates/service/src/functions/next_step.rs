//! Suggestions of the next step for agents, derived from the graph.

use fibula_core::graph::{Argument, Document, FunctionId, NodeId};

/// Suggests linking or setting the parameters of a node that are neither linked nor set.
pub(crate) fn suggest_inputs(
    document: &Document,
    function: FunctionId,
    node: NodeId,
) -> Option<String> {
    let node = document.function(function).ok()?.node(node).ok()?;
    let parameters = node.signature().parameters.iter().enumerate();
    let unset: Vec<String> = parameters
        .filter(|&(place, _)| node.argument(place) == Argument::Unset)
        .map(|(_, parameter)| parameter.name.to_string())
        .collect();
    match &unset[..] {
        [] => None,
        names => Some(format!(
            "link or set {} of node {}",
            names.join(", "),
            node.id()
        )),
    }
}
