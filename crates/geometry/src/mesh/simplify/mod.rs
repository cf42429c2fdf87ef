//! Mesh simplification by half-edge collapse, with a bound of the deviation.
//!
//! Vertices collapse onto neighbours, the cheapest first, but within blocks of large meshes, each of which removes two triangles. The distance of every
//! triangle from the original mesh, and of that from it, is bounded at every step (see `star`), not estimated: nothing
//! exceeds the tolerance. Vertices of the result are vertices of the original, so flat faces stay flat and corners and
//! edges sharp. The mesh stays as closed, manifold and oriented as it was, and no triangle flips. Open and non-manifold
//! regions stay unchanged.
//!
//! Where triangles of the result cut each other, which those of the original do not, the original's vertices near them
//! stay, and the simplification begins again: it repeats the steps that are still possible, and goes on from there. Where
//! only a number of triangles is asked for, an attempt that misses it is not taken, unless the first one missed it by as much.
//!
//! Of a large mesh the first steps, up to a part of the tolerance, are found in [blocks] at once, unless a number of triangles is
//! asked for, and repeated in the whole.
//!
//! Ties in cost are broken by vertex index, so the result does not depend on threads. Takes O(n log n) time for n
//! triangles, since vertices with many edges stay.

mod blocks;
mod corner_table;
mod star;
mod tracked_points;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use fibula_core::vector::{Vector, sub};
use rayon::prelude::*;

use super::TriangleMesh;
use crate::{Cancelled, Watch};
use blocks::{LEAST_IN_BLOCKS, steps_in_blocks};
use corner_table::{CornerTable, MOST_TRIANGLES, NONE, next};
use star::Star;
use tracked_points::TrackedPoints;

/// Steps between two calls of the watch.
const STEPS: usize = 1024;
/// Maximum number of times that a simplification begins again because triangles of the result cut each other.
const AGAIN: i32 = 8;

/// Goal of a simplification.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimplifySettings {
    /// Maximum deviation of the surface, in the unit of the mesh; infinite if only the number of triangles matters.
    pub tolerance: f64,
    /// Number of triangles at which to stop.
    pub triangles: usize,
}

impl SimplifySettings {
    /// Goal of as few triangles as possible within a tolerance.
    pub fn within(tolerance: f64) -> SimplifySettings {
        SimplifySettings {
            tolerance,
            triangles: 0,
        }
    }

    /// Goal of no more triangles than these, if the mesh allows it.
    pub fn to(triangles: usize) -> SimplifySettings {
        SimplifySettings {
            tolerance: f64::INFINITY,
            triangles,
        }
    }
}

/// A simplified mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct SimplifiedMesh {
    /// The mesh; its vertices are vertices of the original.
    pub mesh: TriangleMesh,
    /// Index of each vertex in the original.
    pub kept: Vec<u32>,
    /// Upper bound of the Hausdorff distance to the original.
    pub deviation: f64,
    /// Pairs of triangles that cut each other: none if the original has none and a tolerance is given, but in rare cases.
    pub cutting_pairs: Vec<[u32; 2]>,
    /// Triangle of each point that [`KnownMesh`] tracks.
    pub(crate) tracked_triangles: Vec<u32>,
}

/// A mesh of which more is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownMesh<'a> {
    pub(crate) mesh: &'a TriangleMesh,
    /// Deviation of each triangle from the surface that the mesh stands for.
    pub(crate) deviations: &'a [f64],
    /// Points that are tracked, each with its triangle: a simplified mesh has the triangle near which each is.
    pub(crate) tracked: &'a [Vector],
    pub(crate) tracked_triangles: &'a [u32],
}

/// The cost of a vertex and its index, the cheapest on top. Costs are not negative, so their bits have their order.
type Candidate = Reverse<(u64, u32)>;

fn candidate(cost: f64, vertex: u32) -> Candidate {
    Reverse((cost.to_bits(), vertex))
}

/// State of a vertex in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QueueState {
    /// Its cost is in the queue.
    Known,
    /// An outdated cost is in the queue: its triangles have changed since.
    Changed,
    /// It is not in the queue.
    Out,
}

/// Error returned when a mesh cannot be simplified.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SimplifyError {
    /// The tolerance is negative or NaN.
    #[error("the tolerance must be 0 or more, but is {tolerance}")]
    Tolerance {
        /// The tolerance.
        tolerance: f64,
    },
    /// There are too many corners to index.
    #[error(
        "the mesh has {triangles} triangles, more than the limit of {most} for simplification; use larger cells, or \
         split it into parts"
    )]
    TooManyTriangles {
        /// Number of triangles.
        triangles: usize,
        /// Maximum.
        most: usize,
    },
    /// The watch cancelled the work.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl SimplifyError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            SimplifyError::Tolerance { .. } => "invalid_value",
            SimplifyError::TooManyTriangles { .. } => "too_large",
            SimplifyError::Cancelled(_) => "cancelled",
        }
    }
}

