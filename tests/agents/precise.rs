//! Answers that say what was meant, before the work and in the words of the request.

use serde_json::{Value as Json, json};

use crate::agent::Agent;

fn ball(pipe: &mut Agent, name: &str, expression: &str) {
    call!(pipe, "create_function_from_expression", { "name": name, "expression": expression });
}

/// A name that is no figure is refused before anything is measured: this plane has no end.
#[test]
fn unknown_figures_are_refused_before_the_work() {
    let mut pipe = Agent::scratch(&[]);
    ball(&mut pipe, "Plane", "z");
    ball(&mut pipe, "Ball", "length(pos) - 4");
    for (arguments, expected) in [
        (
            json!({ "function_id": "Plane", "figures": ["volum"] }),
            "there is no figure 'volum'; did you mean volume?",
        ),
        (
            json!({ "function_id": "Plane", "figures": ["weight"] }),
            "the figures are ",
        ),
        (
            json!({ "function_id": "Plane", "to": { "function_id": "Ball" }, "figures": ["volume"] }),
            "there is no figure 'volume'; did you mean volumes?",
        ),
        (
            json!({ "function_id": "Plane", "each": true, "figures": ["volum"] }),
            "did you mean volume?",
        ),
        (
            json!({ "function_id": "Plane", "figures": ["mass"], "density": 1 }),
            "unbounded",
        ),
    ] {
        let refused = pipe.call("measure", &arguments);
        let text = refused
            .as_ref()
            .map_or_else(Clone::clone, ToString::to_string);
        assert!(text.contains(expected), "{arguments}: {text}");
    }
    let refused = refusal!(pipe, "create_function_from_expression",
        { "name": "Other", "expression": "z", "measure": { "figures": ["volum"] } });
    assert!(refused.contains("did you mean volume?"), "{refused}");
    let listed = call!(pipe, "list_functions", {});
    assert_eq!(listed["total"], 2, "nothing was created: {listed}");
}

/// Edges that end only at nodes of a function are found from the function.
#[test]
fn a_function_is_reached_through_its_nodes() {
    let mut pipe = Agent::scratch(&[]);
    ball(
        &mut pipe,
        "Plate",
        "let wall = 2; let hole = 5; max(length(pos) - wall, z - hole)",
    );
    call!(pipe, "add_nodes", { "nodes": [
        { "label": "stiff", "types": "requirement" },
        { "label": "customer", "types": "person" },
    ], "edges": [
        { "source": "stiff", "target": "fn:Plate#wall", "type": "constrains" },
        { "source": "customer", "target": "stiff", "type": "asks" },
        { "source": "customer", "target": "fn:Plate#hole", "type": "measured" },
    ] });
    let labels = |path: &Json| -> Vec<String> {
        let nodes = path["nodes"].as_array().expect("nodes").iter();
        let name = |node: &Json| {
            node["label"]
                .as_str()
                .or(node["id"].as_str())
                .map(str::to_owned)
        };
        nodes.filter_map(name).collect()
    };
    let found = call!(pipe, "find_path", { "source": "stiff", "target": "fn:1" });
    assert_eq!(found["found"], true, "{found}");
    let wall = labels(&found["paths"][0]);
    assert_eq!(wall.len(), 2, "{wall:?}");
    assert_eq!(
        wall[1],
        "node 3 (ConstantScalar 'wall') of function 1 'Plate'"
    );
    let back = call!(pipe, "find_path", { "source": "fn:Plate", "target": "customer", "count": 5 });
    let lengths: Vec<usize> = back["paths"]
        .as_array()
        .expect("paths")
        .iter()
        .map(|path| labels(path).len())
        .collect();
    assert!(lengths.is_sorted() && lengths.len() == 2, "{back}");
    let near = call!(pipe, "get_neighbors", { "node": "fn:1" });
    assert_eq!(near["total"], 2, "{near}");
    let walked = call!(pipe, "traverse", { "start": "fn:Plate",
        "path": [{ "relation_type": "constrains", "direction": "incoming" }] });
    assert_eq!(walked["total"], 1, "{walked}");
    let refused = refusal!(pipe, "find_path", { "source": "stiff", "target": "fn:7" });
    assert_starts!(refused => "unknown_node");
}

