//! Knowledge that is tied to functions and their nodes: it stays with them when graphs are rebuilt, and whoever changes
//! them is told.

use serde_json::{Value as Json, json};

use crate::agent::{Running, agent, request};

const REQUIREMENT: &str = "the wall is 2 mm, so that it survives a fall";

/// A shell, and a requirement that constrains its parameter wall.
async fn shell() -> Running {
    let toolsets = "project,function,knowledge,knowledge-extra";
    let (client, _) = agent(&["--toolsets", toolsets]).await;
    let shell = "let wall = 2; let gap = 0.3; max(length(pos) - 20, 20 - wall - gap - length(pos))";
    ask!(client, "create_function_from_expression", { "name": "Shell", "expression": shell });
    let tied = ask!(client, "add_nodes", {
        "nodes": [{ "label": REQUIREMENT, "types": "requirement" }],
        "edges": [{ "source": REQUIREMENT, "target": "fn:1#wall", "type": "constrains" }],
    });
    assert_eq!(tied["made"], 2, "{tied}");
    client
}

async fn rebuild(client: &Running, expression: &str) -> Json {
    ask!(client, "create_function_from_expression", { "function_id": 1, "name": "Shell", "expression": expression })
}

/// The edge of the requirement.
async fn edge(client: &Running) -> Json {
    let listed = ask!(client, "list", { "of": "edges", "types": ["constrains"] });
    assert_eq!(listed["edges"][0]["id"], "e1", "{listed}");
    listed["edges"][0].clone()
}

async fn end(client: &Running) -> Json {
    edge(client).await["target"].clone()
}

/// Id of the node of function 1 with a name.
async fn named(client: &Running, name: &str) -> Json {
    let function = ask!(client, "get_function", { "function_id": 1 });
    let nodes = function["nodes"].as_array().expect("nodes");
    let mut named = nodes.iter().filter(|node| node["display_name"] == name);
    named.next().expect("a node")["node_id"].clone()
}

#[tokio::test]
async fn knowledge_stays_with_its_node_when_an_expression_is_replaced() {
    let client = shell().await;
    let tied = end(&client).await;
    // Other nodes come before, the value changes, and another constant has the value that it had.
    let other = "let gap = 2; let lid = 5; let wall = 3; \
                 min(z - lid, max(length(pos) - 21, 21 - wall - gap - length(pos)))";
    let rebuilt = rebuild(&client, other).await;
    assert_fields!(rebuilt, { "dangling": null });
    assert_fields!(rebuilt["intent"][0], { "label": REQUIREMENT, "type": "constrains", "end": tied });
    assert_eq!(end(&client).await, tied);
    let wall = named(&client, "wall").await;
    assert_eq!(tied, json!(format!("fn:1/{wall}")));
    let info = ask!(client, "get_node_info", { "function_id": 1, "node_id": wall });
    assert_eq!(info["intent"][0]["label"], REQUIREMENT, "{info}");
    // What does not concern it is not told.
    let printed = ask!(client, "get_function", { "function_id": 1, "format": "expression" });
    let printed = printed["expression"].as_str().expect("an expression");
    let same = rebuild(&client, printed).await;
    assert_fields!(same, { "dangling": null, "intent": null });
    assert_eq!(named(&client, "wall").await, wall);

    // Without a wall the edge ends nowhere, and no other node gets the id.
    let gone = rebuild(&client, "let thickness = 7; thickness*sin(x) - 20").await;
    assert_fields!(gone["dangling"][0], { "label": REQUIREMENT, "end": tied });
    let function = ask!(client, "get_function", { "function_id": 1 });
    let nodes = function["nodes"].as_array().expect("nodes");
    assert!(
        nodes.iter().all(|node| node["node_id"] != wall),
        "{function}"
    );
    let shown = edge(&client).await;
    assert_fields!(shown, { "dangling": true, "target": tied });
    let undone = ask!(client, "undo", {});
    assert_fields!(undone, { "dangling": null });
    assert_fields!(edge(&client).await, { "dangling": null });
    let undone = ask!(client, "undo", { "redo": true });
    assert_eq!(undone["dangling"][0]["end"], tied, "{undone}");
}

