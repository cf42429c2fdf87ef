//! Notes of an answer about a created function: how it is called, and what its expression does not use.

use fibula_core::expression;
use fibula_core::graph::{Document, Function, FunctionId, NodeView};
use fibula_nodes::node::Family;
use fibula_nodes::{FunctionType, catalogue};

use crate::functions::written::is_copy;

/// Signature of a function created from an expression, if its inputs have an order that was inferred.
pub(crate) fn inferred_signature(document: &Document, id: FunctionId) -> Option<String> {
    let function = document.find_function(id)?;
    let ty = FunctionType::new(function.inputs(), function.outputs());
    (ty.inputs.len() > 1).then(|| format!("{}{ty}", function.name()))
}

/// Warns of `let` bindings and inputs that nothing in the expression of a function refers to.
pub(crate) fn unused_names(document: &Document, id: FunctionId, expression: &str) -> Vec<String> {
    const MOST_WARNINGS: usize = 10;
    let names = expression::unused_bindings(expression).into_iter();
    let bindings = names.map(|name| {
        format!("nothing uses '{name}', so the function has no parameter of this name")
    });
    let inputs = document.find_function(id).map(unused_inputs);
    let inputs = inputs.into_iter().flatten();
    let inputs = inputs.map(|name| format!("the expression does not use the input '{name}'"));
    bindings.chain(inputs).take(MOST_WARNINGS).collect()
}

fn unused_inputs(function: &Function) -> Vec<String> {
    let begin = function.begin().and_then(|begin| function.node(begin).ok());
    let used: Vec<usize> = begin
        .into_iter()
        .flat_map(NodeView::consumers)
        .map(|(port, ..)| port)
        .collect();
    let inputs = function.inputs().into_iter().enumerate();
    let unused = inputs.filter(|(place, _)| !used.contains(place));
    unused.map(|(_, input)| input.name).collect()
}

/// Returns the form in which expressions call a function whose name alone is ambiguous, or names the library function that it
/// hides.
pub(crate) fn call_form(document: &Document, id: FunctionId, name: &str) -> Option<String> {
    let other = document
        .functions()
        .find(|other| other.id() != id && other.name() == name);
    if let Some(other) = other {
        let other = other.id();
        return Some(format!(
            "function {other} has the same name: call function {id} as call({id}, ...) in expressions, or rename one"
        ));
    }
    let about = catalogue::catalogue().iter().find(|about| {
        about.family != Family::Boundary
            && (about.name == name || about.element == name || about.aliases.contains(&name))
    });
    if let Some(about) = about {
        return Some(format!(
            "the node type {} has the same name: call the function as `{name}`(...) in expressions, including the back \
             quotes",
            about.name
        ));
    }
    let function = document.find_function(id).filter(|own| !is_copy(own))?;
    let hidden = &fibula_core::library::find(function.name())?.name;
    Some(format!(
        "the library has {hidden}, too: expressions that call it mean function {id} from now on; rename it to call that \
         of the library"
    ))
}
