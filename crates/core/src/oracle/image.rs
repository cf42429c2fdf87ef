//! Images in three dimensions, sampled by nearest neighbour or trilinear interpolation.
//!
//! They follow the volumetric extension of 3MF (chapters 3.2 and 4): the image fills [0, 1] on each axis of texture
//! coordinates; column `i` of `n` has its centre at u = (i + 0.5) / n, sheet `k` of `n` at w = (k + 0.5) / n, and row
//! `j` of `n` at v = 1 - (j + 0.5) / n, since files begin with the top row. Halfway between two voxels, the nearest
//! one is that with the lower index. The tile style `None` is not in that extension; in the one for flat textures it
//! leaves the outside untextured: here every channel is 0 outside.

use std::fmt::Debug;
use std::sync::Arc;

use fibula_nodes::{Bounds, Filter, Oracle, Query, ResourceKind};

use super::axis::Axis;
use super::voxels::{Voxel, Voxels};
use crate::graph::Content;

/// Channels of a voxel, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channels {
    /// Grey: red, green and blue are the same, and alpha is 1.
    Grey,
    /// Grey and alpha.
    GreyAlpha,
    /// Red, green and blue; alpha is 1.
    Rgb,
    /// Red, green, blue and alpha.
    Rgba,
}

impl Channels {
    /// Number of channels.
    pub fn count(self) -> usize {
        match self {
            Channels::Grey => 1,
            Channels::GreyAlpha => 2,
            Channels::Rgb => 3,
            Channels::Rgba => 4,
        }
    }

    /// Index of the sample for red (0), green, blue or alpha (3); `None` for an alpha of 1 everywhere.
    fn sample_index(self, channel: u8) -> Option<usize> {
        match (self, channel) {
            (Channels::Grey | Channels::GreyAlpha, 0..=2) => Some(0),
            (Channels::GreyAlpha, _) => Some(1),
            (Channels::Rgb, 0..=2) | (Channels::Rgba, _) => Some(channel as usize),
            (Channels::Grey | Channels::Rgb, _) => None,
        }
    }
}

/// Samples of an image. Integers are scaled, so that their maximum is 1; floats are used as they are.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each is a list of its type")]
pub enum Samples {
    U8(Vec<u8>),
    U16(Vec<u16>),
    F32(Vec<f32>),
}

impl Samples {
    fn len(&self) -> usize {
        match self {
            Samples::U8(samples) => samples.len(),
            Samples::U16(samples) => samples.len(),
            Samples::F32(samples) => samples.len(),
        }
    }

    fn into_voxels(self, size: [usize; 3], channels: usize) -> Arc<dyn VoxelStorage> {
        match self {
            Samples::U8(samples) => Arc::new(Voxels::new(size, channels, samples)),
            Samples::U16(samples) => Arc::new(Voxels::new(size, channels, samples)),
            Samples::F32(samples) => Arc::new(Voxels::new(size, channels, samples)),
        }
    }
}

impl From<Vec<u8>> for Samples {
    fn from(samples: Vec<u8>) -> Self {
        Samples::U8(samples)
    }
}

impl From<Vec<u16>> for Samples {
    fn from(samples: Vec<u16>) -> Self {
        Samples::U16(samples)
    }
}

impl From<Vec<f32>> for Samples {
    fn from(samples: Vec<f32>) -> Self {
        Samples::F32(samples)
    }
}

/// An image of columns, rows and sheets; a document holds it as [`Content`].
///
/// ```
/// use fibula_core::graph::Content;
/// use fibula_core::oracle::{Channels, Image3d};
/// use fibula_nodes::{Filter, Query, TileStyle};
///
/// // Two columns, one row, one sheet: black, then white.
/// let image = Image3d::new([2, 1, 1], Channels::Grey, vec![0_u8, 255])?;
/// let query = Query::Image { filter: Filter::Linear, tiles: [TileStyle::Clamp; 3] };
/// let oracle = image.oracle(query).expect("it is an image");
/// assert_eq!(oracle.sample([0.5, 0.5, 0.5], 0), 0.5);
/// # Ok::<(), fibula_core::oracle::ImageError>(())
/// ```
#[derive(Debug)]
pub struct Image3d {
    size: [u32; 3],
    channels: Channels,
    voxels: Arc<dyn VoxelStorage>,
}

