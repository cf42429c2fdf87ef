//! Shading: from the depth and normal buffer to pixels.
//!
//! A key light comes from above the viewer's left shoulder, so that no view is dark, a fill light from the right, and
//! [ambient light](super::ambient_occlusion) from all sides. Colours grow paler with depth, and depth discontinuities
//! have a dark rim.
//!
//! Where a smooth surface of one colour fills a pixel, it is shaded once, otherwise for each sample.

use std::sync::Arc;

use fibula_drawing::image::Image;
use fibula_eval::{Batch, BatchEvaluator, Code, Settings};
use fibula_knowledge::progress::Progress;
use rayon::prelude::*;

use super::PictureError;
use super::ambient_occlusion::{
    AmbientOcclusion, OcclusionGrid, OcclusionSamples, PIXELS, SampleShare, SolidEvaluator,
};
use super::backdrop::{Backdrop, GROUND};
use super::camera::Frame;
use super::colour::{ColorMap, Light, SURFACE, light, paint, pixel};
use super::depth_normal_buffer::DepthNormalBuffer;
use super::packed_hit::{self as hit, Hit, Material, NOTHING};
use crate::Watch;

/// Pixels per piece of work, if that is not more or less in two or four rows.
const PIECE: usize = 2_048;

const CUT: Light = [0.760, 0.560, 0.330];
const SECTION: Light = [0.800, 0.400, 0.230];
/// Directions to the lights: right, up and forward.
const KEY: [f32; 3] = [-0.44, 0.62, -0.65];
const FILL: [f32; 3] = [0.80, 0.10, -0.59];

/// Scalar field or colours of a surface.
pub(super) struct Field {
    /// Computes a number, or red, green and blue.
    pub(super) code: Arc<Code>,
    pub(super) scale: Option<Scale>,
}

/// Colour scale of a scalar field.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    pub(super) map: ColorMap,
    pub(super) range: [f64; 2],
}

/// Shades a buffer.
pub(super) struct Shader<'a> {
    buffer: &'a DepthNormalBuffer,
    frame: &'a Frame,
    backdrop: Option<Backdrop>,
    occlusion: AmbientOcclusion<'a>,
    field: Option<(Batch<f32>, Option<Scale>)>,
    /// Size of a sample.
    step: f32,
    up: [f32; 3],
}

/// A part of a pixel with a hit.
struct Sample {
    pixel: usize,
    /// Share of the pixel.
    share: f32,
    at: [f32; 2],
    hit: Hit,
    /// Factor of light at a rim.
    rim: f32,
    open: Visibility,
}

/// Ambient visibility of a sample.
#[derive(Debug, Clone, Copy)]
enum Visibility {
    Known(f32),
    /// That of the point with this index.
    Sampled(usize),
}

/// A cell of the grid that shows a smooth surface.
#[derive(Debug, Clone, Copy)]
struct SmoothCell {
    /// Visibility at its corners.
    open: [f32; 4],
    may_have_rim: bool,
}

/// Range of the hits in a part of the picture.
struct HitRange {
    /// Least and greatest depth, as bits; greater without a hit.
    depths: [u32; 2],
    /// Least and greatest octahedral coordinates of the normals.
    places: [[u32; 2]; 2],
    /// Bits that all hits have, and that any has.
    all: u64,
    any: u64,
}

/// Buffers of a thread.
struct Scratch<'a> {
    open: SolidEvaluator<'a>,
    field: Option<BatchEvaluator<'a, f32>>,
    samples: Vec<Sample>,
    places: OcclusionSamples,
    dark: Vec<f32>,
}

impl HitRange {
    const NONE: HitRange = HitRange {
        depths: [u32::MAX, 0],
        places: [[u32::MAX, 0]; 2],
        all: !0,
        any: 0,
    };

    fn add(&mut self, hits: &[u64]) {
        for &hit in hits {
            let wider = |[low, high]: [u32; 2], part: u32| [low.min(part), high.max(part)];
            self.depths = wider(self.depths, (hit >> 32) as u32);
            let [a, b] = hit::places(hit);
            self.places = [wider(self.places[0], a), wider(self.places[1], b)];
            (self.all, self.any) = (self.all & hit, self.any | hit);
        }
    }

    fn is_nothing(&self) -> bool {
        self.all == NOTHING
    }

