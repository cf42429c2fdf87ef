//! Slicing of shapes: heights, contours, files and pictures.

use std::io::{self, Write};
use std::time::Instant;

use fibula_formats::contours::{self, Layer, Sheet};
use fibula_geometry::picture::{Image, PictureError, Plot, SlicePicture, contact_sheet};
use fibula_geometry::{Bounds, Figure, Shape, Slice, SliceError, SliceSettings, Slicer, short};
use serde::Serialize;
use serde_json::json;

use crate::background::{ProgressFn, run_watched};
use crate::digits::{decimal, seven_digits};
use crate::refusal::{Refusal, Result};
use crate::shapes::accuracy::{check_accuracy, missed_accuracy};
use crate::shapes::figures::round_figure;
use crate::shapes::limits::{Limits, suggest_size};
use crate::shapes::render::{Extent, RenderResult};
use crate::shapes::subject::ResolvedShape;

/// Maximum number of slices of a call.
const MOST_SLICES: f64 = 100_000.0;

/// Maximum number of slices in a picture.
const MOST_SHOWN: usize = 25;

/// Settings of slicing. Lengths are in the unit of the project.
#[derive(Debug, Clone)]
pub struct MakeSlices {
    /// Part of space that is sliced; found by search if left out and unknown.
    pub bounds: Option<Bounds>,
    /// Heights of the slices.
    pub heights: Heights,
    /// Longest edge of a cell: smaller details are lost; a 500th of the longer side if left out.
    pub cell: Option<f64>,
    /// Maximum deviation of a contour from the shape; a tenth of a cell if left out.
    pub tolerance: Option<f64>,
    /// The same, from which cells follow, unless they are given: ten times as long, and at most a 500th of the longer side.
    pub accuracy: Option<f64>,
    /// Approximate number of points by which the error of each area is determined; 0 for none.
    pub area_points: usize,
    /// Time and memory limits.
    pub limits: Limits,
}

/// Number of points by which the errors of areas are determined, where these are reported.
pub const AREA_POINTS: usize = 1 << 14;

/// Ratio of cells to the accuracy.
const CELL: f64 = 10.0;

/// Heights of slices.
#[derive(Debug, Clone, PartialEq)]
pub enum Heights {
    /// Explicit heights.
    At(Vec<f64>),
    /// Middles of layers of this thickness, from the bottom to the top.
    Layers(f64),
}

/// File format of slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SliceFormat {
    /// Scalable Vector Graphics.
    Svg,
    /// Common Layer Interface, as text.
    Cli,
    /// JSON: `{"of", "unit", "bounds", "slices": [{"z", "area", "area_error", "contours": [{"points", "parent", "depth"}]}],
    /// "warnings"}`.
    Json,
}

impl SliceFormat {
    /// All formats.
    pub const ALL: [SliceFormat; 3] = [SliceFormat::Svg, SliceFormat::Cli, SliceFormat::Json];

    /// File extension.
    pub fn name(self) -> &'static str {
        match self {
            SliceFormat::Svg => "svg",
            SliceFormat::Cli => "cli",
            SliceFormat::Json => "json",
        }
    }
}

/// Slices of a shape.
#[derive(Debug, Clone, PartialEq)]
pub struct SlicesMade {
    /// The slices, in the order of the requested heights.
    pub slices: Vec<Slice>,
    /// Bounds that were requested, or those of the shape.
    pub bounds: Bounds,
    /// Region of space that was sliced: the bounds, or slightly more than those of the shape.
    region: Bounds,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Maximum deviation of the contours.
    pub tolerance: f64,
    /// Longest edge of a cell.
    pub cell: f64,
    /// Thickness of the layers of which the slices are the middles.
    thickness: Option<f64>,
    label: String,
    metres: f64,
    /// Unit of lengths.
    pub unit: &'static str,
}

