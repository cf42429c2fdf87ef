//! Sheets, pins and slits beside a large body: they are too small a part of its volume to be found there, and yet are
//! resolved, or named in a warning.

use fibula::geometry::{Bounds, MeshSettings, Shape, mesh_resolved};
use fibula::service::{MakeMesh, Measure, make_mesh};

use super::ON;
use super::service::told;
use crate::calls::{on, shape};
use crate::solids::SOLIDS;

/// A cube of 50.
const CUBE: &str = "box(pos, vec3(50, 50, 50))";

/// A sheet above the cube that no affordable cell resolves.
const SHEET: &str = "box(pos - vec3(0, 0, 40), vec3(50, 50, 0.05))";

#[test]
fn thin_parts_beside_large_ones_are_resolved() {
    for (part, volume, top) in [
        (
            "box(pos - vec3(0, 1.234, 40), vec3(20, 0.2, 40))",
            125_140.0,
            60.0,
        ),
        (
            "max(length(vec3(x - 3.3, y - 4.4, 0)) - 0.2, max(-z, z - 60))",
            125_004.398,
            60.0,
        ),
        (
            "max(length(vec3(x - round(x / 5) * 5, y - round(y / 5) * 5, z - 60)) - 0.1, max(abs(x) - 27, abs(y) - 27))",
            125_000.507,
            60.1,
        ),
    ] {
        let of = shape(&format!("min({CUBE}, {part})"));
        let own = Shape::new(&of.tape).unwrap();
        let bounds = Bounds::new([-28.0; 3], [28.0, 28.0, 61.0]).unwrap();
        let settings = MeshSettings::new(bounds, 0.89);
        let resolved = mesh_resolved(&own, &settings, 0.89 / 16.0, ON).unwrap();
        let (mesh, cell) = (&resolved.meshed.mesh, resolved.cell);
        assert_eq!(resolved.missed, None, "{part}: cells of {cell}");
        let off = mesh.volume() - volume;
        assert!(off.abs() < 0.2 * (volume - 125_000.0), "{part}: {off}");
        let [_, high] = mesh.bounding_box().unwrap();
        assert!((high[2] - top).abs() < 0.05, "{part}: {high:?}");
    }
}

#[test]
fn measures_of_thin_parts_beside_large_ones_hold() {
    let pin = "max(length(vec3(x - 3.3, y - 4.4, 0)) - 0.3, max(-z, z - 30))";
    let of = shape(&format!("min(box(pos, vec3(20, 20, 20)), {pin})"));
    let found = told(&of, &Measure::default()).unwrap().measures;
    let volume = 8000.0 + std::f64::consts::PI * 0.09 * 20.0;
    let off = (found.volume.value - volume).abs();
    assert!(off <= found.volume.error && off < 1.0, "{:?}", found.volume);
    let off = (found.bounds.value[1][2] - 30.0).abs();
    assert!(off <= found.bounds.error + 1e-9, "{:?}", found.bounds);
    let wall = found.wall.expect("a wall");
    assert!((wall.value - 0.6).abs() <= wall.error, "{wall:?}");
}

#[test]
fn thin_parts_that_are_too_fine_are_named() {
    let of = shape(&format!("min({CUBE}, {SHEET})"));
    let made = make_mesh(&of, &MakeMesh::default(), &mut on).unwrap().info;
    assert_contains!(made.warnings.join("\n") => "missing here");
    let measured = told(&of, &Measure::default()).unwrap();
    assert_contains!(measured.warnings.join("\n") => "leave it out");
    let found = measured.measures;
    let wall = found.wall.expect("a wall");
    assert!(wall.value - wall.error <= 0.05, "{wall:?}");
    assert!(
        (found.components.value..=found.components.value + found.components.error).contains(&2)
    );
    let top = found.bounds.value[1][2] + found.bounds.error;
    assert!(top >= 40.025, "{:?}", found.bounds);
}

