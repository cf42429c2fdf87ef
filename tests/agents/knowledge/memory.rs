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

/// Calls a tool; returns its structured content and the texts of its blocks.
fn ask(pipe: &mut Pipe, tool: &str, arguments: &Json) -> (Json, Vec<String>) {
    let params = json!({ "name": tool, "arguments": arguments });
    let result = pipe.ask("tools/call", &params)["result"].clone();
    assert_ne!(
        result["isError"],
        json!(true),
        "{tool} {arguments}: {result}"
    );
    let blocks = result["content"].as_array().into_iter().flatten();
    let texts = blocks.filter_map(|block| Some(block["text"].as_str()?.to_owned()));
    (result["structuredContent"].clone(), texts.collect())
}

/// What the official server accepts is accepted; what has to be replaced is told.
#[test]
fn names_of_all_sorts_are_accepted() {
    let mut pipe = Pipe::scratch(&["--toolsets", "memory"]);
    let entity = |name: &str, ty: &str| json!({ "name": name, "entityType": ty, "observations": ["x\u{7}y"] });
    let long = "long ".repeat(400);
    let names = ["two\nlines", "bell\u{7}", &long, ""];
    let entities = names.map(|name| entity(name, ""));
    let (made, texts) = ask(
        &mut pipe,
        "create_entities",
        &json!({ "entities": entities }),
    );
    assert_eq!(made["entities"].as_array().map(Vec::len), Some(4));
    assert_eq!(
        made["entities"][1],
        entity("bell\u{2407}", "node").clone_with("x\u{2407}y")
    );
    assert!(
        texts[1].contains("Control characters") && texts[1].contains("'node'"),
        "{texts:?}"
    );
    let relation = json!({ "from": "two\nlines", "to": long, "relationType": "" });
    let (related, _) = ask(
        &mut pipe,
        "create_relations",
        &json!({ "relations": [relation] }),
    );
    assert_eq!(related["relations"][0]["relationType"], "related_to");
    let (opened, texts) = ask(&mut pipe, "open_nodes", &json!({ "names": names }));
    assert_eq!(
        opened["entities"].as_array().map(Vec::len),
        Some(4),
        "{opened}"
    );
    assert_eq!(opened["relations"].as_array().map(Vec::len), Some(1));
    assert_eq!(texts.len(), 1);
    ask(
        &mut pipe,
        "delete_relations",
        &json!({ "relations": [relation] }),
    );
    ask(
        &mut pipe,
        "delete_entities",
        &json!({ "entityNames": names }),
    );
    let (left, _) = ask(&mut pipe, "read_graph", &json!({}));
    assert_eq!(left, json!({ "entities": [], "relations": [] }));
}

/// An interval of validity that is not taken is told.
#[test]
fn existing_relations_keep_their_validity() {
    let mut pipe = Pipe::scratch(&["--toolsets", "memory"]);
    let mut create = |validity: &Json| {
        let mut relation = json!({ "from": "Ada", "to": "Acme", "relationType": "works at" });
        for (name, value) in validity.as_object().expect("an object") {
            relation[name] = value.clone();
        }
        let arguments = json!({ "relations": [relation] });
        let (made, texts) = ask(&mut pipe, "create_relations", &arguments);
        (made["relations"].as_array().map(Vec::len), texts)
    };
    let (made, texts) = create(&json!({ "validFrom": 10 }));
    assert_eq!((made, texts.len()), (Some(1), 1));
    let (made, texts) = create(&json!({ "validFrom": 10, "validTo": 20 }));
    assert_eq!((made, texts.len()), (Some(0), 2));
    assert_starts!(texts[1] => "Existing relations keep their validity. Not added, since they hold in that time already: 1 with");
    let (made, texts) = create(&json!({}));
    assert_eq!((made, texts.len()), (Some(0), 1));
}

