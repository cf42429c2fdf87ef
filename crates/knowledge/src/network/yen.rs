//! The k shortest simple paths.
//!
//! Yen's algorithm (Finding the K shortest loopless paths in a network, 1971) partitions the remaining paths into sets
//! that share a prefix with a path found and then deviate from it. The shortest path of a set is one more search; no
//! set is generated twice (Lawler, 1972), and it is searched only when its lower bound is the least of all (Kurz and
//! Mutzel, 2016). Lower bounds and the A* heuristic are the exact distances to the target, from one search of the whole
//! network.
//!
//! Paths are ordered by length, number of edges and edges, lexicographically: the result for a smaller k is a prefix of
//! that for a larger one.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::adjacency::reversed;
use super::dijkstra::Distance;
use super::error::NetworkError;
use super::path::{Path, PathQuery, ResolvedQuery};
use super::view::Network;
use super::visited::VisitedBits;
use crate::progress::{Cancelled, Watch, check};

/// Maximum number of paths.
pub const MAX_PATHS: usize = 100;
/// Maximum number of stored sets: half a gigabyte.
const MAX_PATH_SETS: usize = 4_000_000;
/// Number of vertices between two checks for cancellation.
const CHECK_INTERVAL: u64 = 4096;

/// Length and number of edges of a path or a part of one.
type Cost = (Distance, u32);

fn sum(one: Cost, other: Cost) -> Cost {
    (Distance(one.0.0 + other.0.0), one.1 + other.1)
}

/// The paths that share a prefix and do not continue with some edges. Sets are ordered by cost; of equal cost, those
/// without a known first path come first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct PathSet {
    /// Lower bound of the cost of its paths; exact if the first is known.
    cost: Cost,
    is_found: bool,
    /// Edges of its first path, if known; otherwise of a path with the same prefix.
    edges: Rc<[u32]>,
    /// Length of the shared prefix.
    shared: u32,
    /// Edges with which it does not continue, sorted.
    excluded: Rc<[u32]>,
}

/// Label of a vertex in a search.
#[derive(Clone, Copy)]
struct Label {
    cost: Cost,
    by: u32,
    settled: bool,
}

/// State of the algorithm.
struct YenSearch<'a> {
    course: ResolvedQuery<'a>,
    /// Cost to the target from each vertex; `None` if it is unreachable.
    ahead: Vec<Option<Cost>>,
    watch: &'a Watch<'a>,
    steps: u64,
}

impl Network {
    /// Returns the `count` shortest simple paths, in order. Paths through different parallel edges are different paths.
    ///
    /// # Errors
    /// [`NetworkError`]: unknown ends, negative weights, more than [`MAX_PATHS`], a search that exceeds its memory, or
    /// [`Cancelled`].
    pub fn k_shortest_paths(
        &self,
        query: &PathQuery,
        count: usize,
        watch: &Watch<'_>,
    ) -> Result<Vec<Path>, NetworkError> {
        if !(1..=MAX_PATHS).contains(&count) {
            let needed = format!("from 1 to {MAX_PATHS}");
            return Err(NetworkError::invalid("the number of paths", &count, needed));
        }
        let mut search = YenSearch {
            course: ResolvedQuery::new(self, query)?,
            ahead: vec![None; self.vertex_count()],
            watch,
            steps: 0,
        };
        search.find_distances()?;
        search.find(count)
    }
}

