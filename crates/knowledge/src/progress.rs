//! How far work is that threads share, told to whoever watches, who may end it.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Is told how many points, or other parts of the work, of how many are done, on any thread, and may end the work.
pub type Watch<'a> = dyn Fn(u64, u64) -> ControlFlow<()> + Sync + 'a;

/// The work was ended before it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the work was cancelled")]
pub struct Cancelled;

/// Counts what all threads have done.
pub struct Progress<'a> {
    watch: &'a Watch<'a>,
    total: u64,
    done: AtomicU64,
    ended: AtomicBool,
}

impl<'a> Progress<'a> {
    /// Of so many parts.
    pub fn new(total: u64, watch: &'a Watch<'a>) -> Progress<'a> {
        Progress {
            watch,
            total,
            done: AtomicU64::new(0),
            ended: AtomicBool::new(false),
        }
    }

    /// Tells that so many more parts are done, and asks whether the rest is still wanted; none only asks. Work of which all is
    /// done cannot be ended any more.
    pub fn add(&self, more: u64) {
        let done = self.done.fetch_add(more, Ordering::Relaxed) + more;
        if (self.watch)(done, self.total).is_break() && done < self.total {
            self.ended.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the work is no longer wanted.
    pub fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// What becomes of the rest of the work.
    pub fn flow(&self) -> ControlFlow<()> {
        if self.is_ended() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// What was made of the work, if it was not ended.
    ///
    /// # Errors
    /// [`Cancelled`] if it was.
    pub fn finish<T>(self, made: T) -> Result<T, Cancelled> {
        if self.ended.into_inner() {
            Err(Cancelled)
        } else {
            Ok(made)
        }
    }
}
