//! How things are called in prose.

use std::fmt::Write as _;

use crate::knowledge::{EdgeRef, Knowledge, NodeRef};

/// The first few of a list, with commas between.
pub(super) fn some(all: &[String], most: usize) -> String {
    let more = if all.len() > most { "..." } else { "" };
    format!("{}{more}", all[..all.len().min(most)].join(", "))
}

/// What a node or function is called, by its id.
pub(super) fn called<'a>(graph: &'a Knowledge, id: &'a str) -> &'a str {
    graph.find(id).map_or(id, |node| node.label())
}

/// The ends of an edge.
pub(super) fn ends(graph: &Knowledge, edge: EdgeRef<'_>) -> String {
    let [source, target] = [edge.source(), edge.target()].map(|id| called(graph, id));
    format!("{source} → {target}")
}

pub(super) fn kind<'a>(node: &NodeRef<'a>) -> &'a str {
    node.types().next().unwrap_or("other")
}

/// A count with its word: "1 node", "2 nodes".
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Nodes by their types, each with its id and how many edges it has; `most` of them.
pub(super) fn by_type(nodes: &[(NodeRef<'_>, usize)], most: usize) -> String {
    let mut groups: Vec<(&str, Vec<&(NodeRef<'_>, usize)>)> = Vec::new();
    for one in nodes {
        let ty = kind(&one.0);
        match groups.iter_mut().find(|(own, _)| *own == ty) {
            Some((_, group)) => group.push(one),
            None => groups.push((ty, vec![one])),
        }
    }
    let (mut text, mut left) = (String::new(), most);
    for (place, (ty, group)) in groups.iter().enumerate() {
        let gap = if place == 0 { "" } else { "\n\n" };
        let _ = write!(text, "{gap}**{ty}** ({}):", group.len());
        for (node, degree) in group.iter().take(left) {
            let (label, id) = (node.label(), node.id());
            let _ = write!(text, "\n  - {label} (ID: {id}, {degree} connections)");
        }
        if group.len() > left {
            let _ = write!(text, "\n  - ... and {} more", group.len() - left);
        }
        left = left.saturating_sub(group.len());
    }
    text
}

/// Edges, with their labels and ids; `most` of them.
pub(super) fn list(graph: &Knowledge, edges: &[EdgeRef<'_>], most: usize) -> String {
    if edges.is_empty() {
        return "  (No edges)".to_owned();
    }
    let line = |edge: &EdgeRef<'_>| {
        let label = edge.label().unwrap_or(edge.ty());
        format!("  - {} ({label}) (ID: {})", ends(graph, *edge), edge.id())
    };
    let mut lines: Vec<String> = edges.iter().take(most).map(line).collect();
    if edges.len() > most {
        lines.push(format!("  - ... and {} more", edges.len() - most));
    }
    lines.join("\n")
}
