//! Diameter, radius and mean distance.
//!
//! Exact by breadth-first searches from all vertices if these stay within the given work. Otherwise diameter and radius
//! are bounded by searches from the periphery towards the centre (iFUB: Crescenzi, Grossi, Habib, Lanzi and Marino, On
//! computing the diameter of real-world undirected graphs, 2013), which mostly are exact after a few searches, and the
//! mean distance is estimated from a sample.

use rayon::prelude::*;

use super::multi_source_bfs::{BATCH, MultiSourceBfs};
use super::random::Random;
use super::scores::standard_error;
use super::simple_graph::SimpleGraph;
use super::subgraph::Subgraph;
use crate::progress::{Cancelled, Progress, Watch};

/// Work that takes about a second.
pub const DEFAULT_WORK: u64 = 100_000_000;
/// Number of batches of searches between two checks of the work done.
const ROUND: usize = 8;
/// Maximum size of the sample for the mean distance.
const MAX_SAMPLES: u32 = 1024;
/// Minimum number of searches at once.
const MIN_SAMPLES: u64 = 16;
/// Seed of the sample.
const SEED: u64 = 1;
const NONE: u32 = u32::MAX;

/// Bounds of an integer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DistanceBounds {
    /// Lower bound.
    pub least: u32,
    /// Upper bound.
    pub most: u32,
}

/// Distances in the largest weakly connected component, ignoring the direction of edges.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Distances {
    /// Number of vertices of the component.
    pub vertices: usize,
    /// Greatest distance of two vertices.
    pub diameter: DistanceBounds,
    /// Least eccentricity: the greatest distance from the most central vertex.
    pub radius: DistanceBounds,
    /// Mean distance of different vertices.
    pub mean: f64,
    /// Standard error of the mean; `None` if it is exact.
    pub error: Option<f64>,
}

impl DistanceBounds {
    /// Bounds of a known number.
    pub(super) fn exact(number: u32) -> DistanceBounds {
        let (least, most) = (number, number);
        DistanceBounds { least, most }
    }

    /// True if both bounds are equal.
    pub fn is_exact(self) -> bool {
        self.least == self.most
    }
}

/// Sums over searches.
#[derive(Default)]
struct Sums {
    /// Eccentricity of each source.
    furthest: Vec<u32>,
    /// Sum of the distances from each source.
    far: Vec<u64>,
    steps: u64,
}

impl Subgraph<'_> {
    /// Returns the distances in the largest weakly connected component, with about `work` traversed edges.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn distances(&self, work: u64, watch: &Watch<'_>) -> Result<Distances, Cancelled> {
        let weak = self.weak_components(watch)?;
        let members = (0..).zip(&weak.labels).filter(|(_, number)| **number == 0);
        let members: Vec<u32> = members.map(|(vertex, _)| vertex).collect();
        let simple = self.adjacency().simple();
        let progress = Progress::new(members.len() as u64 + 1, watch);
        let found = match sum_all(simple, &members, work, &progress)? {
            Some(sums) => Distances::exact(&sums),
            None => Distances::estimated(simple, &members, work, &progress)?,
        };
        progress.finish(found)
    }
}

