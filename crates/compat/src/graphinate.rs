//! The toolset `graphinate`: the tools that Graphinate proposes for agents. Nodes and edges are added one by one, in any order;
//! existing ones are merged.

use fibula_service::{FindPath, GetNeighbors, GivenEdge, GivenNode, RenderGraph, SketchFormat};
use rmcp::model::Resource;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use fibula_server::graph_picture;
use fibula_server::mcp::{GRAPH_EXPORT, GRAPH_SCHEMA, GRAPH_SUMMARY, Prompt};
use fibula_server::operation::{Effect, Operation, ToolAnswer};

use crate::{Call, creating_project, profile};

/// Name of the toolset.
pub(crate) const NAME: &str = "graphinate";

/// Attributes with the label of a node, by precedence.
const LABELS: [&str; 3] = ["label", "name", "title"];
/// Attribute with the weight of an edge.
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

/// Arguments of `graph_get_neighbors`.
#[derive(Debug, Deserialize, JsonSchema)]
struct Neighbors {
    /// Its id or label.
    id: String,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// Arguments of `graph_shortest_path`.
#[derive(Debug, Deserialize, JsonSchema)]
struct ShortestPath {
    /// Where it begins: an id or label.
    source: String,
    /// Where it ends.
    target: String,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// Arguments of `graph_render`.
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

/// The prompt for these tools.
pub(crate) fn prompts() -> Vec<Prompt> {
    vec![Prompt::visualize_text(
        &[
            "graph_ingest_node",
            "graph_ingest_edge",
            "graph_get_neighbors",
            "graph_render",
        ],
        "1. Name what the text is about: people, things, places, claims. One graph_ingest_node for each, however often \
         it is named, with an id that says what it is; types are singular nouns. A short quotation from the text, \
         dates and numbers go into attributes.\n\
         2. Name how they are related, only as the text says it. One graph_ingest_edge for each; types are verbs in \
         active voice, from the one who does to what it is done to.\n\
         3. Check with graph_get_neighbors: what stands alone lacks an edge.\n\
         4. Show it by graph_render.\n\
         5. Tell",
    )]
}

/// The resources: the knowledge graph of the default project.
pub(crate) fn resources() -> Vec<Resource> {
    let resource = |address, name, title, description, media| {
        Resource::new(address, name)
            .with_title(title)
            .with_description(description)
            .with_mime_type(media)
    };
    vec![
        resource(
            GRAPH_SUMMARY,
            "graph/summary",
            "Graph summary",
            "How many nodes and edges of each type, and how dense the graph is",
            "text/plain",
        ),
        resource(
            GRAPH_SCHEMA,
            "graph/schema",
            "Graph schema",
            "The schema of the graph in GraphQL",
            "application/graphql",
        ),
        resource(
            GRAPH_EXPORT,
            "graph/export",
            "Graph",
            "All nodes and edges as JSON",
            "application/json",
        ),
    ]
}

pub(crate) fn operations() -> Vec<Operation> {
    let mut all = write_operations();
    all.extend(read_operations());
    all
}

fn write_operations() -> Vec<Operation> {
    vec![
        profile(|call: &mut Call<'_, IngestNode>| {
            let IngestNode {
                id,
                ty,
                attributes,
                project,
            } = &call.request;
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
            let done = creating_project(call.service, project, || {
                call.service.ingest_node(call.origin, project, &node)
            });
            ToolAnswer::pretty(&done?)
        })
        .tool(
            NAME,
            "graph_ingest_node",
            "Ingest node",
            Effect::Add,
            "Put a node into the graph; one with its id becomes more. Example: \
             {\"id\":\"TP53\",\"type\":\"gene\",\"attributes\":{\"location\":\"17p13.1\"}}",
        ),
        profile(|call: &mut Call<'_, IngestEdge>| {
            let IngestEdge {
                source,
                target,
                ty,
                attributes,
                project,
            } = &call.request;
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
            let done = creating_project(call.service, project, || {
                call.service.ingest_edge(call.origin, project, &edge)
            });
            ToolAnswer::pretty(&done?)
        })
        .tool(
            NAME,
            "graph_ingest_edge",
            "Ingest edge",
            Effect::Add,
            "Put an edge into the graph; its ends may come later. Example: \
             {\"source\":\"MDM2\",\"target\":\"TP53\",\"type\":\"inhibits\",\
             \"attributes\":{\"weight\":2}}",
        ),
    ]
}

fn read_operations() -> Vec<Operation> {
    vec![
        profile(|call: &mut Call<'_, Neighbors>| {
            let request = GetNeighbors {
                project: call.request.project.clone(),
                node: call.request.id.clone(),
                ..GetNeighbors::default()
            };
            ToolAnswer::pretty(&call.service.get_neighbors(&request)?)
        })
        .tool(
            NAME,
            "graph_get_neighbors",
            "Get neighbors",
            Effect::Read,
            "Get what a node is joined to. Example: {\"id\":\"TP53\"}",
        ),
        profile(|call: &mut Call<'_, ShortestPath>| {
            let request = FindPath {
                project: call.request.project.clone(),
                source: call.request.source.clone(),
                target: call.request.target.clone(),
                ..FindPath::default()
            };
            let found = call.service.find_path(&request, call.progress)?;
            let path = found.paths.first();
            let ids = path.map(|path| path.nodes.iter().map(|stop| stop.id.as_str()).collect());
            let ids: Vec<&str> = ids.unwrap_or_default();
            ToolAnswer::pretty(&json!({ "found": found.found, "path": ids, "details": path }))
        })
        .tool(
            NAME,
            "graph_shortest_path",
            "Shortest path",
            Effect::Read,
            "Find the shortest path between two nodes. Example: {\"source\":\"MDM2\",\
             \"target\":\"TP53\"}",
        ),
        profile(|call: &mut Call<'_, Render>| {
            let request = RenderGraph {
                project: call.request.project.clone(),
                format: call.request.format,
                ..RenderGraph::default()
            };
            let picture = call.service.render_graph(&request, call.progress)?;
            graph_picture(picture)
        })
        .tool(
            NAME,
            "graph_render",
            "Render graph",
            Effect::Read,
            "Draw the graph: a page of HTML, an image, or text for Mermaid or Graphviz. \
             Example: {\"format\":\"png\"}",
        ),
    ]
}
