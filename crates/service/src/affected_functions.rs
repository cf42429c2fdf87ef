//! Impact analysis: the functions that changes affect, because they are written, call a function whose signature
//! changes, or are linked in the knowledge graph.

use std::collections::{BTreeMap, BTreeSet};

use fibula_core::edit::{Edit, FunctionEdit, KnowledgeEdit, ResourceEdit};
use fibula_core::graph::FunctionId;
use fibula_knowledge::{Direction, Edge, FunctionEnd, Knowledge};

use crate::events::Event;
use crate::service::Service;

/// Collector of the functions that changes of one project affect.
#[derive(Debug, Clone, Default)]
pub struct AffectedFunctions {
    written: BTreeSet<FunctionId>,
    /// Functions whose signature may have changed, which affects their callers.
    with_new_signature: BTreeSet<FunctionId>,
    /// Functions whose edges in the knowledge graph have changed.
    tied: BTreeSet<FunctionId>,
    /// Nodes of the knowledge graph with a new label, which edges of functions show.
    renamed: BTreeSet<String>,
    /// True if an edit is unknown and may have affected any function.
    unknown: bool,
}

/// Functions whose representation differs after changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AffectedFunctionIds {
    /// Functions that changed, and callers of functions whose signature changed.
    pub functions: BTreeSet<FunctionId>,
    /// Functions of which only the links in the knowledge graph changed.
    pub tied: BTreeSet<FunctionId>,
}

impl AffectedFunctions {
    /// Adds the effects of an event.
    pub fn add(&mut self, event: &Event) {
        let Some(edit) = &event.edit else {
            self.unknown = true;
            return;
        };
        self.edit(edit);
        // The state before, which only the inverse has.
        let mut labels = BTreeMap::new();
        for edit in event.inverse.iter().flat_map(knowledge_edits) {
            if let KnowledgeEdit::PutEdge(edge) = edit {
                self.add_edge(edge);
            } else if let KnowledgeEdit::PutNode(node) = edit {
                labels.insert(&node.id, &node.label);
            }
        }
        for edit in knowledge_edits(edit) {
            if let KnowledgeEdit::PutEdge(edge) = edit {
                self.add_edge(edge);
            } else if let KnowledgeEdit::PutNode(node) = edit {
                let before = labels.get(&node.id);
                if before.is_some_and(|label| **label != node.label) {
                    self.renamed.insert(node.id.clone());
                }
            }
        }
    }

    fn add_edge(&mut self, edge: &Edge) {
        let ends = [&edge.source, &edge.target];
        self.tied
            .extend(ends.into_iter().filter_map(|end| function_end(end)));
    }

    fn edit(&mut self, edit: &Edit) {
        self.written.extend(edit.function_id());
        match edit {
            Edit::Batch(edits) => edits.iter().for_each(|edit| self.edit(edit)),
            Edit::Function(FunctionEdit::Set(_)) | Edit::Port(_) => {
                self.with_new_signature.extend(edit.function_id());
            }
            Edit::Resource(
                ResourceEdit::AddImageFunction { resource_id, .. }
                | ResourceEdit::RemoveImageFunction { resource_id },
            ) => {
                self.written.insert((*resource_id).into());
            }
            Edit::Function(FunctionEdit::Delete { .. } | FunctionEdit::Rename { .. })
            | Edit::Resource(ResourceEdit::AddFile { .. } | ResourceEdit::RemoveFile { .. })
            | Edit::Node(_)
            | Edit::Link(_)
            | Edit::Model(_)
            | Edit::Knowledge(_) => {}
        }
    }
}

impl Service {
    /// Returns the affected functions, or `None` if any may be affected.
    pub fn affected_functions(
        &self,
        project: &str,
        reach: AffectedFunctions,
    ) -> Option<AffectedFunctionIds> {
        if reach.unknown {
            return None;
        }
        let (mut functions, mut tied) = (reach.written, reach.tied);
        if !reach.with_new_signature.is_empty() || !reach.renamed.is_empty() {
            let snapshot = self.project(Some(project)).ok()?.snapshot().ok()?;
            let document = &snapshot.document;
            let changed = reach.with_new_signature.iter();
            functions.extend(changed.flat_map(|&id| document.callers(id)));
            tied.extend(functions_linked_to(document.knowledge(), &reach.renamed));
        }
        Some(AffectedFunctionIds { functions, tied })
    }
}

/// Edits of the knowledge graph within an edit.
fn knowledge_edits(edit: &Edit) -> Box<dyn Iterator<Item = &KnowledgeEdit> + '_> {
    if let Edit::Batch(edits) = edit {
        return Box::new(edits.iter().flat_map(knowledge_edits));
    }
    let own = match edit {
        Edit::Knowledge(edit) => Some(edit),
        _ => None,
    };
    Box::new(own.into_iter())
}

/// Returns the function at the end of an edge, also that of an input, or `None` if the end is a node.
fn function_end(end: &str) -> Option<FunctionId> {
    let end = FunctionEnd::parse(end).filter(|end| end.node().is_none())?;
    Some(FunctionId(end.function))
}

/// Functions that share an edge with one of the nodes.
fn functions_linked_to(graph: &Knowledge, nodes: &BTreeSet<String>) -> BTreeSet<FunctionId> {
    if nodes.is_empty() || !graph.has_function_ends() {
        return BTreeSet::new();
    }
    let ends = graph.function_ends().into_iter();
    let ends = ends.filter(|end| end.node().is_none());
    let ends = ends.filter(|end| {
        let edges = graph.edges_at(&end.to_string(), Direction::Both);
        let mut others = edges.iter().flat_map(|edge| [edge.source(), edge.target()]);
        others.any(|other| nodes.contains(other))
    });
    ends.map(|end| FunctionId(end.function)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ApplyEdits, CreateFunctionFromExpression};
    use fibula_core::edit::Origin;

    #[test]
    fn callers_are_affected_by_signature_changes() {
        let service = Service::default();
        let origin = Origin::program("test", "reach");
        for (name, text) in [
            ("Ball", "length(pos) - 5"),
            ("Caller", "Ball(pos)"),
            ("F", "1"),
        ] {
            let request = CreateFunctionFromExpression::new(name, text);
            let made = service.create_function_from_expression(&origin, request);
            made.expect("a function");
        }
        let mut events = service.events(None, None).expect("events");
        let mut check = |edits: serde_json::Value, expected: &[u32]| {
            let request = serde_json::json!({ "edits": edits });
            let request: ApplyEdits = serde_json::from_value(request).expect("edits");
            service.apply_edits(&origin, request).expect("they apply");
            let mut reach = AffectedFunctions::default();
            while let Some(event) = events.ready().expect("events") {
                reach.add(&event);
            }
            let expected = AffectedFunctionIds {
                functions: expected.iter().copied().map(FunctionId).collect(),
                tied: BTreeSet::new(),
            };
            let affected = service.affected_functions("default", reach);
            assert_eq!(affected, Some(expected), "{edits}");
        };
        let value = serde_json::json!({ "create_node": { "function_id": 1, "node_type": "Sine" } });
        let other = serde_json::json!({ "create_node": { "function_id": 3, "node_type": "Sine" } });
        let port = serde_json::json!({ "rename_port":
            { "function_id": 1, "side": "output", "name": "shape", "new_name": "distance" } });
        check(serde_json::json!([value]), &[1]);
        check(serde_json::json!([value, other]), &[1, 3]);
        check(serde_json::json!([other, port]), &[1, 2, 3]);
    }
}
