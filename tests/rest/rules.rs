//! What is refused, and how: conditions, callers, methods, the rules of the whole server.

use serde_json::{Value as Json, json};

use super::talk::Http;
use super::{ask, ball, done, refused, send};

const NONE: Json = Json::Null;

#[test]
fn each_sort_of_mistake_has_its_status() {
    let http = ball();
    let p = "/api/projects/p";
    let f = "/api/projects/p/functions/1";
    let check = |method: &str, path: &str, body: &Json, status: u16, code: &str| {
        refused(&http, method, path, body, status, code);
    };
    check("GET", "/api/projects/none", &NONE, 404, "unknown_project");
    check(
        "DELETE",
        "/api/projects/none",
        &NONE,
        404,
        "unknown_project",
    );
    check(
        "PATCH",
        "/api/projects/none",
        &json!({ "name": "x" }),
        404,
        "unknown_project",
    );
    check(
        "POST",
        "/api/projects/none/undelete",
        &json!({}),
        404,
        "unknown_project",
    );
    check(
        "POST",
        "/api/projects/none/duplicate",
        &json!({ "name": "x" }),
        404,
        "unknown_project",
    );
    check(
        "POST",
        "/api/projects",
        &json!({ "project": "p" }),
        409,
        "duplicate_id",
    );
    check(
        "POST",
        "/api/projects",
        &json!({ "project": "a/b" }),
        422,
        "invalid_name",
    );
    check("GET", "/api/projects?limit=0", &NONE, 422, "invalid_value");
    check(
        "GET",
        "/api/projects?cursor=x",
        &NONE,
        400,
        "invalid_cursor",
    );
    check(
        "GET",
        "/api/projects/p/functions/7",
        &NONE,
        404,
        "unknown_function",
    );
    check(
        "GET",
        "/api/projects/p/functions/7/graph",
        &NONE,
        404,
        "unknown_function",
    );
    check(
        "GET",
        &format!("{f}?format=picture"),
        &NONE,
        400,
        "invalid_arguments",
    );
    check(
        "GET",
        &format!("{f}?revision=99"),
        &NONE,
        404,
        "unknown_revision",
    );
    check("GET", &format!("{f}/nodes/99"), &NONE, 404, "unknown_node");
    check(
        "DELETE",
        &format!("{f}/nodes/99"),
        &NONE,
        404,
        "unknown_node",
    );
    check(
        "DELETE",
        &format!("{f}/nodes/0"),
        &NONE,
        422,
        "protected_node",
    );
    check(
        "POST",
        &format!("{f}/nodes"),
        &json!({ "node_type": "Sone" }),
        404,
        "unknown_node_type",
    );
    check(
        "PATCH",
        &format!("{f}/nodes/2"),
        &json!({}),
        400,
        "invalid_arguments",
    );
    check(
        "PATCH",
        &format!("{f}/nodes/2"),
        &json!({ "position": [1] }),
        400,
        "invalid_arguments",
    );
    let value = format!("{f}/nodes/3/parameters/value");
    check(
        "PUT",
        &value,
        &json!({ "value": "many" }),
        422,
        "invalid_value",
    );
    check("PUT", &value, &json!({}), 400, "invalid_arguments");
    check(
        "PUT",
        &format!("{f}/nodes/3/parameters/w"),
        &json!({ "value": 1 }),
        404,
        "unknown_parameter",
    );
    check(
        "PUT",
        &format!("{f}/nodes/4/parameters/A"),
        &json!({ "value": 1 }),
        422,
        "parameter_linked",
    );
    let link = |source: u32, port: &str, target: u32, parameter: &str| {
        json!({
            "source_node_id": source, "source_port_name": port, "target_node_id": target,
            "target_parameter_name": parameter,
        })
    };
    let links = format!("{f}/links");
    check(
        "POST",
        &links,
        &link(4, "result", 2, "A"),
        422,
        "already_linked",
    );
    check(
        "POST",
        &links,
        &link(3, "value", 2, "A"),
        422,
        "already_linked",
    );
    let other = json!({
        "source_node_id": 1, "source_port_name": "pos", "target_node_id": 0, "target_parameter_name": "shape",
        "replace": true,
    });
    check("POST", &links, &other, 422, "type_mismatch");
    check(
        "POST",
        &links,
        &link(1, "nix", 0, "shape"),
        404,
        "unknown_port",
    );
    check(
        "DELETE",
        &format!("{links}/3/value"),
        &NONE,
        422,
        "not_linked",
    );
    check("PATCH", f, &json!({ "name": "" }), 422, "invalid_name");
    check(
        "PUT",
        f,
        &json!({ "name": "x", "nodes": 5 }),
        422,
        "invalid_edit",
    );
    check(
        "PUT",
        f,
        &json!({ "name": "x", "function_id": 2 }),
        400,
        "invalid_arguments",
    );
    check(
        "POST",
        &format!("{p}/functions"),
        &json!({ "name": "g", "expression": "1 +" }),
        422,
        "syntax",
    );
    check(
        "POST",
        &format!("{p}/functions"),
        &json!({ "name": "g", "expression": "x7" }),
        404,
        "unknown_name",
    );
    check(
        "POST",
        &format!("{f}/evaluate"),
        &json!({}),
        422,
        "missing_argument",
    );
    check(
        "POST",
        &format!("{f}/evaluate?dry_run=true"),
        &json!({}),
        400,
        "invalid_arguments",
    );
    check(
        "POST",
        &format!("{p}/edits"),
        &json!({ "edits": [{ "paint": {} }] }),
        422,
        "invalid_edit",
    );
    check(
        "POST",
        &format!("{p}/edits"),
        &json!({ "edits": {} }),
        400,
        "invalid_arguments",
    );
    check(
        "POST",
        &format!("{p}/import"),
        &json!({}),
        400,
        "invalid_arguments",
    );
}

