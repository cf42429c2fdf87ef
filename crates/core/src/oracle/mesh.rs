//! Triangle meshes, with queries of the signed or unsigned distance.

use std::sync::{Arc, OnceLock};

use fibula_nodes::{Bounds, Oracle, Query, ResourceKind};
use rustc_hash::FxHashMap;

use super::bounding_box::BoundingBox;
use super::frame::{Frame, LARGEST, find_out_of_range};
use super::surface::{DistanceKind, QueryCache, Surface};
use super::triangle::Triangle;
use crate::graph::{Content, TriangleList};
use crate::vector::{cross, dot, finite, sub};

/// Maximum number of triangles of a mesh.
pub const MOST_TRIANGLES: usize = super::bvh::MOST_PRIMITIVES;

/// A triangle mesh; a document holds it as [`Content`].
///
/// Vertices at the same position are merged, and triangles that have one of them twice are removed. The corners of a
/// triangle are in counterclockwise order as seen from outside.
///
/// Distances are accurate to a few rounding errors of the mesh's size; the sign is exact if the mesh [is
/// closed](Mesh::is_closed). Otherwise the inside is where the generalized winding number exceeds one half. The
/// bounding volume hierarchy is built at the first query, in about 1 microsecond per triangle.
///
/// ```
/// use fibula_core::oracle::Mesh;
///
/// let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let mesh = Mesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// assert!(mesh.is_closed());
/// # Ok::<(), fibula_core::oracle::MeshError>(())
/// ```
#[derive(Debug)]
pub struct Mesh(Arc<Contents>);

/// What a mesh shares with its oracles.
#[derive(Debug)]
struct Contents {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    frame: Frame,
    edges: EdgeDefects,
    surface: OnceLock<Surface>,
}

/// Error returned when triangles are no mesh.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "fields are named for what they hold")]
pub enum MeshError {
    /// There are too many vertices or triangles.
    #[error("the mesh has {count} {what}, more than the limit of {most}; split it into parts")]
    TooMany {
        /// Vertices or triangles.
        what: &'static str,
        count: usize,
        most: usize,
    },
    /// A coordinate is not finite or too large.
    #[error(
        "vertex {vertex} is at {at:?}, but coordinates must be between -{LARGEST:e} and {LARGEST:e}; fix or remove the \
         triangles that use it"
    )]
    NotFinite { vertex: usize, at: [f64; 3] },
    /// The index of a vertex is out of range.
    #[error(
        "triangle {triangle} refers to vertex {vertex}, but there are {vertices} vertices, counted from 0; correct the \
         index"
    )]
    UnknownVertex {
        triangle: usize,
        vertex: u32,
        vertices: usize,
    },
    /// No triangle has an area.
    #[error(
        "all {triangles} triangles are degenerate; a mesh needs at least one with three different, non-collinear \
         corners"
    )]
    NoArea { triangles: usize },
}

impl MeshError {
    /// Stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            MeshError::TooMany { .. } => "too_large",
            MeshError::NotFinite { .. } => "invalid_value",
            MeshError::UnknownVertex { .. } => "unknown_vertex",
            MeshError::NoArea { .. } => "empty_mesh",
        }
    }
}

/// Numbers of edges that are not shared by exactly two triangles of consistent orientation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct EdgeDefects {
    /// Edges of only one triangle: the boundary.
    pub open: usize,
    /// Edges of more than two triangles.
    pub branching: usize,
    /// Edges with unequal numbers of triangles in both directions.
    pub unbalanced: usize,
    /// Edges of an odd number of triangles.
    pub odd: usize,
}

impl Mesh {
    /// Creates a mesh of triangles, given by the indexes of their vertices.
    ///
    /// # Errors
    /// [`MeshError`]: a coordinate is not finite or beyond 10^100, an index is out of range, no triangle has an area,
    /// or there are more than [`MOST_TRIANGLES`].
    pub fn new(vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Result<Mesh, MeshError> {
        for (what, count, most) in [
            ("vertices", vertices.len(), u32::MAX as usize),
            ("triangles", triangles.len(), MOST_TRIANGLES),
        ] {
            if count > most {
                return Err(MeshError::TooMany { what, count, most });
            }
        }
        if let Some((vertex, at)) = find_out_of_range(&vertices) {
            return Err(MeshError::NotFinite { vertex, at });
        }
        let is_unknown = |&&corner: &&u32| corner as usize >= vertices.len();
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(is_unknown) {
                return Err(MeshError::UnknownVertex {
                    triangle,
                    vertex,
                    vertices: vertices.len(),
                });
            }
        }
        let count = triangles.len();
        let triangles = welded(&vertices, triangles);
        let used = triangles.iter().flatten();
        let extent = BoundingBox::around(used.map(|&corner| vertices[corner as usize]));
        let no_area = MeshError::NoArea { triangles: count };
        let Some(frame) = extent.corners().and_then(Frame::around) else {
            return Err(no_area);
        };
        let in_frame = |corner: u32| frame.inward(vertices[corner as usize]);
        let has_area = |corners: &[u32; 3]| Triangle(corners.map(in_frame)).normal().is_some();
        if !triangles.iter().any(has_area) {
            return Err(no_area);
        }
        Ok(Mesh(Arc::new(Contents {
            edges: EdgeDefects::count(&triangles),
            vertices,
            triangles,
            frame,
            surface: OnceLock::new(),
        })))
    }

    /// The given vertices.
    pub fn vertices(&self) -> &[[f64; 3]] {
        &self.0.vertices
    }

