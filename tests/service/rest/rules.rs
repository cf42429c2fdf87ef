//! Refusals with their status; conditions of writes; authors.

use serde_json::{Value as Json, json};

use super::{ball, send};

const NONE: Json = Json::Null;

/// Requests that are refused: method, path, body, then status and code.
const MISTAKES: &str = r#"
GET /api/projects/none -> 404 unknown_project
DELETE /api/projects/none -> 404 unknown_project
PATCH /api/projects/none {"name":"x"} -> 404 unknown_project
POST /api/projects/none/undelete {} -> 404 unknown_project
POST /api/projects/none/duplicate {"name":"x"} -> 404 unknown_project
POST /api/projects {"project":"p"} -> 409 duplicate_id
POST /api/projects {"project":"a/b"} -> 422 invalid_name
GET /api/projects?limit=0 -> 422 invalid_value
GET /api/projects?cursor=x -> 400 invalid_cursor
GET /api/projects/p/functions/7 -> 404 unknown_function
GET /api/projects/p/functions/7/graph -> 404 unknown_function
GET /api/projects/p/functions/1?format=picture -> 400 invalid_arguments
GET /api/projects/p/functions/1?revision=99 -> 404 unknown_revision
PATCH /api/projects/p/functions/1 {"name":""} -> 422 invalid_name
PUT /api/projects/p/functions/1 {"name":"x","nodes":5} -> 422 invalid_edit
PUT /api/projects/p/functions/1 {"name":"x","function_id":2} -> 400 invalid_arguments
POST /api/projects/p/functions {"name":"g","expression":"1 +"} -> 422 syntax
POST /api/projects/p/functions {"name":"g","expression":"blob(1)"} -> 422 unknown_function_name
POST /api/projects/p/functions/1/evaluate {} -> 422 missing_argument
POST /api/projects/p/functions/1/evaluate?dry_run=true {} -> 400 invalid_arguments
GET /api/projects/p/functions/1/nodes/99 -> 404 unknown_node
DELETE /api/projects/p/functions/1/nodes/99 -> 404 unknown_node
DELETE /api/projects/p/functions/1/nodes/0 -> 422 protected_node
POST /api/projects/p/functions/1/nodes {"node_type":"Sone"} -> 422 unknown_node_type
PATCH /api/projects/p/functions/1/nodes/2 {} -> 400 invalid_arguments
PATCH /api/projects/p/functions/1/nodes/2 {"position":[1]} -> 400 invalid_arguments
PATCH /api/projects/p/functions/1/nodes/99 {"display_name":"x"} -> 404 unknown_node
PUT /api/projects/p/functions/1/nodes/3/parameters/value {"value":"many"} -> 422 invalid_value
PUT /api/projects/p/functions/1/nodes/3/parameters/value {} -> 400 invalid_arguments
PUT /api/projects/p/functions/1/nodes/3/parameters/w {"value":1} -> 404 unknown_parameter
PUT /api/projects/p/functions/1/nodes/4/parameters/A {"value":1} -> 422 parameter_linked
DELETE /api/projects/p/functions/1/links/3/value -> 422 not_linked
POST /api/projects/p/edits {"edits":[{"paint":{}}]} -> 422 invalid_edit
POST /api/projects/p/edits {"edits":{}} -> 400 invalid_arguments
POST /api/projects/p/import {} -> 400 invalid_arguments
POST /api/projects/p/import {"content":"aGVsbG8="} -> 422 unknown_format
POST /api/projects/p/import {"path":"../../etc/passwd"} -> 403 forbidden_path
"#;

#[test]
fn each_sort_of_mistake_has_its_status() {
    let http = ball();
    for line in MISTAKES.trim().lines() {
        let (request, outcome) = line.split_once(" -> ").expect("an outcome");
        let (status, code) = outcome.split_once(' ').expect("status and code");
        let mut words = request.splitn(3, ' ');
        let (method, path) = (
            words.next().expect("a method"),
            words.next().expect("a path"),
        );
        let body = words
            .next()
            .map_or(NONE, |body| serde_json::from_str(body).expect("JSON"));
        let status = status.parse().expect("a status");
        refused!(http, method, path, &body => status, code);
    }
    let link = |source: u32, port: &str, target: u32, parameter: &str, replace: bool| {
        json!({
            "source_node_id": source, "source_port_name": port, "target_node_id": target,
            "target_parameter_name": parameter, "replace": replace,
        })
    };
    for (link, status, code) in [
        (link(3, "value", 2, "A", false), 422, "already_linked"),
        (link(1, "pos", 0, "shape", true), 422, "type_mismatch"),
        (link(1, "nix", 0, "shape", true), 422, "unknown_port"),
        (link(4, "result", 4, "A", true), 422, "self_link"),
    ] {
        let links = "/api/projects/p/functions/1/links";
        refused!(http, "POST", links, &link => status, code);
    }
}

