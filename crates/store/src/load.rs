//! The state of a project, from the newest good snapshot and the log's tail.

use std::ops::ControlFlow;

use fibula_core::edit::{Head, ReplayError, State};

use super::snapshot;
use super::{Damage, ProjectId, Reading, Store, StoreError};

/// A project as it could be read.
#[derive(Debug)]
pub struct Loaded {
    /// The state.
    pub state: State,
    /// What keeps the rest of the log from being read; the state is that before it.
    pub damage: Option<Damage>,
    /// Damaged snapshots that were passed over.
    pub passed: Vec<Damage>,
    /// The revision of the snapshot that was used; 0 for none.
    pub snapshot: u64,
    /// The bytes of the records that were replayed.
    pub replayed: usize,
}

/// Reads the state of a project as of a revision, or the newest.
///
/// A damaged snapshot is passed over for an older one, or for the log; so is one that was put together while the log
/// was rewritten, and is of a state that the log does not have any more.
///
/// # Errors
/// [`StoreError`] when the store cannot be read, [`Damage::NoBase`] when nothing is left to begin with.
pub fn load(
    store: &dyn Store,
    project: ProjectId,
    at_most: Option<u64>,
) -> Result<Loaded, StoreError> {
    let last = at_most.unwrap_or(u64::MAX);
    let base = store.base(project)?;
    let mut passed = Vec::new();
    let mut before = last;
    let mut state = loop {
        let stored = match store.snapshot(project, before) {
            Ok(Some(stored)) => stored,
            Ok(None) => break State::default(),
            // Which one it is cannot be told, nor which one comes before it.
            Err(StoreError::Damaged(damage)) => {
                passed.push(damage);
                break State::default();
            }
            Err(error) => return Err(error),
        };
        match snapshot::decode(&stored) {
            Ok(state) if stands(store, project, state.head())? => break state,
            Ok(_) => {
                let (revision, message) = (stored.revision, "the log has another state there");
                let message = message.to_owned();
                passed.push(Damage::Snapshot { revision, message });
            }
            Err(damage) => passed.push(damage),
        }
        match stored.revision.checked_sub(1) {
            Some(earlier) => before = earlier,
            None => break State::default(),
        }
    };
    if state.revision() < base {
        return Err(match passed.pop() {
            Some(damage) => damage.into(),
            None => Damage::NoBase { base }.into(),
        });
    }
    let (snapshot, mut damage, mut replayed) = (state.revision(), None, 0);
    let first = state.revision();
    if first < last {
        let read = store.read(project, Reading::After(first), true, &mut |record| {
            if record.revision > last {
                return ControlFlow::Break(());
            }
            // A replay that differs has changed the state, which is then put together anew without it.
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
            // What could be read so far is good.
            Err(StoreError::Damaged(found)) => damage = Some(found),
            read => read?,
        }
    }
    if let Some(Damage::Replay(ReplayError::Differs { revision, .. })) = damage {
        let good = load(store, project, Some(revision - 1))?;
        return Ok(Loaded { damage, ..good });
    }
    Ok(Loaded {
        state,
        damage,
        passed,
        snapshot,
        replayed,
    })
}

/// Whether the log has this head, or had it. Where it has no record, as at its base, nothing says otherwise.
pub(super) fn stands(
    store: &dyn Store,
    project: ProjectId,
    head: Head,
) -> Result<bool, StoreError> {
    let mut found = head;
    let reading = Reading::After(head.revision.saturating_sub(1));
    let read = store.read(project, reading, false, &mut |record| {
        if record.revision == head.revision {
            found.hash = record.hash;
        }
        ControlFlow::Break(())
    });
    match read {
        // A snapshot behind damaged records saves the state.
        Err(StoreError::Damaged(_)) => Ok(true),
        read => read.map(|()| found == head),
    }
}

/// Puts a snapshot of a project's newest state together from what the store has, and keeps it there; gives its bytes.
///
/// # Errors
/// [`StoreError`] when the store cannot be read or written, or the log is damaged.
pub fn renew_snapshot(store: &dyn Store, project: ProjectId) -> Result<usize, StoreError> {
    let loaded = load(store, project, None)?;
    if let Some(damage) = loaded.damage {
        return Err(damage.into());
    }
    let stored = snapshot::encode(&loaded.state);
    let size = stored.bytes.len();
    if loaded.replayed > 0 {
        store.put_snapshot(project, stored)?;
    }
    Ok(size)
}
