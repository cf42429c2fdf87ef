//! Import and export as agents meet them, and the small things around objects and nodes.

use std::path::Path;

use serde_json::{Value as Json, json};

use crate::agent::Agent;
use crate::talk::{Http, Pipe};

/// A tetrahedron with much that a mesh cannot hold.
const OBJ: &str = "mtllib a.mtl\no one\nv 0 0 0 1 0 0\nv 1 0 0 1 0 0\nv 0 1 0 0 1 0\nv 0 0 1 0 0 1\nvt 0 0\n\
    g body\nusemtl red\nf 1/1 3/1 2/1\nf 1 2 4\nf 2 3 4\nf 3 1 4\nl 1 2 3\n";
const VM: &str = "_0 var-x\n_1 var-y\n_2 add _0 _1\n";

fn ball(pipe: &mut Agent) {
    let expression = "length(pos) - 50";
    call!(pipe, "create_function_from_expression", { "name": "Ball", "expression": expression });
}

fn texts(list: &Json) -> Vec<&str> {
    let list = list.as_array().expect("a list").iter();
    list.map(|text| text.as_str().expect("a text")).collect()
}

/// An export that cannot succeed is refused before it is tried, with one that can.
#[test]
fn an_export_without_a_chance_is_refused_at_once() {
    let mut pipe = Agent::scratch(&[]);
    let empty = refusal!(pipe, "export", { "format": "stl" });
    let expected = "nothing_to_build: the build is empty; add a build item, or name an object";
    assert_eq!(empty, expected);
    ball(&mut pipe);
    for tool in ["export", "measure"] {
        let mut request = json!({});
        if tool == "export" {
            request["format"] = json!("stl");
        }
        let refused = refusal!(pipe, tool, &request);
        assert_eq!(
            refused,
            format!("{expected}; pass function_id: 1 for function 1 'Ball'")
        );
    }
    for cell in [0.01, 0.001] {
        let refused = refusal!(pipe, "export",
            { "format": "stl", "function_id": 1, "cell": cell, "path": "a.stl" });
        assert_starts!(refused => "too_large: the mesh would have about ");
        assert!(
            refused.ends_with("use a cell size of 0.14 or more"),
            "{refused}"
        );
    }
    call!(pipe, "apply_edits", { "edits": { "create_level_set":
        { "function_id": "Ball", "bounds": [[-51, -51, -51], [51, 51, 51]], "build": false } } });
    let refused = refusal!(pipe, "export", { "format": "stl" });
    assert!(
        refused.contains("pass object_id: 2 for mesh 2 'domain', or function_id: 1"),
        "{refused}"
    );
}

/// Writing counts, too: a mesh that is there takes no time to make.
#[test]
fn writing_counts_in_the_time_limit() {
    let mut pipe = Agent::scratch(&[]);
    call!(pipe, "import", { "content": OBJ });
    let mut request = json!({ "format": "obj", "path": "a.obj", "time_limit": 1e-6 });
    for format in ["obj", "stl", "3mf"] {
        request["format"] = json!(format);
        request["path"] = json!(format!("a.{format}"));
        let refused = refusal!(pipe, "export", &request);
        assert_starts!(refused => "timed_out: time limit of 0.000001 s reached after 0 bytes of the file");
    }
    request["time_limit"] = json!(60);
    assert!(call!(pipe, "export", &request)["bytes"].as_u64() > Some(500));
    request["time_limit"] = json!(-1);
    request["overwrite"] = json!(true);
    assert_starts!(refusal!(pipe, "export", &request) => "invalid_value");
}

