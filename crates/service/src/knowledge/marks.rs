//! Marks: what people point at on a part and ask for, as nodes of the knowledge graph.
//!
//! A mark is a node of the type [`MARK`]. Its label is the request. Its data has the place (`point`, `normal`, in the
//! unit of the project), the `value` of the field there, the `revision` that was marked, and the `status`; edges of the
//! type `marks` end at the functions, nodes or parameters that it is about. docs/knowledge.md shows how an agent answers
//! one. `MakeMark` makes them, and `RenderPart::mark` draws one.

use fibula_core::edit::Origin;
use fibula_core::graph::FunctionId;
use fibula_knowledge::{Direction, FunctionEnd, Knowledge, Node, NodeRef, is_same_type};
use serde_json::{Value as Json, json};

use super::add::{CommittedChange, KnowledgeChange};
use super::node_lookup;
use super::records::{GivenEdge, GivenNode, NodeBrief, NodeShown, OnConflict};
use crate::paging::Paging;
use crate::project::change::CommitOptions;
use crate::refusal::{Refusal, Result, quoted};
use crate::service::Service;

/// Type of the nodes that are marks.
pub(crate) const MARK: &str = "mark";
/// Type of the edges from a mark to what it is about.
const MARKS: &str = "marks";
/// `data.status` of a mark that waits for an answer, as one without a status does.
const OPEN: &str = "open";
/// `data.status` of a mark that is answered.
const DONE: &str = "done";
/// `data.status` of a mark that nobody will answer.
const DECLINED: &str = "declined";
/// Member of the data with the revision that answered the mark.
const ANSWERED_IN: &str = "answered_in";
/// Maximum number of listed marks.
const MOST_LISTED: usize = 10;
/// Maximum number of answers of a mark, the last ones.
const MOST_ANSWERS: usize = 50;
/// Maximum bytes of JSON of a page.
const BUDGET: usize = 1 << 20;

json_structs! {
    /// The marks to list.
    pub request(Default) struct ListMarks {
        project,
        revision,
        limit,
        cursor,
    }

    /// Marks, in order of creation.
    pub answer struct MarksListed {
        pub success: bool,
        pub marks: Vec<MarkShown>,
        pub revision: u64,
        pub next_cursor: Option<String>,
    }

    /// A mark with its answers.
    pub answer(PartialEq) struct MarkShown {
        #[serde(flatten)]
        pub node: NodeShown,
        /// What it is tied to: "fn:1/7", or a node.
        pub about: Vec<String>,
    }
}

/// Counts the marks that are not answered.
pub(crate) fn open_marks(graph: &Knowledge) -> usize {
    let types = graph.node_type_counts();
    if !types.iter().any(|(ty, _)| is_same_type(ty, MARK)) {
        return 0;
    }
    graph.nodes().filter(|node| is_open_mark(*node)).count()
}

/// The oldest marks that are not answered.
pub(super) fn list_open_marks(graph: &Knowledge) -> Vec<NodeBrief> {
    if open_marks(graph) == 0 {
        return Vec::new();
    }
    let nodes = graph.sorted_nodes().into_iter();
    let open = nodes.filter(|node| is_open_mark(*node));
    open.take(MOST_LISTED).map(NodeBrief::of).collect()
}

impl Service {
    /// Lists the marks of a project in full.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, revision or page.
    pub fn list_marks(&self, request: &ListMarks) -> Result<MarksListed> {
        let paging = Paging::new(request.limit, request.cursor.as_deref())?.of_size(BUDGET);
        let snapshot = self.snapshot_at(request.project.as_deref(), request.revision)?;
        let mut nodes = snapshot.document.knowledge().sorted_nodes();
        nodes.retain(|node| is_mark(node.types()));
        let page = paging.page((0..).zip(nodes), |node| MarkShown {
            node: NodeShown::of(node, MOST_ANSWERS, usize::MAX),
            about: marked(node),
        });
        Ok(MarksListed {
            success: true,
            marks: page.items,
            revision: snapshot.head.revision,
            next_cursor: page.next_cursor,
        })
    }

    /// Adds a mark with edges to what it is about. Returns its id.
    pub(crate) fn add_mark(
        &self,
        origin: &Origin,
        project: Option<&str>,
        condition: CommitOptions,
        mark: &GivenNode,
        about: &[String],
    ) -> Result<(String, CommittedChange)> {
        self.write(
            KnowledgeChange::new(origin, project, condition, "mark", 1 + about.len()),
            |writer| {
                let (id, _) = writer.add(mark.clone(), OnConflict::Error)?;
                for end in about {
                    let edge = GivenEdge {
                        source: id.clone(),
                        target: end.clone(),
                        ty: MARKS.to_owned(),
                        ..GivenEdge::default()
                    };
                    writer.add_edge(edge, OnConflict::Skip)?;
                }
                Ok(id)
            },
            |id, written| (id, written),
        )
    }
}

