//! Dividing communities into parts that hang together, which then are moved as a whole: the refinement of Leiden.

use super::weave::{Tally, Weave};
use crate::network::random::Random;
use crate::progress::{Cancelled, Progress};

/// How random the choice among good parts is.
const RANDOMNESS: f64 = 0.01;
/// After so many vertices it is asked whether the answer is still wanted.
const OFTEN: usize = 1 << 14;

/// Divides communities, whose numbers are below that of vertices, into parts, each called as one of its vertices. Each
/// vertex joins a part to which it is joined itself, if at all, so that parts hang together.
pub(super) fn refine(
    weave: &Weave,
    of: &[u32],
    resolution: f64,
    random: &mut Random,
    progress: &Progress<'_>,
) -> Result<Vec<u32>, Cancelled> {
    let vertices = weave.vertices();
    let expected = resolution / weave.all;
    let randomness = RANDOMNESS * weave.mean();
    let mut whole = vec![0.0; vertices as usize];
    for (vertex, &community) in of.iter().enumerate() {
        whole[community as usize] += weave.mass[vertex];
    }
    let mut parts: Vec<u32> = (0..vertices).collect();
    let mut mass = weave.mass.clone();
    // What joins each part to the rest of its community.
    let rest = |vertex: u32| {
        let own = of[vertex as usize];
        let steps = weave
            .steps(vertex)
            .filter(|(other, _)| of[*other as usize] == own);
        steps.map(|(_, weight)| weight).sum()
    };
    let mut joins: Vec<f64> = (0..vertices).map(rest).collect();
    let mut is_alone = vec![true; vertices as usize];
    let mut order: Vec<u32> = (0..vertices).collect();
    random.shuffle(&mut order);
    let mut to = Tally::new(vertices);
    let mut good: Vec<(u32, f64)> = Vec::new();
    for (count, vertex) in order.into_iter().enumerate() {
        if count.is_multiple_of(OFTEN) {
            progress.add(0);
            if progress.is_ended() {
                return Err(Cancelled);
            }
        }
        let whole = whole[of[vertex as usize] as usize];
        // Whether a part is joined to the rest of the community at least as strongly as is expected.
        let is_well_joined = |part: u32, mass: &[f64], joins: &[f64]| {
            let mass = mass[part as usize];
            joins[part as usize] >= expected * mass * (whole - mass)
        };
        if !is_alone[vertex as usize] || !is_well_joined(vertex, &mass, &joins) {
            continue;
        }
        let own = weave.mass[vertex as usize];
        for (other, weight) in weave.steps(vertex) {
            if of[other as usize] == of[vertex as usize] && weight > 0.0 {
                to.add(parts[other as usize], weight);
            }
        }
        good.clear();
        for &part in &to.touched {
            let gain = to.of(part) - expected * own * mass[part as usize];
            if gain >= 0.0 && is_well_joined(part, &mass, &joins) {
                good.push((part, gain));
            }
        }
        if let Some(part) = chosen(&mut good, randomness, random) {
            parts[vertex as usize] = part;
            mass[part as usize] += own;
            joins[part as usize] += joins[vertex as usize] - 2.0 * to.of(part);
            is_alone[part as usize] = false;
            is_alone[vertex as usize] = false;
        }
        to.clear();
    }
    Ok(parts)
}

/// One of some, the likelier, the more is gained by it; or none, which gains nothing.
fn chosen(good: &mut [(u32, f64)], randomness: f64, random: &mut Random) -> Option<u32> {
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
    good.iter()
        .find(|(_, end)| drawn < *end)
        .map(|(part, _)| *part)
}
