//! Requests to sample a function, and the loop that evaluates it chunk by chunk.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::Write;
use std::sync::Arc;

use fibula_core::eval::Tape;
use fibula_core::graph::FunctionId;
use fibula_eval::{Code, Float, Rounding, Settings};
use fibula_formats::points::Points;
use fibula_formats::values::{Block, Format, Head, Writer};
use fibula_nodes::PortSpec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::chunks::ChunkSink;
use super::columns::Columns;
use super::region::Region;
use super::sample_points::{Chunk, PointSet, SamplePoints};
use super::statistics::Statistics;
use super::statistics::StatisticsBuilder;
use crate::background::{ProgressFn, run_watched};
use crate::evaluation::arguments::{
    Arguments, describe_inputs, parse, parse_point, parse_points, without_details,
};
use crate::knowledge::stale_distances;
use crate::project::change::Snapshot;
use crate::project::commit::Project;
use crate::project::tape_cache::TapeKey;
use crate::refusal::{Refusal, Result};
use crate::schema_types::{ObjectForm, OneOrMany};
use crate::service::Service;

json_structs! {
    /// Function, points and format of samples.
    pub request struct Sample {
        project,
        /// The function.
        pub function_id: FunctionId,
        /// {INPUT: value}: the inputs that do not vary; without a region a list of such objects, one per point.
        #[schemars(with = "Option<OneOrMany<ObjectForm>>")]
        pub arguments: Option<Json>,
        /// The points.
        pub region: Option<Region>,
        /// Names of the outputs; default all.
        pub outputs: Option<Vec<String>>,
        /// true adds the derivatives with respect to the inputs.
        pub gradient: bool,
        /// Format of the numbers.
        pub format: Format,
        /// Precision of the evaluation.
        pub precision: Precision = default,
        revision,
    }
}

/// Precision of the evaluation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// In double precision, each operation rounded on its own, as evaluate does.
    #[default]
    F64,
    /// In single precision, and fast: products are contracted into sums.
    F32,
}

/// Result of sampling.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct SampleResult {
    pub points: usize,
    /// Number of points on each axis, slowest first.
    pub shape: Vec<usize>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Statistics of the columns, by name.
    pub statistics: BTreeMap<String, Statistics>,
    pub warnings: Vec<String>,
    pub revision: u64,
}

/// A function and the points at which it is to be sampled.
#[derive(Debug)]
pub struct Sampling {
    pub(super) project: Arc<Project>,
    pub(super) snapshot: Snapshot,
    pub(super) function: FunctionId,
    pub(super) outputs: Option<Vec<String>>,
    pub(super) gradient: bool,
    pub(super) places: SamplePoints,
    pub(super) most_work: u64,
}

impl Service {
    /// Compiles a function, for evaluators of the caller.
    ///
    /// # Errors
    /// A [`Refusal`] if the function is unknown, inputs of nodes are unset (all are named), a resource is missing, or
    /// an input must be known before evaluation.
    pub fn tape(&self, project: Option<&str>, function: FunctionId) -> Result<Arc<Tape>> {
        let project = self.project(project)?;
        let snapshot = project.at(None)?;
        let key = TapeKey {
            head: snapshot.head,
            function,
            outputs: None,
            statics: BTreeMap::new(),
        };
        project.tape(&snapshot, &key)
    }

    /// Parses a request to sample a function.
    ///
    /// # Errors
    /// A [`Refusal`] if the function is unknown, arguments are missing or invalid, or the region is invalid.
    pub fn sampling(&self, request: Sample) -> Result<Sampling> {
        self.sampling_at(request, None)
    }

    /// As [`sampling`](Self::sampling), at points that have a number for each component of the inputs that are not
    /// among the arguments.
    ///
    /// # Errors
    /// As [`sampling`](Self::sampling), and if the points have another number of components.
    pub fn sampling_at(&self, request: Sample, points: Option<Points>) -> Result<Sampling> {
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(request.revision)?;
        self.sampling_of(project, snapshot, request, points)
    }

