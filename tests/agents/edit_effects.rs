//! Effects of edits, and parts that are made, drawn and measured in one call.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value as Json, json};

use crate::agent::Agent;

/// A plate with two parameters, a function that calls it, a level set of that and a build item.
fn plate() -> Agent {
    let mut pipe = Agent::scratch(&[]);
    let plate = "let thickness = 8; let hole = 3; let size = vec3(80, 40, 1);
                 max(length(pos) - size.x - thickness, hole - length(pos.xy))";
    let plate = plate.replace("length(pos.xy)", "length(vec3(pos.x, pos.y, 0))");
    call!(pipe, "create_function_from_expression", { "name": "Plate", "expression": plate });
    call!(pipe, "create_function_from_expression", { "name": "Part", "expression": "Plate(pos) + 0" });
    call!(pipe, "apply_edits", { "edits": [
        { "create_level_set": { "function_id": "Part", "name": "Foot",
            "bounds": [[-90, -90, -90], [90, 90, 90]] } },
    ] });
    pipe
}

fn lines<'a>(answer: &'a Json, key: &str) -> Vec<&'a str> {
    let lines = answer[key].as_array();
    let lines = lines.into_iter().flatten();
    lines.map(|line| line.as_str().expect("a text")).collect()
}

#[test]
fn a_value_is_answered_with_the_one_before_and_what_follows() {
    let mut pipe = plate();
    let set = call!(pipe, "set_parameter_value",
        { "function": "Plate", "parameter": "thickness", "value": 10 });
    assert_eq!(
        (&set["previous"], &set["value"]),
        (&json!(8.0), &json!(10.0))
    );
    let affected = lines(&set, "affects");
    assert_eq!(affected.len(), 3, "{set}");
    assert_eq!(affected[0], "function 2 'Part'");
    assert!(affected[1].ends_with("'Foot'"), "{set}");
    assert!(affected[2].starts_with("build item"), "{set}");
    // A parameter of a node.
    let node = call!(pipe, "create_node",
        { "function_id": "Part", "node_type": "Addition", "parameters": { "A": 1 } });
    let node = &node["node_id"];
    let set = call!(pipe, "set_parameter_value",
        { "function_id": "Part", "node_id": node, "parameter_name": "A", "value": 2 });
    assert_eq!(
        (&set["previous"], &set["value"]),
        (&json!(1.0), &json!(2.0))
    );
}

/// A constant that no output needs changes nothing; metadata and knowledge that change are told.
#[test]
fn changes_are_told_as_they_are() {
    let mut pipe = plate();
    let done = call!(pipe, "apply_edits", { "edits": [
        { "create_node": { "function_id": "Part", "node_type": "ConstantScalar", "display_name": "spare" } },
        { "create_node": { "node_type": "Addition" } },
        { "set_metadata": { "name": "Title", "value": "Foot" } } ] });
    assert!(
        lines(&done, "changed").contains(&"metadata Title: unset -> 'Foot'"),
        "{done}"
    );
    assert!(done.get("affects").is_none(), "{done}");
    let next = done["next"].as_str().expect("a next step");
    for part in [
        "set value of node ",
        "; link or set A, B of node ",
        " of function 2",
    ] {
        assert!(next.contains(part), "{done}");
    }
    let set = call!(pipe, "set_parameter_value", { "function": "Part", "parameter": "spare", "value": 3 });
    assert!(set.get("affects").is_none(), "{set}");
    call!(pipe, "add_nodes", { "nodes": [{ "label": "Load", "types": "requirement" }],
        "edges": [{ "source": "Load", "target": "fn:2", "type": "constrains" }] });
    let undone = call!(pipe, "undo", {});
    assert_eq!(
        lines(&undone, "changed"),
        ["knowledge graph: 1 -> 0 nodes, 1 -> 0 edges"]
    );
}

