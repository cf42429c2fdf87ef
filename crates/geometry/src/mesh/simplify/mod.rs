//! Fewer triangles for the same surface, and a bound of how far it moves.
//!
//! Vertices move onto neighbours, the cheapest first, which takes two triangles away each time. How far off every
//! triangle is from the mesh as it was, and that from it, is bounded at every step (see `star`), not estimated: nothing
//! goes beyond the tolerance. Vertices of the result are vertices of the mesh, so flat faces stay flat and corners and
//! edges sharp. The mesh stays as closed, manifold and oriented as it was, and no triangle turns over. Where it is
//! open, or not a manifold, it stays as it is. Parts of it may come to touch where they are no farther from each other
//! than twice the tolerance.
//!
//! The order is that of the cost, and of vertices where costs are equal, so the result does not depend on threads.
//! Takes time in proportion to n log n for n triangles, since vertices with many edges stay.

mod corner_table;
mod star;

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use rayon::prelude::*;

use super::TriangleMesh;
use crate::{Cancelled, Watch};
use corner_table::{CornerTable, MOST_TRIANGLES, NONE, next};
use star::Star;

/// Steps between two questions whether to go on.
const STEPS: usize = 1024;

/// How far a mesh is simplified.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimplifySettings {
    /// How far the surface may move, in the unit of the mesh; infinite if only the triangles count.
    pub tolerance: f64,
    /// How many triangles are few enough.
    pub triangles: usize,
}

impl SimplifySettings {
    /// As few triangles as there can be within a tolerance.
    pub fn within(tolerance: f64) -> SimplifySettings {
        SimplifySettings {
            tolerance,
            triangles: 0,
        }
    }

    /// No more triangles than these, if the mesh can be made of so few.
    pub fn to(triangles: usize) -> SimplifySettings {
        SimplifySettings {
            tolerance: f64::INFINITY,
            triangles,
        }
    }
}

/// A mesh with fewer triangles.
#[derive(Debug, Clone, PartialEq)]
pub struct SimplifiedMesh {
    /// The mesh; its vertices are vertices of the mesh as it was.
    pub mesh: TriangleMesh,
    /// Which of the vertices of the mesh as it was each of them is.
    pub kept: Vec<u32>,
    /// Every point of it is at most so far from the mesh as it was, and every point of that from it.
    pub deviation: f64,
}

/// A vertex that may be taken away. The cheapest is the greatest.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Candidate {
    key: f64,
    vertex: u32,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_key = other.key.total_cmp(&self.key);
        by_key.then(other.vertex.cmp(&self.vertex))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What is known of a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QueueState {
    /// Its cost is in the queue.
    Known,
    /// A cost is in the queue, but its triangles have changed since.
    Changed,
    /// It is not in the queue.
    Out,
}

/// Why a mesh is not simplified.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SimplifyError {
    /// The tolerance is no length.
    #[error(
        "a surface moves by a length that is 0 or more, not {tolerance}; give another tolerance"
    )]
    Tolerance {
        /// The tolerance that was given.
        tolerance: f64,
    },
    /// Their corners cannot be numbered.
    #[error(
        "the mesh has {triangles} triangles, and the most that are simplified are {most}; take larger cells, or cut it \
         into parts"
    )]
    TooManyTriangles {
        /// How many there are.
        triangles: usize,
        /// How many there may be.
        most: usize,
    },
    /// It was ended.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl SimplifyError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            SimplifyError::Tolerance { .. } => "invalid_value",
            SimplifyError::TooManyTriangles { .. } => "too_large",
            SimplifyError::Cancelled(_) => "cancelled",
        }
    }
}

