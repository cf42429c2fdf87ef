//! Defaults, units and limits of the inputs of functions, as agents meet them.

use serde_json::{Value as Json, json};

use crate::agent::Agent;

/// A function whose inputs have a default, a unit and limits, and one that calls it with fewer arguments.
fn plate() -> Agent {
    let mut pipe = Agent::scratch(&[]);
    let arguments = json!([
        { "name": "pos", "type": "float3" },
        { "name": "thickness", "type": "float", "default": 8, "unit": "mm", "min": 1, "max": 50 },
        { "name": "hole", "type": "float", "default": 3 },
    ]);
    call!(pipe, "create_function_from_expression", { "name": "Plate", "arguments": arguments,
        "expression": "difference(box(pos, vec3(80, 40, thickness)), cylinder(pos, hole))" });
    call!(pipe, "create_function_from_expression", { "name": "Part", "expression": "Plate(pos)" });
    pipe
}

fn at_top(function: &str, arguments: &Json) -> Json {
    let mut arguments = arguments.clone();
    arguments["pos"] = json!([20, 0, 5]);
    json!({ "function_id": function, "arguments": arguments })
}

/// Inputs of a function, as `get_function` shows them.
fn input(pipe: &mut Agent, function: &str, index: usize) -> Json {
    let shown = call!(pipe, "get_function", { "function_id": function });
    shown["inputs"][index].clone()
}

fn thickness(default: f64) -> Json {
    json!({ "name": "thickness", "type": "float", "default": default, "unit": "mm", "min": 1.0, "max": 50.0 })
}

/// Defaults are kept, shown, and used by calls, evaluation, sampling, pictures and measurements.
#[test]
fn defaults_are_honoured() {
    let mut pipe = plate();
    assert_eq!(input(&mut pipe, "Plate", 1), thickness(8.0));
    for function in ["Plate", "Part"] {
        let request = at_top(function, &json!({}));
        assert_eq!(call!(pipe, "evaluate", &request)["values"]["shape"], 1.0);
        let volumes = json!({ "function_id": function, "cell": 2, "figures": ["volume"] });
        call!(pipe, "measure", volumes);
        call!(pipe, "render", { "function_id": function, "size": [32, 32] });
    }
    let thin = at_top("Plate", &json!({ "thickness": 2 }));
    assert_eq!(call!(pipe, "evaluate", &thin)["values"]["shape"], 4.0);
    let sphere = call!(pipe, "create_function_from_expression",
        { "name": "Ball", "expression": "sphere(pos)" });
    assert_eq!(
        sphere["inputs"],
        json!([{ "name": "pos", "type": "float3" }])
    );
    let origin = json!({ "function_id": "Ball", "arguments": { "pos": [0, 0, 0] } });
    assert_eq!(call!(pipe, "evaluate", &origin)["values"]["shape"], -10.0);

    let text = call!(pipe, "get_function", { "function_id": "Part", "format": "expression" });
    assert_eq!(text["expression"], "Plate(pos)");
    let summary = call!(pipe, "summarize", {}).to_string();
    assert!(
        summary.contains("thickness: float = 8 mm [1, 50]"),
        "{summary}"
    );
}

