//! Force-directed layout: nodes repel each other, and edges attract.
//!
//! `ForceAtlas2`, a relative of Fruchterman-Reingold (M. Jacomy, T. Venturini, S. Heymann, M. Bastian, "`ForceAtlas2`, a Continuous Graph Layout Algorithm for Handy Network
//! Visualization", 2014): the repulsion of nodes is proportional to their degrees and inverse to the distance, the attraction
//! of edges is linear or logarithmic in the distance, and each node has a speed that adapts to its oscillation. A Barnes-Hut
//! tree sums the repulsion. The initial layout is that of `pivot_mds`, without which large graphs stay folded, and cooling
//! limits the steps towards the end. The paper's forces against overlap are not used: the layout is scaled to the sizes of
//! its nodes, and `overlap_removal` separates those that then overlap, as for every method.
//!
//! The crate fa2 is not used: it has no logarithmic attraction, no global adaptive speed, and cannot be cancelled. An
//! iteration takes time linear in the edges and n log n for n nodes; the forces on nodes are computed on all threads and
//! summed in a fixed order.

use fibula_knowledge::progress::Progress;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::barnes_hut::BarnesHutTree;
use super::neighbours::Neighbours;
use super::packing::{Component, components, pack};
use super::scale::fitting_scale;
use super::{GAP, PROGRESS_UNITS, Plan, WIDE_GAP, direction, overlap_removal, pivot_mds};
use crate::sketch::error::SketchError;

/// Maximum number of iterations.
const MAX_ROUNDS: f64 = 1e4;
/// Share of the nodes that must not overlap others after scaling.
const FREE: f64 = 0.5;
/// Further enlargement after scaling.
const ENLARGEMENT: f64 = 1.1;
/// Speed of a node relative to the global speed, and limit of its step relative to its force (`k_s` and `k_smax` of the paper).
const SPEED: f64 = 0.1;
const MAX_SPEED: f64 = 10.0;
/// Maximum growth of the global speed per iteration.
const MAX_ACCELERATION: f64 = 1.5;

/// Strengths of forces.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Force {
    /// True if the attraction of edges is logarithmic in their length, which makes clusters tighter (`LinLog` mode).
    pub lin_log: bool,
    /// Strength of the attraction to the origin, 0 to 1000.
    pub gravity: f64,
    /// True if that attraction grows with the distance.
    pub strong_gravity: bool,
    /// Strength of the repulsion of nodes, 0.001 to 1000.
    pub scaling: f64,
    /// Number of iterations, up to 10 000; if left out, it depends on the number of nodes.
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
        let rounds = f64::from(self.rounds.unwrap_or(0));
        for (what, number, range, expected) in [
            ("the gravity", self.gravity, 0.0..=1e3, "0 to 1000"),
            ("the scaling", self.scaling, 1e-3..=1e3, "0.001 to 1000"),
            (
                "the number of iterations",
                rounds,
                0.0..=MAX_ROUNDS,
                "at most 10 000",
            ),
        ] {
            if !range.contains(&number) {
                return Err(SketchError::invalid_number(
                    what.to_owned(),
                    number,
                    expected,
                ));
            }
        }
        Ok(())
    }

    /// Number of iterations: fewer for large graphs, whose iterations take longer, and for graphs with initial positions.
    fn rounds(&self, count: usize, has_start: bool) -> usize {
        let suited = (14_000.0 / (count as f64).sqrt()).clamp(80.0, 600.0);
        let suited = if has_start { suited / 2.0 } else { suited };
        self.rounds
            .map_or(suited as usize, |rounds| rounds as usize)
    }
}

/// Computes the positions of all nodes.
pub(super) fn lay_out(
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
        let mut simulation = Simulation::new(plan, component, force);
        let rounds = rounds(component);
        for round in 0..rounds {
            simulation.step(1.0 - round as f64 / rounds as f64);
            done += count as u64;
            let now = done * PROGRESS_UNITS / work.max(1);
            progress.advance(now - before)?;
            before = now;
        }
        let sizes: Vec<[f64; 2]> = component
            .nodes
            .iter()
            .map(|&node| plan.sizes[node])
            .collect();
        let mut positions = simulation.positions;
        let factor = ENLARGEMENT * fitting_scale(&positions, &sizes, GAP, FREE);
        positions
            .iter_mut()
            .flatten()
            .for_each(|part| *part *= factor);
        // Before components are packed, so that they do not grow into each other.
        overlap_removal::separate(&mut positions, &sizes, GAP, progress)?;
        local.push(positions);
    }
    Ok(pack(plan, &components, &local, WIDE_GAP))
}

/// State of the simulation of a component.
struct Simulation<'a> {
    force: &'a Force,
    neighbours: Neighbours,
    /// Degrees plus one.
    masses: Vec<f64>,
    positions: Vec<[f64; 2]>,
    /// Force on each node in the last iteration.
    forces: Vec<[f64; 2]>,
    speed: f64,
    /// Approximate size of the layout.
    extent: f64,
}

