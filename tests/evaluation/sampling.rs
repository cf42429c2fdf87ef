//! Regions in answers: values, statistics, gradients and bounds, and every wrong way to ask for them.

use std::ops::ControlFlow;

use fibula::graph::FunctionId;
use fibula::service::{Evaluate, EvaluationResult, Options, Refusal, Service};
use serde_json::{Value as Json, json};

use crate::calls::add;

/// The answer to a request in JSON, without its function.
fn evaluate(expression: &str, request: Json) -> Result<EvaluationResult, Refusal> {
    let service = Service::default();
    let id = add(&service, "f", expression);
    service.evaluate(asked(id, request))
}

fn asked(id: FunctionId, mut request: Json) -> Evaluate {
    request["function_id"] = json!(id);
    serde_json::from_value(request).expect("a request")
}

fn values(expression: &str, request: Json) -> Json {
    evaluate(expression, request)
        .unwrap_or_else(|refusal| panic!("{refusal}"))
        .values
}

#[test]
fn lines_planes_and_grids_are_evaluated() {
    let check = |expression: &str, region: Json, expected: Json| {
        let found = values(expression, json!({ "region": region }));
        assert_eq!(found, expected, "{expression} in {region}");
    };
    let line = json!({ "from": [0, 0, 0], "to": [3, 0, 4], "counts": 3 });
    check("length(pos)", line, json!({ "shape": [0.0, 2.5, 5.0] }));
    let row = json!({ "from": [0, 7, 0], "to": [3, 7, 4], "counts": [4, 1, 1] });
    check("x + z", row, json!({ "shape": [0.0, 1.0, 2.0, 3.0] }));
    let plane = json!({ "from": [0, 0, 5], "to": [1, 20, 5], "counts": [2, 3, 1] });
    let values = json!({ "shape": [5.0, 6.0, 15.0, 16.0, 25.0, 26.0] });
    check("x + y + z", plane, values);
    let grid = json!({ "from": [0, 0, 0], "to": [1, 10, 100], "counts": [2, 2, 2] });
    let eight = json!({ "shape": [0.0, 1.0, 10.0, 11.0, 100.0, 101.0, 110.0, 111.0] });
    check("x + y + z", grid, eight);
    let of_float = json!({ "from": 1, "to": 3, "counts": 3 });
    check("a * a", of_float, json!({ "shape": [1.0, 4.0, 9.0] }));
    let outputs = json!({ "from": [1, 0, 0], "to": [2, 0, 0], "counts": [2, 1, 1] });
    check(
        "shape = x; color = vec3(x, 2 * x, 1 / (x - 1))",
        outputs,
        json!({ "shape": [1.0, 2.0], "color": [[1.0, 2.0, "Infinity"], [2.0, 4.0, 1.0]] }),
    );
}

#[test]
fn the_other_inputs_are_given_once() {
    let request = json!({
        "arguments": { "b": 10, "pos": [1, 2, 3] },
        "region": { "input": "a", "from": 0, "to": 1, "counts": 2 },
    });
    let expected = json!({ "shape": [3.0, 13.0] });
    assert_eq!(values("a * b + z", request), expected);
}

#[test]
fn statistics_tell_what_values_are_like() {
    let request = json!({ "region": { "from": [-1, 0, 0], "to": [3, 0, 0], "counts": [5, 1, 1] } });
    let answer = evaluate("1 / x", request).expect("values");
    let statistics = serde_json::to_value(&answer.statistics).expect("JSON");
    assert_eq!(
        statistics,
        json!({ "shape": {
            "min": -1.0, "min_at": [-1.0, 0.0, 0.0], "max": 1.0, "max_at": [1.0, 0.0, 0.0],
            "mean": (1.0 + 0.5 + 1.0 / 3.0 - 1.0) / 4.0, "not_finite": 1,
        } })
    );
    assert_eq!(
        answer.warnings,
        ["shape is not finite at 1 points, first Infinity at [0.0,0.0,0.0]"]
    );
}

