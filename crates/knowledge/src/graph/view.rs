//! Zero-copy views of nodes and edges.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::edge::{self, Edge};
use super::knowledge::Knowledge;
use super::node::{self, Node, Observation};
use super::text::unpack_data;

/// Which edges at a node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Edges from the node.
    Outgoing,
    /// Edges to the node.
    Incoming,
    /// All.
    #[default]
    Both,
}

impl Direction {
    /// Sides of the edge lists of a direction: 0 for outgoing, 1 for incoming edges.
    pub(super) fn sides(self) -> &'static [usize] {
        match self {
            Direction::Outgoing => &[0],
            Direction::Incoming => &[1],
            Direction::Both => &[0, 1],
        }
    }
}

/// Accessors that nodes and edges have in common.
macro_rules! accessors {
    ($reference:ident) => {
        impl<'a> $reference<'a> {
            /// Returns the id.
            pub fn id(&self) -> &'a str {
                &self.record.id
            }

            /// Returns the data, parsed.
            pub fn data_map(&self) -> Map<String, Json> {
                unpack_data(self.data())
            }

            /// Returns the creator.
            pub fn creator(&self) -> &'a str {
                self.graph.creators.text(self.record.creator)
            }

            /// Returns the time of creation: milliseconds since 1970, UTC.
            pub fn created(&self) -> i64 {
                self.record.created
            }

            /// Returns the time of the last change: milliseconds since 1970, UTC.
            pub fn modified(&self) -> i64 {
                self.record.modified
            }

            /// Returns its rank in the order of creation of all nodes, or of all edges.
            pub fn order(&self) -> u64 {
                self.record.order
            }

            pub(super) fn rank(&self) -> (u64, &'a str) {
                (self.order(), self.id())
            }
        }
    };
}

accessors!(NodeRef);
accessors!(EdgeRef);

/// Reference to a node of a graph.
#[derive(Debug, Clone, Copy)]
pub struct NodeRef<'a> {
    graph: &'a Knowledge,
    place: u32,
    record: &'a node::Record,
}

impl<'a> NodeRef<'a> {
    /// Returns the node at a place; `None` for a function or an empty place.
    pub(super) fn new(graph: &'a Knowledge, place: u32) -> Option<NodeRef<'a>> {
        let record = graph.vertices.get(place)?.record()?;
        Some(NodeRef {
            graph,
            place,
            record,
        })
    }

    /// Returns its place, a small number that is unique while the node exists.
    pub fn place(&self) -> u32 {
        self.place
    }

    /// True if two nodes share their storage, and thus are equal.
    pub(super) fn is_shared(&self, other: &NodeRef<'_>) -> bool {
        std::ptr::eq(self.record, other.record)
    }

    /// Returns the label.
    pub fn label(&self) -> &'a str {
        &self.record.label
    }

    /// Returns the types.
    pub fn types(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let graph = self.graph;
        let types = self.record.types.iter();
        types.map(move |&ty| graph.node_types.text(ty))
    }

    /// Returns the data as text of a JSON object; `None` if there is none.
    pub fn data(&self) -> Option<&'a str> {
        self.record.data.as_deref()
    }

    /// Returns the observations, in order.
    pub fn observations(&self) -> &'a [Observation] {
        self.record.observations()
    }

    /// Returns the position at which it is drawn.
    pub fn position(&self) -> Option<[f64; 2]> {
        self.record.position.as_deref().copied()
    }

    /// Returns the number of times it was written.
    pub fn version(&self) -> u32 {
        self.record.version
    }

    /// Returns the content hash.
    pub fn hash(&self) -> u64 {
        self.graph.vertex(self.place).hash
    }

    /// Returns the degree; a self-loop counts twice in both directions.
    pub fn degree(&self, direction: Direction) -> usize {
        let degrees = self.graph.vertex(self.place).degrees;
        let sides = direction.sides().iter();
        sides.map(|&side| degrees[side] as usize).sum()
    }

    /// Returns its edges in order; a self-loop once.
    pub fn edges(&self, direction: Direction) -> Vec<EdgeRef<'a>> {
        EdgeRef::sorted(self.graph, self.place, direction)
    }

    /// Returns an owned copy.
    pub fn written(&self) -> Node {
        let graph = self.graph;
        self.record.node(&graph.node_types, &graph.creators)
    }
}

/// Reference to an edge of a graph.
#[derive(Debug, Clone, Copy)]
pub struct EdgeRef<'a> {
    graph: &'a Knowledge,
    record: &'a edge::Record,
}

impl<'a> EdgeRef<'a> {
    /// Returns the edge at an occupied place.
    pub(super) fn new(graph: &'a Knowledge, place: u32) -> EdgeRef<'a> {
        EdgeRef {
            graph,
            record: graph.record(place),
        }
    }

    /// Returns the edges at a vertex in order, each once.
    pub(super) fn sorted(
        graph: &'a Knowledge,
        vertex: u32,
        direction: Direction,
    ) -> Vec<EdgeRef<'a>> {
        let mut edges: Vec<EdgeRef<'a>> = Vec::new();
        for &side in direction.sides() {
            let own = graph.chain(vertex, side);
            let own = own.map(|edge| EdgeRef::new(graph, edge));
            // A self-loop was listed by the first side.
            let is_new =
                |edge: &EdgeRef<'_>| side == 0 || direction != Direction::Both || !edge.is_loop();
            edges.extend(own.filter(is_new));
        }
        edges.sort_unstable_by_key(EdgeRef::rank);
        edges
    }

    /// Returns the id of its source.
    pub fn source(&self) -> &'a str {
        self.graph.vertex(self.record.ends[0].node).id()
    }

    /// Returns the id of its target.
    pub fn target(&self) -> &'a str {
        self.graph.vertex(self.record.ends[1].node).id()
    }

    /// Returns the places of source and target.
    pub fn places(&self) -> [u32; 2] {
        self.record.ends.map(|end| end.node)
    }

    /// True if source and target are the same.
    pub fn is_loop(&self) -> bool {
        self.record.ends[0].node == self.record.ends[1].node
    }

    /// Returns the type.
    pub fn ty(&self) -> &'a str {
        self.graph.edge_types.text(self.record.ty)
    }

    /// Returns the label.
    pub fn label(&self) -> Option<&'a str> {
        self.extra(|extra| extra.label.as_deref())
    }

    /// Returns the data as text of a JSON object; `None` if there is none.
    pub fn data(&self) -> Option<&'a str> {
        self.extra(|extra| extra.data.as_deref())
    }

    /// Returns the weight.
    pub fn weight(&self) -> Option<f64> {
        self.extra(|extra| extra.weight)
    }

    /// Returns beginning and end of its validity, in milliseconds since 1970, UTC; `None` if open.
    pub fn validity(&self) -> [Option<i64>; 2] {
        self.extra(|extra| Some([extra.valid_from, extra.valid_to]))
            .unwrap_or_default()
    }

    /// Returns the content hash.
    pub fn hash(&self) -> u64 {
        self.record.hash
    }

    /// Returns an owned copy.
    pub fn written(&self) -> Edge {
        let ends = [self.source(), self.target()];
        self.record
            .edge(ends, &self.graph.edge_types, &self.graph.creators)
    }

    fn extra<T>(&self, read: impl FnOnce(&'a edge::OptionalFields) -> Option<T>) -> Option<T> {
        self.record.extra.as_deref().and_then(read)
    }
}
