//! Edits that are only tried: a state of a project as it would be with them, of which nothing is written.

use std::ops::ControlFlow;
use std::sync::Arc;

use fibula_core::graph::{ContentHash, Document};
use serde_json::Value as Json;

use crate::edits::batch::Batch;
use crate::project::change::Snapshot;
use crate::project::commit::Project;
use crate::refusal::Result;

impl Project {
    /// Returns the project at a revision, or as it is now, as it would be with the edits. Its revision is that without them.
    ///
    /// # Errors
    /// A [`Refusal`](crate::refusal::Refusal) if there is no such revision, and that of the first edit that is not
    /// possible, with its index.
    pub(crate) fn tried_at(&self, revision: Option<u64>, edits: &[Json]) -> Result<Snapshot> {
        let snapshot = self.at(revision)?;
        if edits.is_empty() {
            return Ok(snapshot);
        }
        let never = &mut |_, _| ControlFlow::Continue(());
        let batch = Batch::of(&snapshot.document, edits, never)?;
        Ok(snapshot.with(batch))
    }
}

impl Snapshot {
    /// The snapshot with the document after a batch, and the hash that its state would have.
    fn with(mut self, batch: Batch) -> Snapshot {
        let document: &Document = batch.stage.document();
        let change = document.hash().wrapping_sub(self.document.hash());
        self.head.hash = self.head.hash.wrapping_add(change);
        self.document = document.clone();
        let contents = batch.contents.into_iter();
        let contents = contents.map(|bytes| (ContentHash::digest(&bytes), bytes));
        Arc::make_mut(&mut self.part_contents).extend(contents);
        self
    }
}

/// Number of edits that an answer says were tried.
pub(crate) fn tried(edits: &[Json]) -> Option<usize> {
    (!edits.is_empty()).then_some(edits.len())
}
