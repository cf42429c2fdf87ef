//! Texts that agents read: the tools, the instructions and the refusals, each in a file that people review.
//!
//! docs/tools.md is generated; `FIBULA_BLESS=1 cargo test --test agents surface` writes it anew.

pub(crate) mod page;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fibula::mcp::{Options, Server, TOOLSETS, Toolset};
use fibula::service::Service;
use rmcp::model::Tool;
use serde_json::{Value as Json, json};

use crate::talk::{Pipe, zip};

fn server(toolsets: &[Toolset]) -> Server {
    let options = Options {
        toolsets: toolsets.to_vec(),
        ..Options::default()
    };
    Server::new(Arc::new(Service::default()), &options)
}

fn tools(toolsets: &[Toolset]) -> Vec<Tool> {
    server(toolsets).tools().to_vec()
}

#[test]
fn what_every_agent_pays_for_is_short() {
    let tokens = |tools: &[Tool]| serde_json::to_string(tools).expect("tools are JSON").len() / 4;
    let all = tokens(&tools(&Toolset::DEFAULT));
    assert!(all <= 8_000, "the tools cost {all} tokens");
    for tool in tools(TOOLSETS) {
        let own = tokens(std::slice::from_ref(&tool));
        assert!(own < 700, "{} costs {own} tokens", tool.name);
    }
    let length = server(&Toolset::DEFAULT).instructions().len();
    assert!(length <= 1_536, "the instructions have {length} bytes");
}

/// Each argument that is listed has a description, no nested members, and what is not listed is accepted and documented.
#[test]
fn what_is_listed_is_described_and_the_rest_is_accepted() {
    let server = server(&Toolset::DEFAULT);
    assert!(server.tools().len() <= 32, "{}", server.tools().len());
    for listed in server.tools() {
        let name = &listed.name;
        let whole = server.tool(name).expect("it is listed");
        let [own, all] = [&listed.input_schema, &whole.input_schema]
            .map(|schema| schema["properties"].as_object().expect("properties"));
        for (argument, schema) in own {
            let text = schema["description"].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{name}.{argument} has no description");
            assert!(
                text.len() <= 300 || name == "apply_edits",
                "{name}.{argument}: {text}"
            );
            let has_members =
                schema.get("properties").is_some() || schema["items"].get("properties").is_some();
            assert!(
                !has_members,
                "{name}.{argument}: its description names not all members"
            );
        }
        let text = listed.description.as_deref().expect("a description");
        let common = [
            "cursor",
            "dry_run",
            "expected_revision",
            "limit",
            "revision",
        ];
        for argument in all.keys().filter(|argument| !own.contains_key(*argument)) {
            let is_named =
                text.contains(argument) || server.instructions().contains(argument.as_str());
            assert!(is_named, "{name}.{argument} is named nowhere");
            assert!(
                common.contains(&argument.as_str()) || text.contains("Also: "),
                "{name}.{argument}"
            );
        }
        for argument in whole
            .input_schema
            .get("required")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
        {
            let argument = argument.as_str().expect("a name");
            assert!(own.contains_key(argument), "{name}.{argument} is required");
        }
    }
    // The fields of the answers that matter most.
    for name in ["apply_edits", "evaluate", "get_function", "measure"] {
        let fields = |tool: &Tool| {
            let schema = tool.output_schema.as_deref().expect("it answers");
            let fields = schema["properties"].as_object().expect("fields");
            fields.keys().cloned().collect::<Vec<_>>()
        };
        let listed = server
            .tools()
            .iter()
            .find(|tool| tool.name == name)
            .expect("listed");
        assert_eq!(
            fields(listed),
            fields(server.tool(name).expect("listed")),
            "{name}"
        );
    }
}

