//! Recovery: the state of a project from the newest intact snapshot and the tail of the log.

use std::ops::ControlFlow;

use fibula_core::edit::{Head, ReplayError, State};

use super::snapshot;
use super::{Damage, LogRange, ProjectId, Store, StoreError};

/// Result of [`load`].
#[derive(Debug)]
pub struct LoadedState {
    /// The recovered state.
    pub state: State,
    /// Damage at which replay stopped; `state` is the state before it.
    pub damage: Option<Damage>,
    /// Head of the log.
    pub head: Head,
    /// Snapshots that were ignored because they are damaged or contradict the log.
    pub skipped: Vec<Damage>,
    /// Revision of the snapshot that was used; 0 if none.
    pub snapshot: u64,
    /// Number of bytes of the replayed records.
    pub replayed: usize,
}

/// Recovers the state of a project at revision `at_most`, or its newest state.
///
/// Decodes the newest snapshot and replays the records after it. Falls back to an older snapshot, or to the beginning
/// of the log, if a snapshot is damaged or is of a state that a rewrite has removed from the log.
///
/// # Errors
/// [`StoreError`] if the store cannot be read, or contradicts itself; [`Damage::NoBase`] if the log is compacted and no
/// snapshot is intact.
pub fn load(
    store: &dyn Store,
    project: ProjectId,
    at_most: Option<u64>,
) -> Result<LoadedState, StoreError> {
    let last = at_most.unwrap_or(u64::MAX);
    let (base, head) = (store.base(project)?, store.head(project)?);
    let mut skipped = Vec::new();
    let mut before = last;
    let mut state = loop {
        let stored = match store.snapshot(project, before) {
            Ok(Some(stored)) => stored,
            Ok(None) => break State::default(),
            // The revision of the damaged snapshot is unknown, and so is that of its predecessor.
            Err(StoreError::Damaged(damage)) => {
                skipped.push(damage);
                break State::default();
            }
            Err(error) => return Err(error),
        };
        match snapshot::decode(&stored) {
            Ok(state) if has_head(store, project, state.head())? => break state,
            Ok(_) => {
                let (revision, message) =
                    (stored.revision, "it does not match the state of the log");
                let message = message.to_owned();
                skipped.push(Damage::Snapshot { revision, message });
            }
            Err(damage) => skipped.push(damage),
        }
        match stored.revision.checked_sub(1) {
            Some(earlier) => before = earlier,
            None => break State::default(),
        }
    };
    if state.revision() < base {
        return Err(match skipped.pop() {
            Some(damage) => damage.into(),
            None => Damage::NoBase { base }.into(),
        });
    }
    let (snapshot, mut damage, mut replayed) = (state.revision(), None, 0);
    let first = state.revision();
    if first < last {
        let read = store.read(project, LogRange::After(first), true, &mut |record| {
            if record.revision > last {
                return ControlFlow::Break(());
            }
            // A replay with another result has changed the state, which is loaded again below without that record.
            match record.entry().and_then(|entry| Ok(state.replay(&entry)?)) {
                Ok(()) => {
                    replayed += record.size();
                    ControlFlow::Continue(())
                }
                Err(found) => {
                    damage = Some(found);
                    ControlFlow::Break(())
                }
            }
        });
        match read {
            // The records before the damage are intact.
            Err(StoreError::Damaged(found)) => damage = Some(found),
            read => read?,
        }
    }
    let found = last.min(head.revision);
    if damage.is_none() && state.revision() < found {
        let expected = state.revision() + 1;
        damage = Some(ReplayError::Gap { expected, found }.into());
    }
    if let Some(Damage::Replay(ReplayError::Differs { revision, .. })) = damage {
        let good = load(store, project, Some(revision - 1))?;
        return Ok(LoadedState { damage, ..good });
    }
    Ok(LoadedState {
        state,
        damage,
        head,
        skipped,
        snapshot,
        replayed,
    })
}

/// Returns `false` if the log has another hash at the head's revision; `true` if it has no record there, as at its
/// base.
pub(super) fn has_head(
    store: &dyn Store,
    project: ProjectId,
    head: Head,
) -> Result<bool, StoreError> {
    let mut found = head;
    let reading = LogRange::After(head.revision.saturating_sub(1));
    let read = store.read(project, reading, false, &mut |record| {
        if record.revision == head.revision {
            found.hash = record.hash;
        }
        ControlFlow::Break(())
    });
    match read {
        // A snapshot after damaged records still recovers the state.
        Err(StoreError::Damaged(_)) => Ok(true),
        read => read.map(|()| found == head),
    }
}

/// Stores a snapshot of the newest state of a project, recovered with [`load`], and returns the size of the snapshot in
/// bytes.
///
/// # Errors
/// [`StoreError`] if the store cannot be read or written, or the log is damaged.
pub fn renew_snapshot(store: &dyn Store, project: ProjectId) -> Result<usize, StoreError> {
    let loaded = load(store, project, None)?;
    if let Some(damage) = loaded.damage {
        return Err(damage.into());
    }
    if loaded.replayed == 0 {
        return Ok(snapshot::encode(&loaded.state).bytes.len());
    }
    store_snapshot(store, project, &loaded.state)
}

/// Stores a snapshot of a durable state, and returns its size in bytes.
///
/// # Errors
/// [`StoreError`] if the store cannot be written.
pub fn store_snapshot(
    store: &dyn Store,
    project: ProjectId,
    state: &State,
) -> Result<usize, StoreError> {
    let stored = snapshot::encode(state);
    let size = stored.bytes.len();
    store.put_snapshot(project, stored)?;
    Ok(size)
}