    /// As [`sampling_at`](Self::sampling_at), of a snapshot of a project.
    pub(crate) fn sampling_of(
        &self,
        project: Arc<Project>,
        snapshot: Snapshot,
        request: Sample,
        points: Option<Points>,
    ) -> Result<Sampling> {
        let inputs = snapshot.document.type_of(request.function_id)?.inputs;
        let places = match (request.region, points, parse(&inputs, request.arguments)?) {
            (Some(_), Some(_), _) => {
                let message = "the points are given twice: as a region and as a list";
                return Err(Refusal::new("invalid_arguments", message).hint("pass one of them"));
            }
            (Some(region), None, arguments) => {
                region.places(&inputs, &common_arguments(arguments)?)?
            }
            (None, Some(points), arguments) => {
                points_from_list(&inputs, &common_arguments(arguments)?, points)?
            }
            (None, None, arguments) => points_from_arguments(&inputs, arguments)?,
        };
        Ok(Sampling {
            project,
            snapshot,
            function: request.function_id,
            outputs: request.outputs,
            gradient: request.gradient,
            places,
            most_work: self.most_work,
        })
    }
}

/// Returns the arguments that are the same at all points.
fn common_arguments(arguments: Arguments) -> Result<Map<String, Json>> {
    match arguments {
        Arguments::One(arguments) => Ok(arguments),
        Arguments::Many(_) => {
            let message = "arguments is a list, but the points are given separately";
            Err(Refusal::new("invalid_arguments", message)
                .hint("pass one object with the inputs that are the same at all points"))
        }
    }
}

/// Returns the points of a list of arguments, or the one point.
fn points_from_arguments(inputs: &[PortSpec], arguments: Arguments) -> Result<SamplePoints> {
    let values = match arguments {
        Arguments::Many(list) => parse_points(inputs, &list)?,
        Arguments::One(arguments) => vec![parse_point(inputs, &arguments, None)?],
    };
    let Some(first) = values.first() else {
        return Err(Refusal::new("invalid_arguments", "no point is given")
            .hint("pass a region, or a list of arguments"));
    };
    let varied: Vec<usize> = (0..inputs.len())
        .filter(|place| inputs[*place].ty.width() > 0)
        .collect();
    let fixed = |place: usize| inputs[place].ty.width() == 0;
    for point in &values {
        let other = (0..inputs.len()).find(|place| fixed(*place) && point[*place] != first[*place]);
        if let Some(place) = other {
            let message = format!(
                "{} must be known before evaluation, so it must be the same at all points",
                inputs[place].name
            );
            return Err(Refusal::new("invalid_arguments", message)
                .hint("write one file for each of its values"));
        }
    }
    let width = varied.iter().map(|place| inputs[*place].ty.width()).sum();
    let mut columns = vec![Vec::with_capacity(values.len()); width];
    for point in &values {
        let scalars = point.iter().flat_map(fibula_nodes::Value::scalars);
        for (column, scalar) in columns.iter_mut().zip(scalars) {
            column.push(*scalar);
        }
    }
    let first = first.clone();
    Ok(SamplePoints::new(
        inputs,
        &first,
        &varied,
        PointSet::Listed(Points::new(columns)),
    ))
}

/// Returns points that have a number for each component of the inputs without argument.
fn points_from_list(
    inputs: &[PortSpec],
    arguments: &Map<String, Json>,
    points: Points,
) -> Result<SamplePoints> {
    let is_given = |input: &PortSpec| {
        arguments
            .keys()
            .any(|name| name.eq_ignore_ascii_case(&input.name))
    };
    let open = inputs.iter().enumerate();
    let open = open.filter(|(_, input)| input.ty.width() > 0 && !is_given(input));
    let mut varied: Vec<usize> = open.map(|(place, _)| place).collect();
    let numbers = points.columns().len();
    let width =
        |places: &[usize]| -> usize { places.iter().map(|place| inputs[*place].ty.width()).sum() };
    // Inputs with a default need no numbers.
    let required = varied.iter().copied();
    let required = required.filter(|place| inputs[*place].default_value().is_none());
    let required: Vec<usize> = required.collect();
    if width(&varied) != numbers && width(&required) == numbers {
        varied = required;
    }
    let width = width(&varied);
    let mut all = arguments.clone();
    for place in &varied {
        let zero = match inputs[*place].ty.width() {
            1 => json!(0),
            width => json!(vec![0; width]),
        };
        all.insert(inputs[*place].name.clone(), zero);
    }
    let values = parse_point(&without_details(inputs, &varied), &all, None)?;
    if numbers != width {
        let names: Vec<String> = varied
            .iter()
            .map(|place| inputs[*place].to_string())
            .collect();
        let names = if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        };
        let message = format!(
            "each point has {numbers} numbers, but the inputs without an argument have {width}: {names}"
        );
        return Err(Refusal::new("invalid_arguments", message).hint(describe_inputs(inputs)));
    }
    Ok(SamplePoints::new(
        inputs,
        &values,
        &varied,
        PointSet::Listed(points),
    ))
}

