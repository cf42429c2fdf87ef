//! The knowledge graph over REST.

use serde_json::json;

use super::routes::Client;
use crate::talk::Http;

/// Uses every route of the graph of a project.
pub(crate) fn routes(client: &Client, p: (&str, &str)) {
    one_by_one(client, p);
    at_once(client, p);
    as_graph_mode(client, p);
    asked(client, p);
    files(client, p);
}

/// What is added is deleted again.
fn as_graph_mode(client: &Client, p: (&str, &str)) {
    let state = || op!(client, "get_conversation_state", [p])["data"].clone();
    let before = state();
    let node = op!(client, "add_conversation_node", [p], { "label": "talk", "customId": "talk" });
    assert_eq!(node["data"]["id"], "talk");
    let edge = op!(client, "add_conversation_edge", [p], { "source": "talk", "target": "talk" });
    let edge = edge["data"]["id"].as_str().expect("an id");
    op!(client, "delete_conversation_edge", [p, ("id", edge)]);
    op!(client, "delete_conversation_node", [p, ("id", "talk")]);
    let after = state();
    assert_eq!(
        (&after["nodes"], &after["edges"]),
        (&before["nodes"], &before["edges"])
    );
    let last = op!(client, "get_conversation_history", [p], "?limit=1");
    assert_eq!(
        last["data"][0]["timestamp"],
        after["metadata"]["lastUpdated"]
    );
}

fn one_by_one(client: &Client, p: (&str, &str)) {
    let node = |id: &str, label: &str| json!({ "label": label, "type": "gene", "customId": id, "data": { "a": 1 } });
    let made = op!(client, "add_node", [p], "", &node("NCBIGene:7157", "TP53"));
    assert_eq!(made["nodes"], json!(["NCBIGene:7157"]));
    let mut second = node("b", "MDM2");
    second["position"] = json!({ "x": 3, "y": -4.5 });
    op!(client, "add_node", [p], "", &second);
    let place = |id: &str| {
        let shown = op!(client, "get_node", [p, ("id", id)]);
        shown["nodes"][0]["position"].clone()
    };
    assert_eq!(place("b"), json!([3.0, -4.5]));
    op!(
        client,
        "update_node",
        [p, ("id", "b")],
        "",
        &json!({ "position": { "x": 5, "y": 6 } })
    );
    assert_eq!(place("b"), json!([5.0, 6.0]));
    let edge = json!({ "source": "MDM2", "target": "TP53", "type": "inhibits", "customId": "e" });
    assert_eq!(op!(client, "add_edge", [p], "", &edge)["made"], 1);
    let id = ("id", "NCBIGene:7157");
    let shown = op!(client, "get_node", [p, id]);
    assert_eq!(shown["nodes"][0]["incoming"][0]["id"], "b");
    let change = json!({ "label": "p53", "add_observations": ["on 17p13"], "position": [1, 2] });
    let updated = op!(client, "update_node", [p, id], "", &change);
    assert_eq!(updated["updated"], 1);
    let e = ("id", "e");
    op!(client, "update_edge", [p, e], "?dry_run=false", { "weight": 2.5, "label": null });
    let edge = op!(client, "get_edge", [p, e]);
    assert_fields!(edge, { "weight": 2.5, "type": "inhibits" });
    let listed = op!(client, "list_nodes", [p], "?type=GENE&limit=1");
    assert_eq!(listed["total"], 2);
    assert_eq!(listed["nodes"].as_array().map(Vec::len), Some(1));
    assert_eq!(op!(client, "list_edges", [p])["total"], 1);
    op!(client, "remove_edge", [p, e]);
    let gone = op!(client, "remove_node", [p, ("id", "b")]);
    assert_eq!(gone["removed_nodes"], 1);
}

