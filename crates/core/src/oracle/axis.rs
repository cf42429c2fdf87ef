//! One axis of an image: maps texture coordinates to voxels.

use fibula_nodes::{Filter, TileStyle};

/// An axis of an image.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    count: u32,
    tile: TileStyle,
    /// True if voxels are counted down from the coordinate 1.
    down: bool,
}

/// Inclusive range of voxels.
pub(super) type VoxelRun = [usize; 2];

/// Two adjacent voxels and the weight of the second, for linear interpolation.
#[derive(Debug, Clone, Copy)]
pub(super) struct VoxelPair {
    pub(super) voxels: [usize; 2],
    /// In [0, 1).
    pub(super) share: f64,
    /// Derivative of the share by the coordinate.
    pub(super) growth: f64,
}

/// Voxels that an interval of coordinates covers.
#[derive(Debug, Clone, Copy)]
pub(super) struct VoxelRuns {
    runs: [VoxelRun; 2],
    used: usize,
    /// True if the interval reaches outside of the image.
    pub(super) outside: bool,
}

impl VoxelRuns {
    pub(super) fn runs(&self) -> &[VoxelRun] {
        &self.runs[..self.used]
    }
}

impl Axis {
    pub(super) fn new(count: u32, tile: TileStyle, down: bool) -> Axis {
        Axis { count, tile, down }
    }

    /// Nearest voxel of a coordinate, the lower of two; `None` outside.
    #[inline]
    pub(super) fn nearest(self, at: f64) -> Option<usize> {
        let inside = self.tiled(at)?;
        // At the seam of two repetitions, the first voxel is lower than the last.
        if self.tile == TileStyle::Wrap && inside == 0.0 {
            return Some(0);
        }
        Some(nearest(self.place(inside)) as usize)
    }

    /// Voxels on both sides of a coordinate; `None` outside.
    #[inline]
    pub(super) fn neighbours(self, at: f64) -> Option<VoxelPair> {
        let inside = self.tiled(at)?;
        let place = self.place(inside) - 0.5;
        let first = floor(place);
        let mirrored = self.tile == TileStyle::Mirror && at - 2.0 * floor(at / 2.0) > 1.0;
        let growth = f64::from(self.count);
        Some(VoxelPair {
            voxels: [first as i64, first as i64 + 1].map(|voxel| self.tile_voxel(voxel)),
            share: place - first,
            growth: if mirrored == self.down {
                growth
            } else {
                -growth
            },
        })
    }

    /// Voxels that determine the values for coordinates from `low` to `high`.
    pub(super) fn covered(self, low: f64, high: f64, filter: Filter) -> VoxelRuns {
        let count = i64::from(self.count);
        let mut outside = false;
        // Coordinates in the image, and number of repetitions from the first to the last.
        let (from, to, further) = match self.tile {
            TileStyle::Wrap => {
                let further = high.floor() - low.floor();
                if further > 1.0 {
                    return VoxelRuns::all(count);
                }
                (wrapped(low), wrapped(high), further as i64)
            }
            TileStyle::Mirror => {
                let fold = match high.floor() - low.floor() {
                    0.0 => mirrored(low),
                    1.0 => mirrored(high.floor()),
                    _ => return VoxelRuns::all(count),
                };
                let (low, high) = (mirrored(low), mirrored(high));
                (low.min(high).min(fold), low.max(high).max(fold), 0)
            }
            TileStyle::Clamp => (low.clamp(0.0, 1.0), high.clamp(0.0, 1.0), 0),
            TileStyle::None => {
                outside = low < 0.0 || high > 1.0;
                if low > 1.0 || high < 0.0 {
                    return VoxelRuns {
                        runs: [[0; 2]; 2],
                        used: 0,
                        outside,
                    };
                }
                (low.clamp(0.0, 1.0), high.clamp(0.0, 1.0), 0)
            }
        };
        let (first, last) = if self.down { (to, from) } else { (from, to) };
        let [mut first, mut last] = match filter {
            Filter::Nearest => {
                let [first, last] = [first, last].map(|at| nearest(self.place(at)));
                // The first voxel is that of the end, too.
                let seam = self.tile == TileStyle::Wrap && self.down && from == 0.0;
                [first, if seam { count } else { last }]
            }
            Filter::Linear => {
                let voxels = [first, last].map(|at| (self.place(at) - 0.5).floor() as i64);
                [voxels[0], voxels[1] + 1]
            }
        };
        if self.down {
            first -= further * count;
        } else {
            last += further * count;
        }
        let runs = if self.tile != TileStyle::Wrap {
            [
                Some([first.max(0).min(count - 1), last.max(0).min(count - 1)]),
                None,
            ]
        } else if last - first + 1 >= count {
            return VoxelRuns::all(count);
        } else if first < 0 {
            [
                Some([first + count, count - 1]),
                (last >= 0).then_some([0, last]),
            ]
        } else if last >= count {
            [
                Some([first.min(count - 1), count - 1]),
                Some([0, last - count]),
            ]
        } else {
            [Some([first, last]), None]
        };
        let run = |run: Option<[i64; 2]>| run.unwrap_or([0; 2]).map(|voxel| voxel as usize);
        VoxelRuns {
            used: runs.iter().flatten().count(),
            runs: runs.map(run),
            outside,
        }
    }

