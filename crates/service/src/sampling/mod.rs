//! Values at very many points: lines, planes, grids, and points from files.
//!
//! Points are numbered, cut into chunks, computed on all threads and handed on, so memory does not grow with them.

mod beside;
mod bounds;
mod columns;
mod engine;
mod gathered;
mod places;
mod region;
mod statistics;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::Write;
use std::ops::ControlFlow;
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

use super::form::{ObjectForm, OneOrMany};
use super::points::{Given, given, point, points as all_points, takes};
use super::project::{Project, Snapshot};
use super::refusal::Refusal;
use super::tapes::Key;
use super::{DEFAULT_PROJECT, Service};
pub(super) use beside::beside;
use engine::Sink;
use places::{Chunk, Places, Space};
use statistics::Counting;

pub use bounds::{Bound, Steepness};
pub(super) use columns::{Columns, Leaf};
pub use region::Region;
pub use statistics::Statistics;

/// What is to be sampled, where, and how it is written.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Left out: "default".
    pub project: Option<String>,
    /// The function.
    #[schemars(with = "u32")]
    pub function_id: FunctionId,
    /// {INPUT: value}: the inputs that do not vary; without a region a list of such, one for each point.
    #[schemars(with = "Option<OneOrMany<ObjectForm>>")]
    pub arguments: Option<Json>,
    /// The points.
    pub region: Option<Region>,
    /// Names of the outputs wanted; all if left out.
    pub outputs: Option<Vec<String>>,
    /// true adds the derivatives by the inputs.
    #[serde(default)]
    pub gradient: bool,
    /// How the numbers are written.
    pub format: Format,
    /// How they are computed.
    #[serde(default)]
    pub precision: Precision,
    /// As of this revision.
    pub revision: Option<u64>,
}

/// How precisely values are computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// In double precision, each operation rounded on its own, as evaluate does.
    #[default]
    F64,
    /// In single precision, and fast: products are contracted into sums.
    F32,
}

/// What was computed.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Sampled {
    pub points: usize,
    /// How many points there are on each axis, the slowest first.
    pub shape: Vec<usize>,
    /// The names of a point's numbers.
    pub columns: Vec<String>,
    /// What each of them is like.
    pub statistics: BTreeMap<String, Statistics>,
    pub warnings: Vec<String>,
    pub revision: u64,
}

/// A function, and where it is to be sampled.
#[derive(Debug)]
pub struct Sampling {
    project: Arc<Project>,
    snapshot: Snapshot,
    function: FunctionId,
    outputs: Option<Vec<String>>,
    gradient: bool,
    places: Places,
    most_work: u64,
}

impl Service {
    /// The operations of a function, for evaluators of one's own.
    ///
    /// # Errors
    /// A [`Refusal`]: the function is unknown, inputs of nodes are not set (all are named), a resource is missing, an
    /// input has to be known before evaluation.
    pub fn tape(&self, project: Option<&str>, function: FunctionId) -> Result<Arc<Tape>, Refusal> {
        let project = self.project(Some(project.unwrap_or(DEFAULT_PROJECT)))?;
        let snapshot = project.at(None)?;
        let key = Key {
            head: snapshot.head,
            function,
            outputs: None,
            statics: BTreeMap::new(),
        };
        project.tape(&snapshot, &key)
    }

    /// Reads where a function is to be sampled.
    ///
    /// # Errors
    /// A [`Refusal`]: the function is unknown, arguments are missing or no values, the region is none.
    pub fn sampling(&self, request: Sample) -> Result<Sampling, Refusal> {
        self.sampling_at(request, None)
    }

