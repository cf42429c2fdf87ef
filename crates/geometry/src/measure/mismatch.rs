//! Difference between a mesh and the function that it was made of, at random points.
//!
//! Meshes of several cell sizes cannot show what all of them miss, such as walls thinner than the smallest cell. Points
//! do: each is inside of the function or not, and inside of the mesh or not. The mesh is a control variate (Owen, *Monte
//! Carlo theory, methods and examples*, 2013, chapter 8): only points at which the two differ contribute to the
//! variance, so that a good mesh is confirmed to a fraction of what the same points would tell of a volume.
//!
//! Points are stratified, and lie on lines along z, one in each column of the box, so that all crossings of the lines
//! with the triangles are found by rasterising these. Time is proportional to points and triangles.

use fibula_core::vector::{Vector, length};
use rayon::prelude::*;

use super::figure::Figure;
use super::refinement::LostFeatures;
use super::stage::Stage;
use crate::bounds::enclosing;
use crate::split_mix::random;
use crate::{Bounds, Cancelled, Sampler, Shape, TriangleMesh, short};

/// Minimum and maximum number of points, and the operations that decide between them.
const POINTS: [usize; 2] = [1 << 14, 1 << 18];
const OPERATIONS: usize = 2_000_000_000;
/// Points of a column.
const DEPTH: usize = 8;
/// Standard deviations of an error: one in 15 000 is larger.
const SURE: f64 = 4.0;
/// Share of the volume by which a mesh surely differs from a function whose features it misses.
const COARSE: f64 = 0.02;
/// Share of the volume that a mesh may miss if its errors hold.
const MISSED: f64 = 0.1;
/// Points at which the thickness of missed features is determined.
const TOLD: usize = 4096;
/// Ratio of the thickness of a wall to the mean depth of the points in it.
const DEPTHS: f64 = 4.0;
/// Cells in a wall that is resolved at twice the cell too.
const RESOLVING: f64 = 0.45;

/// A function for the comparison.
pub(super) struct Reference<'a> {
    /// Value of the function.
    pub(super) value: Sampler<f64>,
    /// Value and gradient.
    pub(super) gradient: &'a Sampler<f64>,
    /// Operations of a value.
    pub(super) cost: usize,
    points: usize,
}

/// Difference between a mesh and a function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mismatch {
    /// Volume of the function.
    pub(super) volume: Figure,
    /// Volume of the function less that of the mesh.
    pub(super) difference: Figure,
    /// Volume that is inside of one of them only.
    pub(super) missed: Figure,
    /// Volume of features that all points may have missed.
    pub(super) unseen: f64,
    /// Approximate thickness of the walls and gaps that make up that volume; `None` if unknown.
    pub(super) thickness: Option<f64>,
    /// Box around the points inside of the function, by its low and its high corner; `None` without any.
    pub(super) inside: Option<[Vector; 2]>,
}

