//! Every operation of the document does what it says.

use std::cell::RefCell;
use std::collections::BTreeSet;

use base64::Engine as _;
use serde_json::{Value as Json, json};

use super::graph;
use super::{encoded, send};
use crate::talk::Http;

const MODEL: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
  xmlns:i="http://schemas.3mf.io/3dmanufacturing/implicit/2023/12" requiredextensions="i">
<resources><i:implicitfunction id="5" displayname="far"><i:in><i:vector identifier="pos"/></i:in>
<i:length identifier="l"><i:in><i:vectorref identifier="A" ref="inputs.pos"/></i:in>
<i:out><i:scalar identifier="result"/></i:out></i:length>
<i:out><i:scalarref identifier="shape" ref="l.result"/></i:out></i:implicitfunction></resources><build/></model>"#;

/// A file with one function.
pub(crate) fn part() -> Vec<u8> {
    crate::archive::package(MODEL)
}

/// A server that is used by the names of its operations.
pub(crate) struct Client {
    pub(crate) http: Http,
    document: Json,
    used: RefCell<BTreeSet<String>>,
}

impl Client {
    fn new() -> Self {
        let http = Http::new(&[], None);
        let document = done!(http, "GET", "/api/openapi.json");
        Client {
            http,
            document,
            used: RefCell::default(),
        }
    }

    /// The method and path of an operation, with what stands in the path put in.
    pub(crate) fn place(&self, operation: &str, parts: &[(&str, &str)]) -> (String, String) {
        let paths = self.document["paths"].as_object().expect("paths");
        let all = paths.iter().flat_map(|(path, item)| {
            let methods = item.as_object().expect("methods").iter();
            methods.map(move |(method, operation)| (path, method, operation))
        });
        let mut found = all.filter(|(.., found)| found["operationId"] == operation);
        let (path, method, _) = found.next().unwrap_or_else(|| panic!("no {operation}"));
        assert!(found.next().is_none(), "{operation} is a duplicate");
        self.used.borrow_mut().insert(operation.to_owned());
        let mut path = path.clone();
        for (name, value) in parts {
            path = path.replace(&format!("{{{name}}}"), &encoded(value));
        }
        assert!(!path.contains('{'), "{path}");
        (method.to_uppercase(), path)
    }

    pub(crate) fn call(
        &self,
        operation: &str,
        parts: &[(&str, &str)],
        query: &str,
        body: &Json,
    ) -> Json {
        let (method, path) = self.place(operation, parts);
        done!(self.http, &method, &format!("{path}{query}"), body)
    }
}

