//! Refusals as exceptions of `fibula.errors`.

use fibula_service::Refusal;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Converts a refusal to the exception of its code.
pub(crate) fn raised(py: Python<'_>, refusal: &Refusal) -> PyErr {
    static RAISED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let make = RAISED.import(py, "fibula.errors", "_from_refusal");
    let details = refusal.details.to_string();
    let arguments = (
        refusal.code,
        &refusal.message,
        refusal.hint.as_deref(),
        details,
    );
    match make.and_then(|make| make.call1(arguments)) {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// Returns the exception of an argument that is invalid.
pub(crate) fn invalid(py: Python<'_>, message: impl Into<String>, hint: &str) -> PyErr {
    raised(py, &Refusal::new("invalid_arguments", message).hint(hint))
}

/// Issues warnings of `fibula.errors.ShapeWarning`, at the place that called the package.
pub(crate) fn warn(py: Python<'_>, warnings: &[String]) -> PyResult<()> {
    static WARN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if warnings.is_empty() {
        return Ok(());
    }
    let warn = WARN.import(py, "fibula.errors", "_warn")?;
    for warning in warnings {
        warn.call1((warning,))?;
    }
    Ok(())
}

/// The refusal of calls with what a fork left unusable.
pub(crate) fn forked(what: &str) -> Refusal {
    let message = format!("{what} cannot be used in a process that was forked after they began");
    Refusal::new("forked_process", message)
        .hint("start workers with the method 'spawn' or 'forkserver' of multiprocessing")
}
