//! Tapes that were made lately, for the next evaluation of the same function.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use fibula_core::edit::Head;
use fibula_core::eval::{Request, Tape};
use fibula_core::graph::FunctionId;
use fibula_nodes::Value;

use super::project::{Project, Snapshot};
use super::refusal::Refusal;

/// How many tapes are kept.
const KEPT: usize = 16;
/// Larger tapes are not kept.
const LARGEST: usize = 200_000;

/// The tapes of a project's last evaluations, the newest last.
#[derive(Debug, Default)]
pub(super) struct Tapes(Mutex<Vec<(Key, Arc<Tape>)>>);

/// What a tape was made from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Key {
    pub(super) head: Head,
    pub(super) function: FunctionId,
    pub(super) outputs: Option<Vec<String>>,
    pub(super) statics: BTreeMap<String, Value>,
}

impl Tapes {
    /// The tape, if it is there.
    pub(super) fn find(&self, key: &Key) -> Option<Arc<Tape>> {
        let tapes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = tapes.iter().find(|(other, _)| other == key);
        found.map(|(_, tape)| tape.clone())
    }

    fn keep(&self, key: &Key, tape: &Arc<Tape>) {
        let mut tapes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tapes.retain(|(other, _)| other.head.revision >= key.head.revision);
        if tapes.len() >= KEPT {
            tapes.remove(0);
        }
        tapes.push((key.clone(), tape.clone()));
    }
}

impl Project {
    /// The tape of a function, made if it is not there.
    pub(super) fn tape(&self, snapshot: &Snapshot, key: &Key) -> Result<Arc<Tape>, Refusal> {
        if let Some(tape) = self.tapes.find(key) {
            return Ok(tape);
        }
        let request = Request {
            outputs: key.outputs.clone(),
            statics: key.statics.clone(),
        };
        let document = self.answering(snapshot, key.asks())?;
        let tape = Arc::new(Tape::with(&document, key.function, &request)?);
        if tape.operations().len() <= LARGEST {
            self.tapes.keep(key, &tape);
        }
        Ok(tape)
    }
}
