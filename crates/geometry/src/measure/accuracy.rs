//! Accuracy of meshes: cells become smaller until triangles are near enough to the surface.

use super::deviation::{deviations, largest};
use super::refinement::{Refined, Refinement};
use super::stage::Stage;
use crate::{MeshError, MeshSettings, Sampler};

/// Part of the triangles that may use all of the accuracy if the others use a share of it.
const EXCEPT: f64 = 0.1;
/// Part of the triangles that may use more if no accuracy was asked for, and they were refined or are off by a larger part of a
/// cell than this: at the tips of sharp edges the deviation is about as large as a cell, whatever its size.
const FEW: f64 = 1e-3;
const TIP: f64 = 0.25;
/// Part of the deviation that is left if smaller cells are worth their triangles.
const GAIN: f64 = 0.7;
/// Maximum number of meshes.
const STEPS: i32 = 4;
/// Range of the factor by which cells become smaller in a step.
const FACTOR: [f64; 2] = [0.25, 0.7];
/// Maximum triangles of a mesh that is refined.
const MOST_TRIANGLES: f64 = 4e6;
/// Operations for the deviation of a mesh, if no accuracy was asked for, and samples of a triangle.
const OPERATIONS: f64 = 2e9;
const SAMPLES: f64 = 8.0;

/// Accuracy of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accuracy {
    /// Maximum deviation from the surface.
    pub most: f64,
    /// True if that was asked for: then a few triangles at the tips of sharp edges are no exception.
    pub is_asked: bool,
}

/// A mesh on the way to an accuracy.
#[derive(Debug, Clone)]
pub struct AccuracyAttempt<M> {
    /// The mesh.
    pub mesh: M,
    /// Its cell.
    pub cell: f64,
    /// Deviations of its triangles.
    pub deviations: Vec<f64>,
    /// True if triangles that are off were refined: those that still are would hardly be nearer with smaller cells.
    pub is_refined: bool,
}

/// Meshes on the way to an accuracy.
#[derive(Debug, Clone, Copy)]
pub struct AccuracySearch {
    accuracy: Accuracy,
    /// Part of the accuracy that nine tenths of the triangles may use.
    share: f64,
    least_cell: f64,
    most_triangles: f64,
    steps: i32,
    /// Deviation of the last mesh.
    last: f64,
}

/// Next step of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
enum AccuracyStep {
    /// The mesh before it was as good.
    TakeEarlier,
    /// The mesh is near enough, or as near as it gets.
    TakeThis,
    /// Try cells of this size.
    Refine(f64),
}

impl AccuracySearch {
    /// Begins a search with cells down to a size, until nine tenths of the triangles use at most a share of the accuracy.
    pub fn new(accuracy: Accuracy, share: f64, least_cell: f64) -> Self {
        AccuracySearch {
            accuracy,
            share,
            least_cell,
            most_triangles: MOST_TRIANGLES,
            steps: 0,
            last: f64::INFINITY,
        }
    }

    /// True if a mesh whose triangles have these deviations is near enough, but for a few of them that are off by more than the
    /// accuracy.
    pub fn is_near_but_for_few(&self, deviations: &[f64]) -> bool {
        let goal = self.share * self.accuracy.most;
        part_above(deviations, goal) <= EXCEPT && largest(deviations) > self.accuracy.most
    }

    /// Makes meshes with smaller and smaller cells until one is near enough, or as near as it gets; returns it with the
    /// deviations of its triangles. `attempt` makes a mesh with cells of a size, in a range of the progress.
    ///
    /// # Errors
    /// Those of `attempt`, but for too many cells or triangles after the first mesh.
    pub fn run<M>(
        mut self,
        mut cell: f64,
        mut attempt: impl FnMut(f64, [f64; 2]) -> Result<AccuracyAttempt<M>, MeshError>,
    ) -> Result<(M, Vec<f64>), MeshError> {
        let mut earlier = None;
        loop {
            let made = match (attempt(cell, self.range()), earlier.take()) {
                (Ok(made), before) => {
                    earlier = before;
                    made
                }
                // Smaller cells were worth a try only.
                (
                    Err(MeshError::TooManyCells { .. } | MeshError::TooManyTriangles { .. }),
                    Some(before),
                ) => return Ok(before),
                (Err(error), _) => return Err(error),
            };
            match (self.step(&made), earlier.take()) {
                (AccuracyStep::TakeEarlier, Some(before)) => return Ok(before),
                (AccuracyStep::TakeEarlier | AccuracyStep::TakeThis, _) => {
                    return Ok((made.mesh, made.deviations));
                }
                (AccuracyStep::Refine(next), _) => {
                    cell = next;
                    earlier = Some((made.mesh, made.deviations));
                }
            }
        }
    }

