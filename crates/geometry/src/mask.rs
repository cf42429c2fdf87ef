//! Masks: rasterisation of a cross-section, for printers that expose a layer at once.
//!
//! A pixel is inside if its centre is: where the function is exactly 0 or NaN is outside, and so is everything beyond
//! the bounds. The plane is evaluated where the function's interval bounds do not decide all pixels.
//!
//! ```
//! use fibula_core::eval::Tape;
//! use fibula_core::expression;
//! use fibula_geometry::{Bounds, Masker, MaskSettings, Shape};
//! use fibula_core::graph::Document;
//! use std::ops::ControlFlow;
//!
//! let mut document = Document::default();
//! let ball = expression::add_function(&mut document, "Ball", "length(pos) - 5")?;
//! let tape = Tape::new(&document, ball)?;
//! let masking = MaskSettings { bounds: Bounds::new([-6.0; 3], [6.0; 3])?, pixel: 0.05 };
//! let mask = Masker::new(&Shape::new(&tape)?, masking)?.mask(3.0, &|_, _| ControlFlow::Continue(()))?;
//! assert_eq!(mask.size(), [240, 240]);
//! assert!(mask.is_inside([120, 120]) && !mask.is_inside([20, 120]));
//! assert!((mask.count() as f64 * 0.05 * 0.05 - std::f64::consts::PI * 16.0).abs() < 0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use fibula_eval::prune::{Axis, Cell, CellAction, Cells, Leaf, Region, Visitor};
use fibula_eval::{Float, Interval, Rounding, Settings};

use super::explore::{ExploreError, Explorer};
use super::{Bounds, Cancelled, Shape, Watch, short_that};

/// Pixels along an edge of the finest cells: the bits of a word.
const SIDE: usize = u16::BITS as usize;
/// Pixels along an edge of the pruner's boxes.
const SIDES: [usize; 2] = [8 * SIDE, SIDE];
/// Maximum pixels of a mask, and along one side of it.
const MOST_PIXELS: f64 = (1_u64 << 28) as f64;
const MOST_ALONG: f64 = (1_u64 << 20) as f64;
/// Maximum pixels between the origin and a corner, so that neighbouring centres differ.
const FINEST: f64 = (1_u64 << 44) as f64;

/// Bounds and resolution of masks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MaskSettings {
    /// Everything beyond is outside. The centre of the first pixel is half a pixel from the corner with the lowest x
    /// and y; the last pixels are those whose centres are within.
    pub bounds: Bounds,
    /// Edge of a pixel, in the unit of the bounds.
    pub pixel: f64,
}

impl MaskSettings {
    /// Numbers of pixels along x and y.
    ///
    /// # Errors
    /// [`MaskError`] if the pixel size is not positive, or too small.
    pub fn size(&self) -> Result<[usize; 2], MaskError> {
        let MaskSettings { bounds, pixel } = *self;
        if !(pixel.is_finite() && pixel > 0.0) {
            return Err(MaskError::Pixel { pixel });
        }
        let counts = self.counts(pixel);
        if !is_moderate(counts) {
            let [x, y, _] = bounds.size();
            let least = (x / MOST_PIXELS).sqrt() * y.sqrt();
            let least = least.max(x.max(y) / MOST_ALONG);
            return Err(MaskError::TooManyPixels {
                pixel,
                pixels: counts[0] * counts[1],
                passes: short_that(least, |pixel| is_moderate(self.counts(pixel))),
            });
        }
        if bounds.reach() / pixel > FINEST {
            return Err(MaskError::TooFar {
                pixel,
                reach: bounds.reach(),
            });
        }
        Ok(counts.map(|count| count as usize))
    }

    fn counts(&self, pixel: f64) -> [f64; 2] {
        let [x, y, _] = self.bounds.size();
        // Compensates rounding below a half.
        [x, y].map(|size| (size / pixel * (1.0 + 1e-12)).round().max(1.0))
    }

    /// Centres of the pixels along x, and along y from the top.
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

/// Error returned when a shape has no mask.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MaskError {
    /// The function cannot be explored.
    #[error(transparent)]
    Explore(#[from] ExploreError),
    /// The pixel size is not positive.
    #[error(
        "the pixel size must be above 0, but is {pixel}; use that of the printer, such as 0.05"
    )]
    Pixel {
        /// The pixel size.
        pixel: f64,
    },
    /// The pixels are too small.
    #[error(
        "pixels of size {pixel} make a mask of {pixels:.0e}; the limits are {MOST_PIXELS:.0e}, and {MOST_ALONG:.0e} \
         along a side; use a size of {passes} or more"
    )]
    TooManyPixels {
        /// The pixel size.
        pixel: f64,
        /// Number of pixels.
        pixels: f64,
        /// A pixel size that passes.
        passes: f64,
    },
    /// The centres of neighbouring pixels would coincide.
    #[error(
        "pixels of size {pixel} are below the precision of coordinates at a distance of {reach} from the origin; move \
         the shape closer or use larger pixels"
    )]
    TooFar {
        /// The pixel size.
        pixel: f64,
        /// Maximum magnitude of a coordinate.
        reach: f64,
    },
    /// A height is not finite.
    #[error("heights must be finite numbers, but one is {0}")]
    Height(f64),
    /// The watch cancelled the work.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// The pixels inside at one height.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    size: [usize; 2],
    /// Rows from the top, each beginning a word; one bit per pixel, the lowest bit on the left.
    words: Vec<u16>,
    /// Number of pixels at which the function is NaN; they are outside.
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

    /// Numbers of pixels along x and y.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// True if a pixel is inside, by its column from the left and row from the top; false beyond the sides.
    pub fn is_inside(&self, [column, row]: [usize; 2]) -> bool {
        let [width, height] = self.size;
        let is_there = column < width && row < height;
        is_there
            && self.words[row * width.div_ceil(SIDE) + column / SIDE] >> (column % SIDE) & 1 == 1
    }

    /// Number of pixels inside.
    pub fn count(&self) -> u64 {
        let counts = self.words.iter().map(|word| u64::from(word.count_ones()));
        counts.sum()
    }

    /// Returns the rows from the top as bytes of eight pixels, the highest bit on the left; each row begins a byte and
    /// is padded with 0, as in images of one bit per pixel.
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

