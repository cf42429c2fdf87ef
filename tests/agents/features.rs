//! Machine parts as an agent makes them with the profiles and features of the library, each in two calls: one expression, one measurement. Volumes and
//! boxes are those of textbook formulas; the volume of a body of revolution is the area of its section times the way of
//! the section's centroid (Pappus).

use std::f64::consts::PI;

use serde_json::{Value as Json, json};

use crate::agent::{Running, agent, call};

/// A part: its expression, its volume and the corners of its box.
struct Part {
    name: &'static str,
    expression: &'static str,
    volume: f64,
    bounds: [[f64; 3]; 2],
}

/// The volume of a cylinder.
fn cylinder_volume(radius: f64, height: f64) -> f64 {
    PI * radius * radius * height
}

/// The volume of a cone, cut off above.
fn frustum_volume(lower: f64, upper: f64, height: f64) -> f64 {
    PI * height / 3.0 * (lower * lower + lower * upper + upper * upper)
}

/// The box about the origin of these sizes.
fn centred_bounds([x, y, z]: [f64; 3]) -> [[f64; 3]; 2] {
    [[-x / 2.0, -y / 2.0, -z / 2.0], [x / 2.0, y / 2.0, z / 2.0]]
}

/// The volume of a ring whose section is a polygon of radii and heights.
fn revolved(corners: &[[f64; 2]]) -> f64 {
    let moments = corners.iter().enumerate().map(|(index, &[r, z])| {
        let [next_r, next_z] = corners[(index + 1) % corners.len()];
        (r * next_z - next_r * z) * (r + next_r) / 6.0
    });
    2.0 * PI * moments.sum::<f64>()
}

fn plates() -> Vec<Part> {
    vec![
        Part {
            name: "plate",
            expression: "let plate = extrude(pos, rounded_rectangle(pos, 60, 40, 5), 8);
                let holes = hole(abs(pos) - vec3(24, 14, 40), 6, 80);
                difference(plate, holes)",
            volume: (60.0 * 40.0 - (4.0 - PI) * 25.0) * 8.0 - 4.0 * cylinder_volume(3.0, 8.0),
            bounds: centred_bounds([60.0, 40.0, 8.0]),
        },
        Part {
            name: "flange",
            expression: "let disc = cylinder(pos, 40, 10);
                let bore = hole(pos - vec3(0, 0, 5), 30, 20);
                let bolts = hole(repeat_polar(pos, 6) - vec3(30, 0, 5), 8, 20);
                difference(disc, union(bore, bolts))",
            volume: cylinder_volume(40.0, 10.0)
                - cylinder_volume(15.0, 10.0)
                - 6.0 * cylinder_volume(4.0, 10.0),
            bounds: centred_bounds([80.0, 80.0, 10.0]),
        },
        Part {
            name: "counterbored plate",
            expression: "difference(box(pos, vec3(40, 40, 12)), counterbore(pos - vec3(0, 0, 6), 6, 20, 11, 6))",
            volume: 1600.0 * 12.0 - cylinder_volume(5.5, 6.0) - cylinder_volume(3.0, 6.0),
            bounds: centred_bounds([40.0, 40.0, 12.0]),
        },
        Part {
            name: "countersunk plate",
            expression: "difference(box(pos, vec3(40, 20, 6)), countersink(pos - vec3(0, 0, 3), 5, 20, 9, pi / 2))",
            volume: 800.0 * 6.0 - frustum_volume(2.5, 4.5, 2.0) - cylinder_volume(2.5, 4.0),
            bounds: centred_bounds([40.0, 20.0, 6.0]),
        },
        Part {
            name: "slotted link",
            expression: "extrude(pos, difference(slot(pos, 50, 20), slot(pos, 38, 8)), 5)",
            volume: 5.0 * (30.0 * 20.0 + PI * 100.0 - 30.0 * 8.0 - PI * 16.0),
            bounds: centred_bounds([50.0, 20.0, 5.0]),
        },
        Part {
            // The inner corner is a quarter of a circle of radius 6.
            name: "bracket",
            expression: "extrude(pos, arc_polygon(pos, 0,0,0, 40,0,0, 40,8,0, 14,8,-0.414213562373095, 8,14,0, 8,30,0, 0,30,0), 20)",
            volume: 20.0 * (40.0 * 8.0 + 22.0 * 8.0 + (1.0 - PI / 4.0) * 36.0),
            bounds: [[0.0, 0.0, -10.0], [40.0, 30.0, 10.0]],
        },
        Part {
            // The path has a quarter of a circle.
            name: "pipe bend",
            expression: "sweep_polyline(circle(pos, 9), 0,0,0, 0,0,25, 30,0,25, radius = 15)",
            volume: cylinder_volume(9.0, 25.0 + 7.5 * PI),
            bounds: [[-9.0, -9.0, 0.0], [30.0, 9.0, 34.0]],
        },
    ]
}

