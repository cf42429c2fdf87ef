//! Storage of Fibula projects: append-only edit logs with snapshots, in memory or in a SQLite file.
//!
//! A [`Store`] holds, for each project, a log of [`Record`]s, [snapshots](snapshot) that bound the time of recovery,
//! and content-addressed bytes of files. [`Memory`] lives as long as the process; [`Sqlite`] is a file that any number
//! of processes on one machine share.
//!
//! A store knows the form of a record, but not its meaning: validating edits, merging and retrying are tasks of the
//! caller. It is not a message queue and not a general database.
//!
//! ```
//! use fibula_store::{Memory, Registration, Store, load, verify};
//!
//! let store = Memory::default();
//! let id = store.register(Registration::Create { name: "vase".to_owned(), at: 0 })?;
//! let hash = store.put_content(id, b"any bytes")?;
//! assert_eq!(store.content(hash)?.as_deref(), Some(&b"any bytes"[..]));
//!
//! // The log is empty, so recovery yields the initial state.
//! let loaded = load(&store, id, None)?;
//! assert_eq!(loaded.state.revision(), 0);
//! assert_eq!(loaded.damage, None);
//! assert!(verify(&store, id)?.is_sound());
//! # Ok::<(), fibula_store::StoreError>(())
//! ```
//!
//! To append, commit an edit to the state, serialise the entry with [`Record::new`], pass it to [`Store::append`]
//! together with the head that it follows, and [wait](Ticket::wait) for the ticket.
//!
//! # Guarantees
//!
//! 1. **Single source of truth.** The log, after its base, determines the state. Snapshots are caches; only the base of
//!    a compacted log is not redundant.
//! 2. **Optimistic concurrency.** A record is appended only if the log ends at the [`Head`] (revision and state hash)
//!    that the caller names. Otherwise the append fails with [`StoreError::Conflict`] and has no effect. So two writers
//!    cannot both extend the same state.
//! 3. **Atomicity.** Every call is applied completely or not at all.
//! 4. **Order.** Appends of one caller are committed in the order of the calls. Revisions have no gaps.
//! 5. **Durability.** A successful [`Ticket::wait`], and a successful return of any other writing method, mean that the
//!    data are committed. In a [`Sqlite`] store with [`Durability::Full`](sqlite::Durability::Full) they survive a power
//!    failure, with `Normal` the end of the process. In [`Memory`] they survive neither.
//! 6. **Read your writes.** A read observes at least all committed writes of the same process.
//! 7. **Concurrency.** In a [`Sqlite`] store, readers and writers do not block each other, except while wiping.
//! 8. **Notification.** [`Store::watch`] signals writes of this process, and those of other processes within
//!    milliseconds.
//! 9. **Integrity.** Records have checksums, contents their hash, snapshots both a checksum and the hash of their state.
//!    The parts of a project are compared wherever it is read: the log, its index, its recorded end, and snapshots.
//!    Damage is reported, never returned as data; [`load`] recovers the state before it, [`recover()`] what is left.
//! 10. **Secure deletion.** [`Registration::Purge`], and a [`LogRewrite`] with `wipe`, leave no deleted bytes in the
//!     files of the store. If wiping fails, the call reports the failure, and the store retries until it succeeds.
//! 11. **Compatibility.** Records, snapshots and files of earlier versions remain readable. Those of later versions are
//!     rejected with [`StoreError::Newer`] or [`Damage::Newer`].
//!
//! # Cost
//!
//! Waiting appends share one transaction and one `fsync` (group commit). [`load`] takes the time of decoding one
//! snapshot and replaying the records after it; [`verify`] reads everything.

pub mod contents;
mod error;
pub mod json_lines;
mod record;
pub mod snapshot;
mod ticket;

mod load;
mod memory;

mod verify;

pub mod sqlite;

mod recover;

use std::fmt::Debug;
use std::ops::ControlFlow;

use fibula_core::edit::{Head, Heading};
use fibula_core::graph::ContentHash;
use tokio::sync::watch;

pub use error::{Damage, StoreError};
pub use load::{LoadedState, load, renew_snapshot, store_snapshot};
pub use memory::Memory;
pub use record::{CheckedHeading, RECORD_FORMAT, Record};
pub use recover::{RecoveredProject, recover};
pub use sqlite::Sqlite;
pub use ticket::{Promise, Ticket, block_in_place, ticket};
pub use verify::{VerifyReport, check_records, verify};

/// Identifier of a project in a store; renaming a project does not change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProjectId(pub u64);

