//! Steps back and tries: undo among several clients, earlier states, dry runs, the toolset `project-extra`.

use std::collections::BTreeSet;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fibula::mcp::{Options, Server, Toolset};
use serde_json::{Value as Json, json};

use crate::talk::{Http, Pipe};

const ALL: [&str; 2] = ["--toolsets", "project,function,project-extra"];

/// State of a project as the tools show it.
fn state(pipe: &mut Pipe) -> Json {
    let list = call!(pipe, "list_functions", {});
    let ids = list["functions"].as_array().expect("functions").iter();
    let ids: Vec<Json> = ids
        .map(|function| function["function_id"].clone())
        .collect();
    let mut functions = Vec::new();
    for id in ids {
        let function = pipe.call("get_function", &json!({ "function_id": id }));
        functions.push(function.expect("a function"));
    }
    let history = pipe.call("get_history", &json!({ "changes": true }));
    json!({ "functions": functions, "history": history.expect("a history") })
}

fn package() -> String {
    let model = "<?xml version=\"1.0\"?><model xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\" \
        xmlns:i=\"http://schemas.3mf.io/3dmanufacturing/implicit/2023/12\"><resources>\
        <i:implicitfunction id=\"9\" displayname=\"Brought\"><i:constant identifier=\"c\" value=\"1\"><i:out><i:scalar \
        identifier=\"value\"/></i:out></i:constant><i:out><i:scalarref identifier=\"shape\" ref=\"c.value\"/></i:out>\
        </i:implicitfunction></resources><build/></model>";
    STANDARD.encode(crate::archive::package(model))
}

/// One call of every tool that can be tried; each is possible after those before it.
fn tries() -> Vec<(&'static str, Json)> {
    let node = json!({ "create_node": { "function_id": 1, "node_type": "Sine" } });
    Vec::from(cases![
        "create_function_from_expression" => json!({ "name": "Jane Doe's", "expression": "0" });
        "create_node" => json!({ "function_id": 1, "node_type": "Addition" });
        "create_node" => json!({ "function_id": 1, "node_type": "Addition" });
        "set_parameter_value" => json!({ "function_id": 1, "node_id": 1, "parameter_name": "A", "value": 5 });
        "create_link"
            => json!({ "function_id": 1, "source_node_id": 1, "source_port_name": "result",
        "target_node_id": 2, "target_parameter_name": "A" });
        "delete_link" => json!({ "function_id": 1, "target_node_id": 2, "target_parameter_name": "A" });
        "apply_edits" => json!({ "edits": [node, node] });
        "delete_node" => json!({ "function_id": 1, "node_id": 3 });
        "undo" => json!({});
        "undo" => json!({ "redo": true });
        "undo" => json!({ "revision": 4 });
        "import" => json!({ "content": package() });
        "checkpoint" => json!({ "name": "here" });
        "restore" => json!({ "revision": 2 });
        "restore" => json!({ "checkpoint": "here" });
        "redact" => json!({ "text": "Jane Doe" });
        "compact" => json!({ "revision": 3 });
    ])
}

#[test]
fn what_is_tried_changes_nothing_and_tells_what_would_be() {
    let mut pipe = Pipe::scratch(&ALL);
    for (tool, arguments) in tries() {
        let before = state(&mut pipe);
        let mut tried = arguments.clone();
        tried["dry_run"] = json!(true);
        let mut tried = call!(pipe, tool, &tried);
        let found = state(&mut pipe);
        assert_eq!(found, before, "{tool} {arguments} changed something");
        assert_eq!(tried["revision"], before["history"]["revision"], "{tool}");
        let mut done = call!(pipe, tool, &arguments);
        assert_ne!(
            state(&mut pipe),
            before,
            "{tool} {arguments} changed nothing"
        );
        let members = |answer: &mut Json| {
            let members = answer.as_object_mut().expect("an object");
            (members.remove("dry_run"), members.remove("revision"))
        };
        assert_eq!(members(&mut tried).0, Some(json!(true)), "{tool}");
        assert_eq!(members(&mut done).0, None, "{tool}");
        assert_eq!(tried, done, "{tool} {arguments}");
    }
}

