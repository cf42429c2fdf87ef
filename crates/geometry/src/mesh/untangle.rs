//! Local repair of meshes whose triangles cut each other.
//!
//! The vertices of such triangles move towards the centroids of their neighbours (Laplacian smoothing), round by round,
//! until no pair is left in the region around them: first along the planes of the triangles that they had, and so on faces and
//! along edges, then anywhere. Then the whole mesh is tested again. The rest of the mesh and the topology stay. Dual
//! contouring makes such triangles where surfaces are closer to each other than a cell, and at sharp edges, along which
//! vertices of neighbouring cells may be in the wrong order.

use fibula_core::vector::{Vector, add, cross, scale, sub, unit};

use super::planes::{Plane, nearest_to_planes};
use super::triangles::TriangleMesh;
use crate::{Cancelled, Watch};

/// Maximum number of tests of the whole mesh.
const PASSES: usize = 8;
/// Rings of triangles around those that cut each other, in which new pairs are looked for.
const RINGS: usize = 6;
/// Maximum number of rounds in a region, and the number of those in which vertices stay on the planes of their triangles.
const ROUNDS: usize = 120;
const ON_PLANES: usize = 60;
/// Rounds after which the vertices of one more ring move too.
const WIDER: usize = 15;
/// Part of the way to the centroid of the neighbours in a round.
const STEP: f64 = 0.25;
/// Maximum part of the vertices that may move, and maximum change of the volume, as a fraction of it: where walls are much
/// thinner than cells, the repair would lose them.
const PART: f64 = 0.25;
const VOLUME: f64 = 0.01;

impl TriangleMesh {
    /// Moves vertices of triangles that cut each other until none do, and returns the number of pairs that are left: those
    /// that the repair cannot separate, or all if it would move a quarter of the vertices or change the volume by more than
    /// a hundredth. Coordinates that are all of single precision stay so. Calls `watch` with triangles.
    ///
    /// # Errors
    /// [`Cancelled`] if `watch` cancelled it; vertices may have moved then.
    pub fn untangle(&mut self, watch: &Watch<'_>) -> Result<usize, Cancelled> {
        let mut pairs = self.cutting_pairs(watch)?;
        let most = PART * self.vertices.len() as f64;
        if pairs.is_empty() || self.corners_of(&pairs).len() as f64 > most {
            return Ok(pairs.len());
        }
        let (found, volume, original) = (pairs.len(), self.volume(), self.vertices.clone());
        let still = |_, total| watch(total, total);
        let is_single = self.is_single();
        for _ in 0..PASSES {
            if pairs.is_empty() {
                break;
            }
            let before = self.vertices.clone();
            self.untangle_region(&pairs, &still)?;
            self.separate();
            if is_single {
                self.round_to_single(f64::INFINITY);
            }
            let left = self.cutting_pairs(&still)?;
            if left.len() >= pairs.len() {
                self.vertices = before;
                break;
            }
            pairs = left;
        }
        if (self.volume() - volume).abs() > VOLUME * volume.abs() {
            self.vertices = original;
            return Ok(found);
        }
        Ok(pairs.len())
    }

    /// Separates pairs as far as that is possible without looking at the rest of the mesh.
    fn untangle_region(&mut self, pairs: &[[u32; 2]], watch: &Watch<'_>) -> Result<(), Cancelled> {
        let mut region = Region::new(self, pairs);
        let mut fewest = usize::MAX;
        let mut best = Vec::new();
        for round in 0..=ROUNDS {
            let pairs = region.mesh.cutting_pairs(watch)?;
            if pairs.len() < fewest {
                fewest = pairs.len();
                best.clone_from(&region.mesh.vertices);
            }
            if pairs.is_empty() {
                break;
            }
            region.smooth(&pairs, round);
        }
        for (vertex, at) in region.vertices.iter().zip(best) {
            self.vertices[*vertex as usize] = at;
        }
        Ok(())
    }

    /// Corners of the triangles of pairs, in order.
    fn corners_of(&self, pairs: &[[u32; 2]]) -> Vec<u32> {
        let triangles = pairs.iter().flatten();
        let corners = triangles.flat_map(|number| self.triangles[*number as usize]);
        let mut corners: Vec<u32> = corners.collect();
        corners.sort_unstable();
        corners.dedup();
        corners
    }
}

/// Triangles around those that cut each other.
struct Region {
    mesh: TriangleMesh,
    /// Vertices of the whole mesh, in the order of those of the region.
    vertices: Vec<u32>,
    /// Neighbours of each vertex; none if it has triangles outside of the region, and stays.
    neighbours: Vec<Vec<u32>>,
    /// Planes of the triangles of each vertex.
    planes: Vec<Vec<Plane>>,
}

