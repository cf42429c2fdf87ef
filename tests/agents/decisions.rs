//! Decisions of people (elicitation) and log messages: what the server asks and tells a client during a call.

use serde_json::{Value as Json, json};

use crate::talk::{Http, Pipe, outcome};

const TOOLSETS: [&str; 2] = ["--toolsets", "project,project-extra,function"];

/// A client of 2025-11-25, and a project.
fn client(capabilities: &Json) -> Pipe {
    let mut pipe = Pipe::scratch(&TOOLSETS);
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities,
                        "clientInfo": { "name": "asking", "version": "1" } });
    pipe.ask("initialize", &hello);
    call!(pipe, "create_project", { "project": "bracket" });
    pipe
}

/// Calls a tool, and gives the person's decision if there is a question; returns the question and the answer.
fn decide(pipe: &mut Pipe, tool: &str, arguments: &Json, decision: &Json) -> (String, Json) {
    pipe.send(format!("{}\n", crate::talk::call(900, tool, arguments)).as_bytes());
    let asked = pipe.receive();
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let params = &asked["params"];
    assert_eq!(
        params["requestedSchema"]["properties"],
        json!({}),
        "{asked}"
    );
    let response = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": decision });
    pipe.send(format!("{response}\n").as_bytes());
    let question = params["message"].as_str().expect("a question");
    (question.to_owned(), pipe.receive())
}

#[test]
fn what_cannot_be_undone_is_asked_first() {
    let mut pipe = client(&json!({ "elicitation": {} }));
    let bracket = json!({ "project": "bracket" });
    for decision in [
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
    ] {
        let (question, answer) = decide(&mut pipe, "delete_project", &bracket, &decision);
        assert!(
            question.starts_with("Delete the project 'bracket'"),
            "{question}"
        );
        assert_eq!(
            answer["result"]["_meta"]["code"], "not_confirmed",
            "{answer}"
        );
    }
    assert_eq!(
        call!(pipe, "list_projects", {})["projects"][0]["project"],
        "bracket"
    );
    let secret = json!({ "project": "bracket", "text": "Jane Doe" });
    let accept = json!({ "action": "accept", "content": {} });
    let (question, answer) = decide(&mut pipe, "redact", &secret, &accept);
    assert!(
        question.contains("the text 'Jane Doe' from the project 'bracket'"),
        "{question}"
    );
    assert_eq!(
        answer["result"]["isError"], true,
        "nothing has the text: {answer}"
    );
    let (_, answer) = decide(&mut pipe, "delete_project", &bracket, &accept);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    // What only checks, or has nothing to delete, is not asked.
    let check = json!({ "project": "default", "revision": 1, "dry_run": true });
    let unread = json!({ "project_id": "default" });
    for (tool, arguments) in [
        ("compact", &check),
        ("delete_project", &bracket),
        ("delete_project", &unread),
    ] {
        let answer = pipe.ask(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        );
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
}

/// A question that a client does not answer ends with the call.
#[test]
fn questions_end_with_their_call() {
    let mut pipe = client(&json!({ "elicitation": { "form": {} } }));
    let bracket = json!({ "project": "bracket" });
    pipe.send(format!("{}\n", crate::talk::call(900, "delete_project", &bracket)).as_bytes());
    assert_eq!(pipe.receive()["method"], "elicitation/create");
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 900 } });
    pipe.send(format!("{cancel}\n").as_bytes());
    assert_eq!(pipe.receive()["method"], "notifications/cancelled");
    let listed = call!(pipe, "list_projects", {});
    assert_eq!(listed["projects"][0]["project"], "bracket");
    // At the end of input nobody can answer.
    pipe.send(format!("{}\n", crate::talk::call(901, "delete_project", &bracket)).as_bytes());
    assert_eq!(pipe.receive()["method"], "elicitation/create");
    pipe.close();
    assert_eq!(pipe.receive()["result"]["_meta"]["code"], "not_confirmed");
    assert!(
        pipe.end_within(std::time::Duration::from_secs(20))
            .success()
    );
}

/// A person cannot decide on any number of questions at once.
#[test]
fn few_questions_are_open() {
    let mut pipe = client(&json!({ "elicitation": {} }));
    let bracket = json!({ "project": "bracket" });
    let call = |id| format!("{}\n", crate::talk::call(id, "delete_project", &bracket));
    for id in 900..908 {
        pipe.send(call(id).as_bytes());
        assert_eq!(pipe.receive()["method"], "elicitation/create");
    }
    pipe.send(call(908).as_bytes());
    let refused = pipe.receive();
    assert_eq!(
        refused["result"]["_meta"]["code"], "not_confirmed",
        "{refused}"
    );
    assert_contains!(refused.to_string() => "8 questions are open");
}

#[test]
fn clients_that_show_no_forms_are_not_asked() {
    for capabilities in [json!({}), json!({ "elicitation": { "url": {} } })] {
        let mut pipe = client(&capabilities);
        call!(pipe, "delete_project", { "project": "bracket" });
    }
}

