//! Arguments of the tools.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::InProject;

/// Which graph is meant.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Context {
    /// The conversation, which is the project's name.
    conversation_id: String,
}

/// What every call has.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OfGraph {
    /// Which graph; that of project "default" if left out.
    database_context: Option<Context>,
}

impl InProject for OfGraph {
    fn project(&self) -> Option<&str> {
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
        node_id: String,
        /// Its new label.
        label: Option<String>,
        /// Its new type.
        #[serde(rename = "type")]
        ty: Option<String>,
        /// What changes of its data; null takes a member away.
        #[serde(default)]
        data: Map<String, Value>,
        /// Where it is drawn now.
        position: Option<Place>,
    }

    UpdateEdge {
        /// The edge's id.
        edge_id: String,
        /// Where it begins now.
        source: Option<String>,
        /// Where it ends now.
        target: Option<String>,
        /// Its new label.
        label: Option<String>,
        /// Its new type.
        #[serde(rename = "type")]
        ty: Option<String>,
        /// What changes of its data; null takes a member away.
        #[serde(default)]
        data: Map<String, Value>,
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
    }

    RemoveEdges {
        /// The edges' ids.
        edge_ids: Vec<String>,
    }

    RemoveByDegree {
        /// Which nodes.
        criteria: ByDegree,
    }

    RemoveByType {
        /// Which nodes.
        criteria: ByType,
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
        /// The most nodes; 10 if left out.
        limit: Option<u32>,
    }

    PathBetween {
        /// Where it begins: an id or label.
        source: String,
        /// Where it ends.
        target: String,
    }

    Centrality {
        /// degree if left out.
        #[serde(default)]
        #[schemars(with = "Option<Metric>")]
        metric: Metric,
        /// The most nodes; 10 if left out.
        limit: Option<u32>,
    }

    Hierarchy {
        /// TB (down) or LR (to the right); TB if left out.
        #[serde(default)]
        #[schemars(with = "Option<Heading>")]
        direction: Heading,
    }
}
