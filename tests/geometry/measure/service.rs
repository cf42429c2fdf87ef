//! Measuring as a program asks for it.

use fibula::service::{
    Compare, CompareResult, Measure, MeasureResult, Refusal, ResolvedShape, Service, Slabs,
    Subject, compare, measure,
};
use serde_json::{Value as Json, json};

use crate::calls::{apply, on, stop};

/// Shape of an expression, in a unit.
pub(super) fn seen(expression: &str, unit: &str) -> ResolvedShape {
    let service = Service::default();
    let edits = json!([
        {"create_function_from_expression": {"name": "part", "expression": expression}},
        {"set_unit": {"unit": unit}},
    ]);
    apply(&service, edits).expect("a function");
    let subject: Subject = serde_json::from_value(json!({"function_id": 1})).expect("a subject");
    service.resolve_shape(None, None, &subject).expect("a part")
}

pub(super) fn told(seen: &ResolvedShape, request: &Measure) -> Result<MeasureResult, Refusal> {
    measure(seen, request, &mut on)
}

fn pair(one: &ResolvedShape, other: &ResolvedShape) -> Result<CompareResult, Refusal> {
    let request = with_defaults!(Compare, cell: Some(0.2));
    compare(one, other, &request, &mut on)
}

#[test]
fn answers_have_units_and_errors() {
    let block = seen("max(max(abs(x) - 3, abs(y) - 2), abs(z) - 1)", "inch");
    let slabs = Some(Slabs { axis: 2, count: 2 });
    let at = Some([0.0, 0.0, 0.5]);
    let request = with_defaults!(Measure, cell: Some(0.2), thickness_at: at, slabs: slabs);
    let answer = told(&block, &request).expect("measures");
    assert_eq!(answer.unit, "inch");
    assert_eq!(answer.of, "function 1 'part'");
    assert!(answer.warnings.is_empty(), "{:?}", answer.warnings);
    let answer = serde_json::to_value(&answer).expect("JSON");
    let number = |of: &Json| of.as_f64().expect("a number");
    let [volume, error] = ["value", "error"].map(|name| number(&answer["volume"][name]));
    assert!((volume - 48.0).abs() <= error);
    assert!((number(&answer["wall"]["value"]) - 2.0).abs() <= number(&answer["wall"]["error"]));
    assert_eq!(answer["wall"]["at"].as_array().map(Vec::len), Some(2));
    assert_fields!(answer, { "gap": null, "closed": true });
    assert_eq!(answer["components"], json!({"value": 1, "error": 0}));
    // The schema names what is there.
    for (schema, answer) in [
        (schemars::schema_for!(MeasureResult), answer),
        (
            schemars::schema_for!(CompareResult),
            serde_json::to_value(pair(&block, &block).expect("a pair")).expect("JSON"),
        ),
    ] {
        let schema = schema.to_value();
        let properties = schema["properties"].as_object().expect("properties");
        let answer = answer.as_object().expect("an object");
        let [named, told] = [properties, answer].map(|of| of.keys().cloned().collect::<Vec<_>>());
        assert_eq!(named, told);
        assert!(jsonschema::is_valid(&schema, &Json::Object(answer.clone())));
    }
}

#[test]
fn warnings_tell_what_cells_are_too_large_for() {
    let sheet = seen(
        "max(max(abs(x) - 3, abs(y) - 2), abs(z - 0.01) - 0.1)",
        "millimeter",
    );
    let request = with_defaults!(Measure, cell: Some(0.15));
    let answer = told(&sheet, &request).expect("measures");
    let warnings = answer.warnings.join("\n");
    assert_contains!(warnings => "the wall of 0.2 is less than two cells of 0.15");
    // Not of figures that nobody asks for.
    let figures = Some(vec!["volume".to_owned()]);
    let request = with_defaults!(Measure, cell: Some(0.15), figures: figures);
    let answer = told(&sheet, &request).expect("measures");
    assert!(answer.warnings.is_empty(), "{:?}", answer.warnings);
}

#[test]
fn what_cannot_be_measured_is_told() {
    let ball = seen("length(pos) - 2", "millimeter");
    let with = |request: Measure| {
        let refusal = told(&ball, &request).expect_err("it is refused");
        (refusal.code, refusal.to_string())
    };
    for cell in [0.0, -1.0, f64::NAN] {
        let request = with_defaults!(Measure, cell: Some(cell));
        assert_eq!(with(request).0, "invalid_value");
    }
    let (code, text) = with(with_defaults!(Measure, cell: Some(1e-9)));
    assert!(
        code == "too_large" && text.contains("use a cell size of"),
        "{text}"
    );
    for overhang in [90.0, -1.0, f64::INFINITY] {
        let (code, text) = with(with_defaults!(Measure, overhang: Some(overhang)));
        assert_eq!(code, "invalid_value");
        assert_contains!(text => &format!("but is {overhang}"));
    }
    for (expression, code) in [
        ("length(pos) + 2", "empty_shape"),
        ("sin(x) + sin(y) + sin(z)", "unbounded_shape"),
    ] {
        let seen = seen(expression, "millimeter");
        let refused = told(&seen, &Measure::default()).expect_err(expression);
        assert_eq!(refused.code, code);
        assert_eq!(pair(&ball, &seen).expect_err(expression).code, code);
    }
    let other = seen("length(pos) - 1", "inch");
    let refusal = pair(&ball, &other).expect_err("units differ");
    assert_eq!(refusal.code, "units_differ");
    let ended = measure(&ball, &Measure::default(), &mut stop);
    assert_eq!(ended.expect_err("it was ended").code, "cancelled");
}

#[test]
fn two_things_are_compared() {
    let ball = seen("length(pos) - 2", "millimeter");
    let other = seen("length(pos - vec3(4.5, 0, 0)) - 2", "millimeter");
    let compared = pair(&ball, &other).expect("a pair");
    let distance = compared.comparison.distance;
    let off = (distance.value - 0.5).abs();
    assert!(off <= distance.error, "{distance:?}");
    assert!(compared.comparison.overlap.value <= 0.0);
}
