//! Ends of edges at functions and nodes: knowledge is about what it was tied to, whatever takes the id, and answers agree with
//! the graph.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::tools::refused;
use crate::talk::Pipe;

const PLATE: &str =
    "let wall = 2; let hole = 6; difference(box(pos, vec3(40,20,wall)), cylinder(pos, hole/2, 10))";
const BALL: &str = "length(pos) - 5";

/// A plate, with knowledge tied to its wall, its hole, itself and the call of its box.
fn plate() -> (tempfile::TempDir, Pipe) {
    let folder = tempfile::tempdir().expect("a folder");
    let toolsets = "project,project-extra,function,knowledge,knowledge-extra,gladius,memory";
    let mut pipe = Pipe::new(&["--toolsets", toolsets], folder.path());
    call!(pipe, "create_function_from_expression", { "name": "Plate", "expression": PLATE });
    let nodes = ["k1", "k2", "k3", "k4"].map(|label| json!({ "label": label, "types": "fact" }));
    let ends = [
        ("k1", "fn:1#wall"),
        ("k2", "fn:1#hole"),
        ("k3", "fn:1"),
        ("k4", "fn:1/6"),
    ];
    let edges = ends.map(|(from, to)| json!({ "source": from, "target": to, "type": "tells" }));
    call!(pipe, "add_nodes", { "nodes": nodes, "edges": edges });
    assert_eq!(live(&mut pipe), ["fn:1/4", "fn:1/7", "fn:1", "fn:1/6"]);
    (folder, pipe)
}

/// Ends of the edges, of which those that are dangling begin with "?".
fn live(pipe: &mut Pipe) -> Vec<String> {
    let listed = call!(pipe, "list", { "of": "edges" });
    let edges = listed["edges"].as_array().expect("edges").iter();
    let ends = edges.map(|edge| {
        let mark = if edge["dangling"] == true { "?" } else { "" };
        format!("{mark}{}", edge["target"].as_str().expect("an end"))
    });
    ends.collect()
}

/// Ends that a part of an answer names, sorted.
fn named(answer: &Json, part: &str, end: &str) -> Vec<String> {
    let edges = answer[part].as_array().into_iter().flatten();
    let ends = edges.map(|edge| edge[end].as_str().expect("an end").to_owned());
    let mut ends: Vec<String> = ends.collect();
    ends.sort();
    ends
}

/// Checks that an answer names these dangling ends and this intent, that the graph agrees, and so does undo.
fn check(pipe: &mut Pipe, edit: &Json, dangling: &[&str], intent: &[&str]) {
    let edited = call!(pipe, "apply_edits", { "edits": [edit] });
    assert_eq!(named(&edited, "dangling", "end"), dangling, "{edited}");
    assert_eq!(named(&edited, "intent", "end"), intent, "{edited}");
    let lost: Vec<String> = dangling.iter().map(|end| format!("?{end}")).collect();
    let mut shown = live(pipe);
    shown.retain(|end| end.starts_with('?'));
    shown.sort();
    assert_eq!(shown, lost);
    for end in intent {
        let near = call!(pipe, "get_neighbors", { "node": end });
        assert_eq!(near["node"]["dangling"], Json::Null, "{near}");
    }
    let undone = call!(pipe, "undo", {});
    assert_eq!(undone["dangling"], Json::Null, "{undone}");
    let mut all: Vec<&str> = dangling.iter().chain(intent).copied().collect();
    all.sort_unstable();
    assert_eq!(named(&undone, "intent", "end"), all, "{undone}");
}

fn graph(pipe: &mut Pipe) -> Json {
    call!(pipe, "get_function", { "function_id": 1 })
}

/// Gives the nodes of a graph other ids.
fn renumber(graph: &mut Json, ids: &BTreeMap<u64, u64>) {
    let change = |id: &mut Json| {
        if let Some(new) = id.as_u64().and_then(|old| ids.get(&old)) {
            *id = json!(new);
        }
    };
    for node in graph["nodes"].as_array_mut().expect("nodes") {
        change(&mut node["node_id"]);
        let parameters = node.get_mut("parameters").and_then(Json::as_object_mut);
        for (_, setting) in parameters.into_iter().flatten() {
            if let Some(source) = setting.get_mut("source") {
                change(&mut source["node_id"]);
            }
        }
    }
}

