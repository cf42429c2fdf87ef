//! Lines of JSON, as memory servers keep them: entities with observations, and relations between their names.
//!
//! Two dialects are read. The reference memory server gives each line a type:
//!
//! ```json
//! {"type":"entity","name":"Ann","entityType":"person","observations":["likes maps"]}
//! {"type":"relation","from":"Ann","to":"Fibula","relationType":"uses"}
//! ```
//!
//! The other gives none; what has a "from" and a "to" is a relation. It may say who made something and when
//! ("createdBy", "createdAt"), and until when it holds ("validTo"), in seconds since 1970. Written are lines that both read,
//! with further fields for what they have none for; servers keep or drop those as they do.
//!
//! Nodes are known by their names there. So the label is written as the name if no other node has it, and the id if not.

use std::io::Write;

use fibula_knowledge::{EdgeRef, FunctionEnd, NodeRef, Observation};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value as Json, json};

use super::builder::{ElementKind, GraphBuilder};
use super::error::{FileLocation, FormatError, WriteError, brief};
use super::fields::{self, Fields};
use super::graph::{Graph, Omissions, WriteReport};
use super::properties::{self, PropertyList};

/// What lines of one file say.
struct Reading<'a, 'w> {
    to: &'a mut GraphBuilder<'w>,
    /// The ids of nodes that are not known by their names, by these.
    ids: FxHashMap<String, String>,
    /// Relations, which may come before the entities that they join, with their lines.
    relations: Vec<(FileLocation, Fields)>,
}

/// Times: in milliseconds, and in seconds as the second dialect has them.
const TIMES: [[&str; 2]; 4] = [
    ["created", "createdAt"],
    ["modified", "updatedAt"],
    ["valid_from", "validFrom"],
    ["valid_to", "validTo"],
];

/// Reads a file.
pub(super) fn read(text: &str, to: &mut GraphBuilder<'_>) -> Result<(), FormatError> {
    let mut reading = Reading {
        to,
        ids: FxHashMap::default(),
        relations: Vec::new(),
    };
    for (number, line) in (1..).zip(text.split('\n')) {
        reading.to.step(line.len() + 1)?;
        if !line.trim().is_empty() {
            let fields = serde_json::from_str(line)
                .map_err(|error| FormatError::json(&error, Some(number)))?;
            reading.line(fields, FileLocation::Line(number))?;
        }
    }
    let Reading { to, ids, relations } = reading;
    for (location, mut fields) in relations {
        for end in ["from", "to"] {
            let name = fields.get(end).and_then(Json::as_str);
            if let Some(id) = name.and_then(|name| ids.get(name)) {
                fields.insert(end.to_owned(), Json::from(id.as_str()));
            }
        }
        fields::add(ElementKind::Edge, fields, location, to)?;
    }
    Ok(())
}

impl Reading<'_, '_> {
    fn line(&mut self, mut fields: Fields, location: FileLocation) -> Result<(), FormatError> {
        for [exact, seconds] in TIMES {
            let exact = fields.get(exact).and_then(Json::as_i64);
            if exact.is_some_and(|at| fields.get(seconds) == Some(&json!(at.div_euclid(1000)))) {
                fields.remove(seconds);
            }
        }
        let is_relation = fields.contains_key("from") && fields.contains_key("to");
        let ty = fields.get("type").and_then(Json::as_str).map(str::to_owned);
        match ty.as_deref() {
            Some("relation") => {
                fields.remove("type");
                self.relations.push((location, fields));
            }
            Some("entity") => {
                fields.remove("type");
                self.entity(fields, location)?;
            }
            None if is_relation => self.relations.push((location, fields)),
            None if fields.contains_key("name") => self.entity(fields, location)?,
            Some(_) | None => {
                let shown = brief(&Json::Object(fields).to_string());
                return Err(FormatError::invalid(
                    location,
                    format!(
                        "{shown} is no entity, which has a \"name\", and no relation, which has a \"from\" and a \"to\""
                    ),
                ));
            }
        }
        Ok(())
    }

    fn entity(&mut self, mut fields: Fields, location: FileLocation) -> Result<(), FormatError> {
        let Some(name) = fields.remove("name").as_ref().and_then(fields::name) else {
            return Err(FormatError::invalid(location, "the entity has no name"));
        };
        match fields.get("id").and_then(Json::as_str) {
            Some(id) if id == name => {}
            Some(id) => {
                self.ids.insert(name.clone(), id.to_owned());
            }
            None => {
                fields.insert("id".to_owned(), Json::from(name.as_str()));
            }
        }
        fields.entry("label").or_insert_with(|| Json::from(name));
        observed(&mut fields);
        fields::add(ElementKind::Node, fields, location, self.to)
    }
}

