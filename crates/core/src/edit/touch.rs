//! What edits touch: whether one is in the way of taking back another.

use std::collections::BTreeSet;

use fibula_nodes::ResourceId;

use super::{Edit, KnowledgeEdit, ModelEdit};
use crate::graph::model::Metadata;
use crate::graph::{FunctionId, NodeId};

/// A part of a project that an edit can write. A part that contains another is a beginning of it in words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Function(FunctionId),
    FunctionName(FunctionId),
    Ports(FunctionId),
    Node(FunctionId, NodeId),
    NodeName(FunctionId, NodeId),
    Overload(FunctionId, NodeId),
    Parameter(FunctionId, NodeId, String),
    Resource(ResourceId),
    Item(u32),
    Metadata(String),
    Info,
    /// A part of the package, by its name.
    Package(String),
    /// A node of the knowledge graph, by its id.
    Known(String),
    /// What is said of one.
    Saying(String),
    /// An edge of the knowledge graph, by its id.
    Edge(String),
    /// The schema of the knowledge graph.
    Schema,
}

impl Part {
    /// The parts that contain this one, the next larger first.
    fn around(&self) -> Option<Part> {
        match self {
            Part::Function(_)
            | Part::Resource(_)
            | Part::Item(_)
            | Part::Metadata(_)
            | Part::Info
            | Part::Package(_)
            | Part::Known(_)
            | Part::Edge(_)
            | Part::Schema => None,
            Part::FunctionName(function) | Part::Ports(function) | Part::Node(function, _) => {
                Some(Part::Function(*function))
            }
            Part::Saying(id) => Some(Part::Known(id.clone())),
            Part::NodeName(function, node)
            | Part::Overload(function, node)
            | Part::Parameter(function, node, _) => Some(Part::Node(*function, *node)),
        }
    }
}

/// What an edit writes, and what has to be there for it.
///
/// Where nodes are drawn is no part of it, so tidying up is never in the way.
#[derive(Debug, Clone, Default)]
pub(super) struct Touched {
    written: BTreeSet<Part>,
    /// Every part that contains a written one.
    around: BTreeSet<Part>,
    relied: BTreeSet<Part>,
}

impl Touched {
    pub(super) fn by(edit: &Edit) -> Self {
        let mut touched = Touched::default();
        touched.add(edit);
        touched
    }

    /// What another edit touches, too.
    pub(super) fn and(mut self, edit: &Edit) -> Self {
        self.add(edit);
        self
    }

    /// Whether what `later` did keeps this from being taken back: it wrote the same, or relies on it.
    pub(super) fn is_in_way_of(later: &Touched, earlier: &Touched) -> bool {
        let within = |part: &Part, parts: &BTreeSet<Part>| {
            let mut part = Some(part.clone());
            while let Some(this) = part {
                if parts.contains(&this) {
                    return true;
                }
                part = this.around();
            }
            false
        };
        later
            .written
            .iter()
            .any(|part| within(part, &earlier.written) || earlier.around.contains(part))
            || later
                .relied
                .iter()
                .any(|part| within(part, &earlier.written))
            // A field follows an output that is renamed, so it is not what it was.
            || later
                .written
                .iter()
                .any(|part| matches!(part, Part::Ports(_)) && earlier.relied.contains(part))
    }

    fn write(&mut self, part: Part) {
        let mut next = part.around();
        while let Some(around) = next {
            next = around.around();
            self.around.insert(around);
        }
        self.written.insert(part);
    }

    fn add(&mut self, edit: &Edit) {
        match edit {
            Edit::SetFunction(data) => {
                if let Some(id) = data.function_id {
                    self.write(Part::Function(id));
                }
            }
            Edit::DeleteFunction { function_id } => self.write(Part::Function(*function_id)),
            Edit::RenameFunction { function_id, .. } => {
                self.write(Part::FunctionName(*function_id));
            }
            Edit::AddPort { function_id, .. }
            | Edit::RemovePort { function_id, .. }
            | Edit::RenamePort { function_id, .. }
            | Edit::RetypePort { function_id, .. }
            | Edit::MovePort { function_id, .. } => self.write(Part::Ports(*function_id)),
            Edit::CreateNode {
                function_id,
                node_id,
                ..
            } => {
                if let Some(node) = node_id {
                    self.write(Part::Node(*function_id, *node));
                }
            }
            Edit::DeleteNode {
                function_id,
                node_id,
            } => self.write(Part::Node(*function_id, *node_id)),
            Edit::RenameNode {
                function_id,
                node_id,
                ..
            } => self.write(Part::NodeName(*function_id, *node_id)),
            Edit::MoveNode { .. } => {}
            Edit::CreateLink {
                function_id,
                source_node_id,
                target_node_id,
                target_parameter_name,
                ..
            } => {
                self.relied
                    .insert(Part::Node(*function_id, *source_node_id));
                self.parameter(*function_id, *target_node_id, target_parameter_name);
            }
            Edit::DeleteLink {
                function_id,
                target_node_id,
                target_parameter_name,
            } => self.parameter(*function_id, *target_node_id, target_parameter_name),
            Edit::SetParameterValue {
                function_id,
                node_id,
                parameter_name,
                ..
            } => self.parameter(*function_id, *node_id, parameter_name),
            Edit::SetOverload {
                function_id,
                node_id,
                ..
            }
            | Edit::SetCallee {
                function_id,
                node_id,
                ..
            } => self.write(Part::Overload(*function_id, *node_id)),
            Edit::AddImageFunction { resource_id, .. }
            | Edit::RemoveImageFunction { resource_id }
            | Edit::RemoveFile { resource_id } => self.write(Part::Resource(*resource_id)),
            Edit::AddFile { resource_id, .. } => {
                if let Some(id) = resource_id {
                    self.write(Part::Resource(*id));
                }
            }
            Edit::Model(edit) => self.add_model(edit),
            Edit::Knowledge(edit) => self.add_knowledge(edit),
            Edit::Batch(edits) => edits.iter().for_each(|edit| self.add(edit)),
        }
    }

