//! Scenes as pixels, anti-aliased.
//!
//! The project's own [`Image`] draws: the crate resvg would read back the SVG that is written here.

use fibula_knowledge::progress::{Cancelled, Progress, Watch};

use super::bezier::{self, Cubic};
use super::{Colour, Scene, Segment, Shape, text};
use crate::image::Image;

/// Maximum number of pixels of an image.
pub const MAX_PIXELS: usize = 64_000_000;
/// Maximum scale: number of pixels of the image per pixel of the scene, along a side.
pub const MAX_SCALE: u32 = 4;

/// Paths are drawn in pieces of this length, since a stroke visits all pixels of the bounding box of a piece.
const PIECE: f64 = 8.0;

/// Error returned when a scene is not rasterised.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RasterError {
    /// The scale is out of range.
    #[error("the scale is {0}, but must be 1 to {MAX_SCALE}")]
    Scale(u32),
    /// The image would have too many pixels.
    #[error(
        "the image has {0} x {1} pixels, more than the PNG limit of {MAX_PIXELS}; use SVG, or a smaller scale"
    )]
    TooManyPixels(usize, usize),
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl RasterError {
    /// Stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            RasterError::Scale(_) => "invalid_value",
            RasterError::TooManyPixels(..) => "too_large",
            RasterError::Cancelled(_) => "cancelled",
        }
    }
}

impl Scene {
    /// Rasterises the scene with `scale` x `scale` pixels for each of its own. `watch` may cancel it.
    ///
    /// # Errors
    /// [`RasterError`]: the scale is 0 or too large, there are too many pixels, or `watch` cancelled it.
    pub fn image(&self, scale: u32, watch: &Watch<'_>) -> Result<Image, RasterError> {
        if !(1..=MAX_SCALE).contains(&scale) {
            return Err(RasterError::Scale(scale));
        }
        let [width, height] = self.size.map(|side| side as usize * scale as usize);
        if width.saturating_mul(height) > MAX_PIXELS {
            return Err(RasterError::TooManyPixels(width, height));
        }
        let progress = Progress::new(self.groups.len() as u64, watch);
        let mut canvas = Canvas {
            image: Image::new(width, height, self.background),
            scale: f64::from(scale),
        };
        for group in &self.groups {
            if progress.is_ended() {
                break;
            }
            group.shapes.iter().for_each(|shape| canvas.draw(shape));
            progress.add(1);
        }
        Ok(progress.finish(canvas.image)?)
    }

    /// Writes a PNG file of the [`image`](Self::image), with at most 256 colours.
    ///
    /// # Errors
    /// As [`image`](Self::image).
    pub fn png(&self, scale: u32, watch: &Watch<'_>) -> Result<Vec<u8>, RasterError> {
        Ok(self.image(scale, watch)?.small_png())
    }
}

struct Canvas {
    image: Image,
    scale: f64,
}

impl Canvas {
    fn draw(&mut self, shape: &Shape) {
        let scale = self.scale;
        let scaled = |at: &[f64; 2]| at.map(|part| part * scale);
        match shape {
            Shape::Disc {
                at,
                radius,
                fill,
                outline,
            } => {
                let (at, radius) = (scaled(at), radius * scale);
                let inner = (radius - outline.width * scale).max(0.0);
                self.image.disc(at, radius, outline.colour);
                self.image.disc(at, inner, *fill);
            }
            Shape::Plate {
                at,
                size,
                radius,
                fill,
                outline,
            } => {
                let outline = (outline.colour, outline.width * scale);
                let radii = [radius * scale; 2];
                self.image
                    .plate(scaled(at), scaled(size), radii, *fill, Some(outline));
            }
            Shape::Panel {
                at,
                size,
                radii,
                fill,
                outline,
            } => {
                let low = scaled(at).map(f64::round);
                let high = [0, 1].map(|axis| ((at[axis] + size[axis]) * scale).round());
                let size = [high[0] - low[0], high[1] - low[1]];
                self.image
                    .plate(low, size, scaled(radii), *fill, Some((*outline, scale)));
            }
            Shape::Path {
                start,
                segments,
                stroke,
            } => {
                let points: Vec<[f64; 2]> = flatten(*start, segments, scale);
                self.image
                    .stroke(&points, stroke.width * scale, stroke.colour);
            }
            Shape::Text {
                at,
                text,
                width: _,
                bold,
                colour,
                halo,
            } => {
                let at = [at[0], at[1] + text::BASELINE];
                if let Some(halo) = halo {
                    for offset in [-1.0, 0.0, 1.0] {
                        for down in [-1.0, 0.0, 1.0] {
                            self.write(text, [at[0] + offset, at[1] + down], *bold, *halo);
                        }
                    }
                }
                self.write(text, at, *bold, *colour);
            }
        }
    }

    /// Writes a text, whose baseline begins at a place.
    fn write(&mut self, text: &str, at: [f64; 2], bold: bool, colour: Colour) {
        let lettering = text::lettering(bold).scaled(self.scale);
        // Letters begin at whole pixels, so that those of a column look alike.
        let at = at.map(|part| (part * self.scale).round());
        lettering.draw(&mut self.image, text, at, colour);
    }
}

/// Flattens a path, scaled, to a polyline of short pieces.
fn flatten(start: [f64; 2], segments: &[Segment], scale: f64) -> Vec<[f64; 2]> {
    let scaled = |at: [f64; 2]| at.map(|part| part * scale);
    let mut points = vec![scaled(start)];
    let mut from = scaled(start);
    for segment in segments {
        let to = scaled(segment.end());
        let count = |length: f64, least: f64| (length / PIECE).ceil().clamp(least, 5_000.0) as u32;
        let shares = |count: u32| (1..=count).map(move |piece| f64::from(piece) / f64::from(count));
        match *segment {
            Segment::Level(_) | Segment::Line(_) => {
                let length = (to[0] - from[0]).hypot(to[1] - from[1]);
                points.extend(
                    shares(count(length, 1.0)).map(|share| {
                        [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * share)
                    }),
                );
            }
            Segment::Curve([first, second, _]) => {
                let curve: Cubic = [from, scaled(first), scaled(second), to];
                let count = count(bezier::polygon_length(&curve), 8.0);
                points.extend(shares(count).map(|share| bezier::point(&curve, share)));
            }
        }
        from = to;
    }
    points
}
