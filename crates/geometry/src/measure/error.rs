//! Errors of measuring.

use fibula_core::oracle;

use super::refinement::LostFeatures;
use crate::{Cancelled, MeshError};

/// Error returned when a shape cannot be measured.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeasureError {
    /// The shape cannot be meshed.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The angle of overhangs is out of range.
    #[error(
        "the overhang angle must be from 0 to less than 90 degrees from the vertical, but is {}; a common choice is 45",
        (angle.to_degrees() * 1e9).round() / 1e9
    )]
    Angle {
        /// The angle, in radians.
        angle: f64,
    },
    /// Figures would not be finite.
    #[error(
        "a box with diagonal {reach:e} and cell size {cell:e} cannot be measured: moments of inertia, fifth powers of \
         lengths, would overflow or underflow; use another unit"
    )]
    Scale {
        /// Diagonal of the box.
        reach: f64,
        /// Cell size.
        cell: f64,
    },
    /// The meshes miss a part of the shape.
    #[error("{0}")]
    Unresolved(LostFeatures),
    /// The watch cancelled the work.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl MeasureError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            MeasureError::Mesh(error) => error.code(),
            MeasureError::Angle { .. } | MeasureError::Scale { .. } => "invalid_value",
            MeasureError::Unresolved(_) => "unresolved",
            MeasureError::Cancelled(_) => "cancelled",
        }
    }
}

impl From<oracle::MeshError> for MeasureError {
    fn from(error: oracle::MeshError) -> Self {
        MeasureError::Mesh(error.into())
    }
}
