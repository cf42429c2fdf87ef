//! A function that measures distance near the surface where another has a field: by the kind `NormalizeDistanceField`.

use fibula_core::edit::{Edit, Stage};
use fibula_core::graph::{FunctionData, FunctionId, NodeData, NodeId};
use fibula_nodes::call::{FUNCTION_ID, SCALAR_OUTPUT, VECTOR_INPUT};
use fibula_nodes::{PortSpec, Type};
use serde::Deserialize;

use super::names::suffixed;
use super::{Reshaped, free_id};
use crate::refusal::{Refusal, quoted};

/// The function whose field is to be normalised.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Normalize {
    pub(super) function_id: FunctionId,
    /// Its own, with `_normalized` behind it, if left out.
    pub(super) name: Option<String>,
    /// The first float if left out.
    pub(super) output: Option<String>,
    /// The first float3 if left out.
    pub(super) input: Option<String>,
    pub(super) new_function_id: Option<FunctionId>,
}

/// Adds a function with the inputs and outputs of another, whose distance is divided by the magnitude of its gradient.
pub(super) fn normalize(stage: &mut Stage, request: &Normalize) -> Result<Reshaped, Refusal> {
    let document = stage.document();
    let function = document.function(request.function_id)?;
    let (inputs, outputs) = (function.inputs(), function.outputs());
    let label = format!("function {} '{}'", request.function_id, function.name());
    let output = found(
        &outputs,
        "output",
        request.output.as_deref(),
        Type::Float,
        &label,
    )?;
    let input = found(
        &inputs,
        "input",
        request.input.as_deref(),
        Type::Float3,
        &label,
    )?;
    let function_id = free_id(document, request.new_function_id)?;
    let (begin, normalized, call) = (NodeId(1), NodeId(2), NodeId(3));
    let calling = |node: NodeData| {
        let node = node.value(FUNCTION_ID, request.function_id.0);
        let ports = inputs.iter();
        ports.fold(node, |node, port| node.link(&port.name, begin, &port.name))
    };
    let mut end = NodeData::new(NodeId::END, "End");
    for port in &outputs {
        end = if port.name == output {
            end.link(&port.name, normalized, "result")
        } else {
            end.link(&port.name, call, &port.name)
        };
    }
    let mut nodes = vec![
        end,
        NodeData::new(begin, "Begin"),
        calling(NodeData::new(normalized, "NormalizeDistanceField"))
            .value(SCALAR_OUTPUT, output)
            .value(VECTOR_INPUT, input),
    ];
    if outputs.len() > 1 {
        nodes.push(calling(NodeData::new(call, "FunctionCall")));
    }
    let name = request.name.clone();
    let change = stage.push(&Edit::SetFunction(FunctionData {
        function_id,
        name: name.unwrap_or_else(|| suffixed(function.name(), "_normalized")),
        inputs: inputs.clone(),
        outputs,
        nodes,
    }))?;
    Ok(Reshaped {
        made: change.function_id,
        node: Some(normalized),
        ..Reshaped::default()
    })
}

/// The name of the port that is wanted, or of the first of the type.
fn found(
    ports: &[PortSpec],
    side: &str,
    wanted: Option<&str>,
    ty: Type,
    function: &str,
) -> Result<String, Refusal> {
    let fits = |port: &&PortSpec| port.ty == ty && wanted.is_none_or(|name| port.name == name);
    if let Some(port) = ports.iter().find(fits) {
        return Ok(port.name.clone());
    }
    let called = wanted.map(|name| format!(" {}", quoted(name)));
    let message = format!(
        "{function} has no {ty} {side}{}, so there is no field to normalize",
        called.unwrap_or_default()
    );
    let fitting = ports.iter().filter(|port| port.ty == ty);
    let names: Vec<&str> = fitting.map(|port| &*port.name).take(12).collect();
    Err(Refusal::new("no_field", message).hint(match &names[..] {
        [] => format!("a field has a float output and a float3 input; give it a {ty} {side} first"),
        names => format!("its {ty} {side}s are {}", names.join(", ")),
    }))
}
