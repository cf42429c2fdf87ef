//! Pictures of function graphs, as SVG and PNG.

use std::ops::ControlFlow;

use fibula_core::graph::FunctionId;
use fibula_drawing::diagram::layout::Unplaceable;
use fibula_drawing::diagram::{Drawing, Shape};
use fibula_geometry::picture::Image;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::background::run_watched;
use crate::refusal::Refusal;
use crate::service::Service;

/// Maximum side of a picture, and maximum number of its pixels.
const LONGEST: f64 = 32_767.0;
const MOST_PIXELS: f64 = 64e6;

/// The function whose graph is asked for as a picture.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetFunctionPicture {
    /// Left out: "default".
    pub project: Option<String>,
    /// The function.
    #[schemars(with = "u32")]
    pub function_id: FunctionId,
    /// svg if left out.
    #[serde(default)]
    pub format: PictureFormat,
    /// As of this revision.
    pub revision: Option<u64>,
}

/// The format of a picture of a graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PictureFormat {
    /// Scalable Vector Graphics: of any size, with the full texts beside the pointer.
    #[default]
    Svg,
    /// Pixels.
    Png,
}

impl PictureFormat {
    /// All formats.
    pub const ALL: [PictureFormat; 2] = [PictureFormat::Svg, PictureFormat::Png];

    /// File extension.
    pub fn name(self) -> &'static str {
        match self {
            PictureFormat::Svg => "svg",
            PictureFormat::Png => "png",
        }
    }

    /// Media type.
    pub fn media_type(self) -> &'static str {
        match self {
            PictureFormat::Svg => "image/svg+xml",
            PictureFormat::Png => "image/png",
        }
    }
}

/// Picture of the graph of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionPicture {
    /// The function.
    pub function_id: FunctionId,
    /// Format of the bytes.
    pub format: PictureFormat,
    /// Contents of the file.
    pub bytes: Vec<u8>,
    /// Width and height in pixels.
    pub size: [usize; 2],
    /// Revision of the project.
    pub revision: u64,
}

impl Service {
    /// Draws the graph of a function: its nodes from left to right with their values, and links in the colours of
    /// their types. `watch` may cancel it.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such function, its graph is too large for a layout or for pixels, or `watch`
    /// cancelled it.
    pub fn function_picture(
        &self,
        request: &GetFunctionPicture,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<FunctionPicture, Refusal> {
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(request.revision)?;
        let document = &snapshot.document;
        let function = document.function(request.function_id)?;
        run_watched(1, watch, |progress| {
            let drawing = Drawing::new(document, function, &mut || progress.report(0))?;
            let bytes = match request.format {
                PictureFormat::Svg => drawing.svg().into_bytes(),
                PictureFormat::Png => image(&drawing, &mut || progress.report(0))?.small_png(),
            };
            Ok(FunctionPicture {
                function_id: request.function_id,
                format: request.format,
                bytes,
                size: drawing.size.map(|side| side as usize),
                revision: snapshot.head.revision,
            })
        })
    }
}

/// Rasterises a drawing.
fn image(drawing: &Drawing, wanted: &mut dyn FnMut() -> ControlFlow<()>) -> Result<Image, Refusal> {
    let [width, height] = drawing.size;
    if width.max(height) > LONGEST || width * height > MOST_PIXELS {
        let message = format!(
            "the picture has {width} x {height} pixels, and at most {LONGEST} on a side and {MOST_PIXELS:e} in all are \
             written as PNG"
        );
        return Err(Refusal::new("too_large", message)
            .hint("take it as SVG")
            .details(json!({ "size": drawing.size })));
    }
    let mut image = Image::new(width as usize, height as usize, [255; 3]);
    for group in &drawing.groups {
        if wanted().is_break() {
            return Err(Refusal::cancelled());
        }
        for shape in &group.shapes {
            draw(&mut image, shape);
        }
    }
    Ok(image)
}

fn draw(image: &mut Image, shape: &Shape) {
    match shape {
        Shape::Plate {
            at,
            size,
            radii,
            fill,
            line,
        } => {
            // Whole pixels give sharp lines.
            let low = at.map(f64::round);
            let high = [0, 1].map(|axis| (at[axis] + size[axis]).round());
            let size = [high[0] - low[0], high[1] - low[1]];
            image.plate(low, size, *radii, *fill, *line);
        }
        Shape::Link {
            points,
            colour,
            width,
        } => image.stroke(&flat(points), *width, *colour),
        Shape::Dot {
            at,
            radius,
            fill,
            line,
        } => {
            image.disc(*at, *radius, *line);
            if fill != line {
                image.disc(*at, radius - 1.5, *fill);
            }
        }
        Shape::Text {
            at,
            text,
            letters: _,
            bold,
            colour,
        } => image.letters(text, *at, *bold, *colour),
    }
}

/// Flattens a link to line segments.
fn flat(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut flat: Vec<[f64; 2]> = points.first().copied().into_iter().collect();
    for (part, ends) in points.windows(2).enumerate() {
        let [from, to] = [ends[0], ends[1]];
        let rise = (to[1] - from[1]).abs();
        if part % 2 == 1 && rise > 0.0 {
            let steps = ((rise + to[0] - from[0]) / 5.0).clamp(8.0, 400.0) as u32;
            for step in 1..steps {
                let t = f64::from(step) / f64::from(steps);
                // A cubic Bézier curve whose control points are level with the ends and midway between them.
                let across = 1.5 * t * (1.0 - t) + t * t * t;
                let down = t * t * (3.0 - 2.0 * t);
                flat.push([
                    from[0] + (to[0] - from[0]) * across,
                    from[1] + (to[1] - from[1]) * down,
                ]);
            }
        }
        flat.push(to);
    }
    flat
}

impl From<Unplaceable> for Refusal {
    fn from(error: Unplaceable) -> Self {
        match error {
            Unplaceable::TooLarge(_) => Refusal::new("too_large", error.to_string())
                .hint("take a function that it calls, or the graph as dot"),
            Unplaceable::Cyclic => Refusal::new("internal", error.to_string()),
            Unplaceable::Cancelled => Refusal::cancelled(),
        }
    }
}
