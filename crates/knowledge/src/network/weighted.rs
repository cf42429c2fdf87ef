//! Shortest paths by weights.
//!
//! Dijkstra's search (A note on two problems in connexion with graphs, 1959) from both ends at once (Nicholson, Finding
//! the shortest route between two points in a network, 1966), in O((n + m) log n), of which far less is seen as a rule.
//! If a path may only have so many edges, one search is made that keeps for each vertex all ways of which no other is
//! both shorter and of fewer edges (Joksch, The shortest route problem with constraints, 1966).

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use super::adjacency::reversed;
use super::error::NetworkError;
use super::path::{Course, Path};
use crate::progress::{Cancelled, Watch};

/// After so many vertices it is asked whether the answer is still wanted.
const OFTEN: u64 = 4096;
/// The most ways that a search within a limit keeps: 1.2 GB.
const MOST_WAYS: usize = 50_000_000;

/// A length that is sorted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Far(pub(super) f64);

impl PartialEq for Far {
    fn eq(&self, other: &Far) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Far {}

impl PartialOrd for Far {
    fn partial_cmp(&self, other: &Far) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Far {
    fn cmp(&self, other: &Far) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// What is known of a vertex on one side.
#[derive(Clone, Copy)]
struct Label {
    far: f64,
    /// The edge by which it is reached.
    by: u32,
    settled: bool,
}

/// A search from one end.
struct Side {
    end: u32,
    labels: FxHashMap<u32, Label>,
    heap: BinaryHeap<Reverse<(Far, u32)>>,
}

/// A way to a vertex, of a search within a limit.
struct Way {
    vertex: u32,
    by: u32,
    before: u32,
}

impl Course<'_> {
    /// A path of the least length between two different vertices.
    pub(super) fn shortest(&self, watch: &Watch<'_>) -> Result<Option<Path>, Cancelled> {
        let mut sides = [self.source, self.target].map(Side::new);
        // The length and the vertex at which both sides meet.
        let mut best: Option<(f64, u32)> = None;
        let mut settled = 0;
        while let [Some(from), Some(to)] = [0, 1].map(|side: usize| sides[side].nearest()) {
            if best.is_some_and(|(length, _)| from + to >= length) {
                break;
            }
            let side = usize::from(to < from);
            self.settle(&mut sides, side, &mut best);
            settled += 1;
            self.ask(settled, watch)?;
        }
        Ok(best.map(|(_, middle)| {
            let [mut edges, rest] = sides.map(|side| side.trace(self, middle));
            edges.reverse();
            edges.extend(rest);
            self.path(&edges)
        }))
    }

    fn ask(&self, settled: u64, watch: &Watch<'_>) -> Result<(), Cancelled> {
        let total = (self.network.vertex_count() as u64).max(settled + 1);
        if settled.is_multiple_of(OFTEN) && watch(settled, total) == ControlFlow::Break(()) {
            return Err(Cancelled);
        }
        Ok(())
    }

    fn settle(&self, sides: &mut [Side; 2], side: usize, best: &mut Option<(f64, u32)>) {
        let [first, second] = sides;
        let (own, other, direction) = if side == 0 {
            (first, second, self.sieve.direction())
        } else {
            (second, first, reversed(self.sieve.direction()))
        };
        let Some(Reverse((Far(far), vertex))) = own.heap.pop() else {
            return;
        };
        if let Some(label) = own.labels.get_mut(&vertex) {
            label.settled = true;
        }
        for step in self.network.adjacency.steps(vertex, direction) {
            if !self.sieve.edge(step.edge) || !self.may_pass(step.to) {
                continue;
            }
            let far = far + self.length(step.edge);
            if own.improve(step.to, far, step.edge)
                && let Some(across) = other.labels.get(&step.to)
                && best.is_none_or(|(length, _)| far + across.far < length)
            {
                *best = Some((far + across.far, step.to));
            }
        }
    }

    /// A path of the least length of those with at most so many edges.
    pub(super) fn shortest_within(
        &self,
        most: u32,
        watch: &Watch<'_>,
    ) -> Result<Option<Path>, NetworkError> {
        let mut ways = vec![Way {
            vertex: self.source,
            by: u32::MAX,
            before: 0,
        }];
        let mut heap = BinaryHeap::from([Reverse((Far(0.0), 0_u32, 0_u32))]);
        // With how few edges each vertex was reached by shorter ways.
        let mut fewest: FxHashMap<u32, u32> = FxHashMap::default();
        let mut settled = 0;
        while let Some(Reverse((Far(far), edges, way))) = heap.pop() {
            let vertex = ways[way as usize].vertex;
            if vertex == self.target {
                return Ok(Some(self.path(&traced(&ways, way))));
            }
            match fewest.entry(vertex) {
                Entry::Occupied(entry) if *entry.get() <= edges => continue,
                Entry::Occupied(mut entry) => *entry.get_mut() = edges,
                Entry::Vacant(entry) => {
                    entry.insert(edges);
                }
            }
            settled += 1;
            self.ask(settled, watch)?;
            if edges == most {
                continue;
            }
            for step in self.network.adjacency.steps(vertex, self.sieve.direction()) {
                let is_useless = fewest.get(&step.to).is_some_and(|&few| few <= edges + 1);
                if is_useless || !self.sieve.edge(step.edge) || !self.may_pass(step.to) {
                    continue;
                }
                if ways.len() == MOST_WAYS {
                    return Err(NetworkError::TooLarge {
                        what: "the shortest path by weights with so few edges",
                        most: format!("{MOST_WAYS} ways that are kept"),
                        hint: "ask for it without the limit of edges, or leave types of edges out",
                    });
                }
                let far = far + self.length(step.edge);
                heap.push(Reverse((Far(far), edges + 1, ways.len() as u32)));
                ways.push(Way {
                    vertex: step.to,
                    by: step.edge,
                    before: way,
                });
            }
        }
        Ok(None)
    }
}

/// The edges of a way from the source.
fn traced(ways: &[Way], mut way: u32) -> Vec<u32> {
    let mut edges = Vec::new();
    while way != 0 {
        edges.push(ways[way as usize].by);
        way = ways[way as usize].before;
    }
    edges.reverse();
    edges
}

impl Side {
    fn new(end: u32) -> Side {
        let label = Label {
            far: 0.0,
            by: u32::MAX,
            settled: false,
        };
        Side {
            end,
            labels: FxHashMap::from_iter([(end, label)]),
            heap: BinaryHeap::from([Reverse((Far(0.0), end))]),
        }
    }

    /// How far the nearest vertex is that is not settled.
    fn nearest(&mut self) -> Option<f64> {
        loop {
            let &Reverse((Far(far), vertex)) = self.heap.peek()?;
            if !self.labels.get(&vertex).is_some_and(|label| label.settled) {
                return Some(far);
            }
            self.heap.pop();
        }
    }

    /// Whether a vertex is nearer, or new, by an edge.
    fn improve(&mut self, vertex: u32, far: f64, by: u32) -> bool {
        let label = Label {
            far,
            by,
            settled: false,
        };
        match self.labels.entry(vertex) {
            Entry::Occupied(entry) if entry.get().far <= far => return false,
            Entry::Occupied(mut entry) => *entry.get_mut() = label,
            Entry::Vacant(entry) => {
                entry.insert(label);
            }
        }
        self.heap.push(Reverse((Far(far), vertex)));
        true
    }

    /// The edges from a vertex back to the end.
    fn trace(self, course: &Course<'_>, mut vertex: u32) -> Vec<u32> {
        let mut edges = Vec::new();
        while vertex != self.end {
            let by = self.labels[&vertex].by;
            edges.push(by);
            vertex = course.network.other(by, vertex);
        }
        edges
    }
}
