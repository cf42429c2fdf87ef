//! The simple graph: adjacency lists without parallel edges and self-loops.

use std::ops::Range;

use super::adjacency::{Adjacency, reversed};
use crate::graph::Direction;

/// Sorted, distinct neighbours of each vertex, in one array.
#[derive(Debug, Clone)]
pub(super) struct SimpleGraph {
    starts: Box<[u32]>,
    ends: Vec<u32>,
}

impl SimpleGraph {
    /// Builds the lists for a direction. O(n + m): each vertex in turn is appended to the lists of its predecessors,
    /// which therefore are sorted.
    pub(super) fn new(adjacency: &Adjacency, direction: Direction) -> SimpleGraph {
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
        SimpleGraph { starts, ends }
    }

    /// Returns a weight for each neighbour in the array, combined by `join` from those of all parallel edges.
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
                let sum = &mut weights[*place as usize];
                let one = weight(step.edge);
                *sum = if sum.is_nan() { one } else { join(*sum, one) };
            }
        }
        weights
    }

    pub(super) fn vertices(&self) -> usize {
        self.starts.len() - 1
    }

    /// Total length of all lists.
    pub(super) fn steps(&self) -> usize {
        self.ends.len()
    }

    /// Range of the neighbours of a vertex in the array.
    pub(super) fn range(&self, vertex: u32) -> Range<usize> {
        let vertex = vertex as usize;
        self.starts[vertex] as usize..self.starts[vertex + 1] as usize
    }

    /// Returns the neighbours of a vertex, sorted.
    pub(super) fn neighbours(&self, vertex: u32) -> &[u32] {
        &self.ends[self.range(vertex)]
    }

    pub(super) fn degree(&self, vertex: u32) -> usize {
        self.range(vertex).len()
    }
}