impl MakeSlices {
    /// Checks the accuracy, as [`make_slices`] does; so invalid settings can fail before anything is read.
    pub(crate) fn check(&self) -> Result<()> {
        let Some(accuracy) = self.accuracy else {
            return Ok(());
        };
        check_accuracy(accuracy)?;
        if self.tolerance.is_some() {
            let message = "accuracy is the tolerance of contours, too, so tolerance does not apply";
            return Err(Refusal::new("invalid_arguments", message).hint("omit one of them"));
        }
        Ok(())
    }

    /// The refusal of an error; where the cell follows from the accuracy, it is about that.
    fn refusal(&self, error: SliceError) -> Refusal {
        match (error, self.accuracy) {
            (SliceError::TooManyCells { cells, passes, .. }, Some(accuracy))
                if self.cell.is_none() =>
            {
                let passes = short(passes / CELL);
                let message = format!(
                    "an accuracy of {accuracy} divides a slice into {cells:.0e} cells; use an accuracy of {passes} or \
                     more, or a cell"
                );
                Refusal::new("too_large", message).details(json!({ "accuracy": passes }))
            }
            (error, _) => error.into(),
        }
    }
}

/// Slices a shape. Calls `watch` with the slices done and their total; it may cancel the work.
///
/// # Errors
/// A [`Refusal`] if the shape has no bounds, there are too many slices, a size is invalid, or the work timed out or
/// was cancelled.
pub fn make_slices(
    resolved: &ResolvedShape,
    request: &MakeSlices,
    watch: ProgressFn<'_>,
) -> Result<SlicesMade> {
    let fewer = |far: f64| match &request.heights {
        Heights::At(heights) => {
            let count = (heights.len() as f64 * far * 0.9).floor().max(1.0);
            (format!("{count} heights"), json!({ "heights": count }))
        }
        Heights::Layers(thickness) => {
            let passes = short(1.1 * thickness / far);
            let words = format!("a thickness of {passes}");
            (words, json!({ "layer": passes }))
        }
    };
    request.check()?;
    let limits = request.limits;
    limits.within(watch, fewer, |watch| make(resolved, request, watch))
}

fn make(
    resolved: &ResolvedShape,
    request: &MakeSlices,
    watch: ProgressFn<'_>,
) -> Result<SlicesMade> {
    let shape = Shape::new(&resolved.tape)?;
    let extent = resolved.extent_or(request.bounds, &shape, watch)?;
    let bounds = extent.tight;
    let heights = request.heights.within(&bounds)?;
    let side = bounds.size()[0].max(bounds.size()[1]);
    let largest = side / 500.0;
    let cell = request
        .accuracy
        .map(|accuracy| largest.min(CELL * accuracy));
    let cell = request.cell.or(cell).unwrap_or(largest);
    let mut slicing = SliceSettings {
        area_points: request.area_points,
        ..SliceSettings::new(extent.around, cell)
    };
    if let Some(tolerance) = request.tolerance.or(request.accuracy) {
        slicing.tolerance = tolerance;
    }
    let cutter = Slicer::new(&shape, slicing).map_err(|error| request.refusal(error))?;
    let slices = run_watched(heights.len() as u64, watch, |progress| {
        cutter.slice(&heights, &|done, _| progress.report(done))
    })?;
    let undefined = slices.iter().map(|slice| slice.undefined).sum();
    let is_empty = slices.iter().all(|slice| slice.contours.is_empty());
    let mut warnings = resolved.warnings.clone();
    warnings.extend(value_warnings(
        &heights, &bounds, undefined, "cell", is_empty,
    ));
    warnings.extend(lost_walls(&slices, &heights, slicing.cell));
    let reached = slicing.effective_tolerance();
    let missed = |wanted| missed_accuracy(wanted, reached, slicing.cell);
    warnings.extend(request.accuracy.and_then(missed));
    Ok(SlicesMade {
        slices,
        bounds,
        region: extent.around,
        warnings,
        tolerance: reached,
        cell: slicing.cell,
        thickness: match &request.heights {
            Heights::At(_) => None,
            Heights::Layers(thickness) => Some(*thickness),
        },
        label: resolved.label.clone(),
        metres: resolved.unit.metres(),
        unit: resolved.unit.name(),
    })
}

