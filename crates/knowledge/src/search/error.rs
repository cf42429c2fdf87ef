//! Why nothing can be searched.

use crate::graph::KnowledgeError;

/// Why a search is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// There is more of something than is allowed.
    #[error("{what} has {count} {unit}, and {most} is the most; ask for less at once")]
    TooMuch {
        /// What is too large.
        what: &'static str,
        /// Of what it has too many.
        unit: &'static str,
        /// How many.
        count: usize,
        /// How many it may have.
        most: usize,
    },
    /// The text has nothing that could be found.
    #[error(
        "'{text}' has no letter and no digit, and only words are searched; leave the text empty for all nodes"
    )]
    NoWord {
        /// What was asked for.
        text: String,
    },
    /// A time ends before it begins.
    #[error("nothing is {what} from {from} until {until}, which is before; exchange the two")]
    NoTime {
        /// "created" or "modified".
        what: &'static str,
        /// From when.
        from: i64,
        /// Until when.
        until: i64,
    },
    /// There is no such node.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
}

impl SearchError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            SearchError::TooMuch { .. } => "too_large",
            SearchError::NoWord { .. } | SearchError::NoTime { .. } => "invalid_value",
            SearchError::Knowledge(error) => error.code(),
        }
    }
}