#[test]
fn statistics_tell_what_derivatives_are_like() {
    let request = json!({
        "region": { "from": -1, "to": 2, "counts": 4 },
        "gradient": true,
    });
    let answer = evaluate("a * a", request).expect("values");
    let statistics = serde_json::to_value(&answer.statistics).expect("JSON");
    assert_eq!(
        statistics["shape/a"],
        json!({ "min": -2.0, "min_at": -1.0, "max": 4.0, "max_at": 2.0, "mean": 1.0, "not_finite": 0 })
    );
}

#[test]
fn gradients_are_exact() {
    let check = |expression: &str, request: Json, expected: Json| {
        let mut request = request;
        request["gradient"] = json!(true);
        let answer = evaluate(expression, request).unwrap_or_else(|refusal| panic!("{refusal}"));
        assert_eq!(answer.gradients, Some(expected), "{expression}");
        answer.warnings
    };
    let at = |pos: [f64; 3]| json!({ "arguments": { "pos": pos } });
    let slopes = json!({ "shape": { "pos": [20.0, 4.0, 3.0] } });
    let one = check("x * x * y + 3 * z", at([2.0, 5.0, 1.0]), slopes);
    assert!(one.is_empty());
    let list = json!({ "arguments": [{ "a": 2, "b": 3 }, { "a": 4, "b": 5 }] });
    check(
        "a * b * b",
        list,
        json!([{ "shape": { "a": 9.0, "b": 12.0 } }, { "shape": { "a": 25.0, "b": 40.0 } }]),
    );
    let region = json!({
        "arguments": { "a": 3 },
        "region": { "from": [1, 0, 0], "to": [2, 0, 0], "counts": [2, 1, 1] },
    });
    check(
        "a * x * x",
        region,
        json!({ "shape": { "pos": [[6.0, 0.0, 0.0], [12.0, 0.0, 0.0]], "a": [1.0, 4.0] } }),
    );
    check(
        "pos * x",
        at([2.0, 3.0, 4.0]),
        json!({ "result": { "pos": [[4.0, 0.0, 0.0], [3.0, 2.0, 0.0], [4.0, 0.0, 2.0]] } }),
    );
    let slope = json!({ "shape": { "pos": [1.0, 0.0, 0.0] } });
    let kink = check("abs(x)", at([0.0, 1.0, 1.0]), slope);
    assert_eq!(
        kink,
        ["the function has a kink there: the gradient is one-sided"]
    );
    // The values are those that there are without.
    let request = json!({ "arguments": { "pos": [0.3, 0.4, 0.5] } });
    let mut with = request.clone();
    with["gradient"] = json!(true);
    let expression = "sin(x) * exp(y) + length(pos)^1.5";
    assert_eq!(values(expression, with), values(expression, request));
}

#[test]
fn boxes_have_bounds() {
    let request = |lipschitz: bool| {
        json!({
            "region": { "from": [-1, -1, -1], "to": [1, 1, 1] }, "bounds": true, "lipschitz": lipschitz,
        })
    };
    let answer = evaluate("length(pos) - 1", request(true)).expect("bounds");
    assert_eq!(answer.values, json!({}));
    let bounds = serde_json::to_value(&answer.bounds).expect("JSON");
    let (low, high) = (
        bounds["shape"]["low"].as_f64(),
        bounds["shape"]["high"].as_f64(),
    );
    let (low, high) = (low.expect("a number"), high.expect("a number"));
    let far = 3.0_f64.sqrt() - 1.0;
    assert!((-1.001..=-1.0).contains(&low), "{bounds}");
    assert!((far..far + 1e-9).contains(&high), "{bounds}");
    assert_eq!(bounds["shape"]["undefined"], false);
    let steepness = serde_json::to_value(&answer.lipschitz).expect("JSON");
    let least = steepness["shape"]["at_least"].as_f64().expect("a number");
    let most = steepness["shape"]["at_most"].as_f64().expect("a number");
    assert!((0.99..=1.0 + 1e-12).contains(&least), "{steepness}");
    assert!(most >= 1.0, "{steepness}");
    let answer = evaluate("sqrt(x)", request(false)).expect("bounds");
    let bounds = serde_json::to_value(&answer.bounds).expect("JSON");
    assert_eq!(bounds["shape"]["undefined"], true);
    assert!(answer.lipschitz.is_none());
    let answer = evaluate("1 / x", request(false)).expect("bounds");
    let bounds = serde_json::to_value(&answer.bounds).expect("JSON");
    assert_fields!(bounds["shape"], { "low": "-Infinity", "high": "Infinity" });
    // Whatever is sampled lies within.
    let request = json!({
        "arguments": { "a": 1.5 },
        "region": { "from": [-2, 1, 0], "to": [2, -1, 3], "counts": [9, 9, 9] }, "bounds": true,
    });
    let answer = evaluate("sin(a * x) * y + z", request).expect("values");
    let bound = &answer.bounds.expect("bounds")["shape"];
    let statistics = &answer.statistics.expect("statistics")["shape"];
    assert!(bound.low.as_f64() <= statistics.min && statistics.max <= bound.high.as_f64());
}

