//! Formatting of nodes, edges and counts as prose.

use std::fmt::Write as _;

use fibula_knowledge::{Direction, EdgeRef, Knowledge, NodeRef};

use crate::group_by;

/// Answer for a graph without nodes.
pub(super) const EMPTY: &str = "The graph is currently empty (no nodes or edges).";

/// Joins the first few items of a list.
pub(super) fn first_few(all: &[String], most: usize) -> String {
    let more = if all.len() > most { "..." } else { "" };
    format!("{}{more}", all[..all.len().min(most)].join(", "))
}

/// Returns the ids of the nodes with a label.
pub(super) fn ids_of(graph: &Knowledge, label: &str) -> Vec<String> {
    let nodes = graph.labelled(label).into_iter();
    nodes.map(|node| node.id().to_owned()).collect()
}

/// Says which nodes have the same label.
pub(super) fn ambiguous(label: &str, ids: &[String]) -> String {
    let ids = first_few(ids, 5);
    format!("several nodes have the label '{label}': {ids}")
}

/// Returns the label of a node, or the id of a function.
pub(super) fn label_of<'a>(graph: &'a Knowledge, id: &'a str) -> &'a str {
    graph.find(id).map_or(id, |node| node.label())
}

/// Formats the ends of an edge.
pub(super) fn ends(graph: &Knowledge, edge: EdgeRef<'_>) -> String {
    let [source, target] = [edge.source(), edge.target()].map(|id| label_of(graph, id));
    format!("{source} → {target}")
}

pub(super) fn kind<'a>(node: &NodeRef<'a>) -> &'a str {
    node.types().next().unwrap_or("other")
}

/// Formats a count: "1 node", "2 nodes".
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Lines of text, truncated to the size of an answer.
#[derive(Debug, Default)]
struct BoundedText {
    text: String,
    left_out: usize,
}

impl BoundedText {
    fn push(&mut self, line: impl FnOnce() -> String) {
        /// Maximum length; further lines are only counted.
        const MAX_BYTES: usize = 20 << 10;
        if self.left_out > 0 || self.text.len() > MAX_BYTES {
            self.left_out += 1;
            return;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(&line());
    }

    fn finish(mut self, what: &str) -> String {
        if self.left_out > 0 {
            let _ = write!(self.text, "\n  - ... and {}", counted(self.left_out, what));
        }
        self.text
    }
}

/// Lists nodes by type, with ids and degrees.
pub(super) fn by_type(nodes: &[NodeRef<'_>]) -> String {
    let mut lines = BoundedText::default();
    for (ty, group) in group_by(nodes, |node| kind(node)) {
        for (place, node) in group.iter().enumerate() {
            lines.push(|| {
                let (label, id, degree) = (node.label(), node.id(), node.degree(Direction::Both));
                let head = if place == 0 {
                    format!("\n**{ty}** ({}):\n", group.len())
                } else {
                    String::new()
                };
                format!("{head}  - {label} (ID: {id}, {degree} connections)")
            });
        }
    }
    lines.finish("node").trim_start().to_owned()
}

/// Lists edges with labels and ids.
pub(super) fn list(graph: &Knowledge, edges: &[EdgeRef<'_>]) -> String {
    if edges.is_empty() {
        return "  (No edges)".to_owned();
    }
    let mut lines = BoundedText::default();
    for edge in edges {
        lines.push(|| {
            let label = edge.label().unwrap_or(edge.ty());
            format!("  - {} ({label}) (ID: {})", ends(graph, *edge), edge.id())
        });
    }
    lines.finish("edge")
}
