//! What a file says: nodes and edges of which facts may be missing, and what was mended to get them.

use fibula_knowledge::{Edge, Node, Observation, Schema};
use serde_json::{Map, Value as Json};

use super::error::Place;

/// What a file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Given {
    /// The nodes, each id once, in the order of the file.
    pub nodes: Vec<GivenNode>,
    /// The edges, in the order of the file. Each end is one of the nodes, or a function ("fn:3", "fn:3/7").
    pub edges: Vec<GivenEdge>,
    /// The declared types, if the file declares any.
    pub schema: Option<Schema>,
    /// What was not as it should be, and what was made of it, in the order in which it was found first.
    pub repairs: Vec<Repair>,
}

/// A node as a file gives it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GivenNode {
    /// What it is known by: given, or made up ("n1").
    pub id: String,
    /// What people call it; the id if the file does not say.
    pub label: String,
    /// What it is; at least one.
    pub types: Vec<String>,
    /// Whatever else is known of it.
    pub data: Map<String, Json>,
    /// What was noted of it, in order.
    pub observations: Vec<GivenObservation>,
    /// Where it is drawn; finite.
    pub position: Option<[f64; 2]>,
    /// Who made it.
    pub creator: Option<String>,
    /// When: milliseconds since 1970, UTC.
    pub created: Option<i64>,
    /// When it was changed last: milliseconds since 1970, UTC.
    pub modified: Option<i64>,
    /// How often it was written.
    pub version: Option<u32>,
    /// Its place in the order of nodes.
    pub order: Option<u64>,
    /// Whether nothing is said of it but that edges end there.
    pub is_end_only: bool,
}

/// Something that was noted of a node, as a file gives it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GivenObservation {
    /// What was noted.
    pub text: String,
    /// When: milliseconds since 1970, UTC.
    pub at: Option<i64>,
    /// By whom.
    pub by: Option<String>,
}

/// An edge as a file gives it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GivenEdge {
    /// What it is known by; each once.
    pub id: Option<String>,
    /// Where it begins.
    pub source: String,
    /// Where it ends.
    pub target: String,
    /// How the source is related to the target.
    pub ty: String,
    /// What people call it.
    pub label: Option<String>,
    /// Whatever else is known of it.
    pub data: Map<String, Json>,
    /// How long or how strong it is; finite.
    pub weight: Option<f64>,
    /// From when it holds: milliseconds since 1970, UTC.
    pub valid_from: Option<i64>,
    /// Until when it holds: milliseconds since 1970, UTC.
    pub valid_to: Option<i64>,
    /// Who made it.
    pub creator: Option<String>,
    /// When: milliseconds since 1970, UTC.
    pub created: Option<i64>,
    /// When it was changed last: milliseconds since 1970, UTC.
    pub modified: Option<i64>,
    /// Its place in the order of edges.
    pub order: Option<u64>,
}

/// Something in a file that was not as it should be, and what was made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// Which sort of repair: a stable word, such as `dangling_end`.
    pub what: &'static str,
    /// What was found the first time, and what was made of it.
    pub text: String,
    /// How often.
    pub count: usize,
    /// Where it was found first.
    pub first: Place,
}

impl From<Node> for GivenNode {
    fn from(node: Node) -> Self {
        GivenNode {
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
        }
    }
}

impl From<Observation> for GivenObservation {
    fn from(observation: Observation) -> Self {
        GivenObservation {
            text: observation.text,
            at: Some(observation.at),
            by: Some(observation.by),
        }
    }
}

impl From<Edge> for GivenEdge {
    fn from(edge: Edge) -> Self {
        GivenEdge {
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