impl Region {
    fn new(whole: &TriangleMesh, pairs: &[[u32; 2]]) -> Region {
        let mut is_in = vec![false; whole.vertices.len()];
        for corner in whole.corners_of(pairs) {
            is_in[corner as usize] = true;
        }
        let mut rim: Vec<u32> = Vec::new();
        for _ in 0..RINGS {
            let beside = whole.triangles.iter().filter(|corners| {
                let count = corners.iter().filter(|corner| is_in[**corner as usize]);
                (1..3).contains(&count.count())
            });
            rim.extend(beside.flatten().copied());
            for corner in rim.drain(..) {
                is_in[corner as usize] = true;
            }
        }
        let mut number = vec![u32::MAX; whole.vertices.len()];
        let mut vertices = Vec::new();
        for (vertex, _) in is_in.iter().enumerate().filter(|(_, is_in)| **is_in) {
            number[vertex] = vertices.len() as u32;
            vertices.push(vertex as u32);
        }
        let mut neighbours = vec![Vec::new(); vertices.len()];
        let mut is_whole = vec![true; vertices.len()];
        let mut triangles = Vec::new();
        for corners in &whole.triangles {
            let own = corners.map(|corner| number[corner as usize]);
            if own.contains(&u32::MAX) {
                for corner in own.into_iter().filter(|corner| *corner != u32::MAX) {
                    is_whole[corner as usize] = false;
                }
                continue;
            }
            let [a, b, c] = own;
            for (from, to) in [(a, b), (b, c), (c, a)] {
                neighbours[from as usize].push(to);
            }
            triangles.push(own);
        }
        for (neighbours, _) in neighbours.iter_mut().zip(is_whole).filter(|one| !one.1) {
            neighbours.clear();
        }
        let own = vertices
            .iter()
            .map(|vertex| whole.vertices[*vertex as usize]);
        let mesh = TriangleMesh {
            vertices: own.collect(),
            triangles,
        };
        let mut planes = vec![Vec::new(); vertices.len()];
        for (number, corners) in mesh.triangles.iter().enumerate() {
            let [point, b, c] = mesh.corners(number);
            if let Some(normal) = unit(cross(sub(b, point), sub(c, point))) {
                for corner in corners {
                    planes[*corner as usize].push(Plane { point, normal });
                }
            }
        }
        Region {
            mesh,
            vertices,
            neighbours,
            planes,
        }
    }

    /// Moves the vertices of pairs, and from round to round more around them, towards the centroids of their neighbours; in the
    /// first rounds only along the planes of the triangles that they had at first, and so along edges.
    fn smooth(&mut self, pairs: &[[u32; 2]], round: usize) {
        let is_on_planes = round < ON_PLANES;
        let mut moving = self.mesh.corners_of(pairs);
        for _ in 0..round % ON_PLANES / WIDER {
            let around = moving
                .iter()
                .flat_map(|vertex| &self.neighbours[*vertex as usize]);
            moving.extend(around.copied().collect::<Vec<_>>());
            moving.sort_unstable();
            moving.dedup();
        }
        let at = |vertex: u32| self.mesh.vertices[vertex as usize];
        let moved = moving.into_iter().filter_map(|vertex| {
            let around = &self.neighbours[vertex as usize];
            let sum: Vector = around
                .iter()
                .fold([0.0; 3], |sum, other| add(sum, at(*other)));
            let centroid = scale(sum, 1.0 / around.len() as f64);
            let mut to = add(at(vertex), scale(sub(centroid, at(vertex)), STEP));
            if is_on_planes {
                to = nearest_to_planes(to, &self.planes[vertex as usize]).unwrap_or(to);
            }
            (!around.is_empty()).then_some((vertex, to))
        });
        for (vertex, at) in moved.collect::<Vec<_>>() {
            self.mesh.vertices[vertex as usize] = at;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use fibula_core::vector::length;

    use super::*;
    use crate::mesh::mesh;
    use crate::testing::tape;
    use crate::{Bounds, MeshSettings, Shape};

    fn on(_: u64, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    #[test]
    fn a_spike_through_the_other_side_comes_back_and_the_rest_stays() {
        let tape = tape("length(pos) - 1");
        let bounds = Bounds::new([-1.1; 3], [1.1; 3]).unwrap();
        let settings = MeshSettings::new(bounds, 0.2);
        let ball = mesh(&Shape::new(&tape).unwrap(), &settings, &on)
            .unwrap()
            .mesh;
        let mut spiky = ball.clone();
        assert_eq!(spiky.untangle(&on), Ok(0));
        assert_eq!(spiky, ball);
        let tip = (0..ball.vertices.len())
            .max_by(|a, b| ball.vertices[*a][0].total_cmp(&ball.vertices[*b][0]));
        let tip = tip.unwrap();
        spiky.vertices[tip] = [-1.5, 0.1, 0.05];
        assert!(!spiky.cutting_pairs(&on).unwrap().is_empty());
        assert!(
            spiky
                .clone()
                .untangle(&|_, _| ControlFlow::Break(()))
                .is_err()
        );
        assert_eq!(spiky.untangle(&on), Ok(0));
        assert!(spiky.cutting_pairs(&on).unwrap().is_empty());
        assert_eq!(spiky.triangles, ball.triangles);
        assert!(spiky.vertices[tip][0] > -0.9, "{:?}", spiky.vertices[tip]);
        // Vertices between the two sides are far from all cuts.
        let moved = |at: &Vector, was: &Vector| length(sub(*at, *was)) > 0.0 && at[0].abs() < 0.1;
        let count = spiky
            .vertices
            .iter()
            .zip(&ball.vertices)
            .filter(|(at, was)| moved(at, was))
            .count();
        assert_eq!(count, 0);
    }
}
