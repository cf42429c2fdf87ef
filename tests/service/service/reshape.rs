//! Larger changes of functions among the edits of `apply_edits`: what is answered, logged and refused.

use std::fmt::Write as _;

use fibula::edit::Edit;
use fibula::graph::FunctionId;
use fibula::service::{ApplyEdits, GetHistory, Service};
use serde_json::{Value as Json, json};

use super::{add, apply, graph, undo, value};

fn create(id: impl Into<Json>, kind: &str, parameters: &Json) -> Json {
    let id: Json = id.into();
    json!({ "create_node": { "node_id": id, "node_type": kind, "parameters": parameters } })
}

/// Source of a parameter.
fn from(id: impl Into<Json>, port: &str) -> Json {
    let id: Json = id.into();
    json!({ "source": { "node_id": id, "port": port } })
}

/// The link to an output.
fn end(id: impl Into<Json>, port: &str, output: &str) -> Json {
    let id: Json = id.into();
    json!({ "create_link": { "source_node_id": id, "source_port_name": port, "target_node_id": 0,
        "target_parameter_name": output } })
}

/// The node ids of a kind.
fn nodes(service: &Service, id: FunctionId, kind: &str) -> Vec<u64> {
    let graph = graph(service, id);
    let nodes = graph["nodes"].as_array().expect("nodes").iter();
    let fits = nodes.filter(|node| node["node_type"] == kind);
    fits.map(|node| node["node_id"].as_u64().expect("an id"))
        .collect()
}

fn labels(service: &Service) -> Vec<String> {
    let history = service.get_history(&GetHistory::default());
    let history = serde_json::to_value(history.expect("a history")).expect("JSON");
    let entries = history["entries"].as_array().expect("entries").iter();
    let label = |entry: &Json| entry["label"].as_str().expect("a label").to_owned();
    entries.map(label).collect()
}

#[test]
fn a_call_may_go_on_with_what_was_extracted() {
    let service = Service::default();
    let shell = "let d = length(pos) - radius; max(d, -d - 2)";
    let id = add(&service, "Shell", shell);
    let at = |id| value(&service, id, json!({ "pos": [0, 3, 4], "radius": 4 }));
    let before = at(id);
    let moved = nodes(&service, id, "Length");
    let moved: Vec<u64> = moved
        .into_iter()
        .chain(nodes(&service, id, "Subtraction"))
        .collect();
    let extracted = apply(
        &service,
        json!([
            { "extract_function": { "function_id": id, "node_ids": [moved[0], moved[1]], "name": "Ball",
                "new_function_id": "$ball", "call_node_id": "$call" } },
            { "rename_port": { "function_id": "$ball", "side": "output", "name": "result", "new_name": "shape" } },
            { "rename_node": { "function_id": id, "node_id": "$call", "display_name": "the ball" } },
            { "create_node": { "function_id": "$ball", "node_type": "Sine", "node_id": "$spare" } },
            { "extract_function": { "function_id": id, "node_ids": ["$call"], "name": "Outer" } },
            { "remove_unused_nodes": { "function_id": "$ball" } },
        ]),
    );
    insta::assert_json_snapshot!(extracted.expect("edits"));
    assert_eq!(at(id), before);
    let expected = "extract 'Ball' from function 1 and 5 more edits";
    assert_eq!(labels(&service)[0], expected);
    let inlined = apply(
        &service,
        json!([{ "inline_call": { "function_id": id, "node_id": nodes(&service, id, "FunctionCall")[0] } }]),
    );
    let inlined = inlined.expect("a call");
    assert_eq!(inlined["results"][0]["node_count"], 1);
    assert_eq!(labels(&service)[0], "inline call 10 in function 1");
    assert_eq!(at(id), before);
}

