//! Rasterisation of a triangle mesh: the nearest triangle at each sample of a picture, by a z-buffer.
//!
//! Triangles are scan-converted with edge functions (Pineda, "A parallel algorithm for polygon rasterization", 1988).
//! Their corners are rounded to a lattice much finer than the samples, on which edge functions are exact up to 65 000
//! samples from the picture, and samples on an edge belong to the triangles on both sides of it: none falls between two
//! triangles. Threads share the triangles and keep the nearest hits by atomic operations.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use fibula_core::vector::{Vector, cross, dot, sub};
use fibula_knowledge::progress::Progress;
use rayon::prelude::*;

use super::camera::Frame;
use super::clipping::Clip;
use super::packed_hit::{Material, folded, packed_parts};
use crate::{Cancelled, TriangleMesh, Watch};

/// Points of the lattice along the side of a sample.
const LATTICE: f64 = 1_024.0;
/// Columns from which on the range of a row is computed before its samples are tested.
const WIDE: f64 = 8.0;
/// Triangles per piece of work, and minimum number of pieces: few triangles are shared by bands of rows.
const PIECE: usize = 1_024;
const PIECES: usize = 64;

/// A mesh that is rasterised, the view of it, and the hits that are kept.
pub(super) struct Rasterizer<'a> {
    pub(super) mesh: &'a TriangleMesh,
    pub(super) frame: &'a Frame,
    pub(super) clip: &'a Clip,
    /// Planes that cut the mesh.
    pub(super) planes: &'a [u16],
    /// Samples along each side of a pixel.
    pub(super) samples: usize,
    /// Packed hits, row by row.
    pub(super) hits: &'a [AtomicU64],
}

/// A corner on the lattice: its place in samples, and what is linear over the picture, the depth in a parallel
/// projection and its inverse in perspective.
type Corner = [f64; 3];