    /// As [`sampling`](Self::sampling), at points that have a number for each component of the inputs that are not
    /// among the arguments.
    ///
    /// # Errors
    /// As [`sampling`](Self::sampling), and when the points have more or fewer numbers.
    pub fn sampling_at(
        &self,
        request: Sample,
        points: Option<Points>,
    ) -> Result<Sampling, Refusal> {
        let name = request.project.as_deref().unwrap_or(DEFAULT_PROJECT);
        let project = self.project(Some(name))?;
        let snapshot = project.at(request.revision)?;
        let inputs = snapshot.document.function(request.function_id)?.inputs();
        let places = match (request.region, points, given(&inputs, request.arguments)?) {
            (Some(_), Some(_), _) => {
                let message = "the points are given twice: as a region and as a list";
                return Err(Refusal::new("invalid_arguments", message).hint("give one of them"));
            }
            (Some(region), None, given) => region.places(&inputs, &one(given)?)?,
            (None, Some(points), given) => listed(&inputs, &one(given)?, points)?,
            (None, None, given) => at_points(&inputs, given)?,
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

/// The arguments that are the same everywhere.
fn one(given: Given) -> Result<Map<String, Json>, Refusal> {
    match given {
        Given::One(given) => Ok(given),
        Given::Many(_) => {
            let message = "arguments is a list, but the points are given already";
            Err(Refusal::new("invalid_arguments", message)
                .hint("give one object with the inputs that are the same at all points"))
        }
    }
}

/// Where a list of arguments is, or the one point.
fn at_points(inputs: &[PortSpec], given: Given) -> Result<Places, Refusal> {
    let values = match given {
        Given::Many(list) => all_points(inputs, &list)?,
        Given::One(given) => vec![point(inputs, &given, None)?],
    };
    let Some(first) = values.first() else {
        return Err(Refusal::new("invalid_arguments", "there is no point")
            .hint("give a region, or a list of arguments"));
    };
    let varied: Vec<usize> = (0..inputs.len())
        .filter(|place| inputs[*place].ty.width() > 0)
        .collect();
    let fixed = |place: usize| inputs[place].ty.width() == 0;
    for point in &values {
        let other = (0..inputs.len()).find(|place| fixed(*place) && point[*place] != first[*place]);
        if let Some(place) = other {
            let message = format!(
                "{} must be known before evaluation, so it is the same at all points",
                inputs[place].name
            );
            return Err(Refusal::new("invalid_arguments", message)
                .hint("write a file for each of its values"));
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
    Ok(Places::new(
        inputs,
        &first,
        &varied,
        Space::Listed(Points::new(columns)),
    ))
}

/// Where points are that have a number for each component of the inputs that are not given.
fn listed(
    inputs: &[PortSpec],
    given: &Map<String, Json>,
    points: Points,
) -> Result<Places, Refusal> {
    let is_given = |input: &PortSpec| {
        given
            .keys()
            .any(|name| name.eq_ignore_ascii_case(&input.name))
    };
    let open = inputs.iter().enumerate();
    let open = open.filter(|(_, input)| input.ty.width() > 0 && !is_given(input));
    let varied: Vec<usize> = open.map(|(place, _)| place).collect();
    let width: usize = varied.iter().map(|place| inputs[*place].ty.width()).sum();
    let mut all = given.clone();
    for place in &varied {
        let zero = match inputs[*place].ty.width() {
            1 => json!(0),
            width => json!(vec![0; width]),
        };
        all.insert(inputs[*place].name.clone(), zero);
    }
    let values = point(inputs, &all, None)?;
    let numbers = points.columns().len();
    if numbers != width {
        let names: Vec<String> = varied
            .iter()
            .map(|place| format!("{}: {}", inputs[*place].name, inputs[*place].ty))
            .collect();
        let names = if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        };
        let message = format!(
            "each point has {numbers} numbers, but the inputs that are not given take {width}: {names}"
        );
        return Err(Refusal::new("invalid_arguments", message).hint(takes(inputs)));
    }
    Ok(Places::new(inputs, &values, &varied, Space::Listed(points)))
}

impl Sampling {
    /// How many points there are.
    pub fn points(&self) -> usize {
        self.places.space.len()
    }

    /// Makes everything ready.
    ///
    /// # Errors
    /// A [`Refusal`]: inputs of nodes are not set (all are named), a resource is missing, there is too much to do.
    pub fn ready(self, how: How) -> Result<Ready, Refusal> {
        let rounding = match how.precision {
            Precision::F64 => Rounding::Exact,
            Precision::F32 => Rounding::Fast,
        };
        let columns = self.columns(rounding)?;
        let code = columns.code();
        self.check_work(&code)?;
        Ok(Ready {
            sampling: self,
            columns,
            code,
            how,
        })
    }

    /// What there is to be computed.
    pub(super) fn columns(&self, rounding: Rounding) -> Result<Columns, Refusal> {
        let columns = Columns::new(&*self.tape()?, rounding, self.gradient)?;
        if columns.width() == 0 {
            let message = "none of the outputs is a number that varies";
            return Err(Refusal::new("invalid_arguments", message)
                .hint("name others in outputs, or evaluate at a point"));
        }
        Ok(columns)
    }

    /// The tape, from the last evaluation if it is the same.
    pub(super) fn tape(&self) -> Result<Arc<Tape>, Refusal> {
        self.project.tape(&self.snapshot, &self.key())
    }

    /// The tape if it is there.
    pub(super) fn known_tape(&self) -> Option<Arc<Tape>> {
        self.project.tapes.find(&self.key())
    }

    fn key(&self) -> Key {
        Key {
            head: self.snapshot.head,
            function: self.function,
            outputs: self.outputs.clone(),
            statics: self.places.statics.clone(),
        }
    }

    /// Refuses what would take too long.
    pub(super) fn check_work(&self, code: &Code) -> Result<(), Refusal> {
        let points = self.points() as u64;
        let operations = code.instructions().len().max(1) as u64;
        let most = self.most_work / operations;
        if points <= most {
            return Ok(());
        }
        let message =
            format!("{points} points times {operations} operations are too much for one call");
        Err(Refusal::new("too_large", message)
            .hint(format!("ask for at most {most} points at a time"))
            .details(json!({ "points": points, "operations": operations, "most_points": most })))
    }

    /// Computes the columns on a thread beside this one.
    fn run<T: Float>(
        &self,
        code: &Arc<Code>,
        settings: Settings,
        sink: &mut dyn Sink<T>,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<(), Refusal> {
        let total = self.points() as u64;
        if watch(0, total).is_break() {
            return Err(Refusal::cancelled());
        }
        beside(total, watch, |progress| {
            engine::run(code, &self.places, settings, sink, progress)
        })
    }

    /// The revision that is sampled.
    pub(super) fn revision(&self) -> u64 {
        self.snapshot.head.revision
    }
}

/// A function that is ready to be sampled.
#[derive(Debug)]
pub struct Ready {
    sampling: Sampling,
    columns: Columns,
    code: Arc<Code>,
    how: How,
}

impl Ready {
    /// Computes the values and writes them as they come. `watch` is told how many points of how many are done, and may
    /// end it.
    ///
    /// # Errors
    /// A [`Refusal`]: `to` does not take it, `watch` ended it.
    pub fn write(
        &self,
        format: Format,
        to: &mut (dyn Write + Send),
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Sampled, Refusal> {
        self.computed(Some((format, to)), watch)
    }

    /// Computes the values and keeps what they are like.
    ///
    /// # Errors
    /// A [`Refusal`]: `watch` ended it.
    pub fn survey(
        &self,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Sampled, Refusal> {
        self.computed(None, watch)
    }

    fn computed(
        &self,
        file: Option<(Format, &mut (dyn Write + Send))>,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Sampled, Refusal> {
        match self.how.precision {
            Precision::F64 => self.taken::<f64>(file, watch),
            Precision::F32 => self.taken::<f32>(file, watch),
        }
    }

    fn taken<T: Float + Debug>(
        &self,
        file: Option<(Format, &mut (dyn Write + Send))>,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Sampled, Refusal> {
        let Ready {
            sampling,
            columns,
            code,
            how,
        } = self;
        let Places { space, varying, .. } = &sampling.places;
        let head = Head {
            shape: space.shape(),
            inputs: varying.iter().map(|(_, name)| name.clone()).collect(),
            values: columns.names(),
        };
        let with_inputs = file.as_ref().is_some_and(|(format, _)| format.is_text());
        let writer = file.map(|(format, to)| Writer::new(format, &head, to));
        let mut taken = Taken::<T> {
            writer: writer
                .transpose()
                .map_err(|error| Refusal::unwritable("the values", &error))?,
            with_inputs,
            counting: vec![Counting::new(); head.values.len()],
        };
        sampling.run(code, how.settings, &mut taken, watch)?;
        let Taken {
            writer, counting, ..
        } = taken;
        let finished = writer.map(Writer::finish).transpose();
        finished.map_err(|error| Refusal::unwritable("the values", &error))?;
        let counted = || head.values.iter().zip(&counting);
        let warnings = counted().filter_map(|(name, counting)| warning(name, counting, space));
        let statistics =
            counted().map(|(name, counting)| (name.clone(), counting.statistics(space)));
        Ok(Sampled {
            points: sampling.points(),
            warnings: warnings.collect(),
            statistics: statistics.collect(),
            shape: head.shape,
            columns: head.values,
            revision: sampling.revision(),
        })
    }
}

/// How values are computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct How {
    /// In which numbers.
    pub precision: Precision,
    /// With which instructions.
    pub settings: Settings,
}

/// Values that are counted, and written if there is a file for them.
struct Taken<'a, T> {
    writer: Option<Writer<T, &'a mut (dyn Write + Send)>>,
    with_inputs: bool,
    counting: Vec<Counting>,
}

impl<T: Float + Debug> Sink<T> for Taken<'_, T> {
    fn take(&mut self, places: &Places, chunk: &Chunk, columns: &[Vec<T>]) -> Result<(), Refusal> {
        for (counting, column) in self.counting.iter_mut().zip(columns) {
            counting.see(chunk.first, column.iter().map(|number| number.wide()));
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

/// What is said of a number that is not finite somewhere.
fn warning(name: &str, counting: &Counting, space: &Space) -> Option<String> {
    let (value, number, count) = counting.strange()?;
    let value = fibula_nodes::Value::Float(value).to_json();
    let value = value.as_str().unwrap_or_default();
    let at = statistics::place(space, number);
    Some(format!(
        "{name} is not finite at {count} points, first {value} at {at}"
    ))
}
