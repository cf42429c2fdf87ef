//! `analyze` where it takes long: how far it is, calling it off, and searching from some nodes only.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, Request};
use rmcp::service::{PeerRequestOptions, RequestHandle};
use serde_json::{Value as Json, json};
use tokio::time::timeout;

use super::tools::pipe;
use crate::agent::{Running, agent, request};

/// Nodes in a circle, each with a second edge across it, so that some are more central than others.
async fn circle(agent: &Running, count: u64) {
    let nodes: Vec<Json> = (0..count)
        .map(|n| json!({ "id": format!("a{n}"), "label": format!("node {n}"), "types": "thing" }))
        .collect();
    let edge = |from: u64, to: u64| json!({ "source": format!("a{from}"), "target": format!("a{to}"), "type": "has" });
    let edges: Vec<Json> = (0..count)
        .flat_map(|n| [edge(n, (n + 1) % count), edge(n, (n * n + 7) % count)])
        .collect();
    let made = ask!(agent, "add_nodes", { "nodes": nodes, "edges": edges, "on_conflict": "add" });
    assert_eq!(made["made"], 3 * count);
}

/// Asks for what takes seconds, and does not wait.
async fn begun(agent: &Running) -> RequestHandle<RoleClient> {
    let long = request("analyze", json!({ "what": "betweenness" }));
    let long = ClientRequest::CallToolRequest(Request::new(long));
    let options = PeerRequestOptions::no_options();
    let sent = agent.send_cancellable_request(long, options).await;
    sent.expect("it is sent")
}

#[tokio::test]
async fn long_work_tells_how_far_it_is_and_is_called_off() {
    let (agent, mut progress) = agent(&["--toolsets", "knowledge"]).await;
    circle(&agent, 8_000).await;
    let first = begun(&agent).await;
    let mut told = 0.0;
    for _ in 0..2 {
        let more = timeout(Duration::from_secs(60), progress.recv()).await;
        let more = more.expect("in time").expect("progress was told");
        assert!(more > told, "{more} after {told}");
        told = more;
    }
    first.cancel(None).await.expect("it is called off");
    // More of them than are worked on at once: none may hold its place.
    for _ in 0..8 {
        let handle = begun(&agent).await;
        tokio::time::sleep(Duration::from_millis(60)).await;
        handle.cancel(None).await.expect("it is called off");
    }
    let quick = crate::agent::call(&agent, "analyze", json!({ "what": "degree" }));
    let quick = timeout(Duration::from_secs(5), quick).await;
    quick.expect("what is called off gives its place back");
}

/// The score and the error of each node, by its id.
async fn ranked(agent: &Running, what: &str, sample: Json) -> (Json, Vec<(String, f64, Json)>) {
    let mut answer = ask!(agent, "analyze", { "what": what, "sample": sample, "limit": 1_000 });
    let ranking = answer["ranking"].take();
    let ranking = ranking.as_array().expect("a ranking").iter();
    let mut ranking: Vec<(String, f64, Json)> = ranking
        .map(|one| {
            let id = one["id"].as_str().expect("an id").to_owned();
            let score = one["score"].as_f64().expect("a score");
            (id, score, one["error"].clone())
        })
        .collect();
    ranking.sort_by(|one, other| one.0.cmp(&other.0));
    (answer, ranking)
}

#[tokio::test]
async fn a_sample_is_said_with_its_errors() {
    const NODES: u64 = 120;
    let (agent, _) = agent(&["--toolsets", "knowledge"]).await;
    circle(&agent, NODES).await;
    for what in ["closeness", "harmonic", "betweenness"] {
        let (answer, exact) = ranked(&agent, what, Json::Null).await;
        assert_eq!(answer.get("sampled"), None, "{what}");
        assert_eq!(exact.len() as u64, NODES, "{what}: a page has them all");
        let (answer, estimated) = ranked(&agent, what, json!(40)).await;
        assert_fields!(answer, { "sampled": 40, "total": NODES }, "{what}");
        assert_eq!(estimated.len(), exact.len(), "{what}");
        let (mut off, mut said) = (0.0, 0.0);
        for ((id, score, none), (same, estimate, error)) in exact.iter().zip(&estimated) {
            assert_eq!((id, none), (same, &Json::Null), "{what}");
            off += (estimate - score).powi(2);
            said += error.as_f64().expect("an error").powi(2);
        }
        // Squares of errors are right on average, whatever is sampled; together they are within half and twice.
        let share = (off / said).sqrt();
        assert!(
            (0.5..2.0).contains(&share),
            "{what}: errors are {share} of what is said"
        );
        // The same nodes are chosen each time.
        assert_eq!(ranked(&agent, what, json!(40)).await.1, estimated);
        // As many as there are is from all.
        assert_eq!(ranked(&agent, what, json!(NODES)).await.1, exact);
        let few = request("analyze", json!({ "what": what, "sample": 1 }));
        let few = agent.call_tool(few).await.expect("a refusal is an answer");
        let text = &few.content[0].as_text().expect("a text").text;
        assert!(
            few.is_error == Some(true)
                && text.contains("at least 2, so that the error can be estimated"),
            "{text}"
        );
    }
}

