//! Light and colour: from what is seen to pixels.
//!
//! A key light comes from above the viewer's left shoulder, so that no view is dark, a fill light from the right, and
//! the rest from all sides as far as a place is [open](super::open). Things grow paler with depth, and where something
//! is far before what is beside it, it has a dark rim.
//!
//! Where a smooth surface of one colour fills a pixel, it is lit once, else for each of the samples.

use std::sync::Arc;

use fibula_drawing::image::Image;
use fibula_eval::{Batch, BatchEvaluator, Code, Settings};
use fibula_knowledge::progress::Progress;
use rayon::prelude::*;

use super::Undrawable;
use super::backdrop::{Backdrop, GROUND};
use super::camera::Frame;
use super::colour::{Light, Map, SURFACE, light, pixel, said};
use super::hit::{self, Hit, Material, NOTHING};
use super::open::{Grid, Openness, PIXELS, Places, Share};
use super::relief::Relief;
use crate::Watch;

/// Pixels that are a piece of work, if they are not more or less in two or four rows.
const PIECE: usize = 2_048;

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
    openness: Openness<'a>,
    field: Option<(Batch<f32>, Option<Scale>)>,
    /// The length of a sample's side.
    step: f32,
    up: [f32; 3],
}

/// A part of a pixel that shows something.
struct Sample {
    pixel: usize,
    /// How much of the pixel it is.
    share: f32,
    at: [f32; 2],
    hit: Hit,
    /// How much light a rim leaves.
    rim: f32,
    open: Open,
}

/// How open a place is.
#[derive(Debug, Clone, Copy)]
enum Open {
    Known(f32),
    /// As the place with this number.
    Asked(usize),
}

/// What is known of a cell of the grid that shows a smooth surface.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// How open its corners are.
    open: [f32; 4],
    may_have_rim: bool,
}

/// How much the places of a part of the picture differ.
struct Spread {
    /// The least and the greatest depth, as bits; those of nothing are greater.
    depths: [u32; 2],
    /// The least and the greatest place of normals on each side of the octahedron's square.
    places: [[u32; 2]; 2],
    /// The bits that all hits have, and that any has.
    all: u64,
    any: u64,
}

/// What a thread needs.
struct Scratch<'a> {
    open: BatchEvaluator<'a, f32>,
    field: Option<BatchEvaluator<'a, f32>>,
    samples: Vec<Sample>,
    places: Places,
    dark: Vec<f32>,
}

impl Spread {
    /// Of no places.
    const NONE: Spread = Spread {
        depths: [u32::MAX, 0],
        places: [[u32::MAX, 0]; 2],
        all: !0,
        any: 0,
    };

    /// Adds some places, given as they are packed.
    fn add(&mut self, hits: &[u64]) {
        for &hit in hits {
            let wider = |[low, high]: [u32; 2], part: u32| [low.min(part), high.max(part)];
            self.depths = wider(self.depths, (hit >> 32) as u32);
            let [a, b] = hit::places(hit);
            self.places = [wider(self.places[0], a), wider(self.places[1], b)];
            (self.all, self.any) = (self.all & hit, self.any | hit);
        }
    }

    /// Whether nothing is seen.
    fn is_nothing(&self) -> bool {
        self.all == NOTHING
    }