/// The answer as an agent sees it.
fn brief(service: &Service, request: Evaluate) -> EvaluationResult {
    let evaluation = service.evaluation(request).expect("a request").brief();
    let values = evaluation.run(&mut |_, _| ControlFlow::Continue(()));
    values.expect("values")
}

#[test]
fn an_agent_sees_the_first_values_of_many() {
    let service = Service::default();
    let id = add(&service, "f", "x");
    let request =
        json!({ "region": { "from": [0, 0, 0], "to": [1, 1, 1], "counts": [100, 100, 100] } });
    let answer = brief(&service, asked(id, request));
    let shown = answer.values["shape"].as_array().expect("a list").len();
    assert_each_eq! {
        shown => 400;
        (answer.total, answer.truncated) => (Some(1_000_000), Some(true));
        answer.statistics.expect("statistics")["shape"].max => Some(1.0);
    }
    let next = answer.next.expect("what to do");
    assert_starts!(next => "these are the values of the first 400 of 1000000 points; ");
    let small = json!({ "region": { "from": [0, 0, 0], "to": [1, 1, 1], "counts": [20, 20, 1] } });
    let answer = brief(&service, asked(id, small));
    assert_eq!((answer.total, answer.next), (None, None));
}

#[test]
fn long_lists_show_their_gradients_as_far_as_their_values() {
    let service = Service::default();
    let id = add(&service, "f", "a * a");
    let points: Vec<Json> = (0..2_000).map(|a| json!({ "a": a })).collect();
    let request = json!({ "arguments": points, "gradient": true });
    let answer = brief(&service, asked(id, request));
    let count = |list: &Json| list.as_array().expect("a list").len();
    assert_eq!(answer.total, Some(2_000));
    let gradients = answer.gradients.expect("gradients");
    assert_eq!(count(&answer.values), count(&gradients));
    assert_eq!(gradients[100], json!({ "shape": { "a": 200.0 } }));
    assert!(count(&gradients) < 1_000);
}

fn refused(expression: &str, request: &Json, code: &str, message: &str) {
    let refusal = evaluate(expression, request.clone()).expect_err(message);
    let found = (refusal.code, refusal.message.as_str());
    assert_eq!(found, (code, message), "{request}");
}

#[test]
fn every_wrong_region_is_refused() {
    let check = |expression: &str, region: Json, code: &str, message: &str| {
        refused(expression, &json!({ "region": region }), code, message);
    };
    let corners = |from: Json, to: Json| json!({ "from": from, "to": to, "counts": 2 });
    let value = "invalid_value";
    let message = "region.from is [0.0,0.0], but pos is a float3";
    let flat = corners(json!([0, 0]), json!([1, 1, 1]));
    check("x", flat, value, message);
    let message = "region.to is [1.0], but pos is a float3";
    check("x", corners(json!([0, 0, 0]), json!(1)), value, message);
    let message = "region.from is [0.0,0.0], but a is a float";
    check("a", corners(json!([0, 0]), json!(1)), value, message);
    let counted = |counts: &Json| json!({ "from": [0, 0, 0], "to": [1, 1, 1], "counts": counts });
    for counts in [json!([2, 2]), json!([2, 0, 2]), json!(0), json!([])] {
        let listed = if counts.is_array() {
            counts.clone()
        } else {
            json!([counts])
        };
        let message = format!("region.counts is {listed}");
        check("x", counted(&counts), value, &message);
    }
    let counts = json!([1_u64 << 40, 1_u64 << 40, 2]);
    let message = format!("region.counts is {counts}: more than 281474976710656 points");
    check("x", counted(&counts), "too_large", &message);
    let counts = json!([1 << 20, 1 << 20, 1]);
    let message = "the answer would have 1099511627776 points with 1 numbers each";
    check("x", counted(&counts), "too_large", message);
    let invalid = "invalid_arguments";
    let only_box = json!({ "from": [0, 0, 0], "to": [1, 1, 1] });
    let message = "the region has no counts, so it has no points";
    check("x", only_box, invalid, message);
    let mut named = counted(&json!(2));
    named["input"] = json!("poz");
    let message = "the function has no input 'poz'";
    check("x", named.clone(), "unknown_argument", message);
    check("5", named, "unknown_argument", message);
    let message = "the function has no float3 or float that could vary in a region";
    check("5", counted(&json!(2)), invalid, message);
}

