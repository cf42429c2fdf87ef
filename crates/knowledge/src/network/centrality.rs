//! Degree, closeness and harmonic centrality.

use super::adjacency::reversed;
use super::error::NetworkError;
use super::multi_source_bfs::{BATCH, MultiSourceBfs};
use super::reduction::{add_all, reduce_in_order};
use super::scores::{Sample, Scores, standard_error};
use super::subgraph::Subgraph;
use crate::progress::{Cancelled, Progress, Watch};

/// Centralities by distance.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Closeness {
    /// Closeness: the share of the other vertices that can be reached from a vertex, divided by their mean distance
    /// (Wasserman and Faust, Social network analysis, 1994): from 0 to 1.
    pub closeness: Scores,
    /// Harmonic centrality: the sum of 1 / distance to all other vertices (Marchiori and Latora, Harmony in the
    /// small-world, 2000).
    pub harmonic: Scores,
}

/// Sums over the searches that reached each vertex: number, distances, inverse distances and their squares.
struct Sums {
    count: Vec<u32>,
    far: Vec<u64>,
    far_squared: Vec<f64>,
    near: Vec<f64>,
    near_squared: Vec<f64>,
}

impl Subgraph<'_> {
    /// Returns the degree centrality of each vertex: its degree in the direction of the filter, divided by the number
    /// of other vertices; a self-loop counts twice.
    pub fn degree(&self) -> Scores {
        let vertices = self.vertex_count();
        let others = vertices.saturating_sub(1) as f64;
        let one = |vertex| match vertices {
            1 => 1.0,
            _ => self.adjacency().degree(vertex, self.direction) as f64 / others,
        };
        Scores::exact((0..vertices as u32).map(one).collect())
    }

    /// Returns the closeness and the harmonic centrality of each vertex, by number of edges in the direction of the
    /// filter: outgoing ones lead from the vertex to the others, incoming ones from the others to the vertex (as in
    /// networkx). O(n m / 64) if the searches of a batch share their edges, up to O(n m) if not; proportionally less
    /// with a sample.
    ///
    /// # Errors
    /// [`NetworkError::Invalid`] if the sample is too small, or [`Cancelled`].
    pub fn closeness(
        &self,
        sample: Option<Sample>,
        watch: &Watch<'_>,
    ) -> Result<Closeness, NetworkError> {
        let (pivots, is_exact) = self.pivots(sample)?;
        // The searches start at the other vertices, and so follow the edges backwards.
        let graph = self.simple_along(reversed(self.direction));
        let vertices = self.vertex_count();
        let batches: Vec<&[u32]> = pivots.chunks(BATCH).collect();
        let progress = Progress::new(batches.len() as u64, watch);
        let search = |(waves, sums): &mut (MultiSourceBfs<'_>, Sums), batch: usize| {
            let add = |distance, vertex, bits: u64| sums.add(vertex, distance, bits.count_ones());
            let spread = waves.run(batches[batch], u64::MAX, &progress, add);
            progress.add(1);
            spread.is_ok() && !progress.is_ended()
        };
        let (_, sums) = reduce_in_order(
            batches.len(),
            vertices,
            || (MultiSourceBfs::new(&graph), Sums::new(vertices)),
            search,
            |(_, all), (_, sums)| all.join(&sums),
        );
        if progress.is_ended() {
            return Err(Cancelled.into());
        }
        let mut looked_at = vec![pivots.len() as f64; vertices];
        for &pivot in &pivots {
            looked_at[pivot as usize] -= 1.0;
        }
        let others = vertices.saturating_sub(1) as f64;
        let scores = |of: &dyn Fn(usize, f64) -> (f64, f64)| {
            let both = (0..vertices).map(|vertex| of(vertex, looked_at[vertex]));
            let (values, errors): (_, Vec<f64>) = both.unzip();
            let errors = (!is_exact).then_some(errors);
            Scores { values, errors }
        };
        Ok(Closeness {
            closeness: scores(&|vertex, count| sums.closeness(vertex, count, others)),
            harmonic: scores(&|vertex, count| sums.harmonic(vertex, count, others)),
        })
    }
}

impl Sums {
    fn new(vertices: usize) -> Sums {
        let none = vec![0.0; vertices];
        Sums {
            count: vec![0; vertices],
            far: vec![0; vertices],
            far_squared: none.clone(),
            near: none.clone(),
            near_squared: none,
        }
    }

    fn add(&mut self, vertex: u32, distance: u32, count: u32) {
        let vertex = vertex as usize;
        let (far, times) = (f64::from(distance), f64::from(count));
        self.count[vertex] += count;
        self.far[vertex] += u64::from(distance) * u64::from(count);
        self.far_squared[vertex] += far * far * times;
        self.near[vertex] += times / far;
        self.near_squared[vertex] += times / (far * far);
    }

    fn join(&mut self, other: &Sums) {
        add_all(&mut self.count, &other.count);
        add_all(&mut self.far, &other.far);
        add_all(&mut self.far_squared, &other.far_squared);
        add_all(&mut self.near, &other.near);
        add_all(&mut self.near_squared, &other.near_squared);
    }

    /// Returns the closeness of a vertex and its standard error, from searches from `count` of `others` vertices.
    ///
    /// It is a² / b, where a is the share of the searches that reached it, and b the sum of their distances divided by
    /// the number of all searches. The error is that of a function of two means, to first order (delta method).
    fn closeness(&self, vertex: usize, count: f64, others: f64) -> (f64, f64) {
        let (came, far) = (f64::from(self.count[vertex]), self.far[vertex] as f64);
        if came == 0.0 {
            return (0.0, 0.0);
        }
        let (a, b) = (came / count, far / count);
        // Variances and the covariance of one search.
        let var_a = a * (1.0 - a);
        let var_b = self.far_squared[vertex] / count - b * b;
        let both = b * (1.0 - a);
        let (by_a, by_b) = (2.0 * a / b, a * a / (b * b));
        let variance = by_a * by_a * var_a + by_b * by_b * var_b - 2.0 * by_a * by_b * both;
        let error = standard_error(variance.max(0.0) / (count - 1.0), count, others);
        (a * a / b, error)
    }

    /// Returns the harmonic centrality of a vertex and its standard error.
    fn harmonic(&self, vertex: usize, count: f64, others: f64) -> (f64, f64) {
        if self.count[vertex] == 0 {
            return (0.0, 0.0);
        }
        let mean = self.near[vertex] / count;
        let variance = self.near_squared[vertex] / count - mean * mean;
        let error = standard_error(variance.max(0.0) / (count - 1.0), count, others);
        (mean * others, error * others)
    }
}