fn turned_parts() -> Vec<Part> {
    let apothem = 10.0 * (PI / 6.0).cos();
    let hexagon = |apothem: f64| 2.0 * f64::sqrt(3.0) * apothem * apothem;
    // The chamfers take an equal amount off all sides: the mean of three sections, by Simpson's rule, is exact.
    let chamfer = (hexagon(apothem) + 4.0 * hexagon(apothem - 0.5) + hexagon(apothem - 1.0)) / 6.0;
    // The centroid of what a fillet adds to a corner.
    let centroid = (10.0 - 3.0 * PI) / (12.0 - 3.0 * PI);
    let groove = [
        [8.0, -6.0],
        [20.0, -6.0],
        [15.0, 0.0],
        [20.0, 6.0],
        [8.0, 6.0],
    ];
    vec![
        Part {
            name: "stepped shaft",
            expression:
                "let thick = extrude_chamfered(pos + vec3(0, 0, 15), circle(pos, 10), 30, 1);
                union(thick, cylinder(pos - vec3(0, 0, 9), 8, 22))",
            volume: cylinder_volume(10.0, 28.0) + 2.0 * frustum_volume(10.0, 9.0, 1.0) + cylinder_volume(8.0, 20.0),
            bounds: [[-10.0, -10.0, -30.0], [10.0, 10.0, 20.0]],
        },
        Part {
            name: "nut",
            expression: "difference(extrude_chamfered(pos, regular_polygon(pos, 6, 10), 8, 1), hole(pos - vec3(0, 0, 4), 10, 10))",
            volume: hexagon(apothem) * 6.0 + 2.0 * chamfer - cylinder_volume(5.0, 8.0),
            bounds: centred_bounds([20.0, 2.0 * apothem, 8.0]),
        },
        Part {
            name: "rounded knob",
            expression: "extrude_rounded(pos, circle(pos, 12), 10, 3)",
            volume: cylinder_volume(12.0, 4.0)
                + 2.0 * cylinder_volume(9.0, 3.0)
                + 2.0 * PI * (9.0 + 4.0 / PI) * PI * 9.0 / 2.0,
            bounds: centred_bounds([24.0, 24.0, 10.0]),
        },
        Part {
            name: "filleted boss",
            expression: "let plate = slab(pos, -6, 0); let boss = max(circle(pos, 8), z - 15);
                intersection(fillet_union(plate, boss, 4), box(pos - vec3(0, 0, 4.5), vec3(50, 50, 21)))",
            volume: 2500.0 * 6.0
                + cylinder_volume(8.0, 15.0)
                + 2.0 * PI * (8.0 + 4.0 * centroid) * (1.0 - PI / 4.0) * 16.0,
            bounds: [[-25.0, -25.0, -6.0], [25.0, 25.0, 15.0]],
        },
        Part {
            // Turned by an eighth: its longest side lies across, and its right angle on y.
            name: "turned triangle",
            expression: "let p = rotate_z(pos, pi / 4); extrude(p, polygon(p, 0,0, 20,0, 0,20), 6)",
            volume: 1200.0,
            bounds: [
                [-f64::sqrt(200.0), 0.0, -3.0],
                [f64::sqrt(200.0), f64::sqrt(200.0), 3.0],
            ],
        },
        Part {
            name: "drafted boss",
            expression: "boss(pos, 30, 20, 5 * pi / 180)",
            volume: frustum_volume(15.0, 15.0 - 20.0 * f64::tan(PI / 36.0), 20.0),
            bounds: [[-15.0, -15.0, 0.0], [15.0, 15.0, 20.0]],
        },
        Part {
            name: "pulley",
            expression: "polygon(revolve(pos), 8,-6, 20,-6, 15,0, 20,6, 8,6)",
            volume: revolved(&groove),
            bounds: centred_bounds([40.0, 40.0, 12.0]),
        },
    ]
}

fn numbers(json: &Json) -> Vec<f64> {
    let numbers = json.as_array().into_iter().flatten();
    numbers.filter_map(Json::as_f64).collect()
}