/// Constants that a limit excludes are reported when they are set, and when the text that has them is read.
#[test]
fn values_beyond_a_limit_are_reported() {
    let mut pipe = Agent::scratch(&[]);
    call!(pipe, "create_function_from_expression", { "name": "Body", "expression": "length(pos) - r",
        "arguments": [{ "name": "pos", "type": "float3" },
            { "name": "r", "type": "float", "default": 5, "min": 1, "max": 10, "unit": "mm" }] });
    ball(&mut pipe, "Use", "let wall = 4; Body(pos, r = wall)");
    let set = |pipe: &mut Agent, value: f64| {
        call!(pipe, "set_parameter_value",
            { "function": "Use", "parameter": "wall", "value": value })
    };
    assert!(set(&mut pipe, 6.0).get("warnings").is_none());
    let why = "Body.r: 50 is above the maximum 10 mm";
    assert_eq!(set(&mut pipe, 50.0)["warnings"], json!([why]));
    let read = json!({ "function_id": "Use", "format": "expression" });
    let shown = call!(pipe, "get_function", &read);
    assert_eq!(shown["warnings"], json!([why]), "{shown}");
    let again = json!({ "name": "Again", "expression": shown["expression"] });
    let refused = refusal!(pipe, "create_function_from_expression", &again);
    assert!(refused.contains(why), "{refused}");
    // A narrower limit has the same effect.
    set(&mut pipe, 6.0);
    call!(pipe, "apply_edits", { "edits": [{ "retype_port": { "function_id": "Body", "side": "input",
        "name": "r", "type": "float", "default": 2, "min": 1, "max": 3 } }] });
    let shown = call!(pipe, "get_function", &read);
    assert_eq!(
        shown["warnings"],
        json!(["Body.r: 6 is above the maximum 3 mm"])
    );
    set(&mut pipe, 2.5);
    let shown = call!(pipe, "get_function", &read);
    let again = json!({ "name": "Again", "expression": shown["expression"] });
    call!(pipe, "create_function_from_expression", &again);
}

/// Named arguments that a function lacks are suggested by name, and keep their meaning.
#[test]
fn named_arguments_are_suggested_by_name() {
    let mut pipe = Agent::scratch(&[]);
    for (text, expected) in [
        (
            "cylinder(pos, r = 5)",
            "cylinder has no argument 'r'; write: cylinder(pos, radius = 5)",
        ),
        (
            "cylinder(pos, h = 5, r = 2)",
            "write: cylinder(pos, radius = 2, height = 5)",
        ),
        (
            "sphere(pos, diameter = 3)",
            "write: sphere(pos, radius = 1.5)",
        ),
        (
            "sphere(center = vec3(1, 2, 3), radius = 5)",
            "write: sphere(pos - vec3(1, 2, 3), radius = 5)",
        ),
        (
            "box(rotate(pos, axis = vec3(1, 0, 0), angle = 30deg), size = vec3(4, 2, 1))",
            "write: box(rotate(pos, axis = vec3(1, 0, 0), angle = 30 * pi / 180), size = vec3(4, 2, 1))",
        ),
        (
            "gyroid(pos, cell_size = 5)",
            "write: gyroid(pos, period = 5)",
        ),
        ("sphere(pos, radus = 3)", "did you mean radius?"),
    ] {
        let request = json!({ "name": "F", "expression": text });
        let refused = refusal!(pipe, "create_function_from_expression", &request);
        assert!(refused.contains(expected), "{text}: {refused}");
        if let Some((_, rewrite)) = expected.split_once("write: ") {
            let again = json!({ "name": "F", "expression": rewrite, "dry_run": true });
            call!(pipe, "create_function_from_expression", &again);
        }
    }
}

/// Names of values in other languages are no inputs.
#[test]
fn foreign_values_are_no_inputs() {
    let mut pipe = Agent::scratch(&[]);
    for text in [
        "None",
        "length(pos) - inf",
        "min(length(pos) - 5, INFINITY)",
        "undef + x",
    ] {
        let request = json!({ "name": "F", "expression": text });
        let refused = refusal!(pipe, "create_function_from_expression", &request);
        assert!(refused.contains("is no value"), "{text}: {refused}");
    }
    let named = json!({ "name": "F", "expression": "x - inf", "arguments": [
        { "name": "x", "type": "float" }, { "name": "inf", "type": "float" }] });
    call!(pipe, "create_function_from_expression", &named);
}

