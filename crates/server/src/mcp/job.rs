//! Long work on a thread of its own, with progress and cancellation.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use fibula_service::Refusal;
use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use tokio::sync::Semaphore;
use tokio::time::MissedTickBehavior;

/// How often progress is told.
const PERIOD: Duration = Duration::from_millis(100);

/// What the work and its watcher share.
#[derive(Debug, Default)]
struct Shared {
    done: AtomicU64,
    total: AtomicU64,
    stop: AtomicBool,
}

/// Stops the work when its caller goes: when it cancels, and when its connection breaks.
struct StopOnDrop(Arc<Shared>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop.store(true, Relaxed);
    }
}

/// Does `work`, which tells how much of how much is done and ends when it is told to break off.
///
/// At most as much work is done at once as `slots` has places; what comes then waits.
pub(super) async fn run<T: Send + 'static>(
    context: &RequestContext<RoleServer>,
    slots: &Arc<Semaphore>,
    work: impl FnOnce(&mut dyn FnMut(u64, u64) -> ControlFlow<()>) -> Result<T, Refusal>
    + Send
    + 'static,
) -> Result<T, Refusal> {
    let slot = tokio::select! {
        slot = slots.clone().acquire_owned() => slot.map_err(|_| Refusal::cancelled())?,
        () = context.ct.cancelled() => return Err(Refusal::cancelled()),
    };
    let shared = Arc::new(Shared::default());
    let _stop = StopOnDrop(shared.clone());
    let theirs = shared.clone();
    let mut work = tokio::task::spawn_blocking(move || {
        // Held until the work has really ended.
        let _slot = slot;
        work(&mut |done, total| {
            theirs.done.store(done, Relaxed);
            theirs.total.store(total, Relaxed);
            if theirs.stop.load(Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
    });
    let token = context.meta.get_progress_token();
    let mut tick = tokio::time::interval(PERIOD);
    tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let (mut told, mut cancelled) = (0, false);
    loop {
        tokio::select! {
            done = &mut work => return done.unwrap_or_else(|error| Err(broken_off(&error))),
            () = context.ct.cancelled(), if !cancelled => {
                cancelled = true;
                shared.stop.store(true, Relaxed);
            }
            _ = tick.tick(), if token.is_some() => {
                let (done, total) = (shared.done.load(Relaxed), shared.total.load(Relaxed));
                // Progress must grow.
                if let (true, Some(token)) = (done > told, &token) {
                    told = done;
                    let progress = ProgressNotificationParam::new(token.clone(), done as f64).with_total(total as f64);
                    // Who does not listen any more misses nothing.
                    let _ = context.peer.notify_progress(progress).await;
                }
            }
        }
    }
}

fn broken_off(error: &tokio::task::JoinError) -> Refusal {
    tracing::error!(%error, "a job broke off");
    Refusal::new(
        "internal",
        "the work broke off, which is a fault of this program",
    )
    .hint("other calls go on; please report what was asked")
}
