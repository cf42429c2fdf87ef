//! Parameters of functions, and why a value is what it is, as agents meet them.

use serde_json::{Value as Json, json};

use crate::agent::Agent;

/// A mounting plate of three functions: a hole, a body that is called with named arguments, and the part.
fn plate() -> Agent {
    let mut pipe = Agent::scratch(&[]);
    for (name, expression) in [
        (
            "Hole",
            "let depth = 30; cylinder(pos - vec3(at, 0, 0), hole, depth)",
        ),
        ("Body", "box(pos, vec3(80, 40, thickness))"),
        (
            "Plate",
            "let thickness = 8; let cell = 8; let hole = 3;
             difference(Body(pos, thickness = thickness), Hole(at = 30, pos = pos, hole = hole)) + cell*0",
        ),
    ] {
        call!(pipe, "create_function_from_expression", { "name": name, "expression": expression });
    }
    pipe
}

/// The names and values of a function's parameters.
fn parameters(pipe: &mut Agent, function: &str) -> Json {
    let shown = call!(pipe, "get_function", { "function_id": function, "format": "expression" });
    let list = shown["parameters"].as_array().cloned().unwrap_or_default();
    let pair = |parameter: Json| json!([parameter["name"], parameter["value"]]);
    list.into_iter().map(pair).collect()
}

/// Equal constants keep their names apart, are set alone, and survive that the function is printed and made anew.
#[test]
fn parameters_keep_their_names() {
    let mut pipe = plate();
    let before = json!([["thickness", 8.0], ["hole", 3.0], ["cell", 8.0]]);
    assert_eq!(parameters(&mut pipe, "Plate"), before);
    let set = call!(pipe, "set_parameter_value",
        { "function": "Plate", "parameter": "thickness", "value": 10 });
    assert_eq!(set["previous"], 8.0);
    let after = json!([["thickness", 10.0], ["hole", 3.0], ["cell", 8.0]]);
    assert_eq!(parameters(&mut pipe, "Plate"), after);
    let top = json!({ "function_id": "Plate", "arguments": { "pos": [0, 0, 5] } });
    assert_eq!(call!(pipe, "evaluate", &top)["values"]["shape"], 0.0);

    let text = call!(pipe, "get_function", { "function_id": "Plate", "format": "expression" });
    let made = call!(pipe, "create_function_from_expression",
        { "function_id": "Plate", "name": "Plate", "expression": text["expression"] });
    assert_eq!(made["function_id"], text["function_id"]);
    assert_eq!(parameters(&mut pipe, "Plate"), after);
    let done = call!(pipe, "apply_edits", { "edits": [
        { "set_parameter_value": { "function": "Plate", "parameter": "hole", "value": 4 } },
        { "set_parameter_value": { "parameter": "cell", "value": 6 } },
        { "set_parameter_value": { "function_id": "Hole", "parameter_name": "depth", "value": 50 } },
    ] });
    assert_eq!(done["applied"], 3);
    let last = json!([["thickness", 10.0], ["hole", 4.0], ["cell", 6.0]]);
    assert_eq!(parameters(&mut pipe, "Plate"), last);
    assert_eq!(parameters(&mut pipe, "Hole"), json!([["depth", 50.0]]));
}

/// A name is looked up in the state that is read, an alias works under both keys, and two functions are refused.
#[test]
fn a_name_is_that_of_a_function_in_the_state_that_is_read() {
    let mut pipe = plate();
    let before = call!(pipe, "get_function", { "function_id": "plate" });
    let id = &before["function_id"];
    call!(pipe, "apply_edits", { "edits": [{ "delete_function": { "function": "Plate" } }] });
    let refused = refusal!(pipe, "get_function", { "function_id": "Plate" });
    assert_starts!(refused => "unknown_function");
    let old = json!({ "function_id": "Plate", "revision": before["revision"] });
    assert_eq!(call!(pipe, "get_function", &old)["function_id"], *id);
    call!(pipe, "apply_edits", { "edits": [
        { "set_function": { "function_id": "$f", "name": "F", "outputs": [] } },
        { "create_node": { "function": "$f", "node_type": "Sine" } },
    ] });
    let both = json!({ "function_id": 1, "function": "Body", "parameter": "depth", "value": 1 });
    assert_starts!(refusal!(pipe, "set_parameter_value", &both) => "invalid_arguments");
}

