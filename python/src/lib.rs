//! The extension module `fibula._native`: functions over numpy arrays, parts and projects.
//!
//! It holds what must be fast or needs Rust's types; the package in `python/fibula` gives it its Python form. Texts of
//! JSON go between the two where speed does not matter. Work that may take long releases the interpreter's lock, and polls
//! for signals.

#![expect(
    clippy::needless_pass_by_value,
    reason = "arguments of Python are extracted to values"
)]

mod error;
mod graph;
mod values;
mod watch;

mod compile;
mod packed;

mod extract;
mod handle;

mod arrays;
mod evaluator;

mod function;
mod project;

use std::ffi::OsString;

use fibula_core::library;
use fibula_server::in_process;
use fibula_service::check_file;
use pyo3::prelude::*;
use serde_json::{Value as Json, json};

/// Runs the program `fibula` on arguments; returns its exit status.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let code = py.detach(|| fibula::cli::run(arguments));
    u8::from(code != std::process::ExitCode::SUCCESS)
}

/// Location of the store that the program uses without `--data`.
#[pyfunction]
fn default_store(py: Python<'_>) -> PyResult<String> {
    let path = fibula::cli::default_store().map_err(|refusal| error::raised(py, &refusal))?;
    Ok(path.to_string_lossy().into_owned())
}

/// The functions of the library, as JSON.
#[pyfunction]
fn library_functions() -> String {
    let functions = library::functions().iter().map(|function| {
        let inputs = function.inputs.iter().map(|input| {
            json!({
                "name": input.name,
                "type": input.ty,
                "default": input.default.as_ref().map(fibula_nodes::Value::to_json),
                "unit": input.unit.name(),
                "about": input.about,
            })
        });
        json!({
            "name": function.name,
            "group": function.group.title(),
            "about": function.about,
            "distance": function.distance.about(),
            "inputs": inputs.collect::<Vec<Json>>(),
            "outputs": function.outputs(),
            "example": function.example,
        })
    });
    json!(functions.collect::<Vec<Json>>()).to_string()
}

/// The operations of projects, as JSON.
#[pyfunction]
fn operations() -> String {
    let all = in_process::descriptions().into_iter().map(|one| {
        json!({
            "name": one.name,
            "group": one.group,
            "summary": one.summary,
            "request": one.request,
            "is_file": one.is_file,
        })
    });
    json!(all.collect::<Vec<Json>>()).to_string()
}

/// Checks a 3MF file; returns the findings as JSON.
#[pyfunction]
fn check(py: Python<'_>, bytes: &[u8]) -> String {
    py.detach(|| json!(check_file(bytes)).to_string())
}

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::function::Function;
    #[pymodule_export]
    use super::handle::{Graph, compile, from_library, unpack};
    #[pymodule_export]
    use super::project::{Events, Project};
    #[pymodule_export]
    use super::{check, default_store, library_functions, main, operations};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
