//! Requests of the page: layouts, candidates of links, shaders and picked points.

use serde_json::{Value as Json, json};

use super::ball;
use crate::talk::Http;

const BALL: &str = "/api/projects/p/functions/1";

fn positions(answer: &Json) -> Vec<[f64; 2]> {
    let positions = answer["positions"].as_object().expect("positions").values();
    positions
        .map(|at| serde_json::from_value(at.clone()).expect("two numbers"))
        .collect()
}

/// The revision of the project "p".
fn revision(http: &Http) -> u64 {
    let listed = done!(http, "GET", "/api/projects/p/functions");
    listed["revision"].as_u64().expect("a revision")
}

#[test]
fn a_layout_leads_from_left_to_right_and_is_one_step() {
    let http = ball();
    let layout = done!(http, "POST", &format!("{BALL}/layout"), {});
    let graph = done!(http, "GET", &format!("{BALL}/graph"));
    for node in graph["nodes"].as_array().expect("nodes") {
        for parameter in node["parameters"]
            .as_object()
            .into_iter()
            .flat_map(|all| all.values())
        {
            let (source, own) = (&parameter["source"]["node_id"], &node["node_id"]);
            if source.is_u64() {
                let x = |id: &Json| layout["positions"][id.to_string()][0].as_f64().expect("x");
                assert!(x(source) < x(own), "{source} to {own}: {layout}");
            }
        }
    }
    assert_eq!(revision(&http), 1);
    // Larger nodes are farther apart.
    let places = |count: usize| (0..count).map(|at| 40 + 20 * at).collect::<Vec<_>>();
    let counts = [(1, 0), (0, 1), (1, 1), (1, 1), (2, 1)];
    let sizes = (0..).zip(counts).map(|(node, (inputs, outputs))| {
        json!({ "node_id": node, "size": [500, 300], "inputs": places(inputs), "outputs": places(outputs) })
    });
    let sizes: Vec<Json> = sizes.collect();
    let body = json!({ "sizes": sizes, "spacing": [100, 50] });
    let large = done!(http, "POST", &format!("{BALL}/layout"), &body);
    assert!(
        large["size"][0].as_f64() > layout["size"][0].as_f64(),
        "{large}"
    );
    let applied = done!(http, "PUT", &format!("{BALL}/layout"), {});
    assert_fields!(applied, { "revision": 2, "positions": layout["positions"] });
    let after = done!(http, "GET", &format!("{BALL}/graph"));
    let first = &after["nodes"][0];
    assert_eq!(
        first["position"],
        layout["positions"][first["node_id"].to_string()]
    );
    // Nothing is left to be moved.
    assert_eq!(
        done!(http, "PUT", &format!("{BALL}/layout"), {})["revision"],
        2
    );
    done!(http, "POST", "/api/projects/p/undo", {});
    assert_eq!(
        done!(http, "GET", &format!("{BALL}/graph"))["nodes"],
        graph["nodes"]
    );
    assert!(
        positions(&layout)
            .iter()
            .all(|at| at.iter().all(|number| *number >= 0.0))
    );

    let wrong =
        json!({ "sizes": [{ "node_id": 0, "size": [10, 10], "inputs": [], "outputs": [] }] });
    refused!(http, "POST", &format!("{BALL}/layout"), &wrong => 422, "invalid_value");
    refused!(http, "POST", &format!("{BALL}/layout"), { "spacing": [-1, 0] } => 422, "invalid_value");
    refused!(http, "PUT", &format!("{BALL}/layout?expected_revision=9"), {} => 409, "revision_conflict");
}

