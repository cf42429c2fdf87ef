//! Graphs as DOT.

use std::io::Write;

use fibula_knowledge::{EdgeRef, NodeRef};

use crate::error::WriteError;
use crate::graph::{Graph, Omissions, WriteReport, functions};

/// What a format for pictures has a place for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Has {
    /// Labels and types as texts, and nothing else.
    Labels,
    /// Ids, labels, first types, weights and positions.
    Attributes,
}

/// Counts what is left out of a format for pictures.
pub(crate) fn left_out(graph: &Graph<'_>, has: Has) -> Omissions {
    let mut left_out = Omissions::default();
    left_out.add_schema(graph.schema);
    let (nodes, edges) = (graph.nodes, graph.edges);
    left_out.add(
        "creators, dates, versions and orders",
        nodes.len() + edges.len(),
    );
    left_out.add("ids of edges", edges.len());
    left_out.add(
        "observations",
        nodes.iter().map(|node| node.observations().len()).sum(),
    );
    let data = nodes.iter().filter(|node| node.data().is_some()).count();
    let data = data + edges.iter().filter(|edge| edge.data().is_some()).count();
    left_out.add("data of nodes and edges", data);
    let is_limited = |edge: &&EdgeRef<'_>| edge.validity() != [None; 2];
    left_out.add(
        "times from or until when edges hold",
        edges.iter().filter(is_limited).count(),
    );
    match has {
        Has::Attributes => {
            let further = |node: &NodeRef<'_>| node.types().skip(1).count();
            left_out.add("further types", nodes.iter().map(further).sum());
        }
        Has::Labels => {
            left_out.add("ids of nodes", nodes.len());
            let positions = nodes.iter().filter(|node| node.position().is_some());
            left_out.add("positions", positions.count());
            let weights = edges.iter().filter(|edge| edge.weight().is_some());
            left_out.add("weights", weights.count());
            let labelled = edges.iter().filter(|edge| edge.label().is_some());
            left_out.add("types of edges that have a label", labelled.count());
        }
    }
    left_out
}

/// Writes a graph.
pub(crate) fn write(graph: &Graph<'_>, out: &mut dyn Write) -> Result<WriteReport, WriteError> {
    writeln!(out, "digraph {} {{", name(graph.title))?;
    for node in graph.nodes {
        let ty = name(node.types().next().unwrap_or_default());
        write!(
            out,
            "  {} [label={}, type={ty}",
            name(node.id()),
            label(node.label())
        )?;
        if let Some([x, y]) = node.position() {
            write!(out, ", pos=\"{x},{y}!\"")?;
        }
        writeln!(out, "];")?;
    }
    for id in functions(graph) {
        writeln!(out, "  {} [type=function, shape=box];", name(id))?;
    }
    for edge in graph.edges {
        let [source, target, ty] = [edge.source(), edge.target(), edge.ty()].map(name);
        write!(out, "  {source} -> {target} [type={ty}")?;
        // Shown is the type where there is no label; which of them it is, is read by whether they are the same.
        write!(out, ", label={}", label(edge.label().unwrap_or(edge.ty())))?;
        if let Some(weight) = edge.weight() {
            write!(out, ", weight=\"{weight:?}\"")?;
        }
        writeln!(out, "];")?;
    }
    writeln!(out, "}}")?;
    let mut left_out = left_out(graph, Has::Attributes);
    let same = graph
        .edges
        .iter()
        .filter(|edge| edge.label() == Some(edge.ty()));
    left_out.add("labels that are as the type", same.count());
    Ok(left_out.finish())
}

/// A text as a name.
fn name(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A text as a label, in which `&` would begin a character's name and a backslash something else.
fn label(text: &str) -> String {
    name(&text.replace('&', "&amp;")).replace('\n', "\\n")
}