/// A shape prepared for masks; shared between threads.
pub struct Masker {
    explorer: MaskExplorer,
    masking: MaskSettings,
    size: [usize; 2],
}

/// The explorer and the pixel centres, in the precision that suffices.
enum MaskExplorer {
    Single(Explorer<f32>, [Vec<f32>; 2]),
    Double(Explorer<f64>, [Vec<f64>; 2]),
}

impl Masker {
    /// Prepares a shape. Computes in single precision where a pixel has a thousand units in the last place, so that
    /// pixels whose centres are a thousandth of their edge from the surface may be on either side.
    ///
    /// # Errors
    /// [`MaskError`] if the pixel size is not positive or too small, or the function is too large.
    pub fn new(shape: &Shape<'_>, masking: MaskSettings) -> Result<Masker, MaskError> {
        let size = masking.size()?;
        let code = shape.code(Rounding::Fast, &[shape.value()], |_, at| at);
        let settings = Settings::default();
        let explorer = if masking.bounds.is_single_enough(masking.pixel) {
            MaskExplorer::Single(Explorer::from_code(&code, settings)?, masking.middles(size))
        } else {
            MaskExplorer::Double(Explorer::from_code(&code, settings)?, masking.middles(size))
        };
        Ok(Masker {
            explorer,
            masking,
            size,
        })
    }

    /// Returns the mask at a height; empty above and below the bounds.
    ///
    /// Works on rayon's threads; the result does not depend on them. Calls `watch` with boxes of pixels.
    ///
    /// # Errors
    /// [`MaskError::Height`], and [`MaskError::Cancelled`] if `watch` cancelled it.
    pub fn mask(&self, z: f64, watch: &Watch<'_>) -> Result<Mask, MaskError> {
        if !z.is_finite() {
            return Err(MaskError::Height(z));
        }
        let (low, high) = (self.masking.bounds.low()[2], self.masking.bounds.high()[2]);
        if !(low..=high).contains(&z) {
            return Ok(Mask::new(self.size));
        }
        match &self.explorer {
            MaskExplorer::Single(explorer, middles) => self.make(explorer, middles, z, watch),
            MaskExplorer::Double(explorer, middles) => self.make(explorer, middles, z, watch),
        }
    }

    fn make<T: Float>(
        &self,
        explorer: &Explorer<T>,
        [columns, rows]: &[Vec<T>; 2],
        z: f64,
        watch: &Watch<'_>,
    ) -> Result<Mask, MaskError> {
        let region = Region {
            axes: &[Axis::new(0, columns), Axis::new(1, rows)],
            inputs: &[T::ZERO, T::ZERO, T::from_f64(z)],
            sides: &SIDES,
            cells: Cells::Samples,
        };
        let mut mask = Mask::new(self.size);
        let along = self.size[0].div_ceil(SIDE);
        for found in explorer.explore(&region, MaskVisitor::default, watch)? {
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

/// Collects the pixels inside in a part of the plane.
#[derive(Default)]
struct MaskVisitor {
    filled: Vec<Cell>,
    /// Pixels of the finest cells, with their first column and row.
    leaves: Vec<([usize; 2], [u16; SIDE])>,
    /// True if a divided cell may have NaN.
    is_doubtful: bool,
    undefined: u64,
}

impl<T: Float> Visitor<T> for MaskVisitor {
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
            *word = pack_signs(values);
        }
        if self.is_doubtful {
            let undefined = samples.iter().filter(|value| value.to_f64().is_nan());
            self.undefined += undefined.count() as u64;
        }
        self.leaves.push(([x, y], words));
    }
}

/// Packs the signs of up to 16 values, the first in the lowest bit; 1 for below 0.
#[inline]
fn pack_signs<T: Float>(values: &[T]) -> u16 {
    let mut below = [[0; 8]; 2];
    for (below, value) in below.as_flattened_mut().iter_mut().zip(values) {
        *below = u8::from(*value < T::ZERO);
    }
    // The multiplication gathers the bytes, which are 0 or 1, in the highest byte.
    let bytes = below
        .map(|eight| (u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8);
    u16::from_le_bytes(bytes)
}
