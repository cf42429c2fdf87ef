//! A project and its commit protocol: optimistic pipelining over a write-ahead log with group commit.
//!
//! An edit is checked against the state, applied to it and appended to the log; the caller is answered once the append
//! is durable. Edits that arrive meanwhile are checked against the state that is not durable yet, so that they share
//! the wait (group commit). If the log rejects an append, because another process was faster or the disk is full, that
//! edit and all later ones in flight are rolled back. No reader observes a state before it is durable.

mod reads;
mod snapshots;

use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use fibula_core::edit::{Checked, CommitInfo, Edit, Entry, EntryKind, Head, Origin, State};
use fibula_core::graph::Document;
use fibula_store::{Damage, ProjectId, Record, Store, StoreError, block_in_place};

use crate::project::assembly_cache::AssemblyCache;
use crate::project::change::{Answer, CommitOptions, Committed, Decide, PendingEdit, erased, now};
use crate::project::damage::ProjectDamage;
use crate::project::history_cache::HistoryCache;
use crate::project::knowledge_indexes::KnowledgeIndexes;
use crate::project::resource_cache::ResourceCache;
use crate::project::snapshot_threads::SnapshotThreads;
use crate::project::state::{CommitProgress, InFlight, ProjectState};
use crate::project::tape_cache::TapeCache;
use crate::refusal::{Refusal, Result};
use snapshots::SnapshotWriter;

/// Time during which an edit is retried while other processes win the race for its revision.
const RETRY_TIMEOUT: Duration = Duration::from_secs(10);

/// A project: its state in memory, its caches, and the protocol by which it changes.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) id: ProjectId,
    pub(crate) name: Arc<str>,
    pub(crate) tapes: TapeCache,
    pub(crate) graphs: KnowledgeIndexes,
    pub(crate) loaded: Arc<ResourceCache>,
    pub(crate) past: HistoryCache,
    pub(crate) assemblies: AssemblyCache,
    pub(crate) store: Arc<dyn Store>,
    state: Mutex<ProjectState>,
    /// The last durable state, while it is read because later ones wait for the store.
    stored: Mutex<Option<State>>,
    progress: Arc<CommitProgress>,
    /// Notified when an append becomes durable or is rolled back.
    completed: Condvar,
    snapshot_writer: SnapshotWriter,
    /// This project, for its threads.
    this: Weak<Project>,
}

/// Reason for which a change is rejected before it is applied.
enum Rejection {
    Damaged(Damage),
    Stale { expected: u64, current: u64 },
    Refused(Box<Refusal>),
}

/// Outcome of one attempt to commit.
enum Attempt {
    Committed,
    /// Another process committed first.
    Retry,
}

/// A change to be committed.
struct CommitRequest<'a> {
    origin: &'a Origin,
    condition: CommitOptions,
    started: Instant,
    /// True if the log was checked for entries of other processes.
    has_checked_log: bool,
}

impl<'a> CommitRequest<'a> {
    fn new(origin: &'a Origin, condition: CommitOptions) -> Self {
        CommitRequest {
            origin,
            condition,
            started: Instant::now(),
            has_checked_log: false,
        }
    }
}

