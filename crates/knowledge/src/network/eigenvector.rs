//! Centrality as that of the neighbours: the main eigenvector of the weights.

use super::adjacency::reversed;
use super::error::NetworkError;
use super::part::Part;
use super::scores::Scores;
use crate::progress::{Cancelled, Progress, Watch};

/// It is good enough once a step changes each vertex by less than this on average.
const GOOD: f64 = 1e-15;
/// The most steps, and the fewest that are made if it does not come to rest.
const STEPS: [u64; 2] = [100, 10_000];
/// How much work steps between these may be: ten seconds.
const WORK: u64 = 1_000_000_000;

/// The main eigenvector, as far as it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Eigenvector {
    /// For each vertex; the sum of the squares is 1.
    pub scores: Scores,
    /// By how much the last step changed all together. What is much above 1e-9 says that the search was given up, since
    /// the network has parts, or is drawn out so long, that it does not come to rest.
    pub change: f64,
}

impl Part<'_> {
    /// How important vertices are if each is as important as those from which its edges come are together (Bonacich,
    /// Power and centrality, 1987), each edge by its weight or by 1; as edges are followed.
    ///
    /// Power iteration on the matrix of weights with 1 added on the diagonal, which has the same eigenvectors and does
    /// not swing: O(n + m) for a step, of which at most 10,000 are made, and fewer of very large networks.
    ///
    /// # Errors
    /// [`NetworkError::Weight`] below 0, or [`Cancelled`].
    pub fn eigenvector(
        &self,
        weighted: bool,
        watch: &Watch<'_>,
    ) -> Result<Eigenvector, NetworkError> {
        if weighted {
            self.check_weights("the eigenvector centrality by weights")?;
        }
        let vertices = self.vertex_count();
        let work = 1 + vertices as u64 + 2 * self.edge_count() as u64;
        let steps = (WORK / work).clamp(STEPS[0], STEPS[1]);
        let progress = Progress::new(steps + 1, watch);
        let (adjacency, weight) = (self.adjacency(), self.weight(weighted));
        let back = reversed(self.direction);
        let mut now = vec![(vertices as f64).sqrt().recip(); vertices];
        let mut change = 0.0;
        for _ in 0..steps {
            let next = (0..vertices as u32).map(|vertex| {
                let steps = adjacency.steps_once(vertex, back);
                let others = steps.map(|step| now[step.to as usize] * weight(step.edge));
                now[vertex as usize] + others.sum::<f64>()
            });
            let mut next: Vec<f64> = next.collect();
            let length = next.iter().map(|one| one * one).sum::<f64>().sqrt();
            for one in &mut next {
                *one /= length;
            }
            change = now
                .iter()
                .zip(&next)
                .map(|(old, new)| (old - new).abs())
                .sum();
            now = next;
            progress.add(1);
            if progress.is_ended() {
                return Err(Cancelled.into());
            }
            if change <= GOOD * vertices as f64 {
                break;
            }
        }
        let scores = Scores {
            values: now,
            errors: None,
        };
        Ok(progress.finish(Eigenvector { scores, change })?)
    }
}
