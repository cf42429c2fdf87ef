//! The tape: the operations that some outputs of a function need, in static single assignment form.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use fibula_eval::{Code, Point, PointEvaluator, Rounding, Settings};
use fibula_nodes::{Bundle, Expr, Kernel, Operation, OracleUse, PortSpec, Type, Value, names};

use super::error::EvalError;
use super::flatten::{TunableLiteral, flatten, flatten_image, flatten_tunable};
use crate::graph::{Document, Function, FunctionId};

/// Options of [`Tape::with`].
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Names of the requested outputs; all if `None`.
    pub outputs: Option<Vec<String>>,
    /// Static arguments, by name: the inputs that are integers, strings or resource ids.
    pub statics: BTreeMap<String, Value>,
}

/// The operations that some outputs of a function need, in static single assignment form: operation `i` computes value
/// `i` from earlier values. Common subexpressions are shared and constants are folded.
///
/// A tape is immutable and can be shared between threads; scratch memory is in the evaluators.
#[derive(Debug, Clone)]
pub struct Tape {
    inputs: Vec<PortSpec>,
    outputs: Vec<PortSpec>,
    operations: Vec<Operation>,
    oracles: Vec<OracleUse>,
    /// Operations that compute the scalars of the outputs.
    roots: Vec<Expr>,
    /// Static outputs, by index.
    fixed: BTreeMap<usize, Value>,
    exact: OnceLock<Arc<Code>>,
    fast: OnceLock<Arc<Code>>,
    point: OnceLock<Arc<Point>>,
}

impl Tape {
    /// Builds the tape of all outputs of a function graph or image function whose inputs are floats, float3s and matrices.
    ///
    /// # Errors
    /// As [`with`](Self::with).
    pub fn new(document: &Document, function: FunctionId) -> Result<Tape, EvalError> {
        Tape::with(document, function, &Request::default())
    }

    /// Builds a tape with options.
    ///
    /// # Errors
    /// [`EvalError`]: the function or an output does not exist, parameters are unset (all of them are listed), a
    /// resource or a static argument is missing.
    pub fn with(
        document: &Document,
        function: FunctionId,
        request: &Request,
    ) -> Result<Tape, EvalError> {
        let requested = request.outputs.as_deref();
        if let Some(image) = document.image_function(function.into()) {
            let ty = image.ty();
            let wanted = wanted_outputs(function, &ty.outputs, requested)?;
            let outputs = wanted.iter().map(|&output| ty.outputs[output].clone());
            let (kernel, results) = flatten_image(document, (function, image), &wanted)?;
            return Ok(Tape::from_kernel(
                &kernel,
                &results,
                ty.inputs,
                outputs.collect(),
            ));
        }
        let function = document.function(function)?;
        let wanted = wanted_outputs(function.id(), &function.outputs(), requested)?;
        let mut kernel = Kernel::new();
        let (inputs, arguments) = arguments(function, &request.statics, &mut kernel)?;
        let schedule = function.schedule(&wanted);
        let flat = flatten(document, function, &schedule, &wanted, kernel, &arguments)?;
        let all = function.outputs();
        let outputs = wanted.iter().map(|&output| all[output].clone()).collect();
        Ok(Tape::from_kernel(
            &flat.kernel,
            &flat.results,
            inputs,
            outputs,
        ))
    }

    /// Builds the tape of a function graph, in which the literals of nodes are further inputs, after those of the function
    /// and in this order, named `FUNCTION.NODE.PARAMETER`. Other numbers therefore need no other tape. At most
    /// [`MOST_TUNABLE`](super::MOST_TUNABLE) scalars are inputs; further literals stay constants.
    ///
    /// # Errors
    /// As [`with`](Self::with).
    pub fn tunable(
        document: &Document,
        function: FunctionId,
        request: &Request,
    ) -> Result<(Tape, Vec<TunableLiteral>), EvalError> {
        let function = document.function(function)?;
        let all = function.outputs();
        let wanted = wanted_outputs(function.id(), &all, request.outputs.as_deref())?;
        let mut kernel = Kernel::new();
        let (mut inputs, arguments) = arguments(function, &request.statics, &mut kernel)?;
        let first = inputs.iter().map(|input| input.ty.width() as u32).sum();
        let schedule = function.schedule(&wanted);
        let kernel = (kernel, first);
        let (flat, literals) =
            flatten_tunable(document, function, &schedule, &wanted, kernel, &arguments)?;
        inputs.extend(literals.iter().map(|literal| {
            let (function, node) = (literal.function_id, literal.node_id);
            let name = format!("{function}.{node}.{}", literal.parameter);
            PortSpec::new(name, literal.value.ty())
        }));
        let outputs = wanted.iter().map(|&output| all[output].clone()).collect();
        let tape = Tape::from_kernel(&flat.kernel, &flat.results, inputs, outputs);
        Ok((tape, literals))
    }

