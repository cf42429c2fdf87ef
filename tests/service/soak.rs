//! Clients that evaluate, measure, draw and edit, beside each other and for long: every answer is right, and memory and open
//! files of the server do not grow.
//!
//! `FIBULA_SOAK_SECONDS=600 cargo test --workspace --test service soak -- --nocapture` runs ten minutes; it prints what was
//! done and the memory over time. The same variable has 200 clients served for that long.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::talk::Http;

/// Number of clients that edit, each in a function and a part of the knowledge graph of its own.
const EDITORS: usize = 2;
/// Samples of the memory of one run.
const SAMPLES: u32 = 20;
/// Maximum growth of the memory from the first half of a run to the second one, in KiB, where it is long enough to tell.
const GROWTH: u64 = 64 << 10;
const LONG: u64 = 120;

/// Resident memory of a process in KiB, and the number of its open files; `None` where the system does not say.
fn resources(process: u32) -> Option<(u64, usize)> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let memory = line.split_whitespace().nth(1)?.parse().ok()?;
    let files = std::fs::read_dir(format!("/proc/{process}/fd")).ok()?;
    Some((memory, files.count()))
}

fn ask(http: &Http, tool: &str, arguments: &Json) -> Json {
    let answer = http.call(tool, arguments);
    answer.unwrap_or_else(|refusal| panic!("{tool} {arguments}: {refusal}"))
}

/// The distance from a ball on a grid.
fn evaluate(http: &Http, round: usize) {
    let far = 6.0 + (round % 40) as f64;
    let points: Vec<Json> = (0..200)
        .map(|place| json!({ "pos": [0.0, far + f64::from(place), 0.0] }))
        .collect();
    let arguments = json!({ "function_id": "Ball", "arguments": points });
    let answer = ask(http, "evaluate", &arguments);
    let values = answer["values"].as_array().expect("values");
    for (place, value) in values.iter().enumerate() {
        assert_eq!(value["shape"], far + place as f64 - 5.0, "{answer}");
    }
}

/// The volume of a ball.
fn measure(http: &Http, round: usize) {
    let cell = [0.4, 0.5, 0.7][round % 3];
    let arguments = json!({ "function_id": "Ball", "figures": ["volume", "area"], "cell": cell });
    let answer = ask(http, "measure", &arguments);
    let truth = 4.0 / 3.0 * std::f64::consts::PI * 125.0;
    let [volume, error] = ["value", "error"].map(|name| {
        let number = answer["figures"]["volume"][name].as_f64();
        number.expect("a number")
    });
    assert!((volume - truth).abs() <= error, "{answer}");
}

/// Pictures of one view are the same bytes.
fn render(http: &Http, first: &mut Option<String>) {
    let (path, view) = (
        "/api/projects/default/render",
        br#"{"function_id":"Lattice","size":[96,96]}"#,
    );
    let (status, _, body) = http.request("POST", path, &[], view);
    assert_eq!(status, 200, "{body}");
    let first = first.get_or_insert_with(|| body.clone());
    assert!(*first == body, "two pictures of one view differ");
}

/// A function is made, edited, taken back and removed.
fn edit(http: &Http, own: usize, round: usize) {
    let name = format!("Plate {own} {round}");
    let expression = "let wall = 2; box(pos, vec3(10, 10, wall))";
    let made = json!({ "name": name, "expression": expression });
    ask(http, "create_function_from_expression", &made);
    let set = json!({ "function": name, "parameter": "wall", "value": 4 });
    ask(http, "set_parameter_value", &set);
    let value = json!({ "function_id": name, "arguments": { "pos": [0, 0, 5] } });
    let answer = ask(http, "evaluate", &value);
    assert_eq!(answer["values"]["shape"], 3.0, "{answer}");
    let node = json!({ "function_id": name, "node_type": "Addition" });
    let node = ask(http, "create_node", &node)["node_id"].clone();
    let gone = json!({ "function_id": name, "node_id": node });
    ask(http, "delete_node", &gone);
    let edits = json!({ "edits": [{ "delete_function": { "function_id": name } }] });
    ask(http, "apply_edits", &edits);
}

/// Nodes are linked, found and removed.
fn know(http: &Http, own: usize, round: usize) {
    let label = |place: usize| format!("fact {own} {round} {place}");
    let labels: Vec<String> = (0..6).map(label).collect();
    let nodes: Vec<Json> = labels
        .iter()
        .map(|label| json!({ "label": label, "types": "fact" }))
        .collect();
    let edges: Vec<Json> = labels
        .windows(2)
        .map(|two| json!({ "source": two[0], "target": two[1], "type": "leads" }))
        .collect();
    ask(
        http,
        "add_nodes",
        &json!({ "nodes": nodes, "edges": edges }),
    );
    let path = json!({ "source": labels[0], "target": labels[5] });
    let path = ask(http, "find_path", &path);
    assert_eq!(path["paths"][0]["length"], 5.0, "{path}");
    let found = ask(
        http,
        "search_nodes",
        &json!({ "query": labels[3], "limit": 1 }),
    );
    assert_eq!(found["nodes"][0]["label"], *labels[3], "{found}");
    ask(http, "remove", &json!({ "nodes": labels }));
}

