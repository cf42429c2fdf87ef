//! Pictures, slices and files of parts, as an agent asks for them.

mod measures;

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fibula::format::mesh;
use fibula::geometry::TriangleMesh;
use serde_json::{Value as Json, json};

use crate::agent::Agent;

/// A server with function 1, a hollow ball.
fn with_ball(mut pipe: Agent) -> Agent {
    let ball = json!({"name": "Ball", "expression": "max(length(pos) - 5, 3 - length(pos))"});
    call!(pipe, "create_function_from_expression", &ball);
    pipe
}

fn refused(pipe: &mut Agent, tool: &str, arguments: &Json, expected: &str) {
    let refusal = refusal!(pipe, tool, arguments);
    assert!(refusal.contains(expected), "{tool} {arguments}: {refusal}");
}

/// The volume of an STL file, which has to be closed.
fn volume(bytes: &[u8]) -> f64 {
    let soup = mesh::read(bytes, &mesh::Limits::default()).expect("a mesh");
    let mesh = TriangleMesh::new(soup.vertices, soup.triangles).expect("a mesh");
    assert!(mesh.topology().is_closed());
    mesh.mass().volume
}

/// Answer of `render`: the pixels, row by row, and the text about them.
fn drawn(pipe: &mut Agent, arguments: &Json) -> (Vec<[u8; 3]>, Json) {
    let call = json!({"name": "render", "arguments": arguments});
    let answer = pipe.ask("tools/call", &call);
    let result = &answer["result"];
    assert!(result.get("structuredContent").is_none(), "{result}");
    let image = &result["content"][0];
    assert_fields!(image, { "type": "image", "mimeType": "image/png" }, "{result}");
    let png = BASE64
        .decode(image["data"].as_str().expect("a text"))
        .expect("bytes");
    let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().expect("a PNG file");
    let mut bytes = vec![0; reader.output_buffer_size().expect("it is small")];
    let frame = reader.next_frame(&mut bytes).expect("pixels");
    assert_eq!(frame.color_type, png::ColorType::Rgb);
    let told: Json =
        serde_json::from_str(result["content"][1]["text"].as_str().expect("a text")).expect("JSON");
    assert_eq!(told["size"], json!([frame.width, frame.height]));
    (bytes.as_chunks().0.to_vec(), told)
}

#[test]
fn heights_and_graphs_are_drawn() {
    let mut pipe = with_ball(Agent::scratch(&[]));
    let (side, bounds) = (200, json!([[-10.0, -10.0, -10.0], [10.0, 10.0, 10.0]]));
    let mut show = |show: &str| {
        let arguments = json!({"function_id": 1, "show": show, "heights": [0], "bounds": bounds,
            "size": [side, side]});
        drawn(&mut pipe, &arguments)
    };
    let (slices, told) = show("slices");
    assert_eq!(told["bounds"], bounds);
    assert_eq!(told["unit"], "millimeter");
    // A ring from 3 to 5 about the origin, which is in the middle of the picture.
    let at = |pixels: &[[u8; 3]], x: usize| pixels[side / 2 * side + side / 2 + x];
    let (hole, ring, around) = (at(&slices, 0), at(&slices, 32), at(&slices, 60));
    assert_ne!(ring, hole, "{around:?}");
    assert_eq!(hole, around, "{ring:?}");
    let (field, _) = show("field");
    assert!(at(&field, 0) != hole && at(&field, 60) != around);
    let arguments = json!({"function_id": 1, "show": "slices", "heights": [-4, 0, 4, 9]});
    let (_, told) = drawn(&mut pipe, &arguments);
    // Two by two, with a line between them.
    assert_eq!(told["size"], json!([511, 511]));
    let (graph, told) = drawn(&mut pipe, &json!({"function_id": 1, "show": "graph"}));
    assert!(told.get("bounds").is_none() && told.get("unit").is_none());
    let colours: BTreeSet<_> = graph.iter().collect();
    assert!(colours.len() > 20, "{}", colours.len());
    for (arguments, expected) in cases![
        json!({"function_id": 1, "show": "slice"}) => "`show` must be \"solid\" | \"slices\"";
        json!({"function_id": 1, "show": "slices"}) => "requires heights";
        json!({"function_id": 1, "show": "field", "heights": []}) => "pass heights";
        json!({"function_id": 1, "heights": [1]}) => "heights does not apply to show \"solid\"";
        json!({"function_id": 1, "show": "field", "heights": [1], "section": {"x": 1}})
            => "section does not apply to show \"field\"";
        json!({"show": "graph"}) => "requires a function_id";
        json!({"function_id": 7, "show": "graph"}) => "7";
        json!({"function_id": 1, "show": "graph", "size": [9, 9]}) => "size does not apply to show \"graph\"";
        json!({"function_id": 1, "show": "slices", "heights": [0], "size": [0, 9]}) => "invalid_size";
        json!({"function_id": 1, "show": "slices", "heights": vec![0; 26]}) => "shows at most 25 slices";
    ] {
        refused(&mut pipe, "render", &arguments, expected);
    }
}

