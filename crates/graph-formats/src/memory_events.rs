//! Replay of event logs and snapshots of memory-graph, a memory server that stores changes.
//!
//! A log has an event per line, and a snapshot has its metadata in the first line and then entities and relations. A log
//! may follow the snapshot in one file: events that the snapshot has are skipped.
//!
//! ```json
//! {"eventType":"entity_created","eventId":7,"ts":1704067200,"user":"Ann","data":{"name":"Fibula","entity_type":"project"}}
//! ```

use rustc_hash::FxHashMap;
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

/// State after the events so far: lines of entities and relations, in order; removed ones are `None`.
#[derive(Debug, Default)]
pub(super) struct EventReplay {
    entities: Vec<Option<Line>>,
    relations: Vec<Option<Line>>,
    by_name: FxHashMap<String, usize>,
    by_key: FxHashMap<RelationKey, usize>,
    /// Relations at each entity, also removed ones.
    at_entity: FxHashMap<String, Vec<usize>>,
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
    /// Applies an event, or reads the first line of a snapshot; reports a line that is neither.
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
                Err(error) => to.repair("unknown_event", location, || {
                    format!("the metadata of the snapshot was skipped: {error}")
                }),
            }
            return;
        }
        match Event::deserialize(&line) {
            Ok(event) if event.id <= self.last => {}
            Ok(event) => {
                self.check_snapshot(location, to);
                if let Err(problem) = self.event(event, location) {
                    to.repair("unknown_event", location, || {
                        format!("an event was skipped: {problem}")
                    });
                }
            }
            Err(error) => to.repair("unknown_event", location, || {
                let line = brief(&line.to_string());
                format!("an event was skipped: {error}: {line}")
            }),
        }
    }

    fn event(&mut self, event: Event, location: FileLocation) -> Result<(), String> {
        let Event { at, user, data, .. } = event;
        match event.ty.as_str() {
            "entity_created" => {
                let entity = json!({
                    "name": data.name, "entityType": data.entity_type, "observations": data.observations,
                    "createdBy": user, "createdAt": at, "updatedAt": at,
                });
                self.entity(entity, location);
            }
            "entity_updated" => {
                let fields = self.find(&data.name, at)?;
                if let Some(ty) = data.entity_type {
                    fields.insert("entityType".to_owned(), Json::from(ty));
                }
            }
            "entity_deleted" => {
                self.find(&data.name, at)?;
                if let Some(place) = self.by_name.remove(&data.name) {
                    self.entities[place] = None;
                }
                for place in self.at_entity.remove(&data.name).unwrap_or_default() {
                    if let Some((_, fields)) = self.relations[place].take() {
                        self.by_key.remove(&key(&fields));
                    }
                }
            }
            "observation_added" | "observation_removed" => {
                let fields = self.find(&data.entity, at)?;
                let observations = fields.entry("observations").or_insert_with(|| json!([]));
                let Json::Array(observations) = observations else {
                    return Err("its entity has no list of observations".to_owned());
                };
                let text = Json::from(data.observation);
                let place = observations.iter().position(|own| *own == text);
                match (place, event.ty.as_str()) {
                    (None, "observation_added") => observations.push(text),
                    (Some(place), "observation_removed") => {
                        observations.remove(place);
                    }
                    _ => {}
                }
            }
            "relation_created" => {
                let mut relation = json!({
                    "from": data.from, "to": data.to, "relationType": data.relation_type,
                    "createdBy": user, "createdAt": at,
                });
                for (name, time) in [("validFrom", data.valid_from), ("validTo", data.valid_to)] {
                    if let Some(time) = time {
                        relation[name] = time.into();
                    }
                }
                self.relation(relation, location);
            }
            "relation_deleted" => {
                let place = self
                    .by_key
                    .remove(&[data.from, data.to, data.relation_type]);
                let place = place.ok_or("its relation is unknown")?;
                self.relations[place] = None;
            }
            other => return Err(format!("the type '{}' is unknown", brief(other))),
        }
        Ok(())
    }

    /// The fields of an entity, which is changed.
    fn find(&mut self, name: &str, at: i64) -> Result<&mut Fields, String> {
        let place = self.by_name.get(name);
        let line = place.and_then(|&place| self.entities[place].as_mut());
        let Some((_, fields)) = line else {
            let name = brief(name);
            return Err(format!(
                "nothing before it creates the entity '{name}'; put the snapshot before the log"
            ));
        };
        fields.insert("updatedAt".to_owned(), Json::from(at));
        Ok(fields)
    }

    /// Adds an entity, unless one has its name.
    pub(super) fn entity(&mut self, entity: Json, location: FileLocation) {
        let Json::Object(fields) = entity else { return };
        let name = text(&fields, "name");
        let place = self.entities.len();
        if *self.by_name.entry(name).or_insert(place) == place {
            self.entities.push(Some((location, fields)));
        }
    }

    /// Adds a relation, unless one is equal.
    pub(super) fn relation(&mut self, relation: Json, location: FileLocation) {
        let Json::Object(fields) = relation else {
            return;
        };
        let key = key(&fields);
        let place = self.relations.len();
        if *self.by_key.entry(key.clone()).or_insert(place) == place {
            let [from, to, _] = key;
            for end in [from, to] {
                self.at_entity.entry(end).or_default().push(place);
            }
            self.relations.push(Some((location, fields)));
        }
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
        [self.entities, self.relations].map(|lines| lines.into_iter().flatten().collect())
    }
}