#[test]
fn moving_nodes_makes_no_edit_stale() {
    let http = ball();
    let value = format!("{BALL}/nodes/3/parameters/value");
    done!(http, "PUT", &format!("{BALL}/layout"), {});
    done!(http, "PATCH", &format!("{BALL}/nodes/3"), { "position": [1, 2] });
    assert_eq!(revision(&http), 3);
    let set = done!(http, "PUT", &format!("{value}?expected_revision=1"), { "value": 7 });
    assert_eq!(set["revision"], 4);
    for stale in [1, 2, 3] {
        refused!(http, "PUT", &format!("{value}?expected_revision={stale}"), { "value": 8 } => 409, "revision_conflict");
    }
    refused!(http, "PUT", &format!("{value}?expected_revision=5"), { "value": 8 } => 409, "revision_conflict");
    // A name is more than a position.
    done!(http, "PATCH", &format!("{BALL}/nodes/3"), { "position": [3, 4], "display_name": "radius" });
    refused!(http, "PUT", &format!("{value}?expected_revision=4"), { "value": 8 } => 409, "revision_conflict");
}

#[test]
fn the_candidates_of_a_link_have_conversions_or_reasons() {
    let http = ball();
    let path = format!("{BALL}/links/compatible");
    let links = done!(http, "GET", &format!("{path}?from=1.pos"));
    assert_eq!(links["types"], json!(["float3"]));
    let ends = links["ends"].as_array().expect("ends");
    let shape = ends
        .iter()
        .find(|end| end["name"] == "shape")
        .expect("the output");
    assert_fields!(shape, { "node_id": 0, "conversion": "DecomposeVector", "replaces": "4.result" });
    let kinds = links["node_types"].as_array().expect("kinds");
    let kind = |name: &str| {
        kinds
            .iter()
            .find(|kind| kind["node_type"] == name)
            .expect(name)
    };
    assert_fields!(kind("Length"), { "name": "A" });
    assert_eq!(kind("Resource")["reason"], "no parameter takes a float3");
    let back = done!(http, "GET", &format!("{path}?to=2.A"));
    let ends = back["ends"].as_array().expect("ends");
    let last = ends
        .iter()
        .find(|end| end["node_id"] == 4)
        .expect("the difference");
    assert_eq!(last["code"], "cycle");
    assert!(last["reason"].is_string());

    // A conversion and the link are one step.
    let link = json!({ "source_node_id": 1, "source_port_name": "pos", "target_node_id": 0,
        "target_parameter_name": "shape", "replace": true, "insert_conversion": true });
    let made = done!(http, "POST", &format!("{BALL}/links"), &link);
    assert!(made["conversion_node_id"].is_u64());
    done!(http, "POST", "/api/projects/p/undo", {});
    assert_eq!(
        done!(http, "GET", &format!("{BALL}/graph"))["nodes"]
            .as_array()
            .map(Vec::len),
        Some(5)
    );

    refused!(http, "GET", &path => 400, "invalid_arguments");
    refused!(http, "GET", &format!("{path}?from=1.pos&to=2.A") => 400, "invalid_arguments");
    refused!(http, "GET", &format!("{path}?from=pos") => 400, "invalid_arguments");
    refused!(http, "GET", &format!("{path}?from=77.pos") => 404, "unknown_node");
}

#[test]
fn numbers_of_a_shader_are_uniforms() {
    let http = ball();
    let path = format!("{BALL}/shader");
    let shader = done!(http, "GET", &format!("{path}?bounds=true"));
    let parameters = json!([{ "offset": 0, "width": 1, "function_id": 1, "node_id": 3, "parameter_name": "value",
        "value": 5.0 }]);
    assert_fields!(shader, { "parameters": parameters, "parameter_block": "fibula_Parameters",
        "parameter_scalars": 4, "unit": "millimeter" });
    assert_contains!(shader["source"].as_str().expect("a text") => "float fibula_value(vec3 pos)");
    let high = shader["bounds"][1][0].as_f64().expect("a bound");
    assert!((5.0..5.2).contains(&high), "{high}");
    done!(http, "PUT", &format!("{BALL}/nodes/3/parameters/value"), { "value": 6 });
    let other = done!(http, "GET", &path);
    assert_eq!(other["source"], shader["source"]);
    assert_eq!(other["parameters"][0]["value"], 6.0);
    // A port in the middle is shown as if it were the output.
    let port = done!(http, "GET", &format!("{path}?port=2.result"));
    assert_eq!(port["parameters"], json!([]));
    assert!(port["parameter_block"].is_null());
    refused!(http, "GET", &format!("{path}?port=1.pos") => 422, "type_mismatch");
    refused!(http, "GET", &format!("{path}?port=1.pos&output=shape") => 400, "invalid_arguments");
    let plain = json!({ "name": "Plain", "inputs": [{ "name": "a", "type": "float" }],
        "outputs": [{ "name": "b", "type": "float" }], "nodes": [{ "node_id": 1, "node_type": "Begin" },
        { "node_id": 0, "node_type": "End", "parameters": { "b": { "source": { "node_id": 1, "port": "a" } } } }] });
    done!(http, "PUT", "/api/projects/p/functions/9", &plain);
    refused!(http, "GET", "/api/projects/p/functions/9/shader" => 422, "no_position");
}

