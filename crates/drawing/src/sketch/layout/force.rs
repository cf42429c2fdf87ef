//! Nodes that repel each other, and edges that pull.
//!
//! M. Jacomy, T. Venturini, S. Heymann, M. Bastian, "`ForceAtlas2`, a Continuous Graph Layout Algorithm for Handy Network
//! Visualization" (2014): nodes repel each other by their degrees over the distance, edges pull by the distance or its
//! logarithm, and each node is as quick as it does not swing. The push of many nodes is summed in a tree (`tree`). It
//! begins with a layout by distances in the graph (`pivots`), without which large graphs stay folded, and steps get short
//! in the end. The paper's forces against overlap are not used: the layout is brought to the size of its nodes, and what
//! then overlaps is pushed apart, as for every method.
//!
//! The crate fa2 was no choice: it has no logarithmic pull, no adaptive speed for all nodes, and cannot be cancelled.
//! A round takes time in proportion to the edges and to n log n for n nodes; forces of nodes are found on all threads and
//! summed in one order.

use fibula_knowledge::progress::Progress;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::pack::{Component, components, packed};
use super::room::room;
use super::tree::Tree;
use super::{GAP, PARTS, Plan, WIDE_GAP, direction, pivots, told};
use crate::sketch::error::SketchError;

/// The most rounds.
const MOST_ROUNDS: u32 = 10_000;
/// The share of nodes that overlap others no more once the layout has its size.
const FREE: f64 = 0.5;
/// How much farther apart they are then.
const AIRY: f64 = 1.1;
/// The speed of a node as a part of that of all, and the longest way as a part of its push (`k_s` and `k_smax` of the paper).
const SPEED: f64 = 0.1;
const SPEEDIEST: f64 = 10.0;
/// How much faster all become in a round at most.
const RISE: f64 = 1.5;

/// How strong forces are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Force {
    /// Whether edges pull by the logarithm of their length, which makes clusters tighter.
    pub lin_log: bool,
    /// How strongly the middle pulls, 0 to 1000.
    pub gravity: f64,
    /// Whether it pulls more from farther away.
    pub strong_gravity: bool,
    /// How strongly nodes repel each other, 0.001 to 1000.
    pub scaling: f64,
    /// How many rounds, up to 10 000; if left out, so many as suit the number of nodes.
    pub rounds: Option<u32>,
}

impl Default for Force {
    fn default() -> Self {
        Force {
            lin_log: false,
            gravity: 1.0,
            strong_gravity: false,
            scaling: 2.0,
            rounds: None,
        }
    }
}

