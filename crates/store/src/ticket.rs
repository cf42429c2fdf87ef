//! Waiting for a commit: the promise of an append and its future.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use tokio::runtime::{Handle, RuntimeFlavor};

use super::StoreError;

/// Pending append; [`wait`](Self::wait) blocks until it is committed or rejected.
#[derive(Debug)]
pub struct Ticket {
    news: Receiver<Notification>,
    lead: Option<Arc<dyn GroupLeader>>,
}

/// Sender of the outcome of a [`Ticket`].
#[derive(Debug)]
pub struct Promise(Sender<Notification>);

/// Commits a group on the thread of a waiter, which spares waking up another thread.
pub(super) trait GroupLeader: Debug + Send + Sync {
    /// Commits the next group of pending writes, those of other waiters included.
    fn lead_commit(&self);
}

/// Outcome of the append, or `None` if the receiver has been elected leader of the next group.
type Notification = Option<Result<(), StoreError>>;

/// Creates a promise and the ticket that waits for it.
pub fn ticket() -> (Promise, Ticket) {
    let (promise, news) = channel();
    (Promise(promise), Ticket { news, lead: None })
}

impl Promise {
    /// Sends the outcome to the ticket.
    pub fn complete(self, outcome: Result<(), StoreError>) {
        // A dropped ticket needs no outcome.
        let _ = self.0.send(Some(outcome));
    }

    /// Elects the holder of the ticket leader; returns `false` if the ticket was dropped.
    pub(super) fn elect_leader(&self) -> bool {
        self.0.send(None).is_ok()
    }
}

impl Ticket {
    /// Lets the ticket's holder be elected leader while it waits.
    pub(super) fn with_leader(self, lead: Arc<dyn GroupLeader>) -> Self {
        Ticket {
            lead: Some(lead),
            ..self
        }
    }

    /// Blocks until the append is committed or rejected.
    ///
    /// # Errors
    /// [`StoreError`] if the record was not appended.
    pub fn wait(self) -> Result<(), StoreError> {
        let lead = match self.news.try_recv() {
            Ok(Some(outcome)) => return outcome,
            Ok(None) => true,
            Err(_) => false,
        };
        block_in_place(|| {
            let mut leads = lead;
            loop {
                if let (true, Some(lead)) = (leads, &self.lead) {
                    lead.lead_commit();
                }
                match self.news.recv() {
                    Ok(Some(outcome)) => return outcome,
                    Ok(None) => leads = true,
                    Err(_) => return Err(StoreError::Closed),
                }
            }
        })
    }
}

/// Runs a blocking closure. On a multi-threaded Tokio runtime, other threads take over this thread's tasks meanwhile;
/// elsewhere the closure is just called.
pub fn block_in_place<T>(wait: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(wait),
        Ok(_) | Err(_) => wait(),
    }
}
