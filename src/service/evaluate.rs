//! Evaluating a function at points.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use fibula_nodes::{PortSpec, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::form::{ObjectForm, OneOrMany, ValueForm};
use super::page::Paging;
use super::points::{kind_of, point, points, takes};
use super::project::{Project, Snapshot};
use super::refusal::Refusal;
use super::tapes::Key;
use super::{DEFAULT_PROJECT, Service};
use crate::eval;
use crate::graph::{Argument, Document, FunctionId, NodeId};

/// The most operations of one call, over all points: some seconds.
const MOST_WORK: u64 = 2_000_000_000;
/// Making an operation takes as long as evaluating it so many times.
const MAKING: u64 = 200;
/// Up to this many operations a call takes less than a millisecond or so.
const QUICK_WORK: u64 = 200_000;
/// Points between two looks at whether the work is still wanted.
const STRIDE: usize = 256;
/// The most nodes that a trace tells of.
const MOST_TRACED: u32 = 300;

/// What is to be evaluated, and where.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evaluate {
    /// Left out: "default".
    pub project: Option<String>,
    /// The function.
    #[schemars(with = "u32")]
    pub function_id: FunctionId,
    /// {INPUT: value}, such as {"pos": [0, 0, 5]}, or a list of such for many points.
    #[schemars(with = "Option<OneOrMany<ObjectForm>>")]
    pub arguments: Option<Json>,
    /// Names of the outputs wanted; all if left out.
    pub outputs: Option<Vec<String>>,
    /// true also gives what every node takes and yields, for one point.
    #[serde(default)]
    pub trace: bool,
    /// As of this revision.
    pub revision: Option<u64>,
}

impl Evaluate {
    /// A request for all outputs of a function of the default project.
    pub fn new(function_id: FunctionId, arguments: impl Into<Json>) -> Self {
        Evaluate {
            project: None,
            function_id,
            arguments: Some(arguments.into()),
            outputs: None,
            trace: false,
            revision: None,
        }
    }
}

/// The values of a function.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Evaluated {
    pub success: bool,
    /// {OUTPUT: value}; a list of such for a list of points. "NaN", "Infinity" and "-Infinity" are texts.
    #[schemars(with = "OneOrMany<BTreeMap<String, ValueForm>>")]
    pub values: Json,
    /// The nodes that the outputs need, in the order of evaluation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<ObjectForm>>")]
    pub trace: Option<Vec<TracedNode>>,
    pub warnings: Vec<String>,
    pub revision: u64,
    /// Whether `values` has only the first points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
    /// All points, if `values` has not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<usize>,
    /// How to get the other values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Evaluated {
    /// The answer with the first values only, if all would be too long for an agent.
    #[must_use]
    pub fn shortened(mut self) -> Self {
        let (Json::Array(values), Ok(paging)) = (&mut self.values, Paging::new(None, None)) else {
            return self;
        };
        let total = values.len();
        let page = paging.page((0..).zip(values.drain(..)), |value| value);
        let shown = page.items.len();
        *values = page.items;
        if shown < total {
            self.truncated = Some(true);
            self.total = Some(total);
            self.next = Some(format!(
                "these are the values of the first {shown} of {total} points; call again with the points from {shown} \
                 (from 0) on, at most {shown} at a time"
            ));
        }
        self
    }
}

/// What a node takes and yields.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct TracedNode {
    pub node_id: NodeId,
    pub node_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    pub inputs: BTreeMap<String, Json>,
    pub outputs: BTreeMap<String, Json>,
}

/// An evaluation whose arguments were read, on a snapshot.
#[derive(Debug)]
pub struct Evaluation {
    project: Arc<Project>,
    snapshot: Snapshot,
    function: FunctionId,
    outputs: Option<Vec<String>>,
    /// One value per input, for each point.
    points: Vec<Vec<Value>>,
    /// The inputs that are known before evaluation, by place and name.
    statics: Vec<(usize, String)>,
    many: bool,
    trace: bool,
}

impl Service {
    /// Evaluates a function, however long it takes.
    ///
    /// # Errors
    /// As [`evaluation`](Self::evaluation) and [`Evaluation::run`].
    pub fn evaluate(&self, request: Evaluate) -> Result<Evaluated, Refusal> {
        self.evaluation(request)?
            .run(&mut |_, _| ControlFlow::Continue(()))
    }

