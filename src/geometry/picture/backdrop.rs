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

    /// How much darker than the ground a pixel is, whose middle is at a place.
    pub(super) fn lines(&self, frame: &Frame, at: [f64; 2]) -> f32 {
        let half = frame.pixel;
        let Some(here) = self.on(frame, at) else {
            return 0.0;
        };
        let beside = self.on(frame, [at[0] + half, at[1]]);
        let above = self.on(frame, [at[0], at[1] + half]);
        let (Some(beside), Some(above)) = (beside, above) else {
            return 0.0;
        };
        let mut dark = 0.0_f32;
        for axis in (0..3).filter(|&axis| axis != self.axis) {
            // The length of a pixel across the lines.
            let pixel = f64::hypot(beside[axis] - here[axis], above[axis] - here[axis]);
            let line = (here[axis] / self.width).round();
            let away = (here[axis] - line * self.width).abs() / pixel.max(1e-30);
            let cover = (1.0 - away).clamp(0.0, 1.0) as f32;
            dark = dark.max(cover * LINES[usize::from(line == 0.0)]);
        }
        let (low, high) = (self.bounds.low(), self.bounds.high());
        let beyond = (0..3).filter(|&axis| axis != self.axis).map(|axis| {
            let beyond = (low[axis] - here[axis]).max(here[axis] - high[axis]);
            beyond.max(0.0)
        });
        let beyond = beyond.map(|part| part * part).sum::<f64>().sqrt();
        let left = (1.0 - beyond / self.fades).max(0.0) as f32;
        dark * left * left
    }

    /// The point of the plane behind a place.
    fn on(&self, frame: &Frame, at: [f64; 2]) -> Option<[f64; 3]> {
        let (from, along) = frame.ray(at);
        let depth = (self.height - from[self.axis]) / along[self.axis];
        (depth.is_finite() && depth > 0.0)
            .then(|| std::array::from_fn(|axis| from[axis] + depth * along[axis]))
    }
}
