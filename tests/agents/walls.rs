//! Walls, gaps and feather edges: values whose errors mean something.

use serde_json::{Value as Json, json};

use crate::agent::Agent;

#[test]
fn feather_edges_are_no_walls() {
    let mut pipe = Agent::scratch(&[]);
    let wedge = "let c = 0.9659258; let s = 0.2588190;
                 max(max(c*y - s*x, 0 - c*y - s*x), max(x - 6, abs(z) - 5))";
    let wedge = json!({"name": "Wedge", "expression": wedge});
    call!(pipe, "create_function_from_expression", &wedge);
    let answer = call!(pipe, "measure",
        {"function_id": 1, "cell": 0.4, "figures": ["wall", "feather_edge"]});
    let edge = &answer["figures"]["feather_edge"];
    let angle = edge["value"].as_f64().expect("a number");
    assert!((angle - 30.0).abs() < 0.1, "{edge}");
    assert_eq!(edge["unit"], "degree");
    let wall = answer["figures"]["wall"]["value"].as_f64();
    assert!(wall > Some(9.5), "{answer}");
    assert!(
        answer["warnings"]
            .to_string()
            .contains("meet at 30 degrees"),
        "{answer}"
    );
    let alone = call!(pipe, "measure", {"function_id": 1, "cell": 0.4, "figures": ["wall"]});
    assert_eq!(alone["warnings"], answer["warnings"]);
}

/// Many ways that lead to an edge leave no doubt about the walls beside it.
#[test]
fn walls_beside_feather_edges_have_small_errors() {
    let mut pipe = Agent::scratch(&[]);
    let wedge = |angle: f64| {
        let (s, c) = angle.to_radians().sin_cos();
        format!("max(max(max(-z, {c}*z - {s}*x), x - 20), abs(y) - 10)")
    };
    let with_wall = format!(
        "min({}, box(pos - vec3(-20, 0, 0), vec3(2, 20, 20)))",
        wedge(30.0)
    );
    for (expression, width, angle, cell) in [
        (wedge(30.0), 20.0, 30.0, 0.4),
        (wedge(30.0), 20.0, 30.0, 0.2),
        (wedge(12.0), 20.0, 12.0, 0.4),
        (with_wall, 2.0, 30.0, 0.4),
    ] {
        call!(pipe, "create_function_from_expression", { "function_id": 1, "name": "Wedge", "expression": expression });
        let answer = call!(pipe, "measure",
            {"function_id": 1, "cell": cell, "figures": ["wall", "feather_edge"]});
        let wall = &answer["figures"]["wall"];
        let [value, error] = ["value", "error"].map(|key| wall[key].as_f64().expect("a number"));
        assert!(
            (value - width).abs() <= error && error < 0.05,
            "{expression}: {wall}"
        );
        let edge = answer["figures"]["feather_edge"]["value"].as_f64();
        assert!(
            edge.is_some_and(|edge| (edge - angle).abs() < 0.1),
            "{answer}"
        );
    }
}

/// Also where the edge lies at a side of the bounding box, and faces are those of shapes of the library.
#[test]
fn wedges_of_boxes_have_feather_edges() {
    let mut pipe = Agent::scratch(&[]);
    for (angle, cell) in [(30.0_f64, 0.4), (20.0, 0.4), (16.7, 0.3)] {
        let (s, c) = angle.to_radians().sin_cos();
        let wedge = format!("max(box(pos, vec3(40, 20, 10)), {c}*z - {s}*x)");
        call!(pipe, "create_function_from_expression", { "function_id": 1, "name": "Wedge", "expression": wedge });
        let answer = call!(pipe, "measure",
            {"function_id": 1, "cell": cell, "figures": ["wall", "feather_edge"]});
        let edge = answer["figures"]["feather_edge"]["value"].as_f64();
        assert!(
            edge.is_some_and(|edge| (edge - angle).abs() < 0.1),
            "{angle}: {answer}"
        );
        let wall = answer["figures"]["wall"]["value"].as_f64();
        assert!(wall > Some(1.0), "{angle}: {answer}");
    }
}

