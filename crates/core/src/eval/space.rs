//! Tapes of outputs as functions of space.

use fibula_nodes::{Bundle, FunctionType, Kernel, PortSpec, Type, Value};

use super::error::EvalError;
use super::flatten::{flatten, flatten_image};
use super::tape::{Tape, check_arguments};
use crate::graph::{Document, FunctionId};

impl Tape {
    /// Tape of some outputs, by index, as functions of a point: the float3 input at the index `position`, or the three
    /// floats that begin there, is the point, and the other inputs have the values of `others`, in order.
    ///
    /// # Errors
    /// [`EvalError`]: the function, an input or an output does not exist, the values are not of the inputs' types, a
    /// parameter is unset, or a resource is missing.
    pub fn in_space(
        document: &Document,
        function: FunctionId,
        position: usize,
        others: &[Value],
        outputs: &[usize],
    ) -> Result<Tape, EvalError> {
        let FunctionType {
            inputs,
            outputs: all,
        } = document.type_of(function)?;
        let is_float = |input: &PortSpec| input.ty == Type::Float;
        let taken = match inputs.get(position..) {
            Some([first, ..]) if first.ty == Type::Float3 => 1,
            Some([x, y, z, ..]) if [x, y, z].into_iter().all(is_float) => 3,
            Some(_) | None => {
                return Err(EvalError::Arguments {
                    inputs,
                    got: "a point in the place of another input".to_owned(),
                });
            }
        };
        let mut rest = inputs;
        let point: Vec<PortSpec> = rest.drain(position..position + taken).collect();
        check_arguments(&rest, others)?;
        let wanted = |&output: &usize| {
            all.get(output)
                .cloned()
                .ok_or_else(|| EvalError::UnknownOutput {
                    function_id: function,
                    output: format!("number {}", output + 1),
                    outputs: all.iter().map(|port| port.name.clone()).collect(),
                })
        };
        let wanted: Result<Vec<PortSpec>, EvalError> = outputs.iter().map(wanted).collect();
        let wanted = wanted?;
        if let Some(image) = document.image_function(function.into()) {
            let (kernel, results) = flatten_image(document, (function, image), outputs)?;
            return Ok(Tape::from_kernel(&kernel, &results, point, wanted));
        }
        let function = document.function(function)?;
        let mut kernel = Kernel::new();
        let at = [0, 1, 2].map(|axis| kernel.variable(axis));
        let arguments = others.iter();
        let arguments = arguments.map(|value| Bundle::constant(value, &mut kernel));
        let mut arguments: Vec<Bundle> = arguments.collect();
        let place = if taken == 1 {
            vec![Bundle::Float3(at)]
        } else {
            at.map(Bundle::Float).into()
        };
        arguments.splice(position..position, place);
        let schedule = function.schedule(outputs);
        let flat = flatten(document, function, &schedule, outputs, kernel, &arguments)?;
        Ok(Tape::from_kernel(
            &flat.kernel,
            &flat.results,
            point,
            wanted,
        ))
    }
}
