//! Reads of a project: no state is visible before it is durable.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use fibula_core::edit::State;
use fibula_store::{StoreError, block_in_place, load};

use super::Project;
use crate::project::change::Snapshot;
use crate::project::state::ProjectState;
use crate::refusal::Result;

/// Time that a read waits for what is being stored.
const PATIENCE: Duration = Duration::from_secs(1);

impl Project {
    /// Reads the state with a short `read` and returns once the state it saw is durable. Where that takes long, because
    /// another process holds the lock of the store, it reads the last stored state instead.
    pub(crate) fn read<T>(&self, read: impl Fn(&State) -> T) -> Result<T> {
        loop {
            let deadline = Some(Instant::now() + PATIENCE);
            let Some(state) = self.lock_current_until(deadline)? else {
                return block_in_place(|| self.read_stored(&read));
            };
            let (epoch, revision) = (self.epoch(), state.state.revision());
            let answer = read(&state.state);
            let is_settled =
                |state: &mut ProjectState| self.epoch() != epoch || !state.is_pending(revision);
            let mut state = self.wait_until(state, is_settled, deadline);
            if self.epoch() != epoch {
                continue;
            }
            let is_pending = state.is_pending(revision);
            drop(state);
            if is_pending {
                return block_in_place(|| self.read_stored(&read));
            }
            if let Ok(mut stored) = self.stored.try_lock() {
                *stored = None;
            }
            return Ok(answer);
        }
    }

    /// Reads the newest state in the store. It is kept for others that read it meanwhile.
    fn read_stored<T>(&self, read: impl Fn(&State) -> T) -> Result<T> {
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        let head = self.store.head(self.id)?;
        if let Some(state) = stored.as_ref().filter(|state| state.head() == head) {
            return Ok(read(state));
        }
        let loaded = load(&*self.store, self.id, None)?;
        match loaded.damage {
            Some(damage) => Err(StoreError::from(damage).into()),
            None => Ok(read(stored.insert(loaded.state))),
        }
    }

    /// As [`read`](Self::read), and returns the epoch, too; waits as long as it takes.
    pub(super) fn read_durable<T>(
        &self,
        read: impl Fn(&State) -> T,
    ) -> Result<(T, u64), StoreError> {
        loop {
            let state = self.lock_current()?;
            let (answer, epoch) = (read(&state.state), self.epoch());
            if self.wait_durable(state) {
                return Ok((answer, epoch));
            }
        }
    }

    pub(crate) fn snapshot(&self) -> Result<Snapshot> {
        self.read(Snapshot::of)
    }
}
