//! Generative jobs as an agent does them with the library, in at most eight calls each: lattices, walls of true thickness,
//! and what is made of imported meshes. The sixth, a graded lattice, is among the features.

use std::f64::consts::PI;

use serde_json::{Value as Json, json};

use crate::agent::Agent;

/// An agent that counts its calls.
struct Designer {
    agent: Agent,
    calls: usize,
}

impl Designer {
    fn new() -> Designer {
        Designer {
            agent: Agent::scratch(&[]),
            calls: 0,
        }
    }

    fn call(&mut self, tool: &str, request: &Json) -> Json {
        self.calls += 1;
        assert!(self.calls <= 8, "{tool} is call {}", self.calls);
        let answer = self.agent.call(tool, request);
        let answer = answer.unwrap_or_else(|refusal| panic!("{tool} {request}: {refusal}"));
        assert!(answer.get("failed").is_none(), "{request}: {answer}");
        answer
    }

    /// Creates a function, and measures it.
    fn create(&mut self, name: &str, expression: &str, measure: &Json) -> Json {
        let request = json!({ "name": name, "expression": expression, "measure": measure });
        self.call("create_function_from_expression", &request)
    }
}

fn figure(answer: &Json, name: &str) -> f64 {
    let value = &answer["figures"][name]["value"];
    let value = value.as_f64();
    value.unwrap_or_else(|| panic!("{name} of {answer}"))
}

#[track_caller]
fn assert_near(found: f64, expected: f64, share: f64) {
    let off = (found / expected - 1.0).abs();
    assert!(off <= share, "{found} for {expected}");
}

/// A plate with a core of a gyroid under skins, whose cells and skins are changed.
#[test]
fn a_plate_with_a_lattice_core() {
    let mut designer = Designer::new();
    designer.create(
        "Plate",
        "let skin = 1.5; let cell = 8; let fraction = 0.3;
        let plate = extrude(pos, rectangle(pos, 32, 24), 12);
        infill(plate, gyroid(pos, cell, gyroid_thickness(cell, fraction)), skin)",
        &Json::Null,
    );
    // 30 percent of the core are filled.
    let volume = |skin: f64| {
        let core = (32.0 - 2.0 * skin) * (24.0 - 2.0 * skin) * (12.0 - 2.0 * skin);
        32.0 * 24.0 * 12.0 - 0.7 * core
    };
    let request =
        json!({ "function_id": "Plate", "figures": ["volume", "components"], "cell": 0.2 });
    let plate = designer.call("measure", &request);
    assert_near(figure(&plate, "volume"), volume(1.5), 0.02);
    assert_near(figure(&plate, "components"), 1.0, 0.0);
    let values = json!({ "skin": 3, "cell": 6 });
    let change = json!({ "function_id": "Plate", "values": values });
    designer.call("set_parameter_value", &change);
    let changed = designer.call("measure", &request);
    assert_near(figure(&changed, "volume"), volume(3.0), 0.02);
    assert_near(figure(&changed, "components"), 1.0, 0.0);
}

/// A vase with twisted flutes that holds 50 millilitres, with a wall that is as thick everywhere.
#[test]
fn a_twisted_vase_of_a_given_volume() {
    const VOLUME: f64 = 50_000.0;
    let mut designer = Designer::new();
    designer.create(
        "Body",
        "let size = 17; let p = twist(pos, 60);
        let radius = size + 1.5 * cos(6 * atan2(p.y, p.x)) + 3 * sin(z / 15);
        intersection(0.7 * (length(vec3(x, y, 0)) - radius), slab(pos, 0, 60))",
        &Json::Null,
    );
    let mut distance = json!({ "name": "Body_distance", "expression": "Body(pos)", "distance": { "accuracy": 0.1 } });
    designer.call("create_function_from_expression", &distance);
    let coarse = json!({ "figures": ["volume"], "cell": 1 });
    let cavity = designer.create(
        "Cavity",
        "intersection(Body_distance(pos) + 1.6, slab(pos, 1.6, 70))",
        &coarse,
    );
    // The volume goes with the square of the inner radius.
    let size = 1.6 + (17.0 - 1.6) * (VOLUME / figure(&cavity, "volume")).sqrt();
    let request = json!({ "function_id": "Body", "parameter_name": "size", "value": size });
    designer.call("set_parameter_value", &request);
    distance["function_id"] = json!("Body_distance");
    designer.call("create_function_from_expression", &distance);
    let request = json!({ "function_id": "Cavity", "figures": ["volume"], "cell": 1 });
    let cavity = designer.call("measure", &request);
    assert_near(figure(&cavity, "volume"), VOLUME, 0.01);
    let vase = designer.create(
        "Vase",
        "difference(difference(Body_distance(pos), Cavity(pos)), slab(pos, 58.3, 70))",
        &json!({ "figures": ["wall", "components"], "cell": 0.6 }),
    );
    assert!((figure(&vase, "wall") - 1.6).abs() < 0.05, "{vase}");
    assert_near(figure(&vase, "components"), 1.0, 0.0);
}

