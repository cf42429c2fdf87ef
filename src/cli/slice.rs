//! `fibula slice`: contours.

use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use fibula_service::{
    AREA_POINTS, AtomicFile, DrawSlices, Limits, MakeSlices, Refusal, SliceFormat, SlicesMade,
    draw_slices, make_slices,
};

use super::convert::{ending, unknown_ending};
use super::heights::HeightArgs;
use super::measure::{digits, short};
use super::output::{Failure, head_and_tail, number, print, warn};
use super::progress::{Unit, with_progress};
use super::render::size;
use super::subject::SubjectArgs;

#[derive(Debug, Args)]
pub(super) struct Slice {
    #[command(flatten)]
    look: SubjectArgs,
    #[command(flatten)]
    heights: HeightArgs,
    /// Longest edge of a cell; smaller details are lost. Default: a 500th of the longer side.
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    cell: Option<f64>,
    /// Maximum distance of a contour from the shape; default: a tenth of a cell.
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    tolerance: Option<f64>,
    /// The same, from which cells follow: ten times as long, and at most a 500th of the longer side.
    #[arg(
        long,
        value_name = "LENGTH",
        allow_hyphen_values = true,
        conflicts_with = "tolerance"
    )]
    accuracy: Option<f64>,
    /// Stop after this many seconds, and report the progress.
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    time_limit: Option<f64>,
    /// In a picture, show the values around too, with lines where they are equal.
    #[arg(long, requires = "out")]
    field: bool,
    /// The picture's size in pixels, 800x800 if left out; of several heights it is a sheet.
    #[arg(long, value_name = "WIDTHxHEIGHT", requires = "out")]
    size: Option<String>,
    /// The file; its extension determines the format: .svg, .cli, .json, or .png for a picture. Without it the slices are only
    /// measured.
    #[arg(short = 'o', long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long, requires = "out")]
    overwrite: bool,
}

impl Slice {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let format = self.out.as_deref().map(format).transpose()?;
        let is_picture = matches!(format, Some(Format::Picture));
        if (self.field || self.size.is_some()) && !is_picture {
            let message = "--field and --size apply to pictures, but the file is not one";
            return Err(Refusal::new("invalid_arguments", message)
                .hint("use a name that ends in .png, or omit them")
                .into());
        }
        let size = size(self.size.as_deref().unwrap_or("800x800"))?;
        let heights = self.heights.read()?;
        let (seen, bounds) = self.look.resolve_plain()?;
        let request = MakeSlices {
            bounds,
            heights,
            cell: self.cell,
            tolerance: self.tolerance,
            accuracy: self.accuracy,
            area_points: AREA_POINTS,
            limits: Limits {
                time: self.time_limit,
                memory: None,
            },
        };
        // Fails before the work if the file cannot be written.
        let file = self.out.as_deref();
        let file = file.map(|path| AtomicFile::create(path, self.overwrite));
        let file = file.transpose()?;
        let begun = Instant::now();
        let made = with_progress(Unit::Slices, |progress| {
            make_slices(&seen, &request, progress)
        })?;
        if let (Some(mut file), Some(format)) = (file, format) {
            match format {
                Format::Slices(format) => made.write(format, &mut file)?,
                Format::Picture => {
                    let drawn = DrawSlices {
                        size,
                        field: self.field,
                        limits: request.limits,
                        begun: Some(begun),
                    };
                    let draw = |progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>| {
                        draw_slices(&seen, &made, &drawn, progress)
                    };
                    file.write_all(&with_progress(Unit::Parts, draw)?.png)?;
                }
            }
            file.finish()?;
        }
        warn(&made.warnings);
        print(&slices_text(self.out.as_deref(), &made))
    }
}

/// Format of the output.
#[derive(Debug, Clone, Copy)]
enum Format {
    Slices(SliceFormat),
    /// PNG.
    Picture,
}

/// Returns the format of a file by its extension.
fn format(path: &Path) -> Result<Format, Refusal> {
    let ending = ending(path);
    if ending == "png" {
        return Ok(Format::Picture);
    }
    let mut all = SliceFormat::ALL.into_iter();
    let found = all.find(|format| format.name() == ending);
    found.map(Format::Slices).ok_or_else(|| {
        let hint = "give a name that ends in .svg, .cli, .json or .png";
        unknown_ending(path, "format of slices", hint)
    })
}

/// Describes the slices; if there are many, the first and the last ones.
fn slices_text(file: Option<&Path>, made: &SlicesMade) -> String {
    let mut text = String::new();
    if let Some(file) = file {
        let _ = writeln!(text, "{}", file.display());
    }
    let lines = made.slices.iter().map(|slice| {
        let points: usize = slice.contours.iter().map(|one| one.points.len()).sum();
        let z = number(slice.z);
        let area = match slice.area_error {
            Some(error) if error > 0.0 => {
                let digits = digits(error);
                let (area, error) = (slice.area(), short(error));
                format!("{area:.digits$} +- {error} {}^2", made.unit)
            }
            _ => format!("{} {}^2", number(slice.area()), made.unit),
        };
        let count = slice.contours.len();
        format!("z = {z}: area {area}, {count} contours of {points} points")
    });
    head_and_tail(&mut text, lines);
    let (cell, tolerance, unit) = (number(made.cell), number(made.tolerance), made.unit);
    let _ = writeln!(
        text,
        "contours within {tolerance} {unit}, in cells of {cell}"
    );
    text
}
