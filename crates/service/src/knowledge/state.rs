//! Complete export of a knowledge graph in pages, for viewers.

use std::collections::BTreeMap;

use fibula_knowledge::Knowledge;
use serde::Serialize;

use super::intent::dangling;
use super::node_lookup;
use super::records::{EdgeShown, NodeShown};
use crate::paging::Paging;
use crate::refusal::Result;
use crate::service::Service;

/// Number of last observations of each node.
const MOST_NOTES: usize = 5;
/// Maximum bytes of JSON of a page.
const BUDGET: usize = 4 << 20;

json_structs! {
    /// Graph to read.
    pub request(Default) struct GetState {
        project,
        /// State at this revision; pass that of the first page with the others.
        pub revision: Option<u64>,
        /// Maximum number of nodes and edges per page.
        pub limit: Option<u32>,
        cursor,
    }

    /// Nodes, and after the last of them edges, of a graph.
    pub answer(Default) struct StateShown {
        pub success: bool,
        pub nodes: Vec<NodeShown>,
        pub edges: Vec<EdgeShown>,
        pub node_count: usize,
        pub edge_count: usize,
        /// Ends of edges that are functions or nodes that no longer exist.
        pub dangling: Vec<String> = [],
        pub revision: u64,
        pub next_cursor: Option<String>,
    }
}

/// A node or an edge.
#[derive(Serialize)]
#[serde(untagged)]
enum Item {
    Node(Box<NodeShown>),
    Edge(Box<EdgeShown>),
}

impl Service {
    /// Returns the graph of a project, for callers that format it themselves.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if there is no such project.
    pub fn knowledge(&self, project: Option<&str>) -> Result<Knowledge> {
        let snapshot = self.project(project)?.snapshot()?;
        Ok(snapshot.document.knowledge().clone())
    }

    /// Returns the functions, their nodes and inputs at which edges end: what each is, or `None` if it no longer exists.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if there is no such project.
    pub fn function_ends(&self, project: Option<&str>) -> Result<BTreeMap<String, Option<String>>> {
        let snapshot = self.project(project)?.snapshot()?;
        let document = &snapshot.document;
        let ends = document.knowledge().function_ends().into_iter();
        let ends = ends.map(|end| (end.to_string(), node_lookup::noun(document, &end)));
        Ok(ends.collect())
    }

    /// Returns a page of the whole graph.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if there is no such project or revision.
    pub fn get_state(&self, request: &GetState) -> Result<StateShown> {
        let paging = Paging::new(request.limit, request.cursor.as_deref())?.of_size(BUDGET);
        let snapshot = self.snapshot_at(request.project.as_deref(), request.revision)?;
        let graph = snapshot.document.knowledge();
        let (nodes, edges) = (graph.sorted_nodes(), graph.sorted_edges());
        let node_count = nodes.len();
        let items = (0..).zip(0..node_count + edges.len());
        let page = paging.page(items, |place| match nodes.get(place) {
            Some(node) => Item::Node(Box::new(NodeShown::of(*node, MOST_NOTES, usize::MAX))),
            None => Item::Edge(Box::new(EdgeShown::of(
                &snapshot.document,
                edges[place - node_count],
            ))),
        });
        let mut shown = StateShown {
            success: true,
            node_count,
            edge_count: edges.len(),
            dangling: dangling(&snapshot.document)
                .iter()
                .map(ToString::to_string)
                .collect(),
            revision: snapshot.head.revision,
            next_cursor: page.next_cursor,
            ..StateShown::default()
        };
        for item in page.items {
            match item {
                Item::Node(node) => shown.nodes.push(*node),
                Item::Edge(edge) => shown.edges.push(*edge),
            }
        }
        Ok(shown)
    }
}
