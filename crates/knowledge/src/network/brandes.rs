//! Single-source shortest-path counting and dependency accumulation of Brandes' algorithm.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::dijkstra::Distance;
use super::simple_graph::SimpleGraph;

/// Number of shortest paths.
pub(super) trait PathCount: Copy {
    const ZERO: Self;
    const ONE: Self;

    fn add(&mut self, other: Self);

    /// Quotient of two counts.
    fn ratio(self, all: Self) -> f64;

    /// True if it did not overflow.
    fn is_finite_count(self) -> bool;
}

impl PathCount for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;

    fn add(&mut self, other: f64) {
        *self += other;
    }

    fn ratio(self, all: f64) -> f64 {
        self / all
    }

    fn is_finite_count(self) -> bool {
        self.is_finite()
    }
}

/// A count without overflow: `part` * 2^(512 `exponent`), where the part is below 2^512. The number of paths doubles
/// with every diamond on the way, and exceeds `f64` after a thousand of them.
#[derive(Clone, Copy)]
pub(super) struct ScaledCount {
    part: f64,
    exponent: i32,
}

/// 2^512.
const LARGE: f64 = f64::from_bits((1023 + 512) << 52);

impl PathCount for ScaledCount {
    const ZERO: ScaledCount = ScaledCount {
        part: 0.0,
        exponent: 0,
    };
    const ONE: ScaledCount = ScaledCount {
        part: 1.0,
        exponent: 0,
    };

    fn add(&mut self, other: ScaledCount) {
        let (mut large, small) = if self.exponent >= other.exponent {
            (*self, other)
        } else {
            (other, *self)
        };
        large.part += small.part * LARGE.powi(small.exponent - large.exponent);
        if large.part >= LARGE {
            large.part /= LARGE;
            large.exponent += 1;
        }
        *self = large;
    }

    fn ratio(self, all: ScaledCount) -> f64 {
        self.part / all.part * LARGE.powi(self.exponent - all.exponent)
    }

    fn is_finite_count(self) -> bool {
        true
    }
}

/// The graph that is searched, with the length of each edge if lengths count.
pub(super) struct SearchGraph<'a> {
    pub(super) simple: &'a SimpleGraph,
    pub(super) lengths: Option<&'a [f64]>,
}

impl SearchGraph<'_> {
    /// Returns the neighbours of a vertex with the lengths of the edges to them.
    fn steps(&self, vertex: u32) -> impl Iterator<Item = (u32, f64)> {
        let range = self.simple.range(vertex);
        let ends = self.simple.neighbours(vertex).iter().copied();
        let length = move |place| self.lengths.map_or(1.0, |lengths| lengths[place]);
        ends.zip(range.map(length))
    }
}

#[derive(Clone, Copy)]
struct Vertex<C> {
    /// Distance from the source; infinite if it was not reached.
    far: f64,
    /// Number of shortest paths from the source.
    count: C,
    /// Dependency of the source on the vertex.
    through: f64,
}

impl<C: PathCount> Vertex<C> {
    const UNKNOWN: Vertex<C> = Vertex {
        far: f64::INFINITY,
        count: C::ZERO,
        through: 0.0,
    };
}

/// Working memory of searches, one after another.
pub(super) struct BrandesSearch<C> {
    vertices: Vec<Vertex<C>>,
    /// Reached vertices in order of distance.
    order: Vec<u32>,
    heap: BinaryHeap<Reverse<(Distance, u32)>>,
}

impl<C: PathCount> BrandesSearch<C> {
    pub(super) fn new(vertices: usize) -> BrandesSearch<C> {
        BrandesSearch {
            vertices: vec![Vertex::UNKNOWN; vertices],
            order: Vec::new(),
            heap: BinaryHeap::new(),
        }
    }

    /// Calls `visit` with the dependency of the source on each vertex: the sum over all targets of the share of
    /// shortest paths that pass through it. Returns false, without a call, if the number of paths overflows.
    pub(super) fn run(
        &mut self,
        ways: &SearchGraph<'_>,
        source: u32,
        mut visit: impl FnMut(u32, f64),
    ) -> bool {
        let first = &mut self.vertices[source as usize];
        (first.far, first.count) = (0.0, C::ONE);
        match ways.lengths {
            None => self.count_paths(ways, source),
            Some(_) => self.count_paths_weighted(ways, source),
        }
        let count = |&vertex: &u32| self.vertices[vertex as usize].count;
        let fits = self.order.iter().map(count).all(C::is_finite_count);
        if fits {
            self.accumulate(ways);
            for &vertex in &self.order[1..] {
                visit(vertex, self.vertices[vertex as usize].through);
            }
        }
        for vertex in self.order.drain(..) {
            self.vertices[vertex as usize] = Vertex::UNKNOWN;
        }
        fits
    }

    fn count_paths(&mut self, ways: &SearchGraph<'_>, source: u32) {
        self.order.push(source);
        let mut next = 0;
        while let Some(&vertex) = self.order.get(next) {
            next += 1;
            let Vertex { far, count, .. } = self.vertices[vertex as usize];
            let far = far + 1.0;
            for &end in ways.simple.neighbours(vertex) {
                let other = &mut self.vertices[end as usize];
                if other.far > far {
                    other.far = far;
                    self.order.push(end);
                }
                if other.far >= far {
                    other.count.add(count);
                }
            }
        }
    }

    fn count_paths_weighted(&mut self, ways: &SearchGraph<'_>, source: u32) {
        self.heap.push(Reverse((Distance(0.0), source)));
        while let Some(Reverse((Distance(far), vertex))) = self.heap.pop() {
            // A stale entry of the heap, or a settled vertex, which is marked by `through`.
            let own = &mut self.vertices[vertex as usize];
            if own.far < far || own.through > 0.0 {
                continue;
            }
            own.through = 1.0;
            self.order.push(vertex);
            for (end, length) in ways.steps(vertex) {
                let other = &mut self.vertices[end as usize];
                if far + length < other.far {
                    other.far = far + length;
                    self.heap.push(Reverse((Distance(other.far), end)));
                }
            }
        }
        for place in 0..self.order.len() {
            let vertex = self.order[place];
            let own = &mut self.vertices[vertex as usize];
            own.through = 0.0;
            let (far, count) = (own.far, own.count);
            for (end, length) in ways.steps(vertex) {
                let other = &mut self.vertices[end as usize];
                if other.far >= far + length {
                    other.count.add(count);
                }
            }
        }
    }

    /// Accumulates dependencies in order of decreasing distance.
    fn accumulate(&mut self, ways: &SearchGraph<'_>) {
        for &vertex in self.order.iter().rev() {
            let Vertex { far, count, .. } = self.vertices[vertex as usize];
            let mut through = 0.0;
            for (end, length) in ways.steps(vertex) {
                let behind = &self.vertices[end as usize];
                // True for the edges on shortest paths, as no shortest path is longer.
                if behind.far >= far + length {
                    through += count.ratio(behind.count) * (1.0 + behind.through);
                }
            }
            self.vertices[vertex as usize].through = through;
        }
    }
}
