//! Edits that are only tried: answers of a state that is never written.

use fibula::service::{
    EvaluationResult, GetHistory, MeasurePart, PartMeasured, Refusal, RenderPart, Service,
    SlicePart, SlicesShown,
};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use super::apply;
use crate::calls::on;

/// A ball of radius 5, named so, as function 1 and as level set 3 in the box 2, which is built.
fn ball() -> Service {
    let service = Service::default();
    let edits = json!([
        {"create_function_from_expression": {"alias": "f", "name": "ball",
            "expression": "let radius = 5; shape = length(pos) - radius"}},
        {"create_level_set": {"alias": "part", "function_id": "$f", "channel": "shape",
            "bounds": [[-9, -9, -9], [9, 9, 9]]}},
        {"create_build_item": {"object_id": "$part"}},
    ]);
    apply(&service, edits).expect("it is a part");
    service
}

fn radius(value: f64) -> Json {
    json!({"set_parameter_value": {"function_id": 1, "parameter_name": "radius", "value": value}})
}

fn request<T: DeserializeOwned>(mut body: Json, edits: &Json) -> T {
    if !edits.is_null() {
        body["edits"] = edits.clone();
    }
    serde_json::from_value(body).expect("a request")
}

fn measure(service: &Service, body: Json, edits: &Json) -> Result<PartMeasured, Refusal> {
    let request: MeasurePart = request(body, edits);
    service.measure_part(&request, &mut on)
}

fn slice(service: &Service, edits: &Json) -> SlicesShown {
    let body = json!({"function_id": 1, "heights": [0.0], "points": true, "cell": 0.5});
    let request: SlicePart = request(body, edits);
    service.slice_part(&request, &mut on).expect("a slice")
}

fn picture(service: &Service, body: Json, edits: &Json) -> (Vec<u8>, Option<usize>) {
    let request: RenderPart = request(body, edits);
    let drawn = service.render_part(&request, &mut on).expect("a picture");
    (drawn.png, drawn.tried_edits)
}

fn evaluate(service: &Service, body: Json, edits: &Json) -> Result<EvaluationResult, Refusal> {
    let mut body = body;
    body["function_id"] = json!(1);
    service.evaluate(request(body, edits))
}

fn revision(service: &Service) -> u64 {
    let history = service.get_history(&GetHistory::default());
    history.expect("a history").revision
}

/// An answer without the number of edits and the revision.
fn of_any_state(answer: impl Serialize) -> Json {
    let mut answer = serde_json::to_value(answer).expect("an answer is JSON");
    let members = answer.as_object_mut().expect("an object");
    members.remove("revision").expect("a revision");
    members.remove("tried_edits");
    answer
}

/// The answers of everything that takes edits.
fn answers(service: &Service, edits: &Json) -> Vec<Json> {
    let subjects = [json!({}), json!({"function_id": 1})];
    let figures = subjects.map(|mut body| {
        body["figures"] = json!(["volume", "bounds"]);
        body["cell"] = json!(0.5);
        of_any_state(measure(service, body, edits).expect("figures"))
    });
    let pictures = [
        json!({"size": [64, 64]}),
        json!({"function_id": 1, "size": [64, 64], "show": "field", "heights": [1.0]}),
    ];
    let pictures = pictures.map(|body| json!(picture(service, body, edits).0));
    let points = [
        json!({"arguments": {"pos": [1, 2, 3]}, "trace": true, "why": true}),
        json!({"region": {"from": [0, 0, 0], "to": [9, 0, 0], "counts": [4, 1, 1]}}),
    ];
    let values = points.map(|body| of_any_state(evaluate(service, body, edits).expect("values")));
    let slice = of_any_state(slice(service, edits));
    [&figures[..], &pictures, &values, &[slice]].concat()
}

#[test]
fn a_tried_edit_answers_as_a_written_one_and_writes_nothing() {
    let (tried, written) = (ball(), ball());
    let before = answers(&tried, &Json::Null);
    let edits = json!([radius(7.0)]);
    let after = answers(&tried, &edits);
    apply(&written, edits.clone()).expect("a radius");
    assert_eq!(after, answers(&written, &Json::Null));
    assert!(
        before
            .iter()
            .zip(&after)
            .all(|(before, after)| before != after)
    );
    // Neither the project nor what is kept of it has changed.
    assert_eq!(revision(&tried), 1);
    assert_eq!(before, answers(&tried, &Json::Null));
    let measured = measure(&tried, json!({"figures": ["volume"]}), &edits).expect("figures");
    assert_eq!((measured.revision, measured.tried_edits), (1, Some(1)));
    let sliced = slice(&tried, &edits);
    assert_eq!((sliced.revision, sliced.tried_edits), (1, Some(1)));
    assert_eq!(picture(&tried, json!({"size": [8, 8]}), &edits).1, Some(1));
    let value = evaluate(&tried, json!({"arguments": {"pos": [0, 0, 0]}}), &edits);
    assert_eq!(value.expect("a value").tried_edits, Some(1));
    let plain = measure(&tried, json!({"figures": ["volume"]}), &Json::Null).expect("figures");
    assert_eq!(plain.tried_edits, None);
}

