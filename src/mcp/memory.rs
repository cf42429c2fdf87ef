//! The toolset `memory`: the tools of the official memory server by their names, arguments and answers, over the same
//! service. It is off by default.

use rmcp::handler::server::common::schema_for_output;
use rmcp::handler::server::tool::IntoCallToolResult;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::arguments::Parameters;
use super::reply::{Caller, Fail};
use super::server::Server;
use crate::edit::Origin;
use crate::service::{
    Entity, EntityGraph, NewObservations, ObservationsAdded, OldObservations, Refusal, Relation,
    Service,
};

/// An answer: `structuredContent`, and a text that says the same in its own way.
struct Told {
    text: String,
    answer: Value,
}

impl Told {
    /// What is written out as text is `shown`.
    fn new(answer: Value, shown: &impl Serialize) -> Result<Told, Fail> {
        let text = serde_json::to_string_pretty(shown);
        let text = text.map_err(|error| Refusal::new("internal", error.to_string()))?;
        Ok(Told { text, answer })
    }

    fn done(message: &str) -> Told {
        Told {
            text: message.to_owned(),
            answer: json!({ "success": true, "message": message }),
        }
    }

    fn graph(graph: &EntityGraph) -> Result<Told, Fail> {
        Told::new(json!(graph), graph)
    }
}

impl IntoCallToolResult for Told {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        let mut result = CallToolResult::structured(self.answer);
        result.content = vec![ContentBlock::text(self.text)];
        Ok(result.into())
    }
}

/// The entities that are to be there.
#[derive(Debug, Deserialize, JsonSchema)]
struct CreateEntities {
    /// The entities.
    entities: Vec<Entity>,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// The relations that are to be there.
#[derive(Debug, Deserialize, JsonSchema)]
struct CreateRelations {
    /// The relations.
    relations: Vec<Relation>,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// What is to be known of entities.
#[derive(Debug, Deserialize, JsonSchema)]
struct AddObservations {
    /// The observations, by entity.
    observations: Vec<NewObservations>,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// The entities that are to go.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeleteEntities {
    /// Their names.
    entity_names: Vec<String>,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// What is to be known no more.
#[derive(Debug, Deserialize, JsonSchema)]
struct DeleteObservations {
    /// The observations, by entity.
    deletions: Vec<OldObservations>,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// The relations that are to go.
#[derive(Debug, Deserialize, JsonSchema)]
struct DeleteRelations {
    /// The relations.
    relations: Vec<Relation>,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// The graph that is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
struct ReadGraph {
    /// The project; "default" if left out.
    project: Option<String>,
}

/// What is looked for.
#[derive(Debug, Deserialize, JsonSchema)]
struct SearchEntities {
    /// What names, types or observations hold, whatever its case.
    query: String,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// The entities that are asked for.
#[derive(Debug, Deserialize, JsonSchema)]
struct OpenNodes {
    /// Their names.
    names: Vec<String>,
    /// The project; "default" if left out.
    project: Option<String>,
}

// What answers are; fields are read by clients only.
#[derive(Serialize, JsonSchema)]
struct EntitiesMade {
    entities: Vec<Entity>,
}

#[derive(Serialize, JsonSchema)]
struct RelationsMade {
    relations: Vec<Relation>,
}

#[derive(Serialize, JsonSchema)]
struct Results {
    results: Vec<ObservationsAdded>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Said {
    success: bool,
    message: String,
}

impl Server {
    /// Does what waits for the log, or reads a whole graph, beside the tasks of the runtime.
    async fn remember<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        origin: Origin,
        work: impl FnOnce(&Service, &Origin) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Fail> {
        let done = self.later(context, move |service, _| work(service, &origin));
        // What is said of a mistake is said as the memory server says it.
        done.await.map_err(Fail::plain)
    }
}

#[tool_router(router = memory_tools, vis = "pub(super)")]
impl Server {
    /// Create multiple new entities in the knowledge graph. Those whose names are there already are left as they are.
    /// Example: {"entities":[{"name":"TP53","entityType":"gene","observations":["on 17p13"]}]}
    #[tool(
        name = "create_entities",
        title = "Create entities",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = false,
            open_world_hint = false
        ),
        output_schema = schema_for_output::<EntitiesMade>(),
    )]
    async fn memory_create_entities(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<CreateEntities>,
    ) -> Result<Told, Fail> {
        let made = self.remember(&context, origin, move |service, origin| {
            service.create_entities(origin, request.project.as_deref(), &request.entities)
        });
        let entities = made.await?;
        Told::new(json!({ "entities": entities }), &entities)
    }

