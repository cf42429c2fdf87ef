//! Images against a plain model: every filter with every style on every axis.

#![expect(clippy::float_cmp, reason = "what is compared so has one exact value")]

use std::sync::Arc;

use fibula::graph::Content;
use fibula::oracle::{Channels, Image3d, ImageError, Samples};
use fibula_nodes::{Filter, Oracle, Query, TileStyle};
use proptest::prelude::*;

use super::laws::{check_block, check_bounds, check_gradient, check_nowhere};

const FILTERS: [Filter; 2] = [Filter::Nearest, Filter::Linear];
const STYLES: [TileStyle; 4] = [
    TileStyle::Wrap,
    TileStyle::Mirror,
    TileStyle::Clamp,
    TileStyle::None,
];
const CHANNELS: [Channels; 4] = [
    Channels::Grey,
    Channels::GreyAlpha,
    Channels::Rgb,
    Channels::Rgba,
];

fn oracle(image: &Image3d, filter: Filter, tiles: [TileStyle; 3]) -> Arc<dyn Oracle> {
    image
        .oracle(Query::Image { filter, tiles })
        .expect("it is an image")
}

/// An image as the specification tells of it: endless, each voxel with an index.
#[derive(Debug, Clone)]
struct Model {
    size: [i64; 3],
    channels: Channels,
    samples: Vec<f64>,
    filter: Filter,
    tiles: [TileStyle; 3],
}

impl Model {
    /// Position of a voxel of the endless image in the one that there is.
    fn tiled(&self, axis: usize, voxel: i64) -> i64 {
        let count = self.size[axis];
        match self.tiles[axis] {
            TileStyle::Wrap => voxel.rem_euclid(count),
            TileStyle::Mirror => {
                let place = voxel.rem_euclid(2 * count);
                place.min(2 * count - 1 - place)
            }
            TileStyle::Clamp | TileStyle::None => voxel.clamp(0, count - 1),
        }
    }

    fn voxel(&self, voxel: [i64; 3], channel: u8) -> f64 {
        let [column, row, sheet] = [0, 1, 2].map(|axis| self.tiled(axis, voxel[axis]));
        let place = (sheet * self.size[1] + row) * self.size[0] + column;
        let sample = |k: usize| self.samples[place as usize * self.channels.count() + k];
        match (self.channels, channel) {
            (Channels::Grey | Channels::Rgb, 3) => 1.0,
            (Channels::Grey | Channels::GreyAlpha, 0..=2) => sample(0),
            (Channels::GreyAlpha, _) => sample(1),
            (Channels::Grey | Channels::Rgb | Channels::Rgba, _) => sample(channel as usize),
        }
    }

    /// True if rounding does not decide which voxel is the nearest.
    fn is_sure(&self, at: [f64; 3]) -> bool {
        (0..3).all(|axis| {
            let place = at[axis] * self.size[axis] as f64;
            let exact = (at[axis] * 32.0).fract() == 0.0 && self.size[axis].count_ones() == 1;
            exact || (place - place.round()).abs() > 1e-9
        })
    }

    fn sample(&self, at: [f64; 3], channel: u8) -> f64 {
        let outside =
            |axis: usize| self.tiles[axis] == TileStyle::None && !(0.0..=1.0).contains(&at[axis]);
        if (0..3).any(outside) {
            return 0.0;
        }
        // Voxel k begins at k here; rows are counted from the top.
        let place: [f64; 3] = std::array::from_fn(|axis| {
            let count = self.size[axis] as f64;
            if axis == 1 {
                count - at[axis] * count
            } else {
                at[axis] * count
            }
        });
        match self.filter {
            Filter::Nearest => {
                let nearest = std::array::from_fn(|axis| {
                    let above = place[axis].floor() as i64;
                    if place[axis].fract() == 0.0 {
                        // As near to both: the lower index.
                        self.tiled(axis, above - 1).min(self.tiled(axis, above))
                    } else {
                        above
                    }
                });
                self.voxel(nearest, channel)
            }
            Filter::Linear => (0..8)
                .map(|corner: usize| {
                    let mut weight = 1.0;
                    let voxel = std::array::from_fn(|axis| {
                        let first = (place[axis] - 0.5).floor();
                        let share = place[axis] - 0.5 - first;
                        let second = corner >> axis & 1;
                        weight *= if second == 1 { share } else { 1.0 - share };
                        first as i64 + second as i64
                    });
                    weight * self.voxel(voxel, channel)
                })
                .sum(),
        }
    }
}