#[test]
fn a_sample_of_all_is_none() {
    let (_folder, mut pipe) = pipe();
    let node = |id: &str| json!({ "id": id, "label": id, "types": "gene" });
    call!(pipe, "add_nodes", { "nodes": [node("a"), node("b"), node("c")] });
    let mut sampled = |sample: u64| {
        call!(pipe, "analyze", { "what": "closeness", "sample": sample })
            .get("sampled")
            .cloned()
    };
    assert_eq!(sampled(2), Some(json!(2)));
    assert_eq!([sampled(3), sampled(9)], [None, None]);
}

#[test]
fn what_an_analysis_does_not_use_is_refused() {
    let (_folder, mut pipe) = pipe();
    let node = |id: &str| json!({ "id": id, "label": id, "types": "gene" });
    call!(pipe, "add_nodes", { "nodes": [node("a"), node("b")] });
    for (what, name, value) in [
        ("structure", "weighted", json!(true)),
        ("degree", "weighted", json!(true)),
        ("closeness", "weighted", json!(true)),
        ("cores", "weighted", json!(true)),
        ("pagerank", "resolution", json!(2)),
        ("degree", "sample", json!(5)),
        ("components", "direction", json!("outgoing")),
    ] {
        let refusal = refusal!(pipe, "analyze", { "what": what, name: value });
        let expected = format!("invalid_arguments: {what} does not use `{name}`");
        assert!(refusal.starts_with(&expected), "{refusal}");
    }
    for (what, name, value) in [
        ("communities", "weighted", json!(true)),
        ("communities", "resolution", json!(2)),
        ("harmonic", "sample", json!(2)),
        ("degree", "direction", json!("incoming")),
        ("components", "direction", json!("both")),
    ] {
        let found = call!(pipe, "analyze", { "what": what, name: value });
        assert_eq!(found.get("warnings"), None, "{found}");
    }
    let odd = call!(pipe, "analyze", { "what": "pagerank", "edge_types": ["nope"] });
    assert_eq!(odd["warnings"], json!(["no edge has the type 'nope'"]));
}

/// Of a chain a -> b -> c -> d only "a" leads to all others.
#[test]
fn closeness_follows_the_edges_in_their_direction() {
    let (_folder, mut pipe) = pipe();
    let nodes = ["a", "b", "c", "d"].map(|id| json!({ "id": id, "label": id, "types": "step" }));
    let edges = [["a", "b"], ["b", "c"], ["c", "d"]];
    let edges = edges.map(|[from, to]| json!({ "source": from, "target": to, "type": "next" }));
    call!(pipe, "add_nodes", { "nodes": nodes, "edges": edges });
    for (direction, first) in [("outgoing", "a"), ("incoming", "d")] {
        let found = call!(pipe, "analyze", { "what": "harmonic", "direction": direction });
        let best = &found["ranking"][0];
        assert_eq!(best["id"], first, "{direction}");
        let score = best["score"].as_f64().expect("a score");
        assert!((score - 11.0 / 6.0).abs() < 1e-9, "{score}");
    }
}

#[test]
fn a_limit_reaches_into_components() {
    let (_folder, mut pipe) = pipe();
    let nodes: Vec<Json> = (0..60)
        .map(|at| json!({ "id": format!("n{at}"), "label": "n", "types": "t" }))
        .collect();
    let edge = |at: u32| json!({ "source": format!("n{at}"), "target": format!("n{}", at + 1), "type": "e" });
    let edges: Vec<Json> = (0..58).map(edge).collect();
    call!(pipe, "add_nodes", { "nodes": nodes, "edges": edges });
    for (limit, shown) in [(None, 10), (Some(3), 10), (Some(40), 40), (Some(100), 59)] {
        let found = call!(pipe, "analyze", { "what": "components", "limit": limit });
        let group = &found["groups"][0];
        assert_eq!(group["size"], 59);
        assert_eq!(
            group["nodes"].as_array().map(Vec::len),
            Some(shown),
            "{limit:?}"
        );
    }
}
