//! Export of the graph as a file.

use std::collections::BTreeSet;
use std::io::Write;

use fibula_graph_formats::{self, Format, Graph, WriteError, WriteReport};
use fibula_knowledge::{EdgeRef, Knowledge, NodeRef};
use serde_json::json;

use super::node_lookup::{dangling_ends, has_type};
use super::summarize::NameCount;
use crate::files::bounded_buffer::BoundedBuffer;
use crate::files::byte_counter::ByteCounter;
use crate::project::names::DEFAULT_PROJECT;
use crate::refusal::{Refusal, Result};
use crate::service::Service;

/// Maximum bytes of a graph in an answer; larger ones are written to files.
const LARGEST_CONTENT: usize = 40 << 10;

json_structs! {
    /// Format and destination of an export.
    pub request struct ExportGraph {
        project,
        /// Default json, which is lossless.
        pub format: Format,
        /// true names node-link's list of edges "links", as d3 and older versions of networkx read it.
        pub links: bool,
        /// Only nodes of these types, and edges between them.
        pub types: Vec<String> = default,
        /// A file below a folder of the server; default: the text is in the answer.
        pub path: Option<String>,
        /// true replaces an existing file.
        pub overwrite: bool,
        revision,
    }

    /// Result of an export.
    pub answer struct GraphExported {
        pub success: bool,
        pub format: Format,
        pub node_count: usize,
        pub edge_count: usize,
        pub bytes: u64,
        pub path: Option<String>,
        pub content: Option<String>,
        /// Counts of items that the format cannot represent.
        pub left_out: Vec<NameCount> = [],
        /// Ends of edges that are functions or nodes that no longer exist.
        pub dangling: Vec<String> = [],
        pub revision: u64,
    }
}

impl Service {
    /// Writes a graph, or the part of it with nodes of some types. Returns its revision, the numbers of nodes and
    /// edges, and what the format cannot represent.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project or revision, or `out` fails.
    pub fn write_graph(&self, request: &ExportGraph, out: &mut dyn Write) -> Result<GraphExported> {
        let mut counted = ByteCounter::new(out);
        let exported = self.written(request, |graph| {
            if request.links {
                fibula_graph_formats::write_links(graph, &mut counted)
            } else {
                fibula_graph_formats::write(request.format, graph, &mut counted)
            }
        })?;
        let bytes = counted.count;
        Ok(GraphExported { bytes, ..exported })
    }

    /// As [`write_graph`](Self::write_graph), as a table of the nodes and one of the edges in CSV.
    ///
    /// # Errors
    /// As [`write_graph`](Self::write_graph); `invalid_arguments` for another format.
    pub fn write_graph_tables(
        &self,
        request: &ExportGraph,
        nodes: &mut dyn Write,
        edges: &mut dyn Write,
    ) -> Result<GraphExported> {
        if request.format != Format::Csv {
            let name = request.format.name();
            let message = format!("{name} is one file, and no table of nodes and one of edges");
            return Err(Refusal::new("invalid_arguments", message)
                .hint("name one file, or pass the format csv"));
        }
        let (mut nodes, mut edges) = (ByteCounter::new(nodes), ByteCounter::new(edges));
        let exported = self.written(request, |graph| {
            fibula_graph_formats::write_tables(graph, &mut nodes, &mut edges)
        })?;
        let bytes = nodes.count + edges.count;
        Ok(GraphExported { bytes, ..exported })
    }

    /// Writes a graph. Leaves the number of bytes to the caller.
    fn written(
        &self,
        request: &ExportGraph,
        write: impl FnOnce(&Graph<'_>) -> std::result::Result<WriteReport, WriteError>,
    ) -> Result<GraphExported> {
        if request.links && request.format != Format::NodeLink {
            let name = request.format.name();
            let message = format!("{name} has no list of links");
            return Err(Refusal::new("invalid_arguments", message)
                .hint("omit links, or pass the format node-link"));
        }
        let project = request.project.as_deref();
        let opened = self.project(project)?;
        opened.require_sound(request.revision)?;
        let snapshot = opened.at(request.revision)?;
        let graph = snapshot.document.knowledge();
        let (nodes, edges) = part(graph, &request.types);
        let whole = Graph {
            nodes: &nodes,
            edges: &edges,
            schema: graph.schema(),
            title: project.unwrap_or(DEFAULT_PROJECT),
        };
        let report = write(&whole)?;
        let left_out = report.left_out.into_iter().map(|left| NameCount {
            name: left.what.to_owned(),
            count: left.count,
        });
        Ok(GraphExported {
            success: true,
            format: request.format,
            node_count: nodes.len(),
            edge_count: edges.len(),
            bytes: 0,
            path: None,
            content: None,
            left_out: left_out.collect(),
            dangling: dangling_ends(&snapshot.document, &edges),
            revision: snapshot.head.revision,
        })
    }

    /// Returns a graph as the bytes of a file of at most `most` bytes.
    ///
    /// # Errors
    /// As [`write_graph`](Self::write_graph); `too_large`, naming a request without that limit.
    pub fn graph_bytes(&self, request: &ExportGraph, most: u64) -> Result<Vec<u8>> {
        let mut file = BoundedBuffer::new(most);
        let written = self.write_graph(request, &mut file);
        file.into_bytes().map_or_else(
            || {
                let message = format!("the graph exceeds the {most} bytes of a resource");
                Err(Refusal::new("too_large", message).hint(
                    "GET /api/graph/{project}/export returns it, export_graph writes it to a file",
                ))
            },
            |bytes| written.map(|_| bytes),
        )
    }

    /// Writes a graph to a file below the configured folders, or into the answer.
    ///
    /// # Errors
    /// As [`write_graph`](Self::write_graph); `forbidden_path` or `unwritable_file` for the path; `too_large` for an
    /// answer.
    pub fn export_graph(&self, request: &ExportGraph) -> Result<GraphExported> {
        let Some(path) = &request.path else {
            let mut bytes = Vec::new();
            let exported = self.write_graph(request, &mut bytes)?;
            if bytes.len() > LARGEST_CONTENT {
                let message = format!(
                    "the graph has {} bytes in this format, too many for an answer",
                    bytes.len()
                );
                return Err(Refusal::new("too_large", message)
                    .hint("pass a path to write it to, or types to export a part of it")
                    .details(json!({ "bytes": bytes.len(), "most": LARGEST_CONTENT })));
            }
            let content = String::from_utf8_lossy(&bytes).into_owned();
            return Ok(GraphExported {
                content: Some(content),
                ..exported
            });
        };
        let ending = request.format.extension();
        let (real, mut file) = self.files.create(path, ending, request.overwrite)?;
        let exported = self.write_graph(request, &mut file)?;
        file.finish()?;
        Ok(GraphExported {
            path: Some(real.display().to_string()),
            ..exported
        })
    }
}

/// Subgraph of the nodes of some types; all of it if there are no types.
pub(super) fn part<'a>(
    graph: &'a Knowledge,
    types: &[String],
) -> (Vec<NodeRef<'a>>, Vec<EdgeRef<'a>>) {
    let (mut nodes, mut edges) = (graph.sorted_nodes(), graph.sorted_edges());
    if !types.is_empty() {
        nodes.retain(|node| has_type(*node, types));
        let kept: BTreeSet<&str> = nodes.iter().map(NodeRef::id).collect();
        edges.retain(|edge| kept.contains(edge.source()) && kept.contains(edge.target()));
    }
    (nodes, edges)
}
