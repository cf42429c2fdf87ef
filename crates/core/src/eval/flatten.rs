//! Flattening: lowers a function to kernel operations and inlines all calls.
//!
//! Nodes are lowered in topological order without recursion; nested calls recurse on a stack that grows as needed.
//! Calls of the same function with the same arguments are inlined once (memoization).

use std::collections::BTreeSet;
use std::rc::Rc;

use fibula_nodes::{
    Bundle, FunctionType, Kernel, LowerError, Lowering, OracleUse, Query, ResourceId, Scope, Value,
};
use rustc_hash::FxHashMap;

use super::error::{EvalError, UnsetInput};
use crate::graph::{
    Argument, Document, Function, FunctionId, ImageFunction, InputSource, NodeId, NodeLabel,
    NodeView, Schedule,
};

/// Maximum number of operations of a flattened function, and of steps of flattening: calls that differ only in static
/// arguments add no operations, but take time and memory.
pub const MOST_OPERATIONS: usize = 2_000_000;

/// A flattened function.
pub(super) struct FlatFunction {
    pub(super) kernel: Kernel,
    /// Values of each step of the function, one bundle per port.
    pub(super) steps: Vec<Vec<Bundle>>,
    /// One bundle per requested output.
    pub(super) results: Vec<Bundle>,
}

/// Flattens a scheduled function, with `arguments` for its inputs.
///
/// # Errors
/// [`EvalError::MissingInput`] with all unset parameters, also in called functions; [`EvalError::Lower`].
pub(super) fn flatten<'a>(
    document: &'a Document,
    function: &'a Function,
    schedule: &Schedule<'a>,
    outputs: &[usize],
    mut kernel: Kernel,
    arguments: &[Bundle],
) -> Result<FlatFunction, EvalError> {
    let mut flattener = Flattener::new(document);
    let (steps, results) =
        flattener.outputs(function, schedule, outputs, arguments, &mut kernel)?;
    Ok(FlatFunction {
        kernel,
        steps,
        results,
    })
}

/// As [`flatten`], with the literals of nodes as variables, the first of which has the index `first`.
///
/// # Errors
/// As [`flatten`].
pub(super) fn flatten_tunable<'a>(
    document: &'a Document,
    function: &'a Function,
    schedule: &Schedule<'a>,
    outputs: &[usize],
    (mut kernel, first): (Kernel, u32),
    arguments: &[Bundle],
) -> Result<(FlatFunction, Vec<TunableLiteral>), EvalError> {
    let mut flattener = Flattener {
        tunables: Some(Tunables {
            next: first,
            bundles: FxHashMap::default(),
            literals: Vec::new(),
        }),
        ..Flattener::new(document)
    };
    let (steps, results) =
        flattener.outputs(function, schedule, outputs, arguments, &mut kernel)?;
    let literals = flattener
        .tunables
        .map_or_else(Vec::new, |tunables| tunables.literals);
    let flat = FlatFunction {
        kernel,
        steps,
        results,
    };
    Ok((flat, literals))
}

/// A literal of a node that is a variable of the tape: it can change, and the tape stays the same.
#[derive(Debug, Clone, PartialEq)]
pub struct TunableLiteral {
    /// Function of the node; the one that was flattened, or one that it calls.
    pub function_id: FunctionId,
    /// The node.
    pub node_id: NodeId,
    /// The parameter.
    pub parameter: String,
    /// The value.
    pub value: Value,
}

/// Maximum number of scalars of literals that become variables; further ones stay constants.
pub const MOST_TUNABLE: u32 = 4_000;

/// The literals that became variables so far.
struct Tunables {
    /// Index of the next variable.
    next: u32,
    bundles: FxHashMap<(FunctionId, NodeId, usize), Bundle>,
    literals: Vec<TunableLiteral>,
}

/// Lowers outputs, by index, of an image function at the point that the first three variables are.
///
/// # Errors
/// [`EvalError::Image`]: the image is missing.
pub(super) fn flatten_image(
    document: &Document,
    (id, image): (FunctionId, &ImageFunction),
    outputs: &[usize],
) -> Result<(Kernel, Vec<Bundle>), EvalError> {
    let mut kernel = Kernel::new();
    let at = Bundle::Float3([0, 1, 2].map(|axis| kernel.variable(axis)));
    let channels = Flattener::new(document).image(image, &at, &mut kernel);
    let channels = channels.map_err(|error| EvalError::Image {
        function_id: id,
        error,
    })?;
    let results = outputs.iter().map(|&output| channels[output].clone());
    let results = results.collect();
    Ok((kernel, results))
}

/// Finds all unset parameters that are needed, in the function and in those that it calls.
fn find_unset(
    document: &Document,
    function: &Function,
    schedule: &Schedule<'_>,
    outputs: &[usize],
) -> Vec<UnsetInput> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([function.id()]);
    let mut waiting = Vec::new();
    search(function, schedule, outputs, &mut found, &mut waiting);
    while let Some(id) = waiting.pop() {
        // Image functions have no nodes; a missing callee is reported when the call is lowered.
        if let Ok(callee) = document.function(id)
            && seen.insert(id)
        {
            let outputs = every_output(callee);
            let schedule = callee.schedule(&outputs);
            search(callee, &schedule, &outputs, &mut found, &mut waiting);
        }
    }
    found.sort_by_key(|missing| (missing.function_id, missing.node.node_id));
    found
}

