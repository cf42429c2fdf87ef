//! What is behind a shape: a plain ground with a grid of a round width.

use super::camera::Frame;
use super::lettering::round_length;
use crate::geometry::Bounds;

/// The ground without the grid.
pub(super) const GROUND: [u8; 3] = [245, 246, 248];
/// The lines of the grid, and those through the origin.
const LINES: [f32; 2] = [0.115, 0.26];

/// A grid on a plane across an axis: below the bounds if one looks down, else behind them if one looks along an axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Backdrop {
    axis: usize,
    height: f64,
    pub(super) width: f64,
    bounds: Bounds,
    /// Up to which distance from the bounds it fades away; infinite if it covers everything.
    fades: f64,
}

impl Backdrop {
    /// The length that the grid's squares have, and so the scale of a picture.
    pub(super) fn width(bounds: &Bounds) -> f64 {
        let size = bounds.size();
        round_length(size[0].max(size[1]).max(size[2]) / 4.0)
    }

    pub(super) fn new(bounds: &Bounds, frame: &Frame) -> Option<Backdrop> {
        let forward = frame.forward;
        let along = (0..3).find(|&axis| forward[axis].abs() > 0.999_9);
        let (axis, fades) = match along {
            Some(axis) => (axis, f64::INFINITY),
            None if forward[2] < -0.15 => (2, bounds.diagonal() * 0.35),
            None => return None,
        };
        Some(Backdrop {
            axis,
            height: if forward[axis] < 0.0 {
                bounds.low()[axis]
            } else {
                bounds.high()[axis]
            },
            width: Backdrop::width(bounds),
            bounds: *bounds,
            fades,
        })
    }

    /// How much darker than the ground the pixels of a row are.
    pub(super) fn row(&self, frame: &Frame, y: usize, dark: &mut [f32]) {
        let spot = |x: f64, y: f64| self.spot(frame, frame.at([x + 0.5, y + 0.5]));
        let y = y as f64;
        if frame.is_perspective {
            for (x, dark) in dark.iter_mut().enumerate() {
                let x = x as f64;
                let (here, beside, above) = (spot(x, y), spot(x + 1.0, y), spot(x, y - 1.0));
                let is_seen = here[3] > 0.0 && beside[3] > 0.0 && above[3] > 0.0;
                *dark = if is_seen {
                    self.lines(here, self.pixel(here, beside, above))
                } else {
                    0.0
                };
            }
            return;
        }
        // All changes by the same from pixel to pixel.
        let first = spot(0.0, y);
        let (beside, above) = (spot(1.0, y), spot(0.0, y - 1.0));
        let step: [f64; 4] = std::array::from_fn(|part| beside[part] - first[part]);
        let pixel = self.pixel(first, beside, above);
        for (x, dark) in dark.iter_mut().enumerate() {
            let here: [f64; 4] = std::array::from_fn(|part| first[part] + step[part] * x as f64);
            *dark = if here[3] > 0.0 {
                self.lines(here, pixel)
            } else {
                0.0
            };
        }
    }

    /// The axes along the plane.
    fn along(&self) -> [usize; 2] {
        [[1, 2], [0, 2], [0, 1]][self.axis]
    }

    /// One by the length of a pixel across the lines, by its middle and those beside and above it.
    fn pixel(&self, here: [f64; 4], beside: [f64; 4], above: [f64; 4]) -> [f64; 2] {
        self.along().map(|axis| {
            let (right, up) = (beside[axis] - here[axis], above[axis] - here[axis]);
            1.0 / (right * right + up * up).sqrt().max(1e-30)
        })
    }

    /// How much darker than the ground a pixel is that shows a point of the plane.
    fn lines(&self, here: [f64; 4], pixel: [f64; 2]) -> f32 {
        let mut dark = 0.0_f32;
        for (axis, pixel) in self.along().into_iter().zip(pixel) {
            let line = whole(here[axis] / self.width);
            let away = (here[axis] - line * self.width).abs() * pixel;
            let cover = (1.0 - away).max(0.0) as f32;
            dark = dark.max(cover * LINES[usize::from(line == 0.0)]);
        }
        if dark == 0.0 {
            return 0.0;
        }
        let (low, high) = (self.bounds.low(), self.bounds.high());
        let beyond = self.along().map(|axis| {
            let beyond = (low[axis] - here[axis]).max(here[axis] - high[axis]);
            beyond.max(0.0)
        });
        let beyond = beyond.map(|part| part * part).iter().sum::<f64>().sqrt();
        let left = (1.0 - beyond / self.fades).max(0.0) as f32;
        dark * left * left
    }

    /// The point of the plane behind a place, and how far away that is; not above 0 if it is not before the viewer.
    fn spot(&self, frame: &Frame, at: [f64; 2]) -> [f64; 4] {
        let (from, along) = frame.ray(at);
        let depth = (self.height - from[self.axis]) / along[self.axis];
        let [x, y, z] = [0, 1, 2].map(|axis| from[axis] + depth * along[axis]);
        [x, y, z, if depth.is_finite() { depth } else { -1.0 }]
    }
}

/// The nearest whole number, for those that are small; others stay what they are.
fn whole(number: f64) -> f64 {
    /// Beyond it all numbers are whole.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    if number.abs() < 1e15 {
        (number + WHOLE) - WHOLE
    } else {
        number
    }
}