#[test]
fn what_is_in_use_or_in_the_way_is_a_conflict() {
    let http = ball();
    let p = "/api/projects/p";
    done!(http, "POST", &format!("{p}/functions"), { "name": "Two", "expression": "Ball(pos) + 1" });
    refused!(http, "DELETE", &format!("{p}/functions/1") => 409, "in_use");
    refused!(http, "POST", &format!("{p}/undo"), { "revision": 1 } => 409, "in_use");
    for value in [6, 7] {
        let path = format!("{p}/functions/1/nodes/3/parameters/value");
        done!(http, "PUT", &path, { "value": value });
    }
    refused!(http, "POST", &format!("{p}/undo"), { "revision": 3 } => 409, "in_the_way");
    done!(http, "POST", &format!("{p}/checkpoints"), { "name": "c" });
    let checkpoints = format!("{p}/checkpoints");
    refused!(http, "POST", &checkpoints, { "name": "c" } => 409, "duplicate_id");
    let restore = format!("{p}/history/restore");
    refused!(http, "POST", &restore, { "checkpoint": "d" } => 404, "unknown_checkpoint");
    refused!(http, "POST", &restore, { "revision": 77 } => 404, "unknown_revision");
    refused!(http, "POST", &restore, { "revision": 5 } => 422, "nothing_to_restore");
    refused!(http, "POST", &format!("{p}/undo"), { "redo": true } => 422, "nothing_to_redo");
}

#[test]
fn a_stale_write_is_refused_and_a_tried_one_changes_nothing() {
    let http = ball();
    let f = "/api/projects/p/functions/1";
    let value = json!({ "value": 4 });
    let writes = cases![
        "POST" => "/api/projects/p/functions".to_owned(), json!({ "name": "g", "expression": "1" });
        "PUT" => f.to_owned(), done!(http, "GET", &format!("{f}/graph"));
        "PATCH" => f.to_owned(), json!({ "name": "g" });
        "DELETE" => f.to_owned(), NONE;
        "POST" => format!("{f}/nodes"), json!({ "node_type": "Sine" });
        "PATCH" => format!("{f}/nodes/2"), json!({ "position": [1, 2] });
        "DELETE" => format!("{f}/nodes/2"), NONE;
        "PUT" => format!("{f}/nodes/3/parameters/value"), value.clone();
        "DELETE" => format!("{f}/links/0/shape"), NONE;
        "POST"
            => "/api/projects/p/edits".to_owned(), json!({ "edits": [{ "delete_function": { "function_id": 1 } }] });
        "POST" => "/api/projects/p/checkpoints".to_owned(), json!({ "name": "c" });
        "POST" => "/api/projects/p/undo".to_owned(), NONE;
        "POST" => "/api/projects/p/history/restore".to_owned(), json!({ "revision": 0 });
    ];
    for (method, path, body) in &writes {
        let stale = format!("{path}?expected_revision=0");
        let refusal = refused!(http, method, &stale, body => 409, "revision_conflict");
        assert_eq!(refusal["details"]["current_revision"], 1);
        let tried = done!(
            http,
            method,
            &format!("{path}?expected_revision=1&dry_run=true"),
            body
        );
        assert_fields!(tried, { "dry_run": true, "revision": 1 }, "{path}");
    }
    let summary = done!(http, "GET", "/api/projects/p");
    assert_eq!(summary["revision"], 1);
    // A condition in the body would be lost on who expects it, so it is refused.
    let body = json!({ "value": 4, "expected_revision": 0 });
    let path = format!("{f}/nodes/3/parameters/value");
    refused!(http, "PUT", &path, &body => 400, "invalid_arguments");
    refused!(http, "DELETE", &format!("{f}/nodes/2"), { "expected_revision": 0 } => 400, "invalid_arguments");
    refused!(http, "DELETE", "/api/projects/p?expected_revision=0" => 409, "revision_conflict");
}

#[test]
fn the_history_knows_who_asked() {
    let http = ball();
    let mut names = Vec::new();
    for headers in [
        &[("User-Agent", "curl/8.5.0")][..],
        &[("X-Fibula-Client", "page"), ("User-Agent", "Mozilla/5.0")],
        &[("X-Fibula-Client", "nightly"), ("User-Agent", "curl/8.5.0")],
        &[("X-Fibula-Client", "  ")],
    ] {
        let path = "/api/projects/p/functions/1/nodes";
        let (status, answer) = send(&http, "POST", path, headers, br#"{"node_type":"Sine"}"#);
        assert_eq!(status, 200, "{answer}");
        let shown = done!(http, "GET", "/api/projects/p/history?limit=1");
        names.push(
            shown["entries"][0]["client"]
                .as_str()
                .expect("a name")
                .to_owned(),
        );
    }
    assert_eq!(names, ["curl", "page", "nightly", "http"]);
    // What the page made is not another's to undo, unless it asks for that.
    let page = [("X-Fibula-Client", "page")];
    let (status, undone) = send(&http, "POST", "/api/projects/p/undo", &page, b"");
    assert_eq!((status, &undone["revision"]), (200, &json!(6)));
    refused!(http, "POST", "/api/projects/none/undo", { "anyone": true } => 404, "unknown_project");
}
