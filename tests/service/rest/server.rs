//! Laws of every route: paths and methods, host, origin, token, a server that only reads.

use serde_json::Value as Json;

use super::{ask, ball, send};
use crate::talk::Http;

const NONE: Json = Json::Null;

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
            refused!(http, method, path => 404, "unknown_route");
        }
    }
    for (path, method, allowed) in cases![
        "/api/projects" => "DELETE", "GET,HEAD,POST";
        "/api/projects" => "OPTIONS", "GET,HEAD,POST";
        "/api/projects/p" => "PUT", "GET,HEAD,PATCH,DELETE";
        "/api/events" => "POST", "GET,HEAD";
        "/api/projects/p/functions/1" => "POST", "GET,HEAD,PUT,PATCH,DELETE";
        "/api/projects/p/edits" => "TRACE", "POST";
        "/api/projects/p/edits" => "BREW", "POST";
    ] {
        refused!(http, method, path => 405, "method_not_allowed");
        let (_, head, _) = http.request(method, path, &[], b"");
        let allow = head.lines().find_map(|line| line.strip_prefix("allow: "));
        assert_eq!(allow, Some(allowed), "{method} {path}");
    }
    let (status, head, body) = http.request("HEAD", "/api/projects", &[], b"");
    assert_eq!((status, body.as_str()), (200, ""), "{head}");
    // Elsewhere refusals are text, as before.
    let (status, head, body) = http.request("GET", "/apis", &[], b"");
    assert_eq!(status, 404);
    assert!(head.contains("text/plain"), "{head} {body}");
    assert_starts!(body => "unknown_route: ");
}

#[test]
fn the_rules_of_the_server_hold_for_every_route() {
    let http = Http::new(&[], Some("secret-of-the-test"));
    let document = done!(http, "GET", "/api/openapi.json");
    let long = "x".repeat(2_000);
    for (path, item) in document["paths"].as_object().expect("paths") {
        for method in item.as_object().expect("methods").keys() {
            let method = method.to_uppercase();
            let twice = [("Host", http.address.as_str()), ("Host", "localhost")];
            for (headers, status, code) in cases![
                &[("Host", "evil.example")][..] => 403, "forbidden";
                &[("Origin", "http://evil.example")] => 403, "forbidden";
                &[("Origin", "null")] => 403, "forbidden";
                &twice => 400, "bad_request";
                &[("Authorization", "")] => 401, "unauthorized";
                &[("Authorization", "Bearer secret-of-the-tesT")] => 401, "unauthorized";
            ] {
                let (given, answer) = send(&http, &method, path, headers, long.as_bytes());
                let given = (given, answer["code"].as_str());
                assert_eq!(given, (status, Some(code)), "{method} {path} {headers:?}");
            }
        }
    }
    let (_, head, _) = http.request("GET", "/api/projects", &[("Authorization", "")], b"");
    let head = head.to_lowercase();
    assert!(head.contains("www-authenticate: bearer"), "{head}");
}

#[test]
fn a_server_that_only_reads_refuses_every_write() {
    let http = Http::new(&["--read-only"], None);
    let document = done!(http, "GET", "/api/openapi.json");
    let mut reads = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("methods") {
            // What it gives is no JSON.
            let is_file = path.ends_with("/export.3mf")
                || path.ends_with("/picture")
                || path.starts_with("/api/graph/")
                    && (path.ends_with("/export") || path.ends_with("/render"));
            let project = if is_file { "none" } else { "default" };
            let path = path
                .replace("{project}", project)
                .replace("{function_id}", "1");
            // A stream would not end.
            let content = &operation["responses"]["200"]["content"];
            let method = if content["text/event-stream"].is_object() {
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
        "analyze",
        "evaluate",
        "export",
        "export_graph",
        "find_path",
        "get_compatible_links",
        "get_conversation_history",
        "get_conversation_state",
        "get_edge",
        "get_file",
        "get_function",
        "get_function_picture",
        "get_function_shader",
        "get_function_text",
        "get_graph",
        "get_graph_state",
        "get_history",
        "get_layout",
        "get_neighbors",
        "get_node",
        "get_node_info",
        "get_openapi",
        "get_overview",
        "get_package",
        "get_port_values",
        "get_project",
        "get_schema",
        "get_structure",
        "lay_out",
        "list_edges",
        "list_files",
        "list_functions",
        "list_marks",
        "list_node_types",
        "list_nodes",
        "list_parameters",
        "list_projects",
        "measure",
        "pick",
        "render",
        "render_graph",
        "sample",
        "search_nodes",
        "slice",
        "summarize",
        "traverse",
    ];
    assert_eq!(reads, expected);
}
