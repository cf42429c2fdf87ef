//! `PageRank`.
//!
//! The rank of a vertex is the probability that a random surfer is there who follows edges in proportion to their
//! weights, and who restarts with a given probability and at vertices without edges (Page, Brin, Motwani and Winograd,
//! 1999). Ranks solve a sparse linear system in which dangling vertices need no special treatment, followed by
//! normalisation (Del Corso, Gullì and Romani, Fast `PageRank` computation via a sparse linear system, 2005). Vertices
//! that no cycle leads to are solved once at first and those that lead to no cycle once at last; the rest by
//! Gauss-Seidel iteration with reduced rank extrapolation. The change of an iteration bounds the residual, and the
//! residual the error.

use std::ops::Range;

use super::adjacency::reversed;
use super::error::NetworkError;
use super::extrapolation::{CHANGES, extrapolate};
use super::scores::Scores;
use super::subgraph::Subgraph;
use crate::graph::Direction;
use crate::progress::{Cancelled, Progress, Watch};

/// Bound of the L1 error of ranks.
pub const RANK_ERROR: f64 = 5e-10;
/// Maximum number of rounds of iterations. Each round reduces the error at least by the damping, or is undone.
const MAX_ROUNDS: u64 = 100_000;

/// Ratio of the change to its bound below which convergence is checked after every iteration.
const NEAR: f64 = 1e3;
/// Relative rounding error of a sum.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Options of `PageRank`.
#[derive(Debug, Clone, PartialEq)]
pub struct PageRankOptions {
    /// Damping factor: probability of following an edge instead of restarting; from 0 to below 1.
    pub damping: f64,
    /// True if edges count by their weights.
    pub weighted: bool,
    /// Personalisation: ids of the vertices at which the surfer restarts, with relative probabilities; uniform if
    /// empty.
    pub starts: Vec<(String, f64)>,
}

impl Default for PageRankOptions {
    fn default() -> PageRankOptions {
        PageRankOptions {
            damping: 0.85,
            weighted: false,
            starts: Vec::new(),
        }
    }
}

/// The system x = v + A x, with vertices in the order in which they are solved. The unknowns are ranks divided by total
/// outgoing weight, that is, what a vertex passes on along an edge of weight 1.
struct System {
    /// Vertex at each position of the order.
    order: Vec<u32>,
    /// Positions that are solved iteratively.
    core: Range<usize>,
    rows: Vec<Row>,
    /// Positions of the predecessors of each vertex, concatenated.
    before: Vec<u32>,
    /// Weights of these edges, if weights count.
    weights: Option<Vec<f64>>,
    /// Rank per unit of each unknown; 0 for a dangling vertex.
    worth: Vec<f64>,
    /// Restart probability of each vertex.
    begin: Vec<f64>,
    /// Factor by which self-loops raise each rank.
    grows: Vec<f64>,
}

/// One row of the system.
struct Row {
    /// Factor of the sum of the predecessors.
    of: f64,
    /// Constant term.
    begins: f64,
    /// Number of predecessors.
    count: u32,
}

