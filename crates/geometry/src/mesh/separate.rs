//! Vertices that are equal in single precision.
//!
//! Most files of meshes hold single precision, and most readers merge vertices with equal coordinates: where two sheets
//! touch, an edge then has four triangles, though the mesh is a manifold. Such vertices are moved apart by a few units in
//! the last place, each towards the mean of its neighbours, so into its own solid where two solids touch.
//!
//! Takes O(n log n) time for n vertices, and nearly nothing where no two are equal.

use fibula_core::vector::{Vector, add, cross, dot, length, scale, sub, unit};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::triangles::TriangleMesh;

/// Number of rounds, each of which moves vertices twice as far as the one before, beginning with [`STEP`].
const ROUNDS: i32 = 8;
/// First move, as a fraction of the largest coordinate: two units in the last place.
const STEP: f64 = 2.0 * f32::EPSILON as f64;

/// Maximum move, as a fraction of the mean length of a vertex's edges.
const SHORT: f64 = 1.0 / 16.0;
/// Height of a vertex's neighbours up to which they are level with it, as a fraction of that length.
const LEVEL: f64 = 1e-3;

/// Coordinates in single precision and the index of the vertex.
type Place = ([u32; 3], u32);

/// Returns the vertices that are equal to others in single precision, sorted so that equal ones are neighbours.
fn coincident(vertices: &[Vector]) -> Vec<Place> {
    // 0 and -0 are equal.
    let bits = |at: Vector| at.map(|x| (x as f32 + 0.0).to_bits());
    let mut places: Vec<Place> = (0..vertices.len() as u32)
        .into_par_iter()
        .map(|vertex| (bits(vertices[vertex as usize]), vertex))
        .collect();
    places.par_sort_unstable();
    let same = |a: &Place, b: &Place| a.0 == b.0;
    let groups = places.chunk_by(same).filter(|group| group.len() > 1);
    groups.flatten().copied().collect()
}

impl TriangleMesh {
    /// Returns the mesh as readers of single precision have it, which merge vertices with equal coordinates and omit
    /// triangles with equal corners; `None` if no two vertices are equal.
    pub fn merged(&self) -> Option<TriangleMesh> {
        let places = coincident(self.vertices());
        if places.is_empty() {
            return None;
        }
        let mut first: Vec<u32> = (0..self.vertices().len() as u32).collect();
        for group in places.chunk_by(|a, b| a.0 == b.0) {
            for (_, vertex) in group {
                first[*vertex as usize] = group[0].1;
            }
        }
        let corners = self.triangles().iter();
        let triangles = corners.map(|corners| corners.map(|corner| first[corner as usize]));
        let has_area = |[a, b, c]: &[u32; 3]| a != b && b != c && c != a;
        Some(TriangleMesh::from_valid(
            self.vertices().to_vec(),
            triangles.filter(has_area).collect(),
        ))
    }

    /// Returns a vertex whose merging by such readers leaves no closed manifold of one that is; `None` if there is none.
    pub fn touching(&self) -> Option<Vector> {
        let at = coincident(self.vertices()).first()?.1;
        let is_surface = |mesh: &TriangleMesh| mesh.topology().genus().is_some();
        let is_lost = is_surface(self) && !self.merged().is_some_and(|merged| is_surface(&merged));
        is_lost.then(|| self.vertices()[at as usize])
    }

    /// Rounds coordinates to single precision, as most formats and readers of files do, so that what is checked is what they
    /// have; returns false, and changes nothing, if vertices would be equal or move by more than `most` along an axis.
    pub fn round_to_single(&mut self, most: f64) -> bool {
        let is_near = |x: &f64| (rounded(*x) - x).abs() <= most;
        let all_near = self.vertices().iter().flatten().all(is_near);
        if !all_near || !coincident(self.vertices()).is_empty() {
            return false;
        }
        for at in &mut self.vertices {
            *at = at.map(rounded);
        }
        true
    }

    /// True if all coordinates are numbers of single precision.
    pub(crate) fn is_single(&self) -> bool {
        self.vertices()
            .iter()
            .flatten()
            .all(|x| rounded(*x).to_bits() == x.to_bits())
    }

