//! Why a function has no mesh.

use fibula_core::oracle;

use super::UndefinedSamples;
use crate::grid_axis::MAX_ALONG;
use crate::{Bounds, Cancelled, ExploreError};

/// Why there is no mesh.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// The size of the cells is no size.
    #[error(
        "cells have a size that is a positive number, not {cell}; a hundredth of the part is a good start"
    )]
    Cell {
        /// The size that was given.
        cell: f64,
    },
    /// The cells are too small for the box.
    #[error(
        "cells of {cell} divide the box into {cells:.0e} cells, and the most are {most:.0e}, and {MAX_ALONG:.0e} along a \
         side; {passes} is a size that passes"
    )]
    TooManyCells {
        /// The size that was given.
        cell: f64,
        /// How many there would be.
        cells: f64,
        /// How many there may be.
        most: f64,
        /// A size with which there are not too many.
        passes: f64,
    },
    /// Neighbouring samples would be the same number.
    #[error(
        "cells of {cell} are too small for a box as far from the origin as that from {:?} to {:?}; move it closer or take \
         larger cells",
        bounds.low(),
        bounds.high()
    )]
    TooFar {
        /// The size that was given.
        cell: f64,
        /// The box.
        bounds: Bounds,
    },
    /// The mesh would be too large.
    #[error(
        "the mesh would have {triangles} triangles, and the most are {most}; {passes} is a size of cells that passes"
    )]
    TooManyTriangles {
        /// How many there would be.
        triangles: u64,
        /// How many there may be.
        most: u64,
        /// A size of cells with which there are about that many.
        passes: f64,
    },
    /// Nothing is inside.
    #[error(
        "nothing is inside: in the box no sample of the function is negative{}; check the box and the sign, or take \
         cells smaller than {cell}",
        undefined_too(*undefined)
    )]
    Empty {
        /// The size of the cells.
        cell: f64,
        /// Where the function is undefined, if it is.
        undefined: Option<UndefinedSamples>,
    },
    /// What the function asks contradicts itself.
    #[error(
        "the function's bounds and its values contradict each other, so that its surface has no two sides; it asks a \
         mesh, beam lattice or image whose bounds are wrong"
    )]
    Torn,
    /// It cannot be pruned.
    #[error(transparent)]
    Explore(#[from] ExploreError),
    /// It was ended.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The mesh is none: a place is not finite, or there is too much of it.
    #[error(transparent)]
    Mesh(#[from] oracle::MeshError),
}

impl MeshError {
    /// The same of what is built so many times as large: the sizes of cells that are too small, or that pass, are as they
    /// are built.
    #[must_use]
    pub fn scaled(self, by: f64) -> MeshError {
        match self {
            MeshError::TooManyCells {
                cell,
                cells,
                most,
                passes,
            } => MeshError::TooManyCells {
                cell: cell * by,
                cells,
                most,
                passes: passes * by,
            },
            MeshError::TooManyTriangles {
                triangles,
                most,
                passes,
            } => MeshError::TooManyTriangles {
                triangles,
                most,
                passes: passes * by,
            },
            MeshError::Empty { cell, undefined } => MeshError::Empty {
                cell: cell * by,
                undefined,
            },
            MeshError::Cell { .. }
            | MeshError::TooFar { .. }
            | MeshError::Torn
            | MeshError::Explore(_)
            | MeshError::Cancelled(_)
            | MeshError::Mesh(_) => self,
        }
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            MeshError::Explore(error) => error.code(),
            MeshError::Cell { .. } | MeshError::TooFar { .. } => "invalid_value",
            MeshError::TooManyCells { .. } | MeshError::TooManyTriangles { .. } => "too_large",
            MeshError::Empty { .. } => "empty_shape",
            MeshError::Torn => "contradiction",
            MeshError::Cancelled(_) => "cancelled",
            MeshError::Mesh(error) => error.code(),
        }
    }
}

fn undefined_too(undefined: Option<UndefinedSamples>) -> String {
    undefined.map_or_else(String::new, |UndefinedSamples { samples, at }| {
        format!(" ({samples} are undefined, one of them at {at:?})")
    })
}
