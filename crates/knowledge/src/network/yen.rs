//! The shortest paths, one after the other, without circles.
//!
//! Yen (Finding the K shortest loopless paths in a network, 1971) divides all paths but those that were found into
//! sets: those that share a beginning with one of them and then take another edge. The shortest of each set is one more
//! search; no set is made twice (Lawler, 1972), and one is only searched when the least length that its paths can have
//! is the least of all sets' (as Kurz and Mutzel do, 2016). That bound, and what guides the searches (A*), are the
//! distances to the target, which are found first, in one search of the whole network.
//!
//! Paths are sorted by length, then by number of edges, then by the edges, the first one first: so what is found for
//! fewer is the beginning of what is found for more.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};
use std::ops::ControlFlow;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::adjacency::reversed;
use super::error::NetworkError;
use super::marks::Marks;
use super::path::{Between, Course, Path};
use super::view::Network;
use super::weighted::Far;
use crate::progress::{Cancelled, Watch};

/// The most paths that are found.
pub const MOST_PATHS: usize = 100;
/// The most sets of paths that are kept: half a gigabyte.
const MOST_SETS: usize = 4_000_000;
/// After so many vertices it is asked whether the answer is still wanted.
const OFTEN: u64 = 4096;

/// How long a path, or a part of one, is, and how many edges it has.
type Cost = (Far, u32);

fn sum(one: Cost, other: Cost) -> Cost {
    (Far(one.0.0 + other.0.0), one.1 + other.1)
}

/// Paths that begin alike and do not go on with some edges.
struct Set {
    /// The least that its paths cost; exactly if the first of them is known.
    cost: Cost,
    /// The edges of the first, if it is known; else those of a path that begins in the same way.
    edges: Rc<[u32]>,
    is_found: bool,
    /// How many edges of them all share.
    shared: u32,
    /// Which edges may not come next, sorted.
    not: Rc<[u32]>,
}

/// What is known of a vertex in a search.
#[derive(Clone, Copy)]
struct Label {
    cost: Cost,
    by: u32,
    settled: bool,
}

/// The search for paths.
struct Search<'a> {
    course: Course<'a>,
    /// What it costs to get to the target from each vertex, if that can be.
    ahead: Vec<Option<Cost>>,
    watch: &'a Watch<'a>,
    steps: u64,
}

impl Network {
    /// The shortest paths, at most so many, that pass no vertex twice, in order. Two that take different edges between
    /// the same vertices are two.
    ///
    /// # Errors
    /// [`NetworkError`]: unknown ends, weights below 0, more than [`MOST_PATHS`], a search that is too large, or
    /// [`Cancelled`].
    pub fn k_shortest_paths(
        &self,
        between: &Between,
        count: usize,
        watch: &Watch<'_>,
    ) -> Result<Vec<Path>, NetworkError> {
        if !(1..=MOST_PATHS).contains(&count) {
            return Err(NetworkError::Invalid {
                what: "the number of paths",
                given: count.to_string(),
                needed: format!("from 1 to {MOST_PATHS}"),
            });
        }
        let mut search = Search {
            course: Course::new(self, between)?,
            ahead: vec![None; self.vertex_count()],
            watch,
            steps: 0,
        };
        search.look_ahead()?;
        search.find(count)
    }
}

