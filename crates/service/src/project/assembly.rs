//! Documents with the objects of further model parts of their packages, as shapes are built of them.

use std::sync::Arc;

use fibula_3mf::{AssemblyError, Limits, assemble, has_external_objects};
use fibula_core::graph::ContentHash;

use crate::project::change::Snapshot;
use crate::project::commit::Project;
use crate::refusal::{Refusal, Result};

impl Project {
    /// Returns the project at a revision, or as it is now, with the objects of further model parts as objects of its own.
    ///
    /// # Errors
    /// A [`Refusal`] if a part is missing or cannot be read.
    pub(crate) fn assembled_at(&self, revision: Option<u64>) -> Result<Snapshot> {
        self.assembled(self.at(revision)?)
    }

    /// Returns a snapshot with the objects of further model parts as objects of its own.
    ///
    /// # Errors
    /// As [`assembled_at`](Self::assembled_at).
    pub(crate) fn assembled(&self, snapshot: Snapshot) -> Result<Snapshot> {
        if !has_external_objects(&snapshot.document) {
            return Ok(snapshot);
        }
        if let Some(found) = self.assemblies.find(snapshot.head.hash) {
            // An earlier revision may have been the same.
            return Ok(Snapshot {
                head: snapshot.head,
                ..found
            });
        }
        let own = &snapshot.part_contents;
        let contents = |hash: ContentHash| match own.get(&hash) {
            Some(bytes) => Ok(Some(bytes.clone())),
            None => self.store.content(hash).map_err(Into::into),
        };
        let mut assembly = assemble(&snapshot.document, &contents, &Limits::default())?;
        let own = own.iter().map(|(hash, bytes)| (*hash, bytes.clone()));
        assembly.contents.extend(own);
        let assembled = Snapshot {
            document: assembly.document,
            head: snapshot.head,
            part_contents: Arc::new(assembly.contents),
        };
        self.assemblies.keep(assembled.clone());
        Ok(assembled)
    }

    /// Bytes of a snapshot under a hash.
    ///
    /// # Errors
    /// A [`Refusal`] if the store cannot be read.
    pub(crate) fn content(
        &self,
        snapshot: &Snapshot,
        hash: ContentHash,
    ) -> Result<Option<Vec<u8>>> {
        match snapshot.part_contents.get(&hash) {
            Some(bytes) => Ok(Some(bytes.clone())),
            None => Ok(self.store.content(hash)?),
        }
    }
}

impl From<AssemblyError> for Refusal {
    fn from(error: AssemblyError) -> Self {
        match error {
            AssemblyError::Read(error) => error.into(),
            AssemblyError::Merge(error) => error.into(),
            _ => Refusal::new(error.code(), error.to_string()),
        }
    }
}