impl<'a> Reference<'a> {
    pub(super) fn new(
        shape: &Shape<'_>,
        value: Sampler<f64>,
        gradient: &'a Sampler<f64>,
    ) -> Reference<'a> {
        let [least, most] = POINTS;
        Reference {
            value,
            gradient,
            cost: shape.cost(),
            points: (OPERATIONS / shape.cost().max(1)).clamp(least, most),
        }
    }

    /// Compares a mesh with the function in a box.
    ///
    /// # Errors
    /// [`Cancelled`] if the watch cancelled it.
    pub(super) fn mismatch(
        &self,
        mesh: &TriangleMesh,
        bounds: &Bounds,
        stage: Stage<'_>,
    ) -> Result<Mismatch, Cancelled> {
        let columns = Columns {
            low: bounds.low(),
            size: bounds.size(),
            side: ((self.points / DEPTH) as f64).sqrt() as usize,
        };
        let count = columns.side * columns.side;
        let crossings = columns.crossings(mesh);
        stage.part(0.2, 1.0).check()?;
        let mut points = [(); 3].map(|()| Vec::with_capacity(count * DEPTH));
        for index in 0..count * DEPTH {
            for (coordinates, at) in points.iter_mut().zip(columns.point(index)) {
                coordinates.push(at);
            }
        }
        let inputs = points.each_ref().map(Vec::as_slice);
        let mut values = vec![0.0; count * DEPTH];
        let values_stage = stage.part(0.2, 0.9);
        self.value
            .points(&inputs, &mut [&mut values[..]], &|done, total| {
                values_stage.report(done, total)
            })?;
        let mut sums = [Sum::default(); 2];
        let (mut missed, mut inside) = (Vec::new(), None);
        let mut rest = &crossings[..];
        for column in 0..count {
            let own = rest.partition_point(|crossing| crossing.column as usize == column);
            let (own, others) = rest.split_at(own);
            rest = others;
            let mut differing = [0.0; 2];
            for index in column * DEPTH..(column + 1) * DEPTH {
                let at = [0, 1, 2].map(|axis| points[axis][index]);
                let above = own.iter().filter(|crossing| crossing.height > at[2]);
                let is_meshed = above.map(|crossing| crossing.winding).sum::<i32>() > 0;
                let is_inside = values[index] < 0.0;
                if is_inside {
                    inside = Some(inside.map_or([at; 2], |inside| enclosing(inside, [at; 2])));
                }
                if is_inside != is_meshed {
                    differing[0] += if is_inside { 1.0 } else { -1.0 };
                    differing[1] += 1.0;
                    missed.push(at);
                }
            }
            for (sum, differing) in sums.iter_mut().zip(differing) {
                sum.add(differing);
            }
        }
        let each = columns.size.into_iter().product::<f64>() / (count * DEPTH) as f64;
        let [difference, volume_missed] = sums.map(|sum| sum.figure(count as f64, each));
        Ok(Mismatch {
            volume: Figure {
                value: mesh.volume() + difference.value,
                error: difference.error,
            },
            difference,
            missed: volume_missed,
            // Features that fill so many columns are missed by all of them in 2 of 100 cases.
            unseen: SURE * each * DEPTH as f64,
            thickness: self.thickness(&missed, stage.part(0.9, 1.0))?,
            inside,
        })
    }

    /// Returns the thickness of the walls in which points lie, about: in a wall between two parallel planes they are a
    /// quarter of its thickness deep on average, and by the median too, which single points of no depth do not change.
    fn thickness(&self, points: &[Vector], stage: Stage<'_>) -> Result<Option<f64>, Cancelled> {
        let stride = points.len().div_ceil(TOLD).max(1);
        let some: Vec<Vector> = points.iter().copied().step_by(stride).collect();
        let columns = crate::sample::columns(&some);
        let mut results = [(); 4].map(|()| vec![0.0; some.len()]);
        let mut outputs = results.each_mut().map(Vec::as_mut_slice);
        let inputs = columns.each_ref().map(Vec::as_slice);
        self.gradient
            .points(&inputs, &mut outputs, &|done, total| {
                stage.report(done, total)
            })?;
        let [value, x, y, z] = results;
        let depth = |index: usize| value[index].abs() / length([x[index], y[index], z[index]]);
        let depths = (0..some.len()).map(depth);
        let mut depths: Vec<f64> = depths.filter(|depth| depth.is_normal()).collect();
        depths.sort_unstable_by(f64::total_cmp);
        Ok(depths.get(depths.len() / 2).map(|median| DEPTHS * median))
    }
}

impl Mismatch {
    /// True if the mesh surely misses a part of the volume that no smooth surface costs.
    pub(super) fn is_coarse(&self) -> bool {
        self.missed.value - self.missed.error > COARSE * self.volume.value
    }

    /// Widens the error of the volume of the mesh if it does not cover the difference; returns whether it does.
    pub(super) fn widen(&self, volume: &mut Figure) -> bool {
        let difference = self.difference;
        let is_held = difference.value.abs() - difference.error <= volume.error;
        if !is_held {
            volume.error = difference.value.abs() + difference.error;
        }
        is_held
    }

    /// Narrows the error of the volume of the mesh to what random points confirm: coarser meshes that do not resolve a wall
    /// say nothing of one that does.
    pub(super) fn narrow(&self, volume: &mut Figure) {
        let confirmed = self.difference.value.abs() + self.difference.error + self.unseen;
        volume.error = volume.error.min(confirmed);
    }

    /// True if the mesh misses more than figures of it, with widened errors, should be given for.
    pub(super) fn misses_much(&self) -> bool {
        self.missed.value > MISSED * self.volume.value
    }

    /// Describes what a mesh with cells of this size, which encloses a volume, misses.
    pub(super) fn lost(&self, cell: f64, meshed: f64) -> LostFeatures {
        LostFeatures {
            cell,
            meshed,
            volume: self.volume,
            passes: short(self.finer(cell)),
        }
    }

    /// Returns a cell smaller than `cell` that probably resolves what is missed.
    pub(super) fn finer(&self, cell: f64) -> f64 {
        let wanted = self.thickness.map_or(0.5 * cell, |wall| RESOLVING * wall);
        wanted.min(cell / 1.5)
    }
}

