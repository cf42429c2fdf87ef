//! Graphs as flowcharts.
//!
//! Nodes are called `n` and their place, as Mermaid's names are narrower than ours. Mermaid itself refuses texts of more than
//! 50 000 characters, and more than 500 edges, unless it is told to take them (`maxTextSize`, `maxEdges`).

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
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    for (at, node) in graph.nodes.iter().enumerate() {
        places.insert(node.id(), at);
        let label = escaped(node.label());
        // A comma in a type is a number, so that it does not end the type.
        let types = node.types().map(|ty| escaped(ty).replace(',', "#44;"));
        let types = types.collect::<Vec<String>>().join(BETWEEN_TYPES);
        writeln!(out, "  n{at}[\"{label}{TYPES_BEGIN}{types}{TYPES_END}\"]")?;
    }
    for id in functions(graph) {
        let at = places.len();
        places.insert(id, at);
        writeln!(out, "  n{at}([\"{}\"])", escaped(id))?;
    }
    let mut missing = 0;
    for edge in graph.edges {
        let ends = [edge.source(), edge.target()].map(|id| places.get(id));
        let [Some(source), Some(target)] = ends else {
            missing += 1;
            continue;
        };
        let label = edge.label().filter(|label| !label.is_empty());
        let label = escaped(label.unwrap_or(edge.ty()));
        writeln!(out, "  n{source} -->|\"{label}\"| n{target}")?;
    }
    let mut left_out = dot::left_out(graph, dot::Has::Labels);
    left_out.add("edges to nodes that are not written", missing);
    Ok(left_out.finish())
}

/// Whether a character may stand alone to the end of a line.
fn is_plain(c: char) -> bool {
    !c.is_control() && !matches!(c, '#' | ';' | '%' | '{' | '}')
}

/// A text between quotes, in which everything that Mermaid or HTML might understand is a number.
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
