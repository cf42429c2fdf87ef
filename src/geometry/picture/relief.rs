//! Reliefs: what is seen at each place of a picture, at what depth and from which side.
//!
//! The function is written in the coordinates of the camera, so that rays run along one axis of the region that is
//! explored ([`Explorer`]): cells whose bounds have no surface are skipped, and those behind what was found are never
//! divided (Duff, "Interval arithmetic and recursive subdivision for implicit functions and constructive solid
//! geometry", 1992). In the finest cells the function is computed at steps along the rays. Where a ray enters the
//! material is found between two steps by secants (a variant of the Illinois method), and the gradient by differences,
//! both with the short tape of the cell. The function need not be a distance; only what is thinner than a pixel may be missed.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use fibula_eval::prune::{Axis, Cell, Cells, Leaf, Next, Region, Visitor};
use fibula_eval::{Batch, BatchEvaluator, Code, Interval, Rounding, Settings};
use fibula_nodes::{Expr, Kernel};
use rayon::prelude::*;

use super::Undrawable;
use super::camera::Frame;
use super::clip::{Clip, Side, Span};
use super::hit::{Hit, Material, NOTHING, packed, unpacked};
use crate::geometry::{Bounds, Cancelled, Explorer, Shape, Watch};

/// Samples along each side of a pixel.
pub(super) const SAMPLES: usize = 2;
/// The most steps along a ray.
const MOST_STEPS: f64 = 8_192.0;
/// How often a place between two steps is improved.
const ROUNDS: usize = 3;
/// The side of the finest cells.
const FINEST: usize = 8;
/// The range of no numbers.
const NO_RANGE: [f32; 2] = [f32::INFINITY, f32::NEG_INFINITY];
/// What is seen at each place of a picture, [`SAMPLES`] times finer than its pixels.
#[derive(Debug)]
pub(super) struct Relief {
    pub(super) width: usize,
    pub(super) height: usize,
    hits: Vec<u64>,
}

impl Relief {
    /// What is seen at a place.
    pub(super) fn hit(&self, x: usize, y: usize) -> Option<Hit> {
        unpacked(self.hits[y * self.width + x])
    }

    /// How far away it is; infinitely, if there is nothing or no such place.
    pub(super) fn depth(&self, x: usize, y: usize) -> f32 {
        if x >= self.width || y >= self.height {
            return f32::INFINITY;
        }
        let hit = self.hits[y * self.width + x];
        if hit == NOTHING {
            f32::INFINITY
        } else {
            f32::from_bits((hit >> 32) as u32)
        }
    }

    /// At how many places something is seen.
    pub(super) fn count(&self) -> usize {
        self.hits.iter().filter(|&&hit| hit != NOTHING).count()
    }

