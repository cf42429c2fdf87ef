//! State of a project in memory, and its entries in flight.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};

use fibula_core::edit::{Entry, Head, State};
use fibula_store::{self as store, Damage, LogRange, ProjectId, Store, StoreError};

/// Progress of commits, readable without the lock: with many concurrent commits, taking the lock again for each would
/// dominate their cost.
#[derive(Debug, Default)]
pub(crate) struct CommitProgress {
    /// Last revision written by this process that is known to be durable.
    pub(crate) durable_revision: AtomicU64,
    /// Number of rollbacks and reloads. Changes under the lock only.
    pub(crate) epoch: AtomicU64,
    /// Number of threads that wait for a completion.
    pub(crate) waiters: AtomicUsize,
    /// Bytes of records since the last snapshot.
    pub(crate) tail_bytes: AtomicUsize,
    /// True if the log is damaged.
    pub(crate) is_damaged: AtomicBool,
}

#[derive(Debug, Default)]
pub(crate) struct ProjectState {
    /// True if the state matches the log plus what is in flight.
    pub(crate) loaded: bool,
    /// True while a thread drains the pipeline; no append may start.
    pub(crate) draining: bool,
    pub(crate) state: State,
    /// Entries that are applied here and may not be durable yet, oldest first; see [`ProjectState::is_pending`].
    pub(crate) in_flight: VecDeque<InFlight>,
    pub(crate) progress: Arc<CommitProgress>,
    /// Version of other processes' writes at the last refresh; `None` if a refresh is due.
    pub(crate) foreign_version: Option<u64>,
    /// Damage because of which the rest of the log cannot be read, and the last revision of the log.
    pub(crate) damage: Option<(Damage, u64)>,
}

#[derive(Debug)]
pub(crate) struct InFlight {
    pub(crate) entry: Arc<Entry>,
    pub(crate) before: Head,
}

impl ProjectState {
    pub(crate) fn load(&mut self, store: &dyn Store, id: ProjectId) -> Result<(), StoreError> {
        let foreign_version = store.foreign_writes();
        let loaded = store::load(store, id, None)?;
        for damage in &loaded.skipped {
            tracing::error!(project = id.0, %damage, "a snapshot was skipped");
        }
        if let Some(damage) = &loaded.damage {
            tracing::error!(project = id.0, %damage, "a project can only be read, up to the damage");
        }
        self.loaded = true;
        self.state = loaded.state;
        let is_damaged = loaded.damage.is_some();
        self.progress.is_damaged.store(is_damaged, SeqCst);
        self.damage = loaded.damage.map(|damage| (damage, loaded.head.revision));
        self.in_flight.clear();
        self.next_epoch();
        self.foreign_version = Some(foreign_version);
        self.progress.tail_bytes.store(loaded.replayed, SeqCst);
        Ok(())
    }

    fn next_epoch(&self) {
        self.progress.epoch.fetch_add(1, SeqCst);
    }

    /// Returns true if an entry that led to `revision` may not be durable yet. Forgets durable entries.
    pub(crate) fn is_pending(&mut self, revision: u64) -> bool {
        let durable_revision = self.progress.durable_revision.load(SeqCst);
        while let Some(flight) = self.in_flight.front() {
            if flight.entry.revision() > durable_revision {
                return flight.before.revision < revision;
            }
            self.in_flight.pop_front();
        }
        false
    }

    /// Replays what other processes have appended. Requires that nothing is in flight.
    pub(crate) fn catch_up(&mut self, store: &dyn Store, id: ProjectId) -> Result<(), StoreError> {
        let foreign_version = store.foreign_writes();
        let (here, there) = (self.state.head(), store.head(id)?);
        if here == there {
            self.foreign_version = Some(foreign_version);
            return Ok(());
        }
        if self.damage.is_some() || there.revision <= here.revision {
            return self.load(store, id);
        }
        let mut fits = true;
        store.read(id, LogRange::After(here.revision), true, &mut |record| {
            self.progress.tail_bytes.fetch_add(record.size(), SeqCst);
            let entry = record.entry().ok();
            fits = entry.is_some_and(|entry| self.state.replay(&entry).is_ok());
            if fits {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        if !fits {
            return self.load(store, id);
        }
        self.foreign_version = Some(foreign_version);
        Ok(())
    }

    /// Rolls back the entries in flight from index `from` on.
    pub(crate) fn roll_back(&mut self, from: usize) {
        self.next_epoch();
        self.foreign_version = None;
        while self.in_flight.len() > from {
            let Some(InFlight { entry, before }) = self.in_flight.pop_back() else {
                break;
            };
            if let Err(error) = self.state.roll_back(&entry, before) {
                tracing::error!(%error, "an edit could not be rolled back; the project is read \
                    again");
                self.in_flight.clear();
                self.loaded = false;
                return;
            }
        }
    }
}
