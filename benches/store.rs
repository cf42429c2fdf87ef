//! Cost of durability: durable edits against a plain append with fdatasync in the same folder, opening a large project
//! from a snapshot against replaying its log, an edit of a large project by an agent, and commands on a large knowledge
//! graph.
//!
//! `cargo bench --bench store`; each line ends with the ratio and its goal. The folder is `FIBULA_BENCH_DIR`, or one
//! below the build's.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fibula::edit::{CommitInfo, Edit, FunctionEdit, LinkEdit, NodeEdit, Origin, State, check};
use fibula::graph::{FunctionData, FunctionId, NodeId};
use fibula::service::{
    CreateFunctionFromExpression, ListFunctions, Options, Service, SetParameterValue,
};
use fibula::store::{
    ProjectId, Record, Registration, Store, StoreError, Ticket, load, renew_snapshot,
    sqlite::{self, Durability, Sqlite},
};
use fibula_nodes::{PortSpec, Type};
use serde_json::{Value as Json, json};

/// Duration for which each kind of edit is made.
const TIME: Duration = Duration::from_secs(3);
/// The bytes of a usual edit in a log.
const RECORD: usize = 253;
/// The nodes of the large project.
const NODES: u32 = 100_000;
const FUNCTION: FunctionId = FunctionId(1);

fn main() {
    // `cargo test --benches` only wants to know that it builds and starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = std::env::var_os("FIBULA_BENCH_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")), PathBuf::from);
    let folder = tempfile::tempdir_in(folder).expect("a folder for the store");
    let floor = floor(folder.path());
    println!("append of {RECORD} bytes + fdatasync: {floor:.0} per second");
    for (durability, name) in [(Durability::Full, "full"), (Durability::Normal, "normal")] {
        let store = open(&folder.path().join(format!("{name}.db")), durability);
        let service = Service::with_store(store, &Options::default());
        let (single, _) = edits(&service, 1);
        let goal = if name == "full" { " (goal: 0.7)" } else { "" };
        println!(
            "edits of one client, durability {name}: {single:.0} per second, {:.2} of the floor{goal}",
            single / floor
        );
        let (many, mut waits) = edits(&service, 16);
        let goal = if name == "full" { " (goal: 4)" } else { "" };
        println!(
            "edits of 16 clients of one project, durability {name}: {many:.0} per second, {:.2} times the floor{goal}; \
             p50 {:?}, p99 {:?}",
            many / floor,
            percentile(&mut waits, 50),
            percentile(&mut waits, 99)
        );
    }
    follow(folder.path());
    large(folder.path());
    knowledge(folder.path());
}

fn open(path: &Path, durability: Durability) -> Arc<Sqlite> {
    let options = sqlite::Options {
        durability,
        ..sqlite::Options::default()
    };
    Arc::new(Sqlite::open(path, &options).expect("a store"))
}

fn origin() -> Origin {
    Origin::program("bench", "bench")
}

fn percentile(waits: &mut [Duration], percent: usize) -> Duration {
    waits.sort_unstable();
    waits[(waits.len() - 1) * percent / 100]
}

/// Appends with fdatasync per second.
fn floor(folder: &Path) -> f64 {
    let mut file = File::create(folder.join("floor")).expect("a file");
    let (bytes, start, mut count) = ([b'x'; RECORD], Instant::now(), 0);
    while start.elapsed() < TIME {
        file.write_all(&bytes).expect("it is written");
        file.sync_data().expect("it lasts");
        count += 1;
    }
    f64::from(count) / start.elapsed().as_secs_f64()
}

/// Edits per second of so many clients of one project, and how long each took.
fn edits(service: &Service, clients: usize) -> (f64, Vec<Duration>) {
    let create = CreateFunctionFromExpression {
        function_id: Some(FUNCTION),
        ..CreateFunctionFromExpression::new("F", "1 + 2")
    };
    let made = service.create_function_from_expression(&origin(), create);
    made.expect("a function");
    let done = AtomicBool::new(false);
    let start = Instant::now();
    let waits = thread::scope(|scope| {
        let clients: Vec<_> = (0..clients)
            .map(|_| {
                let done = &done;
                scope.spawn(move || {
                    let mut waits = Vec::new();
                    while !done.load(Ordering::Relaxed) {
                        let begun = Instant::now();
                        set(service, waits.len() as f64);
                        waits.push(begun.elapsed());
                    }
                    waits
                })
            })
            .collect();
        thread::sleep(TIME);
        done.store(true, Ordering::Relaxed);
        let waits = clients
            .into_iter()
            .flat_map(|client| client.join().expect("no panic"));
        waits.collect::<Vec<Duration>>()
    });
    (waits.len() as f64 / start.elapsed().as_secs_f64(), waits)
}