/// Arguments that are not listed are accepted all the same.
#[test]
fn rare_arguments_are_accepted() {
    let mut pipe = Pipe::scratch(&[]);
    let made = json!({ "name": "Ball", "expression": "length(pos) - 5", "dry_run": true, "expected_revision": 0 });
    assert_eq!(
        call!(pipe, "create_function_from_expression", &made)["dry_run"],
        true
    );
    call!(pipe, "create_function_from_expression", { "name": "Ball", "expression": "length(pos) - 5" });
    for (tool, arguments) in [
        (
            "measure",
            json!({ "function_id": 1, "digits": "full", "figures": ["volume"], "revision": 1 }),
        ),
        (
            "evaluate",
            json!({ "function_id": 1, "arguments": { "pos": [1, 0, 0] }, "revision": 1 }),
        ),
        (
            "search_nodes",
            json!({ "query": "ball", "exact": true, "descending": true }),
        ),
        (
            "list_node_types",
            json!({ "search": "sine", "detail": "names", "limit": 2 }),
        ),
        (
            "analyze",
            json!({ "what": "communities", "weighted": true, "resolution": 2 }),
        ),
        ("list_projects", json!({ "deleted": true })),
        (
            "create_node",
            json!({ "function_id": 1, "node_type": "Sine", "node_id": 40 }),
        ),
        (
            "slice",
            json!({ "function_id": 1, "heights": [0], "tolerance": 0.1, "time_limit": 20 }),
        ),
    ] {
        call!(pipe, tool, &arguments);
    }
    let refused = refusal!(pipe, "analyze", { "weigthed": true });
    assert!(refused.contains("did you mean `weighted`?"), "{refused}");
}

/// Texts of the prompts of a server, by name.
fn prompts(toolsets: &str, more: &[&str]) -> BTreeMap<String, String> {
    let mut pipe = Pipe::scratch(&[&["--toolsets", toolsets], more].concat());
    let list = pipe.ask("prompts/list", &json!({}));
    let list = list["result"]["prompts"].as_array().expect("a list");
    let said = list.iter().map(|prompt| {
        let name = prompt["name"].as_str().expect("a name");
        let arguments = prompt["arguments"].as_array().into_iter().flatten();
        let arguments: serde_json::Map<String, Json> = arguments
            .filter(|argument| argument["required"] == true || argument["name"] == "function_id")
            .map(|argument| {
                let name = argument["name"].as_str().expect("a name");
                let value = if name == "function_id" {
                    "1"
                } else {
                    "what is wanted"
                };
                (name.to_owned(), value.into())
            })
            .collect();
        let given = json!({"name": name, "arguments": arguments});
        let said = pipe.ask("prompts/get", &given);
        let text = &said["result"]["messages"][0]["content"]["text"];
        let text = text.as_str().unwrap_or_else(|| panic!("{name}: {said}"));
        (name.to_owned(), text.to_owned())
    });
    said.collect()
}

/// Beside other toolsets the tools of a profile have a prefix, in descriptions as well.
#[test]
fn descriptions_name_tools_as_they_are_listed() {
    let memory = Toolset::find(TOOLSETS, "memory").expect("a toolset");
    let described = |toolsets: &[Toolset], tool: &str| {
        let server = server(toolsets);
        let tool = server.tool(tool).expect("a tool");
        tool.description.clone().unwrap_or_default()
    };
    let alone = described(&[memory], "read_graph");
    assert_contains!(&alone => "use search_nodes or open_nodes");
    let beside = described(&[Toolset::DEFAULT[0], memory], "memory_read_graph");
    assert_contains!(&beside => "use memory_search_nodes or memory_open_nodes");
    assert!(
        beside.starts_with("Read the entire knowledge graph"),
        "{beside}"
    );
}

/// Names of tools that are plain words, too.
const ENGLISH: [&str; 4] = ["import", "list", "update", "export"];

#[test]
fn prompts_tell_of_tools_that_are_there() {
    let names = |toolsets: &[Toolset]| -> BTreeSet<String> {
        let tools = tools(toolsets);
        tools.into_iter().map(|tool| tool.name.into()).collect()
    };
    let all: BTreeSet<String> = TOOLSETS
        .iter()
        .flat_map(|toolset| names(&[*toolset]))
        .collect();
    let default = Toolset::DEFAULT;
    let each = TOOLSETS.iter().map(std::slice::from_ref);
    for toolsets in each.chain([&default[..]]) {
        let own = names(toolsets);
        let given: Vec<&str> = toolsets.iter().map(|toolset| toolset.name()).collect();
        let said = prompts(&given.join(","), &[]);
        if toolsets.len() > 1 {
            let expected = [
                "design_a_part",
                "explain_function",
                "map_a_codebase",
                "review_design_intent",
                "visualize_this_text",
            ];
            assert_eq!(said.keys().collect::<Vec<_>>(), expected);
        }
        assert_eq!(
            said.contains_key("visualize_this_text"),
            own.contains("add_nodes") || own.contains("graph_ingest_node"),
            "{given:?}"
        );
        let mut said = said;
        said.insert(
            "the instructions".to_owned(),
            server(toolsets).instructions().to_owned(),
        );
        for (prompt, text) in said {
            let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let told: BTreeSet<&str> = words
                .filter(|word| all.contains(*word) && !ENGLISH.contains(word))
                .collect();
            // What draws graphs is told of with an if.
            let missing = told
                .iter()
                .find(|&&tool| !own.contains(tool) && tool != "render_graph");
            assert_eq!(missing, None, "{prompt} of {given:?}");
            let is_prompt = prompt != "the instructions";
            assert!(!is_prompt || !told.is_empty(), "{prompt} of {given:?}");
        }
    }
    let options = Options {
        toolsets: default.to_vec(),
        read_only: true,
        ..Options::default()
    };
    let reading = Server::new(Arc::new(Service::default()), &options);
    let own: BTreeSet<&str> = reading.tools().iter().map(|tool| &*tool.name).collect();
    let words = reading
        .instructions()
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let told: BTreeSet<&str> = words
        .filter(|word| all.contains(*word) && !ENGLISH.contains(word))
        .collect();
    assert!(told.len() >= 6 && told.is_subset(&own), "{told:?}");
    let found = prompts("project,function,geometry,knowledge", &["--read-only"]).len();
    assert_eq!(found, 1, "only explaining changes nothing");
}

