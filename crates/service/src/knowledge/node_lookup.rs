//! Lookup of nodes by id or unique label.

use fibula_core::edit::EditError;
use fibula_core::graph::{Document, FunctionId, NodeId};
use fibula_knowledge::{FUNCTION, FunctionEnd, Knowledge, NodeRef, is_same_type};
use serde_json::json;

use crate::named_constants;
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
                Err(Refusal::from(EditError::from(error)).hint("search_nodes finds nodes by words"))
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
    if !text.starts_with(FUNCTION) {
        return Ok(node(document.knowledge(), text)?.id().to_owned());
    }
    let end = match named_end(document, text) {
        Some(end) => end?,
        None => FunctionEnd::parse(text).ok_or_else(|| {
            let message = format!("{} names no function", quoted(text));
            Refusal::new("unknown_node", message).hint(
                "\"fn:3\" is function 3, \"fn:3/7\" its node 7, \"fn:3#wall\" its parameter wall",
            )
        })?,
    };
    check_exists(document, end)?;
    Ok(end.to_string())
}

/// Returns the node of a parameter in the form "fn:3#wall"; `None` for a text of another form.
fn named_end(document: &Document, text: &str) -> Option<Result<FunctionEnd>> {
    let (function, name) = text.split_once('#')?;
    let end = FunctionEnd::parse(function).filter(|end| end.node.is_none())?;
    let constant = |function| Ok(named_constants::find(function, name)?.node.id().0);
    let function = document.function(FunctionId(end.function));
    let node = function.map_err(Refusal::from).and_then(constant);
    Some(node.map(|node| FunctionEnd {
        node: Some(node),
        ..end
    }))
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
/// A [`Refusal`] if there is no such node or parameter, or several have the label or name.
pub(super) fn end_id(document: &Document, text: &str) -> Result<String> {
    if FunctionEnd::parse(text).is_some() {
        return Ok(text.to_owned());
    }
    match named_end(document, text) {
        Some(end) => Ok(end?.to_string()),
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

/// True if a node has one of these types.
pub(super) fn has_type(node: NodeRef<'_>, types: &[String]) -> bool {
    let mut own = node.types();
    own.any(|own| types.iter().any(|ty| is_same_type(ty, own)))
}
