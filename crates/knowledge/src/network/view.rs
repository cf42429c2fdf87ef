//! The network of a knowledge graph: the same vertices and edges by number, so that they are walked quickly.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::adjacency::Adjacency;
use super::error::NetworkError;
use super::marks::{Marks, Pool};
use super::searched::{Seen, Walked};
use crate::graph::{EdgeRef, FunctionEnd, Knowledge, KnowledgeError, NodeRef};

/// No vertex.
const NONE: u32 = u32::MAX;

/// An edge as it is walked.
#[derive(Debug, Clone, Copy)]
struct Row {
    ends: [u32; 2],
    ty: u32,
}

/// A knowledge graph as it was at one time, by number: vertices from 0 on are its nodes in their order and then the
/// functions at which edges end, by id; edges from 0 on are its edges in their order.
///
/// It never changes and may be shared by threads. It keeps a copy of the knowledge graph, which costs nothing, to name
/// what is found. Besides it takes 28 bytes for an edge, 8 more if edges have weights and 16 more if
/// they hold for some time only, and 16 for a vertex.
#[derive(Debug)]
pub struct Network {
    knowledge: Knowledge,
    nodes: usize,
    functions: Vec<FunctionEnd>,
    /// Where each vertex is in the knowledge graph.
    places: Vec<u32>,
    /// The vertex at each place there.
    numbers: Vec<u32>,
    rows: Vec<Row>,
    /// The types of edges, by name.
    types: Vec<String>,
    /// If any edge has one.
    weights: Option<Vec<f64>>,
    /// From when until when edges hold, if any edge says so.
    times: Option<Vec<[i64; 2]>>,
    /// Edges with weights below 0.
    negative: Vec<u32>,
    pub(super) adjacency: Adjacency,
    pub(super) pool: Pool<Marks>,
    pub(super) walks: Pool<Walked>,
    pub(super) sides: Pool<Seen>,
}

impl Network {
    /// Of a knowledge graph as it is. O(n + m): 0.2 s for a million nodes and three million edges.
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

    /// Whether it is of this knowledge graph as it is now. It is asked in no time; of one that was made apart it says
    /// no, though the same may be in it.
    pub fn is_of(&self, knowledge: &Knowledge) -> bool {
        self.knowledge.is_shared(knowledge)
    }

    /// The knowledge graph that it is of.
    pub fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// How many vertices there are: nodes, and functions at which edges end.
    pub fn vertex_count(&self) -> usize {
        self.places.len()
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.rows.len()
    }

    /// The vertex with an id: a node, or a function ("fn:3", "fn:3/7") at which an edge ends.
    ///
    /// # Errors
    /// [`NetworkError::UnknownVertex`].
    pub fn vertex(&self, id: &str) -> Result<u32, NetworkError> {
        if let Some(end) = FunctionEnd::parse(id)
            && let Ok(place) = self.functions.binary_search(&end)
        {
            return Ok((self.nodes + place) as u32);
        }
        let node = self.knowledge.node(id);
        let number = node.map(|node| self.numbers[node.place() as usize]);
        number.map_err(|error| NetworkError::UnknownVertex {
            id: id.to_owned(),
            nearest: match error {
                KnowledgeError::UnknownNode { nearest, .. } => nearest,
                KnowledgeError::UnknownEdge { .. }
                | KnowledgeError::NoEnd { .. }
                | KnowledgeError::Twice { .. }
                | KnowledgeError::InvalidText { .. }
                | KnowledgeError::InvalidNumber { .. }
                | KnowledgeError::NoType { .. }
                | KnowledgeError::NoObservation { .. }
                | KnowledgeError::TooLarge { .. }
                | KnowledgeError::NoTime { .. } => None,
            },
        })
    }

