//! Masks: which pixels of a plane are inside of a shape, for printers that expose a layer at once.
//!
//! A pixel is inside if its middle is: where the function is exactly 0, or is not a number, it is outside, and so is what is
//! beyond the bounds. The plane is looked at where the function's bounds do not say what all pixels are.
//!
//! ```
//! use fibula_core::eval::Tape;
//! use fibula_core::expression;
//! use fibula_geometry::{Bounds, Masker, Masking, Shape};
//! use fibula_core::graph::Document;
//! use std::ops::ControlFlow;
//!
//! let mut document = Document::default();
//! let ball = expression::add_function(&mut document, "Ball", "length(pos) - 5")?;
//! let tape = Tape::new(&document, ball)?;
//! let masking = Masking { bounds: Bounds::new([-6.0; 3], [6.0; 3])?, pixel: 0.05 };
//! let mask = Masker::new(&Shape::new(&tape)?, masking)?.mask(3.0, &|_, _| ControlFlow::Continue(()))?;
//! assert_eq!(mask.size(), [240, 240]);
//! assert!(mask.is_inside([120, 120]) && !mask.is_inside([20, 120]));
//! assert!((mask.count() as f64 * 0.05 * 0.05 - std::f64::consts::PI * 16.0).abs() < 0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use fibula_eval::prune::{Axis, Cell, CellAction, Cells, Leaf, Region, Visitor};
use fibula_eval::{Float, Interval, Rounding, Settings};

use super::explore::{Explorer, Unexplorable};
use super::{Bounds, Cancelled, Shape, Watch, short_that};

/// Pixels along a side of the finest cells: those of a word.
const SIDE: usize = u16::BITS as usize;
/// The pixels along an edge of the pruner's boxes.
const SIDES: [usize; 2] = [8 * SIDE, SIDE];
/// The most pixels of a mask, and along a side of it.
const MOST_PIXELS: f64 = (1_u64 << 28) as f64;
const MOST_ALONG: f64 = (1_u64 << 20) as f64;
/// The most pixels between the origin and a corner, so that neighbouring middles differ.
const FINEST: f64 = (1_u64 << 44) as f64;

/// Where masks are made, and how finely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Masking {
    /// What is beyond is outside. The middle of the first pixel is half a pixel from the corner with the lowest x and y, and the
    /// last ones are those whose middles are within.
    pub bounds: Bounds,
    /// The side of a pixel, in the unit of the bounds.
    pub pixel: f64,
}

impl Masking {
    /// How many pixels there are along x and y.
    ///
    /// # Errors
    /// [`Unmaskable`] if the size of a pixel is no positive number, or too small.
    pub fn size(&self) -> Result<[usize; 2], Unmaskable> {
        let Masking { bounds, pixel } = *self;
        if !(pixel.is_finite() && pixel > 0.0) {
            return Err(Unmaskable::Pixel { pixel });
        }
        let counts = self.counts(pixel);
        if !is_moderate(counts) {
            let [x, y, _] = bounds.size();
            let least = (x / MOST_PIXELS).sqrt() * y.sqrt();
            let least = least.max(x.max(y) / MOST_ALONG);
            return Err(Unmaskable::TooManyPixels {
                pixel,
                pixels: counts[0] * counts[1],
                passes: short_that(least, |pixel| is_moderate(self.counts(pixel))),
            });
        }
        if bounds.reach() / pixel > FINEST {
            return Err(Unmaskable::TooFar {
                pixel,
                reach: bounds.reach(),
            });
        }
        Ok(counts.map(|count| count as usize))
    }

    fn counts(&self, pixel: f64) -> [f64; 2] {
        let [x, y, _] = self.bounds.size();
        // What rounding takes from a half counts.
        [x, y].map(|size| (size / pixel * (1.0 + 1e-12)).round().max(1.0))
    }

    /// The middles of the pixels along x, and from the top along y.
    fn middles<T: Float>(&self, [width, height]: [usize; 2]) -> [Vec<T>; 2] {
        let along = |axis: usize, count: usize| {
            let (low, high) = (self.bounds.low()[axis], self.bounds.high()[axis]);
            let middle = move |place: usize| {
                T::from_f64((low + (place as f64 + 0.5) * self.pixel).min(high))
            };
            (0..count).map(middle).collect::<Vec<T>>()
        };
        let mut rows = along(1, height);
        rows.reverse();
        [along(0, width), rows]
    }
}