#[test]
fn a_picture_is_an_image_and_a_line_about_it() {
    let mut pipe = with_ball(Agent::scratch(&[]));
    let arguments = json!({"function_id": 1, "section": {"x": 0}, "size": [120, 100]});
    let (pixels, told) = drawn(&mut pipe, &arguments);
    assert_eq!(pixels.len(), 120 * 100);
    assert_eq!(told["unit"], "millimeter");
    for (arguments, expected) in cases![
        json!({}) => "nothing";
        json!({"function_id": 9}) => "9";
        json!({"function_id": 1, "veiw": "top"}) => "did you mean `view`";
        json!({"function_id": 1, "view": "sheet", "zoom": 2}) => "a sheet has four views";
        json!({"function_id": 1, "view": "top", "orbit": [1, 2]}) => "give one of them";
        json!({"function_id": 1, "size": [0, 9]}) => "invalid_size";
        json!({"function_id": 1, "size": [100_000, 100_000]}) => "use a size of 4096x4096 pixels";
        json!({"function_id": 1, "bounds": [[0, 0, 0], [1, 0, 1]]}) => "lowest corner first";
        json!({"function_id": 1, "object_id": 2}) => "object_id and function_id are both given";
    ] {
        refused(&mut pipe, "render", &arguments, expected);
    }
}

#[test]
fn slices_tell_their_areas_and_points_if_they_are_few() {
    let mut pipe = with_ball(Agent::scratch(&[]));
    let answer = call!(pipe, "slice", {"function_id": 1, "heights": [0, 4, 9]});
    let slices = answer["slices"].as_array().expect("a list");
    let pi = std::f64::consts::PI;
    for (slice, (area, perimeter, outlines, holes)) in slices.iter().zip([
        (16.0 * pi, 16.0 * pi, 1, 1),
        (9.0 * pi, 6.0 * pi, 1, 0),
        (0.0, 0.0, 0, 0),
    ]) {
        let number = |name: &str| slice[name].as_f64().expect("a number");
        assert!((number("area") - area).abs() < 0.02, "{slice}");
        assert!((number("perimeter") - perimeter).abs() < 0.02, "{slice}");
        assert_fields!(slice, { "outlines": outlines, "holes": holes });
        assert!(slice.get("contours").is_none());
    }
    let warning = answer["warnings"][0].as_str().expect("a text");
    assert!(warning.contains("beyond the bounds"));
    let answer =
        call!(pipe, "slice", {"function_id": 1, "heights": [0], "points": true, "tolerance": 0.2});
    let contours = answer["slices"][0]["contours"].as_array().expect("a list");
    assert_eq!(contours.len(), 2);
    assert_eq!(contours[1]["parent"], 0);
    for (arguments, expected) in cases![
        json!({"function_id": 1}) => "no heights are given";
        json!({"function_id": 1, "heights": [1], "layer": 1}) => "heights and layer are both given";
        json!({"function_id": 1, "layer": 0}) => "must be above 0";
        json!({"function_id": 1, "layer": 1e-9}) => "is possible";
        json!({"function_id": 1, "layer": 0.02, "points": true}) => "points, more than the limit of 2000";
    ] {
        refused(&mut pipe, "slice", &arguments, expected);
    }
}

