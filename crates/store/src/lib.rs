//! The stores: where the logs of projects last.
//!
//! A [`Store`] keeps, for each project, a log of [`Record`]s, snapshots that spare reading the log from its
//! beginning, and the bytes of files under their hash. It knows what a record is, not what it means: states, checks
//! and retries are its callers'. [`Memory`] lasts as long as the process; [`Sqlite`] is a file that any number of
//! processes share.
//!
//! The log is the one truth. An entry is appended behind a [`Head`] that its caller names, or not at all; so two
//! processes that want to go on from one state find out, and the later one looks again.

pub mod contents;
mod error;
mod load;
mod memory;
mod record;
pub mod snapshot;
pub mod sqlite;
mod ticket;
mod verify;

use std::fmt::Debug;
use std::ops::ControlFlow;

use fibula_core::edit::{Head, Heading};
use fibula_core::graph::ContentHash;
use tokio::sync::watch;

pub use error::{Damage, StoreError};
pub use load::{Loaded, load, renew_snapshot};
pub use memory::Memory;
pub use record::{RECORD_FORMAT, Record};
pub use sqlite::Sqlite;
pub use ticket::{Promise, Ticket, apart, ticket};
pub use verify::{Verified, verify};

/// A project in a store; it stays the same when the project is renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProjectId(pub u64);

/// A project, as a store lists it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectRow {
    /// Its id.
    pub id: ProjectId,
    /// Its name; no two that are not deleted have the same.
    pub name: String,
    /// When it was made: milliseconds since 1970, UTC.
    pub created: u64,
    /// When it was deleted; it can be restored until it is purged.
    pub deleted: Option<u64>,
    /// The newest entry; `None` if nothing was done yet, or it cannot be read.
    pub newest: Option<Heading>,
}

/// A change of the list of projects.
#[derive(Debug, Clone, PartialEq)]
pub enum Registration {
    /// Adds an empty project.
    Create {
        /// Its name.
        name: String,
        /// Now: milliseconds since 1970, UTC.
        at: u64,
    },
    /// Gives a project another name.
    Rename {
        /// The project.
        id: ProjectId,
        /// The new name.
        name: String,
    },
    /// Puts a project aside; its name is free then.
    Delete {
        /// The project.
        id: ProjectId,
        /// Now: milliseconds since 1970, UTC.
        at: u64,
    },
    /// Brings a deleted project back under this name.
    Restore {
        /// The project.
        id: ProjectId,
        /// Its name from now on.
        name: String,
    },
    /// Removes a deleted project for good, and the bytes that were kept for no other; all of it is wiped from the disk.
    Purge {
        /// The project.
        id: ProjectId,
    },
}

/// Which part of a log is read, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The records after this revision, the oldest first.
    After(u64),
    /// The records before this revision, the newest first.
    Before(u64),
}

/// A record's place among those of all projects: later ones have larger places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place(pub u64);

/// A record with its project and its place among all.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// Its place.
    pub place: Place,
    /// Its project.
    pub project: ProjectId,
    /// The record.
    pub record: Record,
}

/// A snapshot as it is stored; what it holds is `snapshot`'s own matter.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// The revision that it is of.
    pub revision: u64,
    /// The hash of the state.
    pub hash: u64,
    /// What it holds, with a checksum of its own.
    pub bytes: Vec<u8>,
}

/// What takes the place of a project's log up to a revision, or of all of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewriting {
    /// The log is still here, or nothing is done.
    pub expected: Head,
    /// The state that the log begins with from now on; records up to its revision go. Left out, it begins with
    /// nothing, or with what it began with.
    pub base: Option<Stored>,
    /// Records that take the places of those with their revisions.
    pub records: Vec<Record>,
    /// Whether what goes is to be wiped from the disk, and other snapshots with it.
    pub wipe: bool,
}

