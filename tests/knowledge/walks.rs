//! Three graphs as agents build and ask them: genes and diseases, a map of code, and claims with their evidence. Each is
//! told in docs/knowledge.md.

use serde_json::{Value as Json, json};

use crate::tools::{ok, pipe};

/// The labels of what an answer lists, by the member that has them.
fn labels(answer: &Json, list: &str) -> Vec<String> {
    let items = answer[list].as_array().expect("a list").iter();
    items
        .map(|item| item["label"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "a walk from its beginning to its end"
)]
fn genes_and_diseases() {
    let (_folder, mut pipe) = pipe();
    let gene = |id: &str, label: &str| json!({ "id": id, "label": label, "types": "gene" });
    ok(
        &mut pipe,
        "add_nodes",
        json!({
            "nodes": [
                { "id": "NCBIGene:7157", "label": "TP53", "types": "gene",
                  "observations": ["tumour suppressor", "regulates glucose metabolism through TIGAR"] },
                gene("NCBIGene:4193", "MDM2"), gene("NCBIGene:57103", "TIGAR"), gene("NCBIGene:6514", "SLC2A2"),
                { "id": "MONDO:0005148", "label": "Type 2 Diabetes", "types": ["disease"],
                  "observations": ["insulin resistance"] },
                { "id": "MONDO:0007254", "label": "Breast Cancer", "types": ["disease"] },
                { "label": "Metformin", "types": "drug", "data": { "status": "approved" } },
            ],
            "edges": [
                { "source": "MDM2", "target": "TP53", "type": "inhibits" },
                { "source": "TP53", "target": "TIGAR", "type": "activates" },
                { "source": "TIGAR", "target": "Type 2 Diabetes", "type": "associated_with", "weight": 0.4 },
                { "source": "SLC2A2", "target": "Type 2 Diabetes", "type": "associated_with", "weight": 0.9 },
                { "source": "TP53", "target": "Breast Cancer", "type": "associated_with", "weight": 0.95 },
                { "source": "Metformin", "target": "Type 2 Diabetes", "type": "treats" },
            ],
        }),
    );
    // Found at once, by a word that is misspelt, by a part of an id, and by what was noted.
    let found = ok(
        &mut pipe,
        "search_nodes",
        json!({ "query": "tumor supressor" }),
    );
    assert_eq!(labels(&found, "nodes"), ["TP53"], "{found}");
    let found = ok(&mut pipe, "search_nodes", json!({ "query": "7157" }));
    assert_eq!(labels(&found, "nodes"), ["TP53"], "{found}");
    let found = ok(
        &mut pipe,
        "search_nodes",
        json!({ "query": "insulin", "types": ["Disease"] }),
    );
    assert_eq!(labels(&found, "nodes"), ["Type 2 Diabetes"]);
    assert_eq!(found["nodes"][0]["snippet"], "insulin resistance");
    let found = ok(
        &mut pipe,
        "search_nodes",
        json!({ "data": { "status": "approved" } }),
    );
    assert_eq!(labels(&found, "nodes"), ["Metformin"]);
    // How a gene comes to a disease.
    let path = ok(
        &mut pipe,
        "find_path",
        json!({ "source": "TP53", "target": "type 2 diabetes" }),
    );
    let nodes = &path["paths"][0];
    assert_eq!(
        labels(nodes, "nodes"),
        ["TP53", "TIGAR", "Type 2 Diabetes"],
        "{path}"
    );
    assert_eq!(nodes["length"], 2.0);
    let none = json!({ "source": "Type 2 Diabetes", "target": "TP53", "direction": "outgoing" });
    assert_eq!(ok(&mut pipe, "find_path", none)["found"], false);
    // What else is linked to diseases of the gene.
    let near = ok(
        &mut pipe,
        "get_neighbors",
        json!({ "node": "TP53", "depth": 3, "node_types": ["disease"] }),
    );
    assert_eq!(
        labels(&near, "neighbors"),
        ["Breast Cancer", "Type 2 Diabetes"],
        "{near}"
    );
    assert_eq!(near["neighbors"][1]["distance"], 2);
    // Genes of a disease whose drugs are known.
    let pattern = json!({ "start": "TIGAR", "path": [
        { "relation_type": "associated_with", "target_type": "disease" },
        { "relation_type": "treats", "direction": "incoming", "target_type": "drug" },
    ] });
    let found = ok(&mut pipe, "traverse", pattern);
    assert_eq!(
        labels(&found["paths"][0], "nodes"),
        ["TIGAR", "Type 2 Diabetes", "Metformin"]
    );
    let central = ok(
        &mut pipe,
        "analyze",
        json!({ "what": "betweenness", "limit": 2 }),
    );
    assert_eq!(labels(&central, "ranking"), ["TP53", "TIGAR"], "{central}");
    // Ranks follow edges: nothing leads to MDM2, and all leads to the disease in the end.
    let ranks = ok(&mut pipe, "analyze", json!({ "what": "pagerank" }));
    assert_eq!(labels(&ranks, "ranking")[0], "Type 2 Diabetes", "{ranks}");
    let structure = ok(&mut pipe, "analyze", json!({}))["structure"].clone();
    assert_eq!(
        (
            &structure["nodes"],
            &structure["edges"],
            &structure["components"]
        ),
        (&json!(7), &json!(6), &json!(1))
    );
    assert_eq!(structure["diameter"], 4, "{structure}");
    let found = ok(&mut pipe, "analyze", json!({ "what": "bridges" }));
    assert_eq!(found["total"], 6, "a tree has only bridges: {found}");
    let summary = ok(&mut pipe, "summarize", json!({}));
    assert_eq!(
        summary["node_types"][0],
        json!({ "name": "gene", "count": 4 })
    );
    assert_eq!(labels(&summary, "hubs")[0], "TP53", "{summary}");
}

#[test]
fn a_map_of_code() {
    let (_folder, mut pipe) = pipe();
    let file = |name: &str, tests: bool| json!({ "id": name, "label": name, "types": if tests { "test" } else { "file" } });
    let imports = |source: &str, target: &str| json!({ "source": source, "target": target, "type": "imports" });
    ok(
        &mut pipe,
        "add_nodes",
        json!({
            "nodes": [
                { "id": "auth", "label": "auth", "types": "module", "data": { "status": "stable" } },
                file("src/auth.rs", false), file("src/session.rs", false), file("src/http.rs", false),
                file("src/cli.rs", false), file("tests/login.rs", true), file("tests/cli.rs", true),
                { "id": "checkPassword", "label": "checkPassword", "types": "function",
                  "data": { "status": "draft", "priority": "high" } },
                { "id": "User", "label": "User", "types": "schema" },
            ],
            "edges": [
                { "source": "auth", "target": "src/auth.rs", "type": "contains" },
                { "source": "src/auth.rs", "target": "checkPassword", "type": "contains" },
                { "source": "checkPassword", "target": "User", "type": "uses" },
                imports("src/session.rs", "src/auth.rs"), imports("src/http.rs", "src/session.rs"),
                imports("src/cli.rs", "src/http.rs"), imports("tests/login.rs", "src/session.rs"),
                imports("tests/cli.rs", "src/cli.rs"),
            ],
        }),
    );
    // Camel case is found by its words.
    let found = ok(&mut pipe, "search_nodes", json!({ "query": "password" }));
    assert_eq!(labels(&found, "nodes"), ["checkPassword"]);
    // Which tests does a change of a file reach?
    let pattern = json!({ "start": "src/auth.rs", "path": [
        { "relation_type": "imports", "direction": "incoming", "min": 1, "max": 5, "target_type": null },
    ] });
    let reached = ok(&mut pipe, "traverse", pattern);
    let mut tests: Vec<String> = reached["paths"]
        .as_array()
        .expect("paths")
        .iter()
        .filter_map(|path| path["nodes"].as_array()?.last().cloned())
        .filter(|node| node["types"][0] == "test")
        .map(|node| node["id"].as_str().expect("an id").to_owned())
        .collect();
    tests.sort();
    assert_eq!(tests, ["tests/cli.rs", "tests/login.rs"]);
    // The same as a neighbourhood: who depends on it, however far.
    let impact = json!({ "node": "src/auth.rs", "depth": 10, "direction": "incoming", "edge_types": ["imports"] });
    let impact = ok(&mut pipe, "get_neighbors", impact);
    assert_eq!(impact["total"], 5, "{impact}");
    // In which order can it be built, and what if a file imports back?
    let order =
        json!({ "what": "order", "edge_types": ["imports"], "node_types": ["file", "test"] });
    let answer = ok(&mut pipe, "analyze", order.clone());
    assert_eq!(
        (&answer["total"], answer.get("cycle")),
        (&json!(6), None),
        "{answer}"
    );
    ok(
        &mut pipe,
        "add_edges",
        json!({ "edges": [imports("src/auth.rs", "src/http.rs")] }),
    );
    let answer = ok(&mut pipe, "analyze", order);
    assert_eq!(
        answer["cycle"].as_array().map(Vec::len),
        Some(3),
        "{answer}"
    );
    let stats = ok(&mut pipe, "summarize", json!({ "format": "stats" }));
    assert_eq!(
        stats["status"],
        json!([{ "name": "draft", "count": 1 }, { "name": "stable", "count": 1 }])
    );
    assert_eq!(stats["priority"], json!([{ "name": "high", "count": 1 }]));
}

#[test]
fn claims_and_evidence() {
    let (_folder, mut pipe) = pipe();
    ok(
        &mut pipe,
        "set_schema",
        json!({
            "node_types": [{ "key": "Question" }, { "key": "Claim" }, { "key": "Evidence" }, { "key": "Source" }],
            "edge_types": [
                { "key": "supports", "inverse": "supported by", "domain": ["Evidence"], "range": ["Claim"] },
                { "key": "opposes", "domain": ["Evidence"], "range": ["Claim"] },
                { "key": "addresses", "domain": ["Claim"], "range": ["Question"] },
            ],
            "strict": "reject",
        }),
    );
    ok(
        &mut pipe,
        "add_nodes",
        json!({
            "nodes": [
                { "label": "[[QUE]] - How thin can a printed gyroid wall be?", "types": "Question", "creator": "Ada" },
                { "label": "[[CLM]] - Walls below 0.8 mm break in handling", "types": "Claim", "creator": "Ada" },
                { "label": "[[EVD]] - 9 of 10 walls of 0.6 mm broke", "types": "Evidence", "creator": "Ben" },
                { "label": "[[EVD]] - No wall of 0.6 mm broke when annealed", "types": "Evidence", "creator": "Ben" },
            ],
            "edges": [
                { "source": "n2", "target": "n1", "type": "addresses" },
                { "source": "n3", "target": "n2", "type": "supports" },
                { "source": "n4", "target": "n2", "type": "opposes" },
            ],
        }),
    );
    let backwards = json!({ "edges": [{ "source": "n2", "target": "n3", "type": "supports" }] });
    let refusal = pipe
        .call("add_edges", &backwards)
        .expect_err("it is against the schema");
    assert!(refusal.starts_with("not_in_schema"), "{refusal}");
    // What is there for and against a claim.
    let node = ok(&mut pipe, "get_nodes", json!({ "nodes": ["n2"] }))["nodes"][0].clone();
    assert_eq!(node["creator"], "Ada");
    let links: Vec<(&Json, &Json)> = node["incoming"]
        .as_array()
        .expect("links")
        .iter()
        .map(|link| (&link["type"], &link["id"]))
        .collect();
    assert_eq!(
        links,
        [
            (&json!("supports"), &json!("n3")),
            (&json!("opposes"), &json!("n4"))
        ]
    );
    let found = json!({ "query": "0.6 mm", "creators": ["ben"], "order_by": "label" });
    assert_eq!(ok(&mut pipe, "search_nodes", found)["total"], 2);
    let phrase = ok(
        &mut pipe,
        "search_nodes",
        json!({ "query": "\"wall of\" -broke" }),
    );
    assert_eq!(phrase["total"], 0, "{phrase}");
    let who = ok(&mut pipe, "summarize", json!({ "format": "contributors" }));
    let who = who["contributors"].as_array().expect("a list").iter();
    let who: Vec<(&Json, &Json)> = who.map(|one| (&one["creator"], &one["nodes"])).collect();
    assert!(who.contains(&(&json!("Ben"), &json!(2))), "{who:?}");
    // A second look finds the same claim under another name, and makes them one.
    ok(
        &mut pipe,
        "add_nodes",
        json!({ "nodes": [{ "label": "[[CLM]] - Walls under 0.8 mm break in handling", "types": "Claim" }],
                "edges": [{ "source": "n5", "target": "n1", "type": "addresses" }] }),
    );
    let same = ok(&mut pipe, "merge_nodes", json!({ "keep": "n2" }));
    assert_eq!(same["suggestions"][0]["id"], "n5", "{same}");
    let merged = ok(
        &mut pipe,
        "merge_nodes",
        json!({ "keep": "n2", "merge": ["n5"] }),
    );
    assert_eq!(
        (
            &merged["merged"],
            &merged["dropped_edges"],
            &merged["moved_edges"]
        ),
        (&json!(1), &json!(1), &json!(0))
    );
    ok(&mut pipe, "undo", json!({}));
    assert_eq!(ok(&mut pipe, "search_nodes", json!({}))["total"], 5);
}

#[test]
fn pages_of_answers_are_the_whole() {
    let (_folder, mut pipe) = pipe();
    let nodes: Vec<Json> = (0..150)
        .map(|n| json!({ "id": format!("a{n}"), "label": format!("node {n}"), "types": "thing" }))
        .collect();
    let edges: Vec<Json> = (1..150)
        .map(|n| json!({ "source": "a0", "target": format!("a{n}"), "type": "has" }))
        .collect();
    ok(
        &mut pipe,
        "add_nodes",
        json!({ "nodes": nodes, "edges": edges }),
    );
    let all = |pipe: &mut crate::talk::Pipe, tool: &str, arguments: Json, list: &str| {
        let (mut ids, mut cursor, mut total) = (Vec::new(), Json::Null, 0);
        loop {
            let mut arguments = arguments.clone();
            if !cursor.is_null() {
                arguments["cursor"] = cursor;
            }
            let page = ok(pipe, tool, arguments);
            total = page["total"].as_u64().unwrap_or(total);
            let items = page[list].as_array().expect("a list").iter();
            ids.extend(items.map(|item| item["id"].as_str().expect("an id").to_owned()));
            cursor = page["next_cursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        let distinct: std::collections::BTreeSet<&String> = ids.iter().collect();
        assert_eq!(
            (distinct.len(), ids.len()),
            (ids.len(), total as usize),
            "{tool}"
        );
        total
    };
    assert_eq!(
        all(
            &mut pipe,
            "search_nodes",
            json!({ "query": "node", "limit": 40 }),
            "nodes"
        ),
        150
    );
    assert_eq!(
        all(
            &mut pipe,
            "get_neighbors",
            json!({ "node": "a0", "limit": 70 }),
            "neighbors"
        ),
        149
    );
    assert_eq!(
        all(
            &mut pipe,
            "analyze",
            json!({ "what": "degree", "limit": 64 }),
            "ranking"
        ),
        150
    );
    assert_eq!(all(&mut pipe, "list", json!({}), "nodes"), 150);
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
    ok(
        &mut pipe,
        "add_nodes",
        json!({ "nodes": nodes, "edges": edges }),
    );
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
    assert!(
        near["edge_total"].as_u64().is_some_and(|all| all > 30),
        "{}",
        near["edge_total"]
    );
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
    ok(
        &mut pipe,
        "add_nodes",
        json!({ "nodes": [{ "label": "a", "types": "thing", "observations": [long] }] }),
    );
    let got = ok(&mut pipe, "get_nodes", json!({ "nodes": ["a"] }));
    let text = got["nodes"][0]["observations"][0]["text"]
        .as_str()
        .expect("a text");
    assert!(text.ends_with("ü… (40000 bytes in all)"), "{}", text.len());
    assert!(text.len() < 13_000);
}
