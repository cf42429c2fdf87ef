//! Flattening: a function's nodes and those of the functions that it calls, written as kernel operations.
//!
//! Nodes are lowered in topological order, so the depth of a graph costs no stack; the depth of calls within
//! calls does, and the stack grows with it. A call of the same function with the same arguments is written once.

use std::collections::BTreeSet;
use std::rc::Rc;

use fibula_nodes::{
    Bundle, FunctionType, Kernel, LowerError, Lowering, OracleUse, Query, ResourceId, Scope,
};
use rustc_hash::FxHashMap;

use super::error::{EvalError, Missing};
use crate::graph::{
    Document, Function, FunctionId, ImageFunction, NodeLabel, Resource, Schedule, Source,
};

/// The most operations that a function may have when its calls are written out, and the most steps of writing:
/// calls that differ only in what is known before evaluation write no operations, but take time and memory.
pub const MOST_OPERATIONS: usize = 2_000_000;

/// A function written as kernel operations.
pub(super) struct Flat {
    pub(super) kernel: Kernel,
    /// What each step of the function yields, one bundle per port.
    pub(super) steps: Vec<Vec<Bundle>>,
    /// One bundle per output that was asked for.
    pub(super) results: Vec<Bundle>,
}

/// Flattens the function of `schedule`, with `arguments` in the place of its inputs.
///
/// # Errors
/// [`EvalError::MissingInput`] with every input that is not set, also in called functions; [`EvalError::Lower`].
pub(super) fn flatten<'a>(
    document: &'a Document,
    function: &'a Function,
    schedule: &Schedule<'a>,
    outputs: &[usize],
    mut kernel: Kernel,
    arguments: &[Bundle],
) -> Result<Flat, EvalError> {
    let mut flattener = Flattener::new(document);
    let (steps, results) =
        flattener.outputs(function, schedule, outputs, arguments, &mut kernel)?;
    Ok(Flat {
        kernel,
        steps,
        results,
    })
}

/// Every input that is needed and not set, in the function and in those that it calls.
fn missing(
    document: &Document,
    function: &Function,
    schedule: &Schedule<'_>,
    outputs: &[usize],
) -> Vec<Missing> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([function.id()]);
    let mut waiting = Vec::new();
    search(function, schedule, outputs, &mut found, &mut waiting);
    while let Some(id) = waiting.pop() {
        // A callee that is an image has no nodes; one that is not there is reported when the call is written.
        if let Ok(callee) = document.function(id)
            && seen.insert(id)
        {
            let outputs = every_output(callee);
            search(
                callee,
                &callee.schedule(&outputs),
                &outputs,
                &mut found,
                &mut waiting,
            );
        }
    }
    found.sort_by_key(|missing| (missing.function_id, missing.node.node_id));
    found
}

fn search(
    function: &Function,
    schedule: &Schedule<'_>,
    outputs: &[usize],
    found: &mut Vec<Missing>,
    callees: &mut Vec<FunctionId>,
) {
    let mut note = |node: NodeLabel, parameter: &str, ty| {
        found.push(Missing {
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
            if *source == Source::Unset {
                let name = &step.node.signature().parameters[place].name;
                note(step.node.label(), name, step.node.parameter_type(place));
            }
        }
    }
    for (&output, source) in outputs.iter().zip(&schedule.results) {
        if *source == Source::Unset {
            let port = &function.outputs()[output];
            let end = NodeLabel {
                node_id: crate::graph::NodeId::END,
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

/// Writes functions of a document as kernel operations.
pub(super) struct Flattener<'a> {
    document: &'a Document,
    schedules: FxHashMap<FunctionId, Rc<Schedule<'a>>>,
    /// What calls have yielded, by function and arguments.
    calls: FxHashMap<(FunctionId, Vec<Bundle>), Vec<Bundle>>,
    /// The innermost node that could not be written.
    place: Option<(FunctionId, String, NodeLabel)>,
    /// How much was written: nodes, and what they took.
    written: usize,
}

impl<'a> Flattener<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        Flattener {
            document,
            schedules: FxHashMap::default(),
            calls: FxHashMap::default(),
            place: None,
            written: 0,
        }
    }

    /// Writes a function with `arguments` in the place of its inputs; gives what its steps and its outputs yield.
    ///
    /// # Errors
    /// As [`flatten`].
    pub(super) fn outputs(
        &mut self,
        function: &Function,
        schedule: &Schedule<'_>,
        outputs: &[usize],
        arguments: &[Bundle],
        kernel: &mut Kernel,
    ) -> Result<(Steps, Vec<Bundle>), EvalError> {
        let missing = missing(self.document, function, schedule, outputs);
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
                step.inputs
                    .iter()
                    .map(|source| bundle(source, &steps, kernel))
                    .collect()
            };
            let taken: usize = inputs
                .iter()
                .map(|input| input.scalars().len().max(1))
                .sum();
            self.written += 1 + taken;
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
        let results = schedule
            .results
            .iter()
            .map(|source| bundle(source, &steps, kernel))
            .collect();
        Ok((steps, results))
    }

    /// Writes what an image function yields at a point.
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

/// The value of a source that is there: unset ones were reported before.
fn bundle(source: &Source<'_>, steps: &Steps, kernel: &mut Kernel) -> Bundle {
    match *source {
        Source::Port { step, port } => steps[step][port].clone(),
        Source::Value(value) => Bundle::constant(value, kernel),
        Source::Unset => unreachable!("unset inputs were reported before flattening"),
    }
}

impl Scope for Flattener<'_> {
    fn inline(
        &mut self,
        function: ResourceId,
        arguments: &[Bundle],
        kernel: &mut Kernel,
    ) -> Result<Vec<Bundle>, LowerError> {
        /// A call needs less stack than this; where less is left, this much is added.
        const RED_ZONE: usize = 128 * 1024;
        const GROWTH: usize = 4 * 1024 * 1024;
        if let Some(Resource::ImageFunction(image)) = self.document.resource(function) {
            return self.image(image, &arguments[0], kernel);
        }
        let id = FunctionId::from(function);
        let key = (id, arguments.to_vec());
        if let Some(known) = self.calls.get(&key) {
            return Ok(known.clone());
        }
        let callee = self
            .document
            .function(id)
            .map_err(|_| LowerError::NoFunction(function))?;
        let schedule = self
            .schedules
            .entry(id)
            .or_insert_with(|| Rc::new(callee.schedule(&every_output(callee))))
            .clone();
        let (_, results) = stacker::maybe_grow(RED_ZONE, GROWTH, || {
            self.write(callee, &schedule, arguments, kernel)
        })?;
        self.calls.insert(key, results.clone());
        Ok(results)
    }

    fn function(&self, function: ResourceId) -> Result<FunctionType, LowerError> {
        if let Some(Resource::ImageFunction(image)) = self.document.resource(function) {
            return Ok(image.ty());
        }
        let found = self.document.function(function.into());
        found
            .map(Function::ty)
            .map_err(|_| LowerError::NoFunction(function))
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