/// A crossing of a column's line with a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Crossing {
    column: u32,
    height: f64,
    /// 1 where the surface faces up, -1 where it faces down.
    winding: i32,
}

/// Sum of samples and of their squares.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    first: f64,
    second: f64,
}

impl Sum {
    fn add(&mut self, sample: f64) {
        self.first += sample;
        self.second += sample * sample;
    }

    /// The sum of so many independent samples, in units of `each`.
    fn figure(&self, count: f64, each: f64) -> Figure {
        let variance = (self.second - self.first * self.first / count).max(0.0);
        Figure {
            value: each * self.first,
            error: SURE * each * variance.sqrt(),
        }
    }
}

/// A square number of columns in a box, with a random line along z in each.
struct Columns {
    low: Vector,
    size: Vector,
    side: usize,
}

impl Columns {
    /// Place of a column's line.
    fn line(&self, column: usize) -> [f64; 2] {
        let cells = [column % self.side, column / self.side];
        [0, 1].map(|axis| {
            let share = cells[axis] as f64 + random(2 * column as u64 + axis as u64);
            self.low[axis] + self.size[axis] * share / self.side as f64
        })
    }

    /// A point; the points of a column follow each other.
    fn point(&self, index: usize) -> Vector {
        let [x, y] = self.line(index / DEPTH);
        let share = (index % DEPTH) as f64 + random(u64::MAX - index as u64);
        [x, y, self.low[2] + self.size[2] * share / DEPTH as f64]
    }

    /// Returns the crossings of all lines with the triangles of a mesh, by columns.
    fn crossings(&self, mesh: &TriangleMesh) -> Vec<Crossing> {
        let triangles = (0..mesh.triangles().len()).into_par_iter();
        let crossed = |number| self.crossed(mesh.corners(number));
        let mut crossings: Vec<Crossing> = triangles.flat_map_iter(crossed).collect();
        crossings.par_sort_unstable_by(|one, other| {
            let order = one.column.cmp(&other.column);
            let order = order.then_with(|| one.height.total_cmp(&other.height));
            order.then_with(|| one.winding.cmp(&other.winding))
        });
        crossings
    }

    /// Returns the crossings with a triangle. A line that meets an edge crosses one of its two triangles, since both
    /// compute the side of the edge from the same numbers.
    fn crossed(&self, corners: [Vector; 3]) -> Vec<Crossing> {
        let flat = corners.map(|[x, y, _]| [x, y]);
        let [columns, rows] = [0, 1].map(|axis| {
            let cell = |at: f64| (at - self.low[axis]) / self.size[axis] * self.side as f64;
            let cells = flat.map(|at| cell(at[axis]));
            let least = cells.into_iter().fold(f64::INFINITY, f64::min);
            let most = cells.into_iter().fold(f64::NEG_INFINITY, f64::max);
            // Casts saturate, and rounding is not worth a column.
            let from = (least - 1e-6).floor() as usize;
            from..((most + 1e-6).floor() as usize)
                .saturating_add(1)
                .min(self.side)
        });
        let mut found = Vec::new();
        for row in rows {
            for column in columns.clone() {
                let column = row * self.side + column;
                let at = self.line(column);
                let [a, b, c] = flat;
                let sides = [(b, c), (c, a), (a, b)].map(|(from, to)| side(from, to, at));
                let is_left = sides.map(|side| side.1);
                if is_left[0] != is_left[1] || is_left[1] != is_left[2] {
                    continue;
                }
                let weights = sides.map(|side| side.0);
                let whole: f64 = weights.iter().sum();
                let heights = weights.iter().zip(corners);
                let height = heights.map(|(weight, at)| weight * at[2]).sum::<f64>() / whole;
                if height.is_finite() {
                    found.push(Crossing {
                        column: column as u32,
                        height,
                        winding: if is_left[0] { 1 } else { -1 },
                    });
                }
            }
        }
        found
    }
}

