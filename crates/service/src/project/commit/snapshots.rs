//! Snapshots of a project, written in the background so that its log need not be replayed from its beginning.

use std::sync::Arc;
use std::sync::atomic::Ordering::{self, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicUsize};

use fibula_core::edit::State;
use fibula_store::store_snapshot;

use super::Project;
use crate::project::snapshot_threads::SnapshotThreads;

/// Bytes of log tail below which no snapshot is written, since replaying them is fast.
const SNAPSHOT_MIN_TAIL_BYTES: usize = 256 << 10;
/// Ratio of tail bytes to the bytes of the last snapshot above which a new snapshot is written. It keeps the cost of
/// snapshots below that of the log.
const SNAPSHOT_TAIL_RATIO: usize = 4;

/// Background writer of snapshots; at most one runs per project.
#[derive(Debug)]
pub(super) struct SnapshotWriter {
    running: AtomicBool,
    /// Bytes of the last snapshot.
    size: AtomicUsize,
    threads: Arc<SnapshotThreads>,
}

impl SnapshotWriter {
    pub(super) fn new(threads: Arc<SnapshotThreads>) -> Self {
        SnapshotWriter {
            running: AtomicBool::default(),
            size: AtomicUsize::default(),
            threads,
        }
    }
}

impl Project {
    /// Counts the bytes of a record since the last snapshot. When they are many, writes a snapshot of the durable state on
    /// a background thread, for which the service waits when it is dropped.
    pub(super) fn lengthen_tail(&self, bytes: usize) {
        let writer = &self.snapshot_writer;
        let tail = self.progress.tail_bytes.fetch_add(bytes, SeqCst) + bytes;
        let last = writer.size.load(Ordering::Relaxed);
        if tail <= SNAPSHOT_MIN_TAIL_BYTES.max(last.saturating_mul(SNAPSHOT_TAIL_RATIO)) {
            return;
        }
        let Some(project) = self.this.upgrade() else {
            return;
        };
        if writer.running.swap(true, Ordering::AcqRel) {
            return;
        }
        self.progress.tail_bytes.store(0, SeqCst);
        let work = move || {
            let writer = &project.snapshot_writer;
            let state = project.read_durable(State::clone);
            match state.and_then(|(state, _)| store_snapshot(&*project.store, project.id, &state)) {
                Ok(size) => writer.size.store(size, Ordering::Relaxed),
                Err(error) => tracing::error!(%error, "a snapshot could not be written"),
            }
            writer.running.store(false, Ordering::Release);
        };
        if let Err(error) = writer.threads.spawn(work) {
            tracing::error!(%error, "a snapshot could not be started");
            writer.running.store(false, Ordering::Release);
        }
    }
}