    /// Moves vertices that are equal in single precision apart, by at most a fraction of their edges; returns false if
    /// some are still equal: then edges are about as short as the last place.
    pub fn separate(&mut self) -> bool {
        let magnitude = |at: &Vector| at.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let reach = self.vertices().iter().map(magnitude).fold(0.0, f64::max);
        for round in 0..ROUNDS {
            let places = coincident(self.vertices());
            if places.is_empty() {
                return true;
            }
            let step = reach * STEP * 2.0_f64.powi(round);
            let stars = self.stars(&places);
            for group in places.chunk_by(|a, b| a.0 == b.0) {
                // Different distances, since directions may be equal.
                for (rank, (_, vertex)) in (1..).zip(group) {
                    let (star, length) = (&stars[vertex], step * f64::from(rank));
                    if length <= SHORT * star.mean_edge() {
                        self.shift(*vertex, scale(star.inward(), length));
                    }
                }
            }
        }
        coincident(self.vertices()).is_empty()
    }

    /// Returns the stars of some vertices.
    fn stars(&self, places: &[Place]) -> FxHashMap<u32, Star> {
        let mut stars: FxHashMap<u32, Star> = places
            .iter()
            .map(|place| (place.1, Star::default()))
            .collect();
        let is_near = |corners: &&[u32; 3]| corners.iter().any(|corner| stars.contains_key(corner));
        let near: Vec<[u32; 3]> = self
            .triangles()
            .par_iter()
            .filter(is_near)
            .copied()
            .collect();
        for [a, b, c] in near {
            for [a, b, c] in [[a, b, c], [b, c, a], [c, a, b]] {
                let [at, b, c] = [a, b, c].map(|corner| self.vertices()[corner as usize]);
                if let Some(star) = stars.get_mut(&a) {
                    let (b, c) = (sub(b, at), sub(c, at));
                    star.edges = add(star.edges, add(b, c));
                    star.normal = add(star.normal, cross(b, c));
                    star.length += length(b) + length(c);
                    star.count += 2.0;
                }
            }
        }
        stars
    }
}

/// Sums over the triangles of a vertex.
#[derive(Debug, Clone, Copy, Default)]
struct Star {
    /// Sum of the edges from the vertex, each of which is in two triangles.
    edges: Vector,
    normal: Vector,
    /// Sum of the lengths of these edges, and their number.
    length: f64,
    count: f64,
}

impl Star {
    fn mean_edge(&self) -> f64 {
        self.length / self.count
    }

    /// Returns the direction to the mean of the neighbours; against the normal where the vertex is level with them.
    fn inward(&self) -> Vector {
        let normal = unit(self.normal).unwrap_or([0.0, 0.0, 1.0]);
        let inward = scale(normal, -1.0);
        if dot(self.edges, normal).abs() <= LEVEL * self.length {
            return inward;
        }
        unit(self.edges).unwrap_or(inward)
    }
}

fn rounded(x: f64) -> f64 {
    f64::from(x as f32)
}

#[cfg(test)]
mod tests {
    use super::super::triangles::tests::brick;
    use super::*;

    /// Two bricks that touch in an edge, at a distance from the origin.
    fn touching(off: f64) -> TriangleMesh {
        let (mut vertices, mut triangles) = brick([off; 3], [1.0; 3]).into_parts();
        let (others, corners) = brick([off + 1.0, off + 1.0, off], [1.0; 3]).into_parts();
        vertices.extend(others);
        triangles.extend(
            corners
                .iter()
                .map(|corners| corners.map(|corner| corner + 8)),
        );
        TriangleMesh::new(vertices, triangles).unwrap()
    }

    #[test]
    fn solids_that_touch_are_moved_apart_into_themselves() {
        for off in [-1.0, 0.0, 10.0, 1000.0] {
            let mut mesh = touching(off);
            let before = mesh.clone();
            assert!(mesh.topology().is_sound());
            assert_eq!(mesh.merged().unwrap().topology().branching_edges, 1);
            assert!(mesh.touching().is_some());
            assert!(mesh.separate(), "{off}");
            assert_eq!((mesh.merged(), mesh.touching()), (None, None));
            let moved = mesh.vertices().iter().zip(before.vertices());
            let farthest = moved.map(|(a, b)| length(sub(*a, *b))).fold(0.0, f64::max);
            assert!(
                farthest <= 4.0 * STEP * (off.abs() + 2.0),
                "{off}: {farthest}"
            );
            assert!(mesh.volume() < before.volume(), "{off}");
        }
    }

    #[test]
    fn distinct_vertices_stay_and_short_edges_far_away_are_reported() {
        let mut mesh = brick([0.0; 3], [1.0; 3]);
        let before = mesh.clone();
        assert!(mesh.separate() && mesh == before);
        let mut far = brick([1e9; 3], [1.0; 3]);
        assert!(far.topology().is_sound());
        assert!(!far.separate() && far.touching().is_some());
    }
}