fn is_moderate([along, across]: [f64; 2]) -> bool {
    along * across <= MOST_PIXELS && along.max(across) <= MOST_ALONG
}

/// Why there is no mask of a shape.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unmaskable {
    /// The shape is too large.
    #[error(transparent)]
    Unexplorable(#[from] Unexplorable),
    /// The size of a pixel is none.
    #[error("a pixel has a side above 0, not {pixel}; take that of the printer, such as 0.05")]
    Pixel {
        /// What was given.
        pixel: f64,
    },
    /// The pixels are too small.
    #[error(
        "pixels of {pixel} make a mask of {pixels:.0e}, and the most are {MOST_PIXELS:.0e}, and {MOST_ALONG:.0e} along a side; \
         {passes} passes"
    )]
    TooManyPixels {
        /// The size that was given.
        pixel: f64,
        /// How many there would be.
        pixels: f64,
        /// A size with which there are not too many.
        passes: f64,
    },
    /// The middles of neighbouring pixels would be the same number.
    #[error(
        "pixels of {pixel} are too small for a place {reach} from the origin; move it closer or take larger pixels"
    )]
    TooFar {
        /// The size that was given.
        pixel: f64,
        /// How far the box reaches.
        reach: f64,
    },
    /// A height is none.
    #[error("heights are finite numbers, not {0}")]
    Height(f64),
    /// The work was ended.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Which pixels are inside at a height.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    size: [usize; 2],
    /// Row by row from the top, each beginning a word, a pixel a bit from the lowest one.
    words: Vec<u16>,
    /// Pixels at which the function is not a number; they are outside.
    pub undefined: u64,
}

impl Mask {
    fn new(size: [usize; 2]) -> Mask {
        Mask {
            size,
            words: vec![0; size[0].div_ceil(SIDE) * size[1]],
            undefined: 0,
        }
    }

    /// How many pixels there are along x and y.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// Whether a pixel is inside, by its place from the left and from the top; there is nothing beyond the sides.
    pub fn is_inside(&self, [column, row]: [usize; 2]) -> bool {
        let [width, height] = self.size;
        let is_there = column < width && row < height;
        is_there
            && self.words[row * width.div_ceil(SIDE) + column / SIDE] >> (column % SIDE) & 1 == 1
    }

    /// How many pixels are inside.
    pub fn count(&self) -> u64 {
        let counts = self.words.iter().map(|word| u64::from(word.count_ones()));
        counts.sum()
    }

    /// The rows from the top, eight pixels a byte, the highest bit on the left; each row begins a byte, and bits beyond its
    /// end are 0: as images of one bit a pixel are written.
    pub fn bytes(&self) -> Vec<u8> {
        let [width, height] = self.size;
        let mut bytes = Vec::with_capacity(width.div_ceil(8) * height);
        for row in self.words.chunks(width.div_ceil(SIDE)) {
            let all = row
                .iter()
                .flat_map(|word| word.reverse_bits().to_be_bytes());
            bytes.extend(all.take(width.div_ceil(8)));
        }
        bytes
    }

    /// Fills a cell whose first pixel begins a word.
    fn fill(&mut self, cell: &Cell) {
        let ([x, y, _], [width, height, _]) = (cell.start, cell.size);
        let along = self.size[0].div_ceil(SIDE);
        for row in y..y + height {
            let words = &mut self.words[row * along + x / SIDE..];
            words[..width / SIDE].fill(u16::MAX);
            if width % SIDE > 0 {
                words[width / SIDE] = !(u16::MAX << (width % SIDE));
            }
        }
    }
}

/// A shape of which masks are made; shared between threads.
pub struct Masker {
    explorer: Either,
    masking: Masking,
    size: [usize; 2],
}

/// In the precision that is enough.
enum Either {
    Single(Explorer<f32>, [Vec<f32>; 2]),
    Double(Explorer<f64>, [Vec<f64>; 2]),
}

impl Masker {
    /// Prepares a shape. Where a pixel is a thousand steps of single precision wide this is what is computed in, so that
    /// pixels whose middles are a thousandth of their side from the surface may be on either side.
    ///
    /// # Errors
    /// [`Unmaskable`] if pixels are none or too small, or the function is too large.
    pub fn new(shape: &Shape<'_>, masking: Masking) -> Result<Masker, Unmaskable> {
        let size = masking.size()?;
        let code = shape.code(Rounding::Fast, &[shape.value()], |_, at| at);
        let settings = Settings::default();
        let explorer = if masking.bounds.is_single_enough(masking.pixel) {
            Either::Single(Explorer::of(&code, settings)?, masking.middles(size))
        } else {
            Either::Double(Explorer::of(&code, settings)?, masking.middles(size))
        };
        Ok(Masker {
            explorer,
            masking,
            size,
        })
    }

