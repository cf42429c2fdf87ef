//! Cost of a trivial tool call: CPU time of the server per call over stdio and HTTP, the time from start to the
//! first reply, and memory at rest. Times of processes come from /proc, so this runs on Linux.
//!
//! `cargo bench --bench mcp`

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const CALLS: u32 = 20_000;

fn main() {
    // `cargo test --benches` only wants to know that it builds and starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    if !cfg!(target_os = "linux") {
        println!("skipped: the time of a process is read from /proc, which only Linux has");
        return;
    }
    println!(
        "cold start to the first reply over stdio: {:?} (goal: 50 ms)",
        median_start()
    );
    stdio();
    http();
    batch();
}

fn call(id: u32) -> Value {
    let params = json!({ "name": "list_projects", "arguments": {} });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

fn initialize() -> Value {
    let client = json!({ "name": "bench", "version": "1" });
    let params =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })
}

/// Writes a message in one go: written piece by piece, each piece would wake the server.
fn write_line(input: &mut impl Write, message: &Value) {
    input
        .write_all(format!("{message}\n").as_bytes())
        .expect("the server reads");
}

/// A server over standard input and output that has answered `initialize`.
struct Session {
    child: Child,
    input: std::process::ChildStdin,
    output: BufReader<std::process::ChildStdout>,
}

impl Session {
    fn start() -> Session {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fibula"))
            .args(["mcp", "--data", ":memory:"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take().expect("it is piped");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut session = Session {
            child,
            input,
            output,
        };
        session.ask(&initialize());
        session
    }

    fn send(&mut self, message: &Value) {
        write_line(&mut self.input, message);
    }

    fn ask(&mut self, message: &Value) -> Value {
        self.send(message);
        let mut line = String::new();
        self.output
            .read_line(&mut line)
            .expect("the server answers");
        serde_json::from_str(&line).expect("the answer is JSON")
    }

    fn stop(mut self) {
        drop(self.input);
        self.child.wait().expect("the server ends");
    }
}

fn median_start() -> Duration {
    let mut times: Vec<Duration> = (0..15)
        .map(|_| {
            let start = Instant::now();
            let session = Session::start();
            let time = start.elapsed();
            session.stop();
            time
        })
        .collect();
    times.sort_unstable();
    times[7]
}

fn stdio() {
    let mut session = Session::start();
    let process = session.child.id();
    println!(
        "memory at rest: {:.1} MB (goal: 30 MB)",
        resident_mb(process)
    );
    let (before, start) = (cpu(process), Instant::now());
    let Session { input, output, .. } = &mut session;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for id in 1..=CALLS {
                write_line(input, &call(id));
            }
        });
        let mut line = String::new();
        for _ in 0..CALLS {
            line.clear();
            output.read_line(&mut line).expect("the server answers");
            assert!(line.contains("\"success\":true"), "{line}");
        }
    });
    report("stdio, pipelined", process, before, start, CALLS, 40.0);
    let (before, start) = (cpu(process), Instant::now());
    for id in 1..=CALLS / 4 {
        session.ask(&call(id));
    }
    report(
        "stdio, one at a time",
        process,
        before,
        start,
        CALLS / 4,
        40.0,
    );
    println!(
        "memory after {} calls: {:.1} MB",
        CALLS + CALLS / 4,
        resident_mb(process)
    );
    session.stop();
}

