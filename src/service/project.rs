//! A project: its state, and the one way in which it changes.
//!
//! An edit is checked against the state, applied to it and appended to the log, and answered when the log has it for
//! good. Edits that follow meanwhile are checked against what is not for good yet, so that they share the wait; if
//! the log refuses one, since another process was faster or the disk is full, it and those behind it are taken back.
//! Nobody is told of a state before it lasts.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::past::Past;
use super::refusal::Refusal;
use super::tapes::Tapes;
use crate::edit::{Change, Checked, Entry, Head, Origin, Said, State, Turn};
use crate::graph::Document;
use crate::store::{
    self, Damage, ProjectId, Reading, Record, Store, StoreError, apart, renew_snapshot,
};

/// How long an edit is tried again while other processes are faster.
const PATIENCE: Duration = Duration::from_secs(10);
/// A log's tail of fewer bytes is replayed in no time, so it needs no snapshot.
const SHORT_TAIL: usize = 1 << 20;
/// So many times the bytes of the last snapshot a tail may have: then writing snapshots costs less than writing edits.
const TAIL_RATIO: usize = 4;

/// The state of a project, and how it changes.
#[derive(Debug)]
pub(super) struct Project {
    pub(super) id: ProjectId,
    pub(super) name: Arc<str>,
    pub(super) tapes: Tapes,
    pub(super) past: Past,
    pub(super) store: Arc<dyn Store>,
    gate: Mutex<()>,
    live: Mutex<Live>,
    /// Told when something lasts, or was taken back.
    settled: Condvar,
    renewal: Arc<Renewal>,
}

/// The writing of a project's snapshots.
#[derive(Debug, Default)]
struct Renewal {
    running: AtomicBool,
    /// The bytes of the last one.
    size: AtomicUsize,
}

#[derive(Debug, Default)]
struct Live {
    loaded: bool,
    state: State,
    /// Entries that are applied here and may not last yet, the oldest first.
    in_flight: VecDeque<Flight>,
    /// How often entries were taken back or the state was read anew.
    era: u64,
    /// What others had written when this was brought up to date; `None` if it has to be.
    seen: Option<u64>,
    /// What keeps the rest of the log from being read.
    damage: Option<Damage>,
    /// The bytes of records since the last snapshot.
    tail: usize,
}

#[derive(Debug)]
struct Flight {
    entry: Arc<Entry>,
    before: Head,
}

/// A document as it was at a revision; changes since do not show in it.
#[derive(Debug, Clone)]
pub(super) struct Snapshot {
    pub(super) document: Document,
    pub(super) head: Head,
}

/// When a change may be, and whether it is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Condition {
    pub(super) expected_revision: Option<u64>,
    pub(super) dry_run: bool,
}

/// A change that was checked against the state.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) checked: Checked,
    /// What the history calls it; the edit's summary if left out.
    pub(super) label: Option<String>,
    pub(super) turn: Turn,
}

/// What was done to a project.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) revision: u64,
    pub(super) label: String,
    pub(super) change: Change,
    /// Whether it was only tried.
    pub(super) dry_run: Option<bool>,
}

impl Step {
    pub(super) fn edit(checked: Checked) -> Self {
        Step {
            checked,
            label: None,
            turn: Turn::Edit,
        }
    }

    pub(super) fn labelled(checked: Checked, label: Option<String>) -> Self {
        Step {
            label,
            ..Step::edit(checked)
        }
    }
}

impl Snapshot {
    pub(super) fn of(state: &State) -> Self {
        Snapshot {
            document: state.document().clone(),
            head: state.head(),
        }
    }
}

impl Condition {
    pub(super) fn new(expected_revision: Option<u64>, dry_run: bool) -> Self {
        Condition {
            expected_revision,
            dry_run,
        }
    }
}

