//! Progress and cancellation of work that several threads share.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Callback that receives the number of completed units of work and their total, from any thread, and may cancel the
/// work.
pub type Watch<'a> = dyn Fn(u64, u64) -> ControlFlow<()> + Sync + 'a;

/// Error returned by work that its callback cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the operation was cancelled")]
pub struct Cancelled;

/// Calls a callback with a number of completed units, which is below the total or raises it.
///
/// # Errors
/// [`Cancelled`] if it cancels the work.
pub(crate) fn check(watch: &Watch<'_>, done: u64, total: u64) -> Result<(), Cancelled> {
    match watch(done, total.max(done + 1)) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Cancelled),
    }
}

/// Counter of the units of work that all threads have completed.
pub struct Progress<'a> {
    watch: &'a Watch<'a>,
    total: u64,
    done: AtomicU64,
    ended: AtomicBool,
}

impl<'a> Progress<'a> {
    /// Starts to count work of `total` units.
    pub fn new(total: u64, watch: &'a Watch<'a>) -> Progress<'a> {
        Progress {
            watch,
            total,
            done: AtomicU64::new(0),
            ended: AtomicBool::new(false),
        }
    }

    /// Adds completed units and calls the callback; 0 only checks for cancellation. Work that is complete can no longer
    /// be cancelled.
    pub fn add(&self, more: u64) {
        let done = self.done.fetch_add(more, Ordering::Relaxed) + more;
        if (self.watch)(done, self.total).is_break() && done < self.total {
            self.ended.store(true, Ordering::Relaxed);
        }
    }

    /// As [`add`](Self::add), for workers that stop at once.
    ///
    /// # Errors
    /// [`Cancelled`] if the operation was cancelled.
    pub fn advance(&self, more: u64) -> Result<(), Cancelled> {
        self.add(more);
        if self.is_ended() {
            return Err(Cancelled);
        }
        Ok(())
    }

    /// True if the operation was cancelled.
    pub fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Returns `Break` if the operation was cancelled.
    pub fn flow(&self) -> ControlFlow<()> {
        if self.is_ended() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Returns the result of the work.
    ///
    /// # Errors
    /// [`Cancelled`] if the operation was cancelled.
    pub fn finish<T>(self, made: T) -> Result<T, Cancelled> {
        if self.ended.into_inner() {
            Err(Cancelled)
        } else {
            Ok(made)
        }
    }
}
