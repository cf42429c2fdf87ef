//! A mounting plate as an agent makes it, recorded: parameters with names, a requirement that is tied to one of them, a
//! hole that is changed by name, and the mass after.

use serde_json::{Value as Json, json};

use crate::agent::{agent, call};

/// Maximum number of calls.
const MOST_CALLS: usize = 12;

const PLATE: &str =
    "let length = 80; let width = 50; let thickness = 6; let hole = 3; let inset = 8; let core = 6;
let at = abs(pos) - vec3(length / 2 - inset, width / 2 - inset, 0);
let skin = difference(box(pos, vec3(length, width, thickness)), cylinder(at, hole, 40));
difference(skin, cylinder(pos, core, 40))";

#[tokio::test]
async fn a_plate_takes_at_most_twelve_calls() {
    let (client, _progress) = agent(&[]).await;
    let mut record: Vec<String> = Vec::new();
    macro_rules! step {
        ($tool:expr, $arguments:tt) => {{
            record.push(format!("{} {}", $tool, json!($arguments)));
            call(&client, $tool, json!($arguments)).await
        }};
    }
    let on = "plate";
    step!("create_project", { "project": on });
    let made = step!("create_function_from_expression",
        { "project": on, "name": "Plate", "expression": PLATE });
    assert_eq!(made["function_id"], 1, "{made}");
    assert!(made.get("warnings").is_none(), "{made}");
    let names: Vec<&Json> = made["parameters"]
        .as_array()
        .expect("parameters")
        .iter()
        .map(|parameter| &parameter["name"])
        .collect();
    for name in ["length", "width", "thickness", "hole", "inset", "core"] {
        assert!(names.contains(&&json!(name)), "{name}: {names:?}");
    }
    step!("add_nodes", {
        "project": on,
        "nodes": [{ "label": "M6 screws pass", "types": "requirement" }],
        "edges": [{ "source": "M6 screws pass", "target": "fn:Plate#hole", "type": "constrains" }] });
    let figures = ["volume", "mass", "bounds"];
    let before = step!("measure",
        { "project": on, "function_id": "Plate", "density": 2.7, "figures": figures });
    let set = step!("set_parameter_value",
        { "project": on, "function": "Plate", "parameter": "hole", "value": 3.3 });
    assert_eq!(set["previous"], 3.0, "{set}");
    assert_eq!(set["intent"][0]["label"], "M6 screws pass", "{set}");
    let after = step!("measure",
        { "project": on, "function_id": "Plate", "density": 2.7, "figures": figures });
    let mass = |measured: &Json| {
        let mass = &measured["figures"]["mass"];
        let mass = mass.as_f64().or_else(|| mass["value"].as_f64());
        mass.unwrap_or_else(|| panic!("{measured}"))
    };
    // Four holes grew from 3 to 3.3 mm; the core kept its equal radius of 6 mm and the plate its thickness of 6 mm.
    let solid = 80.0 * 50.0 - std::f64::consts::PI * 36.0;
    let expected = |hole: f64| (solid - 4.0 * std::f64::consts::PI * hole * hole) * 6.0 * 2.7e-3;
    for (measured, hole) in [(&before, 3.0), (&after, 3.3)] {
        let error = (mass(measured) / expected(hole) - 1.0).abs();
        assert!(error < 0.01, "{measured}");
    }
    assert!(mass(&after) < mass(&before));
    let thicker = step!("set_parameter_value",
        { "project": on, "function": "Plate", "parameter": "thickness", "value": 8 });
    assert!(thicker.get("intent").is_none(), "{thicker}");
    let shown = step!("get_function",
        { "project": on, "function_id": "Plate", "format": "expression" });
    let shown = shown["parameters"].as_array().expect("parameters").iter();
    let values: Vec<Json> = shown
        .map(|one| json!([one["name"], one["value"]]))
        .collect();
    for pair in [
        json!(["thickness", 8.0]),
        json!(["core", 6.0]),
        json!(["hole", 3.3]),
    ] {
        assert!(values.contains(&pair), "{pair}: {values:?}");
    }
    // Written anew with rounded corners, the requirement stays at the hole.
    let rounded = PLATE
        .replace(
            "box(pos, vec3(length, width, thickness))",
            "rounded_box(pos, vec3(length, width, thickness), 2)",
        )
        .replace("hole = 3;", "hole = 3.3;");
    let rebuilt = step!("create_function_from_expression",
        { "project": on, "function_id": "Plate", "name": "Plate", "expression": rounded });
    assert!(rebuilt.get("dangling").is_none(), "{rebuilt}");
    let node = step!("get_nodes", { "project": on, "nodes": "M6 screws pass" });
    let hole = rebuilt["parameters"].as_array().expect("parameters").iter();
    let hole = hole
        .filter(|parameter| parameter["name"] == "hole")
        .map(|parameter| format!("fn:1/{}", parameter["node_id"]))
        .next_back();
    let shown = node["nodes"][0]["outgoing"].to_string();
    assert!(
        shown.contains(&hole.expect("it has the parameter")),
        "{shown}"
    );
    let exported = step!("export", { "project": on, "function_id": "Plate", "format": "stl" });
    assert!(exported["uri"].is_string(), "{exported}");
    assert!(record.len() <= MOST_CALLS, "{record:#?}");
    client.cancel().await.expect("it ends");
}
