//! Hostile requests: each is refused with its code and message, over both transports, and the server lives on.

mod packages;

use serde_json::{Value as Json, json};

use crate::talk::{Http, Pipe, call, outcome, zip};
use packages::{import, model, packages};

/// A message and how the text of its refusal begins.
type Case = (&'static str, Vec<u8>, &'static str);

fn tool(name: &str, arguments: &Json) -> Vec<u8> {
    call(1, name, arguments).to_string().into_bytes()
}

/// Arguments as text, for what no JSON library would write.
fn raw(name: &str, arguments: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{arguments}}}}}"#)
        .into_bytes()
}

fn link(from: u32, port: &str, to: u32, parameter: &str) -> Vec<u8> {
    let arguments = json!({ "function_id": 1, "source_node_id": from, "source_port_name": port,
                            "target_node_id": to, "target_parameter_name": parameter });
    tool("create_link", &arguments)
}

fn function(name: &str, expression: &str) -> Vec<u8> {
    tool(
        "create_function_from_expression",
        &json!({ "name": name, "expression": expression }),
    )
}

fn node(arguments: &Json) -> Vec<u8> {
    let mut whole = json!({ "function_id": 1, "node_type": "Addition" });
    let members = arguments.as_object().expect("an object").clone();
    whole.as_object_mut().expect("an object").extend(members);
    tool("create_node", &whole)
}

fn edits(edits: &Json) -> Vec<u8> {
    tool("apply_edits", &json!({ "edits": edits }))
}