#[test]
fn every_tool_that_changes_something_can_be_tried_or_is_named_here() {
    let mut pipe = Pipe::scratch(&ALL);
    pipe.send(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n");
    let answer = pipe.receive();
    let tools = answer["result"]["tools"].as_array().expect("tools");
    let options = Options {
        toolsets: vec![Toolset::PROJECT, Toolset::FUNCTION, Toolset::PROJECT_EXTRA],
        ..Options::default()
    };
    let server = Server::new(Arc::default(), &options);
    let changing = tools
        .iter()
        .filter(|tool| tool["annotations"]["readOnlyHint"] == json!(false));
    // Arguments of most tools are accepted, and listed by few.
    let takes = |tool: &Json, name: &str| {
        let name_of_tool = tool["name"].as_str().expect("a name");
        let whole = server.tool(name_of_tool).expect("it is listed");
        whole.input_schema["properties"].get(name).is_some()
    };
    let (mut found, mut plain, mut always) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for tool in changing {
        let name = tool["name"].as_str().expect("a name").to_owned();
        if !takes(tool, "expected_revision") {
            always.insert(name.clone());
        }
        if takes(tool, "dry_run") {
            let whole = server.tool(&name).expect("it is listed");
            let answer = whole.output_schema.as_deref().expect("it answers");
            assert!(answer["properties"].get("dry_run").is_some(), "{name}");
            found.insert(name);
        } else {
            plain.insert(name);
        }
    }
    let tried: BTreeSet<String> = tries()
        .into_iter()
        .map(|(tool, _)| tool.to_owned())
        .collect();
    assert_eq!(found, tried);
    // They change the list of projects, which has no revision.
    let list = [
        "create_project",
        "delete_project",
        "duplicate_project",
        "rename_project",
        "restore_project",
    ];
    assert_eq!(plain.iter().map(String::as_str).collect::<Vec<_>>(), list);
    // They do not depend on what the project is.
    let always: Vec<&str> = always.iter().map(String::as_str).collect();
    let expected = [
        "create_project",
        "duplicate_project",
        "rename_project",
        "restore_project",
    ];
    assert_eq!(always, expected);
}

/// A client that says who it is: in each message, as in 2026-07-28, or in its headers only, as in 2025-11-25.
struct Caller<'h> {
    http: &'h Http,
    name: &'static str,
    since_2026: bool,
}

impl Caller<'_> {
    fn call(&self, tool: &str, arguments: &Json) -> Result<Json, String> {
        let mut message = crate::talk::call(1, tool, arguments);
        let headers = if self.since_2026 {
            message["params"]["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": self.name, "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            vec![
                ("MCP-Protocol-Version", "2026-07-28"),
                ("Mcp-Method", "tools/call"),
                ("Mcp-Name", tool),
            ]
        } else {
            vec![("User-Agent", self.name)]
        };
        let message = message.to_string();
        let (_, _, body) = self
            .http
            .request("POST", "/mcp", &headers, message.as_bytes());
        crate::talk::outcome(&serde_json::from_str(&body).expect("an answer is JSON"))
    }
}

#[test]
fn each_client_takes_back_its_own_steps() {
    let http = Http::new(&[], None);
    let client = |name, since_2026| Caller {
        http: &http,
        name,
        since_2026,
    };
    let (ann, bob, cyd) = (
        client("ann", true),
        client("bob/2", false),
        client("cyd", true),
    );
    let value = |value: u32| json!({ "function_id": 1, "node_id": 1, "parameter_name": "A", "value": value });
    let undone = |client: &Caller<'_>, arguments: Json| {
        let undone = call!(client, "undo", arguments);
        (
            undone["revision"].as_u64().expect("a revision"),
            undone["label"].to_string(),
        )
    };
    let label = |text: &str| format!("\"{text}\"");

    call!(ann, "create_function_from_expression", { "name": "F", "expression": "0" });
    call!(ann, "create_node", { "function_id": 1, "node_type": "Addition" });
    call!(bob, "create_node", { "function_id": 1, "node_type": "Sine" });
    // What others did elsewhere stays.
    let done = undone(&ann, json!({}));
    assert_eq!(done, (4, label("undo: create Addition 1 in function 1")));
    let done = undone(&ann, json!({ "redo": true }));
    assert_eq!(done, (5, label("redo: create Addition 1 in function 1")));
    call!(bob, "set_parameter_value", value(7));
    // What others did to the same is in the way, and named.
    let refused = refusal!(ann, "undo", {});
    assert_starts!(refused => "in_the_way: revision 5 (redo: create Addition 1");
    assert_contains!(refused => "revision 6 (", ", by bob/2)");
    assert_contains!(refused => "undo revision 6 first");
    let done = undone(&ann, json!({ "revision": 6 }));
    assert_eq!(done.0, 7);
    let done = undone(&ann, json!({}));
    assert_eq!(
        done.0, 8,
        "ann's undo of bob's step is her own to take back: {}",
        done.1
    );
    let history = call!(bob, "get_history", {});
    let entry = |place: usize| {
        let entry = &history["entries"][place];
        (
            entry["revision"].clone(),
            entry["client"].clone(),
            entry["undid"].clone(),
        )
    };
    assert_eq!(entry(2), (json!(6), json!("bob/2"), Json::Null));
    assert_eq!(entry(1), (json!(7), json!("ann"), json!(6)));
    assert_eq!(entry(0), (json!(8), json!("ann"), json!(5)));

    assert_starts!(refusal!(cyd, "undo", {}) => "nothing_to_undo: cyd has nothing to undo in this project; anyone: \
                                                 true");
    let refused = refusal!(cyd, "undo", { "redo": true });
    assert_starts!(refused => "nothing_to_redo");
    let done = undone(&cyd, json!({ "anyone": true }));
    assert_eq!(done, (9, label("undo: create Sine 2 in function 1")));
    let done = undone(&cyd, json!({ "redo": true }));
    assert_eq!(done, (10, label("redo: create Sine 2 in function 1")));
    assert_starts!(refusal!(ann, "undo", { "revision": 3 }) => "already_undone: revision 3");
    let refused = refusal!(ann, "undo", { "revision": 3, "redo": true });
    assert_starts!(refused => "invalid_arguments");
    let refused = refusal!(ann, "undo", { "expected_revision": 9 });
    assert_starts!(refused => "revision_conflict");
    assert_contains!(refused => "10 (redo: create Sine");
}

