//! Weakly and strongly connected components, and topological order.
//!
//! Weakly connected components by union-find with path halving (Tarjan and van Leeuwen, Worst-case analysis of set
//! union algorithms, 1984); strongly connected ones by Tarjan's algorithm (Depth-first search and linear graph
//! algorithms, 1972) with an explicit stack; topological order by Kahn's algorithm (Topological sorting of large
//! networks, 1962).

use super::subgraph::Subgraph;
use crate::progress::{Cancelled, Progress, Watch};

/// Number of vertices between two checks for cancellation.
const CHECK_INTERVAL: usize = 1 << 14;
const NONE: u32 = u32::MAX;

/// A partition of the vertices.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Components {
    /// Number of the component of each vertex.
    pub labels: Vec<u32>,
    /// Number of vertices of each component, in descending order; ties by first vertex.
    pub sizes: Vec<usize>,
}

/// Result of a topological sort.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopologicalOrder {
    /// All vertices, each before the targets of its edges.
    Acyclic(Vec<u32>),
    /// The edges of a cycle, in order.
    Cycle(Vec<u32>),
}

impl Components {
    /// Builds the partition from a representative of each vertex.
    pub(super) fn new(vertices: usize, representative: impl Fn(u32) -> u32) -> Components {
        let mut numbers = vec![NONE; vertices];
        let mut of = Vec::with_capacity(vertices);
        let mut sizes: Vec<usize> = Vec::new();
        for vertex in 0..vertices as u32 {
            let number = &mut numbers[representative(vertex) as usize];
            if *number == NONE {
                *number = sizes.len() as u32;
                sizes.push(0);
            }
            sizes[*number as usize] += 1;
            of.push(*number);
        }
        let mut order: Vec<u32> = (0..sizes.len() as u32).collect();
        order.sort_by_key(|&number| std::cmp::Reverse(sizes[number as usize]));
        let mut renamed = vec![0; sizes.len()];
        for (new, &old) in (0..).zip(&order) {
            renamed[old as usize] = new;
        }
        for number in &mut of {
            *number = renamed[*number as usize];
        }
        Components {
            labels: of,
            sizes: order.iter().map(|&old| sizes[old as usize]).collect(),
        }
    }
}

/// State of Tarjan's algorithm.
struct Tarjan {
    /// Discovery number of each vertex.
    found: Vec<u32>,
    /// Low-link of each vertex: the least discovery number reachable, of vertices without a component.
    low: Vec<u32>,
    /// Vertices without a component.
    held: Vec<u32>,
    /// Stack of the depth-first search: vertices and the index of their next edge.
    open: Vec<(u32, usize)>,
    count: u32,
}

