//! The state of a project: the document, revision and checkpoints after replaying its log.

use std::collections::BTreeMap;

use super::{Change, Checked, Edit, EditError, Entry, EntryKind, Head, Heading, Origin, check};
use crate::graph::{ContentHash, Document};

/// A project as of a revision.
#[derive(Debug, Clone, Default)]
pub struct State {
    document: Document,
    revision: u64,
    /// Revision of the last entry that changed more than positions, or a later one.
    content_revision: u64,
    checkpoints: BTreeMap<String, u64>,
}

/// Reason for which an entry does not follow a state: the log or the state is damaged.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReplayError {
    /// An entry is missing or repeated.
    #[error("found revision {found} instead of {expected}")]
    Gap {
        /// The next revision.
        expected: u64,
        /// The revision of the entry.
        found: u64,
    },
    /// The edit is refused.
    #[error("revision {revision} cannot be replayed: {error}")]
    Refused {
        /// The entry.
        revision: u64,
        /// The refusal.
        #[source]
        error: EditError,
    },
    /// The edit leads to another state.
    #[error(
        "revision {revision} results in the state {found:016x}, but its entry records {expected:016x}"
    )]
    Differs {
        /// The entry.
        revision: u64,
        /// Hash in the entry.
        expected: u64,
        /// Hash of the state.
        found: u64,
    },
}

impl ReplayError {
    /// Revision of the entry that does not follow.
    pub fn revision(&self) -> u64 {
        match self {
            ReplayError::Gap { expected, .. } => *expected,
            ReplayError::Refused { revision, .. } | ReplayError::Differs { revision, .. } => {
                *revision
            }
        }
    }
}

/// Metadata of a commit.
#[derive(Debug, Clone)]
pub struct CommitInfo {
    /// Its author.
    pub origin: Origin,
    /// Time in milliseconds since 1970, UTC.
    pub at: u64,
    /// Label in the history; the edit's summary if absent.
    pub label: Option<String>,
    /// Edit, undo, redo or checkpoint.
    pub kind: EntryKind,
}

impl CommitInfo {
    /// A new edit.
    pub fn edit(origin: Origin, at: u64) -> Self {
        CommitInfo {
            origin,
            at,
            label: None,
            kind: EntryKind::Edit,
        }
    }
}

impl State {
    /// Creates the state of a snapshot.
    pub fn new(document: Document, revision: u64, checkpoints: BTreeMap<String, u64>) -> Self {
        State {
            document,
            revision,
            content_revision: revision,
            checkpoints,
        }
    }

    /// The document.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The revision of the last entry; 0 if there is none.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The revision since which all entries only moved nodes in diagrams, as far as is known. A client that has read this
    /// revision or a later one knows what the functions are.
    pub fn content_revision(&self) -> u64 {
        self.content_revision
    }

    /// Revisions of the checkpoints, by name.
    pub fn checkpoints(&self) -> &BTreeMap<String, u64> {
        &self.checkpoints
    }

    /// Hash of the state, which does not depend on the order of the edits that led to it.
    ///
    /// It is the document's hash and, for each checkpoint, the short hash of its revision (8 bytes, the lowest first)
    /// and its name, added up.
    pub fn hash(&self) -> u64 {
        let checkpoints = self.checkpoints.iter().map(|(name, revision)| {
            let bytes = [&revision.to_le_bytes(), name.as_bytes()].concat();
            ContentHash::digest(&bytes).short()
        });
        checkpoints.fold(self.document.hash(), u64::wrapping_add)
    }

    /// Revision and hash.
    pub fn head(&self) -> Head {
        Head {
            revision: self.revision,
            hash: self.hash(),
        }
    }

    /// Applies an edit that was checked against this state. Returns its entry and effects.
    pub fn commit(&mut self, checked: Checked, info: CommitInfo) -> (Entry, Change) {
        let (edit, inverse) = (checked.edit().clone(), checked.inverse().clone());
        let CommitInfo {
            origin,
            at,
            label,
            kind,
        } = info;
        let label = label.unwrap_or_else(|| edit.summary());
        let change = checked.apply(&mut self.document);
        self.set_revision(self.revision + 1, &edit);
        self.checkpoint(&kind);
        let heading = Heading {
            revision: self.revision,
            at,
            origin,
            label,
            kind,
            functions: self.document.function_count(),
        };
        let hash = self.hash();
        let entry = Entry {
            heading,
            edit,
            inverse,
            hash,
        };
        (entry, change)
    }

    /// Applies the next entry of the log.
    ///
    /// # Errors
    /// [`ReplayError`]. After [`ReplayError::Differs`] the state is invalid; after the others it is
    /// unchanged.
    pub fn replay(&mut self, entry: &Entry) -> Result<(), ReplayError> {
        let revision = entry.revision();
        if revision != self.revision + 1 {
            return Err(ReplayError::Gap {
                expected: self.revision + 1,
                found: revision,
            });
        }
        self.apply(revision, &entry.edit)?;
        self.set_revision(revision, &entry.edit);
        self.checkpoint(&entry.heading.kind);
        self.verify_hash(revision, entry.hash)
    }

    /// Rolls back the entry that led here from `before`.
    ///
    /// # Errors
    /// As [`replay`](Self::replay).
    pub fn roll_back(&mut self, entry: &Entry, before: Head) -> Result<(), ReplayError> {
        self.apply(entry.revision(), &entry.inverse)?;
        self.revision = before.revision;
        self.content_revision = self.content_revision.min(self.revision);
        if let EntryKind::Checkpoint(name) = &entry.heading.kind {
            self.checkpoints.remove(name);
        }
        self.verify_hash(entry.revision(), before.hash)
    }

    /// As [`replay`](Self::replay), for an entry whose hash is computed.
    ///
    /// # Errors
    /// As [`replay`](Self::replay), but the states never differ.
    pub fn advance(&mut self, entry: &mut Entry) -> Result<(), ReplayError> {
        let revision = entry.revision();
        self.apply(revision, &entry.edit)?;
        self.set_revision(revision, &entry.edit);
        self.checkpoint(&entry.heading.kind);
        entry.hash = self.hash();
        Ok(())
    }

    fn set_revision(&mut self, revision: u64, edit: &Edit) {
        self.revision = revision;
        if !edit.only_moves() {
            self.content_revision = revision;
        }
    }

    fn apply(&mut self, revision: u64, edit: &Edit) -> Result<(), ReplayError> {
        let checked = check(&self.document, edit)
            .map_err(|error| ReplayError::Refused { revision, error })?;
        checked.apply(&mut self.document);
        Ok(())
    }

    fn verify_hash(&self, revision: u64, expected: u64) -> Result<(), ReplayError> {
        match self.hash() {
            found if found == expected => Ok(()),
            found => Err(ReplayError::Differs {
                revision,
                expected,
                found,
            }),
        }
    }

    fn checkpoint(&mut self, kind: &EntryKind) {
        if let EntryKind::Checkpoint(name) = kind {
            self.checkpoints.insert(name.clone(), self.revision);
        }
    }
}
