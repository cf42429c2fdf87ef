//! Changes of a shape after its distance was made, and of the distance itself.

use super::*;

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
