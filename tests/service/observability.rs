//! What whoever runs a server sees of its calls, and what clients may use of it.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use crate::talk::{Http, call};

/// The value of a header of an answer.
fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.find_map(|(own, value)| own.eq_ignore_ascii_case(name).then_some(value.trim()))
}

#[test]
fn answers_have_the_ids_of_their_requests() {
    let http = Http::new(&[], None);
    for path in ["/api/projects", "/mcp", "/nowhere", "/"] {
        let (_, head, _) = http.request("GET", path, &[("X-Request-Id", "from-proxy-1")], b"");
        assert_eq!(
            header(&head, "x-request-id"),
            Some("from-proxy-1"),
            "{path}"
        );
        let (_, one, _) = http.request("GET", path, &[], b"");
        let (_, two, _) = http.request("GET", path, &[("X-Request-Id", "a line\tand more")], b"");
        let (one, two) = (header(&one, "x-request-id"), header(&two, "x-request-id"));
        assert!(
            one.is_some_and(|id| id.len() > 8) && one != two,
            "{one:?} {two:?}"
        );
        assert_ne!(two, Some("a line\tand more"));
    }
}

#[test]
fn calls_are_logged_with_their_ids() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = Command::new(env!("CARGO_BIN_EXE_fibula"))
        .args(["mcp", "--data", ":memory:"])
        .current_dir(folder.path())
        .env("FIBULA_LOG", "info")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    for message in [
        call(41, "list_functions", &json!({})),
        call(42, "measure", &json!({ "function_id": 9 })),
    ] {
        std::io::Write::write_all(&mut stdin, format!("{message}\n").as_bytes()).expect("it reads");
    }
    drop(stdin);
    let answers = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    assert_eq!(answers.count(), 2);
    let mut log = String::new();
    child
        .stderr
        .take()
        .expect("a pipe")
        .read_to_string(&mut log)
        .expect("text");
    child.wait().expect("it ends");
    let line = |id: &str| {
        let found = log
            .lines()
            .find(|line| line.contains(id) && line.contains("answered"));
        found
            .unwrap_or_else(|| panic!("no {id} in {log}"))
            .to_owned()
    };
    let (one, two) = (line("request=41"), line("request=42"));
    assert_contains!(one => "operation=list_functions", "outcome=\"ok\"", "ms=");
    assert_contains!(two => "operation=measure", "outcome=\"unknown_function\"");
}

#[test]
fn clients_are_limited() {
    let http = Http::new(&["--client-rate", "4"], None);
    let get = || http.request("GET", "/api/projects", &[], b"");
    let refused = (0..40).map(|_| get()).find(|(status, ..)| *status == 429);
    let (_, head, body) = refused.expect("the rate is 4 per second, and 8 at once");
    assert_eq!(header(&head, "retry-after"), Some("1"));
    let refusal: Json = serde_json::from_str(&body).expect("JSON");
    assert_eq!(refusal["code"], "rate_limited");
    // The page is not limited.
    let (status, ..) = http.request("GET", "/", &[("Accept", "text/html")], b"");
    assert_eq!(status, 200);
    // A second later there is room again.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert_eq!(get().0, 200);

    // Tokens cannot be tried quickly.
    let http = Http::new(
        &["--client-rate", "2"],
        Some("token-of-the-test-0123456789"),
    );
    let wrong = [("Authorization", "Bearer wrong")];
    let statuses: Vec<u16> = (0..20)
        .map(|_| http.request("GET", "/api/projects", &wrong, b"").0)
        .collect();
    assert!(
        statuses.contains(&401) && statuses.contains(&429),
        "{statuses:?}"
    );
}

/// A batch is as many requests as it has messages.
#[test]
fn batches_are_limited() {
    let http = Http::new(&["--client-rate", "3"], None);
    let one = |id: u64| call(id, "list_functions", &json!({}));
    let batch = json!((0..20).map(one).collect::<Vec<_>>()).to_string();
    let version = [("MCP-Protocol-Version", "2025-03-26")];
    let (status, _, body) = http.request("POST", "/mcp", &version, batch.as_bytes());
    assert_eq!(status, 200, "{body}");
    let answers: Vec<Json> = serde_json::from_str(&body).expect("JSON");
    let refused = answers.iter().filter(|answer| {
        answer["error"]["message"]
            .to_string()
            .contains("rate_limited")
    });
    assert_eq!(answers.len(), 20);
    assert!((10..20).contains(&refused.count()), "{body}");
}

