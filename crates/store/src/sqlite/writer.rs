//! What writes: what waits is written in one transaction, and so shares one wait for the disk.
//!
//! Who waits first writes for all, on its own thread, and hands over to the next; to wake another thread for it would
//! take as long as the disk. A thread of the store does what nobody waits for, and looks whether others have written.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::watch;

use super::connection::{Patience, Site, micros};
use super::fault::Failed;
use super::schema::{FORMAT, newer};
use super::write::{Ends, Page, Write};
use crate::ticket::Lead;
use crate::{Promise, StoreError};

/// How much is written in one transaction at most.
const GROUP: usize = 1024;
const GROUP_BYTES: usize = 8 << 20;
/// How much may wait; who brings more waits too.
const QUEUE: usize = 1024;

/// How often others are looked for: while something happens, and later.
const EAGER: Duration = Duration::from_millis(5);
const LAZY: Duration = Duration::from_millis(40);
/// How long after the last change it is no longer likely that there is another one soon.
const LIVELY: Duration = Duration::from_secs(2);
/// How often what failed is tried again when nobody waits for it.
const AGAIN: Duration = Duration::from_secs(1);

/// How many pages the write-ahead log has when it is copied back into the file.
const PAGES: u32 = 4000;
/// How many it has when others are asked to wait, so that it can begin anew.
const MANY_PAGES: u32 = 16_000;
/// How long others are waited for then.
const SHORT: Duration = Duration::from_millis(20);

/// What came of each job.
type Outcomes = Vec<Result<u64, StoreError>>;

/// What the thread tells.
#[derive(Debug, Default)]
pub(super) struct Signals {
    /// Grows when others have written.
    pub(super) foreign: AtomicU64,
    /// Changes when anybody has written.
    pub(super) watch: watch::Sender<u64>,
    /// The format of the file, if a later version has changed it meanwhile; 0 otherwise.
    pub(super) newer: AtomicU32,
}

impl Signals {
    /// Refuses a file that a later version has changed.
    pub(super) fn known(&self, site: &Site) -> Result<(), StoreError> {
        match self.newer.load(Ordering::Acquire) {
            0 => Ok(()),
            found => Err(newer(&site.name(), found)),
        }
    }

    fn foreign(&self) {
        self.foreign.fetch_add(1, Ordering::AcqRel);
        self.written();
    }

    fn written(&self) {
        self.watch.send_modify(|count| *count += 1);
    }
}

/// Something to write, and who wants to know what came of it.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) write: Write,
    pub(super) reply: Reply,
}

/// Who wants to know what came of a job.
#[derive(Debug)]
pub(super) enum Reply {
    /// Who holds the ticket.
    Promise(Promise),
    /// Who waits for the id.
    Caller(SyncSender<Result<u64, StoreError>>),
}

impl Reply {
    pub(super) fn tell(self, outcome: Result<u64, StoreError>) {
        match self {
            Reply::Promise(promise) => promise.keep(outcome.map(drop)),
            // Who does not wait any more misses nothing.
            Reply::Caller(sender) => drop(sender.try_send(outcome)),
        }
    }

    /// Asks who waits to lead; tells whether there is somebody who will.
    fn ask_to_lead(&self) -> bool {
        match self {
            Reply::Promise(promise) => promise.ask_to_lead(),
            // It does so unasked.
            Reply::Caller(_) => true,
        }
    }
}

/// What writes, as others see it.
#[derive(Debug)]
pub(super) struct Writer {
    hall: Arc<Hall>,
    thread: Option<JoinHandle<()>>,
}

/// Where jobs wait, and who does them.
#[derive(Debug)]
pub(super) struct Hall {
    queue: Mutex<Queue>,
    scribe: Mutex<Scribe>,
}

#[derive(Debug, Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// Whether somebody was asked to lead, and has not handed over yet.
    led: bool,
    /// How many groups were taken.
    groups: u64,
    closed: bool,
}

