//! How far apart vertices are: diameter, radius and the mean distance.
//!
//! If searches from all vertices take no more work than is allowed, everything is exact. Else the diameter is narrowed
//! from both sides by searches from the rim of the network towards its middle (iFUB: Crescenzi, Grossi, Habib, Lanzi
//! and Marino, On computing the diameter of real-world undirected graphs, 2013), which is mostly exact after a few, and
//! the mean distance is estimated from some vertices.

use rayon::prelude::*;

use super::part::Part;
use super::random::Random;
use super::scores::left;
use super::simple::Simple;
use super::waves::{WIDTH, Waves};
use crate::progress::{Cancelled, Progress, Watch};

/// A work that takes about a second.
pub const USUAL_WORK: u64 = 100_000_000;
/// As many batches of searches are made before it is looked how much work that was.
const ROUND: usize = 8;
/// The most vertices from which the mean distance is estimated.
const MOST_SAMPLES: u32 = 1024;
/// The fewest of these at once.
const FEWEST: u64 = 16;
/// What chooses these.
const SEED: u64 = 1;
const NONE: u32 = u32::MAX;

/// A number that is known or narrowed down.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    /// It is not lower.
    pub least: u32,
    /// It is not higher.
    pub most: u32,
}

/// Distances in the largest weak component, whatever the direction of edges.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Distances {
    /// How many vertices that component has.
    pub vertices: usize,
    /// The longest of all shortest paths.
    pub diameter: Span,
    /// The longest of all shortest paths from the vertex from which it is shortest.
    pub radius: Span,
    /// The mean length of the shortest paths between different vertices.
    pub mean: f64,
    /// The standard error of that; `None` if it is exact.
    pub error: Option<f64>,
}

impl Span {
    /// Whether it is known.
    pub fn is_exact(self) -> bool {
        self.least == self.most
    }
}

/// What searches said.
#[derive(Default)]
struct Sums {
    /// How far the furthest vertex is away from each source.
    furthest: Vec<u32>,
    /// How far all are away from each source together.
    far: Vec<u64>,
    steps: u64,
}

impl Part<'_> {
    /// Distances in the largest weak component, with about so much work, counted in steps from a vertex to the next.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn distances(&self, work: u64, watch: &Watch<'_>) -> Result<Distances, Cancelled> {
        let weak = self.weak_components(watch)?;
        let members = (0..).zip(&weak.of).filter(|(_, number)| **number == 0);
        let members: Vec<u32> = members.map(|(vertex, _)| vertex).collect();
        let simple = self.adjacency().simple();
        let progress = Progress::new(members.len() as u64 + 1, watch);
        let found = match every(simple, &members, work, &progress)? {
            Some(sums) => Distances::exact(&sums),
            None => Distances::narrowed(simple, &members, work, &progress)?,
        };
        progress.finish(found)
    }
}

/// Searches from some vertices, in batches, each of which ends early once it made more steps than may be.
fn searched(
    simple: &Simple,
    sources: &[u32],
    most: u64,
    progress: &Progress<'_>,
) -> Result<Sums, Cancelled> {
    let batch = |sources: &[u32]| {
        let mut waves = Waves::new(simple);
        let mut sums = Sums {
            furthest: vec![0; sources.len()],
            far: vec![0; sources.len()],
            steps: 0,
        };
        sums.steps = waves.spread(sources, most, progress, |distance, _, bits| {
            let mut bits = bits;
            while bits != 0 {
                let source = bits.trailing_zeros() as usize;
                sums.furthest[source] = distance;
                sums.far[source] += u64::from(distance);
                bits &= bits - 1;
            }
        })?;
        progress.add(sources.len() as u64);
        Ok(sums)
    };
    let batches: Vec<&[u32]> = sources.chunks(WIDTH).collect();
    let all: Vec<Sums> = batches
        .into_par_iter()
        .map(batch)
        .collect::<Result<_, _>>()?;
    Ok(all.into_iter().fold(Sums::default(), Sums::joined))
}

/// Searches from all vertices; `None` if they take too much work.
fn every(
    simple: &Simple,
    members: &[u32],
    work: u64,
    progress: &Progress<'_>,
) -> Result<Option<Sums>, Cancelled> {
    let mut sums = Sums::default();
    let all = members.len() as u128;
    // How many steps so many searches may make, if all of them together may make so many.
    let share = |searches: usize| (u128::from(work) * searches as u128 / all) as u64;
    // One batch shows how much work the others are.
    let (first, rest) = members.split_at(members.len().min(WIDTH));
    for round in first.chunks(WIDTH).chain(rest.chunks(ROUND * WIDTH)) {
        // No batch makes more than all may, so that one which ended early is seen to be too much.
        let most = share(sums.far.len() + round.len());
        sums = sums.joined(searched(simple, round, most, progress)?);
        if sums.steps > share(sums.far.len()) {
            return Ok(None);
        }
    }
    Ok(Some(sums))
}

impl Sums {
    fn joined(mut self, other: Sums) -> Sums {
        self.furthest.extend(other.furthest);
        self.far.extend(other.far);
        self.steps += other.steps;
        self
    }

    /// The mean distance from the sources to so many vertices.
    fn mean(&self, vertices: usize) -> f64 {
        let far: u64 = self.far.iter().sum();
        let pairs = self.far.len() as f64 * (vertices as f64 - 1.0);
        if pairs > 0.0 { far as f64 / pairs } else { 0.0 }
    }

