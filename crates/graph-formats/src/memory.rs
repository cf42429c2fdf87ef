//! JSON Lines of memory servers: entities with observations, and relations between their names.
//!
//! Two dialects are read. The reference memory server gives each line a type:
//!
//! ```json
//! {"type":"entity","name":"Ann","entityType":"person","observations":["likes maps"]}
//! {"type":"relation","from":"Ann","to":"Fibula","relationType":"uses"}
//! ```
//!
//! The other has no types; a line with a "from" and a "to" is a relation. Lines may have creators and times ("createdBy",
//! "createdAt", "validTo"), in seconds since 1970. Written files are valid in both dialects, and have further fields for the
//! other properties, which servers may drop.
//!
//! A graph as the tools of these servers answer it, `{"entities": [...], "relations": [...]}`, is read, too.
//! Event logs and snapshots of memory-graph are [replayed](super::memory_events).
//!
//! Names identify nodes there. So the name is the label if it is unique, and the id otherwise.

use std::fmt::Write as _;
use std::io::Write;

use fibula_knowledge::{EdgeRef, FunctionEnd, NodeRef, Observation};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::builder::{ElementKind, GraphBuilder};
use super::error::{FileLocation, FormatError, WriteError, brief};
use super::fields::{self, Fields};
use super::graph::{Graph, Omissions, WriteReport};
use super::memory_events::{EventReplay, is_replayed};
use super::properties::{self, PropertyList};

/// A whole graph, as the tools of memory servers answer it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    entities: Vec<Fields>,
    #[serde(default)]
    relations: Vec<Fields>,
}

/// State of reading a file.
struct MemoryReader<'a, 'w> {
    to: &'a mut GraphBuilder<'w>,
    /// Ids that differ from names, by name.
    ids: FxHashMap<String, String>,
    /// Relations with their lines, as a relation may precede its entities.
    relations: Vec<(FileLocation, Fields)>,
    /// State of an event log or a snapshot, if the file begins with one.
    replay: Option<EventReplay>,
}

/// Times: fields in milliseconds, and in seconds, as in the second dialect.
const TIMES: [[&str; 2]; 4] = [
    ["created", "createdAt"],
    ["modified", "updatedAt"],
    ["valid_from", "validFrom"],
    ["valid_to", "validTo"],
];

/// Reads a file.
pub(super) fn read(text: &str, to: &mut GraphBuilder<'_>) -> Result<(), FormatError> {
    let mut reader = MemoryReader {
        to,
        ids: FxHashMap::default(),
        relations: Vec::new(),
        replay: None,
    };
    if let Ok(Document {
        entities,
        relations,
    }) = serde_json::from_str(text)
    {
        for (number, entity) in (1..).zip(entities) {
            reader.entity(entity, FileLocation::element(ElementKind::Node, number))?;
        }
        let relations = (1..).zip(relations);
        let location = |number| FileLocation::element(ElementKind::Edge, number);
        reader
            .relations
            .extend(relations.map(|(number, relation)| (location(number), relation)));
        return reader.finish();
    }
    let mut lines = (1..).zip(text.split('\n'));
    while let Some((number, line)) = lines.next() {
        reader.to.step(line.len() + 1)?;
        if line.trim().is_empty() {
            continue;
        }
        let location = FileLocation::Line(number);
        let error = match parsed(line) {
            Ok(fields) => {
                reader.line(fields, location)?;
                continue;
            }
            Err(error) => error,
        };
        let is_last = || lines.clone().all(|(_, line)| line.trim().is_empty());
        let lost = brief(line);
        if error.is_eof() && number > 1 && is_last() {
            reader.to.repair("torn_line", location, || {
                format!("the last line is incomplete and was left out: {lost}")
            });
        } else if reader.replay.is_some() {
            // As the other server reads its logs.
            reader.to.repair("invalid_event", location, || {
                format!("an event was skipped: {error}: {lost}")
            });
        } else {
            return Err(FormatError::json(&error, Some(number)));
        }
    }
    reader.finish()
}

