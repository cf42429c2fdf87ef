//! The knowledge graph: storage and lookup.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::edge::{self, FunctionEnd};
use super::error::KnowledgeError;
use super::hash_index::HashIndex;
use super::interner::Interner;
use super::node;
use super::schema::Schema;
use super::slot_map::{NONE, SlotMap};
use super::view::{Direction, EdgeRef, NodeRef};

/// Maximum number of nodes, and of edges.
pub const MAX_ELEMENTS: usize = 20_000_000;
/// Exclusive bound of numbers in generated ids and of orders.
pub(super) const NUMBER_END: u64 = 1 << 53;
/// Maximum bytes of an unknown id for which a similar one is suggested.
const MAX_SUGGESTION_BYTES: usize = 64;
/// Maximum number of nodes among which a similar id is searched.
const MAX_SUGGESTION_NODES: usize = 10_000;

/// A vertex: a node, or a function at which edges end.
#[derive(Debug, Clone)]
pub(super) struct Vertex {
    pub(super) what: VertexKind,
    /// Heads of the lists of outgoing and of incoming edges.
    pub(super) first: [u32; 2],
    /// Lengths of these lists.
    pub(super) degrees: [u32; 2],
    /// Previous and next node with the same label.
    pub(super) same: [u32; 2],
    /// Hash of the node; 0 for a function.
    pub(super) hash: u64,
}

#[derive(Debug, Clone)]
pub(super) enum VertexKind {
    Node(Arc<node::Record>),
    /// A function or one of its nodes; it exists as long as an edge ends at it.
    Function(Box<str>),
}

impl Vertex {
    pub(super) fn new(what: VertexKind, hash: u64) -> Vertex {
        Vertex {
            what,
            first: [NONE; 2],
            degrees: [0; 2],
            same: [NONE; 2],
            hash,
        }
    }

    pub(super) fn id(&self) -> &str {
        match &self.what {
            VertexKind::Node(record) => &record.id,
            VertexKind::Function(id) => id,
        }
    }

    pub(super) fn record(&self) -> Option<&node::Record> {
        match &self.what {
            VertexKind::Node(record) => Some(record),
            VertexKind::Function(_) => None,
        }
    }
}

/// The highest numbers that were ever given, so that none is given twice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "UsedNumbers")]
pub struct UsedNumbers {
    /// Of ids of nodes, which are "n1", "n2" and so on.
    pub node_ids: u64,
    /// Of ids of edges, which are "e1", "e2" and so on.
    pub edge_ids: u64,
    /// Number of nodes that were ever added.
    pub nodes: u64,
    /// Number of edges that were ever added.
    pub edges: u64,
}

impl UsedNumbers {
    /// True if no number was ever used.
    pub fn is_empty(&self) -> bool {
        *self == UsedNumbers::default()
    }
}

/// A graph of labelled nodes and typed edges between them, and between them and functions.
///
/// Invariant: both ends of every edge exist; removing a node removes its edges. Parallel edges, self-loops and cycles
/// are allowed. Cloning takes O(1): copies share all pages until one of them is changed (copy on write).
///
/// Lists are in the order of creation, which is a field of nodes and edges; the order of insertion is not observable.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    pub(super) vertices: SlotMap<Vertex>,
    pub(super) edges: SlotMap<edge::Record>,
    pub(super) ids: HashIndex,
    pub(super) edge_ids: HashIndex,
    /// First node with each label, in lower case.
    pub(super) labels: HashIndex,
    pub(super) node_types: Interner,
    pub(super) edge_types: Interner,
    pub(super) creators: Interner,
    pub(super) schema: Arc<Schema>,
    pub(super) schema_hash: u64,
    pub(super) functions: usize,
    pub(super) used: UsedNumbers,
    pub(super) hash: u64,
}

/// Key of the index of labels.
pub(super) fn folded(label: &str) -> String {
    label.to_lowercase()
}