#[test]
fn edits_are_tried_on_an_earlier_revision_and_compared_with_what_is_written() {
    let service = ball();
    apply(&service, json!([radius(2.0)])).expect("a radius");
    let body = json!({"figures": ["volume"], "revision": 1, "cell": 0.5});
    let first = measure(&service, body.clone(), &Json::Null).expect("figures");
    let back = measure(
        &service,
        json!({"figures": ["volume"], "cell": 0.5}),
        &json!([radius(5.0)]),
    );
    assert_eq!(back.expect("figures").figures, first.figures);
    // The tried state is the first, the written one the second.
    let body = json!({"figures": ["overlap", "volumes"], "to": {}, "cell": 0.5});
    let compared = measure(&service, body, &json!([radius(5.0)])).expect("a comparison");
    assert_eq!(compared.tried_edits, Some(1));
    assert_eq!((compared.revision, compared.to_revision), (2, Some(2)));
    let volumes = compared.figures["volumes"].as_array().expect("two");
    let ratio = volumes[0]["value"].as_f64().expect("a volume")
        / volumes[1]["value"].as_f64().expect("a volume");
    assert!((ratio - 2.5f64.powi(3)).abs() < 0.5, "{ratio}");
}

#[test]
fn the_bytes_of_a_tried_mesh_are_read() {
    let service = ball();
    let edits = json!([
        {"set_mesh": {"alias": "$box", "bounds": [[0, 0, 0], [1, 2, 3]]}},
        {"create_build_item": {"object_id": "$box", "transform": [1,0,0, 0,1,0, 0,0,1, 20,0,0]}},
        {"create_level_set": {"alias": "twin", "function_id": 1, "channel": "shape", "bounds": [[-9, -9, -9], [0, 9, 9]]}},
    ]);
    let volume = |body: Json| {
        let mut body = body;
        body["figures"] = json!(["bounds", "volume"]);
        let measured = measure(&service, body, &edits).expect("figures");
        measured.figures["volume"]["value"]
            .as_f64()
            .expect("a volume")
    };
    assert!((volume(json!({"object_id": 4})) - 6.0).abs() < 1e-9);
    let ball = 500.0 / 3.0 * std::f64::consts::PI;
    assert!((volume(json!({"cell": 0.5})) - ball - 6.0).abs() < 0.01 * ball);
    let each = measure(&service, json!({"each": true}), &edits)
        .expect("figures")
        .each;
    assert_eq!(each.len(), 3, "{each:?}");
    assert_eq!(revision(&service), 1);
}

#[test]
fn what_cannot_be_tried_is_refused_with_its_index() {
    let service = ball();
    let told = |edits: Json| {
        let body = json!({"figures": ["volume"]});
        let measured = measure(&service, body, &edits).expect_err("an impossible edit");
        let value = json!({"arguments": {"pos": [0, 0, 0]}});
        let evaluated = evaluate(&service, value, &edits).expect_err("an impossible edit");
        assert_eq!(measured.to_string(), evaluated.to_string());
        measured.to_string()
    };
    let many = vec![radius(1.0); 20_001];
    let refused = [
        json!([radius(1.0), {"set_parameter_value": {"function_id": 1, "parameter_name": "radios", "value": 2}}]),
        json!([{"delete_function": {"function_id": 9}}]),
        json!([{"paint": {}}]),
        json!(["radius = 5"]),
        json!(many),
    ];
    let told = refused.map(told);
    insta::assert_snapshot!(told.join("\n"));
    // A graph has no shape that edits change.
    let body = json!({"function_id": 1, "show": "graph"});
    let graph: RenderPart = request(body, &json!([radius(1.0)]));
    let refusal = service.render_part(&graph, &mut on).expect_err("a graph");
    assert_eq!(refusal.code, "invalid_arguments");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Edits of any number, one after the other, are tried as they would be applied.
    #[test]
    fn tried_values_are_those_after_the_edits(radii in proptest::collection::vec(-9.0..9.0, 1..5)) {
        let service = ball();
        let edits: Vec<Json> = radii.iter().copied().map(radius).collect();
        let at = json!({"arguments": {"pos": [0, 0, 0]}});
        let tried = evaluate(&service, at, &json!(edits)).expect("a value");
        prop_assert_eq!(tried.tried_edits, Some(edits.len()));
        prop_assert_eq!(&tried.values["shape"], &json!(-radii[radii.len() - 1]));
        prop_assert_eq!(revision(&service), 1);
    }
}
