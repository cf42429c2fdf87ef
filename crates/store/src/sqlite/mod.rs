//! A store in a file that any number of processes on one machine share.
//!
//! One thread writes, and whatever waits at the same time shares one transaction and one wait for the disk; readers
//! have connections of their own and wait for nobody. Other processes are noticed within a few milliseconds.
//!
//! The file is an SQLite database with a write-ahead log beside it. It cannot lie on a network file system, where
//! processes cannot share memory.

mod backup;
mod connection;
mod fault;
mod place;
mod read;
mod schema;
mod write;
mod writer;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use fibula_core::edit::Head;
use fibula_core::graph::ContentHash;
use tokio::sync::watch;

use self::connection::{Pool, Site};
use self::fault::Failed;
use self::read::Parts;
use self::write::Write;
use self::writer::{Job, Reply, Signals, Writer};
use super::ticket::{Ticket, apart, ticket};
use super::{
    Place, Placed, ProjectId, ProjectRow, Reading, Record, Registration, Rewriting, Store,
    StoreError, Stored,
};

/// How a store's file is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// What an answer promises.
    pub durability: Durability,
    /// How long other processes are waited for.
    pub busy: Duration,
    /// Whether nothing may be changed.
    pub read_only: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            durability: Durability::Full,
            busy: Duration::from_secs(10),
            read_only: false,
        }
    }
}

/// What it means that something lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// It is on the disk: not even a loss of power takes it away.
    #[default]
    Full,
    /// The system has it: it is lost if the power fails within seconds, and not if the process ends.
    Normal,
}

/// A store in a file.
///
/// ```
/// use fibula::store::sqlite::{Options, Sqlite};
/// use fibula::store::{Registration, Store};
///
/// let folder = tempfile::tempdir()?;
/// let store = Sqlite::open(&folder.path().join("store.db"), &Options::default())?;
/// let id = store.register(Registration::Create { name: "default".to_owned(), at: 0 })?;
/// assert_eq!(store.find("default")?, Some(id));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// What was promised is written before it is gone.
#[derive(Debug)]
pub struct Sqlite {
    site: Arc<Site>,
    signals: Arc<Signals>,
    pool: Pool,
    /// Missing where the file is taken for one that nobody changes.
    writer: Option<Writer>,
}

impl Sqlite {
    /// Opens a store, which is made if there is none yet.
    ///
    /// A file that may not be written is opened for reading.
    ///
    /// # Errors
    /// [`StoreError::NoStore`], [`StoreError::Newer`], [`StoreError::Network`]; [`StoreError::Damaged`] for a file of
    /// which something is missing; others when the file cannot be read or made.
    pub fn open(path: &Path, options: &Options) -> Result<Self, StoreError> {
        place::check_file_system(path)?;
        if !options.read_only {
            place::make(path)?;
        }
        let path = place::resolved(path).map_err(|error| fault::system(path, &error))?;
        // A link may have led somewhere else.
        place::check_file_system(&path)?;
        place::check_beginning(&path)?;
        let site = Site {
            path,
            options: *options,
        };
        if options.read_only {
            return Self::reading(site);
        }
        let patience = site.patience();
        let connection = match site.writer(patience.clone()) {
            Ok(connection) => connection,
            Err(failed) => {
                let options = Options {
                    read_only: true,
                    ..*options
                };
                let path = site.path.clone();
                // Where no file can be made beside it, SQLite cannot write it either.
                return match at_open(failed, &site) {
                    StoreError::ReadOnly(_) | StoreError::Io { .. } => {
                        Self::reading(Site { path, options })
                    }
                    error => Err(error),
                };
            }
        };
        let (site, signals) = (Arc::new(site), Arc::<Signals>::default());
        let writer = Writer::start(site.clone(), signals.clone(), connection, patience)?;
        Ok(Sqlite {
            pool: Pool::new(site.clone()),
            site,
            signals,
            writer: Some(writer),
        })
    }

    fn reading(site: Site) -> Result<Self, StoreError> {
        let reader = site.reader().map_err(|failed| at_open(failed, &site))?;
        let found = schema::look(&reader.connection);
        let found = found.map_err(|error| at_open(error.into(), &site))?;
        match schema::known(found, &site.name())? {
            0 => return Err(StoreError::NoStore(site.name())),
            schema::FORMAT => {}
            // It has to be brought into the newest form first.
            _ => return Err(StoreError::ReadOnly(site.name())),
        }
        let (site, signals) = (Arc::new(site), Arc::<Signals>::default());
        let writer = if reader.frozen {
            None
        } else {
            let (site, signals, patience) = (site.clone(), signals.clone(), site.patience());
            Some(Writer::start(site, signals, reader.connection, patience)?)
        };
        Ok(Sqlite {
            pool: Pool::new(site.clone()),
            site,
            signals,
            writer,
        })
    }

    /// Whether nothing can be changed.
    pub fn is_read_only(&self) -> bool {
        self.site.options.read_only
    }