/// Returns the first free id with a number above `given`.
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
    /// Returns the number of nodes.
    pub fn node_count(&self) -> usize {
        self.vertices.count() - self.functions
    }

    /// Returns the number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.count()
    }

    /// True if there are no nodes, no edges and no schema.
    pub fn is_empty(&self) -> bool {
        self.vertices.count() == 0 && self.schema.is_empty()
    }

    /// Marks numbers as used.
    pub(super) fn reserve_numbers(&mut self, used: UsedNumbers) {
        let own = &mut self.used;
        own.node_ids = own.node_ids.max(used.node_ids.min(NUMBER_END));
        own.edge_ids = own.edge_ids.max(used.edge_ids.min(NUMBER_END));
        own.nodes = own.nodes.max(used.nodes.min(NUMBER_END / 2));
        own.edges = own.edges.max(used.edges.min(NUMBER_END / 2));
    }

    /// Returns the schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the hash of the content, independent of the order of insertion and of the numbers used. It is the same
    /// on every platform and in every version.
    pub fn hash(&self) -> u64 {
        self.hash.wrapping_add(self.schema_hash)
    }

    /// Returns the node with an id, if it exists.
    pub fn find(&self, id: &str) -> Option<NodeRef<'_>> {
        NodeRef::new(self, self.place(id)?)
    }

    /// Returns the edge with an id, if it exists.
    pub fn find_edge(&self, id: &str) -> Option<EdgeRef<'_>> {
        Some(EdgeRef::new(self, self.edge_place(id)?))
    }

    /// Returns an id that no node ever had, unless 2^53 were used.
    pub fn free_node_id(&self) -> String {
        free_id('n', self.used.node_ids, |id| self.find(id).is_some())
    }

    /// Returns an id that no edge ever had, unless 2^53 were used.
    pub fn free_edge_id(&self) -> String {
        free_id('e', self.used.edge_ids, |id| self.find_edge(id).is_some())
    }

    /// Returns the order of the next node.
    pub fn next_node(&self) -> u64 {
        self.used.nodes
    }

    /// Returns the order of the next edge.
    pub fn next_edge(&self) -> u64 {
        self.used.edges
    }

    pub(super) fn vertex(&self, place: u32) -> &Vertex {
        let vertex = self.vertices.get(place);
        vertex.expect("what edges and indexes name is there")
    }

    pub(super) fn vertex_mut(&mut self, place: u32) -> &mut Vertex {
        let vertex = self.vertices.get_mut(place);
        vertex.expect("what edges and indexes name is there")
    }

    pub(super) fn record(&self, edge: u32) -> &edge::Record {
        let record = self.edges.get(edge);
        record.expect("what chains and indexes name is there")
    }

    pub(super) fn read_id<'a>(vertices: &'a SlotMap<Vertex>) -> impl Fn(u32) -> &'a str {
        |place| vertices.get(place).map_or("", Vertex::id)
    }

    pub(super) fn read_edge_id<'a>(edges: &'a SlotMap<edge::Record>) -> impl Fn(u32) -> &'a str {
        |place| edges.get(place).map_or("", |edge| &*edge.id)
    }

    pub(super) fn read_label(vertices: &SlotMap<Vertex>) -> impl Fn(u32) -> String {
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

    /// Returns the node with an id.
    ///
    /// # Errors
    /// [`KnowledgeError::UnknownNode`].
    pub fn node(&self, id: &str) -> Result<NodeRef<'_>, KnowledgeError> {
        self.find(id).ok_or_else(|| KnowledgeError::UnknownNode {
            id: id.to_owned(),
            nearest: self.nearest(id),
        })
    }

    /// Returns the edge with an id.
    ///
    /// # Errors
    /// [`KnowledgeError::UnknownEdge`].
    pub fn edge(&self, id: &str) -> Result<EdgeRef<'_>, KnowledgeError> {
        self.find_edge(id)
            .ok_or_else(|| KnowledgeError::UnknownEdge { id: id.to_owned() })
    }

    /// Returns the nodes with a label, ignoring case, in order.
    pub fn labelled(&self, label: &str) -> Vec<NodeRef<'_>> {
        let read = Self::read_label(&self.vertices);
        let first = self.labels.get(&folded(label), read);
        let after = |&place: &u32| Some(self.vertex(place).same[1]).filter(|&after| after != NONE);
        let places = std::iter::successors(first, after);
        let found = places.filter_map(|place| NodeRef::new(self, place));
        let mut found: Vec<NodeRef<'_>> = found.collect();
        found.sort_unstable_by_key(NodeRef::rank);
        found
    }

    /// Returns the node with an id, or the only one with a label.
    pub fn named(&self, text: &str) -> Option<NodeRef<'_>> {
        self.find(text).or_else(|| match self.labelled(text)[..] {
            [node] => Some(node),
            _ => None,
        })
    }

    /// Finds a similar id by Damerau-Levenshtein distance, or the id of a node with this label.
    pub(crate) fn nearest(&self, id: &str) -> Option<String> {
        if let Some(node) = self.labelled(id).first() {
            return Some(node.id().to_owned());
        }
        if self.node_count() > MAX_SUGGESTION_NODES || id.len() > MAX_SUGGESTION_BYTES {
            return None;
        }
        let near = self.nodes().map(|node| {
            let distance = strsim::damerau_levenshtein(node.id(), id);
            (distance, node.order(), node.id())
        });
        let near = near.filter(|(distance, ..)| *distance * 3 <= id.chars().count());
        near.min().map(|(.., id)| id.to_owned())
    }

    /// Iterates over all nodes in unspecified order.
    pub fn nodes(&self) -> impl Iterator<Item = NodeRef<'_>> {
        let places = self.vertices.iter().map(|(place, _)| place);
        places.filter_map(|place| NodeRef::new(self, place))
    }

    /// Iterates over all edges in unspecified order.
    pub fn edges(&self) -> impl Iterator<Item = EdgeRef<'_>> {
        let places = self.edges.iter().map(|(place, _)| place);
        places.map(|place| EdgeRef::new(self, place))
    }

    /// Returns all nodes in order. O(n log n).
    pub fn sorted_nodes(&self) -> Vec<NodeRef<'_>> {
        let mut all: Vec<NodeRef<'_>> = self.nodes().collect();
        all.sort_unstable_by_key(NodeRef::rank);
        all
    }

    /// Returns all edges in order. O(m log m).
    pub fn sorted_edges(&self) -> Vec<EdgeRef<'_>> {
        let mut all: Vec<EdgeRef<'_>> = self.edges().collect();
        all.sort_unstable_by_key(EdgeRef::rank);
        all
    }

    /// Returns the edges at a node or a function ("fn:3", "fn:3/7"), in order; empty if it has none.
    pub fn edges_at(&self, id: &str, direction: Direction) -> Vec<EdgeRef<'_>> {
        let Some(place) = self.place(id) else {
            return Vec::new();
        };
        EdgeRef::sorted(self, place, direction)
    }

    /// Returns the edges from one vertex to another, in order. O(smaller of the two degrees).
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

    /// True if an edge ends at a function, or at a node or input of one.
    pub fn has_function_ends(&self) -> bool {
        self.functions > 0
    }

    /// Returns the functions, and nodes and inputs of functions, at ends of edges, sorted.
    pub fn function_ends(&self) -> Vec<FunctionEnd> {
        let vertices = self.vertices.iter();
        let ids = vertices.filter_map(|(_, vertex)| match &vertex.what {
            VertexKind::Function(id) => FunctionEnd::parse(id),
            VertexKind::Node(_) => None,
        });
        let mut ends: Vec<FunctionEnd> = ids.collect();
        ends.sort_unstable();
        ends
    }

    /// Returns the types of nodes with their numbers of nodes, by name.
    pub fn node_type_counts(&self) -> Vec<(&str, usize)> {
        self.node_types.all()
    }

    /// Returns the types of edges with their numbers of edges, by name.
    pub fn edge_type_counts(&self) -> Vec<(&str, usize)> {
        self.edge_types.all()
    }

    /// Returns the creators with their numbers of nodes and edges, by name.
    pub fn creator_counts(&self) -> Vec<(&str, usize)> {
        self.creators.all()
    }

    /// Iterates over the outgoing (side 0) or incoming (side 1) edges of a vertex.
    pub(super) fn chain(&self, vertex: u32, side: usize) -> impl Iterator<Item = u32> {
        let first = self.vertex(vertex).first[side];
        let some = |edge: u32| (edge != NONE).then_some(edge);
        std::iter::successors(some(first), move |&edge| {
            some(self.record(edge).ends[side].after)
        })
    }
}
