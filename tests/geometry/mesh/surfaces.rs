//! Distance of meshes from known shapes.

use std::f64::consts::{PI, TAU};

use fibula::geometry::{Bounds, MeshSettings, Shape, mesh};

use super::{ON, cube, meshed, tape};

/// Volume and area converge as the square of the cells' size does.
#[test]
fn volumes_and_areas_converge_at_second_order() {
    // A name, an expression, the volume and the area.
    let shapes = cases![
        "sphere" => "length(pos) - 5", 4.0 / 3.0 * PI * 125.0, 4.0 * PI * 25.0;
        "torus"
            => "length(vec3(length(vec3(x, y, 0)) - 4, z, 0)) - 1.5", TAU * 4.0 * PI * 2.25, TAU * 4.0 * TAU * 1.5;
        "capsule"
            => "length(vec3(x, y, z - clamp(z, -2, 2))) - 2.5", PI * 6.25 * 4.0 + 4.0 / 3.0 * PI * 15.625, TAU * 2.5 * 4.0 + 4.0 * PI * 6.25;
    ];
    for (name, text, volume, area) in shapes {
        let error = |cell: f64| {
            let meshed = meshed(text, cube(6.0), cell).unwrap();
            let topology = meshed.mesh.topology();
            assert!(topology.is_sound(), "{name}: {topology:?}");
            [
                (meshed.mesh.volume() / volume - 1.0).abs(),
                (meshed.mesh.area() / area - 1.0).abs(),
            ]
        };
        assert!(error(0.25).iter().all(|error| *error < 4e-3), "{name}");
        // The smallest radius is three of the larger cells: what is rounder than cells is met better than its order says.
        let (coarse, fine) = (error(0.5), error(0.125));
        for (coarse, fine) in coarse.into_iter().zip(fine) {
            // A quarter of the size should give a sixteenth of the error.
            let converges = fine < coarse / 8.0 || fine < 1e-4;
            assert!(converges, "{name}: {coarse} {fine}");
            assert!(fine < 1e-3, "{name}: {fine}");
        }
    }
}

#[test]
fn boxes_are_met_exactly() {
    // With its sides on round places, between samples; and cut off by the bounds.
    let text = "max(max(abs(x) - 3, abs(y) - 2), abs(z) - 1)";
    for (bounds, size) in cases![
        cube(4.0) => [6.0, 4.0, 2.0];
        Bounds::new([-1.0, -5.0, 0.25], [9.0, 1.5, 4.0]).unwrap() => [4.0, 3.5, 0.75];
    ] {
        let mesh = meshed(text, bounds, 0.5).unwrap().mesh;
        let topology = mesh.topology();
        assert!(topology.is_sound(), "{topology:?}");
        assert_eq!(topology.genus(), Some(0), "{topology:?}");
        let [a, b, c] = size;
        let volume = mesh.volume();
        assert!((volume - a * b * c).abs() < 1e-4, "{volume}");
        assert!((mesh.area() - 2.0 * (a * b + b * c + c * a)).abs() < 1e-4);
        let [low, high] = mesh.bounding_box().unwrap();
        for axis in 0..3 {
            assert!((high[axis] - low[axis] - size[axis]).abs() < 1e-5);
        }
    }
}

#[test]
fn edges_of_exact_distances_stay_sharp() {
    // It has no gradient where it is 0, and faces at round places are found exactly.
    let exact = "let q = abs(vec3(x, y, z) - vec3(0.5, 0, 0)) - vec3(3, 2, 1.5); \
        length(max(q, vec3(0, 0, 0))) + min(max(max(q.x, q.y), q.z), 0)";
    for cell in [1.0, 0.5, 0.37] {
        let mesh = meshed(exact, cube(5.0), cell).unwrap().mesh;
        assert!(mesh.topology().is_sound());
        let volume = mesh.volume();
        assert!((volume - 72.0).abs() < 1e-3, "{cell}: {volume}");
    }
}

