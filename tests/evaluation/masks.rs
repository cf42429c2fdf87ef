//! Masks: a pixel is inside if its middle is, whatever is skipped on the way; and their files.

use std::io::{Cursor, Read as _};
use std::ops::ControlFlow;

use crate::calls::{on, shape, stop};
use crate::space::{ON, cube, tape};
use fibula::format::masks::{self, Layer, Sheet, Stack};
use fibula::geometry::{Bounds, Mask, MaskError, MaskSettings, Masker, Shape};
use fibula::service::{Heights, Limits, MakeMasks, make_masks};
use proptest::prelude::*;

fn masked(text: &str, masking: MaskSettings, z: f64) -> Result<Mask, MaskError> {
    Masker::new(&Shape::new(&tape(text)).unwrap(), masking)?.mask(z, ON)
}

/// The middle of a pixel.
fn middle(masking: &MaskSettings, mask: &Mask, [column, row]: [usize; 2]) -> [f64; 2] {
    let [left, bottom, _] = masking.bounds.low();
    let from_bottom = mask.size()[1] - 1 - row;
    [
        left + (column as f64 + 0.5) * masking.pixel,
        bottom + (from_bottom as f64 + 0.5) * masking.pixel,
    ]
}

/// Balls, boxes and waves, joined and cut.
fn plane_shape() -> impl Strategy<Value = String> {
    let piece = (-3.0..3.0_f64, -3.0..3.0_f64, 0.2..2.5_f64, 0..3).prop_map(
        |(x, y, size, kind)| match kind {
            0 => format!("(length(p - vec3({x}, {y}, 0)) - {size})"),
            1 => format!("(max(abs(u - {x} + 0.3 * y), abs(y - {y})) - {size})"),
            _ => format!("(sin({size} * 3 * u + {x}) + cos(y * {size} + {y}) + 0.3 * z)"),
        },
    );
    prop::collection::vec((piece, 0..3), 1..5).prop_map(|pieces| {
        let joined = pieces.into_iter().reduce(|(text, _), (other, how)| {
            let text = match how {
                0 => format!("min({text}, {other})"),
                1 => format!("max({text}, {other})"),
                _ => format!("max({text}, -{other})"),
            };
            (text, how)
        });
        joined.expect("there is one").0
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn each_pixel_is_what_its_middle_is(
        text in plane_shape(),
        pixel in 0.013..0.4_f64,
        off in prop_oneof![Just(0.0), Just(1e5)],
        z in -1.0..1.0_f64,
    ) {
        // Far from the origin single precision is not enough.
        let text = format!("let p = pos - vec3({off}, 0, 0); let u = x - {off}; {text}");
        let bounds = Bounds::new([off - 4.0, -3.1, -1.0], [off + 3.3, 4.0, 1.0]).unwrap();
        let masking = MaskSettings { bounds, pixel };
        let mask = masked(&text, masking, z).unwrap();
        let size = [7.3 / pixel, 7.1 / pixel].map(|count| count.round() as usize);
        prop_assert_eq!(mask.size(), size);
        let tape = tape(&text);
        let mut evaluator = tape.evaluator();
        let mut inside = 0;
        let bytes = mask.bytes();
        for row in 0..size[1] {
            for column in 0..size[0] {
                let [x, y] = middle(&masking, &mask, [column, row]);
                let mut value = [0.0];
                evaluator.run(&[x, y, z], &mut value);
                let is_inside = mask.is_inside([column, row]);
                inside += u64::from(is_inside);
                // On the surface itself rounding decides.
                if value[0].abs() > 1e-4 {
                    prop_assert_eq!(is_inside, value[0] < 0.0, "{} at {} {}", value[0], x, y);
                }
                let byte = bytes[row * size[0].div_ceil(8) + column / 8];
                prop_assert_eq!(byte >> (7 - column % 8) & 1 == 1, is_inside);
            }
        }
        prop_assert_eq!(mask.count(), inside);
        prop_assert_eq!(bytes.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>(), inside);
    }
}

/// Pixels of this size in a cube with sides of 8.
fn masking(pixel: f64) -> MaskSettings {
    let bounds = cube(4.0);
    MaskSettings { bounds, pixel }
}

#[test]
fn threads_leave_masks_as_they_are() {
    let text = "sin(9 * x) * cos(7 * y) + 0.1 * x";
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap()
            .install(|| masked(text, masking(0.01), 0.0).unwrap())
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn what_is_beyond_undefined_or_zero_is_outside() {
    let masking = masking(0.1);
    let mask = masked("length(pos) - 9", masking, 0.0).unwrap();
    assert_eq!(mask.count(), 80 * 80);
    assert_eq!(masked("length(pos) - 9", masking, 4.1).unwrap().count(), 0);
    assert_eq!(masked("x * 0", masking, 0.0).unwrap().count(), 0);
    let half = masked("sqrt(x) - 9", masking, 0.0).unwrap();
    assert_eq!((half.count(), half.undefined), (40 * 80, 40 * 80));
    assert!(!half.is_inside([80, 0]) && !half.is_inside([0, 80]) && half.is_inside([79, 79]));
}

#[test]
fn what_makes_no_mask_is_refused() {
    let refused = |pixel: f64| masked("length(pos) - 3", masking(pixel), 0.0).unwrap_err();
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(refused(wrong), MaskError::Pixel { .. }), "{wrong}");
    }
    let MaskError::TooManyPixels { passes, .. } = refused(1e-9) else {
        panic!("there are too many");
    };
    let size = |pixel: f64| masking(pixel).size();
    assert!(size(passes).is_ok(), "{passes}");
    assert!(size(passes / 1.2).is_err(), "{passes}");
    let bounds = Bounds::new([1e9, 0.0, 0.0], [1e9 + 1e-6, 1e-6, 1.0]).unwrap();
    let pixel = 1e-7;
    let far = MaskSettings { bounds, pixel };
    assert!(matches!(far.size(), Err(MaskError::TooFar { .. })));
    let nan = masked("length(pos) - 3", masking(0.1), f64::NAN).unwrap_err();
    assert!(matches!(nan, MaskError::Height(_)));
}

#[test]
fn a_mask_ends_when_asked() {
    let waves = tape("sin(99 * x) * sin(97 * y)");
    let masker = Masker::new(&Shape::new(&waves).unwrap(), masking(0.01)).unwrap();
    let ended = masker.mask(0.0, &|_, _| ControlFlow::Break(()));
    assert!(matches!(ended, Err(MaskError::Cancelled(_))));
}

#[test]
fn many_small_masks_end_when_asked() {
    let seen = shape("length(pos) - 3");
    for (low, high) in [(-3.0, 3.0), (5.0, 6.0)] {
        let heights = (0..2_000).map(|k| low + (high - low) * f64::from(k) / 2e3);
        let request = MakeMasks {
            bounds: Some(cube(4.0)),
            heights: Heights::At(heights.collect()),
            pixel: 0.25,
            limits: Limits::default(),
        };
        let mut taken = 0;
        let mut take = |_: Layer<'_>| {
            taken += 1;
            std::thread::sleep(std::time::Duration::from_millis(1));
            ControlFlow::Continue(())
        };
        let ended = make_masks(&seen, &request, &mut take, &mut stop);
        assert_eq!(ended.unwrap_err().code, "cancelled");
        assert!(taken < 2_000, "{taken}");
    }
    let request = MakeMasks {
        bounds: Some(cube(4.0)),
        heights: Heights::At(vec![0.0, f64::NAN]),
        pixel: 0.25,
        limits: Limits::default(),
    };
    let mut take = |_: Layer<'_>| panic!("nothing is made");
    let refused = make_masks(&seen, &request, &mut take, &mut on);
    assert_eq!(refused.unwrap_err().code, "invalid_value");
}

