//! Depth and normal buffer: what is visible at each sample of a picture, its depth and normal.
//!
//! The function is written in camera coordinates, so that rays run along one axis of the region that is explored
//! ([`Explorer`]): cells whose interval bounds exclude a surface are skipped, and those behind a hit are never divided
//! (Duff, "Interval arithmetic and recursive subdivision for implicit functions and constructive solid geometry",
//! 1992). In the finest cells rays are [marched](super::ray_marching). The function need not be a distance; only
//! details thinner than a pixel may be missed.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64};

use fibula_eval::prune::{Axis, Cells, Region};
use fibula_eval::{Batch, BatchEvaluator, Code, Rounding, Settings};
use fibula_nodes::{Expr, Kernel};
use rayon::prelude::*;

use super::PictureError;
use super::camera::Frame;
use super::clipping::Clip;
use super::packed_hit::{Hit, NOTHING, depth, unpacked};
use super::ray_marching::{FINEST, RayMarcher, Scene};
use crate::{Bounds, Explorer, Shape, Watch};

/// Maximum steps along a ray.
const MOST_STEPS: f64 = 8_192.0;
/// Range of no numbers.
const NO_RANGE: [f32; 2] = [f32::INFINITY, f32::NEG_INFINITY];
#[derive(Debug)]
pub(super) struct DepthNormalBuffer {
    /// Samples along each side of a pixel.
    pub(super) samples: usize,
    pub(super) width: usize,
    pub(super) height: usize,
    hits: Vec<u64>,
}

/// Sampling of the buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sampling {
    /// Samples along each side of a pixel.
    pub(super) samples: usize,
    pub(super) settings: Settings,
}

impl DepthNormalBuffer {
    /// True if no surface is visible.
    pub(super) fn is_empty(&self) -> bool {
        self.hits.iter().all(|&hit| hit == NOTHING)
    }

    /// Returns the buffer of packed hits, row by row.
    pub(super) fn from_hits(
        samples: usize,
        width: usize,
        height: usize,
        hits: Vec<u64>,
    ) -> DepthNormalBuffer {
        DepthNormalBuffer {
            samples,
            width,
            height,
            hits,
        }
    }

    /// Returns the hit at a sample.
    pub(super) fn hit(&self, x: usize, y: usize) -> Option<Hit> {
        unpacked(self.hits[y * self.width + x])
    }

    /// Returns the depth at a sample; infinite without a hit, or beyond the picture.
    pub(super) fn depth(&self, x: usize, y: usize) -> f32 {
        if x >= self.width || y >= self.height {
            return f32::INFINITY;
        }
        let hit = self.hits[y * self.width + x];
        if hit == NOTHING {
            f32::INFINITY
        } else {
            depth(hit)
        }
    }

    /// Returns packed hits of a row.
    pub(super) fn row(&self, x: Range<usize>, y: usize) -> &[u64] {
        &self.hits[y * self.width + x.start..y * self.width + x.end]
    }

    /// Converts a sample to pixels from the upper left corner.
    pub(super) fn place(&self, at: [usize; 2]) -> [f64; 2] {
        at.map(|at| (at as f64 + 0.5) / self.samples as f64)
    }

    /// Number of samples with a hit.
    pub(super) fn count(&self) -> usize {
        self.hits.iter().filter(|&&hit| hit != NOTHING).count()
    }

