//! Waiting for a record to last.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use tokio::runtime::{Handle, RuntimeFlavor};

use super::StoreError;

/// Tells when a record lasts.
#[derive(Debug)]
pub struct Ticket {
    news: Receiver<News>,
    lead: Option<Arc<dyn Lead>>,
}

/// The other end of a [`Ticket`].
#[derive(Debug)]
pub struct Promise(Sender<News>);

/// What a store does on the thread of somebody who waits: nobody is quicker than who is awake already.
pub(super) trait Lead: Debug + Send + Sync {
    /// Writes what waits to be written, of all who wait.
    fn lead(&self);
}

/// What is told to who waits: what came of it, or `None` when nobody else writes what waits.
type News = Option<Result<(), StoreError>>;

/// A ticket, and the promise that it waits for.
pub fn ticket() -> (Promise, Ticket) {
    let (promise, news) = channel();
    (Promise(promise), Ticket { news, lead: None })
}

impl Promise {
    /// Tells what came of it.
    pub fn keep(self, outcome: Result<(), StoreError>) {
        // Who does not wait any more misses nothing.
        let _ = self.0.send(Some(outcome));
    }

    /// Asks who waits to lead; tells whether there is somebody.
    pub(super) fn ask_to_lead(&self) -> bool {
        self.0.send(None).is_ok()
    }
}

impl Ticket {
    /// The ticket of a store that can be asked to write on the thread that waits.
    pub(super) fn with(self, lead: Arc<dyn Lead>) -> Self {
        Ticket {
            lead: Some(lead),
            ..self
        }
    }

    /// Waits.
    ///
    /// # Errors
    /// [`StoreError`] when the record was not appended.
    pub fn wait(self) -> Result<(), StoreError> {
        let lead = match self.news.try_recv() {
            Ok(Some(outcome)) => return outcome,
            Ok(None) => true,
            Err(_) => false,
        };
        apart(|| {
            let mut leads = lead;
            loop {
                if let (true, Some(lead)) = (leads, &self.lead) {
                    lead.lead();
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

/// Does what may wait. On a runtime with several threads the others take over this one's tasks meanwhile.
pub fn apart<T>(wait: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(wait),
        Ok(_) | Err(_) => wait(),
    }
}
