//! Long work: without the interpreter's lock, on threads that survive a fork, cancelled by Ctrl-C.

use std::ops::ControlFlow;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fibula_service::{ProgressFn, Refusal};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{forked, raised};

/// Time between two polls of signals.
const PERIOD: Duration = Duration::from_millis(50);

/// The process whose global pool of threads runs; 0 before the first use.
static POOLED: AtomicU32 = AtomicU32::new(0);

/// Runs work that reports its progress to the callable `progress`, at its end too, and can be cancelled: by Ctrl-C, by an
/// exception of that callable, or if it returns False.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(ProgressFn<'_>) -> Result<T, Refusal> + Send,
) -> PyResult<T> {
    require_pool(py)?;
    watched_in_pool(py, progress.as_ref(), work)
}

/// Refuses work on the global pool of threads in a process that was forked after it started.
fn require_pool(py: Python<'_>) -> PyResult<()> {
    let own = process::id();
    if let Err(other) = POOLED.compare_exchange(0, own, Relaxed, Relaxed)
        && other != own
    {
        return Err(raised(py, &forked("the threads of geometry and projects")));
    }
    Ok(())
}

/// As [`watched`], for work on the threads of [`pool`].
pub(crate) fn watched_in_pool<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(ProgressFn<'_>) -> Result<T, Refusal> + Send,
) -> PyResult<T> {
    let mut failure: Option<PyErr> = None;
    let mut polled = Instant::now();
    let mut whole = 1;
    let done = py.detach(|| {
        work(&mut |done, total| {
            if failure.is_some() {
                return ControlFlow::Break(());
            }
            if polled.elapsed() < PERIOD {
                return ControlFlow::Continue(());
            }
            polled = Instant::now();
            whole = total;
            match Python::attach(|py| poll(py, progress, done, total)) {
                Ok(flow) => flow,
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        })
    });
    if let Some(error) = failure {
        return Err(error);
    }
    let done = done.map_err(|refusal| raised(py, &refusal))?;
    if let Some(progress) = progress {
        progress.bind(py).call1((whole, whole))?;
    }
    Ok(done)
}

fn poll(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    done: u64,
    total: u64,
) -> PyResult<ControlFlow<()>> {
    py.check_signals()?;
    let Some(progress) = progress else {
        return Ok(ControlFlow::Continue(()));
    };
    let answer = progress.bind(py).call1((done, total))?;
    let stops = !answer.is_none() && !answer.is_truthy()?;
    Ok(if stops {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    })
}

/// The pool of threads of this process on which arrays are evaluated: a forked process starts its own. No fork can find it
/// locked, as Python forks with the interpreter's lock.
pub(crate) fn pool(py: Python<'_>) -> PyResult<Arc<ThreadPool>> {
    static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let own = process::id();
    if let Some((process, pool)) = &*pool
        && *process == own
    {
        return Ok(pool.clone());
    }
    let built = ThreadPoolBuilder::new().build().map_err(|error| {
        let message = format!("the threads for arrays cannot be started: {error}");
        raised(py, &Refusal::new("too_many_threads", message))
    })?;
    let built = Arc::new(built);
    // The threads of a pool from before a fork do not exist here, so that it is never dropped.
    std::mem::forget(pool.replace((own, built.clone())));
    Ok(built)
}
