//! Work on a scoped thread, with progress reports and cancellation.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Interval between two calls of the watcher.
const PERIOD: Duration = Duration::from_millis(20);

/// Watcher of a long call: it receives the work done and its total, and cancels the work with `Break`.
pub type ProgressFn<'a> = &'a mut dyn FnMut(u64, u64) -> ControlFlow<()>;

/// Progress shared by the work and its watcher.
#[derive(Debug, Default)]
pub struct WatchedProgress {
    done: AtomicU64,
    stop: AtomicBool,
}

impl WatchedProgress {
    /// Reports progress. Returns `Break` if the work is cancelled.
    pub fn report(&self, done: u64) -> ControlFlow<()> {
        self.done.store(done, Relaxed);
        if self.stop.load(Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Runs `work` on a scoped thread. Meanwhile this thread calls `watch` with the work done and `total`; `Break` cancels
/// the work.
///
/// # Panics
/// If `work` does.
pub fn run_watched<R: Send>(
    total: u64,
    watch: ProgressFn<'_>,
    work: impl FnOnce(&WatchedProgress) -> R + Send,
) -> R {
    let progress = WatchedProgress::default();
    std::thread::scope(|scope| {
        let (alive, ended) = channel::<()>();
        let work = scope.spawn(|| {
            // Dropped when the work ends, even by a panic.
            let _alive = alive;
            work(&progress)
        });
        let still_runs = || {
            // In a thread of the pool, the work may wait for this very thread.
            while rayon::yield_now() == Some(rayon::Yield::Executed) {}
            ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout)
        };
        while still_runs() {
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
    use rayon::prelude::*;

    use super::*;

    #[test]
    fn watcher_cancels_the_work() {
        let mut seen = Vec::new();
        let ended = run_watched(
            10,
            &mut |done, total| {
                seen.push((done, total));
                ControlFlow::Break(())
            },
            |progress| {
                while progress.report(3).is_continue() {
                    std::thread::yield_now();
                }
                "ended"
            },
        );
        assert_eq!(ended, "ended");
        assert_eq!(seen.last(), Some(&(3, 10)));
    }

    #[test]
    fn threads_of_the_pool_do_not_wait_for_each_other() {
        let all = 0..2 * rayon::current_num_threads() as u64;
        let sums = all.into_par_iter().map(|from| {
            let work = |_: &WatchedProgress| (from..1_000).into_par_iter().sum::<u64>();
            run_watched(1, &mut |_, _| ControlFlow::Continue(()), work)
        });
        assert_eq!(sums.max(), Some(499_500));
    }

    #[test]
    #[should_panic(expected = "as it must")]
    fn panics_propagate() {
        run_watched(1, &mut |_, _| ControlFlow::Continue(()), |_| {
            panic!("as it must")
        });
    }
}