/// Whatever `get_function` answers can be sent back as `set_function`, with many named constants, too.
#[test]
fn a_function_with_many_parameters_comes_back() {
    let mut pipe = Agent::scratch(&[]);
    let lets: Vec<String> = (0..60).map(|i| format!("let p{i} = {i};")).collect();
    let sum: Vec<String> = (0..60).map(|i| format!("p{i}")).collect();
    let expression = format!("{} {}", lets.concat(), sum.join(" + "));
    call!(pipe, "create_function_from_expression", { "name": "Sum", "expression": expression });
    let summary = call!(pipe, "summarize", {});
    let function = &summary["contents"]["functions"][0];
    let shown = function["parameters"]
        .as_object()
        .expect("parameters")
        .len();
    assert_eq!(
        shown as u64 + function["more_parameters"].as_u64().expect("a number"),
        60
    );
    let function = call!(pipe, "get_function", { "function_id": "Sum", "limit": 1000 });
    assert_eq!(function["more_parameters"], 10);
    call!(pipe, "apply_edits", { "edits": [{ "set_function": function }] });
}

/// Defaults of inputs are listed and set as named constants are, several at once, too.
#[test]
fn defaults_of_inputs_are_parameters() {
    let mut pipe = Agent::scratch(&["--toolsets", "project,function,knowledge,project-extra"]);
    call!(pipe, "create_function_from_expression", {
        "name": "Can", "expression": "let wall = 2; shell(cylinder(pos, radius, height), wall)",
        "arguments": [{ "name": "pos", "type": "float3" }, { "name": "radius", "type": "float", "default": 10 },
            { "name": "height", "type": "float", "default": 30 }],
    });
    let listed = call!(pipe, "list_parameters", { "function": "Can" });
    let own = listed["parameters"].as_array().expect("a list").iter();
    let own: Vec<Json> = own
        .map(|parameter| json!([parameter["name"], parameter["value"], parameter["input"]]))
        .collect();
    let expected = [
        json!(["wall", 2.0, null]),
        json!(["radius", 10.0, true]),
        json!(["height", 30.0, true]),
    ];
    assert_eq!(own, expected);
    let set = call!(pipe, "set_parameter_value",
        { "function": "Can", "values": { "radius": 12, "height": 40, "wall": 3 } });
    assert_eq!(
        set["previous"],
        json!({ "radius": 10.0, "height": 30.0, "wall": 2.0 })
    );
    assert_eq!(
        set["value"],
        json!({ "radius": 12.0, "height": 40.0, "wall": 3.0 })
    );
    let twice = json!({ "function": "Can", "values": { "radius": 1, "Radius": 2 } });
    assert_starts!(refusal!(pipe, "set_parameter_value", &twice) => "invalid_arguments: 'radius' is given twice");
}

/// Ends of the edges at the node "fit".
fn ends(pipe: &mut Agent) -> Vec<String> {
    let node = call!(pipe, "get_neighbors", { "node": "fit" });
    let neighbors = node["neighbors"].as_array().expect("neighbors").iter();
    let text = |one: &Json| {
        let gone = if one["dangling"] == true { " gone" } else { "" };
        format!("{}{gone}", one["id"].as_str().expect("an id"))
    };
    neighbors.map(text).collect()
}

