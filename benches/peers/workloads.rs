//! The functions that are measured.

use fibula::eval::Tape;
use fibula::expression;
use fibula::format::vm;
use fibula::graph::{Document, FunctionId};

/// A function that is measured.
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) tape: Tape,
}

/// Every workload, or those that `FIBULA_WORKLOADS` names, with semicolons between them; prospero is left out, aloud, where
/// its file is not there.
pub(crate) fn all() -> Vec<Workload> {
    let mut all = known();
    if let Ok(wanted) = std::env::var("FIBULA_WORKLOADS") {
        let names = wanted.split(';').map(str::trim);
        let unknown = names
            .clone()
            .find(|name| all.iter().all(|one| one.name != *name));
        assert_eq!(unknown, None, "no workload is named so");
        all.retain(|workload| names.clone().any(|name| name == workload.name));
    }
    all
}

fn known() -> Vec<Workload> {
    let mut all: Vec<Workload> = fibula::service::workloads()
        .into_iter()
        .map(|workload| {
            let mut document = Document::default();
            let function = add(&mut document, &workload.expression);
            Workload {
                name: workload.name,
                tape: Tape::new(&document, function).expect("the function is whole"),
            }
        })
        .collect();
    match prospero() {
        Ok(tape) => all.push(Workload {
            name: "prospero",
            tape,
        }),
        Err(why) => println!("SKIPPED: prospero. {why}"),
    }
    all
}

/// The picture of the Prospero challenge, from its file.
///
/// # Errors
/// Why it cannot be read.
pub(crate) fn prospero() -> Result<Tape, String> {
    let default = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/samples/vm/prospero.vm"
    );
    let path = std::env::var("FIBULA_PROSPERO").unwrap_or_else(|_| default.to_owned());
    let bytes = std::fs::read(&path).map_err(|error| format!("{path}: {error}"))?;
    let mut document = Document::default();
    let model = vm::read(&bytes, "prospero", &vm::Limits::default());
    let model = model.map_err(|error| error.to_string())?;
    let function = document.insert(&model.function);
    let function = function.map_err(|error| error.to_string())?;
    Tape::new(&document, function).map_err(|error| error.to_string())
}

/// Adds the function of an expression.
pub(crate) fn add(document: &mut Document, text: &str) -> FunctionId {
    expression::add_function(document, "workload", text).expect("the expression is right")
}