fn search(
    function: &Function,
    schedule: &Schedule<'_>,
    outputs: &[usize],
    found: &mut Vec<UnsetInput>,
    callees: &mut Vec<FunctionId>,
) {
    let mut note = |node: NodeLabel, parameter: &str, ty| {
        found.push(UnsetInput {
            function_id: function.id(),
            function_name: function.name().to_owned(),
            node,
            parameter: parameter.to_owned(),
            ty,
        });
    };
    for step in &schedule.steps {
        callees.extend(step.node.callee().map(FunctionId::from));
        for (place, source) in step.inputs.iter().enumerate() {
            if *source == InputSource::Unset {
                let name = &step.node.signature().parameters[place].name;
                note(step.node.label(), name, step.node.parameter_type(place));
            }
        }
    }
    for (&output, source) in outputs.iter().zip(&schedule.results) {
        if *source == InputSource::Unset {
            let port = &function.outputs()[output];
            let end = NodeLabel {
                node_id: NodeId::END,
                node_type: "End",
                display_name: None,
            };
            note(end, &port.name, port.ty);
        }
    }
}

fn every_output(function: &Function) -> Vec<usize> {
    (0..function.outputs().len()).collect()
}

type Steps = Vec<Vec<Bundle>>;

/// Lowers functions of a document to kernel operations.
pub(super) struct Flattener<'a> {
    document: &'a Document,
    schedules: FxHashMap<FunctionId, Rc<Schedule<'a>>>,
    /// Results of calls, by function and arguments.
    calls: FxHashMap<(FunctionId, Vec<Bundle>), Vec<Bundle>>,
    /// The innermost node that could not be lowered.
    place: Option<(FunctionId, String, NodeLabel)>,
    /// Number of lowered nodes and of their inputs.
    written: usize,
    /// The literals that become variables; `None` if all are constants.
    tunables: Option<Tunables>,
}

impl<'a> Flattener<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        Flattener {
            document,
            schedules: FxHashMap::default(),
            calls: FxHashMap::default(),
            place: None,
            written: 0,
            tunables: None,
        }
    }

    /// Lowers a function, with `arguments` for its inputs; returns the values of its steps and outputs. Errors are
    /// those of [`flatten`].
    pub(super) fn outputs(
        &mut self,
        function: &Function,
        schedule: &Schedule<'_>,
        outputs: &[usize],
        arguments: &[Bundle],
        kernel: &mut Kernel,
    ) -> Result<(Steps, Vec<Bundle>), EvalError> {
        let missing = find_unset(self.document, function, schedule, outputs);
        if !missing.is_empty() {
            return Err(EvalError::MissingInput(missing));
        }
        self.write(function, schedule, arguments, kernel)
            .map_err(|error| {
                let (function_id, function_name, node) =
                    self.place.take().expect("the node that failed was noted");
                EvalError::Lower {
                    function_id,
                    function_name,
                    node: Box::new(node),
                    error,
                }
            })
    }

    fn write(
        &mut self,
        function: &Function,
        schedule: &Schedule<'_>,
        arguments: &[Bundle],
        kernel: &mut Kernel,
    ) -> Result<(Steps, Vec<Bundle>), LowerError> {
        let mut steps: Steps = Vec::with_capacity(schedule.steps.len());
        for step in &schedule.steps {
            let inputs: Vec<Bundle> = if Some(step.node.id()) == function.begin() {
                arguments.to_vec()
            } else {
                let sources = step.inputs.iter().enumerate();
                sources
                    .map(|(place, source)| {
                        let tunable = self.tunable(function, step.node, place, kernel);
                        tunable.unwrap_or_else(|| bundle(source, &steps, kernel))
                    })
                    .collect()
            };
            let taken = inputs.iter().map(|input| input.scalars().len().max(1));
            self.written += 1 + taken.sum::<usize>();
            let lowered = if self.written.max(kernel.operations().len()) > MOST_OPERATIONS {
                Err(LowerError::TooLarge(MOST_OPERATIONS))
            } else {
                let mut lowering = Lowering {
                    kernel: &mut *kernel,
                    scope: &mut *self,
                };
                step.node.kind().lower(&inputs, &mut lowering)
            };
            steps.push(lowered.inspect_err(|_| {
                let place = || (function.id(), function.name().to_owned(), step.node.label());
                self.place.get_or_insert_with(place);
            })?);
        }
        let results = schedule.results.iter();
        let results = results
            .map(|source| bundle(source, &steps, kernel))
            .collect();
        Ok((steps, results))
    }

    /// Returns the variables of a parameter, if its argument is a literal of numbers and literals become variables.
    fn tunable(
        &mut self,
        function: &Function,
        node: NodeView<'_>,
        place: usize,
        kernel: &mut Kernel,
    ) -> Option<Bundle> {
        let tunables = self.tunables.as_mut()?;
        let Argument::Value(value) = node.argument(place) else {
            return None;
        };
        let key = (function.id(), node.id(), place);
        if let Some(known) = tunables.bundles.get(&key) {
            return Some(known.clone());
        }
        let width = value.scalars().len() as u32;
        if tunables.next + width > MOST_TUNABLE {
            return None;
        }
        let first = tunables.next;
        let mut variable = |index: usize| kernel.variable(first + index as u32);
        let bundle = match value {
            Value::Float(_) => Bundle::Float(variable(0)),
            Value::Float3(_) => Bundle::Float3(std::array::from_fn(variable)),
            Value::Matrix4x4(_) => Bundle::Matrix4x4(std::array::from_fn(variable)),
            Value::Integer(_) | Value::String(_) | Value::ResourceId(_) => return None,
        };
        tunables.next += width;
        tunables.bundles.insert(key, bundle.clone());
        tunables.literals.push(TunableLiteral {
            function_id: function.id(),
            node_id: node.id(),
            parameter: node.signature().parameters[place].name.to_string(),
            value: value.clone(),
        });
        Some(bundle)
    }

    /// Lowers an image function at a point.
    pub(super) fn image(
        &mut self,
        image: &ImageFunction,
        at: &Bundle,
        kernel: &mut Kernel,
    ) -> Result<Vec<Bundle>, LowerError> {
        let query = Query::Image {
            filter: image.filter,
            tiles: image.tiles,
        };
        let mut lowering = Lowering {
            kernel,
            scope: self,
        };
        let channels = lowering.query_oracle(image.image, query, at.float3())?;
        let (scale, offset) = (
            lowering.constant(image.scale),
            lowering.constant(image.offset),
        );
        let scaled: Vec<_> = channels
            .into_iter()
            .map(|channel| {
                let product = lowering.mul(channel, scale);
                lowering.add(product, offset)
            })
            .collect();
        let color = Bundle::Float3([scaled[0], scaled[1], scaled[2]]);
        Ok(std::iter::once(color)
            .chain(scaled.into_iter().map(Bundle::Float))
            .collect())
    }
}

