//! The stream of events: order, replay, resync, many listeners, slow ones, the end.

use std::time::{Duration, Instant};

use serde_json::json;

use super::ball;
use super::stream::Stream;
use crate::talk::{Http, wait_within};

const NODES: &str = "/api/projects/p/functions/1/nodes";

fn add(http: &Http) -> u64 {
    let made = done!(http, "POST", NODES, { "node_type": "Sine" });
    made["revision"].as_u64().expect("a revision")
}

#[test]
fn every_change_is_told_in_order_to_all_who_listen() {
    let http = ball();
    done!(http, "POST", "/api/projects", { "project": "q" });
    let mut all = Stream::new(&http, "", &[]);
    let mut one = Stream::new(&http, "?project=q", &[]);
    let head = all.head.to_lowercase();
    for line in [
        "http/1.1 200 ok",
        "content-type: text/event-stream",
        "cache-control: no-store",
        "x-accel-buffering: no",
        "x-content-type-options: nosniff",
    ] {
        assert_contains!(head => line);
    }
    for revision in 2..6 {
        assert_eq!(add(&http), revision);
    }
    done!(http, "POST", "/api/projects/q/functions", { "name": "g", "expression": "1" });
    // What an agent does is told as well.
    let call =
        json!({ "project": "p", "function_id": 1, "node_type": "Cosine", "display_name": "wave" });
    call!(http, "create_node", &call);
    done!(http, "POST", "/api/projects/p/undo", { "anyone": true });
    for revision in 2..6 {
        let change = all.change();
        assert_eq!(change.id, Some(format!("p:{revision}")));
        assert_eq!(change.data["revision"], revision);
        assert_fields!(change.data, { "project": "p", "turn": "edit" });
        assert_each_eq! {
            change.data["origin"]["tool"]
                => format!("POST {}", "/api/projects/{project}/functions/{function_id}/nodes");
            change.data["edit"]["create_node"]["node_type"] => "Sine";
        }
    }
    assert_eq!(all.change().id.as_deref(), Some("q:1"));
    let agent = all.change();
    assert_eq!(agent.id.as_deref(), Some("p:6"));
    assert_fields!(agent.data["origin"], { "kind": "agent", "tool": "create_node" });
    assert_eq!(agent.data["edit"]["create_node"]["display_name"], "wave");
    assert_eq!(all.change().data["turn"], json!({ "undo": 6 }));
    let own = one.change();
    assert_eq!(
        (own.id.as_deref(), &own.data["label"]),
        (
            Some("q:1"),
            &json!("create function 'g' from an expression")
        )
    );
}

#[test]
fn changes_of_the_list_of_projects_are_sent() {
    let http = ball();
    let mut stream = Stream::new(&http, "", &[]);
    done!(http, "POST", "/api/projects", { "project": "q" });
    let event = |stream: &mut Stream| stream.next().expect("it goes on").event;
    assert_eq!(event(&mut stream).as_deref(), Some("projects"));
    // A change is no change of the list.
    add(&http);
    assert_eq!(stream.change().id.as_deref(), Some("p:2"));
    done!(http, "DELETE", "/api/projects/q");
    assert_eq!(event(&mut stream).as_deref(), Some("projects"));
}

#[test]
fn changes_of_the_knowledge_graph_are_told() {
    let http = ball();
    let mut stream = Stream::new(&http, "?project=p", &[]);
    let node = json!({ "label": "TP53", "type": "gene", "customId": "NCBIGene:7157" });
    done!(http, "POST", "/api/graph/p/nodes", &node);
    let call = json!({
        "project": "p", "nodes": [{ "id": "b", "label": "MDM2", "types": "gene" }],
        "edges": [{ "source": "b", "target": "TP53", "type": "inhibits" }],
    });
    call!(http, "add_nodes", &call);
    let undo = json!({ "anyone": true });
    done!(http, "POST", "/api/projects/p/undo", &undo);
    let program = stream.change();
    assert_eq!(program.id.as_deref(), Some("p:2"));
    let expected = "POST /api/graph/{project}/nodes";
    assert_eq!(program.data["origin"]["tool"], expected);
    assert_eq!(program.data["label"], "add 1 node");
    let put = &program.data["edit"]["knowledge"]["put_node"];
    assert_fields!(put, { "id": "NCBIGene:7157", "label": "TP53", "types": ["gene"] });
    let agent = stream.change();
    assert_eq!(agent.id.as_deref(), Some("p:3"));
    assert_eq!(agent.data["origin"]["tool"], "add_nodes");
    assert_eq!(agent.data["label"], "add 1 node and 1 edge");
    let puts = &agent.data["edit"]["batch"];
    assert_eq!(puts[0]["knowledge"]["put_node"]["id"], "b");
    let edge = &puts[1]["knowledge"]["put_edge"];
    assert_fields!(edge, { "source": "b", "target": "NCBIGene:7157", "type": "inhibits" });
    assert_eq!(stream.change().data["turn"], json!({ "undo": 3 }));
}

/// `benches/mcp.rs` measures how long it takes; here each edit is told before the next is made.
#[test]
fn an_agents_edit_is_told_before_the_next() {
    let http = ball();
    let mut stream = Stream::new(&http, "?project=p", &[]);
    for revision in 2..22 {
        call!(http, "create_node", { "project": "p", "function_id": 1, "node_type": "Sine" });
        assert_eq!(stream.change().id, Some(format!("p:{revision}")));
    }
}

