//! Triangle meshes and their mass properties.

use fibula_core::oracle::{self, Mesh};
use fibula_core::vector::{Vector, add, cross, dot, length, scale, sub};

use super::topology::Topology;
use crate::bounds::enclosing;

/// Cosine of the angle between normals from which on neighbouring triangles are folded onto each other.
pub(super) const FOLDED: f64 = -0.95;

/// Triangles that share vertices, counterclockwise as seen from outside.
///
/// Measurements are exact for the mesh, but for rounding.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriangleMesh {
    pub(super) vertices: Vec<Vector>,
    pub(super) triangles: Vec<[u32; 3]>,
}

/// Mass properties of a homogeneous solid in a closed mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct MassProperties {
    /// Volume, in cubes of the unit of the vertices; negative if the mesh is inside out.
    pub volume: f64,
    /// Centre of mass, also of a mesh that is inside out; the centre of the bounding box if next to nothing of that is
    /// enclosed.
    pub centre: Vector,
    /// Moments of inertia about the centre, for a density of 1: a symmetric matrix, in the fifth power of the unit.
    pub inertia: [Vector; 3],
}

impl TriangleMesh {
    /// Creates a mesh of triangles, given as indexes of vertices.
    ///
    /// # Errors
    /// [`oracle::MeshError`] if there are more vertices or triangles than can be indexed, a coordinate is not finite,
    /// or a triangle has a missing vertex.
    pub fn new(
        vertices: Vec<Vector>,
        triangles: Vec<[u32; 3]>,
    ) -> Result<TriangleMesh, oracle::MeshError> {
        for (what, count) in [("vertices", vertices.len()), ("triangles", triangles.len())] {
            let most = u32::MAX as usize;
            if count > most {
                return Err(oracle::MeshError::TooMany { what, count, most });
            }
        }
        let unplaced = |at: &Vector| !fibula_core::vector::finite(*at);
        if let Some(vertex) = vertices.iter().position(unplaced) {
            let at = vertices[vertex];
            return Err(oracle::MeshError::NotFinite { vertex, at });
        }
        let vertices_there = vertices.len();
        for (triangle, corners) in triangles.iter().enumerate() {
            let missing = |corner: &&u32| **corner as usize >= vertices_there;
            if let Some(&vertex) = corners.iter().find(missing) {
                return Err(oracle::MeshError::UnknownVertex {
                    triangle,
                    vertex,
                    vertices: vertices_there,
                });
            }
        }
        Ok(TriangleMesh {
            vertices,
            triangles,
        })
    }

    /// Creates a mesh of triangles that are known to be valid.
    pub(crate) fn from_valid(vertices: Vec<Vector>, triangles: Vec<[u32; 3]>) -> TriangleMesh {
        TriangleMesh {
            vertices,
            triangles,
        }
    }

