//! The toolset `memory`: the nine tools of the official memory server, and seven more that memory-graph has. Theirs take
//! arguments that the nine may have too: pages, and when relations hold.

use chrono::{DateTime, Datelike, Timelike, Utc};
use fibula_service::{
    Entity, EntityGraph, EntityPage, EntitySummary, GetRelated, NewObservations, ObservationsAdded,
    OldObservations, PathStep, Refusal, Relation, RelationDetails,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use fibula_server::operation::{Effect, Operation, ToolAnswer};

use crate::{Call, bounded, profile};

/// Name of the toolset.
pub(crate) const NAME: &str = "memory";

/// Arguments of `create_entities`.
#[derive(Debug, Deserialize, JsonSchema)]
struct CreateEntities {
    /// The entities.
    entities: Vec<Entity>,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// The relations that are to be there, or to go.
#[derive(Debug, Deserialize, JsonSchema)]
struct Relations {
    /// The relations.
    relations: Vec<Relation>,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// Arguments of `add_observations`.
#[derive(Debug, Deserialize, JsonSchema)]
struct AddObservations {
    /// The observations, by entity.
    observations: Vec<NewObservations>,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// Arguments of `delete_entities`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeleteEntities {
    /// Their names.
    entity_names: Vec<String>,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// Arguments of `delete_observations`.
#[derive(Debug, Deserialize, JsonSchema)]
struct DeleteObservations {
    /// The observations, by entity.
    deletions: Vec<OldObservations>,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// The graph that is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
struct ReadGraph {
    /// The most entities; all if left out.
    limit: Option<usize>,
    /// How many entities are passed over.
    #[serde(default)]
    offset: usize,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// Arguments of `search_nodes`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SearchEntities {
    /// What names, types or observations hold, whatever its case.
    query: String,
    /// The most entities; all if left out.
    limit: Option<usize>,
    /// false leaves the relations out.
    #[serde(default = "default_true")]
    include_relations: bool,
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

/// The entity whose relations are asked for.
#[derive(Debug, Deserialize, JsonSchema)]
struct RelatedArguments {
    #[serde(flatten)]
    request: GetRelated,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// The paths that are asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TraverseArguments {
    /// Where they begin.
    start_node: String,
    /// The relations to follow, one behind the other.
    path: Vec<PathStep>,
    /// The most paths; 50 if left out.
    max_results: Option<usize>,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// The entities that are to be told in brief.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SummarizeEntities {
    /// Only these.
    entity_names: Option<Vec<String>>,
    /// Only those of this type.
    entity_type: Option<String>,
    /// brief if left out.
    #[serde(default)]
    #[schemars(with = "Option<EntitySummary>")]
    format: EntitySummary,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// The time that is asked about.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RelationsAtTime {
    /// In seconds since 1970; now if left out.
    timestamp: Option<i64>,
    /// Only the relations of this entity.
    entity_name: Option<String>,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// The entity whose relations are asked for, those that are over too.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HistoryArguments {
    /// Its name.
    entity_name: String,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// Arguments of `get_current_time`: none.
#[derive(Debug, Deserialize, JsonSchema)]
struct NoArguments {}

/// The entity of which more is to be found out.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct InferArguments {
    /// Its name.
    entity_name: String,
    /// From 0 to 1: leave out what is less sure; 0.5 if left out.
    min_confidence: Option<f64>,
    /// From 1 to 5: how many relations away; 3 if left out.
    max_depth: Option<usize>,
    /// The project; "default" if left out.
    project: Option<String>,
}

// Types of answers.
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
struct Confirmation {
    success: bool,
    message: String,
}

fn default_true() -> bool {
    true
}

fn done(message: &str) -> ToolAnswer {
    ToolAnswer::text(message).with_structured(json!({ "success": true, "message": message }))
}

fn graph(graph: &EntityGraph) -> Result<ToolAnswer, Refusal> {
    Ok(ToolAnswer::pretty(graph)?.with_structured(json!(graph)))
}

pub(crate) fn operations() -> Vec<Operation> {
    let mut all = write_operations();
    all.extend(read_operations());
    all.extend(traversal_operations());
    all.extend(time_operations());
    all
}

/// Tools of the official memory server that write.
fn write_operations() -> Vec<Operation> {
    vec![
        profile(|call: &mut Call<'_, CreateEntities>| {
            let (project, entities) = (call.request.project.as_deref(), &call.request.entities);
            let made = call
                .service
                .create_entities(call.origin, project, entities)?;
            Ok(ToolAnswer::pretty(&made)?.with_structured(json!({ "entities": made })))
        })
        .structured::<EntitiesMade>()
        .tool(
            NAME,
            "create_entities",
            "Create entities",
            Effect::Add,
            "Create multiple new entities in the knowledge graph. Those whose names are \
             there already are left as they are. Example: {\"entities\":[{\"name\":\"TP53\",\
             \"entityType\":\"gene\",\"observations\":[\"on 17p13\"]}]}",
        ),
        profile(|call: &mut Call<'_, Relations>| {
            let (project, relations) = (call.request.project.as_deref(), &call.request.relations);
            let made = call
                .service
                .create_relations(call.origin, project, relations)?;
            Ok(ToolAnswer::pretty(&made)?.with_structured(json!({ "relations": made })))
        })
        .structured::<RelationsMade>()
        .tool(
            NAME,
            "create_relations",
            "Create relations",
            Effect::Add,
            "Create multiple new relations between entities in the knowledge graph, in \
             active voice. Example: {\"relations\":[{\"from\":\"MDM2\",\"to\":\"TP53\",\
             \"relationType\":\"inhibits\"}]}",
        ),
        profile(|call: &mut Call<'_, AddObservations>| {
            let (project, wanted) = (call.request.project.as_deref(), &call.request.observations);
            let results = call
                .service
                .add_observations(call.origin, project, wanted)?;
            Ok(ToolAnswer::pretty(&results)?.with_structured(json!({ "results": results })))
        })
        .structured::<Results>()
        .tool(
            NAME,
            "add_observations",
            "Add observations",
            Effect::Add,
            "Add new observations to existing entities in the knowledge graph. Example: \
             {\"observations\":[{\"entityName\":\"TP53\",\"contents\":[\"mutated in half of \
             all tumours\"]}]}",
        ),
        profile(|call: &mut Call<'_, DeleteEntities>| {
            let (project, names) = (call.request.project.as_deref(), &call.request.entity_names);
            call.service.delete_entities(call.origin, project, names)?;
            Ok(done("Entities deleted successfully"))
        })
        .structured::<Confirmation>()
        .tool(
            NAME,
            "delete_entities",
            "Delete entities",
            Effect::Set,
            "Delete multiple entities and their relations from the knowledge graph. Example: \
             {\"entityNames\":[\"TP53\"]}",
        ),
        profile(|call: &mut Call<'_, DeleteObservations>| {
            let (project, wanted) = (call.request.project.as_deref(), &call.request.deletions);
            call.service
                .delete_observations(call.origin, project, wanted)?;
            Ok(done("Observations deleted successfully"))
        })
        .structured::<Confirmation>()
        .tool(
            NAME,
            "delete_observations",
            "Delete observations",
            Effect::Set,
            "Delete specific observations from entities in the knowledge graph. Example: \
             {\"deletions\":[{\"entityName\":\"TP53\",\"observations\":[\"on 17p13\"]}]}",
        ),
        profile(|call: &mut Call<'_, Relations>| {
            let (project, relations) = (call.request.project.as_deref(), &call.request.relations);
            call.service
                .delete_relations(call.origin, project, relations)?;
            Ok(done("Relations deleted successfully"))
        })
        .structured::<Confirmation>()
        .tool(
            NAME,
            "delete_relations",
            "Delete relations",
            Effect::Set,
            "Delete multiple relations from the knowledge graph. Example: \
             {\"relations\":[{\"from\":\"MDM2\",\"to\":\"TP53\",\
             \"relationType\":\"inhibits\"}]}",
        ),
    ]
}

