//! Shortest paths between two vertices.
//!
//! Without weights by bidirectional breadth-first search, which always expands the side with fewer edges (Pohl,
//! Bi-directional search, 1971): on networks with hubs it visits a few hundred edges of millions. With weights see
//! `dijkstra`.

use super::adjacency::{Step, reversed};
use super::buffers::FrontierBuffers;
use super::error::NetworkError;
use super::filter::{CompiledFilter, Filter};
use super::view::Network;
use super::visited::PoolGuard;
use crate::graph::Direction;
use crate::progress::{Cancelled, Watch, check};

/// Query for paths between two vertices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathQuery {
    /// Id of the first vertex.
    pub source: String,
    /// Id of the last vertex.
    pub target: String,
    /// True if weights are lengths; otherwise, and for edges without a weight, the length is 1.
    pub weighted: bool,
    /// Edges to follow and nodes to pass; the two ends need not pass it.
    pub filter: Filter,
}

/// A path through the network.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Path {
    /// Vertices from first to last.
    pub vertices: Vec<u32>,
    /// Edges between these; one fewer.
    pub edges: Vec<u32>,
    /// Sum of the lengths of the edges.
    pub length: f64,
}

/// A query with its ids resolved and its filter compiled.
pub(super) struct ResolvedQuery<'a> {
    pub(super) network: &'a Network,
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) weighted: bool,
    pub(super) sieve: CompiledFilter<'a>,
}

/// One side of the bidirectional search.
struct Side<'a> {
    seen: PoolGuard<'a, FrontierBuffers>,
    /// Index of the first unexpanded vertex of the queue.
    next: usize,
    /// Number of edges at the unexpanded vertices.
    cost: usize,
}

impl Network {
    /// Returns a shortest path; `None` if there is none, or none with at most `most_edges` edges. Ties are broken
    /// deterministically. With weights and a limit, it is the shortest of the paths within the limit.
    ///
    /// # Errors
    /// [`NetworkError`]: unknown ends, negative weights, a search that exceeds its memory, or [`Cancelled`].
    pub fn shortest_path(
        &self,
        query: &PathQuery,
        most_edges: Option<u32>,
        watch: &Watch<'_>,
    ) -> Result<Option<Path>, NetworkError> {
        let course = ResolvedQuery::new(self, query)?;
        if course.source == course.target {
            return Ok(Some(course.path(&[])));
        }
        if !query.weighted {
            return Ok(course.fewest(most_edges, watch)?);
        }
        let path = course.shortest(watch)?;
        match (path, most_edges) {
            (Some(path), Some(most)) if path.edges.len() > most as usize => {
                course.shortest_within(most, watch)
            }
            (path, _) => Ok(path),
        }
    }
}