#[test]
fn every_operation_does_what_it_says() {
    let client = Client::new();
    let name = "käse & brot?";
    let p = ("project", name);
    let f = ("function_id", "1");

    let made = op!(client, "create_project", [], { "project": name });
    let expected = json!({ "success": true, "project": name, "revision": 0 });
    assert_eq!(made, expected);
    let body = json!({ "name": "Ball", "expression": "length(pos) - 5", "render": { "size": [40, 40] },
        "measure": { "figures": ["volume"], "cell": 1 } });
    let first = "?expected_revision=0";
    let made = op!(client, "create_function_from_expression", [p], first, &body);
    assert_fields!(made, { "function_id": 1, "revision": 1, "unit": "millimeter" });
    // A PNG file in base64.
    assert_starts!(made["picture"].as_str().expect("a text") => "iVBORw0KGgo");
    assert!(made["figures"]["volume"]["value"].as_f64() > Some(500.0));
    let listed = op!(client, "list_functions", [p], "?search=BALL&limit=1");
    assert_eq!(listed["total"], 1);
    assert_eq!(listed["functions"][0]["name"], "Ball");
    let listed = op!(client, "list_functions", [p], "?revision=0");
    assert_eq!(listed["total"], 0);
    let shown = op!(client, "get_function", [p, f], "?format=expression");
    assert_eq!(shown["expression"], "length(pos) - 5");
    let page = op!(client, "get_function", [p, f], "?limit=2");
    assert_eq!(page["truncated"], true);
    assert_eq!(page["nodes"].as_array().map(Vec::len), Some(2));
    let cursor = page["next_cursor"].as_str().expect("a cursor");
    let rest = op!(client, "get_function", [p, f], &format!("?cursor={cursor}"));
    assert_eq!(rest["nodes"].as_array().map(Vec::len), Some(3));
    let point =
        json!({ "arguments": [{ "pos": [8, 0, 0] }, { "pos": [0, 3, 4] }], "outputs": ["shape"] });
    let values = op!(client, "evaluate", [p, f], "", &point);
    let expected = json!([{ "shape": 3.0 }, { "shape": 0.0 }]);
    assert_eq!(values["values"], expected);

    let overview = op!(client, "get_overview", [p], "?measures=true&revision=1");
    assert_fields!(overview, { "project": name, "function_count": 1, "object_count": 0 });
    let at = json!({ "function_id": 1, "heights": [0], "bounds": [[-9, -9, -9], [9, 9, 9]] });
    let sliced = op!(client, "slice", [p], "", &at);
    assert_eq!(sliced["slices"][0]["z"], 0.0);
    let measured = op!(client, "measure", [p], { "function_id": 1, "cell": 1 });
    assert_eq!(measured["figures"]["components"]["value"], 1);

    let picked =
        op!(client, "pick", [p], { "function_id": 1, "view": "front", "pixel": [256, 256] });
    assert_eq!(picked["hit"], true);
    let mark = json!({ "text": "thicker", "at": { "function_id": 1, "point": [0, 3, 4] } });
    let tried = op!(client, "make_mark", [p], "?dry_run=true", &mark);
    assert_eq!(tried["dry_run"], true);
    assert_fields!(tried, { "point": [0.0, 3.0, 4.0], "value": 0.0, "revision": 1 });
    functions(&client, p, f);
    page_routes(&client, p, f);
    nodes(&client, p, f);
    history(&client, p);
    files(&client, p);
    graph::routes(&client, p);
    kept(&client, p);
    let made = op!(client, "make_mark", [p], { "text": "another name", "about": ["fn:1"] });
    let marks = op!(client, "list_marks", [p]);
    assert_fields!(marks["marks"][0], { "id": made["id"], "label": "another name", "about": ["fn:1"] });
    projects(&client, name);

    let three = "?search=sine&detail=names&limit=3";
    let kinds = op!(client, "list_node_types", [], three);
    assert_eq!(kinds["node_types"][0]["name"], "Sine");
    op!(client, "get_openapi", []);
    client.place("listen", &[]);
    client.place("follow_progress", &[("request", "a")]);
    // What they send is no JSON; see samples.
    client.place("sample", &[p, f]);
    client.place("get_package", &[p]);
    client.place("render", &[p]);
    client.place("export", &[p]);

    let all = client.document["paths"]
        .as_object()
        .expect("paths")
        .values();
    let all = all.flat_map(|item| item.as_object().expect("methods").values());
    let all = all.map(|operation| operation["operationId"].as_str().expect("an id").to_owned());
    assert_eq!(client.used.into_inner(), all.collect());
}

/// A whole function goes back as it came, and into another place.
fn functions(client: &Client, p: (&str, &str), f: (&str, &str)) {
    let graph = op!(client, "get_graph", [p, f]);
    let drawn = op!(client, "get_function_text", [p, f], "?format=dot");
    let text = drawn["text"].as_str().expect("a text");
    assert_starts!(text => "digraph");
    let (method, path) = client.place("get_function_picture", &[p, f]);
    for (query, media, start) in [
        ("", "image/svg+xml", "<svg "),
        ("?format=png", "image/png", "\u{fffd}PNG"),
    ] {
        let (status, head, text) =
            client
                .http
                .request(&method, &format!("{path}{query}"), &[], b"");
        assert_eq!(status, 200, "{head}");
        let is_so = head
            .to_lowercase()
            .contains(&format!("content-type: {media}"));
        assert!(is_so && text.contains(start), "{head}");
    }
    let wrong = format!("{path}?revision=99");
    assert_ne!(client.http.request(&method, &wrong, &[], b"").0, 200);
    let back = op!(client, "set_function", [p, f], "?dry_run=true", &graph);
    assert_fields!(back, { "dry_run": true, "revision": 1 });
    let mut copy = graph.clone();
    copy.as_object_mut()
        .expect("an object")
        .remove("function_id");
    copy["name"] = json!("Copy");
    let ninth = [p, ("function_id", "9")];
    client.call("set_function", &ninth, "?expected_revision=1", &copy);
    let copied = op!(client, "get_graph", [p, ("function_id", "9")]);
    assert_eq!(copied["nodes"], graph["nodes"]);
    op!(client, "rename_function", [p, ("function_id", "9")], { "name": "Other" });
    client.call(
        "delete_function",
        &ninth,
        "?expected_revision=3",
        &Json::Null,
    );
}

