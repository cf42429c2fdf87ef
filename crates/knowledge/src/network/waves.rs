//! Breadth-first searches from many vertices at once.
//!
//! A word for each vertex has a bit for each of 64 searches, so that an edge is looked at once for all that reach it at
//! the same distance (Then et al., The more the merrier: efficient multi-source graph traversal, 2014).

use super::simple::Simple;
use crate::progress::{Cancelled, Progress};

/// How many searches are made at once.
pub(super) const WIDTH: usize = 64;
/// After so many steps it is asked whether the answer is still wanted.
const OFTEN: u64 = 1 << 20;

/// Searches on one graph, one batch after the other.
pub(super) struct Waves<'a> {
    simple: &'a Simple,
    /// Which searches were at each vertex.
    seen: Vec<u64>,
    /// Which are there for the first time at the present distance, and at the next.
    now: Vec<u64>,
    next: Vec<u64>,
}

impl<'a> Waves<'a> {
    pub(super) fn new(simple: &'a Simple) -> Waves<'a> {
        let none = vec![0; simple.vertices()];
        Waves {
            simple,
            seen: none.clone(),
            now: none.clone(),
            next: none,
        }
    }

    /// Searches from at most 64 different vertices, and tells for each distance above 0 the vertices at which searches
    /// are for the first time, and the bits of these; then how many steps were made. It ends early once these are more
    /// than may be, and is not to be used again then.
    pub(super) fn spread(
        &mut self,
        sources: &[u32],
        most: u64,
        progress: &Progress<'_>,
        mut tell: impl FnMut(u32, u32, u64),
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
                let neighbours = self.simple.of(vertex);
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
                tell(distance, vertex, new);
            }
            std::mem::swap(&mut here, &mut there);
            there.clear();
            if steps - asked >= OFTEN {
                asked = steps;
                progress.add(0);
                if progress.is_ended() {
                    return Err(Cancelled);
                }
            }
        }
        Ok(steps)
    }
}