impl<'a> ResolvedQuery<'a> {
    /// Resolves a query; rejects unknown ids, and negative weights if weights count.
    pub(super) fn new(
        network: &'a Network,
        query: &PathQuery,
    ) -> Result<ResolvedQuery<'a>, NetworkError> {
        let [source, target] = [&query.source, &query.target].map(|id| network.vertex(id));
        let course = ResolvedQuery {
            network,
            source: source?,
            target: target?,
            weighted: query.weighted,
            sieve: CompiledFilter::new(network, &query.filter),
        };
        match course.sieve.negative(|vertex| course.may_pass(vertex)) {
            Some(edge) if query.weighted => {
                Err(network.refused(edge, "a path by weights", "of 0 or more"))
            }
            Some(_) | None => Ok(course),
        }
    }

    pub(super) fn length(&self, edge: u32) -> f64 {
        if self.weighted {
            self.network.weight(edge)
        } else {
            1.0
        }
    }

    /// True if a path may contain a vertex.
    pub(super) fn may_pass(&self, vertex: u32) -> bool {
        vertex == self.source || vertex == self.target || self.sieve.vertex(vertex)
    }

    /// Builds the path of consecutive edges from the source.
    pub(super) fn path(&self, edges: &[u32]) -> Path {
        let mut vertices = vec![self.source];
        let mut at = self.source;
        let mut length = 0.0;
        for &edge in edges {
            at = self.network.other(edge, at);
            vertices.push(at);
            length += self.length(edge);
        }
        Path {
            vertices,
            edges: edges.to_vec(),
            length,
        }
    }

    /// Finds a path with the fewest edges.
    fn fewest(&self, most: Option<u32>, watch: &Watch<'_>) -> Result<Option<Path>, Cancelled> {
        let mut sides = [self.source, self.target].map(|end| Side::new(self.network, end));
        for (side, direction) in sides.iter_mut().zip(self.directions()) {
            side.weigh(self.network, direction);
        }
        let mut levels = 0;
        let mut seen = 0;
        while most.is_none_or(|most| levels < most) {
            let [from, to] = [0, 1].map(|side: usize| sides[side].cost);
            if from == 0 || to == 0 {
                return Ok(None);
            }
            if let Some(edges) = self.expand(&mut sides, usize::from(to < from)) {
                return Ok(Some(self.path(&edges)));
            }
            levels += 1;
            seen += from.min(to) as u64;
            check(watch, seen, self.network.edge_count() as u64)?;
        }
        Ok(None)
    }

    /// Direction of edges on each side.
    pub(super) fn directions(&self) -> [Direction; 2] {
        let direction = self.sieve.direction();
        [direction, reversed(direction)]
    }

    /// Expands one level of a side; returns the edges of a path if it meets the other side.
    ///
    /// All neighbours of an expanded vertex of the other side are in its set, so the first meeting is at its last
    /// level, and the path is a shortest one.
    fn expand(&self, sides: &mut [Side<'_>; 2], side: usize) -> Option<Vec<u32>> {
        let (([own, other], 0) | ([other, own], _)) = (sides, side);
        let open = self.sieve.passes_edges() && self.sieve.passes_vertices();
        let passes = |step: Step| open || self.sieve.edge(step.edge) && self.may_pass(step.to);
        let direction = self.directions()[side];
        let level = own.next..own.seen.queue.len();
        own.next = level.end;
        for place in level {
            let FrontierBuffers {
                marks,
                queue,
                counts,
            } = &mut *own.seen;
            let steps = self.network.adjacency.steps(queue[place].to, direction);
            let mut meeting = steps.iter().filter(|step| other.seen.marks.has(step.to));
            if let Some(step) = meeting.find(|step| passes(**step)) {
                let mut edges = own.seen.trace(place);
                let mut rest = other.seen.trace(other.seen.find(step.to));
                edges.reverse();
                edges.push(step.edge);
                edges.append(&mut rest);
                if side == 1 {
                    edges.reverse();
                }
                return Some(edges);
            }
            marks.follow(steps, passes, queue);
            counts.push(queue.len() as u32);
        }
        own.weigh(self.network, direction);
        None
    }
}

impl<'a> Side<'a> {
    fn new(network: &'a Network, end: u32) -> Side<'a> {
        let mut seen = network.sides.acquire();
        seen.marks.insert(end);
        let edge = u32::MAX;
        seen.queue.push(Step { to: end, edge });
        Side {
            seen,
            next: 0,
            cost: 0,
        }
    }

    /// Counts the edges at the unexpanded vertices.
    fn weigh(&mut self, network: &Network, direction: Direction) {
        let next = self.seen.queue[self.next..].iter();
        let degrees = next.map(|seen| network.adjacency.degree(seen.to, direction));
        self.cost = degrees.sum();
    }
}

impl FrontierBuffers {
    /// Index of a visited vertex in the queue.
    fn find(&self, vertex: u32) -> usize {
        let place = self.queue.iter().rposition(|seen| seen.to == vertex);
        place.expect("what is marked as seen is in the queue")
    }

    /// Edges from a visited vertex back to the end.
    fn trace(&self, mut place: usize) -> Vec<u32> {
        let mut edges = Vec::new();
        while place > 0 {
            edges.push(self.queue[place].edge);
            // Its parent is the first vertex after whose expansion the queue was longer than its index.
            let counts = &self.counts;
            place = counts.partition_point(|&count| count as usize <= place);
        }
        edges
    }
}
