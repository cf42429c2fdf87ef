//! Evaluation at a list of points, one after the other.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use fibula_core::eval;
use fibula_core::graph::{Argument, Document, FunctionId};
use fibula_eval::Rounding;
use fibula_nodes::{PortSpec, Value};
use serde_json::{Map, Value as Json, json};

use crate::background::ProgressFn;
use crate::evaluation::arguments::{Arguments, parse, parse_point, parse_points};
use crate::evaluation::point_trace;
use crate::evaluation::sampling::{Columns, Leaf};
use crate::evaluation::values::{Evaluate, EvaluationResult};
use crate::knowledge::stale_distances;
use crate::project::change::Snapshot;
use crate::project::commit::Project;
use crate::project::tape_cache::TapeKey;
use crate::refusal::{Refusal, Result};
use crate::service::Service;

/// Maximum operations of a call over all points: some seconds.
const MOST_WORK: u64 = 2_000_000_000;
/// Cost of compiling an operation, in evaluations of it.
const COMPILE_COST: u64 = 200;
/// Operations that take about a millisecond.
const QUICK_WORK: u64 = 200_000;
/// Points between two checks for cancellation.
const STRIDE: usize = 256;

/// Evaluation at a list of points of a snapshot.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an argument of the request"
)]
pub(crate) struct PointEvaluation {
    project: Arc<Project>,
    snapshot: Snapshot,
    function: FunctionId,
    outputs: Option<Vec<String>>,
    /// For each point, one value per input.
    points: Vec<Vec<Value>>,
    /// Inputs that must be known before evaluation, by index and name.
    statics: Vec<(usize, String)>,
    many: bool,
    gradient: bool,
    trace: bool,
    why: bool,
}

/// Results of the points so far.
#[derive(Debug, Default)]
struct PointValues {
    values: Vec<Json>,
    gradients: Vec<Json>,
    /// Points at which the function has kinks.
    kinks: Vec<usize>,
    non_finite: NonFiniteValues,
}