/// Duration of a run in seconds.
fn seconds() -> u64 {
    let seconds = std::env::var("FIBULA_SOAK_SECONDS");
    seconds.ok().and_then(|text| text.parse().ok()).unwrap_or(4)
}

#[test]
fn long_work_beside_edits_stays_right_and_bounded() {
    let seconds = seconds();
    let http = Http::new(&["--toolsets", "function,geometry,knowledge"], None);
    let shapes = [
        ("Ball", "length(pos) - 5"),
        (
            "Lattice",
            "max(gyroid(pos, 5, 0.8), box(pos, vec3(16, 16, 16)))",
        ),
    ];
    for (name, expression) in shapes {
        let made = json!({ "name": name, "expression": expression });
        ask(&http, "create_function_from_expression", &made);
    }
    let functions = || ask(&http, "summarize", &json!({}))["contents"]["function_count"].clone();
    let before = functions();
    let end = AtomicBool::new(false);
    let counts = [const { AtomicUsize::new(0) }; 5];
    let again = |kind: usize, what: &mut dyn FnMut(usize)| {
        let mut round = 0;
        while !end.load(Relaxed) {
            what(round);
            round += 1;
            counts[kind].fetch_add(1, Relaxed);
        }
    };
    let mut samples = Vec::new();
    thread::scope(|scope| {
        let (http, again) = (&http, &again);
        scope.spawn(move || again(0, &mut |round| evaluate(http, round)));
        scope.spawn(move || again(1, &mut |round| measure(http, round)));
        scope.spawn(move || {
            let mut first = None;
            again(2, &mut |_| render(http, &mut first));
        });
        for own in 0..EDITORS {
            scope.spawn(move || again(3, &mut |round| edit(http, own, round)));
            scope.spawn(move || again(4, &mut |round| know(http, own, round)));
        }
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(seconds) {
            thread::sleep(Duration::from_secs(seconds) / SAMPLES);
            samples.extend(resources(http.child.id()));
        }
        end.store(true, Relaxed);
    });
    let [evaluated, measured, drawn, edited, known] = counts.map(AtomicUsize::into_inner);
    println!(
        "{evaluated} evaluations, {measured} measures, {drawn} pictures, {edited} functions, {known} parts of the graph; \
         memory in MiB: {:?}",
        samples
            .iter()
            .map(|(memory, _)| memory >> 10)
            .collect::<Vec<_>>()
    );
    assert!(
        [evaluated, measured, drawn, edited, known]
            .iter()
            .all(|count| *count > 0)
    );
    // Everything that was made is removed again.
    assert_eq!(functions(), before);
    let (before, after) = samples.split_at(samples.len() / 2);
    let most = |part: &[(u64, usize)]| part.iter().map(|sample| sample.0).max();
    if let (true, Some(before), Some(after)) = (seconds >= LONG, most(before), most(after)) {
        assert!(after <= before + GROWTH, "{before} KiB, then {after}");
    }
    let open = samples.iter().map(|(_, files)| *files);
    assert!(open.clone().all(|files| files < 100), "{:?}", open.max());
}

/// Two hundred clients, each of which calls, reads the answer and pauses.
#[test]
fn two_hundred_clients_are_served() {
    const CLIENTS: u64 = 200;
    const PAUSE: Duration = Duration::from_millis(500);
    /// Maximum memory in KiB.
    const MEMORY: u64 = 400 << 10;
    let end = Instant::now() + Duration::from_secs(seconds());
    let http = Http::new(&[], None);
    let ball = json!({ "name": "Ball", "expression": "length(pos) - 5" });
    ask(&http, "create_function_from_expression", &ball);
    let (quiet, _) = resources(http.child.id()).unwrap_or_default();
    let client = |number: u64| {
        let (http, mut times) = (&http, Vec::new());
        // Not all at once.
        thread::sleep(PAUSE * (number % 20) as u32 / 20);
        for round in 0.. {
            let begun = Instant::now();
            if begun >= end {
                break;
            }
            match (number + round) % 4 {
                0 => {
                    let node =
                        json!({ "label": format!("fact {number} {round}"), "types": "fact" });
                    ask(http, "add_nodes", &json!({ "nodes": [node] }));
                }
                1 => {
                    ask(
                        http,
                        "search_nodes",
                        &json!({ "query": "fact", "limit": 3 }),
                    );
                }
                _ => evaluate(http, round as usize),
            }
            times.push(begun.elapsed());
            thread::sleep(PAUSE);
        }
        times
    };
    let mut times: Vec<Duration> = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| scope.spawn(move || client(number)))
            .collect();
        let all = clients.into_iter();
        all.flat_map(|client| client.join().expect("no panic"))
            .collect()
    });
    times.sort_unstable();
    assert!(times.len() as u64 >= CLIENTS, "{} calls", times.len());
    let of = |percent: usize| times[(times.len() - 1) * percent / 100];
    let memory = resources(http.child.id()).map(|(memory, _)| memory);
    println!(
        "{} calls of {CLIENTS} clients; half within {:?}, 99 % within {:?}; memory {quiet} KiB, then {memory:?}",
        times.len(),
        of(50),
        of(99)
    );
    assert!(
        memory.is_none_or(|memory| memory < MEMORY),
        "{memory:?} KiB"
    );
}
