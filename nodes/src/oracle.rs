//! Oracles: functions of points in space that are no formulas.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::value::{ResourceId, ResourceKind};

/// A function of points in space that is no formula: of a mesh, a beam lattice, an image.
///
/// An answer has channels: one for a distance in the document's unit, four for a colour. Points may have NaN or
/// infinite coordinates; every answer is NaN then, and never a panic.
pub trait Oracle: fmt::Debug + Send + Sync {
    /// The answer's `channel` at a point.
    fn sample(&self, at: [f64; 3], channel: u8) -> f64;

    /// The answer's `channel` at many points, given as lists of x, y and z: `results[i]` becomes what
    /// [`sample`](Self::sample) returns for `[x[i], y[i], z[i]]`, bit for bit.
    ///
    /// # Panics
    /// If a list is shorter than `results`.
    fn sample_block(&self, at: [&[f64]; 3], channel: u8, results: &mut [f64]) {
        let [x, y, z] = at.map(|list| &list[..results.len()]);
        for (index, result) in results.iter_mut().enumerate() {
            *result = self.sample([x[index], y[index], z[index]], channel);
        }
    }

    /// The derivatives of the answer's `channel` by x, y and z: one side's where it has a kink, and 0 where it jumps.
    fn gradient(&self, at: [f64; 3], channel: u8) -> [f64; 3];

    /// Bounds of the answer's `channel` at all points of the closed box from `low` to `high`, as tight as is cheap.
    /// They are `undefined` when a corner is not finite.
    fn bounds(&self, low: [f64; 3], high: [f64; 3], channel: u8) -> Bounds;
}

/// Bounds of a value: it is at least `low` and at most `high` wherever it is a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Nothing is below it.
    pub low: f64,
    /// Nothing is above it.
    pub high: f64,
    /// True if the value may be NaN somewhere.
    pub undefined: bool,
}

impl Bounds {
    /// Bounds that hold for any value.
    pub const UNKNOWN: Bounds = Bounds {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        undefined: true,
    };

    /// Bounds of a value that is a number everywhere.
    pub fn new(low: f64, high: f64) -> Bounds {
        Bounds {
            low,
            high,
            undefined: false,
        }
    }
}

/// An oracle that a kernel uses, with its resource and query.
#[derive(Debug, Clone)]
pub struct OracleUse {
    /// The resource behind it.
    pub resource: ResourceId,
    /// The query.
    pub query: Query,
    /// The oracle.
    pub answers: Arc<dyn Oracle>,
}

/// Quantity that is sampled from a resource.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Query {
    /// The distance to a closed mesh, negative inside.
    SignedDistance,
    /// The distance to a mesh that may be open.
    UnsignedDistance,
    /// The distance to a beam lattice, negative inside; exact within this range of the surface, and in any
    /// case if the range is negative.
    BeamLattice {
        /// The range, in the document's unit.
        accurate_range: f64,
    },
    /// Red, green, blue and alpha of a 3D image, the point in texture coordinates.
    Image {
        /// Interpolation between the voxels.
        filter: Filter,
        /// Continuation outside of [0, 1], for u, v and w.
        tiles: [TileStyle; 3],
    },
}

impl Query {
    /// Number of channels of a sample.
    pub fn channels(self) -> u8 {
        match self {
            Query::SignedDistance | Query::UnsignedDistance | Query::BeamLattice { .. } => 1,
            Query::Image { .. } => 4,
        }
    }

    /// Kind of resource that answers it.
    pub fn resource_kind(self) -> ResourceKind {
        match self {
            Query::SignedDistance | Query::UnsignedDistance => ResourceKind::Mesh,
            Query::BeamLattice { .. } => ResourceKind::BeamLattice,
            Query::Image { .. } => ResourceKind::Image,
        }
    }
}

/// Interpolation between the voxels of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Filter {
    /// The nearest voxel's value.
    Nearest,
    /// Trilinear interpolation.
    Linear,
}

/// Continuation of an image outside of [0, 1].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TileStyle {
    /// Repeated.
    Wrap,
    /// Repeated, every other time mirrored.
    Mirror,
    /// Continued from its border.
    Clamp,
    /// Nothing: all channels are 0.
    None,
}
