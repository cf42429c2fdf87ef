//! The toolset `knowledge`: labelled nodes and typed edges, found, walked and analysed.

use fibula_service::{
    AddEdges, AddNodes, Added, Analyze, Analyzed, FindPath, GetNeighbors, GetNodes,
    KnowledgeRemoved, KnowledgeUpdated, NeighborsShown, NodesFound, NodesGot, PathsFound,
    RemoveKnowledge, SearchNodes, Summarize, SummaryShown, Traverse, UpdateKnowledge,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, tool, tool_router};

use super::arguments::Parameters;
use super::reply::{Caller, Fail, Json};
use super::server::Server;

#[tool_router(router = knowledge_tools, vis = "pub(super)")]
impl Server {
    /// Adds labelled nodes to the project's knowledge graph, and edges between them by id or label; all or none. Use it
    /// to keep facts, claims, sources, code maps, decisions. Example:
    /// {"nodes":[{"label":"TP53","types":"gene"}],"edges":[{"source":"TP53","target":"MDM2","type":"inhibits"}]}
    #[tool(
        title = "Add nodes",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    async fn add_nodes(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<AddNodes>,
    ) -> Result<Json<Added>, Fail> {
        if request.is_quick() {
            return Ok(Json(self.service().add_nodes(&origin, request)?));
        }
        let done = self.later(&context, move |service, _| {
            service.add_nodes(&origin, request)
        });
        Ok(Json(done.await?))
    }

    /// Adds typed edges between nodes, or from a node to a function or its node ("fn:3/7"), to tie intent to a design.
    /// Example: {"edges":[{"source":"wall >= 2 mm","target":"fn:3/7","type":"constrains"}]}
    #[tool(
        title = "Add edges",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn add_edges(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<AddEdges>,
    ) -> Result<Json<Added>, Fail> {
        if request.is_quick() {
            return Ok(Json(self.service().add_edges(&origin, &request)?));
        }
        let done = self.later(&context, move |service, _| {
            service.add_edges(&origin, &request)
        });
        Ok(Json(done.await?))
    }

    /// Changes nodes and edges: labels, types, data, notes, weights, when edges hold. Example:
    /// {"nodes":[{"id":"TP53","add_observations":["mutated in half of all tumours"]}]}
    #[tool(
        title = "Change nodes and edges",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    async fn update(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<UpdateKnowledge>,
    ) -> Result<Json<KnowledgeUpdated>, Fail> {
        if request.is_quick() {
            return Ok(Json(self.service().update_knowledge(&origin, &request)?));
        }
        let done = self.later(&context, move |service, _| {
            service.update_knowledge(&origin, &request)
        });
        Ok(Json(done.await?))
    }

    /// Removes nodes with their edges, edges, or all nodes of a kind; dry_run tells what would go. Example:
    /// {"where":{"types":["draft"],"isolated":true},"dry_run":true}
    #[tool(
        title = "Remove nodes and edges",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    async fn remove(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<RemoveKnowledge>,
    ) -> Result<Json<KnowledgeRemoved>, Fail> {
        if request.is_quick() {
            return Ok(Json(self.service().remove_knowledge(&origin, &request)?));
        }
        let done = self.later(&context, move |service, _| {
            service.remove_knowledge(&origin, &request)
        });
        Ok(Json(done.await?))
    }

    /// Shows nodes whole, by id or label: data, notes, who made them, and what they are linked to. Example:
    /// {"nodes":["TP53"]}
    #[tool(
        title = "Get nodes",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    fn get_nodes(&self, Parameters(request): Parameters<GetNodes>) -> Result<Json<NodesGot>, Fail> {
        Ok(Json(self.service().get_nodes(&request)?))
    }

    /// Finds nodes by words in labels, notes, data, types and ids, the best first; forgives accents and typing mistakes. Use it
    /// before you add, and to answer. Example: {"query":"tumour supressor","types":["gene"]}
    #[tool(
        title = "Search nodes",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn search_nodes(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(request): Parameters<SearchNodes>,
    ) -> Result<Json<NodesFound>, Fail> {
        let done = self.later(&context, move |service, _| service.search_nodes(&request));
        Ok(Json(done.await?))
    }

    /// Shows what is near a node, up to so many edges away, the nearest first. Example:
    /// {"node":"TP53","depth":2,"node_types":["disease"]}
    #[tool(
        title = "Get neighbors",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn get_neighbors(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(request): Parameters<GetNeighbors>,
    ) -> Result<Json<NeighborsShown>, Fail> {
        let done = self.later(&context, move |service, _| service.get_neighbors(&request));
        Ok(Json(done.await?))
    }

    /// Finds the shortest path between two nodes, or several. Example:
    /// {"source":"TP53","target":"Type 2 Diabetes","count":3}
    #[tool(
        title = "Find paths",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn find_path(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(request): Parameters<FindPath>,
    ) -> Result<Json<PathsFound>, Fail> {
        let done = self.later(&context, move |service, watch| {
            service.find_path(&request, watch)
        });
        Ok(Json(done.await?))
    }

    /// Finds all paths from a node that follow a pattern of edges and types. Use it for questions of several steps, such as what a change
    /// affects. Example: {"start":"auth.rs","path":[{"relation_type":"imported_by","max":5},{"target_type":"test"}]}
    #[tool(
        title = "Follow a pattern",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn traverse(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(request): Parameters<Traverse>,
    ) -> Result<Json<PathsFound>, Fail> {
        let done = self.later(&context, move |service, watch| {
            service.traverse(&request, watch)
        });
        Ok(Json(done.await?))
    }

    /// Tells what is in the graph in brief: counts by type, hubs, newest nodes, stats by status and priority, or contributors.
    /// Look here first. Example: {} or {"format":"contributors"}
    #[tool(
        title = "Summarize",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn summarize(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(request): Parameters<Summarize>,
    ) -> Result<Json<SummaryShown>, Fail> {
        let done = self.later(&context, move |service, _| service.summarize(&request));
        Ok(Json(done.await?))
    }

    /// Analyses the graph: structure, central nodes, communities, components, cores, bridges, an order along edges. Example:
    /// {"what":"pagerank","node_types":["gene"]}
    #[tool(
        title = "Analyze",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn analyze(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(request): Parameters<Analyze>,
    ) -> Result<Json<Analyzed>, Fail> {
        let done = self.later(&context, move |service, watch| {
            service.analyze(&request, watch)
        });
        Ok(Json(done.await?))
    }
}