impl Sampling {
    /// Number of points.
    pub fn points(&self) -> usize {
        self.places.space.len()
    }

    /// Compiles the function.
    ///
    /// # Errors
    /// A [`Refusal`] if inputs of nodes are unset (all are named), a resource is missing, or the work is too large.
    pub fn prepare(self, options: SamplingOptions) -> Result<PreparedSampling> {
        let rounding = match options.precision {
            Precision::F64 => Rounding::Exact,
            Precision::F32 => Rounding::Fast,
        };
        let columns = self.columns(rounding)?;
        let code = columns.code();
        self.check_work(&code)?;
        Ok(PreparedSampling {
            sampling: self,
            columns,
            code,
            options,
        })
    }

    /// Columns to compute.
    pub(crate) fn columns(&self, rounding: Rounding) -> Result<Columns> {
        let columns = Columns::new(&*self.tape()?, rounding, self.gradient)?;
        if columns.width() == 0 {
            let message = "none of the outputs is a number that varies";
            return Err(Refusal::new("invalid_arguments", message)
                .hint("select others by outputs, or evaluate at a point"));
        }
        Ok(columns)
    }

    /// The tape, from the cache if it is there.
    pub(crate) fn tape(&self) -> Result<Arc<Tape>> {
        self.project.tape(&self.snapshot, &self.key())
    }

    /// The tape if it is in the cache.
    pub(crate) fn known_tape(&self) -> Option<Arc<Tape>> {
        self.project.tapes.find(&self.key())
    }

    fn key(&self) -> TapeKey {
        TapeKey {
            head: self.snapshot.head,
            function: self.function,
            outputs: self.outputs.clone(),
            statics: self.places.statics.clone(),
        }
    }

    /// Refuses work above the limit.
    pub(crate) fn check_work(&self, code: &Code) -> Result<()> {
        let points = self.points() as u64;
        let operations = code.instructions().len().max(1) as u64;
        let most = self.most_work / operations;
        if points <= most {
            return Ok(());
        }
        let message =
            format!("{points} points times {operations} operations exceed the limit of one call");
        Err(Refusal::new("too_large", message)
            .hint(format!("request at most {most} points at a time"))
            .details(json!({ "points": points, "operations": operations, "most_points": most })))
    }

    /// Evaluates the columns on a background thread.
    pub(super) fn run<T: Float>(
        &self,
        code: &Arc<Code>,
        settings: Settings,
        sink: &mut dyn ChunkSink<T>,
        watch: ProgressFn<'_>,
    ) -> Result<()> {
        let total = self.points() as u64;
        if watch(0, total).is_break() {
            return Err(Refusal::cancelled());
        }
        run_watched(total, watch, |progress| {
            super::chunks::run(code, &self.places, settings, sink, progress)
        })
    }

    /// The sampled revision.
    pub(crate) fn revision(&self) -> u64 {
        self.snapshot.head.revision
    }

    /// Warnings about distances of shapes that have changed since.
    pub(crate) fn stale_distances(&self) -> Vec<String> {
        stale_distances(&self.snapshot.document, [self.function.into()])
    }
}

/// A compiled function and its points.
#[derive(Debug)]
pub struct PreparedSampling {
    sampling: Sampling,
    columns: Columns,
    code: Arc<Code>,
    options: SamplingOptions,
}