    /// The least and the most of what a code gives where something is seen, leaving out what is not finite; 0 to 1 if
    /// that is nothing, and a range around the number if it is one.
    pub(super) fn range(&self, code: &Code, frame: &Frame, settings: Settings) -> [f64; 2] {
        let batch = Batch::<f32>::new(code, 3, settings);
        let rows = (0..self.height).into_par_iter().step_by(SAMPLES);
        let of_row = |evaluator: &mut BatchEvaluator<'_, f32>, y: usize| {
            let mut points = [const { Vec::new() }; 3];
            for x in (0..self.width).step_by(SAMPLES) {
                let depth = self.depth(x, y);
                if depth.is_finite() {
                    let at = [x, y].map(|place| (place as f64 + 0.5) / SAMPLES as f64);
                    let [u, v] = frame.at(at);
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

    /// Looks at a shape.
    pub(super) fn new(
        shape: &Shape<'_>,
        bounds: &Bounds,
        frame: &Frame,
        clip: &Clip,
        settings: Settings,
        watch: &Watch<'_>,
    ) -> Result<Relief, Undrawable> {
        let [width, height] = frame.size.map(|side| side * SAMPLES);
        // Where the bounds are.
        let corners = bounds.corners().map(|corner| {
            let [u, v, _] = frame.place(corner);
            frame.pixels([u, v])
        });
        let limits = [width, height].map(|side| side as f64);
        let range = |axis: usize| {
            let places = corners.iter().map(|corner| corner[axis] * SAMPLES as f64);
            let (low, high) = places.fold((f64::INFINITY, 0.0), |(low, high), place| {
                (f64::min(low, place), f64::max(high, place))
            });
            let inside = |place: f64| place.clamp(0.0, limits[axis]) as usize;
            inside(low.floor())..inside(high.ceil())
        };
        let (columns, rows) = (range(0), range(1));
        let mut hits: Vec<AtomicU64> = Vec::new();
        hits.resize_with(width * height, || AtomicU64::new(NOTHING));
        if columns.is_empty() || rows.is_empty() {
            let hits = vec![NOTHING; width * height];
            return Ok(Relief {
                width,
                height,
                hits,
            });
        }
        let place = |index: usize| (index as f64 + 0.5) / SAMPLES as f64;
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
        let axis = |input, samples| Axis {
            input,
            samples,
            backwards: false,
        };
        let region = Region {
            axes: &[axis(2, &w), axis(0, &u), axis(1, &v)],
            inputs: &[0.0; 3],
            sides: &[128, 32, FINEST],
            cells: Cells::Spaces,
        };
        let code = shape.code(Rounding::Fast, &[shape.value()], |kernel, place| {
            written(frame, kernel, place)
        });
        let explorer = Explorer::<f32>::of(&code, settings)?;
        let ended = AtomicBool::new(false);
        let spans: Vec<Span> = v[..rows.len()]
            .par_iter()
            .flat_map_iter(|&v| {
                if watch(0, 1).is_break() {
                    ended.store(true, Ordering::Relaxed);
                }
                let wanted = !ended.load(Ordering::Relaxed);
                let across = if wanted { &u[..columns.len()] } else { &[] };
                let across = across.iter();
                across.map(move |&u| clip.span([f64::from(u), f64::from(v)]))
            })
            .collect();
        if ended.into_inner() {
            return Err(Cancelled.into());
        }
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
            spans: &spans,
            first: rows.start * width + columns.start,
            width,
            hits: &hits,
            step: step as f32,
        };
        explorer.explore(&region, || Look::new(&scene), watch)?;
        Ok(Relief {
            width,
            height,
            hits: hits.into_iter().map(AtomicU64::into_inner).collect(),
        })
    }
}

/// The point at a place of the picture, written in operations.
pub(super) fn written(frame: &Frame, kernel: &mut Kernel, [u, v, w]: [Expr; 3]) -> [Expr; 3] {
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

/// What all visitors share.
struct Scene<'a> {
    frame: &'a Frame,
    clip: &'a Clip,
    /// Samples of u, v and w.
    axes: [&'a [f32]; 3],
    /// What is not cut off of the rays in the region.
    spans: &'a [Span],
    /// The place of the region's first ray among the hits.
    first: usize,
    width: usize,
    hits: &'a [AtomicU64],
    /// For each column of the finest cells, the depth behind which nothing is seen any more, as bits.
    farthest: &'a [AtomicU32],
    /// How many columns are in a row.
    tiles: usize,
    step: f32,
}

/// Looks at cells, and notes what is nearest.
struct Look<'a> {
    scene: &'a Scene<'a>,
    rays: Vec<Ray>,
    points: [Vec<f32>; 3],
    values: Vec<f32>,
}

/// A ray in a cell; it enters the material between two depths.
#[derive(Debug, Clone, Copy)]
struct Ray {
    /// Among the hits.
    place: usize,
    u: f32,
    v: f32,
    span: Span,
    /// The last depth outside, and the first one inside, with the values there.
    outside: [f32; 2],
    inside: [f32; 2],
    /// Whether it is cut off where it enters.
    is_cut: bool,
}

impl Scene<'_> {
    fn note(&self, place: usize, hit: Hit) {
        self.hits[place].fetch_min(packed(hit), Ordering::Relaxed);
    }

    /// The depth up to which something may be seen on a ray, which is the one with this number in the region and this
    /// place among the hits.
    fn open(&self, number: usize, place: usize) -> f32 {
        let bits = (self.hits[place].load(Ordering::Relaxed) >> 32) as u32;
        let end = self.spans[number].to;
        // What is nothing has the bits of no number.
        let hit = f32::from_bits(bits);
        if hit < end { hit } else { end }
    }

    /// The columns of the finest cells that are in a cell.
    fn columns(cell: &Cell) -> [std::ops::Range<usize>; 2] {
        [1, 2].map(|axis| {
            let end = cell.start[axis] + cell.size[axis];
            cell.start[axis] / FINEST..end.div_ceil(FINEST)
        })
    }

    /// Finds anew behind which depth nothing is seen in the columns of a cell.
    fn settle(&self, cell: &Cell) {
        let across = self.axes[0].len() - 1;
        let down = self.axes[1].len() - 1;
        let [columns, rows] = Scene::columns(cell);
        for row in rows {
            for column in columns.clone() {
                let mut farthest = 0.0_f32;
                for y in row * FINEST..(row * FINEST + FINEST).min(down) {
                    for x in column * FINEST..(column * FINEST + FINEST).min(across) {
                        let place = self.first + y * self.width + x;
                        farthest = farthest.max(self.open(y * across + x, place));
                    }
                }
                let column = &self.farthest[row * self.tiles + column];
                column.fetch_min(farthest.max(0.0).to_bits(), Ordering::Relaxed);
            }
        }
    }

    /// Between which depths a cell is.
    fn depths(&self, cell: &Cell) -> [f32; 2] {
        let w = self.axes[2];
        [w[cell.start[0]], w[cell.start[0] + cell.size[0]]]
    }

    /// The places of a cell's rays among the hits, row by row.
    fn places(&self, cell: &Cell) -> impl Iterator<Item = std::ops::Range<usize>> + use<> {
        let [_, x, y] = cell.start;
        let [_, across, down] = cell.size;
        let (first, width) = (self.first + y * self.width + x, self.width);
        (0..down).map(move |row| first + row * width..first + row * width + across)
    }
}

impl<'a> Look<'a> {
    fn new(scene: &'a Scene<'a>) -> Look<'a> {
        Look {
            scene,
            rays: Vec::with_capacity(64),
            points: [const { Vec::new() }; 3],
            values: Vec::new(),
        }
    }