    fn add_knowledge(&mut self, edit: &KnowledgeEdit) {
        match edit {
            // Where that adds it, the inverse removes it.
            KnowledgeEdit::PutNode(node) => self.write(Part::Saying(node.id.clone())),
            KnowledgeEdit::RemoveNode { id } => self.write(Part::Known(id.clone())),
            KnowledgeEdit::MoveNode { .. } => {}
            KnowledgeEdit::Observe(observing) => self.write(Part::Saying(observing.id.clone())),
            KnowledgeEdit::PutEdge(edge) => {
                self.write(Part::Edge(edge.id.clone()));
                let ends = [&edge.source, &edge.target];
                let ends = ends.map(|id| Part::Known(id.clone()));
                self.relied.extend(ends);
            }
            KnowledgeEdit::RemoveEdge { id } => self.write(Part::Edge(id.clone())),
            KnowledgeEdit::SetSchema(_) => self.write(Part::Schema),
        }
    }

    fn add_model(&mut self, edit: &ModelEdit) {
        match edit {
            ModelEdit::SetResource {
                resource_id,
                resource,
            } => {
                if let Some(id) = resource_id {
                    self.write(Part::Resource(*id));
                }
                let all = resource.references().into_iter();
                self.relied.extend(all.map(Part::Resource));
                let functions = resource.fields().into_iter();
                let functions = functions.map(|field| Part::Ports(field.function_id.into()));
                self.relied.extend(functions);
            }
            ModelEdit::RemoveResource { resource_id } => self.write(Part::Resource(*resource_id)),
            ModelEdit::SetBuildItem { item_id, item } => {
                if let Some(id) = item_id {
                    self.write(Part::Item(*id));
                }
                self.relied.insert(Part::Resource(item.object));
            }
            ModelEdit::RemoveBuildItem { item_id } => self.write(Part::Item(*item_id)),
            ModelEdit::SetMetadata(Metadata { name, .. }) | ModelEdit::RemoveMetadata { name } => {
                self.write(Part::Metadata(name.clone()));
            }
            ModelEdit::SetPart { name, .. } | ModelEdit::RemovePart { name } => {
                self.write(Part::Package(name.clone()));
            }
            ModelEdit::SetInfo(_) => self.write(Part::Info),
        }
    }

    fn parameter(&mut self, function: FunctionId, node: NodeId, name: &str) {
        self.write(Part::Parameter(function, node, name.to_lowercase()));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn touched(edit: Json) -> Touched {
        Touched::by(&serde_json::from_value(edit).unwrap())
    }

    #[test]
    fn edges_rely_on_nodes_and_not_on_what_is_said_of_them() {
        let put = json!({"knowledge": {"put_node": {"id": "a", "label": "", "types": ["t"], "creator": "",
            "created": 0, "modified": 0, "version": 1, "order": 0}}});
        let remove = json!({"knowledge": {"remove_node": {"id": "a"}}});
        let note = json!({"knowledge": {"observe": {"id": "a", "modified": 0, "version": 2}}});
        let edge = |target: &str| {
            json!({"knowledge": {"put_edge": {"id": "e", "source": "fn:1", "target": target, "type": "t",
                "creator": "", "created": 0, "modified": 0, "order": 0}}})
        };
        let entry = |edit: &Json, inverse: &Json| {
            touched(edit.clone()).and(&serde_json::from_value(inverse.clone()).unwrap())
        };
        let check = |later: &Json, earlier: [&Json; 2], expected: bool| {
            let earlier = entry(earlier[0], earlier[1]);
            let found = Touched::is_in_way_of(&touched(later.clone()), &earlier);
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
    fn what_writes_the_same_or_relies_on_it_is_in_the_way() {
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
            let (one, other) = (touched(later.clone()), touched(earlier.clone()));
            let found = Touched::is_in_way_of(&one, &other);
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
