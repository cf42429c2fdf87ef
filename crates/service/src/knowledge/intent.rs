//! Intent of functions and nodes: the edges of the knowledge graph that link them to requirements and decisions.

use fibula_core::graph::{Document, FunctionId, NodeId};
use fibula_knowledge::{Direction, FunctionEnd, Knowledge};

use super::node_lookup;
use super::records::LinkShown;

/// Maximum number of edges of a function or node in an answer.
const MOST_LISTED: usize = 20;

json_structs! {
    /// An edge between a node of the knowledge graph and a function or its node.
    pub answer(PartialEq) struct Intent {
        #[serde(flatten)]
        pub link: LinkShown,
        /// "incoming" at the function, or "outgoing".
        pub direction: &'static str,
        /// The function, or its node, if it is not implied: "fn:3/7".
        pub end: Option<String>,
    }
}

/// Intent of a node of a function.
pub(crate) fn node_intent(document: &Document, function: FunctionId, node: NodeId) -> Vec<Intent> {
    let end = FunctionEnd {
        function: function.0,
        node: Some(node.0),
    };
    intent_edges(document.knowledge(), end)
}

/// Intent of a function, without that of its nodes.
pub(crate) fn function_intent(document: &Document, function: FunctionId) -> Vec<Intent> {
    let end = FunctionEnd {
        function: function.0,
        node: None,
    };
    intent_edges(document.knowledge(), end)
}

fn intent_edges(graph: &Knowledge, end: FunctionEnd) -> Vec<Intent> {
    let end = end.to_string();
    let edges = graph.edges_at(&end, Direction::Both).into_iter();
    let links = edges.take(MOST_LISTED).map(|edge| {
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
    links.collect()
}

/// Intent of functions and nodes that a change removed.
pub(crate) fn removed_intent(before: &Document, after: &Document) -> Vec<Intent> {
    let ends = dangling(after).into_iter();
    let lost = ends.filter(|end| node_lookup::check_exists(before, *end).is_ok());
    let links = lost.flat_map(|end| {
        let all = intent_edges(after.knowledge(), end).into_iter();
        all.map(move |intent| Intent {
            end: Some(end.to_string()),
            ..intent
        })
    });
    links.take(MOST_LISTED).collect()
}

/// Ends of edges that refer to functions or nodes that no longer exist.
pub(crate) fn dangling(document: &Document) -> Vec<FunctionEnd> {
    let mut ends = document.knowledge().function_ends();
    ends.retain(|end| node_lookup::check_exists(document, *end).is_err());
    ends
}