#[test]
fn inputs_with_defaults_are_numbers_of_a_shader() {
    let http = ball();
    let shader = |radius: &Json| {
        let inputs = json!([{ "name": "pos", "type": "float3" }, radius]);
        let made = done!(http, "POST", "/api/projects/p/functions",
            { "name": "Sized", "expression": "length(pos) - radius", "arguments": inputs });
        let path = format!(
            "/api/projects/p/functions/{}/shader?bounds=true",
            made["function_id"]
        );
        done!(http, "GET", &path)
    };
    let given = shader(
        &json!({ "name": "radius", "type": "float", "default": 3, "unit": "mm", "min": 1, "max": 9 }),
    );
    assert_eq!(
        given["parameters"],
        json!([{ "offset": 0, "width": 1, "input": "radius", "value": 3.0 }])
    );
    let high = given["bounds"][1][0].as_f64().expect("a bound");
    assert!((3.0..3.2).contains(&high), "{high}");
    let open = shader(&json!({ "name": "radius", "type": "float" }));
    assert_eq!(
        open["parameters"],
        json!([{ "offset": 0, "width": 1, "input": "radius" }])
    );
    assert!(open["bounds"].is_null());
    assert_eq!(open["unbounded"], "the bounds depend on radius");
}

#[test]
fn a_picked_point_names_the_node_that_decides_there() {
    let http = ball();
    let text = "let hole = 2; max(length(pos) - 5, hole - length(pos.xz))";
    let text = text.replace("pos.xz", "vec3(pos.x, 0, pos.z)");
    let part =
        done!(http, "POST", "/api/projects/p/functions", { "name": "Part", "expression": text });
    let id = &part["function_id"];
    let pick = "/api/projects/p/pick";
    let up = json!({ "origin": [0, 0, 0], "direction": [0, 0, 3] });
    let hole = done!(http, "POST", pick, { "function_id": id, "ray": up });
    assert_eq!(hole["hit"], true, "{hole}");
    let z = hole["point"][2].as_f64().expect("z");
    assert!((z - 2.0).abs() < 1e-6, "{hole}");
    assert!(
        (hole["normal"][2].as_f64().expect("a normal") + 1.0).abs() < 1e-6,
        "{hole}"
    );
    let graph = done!(
        http,
        "GET",
        &format!("/api/projects/p/functions/{id}/graph")
    );
    let kind = |id: &Json| {
        let nodes = graph["nodes"].as_array().expect("nodes").iter();
        let mut found = nodes.filter(|node| node["node_id"] == *id);
        found.next().expect("the node")["parameters"].to_string()
    };
    assert_eq!(hole["node"]["node_type"], "Subtraction");
    let outer = done!(http, "POST", pick, { "function_id": id, "ray": { "origin": [3, 9, 0], "direction": [0, -1, 0] } });
    assert_eq!(outer["node"]["node_type"], "Subtraction");
    assert_ne!(
        kind(&outer["node"]["node_id"]),
        kind(&hole["node"]["node_id"])
    );
    // The corner of the picture shows nothing.
    let corner = done!(http, "POST", pick, { "function_id": id, "view": "front", "pixel": [1, 1] });
    assert_fields!(corner, { "hit": false });
    assert!(corner["point"].is_null());
    let cut =
        json!({ "function_id": id, "view": "right", "section": { "x": 3 }, "pixel": [256, 256] });
    let cut = done!(http, "POST", pick, &cut);
    assert_fields!(cut, { "face": "section" });
    refused!(http, "POST", pick, { "function_id": id } => 400, "invalid_arguments");
    refused!(http, "POST", pick, { "function_id": id, "view": "sheet", "pixel": [1, 1] } => 400, "invalid_arguments");
    let still = json!({ "origin": [0, 0, 0], "direction": [0, 0, 0] });
    refused!(http, "POST", pick, { "function_id": id, "ray": still } => 422, "invalid_value");
}

