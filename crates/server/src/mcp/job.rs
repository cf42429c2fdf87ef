//! Long work on a pool of threads that may block, with progress notifications and cancellation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use axum::http::request::Parts;
use fibula_service::Refusal;
use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, Span};

use crate::http::PermitOfRequest;
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

/// Work that runs, or waits for its turn. It is cancelled when it is dropped.
pub(super) struct Job<T> {
    shared: Arc<Shared>,
    /// Cancelled with the work, which may not have begun.
    waiting: CancellationToken,
    work: JoinHandle<Result<T, Refusal>>,
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl<T: Send + 'static> Job<T> {
    /// Runs `work` of a call on a thread that may block, as soon as `slots` has a permit.
    pub(super) fn start(
        context: &RequestContext<RoleServer>,
        slots: &Arc<Slots>,
        work: impl FnOnce(&mut Progress<'_>) -> Result<T, Refusal> + Send + 'static,
    ) -> Self {
        let shared = Arc::new(Shared::default());
        let waiting = CancellationToken::new();
        let (state, slots, token) = (shared.clone(), slots.clone(), waiting.clone());
        let span = Span::current();
        let parts = context.extensions.get::<Parts>();
        let permit = parts.and_then(|parts| PermitOfRequest::hold(&parts.extensions));
        let run = async move {
            let slot = tokio::select! {
                slot = slots.acquire() => slot?,
                () = token.cancelled() => return Err(Refusal::cancelled()),
            };
            let span = Span::current();
            let work = tokio::task::spawn_blocking(move || {
                let _span = span.entered();
                // Held until the work ends, which may be after its caller has gone, or has been answered with a task.
                let _held = (slot, permit);
                work(&mut |done, total| {
                    state.done.store(done, Relaxed);
                    state.total.store(total, Relaxed);
                    break_if(state.cancelled.load(Relaxed))
                })
            });
            work.await.unwrap_or_else(|error| Err(broken_off(&error)))
        };
        Job {
            shared,
            waiting,
            work: tokio::spawn(run.instrument(span)),
        }
    }

    /// Waits for the work, and sends progress notifications of the call.
    pub(super) async fn wait(
        &mut self,
        context: &RequestContext<RoleServer>,
    ) -> Result<T, Refusal> {
        let token = context.meta.get_progress_token();
        let mut tick = tokio::time::interval(NOTIFICATION_PERIOD);
        tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let (mut reported, mut cancelled) = (0, false);
        loop {
            tokio::select! {
                outcome = self.outcome() => return outcome,
                () = context.ct.cancelled(), if !cancelled => {
                    cancelled = true;
                    self.cancel();
                }
                _ = tick.tick(), if token.is_some() => {
                    let (done, total) = self.progress();
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

    /// Waits for the work.
    pub(super) async fn outcome(&mut self) -> Result<T, Refusal> {
        let outcome = (&mut self.work).await;
        outcome.unwrap_or_else(|error| Err(broken_off(&error)))
    }
}

impl<T> Job<T> {
    /// Returns the amount of work done, and in total.
    pub(super) fn progress(&self) -> (u64, u64) {
        let Shared { done, total, .. } = &*self.shared;
        (done.load(Relaxed), total.load(Relaxed))
    }

    /// Asks the work to end.
    pub(super) fn cancel(&self) {
        self.shared.cancelled.store(true, Relaxed);
        self.waiting.cancel();
    }
}

/// Runs `work` on a thread that may block, as soon as `slots` has a permit, and waits for it.
pub(super) async fn run<T: Send + 'static>(
    context: &RequestContext<RoleServer>,
    slots: &Arc<Slots>,
    work: impl FnOnce(&mut Progress<'_>) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    Job::start(context, slots, work).wait(context).await
}

fn broken_off(error: &JoinError) -> Refusal {
    tracing::error!(%error, "a job panicked");
    let message = "the call failed because of a bug in Fibula";
    Refusal::new("internal", message).hint("other calls are unaffected; please report the request")
}
