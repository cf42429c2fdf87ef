//! Peers that are written in Python: scripts beside this file, run by a Python that has what they need.

use std::io::Write as _;
use std::process::{Command, Stdio};

use fibula_nodes::Operation;
use serde_json::{Value as Json, json};

use crate::workloads::Workload;

/// Returns the answer of a script; request and answer are JSON. `needs` names the packages that it imports.
///
/// # Errors
/// The reason why there is no such Python.
pub(crate) fn ask(script: &str, needs: &str, asked: &Json) -> Result<Json, String> {
    let python = std::env::var("FIBULA_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut child = Command::new(&python)
        .arg(format!("{}/{script}", env!("CARGO_MANIFEST_DIR")))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{python} does not start: {error}"))?;
    let mut input = child.stdin.take().expect("it is piped");
    input
        .write_all(asked.to_string().as_bytes())
        .map_err(|error| format!("{python} does not read: {error}"))?;
    drop(input);
    let output = child.wait_with_output();
    let output = output.map_err(|error| format!("{python} does not end: {error}"))?;
    if !output.status.success() {
        return Err(format!("{python} has no {needs}, or they fail"));
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{python} answers no JSON: {error}"))
}

/// Functions by their names, each as kernel operations.
pub(crate) fn functions(workloads: &[Workload]) -> Json {
    let written = workloads.iter().map(|workload| {
        let operations = written(workload.tape.operations());
        (workload.name.to_owned(), operations)
    });
    Json::Object(written.collect())
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
        Operation::Select {
            less: (a, b),
            then,
            otherwise,
        } => json!([
            "Select",
            a.index(),
            b.index(),
            then.index(),
            otherwise.index()
        ]),
        Operation::Oracle { .. } => panic!("no workload has {operation:?}"),
    };
    operations.iter().map(written).collect()
}
