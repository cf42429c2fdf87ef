//! Errors of meshing.

use fibula_core::oracle;

use super::{SimplifyError, UndefinedSamples};
use crate::grid_axis::MAX_ALONG;
use crate::{Bounds, Cancelled, ExploreError};

/// Error returned when a function cannot be meshed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// The cell size is not positive.
    #[error(
        "the cell size must be a positive number, but is {cell}; start with a hundredth of the part's size"
    )]
    Cell {
        /// The cell size.
        cell: f64,
    },
    /// The cells are too small for the box.
    #[error(
        "a cell size of {cell} divides the box into {cells:.0e} cells; the limits are {most:.0e}, and {MAX_ALONG:.0e} \
         along a side; use a cell size of {passes} or more"
    )]
    TooManyCells {
        /// The cell size.
        cell: f64,
        /// Number of cells.
        cells: f64,
        /// Maximum.
        most: f64,
        /// A cell size that passes.
        passes: f64,
    },
    /// Neighbouring samples would coincide.
    #[error(
        "a cell size of {cell} is below the precision of coordinates in the box from {:?} to {:?}; move the shape \
         closer to the origin or use larger cells",
        bounds.low(),
        bounds.high()
    )]
    TooFar {
        /// The cell size.
        cell: f64,
        /// The box.
        bounds: Bounds,
    },
    /// The mesh would be too large.
    #[error(
        "the mesh would have about {triangles} triangles, more than the limit of {most}; use a cell size of {passes} or more"
    )]
    TooManyTriangles {
        /// Number of triangles.
        triangles: u64,
        /// Maximum.
        most: u64,
        /// A cell size with about that many.
        passes: f64,
    },
    /// No sample is inside.
    #[error(
        "the shape is empty: no sample of the function in the box is negative{}; {}",
        undefined_too(*undefined),
        empty_remedy(*cell)
    )]
    Empty {
        /// The cell size.
        cell: f64,
        /// Samples at which the function is undefined, if any.
        undefined: Option<UndefinedSamples>,
    },
    /// The interval bounds and values of an oracle contradict each other.
    #[error(
        "the function's bounds contradict its values, so its surface does not separate inside from outside; it samples \
         a mesh, beam lattice or image with wrong bounds"
    )]
    Torn,
    /// The function cannot be explored.
    #[error(transparent)]
    Explore(#[from] ExploreError),
    /// The watch cancelled the work.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The mesh is invalid: a vertex is not finite, or there are too many.
    #[error(transparent)]
    Mesh(#[from] oracle::MeshError),
    /// The mesh cannot be simplified.
    #[error(transparent)]
    Simplify(SimplifyError),
}

impl From<SimplifyError> for MeshError {
    fn from(error: SimplifyError) -> MeshError {
        match error {
            SimplifyError::Cancelled(cancelled) => MeshError::Cancelled(cancelled),
            SimplifyError::Tolerance { .. } | SimplifyError::TooManyTriangles { .. } => {
                MeshError::Simplify(error)
            }
        }
    }
}

impl MeshError {
    /// Scales the cell sizes of the error, for a shape that is built in another unit.
    #[must_use]
    pub fn scaled(mut self, by: f64) -> MeshError {
        match &mut self {
            MeshError::TooManyCells { cell, passes, .. } => {
                *cell *= by;
                *passes *= by;
            }
            MeshError::TooManyTriangles { passes: size, .. }
            | MeshError::Empty { cell: size, .. } => *size *= by,
            MeshError::Cell { .. }
            | MeshError::TooFar { .. }
            | MeshError::Torn
            | MeshError::Explore(_)
            | MeshError::Cancelled(_)
            | MeshError::Mesh(_)
            | MeshError::Simplify(_) => {}
        }
        self
    }

    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            MeshError::Explore(error) => error.code(),
            MeshError::Cell { .. } | MeshError::TooFar { .. } => "invalid_value",
            MeshError::TooManyCells { .. } | MeshError::TooManyTriangles { .. } => "too_large",
            MeshError::Empty { .. } => "empty_shape",
            MeshError::Torn => "contradiction",
            MeshError::Cancelled(_) => "cancelled",
            MeshError::Mesh(error) => error.code(),
            MeshError::Simplify(error) => error.code(),
        }
    }
}

/// Error of one attempt.
pub(super) enum ContouringError {
    Mesh(MeshError),
    /// A chain of flat triangles reaches into a released slab; thicker slabs succeed.
    Far,
}

impl From<MeshError> for ContouringError {
    fn from(error: MeshError) -> ContouringError {
        ContouringError::Mesh(error)
    }
}

/// What to do about an empty shape with cells of this size.
fn empty_remedy(cell: f64) -> String {
    /// Smaller cells mean that the box was narrowed down to a point.
    const LEAST: f64 = 1e-9;
    if cell < LEAST {
        return "it is probably zero at one point at most: subtract a radius or thickness, as in length(pos) - 5".to_owned();
    }
    format!("check the box and the sign, or use cells smaller than {cell}")
}

fn undefined_too(undefined: Option<UndefinedSamples>) -> String {
    undefined.map_or_else(String::new, |UndefinedSamples { samples, at }| {
        format!(" ({samples} are undefined, one of them at {at:?})")
    })
}