impl Project {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        id: ProjectId,
        name: &str,
        loaded: Arc<ResourceCache>,
        threads: Arc<SnapshotThreads>,
    ) -> Arc<Self> {
        let progress = Arc::<CommitProgress>::default();
        Arc::new_cyclic(|this| Project {
            id,
            name: name.into(),
            tapes: TapeCache::default(),
            graphs: KnowledgeIndexes::default(),
            loaded,
            past: HistoryCache::default(),
            assemblies: AssemblyCache::default(),
            store,
            state: Mutex::new(ProjectState {
                progress: progress.clone(),
                ..ProjectState::default()
            }),
            stored: Mutex::default(),
            progress,
            completed: Condvar::new(),
            snapshot_writer: SnapshotWriter::new(threads),
            this: this.clone(),
        })
    }

    /// Locks the state. Poisoning is ignored: a document changes only by plans that cannot fail, so a panic leaves it
    /// consistent.
    fn lock(&self) -> MutexGuard<'_, ProjectState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the state after replaying what other processes have appended.
    fn lock_current(&self) -> Result<MutexGuard<'_, ProjectState>, StoreError> {
        let locked = self.lock_current_until(None)?;
        Ok(locked.expect("without a deadline it waits as long as it takes"))
    }

    /// As [`lock_current`](Self::lock_current); `None` if entries are in flight until a deadline, so that the others cannot
    /// be replayed.
    fn lock_current_until(
        &self,
        deadline: Option<Instant>,
    ) -> Result<Option<MutexGuard<'_, ProjectState>>, StoreError> {
        let mut state = self.lock();
        loop {
            if !state.loaded {
                state.load(&*self.store, self.id)?;
            }
            if state.foreign_version == Some(self.store.foreign_writes()) {
                return Ok(Some(state));
            }
            if state.is_pending(u64::MAX) {
                state = self.wait_until(state, |state| !state.is_pending(u64::MAX), deadline);
                if state.is_pending(u64::MAX) {
                    return Ok(None);
                }
            } else {
                state.catch_up(&*self.store, self.id)?;
                return Ok(Some(state));
            }
        }
    }

    /// As [`lock_current`](Self::lock_current), for a change: waits while another thread drains the pipeline.
    fn lock_for_change(&self) -> Result<MutexGuard<'_, ProjectState>, StoreError> {
        let mut state = self.lock_current()?;
        while state.draining {
            drop(self.wait_until(state, |state| !state.draining, None));
            state = self.lock_current()?;
        }
        Ok(state)
    }

    /// As [`lock_for_change`](Self::lock_for_change), after draining the pipeline: nothing is in flight.
    fn lock_drained(&self) -> Result<MutexGuard<'_, ProjectState>, StoreError> {
        let mut state = self.lock_for_change()?;
        state.draining = true;
        state = self.wait_until(state, |state| !state.is_pending(u64::MAX), None);
        state.draining = false;
        self.completed.notify_all();
        // An append that ended meanwhile may have been rolled back.
        if !state.loaded {
            state.load(&*self.store, self.id)?;
        } else if state.foreign_version != Some(self.store.foreign_writes()) {
            state.catch_up(&*self.store, self.id)?;
        }
        Ok(state)
    }

    /// Waits until `is_met` returns true, or until a deadline.
    fn wait_until<'a>(
        &'a self,
        mut state: MutexGuard<'a, ProjectState>,
        mut is_met: impl FnMut(&mut ProjectState) -> bool,
        deadline: Option<Instant>,
    ) -> MutexGuard<'a, ProjectState> {
        // Registered before the condition is tested, so that whoever completes an append afterwards notifies this
        // thread.
        self.progress.waiters.fetch_add(1, SeqCst);
        while !is_met(&mut state) {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                break;
            }
            state = block_in_place(|| match left {
                None => self
                    .completed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(left) => {
                    self.completed
                        .wait_timeout(state, left)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0
                }
            });
        }
        self.progress.waiters.fetch_sub(1, SeqCst);
        state
    }

    /// Waits until everything that led to this state is durable. Returns false if some of it was rolled back.
    fn wait_durable(&self, state: MutexGuard<'_, ProjectState>) -> bool {
        let (epoch, revision) = (self.epoch(), state.state.revision());
        let is_settled =
            |state: &mut ProjectState| self.epoch() != epoch || !state.is_pending(revision);
        drop(self.wait_until(state, is_settled, None));
        self.epoch() == epoch
    }

    fn epoch(&self) -> u64 {
        self.progress.epoch.load(SeqCst)
    }

    /// True if the log was found to be damaged.
    pub(crate) fn is_damaged(&self) -> bool {
        self.progress.is_damaged.load(SeqCst)
    }

    /// Returns the damage up to which the project was read, if any.
    pub(crate) fn damage(&self) -> Option<ProjectDamage> {
        if !self.is_damaged() {
            return None;
        }
        let state = self.lock();
        let (damage, end) = state.damage.as_ref()?;
        Some(ProjectDamage {
            project: self.name.clone(),
            damage: damage.clone(),
            last_good: state.state.revision(),
            end: *end,
        })
    }

    /// Commits a change whose `decide` is short: checks, applies and appends it under the lock.
    ///
    /// `decide` checks the change against the current state and may refuse it; `answer` sees the document after the
    /// change. Both run again when another process commits first.
    pub(crate) fn change<X, T>(
        &self,
        origin: &Origin,
        condition: CommitOptions,
        decide: impl FnMut(&State) -> Result<(PendingEdit, X)>,
        answer: impl FnMut(&Document, &Committed, X) -> T,
    ) -> Result<T> {
        erased(decide, answer, |decide, answer| {
            let mut request = CommitRequest::new(origin, condition);
            self.commit(Self::lock_for_change, &mut request, decide, answer)
        })
    }

    /// As [`change`](Self::change), for a `decide` that may take long: it runs on a snapshot, without the lock
    /// (optimistic concurrency control).
    ///
    /// The decision is valid at its revision only. If others have changed the project meanwhile, `decide` runs again;
    /// after `OPTIMISTIC_ATTEMPTS` attempts it runs under the lock, which guarantees progress. The state that `decide`
    /// sees is durable.
    pub(crate) fn change_optimistically<X, T>(
        &self,
        origin: &Origin,
        condition: CommitOptions,
        decide: impl FnMut(&State) -> Result<(PendingEdit, X)>,
        answer: impl FnMut(&Document, &Committed, X) -> T,
    ) -> Result<T> {
        erased(decide, answer, |decide, answer| {
            self.commit_optimistically(origin, condition, decide, answer)
        })
    }

    fn commit_optimistically(
        &self,
        origin: &Origin,
        condition: CommitOptions,
        decide: &mut Decide<'_>,
        answer: &mut Answer<'_>,
    ) -> Result<()> {
        const OPTIMISTIC_ATTEMPTS: usize = 3;
        let mut request = CommitRequest::new(origin, condition);
        for _ in 0..OPTIMISTIC_ATTEMPTS {
            self.check_options(condition)?;
            let (snapshot, epoch) = self.read_durable(State::clone)?;
            let decided = match decide(&snapshot) {
                Ok(decided) => decided,
                Err(_) if self.is_behind(snapshot.head(), &mut request.has_checked_log)? => {
                    continue;
                }
                Err(refusal) => return Err(refusal),
            };
            let state = self.lock_for_change()?;
            if state.state.revision() != snapshot.revision() || self.epoch() != epoch {
                continue;
            }
            // Dropping the last other reference lets a function be changed in place.
            drop(snapshot);
            let mut decided = Some(decided);
            let mut decide = |_: &State| Ok(decided.take().expect("called once"));
            match self.attempt(state, &mut request, &mut decide, answer)? {
                Attempt::Committed => return Ok(()),
                Attempt::Retry => {}
            }
        }
        self.commit(Self::lock_drained, &mut request, decide, answer)
    }

    /// Attempts to commit under the lock that `lock` takes, until no other process commits first.
    fn commit(
        &self,
        lock: impl Fn(&Self) -> Result<MutexGuard<'_, ProjectState>, StoreError>,
        request: &mut CommitRequest<'_>,
        decide: &mut Decide<'_>,
        answer: &mut Answer<'_>,
    ) -> Result<()> {
        loop {
            match self.attempt(lock(self)?, request, decide, answer)? {
                Attempt::Committed => return Ok(()),
                Attempt::Retry if request.started.elapsed() < RETRY_TIMEOUT => {}
                Attempt::Retry => {
                    return Err(StoreError::Busy(format!("project '{}'", self.name)).into());
                }
            }
        }
    }

    /// Rejects a change if the log is damaged, or if the project has changed since the expected revision; positions in
    /// diagrams do not count.
    fn admit(state: &ProjectState, condition: CommitOptions) -> Result<(), Rejection> {
        if let Some((damage, _)) = &state.damage {
            return Err(Rejection::Damaged(damage.clone()));
        }
        let current = state.state.revision();
        // Moving nodes in diagrams makes nobody's knowledge of the project stale.
        let known = state.state.content_revision()..=current;
        match condition.expected_revision {
            Some(expected) if !known.contains(&expected) => {
                Err(Rejection::Stale { expected, current })
            }
            Some(_) | None => Ok(()),
        }
    }

    fn rejection_refusal(&self, rejection: Rejection) -> Refusal {
        match rejection {
            Rejection::Damaged(damage) => StoreError::from(damage).into(),
            Rejection::Stale { expected, current } => self.conflict(expected, current),
            Rejection::Refused(refusal) => *refusal,
        }
    }

    /// Returns the current revision if a change with these options would be admitted.
    pub(crate) fn check_options(&self, condition: CommitOptions) -> Result<u64> {
        let mut has_checked_log = false;
        loop {
            let state = self.lock_current()?;
            let head = state.state.head();
            let admission = Self::admit(&state, condition);
            if !self.wait_durable(state) {
                continue;
            }
            match admission {
                Ok(()) => return Ok(head.revision),
                Err(_) if self.is_behind(head, &mut has_checked_log)? => {}
                Err(rejection) => return Err(self.rejection_refusal(rejection)),
            }
        }
    }

    /// One attempt to commit: decides at the current state, applies, appends, and waits until the append is durable.
    /// Every change passes through here.
    ///
    /// A rejection or dry run is returned only after the state it was decided at is durable, and after the log was
    /// checked once for entries of other processes.
    fn attempt(
        &self,
        mut state: MutexGuard<'_, ProjectState>,
        request: &mut CommitRequest<'_>,
        decide: &mut Decide<'_>,
        answer: &mut Answer<'_>,
    ) -> Result<Attempt> {
        let condition = request.condition;
        let decided = Self::admit(&state, condition).and_then(|()| {
            decide(&state.state).map_err(|refusal| Rejection::Refused(Box::new(refusal)))
        });
        let pending = match decided {
            Ok(pending) => pending,
            Err(rejection) => {
                let head = state.state.head();
                if !self.wait_durable(state)
                    || self.is_behind(head, &mut request.has_checked_log)?
                {
                    return Ok(Attempt::Retry);
                }
                return Err(self.rejection_refusal(rejection));
            }
        };
        let checked = pending.checked;
        let is_empty = is_empty_edit(&checked, &pending.kind);
        let commit_info = CommitInfo {
            origin: request.origin.clone(),
            at: now(),
            label: pending.label,
            kind: pending.kind,
        };
        if condition.dry_run || is_empty {
            let mut trial = state.state.clone();
            if !self.wait_durable(state)
                || self.is_behind(trial.head(), &mut request.has_checked_log)?
            {
                return Ok(Attempt::Retry);
            }
            let revision = trial.revision();
            let (entry, change) = trial.commit(checked, commit_info);
            let committed = Committed {
                revision,
                label: entry.heading.label,
                change,
                dry_run: condition.dry_run.then_some(true),
            };
            answer(trial.document(), &committed);
            return Ok(Attempt::Committed);
        }
        let (before, epoch) = (state.state.head(), self.epoch());
        // If `answer` panics, the state is reloaded.
        state.loaded = false;
        let (entry, change) = state.state.commit(checked, commit_info);
        let committed = Committed {
            revision: entry.revision(),
            label: entry.heading.label.clone(),
            change,
            dry_run: None,
        };
        answer(state.state.document(), &committed);
        state.loaded = true;
        let record = Record::new(&entry);
        let size = record.size();
        let entry = Arc::new(entry);
        state.in_flight.push_back(InFlight {
            entry: entry.clone(),
            before,
        });
        // Under the lock, so that appends follow the order of revisions.
        let ticket = self.store.append(self.id, before, record);
        drop(state);
        match self.complete(&entry, epoch, size, ticket.wait()) {
            Ok(()) => Ok(Attempt::Committed),
            Err(StoreError::Conflict { .. }) => Ok(Attempt::Retry),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns true if the log continues beyond `head`. Reads the log only once, since other processes may append
    /// without end.
    fn is_behind(&self, head: Head, has_checked_log: &mut bool) -> Result<bool, StoreError> {
        if std::mem::replace(has_checked_log, true) || self.store.head(self.id)? == head {
            return Ok(false);
        }
        self.lock().foreign_version = None;
        Ok(true)
    }

    /// Completes an append of the given epoch: publishes its durability, or rolls it back.
    fn complete(
        &self,
        entry: &Arc<Entry>,
        epoch: u64,
        size: usize,
        outcome: Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let progress = &self.progress;
        if outcome.is_ok() && self.epoch() == epoch {
            // Appends complete in order, so earlier ones are durable, too. If this one is rolled back from now on, the
            // log is read again before anything else gets its revision.
            progress
                .durable_revision
                .fetch_max(entry.revision(), SeqCst);
        } else {
            let mut state = self.lock();
            let mut flights = state.in_flight.iter();
            let place = flights.position(|flight| Arc::ptr_eq(&flight.entry, entry));
            match (&outcome, place) {
                (Err(_), Some(place)) => state.roll_back(place),
                (Ok(()), Some(_)) => drop(
                    progress
                        .durable_revision
                        .fetch_max(entry.revision(), SeqCst),
                ),
                // Rolled back here together with an earlier entry, but durable in the log.
                (Ok(()), None) => state.foreign_version = None,
                (Err(_), None) => {}
            }
        }
        if progress.waiters.load(SeqCst) > 0 {
            // A thread that holds the lock now either sees the change or waits before it is notified.
            drop(self.lock());
            self.completed.notify_all();
        }
        if outcome.is_ok() {
            self.lengthen_tail(size);
        }
        outcome
    }

    /// Marks the state as outdated, since the log was rewritten.
    pub(crate) fn invalidate(&self) {
        let mut state = self.lock();
        state.foreign_version = None;
        state.loaded = state.loaded && state.is_pending(u64::MAX);
        drop(state);
        self.past.forget();
    }

    /// Number of nodes in memory, or `None` while the project is in use.
    pub(crate) fn idle_size(&self) -> Option<usize> {
        let mut state = self.state.try_lock().ok()?;
        // The damage of a project is reported as long as the process runs.
        let busy = state.is_pending(u64::MAX) || state.damage.is_some();
        let functions = state.state.document().functions();
        let knowledge = state.state.document().knowledge();
        // An edge takes about half the memory of a node.
        let known = knowledge.node_count() + knowledge.edge_count() / 2;
        (!busy).then(|| {
            functions
                .map(|function| function.node_count() + 8)
                .sum::<usize>()
                + known
        })
    }
}

/// Returns true for an empty batch, which leaves no entry; a checkpoint does.
fn is_empty_edit(checked: &Checked, kind: &EntryKind) -> bool {
    let is_empty = matches!(checked.edit(), Edit::Batch(edits) if edits.is_empty());
    is_empty && *kind == EntryKind::Edit
}
