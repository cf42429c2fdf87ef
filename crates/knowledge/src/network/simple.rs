//! The graph without its edges' repetitions: the neighbours of each vertex, each once, without itself.

use std::ops::Range;

use super::adjacency::{Adjacency, reversed};
use crate::graph::Direction;

/// The distinct neighbours of each vertex, in order, all in one list.
#[derive(Debug, Clone)]
pub(super) struct Simple {
    starts: Box<[u32]>,
    ends: Vec<u32>,
}

impl Simple {
    /// The neighbours of each vertex in a direction. O(n + m): a vertex is written to the lists of those that have it
    /// as a neighbour, one vertex after the other, so that all lists come out in order.
    pub(super) fn new(adjacency: &Adjacency, direction: Direction) -> Simple {
        let vertices = adjacency.vertices() as u32;
        let mut starts = vec![0_u32; vertices as usize + 1].into_boxed_slice();
        for vertex in 0..vertices {
            let degree = adjacency.degree(vertex, direction) as u32;
            starts[vertex as usize + 1] = starts[vertex as usize] + degree;
        }
        let mut free = starts.clone();
        let mut ends = vec![0_u32; starts[vertices as usize] as usize];
        for vertex in 0..vertices {
            for step in adjacency.steps(vertex, reversed(direction)) {
                let to = step.to as usize;
                let place = free[to] as usize;
                let is_known = place > starts[to] as usize && ends[place - 1] == vertex;
                if step.to != vertex && !is_known {
                    ends[place] = vertex;
                    free[to] += 1;
                }
            }
        }
        let mut end = 0;
        for vertex in 0..vertices as usize {
            let (from, to) = (starts[vertex], free[vertex]);
            starts[vertex] = end;
            ends.copy_within(from as usize..to as usize, end as usize);
            end += to - from;
        }
        starts[vertices as usize] = end;
        ends.truncate(end as usize);
        ends.shrink_to_fit();
        Simple { starts, ends }
    }

    /// A weight for each neighbour in the list of all, joined from those of all edges that lead there.
    pub(super) fn weights(
        &self,
        adjacency: &Adjacency,
        direction: Direction,
        weight: impl Fn(u32) -> f64,
        join: impl Fn(f64, f64) -> f64,
    ) -> Vec<f64> {
        let mut weights = vec![f64::NAN; self.ends.len()];
        let mut places = self.starts.clone();
        for vertex in 0..self.vertices() as u32 {
            for step in adjacency.steps(vertex, reversed(direction)) {
                if step.to == vertex {
                    continue;
                }
                let place = &mut places[step.to as usize];
                while self.ends[*place as usize] < vertex {
                    *place += 1;
                }
                let joined = &mut weights[*place as usize];
                let one = weight(step.edge);
                *joined = if joined.is_nan() {
                    one
                } else {
                    join(*joined, one)
                };
            }
        }
        weights
    }

    /// How many vertices there are.
    pub(super) fn vertices(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many neighbours all of them have together.
    pub(super) fn steps(&self) -> usize {
        self.ends.len()
    }

    /// Where the neighbours of a vertex are in the list of all.
    pub(super) fn range(&self, vertex: u32) -> Range<usize> {
        let vertex = vertex as usize;
        self.starts[vertex] as usize..self.starts[vertex + 1] as usize
    }

    /// The neighbours of a vertex, in order.
    pub(super) fn of(&self, vertex: u32) -> &[u32] {
        &self.ends[self.range(vertex)]
    }

    /// How many neighbours a vertex has.
    pub(super) fn degree(&self, vertex: u32) -> usize {
        self.range(vertex).len()
    }
}
