//! What can be wrong with a store.

use fibula_core::edit::{Head, ReplayError};

/// Why a store did not do what was asked; nothing was changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StoreError {
    /// Another holder of the store was faster. Never seen outside of the service.
    #[error("the log ends at revision {}, not at {}", .found.revision, .expected.revision)]
    Conflict {
        /// Where it should end.
        expected: Head,
        /// Where it ends.
        found: Head,
    },
    /// There is no such project, or not any more.
    #[error("the store has no project {0} any more")]
    UnknownProject(u64),
    /// Another project has the name.
    #[error("there is a project '{0}' already")]
    NameTaken(String),
    /// There is no room left.
    #[error("there is no room left for {0}; free some, and try again")]
    Full(String),
    /// The store may be read only.
    #[error("{0} may only be read; nothing can be changed in it")]
    ReadOnly(String),
    /// Others kept the store busy for too long.
    #[error("{0} was busy with other processes for too long; try again")]
    Busy(String),
    /// The store was written by a later version.
    #[error(
        "{place} has format {found}, and this program knows formats up to {known}; use a newer fibula"
    )]
    Newer {
        /// What was written by a later version.
        place: String,
        /// Its format.
        found: u32,
        /// The newest format that is known.
        known: u32,
    },
    /// The file is something else.
    #[error("{0} is no store of fibula; give another file with --data")]
    NoStore(String),
    /// Several processes cannot share a file there.
    #[error(
        "{0} lies on a network file system, where several processes cannot share it safely; give a local file with --data"
    )]
    Network(String),
    /// Something does not read as it was written.
    #[error(transparent)]
    Damaged(#[from] Damage),
    /// The system refused.
    #[error("{place}: {message}")]
    Io {
        /// Which file or connection.
        place: String,
        /// What the system said.
        message: String,
    },
    /// The store has been closed.
    #[error("the store has been closed")]
    Closed,
}

impl StoreError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            StoreError::Conflict { .. } => "revision_conflict",
            StoreError::UnknownProject(_) => "unknown_project",
            StoreError::NameTaken(_) => "duplicate_id",
            StoreError::Full(_) => "disk_full",
            StoreError::ReadOnly(_) => "read_only_store",
            StoreError::Busy(_) => "store_busy",
            StoreError::Newer { .. } => "newer_format",
            StoreError::NoStore(_) => "not_a_store",
            StoreError::Network(_) => "network_file_system",
            StoreError::Damaged(_) => "damaged_store",
            StoreError::Io { .. } | StoreError::Closed => "store_failed",
        }
    }
}

/// What does not read as it was written.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Damage {
    /// A record's bytes are not those that were written.
    #[error("revision {0} is damaged: its checksum does not fit")]
    Record(u64),
    /// A record cannot be understood.
    #[error("revision {revision} cannot be read: {message}")]
    Unreadable {
        /// The record.
        revision: u64,
        /// Why not.
        message: String,
    },
    /// A record was written by a later version.
    #[error(
        "revision {revision} has format {found}, and this program knows formats up to {known}; use a newer fibula"
    )]
    Newer {
        /// The record.
        revision: u64,
        /// Its format.
        found: u32,
        /// The newest format that is known.
        known: u32,
    },
    /// A snapshot cannot be used.
    #[error("the snapshot of revision {revision} is damaged: {message}")]
    Snapshot {
        /// Its revision.
        revision: u64,
        /// What is wrong.
        message: String,
    },
    /// The log begins after a snapshot that is not there.
    #[error("the log begins after revision {base}, whose state is not there")]
    NoBase {
        /// The revision before the first record.
        base: u64,
    },
    /// A record does not follow the state before it.
    #[error("the log is damaged: {0}")]
    Replay(#[from] ReplayError),
    /// The bytes of a file are not those that were written.
    #[error("the file with the content {0} is damaged")]
    Content(String),
    /// The bytes of a file are not there.
    #[error("the file with the content {0} is not there")]
    Lost(String),
    /// The store's file is not as it was written.
    #[error("{place} is damaged: {message}; restore a backup, or export what can still be read")]
    File {
        /// The file.
        place: String,
        /// What SQLite said.
        message: String,
    },
}

impl Damage {
    /// The record that is damaged.
    pub fn revision(&self) -> Option<u64> {
        match self {
            Damage::Record(revision)
            | Damage::Unreadable { revision, .. }
            | Damage::Newer { revision, .. } => Some(*revision),
            Damage::Replay(error) => Some(error.revision()),
            Damage::Snapshot { .. }
            | Damage::NoBase { .. }
            | Damage::Content(_)
            | Damage::Lost(_)
            | Damage::File { .. } => None,
        }
    }
}