fn http() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fibula"))
        .args(["serve", "--listen", "127.0.0.1:0", "--data", ":memory:"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut said = String::new();
    let mut errors = BufReader::new(child.stderr.take().expect("it is piped"));
    errors
        .read_line(&mut said)
        .expect("the server says where it listens");
    let address = said
        .split("http://")
        .nth(1)
        .and_then(|rest| rest.split('/').next());
    let address = address.expect("it says its address").to_owned();
    let mut stream = TcpStream::connect(&address).expect("the server listens");
    stream.set_nodelay(true).expect("a local connection");
    let process = child.id();
    for id in 0..200 {
        post(&mut stream, &address, &call(id));
    }
    let (before, start) = (cpu(process), Instant::now());
    for id in 0..CALLS / 2 {
        post(&mut stream, &address, &call(id));
    }
    report(
        "HTTP, one connection",
        process,
        before,
        start,
        CALLS / 2,
        150.0,
    );
    println!(
        "HTTP, an edit until its event: {:?}",
        median_event(&mut stream, &address)
    );
    child.kill().expect("the server ends");
    child.wait().expect("the server ended");
}

/// Time from the answer to an edit to its event on the stream.
fn median_event(stream: &mut TcpStream, address: &str) -> Duration {
    let tool = |name: &str, arguments: Value| {
        let params = json!({ "name": name, "arguments": arguments });
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
    };
    let function = json!({ "name": "F", "expression": "0" });
    post(
        stream,
        address,
        &tool("create_function_from_expression", function),
    );
    let mut listener = TcpStream::connect(address).expect("the server listens");
    let request = format!("GET /api/events HTTP/1.1\r\nhost: {address}\r\n\r\n");
    listener
        .write_all(request.as_bytes())
        .expect("the server reads");
    let mut lines = BufReader::new(listener).lines().map_while(Result::ok);
    lines.find(|line| line.contains("retry: "));
    let mut times: Vec<Duration> = (0..101)
        .map(|_| {
            let node = json!({ "function_id": 1, "node_type": "Sine" });
            post(stream, address, &tool("create_node", node));
            let start = Instant::now();
            lines
                .find(|line| line.starts_with("data: "))
                .expect("an event");
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[50]
}

/// One request and its whole answer, on a connection that stays open.
fn post(stream: &mut TcpStream, address: &str, body: &Value) {
    let body = body.to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream
        .write_all(request.as_bytes())
        .expect("the server reads");
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let read = stream.read(&mut buffer).expect("the server answers");
        answer.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&answer);
        let Some((head, rest)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.trim().parse::<usize>())
        });
        let length = length.expect("a length").expect("a number");
        if rest.len() >= length {
            assert!(rest.contains("\"success\":true"), "{text}");
            return;
        }
    }
}

/// One `apply_edits` call of 500 nodes and their links.
fn batch() {
    let mut session = Session::start();
    let mut next = 1;
    let mut ask = |name: &str, arguments: &Value| {
        next += 1;
        let params = json!({ "name": name, "arguments": arguments });
        session
            .ask(&json!({ "jsonrpc": "2.0", "id": next, "method": "tools/call", "params": params }))
    };
    let mut times = Vec::new();
    for function in 1..=15 {
        ask(
            "create_function_from_expression",
            &json!({ "name": "chain", "expression": "x" }),
        );
        let edits: Vec<Value> = (0..500)
            .map(|node| {
                let source = if node == 0 {
                    json!({ "value": 0.5 })
                } else {
                    json!({ "source": { "node_id": format!("${}", node - 1), "port": "result" } })
                };
                json!({ "create_node": {
                    "function_id": function, "node_type": "Sine", "node_id": format!("${node}"),
                    "parameters": { "A": source },
                }})
            })
            .collect();
        let edits = json!({ "edits": edits });
        let start = Instant::now();
        let answer = ask("apply_edits", &edits);
        times.push(start.elapsed());
        assert_eq!(
            answer["result"]["structuredContent"]["applied"], 500,
            "{answer}"
        );
    }
    times.sort_unstable();
    println!(
        "apply_edits with 500 linked nodes: {:?} (goal: 50 ms)",
        times[7]
    );
    session.stop();
}

fn report(what: &str, process: u32, before: f64, start: Instant, calls: u32, goal: f64) {
    let per_call = (cpu(process) - before) * 1e6 / f64::from(calls);
    let rate = f64::from(calls) / start.elapsed().as_secs_f64();
    println!("{what}: {per_call:.1} us of CPU per call (goal: {goal} us), {rate:.0} calls/s");
}

/// The seconds of CPU time that a process has used, in user and kernel mode.
fn cpu(process: u32) -> f64 {
    /// Clock ticks per second, as Linux reports them to user space on every platform.
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("the process runs");
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks = |field: usize| fields[field].parse::<f64>().unwrap_or_default();
    (ticks(11) + ticks(12)) / TICKS
}

/// The megabytes of memory that a process holds.
fn resident_mb(process: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("the process runs");
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap_or_default();
    let kilobytes: f64 = line
        .split_whitespace()
        .next()
        .and_then(|number| number.parse().ok())
        .unwrap_or_default();
    kilobytes / 1024.0
}