    /// The id of a vertex.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn id(&self, vertex: u32) -> &str {
        let id = self.knowledge.id_at(self.places[vertex as usize]);
        id.expect("the copy of the knowledge graph has all that is in the network")
    }

    /// The node that a vertex is; `None` for a function.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn node(&self, vertex: u32) -> Option<NodeRef<'_>> {
        self.knowledge.node_at(self.places[vertex as usize])
    }

    /// An edge. It is looked up among those at one of its ends, and takes the longer, the more there are.
    ///
    /// # Panics
    /// If there is no such edge.
    pub fn edge(&self, edge: u32) -> EdgeRef<'_> {
        let [source, target] = self.ends(edge);
        // Both lists are in the order of edges.
        let between = self
            .knowledge
            .edges_between(self.id(source), self.id(target));
        let own = self.adjacency.along(source);
        let is_before = |step: &&super::adjacency::Step| step.to == target && step.edge < edge;
        let before = match between.len() {
            1 => 0,
            _ => own.iter().filter(is_before).count(),
        };
        between[before]
    }

    /// The source and the target of an edge.
    ///
    /// # Panics
    /// If there is no such edge.
    pub fn ends(&self, edge: u32) -> [u32; 2] {
        self.rows[edge as usize].ends
    }

    /// How long or how strong an edge is; 1 if it does not say so.
    ///
    /// # Panics
    /// If there is no such edge.
    pub fn weight(&self, edge: u32) -> f64 {
        let weights = self.weights.as_ref();
        weights.map_or(1.0, |weights| weights[edge as usize])
    }

    /// The end of an edge that is not this one; the same if both are.
    pub(super) fn other(&self, edge: u32, end: u32) -> u32 {
        let [source, target] = self.ends(edge);
        source ^ target ^ end
    }

    /// The number of an edge's type, which is its place in [`types`](Self::types).
    pub(super) fn ty(&self, edge: u32) -> u32 {
        self.rows[edge as usize].ty
    }

    /// The types of edges, by name.
    pub(super) fn types(&self) -> &[String] {
        &self.types
    }

    /// From when until when edges hold, if any says so: the time from which it holds, and that from which it no longer
    /// does.
    pub(super) fn times(&self) -> Option<&[[i64; 2]]> {
        self.times.as_deref()
    }

    /// The edges with weights below 0, in order.
    pub(super) fn negative(&self) -> &[u32] {
        &self.negative
    }

    /// The refusal of an edge's weight.
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

/// The edges as they are read, with the places of their ends.
#[derive(Default)]
struct Table {
    rows: Vec<Row>,
    weights: Option<Vec<f64>>,
    times: Option<Vec<[i64; 2]>>,
}

impl Table {
    /// Of all edges, in their order. As a rule they are kept in it, and then need not be sorted.
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
        // A type is kept once for all edges, so that it is known by where it is.
        let types = (0..).zip(knowledge.edge_type_counts());
        let types: FxHashMap<*const u8, u32> = types
            .map(|(number, (ty, _))| (ty.as_ptr(), number))
            .collect();
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

/// Adds to a list that is only there if something in it is not as usual.
fn put<T: Clone>(list: &mut Option<Vec<T>>, before: usize, item: Option<T>, usual: T) {
    match (list, item) {
        (Some(list), item) => list.push(item.unwrap_or(usual)),
        (None, None) => {}
        (list, Some(item)) => list.insert(vec![usual; before]).push(item),
    }
}

/// The places of all vertices, in their order, and those that are functions.
fn places(knowledge: &Knowledge) -> (Vec<u32>, Vec<FunctionEnd>) {
    let nodes = knowledge.sorted_nodes();
    let mut places: Vec<u32> = nodes.iter().map(NodeRef::place).collect();
    let functions = knowledge.function_ends();
    if functions.is_empty() {
        return (places, functions);
    }
    let ends = (0..knowledge.places()).filter_map(|place| {
        let id = knowledge.id_at(place)?;
        // No node is called as a function is.
        Some((FunctionEnd::parse(id)?, place))
    });
    let mut ends: Vec<(FunctionEnd, u32)> = ends.collect();
    ends.sort_unstable();
    places.extend(ends.into_iter().map(|(_, place)| place));
    (places, functions)
}