/// Tools of the official memory server that read.
fn read_operations() -> Vec<Operation> {
    vec![
        profile(|call: &mut Call<'_, ReadGraph>| {
            let ReadGraph {
                limit,
                offset,
                project,
            } = &call.request;
            let page = EntityPage {
                offset: *offset,
                limit: *limit,
            };
            graph(&call.service.read_entities(project.as_deref(), page)?)
        })
        .structured::<EntityGraph>()
        .tool(
            NAME,
            "read_graph",
            "Read graph",
            Effect::Read,
            "Read the entire knowledge graph, or a page of it. For large ones use \
             search_nodes or open_nodes. Example: {}",
        ),
        profile(|call: &mut Call<'_, SearchEntities>| {
            let SearchEntities {
                query,
                limit,
                include_relations,
                project,
            } = &call.request;
            let page = EntityPage {
                offset: 0,
                limit: *limit,
            };
            let mut found = call
                .service
                .search_entities(project.as_deref(), query, page)?;
            if !include_relations {
                found.relations.clear();
            }
            graph(&found)
        })
        .structured::<EntityGraph>()
        .tool(
            NAME,
            "search_nodes",
            "Search nodes",
            Effect::Read,
            "Search for nodes in the knowledge graph whose names, types or observations hold \
             the query, with their relations. Example: {\"query\":\"tumour\"}",
        ),
        profile(|call: &mut Call<'_, OpenNodes>| {
            let (project, names) = (call.request.project.as_deref(), &call.request.names);
            graph(&call.service.open_entities(project, names)?)
        })
        .structured::<EntityGraph>()
        .tool(
            NAME,
            "open_nodes",
            "Open nodes",
            Effect::Read,
            "Open specific nodes in the knowledge graph by their names, with their \
             relations. Example: {\"names\":[\"TP53\"]}",
        ),
    ]
}

