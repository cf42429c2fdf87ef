//! Normalize function: a function whose field, divided by the magnitude of its gradient, approximates the distance near
//! the surface (kind `NormalizeDistanceField`).

use fibula_nodes::call::{FUNCTION_ID, SCALAR_OUTPUT, VECTOR_INPUT};
use fibula_nodes::{PortSpec, Type};
use schemars::JsonSchema;
use serde::Deserialize;

use super::unique_names::suffixed;
use super::{RefactorError, RefactorOutcome, free_id};
use crate::edit::{Edit, FunctionEdit, Stage};
use crate::graph::{FunctionData, FunctionId, NodeData, NodeId};

/// Arguments of the refactoring *normalize function*.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NormalizeFunction {
    /// The function with the field.
    pub function_id: FunctionId,
    /// Name of the new function; the old one followed by `_normalized` if left out.
    pub name: Option<String>,
    /// Output with the field; the first float if left out.
    pub output: Option<String>,
    /// Input with the point; the first float3 if left out.
    pub input: Option<String>,
    /// Id of the new function; the next free one if left out.
    pub new_function_id: Option<FunctionId>,
}

impl NormalizeFunction {
    /// Adds the function.
    pub(super) fn push(&self, stage: &mut Stage) -> Result<RefactorOutcome, RefactorError> {
        let document = stage.document();
        let function = document.function(self.function_id)?;
        let (inputs, outputs) = (function.inputs(), function.outputs());
        let label = format!("function {} '{}'", self.function_id, function.name());
        let output = find_port(
            ("output", &outputs),
            self.output.as_deref(),
            Type::Float,
            &label,
        )?;
        let input = find_port(
            ("input", &inputs),
            self.input.as_deref(),
            Type::Float3,
            &label,
        )?;
        let function_id = free_id(document, self.new_function_id)?;
        let (begin, normalized, call) = (NodeId(1), NodeId(2), NodeId(3));
        let calling = |node: NodeData| {
            let node = node.value(FUNCTION_ID, self.function_id.0);
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
        let name = self.name.clone();
        let change = stage.push(&Edit::Function(FunctionEdit::Set(FunctionData {
            function_id,
            name: name.unwrap_or_else(|| suffixed(function.name(), "_normalized")),
            inputs: inputs.clone(),
            outputs,
            nodes,
        })))?;
        Ok(RefactorOutcome {
            function: change.function_id,
            node: Some(normalized),
            ..RefactorOutcome::default()
        })
    }
}

/// Returns the name of the wanted port, or of the first port of the type.
fn find_port(
    (side, ports): (&'static str, &[PortSpec]),
    wanted: Option<&str>,
    ty: Type,
    function: &str,
) -> Result<String, RefactorError> {
    let fits = |port: &&PortSpec| port.ty == ty && wanted.is_none_or(|name| port.name == name);
    if let Some(port) = ports.iter().find(fits) {
        return Ok(port.name.clone());
    }
    let fitting = ports.iter().filter(|port| port.ty == ty);
    Err(RefactorError::NoField {
        function: function.to_owned(),
        ty,
        side,
        wanted: wanted.map(str::to_owned),
        fitting: fitting.map(|port| port.name.clone()).take(12).collect(),
    })
}
