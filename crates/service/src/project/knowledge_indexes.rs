//! Search indexes and the network of a project's knowledge graph, kept between requests.

use std::sync::{Arc, Mutex, MutexGuard};

use fibula_knowledge::network::Network;
use fibula_knowledge::search::{SearchIndex, SubstringIndex};

/// Search indexes that follow the graph, and the network of the state requested last.
#[derive(Debug, Default)]
pub(crate) struct KnowledgeIndexes {
    pub(crate) index: Mutex<SearchIndex>,
    pub(crate) parts: Mutex<SubstringIndex>,
    pub(crate) network: Mutex<Option<Arc<Network>>>,
}

/// Locks an index. A panic may have left it incomplete; then it is rebuilt.
pub(crate) fn lock_index<T: Default>(index: &Mutex<T>) -> MutexGuard<'_, T> {
    index.lock().unwrap_or_else(|poisoned| {
        let mut half = poisoned.into_inner();
        *half = T::default();
        half
    })
}
