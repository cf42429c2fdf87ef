//! Community detection by modularity: Leiden and Louvain.
//!
//! Louvain (Blondel, Guillaume, Lambiotte and Lefebvre, Fast unfolding of communities in large networks, 2008) moves
//! vertices to where modularity gains most, aggregates each community to a vertex, and repeats. Leiden (Traag, Waltman
//! and van Eck, From Louvain to Leiden: guaranteeing well-connected communities, 2019) aggregates well-connected parts
//! of communities instead, which can still move apart.

mod local_moving;
mod refine;
mod weighted_graph;

use super::components::{Components, root};
use super::error::NetworkError;
use super::random::Random;
use super::subgraph::Subgraph;
use crate::progress::{Cancelled, Progress, Watch};
use local_moving::move_vertices;
use refine::refine;
use weighted_graph::WeightedGraph;

/// Number of times that Leiden starts, the second time from its own result.
const ROUNDS: u64 = 2;

/// Method of community detection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CommunityMethod {
    /// Leiden: communities are connected.
    #[default]
    Leiden,
    /// Louvain: communities may be disconnected.
    Louvain,
}

/// Options of community detection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CommunityOptions {
    /// Method.
    pub method: CommunityMethod,
    /// Resolution of modularity: higher values give smaller communities; usually 1.
    pub resolution: f64,
    /// True if edges count by their weights.
    pub weighted: bool,
    /// Seed of the order of vertices and of ties.
    pub seed: u64,
}

impl Default for CommunityOptions {
    fn default() -> CommunityOptions {
        CommunityOptions {
            method: CommunityMethod::Leiden,
            resolution: 1.0,
            weighted: false,
            seed: 0,
        }
    }
}

/// Result of community detection.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Communities {
    /// The partition, the largest community first.
    pub groups: Components,
    /// Modularity at the given resolution.
    pub modularity: f64,
}

impl Subgraph<'_> {
    /// Returns the communities, ignoring the direction of edges; weights of parallel edges are added. Nearly O(n + m)
    /// per pass, a few passes.
    ///
    /// # Errors
    /// [`NetworkError`]: an invalid resolution, negative weights, or [`Cancelled`].
    pub fn communities(
        &self,
        options: &CommunityOptions,
        watch: &Watch<'_>,
    ) -> Result<Communities, NetworkError> {
        if !(options.resolution > 0.0 && options.resolution.is_finite()) {
            let needed = "a number above 0, such as 1";
            return Err(NetworkError::invalid(
                "the resolution",
                &options.resolution,
                needed,
            ));
        }
        if options.weighted {
            self.check_weights("communities by weights")?;
        }
        let graph = WeightedGraph::new(self, options.weighted);
        let mut of: Vec<u32> = (0..graph.vertices()).collect();
        let progress = Progress::new(ROUNDS + 1, watch);
        let mut random = Random::new(options.seed);
        if graph.all > 0.0 {
            let rounds = match options.method {
                CommunityMethod::Leiden => ROUNDS,
                CommunityMethod::Louvain => 1,
            };
            for _ in 0..rounds {
                of = round(&graph, of, options, &mut random, &progress)?;
                progress.add(1);
            }
        }
        let groups = match options.method {
            CommunityMethod::Leiden => connected(&graph, &of),
            CommunityMethod::Louvain => Components::new(of.len(), |vertex| of[vertex as usize]),
        };
        let modularity = graph.modularity(&groups.labels, options.resolution);
        Ok(progress.finish(Communities { groups, modularity })?)
    }
}

/// Improves communities, on ever coarser graphs.
fn round(
    graph: &WeightedGraph,
    of: Vec<u32>,
    options: &CommunityOptions,
    random: &mut Random,
    progress: &Progress<'_>,
) -> Result<Vec<u32>, Cancelled> {
    // Vertex of the current level for each vertex.
    let mut at: Vec<u32> = (0..graph.vertices()).collect();
    let mut own: Option<WeightedGraph> = None;
    let mut of = of;
    loop {
        let level = own.as_ref().unwrap_or(graph);
        move_vertices(level, &mut of, options.resolution, random, progress)?;
        let count = renumber(&mut of);
        if count == level.vertices() {
            break;
        }
        let mut parts = match options.method {
            CommunityMethod::Leiden => refine(level, &of, options.resolution, random, progress)?,
            CommunityMethod::Louvain => of.clone(),
        };
        let count = renumber(&mut parts);
        if count == level.vertices() {
            break;
        }
        let mut above = vec![0; count as usize];
        for (&part, &community) in parts.iter().zip(&of) {
            above[part as usize] = community;
        }
        for vertex in &mut at {
            *vertex = parts[*vertex as usize];
        }
        let joined = level.aggregate(&parts, count);
        own = Some(joined);
        of = above;
    }
    Ok(at.into_iter().map(|vertex| of[vertex as usize]).collect())
}

/// Renumbers communities in the order of their first vertices; returns their number.
fn renumber(of: &mut [u32]) -> u32 {
    let most = of.iter().max().map_or(0, |&most| most as usize + 1);
    let mut numbers = vec![None; most];
    let mut count = 0;
    for community in of {
        let number = numbers[*community as usize].get_or_insert_with(|| {
            count += 1;
            count - 1
        });
        *community = *number;
    }
    count
}

/// Connected components within communities; mostly the communities themselves.
fn connected(graph: &WeightedGraph, of: &[u32]) -> Components {
    let mut above: Vec<u32> = (0..graph.vertices()).collect();
    for vertex in 0..graph.vertices() {
        for (other, _) in graph.steps(vertex) {
            if of[vertex as usize] == of[other as usize] {
                let [one, other] = [vertex, other].map(|end| root(&mut above, end));
                above[one.max(other) as usize] = one.min(other);
            }
        }
    }
    let root = |vertex| root(&mut above, vertex);
    let roots: Vec<u32> = (0..graph.vertices()).map(root).collect();
    Components::new(roots.len(), |vertex| roots[vertex as usize])
}
