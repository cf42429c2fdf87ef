//! Subscriptions to resources: over stdio and HTTP, in both eras of the protocol, and what is left when they end.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fibula::edit::Origin;
use fibula::mcp::{Options, Server};
use fibula::service::{CreateFunctionFromExpression, Service};
use rmcp::service::serve_directly_with_ct;
use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

use crate::talk::{Data, Http, Pipe};

/// Longer than news may take.
const SOON: Duration = Duration::from_millis(600);

const PROJECTS: &str = "fibula://projects";
const SUMMARY: &str = "fibula://projects/default/summary";
const FIRST: &str = "fibula://projects/default/functions/1";
const SECOND: &str = "fibula://projects/default/functions/2";
/// Resources that show the knowledge graph.
const KNOWLEDGE: [&str; 4] = [
    "fibula://projects/default/graph",
    "fibula://projects/default/schema",
    "graph://summary",
    "graph://export/json",
];

fn message(id: u64, method: &str, params: &Json) -> String {
    let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    format!("{message}\n")
}

/// A message that listens, as 2026-07-28 has it.
fn listen(id: u64, notifications: &Json) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "listener", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "_meta": meta, "notifications": notifications });
    message(id, "subscriptions/listen", &params)
}

fn edit(kind: &str, arguments: &Json) -> Json {
    json!({ "edits": [{ kind: arguments }] })
}

fn sine(function: u32) -> Json {
    json!({ "function_id": function, "node_type": "Sine" })
}

/// A function, and another one that calls it.
fn two_functions(mut call: impl FnMut(&str, &Json) -> Result<Json, String>) {
    for (name, expression) in [("Ball", "length(pos) - 5"), ("Caller", "Ball(pos) + 1")] {
        let arguments = json!({ "name": name, "expression": expression });
        call("create_function_from_expression", &arguments).expect("a function");
    }
}

/// The addresses of updates; "list" stands for the list of resources.
fn address(message: &Json) -> Option<String> {
    match message["method"].as_str()? {
        "notifications/resources/updated" => Some(message["params"]["uri"].as_str()?.to_owned()),
        "notifications/resources/list_changed" => Some("list".to_owned()),
        other => panic!("unexpected {other}"),
    }
}

/// Updates that arrive until none arrives any more.
fn told(pipe: &mut Pipe) -> Vec<String> {
    let mut told = Vec::new();
    while let Some(message) = pipe.receive_within(SOON) {
        told.extend(address(&message));
    }
    told
}

fn set(addresses: &[&str]) -> BTreeSet<String> {
    addresses
        .iter()
        .map(|&address| address.to_owned())
        .collect()
}

const TOOLSETS: [&str; 2] = ["--toolsets", "project,function,knowledge,project-extra"];

/// A client of 2025-11-25 over stdio, with two functions.
fn older(mut pipe: Pipe) -> Pipe {
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "old", "version": "1" } });
    pipe.send(message(900, "initialize", &hello).as_bytes());
    let answer = pipe.receive();
    let resources = &answer["result"]["capabilities"]["resources"];
    let expected = json!({ "subscribe": true, "listChanged": true });
    assert_eq!(*resources, expected);
    pipe.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    two_functions(|tool, arguments| pipe.call(tool, arguments));
    assert_eq!(told(&mut pipe), Vec::<String>::new());
    pipe
}

/// Asks, and gives what was told meanwhile beside the answer.
fn ask(pipe: &mut Pipe, text: &str, id: u64) -> (Json, Vec<String>) {
    pipe.send(text.as_bytes());
    let mut told = Vec::new();
    loop {
        let message = pipe.receive();
        if message["id"] == id {
            return (message, told);
        }
        told.extend(address(&message));
    }
}

fn call(pipe: &mut Pipe, tool: &str, arguments: &Json) -> Vec<String> {
    let message = format!("{}\n", crate::talk::call(901, tool, arguments));
    let (answer, told) = ask(pipe, &message, 901);
    crate::talk::outcome(&answer).expect(tool);
    told
}

/// Calls, and gives everything that is told of it.
fn caused(pipe: &mut Pipe, tool: &str, arguments: &Json) -> BTreeSet<String> {
    let mut all = call(pipe, tool, arguments);
    all.extend(told(pipe));
    all.into_iter().collect()
}

