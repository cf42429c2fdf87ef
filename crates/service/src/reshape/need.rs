//! What an output of a function needs when nodes have become a call: all that any port of the call needs.
//!
//! An output that could be evaluated must still be one. So what it comes to need has to be whole: nothing in it is
//! unset, and what it refers to is there. Only functions are looked into; that a mesh, an image or the function of a
//! gradient is as it should be is not known here.

use fibula_core::graph::{Argument, Document, Function, FunctionId, GraphError, NodeId, NodeView};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Reading, walk};
use crate::refusal::Refusal;

/// Refuses a call in the place of nodes where an output would come to need what may not be whole. `yielding` are those
/// of the nodes that others take from, `giving` the others that the nodes take from.
pub(super) fn check(
    document: &Document,
    function: &Function,
    (yielding, giving): (&FxHashSet<NodeId>, &FxHashSet<NodeId>),
    reading: &mut Reading,
) -> Result<(), Refusal> {
    let roots = yielding.union(giving).copied();
    let needed = walk::reached(function, roots, walk::sources)?;
    let doubtful = doubtful(document, function, &needed, reading)?;
    if doubtful.is_empty() {
        return Ok(());
    }
    let end = function.node(NodeId::END)?;
    for (place, output) in end.signature().parameters.iter().enumerate() {
        let Argument::Link { node, .. } = end.argument(place) else {
            continue;
        };
        let needs = walk::reached(function, [node], walk::sources)?;
        reading.add(needs.len())?;
        if yielding.is_disjoint(&needs) {
            continue;
        }
        if let Some(&id) = doubtful.iter().find(|&id| !needs.contains(id)) {
            let label = function.node(id)?.label();
            let message = format!(
                "the output {} does not need {label}, which may lack something, but would: a call needs all that its \
                 function needs",
                output.name
            );
            return Err(Refusal::new("newly_needed", message).hint(
                "set what is missing (create_missing_constants), or extract what each output needs on its own",
            ));
        }
    }
    Ok(())
}

/// What can be told of a node without evaluating it.
enum Look {
    /// It lacks something, or refers to what nobody looks into here.
    Doubtful,
    /// It has all that it needs.
    Whole,
    /// It has, if the function that it calls has.
    Calls(FunctionId),
}

fn look(node: NodeView<'_>) -> Look {
    let parameters = &node.signature().parameters;
    if (0..parameters.len()).any(|place| node.argument(place) == Argument::Unset) {
        return Look::Doubtful;
    }
    let mut refers = parameters.iter().map(|parameter| parameter.refers);
    match node.callee() {
        Some(id) if node.kind().about().name == "FunctionCall" => Look::Calls(id.into()),
        Some(_) => Look::Doubtful,
        None if refers.any(|refers| refers.is_some()) => Look::Doubtful,
        None => Look::Whole,
    }
}

/// Those of some nodes that may not be whole, sorted.
fn doubtful(
    document: &Document,
    function: &Function,
    nodes: &FxHashSet<NodeId>,
    reading: &mut Reading,
) -> Result<Vec<NodeId>, Refusal> {
    let (mut doubtful, mut calls) = (Vec::new(), Vec::new());
    for &id in nodes {
        match look(function.node(id)?) {
            Look::Doubtful => doubtful.push(id),
            Look::Whole => {}
            Look::Calls(callee) => calls.push((id, callee)),
        }
    }
    let called = calls.iter().map(|&(_, callee)| callee).collect();
    let broken = broken(document, called, reading)?;
    let calls = calls.into_iter();
    doubtful.extend(calls.filter_map(|(id, callee)| broken.contains(&callee).then_some(id)));
    doubtful.sort_unstable();
    Ok(doubtful)
}

/// Those of functions, and of the functions that these call, that may not be whole.
fn broken(
    document: &Document,
    mut waiting: Vec<FunctionId>,
    reading: &mut Reading,
) -> Result<FxHashSet<FunctionId>, Refusal> {
    let mut callers: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
    let (mut seen, mut doubtful) = (FxHashSet::default(), Vec::new());
    while let Some(id) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        // An image that is called is no function.
        let called = match document.function(id) {
            Ok(function) => {
                reading.add(function.node_count())?;
                called(function)?
            }
            Err(_) => None,
        };
        match called {
            None => doubtful.push(id),
            Some(called) => {
                for callee in called {
                    callers.entry(callee).or_default().push(id);
                    waiting.push(callee);
                }
            }
        }
    }
    let mut broken = FxHashSet::default();
    while let Some(id) = doubtful.pop() {
        if broken.insert(id) {
            doubtful.extend(callers.remove(&id).unwrap_or_default());
        }
    }
    Ok(broken)
}

/// The functions that a function's outputs need; none if a node that they need is doubtful.
fn called(function: &Function) -> Result<Option<Vec<FunctionId>>, GraphError> {
    let mut called = Vec::new();
    for id in walk::reached(function, [NodeId::END], walk::sources)? {
        match look(function.node(id)?) {
            Look::Doubtful => return Ok(None),
            Look::Whole => {}
            Look::Calls(id) => called.push(id),
        }
    }
    Ok(Some(called))
}