#[test]
fn what_was_missed_is_replayed() {
    let http = ball();
    let mut stream = Stream::new(&http, "", &[]);
    (2..5).for_each(|revision| assert_eq!(add(&http), revision));
    assert_eq!(stream.change().id.as_deref(), Some("p:2"));
    drop(stream);
    (5..305).for_each(|revision| assert_eq!(add(&http), revision));
    let ids = |mut stream: Stream, first: u64| {
        for revision in first..=304 {
            assert_eq!(stream.change().id, Some(format!("p:{revision}")));
        }
        assert_eq!(add(&http), 305);
        assert_eq!(stream.change().id.as_deref(), Some("p:305"));
        let undo = json!({ "anyone": true, "revision": 305 });
        done!(http, "POST", "/api/projects/p/undo", &undo);
    };
    ids(Stream::new(&http, "", &[("Last-Event-ID", "p:2")]), 3);
    // What a browser saw last counts more than what its address says.
    let header = [("Last-Event-ID", "p:306")];
    let mut stream = Stream::new(&http, "?after=p:2&project=p", &header);
    assert_eq!(add(&http), 307);
    assert_eq!(stream.change().id.as_deref(), Some("p:307"));
    let mut stream = Stream::new(&http, "?after=p%3A306", &[("Last-Event-ID", "")]);
    assert_eq!(stream.change().id.as_deref(), Some("p:307"));
}

#[test]
fn who_missed_too_much_is_told_to_read_anew() {
    let http = ball();
    done!(http, "POST", "/api/projects", { "project": "gone" });
    done!(http, "DELETE", "/api/projects/gone");
    for (query, header, code) in [
        ("", "p:77", "unknown_event"),
        ("", "none:1", "unknown_event"),
        ("", "gone:1", "unknown_event"),
        ("?project=p", "p:18446744073709551615", "unknown_event"),
        ("?after=p:9", "", "unknown_event"),
        ("", "nonsense", "invalid_value"),
    ] {
        let mut stream = Stream::silent(&http, query, &[("Last-Event-ID", header)]);
        assert!(stream.next().is_some_and(|opening| opening.event.is_none()));
        let resync = stream.next().expect("it goes on");
        assert_eq!(resync.event.as_deref(), Some("resync"));
        assert_eq!(resync.id, None);
        assert_eq!(resync.data["code"], code);
        let revision = add(&http);
        let id = stream.change().id;
        assert_eq!(id, Some(format!("p:{revision}")), "{query} {header}");
    }
    for query in ["?after=p", "?after=:", "?after=p:x"] {
        refused!(http, "GET", &format!("/api/events{query}") => 422, "invalid_value");
    }
    refused!(http, "GET", "/api/events?project=none" => 404, "unknown_project");
}

#[test]
fn very_large_edits_are_told_without_the_edit() {
    let http = ball();
    let mut stream = Stream::new(&http, "", &[]);
    let node = json!({ "create_node": { "function_id": 1, "node_type": "Sine" } });
    let edits = |count: usize| json!({ "edits": vec![node.clone(); count] });
    done!(http, "POST", "/api/projects/p/edits", &edits(1_000));
    done!(http, "POST", "/api/projects/p/edits", &edits(3));
    let large = stream.change();
    assert_fields!(large.data, { "truncated": true, "edit": null });
    assert_eq!(large.data["revision"], 2);
    assert!(large.text.len() < 1_000, "{}", large.text);
    let small = stream.change();
    assert!(small.data.get("truncated").is_none());
    let batch = small.data["edit"]["batch"].as_array();
    assert_eq!(batch.map(Vec::len), Some(3));
}

#[test]
fn a_slow_listener_holds_up_nobody_and_misses_nothing() {
    let http = ball();
    let mut slow = Stream::silent(&http, "", &[]);
    let mut fast = Stream::new(&http, "", &[]);
    // Far more than the buffers of a connection hold.
    let node = json!({ "create_node": { "function_id": 1, "node_type": "Sine", "display_name": "x".repeat(200) } });
    let edits = json!({ "edits": vec![node; 150] });
    for revision in 2..202 {
        let made = done!(http, "POST", "/api/projects/p/edits", &edits);
        assert_eq!(made["revision"], revision);
        let change = fast.change();
        assert_eq!(change.id, Some(format!("p:{revision}")));
        assert!(change.text.len() > 30_000);
    }
    slow.next().expect("it begins");
    for revision in 2..202 {
        assert_eq!(slow.change().id, Some(format!("p:{revision}")));
    }
}

#[test]
fn streams_are_counted_and_given_back() {
    const MOST: usize = 256;
    let http = ball();
    let mut open: Vec<Stream> = (0..MOST).map(|_| Stream::new(&http, "", &[])).collect();
    let refusal = refused!(http, "GET", "/api/events" => 503, "too_many_streams");
    let message = refusal["message"].as_str();
    assert!(message.is_some_and(|text| text.contains("256")));
    let (_, head, _) = http.request("GET", "/api/events", &[], b"");
    assert!(head.to_lowercase().contains("retry-after: "), "{head}");
    add(&http);
    for stream in &mut open {
        assert_eq!(stream.change().id.as_deref(), Some("p:2"));
    }
    open.truncate(MOST - 10);
    let begun = Instant::now();
    loop {
        let stream = Stream::silent(&http, "", &[]);
        if stream.head.contains(" 200 ") {
            break;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "places are not given back"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(unix)]
#[test]
fn streams_end_with_the_server() {
    let mut http = ball();
    let mut stream = Stream::new(&http, "", &[]);
    let id = http.child.id().to_string();
    let killed = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status();
    assert!(killed.expect("kill runs").success());
    assert_eq!(stream.next(), None);
    assert!(wait_within(&mut http.child, Duration::from_secs(4)).success());
}