#[test]
fn a_client_has_few_calls_in_progress() {
    let http = Http::new(&["--client-calls", "1"], None);
    let made = json!({ "name": "Heavy", "expression": "gyroid(pos, 3, 0.5)" });
    let (status, _, body) = http.request(
        "POST",
        "/api/projects/default/functions",
        &[],
        made.to_string().as_bytes(),
    );
    assert_eq!(status, 200, "{body}");
    let heavy = json!({ "function_id": 1, "bounds": [[0, 0, 0], [15, 15, 15]], "figures": ["volume"], "cell": 0.15 });
    let measure = || {
        let body = heavy.to_string();
        let path = "/api/projects/default/measure";
        http.request("POST", path, &[], body.as_bytes()).0
    };
    let mut statuses = std::thread::scope(|scope| {
        let other = scope.spawn(measure);
        [measure(), other.join().expect("it ends")]
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 429]);
    assert_eq!(http.request("GET", "/api/projects", &[], b"").0, 200);
}

/// Requests of a client with a limit on its memory or its time.
#[test]
fn memory_and_time_of_a_client_are_limited() {
    let http = Http::new(&["--client-memory", "1"], None);
    let points = vec![json!({ "pos": [1, 2, 3] }); 60_000];
    let body = json!({ "arguments": points }).to_string();
    let path = "/api/projects/default/functions/1/evaluate";
    let (status, _, answer) = http.request("POST", path, &[], body.as_bytes());
    assert_eq!(status, 429, "{answer}");
    assert_contains!(answer => "rate_limited", "MiB of memory");
    assert_eq!(http.request("GET", "/api/projects", &[], b"").0, 200);

    let http = Http::new(&["--client-seconds", "1"], None);
    let made = json!({ "name": "Heavy", "expression": "gyroid(pos, 3, 0.5)" }).to_string();
    let (status, _, answer) = http.request(
        "POST",
        "/api/projects/default/functions",
        &[],
        made.as_bytes(),
    );
    assert_eq!(status, 200, "{answer}");
    let heavy = json!({ "function_id": 1, "bounds": [[0, 0, 0], [15, 15, 15]], "figures": ["volume"], "cell": 0.15,
                        "time_limit": 3 });
    let heavy = heavy.to_string();
    let measure = || {
        http.request(
            "POST",
            "/api/projects/default/measure",
            &[],
            heavy.as_bytes(),
        )
    };
    let refused = (0..40)
        .map(|_| measure())
        .find(|(status, ..)| *status == 429);
    let (.., answer) = refused.expect("a second per minute");
    assert_contains!(answer => "1 seconds of work per minute", "wait ");
}

/// Spans of calls reach a collector of OpenTelemetry.
#[cfg(feature = "opentelemetry")]
#[test]
fn spans_are_exported() {
    use std::io::{Read as _, Write as _};
    let collector = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", collector.local_addr().expect("an address"));
    let http = Http::with_environment(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &address),
        ("OTEL_BSP_SCHEDULE_DELAY", "50"),
    ]);
    let id = [("X-Request-Id", "span-1")];
    let missing = json!({ "function_id": 9 }).to_string();
    http.request(
        "POST",
        "/api/projects/default/measure",
        &id,
        missing.as_bytes(),
    );
    collector.set_nonblocking(true).expect("a socket");
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let mut stream = loop {
        if let Ok((stream, _)) = collector.accept() {
            break stream;
        }
        assert!(std::time::Instant::now() < end, "nothing is exported");
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    stream.set_nonblocking(false).expect("a socket");
    let mut received = Vec::new();
    let mut buffer = [0; 4096];
    // One request, whose end the length of its body tells.
    let (head, body) = loop {
        let count = stream.read(&mut buffer).expect("it sends");
        assert!(count > 0, "it ended early");
        received.extend_from_slice(&buffer[..count]);
        let Some(end) = received.windows(4).position(|four| four == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8_lossy(&received[..end]).into_owned();
        let length: usize = header(&head, "content-length")
            .and_then(|text| text.parse().ok())
            .expect("a length");
        if received.len() >= end + 4 + length {
            break (head, received[end + 4..].to_vec());
        }
    };
    stream
        .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        .expect("it reads");
    assert!(head.starts_with("POST /v1/traces"), "{head}");
    let text = String::from_utf8_lossy(&body);
    assert_contains!(text => "fibula", "call", "measure", "span-1", "unknown_function");
}
