//! Long work on a pool of threads that may block, with cancellation.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use fibula_service::Refusal;
use tracing::Span;

use super::progress::Reporter;
use crate::http::CallPermit;
use crate::operation::{Progress, break_if};
use crate::slots::Slots;

/// Cancels the work when its caller drops the future.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Runs `work` on a thread that may block, as soon as `slots` has a permit. Its progress goes to `reporter`.
pub(super) async fn run<A: Send + 'static>(
    slots: &Slots,
    permit: Option<Arc<CallPermit>>,
    reporter: Option<Reporter>,
    work: impl FnOnce(&mut Progress<'_>) -> Result<A, Refusal> + Send + 'static,
) -> Result<A, Refusal> {
    let slot = slots.acquire().await?;
    let stop = Arc::new(AtomicBool::new(false));
    let _stop = CancelOnDrop(stop.clone());
    let span = Span::current();
    let work = tokio::task::spawn_blocking(move || {
        let _span = span.entered();
        // Held until the work ends, which may be after its caller has gone.
        let _held = (slot, permit);
        guarded(|| {
            work(&mut |done, total| {
                if let Some(reporter) = &reporter {
                    reporter.report(done, total);
                }
                break_if(stop.load(Relaxed))
            })
        })
    });
    work.await.unwrap_or_else(|_| Err(broken_off()))
}

/// Runs `work`; a panic becomes a refusal and does not end the connection.
pub(super) fn guarded<A>(work: impl FnOnce() -> Result<A, Refusal>) -> Result<A, Refusal> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(broken_off()))
}

/// Refusal of a request that panicked.
pub(in crate::http) fn broken_off() -> Refusal {
    tracing::error!("a request panicked");
    let message = "the request failed because of a bug in Fibula";
    Refusal::new("internal", message)
        .hint("other requests are unaffected; check the history for whether anything was changed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_a_refusal() {
        let code = |outcome: Result<(), Refusal>| outcome.map_err(|refusal| refusal.code);
        assert_eq!(code(guarded(|| panic!("as it must"))), Err("internal"));
        let slots = Slots::new(1);
        let broken = run(&slots, None, None, |_| panic!("as it must")).await;
        assert_eq!(code(broken), Err("internal"));
        // Its place is free again.
        assert_eq!(code(run(&slots, None, None, |_| Ok(())).await), Ok(()));
    }

    #[tokio::test]
    async fn work_ends_when_its_caller_goes() {
        let slots = Slots::new(1);
        let endless = run(&slots, None, None, |watch| {
            while watch(0, 1).is_continue() {
                std::thread::yield_now();
            }
            Ok(())
        });
        let soon = std::time::Duration::from_millis(20);
        assert!(tokio::time::timeout(soon, endless).await.is_err());
        let next = run(&slots, None, None, |_| Ok(1));
        assert_eq!(next.await, Ok(1));
    }
}
