//! Measures of parts, as an agent asks for them.

use serde_json::{Value as Json, json};

use super::{refused, with_ball};
use crate::agent::Agent;

#[test]
fn measures_have_errors_and_two_things_are_compared() {
    let mut pipe = with_ball(Agent::scratch(&[]));
    let arguments = json!({"function_id": 1, "cell": 0.4});
    let answer = call!(pipe, "measure", &arguments);
    let figures = &answer["figures"];
    let within = |figure: &Json, expected: f64| {
        let number = |name: &str| figure[name].as_f64().expect("a number");
        let off = (number("value") - expected).abs();
        assert!(off <= number("error"), "{figure}");
        assert!(number("error") < 0.05 * expected, "{figure}");
    };
    let pi = std::f64::consts::PI;
    within(&figures["volume"], 4.0 / 3.0 * pi * (125.0 - 27.0));
    within(&figures["area"], 4.0 * pi * (25.0 + 9.0));
    assert_eq!(figures["cavities"]["value"], 1);
    assert_eq!(answer["unit"], "millimeter");
    let other = json!({"name": "Other", "expression": "length(pos - vec3(12, 0, 0)) - 5"});
    call!(pipe, "create_function_from_expression", &other);
    let answer = call!(pipe, "measure", {"function_id": 1, "cell": 0.4, "to": {"function_id": 2}});
    within(&answer["figures"]["distance"], 2.0);
    let radius = json!({"name": "Other", "function_id": 2, "expression": "length(pos - vec3(12, 0, 0)) - 6"});
    let before = answer["revision"].clone();
    call!(pipe, "create_function_from_expression", &radius);
    // The same thing before the change.
    let answer =
        call!(pipe, "measure", {"function_id": 2, "cell": 0.4, "to": {"revision": before}});
    within(&answer["figures"]["most"], 1.0);
    assert_eq!(answer["to_revision"], before);
    for (arguments, expected) in cases![
        json!({"function_id": 1, "to": {"function_id": 7}}) => "7";
        json!({"function_id": 1, "to": {"function_id": 2}, "overhang": 30}) => "applies to one subject";
        json!({"function_id": 1, "to": {"id": 2}}) => "id";
        json!({"function_id": 1, "overhang": 300}) => "invalid_value";
        json!({"function_id": 1, "cell": 0}) => "cell";
        json!({"function_id": 1, "time_limit": 0.01}) => "timed_out";
        json!({"function_id": 1, "time_limit": 1e6}) => "at most 3600 seconds";
        json!({"function_id": 1, "time_limit": -1}) => "must be a number of seconds above 0";
    ] {
        refused(&mut pipe, "measure", &arguments, expected);
    }
}

#[test]
fn measures_are_those_asked_for_with_significant_digits() {
    let mut pipe = with_ball(Agent::scratch(&[]));
    let plate = "max(max(max(abs(x) - 20, abs(y) - 10), abs(z) - 1.5), 3 - length(vec3(x, y, 0)))";
    let plate = json!({"name": "Plate", "expression": plate});
    call!(pipe, "create_function_from_expression", &plate);
    let wanted =
        json!({"function_id": 2, "figures": ["volume", "gap", "mass", "overhang"], "density": 2.7});
    let answer = call!(pipe, "measure", &wanted);
    let figures = answer["figures"].as_object().expect("an object");
    let names: Vec<&String> = figures.keys().collect();
    assert_eq!(names, ["gap", "mass", "overhang", "volume"]);
    assert_eq!(figures["gap"]["kind"], "hole");
    assert_eq!(figures["overhang"]["unit"], "millimeter^2");
    assert_eq!(figures["volume"]["unit"], "millimeter^3");
    assert_eq!(figures["mass"]["unit"], "g");
    let number = |name: &str, part: &str| figures[name][part].as_f64().expect("a number");
    let volume = 40.0 * 20.0 * 3.0 - std::f64::consts::PI * 9.0 * 3.0;
    assert!((number("volume", "value") - volume).abs() <= number("volume", "error"));
    assert!((number("mass", "value") - 2.7e-3 * volume).abs() <= number("mass", "error"));
    // The error has two digits, or one, and the value ends with them.
    for (name, figure) in figures {
        let decimals = |part: &str| {
            figure[part]
                .to_string()
                .split('.')
                .nth(1)
                .map_or(0, str::len)
        };
        assert!(
            decimals("value") <= decimals("error").max(1),
            "{name}: {figure}"
        );
        let error = figure["error"].to_string();
        let digits = error.trim_start_matches(['0', '.']).trim_end_matches(".0");
        assert!(digits.trim_end_matches('0').len() <= 2, "{name}: {figure}");
    }
    let full = call!(pipe, "measure", {"function_id": 2, "figures": ["volume"], "digits": "full"});
    assert!(
        full["figures"]["volume"]["error"].to_string().len() > 8,
        "{full}"
    );
    let all = call!(pipe, "measure", {"function_id": 2, "cell": 1});
    assert!(
        all["figures"].as_object().map(serde_json::Map::len) > Some(14),
        "{all}"
    );
    for (arguments, expected) in cases![
        json!({"function_id": 2, "figures": ["volum"]}) => "did you mean volume?";
        json!({"function_id": 2, "figures": ["mass"]}) => "only with a density";
        json!({"function_id": 2, "density": 0}) => "above 0";
        json!({"function_id": 2, "density": 1, "to": {"function_id": 1}}) => "applies to one subject";
        json!({"function_id": 2, "digits": "some"}) => "significant";
    ] {
        refused(&mut pipe, "measure", &arguments, expected);
    }
}