#[test]
fn files_are_written_below_the_roots_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("root");
    std::fs::create_dir_all(root.join("sub")).expect("a folder");
    let mut pipe = with_ball(Agent::new(&[], &root));
    let ball = |path: &str| json!({"format": "stl", "function_id": 1, "cell": 0.5, "path": path});
    let written = call!(pipe, "export", &ball("sub/ball.stl"));
    let bytes = std::fs::read(root.join("sub/ball.stl")).expect("it is there");
    assert_eq!(written["bytes"], bytes.len());
    let whole = 4.0 / 3.0 * std::f64::consts::PI * (125.0 - 27.0);
    assert!((volume(&bytes) / whole - 1.0).abs() < 0.01);
    let message = "exists already; overwrite: true replaces it";
    refused(&mut pipe, "export", &ball("sub/ball.stl"), message);
    let mut again = ball("sub/ball.stl");
    again["overwrite"] = json!(true);
    call!(pipe, "export", &again);
    // Nothing but the file is left.
    let mut files = std::fs::read_dir(root.join("sub")).expect("a folder");
    assert_eq!(files.by_ref().count(), 1);
    for (path, expected) in [
        ("../ball.stl", "forbidden_path"),
        ("sub/../../ball.stl", "forbidden_path"),
        ("/ball.stl", "forbidden_path"),
        ("", "unknown_format"),
        ("..", "unknown_format"),
        ("ball.png", "unknown_format"),
        ("no/ball.stl", "there is no folder"),
        ("a\u{0}.stl", "forbidden_path"),
    ] {
        refused(&mut pipe, "export", &ball(path), expected);
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path(), root.join("out")).expect("a link");
        std::fs::write(folder.path().join("theirs.stl"), "theirs").expect("a file");
        let link = root.join("link.stl");
        std::os::unix::fs::symlink(folder.path().join("theirs.stl"), link).expect("a link");
        for path in ["out/ball.stl", "link.stl"] {
            let mut hostile = ball(path);
            hostile["overwrite"] = json!(true);
            refused(&mut pipe, "export", &hostile, "forbidden_path");
        }
        let theirs = std::fs::read(folder.path().join("theirs.stl"));
        assert_eq!(theirs.expect("it is there"), b"theirs");
    }
    let package = call!(pipe, "export", {"format": "3mf", "path": "all.3mf"});
    assert!(package["bytes"].as_u64() > Some(500));
    call!(pipe, "create_project", {"project": "again"});
    let came = call!(pipe, "import", {"path": "all.3mf", "project": "again"});
    assert_eq!(came["functions"][0]["name"], "Ball");
}

#[test]
fn files_that_cannot_be_are_refused() {
    let mut pipe = with_ball(Agent::scratch(&[]));
    for (arguments, expected) in cases![
        json!({"format": "3mf", "function_id": 1}) => "3mf without a cell or an accuracy is the whole project";
        json!({"format": "3mf", "simplify": 0.1}) => "3mf without a cell or an accuracy is the whole project";
        json!({"format": "svg", "function_id": 1, "layer": 1, "simplify": 0.1}) => "simplify applies to meshes";
        json!({"format": "stl", "function_id": 1, "cell": 0.05}) => "bytes of a resource";
        json!({"format": "stl", "function_id": 1, "layer": 1}) => "apply to slices";
        json!({"format": "svg", "function_id": 1}) => "no heights are given";
        json!({"format": "stl", "function_id": 1, "cell": 0}) => "cell";
        json!({"format": "stl", "function_id": 1, "cell": 1e-9}) => "use a cell size of";
        json!({"format": "step", "function_id": 1}) => "format";
    ] {
        refused(&mut pipe, "export", &arguments, expected);
    }
}

