//! Answers of a length that agents can read: pages that are the whole together, and texts that are cut.

use serde_json::{Value as Json, json};

use super::tools::pipe;

#[test]
fn pages_of_answers_are_the_whole() {
    let (_folder, mut pipe) = pipe();
    let nodes: Vec<Json> = (0..150)
        .map(|n| json!({ "id": format!("a{n}"), "label": format!("node {n}"), "types": "thing" }))
        .collect();
    let edges: Vec<Json> = (1..150)
        .map(|n| json!({ "source": "a0", "target": format!("a{n}"), "type": "has" }))
        .collect();
    call!(pipe, "add_nodes", { "nodes": nodes, "edges": edges });
    let all = |pipe: &mut crate::talk::Pipe, tool: &str, arguments: Json, list: &str| {
        let (mut ids, mut cursor, mut total) = (Vec::new(), Json::Null, 0);
        loop {
            let mut arguments = arguments.clone();
            if !cursor.is_null() {
                arguments["cursor"] = cursor;
            }
            let page = call!(pipe, tool, arguments);
            total = page["total"].as_u64().unwrap_or(total);
            let items = page[list].as_array().expect("a list").iter();
            ids.extend(items.map(|item| item["id"].as_str().expect("an id").to_owned()));
            cursor = page["next_cursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        let distinct: std::collections::BTreeSet<&String> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len(), "{tool}");
        assert_eq!(ids.len(), total as usize, "{tool}");
        total
    };
    assert_each_eq! {
        all(&mut pipe, "search_nodes", json!({ "query": "node", "limit": 40 }), "nodes") => 150;
        all(&mut pipe, "get_neighbors", json!({ "node": "a0", "limit": 70 }), "neighbors") => 149;
        all(&mut pipe, "analyze", json!({ "what": "degree", "limit": 64 }), "ranking") => 150;
        all(&mut pipe, "list", json!({}), "nodes") => 150;
    }
}

#[test]
fn answers_stay_short_whatever_is_in_the_graph() {
    const MOST: usize = 64 << 10;
    let (_folder, mut pipe) = pipe();
    let long = "x".repeat(4_000);
    let texts: Vec<String> = (0..60).map(|n| format!("{n} {long}")).collect();
    let mut nodes =
        vec![json!({ "id": "hub", "label": "hub", "types": "thing", "observations": texts })];
    let mut edges = Vec::new();
    for n in 0..120 {
        let id = format!("{n} {}", "y".repeat(350));
        edges.push(json!({ "source": "hub", "target": id, "type": "has" }));
        edges.push(json!({ "source": id, "target": "hub", "type": "is of" }));
        nodes.push(json!({ "id": id, "label": format!("n{n}"), "types": "thing" }));
    }
    call!(pipe, "add_nodes", { "nodes": nodes, "edges": edges });
    let mut short = |tool: &str, arguments: Json| {
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = pipe.ask("tools/call", &params);
        let size = answer.to_string().len();
        assert!(size <= MOST, "{tool} {arguments} answers {size} bytes");
        answer["result"]["structuredContent"].clone()
    };
    let got = short("get_nodes", json!({ "nodes": ["hub"] }));
    let node = &got["nodes"][0];
    assert_eq!(node["observation_count"], 60);
    let shown = node["observations"].as_array().expect("notes");
    assert!((2..5).contains(&shown.len()), "{}", shown.len());
    let last = shown.last().and_then(|note| note["text"].as_str());
    assert!(
        last.is_some_and(|text| text.starts_with("59 ")),
        "the last are shown"
    );
    let near = short("get_neighbors", json!({ "node": "hub" }));
    let told = near["edges"].as_array().map(Vec::len);
    assert!(told.is_some_and(|told| told < 30), "{told:?}");
    let total = &near["edge_total"];
    assert!(total.as_u64().is_some_and(|all| all > 30), "{total}");
    // A pattern is walked page by page, each path once.
    let step = json!([{ "direction": "outgoing" }, { "direction": "outgoing" }]);
    let (mut seen, mut cursor) = (std::collections::BTreeSet::new(), Json::Null);
    loop {
        let page = short(
            "traverse",
            json!({ "start": "n0", "path": step, "max_results": 40, "cursor": cursor }),
        );
        for path in page["paths"].as_array().expect("paths") {
            assert!(
                seen.insert(path["nodes"].to_string()),
                "{path} is told twice"
            );
        }
        cursor = page["next_cursor"].clone();
        assert_eq!(page["total"], 120);
        if cursor.is_null() {
            break;
        }
    }
    // One of them leads back to where it began.
    assert_eq!(seen.len(), 120);
}

#[test]
fn a_note_that_is_too_long_is_cut_and_says_so() {
    let (_folder, mut pipe) = pipe();
    let long = "ü".repeat(20_000);
    call!(pipe, "add_nodes", { "nodes": [{ "label": "a", "types": "thing", "observations": [long] }] });
    let got = call!(pipe, "get_nodes", { "nodes": ["a"] });
    let text = got["nodes"][0]["observations"][0]["text"]
        .as_str()
        .expect("a text");
    assert!(text.ends_with("ü… (40000 bytes in all)"), "{}", text.len());
    assert!(text.len() < 13_000);
}

#[test]
fn several_paths_and_places_come_in_pages() {
    let (_folder, mut pipe) = pipe();
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    for id in ["start", "end"] {
        nodes.push(json!({ "id": id, "label": id, "types": "thing" }));
    }
    for n in 0..60 {
        let id = format!("{n} {}", "y".repeat(400));
        nodes.push(json!({ "id": id, "label": format!("n{n}"), "types": "thing" }));
        edges.push(json!({ "source": "start", "target": id, "type": "has" }));
        edges.push(json!({ "source": id, "target": "end", "type": "has" }));
    }
    let made = call!(pipe, "add_nodes", { "nodes": nodes, "edges": edges });
    let mut pages = |tool: &str, arguments: Json, list: &str| {
        let (mut all, mut count, mut cursor) = (Vec::new(), 0, Json::Null);
        loop {
            let mut arguments = arguments.clone();
            arguments["cursor"] = cursor;
            let page = call!(pipe, tool, arguments);
            all.extend(page[list].as_array().expect("a list").clone());
            (count, cursor) = (count + 1, page["next_cursor"].clone());
            if cursor.is_null() {
                assert_eq!(page["total"], all.len(), "{tool}");
                return (count, all);
            }
        }
    };
    let between = json!({ "source": "start", "target": "end", "count": 50 });
    let (count, paths) = pages("find_path", between, "paths");
    assert!(count > 1, "{count} pages");
    let distinct: std::collections::BTreeSet<String> =
        paths.iter().map(|path| path["nodes"].to_string()).collect();
    assert_eq!((distinct.len(), paths.len()), (50, 50));

    let (count, places) = pages("layout", json!({ "method": "grid" }), "positions");
    assert!(count > 1, "{count} pages");
    let whole = pages(
        "layout",
        json!({ "method": "grid", "limit": 7 }),
        "positions",
    );
    assert_eq!((places.len(), &places), (62, &whole.1));
    assert_eq!(whole.0, 9);

    let tried = json!({ "method": "grid", "write": true, "dry_run": true, "limit": 1 });
    let tried = call!(pipe, "layout", tried);
    assert_eq!(
        (&tried["written"], &tried["dry_run"], &tried["positions"][0]),
        (&json!(false), &json!(true), &places[0])
    );
    let got = call!(pipe, "get_nodes", { "nodes": ["start"] });
    assert_eq!(got["revision"], made["revision"]);
    assert!(got["nodes"][0].get("position").is_none(), "{got}");
    let kept = call!(pipe, "layout", { "method": "grid", "write": true, "limit": 1 });
    assert_eq!(kept["written"], true);
    assert_eq!(kept.get("dry_run"), None);
    // What is told is what was kept, and no page follows.
    assert_eq!(kept.get("next_cursor"), None);
    let got = call!(pipe, "get_nodes", { "nodes": ["start"] });
    assert!(got["nodes"][0]["position"].is_array(), "{got}");
    let mut no = |tool: &str, arguments: Json, expected: &str| {
        assert_contains!(refusal!(pipe, tool, arguments) => expected);
    };
    let again = json!({ "method": "grid", "write": true, "cursor": "3" });
    no("layout", again, "omit write or cursor");
    let stale = json!({ "method": "grid", "expected_revision": 999 });
    no("layout", stale, "999");
    for count in [0, 101] {
        for length in [json!(null), json!(4)] {
            let paths =
                json!({ "source": "start", "target": "end", "count": count, "max_length": length });
            no("find_path", paths, "pass 1 to 100");
        }
    }
}
