//! The state of a project in memory, and what of it may not last yet.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicU64, AtomicUsize};

use fibula_core::edit::{Entry, Head, State};
use fibula_store::{self as store, Damage, ProjectId, Reading, Store, StoreError};

/// What is known without the lock: so many edits last at once that each taking it again would be the most of their
/// cost.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The last revision of ours that is known to last.
    pub(super) lasting: AtomicU64,
    /// How often entries were taken back or the state was read anew. Changes under the lock only.
    pub(super) era: AtomicU64,
    /// How many wait until something settled.
    pub(super) sleepers: AtomicUsize,
    /// The bytes of records since the last snapshot.
    pub(super) tail: AtomicUsize,
}

#[derive(Debug, Default)]
pub(super) struct Live {
    /// Whether the state is that of the log and of what is in flight.
    pub(super) loaded: bool,
    /// Whether somebody waits until nothing is in flight, and nothing may take off.
    pub(super) closed: bool,
    pub(super) state: State,
    /// Entries that are applied here and may not last yet, the oldest first; see [`Live::open`].
    pub(super) in_flight: VecDeque<Flight>,
    pub(super) progress: Arc<Progress>,
    /// What others had written when this was brought up to date; `None` if it has to be.
    pub(super) seen: Option<u64>,
    /// What keeps the rest of the log from being read.
    pub(super) damage: Option<Damage>,
}

#[derive(Debug)]
pub(super) struct Flight {
    pub(super) entry: Arc<Entry>,
    pub(super) before: Head,
}

impl Live {
    pub(super) fn load(&mut self, store: &dyn Store, id: ProjectId) -> Result<(), StoreError> {
        let seen = store.foreign();
        let loaded = store::load(store, id, None)?;
        for damage in &loaded.passed {
            tracing::error!(project = id.0, %damage, "a snapshot was passed over");
        }
        if let Some(damage) = &loaded.damage {
            tracing::error!(project = id.0, %damage, "a project can only be read, up to the damage");
        }
        self.loaded = true;
        self.state = loaded.state;
        self.damage = loaded.damage;
        self.in_flight.clear();
        self.new_era();
        self.seen = Some(seen);
        self.progress.tail.store(loaded.replayed, SeqCst);
        Ok(())
    }

    fn new_era(&self) {
        self.progress.era.fetch_add(1, SeqCst);
    }

    /// Whether something may not last yet that led to `revision`. What lasts is forgotten.
    pub(super) fn open(&mut self, revision: u64) -> bool {
        let lasting = self.progress.lasting.load(SeqCst);
        while let Some(flight) = self.in_flight.front() {
            if flight.entry.revision() > lasting {
                return flight.before.revision < revision;
            }
            self.in_flight.pop_front();
        }
        false
    }

    /// Does what others have appended. Nothing of our own is in flight.
    pub(super) fn follow(&mut self, store: &dyn Store, id: ProjectId) -> Result<(), StoreError> {
        let seen = store.foreign();
        let (here, there) = (self.state.head(), store.head(id)?);
        if here == there {
            self.seen = Some(seen);
            return Ok(());
        }
        if self.damage.is_some() || there.revision <= here.revision {
            return self.load(store, id);
        }
        let mut fits = true;
        store.read(id, Reading::After(here.revision), true, &mut |record| {
            self.progress.tail.fetch_add(record.size(), SeqCst);
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
        self.seen = Some(seen);
        Ok(())
    }

    /// Takes back everything in flight from a place on.
    pub(super) fn roll_back(&mut self, from: usize) {
        self.new_era();
        self.seen = None;
        while self.in_flight.len() > from {
            let Some(Flight { entry, before }) = self.in_flight.pop_back() else {
                break;
            };
            if let Err(error) = self.state.take_back(&entry, before) {
                tracing::error!(%error, "an edit could not be taken back; the project is read anew");
                self.in_flight.clear();
                self.loaded = false;
                return;
            }
        }
    }
}
