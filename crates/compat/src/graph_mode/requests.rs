//! Arguments of the tools.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::InProject;

/// Selection of a graph.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Context {
    /// The conversation, which is the project's name.
    conversation_id: String,
}

/// Arguments of every call.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OfGraph {
    /// The graph; default: that of project "default".
    database_context: Option<Context>,
}

impl InProject for OfGraph {
    fn project(&self) -> Option<&str> {
        let context = self.database_context.as_ref();
        context.map(|context| context.conversation_id.as_str())
    }
}

/// Position of a node.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
pub(super) struct Place {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// A node to add.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct NodeInput {
    /// Label, such as "TP53".
    pub(super) label: String,
    /// Type, such as "gene".
    #[serde(rename = "type")]
    pub(super) ty: String,
    /// Further data: category, description, anything.
    #[serde(default)]
    pub(super) data: Map<String, Value>,
    /// Position in drawings.
    pub(super) position: Option<Place>,
    /// Id, such as "NCBIGene:7157"; generated if left out.
    pub(super) canonical_id: Option<String>,
}

/// An edge to add.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct EdgeInput {
    /// The source node: an id or label.
    pub(super) source: String,
    /// The target node.
    pub(super) target: String,
    /// Label, such as "inhibits".
    pub(super) label: Option<String>,
    /// Type, such as "biological".
    #[serde(rename = "type")]
    pub(super) ty: Option<String>,
    /// Further data.
    #[serde(default)]
    pub(super) data: Map<String, Value>,
}

/// Changes of a node.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct NodeChanges {
    /// Its new label.
    pub(super) label: Option<String>,
    /// Its new type.
    #[serde(rename = "type")]
    pub(super) ty: Option<String>,
    /// Changes of its data; null removes a member.
    pub(super) data: Map<String, Value>,
    /// New position.
    pub(super) position: Option<Place>,
}

/// Changes of an edge.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct EdgeChanges {
    /// New source.
    pub(super) source: Option<String>,
    /// New target.
    pub(super) target: Option<String>,
    /// Its new label.
    pub(super) label: Option<String>,
    /// Its new type.
    #[serde(rename = "type")]
    pub(super) ty: Option<String>,
    /// Changes of its data; null removes a member.
    pub(super) data: Map<String, Value>,
}

/// Filter of nodes by their number of edges; all conditions must hold.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ByDegree {
    /// Minimum.
    pub(super) min_degree: Option<usize>,
    /// Maximum.
    pub(super) max_degree: Option<usize>,
    /// Exact number.
    pub(super) exact_degree: Option<usize>,
    /// Only nodes of this type.
    pub(super) node_type: Option<String>,
    /// true only lists the nodes.
    #[serde(default)]
    pub(super) preview: bool,
}

/// Filter of nodes by type.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ByType {
    /// Nodes of these types.
    #[serde(default)]
    pub(super) node_types: Vec<String>,
    /// Or nodes of all other types.
    #[serde(default)]
    pub(super) exclude_types: Vec<String>,
    /// true only lists the nodes.
    #[serde(default)]
    pub(super) preview: bool,
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

/// Measure of centrality.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Metric {
    /// number of edges
    #[default]
    Degree,
    /// closeness to all others
    Closeness,
    /// number of shortest paths through the node
    Betweenness,
    /// importance of incoming edges
    Pagerank,
}

/// Direction of a layout.
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