/// Knowledge of an input stays with it whatever it is called, and when it becomes a constant and an input again.
#[test]
fn knowledge_is_tied_to_inputs() {
    let mut pipe = Agent::scratch(&["--toolsets", "project,function,knowledge,project-extra"]);
    let make = |pipe: &mut Agent, expression: &str| -> Json {
        let radius =
            json!({ "name": "radius", "type": "float", "default": 10, "unit": "mm", "min": 1 });
        let inputs = [json!({ "name": "pos", "type": "float3" }), radius];
        let inputs = &inputs[..2 - usize::from(expression.contains("let radius"))];
        let mut request = json!({ "name": "Ball", "arguments": inputs, "expression": expression });
        if call!(pipe, "list_functions", {})["total"] == 1 {
            request["function_id"] = json!("Ball");
        }
        call!(pipe, "create_function_from_expression", &request)
    };
    make(&mut pipe, "length(pos) - radius");
    let shown = &call!(pipe, "list_parameters", {})["parameters"][0];
    assert_eq!(
        json!([shown["unit"], shown["min"], shown["max"]]),
        json!(["mm", 1.0, null])
    );
    call!(pipe, "add_nodes", { "nodes": [{ "id": "fit", "label": "Fits the cup holder", "types": "requirement" }],
        "edges": [{ "source": "fit", "target": "fn:Ball#Radius", "type": "limits" }] });
    assert_eq!(ends(&mut pipe), ["fn:1#radius"]);
    assert_eq!(
        call!(pipe, "get_neighbors", { "node": "fn:Ball" })["neighbors"][0]["id"],
        "fit"
    );

    let set = call!(pipe, "set_parameter_value", { "function": "Ball", "parameter": "radius", "value": 12 });
    assert_eq!(set["intent"][0]["end"], "fn:1#radius", "{set}");
    let moved = |answer: &Json| json!([answer["moved"][0]["from"], answer["moved"][0]["to"]]);
    let rename = |to: &str, from: &str| {
        json!({ "edits": [{ "rename_port":
        { "function_id": "Ball", "side": "input", "name": from, "new_name": to } }] })
    };
    let renamed = call!(pipe, "apply_edits", &rename("r", "radius"));
    assert_eq!(moved(&renamed), json!(["fn:1#radius", "fn:1#r"]));
    let undone = call!(pipe, "undo", {});
    assert_eq!(moved(&undone), json!(["fn:1#r", "fn:1#radius"]));

    let built = make(&mut pipe, "let radius = 8; length(pos) - radius");
    let constant = ends(&mut pipe).remove(0);
    assert_eq!(moved(&built), json!(["fn:1#radius", constant]));
    assert!(constant.starts_with("fn:1/"), "{constant}");
    let built = make(&mut pipe, "length(pos) - radius");
    assert_eq!(moved(&built), json!([constant, "fn:1#radius"]));

    // The name decides, not what has the id of the constant now.
    for expression in [
        "let radius = 8; length(pos) - radius",
        "let gap = 8; length(pos) - gap - radius",
    ] {
        make(&mut pipe, expression);
    }
    assert_eq!(ends(&mut pipe), ["fn:1#radius"]);
    call!(pipe, "apply_edits", &rename("r", "Radius"));
    assert_eq!(ends(&mut pipe), ["fn:1#r"]);
    call!(pipe, "undo", {});
    for shown in [
        call!(pipe, "get_function", { "function_id": "Ball" }),
        call!(pipe, "get_node_info", { "function_id": "Ball", "node_id": 1 }),
    ] {
        assert_eq!(shown["intent"][0]["end"], "fn:1#radius", "{shown}");
    }
    let built = call!(pipe, "create_function_from_expression", { "name": "Ball", "function_id": "Ball",
        "expression": "length(pos) - 5" });
    assert_eq!(built["dangling"][0]["end"], "fn:1#radius", "{built}");
    assert_eq!(ends(&mut pipe), ["fn:1#radius gone"]);
    let edge = json!({ "edges": [{ "source": "fit", "target": "fn:1#radius", "type": "sets" }] });
    assert_starts!(refusal!(pipe, "add_edges", &edge) => "unknown_parameter: edges[0]: function 1 has no parameter 'radius'");
    let built = make(&mut pipe, "length(pos) - radius");
    assert_eq!(built["intent"][0]["end"], "fn:1#radius", "{built}");
}

/// A number that is written as a sum or quotient is a parameter, and one that is computed from another is none.
#[test]
fn computed_numbers_are_parameters() {
    let mut pipe = Agent::scratch(&[]);
    call!(pipe, "create_function_from_expression", { "name": "Ball",
        "expression": "let wall = 5/2; let turn = -30*pi/180; let half = wall/2; abs(length(pos) - 10 - 1/3) - half + turn*0" });
    let listed = call!(pipe, "get_function", { "function_id": "Ball", "format": "expression" });
    let own = listed["parameters"].as_array().expect("parameters").iter();
    let own: Vec<Json> = own.map(|one| json!([one["name"], one["value"]])).collect();
    let turn = -30.0 * std::f64::consts::PI / 180.0;
    assert_eq!(own, [json!(["wall", 2.5]), json!(["turn", turn])]);
    let text = listed["expression"].as_str().expect("a text");
    assert!(
        text.contains("let wall = 2.5") && text.contains("- 1/3"),
        "{text}"
    );
}

