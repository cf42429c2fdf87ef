//! The REST routes of CharmGPT's Graph Mode, below a base address of their own.
//!
//! A client of Graph Mode whose `apiBaseUrl` is `http://HOST/api/graph-mode` finds its routes and the form of their
//! answers, `{success, data}`, here. Refusals are those of all routes.

use fibula_service::{
    AddEdges, AddNodes, EdgeShown, GetEdge, GetHistory, GetNodes, GetState, GivenEdge, GivenNode,
    HistoryItem, KnowledgeRemoved, NodeShown, Refusal, RemoveKnowledge, Service, Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::graph_items::{Point, Position};
use crate::operation::{Call, Operation};

requests! {
    /// A conversation, whose graph is the project of that name.
    struct OfConversation {}

    /// A node to add.
    struct NewNode {
        /// Name for people.
        label: String,
        /// Its type; default "default".
        #[serde(rename = "type")]
        ty: Option<String>,
        /// Data of any kind.
        #[serde(default)]
        data: Map<String, Value>,
        /// {"x": x, "y": y}, or [x, y]
        position: Option<Position>,
        /// Its id; generated if left out.
        #[serde(rename = "customId")]
        custom_id: Option<String>,
    }

    /// An edge to add.
    struct NewEdge {
        /// A node's id or label.
        source: String,
        /// Likewise.
        target: String,
        /// Name for people.
        label: Option<String>,
        /// Relation of source to target; default "related_to".
        #[serde(rename = "type")]
        ty: Option<String>,
        /// Data of any kind.
        #[serde(default)]
        data: Map<String, Value>,
    }

    /// A node or an edge to delete.
    struct DeleteItem {
        /// Its id.
        id: String,
    }

    /// Request for the last changes.
    struct LastChanges {
        /// Maximum number of changes; default 20.
        limit: Option<u32>,
    }
}

/// An answer as Graph Mode has it.
#[derive(Debug, Serialize, JsonSchema)]
struct Enveloped<T> {
    success: bool,
    data: T,
}

impl<T> Enveloped<T> {
    fn new(data: T) -> Self {
        Enveloped {
            success: true,
            data,
        }
    }
}

/// A deletion as Graph Mode answers it.
#[derive(Debug, Serialize, JsonSchema)]
struct Deleted {
    success: bool,
    message: &'static str,
}

/// A whole graph.
#[derive(Debug, Serialize, JsonSchema)]
struct WholeGraph {
    nodes: Vec<GraphNode>,
    edges: Vec<GraphEdge>,
    metadata: Metadata,
}

/// Size and age of a graph.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    node_count: usize,
    edge_count: usize,
    /// Time of the last change; null if the conversation has no graph yet.
    last_updated: Option<String>,
}

/// A node.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GraphNode {
    id: String,
    label: String,
    /// Its first type.
    #[serde(rename = "type")]
    ty: String,
    data: Map<String, Value>,
    /// The origin if it was never placed.
    position: Point,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// An edge.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GraphEdge {
    id: String,
    source: String,
    target: String,
    label: Option<String>,
    #[serde(rename = "type")]
    ty: String,
    data: Map<String, Value>,
    created_at: Timestamp,
}

/// A change.
#[derive(Debug, Serialize, JsonSchema)]
struct PastChange {
    /// Its revision.
    id: u64,
    description: String,
    timestamp: String,
}

impl From<NodeShown> for GraphNode {
    fn from(node: NodeShown) -> Self {
        let [x, y] = node.position.unwrap_or_default();
        GraphNode {
            id: node.brief.id,
            label: node.brief.label,
            ty: node.brief.types.into_iter().next().unwrap_or_default(),
            data: node.data,
            position: Point { x, y },
            created_at: node.brief.created,
            updated_at: node.modified,
        }
    }
}

impl From<EdgeShown> for GraphEdge {
    fn from(edge: EdgeShown) -> Self {
        GraphEdge {
            id: edge.id,
            source: edge.source,
            target: edge.target,
            label: edge.label,
            ty: edge.ty,
            data: edge.data,
            created_at: edge.created,
        }
    }
}

impl From<HistoryItem> for PastChange {
    fn from(entry: HistoryItem) -> Self {
        PastChange {
            id: entry.revision,
            description: entry.label,
            timestamp: entry.at,
        }
    }
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::long(|service, _, request: OfConversation, _| {
            state(service, request.project).map(Enveloped::new)
        })
        .get(
            "/api/graph-mode/api/graph/{project}/state",
            "get_conversation_state",
            "Returns a whole graph as Graph Mode does",
        ),
        Operation::quick(|call, request| add_node(call, request).map(Enveloped::new)).post(
            "/api/graph-mode/api/graph/{project}/nodes",
            "add_conversation_node",
            "Adds a node as Graph Mode does; the first one creates the project",
        ),
        Operation::quick(|call, request| delete(call, request, true)).delete(
            "/api/graph-mode/api/graph/{project}/nodes/{id}",
            "delete_conversation_node",
            "Deletes a node with its edges, as Graph Mode does",
        ),
        Operation::quick(|call, request| add_edge(call, request).map(Enveloped::new)).post(
            "/api/graph-mode/api/graph/{project}/edges",
            "add_conversation_edge",
            "Adds an edge as Graph Mode does",
        ),
        Operation::quick(|call, request| delete(call, request, false)).delete(
            "/api/graph-mode/api/graph/{project}/edges/{id}",
            "delete_conversation_edge",
            "Deletes an edge as Graph Mode does",
        ),
        Operation::long(|service, _, request: LastChanges, _| {
            history(service, request.project, request.limit.unwrap_or(20)).map(Enveloped::new)
        })
        .get(
            "/api/graph-mode/api/graph/{project}/history",
            "get_conversation_history",
            "Lists the last changes as Graph Mode does",
        ),
    ]
}