#[test]
fn over_stdio_since_2025() {
    let mut pipe = older(Pipe::scratch(&TOOLSETS));
    let subscribe = |pipe: &mut Pipe, method: &str, address: &str| {
        let text = message(7, method, &json!({ "uri": address }));
        ask(pipe, &text, 7).0
    };
    for address in [PROJECTS, SUMMARY, FIRST, "fibula://node-types/Sine"] {
        let answer = subscribe(&mut pipe, "resources/subscribe", address);
        assert_eq!(answer["result"], json!({}), "{address}");
    }
    for (address, reason) in cases![
        "fibula://projects/default/functions/9" => "function 9 is not in this project";
        "fibula://projects/none/summary" => "there is no project 'none'";
        "fibula://else" => "there is no resource fibula://else";
    ] {
        let answer = subscribe(&mut pipe, "resources/subscribe", address);
        let error = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(error.contains(reason), "{answer}");
    }
    assert_each_eq! {
        caused(&mut pipe, "create_node", &sine(1)) => set(&[PROJECTS, SUMMARY, FIRST]);
        caused(&mut pipe, "create_node", &sine(2)) => set(&[PROJECTS, SUMMARY]);
        caused(&mut pipe, "undo", &json!({})) => set(&[PROJECTS, SUMMARY]);
    }
    let dry = json!({ "function_id": 1, "node_type": "Sine", "dry_run": true });
    assert_eq!(caused(&mut pipe, "create_node", &dry), set(&[]));
    // Calls follow the names of what they call.
    subscribe(&mut pipe, "resources/subscribe", SECOND);
    let port =
        json!({ "function_id": 1, "side": "output", "name": "shape", "new_name": "distance" });
    let found = caused(&mut pipe, "apply_edits", &edit("rename_port", &port));
    assert_eq!(found, set(&[PROJECTS, SUMMARY, FIRST, SECOND]));
    // Other projects are others' matter.
    let other = json!({ "project": "other" });
    let found = caused(&mut pipe, "create_project", &other);
    assert_eq!(found, set(&[PROJECTS, "list"]));
    let function = json!({ "project": "other", "name": "F", "expression": "0" });
    let found = caused(&mut pipe, "create_function_from_expression", &function);
    assert_eq!(found, set(&[PROJECTS]));
    // A name that means something else, or nothing.
    let renamed = json!({ "project": "default", "name": "mine" });
    let found = caused(&mut pipe, "rename_project", &renamed);
    assert_eq!(found, set(&[PROJECTS, SUMMARY, FIRST, SECOND, "list"]));
    for address in [PROJECTS, SUMMARY] {
        let answer = subscribe(&mut pipe, "resources/unsubscribe", address);
        assert_eq!(answer["result"], json!({}), "{address}");
    }
    let back = json!({ "project": "mine", "name": "default, once" });
    assert_eq!(caused(&mut pipe, "rename_project", &back), set(&["list"]));
    assert!(pipe.end().success());
}

#[test]
fn changes_of_the_knowledge_graph_are_told() {
    let mut pipe = older(Pipe::scratch(&TOOLSETS));
    let others = ["fibula://projects/default/functions/1", "graph://schema"];
    for address in KNOWLEDGE.iter().chain(&others).chain(&[SUMMARY]) {
        let text = message(7, "resources/subscribe", &json!({ "uri": address }));
        assert_eq!(ask(&mut pipe, &text, 7).0["result"], json!({}), "{address}");
    }
    let all: Vec<&str> = KNOWLEDGE.into_iter().chain([SUMMARY]).collect();
    let all = set(&all);
    let nodes = json!({ "nodes": [{ "label": "TP53", "types": "gene" }, { "label": "MDM2", "types": "gene" }] });
    assert_eq!(caused(&mut pipe, "add_nodes", &nodes), all);
    let edge = json!({ "edges": [{ "source": "MDM2", "target": "TP53", "type": "inhibits" }] });
    assert_eq!(caused(&mut pipe, "add_edges", &edge), all);
    // The same again changes nothing.
    assert_eq!(caused(&mut pipe, "add_edges", &edge), set(&[]));
    let gone = json!({ "nodes": ["TP53"], "dry_run": true });
    assert_eq!(caused(&mut pipe, "remove", &gone), set(&[]));
    let gone = json!({ "nodes": ["TP53"] });
    assert_eq!(caused(&mut pipe, "remove", &gone), all);
    assert_eq!(caused(&mut pipe, "undo", &json!({})), all);
}