#[test]
fn files_hold_the_pixels() {
    let masking = MaskSettings {
        bounds: Bounds::new([-1.0, -2.0, -1.0], [2.0, 3.0, 1.0]).unwrap(),
        pixel: 0.25,
    };
    let mask = masked("length(pos) - 1.5", masking, 0.0).unwrap();
    let png = masks::png(mask.size(), &mask.bytes(), 1e3 / masking.pixel).unwrap();
    let mut stack = Stack::begin(Cursor::new(Vec::new()));
    for z in [0.0, 0.5] {
        let pixels = mask.count();
        stack
            .push(Layer {
                z,
                pixels,
                png: &png,
            })
            .unwrap();
    }
    let sheet = Sheet {
        of: "a ball",
        unit: "millimeter",
        pixel: masking.pixel,
        size: mask.size(),
        corner: [-1.0, -2.0],
    };
    let mut zip = zip::ZipArchive::new(stack.finish(&sheet).unwrap()).unwrap();
    let mut read = |name: &str| {
        let mut bytes = Vec::new();
        zip.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
        bytes
    };
    let told: serde_json::Value = serde_json::from_slice(&read("masks.json")).unwrap();
    assert_eq!(told["size"], serde_json::json!([12, 20]));
    assert_eq!(told["layers"][1]["file"], "00001.png");
    assert_eq!(told["layers"][1]["z"], 0.5);
    let image = read("00001.png");
    let mut reader = png::Decoder::new(Cursor::new(&image)).read_info().unwrap();
    let dots = reader.info().pixel_dims.unwrap();
    assert_eq!((dots.xppu, dots.yppu), (4000, 4000));
    let mut bits = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bits).unwrap();
    assert_eq!(bits, mask.bytes());
}