/// Answers that a page needs to draw a function and its shape.
fn page_routes(client: &Client, p: (&str, &str), f: (&str, &str)) {
    let layout = op!(client, "lay_out", [p, f], {});
    assert_eq!(
        layout["positions"].as_object().map(serde_json::Map::len),
        Some(5)
    );
    let moved = op!(client, "apply_layout", [p, f], "?dry_run=true", {});
    assert_eq!(moved["dry_run"], true);
    let links = op!(client, "get_compatible_links", [p, f], "?from=4.result");
    assert_eq!(links["types"], json!(["float"]));
    let ports = op!(client, "get_port_values", [p, f], { "arguments": { "pos": [8, 0, 0] } });
    assert_fields!(ports["nodes"], { "2": { "result": 8.0 }, "4": { "result": 3.0 } });
    let shader = op!(client, "get_function_shader", [p, f]);
    assert_eq!(shader["parameters"][0]["value"], 5.0);
}

/// Node by node: length(pos) - 5 + 2.
fn nodes(client: &Client, p: (&str, &str), f: (&str, &str)) {
    let node = json!({ "node_type": "ConstantScalar", "display_name": "two" });
    let two = op!(client, "create_node", [p, f], "", &node)["node_id"].to_string();
    let sum = op!(client, "create_node", [p, f], { "node_type": "Addition" });
    let sum = sum["node_id"].to_string();
    let value = [p, f, ("node_id", &two), ("parameter_name", "value")];
    client.call("set_parameter_value", &value, "", &json!({ "value": 2 }));
    let named = json!({ "node_type": "ConstantScalar", "display_name": "wall" });
    let wall = client.call("create_node", &[p, f], "", &named);
    let set = [p, f, ("parameter_name", "wall")];
    let set = client.call("set_named_constant", &set, "", &json!({ "value": 3 }));
    assert_eq!(set["previous"], 0.0);
    let listed = op!(client, "list_parameters", [p]);
    assert_eq!(listed["parameters"][1]["value"], 3.0);
    let several = json!({ "values": { "wall": 4, "two": 2 } });
    let set = op!(client, "set_parameters", [p, f], "", &several);
    assert_eq!(set["previous"], json!({ "wall": 3.0, "two": 2.0 }));
    let wall = wall["node_id"].to_string();
    op!(client, "delete_node", [p, f, ("node_id", &wall)]);
    for (source, port, target, parameter, replace) in [
        ("4", "result", &*sum, "A", false),
        (&*two, "value", &*sum, "B", false),
        (&*sum, "result", "0", "shape", true),
    ] {
        let number = |id: &str| id.parse::<u32>().expect("an id");
        let link = json!({
            "source_node_id": number(source), "source_port_name": port, "target_node_id": number(target),
            "target_parameter_name": parameter, "replace": replace,
        });
        op!(client, "create_link", [p, f], "", &link);
    }
    let values = op!(client, "evaluate", [p, f], { "arguments": { "pos": [8, 0, 0] } });
    assert_eq!(values["values"], json!({ "shape": 5.0 }));
    op!(client, "change_node", [p, f, ("node_id", &two)], "", { "display_name": "three", "position": [10, -2.5] });
    let info = op!(client, "get_node_info", [p, f, ("node_id", &two)]);
    assert_eq!(info["display_name"], "three");
    op!(client, "change_node", [p, f, ("node_id", &two)], { "display_name": null });
    let info = op!(client, "get_node_info", [p, f, ("node_id", &two)]);
    assert_eq!(info["display_name"], "ConstantScalar");
    let link = [
        p,
        f,
        ("target_node_id", "0"),
        ("target_parameter_name", "shape"),
    ];
    let gone = client.call("delete_link", &link, "", &Json::Null);
    assert_eq!(gone["deleted_links"][0]["source_node_id"].to_string(), sum);
    let gone = op!(client, "delete_node", [p, f, ("node_id", &sum)]);
    assert_eq!(gone["deleted_link_count"], 2);
}

fn history(client: &Client, p: (&str, &str)) {
    let point = op!(client, "create_checkpoint", [p], { "name": "before" });
    let revision = point["revision"].as_u64().expect("a revision");
    let edits = json!({ "label": "twice", "edits": [
        { "create_node": { "function_id": 1, "node_type": "Sine", "node_id": "$s" } },
        { "rename_node": { "node_id": "$s", "display_name": "wave" } },
    ] });
    let expected = format!("?expected_revision={revision}");
    let made = op!(client, "apply_edits", [p], &expected, &edits);
    assert_eq!(made["applied"], 2);
    assert!(made["ids"]["$s"].is_u64());
    let shown = op!(client, "get_history", [p], "?limit=1&changes=true");
    assert_fields!(shown["entries"][0], { "label": "twice", "tool": "POST /api/projects/{project}/edits" });
    let changes = shown["entries"][0]["changes"].as_array();
    assert_eq!(changes.map(Vec::len), Some(2));
    assert_eq!(shown["entries"][0]["functions"], json!([1]));
    let undone = op!(client, "undo", [p]);
    assert_eq!(undone["label"], "undo: twice");
    op!(client, "undo", [p], { "redo": true });
    let tried = op!(client, "restore_state", [p], "?dry_run=true", { "revision": 1 });
    assert_eq!(tried["dry_run"], true);
    let back = op!(client, "restore_state", [p], { "checkpoint": "before" });
    assert_eq!(back["revision"], revision + 4);
}

