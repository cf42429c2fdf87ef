//! Public ids: small integers that are never reused.

use std::collections::BTreeSet;
use std::fmt;

use fibula_nodes::ResourceId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The id of a function: its resource id, so functions, meshes and images share one id space.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct FunctionId(pub u32);

/// The id of a node, unique in its function; 0 is the `End` node.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The node whose parameters are the function's outputs.
    pub const END: NodeId = NodeId(0);
}

impl From<FunctionId> for ResourceId {
    fn from(id: FunctionId) -> ResourceId {
        ResourceId(id.0)
    }
}

impl From<ResourceId> for FunctionId {
    fn from(id: ResourceId) -> FunctionId {
        FunctionId(id.0)
    }
}

impl fmt::Display for FunctionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The ids that were ever used; an id that was given up is not given out again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "UsedData")]
pub struct IdSet {
    /// Every id from 1 to this one was used.
    all_to: u32,
    /// The used ids above the one after that.
    above: BTreeSet<u32>,
}

/// The ids that were ever used; an id that was given up is not given out again.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Used")]
struct UsedData {
    /// Every id from 1 to this one was used.
    all_to: u32,
    /// The used ids above the one after that.
    above: BTreeSet<u32>,
}

impl From<UsedData> for IdSet {
    fn from(written: UsedData) -> IdSet {
        let mut used = IdSet::default();
        used.merge(&IdSet {
            all_to: written.all_to,
            above: written.above,
        });
        used
    }
}

impl IdSet {
    /// Smallest positive id that was never used; `None` if all were.
    pub(crate) fn next(&self) -> Option<u32> {
        self.all_to.checked_add(1)
    }

    /// True if an id was ever used; 0 never is.
    pub(crate) fn contains(&self, id: u32) -> bool {
        (1..=self.all_to).contains(&id) || self.above.contains(&id)
    }

    /// Adds all ids of another set.
    pub(crate) fn merge(&mut self, other: &IdSet) {
        self.all_to = self.all_to.max(other.all_to);
        self.above.extend(&other.above);
        self.above = match self.all_to.checked_add(1) {
            Some(next) => self.above.split_off(&next),
            None => BTreeSet::new(),
        };
        self.insert(0);
    }

    pub(crate) fn insert(&mut self, id: u32) {
        if id > self.all_to {
            self.above.insert(id);
        }
        while self
            .all_to
            .checked_add(1)
            .is_some_and(|next| self.above.remove(&next))
        {
            self.all_to += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_unused_id_is_next() {
        let mut used = IdSet::default();
        used.insert(2);
        assert_eq!(used.next(), Some(1));
        used.insert(1);
        assert_eq!(used.next(), Some(3));
        used.insert(u32::MAX);
        assert_eq!(used.next(), Some(3));
        used.insert(0);
        assert_eq!(used.next(), Some(3));
        let mut other = IdSet::default();
        other.insert(3);
        other.insert(4);
        other.merge(&used);
        assert_eq!(other.next(), Some(5));
    }

    #[test]
    fn used_ids_are_normalized_when_they_are_read() {
        let read = |text: &str| serde_json::from_str::<IdSet>(text).expect("it is of the form");
        let used = read(r#"{"all_to": 3, "above": [9, 2, 4, 0]}"#);
        assert_eq!((used.all_to, used.above.len()), (4, 1));
        let text = serde_json::to_string(&used).expect("it is data");
        assert_eq!(text, r#"{"all_to":4,"above":[9]}"#);
        assert_eq!(read(&text), used);
        let full = read(r#"{"all_to": 4294967295, "above": [4294967295]}"#);
        assert_eq!((full.next(), full.above.len()), (None, 0));
        let ids = read(r#"{"all_to": 4294967294, "above": [4294967295]}"#);
        assert_eq!(ids, full);
    }
}
