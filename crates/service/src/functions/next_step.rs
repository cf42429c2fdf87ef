//! Suggestions of the next step for agents, derived from the graph.

use fibula_core::graph::{Argument, Document, FunctionId, NodeId};
use fibula_core::library;
use fibula_nodes::node::Family;

/// Suggests linking or setting the parameters of a node that are neither linked nor set; of a constant also those that
/// have their default.
pub(crate) fn suggest_inputs(
    document: &Document,
    function: FunctionId,
    node: NodeId,
) -> Option<String> {
    suggest_inputs_of(document, function, node, &format!("node {node}"))
}

/// As [`suggest_inputs`]; `label` names the node.
fn suggest_inputs_of(
    document: &Document,
    function: FunctionId,
    node: NodeId,
    label: &str,
) -> Option<String> {
    let node = document.function(function).ok()?.node(node).ok()?;
    let names = |wanted: fn(Argument<'_>) -> bool| {
        let parameters = node.signature().parameters.iter().enumerate();
        let names: Vec<String> = parameters
            .filter(|&(place, _)| wanted(node.argument(place)))
            .map(|(_, parameter)| parameter.name.to_string())
            .collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    if let Some(unset) = names(|argument| argument == Argument::Unset) {
        return Some(format!("link or set {unset} of {label}"));
    }
    if node.kind().info().family != Family::Constant {
        return None;
    }
    let default = names(|argument| matches!(argument, Argument::Default(_)))?;
    Some(format!(
        "set {default} of {label} with set_parameter_value; the default is used until then"
    ))
}

/// As [`suggest_inputs`], of the first nodes that have such parameters.
pub(crate) fn suggest_inputs_of_all(
    document: &Document,
    nodes: &[(FunctionId, NodeId)],
) -> Option<String> {
    const MOST: usize = 5;
    let all = nodes.iter().filter_map(|&(function, node)| {
        let label = format!("node {node} of function {function}");
        suggest_inputs_of(document, function, node, &label)
    });
    let mut steps: Vec<String> = all.collect();
    let more = steps.len().saturating_sub(MOST);
    steps.truncate(MOST);
    if more > 0 {
        steps.push(format!("and so on for {more} more nodes"));
    }
    (!steps.is_empty()).then(|| steps.join("; "))
}

/// Names the functions of the library that a search means, by their names or by those of other languages.
pub(crate) fn suggest_library(search: &str) -> Option<String> {
    const MOST: usize = 3;
    /// Longer texts are no names.
    const LONGEST: usize = 64;
    if search.len() > LONGEST {
        return None;
    }
    let folded = |name: &str| name.to_lowercase().replace(['_', '-', ' '], "");
    let (wanted, mut functions) = (folded(search), library::functions().iter());
    let own = functions.find(|function| folded(&function.name) == wanted);
    let own = own.map(|function| &*function.name);
    let synonyms = fibula_dialects::synonyms(search).into_iter();
    let synonyms = synonyms.filter(|name| library::find(name).is_some());
    let mut names: Vec<&str> = own.into_iter().chain(synonyms).collect();
    names.dedup();
    names.truncate(MOST);
    let (first, all) = (names.first()?, names.join(", "));
    Some(format!(
        "the library has {all}: list_functions with library: true, search: \"{first}\""
    ))
}

/// Points on from a list of functions that is empty.
pub(crate) fn suggest_functions(search: &str) -> String {
    suggest_library(search).unwrap_or_else(|| {
        if search.trim().is_empty() {
            "create_function_from_expression makes a function; library: true lists those that come with Fibula".to_owned()
        } else {
            "leave search out to see all functions; library: true searches those that come with Fibula".to_owned()
        }
    })
}
