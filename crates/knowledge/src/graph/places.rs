//! What is kept beside a knowledge graph by the places of its nodes: where they are, and which of them changed.

use super::knowledge::{Knowledge, Vertex};
use super::view::NodeRef;

/// A node that is not what it was.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Changed<'a> {
    /// Where it is, and was.
    pub(crate) place: u32,
    /// What was there before, if anything was.
    pub(crate) before: Option<NodeRef<'a>>,
    /// What is there now, if anything is.
    pub(crate) after: Option<NodeRef<'a>>,
}

impl Knowledge {
    /// All places, of nodes and of functions at ends of edges, are below this one.
    pub(crate) fn places(&self) -> u32 {
        self.vertices.end()
    }

    /// The node at a place; `None` if that is a function, or empty.
    pub fn node_at(&self, place: u32) -> Option<NodeRef<'_>> {
        NodeRef::new(self, place)
    }

    /// The id of the node, or of the function ("fn:3", "fn:3/7"), at a place, if one is there.
    pub fn id_at(&self, place: u32) -> Option<&str> {
        self.vertices.get(place).map(Vertex::id)
    }

    /// Whether two are copies of one of which neither was changed since: then everything in them is the same. It is asked
    /// in no time; two that were made apart may be the same though this says no.
    pub(crate) fn is_shared(&self, other: &Knowledge) -> bool {
        self.vertices.is_shared(&other.vertices) && self.edges.is_shared(&other.edges)
    }

    /// The nodes that are not what they were in a copy that was made before, by place. Pages that both share are not read,
    /// so that few changes are found quickly among many nodes; a node of which only the edges changed is not told.
    pub(crate) fn changed_nodes<'a>(
        &'a self,
        before: &'a Knowledge,
    ) -> impl Iterator<Item = Changed<'a>> {
        let places = self.vertices.unshared(&before.vertices);
        let changed = places.map(move |place| Changed {
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
