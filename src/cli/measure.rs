//! `fibula measure`: measurements and comparisons as tables.

use std::fmt::Write as _;

use clap::{Args, ValueEnum};
use fibula_geometry::{Count, Figure, GapKind, Slab, Span};
use fibula_service::{
    self as service, Compare, CompareResult, MeasureResult, Refusal, Slabs, compare, measure,
};

use super::eval::numbers as parse_numbers;
use super::limits::LimitArgs;
use super::mesh::soundness;
use super::output::{Failure, OutputArgs, warn};
use super::progress::{Unit, with_progress};
use super::subject::{SecondSubjectArgs, SubjectArgs};

#[derive(Debug, Args)]
pub(super) struct Measure {
    #[command(flatten)]
    look: SubjectArgs,
    #[command(flatten)]
    other: SecondSubjectArgs,
    /// The longest edge of the finest cells; what is thinner is lost. Default: a hundredth of the longest side, less for
    /// thin walls.
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    cell: Option<f64>,
    /// Maximum deviation of the surface that is measured: cells follow from it. Default: a thousandth of the longest side,
    /// unless a cell is given.
    #[arg(
        long,
        value_name = "LENGTH",
        allow_hyphen_values = true,
        conflicts_with_all = ["to", "to_object", "to_function", "to_expression"]
    )]
    accuracy: Option<f64>,
    /// Overhang threshold in degrees from the vertical; default: 45.
    #[arg(
        long,
        value_name = "ANGLE",
        allow_hyphen_values = true,
        conflicts_with_all = ["to", "to_object", "to_function", "to_expression"]
    )]
    overhang: Option<f64>,
    /// Also the wall thickness at this point.
    #[arg(
        long,
        value_name = "X,Y,Z",
        allow_hyphen_values = true,
        conflicts_with_all = ["to", "to_object", "to_function", "to_expression"]
    )]
    at: Option<String>,
    /// Also the volumes between so many parallel planes.
    #[arg(
        long,
        value_name = "COUNT",
        conflicts_with_all = ["to", "to_object", "to_function", "to_expression"]
    )]
    slabs: Option<usize>,
    /// Axis across which the planes are.
    #[arg(long, requires = "slabs", default_value = "z")]
    axis: SlabAxis,
    /// Maximum number of triangles.
    #[arg(long, value_name = "COUNT")]
    most_triangles: Option<u64>,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// An axis of space.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum SlabAxis {
    X,
    Y,
    Z,
}

impl Measure {
    /// The point of the thickness.
    fn thickness_at(&self) -> Result<Option<[f64; 3]>, Refusal> {
        let Some(text) = &self.at else {
            return Ok(None);
        };
        let point = parse_numbers(text)?.try_into().map_err(|_| {
            let message = format!("--at {text} is not a point");
            Refusal::new("invalid_value", message).hint("use three numbers, such as 0,0,2.5")
        })?;
        Ok(Some(point))
    }

    pub(super) fn run(&self) -> Result<(), Failure> {
        let other = self.other.look(&self.look)?;
        let (seen, bounds) = self.look.resolve_plain()?;
        let Some(other) = other else {
            let request = service::Measure {
                figures: None,
                bounds,
                cell: self.cell,
                accuracy: self.accuracy,
                overhang: self.overhang,
                most_triangles: self.most_triangles,
                thickness_at: self.thickness_at()?,
                slabs: self.slabs.map(|count| Slabs {
                    axis: self.axis as usize,
                    count,
                }),
                limits: self.limits.limits(),
            };
            let measured =
                with_progress(Unit::Parts, |progress| measure(&seen, &request, progress))?;
            return self.print(&measured, &measured.warnings, |measured| {
                measured_text(measured, self)
            });
        };
        let (other, _) = other.resolve_plain()?;
        let request = Compare {
            bounds,
            cell: self.cell,
            most_triangles: self.most_triangles,
            limits: self.limits.limits(),
        };
        let compared = with_progress(Unit::Parts, |progress| {
            compare(&seen, &other, &request, progress)
        })?;
        self.print(&compared, &compared.warnings, compared_text)
    }

    fn print<T: serde::Serialize>(
        &self,
        answer: &T,
        warnings: &[String],
        words: impl FnOnce(&T) -> String,
    ) -> Result<(), Failure> {
        warn(warnings);
        self.output.print(answer, words)
    }
}

/// A table with a quantity in each line.
struct Table {
    text: String,
    unit: &'static str,
}

impl Table {
    fn new(of: &str, unit: &'static str) -> Table {
        Table {
            text: format!("{of}\n"),
            unit,
        }
    }

    fn line(&mut self, name: &str, text: &str) {
        let _ = writeln!(self.text, "{name:<12}{text}");
    }

    fn figure(&mut self, name: &str, figure: Figure, power: u32) {
        let (value, digits) = (figure.value, digits(figure.error));
        let (error, unit) = (short(figure.error), self.power(power));
        self.line(name, &format!("{value:.digits$} +- {error} {unit}"));
    }

