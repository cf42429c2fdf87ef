//! Subgraphs induced by a filter, on which analyses run.

use std::borrow::Cow;

use super::adjacency::Adjacency;
use super::error::NetworkError;
use super::filter::{CompiledFilter, Filter};
use super::simple_graph::SimpleGraph;
use super::view::Network;
use crate::graph::Direction;

/// The vertices that pass a filter and the edges between them that do.
///
/// Results per vertex are lists in the order of [`vertices`](Subgraph::vertices). Vertices and edges in results have
/// their numbers in the network.
#[derive(Debug)]
pub struct Subgraph<'a> {
    pub(super) network: &'a Network,
    pub(super) direction: Direction,
    /// The vertices; `None` if all.
    members: Option<Vec<u32>>,
    /// Adjacency by index among the members, with the edge numbers of the network; `None` if nothing is left out.
    own: Option<Adjacency>,
    /// Its first edge with a negative weight.
    negative: Option<u32>,
}

impl Network {
    /// Returns the subgraph that passes a filter. O(n + m), or O(1) if everything passes.
    pub fn subgraph(&self, filter: &Filter) -> Subgraph<'_> {
        let sieve = CompiledFilter::new(self, filter);
        let all = 0..self.vertex_count() as u32;
        let members: Option<Vec<u32>> = (!sieve.passes_vertices())
            .then(|| all.filter(|&vertex| sieve.vertex(vertex)).collect());
        let own = (members.is_some() || !sieve.passes_edges())
            .then(|| self.restricted(&sieve, members.as_deref()));
        Subgraph {
            network: self,
            direction: filter.direction,
            members,
            own,
            negative: sieve.negative(|vertex| sieve.vertex(vertex)),
        }
    }

    /// Builds the adjacency of the members, by index among these.
    fn restricted(&self, sieve: &CompiledFilter<'_>, members: Option<&[u32]>) -> Adjacency {
        let places: Option<Vec<Option<u32>>> = members.map(|members| {
            let mut places = vec![None; self.vertex_count()];
            for (place, &vertex) in (0..).zip(members) {
                places[vertex as usize] = Some(place);
            }
            places
        });
        let place = |vertex: u32| match &places {
            Some(places) => places[vertex as usize],
            None => Some(vertex),
        };
        let edges = (0..self.edge_count() as u32).filter(|&edge| sieve.edge(edge));
        let inner = edges.filter_map(|edge| {
            let [source, target] = self.ends(edge);
            Some((edge, [place(source)?, place(target)?]))
        });
        let edges: Vec<(u32, [u32; 2])> = inner.collect();
        let vertices = members.map_or(self.vertex_count(), <[u32]>::len);
        Adjacency::new(vertices, &edges.iter().copied())
    }
}

impl Subgraph<'_> {
    /// Returns the numbers of its vertices in the network, in ascending order.
    pub fn vertices(&self) -> Cow<'_, [u32]> {
        match &self.members {
            Some(members) => Cow::Borrowed(members),
            None => (0..self.network.vertex_count() as u32).collect(),
        }
    }

    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.adjacency().vertices()
    }

    /// Returns the number of edges.
    pub fn edge_count(&self) -> usize {
        self.adjacency().edges()
    }

    /// Converts an index among the members to a number in the network.
    pub(super) fn number(&self, place: u32) -> u32 {
        let members = self.members.as_ref();
        members.map_or(place, |members| members[place as usize])
    }

    /// Index of a vertex among the members, by id.
    pub(super) fn place(&self, id: &str) -> Result<u32, NetworkError> {
        let vertex = self.network.vertex(id)?;
        let Some(members) = &self.members else {
            return Ok(vertex);
        };
        let place = members.binary_search(&vertex);
        place.map(|place| place as u32).map_err(|_| {
            let given = format!("'{id}', which the filter excludes");
            let needed = "one that the filter includes";
            NetworkError::invalid("a requested node", &given, needed)
        })
    }

    /// Neighbours without parallel edges and self-loops, in the direction of the filter.
    pub(super) fn simple(&self) -> Cow<'_, SimpleGraph> {
        self.simple_along(self.direction)
    }

    /// Neighbours without parallel edges and self-loops, in a direction.
    pub(super) fn simple_along(&self, direction: Direction) -> Cow<'_, SimpleGraph> {
        match direction {
            Direction::Both => Cow::Borrowed(self.adjacency().simple()),
            Direction::Outgoing | Direction::Incoming => {
                Cow::Owned(SimpleGraph::new(self.adjacency(), direction))
            }
        }
    }

    pub(super) fn adjacency(&self) -> &Adjacency {
        self.own.as_ref().unwrap_or(&self.network.adjacency)
    }

    /// Rejects negative weights.
    pub(super) fn check_weights(&self, what: &'static str) -> Result<(), NetworkError> {
        match self.negative {
            Some(edge) => Err(self.network.refused(edge, what, "of 0 or more")),
            None => Ok(()),
        }
    }

    /// Returns a function from edge to weight, or to 1 if weights do not count. Weights are divided by a power of two
    /// such that the largest is in [1, 2): results that depend on ratios are unchanged, and sums do not overflow.
    pub(super) fn weight(&self, weighted: bool) -> impl Fn(u32) -> f64 + Sync {
        let network = self.network;
        let mut scale = 1.0;
        if weighted {
            let vertices = 0..self.vertex_count() as u32;
            let steps = vertices.flat_map(|vertex| self.adjacency().outgoing(vertex));
            let largest = steps
                .map(|step| network.weight(step.edge).abs())
                .fold(0.0, f64::max);
            scale = largest.log2().floor().clamp(-1000.0, 1000.0).exp2();
        }
        move |edge| {
            if weighted {
                network.weight(edge) / scale
            } else {
                1.0
            }
        }
    }
}