#[test]
fn what_was_can_be_read() {
    let mut pipe = Pipe::scratch(&[]);
    call!(pipe, "create_function_from_expression", { "name": "F", "expression": "a + 1" });
    call!(pipe, "create_function_from_expression", { "function_id": 1, "name": "F", "expression": "a + 2" });
    call!(pipe, "create_function_from_expression", { "name": "G", "expression": "0" });
    let mut was = |revision: Option<u64>| {
        let with = |mut arguments: Json| {
            if let Some(revision) = revision {
                arguments["revision"] = revision.into();
            }
            arguments
        };
        let point = json!({ "function_id": 1, "arguments": { "a": 10 } });
        let text = json!({ "function_id": 1, "format": "expression" });
        let node = json!({ "function_id": 1, "node_id": 0 });
        let value = call!(pipe, "evaluate", with(point));
        let list = call!(pipe, "list_functions", with(json!({})));
        let shown = call!(pipe, "get_function", with(text));
        let node = call!(pipe, "get_node_info", with(node));
        for answer in [&value, &list, &shown, &node] {
            let answered = answer["revision"].as_u64();
            assert_eq!(answered, revision.or(Some(3)), "{answer}");
        }
        let text = shown["expression"].as_str().expect("a text").to_owned();
        (
            value["values"]["shape"].as_f64(),
            list["total"].as_u64(),
            text.contains("+ 2"),
        )
    };
    assert_eq!(was(Some(1)), (Some(11.0), Some(1), false));
    assert_eq!(was(Some(2)), (Some(12.0), Some(1), true));
    assert_eq!(was(None), (Some(12.0), Some(2), true));
    let refused = refusal!(pipe, "list_functions", { "revision": 4 });
    assert_starts!(refused => "unknown_revision: the project has no revision 4; it is at 3");
}

#[test]
fn projects_can_be_kept_copied_and_put_aside() {
    let mut pipe = Pipe::scratch(&ALL);
    call!(pipe, "create_function_from_expression", { "name": "F", "expression": "0" });
    call!(pipe, "checkpoint", { "name": "start" });
    call!(pipe, "create_function_from_expression", { "name": "G", "expression": "0" });
    let restored = call!(pipe, "restore", { "checkpoint": "start" });
    assert_eq!(restored["label"], "restore checkpoint 'start' (revision 2)");
    let count = |list: Json| list["total"].as_u64();
    assert_eq!(count(call!(pipe, "list_functions", {})), Some(1));
    call!(pipe, "undo", {});
    assert_eq!(count(call!(pipe, "list_functions", {})), Some(2));

    let copy =
        call!(pipe, "duplicate_project", { "project": "default", "name": "copy", "revision": 1 });
    assert_eq!(copy["revision"], 1);
    call!(pipe, "rename_project", { "project": "copy", "name": "part" });
    let refused = refusal!(pipe, "delete_project", { "project": "part", "expected_revision": 0 });
    assert_starts!(refused => "revision_conflict");
    call!(pipe, "delete_project", { "project": "part" });
    let refused = refusal!(pipe, "list_functions", { "project": "part" });
    assert_starts!(refused => "unknown_project");
    let deleted = call!(pipe, "list_projects", { "deleted": true });
    assert_eq!(deleted["projects"][0]["project"], "part");
    call!(pipe, "restore_project", { "project": "part", "name": "part 2" });
    let list = call!(pipe, "list_functions", { "project": "part 2" });
    assert_eq!(list["functions"][0]["name"], "F");

    let compacted = call!(pipe, "compact", { "revision": 3 });
    assert_fields!(compacted, { "entries": 3, "first_revision": 3 });
    let refused = refusal!(pipe, "get_function", { "function_id": 1, "revision": 1 });
    assert_starts!(refused => "unknown_revision: revision 1 is no longer kept");
}

#[test]
fn what_is_rarely_needed_is_off_by_default() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut pipe = Pipe::new(&[], folder.path());
    assert_contains!(refusal!(pipe, "restore", { "revision": 1 }) => "unknown tool restore");
    let mut pipe = Pipe::new(
        &["--toolsets", "project-extra", "--read-only"],
        folder.path(),
    );
    assert_eq!(pipe.tools(), ["list_parameters", "pick"]);
}
