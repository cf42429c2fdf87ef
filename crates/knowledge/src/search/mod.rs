//! Full-text search over the nodes of a knowledge graph.
//!
//! A [`SearchIndex`] follows a graph: it is told the graph as it is now, and reads what changed. It stands on
//! [`Knowledge`](crate::Knowledge) alone. Texts become words (`words`), words have sorted lists of the nodes that have
//! them (`vocabulary`, `list`), and a query is read (`parse`), answered from these lists (`find`, `sources`, `scorer`)
//! and shown (`snippet`). Beside it a [`PartIndex`] finds what holds some letters anywhere (`parts`).

mod best;
mod list;
mod words;

mod data;
mod fields;
mod vocabulary;

mod error;
mod parse;
mod query;

mod index;
mod labels;
mod parts;

mod filters;
mod find;
mod scorer;
mod snippet;
mod sources;

pub use error::SearchError;
pub use find::{Found, Hit};
pub use index::SearchIndex;
pub use labels::Similar;
pub use parts::PartIndex;
pub use query::{
    DataFilter, DataTest, LARGEST_PAGE, LONGEST_PATH, LONGEST_QUERY, MOST_NAMED, MOST_TESTS,
    MOST_WORDS, OrderBy, Query, Span,
};
pub use snippet::Snippet;

#[cfg(test)]
mod tests;