/// A request of 2026-07-28.
fn ask(http: &Http, tool: &str, mut params: Json, meta: &Json, more: &[(&str, &str)]) -> String {
    params["name"] = tool.into();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "asking", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
    });
    let members = meta.as_object().expect("members").clone();
    params["_meta"]
        .as_object_mut()
        .expect("members")
        .extend(members);
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let mut headers = vec![
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", tool),
    ];
    headers.extend(more);
    http.request("POST", "/mcp", &headers, message.to_string().as_bytes())
        .2
}

fn result(body: &str) -> Json {
    let answer: Json = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"));
    answer["result"].clone()
}

/// Without a connection the question is the answer, and the decision comes with the call again.
#[test]
fn decisions_come_with_the_repeated_call() {
    let http = Http::new(&TOOLSETS, None);
    for project in ["bracket", "plate"] {
        let made = http.call("create_project", &json!({ "project": project }));
        made.unwrap_or_else(|refusal| panic!("{refusal}"));
    }
    let delete = |project: &str, responses: &Json| {
        let params = json!({ "arguments": { "project": project }, "inputResponses": responses });
        result(&ask(&http, "delete_project", params, &json!({}), &[]))
    };
    let asked = delete("bracket", &json!({}));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let requests = asked["inputRequests"].as_object().expect("questions");
    let (question, request) = requests.iter().next().expect("a question");
    assert_eq!(request["params"]["message"], **question);
    // The decision on one call is none on another.
    let accepted = json!({ question: { "action": "accept", "content": {} } });
    assert_eq!(delete("plate", &accepted)["resultType"], "input_required");
    let declined = delete("bracket", &json!({ question: { "action": "decline" } }));
    assert_eq!(declined["_meta"]["code"], "not_confirmed", "{declined}");
    let senseless = delete("bracket", &json!({ question: 1 }));
    assert_eq!(senseless["_meta"]["code"], "not_confirmed", "{senseless}");
    assert_eq!(delete("bracket", &accepted)["isError"], false);
}

#[test]
fn calls_are_logged_to_clients_that_ask_for_it() {
    let mut pipe = client(&json!({}));
    // Without a level there are no messages: `call!` would meet them.
    let level =
        |pipe: &mut Pipe, level: &str| pipe.ask("logging/setLevel", &json!({ "level": level }));
    assert_eq!(level(&mut pipe, "info")["result"], json!({}));
    assert_eq!(level(&mut pipe, "loud")["error"]["code"], -32602);
    let mut told = |id: u64, tool: &str| {
        pipe.send(format!("{}\n", crate::talk::call(id, tool, &json!({}))).as_bytes());
        let message = pipe.receive();
        assert_eq!(message["method"], "notifications/message", "{message}");
        let params = message["params"].clone();
        assert!(params["data"]["ms"].is_number(), "{message}");
        assert_eq!(params["data"]["request"], id.to_string(), "{message}");
        let _ = outcome(&pipe.receive());
        (params["level"].clone(), params["data"]["outcome"].clone())
    };
    assert_eq!(told(901, "list_projects"), (json!("info"), json!("ok")));
    let refused = (json!("warning"), json!("invalid_arguments"));
    assert_eq!(told(902, "evaluate"), refused);
    assert_eq!(level(&mut pipe, "warning")["result"], json!({}));
    call!(pipe, "list_projects", {});
}

/// Over HTTP each request of 2026-07-28 names its level; requests of before have no connection that could keep one.
#[test]
fn requests_name_the_level_of_their_log() {
    let http = Http::new(&TOOLSETS, None);
    let call = |level: &str| {
        let meta = json!({ "io.modelcontextprotocol/logLevel": level });
        let params = json!({ "arguments": {} });
        ask(
            &http,
            "list_projects",
            params,
            &meta,
            &[("X-Request-Id", "log-1")],
        )
    };
    let told = call("info");
    assert!(told.contains("notifications/message"), "{told}");
    assert!(told.contains(r#""request":"log-1""#), "{told}");
    let quiet = call("error");
    assert!(!quiet.contains("notifications/message"), "{quiet}");
    let set = json!({ "jsonrpc": "2.0", "id": 1, "method": "logging/setLevel", "params": { "level": "info" } });
    let (_, answer) = http.post(set.to_string().as_bytes());
    assert!(answer["error"].is_object(), "{answer}");
}

/// A server that is told so has `project` repeated in a header, which must agree.
#[test]
fn the_project_is_repeated_in_a_header() {
    let http = Http::new(&["--project-header"], None);
    let params = json!({ "arguments": { "project": "default" } });
    let call =
        |more: &[(&str, &str)]| ask(&http, "list_functions", params.clone(), &json!({}), more);
    assert_eq!(
        result(&call(&[("Mcp-Param-Project", "default")]))["isError"],
        false
    );
    for more in [&[][..], &[("Mcp-Param-Project", "other")]] {
        let refused = call(more);
        assert!(
            refused.contains("Mcp-Param-Project") || refused.contains("mcp-param-project"),
            "{refused}"
        );
    }
    // Clients of before know no such header.
    let before = http.call("list_functions", &json!({ "project": "default" }));
    assert!(before.is_ok(), "{before:?}");
    let plain = Http::new(&[], None);
    assert_eq!(
        result(&ask(
            &plain,
            "list_functions",
            params.clone(),
            &json!({}),
            &[]
        ))["isError"],
        false
    );
}
