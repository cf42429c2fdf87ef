//! Simplification of the mesh of a shape, as far as the deviation from the shape's surface allows.
//!
//! Each triangle begins with its own deviation, so that a place that is off keeps its triangles and all others lose theirs. The
//! bound of a simplification adds what each step changes, which is more than what they change together: so the deviation is
//! measured again, that of samples of the triangles from the surface and that of the first mesh's vertices from the triangles, and
//! the simplification goes on from there.
//!
//! The samples of larger triangles may find what those of smaller ones did not. The few triangles that are off are refined. If that
//! does not help, and the mesh before was within the accuracy, the simplification is repeated, and keeps the triangles of these
//! places, which finer samples measure.

use std::borrow::Cow;

use fibula_core::oracle::offset_from_triangle;
use fibula_core::vector::{Vector, length};
use rayon::prelude::*;

use super::bvh::Bvh;
use super::deviation::{DeviationGoal, largest};
use super::local_refinement::FINE;
use super::stage::Stage;
use crate::mesh::{Fans, KnownMesh, simplify_known};
use crate::{SimplifyError, SimplifySettings, TriangleMesh};

/// Maximum number of simplifications, each of the mesh that the one before left.
const ROUNDS: i32 = 4;
/// Maximum number of attempts of one: those after the first keep the triangles of the places that were off then.
const ATTEMPTS: i32 = 3;
/// Part of the triangles that a simplification leaves from which on there is no other one.
const FEW: f64 = 0.9;

/// A mesh with as few triangles as an accuracy allows.
#[derive(Debug, Clone, PartialEq)]
pub struct AccurateMesh {
    /// The mesh.
    pub mesh: TriangleMesh,
    /// Upper bound of the deviation of its triangles: measured at samples, or the accuracy where they were kept, plus what the last
    /// simplification adds.
    pub deviation: f64,
    /// Number of pairs of triangles that cut each other.
    pub cutting_pairs: usize,
}

