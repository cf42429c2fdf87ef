//! Change detection: nodes that differ between two copies of a knowledge graph, for indexes keyed by place.

use std::sync::Arc;

use super::knowledge::{Knowledge, Vertex};
use super::view::NodeRef;

/// A node that differs between two copies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeChange<'a> {
    /// Its place in both.
    pub(crate) place: u32,
    /// The node before, if there was one.
    pub(crate) before: Option<NodeRef<'a>>,
    /// The node after, if there is one.
    pub(crate) after: Option<NodeRef<'a>>,
}

impl Knowledge {
    /// Returns the end of all places, of nodes and of functions at ends of edges.
    pub(crate) fn places(&self) -> u32 {
        self.vertices.end()
    }

    /// Returns the node at a place; `None` for a function or an empty place.
    pub fn node_at(&self, place: u32) -> Option<NodeRef<'_>> {
        NodeRef::new(self, place)
    }

    /// Returns the id of the node or function ("fn:3", "fn:3/7") at a place; `None` if it is empty.
    pub fn id_at(&self, place: u32) -> Option<&str> {
        self.vertices.get(place).map(Vertex::id)
    }

    /// True if neither of two copies was changed since they were equal. O(1); false for graphs that were built
    /// separately, even if their content is equal.
    pub(crate) fn is_shared(&self, other: &Knowledge) -> bool {
        self.vertices.is_shared(&other.vertices) && self.edges.is_shared(&other.edges)
    }

    /// True if two graphs have the same schema; copies share it.
    pub(crate) fn has_schema_of(&self, other: &Knowledge) -> bool {
        Arc::ptr_eq(&self.schema, &other.schema) || self.schema == other.schema
    }

    /// Returns the nodes that differ from those of an earlier copy, by place. Pages shared by both are skipped, so that
    /// few changes are found quickly among many nodes; changes of edges do not count.
    pub(crate) fn changed_nodes<'a>(
        &'a self,
        before: &'a Knowledge,
    ) -> impl Iterator<Item = NodeChange<'a>> {
        let places = self.vertices.unshared(&before.vertices);
        let changed = places.map(move |place| NodeChange {
            place,
            before: before.node_at(place),
            after: self.node_at(place),
        });
        changed.filter(|changed| match (&changed.before, &changed.after) {
            (None, None) => false,
            (Some(before), Some(after)) => !before.is_shared(after),
            (Some(_), None) | (None, Some(_)) => true,
        })
    }
}