impl Force {
    fn check(&self) -> Result<(), SketchError> {
        let refused = |what: &str, number: String, expected: &'static str| {
            Err(SketchError::InvalidNumber {
                what: what.to_owned(),
                number,
                expected,
            })
        };
        if !(0.0..=1e3).contains(&self.gravity) {
            return refused("the gravity", self.gravity.to_string(), "0 to 1000");
        }
        if !(1e-3..=1e3).contains(&self.scaling) {
            return refused("the scaling", self.scaling.to_string(), "0.001 to 1000");
        }
        match self.rounds {
            Some(rounds) if rounds > MOST_ROUNDS => {
                refused("the number of rounds", rounds.to_string(), "at most 10 000")
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Large graphs have fewer rounds, each of which takes longer, and what is nearly done has fewer, too.
    fn rounds(&self, count: usize, is_begun: bool) -> usize {
        let suited = (14_000.0 / (count as f64).sqrt()).clamp(80.0, 600.0);
        let suited = if is_begun { suited / 2.0 } else { suited };
        self.rounds
            .map_or(suited as usize, |rounds| rounds as usize)
    }
}

/// Who is joined to whom, and how strongly.
pub(super) struct Neighbours {
    first: Vec<u32>,
    all: Vec<(u32, f64)>,
}

impl Neighbours {
    pub(super) fn new(count: usize, edges: &[(usize, usize, f64)]) -> Neighbours {
        let mut first = vec![0_u32; count + 1];
        for &(source, target, _) in edges {
            first[source + 1] += 1;
            first[target + 1] += 1;
        }
        for node in 0..count {
            first[node + 1] += first[node];
        }
        let mut next = first.clone();
        let mut all = vec![(0, 0.0); 2 * edges.len()];
        for &(source, target, weight) in edges {
            for (node, other) in [(source, target), (target, source)] {
                all[next[node] as usize] = (other as u32, weight);
                next[node] += 1;
            }
        }
        Neighbours { first, all }
    }

    pub(super) fn count(&self) -> usize {
        self.first.len() - 1
    }

    pub(super) fn of(&self, node: usize) -> &[(u32, f64)] {
        &self.all[self.first[node] as usize..self.first[node + 1] as usize]
    }
}

/// The places of all nodes.
pub(super) fn found(
    plan: &Plan,
    force: &Force,
    progress: &Progress<'_>,
) -> Result<Vec<[f64; 2]>, SketchError> {
    force.check()?;
    let components = components(plan);
    let known = |component: &Component| {
        let known = component.nodes.iter();
        known
            .filter(|&&node| plan.start.get(node).is_some_and(Option::is_some))
            .count()
    };
    let rounds = |component: &Component| {
        let count = component.nodes.len();
        if count > 1 {
            force.rounds(count, known(component) == count)
        } else {
            0
        }
    };
    let work: u64 = components
        .iter()
        .map(|component| (rounds(component) * component.nodes.len()) as u64)
        .sum();
    let (mut done, mut before) = (0, 0);
    let mut local = Vec::with_capacity(components.len());
    for component in &components {
        let count = component.nodes.len();
        let mut swarm = Swarm::new(plan, component, force);
        let rounds = rounds(component);
        for round in 0..rounds {
            swarm.step(1.0 - round as f64 / rounds as f64);
            done += count as u64;
            let now = done * PARTS / work.max(1);
            told(progress, now - before)?;
            before = now;
        }
        let sizes: Vec<[f64; 2]> = component
            .nodes
            .iter()
            .map(|&node| plan.sizes[node])
            .collect();
        let mut places = swarm.places;
        let factor = AIRY * room(&places, &sizes, GAP, FREE);
        places.iter_mut().flatten().for_each(|part| *part *= factor);
        // Crowds are made even before components are packed, so that they stay out of each other's way.
        super::apart::push(&mut places, &sizes, GAP, progress)?;
        local.push(places);
    }
    Ok(packed(plan, &components, &local, WIDE_GAP))
}

/// Nodes that are moving.
struct Swarm<'a> {
    force: &'a Force,
    neighbours: Neighbours,
    /// One more than the number of edges.
    masses: Vec<f64>,
    places: Vec<[f64; 2]>,
    /// What pushed each node in the last round.
    pushes: Vec<[f64; 2]>,
    speed: f64,
    /// About how large the layout is.
    extent: f64,
}

impl Swarm<'_> {
    fn new<'a>(plan: &Plan, component: &Component, force: &'a Force) -> Swarm<'a> {
        let count = component.nodes.len();
        let mut edges = component.edges.clone();
        even(&mut edges);
        let neighbours = Neighbours::new(count, &edges);
        let masses: Vec<f64> = (0..count)
            .map(|node| 1.0 + neighbours.of(node).len() as f64)
            .collect();
        let extent = (force.scaling * count as f64).sqrt() * masses.iter().sum::<f64>()
            / count.max(1) as f64;
        let start: Vec<Option<[f64; 2]>> = component
            .nodes
            .iter()
            .map(|&node| plan.start.get(node).copied().flatten())
            .collect();
        let mut places = if start.iter().any(Option::is_some) {
            begun(start, &neighbours)
        } else {
            pivots::found(&neighbours)
        };
        places
            .iter_mut()
            .flatten()
            .for_each(|part| *part *= extent / 2.0);
        Swarm {
            force,
            neighbours,
            masses,
            places,
            pushes: vec![[0.0; 2]; count],
            speed: 1.0,
            extent,
        }
    }

    /// A round; `heat` falls from 1 to 0.
    fn step(&mut self, heat: f64) {
        /// Nodes that a thread takes at once.
        const CHUNK: usize = 256;
        let tree = Tree::new(&self.places, &self.masses);
        let swarm = &*self;
        let pushes: Vec<[f64; 2]> = (0..self.places.len())
            .into_par_iter()
            .with_min_len(CHUNK)
            .map(|node| swarm.push(&tree, node))
            .collect();
        let (mut swinging, mut pulling) = (0.0, 0.0);
        for ((now, before), mass) in pushes.iter().zip(&self.pushes).zip(&self.masses) {
            swinging += mass * (now[0] - before[0]).hypot(now[1] - before[1]);
            pulling += mass * (now[0] + before[0]).hypot(now[1] + before[1]) / 2.0;
        }
        let wanted = pulling / swinging.max(1e-12);
        self.speed = wanted.min(self.speed * RISE).max(1e-6);
        let longest = self.extent * 0.1 * heat + self.extent * 1e-4;
        for (node, now) in pushes.iter().enumerate() {
            let before = self.pushes[node];
            let swing = (now[0] - before[0]).hypot(now[1] - before[1]);
            let size = now[0].hypot(now[1]).max(1e-12);
            let speed = SPEED * self.speed / (1.0 + self.speed * swing.sqrt());
            let factor = speed.min(SPEEDIEST / size).min(longest / size);
            for (part, push) in self.places[node].iter_mut().zip(now) {
                *part += push * factor;
            }
        }
        self.pushes = pushes;
    }

    /// What pushes a node.
    fn push(&self, tree: &Tree, node: usize) -> [f64; 2] {
        let (place, mass) = (self.places[node], self.masses[node]);
        let apart = tree
            .push(place)
            .map(|part| part * mass * self.force.scaling);
        let far = place[0].hypot(place[1]).max(1e-9);
        let gravity = if self.force.strong_gravity {
            1.0
        } else {
            1.0 / far
        };
        let gravity = self.force.gravity * mass * gravity;
        let mut push = [0, 1].map(|axis| apart[axis] - place[axis] * gravity);
        for &(other, weight) in self.neighbours.of(node) {
            let other = self.places[other as usize];
            let away = [other[0] - place[0], other[1] - place[1]];
            let pull = if self.force.lin_log {
                let length = away[0].hypot(away[1]).max(1e-9);
                weight * length.ln_1p() / length
            } else {
                weight
            };
            push = [0, 1].map(|axis| push[axis] + away[axis] * pull);
        }
        push
    }
}