#[test]
fn what_is_in_use_or_in_the_way_is_a_conflict() {
    let http = ball();
    let p = "/api/projects/p";
    let body = json!({ "name": "Two", "expression": "Ball(pos) + 1" });
    done(&http, "POST", &format!("{p}/functions"), &body);
    refused(
        &http,
        "DELETE",
        &format!("{p}/functions/1"),
        &NONE,
        409,
        "in_use",
    );
    refused(
        &http,
        "POST",
        &format!("{p}/undo"),
        &json!({ "revision": 1 }),
        409,
        "in_use",
    );
    for value in [6, 7] {
        let path = format!("{p}/functions/1/nodes/3/parameters/value");
        done(&http, "PUT", &path, &json!({ "value": value }));
    }
    refused(
        &http,
        "POST",
        &format!("{p}/undo"),
        &json!({ "revision": 3 }),
        409,
        "in_the_way",
    );
    done(
        &http,
        "POST",
        &format!("{p}/checkpoints"),
        &json!({ "name": "c" }),
    );
    let checkpoints = format!("{p}/checkpoints");
    refused(
        &http,
        "POST",
        &checkpoints,
        &json!({ "name": "c" }),
        409,
        "duplicate_id",
    );
    let restore = format!("{p}/history/restore");
    refused(
        &http,
        "POST",
        &restore,
        &json!({ "checkpoint": "d" }),
        404,
        "unknown_checkpoint",
    );
    refused(
        &http,
        "POST",
        &restore,
        &json!({ "revision": 77 }),
        404,
        "unknown_revision",
    );
    refused(
        &http,
        "POST",
        &restore,
        &json!({ "revision": 5 }),
        422,
        "nothing_to_restore",
    );
    refused(
        &http,
        "POST",
        &format!("{p}/undo"),
        &json!({ "redo": true }),
        422,
        "nothing_to_redo",
    );
}

#[test]
fn a_stale_write_is_refused_and_a_tried_one_changes_nothing() {
    let http = ball();
    let f = "/api/projects/p/functions/1";
    let value = json!({ "value": 4 });
    let writes = [
        (
            "POST",
            "/api/projects/p/functions".to_owned(),
            json!({ "name": "g", "expression": "1" }),
        ),
        (
            "PUT",
            f.to_owned(),
            done(&http, "GET", &format!("{f}/graph"), &NONE),
        ),
        ("PATCH", f.to_owned(), json!({ "name": "g" })),
        ("DELETE", f.to_owned(), NONE),
        ("POST", format!("{f}/nodes"), json!({ "node_type": "Sine" })),
        (
            "PATCH",
            format!("{f}/nodes/2"),
            json!({ "position": [1, 2] }),
        ),
        ("DELETE", format!("{f}/nodes/2"), NONE),
        (
            "PUT",
            format!("{f}/nodes/3/parameters/value"),
            value.clone(),
        ),
        ("DELETE", format!("{f}/links/0/shape"), NONE),
        (
            "POST",
            "/api/projects/p/edits".to_owned(),
            json!({ "edits": [{ "delete_function": { "function_id": 1 } }] }),
        ),
        (
            "POST",
            "/api/projects/p/checkpoints".to_owned(),
            json!({ "name": "c" }),
        ),
        ("POST", "/api/projects/p/undo".to_owned(), NONE),
        (
            "POST",
            "/api/projects/p/history/restore".to_owned(),
            json!({ "revision": 0 }),
        ),
    ];
    for (method, path, body) in &writes {
        let stale = format!("{path}?expected_revision=0");
        let refusal = refused(&http, method, &stale, body, 409, "revision_conflict");
        assert_eq!(refusal["details"]["current_revision"], 1);
        let tried = done(
            &http,
            method,
            &format!("{path}?expected_revision=1&dry_run=true"),
            body,
        );
        assert_eq!(
            (&tried["dry_run"], &tried["revision"]),
            (&json!(true), &json!(1)),
            "{path}"
        );
    }
    let summary = done(&http, "GET", "/api/projects/p", &NONE);
    assert_eq!(summary["revision"], 1);
    // A condition in the body would be lost on who expects it, so it is refused.
    let body = json!({ "value": 4, "expected_revision": 0 });
    let path = format!("{f}/nodes/3/parameters/value");
    refused(&http, "PUT", &path, &body, 400, "invalid_arguments");
    let stale = json!({ "expected_revision": 0 });
    refused(
        &http,
        "DELETE",
        &format!("{f}/nodes/2"),
        &stale,
        400,
        "invalid_arguments",
    );
    refused(
        &http,
        "DELETE",
        "/api/projects/p?expected_revision=0",
        &NONE,
        409,
        "revision_conflict",
    );
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
        let shown = done(&http, "GET", "/api/projects/p/history?limit=1", &NONE);
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
    refused(
        &http,
        "POST",
        "/api/projects/none/undo",
        &json!({ "anyone": true }),
        404,
        "unknown_project",
    );
}

