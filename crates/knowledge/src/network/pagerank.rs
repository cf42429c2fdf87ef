//! `PageRank`.
//!
//! The rank of a vertex is how often a surfer is there who follows edges, each by its part of the weight of those at
//! its vertex, and now and then, and wherever there is no edge, begins anew (Page, Brin, Motwani and Winograd, 1999).
//! Ranks are the solution of a linear system in which those without edges need no attention but that all is divided by
//! the sum in the end (Del Corso, Gullì and Romani, Fast `PageRank` computation via a sparse linear system, 2005). What
//! no circle leads to is solved once and first, and what leads to no circle once and last; what is between them, by
//! Gauss-Seidel steps, and after some of them by where these lead. How much a step changes bounds what the equations
//! miss, and that the errors of the solution.

use std::ops::Range;

use super::adjacency::reversed;
use super::error::NetworkError;
use super::extrapolation::{CHANGES, extrapolate};
use super::part::Part;
use super::scores::Scores;
use crate::graph::Direction;
use crate::progress::{Cancelled, Progress, Watch};

/// The sum of all errors is below this.
pub const RANK_ERROR: f64 = 5e-10;
/// How many rounds of steps there may be, each of which makes errors smaller by the damping at least, or is undone.
const MOST_ROUNDS: u64 = 100_000;

/// Where what a step changes is so many times what it may be, it is looked after each step whether it is enough.
const NEAR: f64 = 1e3;
/// The part of a sum that is lost by rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// How ranks are found.
#[derive(Debug, Clone, PartialEq)]
pub struct Surfing {
    /// How often an edge is followed, and not begun anew: from 0 to below 1.
    pub damping: f64,
    /// Whether edges count by their weights.
    pub weighted: bool,
    /// Where it is begun anew: ids and how often each; everywhere alike if empty.
    pub starts: Vec<(String, f64)>,
}

impl Default for Surfing {
    fn default() -> Surfing {
        Surfing {
            damping: 0.85,
            weighted: false,
            starts: Vec::new(),
        }
    }
}

/// The system x = v + A x, with vertices in the order in which they are solved. What is solved for is not the rank of a
/// vertex but what it passes on by an edge of weight 1.
struct System {
    /// The vertex at each place of the order.
    order: Vec<u32>,
    /// The places of those that are solved again and again.
    core: Range<usize>,
    rows: Vec<Row>,
    /// The places of the vertices before each, one after the other.
    before: Vec<u32>,
    /// The weight of each of these edges, if weights count.
    weights: Option<Vec<f64>>,
    /// The rank of each, by what it passes on; 0 if it passes nothing on.
    worth: Vec<f64>,
    /// What is begun at each, with what it passes on to itself.
    begin: Vec<f64>,
    /// By what each is larger since it passes something on to itself.
    grows: Vec<f64>,
}

/// The equation of a vertex.
struct Row {
    /// What it passes on of what comes to it.
    of: f64,
    /// What it passes on of what begins at it.
    begins: f64,
    /// How many vertices are before it.
    count: u32,
}