    /// Finds the rays that enter the material in a cell, and the two steps between which they do.
    fn march(&mut self, leaf: &mut Leaf<'_, f32>) {
        let scene = self.scene;
        let [u, v, w] = scene.axes;
        let cell = *leaf.cell();
        let [near, far] = scene.depths(&cell);
        let depths = &w[cell.start[0]..=cell.start[0] + cell.size[0]];
        self.rays.clear();
        self.clear();
        for (row, places) in scene.places(&cell).enumerate() {
            let row = cell.start[2] + row;
            let spans = &scene.spans[row * (u.len() - 1) + cell.start[1]..];
            for (column, place) in places.enumerate() {
                let span = spans[column];
                let number = row * (u.len() - 1) + cell.start[1] + column;
                if span.from > far || scene.open(number, place) < near {
                    continue;
                }
                let (u, v) = (u[cell.start[1] + column], v[row]);
                self.rays.push(Ray {
                    place,
                    u,
                    v,
                    span,
                    outside: [near, 1.0],
                    inside: [far, -1.0],
                    is_cut: false,
                });
                let [ws, us, vs] = &mut self.points;
                ws.extend(depths.iter().map(|depth| depth.clamp(span.from, span.to)));
                us.resize(ws.len(), u);
                vs.resize(ws.len(), v);
            }
        }
        self.compute(leaf);
        let (values, ws) = (&self.values, &self.points[0]);
        let mut index = 0;
        self.rays.retain_mut(|ray| {
            let own = index * depths.len()..(index + 1) * depths.len();
            index += 1;
            let (values, ws) = (&values[own.clone()], &ws[own]);
            // What is no number is not less.
            let Some(first) = values.iter().position(|&value| value < 0.0) else {
                return false;
            };
            ray.inside = [ws[first], values[first]];
            if let Some(before) = first.checked_sub(1) {
                ray.outside = [ws[before], values[before]];
            } else {
                ray.outside = ray.inside;
                ray.is_cut = ws[first] <= ray.span.from;
            }
            true
        });
    }

    /// Finds where rays enter the material, by secants: where an end stays, its value is halved, so that it does not
    /// stay for ever.
    fn improve(&mut self, leaf: &mut Leaf<'_, f32>) {
        for _ in 0..ROUNDS {
            self.clear();
            for ray in &self.rays {
                self.points[0].push(ray.between());
                self.points[1].push(ray.u);
                self.points[2].push(ray.v);
            }
            self.compute(leaf);
            for (ray, (&depth, &value)) in self
                .rays
                .iter_mut()
                .zip(self.points[0].iter().zip(&self.values))
            {
                if ray.outside[0] >= ray.inside[0] {
                    continue;
                }
                if value < 0.0 {
                    ray.inside = [depth, value];
                    ray.outside[1] *= 0.5;
                } else {
                    ray.outside = [depth, value];
                    ray.inside[1] *= 0.5;
                }
            }
        }
    }

