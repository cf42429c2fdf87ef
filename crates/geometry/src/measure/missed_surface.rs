//! Surface of a shape that its mesh does not have: sheets, pins and slits that are thinner than a cell, and small pieces that lie
//! between the corners of cells.
//!
//! Beside a large body they are too small a part of the volume for [`mismatch`](super::mismatch) to find. But much of space is
//! nearer to them than to the rest, so Newton steps from points all over a box lead to them. Points of the surface that
//! are far from the mesh, and beside which the function changes its sign, prove that the mesh misses something; the tips of
//! wedges are left to [`taper`](super::taper). That none is found proves nothing.

use std::fmt;

use fibula_core::vector::{Vector, add, dot, length, scale, sub};

use super::bvh::Bvh;
use super::mismatch::Reference;
use super::stage::Stage;
use crate::{Bounds, Cancelled, TriangleMesh, short};

/// Minimum and maximum number of points from which steps lead to the surface, and the operations that decide between them.
const POINTS: [usize; 2] = [512, 8192];
const OPERATIONS: usize = 300_000_000;
/// Operations of a value with its gradient, in those of a value.
const GRADIENT: usize = 4;
/// Maximum number of Newton steps, and the length of the last one in cells.
const STEPS: usize = 12;
const CLOSE: f64 = 1e-3;
/// Longest step as a fraction of the largest side of the box.
const LONGEST: f64 = 0.25;
/// Distance in cells from which on a point is far from the mesh.
const FAR: f64 = 3.0;
/// Maximum number of such points that are looked at.
const MOST: usize = 128;
/// Distances from the surface at which the sign is determined: the first one in cells, and their number; each is
/// smaller by the square root of two than the one before.
const WIDEST: f64 = 2.0;
const SCALES: i32 = 40;
/// Cosine of the angle between the sides of a wall from which on they count as parallel: 5 degrees.
const PARALLEL: f64 = 0.996;
/// Cells in a wall that is resolved at twice the cell too.
const RESOLVING: f64 = 0.45;

/// A part of a shape's surface that its mesh does not have.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct MissedSurface {
    /// A point of it.
    pub at: [f64; 3],
    /// Approximate thickness of the wall or gap there.
    pub thickness: f64,
    /// Number of such points that are farther apart than the mesh's resolution, of those that were looked at.
    pub places: usize,
    /// Box around them, by its low and its high corner.
    pub around: [[f64; 3]; 2],
}

impl MissedSurface {
    /// A cell size that probably finds it.
    pub fn passes(&self) -> f64 {
        RESOLVING * self.thickness
    }

    /// Scales the lengths, for a shape that is built in another size.
    #[must_use]
    pub fn scaled(self, by: f64) -> MissedSurface {
        MissedSurface {
            at: scale(self.at, by),
            thickness: self.thickness * by,
            places: self.places,
            around: self.around.map(|corner| scale(corner, by)),
        }
    }
}

impl fmt::Display for MissedSurface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.at.map(|at| format!("{at:.4}").parse().unwrap_or(at));
        let (thickness, passes) = (self.thickness, short(self.passes()));
        write!(
            f,
            "near [{x}, {y}, {z}] the shape has a wall, gap or piece of about {thickness:.2e} that is too small for the cells, and \
             missing here; use cells of {passes:.2e}, or bounds around a part of it"
        )
    }
}

/// Looks for surface of a shape that its mesh with cells of a size does not have, inside of a box.
///
/// # Errors
/// [`Cancelled`] if the watch cancelled it.
pub(super) fn missed_surface(
    mesh: &TriangleMesh,
    cell: f64,
    bounds: &Bounds,
    reference: &Reference<'_>,
    stage: Stage<'_>,
) -> Result<Option<MissedSurface>, Cancelled> {
    let search = Search {
        bounds,
        reference,
        cell,
    };
    let [least, most] = POINTS;
    let each = STEPS * GRADIENT * reference.cost.max(1);
    let count = (OPERATIONS / each).clamp(least, most);
    let mut found = search.surface(count, stage.part(0.0, 0.8))?;
    let tree = Bvh::new(mesh);
    found.retain(|(at, normal)| search.is_far(&tree, *at, *normal));
    found.truncate(MOST);
    search.proven(&found, stage.part(0.8, 1.0))
}

struct Search<'a> {
    bounds: &'a Bounds,
    reference: &'a Reference<'a>,
    cell: f64,
}

