//! Axis-aligned bounding boxes.

use crate::vector::Vector;

/// An axis-aligned bounding box.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoundingBox {
    pub(super) low: Vector,
    pub(super) high: Vector,
}

impl BoundingBox {
    /// The empty box, neutral for [`union`](Self::union).
    pub(super) const EMPTY: BoundingBox = BoundingBox {
        low: [f64::INFINITY; 3],
        high: [f64::NEG_INFINITY; 3],
    };

    /// Bounding box of points.
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

    /// Lowest and highest corner; `None` if the box is empty.
    pub(super) fn corners(self) -> Option<[Vector; 2]> {
        (self.low[0] <= self.high[0]).then_some([self.low, self.high])
    }

    /// Bounding box of two boxes.
    pub(super) fn union(self, other: BoundingBox) -> BoundingBox {
        BoundingBox {
            low: std::array::from_fn(|axis| self.low[axis].min(other.low[axis])),
            high: std::array::from_fn(|axis| self.high[axis].max(other.high[axis])),
        }
    }
}
