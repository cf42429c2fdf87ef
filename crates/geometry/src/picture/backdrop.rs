//! Backdrop: a plain ground with a grid of round spacing.

use super::camera::Frame;
use super::lettering::round_length;
use crate::Bounds;

/// Colour of the ground.
pub(super) const GROUND: [u8; 3] = [245, 246, 248];
/// Darkness of the lines, and of those through the origin.
const LINES: [f32; 2] = [0.115, 0.26];

/// A grid on a plane across an axis: below the bounds if the camera looks down, else behind them if it looks along an
/// axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Backdrop {
    axis: usize,
    height: f64,
    pub(super) width: f64,
    bounds: Bounds,
    /// Distance from the bounds at which it fades out; infinite if it covers everything.
    fades: f64,
}

impl Backdrop {
    /// Spacing of the grid, which is the scale of a picture.
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

    /// Computes the darkness of a row of pixels.
    pub(super) fn row(&self, frame: &Frame, y: usize, dark: &mut [f32]) {
        let spot = |x: f64, y: f64| self.spot(frame, frame.at([x + 0.5, y + 0.5]));
        let y = y as f64;
        if frame.is_perspective {
            for (x, dark) in dark.iter_mut().enumerate() {
                let x = x as f64;
                let (here, beside, above) = (spot(x, y), spot(x + 1.0, y), spot(x, y - 1.0));
                let is_seen = here[2] > 0.0 && beside[2] > 0.0 && above[2] > 0.0;
                *dark = if is_seen {
                    self.lines([here[0], here[1]], pixel(here, beside, above))
                } else {
                    0.0
                };
            }
            return;
        }
        // In a parallel projection all changes linearly.
        let first = spot(0.0, y);
        let (beside, above) = (spot(1.0, y), spot(0.0, y - 1.0));
        let pixel = pixel(first, beside, above);
        for (x, dark) in dark.iter_mut().enumerate() {
            let part = |part: usize| first[part] + (beside[part] - first[part]) * x as f64;
            *dark = if part(2) > 0.0 {
                self.lines([part(0), part(1)], pixel)
            } else {
                0.0
            };
        }
    }

    /// Axes of the plane.
    fn along(&self) -> [usize; 2] {
        [[1, 2], [0, 2], [0, 1]][self.axis]
    }

    /// Returns the darkness of a pixel, given a point of the plane and the inverse pixel sizes across the lines.
    #[inline]
    fn lines(&self, here: [f64; 2], pixel: [f64; 2]) -> f32 {
        let mut dark = 0.0_f32;
        for part in 0..2 {
            let line = whole(here[part] / self.width);
            let away = (here[part] - line * self.width).abs() * pixel[part];
            let cover = (1.0 - away).max(0.0) as f32;
            dark = dark.max(cover * LINES[usize::from(line == 0.0)]);
        }
        if dark == 0.0 {
            return 0.0;
        }
        let (low, high) = (self.bounds.low(), self.bounds.high());
        let mut beyond = 0.0;
        for (here, axis) in here.into_iter().zip(self.along()) {
            let part = (low[axis] - here).max(here - high[axis]).max(0.0);
            beyond += part * part;
        }
        let left = (1.0 - beyond.sqrt() / self.fades).max(0.0) as f32;
        dark * left * left
    }

    /// Returns the point of the plane behind a place of the picture, and its depth; not above 0 if it is not in front
    /// of the viewer.
    fn spot(&self, frame: &Frame, at: [f64; 2]) -> [f64; 3] {
        let (from, along) = frame.ray(at);
        let depth = (self.height - from[self.axis]) / along[self.axis];
        let [u, v] = self.along().map(|axis| from[axis] + depth * along[axis]);
        [u, v, if depth.is_finite() { depth } else { -1.0 }]
    }
}

/// Returns the inverse size of a pixel across the lines along each axis of the plane, by its centre and those beside
/// and above it.
fn pixel(here: [f64; 3], beside: [f64; 3], above: [f64; 3]) -> [f64; 2] {
    [0, 1].map(|part| {
        let (right, up) = (beside[part] - here[part], above[part] - here[part]);
        1.0 / (right * right + up * up).sqrt().max(1e-30)
    })
}

/// Rounds small numbers; others are whole already.
fn whole(number: f64) -> f64 {
    /// Adding it rounds to a whole number.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    if number.abs() < 1e15 {
        (number + WHOLE) - WHOLE
    } else {
        number
    }
}