fn files(client: &Client, p: (&str, &str)) {
    let file = part();
    let base64 = base64::engine::general_purpose::STANDARD.encode(&file);
    let tried = op!(client, "import", [p], "?dry_run=true", { "content": base64, "format": "3mf" });
    assert_eq!(tried["functions"][0]["name"], "far");
    let (method, path) = client.place("import", &[p]);
    for (media, status) in [
        ("application/octet-stream", 200),
        ("Model/3MF; version=1", 200),
        ("application/json", 400),
        ("text/plain", 415),
    ] {
        let head = [("Content-Type", media)];
        let (given, answer) = send(&client.http, &method, &path, &head, &file);
        assert_eq!(given, status, "{media}: {answer}");
        if status == 200 {
            assert_eq!(answer["function_count"], 1);
        }
    }
}

/// Files that the project keeps, and what it has beside its functions.
fn kept(client: &Client, p: (&str, &str)) {
    let drawing = b"\x00drawing\xff\r\n".as_slice();
    let base64 = base64::engine::general_purpose::STANDARD.encode(drawing);
    let body = json!({ "name": "a \"drawing\".pdf", "media_type": "text/html", "content": base64 });
    let tried = op!(client, "add_file", [p], "?dry_run=true", &body);
    let listed = op!(client, "list_files", [p]);
    assert_eq!(tried["dry_run"], true);
    assert_eq!(listed["total"], 0);
    let added = op!(client, "add_file", [p], "", &body);
    let listed = op!(client, "list_files", [p]);
    assert_eq!(listed["files"], json!([added["file"]]));
    let id = added["file"]["resource_id"].to_string();
    let file = ("resource_id", id.as_str());
    let (method, path) = client.place("get_file", &[p, file]);
    let (status, head, text) = client.http.request(&method, &path, &[], b"");
    let head = head.to_lowercase();
    assert_eq!(status, 200, "{head}");
    // It says that it is a page, but no browser shall show it as one.
    assert_contains!(head => "content-type: application/octet-stream");
    assert_contains!(head => "filename=\"a _drawing_.pdf\"");
    assert_contains!(text => "drawing");
    let mut bad = body.clone();
    bad["content"] = json!("?");
    let (method, path) = client.place("add_file", &[p]);
    refused!(client.http, &method, &path, &bad => 400, "invalid_arguments");
    op!(client, "remove_file", [p, file]);
    assert_eq!(op!(client, "list_files", [p])["total"], 0);
    let (method, path) = client.place("get_file", &[p, file]);
    refused!(client.http, &method, &path => 404, "unknown_resource");
    let then = format!("{path}?revision={}", added["revision"]);
    assert_eq!(client.http.request(&method, &then, &[], b"").0, 200);

    let mesh =
        json!({ "edits": [{ "set_mesh": { "bounds": [[0, 0, 0], [1, 2, 3]], "name": "Block" } }] });
    op!(client, "apply_edits", [p], "", &mesh);
    let structure = op!(client, "get_structure", [p]);
    assert_fields!(structure["resources"][0], { "name": "Block", "bounds": [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]] });
}

fn projects(client: &Client, name: &str) {
    let p = ("project", name);
    let summary = op!(client, "get_project", [p]);
    assert_eq!(summary["project"], name);
    let revision = summary["revision"].as_u64().expect("a revision");
    let copy = json!({ "name": "copy", "revision": 1 });
    op!(client, "duplicate_project", [p], "", &copy);
    let listed = op!(client, "list_functions", [("project", "copy")]);
    assert_eq!(listed["total"], 1);
    op!(client, "rename_project", [("project", "copy")], { "name": "c" });
    let query = format!("?expected_revision={revision}");
    op!(client, "delete_project", [p], &query);
    let names = |query: &str| {
        let listed = op!(client, "list_projects", [], query);
        let projects = listed["projects"].as_array().expect("a list").clone();
        let name = |project: &Json| project["project"].as_str().expect("a name").to_owned();
        projects.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(names(""), ["c", "default"]);
    assert_eq!(names("?deleted=true"), [name]);
    let back = op!(client, "undelete_project", [p], { "name": "again" });
    assert_eq!(back["revision"], revision);
    assert_eq!(names("?limit=2"), ["again", "c"]);
}
