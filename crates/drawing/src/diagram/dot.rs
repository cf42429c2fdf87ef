//! Functions in the DOT language of Graphviz, with its HTML-like labels; `dot -Tsvg` draws them.

use std::fmt::Write as _;

use fibula_core::escape::escaped;
use fibula_core::graph::{Function, NodeView};

use super::{colour, links, parameter, short, signature, title};
use crate::scene::hex;

/// Writes a function as a directed graph in DOT, in time linear in its nodes and links.
///
/// The name of a node is `n` and its id. Each node is a table, with a cell `i` and the index for each parameter and a cell
/// `o` and the index for each port, which links end at. A link has the colour of its type; its tooltip names the type.
pub fn dot(function: &Function) -> String {
    let title = signature(function, short);
    // A label, unlike a name, has character references between & and ;.
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
            let _ = writeln!(
                text,
                "  n{}:o{}:e -> n{}:i{}:w [color=\"{}\", tooltip=\"{}\"];",
                link.source,
                link.port.0,
                node.id(),
                link.parameter.0,
                hex(colour(link.ty)),
                link.ty
            );
        }
    }
    text.push_str("}\n");
    text
}

/// HTML table of a node: its kind and name, then a row for each parameter and port.
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

/// Quotes a text.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
