//! Full-text search over the nodes of a knowledge graph: an inverted index with BM25F ranking, fuzzy and prefix
//! matching.
//!
//! A [`SearchIndex`] is updated incrementally from successive states of a graph. Texts are split into tokens
//! (`tokenizer`), each term has a sorted posting list (`vocabulary`, `sorted_list`), and a query is parsed (`parse`),
//! evaluated document at a time (`find`, `filters`, `scorer`, `bm25`) and illustrated by snippets (`snippet`). Similar
//! labels are found by trigrams (`trigram_index`). Separately, a [`SubstringIndex`] finds texts that contain given
//! characters anywhere (`substring_index`).

mod sorted_list;
mod tokenizer;
mod top_k;

mod data;
mod fields;
mod vocabulary;

mod synonyms;

mod error;
mod parse;
mod query;

mod index;
mod substring_index;
mod trigram_index;

mod bm25;
mod filters;
mod find;
mod scorer;
mod snippet;

pub use error::SearchError;
pub use find::{Hit, SearchResults};
pub use index::SearchIndex;
pub use query::{
    DataFilter, DataTest, MAX_DATA_TESTS, MAX_PAGE, MAX_PATH_BYTES, MAX_QUERY_BYTES,
    MAX_QUERY_NAMES, MAX_QUERY_WORDS, OrderBy, Query, TimeRange,
};
pub use snippet::Snippet;
pub use substring_index::SubstringIndex;
pub use synonyms::word_key;
pub use trigram_index::SimilarLabel;

#[cfg(test)]
mod tests;