#[test]
fn a_file_without_a_path_is_a_resource_of_its_revision() {
    let mut pipe = with_ball(Agent::scratch(&[]));
    let request = json!({"format": "stl", "function_id": 1, "cell": 0.5});
    let request = json!({"name": "export", "arguments": request});
    let answer = pipe.ask("tools/call", &request);
    let result = &answer["result"];
    let uri = &result["structuredContent"]["uri"];
    let link = result["content"]
        .as_array()
        .expect("a list")
        .last()
        .expect("a link");
    assert_eq!(link["type"], "resource_link");
    assert_eq!(&link["uri"], uri);
    // The function is another now; what is linked is not.
    let other = json!({"name": "Ball", "expression": "length(pos) - 1", "function_id": 1});
    call!(pipe, "create_function_from_expression", &other);
    let read = pipe.ask("resources/read", &json!({ "uri": uri }));
    let contents = &read["result"]["contents"][0];
    assert_eq!(contents["mimeType"], "model/stl");
    let bytes = BASE64
        .decode(contents["blob"].as_str().expect("a text"))
        .expect("bytes");
    assert_eq!(result["structuredContent"]["bytes"], bytes.len());
    assert!(volume(&bytes) > 400.0);
    for (uri, expected) in cases![
        "fibula://projects/default/part.stl?request={\"function_id\":1,\"cell\":0.01}" => "too_large";
        "fibula://projects/default/part.stl?request={\"cel\":1}" => "unknown field";
        "fibula://projects/default/part.stl?request=[]" => "a JSON object";
        "fibula://projects/default/part.stl?cell=1" => "its query is request=";
        "fibula://projects/default/part.doc" => "no such format";
        "fibula://projects/none/part.3mf" => "unknown_project";
    ] {
        let answer = pipe.ask("resources/read", &json!({ "uri": uri }));
        let message = answer["error"]["message"].as_str().expect(uri);
        assert!(message.contains(expected), "{uri}: {message}");
    }
    let address = json!({"uri": "fibula://projects/default/part.3mf"});
    let whole = pipe.ask("resources/read", &address);
    assert_eq!(whole["result"]["contents"][0]["mimeType"], "model/3mf");
}

#[test]
fn a_server_that_only_reads_draws_and_slices_and_writes_nothing() {
    let mut pipe = Agent::scratch(&["--read-only", "--toolsets", "geometry"]);
    assert_eq!(pipe.tools(), ["measure", "render", "slice"]);
}

#[test]
fn parts_stay_apart_and_meshes_are_packed_and_simplified() {
    let mut pipe = with_ball(Agent::scratch(&[]));
    let edits = json!({"edits": [
        {"create_level_set": {"alias": "$part", "function_id": 1, "bounds": [[-6, -6, -6], [6, 6, 6]], "name": "Shell"}},
        {"create_build_item": {"object_id": "$part", "transform": [1, 0, 0, 0, 1, 0, 0, 0, 1, 20, 0, 0]}},
    ]});
    call!(pipe, "apply_edits", &edits);
    let mut written = |arguments: Json| {
        let answer = call!(pipe, "export", &arguments);
        let path = answer["path"].as_str().expect("a path").to_owned();
        let bytes = std::fs::read(path).expect("the file");
        (bytes, answer["triangles"].as_u64().expect("a number"))
    };
    let (obj, triangles) = written(json!({"format": "obj", "cell": 1, "path": "a.obj"}));
    let obj = String::from_utf8(obj).expect("text");
    assert_eq!(obj.lines().filter(|line| *line == "o Shell").count(), 2);
    let faces = obj.lines().filter(|line| line.starts_with("f ")).count();
    assert_eq!(faces as u64, triangles);
    let (package, _) = written(json!({"format": "3mf", "cell": 1, "path": "a.3mf"}));
    let limits = fibula::format::threemf::Limits::default();
    let model = fibula::format::threemf::read(&package, &limits).expect("3MF");
    let counts = (model.functions.len(), model.objects.len());
    assert_eq!((counts, model.items.len()), ((0, 1), 2));
    let fewer = json!({"format": "obj", "cell": 1, "simplify": 0.2, "path": "b.obj"});
    assert!(written(fewer).1 * 2 < triangles);
}

