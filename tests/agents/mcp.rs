//! An MCP client drives the server as agents do: as a child process and over HTTP, in both eras of the protocol.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fibula::format::threemf::{self, Limits};
use fibula::graph::FunctionId;
use rmcp::model::{
    CallToolRequestParams, ClientRequest, GetPromptRequestParams, JsonObject, ProtocolVersion,
    ReadResourceRequestParams, Request, ResourceContents,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientLifecycleMode, ClientServiceExt, ServiceExt};
use serde_json::{Value as Json, json};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::agent::{Client, Running, agent, child, request};
use crate::talk::{Http, Pipe};

/// Acts as an agent does, from the first look at the tools to the last undo.
async fn exercise(
    client: Running,
    progress: mpsc::UnboundedReceiver<f64>,
    version: ProtocolVersion,
    named: bool,
) {
    let peer = client.peer_info().expect("it said what it is");
    assert_eq!(peer.protocol_version, version);
    let tools = client.list_all_tools().await.expect("tools");
    assert_eq!(tools.len(), 32);
    adder(&client, named).await;
    refused(&client).await;
    long_work(&client, progress).await;
    reading(&client).await;
    client.cancel().await.expect("it ends");
}

async fn adder(client: &Running, named: bool) {
    let made =
        ask!(client, "create_function_from_expression", { "name": "MyAdder", "expression": "0" });
    let id = made["function_id"].clone();
    for (kind, expected) in [
        ("ConstantScalar", 1),
        ("ConstantScalar", 2),
        ("Addition", 3),
    ] {
        let node = ask!(client, "create_node", { "function_id": id, "node_type": kind });
        assert_eq!(node["node_id"], expected);
    }
    for (node, value) in [(1, 5), (2, 10)] {
        let arguments = json!({ "function_id": id, "node_id": node, "parameter_name": "Value", "value": value });
        ask!(client, "set_parameter_value", arguments);
    }
    for (from, port, to, parameter) in [
        (1, "Value", 3, "A"),
        (2, "Value", 3, "B"),
        (3, "Result", 0, "Shape"),
    ] {
        let ends = json!({ "function_id": id, "source_node_id": from, "source_port_name": port,
                           "target_node_id": to, "target_parameter_name": parameter });
        assert_eq!(ask!(client, "create_link", ends)["success"], true);
    }
    let values = ask!(client, "evaluate", { "function_id": id });
    assert_eq!(values["values"], json!({ "shape": 15.0 }));
    let history = ask!(client, "get_history", { "limit": 1 });
    let who = if named { "agent of the test" } else { "mcp" };
    assert_eq!(history["entries"][0]["client"], who);
    assert_eq!(history["entries"][0]["tool"], "create_link");
}

async fn refused(client: &Running) {
    let result = client
        .call_tool(request(
            "create_node",
            json!({ "function_id": 99, "node_type": "Sine" }),
        ))
        .await;
    let result = result.expect("a refusal is an answer");
    assert_each_eq! {
        (result.is_error, result.structured_content) => (Some(true), None);
        result.meta.expect("it has its code").0["code"] => "unknown_function";
    }
    let text = &result.content[0].as_text().expect("a text").text;
    assert_starts!(text => "unknown_function: function 99 is not in this project");
    let unknown = client.call_tool(CallToolRequestParams::new("nope"));
    assert!(unknown.await.is_err());
}

/// Many points of a function with many operations: seconds.
fn long() -> (Json, Json) {
    let terms: Vec<String> = (1..3_000).map(|n| format!("sin(a * {n})")).collect();
    let points: Vec<Json> = (0..20_000).map(|n| json!({ "a": n })).collect();
    (
        json!({ "name": "Long", "expression": terms.join(" + ") }),
        points.into(),
    )
}

