//! Ambient occlusion: the fraction of light from all sides that reaches a point.
//!
//! It follows from the function's values at some points around a point, or from their distances from a mesh, compared to
//! those above a plane. On a smooth surface it changes slowly, so it is computed at each second pixel of each second row
//! and interpolated; pixels at edges are computed themselves.

use std::sync::Arc;

use fibula_eval::{Batch, BatchEvaluator, Code, Rounding, Settings};
use fibula_knowledge::progress::Progress;
use fibula_nodes::{Expr, Kernel};
use rayon::prelude::*;

use super::camera::Frame;
use super::clipping::Clip;
use super::depth_normal_buffer::{DepthNormalBuffer, camera_point};
use super::distance_lattice::DistanceLattice;
use super::drawn_mesh::DrawnMesh;
use super::packed_hit::Hit;
use crate::{Bounds, Shape};

/// Pixels between points of the grid, on each axis.
pub(super) const PIXELS: usize = 2;
/// Points around a point, or around all points of a pixel, beside one that is near to each.
const AROUND: usize = 16;
/// Nodes of the lattice of distances from a mesh, along the reach of the points.
const FINE: f64 = 6.0;
/// Maximum operations at all of these points: some tenths of a second.
const TIME: usize = 6_000_000_000;
/// Upper limit of values; replaces NaN, which is outside.
const FAR: f64 = 1e30;

/// Computes ambient occlusion.
pub(super) struct AmbientOcclusion<'a> {
    frame: &'a Frame,
    solid: ClippedSolid<'a>,
    /// Number of points around a point, beside the near one.
    asked: usize,
    directions: [[f32; 3]; AROUND],
    /// Distance of the farthest points.
    reach: f32,
    /// Distance of the near point.
    near: f32,
}

/// What is drawn, clipped: a function, or a mesh.
enum ClippedSolid<'a> {
    Function(Box<Batch<f32>>),
    Mesh(Box<DistanceLattice<'a>>),
}

/// Computes values of what is drawn: negative inside.
pub(super) enum SolidEvaluator<'a> {
    Function(Box<BatchEvaluator<'a, f32>>),
    Mesh(&'a DistanceLattice<'a>),
}

/// A part of the points around a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct SampleShare {
    /// Number of the part.
    pub(super) part: usize,
    /// Number of parts.
    pub(super) of: usize,
}

impl SampleShare {
    pub(super) const ALL: SampleShare = SampleShare { part: 0, of: 1 };
}

/// Points to be computed, and the points around them.
#[derive(Default)]
pub(super) struct OcclusionSamples {
    points: [Vec<f32>; 3],
    /// Distance of each point, times the component of its direction along the normal.
    heights: Vec<f32>,
    values: Vec<f32>,
    /// End of the points of each sample.
    ends: Vec<usize>,
}

/// Visibility at the points of a grid.
pub(super) struct OcclusionGrid {
    /// Samples between points of the grid.
    pub(super) stride: usize,
    width: usize,
    open: Vec<f32>,
}

impl<'a> AmbientOcclusion<'a> {
    pub(super) fn new(
        (shape, mesh): (&Shape<'_>, Option<&'a DrawnMesh<'a>>),
        bounds: &Bounds,
        frame: &'a Frame,
        clip: &Clip,
        buffer: &DepthNormalBuffer,
        settings: Settings,
    ) -> AmbientOcclusion<'a> {
        let reach = bounds.diagonal() * 0.09;
        let (solid, asked) = if let Some(mesh) = mesh {
            // The farthest points are less than twice as far away.
            let lattice =
                DistanceLattice::new(mesh, frame, bounds, clip, [reach / FINE, 2.0 * reach]);
            (ClippedSolid::Mesh(Box::new(lattice)), AROUND)
        } else {
            let code = code(shape, frame, clip);
            let places = buffer.count() / (PIXELS * buffer.samples).pow(2);
            let work = places.max(1) * code.instructions().len().max(1);
            let asked = (TIME / work).min(AROUND + 1).saturating_sub(1);
            let batch = Batch::new(&code, 3, settings);
            (ClippedSolid::Function(Box::new(batch)), asked)
        };
        // Points on a sphere: a spiral of golden angles (Fibonacci sphere).
        let directions = std::array::from_fn(|index| {
            let z = 1.0 - (2 * index + 1) as f64 / AROUND as f64;
            let angle = index as f64 * 2.399_963_229_728_653;
            let across = (1.0 - z * z).sqrt();
            [across * angle.cos(), across * angle.sin(), z].map(|part| (part * 0.96) as f32)
        });
        let depth = f64::midpoint(frame.depths[0], frame.depths[1]);
        AmbientOcclusion {
            frame,
            solid,
            asked,
            directions,
            reach: reach as f32,
            near: frame.pixel_at(depth) as f32,
        }
    }

