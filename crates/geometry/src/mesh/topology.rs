//! Topology of a triangle mesh: whether it bounds a solid, and of which genus.

use fibula_core::vector::{cross, length, sub};
use rayon::prelude::*;

use super::triangles::TriangleMesh;
use crate::union_find::UnionFind;

/// A triangle is degenerate if its doubled area is at most this fraction of the square of its longest edge.
const FLAT: f64 = 1e-12;

/// Topology of a mesh. Triangles with a repeated corner count as degenerate and as nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Topology {
    /// Vertices of triangles; others are not counted.
    pub vertices: usize,
    /// Number of edges.
    pub edges: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Vertices of no triangle.
    pub unused_vertices: usize,
    /// Edges of one triangle only: the boundary of a hole.
    pub open_edges: usize,
    /// Edges of more than two triangles.
    pub branching_edges: usize,
    /// Edges of two triangles with opposite orientations.
    pub turned_edges: usize,
    /// Vertices whose triangles are several fans: components touch there.
    pub pinched_vertices: usize,
    /// Triangles without an area.
    pub degenerate_triangles: usize,
    /// Connected components.
    pub components: usize,
}

impl Topology {
    /// True without holes: at least two triangles meet at every edge.
    pub fn is_closed(&self) -> bool {
        self.open_edges == 0 && self.triangles > 0
    }

    /// True if every point has a neighbourhood like a disc, or at a boundary like half of one.
    pub fn is_manifold(&self) -> bool {
        self.branching_edges == 0 && self.pinched_vertices == 0
    }

    /// True if the orientations of all triangles agree.
    pub fn is_oriented(&self) -> bool {
        self.turned_edges == 0 && self.branching_edges == 0
    }

    /// True if the mesh bounds a solid for manufacturing: closed, manifold, oriented, and without degenerate triangles.
    pub fn is_sound(&self) -> bool {
        self.is_closed()
            && self.is_manifold()
            && self.is_oriented()
            && self.degenerate_triangles == 0
    }

    /// Euler characteristic: vertices - edges + triangles; 2 for a ball, 0 for a torus, and the sum over components.
    pub fn euler_characteristic(&self) -> i64 {
        self.vertices as i64 - self.edges as i64 + self.triangles as i64
    }

    /// Sum of the genera of all components; `None` unless the mesh is closed, manifold and oriented.
    pub fn genus(&self) -> Option<u64> {
        let is_surface = self.is_closed() && self.is_manifold() && self.is_oriented();
        let doubled = 2 * self.components as i64 - self.euler_characteristic();
        is_surface.then(|| u64::try_from(doubled / 2).unwrap_or(0))
    }

    pub(super) fn new(mesh: &TriangleMesh) -> Topology {
        let whole: Vec<[u32; 3]> = mesh
            .triangles()
            .iter()
            .copied()
            .filter(|[a, b, c]| a != b && b != c && c != a)
            .collect();
        let fans = Fans::new(mesh.vertices().len(), &whole);
        let vertices = 0..mesh.vertices().len() as u32;
        let counted = vertices
            .into_par_iter()
            .fold(Topology::default, |sum, vertex| {
                sum.plus(&fans.around(vertex, &whole))
            })
            .reduce(Topology::default, |a, b| a.plus(&b));
        let flat = (0..mesh.triangles().len())
            .into_par_iter()
            .filter(|&triangle| is_flat(mesh.corners(triangle)))
            .count();
        Topology {
            triangles: whole.len(),
            degenerate_triangles: flat,
            components: components(mesh.vertices().len(), &whole) - counted.unused_vertices,
            ..counted
        }
    }

    fn plus(self, other: &Topology) -> Topology {
        Topology {
            vertices: self.vertices + other.vertices,
            edges: self.edges + other.edges,
            triangles: self.triangles + other.triangles,
            unused_vertices: self.unused_vertices + other.unused_vertices,
            open_edges: self.open_edges + other.open_edges,
            branching_edges: self.branching_edges + other.branching_edges,
            turned_edges: self.turned_edges + other.turned_edges,
            pinched_vertices: self.pinched_vertices + other.pinched_vertices,
            degenerate_triangles: self.degenerate_triangles + other.degenerate_triangles,
            components: self.components + other.components,
        }
    }
}

