//! Shortest paths.
//!
//! Without weights breadth-first search is made from both ends at once, always from the side on which fewer edges come
//! next (Pohl, Bi-directional search, 1971): on networks with hubs it sees a few hundred edges of millions.

use std::ops::ControlFlow;

use super::adjacency::{Step, reversed};
use super::error::NetworkError;
use super::filter::{Filter, Sieve};
use super::marks::Lent;
use super::searched::Seen;
use super::view::Network;
use crate::graph::Direction;
use crate::progress::{Cancelled, Watch};

/// A question for paths between two vertices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Between {
    /// The id of where they begin.
    pub source: String,
    /// The id of where they end.
    pub target: String,
    /// Whether the weights of edges are their lengths; else each has length 1, as one without weight has anyway.
    pub weighted: bool,
    /// Which edges are followed, and which nodes paths may pass; where they begin and end may be any.
    pub filter: Filter,
}

/// A path.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// The vertices on it, from its beginning to its end.
    pub vertices: Vec<u32>,
    /// The edges between these, one fewer.
    pub edges: Vec<u32>,
    /// The sum of the lengths of the edges.
    pub length: f64,
}

/// A question with what it names looked up.
pub(super) struct Course<'a> {
    pub(super) network: &'a Network,
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) weighted: bool,
    pub(super) sieve: Sieve<'a>,
}

/// A search from one end.
struct Side<'a> {
    seen: Lent<'a, Seen>,
    /// Where those begin that are not looked at.
    next: usize,
    /// How many steps there are from these.
    cost: usize,
}

impl Network {
    /// A shortest path; `None` if there is none, or if each has more than so many edges. Which one of several is always
    /// the same. With weights and a limit it is the shortest of those within the limit.
    ///
    /// # Errors
    /// [`NetworkError`]: unknown ends, weights below 0, a search that is too large, or [`Cancelled`].
    pub fn shortest_path(
        &self,
        between: &Between,
        most_edges: Option<u32>,
        watch: &Watch<'_>,
    ) -> Result<Option<Path>, NetworkError> {
        let course = Course::new(self, between)?;
        if course.source == course.target {
            return Ok(Some(course.path(&[])));
        }
        if !between.weighted {
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

impl<'a> Course<'a> {
    /// Refuses what is not there, and weights below 0 if they count.
    pub(super) fn new(network: &'a Network, between: &Between) -> Result<Course<'a>, NetworkError> {
        let [source, target] = [&between.source, &between.target].map(|id| network.vertex(id));
        let course = Course {
            network,
            source: source?,
            target: target?,
            weighted: between.weighted,
            sieve: Sieve::new(network, &between.filter),
        };
        match course.sieve.negative(|vertex| course.may_pass(vertex)) {
            Some(edge) if between.weighted => {
                Err(network.refused(edge, "a path by weights", "of 0 and more"))
            }
            Some(_) | None => Ok(course),
        }
    }

    /// How long an edge is.
    pub(super) fn length(&self, edge: u32) -> f64 {
        if self.weighted {
            self.network.weight(edge)
        } else {
            1.0
        }
    }

    /// Whether a path may go through a vertex, or end there.
    pub(super) fn may_pass(&self, vertex: u32) -> bool {
        vertex == self.source || vertex == self.target || self.sieve.vertex(vertex)
    }

    /// The path along edges from the source.
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

    /// A path with the fewest edges.
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
            let total = (self.network.edge_count() as u64).max(seen + 1);
            if watch(seen, total) == ControlFlow::Break(()) {
                return Err(Cancelled);
            }
        }
        Ok(None)
    }

    /// How edges are followed from each end.
    fn directions(&self) -> [Direction; 2] {
        let direction = self.sieve.direction();
        [direction, reversed(direction)]
    }

    /// Goes one edge further on a side; the edges of a path if that meets the other.
    ///
    /// What the other side saw and looked at has all its neighbours among what that side saw; so the first meeting is
    /// at its last level, as all are, and the path is a shortest.
    fn expand(&self, sides: &mut [Side<'_>; 2], side: usize) -> Option<Vec<u32>> {
        let [first, second] = sides;
        let (own, other) = if side == 0 {
            (first, second)
        } else {
            (second, first)
        };
        let open = self.sieve.passes_edges() && self.sieve.passes_vertices();
        let passes = |step: Step| open || self.sieve.edge(step.edge) && self.may_pass(step.to);
        let direction = self.directions()[side];
        let level = own.next..own.seen.queue.len();
        own.next = level.end;
        for place in level {
            let Seen {
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
        let mut seen = network.sides.lend();
        seen.marks.insert(end);
        let edge = u32::MAX;
        seen.queue.push(Step { to: end, edge });
        Side {
            seen,
            next: 0,
            cost: 0,
        }
    }

    /// Counts the steps that come next.
    fn weigh(&mut self, network: &Network, direction: Direction) {
        let next = self.seen.queue[self.next..].iter();
        let degrees = next.map(|seen| network.adjacency.degree(seen.to, direction));
        self.cost = degrees.sum();
    }
}

impl Seen {
    /// The place of a vertex that was seen.
    fn find(&self, vertex: u32) -> usize {
        let place = self.queue.iter().rposition(|seen| seen.to == vertex);
        place.expect("what is marked as seen is in the queue")
    }

    /// The edges from what was seen at a place back to the end.
    fn trace(&self, mut place: usize) -> Vec<u32> {
        let mut edges = Vec::new();
        while place > 0 {
            edges.push(self.queue[place].edge);
            // It was first seen from the first one after which there were so many.
            place = self
                .counts
                .partition_point(|&count| count as usize <= place);
        }
        edges
    }
}
