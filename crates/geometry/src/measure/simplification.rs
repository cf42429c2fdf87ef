//! Simplification of the mesh of a shape, as far as the deviation from the shape's surface allows.
//!
//! Each triangle begins with its own deviation, so that a place that is off keeps its triangles and all others lose theirs. The
//! bound of a simplification adds what each step changes, which is more than what they change together: so the deviation is
//! measured again, and the simplification goes on from there. It is that of samples of the triangles from the surface, and that
//! of the first mesh's vertices from the triangles.

use fibula_core::oracle::offset_from_triangle;
use fibula_core::vector::{Vector, length};
use rayon::prelude::*;

use super::deviation::{DeviationGoal, deviations};
use super::stage::Stage;
use crate::mesh::{Fans, KnownMesh, simplify_known};
use crate::{SimplifiedMesh, SimplifyError, SimplifySettings, TriangleMesh};

/// Maximum number of simplifications.
const ROUNDS: usize = 4;
/// Part of the triangles that a simplification leaves from which on there is no other one.
const FEW: f64 = 0.9;

impl DeviationGoal<'_> {
    /// Simplifies a mesh whose triangles have these deviations.
    pub(super) fn simplify(
        &self,
        mesh: &TriangleMesh,
        mut off: Vec<f64>,
        stage: Stage<'_>,
    ) -> Result<SimplifiedMesh, SimplifyError> {
        let vertices = mesh.vertices();
        let mut triangles = vec![0; vertices.len()];
        for (number, corners) in (0..).zip(mesh.triangles()) {
            for corner in corners {
                triangles[*corner as usize] = number;
            }
        }
        let mut best: Option<SimplifiedMesh> = None;
        for round in 0..ROUNDS {
            let own = stage.part(
                1.0 - 0.5_f64.powi(round as i32),
                1.0 - 0.5_f64.powi(round as i32 + 1),
            );
            let before = best.as_ref().map_or(mesh, |best| &best.mesh);
            let known = KnownMesh {
                mesh: before,
                deviations: &off,
                tracked: vertices,
                tracked_triangles: &triangles,
            };
            let count = before.triangles().len();
            let settings = SimplifySettings::within(self.accuracy);
            let mut next =
                simplify_known(&known, &settings, &|done, total| own.report(done, total))?;
            let left = next.mesh.triangles().len();
            if let Some(best) = &best {
                for kept in &mut next.kept {
                    *kept = best.kept[*kept as usize];
                }
            }
            triangles.clone_from(&next.tracked_triangles);
            let is_last = round + 1 == ROUNDS || left as f64 > FEW * count as f64;
            if !is_last {
                let all: Vec<usize> = (0..left).collect();
                off = deviations(
                    &next.mesh,
                    &all,
                    self.cell,
                    self.bounds,
                    self.gradient,
                    own.part(1.0, 1.0),
                )?;
                let fans = Fans::new(next.mesh.vertices().len(), next.mesh.triangles());
                let tracked = vertices.par_iter().zip(&mut triangles);
                let distances: Vec<f64> = tracked
                    .map(|(at, triangle)| {
                        let distance;
                        (*triangle, distance) = near_triangle(&next.mesh, &fans, *at, *triangle);
                        distance
                    })
                    .collect();
                for (triangle, distance) in triangles.iter().zip(distances) {
                    let most = &mut off[*triangle as usize];
                    *most = most.max(distance);
                }
            }
            best = Some(next);
            if is_last {
                break;
            }
        }
        Ok(best.expect("there is a round"))
    }
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