fn set(service: &Service, value: f64) {
    let request: SetParameterValue = serde_json::from_value(json!({
        "function_id": FUNCTION, "node_id": 1, "parameter_name": "value", "value": value,
    }))
    .expect("a request");
    service
        .set_parameter_value(&origin(), request)
        .expect("a value");
}

/// Time until another holder of the store's file sees an edit, in a busy time and in a quiet one.
fn follow(folder: &Path) {
    const ROUNDS: usize = 200;
    let path = folder.join("follow.db");
    let [here, there] =
        [0, 1].map(|_| Service::with_store(open(&path, Durability::Full), &Options::default()));
    let create = CreateFunctionFromExpression::new("F", "1 + 2");
    let made = here.create_function_from_expression(&origin(), create);
    made.expect("a function");
    for (when, pause, rounds) in [
        ("busy", Duration::from_millis(7), ROUNDS),
        ("quiet", Duration::from_millis(2_100), ROUNDS / 20),
    ] {
        let mut waits: Vec<Duration> = (0..rounds)
            .map(|round| {
                thread::sleep(pause + Duration::from_micros(round as u64 * 137 % 5_000));
                set(&here, round as f64);
                let (begun, wanted) = (Instant::now(), revision(&here));
                while revision(&there) < wanted {
                    thread::sleep(Duration::from_micros(100));
                }
                begun.elapsed()
            })
            .collect();
        println!(
            "another process sees an edit in a {when} time: p50 {:.2?}, p99 {:.2?} (goal: 50 ms)",
            percentile(&mut waits, 50),
            percentile(&mut waits, 99)
        );
    }
}

fn revision(service: &Service) -> u64 {
    let list = ListFunctions::default();
    service.list_functions(&list).expect("a list").revision
}

/// A project of many nodes, each made and linked by an entry of its own; its id.
fn build(store: &Sqlite) -> ProjectId {
    let create = Registration::Create {
        name: "large".to_owned(),
        at: 0,
    };
    let project = store.register(create).expect("a project");
    let mut state = State::default();
    let mut tickets = Vec::new();
    let mut append = |edit: Edit| {
        let before = state.head();
        let checked = check(state.document(), &edit).expect("the edit is valid");
        let (entry, _) = state.commit(checked, CommitInfo::edit(origin(), 0));
        tickets.push(store.append(project, before, Record::new(&entry)));
    };
    append(Edit::Function(FunctionEdit::Set(FunctionData {
        function_id: Some(FUNCTION),
        name: "chain".to_owned(),
        inputs: vec![PortSpec::new("x", Type::Float)],
        outputs: vec![PortSpec::new("shape", Type::Float)],
        nodes: Vec::new(),
    })));
    let (mut last, mut port) = (1, "x");
    for id in 2..NODES + 2 {
        append(Edit::Node(NodeEdit::Create {
            function_id: FUNCTION,
            node_type: if id == 2 { "Addition" } else { "Sine" }.to_owned(),
            node_id: Some(NodeId(id)),
            display_name: None,
            position: None,
            callee: None,
        }));
        append(Edit::Link(LinkEdit::Create {
            function_id: FUNCTION,
            source_node_id: NodeId(last),
            source_port_name: port.to_owned(),
            target_node_id: NodeId(id),
            target_parameter_name: "A".to_owned(),
            replace: false,
            insert_conversion: false,
        }));
        (last, port) = (id, "result");
    }
    let waits: Result<Vec<()>, StoreError> = tickets.into_iter().map(Ticket::wait).collect();
    waits.expect("they last");
    project
}

