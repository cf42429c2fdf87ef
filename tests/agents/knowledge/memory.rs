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
        (
            "summarize",
            json!({ "entityType": "drug" }),
            "No entity is of this type",
        ),
        (
            "infer",
            json!({ "entityName": "TP53" }),
            "Relations are inferred along chains of two",
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

/// So do those of the toolsets `discourse` and `graph-mode`.
#[test]
fn what_is_empty_points_on_in_other_toolsets() {
    let mut pipe = Pipe::scratch(&["--toolsets", "discourse,graph-mode"]);
    let mut second = |tool: &str, arguments: Json| -> String {
        let answer = pipe.ask(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        );
        let content = &answer["result"]["content"];
        assert!(content[0]["text"].is_string(), "{tool}: {answer}");
        content[1]["text"].as_str().unwrap_or_default().to_owned()
    };
    let node = |id: &str| json!({ "label": id, "type": "CLM", "canonicalId": id });
    for id in ["actin", "bands"] {
        second("graph-mode_addNode", node(id));
    }
    for (tool, arguments, expected) in [
        (
            "discourse_search_nodes",
            json!({ "query": "membrane" }),
            "No node matches",
        ),
        (
            "discourse_search_nodes",
            json!({ "query": "actin", "creator": "Ada" }),
            "No creator has this name",
        ),
        (
            "discourse_get_linked_nodes",
            json!({ "uid": "actin" }),
            "Nothing is linked",
        ),
        (
            "discourse_get_node_neighborhood",
            json!({ "uid": "actin" }),
            "Nothing is linked to the node",
        ),
        (
            "discourse_get_researcher_contributions",
            json!({ "creator": "Ada" }),
            "Nothing by this creator",
        ),
        ("discourse_get_relationships", json!({}), "No such relation"),
        (
            "discourse_get_relation_types",
            json!({}),
            "The graph has no relations",
        ),
        (
            "graph-mode_filterByType",
            json!({ "nodeType": "gene" }),
            "Types of the graph: CLM.",
        ),
        (
            "graph-mode_searchNodes",
            json!({ "query": "membrane" }),
            "Search for one word",
        ),
        (
            "graph-mode_findPath",
            json!({ "source": "actin", "target": "bands" }),
            "Links count in both directions",
        ),
        ("discourse_search_nodes", json!({ "query": "actin" }), ""),
    ] {
        let text = second(tool, arguments);
        assert!(
            text.starts_with(expected) && text.is_empty() == expected.is_empty(),
            "{tool}: {text}"
        );
    }
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
