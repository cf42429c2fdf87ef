//! What is drawn in an image from outside: boxes, discs, lines and letters, with soft edges. What has a coordinate that
//! is no finite number is not drawn.

use embedded_graphics::Drawable as _;
use embedded_graphics::geometry::Point;
use embedded_graphics::mono_font::MonoTextStyle;
use embedded_graphics::mono_font::iso_8859_1::{FONT_7X14, FONT_7X14_BOLD};
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::text::{Baseline, Text};
use rustc_hash::FxHashMap;

use crate::image::Image;

impl Image {
    /// Fills a box, whose upper and lower corners are round, with a line of one pixel inside its sides.
    pub fn plate(
        &mut self,
        at: [f64; 2],
        size: [f64; 2],
        radii: [f64; 2],
        fill: [u8; 3],
        line: Option<[u8; 3]>,
    ) {
        let middle = [at[0] + size[0] / 2.0, at[1] + size[1] / 2.0];
        let [columns, rows] = self.pixels_within(at, [at[0] + size[0], at[1] + size[1]]);
        for y in rows {
            let down = y as f64 + 0.5 - middle[1];
            let radius = radii[usize::from(down > 0.0)];
            for x in columns.clone() {
                let across = x as f64 + 0.5 - middle[0];
                // How far outside it is; see I. Quilez, "2D distance functions".
                let out = [
                    across.abs() - size[0] / 2.0 + radius,
                    down.abs() - size[1] / 2.0 + radius,
                ];
                let away = f64::hypot(out[0].max(0.0), out[1].max(0.0))
                    + out[0].max(out[1]).min(0.0)
                    - radius;
                let colour = line.unwrap_or(fill);
                self.cover(x, y, colour, 0.5 - away);
                if line.is_some() {
                    self.cover(x, y, fill, -0.5 - away);
                }
            }
        }
    }

    /// Fills a disc.
    pub fn disc(&mut self, at: [f64; 2], radius: f64, fill: [u8; 3]) {
        let low = at.map(|part| part - radius);
        let [columns, rows] = self.pixels_within(low, at.map(|part| part + radius));
        for y in rows {
            for x in columns.clone() {
                let away = f64::hypot(x as f64 + 0.5 - at[0], y as f64 + 0.5 - at[1]);
                self.cover(x, y, fill, radius + 0.5 - away);
            }
        }
    }

    /// Draws a line of some width through points; where it meets itself it is no darker.
    pub fn stroke(&mut self, points: &[[f64; 2]], width: f64, colour: [u8; 3]) {
        let mut covers: FxHashMap<(i64, i64), f64> = FxHashMap::default();
        let reach = width / 2.0 + 0.5;
        for ends in points.windows(2) {
            let [from, to] = [ends[0], ends[1]];
            let along = [to[0] - from[0], to[1] - from[1]];
            let square = along[0] * along[0] + along[1] * along[1];
            let low = [0, 1].map(|axis| from[axis].min(to[axis]) - reach);
            let high = [0, 1].map(|axis| from[axis].max(to[axis]) + reach);
            let [columns, rows] = self.pixels_within(low, high);
            for y in rows {
                for x in columns.clone() {
                    let at = [x as f64 + 0.5 - from[0], y as f64 + 0.5 - from[1]];
                    let share = (at[0] * along[0] + at[1] * along[1]) / square.max(1e-30);
                    let share = share.clamp(0.0, 1.0);
                    let away = f64::hypot(at[0] - along[0] * share, at[1] - along[1] * share);
                    if away < reach {
                        let cover = covers.entry((x, y)).or_default();
                        *cover = cover.max(reach - away);
                    }
                }
            }
        }
        for ((x, y), cover) in covers {
            self.cover(x, y, colour, cover);
        }
    }

    /// Writes a line of text, whose upper left corner is at a place, in letters of 7 x 14 pixels. Letters that are not in
    /// ISO 8859-1 are question marks.
    pub fn letters(&mut self, text: &str, [x, y]: [f64; 2], bold: bool, [r, g, b]: [u8; 3]) {
        const WIDTH: i64 = 7;
        /// What is farther away is no place to the font.
        const FARTHEST: f64 = (1_u32 << 30) as f64;
        let font = if bold { &FONT_7X14_BOLD } else { &FONT_7X14 };
        let style = MonoTextStyle::new(font, Rgb888::new(r, g, b));
        if !(x.abs() < FARTHEST && y.abs() < FARTHEST) {
            return;
        }
        let (left, top) = (x.round() as i64, y.round() as i64);
        // The font has no ellipsis.
        let dotted: String = text.replace('…', " ");
        let place = Point::new(left as i32, top as i32);
        // Nothing can go wrong: the error has no value.
        let Ok(_) = Text::with_baseline(&dotted, place, style, Baseline::Top).draw(self);
        for (index, _) in text.chars().enumerate().filter(|(_, c)| *c == '…') {
            for dot in [1, 3, 5] {
                let x = left + index as i64 * WIDTH + dot;
                self.cover(x, top + 10, [r, g, b], 1.0);
            }
        }
    }