    fn point(&mut self, name: &str, figure: Figure<[f64; 3]>, power: u32) {
        let unit = self.power(power);
        let at = numbers(figure.value, figure.error);
        self.line(name, &format!("{at} +- {} {unit}", short(figure.error)));
    }

    fn count(&mut self, name: &str, count: Count) {
        let unsure = match count.error {
            0 => String::new(),
            error => format!(" +- {error}"),
        };
        self.line(name, &format!("{}{unsure}", count.value));
    }

    fn span(&mut self, name: &str, span: Option<Span>) {
        let Some(Span {
            value,
            error,
            at,
            kind,
        }) = span
        else {
            self.line(name, "none");
            return;
        };
        let (digits, unit) = (digits(error), self.unit);
        let [from, to] = at.map(|place| numbers(place, error));
        let error = short(error);
        let kind = match kind {
            None | Some(GapKind::Gap) => String::new(),
            Some(kind) => format!(", a {}", kind.name()),
        };
        let text = format!("{value:.digits$} +- {error} {unit}, from {from} to {to}{kind}");
        self.line(name, &text);
    }

    fn slab(&mut self, axis: SlabAxis, slab: &Slab) {
        let Slab {
            from,
            to,
            value,
            error,
            fraction,
        } = *slab;
        let (digits, unit) = (digits(error), self.power(3));
        let (axis, error) = (["x", "y", "z"][axis as usize], short(error));
        let percent = fraction * 100.0;
        let text = format!(
            "{value:.digits$} +- {error} {unit}, {percent:.1} percent, {axis} from {from:.4} to {to:.4}"
        );
        self.line("slab", &text);
    }

    fn power(&self, power: u32) -> String {
        match power {
            1 => self.unit.to_owned(),
            power => format!("{}^{power}", self.unit),
        }
    }
}

/// Returns the number of significant decimals for an error: those of its first two digits.
pub(super) fn digits(error: f64) -> usize {
    if error > 0.0 {
        (1.0 - error.log10().floor()).clamp(0.0, 30.0) as usize
    } else {
        6
    }
}

/// Formats an error with two digits, rounded up with the half of a unit by which the value beside it may be rounded, so that the
/// true value stays within it.
pub(super) fn short(error: f64) -> String {
    let digits = digits(error);
    let unit = 10_f64.powi(-(digits as i32));
    let raised = if error > 0.0 {
        (error / unit + 0.5).ceil() * unit
    } else {
        error
    };
    format!("{raised:.digits$}")
}

/// Formats a point with its significant decimals.
fn numbers(place: [f64; 3], error: f64) -> String {
    let digits = digits(error);
    // Not -0.
    let number = |x: f64| {
        let text = format!("{x:.digits$}");
        let is_zero = text.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.'));
        if is_zero { text.replace('-', "") } else { text }
    };
    place.map(number).join(",")
}

fn measured_text(measured: &MeasureResult, asked: &Measure) -> String {
    let figures = &measured.measures;
    let mut table = Table::new(&measured.of, measured.unit);
    let Figure { value, error } = figures.bounds;
    let [low, high] = value;
    let corners = [low, high].map(|corner| numbers(corner, error)).join(" ");
    let unit = measured.unit;
    table.line("box", &format!("{corners} +- {} {unit}", short(error)));
    let size = Figure {
        value: std::array::from_fn(|axis| high[axis] - low[axis]),
        // Both corners may be off.
        error: 2.0 * error,
    };
    table.point("size", size, 1);
    table.figure("volume", figures.volume, 3);
    table.figure("area", figures.area, 2);
    table.point("centre", figures.centre, 1);
    table.point("moments", figures.moments, 5);
    table.count("pieces", figures.components);
    table.count("cavities", figures.cavities);
    table.count("holes", figures.genus);
    let is_manifold = figures.manifold && figures.oriented;
    table.line("surface", soundness(figures.closed, is_manifold));
    table.span("wall", figures.wall);
    table.span("gap", figures.gap);
    if asked.at.is_some() {
        table.span("thickness", figures.thickness);
    }
    table.figure("overhang", figures.overhang, 2);
    for slab in &figures.slabs {
        table.slab(asked.axis, slab);
    }
    let (cell, triangles) = (figures.cell, figures.triangles);
    if cell > 0.0 {
        table.line("cell", &format!("{cell} {unit}, {triangles} triangles"));
        let deviation = figures.deviation;
        table.line("deviation", &format!("{deviation:.1e} {unit}"));
    } else {
        table.line("mesh", &format!("{triangles} triangles, as they are"));
    }
    table.text
}

fn compared_text(compared: &CompareResult) -> String {
    let comparison = &compared.comparison;
    let [first, second] = &compared.of;
    let mut table = Table::new(&format!("{first} and {second}"), compared.unit);
    table.span("distance", Some(comparison.distance));
    table.figure("overlap", comparison.overlap, 3);
    table.figure("volume 1", comparison.volumes[0], 3);
    table.figure("volume 2", comparison.volumes[1], 3);
    table.span("at most", Some(comparison.most));
    table.figure("on average", comparison.mean, 1);
    table.line("cell", &format!("{} {}", comparison.cell, compared.unit));
    table.text
}