impl Subgraph<'_> {
    /// Returns the `PageRank` of each vertex, along the direction of edges; the sum is 1. Parallel edges count by the
    /// sum of their weights.
    ///
    /// The L1 error is below [`RANK_ERROR`]. O(n + m) per iteration.
    ///
    /// # Errors
    /// [`NetworkError`]: an invalid damping factor or personalisation, negative weights, or [`Cancelled`].
    pub fn pagerank(
        &self,
        options: &PageRankOptions,
        watch: &Watch<'_>,
    ) -> Result<Scores, NetworkError> {
        if !(0.0..1.0).contains(&options.damping) {
            let needed = "from 0 to below 1, such as 0.85";
            return Err(NetworkError::invalid(
                "the damping",
                &options.damping,
                needed,
            ));
        }
        if options.weighted {
            self.check_weights("PageRank by weights")?;
        }
        let begin = self.begin(&options.starts)?;
        let system = self.system(options, &begin);
        let ranks = system.solve(options.damping, watch)?;
        let sum: f64 = ranks.iter().sum();
        let mut values = vec![0.0; ranks.len()];
        for (&vertex, rank) in system.order.iter().zip(ranks) {
            values[vertex as usize] = rank / sum;
        }
        Ok(Scores::exact(values))
    }

    /// Restart probability of each vertex.
    fn begin(&self, starts: &[(String, f64)]) -> Result<Vec<f64>, NetworkError> {
        let vertices = self.vertex_count();
        if starts.is_empty() {
            return Ok(vec![(vertices as f64).recip(); vertices]);
        }
        let mut begin = vec![0.0; vertices];
        let sum: f64 = starts.iter().map(|(_, often)| often).sum();
        let is_some = starts.iter().all(|(_, often)| *often >= 0.0) && sum > 0.0;
        if !is_some || !sum.is_finite() {
            let given = starts.iter().map(|(id, often)| format!("'{id}': {often}"));
            let given = given.take(5).collect::<Vec<_>>().join(", ");
            let needed = "numbers of 0 or more with a sum above 0";
            return Err(NetworkError::invalid("the personalization", &given, needed));
        }
        for (id, often) in starts {
            begin[self.place(id)? as usize] += often / sum;
        }
        Ok(begin)
    }

    fn system(&self, options: &PageRankOptions, begin: &[f64]) -> System {
        let (adjacency, weight) = (self.adjacency(), self.weight(options.weighted));
        let (order, core) = self.solving();
        let mut places = vec![0_u32; order.len()];
        for (place, &vertex) in (0..).zip(&order) {
            places[vertex as usize] = place;
        }
        let is_plain = !options.weighted && self.direction != Direction::Both;
        let total = |&vertex: &u32| {
            if is_plain {
                return adjacency.degree(vertex, self.direction) as f64;
            }
            let steps = adjacency.steps_once(vertex, self.direction);
            steps.map(|step| weight(step.edge)).sum()
        };
        let worth = |total: f64| {
            if options.damping > 0.0 {
                total / options.damping
            } else {
                0.0
            }
        };
        let mut system = System {
            core,
            rows: Vec::with_capacity(order.len()),
            before: Vec::with_capacity(adjacency.edges()),
            weights: options.weighted.then(Vec::new),
            worth: order.iter().map(total).map(worth).collect(),
            begin: order.iter().map(|&vertex| begin[vertex as usize]).collect(),
            grows: Vec::with_capacity(order.len()),
            order,
        };
        let back = reversed(self.direction);
        for (place, &vertex) in system.order.iter().enumerate() {
            let first = system.before.len();
            let worth = system.worth[place];
            let pass = if worth > 0.0 { worth.recip() } else { 0.0 };
            let mut own = 0.0;
            for step in adjacency.steps_once(vertex, back) {
                if step.to == vertex {
                    own += pass * weight(step.edge);
                    continue;
                }
                system.before.push(places[step.to as usize]);
                if let Some(weights) = &mut system.weights {
                    weights.push(weight(step.edge));
                }
            }
            let of = pass / (1.0 - own);
            system.grows.push((1.0 - own).recip());
            system.rows.push(Row {
                of,
                begins: of * system.begin[place],
                count: (system.before.len() - first) as u32,
            });
        }
        system
    }

    /// Returns the order in which vertices are solved, and the positions of those on or between cycles. The latter are
    /// sorted by in-degree, so that the trip counts of the inner loop are predictable.
    fn solving(&self) -> (Vec<u32>, Range<usize>) {
        let adjacency = self.adjacency();
        let vertices = self.vertex_count() as u32;
        let back = reversed(self.direction);
        let mut is_taken = vec![false; vertices as usize];
        let mut ends = [back, self.direction].map(|before| {
            let others = |vertex: u32| {
                let steps = adjacency.steps(vertex, before).iter();
                steps.filter(|step| step.to != vertex).count()
            };
            let mut missing: Vec<usize> = (0..vertices).map(others).collect();
            let free = (0..vertices)
                .filter(|&vertex| missing[vertex as usize] == 0 && !is_taken[vertex as usize]);
            let mut taken: Vec<u32> = free.collect();
            let mut next = 0;
            while let Some(&vertex) = taken.get(next) {
                next += 1;
                is_taken[vertex as usize] = true;
                for step in adjacency.steps(vertex, reversed(before)) {
                    let missing = &mut missing[step.to as usize];
                    if step.to != vertex && !is_taken[step.to as usize] {
                        *missing -= 1;
                        if *missing == 0 {
                            taken.push(step.to);
                        }
                    }
                }
            }
            taken
        });
        ends[1].reverse();
        let [mut order, last] = ends;
        let rest = (0..vertices).filter(|&vertex| !is_taken[vertex as usize]);
        let core = order.len()..vertices as usize - last.len();
        order.extend(rest);
        order[core.clone()].sort_by_key(|&vertex| adjacency.degree(vertex, back));
        order.extend(last);
        (order, core)
    }
}

