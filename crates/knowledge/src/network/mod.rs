//! The knowledge graph as a network: what is near, how one comes from here to there, and what it looks like as a whole.
//!
//! A [`Network`] is made of a knowledge graph once for each of its states, and answers many questions about it. Its
//! vertices are the nodes and the functions at which edges end, and both are known by number; whoever answers people
//! names them by it. Some vertices are asked from by [`Network::neighbours`], [`Network::shortest_path`] and their
//! like, which see no more than they have to; the whole, or what a [`Filter`] leaves of it, is a [`Part`].
//!
//! Every answer is the same each time and on each machine, however many threads make it.

mod adjacency;
mod error;
mod filter;
mod marks;
mod searched;
mod simple;
mod view;

mod walk;

mod all_paths;
mod path;
mod pattern;
mod weighted;
mod yen;

mod part;

mod extrapolation;
mod lanes;
mod random;
mod waves;

mod betweenness;
mod brandes;
mod bridges;
mod centrality;
mod clustering;
mod communities;
mod components;
mod cores;
mod distances;
mod eigenvector;
mod pagerank;
mod scores;
mod similar;
mod structure;

pub use all_paths::{Bounds, Cut, MOST_EDGES, Paths};
pub use bridges::Bridges;
pub use centrality::Closeness;
pub use clustering::Clustering;
pub use communities::{Communities, Grouping, Method};
pub use components::{Components, Order};
pub use cores::Cores;
pub use distances::{Distances, Span, USUAL_WORK};
pub use eigenvector::Eigenvector;
pub use error::NetworkError;
pub use filter::Filter;
pub use pagerank::{RANK_ERROR, Surfing};
pub use part::Part;
pub use path::{Between, Path};
pub use pattern::{Hop, MOST_HOPS};
pub use scores::{Ranked, Sample, Scores};
pub use similar::{Alike, Likeness};
pub use structure::{Degrees, Structure};
pub use view::Network;
pub use walk::{Neighbourhood, Reached, Walk};
pub use yen::MOST_PATHS;

#[cfg(test)]
mod tests;
