//! Multi-source breadth-first search (MS-BFS).
//!
//! 64 searches run at once, one per bit of a word per vertex, so that an edge is traversed once for all searches that
//! reach it at the same distance (Then et al., The more the merrier: efficient multi-source graph traversal, 2014).

use super::simple_graph::SimpleGraph;
use crate::progress::{Cancelled, Progress};

/// Number of searches at once.
pub(super) const BATCH: usize = 64;
/// Number of steps between two checks for cancellation.
const CHECK_INTERVAL: u64 = 1 << 20;

/// Working memory of searches of one graph, one batch after another.
pub(super) struct MultiSourceBfs<'a> {
    simple: &'a SimpleGraph,
    /// Searches that have visited each vertex.
    seen: Vec<u64>,
    /// Searches that reach each vertex first at the current distance, and at the next.
    now: Vec<u64>,
    next: Vec<u64>,
}

impl<'a> MultiSourceBfs<'a> {
    pub(super) fn new(simple: &'a SimpleGraph) -> MultiSourceBfs<'a> {
        let none = vec![0; simple.vertices()];
        MultiSourceBfs {
            simple,
            seen: none.clone(),
            now: none.clone(),
            next: none,
        }
    }

    /// Searches from at most 64 distinct sources. Calls `visit` for each distance above 0 with the vertices reached
    /// first at it, and the bits of the searches; returns the number of edges traversed. It stops when these exceed
    /// `most`, after which it must not be used again.
    pub(super) fn run(
        &mut self,
        sources: &[u32],
        most: u64,
        progress: &Progress<'_>,
        mut visit: impl FnMut(u32, u32, u64),
    ) -> Result<u64, Cancelled> {
        self.seen.fill(0);
        let mut here = sources.to_vec();
        for (bit, &source) in sources.iter().enumerate() {
            self.seen[source as usize] |= 1 << bit;
            self.now[source as usize] |= 1 << bit;
        }
        let (mut steps, mut asked) = (0, 0);
        let mut there: Vec<u32> = Vec::new();
        for distance in 1.. {
            for &vertex in &here {
                let bits = std::mem::take(&mut self.now[vertex as usize]);
                let neighbours = self.simple.neighbours(vertex);
                steps += neighbours.len() as u64;
                for &other in neighbours {
                    let new = bits & !self.seen[other as usize];
                    let next = &mut self.next[other as usize];
                    if *next == 0 && new != 0 {
                        there.push(other);
                    }
                    *next |= new;
                }
            }
            if there.is_empty() || steps > most {
                break;
            }
            for &vertex in &there {
                let new = std::mem::take(&mut self.next[vertex as usize]);
                self.seen[vertex as usize] |= new;
                self.now[vertex as usize] = new;
                visit(distance, vertex, new);
            }
            std::mem::swap(&mut here, &mut there);
            there.clear();
            if steps - asked >= CHECK_INTERVAL {
                asked = steps;
                progress.advance(0)?;
            }
        }
        Ok(steps)
    }
}
