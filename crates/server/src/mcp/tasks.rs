//! Tasks, by the extension Tasks (SEP-2663): a call of a client that declares it is answered after two seconds at the latest, with a
//! task that the client asks for the result. So nothing is lost when a connection breaks or a client's own time limit ends.

use std::time::Duration;

use fibula_service::Refusal;
use rmcp::model::{CallToolResult, CreateTaskResult};
use rmcp::service::RequestContext;
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use rmcp::{ErrorData, RoleServer};

use super::job::Job;

/// Time until a call is answered with a task.
const PATIENCE: Duration = Duration::from_secs(2);

/// Time between two looks at the progress of a task.
const STATUS_PERIOD: Duration = Duration::from_millis(500);

/// Time for which the result of a task is kept after its time limit.
const RETENTION: Duration = Duration::from_secs(300);

/// Maximum number of running tasks. Calls beyond wait for their results.
const MAX_TASKS: usize = 64;

/// A job that is done, or the task that it has become.
pub(super) enum Outcome<T> {
    Done(Result<T, Refusal>),
    Task(CreateTaskResult),
}

/// Waits for a job of a call, or makes a task of it. `finish` writes the result of the call.
pub(super) async fn wait<T: Send + 'static>(
    manager: &TaskManager,
    context: &RequestContext<RoleServer>,
    mut job: Job<T>,
    time_limit: Duration,
    finish: impl FnOnce(Result<T, Refusal>) -> Result<CallToolResult, ErrorData> + Send + 'static,
) -> Outcome<T> {
    let declared = context.client_capabilities();
    let takes_tasks = declared.is_some_and(|capabilities| capabilities.supports_tasks());
    if !takes_tasks {
        return Outcome::Done(job.wait(context).await);
    }
    if let Ok(outcome) = tokio::time::timeout(PATIENCE, job.wait(context)).await {
        return Outcome::Done(outcome);
    }
    if manager.running_task_count() >= MAX_TASKS {
        return Outcome::Done(job.wait(context).await);
    }
    let ttl = time_limit + RETENTION;
    let options = TaskOptions::new().with_ttl_ms(u64::try_from(ttl.as_millis()).ok());
    let task = manager.spawn(options, |task| {
        Box::pin(async move {
            let outcome = follow(&task, &mut job).await;
            if task.is_cancel_requested() && outcome.is_err() {
                return Err(TaskExit::Cancelled);
            }
            finish(outcome).map_err(TaskExit::from)
        })
    });
    Outcome::Task(CreateTaskResult::new(task))
}

/// Waits for a job, and tells how far it is in the status of its task.
async fn follow<T: Send + 'static>(task: &TaskContext, job: &mut Job<T>) -> Result<T, Refusal> {
    let mut tick = tokio::time::interval(STATUS_PERIOD);
    let mut cancelled = false;
    loop {
        tokio::select! {
            outcome = job.outcome() => {
                task.set_status_message(if outcome.is_ok() { "done" } else { "ended" });
                return outcome;
            }
            () = task.cancelled(), if !cancelled => {
                cancelled = true;
                job.cancel();
            }
            _ = tick.tick() => {
                if let (done, total @ 1..) = job.progress() {
                    task.set_status_message(format!("{} %", done * 100 / total));
                }
            }
        }
    }
}