    /// Builds the tape of a kernel whose variables are the scalars of the inputs, with a bundle for each output.
    pub(super) fn from_kernel(
        kernel: &Kernel,
        results: &[Bundle],
        inputs: Vec<PortSpec>,
        outputs: Vec<PortSpec>,
    ) -> Tape {
        let scalars = results.iter().flat_map(Bundle::scalars);
        let (operations, roots) = kernel.reachable(&scalars.copied().collect::<Vec<_>>());
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

    /// Inputs that vary at evaluation: floats, float3s and matrices.
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

    /// Operations that compute the scalars of the outputs.
    pub fn roots(&self) -> &[Expr] {
        &self.roots
    }

    /// Oracles that the operations query.
    pub fn oracles(&self) -> &[OracleUse] {
        &self.oracles
    }

    /// Number of scalars of the inputs.
    pub fn input_width(&self) -> usize {
        self.inputs.iter().map(|input| input.ty.width()).sum()
    }

    /// Number of scalars of the outputs.
    pub fn output_width(&self) -> usize {
        self.roots.len()
    }

    /// Optimised code, from which all evaluators are built; it is built once.
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

    /// Returns an evaluator of single points, with its own scratch memory.
    pub fn evaluator(&self) -> PointEvaluator<'_> {
        let point = self
            .point
            .get_or_init(|| Arc::new(Point::new(self.code(Rounding::Exact), Settings::default())));
        point.evaluator()
    }

    /// Evaluates the scalars of the outputs for the scalars of the inputs, as in `tape.at([x, y, z])`.
    ///
    /// # Panics
    /// If `point` has not [`input_width`](Self::input_width) scalars.
    pub fn at(&self, point: impl AsRef<[f64]>) -> Vec<f64> {
        let mut results = vec![0.0; self.output_width()];
        self.evaluator().run(point.as_ref(), &mut results);
        results
    }

    /// Evaluates the outputs for one value per input.
    ///
    /// # Errors
    /// [`EvalError::Arguments`] if the values are not of the inputs' types.
    pub fn values(&self, arguments: &[Value]) -> Result<Vec<Value>, EvalError> {
        check_arguments(&self.inputs, arguments)?;
        Ok(self.typed(&self.at(concatenate(arguments))))
    }

    /// Converts the scalars of the outputs to values.
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

/// Concatenates the scalars of values.
pub(super) fn concatenate(values: &[Value]) -> Vec<f64> {
    values.iter().flat_map(Value::scalars).copied().collect()
}

/// Checks that there is one value per input, of its type.
pub(super) fn check_arguments(inputs: &[PortSpec], values: &[Value]) -> Result<(), EvalError> {
    let mut pairs = values.iter().zip(inputs);
    if values.len() == inputs.len() && pairs.all(|(value, input)| value.ty() == input.ty) {
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

/// Value of a static bundle.
fn known(bundle: &Bundle) -> Option<Value> {
    match bundle {
        Bundle::Integer(number) => Some(Value::Integer(*number)),
        Bundle::String(text) => Some(Value::String(text.to_string())),
        Bundle::ResourceId(id) => Some(Value::ResourceId(*id)),
        Bundle::Float(_) | Bundle::Float3(_) | Bundle::Matrix4x4(_) => None,
    }
}

/// Indexes of the requested outputs.
fn wanted_outputs(
    function_id: FunctionId,
    all: &[PortSpec],
    wanted: Option<&[String]>,
) -> Result<Vec<usize>, EvalError> {
    let Some(wanted) = wanted else {
        return Ok((0..all.len()).collect());
    };
    let find = |output: &String| {
        let names = all.iter().map(|port| port.name.as_str()).enumerate();
        names::find(output, names).map_err(|_| EvalError::UnknownOutput {
            function_id,
            output: output.chars().take(80).collect(),
            outputs: all.iter().map(|port| port.name.clone()).collect(),
        })
    };
    wanted.iter().map(find).collect()
}

/// Returns the inputs that vary, and a bundle for every input: variables for these, static arguments for the others.
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
            Type::Float => Bundle::Float(variable(kernel)),
            Type::Float3 => Bundle::Float3(std::array::from_fn(|_| variable(kernel))),
            Type::Matrix4x4 => Bundle::Matrix4x4(std::array::from_fn(|_| variable(kernel))),
            Type::Integer | Type::String | Type::ResourceId => {
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
