//! Cache of the tapes compiled last, evicted first in, first out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use fibula_core::edit::Head;
use fibula_core::eval::Tape;
use fibula_core::graph::FunctionId;
use fibula_nodes::Value;

/// Number of tapes in the cache.
const CAPACITY: usize = 16;
/// Number of operations above which a tape is not cached.
pub(crate) const MOST_OPERATIONS: usize = 200_000;

/// Tapes of the last evaluations, newest last.
#[derive(Debug, Default)]
pub(crate) struct TapeCache(Mutex<Vec<(TapeKey, Arc<Tape>)>>);

/// Identity of a tape: everything that its compilation depends on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TapeKey {
    pub(crate) head: Head,
    pub(crate) function: FunctionId,
    pub(crate) outputs: Option<Vec<String>>,
    pub(crate) statics: BTreeMap<String, Value>,
}

impl TapeCache {
    /// Returns the tape if it is in the cache.
    pub(crate) fn find(&self, key: &TapeKey) -> Option<Arc<Tape>> {
        let tapes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = tapes.iter().find(|(other, _)| other == key);
        found.map(|(_, tape)| tape.clone())
    }

    pub(crate) fn keep(&self, key: &TapeKey, tape: &Arc<Tape>) {
        let mut tapes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tapes.retain(|(other, _)| other.head.revision >= key.head.revision);
        if tapes.len() >= CAPACITY {
            tapes.remove(0);
        }
        tapes.push((key.clone(), tape.clone()));
    }
}
