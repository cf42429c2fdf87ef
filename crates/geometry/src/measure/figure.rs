//! Results of measuring: numbers, each with its error.

use schemars::JsonSchema;
use serde::Serialize;

/// A measurement and its error bound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Figure<T = f64, E = f64> {
    /// The measured value.
    pub value: T,
    /// Error bound; for several numbers, the largest of theirs.
    pub error: E,
}

/// A number that was counted, and how far from it the true one may be.
pub type Count = Figure<u64, u64>;

/// A length between two places.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Span {
    /// Length.
    pub value: f64,
    /// Error bound of the length.
    pub error: f64,
    /// The two places.
    pub at: [[f64; 3]; 2],
    /// Kind of a gap; omitted for other lengths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<GapKind>,
}

/// A piece of material or a cavity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Region {
    /// Volume within its outer surface, with the voids in it.
    pub value: f64,
    /// Error bound of the volume.
    pub error: f64,
    /// The low and the high corner of its box.
    pub bounds: [[f64; 3]; 2],
}

/// An edge at which two sides meet at less than 45 degrees, so that the material there is arbitrarily thin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct FeatherEdge {
    /// Angle between the sides in degrees.
    pub value: f64,
    /// A point of the edge.
    pub at: [f64; 3],
}

/// Volume between two parallel planes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Slab {
    /// First plane.
    pub from: f64,
    /// Second plane.
    pub to: f64,
    /// Volume of the material.
    pub value: f64,
    /// Error bound of the volume.
    pub error: f64,
    /// Volume as a share of that of the box between the planes.
    pub fraction: f64,
}

/// Owners of the two sides of a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GapKind {
    /// A slot or the space between two pieces: open at the sides.
    Gap,
    /// A hole, through or blind: material all round it, no farther than twice its width.
    Hole,
    /// A hollow without a way out: one of the cavities.
    Cavity,
}

impl GapKind {
    /// Name in texts and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            GapKind::Gap => "gap",
            GapKind::Hole => "hole",
            GapKind::Cavity => "cavity",
        }
    }
}

/// Measurements of a shape. Lengths are in the unit of its bounds, areas and volumes in the square and cube of
/// that.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Measures {
    /// The longest edge of a cell of the finest grid; what is thinner may be missed. 0 for a mesh, which is measured as
    /// it is.
    pub cell: f64,
    /// Maximum distance of the finest mesh from the surface, at samples of its triangles, or of a part of them for functions
    /// that cost many operations if no accuracy is asked for. 0 for a mesh.
    pub deviation: f64,
    /// Triangles of the finest mesh.
    pub triangles: usize,
    /// The low and the high corner of the least box around it.
    pub bounds: Figure<[[f64; 3]; 2]>,
    /// The volume of the material.
    pub volume: Figure,
    /// The area of all its surfaces.
    pub area: Figure,
    /// The centre of mass; its error is a distance.
    pub centre: Figure<[f64; 3]>,
    /// Moments of inertia about the centre for a density of 1: a symmetric matrix in the fifth power of the unit.
    pub inertia: Figure<[[f64; 3]; 3]>,
    /// Principal moments of inertia, the smallest first.
    pub moments: Figure<[f64; 3]>,
    /// Pieces of material that do not touch.
    pub components: Count,
    /// Hollows without a way out.
    pub cavities: Count,
    /// The pieces, if there are several: the largest 20, the largest first.
    pub pieces: Vec<Region>,
    /// The cavities: the largest 20, the largest first.
    pub voids: Vec<Region>,
    /// Holes through it: handles of all its surfaces together.
    pub genus: Count,
    /// True if the finest mesh has no boundary edges.
    pub closed: bool,
    /// True if that mesh is a manifold.
    pub manifold: bool,
    /// True if its triangles are consistently oriented.
    pub oriented: bool,
    /// The thinnest wall and its two sides; null if no two surfaces face away from each other, or walls were not searched for.
    pub wall: Option<Span>,
    /// Other places where a wall is at most half as thick again, apart from each other, the thinnest first.
    pub thin_places: Vec<Span>,
    /// The sharpest edge at which two sides meet at less than 45 degrees, which are no walls; null if
    /// there is none.
    pub feather_edge: Option<FeatherEdge>,
    /// The thickness at the requested point, from the nearest surface straight to the other side, or near a rim, across the
    /// wall that ends there, through the point if its sides are flat; omitted if the point is outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thickness: Option<Span>,
    /// The narrowest gap, slot, hole or cavity and its two sides; null if there is none. Edges at which two faces meet
    /// are none.
    pub gap: Option<Span>,
    /// The area that faces down more steeply than the angle and does not lie on the plate.
    pub overhang: Figure,
    /// The requested slabs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slabs: Vec<Slab>,
}

/// Comparison of two shapes. Lengths are in the unit of their bounds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Comparison {
    /// The longest edge of a cell of the finest grids.
    pub cell: f64,
    /// The smallest distance between their surfaces, 0 where these cross; from the first to the second.
    pub distance: Span,
    /// The volume of what is inside of both.
    pub overlap: Figure,
    /// The volumes of the first and of the second.
    pub volumes: [Figure; 2],
    /// Hausdorff distance of the two surfaces.
    pub most: Span,
    /// The same on average over both surfaces.
    pub mean: Figure,
}