fn is_flat([a, b, c]: [[f64; 3]; 3]) -> bool {
    let (ab, ac, bc) = (sub(b, a), sub(c, a), sub(c, b));
    let longest = length(ab).max(length(ac)).max(length(bc));
    length(cross(ab, ac)) <= FLAT * longest * longest
}

/// The edge of a triangle opposite to one of its corners.
pub(super) fn opposite_edge([a, b, c]: [u32; 3], corner: u32) -> [u32; 2] {
    if a == corner {
        [b, c]
    } else if b == corner {
        [c, a]
    } else {
        [a, b]
    }
}

/// Triangles of each vertex, in one list.
pub(crate) struct Fans {
    /// Index of each vertex's first triangle in the list.
    starts: Vec<u32>,
    triangles: Vec<u32>,
}

impl Fans {
    pub(crate) fn new(vertices: usize, triangles: &[[u32; 3]]) -> Fans {
        let mut starts = vec![0; vertices + 1];
        for corner in triangles.iter().flatten() {
            starts[*corner as usize + 1] += 1;
        }
        for vertex in 0..vertices {
            starts[vertex + 1] += starts[vertex];
        }
        let mut next = starts.clone();
        let mut list = vec![0; triangles.len() * 3];
        for (triangle, corners) in triangles.iter().enumerate() {
            for &corner in corners {
                let place = &mut next[corner as usize];
                list[*place as usize] = triangle as u32;
                *place += 1;
            }
        }
        Fans {
            starts,
            triangles: list,
        }
    }

    /// Triangles of a vertex, in ascending order.
    pub(crate) fn triangles_at(&self, vertex: u32) -> &[u32] {
        let [from, to] = [vertex, vertex + 1].map(|place| self.starts[place as usize] as usize);
        &self.triangles[from..to]
    }

    /// Counts at a vertex, and for its edges to vertices with higher indexes.
    fn around(&self, vertex: u32, triangles: &[[u32; 3]]) -> Topology {
        let own = self.triangles_at(vertex);
        let mut found = Topology::default();
        if own.is_empty() {
            found.unused_vertices = 1;
            return found;
        }
        found.vertices = 1;
        // The edges opposite to the vertex: each leads from one neighbour to the next.
        let opposite = |&triangle: &u32| opposite_edge(triangles[triangle as usize], vertex);
        let links: Vec<[u32; 2]> = own.iter().map(opposite).collect();
        let mut ends: Vec<(u32, bool)> = links
            .iter()
            .flat_map(|&[from, to]| [(from, true), (to, false)])
            .collect();
        ends.sort_unstable();
        let mut neighbours = Vec::with_capacity(links.len());
        for ends in ends.chunk_by(|a, b| a.0 == b.0) {
            let neighbour = ends[0].0;
            neighbours.push(neighbour);
            if neighbour < vertex {
                continue;
            }
            let from = ends.iter().filter(|end| end.1).count();
            found.edges += 1;
            match ends.len() {
                1 => found.open_edges += 1,
                2 => found.turned_edges += usize::from(from != 1),
                _ => found.branching_edges += 1,
            }
        }
        let place = |neighbour: u32| {
            let place = neighbours.binary_search(&neighbour);
            place.expect("the ends of links are neighbours") as u32
        };
        let links: Vec<[u32; 2]> = links.iter().map(|link| link.map(place)).collect();
        found.pinched_vertices = usize::from(components(neighbours.len(), &links) > 1);
        found
    }
}

/// Counts the connected components of so many things, some of which are joined (union-find).
fn components<const N: usize>(count: usize, joined: &[[u32; N]]) -> usize {
    let mut sets = UnionFind::new(count);
    for all in joined {
        for other in &all[1..] {
            sets.union(all[0], *other);
        }
    }
    sets.sets
}

#[cfg(test)]
mod tests {
    use super::super::triangles::tests::brick;
    use super::*;

    /// Changes the vertices and the triangles of a mesh.
    type Change<'a> = &'a dyn Fn(&mut Vec<[f64; 3]>, &mut Vec<[u32; 3]>);

