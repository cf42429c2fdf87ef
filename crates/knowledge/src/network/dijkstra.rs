//! Weighted shortest paths.
//!
//! Bidirectional Dijkstra (Dijkstra, A note on two problems in connexion with graphs, 1959; Nicholson, Finding the
//! shortest route between two points in a network, 1966), in O((n + m) log n), of which usually a small part is
//! visited. With a limit of edges by one label-setting search that keeps the Pareto-optimal labels of each vertex by
//! length and number of edges (Joksch, The shortest route problem with constraints, 1966).

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::error::NetworkError;
use super::path::{Path, ResolvedQuery};
use crate::progress::{Cancelled, Watch, check};

/// Number of vertices between two checks for cancellation.
const CHECK_INTERVAL: u64 = 4096;
/// Maximum number of labels of a search with a limit: 1.2 GB.
const MAX_PARTIAL_PATHS: usize = 50_000_000;

/// A length with a total order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Distance(pub(super) f64);

impl PartialEq for Distance {
    fn eq(&self, other: &Distance) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Distance {}

impl PartialOrd for Distance {
    fn partial_cmp(&self, other: &Distance) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Distance {
    fn cmp(&self, other: &Distance) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Label of a vertex on one side.
#[derive(Clone, Copy)]
struct Label {
    far: f64,
    /// The edge to its parent.
    by: u32,
    settled: bool,
}

/// One side of the bidirectional search.
struct Side {
    end: u32,
    labels: FxHashMap<u32, Label>,
    heap: BinaryHeap<Reverse<(Distance, u32)>>,
}

/// A label of a search with a limit: a path to a vertex, by its last edge and the label before.
struct PartialPath {
    vertex: u32,
    by: u32,
    before: u32,
}

impl ResolvedQuery<'_> {
    /// Returns a shortest path between two different vertices.
    pub(super) fn shortest(&self, watch: &Watch<'_>) -> Result<Option<Path>, Cancelled> {
        let mut sides = [self.source, self.target].map(Side::new);
        // Length of the best path so far, and the vertex at which the sides meet.
        let mut best: Option<(f64, u32)> = None;
        let mut settled = 0;
        while let [Some(from), Some(to)] = [0, 1].map(|side: usize| sides[side].nearest()) {
            if best.is_some_and(|(length, _)| from + to >= length) {
                break;
            }
            let side = usize::from(to < from);
            self.settle(&mut sides, side, &mut best);
            settled += 1;
            self.check_cancelled(settled, watch)?;
        }
        Ok(best.map(|(_, middle)| {
            let [mut edges, rest] = sides.map(|side| side.trace(self, middle));
            edges.reverse();
            edges.extend(rest);
            self.path(&edges)
        }))
    }

    fn check_cancelled(&self, settled: u64, watch: &Watch<'_>) -> Result<(), Cancelled> {
        if settled.is_multiple_of(CHECK_INTERVAL) {
            check(watch, settled, self.network.vertex_count() as u64)?;
        }
        Ok(())
    }

    fn settle(&self, sides: &mut [Side; 2], side: usize, best: &mut Option<(f64, u32)>) {
        let (([own, other], 0) | ([other, own], _)) = (sides, side);
        let direction = self.directions()[side];
        let Some(Reverse((Distance(far), vertex))) = own.heap.pop() else {
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

    /// Returns a shortest path of those with at most `most` edges.
    pub(super) fn shortest_within(
        &self,
        most: u32,
        watch: &Watch<'_>,
    ) -> Result<Option<Path>, NetworkError> {
        let mut ways = vec![PartialPath {
            vertex: self.source,
            by: u32::MAX,
            before: 0,
        }];
        let mut heap = BinaryHeap::from([Reverse((Distance(0.0), 0_u32, 0_u32))]);
        // Least number of edges of the labels settled at each vertex, which are shorter.
        let mut fewest: FxHashMap<u32, u32> = FxHashMap::default();
        let mut settled = 0;
        while let Some(Reverse((Distance(far), edges, way))) = heap.pop() {
            let vertex = ways[way as usize].vertex;
            if vertex == self.target {
                return Ok(Some(self.path(&trace_edges(&ways, way))));
            }
            match fewest.entry(vertex) {
                Entry::Occupied(entry) if *entry.get() <= edges => continue,
                Entry::Occupied(mut entry) => *entry.get_mut() = edges,
                Entry::Vacant(entry) => {
                    entry.insert(edges);
                }
            }
            settled += 1;
            self.check_cancelled(settled, watch)?;
            if edges == most {
                continue;
            }
            for step in self.network.adjacency.steps(vertex, self.sieve.direction()) {
                let is_useless = fewest.get(&step.to).is_some_and(|&few| few <= edges + 1);
                if is_useless || !self.sieve.edge(step.edge) || !self.may_pass(step.to) {
                    continue;
                }
                if ways.len() == MAX_PARTIAL_PATHS {
                    return Err(NetworkError::TooLarge {
                        what: "the shortest weighted path with at most this many edges",
                        most: format!("{MAX_PARTIAL_PATHS} partial paths"),
                        hint: "remove the limit of edges, or exclude types of edges",
                    });
                }
                let far = far + self.length(step.edge);
                heap.push(Reverse((Distance(far), edges + 1, ways.len() as u32)));
                ways.push(PartialPath {
                    vertex: step.to,
                    by: step.edge,
                    before: way,
                });
            }
        }
        Ok(None)
    }
}

/// Edges from the source to a label.
fn trace_edges(ways: &[PartialPath], mut way: u32) -> Vec<u32> {
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
        let mut side = Side {
            end,
            labels: FxHashMap::default(),
            heap: BinaryHeap::new(),
        };
        side.improve(end, 0.0, u32::MAX);
        side
    }

    /// Distance of the nearest unsettled vertex.
    fn nearest(&mut self) -> Option<f64> {
        loop {
            let &Reverse((Distance(far), vertex)) = self.heap.peek()?;
            if !self.labels.get(&vertex).is_some_and(|label| label.settled) {
                return Some(far);
            }
            self.heap.pop();
        }
    }

    /// Relaxes an edge; returns true if the vertex is new or nearer.
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
        self.heap.push(Reverse((Distance(far), vertex)));
        true
    }

    /// Edges from a vertex back to the end.
    fn trace(self, query: &ResolvedQuery<'_>, mut vertex: u32) -> Vec<u32> {
        let mut edges = Vec::new();
        while vertex != self.end {
            let by = self.labels[&vertex].by;
            edges.push(by);
            vertex = query.network.other(by, vertex);
        }
        edges
    }
}
