//! Scenes as pixels, with soft edges and crisp letters. No font of the system is used, so that every machine draws the same.
//!
//! Drawn by the project's own [`Image`]: the crate resvg would read back the SVG that is written here, with a renderer and
//! a font to be shipped, and without one of ours it would depend on what the machine has.

use fibula_knowledge::progress::{Progress, Watch};

use super::LARGEST_SCALE;
use super::letters;
use super::scene::{Colour, Scene, Shape};
use crate::image::Image;
use crate::sketch::error::SketchError;

/// The most pixels of an image.
pub const MOST_PIXELS: usize = 64_000_000;

/// Long lines are drawn in pieces of this length: an image looks at all pixels around a piece.
const PIECE: f64 = 8.0;

impl Scene {
    /// Draws an image with so many pixels for each of the scene, on a side. `watch` may end it.
    ///
    /// # Errors
    /// [`SketchError`]: the scale is 0 or too large, there are too many pixels, or `watch` ended it.
    pub fn image(&self, scale: u32, watch: &Watch<'_>) -> Result<Image, SketchError> {
        if !(1..=LARGEST_SCALE).contains(&scale) {
            return Err(SketchError::Scale(scale));
        }
        let [width, height] = self.size.map(|side| (side * scale) as usize);
        if width * height > MOST_PIXELS {
            return Err(SketchError::TooManyPixels(width, height));
        }
        let progress = Progress::new(self.groups.len() as u64, watch);
        let mut canvas = Canvas {
            image: Image::new(width, height, self.ground),
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

    /// Writes a PNG file of the [`image`](Self::image), with 256 colours.
    ///
    /// # Errors
    /// As [`image`](Self::image).
    pub fn png(&self, scale: u32, watch: &Watch<'_>) -> Result<Vec<u8>, SketchError> {
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
                line,
            } => {
                let (at, radius) = (scaled(at), radius * scale);
                self.image.disc(at, radius, line.0);
                self.image
                    .disc(at, (radius - line.1 * scale).max(0.0), *fill);
            }
            Shape::Plate {
                at,
                size,
                radius,
                fill,
                line,
            } => {
                let (at, size, radius, wide) =
                    (scaled(at), scaled(size), radius * scale, line.1 * scale);
                let inner = size.map(|side| (side - 2.0 * wide).max(0.0));
                self.image.plate(at, size, [radius; 2], line.0, None);
                self.image.plate(
                    at.map(|part| part + wide),
                    inner,
                    [(radius - wide).max(0.0); 2],
                    *fill,
                    None,
                );
            }
            Shape::Line {
                points,
                colour,
                width,
            } => {
                let points: Vec<[f64; 2]> = points.iter().map(scaled).collect();
                self.image.stroke(&pieces(&points), width * scale, *colour);
            }
            Shape::Curve {
                points,
                colour,
                width,
            } => {
                let points = points.map(|at| scaled(&at));
                let around = points
                    .windows(2)
                    .map(|ends| (ends[1][0] - ends[0][0]).hypot(ends[1][1] - ends[0][1]));
                let count = (around.sum::<f64>() / PIECE).ceil().clamp(8.0, 2_000.0) as u32;
                let at =
                    |piece: u32| super::curves::point(&points, f64::from(piece) / f64::from(count));
                let flat: Vec<[f64; 2]> = (0..=count).map(at).collect();
                self.image.stroke(&flat, width * scale, *colour);
            }
            Shape::Text {
                at,
                text,
                width: _,
                bold,
                colour,
                seam,
            } => {
                // Letters begin at whole pixels of the scene, and so do their parts.
                let at = at.map(|part| part.round() as i32);
                if let Some(seam) = seam {
                    for (right, down) in
                        (-1..=1).flat_map(|right| (-1..=1).map(move |down| (right, down)))
                    {
                        self.write(text, [at[0] + right, at[1] + down], *bold, *seam);
                    }
                }
                self.write(text, at, *bold, *colour);
            }
        }
    }

    fn write(&mut self, text: &str, at: [i32; 2], is_bold: bool, colour: Colour) {
        let (image, scale) = (&mut self.image, self.scale);
        letters::draw(text, is_bold, &mut |x, y| {
            let corner = [at[0] + x, at[1] + y].map(|part| f64::from(part) * scale);
            image.plate(corner, [scale; 2], [0.0; 2], colour, None);
        });
    }
}

/// Straight lines in short pieces.
fn pieces(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut all: Vec<[f64; 2]> = points.first().copied().into_iter().collect();
    for ends in points.windows(2) {
        let [from, to] = [ends[0], ends[1]];
        let length = (to[0] - from[0]).hypot(to[1] - from[1]);
        let count = (length / PIECE).ceil().clamp(1.0, 5_000.0) as u32;
        all.extend((1..=count).map(|piece| {
            let share = f64::from(piece) / f64::from(count);
            [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * share)
        }));
    }
    all
}
