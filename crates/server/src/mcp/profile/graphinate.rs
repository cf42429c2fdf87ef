//! The toolset `graphinate`: the tools that Graphinate proposes for agents. Nodes and edges come one by one, in any order;
//! what is there already becomes more.

use fibula_service::{FindPath, GetNeighbors, GivenEdge, GivenNode, RenderGraph, SketchFormat};
use rmcp::handler::server::router::tool::ToolRoute;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::server::Server;
use super::{Call, Does, Head, Told, making, tool};

/// What attributes may call a node, the first that is there.
const LABELS: [&str; 3] = ["label", "name", "title"];
/// The attribute that is the length or strength of an edge.
const WEIGHT: &str = "weight";

/// A node.
#[derive(Debug, Deserialize, JsonSchema)]
struct IngestNode {
    /// Its id, such as "TP53".
    id: String,
    /// What it is, such as "gene".
    #[serde(rename = "type")]
    ty: String,
    /// Anything else; label, name or title is what it is called.
    #[serde(default)]
    attributes: Map<String, Value>,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// An edge.
#[derive(Debug, Deserialize, JsonSchema)]
struct IngestEdge {
    /// The id of the node where it begins, there or not yet.
    source: String,
    /// The id of the node where it ends.
    target: String,
    /// How they are related, such as "inhibits".
    #[serde(rename = "type")]
    ty: String,
    /// Anything else; weight is its length or strength.
    #[serde(default)]
    attributes: Map<String, Value>,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// The node whose neighbours are asked for.
#[derive(Debug, Deserialize, JsonSchema)]
struct Neighbors {
    /// Its id or label.
    id: String,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// The nodes between which a path is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
struct ShortestPath {
    /// Where it begins: an id or label.
    source: String,
    /// Where it ends.
    target: String,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// The picture that is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
struct Render {
    /// html, svg, png, mermaid or dot; html if left out.
    #[serde(default = "html")]
    #[schemars(with = "Option<SketchFormat>")]
    format: SketchFormat,
    /// The project; "default" if left out.
    project: Option<String>,
}

fn html() -> SketchFormat {
    SketchFormat::Html
}

pub(super) fn tools() -> Vec<ToolRoute<Server>> {
    let mut all = ingesting();
    all.extend(asking());
    all
}

fn ingesting() -> Vec<ToolRoute<Server>> {
    vec![
        tool(
            Head::new(
                "graph_ingest_node",
                "Ingest node",
                Does::Add,
                "Put a node into the graph; one with its id becomes more. Example: \
                 {\"id\":\"TP53\",\"type\":\"gene\",\"attributes\":{\"location\":\"17p13.1\"}}",
            ),
            |call: &mut Call<'_, IngestNode>| {
                let IngestNode {
                    id,
                    ty,
                    attributes,
                    project,
                } = &call.given;
                let label = LABELS
                    .iter()
                    .find_map(|name| attributes.get(*name)?.as_str());
                let node = GivenNode {
                    label: label.unwrap_or(id).to_owned(),
                    id: Some(id.clone()),
                    types: vec![ty.clone()],
                    data: attributes.clone(),
                    ..GivenNode::default()
                };
                let project = project.as_deref();
                let done = making(call.service, project, || {
                    call.service.ingest_node(call.origin, project, &node)
                });
                Told::pretty(&done?)
            },
        ),
        tool(
            Head::new(
                "graph_ingest_edge",
                "Ingest edge",
                Does::Add,
                "Put an edge into the graph; its ends may come later. Example: \
                 {\"source\":\"MDM2\",\"target\":\"TP53\",\"type\":\"inhibits\",\"attributes\":{\"weight\":2}}",
            ),
            |call: &mut Call<'_, IngestEdge>| {
                let IngestEdge {
                    source,
                    target,
                    ty,
                    attributes,
                    project,
                } = &call.given;
                let weight = attributes.get(WEIGHT).and_then(Value::as_f64);
                let mut data = attributes.clone();
                if weight.is_some() {
                    data.remove(WEIGHT);
                }
                let edge = GivenEdge {
                    source: source.clone(),
                    target: target.clone(),
                    ty: ty.clone(),
                    weight,
                    data,
                    ..GivenEdge::default()
                };
                let project = project.as_deref();
                let done = making(call.service, project, || {
                    call.service.ingest_edge(call.origin, project, &edge)
                });
                Told::pretty(&done?)
            },
        ),
    ]
}

fn asking() -> Vec<ToolRoute<Server>> {
    vec![
        tool(
            Head::new(
                "graph_get_neighbors",
                "Get neighbors",
                Does::Read,
                "Get what a node is joined to. Example: {\"id\":\"TP53\"}",
            ),
            |call: &mut Call<'_, Neighbors>| {
                let request = GetNeighbors {
                    project: call.given.project.clone(),
                    node: call.given.id.clone(),
                    ..GetNeighbors::default()
                };
                Told::pretty(&call.service.get_neighbors(&request)?)
            },
        ),
        tool(
            Head::new(
                "graph_shortest_path",
                "Shortest path",
                Does::Read,
                "Find the shortest path between two nodes. Example: {\"source\":\"MDM2\",\"target\":\"TP53\"}",
            ),
            |call: &mut Call<'_, ShortestPath>| {
                let request = FindPath {
                    project: call.given.project.clone(),
                    source: call.given.source.clone(),
                    target: call.given.target.clone(),
                    ..FindPath::default()
                };
                let found = call.service.find_path(&request, call.watch)?;
                let path = found.paths.first();
                let ids = path.map(|path| path.nodes.iter().map(|stop| stop.id.as_str()).collect());
                let ids: Vec<&str> = ids.unwrap_or_default();
                Told::pretty(&json!({ "found": found.found, "path": ids, "details": path }))
            },
        ),
        tool(
            Head::new(
                "graph_render",
                "Render graph",
                Does::Read,
                "Draw the graph: a page of HTML, an image, or text for Mermaid or Graphviz. Example: \
                 {\"format\":\"png\"}",
            ),
            |call: &mut Call<'_, Render>| {
                let request = RenderGraph {
                    project: call.given.project.clone(),
                    format: call.given.format,
                    ..RenderGraph::default()
                };
                let picture = call.service.render_graph(&request, call.watch)?;
                Told::drawn(picture)
            },
        ),
    ]
}
