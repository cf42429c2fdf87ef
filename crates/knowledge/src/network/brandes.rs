//! One search of Brandes' algorithm: the shortest paths from a vertex, counted.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::simple::Simple;
use super::weighted::Far;

/// How many paths there are.
pub(super) trait Count: Copy {
    const NONE: Self;
    const ONE: Self;

    fn add(&mut self, other: Self);

    /// Which part it is of another.
    fn part_of(self, all: Self) -> f64;

    /// Whether it is not too large to be known.
    fn fits(self) -> bool;
}

impl Count for f64 {
    const NONE: f64 = 0.0;
    const ONE: f64 = 1.0;

    fn add(&mut self, other: f64) {
        *self += other;
    }

    fn part_of(self, all: f64) -> f64 {
        self / all
    }

    fn fits(self) -> bool {
        self.is_finite()
    }
}

/// A count without limit: its part times 2^(512 exponent), where the part is below 2^512. The number of paths doubles
/// with each pair of ways around something, and overflows a plain number after a thousand of these.
#[derive(Clone, Copy)]
pub(super) struct Scaled {
    part: f64,
    exponent: i32,
}

/// 2^512.
const LARGE: f64 = f64::from_bits((1023 + 512) << 52);

impl Count for Scaled {
    const NONE: Scaled = Scaled {
        part: 0.0,
        exponent: 0,
    };
    const ONE: Scaled = Scaled {
        part: 1.0,
        exponent: 0,
    };

    fn add(&mut self, other: Scaled) {
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

    fn part_of(self, all: Scaled) -> f64 {
        self.part / all.part * LARGE.powi(self.exponent - all.exponent)
    }

    fn fits(self) -> bool {
        true
    }
}

/// The graph that is searched, with lengths of all steps if these count.
pub(super) struct Ways<'a> {
    pub(super) simple: &'a Simple,
    pub(super) lengths: Option<&'a [f64]>,
}

impl Ways<'_> {
    /// Where one comes from a vertex, and how long that is.
    fn steps(&self, vertex: u32) -> impl Iterator<Item = (u32, f64)> {
        let range = self.simple.range(vertex);
        let ends = self.simple.of(vertex).iter().copied();
        let length = move |place| self.lengths.map_or(1.0, |lengths| lengths[place]);
        ends.zip(range.map(length))
    }
}

#[derive(Clone, Copy)]
struct Vertex<C> {
    /// How far it is away; infinitely, if it was not found.
    far: f64,
    /// How many shortest paths there are to it.
    count: C,
    /// Which part of those to vertices behind it lead through it, summed.
    through: f64,
}

impl<C: Count> Vertex<C> {
    const UNKNOWN: Vertex<C> = Vertex {
        far: f64::INFINITY,
        count: C::NONE,
        through: 0.0,
    };
}

/// A search, for one vertex after the other.
pub(super) struct Search<C> {
    vertices: Vec<Vertex<C>>,
    /// Those that were found, the nearest first.
    order: Vec<u32>,
    heap: BinaryHeap<Reverse<(Far, u32)>>,
}

impl<C: Count> Search<C> {
    pub(super) fn new(vertices: usize) -> Search<C> {
        Search {
            vertices: vec![Vertex::UNKNOWN; vertices],
            order: Vec::new(),
            heap: BinaryHeap::new(),
        }
    }

    /// Tells for each vertex but the source what is the sum over all others of which part of the shortest paths from
    /// the source leads through it; false, and nothing is told, if there are more paths than can be counted.
    pub(super) fn run(
        &mut self,
        ways: &Ways<'_>,
        source: u32,
        mut tell: impl FnMut(u32, f64),
    ) -> bool {
        let first = &mut self.vertices[source as usize];
        (first.far, first.count) = (0.0, C::ONE);
        match ways.lengths {
            None => self.reach(ways, source),
            Some(_) => self.reach_by_lengths(ways, source),
        }
        let mut counts = self
            .order
            .iter()
            .map(|&vertex| self.vertices[vertex as usize].count);
        let fits = counts.all(C::fits);
        if fits {
            self.sum(ways);
            for &vertex in &self.order[1..] {
                tell(vertex, self.vertices[vertex as usize].through);
            }
        }
        for vertex in self.order.drain(..) {
            self.vertices[vertex as usize] = Vertex::UNKNOWN;
        }
        fits
    }

    fn reach(&mut self, ways: &Ways<'_>, source: u32) {
        self.order.push(source);
        let mut next = 0;
        while let Some(&vertex) = self.order.get(next) {
            next += 1;
            let Vertex { far, count, .. } = self.vertices[vertex as usize];
            let far = far + 1.0;
            for &end in ways.simple.of(vertex) {
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

    fn reach_by_lengths(&mut self, ways: &Ways<'_>, source: u32) {
        self.heap.push(Reverse((Far(0.0), source)));
        while let Some(Reverse((Far(far), vertex))) = self.heap.pop() {
            // Found once more on a longer way, or settled: what is settled is marked by having been counted through.
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
                    self.heap.push(Reverse((Far(other.far), end)));
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

    /// Sums, from the furthest back, which part of the paths leads through each.
    fn sum(&mut self, ways: &Ways<'_>) {
        for &vertex in self.order.iter().rev() {
            let Vertex { far, count, .. } = self.vertices[vertex as usize];
            let mut through = 0.0;
            for (end, length) in ways.steps(vertex) {
                let behind = &self.vertices[end as usize];
                // No way to it is longer than this one, if this one is a shortest.
                if behind.far >= far + length {
                    through += count.part_of(behind.count) * (1.0 + behind.through);
                }
            }
            self.vertices[vertex as usize].through = through;
        }
    }
}