/// Tools of memory-graph that follow relations.
fn traversal_operations() -> Vec<Operation> {
    vec![
        profile(|call: &mut Call<'_, RelatedArguments>| {
                let RelatedArguments { request, project } = &call.request;
                let related = call.service.related_entities(project.as_deref(), request)?;
                bounded(
                    &related,
                    "name a relationType, a direction or a lower maxDepth",
                )
            }).tool(NAME, "get_related", "Get related", Effect::Read, "Get the entities that are related to an entity, by which relations. Example: \
                 {\"entityName\":\"TP53\",\"direction\":\"incoming\"}"),
        profile(|call: &mut Call<'_, TraverseArguments>| {
                let TraverseArguments {
                    start_node,
                    path,
                    max_results,
                    project,
                } = &call.request;
                let most = max_results.unwrap_or(50);
                let project = project.as_deref();
                let found = call
                    .service
                    .traverse_entities(project, start_node, path, most)?;
                bounded(&found, "give a lower maxResults")
            }).tool(NAME, "traverse", "Traverse", Effect::Read, "Follow relations of these types from an entity, one behind the other, along all \
                 paths. Example: {\"startNode\":\"Nutlin-3\",\
                 \"path\":[{\"relationType\":\"inhibits\",\"direction\":\"out\"}]}"),
        profile(|call: &mut Call<'_, SummarizeEntities>| {
                let SummarizeEntities {
                    entity_names,
                    entity_type,
                    format,
                    project,
                } = &call.request;
                let (names, ty) = (entity_names.as_deref(), entity_type.as_deref());
                let summary =
                    call.service
                        .summarize_entities(project.as_deref(), names, ty, *format)?;
                bounded(&summary, "name entities or an entityType, or ask for stats")
            }).tool(NAME, "summarize", "Summarize", Effect::Read, "Tell entities in brief, or how many there are of each type, status and \
                 priority. Example: {\"entityType\":\"gene\",\"format\":\"stats\"}"),
        profile(|call: &mut Call<'_, InferArguments>| {
                let InferArguments {
                    entity_name,
                    min_confidence,
                    max_depth,
                    project,
                } = &call.request;
                let least = min_confidence.unwrap_or(0.5).clamp(0.0, 1.0);
                let depth = max_depth.unwrap_or(3).clamp(1, 5);
                let project = project.as_deref();
                let inferred = call
                    .service
                    .infer_relations(project, entity_name, least, depth)?;
                if !inferred.inferred_relations.is_empty() {
                    return ToolAnswer::pretty(&inferred);
                }
                Ok(ToolAnswer::text(format!(
                    "No inferred relations found for '{entity_name}' with confidence >= {:.0}% and max depth {depth}.\
                     \n\nStats: visited {} nodes in {}ms",
                    least * 100.0,
                    inferred.stats.nodes_visited,
                    inferred.stats.execution_time_ms
                )))
            }).tool(NAME, "infer", "Infer", Effect::Read, "Infer relations of an entity that nobody stated, from relations one behind the \
                 other, with how sure each is. Example: {\"entityName\":\"app\",\
                 \"minConfidence\":0.8}"),
    ]
}

