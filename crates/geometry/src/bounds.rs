//! Axis-aligned boxes.

use fibula_core::vector::Vector;
use serde::{Deserialize, Serialize};

/// Returns the least box around two boxes, each given by its low and its high corner.
pub(super) fn enclosing(one: [Vector; 2], other: [Vector; 2]) -> [Vector; 2] {
    [
        std::array::from_fn(|axis| one[0][axis].min(other[0][axis])),
        std::array::from_fn(|axis| one[1][axis].max(other[1][axis])),
    ]
}

/// An axis-aligned box with finite corners; low is below high on each axis. It is serialised as its lowest and its
/// highest corner: `[[x, y, z], [x, y, z]]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "[[f64; 3]; 2]", into = "[[f64; 3]; 2]")]
pub struct Bounds {
    low: [f64; 3],
    high: [f64; 3],
}

/// Error returned when two corners bound no box.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "the box from {low:?} to {high:?} is empty; give two finite corners, the first smaller than the second along x, y \
     and z"
)]
pub struct InvalidBounds {
    /// First corner.
    pub low: [f64; 3],
    /// Second corner.
    pub high: [f64; 3],
}

impl Bounds {
    /// Returns the box between two corners.
    ///
    /// # Errors
    /// [`InvalidBounds`] unless all numbers are finite and the first corner is below the second on each axis.
    pub fn new(low: [f64; 3], high: [f64; 3]) -> Result<Bounds, InvalidBounds> {
        // The size is finite too, so that no step across it overflows.
        let holds = (0..3).all(|axis| {
            let size = high[axis] - low[axis];
            size > 0.0 && size.is_finite()
        });
        if holds {
            Ok(Bounds { low, high })
        } else {
            Err(InvalidBounds { low, high })
        }
    }

    /// Corner with the smallest coordinates.
    pub fn low(&self) -> [f64; 3] {
        self.low
    }

    /// Corner with the largest coordinates.
    pub fn high(&self) -> [f64; 3] {
        self.high
    }

    /// Lengths of the edges along x, y and z.
    pub fn size(&self) -> [f64; 3] {
        std::array::from_fn(|axis| self.high[axis] - self.low[axis])
    }

    /// Centre.
    pub fn centre(&self) -> [f64; 3] {
        std::array::from_fn(|axis| self.low[axis] + (self.high[axis] - self.low[axis]) / 2.0)
    }

    /// Distance between opposite corners.
    pub fn diagonal(&self) -> f64 {
        fibula_core::vector::length(self.size())
    }

    /// The eight corners.
    pub fn corners(&self) -> [[f64; 3]; 8] {
        std::array::from_fn(|corner| {
            std::array::from_fn(|axis| {
                if corner >> axis & 1 == 0 {
                    self.low[axis]
                } else {
                    self.high[axis]
                }
            })
        })
    }

    /// Maximum magnitude of a coordinate.
    pub(super) fn reach(&self) -> f64 {
        let corners = self.low.into_iter().chain(self.high);
        corners.fold(0.0, |reach, place| reach.max(place.abs()))
    }

    /// True if single precision suffices for a step: the step has a thousand units in the last place, and powers of
    /// coordinates stay moderate.
    pub(super) fn is_single_enough(&self, step: f64) -> bool {
        let reach = self.reach();
        reach / step < 16_384.0 && reach < 1e6 && step > 1e-6
    }

    /// True if a point is inside or on the box.
    pub fn contains(&self, point: [f64; 3]) -> bool {
        (0..3).all(|axis| self.low[axis] <= point[axis] && point[axis] <= self.high[axis])
    }
}

impl TryFrom<[[f64; 3]; 2]> for Bounds {
    type Error = InvalidBounds;

    fn try_from([low, high]: [[f64; 3]; 2]) -> Result<Bounds, InvalidBounds> {
        Bounds::new(low, high)
    }
}

impl From<Bounds> for [[f64; 3]; 2] {
    fn from(bounds: Bounds) -> Self {
        [bounds.low, bounds.high]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_has_an_inside() {
        let bounds = Bounds::new([-1.0, 0.0, 2.0], [1.0, 4.0, 3.0]).unwrap();
        assert!(bounds.contains([0.0, 2.0, 2.5]) && !bounds.contains([0.0, 2.0, 1.9]));
        assert_eq!(format!("{:?}", bounds.size()), "[2.0, 4.0, 1.0]");
        assert_eq!(format!("{:?}", bounds.centre()), "[0.0, 2.0, 2.5]");
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Bounds::new([0.0; 3], [1.0, wrong, 1.0]).is_err());
        }
        assert!(Bounds::new([-f64::MAX; 3], [f64::MAX; 3]).is_err());
    }

    #[test]
    fn what_is_written_is_checked_when_it_is_read() {
        let bounds = Bounds::new([-1.0; 3], [1.0; 3]).unwrap();
        let written = serde_json::to_string(&bounds).unwrap();
        assert_eq!(written, "[[-1.0,-1.0,-1.0],[1.0,1.0,1.0]]");
        assert_eq!(serde_json::from_str::<Bounds>(&written).unwrap(), bounds);
        assert!(serde_json::from_str::<Bounds>("[[0,0,0],[1,0,1]]").is_err());
    }
}