#[test]
fn edges_stay_sharp() {
    // A box that is turned about two axes: u, v and w are the coordinates along its sides.
    let (s, c) = (0.6_f64.sin(), 0.6_f64.cos());
    let (t, d) = (0.35_f64.sin(), 0.35_f64.cos());
    let axes = [[c, s, 0.0], [-s * d, c * d, t], [s * t, -c * t, d]];
    let half = [3.0, 2.0, 1.5];
    let sides: Vec<String> = axes
        .iter()
        .zip(half)
        .map(|([a, b, c], half)| format!("abs({a} * x + {b} * y + {c} * z) - {half}"))
        .collect();
    let text = format!("max(max({}, {}), {})", sides[0], sides[1], sides[2]);
    let cell = 0.4;
    let mesh = meshed(&text, cube(5.0), cell).unwrap().mesh;
    assert!(mesh.topology().is_sound());
    let volume = mesh.volume();
    assert!((volume / 72.0 - 1.0).abs() < 2e-3, "{volume}");
    let (mut near_edges, mut on_edges, mut at_corners) = (0, 0, 0);
    for at in mesh.vertices() {
        let from_side = |(axis, half): (&[f64; 3], f64)| {
            half - axis.iter().zip(at).map(|(a, x)| a * x).sum::<f64>().abs()
        };
        let mut from: Vec<f64> = axes.iter().zip(half).map(from_side).collect();
        from.sort_by(f64::total_cmp);
        // Where an edge ends between samples, a vertex may be kept off it by its cell.
        assert!(
            from[0].abs() < 0.25 * cell,
            "{at:?} is {from:?} from the sides"
        );
        near_edges += usize::from(from[1].abs() < 0.2 * cell);
        on_edges += usize::from(from[1].abs() < 0.01 * cell);
        at_corners += usize::from(from.iter().all(|from| from.abs() < 0.01 * cell));
    }
    // The tip of one of the eight corners falls between all samples.
    assert!(at_corners >= 7, "{at_corners}");
    // The edges are 52 long together, and no vertex is near to them without being on them, but for a few.
    assert!(on_edges > 100, "{on_edges}");
    let most = near_edges * 95;
    assert!(on_edges * 100 > most, "{on_edges} of {near_edges}");
}

/// All cases of cells beside each other.
const NOISE: &str = "sin(3.1 * x + 2 * cos(5.3 * y)) * cos(4.7 * y + 2 * sin(3.9 * z)) + sin(5.9 * z + 3 * cos(4.3 * x)) \
    * cos(6.1 * x * y) + 0.3 * sin(7 * x + 11 * y + 13 * z)";

#[test]
fn what_lies_across_corners_is_a_manifold_too() {
    for (cell, double) in [(0.31, false), (0.4, true), (0.7, false)] {
        let meshing = MeshSettings {
            double,
            ..MeshSettings::new(cube(4.0), cell)
        };
        let meshed = mesh(&Shape::new(&tape(NOISE)).unwrap(), &meshing, ON).unwrap();
        let topology = meshed.mesh.topology();
        assert!(topology.is_sound(), "{topology:?}");
        assert!(topology.triangles > 1000);
    }
}

#[test]
fn triangles_have_areas_where_vertices_would_be_one() {
    // 0 all over the outside: the surface is at the outer corners, and around a single one all vertices are there.
    let text = "select(sin(97 * x) * sin(89 * y) * sin(83 * z), 0.4, -1, 0)";
    let mesh = meshed(text, cube(4.0), 0.4).unwrap().mesh;
    let topology = mesh.topology();
    assert!(topology.is_sound(), "{topology:?}");
}

#[test]
fn edges_rounder_than_cells_lie_on_the_surface() {
    // A box whose edges have a radius of less than a cell: where the planes of its sides meet, there is nothing.
    let (radius, cell) = (0.15, 0.4);
    let rounded = format!(
        "let u = 0.8 * x + 0.6 * y; let v = 0.8 * y - 0.6 * x; \
         let q = abs(vec3(u, v, z)) - vec3(3, 2, 1.5) + {radius}; \
         length(max(q, vec3(0, 0, 0))) + min(max(max(q.x, q.y), q.z), 0) - {radius}"
    );
    let mesh = meshed(&rounded, cube(5.0), cell).unwrap().mesh;
    assert!(mesh.topology().is_sound());
    let tape = tape(&rounded);
    let mut evaluator = tape.evaluator();
    let mut away = |at: [f64; 3]| {
        let mut distance = [0.0];
        evaluator.run(&at, &mut distance);
        distance[0].abs() / cell
    };
    let distances = mesh.vertices().iter().map(|&at| away(at));
    let most = distances.fold(0.0, f64::max);
    assert!(most < 0.1, "a vertex is {most} cells from the surface");
    let middles = (0..mesh.triangles().len()).map(|place| {
        let [a, b, c] = mesh.corners(place);
        [0, 1, 2].map(|axis| (a[axis] + b[axis] + c[axis]) / 3.0)
    });
    let most = middles.map(away).fold(0.0, f64::max);
    assert!(most < 0.1, "a triangle is {most} cells from the surface");
}