#[test]
fn a_new_function_does_not_take_the_knowledge_of_a_deleted_one() {
    let (_folder, mut pipe) = plate();
    let dangling = ["?fn:1/4", "?fn:1/7", "?fn:1", "?fn:1/6"];
    call!(pipe, "apply_edits", { "edits": [{ "delete_function": { "function_id": 1 } }] });
    assert_eq!(live(&mut pipe), dangling);
    let formula = "_0 var-x\n_1 var-y\n_2 add _0 _1\n";
    let imported = call!(pipe, "import", { "content": formula });
    assert_eq!(imported["functions"][0]["function_id"], 2, "{imported}");
    let made =
        call!(pipe, "create_function_from_expression", { "name": "Ball", "expression": BALL });
    assert_eq!(made["function_id"], 3, "{made}");
    let ball = json!({ "name": "Ball", "expression": BALL, "function_id": 1 });
    let bare =
        json!({ "function_id": 1, "name": "F", "outputs": [{ "name": "shape", "type": "float" }] });
    for (tool, arguments) in [
        ("create_function_from_expression", ball.clone()),
        (
            "apply_edits",
            json!({ "edits": [{ "create_function_from_expression": ball }] }),
        ),
        (
            "apply_edits",
            json!({ "edits": [{ "set_function": bare }] }),
        ),
        (
            "apply_edits",
            json!({ "edits": [{ "insert_function": { "name": "gyroid", "function_id": 1 } }] }),
        ),
        (
            "apply_edits",
            json!({ "edits": [{ "normalize_function": { "function_id": 3, "new_function_id": 1 } }] }),
        ),
    ] {
        let text = refused(&mut pipe, tool, arguments);
        assert_contains!(text => "tied_id");
        assert_contains!(text => "the knowledge at fn:1 (edges e3) is about a function that was deleted");
        assert_contains!(text => "omit function_id");
    }
    assert_eq!(live(&mut pipe), dangling);
    for _ in 0..3 {
        call!(pipe, "undo", {});
    }
    assert_eq!(live(&mut pipe), ["fn:1/4", "fn:1/7", "fn:1", "fn:1/6"]);
    // Nor in the batch that deletes the old one.
    let again = json!({ "create_function_from_expression": { "name": "B", "expression": BALL, "function_id": 1 } });
    let edits = json!([{ "delete_function": { "function_id": 1 } }, again]);
    assert_contains!(refused(&mut pipe, "apply_edits", json!({ "edits": edits })) => "tied_id");
    call!(pipe, "undo", { "redo": true });
    assert_eq!(live(&mut pipe), dangling);
    call!(pipe, "restore", { "revision": 2 });
    assert_eq!(live(&mut pipe), ["fn:1/4", "fn:1/7", "fn:1", "fn:1/6"]);
}

/// Ends that came with a file count as well.
#[test]
fn a_new_function_does_not_take_the_knowledge_of_a_file() {
    let (_folder, mut pipe) = super::tools::pipe();
    let file = json!({ "format": "fibula-graph", "version": 1, "nodes": [{ "id": "n1", "label": "k", "types": [] }],
        "edges": [{ "source": "n1", "target": "fn:1/3", "type": "tells" }] });
    call!(pipe, "import_graph", { "content": file.to_string() });
    let made =
        call!(pipe, "create_function_from_expression", { "name": "Ball", "expression": BALL });
    assert_eq!(made["function_id"], 2, "{made}");
    // Without the node to which it is tied, a function may have the id.
    let node = json!({ "node_type": "ConstantScalar", "parameters": { "value": { "value": 1 } } });
    let set = json!({ "function_id": 1, "name": "F", "nodes": [node, node, node, node] });
    call!(pipe, "apply_edits", { "edits": [{ "set_function": set }] });
    assert_eq!(live(&mut pipe), ["?fn:1/3"]);
}