/// Creates a function, and returns the warnings.
fn create(pipe: &mut Agent, name: &str, expression: &str) -> Vec<Json> {
    let arguments = json!({"name": name, "expression": expression});
    let answer = call!(pipe, "create_function_from_expression", &arguments);
    answer["warnings"].as_array().cloned().unwrap_or_default()
}

#[test]
fn expressions_that_make_no_part_are_warned_of() {
    let mut pipe = Agent::scratch(&[]);
    let ball = "let wall = 2; sphere(pos, 8 + wall)";
    assert_eq!(create(&mut pipe, "Ball", ball), [] as [Json; 0]);
    let warned = create(
        &mut pipe,
        "Cut",
        "subtract(Ball(pos), cylinder(pos, 3, 30))",
    );
    assert_eq!(warned.len(), 1, "{warned:?}");
    let text = warned[0].as_str().expect("a text");
    assert!(
        text.starts_with("Ball - cylinder subtracts two distances"),
        "{text}"
    );
    assert!(text.contains("write difference(a, b)"), "{text}");
    let id =
        call!(pipe, "list_functions", {"search": "Cut"})["functions"][0]["function_id"].clone();
    let arguments = json!({ "function_id": id });
    let refusal = refusal!(pipe, "render", &arguments);
    assert!(
        refusal.contains("unbounded_shape") && refusal.contains("difference(a, b)"),
        "{refusal}"
    );
    let warned = create(
        &mut pipe,
        "Right",
        "difference(Ball(pos), cylinder(pos, 3, 30))",
    );
    assert!(warned.is_empty(), "{warned:?}");
    let warned = create(
        &mut pipe,
        "Block",
        "let r = 4; rounded_box(pos, vec3(20, 20, 6), r)",
    );
    let limit =
        "rounded_box: radius must be at most 0.5 times the smallest number of size, 3, not 4";
    assert_eq!(warned, [limit]);
    // Also at the defaults of inputs.
    let block = |default: f64| {
        json!({ "name": "Slab", "expression": "rounded_box(pos, vec3(20, 20, 2 * h), 2)", "arguments": [
            { "name": "pos", "type": "float3" }, { "name": "h", "type": "float", "default": default }] })
    };
    let warned = call!(pipe, "create_function_from_expression", block(1.5));
    let limit = "rounded_box: radius must be at most 0.5 times the smallest number of size, 1.5, not 2, for the defaults of the \
                 inputs of Slab";
    assert_eq!(warned["warnings"], json!([limit]));
    let warned = call!(pipe, "create_function_from_expression", block(2.0));
    assert!(warned.get("warnings").is_none(), "{warned}");
    let edits = json!({"edits": [
        {"create_function_from_expression": {"name": "Other", "expression": "torus(pos, 4, 5)"}},
    ]});
    let answer = call!(pipe, "apply_edits", &edits);
    let text = answer["warnings"][0].as_str().expect("a text");
    assert!(text.contains("minor_radius must be at most"), "{answer}");
    // Constants that are computed, and values that are set.
    let text = "let w = 20; let h = 10; box(pos, vec3(w, w / 2, h - 6)) ";
    assert!(create(&mut pipe, "Plate", text).is_empty());
    for (name, value, limit) in [
        ("w", -2.0, "box: size must be above 0, not -2"),
        ("h", 5.0, "box: size must be above 0, not -1"),
    ] {
        let set = json!({"function": "Plate", "parameter": name, "value": value, "dry_run": true});
        let answer = call!(pipe, "set_parameter_value", &set);
        assert_eq!(answer["warnings"], json!([limit]), "{answer}");
    }
    let edits = json!({"edits": [
        {"set_parameter_value": {"function": "Plate", "parameter": "w", "value": -2}}], "dry_run": true});
    let answer = call!(pipe, "apply_edits", &edits);
    assert_eq!(
        answer["warnings"],
        json!(["box: size must be above 0, not -2"]),
        "{answer}"
    );
}

