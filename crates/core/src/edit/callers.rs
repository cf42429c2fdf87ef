//! Calls of a function: nodes that refer to it follow its inputs and outputs, and keep it from being removed.

use fibula_nodes::call::{SCALAR_OUTPUT, VECTOR_INPUT};
use fibula_nodes::{FunctionType, ResourceId, Value};

use super::EditError;
use crate::graph::{self, Document, Function, FunctionId, GraphError, Side, Stored};

/// Changes the type of every node that refers to `callee` with it.
pub(super) fn follow_callers(
    staged: &mut Document,
    callee: ResourceId,
    ty: &FunctionType,
    rename: &dyn Fn(Side, &str) -> Option<String>,
) -> Result<(), EditError> {
    for caller in staged.callers(callee.into()) {
        for node in staged.function(caller)?.followers_of(callee) {
            let function = staged.function(caller)?;
            let plan = function.follow(node, ty, rename);
            if let Some(plan) = plan.map_err(|error| in_function(function, error))? {
                staged.function_mut(caller).apply_rekind(plan);
            }
            for side in [Side::Input, Side::Output] {
                let named = port_named(staged.function(caller)?.stored(node), side);
                let renamed = named.and_then(|(place, name)| Some((place, rename(side, name)?)));
                if let Some((place, name)) = renamed {
                    let name = graph::Input::Value(Value::String(name));
                    staged.function_mut(caller).set_input(node, place, name);
                }
            }
        }
    }
    Ok(())
}

/// Names the calling function in an error, which names its nodes only.
fn in_function(caller: &Function, error: GraphError) -> GraphError {
    match error {
        GraphError::InUse { what, users, hint } => GraphError::InUse {
            what: format!("{what} of function {} ({})", caller.id(), caller.name()),
            users,
            hint: format!("{hint}, or keep its name: rename_port renames it in all calls"),
        },
        other => other,
    }
}

/// Returns the input or output that a gradient names by a literal, after the index of the parameter with the literal.
pub(super) fn port_named(stored: &Stored, side: Side) -> Option<(usize, &str)> {
    let by = match side {
        Side::Input => VECTOR_INPUT,
        Side::Output => SCALAR_OUTPUT,
    };
    let place = stored
        .signature
        .parameters
        .iter()
        .position(|parameter| parameter.name == by)?;
    match &stored.inputs[place] {
        graph::Input::Value(Value::String(name)) => Some((place, name)),
        graph::Input::Value(_) | graph::Input::Unset | graph::Input::Link { .. } => None,
    }
}

/// Refuses to remove an input or output that a call has linked or set.
pub(super) fn check_port_unused(
    document: &Document,
    function: &Function,
    side: Side,
    name: &str,
) -> Result<(), EditError> {
    let mut users = Vec::new();
    for caller in document.callers(function.id()) {
        let caller = document.function(caller)?;
        for key in caller.followers_of(function.id().into()) {
            let stored = caller.stored(key);
            let used = match side {
                Side::Input => stored
                    .signature
                    .parameters
                    .iter()
                    .position(|parameter| parameter.name == name)
                    .is_some_and(|place| stored.inputs[place] != graph::Input::Unset),
                Side::Output => stored
                    .signature
                    .ports
                    .iter()
                    .position(|port| port.name == name)
                    .is_some_and(|place| {
                        stored
                            .consumers
                            .iter()
                            .any(|consumer| consumer.port == place)
                    }),
            };
            if used {
                users.push(format!(
                    "{} of function {} ({})",
                    stored.label(),
                    caller.id(),
                    caller.name()
                ));
            }
        }
    }
    if users.is_empty() {
        return Ok(());
    }
    Err(GraphError::InUse {
        what: format!("{} '{name}' of function {}", side.name(), function.id()),
        users,
        hint: "first unlink or clear it there".to_owned(),
    }
    .into())
}

/// Refuses to remove a function that another calls.
pub(super) fn check_uncalled(
    document: &Document,
    id: ResourceId,
    name: &str,
) -> Result<(), EditError> {
    let callers = document.callers(id.into());
    if callers.is_empty() {
        return Ok(());
    }
    let text = |caller: FunctionId| match document.function(caller) {
        Ok(function) => format!("function {caller} ({}) calls it", function.name()),
        Err(_) => format!("function {caller} calls it"),
    };
    Err(GraphError::InUse {
        what: format!("function {id} ({name})"),
        users: callers.into_iter().map(text).collect(),
        hint: "first delete or change those calls".to_owned(),
    }
    .into())
}
