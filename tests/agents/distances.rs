//! The signed distance to a shape, where the values of a function are not: against distances in closed form, with edits of the
//! shape after it, and as far as files.

mod changes;

use serde_json::{Value as Json, json};

use crate::agent::Agent;

/// Shapes whose values are not distances, each with the same shape as an exact distance.
const SHAPES: [(&str, &str); 10] = [
    ("dot(pos, pos) - 100", "length(pos) - 10"),
    (
        "max(max(abs(x) / 8, abs(y) / 6), abs(z) / 5) - 1",
        "box(pos, vec3(16, 12, 10))",
    ),
    (
        "max(x * x + y * y - 36, z * z - 25)",
        "cylinder(pos, 6, 10)",
    ),
    (
        "let q = dot(pos, pos) + 91; q * q - 400 * (x * x + y * y)",
        "torus(pos, 10, 3)",
    ),
    ("box(pos / 2, vec3(8, 6, 4))", "box(pos, vec3(16, 12, 8))"),
    (
        "exp(capsule(pos, vec3(-8, 0, 0), vec3(8, 0, 0), 4) / 5) - 1",
        "capsule(pos, vec3(-8, 0, 0), vec3(8, 0, 0), 4)",
    ),
    (
        "sinh(rounded_box(pos, vec3(20, 10, 6), 2))",
        "rounded_box(pos, vec3(20, 10, 6), 2)",
    ),
    (
        "max(length(pos) - 10, 64 - dot(pos, pos))",
        "abs(length(pos) - 9) - 1",
    ),
    (
        "3 * extrude(pos, regular_polygon(pos, 6, 10), 8)",
        "extrude(pos, regular_polygon(pos, 6, 10), 8)",
    ),
    ("atan(cone(pos, 8, 2, 12))", "cone(pos, 8, 2, 12)"),
];

/// Points in a cube around the origin, spread evenly (a Halton sequence).
fn points(count: u32, half_side: f64) -> Vec<Json> {
    let inverse = |base: u32, mut number: u32| {
        let (mut value, mut share) = (0.0, 1.0);
        while number > 0 {
            share /= f64::from(base);
            value += share * f64::from(number % base);
            number /= base;
        }
        half_side * (2.0 * value - 1.0)
    };
    let point = |number| [2, 3, 5].map(|base| inverse(base, number));
    (1..=count)
        .map(|number| json!({ "pos": point(number) }))
        .collect()
}

fn create(agent: &mut Agent, name: &str, expression: &str) -> Json {
    let request = json!({ "name": name, "expression": expression });
    let made = agent.call("create_function_from_expression", &request);
    made.unwrap_or_else(|refusal| panic!("{name}: {refusal}"))
}

/// Creates "Distance", the distance to the shape of an expression.
fn create_distance(agent: &mut Agent, expression: &str) -> Json {
    let request = json!({ "name": "Distance", "expression": expression, "distance": true });
    let made = agent.call("create_function_from_expression", &request);
    made.unwrap_or_else(|refusal| panic!("{expression}: {refusal}"))
}

/// Values of the only output of a function.
fn values(agent: &mut Agent, function: &str, output: &str, points: &[Json]) -> Vec<f64> {
    let request = json!({ "function_id": function, "arguments": points });
    let evaluated = agent.call("evaluate", &request).expect("it evaluates");
    let values = evaluated["values"].as_array().expect("a list").iter();
    values
        .map(|one| one[output].as_f64().expect("a number"))
        .collect()
}

fn number(answer: &Json, path: &str) -> f64 {
    let found = answer.pointer(path).and_then(Json::as_f64);
    found.unwrap_or_else(|| panic!("{path} of {answer}"))
}

#[test]
fn distances_are_within_the_stated_error() {
    let points = points(1_000, 18.0);
    for (shape, exact) in SHAPES {
        let mut agent = Agent::scratch(&[]);
        let made = create_distance(&mut agent, shape);
        create(&mut agent, "Exact", exact);
        assert!(made.get("warnings").is_none(), "{shape}: {made}");
        let error = number(&made, "/distance/error");
        assert!(error <= 0.03, "{shape}: {made}");
        let found = values(&mut agent, "Distance", "shape", &points);
        let expected = values(&mut agent, "Exact", "shape", &points);
        let off = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
        let off = off.fold(0.0, f64::max);
        assert!(off <= error + 1e-9, "{shape}: {off} exceeds {error}");
        let values_off = number(&made, "/distance/values_off");
        assert!(values_off > 1.0, "{shape}: {made}");
    }
    let made = create_distance(&mut Agent::scratch(&[]), "sphere(pos, 10)");
    let [values_off, error] = ["values_off", "error"].map(|name| &made["distance"][name]);
    assert!(values_off.as_f64() <= error.as_f64(), "{made}");
    let next = made["next"].as_str().expect("a hint");
    assert!(next.contains("distance already"), "{next}");
}

