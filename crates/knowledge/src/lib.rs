//! An in-memory knowledge graph: labelled nodes and typed edges, full-text search and network analysis.
//!
//! The graph is a property graph. A node has an id, a label, types, free-form JSON data and timestamped observations; an
//! edge has a type and optionally a label, data, a weight and a period of validity. Edges may also end at functions of a
//! design, or at nodes of these, by their ids ("fn:3", "fn:3/7"); the crate knows nothing else about functions.
//!
//! It is not a database: there is no query language, no log and no file. Callers apply checked changes to a [`Knowledge`],
//! log them as they like, and store whole graphs as [`KnowledgeData`] (readable) or [`CompactKnowledge`] (small and fast).
//!
//! # Tour
//! Build a graph: check, then put.
//!
//! ```
//! use fibula_knowledge::{Direction, Edge, Knowledge, KnowledgeError, Node};
//!
//! fn node(graph: &mut Knowledge, id: &str, label: &str, ty: &str) -> Result<(), KnowledgeError> {
//!     let [id, label, ty] = [id, label, ty].map(str::to_owned);
//!     let order = graph.next_node();
//!     let node = Node { id, label, types: vec![ty], creator: "ann".to_owned(), order, ..Node::default() };
//!     graph.check_node(&node)?;
//!     graph.put_node(node);
//!     Ok(())
//! }
//!
//! fn edge(graph: &mut Knowledge, source: &str, ty: &str, target: &str) -> Result<(), KnowledgeError> {
//!     let [source, ty, target] = [source, ty, target].map(str::to_owned);
//!     let (id, order) = (graph.free_edge_id(), graph.next_edge());
//!     let edge = Edge { id, source, target, ty, creator: "ann".to_owned(), order, ..Edge::default() };
//!     graph.check_edge(&edge)?;
//!     graph.put_edge(edge);
//!     Ok(())
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut graph = Knowledge::default();
//! node(&mut graph, "stiff", "The bracket has to be stiff", "Requirement")?;
//! node(&mut graph, "ribs", "Add stiffening ribs", "Decision")?;
//! node(&mut graph, "test", "Bending test of the bracket", "Evidence")?;
//! edge(&mut graph, "ribs", "satisfies", "stiff")?;
//! edge(&mut graph, "test", "supports", "ribs")?;
//! edge(&mut graph, "ribs", "realised_by", "fn:3/7")?; // a node of a function
//!
//! // An edge needs both of its ends.
//! assert!(edge(&mut graph, "ribs", "satisfies", "light").is_err());
//!
//! // Cloning takes O(1): both share all pages until one of them is changed.
//! let before = graph.clone();
//! graph.remove_node("test");
//! assert_eq!((graph.node_count(), graph.edge_count()), (2, 2));
//! assert_eq!((before.node_count(), before.edge_count()), (3, 3));
//! let graph = before;
//!
//! // Look up and traverse by hand.
//! let ribs = graph.node("ribs")?;
//! let targets: Vec<_> = ribs.edges(Direction::Outgoing).iter().map(|edge| edge.target()).collect();
//! assert_eq!(targets, ["stiff", "fn:3/7"]);
//!
//! // Search: an inverted index with BM25F ranking, tolerant of typing errors.
//! use fibula_knowledge::search::{Query, SearchIndex};
//! let mut index = SearchIndex::default();
//! index.update(&graph);
//! let query = Query { text: "brakcet bending".to_owned(), ..Query::default() };
//! let results = index.search(&query)?;
//! assert!(results.corrected);
//! assert_eq!(results.hits[0].node.id(), "test");
//!
//! // Paths: from the evidence to the geometry.
//! use std::ops::ControlFlow;
//! use fibula_knowledge::network::{Filter, Network, PageRankOptions, PathQuery};
//! let network = Network::new(&graph);
//! let watch = |_done: u64, _total: u64| ControlFlow::Continue(()); // could cancel
//! let query = PathQuery {
//!     source: "test".to_owned(),
//!     target: "fn:3/7".to_owned(),
//!     weighted: false,
//!     filter: Filter { direction: Direction::Outgoing, ..Filter::default() },
//! };
//! let path = network.shortest_path(&query, None, &watch)?.expect("a path");
//! let ids: Vec<_> = path.vertices.iter().map(|&vertex| network.id(vertex)).collect();
//! assert_eq!(ids, ["test", "ribs", "fn:3/7"]);
//!
//! // Analyses: of the whole network, or of the part that passes a filter.
//! let subgraph = network.subgraph(&Filter::default());
//! assert_eq!(subgraph.weak_components(&watch)?.sizes, [4]);
//! let ranks = subgraph.pagerank(&PageRankOptions::default(), &watch)?;
//! assert_eq!(network.id(subgraph.ranked(&ranks, 0, 1)[0].vertex), "ribs");
//! # Ok(())
//! # }
//! ```
//!
//! # Invariants
//! 1. Both ends of every edge exist: removing a node removes its edges, and an edge to a missing node is rejected.
//! 2. Ids are unique, and generated ids are not reused.
//! 3. Everything listed is in the order of creation, and every result is deterministic: equal graphs give equal results and
//!    equal hashes on every machine, whatever their history and the number of threads.
//! 4. A clone never changes, so indexes and networks can be built from it while the original is edited.
//! 5. No analysis recurses per vertex, and all long ones can be cancelled (see [`progress`]).
//!
//! # Cost
//! | operation | time |
//! |---|---|
//! | lookup by id or label, clone, hash | O(1) |
//! | change of a node or edge | O(1) amortised, plus copying the pages shared with clones, about 30 kB for the first |
//! | [`search::SearchIndex::update`] | proportional to the changed nodes; the first time to all, in parallel |
//! | [`search::SearchIndex::search`] | about the length of the posting list of the rarest word |
//! | [`network::Network::new`] | O(n + m): 0.2 s for a million nodes and three million edges |
//! | [`network::Network::neighbours`] | O(edges traversed), whatever the size of the network |

#[cfg(test)]
#[macro_use]
mod checks;

pub mod progress;

mod graph;

pub mod network;
pub mod search;

pub use graph::{
    CompactError, CompactKnowledge, Direction, Edge, EdgeRef, EdgeType, FUNCTION, FunctionEnd,
    FunctionPart, Knowledge, KnowledgeData, KnowledgeError, MAX_DATA_BYTES, MAX_DECLARED_TYPES,
    MAX_DOMAIN_TYPES, MAX_ELEMENTS, MAX_ID_BYTES, MAX_LABEL_BYTES, MAX_NAME_BYTES, MAX_NODE_TYPES,
    MAX_OBSERVATION_BYTES, MAX_OBSERVATIONS, MAX_OBSERVATIONS_BYTES, MAX_SYNONYMS, Node, NodeRef,
    NodeType, Observation, ObservationChange, Schema, SchemaViolation, Strictness, UsedNumbers,
    check_position, id_of_name, is_name, is_same_type, visible_name, visible_text,
};
