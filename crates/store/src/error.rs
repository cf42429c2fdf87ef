//! Errors of stores, and damage that reading detects.

use fibula_core::edit::{Head, ReplayError};

/// Error returned by a store. The operation was rolled back, except that a failure to wipe removed data leaves the
/// removal committed, and the store retries the wipe.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StoreError {
    /// Optimistic concurrency failure: another writer appended first. The service retries, so users never see it.
    #[error("the log ends at revision {}, not at {}", .found.revision, .expected.revision)]
    Conflict {
        /// Head that the caller named.
        expected: Head,
        /// Actual head of the log.
        found: Head,
    },
    /// The project does not exist, or was deleted or purged.
    #[error("the store no longer has project {0}")]
    UnknownProject(u64),
    /// Another project that is not deleted has the name.
    #[error("project '{0}' already exists")]
    NameTaken(String),
    /// The disk, a quota or a file size limit is exhausted.
    #[error("no disk space left for {0}; free some and retry")]
    Full(String),
    /// The store is read-only.
    #[error("{0} is read-only")]
    ReadOnly(String),
    /// The file or its folder may not be read.
    #[error(
        "permission denied: {0} cannot be read by this user; check the owner and mode of the file and its folders"
    )]
    Denied(String),
    /// The file was removed, moved or replaced while it was open.
    #[error(
        "{0} was removed, moved or replaced while it was in use; put it back, or restart this program"
    )]
    Moved(String),
    /// Timeout while waiting for the locks of other processes.
    #[error("{0} was locked by other processes for too long; retry")]
    Busy(String),
    /// A later version of the program has written the store.
    #[error(
        "{place} has format {found}, but this program supports formats up to {known}; use a newer fibula"
    )]
    Newer {
        /// Path of the store.
        place: String,
        /// Format of the file.
        found: u32,
        /// Newest supported format.
        known: u32,
    },
    /// The file is not a store.
    #[error("{0} is not a Fibula store; give another file with --data")]
    NoStore(String),
    /// The file lies on a network file system, where processes cannot share a write-ahead log.
    #[error(
        "{0} is on a network file system, where several processes cannot share it safely; give a local file with --data"
    )]
    Network(String),
    /// Stored data is damaged.
    #[error(transparent)]
    Damaged(#[from] Damage),
    /// Operating system or SQLite error.
    #[error("{place}: {message}")]
    Io {
        /// File or connection.
        place: String,
        /// Message of the operating system or of SQLite.
        message: String,
    },
    /// The store has been closed.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// Returns the stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            StoreError::Conflict { .. } => "revision_conflict",
            StoreError::UnknownProject(_) => "unknown_project",
            StoreError::NameTaken(_) => "duplicate_id",
            StoreError::Full(_) => "disk_full",
            StoreError::ReadOnly(_) => "read_only_store",
            StoreError::Denied(_) => "permission_denied",
            StoreError::Moved(_) => "store_moved",
            StoreError::Busy(_) => "store_busy",
            StoreError::Newer { .. } => "newer_format",
            StoreError::NoStore(_) => "not_a_store",
            StoreError::Network(_) => "network_file_system",
            StoreError::Damaged(_) => "damaged_store",
            StoreError::Io { .. } | StoreError::Closed => "store_failed",
        }
    }
}

/// Stored data that fails its checks.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Damage {
    /// The checksum of the record with this revision does not match.
    #[error("revision {0} is damaged: its checksum does not match")]
    Record(u64),
    /// A record cannot be parsed.
    #[error("revision {revision} cannot be read: {message}")]
    Unreadable {
        /// Revision of the record.
        revision: u64,
        /// Parser message.
        message: String,
    },
    /// A later version of the program has written the record.
    #[error(
        "revision {revision} has format {found}, but this program supports formats up to {known}; use a newer fibula"
    )]
    Newer {
        /// Revision of the record.
        revision: u64,
        /// Format of the record.
        found: u32,
        /// Newest supported format.
        known: u32,
    },
    /// A snapshot fails its checksum, cannot be decoded, or contradicts the log.
    #[error("the snapshot of revision {revision} is damaged: {message}")]
    Snapshot {
        /// Revision of the snapshot.
        revision: u64,
        /// Description of the damage.
        message: String,
    },
    /// The base snapshot of a compacted log is missing.
    #[error("the log begins after revision {base}, whose state is missing")]
    NoBase {
        /// Revision of the missing base.
        base: u64,
    },
    /// Replaying a record on the preceding state fails.
    #[error("the log is damaged: {0}")]
    Replay(#[from] ReplayError),
    /// The tables and indexes of the store contradict each other.
    #[error("the store contradicts itself: {0}")]
    Inconsistent(String),
    /// The bytes of a file do not have their hash.
    #[error("content {0} is damaged")]
    Content(String),
    /// The bytes of a file are missing.
    #[error("content {0} is missing")]
    Lost(String),
    /// SQLite reports corruption of the store's file.
    #[error("{place} is damaged: {message}; restore a backup, or recover what is left")]
    File {
        /// Path of the file.
        place: String,
        /// Message of SQLite.
        message: String,
    },
}

impl Damage {
    /// Returns the revision of the damaged record, or `None` if no single record is damaged.
    pub fn revision(&self) -> Option<u64> {
        match self {
            Damage::Record(revision)
            | Damage::Unreadable { revision, .. }
            | Damage::Newer { revision, .. } => Some(*revision),
            Damage::Replay(error) => Some(error.revision()),
            Damage::Snapshot { .. }
            | Damage::NoBase { .. }
            | Damage::Inconsistent(_)
            | Damage::Content(_)
            | Damage::Lost(_)
            | Damage::File { .. } => None,
        }
    }
}
