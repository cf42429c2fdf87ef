//! A queued write, and where its outcome goes.

use std::sync::mpsc::SyncSender;
use std::time::Instant;

use super::transaction::WriteOp;
use crate::{Promise, StoreError};

/// A queued write, and the receiver of its outcome.
#[derive(Debug)]
pub(super) struct PendingWrite {
    pub(super) write: WriteOp,
    pub(super) reply: Completion,
    /// Time at which it was queued.
    pub(super) since: Instant,
}

/// Receiver of the outcome of a write.
#[derive(Debug)]
pub(super) enum Completion {
    /// The holder of a ticket.
    Promise(Promise),
    /// A blocked caller.
    Caller(SyncSender<Result<u64, StoreError>>),
}

impl Completion {
    pub(super) fn complete(self, outcome: Result<u64, StoreError>) {
        match self {
            Completion::Promise(promise) => promise.complete(outcome.map(drop)),
            // A receiver that is gone needs no outcome.
            Completion::Caller(sender) => drop(sender.try_send(outcome)),
        }
    }

    /// Elects the receiver leader; returns `false` if it is gone.
    pub(super) fn elect_leader(&self) -> bool {
        match self {
            Completion::Promise(promise) => promise.elect_leader(),
            // A blocked caller leads by itself.
            Completion::Caller(_) => true,
        }
    }
}
