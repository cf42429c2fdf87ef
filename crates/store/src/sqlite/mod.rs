//! Store in a SQLite database (write-ahead log mode) that any number of processes on one machine share.
//!
//! Concurrent writes of a process share one transaction and one `fsync` (group commit). Readers have connections of
//! their own and never wait for the writer. Writes of other processes are detected within milliseconds by polling
//! SQLite's data version.
//!
//! The file must not lie on a network file system, since processes share memory through the write-ahead log's index.

mod backup;
mod committer;
mod connection;
mod error;
mod filesystem;
mod group_commit;
mod pending_write;
mod queries;
pub(crate) mod salvage;
mod schema;
mod transaction;
mod wal;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use fibula_core::edit::Head;
use fibula_core::graph::ContentHash;
use rusqlite::Row;
use tokio::sync::watch;

use self::committer::Signals;
use self::connection::{BusyTimeout, DatabaseFile, Pool};
use self::error::SqliteError;
use self::filesystem::OpenFile;
use self::group_commit::Writer;
use self::pending_write::{Completion, PendingWrite};
use self::queries::LogCursor;
use self::salvage::Salvage;
use self::schema::FileKind;
use self::transaction::WriteOp;
use super::ticket::{Ticket, block_in_place, ticket};
use super::{
    CheckedHeading, LogPosition, LogRange, LogRewrite, ProjectId, ProjectRow, Record, Registration,
    Store, StoreError, StoredSnapshot, StreamRecord,
};

/// Options of [`Sqlite::open`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Durability of commits.
    pub durability: Durability,
    /// Timeout for locks of other processes.
    pub busy: Duration,
    /// Opens the file read-only.
    pub read_only: bool,
    /// Opens a damaged file to recover what is left of it, without the commits after damage of its write-ahead log.
    /// Requires `read_only`.
    pub salvage: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            durability: Durability::Full,
            busy: Duration::from_secs(10),
            read_only: false,
            salvage: false,
        }
    }
}

/// Failures that a commit survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Power failures: every commit waits for the disk (`synchronous = FULL`).
    #[default]
    Full,
    /// Crashes of the process: a power failure may lose the commits of the last seconds (`synchronous = NORMAL`).
    Normal,
}

/// Store in a SQLite file.
///
/// ```
/// use fibula_store::sqlite::{Options, Sqlite};
/// use fibula_store::{Registration, Store};
///
/// let folder = tempfile::tempdir()?;
/// let store = Sqlite::open(&folder.path().join("store.db"), &Options::default())?;
/// let id = store.register(Registration::Create { name: "default".to_owned(), at: 0 })?;
/// assert_eq!(store.find("default")?, Some(id));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Dropping the store commits all pending appends and closes the file.
#[derive(Debug)]
pub struct Sqlite {
    file: Arc<DatabaseFile>,
    signals: Arc<Signals>,
    pool: Pool,
    /// `None` if the file was opened as immutable.
    writer: Option<Writer>,
    /// Dropped after all connections.
    _opened: OpenFile,
}

impl Sqlite {
    /// Opens a store, and creates it if it does not exist.
    ///
    /// A file without write permission is opened read-only.
    ///
    /// # Errors
    /// [`StoreError::NoStore`], [`StoreError::Newer`], [`StoreError::Network`]; [`StoreError::Damaged`] for a truncated
    /// file, and for a write-ahead log that lost commits; others if the file cannot be read or created.
    pub fn open(path: &Path, options: &Options) -> Result<Self, StoreError> {
        filesystem::check_file_system(path)?;
        filesystem::check_kind(path)?;
        if !options.read_only {
            filesystem::create(path)?;
        }
        let path = filesystem::resolved(path).map_err(|error| error::from_io(path, &error))?;
        // A symbolic link may lead to another file system.
        filesystem::check_file_system(&path)?;
        let opened = OpenFile::new(&path, |path| {
            filesystem::check_header(path, options.salvage)?;
            // With lower durability, a power failure may lose commits.
            if !options.salvage && options.durability == Durability::Full {
                wal::check(path)?;
            }
            Ok(())
        })?;
        let mut file = DatabaseFile {
            path,
            options: *options,
        };
        if options.read_only {
            return Self::open_read_only(file, opened);
        }
        let busy_timeout = file.busy_timeout();
        let connection = match file.writer(busy_timeout.clone()) {
            Ok(connection) => connection,
            // SQLite cannot write if it cannot create the write-ahead log next to the file.
            Err(failed) => match open_error(failed, &file) {
                StoreError::ReadOnly(_) | StoreError::Io { .. } => {
                    file.options.read_only = true;
                    return Self::open_read_only(file, opened);
                }
                error => return Err(error),
            },
        };
        Self::start(file, opened, Some((connection, busy_timeout)))
    }

