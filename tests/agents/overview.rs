//! Overviews of projects, and images that are functions.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rmcp::model::CallToolResult;
use serde_json::{Value as Json, json};

use crate::agent::{Running, agent, request};
use crate::archive::{RELATIONSHIPS, archive};
use crate::talk::Http;

const MODEL: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<model unit="inch" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
 xmlns:v="http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01"
 xmlns:i="http://schemas.3mf.io/3dmanufacturing/implicit/2023/12">
<resources>
<v:image3d id="80" name="cloud"><v:imagestack rowcount="2" columncount="3" sheetcount="2">
<v:imagesheet path="/volume/a.png"/><v:imagesheet path="/volume/a.png"/></v:imagestack></v:image3d>
<v:functionfromimage3d id="70" displayname="picture" image3did="80" valueoffset="-0.5" valuescale="2"
 tilestyleu="clamp" tilestylev="clamp" tilestylew="clamp" filter="nearest"/>
<object id="40" name="corner"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="6" y="0" z="0"/>
<vertex x="0" y="6" z="0"/><vertex x="0" y="0" z="6"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/>
<triangle v1="0" v2="1" v3="3"/><triangle v1="1" v2="2" v3="3"/><triangle v1="2" v2="0" v3="3"/></triangles></mesh></object>
</resources><build><item objectid="40"/></build></model>"#;

const TYPES: &str = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/>
<Default Extension="png" ContentType="image/png"/></Types>"#;

const SHEETS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dtexture" Target="/volume/a.png" Id="r1"/>
</Relationships>"#;

/// A package with an image function of 3 columns and 2 rows, 70, and a mesh, 40.
fn picture() -> String {
    let mut sheet = Vec::new();
    let mut encoder = png::Encoder::new(&mut sheet, 3, 2);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().expect("a header");
    let grey = [0, 51, 102, 153, 204, 255];
    writer.write_image_data(&grey).expect("pixels");
    writer.finish().expect("an end");
    BASE64.encode(archive(&[
        ("[Content_Types].xml", TYPES.as_bytes()),
        ("_rels/.rels", RELATIONSHIPS.as_bytes()),
        ("3D/_rels/3dmodel.model.rels", SHEETS.as_bytes()),
        ("3D/3dmodel.model", MODEL.as_bytes()),
        ("volume/a.png", &sheet),
    ]))
}

/// The text of a refusal.
async fn refusal(client: &Running, tool: &str, arguments: Json) -> String {
    let result: CallToolResult = client
        .call_tool(request(tool, arguments))
        .await
        .expect("an answer");
    assert_eq!(result.is_error, Some(true), "{tool}: {result:?}");
    let text = result.content[0].as_text().expect("a text");
    text.text.clone()
}

fn ids(list: &Json, member: &str) -> Vec<u64> {
    let list = list.as_array().expect("a list").iter();
    list.map(|one| one[member].as_u64().expect("an id"))
        .collect()
}

