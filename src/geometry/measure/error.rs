//! Why something cannot be measured.

use crate::geometry::{Cancelled, Unmeshable};
use crate::oracle::MeshError;

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
    /// It was ended.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl Unmeasurable {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Unmeasurable::Mesh(error) => error.code(),
            Unmeasurable::Angle { .. } => "invalid_value",
            Unmeasurable::Cancelled(_) => "cancelled",
        }
    }
}

impl From<MeshError> for Unmeasurable {
    fn from(error: MeshError) -> Self {
        Unmeasurable::Mesh(error.into())
    }
}
