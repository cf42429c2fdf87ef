//! Fibula's own format, which is lossless.
//!
//! ```json
//! { "format": "fibula-graph", "version": 1, "title": "...", "nodes": [...], "edges": [...], "schema": {...} }
//! ```
//!
//! Nodes, edges and the schema are written as everywhere in Fibula. Required are the id of a node, and the source, the target
//! and the type of an edge.

use std::io::Write;

use fibula_knowledge::{EdgeRef, NodeRef, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::builder::{ElementKind, GraphBuilder, RawEdge, RawNode};
use super::error::{FileLocation, FormatError, WriteError};
use super::fields::Fields;
use super::graph::{Graph, WriteReport};
use super::imported::{ImportedEdge, ImportedNode, ImportedObservation};
use super::stream::{self, Document, Part, Sequence};

/// Value of "format".
pub(super) const NAME: &str = "fibula-graph";
/// Version that is written, and highest version that is read.
const VERSION: u64 = 1;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Node {
    id: String,
    label: Option<String>,
    #[serde(default)]
    types: Vec<String>,
    #[serde(default)]
    data: Map<String, Json>,
    #[serde(default)]
    observations: Vec<ImportedObservation>,
    position: Option<[f64; 2]>,
    creator: Option<String>,
    created: Option<i64>,
    modified: Option<i64>,
    version: Option<u32>,
    order: Option<u64>,
}

/// Reader of a document; true if the document names the format.
struct JsonReader(bool);

/// Reads a file.
pub(super) fn read(text: &str, to: &mut GraphBuilder<'_>) -> Result<(), FormatError> {
    let mut reader = JsonReader(false);
    stream::read(text, &mut reader, to)?;
    if reader.0 {
        return Ok(());
    }
    Err(FormatError::invalid(
        FileLocation::File,
        format!(
            "\"format\": \"{NAME}\" is missing; files of other programs are read as 'node-link', 'cytoscape' or 'json-ld'"
        ),
    ))
}

impl Document for JsonReader {
    fn part(&mut self, key: &str) -> Part {
        match key {
            "nodes" => Part::Nodes,
            "edges" => Part::Edges,
            _ => Part::Other,
        }
    }

    fn item(
        &mut self,
        part: Part,
        item: Fields,
        to: &mut GraphBuilder<'_>,
    ) -> Result<(), FormatError> {
        let kind = part.kind().unwrap_or(ElementKind::Node);
        let location = to.next_location(kind);
        let wrong = |error: serde_json::Error| FormatError::invalid(location, error.to_string());
        let item = Json::Object(item);
        match kind {
            ElementKind::Node => {
                let node: Node = serde_json::from_value(item).map_err(wrong)?;
                to.node(location, node.into())
            }
            ElementKind::Edge => {
                let edge: ImportedEdge = serde_json::from_value(item).map_err(wrong)?;
                to.edge(location, edge.into())
            }
        }
    }

    fn other(
        &mut self,
        key: String,
        value: Json,
        to: &mut GraphBuilder<'_>,
    ) -> Result<(), FormatError> {
        let wrong = |problem: String| FormatError::invalid(FileLocation::File, problem);
        let version = |value: &Json| value.as_u64().unwrap_or_default();
        match &*key {
            "format" if value == NAME => self.0 = true,
            "format" => {
                return Err(wrong(format!(
                    "the format is {value}, but must be \"{NAME}\""
                )));
            }
            "version" if (1..=VERSION).contains(&version(&value)) => {}
            "version" => {
                return Err(FormatError::Unsupported(format!(
                    "the file has version {value}, but this program reads versions up to {VERSION}; use a newer Fibula"
                )));
            }
            "title" => {}
            "schema" => to.parse_schema(value)?,
            _ => {
                let key = super::error::brief(&key);
                return Err(wrong(format!(
                    "unknown key '{key}'; the keys are format, version, title, nodes, edges and schema"
                )));
            }
        }
        Ok(())
    }
}

impl From<Node> for RawNode {
    fn from(node: Node) -> RawNode {
        RawNode {
            id: Some(node.id),
            label: node.label,
            rest: ImportedNode {
                types: node.types,
                data: node.data,
                observations: node.observations,
                position: node.position,
                creator: node.creator,
                created: node.created,
                modified: node.modified,
                version: node.version,
                order: node.order,
                ..ImportedNode::default()
            },
        }
    }
}

impl From<ImportedEdge> for RawEdge {
    fn from(mut rest: ImportedEdge) -> RawEdge {
        let [source, target, ty] = [&mut rest.source, &mut rest.target, &mut rest.ty]
            .map(|text| Some(std::mem::take(text)));
        RawEdge {
            source,
            target,
            ty,
            rest,
        }
    }
}

#[derive(Serialize)]
struct File<'a, N, E> {
    format: &'static str,
    version: u64,
    title: &'a str,
    nodes: N,
    edges: E,
    schema: &'a Schema,
}

/// Writes a graph.
pub(super) fn write(graph: &Graph<'_>, out: &mut dyn Write) -> Result<WriteReport, WriteError> {
    let file = File {
        format: NAME,
        version: VERSION,
        title: graph.title,
        nodes: Sequence(|| graph.nodes.iter().map(NodeRef::written)),
        edges: Sequence(|| graph.edges.iter().map(EdgeRef::written)),
        schema: graph.schema,
    };
    stream::write(&file, out)
}
