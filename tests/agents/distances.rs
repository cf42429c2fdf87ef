//! The signed distance to a shape, where the values of a function are not: against distances in closed form, with edits of the
//! shape after it, and as far as files.

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

/// True for each tool that reads a function and warns of a distance that is out of date.
fn warned(agent: &mut Agent, function: &str) -> Vec<bool> {
    let region = json!({ "from": [0, 0, 0], "to": [1, 1, 1], "counts": [2, 2, 2] });
    let bounded = json!({ "from": [0, 0, 0], "to": [1, 1, 1] });
    let requests = [
        ("get_function", json!({ "format": "expression" })),
        ("get_function", json!({})),
        ("evaluate", json!({ "arguments": { "pos": [0, 0, 0] } })),
        ("evaluate", json!({ "region": region })),
        ("measure", json!({ "figures": ["volume"], "cell": 1 })),
        ("evaluate", json!({ "region": bounded, "bounds": true })),
        ("slice", json!({ "heights": [0] })),
        ("export", json!({ "format": "stl", "cell": 1 })),
        ("summarize", json!({})),
    ];
    let warned = requests.map(|(tool, mut request)| {
        if tool != "summarize" {
            request["function_id"] = json!(function);
        }
        let answer = agent.call(tool, &request);
        let answer = answer.unwrap_or_else(|refusal| panic!("{tool}: {refusal}"));
        answer.to_string().contains("which has changed since")
    });
    warned.to_vec()
}

#[test]
fn a_distance_tells_that_its_shape_has_changed() {
    let mut agent = Agent::scratch(&[]);
    create(&mut agent, "Radius", "let radius = 6; radius + 0 * x");
    create(
        &mut agent,
        "Shape",
        "dot(pos, pos) - Radius(pos) * Radius(pos)",
    );
    let made = create_distance(&mut agent, "Shape(pos)");
    create(&mut agent, "Larger", "offset(Distance(pos), 1)");
    assert!(!warned(&mut agent, "Larger").contains(&true));

    // Where a node is drawn and how a function is called is no change of the shape.
    let edits = json!([
        { "move_node": { "function_id": "Shape", "node_id": 0, "position": [5, 5] } },
        { "rename_function": { "function_id": "Radius", "name": "Half" } },
    ]);
    let request = json!({ "edits": edits });
    agent.call("apply_edits", &request).expect("it moves");
    assert!(!warned(&mut agent, "Larger").contains(&true));

    let request = json!({ "function_id": "Half", "parameter_name": "radius", "value": 7 });
    agent
        .call("set_parameter_value", &request)
        .expect("a parameter");
    let all = warned(&mut agent, "Larger");
    assert!(!all.contains(&false), "{all:?}");

    // Whoever edits the shape is told of its distance.
    let request =
        json!({ "name": "Shape", "function_id": "Shape", "expression": "dot(pos, pos) - 64" });
    let changed = agent.call("create_function_from_expression", &request);
    let changed = changed.expect("another shape");
    assert!(
        changed["intent"].to_string().contains("distance_of"),
        "{changed}"
    );

    let request = json!({ "name": "Distance", "function_id": "Distance", "expression": "Shape(pos)", "distance": true });
    let again = agent.call("create_function_from_expression", &request);
    let again = again.expect("it is computed anew");
    assert_eq!(again["function_id"], made["function_id"], "{again}");
    assert_eq!(
        again["distance"]["mesh_id"], made["distance"]["mesh_id"],
        "{again}"
    );
    assert!(!warned(&mut agent, "Larger").contains(&true));
    let at = [json!({ "pos": [11, 0, 0] })];
    let value = values(&mut agent, "Larger", "shape", &at)[0];
    assert!((value - 2.0).abs() < 0.02, "{value}");

    // One step of undo takes back the function, the mesh and the knowledge.
    agent.call("undo", &json!({})).expect("it is undone");
    let all = warned(&mut agent, "Larger");
    assert!(!all.contains(&false), "{all:?}");
    let edits = json!([{ "delete_function": { "function_id": "Shape" } }]);
    let request = json!({ "edits": edits });
    agent.call("apply_edits", &request).expect("it is deleted");
    let request = json!({ "function_id": "Larger" });
    let shown = agent.call("get_function", &request).expect("it is there");
    let warnings = shown["warnings"].to_string();
    assert!(warnings.contains("of which a part is gone"), "{shown}");
}

