//! Errors of network queries.

use crate::progress::Cancelled;

/// Error of a query or an analysis.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// No node has the id, and no edge ends at such a function.
    #[error(
        "unknown node '{id}': the knowledge graph has no such node, and no edge with such a function end{}",
        nearest.as_deref().map_or_else(String::new, |id| format!("; did you mean '{id}'?"))
    )]
    UnknownVertex {
        /// The id, or the analysis, that was requested.
        id: String,
        /// The most similar id.
        nearest: Option<String>,
    },
    /// The weight of an edge is invalid for the analysis.
    #[error(
        "edge '{edge}' of type '{ty}' has weight {weight}, but {what} requires weights {needed}; ignore weights, \
         exclude edges of this type, or correct the weight"
    )]
    Weight {
        /// The first such edge.
        edge: String,
        /// Its type.
        ty: String,
        /// Its weight.
        weight: f64,
        /// The id, or the analysis, that was requested.
        what: &'static str,
        /// The weights that are valid.
        needed: &'static str,
    },
    /// An argument is out of range.
    #[error("{what} is {given}, but must be {needed}")]
    Invalid {
        /// Name of the argument.
        what: &'static str,
        /// Its value.
        given: String,
        /// The values that are valid.
        needed: String,
    },
    /// The analysis would exceed a limit of memory.
    #[error("{what} needs more than {most}; {hint}")]
    TooLarge {
        /// The id, or the analysis, that was requested.
        what: &'static str,
        /// The limit.
        most: String,
        /// Advice.
        hint: &'static str,
    },
    /// The callback cancelled the analysis.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl NetworkError {
    /// Error for an argument that is out of range.
    pub(super) fn invalid(
        what: &'static str,
        given: &dyn ToString,
        needed: impl Into<String>,
    ) -> NetworkError {
        let (given, needed) = (given.to_string(), needed.into());
        NetworkError::Invalid {
            what,
            given,
            needed,
        }
    }

    /// Returns the stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            NetworkError::UnknownVertex { .. } => "unknown_node",
            NetworkError::Weight { .. } | NetworkError::Invalid { .. } => "invalid_value",
            NetworkError::TooLarge { .. } => "too_large",
            NetworkError::Cancelled(_) => "cancelled",
        }
    }
}
