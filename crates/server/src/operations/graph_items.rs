//! Single nodes and edges of the knowledge graph.

use fibula_service::{
    AddEdges, AddNodes, AddResult, EdgeUpdate, GetEdge, GetNodes, GivenEdge, GivenNode,
    GivenObservation, KnowledgeKind, KnowledgeRemoved, KnowledgeUpdated, ListKnowledge, NodeUpdate,
    OnConflict, Refusal, RemoveKnowledge, Service, Timestamp, UpdateKnowledge,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::deserialize_some;
use crate::operation::{Call, Operation};

/// A position in drawings.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(untagged, expecting = r#"a position is [x, y] or {"x": x, "y": y}"#)]
pub(super) enum Position {
    /// [x, y]
    List([f64; 2]),
    /// As Graph Mode has it.
    Object(Point),
}

/// A position by its coordinates.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Point {
    /// To the right.
    pub(super) x: f64,
    /// Down.
    pub(super) y: f64,
}

impl From<Position> for [f64; 2] {
    fn from(position: Position) -> [f64; 2] {
        match position {
            Position::List(place) => place,
            Position::Object(Point { x, y }) => [x, y],
        }
    }
}

requests! {
    /// A node to add.
    write struct AddNode {
        /// Name for people.
        label: String,
        /// Its type.
        #[serde(rename = "type")]
        ty: Option<String>,
        /// Its types, if it has several.
        types: Option<Vec<String>>,
        /// Data of any kind.
        #[serde(default)]
        data: Map<String, Value>,
        /// Observations, in order.
        #[serde(default)]
        observations: Vec<String>,
        /// [x, y], or {"x": x, "y": y}
        position: Option<Position>,
        /// Its id; generated if left out.
        #[serde(rename = "customId")]
        custom_id: Option<String>,
        /// Handling of a node with the same id.
        #[serde(default)]
        on_conflict: OnConflict,
    }

    /// An edge to add.
    write struct AddEdge {
        /// A node's id or label, or a function, its node or parameter: "fn:3", "fn:3/7", "fn:3#wall".
        source: String,
        /// Likewise.
        target: String,
        /// Relation of source to target; default "related_to".
        #[serde(rename = "type")]
        ty: Option<String>,
        /// Name for people.
        label: Option<String>,
        /// Data of any kind.
        #[serde(default)]
        data: Map<String, Value>,
        /// Length or strength of the edge.
        weight: Option<f64>,
        /// Start of validity.
        valid_from: Option<Timestamp>,
        /// End of validity.
        valid_to: Option<Timestamp>,
        /// Its id; generated if left out.
        #[serde(rename = "customId")]
        custom_id: Option<String>,
        /// Handling of an edge with the same ends and type.
        #[serde(default)]
        on_conflict: OnConflict,
    }

    /// Changes of a node.
    #[expect(
        clippy::option_option,
        reason = "a field that is left out is kept, and null removes it"
    )]
    write struct ChangeNode {
        /// The node: its id or label.
        id: String,
        /// Its new label.
        label: Option<String>,
        /// All of its types.
        types: Option<Vec<String>>,
        /// A merge patch: null removes a member.
        #[serde(default)]
        data: Map<String, Value>,
        /// Observations to add.
        #[serde(default)]
        add_observations: Vec<String>,
        /// Observations to remove, by their texts.
        #[serde(default)]
        remove_observations: Vec<String>,
        /// Position in drawings, [x, y] or {"x": x, "y": y}; null: chosen by the page.
        #[serde(default, deserialize_with = "deserialize_some")]
        position: Option<Option<Position>>,
    }

    /// Changes of an edge.
    #[expect(
        clippy::option_option,
        reason = "a field that is left out is kept, and null removes it"
    )]
    write struct ChangeEdge {
        /// The edge.
        id: String,
        /// Its new source.
        source: Option<String>,
        /// Its new target.
        target: Option<String>,
        /// Its new type.
        #[serde(rename = "type")]
        ty: Option<String>,
        /// Its new label; null: none.
        #[serde(default, deserialize_with = "deserialize_some")]
        label: Option<Option<String>>,
        /// A merge patch: null removes a member.
        #[serde(default)]
        data: Map<String, Value>,
        /// Its new weight; null: none.
        #[serde(default, deserialize_with = "deserialize_some")]
        weight: Option<Option<f64>>,
        /// Start of validity; null: unlimited.
        #[serde(default, deserialize_with = "deserialize_some")]
        valid_from: Option<Option<Timestamp>>,
        /// End of validity; null: unlimited.
        #[serde(default, deserialize_with = "deserialize_some")]
        valid_to: Option<Option<Timestamp>>,
    }

    /// Request for a node.
    struct GetItem {
        /// Its id.
        id: String,
        /// State at this revision.
        revision: Option<u64>,
    }

    /// Request to remove a node or an edge.
    write struct RemoveItem {
        /// Its id.
        id: String,
    }

    /// Request for a list of nodes or edges.
    struct ListItems {
        /// Only this type.
        #[serde(rename = "type")]
        ty: Option<String>,
        /// Only items of this creator.
        creator: Option<String>,
        /// State at this revision.
        revision: Option<u64>,
        /// Maximum number of items per page.
        limit: Option<u32>,
        /// next_cursor of the last page.
        cursor: Option<String>,
    }
}

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = nodes();
    operations.extend(edges());
    operations
}