async fn long_work(client: &Running, mut progress: mpsc::UnboundedReceiver<f64>) {
    let (function, points) = long();
    let id = ask!(client, "create_function_from_expression", function)["function_id"].clone();
    let all = json!({ "function_id": id, "arguments": points });
    let values = ask!(client, "evaluate", all.clone());
    let shown = values["values"].as_array().map_or(0, Vec::len);
    assert!((100..20_000).contains(&shown), "{shown}");
    assert_fields!(values, { "truncated": true, "total": 20_000 });
    let told = timeout(Duration::from_secs(5), progress.recv()).await;
    assert!(told.expect("in time").expect("progress was told") > 0.0);
    let send = |options| {
        let call = Request::new(request("evaluate", all.clone()));
        client.send_cancellable_request(ClientRequest::CallToolRequest(call), options)
    };
    // More of them than are worked on at once, each called off: none may hold its place.
    for _ in 0..8 {
        let handle = send(PeerRequestOptions::no_options())
            .await
            .expect("it is sent");
        tokio::time::sleep(Duration::from_millis(60)).await;
        handle.cancel(None).await.expect("it is called off");
    }
    // Nor may one for which the client waits no longer.
    let mut options = PeerRequestOptions::no_options();
    options.timeout = Some(Duration::from_millis(60));
    let ended = send(options)
        .await
        .expect("it is sent")
        .await_response()
        .await;
    assert!(
        matches!(ended, Err(ServiceError::Timeout { .. })),
        "{ended:?}"
    );
    let quick = crate::agent::call(
        client,
        "evaluate",
        json!({ "function_id": id, "arguments": { "a": 1 } }),
    );
    let quick = timeout(Duration::from_secs(5), quick).await;
    quick.expect("what is called off gives its place back");
}

async fn reading(client: &Running) {
    let resources = client.list_all_resources().await.expect("resources");
    let mut addresses: Vec<&str> = resources.iter().map(|one| one.uri.as_str()).collect();
    addresses.sort_unstable();
    let expected = [
        "fibula://library/cad",
        "fibula://projects",
        "fibula://projects/default/summary",
        "fibula://schemas/edits",
        "skill://fibula-parts/SKILL.md",
    ];
    assert_eq!(addresses, expected);
    let read = |address: &str| client.read_resource(ReadResourceRequestParams::new(address));
    for address in [
        "fibula://projects",
        "fibula://projects/default/summary",
        "fibula://projects/default/functions/1",
        "fibula://projects/default/functions/MyAdder",
        "fibula://node-types/Sine",
    ] {
        let contents = read(address).await.expect(address).contents;
        assert_eq!(contents.len(), 1, "{address}");
    }
    assert!(read("fibula://projects/none/summary").await.is_err());
    let package = read("fibula://projects/default/package.3mf").await;
    let package = package.expect("a package").contents;
    let [
        ResourceContents::BlobResourceContents {
            mime_type, blob, ..
        },
    ] = &package[..]
    else {
        panic!("it is no file: {package:?}");
    };
    assert_eq!(mime_type.as_deref(), Some("model/3mf"));
    let bytes = BASE64.decode(blob).expect("base64");
    let model = threemf::read(&bytes, &Limits::default()).expect("a package");
    assert_eq!(model.functions[0].function_id, Some(FunctionId(1)));
    assert!(read("fibula://projects/none/package.3mf").await.is_err());
    let picture = read("fibula://projects/default/functions/1.svg").await;
    let picture = picture.expect("a picture").contents;
    let [
        ResourceContents::TextResourceContents {
            mime_type, text, ..
        },
    ] = &picture[..]
    else {
        panic!("it is no text: {picture:?}");
    };
    assert_eq!(mime_type.as_deref(), Some("image/svg+xml"));
    assert_starts!(text => "<svg ");
    for address in [
        "default/functions/99.svg",
        "none/functions/1.svg",
        "default/summary.svg",
    ] {
        let address = format!("fibula://projects/{address}");
        assert!(read(&address).await.is_err(), "{address}");
    }
    let complete = client
        .complete_resource_simple("fibula://node-types/{name}", "name", "constants")
        .await;
    assert_eq!(complete.expect("names"), ["ConstantScalar"]);
    for function in ["1", "MyAdder"] {
        let arguments: JsonObject = [("function_id".to_owned(), json!(function))]
            .into_iter()
            .collect();
        let prompt = client
            .get_prompt(GetPromptRequestParams::new("explain_function").with_arguments(arguments))
            .await;
        let prompt = serde_json::to_string(&prompt.expect("a prompt")).expect("JSON");
        assert_contains!(prompt => "Explain function 1 of");
    }
    for (arguments, problem) in cases![
        json!({}) => "function_id is missing: the id or the name of a function";
        json!({ "function_id": "Adder" }) => "no function has the name 'Adder'; did you mean MyAdder?";
        json!({ "function_id": "-1" }) => "no function has the name '-1'";
        json!({ "function_id": "" }) => "no function has the name ''";
    ] {
        let arguments: JsonObject = serde_json::from_value(arguments).expect("an object");
        let prompt = GetPromptRequestParams::new("explain_function").with_arguments(arguments);
        let error = client
            .get_prompt(prompt)
            .await
            .expect_err(problem)
            .to_string();
        assert_contains!(error => problem);
    }
}