    /// Range of the next mesh in the progress: how many there are is unknown, so each takes half of the rest.
    fn range(&self) -> [f64; 2] {
        [self.steps, self.steps + 1].map(|step| 1.0 - 0.5_f64.powi(step))
    }

    /// Decides what follows a mesh.
    fn step<M>(&mut self, made: &AccuracyAttempt<M>) -> AccuracyStep {
        let Accuracy { most, is_asked } = self.accuracy;
        let (cell, deviations) = (made.cell, &made.deviations[..]);
        let deviation = largest(deviations);
        if deviation > most && deviation > GAIN * self.last {
            return AccuracyStep::TakeEarlier;
        }
        self.last = deviation;
        let goal = self.share * most;
        let is_tip = !is_asked && (made.is_refined || deviation > TIP * cell);
        let few = if is_tip { FEW } else { 0.0 };
        let is_near = part_above(deviations, most) <= few && part_above(deviations, goal) <= EXCEPT;
        let factor = (0.9 * (goal / deviation).sqrt()).clamp(FACTOR[0], FACTOR[1]);
        let next = factor * cell;
        self.steps += 1;
        let is_last = is_near
            || self.steps == STEPS
            || next < self.least_cell
            || deviations.len() as f64 > self.most_triangles * factor * factor;
        if is_last {
            AccuracyStep::TakeThis
        } else {
            AccuracyStep::Refine(next)
        }
    }
}

/// Returns the part of the deviations that exceed a limit.
fn part_above(deviations: &[f64], most: f64) -> f64 {
    let count = deviations.iter().filter(|off| **off > most).count();
    count as f64 / deviations.len() as f64
}

impl Refinement<'_> {
    /// Meshes with the cells of `meshing`, or smaller ones, as walls, gaps and the accuracy require; returns the mesh and its
    /// deviation from the surface. If no accuracy was asked for, functions that cost many operations are evaluated at a part of
    /// the triangles only.
    ///
    /// # Errors
    /// As [`mesh`](Self::mesh).
    pub(super) fn mesh_within(
        &self,
        meshing: &MeshSettings,
        accuracy: Accuracy,
        gradient: &Sampler<f64>,
        cost: usize,
        stage: Stage<'_>,
    ) -> Result<(Refined, f64), MeshError> {
        let mut search = AccuracySearch::new(accuracy, 1.0, self.least_cell);
        // If an accuracy was asked for, all triangles count, at any cost.
        let affordable = if accuracy.is_asked {
            f64::INFINITY
        } else {
            OPERATIONS / (SAMPLES * cost as f64)
        };
        search.most_triangles = affordable.min(MOST_TRIANGLES);
        let attempt = |cell: f64, [from, to]: [f64; 2]| {
            let stage = stage.part(from, to);
            let settings = MeshSettings { cell, ..*meshing };
            let refined = self.mesh(&settings, stage.part(0.0, 0.8))?;
            let mesh = &refined.meshed.mesh;
            let stride = (mesh.triangles().len() as f64 / affordable).ceil() as usize;
            let some: Vec<usize> = (0..mesh.triangles().len()).step_by(stride.max(1)).collect();
            let stage = stage.part(0.8, 1.0);
            let off = deviations(mesh, &some, refined.cell, &meshing.bounds, gradient, stage)?;
            Ok(AccuracyAttempt {
                cell: refined.cell,
                mesh: refined,
                deviations: off,
                is_refined: false,
            })
        };
        let (refined, off) = search.run(meshing.cell, attempt)?;
        Ok((refined, largest(&off)))
    }
}