#[test]
fn a_package_without_a_build_has_a_warning() {
    let mut pipe = Agent::scratch(&[]);
    ball(&mut pipe);
    let exported = call!(pipe, "export", { "format": "3mf", "path": "a.3mf" });
    let warning = "build: it is empty, so other programs show no part; create_level_set makes a function an \
                   object, and builds it";
    assert_eq!(texts(&exported["warnings"]), [warning]);
    call!(pipe, "apply_edits", { "edits": [{ "create_level_set":
        { "function_id": 1, "bounds": [[-51, -51, -51], [51, 51, 51]] } }] });
    let exported = call!(pipe, "export", { "format": "3mf", "path": "b.3mf" });
    assert!(exported.get("warnings").is_none(), "{exported}");
    // Whoever reads such a file is told, too, and what to do.
    let read = |pipe: &mut Agent, path: &str, warning: Option<&str>| {
        let imported = call!(pipe, "import", { "path": path, "project": path.replace('.', "-") });
        let warnings = imported["warnings"].as_array().into_iter().flatten();
        let warnings: Vec<&str> = warnings.filter_map(Json::as_str).collect();
        assert_eq!(warnings.len(), usize::from(warning.is_some()), "{imported}");
        assert!(
            warnings
                .iter()
                .zip(warning)
                .all(|(text, expected)| text.contains(expected)),
            "{imported}"
        );
        let checked = call!(pipe, "import", { "path": path, "check": true });
        let found = checked["findings"]["findings"].to_string();
        assert_eq!(
            found.contains("empty_build"),
            warning.is_some(),
            "{checked}"
        );
    };
    read(&mut pipe, "a.3mf", Some("create_level_set in apply_edits"));
    read(&mut pipe, "b.3mf", None);
    call!(pipe, "create_project", { "project": "c" });
    call!(pipe, "apply_edits", { "project": "c", "edits": [
        { "create_function_from_expression": { "name": "Ball", "expression": "length(pos) - 5", "alias": "$ball" } },
        { "create_level_set": { "function_id": "$ball", "bounds": [[-6, -6, -6], [6, 6, 6]], "build": false } }] });
    call!(pipe, "export", { "project": "c", "format": "3mf", "path": "c.3mf" });
    read(
        &mut pipe,
        "c.3mf",
        Some("create_build_item\": {\"object_id\": "),
    );
}

/// The volume of triangles that enclose no solid is told to be none.
#[test]
fn an_export_of_a_mesh_that_is_no_solid_says_so() {
    let faces = ["f 1 3 2", "f 1 2 4", "f 2 3 4", "f 3 1 4"];
    let turned = ["f 1 3 2", "f 1 4 2", "f 2 3 4", "f 3 1 4"];
    let inwards = ["f 1 2 3", "f 1 4 2", "f 2 4 3", "f 3 4 1"];
    for (faces, expected) in [
        (&faces[..], None),
        (
            &faces[..3],
            Some("the mesh is not closed, 3 edges have one triangle only"),
        ),
        (
            &turned[..],
            Some("3 edges of the mesh have triangles that face opposite ways"),
        ),
        (&inwards[..], Some("the triangles of the mesh face inwards")),
    ] {
        let mut pipe = Agent::scratch(&[]);
        let corners = "v 0 0 0\nv 6 0 0\nv 0 6 0\nv 0 0 6\n";
        let content = format!("{corners}{}\n", faces.join("\n"));
        call!(pipe, "import", { "format": "obj", "content": content });
        let exported = call!(pipe, "export", { "format": "stl", "path": "part.stl" });
        let warnings = exported["warnings"].to_string();
        match expected {
            Some(part) => assert!(warnings.contains(part), "{exported}"),
            None => assert_eq!(exported["warnings"], Json::Null, "{exported}"),
        }
    }
}

