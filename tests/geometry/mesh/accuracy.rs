//! Meshes of a given accuracy: cells and simplification follow from it.

use fibula::geometry::{Bounds, TriangleMesh};
use fibula::graph::Content;
use fibula::service::{ExportPart, MakeMesh, Service, Simplify, make_mesh};
use fibula_nodes::Query;
use serde_json::json;

use crate::calls::{add, on, shape};

/// Distance of a point from a surface.
type Distance = fn([f64; 3]) -> f64;

fn plate([x, y, z]: [f64; 3]) -> f64 {
    let beyond = [x.abs() - 10.0, y.abs() - 7.0, z.abs() - 1.0];
    let outside = beyond.map(|away| away.max(0.0).powi(2)).iter().sum::<f64>();
    outside.sqrt()
        + beyond
            .into_iter()
            .fold(f64::NEG_INFINITY, f64::max)
            .min(0.0)
}

fn rod([x, y, z]: [f64; 3]) -> f64 {
    let away = z - z.clamp(-9.0, 9.0);
    (x * x + y * y + away * away).sqrt() - 0.6
}

fn ball(at: [f64; 3]) -> f64 {
    at.iter().map(|x| x * x).sum::<f64>().sqrt() - 10.0
}

/// Two balls of radius 10 around (0, 0, -8) and (0, 0, 8) have a lens in common, whose sides meet in a circle of radius 6.
fn lens([x, y, z]: [f64; 3]) -> f64 {
    let out = x.hypot(y);
    let rim = (out - 6.0).hypot(z);
    // The foot on one ball is in the other one.
    let sides = [8.0, -8.0].map(|middle| {
        let away = out.hypot(z - middle);
        let foot = middle + (z - middle) * 10.0 / away;
        if foot * middle <= 0.0 {
            (away - 10.0).abs()
        } else {
            f64::INFINITY
        }
    });
    sides[0].min(sides[1]).min(rim)
}

/// Largest distance of a grid of points on each triangle.
fn farthest(mesh: &TriangleMesh, distance: Distance) -> f64 {
    const STEPS: u32 = 4;
    let mut most: f64 = 0.0;
    for number in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.corners(number);
        for (i, j) in (0..=STEPS).flat_map(|i| (0..=STEPS - i).map(move |j| (i, j))) {
            let [u, v] = [i, j].map(|step| f64::from(step) / f64::from(STEPS));
            let at =
                [0, 1, 2].map(|axis| a[axis] + u * (b[axis] - a[axis]) + v * (c[axis] - a[axis]));
            most = most.max(distance(at).abs());
        }
    }
    most
}

#[test]
fn cells_and_triangles_follow_from_the_accuracy() {
    let box_text = "box(pos, vec3(20, 14, 2))";
    let rod_text = "capsule(pos, vec3(0, 0, -9), vec3(0, 0, 9), 0.6)";
    let lens_text = "max(sphere(pos - vec3(0, 0, 8), 10), sphere(pos + vec3(0, 0, 8), 10))";
    // The value of this one is no distance.
    let scaled = &format!("40 * {rod_text}");
    // Its accuracy if that is not the default, and the one by which it is judged; ranges of triangles and of the cell.
    for (text, distance, accuracy, most, triangles, cell) in cases![
        box_text => plate as Distance, None, 0.021, 12..=60, 0.15..=0.3;
        rod_text => rod, Some(0.05), 0.05, 40..=400, 0.15..=0.3;
        rod_text => rod, Some(0.005), 0.005, 400..=6000, 0.05..=0.17;
        scaled => rod, Some(0.02), 0.02, 80..=900, 0.1..=0.3;
        "sphere(pos, 10)" => ball, None, 0.021, 2000..=7500, 0.15..=0.25;
        // Triangles leave its rim, whose sides meet at 74 degrees, by a quarter of a cell; they say so.
        lens_text => lens, None, 0.027, 100..=8000, 0.03..=0.14;
    ] {
        let made = make_mesh(&shape(text), &with_defaults!(MakeMesh, accuracy), &mut on).unwrap();
        let info = &made.info;
        assert!(
            info.closed && info.manifold && info.warnings.is_empty(),
            "{text}: {info:?}"
        );
        let deviation = info.deviation.unwrap();
        assert!(deviation <= most, "{text}: {deviation}");
        let found = farthest(&made.mesh, distance);
        assert!(found <= most, "{text}: {found} and not {most}");
        assert!(
            found <= 1.1 * deviation + 1e-5,
            "{text}: {found} and not {deviation}"
        );
        assert!(
            triangles.contains(&info.triangles),
            "{text}: {}",
            info.triangles
        );
        let used = info.cell.unwrap();
        assert!(cell.contains(&used), "{text}: {used}");
    }
}

