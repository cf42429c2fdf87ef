//! Reachability and topological order of the nodes of a function. Both are iterative, so deep graphs need no stack.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::{Function, GraphError, NodeId, NodeView};

/// The nodes that a node's parameters are linked to.
pub(super) fn sources(node: NodeView<'_>) -> impl Iterator<Item = NodeId> {
    let places = 0..node.signature().parameters.len();
    places.filter_map(move |place| Some(node.link(place)?.0))
}

/// The nodes whose parameters are linked to a node.
pub(super) fn targets(node: NodeView<'_>) -> impl Iterator<Item = NodeId> {
    let consumers = node.consumers().into_iter();
    consumers.map(|(_, target, _)| target)
}

/// Returns the nodes reachable from some nodes along `next`, these included. Time is linear in the edges.
///
/// # Errors
/// [`GraphError::UnknownNode`].
pub(super) fn reachable<'f, I: Iterator<Item = NodeId>>(
    function: &'f Function,
    from: impl IntoIterator<Item = NodeId>,
    next: impl Fn(NodeView<'f>) -> I,
) -> Result<FxHashSet<NodeId>, GraphError> {
    let mut found = FxHashSet::default();
    let mut waiting: Vec<NodeId> = from.into_iter().collect();
    while let Some(id) = waiting.pop() {
        if found.insert(id) {
            waiting.extend(next(function.node(id)?));
        }
    }
    Ok(found)
}

/// Returns nodes in topological order, consumers before the nodes that they depend on (Kahn's algorithm).
///
/// # Errors
/// [`GraphError::UnknownNode`].
pub(super) fn consumers_first(
    function: &Function,
    nodes: &BTreeSet<NodeId>,
) -> Result<Vec<NodeId>, GraphError> {
    let mut open: FxHashMap<NodeId, usize> = FxHashMap::default();
    let mut order = Vec::with_capacity(nodes.len());
    for &id in nodes {
        let count = targets(function.node(id)?)
            .filter(|target| nodes.contains(target))
            .count();
        if count == 0 {
            order.push(id);
        } else {
            open.insert(id, count);
        }
    }
    let mut next = 0;
    while let Some(&id) = order.get(next) {
        next += 1;
        for source in sources(function.node(id)?) {
            if let Some(count) = open.get_mut(&source) {
                *count -= 1;
                if *count == 0 {
                    order.push(source);
                }
            }
        }
    }
    Ok(order)
}