    /// Finds the gradients where rays enter the material, by differences to points in the same cell, and notes what is
    /// seen.
    fn note(&mut self, leaf: &mut Leaf<'_, f32>) {
        let scene = self.scene;
        let cell = *leaf.cell();
        let ends = |axis: usize, place: usize| {
            let samples = &scene.axes[axis][cell.start[place]..];
            [samples[0], samples[cell.size[place]]]
        };
        let limits = [ends(0, 1), ends(1, 2), ends(2, 0)];
        // Half a step, towards the middle of the cell.
        let away = |[first, last]: [f32; 2], at: f32, cells: usize| {
            let step = (last - first) / cells as f32 * 0.5;
            if (at - first).abs() > (last - at).abs() {
                -step
            } else {
                step
            }
        };
        let sizes = [cell.size[1], cell.size[2], cell.size[0]];
        self.clear();
        let mut all = Vec::with_capacity(self.rays.len());
        for ray in &self.rays {
            let at = [ray.u, ray.v, ray.between()];
            let aways: [f32; 3] =
                std::array::from_fn(|axis| away(limits[axis], at[axis], sizes[axis]));
            for moved in 0..4 {
                for (axis, place) in [(2, 0), (0, 1), (1, 2)] {
                    let shift = if moved == axis { aways[axis] } else { 0.0 };
                    self.points[place].push(at[axis] + shift);
                }
            }
            all.push((at, aways));
        }
        self.compute(leaf);
        for ((ray, (at, aways)), values) in self.rays.iter().zip(all).zip(self.values.chunks(4)) {
            let by = std::array::from_fn(|axis| (values[axis] - values[3]) / aways[axis]);
            let gradient = scene.frame.gradient(at, by);
            let length = gradient.iter().map(|part| part * part).sum::<f32>().sqrt();
            let mut hit = Hit {
                depth: at[2],
                normal: [0.0, 0.0, -1.0],
                material: Material::Surface,
            };
            if length > 0.0 && length.is_finite() {
                hit.normal = gradient.map(|part| part / length);
            }
            if ray.is_cut {
                let (normal, material) = scene.clip.face(ray.span);
                let along: f32 = normal.iter().zip(&hit.normal).map(|(a, b)| a * b).sum();
                // A surface that the bounds touch is no cut.
                if !(along > 0.7 && -values[3] < length * scene.step) {
                    (hit.normal, hit.material) = (normal, material);
                }
            }
            scene.note(ray.place, hit);
        }
    }

    fn clear(&mut self) {
        for list in &mut self.points {
            list.clear();
        }
    }

    fn compute(&mut self, leaf: &mut Leaf<'_, f32>) {
        self.values.resize(self.points[0].len(), 0.0);
        let [w, u, v] = &self.points;
        leaf.at(&[w, u, v], &mut [&mut self.values]);
    }
}

impl Ray {
    /// Where it probably enters the material.
    fn between(&self) -> f32 {
        let ([before, outside], [after, inside]) = (self.outside, self.inside);
        let share = outside / (outside - inside);
        // Not a number: nothing is known but the ends.
        let share = if share > 0.0 && share < 1.0 {
            share
        } else if outside == 0.0 {
            0.0
        } else {
            0.5
        };
        before + (after - before) * share
    }
}

impl Visitor<f32> for Look<'_> {
    fn bounded(&mut self, cell: &Cell, bounds: Interval<f32>) -> Next {
        // What is not a number is outside.
        if bounds.low() >= 0.0 {
            return Next::Done;
        }
        let scene = self.scene;
        let [u, v, _] = scene.axes;
        let ends = |samples: &[f32], place: usize| {
            [cell.start[place], cell.start[place] + cell.size[place]]
                .map(|index| f64::from(samples[index]))
        };
        let depths = scene.depths(cell);
        let side = scene
            .clip
            .side([ends(u, 1), ends(v, 2), depths.map(f64::from)]);
        match side {
            Side::Outside => Next::Done,
            Side::Inside if bounds.high() < 0.0 && !bounds.may_be_undefined() => {
                // It is seen only where the shape jumps; but what is behind it never is.
                let hit = Hit {
                    depth: depths[0],
                    normal: [0.0, 0.0, -1.0],
                    material: Material::Surface,
                };
                for place in scene.places(cell).flatten() {
                    scene.note(place, hit);
                }
                scene.settle(cell);
                Next::Done
            }
            Side::Inside | Side::Across => Next::Divide,
        }
    }

    fn is_wanted(&mut self, cell: &Cell) -> bool {
        let scene = self.scene;
        let near = scene.depths(cell)[0].to_bits();
        let [columns, rows] = Scene::columns(cell);
        for row in rows {
            let row = &scene.farthest[row * scene.tiles..];
            let open = |column: &AtomicU32| column.load(Ordering::Relaxed) > near;
            if row[columns.clone()].iter().any(open) {
                return true;
            }
        }
        false
    }

    fn leaf(&mut self, leaf: &mut Leaf<'_, f32>) {
        self.march(leaf);
        if !self.rays.is_empty() {
            self.improve(leaf);
            self.note(leaf);
            self.scene.settle(leaf.cell());
        }
    }
}