/// Warning of a slice whose area is hardly known, since walls or gaps are thinner than its cells.
fn lost_walls(slices: &[Slice], heights: &[f64], cell: f64) -> Option<String> {
    /// Share of the area of a slice, and of the largest one, that an error may be.
    const MOST: [f64; 2] = [0.25, 0.01];
    let largest = slices.iter().map(Slice::area).fold(0.0, f64::max);
    let is_lost = |(slice, _): &(&Slice, &f64)| {
        let error = slice.area_error.unwrap_or_default();
        error > MOST[0] * slice.area() && error > MOST[1] * largest
    };
    let (slice, height) = slices.iter().zip(heights).find(is_lost)?;
    let Figure { value, error } = round_figure(Figure {
        value: slice.area(),
        error: slice.area_error.unwrap_or_default(),
    });
    let cell = seven_digits(cell);
    Some(format!(
        "cells of {cell} are too large for walls or gaps: the area at height {height} is {value} +- {error}; use smaller cells"
    ))
}

/// Warnings about slices or masks: the number of corners or pixels without a value, and an empty result.
pub(crate) fn value_warnings(
    heights: &[f64],
    bounds: &Bounds,
    undefined: u64,
    cell: &str,
    is_empty: bool,
) -> Vec<String> {
    let mut value_warnings = Vec::new();
    if undefined > 0 {
        value_warnings.push(format!(
            "the function is undefined at {undefined} of the samples near its contours; they count as outside"
        ));
    }
    let (low, high) = (bounds.low()[2], bounds.high()[2]);
    if let Some(beyond) = heights.iter().find(|z| !(low..=high).contains(*z)) {
        value_warnings.push(format!(
            "heights beyond the bounds, from {low} to {high}, are empty, such as {beyond}"
        ));
    }
    if is_empty {
        value_warnings.push(format!(
            "nothing is inside at these heights; check them, the bounds, the sign and the {cell}"
        ));
    }
    value_warnings
}

/// Settings of a picture of slices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DrawSlices {
    /// Width and height in pixels, of all slices together.
    pub size: [usize; 2],
    /// True to show the field around the slices, with isolines.
    pub field: bool,
    /// Time limit; the memory limit is ignored.
    pub limits: Limits,
    /// Start of the time limit, if it includes slicing.
    pub begun: Option<Instant>,
}

/// Draws slices of a shape: several as a sheet, in the requested order. Calls `watch` with the steps done and their
/// total; it may cancel the work.
///
/// # Errors
/// A [`Refusal`] if there are too many slices or none, the size is invalid, or the work timed out or was cancelled.
pub fn draw_slices(
    resolved: &ResolvedShape,
    made: &SlicesMade,
    request: &DrawSlices,
    watch: ProgressFn<'_>,
) -> Result<RenderResult> {
    let begun = request.begun.unwrap_or_else(Instant::now);
    request.limits.within_since(
        begun,
        watch,
        |far| suggest_size(request.size, 0.9 * far.sqrt()),
        |watch| draw(resolved, made, request, watch),
    )
}