/// A distance of a shape that is made of a distance is out of date when the first shape is; a plain function in the place of a
/// distance is not.
#[test]
fn distances_of_distances_are_followed_and_plain_functions_are_none() {
    let mut agent = Agent::scratch(&[]);
    create(&mut agent, "Shape", "dot(pos, pos) - 36");
    create_distance(&mut agent, "Shape(pos)");
    let request =
        json!({ "name": "Second", "expression": "offset(Distance(pos), 1)", "distance": true });
    agent
        .call("create_function_from_expression", &request)
        .expect("a second distance");
    let is_stale = |agent: &mut Agent, function: &str| {
        let request = json!({ "function_id": function });
        let shown = agent.call("get_function", &request).expect("it is there");
        shown["warnings"]
            .to_string()
            .contains("which has changed since")
    };
    assert!(!is_stale(&mut agent, "Second"));
    let replace = |agent: &mut Agent, name: &str, expression: &str| {
        let request = json!({ "name": name, "function_id": name, "expression": expression });
        agent
            .call("create_function_from_expression", &request)
            .expect("it is replaced");
    };
    replace(&mut agent, "Shape", "dot(pos, pos) - 49");
    assert!(is_stale(&mut agent, "Second"));
    replace(&mut agent, "Distance", "length(pos) - 6");
    assert!(!is_stale(&mut agent, "Distance"));
}

/// The call in the warning brings the distance up to date.
#[test]
fn the_warning_has_the_call_that_helps() {
    let mut agent = Agent::scratch(&[]);
    create(&mut agent, "Shape", "dot(pos, pos) - 36");
    let options = json!({ "accuracy": 0.05, "bounds": [[-9, -9, 0], [9, 9, 9]] });
    let arguments = json!([{ "name": "pos", "type": "float3" }, { "name": "up", "type": "float", "default": 0 }]);
    let request = json!({ "name": "Distance", "expression": "Shape(pos - vec3(0, 0, up))", "arguments": arguments,
        "distance": options });
    agent
        .call("create_function_from_expression", &request)
        .expect("a distance");
    let request =
        json!({ "name": "Shape", "function_id": "Shape", "expression": "dot(pos, pos) - 49" });
    agent
        .call("create_function_from_expression", &request)
        .expect("it is replaced");
    let request = json!({ "function_id": "Distance" });
    let shown = agent.call("get_function", &request).expect("it is there");
    let warning = shown["warnings"][0].as_str().expect("a warning");
    let call = warning
        .split_once("create_function_from_expression ")
        .expect("a call")
        .1;
    let call = call.strip_suffix(" computes it anew").expect("an end");
    let call: Json = serde_json::from_str(call).expect("arguments");
    assert_eq!(call["distance"]["accuracy"], 0.05, "{call}");
    agent
        .call("create_function_from_expression", &call)
        .expect("a distance");
    let shown = agent.call("get_function", &request).expect("it is there");
    assert!(shown.get("warnings").is_none(), "{shown}");
    // It is the same node of the knowledge graph.
    let listed = agent.call("summarize", &json!({ "format": "stats" }));
    let listed = listed.expect("a summary");
    assert_eq!(
        [&listed["node_count"], &listed["edge_count"]],
        [1, 2],
        "{listed}"
    );
    let at = [json!({ "pos": [0, 0, 9] }), json!({ "pos": [0, 0, -2] })];
    let found = values(&mut agent, "Distance", "shape", &at);
    assert!(
        (found[0] - 2.0).abs() < 0.05 && (found[1] - 2.0).abs() < 0.05,
        "{found:?}"
    );
}

/// A distance keeps the names of the ports of its shape, so that it can take its place.
#[test]
fn a_distance_has_the_ports_of_its_shape() {
    let mut agent = Agent::scratch(&[]);
    let arguments = json!([{ "name": "p", "type": "float3" }]);
    let request = json!({ "name": "Distance", "expression": "field = dot(p, p) - 36", "arguments": arguments, "distance": true });
    let made = agent.call("create_function_from_expression", &request);
    let made = made.expect("a distance");
    assert_eq!(made["inputs"][0]["name"], "p", "{made}");
    assert_eq!(made["outputs"][0]["name"], "field", "{made}");
    assert!(made.get("warnings").is_none(), "{made}");
}

