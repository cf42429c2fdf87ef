//! A project: its state, and the one way in which it changes.
//!
//! An edit is checked against the state, applied to it and appended to the log, and answered when the log has it for
//! good. Edits that follow meanwhile are checked against what is not for good yet, so that they share the wait; if
//! the log refuses one, since another process was faster or the disk is full, it and those behind it are taken back.
//! Nobody is told of a state before it lasts.

use std::sync::atomic::Ordering::{self, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use fibula_core::edit::{Change, Checked, Edit, Entry, Head, Origin, Said, State, Turn};
use fibula_core::graph::Document;
use fibula_store::{Damage, ProjectId, Record, Store, StoreError, apart, renew_snapshot};

use super::knowledge::Graphs;
use super::live::{Flight, Live, Progress};
use super::loaded::Loaded;
use super::past::Past;
use super::refusal::Refusal;
use super::tapes::Tapes;

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
    pub(super) graphs: Graphs,
    pub(super) loaded: Arc<Loaded>,
    pub(super) past: Past,
    pub(super) store: Arc<dyn Store>,
    live: Mutex<Live>,
    progress: Arc<Progress>,
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

/// Why a change is not to be.
enum Unfit {
    Damaged(Damage),
    Stale { expected: u64, current: u64 },
    Refused(Box<Refusal>),
}

/// What came of a turn.
enum Turned<T> {
    Done(T),
    /// Another process was faster.
    Again,
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

impl Project {
    pub(super) fn new(
        store: Arc<dyn Store>,
        id: ProjectId,
        name: &str,
        loaded: Arc<Loaded>,
    ) -> Self {
        let progress = Arc::<Progress>::default();
        Project {
            id,
            name: name.into(),
            tapes: Tapes::default(),
            graphs: Graphs::default(),
            loaded,
            past: Past::default(),
            store,
            live: Mutex::new(Live {
                progress: progress.clone(),
                ..Live::default()
            }),
            progress,
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
            if live.open(u64::MAX) {
                live = self.until(live, |live| !live.open(u64::MAX));
            } else {
                live.follow(&*self.store, self.id)?;
                return Ok(live);
            }
        }
    }

    /// As [`live`](Self::live), for a change, which waits while nothing may take off.
    fn ready(&self) -> Result<MutexGuard<'_, Live>, StoreError> {
        let mut live = self.live()?;
        while live.closed {
            drop(self.until(live, |live| !live.closed));
            live = self.live()?;
        }
        Ok(live)
    }

    /// As [`ready`](Self::ready), with nothing in flight.
    fn calm(&self) -> Result<MutexGuard<'_, Live>, StoreError> {
        let mut live = self.ready()?;
        live.closed = true;
        live = self.until(live, |live| !live.open(u64::MAX));
        live.closed = false;
        self.settled.notify_all();
        // What came to an end meanwhile may have been taken back.
        if !live.loaded {
            live.load(&*self.store, self.id)?;
        } else if live.seen != Some(self.store.foreign()) {
            live.follow(&*self.store, self.id)?;
        }
        Ok(live)
    }

    /// Waits until it is so, while others settle.
    fn until<'a>(
        &'a self,
        mut live: MutexGuard<'a, Live>,
        mut so: impl FnMut(&mut Live) -> bool,
    ) -> MutexGuard<'a, Live> {
        // Counted before it looks: who settles afterwards sees that somebody waits.
        self.progress.sleepers.fetch_add(1, SeqCst);
        while !so(&mut live) {
            live = apart(|| {
                self.settled
                    .wait(live)
                    .unwrap_or_else(PoisonError::into_inner)
            });
        }
        self.progress.sleepers.fetch_sub(1, SeqCst);
        live
    }

    /// Waits until everything that led to this state lasts; tells whether it does, or was taken back.
    fn lasts(&self, live: MutexGuard<'_, Live>) -> bool {
        let (era, revision) = (self.era(), live.state.revision());
        drop(self.until(live, |live| self.era() != era || !live.open(revision)));
        self.era() == era
    }

    fn era(&self) -> u64 {
        self.progress.era.load(SeqCst)
    }

    /// Reads what takes no longer than an answer. What is read lasts.
    pub(super) fn read<T>(&self, read: impl Fn(&State) -> T) -> Result<T, Refusal> {
        Ok(self.lasting(read)?.0)
    }

    /// As [`read`](Self::read); tells the era too.
    fn lasting<T>(&self, read: impl Fn(&State) -> T) -> Result<(T, u64), StoreError> {
        loop {
            let live = self.live()?;
            let (answer, era) = (read(&live.state), self.era());
            if self.lasts(live) {
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
        let (begun, mut looked) = (Instant::now(), false);
        loop {
            let live = self.ready()?;
            match self.turn(
                live,
                &mut looked,
                origin,
                condition,
                &mut decide,
                &mut answer,
            )? {
                Turned::Done(answer) => return Ok(answer),
                Turned::Again => self.patient(begun)?,
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
        let (begun, mut looked) = (Instant::now(), false);
        for _ in 0..TURNS {
            self.admitted(condition)?;
            let (state, era) = self.lasting(State::clone)?;
            let decided = match decide(&state) {
                Ok(decided) => decided,
                Err(_) if self.is_behind(state.head(), &mut looked)? => continue,
                Err(refusal) => return Err(refusal),
            };
            let live = self.ready()?;
            if live.state.revision() != state.revision() || self.era() != era {
                continue;
            }
            // A function that nobody else holds is changed in place.
            drop(state);
            let mut decided = Some(decided);
            let mut decide = |_: &State| Ok(decided.take().expect("it is asked once"));
            match self.turn(
                live,
                &mut looked,
                origin,
                condition,
                &mut decide,
                &mut answer,
            )? {
                Turned::Done(answer) => return Ok(answer),
                Turned::Again => {}
            }
        }
        loop {
            let live = self.calm()?;
            match self.turn(
                live,
                &mut looked,
                origin,
                condition,
                &mut decide,
                &mut answer,
            )? {
                Turned::Done(answer) => return Ok(answer),
                Turned::Again => self.patient(begun)?,
            }
        }
    }

    /// Refuses a change that is not to be now.
    fn admit(live: &Live, condition: Condition) -> Result<(), Unfit> {
        if let Some(damage) = &live.damage {
            return Err(Unfit::Damaged(damage.clone()));
        }
        let current = live.state.revision();
        match condition.expected_revision {
            Some(expected) if expected != current => Err(Unfit::Stale { expected, current }),
            Some(_) | None => Ok(()),
        }
    }

    fn refusal(&self, unfit: Unfit) -> Refusal {
        match unfit {
            Unfit::Damaged(damage) => StoreError::from(damage).into(),
            Unfit::Stale { expected, current } => self.conflict(expected, current),
            Unfit::Refused(refusal) => *refusal,
        }
    }

    /// The revision, if a change may be now.
    pub(super) fn admitted(&self, condition: Condition) -> Result<u64, Refusal> {
        let mut looked = false;
        loop {
            let live = self.live()?;
            let here = live.state.head();
            let fit = Self::admit(&live, condition);
            if !self.lasts(live) {
                continue;
            }
            match fit {
                Ok(()) => return Ok(here.revision),
                Err(_) if self.is_behind(here, &mut looked)? => {}
                Err(unfit) => return Err(self.refusal(unfit)),
            }
        }
    }

    fn patient(&self, begun: Instant) -> Result<(), Refusal> {
        if begun.elapsed() < PATIENCE {
            return Ok(());
        }
        Err(StoreError::Busy(format!("project '{}'", self.name)).into())
    }

    /// Decides at this state, applies, appends, and waits until it lasts. Every change goes here.
    ///
    /// What is refused, or only tried, is told when the state that it was decided at lasts, and once it was looked
    /// whether others have gone on from there.
    fn turn<X, T>(
        &self,
        mut live: MutexGuard<'_, Live>,
        looked: &mut bool,
        origin: &Origin,
        condition: Condition,
        decide: &mut impl FnMut(&State) -> Result<(Step, X), Refusal>,
        answer: &mut impl FnMut(&Document, &Done, X) -> T,
    ) -> Result<Turned<T>, Refusal> {
        let decided = Self::admit(&live, condition).and_then(|()| {
            decide(&live.state).map_err(|refusal| Unfit::Refused(Box::new(refusal)))
        });
        let (step, decided) = match decided {
            Ok(decided) => decided,
            Err(unfit) => {
                let here = live.state.head();
                if !self.lasts(live) || self.is_behind(here, looked)? {
                    return Ok(Turned::Again);
                }
                return Err(self.refusal(unfit));
            }
        };
        let Step {
            checked,
            label,
            turn,
        } = step;
        let is_nothing = is_nothing(&checked, &turn);
        let said = Said {
            origin: origin.clone(),
            at: now(),
            label,
            turn,
        };
        if condition.dry_run || is_nothing {
            let mut state = live.state.clone();
            if !self.lasts(live) || self.is_behind(state.head(), looked)? {
                return Ok(Turned::Again);
            }
            let revision = state.revision();
            let (entry, change) = state.commit(checked, said);
            let done = Done {
                revision,
                label: entry.heading.label,
                change,
                dry_run: condition.dry_run.then_some(true),
            };
            return Ok(Turned::Done(answer(state.document(), &done, decided)));
        }
        let (before, era) = (live.state.head(), self.era());
        // If the answer's maker panics, the state is read anew.
        live.loaded = false;
        let (entry, change) = live.state.commit(checked, said);
        let done = Done {
            revision: entry.revision(),
            label: entry.heading.label.clone(),
            change,
            dry_run: None,
        };
        let answer = answer(live.state.document(), &done, decided);
        live.loaded = true;
        let record = Record::new(&entry);
        let size = record.size();
        let entry = Arc::new(entry);
        live.in_flight.push_back(Flight {
            entry: entry.clone(),
            before,
        });
        // In the order of the revisions, so under the lock.
        let ticket = self.store.append(self.id, before, record);
        drop(live);
        match self.settle(&entry, era, size, ticket.wait()) {
            Ok(()) => Ok(Turned::Done(answer)),
            Err(StoreError::Conflict { .. }) => Ok(Turned::Again),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether the log goes on beyond a state; looks only once, since others may go on and on.
    fn is_behind(&self, here: Head, looked: &mut bool) -> Result<bool, StoreError> {
        if std::mem::replace(looked, true) || self.store.head(self.id)? == here {
            return Ok(false);
        }
        self.raw().seen = None;
        Ok(true)
    }

    /// Takes note of what the log said to an entry that took off in an era.
    fn settle(
        &self,
        entry: &Arc<Entry>,
        era: u64,
        size: usize,
        outcome: Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let progress = &self.progress;
        if outcome.is_ok() && self.era() == era {
            // Appends are done in their order, so those before it last too. If it is taken back from now on, it is
            // read from the log again before anything else has its revision.
            progress.lasting.fetch_max(entry.revision(), SeqCst);
        } else {
            let mut live = self.raw();
            let mut flights = live.in_flight.iter();
            let place = flights.position(|flight| Arc::ptr_eq(&flight.entry, entry));
            match (&outcome, place) {
                (Err(_), Some(place)) => live.roll_back(place),
                (Ok(()), Some(_)) => drop(progress.lasting.fetch_max(entry.revision(), SeqCst)),
                // It was taken back here with an earlier one, and lasts all the same: it is in the log.
                (Ok(()), None) => live.seen = None,
                (Err(_), None) => {}
            }
        }
        if progress.sleepers.load(SeqCst) > 0 {
            // Who looks just now sleeps before it is told.
            drop(self.raw());
            self.settled.notify_all();
        }
        if outcome.is_ok() {
            let tail = progress.tail.fetch_add(size, SeqCst) + size;
            let last = self.renewal.size.load(Ordering::Relaxed);
            if tail > SHORT_TAIL.max(last.saturating_mul(TAIL_RATIO)) {
                self.renew();
            }
        }
        outcome
    }

    /// Puts a new snapshot together from what the store has, beside everything else.
    fn renew(&self) {
        if self.renewal.running.swap(true, Ordering::AcqRel) {
            return;
        }
        self.progress.tail.store(0, SeqCst);
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
        live.loaded = live.loaded && live.open(u64::MAX);
        drop(live);
        self.past.forget();
    }

    /// How many nodes are held; `None` while the project is in use.
    pub(super) fn idle_size(&self) -> Option<usize> {
        let mut live = self.live.try_lock().ok()?;
        let busy = live.open(u64::MAX);
        let functions = live.state.document().functions();
        let knowledge = live.state.document().knowledge();
        // An edge takes about half of what a node takes.
        let known = knowledge.node_count() + knowledge.edge_count() / 2;
        (!busy).then(|| {
            functions
                .map(|function| function.node_count() + 8)
                .sum::<usize>()
                + known
        })
    }
}

/// Whether a change is none, which leaves no entry; a checkpoint is one.
fn is_nothing(checked: &Checked, turn: &Turn) -> bool {
    let is_empty = matches!(checked.edit(), Edit::Batch(edits) if edits.is_empty());
    is_empty && *turn == Turn::Edit
}

/// Milliseconds since 1970, UTC.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}
