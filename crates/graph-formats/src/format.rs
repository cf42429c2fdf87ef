//! Formats of graph files, with their names, media types and file extensions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A format of nodes and edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "NetworkFormat")]
pub enum Format {
    /// Fibula's own, with every fact as it is.
    Json,
    /// Node-link JSON, of networkx, d3 and force-graph.
    NodeLink,
    /// `GraphML`, of networkx, igraph, yEd and Gephi.
    #[serde(rename = "graphml")]
    GraphMl,
    /// GEXF 1.3 (1.2 is read, too), of Gephi.
    Gexf,
    /// A table of nodes and a table of edges, of spreadsheets and Gephi.
    Csv,
    /// Elements of Cytoscape.js, which Cytoscape reads, too.
    Cytoscape,
    /// The DOT language of Graphviz.
    Dot,
    /// Flowcharts of Mermaid.
    Mermaid,
    /// Lines of JSON, of memory servers.
    MemoryJsonl,
    /// JSON-LD: exports of Discourse Graphs, and linked data of any kind.
    JsonLd,
}

/// Names of a format.
struct Names {
    name: &'static str,
    media_type: &'static str,
    extension: &'static str,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 10] = [
        Format::Json,
        Format::NodeLink,
        Format::GraphMl,
        Format::Gexf,
        Format::Csv,
        Format::Cytoscape,
        Format::Dot,
        Format::Mermaid,
        Format::MemoryJsonl,
        Format::JsonLd,
    ];

    fn names(self) -> Names {
        let names = |name, media_type, extension| Names {
            name,
            media_type,
            extension,
        };
        match self {
            Format::Json => names("json", "application/json", "json"),
            Format::NodeLink => names("node-link", "application/json", "json"),
            Format::GraphMl => names("graphml", "application/graphml+xml", "graphml"),
            Format::Gexf => names("gexf", "application/gexf+xml", "gexf"),
            Format::Csv => names("csv", "text/csv", "csv"),
            Format::Cytoscape => names("cytoscape", "application/json", "cyjs"),
            Format::Dot => names("dot", "text/vnd.graphviz", "dot"),
            Format::Mermaid => names("mermaid", "text/vnd.mermaid", "mmd"),
            Format::MemoryJsonl => names("memory-jsonl", "application/jsonl", "jsonl"),
            Format::JsonLd => names("json-ld", "application/ld+json", "jsonld"),
        }
    }

    /// Stable name.
    pub fn name(self) -> &'static str {
        self.names().name
    }

    /// Format with a name, in any case.
    pub fn parse(name: &str) -> Option<Format> {
        let is_it = |format: &Format| format.name().eq_ignore_ascii_case(name);
        Format::ALL.into_iter().find(is_it)
    }

    /// Media type.
    pub fn media_type(self) -> &'static str {
        self.names().media_type
    }

    /// File extension, without the dot.
    pub fn extension(self) -> &'static str {
        self.names().extension
    }
}
