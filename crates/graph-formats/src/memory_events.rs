//! Replay of event logs and snapshots of memory-graph, a memory server that stores changes.
//!
//! A log has an event per line, and a snapshot has its metadata in the first line and then entities and relations. A log
//! may follow the snapshot in one file: events that the snapshot has are skipped.
//!
//! ```json
//! {"eventType":"entity_created","eventId":7,"ts":1704067200,"user":"Ann","data":{"name":"Fibula","entity_type":"project"}}
//! ```

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::builder::{Fields, GraphBuilder};
use super::error::{FileLocation, brief};

/// An event of a log.
#[derive(Debug, Deserialize)]
struct Event {
    #[serde(rename = "eventType")]
    ty: String,
    #[serde(rename = "eventId")]
    id: u64,
    #[serde(rename = "ts")]
    at: i64,
    #[serde(default)]
    user: String,
    #[serde(default)]
    data: EventData,
}

/// Data of an event; each kind has some of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct EventData {
    name: String,
    entity: String,
    entity_type: Option<String>,
    observation: String,
    observations: Vec<String>,
    from: String,
    to: String,
    relation_type: String,
    valid_from: Option<i64>,
    valid_to: Option<i64>,
}

/// First line of a snapshot.
#[derive(Debug, Deserialize)]
struct SnapshotMeta {
    last_event_id: u64,
    entity_count: usize,
    relation_count: usize,
}