fn large(folder: &Path) {
    let path = folder.join("large.db");
    let store = open(&path, Durability::Full);
    let start = Instant::now();
    let project = build(&store);
    let entries = 2 * NODES + 1;
    println!(
        "{entries} entries made and appended: {:.2?}",
        start.elapsed()
    );
    let time = || {
        let mut times: Vec<Duration> = (0..5)
            .map(|_| {
                let start = Instant::now();
                let loaded = load(&*store, project, None).expect("a state");
                assert_eq!(loaded.state.revision(), u64::from(entries));
                start.elapsed()
            })
            .collect();
        percentile(&mut times, 50)
    };
    let replay = time();
    let size = renew_snapshot(&*store, project).expect("a snapshot");
    let snapshot = time();
    println!(
        "opening {NODES} nodes: replay {replay:.2?}, snapshot of {} KB {snapshot:.2?}, ratio {:.2} (goal: 0.33)",
        size / 1024,
        snapshot.as_secs_f64() / replay.as_secs_f64()
    );
    drop(store);
    agent(&path);
}

/// Time that an agent waits for an edit of the large project.
fn agent(path: &Path) {
    const CALLS: usize = 1000;
    let mut child = Command::new(env!("CARGO_BIN_EXE_fibula"))
        .arg("mcp")
        .arg("--data")
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut ask = |message: Json| {
        // In one go: written piece by piece, each piece would wake the server.
        input
            .write_all(format!("{message}\n").as_bytes())
            .expect("it reads");
        let mut line = String::new();
        output.read_line(&mut line).expect("it answers");
        serde_json::from_str::<Json>(&line).expect("JSON")
    };
    let client = json!({ "name": "bench", "version": "1" });
    ask(
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params":
        { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client } }),
    );
    let mut waits = Vec::with_capacity(CALLS);
    for id in 1..=CALLS {
        let arguments = json!({ "project": "large", "function_id": FUNCTION, "node_id": 2, "parameter_name": "B",
            "value": id });
        let start = Instant::now();
        let answer = ask(
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params":
            { "name": "set_parameter_value", "arguments": arguments } }),
        );
        waits.push(start.elapsed());
        assert_eq!(
            answer["result"]["structuredContent"]["success"], true,
            "{answer}"
        );
    }
    let first = waits[0];
    println!(
        "an edit of {NODES} nodes over MCP: first {first:.2?}, p50 {:.2?} (goal: 2 ms), p99 {:.2?}",
        percentile(&mut waits, 50),
        percentile(&mut waits, 99)
    );
    drop(input);
    child.wait().expect("it ends");
    fs::remove_file(path).ok();
}

/// Times of commands that only read a large knowledge graph.
fn knowledge(folder: &Path) {
    const NODES: u64 = 98_000;
    const EDGES: u64 = 300_000;
    let mut lines = String::new();
    for node in 0..NODES {
        let texts = [node % 977, node % 1013].map(|number| format!("observation {number} of many"));
        let line = json!({ "type": "entity", "name": format!("entity {node}"), "entityType": "part", "observations": texts });
        writeln!(lines, "{line}").expect("a String takes any text");
    }
    for edge in 0..EDGES {
        let [from, to] =
            [edge * 7919, edge * 104_729 + 1].map(|end| format!("entity {}", end % NODES));
        let line = json!({ "type": "relation", "from": from, "to": to, "relationType": "uses" });
        writeln!(lines, "{line}").expect("a String takes any text");
    }
    let file = folder.join("memory.jsonl");
    fs::write(&file, lines).expect("it is written");
    let run = |arguments: &[&str]| {
        let start = Instant::now();
        let mut command = Command::new(env!("CARGO_BIN_EXE_fibula"));
        let command = command.env("FIBULA_DATA", folder.join("knowledge.db"));
        let output = command.arg("graph").args(arguments).output();
        let output = output.expect("the program starts");
        assert!(output.status.success(), "{output:?}");
        start.elapsed()
    };
    let import = run(&["import", "big", file.to_str().expect("UTF-8")]);
    println!("import of {NODES} nodes and {EDGES} edges: {import:.2?}");
    let commands: [&[&str]; 5] = [
        &["show", "big"],
        &["search", "big", "observation 976"],
        &["near", "big", "entity 5"],
        &["path", "big", "entity 5", "entity 70000"],
        &["analyze", "big", "pagerank"],
    ];
    for command in commands {
        let mut times: Vec<Duration> = (0..5).map(|_| run(command)).collect();
        let time = percentile(&mut times, 50);
        println!("graph {}: {time:.2?} (goal: 1 s)", command.join(" "));
    }
}