    pub(super) fn evaluator(&self) -> SolidEvaluator<'_> {
        match &self.solid {
            ClippedSolid::Function(batch) => SolidEvaluator::Function(Box::new(batch.evaluator())),
            ClippedSolid::Mesh(lattice) => SolidEvaluator::Mesh(lattice),
        }
    }

    /// Adds a point; its index is the number of those before it.
    pub(super) fn ask(
        &self,
        [u, v]: [f32; 2],
        hit: &Hit,
        share: SampleShare,
        places: &mut OcclusionSamples,
    ) {
        if self.asked > 0 {
            let (points, heights) = (&mut places.points, &mut places.heights);
            let mut point = |direction: [f32; 3], length: f32, height: f32| {
                let at = self.moved([u, v, hit.depth], direction, length);
                for (list, part) in points.iter_mut().zip(at) {
                    list.push(part);
                }
                heights.push(height);
            };
            point(hit.normal, self.near, self.near);
            for number in 0..self.asked.div_ceil(share.of) {
                // Each part has directions to all sides.
                let number = (share.part + number * share.of) * 7 % AROUND;
                // On a ball that lies on the surface: more of them along the normal.
                let around = self.directions[number];
                let to: [f32; 3] = std::array::from_fn(|axis| hit.normal[axis] + around[axis]);
                let along: f32 = (0..3).map(|axis| to[axis] * hit.normal[axis]).sum();
                let far = (number * 7 % AROUND) as f32 / (AROUND - 1) as f32;
                let length = self.reach * (0.12 + 0.88 * far * far);
                point(to, length, length * along);
            }
        }
        places.ends.push(places.heights.len());
    }

    /// Returns the point at a distance in a direction.
    fn moved(&self, [u, v, w]: [f32; 3], direction: [f32; 3], length: f32) -> [f32; 3] {
        let [right, up, forward] = direction.map(|part| part * length);
        if !self.frame.is_perspective {
            return [u + right, v + up, w + forward];
        }
        let depth = w + forward;
        [(u * w + right) / depth, (v * w + up) / depth, depth]
    }

    /// Computes the grid of a buffer. Reports rows of pixels; skips the rest once cancelled.
    pub(super) fn grid(
        &self,
        buffer: &DepthNormalBuffer,
        progress: &Progress<'_>,
    ) -> OcclusionGrid {
        let stride = PIXELS * buffer.samples;
        let counts = [buffer.width, buffer.height].map(|side| side.div_ceil(stride));
        let mut open = vec![1.0; counts[0] * counts[1]];
        let scratch = || (self.evaluator(), OcclusionSamples::default());
        open.par_chunks_mut(counts[0]).enumerate().for_each_init(
            scratch,
            |(evaluator, places), (row, open)| {
                if progress.is_ended() {
                    return;
                }
                places.clear();
                let y = row * stride;
                for (column, open) in open.iter_mut().enumerate() {
                    let x = column * stride;
                    if let Some(hit) = buffer.hit(x, y) {
                        let at = self.frame.at(buffer.place([x, y]));
                        self.ask(at.map(|part| part as f32), &hit, SampleShare::ALL, places);
                    } else {
                        // Marks points without a hit.
                        *open = -1.0;
                    }
                }
                places.compute(evaluator);
                let asked = open.iter_mut().filter(|open| **open >= 0.0);
                for (number, open) in asked.enumerate() {
                    *open = places.open(number);
                }
                let rows = buffer.height / buffer.samples - row * PIXELS;
                progress.add(rows.min(PIXELS) as u64);
            },
        );
        OcclusionGrid {
            stride,
            width: counts[0],
            open,
        }
    }
}

impl OcclusionSamples {
    pub(super) fn clear(&mut self) {
        self.points.iter_mut().for_each(Vec::clear);
        self.heights.clear();
        self.ends.clear();
    }

    /// Number of points.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Computes the values around all points.
    pub(super) fn compute(&mut self, evaluator: &mut SolidEvaluator<'_>) {
        self.values.resize(self.heights.len(), 0.0);
        let [u, v, w] = &self.points;
        match evaluator {
            SolidEvaluator::Function(evaluator) => {
                evaluator.run(&[u, v, w], &[], &mut [&mut self.values]);
            }
            SolidEvaluator::Mesh(lattice) => {
                let mut start = 0;
                for &end in &self.ends {
                    // The slope of a distance is 1.
                    self.values[start] = self.heights[start];
                    for index in start + 1..end {
                        self.values[index] = lattice.at([u[index], v[index], w[index]]);
                    }
                    start = end;
                }
            }
        }
    }

    /// Returns the visibility of a point, from 0 to 1. The first of its samples is near and gives the slope.
    pub(super) fn open(&self, number: usize) -> f32 {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        let range = start..self.ends[number];
        let (values, heights) = (&self.values[range.clone()], &self.heights[range]);
        let (Some((first, values)), Some((height, heights))) =
            (values.split_first(), heights.split_first())
        else {
            return 1.0;
        };
        let slope = (first / height).max(1e-12);
        let each = values.iter().zip(heights);
        let sum: f32 = each
            .map(|(value, height)| (value / (slope * height)).clamp(0.0, 1.0))
            .sum();
        sum / values.len() as f32
    }
}

impl OcclusionGrid {
    /// Returns the visibility at the corners of a grid cell: upper left, upper right, lower left and lower right. All
    /// of them must have hits.
    pub(super) fn corners(&self, x: usize, y: usize) -> [f32; 4] {
        let above = &self.open[y * self.width + x..];
        [above[0], above[1], above[self.width], above[self.width + 1]]
    }
}

/// Returns the code of the clipped shape in camera coordinates; NaN is outside.
fn code(shape: &Shape<'_>, frame: &Frame, clip: &Clip) -> Arc<Code> {
    let place = |kernel: &mut Kernel, scalars: [Expr; 3]| camera_point(frame, kernel, scalars);
    shape.code_with(
        Rounding::Fast,
        &[shape.value()],
        place,
        |kernel, point, values| {
            let far = kernel.constant(FAR);
            let mut solid = kernel.select(values[0], far, values[0], far);
            for (normal, offset) in clip.half_spaces() {
                let normal = normal.map(|part| kernel.constant(part));
                let along = kernel.dot(&point, &normal);
                let offset = kernel.constant(offset);
                let beyond = kernel.sub(along, offset);
                solid = kernel.max(solid, beyond);
            }
            vec![solid]
        },
    )
}