impl Writer {
    /// Starts with a connection that writes, or with one that only looks.
    pub(super) fn start(
        site: Arc<Site>,
        signals: Arc<Signals>,
        connection: Connection,
        patience: Patience,
    ) -> Result<Self, StoreError> {
        let place = site.name();
        let mut scribe = Scribe {
            desk: None,
            version: None,
            active: Instant::now(),
            unwiped: None,
            ends: Ends::default(),
            closed: false,
            site,
            signals,
            patience,
        };
        scribe
            .sit(connection)
            .map_err(|failed| failed.said(&scribe.site.path))?;
        let hall = Arc::new(Hall {
            queue: Mutex::default(),
            scribe: Mutex::new(scribe),
        });
        let theirs = hall.clone();
        let thread = thread::Builder::new().name("fibula-store".to_owned());
        let thread = thread.spawn(move || theirs.keep_house());
        let thread = thread.map_err(|error| StoreError::Io {
            place,
            message: error.to_string(),
        })?;
        Ok(Writer {
            hall,
            thread: Some(thread),
        })
    }

    /// Hands a job over; who holds its ticket may be asked to lead.
    pub(super) fn send(&self, job: Job) {
        self.hall.send(job);
    }

    /// Who can be asked to lead.
    pub(super) fn hall(&self) -> Arc<Hall> {
        self.hall.clone()
    }

    /// Waits for what comes of a job, and does it itself if nobody else does.
    pub(super) fn wait(
        &self,
        outcome: &Receiver<Result<u64, StoreError>>,
    ) -> Result<u64, StoreError> {
        let mut patience = Duration::ZERO;
        loop {
            match outcome.recv_timeout(patience) {
                Ok(outcome) => return outcome,
                // It may be behind others that do not fit into one transaction with it.
                Err(RecvTimeoutError::Timeout) => self.hall.lead(),
                Err(RecvTimeoutError::Disconnected) => return Err(StoreError::Closed),
            }
            patience = EAGER;
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.hall.queue().closed = true;
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A panic there was reported there.
            let _ = thread.join();
        }
    }
}

impl Lead for Hall {
    fn lead(&self) {
        let mut scribe = self.scribe();
        let group = gather(&mut self.queue());
        if !group.is_empty() {
            scribe.write(group);
        }
        drop(scribe);
        let mut queue = self.queue();
        queue.led = queue
            .jobs
            .front()
            .is_some_and(|job| job.reply.ask_to_lead());
    }
}

impl Hall {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn scribe(&self) -> MutexGuard<'_, Scribe> {
        self.scribe.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, job: Job) {
        let mut queue = self.queue();
        while queue.jobs.len() >= QUEUE {
            // Who brings so much takes part in writing it.
            drop(queue);
            self.lead();
            queue = self.queue();
        }
        if queue.closed {
            drop(queue);
            return job.reply.tell(Err(StoreError::Closed));
        }
        if !queue.led {
            queue.led = job.reply.ask_to_lead();
        }
        queue.jobs.push_back(job);
    }

    /// The store's own thread: does what nobody waits for, and looks for what others have written.
    fn keep_house(&self) {
        let (mut pause, mut seen) = (EAGER, 0);
        loop {
            thread::park_timeout(pause);
            let (waiting, groups, closed) = {
                let queue = self.queue();
                (!queue.jobs.is_empty(), queue.groups, queue.closed)
            };
            if waiting && (groups == seen || closed) {
                self.lead();
            } else if closed {
                // What is left in the write-ahead log is copied back when the last connection closes.
                return self.scribe().close();
            }
            seen = groups;
            match self.scribe.try_lock() {
                Ok(mut scribe) => {
                    scribe.idle();
                    pause = scribe.pause();
                }
                Err(TryLockError::Poisoned(_)) => self.scribe.clear_poison(),
                Err(TryLockError::WouldBlock) => pause = EAGER,
            }
            if closed {
                pause = Duration::ZERO;
            }
        }
    }
}

/// A connection, and how far the write-ahead log has grown.
#[derive(Debug)]
struct Desk {
    connection: Connection,
    pages: Arc<AtomicU32>,
    /// The number of pages at which they are copied back.
    due: u32,
}

/// The one who writes.
#[derive(Debug)]
struct Scribe {
    site: Arc<Site>,
    signals: Arc<Signals>,
    patience: Patience,
    /// Missing after a failure, until it is needed again.
    desk: Option<Desk>,
    /// What SQLite counts up when others write.
    version: Option<i64>,
    /// When something was written last.
    active: Instant,
    /// When it was last tried in vain to wipe what was removed.
    unwiped: Option<Instant>,
    ends: Ends,
    closed: bool,
}

