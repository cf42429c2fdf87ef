//! The official memory server's own tests, as data: calls and their answers, or the text of the error.

use serde_json::{Value as Json, json};

use crate::talk::Pipe;

const CASES: &str = include_str!("memory.json");

#[test]
fn the_memory_servers_cases_hold() {
    let cases: Vec<Json> = serde_json::from_str(CASES).expect("cases");
    for case in &cases {
        // Each on a graph of its own.
        let mut pipe = Pipe::scratch(&["--toolsets", "memory"]);
        for call in case["calls"].as_array().expect("calls") {
            let about = format!("{}: {} {}", case["case"], call[0], call[1]);
            let params = json!({ "name": call[0], "arguments": call[1] });
            let result = pipe.ask("tools/call", &params)["result"].clone();
            if let Some(text) = call[2].as_str() {
                assert_eq!(result["isError"], json!(true), "{about}");
                assert_eq!(result["content"][0]["text"], json!(text), "{about}");
            } else {
                assert_ne!(result["isError"], json!(true), "{about}: {result}");
                if !call[2].is_null() {
                    assert_eq!(result["structuredContent"], call[2], "{about}");
                }
            }
        }
    }
}

/// An answer without content says what to try, after the block that other servers have too.
#[test]
fn what_is_empty_points_on() {
    let mut pipe = Pipe::scratch(&["--toolsets", "memory"]);
    let mut second = |tool: &str, arguments: Json| -> Json {
        let answer = pipe.ask(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        );
        answer["result"]["content"][1]["text"].clone()
    };
    assert_eq!(
        second("read_graph", json!({})),
        "The memory is empty: create entities first."
    );
    let entities =
        json!({ "entities": [{ "name": "TP53", "entityType": "gene", "observations": [] }] });
    second("create_entities", entities);
    for (tool, arguments, expected) in [
        (
            "read_graph",
            json!({ "offset": 9 }),
            "Nothing is on this page",
        ),
        (
            "search_nodes",
            json!({ "query": "MDM2" }),
            "No name, type or observation contains the query",
        ),
        (
            "open_nodes",
            json!({ "names": ["MDM2"] }),
            "No entity has one of these names",
        ),
        (
            "get_related",
            json!({ "entityName": "TP53" }),
            "No such relation is at this entity",
        ),
        (
            "traverse",
            json!({ "startNode": "TP53", "path": [{ "relationType": "inhibits", "direction": "out" }] }),
            "No path of these relations begins there",
        ),
        (
            "get_relations_at_time",
            json!({}),
            "No relation holds at this time",
        ),
        (
            "get_relation_history",
            json!({ "entityName": "TP53" }),
            "No relation was ever at an entity of this name",
        ),
    ] {
        let text = second(tool, arguments);
        let text = text.as_str().unwrap_or_default();
        assert!(text.starts_with(expected), "{tool}: {text}");
    }
    assert_eq!(
        second("search_nodes", json!({ "query": "TP53" })),
        Json::Null
    );
}

#[test]
fn the_same_graph_has_both_names() {
    let mut pipe = Pipe::scratch(&["--toolsets", "knowledge,memory"]);
    let made = pipe.call(
        "memory_create_entities",
        &json!({ "entities": [{ "name": "TP53", "entityType": "gene", "observations": ["on 17p13"] }] }),
    );
    assert_eq!(made.expect("it is made")["entities"][0]["name"], "TP53");
    let node = pipe.call("get_nodes", &json!({ "nodes": ["TP53"] }));
    let node = node.expect("it is there")["nodes"][0].clone();
    assert_eq!(node["types"], json!(["gene"]));
    assert_eq!(node["observations"][0]["text"], "on 17p13");
    call!(pipe, "add_nodes", { "nodes": [{ "label": "MDM2", "types": "gene" }],
        "edges": [{ "source": "MDM2", "target": "TP53", "type": "inhibits" }] });
    let graph = call!(pipe, "memory_read_graph", {});
    let expected = json!([{ "from": "MDM2", "to": "TP53", "relationType": "inhibits" }]);
    assert_eq!(graph["relations"], expected);
}
