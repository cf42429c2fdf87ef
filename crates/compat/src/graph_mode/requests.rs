//! Arguments of the tools.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Which graph is meant.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Context {
    /// The conversation, which is the project's name.
    pub(super) conversation_id: String,
}

/// What every call has.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OfGraph {
    /// Which graph; that of project "default" if left out.
    pub(super) database_context: Option<Context>,
}

impl OfGraph {
    pub(super) fn project(&self) -> Option<&str> {
        let context = self.database_context.as_ref();
        context.map(|context| context.conversation_id.as_str())
    }
}

/// Where a node is drawn.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
pub(super) struct Place {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// A node that is to be there.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct NodeInput {
    /// What it is called, such as "TP53".
    pub(super) label: String,
    /// What it is, such as "gene".
    #[serde(rename = "type")]
    pub(super) ty: String,
    /// More about it: category, description, anything.
    #[serde(default)]
    pub(super) data: Map<String, Value>,
    /// Where it is drawn.
    pub(super) position: Option<Place>,
    /// Its id, such as "NCBIGene:7157"; made up if left out.
    pub(super) canonical_id: Option<String>,
}

/// An edge that is to be there.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct EdgeInput {
    /// The node where it begins: an id or label.
    pub(super) source: String,
    /// The node where it ends.
    pub(super) target: String,
    /// What it says, such as "inhibits".
    pub(super) label: Option<String>,
    /// What it is, such as "biological".
    #[serde(rename = "type")]
    pub(super) ty: Option<String>,
    /// More about it.
    #[serde(default)]
    pub(super) data: Map<String, Value>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AddNode {
    #[serde(flatten)]
    pub(super) node: NodeInput,
    #[serde(flatten)]
    pub(super) of: OfGraph,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AddEdge {
    #[serde(flatten)]
    pub(super) edge: EdgeInput,
    #[serde(flatten)]
    pub(super) of: OfGraph,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AddMultipleNodes {
    /// The nodes.
    pub(super) nodes: Vec<NodeInput>,
    #[serde(flatten)]
    pub(super) of: OfGraph,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AddMultipleEdges {
    /// The edges.
    pub(super) edges: Vec<EdgeInput>,
    #[serde(flatten)]
    pub(super) of: OfGraph,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct UpdateNode {
    /// The node: its id or label.
    pub(super) node_id: String,
    /// Its new label.
    pub(super) label: Option<String>,
    /// Its new type.
    #[serde(rename = "type")]
    pub(super) ty: Option<String>,
    /// What changes of its data; null takes a member away.
    #[serde(default)]
    pub(super) data: Map<String, Value>,
    /// Where it is drawn now.
    pub(super) position: Option<Place>,
    #[serde(flatten)]
    pub(super) of: OfGraph,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct UpdateEdge {
    /// The edge's id.
    pub(super) edge_id: String,
    /// Where it begins now.
    pub(super) source: Option<String>,
    /// Where it ends now.
    pub(super) target: Option<String>,
    /// Its new label.
    pub(super) label: Option<String>,
    /// Its new type.
    #[serde(rename = "type")]
    pub(super) ty: Option<String>,
    /// What changes of its data; null takes a member away.
    #[serde(default)]
    pub(super) data: Map<String, Value>,
    #[serde(flatten)]
    pub(super) of: OfGraph,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RemoveNode {
    /// The node: its id or label.
    pub(super) node_id: String,
    #[serde(flatten)]
    pub(super) of: OfGraph,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RemoveEdge {
    /// The edge's id.
    pub(super) edge_id: String,
    #[serde(flatten)]
    pub(super) of: OfGraph,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RemoveNodes {
    /// The nodes: their ids or labels.
    pub(super) node_ids: Vec<String>,
    #[serde(flatten)]
    pub(super) of: OfGraph,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RemoveEdges {
    /// The edges' ids.
    pub(super) edge_ids: Vec<String>,
    #[serde(flatten)]
    pub(super) of: OfGraph,
}

/// Nodes by how many edges they have; all that is said has to be so.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ByDegree {
    /// At least so many.
    pub(super) min_degree: Option<usize>,
    /// At most so many.
    pub(super) max_degree: Option<usize>,
    /// Just as many.
    pub(super) exact_degree: Option<usize>,
    /// Only nodes of this type.
    pub(super) node_type: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RemoveByDegree {
    /// Which nodes.
    pub(super) criteria: ByDegree,
    #[serde(flatten)]
    pub(super) of: OfGraph,
}

/// Nodes by type.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ByType {
    /// Those of these types.
    #[serde(default)]
    pub(super) node_types: Vec<String>,
    /// Or all but those of these.
    #[serde(default)]
    pub(super) exclude_types: Vec<String>,
    /// true tells what would go.
    #[serde(default)]
    pub(super) preview: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RemoveByType {
    /// Which nodes.
    pub(super) criteria: ByType,
    #[serde(flatten)]
    pub(super) of: OfGraph,
}

/// A part of a graph.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Filter {
    /// Only nodes of this type.
    pub(super) node_type: Option<String>,
    /// Only edges of this type.
    pub(super) edge_type: Option<String>,
    /// Only these nodes, and edges between them.
    #[serde(default)]
    pub(super) node_ids: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetGraphState {
    /// Only this part.
    pub(super) filter: Option<Filter>,
    #[serde(flatten)]
    pub(super) of: OfGraph,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FilterByType {
    /// The type, such as "gene".
    pub(super) node_type: String,
    #[serde(flatten)]
    pub(super) of: OfGraph,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ImportFromJson {
    /// {"nodes": [...], "edges": [...]}, or that as a text.
    pub(super) data: Value,
    #[serde(flatten)]
    pub(super) of: OfGraph,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SearchFor {
    /// Words, such as "tumor suppressor".
    pub(super) query: String,
    /// Only nodes of this type.
    pub(super) node_type: Option<String>,
    /// The most nodes; 10 if left out.
    pub(super) limit: Option<u32>,
    #[serde(flatten)]
    pub(super) of: OfGraph,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PathBetween {
    /// Where it begins: an id or label.
    pub(super) source: String,
    /// Where it ends.
    pub(super) target: String,
    #[serde(flatten)]
    pub(super) of: OfGraph,
}

/// How important nodes are told by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Metric {
    /// how many edges
    #[default]
    Degree,
    /// how near to all others
    Closeness,
    /// how many shortest paths go through
    Betweenness,
    /// how much leads there
    Pagerank,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Centrality {
    /// degree if left out.
    #[serde(default)]
    #[schemars(with = "Option<Metric>")]
    pub(super) metric: Metric,
    /// The most nodes; 10 if left out.
    pub(super) limit: Option<u32>,
    #[serde(flatten)]
    pub(super) of: OfGraph,
}

/// Where a layout goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub(super) enum Heading {
    /// down
    #[default]
    #[serde(rename = "TB")]
    Down,
    /// to the right
    #[serde(rename = "LR")]
    Right,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Hierarchy {
    /// TB (down) or LR (to the right); TB if left out.
    #[serde(default)]
    #[schemars(with = "Option<Heading>")]
    pub(super) direction: Heading,
    #[serde(flatten)]
    pub(super) of: OfGraph,
}