type Line = (FileLocation, Fields);
type RelationKey = [String; 3];
/// Code and reason of an event that cannot be applied.
type Unapplied = (&'static str, String);

/// State after the events so far: lines of entities and relations, in order; removed ones are `None`.
#[derive(Debug, Default)]
pub(super) struct EventReplay {
    entities: Vec<Option<Line>>,
    relations: Vec<Option<Line>>,
    by_name: FxHashMap<String, usize>,
    by_key: FxHashMap<RelationKey, usize>,
    /// Relations at each entity, also removed ones.
    at_entity: FxHashMap<String, Vec<usize>>,
    /// Observations of each entity, by its number, and those of them that were removed: they stay in their lists until the end.
    observed: FxHashSet<(usize, String)>,
    removed: FxHashSet<(usize, String)>,
    /// Last event of the snapshot.
    last: u64,
    /// Numbers of entities and relations that the snapshot promises.
    promised: Option<[usize; 2]>,
}

/// True for the first line of a snapshot, and for an event.
pub(super) fn is_replayed(fields: &Fields) -> bool {
    fields.contains_key("eventType")
        || fields.get("type").and_then(Json::as_str) == Some("snapshot_meta")
}

fn text(fields: &Fields, name: &str) -> String {
    let text = fields.get(name).and_then(Json::as_str);
    text.unwrap_or_default().to_owned()
}

fn key(fields: &Fields) -> RelationKey {
    ["from", "to", "relationType"].map(|name| text(fields, name))
}

impl EventReplay {
    /// Applies an event, or reads the first line of a snapshot; reports a line that cannot be applied.
    pub(super) fn apply(
        &mut self,
        fields: Fields,
        location: FileLocation,
        to: &mut GraphBuilder<'_>,
    ) {
        let line = Json::Object(fields);
        if line.get("eventType").is_none() {
            match SnapshotMeta::deserialize(&line) {
                Ok(meta) => {
                    self.last = self.last.max(meta.last_event_id);
                    self.promised = Some([meta.entity_count, meta.relation_count]);
                }
                Err(error) => to.repair("invalid_snapshot", location, || {
                    format!("the metadata of the snapshot was skipped: {error}")
                }),
            }
            return;
        }
        match Event::deserialize(&line) {
            Ok(event) if event.id <= self.last => {}
            Ok(event) => {
                self.check_snapshot(location, to);
                if let Err((what, problem)) = self.event(event, location) {
                    to.repair(what, location, || {
                        format!("an event was skipped: {problem}")
                    });
                }
            }
            Err(error) => to.repair("invalid_event", location, || {
                let line = brief(&line.to_string());
                format!("an event was skipped: {error}: {line}")
            }),
        }
    }

    fn event(&mut self, event: Event, location: FileLocation) -> Result<(), Unapplied> {
        let Event { at, user, data, .. } = event;
        let author = (!user.is_empty()).then_some(user);
        match event.ty.as_str() {
            "entity_created" => {
                let name = data.name.clone();
                let mut entity = json!({
                    "name": data.name, "entityType": data.entity_type, "observations": data.observations,
                    "createdAt": at, "updatedAt": at,
                });
                if let Some(author) = author {
                    entity["createdBy"] = author.into();
                }
                if !self.entity(entity, location) {
                    let problem = format!("there is an entity '{}' already", brief(&name));
                    return Err(("existing_entity", problem));
                }
            }
            "entity_updated" => {
                let (_, fields) = self.find(&data.name, at)?;
                if let Some(ty) = data.entity_type {
                    fields.insert("entityType".to_owned(), Json::from(ty));
                }
            }
            "entity_deleted" => {
                let (place, _) = self.find(&data.name, at)?;
                self.by_name.remove(&data.name);
                self.entities[place] = None;
                for place in self.at_entity.remove(&data.name).unwrap_or_default() {
                    if let Some((_, fields)) = self.relations[place].take() {
                        self.by_key.remove(&key(&fields));
                    }
                }
            }
            "observation_added" => {
                let (place, _) = self.find(&data.entity, at)?;
                let own = (place, data.observation.clone());
                self.removed.remove(&own);
                if self.observed.insert(own) {
                    let (_, fields) = self.find(&data.entity, at)?;
                    let observations = fields.entry("observations").or_insert_with(|| json!([]));
                    let mut one =
                        json!({ "text": data.observation, "at": at.saturating_mul(1000) });
                    if let Some(author) = author {
                        one["by"] = author.into();
                    }
                    if let Json::Array(observations) = observations {
                        observations.push(one);
                    }
                }
            }
            "observation_removed" => {
                let (place, _) = self.find(&data.entity, at)?;
                let own = (place, data.observation);
                if self.observed.contains(&own) {
                    self.removed.insert(own);
                }
            }
            "relation_created" => {
                let mut relation = json!({
                    "from": data.from, "to": data.to, "relationType": data.relation_type,
                    "createdAt": at,
                });
                if let Some(author) = author {
                    relation["createdBy"] = author.into();
                }
                for (name, time) in [("validFrom", data.valid_from), ("validTo", data.valid_to)] {
                    if let Some(time) = time {
                        relation[name] = time.into();
                    }
                }
                if !self.relation(relation, location) {
                    return Err((
                        "existing_relation",
                        "there is this relation already".to_owned(),
                    ));
                }
            }
            "relation_deleted" => {
                let key = [data.from, data.to, data.relation_type];
                let place = self.by_key.remove(&key);
                let unknown = || ("unknown_relation", "its relation is unknown".to_owned());
                self.relations[place.ok_or_else(unknown)?] = None;
            }
            other => {
                let problem = format!("the type '{}' is unknown", brief(other));
                return Err(("unknown_event", problem));
            }
        }
        Ok(())
    }

    /// The number and the fields of an entity, which is changed.
    fn find(&mut self, name: &str, at: i64) -> Result<(usize, &mut Fields), Unapplied> {
        let place = self.by_name.get(name).copied();
        let line = place.and_then(|place| Some((place, self.entities[place].as_mut()?)));
        let Some((place, (_, fields))) = line else {
            let name = brief(name);
            let problem = format!(
                "nothing before it creates the entity '{name}'; put the snapshot before the log"
            );
            return Err(("unknown_entity", problem));
        };
        fields.insert("updatedAt".to_owned(), Json::from(at));
        Ok((place, fields))
    }

    /// Adds an entity; false if one has its name.
    pub(super) fn entity(&mut self, entity: Json, location: FileLocation) -> bool {
        let Json::Object(fields) = entity else {
            return true;
        };
        let name = text(&fields, "name");
        let place = self.entities.len();
        let is_new = *self.by_name.entry(name).or_insert(place) == place;
        if is_new {
            let observations = fields.get("observations").and_then(Json::as_array);
            let texts = observations.into_iter().flatten().filter_map(Json::as_str);
            self.observed
                .extend(texts.map(|text| (place, text.to_owned())));
            self.entities.push(Some((location, fields)));
        }
        is_new
    }

    /// Adds a relation; false if one is equal.
    pub(super) fn relation(&mut self, relation: Json, location: FileLocation) -> bool {
        let Json::Object(fields) = relation else {
            return true;
        };
        let key = key(&fields);
        let place = self.relations.len();
        let is_new = *self.by_key.entry(key.clone()).or_insert(place) == place;
        if is_new {
            let [from, to, _] = key;
            for end in [from, to] {
                self.at_entity.entry(end).or_default().push(place);
            }
            self.relations.push(Some((location, fields)));
        }
        is_new
    }

    /// Reports a snapshot that has not the promised number of entities and relations.
    fn check_snapshot(&mut self, location: FileLocation, to: &mut GraphBuilder<'_>) {
        let found = [self.entities.len(), self.relations.len()];
        if let Some([entities, relations]) = self.promised.take()
            && found != [entities, relations]
        {
            to.repair("snapshot_count", location, || {
                format!(
                    "the snapshot says that it has {entities} entities and {relations} relations, and has {} and {}",
                    found[0], found[1]
                )
            });
        }
    }

    /// Returns the entities and relations that are left.
    pub(super) fn finish(mut self, to: &mut GraphBuilder<'_>) -> [Vec<Line>; 2] {
        self.check_snapshot(FileLocation::File, to);
        let removed = &self.removed;
        for (place, line) in self.entities.iter_mut().enumerate() {
            let list = line
                .as_mut()
                .and_then(|(_, fields)| fields.get_mut("observations"));
            if let Some(Json::Array(observations)) = list {
                observations.retain(|one| {
                    let text = one.get("text").unwrap_or(one).as_str().unwrap_or_default();
                    !removed.contains(&(place, text.to_owned()))
                });
            }
        }
        [self.entities, self.relations].map(|lines| lines.into_iter().flatten().collect())
    }
}