    /// Reads the arguments of an evaluation.
    ///
    /// # Errors
    /// A [`Refusal`]: the function is unknown, arguments are missing (all are named), unknown or no values.
    pub fn evaluation(&self, request: Evaluate) -> Result<Evaluation, Refusal> {
        let Evaluate {
            project,
            function_id,
            arguments,
            outputs,
            trace,
            revision,
        } = request;
        let project = self.project(Some(project.as_deref().unwrap_or(DEFAULT_PROJECT)))?;
        let snapshot = project.at(revision)?;
        let inputs = snapshot.document.function(function_id)?.inputs();
        let arguments = arguments.map(unquoted);
        let many = matches!(arguments, Some(Json::Array(_)));
        let points = match arguments {
            None | Some(Json::Null) => vec![point(&inputs, &Map::new(), None)?],
            Some(Json::Object(given)) => vec![point(&inputs, &given, None)?],
            Some(Json::Array(list)) => points(&inputs, &list)?,
            Some(other) => {
                let message = format!(
                    "arguments is {}, not an object or a list of objects",
                    kind_of(&other)
                );
                return Err(Refusal::new("invalid_arguments", message).hint(takes(&inputs)));
            }
        };
        if trace && points.len() != 1 {
            let message = format!("a trace is of one point, but there are {}", points.len());
            return Err(Refusal::new("invalid_arguments", message)
                .hint("give one object as arguments, or leave trace out"));
        }
        let fixed = |(place, input): (usize, &PortSpec)| {
            (input.ty.width() == 0).then(|| (place, input.name.clone()))
        };
        Ok(Evaluation {
            project,
            snapshot,
            function: function_id,
            outputs,
            statics: inputs.iter().enumerate().filter_map(fixed).collect(),
            points,
            many,
            trace,
        })
    }
}

/// What a text holds if it is an object or a list in JSON, which some hosts send instead of it.
fn unquoted(arguments: Json) -> Json {
    match &arguments {
        Json::String(text) if text.trim_start().starts_with(['{', '[']) => {
            serde_json::from_str(text).unwrap_or(arguments)
        }
        _ => arguments,
    }
}

impl Evaluation {
    /// Whether this takes no longer than a thread takes to be woken.
    pub fn is_quick(&self) -> bool {
        let points = self.points.len() as u64;
        if let Some(tape) = self
            .points
            .first()
            .and_then(|point| self.project.tapes.find(&self.key(point)))
        {
            return points * (tape.operations().len() as u64 + 1) <= QUICK_WORK;
        }
        size(&self.snapshot.document, self.function)
            .is_some_and(|nodes| points * nodes <= QUICK_WORK / 20)
    }

