//! The network: a snapshot of a knowledge graph with dense vertex and edge numbers.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::adjacency::Adjacency;
use super::buffers::{BfsBuffers, FrontierBuffers};
use super::error::NetworkError;
use super::visited::{Pool, VisitedBits};
use crate::graph::{EdgeRef, FunctionEnd, Knowledge, NodeRef};

/// Marks a place without a vertex.
const NONE: u32 = u32::MAX;

/// Ends and type of an edge.
#[derive(Debug, Clone, Copy)]
struct Row {
    ends: [u32; 2],
    ty: u32,
}

/// Immutable snapshot of a knowledge graph by number: vertices from 0 on are its nodes in their order, followed by the
/// functions at which edges end, by id; edges from 0 on are its edges in their order.
///
/// It may be shared by threads. It holds a copy of the knowledge graph, which is free, to resolve ids. Memory: 28 bytes
/// per edge, 8 more if edges have weights and 16 more if they have a validity, and 16 bytes per vertex.
#[derive(Debug)]
pub struct Network {
    knowledge: Knowledge,
    nodes: usize,
    functions: Vec<FunctionEnd>,
    /// Place of each vertex in the knowledge graph.
    places: Vec<u32>,
    /// Vertex at each place.
    numbers: Vec<u32>,
    rows: Vec<Row>,
    /// Types of edges, sorted.
    types: Vec<String>,
    /// `None` if no edge has a weight.
    weights: Option<Vec<f64>>,
    /// Beginning (inclusive) and end (exclusive) of validity of each edge; `None` if no edge has one.
    times: Option<Vec<[i64; 2]>>,
    /// Edges with negative weights.
    negative: Vec<u32>,
    pub(super) adjacency: Adjacency,
    pub(super) pool: Pool<VisitedBits>,
    pub(super) walks: Pool<BfsBuffers>,
    pub(super) sides: Pool<FrontierBuffers>,
}

impl Network {
    /// Builds the network of a knowledge graph. O(n + m): 0.2 s for a million nodes and three million edges.
    pub fn new(knowledge: &Knowledge) -> Network {
        let (vertices, table) = rayon::join(|| places(knowledge), || Table::new(knowledge));
        let ((places, functions), mut table) = (vertices, table);
        let mut numbers = vec![NONE; knowledge.places() as usize];
        for (number, &place) in (0..).zip(&places) {
            numbers[place as usize] = number;
        }
        table.rows.par_iter_mut().for_each(|row| {
            row.ends = row.ends.map(|place| numbers[place as usize]);
        });
        let types = knowledge.edge_type_counts().into_iter();
        let below = |(edge, &weight): (u32, &f64)| (weight < 0.0).then_some(edge);
        let negative = (0..).zip(table.weights.iter().flatten());
        let ends = table.rows.iter().map(|row| row.ends);
        Network {
            knowledge: knowledge.clone(),
            nodes: knowledge.node_count(),
            functions,
            types: types.map(|(ty, _)| ty.to_owned()).collect(),
            negative: negative.filter_map(below).collect(),
            adjacency: Adjacency::new(places.len(), &(0..).zip(ends)),
            pool: Pool::new(places.len()),
            walks: Pool::new(places.len()),
            sides: Pool::new(places.len()),
            places,
            numbers,
            rows: table.rows,
            weights: table.weights,
            times: table.times,
        }
    }

    /// True if it was built from this state of the knowledge graph. O(1); false for a graph that was built separately,
    /// even if its content is equal.
    pub fn is_of(&self, knowledge: &Knowledge) -> bool {
        self.knowledge.is_shared(knowledge)
    }

    /// Returns the knowledge graph from which it was built.
    pub fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// Returns the number of vertices: nodes, and functions at which edges end.
    pub fn vertex_count(&self) -> usize {
        self.places.len()
    }

    /// Returns the number of edges.
    pub fn edge_count(&self) -> usize {
        self.rows.len()
    }

    /// Returns the vertex with an id: a node, or a function ("fn:3", "fn:3/7") at which an edge ends.
    ///
    /// # Errors
    /// [`NetworkError::UnknownVertex`].
    pub fn vertex(&self, id: &str) -> Result<u32, NetworkError> {
        if let Some(end) = FunctionEnd::parse(id)
            && let Ok(place) = self.functions.binary_search(&end)
        {
            return Ok((self.nodes + place) as u32);
        }
        let node = self.knowledge.find(id);
        let number = node.map(|node| self.numbers[node.place() as usize]);
        number.ok_or_else(|| NetworkError::UnknownVertex {
            id: id.to_owned(),
            nearest: self.knowledge.nearest(id),
        })
    }

