//! What a network is like as a whole: how many edges there are, where, and what hangs together.

use std::collections::BTreeMap;

use super::components::Components;
use super::part::Part;
use super::simple::Simple;
use crate::graph::Direction;
use crate::progress::{Cancelled, Watch};

/// How many edges are at vertices.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Degrees {
    /// The fewest.
    pub least: usize,
    /// The most.
    pub most: usize,
    /// On average.
    pub mean: f64,
    /// As many vertices have more as have fewer.
    pub median: f64,
    /// Each number that comes, with how many vertices have it, by number.
    pub counts: Vec<(usize, usize)>,
}

/// What a network is like.
#[derive(Debug, Clone, PartialEq)]
pub struct Structure {
    /// How many vertices there are.
    pub vertices: usize,
    /// How many edges there are.
    pub edges: usize,
    /// How many edges there are for each pair of vertices, in each direction if edges are followed in one.
    pub density: f64,
    /// How many edges end where they begin.
    pub loops: usize,
    /// How many edges have the same source and target as one before.
    pub repeated: usize,
    /// The vertices at which no edges are, or only ones to themselves.
    pub isolated: Vec<u32>,
    /// Of ends of edges; one from a vertex to itself has two.
    pub degrees: Degrees,
    /// Of edges that begin at vertices.
    pub outgoing: Degrees,
    /// Of edges that end at vertices.
    pub incoming: Degrees,
    /// Of pairs with an edge from one to the other, which part has one back.
    pub reciprocity: f64,
    /// What hangs together, whatever the direction of edges.
    pub weak: Components,
    /// What can be reached in circles.
    pub strong: Components,
    /// Whether there is no circle.
    pub is_acyclic: bool,
}

impl Part<'_> {
    /// What it is like. O(n + m).
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn structure(&self, watch: &Watch<'_>) -> Result<Structure, Cancelled> {
        let (adjacency, simple) = (self.adjacency(), self.adjacency().simple());
        let (vertices, edges) = (self.vertex_count(), self.edge_count());
        let all = 0..vertices as u32;
        let own = |vertex: u32| {
            let steps = adjacency.along(vertex).iter();
            steps.filter(|step| step.to == vertex).count()
        };
        let loops: Vec<usize> = all.clone().map(own).collect();
        let at_loops = loops.iter().filter(|&&loops| loops > 0).count();
        let directed = Simple::new(adjacency, Direction::Outgoing).steps();
        let both = simple.steps() / 2;
        let pairs = vertices as f64 * (vertices as f64 - 1.0);
        let pairs = match self.direction {
            Direction::Both => pairs / 2.0,
            Direction::Outgoing | Direction::Incoming => pairs,
        };
        let degrees = |direction| {
            Degrees::new(
                all.clone()
                    .map(|vertex| adjacency.degree(vertex, direction)),
            )
        };
        let isolated = all.clone().filter(|&vertex| simple.degree(vertex) == 0);
        let weak = self.weak_components(watch)?;
        let strong = self.strong_components(watch)?;
        Ok(Structure {
            vertices,
            edges,
            density: if vertices > 1 {
                edges as f64 / pairs
            } else {
                0.0
            },
            loops: loops.iter().sum(),
            repeated: edges - directed - at_loops,
            isolated: isolated.map(|place| self.number(place)).collect(),
            degrees: degrees(Direction::Both),
            outgoing: degrees(Direction::Outgoing),
            incoming: degrees(Direction::Incoming),
            reciprocity: if directed == 0 {
                0.0
            } else {
                2.0 * (directed - both) as f64 / directed as f64
            },
            is_acyclic: at_loops == 0 && strong.sizes.len() == vertices,
            weak,
            strong,
        })
    }
}

impl Degrees {
    fn new(degrees: impl Iterator<Item = usize>) -> Degrees {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        let (mut all, mut sum) = (0, 0);
        for degree in degrees {
            *counts.entry(degree).or_default() += 1;
            all += 1;
            sum += degree;
        }
        if all == 0 {
            return Degrees::default();
        }
        // The degree of the vertex at a place if they are sorted by degree.
        let at = |place: usize| {
            let mut before = 0;
            let found = counts.iter().find(|(_, count)| {
                before += **count;
                before > place
            });
            found.map_or(0, |(&degree, _)| degree)
        };
        Degrees {
            least: at(0),
            most: at(all - 1),
            mean: sum as f64 / all as f64,
            median: (at((all - 1) / 2) + at(all / 2)) as f64 / 2.0,
            counts: counts.into_iter().collect(),
        }
    }
}