#[test]
fn sharp_edges_cost_no_triangles_elsewhere() {
    // Walls of the gyroid meet the sides of the box at all angles, down to 0: there triangles cut each other before the repair.
    for (size, most, cell) in [(12, 45_000, 0.1203..0.1205), (6, 12_000, 0.060..0.061)] {
        let text = format!("max(gyroid(pos, 10, 1), box(pos, vec3({size}, {size}, {size})))");
        let made = make_mesh(&shape(&text), &MakeMesh::default(), &mut on).unwrap();
        let info = &made.info;
        assert!(
            info.deviation <= info.cell.map(|cell| 0.2 * cell) && info.triangles < most,
            "{info:?}"
        );
        assert!(cell.contains(&info.cell.unwrap()), "{info:?}");
        assert_eq!(info.cutting_pairs, 0);
    }
}

#[test]
fn the_surface_is_near_the_mesh_too() {
    // Rims and corners are the first that a simplification would lose.
    let rim = |turn: f64| [6.0 * turn.cos(), 6.0 * turn.sin(), 0.0];
    let lens_text = "max(sphere(pos - vec3(0, 0, 8), 10), sphere(pos + vec3(0, 0, 8), 10))";
    let made = make_mesh(&shape(lens_text), &MakeMesh::default(), &mut on).unwrap();
    let deviation = made.info.deviation.unwrap();
    let mesh = made.mesh.into_oracle().unwrap();
    let distance = mesh.oracle(Query::UnsignedDistance).unwrap();
    let turns = (0..1000).map(|step| f64::from(step) * 0.01 * std::f64::consts::PI);
    let most = turns
        .map(|turn| distance.sample(rim(turn), 0))
        .fold(0.0, f64::max);
    assert!(most <= 1.1 * deviation, "{most} and not {deviation}");
}

#[test]
fn a_given_cell_is_kept_and_an_accuracy_that_it_misses_is_told() {
    let seen = shape("sphere(pos, 5)");
    let make = |accuracy: f64| {
        let request = with_defaults!(MakeMesh, cell: Some(1.0), accuracy: Some(accuracy));
        make_mesh(&seen, &request, &mut on).unwrap().info
    };
    let (fine, coarse) = (make(1e-3), make(0.3));
    assert_eq!(fine.cell, Some(1.0));
    assert_contains!(fine.warnings.concat() => "the surface is off by up to", "use smaller cells");
    assert!(
        coarse.warnings.is_empty() && coarse.triangles * 2 < fine.triangles,
        "{coarse:?}"
    );
}

#[test]
fn what_is_no_accuracy_is_refused() {
    let seen = shape("sphere(pos, 5)");
    let simplify = with_defaults!(Simplify, tolerance: Some(0.1));
    for (accuracy, simplify, code) in [
        (0.0, None, "invalid_value"),
        (f64::NAN, None, "invalid_value"),
        (0.1, Some(simplify), "invalid_arguments"),
    ] {
        let request = with_defaults!(MakeMesh, accuracy: Some(accuracy), simplify);
        let refusal = make_mesh(&seen, &request, &mut on).unwrap_err();
        assert_eq!(refusal.code, code, "{accuracy}: {refusal}");
    }
}

#[test]
fn exports_say_what_was_reached() {
    let service = Service::default();
    let id = add(&service, "plate", "box(pos, vec3(20, 14, 2))");
    let export = |more: serde_json::Value| {
        let mut request = json!({"function_id": id, "cell": 0.5});
        request
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let request: ExportPart = serde_json::from_value(request).unwrap();
        service.export_part(request, &mut on)
    };
    for format in ["stl", "obj", "ply", "glb", "3mf"] {
        let answer = export(json!({"format": format, "accuracy": 0.05})).unwrap();
        assert!(
            answer.triangles.unwrap() < 60 && answer.deviation.unwrap() <= 0.05,
            "{answer:?}"
        );
        assert!((answer.volume.unwrap() - 560.0).abs() < 0.5, "{answer:?}");
        let sound = (
            answer.closed,
            answer.manifold,
            answer.components,
            answer.cell,
        );
        assert_eq!(sound, (Some(true), Some(true), Some(1), Some(0.5)));
    }
    let slices = |more| {
        let mut request = json!({"format": "svg", "accuracy": 0.05, "heights": [0]});
        request[more] = json!(0.05);
        export(request)
    };
    assert_eq!(slices("accuracy").unwrap().slices, Some(1));
    for (more, text) in [
        ("simplify", "simplify applies to meshes, not to slices"),
        ("tolerance", "accuracy is the tolerance of contours"),
    ] {
        assert_contains!(slices(more).unwrap_err().message => text);
    }
    let bounds = Bounds::new([0.0; 3], [1.0; 3]).unwrap();
    let cut = with_defaults!(MakeMesh, bounds: Some(bounds), cell: Some(0.2), accuracy: Some(0.01));
    let cut = make_mesh(&shape("sphere(pos, 5)"), &cut, &mut on).unwrap();
    // The sides of the box are part of the surface.
    assert!(
        (cut.info.volume - 1.0).abs() < 1e-3 && cut.info.triangles == 12,
        "{:?}",
        cut.info
    );
}
