//! Local refinement: corners of the few triangles of a mesh that are too far from the surface are moved onto it, their edges are
//! split, and the new vertices moved onto it as well. The repair of triangles that cut each other moves some off again: both take turns.
//!
//! All cells of a mesh have one size. Where a shape is bent more sharply than that in a few places only, such as a tip or the end
//! of a crease, smaller cells everywhere would cost many times the triangles.
//!
//! A vertex is moved by Newton steps. If the gradient turns at once between the triangles around it, that is a crease or a corner,
//! and the vertex is moved to where the tangent planes of all sides meet (least squares, as in dual contouring: Ju, Losasso,
//! Schaefer and Warren, "Dual contouring of Hermite data", 2002).

use std::mem::take;

use fibula_core::vector::{Vector, add, dot, length, scale, sub};
use rustc_hash::{FxHashMap, FxHashSet};

use super::deviation::{CREASE, DeviationGoal, TangentPlane, deviations, largest, tangent_planes};
use super::stage::Stage;
use crate::mesh::{Plane, nearest_to_planes};
use crate::{Cancelled, TriangleMesh};

/// Maximum part of the triangles that are refined.
const PART: f64 = 0.02;
/// Maximum deviation, as a fraction of the cell: what is farther off may be connected in another way than the shape.
const REACH: f64 = 0.4;
/// Maximum number of repairs of triangles that cut each other, each followed by another refinement.
const REPAIRS: usize = 4;
/// Maximum number of times that triangles are split.
const ROUNDS: usize = 8;
/// Part of the accuracy by which the middle of an edge must be off for the edge to be split.
const OFF: f64 = 0.25;
/// Shortest edge that is split, as a fraction of the cell.
const SHORTEST: f64 = 1.0 / 64.0;
/// Part of the way from an edge to the opposite corner at which the side of a triangle is examined.
const ASIDE: f64 = 0.3;
/// Cosine of the greatest angle between the normal beside a crease and that of its side.
const SIDE: f64 = 0.995;
/// Maximum way of the middle of an edge, as a fraction of the edge.
const WAY: f64 = 0.5;

/// Distance of the samples of triangles that are refined, as a fraction of the cell.
pub(super) const FINE: f64 = 0.25;
/// Maximum ratio of the triangles to those before.
const MORE: f64 = 1.1;
/// Part of the accuracy by which a vertex that was off stays off.
const KEPT: f64 = 0.5;

/// An edge, by its lower and its higher vertex.
type Edge = [u32; 2];

/// A mesh that is refined.
struct RefinedMesh {
    vertices: Vec<Vector>,
    triangles: Vec<[u32; 3]>,
    /// Deviation of each triangle.
    off: Vec<f64>,
}

/// A point that is moved onto the surface.
struct Star {
    at: Vector,
    /// Points near the surface on all sides of it.
    around: Vec<Vector>,
    /// Greatest distance that it may be moved.
    most: f64,
}