#[test]
fn bounds_that_cut_a_level_set_are_reported_everywhere() {
    let mut pipe = with_ball(Agent::scratch(&[]));
    let gyroid =
        json!({"name": "Gyroid", "expression": "sin(x)*cos(y) + sin(y)*cos(z) + sin(z)*cos(x)"});
    call!(pipe, "create_function_from_expression", &gyroid);
    let edits = json!({"edits": [
        {"create_level_set": {"alias": "$whole", "function_id": 1, "bounds": [[-5, -5, -5], [5, 5, 5]]}},
    ]});
    let answer = call!(pipe, "apply_edits", &edits);
    assert!(answer.get("warnings").is_none(), "{answer}");
    let edits = json!({"edits": [
        {"create_level_set": {"alias": "$cut", "function_id": 1, "name": "Foot", "bounds": [[-6, -6, -6], [4, 6, 6]]}},
    ]});
    let answer = call!(pipe, "apply_edits", &edits);
    let cut = answer["ids"]["$cut"].clone();
    let check = |answer: &Json| {
        let warnings = answer["warnings"].as_array().expect("a list");
        let warnings: Vec<&str> = warnings.iter().filter_map(Json::as_str).collect();
        let of_foot = warnings.iter().filter(|text| {
            text.contains("'Foot' cut its shape at x = 4 (max) over 20 % of that face")
                && text.contains("bounds that fit: [[-5")
        });
        assert_eq!(of_foot.count(), 1, "{warnings:?}");
    };
    check(&answer);
    check(&call!(pipe, "summarize", {})["contents"]);
    check(&call!(pipe, "measure", {"object_id": cut, "cell": 0.5}));
    check(&call!(pipe, "measure", {"object_id": cut, "cell": 0.5, "to": {"function_id": 1}}));
    check(&call!(pipe, "slice", {"object_id": cut, "heights": [0]}));
    check(&call!(pipe, "slice", {"heights": [0]}));
    check(&call!(pipe, "export", {"format": "stl", "cell": 0.5, "object_id": cut}));
    check(&call!(pipe, "export", {"format": "3mf"}));
    check(&drawn(&mut pipe, &json!({"object_id": cut, "size": [60, 60]})).1);
    let slices = json!({"object_id": cut, "size": [60, 60], "show": "slices", "heights": [0]});
    check(&drawn(&mut pipe, &slices).1);
    let wider = json!({"edits": [
        {"modify_level_set": {"resource_id": cut, "bounds": [[-6, -6, -6], [6, 6, 6]]}},
        {"create_level_set": {"function_id": 2, "bounds": [[0, 0, 0], [9, 9, 9]]}},
    ]});
    let answer = call!(pipe, "apply_edits", &wider);
    let warnings = answer["warnings"].as_array().expect("a list");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let text = warnings[0].as_str().expect("a text");
    assert!(
        text.contains("z = 9 (max)") && text.contains("is unbounded"),
        "{text}"
    );
}

/// An edit of a function tells of the level sets whose bounds it leaves, as their own edits do.
#[test]
fn edits_tell_of_the_bounds_that_they_leave() {
    let mut pipe = Agent::scratch(&[]);
    let ball = |r: f64| format!("let r = {r}; length(pos) - r");
    call!(pipe, "create_function_from_expression", {"name": "Ball", "expression": ball(5.0)});
    call!(pipe, "create_function_from_expression", {"name": "Top", "expression": "Ball(pos)"});
    let edits = json!({"edits": [
        {"create_level_set": {"function_id": "Top", "name": "Foot", "bounds": [[-6, -6, -6], [6, 6, 6]]}},
    ]});
    let answer = call!(pipe, "apply_edits", &edits);
    assert!(answer.get("warnings").is_none(), "{answer}");
    let set = json!({"function": "Ball", "parameter": "r", "value": 5.5});
    let answer = call!(pipe, "set_parameter_value", &set);
    assert!(answer.get("warnings").is_none(), "{answer}");
    let check = |answer: &Json, fit: &str| {
        let warnings = answer["warnings"].as_array().expect("a list");
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        let text = warnings[0].as_str().expect("a text");
        assert!(
            text.contains("'Foot' cut its shape at x = -6 (min) over "),
            "{text}"
        );
        assert!(text.contains("z = 6 (max)") && text.contains(fit), "{text}");
    };
    let wide = json!({"function": "Ball", "parameter": "r", "value": 9});
    check(
        &call!(pipe, "set_parameter_value", &wide),
        "bounds that fit: [[-9",
    );
    let rebuilt = json!({"function_id": 1, "name": "Ball", "expression": ball(8.0)});
    check(
        &call!(pipe, "create_function_from_expression", &rebuilt),
        "bounds that fit: [[-8",
    );
    let edits = json!({"edits": [
        {"set_parameter_value": {"function": "Ball", "parameter": "r", "value": 12}}]});
    check(
        &call!(pipe, "apply_edits", &edits),
        "bounds that fit: [[-12",
    );
    // Level sets that do not use a function, and functions that no level set uses, are none of its concern.
    let other = json!({"name": "Other", "expression": "let r = 50; length(pos) - r"});
    call!(pipe, "create_function_from_expression", &other);
    let set = json!({"function": "Other", "parameter": "r", "value": 70});
    let answer = call!(pipe, "set_parameter_value", &set);
    assert!(answer.get("warnings").is_none(), "{answer}");
}

