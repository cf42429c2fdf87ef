//! `on_conflict: "replace"`: what takes the place of what is there, and what stays.

use serde_json::{Value as Json, json};

use super::tools::pipe;
use crate::talk::Pipe;

/// Two genes that Ada added, and what she says of them.
fn genes() -> (tempfile::TempDir, Pipe) {
    let (folder, mut pipe) = pipe();
    call!(pipe, "add_nodes", {
        "nodes": [
            { "id": "NCBIGene:7157", "label": "TP53", "types": ["gene"], "data": { "location": "17p13.1" },
              "observations": ["guards the genome"], "position": [1, 2], "creator": "Ada" },
            { "id": "NCBIGene:4193", "label": "MDM2", "types": "gene", "creator": "Ada" },
        ],
        "edges": [
            { "source": "MDM2", "target": "TP53", "type": "inhibits", "weight": 2.5, "label": "strongly",
              "data": { "source": "paper" }, "valid_from": "2001-02-03", "creator": "Ada" },
            { "source": "TP53", "target": "MDM2", "type": "activates", "creator": "Ada" },
        ],
    });
    (folder, pipe)
}

fn node(pipe: &mut Pipe) -> Json {
    let shown = call!(pipe, "get_nodes", { "nodes": ["NCBIGene:7157"] });
    shown["nodes"][0].clone()
}

fn edges(pipe: &mut Pipe) -> Json {
    let listed = call!(pipe, "list", { "of": "edges" });
    assert_eq!(listed["total"], 2, "{listed}");
    listed["edges"].clone()
}

/// Checks members of an answer; null stands for one that is not there.
fn has(shown: &Json, expected: &Json) {
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(&shown[name], value, "{name}: {shown}");
    }
}

#[test]
fn a_node_keeps_its_id_its_edges_and_who_made_it() {
    let (_folder, mut pipe) = genes();
    let before = node(&mut pipe);
    let other = json!({ "id": "NCBIGene:7157", "label": "p53", "types": "protein", "data": { "exons": 11 },
                        "creator": "Eve" });
    let other = json!({ "nodes": [other], "on_conflict": "replace" });
    let done = call!(pipe, "add_nodes", other.clone());
    has(
        &done,
        &json!({ "nodes": ["NCBIGene:7157"], "made": 0, "replaced": 1, "merged": null, "skipped": null }),
    );
    let after = node(&mut pipe);
    has(
        &after,
        &json!({
            "id": "NCBIGene:7157", "label": "p53", "types": ["protein"], "data": { "exons": 11 },
            "observations": null, "position": null, "version": 2, "creator": "Ada",
            "created": before["created"], "incoming": [{ "edge": "e1", "edge_label": "strongly", "type": "inhibits", "id": "NCBIGene:4193", "label": "MDM2" }],
        }),
    );
    assert_eq!(after["outgoing"], before["outgoing"]);
    edges(&mut pipe);
    // It is found by what it says now, and by nothing that it said.
    let mut found = |query: &str| call!(pipe, "search_nodes", { "query": query })["total"].clone();
    assert_eq!(["p53", "guards"].map(&mut found), [json!(1), json!(0)]);
    let history = call!(pipe, "get_history", { "limit": 1 });
    has(
        &history["entries"][0],
        &json!({ "tool": "add_nodes", "label": "add 1 node", "client": "mcp" }),
    );
    call!(pipe, "undo", {});
    assert_eq!(node(&mut pipe), before);
    call!(pipe, "undo", { "redo": true });
    assert_eq!(node(&mut pipe), after);
}