#[test]
fn constants_beyond_limits_are_warned_of() {
    let mut pipe = Agent::scratch(&[]);
    for (expression, limit) in [
        ("rounded_box(pos, vec3(20, 20, 9), 10 / 2)", "4.5, not 5"),
        (
            "rounded_box(pos, vec3(20, 20, 9), -1)",
            "radius must be at least 0, not -1",
        ),
        (
            "smooth_union(sphere(pos, 3), sphere(pos, 4), -1)",
            "radius must be at least 0, not -1",
        ),
        ("sphere(pos, -3)", "radius must be above 0, not -3"),
        (
            "circle(repeat_polar(pos, 2.5) - vec3(9, 0, 0), 3)",
            "count must be a whole number, not 2.5",
        ),
        (
            "extrude(pos, regular_polygon(pos, 5.5, 10), 4)",
            "sides must be a whole number, not 5.5",
        ),
        ("cylinder(pos, 30, 0)", "height must be above 0, not 0"),
    ] {
        let warned = create(&mut pipe, "Wrong", expression);
        assert_eq!(warned.len(), 1, "{expression}: {warned:?}");
        assert!(
            warned[0].as_str().expect("a text").ends_with(limit),
            "{warned:?}"
        );
    }
}

#[test]
fn measures_tell_where_and_how_large() {
    let mut pipe = Agent::scratch(&[]);
    // A block with a flat void, and a loose ball.
    let part = "let block = box(pos, vec3(12, 12, 8)); let void = box(pos - vec3(0, 0, 1), vec3(8, 8, 1));
                shape = min(max(block, -void), sphere(pos - vec3(12, 0, 0), 2)); core = sphere(pos, 3)";
    let part = json!({"name": "Part", "expression": part});
    let id = call!(pipe, "create_function_from_expression", &part)["function_id"].clone();
    let answer = call!(pipe, "measure", {"function_id": id, "output": "shape", "cell": 0.4, "at": [5, 0, 0], "slabs": 4,
        "figures": ["cavities", "gap", "voids", "pieces", "wall"]});
    let figures = &answer["figures"];
    assert_eq!(
        figures.as_object().map(serde_json::Map::len),
        Some(7),
        "{answer}"
    );
    assert_eq!(figures["cavities"]["value"], 1);
    assert_eq!(figures["gap"]["kind"], "cavity");
    let within = |figure: &Json, expected: f64| {
        let number = |name: &str| figure[name].as_f64().expect("a number");
        let off = (number("value") - expected).abs();
        assert!(off <= number("error"), "{figure}, {expected}");
        assert!(number("error") <= 0.2 * expected, "{figure}, {expected}");
    };
    within(&figures["voids"][0], 64.0);
    within(&figures["pieces"][0], 12.0 * 12.0 * 8.0);
    within(
        &figures["pieces"][1],
        4.0 / 3.0 * std::f64::consts::PI * 8.0,
    );
    let low = &figures["pieces"][1]["bounds"][0][0];
    assert!(
        (low.as_f64().expect("a number") - 10.0).abs() < 0.05,
        "{figures}"
    );
    // Not straight below the void, but from its edge to the side.
    within(&figures["thickness"], 2.0 * 1.0625 / 0.9375);
    let slabs = figures["slabs"].as_array().expect("a list");
    assert_eq!(slabs.len(), 4);
    within(&slabs[0], 12.0 * 12.0 * 2.0);
    let box_of_slab = 2.0 * 12.0 * 20.0;
    let fraction = slabs[0]["fraction"].as_f64().expect("a number");
    assert!((fraction - 288.0 / box_of_slab).abs() < 0.01, "{slabs:?}");
    // Outside there is no wall.
    let answer = call!(pipe, "measure",
        {"function_id": id, "cell": 1, "at": [0, 0, 30], "figures": ["thickness"]});
    assert_eq!(answer["figures"]["thickness"], Json::Null);
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains("outside of the material"), "{warnings}");
    for (arguments, expected) in cases![
        json!({"function_id": id, "figures": ["thickness"]}) => "only with at, a point";
        json!({"function_id": id, "figures": ["slabs"]}) => "only with slabs, their number";
        json!({"function_id": id, "slabs": 0}) => "from 1 to 200";
        json!({"function_id": id, "axis": "x"}) => "axis is that of slabs";
        json!({"function_id": id, "slabs": 2, "axis": "w"}) => "axis";
        json!({"function_id": id, "at": [1, 2, 3], "to": {"function_id": 1}}) => "at applies to one subject";
        json!({"function_id": id, "each": true, "output": "shape"}) => "output does not apply";
        json!({"function_id": id, "each": true, "figures": ["volum"]}) => "did you mean volume?";
        json!({"each": true}) => "there are no objects to measure";
    ] {
        refused(&mut pipe, "measure", &arguments, expected);
    }
}

