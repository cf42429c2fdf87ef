//! Nodes and edges as they are in the graph, read without copying.

use serde_json::{Map, Value as Json};

use super::edge::{self, Edge};
use super::knowledge::Knowledge;
use super::node::{self, Node, Observation};
use super::text::unpacked;

/// Which edges at a node.
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
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Those that begin there.
    Outgoing,
    /// Those that end there.
    Incoming,
    /// All.
    #[default]
    Both,
}

impl Direction {
    /// The sides of edges that are at the node: 0 for the source, 1 for the target.
    pub(super) fn sides(self) -> &'static [usize] {
        match self {
            Direction::Outgoing => &[0],
            Direction::Incoming => &[1],
            Direction::Both => &[0, 1],
        }
    }
}

/// A node of a graph.
#[derive(Debug, Clone, Copy)]
pub struct NodeRef<'a> {
    graph: &'a Knowledge,
    place: u32,
    record: &'a node::Record,
}

impl<'a> NodeRef<'a> {
    /// The node at a place; `None` if that is a function, or empty.
    pub(super) fn new(graph: &'a Knowledge, place: u32) -> Option<NodeRef<'a>> {
        let record = graph.vertices.get(place)?.record()?;
        Some(NodeRef {
            graph,
            place,
            record,
        })
    }

    /// Its place, a small number which no other node has while it is there.
    pub fn place(&self) -> u32 {
        self.place
    }

    /// Whether two are copies of one, so that both are the same for certain.
    pub(super) fn is_shared(&self, other: &NodeRef<'_>) -> bool {
        std::ptr::eq(self.record, other.record)
    }

    /// What it is known by.
    pub fn id(&self) -> &'a str {
        &self.record.id
    }

    /// What people call it.
    pub fn label(&self) -> &'a str {
        &self.record.label
    }

    /// What it is.
    pub fn types(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let graph = self.graph;
        self.record
            .types
            .iter()
            .map(move |&ty| graph.node_types.text(ty))
    }

    /// What else is known of it, as the text of a JSON object; `None` if nothing is.
    pub fn data(&self) -> Option<&'a str> {
        self.record.data.as_deref()
    }

    /// What else is known of it.
    pub fn data_map(&self) -> Map<String, Json> {
        unpacked(self.data())
    }

    /// What was noted of it, in order.
    pub fn observations(&self) -> &'a [Observation] {
        self.record.observations()
    }

    /// Where it is drawn.
    pub fn position(&self) -> Option<[f64; 2]> {
        self.record.position.as_deref().copied()
    }

    /// Who made it.
    pub fn creator(&self) -> &'a str {
        self.graph.creators.text(self.record.creator)
    }

    /// When it was made: milliseconds since 1970, UTC.
    pub fn created(&self) -> i64 {
        self.record.created
    }

    /// When it was changed last: milliseconds since 1970, UTC.
    pub fn modified(&self) -> i64 {
        self.record.modified
    }

    /// How often it was written.
    pub fn version(&self) -> u32 {
        self.record.version
    }

    /// Its place in the order of nodes.
    pub fn order(&self) -> u64 {
        self.record.order
    }

    /// The hash of everything that is said of it.
    pub fn hash(&self) -> u64 {
        self.graph.vertex(self.place).hash
    }

    /// What nodes are sorted by.
    pub(super) fn rank(&self) -> (u64, &'a str) {
        (self.order(), self.id())
    }

    /// How many ends of edges are at it; an edge from it to itself has two.
    pub fn degree(&self, direction: Direction) -> usize {
        let degrees = self.graph.vertex(self.place).degrees;
        let sides = direction.sides().iter();
        sides.map(|&side| degrees[side] as usize).sum()
    }

    /// The edges at it, in their order; one from it to itself is there once.
    pub fn edges(&self, direction: Direction) -> Vec<EdgeRef<'a>> {
        EdgeRef::sorted(self.graph, self.place, direction)
    }

    /// The node, written out.
    pub fn written(&self) -> Node {
        self.record
            .node(&self.graph.node_types, &self.graph.creators)
    }
}

