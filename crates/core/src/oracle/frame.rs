//! Local coordinates of a shape: its centre is the origin, and it extends from -1 to 1.
//!
//! Shapes far from the origin lose no accuracy, squares neither overflow nor underflow, and bounds in single precision
//! are tight. The unit is a power of two, so only the translation rounds.

use crate::vector::{Vector, finite, largest, long_length, sub};

/// Maximum absolute coordinate; squares of lengths cannot overflow.
pub(super) const LARGEST: f64 = 1e100;

/// Distance in units beyond which a shape counts as a point: its size is below the rounding error of the distance.
const FAR: f64 = 1e18;

/// Local coordinates: position and unit in the document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    centre: Vector,
    unit: f64,
    per_unit: f64,
}

/// A point of the document relative to a shape.
pub(super) enum FramePoint {
    /// A coordinate is not finite.
    NotFinite,
    /// So far away that the shape counts as a point: the nonzero offset from its centre, in the document's unit.
    Far(Vector),
    /// In local coordinates.
    Near(Vector),
}

impl Frame {
    /// Local coordinates of a shape with this bounding box, whose coordinates are at most [`LARGEST`]; `None` if it
    /// has no size.
    pub(super) fn around([low, high]: [Vector; 2]) -> Option<Frame> {
        let half: Vector = std::array::from_fn(|axis| high[axis] / 2.0 - low[axis] / 2.0);
        let largest = largest(half);
        if largest < 1.0 / LARGEST {
            return None;
        }
        let mut unit = 2.0_f64.powi(largest.log2().ceil() as i32);
        if unit < largest {
            unit *= 2.0;
        }
        Some(Frame {
            centre: std::array::from_fn(|axis| low[axis] / 2.0 + high[axis] / 2.0),
            unit,
            per_unit: 1.0 / unit,
        })
    }

    /// The local unit in the document's unit.
    pub(super) fn unit(&self) -> f64 {
        self.unit
    }

    /// Converts a point to local coordinates, which must not overflow.
    #[inline]
    pub(super) fn inward(&self, at: Vector) -> Vector {
        sub(at, self.centre).map(|x| x * self.per_unit)
    }

    /// Vector from the centre to a point, in the document's unit.
    pub(super) fn offset(&self, at: Vector) -> Vector {
        sub(at, self.centre)
    }

    /// Upper bound of the distance in a box that reaches far away, in the document's unit.
    pub(super) fn far_bound(&self, low: Vector, high: Vector) -> f64 {
        let [low, high] = [low, high].map(|at| long_length(self.offset(at)));
        2.0 * (low.max(high) + self.unit)
    }

    /// Classifies and converts a point of the document.
    #[inline]
    pub(super) fn place(&self, at: Vector) -> FramePoint {
        let near = self.inward(at);
        // Also false for NaN.
        if near.iter().all(|x| x.abs() < FAR) {
            FramePoint::Near(near)
        } else if finite(at) {
            FramePoint::Far(self.offset(at))
        } else {
            FramePoint::NotFinite
        }
    }
}

/// Finds the first point with a coordinate that is not finite or beyond [`LARGEST`].
pub(super) fn find_out_of_range(points: &[Vector]) -> Option<(usize, Vector)> {
    let is_out = |at: &Vector| !at.iter().all(|x| x.abs() <= LARGEST);
    let place = points.iter().position(is_out)?;
    Some((place, points[place]))
}
