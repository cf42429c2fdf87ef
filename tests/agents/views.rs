//! Views inside of hosts (MCP Apps), and the skill for agents, over both eras and both transports.
//! web/tests/views.mjs shows the views in a browser.

use serde_json::{Value as Json, json};

use crate::surface::page::assert_up_to_date;
use crate::talk::{Http, Pipe, outcome};

const VIEW: &str = "ui://fibula/view.html";
const SKILL: &str = "skill://fibula-parts/SKILL.md";

/// Capabilities of a client that shows views.
fn showing() -> Json {
    json!({ "extensions": { "io.modelcontextprotocol/ui": { "mimeTypes": ["text/html;profile=mcp-app"] } } })
}

fn hello(capabilities: &Json) -> Json {
    let client = json!({ "name": "host", "version": "1" });
    json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client })
}

/// Tools of a list with a view, and those that only views call.
fn views(answer: &Json) -> (Vec<&str>, Vec<&str>) {
    let tools = answer["result"]["tools"].as_array().expect("tools");
    let names = |select: &dyn Fn(&Json) -> bool| {
        let found = tools.iter().filter(|tool| select(&tool["_meta"]["ui"]));
        found
            .map(|tool| tool["name"].as_str().expect("a name"))
            .collect()
    };
    (
        names(&|ui| ui["resourceUri"] == VIEW),
        names(&|ui| ui["visibility"] == json!(["app"])),
    )
}

#[test]
fn clients_that_show_views_have_them() {
    let check = |capabilities: &Json, arguments: &[&str], shown: &[&str], called: &[&str]| {
        let mut pipe = Pipe::scratch(arguments);
        pipe.ask("initialize", &hello(capabilities));
        let listed = pipe.ask("tools/list", &json!({}));
        assert_eq!(views(&listed), (shown.to_vec(), called.to_vec()));
        let resources = pipe.ask("resources/list", &json!({})).to_string();
        assert_eq!(resources.contains(VIEW), !shown.is_empty(), "{arguments:?}");
        assert_eq!(
            resources.contains(SKILL),
            arguments.is_empty(),
            "{arguments:?}"
        );
        let skills = pipe.ask("skills/list", &json!({}));
        assert_eq!(
            skills.to_string().contains(SKILL),
            arguments.is_empty(),
            "{arguments:?}"
        );
        // What is not listed is not there.
        let parameters = pipe.call("list_parameters", &json!({}));
        let is_there =
            called.contains(&"list_parameters") || arguments.join(",").contains("project-extra");
        assert_eq!(parameters.is_ok(), is_there, "{parameters:?}");
    };
    let shown = ["render", "get_neighbors"];
    check(
        &showing(),
        &[],
        &shown,
        &["list_parameters", "pick", "render_graph"],
    );
    check(&json!({}), &[], &[], &[]);
    // Tools that are listed anyway are for the model, too.
    check(
        &showing(),
        &["--toolsets", "geometry,project-extra"],
        &["render"],
        &[],
    );
    check(
        &showing(),
        &["--toolsets", "knowledge"],
        &["get_neighbors"],
        &["render_graph"],
    );
    check(
        &showing(),
        &["--toolsets", "function", "--read-only"],
        &[],
        &[],
    );
    check(&showing(), &["--toolsets", "memory"], &[], &[]);
}

/// Clients of 2025-11-25 declare what they can do once, and those of 2026-07-28 with each request.
#[test]
fn clients_over_http_have_views_without_a_state_of_the_server() {
    let http = Http::new(&[], None);
    let send = |headers: &[(&str, &str)], method: &str, params: &Json| {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let (status, headers, body) =
            http.request("POST", "/mcp", headers, message.to_string().as_bytes());
        assert_eq!(status, 200, "{body}");
        let answer: Json = serde_json::from_str(&body).expect("JSON");
        (headers.to_ascii_lowercase(), answer)
    };
    let (headers, _) = send(&[], "initialize", &hello(&showing()));
    let mut lines = headers.lines();
    let session = lines.find_map(|line| line.strip_prefix("mcp-session-id: "));
    let session = [("Mcp-Session-Id", session.expect("a session").trim())];
    let (_, listed) = send(&session, "tools/list", &json!({}));
    assert_eq!(views(&listed).0.len(), 2);
    let pick = json!({ "name": "pick", "arguments": { "point": [0, 0, 0] } });
    let (_, picked) = send(&session, "tools/call", &pick);
    let refusal = outcome(&picked).expect_err("there is no part");
    assert!(!refusal.contains("no tool"), "{refusal}");

    let (headers, _) = send(&[], "initialize", &hello(&json!({})));
    assert!(!headers.contains("mcp-session-id"), "{headers}");
    let (_, listed) = send(&[("Mcp-Session-Id", "other")], "tools/list", &json!({}));
    assert_eq!(views(&listed), (vec![], vec![]));

    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "host", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": showing(),
    });
    let stateless = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/list"),
    ];
    let (headers, listed) = send(&stateless, "tools/list", &json!({ "_meta": meta }));
    assert!(!headers.contains("mcp-session-id"), "{headers}");
    assert_eq!(
        views(&listed).1,
        ["list_parameters", "pick", "render_graph"]
    );
}