/// A difference of distances is told whatever makes it, and wherever the function is shown.
#[test]
fn differences_of_distances_are_told_by_every_edit() {
    let mut pipe = Agent::scratch(&[]);
    let expression = "union(sphere(pos, 8), box(pos, vec3(4, 4, 4)))";
    let made = call!(pipe, "create_function_from_expression", { "name": "Part", "expression": expression });
    assert!(made.get("warnings").is_none(), "{made}");
    let shown = call!(pipe, "get_function", { "function_id": "Part", "format": "graph" });
    let nodes = shown["nodes"].as_array().expect("nodes").iter();
    let calls = nodes.filter(|node| node["node_type"] == "FunctionCall");
    let calls: Vec<&Json> = calls.map(|node| &node["node_id"]).collect();
    let minus = call!(pipe, "create_node", { "function_id": "Part", "node_type": "Subtraction" });
    let link = |from: &Json, port: &str, to: &Json, parameter: &str| {
        json!({ "function_id": "Part", "source_node_id": from, "source_port_name": port,
            "target_node_id": to, "target_parameter_name": parameter, "replace": true })
    };
    let minus = &minus["node_id"];
    call!(pipe, "create_link", &link(calls[0], "shape", minus, "A"));
    call!(pipe, "create_link", &link(calls[1], "shape", minus, "B"));
    let linked = call!(
        pipe,
        "create_link",
        &link(minus, "result", &json!(0), "shape")
    );
    let told = "subtracts two distances";
    for answer in [
        linked,
        call!(pipe, "get_function", { "function_id": "Part", "format": "expression" }),
        call!(pipe, "summarize", {}),
    ] {
        assert!(answer.to_string().contains(told), "{answer}");
    }
}

/// The function of a removed node has its knowledge told, and inputs that change are named.
#[test]
fn removed_nodes_and_changed_inputs_are_told() {
    let mut pipe = plate();
    call!(pipe, "add_nodes", { "nodes": [{ "label": "Load", "types": "requirement" }],
        "edges": [{ "source": "Load", "target": "fn:Plate", "type": "constrains" },
                  { "source": "Load", "target": "fn:Plate#hole", "type": "sets" }] });
    let listed = call!(pipe, "get_function", { "function_id": "Plate" });
    let parameters = listed["parameters"].as_array().expect("parameters").iter();
    let mut hole = parameters.filter(|one| one["name"] == "hole");
    let hole = hole.next().expect("a hole")["node_id"].clone();
    let deleted = call!(pipe, "delete_node", { "function_id": "Plate", "node_id": hole });
    assert_eq!(
        deleted["dangling"][0]["end"],
        format!("fn:1/{hole}"),
        "{deleted}"
    );
    assert_eq!(deleted["intent"][0]["end"], "fn:1", "{deleted}");
    let added = call!(pipe, "apply_edits", { "edits": [
        { "add_port": { "function_id": "Part", "side": "input", "name": "off", "type": "float", "default": 1 } } ] });
    assert!(
        lines(&added, "changed")[0].contains("input off: float = 1"),
        "{added}"
    );
    let retyped = call!(pipe, "apply_edits", { "edits": [
        { "retype_port": { "function_id": "Part", "side": "input", "name": "off", "default": 2 } } ] });
    let changed = lines(&retyped, "changed")[0];
    assert!(
        changed.contains("input off: float = 1") && changed.contains("is now off: float = 2"),
        "{retyped}"
    );
}

/// Whatever edit leaves a level set without a value is told so.
#[test]
fn level_sets_that_cannot_be_evaluated_are_told() {
    let mut pipe = plate();
    let added = call!(pipe, "apply_edits", { "edits": [
        { "add_port": { "function_id": "Plate", "side": "input", "name": "twist", "type": "float" } } ] });
    let warnings = lines(&added, "warnings");
    assert_eq!(warnings.len(), 1, "{added}");
    assert!(
        warnings[0].contains("'Foot' cannot be evaluated: "),
        "{added}"
    );
    assert!(warnings[0].contains("twist"), "{added}");
    call!(pipe, "undo", {});
    let cut = call!(pipe, "apply_edits", { "edits": [
        { "set_parameter_value": { "function": "Plate", "parameter": "thickness", "value": 30 } } ] });
    assert!(
        lines(&cut, "warnings")[0].contains("cut its shape"),
        "{cut}"
    );
}