/// Searches from `sources` in batches, each of which stops after `most` traversed edges.
fn sum_from(
    simple: &SimpleGraph,
    sources: &[u32],
    most: u64,
    progress: &Progress<'_>,
) -> Result<Sums, Cancelled> {
    let batch = |sources: &[u32]| {
        let mut waves = MultiSourceBfs::new(simple);
        let mut sums = Sums {
            furthest: vec![0; sources.len()],
            far: vec![0; sources.len()],
            steps: 0,
        };
        sums.steps = waves.run(sources, most, progress, |distance, _, bits| {
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
    let batches: Vec<&[u32]> = sources.chunks(BATCH).collect();
    let all = batches.into_par_iter().map(batch);
    let all: Vec<Sums> = all.collect::<Result<_, _>>()?;
    Ok(all.into_iter().fold(Sums::default(), Sums::joined))
}

/// Searches from all vertices; `None` if that exceeds the work.
fn sum_all(
    simple: &SimpleGraph,
    members: &[u32],
    work: u64,
    progress: &Progress<'_>,
) -> Result<Option<Sums>, Cancelled> {
    let mut sums = Sums::default();
    let all = members.len() as u128;
    // Share of the work that belongs to a number of searches.
    let share = |searches: usize| (u128::from(work) * searches as u128 / all) as u64;
    // The first batch shows the cost of the others.
    let (first, rest) = members.split_at(members.len().min(BATCH));
    for round in first.chunks(BATCH).chain(rest.chunks(ROUND * BATCH)) {
        // A batch that stops early exceeds the share of all, so that it is noticed.
        let most = share(sums.far.len() + round.len());
        sums = sums.joined(sum_from(simple, round, most, progress)?);
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

    /// Mean distance from the sources to `vertices` vertices.
    fn mean(&self, vertices: usize) -> f64 {
        let far: u64 = self.far.iter().sum();
        let pairs = self.far.len() as f64 * (vertices as f64 - 1.0);
        if pairs > 0.0 { far as f64 / pairs } else { 0.0 }
    }

    fn error(&self, vertices: usize) -> f64 {
        let (mean, count) = (self.mean(vertices), self.far.len() as f64);
        let others = vertices as f64 - 1.0;
        let square = |&far: &u64| (far as f64 / others - mean).powi(2);
        let squares = self.far.iter().map(square);
        let variance = squares.sum::<f64>() / (count - 1.0);
        standard_error(variance / count, count, vertices as f64)
    }
}

impl Distances {
    fn exact(sums: &Sums) -> Distances {
        let exactly = |number: Option<&u32>| DistanceBounds::exact(number.copied().unwrap_or(0));
        let vertices = sums.far.len();
        Distances {
            vertices,
            diameter: exactly(sums.furthest.iter().max()),
            radius: exactly(sums.furthest.iter().min()),
            mean: sums.mean(vertices),
            error: None,
        }
    }

    fn estimated(
        simple: &SimpleGraph,
        members: &[u32],
        work: u64,
        progress: &Progress<'_>,
    ) -> Result<Distances, Cancelled> {
        let [diameter, radius] = bound_eccentricities(simple, members, work, progress)?;
        let mut random = Random::new(SEED);
        let mut sources = random.sample(MAX_SAMPLES, members.len() as u32);
        random.shuffle(&mut sources);
        let mut sums = Sums::default();
        // The batch is limited such that it stays near the work even if no searches share edges.
        let width = (work / (2 * simple.steps() as u64).max(1)).clamp(MIN_SAMPLES, BATCH as u64);
        for batch in sources.chunks(width as usize) {
            let batch: Vec<u32> = batch.iter().map(|&place| members[place as usize]).collect();
            sums = sums.joined(sum_from(simple, &batch, u64::MAX, progress)?);
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

/// Bounds of diameter and radius, from one search after another.
struct EccentricitySearch<'a> {
    simple: &'a SimpleGraph,
    progress: &'a Progress<'a>,
    distances: Vec<u32>,
    /// Reached vertices in order of distance.
    order: Vec<u32>,
    steps: u64,
    diameter: u32,
    radius: u32,
}

impl EccentricitySearch<'_> {
    /// Searches from a vertex; returns its eccentricity.
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
            let neighbours = self.simple.neighbours(vertex);
            self.steps += neighbours.len() as u64;
            for &other in neighbours {
                if self.distances[other as usize] == NONE {
                    self.distances[other as usize] = distance;
                    self.order.push(other);
                }
            }
        }
        self.progress.advance(0)?;
        let furthest = self.distances[self.last() as usize];
        self.diameter = self.diameter.max(furthest);
        self.radius = self.radius.min(furthest);
        Ok(furthest)
    }

    /// The most distant vertex of the last search.
    fn last(&self) -> u32 {
        self.order.last().copied().unwrap_or_default()
    }

    /// The middle of the path to a vertex.
    fn middle(&self, mut vertex: u32) -> u32 {
        let half = self.distances[vertex as usize] / 2;
        while self.distances[vertex as usize] > half {
            let nearer = self.distances[vertex as usize] - 1;
            let mut before = self.simple.neighbours(vertex).iter();
            let before = before.find(|&&other| self.distances[other as usize] == nearer);
            vertex = *before.expect("what was reached was reached from something nearer");
        }
        vertex
    }
}

fn bound_eccentricities(
    simple: &SimpleGraph,
    members: &[u32],
    work: u64,
    progress: &Progress<'_>,
) -> Result<[DistanceBounds; 2], Cancelled> {
    let mut search = EccentricitySearch {
        simple,
        progress,
        distances: vec![NONE; simple.vertices()],
        order: Vec::new(),
        steps: 0,
        diameter: 0,
        radius: NONE,
    };
    // 4-sweep: the middle of a long path between the middle of a long path and the vertex most distant from it.
    let busiest = members.iter().copied();
    let mut centre = busiest
        .max_by_key(|&vertex| (simple.degree(vertex), std::cmp::Reverse(vertex)))
        .unwrap_or_default();
    for _ in 0..2 {
        search.search(centre)?;
        let end = search.last();
        search.search(end)?;
        centre = search.middle(search.last());
    }
    let mut most = search.search(centre)?.saturating_mul(2);
    let (order, depths) = (search.order.clone(), search.distances.clone());
    // Vertices within a depth of the centre are at most twice that depth apart.
    for &vertex in order.iter().rev() {
        let depth = depths[vertex as usize];
        most = most.min((2 * depth).max(search.diameter));
        if search.diameter >= 2 * depth || search.steps > work {
            break;
        }
        search.search(vertex)?;
    }
    most = most.max(search.diameter);
    let bounds = |least, most| DistanceBounds { least, most };
    let radius = bounds(search.diameter.div_ceil(2), search.radius);
    Ok([bounds(search.diameter, most), radius])
}