impl Scribe {
    /// Ends the use of the file.
    fn close(&mut self) {
        self.closed = true;
        self.desk = None;
    }

    fn pause(&self) -> Duration {
        match self.desk {
            None => AGAIN,
            Some(_) if self.active.elapsed() < LIVELY => EAGER,
            Some(_) => LAZY,
        }
    }

    /// Begins to use a connection.
    fn sit(&mut self, mut connection: Connection) -> Result<(), Failed> {
        let pages = Arc::new(AtomicU32::new(0));
        let seen = pages.clone();
        connection.wal_hook(Some(move |_: &mut _, count: i32| {
            seen.store(count.cast_unsigned(), Ordering::Relaxed);
            Ok(())
        }))?;
        // Another connection may have missed what others wrote.
        if self.version.take().is_some() {
            self.signals.foreign();
        }
        self.version = Some(version(&connection)?);
        if !self.site.options.read_only {
            let sql = "SELECT unwiped FROM store";
            let unwiped: bool = connection.query_row(sql, [], |row| row.get(0))?;
            self.unwiped = unwiped.then(Instant::now);
        }
        self.ends = Ends::default();
        self.desk = Some(Desk {
            connection,
            pages,
            due: PAGES,
        });
        Ok(())
    }

    /// Makes a connection if there is none.
    fn back(&mut self) -> Result<(), Failed> {
        if self.desk.is_some() {
            return Ok(());
        }
        if self.closed {
            return Err(StoreError::Closed.into());
        }
        let connection = if self.site.options.read_only {
            self.site.reader()?.connection
        } else {
            self.site.writer(self.patience.clone())?
        };
        self.sit(connection)
    }

    /// Looks for what others have written.
    fn idle(&mut self) {
        if self.back().is_err() || self.look().is_err() {
            // It fails again for the next who writes, and is told then.
            return;
        }
        if self.unwiped.is_some_and(|since| since.elapsed() > AGAIN) {
            self.unwiped = self.wipe().is_err().then(Instant::now);
        }
    }

    /// Tells when others have written. Within a transaction nothing is missed that came before it.
    fn look(&mut self) -> Result<(), Failed> {
        let Some(desk) = &self.desk else {
            return Ok(());
        };
        let version = version(&desk.connection)?;
        if self.version.replace(version) == Some(version) {
            return Ok(());
        }
        self.ends = Ends::default();
        let mut statement = desk.connection.prepare_cached("PRAGMA user_version")?;
        let format: u32 = statement.query_row([], |row| row.get(0))?;
        if format > FORMAT {
            self.signals.newer.store(format, Ordering::Release);
        }
        self.active = Instant::now();
        self.signals.foreign();
        Ok(())
    }

    fn write(&mut self, group: Vec<Job>) {
        self.active = Instant::now();
        let wipes = group.iter().any(|job| job.write.wipes());
        let outcomes = match self.commit(&group) {
            Ok((mut outcomes, true)) if wipes => {
                if let Err(failed) = self.wipe() {
                    self.unwiped = Some(Instant::now());
                    let error = failed.said(&self.site.path);
                    outcomes.fill(Err(self.left(&error)));
                }
                self.signals.written();
                Ok(outcomes)
            }
            Ok((outcomes, written)) => {
                if written {
                    self.signals.written();
                }
                Ok(outcomes)
            }
            Err(failed) => {
                let error = failed.said(&self.site.path);
                let retry = matches!(
                    error,
                    StoreError::Full(_) | StoreError::ReadOnly(_) | StoreError::Busy(_)
                );
                if !retry {
                    // Whatever is wrong with the connection, another one may not have it.
                    self.desk = None;
                }
                Err(error)
            }
        };
        match outcomes {
            Ok(outcomes) => {
                for (job, outcome) in group.into_iter().zip(outcomes) {
                    job.reply.tell(outcome);
                }
            }
            Err(error) => {
                for job in group {
                    job.reply.tell(Err(error.clone()));
                }
            }
        }
        self.check_point();
    }

    /// Writes all that can be written, or nothing; also tells whether anything was.
    fn commit(&mut self, group: &[Job]) -> Result<(Outcomes, bool), Failed> {
        self.signals.known(&self.site)?;
        self.back()?;
        let outcome = self.transaction(group);
        if let (Err(_), Some(desk)) = (&outcome, &self.desk)
            && !desk.connection.is_autocommit()
        {
            // Where it fails, SQLite has done so itself.
            let _ = desk.connection.execute_batch("ROLLBACK");
        }
        outcome
    }