/// Parses a line; control characters within texts, which JSON has to escape, are escaped.
fn parsed(line: &str) -> Result<Fields, serde_json::Error> {
    let read = serde_json::from_str(line);
    if read.is_ok() || !line.contains(is_control) {
        return read;
    }
    let (mut escaped, mut is_quoted, mut is_escaped) = (String::new(), false, false);
    for c in line.chars() {
        if is_quoted && is_control(c) {
            let _ = write!(escaped, "\\u{:04x}", u32::from(c));
        } else {
            escaped.push(c);
        }
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = is_quoted,
            '"' => is_quoted = !is_quoted,
            _ => {}
        }
    }
    serde_json::from_str(&escaped).or(read)
}

/// True for the characters that JSON has to escape in texts.
fn is_control(c: char) -> bool {
    c < ' '
}

impl MemoryReader<'_, '_> {
    /// Adds the relations, and before them what is left of a log.
    fn finish(mut self) -> Result<(), FormatError> {
        if let Some(replay) = self.replay.take() {
            let [entities, relations] = replay.finish(self.to);
            for (location, fields) in entities {
                self.entity(fields, location)?;
            }
            self.relations.extend(relations);
        }
        let MemoryReader {
            to, ids, relations, ..
        } = self;
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

    fn line(&mut self, mut fields: Fields, location: FileLocation) -> Result<(), FormatError> {
        if is_replayed(&fields) {
            let replay = self.replay.get_or_insert_default();
            replay.apply(fields, location, self.to);
            return Ok(());
        }
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
                self.relation(fields, location);
            }
            Some("entity") => {
                fields.remove("type");
                self.entity(fields, location)?;
            }
            None if is_relation => self.relation(fields, location),
            None if fields.contains_key("name") => self.entity(fields, location)?,
            Some(ty) if !fields.contains_key("entityType") && !is_relation => {
                self.to.repair("unknown_line", location, || {
                    format!("a line of the type '{}' was left out", brief(ty))
                });
            }
            Some(_) | None => {
                let shown = brief(&Json::Object(fields).to_string());
                return Err(FormatError::invalid(
                    location,
                    format!(
                        "{shown} is neither an entity, which has a \"name\", nor a relation, which has a \"from\" and \
                             a \"to\""
                    ),
                ));
            }
        }
        Ok(())
    }

    fn relation(&mut self, fields: Fields, location: FileLocation) {
        match &mut self.replay {
            Some(replay) => {
                replay.relation(Json::Object(fields), location);
            }
            None => self.relations.push((location, fields)),
        }
    }

    fn entity(&mut self, mut fields: Fields, location: FileLocation) -> Result<(), FormatError> {
        if let Some(replay) = &mut self.replay {
            replay.entity(Json::Object(fields), location);
            return Ok(());
        }
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
        join_observations(&mut fields);
        fields::add(ElementKind::Node, fields, location, self.to)
    }
}

/// Joins observations with their times and authors, which are in a list of their own.
fn join_observations(fields: &mut Fields) {
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

/// Labels that are names: those that no other node has as its label or id, by the ids of their nodes.
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
    let mut properties = properties::node(node);
    properties.0.retain(|(field, _)| match &**field {
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
    finish(entity, properties, node.data())
}

fn relation(edge: &EdgeRef<'_>, names: &FxHashMap<&str, &str>) -> PropertyList<'static> {
    let mut relation = PropertyList::default();
    let name = |id| names.get(id).copied().unwrap_or(id);
    relation.add("type", "relation");
    relation.add("from", name(edge.source()));
    relation.add("to", name(edge.target()));
    relation.add("relationType", edge.ty());
    let mut properties = properties::edge(edge);
    let written = ["source", "target", "type", "creator"];
    properties.0.retain(|(name, _)| !written.contains(&&**name));
    relation.add("createdBy", edge.creator());
    finish(relation, properties, edge.data())
}

/// Adds the properties for which the dialects have no fields; times also in seconds, where possible.
fn finish(
    mut line: PropertyList<'static>,
    properties: PropertyList<'static>,
    data: Option<&str>,
) -> PropertyList<'static> {
    for (name, value) in properties.0 {
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
