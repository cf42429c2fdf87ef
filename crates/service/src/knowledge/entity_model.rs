//! Data model of memory servers: entities, relations and observations, as they are sent and received.

use fibula_core::graph::Document;
use fibula_knowledge::{EdgeRef, Knowledge, NodeRef, is_name};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::node_lookup;
use super::timestamp::Timestamp;
use crate::refusal::{Refusal, Result};

/// A node, in the model of memory servers. Unknown fields are ignored, as in all their requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entity {
    /// The name of the entity.
    pub name: String,
    /// The type of the entity.
    pub entity_type: String,
    /// Observations about the entity.
    pub observations: Vec<String>,
    /// Author; default: the caller.
    #[serde(default, skip_serializing, deserialize_with = "maker")]
    #[schemars(with = "Option<String>")]
    pub created_by: Option<String>,
}

/// An edge, in the model of memory servers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Relation {
    /// The name of the entity where the relation starts.
    pub from: String,
    /// The name of the entity where the relation ends.
    pub to: String,
    /// The type of the relation, in active voice.
    pub relation_type: String,
    /// Start of validity, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<i64>,
    /// End of validity, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<i64>,
    /// Author; default: the caller.
    #[serde(default, skip_serializing, deserialize_with = "maker")]
    #[schemars(with = "Option<String>")]
    pub created_by: Option<String>,
    /// True if it ends at a function or node that no longer exists.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub dangling: Option<bool>,
}

/// Parses a creator. Invalid names are ignored, as memory servers ignore unknown fields; "system", which memory-graph
/// sends by default, is the caller.
fn maker<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let value = Value::deserialize(from)?;
    let name = value.as_str().filter(|name| is_name(name));
    let name = name.filter(|name| !name.trim().is_empty() && *name != "system");
    Ok(name.map(str::to_owned))
}

/// Observations to add to an entity.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewObservations {
    /// The name of the entity.
    pub entity_name: String,
    /// Observations about the entity.
    pub contents: Vec<String>,
}

/// Observations that were added to an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObservationsAdded {
    /// The name of the entity.
    pub entity_name: String,
    /// The new observations.
    pub added_observations: Vec<String>,
}

/// Observations to delete from an entity.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OldObservations {
    /// The name of the entity.
    pub entity_name: String,
    /// The observations, word for word.
    pub observations: Vec<String>,
}

/// A graph, in the model of memory servers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntityGraph {
    /// The entities, in order of creation.
    pub entities: Vec<Entity>,
    /// The relations, in order of creation.
    pub relations: Vec<Relation>,
}

/// A slice of a list; all of it by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EntityPage {
    /// Number of items to skip.
    pub offset: usize,
    /// Maximum number of items.
    pub limit: Option<usize>,
}

impl EntityPage {
    pub(super) fn of<T>(self, all: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        all.skip(self.offset).take(self.limit.unwrap_or(usize::MAX))
    }
}

impl Entity {
    pub(super) fn of(node: NodeRef<'_>) -> Entity {
        Entity {
            name: node.label().to_owned(),
            entity_type: node.types().next().unwrap_or_default().to_owned(),
            observations: node
                .observations()
                .iter()
                .map(|one| one.text.clone())
                .collect(),
            created_by: None,
        }
    }
}

/// Name of the end of an edge: the label of a node, or the id of a function.
pub(super) fn called<'a>(graph: &'a Knowledge, id: &'a str) -> &'a str {
    graph.find(id).map_or(id, |node| node.label())
}

impl Relation {
    pub(super) fn of(document: &Document, edge: EdgeRef<'_>) -> Relation {
        let graph = document.knowledge();
        let [valid_from, valid_to] = edge.validity().map(|time| time.map(seconds));
        let [from, to] = edge.places().map(|place| match graph.node_at(place) {
            Some(node) => node.label(),
            None => graph.id_at(place).unwrap_or_default(),
        });
        Relation {
            from: from.to_owned(),
            to: to.to_owned(),
            relation_type: edge.ty().to_owned(),
            valid_from,
            valid_to,
            created_by: None,
            dangling: node_lookup::has_dangling_end(document, edge),
        }
    }

    /// Start and end of its validity.
    ///
    /// # Errors
    /// A [`Refusal`] for a time beyond all calendars.
    pub(super) fn validity(&self) -> Result<[Option<Timestamp>; 2]> {
        let when = |time: Option<i64>| {
            let ms = time.map(|time| time.checked_mul(1000).ok_or(time));
            ms.transpose().map(|ms| ms.map(Timestamp)).map_err(|time| {
                let message = format!("{time} is not a time in seconds since 1970");
                Refusal::new("invalid_value", message)
            })
        };
        Ok([when(self.valid_from)?, when(self.valid_to)?])
    }
}

/// Converts milliseconds to the seconds of memory servers.
pub(super) fn seconds(ms: i64) -> i64 {
    ms.div_euclid(1000)
}
