//! Marks: what people point at on a part and ask for, as nodes of the knowledge graph.
//!
//! A mark is a node of the type [`MARK`]. Its label is the request. Its data has the place (`point`, `normal`, in the
//! unit of the project), the `value` of the field there, the `revision` that was marked, and the `status`; edges of the
//! type `marks` end at the functions, nodes or parameters that it is about. docs/knowledge.md shows how an agent answers
//! one.

use fibula_knowledge::{Knowledge, NodeRef, is_same_type};
use serde_json::Value as Json;

/// Type of the nodes that are marks.
pub(crate) const MARK: &str = "mark";
/// `data.status` of a mark that is answered.
const DONE: &str = "done";

/// Counts the marks that are not answered.
pub(crate) fn open_marks(graph: &Knowledge) -> usize {
    let types = graph.node_type_counts();
    if !types.iter().any(|(ty, _)| is_same_type(ty, MARK)) {
        return 0;
    }
    graph.nodes().filter(|node| is_open_mark(*node)).count()
}

fn is_open_mark(node: NodeRef<'_>) -> bool {
    let mut types = node.types();
    let is_mark = types.any(|ty| is_same_type(ty, MARK));
    is_mark && node.data_map().get("status").and_then(Json::as_str) != Some(DONE)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::service::Service;
    use fibula_core::edit::Origin;

    use super::open_marks;

    #[test]
    fn marks_are_open_until_their_status_is_done() {
        let service = Service::default();
        let origin = Origin::program("test", "test");
        let nodes = json!({ "nodes": [
            { "id": "a", "label": "thicker here", "types": "Mark", "data": { "status": "open" } },
            { "id": "b", "label": "a hole", "types": "mark" },
            { "id": "c", "label": "smoother", "types": "mark", "data": { "status": "done" } },
            { "id": "d", "label": "a load", "types": "requirement", "data": { "status": "open" } },
        ] });
        let request = serde_json::from_value(nodes).unwrap();
        service.add_nodes(&origin, request).unwrap();
        let snapshot = service.snapshot_at(None, None).unwrap();
        assert_eq!(open_marks(snapshot.document.knowledge()), 2);
    }
}
