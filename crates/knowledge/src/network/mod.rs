//! Network analysis of a knowledge graph: k-hop neighbourhoods, shortest paths, pattern matching, centrality,
//! components, communities and similarity.
//!
//! A [`Network`] is an immutable snapshot of a knowledge graph with vertices and edges numbered densely; it is built
//! once per state of the graph and answers any number of queries from any number of threads. Its vertices are the
//! nodes, and the functions at which edges end. Queries that start at some vertices ([`Network::neighbours`],
//! [`Network::shortest_path`], [`Network::k_shortest_paths`], [`Network::all_paths`], [`Network::traverse`]) visit no
//! more of the graph than they need. Analyses of the whole graph are methods of a [`Subgraph`], the part of the network
//! that passes a [`Filter`].
//!
//! All results are deterministic: they do not depend on the machine, on the number of threads or on timing. Every long
//! analysis takes a [`Watch`](crate::progress::Watch) that can cancel it. None recurses per vertex, so depth is limited
//! by the heap and not by the stack.

mod adjacency;
mod buffers;
mod error;
mod filter;
mod simple_graph;
mod view;
mod visited;

mod neighbourhood;

mod all_paths;
mod dijkstra;
mod path;
mod pattern;
mod yen;

mod subgraph;

mod extrapolation;
mod multi_source_bfs;
mod random;
mod reduction;

mod betweenness;
mod brandes;
mod bridges;
mod centrality;
mod clustering;
mod communities;
mod components;
mod distances;
mod eigenvector;
mod k_cores;
mod pagerank;
mod scores;
mod similarity;
mod structure;

pub use all_paths::{MAX_PATH_EDGES, PathLimits, Paths, Truncation};
pub use bridges::Bridges;
pub use centrality::Closeness;
pub use clustering::Clustering;
pub use communities::{Communities, CommunityMethod, CommunityOptions};
pub use components::{Components, TopologicalOrder};
pub use distances::{DEFAULT_WORK, DistanceBounds, Distances};
pub use eigenvector::Eigenvector;
pub use error::NetworkError;
pub use filter::Filter;
pub use k_cores::Cores;
pub use neighbourhood::{Neighbourhood, NeighbourhoodQuery, ReachedVertex};
pub use pagerank::{PageRankOptions, RANK_ERROR};
pub use path::{Path, PathQuery};
pub use pattern::{Hop, MAX_HOPS};
pub use scores::{RankedVertex, Sample, Scores};
pub use similarity::{SimilarVertex, SimilarityMeasure};
pub use structure::{Degrees, Structure};
pub use subgraph::Subgraph;
pub use view::Network;
pub use yen::MAX_PATHS;

#[cfg(test)]
mod tests;
