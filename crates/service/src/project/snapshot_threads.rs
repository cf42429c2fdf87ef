//! Threads that write snapshots of projects in the background.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

/// The running threads of all projects.
#[derive(Debug, Default)]
pub(crate) struct SnapshotThreads(Mutex<Vec<JoinHandle<()>>>);

impl SnapshotThreads {
    /// Runs `work` on a thread of its own.
    pub(crate) fn spawn(&self, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let thread = Builder::new().name("fibula-snapshot".to_owned());
        let thread = thread.spawn(work)?;
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|thread| !thread.is_finished());
        running.push(thread);
        Ok(())
    }

    /// Waits for all of them.
    pub(crate) fn join(&self) {
        let running = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in running {
            // A panic was logged by its hook, and leaves a log without a snapshot.
            let _ = thread.join();
        }
    }
}