/// Bounds beside a shape are reported with bounds that fit, and so are refusals for which nothing is left.
#[test]
fn bounds_beside_a_shape_are_reported_everywhere() {
    let mut pipe = with_ball(Agent::scratch(&[]));
    let edits = json!({"edits": [
        {"create_level_set": {"alias": "$off", "function_id": 1, "name": "Foot", "bounds": [[20, 20, 20], [30, 30, 30]]}},
    ]});
    let answer = call!(pipe, "apply_edits", &edits);
    let id = answer["ids"]["$off"].clone();
    let told = "the bounds of level set";
    let check = |text: &str| {
        assert!(
            text.contains(told)
                && text.contains("'Foot' contain nothing of its shape; bounds that fit: [[-5"),
            "{text}"
        );
    };
    check(answer["warnings"][0].as_str().expect("a text"));
    let overview = call!(pipe, "summarize", {});
    check(&overview["contents"]["warnings"].to_string());
    check(&refusal!(pipe, "measure", {"object_id": id}));
    check(&refusal!(pipe, "render", {"object_id": id}));
    check(&refusal!(pipe, "slice", {"object_id": id, "heights": [25]}));
    check(&refusal!(pipe, "export", {"object_id": id, "format": "stl", "cell": 0.5}));
    // A corner of the box that the shape does not reach.
    let near = json!({"edits": [
        {"modify_level_set": {"resource_id": id, "bounds": [[4, 4, 4], [9, 9, 9]]}}]});
    check(
        call!(pipe, "apply_edits", &near)["warnings"][0]
            .as_str()
            .expect("a text"),
    );
    let fitting = json!({"edits": [
        {"modify_level_set": {"resource_id": id, "bounds": [[-6, -6, -6], [6, 6, 6]]}}]});
    let answer = call!(pipe, "apply_edits", &fitting);
    assert!(answer.get("warnings").is_none(), "{answer}");
}

#[test]
fn bounds_touch_the_part_and_layers_begin_at_its_bottom() {
    let mut pipe = with_ball(Agent::scratch(&[]));
    let plate = json!({"name": "Plate", "expression": "max(max(abs(x) - 20, abs(y) - 10), abs(z - 1.5) - 1.5)"});
    call!(pipe, "create_function_from_expression", &plate);
    let plate = json!([[-20.0, -10.0, 0.0], [20.0, 10.0, 3.0]]);
    let answer = call!(pipe, "slice", {"function_id": 2, "layer": 1});
    assert_eq!(answer["bounds"], plate);
    let slices = answer["slices"].as_array().expect("a list");
    let heights: Vec<&Json> = slices.iter().map(|slice| &slice["z"]).collect();
    assert_eq!(heights, [0.5, 1.5, 2.5]);
    for slice in slices {
        assert_eq!(slice["area"].as_f64().map(f64::round), Some(800.0));
    }
    let (_, told) = drawn(&mut pipe, &json!({"function_id": 2, "size": [60, 60]}));
    assert_eq!(told["bounds"], plate);
    let slices = json!({"function_id": 2, "size": [60, 60], "show": "slices", "heights": [1]});
    assert_eq!(drawn(&mut pipe, &slices).1["bounds"], plate);
    // Level sets, whose domain is larger, too.
    let edits = json!({"edits": [
        {"create_level_set": {"function_id": 1, "bounds": [[-9, -9, -9], [9, 9, 9]]}},
    ]});
    call!(pipe, "apply_edits", &edits);
    let (_, told) = drawn(&mut pipe, &json!({"size": [60, 60]}));
    assert_eq!(told["bounds"], json!([[-5.0, -5.0, -5.0], [5.0, 5.0, 5.0]]));
    let answer = call!(pipe, "slice", {"layer": 2.5});
    assert_eq!(answer["slices"][0]["z"], -3.75);
    assert_eq!(answer["slices"].as_array().map(Vec::len), Some(4));
}