/// Slits, sheets, pins and holes that no affordable cell resolves: what is stated of the rest holds.
#[test]
fn figures_that_leave_out_thin_parts_hold() {
    use std::f64::consts::PI;
    let block = "box(pos, vec3(100, 100, 100))";
    for (text, volume, area, centre) in [
        (
            format!("difference({block}, box(pos - vec3(0.37, 0, 0), vec3(0.02, 200, 200)))"),
            999_800.0,
            79_992.0,
            [0.0; 3],
        ),
        (
            "difference(cylinder(pos, 20, 50), tube(pos, 10.02, 10, 60))".to_owned(),
            PI * 50.0 * (400.0 - 10.02 * 10.02 + 100.0),
            PI * (2.0 * (400.0 - 10.02 * 10.02 + 100.0) + 100.0 * (20.0 + 10.02 + 10.0)),
            [0.0; 3],
        ),
        (
            "union(box(pos, vec3(50, 50, 50)), box(pos - vec3(60, 0, 0), vec3(0.02, 30, 30)))"
                .to_owned(),
            125_018.0,
            16_802.4,
            [60.0 * 18.0 / 125_018.0, 0.0, 0.0],
        ),
        (
            format!("difference({block}, cylinder(pos - vec3(13.3, 7.7, 0), 0.2, 112))"),
            1e6 - PI * 0.04 * 100.0,
            6e4 + PI * (0.4 * 100.0 - 0.08),
            [0.0; 3],
        ),
    ] {
        let measured = told(&shape(&text), &Measure::default()).unwrap();
        let found = &measured.measures;
        assert_contains!(measured.warnings.join("\n") => "leave it out");
        for (figure, truth) in [(found.volume, volume), (found.area, area)] {
            let off = (figure.value - truth).abs();
            assert!(off <= figure.error, "{text}: {figure:?} {truth}");
        }
        let away = (0..3).map(|axis| (found.centre.value[axis] - centre[axis]).powi(2));
        assert!(away.sum::<f64>().sqrt() <= found.centre.error, "{text}");
    }
}

/// Where a given cell loses most of the material, what is stated of the rest holds.
#[test]
fn figures_of_what_is_mostly_missed_hold() {
    let text = "let fx = abs(x - round(x / 1.3) * 1.3) - 0.05; \
                min(max(max(fx, abs(x) - 65.1), max(abs(y) - 40, abs(z - 20) - 20)), box(pos - vec3(0, 0, -1), vec3(130.2, 80, 2)))";
    let measured = told(&shape(text), &Measure::default());
    // 101 fins of 0.1, of which the plate holds nothing.
    let [volume, area] = [
        101.0 * 0.1 * 80.0 * 40.0 + 130.2 * 80.0 * 2.0,
        101.0 * 2.0 * 80.0 * 40.0,
    ];
    match measured {
        Ok(measured) => {
            let found = measured.measures;
            assert!(
                (found.volume.value - volume).abs() <= found.volume.error,
                "{:?}",
                found.volume
            );
            assert!(
                found.area.value + found.area.error >= area,
                "{:?}",
                found.area
            );
            let wall = found.wall.expect("a wall");
            assert!(wall.value - wall.error <= 0.1, "{wall:?}");
        }
        Err(refusal) => assert_eq!(refusal.code, "unresolved"),
    }
}

#[test]
fn the_place_and_the_thickness_of_what_is_missed_are_told() {
    for (text, cell, axis, from, to, thickness) in [
        (format!("min({CUBE}, {SHEET})"), 1.0, 2, 39.9, 40.1, 0.05),
        // A slit that no corner of a cell meets.
        (
            format!("max({CUBE}, 0.02 - abs(x - 3.3))"),
            1.0,
            0,
            3.2,
            3.4,
            0.04,
        ),
        (
            format!("min({CUBE}, length(pos - vec3(0, 0, 41.3)) - 0.2)"),
            1.0,
            2,
            41.0,
            41.6,
            0.4,
        ),
    ] {
        let of = shape(&text);
        let own = Shape::new(&of.tape).unwrap();
        let bounds = Bounds::new([-30.0; 3], [30.0, 30.0, 45.0]).unwrap();
        let settings = MeshSettings::new(bounds, cell);
        let resolved = mesh_resolved(&own, &settings, cell, ON).unwrap();
        let missed = resolved.missed.unwrap_or_else(|| panic!("{text}"));
        assert!((from..to).contains(&missed.at[axis]), "{text}: {missed:?}");
        let ratio = missed.thickness / thickness;
        assert!((0.5..=1.5).contains(&ratio), "{text}: {missed:?}");
    }
}

#[test]
fn nothing_is_missed_of_what_is_resolved() {
    // Of these, slivers beside other faces are thinner than the cells.
    let thin = [
        "gyroid wall",
        "cylinder on a plate",
        "slit",
        "hole up to the side",
    ];
    for solid in SOLIDS.iter().filter(|solid| !thin.contains(&solid.name)) {
        let of = shape(solid.text);
        let own = Shape::new(&of.tape).unwrap();
        let settings = MeshSettings::new(solid.bounds(), solid.cell);
        let resolved = mesh_resolved(&own, &settings, solid.cell, ON).unwrap();
        assert_eq!(resolved.missed, None, "{}", solid.name);
    }
}