/// Cut off at bounds, a sphere is a half sphere, whose distance its values are not only where the cut is near.
#[test]
fn bounds_are_part_of_the_shape() {
    let bounds = json!([[-11, -11, 0], [11, 11, 11]]);
    let request = json!({ "name": "Distance", "expression": "sphere(pos, 10)", "distance": { "bounds": bounds } });
    let made = Agent::scratch(&[]).call("create_function_from_expression", &request);
    let made = made.expect("a distance");
    // Beside the edge of the cut, where the larger of two distances is less than that to the edge.
    let off = number(&made, "/distance/values_off");
    assert!((0.05..1.5).contains(&off), "{made}");
}

/// A mesh is not overwritten by the distance of a shape that is made of it, and whoever edits it is warned.
#[test]
fn a_distance_is_not_made_of_itself() {
    let mut agent = Agent::scratch(&[]);
    let first = create_distance(&mut agent, "dot(pos, pos) - 36");
    let mesh = &first["distance"]["mesh_id"];
    let request = json!({ "name": "Distance", "function_id": "Distance", "expression": format!("mesh({mesh}, pos) - 1"),
        "distance": true });
    let second = agent.call("create_function_from_expression", &request);
    let second = second.expect("a larger one");
    assert_ne!(second["distance"]["mesh_id"], *mesh, "{second}");
    let warnings = second["warnings"].to_string();
    assert!(!warnings.contains("changed since"), "{second}");
    assert_eq!(second["distance"]["is_needed"], false, "{second}");

    let mesh = second["distance"]["mesh_id"].clone();
    let name = json!({ "modify_object": { "resource_id": mesh, "name": "skin" } });
    agent
        .call("apply_edits", &json!({ "edits": [name] }))
        .expect("a name");
    let request = json!({ "function_id": "Distance" });
    let shown = agent.call("get_function", &request).expect("it is there");
    assert!(shown.get("warnings").is_none(), "{shown}");
    let other = json!({ "set_mesh": { "resource_id": mesh, "bounds": [[0, 0, 0], [1, 1, 1]] } });
    agent
        .call("apply_edits", &json!({ "edits": [other] }))
        .expect("another mesh");
    let shown = agent.call("get_function", &request).expect("it is there");
    assert!(
        shown["warnings"]
            .to_string()
            .contains("has been edited since"),
        "{shown}"
    );
}

/// What people add to the node of a distance and to its mesh stays there when the distance is computed anew.
#[test]
fn notes_about_a_distance_stay() {
    let mut agent = Agent::scratch(&[]);
    create(&mut agent, "Shape", "dot(pos, pos) - 36");
    let made = create_distance(&mut agent, "Shape(pos)");
    let mesh = &made["distance"]["mesh_id"];
    let name = json!({ "modify_object": { "resource_id": mesh, "name": "skin" } });
    agent
        .call("apply_edits", &json!({ "edits": [name] }))
        .expect("a name");
    let found = agent.call("search_nodes", &json!({ "types": ["distance_field"] }));
    let id = found.expect("a node")["nodes"][0]["id"].clone();
    let note = json!({ "nodes": [{ "id": id, "data": { "reviewed": true }, "add_observations": ["smooth enough"] }] });
    agent.call("update", &note).expect("a note");
    let request = json!({ "name": "Distance", "function_id": "Distance", "expression": "Shape(pos)", "distance": { "accuracy": 0.1 } });
    agent
        .call("create_function_from_expression", &request)
        .expect("it is computed anew");
    let shown = agent
        .call("get_nodes", &json!({ "nodes": [id] }))
        .expect("the node")
        .to_string();
    for part in ["smooth enough", "reviewed", "\"accuracy\":0.1"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let summary = agent.call("summarize", &json!({})).expect("a summary");
    assert_eq!(
        summary["contents"]["objects"][0]["name"], "skin",
        "{summary}"
    );
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
fn a_distance_notices_another_mesh() {
    let mut agent = Agent::scratch(&[]);
    let set = |agent: &mut Agent, height: f64| {
        let mesh = json!({ "resource_id": 5, "bounds": [[0, 0, 0], [4, 5, height]] });
        let request = json!({ "edits": [{ "set_mesh": mesh }] });
        agent.call("apply_edits", &request).expect("a box");
    };
    set(&mut agent, 6.0);
    let made = create_distance(
        &mut agent,
        "smooth_union(mesh(5, pos), mesh(5, pos + vec3(2, 2, 2)), 1)",
    );
    assert!(made.get("warnings").is_none(), "{made}");
    set(&mut agent, 9.0);
    let request = json!({ "function_id": "Distance" });
    let shown = agent.call("get_function", &request).expect("it is there");
    let warnings = shown["warnings"].to_string();
    assert!(warnings.contains("which has changed since"), "{shown}");
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
