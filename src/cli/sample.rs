//! Sampling of functions: lines, planes, grids, boxes and points from files.

use std::fmt::Write as _;
use std::io::{self, BufWriter, IsTerminal as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use fibula_eval::Settings;
use fibula_formats::values::Format;
use fibula_service::{
    AtomicFile, Evaluate, EvaluationResult, FunctionInfo, Precision, PreparedSampling, Refusal,
    Region, Sample, SampleResult, SamplingOptions, Service,
};
use serde_json::{Map, Value as Json};

use super::output::{Failure, PipeWriter, print, print_json, table_with_head, value_text, warn};
use super::points::PointArgs;
use super::progress::{Unit, with_progress};

#[derive(Debug, Args)]
#[command(next_help_heading = "Many points")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(super) struct SamplingArgs {
    #[command(flatten)]
    places: PointArgs,
    /// The derivatives by the inputs, too.
    #[arg(long)]
    gradient: bool,
    /// Lipschitz constants of the outputs in the line, plane, grid or box.
    #[arg(long, requires = "where", conflicts_with = "points")]
    lipschitz: bool,
    /// Format of the values; default: from the extension of --out.
    #[arg(long, value_enum)]
    format: Option<ValueFormat>,
    /// The file that the values are written to; - is standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long, requires = "out")]
    overwrite: bool,
    /// Precision: f64 is exact to the definition, f32 is fast.
    #[arg(long, value_enum, default_value_t)]
    precision: FloatPrecision,
    /// Disable the just-in-time compiler.
    #[arg(long)]
    no_jit: bool,
}

/// Format of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ValueFormat {
    Json,
    Csv,
    Npy,
    F32,
    F64,
}

/// Precision of evaluation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum FloatPrecision {
    #[default]
    F64,
    F32,
}

/// A function with its named arguments and the selected outputs.
pub(super) struct FunctionCall<'a> {
    pub(super) service: &'a Service,
    pub(super) function: &'a FunctionInfo,
    pub(super) named: &'a Map<String, Json>,
    pub(super) outputs: Option<Vec<String>>,
}

impl SamplingArgs {
    /// Returns true if a file or a region of points is given.
    pub(super) fn is_given(&self) -> bool {
        self.places.are_given() || self.format.is_some() || self.out.is_some()
    }

    pub(super) fn wants_gradient(&self) -> bool {
        self.gradient
    }

    /// Samples the function. `single` are the arguments of points that are given one by one.
    pub(super) fn run(
        &self,
        call: &FunctionCall<'_>,
        single: Json,
        json: bool,
    ) -> Result<(), Failure> {
        let region = self.places.region()?;
        let written = self.written()?;
        if json || written == Some(ValueFormat::Json) {
            return self.json(call, single, region);
        }
        let format = written.map(|written| match written {
            ValueFormat::Json | ValueFormat::F64 => Format::F64,
            ValueFormat::Csv => Format::Csv,
            ValueFormat::Npy => Format::Npy,
            ValueFormat::F32 => Format::F32,
        });
        let only_box = is_box(region.as_ref());
        if only_box {
            if format.is_some() {
                let message = "--box computes bounds, not values that could be written to a file";
                return Err(Refusal::new("invalid_arguments", message)
                    .hint("--grid computes values")
                    .into());
            }
        } else {
            let sample = |format| self.sample(call, &single, region.clone(), format);
            match format {
                Some(format) => self.file(call, sample(format), format)?,
                None => self.survey(call, sample(Format::F64))?,
            }
        }
        match region {
            Some(region) if only_box || self.lipschitz => self.extent(call, region, only_box),
            Some(_) | None => Ok(()),
        }
    }

    /// Prints statistics of the values.
    fn survey(&self, call: &FunctionCall<'_>, sample: Sample) -> Result<(), Failure> {
        let ready = self.ready(call, sample)?;
        let sampled = with_progress(Unit::Points, |progress| ready.survey(progress))?;
        print(&statistics_text(&sampled))
    }

