//! Light and colour: from what is seen to pixels.
//!
//! A key light comes from above the viewer's left shoulder, so that no view is dark, a fill light from the right, and
//! the rest from all sides as far as nothing is near: how open a place is, is told by the function's values at some points
//! around it, compared to what they would be above a plane. Each sample of a pixel asks a quarter of the points.
//! Things grow paler with depth, and where something is far before what is beside it, it has a dark rim.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fibula_eval::{Batch, BatchEvaluator, Code, Rounding, Settings};
use fibula_nodes::Kernel;
use rayon::prelude::*;

use super::Undrawable;
use super::backdrop::{Backdrop, GROUND};
use super::camera::Frame;
use super::clip::Clip;
use super::colour::{Light, Map, SURFACE, light, pixel, said};
use super::hit::{Hit, Material};
use super::image::Image;
use super::relief::{Relief, SAMPLES, written};
use crate::geometry::{Bounds, Cancelled, Shape, Watch};

/// Rows of pixels that are a piece of work: as many, or of wide pictures those that have so many pixels.
const ROWS: usize = 4;
const PIXELS: usize = 4_096;
/// Points around a place that tell how open it is, for all samples of a pixel.
const AROUND: usize = 16;
/// Operations at all of these points for which there is time: some tenths of a second.
const TIME: usize = 6_000_000_000;
/// No value is above; stands for what is not a number, which is outside.
const FAR: f64 = 1e30;

const CUT: Light = [0.760, 0.560, 0.330];
const SECTION: Light = [0.800, 0.400, 0.230];
/// To the right, up and forward.
const KEY: [f32; 3] = [-0.44, 0.62, -0.65];
const FILL: [f32; 3] = [0.80, 0.10, -0.59];

/// What colours a surface.
pub(super) struct Field {
    /// Numbers, or red, green and blue.
    pub(super) code: Arc<Code>,
    pub(super) scale: Option<Scale>,
}

/// Colours for numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    pub(super) map: Map,
    pub(super) range: [f64; 2],
}

/// Makes pixels of a relief.
pub(super) struct Shader<'a> {
    relief: &'a Relief,
    frame: &'a Frame,
    backdrop: Option<Backdrop>,
    open: Batch<f32>,
    field: Option<(Batch<f32>, Option<Scale>)>,
    /// How many points are asked for a sample.
    asked: usize,
    directions: [[f32; 3]; AROUND],
    /// How far from a place the points are.
    reach: f32,
    /// A small length.
    step: f32,
    up: [f32; 3],
}

/// A sample of a pixel that shows something.
struct Sample {
    pixel: usize,
    hit: Hit,
    u: f32,
    v: f32,
    is_rim: bool,
    /// Where its points begin.
    points: usize,
}

/// What a thread needs.
struct Scratch<'a> {
    open: BatchEvaluator<'a, f32>,
    field: Option<BatchEvaluator<'a, f32>>,
    samples: Vec<Sample>,
    points: [Vec<f32>; 3],
    /// The length of each point's way, times its part along the normal.
    heights: Vec<f32>,
    values: Vec<f32>,
}