/// Tools of memory-graph about the validity of relations.
fn time_operations() -> Vec<Operation> {
    vec![
        profile(|call: &mut Call<'_, RelationsAtTime>| {
            let RelationsAtTime {
                timestamp,
                entity_name,
                project,
            } = &call.request;
            let at = timestamp.unwrap_or_else(|| Utc::now().timestamp());
            let project = project.as_deref();
            let mut all = call
                .service
                .entity_relations(project, entity_name.as_deref())?;
            all.retain(|relation| relation.holds(at));
            bounded(
                &json!({ "queryTime": at, "relations": all }),
                "name an entity",
            )
        })
        .tool(
            NAME,
            "get_relations_at_time",
            "Get relations at a time",
            Effect::Read,
            "Get the relations that hold at a time. Example: {\"timestamp\":1704067200,\
             \"entityName\":\"Alice\"}",
        ),
        profile(|call: &mut Call<'_, HistoryArguments>| {
            let HistoryArguments {
                entity_name,
                project,
            } = &call.request;
            let (project, at) = (project.as_deref(), Utc::now().timestamp());
            let all = call.service.entity_relations(project, Some(entity_name))?;
            let all: Vec<Value> = all.iter().map(|told| dated(told, at)).collect();
            bounded(
                &json!({ "entity": entity_name, "currentTime": at, "relations": all }),
                "get_relations_at_time asks for less",
            )
        })
        .tool(
            NAME,
            "get_relation_history",
            "Get the history of relations",
            Effect::Read,
            "Get all relations of an entity, those that are over too, with when each holds. \
             Example: {\"entityName\":\"Alice\"}",
        ),
        profile(|_: &mut Call<'_, NoArguments>| ToolAnswer::pretty(&clock(Utc::now()))).tool(
            NAME,
            "get_current_time",
            "Get the current time",
            Effect::Read,
            "Get the current time, in UTC: in seconds since 1970, and in words. Example: {}",
        ),
    ]
}

/// Returns a relation with its validity.
fn dated(told: &RelationDetails, now: i64) -> Value {
    let relation = &told.relation;
    json!({
        "from": relation.from,
        "to": relation.to,
        "relationType": relation.relation_type,
        "validFrom": relation.valid_from,
        "validTo": relation.valid_to,
        "isCurrent": told.holds(now),
    })
}

fn clock(now: DateTime<Utc>) -> Value {
    json!({
        "timestamp": now.timestamp(),
        "timestamp_ms": now.timestamp_millis(),
        "iso8601": now.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
        "readable": now.format("%A, %-d %B %Y %H:%M:%S UTC").to_string(),
        "components": {
            "year": now.year(), "month": now.month(), "day": now.day(),
            "hour": now.hour(), "minute": now.minute(), "second": now.second(),
            "weekday": now.format("%A").to_string(),
        },
    })
}
