//! Readers and writers of graph files: knowledge graphs in ten formats of Fibula and of other programs.
//!
//! A file becomes an [`ImportedGraph`], whose nodes and edges may lack properties, and a [`Graph`] of a
//! [`Knowledge`](fibula_knowledge::Knowledge) becomes a file. The crate does not merge an imported graph into a knowledge
//! graph, opens no files, and fetches nothing.
//!
//! | | reads | writes | represents |
//! |---|---|---|---|
//! | [`json`](Format::Json), [`node-link`](Format::NodeLink), [`cytoscape`](Format::Cytoscape), [`json-ld`](Format::JsonLd), [`graphml`](Format::GraphMl) | yes | yes | everything |
//! | [`gexf`](Format::Gexf), [`csv`](Format::Csv), [`memory-jsonl`](Format::MemoryJsonl) | yes | yes | everything but the schema |
//! | [`dot`](Format::Dot) | yes | yes | labels, first types, weights and positions |
//! | [`mermaid`](Format::Mermaid) | yes | yes | labels and types |
//!
//! [`detect`] finds the format of a file, and [`read`] reads it:
//!
//! ```
//! use fibula_graph_formats::{Format, detect, read};
//!
//! let file = br#"{ "nodes": [{ "id": "a", "name": "Ann", "entityType": "Person" }],
//!                  "links": [{ "source": "a", "target": "b", "label": "knows", "value": 3 }] }"#;
//! let format = detect(Some("friends.json"), file).expect("it has nodes and links");
//! assert_eq!(format, Format::NodeLink);
//! let graph = read(format, file, &|_, _| std::ops::ControlFlow::Continue(()))?;
//! assert_eq!(graph.edges[0].ty, "knows");
//! assert_eq!(graph.edges[0].weight, Some(3.0));
//! // The file does not define the node "b".
//! assert_eq!(graph.repairs[0].what, "dangling_end");
//! # Ok::<(), fibula_graph_formats::FormatError>(())
//! ```
//!
//! # Promises
//! 1. A graph that is written in a format that represents everything is read back unchanged.
//! 2. What a format cannot represent is counted in the [`WriteReport`].
//! 3. In files of other programs, unknown fields become data. A defect is repaired if the repair is unambiguous, and every
//!    [`Repair`] is reported; otherwise the file is rejected with the location of the defect.
//! 4. No file makes a reader panic, overflow the stack or exhaust the memory: entities are not expanded, nesting is limited to
//!    128, and values that a file gives once for many nodes are counted.
//!
//! # Costs and limits
//! Reading takes time linear in the file. JSON lists, XML, CSV and JSON Lines are streamed; JSON-LD becomes a tree in memory. A
//! file has at most [`MAX_BYTES`] bytes, [`MAX_NODES`] nodes and [`MAX_EDGES`] edges.
//!
//! # Where to start reading
//! `builder` merges and repairs the nodes and edges that all readers find, `fields` has the names of their fields, and
//! `columns` maps them to tables and XML. Each format has a module; `xml_graph` and `stream` are shared by `GraphML` and GEXF,
//! and by the JSON formats.

mod dates;
mod error;
mod format;
mod graph;

mod imported;
mod xml;

mod builder;

mod fields;

mod properties;

mod columns;
mod stream;

pub mod discourse;

mod json;
mod json_ld;
mod memory_events;

mod memory;
mod node_link;
mod xml_graph;

mod csv;
mod cytoscape;
mod dot;
mod gexf;
mod graphml;

mod mermaid;

mod detect;

#[cfg(test)]
mod tests;

use std::io::Write;

use builder::{ElementKind, GraphBuilder};
pub use builder::{NODE, RELATED};
pub use detect::detect;
pub use error::{FileLocation, FormatError, WriteError};
pub use format::Format;
pub use graph::{Graph, Omission, WriteReport};
pub use imported::{ImportedEdge, ImportedGraph, ImportedNode, ImportedObservation, Repair};
use node_link::EdgeList;

use fibula_knowledge::progress::Watch;

/// Maximum number of bytes of a file.
pub const MAX_BYTES: usize = 256 << 20;
/// Maximum number of nodes of a file.
pub const MAX_NODES: usize = 2_000_000;
/// Maximum number of edges of a file.
pub const MAX_EDGES: usize = 6_000_000;
/// Maximum nesting depth.
const MAX_DEPTH: usize = 128;

