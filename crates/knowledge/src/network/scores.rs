//! Scores of vertices, samples of sources, and rankings.

use super::error::NetworkError;
use super::random::Random;
use super::subgraph::Subgraph;

/// A score for each vertex, in the order of [`Subgraph::vertices`].
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// The scores.
    pub values: Vec<f64>,
    /// Standard errors, if the scores are estimates.
    pub errors: Option<Vec<f64>>,
}

impl Scores {
    /// Scores that are no estimates.
    pub(super) fn exact(values: Vec<f64>) -> Scores {
        let errors = None;
        Scores { values, errors }
    }
}
/// Sample of the vertices from which searches start; scores become estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Number of sources; all vertices if there are no more.
    pub pivots: usize,
    /// Seed of the sample.
    pub seed: u64,
}

/// A vertex with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RankedVertex {
    /// Number of the vertex in the network.
    pub vertex: u32,
    /// Its score.
    pub score: f64,
    /// Standard error, if the score is an estimate.
    pub error: Option<f64>,
}

impl Subgraph<'_> {
    /// Returns the vertices in descending order of score, ties in their order: `limit` of them after the first
    /// `offset`. O(n + k log k) for k = offset + limit.
    pub fn ranked(&self, scores: &Scores, offset: usize, limit: usize) -> Vec<RankedVertex> {
        let values = &scores.values;
        let by = |&one: &u32, &other: &u32| {
            let higher = values[other as usize].total_cmp(&values[one as usize]);
            higher.then(one.cmp(&other))
        };
        let mut order: Vec<u32> = (0..values.len() as u32).collect();
        let end = offset.saturating_add(limit);
        if end < order.len() {
            order.select_nth_unstable_by(end, by);
            order.truncate(end);
        }
        order.sort_unstable_by(by);
        let told = order.into_iter().skip(offset).map(|place| RankedVertex {
            vertex: self.number(place),
            score: values[place as usize],
            error: scores.errors.as_ref().map(|errors| errors[place as usize]),
        });
        told.collect()
    }

    /// Returns the sources of searches, and true if these are all vertices.
    pub(super) fn pivots(&self, sample: Option<Sample>) -> Result<(Vec<u32>, bool), NetworkError> {
        let vertices = self.vertex_count();
        match sample {
            Some(Sample { pivots, .. }) if pivots < 2 => {
                let what = "the number of sampled source vertices";
                let needed = "at least 2, so that the error can be estimated";
                Err(NetworkError::invalid(what, &pivots, needed))
            }
            Some(Sample { pivots, seed }) if pivots < vertices => {
                let mut random = Random::new(seed);
                Ok((random.sample(pivots as u32, vertices as u32), false))
            }
            Some(_) | None => Ok(((0..vertices as u32).collect(), true)),
        }
    }
}

/// Standard error of a mean with a variance, from a sample of `count` of `all` items drawn without replacement (finite
/// population correction).
pub(super) fn standard_error(variance: f64, count: f64, all: f64) -> f64 {
    (variance * (1.0 - count / all).max(0.0)).sqrt()
}
