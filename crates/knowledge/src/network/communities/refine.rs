//! Refinement of Leiden: splits communities into well-connected parts.

use super::weighted_graph::{SparseSums, WeightedGraph};
use crate::network::random::Random;
use crate::progress::{Cancelled, Progress};

/// Randomness (theta) of the choice of parts.
const RANDOMNESS: f64 = 0.01;
/// Number of vertices between two checks for cancellation.
const CHECK_INTERVAL: usize = 1 << 14;

/// Splits communities into connected parts, each numbered as one of its vertices. A vertex may join only a part to
/// which it is adjacent.
pub(super) fn refine(
    graph: &WeightedGraph,
    of: &[u32],
    resolution: f64,
    random: &mut Random,
    progress: &Progress<'_>,
) -> Result<Vec<u32>, Cancelled> {
    let vertices = graph.vertices();
    let expected = resolution / graph.all;
    let randomness = RANDOMNESS * graph.mean();
    let mut whole = vec![0.0; vertices as usize];
    for (vertex, &community) in of.iter().enumerate() {
        whole[community as usize] += graph.mass[vertex];
    }
    let mut parts: Vec<u32> = (0..vertices).collect();
    let mut mass = graph.mass.clone();
    // Weight between each part and the rest of its community.
    let rest = |vertex: u32| {
        let own = of[vertex as usize];
        let steps = graph.steps(vertex);
        let steps = steps.filter(|(other, _)| of[*other as usize] == own);
        steps.map(|(_, weight)| weight).sum()
    };
    let mut joins: Vec<f64> = (0..vertices).map(rest).collect();
    let mut is_alone = vec![true; vertices as usize];
    let mut order: Vec<u32> = (0..vertices).collect();
    random.shuffle(&mut order);
    let mut to = SparseSums::new(vertices);
    let mut good: Vec<(u32, f64)> = Vec::new();
    for (count, vertex) in order.into_iter().enumerate() {
        if count.is_multiple_of(CHECK_INTERVAL) {
            progress.advance(0)?;
        }
        let whole = whole[of[vertex as usize] as usize];
        // True if a part is connected to the rest of its community at least as strongly as expected.
        let is_well_joined = |part: u32, mass: &[f64], joins: &[f64]| {
            let mass = mass[part as usize];
            joins[part as usize] >= expected * mass * (whole - mass)
        };
        if !is_alone[vertex as usize] || !is_well_joined(vertex, &mass, &joins) {
            continue;
        }
        let own = graph.mass[vertex as usize];
        for (other, weight) in graph.steps(vertex) {
            if of[other as usize] == of[vertex as usize] && weight > 0.0 {
                to.add(parts[other as usize], weight);
            }
        }
        good.clear();
        for &part in &to.touched {
            let gain = to.get(part) - expected * own * mass[part as usize];
            if gain >= 0.0 && is_well_joined(part, &mass, &joins) {
                good.push((part, gain));
            }
        }
        if let Some(part) = choose(&mut good, randomness, random) {
            parts[vertex as usize] = part;
            mass[part as usize] += own;
            joins[part as usize] += joins[vertex as usize] - 2.0 * to.get(part);
            is_alone[part as usize] = false;
            is_alone[vertex as usize] = false;
        }
        to.clear();
    }
    Ok(parts)
}

/// Chooses a part with a probability that grows exponentially with its gain, or none, whose gain is 0.
fn choose(good: &mut [(u32, f64)], randomness: f64, random: &mut Random) -> Option<u32> {
    let most = good.iter().map(|(_, gain)| *gain).fold(0.0, f64::max);
    let likelihood = |gain: f64| ((gain - most) / randomness).exp();
    let mut sum = likelihood(0.0);
    for (_, gain) in good.iter_mut() {
        sum += likelihood(*gain);
        *gain = sum;
    }
    let drawn = random.part() * sum;
    let stays = likelihood(0.0);
    if drawn < stays {
        return None;
    }
    let chosen = good.iter().find(|(_, end)| drawn < *end);
    chosen.map(|&(part, _)| part)
}