/// A constant of the same value with another use is another one; undoing tells of what it changes.
#[tokio::test]
async fn knowledge_does_not_follow_values() {
    let client = shell().await;
    let tied = end(&client).await;
    let rebuilt = rebuild(&client, "length(pos) - 2").await;
    assert_fields!(rebuilt["dangling"][0], { "label": REQUIREMENT, "end": tied });
    assert_fields!(rebuilt, { "intent": null });
    ask!(client, "undo", {});
    let renamed =
        "let side = 2; let gap = 0.3; max(length(pos) - 20, 20 - side - gap - length(pos))";
    let rebuilt = rebuild(&client, renamed).await;
    assert_fields!(rebuilt["intent"][0], { "label": REQUIREMENT, "end": tied });
    let undone = ask!(client, "undo", {});
    assert_fields!(undone["intent"][0], { "label": REQUIREMENT, "end": tied });
}

#[tokio::test]
async fn functions_and_parameters_are_ends_by_name() {
    let client = shell().await;
    let wall = named(&client, "wall").await;
    assert_eq!(end(&client).await, json!(format!("fn:1/{wall}")));
    let listed = ask!(client, "list", { "of": "edges", "target": "fn:1#wall" });
    assert_eq!(listed["total"], 1, "{listed}");
    let near = ask!(client, "get_neighbors", { "node": "fn:1#wall" });
    assert_eq!(near["neighbors"][0]["label"], REQUIREMENT, "{near}");
    ask!(client, "update", { "edges": [{ "id": "e1", "target": "fn:1#gap" }] });
    let gap = named(&client, "gap").await;
    assert_eq!(end(&client).await, json!(format!("fn:1/{gap}")));
    for (name, id) in [
        ("fn:Shell", "fn:1".to_owned()),
        ("fn:shell/0", "fn:1/0".to_owned()),
        ("fn:Shell#wall", format!("fn:1/{wall}")),
    ] {
        ask!(client, "update", { "edges": [{ "id": "e1", "target": name }] });
        assert_eq!(end(&client).await, json!(id));
    }
    for (end, start) in [
        (
            "fn:Shel",
            "unknown_function: edges[0]: no function has the name 'Shel'; did you mean Shell?",
        ),
        ("fn:Shell/999", "unknown_node: edges[0]: function 1"),
        (
            "fn:1#wal",
            "unknown_parameter: edges[0]: function 1 has no parameter 'wal'",
        ),
        ("fn:9#wall", "unknown_function"),
        ("fn:1/2#wall", "unknown_function"),
        ("fn:1#", "unknown_parameter"),
    ] {
        let edge = json!({ "source": REQUIREMENT, "target": end, "type": "constrains" });
        let edges = request("add_edges", json!({ "edges": [edge] }));
        let answer = client.call_tool(edges).await.expect("an answer");
        let text = format!("{:?}", answer.content);
        assert_eq!(answer.is_error, Some(true), "{text}");
        assert_contains!(text => start);
    }
}

#[tokio::test]
async fn knowledge_follows_nodes_to_other_ids() {
    let client = shell().await;
    let (tied, wall) = (end(&client).await, named(&client, "wall").await);
    ask!(client, "add_edges", { "edges": [{ "source": REQUIREMENT, "target": "fn:1", "type": "is about" }] });
    let listing = ask!(client, "get_function", { "function_id": 1 });
    assert_eq!(listing["intent"][0]["type"], "is about", "{listing}");
    // Sends the whole graph with other ids; `End` is 0 in all.
    let mut other = listing.clone();
    let moved = |id: &mut Json| {
        if let Some(old @ 1..) = id.as_u64() {
            *id = json!(100 - old);
        }
    };
    for node in other["nodes"].as_array_mut().expect("nodes") {
        moved(&mut node["node_id"]);
        let parameters = node.get_mut("parameters").and_then(Json::as_object_mut);
        for (_, setting) in parameters.into_iter().flatten() {
            if let Some(source) = setting.get_mut("source") {
                moved(&mut source["node_id"]);
            }
        }
    }
    let set = ask!(client, "apply_edits", { "edits": [{ "set_function": other }] });
    let to = format!("fn:1/{}", 100 - wall.as_u64().expect("an id"));
    assert_fields!(set["moved"][0], { "label": REQUIREMENT, "type": "constrains", "from": tied, "to": to });
    assert_fields!(set, { "dangling": null });
    assert_eq!(end(&client).await, json!(to));
    let undone = ask!(client, "undo", {});
    assert_fields!(undone["moved"][0], { "from": to, "to": tied });
    assert_eq!(end(&client).await, tied);

    // The same ids stay what they are.
    let set = ask!(client, "apply_edits", { "edits": [{ "set_function": listing }] });
    assert_fields!(set, { "moved": null, "dangling": null, "intent": null });

    // Who sends a node that takes the id of another, and corresponds to none, is told what is tied to it.
    let mut other = listing.clone();
    let nodes = other["nodes"].as_array_mut().expect("nodes");
    nodes.retain(|node| node["node_type"] == "Begin");
    nodes.push(
        json!({ "node_id": wall, "node_type": "Sine", "parameters": { "A": { "value": 1 } } }),
    );
    nodes.push(json!({ "node_id": 0, "node_type": "End", "parameters": {
        "shape": { "source": { "node_id": wall, "port": "result" } } } }));
    let set =
        ask!(client, "apply_edits", { "edits": [{ "set_function": other }], "dry_run": true });
    assert_fields!(set, { "dangling": null, "moved": null });
    assert_fields!(set["intent"][1], { "label": REQUIREMENT, "end": tied });

    // Extracted nodes take what is tied to them along.
    let extract = json!({ "function_id": 1, "node_ids": [wall], "name": "Wall" });
    let extracted = ask!(client, "apply_edits", { "edits": [{ "extract_function": extract }] });
    let id = &extracted["results"][0]["function_id"];
    assert_fields!(extracted["moved"][0], { "from": tied, "to": format!("fn:{id}/{wall}") });
}