impl Search<'_> {
    /// Returns points of the surface with their unit normals, reached from so many points of the box.
    fn surface(&self, count: usize, stage: Stage<'_>) -> Result<Vec<(Vector, Vector)>, Cancelled> {
        let (low, size) = (self.bounds.low(), self.bounds.size());
        let longest = LONGEST * size.into_iter().fold(0.0, f64::max);
        // A sequence of low discrepancy in three dimensions.
        let shares = [
            0.819_172_513_396_164_4,
            0.671_043_606_703_789_2,
            0.549_700_477_901_970_3,
        ];
        let start = |index: usize| -> Vector {
            std::array::from_fn(|axis| {
                low[axis] + size[axis] * (shares[axis] * (index as f64 + 0.5)).fract()
            })
        };
        let mut moving: Vec<Vector> = (0..count).map(start).collect();
        let mut found = Vec::new();
        for step in 0..STEPS {
            let own = stage.part(step as f64 / STEPS as f64, (step + 1) as f64 / STEPS as f64);
            let offsets = self.newton(&moving, own)?;
            let both = std::mem::take(&mut moving).into_iter().zip(offsets);
            for (at, (distance, normal)) in both {
                if !distance.is_finite() {
                    continue;
                }
                if distance.abs() <= CLOSE * self.cell {
                    found.push((sub(at, scale(normal, distance)), normal));
                    continue;
                }
                let next = sub(at, scale(normal, distance.clamp(-longest, longest)));
                if self.bounds.contains(next) {
                    moving.push(next);
                }
            }
        }
        Ok(found)
    }

    /// Returns the first-order distances of points from the surface and the unit normals; NaN where there are none.
    fn newton(&self, points: &[Vector], stage: Stage<'_>) -> Result<Vec<(f64, Vector)>, Cancelled> {
        let columns = crate::sample::columns(points);
        let mut results = [(); 4].map(|()| vec![0.0; points.len()]);
        let mut outputs = results.each_mut().map(Vec::as_mut_slice);
        let inputs = columns.each_ref().map(Vec::as_slice);
        let watch = |done, total| stage.report(done, total);
        self.reference
            .gradient
            .points(&inputs, &mut outputs, &watch)?;
        let [values, x, y, z] = results;
        let offset = |index: usize| {
            let gradient = [x[index], y[index], z[index]];
            let slope = length(gradient);
            (values[index] / slope, scale(gradient, 1.0 / slope))
        };
        Ok((0..points.len()).map(offset).collect())
    }

    /// True if no line through a point meets the mesh nearby.
    fn is_far(&self, tree: &Bvh<'_>, at: Vector, normal: Vector) -> bool {
        const DIAGONALS: [Vector; 4] = [
            [1.0, 1.0, 1.0],
            [1.0, 1.0, -1.0],
            [1.0, -1.0, 1.0],
            [-1.0, 1.0, 1.0],
        ];
        let reach = FAR * self.cell;
        let is_met = |along: Vector| {
            let along = scale(along, 1.0 / length(along));
            let from = sub(at, scale(along, reach));
            let met = tree.first(from, along, [0.0, 2.0 * reach], u32::MAX);
            met.is_some()
        };
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mut lines = std::iter::once(normal).chain(axes).chain(DIAGONALS);
        !lines.any(is_met)
    }

    /// Returns what of some points of the surface, with their normals, the function confirms by a change of its sign.
    fn proven(
        &self,
        found: &[(Vector, Vector)],
        stage: Stage<'_>,
    ) -> Result<Option<MissedSurface>, Cancelled> {
        let scales: Vec<f64> = (0..SCALES)
            .map(|step| WIDEST * self.cell * 0.5_f64.powf(f64::from(step) / 2.0))
            .collect();
        let mut points = Vec::with_capacity(2 * found.len() * scales.len());
        for (at, normal) in found {
            for sign in [-1.0, 1.0] {
                points.extend(
                    scales
                        .iter()
                        .map(|far| add(*at, scale(*normal, sign * far))),
                );
            }
        }
        let columns = crate::sample::columns(&points);
        let inputs = columns.each_ref().map(Vec::as_slice);
        let mut values = vec![f64::NAN; points.len()];
        let watch = |done, total| stage.report(done, total);
        self.reference
            .value
            .points(&inputs, &mut [&mut values[..]], &watch)?;
        let mut thin = Vec::new();
        for ((at, normal), values) in found.iter().zip(values.chunks(2 * scales.len())) {
            let (material, gap) = values.split_at(scales.len());
            let material = thickness(&scales, material, |value| value < 0.0);
            let gap = thickness(&scales, gap, |value| value > 0.0);
            if let Some((material, gap)) = material.zip(gap) {
                let inward = if material <= gap { -1.0 } else { 1.0 };
                let thickness = material.min(gap);
                thin.push((*at, scale(*normal, inward), thickness));
            }
        }
        // Pieces of more than a cell may lie between the corners of cells, too.
        thin.retain(|(.., thickness)| *thickness < scales[0]);
        // Beyond the middle of a wall the function is that of its other side. Where the sides are not parallel, the wall tapers,
        // as a wedge does at its tip, and is thicker elsewhere.
        let beyond = thin
            .iter()
            .map(|(at, into, thickness)| add(*at, scale(*into, *thickness)));
        let others = self.newton(&beyond.collect::<Vec<_>>(), stage)?;
        let walls = thin
            .iter()
            .zip(others)
            .filter(|((_, into, _), (_, other))| {
                // The sides of material face away from each other, those of a gap each other.
                dot(*into, *other).abs() > PARALLEL
            });
        let places: Vec<(Vector, f64)> = walls
            .map(|((at, _, thickness), _)| (*at, *thickness))
            .collect();
        let Some(&(at, _)) = places.first() else {
            return Ok(None);
        };
        let mut thicknesses: Vec<f64> = places.iter().map(|place| place.1).collect();
        thicknesses.sort_unstable_by(f64::total_cmp);
        let mut apart: Vec<Vector> = Vec::new();
        for (at, _) in &places {
            let reach = FAR * self.cell;
            if apart.iter().all(|other| length(sub(*at, *other)) > reach) {
                apart.push(*at);
            }
        }
        let boxes = places.iter().map(|(at, _)| [*at; 2]);
        let around = boxes.reduce(crate::bounds::enclosing).unwrap_or([at; 2]);
        Ok(Some(MissedSurface {
            at,
            thickness: thicknesses[thicknesses.len() / 2],
            places: apart.len(),
            around,
        }))
    }
}

/// Returns how far a sign reaches from the surface, of the values at some distances, the largest first; `None` if it is
/// nowhere.
fn thickness(scales: &[f64], values: &[f64], has_sign: impl Fn(f64) -> bool) -> Option<f64> {
    let nearest = values.iter().rposition(|value| has_sign(*value))?;
    let own = values[..=nearest].iter().rev();
    let reached = own.take_while(|value| has_sign(**value)).count();
    Some(scales[nearest + 1 - reached])
}