#[test]
fn what_is_tied_to_a_function_is_told() {
    let mut pipe = older(Pipe::scratch(&TOOLSETS));
    let picture = format!("{FIRST}.svg");
    for address in [FIRST, SECOND, &*picture] {
        let text = message(7, "resources/subscribe", &json!({ "uri": address }));
        assert_eq!(ask(&mut pipe, &text, 7).0["result"], json!({}), "{address}");
    }
    let mut check = |tool: &str, arguments: &Json, expected: &[&str]| {
        let told = caused(&mut pipe, tool, arguments);
        assert_eq!(told, set(expected), "{tool} {arguments}");
    };
    let nodes = json!({
        "nodes": [{ "id": "wall", "label": "Wall >= 2 mm", "types": "requirement" },
            { "id": "other", "label": "Other", "types": "note" }],
        "edges": [{ "source": "wall", "target": "fn:1", "type": "constrains" },
            { "source": "other", "target": "wall", "type": "explains" }],
    });
    check("add_nodes", &nodes, &[FIRST]);
    let renamed = |id: &str, label: &str| json!({ "nodes": [{ "id": id, "label": label }] });
    check("update", &renamed("wall", "Wall >= 3 mm"), &[FIRST]);
    check("update", &renamed("other", "Another"), &[]);
    let more = json!({ "nodes": [{ "id": "wall", "data": { "by": "the standard" } }] });
    check("update", &more, &[]);
    let edges = json!({ "edges": [{ "source": "fn:2", "target": "wall", "type": "needs" },
        { "source": "other", "target": "fn:1/1", "type": "explains" }] });
    // A function tells what is tied to it, not what is tied to its nodes.
    check("add_edges", &edges, &[SECOND]);
    check("remove", &json!({ "edges": ["e4"] }), &[]);
    check("remove", &json!({ "nodes": ["other"] }), &[]);
    let tried = json!({ "nodes": ["wall"], "dry_run": true });
    check("remove", &tried, &[]);
    check("remove", &json!({ "nodes": ["wall"] }), &[FIRST, SECOND]);
    check("undo", &json!({}), &[FIRST, SECOND]);
    check("remove", &json!({ "edges": ["e3"] }), &[SECOND]);
}

#[test]
fn what_other_processes_do_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = Data::Shared(folder.path());
    let mut pipe = older(Pipe::on(&data, &TOOLSETS, folder.path()));
    let mut other = Pipe::on(
        &data,
        &["--toolsets", "project,function,project-extra"],
        folder.path(),
    );
    for (id, address) in [(7, FIRST), (8, SUMMARY)] {
        let text = message(id, "resources/subscribe", &json!({ "uri": address }));
        assert_eq!(ask(&mut pipe, &text, id).0["result"], json!({}));
    }
    let mut caused = |tool: &str, arguments: &Json| {
        call!(other, tool, arguments);
        told(&mut pipe).into_iter().collect::<BTreeSet<_>>()
    };
    assert_eq!(caused("create_node", &sine(1)), set(&[FIRST, SUMMARY]));
    assert_eq!(caused("create_node", &sine(2)), set(&[SUMMARY]));
    let project = json!({ "project": "other" });
    assert_eq!(caused("create_project", &project), set(&["list"]));
    let renamed = json!({ "project": "default", "name": "mine" });
    let found = caused("rename_project", &renamed);
    assert_eq!(found, set(&["list", FIRST, SUMMARY]));
}

#[test]
fn a_burst_is_told_once_and_its_end_always() {
    let mut pipe = older(Pipe::scratch(&TOOLSETS));
    let subscribe = message(7, "resources/subscribe", &json!({ "uri": FIRST }));
    ask(&mut pipe, &subscribe, 7);
    let count = 2_000;
    let start = Instant::now();
    let mut calls = String::new();
    for id in 1_000..1_000 + count {
        calls.push_str(&crate::talk::call(id, "create_node", &sine(1)).to_string());
        calls.push('\n');
    }
    pipe.send(calls.as_bytes());
    let (mut next, mut updates) = (1_000, 0);
    while next < 1_000 + count {
        let message = pipe.receive();
        if message["id"].is_null() {
            assert_eq!(address(&message).as_deref(), Some(FIRST));
            updates += 1;
        } else {
            assert_eq!(message["id"], next, "answers keep their order");
            next += 1;
        }
    }
    updates += told(&mut pipe).len() as u128;
    let most = start.elapsed().as_millis() / 50 + 2;
    assert!(
        (1..=most).contains(&updates),
        "{updates} updates, {most} at most"
    );
    // An edit that comes while nobody looks is told afterwards.
    for _ in 0..5 {
        let mut all = call(&mut pipe, "create_node", &sine(1));
        while all.is_empty() {
            all.extend(address(&pipe.receive()));
        }
        let begun = call(&mut pipe, "create_node", &sine(1)).len();
        assert_eq!((all.len(), begun), (1, 0));
        assert_eq!(told(&mut pipe), [FIRST]);
    }
}