/// Makes a mesh of fewer triangles. `watch` is told how many of the triangles are gone.
///
/// # Errors
/// [`SimplifyError`]: the tolerance is no length, there are too many triangles, or `watch` ended it.
///
/// # Panics
/// Never: the triangles that are left have the vertices that they had.
pub fn simplify(
    mesh: &TriangleMesh,
    how: &SimplifySettings,
    watch: &Watch<'_>,
) -> Result<SimplifiedMesh, SimplifyError> {
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
    let mut work = EdgeCollapse::new(mesh, tolerance, watch)?;
    let most_gone = total.saturating_sub(how.triangles);
    let mut steps = 0;
    while work.gone < most_gone
        && let Some(candidate) = work.queue.pop()
    {
        if steps % STEPS == 0 && watch(work.gone as u64, total as u64).is_break() {
            return Err(Cancelled.into());
        }
        steps += 1;
        work.take(candidate);
    }
    Ok(work.finish(mesh))
}

struct EdgeCollapse<'a> {
    corners: CornerTable,
    places: &'a [[f64; 3]],
    /// How far off every triangle is at most.
    off: Vec<f64>,
    queue: BinaryHeap<Candidate>,
    standing: Vec<QueueState>,
    star: Star,
    tolerance: f64,
    gone: usize,
}

impl<'a> EdgeCollapse<'a> {
    fn new(
        mesh: &'a TriangleMesh,
        tolerance: f64,
        watch: &Watch<'_>,
    ) -> Result<EdgeCollapse<'a>, Cancelled> {
        let total = mesh.triangles().len();
        let still = || match watch(0, total as u64) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Cancelled),
        };
        let corners = CornerTable::new(mesh, still)?;
        let places = mesh.vertices();
        let off = vec![0.0; total];
        let costs: Result<Vec<Option<f64>>, Cancelled> = (0..places.len() as u32)
            .into_par_iter()
            .map_init(Star::default, |star, vertex| {
                if (vertex as usize).is_multiple_of(STEPS) {
                    still()?;
                }
                Ok(star.cheapest(vertex, &corners, places, &off, tolerance))
            })
            .collect();
        let costs = costs?;
        let standing = |cost: &Option<f64>| cost.map_or(QueueState::Out, |_| QueueState::Known);
        let candidates = (0..).zip(&costs);
        let candidates =
            candidates.filter_map(|(vertex, &key)| key.map(|key| Candidate { key, vertex }));
        Ok(EdgeCollapse {
            queue: candidates.collect(),
            standing: costs.iter().map(standing).collect(),
            corners,
            places,
            off,
            star: Star::default(),
            tolerance,
            gone: 0,
        })
    }

    /// Takes a vertex away, or puts it back into the queue if it costs more than others by now.
    fn take(&mut self, Candidate { key: known, vertex }: Candidate) {
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
        let is_dearer = key > known && self.queue.peek().is_some_and(|top| top.key < key);
        if was == QueueState::Changed && is_dearer {
            self.standing[vertex as usize] = QueueState::Known;
            self.queue.push(Candidate { key, vertex });
            return;
        }
        self.standing[vertex as usize] = QueueState::Out;
        let fan = &self.star.fan;
        for &corner in fan {
            let neighbour = self.corners.vertex[next(corner) as usize];
            let standing = &mut self.standing[neighbour as usize];
            if *standing == QueueState::Out && !self.corners.is_fixed(neighbour) {
                self.queue.push(Candidate {
                    key,
                    vertex: neighbour,
                });
            }
            *standing = QueueState::Changed;
        }
        for (corner, deviation) in fan[1..].iter().zip(&self.star.deviations) {
            self.off[*corner as usize / 3] = *deviation;
        }
        self.corners.collapse(fan);
        self.corners.forget(vertex);
        self.gone += 2;
    }

    fn finish(self, mesh: &TriangleMesh) -> SimplifiedMesh {
        let mut numbers = vec![NONE; mesh.vertices().len()];
        let (left, _) = self.corners.vertex.as_chunks::<3>();
        let mut deviation: f64 = 0.0;
        let mut triangles = Vec::with_capacity(left.len() - self.gone);
        for (triangle, off) in left.iter().zip(&self.off) {
            if triangle[0] != NONE {
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
        }
    }
}
