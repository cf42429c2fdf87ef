//! What hangs together.
//!
//! Weak components by union-find with path halving (Tarjan and van Leeuwen, Worst-case analysis of set union
//! algorithms, 1984); strong ones by Tarjan's search (Depth-first search and linear graph algorithms, 1972) on a stack
//! of its own, so that a long chain needs no deep recursion; an order by Kahn (Topological sorting of large networks,
//! 1962).

use super::part::Part;
use crate::progress::{Cancelled, Progress, Watch};

/// After so many vertices it is asked whether the answer is still wanted.
const OFTEN: usize = 1 << 14;
const NONE: u32 = u32::MAX;

/// Parts that hang together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components {
    /// For each vertex the number of its component.
    pub of: Vec<u32>,
    /// How many vertices each has; the largest come first, and of those with as many the one with the first vertex.
    pub sizes: Vec<usize>,
}

/// How vertices follow one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// All vertices, each before those to which its edges lead.
    Acyclic(Vec<u32>),
    /// The edges of a circle, one behind the other.
    Cycle(Vec<u32>),
}

impl Components {
    /// From the number of a representative for each vertex.
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
            of,
            sizes: order.iter().map(|&old| sizes[old as usize]).collect(),
        }
    }
}

/// Tarjan's search.
struct Tarjan {
    /// The number of the search's step in which each vertex was found.
    found: Vec<u32>,
    /// The least such number of what can be reached from each vertex, of those of no component yet.
    low: Vec<u32>,
    /// Vertices of no component yet.
    held: Vec<u32>,
    /// The vertices on the way to the present one, and which step comes next for each.
    open: Vec<(u32, usize)>,
    count: u32,
}

impl Part<'_> {
    /// The components whose vertices are joined by edges, whatever their direction. O(n + m).
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn weak_components(&self, watch: &Watch<'_>) -> Result<Components, Cancelled> {
        let vertices = self.vertex_count();
        let progress = Progress::new(vertices as u64 + 1, watch);
        let mut above: Vec<u32> = (0..vertices as u32).collect();
        for vertex in 0..vertices as u32 {
            for step in self.adjacency().along(vertex) {
                let [one, other] = [vertex, step.to].map(|end| root(&mut above, end));
                // The first vertex is the root, so that the result does not hang on the order of edges.
                above[one.max(other) as usize] = one.min(other);
            }
            if (vertex as usize).is_multiple_of(OFTEN) {
                progress.add(OFTEN.min(vertices - vertex as usize) as u64);
                if progress.is_ended() {
                    return Err(Cancelled);
                }
            }
        }
        let roots: Vec<u32> = (0..vertices as u32)
            .map(|vertex| root(&mut above, vertex))
            .collect();
        progress.finish(Components::new(vertices, |vertex| roots[vertex as usize]))
    }

    /// The components in which each vertex can be reached from each other along the direction of edges. O(n + m).
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

    /// Tells the vertices of each strong component.
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
                let Some(step) = self.adjacency().along(vertex).get(*next) else {
                    search.leave(vertex, &mut tell);
                    continue;
                };
                *next += 1;
                match search.found[step.to as usize] {
                    NONE => {
                        search.enter(step.to);
                        if (search.count as usize).is_multiple_of(OFTEN) {
                            progress.add(OFTEN as u64);
                            if progress.is_ended() {
                                return Err(Cancelled);
                            }
                        }
                    }
                    // Of a component that was told it is no longer known when it was found.
                    found => {
                        let low = &mut search.low[vertex as usize];
                        *low = (*low).min(found);
                    }
                }
            }
        }
        progress.finish(())
    }

    /// An order in which each vertex comes before those to which its edges lead, or else a circle. O(n + m).
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn order(&self, watch: &Watch<'_>) -> Result<Order, Cancelled> {
        let vertices = self.vertex_count();
        let progress = Progress::new(vertices as u64 + 1, watch);
        let before = |vertex| self.adjacency().against(vertex);
        let mut missing: Vec<u32> = (0..vertices as u32)
            .map(|vertex| before(vertex).len() as u32)
            .collect();
        let mut order: Vec<u32> = (0..vertices as u32)
            .filter(|&vertex| missing[vertex as usize] == 0)
            .collect();
        let mut next = 0;
        while let Some(&vertex) = order.get(next) {
            next += 1;
            for step in self.adjacency().along(vertex) {
                missing[step.to as usize] -= 1;
                if missing[step.to as usize] == 0 {
                    order.push(step.to);
                }
            }
            if next.is_multiple_of(OFTEN) {
                progress.add(OFTEN as u64);
                if progress.is_ended() {
                    return Err(Cancelled);
                }
            }
        }
        let rest = missing.iter().position(|&missing| missing > 0);
        let found = match rest {
            Some(start) => Order::Cycle(self.circle(start as u32, &missing)),
            None => Order::Acyclic(order.iter().map(|&place| self.number(place)).collect()),
        };
        progress.finish(found)
    }

    /// A circle among vertices each of which still misses one before it.
    fn circle(&self, start: u32, missing: &[u32]) -> Vec<u32> {
        let mut places = vec![NONE; missing.len()];
        let mut edges: Vec<u32> = Vec::new();
        let mut at = start;
        while places[at as usize] == NONE {
            places[at as usize] = edges.len() as u32;
            let mut before = self.adjacency().against(at).iter();
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

/// The root of a vertex, to which the way becomes shorter.
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
