//! Completeness of nodes: whether everything that an output comes to need is certain to be set.
//!
//! When nodes become a call, an output needs all that any port of the call needs. An output that could be evaluated
//! must stay so; what it newly needs must therefore be complete: nothing unset, and every reference resolvable. The
//! analysis covers functions only; meshes, images and functions of gradients count as incomplete.

use rustc_hash::{FxHashMap, FxHashSet};

use super::traversal::{reachable, sources};
use super::{NodeBudget, RefactorError};
use crate::graph::{Argument, Document, Function, FunctionId, GraphError, NodeId, NodeView};

/// Checks that no output comes to need an incomplete node when nodes become a call. `yielding` are the nodes that
/// others depend on, `giving` the nodes outside that they depend on.
///
/// # Errors
/// [`RefactorError::NewlyNeeded`], or [`RefactorError::Budget`].
pub(super) fn check(
    document: &Document,
    function: &Function,
    (yielding, giving): (&FxHashSet<NodeId>, &FxHashSet<NodeId>),
    budget: &mut NodeBudget,
) -> Result<(), RefactorError> {
    let roots = yielding.union(giving).copied();
    let needed = reachable(function, roots, sources)?;
    let incomplete = incomplete(document, function, &needed, budget)?;
    if incomplete.is_empty() {
        return Ok(());
    }
    let end = function.node(NodeId::END)?;
    for (place, output) in end.signature().parameters.iter().enumerate() {
        let Some((node, _)) = end.link(place) else {
            continue;
        };
        let needs = reachable(function, [node], sources)?;
        budget.spend(needs.len())?;
        if yielding.is_disjoint(&needs) {
            continue;
        }
        if let Some(&id) = incomplete.iter().find(|&id| !needs.contains(id)) {
            return Err(RefactorError::NewlyNeeded {
                output: output.name.to_string(),
                node: function.node(id)?.label().to_string(),
            });
        }
    }
    Ok(())
}

/// Completeness of a node, as far as it is known without evaluation.
enum Completeness {
    /// A parameter is unset, or it refers to something that is not analysed.
    Incomplete,
    /// Every parameter is set.
    Complete,
    /// Complete if the function that it calls is.
    IfCallee(FunctionId),
}

fn completeness(node: NodeView<'_>) -> Completeness {
    let parameters = &node.signature().parameters;
    if (0..parameters.len()).any(|place| node.argument(place) == Argument::Unset) {
        return Completeness::Incomplete;
    }
    let mut refers = parameters.iter().map(|parameter| parameter.refers);
    match node.callee() {
        Some(id) if node.kind().info().name == "FunctionCall" => Completeness::IfCallee(id.into()),
        Some(_) => Completeness::Incomplete,
        None if refers.any(|refers| refers.is_some()) => Completeness::Incomplete,
        None => Completeness::Complete,
    }
}

/// Returns the incomplete nodes among some nodes, sorted.
fn incomplete(
    document: &Document,
    function: &Function,
    nodes: &FxHashSet<NodeId>,
    budget: &mut NodeBudget,
) -> Result<Vec<NodeId>, RefactorError> {
    let (mut incomplete, mut calls) = (Vec::new(), Vec::new());
    for &id in nodes {
        match completeness(function.node(id)?) {
            Completeness::Incomplete => incomplete.push(id),
            Completeness::Complete => {}
            Completeness::IfCallee(callee) => calls.push((id, callee)),
        }
    }
    let called = calls.iter().map(|&(_, callee)| callee).collect();
    let broken = broken(document, called, budget)?;
    let calls = calls.into_iter();
    incomplete.extend(calls.filter_map(|(id, callee)| broken.contains(&callee).then_some(id)));
    incomplete.sort_unstable();
    Ok(incomplete)
}

/// Returns the incomplete functions among some functions and their callees: propagates along the reversed call graph.
fn broken(
    document: &Document,
    mut waiting: Vec<FunctionId>,
    budget: &mut NodeBudget,
) -> Result<FxHashSet<FunctionId>, RefactorError> {
    let mut callers: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
    let (mut seen, mut incomplete) = (FxHashSet::default(), Vec::new());
    while let Some(id) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        // A called image is no function.
        let called = match document.function(id) {
            Ok(function) => {
                budget.spend(function.node_count())?;
                called(function)?
            }
            Err(_) => None,
        };
        match called {
            None => incomplete.push(id),
            Some(called) => {
                for callee in called {
                    callers.entry(callee).or_default().push(id);
                    waiting.push(callee);
                }
            }
        }
    }
    let mut broken = FxHashSet::default();
    while let Some(id) = incomplete.pop() {
        if broken.insert(id) {
            incomplete.extend(callers.remove(&id).unwrap_or_default());
        }
    }
    Ok(broken)
}

/// Returns the callees that the outputs of a function need, or `None` if a node that they need is incomplete.
fn called(function: &Function) -> Result<Option<Vec<FunctionId>>, GraphError> {
    let mut called = Vec::new();
    for id in reachable(function, [NodeId::END], sources)? {
        match completeness(function.node(id)?) {
            Completeness::Incomplete => return Ok(None),
            Completeness::Complete => {}
            Completeness::IfCallee(id) => called.push(id),
        }
    }
    Ok(Some(called))
}
