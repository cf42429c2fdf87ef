//! Records: entries as they are stored, and read for ever.
//!
//! The heading and the body are JSON apart, so that a history can be listed without reading every change. Each record
//! tells the format that it was written in.

use fibula_core::edit::{Edit, Entry, Head, Heading};
use fibula_core::graph::ContentHash;
use serde::{Deserialize, Serialize};

use super::{Damage, StoreError};

/// The newest format of records, which is what is written.
pub const RECORD_FORMAT: u32 = 1;

/// An entry of a log, as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The revision.
    pub revision: u64,
    /// The format of the rest.
    pub format: u32,
    /// The hash of the state after it.
    pub hash: u64,
    /// When, who and what in words, as JSON.
    pub heading: Vec<u8>,
    /// The change and what takes it back, as JSON.
    pub body: Vec<u8>,
    /// A checksum of all of it.
    pub check: u64,
}

#[derive(Serialize)]
struct BodyOut<'a> {
    edit: &'a Edit,
    inverse: &'a Edit,
}

#[derive(Deserialize)]
struct Body {
    edit: Edit,
    inverse: Edit,
}

impl Record {
    /// The entry as it is stored.
    ///
    /// # Panics
    /// Never: an edit is data, which JSON can say.
    pub fn new(entry: &Entry) -> Self {
        let body = BodyOut {
            edit: &entry.edit,
            inverse: &entry.inverse,
        };
        let json = "edits have only text for keys";
        let mut record = Record {
            revision: entry.revision(),
            format: RECORD_FORMAT,
            hash: entry.hash,
            heading: serde_json::to_vec(&entry.heading).expect(json),
            body: serde_json::to_vec(&body).expect(json),
            check: 0,
        };
        record.check = record.sum();
        record
    }

    /// The entry.
    ///
    /// # Errors
    /// [`Damage`] when it is not what was written, or was written by a later version.
    pub fn entry(&self) -> Result<Entry, Damage> {
        if self.check != self.sum() {
            return Err(Damage::Record(self.revision));
        }
        let heading = self.heading()?;
        let Body { edit, inverse } =
            serde_json::from_slice(&self.body).map_err(|error| self.unreadable(&error))?;
        Ok(Entry {
            heading,
            edit,
            inverse,
            hash: self.hash,
        })
    }

    /// When, who and what in words; the checksum is not looked at, since the body may not be there.
    ///
    /// # Errors
    /// As [`entry`](Self::entry).
    pub fn heading(&self) -> Result<Heading, Damage> {
        if self.format > RECORD_FORMAT {
            return Err(Damage::Newer {
                revision: self.revision,
                found: self.format,
                known: RECORD_FORMAT,
            });
        }
        let heading = serde_json::from_slice(&self.heading);
        let heading: Heading = heading.map_err(|error| self.unreadable(&error))?;
        Ok(Heading {
            revision: self.revision,
            ..heading
        })
    }

    /// Whether it comes right after a head, so that no log gets a gap.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when it does not.
    pub fn follows(&self, head: Head) -> Result<(), StoreError> {
        if self.revision.checked_sub(1) == Some(head.revision) {
            return Ok(());
        }
        let expected = Head {
            revision: self.revision.saturating_sub(1),
            ..head
        };
        let found = head;
        Err(StoreError::Conflict { expected, found })
    }

    /// How many bytes it has.
    pub fn size(&self) -> usize {
        self.heading.len() + self.body.len()
    }

    fn unreadable(&self, error: &serde_json::Error) -> Damage {
        Damage::Unreadable {
            revision: self.revision,
            message: error.to_string(),
        }
    }

    /// The short hash of everything, each part with its length before it.
    fn sum(&self) -> u64 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.revision.to_le_bytes());
        hasher.update(&self.format.to_le_bytes());
        hasher.update(&self.hash.to_le_bytes());
        for part in [&self.heading, &self.body] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        ContentHash(*hasher.finalize().as_bytes()).short()
    }
}