    /// What is wrong with the file: nothing if it is sound.
    ///
    /// It reads all of it. That the file is sound does not say that every record is as it was written.
    ///
    /// # Errors
    /// [`StoreError`] when it is too damaged to be looked through, or cannot be read.
    pub fn integrity(&self) -> Result<Vec<String>, StoreError> {
        self.ask(backup::integrity)
    }

    /// Copies the store as it is now into a single file, while others read and write.
    ///
    /// # Errors
    /// [`StoreError`] when there is a file with that name, or it cannot be written; nothing is left there then.
    pub fn backup(&self, to: &Path) -> Result<(), StoreError> {
        self.signals.known(&self.site)?;
        backup::backup(&self.site, to)
    }

    fn ask<T>(
        &self,
        read: impl FnOnce(&rusqlite::Connection) -> Result<T, Failed>,
    ) -> Result<T, StoreError> {
        self.signals.known(&self.site)?;
        self.pool.read(read)
    }

    fn send(&self, write: Write, reply: Reply) {
        match &self.writer {
            Some(writer) if !self.is_read_only() => writer.send(Job { write, reply }),
            Some(_) | None => reply.tell(Err(StoreError::ReadOnly(self.site.name()))),
        }
    }

    fn put(&self, write: Write) -> Result<u64, StoreError> {
        let (sender, receiver) = sync_channel(1);
        self.send(write, Reply::Caller(sender));
        apart(|| match &self.writer {
            Some(writer) => writer.wait(&receiver),
            None => receiver.recv().unwrap_or(Err(StoreError::Closed)),
        })
    }
}

/// Why a file was not opened: what SQLite cannot read at all is no store.
fn at_open(failed: Failed, site: &Site) -> StoreError {
    match &failed {
        Failed::Broken(error)
            if error.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) =>
        {
            StoreError::NoStore(site.name())
        }
        Failed::Broken(_) | Failed::Refused(_) => failed.said(&site.path),
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        // The last connection to close is one that may write: it leaves a single file.
        self.pool.clear();
        if let Some(writer) = self.writer.take() {
            apart(|| drop(writer));
        }
    }
}

impl Store for Sqlite {
    fn projects(&self) -> Result<Vec<ProjectRow>, StoreError> {
        self.ask(read::projects)
    }

    fn find(&self, name: &str) -> Result<Option<ProjectId>, StoreError> {
        self.ask(|connection| read::find(connection, name))
    }

    fn register(&self, change: Registration) -> Result<ProjectId, StoreError> {
        self.put(Write::Register(change)).map(ProjectId)
    }

    fn append(&self, project: ProjectId, expected: Head, record: Record) -> Ticket {
        let (promise, ticket) = ticket();
        let append = Write::Append {
            project,
            expected,
            record,
        };
        self.send(append, Reply::Promise(promise));
        match &self.writer {
            Some(writer) => ticket.with(writer.hall()),
            None => ticket,
        }
    }

    fn head(&self, project: ProjectId) -> Result<Head, StoreError> {
        let (_, head) = self.ask(|connection| read::ends(connection, project))?;
        Ok(head)
    }

    fn read(
        &self,
        project: ProjectId,
        reading: Reading,
        bodies: bool,
        each: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let mut parts = Parts::new(project, reading, bodies);
        loop {
            let records = self.ask(|connection| parts.next(connection))?;
            if records.is_empty() || read::each(records, each).is_break() {
                return Ok(());
            }
        }
    }

    fn stream(&self, after: Place, limit: usize) -> Result<Vec<Placed>, StoreError> {
        self.ask(|connection| read::stream(connection, after, limit))
    }

    fn place(&self, project: ProjectId, revision: u64) -> Result<Option<Place>, StoreError> {
        self.ask(|connection| read::place(connection, project, revision))
    }

    fn end(&self) -> Result<Place, StoreError> {
        self.ask(read::end)
    }

    fn snapshot(&self, project: ProjectId, at_most: u64) -> Result<Option<Stored>, StoreError> {
        self.ask(|connection| read::snapshot(connection, project, at_most))
    }

    fn put_snapshot(&self, project: ProjectId, snapshot: Stored) -> Result<(), StoreError> {
        let stored = snapshot;
        self.put(Write::Snapshot { project, stored }).map(drop)
    }

    fn base(&self, project: ProjectId) -> Result<u64, StoreError> {
        let (base, _) = self.ask(|connection| read::ends(connection, project))?;
        Ok(base.revision)
    }

    fn rewrite(&self, project: ProjectId, rewriting: Rewriting) -> Result<(), StoreError> {
        self.put(Write::Rewrite { project, rewriting }).map(drop)
    }

    fn put_content(&self, project: ProjectId, bytes: &[u8]) -> Result<ContentHash, StoreError> {
        let hash = ContentHash::of(bytes);
        let bytes = bytes.to_vec();
        self.put(Write::Content {
            project,
            hash,
            bytes,
        })?;
        Ok(hash)
    }

    fn content(&self, hash: ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        self.ask(|connection| read::content(connection, hash))
    }

    fn foreign(&self) -> u64 {
        self.signals.foreign.load(Ordering::Acquire)
    }

    fn watch(&self) -> watch::Receiver<u64> {
        self.signals.watch.subscribe()
    }
}