    /// Create multiple new relations between entities in the knowledge graph, in active voice. Example:
    /// {"relations":[{"from":"MDM2","to":"TP53","relationType":"inhibits"}]}
    #[tool(
        name = "create_relations",
        title = "Create relations",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = false,
            open_world_hint = false
        ),
        output_schema = schema_for_output::<RelationsMade>(),
    )]
    async fn memory_create_relations(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<CreateRelations>,
    ) -> Result<Told, Fail> {
        let made = self.remember(&context, origin, move |service, origin| {
            service.create_relations(origin, request.project.as_deref(), &request.relations)
        });
        let relations = made.await?;
        Told::new(json!({ "relations": relations }), &relations)
    }

    /// Add new observations to existing entities in the knowledge graph. Example:
    /// {"observations":[{"entityName":"TP53","contents":["mutated in half of all tumours"]}]}
    #[tool(
        name = "add_observations",
        title = "Add observations",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = false,
            open_world_hint = false
        ),
        output_schema = schema_for_output::<Results>(),
    )]
    async fn memory_add_observations(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<AddObservations>,
    ) -> Result<Told, Fail> {
        let made = self.remember(&context, origin, move |service, origin| {
            service.add_observations(origin, request.project.as_deref(), &request.observations)
        });
        let results = made.await?;
        Told::new(json!({ "results": results }), &results)
    }

    /// Delete multiple entities and their relations from the knowledge graph. Example: {"entityNames":["TP53"]}
    #[tool(
        name = "delete_entities",
        title = "Delete entities",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = true,
            open_world_hint = false
        ),
        output_schema = schema_for_output::<Said>(),
    )]
    async fn memory_delete_entities(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<DeleteEntities>,
    ) -> Result<Told, Fail> {
        let done = self.remember(&context, origin, move |service, origin| {
            service.delete_entities(origin, request.project.as_deref(), &request.entity_names)
        });
        done.await?;
        Ok(Told::done("Entities deleted successfully"))
    }

    /// Delete specific observations from entities in the knowledge graph. Example:
    /// {"deletions":[{"entityName":"TP53","observations":["on 17p13"]}]}
    #[tool(
        name = "delete_observations",
        title = "Delete observations",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = true,
            open_world_hint = false
        ),
        output_schema = schema_for_output::<Said>(),
    )]
    async fn memory_delete_observations(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<DeleteObservations>,
    ) -> Result<Told, Fail> {
        let done = self.remember(&context, origin, move |service, origin| {
            service.delete_observations(origin, request.project.as_deref(), &request.deletions)
        });
        done.await?;
        Ok(Told::done("Observations deleted successfully"))
    }

    /// Delete multiple relations from the knowledge graph. Example:
    /// {"relations":[{"from":"MDM2","to":"TP53","relationType":"inhibits"}]}
    #[tool(
        name = "delete_relations",
        title = "Delete relations",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = true,
            open_world_hint = false
        ),
        output_schema = schema_for_output::<Said>(),
    )]
    async fn memory_delete_relations(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<DeleteRelations>,
    ) -> Result<Told, Fail> {
        let done = self.remember(&context, origin, move |service, origin| {
            service.delete_relations(origin, request.project.as_deref(), &request.relations)
        });
        done.await?;
        Ok(Told::done("Relations deleted successfully"))
    }

    /// Read the entire knowledge graph. For large ones use search_nodes or open_nodes. Example: {}
    #[tool(
        name = "read_graph",
        title = "Read graph",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        ),
        output_schema = schema_for_output::<EntityGraph>(),
    )]
    async fn memory_read_graph(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<ReadGraph>,
    ) -> Result<Told, Fail> {
        let read = self.remember(&context, origin, move |service, _| {
            service.read_entities(request.project.as_deref())
        });
        Told::graph(&read.await?)
    }

    /// Search for nodes in the knowledge graph whose names, types or observations hold the query, with their relations.
    /// Example: {"query":"tumour"}
    #[tool(
        name = "search_nodes",
        title = "Search nodes",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        ),
        output_schema = schema_for_output::<EntityGraph>(),
    )]
    async fn memory_search_nodes(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<SearchEntities>,
    ) -> Result<Told, Fail> {
        let found = self.remember(&context, origin, move |service, _| {
            service.search_entities(request.project.as_deref(), &request.query)
        });
        Told::graph(&found.await?)
    }

    /// Open specific nodes in the knowledge graph by their names, with their relations. Example: {"names":["TP53"]}
    #[tool(
        name = "open_nodes",
        title = "Open nodes",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        ),
        output_schema = schema_for_output::<EntityGraph>(),
    )]
    async fn memory_open_nodes(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<OpenNodes>,
    ) -> Result<Told, Fail> {
        let found = self.remember(&context, origin, move |service, _| {
            service.open_entities(request.project.as_deref(), &request.names)
        });
        Told::graph(&found.await?)
    }
}
