//! Upright boxes.

use crate::vector::Vector;

/// The smallest box around something.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoundingBox {
    pub(super) low: Vector,
    pub(super) high: Vector,
}

impl BoundingBox {
    /// What contains nothing.
    pub(super) const EMPTY: BoundingBox = BoundingBox {
        low: [f64::INFINITY; 3],
        high: [f64::NEG_INFINITY; 3],
    };

    /// The smallest box around points.
    pub(super) fn around(points: impl IntoIterator<Item = Vector>) -> BoundingBox {
        points
            .into_iter()
            .fold(BoundingBox::EMPTY, |extent, point| {
                extent.union(BoundingBox {
                    low: point,
                    high: point,
                })
            })
    }

    /// The lowest and the highest corner; `None` if it contains nothing.
    pub(super) fn corners(self) -> Option<[Vector; 2]> {
        (self.low[0] <= self.high[0]).then_some([self.low, self.high])
    }

    /// The smallest box around both.
    pub(super) fn union(self, other: BoundingBox) -> BoundingBox {
        BoundingBox {
            low: std::array::from_fn(|axis| self.low[axis].min(other.low[axis])),
            high: std::array::from_fn(|axis| self.high[axis].max(other.high[axis])),
        }
    }
}
