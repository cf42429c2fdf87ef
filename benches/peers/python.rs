//! The peers for large batches in double precision: numpy and numexpr, in a Python of their own.

use std::io::Write as _;
use std::process::{Command, Stdio};

use fibula_nodes::Operation;
use serde_json::{Value as Json, json};

use crate::workloads::Workload;

/// Points of each run: as many as suit numexpr best.
const POINTS: usize = 1 << 18;

/// For each function its name and the nanoseconds per point of numpy and, if it can do it, of numexpr.
///
/// # Errors
/// Why there is no such Python.
pub(crate) fn times(workloads: &[Workload]) -> Result<Vec<(String, f64, Option<f64>)>, String> {
    let python = std::env::var("FIBULA_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let functions: serde_json::Map<String, Json> = workloads
        .iter()
        .map(|workload| {
            (
                workload.name.to_owned(),
                written(workload.tape.operations()),
            )
        })
        .collect();
    let asked = json!({ "points": POINTS, "functions": functions }).to_string();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/peers.py");
    let mut child = Command::new(&python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{python} does not start: {error}"))?;
    let mut input = child.stdin.take().expect("it is piped");
    input
        .write_all(asked.as_bytes())
        .map_err(|error| format!("{python} does not read: {error}"))?;
    drop(input);
    let output = child.wait_with_output();
    let output = output.map_err(|error| format!("{python} does not end: {error}"))?;
    if !output.status.success() {
        return Err(format!("{python} has no numpy and numexpr, or they fail"));
    }
    let answers: Json = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{python} answers no JSON: {error}"))?;
    let answers = answers.as_object().ok_or("the answer is no object")?;
    let time = |answer: &Json, peer| answer[peer].as_f64();
    let mut times = Vec::new();
    for (name, answer) in answers {
        let numpy = time(answer, "numpy").ok_or("numpy has no time")?;
        times.push((name.clone(), numpy, time(answer, "numexpr")));
    }
    Ok(times)
}

/// Kernel operations as lists of names and operands.
fn written(operations: &[Operation]) -> Json {
    let written = |operation: &Operation| match *operation {
        Operation::Constant(number) => json!(["Constant", number]),
        Operation::Variable(index) => json!(["Variable", index]),
        Operation::Unary(operation, a) => json!([format!("{operation:?}"), a.index()]),
        Operation::Binary(operation, a, b) => {
            json!([format!("{operation:?}"), a.index(), b.index()])
        }
        Operation::Select { .. } | Operation::Oracle { .. } => {
            panic!("no workload has {operation:?}")
        }
    };
    operations.iter().map(written).collect()
}
