//! Exports of the forty parts in every format, as their readers have them: manifolds without cuts, as near to the surface as
//! the answer says.
//!
//! `FIBULA_EXPORTS=fine` takes the default cells and half the accuracy of all parts, which takes minutes.

use fibula::geometry::{Bounds, Sampler, TriangleMesh};
use fibula::service::{MakeMesh, MeshFile, MeshMade, PartsMade, make_mesh};
use fibula_eval::{Rounding, Settings};

use super::ON;
use super::cuts::TOO_FINE;
use super::reader::{Defects, read};
use crate::calls::{on, shape};
use crate::measure::solids::random;
use crate::solids::{SOLIDS, Solid};

/// Points of a mesh that are compared with the function, and points around each.
const POINTS: usize = 500;
const AROUND: usize = 300;

/// Parts in which thousands of triangles cut each other at coarse cells: their simplification takes minutes.
const SLOW: [&str; 2] = ["graded Schwarz P", "noise"];

fn is_fine() -> bool {
    std::env::var("FIBULA_EXPORTS").is_ok_and(|text| text == "fine")
}

/// The parts that are exported.
pub(super) fn parts() -> Vec<&'static Solid> {
    let is_exported = |solid: &&Solid| is_fine() || !SLOW.contains(&solid.name);
    SOLIDS.iter().filter(is_exported).collect()
}

/// The mesh of a part.
pub(super) fn exported(solid: &Solid) -> MeshMade {
    let bounds = Some(solid.bounds());
    let request = if is_fine() {
        with_defaults!(MakeMesh, bounds, accuracy: Some(0.1 * solid.cell))
    } else {
        with_defaults!(MakeMesh, bounds, cell: Some(solid.cell), accuracy: Some(0.2 * solid.cell))
    };
    let made = make_mesh(&shape(solid.text), &request, &mut on);
    made.unwrap_or_else(|refusal| panic!("{}: {refusal}", solid.name))
}

/// Number of points of a mesh within whose distance from the surface, as the answer has it, the function has one sign only.
fn too_far(solid: &Solid, made: &MeshMade) -> usize {
    let deviation = made.info.deviation.expect("there is an accuracy");
    let triangles = made.mesh.triangles().len();
    let point = |number: usize| {
        let own = |place: u64| random(5 * number as u64 + place);
        let corners = made.mesh.corners((own(0) * triangles as f64) as usize);
        let (mut u, mut v) = (own(1), own(2));
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        [0, 1, 2].map(|axis| {
            let [a, b, c] = corners.map(|corner| corner[axis]);
            a + u * (b - a) + v * (c - a)
        })
    };
    // Numbers are rounded to single precision, of the samples too.
    let radius = 1.05 * deviation + 1e-5;
    let around = |number: usize, count: usize| {
        let at = point(number);
        (0..count).map(move |place| {
            let own =
                |part: u64| random((number * count + place) as u64 * 7 + part + 1_000_000_007);
            let (z, turn) = (2.0 * own(0) - 1.0, std::f64::consts::TAU * own(1));
            let across = (1.0 - z * z).sqrt();
            let reach = radius * if place % 2 == 0 { 1.0 } else { own(2) };
            let toward = [across * turn.cos(), across * turn.sin(), z];
            [0, 1, 2].map(|axis| at[axis] + reach * toward[axis])
        })
    };
    let without_surface = |numbers: Vec<usize>, count: usize| -> Vec<usize> {
        let points = numbers.iter().flat_map(|number| around(*number, count));
        let inside = inside(solid, &points.collect::<Vec<_>>());
        let balls = numbers.into_iter().zip(inside.chunks(count));
        let has_one_sign = |own: &[bool]| own.iter().all(|is| *is == own[0]);
        let missed = balls.filter(|(_, own)| has_one_sign(own));
        missed.map(|(number, _)| number).collect()
    };
    // Of an edge, little may be within a ball.
    let missed = without_surface((0..POINTS).collect(), AROUND);
    without_surface(missed, 100 * AROUND).len()
}

fn inside(solid: &Solid, points: &[[f64; 3]]) -> Vec<bool> {
    let own = shape(solid.text);
    let columns = [0, 1, 2].map(|axis| points.iter().map(|at| at[axis]).collect::<Vec<f64>>());
    let mut values = vec![0.0; points.len()];
    let code = own.tape.code(Rounding::Exact);
    let sampler = Sampler::<f64>::from_code(code, Settings::default());
    let inputs = columns.each_ref().map(Vec::as_slice);
    sampler.points(&inputs, &mut [&mut values[..]], ON).unwrap();
    let bounds: Bounds = solid.bounds();
    let both = values.iter().zip(points);
    both.map(|(value, at)| *value < 0.0 && bounds.contains(*at))
        .collect()
}

/// Describes what is wrong with the exports of a part.
fn wrong(solid: &Solid) -> Vec<String> {
    let made = exported(solid);
    let mut faults = Vec::new();
    let (info, is_resolved) = (&made.info, is_fine() || !TOO_FINE.contains(&solid.name));
    if !(info.closed && info.manifold && info.oriented) || is_resolved != (info.cutting_pairs == 0)
    {
        faults.push(format!("{info:?}"));
    }
    let far = too_far(solid, &made);
    if far > 0 {
        faults.push(format!(
            "{far} points are farther than {:?}",
            info.deviation
        ));
    }
    let cuts = info.cutting_pairs;
    let parts = PartsMade::of(solid.name, made);
    for file in MeshFile::all() {
        let mut bytes = Vec::new();
        parts.write_file(file, &mut bytes).unwrap();
        let read = read(file, &bytes);
        let defects = read.defects();
        let (vertices, triangles) = read.merged();
        let found = TriangleMesh::new(vertices, triangles).unwrap();
        let found = found.cutting_pairs(ON).unwrap().len();
        if defects != Defects::default() || found != cuts {
            faults.push(format!(
                "{} has {defects:?}, {found} cuts, not {cuts}",
                file.name()
            ));
        }
    }
    faults
        .iter()
        .map(|fault| format!("{}: {fault}", solid.name))
        .collect()
}

#[test]
fn exports_of_forty_parts_hold() {
    let faults: Vec<String> = parts().into_iter().flat_map(wrong).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