/// A `let` that nothing uses makes no parameter, and the answer says so.
/// Names of components and constants stay, too.
#[test]
fn parameters_with_names_of_components_come_back() {
    let mut pipe = Agent::scratch(&[]);
    let expression =
        "let z = 2; let pi = 7; max(length(pos) - pi, pos.z - z) + pos.x * 3.141592653589793";
    call!(pipe, "create_function_from_expression", { "name": "Part", "expression": expression });
    let shown = call!(pipe, "get_function", { "function_id": "Part", "format": "expression" });
    let text = shown["expression"].as_str().expect("a text").to_owned();
    assert!(
        text.contains("let z = 2") && text.contains("let pi = 7"),
        "{text}"
    );
    let value = |pipe: &mut Agent| {
        let evaluated =
            call!(pipe, "evaluate", { "function_id": "Part", "arguments": { "pos": [1, 2, 30] } });
        evaluated["values"].clone()
    };
    let before = value(&mut pipe);
    call!(pipe, "create_function_from_expression",
        { "name": "Part", "function_id": "Part", "expression": text });
    assert_eq!(value(&mut pipe), before);
    call!(pipe, "set_parameter_value", { "function": "Part", "parameter": "z", "value": 3 });
}

#[test]
fn names_without_a_use_are_warned_of() {
    let mut pipe = Agent::scratch(&[]);
    let request =
        json!({ "name": "Ball", "expression": "let wall = 2; let cell = 8; length(pos) - wall" });
    let expected = json!(["nothing uses 'cell', so the function has no parameter of this name"]);
    let made = call!(pipe, "create_function_from_expression", &request);
    assert_eq!(made["warnings"], expected);
    let edits = json!({ "edits": [{ "create_function_from_expression": request }] });
    assert_eq!(call!(pipe, "apply_edits", &edits)["warnings"], expected);
}

/// Functions that are written have the low ids, library functions that come with them high ones.
#[test]
fn what_is_written_comes_first() {
    let mut pipe = Agent::scratch(&[]);
    let request = json!({ "name": "Part", "expression": "smooth_union(sphere(pos, 5), box(pos, vec3(9, 9, 4)), 2)" });
    let made = call!(pipe, "create_function_from_expression", &request);
    assert_eq!(made["function_id"], 1);
    let library = made["library"].as_array().expect("library functions");
    assert_eq!(library.len(), 3);
    let ids: Vec<&Json> = library
        .iter()
        .map(|function| &function["function_id"])
        .collect();
    assert_eq!(ids, [1001, 1002, 1003]);
    let request = json!({ "name": "Other", "expression": "cylinder(pos, 5, 9)" });
    let made = call!(pipe, "create_function_from_expression", &request);
    assert_eq!(made["function_id"], 2);
    assert_eq!(made["library"][0]["function_id"], 1004);
}