    /// Starts the writer with its connection; there is none if the file was opened as immutable.
    fn start(
        file: DatabaseFile,
        opened: OpenFile,
        connection: Option<(rusqlite::Connection, BusyTimeout)>,
    ) -> Result<Self, StoreError> {
        let (file, signals) = (Arc::new(file), Arc::<Signals>::default());
        let writer = connection.map(|(connection, busy_timeout)| {
            Writer::start(file.clone(), signals.clone(), connection, busy_timeout)
        });
        Ok(Sqlite {
            writer: writer.transpose()?,
            pool: Pool::new(file.clone()),
            file,
            signals,
            _opened: opened,
        })
    }

    fn open_read_only(file: DatabaseFile, opened: OpenFile) -> Result<Self, StoreError> {
        let reader = file.reader().map_err(|failed| open_error(failed, &file))?;
        let found = schema::inspect(&reader.connection);
        let found = found.map_err(|error| open_error(error.into(), &file))?;
        let format = match found {
            // What a damaged header says does not matter.
            FileKind::Store(_) | FileKind::Other if file.options.salvage => schema::FORMAT,
            found => schema::supported_format(found, &file.name())?,
        };
        match format {
            0 => return Err(StoreError::NoStore(file.name())),
            schema::FORMAT => {}
            // Migration needs write access.
            _ => return Err(StoreError::ReadOnly(file.name())),
        }
        let busy_timeout = file.busy_timeout();
        let connection = (!reader.immutable).then_some((reader.connection, busy_timeout));
        Self::start(file, opened, connection)
    }

    /// Returns `true` if the store is read-only.
    pub fn is_read_only(&self) -> bool {
        self.file.options.read_only
    }

    /// Checks the database structure and returns the faults; empty if it is sound.
    ///
    /// Reads the complete file. Does not check the records; [`verify`](crate::verify) does.
    ///
    /// # Errors
    /// [`StoreError`] if the file is too damaged to be checked, or cannot be read.
    pub fn integrity(&self) -> Result<Vec<String>, StoreError> {
        self.query(backup::integrity)
    }

    /// Online backup: copies a consistent state to a new file, while other processes read and write.
    ///
    /// # Errors
    /// [`StoreError`] if the file exists or cannot be written; an incomplete copy is removed.
    pub fn backup(&self, to: &Path) -> Result<(), StoreError> {
        self.signals.check_format(&self.file)?;
        backup::backup(&self.file, to)
    }

    /// Reads what a damaged file still has.
    pub(crate) fn salvage(&self) -> Result<Salvage, StoreError> {
        self.query(|connection| Ok(salvage::salvage(connection)))
    }

    /// Returns the bytes in a row of the contents, or `None` if they are damaged.
    pub(crate) fn salvaged_content(&self, hash: ContentHash, row: i64) -> Option<Vec<u8>> {
        let content =
            |connection: &rusqlite::Connection| Ok(salvage::content(connection, hash, row));
        self.query(content).ok().flatten()
    }

    fn query<T>(
        &self,
        read: impl FnOnce(&rusqlite::Connection) -> Result<T, SqliteError>,
    ) -> Result<T, StoreError> {
        self.signals.check_format(&self.file)?;
        self.pool.read(read)
    }

    fn send(&self, write: WriteOp, reply: Completion) {
        match &self.writer {
            Some(writer) if !self.is_read_only() => writer.send(PendingWrite {
                write,
                reply,
                since: Instant::now(),
            }),
            Some(_) | None => reply.complete(Err(StoreError::ReadOnly(self.file.name()))),
        }
    }

    fn write(&self, write: WriteOp) -> Result<u64, StoreError> {
        let (sender, receiver) = sync_channel(1);
        self.send(write, Completion::Caller(sender));
        block_in_place(|| match &self.writer {
            Some(writer) => writer.wait(&receiver),
            None => receiver.recv().unwrap_or(Err(StoreError::Closed)),
        })
    }
}

