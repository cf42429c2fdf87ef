//! The knowledge graph as a whole: queries, batches of changes, import, export, layout and pictures.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fibula_graph_formats::Format;
use fibula_nodes::names;
use fibula_service::{
    AddEdges, AddNodes, Analyze, ExportGraph, FindPath, GetGraphLayout, GetNeighbors, GetNodes,
    GetSchema, GetState, GraphPicture, ImportGraph, LayOut, ListKnowledge, MergeNodes, Refusal,
    RemoveKnowledge, RenderGraph, SearchNodes, Service, SetSchema, SketchFormat, Summarize,
    Traverse, UpdateKnowledge,
};
use rmcp::model::ContentBlock;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{KNOWLEDGE, KNOWLEDGE_EXTRA};
use crate::operation::{Download, Effect, Operation, Progress, ToolAnswer};

requests! {
    /// Request for the graph as a file.
    struct GetGraphFile {
        /// Default json, which is lossless; or node-link, graphml, gexf, csv, cytoscape, dot, mermaid, memory-jsonl,
        /// json-ld.
        format: Option<String>,
        /// true names node-link's list of edges "links", as d3 reads it.
        #[serde(default)]
        links: bool,
        /// Only nodes of this type, and edges between them.
        #[serde(rename = "type")]
        ty: Option<String>,
        /// State at this revision.
        revision: Option<u64>,
    }
}

/// Media types of files of graphs.
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

/// Media types of pictures of graphs.
const PICTURES: [&str; 5] = [
    "image/png",
    "image/svg+xml",
    "text/html",
    "text/vnd.mermaid",
    "text/vnd.graphviz",
];

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = query_operations();
    operations.extend(change_operations());
    operations
}