impl DeviationGoal<'_> {
    /// Refines a mesh, whose triangles have these deviations and so many pairs that cut each other, until all are within the
    /// accuracy, or it gets no nearer; returns it with its deviations. `None` if too many are not, or are too far off, or
    /// nothing helps. Triangles that are folded onto each other are unfolded if the accuracy, or what was reached, allows it.
    pub(super) fn refine(
        &self,
        mesh: &TriangleMesh,
        deviations: &[f64],
        cutting_pairs: usize,
        stage: Stage<'_>,
    ) -> Result<Option<(TriangleMesh, Vec<f64>)>, Cancelled> {
        let mut best: Option<(TriangleMesh, Vec<f64>)> = None;
        for step in 0..REPAIRS {
            let [from, to] = [step, step + 1].map(|step| step as f64 / REPAIRS as f64);
            let own = stage.part(from, to);
            let (before, off) = best
                .as_ref()
                .map_or((mesh, deviations), |(mesh, off)| (mesh, off));
            let Some(mut next) = self.split_far(before, off, own.part(0.0, 0.5))? else {
                break;
            };
            if mesh.is_single() {
                next.round_to_single(f64::INFINITY);
            }
            // Moves some vertices off the surface again.
            let repairing = own.part(0.5, 0.5);
            let left = next.untangle_cuts(&|done, total| repairing.report(done, total))?;
            if left > cutting_pairs {
                break;
            }
            let changed = changed_triangles(before, &next);
            let measuring = own.part(0.5, 1.0);
            let measured = self.measured(&next, &changed, self.cell, measuring)?;
            let mut found = off.to_vec();
            found.resize(next.triangles().len(), 0.0);
            for (triangle, off) in changed.into_iter().zip(measured) {
                found[triangle] = off;
            }
            if largest(&found) >= largest(off) {
                break;
            }
            let is_within = largest(&found) <= self.accuracy;
            best = Some((next, found));
            if is_within {
                break;
            }
        }
        let Some((mesh, _)) = best else {
            return Ok(None);
        };
        // A crease of a triangle that changed may be nearest to one that did not.
        let all: Vec<usize> = (0..mesh.triangles().len()).collect();
        let last = stage.part(1.0, 1.0);
        let found = self.measured(&mesh, &all, self.cell, last)?;
        if largest(&found) >= largest(deviations) {
            return Ok(None);
        }
        let mut unfolded = mesh.clone();
        unfolded.unfold(&|done, total| last.report(done, total))?;
        if unfolded != mesh {
            let off = self.measured(&unfolded, &all, self.cell, last)?;
            if largest(&off) <= largest(&found).max(self.accuracy) {
                return Ok(Some((unfolded, off)));
            }
        }
        Ok(Some((mesh, found)))
    }

    /// Moves and splits triangles of a mesh, as [`refine`](Self::refine), without regard to those that cut each other.
    fn split_far(
        &self,
        mesh: &TriangleMesh,
        deviations: &[f64],
        stage: Stage<'_>,
    ) -> Result<Option<TriangleMesh>, Cancelled> {
        let most = PART * deviations.len() as f64;
        let before = largest(deviations);
        if before > REACH * self.cell {
            return Ok(None);
        }
        let mut mesh = RefinedMesh {
            vertices: mesh.vertices().to_vec(),
            triangles: mesh.triangles().to_vec(),
            off: deviations.to_vec(),
        };
        let mut last = [f64::INFINITY; 2];
        for round in 0..ROUNDS {
            let far = mesh.off.iter().filter(|off| **off > self.accuracy);
            let far = [far.count() as f64, largest(&mesh.off)];
            // Splitting must make them fewer or nearer.
            let is_better = far[0] < last[0] || far[1] < last[1];
            let is_small = mesh.triangles.len() as f64 <= MORE * deviations.len() as f64;
            if far[0] == 0.0 || far[0] > most || !is_better || !is_small {
                break;
            }
            last = far;
            let [from, to] = [round, round + 1].map(|round| round as f64 / ROUNDS as f64);
            let own = stage.part(from, to);
            let changed = self.move_vertices(&mut mesh, own.part(0.0, 0.2))?;
            self.measure(&mut mesh, &changed, own.part(0.2, 0.5))?;
            let Some(middles) = self.middles(&mesh, own.part(0.5, 0.7))? else {
                break;
            };
            let changed = mesh.split(middles);
            self.measure(&mut mesh, &changed, own.part(0.7, 1.0))?;
        }
        let is_nearer = largest(&mesh.off) < before;
        Ok(is_nearer.then(|| TriangleMesh::from_valid(mesh.vertices, mesh.triangles)))
    }

    /// Returns the [deviations] of some triangles of a mesh.
    pub(super) fn measured(
        &self,
        mesh: &TriangleMesh,
        some: &[usize],
        spacing: f64,
        stage: Stage<'_>,
    ) -> Result<Vec<f64>, Cancelled> {
        deviations(mesh, some, spacing, self.bounds, self.gradient, stage)
    }

    /// Measures the deviations of triangles.
    fn measure(
        &self,
        mesh: &mut RefinedMesh,
        changed: &[usize],
        stage: Stage<'_>,
    ) -> Result<(), Cancelled> {
        let mut changed = changed.to_vec();
        changed.sort_unstable();
        let (vertices, triangles) = (take(&mut mesh.vertices), take(&mut mesh.triangles));
        let whole = TriangleMesh::from_valid(vertices, triangles);
        let found = self.measured(&whole, &changed, FINE * self.cell, stage)?;
        (mesh.vertices, mesh.triangles) = whole.into_parts();
        for (index, found) in changed.into_iter().zip(found) {
            mesh.off[index] = found;
        }
        Ok(())
    }

    /// Moves the corners of triangles that are off onto the surface; returns the triangles that have such a corner.
    fn move_vertices(
        &self,
        mesh: &mut RefinedMesh,
        stage: Stage<'_>,
    ) -> Result<Vec<usize>, Cancelled> {
        let far = mesh.off.iter().zip(&mesh.triangles);
        let far = far.filter(|(off, _)| **off > self.accuracy);
        let mut corners: Vec<u32> = far.flat_map(|(_, corners)| *corners).collect();
        corners.sort_unstable();
        corners.dedup();
        let at = |corner: &u32| mesh.vertices[*corner as usize];
        let positions: Vec<Vector> = corners.iter().map(at).collect();
        let planes = self.tangent_planes(&positions, stage.part(0.0, 0.1))?;
        let most = REACH * self.cell;
        let mut stars: FxHashMap<u32, Star> = corners
            .iter()
            .zip(planes)
            .filter(|(_, plane)| {
                plane.is_some_and(|plane| plane.distance.abs() > OFF * self.accuracy)
            })
            .map(|(corner, _)| {
                (
                    *corner,
                    Star {
                        at: at(corner),
                        around: Vec::new(),
                        most,
                    },
                )
            })
            .collect();
        let mut changed = Vec::new();
        for (index, corners) in mesh.triangles.iter().enumerate() {
            let mut is_changed = false;
            for corner in corners {
                if let Some(star) = stars.get_mut(corner) {
                    let [a, b, c] = corners.each_ref().map(at);
                    star.around.push(scale(add(a, add(b, c)), 1.0 / 3.0));
                    is_changed = true;
                }
            }
            if is_changed {
                changed.push(index);
            }
        }
        let (corners, stars): (Vec<u32>, Vec<Star>) = stars.into_iter().unzip();
        let projected = self.projected(&stars, stage.part(0.1, 1.0))?;
        for (corner, to) in corners.into_iter().zip(projected) {
            // No farther than it must: the triangles around may have been moved apart.
            let at = &mut mesh.vertices[corner as usize];
            let way = sub(to, *at);
            let part = 1.0 - KEPT * self.accuracy / length(way);
            if part > 0.0 {
                *at = add(*at, scale(way, part));
            }
        }
        Ok(changed)
    }

    fn tangent_planes(
        &self,
        points: &[Vector],
        stage: Stage<'_>,
    ) -> Result<Vec<Option<TangentPlane>>, Cancelled> {
        tangent_planes(points, self.bounds, self.gradient, stage)
    }

    /// Chooses the edges of triangles that are split, with the positions of the new vertices; `None` if a triangle has none.
    fn middles(
        &self,
        mesh: &RefinedMesh,
        stage: Stage<'_>,
    ) -> Result<Option<FxHashMap<Edge, Vector>>, Cancelled> {
        let far = mesh.triangles.iter().zip(&mesh.off);
        let far = far.filter(|(_, off)| **off > self.accuracy);
        let far = far.map(|(corners, _)| edges(*corners));
        let candidates: FxHashSet<Edge> = far.clone().flatten().collect();
        let mut sides: FxHashMap<Edge, Vec<u32>> = FxHashMap::default();
        for &corners in &mesh.triangles {
            for (place, edge) in edges(corners).into_iter().enumerate() {
                if candidates.contains(&edge) {
                    sides
                        .entry(edge)
                        .or_default()
                        .push(corners[(place + 2) % 3]);
                }
            }
        }
        let at = |corner: u32| mesh.vertices[corner as usize];
        let mut candidates: Vec<(Edge, Star)> = sides
            .into_iter()
            .filter_map(|(edge, opposite)| {
                let [a, b] = edge.map(at);
                let middle = scale(add(a, b), 0.5);
                let [one, other] = opposite[..] else {
                    return None;
                };
                let aside = |corner: u32| add(middle, scale(sub(at(corner), middle), ASIDE));
                let size = length(sub(b, a));
                let star = Star {
                    at: middle,
                    around: vec![aside(one), aside(other)],
                    most: WAY * size,
                };
                (size > SHORTEST * self.cell).then_some((edge, star))
            })
            .collect();
        candidates.sort_unstable_by_key(|(edge, _)| *edge);
        let (edges_there, stars): (Vec<Edge>, Vec<Star>) = candidates.into_iter().unzip();
        let projected = self.projected(&stars, stage)?;
        let found: FxHashMap<Edge, (f64, f64, Vector)> = edges_there
            .into_iter()
            .zip(&stars)
            .zip(projected)
            .map(|((edge, star), to)| {
                let size = length(sub(at(edge[1]), at(edge[0])));
                (edge, (length(sub(to, star.at)), size, to))
            })
            .collect();
        let mut chosen = FxHashMap::default();
        for own in far {
            let own = own
                .iter()
                .filter_map(|edge| Some((*edge, *found.get(edge)?)));
            let mut split = own
                .clone()
                .filter(|(_, (way, ..))| *way > OFF * self.accuracy)
                .peekable();
            if split.peek().is_some() {
                chosen.extend(split.map(|(edge, (.., to))| (edge, to)));
                continue;
            }
            let Some((edge, (.., to))) = own.max_by(|(_, a), (_, b)| a.1.total_cmp(&b.1)) else {
                return Ok(None);
            };
            chosen.insert(edge, to);
        }
        Ok(Some(chosen))
    }

    /// Moves points onto the surface; one that would have to go too far stays.
    fn projected(&self, stars: &[Star], stage: Stage<'_>) -> Result<Vec<Vector>, Cancelled> {
        let positions: Vec<Vector> = stars.iter().map(|star| star.at).collect();
        let planes = self.tangent_planes(&positions, stage.part(0.0, 0.2))?;
        let feet = positions.iter().zip(planes);
        let feet: Vec<Vector> = feet
            .map(|(at, plane)| plane.map_or(*at, |plane| plane.foot(*at)))
            .collect();
        let below = self.tangent_planes(&feet, stage.part(0.2, 0.4))?;
        let around: Vec<Vector> = stars
            .iter()
            .flat_map(|star| &star.around)
            .copied()
            .collect();
        let planes = self.tangent_planes(&around, stage.part(0.4, 1.0))?;
        let mut sides = around.into_iter().zip(planes);
        let feet = feet.iter().zip(below);
        Ok(stars
            .iter()
            .zip(feet)
            .map(|(star, (foot, plane))| {
                let own = sides.by_ref().take(star.around.len());
                let own: Vec<_> = own.filter_map(|(at, plane)| Some((at, plane?))).collect();
                let is_near = |to: &Vector| length(sub(*to, star.at)) <= star.most;
                let crease = plane.and_then(|plane| crease_point(star.at, &own, &plane));
                let smooth = || plane.map_or(*foot, |plane| plane.foot(*foot));
                crease
                    .filter(is_near)
                    .or_else(|| Some(smooth()).filter(is_near))
                    .unwrap_or(star.at)
            })
            .collect())
    }
}

