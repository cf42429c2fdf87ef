//! The progress of requests that name themselves.

use serde_json::json;

use super::stream::Stream;
use super::{ball, send};

#[test]
fn the_progress_of_a_named_request_is_streamed_until_it_ends() {
    let http = ball();
    let mut stream = Stream::of(&http, "/api/progress/volume-1", &[]);
    assert_contains!(stream.head.to_lowercase() => "content-type: text/event-stream");
    let opening = stream.next().expect("it begins before the request");
    assert!(opening.text.starts_with(": "), "{opening:?}");
    let body = json!({ "function_id": 1, "figures": ["volume"] }).to_string();
    let name = [("X-Fibula-Request", "volume-1")];
    let path = "/api/projects/p/measure";
    let (status, answer) = send(&http, "POST", path, &name, body.as_bytes());
    assert_eq!(status, 200, "{answer}");
    let mut events = Vec::new();
    while let Some(frame) = stream.next() {
        let number = |name: &str| frame.data[name].as_u64();
        if frame.event.as_deref() == Some("progress") {
            let work = number("done").zip(number("total"));
            assert!(work.is_some_and(|(done, total)| done <= total), "{frame:?}");
        }
        events.extend(frame.event);
    }
    assert_eq!(events.last().map(String::as_str), Some("end"));
    // The same name can be used again.
    assert_eq!(send(&http, "POST", path, &name, body.as_bytes()).0, 200);
}

#[test]
fn names_of_requests_are_plain() {
    let http = ball();
    let name = [("X-Fibula-Request", "a b")];
    let (status, answer) = send(&http, "GET", "/api/projects", &name, b"");
    assert_eq!(
        (status, answer["code"].as_str()),
        (422, Some("invalid_value"))
    );
    refused!(http, "GET", "/api/progress/a.b" => 422, "invalid_value");
}
