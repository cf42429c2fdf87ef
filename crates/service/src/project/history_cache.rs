//! Cache of past states of a project, evicted first in, first out.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::project::change::Snapshot;

/// Number of past states in the cache.
const CAPACITY: usize = 4;

/// The past states requested last, newest last.
#[derive(Debug, Default)]
pub(crate) struct HistoryCache(Mutex<VecDeque<Snapshot>>);

impl HistoryCache {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Snapshot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn find(&self, revision: u64) -> Option<Snapshot> {
        let states = self.lock();
        let found = states.iter().find(|past| past.head.revision == revision);
        found.cloned()
    }

    pub(crate) fn keep(&self, past: Snapshot) {
        let mut states = self.lock();
        states.retain(|other| other.head.revision != past.head.revision);
        if states.len() >= CAPACITY {
            states.pop_front();
        }
        states.push_back(past);
    }

    /// Removes all states.
    pub(crate) fn forget(&self) {
        self.lock().clear();
    }
}
