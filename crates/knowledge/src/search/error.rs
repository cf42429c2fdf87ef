//! Errors of searches.

use crate::graph::KnowledgeError;

/// Error of a search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A limit is exceeded.
    #[error("{what} has {count} {unit}, more than the limit of {most}; request less at once")]
    TooMuch {
        /// Name of the element.
        what: &'static str,
        /// Unit of its size.
        unit: &'static str,
        /// Its size.
        count: usize,
        /// The limit.
        most: usize,
    },
    /// The text has no searchable token.
    #[error(
        "'{text}' contains no letter or digit, but the search matches words; leave the text empty for all nodes"
    )]
    NoWord {
        /// The text.
        text: String,
    },
    /// A range of time ends before it begins.
    #[error("the {what} range from {from} until {until} is empty; swap the two")]
    NoTime {
        /// "created" or "modified".
        what: &'static str,
        /// Beginning: milliseconds since 1970, UTC.
        from: i64,
        /// End: milliseconds since 1970, UTC.
        until: i64,
    },
    /// The node does not exist.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
}

impl SearchError {
    /// Returns the stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            SearchError::TooMuch { .. } => "too_large",
            SearchError::NoWord { .. } | SearchError::NoTime { .. } => "invalid_value",
            SearchError::Knowledge(error) => error.code(),
        }
    }
}
