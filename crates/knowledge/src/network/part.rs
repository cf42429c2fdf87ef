//! The part of a network that is looked at as a whole.

use std::borrow::Cow;

use super::adjacency::Adjacency;
use super::error::NetworkError;
use super::filter::{Filter, Sieve};
use super::simple::Simple;
use super::view::Network;
use crate::graph::Direction;

/// The vertices that pass a filter, and the edges between them that do.
///
/// What is said of each vertex comes in lists in the order of [`vertices`](Part::vertices). Edges and vertices that
/// are named by answers have the numbers that they have in the network.
#[derive(Debug)]
pub struct Part<'a> {
    pub(super) network: &'a Network,
    pub(super) direction: Direction,
    /// If these are not all.
    members: Option<Vec<u32>>,
    /// By place among the members; of edges by their numbers in the network.
    own: Option<Adjacency>,
    /// Its first edge with a weight below 0.
    negative: Option<u32>,
}

impl Network {
    /// The part of it that passes a filter. O(n + m), or nothing if all passes.
    pub fn part(&self, filter: &Filter) -> Part<'_> {
        let sieve = Sieve::new(self, filter);
        let all = 0..self.vertex_count() as u32;
        let members: Option<Vec<u32>> = (!sieve.passes_vertices())
            .then(|| all.filter(|&vertex| sieve.vertex(vertex)).collect());
        let own = (members.is_some() || !sieve.passes_edges())
            .then(|| self.restricted(&sieve, members.as_deref()));
        Part {
            network: self,
            direction: filter.direction,
            members,
            own,
            negative: sieve.negative(|vertex| sieve.vertex(vertex)),
        }
    }

    /// The edges that pass between the members, or between all, by place among these.
    fn restricted(&self, sieve: &Sieve<'_>, members: Option<&[u32]>) -> Adjacency {
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

impl Part<'_> {
    /// The numbers of its vertices in the network, in order.
    pub fn vertices(&self) -> Cow<'_, [u32]> {
        match &self.members {
            Some(members) => Cow::Borrowed(members),
            None => (0..self.network.vertex_count() as u32).collect(),
        }
    }

    /// How many vertices it has.
    pub fn vertex_count(&self) -> usize {
        self.adjacency().vertices()
    }

    /// How many edges it has.
    pub fn edge_count(&self) -> usize {
        self.adjacency().edges()
    }

    /// The number of a vertex in the network, by its place among the members.
    pub(super) fn number(&self, place: u32) -> u32 {
        let members = self.members.as_ref();
        members.map_or(place, |members| members[place as usize])
    }

    /// The place of a vertex among the members, by its id.
    pub(super) fn place(&self, id: &str) -> Result<u32, NetworkError> {
        let vertex = self.network.vertex(id)?;
        let Some(members) = &self.members else {
            return Ok(vertex);
        };
        let place = members.binary_search(&vertex);
        place
            .map(|place| place as u32)
            .map_err(|_| NetworkError::Invalid {
                what: "a node that is asked for",
                given: format!("'{id}', which the filter leaves out"),
                needed: "one that passes the filter".to_owned(),
            })
    }

    /// The distinct neighbours of each vertex, as edges are followed.
    pub(super) fn simple(&self) -> Cow<'_, Simple> {
        match self.direction {
            Direction::Both => Cow::Borrowed(self.adjacency().simple()),
            Direction::Outgoing | Direction::Incoming => {
                Cow::Owned(Simple::new(self.adjacency(), self.direction))
            }
        }
    }

    pub(super) fn adjacency(&self) -> &Adjacency {
        self.own.as_ref().unwrap_or(&self.network.adjacency)
    }

    /// Refuses weights below 0.
    pub(super) fn check_weights(&self, what: &'static str) -> Result<(), NetworkError> {
        match self.negative {
            Some(edge) => Err(self.network.refused(edge, what, "of 0 and more")),
            None => Ok(()),
        }
    }

    /// The weight of an edge if weights count, and else 1. All are divided by a power of two such that the largest is
    /// from 1 to below 2: what hangs on their ratios stays as it is, and sums do not overflow.
    pub(super) fn weight(&self, weighted: bool) -> impl Fn(u32) -> f64 + Sync {
        let network = self.network;
        let mut scale = 1.0;
        if weighted {
            let vertices = 0..self.vertex_count() as u32;
            let steps = vertices.flat_map(|vertex| self.adjacency().along(vertex));
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
