//! The HTTP server around MCP: who may use it, and what it says to others.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use fibula::mcp::{Options, Server, TOOLSETS};
use fibula::service::Service;
use serde_json::{Value as Json, json};

use crate::talk::{Http, Pipe, call};

/// Value of a metric with its labels.
fn metric(metrics: &str, name: &str) -> f64 {
    let line = metrics.lines().find_map(|line| line.strip_prefix(name));
    let value = line.unwrap_or_else(|| panic!("no {name} in {metrics}"));
    value.trim().parse().expect("a number")
}

#[test]
fn what_a_server_does_is_measured() {
    let http = Http::new(&[], None);
    let ball = json!({ "name": "Ball", "expression": "length(pos) - 5" });
    http.call("create_function_from_expression", &ball)
        .expect("a function");
    for function in ["Ball", "Ball", "none"] {
        let arguments = json!({ "function_id": function, "arguments": { "pos": [0, 0, 6] } });
        let _ = http.call("evaluate", &arguments);
    }
    let _ = http.call("no such tool", &json!({}));
    http.request("GET", "/api/projects/default/functions/Ball", &[], b"");
    http.request("GET", "/api/projects/default/functions/none", &[], b"");
    http.request(
        "POST",
        "/graphql",
        &[],
        br#"{"query":"{ graph { nodeCount } }"}"#,
    );
    let (status, head, metrics) = http.request("GET", "/metrics", &[], b"");
    assert_eq!(status, 200);
    assert_contains!(&head.to_lowercase() => "application/openmetrics-text; version=1.0.0");
    for (surface, operation, outcome, count) in [
        ("mcp", "create_function_from_expression", "ok", 1.0),
        ("mcp", "evaluate", "ok", 2.0),
        ("mcp", "evaluate", "unknown_function", 1.0),
        ("mcp", "unknown", "unknown_tool", 1.0),
        ("rest", "get_function", "ok", 1.0),
        ("rest", "get_function", "unknown_function", 1.0),
        ("graphql", "query", "ok", 1.0),
    ] {
        let labels =
            format!(r#"{{surface="{surface}",operation="{operation}",outcome="{outcome}"}}"#);
        let counted = metric(&metrics, &format!("fibula_calls_total{labels}"));
        assert_eq!(
            counted.to_bits(),
            f64::to_bits(count),
            "{labels}: {metrics}"
        );
    }
    for (name, least, most) in [
        (
            r#"fibula_call_duration_seconds_count{surface="mcp",operation="evaluate"}"#,
            3.0,
            3.0,
        ),
        (r#"fibula_calls_running{surface="mcp"}"#, 0.0, 0.0),
        (r#"fibula_jobs_running{surface="mcp"}"#, 0.0, 0.0),
        (r#"fibula_jobs_waiting{surface="rest"}"#, 0.0, 0.0),
        ("fibula_connections", 1.0, 2.0),
        ("fibula_projects", 1.0, 1.0),
        ("fibula_revisions", 1.0, 1.0),
    ] {
        let value = metric(&metrics, name);
        assert!((least..=most).contains(&value), "{name} is {value}");
    }
    if cfg!(target_os = "linux") {
        assert!(metric(&metrics, "process_resident_memory_bytes") > 1e6);
        assert!(metric(&metrics, "process_open_fds") > 2.0);
        assert!(metric(&metrics, "process_cpu_seconds_total") > 0.0);
        assert!(metric(&metrics, "process_start_time_seconds") > 1.7e9);
    }
    assert!(metrics.ends_with("# EOF\n"));
    // Who has no token sees nothing.
    let secret = Http::new(&[], Some("secret-of-the-test"));
    let (status, ..) = secret.request("GET", "/metrics", &[("Authorization", "")], b"");
    assert_eq!(status, 401);
}

/// Status of a request with these headers, on every kind of route.
fn check(http: &Http, headers: &[(&str, &str)], expected: u16) {
    let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for (method, path, fine) in [
        ("GET", "/health", 200),
        ("GET", "/", 200),
        ("POST", "/mcp", 200),
        ("POST", "/mcp/memory", 200),
        ("GET", "/none", 404),
    ] {
        let body: &[u8] = if method == "POST" { ping } else { b"" };
        let expected = if expected == 200 { fine } else { expected };
        let (status, head, body) = http.request(method, path, headers, body);
        assert_eq!(
            status, expected,
            "{method} {path} with {headers:?}: {head} {body}"
        );
    }
}

#[test]
fn hosts_and_origins_are_ours() {
    let http = Http::new(&["--host", "fibula.example"], None);
    let port = http.address.rsplit_once(':').expect("a port").1.to_owned();
    let local = format!("localhost:{port}");
    let (ours, other) = (format!("http://{local}"), "http://localhost:1");
    check_each! { check(&http);
        &[] => 200;
        &[("Host", &local)] => 200;
        &[("Host", "LOCALHOST")] => 200;
        &[("Host", "fibula.example:443")] => 200;
        &[("Host", "evil.example")] => 403;
        &[("Host", &format!("evil.example:{port}"))] => 403;
        &[("Host", "127.0.0.1.evil.example")] => 403;
        &[("Host", "127.0.0.1:+80")] => 403;
        &[("Host", "127.0.0.1:")] => 403;
        &[("Origin", &ours)] => 200;
        &[("Origin", other)] => 403;
        &[("Origin", "http://evil.example")] => 403;
        &[("Origin", &format!("http://evil.example:{port}"))] => 403;
        &[("Origin", &format!("https://localhost:{port}"))] => 403;
        &[("Origin", "null")] => 403;
    }
}

#[test]
fn a_token_is_asked_for_where_there_is_one() {
    let http = Http::new(&[], Some("secret-of-the-test"));
    check_each! { check(&http);
        &[] => 200;
        &[("Authorization", "")] => 401;
        &[("Authorization", "Bearer a-secret-of-length of the tesT")] => 401;
        &[("Authorization", "Bearer a-secret-of-length of the test and more")] => 401;
        &[("Authorization", "Basic secret-of-the-test")] => 401;
    }
    let (_, head, _) = http.request("GET", "/none", &[("Authorization", "")], b"");
    let head = head.to_lowercase();
    assert!(head.contains("www-authenticate: bearer"), "{head}");
}

#[test]
fn it_says_what_it_is() {
    let http = Http::new(&[], None);
    let (_, head, body) = http.request("GET", "/health", &[], b"");
    assert_contains!(head => "application/json");
    let health: serde_json::Value = serde_json::from_str(&body).expect("JSON");
    let expected =
        json!({ "status": "ok", "name": "fibula", "version": env!("CARGO_PKG_VERSION") });
    assert_eq!(health, expected);
    let about: serde_json::Value =
        serde_json::from_str(&http.request("GET", "/", &[], b"").2).expect("JSON");
    assert_eq!(about["mcp"], "/mcp");
    assert_eq!(about["projects"][0]["project"], "default");
}

/// The status of a request line with the right `Host`, from a client that closes its side before it is answered.
fn status_of(http: &Http, line: &str) -> String {
    let mut stream = TcpStream::connect(&http.address).expect("it listens");
    let head = format!("{line}\r\nHost: {}\r\n\r\n", http.address);
    stream.write_all(head.as_bytes()).expect("it reads");
    stream.shutdown(Shutdown::Write).expect("it is open");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer.get(9..12).unwrap_or_default().to_owned()
}

#[test]
fn targets_in_absolute_form_are_ours() {
    let http = Http::new(&[], None);
    let own = format!("GET http://{}/health HTTP/1.1", http.address);
    assert_eq!(status_of(&http, &own), "200");
    assert_eq!(
        status_of(&http, "GET http://evil.example/health HTTP/1.1"),
        "403"
    );
}

/// `Accept: */*` is true of what the transport wants to see; large questions pass, and cursors are not ignored.
#[test]
fn clients_of_other_makes_are_answered() {
    let http = Http::new(&[], None);
    let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for accept in ["*/*", "text/html, */*;q=0.1"] {
        let (status, _, body) = http.request("POST", "/mcp", &[("Accept", accept)], ping);
        assert_eq!(status, 200, "{accept}: {body}");
    }
    let (status, ..) = http.request("POST", "/mcp", &[("Accept", "text/html")], ping);
    assert_eq!(status, 406);
    for method in [
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
    ] {
        let list =
            json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "cursor": "x" } });
        let (_, answer) = http.post(list.to_string().as_bytes());
        assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
    }
}

#[test]
fn resources_are_listed_in_pages() {
    let http = Http::new(&[], None);
    for number in 0..120 {
        call!(http, "create_project", { "project": format!("part {number}") });
    }
    let (mut names, mut cursor, mut pages) = (BTreeSet::new(), Json::Null, 0);
    while pages == 0 || !cursor.is_null() {
        let params = if pages == 0 {
            json!({})
        } else {
            json!({ "cursor": cursor })
        };
        let list =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/list", "params": params });
        let (_, answer) = http.post(list.to_string().as_bytes());
        for resource in answer["result"]["resources"].as_array().expect("a list") {
            let name = resource["name"].as_str().expect("a name").to_owned();
            assert!(names.insert(name), "twice: {resource}");
        }
        cursor = answer["result"]["nextCursor"].clone();
        pages += 1;
    }
    assert_eq!(pages, 2);
    let projects = names.iter().filter(|name| name.starts_with("part "));
    assert_eq!(projects.count(), 120);
}

#[test]
fn a_late_body_of_a_get_cuts_no_answer() {
    let http = Http::new(&[], None);
    let mut stream = TcpStream::connect(&http.address).expect("it listens");
    let head = format!(
        "GET /api/openapi.json HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: 2\r\n\r\n",
        http.address
    );
    stream.write_all(head.as_bytes()).expect("it reads");
    std::thread::sleep(Duration::from_millis(200));
    stream.write_all(b"{}").expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("a whole answer");
    let (_, body) = answer.split_once("\r\n\r\n").expect("an answer");
    assert!(serde_json::from_str::<Json>(body).is_ok(), "{head}");
}

/// Headers as a browser sends them.
const BROWSER: (&str, &str) = ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8");

#[test]
fn browsers_receive_the_page_without_the_token() {
    let http = Http::new(&[], Some("secret-of-the-test"));
    let none = ("Authorization", "");
    let (status, head, body) = http.request("GET", "/", &[BROWSER, none], b"");
    assert_eq!(status, 200, "{head}");
    let head = head.to_lowercase();
    for expected in [
        "content-type: text/html; charset=utf-8",
        "content-security-policy: default-src 'self'; ",
        "frame-ancestors 'none'",
        "x-content-type-options: nosniff",
        "cache-control: no-cache",
        "vary: accept",
    ] {
        assert_contains!(head => expected);
    }
    assert_contains!(body => "<title>");
    for (path, media) in [
        ("/app.js", "text/javascript"),
        ("/app.css", "text/css"),
        ("/vendor.js", "text/javascript"),
        ("/index.html", "text/html"),
    ] {
        let (status, head, _) = http.request("GET", path, &[none], b"");
        assert_eq!(status, 200, "{path}: {head}");
        assert_contains!(head => &format!("content-type: {media}"));
    }
    // Data needs the token, and so does the description of the server, which names projects.
    for (path, headers) in [("/api/projects", vec![BROWSER, none]), ("/", vec![none])] {
        assert_eq!(http.request("GET", path, &headers, b"").0, 401, "{path}");
    }
    assert_eq!(http.request("POST", "/app.js", &[none], b"").0, 401);
    let evil = ("Host", "evil.example");
    assert_eq!(http.request("GET", "/", &[BROWSER, evil], b"").0, 403);
}

#[test]
fn an_unchanged_file_of_the_page_is_not_sent_again() {
    let http = Http::new(&[], None);
    let (_, head, body) = http.request("GET", "/app.js", &[], b"");
    let tag = head
        .lines()
        .find_map(|line| line.strip_prefix("etag: "))
        .expect("a tag");
    let weak = format!("\"other\", W/{tag}");
    for known in [tag, &weak, "*"] {
        let (status, head, body) = http.request("GET", "/app.js", &[("If-None-Match", known)], b"");
        assert_eq!((status, body.as_str()), (304, ""), "{known}: {head}");
        assert_contains!(head => tag);
    }
    let other = [("If-None-Match", "\"other\"")];
    assert_eq!(http.request("GET", "/app.js", &other, b"").2, body);
    let (status, head, empty) = http.request("HEAD", "/app.js", &[], b"");
    assert_eq!((status, empty.as_str()), (200, ""));
    assert_contains!(head => &format!("content-length: {}", body.len()));
}

#[test]
fn the_page_is_served_from_a_folder_and_nothing_outside_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page");
    std::fs::create_dir_all(page.join("pictures")).expect("a folder");
    std::fs::write(page.join("index.html"), "<title>mine</title>").expect("a file");
    std::fs::write(page.join("pictures/a b.svg"), "<svg/>").expect("a file");
    std::fs::write(folder.path().join("secret.txt"), "secret").expect("a file");
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path().join("secret.txt"), page.join("link.txt"))
        .expect("a link");
    let path = page.to_str().expect("a text");
    let http = Http::new(&["--web-dir", path], None);
    assert_eq!(
        http.request("GET", "/", &[BROWSER], b"").2,
        "<title>mine</title>"
    );
    let (status, head, _) = http.request("GET", "/pictures/a%20b.svg", &[], b"");
    assert_eq!(status, 200, "{head}");
    assert_contains!(head => "content-type: image/svg+xml");
    for path in [
        "/app.js",
        "/pictures",
        "/link.txt",
        "/../secret.txt",
        "/..%2Fsecret.txt",
        "/%2e%2e/secret.txt",
        "/pictures/../../secret.txt",
        "/%2Fetc%2Fpasswd",
        "//etc/passwd",
        "/index.html%00",
        "/%ff",
    ] {
        let (status, _, body) = http.request("GET", path, &[], b"");
        assert_eq!(status, 404, "{path}: {body}");
    }
    // Other routes keep their names.
    std::fs::create_dir_all(page.join("api")).expect("a folder");
    std::fs::write(page.join("api/projects"), "not this").expect("a file");
    assert_contains!(http.request("GET", "/api/projects", &[], b"").2 => "default");
}