impl<'a> Shader<'a> {
    pub(super) fn new(
        shape: &Shape<'_>,
        bounds: &Bounds,
        frame: &'a Frame,
        clip: &Clip,
        relief: &'a Relief,
        field: Option<Field>,
        settings: Settings,
    ) -> Shader<'a> {
        let code = openness(shape, frame, clip);
        let hits = relief.count();
        let work = hits * code.instructions().len().max(1);
        let most = AROUND / (SAMPLES * SAMPLES);
        let asked = (TIME / work.max(1)).min(most + 1).saturating_sub(1);
        // Points on a ball, evenly: a spiral of golden angles.
        let directions = std::array::from_fn(|index| {
            let z = 1.0 - (2 * index + 1) as f64 / AROUND as f64;
            let angle = index as f64 * 2.399_963_229_728_653;
            let across = (1.0 - z * z).sqrt();
            [across * angle.cos(), across * angle.sin(), z].map(|part| (part * 0.96) as f32)
        });
        let depth = f64::midpoint(frame.depths[0], frame.depths[1]);
        Shader {
            relief,
            frame,
            backdrop: None,
            open: Batch::new(&code, 3, settings),
            field: field.map(|field| {
                let batch = Batch::new(&field.code, 3, settings);
                (batch, field.scale)
            }),
            asked,
            directions,
            reach: (bounds.diagonal() * 0.09) as f32,
            step: (frame.pixel_at(depth) / SAMPLES as f64) as f32,
            up: frame.turned([0.0, 0.0, 1.0]),
        }
    }

    /// The same with a grid behind it.
    pub(super) fn before(mut self, backdrop: Option<Backdrop>) -> Shader<'a> {
        self.backdrop = backdrop;
        self
    }

    /// The pixels.
    pub(super) fn image(&self, watch: &Watch<'_>) -> Result<Image, Undrawable> {
        let [width, height] = self.frame.size;
        let mut image = Image::new(width, height, GROUND);
        let rows = (PIXELS / width.max(1)).clamp(1, ROWS);
        let (done, ended) = (AtomicU64::new(0), AtomicBool::new(false));
        let scratch = || Scratch {
            open: self.open.evaluator(),
            field: self.field.as_ref().map(|(batch, _)| batch.evaluator()),
            samples: Vec::new(),
            points: [const { Vec::new() }; 3],
            heights: Vec::new(),
            values: Vec::new(),
        };
        image
            .rows_mut()
            .par_chunks_mut(width * rows)
            .enumerate()
            .for_each_init(scratch, |scratch, (piece, pixels)| {
                if ended.load(Ordering::Relaxed) {
                    return;
                }
                self.rows(piece * rows, pixels, scratch);
                let more = (pixels.len() / width) as u64;
                let done = done.fetch_add(more, Ordering::Relaxed) + more;
                if watch(done, height as u64).is_break() && done < height as u64 {
                    ended.store(true, Ordering::Relaxed);
                }
            });
        if ended.into_inner() {
            return Err(Cancelled.into());
        }
        Ok(image)
    }

    fn rows(&self, first: usize, pixels: &mut [[u8; 3]], scratch: &mut Scratch<'_>) {
        self.gather(first, pixels.len(), scratch);
        let share = 1.0 / (SAMPLES * SAMPLES) as f32;
        let colours = self.colours(scratch);
        scratch.values.resize(scratch.points[0].len(), 0.0);
        let Scratch {
            open,
            points: [u, v, w],
            samples,
            heights,
            values,
            ..
        } = scratch;
        open.run(&[u, v, w], &[], &mut [values]);
        let mut lights: Vec<(Light, f32)> = vec![([0.0; 3], 1.0); pixels.len()];
        for (index, sample) in samples.iter().enumerate() {
            let end = sample.points + if self.asked > 0 { 1 + self.asked } else { 0 };
            let range = sample.points..end;
            let open = openness_of(&values[range.clone()], &heights[range]);
            let colour = colours.get(index).copied().flatten();
            let seen = self.seen(sample, colour, open);
            let (light, left) = &mut lights[sample.pixel];
            for (light, seen) in light.iter_mut().zip(seen) {
                *light += seen * share;
            }
            *left -= share;
        }
        let ground = light(GROUND);
        let width = self.frame.size[0];
        for (index, (target, (light, left))) in pixels.iter_mut().zip(lights).enumerate() {
            let mut shown = light;
            if left > 0.0 {
                let (x, y) = (index % width, first + index / width);
                let at = self.frame.at([x as f64 + 0.5, y as f64 + 0.5]);
                let dark = self
                    .backdrop
                    .as_ref()
                    .map_or(0.0, |backdrop| backdrop.lines(self.frame, at));
                if dark == 0.0 && left >= 1.0 {
                    continue;
                }
                for (shown, ground) in shown.iter_mut().zip(ground) {
                    *shown += ground * (1.0 - dark) * left;
                }
            }
            *target = pixel(shown);
        }
    }

    /// Notes the samples that show something, and the points around them.
    fn gather(&self, first: usize, pixels: usize, scratch: &mut Scratch<'_>) {
        let width = self.frame.size[0];
        let Scratch {
            samples,
            points,
            heights,
            ..
        } = scratch;
        samples.clear();
        heights.clear();
        points.iter_mut().for_each(Vec::clear);
        for pixel in 0..pixels {
            let (x, y) = (pixel % width, first + pixel / width);
            for part in 0..SAMPLES * SAMPLES {
                let (x, y) = (x * SAMPLES + part % SAMPLES, y * SAMPLES + part / SAMPLES);
                let Some(hit) = self.relief.hit(x, y) else {
                    continue;
                };
                let place = [x, y].map(|place| (place as f64 + 0.5) / SAMPLES as f64);
                let [u, v] = self.frame.at(place).map(|place| place as f32);
                samples.push(Sample {
                    pixel,
                    u,
                    v,
                    is_rim: self.is_rim(x, y, hit),
                    points: heights.len(),
                    hit,
                });
                if self.asked == 0 {
                    continue;
                }
                let mut point = |direction: [f32; 3], length: f32, height: f32| {
                    let at = self.moved([u, v, hit.depth], direction, length);
                    for (list, part) in points.iter_mut().zip(at) {
                        list.push(part);
                    }
                    heights.push(height);
                };
                let small = 2.0 * self.step;
                point(hit.normal, small, small);
                for number in 0..self.asked {
                    let number = part + number * SAMPLES * SAMPLES;
                    // Of a ball that lies on the surface: more of them along the normal.
                    let around = self.directions[number];
                    let to: [f32; 3] = std::array::from_fn(|axis| hit.normal[axis] + around[axis]);
                    let along: f32 = (0..3).map(|axis| to[axis] * hit.normal[axis]).sum();
                    let share = (number * 7 % AROUND) as f32 / (AROUND - 1) as f32;
                    let length = self.reach * (0.12 + 0.88 * share * share);
                    point(to, length, length * along);
                }
            }
        }
    }

    /// The place that is a length away.
    fn moved(&self, [u, v, w]: [f32; 3], direction: [f32; 3], length: f32) -> [f32; 3] {
        let [right, up, forward] = direction.map(|part| part * length);
        if !self.frame.is_perspective {
            return [u + right, v + up, w + forward];
        }
        let depth = w + forward;
        [(u * w + right) / depth, (v * w + up) / depth, depth]
    }

    /// Whether something is far behind it right beside.
    fn is_rim(&self, x: usize, y: usize, hit: Hit) -> bool {
        let steep = 1.0 / hit.normal[2].abs().max(0.12);
        let far = hit.depth + self.step * (5.0 + 3.0 * steep);
        let beside = [
            (x + 1, y),
            (x.wrapping_sub(1), y),
            (x, y + 1),
            (x, y.wrapping_sub(1)),
        ];
        beside
            .into_iter()
            .any(|(x, y)| self.relief.depth(x, y) > far)
    }

    /// The colours of the samples by the field, if there is one; a sample may have none.
    fn colours(&self, scratch: &mut Scratch<'_>) -> Vec<Option<Light>> {
        let (Some((_, scale)), Some(evaluator)) = (&self.field, &mut scratch.field) else {
            return Vec::new();
        };
        let list = |of: &dyn Fn(&Sample) -> f32| scratch.samples.iter().map(of).collect::<Vec<_>>();
        let [u, v, w] = [
            list(&|sample| sample.u),
            list(&|sample| sample.v),
            list(&|sample| sample.hit.depth),
        ];
        let mut red = vec![0.0; u.len()];
        let Some(Scale { map, range }) = scale else {
            let (mut green, mut blue) = (red.clone(), red.clone());
            evaluator.run(&[&u, &v, &w], &[], &mut [&mut red, &mut green, &mut blue]);
            let parts = red.iter().zip(green.iter().zip(&blue));
            return parts
                .map(|(&red, (&green, &blue))| said([red, green, blue]))
                .collect();
        };
        evaluator.run(&[&u, &v, &w], &[], &mut [&mut red]);
        let colour = |value: f32| {
            let share = (f64::from(value) - range[0]) / (range[1] - range[0]);
            Some(light(map.colour(share as f32)))
        };
        red.into_iter().map(colour).collect()
    }

    /// The light that comes from a sample.
    fn seen(&self, sample: &Sample, colour: Option<Light>, open: f32) -> Light {
        let normal = sample.hit.normal;
        let towards = |direction: [f32; 3]| {
            let along: f32 = normal.iter().zip(direction).map(|(a, b)| a * b).sum();
            along
        };
        let key = towards(KEY).max(0.0);
        let fill = towards(FILL).max(0.0);
        let sky = 0.5 + 0.5 * towards(self.up);
        let all = 0.20 + 0.22 * sky;
        let sum = open * all + key * 0.74 * (0.45 + 0.55 * open) + fill * 0.16 * open;
        // A dull gleam, half way between the key light and the viewer.
        let gleam = towards([-0.242, 0.341, -0.908]).max(0.0).powi(24) * 0.07 * open;
        let own = colour.unwrap_or(match sample.hit.material {
            Material::Surface => SURFACE,
            Material::Cut => CUT,
            Material::Section => SECTION,
        });
        let [near, far] = self.frame.depths.map(|depth| depth as f32);
        let pale = 0.16 * ((sample.hit.depth - near) / (far - near)).clamp(0.0, 1.0);
        let rim = if sample.is_rim { 0.45 } else { 1.0 };
        std::array::from_fn(|part| {
            let shown = (own[part] * sum * 1.12 + gleam) * rim;
            shown + (0.88 - shown) * pale
        })
    }
}

/// How open a place is, from 0 to 1, by the values at points around it. The first of these is near and tells how fast
/// values grow.
fn openness_of(values: &[f32], heights: &[f32]) -> f32 {
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

/// The code of the shape with all that is cut off, in the coordinates of the camera; what is not a number is outside.
fn openness(shape: &Shape<'_>, frame: &Frame, clip: &Clip) -> Arc<Code> {
    let place =
        |kernel: &mut Kernel, scalars: [fibula_nodes::Expr; 3]| written(frame, kernel, scalars);
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