#[test]
fn other_paths_and_methods_are_refused_as_json() {
    let http = ball();
    for path in [
        "/api",
        "/api/",
        "/api/nix",
        "/api/projects/",
        "/api/projects/p/nix",
        "/api/projects/p/functions/1/",
    ] {
        for method in ["GET", "POST", "DELETE", "PATCH"] {
            refused(&http, method, path, &NONE, 404, "unknown_route");
        }
    }
    for (path, method, allowed) in [
        ("/api/projects", "DELETE", "GET,HEAD,POST"),
        ("/api/projects", "OPTIONS", "GET,HEAD,POST"),
        ("/api/projects/p", "PUT", "GET,HEAD,PATCH,DELETE"),
        ("/api/events", "POST", "GET,HEAD"),
        (
            "/api/projects/p/functions/1",
            "POST",
            "GET,HEAD,PUT,PATCH,DELETE",
        ),
        ("/api/projects/p/edits", "TRACE", "POST"),
        ("/api/projects/p/edits", "BREW", "POST"),
    ] {
        refused(&http, method, path, &NONE, 405, "method_not_allowed");
        let (_, head, _) = http.request(method, path, &[], b"");
        let allow = head.lines().find_map(|line| line.strip_prefix("allow: "));
        assert_eq!(allow, Some(allowed), "{method} {path}");
    }
    let (status, head, body) = http.request("HEAD", "/api/projects", &[], b"");
    assert_eq!((status, body.as_str()), (200, ""), "{head}");
    // Elsewhere refusals are text, as before.
    let (status, head, body) = http.request("GET", "/apis", &[], b"");
    assert_eq!(status, 404);
    assert!(
        head.contains("text/plain") && body.starts_with("unknown_route: "),
        "{head} {body}"
    );
}

#[test]
fn the_rules_of_the_server_hold_for_every_route() {
    let http = Http::new(&[], Some("secret-of-the-test"));
    let document = done(&http, "GET", "/api/openapi.json", &NONE);
    let long = "x".repeat(2_000);
    for (path, item) in document["paths"].as_object().expect("paths") {
        for method in item.as_object().expect("methods").keys() {
            let method = method.to_uppercase();
            let twice = [("Host", http.address.as_str()), ("Host", "localhost")];
            for (headers, status, code) in [
                (&[("Host", "evil.example")][..], 403, "forbidden"),
                (&[("Origin", "http://evil.example")], 403, "forbidden"),
                (&[("Origin", "null")], 403, "forbidden"),
                (&twice, 400, "bad_request"),
                (&[("Authorization", "")], 401, "unauthorized"),
                (
                    &[("Authorization", "Bearer secret-of-the-tesT")],
                    401,
                    "unauthorized",
                ),
            ] {
                let (given, answer) = send(&http, &method, path, headers, long.as_bytes());
                let given = (given, answer["code"].as_str());
                assert_eq!(given, (status, Some(code)), "{method} {path} {headers:?}");
            }
        }
    }
    let (_, head, _) = http.request("GET", "/api/projects", &[("Authorization", "")], b"");
    assert!(
        head.to_lowercase().contains("www-authenticate: bearer"),
        "{head}"
    );
}

#[test]
fn a_server_that_only_reads_refuses_every_write() {
    let http = Http::new(&["--read-only"], None);
    let document = done(&http, "GET", "/api/openapi.json", &NONE);
    let mut reads = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("methods") {
            let path = path
                .replace("{project}", "default")
                .replace("{function_id}", "1");
            // The stream would not end.
            let method = if path == "/api/events" {
                "HEAD".to_owned()
            } else {
                method.to_uppercase()
            };
            if method == "HEAD" {
                continue;
            }
            let (status, answer) = ask(&http, &method, &path, &NONE);
            if answer["code"] == "read_only" {
                assert_eq!(status, 403, "{method} {path}");
            } else {
                reads.push(operation["operationId"].as_str().expect("an id"));
            }
        }
    }
    reads.sort_unstable();
    let expected = [
        "evaluate",
        "get_function",
        "get_graph",
        "get_history",
        "get_node_info",
        "get_openapi",
        "get_project",
        "list_functions",
        "list_node_types",
        "list_projects",
    ];
    assert_eq!(reads, expected);
}