#[test]
fn addresses_that_cannot_be_served_are_refused_with_a_reason() {
    let said = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_fibula"))
            .arg("serve")
            .args(arguments)
            .env_remove("FIBULA_TOKEN")
            .env("FIBULA_DATA", ":memory:")
            .output()
            .expect("it ends");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        String::from_utf8(output.stderr).expect("text")
    };
    let http = Http::new(&[], None);
    let port = http.address.rsplit_once(':').expect("a port").1;
    assert_contains!(said(&["--listen", &http.address]) => &format!("port {port} is in use"));
    assert_contains!(said(&["--listen", "0.0.0.0:0"]) => "a token is required");
    assert_contains!(said(&["--web-dir", "/none"]) => "cannot serve the page from /none");
    assert_contains!(said(&["--web-dir", "tests"]) => "it has no index.html");
    for token in [
        "",
        "short",
        "a blank is in this one",
        "größer-als-nötig-und-noch-mehr",
    ] {
        assert_contains!(said(&["--listen", "0.0.0.0:0", "--token", token]) => "the token must be 16");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_in_good_order() {
    let mut http = Http::new(&[], None);
    call!(http, "create_project", { "project": "a" });
    let id = http.child.id().to_string();
    let killed = Command::new("kill")
        .args(["-INT", &id])
        .status()
        .expect("kill runs");
    assert!(killed.success());
    assert!(http.child.wait().expect("it ends").success());
}

#[test]
fn a_server_that_only_reads_has_only_tools_that_read() {
    let http = Http::new(&["--read-only", "--toolsets", "function"], None);
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let (_, answer) = http.post(list.to_string().as_bytes());
    let tools = answer["result"]["tools"].as_array().expect("a list");
    let names: Vec<&str> = tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "evaluate",
            "get_function",
            "get_node_info",
            "list_functions",
            "list_node_types"
        ]
    );
    let (_, answer) = http.post(call(1, "create_node", &json!({})).to_string().as_bytes());
    assert_eq!(answer["error"]["code"], -32602);
}