impl Service {
    /// Parses the points of an evaluation.
    pub(crate) fn point_evaluation(&self, request: Evaluate) -> Result<PointEvaluation> {
        if request.bounds || request.lipschitz {
            let message = "bounds and lipschitz need a region, but none is given";
            return Err(Refusal::new("invalid_arguments", message)
                .hint(r#"give a box, such as "region": {"from": [-1, -1, -1], "to": [1, 1, 1]}"#));
        }
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.tried_at(request.revision, &request.edits)?;
        let inputs = snapshot.document.type_of(request.function_id)?.inputs;
        let (many, points) = match parse(&inputs, request.arguments)? {
            Arguments::Many(list) => (true, parse_points(&inputs, &list)?),
            Arguments::One(values) => (false, vec![parse_point(&inputs, &values, None)?]),
        };
        let alone = match (request.trace, request.why) {
            (true, _) => Some("trace"),
            (false, true) => Some("why"),
            (false, false) => None,
        };
        if let Some(alone) = alone.filter(|_| points.len() != 1) {
            let message = format!(
                "{alone} evaluates one point, but there are {}",
                points.len()
            );
            return Err(Refusal::new("invalid_arguments", message)
                .hint(format!("pass one object as arguments, or omit {alone}")));
        }
        let fixed = |(place, input): (usize, &PortSpec)| {
            (input.ty.width() == 0).then(|| (place, input.name.clone()))
        };
        Ok(PointEvaluation {
            project,
            snapshot,
            function: request.function_id,
            outputs: request.outputs,
            statics: inputs.iter().enumerate().filter_map(fixed).collect(),
            points,
            many,
            gradient: request.gradient,
            trace: request.trace,
            why: request.why,
        })
    }
}

impl PointEvaluation {
    /// True if it takes less time than waking a thread.
    pub(crate) fn is_quick(&self) -> bool {
        let times = if self.trace || self.why {
            point_trace::MOST_CALLS as u64
        } else {
            1
        };
        let points = self.points.len() as u64 * times;
        if let Some(tape) = self
            .points
            .first()
            .and_then(|point| self.project.tapes.find(&self.key(point)))
        {
            return points * (tape.operations().len() as u64 + 1) <= QUICK_WORK;
        }
        size(&self.snapshot.document, self.function)
            .is_some_and(|nodes| points * nodes <= QUICK_WORK / 20)
            && self
                .points
                .iter()
                .take(1)
                .all(|point| self.project.is_loaded(&self.snapshot, &self.key(point)))
    }

    /// Evaluates all points. Calls `watch` with the points done and their total; it may cancel the work.
    ///
    /// # Errors
    /// A [`Refusal`] if inputs of nodes are unset (all are named), a resource is missing, the work is too large, or
    /// `watch` cancelled it.
    pub(crate) fn run(&self, watch: ProgressFn<'_>) -> Result<EvaluationResult> {
        let mut found = PointValues::default();
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
            let tape = self.project.tape(&self.snapshot, &key)?;
            made += tape.operations().len() as u64 * COMPILE_COST;
            self.check_work(tape.operations().len(), made)?;
            self.run_tape(&tape, from..to, &mut found, watch)?;
            from = to;
        }
        let mut evaluated = EvaluationResult::new(self.snapshot.head.revision);
        evaluated.warnings = found.non_finite.warnings(self.many);
        let stale = stale_distances(&self.snapshot.document, [self.function.into()]);
        evaluated.warnings.extend(stale);
        evaluated
            .warnings
            .extend(kink_warning(&found.kinks, self.many));
        if self.trace || self.why {
            let key = self.key(&self.points[0]);
            let document = self.project.with_content(&self.snapshot, key.resources())?;
            let point = (self.function, &*self.points[0]);
            let warnings = &mut evaluated.warnings;
            if self.trace {
                evaluated.trace = Some(point_trace::trace(&document, point, warnings)?);
            }
            if self.why {
                let outputs = self.outputs.as_deref();
                evaluated.why = point_trace::explain(&document, point, outputs, warnings)?;
            }
        }
        let one_or_many = |mut points: Vec<Json>| {
            if self.many {
                Json::Array(points)
            } else {
                points.pop().unwrap_or_default()
            }
        };
        evaluated.values = one_or_many(found.values);
        evaluated.gradients = self.gradient.then(|| one_or_many(found.gradients));
        Ok(evaluated)
    }

    fn run_tape(
        &self,
        tape: &eval::Tape,
        range: Range<usize>,
        found: &mut PointValues,
        watch: ProgressFn<'_>,
    ) -> Result<()> {
        let columns = self
            .gradient
            .then(|| Columns::new(tape, Rounding::Exact, true));
        let columns = columns.transpose()?;
        let slopes = columns.as_ref().map(Columns::slopes);
        let mut evaluator = tape.evaluator();
        let mut scalars = Vec::with_capacity(tape.input_width());
        let mut results = vec![0.0; tape.output_width()];
        for place in range {
            if place % STRIDE == 0 && watch(place as u64, self.points.len() as u64).is_break() {
                return Err(Refusal::cancelled());
            }
            scalars.clear();
            scalars.extend(self.points[place].iter().flat_map(Value::scalars));
            if let (Some(columns), Some(slopes)) = (&columns, &slopes) {
                let (numbers, kinks) = columns.at(&scalars);
                let (values, _) = numbers.split_at(results.len());
                results.copy_from_slice(values);
                found.gradients.push(gradient(slopes, &numbers));
                if kinks > 0 {
                    found.kinks.push(place);
                }
            } else {
                evaluator.run(&scalars, &mut results);
            }
            let mut point = Map::new();
            for (output, value) in tape.outputs().iter().zip(tape.typed(&results)) {
                found.non_finite.record(place, &output.name, &value);
                point.insert(output.name.clone(), value.to_json());
            }
            found.values.push(Json::Object(point));
        }
        Ok(())
    }

    fn statics_of(&self, point: &[Value]) -> BTreeMap<String, Value> {
        let statics = self.statics.iter();
        statics
            .map(|(place, name)| (name.clone(), point[*place].clone()))
            .collect()
    }

    fn key(&self, point: &[Value]) -> TapeKey {
        TapeKey {
            head: self.snapshot.head,
            function: self.function,
            outputs: self.outputs.clone(),
            statics: self.statics_of(point),
        }
    }

    /// `made` is the cost of compilation so far.
    fn check_work(&self, operations: usize, made: u64) -> Result<()> {
        let (points, operations) = (self.points.len() as u64, operations.max(1) as u64);
        if points * operations > MOST_WORK {
            let most = MOST_WORK / operations;
            let message = format!(
                "{points} points times {operations} operations exceed the limit of one call"
            );
            return Err(Refusal::new("too_large", message)
                .hint(format!("send at most {most} points at a time"))
                .details(
                    json!({ "points": points, "operations": operations, "most_points": most }),
                ));
        }
        if made > MOST_WORK {
            let names: Vec<&str> = self.statics.iter().map(|(_, name)| name.as_str()).collect();
            let names = names.join(", ");
            let most = MOST_WORK / (operations * COMPILE_COST);
            let message = format!(
                "{names} must be known before evaluation, and has too many values for one call"
            );
            return Err(Refusal::new("too_large", message).hint(format!(
                "send at most {most} different values at a time, and points with the same value \
                 together"
            )));
        }
        Ok(())
    }
}

/// Derivatives at a point, as `{OUTPUT: {INPUT: derivative}}`.
fn gradient(slopes: &[(String, Vec<(String, Leaf)>)], numbers: &[f64]) -> Json {
    let value = |leaf: &Leaf| leaf.json(&|column| numbers[column]);
    let by = |by: &Vec<(String, Leaf)>| -> Map<String, Json> {
        by.iter()
            .map(|(name, leaf)| (name.clone(), value(leaf)))
            .collect()
    };
    let outputs = slopes.iter();
    let outputs: Map<String, Json> = outputs
        .map(|(name, leaves)| (name.clone(), by(leaves).into()))
        .collect();
    outputs.into()
}

/// Warning for points at which the function has kinks.
fn kink_warning(points: &[usize], many: bool) -> Option<String> {
    let first = points.first()?;
    Some(if many {
        let count = points.len();
        format!(
            "the function has a kink at {count} points, first at point {first}: their gradients are one-sided"
        )
    } else {
        "the function has a kink there: the gradient is one-sided".to_owned()
    })
}

/// Number of nodes of a function, or `None` if it refers to others, whose nodes would count, too.
fn size(document: &Document, function: FunctionId) -> Option<u64> {
    const LARGE: usize = 10_000;
    let function = document.function(function).ok()?;
    if function.node_count() > LARGE {
        return None;
    }
    let refers = |node: fibula_core::graph::NodeView<'_>| {
        let parameters = node.signature().parameters.iter().enumerate();
        parameters
            .filter(|(_, parameter)| parameter.refers.is_some())
            .any(|(place, _)| node.argument(place) != Argument::Unset)
    };
    (!function.nodes().any(refers)).then_some(function.node_count() as u64 + 1)
}

/// Non-finite results: for each output the first, and their number.
#[derive(Debug, Default)]
struct NonFiniteValues(BTreeMap<String, (usize, Json, usize)>);

impl NonFiniteValues {
    fn record(&mut self, place: usize, output: &str, value: &Value) {
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