#[test]
fn the_page_of_the_views_is_a_resource() {
    let mut pipe = Pipe::scratch(&[]);
    let read = pipe.ask("resources/read", &json!({ "uri": VIEW }));
    let contents = &read["result"]["contents"][0];
    assert_eq!(contents["mimeType"], "text/html;profile=mcp-app");
    assert_eq!(
        contents["_meta"]["ui"],
        json!({ "csp": {}, "prefersBorder": true })
    );
    let page = contents["text"].as_str().expect("a text");
    assert!(page.starts_with("<!doctype html>"), "{page:.100}");
    // It offers only what the server does.
    assert!(
        page.contains("apply_edits") && page.contains(r#"<meta name="tools" content="#),
        "{page:.300}"
    );
    let mut pipe = Pipe::scratch(&["--read-only"]);
    let read = pipe.ask("resources/read", &json!({ "uri": VIEW }));
    let page = read["result"]["contents"][0]["text"]
        .as_str()
        .expect("a text");
    let tools = page
        .split("content=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let tools: Vec<&str> = tools.expect("names").split(' ').collect();
    assert!(
        tools.contains(&"render") && tools.contains(&"pick"),
        "{tools:?}"
    );
    assert!(!tools.contains(&"apply_edits"), "{tools:?}");
}

/// The calls of the skill are a conversation that works.
#[test]
fn the_skill_is_served_and_its_calls_work() {
    let mut pipe = Pipe::scratch(&[]);
    let hello = pipe.ask("initialize", &hello(&json!({})));
    let extensions = &hello["result"]["capabilities"]["extensions"];
    assert!(
        extensions["io.modelcontextprotocol/skills"].is_object(),
        "{hello}"
    );
    let listed = pipe.ask("skills/list", &json!({}));
    assert_eq!(listed["result"]["skills"][0]["uri"], SKILL, "{listed}");
    let skill = pipe.ask("skills/get", &json!({ "uri": SKILL }));
    assert_eq!(skill["result"]["skill"], listed["result"]["skills"][0]);
    let other = pipe.ask("skills/get", &json!({ "uri": "skill://x/SKILL.md" }));
    let message = other["error"]["message"].as_str().expect("an error");
    assert!(message.ends_with("skills/list lists them"), "{message}");

    let read = pipe.ask("resources/read", &json!({ "uri": SKILL }));
    let text = read["result"]["contents"][0]["text"]
        .as_str()
        .expect("a text");
    assert_up_to_date("docs/skills/fibula-parts/SKILL.md", text);

    let mut calls = 0;
    let mut is_call = false;
    for line in text.lines().map(str::trim) {
        if let Some(language) = line.strip_prefix("```") {
            is_call = language == "call";
            continue;
        }
        if is_call {
            let (tool, arguments) = line.split_once(' ').expect("a tool and its arguments");
            let arguments = serde_json::from_str(arguments).expect("JSON");
            let answer = pipe
                .call(tool, &arguments)
                .unwrap_or_else(|refusal| panic!("{line}: {refusal}"));
            if tool == "measure" && line.contains("bounds") {
                let bounds = &answer["figures"]["bounds"]["value"];
                assert_eq!(
                    bounds[0][2].as_f64().map(f64::round),
                    Some(-2.0),
                    "the plate is plane: {bounds}"
                );
            }
            calls += 1;
        }
    }
    assert!(calls >= 15, "{calls}");
}
