//! Work that takes long, on threads of its own.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use fibula_service::Refusal;
use tokio::sync::Semaphore;

/// Told how much of how much is done; says whether the work is still wanted.
pub(super) type Watch<'a> = dyn FnMut(u64, u64) -> ControlFlow<()> + 'a;

/// What may be long.
pub(super) type Long<A> = Box<dyn FnOnce(&mut Watch<'_>) -> Result<A, Refusal> + Send>;

/// An answer, or the work that leads to it.
pub(super) enum Work<A> {
    Done(A),
    Later(Long<A>),
}

impl<A: 'static> Work<A> {
    /// The work of which the answer is made into another.
    pub(super) fn map<B>(
        self,
        make: impl FnOnce(A) -> Result<B, Refusal> + Send + 'static,
    ) -> Result<Work<B>, Refusal> {
        match self {
            Work::Done(answer) => Ok(Work::Done(make(answer)?)),
            Work::Later(long) => Ok(Work::Later(Box::new(move |watch| make(long(watch)?)))),
        }
    }
}

/// Stops the work when its caller goes.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Does `work` on a thread of its own. At most as much is done at once as `slots` has places; what comes then waits.
pub(super) async fn run<A: Send + 'static>(
    slots: &Arc<Semaphore>,
    work: impl FnOnce(&mut Watch<'_>) -> Result<A, Refusal> + Send + 'static,
) -> Result<A, Refusal> {
    let slot = slots.clone().acquire_owned().await;
    let slot = slot.map_err(|_| Refusal::cancelled())?;
    let stop = Arc::new(AtomicBool::new(false));
    let _stop = StopOnDrop(stop.clone());
    let work = tokio::task::spawn_blocking(move || {
        // Held until the work has really ended.
        let _slot = slot;
        guarded(|| {
            work(&mut |_, _| {
                if stop.load(Relaxed) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })
        })
    });
    work.await.unwrap_or_else(|_| Err(broken_off()))
}

/// Does `work`; a panic is a refusal, not the end of the connection.
pub(super) fn guarded<A>(work: impl FnOnce() -> Result<A, Refusal>) -> Result<A, Refusal> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(broken_off()))
}

fn broken_off() -> Refusal {
    tracing::error!("a request broke off");
    Refusal::new(
        "internal",
        "the request broke off, which is a fault of this program",
    )
    .hint("other requests go on; look at the history whether anything was changed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_a_refusal() {
        let code = |outcome: Result<(), Refusal>| outcome.map_err(|refusal| refusal.code);
        assert_eq!(code(guarded(|| panic!("as it must"))), Err("internal"));
        let slots = Arc::new(Semaphore::new(1));
        let broken = run(&slots, |_| panic!("as it must")).await;
        assert_eq!(code(broken), Err("internal"));
        // Its place is free again.
        assert_eq!(code(run(&slots, |_| Ok(())).await), Ok(()));
    }

    #[tokio::test]
    async fn work_ends_when_its_caller_goes() {
        let slots = Arc::new(Semaphore::new(1));
        let endless = run(&slots, |watch| {
            while watch(0, 1).is_continue() {
                std::thread::yield_now();
            }
            Ok(())
        });
        let soon = std::time::Duration::from_millis(20);
        assert!(tokio::time::timeout(soon, endless).await.is_err());
        let next = run(&slots, |_| Ok(1));
        assert_eq!(next.await, Ok(1));
    }
}