fn at_once(client: &Client, p: (&str, &str)) {
    let nodes = json!({
        "nodes": [{ "id": "b", "label": "MDM2", "types": "gene" }, { "id": "c", "label": "mdm2", "types": "gene" },
                  { "id": "d", "label": "cancer", "types": "disease" }],
        "edges": [{ "source": "b", "target": "NCBIGene:7157", "type": "inhibits" },
                  { "source": "NCBIGene:7157", "target": "d", "type": "causes" }],
    });
    assert_eq!(op!(client, "add_nodes", [p], "", &nodes)["made"], 5);
    let change = json!({ "nodes": [{ "id": "d", "types": ["disease", "thing"] }] });
    assert_eq!(op!(client, "update", [p], "", &change)["updated"], 1);
    let same = op!(client, "merge_nodes", [p], { "keep": "b", "merge": ["c"] });
    assert_eq!(same["merged"], 1);
    let gone = op!(client, "remove", [p], "?dry_run=true", { "where": { "types": ["gene"] } });
    assert_fields!(gone, { "removed_nodes": 2, "dry_run": true });
    let types = json!({ "node_types": [{ "key": "gene" }], "strict": "warn" });
    assert_eq!(op!(client, "set_schema", [p], "", &types)["strangers"], 3);
    let schema = op!(client, "get_schema", [p]);
    assert_eq!(schema["node_types"][0]["count"], 2);
    let state = op!(client, "get_graph_state", [p], "?limit=4");
    assert_fields!(state, { "node_count": 3, "edge_count": 2 });
    let cursor = state["next_cursor"].as_str().expect("a cursor");
    let rest = op!(client, "get_graph_state", [p], &format!("?cursor={cursor}"));
    assert_eq!(rest["edges"].as_array().map(Vec::len), Some(1));
}

fn asked(client: &Client, p: (&str, &str)) {
    let found = op!(client, "search_nodes", [p], { "query": "17p13" });
    assert_eq!(found["nodes"][0]["label"], "p53");
    let near = op!(client, "get_neighbors", [p], { "node": "MDM2", "depth": 2 });
    assert_eq!(near["total"], 2);
    let path = op!(client, "find_path", [p], { "source": "MDM2", "target": "cancer" });
    assert_eq!(path["paths"][0]["length"], 2.0);
    let pattern = json!({ "start": "MDM2", "path": [{ "relation_type": "inhibits" }, { "target_type": "disease" }] });
    assert_eq!(op!(client, "traverse", [p], "", &pattern)["found"], true);
    let ranks = op!(client, "analyze", [p], { "what": "pagerank" });
    assert_eq!(ranks["total"], 3);
    let summary = op!(client, "summarize", [p]);
    assert_eq!(summary["node_count"], 3);
}