    /// Whether all of it is one smooth surface; it is so many steps of such a length wide.
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
        relief: &'a Relief,
        frame: &'a Frame,
        openness: Openness<'a>,
        field: Option<Field>,
        settings: Settings,
    ) -> Shader<'a> {
        let depth = f64::midpoint(frame.depths[0], frame.depths[1]);
        Shader {
            relief,
            frame,
            backdrop: None,
            openness,
            field: field.map(|field| {
                let batch = Batch::new(&field.code, 3, settings);
                (batch, field.scale)
            }),
            step: (frame.pixel_at(depth) / relief.samples as f64) as f32,
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
        // Each row of the picture, and each that the grid stands for.
        let progress = Progress::new(2 * height as u64, watch);
        let grid = self.openness.grid(self.relief, &progress);
        let mut image = Image::new(width, height, GROUND);
        let rows = (PIECE / width).clamp(1, 2) * PIXELS;
        let scratch = || Scratch {
            open: self.openness.evaluator(),
            field: self.field.as_ref().map(|(batch, _)| batch.evaluator()),
            samples: Vec::new(),
            places: Places::default(),
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

    fn rows(&self, first: usize, grid: &Grid, pixels: &mut [[u8; 3]], scratch: &mut Scratch<'_>) {
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
                Open::Known(open) => open,
                Open::Asked(number) => places.open(number),
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

    /// Notes what the pixels of a cell of the grid show, which begins at a column and at a row after the first one.
    fn gather(
        &self,
        [column, row]: [usize; 2],
        first: usize,
        grid: &Grid,
        scratch: &mut Scratch<'_>,
    ) {
        let (relief, stride) = (self.relief, grid.stride);
        let [width, height] = self.frame.size;
        let [x, y] = [column, first + row].map(|place| place * relief.samples);
        let end = [
            (x + stride).min(relief.width),
            (y + stride).min(relief.height),
        ];
        let rows = (y..end[1]).map(|y| relief.row(x..end[0], y));
        if rows.clone().flatten().all(|&hit| hit == NOTHING) {
            return;
        }
        let mut spread = Spread::NONE;
        rows.for_each(|row| spread.add(row));
        let mut known = None;
        // Those at the lower and right side have no cell.
        if x + stride < relief.width && y + stride < relief.height {
            let beside = x + stride..x + stride + 1;
            spread.add(relief.row(beside.clone(), y));
            spread.add(relief.row(beside, y + stride));
            spread.add(relief.row(x..x + 1, y + stride));
            if spread.is_even(stride, self.step) {
                known = Some(Known {
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

    /// Notes what a pixel shows, which is the one with this number, at one of the places in a cell of the grid.
    fn pixel(
        &self,
        at: [usize; 2],
        pixel: usize,
        [right, down]: [usize; 2],
        known: Option<Known>,
        scratch: &mut Scratch<'_>,
    ) {
        let relief = self.relief;
        let side = relief.samples;
        let [x, y] = at.map(|place| place * side);
        let mut spread = Spread::NONE;
        for y in y..y + side {
            spread.add(relief.row(x..x + side, y));
        }
        if spread.is_nothing() {
            return;
        }
        let is_even = known.is_some() || spread.is_even(side, self.step);
        let share = 1.0 / (side * side) as f32;
        let mut whole = None;
        if is_even {
            let (mut depth, mut places) = (0.0, [0.0; 2]);
            for &hit in (y..y + side).flat_map(|y| relief.row(x..x + side, y)) {
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
            let open = if let Some(Known { open, .. }) = known {
                let [a, b, c, d] = open;
                let [across, along] = [right, down].map(|place| {
                    let from = (side - 1) as f32 / 2.0 + (place * side) as f32;
                    from / (PIXELS * side) as f32
                });
                let (above, below) = (a + (b - a) * across, c + (d - c) * across);
                Open::Known(above + (below - above) * along)
            } else {
                self.openness
                    .ask(middle, &hit, Share::ALL, &mut scratch.places);
                Open::Asked(scratch.places.len() - 1)
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
                let rims = samples.map(|(x, y)| self.rim(x, y, relief.depth(x, y), hit.normal));
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
            let Some(hit) = relief.hit(x, y) else {
                continue;
            };
            let at = self.frame.at(relief.place([x, y])).map(|part| part as f32);
            let open = if let Some((.., open)) = whole {
                open
            } else {
                let own = Share {
                    part,
                    of: side * side,
                };
                self.openness.ask(at, &hit, own, &mut scratch.places);
                Open::Asked(scratch.places.len() - 1)
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

    /// Whether something beside the places of a square, which begins at one and of which this is the least depth, may be
    /// so far away that there is a rim.
    fn may_have_rim(&self, [x, y]: [usize; 2], side: usize, near: u32) -> bool {
        let relief = self.relief;
        if x == 0 || y == 0 || x + side >= relief.width || y + side >= relief.height {
            return true;
        }
        let far = f32::from_bits(near) + self.step * 8.0;
        let mut rows = (y - 1..=y + side).map(|y| relief.row(x - 1..x + side + 1, y));
        // What is nothing is no number.
        let is_near = |&hit: &u64| hit::depth(hit) <= far;
        !rows.all(|row| row.iter().all(is_near))
    }

    /// How much light the rim of a sample leaves: less, if something is far behind it right beside.
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
            .any(|(x, y)| self.relief.depth(x, y) > far);
        if is_rim { 0.45 } else { 1.0 }
    }

    /// The colours of the samples by the field, if there is one; a sample may have none.
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
