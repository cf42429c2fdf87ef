//! Clients choose tools by headers, as GitHub's server has them, and by the path, within what the server offers.

use serde_json::{Value as Json, json};

use crate::talk::Http;

type Headers<'a> = &'a [(&'a str, &'a str)];

/// Status, names of the tools, and the text of an error.
fn list(http: &Http, path: &str, headers: Headers<'_>) -> (u16, Vec<String>, String) {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    let (status, _, body) = http.request("POST", path, headers, message.as_bytes());
    let answer: Json = serde_json::from_str(&body).expect("JSON");
    let tools = answer["result"]["tools"].as_array().into_iter().flatten();
    let names = tools.map(|tool| tool["name"].as_str().expect("a name").to_owned());
    let error = answer["error"]["message"].as_str().unwrap_or_default();
    (status, names.collect(), error.to_owned())
}

fn refused(http: &Http, path: &str, headers: Headers<'_>, status: u16, text: &str) {
    let (found, _, error) = list(http, path, headers);
    assert_eq!(found, status, "{error}");
    assert!(error.contains(text), "{error}");
}

#[test]
fn requests_select_tools() {
    let http = Http::new(&[], None);
    let geometry = ["export", "measure", "render", "slice"];
    let toolsets = ("X-MCP-Toolsets", " geometry ,");
    for (path, headers, expected) in [
        ("/mcp", &[toolsets][..], &geometry[..]),
        ("/mcp/geometry", &[], &geometry),
        (
            "/mcp/geometry",
            &[("X-MCP-Readonly", "true")],
            &geometry[1..],
        ),
        (
            "/mcp",
            &[toolsets, ("X-MCP-Exclude-Tools", "export,slice")],
            &geometry[1..3],
        ),
        ("/mcp", &[("X-MCP-Tools", "pick, undo")], &["pick", "undo"]),
        (
            "/mcp",
            &[toolsets, ("X-MCP-Tools", "evaluate,render")],
            &["export", "measure", "render", "slice", "evaluate"],
        ),
    ] {
        let (status, names, error) = list(&http, path, headers);
        assert_eq!(status, 200, "{error}");
        assert_eq!(names, expected, "{path} {headers:?}");
    }
    let all = list(&http, "/mcp", &[]).1;
    let less = list(&http, "/mcp", &[("X-MCP-Exclude-Tools", "import")]).1;
    assert_eq!(less.len() + 1, all.len());
    // However many selections are tried.
    for number in 0..40 {
        let (one, two) = (&all[number % all.len()], &all[(number * 7 + 3) % all.len()]);
        let both = format!("{one},{two}");
        assert_eq!(list(&http, "/mcp", &[("X-MCP-Tools", &both)]).0, 200);
    }
}

#[test]
fn unknown_names_are_refused() {
    let http = Http::new(&[], None);
    for (name, value, text) in [
        (
            "X-MCP-Toolsets",
            "geometrie",
            "there is no toolset 'geometrie'",
        ),
        ("X-MCP-Tools", "rendr", "did you mean render"),
        ("X-MCP-Exclude-Tools", "exprt", "did you mean export"),
        ("X-MCP-Readonly", "maybe", "true or false"),
        ("X-MCP-Tools", "\u{e9}", "visible characters"),
    ] {
        refused(&http, "/mcp", &[(name, value)], 400, text);
    }
    let twice = [("X-MCP-Toolsets", "function")];
    refused(&http, "/mcp/geometry", &twice, 400, "already");
    refused(
        &http,
        "/mcp/geometrie",
        &[],
        404,
        "the toolsets are project",
    );
}

#[test]
fn nobody_selects_more_than_is_offered() {
    let arguments = [
        "--toolsets",
        "geometry",
        "--read-only",
        "--exclude-tools",
        "slice",
    ];
    let http = Http::new(&arguments, None);
    assert_eq!(
        list(&http, "/mcp", &[("X-MCP-Readonly", "false")]).1,
        ["measure", "render"]
    );
    assert_eq!(
        list(&http, "/mcp", &[("X-MCP-Tools", "slice,render")]).1,
        ["render"]
    );
    let text = "does not offer the toolset project";
    refused(&http, "/mcp", &[("X-MCP-Toolsets", "project")], 400, text);
    refused(&http, "/mcp/project", &[], 404, text);
    refused(
        &http,
        "/mcp",
        &[("X-MCP-Tools", "undo")],
        400,
        "does not offer the tool undo",
    );
    // Systems that are not named have no address.
    refused(
        &http,
        "/mcp/memory",
        &[],
        404,
        "does not offer the toolset memory",
    );
    let http = Http::new(
        &[
            "--toolsets",
            "project,memory",
            "--exclude-tools",
            "memory_delete_entities",
        ],
        None,
    );
    let (_, names, _) = list(&http, "/mcp/memory", &[]);
    assert!(names.contains(&"create_entities".to_owned()), "{names:?}");
    assert!(!names.contains(&"delete_entities".to_owned()), "{names:?}");
    let (_, names, _) = list(&http, "/mcp", &[]);
    assert!(
        names.contains(&"memory_create_entities".to_owned()),
        "{names:?}"
    );
    assert!(
        !names.contains(&"memory_delete_entities".to_owned()),
        "{names:?}"
    );
    let http = Http::new(&["--tools", "render,evaluate"], None);
    assert_eq!(list(&http, "/mcp", &[]).1, ["evaluate", "render"]);
    refused(
        &http,
        "/mcp",
        &[("X-MCP-Tools", "measure")],
        400,
        "does not offer the tool measure",
    );
}
