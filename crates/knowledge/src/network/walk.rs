//! What is near some vertices: breadth-first search.

use super::adjacency::Step;
use super::error::NetworkError;
use super::filter::{Filter, Sieve};
use super::searched::Walked;
use super::view::Network;
use crate::graph::Direction;

/// For so many vertices it is foreseen where their steps are.
const FORESEEN: usize = 32;

/// A question for what is near.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walk {
    /// The ids from which it is walked; they are not found themselves.
    pub starts: Vec<String>,
    /// How many edges away what is found may be.
    pub depth: u32,
    /// Which edges are followed and which nodes are found.
    pub filter: Filter,
    /// Whether the walk ends at nodes that are not found; else it goes on behind them.
    pub cut: bool,
    /// How many edges among the starts and what is told of the found are told.
    pub edges: usize,
    /// How many of the found are left out before those that are told.
    pub offset: usize,
    /// How many of the found are told.
    pub limit: usize,
}

/// A vertex that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached {
    /// Its number.
    pub vertex: u32,
    /// How many edges it is away from the nearest start.
    pub distance: u32,
    /// The edge by which it was reached first, if the starts, and what was reached, are taken as they come, and the
    /// edges of each in their order, those that begin there before those that end there.
    pub by: u32,
}

/// What is near.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Neighbourhood {
    /// Those that are told, by distance, and those that are as near as they were reached.
    pub reached: Vec<Reached>,
    /// How many were found.
    pub total: usize,
    /// Edges, in order, that pass the filter and of which both ends are starts or told.
    pub edges: Vec<u32>,
    /// How many such edges there are.
    pub edges_total: usize,
}

/// How far is walked.
#[derive(Clone, Copy)]
struct Range {
    depth: u32,
    direction: Direction,
    /// So many of what is reached are kept; what is only reached at the greatest distance, behind them, is counted.
    kept: usize,
}

/// All that was reached, in the order in which it was.
struct Found<'a> {
    reached: &'a [Step],
    /// Where each distance begins, from that of the starts on.
    levels: Vec<usize>,
    /// How many more were reached at the greatest distance, behind those that are told.
    more: usize,
}

impl Network {
    /// What is near some vertices. O(edges walked), whatever else is in the network.
    ///
    /// # Errors
    /// [`NetworkError::UnknownVertex`] if a start is none.
    pub fn neighbours(&self, walk: &Walk) -> Result<Neighbourhood, NetworkError> {
        let starts = walk.starts.iter().map(|id| self.vertex(id));
        let starts: Vec<u32> = starts.collect::<Result<_, _>>()?;
        let sieve = Sieve::new(self, &walk.filter);
        let direction = sieve.direction();
        let cuts = walk.cut && !sieve.passes_vertices();
        let filters = !cuts && !sieve.passes_vertices();
        // What is told of what is reached, if all of it is found.
        let told = walk.offset.saturating_add(walk.limit);
        let kept = if filters { usize::MAX } else { told };
        let range = Range {
            depth: walk.depth,
            direction,
            kept,
        };
        // A test for each edge is left out where there is nothing to test.
        let mut walked = self.walks.lend();
        let walked = &mut *walked;
        let found = match (sieve.passes_edges(), cuts) {
            (true, false) => self.search(walked, &starts, range, |_| true),
            (_, true) => self.search(walked, &starts, range, |step| sieve.step(step)),
            (false, false) => self.search(walked, &starts, range, |step| sieve.edge(step.edge)),
        };
        let mut near = found.page(walk, filters.then_some(&sieve));
        if walk.edges > 0 {
            self.among(&starts, &sieve, walk.edges, &mut near);
        }
        Ok(near)
    }

    fn search<'a>(
        &self,
        Walked { seen, reached }: &'a mut Walked,
        starts: &[u32],
        range: Range,
        passes: impl Fn(Step) -> bool,
    ) -> Found<'a> {
        for &start in starts {
            if seen.insert(start) {
                let edge = u32::MAX;
                reached.push(Step { to: start, edge });
            }
        }
        let first = reached.len();
        let mut levels = vec![0];
        let mut from = 0;
        let mut more = 0;
        for distance in 1..=range.depth {
            let to = reached.len();
            if from == to {
                break;
            }
            levels.push(to);
            // Nothing goes on from where the last steps lead.
            let counts = distance == range.depth && to - first >= range.kept;
            for from in (from..to).step_by(FORESEEN) {
                let group = from..to.min(from + FORESEEN);
                let vertices = reached[group.clone()].iter().map(|step| step.to);
                self.adjacency.foresee(vertices, range.direction);
                for place in group {
                    let steps = self.adjacency.steps(reached[place].to, range.direction);
                    if counts {
                        more += seen.count(steps, &passes);
                    } else {
                        seen.follow(steps, &passes, reached);
                    }
                }
            }
            from = to;
        }
        levels.push(reached.len());
        Found {
            reached,
            levels,
            more,
        }
    }

    /// Adds the edges among the starts and what is told.
    fn among(&self, starts: &[u32], sieve: &Sieve<'_>, limit: usize, near: &mut Neighbourhood) {
        let mut members = self.pool.lend();
        let told = near.reached.iter().map(|reached| reached.vertex);
        let all = starts.iter().copied().chain(told);
        let all: Vec<u32> = all.filter(|&vertex| members.insert(vertex)).collect();
        let steps = all.iter().flat_map(|&vertex| self.adjacency.along(vertex));
        let inner = steps.filter(|step| members.has(step.to) && sieve.edge(step.edge));
        near.edges = inner.map(|step| step.edge).collect();
        near.edges.sort_unstable();
        near.edges_total = near.edges.len();
        near.edges.truncate(limit);
    }
}

impl Found<'_> {
    /// Those of a page, of those that pass.
    fn page(self, walk: &Walk, sieve: Option<&Sieve<'_>>) -> Neighbourhood {
        let mut near = Neighbourhood::default();
        let end = walk.offset.saturating_add(walk.limit);
        for (distance, level) in (0..).zip(self.levels.windows(2)).skip(1) {
            let mut all = &self.reached[level[0]..level[1]];
            let kept: Vec<Step>;
            if let Some(sieve) = sieve {
                let passing = all.iter().filter(|step| sieve.vertex(step.to));
                kept = passing.copied().collect();
                all = &kept;
            }
            let from = walk.offset.saturating_sub(near.total).min(all.len());
            let to = end.saturating_sub(near.total).min(all.len());
            near.total += all.len();
            let told = all[from..to.max(from)].iter().map(|step| Reached {
                vertex: step.to,
                distance,
                by: step.edge,
            });
            near.reached.extend(told);
        }
        near.total += self.more;
        near
    }
}
