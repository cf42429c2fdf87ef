//! Traces: the values of all nodes of a function at one point, for debugging.

use std::collections::BTreeMap;

use fibula_eval::{Code, Point, Rounding, Settings};
use fibula_nodes::call::FUNCTION_ID;
use fibula_nodes::{Bundle, Kernel, Value};

use super::error::EvalError;
use super::flatten::{FlatFunction, flatten};
use super::tape::{arguments, check_arguments, concatenate};
use crate::graph::{Document, Function, FunctionId, InputSource, NodeLabel};

/// Values of all nodes of a function at one point.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Trace {
    /// The nodes that the outputs need, in the order of evaluation.
    pub nodes: Vec<TracedNode>,
    /// The outputs.
    pub outputs: Vec<TracedInput>,
}

/// Value of a parameter or of an output of the function at one point.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TracedInput {
    /// Name of the parameter or output.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// Source of the value: indexes of the node in the trace and of its port; `None` for a literal or default.
    pub source: Option<(usize, usize)>,
}

/// Values of a node at one point.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TracedNode {
    /// The node.
    pub node: NodeLabel,
    /// The parameters that have a value.
    pub inputs: Vec<TracedInput>,
    /// The ports' values, by name.
    pub outputs: Vec<(String, Value)>,
}

impl TracedNode {
    /// Function graph that the node calls, with the values of its inputs in order; `None` for nodes that call no graph.
    pub fn call<'d>(&self, document: &'d Document) -> Option<(&'d Function, Vec<Value>)> {
        if self.node.node_type != "FunctionCall" {
            return None;
        }
        let value = |name: &str| self.inputs.iter().find(|input| input.name == name);
        let Value::ResourceId(id) = value(FUNCTION_ID)?.value else {
            return None;
        };
        let function = document.function(id.into()).ok()?;
        let arguments = function.inputs().into_iter();
        let arguments = arguments.map(|input| Some(value(&input.name)?.value.clone()));
        Some((function, arguments.collect::<Option<_>>()?))
    }
}

/// Evaluates a function at one point and returns the values of all nodes; `values` has one value per input.
///
/// # Errors
/// [`EvalError`], as for a [`Tape`](super::Tape).
pub fn trace(
    document: &Document,
    function: FunctionId,
    values: &[Value],
) -> Result<Trace, EvalError> {
    let function = document.function(function)?;
    let inputs = function.inputs();
    check_arguments(&inputs, values)?;
    let names = inputs.iter().map(|input| input.name.clone());
    let statics: BTreeMap<String, Value> = names.zip(values.iter().cloned()).collect();
    let mut kernel = Kernel::new();
    let (_, bundles) = arguments(function, &statics, &mut kernel)?;
    let wanted: Vec<usize> = (0..function.outputs().len()).collect();
    let schedule = function.schedule(&wanted);
    let flat = flatten(document, function, &schedule, &wanted, kernel, &bundles)?;
    let scalars = run(&flat, &concatenate(values));
    let value = |bundle: &Bundle| value_of(bundle, &scalars);

    let mut nodes = Vec::with_capacity(schedule.steps.len());
    for (step, yields) in schedule.steps.iter().zip(&flat.steps) {
        let signature = step.node.signature();
        let inputs = step.inputs.iter().zip(&signature.parameters);
        let inputs = inputs.filter_map(|(source, parameter)| {
            let (value, source) = match *source {
                InputSource::Port { step, port } => {
                    (value(&flat.steps[step][port]), Some((step, port)))
                }
                InputSource::Value(value) => (value.clone(), None),
                InputSource::Unset => return None,
            };
            Some(TracedInput {
                name: parameter.name.to_string(),
                value,
                source,
            })
        });
        let outputs = signature.ports.iter().zip(yields);
        let outputs = outputs.map(|(port, bundle)| (port.name.to_string(), value(bundle)));
        nodes.push(TracedNode {
            node: step.node.label(),
            inputs: inputs.collect(),
            outputs: outputs.collect(),
        });
    }
    let results = flat.results.iter().zip(&schedule.results);
    let outputs = function.outputs().into_iter().zip(results);
    let outputs = outputs.map(|(output, (bundle, source))| TracedInput {
        name: output.name,
        value: value(bundle),
        source: match *source {
            InputSource::Port { step, port } => Some((step, port)),
            InputSource::Value(_) | InputSource::Unset => None,
        },
    });
    Ok(Trace {
        nodes,
        outputs: outputs.collect(),
    })
}

/// Values of all operations, bit for bit those of evaluation.
fn run(flat: &FlatFunction, point: &[f64]) -> Vec<f64> {
    let (kernel, all) = (&flat.kernel, flat.kernel.all());
    let code = Code::new(
        kernel.operations(),
        &all,
        point.len(),
        kernel.oracles(),
        Rounding::Exact,
    );
    let mut scalars = vec![0.0; all.len()];
    let point_of = Point::new(&code, Settings::default());
    point_of.evaluator().run(point, &mut scalars);
    scalars
}

fn value_of(bundle: &Bundle, scalars: &[f64]) -> Value {
    match bundle {
        Bundle::Float(expr) => Value::Float(scalars[expr.index()]),
        Bundle::Float3(exprs) => Value::Float3(exprs.map(|expr| scalars[expr.index()])),
        Bundle::Matrix4x4(exprs) => Value::Matrix4x4(exprs.map(|expr| scalars[expr.index()])),
        Bundle::Integer(number) => Value::Integer(*number),
        Bundle::String(text) => Value::String(text.to_string()),
        Bundle::ResourceId(id) => Value::ResourceId(*id),
    }
}
