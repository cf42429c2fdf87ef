//! Why the network has no answer.

use crate::progress::Cancelled;

/// What was asked of a network cannot be answered.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NetworkError {
    /// There is no such node, and no edge ends at such a function.
    #[error(
        "there is no node '{id}' in the knowledge graph, and no edge ends at a function that is called so{}",
        nearest.as_deref().map_or_else(String::new, |id| format!("; did you mean '{id}'?"))
    )]
    UnknownVertex {
        /// What was asked for.
        id: String,
        /// An id that is nearly the same.
        nearest: Option<String>,
    },
    /// The weight of an edge makes no sense for what was asked.
    #[error(
        "edge '{edge}' of type '{ty}' has the weight {weight}, and {what} takes only weights {needed}; ask for it \
         without weights, leave edges of this type out, or correct the weight"
    )]
    Weight {
        /// The first such edge.
        edge: String,
        /// Its type.
        ty: String,
        /// Its weight.
        weight: f64,
        /// What was asked for.
        what: &'static str,
        /// Which weights it takes.
        needed: &'static str,
    },
    /// A number, or a list, is none that can be asked with.
    #[error("{what} is {given}; it has to be {needed}")]
    Invalid {
        /// Which of those that were given.
        what: &'static str,
        /// What was given.
        given: String,
        /// What may be given.
        needed: String,
    },
    /// The answer would take more than there may be.
    #[error("{what} needs more than {most}; {hint}")]
    TooLarge {
        /// What was asked for.
        what: &'static str,
        /// How much there may be.
        most: String,
        /// What can be done.
        hint: &'static str,
    },
    /// Nobody wanted the answer any more.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl NetworkError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            NetworkError::UnknownVertex { .. } => "unknown_node",
            NetworkError::Weight { .. } | NetworkError::Invalid { .. } => "invalid_value",
            NetworkError::TooLarge { .. } => "too_large",
            NetworkError::Cancelled(_) => "cancelled",
        }
    }
}
