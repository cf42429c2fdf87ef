//! Functions as flowcharts of Mermaid, which many sites render in Markdown.

use std::fmt::Write as _;

use fibula_core::graph::{Argument, Function, NodeId, NodeView};

use super::{links, parameter, short, signature, title};

/// Writes a function as a flowchart, in time linear in its nodes and links.
///
/// The name of a node is `n` and its id. A box has the node's kind, its name, and the parameters that have values; links are
/// labelled with the names of their ends. Mermaid itself rejects texts of more than 50 000 characters, and more than 500
/// links, unless its configuration allows them (`maxTextSize`, `maxEdges`).
pub fn mermaid(function: &Function) -> String {
    let mut text = format!(
        "flowchart LR\n  accTitle: {}\n",
        accessible(&signature(function, short))
    );
    for node in function.nodes() {
        let is_end = node.id() == NodeId::END || Some(node.id()) == function.begin();
        let (open, close) = if is_end { ("([", "])") } else { ("[", "]") };
        let _ = writeln!(text, "  n{}{open}\"{}\"{close}", node.id(), label(node));
    }
    for node in function.nodes() {
        for link in links(node) {
            let (port, parameter) = (link.port.1, link.parameter.1);
            let _ = writeln!(
                text,
                "  n{} -->|\"{} → {}\"| n{}",
                link.source,
                escaped(&short(port)),
                escaped(&short(parameter)),
                node.id()
            );
        }
    }
    text
}

fn label(node: NodeView<'_>) -> String {
    let (kind, name) = title(node);
    let values = (0..node.signature().parameters.len())
        .filter(|&index| matches!(node.argument(index), Argument::Value(_)))
        .map(|index| parameter(node, index));
    let lines = name.into_iter().chain(values).map(|line| escaped(&line));
    let lines: Vec<String> = std::iter::once(format!("<b>{kind}</b>"))
        .chain(lines)
        .collect();
    lines.join("<br/>")
}

/// Escapes a text for quotes: a character that Mermaid or HTML could interpret becomes its number.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_alphanumeric()
            || matches!(c, ' ' | '_' | '.' | ',' | '-' | '+' | '=' | '(' | ')' | '…')
        {
            escaped.push(c);
        } else {
            let _ = write!(escaped, "#{};", u32::from(c));
        }
    }
    escaped
}

/// Removes the characters that an unquoted text to the end of a line must not have.
fn accessible(text: &str) -> String {
    let plain = |c: char| !matches!(c, '#' | ';' | '%' | '{' | '}');
    text.chars().filter(|&c| plain(c)).collect()
}
