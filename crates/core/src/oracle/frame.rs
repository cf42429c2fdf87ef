//! The frame in which a shape is held: its middle is the origin, and it reaches from -1 to 1.
//!
//! A part that lies far from the origin of its document loses no accuracy to that, squares neither overflow nor
//! vanish, and bounds in single precision are tight. The unit is a power of two, so only the move rounds.

use crate::vector::{Vector, finite, largest, sub};

/// No coordinate may be larger: squares of lengths stay far from the end of the numbers.
pub(super) const LARGEST: f64 = 1e100;

/// Beyond this many units a shape is a point: its size is less than the rounding of its distance.
const FAR: f64 = 1e18;

/// Where the frame lies in the document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    centre: Vector,
    unit: f64,
    per_unit: f64,
}

/// A point of the document, seen from a shape.
pub(super) enum FramePoint {
    /// A coordinate is not finite.
    NotFinite,
    /// So far away that the shape is a point: its offset from there, in the document's unit, which is not 0.
    Far(Vector),
    /// In the frame.
    Near(Vector),
}

impl Frame {
    /// The frame of a shape between `low` and `high`, which are at most [`LARGEST`]; `None` if it has no size.
    pub(super) fn around(low: Vector, high: Vector) -> Option<Frame> {
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

    /// One unit of the frame, in the document's.
    pub(super) fn unit(&self) -> f64 {
        self.unit
    }

    /// A point that is known to be in reach, in the frame.
    #[inline]
    pub(super) fn inward(&self, at: Vector) -> Vector {
        sub(at, self.centre).map(|x| x * self.per_unit)
    }

    /// From the frame's middle to a point, in the document's unit.
    pub(super) fn offset(&self, at: Vector) -> Vector {
        sub(at, self.centre)
    }

    /// A point of the document.
    #[inline]
    pub(super) fn place(&self, at: Vector) -> FramePoint {
        let near = self.inward(at);
        // Also false where one is NaN.
        if near.iter().all(|x| x.abs() < FAR) {
            FramePoint::Near(near)
        } else if finite(at) {
            FramePoint::Far(self.offset(at))
        } else {
            FramePoint::NotFinite
        }
    }
}