    /// Returns the range of a code's values at the hits, ignoring those that are not finite; 0 to 1 without values, and
    /// a range around the value if all are equal.
    pub(super) fn range(&self, code: &Code, frame: &Frame, settings: Settings) -> [f64; 2] {
        let batch = Batch::<f32>::new(code, 3, settings);
        let rows = (0..self.height).into_par_iter().step_by(self.samples);
        let of_row = |evaluator: &mut BatchEvaluator<'_, f32>, y: usize| {
            let mut points = [const { Vec::new() }; 3];
            for x in (0..self.width).step_by(self.samples) {
                let depth = self.depth(x, y);
                if depth.is_finite() {
                    let [u, v] = frame.at(self.place([x, y]));
                    for (list, part) in points.iter_mut().zip([u as f32, v as f32, depth]) {
                        list.push(part);
                    }
                }
            }
            let mut values = vec![0.0; points[0].len()];
            let [u, v, w] = &points;
            evaluator.run(&[u, v, w], &[], &mut [&mut values]);
            let values = values.into_iter().filter(|value| value.is_finite());
            values.fold(NO_RANGE, |[low, high], value| {
                [low.min(value), high.max(value)]
            })
        };
        let [low, high] = rows
            .map_init(|| batch.evaluator(), of_row)
            .reduce(|| NO_RANGE, |a, b| [a[0].min(b[0]), a[1].max(b[1])])
            .map(f64::from);
        if low < high {
            [low, high]
        } else if low.is_finite() {
            [low - 1.0, low + 1.0]
        } else {
            [0.0, 1.0]
        }
    }

    pub(super) fn new(
        shape: &Shape<'_>,
        bounds: &Bounds,
        frame: &Frame,
        clip: &Clip,
        Sampling { samples, settings }: Sampling,
        watch: &Watch<'_>,
    ) -> Result<DepthNormalBuffer, PictureError> {
        let [width, height] = frame.size.map(|side| side * samples);
        // Pixels of the bounds.
        let corners = bounds.corners().map(|corner| {
            let [u, v, _] = frame.place(corner);
            frame.pixels([u, v])
        });
        let limits = [width, height].map(|side| side as f64);
        let range = |axis: usize| {
            let places = corners.iter().map(|corner| corner[axis] * samples as f64);
            let (low, high) = places.fold((f64::INFINITY, 0.0), |(low, high), place| {
                (f64::min(low, place), f64::max(high, place))
            });
            let inside = |place: f64| place.clamp(0.0, limits[axis]) as usize;
            inside(low.floor())..inside(high.ceil())
        };
        let (columns, rows) = (range(0), range(1));
        if columns.is_empty() || rows.is_empty() {
            let hits = vec![NOTHING; width * height];
            return Ok(DepthNormalBuffer {
                samples,
                width,
                height,
                hits,
            });
        }
        let mut hits: Vec<AtomicU64> = Vec::new();
        hits.resize_with(width * height, || AtomicU64::new(NOTHING));
        let place = |index: usize| (index as f64 + 0.5) / samples as f64;
        let u: Vec<f32> = (columns.start..=columns.end)
            .map(|column| frame.at([place(column), 0.0])[0] as f32)
            .collect();
        let v: Vec<f32> = (rows.start..=rows.end)
            .map(|row| frame.at([0.0, place(row)])[1] as f32)
            .collect();
        let [near, far] = frame.depths;
        let step = frame.pixel_at(f64::midpoint(near, far));
        let steps = ((far - near) / step).ceil().clamp(1.0, MOST_STEPS);
        let step = (far - near) / steps;
        let w: Vec<f32> = (0..=steps as usize)
            .map(|index| (near + step * index as f64) as f32)
            .collect();
        let region = Region {
            axes: &[Axis::new(2, &w), Axis::new(0, &u), Axis::new(1, &v)],
            inputs: &[0.0; 3],
            sides: &[128, 32, FINEST],
            cells: Cells::Spaces,
        };
        let code = shape.code(Rounding::Fast, &[shape.value()], |kernel, place| {
            camera_point(frame, kernel, place)
        });
        let explorer = Explorer::<f32>::from_code(&code, settings)?;
        let tiles = [columns.len(), rows.len()].map(|side| side.div_ceil(FINEST));
        let mut farthest: Vec<AtomicU32> = Vec::new();
        let infinite = f32::INFINITY.to_bits();
        farthest.resize_with(tiles[0] * tiles[1], || AtomicU32::new(infinite));
        let scene = Scene {
            farthest: &farthest,
            tiles: tiles[0],
            frame,
            clip,
            axes: [&u, &v, &w],
            first: rows.start * width + columns.start,
            width,
            hits: &hits,
            step: step as f32,
        };
        explorer.explore_rows(&region, || RayMarcher::new(&scene), watch)?;
        Ok(DepthNormalBuffer {
            samples,
            width,
            height,
            hits: hits.into_iter().map(AtomicU64::into_inner).collect(),
        })
    }
}

/// Writes the point at picture coordinates and depth as operations.
pub(super) fn camera_point(frame: &Frame, kernel: &mut Kernel, [u, v, w]: [Expr; 3]) -> [Expr; 3] {
    std::array::from_fn(|axis| {
        let mut part = |by: f64, of: Option<Expr>| {
            let by = kernel.constant(by);
            of.map_or(by, |of| kernel.mul(of, by))
        };
        let (right, up) = (
            part(frame.right[axis], Some(u)),
            part(frame.up[axis], Some(v)),
        );
        let (forward, eye) = (
            part(frame.forward[axis], (!frame.is_perspective).then_some(w)),
            part(frame.eye[axis], None),
        );
        let mut sum = kernel.add(right, up);
        sum = kernel.add(sum, forward);
        if frame.is_perspective {
            sum = kernel.mul(sum, w);
        }
        kernel.add(sum, eye)
    })
}