/// Names of arguments that other servers have lead to those here.
#[test]
fn arguments_of_other_names_are_understood_as_suggestions() {
    let mut pipe = Agent::scratch(&[]);
    ball(&mut pipe, "Ball", "length(pos) - 4");
    for (tool, arguments, expected) in [
        (
            "evaluate",
            json!({ "function_id": 1, "points": [[0, 0, 0]] }),
            "`points` is unknown, did you mean `arguments`?",
        ),
        (
            "create_node",
            json!({ "function_id": 1, "type": "Sine" }),
            "`type` is unknown, did you mean `node_type`?",
        ),
        (
            "create_link",
            json!({ "function_id": 1, "from": 3, "to": 0 }),
            "did you mean `source_node_id`?",
        ),
        (
            "create_node",
            json!({ "function_id": 1, "node_type": "Sine", "parameters": { "A": { "node_id": 1, "port": "pos" } } }),
            "a link is {\"source\": {\"node_id\": 1, \"port\": \"result\"}}",
        ),
        (
            "create_node",
            json!({ "function_id": 1, "node_type": "Sphere" }),
            "the library has sphere",
        ),
    ] {
        let refused = refusal!(pipe, tool, &arguments);
        assert!(refused.contains(expected), "{tool}: {refused}");
    }
    for (tool, arguments, expected) in [
        (
            "search_nodes",
            json!({ "query": "wall" }),
            "add_nodes adds some",
        ),
        (
            "list_node_types",
            json!({ "search": "smoothUnion" }),
            "the library has smooth_union",
        ),
    ] {
        let empty = call!(pipe, tool, &arguments);
        let next = empty["next"].as_str().unwrap_or_else(|| panic!("{empty}"));
        assert!(next.contains(expected), "{tool}: {next}");
    }
}

/// Other names of arguments are accepted, and not called unknown beside others that are.
#[test]
fn parameters_are_set_and_listed_by_other_names_of_arguments() {
    let mut pipe = Agent::scratch(&["--toolsets", "function,project-extra"]);
    call!(pipe, "create_function_from_expression",
        { "name": "Ball", "expression": "let r = 5; let gap = 5; length(pos) - r - gap" });
    let set = json!({ "function": "Ball", "parameters": { "r": 4, "gap": 1 } });
    assert_eq!(
        call!(pipe, "set_parameter_value", &set)["previous"],
        json!({ "r": 5.0, "gap": 5.0 })
    );
    let listed = call!(pipe, "list_parameters", { "function": "Ball" });
    let listed = listed["parameters"].as_array().expect("parameters").iter();
    let listed: Vec<Json> = listed
        .map(|one| json!([one["name"], one["value"]]))
        .collect();
    assert_eq!(listed, [json!(["r", 4.0]), json!(["gap", 1.0])]);
    let refused =
        refusal!(pipe, "set_parameter_value", { "function": "Ball", "parameter": "r", "valu": 4 });
    assert!(refused.contains("`valu` is unknown"), "{refused}");
    assert!(!refused.contains("`function`"), "{refused}");
}

/// An unknown tool is answered with one that is there, an edit, or the toolset that has it.
#[test]
fn unknown_tools_lead_to_those_that_are_there() {
    let mut pipe = Agent::scratch(&[]);
    let mut memory = Agent::scratch(&["--toolsets", "memory"]);
    for (name, expected) in [
        (
            "create_sphere",
            "did you mean create_function_from_expression?",
        ),
        ("overview", "did you mean summarize?"),
        (
            "list_parameters",
            "list_parameters is in the toolset project-extra, which is not offered here; try get_function or \
             summarize",
        ),
        ("get_parameters", "did you mean get_function?"),
        ("create_entities", "did you mean add_nodes?"),
        ("findPath", "did you mean find_path?"),
        ("create_relations", "did you mean add_edges?"),
        ("add_observations", "did you mean update?"),
        ("thickness", "did you mean measure?"),
        ("why", "did you mean evaluate?"),
        ("delete_function", "it is an edit: apply_edits"),
        (
            "delete_project",
            "the toolset project-extra, which is not offered here",
        ),
        (
            "merge_nodes",
            "the toolset knowledge-extra, which is not offered here",
        ),
    ] {
        let refused = pipe.call(name, &json!({})).expect_err(name);
        assert!(refused.contains(expected), "{name}: {refused}");
        let other = memory.call(name, &json!({}));
        let names_other = other.is_err_and(|text| text.contains("apply_edits"));
        assert!(!names_other, "{name}: a tool that is not there");
    }
}