/// Reads a file. `watch` receives the progress in bytes, and may cancel it.
///
/// # Errors
/// [`FormatError`]: the file violates the format, is too large or needs an unsupported feature, or `watch` cancelled it.
pub fn read(format: Format, bytes: &[u8], watch: &Watch<'_>) -> Result<ImportedGraph, FormatError> {
    let text = text(bytes)?;
    let mut to = GraphBuilder::new(bytes.len(), watch);
    to.step(0)?;
    match format {
        Format::Json => json::read(text, &mut to)?,
        Format::NodeLink => node_link::read(text, &mut to)?,
        Format::GraphMl => graphml::read(text, &mut to)?,
        Format::Gexf => gexf::read(text, &mut to)?,
        Format::Csv => csv::read(text, &mut to)?,
        Format::Cytoscape => cytoscape::read(text, &mut to)?,
        Format::Dot => dot::read(text, &mut to)?,
        Format::Mermaid => mermaid::read(text, &mut to)?,
        Format::MemoryJsonl => memory::read(text, &mut to)?,
        Format::JsonLd => json_ld::read(text, &mut to)?,
    }
    to.finish()
}

/// Reads a table of nodes, a table of edges, or one of each.
///
/// # Errors
/// As [`read`], also if the first table is one of edges, or the second one of nodes.
pub fn read_tables(
    nodes: Option<&[u8]>,
    edges: Option<&[u8]>,
    watch: &Watch<'_>,
) -> Result<ImportedGraph, FormatError> {
    let length = |bytes: Option<&[u8]>| bytes.map_or(0, <[u8]>::len);
    let mut to = GraphBuilder::new(length(nodes) + length(edges), watch);
    let tables = [(nodes, ElementKind::Node), (edges, ElementKind::Edge)];
    for (table, kind) in tables {
        if let Some(table) = table {
            csv::read_table(text(table)?, kind, &mut to)?;
        }
    }
    to.finish()
}

/// Writes a graph.
///
/// # Errors
/// [`WriteError`]: `out` fails.
pub fn write(
    format: Format,
    graph: &Graph<'_>,
    out: &mut dyn Write,
) -> Result<WriteReport, WriteError> {
    match format {
        Format::Json => json::write(graph, out),
        Format::NodeLink => node_link::write(graph, EdgeList::Edges, out),
        Format::GraphMl => graphml::write(graph, out),
        Format::Gexf => gexf::write(graph, out),
        Format::Csv => csv::write(graph, out),
        Format::Cytoscape => cytoscape::write(graph, out),
        Format::Dot => dot::write(graph, out),
        Format::Mermaid => mermaid::write(graph, out),
        Format::MemoryJsonl => memory::write(graph, out),
        Format::JsonLd => json_ld::write(graph, out),
    }
}

/// Writes node-link JSON whose list of edges is called "links", as d3 and older versions of networkx have it.
///
/// # Errors
/// As [`write()`].
pub fn write_links(graph: &Graph<'_>, out: &mut dyn Write) -> Result<WriteReport, WriteError> {
    node_link::write(graph, EdgeList::Links, out)
}

/// Writes a table of the nodes and one of the edges.
///
/// # Errors
/// [`WriteError`]: `nodes` or `edges` fails.
pub fn write_tables(
    graph: &Graph<'_>,
    nodes: &mut dyn Write,
    edges: &mut dyn Write,
) -> Result<WriteReport, WriteError> {
    csv::write_tables(graph, nodes, edges)
}

/// Decodes the bytes of a file as UTF-8.
fn text(bytes: &[u8]) -> Result<&str, FormatError> {
    const BYTE_ORDER_MARK: char = '\u{feff}';
    if bytes.len() > MAX_BYTES {
        return Err(FormatError::too_large("bytes", MAX_BYTES));
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(FormatError::Unsupported(
            "the file is UTF-16, but only UTF-8 is supported; save it as UTF-8".to_owned(),
        ));
    }
    let text = str::from_utf8(bytes).map_err(|error| {
        let valid = &bytes[..error.valid_up_to()];
        let line = lines(valid) + 1;
        let problem = "invalid UTF-8; save the file as UTF-8";
        FormatError::invalid(FileLocation::Line(line), problem)
    })?;
    Ok(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text))
}

/// Counts the line ends in bytes.
fn lines(bytes: &[u8]) -> u64 {
    bytes.iter().map(|&byte| u64::from(byte == b'\n')).sum()
}