impl DeviationGoal<'_> {
    /// Simplifies a mesh whose triangles have these deviations.
    pub(super) fn simplify(
        &self,
        mesh: &TriangleMesh,
        mut off: Vec<f64>,
        stage: Stage<'_>,
    ) -> Result<AccurateMesh, SimplifyError> {
        // The vertices are tracked: each has the triangle that it is nearest to.
        let vertices = mesh.vertices();
        let mut triangles = vec![0; vertices.len()];
        for (number, corners) in (0..).zip(mesh.triangles()) {
            for corner in corners {
                triangles[*corner as usize] = number;
            }
        }
        let mut before = Cow::Borrowed(mesh);
        let (mut round, mut attempt) = (1, 1);
        loop {
            let own = stage.part(1.0 - 0.5_f64.powi(round - 1), 1.0 - 0.5_f64.powi(round));
            let [from, to] =
                [attempt - 1, attempt].map(|count| f64::from(count) / f64::from(ATTEMPTS));
            let own = own.part(from, to);
            let known = KnownMesh {
                mesh: &before,
                deviations: &off,
                tracked: vertices,
                tracked_triangles: &triangles,
            };
            let settings = SimplifySettings::within(self.accuracy);
            let next = simplify_known(&known, &settings, &|done, total| own.report(done, total))?;
            let count = before.triangles().len() as f64;
            let is_last = round == ROUNDS || next.mesh.triangles().len() as f64 > FEW * count;
            if is_last {
                return Ok(AccurateMesh {
                    mesh: next.mesh,
                    deviation: next.deviation,
                    cutting_pairs: next.cutting_pairs.len(),
                });
            }
            let cutting_pairs = next.cutting_pairs.len();
            let (next, mut moved) = (next.mesh, next.tracked_triangles);
            let (next, mut found) = self.measured_or_refined(next, cutting_pairs, own)?;
            for (triangle, distance) in track(&next, vertices, &mut moved, self.accuracy) {
                found[triangle as usize] = distance.max(found[triangle as usize]);
            }
            if attempt < ATTEMPTS && largest(&off) <= self.accuracy {
                let above = (0..found.len()).filter(|number| found[*number] > self.accuracy);
                let is_far = are_beside(&next, above);
                let tracked = triangles.iter().zip(&moved);
                let tracked = tracked.map(|(from, to)| (*from as usize, *to as usize));
                let far = tracked.filter(|(from, to)| is_far[*to] && off[*from] < self.accuracy);
                let far: Vec<usize> = far.map(|(from, _)| from).collect();
                if !far.is_empty() {
                    // They use all of the accuracy, and so stay but for what is flat; finer samples show if they are off, too.
                    let is_kept = are_beside(&before, far.into_iter());
                    let kept: Vec<usize> = (0..is_kept.len())
                        .filter(|number| is_kept[*number])
                        .collect();
                    let last = own.part(1.0, 1.0);
                    let fine = self.measured(&before, &kept, FINE * self.cell, last)?;
                    for (number, fine) in kept.into_iter().zip(fine) {
                        off[number] = fine.max(self.accuracy);
                    }
                    attempt += 1;
                    continue;
                }
            }
            (before, off, triangles) = (Cow::Owned(next), found, moved);
            (round, attempt) = (round + 1, 1);
        }
    }

    /// Measures the deviations of a mesh, and refines it if a few of its triangles are off.
    fn measured_or_refined(
        &self,
        mesh: TriangleMesh,
        cutting_pairs: usize,
        stage: Stage<'_>,
    ) -> Result<(TriangleMesh, Vec<f64>), SimplifyError> {
        let all: Vec<usize> = (0..mesh.triangles().len()).collect();
        let last = stage.part(1.0, 1.0);
        let off = self.measured(&mesh, &all, self.cell, last)?;
        if largest(&off) > self.accuracy
            && let Some(refined) = self.refine(&mesh, &off, cutting_pairs, last)?
        {
            return Ok(refined);
        }
        Ok((mesh, off))
    }
}

/// Returns for each triangle of a mesh whether it is one of some, or has a corner in common with one.
fn are_beside(mesh: &TriangleMesh, some: impl Iterator<Item = usize>) -> Vec<bool> {
    let mut is_corner = vec![false; mesh.vertices().len()];
    for corner in some.flat_map(|number| mesh.triangles()[number]) {
        is_corner[corner as usize] = true;
    }
    let triangles = mesh.triangles().iter();
    let is_beside = |own: &[u32; 3]| own.iter().any(|corner| is_corner[*corner as usize]);
    triangles.map(is_beside).collect()
}

/// Assigns points to triangles near them, beginning from those that are given; returns these with the distances. Where these are
/// above an accuracy, no triangle is nearer.
fn track(
    mesh: &TriangleMesh,
    points: &[Vector],
    triangles: &mut [u32],
    accuracy: f64,
) -> Vec<(u32, f64)> {
    let fans = Fans::new(mesh.vertices().len(), mesh.triangles());
    let tracked = points.par_iter().zip(&mut *triangles);
    let walk = |(at, from): (&Vector, &mut u32)| near_triangle(mesh, &fans, *at, *from);
    let mut nearest: Vec<(u32, f64)> = tracked.map(walk).collect();
    // The walk may have ended at the other side of a thin place.
    if nearest.iter().any(|(_, distance)| *distance > accuracy) {
        let tree = Bvh::new(mesh);
        let far = nearest.par_iter_mut().zip(points);
        let far = far.filter(|(found, _)| found.1 > accuracy);
        far.for_each(|(found, at)| {
            if let Some(hit) = tree.nearest(*at, found.1) {
                *found = (hit.triangle, hit.distance.abs());
            }
        });
    }
    for (triangle, (found, _)) in triangles.iter_mut().zip(&nearest) {
        *triangle = *found;
    }
    nearest
}