/// Value of a source; unset ones were reported before.
fn bundle(source: &InputSource<'_>, steps: &Steps, kernel: &mut Kernel) -> Bundle {
    match *source {
        InputSource::Port { step, port } => steps[step][port].clone(),
        InputSource::Value(value) => Bundle::constant(value, kernel),
        InputSource::Unset => unreachable!("unset inputs were reported before flattening"),
    }
}

impl Scope for Flattener<'_> {
    fn inline(
        &mut self,
        function: ResourceId,
        arguments: &[Bundle],
        kernel: &mut Kernel,
    ) -> Result<Vec<Bundle>, LowerError> {
        if let Some(image) = self.document.image_function(function) {
            return self.image(image, &arguments[0], kernel);
        }
        let id = FunctionId::from(function);
        let key = (id, arguments.to_vec());
        if let Some(known) = self.calls.get(&key) {
            return Ok(known.clone());
        }
        let callee = self.document.function(id);
        let callee = callee.map_err(|_| LowerError::NoFunction(function))?;
        let schedule = self.schedules.entry(id);
        let schedule = schedule.or_insert_with(|| callee.schedule(&every_output(callee)).into());
        let schedule = Rc::clone(schedule);
        let (_, results) = grow_stack(|| self.write(callee, &schedule, arguments, kernel))?;
        self.calls.insert(key, results.clone());
        Ok(results)
    }

    fn function(&self, function: ResourceId) -> Result<FunctionType, LowerError> {
        let ty = self.document.function_type(function);
        ty.ok_or(LowerError::NoFunction(function))
    }

    fn oracle(&self, resource: ResourceId, query: Query) -> Result<OracleUse, LowerError> {
        let wants = query.resource_kind();
        let answers = self.document.content(resource);
        if let Some(answers) = answers.and_then(|content| content.oracle(query)) {
            return Ok(OracleUse {
                resource,
                query,
                answers,
            });
        }
        let is = match self.document.resource(resource) {
            Some(other) if other.answers(wants) => {
                return Err(LowerError::NotLoaded { resource, wants });
            }
            Some(other) => other.kind(),
            None if self.document.function(resource.into()).is_ok() => {
                fibula_nodes::ResourceKind::Function
            }
            None => return Err(LowerError::NoResource { resource, wants }),
        };
        Err(LowerError::WrongResource {
            resource,
            wants,
            is,
        })
    }
}

/// Runs a recursive step on a stack that grows as needed.
pub(super) fn grow_stack<T>(step: impl FnOnce() -> T) -> T {
    /// A step needs less stack than this; if less is left, `GROWTH` is added.
    const RED_ZONE: usize = 128 * 1024;
    const GROWTH: usize = 4 * 1024 * 1024;
    stacker::maybe_grow(RED_ZONE, GROWTH, step)
}
