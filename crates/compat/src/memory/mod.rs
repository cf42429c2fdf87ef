//! The toolset `memory`: the nine tools of the official memory server, and seven more that memory-graph has. The
//! arguments of those for pages and validity of relations are allowed in the nine, too.

mod pages;
mod texts;

use std::collections::BTreeSet;

use chrono::{DateTime, Datelike, Timelike, Utc};
use fibula_service::{
    Entity, EntityGraph, EntityPage, EntitySummary, GetRelated, NewObservations, ObservationsAdded,
    OldObservations, PathStep, Relation, RelationDetails,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use fibula_server::mcp::MEMORY_GRAPH;
use fibula_server::operation::{Operation, ToolAnswer};
use rmcp::model::{ContentBlock, Resource};

use self::pages::{cut, page};
use self::texts::TextRepairs;
use crate::{Answer, Call, pointing_on, profile};

/// What to try with an empty graph.
const EMPTY: &str = "The memory is empty: create entities first.";
/// Name of the toolset.
pub(crate) const NAME: &str = "memory";

arguments! {
    /// Arguments of `create_entities`.
    CreateEntities {
        /// The entities.
        entities: Vec<Entity>,
    }

    /// The relations to create or delete.
    Relations {
        /// The relations.
        relations: Vec<Relation>,
    }

    /// Arguments of `add_observations`.
    AddObservations {
        /// The observations, by entity.
        observations: Vec<NewObservations>,
    }

    /// Arguments of `delete_entities`.
    DeleteEntities {
        /// Their names.
        entity_names: Vec<String>,
    }

    /// Arguments of `delete_observations`.
    DeleteObservations {
        /// The observations, by entity.
        deletions: Vec<OldObservations>,
    }

    /// Page of a graph.
    ReadGraph {
        /// Maximum number of entities; default as many as fit in 60 KiB.
        limit: Option<usize>,
        /// Number of entities to skip.
        #[serde(default)]
        offset: usize,
    }

    /// Arguments of `search_nodes`.
    SearchEntities {
        /// Substring of names, types or observations, ignoring case.
        query: String,
        /// Maximum number of entities; default as many as fit in 60 KiB.
        limit: Option<usize>,
        /// Number of entities to skip.
        #[serde(default)]
        offset: usize,
        /// false omits the relations.
        #[serde(default = "default_true")]
        include_relations: bool,
    }

    /// Entities to open.
    OpenNodes {
        /// Their names.
        names: Vec<String>,
    }

    /// Entity whose relations are returned.
    RelatedArguments {
        #[serde(flatten)]
        request: GetRelated,
        /// Number of relations to skip.
        #[serde(default)]
        offset: usize,
    }

    /// Paths to find.
    TraverseArguments {
        /// Start of the paths.
        start_node: String,
        /// The relations to follow, in sequence.
        path: Vec<PathStep>,
        /// Maximum number of paths; default 50.
        max_results: Option<usize>,
    }

    /// Entities to summarize.
    SummarizeEntities {
        /// Only these.
        entity_names: Option<Vec<String>>,
        /// Only entities of this type.
        entity_type: Option<String>,
        /// Default brief.
        #[serde(default)]
        #[schemars(with = "Option<EntitySummary>")]
        format: EntitySummary,
        /// Number of entities to skip.
        #[serde(default)]
        offset: usize,
    }

    /// Time of the query.
    RelationsAtTime {
        /// In seconds since 1970; default now.
        timestamp: Option<i64>,
        /// Only the relations of this entity.
        entity_name: Option<String>,
        /// Number of relations to skip.
        #[serde(default)]
        offset: usize,
    }

    /// Entity whose relations are returned, including expired ones.
    HistoryArguments {
        /// Its name.
        entity_name: String,
        /// Number of relations to skip.
        #[serde(default)]
        offset: usize,
    }

    /// Entity to infer relations of.
    InferArguments {
        /// Its name.
        entity_name: String,
        /// Minimum confidence from 0 to 1; default 0.5.
        min_confidence: Option<f64>,
        /// Maximum number of relations, from 1 to 5; default 3.
        max_depth: Option<usize>,
    }
}

/// Arguments of `get_current_time`: none.
#[derive(Debug, Deserialize, JsonSchema)]
struct NoArguments {}

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
#[expect(dead_code, reason = "used only for its schema")]
struct Confirmation {
    success: bool,
    message: String,
}

/// The whole graph, to which clients can subscribe.
pub(crate) fn resources() -> Vec<Resource> {
    let graph = Resource::new(MEMORY_GRAPH, "knowledge-graph")
        .with_title("Knowledge graph")
        .with_description("All entities and relations as JSON")
        .with_mime_type("application/json");
    vec![graph]
}

fn default_true() -> bool {
    true
}

/// Tools of the official memory server, and then those of memory-graph, which follow relations and query their
/// validity.
pub(crate) fn operations() -> Vec<Operation> {
    tools! {
        Add "create_entities", "Create entities", profile(create_entities).structured::<EntitiesMade>(),
            "Create multiple new entities in the knowledge graph. Existing entities of the same name are kept.",
            r#"{"entities":[{"name":"TP53","entityType":"gene","observations":["on 17p13"]}]}"#;
        Add "create_relations", "Create relations", profile(create_relations).structured::<RelationsMade>(),
            "Create multiple new relations between entities in the knowledge graph, in active voice.",
            r#"{"relations":[{"from":"MDM2","to":"TP53","relationType":"inhibits"}]}"#;
        Add "add_observations", "Add observations", profile(add_observations).structured::<Results>(),
            "Add new observations to existing entities in the knowledge graph.",
            r#"{"observations":[{"entityName":"TP53","contents":["mutated in half of all tumours"]}]}"#;
        Set "delete_entities", "Delete entities", profile(delete_entities).structured::<Confirmation>(),
            "Delete multiple entities and their relations from the knowledge graph.", r#"{"entityNames":["TP53"]}"#;
        Set "delete_observations", "Delete observations", profile(delete_observations).structured::<Confirmation>(),
            "Delete specific observations from entities in the knowledge graph.",
            r#"{"deletions":[{"entityName":"TP53","observations":["on 17p13"]}]}"#;
        Set "delete_relations", "Delete relations", profile(delete_relations).structured::<Confirmation>(),
            "Delete multiple relations from the knowledge graph.",
            r#"{"relations":[{"from":"MDM2","to":"TP53","relationType":"inhibits"}]}"#;
        Read "read_graph", "Read graph", profile(read_graph).structured::<EntityGraph>(),
            "Read the entire knowledge graph, or a page of it. For large ones use search_nodes or open_nodes.", "{}";
        Read "search_nodes", "Search nodes", profile(search_nodes).structured::<EntityGraph>(),
            "Search for nodes in the knowledge graph whose names, types or observations contain the query, with their \
             relations.",
            r#"{"query":"tumour"}"#;
        Read "open_nodes", "Open nodes", profile(open_nodes).structured::<EntityGraph>(),
            "Open specific nodes in the knowledge graph by their names, with their relations.",
            r#"{"names":["TP53"]}"#;
        Read "get_related", "Get related", profile(get_related),
            "Get the entities that are related to an entity, and the relations.",
            r#"{"entityName":"TP53","direction":"incoming"}"#;
        Read "traverse", "Traverse", profile(traverse),
            "Follow relations of these types from an entity, in sequence, along all paths.",
            r#"{"startNode":"Nutlin-3","path":[{"relationType":"inhibits","direction":"out"}]}"#;
        Read "summarize", "Summarize", profile(summarize),
            "Summarize entities, or count them by type, status and priority.",
            r#"{"entityType":"gene","format":"stats"}"#;
        Read "infer", "Infer", profile(infer),
            "Infer relations of an entity that are not stated, along chains of relations, with their confidence.",
            r#"{"entityName":"app","minConfidence":0.8}"#;
        Read "get_relations_at_time", "Get relations at a time", profile(get_relations_at_time),
            "Get the relations that are valid at a time.", r#"{"timestamp":1704067200,"entityName":"Alice"}"#;
        Read "get_relation_history", "Get the history of relations", profile(get_relation_history),
            "Get all relations of an entity, including expired ones, with their validity.",
            r#"{"entityName":"Alice"}"#;
        Read "get_current_time", "Get the current time", profile(get_current_time),
            "Get the current time in UTC: in seconds since 1970, and as text.", "{}";
    }
}

fn list<T: Serialize>(key: &str, items: &[T]) -> Answer {
    Ok(ToolAnswer::pretty(&items)?.with_structured(json!({ key: items })))
}

fn confirmation(message: &str) -> ToolAnswer {
    ToolAnswer::text(message).with_structured(json!({ "success": true, "message": message }))
}

/// A graph; if it is empty, `otherwise` says what to try. A note says what was left out.
fn graph(graph: &EntityGraph, note: Option<String>, otherwise: &str) -> Answer {
    let is_empty = graph.entities.is_empty() && graph.relations.is_empty();
    let answer = answered(graph, note, is_empty, otherwise)?;
    Ok(answer.with_structured(json!(graph)))
}

/// An answer with what to try if nothing was found, and with a note of what was left out, in blocks of their own.
fn answered(
    value: &impl Serialize,
    note: Option<String>,
    is_empty: bool,
    otherwise: &str,
) -> Answer {
    let answer = pointing_on(
        ToolAnswer::pretty(value)?,
        is_empty && note.is_none(),
        otherwise,
    );
    Ok(match note {
        Some(note) => answer.with_block(ContentBlock::text(note)),
        None => answer,
    })
}

fn create_entities(call: &mut Call<'_, CreateEntities>) -> Answer {
    let mut repairs = TextRepairs::default();
    repairs.entities(&mut call.request.entities);
    let (service, entities) = (call.service, &call.request.entities);
    let made = service.create_entities(call.origin, call.project(), entities)?;
    Ok(repairs.tell(list("entities", &made)?))
}

fn create_relations(call: &mut Call<'_, Relations>) -> Answer {
    let mut repairs = TextRepairs::default();
    repairs.relations(&mut call.request.relations);
    let (service, relations) = (call.service, &call.request.relations);
    let made = service.create_relations(call.origin, call.project(), relations)?;
    let answer = repairs.tell(list("relations", &made)?);
    let dated = |all: &[Relation]| {
        let has_dates = |one: &&Relation| one.valid_from.or(one.valid_to).is_some();
        all.iter().filter(has_dates).count()
    };
    let kept = dated(relations) - dated(&made);
    if kept == 0 {
        return Ok(answer);
    }
    let note = format!(
        "Existing relations keep their validity. Not added, since they hold in that time already: {kept} with validFrom \
         or validTo. To change one, delete it and create it anew."
    );
    Ok(answer.with_block(ContentBlock::text(note)))
}

fn add_observations(call: &mut Call<'_, AddObservations>) -> Answer {
    let mut repairs = TextRepairs::default();
    repairs.additions(&mut call.request.observations);
    let (service, observations) = (call.service, &call.request.observations);
    let results = service.add_observations(call.origin, call.project(), observations)?;
    Ok(repairs.tell(list("results", &results)?))
}

fn delete_entities(call: &mut Call<'_, DeleteEntities>) -> Answer {
    let mut repairs = TextRepairs::default();
    repairs.texts(&mut call.request.entity_names);
    let (service, names) = (call.service, &call.request.entity_names);
    service.delete_entities(call.origin, call.project(), names)?;
    Ok(repairs.tell(confirmation("Entities deleted successfully")))
}

fn delete_observations(call: &mut Call<'_, DeleteObservations>) -> Answer {
    let mut repairs = TextRepairs::default();
    repairs.deletions(&mut call.request.deletions);
    let (service, deletions) = (call.service, &call.request.deletions);
    service.delete_observations(call.origin, call.project(), deletions)?;
    Ok(repairs.tell(confirmation("Observations deleted successfully")))
}

fn delete_relations(call: &mut Call<'_, Relations>) -> Answer {
    let mut repairs = TextRepairs::default();
    repairs.relations(&mut call.request.relations);
    let (service, relations) = (call.service, &call.request.relations);
    service.delete_relations(call.origin, call.project(), relations)?;
    Ok(repairs.tell(confirmation("Relations deleted successfully")))
}

fn read_graph(call: &mut Call<'_, ReadGraph>) -> Answer {
    let (offset, limit) = (call.request.offset, call.request.limit);
    let page = EntityPage { offset, limit };
    let mut read = call.service.read_entities(call.project(), page)?;
    let next = |count: usize| format!("offset {} continues", offset + count);
    let note = if limit.is_none() {
        cut(&mut read, offset, next)
    } else {
        None
    };
    let otherwise = if offset == 0 && limit != Some(0) {
        EMPTY
    } else {
        "Nothing is on this page: read from offset 0, with a limit above 0."
    };
    graph(&read, note, otherwise)
}

fn search_nodes(call: &mut Call<'_, SearchEntities>) -> Answer {
    TextRepairs::default().texts([&mut call.request.query]);
    let (service, arguments) = (call.service, &call.request);
    let (offset, limit) = (arguments.offset, arguments.limit);
    let page = EntityPage { offset, limit };
    let mut found = service.search_entities(call.project(), &arguments.query, page)?;
    if !arguments.include_relations {
        found.relations.clear();
    }
    let next = |count: usize| format!("offset {} continues", offset + count);
    let note = if limit.is_none() {
        cut(&mut found, offset, next)
    } else {
        None
    };
    let otherwise = if arguments.limit == Some(0) {
        "A limit of 0 shows nothing."
    } else if offset > 0 {
        "Nothing is on this page: search from offset 0."
    } else {
        "No name, type or observation contains the query: search for one word of it, or read the whole graph."
    };
    graph(&found, note, otherwise)
}

fn open_nodes(call: &mut Call<'_, OpenNodes>) -> Answer {
    TextRepairs::default().texts(&mut call.request.names);
    let (service, names) = (call.service, &call.request.names);
    let mut opened = service.open_entities(call.project(), names)?;
    let note = cut(&mut opened, 0, |_| {
        "open the others by themselves".to_owned()
    });
    graph(
        &opened,
        note,
        "No entity has one of these names: search for a part of one.",
    )
}

fn get_related(call: &mut Call<'_, RelatedArguments>) -> Answer {
    let mut repairs = TextRepairs::default();
    repairs.texts([&mut call.request.request.entity_name]);
    repairs.relation_types(&mut call.request.request.relation_type);
    let (service, arguments) = (call.service, &call.request.request);
    let offset = call.request.offset;
    let mut related = service.related_entities(call.project(), arguments, offset)?;
    let is_empty = related.relations.is_empty();
    let found = related.relations.len();
    let (relations, _) = page(related.relations, 0, 1);
    related.truncated |= relations.len() < found;
    let next = offset + relations.len();
    let note = related
        .truncated
        .then(|| format!("{} are shown; offset {next} continues.", relations.len()));
    related.relations = relations;
    let otherwise = match offset {
        0 => {
            "No such relation is at this entity: search for its name, or ask for both directions and all types."
        }
        _ => "Nothing is on this page: ask from offset 0.",
    };
    answered(&related, note, is_empty, otherwise)
}

fn traverse(call: &mut Call<'_, TraverseArguments>) -> Answer {
    let mut repairs = TextRepairs::default();
    repairs.texts([&mut call.request.start_node]);
    for step in &mut call.request.path {
        repairs.relation_types(&mut step.relation_type);
        repairs.entity_types(&mut step.target_type);
    }
    let (service, arguments) = (call.service, &call.request);
    let (start, most) = (&arguments.start_node, arguments.max_results.unwrap_or(50));
    let mut traversed = service.traverse_entities(call.project(), start, &arguments.path, most)?;
    let is_empty = traversed.paths.is_empty();
    let all = traversed.paths.len();
    let more = if traversed.truncated { " or more" } else { "" };
    let (paths, _) = page(traversed.paths, 0, 2);
    let ends: BTreeSet<&String> = paths.iter().filter_map(|path| path.nodes.last()).collect();
    traversed
        .end_nodes
        .retain(|end| ends.contains(&end.entity.name));
    let ends = traversed.end_nodes.len();
    let (end_nodes, _) = page(traversed.end_nodes, 0, 2);
    let note = (paths.len() < all || end_nodes.len() < ends).then(|| {
        let (paths, shown) = (paths.len(), end_nodes.len());
        format!("{paths} of {all}{more} paths are shown, and {shown} of the {ends} nodes at their ends: steps with a relationType and a targetType give fewer.")
    });
    (traversed.paths, traversed.end_nodes) = (paths, end_nodes);
    traversed.truncated |= note.is_some();
    let otherwise = "No path of these relations begins there: get the related entities, with their types and directions.";
    answered(&traversed, note, is_empty, otherwise)
}

fn summarize(call: &mut Call<'_, SummarizeEntities>) -> Answer {
    let mut repairs = TextRepairs::default();
    repairs.texts(call.request.entity_names.iter_mut().flatten());
    repairs.entity_types(&mut call.request.entity_type);
    let (service, arguments) = (call.service, &call.request);
    let (names, ty) = (&arguments.entity_names, &arguments.entity_type);
    let (names, ty) = (names.as_deref(), ty.as_deref());
    let mut summary = service.summarize_entities(call.project(), names, ty, arguments.format)?;
    let mut note = None;
    if let Some(entities) = summary.entities.take() {
        let (entities, left_out) = page(entities, arguments.offset, 2);
        (summary.entities, note) = (Some(entities), left_out);
    }
    let otherwise = match (names, ty) {
        (None, None) => EMPTY,
        _ => {
            "No entity is of this type or has one of these names: search for a part of a name, or leave both out."
        }
    };
    // Clients read it at both places.
    let mut answer = json!(summary);
    answer["summary"] = json!(summary);
    answered(&answer, note, summary.total_entities == 0, otherwise)
}

fn infer(call: &mut Call<'_, InferArguments>) -> Answer {
    TextRepairs::default().texts([&mut call.request.entity_name]);
    let (service, name) = (call.service, &call.request.entity_name);
    let least = call.request.min_confidence.unwrap_or(0.5).clamp(0.0, 1.0);
    let depth = call.request.max_depth.unwrap_or(3).clamp(1, 5);
    let inferred = service.infer_relations(call.project(), name, least, depth)?;
    if !inferred.inferred_relations.is_empty() {
        return ToolAnswer::pretty(&inferred);
    }
    let none = ToolAnswer::text(format!(
        "No inferred relations found for '{name}' with confidence >= {:.0}% and max depth {depth}.\
         \n\nStats: visited {} nodes in {}ms",
        least * 100.0,
        inferred.stats.nodes_visited,
        inferred.stats.execution_time_ms
    ));
    let otherwise = match inferred.stats.nodes_visited {
        0 => "No entity has this name: search for a part of it.",
        _ => {
            "Relations are inferred along chains of two and more: allow less confidence or more depth, or get the related entities."
        }
    };
    Ok(pointing_on(none, true, otherwise))
}

fn get_relations_at_time(call: &mut Call<'_, RelationsAtTime>) -> Answer {
    TextRepairs::default().texts(&mut call.request.entity_name);
    let (service, name) = (call.service, call.request.entity_name.as_deref());
    let at = call.request.timestamp;
    let at = at.unwrap_or_else(|| Utc::now().timestamp());
    let mut all = service.entity_relations(call.project(), name)?;
    all.retain(|relation| relation.holds(at));
    let is_empty = all.is_empty();
    let (all, note) = page(all, call.request.offset, 1);
    let answer = json!({ "queryTime": at, "relations": all });
    let otherwise =
        "No relation holds at this time: the history of an entity's relations tells when they do.";
    answered(&answer, note, is_empty, otherwise)
}

fn get_relation_history(call: &mut Call<'_, HistoryArguments>) -> Answer {
    TextRepairs::default().texts([&mut call.request.entity_name]);
    let (service, name) = (call.service, &call.request.entity_name);
    let now = Utc::now().timestamp();
    let all = service.entity_relations(call.project(), Some(name))?;
    let all: Vec<Value> = all.iter().map(|relation| dated(relation, now)).collect();
    let is_empty = all.is_empty();
    let (all, note) = page(all, call.request.offset, 1);
    let answer = json!({ "entity": name, "currentTime": now, "relations": all });
    let otherwise = "No relation was ever at an entity of this name: search for a part of it.";
    answered(&answer, note, is_empty, otherwise)
}

fn get_current_time(_: &mut Call<'_, NoArguments>) -> Answer {
    ToolAnswer::pretty(&clock(Utc::now()))
}

/// Returns a relation with its validity.
fn dated(details: &RelationDetails, now: i64) -> Value {
    let relation = &details.relation;
    let mut dated = json!({
        "from": relation.from,
        "to": relation.to,
        "relationType": relation.relation_type,
        "validFrom": relation.valid_from,
        "validTo": relation.valid_to,
        "isCurrent": details.holds(now),
    });
    if let Some(dangling) = relation.dangling {
        dated["dangling"] = dangling.into();
    }
    dated
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