    /// Keeps some triangles, by their indexes, and the vertices that they have. Returns the former indexes of these.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(usize) -> bool) -> Vec<u32> {
        let mut index = 0..;
        self.triangles
            .retain(|_| index.next().is_some_and(&is_kept));
        let mut numbers = vec![u32::MAX; self.vertices.len()];
        let mut kept = Vec::new();
        for corner in self.triangles.iter_mut().flatten() {
            let number = &mut numbers[*corner as usize];
            if *number == u32::MAX {
                *number = kept.len() as u32;
                kept.push(*corner);
            }
            *corner = *number;
        }
        let vertices = kept.iter().map(|vertex| self.vertices[*vertex as usize]);
        self.vertices = vertices.collect();
        kept
    }

    /// Moves a vertex by a finite vector.
    pub(super) fn shift(&mut self, vertex: u32, by: Vector) {
        let at = &mut self.vertices[vertex as usize];
        *at = add(*at, by);
    }

    /// The vertices.
    pub fn vertices(&self) -> &[Vector] {
        &self.vertices
    }

    /// The triangles, as indexes of vertices.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns the corners of a triangle.
    ///
    /// # Panics
    /// If there is no triangle with this index.
    pub fn corners(&self, triangle: usize) -> [Vector; 3] {
        self.triangles[triangle].map(|corner| self.vertices[corner as usize])
    }

    /// Returns the vertices and the triangles.
    pub fn into_parts(self) -> (Vec<Vector>, Vec<[u32; 3]>) {
        (self.vertices, self.triangles)
    }

    /// Returns the mesh as an oracle for distances.
    ///
    /// # Errors
    /// [`oracle::MeshError`] if no triangle has an area, or there are too many.
    pub fn into_oracle(self) -> Result<Mesh, oracle::MeshError> {
        Mesh::new(self.vertices, self.triangles)
    }

    /// Computes the topology, in time proportional to the triangles.
    pub fn topology(&self) -> Topology {
        Topology::new(self)
    }

    /// Returns the bounding box, by its low and its high corner; `None` without vertices.
    pub fn bounding_box(&self) -> Option<[Vector; 2]> {
        self.vertices.iter().map(|&at| [at; 2]).reduce(enclosing)
    }

    /// Sum of the areas of the triangles.
    pub fn area(&self) -> f64 {
        let doubled = |triangle| {
            let [a, b, c] = self.corners(triangle);
            length(cross(sub(b, a), sub(c, a)))
        };
        (0..self.triangles.len()).map(doubled).sum::<f64>() / 2.0
    }

    /// Enclosed volume; of an open mesh that of the cones from its triangles to the centre of its bounding box.
    pub fn volume(&self) -> f64 {
        self.mass().volume
    }

    /// Computes the mass properties, from the tetrahedra between the triangles and a point (divergence theorem).
    pub fn mass(&self) -> MassProperties {
        let middle = self.bounding_box().map_or([0.0; 3], |[low, high]| {
            std::array::from_fn(|axis| low[axis] + (high[axis] - low[axis]) / 2.0)
        });
        let (mut sixfold, mut first, mut second) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
        for triangle in 0..self.triangles.len() {
            let corners = self.corners(triangle).map(|corner| sub(corner, middle));
            let [a, b, c] = corners;
            // Relative to a corner, so that small triangles far away lose no digits.
            let part = dot(a, cross(sub(b, a), sub(c, a)));
            let sum = add(add(a, b), c);
            sixfold += part;
            first = add(first, scale(sum, part));
            for row in 0..3 {
                let along = |at: Vector| scale(at, part * at[row]);
                let all = corners.into_iter().map(along).fold(along(sum), add);
                second[row] = add(second[row], all);
            }
        }
        let volume = sixfold / 6.0;
        let size = self
            .bounding_box()
            .map_or([0.0; 3], |[low, high]| sub(high, low));
        // A mesh thinner than a cell may enclose nothing, and then has no centre but that of its box.
        let centre = if volume.abs() <= 1e-12 * size[0] * size[1] * size[2] {
            [0.0; 3]
        } else {
            scale(first, 1.0 / (24.0 * volume))
        };
        let moment = |row: usize, column: usize| {
            second[row][column] / 120.0 - volume * centre[row] * centre[column]
        };
        let trace = moment(0, 0) + moment(1, 1) + moment(2, 2);
        let inertia = |row: usize, column: usize| {
            let whole = if row == column { trace } else { 0.0 };
            whole - moment(row, column)
        };
        MassProperties {
            volume,
            centre: add(middle, centre),
            inertia: std::array::from_fn(|row| std::array::from_fn(|column| inertia(row, column))),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A cuboid with one corner at `low`.
    pub(in super::super) fn brick(low: Vector, size: Vector) -> TriangleMesh {
        let corner = |corner: usize| {
            std::array::from_fn(|axis| low[axis] + size[axis] * (corner >> axis & 1) as f64)
        };
        let quads = [
            [0, 4, 6, 2],
            [1, 3, 7, 5],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 2, 3, 1],
            [4, 5, 7, 6],
        ];
        let halves = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]];
        let triangles = quads.into_iter().flat_map(halves).collect();
        TriangleMesh::new((0..8).map(corner).collect(), triangles).unwrap()
    }

    #[test]
    fn a_brick_is_measured_exactly() {
        let mesh = brick([10.0, -20.0, 5.0], [2.0, 3.0, 4.0]);
        let mass = mesh.mass();
        assert!((mass.volume - 24.0).abs() < 1e-12);
        assert!((mesh.area() - 52.0).abs() < 1e-12);
        assert!(length(sub(mass.centre, [11.0, -18.5, 7.0])) < 1e-12);
        let expected = [24.0 / 12.0 * 25.0, 24.0 / 12.0 * 20.0, 24.0 / 12.0 * 13.0];
        for row in 0..3 {
            for column in 0..3 {
                let expected = if row == column { expected[row] } else { 0.0 };
                assert!((mass.inertia[row][column] - expected).abs() < 1e-11);
            }
        }
        let corners = [[10.0, -20.0, 5.0], [12.0, -17.0, 9.0]];
        assert_eq!(mesh.bounding_box(), Some(corners));
        assert!(mesh.into_oracle().unwrap().is_oriented_manifold());
    }

    #[test]
    fn what_is_inside_out_is_in_the_same_place_and_all_else_is_negative() {
        let vertices = vec![
            [1.0, 0.0, 0.0],
            [5.0, 0.0, 0.0],
            [1.0, 4.0, 0.0],
            [1.0, 0.0, 8.0],
        ];
        let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let turned = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
        let [mass, turned] = [triangles, turned].map(|triangles| {
            TriangleMesh::new(vertices.clone(), triangles)
                .unwrap()
                .mass()
        });
        assert!((mass.volume - 64.0 / 3.0).abs() < 1e-12);
        assert!((turned.volume + mass.volume).abs() < 1e-12);
        for found in [mass.centre, turned.centre] {
            assert!(length(sub(found, [2.0, 1.0, 2.0])) < 1e-12, "{found:?}");
        }
        for row in 0..3 {
            assert!(length(add(turned.inertia[row], mass.inertia[row])) < 1e-10);
        }
    }

    #[test]
    fn what_is_no_mesh_is_refused() {
        let error = TriangleMesh::new(vec![[0.0; 3]], vec![[0, 0, 1]]).unwrap_err();
        assert_eq!(error.code(), "unknown_vertex");
        let error = TriangleMesh::new(vec![[f64::NAN; 3]], Vec::new()).unwrap_err();
        assert_eq!(error.code(), "invalid_value");
        let nothing = TriangleMesh::default();
        assert_eq!((nothing.volume(), nothing.bounding_box()), (0.0, None));
    }
}