/// An edge of a graph.
#[derive(Debug, Clone, Copy)]
pub struct EdgeRef<'a> {
    graph: &'a Knowledge,
    record: &'a edge::Record,
}

impl<'a> EdgeRef<'a> {
    /// The edge at a place that is taken.
    pub(super) fn new(graph: &'a Knowledge, place: u32) -> EdgeRef<'a> {
        EdgeRef {
            graph,
            record: graph.record(place),
        }
    }

    /// The edges at a vertex, in their order, each once.
    pub(super) fn sorted(
        graph: &'a Knowledge,
        vertex: u32,
        direction: Direction,
    ) -> Vec<EdgeRef<'a>> {
        let mut edges: Vec<EdgeRef<'a>> = Vec::new();
        for &side in direction.sides() {
            let own = graph
                .chain(vertex, side)
                .map(|edge| EdgeRef::new(graph, edge));
            // One from it to itself came with the first side.
            let is_new =
                |edge: &EdgeRef<'_>| side == 0 || direction != Direction::Both || !edge.is_loop();
            edges.extend(own.filter(is_new));
        }
        edges.sort_unstable_by_key(EdgeRef::rank);
        edges
    }

    /// What it is known by.
    pub fn id(&self) -> &'a str {
        &self.record.id
    }

    /// The id of where it begins.
    pub fn source(&self) -> &'a str {
        self.graph.vertex(self.record.ends[0].node).id()
    }

    /// The id of where it ends.
    pub fn target(&self) -> &'a str {
        self.graph.vertex(self.record.ends[1].node).id()
    }

    /// The places of its source and its target.
    pub fn places(&self) -> [u32; 2] {
        self.record.ends.map(|end| end.node)
    }

    /// Whether it ends where it begins.
    pub fn is_loop(&self) -> bool {
        self.record.ends[0].node == self.record.ends[1].node
    }

    /// How the source is related to the target.
    pub fn ty(&self) -> &'a str {
        self.graph.edge_types.text(self.record.ty)
    }

    /// What people call it.
    pub fn label(&self) -> Option<&'a str> {
        self.extra(|extra| extra.label.as_deref())
    }

    /// What else is known of it, as the text of a JSON object; `None` if nothing is.
    pub fn data(&self) -> Option<&'a str> {
        self.extra(|extra| extra.data.as_deref())
    }

    /// What else is known of it.
    pub fn data_map(&self) -> Map<String, Json> {
        unpacked(self.data())
    }

    /// How long or how strong it is.
    pub fn weight(&self) -> Option<f64> {
        self.extra(|extra| extra.weight)
    }

    /// From when until when it holds, each in milliseconds since 1970, UTC, and open if it is not said.
    pub fn validity(&self) -> [Option<i64>; 2] {
        self.extra(|extra| Some([extra.valid_from, extra.valid_to]))
            .unwrap_or_default()
    }

    /// Who made it.
    pub fn creator(&self) -> &'a str {
        self.graph.creators.text(self.record.creator)
    }

    /// When it was made: milliseconds since 1970, UTC.
    pub fn created(&self) -> i64 {
        self.record.created
    }

    /// When it was changed last: milliseconds since 1970, UTC.
    pub fn modified(&self) -> i64 {
        self.record.modified
    }

    /// Its place in the order of edges.
    pub fn order(&self) -> u64 {
        self.record.order
    }

    /// The hash of everything that is said of it.
    pub fn hash(&self) -> u64 {
        self.record.hash
    }

    /// What edges are sorted by.
    pub(super) fn rank(&self) -> (u64, &'a str) {
        (self.order(), self.id())
    }

    /// The edge, written out.
    pub fn written(&self) -> Edge {
        let ends = [self.source(), self.target()];
        self.record
            .edge(ends, &self.graph.edge_types, &self.graph.creators)
    }

    fn extra<T>(&self, read: impl FnOnce(&'a edge::Extra) -> Option<T>) -> Option<T> {
        self.record.extra.as_deref().and_then(read)
    }
}
