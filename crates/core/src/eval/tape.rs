//! The tape: the operations that some outputs of a function need, ready to be evaluated.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use fibula_eval::{Code, Point, PointEvaluator, Rounding, Settings};
use fibula_nodes::{Bundle, Expr, Kernel, Operation, OracleUse, PortSpec, Value, names};

use super::error::EvalError;
use super::flatten::flatten;
use crate::graph::{Document, Function, FunctionId};

/// What a tape is made for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The outputs that are wanted; all of them if it is `None`.
    pub outputs: Option<Vec<String>>,
    /// The arguments for inputs that are known before evaluation: integers, strings and resource ids, by name.
    pub statics: BTreeMap<String, Value>,
}

/// The operations that some outputs of a function need, in single static assignment: operation `i` writes value
/// `i`, from values before it. Equal operations are there once and constants are folded.
///
/// A tape is immutable and shared between threads; scratch is in the evaluators.
#[derive(Debug, Clone)]
pub struct Tape {
    inputs: Vec<PortSpec>,
    outputs: Vec<PortSpec>,
    operations: Vec<Operation>,
    oracles: Vec<OracleUse>,
    /// Where the scalars of the outputs are, one after the other.
    roots: Vec<Expr>,
    /// Outputs that are known before evaluation, by their place among the outputs.
    fixed: BTreeMap<usize, Value>,
    exact: OnceLock<Arc<Code>>,
    fast: OnceLock<Arc<Code>>,
    point: OnceLock<Arc<Point>>,
}

impl Tape {
    /// The tape of all outputs of a function whose inputs are floats, float3s and matrices.
    ///
    /// # Errors
    /// As [`with`](Self::with).
    pub fn new(document: &Document, function: FunctionId) -> Result<Tape, EvalError> {
        Tape::with(document, function, &Request::default())
    }

    /// The tape of what a request asks for.
    ///
    /// # Errors
    /// [`EvalError`]: the function is not there, an input is not set (all of them are named), a resource is
    /// missing, an output is unknown, a static argument is missing.
    pub fn with(
        document: &Document,
        function: FunctionId,
        request: &Request,
    ) -> Result<Tape, EvalError> {
        let function = document.function(function)?;
        let wanted = wanted_outputs(function, request.outputs.as_deref())?;
        let mut kernel = Kernel::new();
        let (inputs, arguments) = arguments(function, &request.statics, &mut kernel)?;
        let schedule = function.schedule(&wanted);
        let flat = flatten(document, function, &schedule, &wanted, kernel, &arguments)?;
        let all = function.outputs();
        let outputs = wanted
            .into_iter()
            .map(|output| all[output].clone())
            .collect();
        Ok(Tape::from_kernel(
            &flat.kernel,
            &flat.results,
            inputs,
            outputs,
        ))
    }

    /// The tape of what was written in a kernel, whose variables are the scalars of the inputs: a bundle for each output.
    pub(super) fn from_kernel(
        kernel: &Kernel,
        results: &[Bundle],
        inputs: Vec<PortSpec>,
        outputs: Vec<PortSpec>,
    ) -> Tape {
        let scalars: Vec<Expr> = results
            .iter()
            .flat_map(|bundle| bundle.scalars().iter().copied())
            .collect();
        let (operations, roots) = kernel.reachable(&scalars);
        let fixed = results.iter().enumerate();
        let fixed = fixed
            .filter_map(|(output, bundle)| Some((output, known(bundle)?)))
            .collect();
        Tape {
            inputs,
            outputs,
            operations,
            oracles: kernel.oracles().to_vec(),
            roots,
            fixed,
            exact: OnceLock::new(),
            fast: OnceLock::new(),
            point: OnceLock::new(),
        }
    }

    /// The inputs that are given at evaluation: floats, float3s and matrices.
    pub fn inputs(&self) -> &[PortSpec] {
        &self.inputs
    }

    /// The outputs.
    pub fn outputs(&self) -> &[PortSpec] {
        &self.outputs
    }

    /// The operations, each after its operands.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// Where the scalars of the outputs are among the operations, one after the other.
    pub fn roots(&self) -> &[Expr] {
        &self.roots
    }

    /// What the operations ask.
    pub fn oracles(&self) -> &[OracleUse] {
        &self.oracles
    }

    /// How many scalars the inputs have.
    pub fn input_width(&self) -> usize {
        self.inputs.iter().map(|input| input.ty.width()).sum()
    }

    /// How many scalars the outputs have.
    pub fn output_width(&self) -> usize {
        self.roots.len()
    }

    /// The optimised operations, from which every evaluator is made; made once.
    pub fn code(&self, rounding: Rounding) -> &Arc<Code> {
        let place = match rounding {
            Rounding::Exact => &self.exact,
            Rounding::Fast => &self.fast,
        };
        place.get_or_init(|| {
            Arc::new(Code::new(
                &self.operations,
                &self.roots,
                self.input_width(),
                &self.oracles,
                rounding,
            ))
        })
    }