/// A project as listed by [`Store::projects`].
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectRow {
    /// Identifier.
    pub id: ProjectId,
    /// Name, unique among the projects that are not deleted.
    pub name: String,
    /// Time of creation in milliseconds since 1970, UTC.
    pub created: u64,
    /// Time of deletion in milliseconds since 1970, UTC; a deleted project can be restored until it is purged.
    pub deleted: Option<u64>,
    /// Heading of the newest entry; `None` if the log is empty or damaged.
    pub newest: Option<Heading>,
    /// Damage of the newest entry, or contradiction between the parts of the project; the rest of the log is not read.
    pub damage: Option<Damage>,
}

/// Change of the list of projects, applied by [`Store::register`].
#[derive(Debug, Clone, PartialEq)]
pub enum Registration {
    /// Adds an empty project.
    Create {
        /// Name of the project.
        name: String,
        /// Current time in milliseconds since 1970, UTC.
        at: u64,
    },
    /// Renames a project.
    Rename {
        /// The project.
        id: ProjectId,
        /// The new name.
        name: String,
    },
    /// Marks a project as deleted and releases its name.
    Delete {
        /// The project.
        id: ProjectId,
        /// Current time in milliseconds since 1970, UTC.
        at: u64,
    },
    /// Restores a deleted project under a name.
    Restore {
        /// The project.
        id: ProjectId,
        /// The new name.
        name: String,
    },
    /// Irrevocably removes a deleted project and the contents that no other project references, and wipes them from the
    /// disk.
    Purge {
        /// The project.
        id: ProjectId,
    },
}

/// Number of bytes of records after which a batch of them ends.
const BATCH_BYTES: usize = 1 << 20;

/// Range and direction of [`Store::read`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogRange {
    /// Records after this revision, in ascending order.
    After(u64),
    /// Records before this revision, in descending order.
    Before(u64),
}

impl LogRange {
    /// The rest of the range after a record with this revision was read.
    fn resume_at(self, revision: u64) -> Self {
        match self {
            LogRange::After(_) => LogRange::After(revision),
            LogRange::Before(_) => LogRange::Before(revision),
        }
    }
}

/// Position of a record in the combined log of all projects. Positions increase and are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct LogPosition(pub u64);

/// A record of the combined log, as returned by [`Store::stream`].
#[derive(Debug, Clone, PartialEq)]
pub struct StreamRecord {
    /// Position in the combined log.
    pub place: LogPosition,
    /// Project of the record.
    pub project: ProjectId,
    /// The record.
    pub record: Record,
}

/// A snapshot in its stored form; [`snapshot::encode`] and [`snapshot::decode`] convert it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSnapshot {
    /// Revision of the state.
    pub revision: u64,
    /// Hash of the state.
    pub hash: u64,
    /// Encoded state, including a checksum.
    pub bytes: Vec<u8>,
}

impl StoredSnapshot {
    /// Returns the head of a log that ends with this state.
    pub fn head(&self) -> Head {
        Head {
            revision: self.revision,
            hash: self.hash,
        }
    }
}

/// Atomic rewrite of a log: compaction (a new base) or redaction (replaced records).
#[derive(Debug, Clone, PartialEq)]
pub struct LogRewrite {
    /// Head of the log; if it has changed, the rewrite fails with [`StoreError::Conflict`].
    pub expected: Head,
    /// New base of the log; records up to its revision are removed. `None` leaves the base unchanged.
    pub base: Option<StoredSnapshot>,
    /// Records that replace those with the same revisions.
    pub records: Vec<Record>,
    /// Also removes all snapshots but the base, and wipes everything that is removed from the disk.
    pub wipe: bool,
}

impl LogRewrite {
    /// Rejects a rewrite that was prepared before another rewrite of the same log, which leaves the head unchanged.
    /// `first` is the base of the log, and `hash` returns the hash of the record with a revision.
    ///
    /// # Errors
    /// Inner: [`StoreError::Conflict`]. Outer: errors of `hash`.
    fn fits<E>(
        &self,
        first: Head,
        hash: impl Fn(u64) -> Result<Option<u64>, E>,
    ) -> Result<Result<(), StoreError>, E> {
        let conflict = |expected, found| Ok(Err(StoreError::Conflict { expected, found }));
        for record in &self.records {
            if hash(record.revision)?.is_none() {
                return conflict(record.head(), first);
            }
        }
        let Some(expected) = self.base.as_ref().map(StoredSnapshot::head) else {
            return Ok(Ok(()));
        };
        let revision = expected.revision;
        let mut records = self.records.iter();
        let found = match records.find(|record| record.revision == revision) {
            Some(record) => Some(record.hash),
            None => hash(revision)?,
        };
        match found {
            _ if revision < first.revision => conflict(expected, first),
            Some(hash) if hash != expected.hash => conflict(expected, Head { revision, hash }),
            Some(_) | None => Ok(Ok(())),
        }
    }
}