/// Function 1 is `0`, and has the unset Addition 1.
#[expect(clippy::too_many_lines, reason = "a table")]
fn cases() -> Vec<Case> {
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let long = "x".repeat(10_000_000);
    let value = |text: &str| {
        raw(
            "set_parameter_value",
            &format!(r#"{{"function_id":1,"node_id":1,"parameter_name":"A","value":{text}}}"#),
        )
    };
    let bomb = zip("3D/3dmodel.model", &vec![b' '; 64 << 20]);
    Vec::from(cases![
        "a text for a number"
            => node(&json!({ "function_id": "x" })), "unknown_function: no function has the name 'x'";
        "a negative id"
            => node(&json!({ "function_id": -1 })), "invalid_arguments: `function_id` must be integer or name from 0";
        "a fraction for an id"
            => node(&json!({ "function_id": 1.5 })), "invalid_arguments: `function_id` must be integer";
        "an id beyond all" => node(&json!({ "function_id": 5_000_000_000_u64 })), "invalid_arguments: ";
        "a number for a name" => node(&json!({ "node_type": 5 })), "invalid_arguments: `node_type` must be string";
        "null for a needed argument"
            => node(&json!({ "node_type": null })), "invalid_arguments: `node_type` must be string";
        "an argument too many"
            => node(&json!({ "nodetype": "Sine" })), "invalid_arguments: `nodetype` is unknown, did you mean `node_type`?";
        "no arguments" => tool("create_link", &json!({})), "invalid_arguments: `function_id` is missing";
        "a list of arguments" => raw("create_node", "[]"), "-32602: tools/call: `arguments` must be an object";
        "NaN" => value("NaN"), "-32700: not JSON";
        "1e999" => value("1e999"), "-32700: unsupported JSON: number out of range";
        "1e308 times 10 as a text" => value("\"1e309\""), "invalid_value: A of node 1 (Addition)";
        "a value of another type" => value("true"), "invalid_value: A of node 1 (Addition)";
        "an object without sense" => value("{\"x\":{}}"), "invalid_value: A of node 1 (Addition)";
        "a value nested 20 000 deep" => value(&deep(20_000)), "-32700: unsupported JSON: recursion limit";
        "a value nested 100 deep" => value(&deep(100)), "invalid_value: A of node 1 (Addition)";
        "a number of 100 000 digits"
            => value(&"9".repeat(100_000)), "-32700: unsupported JSON: number out of range";
        "an empty name" => function("", "0"), "invalid_name: a function's name is empty";
        "a name of 10 MB" => function(&long, "0"), "invalid_name: a function's name has 10000000 bytes";
        "a name with a zero byte" => function("a\0b", "0"), "invalid_name: a function's name contains the control";
        "a name from right to left" => function("a\u{202e}b", "0"), "invalid_name: a function's name contains the control";
        "half a character" => raw("create_project", r#"{"project":"\ud800"}"#), "-32700: unsupported JSON: ";
        "bytes that are no text"
            => b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}".to_vec(), "-32700: not UTF-8: invalid byte at 34";
        "a display name of 10 MB"
            => node(&json!({ "display_name": long })), "invalid_name: a node's name has 10000000 bytes";
        "a kind of 10 MB" => node(&json!({ "node_type": long })), "unknown_node_type: unknown node type 'xxx";
        "a project of 10 MB" => node(&json!({ "project": long })), "unknown_project: there is no project 'xxx";
        "a project with a path"
            => tool("create_project", &json!({ "project": "../../etc" })), "invalid_name: '../../etc' is not a valid project name";
        "an unknown project"
            => node(&json!({ "project": "defualt" })), "unknown_project: there is no project 'defualt'; did you mean default?";
        "an unknown function" => node(&json!({ "function_id": 77 })), "unknown_function: ";
        "a taken id" => node(&json!({ "node_id": 1 })), "duplicate_id: ";
        "the id of End" => node(&json!({ "node_id": 0 })), "duplicate_id: ";
        "a second End" => node(&json!({ "node_type": "End" })), "protected_node: ";
        "a link to itself" => link(1, "result", 1, "A"), "self_link: ";
        "a link from End" => link(0, "shape", 1, "A"), "unknown_port: ";
        "a port of 10 MB" => link(1, &long, 0, "shape"), "unknown_port: node 1 (Addition) has no port 'xxx";
        "an expression of 10 MB" => function("F", &"1+".repeat(5_000_000)), "too_large: ";
        "an expression nested 100 000 deep" => function("F", &"(".repeat(100_000)), "too_deep: ";
        "points that are none"
            => tool("evaluate", &json!({ "function_id": 1, "arguments": [1] })), "invalid_arguments: arguments[0] is a number";
        "too many points"
            => tool(
            "evaluate",
            &json!({ "function_id": 1, "arguments": vec![json!({}); 100_001] }),
        ), "too_large: 100001 points are too many";
        "too many edits" => edits(&json!(vec![json!({}); 20_001])), "too_large: 20001 edits are too many";
        "an edit that is none" => edits(&json!([7])), "invalid_edit: edit 0: the edit is not an object";
        "an edit of two kinds"
            => edits(&json!([{ "create_node": {}, "delete_node": {} }])), "invalid_edit: edit 0: the edit has 2 members";
        "an alias of a longer name than all"
            => edits(
            &json!([{ "create_node": { "function_id": 1, "node_type": "Sine", "alias": "a".repeat(1000) } }]),
        ), "invalid_name: edit 0 (create_node): the alias '$aaa";
        "a bomb" => import(&bomb), "too_large: ";
        "half a zip" => import(&zip("3D/3dmodel.model", b"<model/>")[..60]), "truncated: ";
        "a zip without a model" => import(&zip("a.txt", b"a")), "no_model: ";
        "a zip with a path out" => import(&zip("../../etc/passwd", b"a")), "bad_path: ";
        "no zip" => import(b"hello"), "unknown_format: the file begins with 'hello'";
        "an item of nothing"
            => import(&model("", r#"<item objectid="5"/>"#)), "dangling_reference: m:1: build item 1: objectid refers to resource 5, which is not in the file";
        "an object in itself"
            => import(&model(
            r#"<object id="5"><components><component objectid="5"/></components></object>"#,
            "",
        )), "recursive_object: m:1: a resource cannot contain itself: 5 -> 5";
        "a triangle without vertices"
            => import(&model(
            r#"<object id="5"><mesh><triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh></object>"#,
            "",
        )), "unknown_vertex: m:1: a triangle refers to vertex 0, but its mesh has 0";
        "an image of 2 147 483 647 sheets outside of the package" => import(&model(
            r#"<v:image3d id="1"><v:imagestack rowcount="2147483647" columncount="2147483647" sheetcount="1">
            <v:imagesheet path="/../../etc/passwd"/></v:imagestack></v:image3d>"#,
            "",
        )), "dangling_reference: m:2: path=\"/../../etc/passwd\" is not a part of the package";
        "nothing" => import(b""), "unknown_format: the file is empty";
        "no base64" => tool("import", &json!({ "content": "!" })), "invalid_content: ";
        "a file elsewhere" => tool("import", &json!({ "path": "/etc/passwd" })), "forbidden_path: ";
        "a file up the tree" => tool("import", &json!({ "path": "../x.3mf" })), "forbidden_path: ";
        "a cursor that is none" => tool("list_functions", &json!({ "cursor": "x" })), "invalid_cursor: ";
        "no page at all" => tool("list_functions", &json!({ "limit": 0 })), "invalid_value: limit is 0";
        "an unknown tool"
            => tool("creat_node", &json!({})), "-32602: unknown tool creat_node, did you mean create_node?";
        "a tool of 10 MB" => tool(&long, &json!({})), "-32602: unknown tool xxx";
        "no tool"
            => br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#.to_vec(), "-32602: tools/call: `name` must be a string";
        "an unknown method" => br#"{"jsonrpc":"2.0","id":1,"method":"tools/delete"}"#.to_vec(), "-32601: ";
        "half a message" => br#"{"jsonrpc":"2.0","id":1,"#.to_vec(), "-32700: not JSON: EOF";
        "a batch" => br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#.to_vec(), "-32600: not an MCP message: batches";
        "a number" => b"42".to_vec(), "-32600: not an MCP message: a message must be a JSON object";
        "no version" => br#"{"id":1,"method":"ping"}"#.to_vec(), "-32600: not an MCP message: `jsonrpc`";
    ])
}

#[test]
fn over_stdio() {
    let mut pipe = Pipe::scratch(&[]);
    prepare(|tool, arguments| pipe.call(tool, arguments));
    for (name, mut message, expected) in cases().into_iter().chain(packages()) {
        message.push(b'\n');
        pipe.send(&message);
        let refused = outcome(&pipe.receive()).expect_err(name);
        check(name, &refused, expected);
    }
    let mut huge = vec![b' '; 20 << 20];
    huge.push(b'\n');
    pipe.send(&huge);
    let refused = outcome(&pipe.receive()).expect_err("too long");
    check("20 MB", &refused, "-32600: the message has more than");
    unhurt(|tool, arguments| pipe.call(tool, arguments));
    assert!(pipe.end().success());
}

#[test]
fn over_http() {
    let http = Http::new(&[], None);
    prepare(|tool, arguments| http.call(tool, arguments));
    for (name, message, expected) in cases().into_iter().chain(packages()) {
        let (status, answer) = http.post(&message);
        assert!(
            matches!(status, 200 | 400 | 404),
            "{name}: {status} {answer}"
        );
        check(name, &outcome(&answer).expect_err(name), expected);
    }
    let (status, answer) = http.post(&vec![b' '; 20 << 20]);
    assert_eq!(status, 413);
    assert_eq!(
        answer,
        "too_large: the body exceeds 16777216 bytes; send less at once; `fibula import` reads larger files\n"
    );
    unhurt(|tool, arguments| http.call(tool, arguments));
}

fn check(name: &str, refused: &str, expected: &str) {
    assert!(
        refused.starts_with(expected),
        "{name}: expected {expected}, got {refused}"
    );
    assert!(
        refused.len() < 2_000,
        "{name}: a refusal is short, and not {} bytes",
        refused.len()
    );
}

type Call<'a> = &'a mut dyn FnMut(&str, &Json) -> Result<Json, String>;

fn prepare(mut call: impl FnMut(&str, &Json) -> Result<Json, String>) {
    let call: Call<'_> = &mut call;
    call(
        "create_function_from_expression",
        &json!({ "name": "F", "expression": "0" }),
    )
    .expect("a function");
    call(
        "create_node",
        &json!({ "function_id": 1, "node_type": "Addition" }),
    )
    .expect("a node");
}

/// Nothing was changed, and everything goes on.
fn unhurt(mut call: impl FnMut(&str, &Json) -> Result<Json, String>) {
    let call: Call<'_> = &mut call;
    let listed = call("list_functions", &json!({})).expect("a list");
    assert_eq!(listed["revision"], 2, "{listed}");
    assert_each_eq! {
        call("list_projects", &json!({})).expect("a list")["total"] => 1;
        call("evaluate", &json!({ "function_id": 1 })).expect("a value")["values"]["shape"] => 0.0;
    }
}
