//! Areas of slices: what is true is inside of the stated error, which is small.

use std::f64::consts::PI;

use fibula::geometry::{Bounds, Sampler};
use fibula::service::{
    AREA_POINTS, Heights, Limits, MakeSlices, Refusal, ResolvedShape, SlicesMade, make_slices,
};
use fibula_eval::{Rounding, Settings};
use proptest::prelude::*;

use super::ON;
use super::solids::random;
use crate::calls::{on, shape};
use crate::mesh::shapes::combined;

/// Slices at heights, with an accuracy.
fn sliced(
    seen: &ResolvedShape,
    heights: &[f64],
    accuracy: Option<f64>,
    bounds: Option<Bounds>,
) -> Result<SlicesMade, Refusal> {
    let request = MakeSlices {
        bounds,
        heights: Heights::At(heights.into()),
        cell: None,
        tolerance: None,
        accuracy,
        area_points: AREA_POINTS,
        limits: Limits::default(),
    };
    make_slices(seen, &request, &mut on)
}

/// The area at a height by one random point in each of many small squares, and its error.
fn sampled(seen: &ResolvedShape, bounds: &Bounds, z: f64) -> [f64; 2] {
    const SIDE: usize = 1000;
    let (low, size) = (bounds.low(), bounds.size());
    let column = |axis: usize| {
        let place = |index: usize| {
            let cell = [index % SIDE, index / SIDE][axis] as f64;
            low[axis] + size[axis] * (cell + random((2 * index + axis) as u64)) / SIDE as f64
        };
        (0..SIDE * SIDE).map(place).collect::<Vec<f64>>()
    };
    let columns = [column(0), column(1), vec![z; SIDE * SIDE]];
    let mut values = vec![0.0; SIDE * SIDE];
    let sampler = Sampler::new(&seen.tape, Rounding::Exact, Settings::default());
    let inputs = columns.each_ref().map(Vec::as_slice);
    sampler.points(&inputs, &mut [&mut values[..]], ON).unwrap();
    let inside = |x: usize, y: usize| values[x + SIDE * y] < 0.0;
    let (mut count, mut mixed) = (0.0, 0.0);
    for y in 0..SIDE {
        for x in 0..SIDE {
            count += f64::from(inside(x, y));
            let is_mixed = (x + 1 < SIDE && inside(x, y) != inside(x + 1, y))
                || (y + 1 < SIDE && inside(x, y) != inside(x, y + 1));
            mixed += f64::from(is_mixed);
        }
    }
    let each = size[0] * size[1] / (SIDE * SIDE) as f64;
    [count * each, 4.5 * each * (0.25 * mixed + 1.0_f64).sqrt()]
}

#[test]
fn known_areas_are_within_the_error() {
    let fins = |width: f64| {
        format!(
            "max(max(abs(mod(x, 1) - 0.5) - {}, abs(x) - 10), max(abs(y) - 5, abs(z) - 1))",
            width / 2.0
        )
    };
    let [wide, thin, thinnest] = [0.1, 0.03, 0.002].map(fins);
    // The share of the area that the error may be; more is missed where it is larger than that of the cells.
    for (text, area, most) in [
        ("sphere(pos, 10)", 100.0 * PI, 1.2e-3),
        ("box(pos, vec3(20, 14, 2))", 280.0, 1e-3),
        (
            "box(rotate(pos, vec3(0, 0, 1), 0.3), vec3(20, 14, 2))",
            280.0,
            1.2e-3,
        ),
        ("tube(pos, 10, 8, 4)", 36.0 * PI, 3e-3),
        ("tube(pos, 10, 9.98, 4)", (100.0 - 9.98 * 9.98) * PI, 1.0),
        (
            "max(max(abs(x) + 20 * y - 10, -y), abs(z) - 1)",
            10.0 * 0.5,
            1e-2,
        ),
        (
            "max(box(pos, vec3(16, 16, 2)), 0.6 - length(vec3(mod(x, 2) - 1, mod(y, 2) - 1, 0)))",
            256.0 - 64.0 * 0.36 * PI,
            5e-3,
        ),
        (&wide, 20.0, 1e-2),
        (&thin, 6.0, 1.0),
        (&thinnest, 0.4, 10.0),
    ] {
        let made = sliced(&shape(text), &[0.0, 0.2], None, None).unwrap();
        for slice in &made.slices {
            let truth = if text.starts_with("sphere") {
                area - PI * slice.z * slice.z
            } else {
                area
            };
            let error = slice.area_error.unwrap();
            let off = (slice.area() - truth).abs();
            println!(
                "{text}: off by {:.1e}, stated {:.1e}",
                off / truth,
                error / truth
            );
            assert!(
                off <= error,
                "{text}: {} +- {error}, not {truth}",
                slice.area()
            );
            assert!(error <= most * truth, "{text}: {error} of {truth}");
        }
    }
}