    /// True if all of it is one smooth surface; it is so many steps of such a length wide.
    fn is_even(&self, steps: usize, step: f32) -> bool {
        /// Some degrees.
        const SAME: u32 = 1_500;
        let is_same = self.places.iter().all(|[low, high]| high - low <= SAME);
        let is_one_material = hit::material(self.all) == hit::material(self.any);
        if self.depths[1] == u32::MAX || !is_one_material || !is_same {
            return false;
        }
        let [near, far] = self.depths.map(f32::from_bits);
        let [x, y, z] = hit::unfolded(self.places.map(|[low, high]| (low + high) as f32 / 2.0));
        let slope = (x.abs() + y.abs()) / z.abs().max(0.05);
        far - near <= step * (3.0 + 1.5 * slope * steps as f32)
    }
}

impl<'a> Shader<'a> {
    pub(super) fn new(
        buffer: &'a DepthNormalBuffer,
        frame: &'a Frame,
        occlusion: AmbientOcclusion<'a>,
        field: Option<Field>,
        settings: Settings,
    ) -> Shader<'a> {
        let depth = f64::midpoint(frame.depths[0], frame.depths[1]);
        Shader {
            buffer,
            frame,
            backdrop: None,
            occlusion,
            field: field.map(|field| {
                let batch = Batch::new(&field.code, 3, settings);
                (batch, field.scale)
            }),
            step: (frame.pixel_at(depth) / buffer.samples as f64) as f32,
            up: frame.turned([0.0, 0.0, 1.0]),
        }
    }

    /// Adds a grid behind the shape.
    pub(super) fn before(mut self, backdrop: Option<Backdrop>) -> Shader<'a> {
        self.backdrop = backdrop;
        self
    }

    pub(super) fn image(&self, watch: &Watch<'_>) -> Result<Image, PictureError> {
        let [width, height] = self.frame.size;
        // Each row of the picture, and each row of the grid.
        let progress = Progress::new(2 * height as u64, watch);
        let grid = self.occlusion.grid(self.buffer, &progress);
        let mut image = Image::new(width, height, GROUND);
        let rows = (PIECE / width).clamp(1, 2) * PIXELS;
        let scratch = || Scratch {
            open: self.occlusion.evaluator(),
            field: self.field.as_ref().map(|(batch, _)| batch.evaluator()),
            samples: Vec::new(),
            places: OcclusionSamples::default(),
            dark: vec![0.0; width],
        };
        image
            .rows_mut()
            .par_chunks_mut(width * rows)
            .enumerate()
            .for_each_init(scratch, |scratch, (piece, pixels)| {
                if progress.is_ended() {
                    return;
                }
                self.rows(piece * rows, &grid, pixels, scratch);
                progress.add((pixels.len() / width) as u64);
            });
        Ok(progress.finish(image)?)
    }

    fn rows(
        &self,
        first: usize,
        grid: &OcclusionGrid,
        pixels: &mut [[u8; 3]],
        scratch: &mut Scratch<'_>,
    ) {
        let width = self.frame.size[0];
        scratch.samples.clear();
        scratch.places.clear();
        for row in (0..pixels.len() / width).step_by(PIXELS) {
            for column in (0..width).step_by(PIXELS) {
                self.gather([column, row], first, grid, scratch);
            }
        }
        let colours = self.colours(scratch);
        let (samples, places) = (&scratch.samples, &mut scratch.places);
        places.compute(&mut scratch.open);
        let mut lights: Vec<(Light, f32)> = vec![([0.0; 3], 1.0); pixels.len()];
        for (index, sample) in samples.iter().enumerate() {
            let colour = colours.get(index).copied().flatten();
            let open = match sample.open {
                Visibility::Known(open) => open,
                Visibility::Sampled(number) => places.open(number),
            };
            let seen = self.seen(sample, colour, open);
            let (light, left) = &mut lights[sample.pixel];
            for (light, seen) in light.iter_mut().zip(seen) {
                *light += seen * sample.share;
            }
            *left -= sample.share;
        }
        let ground = light(GROUND);
        let rows = pixels
            .chunks_exact_mut(width)
            .zip(lights.chunks_exact(width));
        for (row, (targets, lights)) in rows.enumerate() {
            if let Some(backdrop) = &self.backdrop {
                backdrop.row(self.frame, first + row, &mut scratch.dark);
            }
            for ((target, &(mut shown, left)), &dark) in
                targets.iter_mut().zip(lights).zip(&scratch.dark)
            {
                if dark == 0.0 && left >= 1.0 {
                    continue;
                }
                for (shown, ground) in shown.iter_mut().zip(ground) {
                    *shown += ground * (1.0 - dark) * left;
                }
                *target = pixel(shown);
            }
        }
    }

    /// Collects the samples of the pixels of a grid cell, which begins at a column and at a row after the first one.
    fn gather(
        &self,
        [column, row]: [usize; 2],
        first: usize,
        grid: &OcclusionGrid,
        scratch: &mut Scratch<'_>,
    ) {
        let (buffer, stride) = (self.buffer, grid.stride);
        let [width, height] = self.frame.size;
        let [x, y] = [column, first + row].map(|place| place * buffer.samples);
        let end = [
            (x + stride).min(buffer.width),
            (y + stride).min(buffer.height),
        ];
        let rows = (y..end[1]).map(|y| buffer.row(x..end[0], y));
        if rows.clone().flatten().all(|&hit| hit == NOTHING) {
            return;
        }
        let mut spread = HitRange::NONE;
        rows.for_each(|row| spread.add(row));
        let mut known = None;
        // The last cells at the lower and right side are incomplete.
        if x + stride < buffer.width && y + stride < buffer.height {
            let beside = x + stride..x + stride + 1;
            spread.add(buffer.row(beside.clone(), y));
            spread.add(buffer.row(beside, y + stride));
            spread.add(buffer.row(x..x + 1, y + stride));
            if spread.is_even(stride, self.step) {
                known = Some(SmoothCell {
                    open: grid.corners(x / stride, y / stride),
                    may_have_rim: self.may_have_rim([x, y], stride, spread.depths[0]),
                });
            }
        }
        for (right, down) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let [px, py] = [column + right, first + row + down];
            if px < width && py < height {
                let pixel = (row + down) * width + px;
                self.pixel([px, py], pixel, [right, down], known, scratch);
            }
        }
    }

    /// Collects the samples of a pixel, at one of the positions in a grid cell.
    fn pixel(
        &self,
        at: [usize; 2],
        pixel: usize,
        [right, down]: [usize; 2],
        known: Option<SmoothCell>,
        scratch: &mut Scratch<'_>,
    ) {
        let buffer = self.buffer;
        let side = buffer.samples;
        let [x, y] = at.map(|place| place * side);
        let mut spread = HitRange::NONE;
        for y in y..y + side {
            spread.add(buffer.row(x..x + side, y));
        }
        if spread.is_nothing() {
            return;
        }
        let is_even = known.is_some() || spread.is_even(side, self.step);
        let share = 1.0 / (side * side) as f32;
        let mut whole = None;
        if is_even {
            let (mut depth, mut places) = (0.0, [0.0; 2]);
            for &hit in (y..y + side).flat_map(|y| buffer.row(x..x + side, y)) {
                depth += hit::depth(hit) * share;
                for (sum, place) in places.iter_mut().zip(hit::places(hit)) {
                    *sum += place as f32 * share;
                }
            }
            let hit = Hit {
                depth,
                normal: hit::unfolded(places),
                material: hit::material(spread.all),
            };
            let middle = at.map(|place| place as f64 + 0.5);
            let middle = self.frame.at(middle).map(|part| part as f32);
            let open = if let Some(SmoothCell { open, .. }) = known {
                let [a, b, c, d] = open;
                let [across, along] = [right, down].map(|place| {
                    let from = (side - 1) as f32 / 2.0 + (place * side) as f32;
                    from / (PIXELS * side) as f32
                });
                let (above, below) = (a + (b - a) * across, c + (d - c) * across);
                Visibility::Known(above + (below - above) * along)
            } else {
                self.occlusion
                    .ask(middle, &hit, SampleShare::ALL, &mut scratch.places);
                Visibility::Sampled(scratch.places.len() - 1)
            };
            whole = Some((hit, middle, open));
        }
        // Colours of a field may change within a pixel.
        if let (Some((hit, at, open)), None) = (whole, &self.field) {
            let mut rim = 1.0;
            let may_have_rim = known.map_or_else(
                || self.may_have_rim([x, y], side, spread.depths[0]),
                |known| known.may_have_rim,
            );
            if may_have_rim {
                let samples = (0..side * side).map(|part| (x + part % side, y + part / side));
                let rims = samples.map(|(x, y)| self.rim(x, y, buffer.depth(x, y), hit.normal));
                rim = rims.sum::<f32>() * share;
            }
            scratch.samples.push(Sample {
                pixel,
                share: 1.0,
                at,
                hit,
                rim,
                open,
            });
            return;
        }
        for part in 0..side * side {
            let (x, y) = (x + part % side, y + part / side);
            let Some(hit) = buffer.hit(x, y) else {
                continue;
            };
            let at = self.frame.at(buffer.place([x, y])).map(|part| part as f32);
            let open = if let Some((.., open)) = whole {
                open
            } else {
                let own = SampleShare {
                    part,
                    of: side * side,
                };
                self.occlusion.ask(at, &hit, own, &mut scratch.places);
                Visibility::Sampled(scratch.places.len() - 1)
            };
            scratch.samples.push(Sample {
                pixel,
                share,
                at,
                rim: self.rim(x, y, hit.depth, hit.normal),
                hit,
                open,
            });
        }
    }

    /// True if something beside a square, given by its first sample, size and least depth, may be so far away that
    /// there is a rim.
    fn may_have_rim(&self, [x, y]: [usize; 2], side: usize, near: u32) -> bool {
        let buffer = self.buffer;
        if x == 0 || y == 0 || x + side >= buffer.width || y + side >= buffer.height {
            return true;
        }
        let far = f32::from_bits(near) + self.step * 8.0;
        let mut rows = (y - 1..=y + side).map(|y| buffer.row(x - 1..x + side + 1, y));
        // No hit is NaN.
        let is_near = |&hit: &u64| hit::depth(hit) <= far;
        !rows.all(|row| row.iter().all(is_near))
    }

    /// Returns the factor of light at a sample: less if something directly beside is far behind it.
    fn rim(&self, x: usize, y: usize, depth: f32, normal: [f32; 3]) -> f32 {
        let steep = 1.0 / normal[2].abs().max(0.12);
        let far = depth + self.step * (5.0 + 3.0 * steep);
        let beside = [
            (x + 1, y),
            (x.wrapping_sub(1), y),
            (x, y + 1),
            (x, y.wrapping_sub(1)),
        ];
        let is_rim = beside
            .into_iter()
            .any(|(x, y)| self.buffer.depth(x, y) > far);
        if is_rim { 0.45 } else { 1.0 }
    }

    /// Computes the colours of the samples, if there is a field; a sample may have none.
    fn colours(&self, scratch: &mut Scratch<'_>) -> Vec<Option<Light>> {
        let (Some((_, scale)), Some(evaluator)) = (&self.field, &mut scratch.field) else {
            return Vec::new();
        };
        let list = |of: &dyn Fn(&Sample) -> f32| scratch.samples.iter().map(of).collect::<Vec<_>>();
        let [u, v, w] = [
            list(&|sample| sample.at[0]),
            list(&|sample| sample.at[1]),
            list(&|sample| sample.hit.depth),
        ];
        let mut red = vec![0.0; u.len()];
        let Some(Scale { map, range }) = scale else {
            let (mut green, mut blue) = (red.clone(), red.clone());
            evaluator.run(&[&u, &v, &w], &[], &mut [&mut red, &mut green, &mut blue]);
            let parts = red.iter().zip(green.iter().zip(&blue));
            return parts
                .map(|(&red, (&green, &blue))| paint([red, green, blue]))
                .collect();
        };
        evaluator.run(&[&u, &v, &w], &[], &mut [&mut red]);
        let colour = |value: f32| {
            let share = (f64::from(value) - range[0]) / (range[1] - range[0]);
            Some(light(map.colour(share as f32)))
        };
        red.into_iter().map(colour).collect()
    }

    /// Computes the light of a sample.
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
        // A dull highlight, halfway between the key light and the viewer.
        let gleam = towards([-0.242, 0.341, -0.908]).max(0.0);
        let gleam = gleam.powi(3).powi(8) * 0.07 * open;
        let own = colour.unwrap_or(match sample.hit.material {
            Material::Surface => SURFACE,
            Material::Cut => CUT,
            Material::Section => SECTION,
        });
        let [near, far] = self.frame.depths.map(|depth| depth as f32);
        let pale = 0.16 * ((sample.hit.depth - near) / (far - near)).clamp(0.0, 1.0);
        std::array::from_fn(|part| {
            let shown = (own[part] * sum * 1.12 + gleam) * sample.rim;
            shown + (0.88 - shown) * pale
        })
    }
}
