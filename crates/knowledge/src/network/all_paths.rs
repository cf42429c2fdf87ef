//! All paths between two vertices, the shorter ones first.
//!
//! A depth-first search for each number of edges, which goes only to where the target is near enough: how near it is,
//! of what is within reach, is found first, and is all that is held besides the path on which the search is.

use std::ops::ControlFlow;
use std::slice::Iter;

use rustc_hash::FxHashMap;

use super::adjacency::{Step, reversed};
use super::error::NetworkError;
use super::path::{Between, Course, Path};
use super::view::Network;
use crate::progress::{Cancelled, Watch};

/// The most edges that paths may be asked for with.
pub const MOST_EDGES: u32 = 1000;
/// After so many steps it is asked whether the answer is still wanted.
const OFTEN: u64 = 4096;

/// Why there may be more than what was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// As many were found as were asked for.
    Limit,
    /// As many steps were made as may be.
    Steps,
}

/// Paths, of which there may be more.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Paths {
    /// Those that were found, in order.
    pub paths: Vec<Path>,
    /// Why there may be more; `None` if these are all.
    pub cut: Option<Cut>,
}

/// How much is made of a question that may have very many answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// How many paths are found.
    pub paths: usize,
    /// How many steps are made from one vertex to the next, those that lead nowhere included; ten million take about a
    /// second.
    pub steps: u64,
}

/// How much was made of it.
pub(super) struct Meter<'a> {
    bounds: Bounds,
    steps: u64,
    pub(super) made: Paths,
    watch: &'a Watch<'a>,
}

impl<'a> Meter<'a> {
    pub(super) fn new(bounds: Bounds, watch: &'a Watch<'a>) -> Meter<'a> {
        Meter {
            bounds,
            steps: 0,
            made: Paths::default(),
            watch,
        }
    }

    /// Whether one more step may be made.
    pub(super) fn step(&mut self) -> Result<bool, Cancelled> {
        if self.steps == self.bounds.steps {
            self.made.cut = Some(Cut::Steps);
            return Ok(false);
        }
        self.steps += 1;
        if self.steps.is_multiple_of(OFTEN)
            && (self.watch)(self.steps, self.bounds.steps.max(self.steps + 1))
                == ControlFlow::Break(())
        {
            return Err(Cancelled);
        }
        Ok(true)
    }

    /// Keeps a path; whether that could be done.
    pub(super) fn keep(&mut self, path: impl FnOnce() -> Path) -> bool {
        if self.made.paths.len() == self.bounds.paths {
            self.made.cut = Some(Cut::Limit);
            return false;
        }
        self.made.paths.push(path());
        true
    }
}

impl Network {
    /// All paths with at most so many edges that pass no vertex twice, by number of edges and then in the order in
    /// which edges are at vertices. Two that take different edges between the same vertices are two. What is found for
    /// fewer paths is the beginning of what is found for more.
    ///
    /// # Errors
    /// [`NetworkError`]: unknown ends, weights below 0, more than [`MOST_EDGES`], or [`Cancelled`].
    pub fn all_paths(
        &self,
        between: &Between,
        most_edges: u32,
        bounds: Bounds,
        watch: &Watch<'_>,
    ) -> Result<Paths, NetworkError> {
        if most_edges > MOST_EDGES {
            return Err(NetworkError::Invalid {
                what: "the most edges of a path",
                given: most_edges.to_string(),
                needed: format!("at most {MOST_EDGES}"),
            });
        }
        let course = Course::new(self, between)?;
        let mut meter = Meter::new(bounds, watch);
        let ahead = course.edges_ahead(most_edges, &mut meter)?;
        if let Some(&fewest) = ahead.get(&course.source) {
            for edges in fewest..=most_edges {
                if meter.made.cut.is_some() {
                    break;
                }
                course.paths_of(edges, &ahead, &mut meter)?;
            }
        }
        Ok(meter.made)
    }
}

impl Course<'_> {
    /// How many edges the target is away, of what is no further than this.
    fn edges_ahead(
        &self,
        most: u32,
        meter: &mut Meter<'_>,
    ) -> Result<FxHashMap<u32, u32>, Cancelled> {
        let mut ahead = FxHashMap::from_iter([(self.target, 0)]);
        let mut level = vec![self.target];
        let direction = reversed(self.sieve.direction());
        for edges in 1..=most {
            let mut next = Vec::new();
            for &vertex in &level {
                for step in self.network.adjacency.steps(vertex, direction) {
                    if !meter.step()? {
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

    /// Finds the paths of just so many edges.
    fn paths_of(
        &self,
        edges: u32,
        ahead: &FxHashMap<u32, u32>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Cancelled> {
        let direction = self.sieve.direction();
        let steps = |vertex| self.network.adjacency.steps(vertex, direction).iter();
        let mut path: Vec<u32> = Vec::new();
        let mut vertices = vec![self.source];
        if edges == 0 {
            meter.keep(|| self.path(&path));
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
            if !meter.step()? {
                return Ok(());
            }
            let left = edges - open.len() as u32;
            let is_near = ahead.get(&step.to).is_some_and(|&ahead| ahead <= left);
            // The target is passed only at the end.
            let ends = step.to == self.target;
            let is_out = ends != (left == 0) || vertices.contains(&step.to);
            if !is_near || is_out || !self.sieve.edge(step.edge) {
                continue;
            }
            path.push(step.edge);
            if ends {
                if !meter.keep(|| self.path(&path)) {
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
