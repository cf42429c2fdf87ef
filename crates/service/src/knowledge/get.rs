//! Nodes in full, with their edges.

use fibula_core::graph::Document;
use fibula_knowledge::{Direction, NodeRef};
use serde_json::json;

use super::node_lookup;
use super::records::{EdgeShown, LinkShown, NodeShown};
use crate::paging::Paging;
use crate::refusal::{Refusal, Result};
use crate::service::Service;

/// Maximum number of observations of a node in an answer: the last ones.
const MOST_NOTES: usize = 50;
/// Maximum bytes of observations of a node; longer ones are truncated here, but complete in graph files.
const MOST_BYTES: usize = 12 << 10;
/// Maximum number of edges of a node in each direction, and maximum bytes of their names.
const MOST_LINKS: usize = 50;
const MOST_LINK_BYTES: usize = 4 << 10;
/// Maximum number of nodes of a call.
const MOST_NAMED: usize = 1000;

json_structs! {
    /// Nodes to read.
    pub request(Default) struct GetNodes {
        project,
        /// Ids or labels.
        pub nodes: Vec<String>,
        revision,
        cursor,
    }

    /// Nodes.
    pub answer struct NodesGot {
        pub success: bool,
        pub nodes: Vec<NodeGot>,
        /// Requested nodes that do not exist.
        pub missing: Vec<String> = [],
        pub total: usize,
        pub revision: u64,
        pub next_cursor: Option<String>,
    }

    /// A node with its edges.
    pub answer struct NodeGot {
        #[serde(flatten)]
        pub node: NodeShown,
        pub outgoing: Vec<LinkShown>,
        pub incoming: Vec<LinkShown>,
        /// Number of edges of the node, if not all are listed.
        pub edge_counts: Option<[usize; 2]>,
    }

    /// Edge to read.
    pub request struct GetEdge {
        project,
        /// Its id.
        pub id: String,
        revision,
    }

    /// An edge.
    pub answer struct EdgeGot {
        pub success: bool,
        #[serde(flatten)]
        pub edge: EdgeShown,
        pub revision: u64,
    }
}

impl NodeGot {
    fn of(document: &Document, node: NodeRef<'_>) -> NodeGot {
        let links = |direction: Direction| {
            let edges = node.edges(direction).into_iter().take(MOST_LINKS);
            let links = edges.map(|edge| {
                let other = match direction {
                    Direction::Incoming => edge.source(),
                    Direction::Outgoing | Direction::Both => edge.target(),
                };
                LinkShown::of(document, edge, other)
            });
            let mut bytes = 0;
            let fit = links.take_while(|link| {
                let labels = [&link.label, &link.edge_label].into_iter().flatten();
                let labels: usize = labels.map(String::len).sum();
                bytes += link.edge.len() + link.ty.len() + link.id.len() + labels;
                bytes <= MOST_LINK_BYTES
            });
            fit.collect::<Vec<_>>()
        };
        let sides = [Direction::Outgoing, Direction::Incoming];
        let (counts, [outgoing, incoming]) =
            (sides.map(|side| node.degree(side)), sides.map(links));
        let is_whole = counts == [outgoing.len(), incoming.len()];
        NodeGot {
            node: NodeShown::of(node, MOST_NOTES, MOST_BYTES),
            outgoing,
            incoming,
            edge_counts: (!is_whole).then_some(counts),
        }
    }
}

impl Service {
    /// Returns nodes with their edges. The answer names unknown nodes.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project or revision, all nodes are unknown, or a label is ambiguous.
    pub fn get_nodes(&self, request: &GetNodes) -> Result<NodesGot> {
        if request.nodes.is_empty() || request.nodes.len() > MOST_NAMED {
            let message = format!("{} nodes are requested", request.nodes.len());
            return Err(Refusal::new("invalid_arguments", message)
                .hint(format!("request 1 to {MOST_NAMED}, by id or label"))
                .details(json!({ "most": MOST_NAMED })));
        }
        let paging = Paging::new(None, request.cursor.as_deref())?;
        let snapshot = self.snapshot_at(request.project.as_deref(), request.revision)?;
        let graph = snapshot.document.knowledge();
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        for text in &request.nodes {
            match node_lookup::node(graph, text) {
                Ok(node) => found.push(node),
                Err(refusal) if refusal.code != "unknown_node" || request.nodes.len() == 1 => {
                    return Err(refusal);
                }
                Err(_) => missing.push(text.clone()),
            }
        }
        let total = found.len();
        let page = paging.page((0..).zip(found), |node| {
            NodeGot::of(&snapshot.document, node)
        });
        Ok(NodesGot {
            success: true,
            nodes: page.items,
            missing,
            total,
            revision: snapshot.head.revision,
            next_cursor: page.next_cursor,
        })
    }

    /// Returns an edge.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, revision or edge.
    pub fn get_edge(&self, request: &GetEdge) -> Result<EdgeGot> {
        let snapshot = self.snapshot_at(request.project.as_deref(), request.revision)?;
        let edge = snapshot.document.knowledge().edge(&request.id);
        Ok(EdgeGot {
            success: true,
            edge: EdgeShown::of(
                &snapshot.document,
                edge.map_err(fibula_core::edit::EditError::from)?,
            ),
            revision: snapshot.head.revision,
        })
    }
}
