//! Log records: the serialised form of log entries, which every later version can read.
//!
//! Heading and body are separate JSON documents, so that a history can be listed without reading the edits. Each record
//! has a format number and a checksum (BLAKE3, truncated to 64 bits).

use std::convert::Infallible;

use fibula_core::edit::{Edit, Entry, Head, Heading};
use fibula_core::graph::ContentHash;
use serde::{Deserialize, Serialize};

use super::{Damage, StoreError};

/// Record format that is written; it is also the newest that can be read.
pub const RECORD_FORMAT: u32 = 1;

/// A log entry in its stored form.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Revision of the state after the entry.
    pub revision: u64,
    /// Format of heading and body.
    pub format: u32,
    /// Hash of the state after the entry.
    pub hash: u64,
    /// Time, author and summary, as JSON.
    pub heading: Vec<u8>,
    /// The edit and its inverse, as JSON; empty if it was not read.
    pub body: Vec<u8>,
    /// Checksum of all other fields.
    pub check: u64,
}

/// The heading of a record whose checksum was verified.
#[derive(Debug)]
pub struct CheckedHeading {
    /// Revision of the state after the entry.
    pub revision: u64,
    /// The heading; damage if the checksum or the JSON is wrong, or the record has a later format.
    pub heading: Result<Heading, Damage>,
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
    /// Serialises an entry.
    ///
    /// # Panics
    /// Never: the keys of an edit's maps are strings, which JSON can represent.
    pub fn new(entry: &Entry) -> Self {
        let body = BodyOut {
            edit: &entry.edit,
            inverse: &entry.inverse,
        };
        let json = "the keys of an edit's maps are strings";
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

    /// Checks and parses the record.
    ///
    /// # Errors
    /// [`Damage`] if the checksum or the JSON is wrong, or the record has a later format.
    pub fn entry(&self) -> Result<Entry, Damage> {
        let heading = self.checked_heading()?;
        let Body { edit, inverse } =
            serde_json::from_slice(&self.body).map_err(|error| self.unreadable(&error))?;
        Ok(Entry {
            heading,
            edit,
            inverse,
            hash: self.hash,
        })
    }

    /// Parses the heading. Does not verify the checksum, since the body may not have been read.
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

    /// Verifies the checksum and parses the heading. The body must have been read.
    ///
    /// # Errors
    /// As [`entry`](Self::entry).
    pub fn checked_heading(&self) -> Result<Heading, Damage> {
        self.heading_with(self.sum())
    }

    /// As [`checked_heading`](Self::checked_heading), with the [checksum](Self::checksum) of a body that was not kept.
    pub(crate) fn heading_with(&self, checksum: u64) -> Result<Heading, Damage> {
        if self.check == checksum {
            self.heading()
        } else {
            Err(Damage::Record(self.revision))
        }
    }

    /// Checks that the record has the revision after `head`, so that no log gets a gap.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if it has another one.
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

    /// Returns the head of a log that ends with this record.
    pub fn head(&self) -> Head {
        Head {
            revision: self.revision,
            hash: self.hash,
        }
    }

    /// Number of bytes of heading and body.
    pub fn size(&self) -> usize {
        self.heading.len() + self.body.len()
    }

    fn unreadable(&self, error: &serde_json::Error) -> Damage {
        Damage::Unreadable {
            revision: self.revision,
            message: error.to_string(),
        }
    }

    /// Returns the checksum: each variable-length field is hashed after its length. `body` passes the body to the hash.
    pub(crate) fn checksum<E>(
        &self,
        body_length: usize,
        body: impl FnOnce(&mut blake3::Hasher) -> Result<(), E>,
    ) -> Result<u64, E> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.revision.to_le_bytes());
        hasher.update(&self.format.to_le_bytes());
        hasher.update(&self.hash.to_le_bytes());
        hasher.update(&(self.heading.len() as u64).to_le_bytes());
        hasher.update(&self.heading);
        hasher.update(&(body_length as u64).to_le_bytes());
        body(&mut hasher)?;
        Ok(ContentHash(*hasher.finalize().as_bytes()).short())
    }

    /// Checksum of the record with its own body.
    fn sum(&self) -> u64 {
        let own: Result<u64, Infallible> = self.checksum(self.body.len(), |hasher| {
            hasher.update(&self.body);
            Ok(())
        });
        let Ok(sum) = own;
        sum
    }
}