#[test]
fn what_an_answer_calls_dangling_dangles() {
    let (_folder, mut pipe) = plate();
    // A node of another kind in its place keeps the knowledge.
    let replace = json!({ "function_id": 1, "node_id": 6, "node_type": "Length" });
    check(
        &mut pipe,
        &json!({ "replace_node": replace }),
        &[],
        &["fn:1", "fn:1/6"],
    );
    let set = |pipe: &mut Pipe, is_left: bool| {
        let mut other = graph(pipe);
        let nodes = other["nodes"].as_array_mut().expect("nodes");
        nodes.retain(|node| is_left || node["node_id"] != 4);
        for node in nodes {
            if node["node_id"] == 4 {
                *node = json!({ "node_id": 4, "node_type": "Sine", "parameters": { "A": { "value": 1 } } });
            } else if node["node_id"] == 5 {
                node["parameters"]["z"] = json!({ "value": 1 });
            }
        }
        json!({ "set_function": other })
    };
    let other = set(&mut pipe, true);
    check(&mut pipe, &other, &[], &["fn:1", "fn:1/4"]);
    let other = set(&mut pipe, false);
    check(&mut pipe, &other, &["fn:1/4"], &["fn:1"]);
    let ball = json!({ "name": "Ball", "function_id": 1, "expression": BALL });
    let ball = json!({ "create_function_from_expression": ball });
    check(&mut pipe, &ball, &["fn:1/4", "fn:1/6", "fn:1/7"], &["fn:1"]);

    let mut other = call!(pipe, "get_function_graph", { "function_id": 1 });
    let links = other["links"].as_array_mut().expect("links");
    links.retain(|link| link["from_node_id"] != 4);
    for node in other["nodes"].as_array_mut().expect("nodes") {
        if node["id"] == 4 {
            *node = json!({ "id": 4, "type": "Sine" });
        }
    }
    let graph = json!({ "nodes": other["nodes"], "links": other["links"] });
    let set = call!(pipe, "set_function_graph", { "function_id": 1, "graph": graph });
    assert_eq!(named(&set, "dangling", "end"), [""; 0], "{set}");
    assert_eq!(named(&set, "intent", "end"), ["fn:1", "fn:1/4"]);
    assert_eq!(live(&mut pipe), ["fn:1/4", "fn:1/7", "fn:1", "fn:1/6"]);
}

#[test]
fn knowledge_follows_nodes_that_take_each_others_ids() {
    let (_folder, mut pipe) = plate();
    call!(pipe, "add_edges", { "edges": [{ "source": "k4", "target": "fn:1/11", "type": "tells" }] });
    let before = graph(&mut pipe);
    // The calls of the box and the cylinder, and two constants with names.
    for (ids, ends, moved) in cases![
        [(6, 11), (11, 6)] => ["fn:1/4", "fn:1/7", "fn:1", "fn:1/11", "fn:1/6"], vec!["fn:1/11", "fn:1/6"];
        [(4, 7), (7, 4)] => ["fn:1/7", "fn:1/4", "fn:1", "fn:1/6", "fn:1/11"], vec!["fn:1/4", "fn:1/7"];
    ] {
        let mut other = before.clone();
        renumber(&mut other, &BTreeMap::from(ids));
        let set = call!(pipe, "apply_edits", { "edits": [{ "set_function": other }] });
        assert_eq!(live(&mut pipe), ends, "{set}");
        assert_eq!(named(&set, "moved", "to"), moved, "{set}");
        assert_eq!(named(&set, "intent", "end"), ["fn:1"], "{set}");
        assert_eq!(set["dangling"], Json::Null, "{set}");
        let undone = call!(pipe, "undo", {});
        assert_eq!(named(&undone, "moved", "from"), moved, "{undone}");
        assert_eq!(
            live(&mut pipe),
            ["fn:1/4", "fn:1/7", "fn:1", "fn:1/6", "fn:1/11"]
        );
    }
    // Another order, and other nodes that are alike, move nothing.
    let mut other = before;
    for ids in [vec![60, 90], vec![50]] {
        let nodes = other["nodes"].as_array_mut().expect("nodes");
        nodes.reverse();
        for id in ids {
            nodes.insert(
                0,
                json!({ "node_id": id, "node_type": "ConstantScalar", "parameters": { "value": { "value": 20 } } }),
            );
        }
        let set = call!(pipe, "apply_edits", { "edits": [{ "set_function": other }] });
        assert_eq!(set["moved"], Json::Null, "{set}");
        let edges = [3, 60, 90]
            .map(|id| json!({ "source": "k4", "target": format!("fn:1/{id}"), "type": "is" }));
        call!(pipe, "add_edges", { "edges": edges, "on_conflict": "skip" });
    }
    assert_eq!(live(&mut pipe)[5..], ["fn:1/3", "fn:1/60", "fn:1/90"]);
}

