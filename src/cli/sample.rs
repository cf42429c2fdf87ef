//! Many points of a function, at the command line: lines, planes, grids, boxes and points from files.

use std::fmt::Write as _;
use std::io::{self, BufWriter, IsTerminal as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use fibula_eval::Settings;
use fibula_formats::values::Format;
use fibula_service::{
    Evaluate, Evaluated, FunctionInfo, How, Precision, Ready, Refusal, Region, Sample, Sampled,
    Service, Whole,
};
use serde_json::{Map, Value as Json};

use super::output::{Failure, Out, print, print_json, table, value_text};
use super::places::Places;
use super::progress::{Unit, watched};

#[derive(Debug, Args)]
#[command(next_help_heading = "Many points")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(super) struct Many {
    #[command(flatten)]
    places: Places,
    /// The derivatives by the inputs, too.
    #[arg(long)]
    gradient: bool,
    /// How fast the outputs change at most in the line, plane, grid or box.
    #[arg(long, requires = "where", conflicts_with = "points")]
    lipschitz: bool,
    /// How the values are written; told by the ending of --out if it is not given.
    #[arg(long, value_enum)]
    format: Option<Written>,
    /// The file that the values are written to; - is standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file if it is there.
    #[arg(long, requires = "out")]
    overwrite: bool,
    /// How values are computed: f64 as the functions say, f32 fast.
    #[arg(long, value_enum, default_value_t)]
    precision: Numbers,
    /// Write no machine code.
    #[arg(long)]
    no_jit: bool,
}

/// How values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Written {
    Json,
    Csv,
    Npy,
    F32,
    F64,
}

/// How values are computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Numbers {
    #[default]
    F64,
    F32,
}

/// A function, the inputs that are given by name, and the outputs wanted.
pub(super) struct Asked<'a> {
    pub(super) service: &'a Service,
    pub(super) function: &'a FunctionInfo,
    pub(super) named: &'a Map<String, Json>,
    pub(super) outputs: Option<Vec<String>>,
}

impl Many {
    /// Whether a file is wanted, or points that are not named one by one.
    pub(super) fn is_asked(&self) -> bool {
        self.places.are_given() || self.format.is_some() || self.out.is_some()
    }

    pub(super) fn wants_gradient(&self) -> bool {
        self.gradient
    }

    /// Does what is asked. `single` are the arguments of points that are named one by one.
    pub(super) fn run(&self, asked: &Asked<'_>, single: Json, json: bool) -> Result<(), Failure> {
        let region = self.places.region()?;
        let written = self.written()?;
        if json || written == Some(Written::Json) {
            return self.json(asked, single, region);
        }
        let format = written.map(|written| match written {
            Written::Json | Written::F64 => Format::F64,
            Written::Csv => Format::Csv,
            Written::Npy => Format::Npy,
            Written::F32 => Format::F32,
        });
        let only_box = region
            .as_ref()
            .is_some_and(|region| region.counts.is_none());
        if only_box {
            if format.is_some() {
                let message = "a box has bounds, but no values that could be written to a file";
                return Err(Refusal::new("invalid_arguments", message)
                    .hint("--grid gives values")
                    .into());
            }
        } else {
            let sample = |format| self.sample(asked, &single, region.clone(), format);
            match format {
                Some(format) => self.file(asked, sample(format), format)?,
                None => self.survey(asked, sample(Format::F64))?,
            }
        }
        match region {
            Some(region) if only_box || self.lipschitz => self.extent(asked, region, only_box),
            Some(_) | None => Ok(()),
        }
    }

    /// What the values are like.
    fn survey(&self, asked: &Asked<'_>, sample: Sample) -> Result<(), Failure> {
        let ready = self.ready(asked, sample)?;
        let sampled = watched(Unit::Points, |watch| ready.survey(watch))?;
        print(&surveyed(&sampled))
    }

    /// The values, in a file.
    fn file(&self, asked: &Asked<'_>, sample: Sample, format: Format) -> Result<(), Failure> {
        let ready = self.ready(asked, sample)?;
        let Some(path) = self.out.as_deref().filter(|path| *path != Path::new("-")) else {
            if !format.is_text() && io::stdout().is_terminal() {
                let message = format!("{} is not for terminals", format.name());
                return Err(Refusal::new("invalid_arguments", message)
                    .hint("--out FILE writes a file")
                    .into());
            }
            let mut out = Out::new(BufWriter::with_capacity(1 << 20, io::stdout()));
            let sampled = watched(Unit::Points, |watch| ready.write(format, &mut out, watch));
            if out.is_closed() {
                return Err(Failure::Closed);
            }
            warn(&sampled?);
            return Ok(());
        };
        let mut file = Whole::begin(path, self.overwrite)?;
        let sampled = watched(Unit::Points, |watch| ready.write(format, &mut file, watch))?;
        file.finish()?;
        warn(&sampled);
        print(&format!(
            "{}: {}, {}\n",
            path.display(),
            counted(&sampled),
            sampled.columns.join(", ")
        ))
    }

