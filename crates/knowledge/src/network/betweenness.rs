//! How many shortest paths lead through vertices.
//!
//! Brandes' algorithm (A faster algorithm for betweenness centrality, 2001): a search from each vertex counts the
//! shortest paths to each other one, and then, from the furthest back, sums which part of them leads through each. Of
//! several edges between two vertices the shortest counts, once. From some vertices only, it is an estimate (Brandes
//! and Pich, Centrality estimation in large networks, 2007).

use super::brandes::{Scaled, Search, Ways};
use super::error::NetworkError;
use super::lanes::lanes;
use super::part::Part;
use super::scores::{Sample, Scores, left};
use crate::progress::{Progress, Watch};

/// The sums of a lane.
struct Lane {
    search: Search<f64>,
    sums: Vec<f64>,
    /// Sums of squares, if there is an error to tell.
    squares: Option<Vec<f64>>,
}

impl Part<'_> {
    /// For each vertex, of the shortest paths between each two others the part that leads through it, on average over
    /// all such pairs: from 0 to 1; as edges are followed. With weights these are the lengths of edges.
    ///
    /// O(n m), with weights O(n m log n); or from some vertices in that part of the time.
    ///
    /// # Errors
    /// [`NetworkError`]: weights of 0 and below, too few vertices from which it is searched, or
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
        let ways = Ways {
            simple: &graph,
            lengths: lengths.as_deref(),
        };
        let vertices = self.vertex_count();
        let progress = Progress::new(pivots.len() as u64, watch);
        let lane = lanes(
            pivots.len(),
            vertices,
            || Lane::new(vertices, is_exact),
            |lane, job| {
                lane.add(&ways, pivots[job]);
                progress.add(1);
                !progress.is_ended()
            },
            |all, lane| all.join(&lane),
        );
        Ok(progress.finish(lane.scores(pivots.len()))?)
    }

    /// Refuses lengths of 0 and below: with them there may be shortest paths without end.
    fn check_lengths(&self) -> Result<(), NetworkError> {
        let vertices = 0..self.vertex_count() as u32;
        let steps = vertices.flat_map(|vertex| self.adjacency().along(vertex));
        let edges = steps.map(|step| step.edge);
        match edges.filter(|&edge| self.network.weight(edge) <= 0.0).min() {
            Some(edge) => Err(self
                .network
                .refused(edge, "betweenness by weights", "above 0")),
            None => Ok(()),
        }
    }
}

impl Lane {
    fn new(vertices: usize, is_exact: bool) -> Lane {
        Lane {
            search: Search::new(vertices),
            sums: vec![0.0; vertices],
            squares: (!is_exact).then(|| vec![0.0; vertices]),
        }
    }

    fn add(&mut self, ways: &Ways<'_>, pivot: u32) {
        let (sums, squares) = (&mut self.sums, &mut self.squares);
        let mut take = |vertex: u32, one: f64| {
            sums[vertex as usize] += one;
            if let Some(squares) = squares {
                squares[vertex as usize] += one * one;
            }
        };
        if !self.search.run(ways, pivot, &mut take) {
            Search::<Scaled>::new(ways.simple.vertices()).run(ways, pivot, take);
        }
    }

    fn join(&mut self, other: &Lane) {
        add(&mut self.sums, &other.sums);
        if let (Some(all), Some(one)) = (&mut self.squares, &other.squares) {
            add(all, one);
        }
    }

    /// What so many searches say of all.
    fn scores(self, searches: usize) -> Scores {
        let (vertices, searches) = (self.sums.len() as f64, searches as f64);
        // Each vertex lies between so many pairs of others.
        let pairs = (vertices - 1.0) * (vertices - 2.0);
        let of = |sum: f64| if vertices > 2.0 { sum / pairs } else { 0.0 };
        let error = |(&sum, &square): (&f64, &f64)| {
            let variance = (square - sum * sum / searches).max(0.0) / (searches - 1.0);
            let error = (variance / searches * left(searches, vertices)).sqrt();
            of(error * vertices)
        };
        let squares = self.squares.as_ref();
        let errors = squares.map(|squares| self.sums.iter().zip(squares).map(error).collect());
        let all = vertices / searches;
        Scores {
            values: self.sums.iter().map(|&sum| of(sum * all)).collect(),
            errors,
        }
    }
}

fn add(all: &mut [f64], one: &[f64]) {
    for (all, one) in all.iter_mut().zip(one) {
        *all += one;
    }
}