/// An input without an argument and a default is missing; values outside of the limits are refused.
#[test]
fn limits_are_checked_where_values_are_constant() {
    let mut pipe = plate();
    let refused = refusal!(
        pipe,
        "evaluate",
        at_top("Plate", &json!({ "thickness": 60 }))
    );
    assert_starts!(refused => "invalid_value: thickness: 60 is above the maximum 50 mm; \
        the input is thickness: float = 8 mm [1, 50]");
    let refused = refusal!(pipe, "create_function_from_expression",
        { "name": "Thin", "expression": "Plate(pos, thickness = 0.5)" });
    assert_starts!(refused => "wrong_arguments: Plate.thickness: 0.5 is below the minimum 1 mm");
    let refused = refusal!(pipe, "create_function_from_expression", { "name": "Bad", "expression": "length(pos) - r",
        "arguments": [{ "name": "pos", "type": "float3" }, { "name": "r", "type": "float", "default": 5, "max": 4 }] });
    assert_starts!(refused => "invalid_value: 'r' has a default outside of its limits: 5 is above the maximum 4");
    let refused = refusal!(pipe, "create_function_from_expression", { "name": "Bad", "expression": "length(pos) - r",
        "arguments": [{ "name": "pos", "type": "float3" }, { "name": "r", "type": "float", "step": 1 }] });
    assert!(refused.contains("step"), "{refused}");
    let shown = call!(pipe, "get_function", { "function_id": "Part" });
    let call = shown["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .find(|node| node["node_type"] == "FunctionCall")
        .expect("a call");
    let refused = refusal!(pipe, "set_parameter_value", { "function_id": "Part", "node_id": call["node_id"],
        "parameter_name": "thickness", "value": 51 });
    assert_starts!(refused => "invalid_value");
    assert!(
        refused.contains("51 is above the maximum 50 mm"),
        "{refused}"
    );
}

/// Edits change them, undo restores them, another type clears them, and a new expression keeps them.
#[test]
fn edits_change_defaults() {
    let mut pipe = plate();
    let set = call!(pipe, "set_parameter_value", { "function": "Plate", "parameter": "thickness", "value": 12 });
    assert_eq!(set["previous"], 8.0);
    assert_eq!(input(&mut pipe, "Plate", 1), thickness(12.0));
    let request = at_top("Part", &json!({}));
    assert_eq!(call!(pipe, "evaluate", &request)["values"]["shape"], -1.0);
    let refused = refusal!(pipe, "set_parameter_value", { "function": "Plate", "parameter": "thickness", "value": 0 });
    assert_starts!(refused => "invalid_value: the default of input 'thickness': 0 is below the minimum 1 mm");
    call!(pipe, "undo", {});
    assert_eq!(input(&mut pipe, "Plate", 1), thickness(8.0));

    let retype = |change: Json| {
        let mut retype = json!({ "function_id": "Plate", "side": "input", "name": "thickness" });
        for (name, value) in change.as_object().expect("an object") {
            retype[name] = value.clone();
        }
        json!({ "edits": [{ "retype_port": retype }] })
    };
    call!(
        pipe,
        "apply_edits",
        retype(json!({ "default": null, "max": 20 }))
    );
    assert_eq!(
        input(&mut pipe, "Plate", 1),
        json!({ "name": "thickness", "type": "float", "unit": "mm", "min": 1.0, "max": 20.0 })
    );
    let refused = refusal!(pipe, "evaluate", &request);
    assert!(refused.contains("thickness"), "{refused}");
    let refused = refusal!(pipe, "apply_edits", retype(json!({ "default": 30 })));
    assert!(
        refused.contains("30 is above the maximum 20 mm"),
        "{refused}"
    );
    call!(pipe, "apply_edits", { "edits": [{ "add_port": { "function_id": "Part", "side": "input", "name": "wall",
        "type": "float", "default": 2, "unit": "mm" } }] });
    assert_eq!(
        input(&mut pipe, "Part", 1),
        json!({ "name": "wall", "type": "float", "default": 2.0, "unit": "mm" })
    );

    call!(pipe, "create_function_from_expression", { "function_id": "Plate", "name": "Plate",
        "expression": "length(pos) - thickness - hole" });
    assert_eq!(
        input(&mut pipe, "Plate", 2),
        json!({ "name": "hole", "type": "float", "default": 3.0 })
    );
}

/// The answer states the order of inferred inputs, and how a call by position was understood.
#[test]
fn answers_say_how_calls_are_understood() {
    let mut pipe = Agent::scratch(&[]);
    let made = call!(pipe, "create_function_from_expression",
        { "name": "Plate", "expression": "length(pos) - thickness + hole*cell" });
    assert_eq!(
        made["signature"],
        "Plate(pos: float3, thickness: float, hole: float, cell: float) -> (shape: float)"
    );
    let called = call!(pipe, "create_function_from_expression",
        { "name": "Part", "expression": "Plate(pos, 8, 4, 6)" });
    assert_eq!(
        called["calls"],
        json!(["Plate(pos, thickness = 8, hole = 4, cell = 6)"])
    );
    let named = call!(pipe, "create_function_from_expression",
        { "name": "Named", "expression": "Plate(pos, thickness = 8, hole = 4, cell = 6)" });
    assert_eq!(named["calls"], Json::Null);
    // In a batch, too.
    let edit = |name: &str, text: &str| json!({ "create_function_from_expression": { "name": name, "expression": text } });
    let edits = [
        edit("Rib", "max(length(pos) - b, a)"),
        edit("Ribs", "Plate(pos, 8, 4, 6)"),
    ];
    let done = call!(pipe, "apply_edits", { "edits": edits });
    assert_eq!(
        done["results"][0]["signature"],
        "Rib(pos: float3, b: float, a: float) -> (shape: float)"
    );
    assert_eq!(done["results"][1]["calls"], called["calls"]);
}

/// A function may have the name of the point, and one that hides a function of the library says so.
#[test]
fn names_of_functions_do_not_change_expressions_in_silence() {
    let mut pipe = Agent::scratch(&[]);
    for name in ["pos", "x"] {
        call!(pipe, "create_function_from_expression", { "name": name, "expression": "length(pos) - 1" });
    }
    let made = call!(pipe, "create_function_from_expression",
        { "name": "Part", "expression": "pos(pos) + x - length(pos)" });
    assert_eq!(
        made["inputs"].as_array().expect("inputs").len(),
        1,
        "{made}"
    );
    let values =
        call!(pipe, "evaluate", { "function_id": "Part", "arguments": { "pos": [3, 0, 0] } });
    assert_eq!(values["values"]["shape"], 2.0);
    let hidden = |id: u32| {
        format!(
            "the library has sphere, too: expressions that call it mean function {id} from now on; rename it to call that of \
             the library"
        )
    };
    let made = call!(pipe, "create_function_from_expression", { "name": "Sphere", "expression": "length(pos) - 7" });
    assert_eq!(made["next"], hidden(4));
    call!(pipe, "undo", {});
    let edit = json!({ "name": "sphere", "expression": "length(pos) - 7" });
    let edit = json!({ "create_function_from_expression": edit });
    let done = call!(pipe, "apply_edits", { "edits": [edit] });
    assert_eq!(done["warnings"], json!([hidden(5)]));
    // Also one with its inputs.
    let inputs = json!([{ "name": "pos", "type": "float3" }, { "name": "radius", "type": "float", "default": 10 }]);
    call!(pipe, "undo", {});
    let other =
        json!({ "name": "sphere", "expression": "length(pos) - radius/2", "arguments": inputs });
    let made = call!(pipe, "create_function_from_expression", other);
    assert_contains!(made["next"].as_str().expect("a text") => "the library has sphere, too");
    // With a copy of it in the project, that is still called.
    let mut pipe = Agent::scratch(&[]);
    call!(pipe, "create_function_from_expression", { "name": "Part", "expression": "sphere(pos, 3)" });
    let made = call!(pipe, "create_function_from_expression", { "name": "Sphere", "expression": "length(pos) - 7" });
    assert_eq!(made["next"], Json::Null);
    call!(pipe, "create_function_from_expression", { "name": "Other", "expression": "sphere(pos, 3)" });
    let values =
        call!(pipe, "evaluate", { "function_id": "Other", "arguments": { "pos": [0, 0, 0] } });
    assert_eq!(values["values"]["shape"], -3.0);
}

/// An input that was hardly meant is told: one that nothing uses, and one with the name of a shape.
#[test]
fn inputs_that_are_hardly_meant_are_told() {
    let mut pipe = Agent::scratch(&[]);
    let twice = json!({ "name": "Twice", "expression": "cylinder*2 - 1" });
    let refused = refusal!(pipe, "create_function_from_expression", twice);
    assert_contains!(refused => "'cylinder' is a function of the library", "call it, as in cylinder(");
    let inputs = json!([{ "name": "pos", "type": "float3" }, { "name": "r", "type": "float" }]);
    let unused = json!(["the expression of function 1 does not use the input 'r'"]);
    let request = json!({ "name": "Ball", "expression": "length(pos) - 3", "arguments": inputs });
    let made = call!(pipe, "create_function_from_expression", request.clone());
    assert_eq!(made["warnings"], unused);
    call!(pipe, "undo", {});
    let edit = json!({ "create_function_from_expression": request });
    let done = call!(pipe, "apply_edits", { "edits": [edit] });
    let warnings = done["warnings"].to_string();
    assert_contains!(warnings => "does not use the input 'r'");
    // A function keeps the inputs that its callers give.
    let mut again = request;
    again["function_id"] = call!(pipe, "list_functions", {})["functions"][0]["function_id"].clone();
    let made = call!(pipe, "create_function_from_expression", again);
    assert_eq!(made["warnings"], Json::Null, "{made}");
}

/// Refusals of arguments know the point and the constants.
#[test]
fn arguments_that_are_no_inputs_are_explained() {
    let mut pipe = Agent::scratch(&[]);
    call!(pipe, "create_function_from_expression", { "name": "Ball", "expression": "let wall = 2; length(pos) - wall" });
    for (tool, arguments, expected) in [
        (
            "measure",
            json!({ "pos": [1, 2, 3] }),
            "omit 'pos': all points of space are looked at",
        ),
        (
            "render",
            json!({ "wall": 3 }),
            "'wall' is a constant of the function, now 2.0, and no input",
        ),
        (
            "evaluate",
            json!({ "pos": [1, 2, 3], "Wall": 3 }),
            "change it with set_parameter_value",
        ),
    ] {
        let refusal = refusal!(
            pipe,
            tool,
            json!({ "function_id": "Ball", "arguments": arguments })
        );
        assert!(refusal.contains(expected), "{tool}: {refusal}");
    }
}

/// Units of inputs are labels: one that is not that of the project is warned of.
#[test]
fn units_that_convert_nothing_are_told() {
    let mut pipe = Agent::scratch(&[]);
    for (unit, told) in [
        ("mm", ""),
        ("Millimeter", ""),
        ("rad", ""),
        (
            "inch",
            "the unit inch of r is a label and converts nothing: its numbers are in the unit of the project, millimeter",
        ),
        (
            "deg",
            "the unit deg of r is a label and converts nothing, and angles are in radians",
        ),
    ] {
        let arguments = json!([{ "name": "pos", "type": "float3" },
            { "name": "r", "type": "float", "default": 5, "unit": unit }]);
        let made = call!(pipe, "create_function_from_expression",
            { "name": "F", "expression": "length(pos) - r", "arguments": arguments });
        let shown = call!(pipe, "get_function",
            { "function_id": made["function_id"], "format": "expression" });
        for answer in [made, shown] {
            let warnings = answer["warnings"].to_string();
            assert_eq!(
                told.is_empty(),
                answer.get("warnings").is_none(),
                "{answer}"
            );
            assert!(warnings.contains(told), "{answer}");
        }
    }
}
