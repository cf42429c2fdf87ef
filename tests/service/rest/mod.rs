//! The routes under `/api`, through a real server: what they do, what they refuse, the events and the document.

/// The answer of a request that is done; its body is JSON in braces, an expression, or absent.
macro_rules! done {
    ($http:expr, $method:expr, $path:expr) => { done!($http, $method, $path, &serde_json::Value::Null) };
    ($http:expr, $method:expr, $path:expr, {$($body:tt)*}) => {
        done!($http, $method, $path, &serde_json::json!({$($body)*}))
    };
    ($http:expr, $method:expr, $path:expr, $body:expr) => {
        $crate::rest::done(&$http, $method, $path, $body)
    };
}

/// Checks that a request, as in [`done!`], is refused with this status and code; returns the refusal.
macro_rules! refused {
    ($http:expr, $method:expr, $path:expr => $status:expr, $code:expr) => {
        refused!($http, $method, $path, &serde_json::Value::Null => $status, $code)
    };
    ($http:expr, $method:expr, $path:expr, {$($body:tt)*} => $status:expr, $code:expr) => {
        refused!($http, $method, $path, &serde_json::json!({$($body)*}) => $status, $code)
    };
    ($http:expr, $method:expr, $path:expr, $body:expr => $status:expr, $code:expr) => {
        $crate::rest::refused(&$http, $method, $path, $body, $status, $code)
    };
}

/// The answer of an operation with these parts of its path, and its query and body, each if there is one.
macro_rules! op {
    ($client:expr, $operation:expr, $parts:tt) => { op!($client, $operation, $parts, "") };
    ($client:expr, $operation:expr, $parts:tt, {$($body:tt)*}) => {
        op!($client, $operation, $parts, "", {$($body)*})
    };
    ($client:expr, $operation:expr, $parts:tt, $query:expr) => {
        $client.call($operation, &$parts, $query, &serde_json::Value::Null)
    };
    ($client:expr, $operation:expr, $parts:tt, $query:expr, {$($body:tt)*}) => {
        $client.call($operation, &$parts, $query, &serde_json::json!({$($body)*}))
    };
    ($client:expr, $operation:expr, $parts:tt, $query:expr, $body:expr) => {
        $client.call($operation, &$parts, $query, $body)
    };
}

mod crowd;
mod document;
mod events;
mod examples;
mod graph;
mod hostile;
mod page;
mod progress;
mod routes;
mod rules;
mod samples;
mod server;
mod stream;

use std::fmt::Write as _;

use serde_json::Value as Json;

use crate::talk::Http;

/// Status and answer of a request with JSON; null sends no body.
fn ask(http: &Http, method: &str, path: &str, body: &Json) -> (u16, Json) {
    let body = match body {
        Json::Null => String::new(),
        body => body.to_string(),
    };
    send(http, method, path, &[], body.as_bytes())
}

/// Status and answer of a request. What is refused is refused in one form.
fn send(
    http: &Http,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> (u16, Json) {
    let (status, head, text) = http.request(method, path, headers, body);
    let lower = head.to_lowercase();
    for line in [
        "x-content-type-options: nosniff",
        "cache-control: no-store",
        "content-type: application/json",
    ] {
        assert!(lower.contains(line), "{method} {path}: {head}");
    }
    let answer: Json = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{method} {path}: {error} in {text}"));
    if status != 200 {
        let members = answer.as_object().expect("a refusal is an object");
        let names: Vec<&str> = members.keys().map(String::as_str).collect();
        let expected = ["code", "details", "hint", "message", "success"];
        assert_eq!(names, expected, "{method} {path}: {text}");
        assert_eq!(answer["success"], false);
        assert!(
            answer["message"]
                .as_str()
                .is_some_and(|text| !text.is_empty() && text.len() < 2_000),
            "{text}"
        );
    }
    (status, answer)
}

/// The answer of a request that is done.
fn done(http: &Http, method: &str, path: &str, body: &Json) -> Json {
    let (status, answer) = ask(http, method, path, body);
    assert_eq!(status, 200, "{method} {path} {}: {answer}", short(body));
    answer
}

/// Checks that a request is refused with this status and code; gives the refusal.
fn refused(http: &Http, method: &str, path: &str, body: &Json, status: u16, code: &str) -> Json {
    let (given, answer) = ask(http, method, path, body);
    assert_eq!(
        (given, answer["code"].as_str()),
        (status, Some(code)),
        "{method} {path} {}: {answer}",
        short(body)
    );
    answer
}

/// The beginning of a body.
fn short(body: &Json) -> String {
    body.to_string().chars().take(200).collect()
}

/// A text in a path.
fn encoded(text: &str) -> String {
    let mut all = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            all.push(byte as char);
        } else {
            let _ = write!(all, "%{byte:02X}");
        }
    }
    all
}

/// A server with a ball in the project "p".
fn ball() -> Http {
    let http = Http::new(&[], None);
    done!(http, "POST", "/api/projects", { "project": "p" });
    let made = done!(http, "POST", "/api/projects/p/functions", { "name": "Ball", "expression": "length(pos) - 5" });
    assert_fields!(made, { "function_id": 1, "revision": 1 });
    http
}
