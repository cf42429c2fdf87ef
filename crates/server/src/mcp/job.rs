//! Long work on a pool of threads that may block, with progress notifications and cancellation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use fibula_service::Refusal;
use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use tokio::time::MissedTickBehavior;
use tracing::Span;

use crate::operation::{Progress, break_if};
use crate::slots::Slots;

/// Time between two progress notifications.
const NOTIFICATION_PERIOD: Duration = Duration::from_millis(100);

/// State shared by the work and the task that waits for it.
#[derive(Debug, Default)]
struct Shared {
    done: AtomicU64,
    total: AtomicU64,
    cancelled: AtomicBool,
}

/// Cancels the work when the call is cancelled or its connection breaks.
struct CancelOnDrop(Arc<Shared>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancelled.store(true, Relaxed);
    }
}

/// Runs `work` on a thread that may block, as soon as `slots` has a permit.
pub(super) async fn run<T: Send + 'static>(
    context: &RequestContext<RoleServer>,
    slots: &Slots,
    work: impl FnOnce(&mut Progress<'_>) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let slot = tokio::select! {
        slot = slots.acquire() => slot?,
        () = context.ct.cancelled() => return Err(Refusal::cancelled()),
    };
    let shared = Arc::new(Shared::default());
    let _cancel = CancelOnDrop(shared.clone());
    let state = shared.clone();
    let span = Span::current();
    let mut work = tokio::task::spawn_blocking(move || {
        let _span = span.entered();
        // Held until the work ends, which may be after its caller has gone.
        let _slot = slot;
        work(&mut |done, total| {
            state.done.store(done, Relaxed);
            state.total.store(total, Relaxed);
            break_if(state.cancelled.load(Relaxed))
        })
    });
    let token = context.meta.get_progress_token();
    let mut tick = tokio::time::interval(NOTIFICATION_PERIOD);
    tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let (mut reported, mut cancelled) = (0, false);
    loop {
        tokio::select! {
            done = &mut work => return done.unwrap_or_else(|error| Err(broken_off(&error))),
            () = context.ct.cancelled(), if !cancelled => {
                cancelled = true;
                shared.cancelled.store(true, Relaxed);
            }
            _ = tick.tick(), if token.is_some() => {
                let (done, total) = (shared.done.load(Relaxed), shared.total.load(Relaxed));
                // Progress must grow.
                if let (true, Some(token)) = (done > reported, &token) {
                    reported = done;
                    let progress = ProgressNotificationParam::new(token.clone(), done as f64).with_total(total as f64);
                    // It fails only if the client has gone.
                    let _ = context.peer.notify_progress(progress).await;
                }
            }
        }
    }
}

fn broken_off(error: &tokio::task::JoinError) -> Refusal {
    tracing::error!(%error, "a job panicked");
    let message = "the call failed because of a bug in Fibula";
    Refusal::new("internal", message).hint("other calls are unaffected; please report the request")
}