impl System {
    fn solve(&self, damping: f64, watch: &Watch<'_>) -> Result<Vec<f64>, Cancelled> {
        let progress = Progress::new(MAX_ROUNDS + 1, watch);
        let mut passed: Vec<f64> = self.rows.iter().map(|row| row.begins).collect();
        let count = |rows: &[Row]| rows.iter().map(|row| row.count as usize).sum::<usize>();
        let first = count(&self.rows[..self.core.start]);
        let core = first..first + count(&self.rows[self.core.clone()]);
        self.step(0..self.core.start, 0..first, &mut passed);
        // The L1 error is at most the residual / (1 - damping), and normalisation at most doubles it.
        let allowed = RANK_ERROR * (1.0 - damping) / 4.0;
        let worth = &self.worth[self.core.clone()];
        // Factor by which a round reduces errors at least, and changes approximately.
        let shrinks = damping.powi(CHANGES as i32);
        let mut states: [Vec<f64>; CHANGES] = Default::default();
        // State before the last extrapolation, and the change at that time.
        let mut sure: Option<(Vec<f64>, f64)> = None;
        // Rounds without extrapolation that remain, and how many follow the next failure.
        let [mut rest, mut next_rest] = [0, 1_u64];
        let mut change = f64::INFINITY;
        'rounds: for round in 1..=MAX_ROUNDS {
            let is_near = change * damping <= NEAR * allowed;
            for (number, state) in states.iter_mut().enumerate() {
                state.clear();
                state.extend_from_slice(&passed[self.core.clone()]);
                self.step(self.core.clone(), core.clone(), &mut passed);
                if !is_near && number + 1 < CHANGES {
                    continue;
                }
                let sum;
                [change, sum] = changed(state, &passed[self.core.clone()], worth);
                // The residual consists of the changes after a row was solved; rounding errors remain.
                if change * damping <= allowed.max(ROUNDING * sum) {
                    break 'rounds;
                }
            }
            let now = &mut passed[self.core.clone()];
            progress.advance(1)?;
            // A failed extrapolation is undone; the pause before the next one doubles each time.
            let is_astray = |(_, before): &(_, f64)| change.is_nan() || change > shrinks * before;
            if let Some((state, _)) = sure.take().filter(is_astray) {
                now.copy_from_slice(&state);
                (rest, next_rest) = (next_rest, 2 * next_rest);
            }
            if rest > 0 || round == MAX_ROUNDS {
                rest = rest.saturating_sub(1);
                continue;
            }
            let state = now.to_vec();
            if extrapolate(&states, now, worth) {
                sure = Some((state, change));
            }
        }
        let last = self.core.end..self.rows.len();
        self.step(last, core.end..self.before.len(), &mut passed);
        progress.finish(self.ranks(&passed))
    }

    /// One Gauss-Seidel sweep over some rows and their edges.
    fn step(&self, part: Range<usize>, edges: Range<usize>, passed: &mut [f64]) {
        let mut before = &self.before[edges.clone()];
        let mut weights = self.weights.as_ref().map(|weights| &weights[edges]);
        for (place, row) in part.clone().zip(&self.rows[part]) {
            let count = row.count as usize;
            let (own, rest) = before.split_at(count);
            let own = own.iter().map(|&before| passed[before as usize]);
            let sum: f64 = match &mut weights {
                Some(weights) => {
                    let (own_weights, rest) = weights.split_at(count);
                    *weights = rest;
                    own.zip(own_weights)
                        .map(|(passed, weight)| passed * weight)
                        .sum()
                }
                None => own.sum(),
            };
            before = rest;
            passed[place] = row.begins + row.of * sum;
        }
    }

    /// Converts the unknowns to ranks.
    fn ranks(&self, passed: &[f64]) -> Vec<f64> {
        let mut at = 0;
        let rank = |place: usize| {
            let edges = at..at + self.rows[place].count as usize;
            at = edges.end;
            let own = edges.map(|edge| {
                let weight = self.weights.as_ref().map_or(1.0, |weights| weights[edge]);
                passed[self.before[edge] as usize] * weight
            });
            (self.begin[place] + own.sum::<f64>()) * self.grows[place]
        };
        (0..self.rows.len()).map(rank).collect()
    }
}

/// L1 change of an iteration and L1 norm, in terms of ranks.
fn changed(old: &[f64], new: &[f64], worth: &[f64]) -> [f64; 2] {
    let [mut change, mut sum] = [0.0, 0.0];
    for ((old, new), worth) in old.iter().zip(new).zip(worth) {
        change += (new - old).abs() * worth;
        sum += new * worth;
    }
    [change, sum]
}