    /// The mask at a height; nothing is inside above and below the bounds.
    ///
    /// The work is done on rayon's threads, and what is found does not depend on them. `watch` is told of boxes of pixels.
    ///
    /// # Errors
    /// [`Unmaskable::Height`], and [`Unmaskable::Cancelled`] if `watch` ended it.
    pub fn mask(&self, z: f64, watch: &Watch<'_>) -> Result<Mask, Unmaskable> {
        if !z.is_finite() {
            return Err(Unmaskable::Height(z));
        }
        let (low, high) = (self.masking.bounds.low()[2], self.masking.bounds.high()[2]);
        if !(low..=high).contains(&z) {
            return Ok(Mask::new(self.size));
        }
        match &self.explorer {
            Either::Single(explorer, middles) => self.made(explorer, middles, z, watch),
            Either::Double(explorer, middles) => self.made(explorer, middles, z, watch),
        }
    }

    fn made<T: Float>(
        &self,
        explorer: &Explorer<T>,
        [columns, rows]: &[Vec<T>; 2],
        z: f64,
        watch: &Watch<'_>,
    ) -> Result<Mask, Unmaskable> {
        let axis = |input, samples| Axis {
            input,
            samples,
            backwards: false,
        };
        let region = Region {
            axes: &[axis(0, columns), axis(1, rows)],
            inputs: &[T::ZERO, T::ZERO, T::from_f64(z)],
            sides: &SIDES,
            cells: Cells::Samples,
        };
        let mut mask = Mask::new(self.size);
        let along = self.size[0].div_ceil(SIDE);
        for found in explorer.explore(&region, Finder::default, watch)? {
            for cell in &found.filled {
                mask.fill(cell);
            }
            for ([x, y], words) in found.leaves {
                let rows = self.size[1] - y;
                for (row, word) in words.into_iter().enumerate().take(rows) {
                    mask.words[(y + row) * along + x / SIDE] = word;
                }
            }
            mask.undefined += found.undefined;
        }
        Ok(mask)
    }
}

/// Finds what is inside in a part of the plane.
#[derive(Default)]
struct Finder {
    filled: Vec<Cell>,
    /// The pixels of the finest cells, by where they begin.
    leaves: Vec<([usize; 2], [u16; SIDE])>,
    /// Whether a cell that is divided may have values that are not numbers.
    is_doubtful: bool,
    undefined: u64,
}

impl<T: Float> Visitor<T> for Finder {
    fn bounded(&mut self, cell: &Cell, bounds: Interval<T>) -> CellAction {
        let is_doubtful = bounds.may_be_undefined();
        if bounds.contains(T::ZERO) || is_doubtful {
            self.is_doubtful |= is_doubtful;
            return CellAction::Divide;
        }
        if bounds.high() < T::ZERO {
            self.filled.push(*cell);
        }
        CellAction::Done
    }

    fn leaf(&mut self, leaf: &mut Leaf<'_, T>) {
        let [x, y, _] = leaf.cell().start;
        let [width, _, _] = leaf.counts();
        let mut words = [0; SIDE];
        let samples = leaf.samples();
        for (word, values) in words.iter_mut().zip(samples.chunks_exact(width)) {
            *word = packed(values);
        }
        if self.is_doubtful {
            let undefined = samples.iter().filter(|value| value.to_f64().is_nan());
            self.undefined += undefined.count() as u64;
        }
        self.leaves.push(([x, y], words));
    }
}

/// Which of up to 16 values are below 0, the first in the lowest bit.
#[inline]
fn packed<T: Float>(values: &[T]) -> u16 {
    let mut below = [[0; 8]; 2];
    for (below, value) in below.as_flattened_mut().iter_mut().zip(values) {
        *below = u8::from(*value < T::ZERO);
    }
    // Each of the bytes, which are 0 or 1, gets to its place in the highest of the product.
    let bytes = below
        .map(|eight| (u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8);
    u16::from_le_bytes(bytes)
}
