//! Measures of a given accuracy: cells follow from it, and the answer says what was reached.

use std::f64::consts::PI;

use fibula::service::{Measure, MeasurePart, Service, SlicePart};
use serde_json::json;

use super::service::{seen, told};
use crate::calls::{add, on};

#[test]
fn cells_follow_from_the_accuracy() {
    let rod = seen(
        "capsule(pos, vec3(0, 0, -9), vec3(0, 0, 9), 0.6)",
        "millimeter",
    );
    let volume = PI * 0.36 * 18.0 + 4.0 / 3.0 * PI * 0.216;
    let measured = |accuracy| {
        let request = with_defaults!(Measure, accuracy);
        told(&rod, &request).unwrap()
    };
    let mut last = f64::INFINITY;
    for (accuracy, most, cell) in [
        (None, 0.0193, 0.19..0.2),
        (Some(0.01), 0.01, 0.1..0.2),
        (Some(0.002), 0.002, 0.04..0.1),
    ] {
        let answer = measured(accuracy);
        let figures = &answer.measures;
        assert!(
            answer.warnings.is_empty(),
            "{accuracy:?}: {:?}",
            answer.warnings
        );
        assert!(
            (0.0..=most).contains(&figures.deviation),
            "{accuracy:?}: {figures:?}"
        );
        assert!(
            cell.contains(&figures.cell),
            "{accuracy:?}: {}",
            figures.cell
        );
        let off = (figures.volume.value - volume).abs();
        assert!(
            off <= figures.volume.error && figures.volume.error < last,
            "{figures:?}"
        );
        last = figures.volume.error;
    }
}

#[test]
fn a_given_cell_is_kept_and_an_accuracy_that_it_misses_is_told() {
    let ball = seen("sphere(pos, 5)", "millimeter");
    let measured = |accuracy: f64| {
        let request = with_defaults!(Measure, accuracy: Some(accuracy), cell: Some(1.0));
        told(&ball, &request).unwrap()
    };
    let (fine, coarse) = (measured(1e-3), measured(0.3));
    assert_contains!(fine.warnings.concat() => "the surface is off by up to", "use smaller cells");
    assert_eq!((fine.measures.cell, coarse.measures.cell), (1.0, 1.0));
    assert!(coarse.warnings.is_empty(), "{:?}", coarse.warnings);
    for accuracy in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let request = with_defaults!(Measure, accuracy: Some(accuracy));
        let refusal = told(&ball, &request).unwrap_err();
        assert_eq!(refusal.code, "invalid_value");
        assert_contains!(refusal.to_string() => "an accuracy must be a length above 0");
    }
}

#[test]
fn requests_have_an_accuracy_and_answers_what_was_reached() {
    let service = Service::default();
    let id = add(&service, "ball", "sphere(pos, 5)");
    let measure = |more: serde_json::Value| {
        let mut request = json!({"function_id": id, "accuracy": 0.002});
        request
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let request: MeasurePart = serde_json::from_value(request).unwrap();
        service.measure_part(&request, &mut on)
    };
    let answer = measure(json!({"figures": ["cell", "deviation", "volume", "pieces"]})).unwrap();
    let deviation = answer.figures["deviation"].as_f64().unwrap();
    assert!(deviation > 0.0 && deviation <= 0.002, "{answer:?}");
    assert!(
        answer.figures["cell"].as_f64().unwrap() < 0.11,
        "{answer:?}"
    );
    assert_eq!(answer.figures["volume"]["unit"], "millimeter^3");
    for (more, text) in [
        (
            json!({"to": {"revision": 1}}),
            "accuracy applies to one subject",
        ),
        (
            json!({"accuracy": -1}),
            "an accuracy must be a length above 0, not -1",
        ),
    ] {
        assert_contains!(measure(more).unwrap_err().message => text);
    }
    // Pieces name their unit.
    let id = add(
        &service,
        "balls",
        "min(sphere(pos, 2), sphere(pos - vec3(6, 0, 0), 2))",
    );
    let answer = measure(json!({"function_id": id, "figures": ["pieces"]})).unwrap();
    assert_eq!(answer.figures["pieces"][1]["unit"], "millimeter^3");
    let slice = json!({"function_id": 1, "heights": [0, 3], "accuracy": 0.002});
    let slice: SlicePart = serde_json::from_value(slice).unwrap();
    let answer = service.slice_part(&slice, &mut on).unwrap();
    assert!((answer.cell - 0.02).abs() < 1e-3 && (answer.accuracy - 0.002).abs() < 1e-9);
    for (slice, truth) in answer.slices.iter().zip([25.0 * PI, 16.0 * PI]) {
        let error = slice.area_error.unwrap();
        assert!(
            (slice.area - truth).abs() <= error && error < 1e-3 * truth,
            "{slice:?}"
        );
    }
}
