//! Transactions of the group commit, on the connection of the writer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::watch;

use super::connection::{BusyTimeout, DatabaseFile, micros};
use super::error::SqliteError;
use super::filesystem::{self, FileId};
use super::pending_write::PendingWrite;
use super::schema::{FORMAT, newer};
use super::transaction::{HeadCache, WriteOp, WriteTransaction};
use crate::StoreError;

/// Polling intervals for writes of other processes: while the store is active, and when it is idle.
pub(super) const EAGER: Duration = Duration::from_millis(5);
const LAZY: Duration = Duration::from_millis(40);
/// Time without writes after which the store counts as idle.
const LIVELY: Duration = Duration::from_secs(2);
/// Interval of background retries.
const AGAIN: Duration = Duration::from_secs(1);

/// Size of the write-ahead log, in pages, that triggers a passive checkpoint.
const PAGES: u32 = 4000;
/// Size that triggers a restart checkpoint, which waits for readers so that the log can start over.
const MANY_PAGES: u32 = 16_000;
/// Shortest busy timeout: that of a restart checkpoint, and of a write that has waited long before its turn.
const SHORT: Duration = Duration::from_millis(20);

/// Outcome of each write of a group.
type Outcomes = Vec<Result<u64, StoreError>>;

/// State that the committer shares with the readers.
#[derive(Debug, Default)]
pub(super) struct Signals {
    /// Counts writes of other processes.
    pub(super) foreign: AtomicU64,
    /// Notified after every write.
    pub(super) watch: watch::Sender<u64>,
    /// Schema version, if a later version of the program has migrated the file meanwhile; otherwise 0.
    pub(super) newer: AtomicU32,
}