#[test]
fn all_objects_and_outputs_are_measured_in_one_call() {
    let mut pipe = with_ball(Agent::scratch(&[]));
    let two = json!({"name": "Two", "expression": "small = length(pos) - 2; large = length(pos) - 4; all = -1 + 0*x"});
    call!(pipe, "create_function_from_expression", &two);
    let answer = call!(pipe, "measure", {"function_id": "Two", "each": true, "cell": 0.4});
    let each = answer["each"].as_array().expect("a list");
    assert_eq!(answer["of"], json!(["small", "large", "all"]));
    for (subject, radius) in each.iter().zip([2.0_f64, 4.0]) {
        let figures = subject["figures"].as_object().expect("an object");
        assert_eq!(figures.keys().collect::<Vec<_>>(), ["bounds", "volume"]);
        let volume = figures["volume"]["value"].as_f64().expect("a number");
        let expected = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        assert!((volume / expected - 1.0).abs() < 0.05, "{subject}");
    }
    assert!(
        each[2]["error"]
            .as_str()
            .is_some_and(|text| text.starts_with("unbounded_shape")),
        "{answer}"
    );
    call!(pipe, "apply_edits", {"edits": [
        {"create_level_set": {"function_id": 1, "name": "One", "bounds": [[-6, -6, -6], [6, 6, 6]]}},
        {"create_level_set": {"function_id": "Two", "channel": "large", "name": "Other", "bounds": [[-6, -6, -6], [6, 6, 6]]}},
    ]});
    let answer =
        call!(pipe, "measure", {"each": true, "cell": 0.4, "figures": ["volume"], "density": 2});
    let each = answer["each"].as_array().expect("a list");
    assert_eq!(each.len(), 2);
    assert!(
        each[1]["of"]
            .as_str()
            .is_some_and(|text| text.ends_with("'Other'")),
        "{answer}"
    );
    assert!(
        each.iter().all(|subject| subject["object_id"].is_u64()),
        "{answer}"
    );
    let mass = each[1]["figures"]["mass"]["value"]
        .as_f64()
        .expect("a number");
    assert!((mass - 2.0 * 0.268).abs() < 0.02, "{answer}");
}

/// A density in kg/m^3 is hardly meant.
#[test]
fn densities_of_no_material_are_told() {
    let mut pipe = Agent::scratch(&[]);
    call!(pipe, "create_function_from_expression", { "name": "Ball", "expression": "length(pos) - 5" });
    for (density, is_told) in [(7.85, false), (7850.0, true)] {
        let measured =
            call!(pipe, "measure", { "function_id": 1, "figures": ["mass"], "density": density });
        let warnings = measured["warnings"].to_string();
        assert_eq!(
            warnings.contains("that of steel is 7.85"),
            is_told,
            "{measured}"
        );
    }
}
