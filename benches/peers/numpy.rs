//! The peers for large batches in double precision: numpy and numexpr, in a Python of their own.

use serde_json::{Value as Json, json};

use crate::python;
use crate::workloads::Workload;

/// Points of each run: as many as suit numexpr best.
const POINTS: usize = 1 << 18;

/// For each function its name and the nanoseconds per point of numpy and, if it can do it, of numexpr.
///
/// # Errors
/// Why there is no such Python.
pub(crate) fn times(workloads: &[Workload]) -> Result<Vec<(String, f64, Option<f64>)>, String> {
    let asked = json!({ "points": POINTS, "functions": python::functions(workloads) });
    let answers = python::ask("peers.py", "numpy and numexpr", &asked)?;
    let answers = answers.as_object().ok_or("the answer is no object")?;
    let time = |answer: &Json, peer| answer[peer].as_f64();
    let mut times = Vec::new();
    for (name, answer) in answers {
        let numpy = time(answer, "numpy").ok_or("numpy has no time")?;
        times.push((name.clone(), numpy, time(answer, "numexpr")));
    }
    Ok(times)
}