fn draw(
    resolved: &ResolvedShape,
    made: &SlicesMade,
    request: &DrawSlices,
    watch: ProgressFn<'_>,
) -> Result<RenderResult> {
    /// Progress steps per slice.
    const PARTS: u64 = 100;
    let count = made.slices.len();
    if count > MOST_SHOWN {
        let message = format!("a picture shows at most {MOST_SHOWN} slices, not {count}");
        return Err(Refusal::new("too_large", message)
            .hint("pass fewer heights, or use a file that ends in .svg, .cli or .json")
            .details(json!({ "slices": MOST_SHOWN })));
    }
    let shape = Shape::new(&resolved.tape)?;
    // A field is shown around the shape, too.
    let region = if request.field {
        made.region
    } else {
        made.bounds
    };
    let columns = (count as f64).sqrt().ceil() as usize;
    let rows = count.div_ceil(columns.max(1));
    // Without the lines between them.
    let each = |side: usize, count: usize| side.saturating_sub(count.max(1) - 1) / count.max(1);
    let size = [each(request.size[0], columns), each(request.size[1], rows)];
    let faces = SlicePicture {
        size,
        unit: Some(resolved.unit),
    };
    run_watched(PARTS * count as u64, watch, |progress| {
        let one = |(index, slice): (usize, &Slice)| -> Result<Image, PictureError> {
            let report = |done: u64, total: u64| {
                progress.report(PARTS * index as u64 + done * PARTS / total.max(1))
            };
            if !request.field {
                return faces.draw(slice, &region, &report);
            }
            let plot = Plot {
                size,
                unit: faces.unit,
                ..Plot::across(2, slice.z)
            };
            plot.draw(&shape, &region, &report)
        };
        let images: Result<Vec<Image>, PictureError> =
            made.slices.iter().enumerate().map(one).collect();
        let images = images?;
        let sheet;
        let image = match &images[..] {
            [one] => one,
            several => {
                sheet = contact_sheet(several, columns)?;
                &sheet
            }
        };
        Ok(RenderResult {
            png: image.png(),
            size: [image.width(), image.height()],
            extent: Some(Extent {
                bounds: region,
                unit: resolved.unit,
            }),
            revision: resolved.revision,
            warnings: made.warnings.clone(),
            tried_edits: None,
        })
    })
}

impl Heights {
    pub(crate) fn within(&self, bounds: &Bounds) -> Result<Vec<f64>> {
        let thickness = match self {
            Heights::At(heights) if heights.len() as f64 > MOST_SLICES => {
                let count = heights.len();
                let message = format!(
                    "{count} heights are given, more than the limit of \
                    {MOST_SLICES}"
                );
                return Err(
                    Refusal::new("too_large", message).hint("request them in several calls")
                );
            }
            Heights::At(heights) => {
                if let Some(wrong) = heights.iter().find(|z| !z.is_finite()) {
                    let message = format!("heights must be finite numbers, but one is {wrong}");
                    return Err(Refusal::new("invalid_value", message));
                }
                return Ok(heights.clone());
            }
            Heights::Layers(thickness) => *thickness,
        };
        if !(thickness.is_finite() && thickness > 0.0) {
            let message = format!("the thickness of layers must be above 0, not {thickness}");
            return Err(Refusal::new("invalid_value", message));
        }
        let (low, height) = (bounds.low()[2], bounds.size()[2]);
        // Ignores a last layer that is thinner than rounding errors.
        let count = (height / thickness * (1.0 - 1e-9)).ceil();
        if count > MOST_SLICES {
            let message = format!(
                "layers of {thickness} are {count:.0} slices, more than the limit of {MOST_SLICES}"
            );
            let passes = height / MOST_SLICES * 1.01;
            return Err(Refusal::new("too_large", message)
                .hint(format!("a thickness of {passes:.3e} is possible"))
                .details(json!({ "layer": passes })));
        }
        let decimals = 9 - thickness.log10().floor() as i32;
        let middle = |layer: u32| {
            let from = f64::from(layer) * thickness;
            let middle = low + f64::midpoint(from, (from + thickness).min(height));
            decimal(middle, decimals)
        };
        Ok((0..count as u32).map(middle).collect())
    }
}

