//! Slices of what is seen: at which heights, and how they are written.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::time::Instant;

use fibula_formats::contours::{self, Layer, Sheet};
use fibula_geometry::picture::{Faces, Image, Plot, Undrawable, contact_sheet};
use fibula_geometry::{Bounds, Shape, Slice, Slicer, Slicing, Unsliceable, short};
use serde::Serialize;
use serde_json::json;

use super::limits::{Limits, smaller};
use super::refusal::Refusal;
use super::render::{Extent, Rendered};
use super::sampling::beside;
use super::subject::Seen;

/// The most slices of one call.
const MOST_SLICES: f64 = 100_000.0;

/// The most slices in a picture.
const MOST_SHOWN: usize = 25;

/// How something is sliced. Lengths are in the unit of the project.
#[derive(Debug, Clone)]
pub struct MakeSlices {
    /// What is beyond is cut off; searched for if left out and not known.
    pub bounds: Option<Bounds>,
    /// Where.
    pub heights: Heights,
    /// The longest edge of a cell: details that are smaller are lost; a 500th of the longer side if left out.
    pub cell: Option<f64>,
    /// How far a contour may be from the shape; a tenth of a cell if left out.
    pub tolerance: Option<f64>,
    /// How much it may take.
    pub limits: Limits,
}

/// At which heights something is sliced.
#[derive(Debug, Clone, PartialEq)]
pub enum Heights {
    /// These.
    At(Vec<f64>),
    /// In the middle of layers of this thickness, from the bottom to the top.
    Layers(f64),
}

/// The format of a file of slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SliceFormat {
    /// Scalable Vector Graphics.
    Svg,
    /// The Common Layer Interface, as text.
    Cli,
    /// JSON: `{"of", "unit", "bounds", "slices": [{"z", "area", "contours": [{"points", "parent", "depth"}]}], "warnings"}`.
    Json,
}

impl SliceFormat {
    /// Every format.
    pub const ALL: [SliceFormat; 3] = [SliceFormat::Svg, SliceFormat::Cli, SliceFormat::Json];

    /// The ending of its files.
    pub fn name(self) -> &'static str {
        match self {
            SliceFormat::Svg => "svg",
            SliceFormat::Cli => "cli",
            SliceFormat::Json => "json",
        }
    }
}

/// Slices.
#[derive(Debug, Clone, PartialEq)]
pub struct SlicesMade {
    /// The slices, in the order of their heights as asked.
    pub slices: Vec<Slice>,
    /// What was sliced.
    pub bounds: Bounds,
    /// What should be known of them.
    pub warnings: Vec<String>,
    /// Of the layers that the slices are the middles of.
    thickness: Option<f64>,
    label: String,
    metres: f64,
    unit: &'static str,
}