/// Returns the mark with an id or label.
pub(crate) fn mark<'a>(graph: &'a Knowledge, text: &str) -> Result<NodeRef<'a>> {
    let node = node_lookup::node(graph, text)?;
    if is_mark(node.types()) {
        return Ok(node);
    }
    let message = format!("node {} is not a mark", quoted(text));
    Err(Refusal::new("invalid_arguments", message)
        .hint("search_nodes with types: [\"mark\"] lists the marks"))
}

/// The first function that a mark is about.
pub(crate) fn marked_function(mark: NodeRef<'_>) -> Option<FunctionId> {
    let mut ends = marked(mark).into_iter();
    ends.find_map(|end| Some(FunctionId(FunctionEnd::parse(&end)?.function)))
}

/// The ends of the edges from a mark to what it is about.
fn marked(mark: NodeRef<'_>) -> Vec<String> {
    let edges = mark.edges(Direction::Outgoing).into_iter();
    let marks = edges.filter(|edge| is_same_type(edge.ty(), MARKS));
    marks.map(|edge| edge.target().to_owned()).collect()
}

/// Notes the revision of the answer at a mark that is done, if it lacks one, and removes it from one that is not.
pub(super) fn note_answer(node: &mut Node, revision: u64) {
    if !is_mark(node.types.iter().map(String::as_str)) {
        return;
    }
    if node.data.get("status").and_then(Json::as_str) != Some(DONE) {
        node.data.remove(ANSWERED_IN);
    } else if !node.data.contains_key(ANSWERED_IN) {
        node.data.insert(ANSWERED_IN.to_owned(), json!(revision));
    }
}

/// Warning about a mark with a status that has no meaning.
pub(super) fn status_warning(node: &Node) -> Option<String> {
    let status = node.data.get("status")?;
    let is_known = [OPEN, DONE, DECLINED].map(Json::from).contains(status);
    (is_mark(node.types.iter().map(String::as_str)) && !is_known).then(|| {
        format!(
            "the status {status} of mark {} has no meaning, and the mark is open: {OPEN}, {DONE} or {DECLINED}",
            quoted(&node.id)
        )
    })
}

fn is_mark<'a>(mut types: impl Iterator<Item = &'a str>) -> bool {
    types.any(|ty| is_same_type(ty, MARK))
}

fn is_open_mark(node: NodeRef<'_>) -> bool {
    let data = node.data_map();
    let status = data.get("status").and_then(Json::as_str);
    is_mark(node.types()) && !matches!(status, Some(DONE | DECLINED))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

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
            { "id": "e", "label": "pink", "types": "mark", "data": { "status": "declined" } },
            { "id": "d", "label": "a load", "types": "requirement", "data": { "status": "open" } },
        ] });
        let request = serde_json::from_value(nodes).unwrap();
        service.add_nodes(&origin, request).unwrap();
        let snapshot = service.snapshot_at(None, None).unwrap();
        assert_eq!(open_marks(snapshot.document.knowledge()), 2);
    }

    #[test]
    fn a_mark_that_is_done_names_the_revision_of_its_answer() {
        let service = Service::default();
        let origin = Origin::program("test", "test");
        let nodes = json!({ "nodes": [{ "id": "a", "label": "thicker", "types": "mark" }] });
        let request = serde_json::from_value(nodes).unwrap();
        service.add_nodes(&origin, request).unwrap();
        // Each change is a revision; that of the answer is the last one before the mark is closed.
        for (data, answered) in [
            (json!({ "status": "done" }), json!(1)),
            (json!({ "status": "open" }), json!(null)),
            (json!({ "status": "done", "answered_in": 2 }), json!(2)),
            (json!({ "status": "open" }), json!(null)),
            (json!({ "status": "done" }), json!(5)),
            (json!({ "status": "finsihed" }), json!(null)),
        ] {
            let request = json!({ "nodes": [{ "id": "a", "data": data }] });
            let request = serde_json::from_value(request).unwrap();
            let updated = service.update_knowledge(&origin, &request).unwrap();
            let is_known = ["done", "open"].map(Json::from).contains(&data["status"]);
            assert_eq!(updated.warnings.is_empty(), is_known, "{data}");
            let snapshot = service.snapshot_at(None, None).unwrap();
            let node = snapshot.document.knowledge().find("a").unwrap();
            let noted = node.data_map().get("answered_in").cloned();
            assert_eq!(noted.unwrap_or_default(), answered, "{data}");
        }
    }
}
