//! Processes that are killed at any moment: what they answered is there, nothing is half there, nothing is missing.
//!
//! `FIBULA_CRASHES=5000 cargo test --test store crash` kills more often.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use fibula::edit::{Edit, Entry, FunctionEdit, NodeEdit, State};
use fibula::graph::Document;
use fibula::store::sqlite::{Options, Sqlite};
use fibula::store::{LogRange, ProjectId, Store, load};
use serde_json::{Value as Json, json};

/// Number of processes that are killed, two at a time.
const KILLS: usize = 200;
/// Number of edits that a process is sent at once.
const BURST: u64 = 400;
/// Number of nodes of one `apply_edits`.
const TOGETHER: usize = 5;

/// Request of a process, by the message's number.
fn question(kill: usize, number: u64) -> Json {
    let name = format!("k{kill} n{number}");
    let (tool, arguments) = match number % 5 {
        0 => {
            let node = |part: usize| json!({ "create_node": { "function_id": 1, "node_type": "Sine", "display_name": format!("{name} {part}") } });
            let edits: Vec<Json> = (0..TOGETHER).map(node).collect();
            ("apply_edits", json!({ "edits": edits, "label": name }))
        }
        1 => ("undo", json!({})),
        2 => (
            "create_function_from_expression",
            json!({ "name": name, "expression": "a + b * 2" }),
        ),
        _ => (
            "create_node",
            json!({ "function_id": 1, "node_type": "Addition", "display_name": name }),
        ),
    };
    json!({ "jsonrpc": "2.0", "id": number, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

fn start(data: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_fibula"))
        .args(["mcp", "--data"])
        .arg(data)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// Sends a burst, kills the process some time after it was started, or after its first answer, and gives what it had
/// answered by then: the revision of each number.
fn killed(mut child: Child, kill: usize, after: Duration) -> BTreeMap<u64, u64> {
    let is_after_answer = kill % 2 == 1;
    let (first, has_answered) = mpsc::channel();
    let mut input = child.stdin.take().expect("a pipe");
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    let writer = thread::spawn(move || {
        for number in 1..=BURST {
            // It is gone.
            if writeln!(input, "{}", question(kill, number)).is_err() {
                return;
            }
        }
    });
    let killer = thread::spawn(move || {
        if is_after_answer {
            // A process that answers nothing is killed all the same.
            let _ = has_answered.recv_timeout(Duration::from_secs(60));
        }
        thread::sleep(after);
        child.kill().expect("it is killed");
        child.wait().expect("it is gone");
    });
    let mut answered = BTreeMap::new();
    for line in output.lines().map_while(Result::ok) {
        let _ = first.send(());
        // The last line may be cut off.
        let Ok(answer) = serde_json::from_str::<Json>(&line) else {
            continue;
        };
        let content = &answer["result"]["structuredContent"];
        if content["success"] == true {
            let id = answer["id"].as_u64().expect("a number");
            answered.insert(id, content["revision"].as_u64().expect("a revision"));
        }
    }
    writer.join().expect("no panic");
    killer.join().expect("no panic");
    answered
}

/// Every entry after a revision; they have no gap.
fn entries(store: &Sqlite, after: u64) -> Vec<Entry> {
    let mut entries = Vec::new();
    store
        .read(ProjectId(1), LogRange::After(after), true, &mut |record| {
            let entry = record.entry().expect("an entry is whole");
            assert_eq!(entry.revision(), after + entries.len() as u64 + 1, "a gap");
            entries.push(entry);
            ControlFlow::Continue(())
        })
        .expect("the log can be read");
    entries
}

/// True if an entry is what a request asked for.
fn fits(entry: &Entry, kill: usize, number: u64) -> bool {
    let name = format!("k{kill} n{number}");
    match (&entry.edit, number % 5) {
        (Edit::Batch(nodes), 0) => entry.heading.label == name && nodes.len() == TOGETHER,
        (_, 1) => entry.heading.kind.undone_revision().is_some(),
        (Edit::Function(FunctionEdit::Set(data)), 2) => data.name == name,
        (Edit::Node(NodeEdit::Create { display_name, .. }), 3 | 4) => {
            display_name.as_deref() == Some(&name)
        }
        _ => false,
    }
}

#[test]
fn what_was_answered_survives_every_kill() {
    let kills =
        std::env::var("FIBULA_CRASHES").map_or(KILLS, |text| text.parse().expect("a number"));
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("fibula.db");
    let (mut replayed, mut count, mut random) = (State::default(), 0, 0x9e37_79b9_u64);
    let mut next = |below: u64| {
        // xorshift64 (G. Marsaglia, "Xorshift RNGs", 2003).
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % below
    };
    for kill in (0..kills).step_by(2) {
        let running = [kill, kill + 1].map(|kill| {
            let (child, after) = (start(&data), Duration::from_micros(20_000 + next(150_000)));
            thread::spawn(move || (kill, killed(child, kill, after)))
        });
        let answered = running.map(|running| running.join().expect("no panic"));
        let store = Sqlite::open(&data, &Options::default()).expect("the store opens");
        if store.find("default").expect("it can be read").is_none() {
            assert!(answered.iter().all(|(_, answers)| answers.is_empty()));
            continue;
        }
        let before = replayed.revision();
        let new = entries(&store, before);
        for entry in &new {
            replayed
                .replay(entry)
                .expect("an entry follows the one before");
        }
        for (kill, answers) in answered {
            count += answers.len();
            for (number, revision) in answers {
                let place = usize::try_from(revision - before - 1).expect("it is new");
                let entry = new.get(place);
                let fits = entry.is_some_and(|entry| fits(entry, kill, number));
                assert!(
                    fits,
                    "answer {number} of process {kill}, revision {revision}: {entry:?}"
                );
            }
        }
        let loaded = load(&store, ProjectId(1), None).expect("the state can be read");
        assert_eq!((loaded.damage, loaded.skipped), (None, Vec::new()));
        assert_eq!(loaded.state.head(), replayed.head());
        whole(replayed.document());
    }
    println!(
        "{count} answers of {kills} killed processes, {} revisions",
        replayed.revision()
    );
    assert!(
        count > kills,
        "hardly anything was answered before the kills: {count}"
    );
}

/// Nodes that came together are there together.
fn whole(document: &Document) {
    let mut together: BTreeMap<String, usize> = BTreeMap::new();
    for node in document
        .functions()
        .flat_map(fibula::graph::Function::nodes)
    {
        if let (Some(name), "Sine") = (node.display_name(), node.kind().info().name) {
            let group = name.rsplit_once(' ').expect("a group and a part").0;
            *together.entry(group.to_owned()).or_default() += 1;
        }
    }
    for (group, count) in together {
        assert_eq!(count, TOGETHER, "{group} is half there");
    }
}
