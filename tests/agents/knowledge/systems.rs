//! Examples of the documents of other systems, as data: calls of their tools, and their answers.
//!
//! In what is expected, `*` stands for any text, and the text "*" for anything.

use serde_json::{Value as Json, json};

use crate::talk::Pipe;

const CASES: &str = include_str!("systems.json");
/// Export of a Discourse Graph.
pub(crate) const EXPORT: &str = include_str!("discourse.jsonld");

/// True if a text is as expected, where each `*` stands for any text.
fn reads(expected: &str, got: &str) -> bool {
    let mut parts = expected.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = got.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

fn fits(expected: &Json, got: &Json) -> bool {
    match (expected, got) {
        (Json::String(any), _) if any == "*" => true,
        (Json::String(expected), Json::String(got)) => reads(expected, got),
        (Json::Array(expected), Json::Array(got)) => {
            expected.len() == got.len()
                && expected
                    .iter()
                    .zip(got)
                    .all(|(one, other)| fits(one, other))
        }
        (Json::Object(expected), Json::Object(got)) => {
            expected.len() == got.len()
                && expected
                    .iter()
                    .all(|(name, one)| got.get(name).is_some_and(|other| fits(one, other)))
        }
        _ => expected == got,
    }
}

#[test]
fn stars_stand_for_any_text() {
    assert!(reads("a*c", "abc") && reads("a*", "a") && reads("*b*", "abc") && reads("abc", "abc"));
    assert!(!reads("a*c", "abd") && !reads("ab", "abc") && !reads("*x*", "abc"));
    assert!(fits(&json!({ "a": ["*", 1] }), &json!({ "a": [{}, 1] })));
    assert!(!fits(&json!({ "a": 1 }), &json!({ "a": 1, "b": 2 })));
}

/// Calls a tool and holds its answer against what is expected.
fn check(pipe: &mut Pipe, about: &str, call: &Json) {
    let (tool, arguments, expected) = (&call[0], &call[1], &call[2]);
    let about = format!("{about}: {tool} {arguments}");
    let params = json!({ "name": tool, "arguments": arguments });
    let result = pipe.ask("tools/call", &params)["result"].clone();
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let is_refused = call[3] == "refused";
    let is_error = result["isError"] == json!(true);
    assert_eq!(is_error, is_refused, "{about}: {text}");
    let is_fit = match expected {
        Json::Null => true,
        Json::String(expected) => reads(expected, text),
        expected => {
            let got: Json = serde_json::from_str(text).expect("the answer is JSON");
            fits(expected, &got)
        }
    };
    assert!(is_fit, "{about}:\n{text}\nis not as expected:\n{expected}");
    for link in call[4].as_array().into_iter().flatten() {
        let beside = result["content"].as_array().into_iter().flatten();
        let mut uris = beside.map(|block| &block["uri"]);
        assert!(
            uris.any(|uri| uri == link),
            "{about}: no link to {link} in {result}"
        );
    }
}

#[test]
fn other_systems_examples_hold() {
    let cases: Vec<Json> = serde_json::from_str(CASES).expect("cases");
    for case in &cases {
        let folder = tempfile::tempdir().expect("a folder");
        let toolset = case["toolset"].as_str().expect("a toolset");
        let mut arguments = vec!["--toolsets", toolset];
        if toolset == "discourse" {
            let file = folder.path().join("export.jsonld");
            std::fs::write(file, EXPORT).expect("a file");
            arguments.extend(["--open", "export.jsonld"]);
        }
        let mut pipe = Pipe::new(&arguments, folder.path());
        for call in case["calls"].as_array().expect("calls") {
            check(&mut pipe, case["case"].as_str().expect("a text"), call);
        }
    }
}

#[test]
fn names_of_several_systems_do_not_collide() {
    let mut pipe = Pipe::scratch(&["--toolsets", "memory,discourse,graph-mode"]);
    let names = pipe.tools();
    for name in [
        "memory_search_nodes",
        "discourse_search_nodes",
        "graph-mode_addNode",
    ] {
        assert!(
            names.iter().any(|one| one == name),
            "{name} is not among {names:?}"
        );
    }
    pipe.call(
        "memory_create_entities",
        &json!({ "entities": [{ "name": "TP53", "entityType": "gene", "observations": ["on 17p13"] }] }),
    )
    .expect("it is made");
    check(
        &mut pipe,
        "one graph",
        &json!(["discourse_search_nodes", { "query": "17p13" },
            { "results": [{ "uid": "TP53", "nodeType": "gene", "title": "TP53", "creator": "*", "created": "*",
                            "snippet": "on 17p13", "imageCount": 0, "score": "*" }], "count": 1 }]),
    );
}

#[test]
fn who_made_an_entity_is_who_is_said_to() {
    let mut pipe = Pipe::scratch(&["--toolsets", "memory,knowledge"]);
    let relation = json!({ "from": "c", "to": "a", "relationType": "knows", "createdBy": "Ben" });
    call!(pipe, "memory_create_relations", { "relations": [relation] });
    let entity = |name: &str, by: Json| json!({ "name": name, "entityType": "t", "observations": ["noted"], "createdBy": by });
    let entities = [
        entity("a", json!("Ada")),
        entity("b", json!("Ada")),
        entity("system", json!("system")),
        entity("number", json!(7)),
        entity("control", json!("a\u{0}b")),
    ];
    call!(pipe, "memory_create_entities", { "entities": entities });
    let names = ["a", "b", "system", "number", "control"];
    let got = pipe.call("get_nodes", &json!({ "nodes": names }));
    let got = got.expect("nodes");
    let caller = got["nodes"][2]["creator"].clone();
    assert_ne!(caller, "system");
    for (place, creator) in [
        json!("Ada"),
        json!("Ada"),
        caller.clone(),
        caller.clone(),
        caller,
    ]
    .iter()
    .enumerate()
    {
        let node = &got["nodes"][place];
        assert_eq!(node["creator"], *creator, "{}", names[place]);
        assert_eq!(node["observations"][0]["by"], *creator, "{}", names[place]);
    }
}

#[test]
fn a_server_that_only_reads_has_only_tools_that_read() {
    let mut pipe = Pipe::scratch(&["--read-only", "--toolsets", "graph-mode"]);
    let names = pipe.tools();
    let has = |name: &str| names.iter().any(|one| one == name);
    assert!(has("getGraphState") && !has("addNode"), "{names:?}");
}

#[test]
fn graphinates_resources_are_there() {
    let mut pipe = Pipe::scratch(&["--toolsets", "graphinate"]);
    for (tool, arguments) in cases![
        "graph_ingest_edge" => json!({ "source": "MDM2", "target": "TP53", "type": "inhibits" });
        "graph_ingest_node" => json!({ "id": "TP53", "type": "gene", "attributes": { "name": "p53" } });
    ] {
        let params = json!({ "name": tool, "arguments": arguments });
        assert_ne!(
            pipe.ask("tools/call", &params)["result"]["isError"],
            json!(true)
        );
    }
    let mut read = |uri: &str| {
        let result = pipe.ask("resources/read", &json!({ "uri": uri }))["result"].clone();
        result["contents"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let summary = read("graph://summary");
    assert_eq!(
        summary,
        "Nodes: 2\nEdges: 1\nDensity: 1.0000\nComponents: 1\nNode types:\n  gene: 1\n  unknown: 1\nEdge types:\n  inhibits: 1"
    );
    assert!(read("graph://schema").contains("type Query"));
    let graph: Json = serde_json::from_str(&read("graph://export/json")).expect("JSON");
    let same: Json = serde_json::from_str(&read("fibula://projects/default/graph")).expect("JSON");
    assert_eq!(graph, same);
    assert_eq!(graph["nodes"].as_array().map(Vec::len), Some(2), "{graph}");
    let types: Json =
        serde_json::from_str(&read("fibula://projects/default/schema")).expect("JSON");
    assert_eq!(types["edge_types"][0]["key"], "inhibits", "{types}");
    let list = pipe.ask("resources/list", &json!({}))["result"]["resources"].clone();
    let resources = list.as_array().expect("resources").iter();
    let uris: Vec<&Json> = resources.map(|one| &one["uri"]).collect();
    assert!(uris.contains(&&json!("graph://schema")), "{uris:?}");
}

/// Graph Mode's own server changes nodes and edges by `(id, updates)`.
#[test]
fn graph_mode_updates_by_id() {
    let mut pipe = Pipe::scratch(&["--toolsets", "graph-mode"]);
    let mut call = |tool: &str, arguments: &serde_json::Value| {
        let params = serde_json::json!({ "name": tool, "arguments": arguments });
        let answer = pipe.ask("tools/call", &params);
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        answer["result"]["content"][0]["text"]
            .as_str()
            .expect("a text")
            .to_owned()
    };
    for label in ["TP53", "MDM2"] {
        call(
            "addNode",
            &serde_json::json!({ "label": label, "type": "gene" }),
        );
    }
    call(
        "addEdge",
        &serde_json::json!({ "source": "TP53", "target": "MDM2", "label": "binds" }),
    );
    call(
        "updateNode",
        &serde_json::json!({ "id": "TP53", "updates": { "label": "p53" } }),
    );
    let state = call("getGraphState", &serde_json::json!({}));
    let edge = state
        .split("ID: e")
        .nth(1)
        .and_then(|rest| rest.split([')', ',']).next())
        .expect("an edge");
    call(
        "updateEdge",
        &serde_json::json!({ "id": format!("e{edge}"), "updates": { "label": "inhibits" } }),
    );
    let state = call("getGraphState", &serde_json::json!({}));
    assert!(
        state.contains("p53") && state.contains("inhibits") && !state.contains("binds"),
        "{state}"
    );
}