#[test]
fn slices_have_the_digits_that_matter() {
    let mut pipe = with_ball(Agent::scratch(&[]));
    let area = |pipe: &mut Agent, digits: &str| {
        let answer = call!(pipe, "slice", { "function_id": 1, "heights": [0], "digits": digits });
        answer["slices"][0]["area"].clone()
    };
    let full = area(&mut pipe, "full");
    assert!(full.to_string().len() > 10, "{full}");
    let short = area(&mut pipe, "significant");
    assert!(short.to_string().len() < 8, "{short}");
    let error = short.as_f64().unwrap() - full.as_f64().unwrap();
    assert!(error.abs() < 0.01, "{short} {full}");
}

/// Numbers of figures in a file and of boxes are as short as those of measure.
#[test]
fn exports_and_boxes_have_the_digits_that_matter() {
    let mut pipe = Agent::scratch(&[]);
    let part = json!({ "name": "Part", "expression": "smooth_union(sphere(pos, 5), box(pos, vec3(7, 9.1, 12.3)), 1.7)" });
    call!(pipe, "create_function_from_expression", &part);
    let digits = |number: &Json| {
        let text = number.to_string();
        let (mantissa, _) = text.split_once('e').unwrap_or((&text, ""));
        let shown: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        shown.trim_start_matches('0').trim_end_matches('0').len()
    };
    let made = call!(pipe, "export", { "function_id": "Part", "format": "stl", "accuracy": 0.1 });
    for (name, most) in [("volume", 7), ("cell", 7), ("deviation", 2)] {
        let number = &made[name];
        assert!(
            number.as_f64() > Some(0.0) && digits(number) <= most,
            "{name}: {made}"
        );
    }
    let sliced = call!(pipe, "slice", { "function_id": "Part", "heights": [0] });
    let full = call!(pipe, "slice", { "function_id": "Part", "heights": [0], "digits": "full" });
    let numbers = |answer: &Json| -> Vec<Json> {
        let corners = answer["bounds"].as_array().expect("corners").iter();
        corners
            .flat_map(|corner| corner.as_array().expect("numbers").clone())
            .collect()
    };
    let longest = |answer: &Json| numbers(answer).iter().map(digits).max();
    assert!(longest(&sliced) <= Some(7), "{sliced}");
    assert!(longest(&full) > Some(7), "{full}");
    for (short, full) in numbers(&sliced).iter().zip(numbers(&full)) {
        let error = short.as_f64().unwrap() - full.as_f64().unwrap();
        assert!(error.abs() < 1e-5, "{short} {full}");
    }
}

/// A picture in which the part is not visible says so, and why.
#[test]
fn pictures_of_nothing_say_so() {
    let mut pipe = with_ball(Agent::scratch(&[]));
    let near = json!([[-6, -6, -6], [6, 6, 6]]);
    let far = json!([[20, 20, 20], [30, 30, 30]]);
    for (options, told) in [
        (json!({}), ""),
        (json!({ "bounds": near, "section": { "x": 0 } }), ""),
        (json!({ "section": { "x": 9 } }), ""),
        (
            json!({ "bounds": far }),
            "omit bounds, or measure the bounds",
        ),
        (
            json!({ "bounds": far, "view": "sheet" }),
            "omit bounds, or measure the bounds",
        ),
        (
            json!({ "section": { "x": 9 }, "view": "left" }),
            "omit section, or measure the bounds",
        ),
    ] {
        let mut request = options.clone();
        request["function_id"] = json!(1);
        request["size"] = json!([64, 64]);
        let (_, answer) = drawn(&mut pipe, &request);
        let warnings = answer["warnings"].to_string();
        let cuts_nothing = warnings.contains("a section cuts nothing");
        assert_eq!(
            cuts_nothing,
            options == json!({ "section": { "x": 9 } }),
            "{answer}"
        );
        let is_told = warnings.contains("nothing of the part is visible");
        assert_eq!(is_told, !told.is_empty(), "{options}: {answer}");
        assert!(warnings.contains(told), "{options}: {answer}");
    }
}