#[tokio::test]
async fn an_image_function_is_a_function_everywhere() {
    let (client, _progress) = agent(&[]).await;
    let imported = ask!(client, "import", { "content": picture() });
    assert_eq!(ids(&imported["functions"], "function_id"), [70]);
    // `import` lists the objects and resources that it made, with their sizes.
    let resources = json!([
        {
            "object_id": 40, "kind": "mesh", "name": "corner", "triangles": 4,
            "bounds": [[0.0, 0.0, 0.0], [6.0, 6.0, 6.0]],
        },
        { "resource_id": 80, "kind": "image", "name": "cloud", "size": [3, 2, 2] },
    ]);
    assert_eq!(imported["resources"], resources);

    let listed = ask!(client, "list_functions", {});
    assert_eq!(ids(&listed["functions"], "function_id"), [70]);
    let projects = ask!(client, "list_projects", {});
    assert_eq!(projects["projects"][0]["functions"], 1, "{projects}");

    // Each channel is twice its value less a half.
    let points = json!([{ "pos": [0.1, 0.9, 0.5] }, { "pos": [0.9, 0.1, 0.5] }]);
    let evaluated = ask!(client, "evaluate", { "function_id": 70, "arguments": points });
    let reds: Vec<f64> = (0..2)
        .map(|place| {
            evaluated["values"][place]["red"]
                .as_f64()
                .expect("a number")
        })
        .collect();
    let calling = json!({ "name": "Call", "expression": "call(70, pos).red" });
    let called = ask!(client, "create_function_from_expression", calling);
    let points = json!([{ "pos": [0.1, 0.9, 0.5] }, { "pos": [0.9, 0.1, 0.5] }]);
    let id = called["function_id"].clone();
    let same = ask!(client, "evaluate", { "function_id": id, "arguments": points });
    for (place, red) in reds.iter().enumerate() {
        assert_eq!(same["values"][place]["shape"], *red, "{same}");
    }
    let delete = |id: &Json| json!({ "edits": [{ "delete_function": { "function_id": id } }] });
    let text = refusal(&client, "apply_edits", delete(&json!("picture"))).await;
    assert!(text.contains("(Call) calls it"), "{text}");
    ask!(client, "apply_edits", delete(&id));
    ask!(client, "apply_edits", delete(&json!("picture")));
    assert_eq!(ask!(client, "list_functions", {})["total"], 0);
    ask!(client, "undo", {});
    ask!(client, "undo", {});
    let mut sorted = reds.clone();
    sorted.sort_by(f64::total_cmp);
    assert_eq!(sorted, [-0.5, 1.5]);
    let region = json!({ "from": [0, 0, 0.5], "to": [1, 1, 0.5], "counts": [4, 4, 1] });
    let sampled =
        ask!(client, "evaluate", { "function_id": 70, "region": region, "outputs": ["red"] });
    assert_fields!(&sampled["statistics"]["red"], { "min": -0.5, "max": 1.5 });

    // Two of six pixels are below a quarter, where the function is negative.
    let sliced = ask!(client, "slice", {
        "function_id": 70, "output": "red", "heights": [0.5], "bounds": [[0, 0, 0], [1, 1, 1]] });
    let area = sliced["slices"][0]["area"].as_f64().expect("a number");
    assert!((area - 1.0 / 3.0).abs() < 0.02, "{area}");

    for format in ["graph", "expression"] {
        let shown = ask!(client, "get_function", { "function_id": 70, "format": format });
        assert_fields!(&shown, { "name": "picture", "image": 80 });
        let next = shown["next"].as_str().expect("a text");
        assert!(next.contains("call(70, pos).red"), "{next}");
    }
    for (tool, arguments, expected) in [
        ("get_function", json!({ "function_id": 71 }), "70 (picture)"),
        (
            "get_node_info",
            json!({ "function_id": 70, "node_id": 1 }),
            "call(70, pos).red",
        ),
        (
            "evaluate",
            json!({ "function_id": 70, "outputs": ["rde"], "arguments": { "pos": [0, 0, 0] } }),
            "red",
        ),
        (
            "evaluate",
            json!({ "function_id": 70, "arguments": {} }),
            "pos: float3 is missing",
        ),
    ] {
        let refused = refusal(&client, tool, arguments).await;
        assert!(refused.contains(expected), "{tool}: {refused}");
    }
    client.cancel().await.expect("it ends");
}