impl Live {
    fn load(&mut self, store: &dyn Store, id: ProjectId) -> Result<(), StoreError> {
        let seen = store.foreign();
        let loaded = store::load(store, id, None)?;
        for damage in &loaded.passed {
            tracing::error!(%damage, "a snapshot was passed over");
        }
        if let Some(damage) = &loaded.damage {
            tracing::error!(%damage, "a project can only be read, up to the damage");
        }
        self.loaded = true;
        self.state = loaded.state;
        self.damage = loaded.damage;
        self.in_flight.clear();
        self.era += 1;
        self.seen = Some(seen);
        self.tail = loaded.replayed;
        Ok(())
    }

    /// Does what others have appended. Nothing of our own is in flight.
    fn follow(&mut self, store: &dyn Store, id: ProjectId) -> Result<(), StoreError> {
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
            self.tail += record.size();
            let entry = record.entry().ok();
            fits = entry.is_some_and(|entry| self.state.replay(&entry).is_ok());
            if fits {
                std::ops::ControlFlow::Continue(())
            } else {
                std::ops::ControlFlow::Break(())
            }
        })?;
        if !fits {
            return self.load(store, id);
        }
        self.seen = Some(seen);
        Ok(())
    }

    /// Takes back everything in flight from a place on.
    fn roll_back(&mut self, from: usize) {
        self.era += 1;
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

impl Project {
    pub(super) fn new(store: Arc<dyn Store>, id: ProjectId, name: &str) -> Self {
        Project {
            id,
            name: name.into(),
            tapes: Tapes::default(),
            past: Past::default(),
            store,
            gate: Mutex::default(),
            live: Mutex::default(),
            settled: Condvar::new(),
            renewal: Arc::default(),
        }
    }

    /// What a panic leaves behind is whole: a document changes only by plans that cannot fail.
    fn raw(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state, with everything that others have done.
    fn live(&self) -> Result<MutexGuard<'_, Live>, StoreError> {
        let mut live = self.raw();
        loop {
            if !live.loaded {
                live.load(&*self.store, self.id)?;
            }
            if live.seen == Some(self.store.foreign()) {
                return Ok(live);
            }
            if live.in_flight.is_empty() {
                live.follow(&*self.store, self.id)?;
                return Ok(live);
            }
            live = self.wait(live);
        }
    }

    /// As [`live`](Self::live), with nothing in flight. Whoever asks holds the gate, so that nothing takes off.
    fn calm(&self) -> Result<MutexGuard<'_, Live>, StoreError> {
        loop {
            let mut live = self.live()?;
            while !live.in_flight.is_empty() {
                live = self.wait(live);
            }
            if live.loaded {
                return Ok(live);
            }
        }
    }

    /// Who changes the project passes here, one after the other.
    fn gate(&self) -> MutexGuard<'_, ()> {
        apart(|| self.gate.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until something settled.
    fn wait<'a>(&'a self, live: MutexGuard<'a, Live>) -> MutexGuard<'a, Live> {
        let wait = || {
            self.settled
                .wait(live)
                .unwrap_or_else(PoisonError::into_inner)
        };
        apart(wait)
    }

    /// Reads what takes no longer than an answer. What is read lasts.
    pub(super) fn read<T>(&self, read: impl Fn(&State) -> T) -> Result<T, Refusal> {
        Ok(self.lasting(read)?.0)
    }

    /// As [`read`](Self::read); tells the era too.
    fn lasting<T>(&self, read: impl Fn(&State) -> T) -> Result<(T, u64), StoreError> {
        loop {
            let mut live = self.live()?;
            let answer = read(&live.state);
            let (era, revision) = (live.era, live.state.revision());
            let open = |live: &Live| {
                let oldest = live.in_flight.front();
                oldest.is_some_and(|flight| flight.before.revision < revision)
            };
            while live.era == era && open(&live) {
                live = self.wait(live);
            }
            if live.era == era {
                return Ok((answer, era));
            }
        }
    }

    pub(super) fn snapshot(&self) -> Result<Snapshot, Refusal> {
        self.read(Snapshot::of)
    }

    /// Changes the project by what takes no longer than an answer: condition, check, apply, append.
    ///
    /// `decide` checks against the state as it is, and may refuse; `answer` sees the document as it is then. Both are
    /// asked again when another process was faster.
    pub(super) fn change<X, T>(
        &self,
        origin: &Origin,
        condition: Condition,
        mut decide: impl FnMut(&State) -> Result<(Step, X), Refusal>,
        mut answer: impl FnMut(&Document, &Done, X) -> T,
    ) -> Result<T, Refusal> {
        let begun = Instant::now();
        loop {
            let gate = self.gate();
            let live = self.admit(self.live()?, condition)?;
            let (step, decided) = decide(&live.state)?;
            match self.commit(gate, live, origin, condition, step, decided, &mut answer) {
                Err(StoreError::Conflict { .. }) => self.patient(begun)?,
                outcome => return Ok(outcome?),
            }
        }
    }

    /// As [`change`](Self::change), for what may take long: `decide` works on a snapshot, so that nobody waits for it.
    ///
    /// What was decided holds at its revision only. Where others changed the project meanwhile, `decide` is asked
    /// again, and after some such turns under the lock, so that it ends however busy the others are. What `decide`
    /// sees is in the log.
    pub(super) fn change_apart<X, T>(
        &self,
        origin: &Origin,
        condition: Condition,
        mut decide: impl FnMut(&State) -> Result<(Step, X), Refusal>,
        mut answer: impl FnMut(&Document, &Done, X) -> T,
    ) -> Result<T, Refusal> {
        const TURNS: usize = 3;
        let begun = Instant::now();
        for _ in 0..TURNS {
            drop(self.admit(self.live()?, condition)?);
            let (state, era) = self.lasting(State::clone)?;
            let (step, decided) = decide(&state)?;
            let gate = self.gate();
            let live = self.admit(self.live()?, condition)?;
            if live.state.revision() != state.revision() || live.era != era {
                continue;
            }
            // A function that nobody else holds is changed in place.
            drop(state);
            match self.commit(gate, live, origin, condition, step, decided, &mut answer) {
                Err(StoreError::Conflict { .. }) => {}
                outcome => return Ok(outcome?),
            }
        }
        loop {
            let gate = self.gate();
            let live = self.admit(self.calm()?, condition)?;
            let (step, decided) = decide(&live.state)?;
            match self.commit(gate, live, origin, condition, step, decided, &mut answer) {
                Err(StoreError::Conflict { .. }) => self.patient(begun)?,
                outcome => return Ok(outcome?),
            }
        }
    }

    /// Refuses a change that is not to be now.
    fn admit<'a>(
        &'a self,
        live: MutexGuard<'a, Live>,
        condition: Condition,
    ) -> Result<MutexGuard<'a, Live>, Refusal> {
        if let Some(damage) = &live.damage {
            return Err(StoreError::from(damage.clone()).into());
        }
        let current = live.state.revision();
        match condition.expected_revision {
            Some(expected) if expected != current => {
                drop(live);
                Err(self.conflict(expected, current))
            }
            Some(_) | None => Ok(live),
        }
    }

    /// The revision, if a change may be now.
    pub(super) fn admitted(&self, condition: Condition) -> Result<u64, Refusal> {
        let live = self.admit(self.live()?, condition)?;
        Ok(live.state.revision())
    }

    fn patient(&self, begun: Instant) -> Result<(), Refusal> {
        if begun.elapsed() < PATIENCE {
            return Ok(());
        }
        Err(StoreError::Busy(format!("project '{}'", self.name)).into())
    }

    /// Applies and appends a step that was decided at this state, and waits until it lasts. Every change goes here.
    #[expect(
        clippy::too_many_arguments,
        reason = "two of them are locks, to be let go in time"
    )]
    fn commit<X, T>(
        &self,
        gate: MutexGuard<'_, ()>,
        mut live: MutexGuard<'_, Live>,
        origin: &Origin,
        condition: Condition,
        step: Step,
        decided: X,
        answer: &mut impl FnMut(&Document, &Done, X) -> T,
    ) -> Result<T, StoreError> {
        let Step {
            checked,
            label,
            turn,
        } = step;
        let said = Said {
            origin: origin.clone(),
            at: now(),
            label,
            turn,
        };
        if condition.dry_run {
            let mut state = live.state.clone();
            drop((live, gate));
            let revision = state.revision();
            let (entry, change) = state.commit(checked, said);
            let done = Done {
                revision,
                label: entry.heading.label,
                change,
                dry_run: Some(true),
            };
            return Ok(answer(state.document(), &done, decided));
        }
        let before = live.state.head();
        let (entry, change) = live.state.commit(checked, said);
        let record = Record::new(&entry);
        let size = record.size();
        let entry = Arc::new(entry);
        live.in_flight.push_back(Flight {
            entry: entry.clone(),
            before,
        });
        // In the order of the revisions, so under the lock.
        let ticket = self.store.append(self.id, before, record);
        let done = Done {
            revision: entry.revision(),
            label: entry.heading.label.clone(),
            change,
            dry_run: None,
        };
        let answer = answer(live.state.document(), &done, decided);
        drop((live, gate));
        let outcome = ticket.wait();
        self.settle(&entry, size, outcome)?;
        Ok(answer)
    }

    /// Takes note of what the log said to an entry.
    fn settle(
        &self,
        entry: &Arc<Entry>,
        size: usize,
        outcome: Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut live = self.raw();
        let mut flights = live.in_flight.iter();
        let place = flights.position(|flight| Arc::ptr_eq(&flight.entry, entry));
        match (&outcome, place) {
            // Appends are done in their order, so those before it last too.
            (Ok(()), Some(place)) => {
                live.in_flight.drain(..=place);
                live.tail += size;
            }
            // It was taken back here with an earlier one, and lasts all the same: it is in the log.
            (Ok(()), None) => live.seen = None,
            (Err(_), Some(place)) => live.roll_back(place),
            (Err(_), None) => {}
        }
        let size = self.renewal.size.load(Ordering::Relaxed);
        let long = live.tail > SHORT_TAIL.max(size.saturating_mul(TAIL_RATIO));
        drop(live);
        self.settled.notify_all();
        if long && outcome.is_ok() {
            self.renew();
        }
        outcome
    }

    /// Puts a new snapshot together from what the store has, beside everything else.
    fn renew(&self) {
        if self.renewal.running.swap(true, Ordering::AcqRel) {
            return;
        }
        self.raw().tail = 0;
        let (store, id, renewal) = (self.store.clone(), self.id, self.renewal.clone());
        let work = move || {
            match renew_snapshot(&*store, id) {
                Ok(size) => renewal.size.store(size, Ordering::Relaxed),
                Err(error) => tracing::error!(%error, "a snapshot could not be written"),
            }
            renewal.running.store(false, Ordering::Release);
        };
        let thread = std::thread::Builder::new().name("fibula-snapshot".to_owned());
        if let Err(error) = thread.spawn(work) {
            tracing::error!(%error, "a snapshot could not be begun");
            self.renewal.running.store(false, Ordering::Release);
        }
    }

    /// Reads the log anew at the next occasion, since it was rewritten.
    pub(super) fn forget(&self) {
        let mut live = self.raw();
        live.seen = None;
        live.loaded = live.loaded && !live.in_flight.is_empty();
        drop(live);
        self.past.forget();
    }

    /// How many nodes are held; `None` while the project is in use.
    pub(super) fn idle_size(&self) -> Option<usize> {
        let live = self.live.try_lock().ok()?;
        let functions = live.state.document().functions();
        live.in_flight
            .is_empty()
            .then(|| functions.map(|function| function.node_count() + 8).sum())
    }
}

/// Milliseconds since 1970, UTC.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}