    /// The pixels of the image that are between two corners; none if a corner is nowhere.
    pub fn pixels_within(&self, low: [f64; 2], high: [f64; 2]) -> [std::ops::Range<i64>; 2] {
        let sides = [self.width(), self.height()];
        if !low.iter().chain(&high).all(|x| x.is_finite()) {
            return [0..0, 0..0];
        }
        [0, 1].map(|axis| {
            let most = sides[axis] as f64;
            let first = low[axis].floor().clamp(0.0, most);
            first as i64..high[axis].ceil().clamp(first, most) as i64
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How much of white is gone, in pixels.
    fn ink(image: &Image) -> f64 {
        let dark = |pixel: &[u8; 3]| 1.0 - f64::from(pixel[0]) / 255.0;
        image.pixels().iter().map(dark).sum()
    }

    #[test]
    fn shapes_cover_their_areas() {
        let blank = || Image::new(60, 50, [255; 3]);
        let mut image = blank();
        image.disc([30.2, 25.7], 12.0, [0; 3]);
        assert!(
            (ink(&image) - std::f64::consts::PI * 144.0).abs() < 3.0,
            "{}",
            ink(&image)
        );
        let mut image = blank();
        image.plate([5.0, 4.0], [40.0, 30.0], [0.0; 2], [0; 3], None);
        assert!((ink(&image) - 1_200.0).abs() < 1e-6);
        let mut image = blank();
        image.plate(
            [5.0, 4.0],
            [40.0, 30.0],
            [0.0, 10.0],
            [255; 3],
            Some([0; 3]),
        );
        let around = 2.0 * (40.0 + 30.0) - (4.0 - std::f64::consts::PI) * 10.0;
        assert!((ink(&image) - around).abs() < 6.0, "{}", ink(&image));
        // A line that goes back over itself, and beyond the image.
        let mut image = blank();
        image.stroke(&[[-10.0, 20.5], [70.0, 20.5], [0.0, 20.5]], 3.0, [0; 3]);
        assert!((ink(&image) - 180.0).abs() < 1e-6, "{}", ink(&image));
        let mut image = blank();
        image.letters("…", [4.0, 4.0], true, [0; 3]);
        assert!((ink(&image) - 3.0).abs() < 1e-6);
        image.letters("ä", [20.0, 4.0], false, [0; 3]);
        assert!(ink(&image) > 12.0);
    }

    #[test]
    fn what_is_nowhere_is_not_drawn() {
        let mut image = Image::new(30, 20, [255; 3]);
        for x in [f64::NAN, f64::INFINITY, -f64::INFINITY] {
            image.stroke(&[[3.0, 4.0], [x, 4.0]], 2.0, [0; 3]);
            image.stroke(&[[3.0, 4.0], [9.0, 4.0]], x, [0; 3]);
            image.disc([3.0, x], 2.0, [0; 3]);
            image.disc([3.0, 3.0], x, [0; 3]);
            image.plate([x, 1.0], [8.0, 8.0], [0.0; 2], [0; 3], None);
            image.plate([1.0, 1.0], [8.0, x], [0.0; 2], [0; 3], None);
            image.letters("a…", [x, 4.0], false, [0; 3]);
        }
        image.plate([1.0, 1.0], [8.0, 8.0], [f64::NAN; 2], [0; 3], Some([0; 3]));
        // Nor is what is far beyond the image, at the other side of it.
        image.letters("a…", [2_f64.powi(32) + 5.0, 4.0], false, [0; 3]);
        assert_eq!(image, Image::new(30, 20, [255; 3]));
        // The pieces of a line that are somewhere are drawn.
        image.stroke(&[[3.0, 4.0], [9.0, 4.0], [9.0, f64::NAN]], 2.0, [0; 3]);
        assert!(ink(&image) > 10.0);
    }
}