    /// The answer for programs.
    fn json(&self, asked: &Asked<'_>, single: Json, region: Option<Region>) -> Result<(), Failure> {
        if self.places.has_file() || self.precision != Numbers::F64 || self.no_jit {
            let message =
                "--points, --precision f32 and --no-jit are for --format csv, npy, f32 and f64";
            return Err(Refusal::new("invalid_arguments", message).into());
        }
        let has_region = region.is_some();
        let bounds = region
            .as_ref()
            .is_some_and(|region| region.counts.is_none());
        let arguments = if has_region {
            asked.named.clone().into()
        } else {
            single
        };
        let request = Evaluate {
            region,
            outputs: asked.outputs.clone(),
            gradient: self.gradient,
            bounds,
            lipschitz: self.lipschitz,
            ..Evaluate::new(asked.function.function_id, arguments)
        };
        let evaluation = asked.service.evaluation(request)?;
        let evaluated = watched(Unit::Points, |watch| evaluation.run(watch))?;
        let Some(path) = self.out.as_deref().filter(|path| *path != Path::new("-")) else {
            return print_json(&evaluated);
        };
        let mut file = Whole::begin(path, self.overwrite)?;
        serde_json::to_writer_pretty(&mut file, &evaluated).map_err(io::Error::from)?;
        file.finish()?;
        print(&format!("{}: the answer in JSON\n", path.display()))
    }

    /// What is known of a whole box.
    fn extent(&self, asked: &Asked<'_>, region: Region, bounds: bool) -> Result<(), Failure> {
        let input = region.input.clone();
        let request = Evaluate {
            region: Some(Region {
                counts: None,
                ..region
            }),
            outputs: asked.outputs.clone(),
            bounds,
            lipschitz: self.lipschitz,
            ..Evaluate::new(asked.function.function_id, asked.named.clone())
        };
        let evaluation = asked.service.evaluation(request)?;
        let evaluated = watched(Unit::Points, |watch| evaluation.run(watch))?;
        let input = input.unwrap_or_else(|| "the input".to_owned());
        print(&extents(&evaluated, &input))
    }

    fn sample(
        &self,
        asked: &Asked<'_>,
        single: &Json,
        region: Option<Region>,
        format: Format,
    ) -> Sample {
        let fixed = region.is_some() || self.places.has_file();
        Sample {
            project: None,
            function_id: asked.function.function_id,
            arguments: Some(if fixed {
                asked.named.clone().into()
            } else {
                single.clone()
            }),
            region,
            outputs: asked.outputs.clone(),
            gradient: self.gradient,
            format,
            precision: self.how().precision,
            revision: None,
        }
    }

    fn ready(&self, asked: &Asked<'_>, sample: Sample) -> Result<Ready, Failure> {
        let points = self.places.points()?;
        let sampling = asked.service.sampling_at(sample, points)?;
        Ok(sampling.ready(self.how())?)
    }

    fn how(&self) -> How {
        How {
            precision: match self.precision {
                Numbers::F64 => Precision::F64,
                Numbers::F32 => Precision::F32,
            },
            settings: Settings {
                machine_code: !self.no_jit,
                ..Settings::default()
            },
        }
    }

    /// How values are written, if they are.
    fn written(&self) -> Result<Option<Written>, Refusal> {
        let Some(out) = &self.out else {
            return Ok(self.format);
        };
        if let Some(format) = self.format {
            return Ok(Some(format));
        }
        let ending = out.extension().and_then(|ending| ending.to_str());
        let format = ending.and_then(|ending| Written::from_str(ending, true).ok());
        format.map(Some).ok_or_else(|| {
            let message = format!(
                "the name {} does not tell how the values are written",
                out.display()
            );
            Refusal::new("invalid_arguments", message)
                .hint("give --format json, csv, npy, f32 or f64")
        })
    }
}

fn warn(sampled: &Sampled) {
    for warning in &sampled.warnings {
        eprintln!("fibula: {warning}");
    }
}

/// `262144 points (64 x 64 x 64)`.
fn counted(sampled: &Sampled) -> String {
    let points = sampled.points;
    let mut sizes: Vec<String> = sampled
        .shape
        .iter()
        .rev()
        .filter(|size| **size > 1)
        .map(usize::to_string)
        .collect();
    if sizes.len() < 2 {
        sizes.clear();
    }
    let sizes = if sizes.is_empty() {
        String::new()
    } else {
        format!(" ({})", sizes.join(" x "))
    };
    let ending = if points == 1 { "" } else { "s" };
    format!("{points} point{ending}{sizes}")
}

/// What values are like, as a table.
fn surveyed(sampled: &Sampled) -> String {
    let head = ["output", "min", "at", "max", "at", "mean", "not finite"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let number = |number: Option<f64>| {
        number.map_or_else(|| "-".to_owned(), |number| value_text(&number.into()))
    };
    let place = |place: &Option<Json>| match place {
        None => "-".to_owned(),
        Some(Json::Array(numbers)) => numbers.iter().map(value_text).collect::<Vec<_>>().join(","),
        Some(other) => value_text(other),
    };
    for (name, statistics) in &sampled.statistics {
        rows.push(vec![
            name.clone(),
            number(statistics.min),
            place(&statistics.min_at),
            number(statistics.max),
            place(&statistics.max_at),
            number(statistics.mean),
            statistics.not_finite.to_string(),
        ]);
    }
    format!("{}\n{}", counted(sampled), table(&rows))
}

/// Bounds and slopes, a line each.
fn extents(evaluated: &Evaluated, input: &str) -> String {
    let mut text = String::new();
    for (name, bound) in evaluated.bounds.iter().flatten() {
        let undefined = if bound.undefined {
            ", and may be undefined there"
        } else {
            ""
        };
        let (low, high) = (value_text(&bound.low), value_text(&bound.high));
        let _ = writeln!(
            text,
            "{name} is between {low} and {high} in the box{undefined}"
        );
    }
    for (name, steepness) in evaluated.lipschitz.iter().flatten() {
        let (least, most) = (
            value_text(&steepness.at_least),
            value_text(&steepness.at_most),
        );
        let jumps = if steepness.may_jump {
            ", and may jump"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "{name} changes by at least {least} and at most {most} per unit of {input}{jumps}"
        );
    }
    text
}