impl Rasterizer<'_> {
    /// Keeps the nearest hits of all triangles.
    pub(super) fn draw(&self, watch: &Watch<'_>) -> Result<(), Cancelled> {
        let count = self.mesh.triangles().len();
        let pieces = count.div_ceil(PIECE);
        let height = self.frame.size[1] * self.samples;
        let bands = PIECES.div_ceil(pieces.max(1)).min(height);
        let progress = Progress::new((pieces * bands) as u64, watch);
        (0..pieces * bands).into_par_iter().for_each(|number| {
            let (piece, band) = (number / bands, number % bands);
            let rows = band * height / bands..(band + 1) * height / bands;
            for triangle in piece * PIECE..count.min((piece + 1) * PIECE) {
                if progress.is_ended() {
                    return;
                }
                self.draw_triangle(triangle, &rows);
            }
            progress.add(1);
        });
        progress.finish(())
    }

    /// Keeps the hits of a triangle in some rows.
    fn draw_triangle(&self, triangle: usize, rows: &Range<usize>) {
        let frame = self.frame;
        let corners = self.mesh.corners(triangle);
        let [a, b, c] = corners;
        let normal = cross(sub(b, a), sub(c, a));
        let along = if frame.is_perspective {
            sub(a, frame.eye)
        } else {
            frame.forward
        };
        // The side that is seen, also of a mesh that is inside out.
        let sign = if dot(normal, along) > 0.0 { -1.0 } else { 1.0 };
        let normal = folded(frame.turned(normal.map(|part| part * sign)));
        let corners = corners.map(|corner| frame.components(corner));
        let nearest = frame.depths[0];
        if !frame.is_perspective || corners.iter().all(|corner| corner[2] >= nearest) {
            self.fill(corners.map(|corner| self.projected(corner)), normal, rows);
            return;
        }
        // What is nearer is clipped by the bounds.
        let left: Vec<Corner> = in_front(corners, nearest)
            .map(|corner| self.projected(corner))
            .collect();
        for next in 2..left.len() {
            self.fill([left[0], left[next - 1], left[next]], normal, rows);
        }
    }

    /// Projects a point, given by its components to the right, up and forward from the eye.
    fn projected(&self, [right, up, forward]: Vector) -> Corner {
        let (place, linear) = if self.frame.is_perspective {
            ([right / forward, up / forward], 1.0 / forward)
        } else {
            ([right, up], forward)
        };
        // The first sample is at 0.
        let [x, y] = self.frame.pixels(place).map(|pixels| {
            let samples = pixels * self.samples as f64 - 0.5;
            (samples * LATTICE).round() / LATTICE
        });
        [x, y, linear]
    }

    /// Keeps the hits of a triangle with such a packed normal in some rows.
    fn fill(&self, corners: [Corner; 3], normal: [u32; 2], rows: &Range<usize>) {
        let [a, b, c] = corners;
        let doubled_area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if doubled_area == 0.0 {
            return;
        }
        let side = doubled_area.signum();
        let width = self.frame.size[0] * self.samples;
        let range = |axis: usize, all: &Range<usize>| {
            let [low, high] = limits(corners, axis);
            let last = all.end as f64 - 1.0;
            (low.ceil().max(all.start as f64), high.floor().min(last))
        };
        let (columns, rows) = (range(0, &(0..width)), range(1, rows));
        let linears = limits(corners, 2);
        let slope = |axis: usize| {
            let (to_b, to_c) = (b[2] - a[2], c[2] - a[2]);
            let other = 1 - axis;
            let sum = to_b * (c[other] - a[other]) - to_c * (b[other] - a[other]);
            if axis == 0 {
                sum / doubled_area
            } else {
                -sum / doubled_area
            }
        };
        let slopes = [slope(0), slope(1)];
        let mut y = rows.0;
        while y <= rows.1 {
            // Of each edge: a corner, the value at its column, and the decrease per column.
            let edges = [(a, b), (b, c), (c, a)].map(|(from, to)| {
                let value = side * (to[0] - from[0]) * (y - from[1]);
                (from[0], value, side * (to[1] - from[1]))
            });
            let (mut first, mut last) = columns;
            let is_wide = last - first > WIDE;
            for (at, value, fall) in edges.into_iter().filter(|_| is_wide) {
                // One more than the quotient, for its rounding.
                let end = at + value / fall;
                if fall > 0.0 {
                    last = last.min(end.floor() + 1.0);
                } else if fall < 0.0 {
                    first = first.max(end.ceil() - 1.0);
                }
            }
            let row = y as usize * width;
            let mut x = first;
            while x <= last {
                if edges
                    .iter()
                    .all(|(at, value, fall)| value - fall * (x - at) >= 0.0)
                {
                    let linear = a[2] + slopes[0] * (x - a[0]) + slopes[1] * (y - a[1]);
                    self.keep(
                        [x, y],
                        row + x as usize,
                        linear.clamp(linears[0], linears[1]),
                        normal,
                    );
                }
                x += 1.0;
            }
            y += 1.0;
        }
    }

    /// Keeps a hit, if no plane clips it and nothing nearer is known.
    fn keep(&self, at: [f64; 2], index: usize, linear: f64, normal: [u32; 2]) {
        let depth = if self.frame.is_perspective {
            1.0 / linear
        } else {
            linear
        } as f32;
        if !self.planes.is_empty() {
            let place = at.map(|at| (at + 0.5) / self.samples as f64);
            let span = self.clip.span(self.planes, self.frame.at(place));
            if depth <= span.from || depth > span.to {
                return;
            }
        }
        let hit = packed_parts(depth, normal, Material::Surface);
        let kept = &self.hits[index];
        if hit < kept.load(Ordering::Relaxed) {
            kept.fetch_min(hit, Ordering::Relaxed);
        }
    }
}

fn limits(corners: [Corner; 3], axis: usize) -> [f64; 2] {
    let [a, b, c] = corners.map(|corner| corner[axis]);
    [a.min(b).min(c), a.max(b).max(c)]
}

/// Returns the corners of the part of a triangle that is at least so far away (Sutherland and Hodgman, "Reentrant polygon
/// clipping", 1974).
fn in_front(corners: [Vector; 3], nearest: f64) -> impl Iterator<Item = Vector> {
    (0..3).flat_map(move |index| {
        let [from, to] = [corners[index], corners[(index + 1) % 3]];
        let share = (nearest - from[2]) / (to[2] - from[2]);
        let is_crossing = (from[2] >= nearest) != (to[2] >= nearest);
        let own = (from[2] >= nearest).then_some(from);
        let crossing = is_crossing.then(|| {
            let [x, y] = [0, 1].map(|axis| from[axis] + share * (to[axis] - from[axis]));
            [x, y, nearest]
        });
        own.into_iter().chain(crossing)
    })
}

#[cfg(test)]
mod tests {
    use super::super::packed_hit::{NOTHING, unpacked};
    use super::super::{Camera, Section, View};
    use super::*;
    use crate::Bounds;
    use crate::measure::Bvh;
    use fibula_core::vector::length;

    fn rasterized(mesh: &TriangleMesh, frame: &Frame, clip: &Clip, samples: usize) -> Vec<u64> {
        let [width, height] = frame.size.map(|side| side * samples);
        let mut hits = Vec::new();
        hits.resize_with(width * height, || AtomicU64::new(NOTHING));
        let planes = clip.cutting(mesh.bounding_box().unwrap());
        let rasterizer = Rasterizer {
            mesh,
            frame,
            clip,
            planes: &planes,
            samples,
            hits: &hits,
        };
        rasterizer
            .draw(&|_, _| std::ops::ControlFlow::Continue(()))
            .unwrap();
        hits.into_iter().map(AtomicU64::into_inner).collect()
    }