    fn transaction(&mut self, group: &[Job]) -> Result<(Outcomes, bool), Failed> {
        self.execute("BEGIN IMMEDIATE")?;
        self.look()?;
        self.signals.known(&self.site)?;
        let Some(desk) = &self.desk else {
            return Err(StoreError::Closed.into());
        };
        // What is remembered does not outlast a failure, nor anything but appends.
        let mut page = Page::new(&desk.connection, std::mem::take(&mut self.ends));
        let appends = |job: &Job| matches!(job.write, Write::Append { .. });
        let mut outcomes = Vec::with_capacity(group.len());
        for job in group {
            outcomes.push(match page.write(&job.write) {
                Ok(id) => Ok(id),
                Err(Failed::Refused(error)) => Err(error),
                Err(broken @ Failed::Broken(_)) => return Err(broken),
            });
        }
        let Page { ends, written, .. } = page;
        self.execute("COMMIT")?;
        if group.iter().all(appends) && !ends.is_long() {
            self.ends = ends;
        }
        Ok((outcomes, written))
    }

    fn execute(&self, sql: &str) -> Result<(), Failed> {
        if let Some(desk) = &self.desk {
            desk.connection.prepare_cached(sql)?.execute([])?;
        }
        Ok(())
    }

    /// Copies the write-ahead log back into the file when it has grown, so that it can begin anew.
    fn check_point(&mut self) {
        let Some(desk) = &mut self.desk else {
            return;
        };
        let pages = desk.pages.load(Ordering::Relaxed);
        if pages < PAGES {
            desk.due = PAGES;
        }
        if pages < desk.due {
            return;
        }
        let mode = if pages < MANY_PAGES {
            "PASSIVE"
        } else {
            self.patience.store(micros(SHORT), Ordering::Relaxed);
            "RESTART"
        };
        // Who reads for long is in the way; then it is done later.
        let _ = check_point(&desk.connection, mode);
        let patience = micros(self.site.options.busy);
        self.patience.store(patience, Ordering::Relaxed);
        desk.due = pages + PAGES;
    }

    /// Leaves nothing of what was removed in the store's files: they are written anew. SQLite's own wiping leaves
    /// what was moved to other pages.
    fn wipe(&mut self) -> Result<(), Failed> {
        let Some(desk) = &self.desk else {
            return Err(StoreError::Closed.into());
        };
        desk.connection.execute_batch("VACUUM")?;
        if check_point(&desk.connection, "TRUNCATE")? {
            return Err(StoreError::Busy(self.site.name()).into());
        }
        desk.connection
            .execute_batch("UPDATE store SET unwiped = 0")?;
        self.unwiped = None;
        Ok(())
    }

    fn left(&self, error: &StoreError) -> StoreError {
        let message = format!(
            "the history is rewritten, but what was removed is still in the files of the store, until it can be \
             wiped: {error}"
        );
        StoreError::Io {
            place: self.site.name(),
            message,
        }
    }
}

/// Takes what waits, as far as it fits into one transaction.
fn gather(queue: &mut Queue) -> Vec<Job> {
    let (mut group, mut bytes) = (Vec::new(), 0);
    while let Some(job) = queue.jobs.front() {
        let alone = job.write.wipes();
        if !group.is_empty() && (alone || group.len() >= GROUP || bytes >= GROUP_BYTES) {
            break;
        }
        bytes += job.write.size();
        group.extend(queue.jobs.pop_front());
        if alone {
            break;
        }
    }
    queue.groups += u64::from(!group.is_empty());
    group
}

/// What SQLite counts up for a connection when others write.
fn version(connection: &Connection) -> rusqlite::Result<i64> {
    let mut statement = connection.prepare_cached("PRAGMA data_version")?;
    statement.query_row([], |row| row.get(0))
}

/// Copies the write-ahead log back; tells whether others were in the way.
fn check_point(connection: &Connection, mode: &str) -> rusqlite::Result<bool> {
    let sql = format!("PRAGMA wal_checkpoint({mode})");
    connection.query_row(&sql, [], |row| row.get(0))
}
