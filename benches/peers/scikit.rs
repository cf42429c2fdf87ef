//! The peer for meshes and contours of values on a grid: scikit-image, with numpy for the values.

use std::path::Path;

use serde_json::json;

use crate::python;
use crate::workloads::Workload;

/// Result for one function.
pub(crate) struct Found {
    pub(crate) name: String,
    /// Milliseconds for the values on the grid, and for what is found in them.
    pub(crate) evaluate: f64,
    pub(crate) extract: f64,
    /// Number of triangles or contours.
    pub(crate) count: u64,
    /// The triangles, if these were asked for.
    pub(crate) triangles: Vec<[[f64; 3]; 3]>,
}

/// Asks for a `mesh` or a `slice` of each function.
///
/// # Errors
/// Why there is no such Python.
pub(crate) fn found(
    what: &str,
    cells: usize,
    workloads: &[Workload],
) -> Result<Vec<Found>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let asked = json!({
        "what": what,
        "cells": cells,
        "folder": folder.path(),
        "functions": python::functions(workloads),
    });
    let answers = python::ask("solids.py", "numpy and scikit-image", &asked)?;
    let mut all = Vec::new();
    for (name, answer) in answers.as_object().ok_or("the answer is no object")? {
        let time = |what: &str| {
            let seconds = answer[what].as_f64().ok_or("a time is missing")?;
            Ok::<f64, String>(seconds * 1e3)
        };
        all.push(Found {
            name: name.clone(),
            evaluate: time("evaluate")?,
            extract: time("extract")?,
            count: answer["found"].as_u64().ok_or("a number is missing")?,
            triangles: match answer["file"].as_str() {
                Some(file) => read(&folder.path().join(file))?,
                None => Vec::new(),
            },
        });
    }
    Ok(all)
}

/// Triangles of nine numbers each.
fn read(path: &Path) -> Result<Vec<[[f64; 3]; 3]>, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let (numbers, _) = bytes.as_chunks::<8>();
    let numbers: Vec<f64> = numbers.iter().copied().map(f64::from_le_bytes).collect();
    let (points, _) = numbers.as_chunks::<3>();
    let (triangles, _) = points.as_chunks::<3>();
    Ok(triangles.to_vec())
}