fn files(client: &Client, p: (&str, &str)) {
    let laid_out = op!(client, "layout", [p], { "method": "grid", "write": true });
    assert_eq!(laid_out["total"], 3);
    // All positions at once, whatever a page of `layout` may hold.
    let whole = op!(client, "get_layout", [p], "?method=grid");
    assert_fields!(whole, { "positions": laid_out["positions"], "written": false, "total": 3 });
    let (method, path) = client.place("export_graph", &[p]);
    let (status, head, body) =
        client
            .http
            .request(&method, &format!("{path}?format=dot"), &[], b"");
    assert_eq!(status, 200, "{body}");
    assert!(head.contains("fibula-warnings"), "{head}{body}");
    assert!(body.contains("p53"), "{head}{body}");
    let (method, path) = client.place("render_graph", &[p]);
    let (status, head, body) = client
        .http
        .request(&method, &path, &[], br#"{"format":"svg"}"#);
    assert_eq!(status, 200, "{head}{body}");
    assert!(head.contains("image/svg+xml"), "{head}{body}");
    let lines = r#"{"type":"entity","name":"TP63","entityType":"gene","observations":[]}"#;
    let brought = op!(client, "import_graph", [p], { "content": lines });
    assert_fields!(brought, { "made": 1, "format": "memory-jsonl" });
}

#[test]
fn the_first_node_makes_the_project() {
    let http = Http::new(&[], None);
    let (nodes, edges) = ("/api/graph/new/nodes", "/api/graph/new/edges");
    let node = json!({ "label": "A", "type": "gene", "customId": "a" });
    let dry = format!("{nodes}?dry_run=true");
    refused!(http, "POST", &dry, &node => 404, "unknown_project");
    refused!(http, "POST", nodes, { "label": "A" } => 422, "invalid_value");
    refused!(http, "POST", edges, { "source": "a", "target": "b" } => 404, "unknown_project");
    let solid = json!({ "label": "A", "type": "gene", "position": { "x": 1, "y": 2, "z": 3 } });
    let refusal = refused!(http, "POST", nodes, &solid => 400, "invalid_arguments");
    assert_contains!(refusal["message"].as_str().unwrap_or_default() => "a position is [x, y]");
    // What is refused has made none.
    refused!(http, "GET", nodes => 404, "unknown_project");
    let made = done!(http, "POST", nodes, &node);
    assert_eq!(
        made["warnings"],
        json!(["there was no project \"new\"; it was created"])
    );
    let tied = done!(http, "POST", edges, { "source": "a", "target": "a" });
    assert_eq!(tied["warnings"], json!(null));
    refused!(http, "POST", "/api/graph/a%2Fb/nodes", &node => 422, "invalid_name");
}

/// A client of Graph Mode finds its routes, and the form of their answers, below an address of their own.
#[test]
fn graph_mode_has_its_own_answers() {
    let http = Http::new(&[], None);
    let at = |rest: &str| format!("/api/graph-mode/api/graph/talk-1/{rest}");
    let empty = done!(http, "GET", &at("state"));
    let nothing = json!({ "nodeCount": 0, "edgeCount": 0, "lastUpdated": null });
    assert_fields!(empty["data"], { "nodes": [], "edges": [], "metadata": nothing });
    refused!(http, "POST", &at("edges"), { "source": "a", "target": "b" } => 404, "unknown_project");
    let node = json!({ "label": "TP53", "type": "gene", "data": { "score": 1 }, "position": { "x": 1.5, "y": -2 } });
    let gene = done!(http, "POST", &at("nodes"), &node)["data"].clone();
    assert_fields!(gene, { "label": "TP53", "type": "gene", "data": { "score": 1 }, "position": { "x": 1.5, "y": -2.0 } });
    let other = json!({ "label": "MDM2", "customId": "NCBIGene:4193" });
    let other = done!(http, "POST", &at("nodes"), &other)["data"].clone();
    assert_fields!(other, { "id": "NCBIGene:4193", "type": "default", "position": { "x": 0.0, "y": 0.0 } });
    refused!(http, "POST", &at("nodes"), { "label": "" } => 422, "invalid_value");
    let edge =
        json!({ "source": gene["id"], "target": "MDM2", "label": "binds", "type": "physical" });
    let edge = done!(http, "POST", &at("edges"), &edge)["data"].clone();
    assert_fields!(edge, { "source": gene["id"], "target": "NCBIGene:4193", "label": "binds", "type": "physical" });
    let state = done!(http, "GET", &at("state"))["data"].clone();
    assert_fields!(state, { "nodes": [gene, other], "edges": [edge] });
    assert_fields!(state["metadata"], { "nodeCount": 2, "edgeCount": 1 });
    let past = done!(http, "GET", &at("history?limit=2"))["data"].clone();
    assert_eq!(past.as_array().map(Vec::len), Some(2), "{past}");
    assert_eq!(past[0]["timestamp"], state["metadata"]["lastUpdated"]);
    let edge = format!("edges/{}", edge["id"].as_str().unwrap_or_default());
    let deleted = done!(http, "DELETE", &at(&edge));
    assert_fields!(deleted, { "success": true, "message": "Edge deleted successfully" });
    done!(http, "DELETE", &at("nodes/MDM2"));
    refused!(http, "DELETE", &at("nodes/MDM2") => 404, "unknown_node");
    let state = done!(http, "GET", &at("state"))["data"].clone();
    assert_eq!(state["nodes"], json!([gene]));
    // The project is the same as that of all other routes.
    assert_fields!(done!(http, "GET", "/api/graph/talk-1/state"), { "node_count": 1 });
}