#[test]
fn several_values_are_set_in_one_call_or_none() {
    let mut pipe = plate();
    let several = json!({ "function": "Plate", "values": { "thickness": 9, "hole": 4 } });
    let set = call!(pipe, "set_parameter_value", &several);
    assert_eq!(set["previous"], json!({ "thickness": 8.0, "hole": 3.0 }));
    assert_eq!(set["value"], json!({ "thickness": 9.0, "hole": 4.0 }));
    let undone = call!(pipe, "undo", {});
    let changed = lines(&undone, "changed");
    assert_eq!(changed.len(), 1, "{undone}");
    for part in [
        "function 1 'Plate': modified",
        "thickness",
        "9.0 -> 8.0",
        "4.0 -> 3.0",
    ] {
        assert!(changed[0].contains(part), "{undone}");
    }
    assert_eq!(lines(&undone, "affects").len(), 3, "{undone}");
    for (arguments, expected) in cases![
        json!({ "function": "Plate", "values": { "thickness": 9, "hol": 4 } }) => "did you mean hole?; none of the values was set";
        json!({ "function": "Plate", "values": {} }) => "values is empty";
        json!({ "function": "Plate", "values": { "hole": 1, "Hole": 2 } }) => "is given twice";
        json!({ "function": "Plate", "parameter": "hole", "values": { "hole": 1 } }) => "do not apply";
        json!({ "function": "Plate", "parameter": "hole" }) => "parameter_name and value are needed";
    ] {
        let refused = refusal!(pipe, "set_parameter_value", &arguments);
        assert!(refused.contains(expected), "{arguments}: {refused}");
    }
    let again = call!(pipe, "apply_edits", { "edits": [
        { "set_parameter_value": { "function": "Plate", "values": { "thickness": 7, "hole": 2 } } } ] });
    let changed = lines(&again, "changed");
    assert!(changed[0].contains("8.0 -> 7.0"), "{again}");
    assert!(changed[0].contains("3.0 -> 2.0"), "{again}");
}

#[test]
fn edits_answer_what_they_changed() {
    let mut pipe = plate();
    let plate = "let thickness = 8; let wall = 3;
                 max(length(pos) - 20 - thickness, wall - length(vec3(pos.x, pos.y, 0)))";
    let made = call!(pipe, "create_function_from_expression",
        { "name": "Plate", "function_id": 1, "expression": plate });
    let changed = lines(&made, "changed");
    assert_eq!(changed.len(), 1, "{made}");
    for part in [
        "function 1 'Plate': added ",
        "; removed ",
        "wall 12 (hole before)",
    ] {
        assert!(changed[0].contains(part), "{made}");
    }
    assert_eq!(lines(&made, "affects").len(), 3, "{made}");
    // A new function has changed nothing else.
    let made = call!(pipe, "create_function_from_expression",
        { "name": "Other", "expression": "length(pos) - 5" });
    assert!(
        made.get("changed").is_none() && made.get("affects").is_none(),
        "{made}"
    );
    let id = &made["function_id"];
    let done = call!(pipe, "apply_edits", { "edits": [
        { "create_node": { "function_id": id, "node_type": "Sine", "display_name": "unused" } } ] });
    let changed = lines(&done, "changed");
    assert!(changed[0].contains("'Other': added unused "), "{done}");
    assert!(done.get("affects").is_none(), "{done}");
    // A name and a position are no value.
    let renamed = call!(pipe, "apply_edits", { "edits": [
        { "rename_function": { "function_id": 1, "name": "Base" } } ] });
    assert_eq!(
        lines(&renamed, "changed"),
        ["function 1 'Base': renamed from 'Plate'"]
    );
    assert!(renamed.get("affects").is_none(), "{renamed}");
    let removed =
        call!(pipe, "apply_edits", { "edits": [{ "delete_function": { "function_id": id } }] });
    assert!(
        lines(&removed, "changed")[0].ends_with("'Other' removed"),
        "{removed}"
    );
}

