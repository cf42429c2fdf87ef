//! The toolset `graphinate`: the tools that Graphinate proposes for agents. Nodes and edges are added one by one, in any order;
//! existing ones are merged.

use fibula_service::{
    FindPath, GetNeighbors, GivenEdge, GivenNode, RenderGraph, Service, SketchFormat,
};
use rmcp::model::Resource;
use serde_json::{Map, Value, json};

use fibula_server::graph_picture;
use fibula_server::mcp::{GRAPH_EXPORT, GRAPH_SCHEMA, GRAPH_SUMMARY, Prompt};
use fibula_server::operation::{Operation, ToolAnswer};

use crate::{Answer, Call, profile};

/// Name of the toolset.
pub(crate) const NAME: &str = "graphinate";

/// Attributes with the label of a node, by precedence.
const LABELS: [&str; 3] = ["label", "name", "title"];
/// Attribute with the weight of an edge.
const WEIGHT: &str = "weight";

arguments! {
    /// A node.
    IngestNode {
        /// Its id, such as "TP53".
        id: String,
        /// Type, such as "gene".
        #[serde(rename = "type")]
        ty: String,
        /// Attributes; label, name or title is its name.
        #[serde(default)]
        attributes: Map<String, Value>,
    }

    /// An edge.
    IngestEdge {
        /// The id of the source node, which may be added later.
        source: String,
        /// The id of the target node.
        target: String,
        /// Relation, such as "inhibits".
        #[serde(rename = "type")]
        ty: String,
        /// Attributes; weight is its length or strength.
        #[serde(default)]
        attributes: Map<String, Value>,
    }

    /// Arguments of `graph_get_neighbors`.
    Neighbors {
        /// Its id or label.
        id: String,
    }

    /// Arguments of `graph_shortest_path`.
    ShortestPath {
        /// Start: an id or label.
        source: String,
        /// End: an id or label.
        target: String,
    }

    /// Arguments of `graph_render`.
    Render {
        /// html, svg, png, mermaid or dot; default html.
        #[serde(default = "html")]
        #[schemars(with = "Option<SketchFormat>")]
        format: SketchFormat,
    }
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
        "1. Identify the entities of the text: people, things, places, claims. One graph_ingest_node for each, however \
         often it occurs, with a descriptive id; types are singular nouns. Put a short quotation from the text, dates \
         and numbers into attributes.\n\
         2. Identify their relations, only as the text states them. One graph_ingest_edge for each; types are verbs in \
         active voice, from subject to object.\n\
         3. Check with graph_get_neighbors: an isolated node lacks an edge.\n\
         4. Show the graph with graph_render.\n\
         5. Report",
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
            "Counts of nodes and edges by type, and the density of the graph",
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
    tools! {
        Add "graph_ingest_node", "Ingest node", profile(ingest_node),
            "Add a node to the graph, or merge it with the one that has its id.",
            r#"{"id":"TP53","type":"gene","attributes":{"location":"17p13.1"}}"#;
        Add "graph_ingest_edge", "Ingest edge", profile(ingest_edge),
            "Add an edge to the graph; its ends may be added later.",
            r#"{"source":"MDM2","target":"TP53","type":"inhibits","attributes":{"weight":2}}"#;
        Read "graph_get_neighbors", "Get neighbors", profile(get_neighbors),
            "Get the neighbours of a node.", r#"{"id":"TP53"}"#;
        Read "graph_shortest_path", "Shortest path", profile(find_shortest_path),
            "Find the shortest path between two nodes.", r#"{"source":"MDM2","target":"TP53"}"#;
        Read "graph_render", "Render graph", profile(render),
            "Draw the graph: a page of HTML, an image, or text for Mermaid or Graphviz.", r#"{"format":"png"}"#;
    }
}

fn ingest_node(call: &mut Call<'_, IngestNode>) -> Answer {
    let arguments = &call.request;
    let mut labels = LABELS.iter();
    let label = labels.find_map(|name| arguments.attributes.get(*name)?.as_str());
    let node = GivenNode {
        label: label.unwrap_or_default().to_owned(),
        id: Some(arguments.id.clone()),
        types: vec![arguments.ty.clone()],
        data: arguments.attributes.clone(),
        ..GivenNode::default()
    };
    let ingest = |service: &Service| service.ingest_node(call.origin, call.project(), &node);
    ToolAnswer::pretty(&call.creating_project(ingest)?)
}

fn ingest_edge(call: &mut Call<'_, IngestEdge>) -> Answer {
    let arguments = &call.request;
    let weight = arguments.attributes.get(WEIGHT).and_then(Value::as_f64);
    let mut data = arguments.attributes.clone();
    if weight.is_some() {
        data.remove(WEIGHT);
    }
    let edge = GivenEdge {
        source: arguments.source.clone(),
        target: arguments.target.clone(),
        ty: arguments.ty.clone(),
        weight,
        data,
        ..GivenEdge::default()
    };
    let ingest = |service: &Service| service.ingest_edge(call.origin, call.project(), &edge);
    ToolAnswer::pretty(&call.creating_project(ingest)?)
}

fn get_neighbors(call: &mut Call<'_, Neighbors>) -> Answer {
    let request = GetNeighbors {
        project: call.project_name(),
        node: call.request.id.clone(),
        ..GetNeighbors::default()
    };
    ToolAnswer::pretty(&call.service.get_neighbors(&request)?)
}

fn find_shortest_path(call: &mut Call<'_, ShortestPath>) -> Answer {
    let request = FindPath {
        project: call.project_name(),
        source: call.request.source.clone(),
        target: call.request.target.clone(),
        ..FindPath::default()
    };
    let found = call.service.find_path(&request, call.progress)?;
    let path = found.paths.first();
    let ids = path.map(|path| path.nodes.iter().map(|stop| stop.id.as_str()).collect());
    let ids: Vec<&str> = ids.unwrap_or_default();
    ToolAnswer::pretty(&json!({ "found": found.found, "path": ids, "details": path }))
}

fn render(call: &mut Call<'_, Render>) -> Answer {
    let request = RenderGraph {
        project: call.project_name(),
        format: call.request.format,
        ..RenderGraph::default()
    };
    graph_picture(call.service.render_graph(&request, call.progress)?)
}
