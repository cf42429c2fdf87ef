//! Summary of a knowledge graph or a part of it.

use std::collections::BTreeMap;

use fibula_knowledge::{Direction, EdgeRef, NodeRef};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::marks::list_open_marks;
use super::node_lookup::{self, has_type};
use super::records::NodeBrief;
use super::timestamp::Timestamp;
use crate::refusal::Result;
use crate::service::Service;

/// Maximum number of types, values and contributors, the most frequent ones.
const MOST_COUNTED: usize = 30;
/// Maximum number of nodes of each sort.
const MOST_NODES: usize = 10;
/// Maximum bytes of a value.
const LONGEST_VALUE: usize = 80;
/// Data members whose values are counted.
const COUNTED_MEMBERS: [&str; 2] = ["status", "priority"];

json_structs! {
    /// Nodes to summarize.
    pub request(Default) struct Summarize {
        project,
        /// Only these nodes; default all.
        pub nodes: Vec<String> = default,
        /// Only nodes of these types.
        pub types: Vec<String> = default,
        /// Default detailed.
        #[schemars(with = "Option<Summary>")]
        pub format: Summary = default,
        revision,
        /// true adds bounds and volume of objects.
        pub measures: bool,
    }

    /// A summary.
    pub answer(Default) struct SummaryShown {
        pub success: bool,
        pub node_count: usize,
        /// Edges at these nodes.
        pub edge_count: usize,
        pub node_types: Vec<NameCount>,
        pub edge_types: Vec<NameCount>,
        /// Requests of people that are not answered; render draws one.
        pub open_marks: Vec<NodeBrief> = [],
        /// The nodes with most edges.
        pub hubs: Option<Vec<Hub>>,
        pub newest: Option<Vec<NodeBrief>>,
        /// Counts by data.status.
        pub status: Option<Vec<NameCount>>,
        /// Counts by data.priority.
        pub priority: Option<Vec<NameCount>>,
        pub contributors: Option<Vec<Contributor>>,
        /// Ends of edges that are functions that no longer exist.
        pub dangling: Vec<String> = [],
        pub revision: u64,
    }

    /// A value and its count.
    #[schemars(rename = "Counted")]
    pub answer(PartialEq, Eq) struct NameCount {
        pub name: String,
        pub count: usize,
    }

    /// A node with many edges.
    pub answer struct Hub {
        #[serde(flatten)]
        pub node: NodeBrief,
        pub degree: usize,
    }

    /// Creators of nodes and edges.
    pub answer struct Contributor {
        pub creator: String,
        pub nodes: usize,
        pub edges: usize,
        pub first: Timestamp,
        pub last: Timestamp,
    }
}

/// Kind of summary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Summary {
    /// counts by type
    Brief,
    /// also the nodes with most edges, and the newest
    #[default]
    Detailed,
    /// counts by type, and by data.status and data.priority
    Stats,
    /// creators with their counts
    Contributors,
}

/// Counts in descending order, then by name.
fn sorted<N: AsRef<str>>(counts: impl IntoIterator<Item = (N, usize)>) -> Vec<NameCount> {
    let counted = counts.into_iter().map(|(name, count)| NameCount {
        name: name.as_ref().to_owned(),
        count,
    });
    let mut all: Vec<NameCount> = counted.collect();
    all.sort_by(|a, b| (b.count, &a.name).cmp(&(a.count, &b.name)));
    all.truncate(MOST_COUNTED);
    all
}

fn count<'a>(names: impl Iterator<Item = &'a str>) -> Vec<NameCount> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    names.for_each(|name| *counts.entry(name).or_default() += 1);
    sorted(counts)
}

/// Returns the value of a data member if it is short.
fn short_value(value: &Json) -> Option<String> {
    let text = match value {
        Json::String(text) => text.clone(),
        Json::Number(_) | Json::Bool(_) => value.to_string(),
        Json::Null | Json::Array(_) | Json::Object(_) => return None,
    };
    (text.len() <= LONGEST_VALUE).then_some(text)
}