/// Loose pieces and cavities are removed on request, and the answer tells what.
#[test]
fn an_export_removes_loose_pieces_and_fills_cavities() {
    let mut pipe = Agent::scratch(&[]);
    // A ball with a cavity, in which there is a small ball, and a ball beside it.
    let text = "min(max(length(pos) - 6, 4 - length(pos)), min(length(pos) - 1, length(pos - vec3(9, 0, 0)) - 2))";
    call!(pipe, "create_function_from_expression", { "name": "Balls", "expression": text });
    let whole = call!(pipe, "export", { "function_id": 1, "format": "stl", "path": "whole.stl" });
    assert_fields!(whole, { "components": 3, "cavities": 1, "removed": null });
    let volume = |answer: &Json| answer["volume"].as_f64().expect("a number");
    let ball = |radius: f64| 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    for (remove, components, cavities, removed, expected) in [
        (json!(["loose_pieces"]), 1, 1, [2, 0], ball(6.0) - ball(4.0)),
        (json!(["cavities"]), 2, 0, [1, 1], ball(6.0) + ball(2.0)),
        (json!(["loose-pieces", "cavities"]), 1, 0, [2, 1], ball(6.0)),
    ] {
        let path = format!("{components}-{cavities}.stl");
        let exported = call!(pipe, "export", { "function_id": 1, "format": "stl", "path": path, "remove": remove });
        assert_fields!(exported, { "components": components, "cavities": cavities, "closed": true });
        assert_fields!(exported["removed"], { "pieces": removed[0], "cavities": removed[1] });
        assert!(
            (volume(&exported) / expected - 1.0).abs() < 0.01,
            "{exported}"
        );
        let change = exported["removed"]["volume"].as_f64().expect("a number");
        assert!((volume(&whole) - change - volume(&exported)).abs() < 0.01);
    }
    for (arguments, part) in [
        (
            json!({ "format": "svg", "heights": [0] }),
            "remove applies to meshes, not to slices",
        ),
        (
            json!({ "format": "3mf" }),
            "3mf without a cell or an accuracy is the whole project",
        ),
        (json!({ "format": "stl", "remove": ["dust"] }), "dust"),
    ] {
        let mut request = json!({ "function_id": 1, "remove": ["cavities"] });
        let more = arguments.as_object().expect("an object").clone();
        request.as_object_mut().expect("an object").extend(more);
        let refused = refusal!(pipe, "export", &request);
        assert!(refused.contains(part), "{refused}");
    }
    // A part that is built twice, once twice as large.
    call!(pipe, "create_project", { "project": "placed" });
    call!(pipe, "apply_edits", { "project": "placed", "edits": [
        { "create_function_from_expression": { "name": "Balls", "expression": text, "alias": "$f" } },
        { "create_level_set": { "function_id": "$f", "bounds": [[-7, -7, -7], [12, 7, 7]], "alias": "$o" } },
        { "create_build_item": { "object_id": "$o", "transform": [2, 0, 0, 0, 2, 0, 0, 0, 2, 50, 0, 0] } }] });
    let exported = call!(pipe, "export", { "project": "placed", "format": "3mf", "cell": 0.4, "path": "placed.3mf", "remove": ["loose_pieces"] });
    assert_fields!(exported["removed"], { "pieces": 4, "cavities": 0 });
    let change = exported["removed"]["volume"].as_f64().expect("a number");
    let expected = 9.0 * (ball(1.0) + ball(2.0));
    assert!((change / expected - 1.0).abs() < 0.03, "{exported}");
    // Triangles that overlap have no pieces for certain.
    let corners = |x: usize| format!("v {x} 0 0\nv 6 0 0\nv {x} 6 0\nv {x} 0 6\n");
    let faces = "f -4 -2 -3\nf -4 -3 -1\nf -3 -2 -1\nf -2 -4 -1\n";
    let content = format!("{}{faces}{}{faces}", corners(0), corners(1));
    call!(pipe, "import", { "format": "obj", "content": content, "project": "two" });
    let request =
        json!({ "project": "two", "format": "stl", "path": "two.stl", "remove": ["loose_pieces"] });
    let refused = refusal!(pipe, "export", &request);
    assert!(refused.contains("no_solid"), "{refused}");
}