/// Returns the point nearest to all tangent planes around a point, each with its own point, given the plane at its foot; `None`
/// if the surface is smooth.
fn crease_point(
    at: Vector,
    sides: &[(Vector, TangentPlane)],
    foot: &TangentPlane,
) -> Option<Vector> {
    let normals = || sides.iter().map(|(_, plane)| plane.normal);
    let widest = normals().flat_map(|one| normals().map(move |other| dot(one, other)));
    let is_bent = widest.fold(1.0, f64::min) < CREASE;
    let is_face = normals().any(|normal| dot(normal, foot.normal) > SIDE);
    if !is_bent || !is_face {
        return None;
    }
    let planes: Vec<Plane> = sides.iter().map(|(at, plane)| plane.at_foot(*at)).collect();
    nearest_to_planes(at, &planes)
}

/// Triangles of a refined mesh that are new, or not where they were.
fn changed_triangles(before: &TriangleMesh, after: &TriangleMesh) -> Vec<usize> {
    let known = before.triangles().len();
    let is_changed =
        |number: &usize| *number >= known || before.corners(*number) != after.corners(*number);
    (0..after.triangles().len()).filter(is_changed).collect()
}

/// Edges from each corner to the next.
fn edges([a, b, c]: [u32; 3]) -> [Edge; 3] {
    [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)])
}