    /// Writes the values to a file.
    fn file(&self, call: &FunctionCall<'_>, sample: Sample, format: Format) -> Result<(), Failure> {
        let ready = self.ready(call, sample)?;
        let Some(path) = self.out.as_deref().filter(|path| *path != Path::new("-")) else {
            if !format.is_text() && io::stdout().is_terminal() {
                let message = format!("{} cannot be written to a terminal", format.name());
                return Err(Refusal::new("invalid_arguments", message)
                    .hint("--out FILE writes a file")
                    .into());
            }
            let mut out = PipeWriter::new(BufWriter::with_capacity(1 << 20, io::stdout()));
            let sampled = with_progress(Unit::Points, |progress| {
                ready.write(format, &mut out, progress)
            });
            if out.is_closed() {
                return Err(Failure::Closed);
            }
            warn(&sampled?.warnings);
            return Ok(());
        };
        let mut file = AtomicFile::create(path, self.overwrite)?;
        let sampled = with_progress(Unit::Points, |progress| {
            ready.write(format, &mut file, progress)
        })?;
        file.finish()?;
        warn(&sampled.warnings);
        let (path, count) = (path.display(), count_text(&sampled));
        print(&format!(
            "{path}: {count}, {}\n",
            sampled.columns.join(", ")
        ))
    }

    /// Writes the answer in JSON.
    fn json(
        &self,
        call: &FunctionCall<'_>,
        single: Json,
        region: Option<Region>,
    ) -> Result<(), Failure> {
        if self.places.has_file() || self.precision != FloatPrecision::F64 || self.no_jit {
            let message =
                "--points, --precision f32 and --no-jit require --format csv, npy, f32 or f64";
            return Err(Refusal::new("invalid_arguments", message).into());
        }
        let bounds = is_box(region.as_ref());
        let arguments = match region {
            Some(_) => call.named.clone().into(),
            None => single,
        };
        let request = Evaluate {
            region,
            outputs: call.outputs.clone(),
            gradient: self.gradient,
            bounds,
            lipschitz: self.lipschitz,
            ..Evaluate::new(call.function.function_id, arguments)
        };
        let evaluation = call.service.evaluation(request)?;
        let evaluated = with_progress(Unit::Points, |progress| evaluation.run(progress))?;
        let Some(path) = self.out.as_deref().filter(|path| *path != Path::new("-")) else {
            return print_json(&evaluated);
        };
        let mut file = AtomicFile::create(path, self.overwrite)?;
        serde_json::to_writer_pretty(&mut file, &evaluated).map_err(io::Error::from)?;
        file.finish()?;
        print(&format!("{}: the answer in JSON\n", path.display()))
    }

    /// Prints bounds and Lipschitz constants on a box.
    fn extent(&self, call: &FunctionCall<'_>, region: Region, bounds: bool) -> Result<(), Failure> {
        let input = region.input.clone();
        let request = Evaluate {
            region: Some(Region {
                counts: None,
                ..region
            }),
            outputs: call.outputs.clone(),
            bounds,
            lipschitz: self.lipschitz,
            ..Evaluate::new(call.function.function_id, call.named.clone())
        };
        let evaluation = call.service.evaluation(request)?;
        let evaluated = with_progress(Unit::Points, |progress| evaluation.run(progress))?;
        let input = input.unwrap_or_else(|| "the input".to_owned());
        print(&extents_text(&evaluated, &input))
    }

    fn sample(
        &self,
        call: &FunctionCall<'_>,
        single: &Json,
        region: Option<Region>,
        format: Format,
    ) -> Sample {
        let fixed = region.is_some() || self.places.has_file();
        Sample {
            project: None,
            function_id: call.function.function_id,
            arguments: Some(if fixed {
                call.named.clone().into()
            } else {
                single.clone()
            }),
            region,
            outputs: call.outputs.clone(),
            gradient: self.gradient,
            format,
            precision: self.settings().precision,
            revision: None,
        }
    }