#[test]
fn schemas_are_plain() {
    fn walk(at: &str, schema: &Json) {
        match schema {
            Json::Object(members) => {
                for (key, value) in members {
                    assert!(
                        !matches!(key.as_str(), "$ref" | "$defs" | "$schema" | "format"),
                        "{at} has {key}"
                    );
                    // The function of a request: its id or its name.
                    let is_key = *value == json!(["integer", "string"]);
                    let is_plain = key != "type" || !value.is_array() || is_key;
                    assert!(is_plain, "{at} has several types");
                    walk(&format!("{at}.{key}"), value);
                }
            }
            Json::Array(items) => items.iter().for_each(|item| walk(at, item)),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }
    for tool in tools(TOOLSETS) {
        // What is a picture has none.
        let output = tool.output_schema.as_deref();
        let output = output.map(|output| ("output", output));
        for (side, schema) in [("input", &*tool.input_schema)].into_iter().chain(output) {
            assert_eq!(schema["type"], "object", "{} {side}", tool.name);
            let properties = schema
                .get("properties")
                .cloned()
                .unwrap_or_else(|| json!({}));
            // A field may be called "format"; a schema must have none.
            for (name, property) in properties.as_object().expect("an object") {
                walk(&format!("{} {side} {name}", tool.name), property);
            }
        }
    }
}

/// Every refusal through the tools, as agents read it. Calls marked `ok` prepare those that follow.
#[expect(clippy::too_many_lines, reason = "a table")]
fn refusals() -> Vec<(&'static str, Json)> {
    let link = |function: u32, from: u32, port: &str, to: u32, parameter: &str| {
        let ends = json!({ "function_id": function, "source_node_id": from, "source_port_name": port,
                           "target_node_id": to, "target_parameter_name": parameter });
        ("create_link", ends)
    };
    let node = |function: u32, kind: &str| {
        (
            "create_node",
            json!({ "function_id": function, "node_type": kind }),
        )
    };
    let set = |function: u32, node: u32, name: &str, value: Json| {
        let arguments = json!({ "function_id": function, "node_id": node, "parameter_name": name, "value": value });
        ("set_parameter_value", arguments)
    };
    let expression = |name: &str, text: &str| {
        (
            "create_function_from_expression",
            json!({ "name": name, "expression": text }),
        )
    };
    let evaluate = |id: u32, arguments: Json| {
        (
            "evaluate",
            json!({ "function_id": id, "arguments": arguments }),
        )
    };
    let edits = |edits: Json| ("apply_edits", json!({ "edits": edits }));
    let base64 = |bytes: &[u8]| json!({ "content": STANDARD.encode(bytes) });
    vec![
        ("undo", json!({})),
        ("undo", json!({ "redo": true })),
        expression("MyAdder", "0"),
        node(1, "ConstantScalar"),
        node(1, "ConstantVector"),
        node(1, "Addition"),
        node(1, "Addition"),
        node(1, "ComposeVector"),
        link(1, 1, "Value", 3, "A"),
        link(1, 3, "Result", 4, "A"),
        evaluate(1, json!({})),
        link(1, 3, "Result", 0, "Shape"),
        evaluate(1, json!({})),
        ("list_functions", json!({ "project": "defalt" })),
        ("get_function", json!({ "function_id": 9 })),
        ("get_node_info", json!({ "function_id": 1, "node_id": 33 })),
        node(1, "ConstScalar"),
        link(1, 1, "Valeu", 3, "B"),
        link(1, 1, "Value", 3, "C"),
        link(1, 2, "Vector", 5, "X"),
        link(1, 2, "Vector", 3, "B"),
        link(1, 3, "Result", 3, "B"),
        link(1, 4, "Result", 3, "B"),
        link(1, 1, "Value", 0, "Shape"),
        set(1, 3, "A", json!(1)),
        set(1, 1, "Value", json!("five")),
        set(1, 2, "Vector", json!([1, 2])),
        ("create_node", json!({ "function_id": 1, "node_type": "Sine", "node_id": 3 })),
        ("delete_node", json!({ "function_id": 1, "node_id": 0 })),
        ("delete_link", json!({ "function_id": 1, "target_node_id": 3, "target_parameter_name": "B" })),
        ("create_project", json!({ "project": "default" })),
        ("create_project", json!({ "project": "a/b" })),
        expression("", "0"),
        expression("Ball", "length(pos) - 5"),
        expression("Caller", "Ball(pos) + 1"),
        edits(json!([{ "delete_function": { "function_id": 2 } }])),
        edits(json!([{ "create_node": { "function_id": 2, "node_type": "FunctionCall", "parameters": { "functionID": 3 } } }])),
        edits(json!([{ "create_node": { "function_id": 3, "node_type": "Mesh", "node_id": 90, "parameters": { "mesh": 2 } } }])),
        edits(json!([{ "remove_image_function": { "resource_id": 44 } }])),
        evaluate(2, json!({})),
        evaluate(2, json!({ "p": [0, 0, 0] })),
        evaluate(2, json!({ "pos": 1 })),
        evaluate(2, json!([{ "pos": [0, 0, 0] }, {}])),
        ("evaluate", json!({ "function_id": 2, "arguments": [{ "pos": [0, 0, 0] }, { "pos": [0, 0, 0] }], "trace": true })),
        ("evaluate", json!({ "function_id": 2, "arguments": { "pos": [0, 0, 0] }, "outputs": ["shap"] })),
        edits(json!([{ "create_node": { "function_id": 3, "node_type": "Mesh", "node_id": 91, "parameters": { "mesh": 77, "pos": [0, 0, 0] } } },
                     { "create_link": { "source_node_id": 91, "source_port_name": "distance", "target_node_id": 0, "target_parameter_name": "shape", "replace": true } }])),
        evaluate(3, json!({ "pos": [0, 0, 0] })),
        edits(json!([{ "create_node": { "function_id": 1, "node_type": "Sine", "node_id": "$a" } },
                     { "create_node": { "function_id": 1, "node_type": "Sine", "node_id": "$a" } }])),
        edits(json!([{ "create_link": { "function_id": 1, "source_node_id": "$b", "source_port_name": "result", "target_node_id": 4, "target_parameter_name": "B" } }])),
        edits(json!([{ "create_nod": { "function_id": 1 } }])),
        edits(json!([{ "create_node": { "function_id": 1, "type": "Sine" } }])),
        edits(json!([{ "create_node": { "function_id": 1, "node_type": "Sine", "node_id": "sum" } }])),
        edits(json!([{ "paint": { "function_id": 1 } }])),
        edits(json!([{ "create_link": { "function_id": 1, "source_node_id": 3 } }])),
        edits(json!([{ "set_function": { "name": "F", "nodes": [{ "type": "Sine" }] } }])),
        edits(json!([{ "create_node": { "function_id": 1, "node_type": "Sine" } },
                     { "create_link": { "source_node_id": 4, "source_port_name": "result", "target_node_id": 3, "target_parameter_name": "B" } }])),
        ("create_node", json!({ "function_id": 1, "node_type": "Sine", "expected_revision": 3 })),
        ("create_node", json!({ "function_id": 1, "node_type": "Sine", "expected_revision": 99 })),
        ("create_node", json!({ "functon_id": 1, "node_type": 5 })),
        ("list_functions", json!({ "cursor": "next" })),
        ("list_functions", json!({ "limit": 0 })),
        expression("F", "2 * (x"),
        expression("F", "2 % 3"),
        expression("F", "lenght(pos)"),
        expression("F", "let a = 1; a.w"),
        expression("F", "clamp(x)"),
        expression("F", "pos + sin(pos) < 1 ? 1 : 2"),
        expression("F", "let a = 1; let a = 2; a"),
        ("create_function_from_expression", json!({ "name": "F", "expression": "x + y", "arguments": [{ "name": "x", "type": "float" }] })),
        ("create_function_from_expression", json!({ "name": "F", "expression": "x", "outputs": [{ "name": "a", "type": "float" }, { "name": "b", "type": "float" }] })),
        ("get_function", json!({ "function_id": 1, "format": "expression" })),
        ("import", json!({})),
        ("import", json!({ "path": "no such file.3mf" })),
        ("import", json!({ "path": "../part.3mf" })),
        ("import", json!({ "content": "?" })),
        ("import", base64(b"solid teapot")),
        ("import", base64(&zip("a.txt", b"a"))),
        ("import", base64(&zip("3D/3dmodel.model", b"<model xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\"><resources/><build/></model>")[..50])),
        ("import", base64(&package("<resources/><build/>"))),
        ("create_lnk", json!({})),
        expression("Undo", "0"),
        ("apply_edits", json!({ "label": "the rework", "edits": [{ "create_node": { "function_id": 1, "node_type": "Sine", "node_id": 40 } }] })),
        set(1, 40, "A", json!(1)),
        ("undo", json!({ "revision": 15 })),
        ("undo", json!({ "revision": 16 })),
        ("undo", json!({ "revision": 16 })),
        ("undo", json!({ "revision": 99 })),
        ("undo", json!({ "revision": 16, "redo": true })),
        ("get_function", json!({ "function_id": 1, "revision": 99 })),
        ("checkpoint", json!({ "name": "done" })),
        ("checkpoint", json!({ "name": "done" })),
        ("undo", json!({ "revision": 18 })),
        ("restore", json!({})),
        ("restore", json!({ "checkpoint": "doen" })),
        ("restore", json!({ "checkpoint": "done" })),
        ("rename_project", json!({ "project": "default", "name": "default" })),
        ("delete_project", json!({ "project": "brakcet" })),
        ("delete_project", json!({ "project": "default", "expected_revision": 1 })),
        ("restore_project", json!({ "project": "bracket" })),
        ("duplicate_project", json!({ "project": "default", "name": "other", "revision": 99 })),
        ("redact", json!({ "text": "ab" })),
        ("redact", json!({ "text": "nobody wrote this" })),
        ("compact", json!({ "revision": 99 })),
        ("compact", json!({ "revision": 3 })),
        ("get_function", json!({ "function_id": 1, "revision": 2 })),
    ]
}

/// A 3MF package whose model has this inside.
fn package(inside: &str) -> Vec<u8> {
    let model = format!(
        "<?xml version=\"1.0\"?><model xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\">{inside}</model>"
    );
    // The snapshot shows these bytes.
    let relations = "<?xml version=\"1.0\"?>\
        <Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
        <Relationship Target=\"/3D/3dmodel.model\" Id=\"r\" \
        Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>";
    crate::archive::archive(&[
        ("_rels/.rels", relations.as_bytes()),
        ("3D/3dmodel.model", model.as_bytes()),
    ])
}

#[test]
fn refusals_say_what_is_true_and_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let names: Vec<_> = TOOLSETS.iter().map(|toolset| toolset.name()).collect();
    let names = names.join(",");
    let mut pipe = Pipe::new(&["--toolsets", &names], folder.path());
    let root = folder.path().canonicalize().expect("it is there");
    let root = root.to_str().expect("a plain path");
    let (mut text, mut codes) = (String::new(), BTreeSet::new());
    for (tool, arguments) in refusals() {
        let said = match pipe.call(tool, &arguments) {
            Ok(_) => "ok".to_owned(),
            Err(refusal) => {
                codes.insert(refusal.split(':').next().unwrap_or_default().to_owned());
                refusal.replace(root, "FOLDER")
            }
        };
        let mut asked = arguments.to_string();
        if let Some((end, _)) = asked.char_indices().nth(300) {
            asked.truncate(end);
            asked.push('…');
        }
        let _ = writeln!(text, "{tool} {asked}\n  {}\n", said.replace('\n', "\n  "));
    }
    let codes: Vec<String> = codes.into_iter().collect();
    let _ = writeln!(text, "codes: {}", codes.join(", "));
    insta::assert_snapshot!(text);
}
