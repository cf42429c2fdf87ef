//! Pairs of triangles that cut each other, by an exact test.

use std::collections::HashMap;

use fibula::geometry::{SimplifySettings, TriangleMesh, simplify};
use fibula::service::{MakeMesh, make_mesh};
use fibula_core::vector::{add, cross, length, sub, unit};
use rayon::prelude::*;

use super::ON;
use crate::calls::{on, shape};
use crate::solids::{SOLIDS, Solid};

/// Parts with details so small for their cells that their meshes are not repaired.
pub(super) const TOO_FINE: [&str; 3] = ["thin rim", "graded Schwarz P", "checkerboard"];

/// Describes a part whose mesh has triangles that cut each other, or is no manifold, or is off.
fn wrong(solid: &Solid) -> Vec<String> {
    let mut faults = Vec::new();
    let mut mesh = solid.mesh().unwrap().mesh;
    let before = mesh.cutting_pairs(ON).unwrap().len();
    let area = mesh.area();
    let left = mesh.untangle(ON).unwrap();
    let found = mesh.cutting_pairs(ON).unwrap().len();
    if left != 0 || found != 0 || !mesh.topology().is_sound() {
        faults.push(format!("{before} pairs, {left} left, {found} found"));
    }
    // What is repaired is a small part of the surface.
    if before > 0 && !(0.9..1.01).contains(&(mesh.area() / area)) {
        faults.push(format!("the area was {area} and is {}", mesh.area()));
    }
    for settings in [
        SimplifySettings::within(0.1 * solid.cell),
        SimplifySettings::within(0.5 * solid.cell),
    ] {
        let simple = simplify(&mesh, &settings, ON).unwrap();
        let found = simple.mesh.cutting_pairs(ON).unwrap();
        if !found.is_empty() || found != simple.cutting_pairs || !simple.mesh.topology().is_sound()
        {
            faults.push(format!("{} pairs after {settings:?}", found.len()));
        }
    }
    faults
        .iter()
        .map(|fault| format!("{}: {fault}", solid.name))
        .collect()
}

#[test]
fn no_triangles_cut_each_other() {
    let others = |solid: &&Solid| solid.name != "noise" && !TOO_FINE.contains(&solid.name);
    let parts = SOLIDS.par_iter().filter(others);
    let faults: Vec<String> = parts.flat_map_iter(wrong).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn meshes_are_as_they_were_where_a_repair_would_lose_details() {
    for name in TOO_FINE {
        let solid = SOLIDS.iter().find(|solid| solid.name == name).unwrap();
        let before = solid.mesh().unwrap().mesh;
        let mut after = before.clone();
        let left = after.untangle(ON).unwrap();
        assert!(left > 200 && after == before, "{name}: {left}");
        // What is written is rounded, which adds or removes a few.
        after.round_to_single(f64::INFINITY);
        let left = after.cutting_pairs(ON).unwrap().len();
        let (bounds, cell) = (Some(solid.bounds()), Some(solid.cell));
        let request = with_defaults!(MakeMesh, bounds, cell);
        let made = make_mesh(&shape(solid.text), &request, &mut on).unwrap();
        assert_eq!(made.info.cutting_pairs, left, "{name}");
    }
}

#[test]
fn what_is_written_has_no_cuts_within_its_accuracy() {
    for name in ["gyroid in a cube", "twisted bar", "cone", "hourglass"] {
        let solid = SOLIDS.iter().find(|solid| solid.name == name).unwrap();
        let (bounds, cell) = (Some(solid.bounds()), Some(solid.cell));
        let accuracy = Some(0.2 * solid.cell);
        let request = with_defaults!(MakeMesh, bounds, cell, accuracy);
        let made = make_mesh(&shape(solid.text), &request, &mut on).unwrap();
        assert!(made.mesh.cutting_pairs(ON).unwrap().is_empty(), "{name}");
        assert_eq!(made.info.cutting_pairs, 0, "{name}");
        let is_within = made.info.deviation <= accuracy || !made.info.warnings.is_empty();
        assert!(is_within, "{name}: {:?}", made.info);
    }
}

/// Number of edges at which the normals of both triangles are more than 170 degrees apart.
fn folded_edges(mesh: &TriangleMesh) -> usize {
    let mut sums: HashMap<[u32; 2], [f64; 3]> = HashMap::new();
    for (number, [a, b, c]) in mesh.triangles().iter().enumerate() {
        let [p, q, r] = mesh.corners(number);
        let normal = unit(cross(sub(q, p), sub(r, p))).unwrap();
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let sum = sums.entry([*from.min(to), *from.max(to)]).or_default();
            *sum = add(*sum, normal);
        }
    }
    // The sum of unit vectors that are an angle apart is twice the cosine of its half.
    let least = 2.0 * 85.0_f64.to_radians().cos();
    sums.values().filter(|sum| length(**sum) < least).count()
}

#[test]
fn less_than_a_thousandth_of_the_edges_is_folded() {
    for text in [
        "box(twist(pos, 40), vec3(6, 6, 16))",
        "box(twist(pos, 20), vec3(6, 6, 40))",
        "max(sphere(pos - vec3(0, 0, 8), 10), sphere(pos + vec3(0, 0, 8), 10))",
    ] {
        let made = make_mesh(&shape(text), &MakeMesh::default(), &mut on).unwrap();
        let folded = folded_edges(&made.mesh);
        let edges = 3 * made.mesh.triangles().len() / 2;
        assert!(1000 * folded < edges, "{text}: {folded} of {edges}");
    }
}
