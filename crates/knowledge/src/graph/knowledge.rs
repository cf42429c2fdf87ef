//! The knowledge graph: nodes, edges, and how they are found.

use std::sync::Arc;

use super::edge::{self, FunctionEnd};
use super::error::KnowledgeError;
use super::index::Index;
use super::names::Names;
use super::node;
use super::schema::Schema;
use super::slots::{NONE, Slots};
use super::view::{Direction, EdgeRef, NodeRef};

/// The most nodes, and the most edges.
pub const MOST: usize = 20_000_000;
/// Numbers of generated ids, and places in the order of nodes and edges, end before this one, whatever is given.
pub(super) const LAST: u64 = 1 << 53;
/// An id longer than this is no mistake in one that is there.
const LONGEST_MISTAKE: usize = 64;
/// Up to so many nodes a refusal looks for an id that is nearly the one that was asked for.
const FEW: usize = 10_000;

/// What edges end at.
#[derive(Debug, Clone)]
pub(super) struct Vertex {
    pub(super) what: What,
    /// The first of the edges that begin here, and of those that end here.
    pub(super) first: [u32; 2],
    /// How many there are of each.
    pub(super) degrees: [u32; 2],
    /// The node before and the node after, of those with the same label.
    pub(super) same: [u32; 2],
    /// The hash of the node; 0 for a function.
    pub(super) hash: u64,
}

#[derive(Debug, Clone)]
pub(super) enum What {
    Node(Arc<node::Record>),
    /// A function or one of its nodes, which is here as long as an edge ends at it.
    Function(Box<str>),
}

impl Vertex {
    pub(super) fn new(what: What, hash: u64) -> Vertex {
        Vertex {
            what,
            first: [NONE; 2],
            degrees: [0; 2],
            same: [NONE; 2],
            hash,
        }
    }

    /// The id that edges name.
    pub(super) fn id(&self) -> &str {
        match &self.what {
            What::Node(record) => &record.id,
            What::Function(id) => id,
        }
    }

    pub(super) fn record(&self) -> Option<&node::Record> {
        match &self.what {
            What::Node(record) => Some(record),
            What::Function(_) => None,
        }
    }
}

/// The highest numbers that were ever given, so that none is given twice.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "UsedNumbers")]
pub struct Used {
    /// Of ids of nodes, which are "n1", "n2" and so on.
    pub node_ids: u64,
    /// Of ids of edges, which are "e1", "e2" and so on.
    pub edge_ids: u64,
    /// How many nodes were ever put into order.
    pub nodes: u64,
    /// How many edges were ever put into order.
    pub edges: u64,
}

impl Used {
    /// Whether none was ever given.
    pub fn is_empty(&self) -> bool {
        *self == Used::default()
    }
}

/// Labelled nodes and typed edges between them, and between them and functions.
///
/// Every edge's ends are there, always: with a node go its edges. Several edges may join the same nodes, and edges may
/// go in circles. A copy takes no time and shares everything with what it was made of, until either is changed.
///
/// What is listed comes in the order in which it was made, which is a part of nodes and edges; the order in which they
/// were put here does not show.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    pub(super) vertices: Slots<Vertex>,
    pub(super) edges: Slots<edge::Record>,
    pub(super) ids: Index,
    pub(super) edge_ids: Index,
    /// The first node with each label, whatever its case.
    pub(super) labels: Index,
    pub(super) node_types: Names,
    pub(super) edge_types: Names,
    pub(super) creators: Names,
    pub(super) schema: Arc<Schema>,
    pub(super) schema_hash: u64,
    pub(super) functions: usize,
    pub(super) used: Used,
    pub(super) hash: u64,
}

/// The text by which labels are found.
pub(super) fn folded(label: &str) -> String {
    label.to_lowercase()
}

/// The first id that is free, with a number higher than those that were given.
fn free_id(letter: char, given: u64, is_taken: impl Fn(&str) -> bool) -> String {
    let mut number = given + 1;
    loop {
        let id = format!("{letter}{number}");
        if !is_taken(&id) {
            return id;
        }
        number += 1;
    }
}