#[tokio::test]
async fn one_call_answers_what_is_in_here() {
    let (client, _progress) = agent(&[]).await;
    let empty = ask!(client, "summarize", {});
    let contents = &empty["contents"];
    assert_fields!(contents, { "project": "default", "unit": "millimeter", "function_count": 0, "object_count": 0 });
    let next = contents["next"].as_str().expect("a text");
    assert!(next.contains("import a file"), "{next}");

    let plate =
        "let wall = 2; let size = vec3(4, 5, 6); max(length(pos / size) - 1, wall - length(pos))";
    let edits = json!([
        { "create_function_from_expression": { "name": "Plate", "expression": plate, "alias": "$plate" } },
        { "create_level_set": {
            "alias": "$part", "function_id": "$plate", "bounds": [[-6, -6, -6], [6, 6, 6]], "name": "Part", "build": false } },
        { "create_function_from_expression": { "name": "Unfinished", "expression": "0", "alias": "$open" } },
        { "create_node": { "function_id": "$open", "node_type": "Sine", "alias": "$sine" } },
        { "create_link": {
            "function_id": "$open", "source_node_id": "$sine", "source_port_name": "result",
            "target_node_id": 0, "target_parameter_name": "shape" } },
    ]);
    ask!(client, "apply_edits", { "edits": edits });
    ask!(client, "add_nodes", { "nodes": [{ "label": "Load", "types": "case" }, { "label": "Bolt", "types": "part" }] });
    let summary = ask!(client, "summarize", {});
    assert_eq!(summary["node_count"], 2);
    let contents = &summary["contents"];
    assert_eq!(contents["knowledge"], json!({ "nodes": 2, "edges": 0 }));
    assert_eq!(contents["build"], json!([]));
    let function = &contents["functions"][0];
    assert_fields!(function, { "name": "Plate", "inputs": ["pos: float3"], "outputs": ["shape: float"] });
    assert_eq!(
        function["parameters"],
        json!({ "wall": 2.0, "size": [4.0, 5.0, 6.0] })
    );
    let part = contents["objects"].as_array().expect("a list").iter();
    let part = part.filter(|object| object["name"] == "Part");
    let part = part.clone().next().expect("it is listed");
    assert_eq!(part["domain"], json!([[-6.0, -6.0, -6.0], [6.0, 6.0, 6.0]]));
    assert_eq!(part["bounds"], Json::Null, "{part}");
    let part = part["object_id"].clone();
    let warnings = contents["warnings"].to_string();
    for expected in [
        "(Unfinished) cannot be evaluated: one input is not set or linked yet",
        "the build is empty",
    ] {
        assert!(warnings.contains(expected), "{warnings}");
    }
    let next = contents["next"].as_str().expect("a text");
    for expected in [
        "set or link",
        "create_build_item",
        "measures: true",
        "search_nodes",
    ] {
        assert!(next.contains(expected), "{next}");
    }

    let edits = json!([{ "create_build_item": { "object_id": part } }]);
    ask!(client, "apply_edits", { "edits": edits });
    let summary = ask!(client, "summarize", {});
    let warnings = summary["contents"]["warnings"].to_string();
    assert!(
        warnings.contains("the build does not need 1 functions and resources"),
        "{warnings}"
    );
    assert!(warnings.contains("'Unfinished'"), "{warnings}");
    let build = json!([{ "item_id": 1, "object_id": part }]);
    assert_eq!(summary["contents"]["build"], build);

    // The other formats count.
    for format in ["brief", "stats", "contributors"] {
        let counted = ask!(client, "summarize", { "format": format });
        let counts = json!({ "functions": 2, "objects": 2, "build_items": 1, "resources": 0 });
        assert_eq!(counted["counts"], counts, "{counted}");
    }
    // Parts of the graph are summarized without the rest, as before.
    let some = ask!(client, "summarize", { "nodes": ["Load"] });
    assert!(some.get("contents").is_none(), "{some}");
    let refused = refusal(
        &client,
        "summarize",
        json!({ "nodes": ["Load"], "measures": true }),
    )
    .await;
    assert!(refused.starts_with("invalid_arguments"), "{refused}");
    client.cancel().await.expect("it ends");
}