#[test]
fn the_log_has_what_changed_and_nothing_where_nothing_did() {
    let service = Service::default();
    let id = add(&service, "F", "sin(pos.x) * 2 + length(pos)");
    let mut events = service.events(None, None).expect("events");
    let mut edits = |edits: Json| {
        let applied = apply(&service, edits).expect("edits");
        let event = events.ready().expect("events");
        (applied, event.map(|event| event.edit.expect("facts")))
    };
    let (applied, edit) = edits(json!([{ "remove_unused_nodes": { "function_id": id } }]));
    assert_eq!((&applied["revision"], edit), (&json!(1), None));
    assert_eq!(applied["results"], json!([{ "index": 0, "node_count": 0 }]));
    let (applied, edit) = edits(json!([
        { "create_missing_constants": { "function_id": id } },
        { "remove_unused_nodes": { "function_id": id } },
    ]));
    assert_eq!((&applied["revision"], edit), (&json!(1), None));
    assert_eq!((edits(json!([])).1, labels(&service).len()), (None, 1));

    let moved =
        ["DecomposeVector", "Sine", "Multiplication"].map(|kind| nodes(&service, id, kind)[0]);
    let (_, edit) = edits(json!([
        { "extract_function": { "function_id": id, "node_ids": moved, "name": "Wave" } }]));
    let Some(Edit::Batch(facts)) = edit else {
        panic!("several edits: {edit:?}")
    };
    let facts: Vec<String> = facts.iter().map(Edit::summary).collect();
    insta::assert_snapshot!(facts.join("\n"));
}

#[test]
fn ids_of_resources_cross_the_border_as_literals() {
    let service = Service::default();
    let ball = add(&service, "Ball", "length(pos) - 5");
    let call = json!({ "functionID": from("$r", "value"), "pos": from(1, "pos") });
    let applied = apply(
        &service,
        json!([
            { "set_function": { "function_id": "$f", "name": "F", "inputs": [{ "name": "pos", "type": "float3" }],
                "outputs": [{ "name": "shape", "type": "float" }],
                "nodes": [{ "node_type": "Begin", "node_id": 1 }] } },
            create("$r", "Resource", &json!({ "resourceid": ball })),
            create("$one", "FunctionCall", &call),
            create("$two", "FunctionCall", &call),
            create("$sum", "Addition", &json!({ "A": from("$one", "shape"), "B": from("$two", "shape") })),
            end("$sum", "result", "shape"),
            { "extract_function": { "node_ids": ["$r", "$one"], "name": "G", "new_function_id": "$g" } },
        ]),
    );
    let applied = applied.expect("edits");
    let (f, g) = (FunctionId(2), FunctionId(3));
    assert_eq!(applied["ids"]["$g"], json!(g));
    let expected = json!({ "shape": 0.0 });
    assert_eq!(value(&service, f, json!({ "pos": [0, 3, 4] })), expected);
    // What another call takes the id from stays; the one that moved has the id itself.
    assert_eq!(nodes(&service, f, "Resource").len(), 1);
    assert_eq!(nodes(&service, g, "Resource").len(), 0);
    let inner = graph(&service, g);
    let call = inner["nodes"].as_array().expect("nodes").iter();
    let call = call
        .into_iter()
        .find(|node| node["node_type"] == "FunctionCall");
    let expected = json!({ "value": ball });
    assert_eq!(call.expect("a call")["parameters"]["functionID"], expected);
}

#[test]
fn what_is_unfinished_keeps_its_overloads() {
    let service = Service::default();
    let outputs = json!([{ "name": "shape", "type": "float" }]);
    let applied = apply(
        &service,
        json!([
            { "set_function": { "function_id": 1, "name": "Inner", "outputs": outputs } },
            create(2, "Addition", &json!({})),
            { "set_overload": { "node_id": 2, "overload": 1 } },
            create(3, "Length", &json!({ "A": from(2, "result") })),
            end(3, "result", "shape"),
            { "set_function": { "function_id": 2, "name": "Outer", "outputs": outputs } },
            create(4, "FunctionCall", &json!({ "functionID": 1 })),
            end(4, "shape", "shape"),
            { "inline_call": { "node_id": 4 } },
        ]),
    );
    applied.expect("edits");
    let overload = |id: u32| {
        let graph = graph(&service, FunctionId(id));
        let nodes = graph["nodes"].as_array().expect("nodes").clone();
        let mut nodes = nodes.into_iter();
        let sum = nodes.find(|node| node["node_type"] == "Addition");
        sum.map(|mut node| node["overload"].take())
    };
    assert_eq!(overload(2), Some(json!(1)));
    let moved = ["Addition", "Length"].map(|kind| nodes(&service, FunctionId(2), kind)[0]);
    let edit =
        json!({ "extract_function": { "function_id": 2, "node_ids": moved, "name": "Piece" } });
    apply(&service, json!([edit])).expect("the output needs them anyway");
    assert_eq!((overload(2), overload(3)), (None, Some(json!(1))));
}