    /// A plane of squares of so many along a side, tilted by its corners' heights.
    fn plane(count: u32, height: impl Fn(f64, f64) -> f64) -> TriangleMesh {
        let side = f64::from(count);
        let vertices = (0..=count).flat_map(|y| {
            let height = &height;
            (0..=count).map(move |x| {
                let [x, y] = [x, y].map(|at| 2.0 * f64::from(at) / side - 1.0);
                [x, y, height(x, y)]
            })
        });
        let squares = (0..count).flat_map(|y| (0..count).map(move |x| y * (count + 1) + x));
        let triangles = squares.flat_map(|a| {
            let (b, c, d) = (a + 1, a + count + 1, a + count + 2);
            [[a, b, d], [a, d, c]]
        });
        TriangleMesh::new(vertices.collect(), triangles.collect()).unwrap()
    }

    #[test]
    fn samples_on_edges_and_corners_are_not_missed() {
        // A sample at each corner of the middle, and at the middle of each edge.
        let bounds = Bounds::new([-1.0; 3], [1.0; 3]).unwrap();
        for view in [View::Top, View::Bottom, View::Isometric] {
            let mut camera = Camera::from(view);
            camera.zoom = 4.0;
            let frame = Frame::new(&camera, &bounds, [50, 50]).unwrap();
            let clip = Clip::new(&bounds, &[], &frame);
            let side = 2.0 / (frame.pixel / 2.0);
            let mesh = plane(side.round() as u32, |_, _| 0.0);
            let hits = rasterized(&mesh, &frame, &clip, 2);
            let missed = hits.iter().filter(|&&hit| hit == NOTHING).count();
            assert_eq!(missed, 0, "{view:?}");
        }
    }

    #[test]
    fn hits_are_those_of_rays() {
        let mesh = plane(24, |x, y| 0.4 * (5.0 * x).sin() * (4.0 * y).cos());
        let rays = Bvh::new(&mesh);
        let whole = Bounds::new([-1.0, -1.0, -0.5], [1.0, 1.0, 0.5]).unwrap();
        // The eye of the last is among the triangles.
        let part = Bounds::new([-0.3, -0.9, -0.2], [0.4, 0.3, 0.3]).unwrap();
        let section = Section::new([1.0, 1.0, 0.3], 0.1).unwrap();
        let (mut same, mut turned, mut seen) = (0, 0, 0);
        for perspective in [None, Some(0.7), Some(2.5)] {
            for (bounds, sections) in [(&whole, vec![]), (&part, vec![]), (&whole, vec![section])] {
                for view in View::ALL {
                    let camera = Camera {
                        perspective,
                        ..view.into()
                    };
                    let frame = Frame::new(&camera, bounds, [40, 30]).unwrap();
                    let clip = Clip::new(bounds, &sections, &frame);
                    let planes = clip.cutting(mesh.bounding_box().unwrap());
                    let hits = rasterized(&mesh, &frame, &clip, 2);
                    for (index, hit) in hits.into_iter().enumerate() {
                        let at = [index % 80, index / 80].map(|at| at as f64 / 2.0 + 0.25);
                        let at = frame.at(at);
                        let span = clip.span(&planes, at);
                        let (from, along) = frame.ray(at);
                        let reach = [span.from, span.to].map(f64::from);
                        let met = rays.first(from, along, reach, u32::MAX);
                        let depths = [met.map(|hit| hit.distance), {
                            unpacked(hit).map(|hit| f64::from(hit.depth))
                        }];
                        seen += usize::from(depths != [None; 2]);
                        let is_near = matches!(depths, [Some(a), Some(b)] if (a - b).abs() < 2e-3);
                        // The normal of that triangle, towards the viewer.
                        same += usize::from(is_near);
                        let is_turned = is_near && {
                            let [a, b, c] = mesh.corners(met.unwrap().triangle as usize);
                            let own = frame.turned(cross(sub(b, a), sub(c, a)));
                            let found = unpacked(hit).unwrap().normal;
                            let [own, found] = [own, found].map(|parts| parts.map(f64::from));
                            let seen = frame.turned(along).map(f64::from);
                            let side = -dot(own, seen).signum();
                            dot(own, found) * side < 0.999 * length(own)
                        };
                        turned += usize::from(is_turned);
                    }
                }
            }
        }
        // Others are at silhouettes and clipped edges. Samples on an edge may have the normal of either triangle.
        assert!(
            seen > 50_000 && seen - same < 20 && turned * 100 < seen,
            "{same} of {seen}"
        );
    }
}