/// Voxels of any type of samples.
trait VoxelStorage: Debug + Send + Sync {
    fn sampler(
        self: Arc<Self>,
        channels: Channels,
        filter: Filter,
        axes: [Axis; 3],
    ) -> Arc<dyn Oracle>;
}

impl<T: Voxel + 'static> VoxelStorage for Voxels<T> {
    fn sampler(
        self: Arc<Self>,
        channels: Channels,
        filter: Filter,
        axes: [Axis; 3],
    ) -> Arc<dyn Oracle> {
        Arc::new(Sampler {
            voxels: self,
            channels,
            filter,
            axes,
        })
    }
}

/// Error returned when samples are no image.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "fields are named for what they hold")]
#[non_exhaustive]
pub enum ImageError {
    /// A size is 0.
    #[error("the image has {} columns, {} rows and {} sheets, but needs at least one of each",
        size[0], size[1], size[2])]
    Empty {
        /// Columns, rows and sheets.
        size: [u32; 3],
    },
    /// The number of samples does not match the size.
    #[error(
        "{} columns, {} rows and {} sheets with {channels} channels take {expected} samples, but got {got}; correct \
         the size or the channels",
        size[0], size[1], size[2]
    )]
    Samples {
        /// Columns, rows and sheets.
        size: [u32; 3],
        /// Samples for each voxel.
        channels: usize,
        expected: u128,
        got: usize,
    },
    /// A sample is not finite.
    #[error("sample {index} is not finite; replace it with a finite number")]
    NotFinite { index: usize },
}

impl ImageError {
    /// Stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            ImageError::Empty { .. } => "empty_image",
            ImageError::Samples { .. } => "invalid_size",
            ImageError::NotFinite { .. } => "invalid_value",
        }
    }
}

impl Image3d {
    /// Creates an image of columns, rows and sheets. Samples are ordered by sheet, row from the top, column and
    /// channel.
    ///
    /// # Errors
    /// [`ImageError`]: a size is 0, the number of samples does not match, or a sample is not finite.
    pub fn new(
        size: [u32; 3],
        channels: Channels,
        samples: impl Into<Samples>,
    ) -> Result<Image3d, ImageError> {
        let samples = samples.into();
        if size.contains(&0) {
            return Err(ImageError::Empty { size });
        }
        let voxels: u128 = size.iter().map(|&count| u128::from(count)).product();
        let expected = voxels * channels.count() as u128;
        if expected != samples.len() as u128 {
            return Err(ImageError::Samples {
                size,
                channels: channels.count(),
                expected,
                got: samples.len(),
            });
        }
        if let Samples::F32(samples) = &samples
            && let Some(index) = samples.iter().position(|sample| !sample.is_finite())
        {
            return Err(ImageError::NotFinite { index });
        }
        let counts = size.map(|count| count as usize);
        Ok(Image3d {
            size,
            channels,
            voxels: samples.into_voxels(counts, channels.count()),
        })
    }

    /// Numbers of columns, rows and sheets.
    pub fn size(&self) -> [u32; 3] {
        self.size
    }

    /// Channels of a voxel.
    pub fn channels(&self) -> Channels {
        self.channels
    }
}

impl Content for Image3d {
    fn kind(&self) -> ResourceKind {
        ResourceKind::Image
    }

    fn oracle(&self, query: Query) -> Option<Arc<dyn Oracle>> {
        let (filter, tiles) = match query {
            Query::Image { filter, tiles } => (filter, tiles),
            Query::SignedDistance | Query::UnsignedDistance | Query::BeamLattice { .. } => {
                return None;
            }
        };
        // Rows go down while v goes up.
        let along = |k: usize| Axis::new(self.size[k], tiles[k], k == 1);
        let axes = [along(0), along(1), along(2)];
        Some(Arc::clone(&self.voxels).sampler(self.channels, filter, axes))
    }
}

/// Oracle of an image's channels.
#[derive(Debug)]
struct Sampler<T> {
    voxels: Arc<Voxels<T>>,
    channels: Channels,
    filter: Filter,
    axes: [Axis; 3],
}