/// The picture and the JSON of an answer.
fn pictured(pipe: &mut Agent, arguments: &Json) -> (Vec<u8>, Json) {
    let call = json!({ "name": "create_function_from_expression", "arguments": arguments });
    let answer = pipe.ask("tools/call", &call);
    let result = &answer["result"];
    assert!(result.get("structuredContent").is_none(), "{result}");
    let image = &result["content"][0];
    assert_fields!(image, { "type": "image", "mimeType": "image/png" }, "{result}");
    let png = BASE64.decode(image["data"].as_str().expect("a text"));
    let text = result["content"][1]["text"].as_str().expect("a text");
    (
        png.expect("base64"),
        serde_json::from_str(text).expect("JSON"),
    )
}

#[test]
fn a_part_is_made_drawn_and_measured_in_one_call() {
    let mut pipe = Agent::scratch(&[]);
    let ball = json!({ "name": "Ball", "expression": "let radius = 5; length(pos) - radius",
        "render": { "view": "front", "size": [60, 50] },
        "measure": { "figures": ["volume", "mass"], "density": 1.24, "cell": 0.5 } });
    let (png, made) = pictured(&mut pipe, &ball);
    assert!(png.starts_with(b"\x89PNG"));
    assert_fields!(made, { "function_id": 1, "unit": "millimeter", "bounds": [[-5.0, -5.0, -5.0], [5.0, 5.0, 5.0]] });
    assert!(
        made.get("picture").is_none() && made.get("failed").is_none(),
        "{made}"
    );
    let volume = made["figures"]["volume"]["value"]
        .as_f64()
        .expect("a number");
    assert!((volume - 523.6).abs() < 5.0, "{made}");
    assert_eq!(
        made["figures"].as_object().map(serde_json::Map::len),
        Some(2),
        "{made}"
    );
    // The figures alone have `structuredContent`; a list of figures is enough.
    let figures = json!({ "name": "Ball", "expression": "length(pos) - 4", "measure": ["bounds"] });
    let made = call!(pipe, "create_function_from_expression", &figures);
    let low = made["figures"]["bounds"]["value"][0][0].as_f64();
    assert!((low.expect("a number") + 4.0).abs() < 0.01, "{made}");

    // What cannot be measured is made nevertheless, and this is said.
    let unbounded = json!({ "name": "Gyroid", "expression": "gyroid(pos, 10, 1)",
        "render": true, "measure": {} });
    let made = call!(pipe, "create_function_from_expression", &unbounded);
    let failed: Vec<&str> = lines(&made, "failed");
    assert_eq!(failed.len(), 2, "{made}");
    assert!(failed[0].starts_with("render: unbounded_shape"), "{made}");
    assert!(failed[1].starts_with("measure: unbounded_shape"), "{made}");
    let listed = call!(pipe, "list_functions", { "search": "Gyroid" });
    assert!(listed["total"].as_u64() >= Some(1), "{listed}");

    // Options that cannot be are refused before anything is made.
    let before = call!(pipe, "list_functions", {})["total"].clone();
    for (options, expected) in cases![
        json!({ "render": { "veiw": "top" } }) => "unknown field `veiw`";
        json!({ "render": { "view": "sheet", "zoom": 2 } }) => "a sheet has four views";
        json!({ "render": { "function_id": 1 } }) => "'function_id' does not apply";
        json!({ "render": 5 }) => "render must be an object, not 5";
        json!({ "measure": { "figures": ["mass"] } }) => "only with a density";
        json!({ "measure": { "cel": 1 } }) => "unknown field `cel`";
        json!({ "measure": {}, "dry_run": true }) => "a dry run creates no function";
    ] {
        let mut arguments = options;
        arguments["name"] = json!("Ball");
        arguments["expression"] = json!("length(pos) - 5");
        let refused = refusal!(pipe, "create_function_from_expression", &arguments);
        assert!(refused.contains(expected), "{arguments}: {refused}");
    }
    assert_eq!(call!(pipe, "list_functions", {})["total"], before);
}