#[test]
fn what_an_output_comes_to_need_is_looked_into() {
    let service = Service::default();
    let outputs = json!([{ "name": "one", "type": "float" }, { "name": "two", "type": "float" }]);
    let shape = json!([{ "name": "shape", "type": "float" }]);
    let set = |id: u32, outputs: &Json| {
        let function = json!({ "function_id": id, "name": "F", "outputs": outputs });
        json!({ "set_function": function })
    };
    let ball = json!({ "function_id": 3, "name": "Ball", "expression": "length(pos) - 5" });
    let applied = apply(
        &service,
        json!([
            set(1, &shape),
            set(2, &shape),
            create(1, "FunctionCall", &json!({ "functionID": 1 })),
            end(1, "shape", "shape"),
            { "create_function_from_expression": ball },
            set(4, &outputs),
            create(1, "FunctionCall", &json!({ "functionID": 2 })),
            create(2, "Sine", &json!({ "A": 1 })),
            end(1, "shape", "one"),
            end(2, "result", "two"),
            set(5, &outputs),
            create(1, "FunctionGradient", &json!({ "functionID": 3, "pos": [0, 3, 4] })),
            create(2, "Sine", &json!({ "A": 1 })),
            end(1, "magnitude", "one"),
            end(2, "result", "two"),
        ]),
    );
    applied.expect("edits");
    let extract = |id: u32| {
        let extract = json!({ "function_id": id, "node_ids": [1, 2], "name": "Piece" });
        apply(&service, json!([{ "extract_function": extract }]))
    };
    let doubtful = |id: u32, expected: &str| {
        let refused = extract(id).expect_err("the other output does not need it");
        let text = format!("the output two does not depend on {expected}, which may be incomplete");
        assert_contains!(refused => &text);
    };
    // What is missing is two calls away.
    doubtful(4, "node 1 (FunctionCall)");
    // Whether the gradient has its output and its input is not known.
    doubtful(5, "node 1 (FunctionGradient)");
    let value = json!({ "function_id": 1, "node_id": 0, "parameter_name": "shape", "value": 7 });
    apply(&service, json!([{ "set_parameter_value": value }])).expect("a value");
    extract(4).expect("nothing is missing");
}

#[test]
fn constants_are_created_for_what_is_missing() {
    let service = Service::default();
    let id = add(&service, "F", "length(pos) - 5");
    let applied = apply(
        &service,
        json!([
            { "create_node": { "function_id": id, "node_id": 20, "node_type": "MatrixVectorMultiplication",
                "position": [500, 40] } },
            { "create_node": { "node_id": 21, "node_type": "Subtraction", "parameters": { "B": 3 } } },
            { "create_node": { "node_id": 22, "node_type": "SignedDistanceToMesh" } },
            { "create_missing_constants": { "node_id": 21 } },
            { "create_missing_constants": {} },
            { "create_missing_constants": {} },
        ]),
    );
    insta::assert_json_snapshot!(applied.expect("edits")["results"]);
    let parts = graph(&service, id);
    let parts = parts["nodes"].as_array().expect("nodes").iter();
    let made = parts.filter(|node| node["display_name"].is_string());
    let made = made.map(|node| json!([node["node_type"], node["display_name"], node["position"]]));
    insta::assert_json_snapshot!(made.collect::<Vec<_>>());
    let expected = "create missing constants in function 1 and 5 more edits";
    assert_eq!(labels(&service)[0], expected);
}

#[test]
fn fields_are_normalized() {
    let service = Service::default();
    let field = "shape = 3 * length(pos) - 15; twice = length(pos) * 2";
    let id = add(&service, "Field", field);
    let applied = apply(
        &service,
        json!([
            { "normalize_function": { "function_id": id, "new_function_id": "$n" } },
            { "normalize_function": { "function_id": id, "name": "Other", "output": "twice", "new_function_id": 9 } },
        ]),
    );
    let applied = applied.expect("edits");
    assert_eq!(applied["ids"], json!({ "$n": 2 }));
    assert_eq!(applied["results"][1]["function_id"], 9);
    let close = |id: u32, expected: [f64; 2]| {
        let values = value(&service, FunctionId(id), json!({ "pos": [0, 6, 8] }));
        for (name, expected) in ["shape", "twice"].into_iter().zip(expected) {
            let found = values[name].as_f64().expect("a number");
            // Central differences of the width 0.001.
            assert!((found - expected).abs() < 1e-6, "{id} {name}: {found}");
        }
    };
    close(2, [5.0, 20.0]);
    close(9, [15.0, 10.0]);
    assert_eq!(graph(&service, FunctionId(2))["name"], "Field_normalized");
    let long = "F".repeat(250);
    let id = add(&service, &long, "length(pos)");
    let edit = json!([{ "normalize_function": { "function_id": id } }]);
    apply(&service, edit).expect("a name is cut");
    let graph = graph(&service, FunctionId(4));
    assert_eq!(graph["name"], format!("{}_normalized", "F".repeat(245)));
}