#[tokio::test]
async fn long_lists_are_truncated_and_say_so() {
    let wide = |side: &str| -> Vec<Json> {
        let name = |number| format!("{side} {number} {}", "x".repeat(200));
        (0..100)
            .map(|number| json!({ "name": name(number), "type": "float" }))
            .collect()
    };
    let (client, _progress) = agent(&[]).await;
    let edits: Vec<Json> = (0..60)
        .map(|number| {
            let name = format!("f{number}");
            json!({ "create_function_from_expression": { "name": name, "expression": "length(pos) - 1" } })
        })
        .collect();
    ask!(client, "apply_edits", { "edits": edits });
    let summary = ask!(client, "summarize", {});
    let contents = &summary["contents"];
    assert_eq!(contents["functions"].as_array().map(Vec::len), Some(50));
    assert_fields!(contents, { "function_count": 60, "truncated": true });
    let edits: Vec<Json> = (0..60)
        .map(|number| {
            let function = json!({ "function_id": number + 100, "name": "W", "inputs": wide("i"), "outputs": wide("o") });
            json!({ "set_function": function })
        })
        .collect();
    ask!(client, "apply_edits", { "edits": edits });
    let edits: Vec<Json> = (1..61)
        .map(|id| json!({ "delete_function": { "function_id": id } }))
        .collect();
    ask!(client, "apply_edits", { "edits": edits });
    let summary = ask!(client, "summarize", {});
    let bytes = summary.to_string().len();
    assert!(bytes < 28_000, "{bytes}");
    let shown = summary["contents"]["functions"].as_array().expect("a list");
    assert!((1..20).contains(&shown.len()), "{}", shown.len());
    assert_eq!(shown[0]["inputs"][16], "... 100 in all");
    assert_eq!(summary["contents"]["truncated"], true);
    let next = summary["contents"]["next"].as_str().expect("a text");
    assert!(next.contains("list_functions has all"), "{next}");
    client.cancel().await.expect("it ends");
}

#[tokio::test]
async fn one_call_measures_every_object() {
    let (client, _progress) = agent(&[]).await;
    ask!(client, "import", { "content": picture() });
    let edits = json!([
        { "create_function_from_expression": { "name": "Ball", "expression": "length(pos) - 5", "alias": "$ball" } },
        { "create_level_set": {
            "function_id": "$ball", "bounds": [[-6, -6, -6], [6, 6, 6]], "name": "Ball", "alias": "$part" } },
        { "create_function_from_expression": { "name": "Nothing", "expression": "length(pos) + 1", "alias": "$none" } },
        { "create_level_set": { "function_id": "$none", "bounds": [[-6, -6, -6], [6, 6, 6]], "name": "Nothing" } },
    ]);
    ask!(client, "apply_edits", { "edits": edits });
    let summary = ask!(client, "summarize", { "measures": true });
    let objects = summary["contents"]["objects"].as_array().expect("a list");
    let named = |name: &str| {
        let found = objects.iter().find(|object| object["name"] == name);
        found.unwrap_or_else(|| panic!("{name}: {summary}"))
    };
    let corner = named("corner");
    assert_eq!(corner["bounds"], json!([[0.0, 0.0, 0.0], [6.0, 6.0, 6.0]]));
    assert_eq!(corner["volume"], 36.0);
    let cube = |half: f64| json!([[-half, -half, -half], [half, half, half]]);
    assert_fields!(named("Ball"), { "domain": cube(6.0), "bounds": cube(5.0) });
    let volume = named("Ball")["volume"].as_f64().expect("a number");
    assert!((volume - 523.6).abs() < 1.0, "{volume}");
    let nothing = named("Nothing");
    assert!(nothing.get("volume").is_none(), "{nothing}");
    let error = nothing["error"].as_str().expect("a text");
    assert!(error.contains("the function is nowhere below 0"), "{error}");
    client.cancel().await.expect("it ends");
}

