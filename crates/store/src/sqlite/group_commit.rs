//! Group commit: concurrent writes share one transaction and one `fsync`.
//!
//! The first waiter is the leader: it commits the group on its own thread, then elects the first waiter of the next
//! group. Waking up a dedicated thread would take as long as the disk. A background thread commits writes that nobody
//! waits for, detects writes of other processes, and retries failed wipes. Checkpoints follow commits.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rusqlite::Connection;

use super::committer::{Committer, EAGER, Signals};
use super::connection::{BusyTimeout, DatabaseFile};
use super::pending_write::PendingWrite;
use crate::StoreError;
use crate::ticket::GroupLeader;

/// Maximum number of writes, and of bytes, per transaction.
const GROUP: usize = 1024;
const GROUP_BYTES: usize = 8 << 20;
/// Queue capacity; a caller that exceeds it commits a group first (back-pressure).
const QUEUE: usize = 1024;

/// Handle of the group commit and its background thread.
#[derive(Debug)]
pub(super) struct Writer {
    group_commit: Arc<GroupCommit>,
    thread: Option<JoinHandle<()>>,
}

/// Queue of pending writes, and the committer.
#[derive(Debug)]
pub(super) struct GroupCommit {
    queue: Mutex<Queue>,
    committer: Mutex<Committer>,
}

#[derive(Debug, Default)]
struct Queue {
    jobs: VecDeque<PendingWrite>,
    /// True while an elected leader has not finished.
    has_leader: bool,
    /// Number of groups taken.
    groups: u64,
    closed: bool,
}

impl Writer {
    /// Starts the background thread with a read-write or a read-only connection.
    pub(super) fn start(
        file: Arc<DatabaseFile>,
        signals: Arc<Signals>,
        connection: Connection,
        busy_timeout: BusyTimeout,
    ) -> Result<Self, StoreError> {
        let place = file.name();
        let committer = Committer::open(file, signals, connection, busy_timeout)?;
        let group_commit = Arc::new(GroupCommit {
            queue: Mutex::default(),
            committer: Mutex::new(committer),
        });
        let theirs = group_commit.clone();
        let thread = thread::Builder::new().name("fibula-store".to_owned());
        let thread = thread.spawn(move || theirs.run_maintenance());
        let thread = thread.map_err(|error| StoreError::Io {
            place,
            message: error.to_string(),
        })?;
        Ok(Writer {
            group_commit,
            thread: Some(thread),
        })
    }

    /// Enqueues a write.
    pub(super) fn send(&self, job: PendingWrite) {
        self.group_commit.send(job);
    }

    /// Returns the group commit, for tickets to lead.
    pub(super) fn group_commit(&self) -> Arc<GroupCommit> {
        self.group_commit.clone()
    }

    /// Waits for the outcome of a write, and leads a group if nobody else does.
    pub(super) fn wait(
        &self,
        outcome: &Receiver<Result<u64, StoreError>>,
    ) -> Result<u64, StoreError> {
        let mut timeout = Duration::ZERO;
        loop {
            match outcome.recv_timeout(timeout) {
                Ok(outcome) => return outcome,
                // Earlier writes may fill more than one group.
                Err(RecvTimeoutError::Timeout) => self.group_commit.lead_commit(),
                Err(RecvTimeoutError::Disconnected) => return Err(StoreError::Closed),
            }
            timeout = EAGER;
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.group_commit.queue().closed = true;
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // The panic hook has reported a panic of that thread.
            let _ = thread.join();
        }
    }
}

impl GroupLeader for GroupCommit {
    fn lead_commit(&self) {
        let mut committer = self.committer();
        let group = take_group(&mut self.queue());
        let unexpired = if group.is_empty() {
            Vec::new()
        } else {
            committer.write(group)
        };
        // Before others may commit what was queued later.
        let mut queue = self.queue();
        for job in unexpired.into_iter().rev() {
            queue.jobs.push_front(job);
        }
        drop(committer);
        queue.has_leader = queue
            .jobs
            .front()
            .is_some_and(|job| job.reply.elect_leader());
    }
}

impl GroupCommit {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn committer(&self) -> MutexGuard<'_, Committer> {
        self.committer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, job: PendingWrite) {
        let mut queue = self.queue();
        while queue.jobs.len() >= QUEUE {
            // Back-pressure: the caller commits a group.
            drop(queue);
            self.lead_commit();
            queue = self.queue();
        }
        if queue.closed {
            drop(queue);
            return job.reply.complete(Err(StoreError::Closed));
        }
        if !queue.has_leader {
            queue.has_leader = job.reply.elect_leader();
        }
        queue.jobs.push_back(job);
    }

    /// Main loop of the background thread.
    fn run_maintenance(&self) {
        let (mut pause, mut seen) = (EAGER, 0);
        loop {
            thread::park_timeout(pause);
            let (waiting, groups, closed) = {
                let queue = self.queue();
                (!queue.jobs.is_empty(), queue.groups, queue.closed)
            };
            if waiting && (groups == seen || closed) {
                self.lead_commit();
            } else if closed {
                // SQLite runs the last checkpoint when the last connection closes.
                return self.committer().close();
            }
            seen = groups;
            match self.committer.try_lock() {
                Ok(mut committer) => {
                    committer.idle();
                    pause = committer.pause();
                }
                Err(TryLockError::Poisoned(_)) => self.committer.clear_poison(),
                Err(TryLockError::WouldBlock) => pause = EAGER,
            }
            if closed {
                pause = Duration::ZERO;
            }
        }
    }
}

/// Takes the next group from the queue.
fn take_group(queue: &mut Queue) -> Vec<PendingWrite> {
    let (mut group, mut bytes) = (Vec::new(), 0);
    while let Some(job) = queue.jobs.front() {
        let alone = job.write.wipes();
        if !group.is_empty() && (alone || group.len() >= GROUP || bytes >= GROUP_BYTES) {
            break;
        }
        bytes += job.write.size();
        group.extend(queue.jobs.pop_front());
        if alone {
            break;
        }
    }
    queue.groups += u64::from(!group.is_empty());
    group
}
