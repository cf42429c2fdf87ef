//! Waiting for a record to last.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use tokio::runtime::{Handle, RuntimeFlavor};

use super::StoreError;

/// Tells when a record lasts.
#[derive(Debug)]
pub struct Ticket(Receiver<Result<(), StoreError>>);

/// The other end of a [`Ticket`].
#[derive(Debug)]
pub struct Promise(SyncSender<Result<(), StoreError>>);

/// A ticket, and the promise that it waits for.
pub fn ticket() -> (Promise, Ticket) {
    let (promise, ticket) = sync_channel(1);
    (Promise(promise), Ticket(ticket))
}

impl Promise {
    /// Tells what came of it.
    pub fn keep(self, outcome: Result<(), StoreError>) {
        // Who does not wait any more misses nothing.
        let _ = self.0.try_send(outcome);
    }
}

impl Ticket {
    /// Waits.
    ///
    /// # Errors
    /// [`StoreError`] when the record was not appended.
    pub fn wait(self) -> Result<(), StoreError> {
        if let Ok(outcome) = self.0.try_recv() {
            return outcome;
        }
        apart(|| self.0.recv().unwrap_or(Err(StoreError::Closed)))
    }
}

/// Does what may wait. On a runtime with several threads the others take over this one's tasks meanwhile.
pub fn apart<T>(wait: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(wait),
        Ok(_) | Err(_) => wait(),
    }
}