#[test]
fn wrong_names_are_refused_with_those_that_there_are() {
    let mut pipe = plate();
    let mut check = |arguments: Json, expected: &str| {
        let refused = refusal!(pipe, "set_parameter_value", &arguments);
        assert_starts!(refused => expected);
    };
    check(
        json!({ "function": "Plate", "parameter": "thicknes", "value": 1 }),
        "unknown_parameter: function 3 has no parameter 'thicknes'; did you mean thickness?",
    );
    check(
        json!({ "function": "Body", "parameter": "thickness", "value": 1 }),
        "unknown_parameter: 'thickness' is an input of function 2 without a default, not a parameter; its callers and evaluate",
    );
    check(
        json!({ "function": "Body", "parameter": "width", "value": 1 }),
        "unknown_parameter: function 2 has no parameter 'width'; its parameters and inputs are pos, thickness",
    );
    check(
        json!({ "function": "Plat", "parameter": "hole", "value": 1 }),
        "unknown_function: no function has the name 'Plat'; did you mean Plate?",
    );
    check(
        json!({ "function": "Plate", "parameter": "hole", "value": [1, 2, 3] }),
        "invalid_value: parameter 'hole' is a float",
    );
    let made = call!(pipe, "create_node",
        { "function_id": "Plate", "node_type": "ConstantScalar", "display_name": "hole" });
    let warning = made["warnings"][0].as_str().expect("a warning").to_owned();
    assert_starts!(warning => "'hole' is the name of several constants of function 3, nodes ");
    // The same in a batch, by any edit that names a node, and for the name of an input.
    let id = &made["node_id"];
    let renamed = call!(pipe, "apply_edits", { "dry_run": true, "edits": [
        { "rename_node": { "function_id": "Plate", "node_id": id, "display_name": "pos" } },
        { "create_node": { "node_type": "ConstantScalar", "display_name": "gap" } },
        { "create_node": { "node_type": "ConstantScalar", "display_name": "gap" } },
        { "create_node": { "node_type": "ConstantScalar", "display_name": "rim" } },
    ] });
    let warnings = renamed["warnings"].as_array().expect("warnings");
    assert_eq!(warnings.len(), 2, "{renamed}");
    assert_starts!(warnings[0].as_str().expect("a text") => "'gap' is the name of several constants");
    assert_starts!(warnings[1].as_str().expect("a text") => "'pos' is an input of function 3 and its constant");
    let refused = refusal!(pipe, "set_parameter_value",
        { "function": "Plate", "parameter": "hole", "value": 1 });
    assert_starts!(refused => "ambiguous_name: 2 nodes of function 3 have the name 'hole'");
    let refused = refusal!(pipe, "create_function_from_expression",
        { "name": "F", "expression": "Body(pos, width = 5)" });
    assert_starts!(refused => "wrong_arguments: Body has no argument 'width'");
}

/// Functions of the library are one line of `why`, unless they are changed.
#[test]
fn functions_of_the_library_are_explained_in_a_line() {
    let mut pipe = Agent::scratch(&[]);
    call!(pipe, "create_function_from_expression", { "name": "Part", "expression":
        "let wall = 2; smooth_union(sphere(pos, 5), box(pos, vec3(9, 9, 4)), 2) - wall" });
    let request = json!({ "function_id": "Part", "arguments": { "pos": [1, 2, 3] }, "why": true });
    let mut why = || call!(pipe, "evaluate", &request)["why"].clone();
    let lines = why();
    let lines: Vec<&str> = lines
        .as_array()
        .expect("lines")
        .iter()
        .filter_map(Json::as_str)
        .collect();
    assert_eq!(lines.len(), 4, "{lines:#?}");
    for (line, expected) in [
        (1, "B = 2.0 (parameter wall)"),
        (2, "(call of 'smooth_union')"),
        (2, "radius = 2.0"),
        (
            3,
            "(call of 'sphere'): shape = -1.25834 from pos = [1.0,2.0,3.0] (input pos), radius = 5.0",
        ),
    ] {
        assert!(lines[line].contains(expected), "{expected} in {lines:#?}");
    }
    // Of the sizes of a shape, those that decide at the point.
    call!(pipe, "create_function_from_expression", { "name": "Pin", "expression":
        "let rad = 5; let h = 40; cylinder(pos, rad, h)" });
    for (pos, decides, does_not) in [
        ([4, 0, 0], "rad", "parameter h"),
        ([0, 0, 19], "parameter h", "rad"),
        ([9, 0, 0], "rad", "parameter h"),
        ([0, 0, 30], "parameter h", "rad"),
    ] {
        let request = json!({ "function_id": "Pin", "arguments": { "pos": pos }, "why": true });
        let why = call!(pipe, "evaluate", &request)["why"].to_string();
        let told = |name: &str| {
            let (_, rest) = why
                .split_once(&format!("{name}, decides)"))
                .unwrap_or(("", ""));
            !rest.is_empty()
        };
        assert!(told(decides) && !told(does_not), "{pos:?}: {why}");
    }
    // Of a blend the radius only where it blends, of a vector the component that decides, and large values by their effect.
    call!(pipe, "create_function_from_expression", { "name": "Blend", "expression":
        "let k = 8; let t = 4; smooth_union(sphere(pos - vec3(30, 0, 0), 5), box(pos, vec3(90, 80, t)), k)" });
    call!(pipe, "create_function_from_expression", { "name": "Twist", "expression":
        "let pitch = 500; sphere(twist(pos, pitch) - vec3(7, 0, 0), 2)" });
    call!(pipe, "create_function_from_expression", { "name": "Slab", "expression":
        "let w = 90; let d = 80; let t = 4; box(pos, vec3(w, d, t))" });
    call!(pipe, "create_function_from_expression", { "name": "Choice", "expression":
        "let a = 5; let b = 6; let c = 7; length(max(vec3(a, b, 1), pos) - vec3(0, 0, c))" });
    let mut why = |function: &str, pos: Json| {
        let request = json!({ "function_id": function, "arguments": { "pos": pos }, "why": true });
        let why = call!(pipe, "evaluate", &request)["why"].clone();
        let lines = why.as_array().expect("lines").iter();
        let lines = lines.map(|line| line.as_str().expect("a text").to_owned());
        lines.collect::<Vec<String>>()
    };
    let apart = why("Blend", json!([0, 0, 9]));
    assert_contains!(&apart[1] => "(call of 'smooth_union')", "radius = 8.0 (parameter k)");
    assert_contains!(&apart[2] => "(call of 'box')", "size.z = 4.0");
    assert_contains!(&apart[3] => "result.z = 4.0 from z = 4.0 (parameter t)");
    assert_eq!(apart.len(), 4, "{apart:#?}");
    let corner = why("Slab", json!([48, 44, 0])).join("\n");
    assert_contains!(&corner => "x = 90.0 (parameter w), y = 80.0 (parameter d)");
    assert!(!corner.contains("parameter t"), "{corner}");
    let chosen = why("Choice", json!([9, 2, 3])).join("\n");
    assert_contains!(&chosen => "A.y = 6.0", "y = 6.0 (parameter b)", "parameter c");
    assert!(!chosen.contains("parameter a"), "{chosen}");
    let blended = why("Blend", json!([30, 0, 5]));
    assert!(!blended[1].contains("decides"), "{blended:#?}");
    let twisted = why("Twist", json!([7, 0, 5])).join("\n");
    assert_contains!(&twisted => "pitch = 500.0 (parameter pitch");
    assert!(!twisted.contains("(input pos, decides)"), "{twisted}");
    call!(pipe, "create_node", { "function_id": "sphere", "node_type": "Sine" });
    let mut why = || call!(pipe, "evaluate", &request)["why"].clone();
    assert!(
        why().to_string().contains("'sphere', node"),
        "it is not the library's any more"
    );
}