#[tokio::test]
async fn who_changes_a_node_is_told_its_intent() {
    let client = shell().await;
    let quiet = ask!(client, "set_parameter_value", { "function_id": 1, "parameter_name": "gap", "value": 0.4 });
    assert_fields!(quiet, { "intent": null });
    ask!(client, "add_edges", { "edges": [{ "source": REQUIREMENT, "target": "fn:1", "type": "is about" }] });
    let (wall, tied) = (named(&client, "wall").await, end(&client).await);
    let told = json!({ "edge": "e1", "type": "constrains", "id": "n1", "label": REQUIREMENT, "direction": "incoming" });
    let about = json!({ "edge": "e2", "type": "is about", "id": "n1", "label": REQUIREMENT, "direction": "incoming",
                        "end": "fn:1" });
    let by_name = json!({ "function_id": 1, "parameter_name": "wall", "value": 3 });
    let by_id = json!({ "function_id": 1, "node_id": wall, "parameter_name": "value", "value": 4 });
    for set in [&by_name, &by_id] {
        let set = ask!(client, "set_parameter_value", set.clone());
        assert_fields!(set, { "intent": [told, about] });
    }
    let quiet = ask!(client, "set_parameter_value", { "function_id": 1, "parameter_name": "gap", "value": 0.4 });
    assert_fields!(quiet, { "intent": [about] });
    let mut with_end = told.clone();
    with_end["end"] = tied.clone();
    for edit in [
        json!({ "set_parameter_value": by_name }),
        json!({ "rename_node": { "function_id": 1, "node_id": wall, "display_name": "skin" } }),
    ] {
        let applied = ask!(client, "apply_edits", { "edits": [edit] });
        assert_fields!(applied, { "intent": [about, with_end], "dangling": null, "moved": null });
    }
    let drawn = json!({ "move_node": { "function_id": 1, "node_id": wall, "position": [3, 4] } });
    let applied = ask!(client, "apply_edits", { "edits": [drawn] });
    assert_fields!(applied, { "intent": null });

    // Links, at the node that they end at.
    let value = json!({ "function_id": 1, "target_node_id": 0, "target_parameter_name": "shape" });
    let deleted = ask!(client, "delete_link", value.clone());
    assert_fields!(deleted, { "intent": [with_end, about] });
    ask!(client, "add_edges", { "edges": [{ "source": REQUIREMENT, "target": "fn:1/0", "type": "is met by" }] });
    let mut link = value;
    (link["source_node_id"], link["source_port_name"]) = (wall, json!("value"));
    let linked = ask!(client, "create_link", link);
    assert_eq!(linked["intent"][0]["type"], "is met by", "{linked}");
}

