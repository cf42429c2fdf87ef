//! The formats, and how one is told from another.

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

/// What is said of a format once.
struct Facts {
    name: &'static str,
    media_type: &'static str,
    extension: &'static str,
}

impl Format {
    /// Every format.
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

    fn facts(self) -> Facts {
        let facts = |name, media_type, extension| Facts {
            name,
            media_type,
            extension,
        };
        match self {
            Format::Json => facts("json", "application/json", "json"),
            Format::NodeLink => facts("node-link", "application/json", "json"),
            Format::GraphMl => facts("graphml", "application/graphml+xml", "graphml"),
            Format::Gexf => facts("gexf", "application/gexf+xml", "gexf"),
            Format::Csv => facts("csv", "text/csv", "csv"),
            Format::Cytoscape => facts("cytoscape", "application/json", "cyjs"),
            Format::Dot => facts("dot", "text/vnd.graphviz", "dot"),
            Format::Mermaid => facts("mermaid", "text/vnd.mermaid", "mmd"),
            Format::MemoryJsonl => facts("memory-jsonl", "application/jsonl", "jsonl"),
            Format::JsonLd => facts("json-ld", "application/ld+json", "jsonld"),
        }
    }

    /// Its name, which stays as it is.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// The format with this name, in any case.
    pub fn parse(name: &str) -> Option<Format> {
        let is_it = |format: &Format| format.name().eq_ignore_ascii_case(name);
        Format::ALL.into_iter().find(is_it)
    }

    /// What HTTP calls it.
    pub fn media_type(self) -> &'static str {
        self.facts().media_type
    }

    /// The ending of its files, without the dot.
    pub fn extension(self) -> &'static str {
        self.facts().extension
    }
}