#[test]
fn knowledge_stays_with_a_constant_whose_name_gets_another_case() {
    let (_folder, mut pipe) = plate();
    let expression = PLATE.replace("wall", "Wall").replace("= 2", "= 3");
    let rebuilt = call!(pipe, "create_function_from_expression", {
        "function_id": 1, "name": "Plate", "expression": expression });
    assert_eq!(rebuilt["dangling"], Json::Null, "{rebuilt}");
    assert_eq!(live(&mut pipe), ["fn:1/4", "fn:1/7", "fn:1", "fn:1/6"]);
    let info = call!(pipe, "get_node_info", { "function_id": 1, "node_id": 4 });
    assert_fields!(info, { "display_name": "Wall" });
    // The very name comes first.
    let both = expression
        .replace("let hole", "let wall = 4; let hole")
        .replace("hole/2", "hole/wall");
    call!(pipe, "create_function_from_expression", { "function_id": 1, "name": "Plate", "expression": both });
    let info = call!(pipe, "get_node_info", { "function_id": 1, "node_id": 4 });
    assert_fields!(info, { "display_name": "Wall" });
    assert_eq!(live(&mut pipe)[0], "fn:1/4");
}

#[test]
fn relations_of_memory_end_at_functions() {
    let (_folder, mut pipe) = plate();
    let relation = |from: &str, to: &str| json!({ "relations": [{ "from": from, "to": to, "relationType": "cites" }] });
    for (from, to, made) in [
        (
            "k1",
            "fn:1#hole",
            json!([{ "from": "k1", "to": "fn:1/7", "relationType": "cites" }]),
        ),
        ("k1", "fn:Plate#Hole", json!([])),
        ("k1", "fn:1/7", json!([])),
        (
            "fn:Plate",
            "k1",
            json!([{ "from": "fn:1", "to": "k1", "relationType": "cites" }]),
        ),
        ("fn:1", "k1", json!([])),
    ] {
        let done = call!(pipe, "memory_create_relations", relation(from, to));
        assert_eq!(done["relations"], made, "{from} {to}");
    }
    let near = call!(pipe, "get_neighbors", { "node": "fn:1#hole" });
    assert_eq!(near["total"], 2, "{near}");
    // Related from either side, and marked once it is gone.
    let related = |pipe: &mut Pipe, request: &Json| {
        let params = json!({ "name": "memory_get_related", "arguments": request });
        let answer = pipe.ask("tools/call", &params);
        let text = answer["result"]["content"][0]["text"].as_str();
        let answer: Json = serde_json::from_str(text.expect("a text")).expect("JSON");
        let relations = answer["relations"].as_array().expect("relations").iter();
        let ends = relations.map(|relation| relation["target"].clone());
        ends.collect::<Vec<Json>>()
    };
    let hole = related(&mut pipe, &json!({ "entity": "fn:Plate#hole" }));
    assert_eq!(hole.len(), 2, "{hole:?}");
    let plate = related(&mut pipe, &json!({ "entity": "fn:Plate" }));
    assert_eq!(plate.len(), 6, "{plate:?}");
    let cited = json!({ "entity": "k1", "relationType": "cites" });
    let observed = |what: &str| json!([what]);
    let near = related(&mut pipe, &cited);
    assert_fields!(near[0], { "name": "fn:1/7", "entityType": "node", "observations": observed("node 7 (ConstantScalar 'hole') of function 1 'Plate'") });
    call!(pipe, "delete_node", { "function_id": 1, "node_id": 7 });
    let gone = related(&mut pipe, &cited);
    assert_fields!(gone[0], { "name": "fn:1/7", "observations": observed("no longer exists") });
    call!(pipe, "undo", {});
    for (to, told) in cases![
        "fn:1#nope" => "function 1 has no parameter 'nope'";
        "fn:9" => "function 9 is not in this project";
        "fn:1/99" => "function 1 has no node 99";
        "fn:Plat" => "no function has the name 'Plat'";
    ] {
        let params = json!({ "name": "memory_create_relations", "arguments": relation("k1", to) });
        let result = pipe.ask("tools/call", &params)["result"].clone();
        assert_eq!(result["isError"], true, "{result}");
        assert_contains!(result["content"][0]["text"].as_str().expect("a text") => told);
    }
    call!(
        pipe,
        "memory_delete_relations",
        relation("k1", "fn:Plate#hole")
    );
    call!(pipe, "memory_delete_relations", relation("fn:1", "k1"));
    assert_eq!(live(&mut pipe), ["fn:1/4", "fn:1/7", "fn:1", "fn:1/6"]);
}