/// An image of whole or other numbers, and its model.
fn scene() -> impl Strategy<Value = (Arc<Image3d>, Model)> {
    let styles = || prop::sample::select(STYLES.to_vec());
    let count = || 1..6_u32;
    (
        [count(), count(), count()],
        prop::sample::select(CHANNELS.to_vec()),
        prop::sample::select(FILTERS.to_vec()),
        [styles(), styles(), styles()],
        prop::collection::vec(any::<u16>(), 5 * 5 * 5 * 4),
        0..3_u8,
    )
        .prop_map(|(size, channels, filter, tiles, mut numbers, kind)| {
            numbers.truncate(size.iter().product::<u32>() as usize * channels.count());
            let values = numbers.iter().map(|&number| f64::from(number));
            let (samples, values): (Samples, Vec<f64>) = match kind {
                0 => {
                    let bytes: Vec<u8> = numbers.iter().map(|number| (number >> 8) as u8).collect();
                    let values = bytes.iter().map(|&byte| f64::from(byte) / 255.0).collect();
                    (bytes.into(), values)
                }
                1 => (
                    numbers.clone().into(),
                    values.map(|value| value / 65535.0).collect(),
                ),
                _ => {
                    let floats: Vec<f32> = numbers
                        .iter()
                        .map(|&number| f32::from(number) / 100.0 - 300.0)
                        .collect();
                    let values = floats.iter().map(|&float| f64::from(float)).collect();
                    (floats.into(), values)
                }
            };
            let image = Image3d::new(size, channels, samples).expect("sizes fit");
            let size = size.map(i64::from);
            (
                Arc::new(image),
                Model {
                    size,
                    channels,
                    samples: values,
                    filter,
                    tiles,
                },
            )
        })
}

/// Coordinates on and between voxels, in the image and up to three images away; some are exactly between two voxels.
fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        -3.0..4.0,
        0.0..1.0,
        (-96..128_i32).prop_map(|k| f64::from(k) / 32.0),
        (-60..80_i32).prop_map(|k| f64::from(k) / 20.0),
    ]
}

