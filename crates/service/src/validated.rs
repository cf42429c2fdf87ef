//! Whether every function of a project can be evaluated, and what is wrong where not.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use fibula_core::eval::Tape;
use fibula_core::graph::FunctionId;
use fibula_eval::Rounding;
use fibula_nodes::ResourceId;

use super::Service;
use super::model::needed;
use super::refusal::Refusal;
use super::tapes::Key;

/// The project that is to be looked through.
#[derive(Debug, Clone)]
pub struct Validate {
    /// Left out: "default".
    pub project: Option<String>,
    /// Whether code is made of the functions, for which all that they ask is read.
    pub code: bool,
}

/// What was found.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Validated {
    /// How many functions there are.
    pub functions: usize,
    /// By function.
    pub faults: Vec<FaultInfo>,
    pub revision: u64,
}

/// Why a function cannot be evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct FaultInfo {
    pub function_id: FunctionId,
    /// Whether the graph itself is at fault, and not what it asks.
    pub in_graph: bool,
    /// Whether the build needs the function; all are needed where nothing is built.
    pub needed: bool,
    pub code: &'static str,
    pub message: String,
}

impl Service {
    /// Looks whether the functions of a project can be evaluated. Those that take what has to be known before, such as
    /// the id of a mesh, are looked at where they are called. `watch` is told how many functions of how many are done.
    ///
    /// # Errors
    /// A [`Refusal`]: there is no such project, or `watch` ended it.
    pub fn validate(
        &self,
        request: &Validate,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Validated, Refusal> {
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
            if function.inputs().iter().any(|input| input.ty.width() == 0) {
                continue;
            }
            let key = Key {
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
                // What it asks is not there, or was not read yet.
                Ok(_) | Err(_) if !request.code => continue,
                Ok(_) | Err(_) => {}
            }
            match project.tape(&snapshot, &key) {
                Ok(tape) => drop(tape.code(Rounding::Exact)),
                Err(refusal) => faults.push(fault(false, refusal)),
            }
        }
        Ok(Validated {
            functions: count,
            faults,
            revision: snapshot.head.revision,
        })
    }
}
