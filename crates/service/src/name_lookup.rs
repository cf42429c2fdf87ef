//! Lookup of functions and their parameters by name, and refusals that name the alternatives.

use std::collections::{BTreeMap, BTreeSet};

use fibula_core::graph::{Document, Function, FunctionId, NamedConstant, NodeId, Resource};
use fibula_nodes::{PortSpec, Value, names};

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

/// A parameter of a function, whose value people change.
pub(crate) enum Parameter<'a> {
    /// A named constant.
    Constant(NamedConstant<'a>),
    /// An input, and the `Begin` that has its port.
    Input(PortSpec, NodeId),
}

impl<'a> Parameter<'a> {
    /// Returns the named constants of a function, and the inputs of which no constant has the name.
    pub(crate) fn all(function: &'a Function) -> Vec<Self> {
        let mut all: Vec<Self> = function
            .named_constants()
            .map(Parameter::Constant)
            .collect();
        if let Some(begin) = function.begin() {
            let inputs = function.inputs().into_iter();
            let free: Vec<Self> = inputs
                .filter(|input| all.iter().all(|constant| constant.name() != input.name))
                .map(|input| Parameter::Input(input, begin))
                .collect();
            all.extend(free);
        }
        all
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Parameter::Constant(constant) => constant.name,
            Parameter::Input(input, _) => &input.name,
        }
    }

    /// The constant, or the `Begin` with the input.
    pub(crate) fn node_id(&self) -> NodeId {
        match self {
            Parameter::Constant(constant) => constant.node.id(),
            Parameter::Input(_, begin) => *begin,
        }
    }

    /// Its value; `None` for an input without a default.
    pub(crate) fn value(&self) -> Option<&Value> {
        match self {
            Parameter::Constant(constant) => Some(&constant.value),
            Parameter::Input(input, _) => input.default_value(),
        }
    }
}

/// Finds the parameter of a name: the one of this very name, else the only one of this name in another case.
///
/// # Errors
/// A [`Refusal`] if there is no such parameter, or several have the name.
pub(crate) fn parameter<'a>(function: &'a Function, name: &str) -> Result<Parameter<'a>> {
    let (mut exact, mut folded) = (Vec::new(), Vec::new());
    for parameter in Parameter::all(function) {
        if parameter.name() == name {
            exact.push(parameter);
        } else if parameter.name().eq_ignore_ascii_case(name) {
            folded.push(parameter);
        }
    }
    let mut named = if exact.is_empty() { folded } else { exact };
    match named.len() {
        1 => Ok(named.remove(0)),
        0 => Err(unknown_parameter(function, name)),
        several => {
            let ids = first_few(
                named
                    .iter()
                    .map(|parameter| parameter.node_id().to_string()),
            );
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

/// Warnings of those of `nodes` that are constants whose name another constant or an input of the function has, so that it
/// refers to neither, or no longer to the input. At most ten.
pub(crate) fn shared_names(
    document: &Document,
    function: FunctionId,
    nodes: &BTreeSet<NodeId>,
) -> Vec<String> {
    const MOST: usize = 10;
    let Some(function) = document.find_function(function) else {
        return Vec::new();
    };
    let id = function.id();
    let mut by_name: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
    for constant in function.named_constants() {
        by_name
            .entry(constant.name)
            .or_default()
            .push(constant.node.id());
    }
    by_name.retain(|_, own| own.iter().any(|node| nodes.contains(node)));
    let inputs = function.inputs();
    let warning = |(name, own): (&str, Vec<NodeId>)| {
        let shown = quoted(name);
        if let [node] = own[..] {
            let is_input = inputs.iter().any(|input| input.name == name);
            return is_input.then(|| {
                format!(
                    "{shown} is an input of function {id} and its constant, node {node}, to which the name refers now: rename one"
                )
            });
        }
        let all = first_few(own.iter().map(NodeId::to_string));
        Some(format!(
            "{shown} is the name of several constants of function {id}, nodes {all}, so it refers to none: rename all but one"
        ))
    };
    by_name.into_iter().filter_map(warning).take(MOST).collect()
}

pub(crate) fn unknown_parameter(function: &Function, name: &str) -> Refusal {
    let known = Parameter::all(function);
    let known = || known.iter().map(Parameter::name);
    let message = format!(
        "function {} has no parameter {}",
        function.id(),
        quoted(name)
    );
    let otherwise = match first_few(known().map(str::to_owned)) {
        none if none.is_empty() => {
            "it has none; name constants in its expression, as in let wall = 2; length(pos) - wall, or pass node_id"
                .to_owned()
        }
        names => format!("its parameters and inputs are {names}"),
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
