//! Work on a thread beside the one that watches it.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How often the watcher is asked.
const PERIOD: Duration = Duration::from_millis(20);

/// What the work and its watcher share.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    done: AtomicU64,
    stop: AtomicBool,
}

impl Progress {
    /// Tells how much is done; says whether the rest is still wanted.
    pub(crate) fn tell(&self, done: u64) -> ControlFlow<()> {
        self.done.store(done, Relaxed);
        if self.stop.load(Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Does `work` on a thread of its own. Meanwhile `watch` is told on this one how much of `total` is done, and may have
/// it end.
pub(crate) fn beside<R: Send>(
    total: u64,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    work: impl FnOnce(&Progress) -> R + Send,
) -> R {
    let progress = Progress::default();
    std::thread::scope(|scope| {
        let (alive, ended) = channel::<()>();
        let work = scope.spawn(|| {
            // Dropped when the work has ended, whichever way.
            let _alive = alive;
            work(&progress)
        });
        while ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
            let done = progress.done.load(Relaxed);
            if watch(done, total).is_break() {
                progress.stop.store(true, Relaxed);
            }
        }
        work.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_watcher_ends_the_work() {
        let mut seen = Vec::new();
        let ended = beside(
            10,
            &mut |done, total| {
                seen.push((done, total));
                ControlFlow::Break(())
            },
            |progress| {
                while progress.tell(3).is_continue() {
                    std::thread::yield_now();
                }
                "ended"
            },
        );
        assert_eq!(ended, "ended");
        assert_eq!(seen.last(), Some(&(3, 10)));
    }

    #[test]
    #[should_panic(expected = "as it must")]
    fn a_panic_goes_on() {
        beside(1, &mut |_, _| ControlFlow::Continue(()), |_| {
            panic!("as it must")
        });
    }
}