/// A conversation without a project has an empty graph.
fn state(service: &Service, project: String) -> Result<WholeGraph, Refusal> {
    let last = match history(service, project.clone(), 1) {
        Ok(last) => last,
        Err(refusal) if refusal.code == "unknown_project" => {
            return Ok(WholeGraph::new(Vec::new(), Vec::new(), None));
        }
        Err(refusal) => return Err(refusal),
    };
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    let mut request = GetState {
        project: Some(project),
        revision: last.first().map(|change| change.id),
        ..GetState::default()
    };
    loop {
        let page = service.get_state(&request)?;
        nodes.extend(page.nodes.into_iter().map(GraphNode::from));
        edges.extend(page.edges.into_iter().map(GraphEdge::from));
        request.revision = Some(page.revision);
        request.cursor = page.next_cursor;
        if request.cursor.is_none() {
            let time = last.into_iter().next().map(|change| change.timestamp);
            return Ok(WholeGraph::new(nodes, edges, time));
        }
    }
}

impl WholeGraph {
    fn new(nodes: Vec<GraphNode>, edges: Vec<GraphEdge>, last_updated: Option<String>) -> Self {
        let metadata = Metadata {
            node_count: nodes.len(),
            edge_count: edges.len(),
            last_updated,
        };
        WholeGraph {
            nodes,
            edges,
            metadata,
        }
    }
}

fn history(service: &Service, project: String, limit: u32) -> Result<Vec<PastChange>, Refusal> {
    let request = GetHistory {
        project: Some(project),
        limit: Some(limit),
        ..GetHistory::default()
    };
    let shown = service.get_history(&request)?;
    Ok(shown.entries.into_iter().map(PastChange::from).collect())
}

fn add_node(call: &Call, request: NewNode) -> Result<GraphNode, Refusal> {
    if request.label.trim().is_empty() {
        let message = "the label is empty";
        return Err(Refusal::new("invalid_value", message).hint("give the node a name for people"));
    }
    let node = GivenNode {
        id: request.custom_id,
        label: request.label,
        types: vec![request.ty.unwrap_or_else(|| "default".to_owned())],
        data: request.data,
        position: request.position.map(Into::into),
        ..GivenNode::default()
    };
    let project = Some(request.project);
    let request = AddNodes {
        project: project.clone(),
        nodes: vec![node],
        ..AddNodes::default()
    };
    let add = |service: &Service| service.add_nodes(&call.origin, request.clone());
    let (added, _) = call.service.creating_project(project.as_deref(), add)?;
    let request = GetNodes {
        project,
        nodes: added.nodes,
        revision: Some(added.revision),
        cursor: None,
    };
    let nodes = call.service.get_nodes(&request)?.nodes;
    let node = nodes.into_iter().next().expect("the node that was added");
    Ok(node.node.into())
}

fn add_edge(call: &Call, request: NewEdge) -> Result<GraphEdge, Refusal> {
    let edge = GivenEdge {
        source: request.source,
        target: request.target,
        ty: request.ty.unwrap_or_else(|| "related_to".to_owned()),
        label: request.label,
        data: request.data,
        ..GivenEdge::default()
    };
    let request = AddEdges {
        project: Some(request.project),
        edges: vec![edge],
        ..AddEdges::default()
    };
    let added = call.service.add_edges(&call.origin, &request)?;
    let request = GetEdge {
        project: request.project,
        id: added
            .edges
            .into_iter()
            .next()
            .expect("the edge that was added"),
        revision: Some(added.revision),
    };
    Ok(call.service.get_edge(&request)?.edge.into())
}

fn delete(call: &Call, request: DeleteItem, is_node: bool) -> Result<Deleted, Refusal> {
    let (project, ids) = (Some(request.project), vec![request.id]);
    let (nodes, edges, message) = if is_node {
        (ids, Vec::new(), "Node deleted successfully")
    } else {
        (Vec::new(), ids, "Edge deleted successfully")
    };
    let removal = RemoveKnowledge {
        project,
        nodes,
        edges,
        ..RemoveKnowledge::default()
    };
    let KnowledgeRemoved { success, .. } = call.service.remove_knowledge(&call.origin, &removal)?;
    Ok(Deleted { success, message })
}
