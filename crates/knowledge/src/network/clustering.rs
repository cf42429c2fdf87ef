//! Clustering coefficients, transitivity and triangles.
//!
//! Each triangle is found at its vertex of least degree (Latapy, Main-memory triangle computations for very large
//! (sparse (power-law)) graphs, 2008), in O(m^1.5).

use std::cmp::Ordering;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::subgraph::Subgraph;
use crate::progress::{Cancelled, Progress, Watch};

/// Number of vertices per parallel job.
const PIECE: usize = 256;

/// Clustering of the undirected graph without parallel edges.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Clustering {
    /// Local clustering coefficient of each vertex: the share of pairs of its neighbours that are adjacent; 0 if it has
    /// fewer than two (Watts and Strogatz, Collective dynamics of 'small-world' networks, 1998).
    pub coefficients: Vec<f64>,
    /// Mean of the coefficients.
    pub average: f64,
    /// Share of all pairs of neighbours of one vertex that are adjacent.
    pub transitivity: f64,
    /// Number of triangles.
    pub triangles: u64,
}

impl Subgraph<'_> {
    /// Returns the clustering coefficients of all vertices.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn clustering(&self, watch: &Watch<'_>) -> Result<Clustering, Cancelled> {
        let simple = self.adjacency().simple();
        let vertices = simple.vertices();
        let rank = |vertex: u32| (simple.degree(vertex), vertex);
        let higher = |vertex: u32| {
            let all = simple.neighbours(vertex).iter().copied();
            all.filter(move |&other| rank(other) > rank(vertex))
        };
        let mut starts = vec![0];
        for vertex in 0..vertices as u32 {
            starts.push(starts[vertex as usize] + higher(vertex).count());
        }
        let ends: Vec<u32> = (0..vertices as u32).flat_map(higher).collect();
        let of = |vertex: u32| &ends[starts[vertex as usize]..starts[vertex as usize + 1]];
        // Sums of integers do not depend on their order.
        let at: Vec<AtomicU64> = (0..vertices).map(|_| AtomicU64::new(0)).collect();
        let progress = Progress::new(vertices as u64, watch);
        let pieces = (0..vertices).step_by(PIECE).collect::<Vec<_>>();
        pieces.into_par_iter().for_each(|first| {
            let piece = first..(first + PIECE).min(vertices);
            if progress.is_ended() {
                return;
            }
            for vertex in piece.clone() {
                let own = of(vertex as u32);
                for &other in own {
                    for third in common(own, of(other)) {
                        for corner in [vertex as u32, other, third] {
                            at[corner as usize].fetch_add(1, Relaxed);
                        }
                    }
                }
            }
            progress.add(piece.len() as u64);
        });
        let at: Vec<u64> = at.into_iter().map(AtomicU64::into_inner).collect();
        let pairs = |vertex: usize| {
            let degree = simple.degree(vertex as u32) as f64;
            degree * (degree - 1.0) / 2.0
        };
        // A vertex without triangles may have no pairs.
        let part = |(vertex, &corners): (usize, &u64)| corners as f64 / pairs(vertex).max(1.0);
        let of: Vec<f64> = at.iter().enumerate().map(part).collect();
        let corners: u64 = at.iter().sum();
        let all_pairs: f64 = (0..vertices).map(pairs).sum();
        progress.finish(Clustering {
            average: of.iter().sum::<f64>() / vertices.max(1) as f64,
            transitivity: corners as f64 / all_pairs.max(1.0),
            triangles: corners / 3,
            coefficients: of,
        })
    }
}

/// Intersection of two sorted lists.
fn common<'a>(mut one: &'a [u32], mut other: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
    std::iter::from_fn(move || {
        while let ([first, rest @ ..], [second, others @ ..]) = (one, other) {
            match first.cmp(second) {
                Ordering::Less => one = rest,
                Ordering::Greater => other = others,
                Ordering::Equal => {
                    (one, other) = (rest, others);
                    return Some(*first);
                }
            }
        }
        None
    })
}
