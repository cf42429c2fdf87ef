//! Notes of an answer about a created function: how it is called, and what its expression does not use.

use std::collections::BTreeSet;

use fibula_core::graph::{Document, FunctionId, NodeView};
use fibula_core::{expression, library};
use fibula_nodes::node::Family;
use fibula_nodes::{FunctionType, PortSpec, catalogue};

/// Maximum number of warnings of a kind.
const MOST_WARNINGS: usize = 10;

/// Signature of a function created from an expression, if its inputs have an order that was inferred.
pub(crate) fn inferred_signature(document: &Document, id: FunctionId) -> Option<String> {
    let function = document.find_function(id)?;
    let ty = FunctionType::new(function.inputs(), function.outputs());
    (ty.inputs.len() > 1).then(|| format!("{}{ty}", function.name()))
}

/// Warns of `let` bindings of an expression that nothing refers to.
pub(crate) fn unused_bindings(expression: &str) -> Vec<String> {
    let names = expression::unused_bindings(expression).into_iter();
    let names = names.take(MOST_WARNINGS);
    names
        .map(|name| format!("nothing uses '{name}', so the function has no parameter of this name"))
        .collect()
}

/// Warns of inputs of a function that its expression does not use, but for the point, and the `previous` ones of a function that
/// is replaced.
pub(crate) fn unused_inputs(
    document: &Document,
    id: FunctionId,
    previous: &[PortSpec],
) -> Vec<String> {
    let Some(function) = document.find_function(id) else {
        return Vec::new();
    };
    let begin = function.begin().and_then(|begin| function.node(begin).ok());
    let links = begin.into_iter().flat_map(NodeView::consumers);
    let used: BTreeSet<usize> = links.map(|(port, ..)| port).collect();
    let is_kept = |name: &str| name == "pos" || previous.iter().any(|input| input.name == name);
    let inputs = function.inputs().into_iter().enumerate();
    let unused = inputs.filter(|(place, input)| !used.contains(place) && !is_kept(&input.name));
    let unused = unused.take(MOST_WARNINGS);
    unused
        .map(|(_, input)| {
            format!(
                "the expression of function {id} does not use the input '{}'",
                input.name
            )
        })
        .collect()
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
    let function = document
        .find_function(id)
        .filter(|own| !library::is_copy(own))?;
    let hidden = &library::find(function.name())?.name;
    let mut others = document.functions();
    let has_other = others.any(|other| other.id() != id && other.name() == hidden);
    (!has_other).then(|| {
        format!(
            "the library has {hidden}, too: expressions that call it mean function {id} from now on; rename it to call \
             that of the library"
        )
    })
}
