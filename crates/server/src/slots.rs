//! Slots for long work: so much runs at a time, and the rest waits for its turn.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};

use fibula_service::Refusal;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Slots for long work.
#[derive(Debug)]
pub(crate) struct Slots {
    permits: Arc<Semaphore>,
    count: usize,
    waiting: AtomicUsize,
}

impl Slots {
    /// So many slots.
    pub(crate) fn new(count: usize) -> Arc<Self> {
        Arc::new(Slots {
            permits: Arc::new(Semaphore::new(count)),
            count,
            waiting: AtomicUsize::new(0),
        })
    }

    /// A slot for each core of the process, and at least two.
    pub(crate) fn of_cores() -> Arc<Self> {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Slots::new(cores.max(2))
    }

    /// Waits for a slot, which is free again when it is dropped.
    pub(crate) async fn acquire(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        let _waiting = Waiting::new(&self.waiting);
        let slot = self.permits.clone().acquire_owned().await;
        slot.map_err(|_| Refusal::cancelled())
    }

    /// Number of slots that are taken.
    pub(crate) fn running(&self) -> usize {
        self.count - self.permits.available_permits()
    }

    /// Number of callers that wait for one.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Relaxed)
    }
}

/// A caller that waits for a slot, unless it has gone.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Relaxed);
        Waiting(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// Slots of the process for reads of earlier states, which may take long to restore.
pub(crate) fn past_slots() -> &'static Arc<Slots> {
    static SLOTS: LazyLock<Arc<Slots>> = LazyLock::new(Slots::of_cores);
    &SLOTS
}
