//! Order of the functions of a file by their calls.

use std::collections::HashMap;

use super::parsed::ParsedFunction;
use super::scope::{FileIndex, Scope};
use crate::error::{Locate, Problem, ReadError};
use crate::limits::Limits;
use crate::topological_sort::{abbreviate_path, topological_sort};
use crate::xml::budget::Budget;

/// Indexes of the functions, callees before callers.
///
/// # Errors
/// [`Problem::RecursiveCall`] when a function calls itself, directly or through others; [`Problem::TooLarge`] when
/// all calls together have too many inputs and outputs.
pub(crate) fn callees_first(
    functions: &[ParsedFunction],
    known: &FileIndex<'_>,
    limits: &Limits,
) -> Result<Vec<usize>, ReadError> {
    let ids = functions.iter().map(|function| function.id);
    let index: HashMap<u32, usize> = ids.enumerate().map(|(at, id)| (id, at)).collect();
    let mut budget = Budget::new(limits);
    let mut needs = Vec::new();
    for function in functions {
        let callees = Scope::new(function, known)?.callees()?;
        for id in &callees {
            let ty = &known.types[id];
            budget
                .charge_nodes(ty.inputs.len() + ty.outputs.len())
                .at(&function.place)?;
        }
        let graphs = callees.iter().filter_map(|id| index.get(id).copied());
        needs.push(graphs.collect::<Vec<_>>());
    }
    topological_sort(&needs).map_err(|cycle| {
        let name = |&at: &usize| format!("{} ({})", functions[at].id, functions[at].name);
        let path: Vec<String> = cycle.iter().map(name).collect();
        Problem::RecursiveCall(abbreviate_path(&path)).at(functions[cycle[0]].place.clone())
    })
}