/// A block in which the wall of a gyroid separates two fluids.
#[test]
fn an_exchanger_for_two_fluids() {
    let mut designer = Designer::new();
    let volume = json!({ "figures": ["volume"] });
    let block = designer.create(
        "Block",
        "infill(box(pos, vec3(24, 24, 24)), gyroid(pos, 10, 1), 2)",
        &volume,
    );
    let fluids = designer.create(
        "Fluids",
        "difference(box(pos, vec3(20, 20, 20)), gyroid(pos, 10, 1))",
        &volume,
    );
    let both = figure(&block, "volume") + figure(&fluids, "volume");
    assert_near(both, 24.0_f64.powi(3), 2e-3);
    let one = designer.create(
        "Fluid",
        "intersection(Fluids(pos), gyroid_network(pos, 10, 0.5))",
        &volume,
    );
    assert_near(
        figure(&one, "volume"),
        figure(&fluids, "volume") / 2.0,
        0.01,
    );
}

/// An imported mesh with a cavity and drain holes.
#[test]
fn an_imported_mesh_is_hollowed() {
    let mut designer = Designer::new();
    designer.create("Source", "torus(pos, 15, 6)", &Json::Null);
    let request =
        json!({ "function_id": "Source", "format": "stl", "path": "ring.stl", "accuracy": 0.02 });
    designer.call("export", &request);
    designer.call("create_project", &json!({ "project": "hollow" }));
    let request = json!({ "project": "hollow", "path": "ring.stl" });
    let read = designer.call("import", &request);
    let mesh = &read["resources"][0]["object_id"];
    let expression = format!(
        "let hollowed = hollow(mesh({mesh}, pos), 1.5);
        difference(hollowed, union(hole(pos - vec3(15, 0, 6.5), 3, 3), hole(pos - vec3(-15, 0, 6.5), 3, 3)))"
    );
    let request = json!({ "project": "hollow", "name": "Hollow", "expression": expression,
        "measure": { "figures": ["wall", "volume", "cavities", "genus", "components"] } });
    let made = designer.call("create_function_from_expression", &request);
    assert!((figure(&made, "wall") - 1.5).abs() < 0.03, "{made}");
    assert_eq!(made["figures"]["cavities"]["value"], 0, "{made}");
    // Two nested tori, joined by two holes: two handles of their own, and one between the holes.
    assert_near(figure(&made, "genus"), 3.0, 0.0);
    let wall = 2.0 * PI * 15.0 * PI * (36.0 - 4.5 * 4.5);
    assert_near(figure(&made, "volume"), wall, 0.02);
}

/// A ring of hexagonal cells around a cylinder, between two rims.
#[test]
fn a_ring_of_honeycomb() {
    let mut designer = Designer::new();
    // Twenty cells around.
    let ring = designer.create(
        "Ring",
        "let radius = 30; let width = 2 * pi * radius / 20;
        let ring = extrude(pos, difference(circle(pos, radius + 2), circle(pos, radius - 2)), 40);
        let cells = honeycomb(around_cylinder(pos, radius), width, 1.2);
        let rims = difference(ring, slab(pos, -17, 17));
        union(intersection(ring, cells), rims)",
        &json!({ "figures": ["volume", "components"] }),
    );
    assert_near(figure(&ring, "components"), 1.0, 0.0);
    let full = PI * (32.0 * 32.0 - 28.0 * 28.0) * 40.0;
    let share = figure(&ring, "volume") / full;
    // The rims are 15 percent; walls of 1.2 in cells of 9.42 fill 24 percent of the rest.
    assert!((0.3..0.42).contains(&share), "{share}");
}