#[test]
fn areas_of_gyroids_and_of_noise_are_within_the_error() {
    for text in [
        "max(gyroid(pos, 5, 0.8), box(pos, vec3(18, 18, 18)))",
        "max(gyroid(pos, 2, 0.05), box(pos, vec3(18, 18, 18)))",
        "max(sin(9 * x + 3 * cos(5 * y)) * cos(11 * y - z) - 0.2, box(pos, vec3(18, 18, 18)))",
        "max(sin(80 * x) * sin(70 * y + 3 * x), box(pos, vec3(18, 18, 18)))",
    ] {
        let seen = shape(text);
        let made = sliced(&seen, &[-3.1, 0.0, 1.7], None, None).unwrap();
        for slice in &made.slices {
            let [truth, unsure] = sampled(&seen, &made.bounds, slice.z);
            let error = slice.area_error.unwrap();
            let off = (slice.area() - truth).abs();
            println!("{text}: off by {off:.1e} +- {unsure:.1e}, stated {error:.1e} of {truth:.1}");
            assert!(
                off <= error + unsure,
                "{text}: {} +- {error}, not {truth}",
                slice.area()
            );
            assert!(error <= 0.1 * truth, "{text}: {error} of {truth}");
        }
    }
}

#[test]
fn cells_and_contours_follow_from_the_accuracy() {
    let ball = shape("sphere(pos, 10)");
    let mut last = f64::INFINITY;
    for accuracy in [2.0, 0.1, 0.01, 0.001] {
        let made = sliced(&ball, &[0.0], Some(accuracy), None).unwrap();
        let slice = &made.slices[0];
        let points = &slice.contours[0].points;
        let segments = points.iter().zip(points.iter().cycle().skip(1));
        let middles = segments.map(|(a, b)| (0.5 * (a[0] + b[0])).hypot(0.5 * (a[1] + b[1])));
        let off = middles.map(|out| (out - 10.0).abs()).fold(0.0, f64::max);
        assert!(
            off <= accuracy && off > 0.02 * accuracy,
            "{accuracy}: {off}"
        );
        assert!((made.tolerance / accuracy - 1.0).abs() < 1e-12 && made.warnings.is_empty());
        assert!(
            made.cell <= 10.0 * accuracy && made.cell <= 0.0401,
            "{}",
            made.cell
        );
        let error = slice.area_error.unwrap();
        assert!(
            error < last && (slice.area() - 100.0 * PI).abs() <= error,
            "{accuracy}: {error}"
        );
        last = error;
    }
    for ((accuracy, tolerance), code, text) in cases![
        (0.0, None) => "invalid_value", "an accuracy must be a length above 0, not 0";
        (f64::NAN, None) => "invalid_value", "an accuracy must be a length above 0";
        (0.1, Some(0.1)) => "invalid_arguments", "omit one of them";
        (1e-9, None) => "too_large", "use an accuracy of";
    ] {
        let request = MakeSlices {
            bounds: None,
            heights: Heights::At(vec![0.0]),
            cell: None,
            tolerance,
            accuracy: Some(accuracy),
            area_points: 0,
            limits: Limits::default(),
        };
        let refusal = make_slices(&ball, &request, &mut on).unwrap_err();
        assert_eq!(refusal.code, code, "{refusal}");
        assert_contains!(refusal.to_string() => text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(12) })]

    #[test]
    fn areas_of_what_is_cut_out_of_solids_are_within_the_error(text in combined(), z in -1.5..1.5) {
        let seen = shape(&text);
        let bounds = Bounds::new([-4.0, -3.0, -3.5], [4.0, 4.5, 3.0]).unwrap();
        let made = sliced(&seen, &[z], None, Some(bounds)).unwrap();
        let [truth, unsure] = sampled(&seen, &bounds, z);
        let (area, error) = (made.slices[0].area(), made.slices[0].area_error.unwrap());
        prop_assert!((area - truth).abs() <= error + unsure, "{text}: {area} +- {error}, not {truth}");
        prop_assert!(error <= 0.05, "{text}: {error} of {truth}");
    }
}