    fn ready(&self, call: &FunctionCall<'_>, sample: Sample) -> Result<PreparedSampling, Failure> {
        let points = self.places.points()?;
        let sampling = call.service.sampling_at(sample, points)?;
        Ok(sampling.prepare(self.settings())?)
    }

    fn settings(&self) -> SamplingOptions {
        SamplingOptions {
            precision: match self.precision {
                FloatPrecision::F64 => Precision::F64,
                FloatPrecision::F32 => Precision::F32,
            },
            settings: Settings {
                machine_code: !self.no_jit,
                ..Settings::default()
            },
        }
    }

    /// Returns the format of the values, or `None` for statistics.
    fn written(&self) -> Result<Option<ValueFormat>, Refusal> {
        let Some(out) = &self.out else {
            return Ok(self.format);
        };
        if let Some(format) = self.format {
            return Ok(Some(format));
        }
        let ending = out.extension().and_then(|ending| ending.to_str());
        let format = ending.and_then(|ending| ValueFormat::from_str(ending, true).ok());
        format.map(Some).ok_or_else(|| {
            let out = out.display();
            let message = format!("cannot determine the format from the name {out}");
            Refusal::new("invalid_arguments", message)
                .hint("use --format json, csv, npy, f32 or f64")
        })
    }
}

/// Returns true for a region without points.
fn is_box(region: Option<&Region>) -> bool {
    region.is_some_and(|region| region.counts.is_none())
}

/// Formats a count such as `262144 points (64 x 64 x 64)`.
fn count_text(sampled: &SampleResult) -> String {
    let points = sampled.points;
    let sizes = sampled.shape.iter().rev().filter(|size| **size > 1);
    let sizes: Vec<String> = sizes.map(usize::to_string).collect();
    let sizes = match sizes.len() {
        0 | 1 => String::new(),
        _ => format!(" ({})", sizes.join(" x ")),
    };
    let ending = if points == 1 { "" } else { "s" };
    format!("{points} point{ending}{sizes}")
}

/// Formats statistics as a table.
fn statistics_text(sampled: &SampleResult) -> String {
    let head = ["output", "min", "at", "max", "at", "mean", "not finite"];
    let number = |number: Option<f64>| {
        number.map_or_else(|| "-".to_owned(), |number| value_text(&number.into()))
    };
    let place = |place: &Option<Json>| match place {
        None => "-".to_owned(),
        Some(Json::Array(numbers)) => numbers.iter().map(value_text).collect::<Vec<_>>().join(","),
        Some(other) => value_text(other),
    };
    let rows = sampled.statistics.iter().map(|(name, statistics)| {
        vec![
            name.clone(),
            number(statistics.min),
            place(&statistics.min_at),
            number(statistics.max),
            place(&statistics.max_at),
            number(statistics.mean),
            statistics.not_finite.to_string(),
        ]
    });
    let table = table_with_head(&head, rows);
    format!("{}\n{table}", count_text(sampled))
}

/// Formats bounds and Lipschitz constants, a line each.
fn extents_text(evaluated: &EvaluationResult, input: &str) -> String {
    let mut text = String::new();
    for (name, bound) in evaluated.bounds.iter().flatten() {
        let (low, high) = (value_text(&bound.low), value_text(&bound.high));
        let _ = write!(text, "{name} is between {low} and {high} in the box");
        let undefined = ", and may be undefined there";
        let _ = writeln!(text, "{}", if bound.undefined { undefined } else { "" });
    }
    for (name, steepness) in evaluated.lipschitz.iter().flatten() {
        let [least, most] = [&steepness.at_least, &steepness.at_most].map(value_text);
        let jumps = ["", ", and may jump"][usize::from(steepness.may_jump)];
        let _ = writeln!(
            text,
            "{name} changes by at least {least} and at most {most} per unit of {input}{jumps}"
        );
    }
    text
}