/// The tools for single nodes and links answer what changed and what follows, as `apply_edits` does.
#[test]
fn edits_of_nodes_and_links_answer_what_follows() {
    let mut pipe = Agent::scratch(&[]);
    call!(pipe, "create_function_from_expression",
        { "name": "Leaf", "expression": "let edge = 8; box(pos, vec3(edge, edge, edge))", "function_id": 1 });
    call!(pipe, "create_function_from_expression", { "name": "Top", "expression": "Leaf(pos)", "function_id": 2 });
    call!(pipe, "apply_edits", { "edits": [{ "create_level_set":
        { "function_id": 2, "bounds": [[-6, -6, -6], [6, 6, 6]], "name": "Part", "alias": "$part" } }] });
    let is_cut = |answer: &Json| {
        let warnings = lines(answer, "warnings");
        warnings
            .iter()
            .any(|text| text.contains("'Part' cut its shape at x = -6 (min) over"))
    };
    let follows = json!(["function 2 'Top'", "level set 4 'Part'", "build item 1"]);
    let leaf = call!(pipe, "get_function", { "function_id": 1 });
    let nodes = leaf["nodes"].as_array().expect("nodes");
    let node = |kind: &str| {
        let mut own = nodes.iter().filter(|node| node["node_type"] == kind);
        own.next().expect("a node")["node_id"].clone()
    };
    let (vector, call) = (node("ComposeVector"), node("FunctionCall"));
    let target =
        json!({ "function_id": 1, "target_node_id": call, "target_parameter_name": "size" });
    let deleted = call!(pipe, "delete_link", &target);
    let told = deleted["changed"][0].as_str().expect("a line").to_owned();
    assert!(told.starts_with("function 1 'Leaf': modified "), "{told}");
    assert!(
        told.contains(&format!(
            "(size: {vector}.result -> [20.0,20.0,20.0] (default))"
        )),
        "{told}"
    );
    assert_eq!(deleted["affects"], follows, "{deleted}");
    assert!(is_cut(&deleted), "{deleted}");
    let mut link = target.clone();
    (link["source_node_id"], link["source_port_name"]) = (vector.clone(), json!("result"));
    link["dry_run"] = json!(true);
    for dry_run in [true, false] {
        link["dry_run"] = json!(dry_run);
        let linked = call!(pipe, "create_link", &link);
        let told = linked["changed"][0].as_str().expect("a line");
        assert!(
            told.contains(&format!(
                "(size: [20.0,20.0,20.0] (default) -> {vector}.result)"
            )),
            "{told}"
        );
        assert_eq!(linked["affects"], follows, "{linked}");
        assert!(!is_cut(&linked), "{linked}");
    }
    // The other way round, the link makes the part larger.
    let undone = call!(pipe, "undo", { "dry_run": true });
    assert!(is_cut(&undone), "{undone}");
    // A node that nothing needs changes no value.
    let made = call!(pipe, "create_node", { "function_id": 1, "node_type": "Sine" });
    let idle_node = made["node_id"].clone();
    assert_eq!(
        made["changed"][0],
        format!("function 1 'Leaf': added Sine {idle_node}")
    );
    assert!(made.get("affects").is_none(), "{made}");
    let idle = json!({ "function_id": 1, "source_node_id": node("ConstantScalar"), "source_port_name": "value",
        "target_node_id": idle_node, "target_parameter_name": "A" });
    let linked = call!(pipe, "create_link", &idle);
    assert!(linked.get("affects").is_none(), "{linked}");
    let deleted = call!(pipe, "delete_node", { "function_id": 1, "node_id": idle_node });
    assert_eq!(
        deleted["changed"][0],
        format!("function 1 'Leaf': removed Sine {idle_node}")
    );
    assert!(deleted.get("affects").is_none(), "{deleted}");
    let deleted = call!(pipe, "delete_node", { "function_id": 1, "node_id": vector });
    let told = deleted["changed"][0].as_str().expect("a line");
    assert!(
        told.contains(&format!("removed ComposeVector {vector}; modified ")),
        "{told}"
    );
    assert!(told.contains("-> [20.0,20.0,20.0] (default)"), "{told}");
    assert_eq!(deleted["affects"], follows, "{deleted}");
    assert!(is_cut(&deleted), "{deleted}");
    // The same in a batch.
    let batch = call!(pipe, "undo", {});
    assert_eq!(batch["affects"], follows, "{batch}");
    assert!(!is_cut(&batch), "{batch}");
    let batch =
        call!(pipe, "apply_edits", { "edits": [{ "delete_link": target }], "dry_run": true });
    assert!(
        batch["changed"][0]
            .as_str()
            .expect("a line")
            .contains("[20.0,20.0,20.0] (default)"),
        "{batch}"
    );
    assert_eq!(batch["affects"], follows, "{batch}");
}