    /// Does it. `watch` is told how many points of how many are done, and may end it.
    ///
    /// # Errors
    /// A [`Refusal`]: inputs of nodes are not set (all are named), a resource is missing, there is too much to do,
    /// `watch` ended it.
    pub fn run(
        &self,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Evaluated, Refusal> {
        let mut values = Vec::with_capacity(self.points.len());
        let mut strange = Strange::default();
        let (mut from, mut made) = (0, 0);
        while from < self.points.len() {
            if watch(from as u64, self.points.len() as u64).is_break() {
                return Err(Refusal::cancelled());
            }
            let key = self.key(&self.points[from]);
            let same = |point: &&Vec<Value>| {
                self.statics.is_empty() || self.statics_of(point) == key.statics
            };
            let to = from + self.points[from..].iter().take_while(same).count();
            let tape = self.project.tapes.get(&self.snapshot, &key)?;
            made += tape.operations().len() as u64 * MAKING;
            self.check_work(tape.operations().len(), made)?;
            self.run_tape(&tape, from..to, &mut values, &mut strange, watch)?;
            from = to;
        }
        let mut warnings = strange.warnings(self.many);
        let trace = if self.trace {
            Some(self.traced(&mut warnings)?)
        } else {
            None
        };
        let values = if self.many {
            Json::Array(values)
        } else {
            values.pop().unwrap_or_default()
        };
        Ok(Evaluated {
            success: true,
            values,
            trace,
            warnings,
            revision: self.snapshot.head.revision,
            truncated: None,
            total: None,
            next: None,
        })
    }

    fn run_tape(
        &self,
        tape: &eval::Tape,
        range: std::ops::Range<usize>,
        values: &mut Vec<Json>,
        strange: &mut Strange,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<(), Refusal> {
        let mut evaluator = tape.evaluator();
        let mut scalars = Vec::with_capacity(tape.input_width());
        let mut results = vec![0.0; tape.output_width()];
        for place in range {
            if place % STRIDE == 0 && watch(place as u64, self.points.len() as u64).is_break() {
                return Err(Refusal::cancelled());
            }
            scalars.clear();
            scalars.extend(self.points[place].iter().flat_map(Value::scalars));
            evaluator.run(&scalars, &mut results);
            let mut point = Map::new();
            for (output, value) in tape.outputs().iter().zip(tape.typed(&results)) {
                strange.see(place, &output.name, &value);
                point.insert(output.name.clone(), value.to_json());
            }
            values.push(Json::Object(point));
        }
        Ok(())
    }

    fn statics_of(&self, point: &[Value]) -> BTreeMap<String, Value> {
        let statics = self.statics.iter();
        statics
            .map(|(place, name)| (name.clone(), point[*place].clone()))
            .collect()
    }

    fn key(&self, point: &[Value]) -> Key {
        Key {
            head: self.snapshot.head,
            function: self.function,
            outputs: self.outputs.clone(),
            statics: self.statics_of(point),
        }
    }

    /// `made` is what the tapes so far took to be made.
    fn check_work(&self, operations: usize, made: u64) -> Result<(), Refusal> {
        let (points, operations) = (self.points.len() as u64, operations.max(1) as u64);
        if points * operations > MOST_WORK {
            let most = MOST_WORK / operations;
            let message =
                format!("{points} points times {operations} operations are too much for one call");
            return Err(Refusal::new("too_large", message)
                .hint(format!("send at most {most} points at a time"))
                .details(
                    json!({ "points": points, "operations": operations, "most_points": most }),
                ));
        }
        if made > MOST_WORK {
            let names: Vec<&str> = self.statics.iter().map(|(_, name)| name.as_str()).collect();
            let names = names.join(", ");
            let most = MOST_WORK / (operations * MAKING);
            let message = format!(
                "{names} must be known before evaluation, and takes too many values for one call"
            );
            return Err(Refusal::new("too_large", message).hint(format!(
                "send at most {most} different values at a time, and points of one value together"
            )));
        }
        Ok(())
    }

    fn traced(&self, warnings: &mut Vec<String>) -> Result<Vec<TracedNode>, Refusal> {
        let trace = eval::trace(&self.snapshot.document, self.function, &self.points[0])?;
        let values = |values: Vec<(String, Value)>| {
            values
                .into_iter()
                .map(|(name, value)| (name, value.to_json()))
                .collect()
        };
        let traced = |traced: eval::TracedNode| TracedNode {
            node_id: traced.node.node_id,
            node_type: traced.node.node_type.to_owned(),
            display_name: traced.node.display_name,
            inputs: values(traced.inputs),
            outputs: values(traced.outputs),
        };
        // The last nodes are the nearest to the outputs.
        let total = trace.nodes.len();
        let last = trace.nodes.into_iter().rev();
        let mut nodes = Paging::new(Some(MOST_TRACED), None)?
            .page((0..).zip(last), traced)
            .items;
        nodes.reverse();
        if nodes.len() < total {
            warnings.push(format!(
                "the trace has the last {} of {total} nodes, {} are left out",
                nodes.len(),
                total - nodes.len()
            ));
        }
        Ok(nodes)
    }
}

/// How many nodes a function has; `None` if it refers to others, whose nodes would have to be counted too.
fn size(document: &Document, function: FunctionId) -> Option<u64> {
    const LARGE: usize = 10_000;
    let function = document.function(function).ok()?;
    if function.node_count() > LARGE {
        return None;
    }
    let refers = |node: crate::graph::NodeView<'_>| {
        let parameters = node.signature().parameters.iter().enumerate();
        parameters
            .filter(|(_, parameter)| parameter.refers.is_some())
            .any(|(place, _)| node.argument(place) != Argument::Unset)
    };
    (!function.nodes().any(refers)).then_some(function.node_count() as u64 + 1)
}

/// Results that are not finite: for each output the first, and how many.
#[derive(Debug, Default)]
struct Strange(BTreeMap<String, (usize, Json, usize)>);

impl Strange {
    fn see(&mut self, place: usize, output: &str, value: &Value) {
        if value.is_finite() {
            return;
        }
        match self.0.get_mut(output) {
            Some((.., count)) => *count += 1,
            None => {
                self.0
                    .insert(output.to_owned(), (place, value.to_json(), 1));
            }
        }
    }

    fn warnings(self, many: bool) -> Vec<String> {
        let text = |(output, (place, value, count)): (String, (usize, Json, usize))| {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            if many {
                format!("{output} is not finite at {count} points, first {value} at point {place}")
            } else {
                format!("{output} is {value}: the value is not finite there")
            }
        };
        self.0.into_iter().map(text).collect()
    }
}
