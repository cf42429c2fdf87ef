//! The state of a project: what its log amounts to.

use std::collections::BTreeMap;

use super::{Change, Checked, Edit, EditError, Entry, Head, Heading, Origin, Turn, check};
use crate::graph::{ContentHash, Document};

/// A project as of a revision.
#[derive(Debug, Clone, Default)]
pub struct State {
    document: Document,
    revision: u64,
    checkpoints: BTreeMap<String, u64>,
}

/// Why an entry does not follow a state. The log, or the state, is damaged.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReplayError {
    /// An entry is missing, or there twice.
    #[error("revision {found} stands where {expected} should")]
    Gap {
        /// The revision that should come.
        expected: u64,
        /// The revision that came.
        found: u64,
    },
    /// The edit cannot be.
    #[error("revision {revision} cannot be done: {error}")]
    Refused {
        /// The entry.
        revision: u64,
        /// What is in the way.
        #[source]
        error: EditError,
    },
    /// The edit leads somewhere else.
    #[error("revision {revision} leads to the state {found:016x}, not to {expected:016x}")]
    Differs {
        /// The entry.
        revision: u64,
        /// What the entry says.
        expected: u64,
        /// What came of it.
        found: u64,
    },
}

impl ReplayError {
    /// The entry that does not follow.
    pub fn revision(&self) -> u64 {
        match self {
            ReplayError::Gap { expected, .. } => *expected,
            ReplayError::Refused { revision, .. } | ReplayError::Differs { revision, .. } => {
                *revision
            }
        }
    }
}

/// What a commit says beside the edit.
#[derive(Debug, Clone)]
pub struct Said {
    /// Who makes it.
    pub origin: Origin,
    /// When: milliseconds since 1970, UTC.
    pub at: u64,
    /// What the history calls it; the edit's summary if left out.
    pub label: Option<String>,
    /// What it does to earlier entries.
    pub turn: Turn,
}

impl Said {
    /// A new edit.
    pub fn edit(origin: Origin, at: u64) -> Self {
        Said {
            origin,
            at,
            label: None,
            turn: Turn::Edit,
        }
    }
}

impl State {
    /// The state that a snapshot tells of.
    pub fn new(document: Document, revision: u64, checkpoints: BTreeMap<String, u64>) -> Self {
        State {
            document,
            revision,
            checkpoints,
        }
    }

    /// The functions and resources.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The revision of the last entry; 0 if there is none.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The revisions that have names, by name.
    pub fn checkpoints(&self) -> &BTreeMap<String, u64> {
        &self.checkpoints
    }

    /// The hash of everything that edits change; the order in which they came does not show.
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

    /// Where the state stands.
    pub fn head(&self) -> Head {
        Head {
            revision: self.revision,
            hash: self.hash(),
        }
    }

    /// Applies an edit that was checked against this state; gives the entry that says so.
    pub fn commit(&mut self, checked: Checked, said: Said) -> (Entry, Change) {
        let (edit, inverse) = (checked.edit().clone(), checked.inverse().clone());
        let Said {
            origin,
            at,
            label,
            turn,
        } = said;
        let label = label.unwrap_or_else(|| edit.summary());
        let change = checked.apply(&mut self.document);
        self.revision += 1;
        self.turn(&turn);
        let heading = Heading {
            revision: self.revision,
            at,
            origin,
            label,
            turn,
            functions: self.document.functions().len(),
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

    /// Does what the next entry of the log says.
    ///
    /// # Errors
    /// [`ReplayError`]. After [`ReplayError::Differs`] the state is of no use any more; after the others it is as it
    /// was.
    pub fn replay(&mut self, entry: &Entry) -> Result<(), ReplayError> {
        let revision = entry.revision();
        if revision != self.revision + 1 {
            return Err(ReplayError::Gap {
                expected: self.revision + 1,
                found: revision,
            });
        }
        self.follow(revision, &entry.edit)?;
        self.revision = revision;
        self.turn(&entry.heading.turn);
        self.agree(revision, entry.hash)
    }

    /// Takes back the entry that led here from `before`.
    ///
    /// # Errors
    /// As [`replay`](Self::replay).
    pub fn take_back(&mut self, entry: &Entry, before: Head) -> Result<(), ReplayError> {
        self.follow(entry.revision(), &entry.inverse)?;
        self.revision = before.revision;
        if let Turn::Checkpoint(name) = &entry.heading.turn {
            self.checkpoints.remove(name);
        }
        self.agree(entry.revision(), before.hash)
    }

    /// As [`replay`](Self::replay), for an entry whose hash is to be found.
    ///
    /// # Errors
    /// As [`replay`](Self::replay), but the states never differ.
    pub fn advance(&mut self, entry: &mut Entry) -> Result<(), ReplayError> {
        let revision = entry.revision();
        self.follow(revision, &entry.edit)?;
        self.revision = revision;
        self.turn(&entry.heading.turn);
        entry.hash = self.hash();
        Ok(())
    }

    fn follow(&mut self, revision: u64, edit: &Edit) -> Result<(), ReplayError> {
        let checked = check(&self.document, edit)
            .map_err(|error| ReplayError::Refused { revision, error })?;
        checked.apply(&mut self.document);
        Ok(())
    }

    fn agree(&self, revision: u64, expected: u64) -> Result<(), ReplayError> {
        match self.hash() {
            found if found == expected => Ok(()),
            found => Err(ReplayError::Differs {
                revision,
                expected,
                found,
            }),
        }
    }

    fn turn(&mut self, turn: &Turn) {
        if let Turn::Checkpoint(name) = turn {
            self.checkpoints.insert(name.clone(), self.revision);
        }
    }
}