impl Rewriting {
    /// Refuses what was put together from another log, though that one ended alike: before another rewriting. `first`
    /// is where the log begins, and `hash` tells the hashes of its records.
    ///
    /// # Errors
    /// [`StoreError::Conflict`]; without, those of `hash`.
    fn fits<E>(
        &self,
        first: Head,
        hash: impl Fn(u64) -> Result<Option<u64>, E>,
    ) -> Result<Result<(), StoreError>, E> {
        let conflict = |expected, found| Ok(Err(StoreError::Conflict { expected, found }));
        for record in &self.records {
            let (revision, hash_there) = (record.revision, hash(record.revision)?);
            if hash_there.is_none() {
                let hash = record.hash;
                return conflict(Head { revision, hash }, first);
            }
        }
        let Some(Stored {
            revision,
            hash: new,
            ..
        }) = self.base
        else {
            return Ok(Ok(()));
        };
        let expected = Head {
            revision,
            hash: new,
        };
        let mut records = self.records.iter();
        let found = match records.find(|record| record.revision == revision) {
            Some(record) => Some(record.hash),
            None => hash(revision)?,
        };
        match found {
            _ if revision < first.revision => conflict(expected, first),
            Some(hash) if hash != new => conflict(expected, Head { revision, hash }),
            Some(_) | None => Ok(Ok(())),
        }
    }
}

/// Where the logs of projects last.
///
/// Every method may be called from any thread. Those that read see at least what the same process has appended.
pub trait Store: Debug + Send + Sync {
    /// Every project, by id.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn projects(&self) -> Result<Vec<ProjectRow>, StoreError>;

    /// The project that has this name and is not deleted.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn find(&self, name: &str) -> Result<Option<ProjectId>, StoreError>;

    /// Changes the list of projects; it lasts when this returns. Gives the project's id.
    ///
    /// # Errors
    /// [`StoreError::NameTaken`], [`StoreError::UnknownProject`]; others when the store cannot be written.
    fn register(&self, change: Registration) -> Result<ProjectId, StoreError>;

    /// Appends a record to a project's log, if it ends at `expected`. The ticket tells when it lasts.
    ///
    /// Appends of one caller are done in their order.
    fn append(&self, project: ProjectId, expected: Head, record: Record) -> Ticket;

    /// Where a project's log ends.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn head(&self, project: ProjectId) -> Result<Head, StoreError>;

    /// Reads a part of a project's log until `each` has enough.
    ///
    /// Without `bodies` the records' bodies are empty, which spares reading large ones. A damaged record is given as
    /// it is; [`Record::entry`] and [`Record::heading`] find out.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn read(
        &self,
        project: ProjectId,
        reading: Reading,
        bodies: bool,
        each: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) -> Result<(), StoreError>;

    /// The records of all projects after a place, in their order; at most `limit`.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn stream(&self, after: Place, limit: usize) -> Result<Vec<Placed>, StoreError>;

    /// The place of a record; `None` if there is none such, or not any more.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn place(&self, project: ProjectId, revision: u64) -> Result<Option<Place>, StoreError>;

    /// The place of the newest record of all.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn end(&self) -> Result<Place, StoreError>;

    /// The newest snapshot of a project at this revision or before; the log's base is one.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn snapshot(&self, project: ProjectId, at_most: u64) -> Result<Option<Stored>, StoreError>;

    /// Keeps a snapshot. Older ones may go, never the log's base.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be written.
    fn put_snapshot(&self, project: ProjectId, snapshot: Stored) -> Result<(), StoreError>;

    /// The revision that a project's log begins after; 0 unless it was compacted.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn base(&self, project: ProjectId) -> Result<u64, StoreError>;

    /// Rewrites a project's log in one step; it lasts when this returns.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when the log does not end where it should, has no record that one is to take the place
    /// of, or leads to another state than the new base; others when it cannot be written. The log is then as it was.
    fn rewrite(&self, project: ProjectId, rewriting: Rewriting) -> Result<(), StoreError>;

    /// Keeps the bytes of a file for a project; it lasts when this returns. The same bytes are kept once, until the
    /// last project that they were kept for is purged.
    ///
    /// # Errors
    /// [`StoreError::UnknownProject`]; others when the store cannot be written.
    fn put_content(&self, project: ProjectId, bytes: &[u8]) -> Result<ContentHash, StoreError>;

    /// The bytes of a file; `None` if they are not here. They are checked against their hash.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read, or the bytes are damaged.
    fn content(&self, hash: ContentHash) -> Result<Option<Vec<u8>>, StoreError>;

    /// A number that grows when another process, or another holder of the store, has written.
    fn foreign(&self) -> u64;

    /// Tells of every record that may be new and of every change of the list of projects, whoever wrote it; the number
    /// itself means nothing.
    fn watch(&self) -> watch::Receiver<u64>;
}
