//! Batches of MCP 2025-03-26: several messages in one array, answered in one array.

use serde_json::{Value as Json, json};

use crate::talk::{Http, Pipe, call};

fn initialize(version: &str) -> Json {
    let params = json!({
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": { "name": "batches", "version": "1" },
    });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })
}

fn ping(id: u64) -> Json {
    json!({ "jsonrpc": "2.0", "id": id, "method": "ping" })
}

fn notification() -> Json {
    json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })
}

/// Requests, a notification and two messages that are none; the second tool needs what the first makes.
fn mixed() -> Json {
    let function = json!({ "project": "p", "name": "F", "expression": "0" });
    json!([
        call(1, "create_project", &json!({ "project": "p" })),
        notification(),
        call(2, "create_function_from_expression", &function),
        { "jsonrpc": "2.0", "id": 3 },
        7,
        ping(4),
    ])
}

/// Checks the answers to [`mixed`].
fn check_mixed(answers: &Json) {
    let answers = answers.as_array().expect("an array of answers");
    let of = |id: &Json| {
        let mut found = answers.iter().filter(|answer| &answer["id"] == id);
        let answer = found
            .next()
            .unwrap_or_else(|| panic!("no answer to {id}: {answers:?}"));
        assert!(found.next().is_none(), "two answers to {id}");
        answer
    };
    assert_each_eq! {
        answers.len() => 5;
        of(&json!(1))["result"]["isError"].as_bool().unwrap_or(false) => false;
        of(&json!(2))["result"]["structuredContent"]["function_id"] => 1;
        of(&json!(4))["result"] => json!({});
    }
    for (id, expected) in [
        (json!(3), "`method` must be a string"),
        (Json::Null, "a message must be a JSON object"),
    ] {
        let message = of(&id)["error"]["message"].as_str().expect("a message");
        assert_contains!(message => expected);
    }
}

#[test]
fn over_stdio() {
    let mut pipe = Pipe::scratch(&[]);
    let send = |pipe: &mut Pipe, message: &Json| pipe.send(format!("{message}\n").as_bytes());
    send(&mut pipe, &initialize("2025-03-26"));
    assert_eq!(pipe.receive()["result"]["protocolVersion"], "2025-03-26");
    send(&mut pipe, &json!([notification()]));
    // A batch of notifications has no answer: the next one is that of the next batch.
    send(
        &mut pipe,
        &json!([call(1, "list_projects", &json!({})), ping(2)]),
    );
    let answers = pipe.receive();
    assert_eq!(answers.as_array().map(Vec::len), Some(2), "{answers}");
    send(&mut pipe, &json!([ping(3), ping(3)]));
    let answers = pipe.receive();
    assert_eq!(answers.as_array().map(Vec::len), Some(2), "{answers}");
    for (message, expected) in [
        (json!([]), "the batch is empty"),
        (
            json!(vec![ping(1); 101]),
            "101 messages are too many for a batch",
        ),
    ] {
        send(&mut pipe, &message);
        let error = pipe.receive();
        assert_contains!(error["error"]["message"].as_str().expect("a message") => expected);
    }
    send(
        &mut pipe,
        &json!([{ "jsonrpc": "2.0", "id": 3 }, 7, notification(), ping(4)]),
    );
    assert_eq!(pipe.receive().as_array().map(Vec::len), Some(3));
    send(&mut pipe, &ping(5));
    assert_eq!(pipe.receive()["id"], 5);
    assert!(pipe.end().success());
}

#[test]
fn over_stdio_later_versions_have_no_batches() {
    let mut pipe = Pipe::scratch(&[]);
    for version in ["2025-03-26", "2025-11-25"] {
        pipe.send(format!("{}\n", initialize(version)).as_bytes());
        pipe.receive();
    }
    pipe.send(format!("{}\n", json!([ping(1)])).as_bytes());
    let error = pipe.receive();
    assert_contains!(error["error"]["message"].as_str().expect("a message") => "not part of this version");
    assert!(pipe.end().success());
}

#[test]
fn over_stdio_a_batch_at_the_end_of_input_is_answered() {
    let mut pipe = Pipe::scratch(&[]);
    pipe.send(format!("{}\n", initialize("2025-03-26")).as_bytes());
    pipe.receive();
    pipe.send(json!([ping(1), ping(2)]).to_string().as_bytes());
    pipe.close();
    assert_eq!(pipe.receive().as_array().map(Vec::len), Some(2));
    assert!(pipe.end().success());
}

#[test]
fn over_http() {
    let http = Http::new(&[], None);
    let post = |version: &str, message: &Json| {
        let headers = [("MCP-Protocol-Version", version)];
        let (status, _, body) =
            http.request("POST", "/mcp", &headers, message.to_string().as_bytes());
        (
            status,
            serde_json::from_str(&body).unwrap_or(Json::String(body)),
        )
    };
    // Clients of that version did not send the header.
    let (status, answers) = post("", &mixed());
    assert_eq!(status, 200, "{answers}");
    check_mixed(&answers);
    let (status, answers) = post("2025-03-26", &json!([ping(1)]));
    assert_eq!(
        (status, answers),
        (200, json!([{ "jsonrpc": "2.0", "id": 1, "result": {} }]))
    );
    assert_eq!(post("", &json!([notification()])), (202, json!("")));
    for (version, message, expected) in [
        ("", json!([]), "the batch is empty"),
        (
            "",
            json!(vec![ping(1); 101]),
            "101 messages are too many for a batch",
        ),
        (
            "2025-11-25",
            json!([ping(1)]),
            "batches are not part of this version of MCP",
        ),
    ] {
        let (status, answer) = post(version, &message);
        assert_eq!(status, 400, "{answer}");
        assert_contains!(answer["error"]["message"].as_str().expect("a message") => expected);
    }
}