impl SlicesMade {
    /// Writes the slices, lowest first.
    ///
    /// # Errors
    /// The errors of `to`.
    pub fn write(&self, format: SliceFormat, to: &mut dyn Write) -> io::Result<()> {
        let mut slices: Vec<&Slice> = self.slices.iter().collect();
        slices.sort_by(|one, other| one.z.total_cmp(&other.z));
        let contours: Vec<Vec<&[[f64; 2]]>> = slices
            .iter()
            .map(|slice| slice.contours.iter().map(|one| &one.points[..]).collect())
            .collect();
        let layers = slices.iter().zip(&contours).map(|(slice, contours)| Layer {
            z: slice.z,
            contours,
        });
        let sheet = Sheet {
            bounds: [self.bounds.low(), self.bounds.high()],
            millimetres: self.metres * 1e3,
            title: &self.label,
        };
        match format {
            SliceFormat::Json => self.write_json(&slices, to),
            SliceFormat::Svg => contours::write_svg(to, &sheet, &layers.collect::<Vec<_>>()),
            SliceFormat::Cli => {
                contours::write_cli(to, &sheet, &self.raised(layers).collect::<Vec<_>>())
            }
        }
    }

    /// Layers as CLI defines them: at the height of their upper sides, after an empty one at the bottom.
    fn raised<'a>(
        &self,
        layers: impl Iterator<Item = Layer<'a>>,
    ) -> impl Iterator<Item = Layer<'a>> {
        let (low, high) = (self.bounds.low()[2], self.bounds.high()[2]);
        let lowest = self.thickness.map(|_| Layer {
            z: low,
            contours: &[],
        });
        let thickness = self.thickness;
        let all = layers.enumerate().map(move |(number, layer)| Layer {
            z: thickness.map_or(layer.z, |thickness| {
                (low + (number + 1) as f64 * thickness).min(high)
            }),
            ..layer
        });
        lowest.into_iter().chain(all)
    }

    fn write_json(&self, slices: &[&Slice], to: &mut dyn Write) -> io::Result<()> {
        let all = SlicesJson {
            of: &self.label,
            unit: self.unit,
            bounds: self.bounds,
            slices: slices.iter().map(|slice| SliceJson::of(slice)).collect(),
            warnings: &self.warnings,
        };
        serde_json::to_writer(&mut *to, &all)?;
        writeln!(to)
    }
}

/// JSON of slices.
#[derive(Serialize)]
struct SlicesJson<'a> {
    of: &'a str,
    unit: &'static str,
    bounds: Bounds,
    slices: Vec<SliceJson<'a>>,
    warnings: &'a [String],
}

/// JSON of a slice.
#[derive(Serialize)]
struct SliceJson<'a> {
    z: f64,
    area: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    area_error: Option<f64>,
    contours: Vec<ContourJson<'a>>,
}

impl SliceJson<'_> {
    fn of(slice: &Slice) -> SliceJson<'_> {
        let contours = slice.contours.iter().map(|one| ContourJson {
            points: &one.points,
            parent: one.parent,
            depth: one.depth,
        });
        SliceJson {
            z: slice.z,
            area: slice.area(),
            area_error: slice.area_error,
            contours: contours.collect(),
        }
    }
}

/// JSON of a contour.
#[derive(Serialize)]
struct ContourJson<'a> {
    points: &'a [[f64; 2]],
    parent: Option<usize>,
    depth: usize,
}

impl From<SliceError> for Refusal {
    fn from(error: SliceError) -> Self {
        let refusal = |code| Refusal::new(code, error.to_string());
        match &error {
            SliceError::Explore(why) => refusal(why.code()),
            SliceError::Size { .. } | SliceError::TooFar { .. } | SliceError::Height(_) => {
                refusal("invalid_value")
            }
            SliceError::TooManyPoints => refusal("too_large"),
            SliceError::TooManyCells { passes, .. } => {
                refusal("too_large").details(json!({ "cell": passes }))
            }
            SliceError::Cancelled(_) => Refusal::cancelled(),
        }
    }
}
