//! Lookup of functions and named constants by name, and refusals that name the alternatives.

use fibula_core::graph::{Document, Function, FunctionId, NamedConstant, Resource};
use fibula_nodes::names;

use crate::refusal::{Refusal, Result, did_you_mean, quoted};

/// Finds a function graph or image function: the one of this very name, else the only one of this name in another case.
///
/// # Errors
/// A [`Refusal`] if there is no such function, or several functions have the name.
pub(crate) fn function(document: &Document, name: &str) -> Result<FunctionId> {
    let images = document
        .resources()
        .filter_map(|(id, resource)| match resource {
            Resource::ImageFunction(image) => Some((id.0, &*image.name)),
            Resource::Content(_) | Resource::File(_) | Resource::Model(_) => None,
        });
    let graphs = document
        .functions()
        .map(|graph| (graph.id().0, graph.name()));
    let all: Vec<(u32, &str)> = graphs.chain(images).collect();
    let ids = |is_named: &dyn Fn(&str) -> bool| -> Vec<u32> {
        let named = all.iter().filter(|(_, other)| is_named(other));
        named.map(|(id, _)| *id).collect()
    };
    let mut found = ids(&|other| other == name);
    if found.is_empty() {
        found = ids(&|other| other.eq_ignore_ascii_case(name));
    }
    match found[..] {
        [id] => Ok(FunctionId(id)),
        [] => {
            let message = format!("no function has the name {}", quoted(name));
            let nearest = names::nearest(name, all.iter().map(|(_, name)| *name));
            Err(Refusal::new("unknown_function", message)
                .hint(did_you_mean(&nearest, "list_functions lists them")))
        }
        _ => {
            let message = format!("{} functions have the name {}", found.len(), quoted(name));
            let hint = format!(
                "pass one of their ids: {}",
                first_few(found.iter().map(u32::to_string))
            );
            Err(Refusal::new("ambiguous_name", message).hint(hint))
        }
    }
}

/// Finds the constant of a name: the one of this very name, else the only one of this name in another case.
///
/// # Errors
/// A [`Refusal`] if there is no such constant, or several nodes have the name.
pub(crate) fn constant<'a>(function: &'a Function, name: &str) -> Result<NamedConstant<'a>> {
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
            .hint(
                "its callers and evaluate pass its value; set it there, or give it a default with the edit retype_port",
            );
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
fn first_few(names: impl Iterator<Item = String>) -> String {
    const SHOWN: usize = 12;
    let mut names: Vec<String> = names.take(SHOWN + 1).collect();
    if names.len() > SHOWN {
        "...".clone_into(&mut names[SHOWN]);
    }
    names.join(", ")
}