/// What follows is told by outputs, and by the calls that leave an input to its default.
#[test]
fn only_what_uses_a_changed_output_or_default_follows() {
    let mut pipe = Agent::scratch(&[]);
    let leaf = "let tint = 0.5; shape = length(pos) - width; color = vec3(tint, 0, 0)";
    let width = json!([{ "name": "pos", "type": "float3" }, { "name": "width", "type": "float", "default": 3 }]);
    for (name, expression, arguments) in [
        ("Leaf", leaf, width),
        ("Solid", "Leaf(pos).shape", Json::Null),
        ("Wide", "Leaf(pos, width = 5).shape", Json::Null),
        ("Paint", "Leaf(pos).color", Json::Null),
    ] {
        call!(pipe, "create_function_from_expression",
            { "name": name, "expression": expression, "arguments": arguments });
    }
    call!(pipe, "apply_edits", { "edits": [{ "create_level_set":
        { "function_id": "Leaf", "channel": "shape", "bounds": [[-4, -4, -4], [4, 4, 4]], "name": "Part" } }] });
    let set = |pipe: &mut Agent, parameter: &str, value: f64| {
        let set = call!(pipe, "set_parameter_value",
            { "function": "Leaf", "parameter": parameter, "value": value });
        let undone = call!(pipe, "undo", {});
        assert_eq!(set["affects"], undone["affects"], "{undone}");
        set["affects"].clone()
    };
    assert_eq!(set(&mut pipe, "tint", 1.0), json!(["function 4 'Paint'"]));
    assert_eq!(
        set(&mut pipe, "width", 2.0),
        json!(["function 2 'Solid'", "level set 6 'Part'", "build item 1"])
    );
}