/// A wall inside and one outside of an ellipsoid, whose field is not a distance, have the stated thickness.
#[test]
fn walls_along_a_field_are_as_thick_as_they_say() {
    const EGG: &str = "8 * length(pos / vec3(20, 12, 8)) - 8";
    let mut agent = Agent::scratch(&[]);
    let request =
        json!({ "name": "Distance", "expression": EGG, "distance": { "accuracy": 0.02 } });
    let made = agent.call("create_function_from_expression", &request);
    let made = made.expect("an egg");
    assert!(number(&made, "/distance/error") <= 0.02, "{made}");
    for (name, expression) in [
        (
            "Hollow",
            "difference(hollow(Distance(pos), 2), cylinder(pos - vec3(0, 0, 8), 2, 10))",
        ),
        ("Thickened", "thicken(Distance(pos), 2)"),
    ] {
        create(&mut agent, name, expression);
        let request = json!({ "function_id": name, "figures": ["wall"] });
        let measured = agent.call("measure", &request).expect(name);
        let wall = number(&measured, "/figures/wall/value");
        assert!((wall - 2.0).abs() < 0.01, "{name}: {measured}");
        let warnings = measured["warnings"].as_array().expect("warnings");
        assert_eq!(warnings.len(), 1, "{measured}");
        assert!(
            warnings[0]
                .to_string()
                .contains("an error of 2.00e-2 of its own"),
            "{measured}"
        );
    }
    // The same by the field is more than twice as thick at the tip.
    create(&mut agent, "Naive", &format!("hollow({EGG}, 2)"));
    for (name, [least, most]) in [("Hollow", [1.99, 2.05]), ("Naive", [4.0, 6.0])] {
        let request = json!({ "function_id": name, "at": [19.5, 0, 0], "figures": [] });
        let measured = agent.call("measure", &request).expect(name);
        let thickness = number(&measured, "/figures/thickness/value");
        assert!((least..most).contains(&thickness), "{name}: {measured}");
    }
}

/// What a distance does not have of its expression, and where it is not that of the shape, is told.
#[test]
fn a_distance_tells_what_it_lacks() {
    for (expression, parts) in [
        (
            "let size = 5; shape = length(pos) - size; color = vec3(x, y, z)",
            &[
                "without the outputs color",
                "with the parameters fixed: size",
            ][..],
        ),
        (
            "union(sphere(pos, 40), sphere(pos - vec3(60, 0, 0), 0.9))",
            &[],
        ),
        (
            "union(ellipsoid(pos, vec3(40, 30, 20)), ellipsoid(pos - vec3(60, 0, 0), vec3(1, 0.6, 0.5)))",
            &[],
        ),
        (
            "cone(pos, 1, 0, 50)",
            &["the distance is wrong near what is missing"],
        ),
    ] {
        let mut agent = Agent::scratch(&[]);
        let made = create_distance(&mut agent, expression);
        for part in parts {
            assert!(
                made["warnings"].to_string().contains(part),
                "{part}: {made}"
            );
        }
        let measured = agent
            .call(
                "measure",
                &json!({ "function_id": "Distance", "figures": ["volume"], "cell": 3 }),
            )
            .expect("a volume");
        assert!(
            measured["warnings"].to_string().contains("of its own"),
            "{measured}"
        );
        if parts.is_empty() {
            // The small piece is there.
            let at = [json!({ "pos": [60, 0, 0] })];
            let found = values(&mut agent, "Distance", "shape", &at)[0];
            assert!(found < -0.4, "{expression}: {found}");
        }
    }
    let arguments = json!([{ "name": "pos", "type": "float3" }, { "name": "r", "type": "float", "default": 5 }]);
    let request = json!({ "name": "Distance", "expression": "length(pos) - r", "arguments": arguments, "distance": true });
    let made = Agent::scratch(&[]).call("create_function_from_expression", &request);
    let made = made.expect("a distance");
    assert!(
        made["warnings"]
            .to_string()
            .contains("for the defaults of r"),
        "{made}"
    );
}