impl YenSearch<'_> {
    fn check_cancelled(&mut self) -> Result<(), Cancelled> {
        self.steps += 1;
        if self.steps.is_multiple_of(CHECK_INTERVAL) {
            let total = self.course.network.vertex_count() as u64 + 1;
            check(self.watch, self.steps, total)?;
        }
        Ok(())
    }

    /// Computes the cost to the target from all vertices.
    fn find_distances(&mut self) -> Result<(), Cancelled> {
        let mut ahead = std::mem::take(&mut self.ahead);
        ahead[self.course.target as usize] = Some((Distance(0.0), 0));
        if self.course.weighted {
            self.find_distances_by_weights(&mut ahead)?;
        } else {
            self.find_distances_by_edges(&mut ahead)?;
        }
        self.ahead = ahead;
        Ok(())
    }

    /// Predecessors of a vertex with the cost of the edge.
    fn steps_to(&self, vertex: u32) -> impl Iterator<Item = (u32, Cost)> {
        let course = &self.course;
        let back = reversed(course.sieve.direction());
        let steps = course.network.adjacency.steps(vertex, back).iter();
        let steps = steps.filter(|step| course.sieve.edge(step.edge) && course.may_pass(step.to));
        steps.map(|step| (step.to, (Distance(course.length(step.edge)), 1)))
    }

    fn find_distances_by_edges(&mut self, ahead: &mut [Option<Cost>]) -> Result<(), Cancelled> {
        let mut queue = VecDeque::from([(self.course.target, (Distance(0.0), 0))]);
        while let Some((vertex, cost)) = queue.pop_front() {
            self.check_cancelled()?;
            for (before, step) in self.steps_to(vertex) {
                let known = &mut ahead[before as usize];
                if known.is_none() {
                    *known = Some(sum(cost, step));
                    queue.push_back((before, sum(cost, step)));
                }
            }
        }
        Ok(())
    }

    fn find_distances_by_weights(&mut self, ahead: &mut [Option<Cost>]) -> Result<(), Cancelled> {
        let mut heap = BinaryHeap::from([Reverse(((Distance(0.0), 0), self.course.target))]);
        while let Some(Reverse((cost, vertex))) = heap.pop() {
            self.check_cancelled()?;
            if ahead[vertex as usize] != Some(cost) {
                continue;
            }
            for (before, step) in self.steps_to(vertex) {
                let known = &mut ahead[before as usize];
                let cost = sum(cost, step);
                if known.is_none_or(|known| cost < known) {
                    *known = Some(cost);
                    heap.push(Reverse((cost, before)));
                }
            }
        }
        Ok(())
    }

    fn find(&mut self, count: usize) -> Result<Vec<Path>, NetworkError> {
        let mut found = Vec::new();
        let mut sets = BinaryHeap::new();
        if let Some(cost) = self.ahead[self.course.source as usize] {
            sets.push(Reverse(PathSet {
                cost,
                is_found: false,
                edges: [].into(),
                shared: 0,
                excluded: [].into(),
            }));
        }
        while found.len() < count
            && let Some(Reverse(set)) = sets.pop()
        {
            if !set.is_found {
                sets.extend(self.first(set)?.map(Reverse));
                continue;
            }
            found.push(self.course.path(&set.edges));
            if found.len() < count {
                self.partition(&set, &mut sets)?;
            }
        }
        Ok(found)
    }

    /// Partitions a set without its first path.
    fn partition(
        &mut self,
        set: &PathSet,
        sets: &mut BinaryHeap<Reverse<PathSet>>,
    ) -> Result<(), NetworkError> {
        let path = self.course.path(&set.edges);
        let mut root: Cost = (Distance(0.0), 0);
        let mut passed = self.course.network.pool.acquire();
        for (shared, &edge) in (0..).zip(&*set.edges) {
            let at = path.vertices[shared as usize];
            passed.insert(at);
            if shared >= set.shared {
                let known = set.excluded.iter().filter(|_| shared == set.shared);
                let mut excluded: Vec<u32> = known.copied().collect();
                excluded.push(edge);
                excluded.sort_unstable();
                if let Some(rest) = self.least(at, &excluded, &passed) {
                    sets.push(Reverse(PathSet {
                        cost: sum(root, rest),
                        is_found: false,
                        edges: Rc::clone(&set.edges),
                        shared,
                        excluded: excluded.into(),
                    }));
                }
            }
            root = sum(root, (Distance(self.course.length(edge)), 1));
            self.check_cancelled()?;
        }
        if sets.len() > MAX_PATH_SETS {
            return Err(NetworkError::TooLarge {
                what: "the search for this many paths of this length",
                most: format!("{MAX_PATH_SETS} partial paths"),
                hint: "request fewer paths, or exclude types of edges",
            });
        }
        Ok(())
    }

    /// Lower bound of the cost to the target from a vertex without some edges.
    fn least(&self, at: u32, excluded: &[u32], passed: &VisitedBits) -> Option<Cost> {
        let course = &self.course;
        let steps = course.network.adjacency.steps(at, course.sieve.direction());
        let open = steps.iter().filter(|step| {
            excluded.binary_search(&step.edge).is_err()
                && !passed.has(step.to)
                && course.sieve.edge(step.edge)
                && course.may_pass(step.to)
        });
        let costs = open.filter_map(|step| {
            let rest = self.ahead[step.to as usize]?;
            Some(sum((Distance(course.length(step.edge)), 1), rest))
        });
        costs.min()
    }

    /// Returns the set with its first path; `None` if it is empty.
    fn first(&mut self, set: PathSet) -> Result<Option<PathSet>, Cancelled> {
        let shared = &set.edges[..set.shared as usize];
        let root = self.course.path(shared);
        let mut passed = self.course.network.pool.acquire();
        for &vertex in &root.vertices {
            passed.insert(vertex);
        }
        let start = root.vertices[shared.len()];
        let Some(rest) = self.search(start, &set.excluded, &passed)? else {
            return Ok(None);
        };
        let edges = [shared, &rest].concat();
        let length = self.course.path(&edges).length;
        Ok(Some(PathSet {
            cost: (Distance(length), edges.len() as u32),
            is_found: true,
            edges: edges.into(),
            ..set
        }))
    }

    /// Returns the edges of the first shortest path from a vertex to the target (A*).
    fn search(
        &mut self,
        start: u32,
        excluded: &[u32],
        passed: &VisitedBits,
    ) -> Result<Option<Vec<u32>>, Cancelled> {
        let target = self.course.target;
        let nothing: Cost = (Distance(0.0), 0);
        let first = Label {
            cost: nothing,
            by: u32::MAX,
            settled: false,
        };
        let mut labels = FxHashMap::from_iter([(start, first)]);
        // Ordered by lower bound of the whole path and then by cost to the vertex: all paths of the same cost to a
        // vertex are known before it is settled.
        let mut heap = BinaryHeap::from([Reverse((nothing, nothing, start))]);
        while let Some(Reverse((_, cost, vertex))) = heap.pop() {
            match labels.get_mut(&vertex) {
                Some(label) if !label.settled => label.settled = true,
                Some(_) | None => continue,
            }
            if vertex == target {
                return Ok(Some(self.trace(&labels, start, target)));
            }
            self.check_cancelled()?;
            let (network, direction) = (self.course.network, self.course.sieve.direction());
            for step in network.adjacency.steps(vertex, direction) {
                let is_out = passed.has(step.to)
                    || vertex == start && excluded.binary_search(&step.edge).is_ok()
                    || !self.course.sieve.edge(step.edge);
                // A vertex that cannot reach the target, or may not be passed, has no cost.
                let Some(ahead) = self.ahead[step.to as usize].filter(|_| !is_out) else {
                    continue;
                };
                let cost = sum(cost, (Distance(self.course.length(step.edge)), 1));
                let new = Label {
                    cost,
                    by: step.edge,
                    settled: false,
                };
                let is_better = labels.get(&step.to).is_none_or(|old| {
                    let is_first = || self.is_before(&labels, start, [step.edge, old.by], step.to);
                    !old.settled && (cost < old.cost || cost == old.cost && is_first())
                });
                if is_better {
                    labels.insert(step.to, new);
                    heap.push(Reverse((sum(cost, ahead), cost, step.to)));
                }
            }
        }
        Ok(None)
    }

    /// True if the path to a vertex by the first of two edges precedes that by the second; both have the same number of
    /// edges.
    fn is_before(
        &self,
        labels: &FxHashMap<u32, Label>,
        start: u32,
        mut edges: [u32; 2],
        end: u32,
    ) -> bool {
        let mut at = [end; 2];
        let mut is_before = false;
        loop {
            let order = edges[0].cmp(&edges[1]);
            is_before = order.is_lt() || order.is_eq() && is_before;
            at = [0, 1].map(|way: usize| self.course.network.other(edges[way], at[way]));
            if at[0] == at[1] || at.contains(&start) {
                return is_before;
            }
            edges = at.map(|vertex| labels[&vertex].by);
        }
    }

    fn trace(&self, labels: &FxHashMap<u32, Label>, start: u32, target: u32) -> Vec<u32> {
        let mut edges = Vec::new();
        let mut at = target;
        while at != start {
            let by = labels[&at].by;
            edges.push(by);
            at = self.course.network.other(by, at);
        }
        edges.reverse();
        edges
    }
}
