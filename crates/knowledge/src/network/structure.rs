//! Summary of a graph: size, density, degree distributions, reciprocity and components.

use std::collections::BTreeMap;

use super::components::Components;
use super::simple_graph::SimpleGraph;
use super::subgraph::Subgraph;
use crate::graph::Direction;
use crate::progress::{Cancelled, Watch};

/// Degree distribution.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Degrees {
    /// Minimum.
    pub least: usize,
    /// Maximum.
    pub most: usize,
    /// Mean.
    pub mean: f64,
    /// Median.
    pub median: f64,
    /// Each degree and the number of vertices that have it, by degree.
    pub counts: Vec<(usize, usize)>,
}

/// Summary of a graph.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Structure {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of edges.
    pub edges: usize,
    /// Number of edges divided by the number of pairs of vertices, ordered pairs if edges are followed in one
    /// direction.
    pub density: f64,
    /// Number of self-loops.
    pub loops: usize,
    /// Number of parallel edges beyond the first.
    pub repeated: usize,
    /// Vertices without edges to other vertices.
    pub isolated: Vec<u32>,
    /// Total degrees; a self-loop counts twice.
    pub degrees: Degrees,
    /// Out-degrees.
    pub outgoing: Degrees,
    /// In-degrees.
    pub incoming: Degrees,
    /// Share of ordered adjacent pairs that also have an edge back.
    pub reciprocity: f64,
    /// Weakly connected components.
    pub weak: Components,
    /// Strongly connected components.
    pub strong: Components,
    /// True if there is no directed cycle.
    pub is_acyclic: bool,
}

impl Subgraph<'_> {
    /// Returns the summary. O(n + m).
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn structure(&self, watch: &Watch<'_>) -> Result<Structure, Cancelled> {
        let (adjacency, simple) = (self.adjacency(), self.adjacency().simple());
        let (vertices, edges) = (self.vertex_count(), self.edge_count());
        let all = 0..vertices as u32;
        let own = |vertex: u32| {
            let steps = adjacency.outgoing(vertex).iter();
            steps.filter(|step| step.to == vertex).count()
        };
        let loops: Vec<usize> = all.clone().map(own).collect();
        let at_loops = loops.iter().filter(|&&loops| loops > 0).count();
        let directed = SimpleGraph::new(adjacency, Direction::Outgoing).steps();
        let both = simple.steps() / 2;
        let pairs = vertices as f64 * (vertices as f64 - 1.0);
        let pairs = match self.direction {
            Direction::Both => pairs / 2.0,
            Direction::Outgoing | Direction::Incoming => pairs,
        };
        let degrees = |direction| {
            let degree = |vertex| adjacency.degree(vertex, direction);
            Degrees::new(all.clone().map(degree))
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
            reciprocity: 2.0 * (directed - both) as f64 / directed.max(1) as f64,
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
        // The degree at an index of the sorted degrees.
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