impl Search<'_> {
    fn ask(&mut self) -> Result<(), Cancelled> {
        self.steps += 1;
        let total = (self.course.network.vertex_count() as u64).max(self.steps) + 1;
        if self.steps.is_multiple_of(OFTEN)
            && (self.watch)(self.steps, total) == ControlFlow::Break(())
        {
            return Err(Cancelled);
        }
        Ok(())
    }

    /// Finds the distances to the target.
    fn look_ahead(&mut self) -> Result<(), Cancelled> {
        if self.course.weighted {
            self.look_ahead_by_weights()
        } else {
            self.look_ahead_by_edges()
        }
    }

    /// The steps that lead to a vertex: the vertex before it, and what the step costs.
    fn steps_to(&self, vertex: u32) -> impl Iterator<Item = (u32, Cost)> {
        let course = &self.course;
        let back = reversed(course.sieve.direction());
        let steps = course.network.adjacency.steps(vertex, back).iter();
        let steps = steps.filter(|step| course.sieve.edge(step.edge) && course.may_pass(step.to));
        steps.map(|step| (step.to, (Far(course.length(step.edge)), 1)))
    }

    fn look_ahead_by_edges(&mut self) -> Result<(), Cancelled> {
        let mut ahead = std::mem::take(&mut self.ahead);
        ahead[self.course.target as usize] = Some((Far(0.0), 0));
        let mut queue = VecDeque::from([(self.course.target, (Far(0.0), 0))]);
        while let Some((vertex, cost)) = queue.pop_front() {
            self.ask()?;
            for (before, step) in self.steps_to(vertex) {
                let known = &mut ahead[before as usize];
                if known.is_none() {
                    *known = Some(sum(cost, step));
                    queue.push_back((before, sum(cost, step)));
                }
            }
        }
        self.ahead = ahead;
        Ok(())
    }

    fn look_ahead_by_weights(&mut self) -> Result<(), Cancelled> {
        let mut ahead = std::mem::take(&mut self.ahead);
        ahead[self.course.target as usize] = Some((Far(0.0), 0));
        let mut heap = BinaryHeap::from([Reverse(((Far(0.0), 0), self.course.target))]);
        while let Some(Reverse((cost, vertex))) = heap.pop() {
            self.ask()?;
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
        self.ahead = ahead;
        Ok(())
    }

    fn find(&mut self, count: usize) -> Result<Vec<Path>, NetworkError> {
        let mut found = Vec::new();
        let mut sets = BinaryHeap::new();
        if let Some(cost) = self.ahead[self.course.source as usize] {
            sets.push(Reverse(Set {
                cost,
                edges: [].into(),
                is_found: false,
                shared: 0,
                not: [].into(),
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
                self.divide(&set, &mut sets)?;
            }
        }
        Ok(found)
    }

    /// Divides a set without its first path.
    fn divide(
        &mut self,
        set: &Set,
        sets: &mut BinaryHeap<Reverse<Set>>,
    ) -> Result<(), NetworkError> {
        let path = self.course.path(&set.edges);
        let mut root: Cost = (Far(0.0), 0);
        let mut passed = self.course.network.pool.lend();
        for (shared, &edge) in (0..).zip(&*set.edges) {
            let at = path.vertices[shared as usize];
            passed.insert(at);
            if shared >= set.shared {
                let mut not = if shared == set.shared {
                    set.not.to_vec()
                } else {
                    Vec::new()
                };
                not.push(edge);
                not.sort_unstable();
                if let Some(rest) = self.least(at, &not, &passed) {
                    sets.push(Reverse(Set {
                        cost: sum(root, rest),
                        edges: Rc::clone(&set.edges),
                        is_found: false,
                        shared,
                        not: not.into(),
                    }));
                }
            }
            root = sum(root, (Far(self.course.length(edge)), 1));
            self.ask()?;
        }
        if sets.len() > MOST_SETS {
            return Err(NetworkError::TooLarge {
                what: "so many paths, as long as they are here,",
                most: format!("{MOST_SETS} ways that are kept"),
                hint: "ask for fewer, or leave types of edges out",
            });
        }
        Ok(())
    }

    /// What it costs at least to go on from a vertex, but not by some edges.
    fn least(&self, at: u32, not: &[u32], passed: &Marks) -> Option<Cost> {
        let course = &self.course;
        let steps = course.network.adjacency.steps(at, course.sieve.direction());
        let open = steps.iter().filter(|step| {
            not.binary_search(&step.edge).is_err()
                && !passed.has(step.to)
                && course.sieve.edge(step.edge)
                && course.may_pass(step.to)
        });
        let costs = open.filter_map(|step| {
            let rest = self.ahead[step.to as usize]?;
            Some(sum((Far(course.length(step.edge)), 1), rest))
        });
        costs.min()
    }

    /// The same set with its first path; `None` if it has none.
    fn first(&mut self, set: Set) -> Result<Option<Set>, Cancelled> {
        let shared = &set.edges[..set.shared as usize];
        let root = self.course.path(shared);
        let mut passed = self.course.network.pool.lend();
        for &vertex in &root.vertices {
            passed.insert(vertex);
        }
        let start = root.vertices[shared.len()];
        let Some(rest) = self.search(start, &set.not, &passed)? else {
            return Ok(None);
        };
        let edges = [shared, &rest].concat();
        let length = self.course.path(&edges).length;
        Ok(Some(Set {
            cost: (Far(length), edges.len() as u32),
            edges: edges.into(),
            is_found: true,
            ..set
        }))
    }

    /// The first of the shortest paths from a vertex to the target: its edges.
    fn search(
        &mut self,
        start: u32,
        not: &[u32],
        passed: &Marks,
    ) -> Result<Option<Vec<u32>>, Cancelled> {
        let target = self.course.target;
        let nothing: Cost = (Far(0.0), 0);
        let mut labels = FxHashMap::from_iter([(
            start,
            Label {
                cost: nothing,
                by: u32::MAX,
                settled: false,
            },
        )]);
        // By what the whole path costs at least, and then by what the way to the vertex does: so all ways of the same
        // cost to a vertex are known before it is settled.
        let mut heap = BinaryHeap::from([Reverse((nothing, nothing, start))]);
        while let Some(Reverse((_, cost, vertex))) = heap.pop() {
            match labels.get_mut(&vertex) {
                Some(label) if !label.settled => label.settled = true,
                Some(_) | None => continue,
            }
            if vertex == target {
                return Ok(Some(self.trace(&labels, start, target)));
            }
            self.ask()?;
            let network = self.course.network;
            for step in network
                .adjacency
                .steps(vertex, self.course.sieve.direction())
            {
                let is_out = passed.has(step.to)
                    || vertex == start && not.binary_search(&step.edge).is_ok()
                    || !self.course.sieve.edge(step.edge);
                // What cannot get to the target has no distance to it, nor what may not be passed.
                let ahead = self.ahead[step.to as usize].filter(|_| !is_out);
                let Some(ahead) = ahead else {
                    continue;
                };
                let cost = sum(cost, (Far(self.course.length(step.edge)), 1));
                let new = Label {
                    cost,
                    by: step.edge,
                    settled: false,
                };
                let is_better = labels
                    .get(&step.to)
                    .is_none_or(|old| match cost.cmp(&old.cost) {
                        Ordering::Less => !old.settled,
                        Ordering::Equal => {
                            !old.settled
                                && self.is_before(&labels, start, [step.edge, old.by], step.to)
                        }
                        Ordering::Greater => false,
                    });
                if is_better {
                    labels.insert(step.to, new);
                    heap.push(Reverse((sum(cost, ahead), cost, step.to)));
                }
            }
        }
        Ok(None)
    }

    /// Whether the way to a vertex by the first of two edges comes before that by the second; both have as many edges.
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
            match edges[0].cmp(&edges[1]) {
                Ordering::Less => is_before = true,
                Ordering::Greater => is_before = false,
                Ordering::Equal => {}
            }
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

impl Set {
    /// What sets are sorted by: of those that cost the same, those come first of which the first path is not known.
    fn rank(&self) -> (Cost, bool, &[u32]) {
        let edges: &[u32] = if self.is_found { &self.edges } else { &[] };
        (self.cost, self.is_found, edges)
    }
}

impl PartialEq for Set {
    fn eq(&self, other: &Set) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Set {}

impl PartialOrd for Set {
    fn partial_cmp(&self, other: &Set) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Set {
    fn cmp(&self, other: &Set) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}