impl RefinedMesh {
    /// Splits edges at new vertices, and all triangles beside them; returns the indexes of the triangles that are new or smaller.
    fn split(&mut self, middles: FxHashMap<Edge, Vector>) -> Vec<usize> {
        let mut middles: Vec<(Edge, Vector)> = middles.into_iter().collect();
        middles.sort_unstable_by_key(|(edge, _)| *edge);
        let mut added = FxHashMap::default();
        for (edge, at) in middles {
            added.insert(edge, self.vertices.len() as u32);
            self.vertices.push(at);
        }
        let mut changed = Vec::new();
        for index in 0..self.triangles.len() {
            let corners = self.triangles[index];
            let split = edges(corners).map(|edge| added.get(&edge).copied());
            let parts = parts(corners, split, &self.vertices);
            if let [first, others @ ..] = &parts[..]
                && !others.is_empty()
            {
                self.triangles[index] = *first;
                changed.push(index);
                changed.extend(self.triangles.len()..self.triangles.len() + others.len());
                self.triangles.extend(others);
            }
        }
        self.off.resize(self.triangles.len(), 0.0);
        changed
    }
}

/// Parts of a triangle some of whose edges have a vertex in the middle.
fn parts(corners: [u32; 3], split: [Option<u32>; 3], vertices: &[Vector]) -> Vec<[u32; 3]> {
    // Turned so that the edges that are split come first.
    let count = split.iter().flatten().count();
    let turn = (0..3)
        .find(|turn| (0..count).all(|place| split[(turn + place) % 3].is_some()))
        .unwrap_or(0);
    let [a, b, c] = [0, 1, 2].map(|place| corners[(turn + place) % 3]);
    match [0, 1, 2].map(|place| split[(turn + place) % 3]) {
        [Some(ab), Some(bc), Some(ca)] => {
            vec![[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        }
        [Some(ab), Some(bc), None] => {
            let distance = |one: u32, other: u32| {
                length(sub(vertices[one as usize], vertices[other as usize]))
            };
            let mut parts = vec![[ab, b, bc]];
            // The shorter diagonal of the rest.
            parts.extend(if distance(a, bc) < distance(ab, c) {
                [[a, ab, bc], [a, bc, c]]
            } else {
                [[a, ab, c], [ab, bc, c]]
            });
            parts
        }
        [Some(ab), ..] => vec![[a, ab, c], [ab, b, c]],
        _ => vec![corners],
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use fibula_core::vector::cross;

    use super::super::{SurfaceReference, mesh_resolved};
    use super::*;
    use crate::testing::tape;
    use crate::{Bounds, MeshSettings, Shape};

    const ON: &crate::Watch<'_> = &|_, _| ControlFlow::Continue(());

    /// Meshes a part and refines it; returns the numbers of triangles before and after, if that helps.
    fn refined(text: &str, half: Vector, cell: f64, accuracy: f64) -> Option<[usize; 2]> {
        let tape = tape(text);
        let shape = Shape::new(&tape).unwrap();
        let bounds = Bounds::new(half.map(|x| -x), half).unwrap();
        let made = mesh_resolved(&shape, &MeshSettings::new(bounds, cell), cell, ON).unwrap();
        let mut mesh = made.meshed.mesh;
        assert_eq!(mesh.untangle(ON), Ok(0), "{text}");
        let reference = SurfaceReference::new(&shape, &bounds, cell);
        let off = reference.deviations(&mesh, ON).unwrap();
        assert!(largest(&off) > accuracy, "{text}: {}", largest(&off));
        let (refined, off) = reference.refine(&mesh, &off, accuracy, 0, ON).unwrap()?;
        let topology = refined.topology();
        assert!(topology.is_closed() && topology.genus().is_some(), "{text}");
        assert!(refined.cutting_pairs(ON).unwrap().is_empty(), "{text}");
        assert_eq!(
            reference.deviations(&refined, ON),
            Ok(off.clone()),
            "{text}"
        );
        assert!(largest(&off) <= accuracy, "{text}: {}", largest(&off));
        Some([mesh.triangles().len(), refined.triangles().len()])
    }

    #[test]
    fn few_places_get_more_triangles() {
        let [before, after] = refined("cone(pos, 5, 0, 10)", [5.03; 3], 0.1, 0.01).unwrap();
        assert!(
            after > before && after < before + before / 50,
            "{before} {after}"
        );
    }

    #[test]
    fn vertices_beside_creases_return_to_them() {
        let text = "box(twist(pos, 40), vec3(6, 6, 16))";
        let [before, after] = refined(text, [4.27, 4.27, 8.03], 0.16, 0.016).unwrap();
        assert!(after < before + before / 100, "{before} {after}");
    }

    #[test]
    fn what_is_off_everywhere_needs_smaller_cells() {
        assert_eq!(refined("sphere(pos, 5)", [5.03; 3], 0.5, 1e-3), None);
    }

    #[test]
    fn edges_are_split_from_both_sides() {
        let vertices = [[0.0; 3], [4.0, 0.0, 0.0], [0.0, 3.0, 0.0]];
        for (split, count) in [
            ([None; 3], 1),
            ([None, Some(4), None], 2),
            ([Some(3), None, Some(5)], 3),
            ([Some(3), Some(4), Some(5)], 4),
        ] {
            let mut vertices = vertices.to_vec();
            vertices.extend([[2.0, 0.0, 0.0], [2.0, 1.5, 0.0], [0.0, 1.5, 0.0]]);
            let parts = parts([0, 1, 2], split, &vertices);
            assert_eq!(parts.len(), count);
            let area = |[a, b, c]: [u32; 3]| {
                let [a, b, c] = [a, b, c].map(|corner| vertices[corner as usize]);
                cross(sub(b, a), sub(c, a))[2] / 2.0
            };
            assert!(parts.iter().all(|part| area(*part) > 0.0), "{parts:?}");
            let whole: f64 = parts.iter().map(|part| area(*part)).sum();
            assert!((whole - 6.0).abs() < 1e-12);
        }
    }
}