fn query_operations() -> Vec<Operation> {
    vec![
        Operation::long(|service, _, request: GetState, _| service.get_state(&request)).get(
            "/api/graph/{project}/state",
            "get_graph_state",
            "Returns the whole graph, in pages",
        ),
        Operation::long(|service, _, request: SearchNodes, _| service.search_nodes(&request))
            .post(
                "/api/graph/{project}/search",
                "search_nodes",
                "Searches nodes by words, best match first",
            )
            .read_only()
            .with_tool(
                KNOWLEDGE,
                Effect::Read,
                "Searches nodes by words, best match first; tolerates accents and typos. Use it \
                 before adding nodes. Example: {\"query\":\"wall thicknes\",\"types\":[\"requirement\"]}",
            ),
        Operation::long(|service, _, request: GetNeighbors, _| service.get_neighbors(&request))
            .post(
                "/api/graph/{project}/neighbors",
                "get_neighbors",
                "Returns the neighbourhood of a node",
            )
            .read_only()
            .with_tool(
                KNOWLEDGE,
                Effect::Read,
                "Returns the nodes within `depth` edges of a node, nearest first. Example: \
                 {\"node\":\"fn:1\",\"node_types\":[\"requirement\"]}",
            ),
        Operation::long(|service, _, request: FindPath, progress| {
            service.find_path(&request, progress)
        })
        .post(
            "/api/graph/{project}/path",
            "find_path",
            "Finds the shortest paths between two nodes",
        )
        .read_only()
        .with_tool(
            KNOWLEDGE,
            Effect::Read,
            "Finds the shortest path between two nodes, or several. Example: \
             {\"source\":\"TP53\",\"target\":\"Type 2 Diabetes\",\"count\":3}",
        )
        .with_title("Find paths"),
        Operation::long(|service, _, request: Traverse, progress| {
            service.traverse(&request, progress)
        })
        .post(
            "/api/graph/{project}/traverse",
            "traverse",
            "Finds all paths from a node that follow a pattern",
        )
        .read_only()
        .with_tool(
            KNOWLEDGE,
            Effect::Read,
            "Finds all paths from a node that follow a pattern of edges and types. Example: \
             {\"start\":\"auth.rs\",\
             \"path\":[{\"relation_type\":\"imported_by\",\"max\":5},{\"target_type\":\"test\"}]}",
        )
        .with_title("Follow a pattern"),
        Operation::long(|service, _, request: Analyze, progress| {
            service.analyze(&request, progress)
        })
        .post(
            "/api/graph/{project}/analysis",
            "analyze",
            "Analyses the graph as a network",
        )
        .read_only()
        .with_tool(
            KNOWLEDGE,
            Effect::Read,
            "Analyses the graph. Example: \
             {\"what\":\"pagerank\",\
             \"node_types\":[\"gene\"]}",
        ),
        Operation::long(|service, _, request: Summarize, progress| {
            service.summarize_project(&request, progress)
        })
        .post(
            "/api/graph/{project}/summary",
            "summarize",
            "Summarizes the graph and the other contents of the project",
        )
        .read_only()
        .with_tool(
            KNOWLEDGE,
            Effect::Read,
            "Summarizes the project: functions, parameters, objects, build, warnings; and its \
                 graph. Use it first. \
                 Example: {\"measures\":true}",
        ),
        Operation::quick(|call, request: GetNodes| call.service.get_nodes(&request)).tool(
            KNOWLEDGE,
            "get_nodes",
            "Get nodes",
            Effect::Read,
            "Returns whole nodes by id or label: data, observations, creator and edges.",
        ),
        Operation::long(|service, _, request: ListKnowledge, _| service.list_knowledge(&request))
            .tool(
                KNOWLEDGE_EXTRA,
                "list",
                "List nodes or edges",
                Effect::Read,
                "Lists nodes or edges in order of creation, by type, creator, date, ends, or \
                 validity of edges. To search by words use search_nodes. Example: \
                 {\"of\":\"edges\",\"types\":[\"treats\"],\"valid_at\":\"2024-05-01\"}",
            ),
        Operation::content(|service, _, request: RenderGraph, progress| {
            picture(service.render_graph(&request, progress)?)
        })
        .tool(
            KNOWLEDGE_EXTRA,
            "render_graph",
            "Draw the graph",
            Effect::Read,
            "Draws the graph, or the neighbourhood of a node, as PNG, SVG, HTML page, Mermaid or \
             DOT; colours show types. Example: {\"node\":\"TP53\",\"depth\":2}",
        ),
    ]
}

