//! Enumeration of all simple paths between two vertices, by number of edges.
//!
//! Iterative deepening: a depth-first search for each number of edges, pruned by the distance of each vertex to the
//! target, which a breadth-first search from the target finds first. Memory: these distances and the current path.

use std::slice::Iter;

use rustc_hash::FxHashMap;

use super::adjacency::{Step, reversed};
use super::error::NetworkError;
use super::path::{Path, PathQuery, ResolvedQuery};
use super::view::Network;
use crate::progress::{Cancelled, Watch, check};

/// Maximum number of edges that a query may allow per path.
pub const MAX_PATH_EDGES: u32 = 1000;
/// Number of steps between two checks for cancellation.
const CHECK_INTERVAL: u64 = 4096;

/// Reason why a list of paths may be incomplete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truncation {
    /// The maximum number of paths was found.
    Limit,
    /// The maximum number of steps was made.
    Steps,
}

/// A list of paths, possibly truncated.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Paths {
    /// The paths, in order.
    pub paths: Vec<Path>,
    /// Reason why there may be more; `None` if these are all.
    pub truncation: Option<Truncation>,
}

/// Limits of an enumeration of paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathLimits {
    /// Maximum number of paths.
    pub paths: usize,
    /// Maximum number of edges traversed, dead ends included; ten million take about a second.
    pub steps: u64,
}

/// Collects paths and enforces their limits.
pub(super) struct PathCollector<'a> {
    bounds: PathLimits,
    steps: u64,
    pub(super) found: Paths,
    watch: &'a Watch<'a>,
}

impl<'a> PathCollector<'a> {
    pub(super) fn new(bounds: PathLimits, watch: &'a Watch<'a>) -> PathCollector<'a> {
        PathCollector {
            bounds,
            steps: 0,
            found: Paths::default(),
            watch,
        }
    }

    /// Counts a step; false if the limit is reached.
    pub(super) fn step(&mut self) -> Result<bool, Cancelled> {
        if self.steps == self.bounds.steps {
            self.found.truncation = Some(Truncation::Steps);
            return Ok(false);
        }
        self.steps += 1;
        if self.steps.is_multiple_of(CHECK_INTERVAL) {
            check(self.watch, self.steps, self.bounds.steps)?;
        }
        Ok(true)
    }

    /// Adds a path; false if the limit is reached.
    pub(super) fn push(&mut self, path: impl FnOnce() -> Path) -> bool {
        if self.found.paths.len() == self.bounds.paths {
            self.found.truncation = Some(Truncation::Limit);
            return false;
        }
        self.found.paths.push(path());
        true
    }
}

impl Network {
    /// Returns all simple paths of at most `most_edges` edges, by number of edges and then in the order of edges at
    /// vertices. Paths through different parallel edges are different paths. The result of a smaller limit is a prefix
    /// of that of a larger one.
    ///
    /// # Errors
    /// [`NetworkError`]: unknown ends, negative weights, more than [`MAX_PATH_EDGES`], or [`Cancelled`].
    pub fn all_paths(
        &self,
        query: &PathQuery,
        most_edges: u32,
        bounds: PathLimits,
        watch: &Watch<'_>,
    ) -> Result<Paths, NetworkError> {
        if most_edges > MAX_PATH_EDGES {
            let needed = format!("at most {MAX_PATH_EDGES}");
            return Err(NetworkError::invalid(
                "the maximum number of edges of a path",
                &most_edges,
                needed,
            ));
        }
        let resolved = ResolvedQuery::new(self, query)?;
        let mut collector = PathCollector::new(bounds, watch);
        let ahead = resolved.edges_ahead(most_edges, &mut collector)?;
        if let Some(&fewest) = ahead.get(&resolved.source) {
            for edges in fewest..=most_edges {
                if collector.found.truncation.is_some() {
                    break;
                }
                resolved.paths_of(edges, &ahead, &mut collector)?;
            }
        }
        Ok(collector.found)
    }
}

impl ResolvedQuery<'_> {
    /// Returns the distance to the target, in edges, of the vertices at most `most` away.
    fn edges_ahead(
        &self,
        most: u32,
        collector: &mut PathCollector<'_>,
    ) -> Result<FxHashMap<u32, u32>, Cancelled> {
        let mut ahead = FxHashMap::from_iter([(self.target, 0)]);
        let mut level = vec![self.target];
        let direction = reversed(self.sieve.direction());
        for edges in 1..=most {
            let mut next = Vec::new();
            for &vertex in &level {
                for step in self.network.adjacency.steps(vertex, direction) {
                    if !collector.step()? {
                        return Ok(FxHashMap::default());
                    }
                    let is_open = self.sieve.edge(step.edge) && self.may_pass(step.to);
                    if is_open && !ahead.contains_key(&step.to) {
                        ahead.insert(step.to, edges);
                        next.push(step.to);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            level = next;
        }
        Ok(ahead)
    }

    /// Adds the paths of exactly `edges` edges.
    fn paths_of(
        &self,
        edges: u32,
        ahead: &FxHashMap<u32, u32>,
        collector: &mut PathCollector<'_>,
    ) -> Result<(), Cancelled> {
        let direction = self.sieve.direction();
        let steps = |vertex| self.network.adjacency.steps(vertex, direction).iter();
        let mut path: Vec<u32> = Vec::new();
        let mut vertices = vec![self.source];
        if edges == 0 {
            collector.push(|| self.path(&path));
            return Ok(());
        }
        let mut open: Vec<Iter<'_, Step>> = vec![steps(self.source)];
        while let Some(next) = open.last_mut() {
            let Some(step) = next.next() else {
                open.pop();
                path.pop();
                vertices.pop();
                continue;
            };
            if !collector.step()? {
                return Ok(());
            }
            let left = edges - open.len() as u32;
            let is_near = ahead.get(&step.to).is_some_and(|&ahead| ahead <= left);
            // The target may only be the last vertex.
            let ends = step.to == self.target;
            let is_out = ends != (left == 0) || vertices.contains(&step.to);
            if !is_near || is_out || !self.sieve.edge(step.edge) {
                continue;
            }
            path.push(step.edge);
            if ends {
                if !collector.push(|| self.path(&path)) {
                    return Ok(());
                }
                path.pop();
            } else {
                vertices.push(step.to);
                open.push(steps(step.to));
            }
        }
        Ok(())
    }
}
