//! Subjects of pictures and meshes.

use fibula::service::{ResolvedShape, Service, Subject};
use serde_json::{Value as Json, json};

use super::apply;

fn see(service: &Service, subject: Json) -> Result<ResolvedShape, String> {
    let subject: Subject = serde_json::from_value(subject).expect("a subject");
    let seen = service.resolve_shape(None, None, &subject);
    seen.map_err(|refusal| refusal.to_string())
}

/// Adds a function with these inputs.
fn add(service: &Service, name: &str, inputs: &[(&str, &str)], expression: &str) {
    let inputs: Vec<Json> = inputs
        .iter()
        .map(|(name, ty)| json!({"name": name, "type": ty}))
        .collect();
    let edit = json!([{"create_function_from_expression": {"name": name, "expression": expression, "arguments": inputs}}]);
    apply(service, edit).expect("a function");
}

/// A ball as level set 2 of function 1, which is built twice.
fn balls() -> Service {
    let service = Service::default();
    let edits = json!([
        {"create_function_from_expression": {"alias": "f", "name": "ball",
            "expression": "shape = length(pos) - 5; color = vec3(pos.x, 0, 0.5)"}},
        {"create_level_set": {"alias": "part", "function_id": "$f", "channel": "shape", "name": "Ball",
            "bounds": [[-6, -6, -6], [6, 6, 6]]}},
        {"set_volume_data": {"alias": "volume", "color": {"function_id": "$f", "channel": "color"}}},
        {"modify_object": {"resource_id": "$part", "volume_id": "$volume"}},
        {"create_build_item": {"object_id": "$part", "transform": [1,0,0, 0,1,0, 0,0,1, 20,0,0]}},
        {"set_unit": {"unit": "inch"}},
    ]);
    apply(&service, edits).expect("it is a part");
    service
}

#[test]
fn the_build_is_seen_where_it_is_placed() {
    let service = balls();
    let build = see(&service, json!({})).expect("two balls");
    let bounds = build.bounds.expect("level sets have a box");
    assert_eq!([bounds.low(), bounds.high()], [[-6.0; 3], [26.0, 6.0, 6.0]]);
    let inside = [0.0, 10.0, 20.0, 24.9].map(|x| build.tape.at([x, 0.0, 0.0])[0] < 0.0);
    assert_eq!(inside, [true, false, true, true]);
    assert_eq!(build.unit.name(), "inch");
    assert_eq!(build.label, "the build");
}

#[test]
fn an_object_is_seen_alone() {
    let service = balls();
    let part = see(&service, json!({"object_id": 3})).expect("a ball");
    assert_eq!(part.label, "level set 3 'Ball'");
    // What its volume data says of the place comes after the value.
    assert_eq!(part.tape.at([0.0, 1.0, 0.0]), [-4.0, 0.0, 0.0, 0.5]);
    let plain = see(&service, json!({"object_id": 3, "plain": true})).expect("a ball");
    assert_eq!(plain.tape.at([0.0, 1.0, 0.0]), [-4.0]);
}

#[test]
fn a_function_is_seen_without_bounds() {
    let service = Service::default();
    let inputs = [("centre", "float3"), ("pos", "float3"), ("radius", "float")];
    add(&service, "ball", &inputs, "length(pos - centre) - radius");
    let seen = |subject: Json| see(&service, subject);
    let arguments = json!({"centre": [1, 0, 0], "radius": 2});
    let ball = seen(json!({"function_id": 1, "arguments": arguments})).expect("a ball");
    assert_eq!(ball.tape.at([4.0, 0.0, 0.0]), [1.0]);
    assert!(ball.bounds.is_none());
    // Or the centre is the point.
    let arguments = json!({"pos": [1, 0, 0], "radius": 3});
    let ball = seen(json!({"function_id": 1, "arguments": arguments})).expect("a ball");
    assert_eq!(ball.tape.at([1.0, 0.0, 0.0]), [-3.0]);
}

#[test]
fn what_cannot_be_seen_is_told() {
    let service = balls();
    let float3 = |name| (name, "float3");
    let flat = "color = vec3(pos.x, 0, 0)";
    add(&service, "flat", &[float3("pos")], flat);
    add(&service, "number", &[("a", "float")], "a + 1");
    let two = [float3("first"), float3("second")];
    add(&service, "two", &two, "length(first - second)");
    let refused = [
        json!({"object_id": 1, "function_id": 1}),
        json!({"object_id": 1}),
        json!({"object_id": 99}),
        json!({"object_id": 4}),
        json!({"output": "shape"}),
        json!({"function_id": 99}),
        json!({"function_id": 1, "output": "shap"}),
        json!({"function_id": 1, "output": "color"}),
        json!({"function_id": 5}),
        json!({"function_id": 6}),
        json!({"function_id": 7}),
        json!({"function_id": 1, "arguments": {"radius": 5}}),
    ];
    let told: Vec<String> = refused
        .into_iter()
        .map(|subject| see(&service, subject).expect_err("it is refused"))
        .collect();
    insta::assert_snapshot!(told.join("\n"));
    let empty = see(&Service::default(), json!({})).expect_err("nothing is built");
    assert_eq!(
        empty,
        "nothing_to_build: the build is empty; add a build item, or name an object"
    );
}