impl PreparedSampling {
    /// Evaluates all points and streams the values to a file. Calls `watch` with the points done and their total; it
    /// may cancel the work.
    ///
    /// # Errors
    /// A [`Refusal`] if `to` cannot be written, or `watch` cancelled it.
    pub fn write(
        &self,
        format: Format,
        to: &mut (dyn Write + Send),
        watch: ProgressFn<'_>,
    ) -> Result<SampleResult> {
        self.run_with(Some((format, to)), watch)
    }

    /// Evaluates all points and returns their statistics.
    ///
    /// # Errors
    /// A [`Refusal`] if `watch` cancelled it.
    pub fn survey(&self, watch: ProgressFn<'_>) -> Result<SampleResult> {
        self.run_with(None, watch)
    }

    fn run_with(
        &self,
        file: Option<(Format, &mut (dyn Write + Send))>,
        watch: ProgressFn<'_>,
    ) -> Result<SampleResult> {
        match self.options.precision {
            Precision::F64 => self.run_as::<f64>(file, watch),
            Precision::F32 => self.run_as::<f32>(file, watch),
        }
    }

    fn run_as<T: Float + Debug>(
        &self,
        file: Option<(Format, &mut (dyn Write + Send))>,
        watch: ProgressFn<'_>,
    ) -> Result<SampleResult> {
        let sampling = &self.sampling;
        let SamplePoints { space, varying, .. } = &sampling.places;
        let head = Head {
            shape: space.shape(),
            inputs: varying.iter().map(|(_, name)| name.clone()).collect(),
            values: self.columns.names(),
        };
        let with_inputs = file.as_ref().is_some_and(|(format, _)| format.is_text());
        let writer = file.map(|(format, to)| Writer::new(format, &head, to));
        let mut taken = SampleWriter::<T> {
            writer: writer
                .transpose()
                .map_err(|error| Refusal::unwritable("the values", &error))?,
            with_inputs,
            counting: vec![StatisticsBuilder::new(); head.values.len()],
        };
        sampling.run(&self.code, self.options.settings, &mut taken, watch)?;
        let finished = taken.writer.map(Writer::finish).transpose();
        finished.map_err(|error| Refusal::unwritable("the values", &error))?;
        let counted = || head.values.iter().zip(&taken.counting);
        let warnings = counted().filter_map(|(name, counting)| warning(name, counting, space));
        let statistics =
            counted().map(|(name, counting)| (name.clone(), counting.statistics(space)));
        Ok(SampleResult {
            points: sampling.points(),
            warnings: warnings.chain(sampling.stale_distances()).collect(),
            statistics: statistics.collect(),
            shape: head.shape,
            columns: head.values,
            revision: sampling.revision(),
        })
    }
}

/// Settings of the evaluation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SamplingOptions {
    /// Precision of the numbers.
    pub precision: Precision,
    /// Settings of the evaluator.
    pub settings: Settings,
}

/// Consumer that computes statistics and writes values if there is a file.
struct SampleWriter<'a, T> {
    writer: Option<Writer<T, &'a mut (dyn Write + Send)>>,
    with_inputs: bool,
    counting: Vec<StatisticsBuilder>,
}

impl<T: Float + Debug> ChunkSink<T> for SampleWriter<'_, T> {
    fn take(&mut self, places: &SamplePoints, chunk: &Chunk, columns: &[Vec<T>]) -> Result<()> {
        for (counting, column) in self.counting.iter_mut().zip(columns) {
            counting.add(chunk.first, column.iter().map(|number| number.to_f64()));
        }
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        let inputs = if self.with_inputs {
            places.space.coordinates(chunk)
        } else {
            Vec::new()
        };
        let block = Block {
            inputs: &inputs,
            values: columns,
        };
        writer
            .write(&block)
            .map_err(|error| Refusal::unwritable("the values", &error))
    }
}

/// Warning for a column with non-finite values.
pub(super) fn warning(
    name: &str,
    counting: &StatisticsBuilder,
    space: &PointSet,
) -> Option<String> {
    let (value, number, count) = counting.non_finite()?;
    let value = fibula_nodes::Value::Float(value).to_json();
    let value = value.as_str().unwrap_or_default();
    let at = super::statistics::place(space, number);
    Some(format!(
        "{name} is not finite at {count} points, first {value} at {at}"
    ))
}