fn stateless() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    }
}

#[tokio::test]
async fn over_stdio_since_2025() {
    let (client, progress) = agent(&[]).await;
    exercise(client, progress, ProtocolVersion::V_2025_11_25, true).await;
}

#[tokio::test]
async fn over_stdio_since_2026() {
    let (sender, progress) = mpsc::unbounded_channel();
    let client = Client(sender)
        .serve_with_lifecycle(child(&[]), stateless())
        .await
        .expect("a connection");
    exercise(client, progress, ProtocolVersion::V_2026_07_28, true).await;
}

fn config(http: &Http) -> StreamableHttpClientTransportConfig {
    let config =
        StreamableHttpClientTransportConfig::with_uri(format!("http://{}/mcp", http.address));
    config.auth_header("the-token-of-the-test")
}

#[tokio::test]
async fn over_http_since_2025() {
    let http = Http::new(&[], Some("the-token-of-the-test"));
    let (sender, progress) = mpsc::unbounded_channel();
    let client = Client(sender)
        .serve(StreamableHttpClientTransport::from_config(config(&http)))
        .await
        .expect("a connection");
    // Without a session nothing is known of who calls.
    exercise(client, progress, ProtocolVersion::V_2025_11_25, false).await;
}

#[tokio::test]
async fn over_http_since_2026() {
    let http = Http::new(&[], Some("the-token-of-the-test"));
    let (sender, progress) = mpsc::unbounded_channel();
    let client = Client(sender)
        .serve_with_lifecycle(
            StreamableHttpClientTransport::from_config(config(&http)),
            stateless(),
        )
        .await
        .expect("a connection");
    exercise(client, progress, ProtocolVersion::V_2026_07_28, true).await;
}

#[test]
fn calls_that_do_not_wait_are_answered_in_order() {
    let mut pipe = Pipe::scratch(&[]);
    let count = 5_000;
    let mut all = Vec::new();
    for id in 0..count {
        let name = format!("F{id}");
        let arguments = json!({ "name": name, "expression": "0" });
        all.extend(
            crate::talk::call(id, "create_function_from_expression", &arguments)
                .to_string()
                .into_bytes(),
        );
        all.push(b'\n');
    }
    // The last line has no end.
    all.pop();
    pipe.send(&all);
    pipe.close();
    for id in 0..count {
        let answer = pipe.receive();
        assert_eq!(answer["id"], id);
        assert_eq!(answer["result"]["structuredContent"]["function_id"], id + 1);
    }
    assert!(pipe.end().success());
}

#[test]
fn what_is_no_request_ends_nothing() {
    let mut pipe = Pipe::scratch(&[]);
    // All before any `initialize`: notifications, an answer to nothing, empty lines, and a mark of UTF-8.
    pipe.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}\n");
    pipe.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unheard-of\"}\n");
    pipe.send(b"{\"jsonrpc\":\"2.0\",\"id\":\"e\",\"result\":{}}\n\n\r\n");
    pipe.send(b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n");
    assert_each_eq! {
        pipe.receive() => json!({ "jsonrpc": "2.0", "id": 1, "result": {} });
        call!(pipe, "list_projects", {})["total"] => 1;
    }
}

/// The bytes of an answer, which must be fit for an agent, and the answer.
fn fits(pipe: &mut Pipe, tool: &str, arguments: &Json) -> Json {
    pipe.send(format!("{}\n", crate::talk::call(9, tool, arguments)).as_bytes());
    let answer = pipe.receive();
    let bytes = answer.to_string().len();
    assert!(bytes < 60_000, "{tool} answers {bytes} bytes");
    answer["result"].clone()
}