/// Bounds that cut the shape are told when the file is read, in a dry run too, and constants beyond limits.
#[test]
fn an_import_warns_of_bounds_that_cut() {
    let mut pipe = Agent::scratch(&[]);
    call!(pipe, "apply_edits", { "edits": [
        { "create_function_from_expression": { "name": "Ball", "expression": "sphere(pos, 5)", "alias": "$ball" } },
        { "create_level_set": { "function_id": "$ball", "bounds": [[-3, -6, -6], [6, 6, 6]] } }] });
    call!(pipe, "export", { "format": "3mf", "path": "cut.3mf" });
    for dry_run in [true, false] {
        let imported =
            call!(pipe, "import", { "path": "cut.3mf", "project": "cut", "dry_run": dry_run });
        let warnings = texts(&imported["warnings"]);
        assert_eq!(warnings.len(), 1, "{imported}");
        for part in ["cut its shape at x = -3 (min)", "bounds that fit: [[-5"] {
            assert!(warnings[0].contains(part), "{imported}");
        }
    }
    let checked = call!(pipe, "import", { "path": "cut.3mf", "check": true });
    assert!(
        checked["warnings"].to_string().contains("x = -3 (min)"),
        "{checked}"
    );
    assert_fields!(checked, { "function_count": 2, "build_item_count": 1 });
    // The same functions again have the same names, which mean either.
    call!(pipe, "import", { "path": "cut.3mf" });
    let made = call!(pipe, "create_function_from_expression", { "name": "Two", "expression": "sphere(pos, 3)" });
    assert_eq!(made["success"], true, "{made}");
    call!(pipe, "create_project", { "project": "thin" });
    call!(pipe, "create_function_from_expression",
        { "name": "Thin", "expression": "torus(pos, 4, 5)", "project": "thin" });
    call!(pipe, "export", { "format": "3mf", "path": "thin.3mf", "project": "thin" });
    let imported = call!(pipe, "import", { "path": "thin.3mf" });
    assert!(
        imported["warnings"]
            .to_string()
            .contains("minor_radius must be at most"),
        "{imported}"
    );
}

/// A project appears with its contents, or not at all.
#[test]
fn an_import_creates_its_project() {
    let mut pipe = Agent::scratch(&[]);
    let projects = |pipe: &mut Agent| call!(pipe, "list_projects", {})["total"].clone();
    for wrong in [
        json!({ "project": "part", "path": "missing.3mf" }),
        json!({ "project": "part", "content": "_0 var-x\n_1 nonsense _0\n" }),
        json!({ "project": "part", "content": VM, "expected_revision": 3 }),
        json!({ "project": "a/b", "content": VM }),
    ] {
        refusal!(pipe, "import", &wrong);
    }
    let request = json!({ "project": "part", "content": VM });
    let mut attempt = request.clone();
    attempt["dry_run"] = json!(true);
    assert_eq!(call!(pipe, "import", &attempt)["project_created"], true);
    let checked = call!(pipe, "import", { "project": "part", "content": OBJ, "check": true });
    assert_eq!(
        (&checked["findings"]["readable"], &checked["revision"]),
        (&json!(true), &json!(0))
    );
    assert_eq!(projects(&mut pipe), 1);
    let imported = call!(pipe, "import", &request);
    assert_eq!(
        (&imported["project_created"], &imported["revision"]),
        (&json!(true), &json!(1))
    );
    assert_eq!(projects(&mut pipe), 2);
    let again = call!(pipe, "import", &request);
    assert!(again.get("project_created").is_none(), "{again}");
    assert_eq!(
        call!(pipe, "list_functions", { "project": "part" })["total"],
        2
    );
    call!(pipe, "undo", { "project": "part" });
    assert_eq!(
        call!(pipe, "list_functions", { "project": "part" })["total"],
        1
    );
}

#[test]
fn an_import_lists_what_a_mesh_cannot_hold() {
    let mut pipe = Agent::scratch(&[]);
    let imported = call!(pipe, "import", { "content": OBJ });
    let left_out = imported["left_out"].as_array().expect("a list").iter();
    let left_out: Vec<Json> = left_out
        .map(|one| json!([one["what"], one["count"]]))
        .collect();
    let expected = json!([
        ["reference to a material", 2],
        ["name of an object or group", 2],
        ["vertex colour", 4],
        ["texture coordinate", 1],
        ["polyline", 1],
    ]);
    assert_eq!(json!(left_out), expected);
    let facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
    let solids = format!("solid a\n{facet}endsolid a\nsolid b\n{facet}endsolid b\n");
    let imported = call!(pipe, "import", { "content": solids });
    assert_eq!(imported["left_out"][0]["what"], "border between solids");
    let plain = call!(pipe, "import", { "content": format!("solid a\n{facet}endsolid a\n") });
    assert_eq!(plain["left_out"], json!([]));
}