/// Simplifies a mesh. Calls `watch` with the triangles removed and their total; of large meshes with half of them, after as many
/// that were looked at.
///
/// # Errors
/// [`SimplifyError`]: the tolerance is no length, there are too many triangles, or `watch` cancelled it.
///
/// # Panics
/// Never: the remaining triangles keep their vertices.
pub fn simplify(
    mesh: &TriangleMesh,
    how: &SimplifySettings,
    watch: &Watch<'_>,
) -> Result<SimplifiedMesh, SimplifyError> {
    let known = KnownMesh {
        mesh,
        deviations: &vec![0.0; mesh.triangles().len()],
        tracked: &[],
        tracked_triangles: &[],
    };
    simplify_known(&known, how, watch)
}

/// Simplifies a mesh whose triangles deviate from a surface: the deviation is that from the surface.
pub(crate) fn simplify_known(
    known: &KnownMesh<'_>,
    how: &SimplifySettings,
    watch: &Watch<'_>,
) -> Result<SimplifiedMesh, SimplifyError> {
    let mesh = known.mesh;
    let tolerance = how.tolerance;
    if tolerance.is_nan() || tolerance < 0.0 {
        return Err(SimplifyError::Tolerance { tolerance });
    }
    let total = mesh.triangles().len();
    if total > MOST_TRIANGLES {
        return Err(SimplifyError::TooManyTriangles {
            triangles: total,
            most: MOST_TRIANGLES,
        });
    }
    let mut stays = vec![false; mesh.vertices().len()];
    let mut steps = Vec::new();
    let is_in_blocks = how.triangles == 0 && tolerance.is_finite() && total >= LEAST_IN_BLOCKS;
    // The steps in blocks are half of the progress.
    let parts = if is_in_blocks { 2 } else { 1 };
    let report = |done: u64| watch(done / parts, total as u64);
    if is_in_blocks {
        steps = steps_in_blocks(known, tolerance, &|done, _| report(done))?;
    }
    let rest = |done, _| report((parts - 1) * total as u64 + done);
    let mut best = collapse(known, how, &stays, &mut steps, &rest)?;
    let end = |_, _| watch(total as u64, total as u64);
    best.cutting_pairs = best.mesh.cutting_pairs(&end)?;
    // The number of triangles that is asked for, or that the first attempt reached, is worth more than the last cut.
    let most = if tolerance.is_finite() {
        usize::MAX
    } else {
        how.triangles.max(best.mesh.triangles().len())
    };
    let mut last = None;
    for round in 0..AGAIN {
        let cut = last.as_ref().unwrap_or(&best);
        // Triangles whose vertices all stay are those of the original: nothing separates them.
        let is_simplified = |pair: &&[u32; 2]| {
            let triangles = pair.map(|number| cut.mesh.triangles()[number as usize]);
            let mut vertices = triangles
                .iter()
                .flatten()
                .map(|own| cut.kept[*own as usize]);
            vertices.any(|vertex| !stays[vertex as usize])
        };
        let pairs = cut.cutting_pairs.iter().filter(is_simplified);
        let pairs: Vec<[u32; 2]> = pairs.copied().collect();
        if pairs.is_empty() {
            break;
        }
        // Where the original is farther off than the tolerance, nothing collapses: no triangle moved by more than the tolerance.
        let distance = cut.deviation.min(tolerance) * 2_f64.powi(round + 1);
        mesh.mark_near(&pairs, &cut.mesh, distance, &mut stays, &end)?;
        let mut next = collapse(known, how, &stays, &mut steps, &end)?;
        next.cutting_pairs = next.mesh.cutting_pairs(&end)?;
        if next.mesh.triangles().len() > most {
            break;
        }
        if next.cutting_pairs.len() < best.cutting_pairs.len() {
            best = next.clone();
        }
        last = Some(next);
    }
    Ok(best)
}

/// Simplifies a mesh, but for vertices that stay. The steps that are given come first; then `steps` has all.
fn collapse(
    known: &KnownMesh<'_>,
    how: &SimplifySettings,
    stays: &[bool],
    steps: &mut Vec<Step>,
    watch: &Watch<'_>,
) -> Result<SimplifiedMesh, Cancelled> {
    let total = known.mesh.triangles().len();
    let mut work = EdgeCollapse::new(known, stays, how.tolerance, watch)?;
    let most_gone = total.saturating_sub(how.triangles);
    let report = |number: usize, gone: usize| {
        let is_ended = number.is_multiple_of(STEPS) && watch(gone as u64, total as u64).is_break();
        if is_ended { Err(Cancelled) } else { Ok(()) }
    };
    for (number, step) in std::mem::take(steps).into_iter().enumerate() {
        if work.gone >= most_gone {
            break;
        }
        report(number, work.gone)?;
        work.repeat(step);
    }
    let gone = work.gone;
    work.fill_queue(&|| report(0, gone))?;
    let mut number = 0;
    while work.gone < most_gone
        && let Some(candidate) = work.queue.pop()
    {
        report(number, work.gone)?;
        number += 1;
        work.take(candidate);
    }
    *steps = std::mem::take(&mut work.steps);
    Ok(work.finish(known.mesh))
}

