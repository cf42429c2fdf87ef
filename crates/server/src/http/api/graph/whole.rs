//! The whole graph: asked, changed at many places at once, brought in, written and drawn.

use axum::http::Method;
use fibula_graph_formats::Format;
use fibula_service::{
    AddNodes, Analyze, ExportGraph, FindPath, GetNeighbors, GetSchema, GetState, GraphPicture,
    ImportGraph, LayOut, MergeNodes, Refusal, RemoveKnowledge, RenderGraph, SearchNodes, SetSchema,
    Summarize, Traverse, UpdateKnowledge,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::work::{later, later_for, watched, watched_for};
use crate::http::api::download::{Download, Told};
use crate::http::api::faults::cut;
use crate::http::api::job::Work;
use crate::http::api::route::{Call, Route};

/// What is to be written.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Written {
    /// The project.
    project: String,
    /// json, which keeps everything, if left out; or node-link, graphml, gexf, csv, cytoscape, dot, mermaid, memory-jsonl,
    /// json-ld.
    format: Option<String>,
    /// Only nodes of this type, and edges between them.
    #[serde(rename = "type")]
    ty: Option<String>,
    /// As of this revision.
    revision: Option<u64>,
}

/// What graphs are written as.
const FILES: [&str; 8] = [
    "application/json",
    "application/graphml+xml",
    "application/gexf+xml",
    "text/csv",
    "text/vnd.graphviz",
    "text/vnd.mermaid",
    "application/jsonl",
    "application/ld+json",
];

/// What pictures of graphs are.
const PICTURES: [&str; 5] = [
    "image/png",
    "image/svg+xml",
    "text/html",
    "text/vnd.mermaid",
    "text/vnd.graphviz",
];

pub(super) fn routes() -> Vec<Route> {
    let mut routes = questions();
    routes.extend(changes());
    routes
}

fn questions() -> Vec<Route> {
    vec![
        later(
            Method::GET,
            "/api/graph/{project}/state",
            "get_graph_state",
            "Shows the whole graph, in pages",
            |service, request: GetState| service.get_state(&request),
        ),
        later(
            Method::POST,
            "/api/graph/{project}/search",
            "search_nodes",
            "Finds nodes by words, the best first",
            |service, request: SearchNodes| service.search_nodes(&request),
        )
        .reads(),
        later(
            Method::POST,
            "/api/graph/{project}/neighbors",
            "get_neighbors",
            "Shows what is near a node",
            |service, request: GetNeighbors| service.get_neighbors(&request),
        )
        .reads(),
        watched(
            "/api/graph/{project}/path",
            "find_path",
            "Finds the shortest paths between two nodes",
            |service, request: FindPath, watch| service.find_path(&request, watch),
        ),
        watched(
            "/api/graph/{project}/traverse",
            "traverse",
            "Finds all paths from a node that follow a pattern",
            |service, request: Traverse, watch| service.traverse(&request, watch),
        ),
        watched(
            "/api/graph/{project}/analysis",
            "analyze",
            "Analyses the graph as a network",
            |service, request: Analyze, watch| service.analyze(&request, watch),
        ),
        later(
            Method::POST,
            "/api/graph/{project}/summary",
            "summarize",
            "Tells what is in the graph in brief",
            |service, request: Summarize| service.summarize(&request),
        )
        .reads(),
    ]
}

fn changes() -> Vec<Route> {
    vec![
        later_for(
            Method::POST,
            "/api/graph/{project}/merge",
            "merge_nodes",
            "Makes one node of several, or tells which may be the same",
            |service, origin, request: MergeNodes| service.merge_nodes(origin, &request),
        ),
        later_for(
            Method::POST,
            "/api/graph/{project}/add",
            "add_nodes",
            "Adds nodes and edges, all or none",
            |service, origin, request: AddNodes| service.add_nodes(origin, request),
        ),
        later_for(
            Method::POST,
            "/api/graph/{project}/update",
            "update",
            "Changes nodes and edges, all or none",
            |service, origin, request: UpdateKnowledge| service.update_knowledge(origin, &request),
        ),
        later_for(
            Method::POST,
            "/api/graph/{project}/remove",
            "remove",
            "Removes nodes and edges, by id or by what they are",
            |service, origin, request: RemoveKnowledge| service.remove_knowledge(origin, &request),
        ),
        watched_for(
            "/api/graph/{project}/import",
            "import_graph",
            "Brings a file of nodes and edges in",
            |service, origin, request: ImportGraph, watch| {
                service.import_graph(origin, &request, watch)
            },
        ),
        Route::file(
            Method::GET,
            "/api/graph/{project}/export",
            "export_graph",
            "Writes the graph as a file",
            &FILES,
            written,
        ),
        watched_for(
            "/api/graph/{project}/layout",
            "layout",
            "Finds places for the nodes, and keeps them if that is wanted",
            |service, origin, request: LayOut, watch| service.lay_out(origin, &request, watch),
        ),
        Route::file(
            Method::POST,
            "/api/graph/{project}/render",
            "render_graph",
            "Draws the graph, or what is around a node",
            &PICTURES,
            |call: &Call, request: RenderGraph| Ok(drawn(call, request)),
        )
        .reads(),
        Route::quick(
            Method::GET,
            "/api/graph/{project}/schema",
            "get_schema",
            "Tells the types of nodes and edges, and how many there are of each",
            |call, request: GetSchema| call.service.get_schema(&request),
        ),
        later_for(
            Method::PUT,
            "/api/graph/{project}/schema",
            "set_schema",
            "Declares the types of nodes and edges",
            |service, origin, request: SetSchema| service.set_schema(origin, &request),
        ),
    ]
}

/// The graph as a file.
fn written(call: &Call, request: Written) -> Result<Work<Download>, Refusal> {
    let name = request.format.as_deref().unwrap_or("json");
    let format = Format::parse(name).ok_or_else(|| {
        let names = Format::ALL.map(Format::name).join(", ");
        let message = format!("'{}' is no format of graphs", cut(name, 40));
        Refusal::new("unknown_format", message).hint(format!("give one of {names}"))
    })?;
    let service = call.service.clone();
    Ok(Work::Later(Box::new(move |_| {
        let request = ExportGraph {
            project: Some(request.project),
            format,
            types: request.ty.into_iter().collect(),
            path: None,
            overwrite: false,
            revision: request.revision,
        };
        // What the format leaves out is told beside the file, so it is written before it is sent.
        let mut bytes = Vec::new();
        let told = service.write_graph(&request, &mut bytes)?;
        let left = told.left_out.iter();
        Ok(Download {
            media: format.media_type(),
            name: format!("graph.{}", format.extension()),
            told: Told {
                revision: Some(told.revision),
                warnings: left
                    .map(|left| format!("the format has no place for {} {}", left.count, left.name))
                    .collect(),
            },
            make: Box::new(move |to, _| to.write_all(&bytes).map_err(|_| Refusal::cancelled())),
        })
    })))
}

/// A picture of the graph.
fn drawn(call: &Call, request: RenderGraph) -> Work<Download> {
    let service = call.service.clone();
    Work::Later(Box::new(move |watch| {
        let GraphPicture {
            format,
            bytes,
            revision,
            ..
        } = service.render_graph(&request, watch)?;
        Ok(Download {
            media: format.media_type(),
            name: format!("graph.{}", format.extension()),
            told: Told {
                revision: Some(revision),
                warnings: Vec::new(),
            },
            make: Box::new(move |to, _| to.write_all(&bytes).map_err(|_| Refusal::cancelled())),
        })
    }))
}