impl Signals {
    /// Rejects a file that a later version of the program has migrated.
    pub(super) fn check_format(&self, file: &DatabaseFile) -> Result<(), StoreError> {
        match self.newer.load(Ordering::Acquire) {
            0 => Ok(()),
            found => Err(newer(&file.name(), found)),
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

/// The writer's connection, and the size of the write-ahead log.
#[derive(Debug)]
struct WriterConnection {
    connection: Connection,
    pages: Arc<AtomicU32>,
    /// Size of the write-ahead log, in pages, at which the next checkpoint is due.
    due: u32,
}

/// State of the current leader: owns the writer's connection.
#[derive(Debug)]
pub(super) struct Committer {
    file: Arc<DatabaseFile>,
    signals: Arc<Signals>,
    busy_timeout: BusyTimeout,
    /// Identity of the file when it was opened; `None` where a file that is open cannot be moved.
    identity: Option<FileId>,
    /// `None` after a failure, until it is needed again.
    writer: Option<WriterConnection>,
    /// SQLite's `data_version`, which changes when another connection writes.
    version: Option<i64>,
    /// Time of the last write.
    active: Instant,
    /// Time of the last failed attempt to wipe removed data.
    unwiped: Option<Instant>,
    ends: HeadCache,
    closed: bool,
}

impl Committer {
    /// Starts with a read-write or a read-only connection.
    pub(super) fn open(
        file: Arc<DatabaseFile>,
        signals: Arc<Signals>,
        connection: Connection,
        busy_timeout: BusyTimeout,
    ) -> Result<Self, StoreError> {
        let identity = filesystem::identity(&file.path);
        let mut committer = Committer {
            identity: identity.map_err(|error| super::error::from_io(&file.path, &error))?,
            writer: None,
            version: None,
            active: Instant::now(),
            unwiped: None,
            ends: HeadCache::default(),
            closed: false,
            file,
            signals,
            busy_timeout,
        };
        committer
            .attach(connection)
            .map_err(|failed| failed.into_store_error(&committer.file.path))?;
        Ok(committer)
    }

    pub(super) fn close(&mut self) {
        self.closed = true;
        self.writer = None;
    }

    fn connection(&self) -> Result<&Connection, SqliteError> {
        let writer = self.writer.as_ref().ok_or(StoreError::Closed)?;
        Ok(&writer.connection)
    }

    pub(super) fn pause(&self) -> Duration {
        match self.writer {
            None => AGAIN,
            Some(_) if self.active.elapsed() < LIVELY => EAGER,
            Some(_) => LAZY,
        }
    }

    /// Starts to use a connection.
    fn attach(&mut self, mut connection: Connection) -> Result<(), SqliteError> {
        let pages = Arc::new(AtomicU32::new(0));
        let seen = pages.clone();
        connection.wal_hook(Some(move |_: &mut _, count: i32| {
            seen.store(count.cast_unsigned(), Ordering::Relaxed);
            Ok(())
        }))?;
        // Writes between the two connections were not observed.
        if self.version.take().is_some() {
            self.signals.foreign();
        }
        self.version = Some(data_version(&connection)?);
        if !self.file.options.read_only {
            let sql = "SELECT unwiped FROM store";
            let unwiped: bool = connection.query_row(sql, [], |row| row.get(0))?;
            self.unwiped = unwiped.then(Instant::now);
        }
        self.ends = HeadCache::default();
        self.writer = Some(WriterConnection {
            connection,
            pages,
            due: PAGES,
        });
        Ok(())
    }

    /// Opens a connection if there is none.
    fn reconnect(&mut self) -> Result<(), SqliteError> {
        if self.writer.is_some() {
            return Ok(());
        }
        if self.closed {
            return Err(StoreError::Closed.into());
        }
        self.require_unmoved()?;
        let connection = if self.file.options.read_only {
            self.file.reader()?.connection
        } else {
            self.file.writer(self.busy_timeout.clone())?
        };
        self.attach(connection)
    }

    /// Periodic work: detects writes of others and retries wiping.
    pub(super) fn idle(&mut self) {
        if self.reconnect().is_err() || self.detect_foreign_writes().is_err() {
            // The next write fails likewise and reports the error.
            return;
        }
        if self.unwiped.is_some_and(|since| since.elapsed() > AGAIN) {
            self.unwiped = self.wipe().is_err().then(Instant::now);
        }
    }

    /// Notifies and drops the cache if others have written. Within a transaction, it observes all earlier writes.
    fn detect_foreign_writes(&mut self) -> Result<(), SqliteError> {
        let Some(writer) = &self.writer else {
            return Ok(());
        };
        let version = data_version(&writer.connection)?;
        if self.version.replace(version) == Some(version) {
            return Ok(());
        }
        self.ends = HeadCache::default();
        let mut statement = writer.connection.prepare_cached("PRAGMA user_version")?;
        let format: u32 = statement.query_row([], |row| row.get(0))?;
        if format > FORMAT {
            self.signals.newer.store(format, Ordering::Release);
        }
        self.active = Instant::now();
        self.signals.foreign();
        Ok(())
    }

    /// Writes a group. Returns those that may wait longer for the lock of another process, since only older ones have
    /// waited for as long as writes do.
    pub(super) fn write(&mut self, mut group: Vec<PendingWrite>) -> Vec<PendingWrite> {
        let mut unexpired = Vec::new();
        self.active = Instant::now();
        let wipes = group.iter().any(|job| job.write.wipes());
        let outcomes = match self.commit(&group) {
            Ok((mut outcomes, written)) => {
                if written
                    && wipes
                    && let Err(failed) = self.wipe()
                {
                    self.unwiped = Some(Instant::now());
                    let error = failed.into_store_error(&self.file.path);
                    outcomes.fill(Err(self.wipe_failed(&error)));
                }
                if written {
                    self.signals.written();
                }
                outcomes
            }
            Err(failed) => {
                let error = failed.into_store_error(&self.file.path);
                let retry = matches!(
                    error,
                    StoreError::Full(_) | StoreError::ReadOnly(_) | StoreError::Busy(_)
                );
                if !retry {
                    // A new connection may work.
                    self.writer = None;
                }
                if let StoreError::Busy(_) = error {
                    let busy = self.file.options.busy;
                    (group, unexpired) = group
                        .into_iter()
                        .partition(|job| job.since.elapsed() >= busy);
                }
                vec![Err(error); group.len()]
            }
        };
        for (job, outcome) in group.into_iter().zip(outcomes) {
            job.reply.complete(outcome);
        }
        self.checkpoint();
        unexpired
    }

    /// Commits all writes that are not rejected, or none on failure. Also returns `true` if any row was changed.
    fn commit(&mut self, group: &[PendingWrite]) -> Result<(Outcomes, bool), SqliteError> {
        self.signals.check_format(&self.file)?;
        self.reconnect()?;
        let outcome = self.transaction(group);
        if let (Err(_), Some(writer)) = (&outcome, &self.writer)
            && !writer.connection.is_autocommit()
        {
            // If it fails, SQLite has rolled back by itself.
            let _ = writer.connection.execute_batch("ROLLBACK");
        }
        outcome
    }

    fn transaction(&mut self, group: &[PendingWrite]) -> Result<(Outcomes, bool), SqliteError> {
        // Each waits for a lock as long as writes do, whatever was waited for before it was its turn.
        let waited = group.iter().map(|job| job.since.elapsed()).max();
        let busy = self.file.options.busy;
        let left = busy.saturating_sub(waited.unwrap_or_default()).max(SHORT);
        self.busy_timeout.store(micros(left), Ordering::Relaxed);
        let begun = self.execute("BEGIN IMMEDIATE");
        self.busy_timeout.store(micros(busy), Ordering::Relaxed);
        begun?;
        self.detect_foreign_writes()?;
        self.signals.check_format(&self.file)?;
        // The cache is dropped on failure, and after any write but appends.
        let ends = std::mem::take(&mut self.ends);
        let mut page = WriteTransaction::new(self.connection()?, ends);
        let appends = |job: &PendingWrite| matches!(job.write, WriteOp::Append { .. });
        let mut outcomes = Vec::with_capacity(group.len());
        for job in group {
            outcomes.push(match page.write(&job.write) {
                Ok(id) => Ok(id),
                Err(SqliteError::Rejected(error)) => Err(error),
                Err(broken @ SqliteError::Database(_)) => return Err(broken),
            });
        }
        page.save_heads()?;
        let WriteTransaction { ends, written, .. } = page;
        self.require_unmoved()?;
        self.execute("COMMIT")?;
        if group.iter().all(appends) && !ends.is_oversized() {
            self.ends = ends;
        }
        Ok((outcomes, written))
    }

    /// Rejects a file that nobody would find again: what is written to it would be lost.
    fn require_unmoved(&self) -> Result<(), StoreError> {
        let now = || filesystem::identity(&self.file.path).ok().flatten();
        if self.identity.is_some() && now() != self.identity {
            return Err(StoreError::Moved(self.file.name()));
        }
        Ok(())
    }

    fn execute(&self, sql: &str) -> Result<(), SqliteError> {
        if let Some(writer) = &self.writer {
            writer.connection.prepare_cached(sql)?.execute([])?;
        }
        Ok(())
    }

    /// Runs a checkpoint if the write-ahead log has grown enough.
    fn checkpoint(&mut self) {
        let Some(writer) = &mut self.writer else {
            return;
        };
        let pages = writer.pages.load(Ordering::Relaxed);
        if pages < PAGES {
            writer.due = PAGES;
        }
        if pages < writer.due {
            return;
        }
        let mode = if pages < MANY_PAGES {
            "PASSIVE"
        } else {
            self.busy_timeout.store(micros(SHORT), Ordering::Relaxed);
            "RESTART"
        };
        // A long-running reader delays the checkpoint to a later commit.
        let _ = checkpoint(&writer.connection, mode);
        let busy_timeout = micros(self.file.options.busy);
        self.busy_timeout.store(busy_timeout, Ordering::Relaxed);
        writer.due = pages + PAGES;
    }

    /// Wipes removed data by rewriting the file (`VACUUM`) and truncating the write-ahead log. SQLite's `secure_delete`
    /// would leave copies of rows that were moved between pages.
    fn wipe(&mut self) -> Result<(), SqliteError> {
        let connection = self.connection()?;
        connection.execute_batch("VACUUM")?;
        if checkpoint(connection, "TRUNCATE")? {
            return Err(StoreError::Busy(self.file.name()).into());
        }
        connection.execute_batch("UPDATE store SET unwiped = 0")?;
        self.unwiped = None;
        Ok(())
    }

    fn wipe_failed(&self, error: &StoreError) -> StoreError {
        let message = format!(
            "the history is rewritten, but the removed data stays in the files of the store until it can be wiped: \
             {error}"
        );
        StoreError::Io {
            place: self.file.name(),
            message,
        }
    }
}

/// Returns the counter that changes when another connection writes.
fn data_version(connection: &Connection) -> rusqlite::Result<i64> {
    let mut statement = connection.prepare_cached("PRAGMA data_version")?;
    statement.query_row([], |row| row.get(0))
}

/// Runs a checkpoint; returns `true` if other connections prevented its completion.
fn checkpoint(connection: &Connection, mode: &str) -> rusqlite::Result<bool> {
    let sql = format!("PRAGMA wal_checkpoint({mode})");
    connection.query_row(&sql, [], |row| row.get(0))
}