/// Makes weights multiples of their mean, none of them overwhelming.
fn even(edges: &mut [(usize, usize, f64)]) {
    const STRONGEST: f64 = 20.0;
    let most = edges.iter().fold(0.0, |most: f64, edge| most.max(edge.2));
    if most == 0.0 {
        return;
    }
    // A sum of numbers near the largest one there is would be none.
    let mean = edges.iter().map(|edge| edge.2 / most).sum::<f64>() / edges.len() as f64;
    for edge in edges {
        edge.2 = (edge.2 / most / mean).min(STRONGEST);
    }
}

/// Places of a connected graph of which some are known: the others begin beside those that they are joined to.
fn begun(start: Vec<Option<[f64; 2]>>, neighbours: &Neighbours) -> Vec<[f64; 2]> {
    let mut places = start;
    let mut open: Vec<usize> = (0..places.len())
        .filter(|&node| places[node].is_some())
        .collect();
    let mut next = 0;
    while let Some(&node) = open.get(next) {
        next += 1;
        for &(other, _) in neighbours.of(node) {
            let other = other as usize;
            if places[other].is_none() {
                let known: Vec<[f64; 2]> = neighbours
                    .of(other)
                    .iter()
                    .filter_map(|&(near, _)| places[near as usize])
                    .collect();
                let count = known.len() as f64;
                places[other] =
                    Some([0, 1].map(|axis| known.iter().map(|place| place[axis] / count).sum()));
                open.push(other);
            }
        }
    }
    let mut places: Vec<[f64; 2]> = places
        .into_iter()
        .enumerate()
        .map(|(node, place)| place.unwrap_or_else(|| direction(node)))
        .collect();
    pivots::spread(&mut places);
    places
}