#[test]
fn an_edge_keeps_its_id_and_who_made_it() {
    let (_folder, mut pipe) = genes();
    let before = edges(&mut pipe);
    // Met by its ends and type, and then by its id.
    let same = json!({ "source": "MDM2", "target": "TP53", "type": "Inhibits", "data": { "by": "binding" } });
    let turned = json!({ "id": "e1", "source": "TP53", "target": "MDM2", "type": "is bound by", "weight": 1,
                         "creator": "Eve" });
    for (given, expected) in cases![
        same
            => json!({ "source": "NCBIGene:4193", "target": "NCBIGene:7157", "type": "Inhibits",
                "data": { "by": "binding" }, "weight": null, "label": null, "valid_from": null });
        turned
            => json!({ "source": "NCBIGene:7157", "target": "NCBIGene:4193", "type": "is bound by",
                "data": null, "weight": 1.0, "label": null, "valid_from": null });
    ] {
        let done = call!(pipe, "add_edges", { "edges": [given], "on_conflict": "replace" });
        has(
            &done,
            &json!({ "edges": ["e1"], "made": 0, "replaced": 1, "merged": null, "skipped": null }),
        );
        let after = edges(&mut pipe);
        has(&after[0], &expected);
        has(
            &after[0],
            &json!({ "id": "e1", "creator": "Ada", "created": before[0]["created"] }),
        );
        assert_eq!(after[1], before[1]);
    }
    for _ in 0..2 {
        call!(pipe, "undo", {});
    }
    assert_eq!(edges(&mut pipe), before);
}

#[test]
fn a_file_says_who_made_what_it_replaces() {
    let (_folder, mut pipe) = genes();
    let (node_before, edges_before) = (node(&mut pipe), edges(&mut pipe));
    let file = json!({
        "format": "fibula-graph", "version": 1,
        "nodes": [
            { "id": "NCBIGene:7157", "label": "p53", "types": ["protein"], "data": { "exons": 11 },
              "creator": "Eve", "created": 1_000, "modified": 2_000, "version": 9 },
            { "id": "NCBIGene:4193", "label": "MDM2", "types": ["gene"] },
            { "id": "n1", "label": "CHEK2", "types": ["gene"] },
        ],
        "edges": [
            { "source": "NCBIGene:7157", "target": "NCBIGene:4193", "type": "activates", "weight": 0.5,
              "creator": "Eve", "created": 3_000 },
        ],
    });
    let done =
        call!(pipe, "import_graph", { "content": file.to_string(), "on_conflict": "replace" });
    has(
        &done,
        &json!({ "node_count": 3, "edge_count": 1, "made": 1, "replaced": 3, "merged": null, "skipped": null }),
    );
    let after = node(&mut pipe);
    has(
        &after,
        &json!({
            "id": "NCBIGene:7157", "label": "p53", "types": ["protein"], "data": { "exons": 11 },
            "observations": null, "position": null, "version": 2, "creator": "Eve",
            "created": "1970-01-01T00:00:01.000Z", "modified": "1970-01-01T00:00:02.000Z",
        }),
    );
    assert_eq!(after["incoming"], node_before["incoming"]);
    let edges_after = edges(&mut pipe);
    assert_eq!(edges_after[0], edges_before[0]);
    has(
        &edges_after[1],
        &json!({ "id": "e2", "type": "activates", "weight": 0.5, "creator": "Eve", "created": "1970-01-01T00:00:03.000Z" }),
    );
    call!(pipe, "undo", {});
    assert_eq!(node(&mut pipe), node_before);
    assert_eq!(edges(&mut pipe), edges_before);
    assert_eq!(call!(pipe, "search_nodes", {})["total"], 2);
}

#[test]
fn a_file_may_end_at_nodes_that_are_there() {
    for policy in ["skip", "merge", "replace", "error", "add"] {
        let (_folder, mut pipe) = pipe();
        let gene =
            json!({ "id": "NCBIGene:4193", "label": "MDM2", "types": "gene", "data": { "a": 1 } });
        call!(pipe, "add_nodes", { "nodes": [gene] });
        let get = json!({ "nodes": ["NCBIGene:4193"] });
        let before = call!(pipe, "get_nodes", get.clone())["nodes"][0].clone();
        let file = json!({ "format": "fibula-graph", "version": 1,
            "nodes": [{ "id": "n1", "label": "CHEK2", "types": ["gene"] }],
            "edges": [{ "source": "n1", "target": "NCBIGene:4193", "type": "activates" }] });
        let told =
            call!(pipe, "import_graph", { "content": file.to_string(), "on_conflict": policy });
        let expected = "dangling_end";
        assert_eq!(told["repairs"][0]["code"], expected, "{policy}: {told}");
        let after = call!(pipe, "get_nodes", get)["nodes"][0].clone();
        for fact in ["label", "types", "data", "creator", "created", "version"] {
            assert_eq!(after[fact], before[fact], "{policy}: {fact}");
        }
        assert_eq!(after["incoming"][0]["id"], "n1", "{policy}: {after}");
    }
}
