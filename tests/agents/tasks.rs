//! Tasks (SEP-2663): calls that take long, of clients that ask for their results.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::talk::{Http, Pipe};

const TASKS: &str = "io.modelcontextprotocol/tasks";

fn server(capabilities: &Json) -> Pipe {
    let mut pipe = Pipe::scratch(&[]);
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities,
                        "clientInfo": { "name": "patient", "version": "1" } });
    let answer = pipe.ask("initialize", &hello);
    let extensions = &answer["result"]["capabilities"]["extensions"];
    assert!(extensions[TASKS].is_object(), "{answer}");
    call!(pipe, "create_function_from_expression", lattices());
    pipe
}

fn patient() -> Json {
    json!({ "extensions": { TASKS: {} } })
}

/// A function that takes long to measure, on however many cores.
fn lattices() -> Json {
    let ripple = |number| format!("sin({number} * pos.x)");
    let ripples = (2..400).fold(ripple(1), |all, number| {
        format!("{all} + {}", ripple(number))
    });
    let all = format!("gyroid(pos, 3, 0.5) + 1e-9 * ({ripples})");
    json!({ "name": "Lattices", "expression": all })
}

/// A measurement that ends after four seconds, at its time limit.
fn long() -> Json {
    json!({ "name": "measure", "arguments": {
        "function_id": "Lattices", "bounds": [[0, 0, 0], [60, 60, 60]], "figures": ["wall"], "time_limit": 4
    } })
}

/// Waits until a task has ended.
fn ended(mut ask: impl FnMut() -> Json) -> Json {
    let end = Instant::now() + Duration::from_secs(240);
    loop {
        let task = ask();
        if task["status"] != "working" {
            return task;
        }
        assert!(Instant::now() < end, "{task}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn long_calls_become_tasks_of_clients_that_take_them() {
    let mut pipe = server(&patient());
    let begun = Instant::now();
    let answer = pipe.ask("tools/call", &long());
    let task = &answer["result"];
    assert_eq!(
        (&task["resultType"], &task["status"]),
        (&json!("task"), &json!("working")),
        "{answer}"
    );
    assert!(begun.elapsed() >= Duration::from_secs(2));
    // The server goes on with other calls.
    let quick = json!({ "name": "list_functions", "arguments": {} });
    assert_eq!(pipe.ask("tools/call", &quick)["result"]["isError"], false);
    let id = json!({ "taskId": task["taskId"] });
    let task = ended(|| pipe.ask("tasks/get", &id)["result"].clone());
    assert_eq!(task["status"], "completed", "{task}");
    // What a client without tasks gets.
    let mut other = server(&json!({}));
    let direct = other.ask("tools/call", &long());
    for result in [&task["result"], &direct["result"]] {
        let outcome = (&result["isError"], &result["_meta"]["code"]);
        assert_eq!(outcome, (&json!(true), &json!("timed_out")));
    }
    assert!(direct["result"].get("taskId").is_none(), "{direct}");
}

#[test]
fn tasks_are_cancelled_and_unknown_ones_refused() {
    let mut pipe = server(&patient());
    let answer = pipe.ask("tools/call", &long());
    let id = json!({ "taskId": answer["result"]["taskId"] });
    pipe.ask("tasks/cancel", &id);
    let task = ended(|| pipe.ask("tasks/get", &id)["result"].clone());
    assert_eq!(task["status"], "cancelled", "{task}");
    let unknown = pipe.ask("tasks/get", &json!({ "taskId": "none" }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

/// A call that is quick, or refused, is answered at once.
#[test]
fn quick_calls_are_no_tasks() {
    let mut pipe = server(&patient());
    call!(pipe, "create_function_from_expression", { "name": "Ball", "expression": "length(pos) - 5" });
    for (arguments, is_error) in [
        (
            json!({ "function_id": "Ball", "figures": ["volume"] }),
            false,
        ),
        (json!({ "function_id": 9 }), true),
    ] {
        let call = json!({ "name": "measure", "arguments": arguments });
        let answer = pipe.ask("tools/call", &call);
        assert_eq!(answer["result"]["isError"], is_error, "{answer}");
    }
}

/// Sends a message of 2026-07-28 of a client that takes tasks; gives status and body.
fn since_2026(http: &Http, method: &str, name: Option<&str>, mut params: Json) -> (u16, String) {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "patient", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": patient(),
    });
    params["_meta"] = meta;
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let mut headers = vec![
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", method),
    ];
    headers.extend(name.map(|name| ("Mcp-Name", name)));
    let message = message.to_string();
    let (status, _, body) = http.request("POST", "/mcp", &headers, message.as_bytes());
    (status, body)
}

/// Over HTTP a task outlives the request that made it, and the connection.
#[test]
fn tasks_outlive_their_connection() {
    let http = Http::new(&[], None);
    let ask = |method: &str, name: Option<&str>, params: Json| {
        let (_, body) = since_2026(&http, method, name, params);
        let answer: Json =
            serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"));
        answer["result"].clone()
    };
    let make = json!({ "name": "create_function_from_expression",
                       "arguments": lattices() });
    ask("tools/call", Some("create_function_from_expression"), make);
    let task = ask("tools/call", Some("measure"), long());
    let id = task["taskId"]
        .as_str()
        .unwrap_or_else(|| panic!("{task}"))
        .to_owned();
    let task = ended(|| ask("tasks/get", Some(&id), json!({ "taskId": id })));
    assert_eq!(task["status"], "completed", "{task}");
    assert_eq!(task["result"]["_meta"]["code"], "timed_out", "{task}");
}

/// What a client has begun counts until it ends, however it is answered; its results can be asked for all the same.
#[test]
fn work_counts_for_its_client_until_it_ends() {
    let http = Http::new(&["--client-calls", "1"], None);
    let list = json!({ "name": "list_functions", "arguments": {} });
    let is_free = || {
        let (status, body) = since_2026(&http, "tools/call", Some("list_functions"), list.clone());
        assert!([200, 429].contains(&status), "{status}: {body}");
        status == 200
    };
    let made = json!({ "name": "create_function_from_expression", "arguments": lattices() });
    let name = Some("create_function_from_expression");
    assert_eq!(since_2026(&http, "tools/call", name, made).0, 200);
    assert!(is_free());

    // A task.
    let (status, body) = since_2026(&http, "tools/call", Some("measure"), long());
    let answer: Json = serde_json::from_str(&body).expect("JSON");
    let id = answer["result"]["taskId"].as_str();
    let id = id.unwrap_or_else(|| panic!("{status}: {body}"));
    assert!(!is_free(), "the task is at work");
    let about = |method| since_2026(&http, method, Some(id), json!({ "taskId": id }));
    let (status, body) = about("tasks/get");
    assert_eq!(status, 200, "{body}");
    assert_eq!(about("tasks/cancel").0, 200);
    ended(|| {
        let (_, body) = about("tasks/get");
        let answer: Json = serde_json::from_str(&body).expect("JSON");
        answer["result"].clone()
    });
    assert!(is_free(), "the task has ended");

    // Progress that is streamed.
    let mut call = long();
    call["_meta"] = json!({ "progressToken": 1 });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call });
    std::thread::scope(|scope| {
        let streamed = scope.spawn(|| {
            let message = message.to_string();
            http.request("POST", "/mcp", &[], message.as_bytes())
        });
        std::thread::sleep(Duration::from_millis(1_500));
        assert!(!is_free(), "progress is streamed");
        let (status, _, body) = streamed.join().expect("it ends");
        assert_eq!(status, 200);
        assert!(body.contains("notifications/progress"), "{body}");
    });
    assert!(is_free(), "the stream has ended");
}