    /// Returns the id of a vertex.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn id(&self, vertex: u32) -> &str {
        let id = self.knowledge.id_at(self.places[vertex as usize]);
        id.expect("the copy of the knowledge graph has all that is in the network")
    }

    /// Returns the node of a vertex; `None` for a function.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn node(&self, vertex: u32) -> Option<NodeRef<'_>> {
        self.knowledge.node_at(self.places[vertex as usize])
    }

    /// Returns an edge. O(degree of one of its ends).
    ///
    /// # Panics
    /// If there is no such edge.
    pub fn edge(&self, edge: u32) -> EdgeRef<'_> {
        let [source, target] = self.ends(edge);
        // Both lists are in the order of edges.
        let [from, to] = [source, target].map(|end| self.id(end));
        let between = self.knowledge.edges_between(from, to);
        let own = self.adjacency.outgoing(source);
        let is_before = |step: &&super::adjacency::Step| step.to == target && step.edge < edge;
        let before = match between.len() {
            1 => 0,
            _ => own.iter().filter(is_before).count(),
        };
        between[before]
    }

    /// Returns the source and the target of an edge.
    ///
    /// # Panics
    /// If there is no such edge.
    pub fn ends(&self, edge: u32) -> [u32; 2] {
        self.rows[edge as usize].ends
    }

    /// Returns the weight of an edge; 1 if it has none.
    ///
    /// # Panics
    /// If there is no such edge.
    pub fn weight(&self, edge: u32) -> f64 {
        let weights = self.weights.as_ref();
        weights.map_or(1.0, |weights| weights[edge as usize])
    }

    /// Returns the other end of an edge; the same for a self-loop.
    pub(super) fn other(&self, edge: u32, end: u32) -> u32 {
        let [source, target] = self.ends(edge);
        source ^ target ^ end
    }

    /// Number of an edge's type, the index in [`types`](Self::types).
    pub(super) fn ty(&self, edge: u32) -> u32 {
        self.rows[edge as usize].ty
    }

    /// Types of edges, sorted.
    pub(super) fn types(&self) -> &[String] {
        &self.types
    }

    /// Returns beginning (inclusive) and end (exclusive) of validity of each edge; `None` if no edge has one.
    pub(super) fn times(&self) -> Option<&[[i64; 2]]> {
        self.times.as_deref()
    }

    /// Edges with negative weights, in order.
    pub(super) fn negative(&self) -> &[u32] {
        &self.negative
    }

    /// Error for an invalid weight.
    pub(super) fn refused(
        &self,
        edge: u32,
        what: &'static str,
        needed: &'static str,
    ) -> NetworkError {
        let weight = self.weight(edge);
        let edge = self.edge(edge);
        NetworkError::Weight {
            edge: edge.id().to_owned(),
            ty: edge.ty().to_owned(),
            weight,
            what,
            needed,
        }
    }
}

/// Columns of the table of edges, with places for ends.
#[derive(Default)]
struct Table {
    rows: Vec<Row>,
    weights: Option<Vec<f64>>,
    times: Option<Vec<[i64; 2]>>,
}

impl Table {
    /// Reads all edges in their order. Usually they are stored in it, which saves sorting.
    fn new(knowledge: &Knowledge) -> Table {
        let mut before = None;
        let in_order = knowledge.edges().take_while(|edge| {
            let before = before.replace(edge.order());
            before < Some(edge.order())
        });
        let table = Table::read(knowledge, in_order);
        if table.rows.len() == knowledge.edge_count() {
            return table;
        }
        Table::read(knowledge, knowledge.sorted_edges().into_iter())
    }

    fn read<'a>(knowledge: &Knowledge, edges: impl Iterator<Item = EdgeRef<'a>>) -> Table {
        // Types are interned, so that a type is identified by its address.
        let types = (0..).zip(knowledge.edge_type_counts());
        let types = types.map(|(number, (ty, _))| (ty.as_ptr(), number));
        let types: FxHashMap<*const u8, u32> = types.collect();
        let mut table = Table::default();
        table.rows.reserve_exact(knowledge.edge_count());
        for edge in edges {
            let row = Row {
                ends: edge.places(),
                ty: types[&edge.ty().as_ptr()],
            };
            let before = table.rows.len();
            table.rows.push(row);
            put(&mut table.weights, before, edge.weight(), 1.0);
            let time = match edge.validity() {
                [None, None] => None,
                [from, to] => Some([from.unwrap_or(i64::MIN), to.unwrap_or(i64::MAX)]),
            };
            put(&mut table.times, before, time, [i64::MIN, i64::MAX]);
        }
        table
    }
}

/// Appends to a column that exists only if some item differs from the default.
fn put<T: Clone>(list: &mut Option<Vec<T>>, before: usize, item: Option<T>, usual: T) {
    match (list, item) {
        (Some(list), item) => list.push(item.unwrap_or(usual)),
        (None, None) => {}
        (list, Some(item)) => list.insert(vec![usual; before]).push(item),
    }
}

/// Places of all vertices in their order, and the functions among them.
fn places(knowledge: &Knowledge) -> (Vec<u32>, Vec<FunctionEnd>) {
    let nodes = knowledge.sorted_nodes();
    let mut places: Vec<u32> = nodes.iter().map(NodeRef::place).collect();
    let functions = knowledge.function_ends();
    if functions.is_empty() {
        return (places, functions);
    }
    let ends = (0..knowledge.places()).filter_map(|place| {
        let id = knowledge.id_at(place)?;
        // Node ids never have the form of function ids.
        Some((FunctionEnd::parse(id)?, place))
    });
    let mut ends: Vec<(FunctionEnd, u32)> = ends.collect();
    ends.sort_unstable();
    places.extend(ends.into_iter().map(|(_, place)| place));
    (places, functions)
}
