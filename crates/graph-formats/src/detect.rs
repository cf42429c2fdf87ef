//! Detection of the format of a file, by its name and its first bytes.

use super::format::Format;
use super::json;
use super::mermaid;

/// Number of bytes that are examined.
const START: usize = 64 << 10;

/// Detects the format of a file; `None` if it is unknown.
///
/// The extension decides, unless it is shared by several formats: ".json", ".jsonl", ".xml" and ".txt". The first bytes of a
/// file are sufficient.
pub fn detect(file_name: Option<&str>, bytes: &[u8]) -> Option<Format> {
    let ending = file_name.and_then(|name| Some(name.rsplit_once('.')?.1.to_ascii_lowercase()));
    let by_name = match ending.as_deref() {
        Some("graphml") => Some(Format::GraphMl),
        Some("gexf") => Some(Format::Gexf),
        Some("csv" | "tsv") => Some(Format::Csv),
        Some("dot" | "gv") => Some(Format::Dot),
        Some("mmd" | "mermaid") => Some(Format::Mermaid),
        Some("cyjs") => Some(Format::Cytoscape),
        Some("jsonld") => Some(Format::JsonLd),
        Some(_) | None => None,
    };
    by_name.or_else(|| by_content(bytes))
}

fn by_content(bytes: &[u8]) -> Option<Format> {
    let start = &bytes[..bytes.len().min(START)];
    let text = String::from_utf8_lossy(start);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    match text.bytes().next()? {
        b'{' | b'[' => detect_json(text),
        b'<' => [("<graphml", Format::GraphMl), ("<gexf", Format::Gexf)]
            .into_iter()
            .find_map(|(tag, format)| text.contains(tag).then_some(format)),
        _ => detect_text(text),
    }
}

/// A key of an object in JSON.
struct Key<'a> {
    /// Nesting depth, in objects and lists.
    depth: usize,
    name: &'a str,
}

/// Finds the keys in the first value of a text, and the end of the value, which may be cut off.
fn keys(text: &str) -> (Vec<Key<'_>>, usize) {
    let mut keys = Vec::new();
    let (mut depth, mut at) = (0, 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return (keys, at + 1);
                }
            }
            b'"' => {
                let start = at + 1;
                at = start;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
                let rest = bytes.get(at + 1..).unwrap_or_default();
                if rest.trim_ascii_start().starts_with(b":") {
                    let name = &text[start..at];
                    keys.push(Key { depth, name });
                }
            }
            _ => {}
        }
        at += 1;
    }
    (keys, text.len())
}

fn detect_json(text: &str) -> Option<Format> {
    let (keys, end) = keys(text);
    let has = |depth: usize, name: &str| {
        keys.iter()
            .any(|key| key.depth == depth && key.name == name)
    };
    let has_any = |depth, names: &[&str]| names.iter().any(|name| has(depth, name));
    let is_list = text.starts_with('[');
    let top = 1 + usize::from(is_list);
    if has_any(top, &["@context", "@graph", "@id"]) {
        return Some(Format::JsonLd);
    }
    if is_list {
        return if has(2, "data") && !has(2, "id") {
            Some(Format::Cytoscape)
        } else {
            has_any(2, &["id", "source", "name"]).then_some(Format::NodeLink)
        };
    }
    let names = [
        "entityType",
        "observations",
        "relationType",
        "eventType",
        "last_event_id",
    ];
    let is_line = has_any(1, &names) && !has_any(1, &["nodes", "edges", "links"]);
    let has_more = text[end..].trim_start().starts_with('{');
    let is_alone = has_any(1, &["name", "from", "eventId", "last_event_id"]);
    if is_line && (has_more || is_alone) || has(1, "entities") && has(1, "relations") {
        return Some(Format::MemoryJsonl);
    }
    if has(1, "format") && text[..end].contains(json::NAME) {
        return Some(Format::Json);
    }
    let is_wrapped =
        has_any(1, &["nodes", "edges"]) && has(3, "data") && !has_any(3, &["id", "source"]);
    if has(1, "elements") || is_wrapped {
        return Some(Format::Cytoscape);
    }
    let names = [
        "nodes",
        "edges",
        "links",
        "id",
        "originalId",
        "name",
        "label",
    ];
    has_any(1, &names).then_some(Format::NodeLink)
}

/// Diagrams of Mermaid that are not supported, and whose names do not end with "Diagram".
const OTHER_DIAGRAMS: [&str; 8] = [
    "gantt",
    "gitGraph",
    "journey",
    "kanban",
    "mindmap",
    "pie",
    "quadrantChart",
    "timeline",
];

/// Detects a format by the words at the start of a text that is neither JSON nor XML.
fn detect_text(text: &str) -> Option<Format> {
    let mut text = text;
    // Front matter and directives of Mermaid may have several lines.
    for (begin, end) in [("---", "\n---"), ("%%{", "}%%")] {
        if let Some((_, rest)) = text
            .strip_prefix(begin)
            .and_then(|text| text.split_once(end))
        {
            text = rest.trim_start();
        }
    }
    let mut lines = text.lines().map(str::trim);
    let is_comment = |line: &str| {
        let comments = ["//", "#", "/*", "*", "%%", "---"];
        line.is_empty() || comments.iter().any(|start| line.starts_with(start))
    };
    let first = lines.find(|line| !is_comment(line))?;
    let is_end = |c: char| c.is_whitespace() || "{;".contains(c);
    let (word, rest) = first.split_at(first.find(is_end).unwrap_or(first.len()));
    let is_word = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let is_diagram = word.ends_with("Diagram") || word.ends_with("Diagram-v2");
    // The reader reports that these are not supported.
    if is_word && is_diagram || OTHER_DIAGRAMS.contains(&word) {
        return Some(Format::Mermaid);
    }
    match &*word.to_ascii_lowercase() {
        "flowchart" | "flowchart-elk" => return Some(Format::Mermaid),
        "graph" => {
            // DOT has an optional name and a brace; Mermaid has a direction.
            let rest = rest.split("%%").next().unwrap_or_default().trim_start();
            let (name, after) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
            let next = lines.find(|line| !is_comment(line));
            let is_dot = match (name, after.trim_start()) {
                ("", "") => next.is_none_or(|next| next.starts_with('{') || next.ends_with('{')),
                (name, "") if mermaid::DIRECTIONS.contains(&name) => {
                    next.is_some_and(|next| next.starts_with('{'))
                }
                ("", after) => after.starts_with('{'),
                (name, after) => !mermaid::DIRECTIONS.contains(&name) || after.starts_with('{'),
            };
            return Some(if is_dot { Format::Dot } else { Format::Mermaid });
        }
        "strict" | "digraph" => return Some(Format::Dot),
        _ => {}
    }
    let mut titles = first
        .split([',', ';', '\t'])
        .map(|title| title.trim_matches([' ', '"']));
    let known = ["id", "label", "name", "source", "target", "from", "to"];
    let is_known = |title: &str| known.iter().any(|known| title.eq_ignore_ascii_case(known));
    titles.any(is_known).then_some(Format::Csv)
}
