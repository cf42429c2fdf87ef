//! Which functions changes reach: those that they write, those that call one whose inputs or outputs they change, and those
//! to which the knowledge graph ties something else.

use std::collections::{BTreeMap, BTreeSet};

use fibula_core::edit::{Edit, KnowledgeEdit};
use fibula_core::graph::FunctionId;
use fibula_knowledge::{Direction, Edge, FunctionEnd, Knowledge};

use super::{Event, Service};

/// The functions that changes of one project reach.
#[derive(Debug, Clone, Default)]
pub struct Reach {
    written: BTreeSet<FunctionId>,
    /// Those whose inputs or outputs may be others now, so that calls follow.
    reshaped: BTreeSet<FunctionId>,
    /// Those at which edges of the knowledge graph came, went or became others.
    tied: BTreeSet<FunctionId>,
    /// The nodes of the knowledge graph that are called something else now, which edges at functions tell.
    renamed: BTreeSet<String>,
    /// Whether a change is not known any more, and may have written anything.
    unknown: bool,
}

/// The functions that read differently after changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReachedFunctions {
    /// Those that are others themselves, and those that call one whose inputs or outputs are.
    pub functions: BTreeSet<FunctionId>,
    /// Those of which only what the knowledge graph ties to them is another.
    pub tied: BTreeSet<FunctionId>,
}

impl Reach {
    /// Adds what a change writes.
    pub fn add(&mut self, event: &Event) {
        let Some(edit) = &event.edit else {
            self.unknown = true;
            return;
        };
        self.edit(edit);
        // What was there before, which only the inverse tells.
        let mut labels = BTreeMap::new();
        for edit in event.inverse.iter().flat_map(knowledge_edits) {
            if let KnowledgeEdit::PutEdge(edge) = edit {
                self.tie(edge);
            } else if let KnowledgeEdit::PutNode(node) = edit {
                labels.insert(&node.id, &node.label);
            }
        }
        for edit in knowledge_edits(edit) {
            if let KnowledgeEdit::PutEdge(edge) = edit {
                self.tie(edge);
            } else if let KnowledgeEdit::PutNode(node) = edit {
                let before = labels.get(&node.id);
                if before.is_some_and(|label| **label != node.label) {
                    self.renamed.insert(node.id.clone());
                }
            }
        }
    }

    fn tie(&mut self, edge: &Edge) {
        let ends = [&edge.source, &edge.target];
        self.tied
            .extend(ends.into_iter().filter_map(|end| tied(end)));
    }

    fn edit(&mut self, edit: &Edit) {
        self.written.extend(edit.function_id());
        match edit {
            Edit::Batch(edits) => edits.iter().for_each(|edit| self.edit(edit)),
            Edit::SetFunction(_)
            | Edit::AddPort { .. }
            | Edit::RemovePort { .. }
            | Edit::RenamePort { .. }
            | Edit::RetypePort { .. }
            | Edit::MovePort { .. } => self.reshaped.extend(edit.function_id()),
            Edit::AddImageFunction { resource_id, .. }
            | Edit::RemoveImageFunction { resource_id } => {
                self.written.insert((*resource_id).into());
            }
            Edit::Model(_)
            | Edit::Knowledge(_)
            | Edit::AddFile { .. }
            | Edit::RemoveFile { .. }
            | Edit::DeleteFunction { .. }
            | Edit::RenameFunction { .. }
            | Edit::CreateNode { .. }
            | Edit::DeleteNode { .. }
            | Edit::RenameNode { .. }
            | Edit::MoveNode { .. }
            | Edit::CreateLink { .. }
            | Edit::DeleteLink { .. }
            | Edit::SetParameterValue { .. }
            | Edit::SetOverload { .. }
            | Edit::SetCallee { .. } => {}
        }
    }
}

impl Service {
    /// The functions that read differently after the changes; `None` if that may be any.
    pub fn reached(&self, project: &str, reach: Reach) -> Option<ReachedFunctions> {
        let Reach {
            written: mut functions,
            reshaped,
            mut tied,
            renamed,
            unknown,
        } = reach;
        if unknown {
            return None;
        }
        if !reshaped.is_empty() || !renamed.is_empty() {
            let snapshot = self.project(Some(project)).ok()?.snapshot().ok()?;
            let document = &snapshot.document;
            functions.extend(reshaped.iter().flat_map(|&id| document.callers(id)));
            tied.extend(tied_to(document.knowledge(), &renamed));
        }
        Some(ReachedFunctions { functions, tied })
    }
}

/// The edits of the knowledge graph in an edit.
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

/// The function that is the end of an edge; none if that is a node, of the knowledge graph or of a function.
fn tied(end: &str) -> Option<FunctionId> {
    let end = FunctionEnd::parse(end).filter(|end| end.node.is_none())?;
    Some(FunctionId(end.function))
}

/// The functions that share an edge with one of these nodes.
fn tied_to(graph: &Knowledge, nodes: &BTreeSet<String>) -> BTreeSet<FunctionId> {
    if nodes.is_empty() || !graph.has_function_ends() {
        return BTreeSet::new();
    }
    let ends = graph.function_ends().into_iter();
    let ends = ends.filter(|end| end.node.is_none());
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
    fn calls_follow_what_is_called() {
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
            let mut reach = Reach::default();
            while let Some(event) = events.ready().expect("events") {
                reach.add(&event);
            }
            let expected = ReachedFunctions {
                functions: expected.iter().copied().map(FunctionId).collect(),
                tied: BTreeSet::new(),
            };
            assert_eq!(service.reached("default", reach), Some(expected), "{edits}");
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