/// Maps an error of opening: a file that is no database is no store.
fn open_error(failed: SqliteError, file: &DatabaseFile) -> StoreError {
    match &failed {
        SqliteError::Database(error)
            if error.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) =>
        {
            StoreError::NoStore(file.name())
        }
        SqliteError::Database(_) | SqliteError::Rejected(_) => failed.into_store_error(&file.path),
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        // The writer closes last, and so checkpoints and removes the write-ahead log.
        self.pool.clear();
        if let Some(writer) = self.writer.take() {
            block_in_place(|| drop(writer));
        }
    }
}

impl Store for Sqlite {
    fn projects(&self) -> Result<Vec<ProjectRow>, StoreError> {
        self.query(queries::projects)
    }

    fn find(&self, name: &str) -> Result<Option<ProjectId>, StoreError> {
        self.query(|connection| queries::find(connection, name))
    }

    fn register(&self, change: Registration) -> Result<ProjectId, StoreError> {
        self.write(WriteOp::Register(change)).map(ProjectId)
    }

    fn append(&self, project: ProjectId, expected: Head, record: Record) -> Ticket {
        let (promise, ticket) = ticket();
        let append = WriteOp::Append {
            project,
            expected,
            record,
        };
        self.send(append, Completion::Promise(promise));
        match &self.writer {
            Some(writer) => ticket.with_leader(writer.group_commit()),
            None => ticket,
        }
    }

    fn head(&self, project: ProjectId) -> Result<Head, StoreError> {
        let (_, head) = self.query(|connection| queries::ends(connection, project))?;
        Ok(head)
    }

    fn read(
        &self,
        project: ProjectId,
        reading: LogRange,
        bodies: bool,
        each: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let columns = if bodies {
            queries::RECORD
        } else {
            queries::HEADING
        };
        let mut cursor = LogCursor::new(project, reading, columns);
        let read = |row: &Row<'_>| {
            let record = queries::record(row, 0)?;
            Ok((record.revision, record.size(), record))
        };
        loop {
            let records = self.query(|connection| cursor.next(connection, read))?;
            if records.is_empty() || records.into_iter().try_for_each(&mut *each).is_break() {
                return Ok(());
            }
        }
    }

    fn headings(
        &self,
        project: ProjectId,
        reading: LogRange,
        limit: usize,
    ) -> Result<Vec<CheckedHeading>, StoreError> {
        let cursor = LogCursor::new(project, reading, queries::CHECKED);
        let mut cursor = cursor.with_batch(limit.max(1));
        self.query(|connection| {
            cursor.next(connection, |row| queries::checked_heading(connection, row))
        })
    }

    fn stream(&self, after: LogPosition, limit: usize) -> Result<Vec<StreamRecord>, StoreError> {
        self.query(|connection| queries::stream(connection, after, limit))
    }

    fn place(&self, project: ProjectId, revision: u64) -> Result<Option<LogPosition>, StoreError> {
        self.query(|connection| queries::place(connection, project, revision))
    }

    fn end(&self) -> Result<LogPosition, StoreError> {
        self.query(queries::end)
    }

    fn snapshot(
        &self,
        project: ProjectId,
        at_most: u64,
    ) -> Result<Option<StoredSnapshot>, StoreError> {
        self.query(|connection| queries::snapshot(connection, project, at_most))
    }

    fn put_snapshot(&self, project: ProjectId, snapshot: StoredSnapshot) -> Result<(), StoreError> {
        let stored = snapshot;
        self.write(WriteOp::Snapshot { project, stored }).map(drop)
    }

    fn base(&self, project: ProjectId) -> Result<u64, StoreError> {
        let (base, _) = self.query(|connection| queries::ends(connection, project))?;
        Ok(base.revision)
    }

    fn rewrite(&self, project: ProjectId, rewriting: LogRewrite) -> Result<(), StoreError> {
        self.write(WriteOp::Rewrite { project, rewriting })
            .map(drop)
    }

    fn put_content(&self, project: ProjectId, bytes: &[u8]) -> Result<ContentHash, StoreError> {
        let hash = ContentHash::digest(bytes);
        let bytes = bytes.to_vec();
        self.write(WriteOp::Content {
            project,
            hash,
            bytes,
        })?;
        Ok(hash)
    }

    fn content(&self, hash: ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        self.query(|connection| queries::content(connection, hash))
    }

    fn foreign_writes(&self) -> u64 {
        self.signals.foreign.load(Ordering::Acquire)
    }

    fn watch(&self) -> watch::Receiver<u64> {
        self.signals.watch.subscribe()
    }
}
