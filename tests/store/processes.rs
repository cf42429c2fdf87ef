//! Several processes on one store.

use std::path::Path;
use std::time::{Duration, Instant};

use fibula::store::Store as _;
use fibula::store::sqlite::{Options, Sqlite};

use crate::talk::{Http, Pipe, call, outcome};
use serde_json::{Value as Json, json};

fn pipes(count: usize, data: &Path) -> Vec<Pipe> {
    let data = data.to_str().expect("UTF-8");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    (0..count)
        .map(|_| Pipe::new(&["--data", data], folder))
        .collect()
}

/// Everything that a process says of the default project: its function and its history.
fn seen(pipe: &mut Pipe) -> (Json, Json) {
    let mut function = call!(pipe, "get_function", { "function_id": 1, "limit": 1000 });
    while let Some(cursor) = function["next_cursor"].as_str().map(str::to_owned) {
        let mut more =
            call!(pipe, "get_function", { "function_id": 1, "limit": 1000, "cursor": cursor });
        let nodes = more["nodes"].take();
        let all = function["nodes"].as_array_mut().expect("nodes");
        all.extend(nodes.as_array().expect("nodes").clone());
        function["next_cursor"] = more["next_cursor"].take();
    }
    let history = call!(pipe, "get_history", { "limit": 1000 });
    (function, history)
}

/// Waits until a process has seen a revision.
fn follows(pipe: &mut Pipe, revision: u64) {
    let start = Instant::now();
    loop {
        let history = call!(pipe, "get_history", { "limit": 1 });
        if history["revision"] == revision {
            return;
        }
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "revision {revision} is not seen"
        );
    }
}

#[test]
fn a_hundred_creates_through_one_two_and_four_processes_are_all_kept() {
    const ALL: usize = 100;
    for count in [1, 2, 4] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut pipes = pipes(count, &folder.path().join("fibula.db"));
        let request = json!({ "name": "F", "expression": "0" });
        pipes[0]
            .call("create_function_from_expression", &request)
            .expect("a function");
        let arguments = json!({ "function_id": 1, "node_type": "Addition" });
        for pipe in &mut pipes {
            let lines = (0..ALL / count)
                .map(|id| format!("{}\n", call(1000 + id as u64, "create_node", &arguments)));
            pipe.send(lines.collect::<String>().as_bytes());
        }
        let mut revisions = Vec::new();
        for pipe in &mut pipes {
            for _ in 0..ALL / count {
                let answer = outcome(&pipe.receive()).expect("a node");
                revisions.push(answer["revision"].as_u64().expect("a revision"));
            }
        }
        revisions.sort_unstable();
        let all: Vec<u64> = (2..=ALL as u64 + 1).collect();
        assert_eq!(revisions, all, "{count} processes");
        for pipe in &mut pipes {
            follows(pipe, ALL as u64 + 1);
        }
        let all: Vec<(Json, Json)> = pipes.iter_mut().map(seen).collect();
        assert_eq!(all[0].0["node_count"], ALL);
        for other in &all {
            assert_eq!(*other, all[0]);
        }
    }
}

#[test]
fn three_servers_over_pipes_and_one_over_http_follow_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("fibula.db");
    let mut pipes = pipes(3, &data);
    let http = Http::new(&["--data", data.to_str().expect("UTF-8")], None);
    let request = json!({ "name": "F", "expression": "0" });
    pipes[0]
        .call("create_function_from_expression", &request)
        .expect("a function");
    for round in 0..10 {
        let place = round % 4;
        let arguments = json!({ "function_id": 1, "node_type": "Sine" });
        let made = match pipes.get_mut(place) {
            Some(pipe) => pipe.call("create_node", &arguments),
            None => http.call("create_node", &arguments),
        };
        let revision = made.expect("a node")["revision"].clone();
        let start = Instant::now();
        let mut waiting = true;
        while waiting {
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "revision {revision} is not seen"
            );
            let arguments = json!({ "function_id": 1 });
            let mut all: Vec<Json> = pipes
                .iter_mut()
                .map(|pipe| call!(pipe, "get_function", &arguments))
                .collect();
            all.push(call!(http, "get_function", &arguments));
            waiting = all.iter().any(|function| function["revision"] != revision);
        }
    }
    // A stale write is refused wherever it comes from.
    let arguments = json!({ "function_id": 1, "node_type": "Sine", "expected_revision": 3 });
    for pipe in &mut pipes {
        assert_starts!(refusal!(pipe, "create_node", &arguments) => "revision_conflict");
    }
    // What one has made, it takes back, whatever the others did since.
    let shown = call!(http, "get_history", {});
    assert_eq!(shown["total"], 11);
}

#[test]
fn nobody_is_refused_by_what_was_true_before_others_came() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut pipes = pipes(2, &folder.path().join("fibula.db"));
    let request = json!({ "name": "F", "expression": "0" });
    pipes[0]
        .call("create_function_from_expression", &request)
        .expect("a function");
    for round in 0..20 {
        // The other has not looked for a while, and is asked at once.
        std::thread::sleep(Duration::from_millis(round * 7 % 30));
        let arguments = json!({ "function_id": 1, "node_type": "ConstantScalar" });
        let made = pipes[0].call("create_node", &arguments).expect("a node");
        let arguments = json!({ "function_id": 1, "node_id": made["node_id"], "parameter_name": "value",
            "value": round, "expected_revision": made["revision"] });
        let set = pipes[1]
            .call("set_parameter_value", &arguments)
            .expect("the node is there");
        let arguments = json!({ "edits": [{ "delete_node": { "function_id": 1, "node_id": made["node_id"] } }],
            "dry_run": round % 2 == 0, "expected_revision": set["revision"] });
        pipes[0]
            .call("apply_edits", &arguments)
            .expect("the value is there");
    }
}

#[test]
fn what_was_done_is_there_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("fibula.db");
    let mut pipe = pipes(1, &data).remove(0);
    call!(pipe, "create_function_from_expression", { "name": "F", "expression": "a + 1" });
    call!(pipe, "create_project", { "project": "other" });
    pipe.end();
    let mut pipe = pipes(1, &data).remove(0);
    let values = call!(pipe, "evaluate", { "function_id": 1, "arguments": { "a": 2 } });
    assert_eq!(values["values"]["shape"], 3.0);
    let listed = call!(pipe, "list_projects", {});
    assert_eq!(listed["total"], 2);
    let undone = call!(pipe, "undo", { "anyone": true });
    assert_eq!(undone["revision"], 2);
}

#[test]
fn who_makes_a_large_change_leaves_a_snapshot() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("fibula.db");
    let snapshot = || {
        let store = Sqlite::open(&data, &Options::default()).expect("a store");
        let project = store.find("default").expect("a list");
        let project = project.expect("the project");
        let found = store.snapshot(project, u64::MAX).expect("a table");
        found.map(|found| (found.revision, store.head(project).expect("a log").revision))
    };
    let mut pipe = pipes(1, &data).remove(0);
    call!(pipe, "add_nodes", { "nodes": [{ "label": "small", "types": ["note"] }] });
    pipe.end();
    assert_eq!(snapshot(), None);
    let mut pipe = pipes(1, &data).remove(0);
    // So much that it is not written before the process would end otherwise.
    let text = |number: u64| number.pow(3).to_string().repeat(500);
    let large = (0..1000_u64).map(|number| {
        json!({ "label": number.to_string(), "types": ["note"], "observations": [text(number)] })
    });
    call!(pipe, "add_nodes", { "nodes": large.collect::<Vec<_>>() });
    pipe.end();
    assert_eq!(snapshot(), Some((2, 2)));
}