    /// The standard error of that.
    fn error(&self, vertices: usize) -> f64 {
        let (mean, count) = (self.mean(vertices), self.far.len() as f64);
        let others = vertices as f64 - 1.0;
        let squares = self
            .far
            .iter()
            .map(|&far| (far as f64 / others - mean).powi(2));
        let variance = squares.sum::<f64>() / (count - 1.0);
        (variance / count * left(count, vertices as f64)).sqrt()
    }
}

impl Distances {
    fn exact(sums: &Sums) -> Distances {
        let exactly = |number: Option<&u32>| {
            let number = number.copied().unwrap_or(0);
            Span {
                least: number,
                most: number,
            }
        };
        let vertices = sums.far.len();
        Distances {
            vertices,
            diameter: exactly(sums.furthest.iter().max()),
            radius: exactly(sums.furthest.iter().min()),
            mean: sums.mean(vertices),
            error: None,
        }
    }

    fn narrowed(
        simple: &Simple,
        members: &[u32],
        work: u64,
        progress: &Progress<'_>,
    ) -> Result<Distances, Cancelled> {
        let [diameter, radius] = narrow(simple, members, work, progress)?;
        let mut random = Random::new(SEED);
        let mut sources = random.sample(MOST_SAMPLES, members.len() as u32);
        random.shuffle(&mut sources);
        let mut sums = Sums::default();
        // No more at once than take about that work, even if no search meets another.
        let width = (work / (2 * simple.steps() as u64).max(1)).clamp(FEWEST, WIDTH as u64);
        for batch in sources.chunks(width as usize) {
            let batch: Vec<u32> = batch.iter().map(|&place| members[place as usize]).collect();
            sums = sums.joined(searched(simple, &batch, u64::MAX, progress)?);
            if sums.steps > work {
                break;
            }
        }
        Ok(Distances {
            vertices: members.len(),
            diameter,
            radius,
            mean: sums.mean(members.len()),
            error: Some(sums.error(members.len())),
        })
    }
}

/// Searches from one vertex after the other.
struct Rim<'a> {
    simple: &'a Simple,
    progress: &'a Progress<'a>,
    distances: Vec<u32>,
    /// What was found, the nearest first.
    order: Vec<u32>,
    steps: u64,
    diameter: u32,
    radius: u32,
}

impl Rim<'_> {
    /// Searches from a vertex; how far the furthest is away.
    fn search(&mut self, source: u32) -> Result<u32, Cancelled> {
        for vertex in self.order.drain(..) {
            self.distances[vertex as usize] = NONE;
        }
        self.distances[source as usize] = 0;
        self.order.push(source);
        let mut next = 0;
        while let Some(&vertex) = self.order.get(next) {
            next += 1;
            let distance = self.distances[vertex as usize] + 1;
            let neighbours = self.simple.of(vertex);
            self.steps += neighbours.len() as u64;
            for &other in neighbours {
                if self.distances[other as usize] == NONE {
                    self.distances[other as usize] = distance;
                    self.order.push(other);
                }
            }
        }
        self.progress.add(0);
        if self.progress.is_ended() {
            return Err(Cancelled);
        }
        let furthest = self.distances[self.last() as usize];
        self.diameter = self.diameter.max(furthest);
        self.radius = self.radius.min(furthest);
        Ok(furthest)
    }

    /// The vertex that was found last.
    fn last(&self) -> u32 {
        self.order.last().copied().unwrap_or_default()
    }

    /// The vertex in the middle of the path to one.
    fn middle(&self, mut vertex: u32) -> u32 {
        let half = self.distances[vertex as usize] / 2;
        while self.distances[vertex as usize] > half {
            let nearer = self.distances[vertex as usize] - 1;
            let mut before = self.simple.of(vertex).iter();
            let before = before.find(|&&other| self.distances[other as usize] == nearer);
            vertex = *before.expect("what was reached was reached from something nearer");
        }
        vertex
    }
}

/// The diameter and the radius.
fn narrow(
    simple: &Simple,
    members: &[u32],
    work: u64,
    progress: &Progress<'_>,
) -> Result<[Span; 2], Cancelled> {
    let mut rim = Rim {
        simple,
        progress,
        distances: vec![NONE; simple.vertices()],
        order: Vec::new(),
        steps: 0,
        diameter: 0,
        radius: NONE,
    };
    // The middle of a long path between the middle of a long path and what is furthest from there.
    let busiest = members.iter().copied();
    let mut centre = busiest
        .max_by_key(|&vertex| (simple.degree(vertex), std::cmp::Reverse(vertex)))
        .unwrap_or_default();
    for _ in 0..2 {
        rim.search(centre)?;
        let end = rim.last();
        rim.search(end)?;
        centre = rim.middle(rim.last());
    }
    let mut most = rim.search(centre)?.saturating_mul(2);
    let (order, depths) = (rim.order.clone(), rim.distances.clone());
    // What is no further from the centre than a depth is at most twice that apart.
    for &vertex in order.iter().rev() {
        let depth = depths[vertex as usize];
        most = most.min((2 * depth).max(rim.diameter));
        if rim.diameter >= 2 * depth || rim.steps > work {
            break;
        }
        rim.search(vertex)?;
    }
    most = most.max(rim.diameter);
    let diameter = Span {
        least: rim.diameter,
        most,
    };
    let radius = Span {
        least: rim.diameter.div_ceil(2),
        most: rim.radius,
    };
    Ok([diameter, radius])
}