impl Simulation<'_> {
    fn new<'a>(plan: &Plan, component: &Component, force: &'a Force) -> Simulation<'a> {
        let count = component.nodes.len();
        let mut edges = component.edges.clone();
        normalise_weights(&mut edges);
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
        let mut positions = if start.iter().any(Option::is_some) {
            complete(start, &neighbours)
        } else {
            pivot_mds::lay_out(&neighbours)
        };
        positions
            .iter_mut()
            .flatten()
            .for_each(|part| *part *= extent / 2.0);
        Simulation {
            force,
            neighbours,
            masses,
            positions,
            forces: vec![[0.0; 2]; count],
            speed: 1.0,
            extent,
        }
    }

    /// Performs an iteration; `temperature` falls from 1 to 0.
    fn step(&mut self, temperature: f64) {
        /// Number of nodes per task of a thread.
        const CHUNK: usize = 256;
        let tree = BarnesHutTree::new(&self.positions, &self.masses);
        let simulation = &*self;
        let forces: Vec<[f64; 2]> = (0..self.positions.len())
            .into_par_iter()
            .with_min_len(CHUNK)
            .map(|node| simulation.force_on(&tree, node))
            .collect();
        // The swing is the oscillation of a node, and the traction its useful motion.
        let (mut swinging, mut traction) = (0.0_f64, 0.0);
        for ((now, before), mass) in forces.iter().zip(&self.forces).zip(&self.masses) {
            swinging += mass * (now[0] - before[0]).hypot(now[1] - before[1]);
            traction += mass * (now[0] + before[0]).hypot(now[1] + before[1]) / 2.0;
        }
        let target_speed = traction / swinging.max(1e-12);
        self.speed = target_speed.min(self.speed * MAX_ACCELERATION).max(1e-6);
        let longest = self.extent * 0.1 * temperature + self.extent * 1e-4;
        for (node, now) in forces.iter().enumerate() {
            let before = self.forces[node];
            let swing = (now[0] - before[0]).hypot(now[1] - before[1]);
            let size = now[0].hypot(now[1]).max(1e-12);
            let speed = SPEED * self.speed / (1.0 + self.speed * swing.sqrt());
            let factor = speed.min(MAX_SPEED / size).min(longest / size);
            for (part, force) in self.positions[node].iter_mut().zip(now) {
                *part += force * factor;
            }
        }
        self.forces = forces;
    }

    /// Force on a node.
    fn force_on(&self, tree: &BarnesHutTree, node: usize) -> [f64; 2] {
        let (position, mass) = (self.positions[node], self.masses[node]);
        let repulsion = tree
            .repulsion(position)
            .map(|part| part * mass * self.force.scaling);
        let far = position[0].hypot(position[1]).max(1e-9);
        let gravity = if self.force.strong_gravity {
            1.0
        } else {
            1.0 / far
        };
        let gravity = self.force.gravity * mass * gravity;
        let mut sum = [0, 1].map(|axis| repulsion[axis] - position[axis] * gravity);
        for &(other, weight) in self.neighbours.of(node) {
            let other = self.positions[other as usize];
            let away = [other[0] - position[0], other[1] - position[1]];
            let attraction = if self.force.lin_log {
                let length = away[0].hypot(away[1]).max(1e-9);
                weight * length.ln_1p() / length
            } else {
                weight
            };
            sum = [0, 1].map(|axis| sum[axis] + away[axis] * attraction);
        }
        sum
    }
}

/// Divides weights by their mean, and limits them.
fn normalise_weights(edges: &mut [(usize, usize, f64)]) {
    const MAX_WEIGHT: f64 = 20.0;
    let most = edges.iter().fold(0.0, |most: f64, edge| most.max(edge.2));
    if most == 0.0 {
        return;
    }
    // The sum of numbers near the largest one would overflow.
    let mean = edges.iter().map(|edge| edge.2 / most).sum::<f64>() / edges.len() as f64;
    for edge in edges {
        edge.2 = (edge.2 / most / mean).min(MAX_WEIGHT);
    }
}

/// Completes the positions of a connected graph: a node without one starts at the mean of its neighbours' positions.
fn complete(start: Vec<Option<[f64; 2]>>, neighbours: &Neighbours) -> Vec<[f64; 2]> {
    let mut positions = start;
    let known: Vec<usize> = (0..positions.len())
        .filter(|&node| positions[node].is_some())
        .collect();
    neighbours.breadth_first(known, |node, _| {
        let near = neighbours.of(node).iter();
        let near = near.filter_map(|&(other, _)| positions[other as usize]);
        let near: Vec<[f64; 2]> = near.collect();
        let count = near.len() as f64;
        let mean = |axis: usize| near.iter().map(|position| position[axis] / count).sum();
        positions[node] = Some([0, 1].map(mean));
    });
    let positions = positions.into_iter().enumerate();
    let mut positions: Vec<[f64; 2]> = positions
        .map(|(node, position)| position.unwrap_or_else(|| direction(node)))
        .collect();
    pivot_mds::normalise(&mut positions);
    positions
}
