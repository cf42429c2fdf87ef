//! Functions that were written in a project, as opposed to those that came with them from the library.

use fibula_core::graph::{Document, Function, FunctionId, Resource};
use fibula_core::library;

use crate::refusal::{Refusal, quoted};
use crate::service::Service;

/// Maximum number of functions that a hint names.
const SHOWN: usize = 5;

impl Service {
    /// Returns the only function that was written in a project, if there is exactly one and no image that can be called.
    pub fn only_function(
        &self,
        project: Option<&str>,
        revision: Option<u64>,
    ) -> Option<FunctionId> {
        let snapshot = self.snapshot_at(project, revision).ok()?;
        let mut written = written(&snapshot.document);
        let only = written.next()?.id();
        let mut resources = snapshot.document.resources();
        let has_image =
            resources.any(|(_, resource)| matches!(resource, Resource::ImageFunction(_)));
        (written.next().is_none() && !has_image).then_some(only)
    }
}

/// The functions of a project that are no copies of library functions.
fn written(document: &Document) -> impl Iterator<Item = &Function> {
    document
        .functions()
        .filter(|function| !library::is_copy(function))
}

/// Adds to a refusal of the arguments of a function what may be meant: a constant of it, which is no input, or, if it is a copy
/// of a library function, another function.
pub(crate) fn hint_arguments(document: &Document, id: FunctionId, refusal: Refusal) -> Refusal {
    let refusal = hint_constant(document, id, refusal);
    let Some(function) = document
        .function(id)
        .ok()
        .filter(|function| library::is_copy(function))
    else {
        return refusal;
    };
    let name = |function: &Function| format!("{} ({})", function.id(), function.name());
    let names: Vec<String> = written(document).take(SHOWN).map(name).collect();
    if names.is_empty() {
        return refusal;
    }
    let label = name(function);
    let meant = format!(
        "function {label} came from the library; written here: {}",
        names.join(", ")
    );
    let hint = match &refusal.hint {
        Some(hint) => format!("{meant}; {hint}"),
        None => meant,
    };
    refusal.hint(hint)
}

/// Tells how a constant is set, if a refusal is of an argument with its name.
fn hint_constant(document: &Document, id: FunctionId, refusal: Refusal) -> Refusal {
    let Some(function) = document.find_function(id) else {
        return refusal;
    };
    let argument = refusal.details["argument"].as_str();
    let mut constants = function.named_constants();
    let constant = argument
        .filter(|_| refusal.code == "unknown_argument")
        .and_then(|name| constants.find(|constant| constant.name.eq_ignore_ascii_case(name)));
    let Some(constant) = constant else {
        return refusal;
    };
    let (name, value) = (quoted(constant.name), constant.value.to_json());
    let hint = format!(
        "{name} is a constant of the function, now {value}, and no input: change it with set_parameter_value, or make it an \
         input"
    );
    refusal.hint(hint)
}