fn nodes() -> Vec<Operation> {
    vec![
        Operation::quick(add_node).post(
            "/api/graph/{project}/nodes",
            "add_node",
            "Adds a node to the knowledge graph",
        ),
        Operation::long(|service, _, request: ListItems, _| {
            service.list_knowledge(&request.list(KnowledgeKind::Nodes))
        })
        .get(
            "/api/graph/{project}/nodes",
            "list_nodes",
            "Lists nodes in order of creation",
        ),
        Operation::quick(|call, request: GetItem| call.service.get_nodes(&request.node())).get(
            "/api/graph/{project}/nodes/{id}",
            "get_node",
            "Returns a node with its observations and edges",
        ),
        Operation::quick(update_node).patch(
            "/api/graph/{project}/nodes/{id}",
            "update_node",
            "Changes a node",
        ),
        Operation::quick(|call, request: RemoveItem| remove(call, request, true)).delete(
            "/api/graph/{project}/nodes/{id}",
            "remove_node",
            "Removes a node with its edges",
        ),
    ]
}

fn edges() -> Vec<Operation> {
    vec![
        Operation::quick(add_edge).post(
            "/api/graph/{project}/edges",
            "add_edge",
            "Adds an edge between nodes, or between a node and a function",
        ),
        Operation::long(|service, _, request: ListItems, _| {
            service.list_knowledge(&request.list(KnowledgeKind::Edges))
        })
        .get(
            "/api/graph/{project}/edges",
            "list_edges",
            "Lists edges in order of creation",
        ),
        Operation::quick(|call, request: GetEdge| call.service.get_edge(&request)).get(
            "/api/graph/{project}/edges/{id}",
            "get_edge",
            "Returns an edge",
        ),
        Operation::quick(update_edge).patch(
            "/api/graph/{project}/edges/{id}",
            "update_edge",
            "Changes an edge",
        ),
        Operation::quick(|call, request: RemoveItem| remove(call, request, false)).delete(
            "/api/graph/{project}/edges/{id}",
            "remove_edge",
            "Removes an edge",
        ),
    ]
}

impl ListItems {
    fn list(self, of: KnowledgeKind) -> ListKnowledge {
        ListKnowledge {
            project: Some(self.project),
            of,
            types: self.ty.into_iter().collect(),
            creator: self.creator,
            revision: self.revision,
            limit: self.limit,
            cursor: self.cursor,
            ..ListKnowledge::default()
        }
    }
}

