//! Compilation of functions to tapes, through the cache.

use std::sync::Arc;

use fibula_core::eval::{Request, Tape};

use crate::project::change::Snapshot;
use crate::project::commit::Project;
use crate::project::tape_cache::{MOST_OPERATIONS, TapeKey};
use crate::refusal::Result;

impl Project {
    /// Returns the tape of a function, compiling it if it is not in the cache.
    pub(crate) fn tape(&self, snapshot: &Snapshot, key: &TapeKey) -> Result<Arc<Tape>> {
        if let Some(tape) = self.tapes.find(key) {
            return Ok(tape);
        }
        let request = Request {
            outputs: key.outputs.clone(),
            statics: key.statics.clone(),
        };
        let document = self.with_content(snapshot, key.resources())?;
        let tape = Arc::new(Tape::with(&document, key.function, &request)?);
        if tape.operations().len() <= MOST_OPERATIONS {
            self.tapes.keep(key, &tape);
        }
        Ok(tape)
    }
}
