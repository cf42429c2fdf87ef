//! Pictures, slices and files of parts, as an agent asks for them.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fibula::format::mesh;
use fibula::geometry::TriangleMesh;
use serde_json::{Value as Json, json};

use crate::talk::Pipe;

/// A server with function 1, a hollow ball.
fn with_ball(mut pipe: Pipe) -> Pipe {
    let ball = json!({"name": "Ball", "expression": "max(length(pos) - 5, 3 - length(pos))"});
    call!(pipe, "create_function_from_expression", &ball);
    pipe
}

fn refused(pipe: &mut Pipe, tool: &str, arguments: &Json, expected: &str) {
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
fn drawn(pipe: &mut Pipe, arguments: &Json) -> (Vec<[u8; 3]>, Json) {
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
    let mut pipe = with_ball(Pipe::scratch(&[]));
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
    let mut pipe = with_ball(Pipe::scratch(&[]));
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
    let mut pipe = with_ball(Pipe::scratch(&[]));
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
fn measures_have_errors_and_two_things_are_compared() {
    let mut pipe = with_ball(Pipe::scratch(&[]));
    let arguments = json!({"function_id": 1, "cell": 0.4});
    let answer = call!(pipe, "measure", &arguments);
    let figures = &answer["figures"];
    let within = |figure: &Json, expected: f64| {
        let number = |name: &str| figure[name].as_f64().expect("a number");
        let off = (number("value") - expected).abs();
        assert!(off <= number("error"), "{figure}");
        assert!(number("error") < 0.05 * expected, "{figure}");
    };
    let pi = std::f64::consts::PI;
    within(&figures["volume"], 4.0 / 3.0 * pi * (125.0 - 27.0));
    within(&figures["area"], 4.0 * pi * (25.0 + 9.0));
    assert_eq!(figures["cavities"]["value"], 1);
    assert_eq!(answer["unit"], "millimeter");
    let other = json!({"name": "Other", "expression": "length(pos - vec3(12, 0, 0)) - 5"});
    call!(pipe, "create_function_from_expression", &other);
    let answer = call!(pipe, "measure", {"function_id": 1, "cell": 0.4, "to": {"function_id": 2}});
    within(&answer["figures"]["distance"], 2.0);
    let radius = json!({"name": "Other", "function_id": 2, "expression": "length(pos - vec3(12, 0, 0)) - 6"});
    let before = answer["revision"].clone();
    call!(pipe, "create_function_from_expression", &radius);
    // The same thing before the change.
    let answer =
        call!(pipe, "measure", {"function_id": 2, "cell": 0.4, "to": {"revision": before}});
    within(&answer["figures"]["most"], 1.0);
    assert_eq!(answer["to_revision"], before);
    for (arguments, expected) in cases![
        json!({"function_id": 1, "to": {"function_id": 7}}) => "7";
        json!({"function_id": 1, "to": {"function_id": 2}, "overhang": 30}) => "applies to one subject";
        json!({"function_id": 1, "to": {"id": 2}}) => "id";
        json!({"function_id": 1, "overhang": 300}) => "invalid_value";
        json!({"function_id": 1, "cell": 0}) => "cell";
        json!({"function_id": 1, "time_limit": 0.01}) => "timed_out";
        json!({"function_id": 1, "time_limit": 1e6}) => "at most 3600 seconds";
        json!({"function_id": 1, "time_limit": -1}) => "must be a number of seconds above 0";
    ] {
        refused(&mut pipe, "measure", &arguments, expected);
    }
}

#[test]
fn files_are_written_below_the_roots_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("root");
    std::fs::create_dir_all(root.join("sub")).expect("a folder");
    let mut pipe = with_ball(Pipe::new(&[], &root));
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
    let mut pipe = with_ball(Pipe::scratch(&[]));
    for (arguments, expected) in cases![
        json!({"format": "3mf", "function_id": 1}) => "3mf without a cell or an accuracy is the whole project";
        json!({"format": "3mf", "simplify": 0.1}) => "3mf without a cell or an accuracy is the whole project";
        json!({"format": "svg", "function_id": 1, "layer": 1, "simplify": 0.1}) => "accuracy and simplify apply to meshes";
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
    let mut pipe = with_ball(Pipe::scratch(&[]));
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
    let mut pipe = Pipe::scratch(&["--read-only", "--toolsets", "geometry"]);
    assert_eq!(pipe.tools(), ["measure", "render", "slice"]);
}

#[test]
fn parts_stay_apart_and_meshes_are_packed_and_simplified() {
    let mut pipe = with_ball(Pipe::scratch(&[]));
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
    let mut pipe = with_ball(Pipe::scratch(&[]));
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

#[test]
fn bounds_touch_the_part_and_layers_begin_at_its_bottom() {
    let mut pipe = with_ball(Pipe::scratch(&[]));
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
fn measures_are_those_asked_for_with_significant_digits() {
    let mut pipe = with_ball(Pipe::scratch(&[]));
    let plate = "max(max(max(abs(x) - 20, abs(y) - 10), abs(z) - 1.5), 3 - length(vec3(x, y, 0)))";
    let plate = json!({"name": "Plate", "expression": plate});
    call!(pipe, "create_function_from_expression", &plate);
    let wanted =
        json!({"function_id": 2, "figures": ["volume", "gap", "mass", "overhang"], "density": 2.7});
    let answer = call!(pipe, "measure", &wanted);
    let figures = answer["figures"].as_object().expect("an object");
    let names: Vec<&String> = figures.keys().collect();
    assert_eq!(names, ["gap", "mass", "overhang", "volume"]);
    assert_eq!(figures["gap"]["kind"], "hole");
    assert_eq!(figures["overhang"]["unit"], "millimeter^2");
    assert_eq!(figures["volume"]["unit"], "millimeter^3");
    assert_eq!(figures["mass"]["unit"], "g");
    let number = |name: &str, part: &str| figures[name][part].as_f64().expect("a number");
    let volume = 40.0 * 20.0 * 3.0 - std::f64::consts::PI * 9.0 * 3.0;
    assert!((number("volume", "value") - volume).abs() <= number("volume", "error"));
    assert!((number("mass", "value") - 2.7e-3 * volume).abs() <= number("mass", "error"));
    // The error has two digits, or one, and the value ends with them.
    for (name, figure) in figures {
        let decimals = |part: &str| {
            figure[part]
                .to_string()
                .split('.')
                .nth(1)
                .map_or(0, str::len)
        };
        assert!(
            decimals("value") <= decimals("error").max(1),
            "{name}: {figure}"
        );
        let error = figure["error"].to_string();
        let digits = error.trim_start_matches(['0', '.']).trim_end_matches(".0");
        assert!(digits.trim_end_matches('0').len() <= 2, "{name}: {figure}");
    }
    let full = call!(pipe, "measure", {"function_id": 2, "figures": ["volume"], "digits": "full"});
    assert!(
        full["figures"]["volume"]["error"].to_string().len() > 8,
        "{full}"
    );
    let all = call!(pipe, "measure", {"function_id": 2, "cell": 1});
    assert!(
        all["figures"].as_object().map(serde_json::Map::len) > Some(14),
        "{all}"
    );
    for (arguments, expected) in cases![
        json!({"function_id": 2, "figures": ["volum"]}) => "did you mean volume?";
        json!({"function_id": 2, "figures": ["mass"]}) => "only with a density";
        json!({"function_id": 2, "density": 0}) => "above 0";
        json!({"function_id": 2, "density": 1, "to": {"function_id": 1}}) => "applies to one subject";
        json!({"function_id": 2, "digits": "some"}) => "significant";
    ] {
        refused(&mut pipe, "measure", &arguments, expected);
    }
}

#[test]
fn expressions_that_make_no_part_are_warned_of() {
    let mut pipe = Pipe::scratch(&[]);
    let create = |pipe: &mut Pipe, name: &str, expression: &str| {
        let arguments = json!({"name": name, "expression": expression});
        let answer = call!(pipe, "create_function_from_expression", &arguments);
        answer["warnings"].as_array().cloned().unwrap_or_default()
    };
    let ball = "let wall = 2; sphere(pos, 8 + wall)";
    assert_eq!(create(&mut pipe, "Ball", ball), [] as [Json; 0]);
    let warned = create(
        &mut pipe,
        "Cut",
        "subtract(Ball(pos), cylinder(pos, 3, 30))",
    );
    assert_eq!(warned.len(), 1, "{warned:?}");
    let text = warned[0].as_str().expect("a text");
    assert!(
        text.starts_with("Ball - cylinder subtracts two distances"),
        "{text}"
    );
    assert!(text.contains("write difference(a, b)"), "{text}");
    let id =
        call!(pipe, "list_functions", {"search": "Cut"})["functions"][0]["function_id"].clone();
    let arguments = json!({ "function_id": id });
    let refusal = refusal!(pipe, "render", &arguments);
    assert!(
        refusal.contains("unbounded_shape") && refusal.contains("difference(a, b)"),
        "{refusal}"
    );
    let warned = create(
        &mut pipe,
        "Right",
        "difference(Ball(pos), cylinder(pos, 3, 30))",
    );
    assert!(warned.is_empty(), "{warned:?}");
    let warned = create(
        &mut pipe,
        "Block",
        "let r = 4; rounded_box(pos, vec3(20, 20, 6), r)",
    );
    let limit =
        "rounded_box: radius must be at most 0.5 times the smallest number of size, 3, not 4";
    assert_eq!(warned, [limit]);
    let edits = json!({"edits": [
        {"create_function_from_expression": {"name": "Other", "expression": "torus(pos, 4, 5)"}},
    ]});
    let answer = call!(pipe, "apply_edits", &edits);
    let text = answer["warnings"][0].as_str().expect("a text");
    assert!(text.contains("minor_radius must be at most"), "{answer}");
}

#[test]
fn measures_tell_where_and_how_large() {
    let mut pipe = Pipe::scratch(&[]);
    // A block with a flat void, and a loose ball.
    let part = "let block = box(pos, vec3(12, 12, 8)); let void = box(pos - vec3(0, 0, 1), vec3(8, 8, 1));
                shape = min(max(block, -void), sphere(pos - vec3(12, 0, 0), 2)); core = sphere(pos, 3)";
    let part = json!({"name": "Part", "expression": part});
    let id = call!(pipe, "create_function_from_expression", &part)["function_id"].clone();
    let answer = call!(pipe, "measure", {"function_id": id, "output": "shape", "cell": 0.4, "at": [5, 0, 0], "slabs": 4,
        "figures": ["cavities", "gap", "voids", "pieces", "wall"]});
    let figures = &answer["figures"];
    assert_eq!(
        figures.as_object().map(serde_json::Map::len),
        Some(7),
        "{answer}"
    );
    assert_eq!(figures["cavities"]["value"], 1);
    assert_eq!(figures["gap"]["kind"], "cavity");
    let within = |figure: &Json, expected: f64| {
        let number = |name: &str| figure[name].as_f64().expect("a number");
        let off = (number("value") - expected).abs();
        assert!(off <= number("error"), "{figure}, {expected}");
        assert!(number("error") <= 0.2 * expected, "{figure}, {expected}");
    };
    within(&figures["voids"][0], 64.0);
    within(&figures["pieces"][0], 12.0 * 12.0 * 8.0);
    within(
        &figures["pieces"][1],
        4.0 / 3.0 * std::f64::consts::PI * 8.0,
    );
    let low = &figures["pieces"][1]["bounds"][0][0];
    assert!(
        (low.as_f64().expect("a number") - 10.0).abs() < 0.05,
        "{figures}"
    );
    within(&figures["thickness"], 12.0);
    let slabs = figures["slabs"].as_array().expect("a list");
    assert_eq!(slabs.len(), 4);
    within(&slabs[0], 12.0 * 12.0 * 2.0);
    let box_of_slab = 2.0 * 12.0 * 20.0;
    let fraction = slabs[0]["fraction"].as_f64().expect("a number");
    assert!((fraction - 288.0 / box_of_slab).abs() < 0.01, "{slabs:?}");
    // Outside there is no wall.
    let answer = call!(pipe, "measure",
        {"function_id": id, "cell": 1, "at": [0, 0, 30], "figures": ["thickness"]});
    assert_eq!(answer["figures"]["thickness"], Json::Null);
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains("outside of the material"), "{warnings}");
    for (arguments, expected) in cases![
        json!({"function_id": id, "figures": ["thickness"]}) => "only with at, a point";
        json!({"function_id": id, "figures": ["slabs"]}) => "only with slabs, their number";
        json!({"function_id": id, "slabs": 0}) => "from 1 to 200";
        json!({"function_id": id, "axis": "x"}) => "axis is that of slabs";
        json!({"function_id": id, "slabs": 2, "axis": "w"}) => "axis";
        json!({"function_id": id, "at": [1, 2, 3], "to": {"function_id": 1}}) => "at applies to one subject";
        json!({"function_id": id, "each": true, "output": "shape"}) => "output does not apply";
        json!({"function_id": id, "each": true, "figures": ["volum"]}) => "did you mean volume?";
        json!({"each": true}) => "there are no objects to measure";
    ] {
        refused(&mut pipe, "measure", &arguments, expected);
    }
}

#[test]
fn feather_edges_are_no_walls() {
    let mut pipe = Pipe::scratch(&[]);
    let wedge = "let c = 0.9659258; let s = 0.2588190;
                 max(max(c*y - s*x, 0 - c*y - s*x), max(x - 6, abs(z) - 5))";
    let wedge = json!({"name": "Wedge", "expression": wedge});
    call!(pipe, "create_function_from_expression", &wedge);
    let answer = call!(pipe, "measure",
        {"function_id": 1, "cell": 0.4, "figures": ["wall", "feather_edge"]});
    let edge = &answer["figures"]["feather_edge"];
    let angle = edge["value"].as_f64().expect("a number");
    assert!((angle - 30.0).abs() < 0.1, "{edge}");
    assert_eq!(edge["unit"], "degree");
    let wall = answer["figures"]["wall"]["value"].as_f64();
    assert!(wall > Some(9.5), "{answer}");
    assert!(
        answer["warnings"]
            .to_string()
            .contains("meet at 30 degrees"),
        "{answer}"
    );
}

#[test]
fn all_objects_and_outputs_are_measured_in_one_call() {
    let mut pipe = with_ball(Pipe::scratch(&[]));
    let two = json!({"name": "Two", "expression": "small = length(pos) - 2; large = length(pos) - 4; all = -1 + 0*x"});
    call!(pipe, "create_function_from_expression", &two);
    let answer = call!(pipe, "measure", {"function_id": "Two", "each": true, "cell": 0.4});
    let each = answer["each"].as_array().expect("a list");
    assert_eq!(answer["of"], json!(["small", "large", "all"]));
    for (subject, radius) in each.iter().zip([2.0_f64, 4.0]) {
        let figures = subject["figures"].as_object().expect("an object");
        assert_eq!(figures.keys().collect::<Vec<_>>(), ["bounds", "volume"]);
        let volume = figures["volume"]["value"].as_f64().expect("a number");
        let expected = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        assert!((volume / expected - 1.0).abs() < 0.05, "{subject}");
    }
    assert!(
        each[2]["error"]
            .as_str()
            .is_some_and(|text| text.starts_with("unbounded_shape")),
        "{answer}"
    );
    call!(pipe, "apply_edits", {"edits": [
        {"create_level_set": {"function_id": 1, "name": "One", "bounds": [[-6, -6, -6], [6, 6, 6]]}},
        {"create_level_set": {"function_id": "Two", "channel": "large", "name": "Other", "bounds": [[-6, -6, -6], [6, 6, 6]]}},
    ]});
    let answer =
        call!(pipe, "measure", {"each": true, "cell": 0.4, "figures": ["volume"], "density": 2});
    let each = answer["each"].as_array().expect("a list");
    assert_eq!(each.len(), 2);
    assert!(
        each[1]["of"]
            .as_str()
            .is_some_and(|text| text.ends_with("'Other'")),
        "{answer}"
    );
    assert!(
        each.iter().all(|subject| subject["object_id"].is_u64()),
        "{answer}"
    );
    let mass = each[1]["figures"]["mass"]["value"]
        .as_f64()
        .expect("a number");
    assert!((mass - 2.0 * 0.268).abs() < 0.02, "{answer}");
}