    /// Triangles with three different corners; of merged vertices they have the first.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.0.triangles
    }

    /// Edge defects.
    pub fn edges(&self) -> EdgeDefects {
        self.0.edges
    }

    /// True if the mesh has a well-defined inside: it has no boundary, and its triangles are consistently oriented or
    /// at least meet in even numbers. It may have several shells, which may overlap.
    pub fn is_closed(&self) -> bool {
        self.0.edges.unbalanced == 0 || self.0.edges.odd == 0
    }

    /// True if every edge is shared by exactly two triangles of consistent orientation.
    pub fn is_oriented_manifold(&self) -> bool {
        self.0.edges == EdgeDefects::default()
    }

    /// Corners of all triangles.
    fn corners(&self) -> impl Iterator<Item = [f64; 3]> {
        let corners = self.0.triangles.iter().flatten();
        corners.map(|&corner| self.0.vertices[corner as usize])
    }
}

impl Contents {
    fn surface(&self) -> &Surface {
        self.surface
            .get_or_init(|| Surface::new(self.frame, &self.vertices, &self.triangles, &self.edges))
    }
}

impl Content for Mesh {
    fn kind(&self) -> ResourceKind {
        ResourceKind::Mesh
    }

    fn oracle(&self, query: Query) -> Option<Arc<dyn Oracle>> {
        let kind = match query {
            Query::SignedDistance => DistanceKind::Signed,
            Query::UnsignedDistance => DistanceKind::Unsigned,
            Query::BeamLattice { .. } | Query::Image { .. } => return None,
        };
        let mesh = Arc::clone(&self.0);
        Some(Arc::new(Distance { mesh, kind }))
    }

    fn extent(&self) -> Option<[[f64; 3]; 2]> {
        BoundingBox::around(self.corners()).corners()
    }

    fn triangles(&self) -> Option<TriangleList<'_>> {
        Some((&self.0.vertices, &self.0.triangles))
    }

    fn axis_aligned_box(&self) -> Option<[[f64; 3]; 2]> {
        if self.0.triangles.len() != 12 || !self.is_oriented_manifold() {
            return None;
        }
        let [low, high] = self.extent()?;
        let is_corner =
            |at: [f64; 3]| (0..3).all(|axis| at[axis] <= low[axis] || at[axis] >= high[axis]);
        // Closed surfaces of twelve triangles between these corners may have dents or be inverted.
        let six_times_volume: f64 = self
            .0
            .triangles
            .iter()
            .map(|corners| {
                let [a, b, c] = corners.map(|corner| sub(self.0.vertices[corner as usize], low));
                dot(a, cross(b, c))
            })
            .sum();
        let size = sub(high, low);
        let full = 6.0 * size[0] * size[1] * size[2];
        let is_full = (six_times_volume - full).abs() <= 1e-9 * full;
        (self.corners().all(is_corner) && is_full).then_some([low, high])
    }
}

impl EdgeDefects {
    fn count(triangles: &[[u32; 3]]) -> EdgeDefects {
        let directed = triangles
            .iter()
            .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
        let mut sides: Vec<(u32, u32, bool)> = directed
            .map(|(from, to)| (from.min(to), from.max(to), from < to))
            .collect();
        sides.sort_unstable();
        let mut edges = EdgeDefects::default();
        for edge in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let up = edge.iter().filter(|side| side.2).count();
            edges.open += usize::from(edge.len() == 1);
            edges.branching += usize::from(edge.len() > 2);
            edges.unbalanced += usize::from(2 * up != edge.len());
            edges.odd += edge.len() % 2;
        }
        edges
    }
}

/// Merges vertices at the same position, and removes triangles that have a corner twice.
fn welded(vertices: &[[f64; 3]], mut triangles: Vec<[u32; 3]>) -> Vec<[u32; 3]> {
    let mut first: FxHashMap<[u64; 3], u32> = FxHashMap::default();
    let places: Vec<u32> = (0..)
        .zip(vertices)
        // 0 and -0 are equal.
        .map(|(index, at)| {
            *first
                .entry(at.map(|x| (x + 0.0).to_bits()))
                .or_insert(index)
        })
        .collect();
    for corners in &mut triangles {
        *corners = corners.map(|corner| places[corner as usize]);
    }
    triangles.retain(|[a, b, c]| a != b && b != c && c != a);
    triangles
}

/// Oracle of the distance to a mesh.
#[derive(Debug)]
struct Distance {
    mesh: Arc<Contents>,
    kind: DistanceKind,
}

impl Oracle for Distance {
    fn sample(&self, at: [f64; 3], _channel: u8) -> f64 {
        let mut before = QueryCache::default();
        self.mesh.surface().distance(at, self.kind, &mut before)
    }

    fn sample_block(&self, at: [&[f64]; 3], _channel: u8, results: &mut [f64]) {
        let [x, y, z] = at.map(|list| &list[..results.len()]);
        let surface = self.mesh.surface();
        let mut before = QueryCache::default();
        for (index, result) in results.iter_mut().enumerate() {
            *result = surface.distance([x[index], y[index], z[index]], self.kind, &mut before);
        }
    }

    fn gradient(&self, at: [f64; 3], _channel: u8) -> [f64; 3] {
        self.mesh.surface().gradient(at, self.kind)
    }

    fn bounds(&self, low: [f64; 3], high: [f64; 3], _channel: u8) -> Bounds {
        if !finite(sub(high, low)) || !finite(low) {
            return Bounds::UNKNOWN;
        }
        let [low, high] = self.mesh.surface().bounds(low, high, self.kind);
        Bounds::new(low, high)
    }
}
