//! Why something cannot be measured.

use fibula_core::oracle::MeshError;

use crate::{Cancelled, Unmeshable};

/// Why there are no measures.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unmeasurable {
    /// It has no mesh.
    #[error(transparent)]
    Mesh(#[from] Unmeshable),
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

impl Unmeasurable {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Unmeasurable::Mesh(error) => error.code(),
            Unmeasurable::Angle { .. } | Unmeasurable::Scale { .. } => "invalid_value",
            Unmeasurable::Cancelled(_) => "cancelled",
        }
    }
}

impl From<MeshError> for Unmeasurable {
    fn from(error: MeshError) -> Self {
        Unmeasurable::Mesh(error.into())
    }
}