/// Declares requests: the given fields, whose names are in camel case, and the graph.
macro_rules! requests {
    ($($name:ident { $($(#[$meta:meta])* $field:ident: $type:ty,)* })*) => {$(
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub(super) struct $name {
            $($(#[$meta])* pub(super) $field: $type,)*
            #[serde(flatten)]
            of: OfGraph,
        }

        impl InProject for $name {
            fn project(&self) -> Option<&str> {
                self.of.project()
            }
        }
    )*};
}

requests! {
    AddNode {
        #[serde(flatten)]
        node: NodeInput,
    }

    AddEdge {
        #[serde(flatten)]
        edge: EdgeInput,
    }

    AddMultipleNodes {
        /// The nodes.
        nodes: Vec<NodeInput>,
    }

    AddMultipleEdges {
        /// The edges.
        edges: Vec<EdgeInput>,
    }

    UpdateNode {
        /// The node: its id or label.
        #[serde(alias = "id")]
        node_id: String,
        /// Its new label.
        label: Option<String>,
        /// Its new type.
        #[serde(rename = "type")]
        ty: Option<String>,
        /// Changes of its data; null removes a member.
        #[serde(default)]
        data: Map<String, Value>,
        /// New position.
        position: Option<Place>,
        /// Or the same, together.
        updates: Option<NodeChanges>,
    }

    UpdateEdge {
        /// The edge's id.
        #[serde(alias = "id")]
        edge_id: String,
        /// New source.
        source: Option<String>,
        /// New target.
        target: Option<String>,
        /// Its new label.
        label: Option<String>,
        /// Its new type.
        #[serde(rename = "type")]
        ty: Option<String>,
        /// Changes of its data; null removes a member.
        #[serde(default)]
        data: Map<String, Value>,
        /// Or the same, together.
        updates: Option<EdgeChanges>,
    }

    AddNodeByCurie {
        /// The CURIE, such as "NCBIGene:7157", which becomes the id.
        curie: String,
        /// Label; default: the CURIE, since no other server is asked for its name.
        label: Option<String>,
        /// Type; default: that of the CURIE's prefix, if it has one.
        #[serde(rename = "type")]
        ty: Option<String>,
        /// Further data.
        #[serde(default)]
        data: Map<String, Value>,
        /// Position in drawings.
        position: Option<Place>,
    }

    AddNodeByName {
        /// Name, such as "TP53", which becomes the label.
        name: String,
        /// Type, such as "gene"; no other server is asked for it.
        #[serde(rename = "type")]
        ty: String,
        /// Further data.
        #[serde(default)]
        data: Map<String, Value>,
        /// Position in drawings.
        position: Option<Place>,
    }

    AnalyzeNode {
        /// The node: its id or label.
        node_id: String,
    }

    RemoveNode {
        /// The node: its id or label.
        node_id: String,
    }

    RemoveEdge {
        /// The edge's id.
        edge_id: String,
    }

    RemoveNodes {
        /// The nodes: their ids or labels.
        node_ids: Vec<String>,
        /// true only lists the nodes.
        #[serde(default)]
        preview: bool,
    }

    RemoveEdges {
        /// The edges' ids.
        edge_ids: Vec<String>,
        /// true only lists the edges.
        #[serde(default)]
        preview: bool,
    }

    RemoveByDegree {
        /// Filter of nodes.
        criteria: ByDegree,
        /// true only lists the nodes.
        #[serde(default)]
        preview: bool,
    }

    RemoveByType {
        /// Filter of nodes.
        criteria: ByType,
        /// true only lists the nodes.
        #[serde(default)]
        preview: bool,
    }

    GetGraphState {
        /// Only this part.
        filter: Option<Filter>,
    }

    FilterByType {
        /// The type, such as "gene".
        node_type: String,
    }

    ImportFromJson {
        /// {"nodes": [...], "edges": [...]}, or that as a text.
        data: Value,
    }

    SearchFor {
        /// Words, such as "tumor suppressor".
        query: String,
        /// Only nodes of this type.
        node_type: Option<String>,
        /// Maximum number of nodes; default 10.
        limit: Option<u32>,
    }

    PathBetween {
        /// Start: an id or label.
        source: String,
        /// End: an id or label.
        target: String,
    }

    Centrality {
        /// Default degree.
        #[serde(default)]
        #[schemars(with = "Option<Metric>")]
        metric: Metric,
        /// Maximum number of nodes; default 10.
        limit: Option<u32>,
    }

    Hierarchy {
        /// TB (down) or LR (to the right); default TB.
        #[serde(default)]
        #[schemars(with = "Option<Heading>")]
        direction: Heading,
    }
}
