//! What is next to what: the steps from each vertex, all in one list (compressed sparse rows).

use std::hint::black_box;
use std::sync::OnceLock;

use rayon::iter::repeat_n;
use rayon::prelude::*;

use super::simple::Simple;
use crate::graph::Direction;

/// A step along an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    /// The vertex to which it leads.
    pub(super) to: u32,
    /// The number of the edge.
    pub(super) edge: u32,
}

/// The steps from each vertex: those along the edges that begin there, and behind them those against the edges that end
/// there, each in the order of edges. All are in one list, so that there is one place in memory to go to.
#[derive(Debug)]
pub(super) struct Adjacency {
    /// Where the steps along edges begin for each vertex and then where those against them do, and where the last ones
    /// end.
    starts: Box<[u32]>,
    steps: Box<[Step]>,
    /// Made when it is first asked for.
    simple: OnceLock<Simple>,
}

/// Some vertices that one thread looks after, and their lists.
struct Piece<'a> {
    first: usize,
    /// Where each list begins, and later where its next step goes.
    starts: Vec<u32>,
    steps: &'a mut [Step],
}

/// The number of a vertex's list, among those of vertices from one on; too large if it is before that.
fn list(vertex: u32, first: usize, side: usize) -> usize {
    let vertex = (vertex as usize).wrapping_sub(first);
    vertex.wrapping_mul(2).wrapping_add(side)
}

impl Adjacency {
    /// Of so many vertices and of edges, each with its number and its ends, in the order of these numbers. O(n + m), by
    /// counting.
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
        // By all threads, as most of the time it takes the system to find the memory.
        let nowhere = repeat_n(Step { to: 0, edge: 0 }, sum as usize);
        let mut steps: Box<[Step]> = nowhere.collect();
        let pieces = Piece::all(&starts, &mut steps, size);
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

    /// The steps from a vertex in a direction, those along edges before those against them. In both, an edge from the
    /// vertex to itself has two.
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

    /// Along the edges that begin at a vertex.
    pub(super) fn along(&self, vertex: u32) -> &[Step] {
        self.steps(vertex, Direction::Outgoing)
    }

    /// Against the edges that end at a vertex.
    pub(super) fn against(&self, vertex: u32) -> &[Step] {
        self.steps(vertex, Direction::Incoming)
    }

    /// [`steps`](Self::steps), but of the two along an edge from the vertex to itself one.
    pub(super) fn steps_once(
        &self,
        vertex: u32,
        direction: Direction,
    ) -> impl Iterator<Item = &Step> {
        let own = self.along(vertex).len();
        let is_first = move |place: usize, to: u32| {
            direction != Direction::Both || to != vertex || place < own
        };
        let steps = self.steps(vertex, direction).iter().enumerate();
        steps.filter_map(move |(place, step)| is_first(place, step.to).then_some(step))
    }

    /// How many steps there are from a vertex.
    pub(super) fn degree(&self, vertex: u32, direction: Direction) -> usize {
        self.steps(vertex, direction).len()
    }

    /// Looks where the steps from some vertices begin, so that memory is waited for once for all of them, and not for
    /// one after the other.
    pub(super) fn foresee(&self, vertices: impl Iterator<Item = u32>, direction: Direction) {
        let firsts = vertices.filter_map(|vertex| self.steps(vertex, direction).first());
        black_box(firsts.fold(0, |sum, step| sum ^ step.to));
    }

    /// The neighbours of each vertex on both sides, each once.
    pub(super) fn simple(&self) -> &Simple {
        self.simple
            .get_or_init(|| Simple::new(self, Direction::Both))
    }
}

impl<'a> Piece<'a> {
    /// Pieces of so many vertices, and of fewer at the end.
    fn all(starts: &[u32], mut steps: &'a mut [Step], size: usize) -> Vec<Piece<'a>> {
        let lists = starts.len() - 1;
        let mut pieces = Vec::new();
        for from in (0..lists).step_by(2 * size) {
            let to = lists.min(from + 2 * size);
            let (own, rest) = steps.split_at_mut((starts[to] - starts[from]) as usize);
            pieces.push(Piece {
                first: from / 2,
                starts: starts[from..to]
                    .iter()
                    .map(|start| start - starts[from])
                    .collect(),
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

/// The other way along edges.
pub(super) fn reversed(direction: Direction) -> Direction {
    match direction {
        Direction::Outgoing => Direction::Incoming,
        Direction::Incoming => Direction::Outgoing,
        Direction::Both => Direction::Both,
    }
}
