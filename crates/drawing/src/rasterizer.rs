//! Anti-aliased drawing in an [`Image`]: boxes, discs and strokes.
//!
//! The coverage of a pixel follows from the signed distance of its centre (I. Quilez, "2D distance functions"), and colours
//! are blended by it. Shapes with a coordinate that is not finite are not drawn.

use rustc_hash::FxHashMap;

use crate::image::Image;

impl Image {
    /// Fills a box with round upper and lower corners. `outline` is the colour and width of a line inside its edge.
    pub(crate) fn plate(
        &mut self,
        at: [f64; 2],
        size: [f64; 2],
        radii: [f64; 2],
        fill: [u8; 3],
        outline: Option<([u8; 3], f64)>,
    ) {
        let middle = [at[0] + size[0] / 2.0, at[1] + size[1] / 2.0];
        let [columns, rows] = self.pixels_within(at, [at[0] + size[0], at[1] + size[1]]);
        for y in rows {
            let down = y as f64 + 0.5 - middle[1];
            let radius = radii[usize::from(down > 0.0)];
            for x in columns.clone() {
                let across = x as f64 + 0.5 - middle[0];
                let out = [
                    across.abs() - size[0] / 2.0 + radius,
                    down.abs() - size[1] / 2.0 + radius,
                ];
                let distance = f64::hypot(out[0].max(0.0), out[1].max(0.0))
                    + out[0].max(out[1]).min(0.0)
                    - radius;
                let (edge, inset) = outline.unwrap_or((fill, 0.0));
                self.blend(x, y, edge, 0.5 - distance);
                if outline.is_some() {
                    self.blend(x, y, fill, 0.5 - inset - distance);
                }
            }
        }
    }

    /// Fills a disc.
    pub(crate) fn disc(&mut self, at: [f64; 2], radius: f64, fill: [u8; 3]) {
        let low = at.map(|part| part - radius);
        let [columns, rows] = self.pixels_within(low, at.map(|part| part + radius));
        for y in rows {
            for x in columns.clone() {
                let distance = f64::hypot(x as f64 + 0.5 - at[0], y as f64 + 0.5 - at[1]);
                self.blend(x, y, fill, radius + 0.5 - distance);
            }
        }
    }

    /// Strokes a polyline; where it crosses itself it is no darker.
    pub fn stroke(&mut self, points: &[[f64; 2]], width: f64, colour: [u8; 3]) {
        let mut coverages: FxHashMap<(i64, i64), f64> = FxHashMap::default();
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
                    let distance = f64::hypot(at[0] - along[0] * share, at[1] - along[1] * share);
                    if distance < reach {
                        let coverage = coverages.entry((x, y)).or_default();
                        *coverage = coverage.max(reach - distance);
                    }
                }
            }
        }
        for ((x, y), coverage) in coverages {
            self.blend(x, y, colour, coverage);
        }
    }

    /// Columns and rows of the image between two corners; none if a coordinate is not finite.
    fn pixels_within(&self, low: [f64; 2], high: [f64; 2]) -> [std::ops::Range<i64>; 2] {
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

    /// Area that is covered with black, in pixels.
    fn ink(image: &Image) -> f64 {
        let dark = |pixel: &[u8; 3]| 1.0 - f64::from(pixel[0]) / 255.0;
        image.pixels().iter().map(dark).sum()
    }

    #[test]
    fn shapes_cover_their_areas() {
        let blank = || Image::new(60, 50, [255; 3]);
        let mut image = blank();
        image.disc([30.2, 25.7], 12.0, [0; 3]);
        let round = ink(&image);
        assert!(
            (round - std::f64::consts::PI * 144.0).abs() < 3.0,
            "{round}"
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
            Some(([0; 3], 1.0)),
        );
        let around = 2.0 * (40.0 + 30.0) - (4.0 - std::f64::consts::PI) * 10.0;
        assert!((ink(&image) - around).abs() < 6.0, "{}", ink(&image));
        // A stroke that goes back over itself, and beyond the image.
        let mut image = blank();
        image.stroke(&[[-10.0, 20.5], [70.0, 20.5], [0.0, 20.5]], 3.0, [0; 3]);
        assert!((ink(&image) - 180.0).abs() < 1e-6, "{}", ink(&image));
    }

    #[test]
    fn shapes_that_are_not_finite_are_not_drawn() {
        let mut image = Image::new(30, 20, [255; 3]);
        for x in [f64::NAN, f64::INFINITY, -f64::INFINITY] {
            image.stroke(&[[3.0, 4.0], [x, 4.0]], 2.0, [0; 3]);
            image.stroke(&[[3.0, 4.0], [9.0, 4.0]], x, [0; 3]);
            image.disc([3.0, x], 2.0, [0; 3]);
            image.disc([3.0, 3.0], x, [0; 3]);
            image.plate([x, 1.0], [8.0, 8.0], [0.0; 2], [0; 3], None);
            image.plate([1.0, 1.0], [8.0, x], [0.0; 2], [0; 3], None);
        }
        let outline = Some(([0; 3], 1.0));
        image.plate([1.0, 1.0], [8.0, 8.0], [f64::NAN; 2], [0; 3], outline);
        assert_eq!(image, Image::new(30, 20, [255; 3]));
        // The finite pieces of a stroke are drawn.
        image.stroke(&[[3.0, 4.0], [9.0, 4.0], [9.0, f64::NAN]], 2.0, [0; 3]);
        assert!(ink(&image) > 10.0);
    }
}