    /// A torus of `around` by `along` quads.
    fn ring(around: u32, along: u32) -> TriangleMesh {
        let turn = |part: u32, of: u32| {
            (f64::from(part) / f64::from(of) * std::f64::consts::TAU).sin_cos()
        };
        let vertices = (0..around * along).map(|number| {
            let (sine, cosine) = turn(number / along, around);
            let (up, out) = turn(number % along, along);
            [(3.0 + out) * cosine, (3.0 + out) * sine, up]
        });
        let triangles = (0..around * along).flat_map(|number| {
            let (i, j) = (number / along, number % along);
            let at = |i: u32, j: u32| i % around * along + j % along;
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            [[a, b, c], [a, c, d]]
        });
        TriangleMesh::new(vertices.collect(), triangles.collect()).unwrap()
    }

    fn joined(meshes: &[TriangleMesh]) -> TriangleMesh {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for mesh in meshes {
            let base = vertices.len() as u32;
            vertices.extend_from_slice(mesh.vertices());
            triangles.extend(
                mesh.triangles()
                    .iter()
                    .map(|t| t.map(|corner| corner + base)),
            );
        }
        TriangleMesh::new(vertices, triangles).unwrap()
    }

    #[test]
    fn solids_are_told_by_their_numbers() {
        let ball = brick([0.0; 3], [1.0; 3]);
        let topology = ball.topology();
        assert!(topology.is_sound());
        assert_eq!((topology.components, topology.genus()), (1, Some(0)));
        let ring = ring(8, 5);
        assert!(ring.volume() > 0.0 && ring.topology().is_sound());
        assert_eq!(ring.topology().genus(), Some(1));
        let both = joined(&[ball, ring]).topology();
        assert_eq!((both.components, both.genus()), (2, Some(1)));
        assert_eq!(both.euler_characteristic(), 2);
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let sound = brick([0.0; 3], [1.0; 3]);
        let change = |change: Change<'_>| {
            let (mut vertices, mut triangles) = sound.clone().into_parts();
            change(&mut vertices, &mut triangles);
            TriangleMesh::new(vertices, triangles).unwrap().topology()
        };
        let open = change(&|_, triangles| {
            triangles.pop();
        });
        assert_eq!(open.open_edges, 3);
        assert_eq!((open.is_closed(), open.is_manifold()), (false, true));
        let turned = change(&|_, triangles| triangles[3].reverse());
        assert_eq!((turned.turned_edges, turned.is_oriented()), (3, false));
        assert!(turned.is_closed() && turned.genus().is_none());
        let branching = change(&|vertices, triangles| {
            vertices.push([2.0; 3]);
            triangles.push([0, 1, 8]);
        });
        assert_eq!((branching.branching_edges, branching.open_edges), (1, 2));
        let flat = change(&|vertices, triangles| {
            vertices.push([0.5, 0.5, 0.0]);
            let [a, b, c] = triangles[8];
            triangles[8] = [a, b, 8];
            triangles.extend([[b, c, 8], [c, a, 8]]);
        });
        assert_eq!((flat.degenerate_triangles, flat.is_manifold()), (1, true));
        assert!(!flat.is_sound());
        let doubled = change(&|_, triangles| triangles.push([0, 0, 1]));
        assert_eq!((doubled.degenerate_triangles, doubled.triangles), (1, 12));
        let unused = change(&|vertices, _| vertices.push([3.0; 3]));
        assert_eq!(unused.unused_vertices, 1);
        assert_eq!((unused.components, unused.vertices), (1, 8));
    }

    #[test]
    fn parts_that_touch_in_a_vertex_are_pinched() {
        let other = brick([1.0; 3], [1.0; 3]);
        let (vertices, mut triangles) = joined(&[brick([0.0; 3], [1.0; 3]), other]).into_parts();
        for corner in triangles.iter_mut().flatten() {
            *corner = if *corner == 8 { 7 } else { *corner };
        }
        let topology = TriangleMesh::new(vertices, triangles).unwrap().topology();
        assert_eq!((topology.pinched_vertices, topology.components), (1, 1));
        assert!(topology.is_closed() && topology.is_oriented() && !topology.is_manifold());
    }
}