/// Status of a message to an address, and its answer.
fn send(http: &Http, path: &str, message: &Json) -> (u16, Json) {
    let (status, _, body) = http.request("POST", path, &[], message.to_string().as_bytes());
    (status, serde_json::from_str(&body).unwrap_or(Json::Null))
}

#[test]
fn each_system_has_an_address_of_its_own() {
    let http = Http::new(&[], None);
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let systems = [
        (fibula::compat::MEMORY, "create_entities"),
        (fibula::compat::GRAPH_MODE, "addNode"),
        (fibula::compat::GRAPHINATE, "graph_ingest_node"),
        (fibula::compat::DISCOURSE, "get_linked_nodes"),
    ];
    for &toolset in TOOLSETS {
        let path = format!("/mcp/{}", toolset.name());
        let (status, answer) = send(&http, &path, &list);
        let Some((_, known)) = systems.iter().find(|(system, _)| *system == toolset) else {
            // Fibula's own toolsets have addresses, too.
            assert_eq!(status, 200, "{path}");
            continue;
        };
        let listed = answer["result"]["tools"].as_array().expect("a list");
        let listed: Vec<&str> = listed
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        let options = Options {
            toolsets: vec![toolset],
            ..Options::default()
        };
        let server = Server::new(Arc::new(Service::default()), &options);
        let own: Vec<&str> = server.tools().iter().map(|tool| &*tool.name).collect();
        assert_eq!((status, &listed), (200, &own), "{path}");
        assert!(listed.contains(known), "{path}: {listed:?}");
    }
    for path in ["/mcp/none", "/mcp/Memory", "/mcp/memory/discourse", "/mcp/"] {
        assert_eq!(send(&http, path, &list).0, 404, "{path}");
    }
    // What is written at one address is read at the others, and a tool is only where its system is.
    let made = json!({ "entities": [{ "name": "TP53", "entityType": "gene", "observations": ["on 17p13"] }] });
    let made = call(1, "create_entities", &made);
    let (_, answer) = send(&http, "/mcp/graph-mode", &made);
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    send(&http, "/mcp/memory", &made);
    let find = call(2, "search_nodes", &json!({ "query": "17p13" }));
    let (_, answer) = send(&http, "/mcp/discourse", &find);
    let text = answer["result"]["content"][0]["text"].as_str();
    assert!(text.is_some_and(|text| text.contains("TP53")), "{answer}");
}

