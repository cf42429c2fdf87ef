//! Footprints of edits: the items that they write and require, from which conflicts of an undo follow.

use std::collections::BTreeSet;

use fibula_nodes::ResourceId;

use super::Edit;
use crate::graph::{FunctionId, NodeId};

/// An item of a project that an edit can write. Items contain one another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ProjectItem {
    Function(FunctionId),
    FunctionName(FunctionId),
    Ports(FunctionId),
    Node(FunctionId, NodeId),
    NodeName(FunctionId, NodeId),
    Overload(FunctionId, NodeId),
    Parameter(FunctionId, NodeId, String),
    Resource(ResourceId),
    BuildItem(u32),
    Metadata(String),
    Info,
    /// A part of the package, by its name.
    PackagePart(String),
    /// A node of the knowledge graph, by its id.
    KnowledgeNode(String),
    /// Attributes and observations of a node of the knowledge graph.
    KnowledgeContent(String),
    /// An edge of the knowledge graph, by its id.
    KnowledgeEdge(String),
    /// The schema of the knowledge graph.
    KnowledgeSchema,
}

impl ProjectItem {
    /// The smallest item that contains this one.
    fn container(&self) -> Option<ProjectItem> {
        match self {
            ProjectItem::Function(_)
            | ProjectItem::Resource(_)
            | ProjectItem::BuildItem(_)
            | ProjectItem::Metadata(_)
            | ProjectItem::Info
            | ProjectItem::PackagePart(_)
            | ProjectItem::KnowledgeNode(_)
            | ProjectItem::KnowledgeEdge(_)
            | ProjectItem::KnowledgeSchema => None,
            ProjectItem::FunctionName(function)
            | ProjectItem::Ports(function)
            | ProjectItem::Node(function, _) => Some(ProjectItem::Function(*function)),
            ProjectItem::KnowledgeContent(id) => Some(ProjectItem::KnowledgeNode(id.clone())),
            ProjectItem::NodeName(function, node)
            | ProjectItem::Overload(function, node)
            | ProjectItem::Parameter(function, node, _) => {
                Some(ProjectItem::Node(*function, *node))
            }
        }
    }
}

/// Items that an edit writes, and items that it requires.
///
/// Positions in diagrams are left out, so tidying up never conflicts.
#[derive(Debug, Clone, Default)]
pub(super) struct Footprint {
    written: BTreeSet<ProjectItem>,
    /// Every item that contains a written one.
    containers: BTreeSet<ProjectItem>,
    required: BTreeSet<ProjectItem>,
}

impl Footprint {
    /// The footprint of several edits.
    pub(super) fn new(edits: &[&Edit]) -> Self {
        let mut footprint = Footprint::default();
        for edit in edits {
            edit.group().add_to(&mut footprint);
        }
        footprint
    }

    /// True if an edit conflicts with undoing an earlier one: it wrote the same item, or requires it.
    pub(super) fn conflicts_with(&self, earlier: &Footprint) -> bool {
        let written_earlier = |item: &ProjectItem| {
            std::iter::successors(Some(item.clone()), ProjectItem::container)
                .any(|item| earlier.written.contains(&item))
        };
        let overlaps =
            |item: &ProjectItem| written_earlier(item) || earlier.containers.contains(item);
        self.written.iter().any(overlaps)
            || self.required.iter().any(written_earlier)
            // A field follows an output that is renamed, so it is not what it was.
            || self
                .written
                .iter()
                .any(|item| matches!(item, ProjectItem::Ports(_)) && earlier.required.contains(item))
    }

    pub(super) fn write(&mut self, item: ProjectItem) {
        self.containers.extend(std::iter::successors(
            item.container(),
            ProjectItem::container,
        ));
        self.written.insert(item);
    }

    pub(super) fn write_all(&mut self, items: impl IntoIterator<Item = ProjectItem>) {
        for item in items {
            self.write(item);
        }
    }

    pub(super) fn require(&mut self, item: ProjectItem) {
        self.required.insert(item);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn footprint(edits: &[&Json]) -> Footprint {
        let edits = edits
            .iter()
            .map(|&edit| serde_json::from_value(edit.clone()).unwrap());
        let edits: Vec<Edit> = edits.collect();
        Footprint::new(&edits.iter().collect::<Vec<_>>())
    }

    #[test]
    fn edges_require_nodes_and_not_their_content() {
        let put = json!({"knowledge": {"put_node": {"id": "a", "label": "", "types": ["t"], "creator": "",
            "created": 0, "modified": 0, "version": 1, "order": 0}}});
        let remove = json!({"knowledge": {"remove_node": {"id": "a"}}});
        let note = json!({"knowledge": {"observe": {"id": "a", "modified": 0, "version": 2}}});
        let edge = |target: &str| {
            json!({"knowledge": {"put_edge": {"id": "e", "source": "fn:1", "target": target, "type": "t",
                "creator": "", "created": 0, "modified": 0, "order": 0}}})
        };
        let check = |later: &Json, earlier: [&Json; 2], expected: bool| {
            let found = footprint(&[later]).conflicts_with(&footprint(&earlier));
            assert_eq!(found, expected, "{later} after {earlier:?}");
        };
        let (added, changed, removed) = ([&put, &remove], [&put, &put], [&remove, &put]);
        check(&edge("a"), added, true);
        check(&edge("b"), added, false);
        check(&edge("a"), changed, false);
        check(&note, added, true);
        check(&note, changed, true);
        check(&put, removed, true);
        let moved = json!({"knowledge": {"move_node": {"id": "a", "position": [0, 0]}}});
        check(&moved, added, false);
        check(&note, [&moved, &moved], false);
        check(&remove, changed, true);
    }

    #[test]
    fn edits_that_write_or_require_the_same_item_conflict() {
        let node = json!({"create_node": {"function_id": 1, "node_type": "Sine", "node_id": 2}});
        let value = |id: u32| {
            json!({"set_parameter_value":
                {"function_id": 1, "node_id": id, "parameter_name": "A", "value": 1}})
        };
        let link = json!({"create_link": {"function_id": 1, "source_node_id": 2, "source_port_name": "result",
            "target_node_id": 3, "target_parameter_name": "a"}});
        let moved = json!({"move_node": {"function_id": 1, "node_id": 2, "position": [0, 0]}});
        let rename = json!({"rename_function": {"function_id": 1, "name": "f"}});
        let whole = json!({"delete_function": {"function_id": 1}});
        let check = |later: &Json, earlier: &Json, expected: bool| {
            let found = footprint(&[later]).conflicts_with(&footprint(&[earlier]));
            assert_eq!(found, expected, "{later} after {earlier}");
        };
        check(&value(2), &node, true);
        check(&value(3), &node, false);
        check(&link, &node, true);
        // A node whose value is set is linked just the same.
        check(&link, &value(2), false);
        check(&link, &value(3), true);
        check(&rename, &node, false);
        check(&whole, &value(2), true);
        check(&value(2), &whole, true);
        check(&moved, &node, false);
        check(&moved, &value(2), false);
        check(&node, &moved, false);
    }
}