fn change_operations() -> Vec<Operation> {
    vec![
        Operation::long(|service, origin, request: MergeNodes, _| {
            service.merge_nodes(origin, &request)
        })
        .post(
            "/api/graph/{project}/merge",
            "merge_nodes",
            "Merges nodes, or lists probable duplicates",
        )
        .with_tool(
            KNOWLEDGE_EXTRA,
            Effect::Change,
            "Merges nodes with their edges, observations, types and data. Without merge, lists \
             probable duplicates. Example: {\"keep\":\"TP53\"} or \
             {\"keep\":\"TP53\",\"merge\":[\"p53\"]}",
        ),
        Operation::quick_or_long(AddNodes::is_quick, |service, origin, request, _| {
            service.add_nodes(origin, request)
        })
        .post(
            "/api/graph/{project}/add",
            "add_nodes",
            "Adds nodes and edges, all or none",
        )
        .with_tool(
            KNOWLEDGE,
            Effect::Add,
            "Adds labelled nodes to the project's knowledge graph, and edges between them by id or \
             label; all or none. Use it for facts, claims, sources, code maps, decisions. Example: \
             {\"nodes\":[{\"label\":\"wall >= 2 mm\",\"types\":\"requirement\"}],\"edges\":[{\"source\":\
             \"wall >= 2 mm\",\"target\":\"fn:1#wall\",\"type\":\"constrains\"}]}",
        ),
        Operation::quick_or_long(UpdateKnowledge::is_quick, |service, origin, request, _| {
            service.update_knowledge(origin, &request)
        })
        .post(
            "/api/graph/{project}/update",
            "update",
            "Changes nodes and edges, all or none",
        )
        .with_tool(
            KNOWLEDGE,
            Effect::Change,
            "Changes nodes and edges. Example: {\"nodes\":[{\"id\":\"n6\",\"data\":{\"status\":\"done\"},\
             \"add_observations\":[\"wall is 3 mm\"]}]}",
        )
        .with_title("Change nodes and edges"),
        Operation::quick_or_long(RemoveKnowledge::is_quick, |service, origin, request, _| {
            service.remove_knowledge(origin, &request)
        })
        .post(
            "/api/graph/{project}/remove",
            "remove",
            "Removes nodes and edges by id or filter",
        )
        .with_tool(
            KNOWLEDGE,
            Effect::Change,
            "Removes nodes with their edges, edges, or all nodes that match a filter; preview with \
             dry_run. Example: {\"where\":{\"types\":[\"draft\"],\"isolated\":true},\
             \"dry_run\":true}",
        )
        .with_title("Remove nodes and edges"),
        Operation::long(|service, origin, request: ImportGraph, progress| {
            service.import_graph(origin, &request, progress)
        })
        .post(
            "/api/graph/{project}/import",
            "import_graph",
            "Imports a file of nodes and edges",
        )
        .with_tool(
            KNOWLEDGE_EXTRA,
            Effect::Add,
            "Imports a file of nodes and edges as one change: json, node-link, graphml, gexf, csv, \
             cytoscape, dot, mermaid, memory-jsonl, json-ld (Discourse Graphs). Reports repairs; \
             fetches nothing. Example: {\"path\":\"memory.jsonl\"}",
        )
        .with_title("Import a graph"),
        Operation::file(&FILES, graph_file).get(
            "/api/graph/{project}/export",
            "export_graph",
            "Writes the graph as a file",
        ),
        Operation::long(|service, origin, request: LayOut, progress| {
            service.lay_out(origin, &request, progress)
        })
        .post(
            "/api/graph/{project}/layout",
            "layout",
            "Computes positions of the nodes, and optionally stores them",
        )
        .with_tool(
            KNOWLEDGE_EXTRA,
            Effect::AddOnce,
            "Computes positions of the nodes: force, layered, radial, grid or circle; write: true \
             stores them for the page and pictures. Example: \
             {\"method\":\"layered\",\"write\":true}",
        )
        .with_title("Lay out the graph"),
        Operation::long(|service, _, request: GetGraphLayout, progress| {
            service.get_layout(&request, progress)
        })
        .get(
            "/api/graph/{project}/layout",
            "get_layout",
            "Computes positions of all nodes at once, for viewers",
        ),
        Operation::file(&PICTURES, picture_file)
            .post(
                "/api/graph/{project}/render",
                "render_graph",
                "Draws the graph, or the neighbourhood of a node",
            )
            .read_only(),
        Operation::quick(|call, request: GetSchema| call.service.get_schema(&request))
            .get(
                "/api/graph/{project}/schema",
                "get_schema",
                "Lists the types of nodes and edges, with counts",
            )
            .with_tool(
                KNOWLEDGE_EXTRA,
                Effect::Read,
                "Lists the types of nodes and edges, with meanings and counts. Use it before \
                 adding, so that one thing has one type. Example: {}",
            )
            .with_title("Get the schema"),
        Operation::long(|service, origin, request: SetSchema, _| {
            service.set_schema(origin, &request)
        })
        .put(
            "/api/graph/{project}/schema",
            "set_schema",
            "Declares the types of nodes and edges",
        )
        .with_tool(
            KNOWLEDGE_EXTRA,
            Effect::Set,
            "Declares the types of nodes and edges; strict sets how others are handled from now \
             on: off, warn or reject. Example: {\"node_types\":[{\"key\":\"Claim\"},\
             {\"key\":\"Evidence\"}], \"edge_types\":[{\"key\":\"supports\",\
             \"domain\":[\"Evidence\"],\"range\":[\"Claim\"]}],\"strict\":\"warn\"}",
        )
        .with_title("Set the schema"),
        Operation::quick_or_long(AddEdges::is_quick, |service, origin, request, _| {
            service.add_edges(origin, &request)
        })
        .tool(
            KNOWLEDGE,
            "add_edges",
            "Add edges",
            Effect::AddOnce,
            "Adds typed edges between nodes, or from a node to what it is about in a design. \
             Example: {\"edges\":[{\"source\":\"wall >= 2 mm\",\
             \"target\":\"fn:3#wall\",\"type\":\"constrains\"}]}",
        ),
        Operation::long(|service, _, request: ExportGraph, _| service.export_graph(&request)).tool(
            KNOWLEDGE_EXTRA,
            "export_graph",
            "Export the graph",
            Effect::Set,
            "Writes the graph as json, node-link, graphml, gexf, csv, cytoscape, dot, mermaid, \
             memory-jsonl or json-ld, to a file or into the answer; reports what the format cannot \
             represent. Example: {\"format\":\"mermaid\",\"types\":[\"gene\"]}",
        ),
    ]
}

