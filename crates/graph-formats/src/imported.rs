//! Graphs as read from files: nodes and edges with optional properties, and the repairs that were made.

use fibula_knowledge::{Edge, Node, Observation, Schema};
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::error::FileLocation;

/// A graph as read from a file.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ImportedGraph {
    /// Nodes, each id once, in the order of the file.
    pub nodes: Vec<ImportedNode>,
    /// Edges, in the order of the file. Each end is one of the nodes, or a function ("fn:3", "fn:3/7", "fn:3#radius").
    pub edges: Vec<ImportedEdge>,
    /// Declared types, if the file declares any.
    pub schema: Option<Schema>,
    /// Repairs, in the order of their first occurrences.
    pub repairs: Vec<Repair>,
}

/// A node as read from a file.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ImportedNode {
    /// Id, of the file or generated ("n1").
    pub id: String,
    /// Label; the id if the file has none.
    pub label: String,
    /// Types, at least one.
    pub types: Vec<String>,
    /// All other data.
    pub data: Map<String, Json>,
    /// Observations, in order.
    pub observations: Vec<ImportedObservation>,
    /// Position in drawings; finite.
    pub position: Option<[f64; 2]>,
    /// Creator.
    pub creator: Option<String>,
    /// Time of creation: milliseconds since 1970, UTC.
    pub created: Option<i64>,
    /// Time of the last change: milliseconds since 1970, UTC.
    pub modified: Option<i64>,
    /// Version.
    pub version: Option<u32>,
    /// Number in the order of nodes.
    pub order: Option<u64>,
    /// True if the file only names it, at ends of edges.
    pub is_end_only: bool,
    /// True if the file has no id of it.
    pub is_id_generated: bool,
}

/// An observation of a node, as read from a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "struct Observation")]
#[non_exhaustive]
pub struct ImportedObservation {
    /// Text.
    pub text: String,
    /// Time: milliseconds since 1970, UTC.
    pub at: Option<i64>,
    /// Author.
    pub by: Option<String>,
}

/// An edge as read from a file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ImportedEdge {
    /// Id, unique.
    pub id: Option<String>,
    /// Id of the source.
    pub source: String,
    /// Id of the target.
    pub target: String,
    /// Type: the relation of the source to the target.
    #[serde(rename = "type")]
    pub ty: String,
    /// Label.
    pub label: Option<String>,
    /// All other data.
    #[serde(default)]
    pub data: Map<String, Json>,
    /// Weight; finite.
    pub weight: Option<f64>,
    /// Start of its validity: milliseconds since 1970, UTC.
    pub valid_from: Option<i64>,
    /// End of its validity: milliseconds since 1970, UTC.
    pub valid_to: Option<i64>,
    /// Creator.
    pub creator: Option<String>,
    /// Time of creation: milliseconds since 1970, UTC.
    pub created: Option<i64>,
    /// Time of the last change: milliseconds since 1970, UTC.
    pub modified: Option<i64>,
    /// Number in the order of edges.
    pub order: Option<u64>,
}

/// A defect of a file, and its repair.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repair {
    /// Stable code of the repair, such as `dangling_end`.
    pub what: &'static str,
    /// Description of the first occurrence.
    pub text: String,
    /// Number of occurrences.
    pub count: usize,
    /// Location of the first occurrence.
    pub first: FileLocation,
}

impl From<Node> for ImportedNode {
    fn from(node: Node) -> Self {
        ImportedNode {
            id: node.id,
            label: node.label,
            types: node.types,
            data: node.data,
            observations: node.observations.into_iter().map(Into::into).collect(),
            position: node.position,
            creator: Some(node.creator),
            created: Some(node.created),
            modified: Some(node.modified),
            version: Some(node.version),
            order: Some(node.order),
            is_end_only: false,
            is_id_generated: false,
        }
    }
}

impl From<Observation> for ImportedObservation {
    fn from(observation: Observation) -> Self {
        ImportedObservation {
            text: observation.text,
            at: Some(observation.at),
            by: Some(observation.by),
        }
    }
}

impl From<Edge> for ImportedEdge {
    fn from(edge: Edge) -> Self {
        ImportedEdge {
            id: Some(edge.id),
            source: edge.source,
            target: edge.target,
            ty: edge.ty,
            label: edge.label,
            data: edge.data,
            weight: edge.weight,
            valid_from: edge.valid_from,
            valid_to: edge.valid_to,
            creator: Some(edge.creator),
            created: Some(edge.created),
            modified: Some(edge.modified),
            order: Some(edge.order),
        }
    }
}
