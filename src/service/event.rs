//! What is told to all who listen when a project changes.

use std::sync::Arc;

use crate::edit::{Change, Entry};

/// A change of a project.
#[derive(Debug, Clone)]
pub struct Event {
    /// The project's name.
    pub project: Arc<str>,
    /// The project's revision after it.
    pub revision: u64,
    /// What was done, as facts, by whom and when.
    pub entry: Arc<Entry>,
    /// What came of it, beside what the entry says.
    pub change: Change,
}
