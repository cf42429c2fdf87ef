//! Three graphs as agents build and ask them: genes and diseases, a map of code, and claims with their evidence. Each is
//! told in docs/knowledge.md.

use serde_json::{Value as Json, json};

use crate::agent::{Running, agent, request};

/// An agent with a graph of its own.
async fn explorer() -> Running {
    agent(&["--toolsets", "knowledge,knowledge-extra,project"])
        .await
        .0
}

/// The labels of what an answer lists, by the member that has them.
fn labels(answer: &Json, list: &str) -> Vec<String> {
    let items = answer[list].as_array().expect("a list").iter();
    items
        .map(|item| item["label"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[tokio::test]
async fn genes_and_diseases() {
    let agent = explorer().await;
    let gene = |id: &str, label: &str| json!({ "id": id, "label": label, "types": "gene" });
    ask!(agent, "add_nodes", {
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
    });
    // Found at once, by a word that is misspelt, by a part of an id, and by what was noted.
    let found = ask!(agent, "search_nodes", { "query": "tumor supressor" });
    assert_eq!(labels(&found, "nodes"), ["TP53"], "{found}");
    let found = ask!(agent, "search_nodes", { "query": "7157" });
    assert_eq!(labels(&found, "nodes"), ["TP53"], "{found}");
    let found = ask!(agent, "search_nodes", { "query": "insulin", "types": ["Disease"] });
    assert_eq!(labels(&found, "nodes"), ["Type 2 Diabetes"]);
    assert_eq!(found["nodes"][0]["snippet"], "insulin resistance");
    let found = ask!(agent, "search_nodes", { "data": { "status": "approved" } });
    assert_eq!(labels(&found, "nodes"), ["Metformin"]);
    // The client said who it is when it shook hands.
    assert_eq!(found["nodes"][0]["creator"], "agent of the test");
    // How a gene comes to a disease.
    let path = ask!(agent, "find_path", { "source": "TP53", "target": "type 2 diabetes" });
    let nodes = &path["paths"][0];
    let expected = ["TP53", "TIGAR", "Type 2 Diabetes"];
    assert_eq!(labels(nodes, "nodes"), expected, "{path}");
    assert_eq!(nodes["length"], 2.0);
    let none = json!({ "source": "Type 2 Diabetes", "target": "TP53", "direction": "outgoing" });
    assert_eq!(ask!(agent, "find_path", none)["found"], false);
    // What else is linked to diseases of the gene.
    let near =
        ask!(agent, "get_neighbors", { "node": "TP53", "depth": 3, "node_types": ["disease"] });
    let expected = ["Breast Cancer", "Type 2 Diabetes"];
    assert_eq!(labels(&near, "neighbors"), expected, "{near}");
    assert_eq!(near["neighbors"][1]["distance"], 2);
    // Genes of a disease whose drugs are known.
    let pattern = json!({ "start": "TIGAR", "path": [
        { "relation_type": "associated_with", "target_type": "disease" },
        { "relation_type": "treats", "direction": "incoming", "target_type": "drug" },
    ] });
    let found = ask!(agent, "traverse", pattern);
    let expected = ["TIGAR", "Type 2 Diabetes", "Metformin"];
    assert_eq!(labels(&found["paths"][0], "nodes"), expected);
    let central = ask!(agent, "analyze", { "what": "betweenness", "limit": 2 });
    assert_eq!(labels(&central, "ranking"), ["TP53", "TIGAR"], "{central}");
    // Ranks follow edges: nothing leads to MDM2, and all leads to the disease in the end.
    let ranks = ask!(agent, "analyze", { "what": "pagerank" });
    assert_eq!(labels(&ranks, "ranking")[0], "Type 2 Diabetes", "{ranks}");
    let structure = ask!(agent, "analyze", {})["structure"].clone();
    assert_fields!(structure, { "nodes": 7, "edges": 6, "components": 1 });
    assert_eq!(structure["diameter"], 4, "{structure}");
    let found = ask!(agent, "analyze", { "what": "bridges" });
    assert_eq!(found["total"], 6, "a tree has only bridges: {found}");
    let summary = ask!(agent, "summarize", {});
    let expected = json!({ "name": "gene", "count": 4 });
    assert_eq!(summary["node_types"][0], expected);
    assert_eq!(labels(&summary, "hubs")[0], "TP53", "{summary}");
}

#[tokio::test]
async fn a_map_of_code() {
    let agent = explorer().await;
    let file = |name: &str, tests: bool| json!({ "id": name, "label": name, "types": if tests { "test" } else { "file" } });
    let imports = |source: &str, target: &str| json!({ "source": source, "target": target, "type": "imports" });
    ask!(agent, "add_nodes", {
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
    });
    // Camel case is found by its words.
    let found = ask!(agent, "search_nodes", { "query": "password" });
    assert_eq!(labels(&found, "nodes"), ["checkPassword"]);
    // Which tests does a change of a file reach?
    let pattern = json!({ "start": "src/auth.rs", "path": [
        { "relation_type": "imports", "direction": "incoming", "min": 1, "max": 5, "target_type": null },
    ] });
    let reached = ask!(agent, "traverse", pattern);
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
    let impact = ask!(agent, "get_neighbors", impact);
    assert_eq!(impact["total"], 5, "{impact}");
    // In which order can it be built, and what if a file imports back?
    let order =
        json!({ "what": "order", "edge_types": ["imports"], "node_types": ["file", "test"] });
    let answer = ask!(agent, "analyze", order.clone());
    assert_eq!(answer["total"], 6, "{answer}");
    assert_eq!(answer.get("cycle"), None, "{answer}");
    ask!(agent, "add_edges", { "edges": [imports("src/auth.rs", "src/http.rs")] });
    let answer = ask!(agent, "analyze", order);
    let cycle = answer["cycle"].as_array();
    assert_eq!(cycle.map(Vec::len), Some(3), "{answer}");
    let stats = ask!(agent, "summarize", { "format": "stats" });
    assert_fields!(stats, {
        "status": [{ "name": "draft", "count": 1 }, { "name": "stable", "count": 1 }],
        "priority": [{ "name": "high", "count": 1 }]
    });
}

#[tokio::test]
async fn claims_and_evidence() {
    let agent = explorer().await;
    ask!(agent, "set_schema", {
        "node_types": [{ "key": "Question" }, { "key": "Claim" }, { "key": "Evidence" }, { "key": "Source" }],
        "edge_types": [
            { "key": "supports", "inverse": "supported by", "domain": ["Evidence"], "range": ["Claim"] },
            { "key": "opposes", "domain": ["Evidence"], "range": ["Claim"] },
            { "key": "addresses", "domain": ["Claim"], "range": ["Question"] },
        ],
        "strict": "reject",
    });
    ask!(agent, "add_nodes", {
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
    });
    let backwards = json!({ "edges": [{ "source": "n2", "target": "n3", "type": "supports" }] });
    let refused = agent.call_tool(request("add_edges", backwards)).await;
    let refused = refused.expect("a refusal is an answer");
    let expected = "not_in_schema";
    assert_eq!(refused.meta.expect("it has its code").0["code"], expected);
    // What is there for and against a claim.
    let node = ask!(agent, "get_nodes", { "nodes": ["n2"] })["nodes"][0].clone();
    assert_eq!(node["creator"], "Ada");
    let links = node["incoming"].as_array().expect("links").iter();
    let links = links.map(|link| (&link["type"], &link["id"]));
    let links: Vec<(&Json, &Json)> = links.collect();
    let [supports, opposes] = ["supports", "opposes"].map(Json::from);
    let [third, fourth] = ["n3", "n4"].map(Json::from);
    assert_eq!(links, [(&supports, &third), (&opposes, &fourth)]);
    let found = json!({ "query": "0.6 mm", "creators": ["ben"], "order_by": "label" });
    assert_eq!(ask!(agent, "search_nodes", found)["total"], 2);
    let phrase = ask!(agent, "search_nodes", { "query": "\"wall of\" -broke" });
    assert_eq!(phrase["total"], 0, "{phrase}");
    let who = ask!(agent, "summarize", { "format": "contributors" });
    let who = who["contributors"].as_array().expect("a list").iter();
    let who: Vec<(&Json, &Json)> = who.map(|one| (&one["creator"], &one["nodes"])).collect();
    assert!(who.contains(&(&json!("Ben"), &json!(2))), "{who:?}");
    // A second look finds the same claim under another name, and makes them one.
    ask!(agent, "add_nodes", { "nodes": [{ "label": "[[CLM]] - Walls under 0.8 mm break in handling", "types": "Claim" }],
        "edges": [{ "source": "n5", "target": "n1", "type": "addresses" }] });
    let same = ask!(agent, "merge_nodes", { "keep": "n2" });
    assert_eq!(same["suggestions"][0]["id"], "n5", "{same}");
    let merged = ask!(agent, "merge_nodes", { "keep": "n2", "merge": ["n5"] });
    assert_fields!(merged, { "merged": 1, "dropped_edges": 1, "moved_edges": 0 });
    ask!(agent, "undo", {});
    assert_eq!(ask!(agent, "search_nodes", {})["total"], 5);
}
