//! Local moving: each vertex joins the community with the greatest gain of modularity.

use std::collections::VecDeque;

use super::weighted_graph::{SparseSums, WeightedGraph};
use crate::network::random::Random;
use crate::progress::{Cancelled, Progress};

/// Number of vertices between two checks for cancellation.
const CHECK_INTERVAL: u32 = 1 << 14;
/// Least gain, relative to the mass of a vertex, so that rounding moves nothing.
const WORTH: f64 = 1e-12;

/// Moves vertices until no move gains; returns true if any was moved. A vertex is revisited when a neighbour moves away
/// from it (queue of Leiden). Communities are numbered below the number of vertices.
pub(super) fn move_vertices(
    graph: &WeightedGraph,
    of: &mut [u32],
    resolution: f64,
    random: &mut Random,
    progress: &Progress<'_>,
) -> Result<bool, Cancelled> {
    let vertices = graph.vertices();
    let expected = resolution / graph.all;
    let mut mass = vec![0.0; vertices as usize];
    let mut members = vec![0_u32; vertices as usize];
    for (vertex, &community) in of.iter().enumerate() {
        mass[community as usize] += graph.mass[vertex];
        members[community as usize] += 1;
    }
    let is_empty = |&community: &u32| members[community as usize] == 0;
    let mut empty: Vec<u32> = (0..vertices).filter(is_empty).collect();
    let mut order: Vec<u32> = (0..vertices).collect();
    random.shuffle(&mut order);
    let mut queue = VecDeque::from(order);
    let mut waits = vec![true; vertices as usize];
    let mut to = SparseSums::new(vertices);
    let (mut looked_at, mut is_moved) = (0_u32, false);
    while let Some(vertex) = queue.pop_front() {
        waits[vertex as usize] = false;
        looked_at = looked_at.wrapping_add(1);
        if looked_at.is_multiple_of(CHECK_INTERVAL) {
            progress.advance(0)?;
        }
        let (own, weight) = (of[vertex as usize], graph.mass[vertex as usize]);
        for (other, weight) in graph.steps(vertex) {
            to.add(of[other as usize], weight);
        }
        let gain = |community: u32, mass: f64| to.get(community) - expected * weight * mass;
        let stays = gain(own, mass[own as usize] - weight);
        let (mut best, mut most) = (own, stays + WORTH * weight);
        for &community in to.touched.iter().filter(|&&community| community != own) {
            let gain = gain(community, mass[community as usize]);
            if gain > most {
                (best, most) = (community, gain);
            }
        }
        to.clear();
        // A singleton community has no gain and no loss.
        if most < 0.0
            && let Some(&alone) = empty.last()
        {
            best = alone;
        }
        if best == own {
            continue;
        }
        if members[best as usize] == 0 {
            empty.pop();
        }
        mass[own as usize] -= weight;
        mass[best as usize] += weight;
        members[own as usize] -= 1;
        members[best as usize] += 1;
        if members[own as usize] == 0 {
            mass[own as usize] = 0.0;
            empty.push(own);
        }
        of[vertex as usize] = best;
        is_moved = true;
        for (other, _) in graph.steps(vertex) {
            if of[other as usize] != best && !waits[other as usize] {
                waits[other as usize] = true;
                queue.push_back(other);
            }
        }
    }
    Ok(is_moved)
}
