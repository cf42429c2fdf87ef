//! Adjacency lists of all vertices in one array (compressed sparse rows).

use std::hint::black_box;
use std::sync::OnceLock;

use rayon::iter::repeat_n;
use rayon::prelude::*;

use super::simple_graph::SimpleGraph;
use crate::graph::Direction;

/// One entry of an adjacency list: an edge and the vertex at its other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) to: u32,
    pub(super) edge: u32,
}

/// Adjacency lists: for each vertex the outgoing edges and behind them the incoming ones, each in the order of edges.
/// Both are in one array, so that a vertex costs one access to memory.
#[derive(Debug)]
pub(super) struct Adjacency {
    /// Offsets of the list of outgoing and of the list of incoming edges of each vertex, and the end of the last list.
    starts: Box<[u32]>,
    steps: Box<[Step]>,
    /// Built on first use.
    simple: OnceLock<SimpleGraph>,
}

/// Consecutive vertices that one thread fills, and their lists.
struct Chunk<'a> {
    first: usize,
    /// Offset of each list, and while it is filled, of its next entry.
    starts: Vec<u32>,
    steps: &'a mut [Step],
}

/// Index of a list of a vertex, relative to the lists of the vertices from `first` on; out of range for a vertex before
/// these.
fn list(vertex: u32, first: usize, side: usize) -> usize {
    let vertex = (vertex as usize).wrapping_sub(first);
    vertex.wrapping_mul(2).wrapping_add(side)
}

impl Adjacency {
    /// Builds the lists from edges with their numbers and ends, in ascending order, by counting sort. O(n + m).
    pub(super) fn new(
        vertices: usize,
        edges: &(impl Iterator<Item = (u32, [u32; 2])> + Clone + Sync),
    ) -> Adjacency {
        let size = vertices.div_ceil(rayon::current_num_threads()).max(1);
        let mut starts = vec![0_u32; 2 * vertices + 1].into_boxed_slice();
        let pieces = starts[1..].par_chunks_mut(2 * size).enumerate();
        pieces.for_each(|(number, counts)| {
            for (_, ends) in edges.clone() {
                for (side, vertex) in ends.into_iter().enumerate() {
                    if let Some(count) = counts.get_mut(list(vertex, number * size, side)) {
                        *count += 1;
                    }
                }
            }
        });
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        // In parallel, since page faults take most of the time.
        let nowhere = repeat_n(Step { to: 0, edge: 0 }, sum as usize);
        let mut steps: Box<[Step]> = nowhere.collect();
        let pieces = Chunk::all(&starts, &mut steps, size);
        pieces
            .into_par_iter()
            .for_each(|mut piece| piece.fill(edges.clone()));
        Adjacency {
            starts,
            steps,
            simple: OnceLock::new(),
        }
    }

    pub(super) fn vertices(&self) -> usize {
        self.starts.len() / 2
    }

    pub(super) fn edges(&self) -> usize {
        self.steps.len() / 2
    }

    /// Returns the entries of a vertex in a direction, outgoing ones first. In both directions, a self-loop has two.
    pub(super) fn steps(&self, vertex: u32, direction: Direction) -> &[Step] {
        let first = 2 * vertex as usize;
        let lists = match direction {
            Direction::Outgoing => [first, first + 1],
            Direction::Incoming => [first + 1, first + 2],
            Direction::Both => [first, first + 2],
        };
        let [from, to] = lists.map(|list| self.starts[list] as usize);
        &self.steps[from..to]
    }

    pub(super) fn outgoing(&self, vertex: u32) -> &[Step] {
        self.steps(vertex, Direction::Outgoing)
    }

    pub(super) fn incoming(&self, vertex: u32) -> &[Step] {
        self.steps(vertex, Direction::Incoming)
    }

    /// As [`steps`](Self::steps), but with one entry for a self-loop.
    pub(super) fn steps_once(
        &self,
        vertex: u32,
        direction: Direction,
    ) -> impl Iterator<Item = &Step> {
        let own = self.outgoing(vertex).len();
        let is_first = move |place: usize, to: u32| {
            direction != Direction::Both || to != vertex || place < own
        };
        let steps = self.steps(vertex, direction).iter().enumerate();
        steps.filter_map(move |(place, step)| is_first(place, step.to).then_some(step))
    }

    /// Number of entries of a vertex in a direction.
    pub(super) fn degree(&self, vertex: u32, direction: Direction) -> usize {
        self.steps(vertex, direction).len()
    }

    /// Reads the first entry of each list, so that their cache misses overlap.
    pub(super) fn prefetch(&self, vertices: impl Iterator<Item = u32>, direction: Direction) {
        let firsts = vertices.filter_map(|vertex| self.steps(vertex, direction).first());
        black_box(firsts.fold(0, |sum, step| sum ^ step.to));
    }

    /// Returns the undirected graph without parallel edges and self-loops.
    pub(super) fn simple(&self) -> &SimpleGraph {
        self.simple
            .get_or_init(|| SimpleGraph::new(self, Direction::Both))
    }
}

impl<'a> Chunk<'a> {
    /// Divides the lists into chunks of `size` vertices; the last may be smaller.
    fn all(starts: &[u32], mut steps: &'a mut [Step], size: usize) -> Vec<Chunk<'a>> {
        let lists = starts.len() - 1;
        let mut pieces = Vec::new();
        for from in (0..lists).step_by(2 * size) {
            let to = lists.min(from + 2 * size);
            let (own, rest) = steps.split_at_mut((starts[to] - starts[from]) as usize);
            let offset = |start: &u32| start - starts[from];
            pieces.push(Chunk {
                first: from / 2,
                starts: starts[from..to].iter().map(offset).collect(),
                steps: own,
            });
            steps = rest;
        }
        pieces
    }

    fn fill(&mut self, edges: impl Iterator<Item = (u32, [u32; 2])>) {
        for (edge, ends) in edges {
            for (side, vertex) in ends.into_iter().enumerate() {
                if let Some(place) = self.starts.get_mut(list(vertex, self.first, side)) {
                    let to = ends[1 - side];
                    self.steps[*place as usize] = Step { to, edge };
                    *place += 1;
                }
            }
        }
    }
}

/// Returns the opposite direction.
pub(super) fn reversed(direction: Direction) -> Direction {
    match direction {
        Direction::Outgoing => Direction::Incoming,
        Direction::Incoming => Direction::Outgoing,
        Direction::Both => Direction::Both,
    }
}
