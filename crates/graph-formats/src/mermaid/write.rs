//! Writer of flowcharts.
//!
//! The name of a node is `n` and its index, as Mermaid allows fewer names than Fibula. Mermaid itself rejects texts of more
//! than 50 000 characters, and more than 500 edges, unless its configuration allows them (`maxTextSize`, `maxEdges`).

use std::fmt::Write as _;
use std::io::Write;

use rustc_hash::FxHashMap;

use super::text::{BETWEEN_TYPES, TYPES_BEGIN, TYPES_END};
use crate::dot;
use crate::error::WriteError;
use crate::graph::{Graph, WriteReport, functions};

/// Writes a graph.
pub(crate) fn write(graph: &Graph<'_>, out: &mut dyn Write) -> Result<WriteReport, WriteError> {
    writeln!(out, "flowchart LR")?;
    if !graph.title.is_empty() {
        let title: String = graph.title.chars().filter(|&c| is_plain(c)).collect();
        writeln!(out, "  accTitle: {title}")?;
    }
    let mut indices: FxHashMap<&str, usize> = FxHashMap::default();
    for (at, node) in graph.nodes.iter().enumerate() {
        indices.insert(node.id(), at);
        let label = escaped(node.label());
        // A comma in a type is escaped, so that it does not end the type.
        let types = node.types().map(|ty| escaped(ty).replace(',', "#44;"));
        let types = types.collect::<Vec<String>>().join(BETWEEN_TYPES);
        writeln!(out, "  n{at}[\"{label}{TYPES_BEGIN}{types}{TYPES_END}\"]")?;
    }
    for id in functions(graph) {
        let at = indices.len();
        indices.insert(id, at);
        writeln!(out, "  n{at}([\"{}\"])", escaped(id))?;
    }
    let mut missing = 0;
    for edge in graph.edges {
        let ends = [edge.source(), edge.target()].map(|id| indices.get(id));
        let [Some(source), Some(target)] = ends else {
            missing += 1;
            continue;
        };
        let label = edge.label().filter(|label| !label.is_empty());
        let label = escaped(label.unwrap_or(edge.ty()));
        writeln!(out, "  n{source} -->|\"{label}\"| n{target}")?;
    }
    let mut omissions = dot::omissions(graph, dot::Coverage::Labels);
    omissions.add("edges to nodes outside of the selection", missing);
    Ok(omissions.finish())
}

/// True if an unquoted text to the end of a line may have this character.
fn is_plain(c: char) -> bool {
    !c.is_control() && !matches!(c, '#' | ';' | '%' | '{' | '}')
}

/// Escapes a text for quotes: a character that Mermaid or HTML could interpret becomes its number.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => escaped.push_str("<br/>"),
            c if c.is_alphanumeric() || " _.,-+=()…".contains(c) => escaped.push(c),
            c => {
                let _ = write!(escaped, "#{};", u32::from(c));
            }
        }
    }
    escaped
}
