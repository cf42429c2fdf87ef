//! Eigenvector centrality by power iteration.

use super::adjacency::reversed;
use super::error::NetworkError;
use super::scores::Scores;
use super::subgraph::Subgraph;
use crate::progress::{Progress, Watch};

/// Mean change per vertex below which the iteration has converged.
const GOOD: f64 = 1e-15;
/// Minimum and maximum limit of the number of iterations.
const STEPS: [u64; 2] = [100, 10_000];
/// Limit of the work between these: about ten seconds.
const WORK: u64 = 1_000_000_000;

/// The principal eigenvector, as far as it converged.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Eigenvector {
    /// Score of each vertex; the sum of squares is 1.
    pub scores: Scores,
    /// L1 change of the last iteration. A value far above 1e-9 means that the iteration did not converge, because the
    /// graph is disconnected or has a small spectral gap.
    pub change: f64,
}

impl Subgraph<'_> {
    /// Returns the eigenvector centrality of each vertex: proportional to the sum of those of its predecessors
    /// (Bonacich, Power and centrality, 1987), by weight or by 1 per edge, along the direction of edges.
    ///
    /// Power iteration on the weighted adjacency matrix plus the identity, which has the same eigenvectors and does not
    /// oscillate: O(n + m) per iteration, at most 10,000 of them, and fewer for very large graphs.
    ///
    /// # Errors
    /// [`NetworkError::Weight`] below 0, or [`Cancelled`](NetworkError::Cancelled).
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
            let changes = now.iter().zip(&next).map(|(old, new)| (old - new).abs());
            change = changes.sum();
            now = next;
            progress.advance(1)?;
            if change <= GOOD * vertices as f64 {
                break;
            }
        }
        let scores = Scores::exact(now);
        Ok(progress.finish(Eigenvector { scores, change })?)
    }
}
