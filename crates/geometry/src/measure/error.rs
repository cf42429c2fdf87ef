//! Why something cannot be measured.

use fibula_core::oracle;

use crate::{Cancelled, MeshError};

/// Why there are no measures.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeasureError {
    /// It has no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Overhangs have another angle.
    #[error(
        "overhangs have an angle from 0 to less than 90 degrees from the vertical, not {}; 45 is a good start",
        (angle.to_degrees() * 1e9).round() / 1e9
    )]
    Angle {
        /// The angle that was given, in radians.
        angle: f64,
    },
    /// Figures would be no numbers.
    #[error(
        "a box with a diagonal of {reach:e} and cells of {cell:e} cannot be measured: moments of inertia are fifth powers \
         of lengths, and too large or too small for a number there; take another unit"
    )]
    Scale {
        /// The diagonal of the box.
        reach: f64,
        /// The size of the cells.
        cell: f64,
    },
    /// It was ended.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl MeasureError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            MeasureError::Mesh(error) => error.code(),
            MeasureError::Angle { .. } | MeasureError::Scale { .. } => "invalid_value",
            MeasureError::Cancelled(_) => "cancelled",
        }
    }
}

impl From<oracle::MeshError> for MeasureError {
    fn from(error: oracle::MeshError) -> Self {
        MeasureError::Mesh(error.into())
    }
}
