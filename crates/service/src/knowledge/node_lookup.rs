//! Lookup of nodes by id or unique label.

use std::collections::BTreeSet;

use fibula_core::edit::EditError;
use fibula_core::graph::{Document, Function, FunctionId, NodeId};
use fibula_knowledge::{EdgeRef, FUNCTION, FunctionEnd, Knowledge, NodeRef, is_same_type};
use serde_json::json;

use crate::name_lookup::{self, Parameter};
use crate::refusal::{Refusal, Result, quoted};

/// Returns the node with an id or label.
///
/// # Errors
/// A [`Refusal`] if there is none, or several have the label.
pub(super) fn node<'a>(graph: &'a Knowledge, text: &str) -> Result<NodeRef<'a>> {
    if let Some(node) = graph.find(text) {
        return Ok(node);
    }
    match graph.labelled(text)[..] {
        [] => match graph.node(text) {
            Ok(node) => Ok(node),
            Err(error) => {
                let hint = if text.starts_with(FUNCTION) {
                    "get_function returns a function, get_neighbors what is tied to it"
                } else {
                    "search_nodes finds nodes by words"
                };
                Err(Refusal::from(EditError::from(error)).hint(hint))
            }
        },
        [node] => Ok(node),
        ref several => {
            const NAMED: usize = 5;
            let ids: Vec<&str> = several.iter().map(NodeRef::id).take(NAMED).collect();
            let message = format!(
                "{} nodes are called {}: {}{}",
                several.len(),
                quoted(text),
                ids.join(", "),
                if several.len() > NAMED { ", …" } else { "" }
            );
            Err(Refusal::new("ambiguous_node", message)
                .hint("refer to the node by its id")
                .details(json!({ "ids": ids })))
        }
    }
}

/// Returns the id of the end of an edge: a node, or an existing function or its node.
///
/// # Errors
/// A [`Refusal`] if there is none, or several nodes have the label.
pub(super) fn end(document: &Document, text: &str) -> Result<String> {
    let id = end_id(document, text)?;
    if let Some(end) = FunctionEnd::parse(&id) {
        check_exists(document, end)?;
    }
    Ok(id)
}

/// Parses "Plate", "Plate/7", "Plate#wall" or "3#wall", what follows "fn:": a function, by id or name, or a node of one, by
/// id or as the named constant.
fn named_end(document: &Document, rest: &str) -> Result<FunctionEnd> {
    let numbered = rest.rsplit_once('/');
    let numbered = numbered.and_then(|(function, node)| Some((function, node.parse().ok()?)));
    let (function, parameter) = match rest.rsplit_once('#') {
        Some((function, name)) => (function, Some(name)),
        None => (numbered.map_or(rest, |(function, _)| function), None),
    };
    let function = match FunctionEnd::parse(&format!("{FUNCTION}{function}")) {
        Some(FunctionEnd {
            function,
            node: None,
        }) => FunctionId(function),
        _ => name_lookup::function(document, function)?,
    };
    let node = match parameter {
        Some(name) => {
            let function = document.function(function)?;
            match name_lookup::parameter(function, name)? {
                Parameter::Constant(constant) => Some(constant.node.id().0),
                Parameter::Input(..) => return Err(input_end(function, name)),
            }
        }
        None => numbered.map(|(_, node)| node),
    };
    Ok(FunctionEnd {
        function: function.0,
        node,
    })
}

/// Refusal of an input as an end: all inputs are ports of one node, so the edge would be about each of them.
fn input_end(function: &Function, name: &str) -> Refusal {
    let id = function.id();
    let message = format!(
        "{} is an input of function {id}, and inputs have no node of their own",
        quoted(name)
    );
    Refusal::new("unknown_parameter", message).hint(format!(
        "tie the knowledge to \"{FUNCTION}{id}\" and name the input in the edge's label or data, or make it a constant, as in let {name} = 5"
    ))
}

/// Checks that a function, or a node of one, exists.
pub(super) fn check_exists(document: &Document, end: FunctionEnd) -> Result<()> {
    let id = FunctionId(end.function);
    document.type_of(id)?;
    if let Some(node) = end.node {
        document.function(id)?.node(NodeId(node))?;
    }
    Ok(())
}

/// Returns the id of a node, or of a function or its node at which edges end, whether it still exists or not.
///
/// # Errors
/// A [`Refusal`] if there is no such node, function name or parameter, or several have the label or name.
pub(super) fn end_id(document: &Document, text: &str) -> Result<String> {
    if FunctionEnd::parse(text).is_some() {
        return Ok(text.to_owned());
    }
    match text.strip_prefix(FUNCTION) {
        Some(rest) => Ok(named_end(document, rest)?.to_string()),
        None => Ok(node(document.knowledge(), text)?.id().to_owned()),
    }
}

/// Ends that an id stands for: the id, or for a function those at it and at its nodes, if there are any.
pub(super) fn ends_within(graph: &Knowledge, id: &str) -> Vec<String> {
    let function = FunctionEnd::parse(id).filter(|end| end.node.is_none());
    let ends = function
        .map(|_| graph.function_ends())
        .into_iter()
        .flatten();
    let own = ends.filter(|end| Some(end.function) == function.map(|of| of.function));
    let own: Vec<String> = own.map(|end| end.to_string()).collect();
    if own.is_empty() {
        vec![id.to_owned()]
    } else {
        own
    }
}

/// `Some(true)` for an end that is a function or its node and no longer exists.
pub(super) fn is_dangling(document: &Document, id: &str) -> Option<bool> {
    let end = FunctionEnd::parse(id)?;
    check_exists(document, end).is_err().then_some(true)
}

/// Names a function, or a node in its function; `None` if it no longer exists.
pub(super) fn noun(document: &Document, end: FunctionEnd) -> Option<String> {
    let id = FunctionId(end.function);
    let function = document.noun(id.into())?;
    let Some(node) = end.node else {
        return Some(function);
    };
    let node = document.function(id).ok()?.node(NodeId(node)).ok()?;
    Some(format!("{} of {function}", node.label()))
}

/// Ends of edges that are functions or their nodes and no longer exist, each once.
pub(super) fn dangling_ends(document: &Document, edges: &[EdgeRef<'_>]) -> Vec<String> {
    let ends = edges.iter().flat_map(|edge| [edge.source(), edge.target()]);
    let is_dangling = |id: &&str| is_dangling(document, id).is_some();
    let dangling: BTreeSet<&str> = ends.filter(is_dangling).collect();
    dangling.into_iter().map(str::to_owned).collect()
}

/// `Some(true)` for an edge of which an end is a function or its node and no longer exists.
pub(super) fn has_dangling_end(document: &Document, edge: EdgeRef<'_>) -> Option<bool> {
    is_dangling(document, edge.source()).or_else(|| is_dangling(document, edge.target()))
}

/// True if a node has one of these types.
pub(super) fn has_type(node: NodeRef<'_>, types: &[String]) -> bool {
    let mut own = node.types();
    own.any(|own| types.iter().any(|ty| is_same_type(ty, own)))
}