/// Joins what was noted with when and by whom, which stands beside it.
fn observed(fields: &mut Fields) {
    let Some(Json::Array(observed)) = fields.get("observed") else {
        return;
    };
    let Some(Json::Array(texts)) = fields.get("observations") else {
        return;
    };
    if observed.len() != texts.len() {
        return;
    }
    let join = |(text, observed): (&Json, &Json)| {
        let mut observation = observed.as_object()?.clone();
        observation.insert("text".to_owned(), text.clone());
        Some(Json::Object(observation))
    };
    let joined: Option<Vec<Json>> = texts.iter().zip(observed).map(join).collect();
    if let Some(joined) = joined {
        fields.remove("observed");
        fields.insert("observations".to_owned(), Json::Array(joined));
    }
}

/// Writes a graph.
pub(super) fn write(graph: &Graph<'_>, out: &mut dyn Write) -> Result<WriteReport, WriteError> {
    let names = names(graph);
    for node in graph.nodes {
        serde_json::to_writer(&mut *out, &entity(node, names.get(node.id()).copied()))?;
        out.write_all(b"\n")?;
    }
    for edge in graph.edges {
        serde_json::to_writer(&mut *out, &relation(edge, &names))?;
        out.write_all(b"\n")?;
    }
    let mut left_out = Omissions::default();
    left_out.add_schema(graph.schema);
    left_out.add("title", usize::from(!graph.title.is_empty()));
    Ok(left_out.finish())
}

/// The labels that are names: those that no other node has, as label or as id.
fn names<'a>(graph: &Graph<'a>) -> FxHashMap<&'a str, &'a str> {
    let ids: FxHashSet<&str> = graph.nodes.iter().map(NodeRef::id).collect();
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for node in graph.nodes {
        *counts.entry(node.label()).or_default() += 1;
    }
    let is_name = |node: &&NodeRef<'a>| {
        let label = node.label();
        let is_clear = counts[label] == 1 && (label == node.id() || !ids.contains(label));
        is_clear && !label.is_empty() && FunctionEnd::parse(label).is_none()
    };
    let nodes = graph.nodes.iter().filter(is_name);
    nodes.map(|node| (node.id(), node.label())).collect()
}

fn entity(node: &NodeRef<'_>, name: Option<&str>) -> PropertyList<'static> {
    let mut entity = PropertyList::default();
    entity.add("type", "entity");
    entity.add("name", name.unwrap_or(node.id()));
    entity.add("entityType", node.types().next());
    let texts = node.observations().iter().map(|one| &*one.text);
    entity.add("observations", texts.collect::<Vec<&str>>());
    let mut facts = properties::node(node);
    facts.0.retain(|(fact, _)| match &**fact {
        "type" | "observations" | "creator" => false,
        "id" => name.is_some_and(|name| name != node.id()),
        "label" => name.is_none(),
        _ => true,
    });
    if !node.observations().is_empty() {
        let observed = |one: &Observation| json!({ "at": one.at, "by": one.by });
        let observed = node.observations().iter().map(observed);
        entity.add("observed", observed.collect::<Vec<Json>>());
    }
    entity.add("createdBy", node.creator());
    finish(entity, facts, node.data())
}

fn relation(edge: &EdgeRef<'_>, names: &FxHashMap<&str, &str>) -> PropertyList<'static> {
    let mut relation = PropertyList::default();
    let name = |id| names.get(id).copied().unwrap_or(id);
    relation.add("type", "relation");
    relation.add("from", name(edge.source()));
    relation.add("to", name(edge.target()));
    relation.add("relationType", edge.ty());
    let mut facts = properties::edge(edge);
    let told = ["source", "target", "type", "creator"];
    facts.0.retain(|(fact, _)| !told.contains(&&**fact));
    relation.add("createdBy", edge.creator());
    finish(relation, facts, edge.data())
}

/// Adds what the dialects have no field for; times in seconds, too, where they can be.
fn finish(
    mut line: PropertyList<'static>,
    facts: PropertyList<'static>,
    data: Option<&str>,
) -> PropertyList<'static> {
    for (name, value) in facts.0 {
        let seconds = TIMES.iter().find(|[exact, _]| *exact == name);
        if let (Some([_, seconds]), Some(at)) = (seconds, value.as_i64()) {
            let is_counted = (0..100_000_000_000_000).contains(&at);
            if is_counted {
                line.add(seconds, at / 1000);
            }
            if is_counted && at % 1000 == 0 {
                continue;
            }
        }
        line.0.push((name, value));
    }
    let data = properties::data(data);
    if !data.is_empty() {
        line.add(fields::DATA, data);
    }
    line
}