/// Returns the doubled area of a triangle of an edge and a point, and whether the point is to the left; exactly the
/// opposite for the edge in the other direction.
fn side(from: [f64; 2], to: [f64; 2], at: [f64; 2]) -> (f64, bool) {
    let doubled = |[from, to]: [[f64; 2]; 2]| {
        (to[0] - from[0]) * (at[1] - from[1]) - (to[1] - from[1]) * (at[0] - from[0])
    };
    if from < to {
        let area = doubled([from, to]);
        (area, area >= 0.0)
    } else {
        let area = doubled([to, from]);
        (-area, area < 0.0)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use fibula_eval::{Rounding, Settings};

    use super::*;
    use crate::testing::tape;
    use crate::{MeshSettings, mesh};

    /// Compares the mesh of one function with another function.
    fn compared(meshed: &str, cell: f64, other: &str) -> Mismatch {
        let bounds = Bounds::new([-6.0, -6.5, -5.5], [6.0, 5.5, 6.5]).unwrap();
        let watch = |_, _| ControlFlow::Continue(());
        let tapes = [meshed, other].map(tape);
        let settings = MeshSettings::new(bounds, cell);
        let made = mesh(&Shape::new(&tapes[0]).unwrap(), &settings, &watch).unwrap();
        let shape = Shape::new(&tapes[1]).unwrap();
        let code = shape.code(Rounding::Exact, &[shape.value()], |_, at| at);
        let gradient = std::sync::Arc::new(code.with_gradient(&[0, 1, 2]));
        let gradient = Sampler::from_code(&gradient, Settings::default());
        let value = Sampler::from_code(&code, Settings::default());
        let reference = Reference::new(&shape, value, &gradient);
        let stage = Stage::whole(&watch);
        reference.mismatch(&made.mesh, &bounds, stage).unwrap()
    }

    #[test]
    fn lines_cross_closed_meshes_an_even_number_of_times() {
        let ball = tape("max(length(pos) - 5, 1 - length(pos - vec3(3, 2, 1)))");
        let bounds = Bounds::new([-6.0; 3], [6.0; 3]).unwrap();
        let watch = |_, _| ControlFlow::Continue(());
        let settings = MeshSettings::new(bounds, 0.37);
        let made = mesh(&Shape::new(&ball).unwrap(), &settings, &watch).unwrap();
        let columns = Columns {
            low: bounds.low(),
            size: bounds.size(),
            side: 90,
        };
        let crossings = columns.crossings(&made.mesh);
        assert!(crossings.len() > 8_000, "{}", crossings.len());
        let mut folded = 0;
        for column in crossings.chunk_by(|one, other| one.column == other.column) {
            let winding: i32 = column.iter().map(|crossing| crossing.winding).sum();
            assert!(column.len().is_multiple_of(2) && winding == 0, "{column:?}");
            // Where the line grazes the surface, triangles may fold over one another.
            let is_sound = |pair: &[Crossing]| [pair[0].winding, pair[1].winding] == [-1, 1];
            folded += u32::from(!column.chunks(2).all(is_sound));
        }
        assert!(folded < 5, "{folded} of 4 000 lines");
    }

    #[test]
    fn meshes_of_their_function_are_confirmed() {
        let found = compared("length(pos) - 5", 0.25, "length(pos) - 5");
        let truth = 4.0 / 3.0 * std::f64::consts::PI * 125.0;
        assert!(!found.is_coarse(), "{found:?}");
        let off = (found.volume.value - truth).abs();
        assert!(off <= found.volume.error.max(1e-4 * truth), "{found:?}");
        // A thousandth of what the points alone would tell.
        assert!(found.volume.error < 2e-3 * truth, "{found:?}");
        let [low, high] = found.inside.expect("there are points inside");
        let is_near = |side: f64| (4.7..5.0).contains(&side);
        assert!(low.iter().all(|low| is_near(-low)) && high.into_iter().all(is_near));
    }

    #[test]
    fn missed_walls_are_found_with_their_thickness() {
        // A ball is missing all walls of a stack of plates beside it.
        let plates =
            "max(max(abs(mod(z, 0.8) - 0.4) - 0.05, abs(z) - 4), max(abs(x) - 5, abs(y) - 5))";
        let ball = "length(pos - vec3(0, 0, 5)) - 1";
        let found = compared(ball, 0.25, &format!("min({ball}, {plates})"));
        assert!(found.is_coarse(), "{found:?}");
        // Ten plates of 10 by 10 by 0.1.
        let truth = 4.0 / 3.0 * std::f64::consts::PI + 100.0;
        let off = (found.volume.value - truth).abs();
        assert!(off < found.volume.error, "{found:?}");
        assert!(found.volume.error < 0.2 * truth, "{found:?}");
        let thickness = found.thickness.expect("there are points in walls");
        assert!((0.07..0.13).contains(&thickness), "{found:?}");
        assert!(found.finer(0.25) < 0.1, "{found:?}");
        let [low, _] = found.inside.expect("there are points inside");
        assert!(low[2] < -3.5, "{found:?}");
    }
}