/// A vertex, and the neighbour that it moved to.
type Step = [u32; 2];

struct EdgeCollapse<'a> {
    corners: CornerTable,
    places: &'a [[f64; 3]],
    /// Bound of the deviation of every triangle.
    off: Vec<f64>,
    queue: BinaryHeap<Candidate>,
    standing: Vec<QueueState>,
    star: Star,
    tracked: TrackedPoints<'a>,
    steps: Vec<Step>,
    tolerance: f64,
    gone: usize,
}

impl<'a> EdgeCollapse<'a> {
    fn new(
        known: &KnownMesh<'a>,
        stays: &[bool],
        tolerance: f64,
        watch: &Watch<'_>,
    ) -> Result<EdgeCollapse<'a>, Cancelled> {
        let mesh = known.mesh;
        let total = mesh.triangles().len();
        let still = || match watch(0, total as u64) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Cancelled),
        };
        let mut corners = CornerTable::new(mesh, still)?;
        for (vertex, _) in (0..).zip(stays).filter(|(_, stays)| **stays) {
            corners.fix(vertex);
        }
        Ok(EdgeCollapse {
            queue: BinaryHeap::new(),
            standing: vec![QueueState::Out; mesh.vertices().len()],
            corners,
            places: mesh.vertices(),
            off: known.deviations.to_vec(),
            star: Star::default(),
            tracked: TrackedPoints::new(known),
            steps: Vec::new(),
            tolerance,
            gone: 0,
        })
    }

    /// Fills the queue with the vertices that can be removed.
    fn fill_queue(
        &mut self,
        still: &(impl Fn() -> Result<(), Cancelled> + Sync),
    ) -> Result<(), Cancelled> {
        let costs: Result<Vec<Option<f64>>, Cancelled> = (0..self.places.len() as u32)
            .into_par_iter()
            .map_init(Star::default, |star, vertex| {
                if (vertex as usize).is_multiple_of(STEPS) {
                    still()?;
                }
                Ok(star.cheapest(
                    vertex,
                    &self.corners,
                    self.places,
                    &self.off,
                    self.tolerance,
                ))
            })
            .collect();
        let costs = costs?;
        let standing = |cost: &Option<f64>| cost.map_or(QueueState::Out, |_| QueueState::Known);
        self.standing = costs.iter().map(standing).collect();
        let candidates = (0..).zip(&costs);
        let candidates = candidates.filter_map(|(vertex, &cost)| Some(candidate(cost?, vertex)));
        self.queue = candidates.collect();
        Ok(())
    }

    /// Repeats a step of an earlier simplification if it is still possible.
    fn repeat(&mut self, [vertex, to]: Step) {
        let (corners, places) = (&self.corners, self.places);
        if self
            .star
            .moves_to(vertex, to, corners, places, &self.off, self.tolerance)
        {
            self.remove(vertex);
        }
    }

    /// Removes a vertex, or returns it to the queue if it costs more than others by now.
    fn take(&mut self, Reverse((known, vertex)): Candidate) {
        let was = self.standing[vertex as usize];
        let key = self.star.cheapest(
            vertex,
            &self.corners,
            self.places,
            &self.off,
            self.tolerance,
        );
        let Some(key) = key else {
            self.standing[vertex as usize] = QueueState::Out;
            return;
        };
        let dearer = key.to_bits();
        let is_dearer = dearer > known && self.queue.peek().is_some_and(|top| top.0.0 < dearer);
        if was == QueueState::Changed && is_dearer {
            self.standing[vertex as usize] = QueueState::Known;
            self.queue.push(candidate(key, vertex));
            return;
        }
        self.standing[vertex as usize] = QueueState::Out;
        for &corner in &self.star.fan {
            let neighbour = self.corners.vertex[next(corner) as usize];
            let standing = &mut self.standing[neighbour as usize];
            if *standing == QueueState::Out && !self.corners.is_fixed(neighbour) {
                self.queue.push(candidate(key, neighbour));
            }
            *standing = QueueState::Changed;
        }
        self.remove(vertex);
    }

    /// Removes the vertex in the middle of the star.
    fn remove(&mut self, vertex: u32) {
        let fan = &self.star.fan;
        let to = self.corners.vertex[next(fan[0]) as usize];
        self.steps.push([vertex, to]);
        for (corner, deviation) in fan[1..].iter().zip(&self.star.deviations) {
            self.off[*corner as usize / 3] = *deviation;
        }
        let middle = self.places[vertex as usize];
        self.tracked
            .reassign(fan, |at| self.star.triangle_at(sub(at, middle)));
        self.corners.collapse(fan);
        self.corners.fix(vertex);
        self.gone += 2;
    }

    fn finish(self, mesh: &TriangleMesh) -> SimplifiedMesh {
        let mut numbers = vec![NONE; mesh.vertices().len()];
        let (left, _) = self.corners.vertex.as_chunks::<3>();
        let mut deviation: f64 = 0.0;
        let mut triangles = Vec::with_capacity(left.len() - self.gone);
        let mut renumbered = vec![NONE; left.len()];
        for (number, (triangle, off)) in left.iter().zip(&self.off).enumerate() {
            if triangle[0] != NONE {
                renumbered[number] = triangles.len() as u32;
                triangles.push(*triangle);
                deviation = deviation.max(*off);
                for corner in triangle {
                    numbers[*corner as usize] = 0;
                }
            }
        }
        let (mut vertices, mut kept) = (Vec::new(), Vec::new());
        for ((place, number), at) in (0..).zip(&mut numbers).zip(mesh.vertices()) {
            if *number != NONE {
                *number = vertices.len() as u32;
                vertices.push(*at);
                kept.push(place);
            }
        }
        for corner in triangles.iter_mut().flatten() {
            *corner = numbers[*corner as usize];
        }
        let mesh = TriangleMesh::new(vertices, triangles);
        SimplifiedMesh {
            mesh: mesh.expect("the vertices of what is left are there"),
            kept,
            deviation,
            cutting_pairs: Vec::new(),
            tracked_triangles: self.tracked.triangles(&renumbered),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::mesh;
    use crate::testing::tape;
    use crate::{Bounds, MeshSettings, Shape};

    const ON: &Watch<'_> = &|_, _| ControlFlow::Continue(());

    #[test]
    fn a_place_that_is_off_keeps_no_others() {
        // A shell, whose sides cut each other when they are simplified, and a ball.
        let tape =
            tape("min(max(length(pos) - 1, 0.93 - length(pos)), length(pos - vec3(4, 0, 0)) - 1)");
        let bounds = Bounds::new([-1.1, -1.1, -1.1], [5.1, 1.1, 1.1]).unwrap();
        let settings = MeshSettings::new(bounds, 0.06);
        let mut whole = mesh(&Shape::new(&tape).unwrap(), &settings, ON)
            .unwrap()
            .mesh;
        assert_eq!(whole.untangle(ON), Ok(0));
        let count = whole.triangles().len();
        let on_ball = (0..count).find(|number| whole.corners(*number)[0][0] > 2.5);
        let simplified = |off: f64| {
            let mut deviations = vec![0.0; count];
            deviations[on_ball.unwrap()] = off;
            let known = KnownMesh {
                mesh: &whole,
                deviations: &deviations,
                tracked: &[],
                tracked_triangles: &[],
            };
            let settings = SimplifySettings::within(0.2);
            let stays = vec![false; whole.vertices().len()];
            let first = collapse(&known, &settings, &stays, &mut Vec::new(), ON).unwrap();
            assert!(!first.mesh.cutting_pairs(ON).unwrap().is_empty());
            simplify_known(&known, &settings, ON).unwrap()
        };
        let (good, far) = (simplified(0.0), simplified(9.0));
        assert!(good.cutting_pairs.is_empty() && far.cutting_pairs.is_empty());
        assert!(far.deviation >= 9.0);
        let [good, far] = [good, far].map(|made| made.mesh.triangles().len());
        assert!(
            3 * good < 2 * count && far < good + 100,
            "{count} {good} {far}"
        );
    }

    #[test]
    fn the_search_near_cuts_ends_when_asked() {
        let vertices = [
            [0.0, 0.0, 0.0],
            [4.0, 0.0, 0.0],
            [0.0, 4.0, 0.0],
            [1.0, 1.0, -1.0],
            [1.0, 1.0, 1.0],
            [5.0, 5.0, 0.5],
        ];
        let cut = TriangleMesh::new(vertices.to_vec(), vec![[0, 1, 2], [3, 4, 5]]).unwrap();
        let pairs = cut.cutting_pairs(ON).unwrap();
        let mut marks = [false; 6];
        let stop = &|_, _| ControlFlow::Break(());
        let ended = cut.mark_near(&pairs, &cut, 0.1, &mut marks, stop);
        assert_eq!((ended, marks), (Err(Cancelled), [false; 6]));
        let done = cut.mark_near(&pairs, &cut, 0.1, &mut marks, ON);
        assert_eq!((done, marks), (Ok(()), [true; 6]));
    }
}
