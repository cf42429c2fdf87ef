//! An honest client beside others that attack: it is answered all the time, and the server's memory stays bounded.
//!
//! `FIBULA_ATTACK_SECONDS` makes the run longer than its few seconds; it prints the honest client's latencies.

use std::fmt::Write as _;
use std::io::Write as _;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::talk::{Http, call};

/// Maximum resident memory of the server in KiB.
const MOST_MEMORY: u64 = 1 << 20;
/// Number of revisions of the project whose past is read.
const REVISIONS: u64 = 400;

/// A message that calls a tool with one large argument.
fn message(tool: &str, argument: &str) -> Vec<u8> {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{"a":{argument}}}}}}}"#
    )
    .into_bytes()
}

/// A list that repeats an item, of at most so many bytes.
fn list(item: &str, bytes: usize) -> String {
    format!("[{}]", vec![item; bytes / (item.len() + 1)].join(","))
}

/// A file of few bytes with the edges between each two of many nodes.
fn product(count: usize) -> Json {
    let mut file = "digraph { ".to_owned();
    for (before, group) in [("{", "a"), ("-> {", "b")] {
        file.push_str(before);
        for at in 0..count {
            let _ = write!(file, " {group}{at}");
        }
        file.push_str(" } ");
    }
    json!({ "format": "dot", "content": file + "}" })
}

/// Largest resident memory that a process had, in KiB; `None` where the system does not say.
fn memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn an_honest_client_is_answered_beside_attacks() {
    let seconds = std::env::var("FIBULA_ATTACK_SECONDS");
    let seconds = seconds.ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    let http = Http::new(&["--toolsets", "function,knowledge,knowledge-extra"], None);
    let ball = json!({ "name": "Ball", "expression": "let r = 5; length(pos) - r" });
    http.call("create_function_from_expression", &ball)
        .expect("a function");
    for at in 1..REVISIONS {
        let set = json!({ "function": "Ball", "parameter": "r", "value": at });
        http.call("set_parameter_value", &set).expect("a value");
    }
    let objects = message("none", &list("{\"a\":1}", 12 << 20));
    let numbers = message("none", &list("1", 14 << 20));
    let nested = message("none", &list("[[[1]]]", 4 << 20));
    let product = call(1, "import_graph", &product(2_000)).to_string();
    let (end, attacks) = (AtomicBool::new(false), AtomicUsize::new(0));
    let attack = |what: &(dyn Fn(usize) + Sync)| {
        let mut round = 0;
        while !end.load(Relaxed) {
            what(round);
            round += 1;
            attacks.fetch_add(1, Relaxed);
        }
    };
    let post = |body: &[u8]| {
        // It may be refused, for lack of connections too.
        let _ = http.post(body);
    };
    let silent = |_| {
        let half = |_| {
            let mut stream = TcpStream::connect(&http.address).ok()?;
            let _ = stream.write_all(b"POST /mcp HTTP/1.1\r\nHo");
            Some(stream)
        };
        let held: Vec<_> = (0..100).map(half).collect();
        thread::sleep(Duration::from_millis(200));
        drop(held);
    };
    let earlier = |round: usize| {
        let revision = 1 + round as u64 * 7 % REVISIONS;
        let path = format!("/api/projects/default/functions/Ball?revision={revision}");
        http.request("GET", &path, &[], b"");
    };
    let mut latencies: Vec<Duration> = Vec::new();
    thread::scope(|scope| {
        for body in [
            &objects[..],
            &numbers,
            &numbers,
            &nested,
            product.as_bytes(),
        ] {
            scope.spawn(move || attack(&|_| post(body)));
        }
        for _ in 0..2 {
            scope.spawn(|| attack(&silent));
            scope.spawn(|| attack(&earlier));
        }
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(seconds) {
            let asked = Instant::now();
            let (status, _, body) = http.request("GET", "/health", &[], b"");
            assert_eq!(status, 200, "{body}");
            latencies.push(asked.elapsed());
            let value = json!({ "function_id": "Ball", "arguments": { "pos": [0, 0, REVISIONS] } });
            let value = http.call("evaluate", &value).expect("a value");
            assert_eq!(value["values"]["shape"], 1.0, "{value}");
        }
        end.store(true, Relaxed);
    });
    latencies.sort_unstable();
    let at = |share: f64| latencies[((latencies.len() - 1) as f64 * share) as usize];
    let most = memory(http.child.id());
    println!(
        "{} attacks; the honest client: median {:?}, 99 of 100 within {:?}, all within {:?}; memory {:?} KiB",
        attacks.load(Relaxed),
        at(0.5),
        at(0.99),
        at(1.0),
        most
    );
    assert!(attacks.load(Relaxed) > 10);
    assert!(most.is_none_or(|most| most < MOST_MEMORY), "{most:?} KiB");
}