#[test]
fn what_does_not_go_with_a_region_is_refused() {
    let check = |expression: &str, field: &str, value: Json, code: &str, message: &str| {
        let mut request = json!({ "region": { "from": [0, 0, 0], "to": [1, 1, 1], "counts": 2 } });
        request[field] = value;
        refused(expression, &request, code, message);
    };
    let invalid = "invalid_arguments";
    let message = "trace and why evaluate one point, not a region";
    check("x", "trace", json!(true), invalid, message);
    let message = "arguments is a list, but the points are given separately";
    check("x", "arguments", json!([{}]), invalid, message);
    let message = "'POS' varies in the region, and is also in arguments";
    let twice = json!({ "POS": [0, 0, 0] });
    check("x", "arguments", twice, invalid, message);
    let message = "a: float is missing";
    check("x * a", "arguments", json!({}), "missing_argument", message);
    let message = "the function has no input 'b'";
    let other = json!({ "b": 1 });
    check("x", "arguments", other, "unknown_argument", message);
    let message = "function 1 has no output 'shap'; it has shape";
    check("x", "outputs", json!(["shap"]), "unknown_output", message);
    for of_region in ["bounds", "lipschitz"] {
        let request = json!({ "arguments": { "pos": [0, 0, 0] }, of_region: true });
        let message = "bounds and lipschitz need a region, but none is given";
        refused("x", &request, invalid, message);
    }
    let message =
        "the function has no gradient: it has no float or float3 input, or no numeric output";
    refused("5", &json!({ "gradient": true }), invalid, message);
}

#[test]
fn requests_that_are_none_are_told_what_is() {
    let check = |region: Json, message: &str| {
        let request = json!({ "function_id": 1, "region": region });
        let error = serde_json::from_value::<Evaluate>(request).expect_err(message);
        assert!(error.to_string().starts_with(message), "{error}");
    };
    check_each! { check;
        json!({ "from": "a", "to": 1 }) => "a corner is a list of numbers, such as [-1, -1, 0]";
        json!({ "from": 0, "to": 1, "counts": -1 }) => "counts is a list of positive integers";
        json!({ "from": 0, "to": 1, "counts": 1.5 }) => "counts is a list of positive integers";
        json!({ "from": 0, "too": 1 }) => "unknown field `too`";
        json!({ "from": 0 }) => "missing field `to`";
    }
}

#[test]
fn work_has_a_budget() {
    let service = Service::new(&with_defaults!(Options, most_work: 10_000));
    let id = add(&service, "f", "length(pos) - 1");
    let request = |count: u64| {
        let region = json!({ "from": [0, 0, 0], "to": [1, 1, 1], "counts": count });
        asked(id, json!({ "region": region }))
    };
    assert!(service.evaluate(request(500)).is_ok());
    let refusal = service.evaluate(request(5_000)).expect_err("too much");
    assert_eq!(refusal.code, "too_large");
    let most = refusal.details["most_points"].as_u64().expect("a number");
    assert!(service.evaluate(request(most)).is_ok());
    assert!(service.evaluate(request(most + 1)).is_err());
}