/// Storage of projects. The [crate documentation](crate) lists the guarantees.
///
/// All methods may be called from any thread.
pub trait Store: Debug + Send + Sync {
    /// Returns all projects in id order, including deleted ones.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn projects(&self) -> Result<Vec<ProjectRow>, StoreError>;

    /// Returns the project with this name that is not deleted.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn find(&self, name: &str) -> Result<Option<ProjectId>, StoreError>;

    /// Changes the list of projects and returns the id of the project. The change is committed on return.
    ///
    /// # Errors
    /// [`StoreError::NameTaken`], [`StoreError::UnknownProject`]; others if the store cannot be written.
    fn register(&self, change: Registration) -> Result<ProjectId, StoreError>;

    /// Appends a record if the log ends at `expected`; the ticket waits for the commit.
    ///
    /// Appends of one caller are committed in the order of the calls.
    fn append(&self, project: ProjectId, expected: Head, record: Record) -> Ticket;

    /// Returns the head of a log.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn head(&self, project: ProjectId) -> Result<Head, StoreError>;

    /// Passes the records of a range to `each` until it breaks.
    ///
    /// Without `bodies`, bodies are left empty and not read. Damaged records are passed unchecked; [`Record::entry`]
    /// and [`Record::heading`] detect the damage.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn read(
        &self,
        project: ProjectId,
        reading: LogRange,
        bodies: bool,
        each: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) -> Result<(), StoreError>;

    /// Returns up to `limit` headings of a range, but at least one, and fewer if their records have more than 1 MiB; none
    /// at its end. Bodies are read, since the checksums cover them, but not kept.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn headings(
        &self,
        project: ProjectId,
        reading: LogRange,
        limit: usize,
    ) -> Result<Vec<CheckedHeading>, StoreError> {
        let (mut headings, mut bytes) = (Vec::new(), 0);
        self.read(project, reading, true, &mut |record| {
            bytes += record.size();
            headings.push(CheckedHeading {
                revision: record.revision,
                heading: record.checked_heading(),
            });
            if headings.len() < limit && bytes < BATCH_BYTES {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        Ok(headings)
    }

    /// Returns up to `limit` records of all projects after a position, in commit order.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn stream(&self, after: LogPosition, limit: usize) -> Result<Vec<StreamRecord>, StoreError>;

    /// Returns the position of a record, or `None` if the log has no record with this revision.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn place(&self, project: ProjectId, revision: u64) -> Result<Option<LogPosition>, StoreError>;

    /// Returns the last assigned position.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn end(&self) -> Result<LogPosition, StoreError>;

    /// Returns the newest snapshot at or before a revision; the base of the log is one.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn snapshot(
        &self,
        project: ProjectId,
        at_most: u64,
    ) -> Result<Option<StoredSnapshot>, StoreError>;

    /// Stores a snapshot. May remove older ones, but never the base of the log.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written.
    fn put_snapshot(&self, project: ProjectId, snapshot: StoredSnapshot) -> Result<(), StoreError>;

    /// Returns the revision of the base of a log; 0 unless the log was compacted.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn base(&self, project: ProjectId) -> Result<u64, StoreError>;

    /// Rewrites a log atomically. The change is committed on return.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if the log does not end at the expected head, has no record with the revision of a
    /// replacement, or has another state at the revision of the new base; others if the store cannot be written.
    fn rewrite(&self, project: ProjectId, rewriting: LogRewrite) -> Result<(), StoreError>;

    /// Stores the bytes of a file for a project and returns their hash. They are committed on return. Equal bytes are
    /// stored once, until the last project that references them is purged.
    ///
    /// # Errors
    /// [`StoreError::UnknownProject`]; others if the store cannot be written.
    fn put_content(&self, project: ProjectId, bytes: &[u8]) -> Result<ContentHash, StoreError>;

    /// Returns the bytes with a hash, verified against it, or `None` if the store does not have them.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read, or the bytes are damaged.
    fn content(&self, hash: ContentHash) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns a counter that increases when another process, or another handle of the store, has written.
    fn foreign_writes(&self) -> u64;

    /// Returns a channel that is notified after new records and changes of the list of projects, whoever wrote them. The
    /// value itself has no meaning.
    fn watch(&self) -> watch::Receiver<u64>;
}