#[tokio::test]
async fn machine_parts_take_two_calls_each() {
    let (client, _progress) = agent(&[]).await;
    call(&client, "create_project", json!({ "project": "parts" })).await;
    let parts: Vec<Part> = plates().into_iter().chain(turned_parts()).collect();
    assert_eq!(parts.len(), 14);
    for Part {
        name,
        expression,
        volume,
        bounds,
    } in parts
    {
        let request = json!({ "project": "parts", "name": name, "expression": expression });
        let made = call(&client, "create_function_from_expression", request).await;
        assert!(made.get("warnings").is_none(), "{name}: {made}");
        let request =
            json!({ "project": "parts", "function_id": name, "figures": ["volume", "bounds"] });
        let measured = call(&client, "measure", request).await;
        let figures = &measured["figures"];
        let value = figures["volume"]["value"].as_f64();
        let value = value.unwrap_or_else(|| panic!("{name}: {measured}"));
        let error = value / volume - 1.0;
        assert!(
            error.abs() < 1e-3,
            "{name}: {value} for {volume}: {measured}"
        );
        let corners = &figures["bounds"]["value"];
        for (corner, expected) in [0, 1].map(|side| (numbers(&corners[side]), bounds[side])) {
            assert_eq!(corner.len(), 3, "{name}: {measured}");
            let far = corner.iter().zip(expected).map(|(a, b)| (a - b).abs());
            assert!(
                far.fold(0.0, f64::max) < 0.01,
                "{name}: {corner:?} for {expected:?}"
            );
        }
    }
    client.cancel().await.expect("it ends");
}

/// Copies around an axis were refused as unbounded.
#[tokio::test]
async fn copies_around_an_axis_have_bounds() {
    let (client, _progress) = agent(&[]).await;
    call(&client, "create_project", json!({ "project": "pins" })).await;
    for places in ["repeat_polar(pos, 3)", "repeat_arc(pos, 3, 2 * pi / 3)"] {
        have_bounds(&client, places).await;
    }
    client.cancel().await.expect("it ends");
}

/// Three pins around the z axis have their box.
async fn have_bounds(client: &Running, places: &str) {
    let request = json!({ "project": "pins", "name": places,
        "expression": format!("cylinder({places} - vec3(30, 0, 0), 4, 10)") });
    call(client, "create_function_from_expression", request).await;
    let request = json!({ "project": "pins", "function_id": places, "figures": ["bounds"] });
    let measured = call(client, "measure", request).await;
    let bounds = &measured["figures"]["bounds"];
    let [low, high] = [0, 1].map(|side| numbers(&bounds["value"][side]));
    let error = bounds["error"].as_f64().expect("an error");
    let width = 15.0 * f64::sqrt(3.0) + 4.0;
    for (found, expected) in [
        (low[0], -19.0),
        (high[0], 34.0),
        (low[1], -width),
        (high[1], width),
    ] {
        assert!((found - expected).abs() <= error, "{measured}");
    }
    assert!(error < 1.0, "{measured}");
}

/// A lattice in a cylinder, graded along its axis: the share of each period is that of its middle.
#[tokio::test]
async fn a_graded_lattice_fills_each_period_as_asked() {
    let (client, _progress) = agent(&[]).await;
    call(&client, "create_project", json!({ "project": "lattice" })).await;
    let request = json!({ "project": "lattice", "name": "Core", "expression":
        "let fraction = clamp(0.2 + 0.4 * z / 60, 0.2, 0.6);
        intersection(extrude(pos - vec3(0, 0, 30), circle(pos, 15), 60), gyroid(pos, 10, gyroid_thickness(10, fraction)))" });
    let made = call(&client, "create_function_from_expression", request).await;
    assert!(made.get("warnings").is_none(), "{made}");
    // The whole periods of the middle: 20 by 20, and 10 high.
    for period in 0..6 {
        let low = 10.0 * f64::from(period);
        let request = json!({ "project": "lattice", "function_id": "Core", "figures": ["volume"],
            "bounds": [[-10, -10, low], [10, 10, low + 10.0]], "cell": 0.4 });
        let measured = call(&client, "measure", request).await;
        let value = measured["figures"]["volume"]["value"].as_f64();
        let share = value.unwrap_or_else(|| panic!("{measured}")) / 4000.0;
        let expected = 0.2 + 0.4 * (low + 5.0) / 60.0;
        assert!(
            (share - expected).abs() < 0.005,
            "period {period}: {share} for {expected}"
        );
    }
    client.cancel().await.expect("it ends");
}