/// A node with its values and links is one call, and a failing one leaves nothing.
#[test]
fn a_node_is_created_with_its_parameters() {
    let mut pipe = Agent::scratch(&[]);
    ball(&mut pipe);
    let constant =
        call!(pipe, "create_node", { "function_id": "Ball", "node_type": "ConstantScalar" });
    let next = "set value of node 5 with set_parameter_value; the default is used until then";
    assert_eq!(constant["next"], next);
    let shown = json!({ "function_id": 1, "node_id": 5 });
    assert_eq!(call!(pipe, "get_node_info", &shown)["next"], next);
    let created = call!(pipe, "create_node", { "function_id": 1, "node_type": "Addition",
        "parameters": { "A": { "source": { "node_id": 5, "port": "value" } }, "B": 2 } });
    assert_eq!(
        (&created["node_id"], created.get("next")),
        (&json!(6), None)
    );
    let node = call!(pipe, "get_node_info", { "function_id": 1, "node_id": 6 });
    assert_eq!(node["parameters"]["A"]["source"]["node_id"], 5);
    assert_eq!(node["parameters"]["B"]["value"], 2.0);
    for wrong in [json!({ "C": 1 }), json!({ "A": "text" }), json!([1])] {
        let request = json!({ "function_id": 1, "node_type": "Addition", "parameters": wrong });
        refusal!(pipe, "create_node", &request);
    }
    assert_eq!(
        call!(pipe, "get_function", { "function_id": 1 })["node_count"],
        5
    );
    call!(pipe, "undo", {});
    assert_eq!(
        call!(pipe, "get_function", { "function_id": 1 })["node_count"],
        4
    );
}

/// The name of a function stands for its id in every place, and a text with an id is an id.
#[test]
fn functions_are_named_in_nested_places() {
    let mut pipe = Agent::scratch(&[]);
    ball(&mut pipe);
    call!(pipe, "create_function_from_expression", { "name": "Twin", "expression": "length(pos) - 50 + 0*pos.x" });
    let compared = call!(pipe, "measure",
        { "function_id": "Ball", "to": { "function_id": "twin" }, "cell": 10, "figures": "volumes" });
    assert_eq!(
        texts(&compared["of"]),
        ["function 1 'Ball'", "function 2 'Twin'"]
    );
    assert_eq!(
        call!(pipe, "get_function", { "function_id": "2" })["name"],
        "Twin"
    );
    let unknown = refusal!(pipe, "measure", { "function_id": 1, "to": { "function_id": "Twn" } });
    assert_starts!(unknown => "unknown_function: no function has the name 'Twn'; did you mean Twin?");
    call!(pipe, "create_function_from_expression", { "name": "Caller", "expression": "0" });
    let caller = call!(pipe, "create_node", { "function_id": "Caller", "node_type": "FunctionCall",
        "parameters": { "functionID": "Ball" } });
    call!(pipe, "set_parameter_value", { "function_id": "Caller", "node_id": caller["node_id"],
        "parameter_name": "functionID", "value": "Twin" });
    let done = call!(pipe, "apply_edits", { "edits": [
        { "set_volume_data": { "properties": [{ "name": "heat", "field": { "function_id": "Ball" } }] } },
        { "set_parameter_value": { "function_id": "Caller", "node_id": caller["node_id"],
            "parameter_name": "functionID", "value": "Ball" } },
    ] });
    assert_eq!(done["applied"], 2);
    let node = json!({ "function_id": "Caller", "node_id": caller["node_id"] });
    assert_eq!(
        call!(pipe, "get_node_info", &node)["parameters"]["functionID"]["value"],
        1
    );
}

#[test]
fn functions_are_named_in_paths() {
    let server = Http::new(&[], None);
    let made = json!({ "name": "Plate 2", "expression": "length(pos) - 5" });
    server
        .call("create_function_from_expression", &made)
        .expect("a function");
    let get = |path: &str| {
        let (status, _, body) = server.request("GET", path, &[], b"");
        let body: Json = serde_json::from_str(&body).expect("JSON");
        (status, body)
    };
    let of = "/api/projects/default/functions";
    assert_eq!(get(&format!("{of}/Plate%202")).1["function_id"], 1);
    assert_eq!(get(&format!("{of}/plate%202/graph")).0, 200);
    assert_eq!(
        get("/api/projects/default/parameters?function_id=Plate+2").0,
        200
    );
    let (status, refused) = get(&format!("{of}/Plate%203"));
    assert_eq!(
        (status, &refused["code"]),
        (404, &json!("unknown_function"))
    );
}