impl Service {
    /// Summarises a graph or a part of it.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if there is no such project, revision or node.
    pub fn summarize(&self, request: &Summarize) -> Result<SummaryShown> {
        let snapshot = self.snapshot_at(request.project.as_deref(), request.revision)?;
        let (document, graph) = (&snapshot.document, snapshot.document.knowledge());
        let is_whole = request.nodes.is_empty() && request.types.is_empty();
        let mut nodes: Vec<NodeRef<'_>> = if request.nodes.is_empty() {
            graph.sorted_nodes()
        } else {
            let named = request
                .nodes
                .iter()
                .map(|text| node_lookup::node(graph, text));
            named.collect::<Result<_, _>>()?
        };
        nodes.retain(|node| request.types.is_empty() || has_type(*node, &request.types));
        let edges: Vec<EdgeRef<'_>> = if is_whole {
            graph.sorted_edges()
        } else {
            let edges = nodes.iter().flat_map(|node| node.edges(Direction::Both));
            let edges: BTreeMap<_, _> = edges
                .map(|edge| ((edge.order(), edge.id()), edge))
                .collect();
            edges.into_values().collect()
        };
        let mut shown = SummaryShown {
            success: true,
            node_count: nodes.len(),
            edge_count: edges.len(),
            node_types: count(nodes.iter().flat_map(NodeRef::types)),
            edge_types: count(edges.iter().map(EdgeRef::ty)),
            open_marks: list_open_marks(graph),
            revision: snapshot.head.revision,
            ..SummaryShown::default()
        };
        match request.format {
            Summary::Brief => {}
            Summary::Detailed => {
                shown.hubs = Some(hubs(&nodes));
                let newest = nodes.iter().rev().take(MOST_NODES);
                shown.newest = Some(newest.map(|node| NodeBrief::of(*node)).collect());
                shown.dangling = node_lookup::dangling_ends(document, &edges);
                shown.dangling.truncate(MOST_NODES);
            }
            Summary::Stats => {
                let [status, priority] = COUNTED_MEMBERS.map(|member| {
                    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
                    let data = nodes.iter().filter(|node| node.data().is_some());
                    let values = data.filter_map(|node| short_value(node.data_map().get(member)?));
                    values.for_each(|value| *counts.entry(value).or_default() += 1);
                    sorted(counts)
                });
                (shown.status, shown.priority) = (Some(status), Some(priority));
            }
            Summary::Contributors => shown.contributors = Some(contributors(&nodes, &edges)),
        }
        Ok(shown)
    }
}

fn hubs(nodes: &[NodeRef<'_>]) -> Vec<Hub> {
    let mut most: Vec<(usize, NodeRef<'_>)> = nodes
        .iter()
        .map(|node| (node.degree(Direction::Both), *node))
        .filter(|(degree, _)| *degree > 0)
        .collect();
    // A stable sort keeps nodes of equal degree in order of creation.
    most.sort_by_key(|(degree, _)| std::cmp::Reverse(*degree));
    let most = most.into_iter().take(MOST_NODES);
    most.map(|(degree, node)| Hub {
        node: NodeBrief::of(node),
        degree,
    })
    .collect()
}

fn contributors(nodes: &[NodeRef<'_>], edges: &[EdgeRef<'_>]) -> Vec<Contributor> {
    let mut all: BTreeMap<&str, Contributor> = BTreeMap::new();
    let made = nodes
        .iter()
        .map(|node| (node.creator(), node.created(), true));
    let joined = edges
        .iter()
        .map(|edge| (edge.creator(), edge.created(), false));
    for (creator, created, is_node) in made.chain(joined) {
        let one = all.entry(creator).or_insert_with(|| Contributor {
            creator: creator.to_owned(),
            nodes: 0,
            edges: 0,
            first: Timestamp(created),
            last: Timestamp(created),
        });
        if is_node {
            one.nodes += 1;
        } else {
            one.edges += 1;
        }
        one.first = one.first.min(Timestamp(created));
        one.last = one.last.max(Timestamp(created));
    }
    let mut all: Vec<Contributor> = all.into_values().collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.nodes + one.edges));
    all.truncate(MOST_COUNTED);
    all
}