fn places() -> impl Strategy<Value = Vec<[f64; 3]>> {
    prop::collection::vec([coordinate(), coordinate(), coordinate()], 12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn samples_are_those_of_the_model((image, model) in scene(), places in places()) {
        let oracle = oracle(&image, model.filter, model.tiles);
        for channel in 0..4 {
            for &at in &places {
                let expected = model.sample(at, channel);
                let got = oracle.sample(at, channel);
                match model.filter {
                    Filter::Nearest if model.is_sure(at) => prop_assert_eq!(got, expected, "at {:?}", at),
                    Filter::Nearest => {}
                    // Values are up to 356; what is left of a coordinate has a few roundings of 4.
                    Filter::Linear => {
                        prop_assert!((got - expected).abs() < 1e-11, "{got} is not {expected} at {at:?}");
                    }
                }
            }
            check_block(&*oracle, &places, channel);
        }
    }

    #[test]
    fn bounds_hold((image, model) in scene(), places in places(), shares in prop::collection::vec([0.0..=1.0, 0.0..=1.0, 0.0..=1.0], 20)) {
        let oracle = oracle(&image, model.filter, model.tiles);
        for channel in 0..4 {
            for pair in places.chunks_exact(2) {
                check_bounds(&*oracle, [pair[0], pair[1]], &shares, channel);
                check_bounds(&*oracle, [pair[0], pair[0]], &[], channel);
                let near = std::array::from_fn(|k| pair[0][k] + (pair[1][k] - pair[0][k]) / 64.0);
                check_bounds(&*oracle, [pair[0], near], &shares, channel);
            }
        }
    }

    #[test]
    fn gradients_are_those_of_what_is_between((image, model) in scene(), places in places()) {
        let oracle = oracle(&image, model.filter, model.tiles);
        let scale = model.samples.iter().fold(1.0_f64, |most, value| most.max(value.abs()));
        for channel in 0..4 {
            for &at in &places {
                let gradient = oracle.gradient(at, channel);
                if model.filter == Filter::Nearest {
                    prop_assert_eq!(gradient, [0.0; 3]);
                } else if scale <= 1.0 {
                    check_gradient(&*oracle, at, channel, 1e-6);
                }
            }
        }
    }
}

#[test]
fn the_voxels_of_the_specification_are_found() {
    // Figure 3-3: three rows, four columns, two sheets.
    let samples: Vec<u8> = (0..24).collect();
    let image = Image3d::new([4, 3, 2], Channels::Grey, samples).unwrap();
    let oracle = oracle(&image, Filter::Nearest, [TileStyle::Wrap; 3]);
    let voxel = |at: [f64; 3]| {
        let place = (oracle.sample(at, 0) * 255.0).round() as usize;
        (place / 4 % 3, place % 4, place / 12)
    };
    assert_eq!(voxel([1.0 / 8.0, 2.0 / 3.0, 0.0]), (0, 0, 0));
    assert_eq!(voxel([0.5, 0.5, 0.0]), (1, 1, 0));
    // Figure 2-1: the voxel at the right, in front and at the bottom.
    assert_eq!(voxel([0.9, 0.1, 0.1]), (2, 3, 0));
    assert_eq!(voxel([0.9, 0.9, 0.9]), (0, 3, 1));
}

#[test]
fn layouts_say_which_channels_there_are() {
    let cases: [(Channels, &[u8], [f64; 4]); 4] = [
        (Channels::Grey, &[51], [0.2, 0.2, 0.2, 1.0]),
        (Channels::GreyAlpha, &[51, 102], [0.2, 0.2, 0.2, 0.4]),
        (Channels::Rgb, &[51, 102, 153], [0.2, 0.4, 0.6, 1.0]),
        (Channels::Rgba, &[51, 102, 153, 204], [0.2, 0.4, 0.6, 0.8]),
    ];
    for (channels, samples, expected) in cases {
        let image = Image3d::new([1; 3], channels, samples.to_vec()).unwrap();
        for filter in FILTERS {
            let inside = oracle(&image, filter, [TileStyle::None; 3]);
            let got = [0, 1, 2, 3].map(|channel| inside.sample([0.3, 0.5, 1.0], channel));
            assert_eq!(got, expected);
            let got = [0, 1, 2, 3].map(|channel| inside.sample([0.3, 1.1, 1.0], channel));
            assert_eq!(got, [0.0; 4], "outside there is nothing");
        }
    }
}

/// Boxes of a large image are bounded by few numbers, and not much worse than by all.
#[test]
fn bounds_of_large_boxes_are_tight() {
    let side = 64;
    let samples = (0..side * side * side)
        .map(|k| (k % side) as f32 / 63.0)
        .collect::<Vec<f32>>();
    let image = Image3d::new([side; 3], Channels::Grey, samples).unwrap();
    let oracle = oracle(&image, Filter::Linear, [TileStyle::Clamp; 3]);
    for (low, high) in [
        (0.1, 0.9),
        (0.0, 1.0),
        (0.4, 0.6),
        (0.5, 0.55),
        (-1.0, 0.3),
        (-1.0, 2.0),
    ] {
        let bounds = check_bounds(&*oracle, [[low; 3], [high; 3]], &[[0.5; 3]], 0);
        let [least, most] = [low, high].map(|x: f64| ((x * 64.0 - 0.5) / 63.0).clamp(0.0, 1.0));
        let slack = 0.3 * (high - low) + 0.04;
        assert!(bounds.low > least - slack, "{bounds:?} of {low}");
        assert!(bounds.high < most + slack, "{bounds:?} of {high}");
    }
    let flat = Image3d::new([9, 3, 200], Channels::Grey, vec![51_u8; 5400]).unwrap();
    let flat = self::oracle(&flat, Filter::Linear, [TileStyle::Wrap; 3]);
    let bounds = check_bounds(&*flat, [[-7.0; 3], [0.4; 3]], &[[0.3; 3]], 0);
    assert_eq!((bounds.low, bounds.high), (0.2, 0.2));
}

#[test]
fn no_place_has_no_colour() {
    let image = Image3d::new([2, 2, 2], Channels::Grey, vec![7_u8; 8]).unwrap();
    for (filter, tile) in FILTERS
        .into_iter()
        .flat_map(|f| STYLES.map(|tile| (f, tile)))
    {
        for channel in 0..4 {
            check_nowhere(&*oracle(&image, filter, [tile; 3]), channel);
            let huge =
                oracle(&image, filter, [tile; 3]).sample([f64::MAX, -f64::MAX, 1e18], channel);
            assert!(huge.is_finite());
        }
    }
}

#[test]
fn what_is_no_image_is_refused() {
    let cases: [(ImageError, &str, &str); 5] = cases![
        Image3d::new([2, 0, 1], Channels::Rgb, vec![0_u8; 6]).unwrap_err()
            => "empty_image", "2 columns, 0 rows and 1 sheets";
        Image3d::new([2, 1, 1], Channels::Rgb, vec![0_u8; 5]).unwrap_err()
            => "invalid_size", "take 6 samples, but got 5";
        Image3d::new([2, 1, 1], Channels::Grey, vec![0_u16; 3]).unwrap_err()
            => "invalid_size", "take 2 samples, but got 3";
        Image3d::new([u32::MAX; 3], Channels::Rgba, Vec::<f32>::new()).unwrap_err()
            => "invalid_size", "but got 0";
        Image3d::new([2, 1, 1], Channels::Grey, vec![0.0, f32::NAN]).unwrap_err()
            => "invalid_value", "sample 1 is not finite";
    ];
    for (error, code, text) in cases {
        assert_eq!(error.code(), code);
        assert!(error.to_string().contains(text), "{error}");
    }
    let image = Image3d::new([1; 3], Channels::Grey, vec![0_u8]).unwrap();
    assert!(image.oracle(Query::SignedDistance).is_none());
}