impl Knowledge {
    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.vertices.count() - self.functions
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.edges.count()
    }

    /// Whether there is nothing in it, and nothing was declared.
    pub fn is_empty(&self) -> bool {
        self.vertices.count() == 0 && self.schema.is_empty()
    }

    /// Gives none of these numbers again.
    pub(super) fn keep_used(&mut self, used: Used) {
        let own = &mut self.used;
        own.node_ids = own.node_ids.max(used.node_ids.min(LAST));
        own.edge_ids = own.edge_ids.max(used.edge_ids.min(LAST));
        own.nodes = own.nodes.max(used.nodes.min(LAST / 2));
        own.edges = own.edges.max(used.edges.min(LAST / 2));
    }

    /// The declared types.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The hash of everything in it, whatever the order in which it came, but not of the numbers that were given up. It is
    /// the same on every platform and in every version.
    pub fn hash(&self) -> u64 {
        self.hash.wrapping_add(self.schema_hash)
    }

    /// The node with an id, if it is there.
    pub fn find(&self, id: &str) -> Option<NodeRef<'_>> {
        NodeRef::new(self, self.place(id)?)
    }

    /// The edge with an id, if it is there.
    pub fn find_edge(&self, id: &str) -> Option<EdgeRef<'_>> {
        Some(EdgeRef::new(self, self.edge_place(id)?))
    }

    /// An id that no node ever had, unless 2^53 of them were given.
    pub fn free_node_id(&self) -> String {
        free_id('n', self.used.node_ids, |id| self.find(id).is_some())
    }

    /// An id that no edge ever had, unless 2^53 of them were given.
    pub fn free_edge_id(&self) -> String {
        free_id('e', self.used.edge_ids, |id| self.find_edge(id).is_some())
    }

    /// The place in the order of nodes that comes next.
    pub fn next_node(&self) -> u64 {
        self.used.nodes
    }

    /// The place in the order of edges that comes next.
    pub fn next_edge(&self) -> u64 {
        self.used.edges
    }

    pub(super) fn vertex(&self, place: u32) -> &Vertex {
        self.vertices
            .get(place)
            .expect("what edges and indexes name is there")
    }

    pub(super) fn vertex_mut(&mut self, place: u32) -> &mut Vertex {
        self.vertices
            .get_mut(place)
            .expect("what edges and indexes name is there")
    }

    pub(super) fn record(&self, edge: u32) -> &edge::Record {
        self.edges
            .get(edge)
            .expect("what chains and indexes name is there")
    }

    pub(super) fn read_id<'a>(vertices: &'a Slots<Vertex>) -> impl Fn(u32) -> &'a str {
        |place| vertices.get(place).map_or("", Vertex::id)
    }

    pub(super) fn read_edge_id<'a>(edges: &'a Slots<edge::Record>) -> impl Fn(u32) -> &'a str {
        |place| edges.get(place).map_or("", |edge| &*edge.id)
    }

    pub(super) fn read_label(vertices: &Slots<Vertex>) -> impl Fn(u32) -> String {
        |place| {
            let record = vertices.get(place).and_then(Vertex::record);
            record.map_or_else(String::new, |record| folded(&record.label))
        }
    }

    pub(super) fn place(&self, id: &str) -> Option<u32> {
        self.ids.get(id, Self::read_id(&self.vertices))
    }

    pub(super) fn edge_place(&self, id: &str) -> Option<u32> {
        self.edge_ids.get(id, Self::read_edge_id(&self.edges))
    }

    /// The node with an id.
    ///
    /// # Errors
    /// [`KnowledgeError::UnknownNode`].
    pub fn node(&self, id: &str) -> Result<NodeRef<'_>, KnowledgeError> {
        self.find(id).ok_or_else(|| KnowledgeError::UnknownNode {
            id: id.to_owned(),
            nearest: self.nearest(id),
        })
    }

    /// The edge with an id.
    ///
    /// # Errors
    /// [`KnowledgeError::UnknownEdge`].
    pub fn edge(&self, id: &str) -> Result<EdgeRef<'_>, KnowledgeError> {
        self.find_edge(id)
            .ok_or_else(|| KnowledgeError::UnknownEdge { id: id.to_owned() })
    }

    /// The nodes with a label, whatever its case, in their order.
    pub fn labelled(&self, label: &str) -> Vec<NodeRef<'_>> {
        let first = self
            .labels
            .get(&folded(label), Self::read_label(&self.vertices));
        let after = |&place: &u32| Some(self.vertex(place).same[1]).filter(|&after| after != NONE);
        let places = std::iter::successors(first, after);
        let found = places.filter_map(|place| NodeRef::new(self, place));
        let mut found: Vec<NodeRef<'_>> = found.collect();
        found.sort_unstable_by_key(NodeRef::rank);
        found
    }

    /// The node with an id, or with a label that no other has.
    pub fn named(&self, text: &str) -> Option<NodeRef<'_>> {
        self.find(text).or_else(|| match self.labelled(text)[..] {
            [node] => Some(node),
            _ => None,
        })
    }

    /// An id that is nearly this one, or that of a node whose label it is.
    fn nearest(&self, id: &str) -> Option<String> {
        if let Some(node) = self.labelled(id).first() {
            return Some(node.id().to_owned());
        }
        if self.node_count() > FEW || id.len() > LONGEST_MISTAKE {
            return None;
        }
        let near = self.nodes().map(|node| {
            let distance = strsim::damerau_levenshtein(node.id(), id);
            (distance, node.order(), node.id())
        });
        let near = near.filter(|(distance, ..)| *distance * 3 <= id.chars().count());
        near.min().map(|(.., id)| id.to_owned())
    }

    /// All nodes, in no order that means anything.
    pub fn nodes(&self) -> impl Iterator<Item = NodeRef<'_>> {
        let places = self.vertices.iter().map(|(place, _)| place);
        places.filter_map(|place| NodeRef::new(self, place))
    }

    /// All edges, in no order that means anything.
    pub fn edges(&self) -> impl Iterator<Item = EdgeRef<'_>> {
        let places = self.edges.iter().map(|(place, _)| place);
        places.map(|place| EdgeRef::new(self, place))
    }

    /// All nodes, in their order.
    pub fn sorted_nodes(&self) -> Vec<NodeRef<'_>> {
        let mut all: Vec<NodeRef<'_>> = self.nodes().collect();
        all.sort_unstable_by_key(NodeRef::rank);
        all
    }

    /// All edges, in their order.
    pub fn sorted_edges(&self) -> Vec<EdgeRef<'_>> {
        let mut all: Vec<EdgeRef<'_>> = self.edges().collect();
        all.sort_unstable_by_key(EdgeRef::rank);
        all
    }

    /// The edges at a node, or at a function ("fn:3", "fn:3/7"), in their order; none if it has none.
    pub fn edges_at(&self, id: &str, direction: Direction) -> Vec<EdgeRef<'_>> {
        let Some(place) = self.place(id) else {
            return Vec::new();
        };
        EdgeRef::sorted(self, place, direction)
    }

    /// The edges from one end to another, in their order.
    pub fn edges_between(&self, source: &str, target: &str) -> Vec<EdgeRef<'_>> {
        let (Some(source), Some(target)) = (self.place(source), self.place(target)) else {
            return Vec::new();
        };
        let fewer_in = self.vertex(target).degrees[1] < self.vertex(source).degrees[0];
        let (at, side) = if fewer_in { (target, 1) } else { (source, 0) };
        let found = self.chain(at, side);
        let found =
            found.filter(|&edge| self.record(edge).ends.map(|end| end.node) == [source, target]);
        let mut found: Vec<EdgeRef<'_>> = found.map(|edge| EdgeRef::new(self, edge)).collect();
        found.sort_unstable_by_key(EdgeRef::rank);
        found
    }

    /// Whether an edge ends at a function, or at a node of one.
    pub fn has_function_ends(&self) -> bool {
        self.functions > 0
    }

    /// The ends of edges that are functions or nodes of functions, sorted.
    pub fn function_ends(&self) -> Vec<FunctionEnd> {
        let ids = self
            .vertices
            .iter()
            .filter_map(|(_, vertex)| match &vertex.what {
                What::Function(id) => FunctionEnd::parse(id),
                What::Node(_) => None,
            });
        let mut ends: Vec<FunctionEnd> = ids.collect();
        ends.sort_unstable();
        ends
    }

    /// The types of nodes, with how many have each, by name.
    pub fn node_type_counts(&self) -> Vec<(&str, usize)> {
        self.node_types.all()
    }

    /// The types of edges, with how many have each, by name.
    pub fn edge_type_counts(&self) -> Vec<(&str, usize)> {
        self.edge_types.all()
    }

    /// Who made nodes and edges, with how many, by name.
    pub fn creator_counts(&self) -> Vec<(&str, usize)> {
        self.creators.all()
    }

    /// The edges at a vertex that begin (0) or end (1) there.
    pub(super) fn chain(&self, vertex: u32, side: usize) -> impl Iterator<Item = u32> {
        let first = self.vertex(vertex).first[side];
        let some = |edge: u32| (edge != NONE).then_some(edge);
        std::iter::successors(some(first), move |&edge| {
            some(self.record(edge).ends[side].after)
        })
    }
}