#[cfg(feature = "graphql")]
#[test]
fn graphs_are_asked_in_graphql() {
    let http = Http::new(&[], None);
    let nodes = json!({ "nodes": [{ "label": "TP53", "types": "gene" }] });
    call!(http, "add_nodes", &nodes);
    let json = [("content-type", "application/json")];
    let question = json!({
        "query": "query($type: String) { graph { nodes(type: $type) { label creator } } }",
        "variables": { "type": "gene" },
    });
    let ask = |headers: &[(&str, &str)], body: &str| {
        let (status, _, body) = http.request("POST", "/graphql", headers, body.as_bytes());
        (status, body)
    };
    let (status, body) = ask(&json, &question.to_string());
    let answer: serde_json::Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["data"]["graph"]["nodes"][0]["label"], "TP53");
    // A page of another origin asks nothing, and what is no question is refused.
    let foreign = [json[0], ("origin", "http://evil.example")];
    assert_eq!(ask(&foreign, &question.to_string()).0, 403);
    assert_eq!(ask(&json, "{").0, 400);
    let long = json!({ "query": "{ __typename }", "operationName": null, "extensions": { "x": "x".repeat(3 << 20) } });
    assert_eq!(ask(&json, &long.to_string()).0, 200);
}

/// Connections that send nothing, or half a head, keep nobody out.
#[test]
fn silent_connections_keep_nobody_out() {
    let http = Http::new(&[], None);
    let mut silent = Vec::new();
    for number in 0..600 {
        let mut stream = TcpStream::connect(&http.address).expect("a connection");
        if number % 2 == 0 {
            // The server may have closed it already.
            let _ = stream.write_all(b"GET /health HTTP/1.1\r\nHo");
        }
        silent.push(stream);
    }
    for _ in 0..3 {
        let (status, _, _) = http.request("GET", "/health", &[], b"");
        assert_eq!(status, 200);
    }
    // The first made room for the last.
    let first = &mut silent[0];
    let timeout = Some(Duration::from_secs(60));
    first.set_read_timeout(timeout).expect("a timeout");
    assert!(!matches!(first.read(&mut [0; 64]), Ok(1..)));
}

