//! Removal of nodes with their edges, and of edges.

use std::collections::BTreeSet;

use fibula_core::edit::{EditError, Origin};
use fibula_knowledge::{Direction, Knowledge, NodeRef};

use super::add::{KnowledgeChange, QUICK};
use super::node_lookup::{self, has_type};
use super::records::NodeBrief;
use super::writer::Writer;
use crate::project::change::CommitOptions;
use crate::refusal::{Refusal, Result};
use crate::service::Service;

/// Maximum number of nodes in an answer.
const MOST_LISTED: usize = 50;

json_structs! {
    /// Items to remove.
    pub request(Default) struct RemoveKnowledge {
        project,
        /// Ids or labels; their edges are removed too.
        pub nodes: Vec<String> = default,
        /// Ids.
        pub edges: Vec<String> = default,
        /// All nodes that match {types, exclude_types, isolated, min_degree, max_degree}.
        pub r#where: Option<NodeFilter>,
        expected_revision,
        /// Preview; change nothing.
        pub dry_run: bool,
    }

    /// Filter of nodes; all conditions must hold.
    #[schemars(rename = "Where")]
    pub request(Default) struct NodeFilter {
        /// Of one of these types.
        pub types: Vec<String> = default,
        /// Of none of these types.
        pub exclude_types: Vec<String> = default,
        /// Minimum number of edges.
        pub min_degree: Option<usize>,
        /// Maximum number of edges.
        pub max_degree: Option<usize>,
        /// true: without edges.
        pub isolated: bool,
    }

    /// Result of a removal.
    pub answer struct KnowledgeRemoved {
        pub success: bool,
        pub removed_nodes: usize,
        /// Including those of the nodes.
        pub removed_edges: usize,
        /// The nodes; the first 50.
        pub nodes: Vec<NodeBrief> = [],
        pub revision: u64,
        pub dry_run: Option<bool>,
        pub next: Option<String>,
    }
}

impl RemoveKnowledge {
    /// True if it takes a few milliseconds at most.
    pub fn is_quick(&self) -> bool {
        self.r#where.is_none() && self.nodes.len() + self.edges.len() <= QUICK
    }
}

impl NodeFilter {
    /// True if there is no condition, so that every node would match.
    fn is_empty(&self) -> bool {
        self.types.is_empty()
            && self.exclude_types.is_empty()
            && self.min_degree.is_none()
            && self.max_degree.is_none()
            && !self.isolated
    }

    fn fits(&self, node: NodeRef<'_>) -> bool {
        let degree = node.degree(Direction::Both);
        (self.types.is_empty() || has_type(node, &self.types))
            && !has_type(node, &self.exclude_types)
            && self.min_degree.is_none_or(|least| degree >= least)
            && self.max_degree.is_none_or(|most| degree <= most)
            && (!self.isolated || degree == 0)
    }

    /// Matching nodes, in order.
    pub(super) fn nodes<'a>(&self, graph: &'a Knowledge) -> Vec<NodeRef<'a>> {
        let mut all = graph.sorted_nodes();
        all.retain(|node| self.fits(*node));
        all
    }
}

impl Service {
    /// Removes nodes, with their edges, and edges.
    ///
    /// # Errors
    /// A [`Refusal`] if one does not exist, or nothing is requested. Nothing is removed then.
    pub fn remove_knowledge(
        &self,
        origin: &Origin,
        request: &RemoveKnowledge,
    ) -> Result<KnowledgeRemoved> {
        let all = request.r#where.as_ref();
        if all.is_some_and(NodeFilter::is_empty)
            || all.is_none() && request.nodes.is_empty() && request.edges.is_empty()
        {
            return Err(
                Refusal::new("invalid_arguments", "nothing to remove is given").hint(
                    r#"give nodes, edges, or where such as {"types": ["draft"], "isolated": true}"#,
                ),
            );
        }
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let work = |writer: &mut Writer<'_>| {
            let graph = writer.graph().clone();
            let (mut seen, mut nodes) = (BTreeSet::new(), Vec::new());
            let named = request
                .nodes
                .iter()
                .map(|text| node_lookup::node(&graph, text));
            let named = named.collect::<Result<Vec<_>, _>>()?;
            let meant = all.map_or_else(Vec::new, |all| all.nodes(&graph));
            for node in named.into_iter().chain(meant) {
                if seen.insert(node.id()) {
                    nodes.push(node);
                }
            }
            for id in &request.edges {
                graph.edge(id).map_err(EditError::from)?;
                // An edge that is named twice is already removed.
                if writer.graph().find_edge(id).is_some() {
                    writer.remove_edge(id)?;
                }
            }
            for node in &nodes {
                writer.remove(node.id())?;
            }
            let listed = nodes
                .iter()
                .take(MOST_LISTED)
                .map(|node| NodeBrief::of(*node));
            let removed_edges = graph.edge_count() - writer.graph().edge_count();
            Ok((nodes.len(), removed_edges, listed.collect::<Vec<_>>()))
        };
        let items = if all.is_some() {
            usize::MAX
        } else {
            request.nodes.len() + request.edges.len()
        };
        let project = request.project.as_deref();
        self.write(
            KnowledgeChange::new(origin, project, condition, "remove", items),
            work,
            |(removed_nodes, removed_edges, nodes), written| KnowledgeRemoved {
                success: true,
                removed_nodes,
                removed_edges,
                nodes,
                revision: written.revision,
                dry_run: written.dry_run,
                next: (removed_nodes + removed_edges == 0).then(|| {
                    "nothing matches, so nothing was removed: search_nodes shows what there is"
                        .to_owned()
                }),
            },
        )
    }
}