/// One id where a list is wanted is a list of one.
#[test]
fn a_single_item_is_a_list() {
    let mut pipe = Agent::scratch(&[]);
    call!(pipe, "add_nodes", { "nodes": { "label": "Load", "types": "requirement" } });
    assert_eq!(call!(pipe, "get_nodes", { "nodes": "Load" })["total"], 1);
    assert_eq!(
        call!(pipe, "get_nodes", { "nodes": "[\"Load\"]" })["total"],
        1
    );
    assert_starts!(refusal!(pipe, "get_nodes", { "nodes": 5 }) => "invalid_arguments: `nodes` must be [string]");
}

/// A server that is started in the root of the file system, as programs of a desktop are, has a folder of its own for files.
#[cfg(unix)]
#[test]
fn files_of_a_server_without_a_folder_lie_beside_its_store() {
    let mut pipe = Pipe::new(&[], Path::new("/"));
    call!(pipe, "create_function_from_expression", { "name": "Ball", "expression": "length(pos) - 5" });
    let request = json!({ "function_id": 1, "format": "stl", "cell": 1, "path": "ball.stl" });
    let path = call!(pipe, "export", &request)["path"].clone();
    let path = Path::new(path.as_str().expect("a path"));
    assert!(
        path.ends_with("files/ball.stl") && path.is_file(),
        "{path:?}"
    );
    let mut hidden = request;
    hidden["path"] = json!(".ball.stl");
    assert_contains!(refusal!(pipe, "export", &hidden) => "forbidden_path", "begins with a dot");
    for outside in ["/etc/hostname", "/tmp/x.3mf"] {
        assert_contains!(refusal!(pipe, "import", { "path": outside }) => "forbidden_path");
    }
}

/// Knowledge at a call goes to the node that gives its output, and is dangling if there is none.
#[test]
fn knowledge_follows_an_inlined_call() {
    let mut pipe = Agent::scratch(&["--toolsets", "project,function,knowledge,project-extra"]);
    ball(&mut pipe);
    let expression = "let wall = 2; Ball(pos) - wall";
    call!(pipe, "create_function_from_expression", { "name": "Shell", "expression": expression });
    call!(pipe, "create_function_from_expression", { "name": "Same", "expression": "pos" });
    call!(pipe, "create_function_from_expression", { "name": "Moved", "expression": "length(Same(pos))" });
    call!(pipe, "add_nodes", { "nodes": [{ "label": "Load", "types": "requirement" }] });
    let call_node = |pipe: &mut Agent, function: &str| {
        let shown = call!(pipe, "get_function", { "function_id": function });
        let nodes = shown["nodes"].as_array().expect("nodes").clone();
        let mut calls = nodes
            .iter()
            .filter(|node| node["node_type"] == "FunctionCall");
        (
            shown["function_id"].clone(),
            calls.next().expect("a call")["node_id"].clone(),
        )
    };
    let inline = |pipe: &mut Agent, function: &str| {
        let (function, node) = call_node(pipe, function);
        let end = format!("fn:{function}/{node}");
        call!(pipe, "add_edges", { "edges": [{ "source": "Load", "target": end, "type": "sizes" }] });
        let edits = json!([{ "inline_call": { "function_id": function, "node_id": node } }]);
        (end, call!(pipe, "apply_edits", { "edits": edits }))
    };
    let (end, done) = inline(&mut pipe, "Shell");
    let result = done["results"][0]["node_id"].to_string();
    assert_eq!(done["moved"][0]["from"], end);
    assert_eq!(done["moved"][0]["to"], format!("fn:2/{result}"));
    assert!(done.get("dangling").is_none(), "{done}");
    let (end, done) = inline(&mut pipe, "Moved");
    assert_eq!(done["dangling"][0]["end"], end);
    let groups = call!(pipe, "analyze", { "what": "components" });
    assert_eq!(groups["groups"][0]["dangling"], json!([end]));
    let checkpoint = call!(pipe, "checkpoint", { "name": "inlined" });
    let fields: Vec<&String> = checkpoint.as_object().expect("fields").keys().collect();
    assert_eq!(fields, ["label", "revision", "success"]);
}
