//! `Graph`: a function graph as an object of Python, from which functions are made.

use std::sync::Arc;

use fibula_core::library;
use fibula_service::Refusal;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::compile::{Callee, compile as compile_graph};
use crate::error::{raised, warn};
use crate::graph;
use crate::packed;
use crate::values::named;

/// A function graph as a value, with everything that it calls.
#[pyclass(frozen, module = "fibula._native")]
pub(crate) struct Graph(pub(crate) Arc<graph::Graph>);

/// Compiles an expression, which may call the given graphs by name; numbers are defaults of its inputs.
#[pyfunction]
pub(crate) fn compile(
    py: Python<'_>,
    name: &str,
    expression: &str,
    functions: Vec<(String, PyRef<'_, Graph>)>,
    constants: &Bound<'_, PyDict>,
) -> PyResult<Graph> {
    let callees = functions
        .iter()
        .map(|(name, graph)| Callee::graph(name, &graph.0));
    let callees: Vec<Callee> = callees.collect();
    let constants = named(constants)?;
    let compiled = compile_graph(name, expression, &callees, &constants);
    let (graph, warnings) = compiled.map_err(|refusal| raised(py, &refusal))?;
    warn(py, &warnings)?;
    Ok(Graph(graph))
}

/// A function of the library, with these values as defaults of its inputs.
#[pyfunction]
pub(crate) fn from_library(
    py: Python<'_>,
    name: &str,
    values: &Bound<'_, PyDict>,
) -> PyResult<Graph> {
    let Some(function) = library::find(name) else {
        let message = format!("the library has no function '{name}'");
        let refusal = Refusal::new("unknown_function", message).hint("see fibula.library");
        return Err(raised(py, &refusal));
    };
    let values = named(values)?;
    let graph = graph::Graph::of_library(function).with(None, &values);
    let graph = Arc::new(graph.map_err(|refusal| raised(py, &refusal))?);
    if !values.is_empty() {
        let warnings = graph.library_warnings();
        warn(py, &warnings.map_err(|refusal| raised(py, &refusal))?)?;
    }
    Ok(Graph(graph))
}

/// Reads a graph from the bytes of [`Graph::packed`].
#[pyfunction]
pub(crate) fn unpack(py: Python<'_>, bytes: &[u8]) -> PyResult<Graph> {
    let graph = packed::unpack(bytes).map_err(|refusal| raised(py, &refusal))?;
    Ok(Graph(graph))
}

#[pymethods]
impl Graph {
    /// The graph as bytes.
    fn packed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = packed::pack(&self.0).map_err(|refusal| raised(py, &refusal))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The graph of those inputs only that have no default.
    fn closed(&self, py: Python<'_>) -> PyResult<Graph> {
        let graph = self.0.closed();
        graph.map(Graph).map_err(|refusal| raised(py, &refusal))
    }

    /// The graph with another name or other defaults of its inputs.
    #[pyo3(name = "with_")]
    fn with(
        &self,
        py: Python<'_>,
        name: Option<&str>,
        values: &Bound<'_, PyDict>,
    ) -> PyResult<Graph> {
        let graph = self.0.with(name, &named(values)?);
        let graph = graph.map_err(|refusal| raised(py, &refusal))?;
        let warnings = graph.library_warnings();
        warn(py, &warnings.map_err(|refusal| raised(py, &refusal))?)?;
        Ok(Graph(Arc::new(graph)))
    }
}