#[test]
fn over_stdio_since_2026() {
    let mut pipe = Pipe::scratch(&[]);
    two_functions(|tool, arguments| pipe.call(tool, arguments));
    let wanted = json!({
        "resourceSubscriptions": [FIRST, "fibula://projects/default/functions/9", SUMMARY],
        "resourcesListChanged": true,
        "toolsListChanged": true,
    });
    pipe.send(listen(50, &wanted).as_bytes());
    let first = pipe.receive();
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    let had = json!({ "resourceSubscriptions": [FIRST, SUMMARY], "resourcesListChanged": true });
    assert_eq!(first["params"]["notifications"], had);
    pipe.send(listen(51, &json!({ "resourceSubscriptions": [SECOND] })).as_bytes());
    assert_eq!(pipe.receive()["method"], first["method"]);

    let told = |pipe: &mut Pipe, tool: &str, arguments: &Json| {
        pipe.send(format!("{}\n", crate::talk::call(60, tool, arguments)).as_bytes());
        let mut told = BTreeSet::new();
        while let Some(message) = pipe.receive_within(SOON) {
            if let Some(address) = address(&message) {
                let meta = &message["params"]["_meta"];
                let id = meta["io.modelcontextprotocol/subscriptionId"].as_u64();
                told.insert((id.expect("a stream's id"), address));
            }
        }
        told
    };
    let pair = |id: u64, address: &str| (id, address.to_owned());
    assert_each_eq! {
        told(&mut pipe, "create_node", &sine(1)) => [pair(50, FIRST), pair(50, SUMMARY)].into();
        told(&mut pipe, "create_node", &sine(2)) => [pair(50, SUMMARY), pair(51, SECOND)].into();
        told(&mut pipe, "create_project", &json!({ "project": "p" })) => [pair(50, "list")].into();
    }
    let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 50 } });
    pipe.send(format!("{cancelled}\n").as_bytes());
    let found = told(&mut pipe, "create_node", &sine(2));
    assert_eq!(found, [pair(51, SECOND)].into());
    // Nothing of what is wanted is there: the reason is told.
    let nothing = json!({ "resourceSubscriptions": ["fibula://projects/none/summary"] });
    pipe.send(listen(52, &nothing).as_bytes());
    assert_eq!(pipe.receive()["params"]["notifications"], json!({}));
    let error = pipe.receive();
    assert_eq!(error["id"], 52);
    let text = error["error"]["message"].as_str().unwrap_or_default();
    assert_starts!(text => "unknown_project: there is no project 'none'");
    // There is a limit, and a stream that ends makes room.
    for id in 100..115 {
        pipe.send(listen(id, &json!({ "resourceSubscriptions": [FIRST] })).as_bytes());
        assert_eq!(pipe.receive()["method"], first["method"]);
    }
    let one_more = |pipe: &mut Pipe, id: u64| {
        pipe.send(listen(id, &json!({ "resourceSubscriptions": [FIRST] })).as_bytes());
        assert_eq!(pipe.receive()["method"], first["method"]);
        pipe.receive_within(SOON)
    };
    let error = one_more(&mut pipe, 200).expect("an error");
    let text = error["error"]["message"].as_str().unwrap_or_default();
    assert_contains!(text => "listens to 16 streams, which is the limit");
    let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 100 } });
    pipe.send(format!("{cancelled}\n").as_bytes());
    assert_eq!(one_more(&mut pipe, 201), None);
    // Open streams do not keep the program alive.
    assert!(pipe.end_within(Duration::from_secs(2)).success());
}

/// A stream of notifications over HTTP.
struct Stream(BufReader<TcpStream>);

impl Stream {
    fn open(http: &Http, body: &str) -> Self {
        let mut stream = TcpStream::connect(&http.address).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .expect("a timeout");
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
             Mcp-Method: subscriptions/listen\r\n\r\n{body}",
            http.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("it reads");
        Stream(BufReader::new(stream))
    }

