//! A function's output as a function of space.

use fibula_nodes::{Bundle, Kernel, PortSpec, Type, Value};

use super::error::EvalError;
use super::flatten::flatten;
use super::tape::{Tape, check_arguments};
use crate::graph::{Document, FunctionId};

impl Tape {
    /// One output of a function at each point of space: the float3 input at `position` is the point, and the others have
    /// the values of `others`, in their order.
    ///
    /// # Errors
    /// [`EvalError`]: there is no such function, input or output, the values are not of the inputs' types, an input is
    /// not set, a resource is missing.
    pub fn in_space(
        document: &Document,
        function: FunctionId,
        position: usize,
        others: &[Value],
        output: usize,
    ) -> Result<Tape, EvalError> {
        let function = document.function(function)?;
        let (inputs, outputs) = (function.inputs(), function.outputs());
        let unlike = |got: &str| EvalError::Arguments {
            inputs: inputs.clone(),
            got: got.to_owned(),
        };
        let (rest, point) = {
            let mut rest = inputs.clone();
            if rest.get(position).map(|input| input.ty) != Some(Type::Float3) {
                return Err(unlike("a point in the place of another input"));
            }
            let point = rest.remove(position);
            (rest, point)
        };
        check_arguments(&rest, others)?;
        let wanted: &PortSpec = outputs
            .get(output)
            .ok_or_else(|| EvalError::UnknownOutput {
                function_id: function.id(),
                output: format!("number {}", output + 1),
                outputs: outputs.iter().map(|port| port.name.clone()).collect(),
            })?;
        let mut kernel = Kernel::new();
        let at = [0, 1, 2].map(|axis| kernel.variable(axis));
        let mut arguments: Vec<Bundle> = others
            .iter()
            .map(|value| Bundle::constant(value, &mut kernel))
            .collect();
        arguments.insert(position, Bundle::Float3(at));
        let schedule = function.schedule(&[output]);
        let flat = flatten(document, function, &schedule, &[output], kernel, &arguments)?;
        Ok(Tape::written(
            &flat.kernel,
            &flat.results,
            vec![point],
            vec![wanted.clone()],
        ))
    }
}
