//! The toolset `knowledge-extra`: what is needed rarely of knowledge graphs. It is off by default.

use fibula_service::{
    ExportGraph, GetSchema, GraphExported, GraphImported, ImportGraph, KnowledgeListed, LaidOut,
    LayOut, ListKnowledge, MergeNodes, NodesMerged, RenderGraph, SchemaSet, SchemaShown, SetSchema,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, tool, tool_router};

use super::arguments::Parameters;
use super::reply::{Caller, Fail, Json, Sketch};
use super::server::Server;

#[tool_router(router = knowledge_extra_tools, vis = "pub(super)")]
impl Server {
    /// Lists nodes or edges in the order in which they came, by type, creator, date, ends, or when edges held. To find
    /// by words use search_nodes. Example: {"of":"edges","types":["treats"],"valid_at":"2024-05-01"}
    #[tool(
        title = "List nodes or edges",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn list(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(request): Parameters<ListKnowledge>,
    ) -> Result<Json<KnowledgeListed>, Fail> {
        let done = self.later(&context, move |service, _| service.list_knowledge(&request));
        Ok(Json(done.await?))
    }

    /// Tells the types of nodes and edges, what they mean and how many there are of each. Look here before you add, so
    /// that one thing has one type. Example: {}
    #[tool(
        title = "Get the schema",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    fn get_schema(
        &self,
        Parameters(request): Parameters<GetSchema>,
    ) -> Result<Json<SchemaShown>, Fail> {
        Ok(Json(self.service().get_schema(&request)?))
    }

    /// Declares the types of nodes and edges; strict says what becomes of others from now on: off, warn or reject.
    /// Example: {"node_types":[{"key":"Claim"},{"key":"Evidence"}],
    /// "edge_types":[{"key":"supports","domain":["Evidence"],"range":["Claim"]}],"strict":"warn"}
    #[tool(
        title = "Set the schema",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn set_schema(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<SetSchema>,
    ) -> Result<Json<SchemaSet>, Fail> {
        let done = self.later(&context, move |service, _| {
            service.set_schema(&origin, &request)
        });
        Ok(Json(done.await?))
    }

    /// Makes one node of several: edges, notes, types and data of all. Without merge it tells which nodes may be the same.
    /// Example: {"keep":"TP53"} or {"keep":"TP53","merge":["p53"]}
    #[tool(
        title = "Merge nodes",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    async fn merge_nodes(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<MergeNodes>,
    ) -> Result<Json<NodesMerged>, Fail> {
        let done = self.later(&context, move |service, _| {
            service.merge_nodes(&origin, &request)
        });
        Ok(Json(done.await?))
    }

    /// Brings a file of nodes and edges in, as one change: json, node-link, graphml, gexf, csv, cytoscape, dot,
    /// mermaid, memory-jsonl, json-ld (Discourse Graphs). Tells what was mended; fetches nothing. Example: {"path":"memory.jsonl"}
    #[tool(
        title = "Import a graph",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    async fn import_graph(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<ImportGraph>,
    ) -> Result<Json<GraphImported>, Fail> {
        let done = self.later(&context, move |service, watch| {
            service.import_graph(&origin, &request, watch)
        });
        Ok(Json(done.await?))
    }

    /// Writes the graph as json, node-link, graphml, gexf, csv, cytoscape, dot, mermaid, memory-jsonl or json-ld, to a file
    /// or into the answer; tells what the format leaves out. Example: {"format":"mermaid","types":["gene"]}
    #[tool(
        title = "Export the graph",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn export_graph(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(request): Parameters<ExportGraph>,
    ) -> Result<Json<GraphExported>, Fail> {
        let done = self.later(&context, move |service, _| service.export_graph(&request));
        Ok(Json(done.await?))
    }

    /// Finds places for the nodes: force, layered, radial, grid or circle; write: true keeps them for the page and
    /// pictures. Example: {"method":"layered","write":true}
    #[tool(
        title = "Lay out the graph",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn layout(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<LayOut>,
    ) -> Result<Json<LaidOut>, Fail> {
        let done = self.later(&context, move |service, watch| {
            service.lay_out(&origin, &request, watch)
        });
        Ok(Json(done.await?))
    }

    /// Draws the graph, or what is around a node, as a PNG picture, SVG, a page of HTML, Mermaid or DOT; colours tell types.
    /// Example: {"node":"TP53","depth":2}
    #[tool(
        title = "Draw the graph",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn render_graph(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(request): Parameters<RenderGraph>,
    ) -> Result<Sketch, Fail> {
        let made = self.later(&context, move |service, watch| {
            service.render_graph(&request, watch)
        });
        Ok(Sketch(made.await?))
    }
}
