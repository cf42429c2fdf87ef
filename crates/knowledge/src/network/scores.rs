//! Numbers that say how important vertices are, and how well they are known.

use super::error::NetworkError;
use super::part::Part;
use super::random::Random;

/// A number for each vertex, in the order of [`Part::vertices`].
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// The numbers.
    pub values: Vec<f64>,
    /// The standard error of each, if they are estimates.
    pub errors: Option<Vec<f64>>,
}

/// From how many vertices searches are made, if not from all: then what is found is an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// How many vertices; from all, if there are no more.
    pub pivots: usize,
    /// What chooses them: the same for the same seed.
    pub seed: u64,
}

/// A vertex with its number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// The number of the vertex in the network.
    pub vertex: u32,
    /// How important it is.
    pub score: f64,
    /// The standard error of that, if it is an estimate.
    pub error: Option<f64>,
}

impl Part<'_> {
    /// The vertices with the highest scores, and those with the same score in their order: so many of them, behind
    /// others.
    pub fn ranked(&self, scores: &Scores, offset: usize, limit: usize) -> Vec<Ranked> {
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
        let told = order.into_iter().skip(offset).map(|place| Ranked {
            vertex: self.number(place),
            score: values[place as usize],
            error: scores.errors.as_ref().map(|errors| errors[place as usize]),
        });
        told.collect()
    }

    /// The vertices from which searches are made, and whether these are all.
    pub(super) fn pivots(&self, sample: Option<Sample>) -> Result<(Vec<u32>, bool), NetworkError> {
        let vertices = self.vertex_count();
        match sample {
            Some(Sample { pivots, .. }) if pivots < 2 => Err(NetworkError::Invalid {
                what: "the number of vertices from which it is searched",
                given: pivots.to_string(),
                needed: "at least 2, so that the error can be told".to_owned(),
            }),
            Some(Sample { pivots, seed }) if pivots < vertices => {
                let mut random = Random::new(seed);
                Ok((random.sample(pivots as u32, vertices as u32), false))
            }
            Some(_) | None => Ok(((0..vertices as u32).collect(), true)),
        }
    }
}

/// The part of a variance that is left if so many of all were looked at, and none twice.
pub(super) fn left(looked_at: f64, all: f64) -> f64 {
    (1.0 - looked_at / all).max(0.0)
}
