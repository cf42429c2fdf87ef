//! Lookup of nodes by id or unique label.

use std::collections::BTreeSet;

use fibula_core::edit::EditError;
use fibula_core::graph::{Document, FunctionId, NodeId};
use fibula_knowledge::{
    Direction, EdgeRef, FUNCTION, FunctionEnd, FunctionPart, Knowledge, NodeRef, is_same_type,
};
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

/// Returns the id of the end of an edge: a node, or an existing function, its node or its input.
///
/// # Errors
/// A [`Refusal`] if there is none, or several nodes have the label.
pub(super) fn end(document: &Document, text: &str) -> Result<String> {
    let id = end_id(document, text)?;
    let Some(end) = FunctionEnd::parse(&id) else {
        return Ok(id);
    };
    match (check_exists(document, &end), &end.part) {
        // The input is a constant now.
        (Err(_), FunctionPart::Input(name)) => {
            Ok(parameter_end(document, FunctionId(end.function), name)?.to_string())
        }
        (exists, _) => exists.map(|()| id),
    }
}

/// Parses "Plate", "Plate/7", "Plate#wall" or "3#wall", what follows "fn:": a function, by id or name, or a node of one, by
/// id or as the named constant, or an input.
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
            part: FunctionPart::Whole,
        }) => FunctionId(function),
        _ => name_lookup::function(document, function)?,
    };
    let part = match parameter {
        Some(name) => return parameter_end(document, function, name),
        None => numbered.map_or(FunctionPart::Whole, |(_, node)| FunctionPart::Node(node)),
    };
    Ok(FunctionEnd {
        function: function.0,
        part,
    })
}

/// The named constant of a function, or its input.
fn parameter_end(document: &Document, id: FunctionId, name: &str) -> Result<FunctionEnd> {
    let function = document.function(id)?;
    let part = match name_lookup::parameter(function, name)? {
        Parameter::Constant(constant) => FunctionPart::Node(constant.node.id().0),
        Parameter::Input(input, _) => FunctionPart::Input(input.name.into()),
    };
    Ok(FunctionEnd {
        function: id.0,
        part,
    })
}

/// Checks that a function, or a node or input of one, exists.
pub(super) fn check_exists(document: &Document, end: &FunctionEnd) -> Result<()> {
    let id = FunctionId(end.function);
    document.type_of(id)?;
    match &end.part {
        FunctionPart::Whole => {}
        FunctionPart::Node(node) => {
            document.function(id)?.node(NodeId(*node))?;
        }
        FunctionPart::Input(name) => {
            let function = document.function(id)?;
            if function.input(name).is_none() {
                return Err(name_lookup::unknown_parameter(function, name));
            }
        }
    }
    Ok(())
}

/// Returns the id of a node, or of a function, its node or its input at which edges end, whether it still exists or not. A
/// name stands for the constant, if an input has it too, unless edges end at the input.
///
/// # Errors
/// A [`Refusal`] if there is no such node, function name or parameter, or several have the label or name.
pub(super) fn end_id(document: &Document, text: &str) -> Result<String> {
    if let Some(end) = FunctionEnd::parse(text) {
        let edges = || document.knowledge().edges_at(text, Direction::Both);
        return match &end.part {
            FunctionPart::Input(name) if edges().is_empty() => {
                let end = parameter_end(document, FunctionId(end.function), name)?;
                Ok(end.to_string())
            }
            _ => Ok(text.to_owned()),
        };
    }
    match text.strip_prefix(FUNCTION) {
        Some(rest) => Ok(named_end(document, rest)?.to_string()),
        None => Ok(node(document.knowledge(), text)?.id().to_owned()),
    }
}

/// Ends that an id stands for: the id, or for a function those at it, its nodes and its inputs, if there are any.
pub(super) fn ends_within(graph: &Knowledge, id: &str) -> Vec<String> {
    let function = FunctionEnd::parse(id).filter(FunctionEnd::is_whole);
    let ends = function
        .as_ref()
        .map(|_| graph.function_ends())
        .into_iter()
        .flatten();
    let of = function.as_ref().map(|of| of.function);
    let own = ends.filter(|end| Some(end.function) == of);
    let own: Vec<String> = own.map(|end| end.to_string()).collect();
    if own.is_empty() {
        vec![id.to_owned()]
    } else {
        own
    }
}

/// `Some(true)` for an end that is a function, its node or its input and no longer exists.
pub(super) fn is_dangling(document: &Document, id: &str) -> Option<bool> {
    let end = FunctionEnd::parse(id)?;
    check_exists(document, &end).is_err().then_some(true)
}

/// Names a function, or a node or input in its function; `None` if it no longer exists.
pub(super) fn noun(document: &Document, end: &FunctionEnd) -> Option<String> {
    check_exists(document, end).ok()?;
    let id = FunctionId(end.function);
    let function = document.noun(id.into())?;
    match &end.part {
        FunctionPart::Whole => Some(function),
        FunctionPart::Node(node) => {
            let node = document.function(id).ok()?.node(NodeId(*node)).ok()?;
            Some(format!("{} of {function}", node.label()))
        }
        FunctionPart::Input(name) => Some(format!("input {name} of {function}")),
    }
}

/// Label of a node, or name of a function, its node or its input.
pub(super) fn label(document: &Document, id: &str) -> Option<String> {
    let node = document.knowledge().find(id);
    let label = node.map(|node| node.label().to_owned());
    label.or_else(|| noun(document, &FunctionEnd::parse(id)?))
}

/// Ends of edges that are functions, their nodes or inputs and no longer exist, each once.
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
