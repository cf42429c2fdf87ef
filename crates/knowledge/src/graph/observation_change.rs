//! Changes of a node's observations, and their inverse.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::node::Observation;
use super::view::NodeRef;

/// A change of a node's observations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Observing")]
pub struct ObservationChange {
    /// The node.
    pub id: String,
    /// The places of those that go, counted from 0, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<u32>,
    /// Those that come, with the places at which they are then, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub insert: Vec<(u32, Observation)>,
    /// When: milliseconds since 1970, UTC.
    pub modified: i64,
    /// Version of the node at that time.
    pub version: u32,
}

impl ObservationChange {
    /// Returns the observations after the change; `None` if indexes are out of range or not ascending.
    pub(super) fn after(&self, before: &[Observation]) -> Option<Vec<Observation>> {
        let is_removal_sorted = self.remove.is_sorted_by(|one, next| one < next);
        let is_insertion_sorted = self.insert.is_sorted_by(|one, next| one.0 < next.0);
        let end = self.remove.last().map_or(0, |&last| last as usize + 1);
        if !is_removal_sorted || !is_insertion_sorted || end > before.len() {
            return None;
        }
        let mut gone = self.remove.iter().peekable();
        let left = (0..).zip(before);
        let left = left.filter(|(place, _)| gone.next_if_eq(&place).is_none());
        let mut left = left.map(|(_, observation)| observation.clone()).peekable();
        let mut after = Vec::new();
        for (place, observation) in &self.insert {
            while after.len() < *place as usize {
                after.push(left.next()?);
            }
            after.push(observation.clone());
        }
        after.extend(left);
        Some(after)
    }

    /// Returns the inverse change for the node as it was before; `None` if indexes are out of range.
    pub fn inverse(&self, before: NodeRef<'_>) -> Option<ObservationChange> {
        let observations = before.observations();
        let removed = self.remove.iter();
        let removed =
            removed.map(|&place| Some((place, observations.get(place as usize)?.clone())));
        Some(ObservationChange {
            id: self.id.clone(),
            remove: self.insert.iter().map(|(place, _)| *place).collect(),
            insert: removed.collect::<Option<_>>()?,
            modified: before.modified(),
            version: before.version(),
        })
    }
}