#[tokio::test]
async fn neighbors_of_a_function_are_those_of_its_nodes() {
    let client = shell().await;
    let near = ask!(client, "get_neighbors", { "node": "fn:1" });
    let shell = json!({ "id": "fn:1", "label": "function 1 'Shell'" });
    assert_fields!(near, { "total": 1, "node": shell });
    assert_eq!(near["neighbors"][0]["label"], REQUIREMENT);
    // The function itself shows what is tied to its nodes, and where.
    let shown = ask!(client, "get_function", { "function_id": 1 });
    let intent = &shown["intent"][0];
    assert_eq!(
        (&intent["label"], &intent["end"]),
        (&json!(REQUIREMENT), &near["edges"][0][2])
    );
    ask!(client, "apply_edits", { "edits": [{ "delete_function": { "function_id": 1 } }] });
    let near = ask!(client, "get_neighbors", { "node": REQUIREMENT });
    assert_fields!(near["neighbors"][0], { "dangling": true });
    let node = ask!(client, "get_nodes", { "nodes": [REQUIREMENT] });
    assert_fields!(node["nodes"][0]["outgoing"][0], { "dangling": true });
    let listed = ask!(client, "list", { "of": "edges" });
    assert_fields!(listed["edges"][0], { "dangling": true });
    let bridges = ask!(client, "analyze", { "what": "bridges" });
    assert_fields!(bridges, { "total": 1, "dangling": [bridges["bridges"][0][3]] });
    let near = ask!(client, "get_neighbors", { "node": "fn:1" });
    assert_eq!(near["node"]["dangling"], true, "{near}");
    // A new function of this id does not get what was tied to a node of the old one.
    let again = rebuild(
        &client,
        "let wall = 2; let gap = 0.3; length(pos) - wall - gap",
    )
    .await;
    assert_fields!(again, { "dangling": null });
    let shown = edge(&client).await;
    assert_eq!(shown["dangling"], true, "{shown}");
}

/// Where knowledge is shown, also under the names of other systems, ends that are gone are marked.
#[tokio::test]
async fn ends_that_are_gone_are_marked_wherever_they_are_shown() {
    let toolsets = "project,function,knowledge,knowledge-extra,memory,graph-mode,discourse";
    let (client, _) = agent(&["--toolsets", toolsets]).await;
    ask!(client, "create_function_from_expression", { "name": "Ball", "expression": "let wall = 2; length(pos) - wall" });
    ask!(client, "add_nodes", {
        "nodes": [{ "label": REQUIREMENT, "types": "requirement" }],
        "edges": [
            { "source": REQUIREMENT, "target": "fn:1#wall", "type": "constrains" },
            { "source": REQUIREMENT, "target": "fn:1", "type": "constrains" },
        ],
    });
    let gone = end(&client).await;
    let gone = gone.as_str().expect("an id");
    let path = json!([{ "relationType": "constrains", "direction": "out" }]);
    let questions = [
        ("render_graph", json!({ "format": "mermaid" })),
        ("render_graph", json!({ "format": "png" })),
        ("export_graph", json!({ "format": "dot" })),
        ("memory_get_related", json!({ "entityName": gone })),
        ("memory_read_graph", json!({})),
        ("memory_open_nodes", json!({ "names": [REQUIREMENT] })),
        ("memory_get_related", json!({ "entityName": REQUIREMENT })),
        ("memory_get_relations_at_time", json!({})),
        (
            "memory_traverse",
            json!({ "startNode": REQUIREMENT, "path": path }),
        ),
        ("graph-mode_getGraphState", json!({})),
        ("graph-mode_findCentrality", json!({})),
        ("graph-mode_detectCommunities", json!({})),
        ("discourse_get_relationships", json!({})),
    ];
    for deleted in [false, true] {
        if deleted {
            rebuild(&client, "length(pos)").await;
        }
        for (tool, arguments) in &questions {
            let answer = client.call_tool(request(tool, arguments.clone())).await;
            let text = format!("{:?}", answer.expect("an answer").content);
            let text = text.replace('\\', "");
            let marks = [
                "\"dangling\"",
                "no longer exists",
                "No longer in the project:",
            ];
            let marks = marks.iter().map(|mark| text.matches(mark).count());
            // `memory_get_related` shows each end twice, as `entity` and as `target`.
            let is_twice = arguments["entityName"] == REQUIREMENT;
            let expected = usize::from(deleted) * if is_twice { 2 } else { 1 };
            assert_eq!(marks.sum::<usize>(), expected, "{tool} of {gone}: {text}");
        }
    }
}