/// `why` follows the branches that decide, through calls, to the parameter.
#[test]
fn a_value_is_explained() {
    let mut pipe = plate();
    let request = json!({ "function_id": "Plate", "arguments": { "pos": [0, 0, 7] }, "why": true });
    let explained = call!(pipe, "evaluate", &request);
    assert_eq!(explained["values"]["shape"], 3.0);
    let lines: Vec<&str> = explained["why"]
        .as_array()
        .expect("lines")
        .iter()
        .filter_map(Json::as_str)
        .collect();
    assert!(lines.len() <= 20, "{lines:#?}");
    let thickness = lines
        .iter()
        .any(|line| line.contains("input thickness from parameter thickness"));
    assert!(thickness, "{lines:#?}");
    let decided = "a = 3.0 (node 3 (call of 'Body'), decides), b = 27.0 (node 6 (call of 'Hole'))";
    assert!(lines[2].ends_with(decided), "{lines:#?}");
    assert!(
        !lines
            .iter()
            .any(|line| line.starts_with("function 1 'Hole'")),
        "{lines:#?}"
    );
    let mut many = request.clone();
    many["arguments"] = json!([{ "pos": [0, 0, 7] }, { "pos": [0, 0, 8] }]);
    let refused = refusal!(pipe, "evaluate", &many);
    assert_starts!(refused => "invalid_arguments: why evaluates one point, but there are 2");
    let traced = call!(pipe, "evaluate",
        { "function_id": "Plate", "arguments": { "pos": [0, 0, 7] }, "trace": true });
    let nodes = traced["trace"].as_array().expect("nodes");
    let entered = nodes.iter().filter(|node| node["call"].is_array()).count();
    assert_eq!(entered, 3, "difference, Body and Hole");
    let shown = traced["trace"].to_string();
    assert!(
        !shown.contains("functionID") && shown.contains("\"sources\""),
        "{shown}"
    );
}