#[test]
fn answers_stay_short() {
    let mut pipe = Pipe::scratch(&[]);
    let ports = json!([{ "name": "result", "type": "matrix" }]);
    let mut edits = vec![
        json!({ "set_function": { "function_id": 1, "name": "Matrices", "outputs": ports } }),
        json!({ "create_node": { "function_id": 1, "node_id": 2, "node_type": "ConstantMatrix" } }),
    ];
    for id in 3..303 {
        let parameters = json!({ "A": { "source": { "node_id": id - 1, "port": if id == 3 { "matrix" } else { "result" } } } });
        edits.push(json!({ "create_node": { "function_id": 1, "node_id": id, "node_type": "Transpose", "parameters": parameters } }));
    }
    edits.push(json!({ "create_link": { "function_id": 1, "source_node_id": 302, "source_port_name": "result", "target_node_id": 0, "target_parameter_name": "result" } }));
    let applied = fits(&mut pipe, "apply_edits", &json!({ "edits": edits }));
    let applied = &applied["structuredContent"];
    assert_fields!(applied, { "applied": 303, "truncated": true });

    let request = json!({ "function_id": 1, "trace": true });
    let traced = fits(&mut pipe, "evaluate", &request);
    let traced = &traced["structuredContent"];
    let nodes = traced["trace"].as_array().expect("a trace");
    assert!((5..300).contains(&nodes.len()), "{}", nodes.len());
    assert_eq!(nodes[nodes.len() - 1]["node_id"], 302);
    let left_out = format!(
        "the trace has {} nodes, the last ones of each function; it omits {} nodes and does not enter 0 calls",
        nodes.len(),
        301 - nodes.len()
    );
    assert_eq!(traced["warnings"], json!([left_out]));

    let points = vec![json!({}); 5_000];
    let request = json!({ "function_id": 1, "arguments": points });
    let values = fits(&mut pipe, "evaluate", &request);
    let values = &values["structuredContent"];
    let shown = values["values"].as_array().expect("values").len();
    assert!((10..5_000).contains(&shown), "{shown}");
    assert_eq!(values["total"], 5_000);
    let next = values["next"].as_str().expect("how to go on");
    assert_contains!(next => &format!("with the points from {shown}"));

    let mut edits = vec![
        json!({ "set_function": { "function_id": 2, "name": "Unset", "outputs": [{ "name": "result", "type": "float" }] } }),
        json!({ "create_node": { "function_id": 2, "node_id": 1, "node_type": "Addition" } }),
    ];
    for id in 2..500 {
        let parameters = json!({ "A": { "source": { "node_id": id - 1, "port": "result" } } });
        edits.push(json!({ "create_node": { "function_id": 2, "node_id": id, "node_type": "Addition", "parameters": parameters } }));
    }
    let link = |target: u32, parameter: &str| json!({ "create_link": { "function_id": 2, "source_node_id": 499, "source_port_name": "result", "target_node_id": target, "target_parameter_name": parameter } });
    edits.push(link(0, "result"));
    fits(&mut pipe, "apply_edits", &json!({ "edits": edits }));
    let missing = fits(&mut pipe, "evaluate", &json!({ "function_id": 2 }));
    let details = &missing["_meta"]["details"];
    let missing = details["missing"].as_array();
    assert_eq!(missing.map(Vec::len), Some(20));
    assert_eq!(details["total"], 500);
    let edits = json!({ "edits": [link(1, "A")] });
    let cycle = fits(&mut pipe, "apply_edits", &edits);
    assert_eq!(cycle["_meta"]["code"], "cycle");
    assert!(cycle.to_string().len() < 4_000, "{cycle}");
}

#[test]
fn long_edits_are_in_nobodys_way() {
    let mut pipe = Pipe::scratch(&[]);
    call!(pipe, "create_function_from_expression", { "name": "F", "expression": "0" });
    let edit = json!({ "create_node": { "function_id": 1, "node_type": "Sine" } });
    let long = json!({ "edits": vec![edit; 8_000] });
    let mut line = |id, tool, arguments: &Json| {
        pipe.send(format!("{}\n", crate::talk::call(id, tool, arguments)).as_bytes());
    };
    line(7, "apply_edits", &long);
    line(8, "list_functions", &json!({}));
    let (first, second) = (pipe.receive(), pipe.receive());
    assert_eq!((&first["id"], &second["id"]), (&json!(8), &json!(7)));
    let applied = crate::talk::outcome(&second).expect("the edits");
    assert_eq!(applied["applied"], 8_000);
}

#[test]
fn work_in_progress_is_answered_after_the_end_of_input() {
    let mut pipe = Pipe::scratch(&[]);
    let (function, points) = long();
    call!(pipe, "create_function_from_expression", &function);
    let mut line = |id: u64| {
        let message = crate::talk::call(
            id,
            "evaluate",
            &json!({ "function_id": 1, "arguments": points }),
        );
        pipe.send(format!("{message}\n").as_bytes());
    };
    // The second has the id of the first, which is still in progress.
    line(7);
    line(7);
    let refused = crate::talk::outcome(&pipe.receive()).expect_err("two answers to one id");
    let expected = "-32600: a request with this id is still in progress";
    assert_eq!(refused, expected);
    pipe.close();
    assert_eq!(pipe.receive()["id"], 7);
    assert!(pipe.end_within(Duration::from_secs(10)).success());
}