#[test]
fn what_has_no_distance_is_refused_and_a_dry_run_changes_nothing() {
    let mut agent = Agent::scratch(&[]);
    create(&mut agent, "Shape", "dot(pos, pos) - 64");
    let make = |agent: &mut Agent, expression: &str, distance: Json, more: Json| {
        let mut request = json!({ "name": "D", "expression": expression, "distance": distance });
        let members = more.as_object().expect("members").clone();
        request.as_object_mut().expect("an object").extend(members);
        agent.call("create_function_from_expression", &request)
    };
    let dry = json!({ "dry_run": true });
    let tried = make(&mut agent, "Shape(pos)", json!(true), dry).expect("a dry run");
    assert_eq!(tried["dry_run"], true, "{tried}");
    let radius = json!([{ "name": "pos", "type": "float3" }, { "name": "r", "type": "float" }]);
    for (expression, distance, more, code) in [
        ("x * x - 4", json!(true), json!({}), "unbounded_shape"),
        ("dot(pos, pos) + 4", json!(true), json!({}), "empty_shape"),
        (
            "length(pos) - r",
            json!(true),
            json!({ "arguments": radius }),
            "missing_argument",
        ),
        ("length(pos) -", json!(true), json!({}), "syntax"),
        (
            "Missing(pos)",
            json!(true),
            json!({}),
            "unknown_function_name",
        ),
        (
            "Shape(pos)",
            json!({ "accuracy": 0 }),
            json!({}),
            "invalid_value",
        ),
        (
            "Shape(pos)",
            json!({ "cells": 3 }),
            json!({}),
            "invalid_arguments",
        ),
        ("Shape(pos)", json!(3), json!({}), "invalid_arguments"),
        (
            "Shape(pos)",
            json!(true),
            json!({ "name": "" }),
            "invalid_name",
        ),
        (
            "Shape(pos)",
            json!(true),
            json!({ "function_id": "Shape" }),
            "invalid_arguments",
        ),
        (
            "Shape(pos)",
            json!(true),
            json!({ "expected_revision": 7 }),
            "revision_conflict",
        ),
        (
            "Shape(pos)",
            json!(true),
            json!({ "project": "missing" }),
            "unknown_project",
        ),
    ] {
        let refused = make(&mut agent, expression, distance, more).expect_err(code);
        assert!(refused.starts_with(code), "{expression}: {refused}");
    }
    let history = agent.call("get_history", &json!({})).expect("a history");
    assert_eq!(history["revision"], 1, "{history}");
}

/// 3MF has a node for the distance to a mesh.
#[test]
fn a_distance_is_written_to_3mf_and_read_again() {
    let mut agent = Agent::scratch(&[]);
    create_distance(&mut agent, "dot(pos, pos) - 64");
    create(&mut agent, "Hollow", "hollow(Distance(pos), 2)");
    let level_set =
        json!({ "function_id": "Hollow", "bounds": [[-9, -9, -9], [9, 9, 9]], "alias": "$hollow" });
    let edits = json!([
        { "create_level_set": level_set },
        { "create_build_item": { "object_id": "$hollow" } },
    ]);
    let request = json!({ "edits": edits });
    agent.call("apply_edits", &request).expect("an object");
    let request = json!({ "format": "3mf", "path": "hollow.3mf" });
    agent.call("export", &request).expect("a file");
    let request = json!({ "project": "again", "path": "hollow.3mf" });
    let read = agent.call("import", &request).expect("it is read");
    assert_eq!(read["repair_count"], 0, "{read}");
    let exact = 4.0 / 3.0 * std::f64::consts::PI * (512.0 - 216.0);
    for project in ["default", "again"] {
        let request = json!({ "project": project, "figures": ["volume"], "cell": 0.5 });
        let measured = agent.call("measure", &request).expect("it is measured");
        let volume = number(&measured, "/figures/volume/value");
        assert!((volume / exact - 1.0).abs() < 0.01, "{measured}");
    }
}