    /// Maps a coordinate into the image by the tile style; `None` outside.
    #[inline]
    fn tiled(self, at: f64) -> Option<f64> {
        match self.tile {
            TileStyle::Wrap => Some(wrapped(at)),
            TileStyle::Mirror => Some(mirrored(at)),
            TileStyle::Clamp => Some(at.clamp(0.0, 1.0)),
            TileStyle::None => (0.0..=1.0).contains(&at).then_some(at),
        }
    }

    /// Number of voxels before a coordinate of the image.
    #[inline]
    fn place(self, inside: f64) -> f64 {
        let count = f64::from(self.count);
        if self.down {
            count - inside * count
        } else {
            inside * count
        }
    }

    /// Maps a voxel just outside of the image to one inside.
    #[inline]
    fn tile_voxel(self, voxel: i64) -> usize {
        let count = i64::from(self.count);
        let voxel = match self.tile {
            TileStyle::Wrap if voxel < 0 => voxel + count,
            TileStyle::Wrap if voxel >= count => voxel - count,
            TileStyle::Wrap => voxel,
            TileStyle::Mirror | TileStyle::Clamp | TileStyle::None => voxel.clamp(0, count - 1),
        };
        voxel as usize
    }
}

impl VoxelRuns {
    fn all(count: i64) -> VoxelRuns {
        VoxelRuns {
            runs: [[0, count as usize - 1]; 2],
            used: 1,
            outside: false,
        }
    }
}

/// Last voxel that begins before a position, or the first.
#[inline]
fn nearest(place: f64) -> i64 {
    (place.ceil() as i64 - 1).max(0)
}

/// Floor, except for the sign of 0, in instructions that every processor has; the standard library's is a call.
#[inline]
fn floor(number: f64) -> f64 {
    /// From here on all numbers are integers.
    const WHOLE: f64 = (1_u64 << 52) as f64;
    if number.abs() < WHOLE {
        let towards_zero = number as i64 as f64;
        towards_zero - f64::from(u8::from(towards_zero > number))
    } else {
        number
    }
}

#[inline]
fn wrapped(at: f64) -> f64 {
    at - floor(at)
}

#[inline]
fn mirrored(at: f64) -> f64 {
    1.0 - (at - 2.0 * floor(at / 2.0) - 1.0).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floor_is_that_of_the_standard_library() {
        let last_half = 4_503_599_627_370_495.5;
        let close = [
            0.0_f64, 0.25, 0.5, 1.0, 2.0, 1e9, 1e15, last_half, 1e16, 1e300,
        ];
        let numbers = close
            .into_iter()
            .flat_map(|number| [number.next_down(), number, number.next_up()])
            .flat_map(|number| [number, -number]);
        for number in numbers {
            let (own, library) = (floor(number), number.floor());
            assert!((own - library).abs() <= 0.0, "{own} of {number}");
        }
        assert!(floor(f64::NAN).is_nan());
    }
}
