//! Adjacency lists in compressed sparse rows, and breadth-first search.

use std::collections::VecDeque;

/// Neighbours of each node, with the weights of the edges.
pub(super) struct Neighbours {
    first: Vec<u32>,
    all: Vec<(u32, f64)>,
}

impl Neighbours {
    pub(super) fn new(count: usize, edges: &[(usize, usize, f64)]) -> Neighbours {
        let mut first = vec![0_u32; count + 1];
        for &(source, target, _) in edges {
            first[source + 1] += 1;
            first[target + 1] += 1;
        }
        for node in 0..count {
            first[node + 1] += first[node];
        }
        let mut next = first.clone();
        let mut all = vec![(0, 0.0); 2 * edges.len()];
        for &(source, target, weight) in edges {
            for (node, other) in [(source, target), (target, source)] {
                all[next[node] as usize] = (other as u32, weight);
                next[node] += 1;
            }
        }
        Neighbours { first, all }
    }

    /// Number of nodes.
    pub(super) fn count(&self) -> usize {
        self.first.len() - 1
    }

    /// Neighbours of a node, and the weights of the edges to them.
    pub(super) fn of(&self, node: usize) -> &[(u32, f64)] {
        &self.all[self.first[node] as usize..self.first[node + 1] as usize]
    }

    /// Visits the nodes of a connected graph in breadth-first order from some nodes. `visit` is called with each new node and
    /// the node from which it was reached.
    pub(super) fn breadth_first(
        &self,
        starts: impl IntoIterator<Item = usize>,
        mut visit: impl FnMut(usize, usize),
    ) {
        let mut queue: VecDeque<usize> = starts.into_iter().collect();
        let mut is_visited = vec![false; self.count()];
        for &start in &queue {
            is_visited[start] = true;
        }
        while let Some(node) = queue.pop_front() {
            for &(other, _) in self.of(node) {
                let other = other as usize;
                if !std::mem::replace(&mut is_visited[other], true) {
                    visit(other, node);
                    queue.push_back(other);
                }
            }
        }
    }
}