impl Subgraph<'_> {
    /// Returns the weakly connected components: vertices connected by edges of any direction. O(n + m log n), in
    /// practice linear.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn weak_components(&self, watch: &Watch<'_>) -> Result<Components, Cancelled> {
        let vertices = self.vertex_count();
        let progress = Progress::new(vertices as u64 + 1, watch);
        let mut above: Vec<u32> = (0..vertices as u32).collect();
        for vertex in 0..vertices as u32 {
            for step in self.adjacency().outgoing(vertex) {
                let [one, other] = [vertex, step.to].map(|end| root(&mut above, end));
                // The least vertex is the root, so that the result does not depend on the order of edges.
                above[one.max(other) as usize] = one.min(other);
            }
            if (vertex as usize).is_multiple_of(CHECK_INTERVAL) {
                progress.advance(CHECK_INTERVAL.min(vertices - vertex as usize) as u64)?;
            }
        }
        let root = |vertex| root(&mut above, vertex);
        let roots: Vec<u32> = (0..vertices as u32).map(root).collect();
        progress.finish(Components::new(vertices, |vertex| roots[vertex as usize]))
    }

    /// Returns the strongly connected components: vertices that reach each other along the direction of edges. O(n +
    /// m).
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn strong_components(&self, watch: &Watch<'_>) -> Result<Components, Cancelled> {
        let mut representatives = vec![NONE; self.vertex_count()];
        self.strong(watch, |component| {
            for &vertex in component {
                representatives[vertex as usize] = component[0];
            }
        })?;
        Ok(Components::new(representatives.len(), |vertex| {
            representatives[vertex as usize]
        }))
    }

    /// Calls `tell` with the vertices of each strongly connected component.
    fn strong(&self, watch: &Watch<'_>, mut tell: impl FnMut(&[u32])) -> Result<(), Cancelled> {
        let vertices = self.vertex_count();
        let progress = Progress::new(vertices as u64 + 1, watch);
        let mut search = Tarjan {
            found: vec![NONE; vertices],
            low: vec![NONE; vertices],
            held: Vec::new(),
            open: Vec::new(),
            count: 0,
        };
        for start in 0..vertices as u32 {
            if search.found[start as usize] != NONE {
                continue;
            }
            search.enter(start);
            while let Some(&mut (vertex, ref mut next)) = search.open.last_mut() {
                let Some(step) = self.adjacency().outgoing(vertex).get(*next) else {
                    search.leave(vertex, &mut tell);
                    continue;
                };
                *next += 1;
                match search.found[step.to as usize] {
                    NONE => {
                        search.enter(step.to);
                        if (search.count as usize).is_multiple_of(CHECK_INTERVAL) {
                            progress.advance(CHECK_INTERVAL as u64)?;
                        }
                    }
                    // A vertex that has a component has no smaller discovery number.
                    found => {
                        let low = &mut search.low[vertex as usize];
                        *low = (*low).min(found);
                    }
                }
            }
        }
        progress.finish(())
    }

    /// Returns a topological order, or a cycle if there is none. O(n + m).
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn order(&self, watch: &Watch<'_>) -> Result<TopologicalOrder, Cancelled> {
        let vertices = self.vertex_count();
        let progress = Progress::new(vertices as u64 + 1, watch);
        let degree = |vertex| self.adjacency().incoming(vertex).len() as u32;
        let mut missing: Vec<u32> = (0..vertices as u32).map(degree).collect();
        let is_free = |&vertex: &u32| missing[vertex as usize] == 0;
        let mut order: Vec<u32> = (0..vertices as u32).filter(is_free).collect();
        let mut next = 0;
        while let Some(&vertex) = order.get(next) {
            next += 1;
            for step in self.adjacency().outgoing(vertex) {
                missing[step.to as usize] -= 1;
                if missing[step.to as usize] == 0 {
                    order.push(step.to);
                }
            }
            if next.is_multiple_of(CHECK_INTERVAL) {
                progress.advance(CHECK_INTERVAL as u64)?;
            }
        }
        let rest = missing.iter().position(|&missing| missing > 0);
        let found = match rest {
            Some(start) => TopologicalOrder::Cycle(self.circle(start as u32, &missing)),
            None => {
                TopologicalOrder::Acyclic(order.iter().map(|&place| self.number(place)).collect())
            }
        };
        progress.finish(found)
    }

    /// Finds a cycle among vertices that all have an unsorted predecessor.
    fn circle(&self, start: u32, missing: &[u32]) -> Vec<u32> {
        let mut places = vec![NONE; missing.len()];
        let mut edges: Vec<u32> = Vec::new();
        let mut at = start;
        while places[at as usize] == NONE {
            places[at as usize] = edges.len() as u32;
            let mut before = self.adjacency().incoming(at).iter();
            let step = before.find(|step| missing[step.to as usize] > 0);
            let step = step.expect("what is left has something left before it");
            edges.push(step.edge);
            at = step.to;
        }
        let mut circle = edges.split_off(places[at as usize] as usize);
        circle.reverse();
        circle
    }
}

/// Root of the set of a vertex, with path halving.
pub(super) fn root(above: &mut [u32], mut vertex: u32) -> u32 {
    while above[vertex as usize] != vertex {
        let next = above[vertex as usize];
        above[vertex as usize] = above[next as usize];
        vertex = next;
    }
    vertex
}

impl Tarjan {
    fn enter(&mut self, vertex: u32) {
        self.found[vertex as usize] = self.count;
        self.low[vertex as usize] = self.count;
        self.count += 1;
        self.held.push(vertex);
        self.open.push((vertex, 0));
    }

    fn leave(&mut self, vertex: u32, tell: &mut impl FnMut(&[u32])) {
        self.open.pop();
        let low = self.low[vertex as usize];
        if let Some(&(before, _)) = self.open.last() {
            let before = &mut self.low[before as usize];
            *before = (*before).min(low);
        }
        if low == self.found[vertex as usize] {
            let first = self.held.iter().rposition(|&held| held == vertex);
            let first = first.expect("a vertex is held until its component is told");
            for &member in &self.held[first..] {
                self.found[member as usize] = NONE - 1;
            }
            tell(&self.held[first..]);
            self.held.truncate(first);
        }
    }
}
