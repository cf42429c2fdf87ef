//! Lookup of a named constant of a function, and refusals that name the alternatives.

use fibula_core::graph::{Function, NamedConstant};
use fibula_nodes::names;

use crate::refusal::{Refusal, Result, did_you_mean, quoted};

/// Finds the constant of a name: the one of this very name, else the only one of this name in another case.
///
/// # Errors
/// A [`Refusal`] if there is no such constant, or several nodes have the name.
pub(crate) fn find<'a>(function: &'a Function, name: &str) -> Result<NamedConstant<'a>> {
    let all = || function.named_constants();
    let mut named: Vec<_> = all().filter(|constant| constant.name == name).collect();
    if named.is_empty() {
        named = all()
            .filter(|constant| constant.name.eq_ignore_ascii_case(name))
            .collect();
    }
    match named.len() {
        1 => Ok(named.remove(0)),
        0 => Err(unknown_parameter(function, name)),
        several => {
            let ids = named.iter().map(|constant| constant.node.id().to_string());
            let ids = first_few(ids);
            let message = format!(
                "{several} nodes of function {} have the name {}",
                function.id(),
                quoted(name)
            );
            Err(Refusal::new("ambiguous_name", message).hint(format!(
                "pass node_id, one of {ids}, or rename them with rename_node"
            )))
        }
    }
}

fn unknown_parameter(function: &Function, name: &str) -> Refusal {
    let id = function.id();
    let is_input = function.inputs().iter().any(|input| input.name == name);
    if is_input {
        let message = format!(
            "{} is an input of function {id}, not a parameter",
            quoted(name)
        );
        return Refusal::new("unknown_parameter", message)
            .hint("its callers and evaluate pass its value; set it there");
    }
    let known = || function.named_constants().map(|constant| constant.name);
    let message = format!("function {id} has no parameter {}", quoted(name));
    let otherwise = match first_few(known().map(str::to_owned)) {
        none if none.is_empty() => {
            "it has none; name constants in its expression, as in let wall = 2; length(pos) - wall, or pass node_id"
                .to_owned()
        }
        names => format!("its parameters are {names}"),
    };
    let nearest = names::nearest(name, known());
    Refusal::new("unknown_parameter", message).hint(did_you_mean(&nearest, otherwise))
}

/// Joins the first few names.
pub(crate) fn first_few(names: impl Iterator<Item = String>) -> String {
    const SHOWN: usize = 12;
    let mut names: Vec<String> = names.take(SHOWN + 1).collect();
    if names.len() > SHOWN {
        "...".clone_into(&mut names[SHOWN]);
    }
    names.join(", ")
}
