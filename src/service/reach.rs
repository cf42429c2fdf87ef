//! Which functions changes reach: those that they write, those that call one whose inputs or outputs they change, and those
//! to which the knowledge graph ties something else.

use std::collections::BTreeSet;

use super::{Event, Service};
use crate::edit::{Edit, KnowledgeEdit};
use crate::graph::FunctionId;
use crate::knowledge::{Direction, FunctionEnd, Knowledge};

/// The functions that changes of one project write.
#[derive(Debug, Clone, Default)]
pub struct Reach {
    written: BTreeSet<FunctionId>,
    /// Those whose inputs or outputs may be others now, so that calls follow.
    reshaped: BTreeSet<FunctionId>,
    /// The nodes of the knowledge graph that may be others now, so that what they are tied to follows.
    put: BTreeSet<String>,
    /// Whether a change is not known any more, and may have written anything.
    unknown: bool,
}

impl Reach {
    /// Adds what a change writes.
    pub fn add(&mut self, event: &Event) {
        match &event.edit {
            Some(edit) => self.edit(edit),
            None => self.unknown = true,
        }
        if let Some(inverse) = &event.inverse {
            self.undone(inverse);
        }
    }

    /// Adds what was tied to functions before, which only the inverse of a change knows.
    fn undone(&mut self, inverse: &Edit) {
        match inverse {
            Edit::Batch(edits) => edits.iter().for_each(|edit| self.undone(edit)),
            Edit::Knowledge(edit) => self.knowledge(edit),
            _ => {}
        }
    }

    fn knowledge(&mut self, edit: &KnowledgeEdit) {
        match edit {
            KnowledgeEdit::PutEdge(edge) => {
                self.written.extend(tied(&edge.source));
                self.written.extend(tied(&edge.target));
            }
            KnowledgeEdit::PutNode(node) => {
                self.put.insert(node.id.clone());
            }
            // Edges that are removed are in the inverse; the rest is not told with functions.
            KnowledgeEdit::RemoveNode { .. }
            | KnowledgeEdit::RemoveEdge { .. }
            | KnowledgeEdit::MoveNode { .. }
            | KnowledgeEdit::Observe(_)
            | KnowledgeEdit::SetSchema(_) => {}
        }
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
            Edit::Knowledge(edit) => self.knowledge(edit),
            Edit::Model(_)
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
    pub fn reached(&self, project: &str, reach: Reach) -> Option<BTreeSet<FunctionId>> {
        let Reach {
            written,
            reshaped,
            put,
            unknown,
        } = reach;
        if unknown {
            return None;
        }
        if reshaped.is_empty() && put.is_empty() {
            return Some(written);
        }
        let snapshot = self.project(Some(project)).ok()?.snapshot().ok()?;
        let document = &snapshot.document;
        let mut reached = written;
        reached.extend(reshaped.iter().flat_map(|&id| document.callers(id)));
        reached.extend(tied_to(document.knowledge(), &put));
        Some(reached)
    }
}

/// The function that an edge ends at, or at a node of which.
fn tied(end: &str) -> Option<FunctionId> {
    FunctionEnd::parse(end).map(|end| FunctionId(end.function))
}

/// The functions that share an edge with one of these nodes.
fn tied_to(graph: &Knowledge, nodes: &BTreeSet<String>) -> BTreeSet<FunctionId> {
    if !graph.has_function_ends() {
        return BTreeSet::new();
    }
    let nodes = nodes.iter().filter_map(|id| graph.find(id));
    let edges = nodes.flat_map(|node| node.edges(Direction::Both));
    let ends = edges.flat_map(|edge| [tied(edge.source()), tied(edge.target())]);
    ends.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Origin;
    use crate::service::{ApplyEdits, CreateFunctionFromExpression};

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
            let expected = expected.iter().copied().map(FunctionId).collect();
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