#[test]
fn clients_are_not_promised_structured_content_where_pictures_may_come() {
    let mut pipe = Agent::scratch(&[]);
    let listed = pipe.ask("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().expect("a list");
    let without = tools
        .iter()
        .filter(|tool| tool.get("outputSchema").is_none());
    let without: Vec<&str> = without.filter_map(|tool| tool["name"].as_str()).collect();
    assert!(
        without.contains(&"create_function_from_expression"),
        "{without:?}"
    );
    assert!(!without.contains(&"apply_edits"), "{without:?}");
}

/// A caller that an edit of what it calls leaves without a value is told, whatever the edit; and the build, if lengths have
/// another unit.
#[test]
fn callers_that_cannot_be_evaluated_are_told() {
    let told = |answer: &Json| {
        lines(answer, "warnings")
            .iter()
            .any(|line| line.starts_with("function 2 'Caller' cannot be evaluated: "))
    };
    let pipe = || {
        let mut pipe = Agent::scratch(&[]);
        call!(pipe, "create_function_from_expression", { "name": "Ball", "expression": "length(pos) - 5" });
        call!(pipe, "create_function_from_expression", { "name": "Caller", "expression": "Ball(pos) + 1" });
        pipe
    };
    let mut agent = pipe();
    let port = json!({ "add_port": { "function": "Ball", "side": "input", "name": "r", "type": "float" } });
    let added = call!(agent, "apply_edits", { "edits": [port] });
    assert!(told(&added), "{added}");
    let undone = call!(agent, "undo", {});
    assert!(!told(&undone), "{undone}");
    // However many callers there are.
    for name in ["C3", "C4", "C5", "C6", "C7", "C8"] {
        call!(agent, "create_function_from_expression", { "name": name, "expression": "Ball(pos)" });
    }
    let port = json!({ "add_port": { "function": "Ball", "side": "input", "name": "r", "type": "float" } });
    let added = call!(agent, "apply_edits", { "edits": [port] });
    let warned = lines(&added, "warnings");
    assert_eq!(warned.len(), 6, "{added}");
    assert_contains!(warned[5] => "2 more inputs of callers are neither set nor linked");
    call!(agent, "undo", {});
    // And named where it keeps an edit from being made.
    let outputs =
        json!({ "name": "Ball", "function_id": 1, "expression": "dist = length(pos) - 5" });
    let refused = refusal!(agent, "create_function_from_expression", outputs);
    assert_contains!(refused => "shape of node 2 (FunctionCall) of function 2 (Caller) is in use");

    let mut agent = pipe();
    let rebuilt = call!(agent, "create_function_from_expression",
        { "name": "Ball", "function_id": 1, "expression": "length(pos) - r" });
    assert!(told(&rebuilt), "{rebuilt}");
    let rebuilt = call!(agent, "create_function_from_expression",
        { "name": "Ball", "function_id": 1, "expression": "length(pos) - 6" });
    assert!(!told(&rebuilt), "{rebuilt}");

    // What lacked a value before is no effect of a value.
    let mut agent = pipe();
    let rebuilt =
        json!({ "name": "Ball", "function_id": 1, "expression": "let r = 6; length(pos) - r" });
    call!(agent, "create_function_from_expression", rebuilt);
    call!(agent, "create_function_from_expression", { "name": "Inner", "function_id": 2, "expression": "Ball(pos)" });
    let sine =
        call!(agent, "create_node", { "function_id": 2, "node_type": "Sine" })["node_id"].clone();
    call!(agent, "create_link", { "function_id": 2, "source_node_id": sine, "source_port_name": "result",
        "target_node_id": 0, "target_parameter_name": "shape", "replace": true });
    let set =
        call!(agent, "set_parameter_value", { "function": "Ball", "parameter": "r", "value": 7 });
    assert_eq!(lines(&set, "warnings"), Vec::<&str>::new(), "{set}");

    let mut agent = pipe();
    let graph = call!(agent, "get_function", { "function_id": 1 });
    let nodes = graph["nodes"].as_array().expect("nodes").iter();
    let mut length = nodes.filter(|node| node["node_type"] == "Length");
    let length = length.next().expect("a length")["node_id"].clone();
    let deleted = call!(agent, "delete_node", { "function_id": 1, "node_id": length });
    assert!(told(&deleted), "{deleted}");

    call!(agent, "apply_edits", { "edits": [
        { "set_mesh": { "bounds": [[0, 0, 0], [1, 1, 1]], "alias": "$block" } },
        { "create_build_item": { "object_id": "$block" } },
    ] });
    let unit = call!(agent, "apply_edits", { "edits": [{ "set_unit": { "unit": "inch" } }] });
    assert_eq!(lines(&unit, "affects"), ["build item 1"], "{unit}");
}