/// The thickness at a point of a wedge is that of the point, not of a place beside it; and a mesh of the wedge, with its long thin
/// triangles, is measured within the limit of time.
#[test]
fn wedges_are_measured_at_points_and_as_meshes() {
    let mut pipe = Agent::scratch(&[]);
    let wedge = "max(max(box(pos, vec3(20, 20, 20)), z - 0.3 * x), -z - 2)";
    call!(pipe, "create_function_from_expression", { "name": "Wedge", "expression": wedge });
    let block = "max(max(box(pos, vec3(20, 20, 20)), z - 0.3 * x - 4), -z - 2)";
    call!(pipe, "create_function_from_expression", { "name": "Block", "expression": block });
    for (at, least, most) in [
        ([9.0, 0.0, 0.0], 4.5, 4.75),
        ([9.0, 0.0, -1.0], 4.5, 4.75),
        ([9.9, 9.9, 0.0], 4.7, 5.0),
        ([5.0, 0.0, 0.0], 3.3, 3.55),
        ([0.0, 9.0, -1.0], 1.9, 2.05),
        // Beside a rim at the thin end, where the wall farther inside is thicker.
        ([-9.8, 0.0, -0.5], 2.9, 3.1),
    ] {
        let function = if at[0] < -6.0 { "Block" } else { "Wedge" };
        let answer =
            call!(pipe, "measure", { "function_id": function, "at": at, "figures": ["thickness"] });
        let thickness = &answer["figures"]["thickness"];
        let value = thickness["value"].as_f64().expect("a number");
        assert!((least..most).contains(&value), "{at:?}: {thickness}");
        let ends = thickness["at"].as_array().expect("two points");
        let [below, above] = [0, 1].map(|end| ends[end][0].as_f64().expect("a number"));
        let is_there = (below.min(above) - 0.01..=below.max(above) + 0.01).contains(&at[0]);
        assert!(is_there, "{at:?}: {thickness}");
        assert!(answer.get("warnings").is_none(), "{answer}");
    }
    let file = call!(pipe, "export", { "function_id": 1, "format": "stl", "cell": 1, "path": "wedge.stl" });
    assert_eq!(file["cavity_volume"].to_string(), "0.0");
    let mesh = call!(pipe, "import", { "path": "wedge.stl" })["resources"][0]["object_id"].clone();
    let all = json!(["volume", "wall", "feather_edge"]);
    let answer = call!(pipe, "measure", { "object_id": mesh, "figures": all, "time_limit": 60 });
    let figures = &answer["figures"];
    let volume = figures["volume"]["value"].as_f64();
    assert!(
        (825.0..834.0).contains(&volume.expect("a number")),
        "{answer}"
    );
    // The cells have made the edge blunter.
    let angle = figures["feather_edge"]["value"].as_f64().expect("a number");
    assert!((16.0..45.0).contains(&angle), "{answer}");
    let text = answer["warnings"].to_string();
    assert!(
        text.contains("wall is the thinnest place elsewhere"),
        "{answer}"
    );
    // Walls and gaps are searched for if one of their figures is wanted.
    let slot = "max(box(pos, vec3(20, 20, 10)), 3 - abs(x))";
    call!(pipe, "create_function_from_expression", { "function_id": 1, "name": "Slot", "expression": slot });
    for (name, value) in [("WALL", 7.0), ("gap", 6.0)] {
        let answer = call!(pipe, "measure", { "function_id": 1, "cell": 0.5, "figures": [name] });
        let found = answer["figures"][name.to_lowercase()]["value"].as_f64();
        assert!((found.expect("a number") - value).abs() < 0.01, "{answer}");
    }
    let slope = "max(max(max(-z, z - 0.3 * x), x - 10), abs(y) - 5)";
    call!(pipe, "create_function_from_expression", { "function_id": 1, "name": "Slope", "expression": slope });
    let answer =
        call!(pipe, "measure", { "function_id": 1, "cell": 0.4, "figures": ["Feather_Edge"] });
    assert!(
        answer["figures"]["feather_edge"]["value"].is_number(),
        "{answer}"
    );
    let text = answer["warnings"].to_string();
    assert!(
        text.contains("tapers to nothing there") && !text.contains("wall is"),
        "{answer}"
    );
}

/// Where the gradient of the function is undefined on the surface, too.
#[test]
fn thickness_is_measured_at_points_of_the_surface() {
    let mut pipe = Agent::scratch(&[]);
    let tub = "let wall = 3.5; let d = box(pos, vec3(40, 20, 20)); max(max(d, -d - wall), z - 5)";
    call!(pipe, "create_function_from_expression", { "name": "Tub", "expression": tub });
    for at in [
        [20.0, 0.0, 0.0],
        [20.0, 1.3, 0.7],
        [19.9, 0.0, 0.0],
        [18.0, 0.0, 0.0],
        [0.0, -10.0, 0.0],
    ] {
        let answer = call!(pipe, "measure", { "function_id": 1, "cell": 1, "at": at, "figures": ["thickness", "wall", "gap"] });
        for (name, width) in [("thickness", 3.5), ("wall", 3.5), ("gap", 13.0)] {
            let figure = &answer["figures"][name];
            let error = figure["error"].as_f64();
            assert_eq!(figure["value"], width, "{at:?}: {answer}");
            assert!(error < Some(0.01), "{at:?}: {figure}");
        }
    }
    let outside = call!(pipe, "measure", { "function_id": 1, "cell": 1, "at": [25, 0, 0], "figures": ["thickness"] });
    assert_eq!(outside["figures"]["thickness"], Json::Null);
}

/// Contours of a wall thinner than the cells of a slice come with a warning, and so do counts in cells that were asked for.
#[test]
fn slices_and_counts_that_cells_miss_are_warned_of() {
    let mut pipe = Agent::scratch(&[]);
    for (name, expression) in [
        ("Tube", "tube(pos, 50, 49.9, 20)"),
        ("Ball", "sphere(pos, 10)"),
        (
            "Two",
            "min(sphere(pos, 10), sphere(pos - vec3(15, 0, 0), 0.4))",
        ),
    ] {
        call!(pipe, "create_function_from_expression", { "name": name, "expression": expression });
    }
    let tube = call!(pipe, "slice", { "function_id": "Tube", "heights": [0] });
    assert_contains!(tube["warnings"].to_string() => "too large for walls or gaps", "at height 0");
    let fine = call!(pipe, "slice", { "function_id": "Ball", "heights": [0, 9.99] });
    assert!(fine.get("warnings").is_none(), "{fine}");
    let figures = json!(["components", "volume"]);
    let mut counted = |cell: Json| call!(pipe, "measure", { "function_id": "Two", "cell": cell, "figures": figures });
    assert_contains!(counted(json!(1.5))["warnings"].to_string() => "smaller than the cell of 1.5");
    let own = counted(Json::Null);
    assert_fields!(own, { "warnings": null });
    assert_eq!(own["figures"]["components"]["value"], 2, "{own}");
}