#[test]
fn names_that_functions_share_are_warned_of_in_edits() {
    let (_folder, mut pipe) = plate();
    let create = |name: &str| json!({ "create_function_from_expression": { "name": name, "expression": BALL } });
    let rename = |name: &str| json!({ "rename_function": { "function_id": 2, "name": name } });
    let shared = |id: u32| {
        json!([format!(
            "function 1 has the same name: call function {id} as call({id}, ...) in expressions, or rename one"
        )])
    };
    let node_type = "the node type Length has the same name: call the function as `Length`(...) in expressions, including \
                     the back quotes";
    for (edit, warnings) in cases![
        create("Ball") => Json::Null;
        rename("Plate") => shared(2);
        rename("Length") => json!([node_type]);
        rename("Globe") => Json::Null;
        create("Plate") => shared(3);
        create("Globe") => Json::Null;
    ] {
        let edited = call!(pipe, "apply_edits", { "edits": [edit] });
        assert_eq!(edited["warnings"], warnings, "{edited}");
    }
}

/// Constants and inputs that have no effect any more, directly or through others, are told by who deletes their links.
#[test]
fn what_has_no_effect_any_more_is_told() {
    let mut pipe = Pipe::scratch(&[]);
    call!(pipe, "create_function_from_expression", { "name": "Rod", "arguments": [
        { "name": "pos", "type": "float3" }, { "name": "width", "type": "float", "default": 4 } ],
        "expression": "let high = 9; let low = 1; max(max(length(pos) - width / 2, abs(z) - high / 2), low - z)" });
    let tied = ["width", "high", "low"].map(
        |name| json!({ "source": "Load", "target": format!("fn:Rod#{name}"), "type": "sets" }),
    );
    call!(pipe, "add_nodes", { "nodes": [{ "label": "Load", "types": "requirement" }], "edges": tied });
    let edges = call!(pipe, "get_nodes", { "nodes": ["Load"] });
    let target = |edge: usize| {
        edges["nodes"][0]["outgoing"][edge]["id"]
            .as_str()
            .expect("an end")
            .to_owned()
    };
    let [width, high, low] = [0, 1, 2].map(target);
    let rod = call!(pipe, "get_function", { "function_id": "Rod" });
    let nodes = rod["nodes"].as_array().expect("nodes");
    let find = |is_it: &dyn Fn(&Json) -> bool| {
        let found = nodes.iter().find(|node| is_it(node));
        found.expect("a node")["node_id"].clone()
    };
    let source =
        |node: &Json, parameter: &str| node["parameters"][parameter]["source"]["node_id"].clone();
    let end = nodes.iter().find(|node| node["node_type"] == "End");
    let outer = source(end.expect("an end"), "shape");
    let inner = find(&|node| node["node_type"] == "Max" && node["node_id"] != outer);
    for (target, parameter, ends) in [
        (&inner, "A", vec![&width]),
        (&inner, "B", vec![&high]),
        (&outer, "B", vec![&low]),
        (&outer, "A", vec![&width, &high]),
    ] {
        let mut ends: Vec<String> = ends.into_iter().cloned().collect();
        ends.sort();
        let deleted = call!(pipe, "delete_link", { "function_id": "Rod", "dry_run": true,
            "target_node_id": target, "target_parameter_name": parameter });
        assert_eq!(named(&deleted, "intent", "end"), ends, "{deleted}");
    }
    let deleted =
        call!(pipe, "delete_node", { "function_id": "Rod", "node_id": inner, "dry_run": true });
    assert_eq!(named(&deleted, "intent", "end").len(), 2, "{deleted}");
}