/// A message of many small objects, which would take a hundred times its length, is refused before it is parsed.
#[test]
fn messages_that_would_take_much_memory_are_refused() {
    let objects = vec!["{\"a\":1}"; 1_500_000].join(",");
    let message = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"none","arguments":{{"a":[{objects}]}}}}}}"#
    );
    let http = Http::new(&[], None);
    let told = "would take about ";
    let (status, answer) = http.post(message.as_bytes());
    assert_eq!(status, 413, "{answer}");
    assert!(answer.to_string().contains(told), "{answer}");
    let headers = [("Content-Type", "application/json")];
    let (status, _, body) = http.request(
        "POST",
        "/api/projects/default/edits",
        &headers,
        message.as_bytes(),
    );
    assert_eq!(status, 413, "{body}");
    assert!(body.contains(told), "{body}");
    let mut pipe = Pipe::scratch(&[]);
    pipe.send(message.as_bytes());
    pipe.send(b"\n");
    let answer = pipe.receive();
    assert_eq!(answer["id"], 7, "{answer}");
    assert!(answer["error"].to_string().contains(told), "{answer}");
    // As many bytes in numbers are evaluated, also over MCP.
    let function = json!({ "name": "Sum", "expression": "pos.x + pos.y + pos.z" });
    let points = vec![json!({ "pos": [1.25, 2.5, 3.75] }); 20_000];
    let evaluate = json!({ "function_id": "Sum", "arguments": points });
    http.call("create_function_from_expression", &function)
        .expect("a function");
    let values = http.call("evaluate", &evaluate).expect("values");
    assert_eq!(values["values"][0]["shape"], 7.5, "{}", values["values"][0]);
}