/// The graph as a file.
fn graph_file(
    service: &Service,
    request: &GetGraphFile,
    _: &mut Progress<'_>,
) -> Result<Download, Refusal> {
    let name = request.format.as_deref().unwrap_or("json");
    let format = Format::parse(name).ok_or_else(|| {
        let names = Format::ALL.map(Format::name).join(", ");
        let message = format!("'{}' is not a graph format", names::visible(name, 40));
        Refusal::new("unknown_format", message).hint(format!("give one of {names}"))
    })?;
    let request = ExportGraph {
        project: Some(request.project.clone()),
        format,
        links: request.links,
        types: request.ty.iter().cloned().collect(),
        path: None,
        overwrite: false,
        revision: request.revision,
    };
    // The warnings precede the file, so it is written before it is sent.
    let mut bytes = Vec::new();
    let written = service.write_graph(&request, &mut bytes)?;
    let left_out = written.left_out.iter();
    let warnings = left_out
        .map(|left| format!("the format cannot represent {} {}", left.count, left.name))
        .collect();
    let name = format!("graph.{}", format.extension());
    let file = Download::from_bytes(format.media_type(), name, bytes);
    Ok(file.with_headers(written.revision, warnings))
}

/// The picture as a file.
fn picture_file(
    service: &Service,
    request: &RenderGraph,
    progress: &mut Progress<'_>,
) -> Result<Download, Refusal> {
    let picture = service.render_graph(request, progress)?;
    let name = format!("graph.{}", picture.format.extension());
    let file = Download::from_bytes(picture.format.media_type(), name, picture.bytes);
    Ok(file.with_headers(picture.revision, Vec::new()))
}

/// The picture of a graph as an answer of a tool: an image or a text, and its counts as text.
///
/// # Errors
/// A [`Refusal`] `too_large` for a text that is too long for an answer.
pub fn picture(picture: GraphPicture) -> Result<ToolAnswer, Refusal> {
    /// Maximum length of a text in bytes; larger ones are for files.
    const MAX_TEXT: usize = 48 << 10;
    let GraphPicture {
        format,
        bytes,
        counts: [nodes, edges],
        dangling,
        revision,
    } = picture;
    let mut facts = json!({
        "success": true, "nodes": nodes, "edges": edges, "bytes": bytes.len(), "revision": revision,
    });
    if !dangling.is_empty() {
        facts["dangling"] = dangling.into();
    }
    let block = if format == SketchFormat::Png {
        ContentBlock::image(BASE64.encode(bytes), format.media_type())
    } else if bytes.len() > MAX_TEXT {
        let count = bytes.len();
        let message = format!("the picture has {count} bytes, too many for an answer");
        return Err(Refusal::new("too_large", message)
            .hint("draw the neighbourhood of one node, or only some types, or use png"));
    } else {
        ContentBlock::text(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok(ToolAnswer::default()
        .with_block(block)
        .with_block(ContentBlock::text(facts.to_string())))
}