    /// An evaluator of one point after the other, with scratch of its own.
    pub fn evaluator(&self) -> PointEvaluator<'_> {
        let point = self
            .point
            .get_or_init(|| Arc::new(Point::new(self.code(Rounding::Exact), Settings::default())));
        point.evaluator()
    }

    /// The scalars of the outputs at the scalars of the inputs, as in `tape.at([x, y, z])`.
    ///
    /// # Panics
    /// If `point` has not [`input_width`](Self::input_width) scalars.
    pub fn at(&self, point: impl AsRef<[f64]>) -> Vec<f64> {
        let mut results = vec![0.0; self.output_width()];
        self.evaluator().run(point.as_ref(), &mut results);
        results
    }

    /// The values of the outputs for one value per input.
    ///
    /// # Errors
    /// [`EvalError::Arguments`] when the values are not of the inputs' types.
    pub fn values(&self, arguments: &[Value]) -> Result<Vec<Value>, EvalError> {
        check_arguments(&self.inputs, arguments)?;
        let point: Vec<f64> = arguments
            .iter()
            .flat_map(|value| value.scalars().to_vec())
            .collect();
        Ok(self.typed(&self.at(point)))
    }

    /// The values of the outputs whose scalars are given.
    ///
    /// # Panics
    /// If `scalars` has not [`output_width`](Self::output_width) scalars.
    pub fn typed(&self, scalars: &[f64]) -> Vec<Value> {
        let mut rest = scalars;
        let mut take = |(place, output): (usize, &PortSpec)| {
            if let Some(value) = self.fixed.get(&place) {
                return value.clone();
            }
            let (own, after) = rest.split_at(output.ty.width());
            rest = after;
            Value::from_scalars(output.ty, own).expect("an output has as many scalars as its type")
        };
        self.outputs.iter().enumerate().map(&mut take).collect()
    }
}

/// Whether values are one per input, of the inputs' types.
pub(super) fn check_arguments(inputs: &[PortSpec], values: &[Value]) -> Result<(), EvalError> {
    let fits = values.len() == inputs.len()
        && values
            .iter()
            .zip(inputs)
            .all(|(value, input)| value.ty() == input.ty);
    if fits {
        return Ok(());
    }
    let types: Vec<_> = values.iter().map(|value| value.ty().name()).collect();
    let got = if types.is_empty() {
        "nothing".to_owned()
    } else {
        types.join(", ")
    };
    Err(EvalError::Arguments {
        inputs: inputs.to_vec(),
        got,
    })
}

/// The value of a bundle that is known before evaluation.
fn known(bundle: &Bundle) -> Option<Value> {
    match bundle {
        Bundle::Integer(number) => Some(Value::Integer(*number)),
        Bundle::String(text) => Some(Value::String(text.to_string())),
        Bundle::ResourceId(id) => Some(Value::ResourceId(*id)),
        Bundle::Float(_) | Bundle::Float3(_) | Bundle::Matrix4x4(_) => None,
    }
}

/// The indexes of the outputs that are wanted.
fn wanted_outputs(function: &Function, wanted: Option<&[String]>) -> Result<Vec<usize>, EvalError> {
    let all = function.outputs();
    let Some(wanted) = wanted else {
        return Ok((0..all.len()).collect());
    };
    let find = |output: &String| {
        let names = all.iter().map(|port| port.name.as_str()).enumerate();
        names::find(output, names).map_err(|_| EvalError::UnknownOutput {
            function_id: function.id(),
            output: output.chars().take(80).collect(),
            outputs: all.iter().map(|port| port.name.clone()).collect(),
        })
    };
    wanted.iter().map(find).collect()
}

/// The inputs that vary, and a bundle for every input: variables for those, static arguments for the others.
pub(super) fn arguments(
    function: &Function,
    statics: &BTreeMap<String, Value>,
    kernel: &mut Kernel,
) -> Result<(Vec<PortSpec>, Vec<Bundle>), EvalError> {
    let mut varying = Vec::new();
    let mut next = 0;
    let mut variable = |kernel: &mut Kernel| {
        next += 1;
        kernel.variable(next - 1)
    };
    let inputs = function.inputs();
    let mut bundles = Vec::with_capacity(inputs.len());
    for input in &inputs {
        let bundle = match input.ty {
            fibula_nodes::Type::Float => Bundle::Float(variable(kernel)),
            fibula_nodes::Type::Float3 => Bundle::Float3(std::array::from_fn(|_| variable(kernel))),
            fibula_nodes::Type::Matrix4x4 => {
                Bundle::Matrix4x4(std::array::from_fn(|_| variable(kernel)))
            }
            fibula_nodes::Type::Integer
            | fibula_nodes::Type::String
            | fibula_nodes::Type::ResourceId => {
                let given = statics
                    .get(&input.name)
                    .filter(|value| value.ty() == input.ty);
                let given = given.ok_or_else(|| EvalError::Arguments {
                    inputs: inputs.clone(),
                    got: format!(
                        "no {} '{}', which is needed before evaluation",
                        input.ty, input.name
                    ),
                })?;
                bundles.push(Bundle::constant(given, kernel));
                continue;
            }
        };
        bundles.push(bundle);
        varying.push(input.clone());
    }
    Ok((varying, bundles))
}