impl Part<'_> {
    /// The `PageRank` of each vertex, as edges are followed; all together are 1. Several edges between two vertices
    /// count by the sum of their weights.
    ///
    /// The errors of all together are below [`RANK_ERROR`]. O(n + m) for a step.
    ///
    /// # Errors
    /// [`NetworkError`]: a damping or starts that are none, weights below 0, or [`Cancelled`].
    pub fn pagerank(&self, surfing: &Surfing, watch: &Watch<'_>) -> Result<Scores, NetworkError> {
        if !(0.0..1.0).contains(&surfing.damping) {
            return Err(NetworkError::Invalid {
                what: "the damping",
                given: surfing.damping.to_string(),
                needed: "from 0 to below 1, such as 0.85".to_owned(),
            });
        }
        if surfing.weighted {
            self.check_weights("PageRank by weights")?;
        }
        let begin = self.begin(&surfing.starts)?;
        let system = self.system(surfing, &begin);
        let ranks = system.solve(surfing.damping, watch)?;
        let sum: f64 = ranks.iter().sum();
        let mut values = vec![0.0; ranks.len()];
        for (&vertex, rank) in system.order.iter().zip(ranks) {
            values[vertex as usize] = rank / sum;
        }
        Ok(Scores {
            values,
            errors: None,
        })
    }

    /// How often it is begun at each vertex.
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
            return Err(NetworkError::Invalid {
                what: "where the ranks begin",
                given: given.take(5).collect::<Vec<_>>().join(", "),
                needed: "numbers of 0 and more with a sum above 0".to_owned(),
            });
        }
        for (id, often) in starts {
            begin[self.place(id)? as usize] += often / sum;
        }
        Ok(begin)
    }

    fn system(&self, surfing: &Surfing, begin: &[f64]) -> System {
        let (adjacency, weight) = (self.adjacency(), self.weight(surfing.weighted));
        let (order, core) = self.solving();
        let mut places = vec![0_u32; order.len()];
        for (place, &vertex) in (0..).zip(&order) {
            places[vertex as usize] = place;
        }
        let is_plain = !surfing.weighted && self.direction != Direction::Both;
        let total = |&vertex: &u32| {
            if is_plain {
                return adjacency.degree(vertex, self.direction) as f64;
            }
            let steps = adjacency.steps_once(vertex, self.direction);
            steps.map(|step| weight(step.edge)).sum()
        };
        let worth = |total: f64| {
            if surfing.damping > 0.0 {
                total / surfing.damping
            } else {
                0.0
            }
        };
        let mut system = System {
            core,
            rows: Vec::with_capacity(order.len()),
            before: Vec::with_capacity(adjacency.edges()),
            weights: surfing.weighted.then(Vec::new),
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

    /// The vertices in the order in which they are solved, and the places of those that are in circles or between them.
    /// The latter come by how many edges lead to them, so that it can be foreseen in each step how many these are.
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
        let progress = Progress::new(MOST_ROUNDS + 1, watch);
        let mut passed: Vec<f64> = self.rows.iter().map(|row| row.begins).collect();
        let count = |rows: &[Row]| rows.iter().map(|row| row.count as usize).sum::<usize>();
        let first = count(&self.rows[..self.core.start]);
        let core = first..first + count(&self.rows[self.core.clone()]);
        self.step(0..self.core.start, 0..first, &mut passed);
        // The sum of errors is what is missed by 1 / (1 - damping) at most, and dividing by the sum doubles it at most.
        let allowed = RANK_ERROR * (1.0 - damping) / 4.0;
        let worth = &self.worth[self.core.clone()];
        // To which part of them a round brings errors at least, and changes about.
        let shrinks = damping.powi(CHANGES as i32);
        let mut states: [Vec<f64>; CHANGES] = Default::default();
        // What was led on from last, and what the step before had changed.
        let mut sure: Option<(Vec<f64>, f64)> = None;
        // For how many rounds it is not led on, and for how many when it leads astray again.
        let [mut rest, mut next_rest] = [0, 1_u64];
        let mut change = f64::INFINITY;
        'rounds: for round in 1..=MOST_ROUNDS {
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
                // The equations miss what was changed after they were solved, and what is lost by rounding stays missed.
                if change * damping <= allowed.max(ROUNDING * sum) {
                    break 'rounds;
                }
            }
            let now = &mut passed[self.core.clone()];
            progress.add(1);
            if progress.is_ended() {
                return Err(Cancelled);
            }
            // Where it led astray the steps themselves do better, the more surely the more often it did.
            let is_astray = |(_, before): &(_, f64)| change.is_nan() || change > shrinks * before;
            if let Some((state, _)) = sure.take().filter(is_astray) {
                now.copy_from_slice(&state);
                (rest, next_rest) = (next_rest, 2 * next_rest);
            }
            if rest > 0 || round == MOST_ROUNDS {
                rest = rest.saturating_sub(1);
                continue;
            }
            let state = now.to_vec();
            if extrapolate(&states, now, worth) {
                sure = Some((state, change));
            }
        }
        self.step(
            self.core.end..self.rows.len(),
            core.end..self.before.len(),
            &mut passed,
        );
        progress.finish(self.ranks(&passed))
    }

    /// Solves the equations of some vertices, with the edges to them, one after the other.
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

    /// The rank of each by what comes to it.
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

/// How much a step changed of what is passed on, by what that is worth, and how much all of it is.
fn changed(old: &[f64], new: &[f64], worth: &[f64]) -> [f64; 2] {
    let [mut change, mut sum] = [0.0, 0.0];
    for ((old, new), worth) in old.iter().zip(new).zip(worth) {
        change += (new - old).abs() * worth;
        sum += new * worth;
    }
    [change, sum]
}
