//! Cache of the last document that was assembled from the model parts of a package.

use std::sync::{Mutex, PoisonError};

use crate::project::change::Snapshot;

/// The assembly requested last.
#[derive(Debug, Default)]
pub(crate) struct AssemblyCache(Mutex<Option<Snapshot>>);

impl AssemblyCache {
    /// Returns the assembly of the state with this hash.
    pub(crate) fn find(&self, hash: u64) -> Option<Snapshot> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|kept| kept.head.hash == hash).cloned()
    }

    pub(crate) fn keep(&self, assembly: Snapshot) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(assembly);
    }
}
