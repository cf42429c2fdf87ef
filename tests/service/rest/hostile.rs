//! Hostile requests.

use serde_json::{Value as Json, json};

use super::{ask, ball, encoded, send};

const NONE: Json = Json::Null;
const LIMIT: usize = 16 << 20;

#[test]
fn bodies_that_are_no_requests() {
    let http = ball();
    let path = "/api/projects/p/edits";
    let deep = format!(
        "{{\"edits\":{}{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let flat = "{\"a\":".repeat(100_000) + "1" + &"}".repeat(100_000);
    for (body, code) in [
        (&b"{"[..], "invalid_json"),
        (b"null", "invalid_json"),
        (b"[]", "invalid_json"),
        (b"\"edits\"", "invalid_json"),
        (b"\xff\xfe", "invalid_json"),
        (b"{\"edits\":[\"\xff\"]}", "invalid_json"),
        (b"{}{}", "invalid_json"),
        (b"{\"edits\":[],}", "invalid_json"),
        (b"{\"edits\":NaN}", "invalid_json"),
        (deep.as_bytes(), "invalid_json"),
        (flat.as_bytes(), "invalid_json"),
        (b"{\"edits\":null}", "invalid_arguments"),
        (b"{\"edits\":[],\"edit\":1}", "invalid_arguments"),
    ] {
        let (status, answer) = send(&http, "POST", path, &[], body);
        let shown = String::from_utf8_lossy(&body[..body.len().min(40)]);
        assert_eq!(status, 400, "{shown}: {answer}");
        assert_eq!(answer["code"], code, "{shown}: {answer}");
    }
    for media in [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ] {
        let head = [("Content-Type", media)];
        let (status, answer) = send(&http, "POST", path, &head, b"{\"edits\":[]}");
        assert_eq!(status, 415, "{media}");
        assert_eq!(answer["code"], "unsupported_media_type", "{media}");
    }
    let head = [("Content-Type", "Application/JSON; charset=utf-8")];
    assert_eq!(send(&http, "POST", path, &head, b"{\"edits\":[]}").0, 200);
}

#[test]
fn huge_requests_are_refused_and_others_go_on() {
    let http = ball();
    let path = "/api/projects/p/edits";
    let mut long = b"{\"edits\":[\"".to_vec();
    long.resize(LIMIT, b'x');
    let (status, answer) = send(&http, "POST", path, &[], &long);
    assert_eq!((status, &answer["code"]), (400, &json!("invalid_json")));
    long.resize(LIMIT + 1, b'x');
    let (status, answer) = send(&http, "POST", path, &[], &long);
    assert_eq!((status, &answer["code"]), (413, &json!("too_large")));
    let hint = "send less at once; `fibula import` reads larger files";
    assert_eq!(answer["hint"], hint);
    let edits = vec![json!({ "delete_node": { "function_id": 1, "node_id": 2 } }); 20_001];
    refused!(http, "POST", path, { "edits": edits } => 413, "too_large");
    let points = |count: usize| json!({ "arguments": vec![json!({ "pos": [0, 0, 0] }); count] });
    let evaluate = "/api/projects/p/functions/1/evaluate";
    let values = done!(http, "POST", evaluate, &points(100_000));
    assert_eq!(values["values"].as_array().map(Vec::len), Some(100_000));
    refused!(http, "POST", evaluate, &points(100_001) => 413, "too_large");
    let name = "x".repeat(300);
    refused!(http, "POST", "/api/projects", { "project": name } => 422, "invalid_name");
    let long = format!("/api/projects/{}", "y".repeat(20_000));
    let (status, answer) = ask(&http, "GET", &long, &NONE);
    assert_eq!((status, &answer["code"]), (404, &json!("unknown_project")));
    let query = format!("/api/projects?{}=1", "z".repeat(20_000));
    refused!(http, "GET", &query => 400, "invalid_arguments");
}

#[test]
fn ids_that_are_none() {
    let http = ball();
    for id in [
        "-1",
        "1e9",
        "abc",
        "1.0",
        "+1",
        " 1",
        "0x1",
        "4294967296",
        "99999999999999999999",
        "%31%00",
        "null",
    ] {
        let id = if id.contains('%') {
            id.to_owned()
        } else {
            encoded(id)
        };
        let path = format!("/api/projects/p/functions/{id}");
        for (method, path) in [
            ("GET", path.clone()),
            ("DELETE", path.clone()),
            ("GET", format!("{path}/nodes/1")),
            ("GET", format!("/api/projects/p/functions/1/nodes/{id}")),
            ("GET", format!("/api/projects/p/functions/1?revision={id}")),
            ("DELETE", format!("/api/projects/p?expected_revision={id}")),
        ] {
            let (status, answer) = ask(&http, method, &path, &NONE);
            // A revision may be as large as 64 bits hold, and be none all the same.
            let fits = path.ends_with("4294967296");
            let is_name = path.starts_with(&format!("/api/projects/p/functions/{id}"));
            let expected = if is_name {
                // What is no id may be the name of a function.
                (404, "unknown_function")
            } else if fits && path.contains("?revision") {
                (404, "unknown_revision")
            } else if fits && path.contains("?expected_revision") {
                (409, "revision_conflict")
            } else {
                (400, "invalid_arguments")
            };
            assert_eq!(
                (status, answer["code"].as_str()),
                (expected.0, Some(expected.1)),
                "{method} {path}: {answer}"
            );
        }
    }
}

#[test]
fn paths_and_queries_that_are_no_text() {
    let http = ball();
    for (path, status, code) in cases![
        "/api/projects/%FF" => 400, "invalid_path";
        "/api/projects/%C3%28/functions" => 400, "invalid_path";
        "/api/projects/%zz" => 404, "unknown_project";
        "/api/projects/%" => 404, "unknown_project";
        "/api/projects/%00" => 404, "unknown_project";
        "/api/projects/..%2F..%2Fetc%2Fpasswd" => 404, "unknown_project";
        "/api/projects/../projects/p" => 404, "unknown_route";
        "/api//projects" => 404, "unknown_route";
        "/api/projects?limit=%FF" => 400, "invalid_arguments";
        "/api/projects?%FF=1" => 400, "invalid_arguments";
        "/api/projects?limit=1&limit=2" => 400, "invalid_arguments";
        "/api/projects?deleted" => 400, "invalid_arguments";
        "/api/projects?lmit=1" => 400, "invalid_arguments";
        "/api/openapi.json?x=1" => 400, "invalid_arguments";
        "/api/events?before=1" => 400, "invalid_arguments";
    ] {
        refused!(http, "GET", path => status, code);
    }
}

#[test]
fn names_cannot_break_out_of_where_they_are_shown() {
    let http = ball();
    for name in [
        "a\r\nSet-Cookie: x=1",
        "a\nid: p:99",
        "a\u{0}b",
        "a\u{202e}b",
        "a\u{2028}b",
    ] {
        refused!(http, "POST", "/api/projects", { "project": name } => 422, "invalid_name");
        let (status, head, _) =
            http.request("GET", &format!("/api/projects/{}", encoded(name)), &[], b"");
        assert_eq!(status, 404);
        assert!(!head.to_lowercase().contains("set-cookie"), "{head}");
    }
    let name = "<script>'\"&amp;{project}%41";
    done!(http, "POST", "/api/projects", { "project": name });
    let shown = done!(http, "GET", &format!("/api/projects/{}", encoded(name)));
    assert_eq!(shown["project"], name);
    let (status, head, _) = http.request(
        "GET",
        &format!("/api/nix{}", encoded("\r\nX-Evil: 1")),
        &[],
        b"",
    );
    assert_eq!(status, 404);
    assert!(!head.contains("X-Evil"), "{head}");
    // Whoever asks is cut and made visible, and is no person by chance.
    let long = format!("page\u{202e}{}", "x".repeat(500));
    let head = [("X-Fibula-Client", long.as_str())];
    let path = "/api/projects/p/functions/1/nodes";
    let sine = br#"{"node_type":"Sine"}"#;
    assert_eq!(send(&http, "POST", path, &head, sine).0, 200);
    let shown = done!(http, "GET", "/api/projects/p/history?limit=1");
    let client = shown["entries"][0]["client"].as_str().expect("a name");
    assert!(client.starts_with("pagexxx"), "{client}");
    assert_eq!(client.chars().count(), 81, "{client}");
}
