//! What was intended with functions and their nodes: the edges of the knowledge graph that end at them.

use fibula_core::graph::{Document, FunctionId, NodeId};
use fibula_knowledge::{Direction, FunctionEnd, Knowledge};
use schemars::JsonSchema;
use serde::Serialize;

use super::form::LinkShown;
use super::named;

/// The most edges that are told of one function or node.
const MOST_TOLD: usize = 20;

/// An edge between a node of the knowledge graph and a function or its node.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Intent {
    #[serde(flatten)]
    pub link: LinkShown,
    /// "incoming" at the function, or "outgoing".
    pub direction: &'static str,
    /// The function, or the node of it, where that is not plain: "fn:3/7".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
}

/// What is tied to a node of a function.
pub(crate) fn of_node(document: &Document, function: FunctionId, node: NodeId) -> Vec<Intent> {
    let end = FunctionEnd {
        function: function.0,
        node: Some(node.0),
    };
    of(document.knowledge(), end)
}

/// What is tied to a function, but not to one of its nodes.
pub(crate) fn of_function(document: &Document, function: FunctionId) -> Vec<Intent> {
    let end = FunctionEnd {
        function: function.0,
        node: None,
    };
    of(document.knowledge(), end)
}

fn of(graph: &Knowledge, end: FunctionEnd) -> Vec<Intent> {
    let end = end.to_string();
    let edges = graph.edges_at(&end, Direction::Both).into_iter();
    let told = edges.take(MOST_TOLD).map(|edge| {
        let (other, direction) = if edge.target() == end {
            (edge.source(), "incoming")
        } else {
            (edge.target(), "outgoing")
        };
        Intent {
            link: LinkShown::of(graph, edge, other),
            direction,
            end: None,
        }
    });
    told.collect()
}

/// What was tied to functions and nodes that were there before a change and are not any more.
pub(crate) fn lost(before: &Document, after: &Document) -> Vec<Intent> {
    let ends = dangling(after).into_iter();
    let lost = ends.filter(|end| named::there(before, *end).is_ok());
    let told = lost.flat_map(|end| {
        let all = of(after.knowledge(), end).into_iter();
        all.map(move |intent| Intent {
            end: Some(end.to_string()),
            ..intent
        })
    });
    told.take(MOST_TOLD).collect()
}

/// The ends of edges that are functions, or nodes of such, which are no longer there.
pub(crate) fn dangling(document: &Document) -> Vec<FunctionEnd> {
    let mut ends = document.knowledge().function_ends();
    ends.retain(|end| named::there(document, *end).is_err());
    ends
}