    fn next(&mut self) -> Json {
        loop {
            let mut line = String::new();
            let read = self.0.read_line(&mut line).expect("a line in time");
            assert!(read > 0, "the stream has ended");
            if let Some(data) = line.strip_prefix("data:")
                && !data.trim().is_empty()
            {
                return serde_json::from_str(data).expect("an event is JSON");
            }
        }
    }
}

/// What listens does not count as work of its client.
#[test]
fn a_client_listens_beside_its_work() {
    let limits = ["--client-calls", "1", "--client-seconds", "1"];
    let http = Http::new(&limits, None);
    let wanted = json!({ "resourceSubscriptions": [PROJECTS] });
    let mut stream = Stream::open(&http, &listen(5, &wanted));
    assert_eq!(stream.next()["params"]["notifications"], wanted);
    std::thread::sleep(Duration::from_millis(1_500));
    call!(http, "list_functions", {});
    drop(stream);
    call!(http, "list_functions", {});
}

#[test]
fn over_http_since_2026() {
    let http = Http::new(&[], None);
    two_functions(|tool, arguments| http.call(tool, arguments));
    let wanted = json!({ "resourceSubscriptions": [FIRST, PROJECTS] });
    let mut stream = Stream::open(&http, &listen(5, &wanted));
    let first = stream.next();
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(first["params"]["notifications"], wanted);
    for _ in 0..20 {
        call!(http, "create_node", &sine(1));
        let told: BTreeSet<_> = [stream.next(), stream.next()]
            .iter()
            .filter_map(address)
            .collect();
        assert_eq!(told, set(&[FIRST, PROJECTS]));
    }
    call!(http, "create_node", &sine(2));
    let update = stream.next();
    assert_eq!(address(&update).as_deref(), Some(PROJECTS));
    let meta = &update["params"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/subscriptionId"], 5);

    // Streams that are closed leave their places to others.
    for round in 0..3 {
        let streams: Vec<Stream> = (0..200)
            .map(|id| {
                let mut stream = Stream::open(&http, &listen(id, &wanted));
                let first = stream.next();
                assert_eq!(first["params"]["notifications"], wanted, "{round} {id}");
                stream
            })
            .collect();
        call!(http, "create_node", &sine(1));
        for mut stream in streams {
            assert!(address(&stream.next()).is_some());
        }
        std::thread::sleep(SOON);
    }
}

#[test]
fn over_http_since_2025_there_is_nowhere_to_send_news() {
    let http = Http::new(&[], None);
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "old", "version": "1" } });
    let (_, answer) = http.post(message(1, "initialize", &hello).as_bytes());
    assert_eq!(answer["result"]["capabilities"]["resources"], json!({}));
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let (_, answer) = http.post(message(2, method, &json!({ "uri": PROJECTS })).as_bytes());
        let error = &answer["error"];
        assert_eq!(error["code"], -32601, "{answer}");
        let text = error["message"].as_str().unwrap_or_default();
        assert_contains!(text => "use subscriptions/listen of protocol 2026-07-28, or stdio");
    }
}

#[tokio::test]
async fn what_ends_leaves_no_task_behind() {
    let service = Arc::new(Service::default());
    let function = CreateFunctionFromExpression::new("F", "0");
    let origin = Origin::program("test", "subscriptions");
    service
        .create_function_from_expression(&origin, function)
        .expect("a function");
    let server = Server::new(service, &Options::default());
    let metrics = tokio::runtime::Handle::current().metrics();
    let before = metrics.num_alive_tasks();
    for _ in 0..20 {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let stop = CancellationToken::new();
        let running = serve_directly_with_ct(server.clone(), ours, None, stop.clone());
        let (from, mut to) = tokio::io::split(theirs);
        let subscribe = message(1, "resources/subscribe", &json!({ "uri": FIRST }));
        let stream = listen(2, &json!({ "resourceSubscriptions": [FIRST] }));
        to.write_all(subscribe.as_bytes()).await.expect("it reads");
        to.write_all(stream.as_bytes()).await.expect("it reads");
        let mut lines = tokio::io::BufReader::new(from).lines();
        for _ in 0..2 {
            lines.next_line().await.expect("a line").expect("an answer");
        }
        assert!(metrics.num_alive_tasks() >= before + 3);
        stop.cancel();
        running.waiting().await.expect("it ends");
    }
    let start = Instant::now();
    while metrics.num_alive_tasks() > before {
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "{} tasks are left",
            metrics.num_alive_tasks() - before
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
