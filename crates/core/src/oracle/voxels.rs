//! Samples of an image, with a min-max pyramid for bounds.

use std::fmt::Debug;
use std::sync::OnceLock;

use super::axis::VoxelRun;

/// Type of a sample.
pub(super) trait Voxel: Copy + PartialOrd + Debug + Send + Sync {
    /// Value of the sample.
    fn value(self) -> f64;
}

/// Values of bytes: a lookup is faster than a division.
const BYTES: [f64; 256] = {
    let mut values = [0.0; 256];
    let mut byte = 0;
    while byte < 256 {
        values[byte] = byte as f64 / 255.0;
        byte += 1;
    }
    values
};

impl Voxel for u8 {
    #[inline]
    fn value(self) -> f64 {
        BYTES[usize::from(self)]
    }
}

impl Voxel for u16 {
    #[inline]
    fn value(self) -> f64 {
        f64::from(self) / 65535.0
    }
}

impl Voxel for f32 {
    #[inline]
    fn value(self) -> f64 {
        f64::from(self)
    }
}

/// Samples of an image, ordered by sheet, row, column and channel.
#[derive(Debug)]
pub(super) struct Voxels<T> {
    size: [usize; 3],
    channels: usize,
    samples: Vec<T>,
    /// Levels of the pyramid: blocks of 2, 4, 8, ... voxels along each axis, up to the whole image; built on first use.
    blocks: OnceLock<Vec<PyramidLevel<T>>>,
}

/// Minimum and maximum of each block, in the order of samples.
#[derive(Debug)]
struct PyramidLevel<T> {
    size: [usize; 3],
    ranges: Vec<[T; 2]>,
}

/// Maximum number of blocks that a range query visits.
const LOOKED_AT: usize = 128;

impl<T: Voxel> Voxels<T> {
    /// The length of `samples` must match `size` and `channels`.
    pub(super) fn new(size: [usize; 3], channels: usize, samples: Vec<T>) -> Voxels<T> {
        Voxels {
            size,
            channels,
            samples,
            blocks: OnceLock::new(),
        }
    }

    #[inline]
    pub(super) fn at(&self, [column, row, sheet]: [usize; 3], channel: usize) -> f64 {
        let voxel = (sheet * self.size[1] + row) * self.size[0] + column;
        self.samples[voxel * self.channels + channel].value()
    }

    /// Samples in two columns of a row.
    #[inline]
    pub(super) fn pair(
        &self,
        columns: [usize; 2],
        row: usize,
        sheet: usize,
        channel: usize,
    ) -> [f64; 2] {
        let first = (sheet * self.size[1] + row) * self.size[0];
        let [one, other] = columns;
        [
            self.samples[(first + one) * self.channels + channel].value(),
            self.samples[(first + other) * self.channels + channel].value(),
        ]
    }

    /// Bounds of the samples in a box of voxels, on the finest level of the pyramid with few enough blocks.
    pub(super) fn range(&self, runs: [VoxelRun; 3], channel: usize) -> [f64; 2] {
        let mut level = 0;
        let across = |level: usize| {
            let sides = runs.map(|[first, last]| (last >> level) - (first >> level) + 1);
            sides
                .iter()
                .fold(1_usize, |product, &side| product.saturating_mul(side))
        };
        while across(level) > LOOKED_AT {
            level += 1;
        }
        let [columns, rows, sheets] = runs.map(|[first, last]| first >> level..=last >> level);
        let mut least = f64::INFINITY;
        let mut most = f64::NEG_INFINITY;
        for sheet in sheets {
            for row in rows.clone() {
                for column in columns.clone() {
                    let [low, high] = self.block(level, [column, row, sheet], channel);
                    least = least.min(low);
                    most = most.max(high);
                }
            }
        }
        [least, most]
    }

    /// Bounds of a block of `2^level` voxels along each axis.
    fn block(&self, level: usize, at: [usize; 3], channel: usize) -> [f64; 2] {
        let Some(level) = level.checked_sub(1) else {
            return [self.at(at, channel); 2];
        };
        let blocks = &self.blocks.get_or_init(|| self.build_pyramid())[level];
        let place = (at[2] * blocks.size[1] + at[1]) * blocks.size[0] + at[0];
        blocks.ranges[place * self.channels + channel].map(T::value)
    }

    fn build_pyramid(&self) -> Vec<PyramidLevel<T>> {
        let mut levels: Vec<PyramidLevel<T>> = Vec::new();
        let mut size = self.size;
        while size.iter().any(|&side| side > 1) {
            let next = match levels.last() {
                None => self.halved(size, |place| [self.samples[place]; 2]),
                Some(below) => self.halved(size, |place| below.ranges[place]),
            };
            size = next.size;
            levels.push(next);
        }
        levels
    }

    /// Computes the next coarser level.
    fn halved(&self, size: [usize; 3], range: impl Fn(usize) -> [T; 2]) -> PyramidLevel<T> {
        let half = size.map(|side| side.div_ceil(2));
        let mut ranges = Vec::with_capacity(half.iter().product::<usize>() * self.channels);
        let pair = |k: usize, axis: usize| 2 * k..(2 * k + 2).min(size[axis]);
        for (sheet, row) in (0..half[2]).flat_map(|sheet| (0..half[1]).map(move |row| (sheet, row)))
        {
            for (column, channel) in
                (0..half[0]).flat_map(|k| (0..self.channels).map(move |c| (k, c)))
            {
                let mut found: Option<[T; 2]> = None;
                for z in pair(sheet, 2) {
                    for y in pair(row, 1) {
                        for x in pair(column, 0) {
                            let own =
                                range(((z * size[1] + y) * size[0] + x) * self.channels + channel);
                            let [low, high] = found.unwrap_or(own);
                            found = Some([
                                if own[0] < low { own[0] } else { low },
                                if own[1] > high { own[1] } else { high },
                            ]);
                        }
                    }
                }
                ranges.push(found.expect("no side is empty"));
            }
        }
        PyramidLevel { size: half, ranges }
    }
}