#[test]
fn programs_read_the_overview_and_limit_its_time() {
    let http = Http::new(&[], None);
    let answer = http.call("import", &json!({ "content": picture() }));
    answer.expect("it is imported");
    let get = |query: &str| {
        let path = format!("/api/projects/default/overview{query}");
        let (status, _, body) = http.request("GET", &path, &[], b"");
        let body: Json = serde_json::from_str(&body).expect("JSON");
        (status, body)
    };
    let (status, overview) = get("");
    assert_eq!(status, 200, "{overview}");
    assert_fields!(&overview, { "unit": "inch", "function_count": 1, "object_count": 1, "build_item_count": 1 });
    assert_eq!(overview["functions"][0]["image"], 80);
    assert!(overview["objects"][0].get("volume").is_none());
    let (_, overview) = get("?measures=true&time_limit=10");
    assert_eq!(overview["objects"][0]["volume"], 36.0, "{overview}");
    let (status, refused) = get("?measures=true&time_limit=0");
    assert_eq!(status, 422, "{refused}");
}

/// Tools that take an object or a function.
const SHAPE_TOOLS: [&str; 4] = ["measure", "render", "slice", "export"];

/// The arguments with those that the tool requires.
fn with_required(tool: &str, mut arguments: Json) -> Json {
    match tool {
        "slice" => arguments["heights"] = json!([0]),
        "export" => arguments["format"] = json!("stl"),
        _ => {}
    }
    arguments
}

#[tokio::test]
async fn unknown_objects_and_functions_are_answered_with_those_that_there_are() {
    let (client, _progress) = agent(&[]).await;
    for tool in SHAPE_TOOLS {
        let arguments = with_required(tool, json!({ "object_id": 99 }));
        let refused = refusal(&client, tool, arguments).await;
        let expected = "this project has no objects";
        assert!(refused.contains(expected), "{tool}: {refused}");
    }
    ask!(client, "import", { "content": picture() });
    let ball = json!({ "name": "Ball", "expression": "length(pos) - 5" });
    ask!(client, "create_function_from_expression", ball);
    for tool in SHAPE_TOOLS {
        for (arguments, expected) in [
            (
                json!({ "object_id": 99 }),
                "there is no object 99; the objects are mesh 40 'corner'",
            ),
            (json!({ "object_id": 70 }), "pass function_id: 70"),
            (
                json!({ "object_id": 80 }),
                "the objects are mesh 40 'corner'",
            ),
            (json!({ "function_id": 99 }), "1 (Ball), 70 (picture)"),
        ] {
            let refused = refusal(&client, tool, with_required(tool, arguments.clone())).await;
            assert!(refused.contains(expected), "{tool} {arguments}: {refused}");
        }
    }
    client.cancel().await.expect("it ends");
}

/// The largest object of a sample is found by one call; files that are not there are skipped aloud.
#[tokio::test]
async fn samples_are_described_in_one_call() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/samples/3mf");
    let (client, _progress) = agent(&[]).await;
    for (name, functions, images, objects) in [
        ("SphereInACage_small.3mf", 8, 0, 2),
        ("SphereInACage_small.imagestack.3mf", 1, 1, 2),
    ] {
        let Ok(bytes) = std::fs::read(folder.join(name)) else {
            println!("skipped: there is no {name} at {}", folder.display());
            continue;
        };
        ask!(client, "create_project", { "project": name });
        let content = BASE64.encode(bytes);
        ask!(client, "import", { "project": name, "content": content });
        let summary = ask!(client, "summarize", { "project": name });
        let contents = &summary["contents"];
        assert_fields!(contents, { "function_count": functions, "object_count": objects, "build_item_count": 1 });
        let listed = contents["functions"].as_array().expect("a list").iter();
        let listed: Vec<&Json> = listed.filter(|one| one.get("image").is_some()).collect();
        assert_eq!(listed.len(), images, "{contents}");
        let projects = ask!(client, "list_projects", {});
        let projects = projects["projects"].as_array().expect("a list");
        let row = projects
            .iter()
            .find(|row| row["project"] == name)
            .expect("it is listed");
        assert_eq!(row["functions"], functions);
    }
    client.cancel().await.expect("it ends");
}
