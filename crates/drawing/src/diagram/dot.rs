//! The DOT language of Graphviz: `dot -Tsvg` makes a picture of it.

use std::fmt::Write as _;

use fibula_core::escape::escaped;
use fibula_core::graph::{Function, NodeView};

use super::{colour, links, parameter, short, signature, title};

/// A function as a directed graph in DOT, in time in proportion to its nodes and links.
///
/// Nodes are called `n` and their id. Each is a table, with a cell `i` and the index for each parameter and a cell `o` and
/// the index for each port, so links end where they belong. A link has the colour of its type, which is its tooltip.
pub fn dot(function: &Function) -> String {
    let title = signature(function, short);
    // In a label, but not in a name, what stands between & and ; is a character.
    let (title, label) = (quoted(&title), quoted(&title.replace('&', "&amp;")));
    let mut text = format!(
        "digraph {title} {{\n  \
         graph [rankdir=LR, label={label}, labelloc=t, fontname=\"Helvetica\"];\n  \
         node [shape=plain, fontname=\"Helvetica\", fontsize=10];\n  \
         edge [arrowsize=0.6];\n"
    );
    for node in function.nodes() {
        let _ = writeln!(text, "  n{} [label=<{}>];", node.id(), table(node));
    }
    for node in function.nodes() {
        for link in links(node) {
            let [red, green, blue] = colour(link.ty);
            let _ = writeln!(
                text,
                "  n{}:o{}:e -> n{}:i{}:w [color=\"#{red:02x}{green:02x}{blue:02x}\", tooltip=\"{}\"];",
                link.source,
                link.port.0,
                node.id(),
                link.parameter.0,
                link.ty
            );
        }
    }
    text.push_str("}\n");
    text
}

/// A node as a table: its kind and name, then a row for each parameter and port.
fn table(node: NodeView<'_>) -> String {
    let (kind, name) = title(node);
    let name = name.map_or_else(String::new, |name| format!("<br/>{}", escaped(&name)));
    let mut table = format!(
        "<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"4\">\
         <tr><td colspan=\"2\" bgcolor=\"#e8e8e8\"><b>{kind}</b>{name}</td></tr>"
    );
    let signature = node.signature();
    for row in 0..signature.parameters.len().max(signature.ports.len()) {
        let input = if row < signature.parameters.len() {
            let parameter = escaped(&parameter(node, row));
            format!("<td port=\"i{row}\" align=\"left\">{parameter}</td>")
        } else {
            "<td></td>".to_owned()
        };
        let output = match signature.ports.get(row) {
            Some(port) => {
                let name = escaped(&short(&port.name));
                format!("<td port=\"o{row}\" align=\"right\">{name}</td>")
            }
            None => "<td></td>".to_owned(),
        };
        let _ = write!(table, "<tr>{input}{output}</tr>");
    }
    table.push_str("</table>");
    table
}

/// A text between quotes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