#[test]
fn nodes_are_inserted_bypassed_and_replaced() {
    let http = ball();
    let apply = |edits: Json| done!(http, "POST", "/api/projects/p/edits", { "edits": edits });
    let at = || {
        let values =
            done!(http, "POST", &format!("{BALL}/evaluate"), { "arguments": { "pos": [3, 0, 0] } });
        values["values"]["shape"].clone()
    };
    let made = apply(json!([
        { "create_node": { "function_id": 1, "node_type": "Abs", "node_id": "$abs" } },
        { "insert_into_link": { "node_id": "$abs", "target_node_id": 0, "target_parameter_name": "shape" } },
    ]));
    assert_eq!((made["revision"].as_u64(), at()), (Some(2), json!(2.0)));
    let abs = &made["ids"]["$abs"];
    apply(json!([{ "bypass_node": { "function_id": 1, "node_id": abs, "keep": true } }]));
    assert_eq!(at(), json!(-2.0));
    let replaced =
        apply(json!([{ "replace_node": { "function_id": 1, "node_id": 4, "node_type": "Abs" } }]));
    assert_eq!(
        replaced["results"][0]["dropped"].as_array().map(Vec::len),
        Some(1),
        "{replaced}"
    );
    assert_eq!(at(), json!(3.0));
    apply(json!([{ "bypass_node": { "function_id": 1, "node_id": 4 } }]));
    assert_eq!(at(), json!(3.0));
    let refusal = json!({ "edits": [{ "insert_into_link": { "function_id": 1, "node_id": 2, "target_node_id": 2,
        "target_parameter_name": "A" } }] });
    refused!(http, "POST", "/api/projects/p/edits", &refusal => 422, "cannot_insert");
}

#[test]
fn changes_since_a_revision_are_drawn_in_colour_and_measured() {
    let http = ball();
    done!(http, "PUT", &format!("{BALL}/nodes/3/parameters/value"), { "value": 6 });
    let render = |body: Json| {
        let body = body.to_string();
        let (status, head, picture) =
            http.request("POST", "/api/projects/p/render", &[], body.as_bytes());
        assert_eq!(status, 200, "{head} {picture}");
        picture
    };
    let plain = render(json!({ "function_id": 1, "size": [96, 96] }));
    let changed = render(json!({ "function_id": 1, "size": [96, 96], "since": 1 }));
    let same = render(json!({ "function_id": 1, "size": [96, 96], "since": 2 }));
    assert_ne!(changed, plain);
    assert_ne!(changed, same);
    let to = json!({ "function_id": 1, "cell": 1, "to": { "revision": 1 } });
    let figures = done!(http, "POST", "/api/projects/p/measure", &to)["figures"].clone();
    assert!(
        figures.as_object().is_some_and(|all| !all.is_empty()),
        "{figures}"
    );
    refused!(http, "POST", "/api/projects/p/render", { "function_id": 1, "since": 1, "color": "shape" }
        => 400, "invalid_arguments");
    refused!(http, "POST", "/api/projects/p/render", { "function_id": 1, "since": 99 } => 404, "unknown_revision");
}
