//! Files of nodes and edges: knowledge graphs in the formats of other programs, and in our own.
//!
//! | | reads | writes | carries everything |
//! |---|---|---|---|
//! | [`json`](Format::Json), [`node-link`](Format::NodeLink), [`cytoscape`](Format::Cytoscape), [`json-ld`](Format::JsonLd), [`graphml`](Format::GraphMl) | yes | yes | yes |
//! | [`gexf`](Format::Gexf), [`csv`](Format::Csv), [`memory-jsonl`](Format::MemoryJsonl) | yes | yes | but for the schema |
//! | [`dot`](Format::Dot) | yes | yes | labels, first types, weights and positions |
//! | [`mermaid`](Format::Mermaid) | yes | yes | labels and types |
//!
//! What comes back of a graph that was written in a format that carries everything is the graph. Files of others are taken as
//! they are: what is no field of ours is kept as data, and what is not as it should be is mended if that is without doubt.
//! Every such [`Repair`] is told, and so is everything that a format has no place for ([`Omission`]).
//!
//! Nothing is ever fetched, no entities are expanded, and no recursion is deeper than 128.
//!
//! ```
//! use fibula_graph_formats::{self as network, Format};
//!
//! let file = br#"{ "nodes": [{ "id": "a", "name": "Ann", "entityType": "Person" }],
//!                  "links": [{ "source": "a", "target": "b", "label": "knows", "value": 3 }] }"#;
//! let format = network::detect(Some("friends.json"), file).expect("it has nodes and links");
//! assert_eq!(format, Format::NodeLink);
//! let given = network::read(format, file, &|_, _| std::ops::ControlFlow::Continue(()))?;
//! assert_eq!(given.edges[0].ty, "knows");
//! assert_eq!(given.repairs[0].what, "dangling_end");
//! # Ok::<(), network::FormatError>(())
//! ```

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

mod json;
mod json_ld;
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

use builder::GraphBuilder;
pub use detect::detect;
pub use error::{FileLocation, FormatError, WriteError};
pub use format::Format;
pub use graph::{Graph, Omission, WriteReport};
pub use imported::{ImportedEdge, ImportedGraph, ImportedNode, ImportedObservation, Repair};

use fibula_knowledge::progress::Watch;

/// The most bytes of a file.
pub const MAX_BYTES: usize = 256 << 20;
/// The most nodes of a file.
pub const MAX_NODES: usize = 2_000_000;
/// The most edges of a file.
pub const MAX_EDGES: usize = 6_000_000;
/// How deep something may be nested.
const MAX_DEPTH: usize = 128;

/// Reads a file. `watch` is told how many bytes of how many were read, and may end the reading.
///
/// # Errors
/// [`FormatError`]: it is not what the format says, too large, in need of something that is not done, or no longer wanted.
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
/// As [`read`].
pub fn read_tables(
    nodes: Option<&[u8]>,
    edges: Option<&[u8]>,
    watch: &Watch<'_>,
) -> Result<ImportedGraph, FormatError> {
    let length = |bytes: Option<&[u8]>| bytes.map_or(0, <[u8]>::len);
    let mut to = GraphBuilder::new(length(nodes) + length(edges), watch);
    for table in [nodes, edges].into_iter().flatten() {
        csv::read(text(table)?, &mut to)?;
    }
    to.finish()
}

/// Writes a graph.
///
/// # Errors
/// [`WriteError`]: what `out` fails with.
pub fn write(
    format: Format,
    graph: &Graph<'_>,
    out: &mut dyn Write,
) -> Result<WriteReport, WriteError> {
    match format {
        Format::Json => json::write(graph, out),
        Format::NodeLink => node_link::write(graph, out),
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

/// Writes a table of the nodes and one of the edges.
///
/// # Errors
/// [`WriteError`]: what `nodes` or `edges` fails with.
pub fn write_tables(
    graph: &Graph<'_>,
    nodes: &mut dyn Write,
    edges: &mut dyn Write,
) -> Result<WriteReport, WriteError> {
    csv::write_tables(graph, nodes, edges)
}

/// The text that a file is.
fn text(bytes: &[u8]) -> Result<&str, FormatError> {
    const BYTE_ORDER_MARK: char = '\u{feff}';
    if bytes.len() > MAX_BYTES {
        return Err(FormatError::TooLarge {
            what: "bytes",
            most: MAX_BYTES,
        });
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(FormatError::Unsupported(
            "the file is in UTF-16, and only UTF-8 is read; save it as UTF-8".to_owned(),
        ));
    }
    let text = str::from_utf8(bytes).map_err(|error| {
        let valid = &bytes[..error.valid_up_to()];
        let line = lines(valid) + 1;
        let problem = "there are bytes here that are no UTF-8; save the file as UTF-8";
        FormatError::invalid(FileLocation::Line(line), problem)
    })?;
    Ok(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text))
}

/// How many lines end in these bytes.
fn lines(bytes: &[u8]) -> u64 {
    bytes.iter().map(|&byte| u64::from(byte == b'\n')).sum()
}
