//! Validation: checks that every function of a project can be evaluated.

use std::collections::BTreeMap;

use fibula_core::eval::Tape;
use fibula_core::graph::{Document, Function, FunctionId};
use fibula_eval::Rounding;
use fibula_nodes::ResourceId;

use crate::background::ProgressFn;
use crate::domain_cuts::build_cut_warnings;
use crate::model::needed;
use crate::project::tape_cache::TapeKey;
use crate::refusal::{Refusal, Result};
use crate::service::Service;

/// The project to validate.
#[derive(Debug, Clone)]
pub struct Validate {
    /// Default "default".
    pub project: Option<String>,
    /// True to compile the functions, which loads everything that they query.
    pub code: bool,
}

/// Result of a validation.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ValidationResult {
    /// Number of functions.
    pub functions: usize,
    /// Faults by function.
    pub faults: Vec<FaultInfo>,
    /// Level sets of the build that their domains cut; none if the functions were not compiled.
    pub warnings: Vec<String>,
    pub revision: u64,
}

/// Reason why a function cannot be evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct FaultInfo {
    pub function_id: FunctionId,
    /// True if the graph itself is faulty, not what it queries.
    pub in_graph: bool,
    /// True if the build needs the function; without a build, all are needed.
    pub needed: bool,
    pub code: &'static str,
    pub message: String,
}

/// True if the function cannot be compiled without arguments, such as the id of a mesh.
fn has_static_inputs(function: &Function) -> bool {
    function.inputs().iter().any(|input| input.ty.width() == 0)
}

/// Reason why a function cannot be evaluated, unless only the content of a mesh or image is not loaded.
pub(crate) fn graph_fault(document: &Document, function: &Function) -> Option<Refusal> {
    if has_static_inputs(function) {
        return None;
    }
    let error = Tape::new(document, function.id()).err()?;
    (error.code() != "missing_content").then(|| error.into())
}

impl Service {
    /// Checks that the functions of a project can be evaluated. Functions whose arguments must be known before
    /// evaluation, such as the id of a mesh, are checked where they are called. Calls `watch` with the number of
    /// functions done and their total.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, or `watch` cancelled it.
    pub fn validate(&self, request: &Validate, watch: ProgressFn<'_>) -> Result<ValidationResult> {
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.snapshot()?;
        let document = &snapshot.document;
        let needed = needed(document);
        let is_needed = |id: FunctionId| {
            let id = ResourceId::from(id);
            needed.as_ref().is_none_or(|needed| needed.contains(&id))
        };
        let count = document.functions().len();
        let mut faults = Vec::new();
        for (done, function) in document.functions().enumerate() {
            if watch(done as u64, count as u64).is_break() {
                return Err(Refusal::cancelled());
            }
            if has_static_inputs(function) {
                continue;
            }
            let key = TapeKey {
                head: snapshot.head,
                function: function.id(),
                outputs: None,
                statics: BTreeMap::new(),
            };
            let fault = |in_graph: bool, refusal: Refusal| FaultInfo {
                function_id: function.id(),
                in_graph,
                needed: is_needed(function.id()),
                code: refusal.code,
                message: refusal.message,
            };
            match Tape::new(document, function.id()) {
                Err(error) if matches!(error.code(), "missing_input" | "too_large") => {
                    faults.push(fault(true, error.into()));
                    continue;
                }
                // Its content is missing, or was not loaded yet.
                Ok(_) | Err(_) if !request.code => continue,
                Ok(_) | Err(_) => {}
            }
            match project.tape(&snapshot, &key) {
                Ok(tape) => drop(tape.code(Rounding::Exact)),
                Err(refusal) => faults.push(fault(false, refusal)),
            }
        }
        let warnings = if request.code {
            build_cut_warnings(&project, &snapshot)
        } else {
            Vec::new()
        };
        Ok(ValidationResult {
            functions: document.function_count(),
            faults,
            warnings,
            revision: snapshot.head.revision,
        })
    }
}