/// Synonyms are those that the schema declares.
#[test]
fn a_text_is_sought_with_its_synonyms() {
    let mut pipe = Pipe::scratch(&["--toolsets", "memory,knowledge-extra"]);
    let entity = |name: &str, noted: &str| json!({ "name": name, "entityType": "t", "observations": [noted] });
    let entities = [
        entity("a", "has Bugs"),
        entity("b", "a defect, a bug"),
        entity("c", "fine"),
    ];
    let names = |pipe: &mut Pipe, query: &str| {
        let (found, _) = ask(pipe, "memory_search_nodes", &json!({ "query": query }));
        let found = found["entities"].as_array().into_iter().flatten();
        found
            .map(|entity| entity["name"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&mut pipe, "bug"), [""; 0]);
    ask(
        &mut pipe,
        "memory_create_entities",
        &json!({ "entities": entities }),
    );
    assert_eq!(names(&mut pipe, "defect"), ["b"]);
    ask(
        &mut pipe,
        "set_schema",
        &json!({ "synonyms": [["bug", "defect"]] }),
    );
    assert_eq!(names(&mut pipe, "DEFECT"), ["a", "b"]);
    assert_eq!(names(&mut pipe, "a defect"), ["b"]);
}

trait CloneWith {
    fn clone_with(&self, observation: &str) -> Json;
}

impl CloneWith for Json {
    /// The entity with another observation.
    fn clone_with(&self, observation: &str) -> Json {
        let mut entity = self.clone();
        entity["observations"] = json!([observation]);
        entity
    }
}

#[test]
fn long_answers_are_pages() {
    let mut pipe = Pipe::scratch(&["--toolsets", "memory"]);
    let name = |at: usize| format!("e{at}");
    let entity = |at: usize| json!({ "name": name(at), "entityType": "t", "observations": ["y".repeat(300)] });
    let entities: Vec<Json> = (0..400).map(entity).collect();
    ask(
        &mut pipe,
        "create_entities",
        &json!({ "entities": entities }),
    );
    let relation = |at: usize| json!({ "from": "e0", "to": name(at), "relationType": "knows" });
    let relations: Vec<Json> = (1..400).map(relation).collect();
    ask(
        &mut pipe,
        "create_relations",
        &json!({ "relations": relations }),
    );
    // Every page says where the next one begins; together they are all.
    let mut pages = |tool: &str, list: &str, mut arguments: Json| -> (usize, Vec<String>) {
        let (mut names, mut count, mut offset) = (Vec::new(), 0, 0_usize);
        loop {
            arguments["offset"] = json!(offset);
            let (structured, texts) = ask(&mut pipe, tool, &arguments);
            assert!(
                texts[0].len() < 70 << 10,
                "{tool}: {} bytes",
                texts[0].len()
            );
            let answer = match structured {
                Json::Null => serde_json::from_str(&texts[0]).expect("JSON"),
                answer => answer,
            };
            count += 1;
            let name = |item: &Json| {
                let to = [&item["name"], &item["to"], &item["entity"]["name"]];
                to.into_iter()
                    .find_map(Json::as_str)
                    .expect("a name")
                    .to_owned()
            };
            names.extend(answer[list].as_array().expect("a list").iter().map(name));
            let Some(note) = texts.get(1) else {
                return (count, names);
            };
            let (_, next) = note.split_once("offset ").expect("an offset");
            let end = next
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(next.len());
            offset = next[..end].parse().expect("a number");
        }
    };
    let all: Vec<String> = (0..400).map(name).collect();
    for (tool, list, arguments, from) in [
        ("read_graph", "entities", json!({}), 0),
        ("search_nodes", "entities", json!({ "query": "yyy" }), 0),
        ("get_related", "relations", json!({ "entityName": "e0" }), 1),
        (
            "get_relation_history",
            "relations",
            json!({ "entityName": "e0" }),
            1,
        ),
        ("summarize", "entities", json!({ "format": "detailed" }), 0),
    ] {
        let (count, names) = pages(tool, list, arguments);
        assert!(count > 1, "{tool}");
        assert_eq!(names, all[from..], "{tool}");
    }
    let arguments = json!({ "startNode": "e0", "path": [{}], "maxResults": 1000 });
    let (_, texts) = ask(&mut pipe, "traverse", &arguments);
    assert!(texts[1].contains("of 399 paths are shown"), "{}", texts[1]);
    // Who asks for so many gets them.
    let (whole, _) = ask(&mut pipe, "read_graph", &json!({ "limit": 1000 }));
    assert_eq!(whole["entities"].as_array().map(Vec::len), Some(400));
}

/// A hub has more relations than an answer is made of, and one is between names that are no entities.
#[test]
fn every_relation_is_on_some_page() {
    const COUNT: usize = 1_200;
    let mut pipe = Pipe::scratch(&["--toolsets", "memory"]);
    let entity = |at: usize| json!({ "name": format!("e{at}"), "entityType": "t", "observations": ["z".repeat(60)] });
    let entities: Vec<Json> = (0..=COUNT).map(entity).collect();
    ask(
        &mut pipe,
        "create_entities",
        &json!({ "entities": entities }),
    );
    let relation = |from: &str, to: &str| json!({ "from": from, "to": to, "relationType": "r" });
    let mut relations: Vec<Json> = (1..=COUNT)
        .map(|at| relation("e0", &format!("e{at}")))
        .collect();
    relations.push(relation("nobody", "nothing"));
    ask(
        &mut pipe,
        "create_relations",
        &json!({ "relations": relations }),
    );
    let (first, _) = ask(&mut pipe, "read_graph", &json!({}));
    let shown = first["relations"].as_array().expect("relations");
    assert!(shown.len() < COUNT);
    let (mut offset, mut seen) = (0, 0);
    loop {
        let arguments = json!({ "entityName": "e0", "offset": offset });
        let (_, texts) = ask(&mut pipe, "get_related", &arguments);
        let answer: Json = serde_json::from_str(&texts[0]).expect("JSON");
        let count = answer["relations"].as_array().map_or(0, Vec::len);
        seen += count;
        offset += count;
        let is_last = answer.get("truncated").is_none();
        assert_eq!(texts.len() == 1, is_last, "{:?}", texts.get(1));
        if is_last {
            break;
        }
    }
    assert_eq!(seen, COUNT);
    let history = json!({ "entityName": "nobody" });
    let (_, texts) = ask(&mut pipe, "get_relation_history", &history);
    assert!(texts[0].contains("nothing"), "{}", texts[0]);
    // Keys that no step has are not taken for none.
    let wrong = json!({ "startNode": "e0", "path": [{ "type": "r" }] });
    let params = json!({ "name": "traverse", "arguments": wrong });
    let refused = pipe.ask("tools/call", &params);
    assert!(
        refused.to_string().contains("`path[0].type` is unknown"),
        "{refused}"
    );
    let other = json!({ "startNode": "e0", "path": [{ "relation_type": "none" }] });
    let (_, texts) = ask(&mut pipe, "traverse", &other);
    assert!(
        texts[1].starts_with("No path of these relations"),
        "{texts:?}"
    );
}

#[test]
fn the_graph_is_a_resource() {
    const ADDRESS: &str = "memory://knowledge-graph";
    let mut pipe = Pipe::scratch(&["--toolsets", "memory"]);
    let listed = pipe.ask("resources/list", &json!({}))["result"]["resources"].clone();
    let mut listed = listed.as_array().expect("resources").iter();
    assert!(listed.any(|one| one["uri"] == ADDRESS));
    let entity = |name: &str| json!({ "name": name, "entityType": "gene", "observations": [] });
    let create = |name: &str| json!({ "entities": [entity(name)] });
    ask(&mut pipe, "create_entities", &create("TP53"));
    let read = pipe.ask("resources/read", &json!({ "uri": ADDRESS }))["result"].clone();
    let text = read["contents"][0]["text"].as_str().expect("a text");
    let graph: Json = serde_json::from_str(text).expect("JSON");
    assert_eq!(
        graph,
        json!({ "entities": [entity("TP53")], "relations": [] })
    );
    let subscribed = pipe.ask("resources/subscribe", &json!({ "uri": ADDRESS }));
    assert!(subscribed["error"].is_null(), "{subscribed}");
    let line = crate::talk::call(99, "create_entities", &create("MDM2"));
    pipe.send(format!("{line}\n").as_bytes());
    let told = [pipe.receive(), pipe.receive()];
    let mut told = told.iter();
    assert!(told.any(|one| one["params"]["uri"] == ADDRESS));
}