/// The id of a deleted node to which knowledge is tied is given to no other node; undo brings the node back with it.
#[tokio::test]
async fn knowledge_of_a_deleted_node_is_not_given_to_another() {
    let client = shell().await;
    let (tied, wall) = (end(&client).await, named(&client, "wall").await);
    let deleted = ask!(client, "delete_node", { "function_id": 1, "node_id": wall });
    assert_eq!(deleted["dangling"][0]["label"], REQUIREMENT, "{deleted}");
    let create = json!({ "function_id": 1, "node_type": "Sine", "node_id": wall });
    for (tool, arguments) in [
        ("create_node", create.clone()),
        (
            "apply_edits",
            json!({ "edits": [{ "create_node": create.clone() }] }),
        ),
    ] {
        let answer = client.call_tool(request(tool, arguments)).await;
        let answer = answer.expect("an answer");
        let text = format!("{:?}", answer.content);
        assert_eq!(answer.is_error, Some(true), "{text}");
        assert_contains!(text => "tied_id");
        assert_contains!(text => tied.as_str().expect("an id"));
        assert_contains!(text => "(edges e1)");
        assert_contains!(text => "omit node_id");
    }
    assert_fields!(edge(&client).await, { "dangling": true });
    // Without an id, another one is chosen.
    let mut other = create.clone();
    other.as_object_mut().expect("arguments").remove("node_id");
    let made = ask!(client, "create_node", other);
    assert_ne!(made["node_id"], wall, "{made}");
    assert_fields!(edge(&client).await, { "dangling": true });
    ask!(client, "undo", {});
    // The very node has its knowledge again, and whoever brings it back is told.
    let undone = ask!(client, "undo", {});
    assert_fields!(undone["intent"][0], { "label": REQUIREMENT, "end": tied });
    assert_fields!(edge(&client).await, { "dangling": null, "target": tied });
    ask!(client, "undo", { "redo": true });
    assert_fields!(edge(&client).await, { "dangling": true });
    // A whole graph may have the node again: whoever sends it is told what is tied to it.
    ask!(client, "undo", {});
    let graph = ask!(client, "get_function", { "function_id": 1 });
    ask!(client, "undo", { "redo": true });
    let set = ask!(client, "apply_edits", { "edits": [{ "set_function": graph }] });
    assert_fields!(set["intent"][0], { "label": REQUIREMENT, "end": tied });
    // Nothing is refused where no knowledge is.
    let gap = named(&client, "gap").await;
    ask!(client, "delete_node", { "function_id": 1, "node_id": gap });
    let made =
        ask!(client, "create_node", { "function_id": 1, "node_type": "Sine", "node_id": gap });
    assert_eq!(made["node_id"], gap);
}

/// A function that was deleted and made again counts its nodes anew, but leaves out those to which knowledge is tied.
#[tokio::test]
async fn new_nodes_leave_out_ids_to_which_knowledge_is_tied() {
    let client = shell().await;
    let wall = named(&client, "wall").await.as_u64().expect("an id");
    let edits = json!([
        { "delete_function": { "function_id": 1 } },
        { "set_function": { "function_id": 1, "name": "Shell", "outputs": [{ "name": "shape", "type": "float" }] } },
    ]);
    ask!(client, "apply_edits", { "edits": edits });
    let create = json!({ "function_id": 1, "node_type": "Sine" });
    let (one, other) = (wall + 90, wall + 91);
    for (kind, id) in [("ConstantScalar", one), ("Length", other)] {
        ask!(client, "create_node", { "function_id": 1, "node_type": kind, "node_id": id });
    }
    let link = json!({ "function_id": 1, "source_node_id": one, "source_port_name": "value", "target_node_id": other,
        "target_parameter_name": "A", "insert_conversion": true });
    let mut ids = Vec::new();
    for _ in 0..wall {
        let made = ask!(client, "create_node", create.clone());
        ids.push(made["node_id"].as_u64().expect("an id"));
        if ids.last() != Some(&(wall - 1)) {
            continue;
        }
        // The node that a link inserts would have the id.
        let batch = json!({ "edits": [{ "create_link": link }] });
        for (tool, arguments) in [("create_link", link.clone()), ("apply_edits", batch)] {
            let answer = client.call_tool(request(tool, arguments)).await;
            let text = format!("{:?}", answer.expect("an answer").content);
            assert_contains!(text => "tied_id");
        }
    }
    assert!(!ids.contains(&wall) && ids.contains(&(wall + 1)), "{ids:?}");
    assert_fields!(edge(&client).await, { "dangling": true });
}
