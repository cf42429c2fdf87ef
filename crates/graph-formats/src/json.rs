//! Fibula's own format: every fact of nodes and edges as it is.
//!
//! ```json
//! { "format": "fibula-graph", "version": 1, "title": "...", "nodes": [...], "edges": [...], "schema": {...} }
//! ```
//!
//! Nodes, edges and the schema are written as everywhere in Fibula. Who writes such a file by hand gives a node an id, and
//! an edge a source, a target and a type; the rest may be missing.

use std::io::Write;

use fibula_knowledge::{EdgeRef, NodeRef, Schema};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value as Json};

use super::error::{FormatError, Place, WriteError};
use super::fields::Fields;
use super::gather::{FoundEdge, FoundNode, Gathering};
use super::given::{GivenEdge, GivenNode, GivenObservation};
use super::stream::{self, Document, Part};
use super::written::{Graph, Written};

/// What says that a file is of this format.
pub(super) const NAME: &str = "fibula-graph";
/// The version that is written, and the highest that is read.
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
    observations: Vec<Observation>,
    position: Option<[f64; 2]>,
    creator: Option<String>,
    created: Option<i64>,
    modified: Option<i64>,
    version: Option<u32>,
    order: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Observation {
    text: String,
    at: Option<i64>,
    by: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edge {
    id: Option<String>,
    source: String,
    target: String,
    #[serde(rename = "type")]
    ty: String,
    label: Option<String>,
    #[serde(default)]
    data: Map<String, Json>,
    weight: Option<f64>,
    valid_from: Option<i64>,
    valid_to: Option<i64>,
    creator: Option<String>,
    created: Option<i64>,
    modified: Option<i64>,
    order: Option<u64>,
}

struct Reading<'a, 'w> {
    to: &'a mut Gathering<'w>,
    is_named: bool,
}

/// Reads a file.
pub(super) fn read(text: &str, to: &mut Gathering<'_>) -> Result<(), FormatError> {
    let mut reading = Reading {
        to,
        is_named: false,
    };
    stream::read(text, &mut reading)?;
    if reading.is_named {
        return Ok(());
    }
    Err(FormatError::invalid(
        Place::File,
        format!(
            "\"format\": \"{NAME}\" is missing; files of other programs are read as 'node-link', 'cytoscape' or 'json-ld'"
        ),
    ))
}

impl Document for Reading<'_, '_> {
    fn part(&mut self, key: &str) -> Part {
        match key {
            "nodes" => Part::Nodes,
            "edges" => Part::Edges,
            _ => Part::Other,
        }
    }

    fn item(&mut self, part: Part, item: Fields) -> Result<(), FormatError> {
        let place = self.place(part);
        let wrong = |error: serde_json::Error| FormatError::invalid(place, error.to_string());
        if part == Part::Edges {
            let edge = serde_json::from_value(Json::Object(item)).map_err(wrong)?;
            return self.to.edge(place, found_edge(edge));
        }
        let node = serde_json::from_value(Json::Object(item)).map_err(wrong)?;
        self.to.node(place, found_node(node))
    }

    fn other(&mut self, key: String, value: Json) -> Result<(), FormatError> {
        let wrong = |problem: String| FormatError::invalid(Place::File, problem);
        match &*key {
            "format" if value == NAME => self.is_named = true,
            "format" => {
                return Err(wrong(format!(
                    "the format is {value}, where \"{NAME}\" is to be"
                )));
            }
            "version"
                if value
                    .as_u64()
                    .is_some_and(|version| (1..=VERSION).contains(&version)) => {}
            "version" => {
                return Err(FormatError::Unsupported(format!(
                    "the file is of version {value}, and versions up to {VERSION} are read; read it with a newer Fibula"
                )));
            }
            "title" => {}
            "schema" => {
                let schema: Schema = serde_json::from_value(value)
                    .map_err(|error| wrong(format!("the schema: {error}")))?;
                self.to.schema(schema);
            }
            _ => {
                let key = super::error::brief(&key);
                return Err(wrong(format!(
                    "'{key}' is none of format, version, title, nodes, edges and schema"
                )));
            }
        }
        Ok(())
    }

    fn place(&self, part: Part) -> Place {
        if part == Part::Edges {
            self.to.edge_place()
        } else {
            self.to.node_place()
        }
    }
}

fn found_node(node: Node) -> FoundNode {
    let observation = |one: Observation| GivenObservation {
        text: one.text,
        at: one.at,
        by: one.by,
    };
    FoundNode {
        id: Some(node.id),
        label: node.label,
        rest: GivenNode {
            types: node.types,
            data: node.data,
            observations: node.observations.into_iter().map(observation).collect(),
            position: node.position,
            creator: node.creator,
            created: node.created,
            modified: node.modified,
            version: node.version,
            order: node.order,
            ..GivenNode::default()
        },
    }
}

fn found_edge(edge: Edge) -> FoundEdge {
    FoundEdge {
        source: Some(edge.source),
        target: Some(edge.target),
        ty: Some(edge.ty),
        rest: GivenEdge {
            id: edge.id,
            label: edge.label,
            data: edge.data,
            weight: edge.weight,
            valid_from: edge.valid_from,
            valid_to: edge.valid_to,
            creator: edge.creator,
            created: edge.created,
            modified: edge.modified,
            order: edge.order,
            ..GivenEdge::default()
        },
    }
}

/// Nodes that are written out one after the other.
struct Nodes<'a>(&'a [NodeRef<'a>]);

/// Edges that are written out one after the other.
struct Edges<'a>(&'a [EdgeRef<'a>]);

impl Serialize for Nodes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(NodeRef::written))
    }
}

impl Serialize for Edges<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(EdgeRef::written))
    }
}

#[derive(Serialize)]
struct File<'a> {
    format: &'static str,
    version: u64,
    title: &'a str,
    nodes: Nodes<'a>,
    edges: Edges<'a>,
    schema: &'a Schema,
}

/// Writes a graph.
pub(super) fn write(graph: &Graph<'_>, out: &mut dyn Write) -> Result<Written, WriteError> {
    let file = File {
        format: NAME,
        version: VERSION,
        title: graph.title,
        nodes: Nodes(graph.nodes),
        edges: Edges(graph.edges),
        schema: graph.schema,
    };
    serde_json::to_writer(&mut *out, &file)?;
    out.write_all(b"\n")?;
    Ok(Written::default())
}