/// Walks from a triangle over those with a common corner as long as they come nearer to a point. Returns the last one and its
/// distance.
fn near_triangle(mesh: &TriangleMesh, fans: &Fans, at: Vector, from: u32) -> (u32, f64) {
    let distance =
        |triangle: u32| length(offset_from_triangle(mesh.corners(triangle as usize), at));
    let mut nearest = (from, distance(from));
    loop {
        let before = nearest;
        for corner in mesh.triangles()[before.0 as usize] {
            for &other in fans.triangles_at(corner) {
                let distance = distance(other);
                if distance < nearest.1 {
                    nearest = (other, distance);
                }
            }
        }
        if nearest.0 == before.0 {
            return nearest;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::super::{SurfaceReference, mesh_resolved};
    use super::*;
    use crate::testing::tape;
    use crate::{Bounds, MeshSettings, Shape, Watch};

    const ON: &Watch<'_> = &|_, _| ControlFlow::Continue(());

    /// Meshes a part, refines the mesh and simplifies it; returns what is off then.
    fn simplified(text: &str, half: [f64; 3], cell: f64, accuracy: f64) -> f64 {
        let tape = tape(text);
        let shape = Shape::new(&tape).unwrap();
        let bounds = Bounds::new(half.map(|x| -x), half).unwrap();
        let settings = MeshSettings::new(bounds, cell);
        let made = mesh_resolved(&shape, &settings, cell / 10.0, ON).unwrap();
        let mut mesh = made.meshed.mesh;
        mesh.round_to_single(0.01 * made.cell);
        assert_eq!(mesh.untangle(ON), Ok(0));
        let reference = SurfaceReference::new(&shape, &bounds, made.cell);
        let off = reference.deviations(&mesh, ON).unwrap();
        let refined = reference.refine(&mesh, &off, accuracy, 0, ON).unwrap();
        let (mesh, off) = refined.unwrap();
        assert!(largest(&off) <= accuracy);
        let simplified = reference.simplify(&mesh, off, accuracy, ON).unwrap();
        simplified.deviation
    }

    #[test]
    fn twisted_bars_stay_within_the_accuracy() {
        let text = "box(twist(pos, 40), vec3(6, 6, 16))";
        let off = simplified(text, [8.03; 3], 0.16, 0.01606);
        assert!(off <= 1.01 * 0.01606, "{off}");
        // Here larger triangles lose places that smaller ones have.
        let text = "box(twist(pos, 20), vec3(6, 6, 40))";
        let off = simplified(text, [4.26, 4.26, 20.02], 0.126_479, 0.04);
        assert!(off <= 1.01 * 0.04, "{off}");
    }

    #[test]
    fn vertices_are_compared_with_the_nearest_side_of_a_thin_place() {
        // A plate: vertex 4 z + 2 y + x at each of its corners.
        let corner = |number: u8| [0, 1, 2].map(|axis| f64::from(number >> axis & 1));
        let vertices = (0..8)
            .map(corner)
            .map(|[x, y, z]| [10.0 * x, 10.0 * y, 0.02 * z]);
        let faces = [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ];
        let triangles = faces
            .into_iter()
            .flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]);
        let mesh = TriangleMesh::new(vertices.collect(), triangles.collect()).unwrap();
        // On the upper side; the walk begins below, and all neighbours there are farther.
        let upper = [[4.0, 5.0, 0.02]];
        let tracked = |accuracy| {
            let mut own = [0];
            let found = track(&mesh, &upper, &mut own, accuracy);
            assert_eq!(found[0].0, own[0]);
            (own[0], found[0].1)
        };
        let (below, distance) = tracked(0.05);
        assert!(below < 2 && (distance - 0.02).abs() < 1e-12, "{distance}");
        let (above, distance) = tracked(0.01);
        assert!((2..4).contains(&above) && distance < 1e-12, "{distance}");
    }
}
