//! Betweenness centrality.
//!
//! Brandes' algorithm (A faster algorithm for betweenness centrality, 2001): a search from each vertex counts the
//! shortest paths to all others and then accumulates dependencies in order of decreasing distance. Of parallel edges
//! only the shortest counts. From a sample of vertices it is an estimate (Brandes and Pich, Centrality estimation in
//! large networks, 2007).

use super::brandes::{BrandesSearch, ScaledCount, SearchGraph};
use super::error::NetworkError;
use super::reduction::{add_all, reduce_in_order};
use super::scores::{Sample, Scores, standard_error};
use super::subgraph::Subgraph;
use crate::progress::{Progress, Watch};

/// Sums of the searches of one thread.
struct Accumulator {
    search: BrandesSearch<f64>,
    sums: Vec<f64>,
    /// Sums of squares, for the standard errors of a sample.
    squares: Option<Vec<f64>>,
}

impl Subgraph<'_> {
    /// Returns the betweenness of each vertex: the share of the shortest paths between two others that pass through it,
    /// averaged over all ordered pairs; from 0 to 1, along the direction of edges. With weights, these are the lengths
    /// of edges.
    ///
    /// O(n m), with weights O(n m log n); proportionally less with a sample.
    ///
    /// # Errors
    /// [`NetworkError`]: weights that are not positive, a sample that is too small, or
    /// [`Cancelled`](crate::progress::Cancelled).
    pub fn betweenness(
        &self,
        weighted: bool,
        sample: Option<Sample>,
        watch: &Watch<'_>,
    ) -> Result<Scores, NetworkError> {
        let (pivots, is_exact) = self.pivots(sample)?;
        if weighted {
            self.check_lengths()?;
        }
        let graph = self.simple();
        let lengths = weighted.then(|| {
            let weight = self.weight(true);
            graph.weights(self.adjacency(), self.direction, weight, f64::min)
        });
        let ways = SearchGraph {
            simple: &graph,
            lengths: lengths.as_deref(),
        };
        let vertices = self.vertex_count();
        let progress = Progress::new(pivots.len() as u64, watch);
        let lane = reduce_in_order(
            pivots.len(),
            vertices,
            || Accumulator::new(vertices, is_exact),
            |lane, job| {
                lane.add(&ways, pivots[job]);
                progress.add(1);
                !progress.is_ended()
            },
            |all, lane| all.merge(&lane),
        );
        Ok(progress.finish(lane.scores(pivots.len()))?)
    }

    /// Rejects lengths that are not positive: with them the number of shortest paths may be infinite.
    fn check_lengths(&self) -> Result<(), NetworkError> {
        let vertices = 0..self.vertex_count() as u32;
        let steps = vertices.flat_map(|vertex| self.adjacency().outgoing(vertex));
        let edges = steps.map(|step| step.edge);
        match edges.filter(|&edge| self.network.weight(edge) <= 0.0).min() {
            Some(edge) => Err(self
                .network
                .refused(edge, "betweenness by weights", "above 0")),
            None => Ok(()),
        }
    }
}

impl Accumulator {
    fn new(vertices: usize, is_exact: bool) -> Accumulator {
        Accumulator {
            search: BrandesSearch::new(vertices),
            sums: vec![0.0; vertices],
            squares: (!is_exact).then(|| vec![0.0; vertices]),
        }
    }

    fn add(&mut self, ways: &SearchGraph<'_>, pivot: u32) {
        let (sums, squares) = (&mut self.sums, &mut self.squares);
        let mut take = |vertex: u32, one: f64| {
            sums[vertex as usize] += one;
            if let Some(squares) = squares {
                squares[vertex as usize] += one * one;
            }
        };
        if !self.search.run(ways, pivot, &mut take) {
            BrandesSearch::<ScaledCount>::new(ways.simple.vertices()).run(ways, pivot, take);
        }
    }

    fn merge(&mut self, other: &Accumulator) {
        add_all(&mut self.sums, &other.sums);
        if let (Some(all), Some(one)) = (&mut self.squares, &other.squares) {
            add_all(all, one);
        }
    }

    /// Scales the sums of `searches` searches to the whole graph.
    fn scores(self, searches: usize) -> Scores {
        let (vertices, searches) = (self.sums.len() as f64, searches as f64);
        // Number of ordered pairs of other vertices.
        let pairs = (vertices - 1.0) * (vertices - 2.0);
        let of = |sum: f64| if vertices > 2.0 { sum / pairs } else { 0.0 };
        let error = |(&sum, &square): (&f64, &f64)| {
            let variance = (square - sum * sum / searches).max(0.0) / (searches - 1.0);
            of(standard_error(variance / searches, searches, vertices) * vertices)
        };
        let squares = self.squares.as_ref();
        let errors = squares.map(|squares| self.sums.iter().zip(squares).map(error).collect());
        let all = vertices / searches;
        let values = self.sums.iter().map(|&sum| of(sum * all)).collect();
        Scores { values, errors }
    }
}