impl GetItem {
    fn node(self) -> GetNodes {
        GetNodes {
            project: Some(self.project),
            nodes: vec![self.id],
            revision: self.revision,
            cursor: None,
        }
    }
}

fn add_node(call: &Call, request: AddNode) -> Result<AddResult, Refusal> {
    let types = request.types.into_iter().flatten();
    let notes = request.observations.into_iter();
    let node = GivenNode {
        id: request.custom_id,
        label: request.label,
        types: request.ty.into_iter().chain(types).collect(),
        data: request.data,
        observations: notes.map(GivenObservation::Text).collect(),
        position: request.position.map(Into::into),
        creator: None,
    };
    let request = AddNodes {
        project: Some(request.project),
        nodes: vec![node],
        on_conflict: request.on_conflict,
        expected_revision: request.expected_revision,
        dry_run: request.dry_run,
        ..AddNodes::default()
    };
    if request.dry_run {
        return call.service.add_nodes(&call.origin, request);
    }
    let project = request.project.clone().unwrap_or_default();
    let add = |service: &Service| service.add_nodes(&call.origin, request.clone());
    let (mut added, is_created) = call.service.creating_project(Some(&project), add)?;
    if is_created {
        let warning = format!("there was no project {project:?}; it was created");
        added.warnings.push(warning);
    }
    Ok(added)
}

fn add_edge(call: &Call, request: AddEdge) -> Result<AddResult, Refusal> {
    let edge = GivenEdge {
        id: request.custom_id,
        source: request.source,
        target: request.target,
        ty: request.ty.unwrap_or_else(|| "related_to".to_owned()),
        label: request.label,
        data: request.data,
        weight: request.weight,
        valid_from: request.valid_from,
        valid_to: request.valid_to,
        creator: None,
    };
    let request = AddEdges {
        project: Some(request.project),
        edges: vec![edge],
        on_conflict: request.on_conflict,
        expected_revision: request.expected_revision,
        dry_run: request.dry_run,
    };
    call.service.add_edges(&call.origin, &request)
}

fn update_node(call: &Call, request: ChangeNode) -> Result<KnowledgeUpdated, Refusal> {
    let notes = request.add_observations.into_iter();
    let node = NodeUpdate {
        id: request.id,
        label: request.label,
        types: request.types,
        data: request.data,
        add_observations: notes.map(GivenObservation::Text).collect(),
        remove_observations: request.remove_observations,
        position: request.position.map(|place| place.map(Into::into)),
    };
    let request = UpdateKnowledge {
        project: Some(request.project),
        nodes: vec![node],
        expected_revision: request.expected_revision,
        dry_run: request.dry_run,
        ..UpdateKnowledge::default()
    };
    call.service.update_knowledge(&call.origin, &request)
}

fn update_edge(call: &Call, request: ChangeEdge) -> Result<KnowledgeUpdated, Refusal> {
    let edge = EdgeUpdate {
        id: request.id,
        source: request.source,
        target: request.target,
        ty: request.ty,
        label: request.label,
        data: request.data,
        weight: request.weight,
        valid_from: request.valid_from,
        valid_to: request.valid_to,
    };
    let request = UpdateKnowledge {
        project: Some(request.project),
        edges: vec![edge],
        expected_revision: request.expected_revision,
        dry_run: request.dry_run,
        ..UpdateKnowledge::default()
    };
    call.service.update_knowledge(&call.origin, &request)
}

fn remove(call: &Call, request: RemoveItem, is_node: bool) -> Result<KnowledgeRemoved, Refusal> {
    let mut removal = RemoveKnowledge {
        project: Some(request.project),
        expected_revision: request.expected_revision,
        dry_run: request.dry_run,
        ..RemoveKnowledge::default()
    };
    let ids = if is_node {
        &mut removal.nodes
    } else {
        &mut removal.edges
    };
    ids.push(request.id);
    call.service.remove_knowledge(&call.origin, &removal)
}
