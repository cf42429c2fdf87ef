//! Why a function has no mesh.

use fibula_core::oracle::MeshError;

use super::Undefined;
use super::grid::MOST_ALONG;
use crate::{Bounds, Cancelled, Unexplorable};

/// Why there is no mesh.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unmeshable {
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
        "cells of {cell} divide the box into {cells:.0e} cells, and the most are {most:.0e}, and {MOST_ALONG:.0e} along a \
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
        undefined: Option<Undefined>,
    },
    /// What the function asks contradicts itself.
    #[error(
        "the function's bounds and its values contradict each other, so that its surface has no two sides; it asks a \
         mesh, beam lattice or image whose bounds are wrong"
    )]
    Torn,
    /// It cannot be pruned.
    #[error(transparent)]
    Unexplorable(#[from] Unexplorable),
    /// It was ended.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The mesh is none: a place is not finite, or there is too much of it.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

impl Unmeshable {
    /// The same of what is built so many times as large: the sizes of cells that are too small, or that pass, are as they
    /// are built.
    #[must_use]
    pub fn scaled(self, by: f64) -> Unmeshable {
        match self {
            Unmeshable::TooManyCells {
                cell,
                cells,
                most,
                passes,
            } => Unmeshable::TooManyCells {
                cell: cell * by,
                cells,
                most,
                passes: passes * by,
            },
            Unmeshable::TooManyTriangles {
                triangles,
                most,
                passes,
            } => Unmeshable::TooManyTriangles {
                triangles,
                most,
                passes: passes * by,
            },
            Unmeshable::Empty { cell, undefined } => Unmeshable::Empty {
                cell: cell * by,
                undefined,
            },
            Unmeshable::Cell { .. }
            | Unmeshable::TooFar { .. }
            | Unmeshable::Torn
            | Unmeshable::Unexplorable(_)
            | Unmeshable::Cancelled(_)
            | Unmeshable::Mesh(_) => self,
        }
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Unmeshable::Unexplorable(error) => error.code(),
            Unmeshable::Cell { .. } | Unmeshable::TooFar { .. } => "invalid_value",
            Unmeshable::TooManyCells { .. } | Unmeshable::TooManyTriangles { .. } => "too_large",
            Unmeshable::Empty { .. } => "empty_shape",
            Unmeshable::Torn => "contradiction",
            Unmeshable::Cancelled(_) => "cancelled",
            Unmeshable::Mesh(error) => error.code(),
        }
    }
}

fn undefined_too(undefined: Option<Undefined>) -> String {
    undefined.map_or_else(String::new, |Undefined { samples, at }| {
        format!(" ({samples} are undefined, one of them at {at:?})")
    })
}
