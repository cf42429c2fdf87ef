//! Many at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

use super::{ask, ball};

#[test]
fn sixteen_clients_lose_no_edit() {
    const CLIENTS: usize = 16;
    const EDITS: usize = 12;
    let http = ball();
    let path = "/api/projects/p/functions/1/nodes";
    let (stale, made) = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let http = &http;
                scope.spawn(move || {
                    let (mut stale, mut made) = (0, Vec::new());
                    while made.len() < EDITS {
                        // Every other client says what it expects, and tries again when it is late.
                        let query = if client % 2 == 0 {
                            let summary = done!(http, "GET", "/api/projects/p");
                            format!("?expected_revision={}", summary["revision"])
                        } else {
                            String::new()
                        };
                        let body =
                            json!({ "node_type": "Sine", "display_name": format!("{client}") });
                        let (status, answer) = ask(http, "POST", &format!("{path}{query}"), &body);
                        match status {
                            200 => made.push(answer["node_id"].as_u64().expect("an id")),
                            409 => stale += 1,
                            _ => panic!("{status}: {answer}"),
                        }
                    }
                    (stale, made)
                })
            })
            .collect();
        let outcomes = clients
            .into_iter()
            .map(|client| client.join().expect("no panic"));
        outcomes.fold((0, Vec::new()), |(stale, mut made), (late, more)| {
            made.extend(more);
            (stale + late, made)
        })
    });
    let mut ids = made.clone();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), CLIENTS * EDITS, "{stale} were stale");
    let summary = done!(http, "GET", "/api/projects/p");
    assert_eq!(summary["revision"], 1 + CLIENTS * EDITS);
    let graph = done!(http, "GET", "/api/projects/p/functions/1/graph");
    let nodes = graph["nodes"].as_array();
    assert_eq!(nodes.map(Vec::len), Some(5 + CLIENTS * EDITS));
}

#[test]
fn long_work_keeps_nobody_waiting() {
    let http = ball();
    let (stop, ended) = (AtomicBool::new(false), AtomicUsize::new(0));
    let points = vec![json!({ "pos": [1, 2, 3] }); 100_000];
    let body = json!({ "arguments": points });
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    done!(http, "POST", "/api/projects/p/functions/1/evaluate", &body);
                    ended.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        std::thread::sleep(Duration::from_millis(300));
        // If a request had to wait for long work, an evaluation would end during each of these.
        let passes = (0..20).filter(|_| {
            let before = ended.load(Ordering::Relaxed);
            done!(http, "GET", "/api/projects");
            ended.load(Ordering::Relaxed) == before
        });
        let passes = passes.count();
        stop.store(true, Ordering::Relaxed);
        assert!(passes > 0, "an evaluation ended during each of 20 requests");
    });
}