/// Slices what is seen. `watch` is told how many slices of how many are done, and may end it.
///
/// # Errors
/// A [`Refusal`]: it has no bounds, there are too many slices, sizes that are none, its time is over, or `watch` ended it.
pub fn make_slices(
    seen: &Seen,
    request: &MakeSlices,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<SlicesMade, Refusal> {
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
    let limits = request.limits;
    limits.within(watch, fewer, |watch| make(seen, request, watch))
}

fn make(
    seen: &Seen,
    request: &MakeSlices,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<SlicesMade, Refusal> {
    let shape = Shape::new(&seen.tape)?;
    let bounds = seen.bounds_or(request.bounds, &shape, watch)?;
    let heights = request.heights.within(&bounds)?;
    let side = bounds.size()[0].max(bounds.size()[1]);
    let mut slicing = Slicing::new(bounds, request.cell.unwrap_or(side / 500.0));
    if let Some(tolerance) = request.tolerance {
        slicing.tolerance = tolerance;
    }
    let cutter = Slicer::new(&shape, slicing)?;
    let slices = beside(heights.len() as u64, watch, |progress| {
        cutter.slice(&heights, &|done, _| progress.tell(done))
    })?;
    let undefined = slices.iter().map(|slice| slice.undefined).sum();
    let is_empty = slices.iter().all(|slice| slice.contours.is_empty());
    let warnings = doubts(&heights, &bounds, undefined, "cell", is_empty);
    Ok(SlicesMade {
        slices,
        bounds,
        warnings,
        thickness: match &request.heights {
            Heights::At(_) => None,
            Heights::Layers(thickness) => Some(*thickness),
        },
        label: seen.label.clone(),
        metres: seen.unit.metres(),
        unit: seen.unit.name(),
    })
}

/// What should be known of what was found at heights, in cells or pixels: of so many corners or middles nothing is known, and
/// whether all is empty.
pub(super) fn doubts(
    heights: &[f64],
    bounds: &Bounds,
    undefined: u64,
    cell: &str,
    is_empty: bool,
) -> Vec<String> {
    let mut doubts = Vec::new();
    if undefined > 0 {
        doubts.push(format!(
            "the function is undefined at {undefined} of the samples near its contours; they count as outside"
        ));
    }
    let (low, high) = (bounds.low()[2], bounds.high()[2]);
    if let Some(beyond) = heights.iter().find(|z| !(low..=high).contains(*z)) {
        doubts.push(format!(
            "nothing is at heights beyond the bounds, from {low} to {high}, such as {beyond}"
        ));
    }
    if is_empty {
        doubts.push(format!(
            "nothing is inside at these heights; look at them, the bounds, the sign and the {cell}"
        ));
    }
    doubts
}

/// How slices are shown as a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DrawSlices {
    /// The width and height in pixels, of all together.
    pub size: [usize; 2],
    /// Whether the values around are shown, with lines where they are equal.
    pub field: bool,
    /// How much it may take; memory does not count.
    pub limits: Limits,
    /// When that began, if the slices count, too.
    pub begun: Option<Instant>,
}

/// Draws slices of what is seen: several as a sheet, in the order as they were asked for. `watch` is told how many parts of
/// how many are done, and may end it.
///
/// # Errors
/// A [`Refusal`]: there are too many or none, the size cannot be, its time is over, or `watch` ended it.
pub fn draw_slices(
    seen: &Seen,
    made: &SlicesMade,
    request: &DrawSlices,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<Rendered, Refusal> {
    let begun = request.begun.unwrap_or_else(Instant::now);
    request.limits.within_since(
        begun,
        watch,
        |far| smaller(request.size, 0.9 * far.sqrt()),
        |watch| draw(seen, made, request, watch),
    )
}

fn draw(
    seen: &Seen,
    made: &SlicesMade,
    request: &DrawSlices,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<Rendered, Refusal> {
    /// Parts of each slice that are told.
    const PARTS: u64 = 100;
    let count = made.slices.len();
    if count > MOST_SHOWN {
        let message = format!("a picture shows {MOST_SHOWN} slices at most, and these are {count}");
        return Err(Refusal::new("too_large", message)
            .hint("take fewer heights, or a file that ends in .svg, .cli or .json")
            .details(json!({ "slices": MOST_SHOWN })));
    }
    let shape = Shape::new(&seen.tape)?;
    let columns = (count as f64).sqrt().ceil() as usize;
    let rows = count.div_ceil(columns.max(1));
    // Without the lines between them.
    let each = |side: usize, count: usize| side.saturating_sub(count.max(1) - 1) / count.max(1);
    let size = [each(request.size[0], columns), each(request.size[1], rows)];
    let faces = Faces {
        size,
        unit: Some(seen.unit),
    };
    beside(PARTS * count as u64, watch, |progress| {
        let one = |(index, slice): (usize, &Slice)| -> Result<Image, Undrawable> {
            let told = |done: u64, total: u64| {
                progress.tell(PARTS * index as u64 + done * PARTS / total.max(1))
            };
            if !request.field {
                return faces.draw(slice, &made.bounds, &told);
            }
            let plot = Plot {
                size,
                unit: faces.unit,
                ..Plot::across(2, slice.z)
            };
            plot.draw(&shape, &made.bounds, &told)
        };
        let images: Result<Vec<Image>, Undrawable> =
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
        Ok(Rendered {
            png: image.png(),
            size: [image.width(), image.height()],
            extent: Some(Extent {
                bounds: made.bounds,
                unit: seen.unit,
            }),
            revision: seen.revision,
            warnings: made.warnings.clone(),
        })
    })
}

impl Heights {
    pub(super) fn within(&self, bounds: &Bounds) -> Result<Vec<f64>, Refusal> {
        let thickness = match self {
            Heights::At(heights) if heights.len() as f64 > MOST_SLICES => {
                let count = heights.len();
                let message = format!("{count} heights are given, and the most are {MOST_SLICES}");
                return Err(Refusal::new("too_large", message).hint("ask for them in portions"));
            }
            Heights::At(heights) => {
                if let Some(wrong) = heights.iter().find(|z| !z.is_finite()) {
                    let message = format!("heights are finite numbers, not {wrong}");
                    return Err(Refusal::new("invalid_value", message));
                }
                return Ok(heights.clone());
            }
            Heights::Layers(thickness) => *thickness,
        };
        if !(thickness.is_finite() && thickness > 0.0) {
            let message = format!("layers have a thickness above 0, not {thickness}");
            return Err(Refusal::new("invalid_value", message));
        }
        let (low, height) = (bounds.low()[2], bounds.size()[2]);
        // A last layer of almost nothing is what rounding leaves.
        let count = (height / thickness * (1.0 - 1e-9)).ceil();
        if count > MOST_SLICES {
            let message = format!(
                "layers of {thickness} are {count:.0} slices, and the most are {MOST_SLICES}"
            );
            let passes = height / MOST_SLICES * 1.01;
            return Err(Refusal::new("too_large", message)
                .hint(format!("a thickness of {passes:.3e} passes"))
                .details(json!({ "layer": passes })));
        }
        let middle = |layer: u32| {
            let from = f64::from(layer) * thickness;
            low + f64::midpoint(from, (from + thickness).min(height))
        };
        Ok((0..count as u32).map(middle).collect())
    }
}

impl SlicesMade {
    /// Writes the slices, the lowest first.
    ///
    /// # Errors
    /// What `to` fails with.
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

    /// Layers as CLI has them: at the height of their upper sides, after an empty one at the lowest side.
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
        let all = SlicesWritten {
            of: &self.label,
            unit: self.unit,
            bounds: self.bounds,
            slices: slices.iter().map(|slice| SliceWritten::of(slice)).collect(),
            warnings: &self.warnings,
        };
        serde_json::to_writer(&mut *to, &all)?;
        writeln!(to)
    }
}

/// What JSON says of slices.
#[derive(Serialize)]
struct SlicesWritten<'a> {
    of: &'a str,
    unit: &'static str,
    bounds: Bounds,
    slices: Vec<SliceWritten<'a>>,
    warnings: &'a [String],
}

/// What JSON says of a slice.
#[derive(Serialize)]
struct SliceWritten<'a> {
    z: f64,
    area: f64,
    contours: Vec<ContourWritten<'a>>,
}

impl SliceWritten<'_> {
    fn of(slice: &Slice) -> SliceWritten<'_> {
        let contours = slice.contours.iter().map(|one| ContourWritten {
            points: &one.points,
            parent: one.parent,
            depth: one.depth,
        });
        SliceWritten {
            z: slice.z,
            area: slice.area(),
            contours: contours.collect(),
        }
    }
}

/// What JSON says of a contour.
#[derive(Serialize)]
struct ContourWritten<'a> {
    points: &'a [[f64; 2]],
    parent: Option<usize>,
    depth: usize,
}

impl From<Unsliceable> for Refusal {
    fn from(error: Unsliceable) -> Self {
        let refusal = |code| Refusal::new(code, error.to_string());
        match &error {
            Unsliceable::Unexplorable(why) => refusal(why.code()),
            Unsliceable::Size { .. } | Unsliceable::TooFar { .. } | Unsliceable::Height(_) => {
                refusal("invalid_value")
            }
            Unsliceable::TooManyPoints => refusal("too_large"),
            Unsliceable::TooManyCells { passes, .. } => {
                refusal("too_large").details(json!({ "cell": passes }))
            }
            Unsliceable::Cancelled(_) => Refusal::cancelled(),
        }
    }
}