#[test]
fn refusals_say_what_is_true_and_what_to_do() {
    let service = Service::default();
    add(&service, "F", "let a = sin(x); let b = cos(a); a * 2 + b");
    add(&service, "G", "shape = F(pos); other = F(pos) + 1");
    let applied = apply(
        &service,
        json!([
            { "set_function": { "function_id": 3, "name": "Default", "inputs": [{ "name": "range", "type": "float" }],
                "outputs": [{ "name": "shape", "type": "float" }, { "name": "none", "type": "float" }],
                "nodes": [{ "node_type": "Begin", "node_id": 1 }, { "node_type": "ConstantScalar", "node_id": 2,
                    "parameters": { "value": { "source": { "node_id": 1, "port": "range" } } } },
                { "node_type": "End", "parameters": { "shape": { "source": { "node_id": 2, "port": "value" } } } }] } },
            { "set_function": { "function_id": 4, "name": "Caller",
                "outputs": [{ "name": "one", "type": "float" }, { "name": "two", "type": "float" }] } },
            create(1, "FunctionCall", &json!({ "functionID": 3 })),
            create(2, "FunctionCall", &json!({ "functionID": 3, "range": 1 })),
            create(3, "FunctionCall", &json!({})),
            create(4, "Sine", &json!({})),
            create(5, "Sine", &json!({ "A": 1 })),
            end(4, "result", "one"),
            end(5, "result", "two"),
            create(6, "Sine", &json!({ "A": from(2, "none") })),
            { "add_image_function": { "resource_id": 7, "image": { "name": "Picture", "image": 8, "scale": 1.0,
                "offset": 0.0, "filter": "linear", "tiles": ["wrap", "wrap", "wrap"] } } },
            create(7, "FunctionCall", &json!({ "functionID": 7 })),
        ]),
    );
    applied.expect("edits");
    let mut text = String::new();
    for edit in [
        json!({ "extract_function": { "function_id": 1, "node_ids": [2, 4], "name": "P" } }),
        json!({ "extract_function": { "function_id": 1, "node_ids": [3, 7], "name": "P" } }),
        json!({ "extract_function": { "function_id": 1, "node_ids": [0, 2], "name": "P" } }),
        json!({ "extract_function": { "function_id": 1, "node_ids": [1, 2], "name": "P" } }),
        json!({ "extract_function": { "function_id": 1, "node_ids": [99], "name": "P" } }),
        json!({ "extract_function": { "function_id": 1, "node_ids": [], "name": "P" } }),
        json!({ "extract_function": { "function_id": 1, "node_ids": [2], "name": "" } }),
        json!({ "extract_function": { "function_id": 1, "node_ids": [2], "name": "P", "new_function_id": 2 } }),
        json!({ "extract_function": { "function_id": 1, "node_ids": [2], "name": "P", "call_node_id": 3 } }),
        json!({ "extract_function": { "function_id": 1, "node_ids": [2], "name": "P", "new_function_id": "$p",
            "call_node_id": "$p" } }),
        json!({ "extract_function": { "function_id": 1, "nodes": [2], "name": "P" } }),
        json!({ "extract_function": { "function_id": 4, "node_ids": [4, 5], "name": "P" } }),
        json!({ "extract_function": { "function_id": 4, "node_ids": [6], "name": "P" } }),
        json!({ "extract_function": { "function_id": 1, "node_ids": vec![2; 20_001], "name": "" } }),
        json!({ "extract_function": { "function_id": 1, "node_ids": (2..20_003).collect::<Vec<u32>>(), "name": "P" } }),
        json!({ "inline_call": { "function_id": 1, "node_id": 2 } }),
        json!({ "inline_call": { "function_id": 4, "node_id": 1 } }),
        json!({ "inline_call": { "function_id": 4, "node_id": 2 } }),
        json!({ "inline_call": { "function_id": 4, "node_id": 3 } }),
        json!({ "inline_call": { "function_id": 4, "node_id": 7 } }),
        json!({ "inline_call": { "function_id": 4 } }),
        json!({ "remove_unused_nodes": { "function_id": 12 } }),
        json!({ "remove_unused_nodes": { "function_id": 1, "node_id": 2 } }),
        json!({ "create_missing_constants": { "function_id": 1, "node_id": 77 } }),
        json!({ "normalize_function": { "function_id": 2, "input": "x" } }),
        json!({ "normalize_function": { "function_id": 2, "name": "", "new_function_id": 9 } }),
        json!({ "normalize_function": { "function_id": 2, "new_function_id": 1 } }),
        json!({ "normalize_function": { "function_id": 2, "output": "shade" } }),
        json!({ "normalize_function": { "function_id": 4 } }),
        json!({ "extract": { "function_id": 4 } }),
    ] {
        let mut asked = edit.to_string();
        asked.truncate(140);
        let said = match apply(&service, json!([edit])) {
            Ok(applied) => applied.to_string(),
            Err(refusal) => refusal,
        };
        let _ = writeln!(text, "{asked}\n  {said}\n");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn much_is_done_a_part_at_a_time() {
    let service = Service::default();
    let id = add(&service, "F", "sin(x)");
    let many = |count: usize| {
        let edit = json!({ "create_node": { "function_id": id, "node_type": "Sine", "parameters": { "A": 1 } } });
        apply(&service, vec![edit; count].into()).expect("nodes");
    };
    many(20_000);
    many(10);
    let edit = json!({ "create_missing_constants": { "function_id": id } });
    let refused = apply(&service, vec![edit; 160].into()).expect_err("it is too much");
    assert_starts!(refused => "too_large: edit 149 (create missing constants in function 1): the edits of this call");
    let edit = json!([{ "remove_unused_nodes": { "function_id": id } }]);
    let removed = apply(&service, edit).expect("they go");
    let result = &removed["results"][0];
    let shown = result["node_ids"].as_array().map(Vec::len);
    assert_eq!(result["node_count"], 20_000);
    assert_eq!((&result["left"], shown), (&json!(10), Some(50)));
    let total = || graph(&service, id)["total"].as_u64();
    assert_eq!(total(), Some(14));
    undo(&service);
    assert_eq!(total(), Some(20_014));
}

#[test]
fn a_function_has_no_more_ports_than_it_may() {
    let service = Service::default();
    let id = add(&service, "F", "0");
    let mut edits = Vec::new();
    for number in 0..1_001_u32 {
        let (scalar, sum) = (2 * number + 10, 2 * number + 11);
        edits.push(json!({ "create_node": { "function_id": id, "node_type": "ConstantScalar", "node_id": scalar } }));
        edits.push(
            json!({ "create_node": { "node_type": "Addition", "node_id": sum, "parameters": {
            "A": { "source": { "node_id": scalar, "port": "value" } }, "B": 1 } } }),
        );
    }
    // Something has to take what is extracted.
    edits.push(
        json!({ "create_node": { "node_type": "Sine", "parameters": {
        "A": { "source": { "node_id": 11, "port": "result" } } } } }),
    );
    apply(&service, edits.into()).expect("nodes");
    let chosen: Vec<u64> = (0..1_001).map(|number| 2 * number + 11).collect();
    let extract = |node_ids: &[u64]| {
        let edit =
            json!({ "extract_function": { "function_id": id, "node_ids": node_ids, "name": "P" } });
        apply(&service, json!([edit]))
    };
    let refused = extract(&chosen).expect_err("it has too many inputs");
    let expected = "each side of a function is limited to 1000 ports";
    assert_contains!(refused => expected);
    let extracted = extract(&chosen[..1_000]).expect("there is room");
    let inputs = extracted["results"][0]["inputs"].as_array();
    let inputs = inputs.expect("inputs").iter();
    let names: Vec<&str> = inputs.filter_map(|input| input["name"].as_str()).collect();
    assert_eq!(names.len(), 1_000);
    assert_eq!([names[0], names[999]], ["value", "value_1000"]);
}

#[test]
fn larger_changes_take_long() {
    let quick = |edit: Json| with_defaults!(ApplyEdits, edits: vec![edit]).is_quick();
    assert!(!quick(
        json!({ "inline_call": { "function_id": 1, "node_id": 2 } })
    ));
    assert!(!quick(
        json!({ "op": "remove_unused_nodes", "function_id": 1 })
    ));
    assert!(quick(
        json!({ "delete_node": { "function_id": 1, "node_id": 2 } })
    ));
}
