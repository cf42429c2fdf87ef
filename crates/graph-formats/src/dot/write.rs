//! Writer of DOT.

use std::io::Write;

use fibula_knowledge::{EdgeRef, NodeRef};

use crate::error::WriteError;
use crate::graph::{Graph, Omissions, WriteReport, functions};

/// Properties that a format for diagrams can represent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coverage {
    /// Labels and types.
    Labels,
    /// Ids, labels, first types, weights and positions.
    Attributes,
}

/// Counts the omissions of a format for diagrams.
pub(crate) fn omissions(graph: &Graph<'_>, coverage: Coverage) -> Omissions {
    let mut omissions = Omissions::default();
    omissions.add_schema(graph.schema);
    let (nodes, edges) = (graph.nodes, graph.edges);
    omissions.add(
        "creators, dates, versions and orders",
        nodes.len() + edges.len(),
    );
    omissions.add("ids of edges", edges.len());
    omissions.add(
        "observations",
        nodes.iter().map(|node| node.observations().len()).sum(),
    );
    let data = nodes.iter().filter(|node| node.data().is_some()).count();
    let data = data + edges.iter().filter(|edge| edge.data().is_some()).count();
    omissions.add("data of nodes and edges", data);
    let is_limited = |edge: &&EdgeRef<'_>| edge.validity() != [None; 2];
    omissions.add(
        "validity intervals of edges",
        edges.iter().filter(is_limited).count(),
    );
    match coverage {
        Coverage::Attributes => {
            let further = |node: &NodeRef<'_>| node.types().skip(1).count();
            omissions.add("further types", nodes.iter().map(further).sum());
        }
        Coverage::Labels => {
            omissions.add("ids of nodes", nodes.len());
            let positions = nodes.iter().filter(|node| node.position().is_some());
            omissions.add("positions", positions.count());
            let weights = edges.iter().filter(|edge| edge.weight().is_some());
            omissions.add("weights", weights.count());
            let labelled = edges.iter().filter(|edge| edge.label().is_some());
            omissions.add("types of edges that have a label", labelled.count());
        }
    }
    omissions
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
        // Graphviz shows the label, so an edge without one gets its type; the reader drops a label that equals the type.
        write!(out, ", label={}", label(edge.label().unwrap_or(edge.ty())))?;
        if let Some(weight) = edge.weight() {
            write!(out, ", weight=\"{weight:?}\"")?;
        }
        writeln!(out, "];")?;
    }
    writeln!(out, "}}")?;
    let mut omissions = omissions(graph, Coverage::Attributes);
    let same = graph
        .edges
        .iter()
        .filter(|edge| edge.label() == Some(edge.ty()));
    omissions.add("labels equal to the type", same.count());
    Ok(omissions.finish())
}

/// Quotes a name.
fn name(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Quotes a label, in which `&` begins a character reference and a backslash an escape.
fn label(text: &str) -> String {
    name(&text.replace('&', "&amp;")).replace('\n', "\\n")
}
