//! Listing of nodes and edges with filters.

use fibula_knowledge::{Direction, EdgeRef, Knowledge, NodeRef, is_same_type};
use schemars::JsonSchema;
use serde::Deserialize;

use super::node_lookup;
use super::records::{EdgeShown, NodeBrief};
use super::timestamp::Timestamp;
use crate::paging::Paging;
use crate::refusal::{Refusal, Result, quoted};
use crate::service::Service;

json_structs! {
    /// Filter of a list.
    pub request(Default) struct ListKnowledge {
        project,
        /// Default nodes.
        pub of: KnowledgeKind = default,
        /// Only these types.
        pub types: Vec<String> = default,
        /// Only items of this creator.
        pub creator: Option<String>,
        /// Only items created at this time or later.
        pub created_from: Option<Timestamp>,
        /// Only items created before.
        pub created_until: Option<Timestamp>,
        /// Edges from here: an id or label.
        pub source: Option<String>,
        /// Edges to here.
        pub target: Option<String>,
        /// Edges valid at this time.
        pub valid_at: Option<Timestamp>,
        revision,
        limit,
        cursor,
    }

    /// A list.
    pub answer(Default) struct KnowledgeListed {
        pub success: bool,
        pub nodes: Option<Vec<NodeBrief>>,
        pub edges: Option<Vec<EdgeShown>>,
        pub total: usize,
        pub revision: u64,
        pub next_cursor: Option<String>,
        /// Types that nothing has, or where to look if there is nothing.
        pub next: Option<String>,
    }
}

/// Nodes or edges.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Listed")]
pub enum KnowledgeKind {
    /// nodes
    #[default]
    Nodes,
    /// edges
    Edges,
}

impl ListKnowledge {
    fn fits_type<'a>(&self, mut own: impl Iterator<Item = &'a str>) -> bool {
        self.types.is_empty() || own.any(|own| self.types.iter().any(|ty| is_same_type(ty, own)))
    }

    fn fits_origin(&self, creator: &str, created: i64) -> bool {
        self.creator
            .as_ref()
            .is_none_or(|by| is_same_type(by, creator))
            && self.created_from.is_none_or(|from| created >= from.0)
            && self.created_until.is_none_or(|until| created < until.0)
    }

    fn fits(&self, node: NodeRef<'_>) -> bool {
        self.fits_type(node.types()) && self.fits_origin(node.creator(), node.created())
    }

    fn fits_edge(&self, edge: EdgeRef<'_>) -> bool {
        let [from, to] = edge.validity();
        let held = self.valid_at.is_none_or(|Timestamp(at)| {
            from.is_none_or(|from| from <= at) && to.is_none_or(|to| at < to)
        });
        held && self.fits_type([edge.ty()].into_iter())
            && self.fits_origin(edge.creator(), edge.created())
    }
}

impl Service {
    /// Lists nodes or edges in order of creation.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, revision or node, or a filter of edges is given for nodes.
    pub fn list_knowledge(&self, request: &ListKnowledge) -> Result<KnowledgeListed> {
        let paging = Paging::new(request.limit, request.cursor.as_deref())?;
        let snapshot = self.snapshot_at(request.project.as_deref(), request.revision)?;
        let (document, revision) = (&snapshot.document, snapshot.head.revision);
        let graph = document.knowledge();
        let mut listed = KnowledgeListed {
            success: true,
            revision,
            ..KnowledgeListed::default()
        };
        let ends = [&request.source, &request.target];
        match request.of {
            KnowledgeKind::Nodes => {
                if ends.iter().any(|end| end.is_some()) || request.valid_at.is_some() {
                    let message = "source, target and valid_at are filters of edges, but nodes are \
                        listed";
                    return Err(Refusal::new("invalid_arguments", message)
                        .hint("omit them, or pass of: \"edges\""));
                }
                let mut nodes = graph.sorted_nodes();
                nodes.retain(|node| request.fits(*node));
                listed.total = nodes.len();
                let page = paging.page((0..).zip(nodes), NodeBrief::of);
                (listed.nodes, listed.next_cursor) = (Some(page.items), page.next_cursor);
            }
            KnowledgeKind::Edges => {
                let end = |end: &Option<String>| {
                    let id = end
                        .as_deref()
                        .map(|text| node_lookup::end_id(document, text));
                    id.transpose()
                };
                let mut edges = match (end(&request.source)?, end(&request.target)?) {
                    (Some(source), Some(target)) => graph.edges_between(&source, &target),
                    (Some(source), None) => graph.edges_at(&source, Direction::Outgoing),
                    (None, Some(target)) => graph.edges_at(&target, Direction::Incoming),
                    (None, None) => graph.sorted_edges(),
                };
                edges.retain(|edge| request.fits_edge(*edge));
                listed.total = edges.len();
                let page = paging.page((0..).zip(edges), |edge| EdgeShown::of(document, edge));
                (listed.edges, listed.next_cursor) = (Some(page.items), page.next_cursor);
            }
        }
        let known = match request.of {
            KnowledgeKind::Nodes => graph.node_type_counts(),
            KnowledgeKind::Edges => graph.edge_type_counts(),
        };
        listed.next = suggest_filters(graph, listed.total, "filters", &known, &request.types);
        Ok(listed)
    }
}

/// Where to look instead: of `types` those that nothing has, if there are any; else, if nothing was found, fewer filters.
pub(super) fn suggest_filters(
    graph: &Knowledge,
    total: usize,
    filters: &str,
    known: &[(&str, usize)],
    types: &[String],
) -> Option<String> {
    /// Maximum number of types that are named.
    const NAMED: usize = 20;
    if graph.node_count() == 0 {
        return Some("the knowledge graph has no nodes: add_nodes adds some".to_owned());
    }
    let is_known = |ty: &str| known.iter().any(|(known, _)| is_same_type(ty, known));
    let unknown = types.iter().filter(|ty| !is_known(ty));
    let unknown: Vec<String> = unknown.take(NAMED).map(|ty| quoted(ty)).collect();
    if !unknown.is_empty() {
        let mut all: Vec<&str> = known.iter().map(|(name, _)| *name).take(NAMED).collect();
        if known.len() > NAMED {
            all.push("...");
        }
        let all = match all.join(", ") {
            none if none.is_empty() => "there are no others".to_owned(),
            all => format!("the types are {all}"),
        };
        return Some(format!(
            "nothing has the type {}; {all}",
            unknown.join(", ")
        ));
    }
    (total == 0)
        .then(|| format!("use fewer or other {filters}; summarize counts nodes and edges by type"))
}