impl<T: Voxel> Oracle for Sampler<T> {
    fn sample(&self, at: [f64; 3], channel: u8) -> f64 {
        if !at.iter().all(|x| x.is_finite()) {
            return f64::NAN;
        }
        let index = self.channels.sample_index(channel);
        let [u, v, w] = &self.axes;
        match self.filter {
            Filter::Nearest => {
                let (Some(u), Some(v), Some(w)) =
                    (u.nearest(at[0]), v.nearest(at[1]), w.nearest(at[2]))
                else {
                    return 0.0;
                };
                index.map_or(1.0, |index| self.voxels.at([u, v, w], index))
            }
            Filter::Linear => {
                let (Some(u), Some(v), Some(w)) = (
                    u.neighbours(at[0]),
                    v.neighbours(at[1]),
                    w.neighbours(at[2]),
                ) else {
                    return 0.0;
                };
                let Some(index) = index else { return 1.0 };
                let row = |v, w| {
                    let [first, second] = self.voxels.pair(u.voxels, v, w, index);
                    mix(first, second, u.share)
                };
                let sheet = |w| mix(row(v.voxels[0], w), row(v.voxels[1], w), v.share);
                mix(sheet(w.voxels[0]), sheet(w.voxels[1]), w.share)
            }
        }
    }

    fn gradient(&self, at: [f64; 3], channel: u8) -> [f64; 3] {
        if !at.iter().all(|x| x.is_finite()) {
            return [f64::NAN; 3];
        }
        let [u, v, w] = [0, 1, 2].map(|k| self.axes[k].neighbours(at[k]));
        let (Filter::Linear, Some(u), Some(v), Some(w), Some(index)) =
            (self.filter, u, v, w, self.channels.sample_index(channel))
        else {
            return [0.0; 3];
        };
        // Value and partial derivatives.
        let row = |v, w| {
            let [first, second] = self.voxels.pair(u.voxels, v, w, index);
            [
                mix(first, second, u.share),
                (second - first) * u.growth,
                0.0,
                0.0,
            ]
        };
        let join = |first: [f64; 4], second: [f64; 4], share: f64| -> [f64; 4] {
            std::array::from_fn(|k| mix(first[k], second[k], share))
        };
        let sheet = |w| {
            let (first, second) = (row(v.voxels[0], w), row(v.voxels[1], w));
            let mut joined = join(first, second, v.share);
            joined[2] = (second[0] - first[0]) * v.growth;
            joined
        };
        let (first, second) = (sheet(w.voxels[0]), sheet(w.voxels[1]));
        let [_, along_u, along_v, _] = join(first, second, w.share);
        [along_u, along_v, (second[0] - first[0]) * w.growth]
    }

    fn bounds(&self, low: [f64; 3], high: [f64; 3], channel: u8) -> Bounds {
        /// Upper bound of the rounding error of three interpolations, relative to the values.
        const ROUNDING: f64 = 16.0 * f64::EPSILON;
        if !low.iter().chain(&high).all(|x| x.is_finite()) {
            return Bounds::UNKNOWN;
        }
        let [u, v, w] = [0, 1, 2].map(|k| self.axes[k].covered(low[k], high[k], self.filter));
        let outside = u.outside || v.outside || w.outside;
        let mut range: Option<[f64; 2]> = outside.then_some([0.0; 2]);
        let mut include = |[low, high]: [f64; 2]| {
            let [least, most] = range.unwrap_or([low, high]);
            range = Some([least.min(low), most.max(high)]);
        };
        for &u in u.runs() {
            for &v in v.runs() {
                for &w in w.runs() {
                    include(match self.channels.sample_index(channel) {
                        None => [1.0; 2],
                        Some(index) => self.voxels.range([u, v, w], index),
                    });
                }
            }
        }
        let [low, high] = range.expect("a box is in the image or outside of it");
        // A constant is not rounded.
        let rounding = if self.filter == Filter::Linear && low < high {
            ROUNDING * low.abs().max(high.abs())
        } else {
            0.0
        };
        Bounds::new(low - rounding, high + rounding)
    }
}

/// Linear interpolation.
#[inline]
fn mix(first: f64, second: f64, share: f64) -> f64 {
    first + (second - first) * share
}
