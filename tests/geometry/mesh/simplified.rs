//! Meshes of fewer triangles: still what every mesh is, and never farther off than they say.

use std::ops::ControlFlow;

use fibula::geometry::{Bounds, SimplifiedMesh, SimplifySettings, TriangleMesh, simplify};
use fibula::graph::Content;
use fibula_nodes::Query;
use proptest::prelude::*;

use super::shapes::combined;
use super::{ON, cube, meshed};
use crate::calls::{stop, stop_if};

/// The largest distance from points all over one mesh to the other.
fn one_sided(from: &TriangleMesh, to: &TriangleMesh) -> f64 {
    let to = to.clone().into_oracle().unwrap();
    let distance = to.oracle(Query::UnsignedDistance).unwrap();
    let longest = |[a, b, c]: [[f64; 3]; 3]| {
        let side = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>();
        side(a, b).max(side(b, c)).max(side(c, a)).sqrt()
    };
    let all = (0..from.triangles().len()).map(|t| from.corners(t));
    let mean = all.clone().map(longest).sum::<f64>() / from.triangles().len() as f64;
    let mut most: f64 = 0.0;
    for [a, b, c] in all {
        let steps = ((3.0 * longest([a, b, c]) / mean).ceil() as usize).clamp(2, 12);
        for i in 0..=steps {
            for j in 0..=steps - i {
                let (u, v) = (i as f64 / steps as f64, j as f64 / steps as f64);
                let at = [0, 1, 2].map(|k| a[k] + u * (b[k] - a[k]) + v * (c[k] - a[k]));
                most = most.max(distance.sample(at, 0));
            }
        }
    }
    most
}

/// Asserts the laws of every simplified mesh.
fn check(before: &TriangleMesh, after: &SimplifiedMesh, tolerance: f64) {
    let (was, topology) = (before.topology(), after.mesh.topology());
    assert!(topology.is_sound(), "{topology:?}");
    assert_eq!(topology.components, was.components);
    assert_eq!(topology.genus(), was.genus());
    assert!(after.deviation <= tolerance);
    let slack = 1e-9 * before.area().sqrt();
    for (from, to) in [(before, &after.mesh), (&after.mesh, before)] {
        let off = one_sided(from, to);
        assert!(off <= after.deviation + slack, "{off} {}", after.deviation);
    }
    let volume = (after.mesh.volume() - before.volume()).abs();
    let most = before.area().max(after.mesh.area()) * after.deviation;
    assert!(volume <= 1.1 * most + slack, "{volume} {most}");
    let all: std::collections::BTreeSet<_> = before.vertices().iter().map(bits).collect();
    let mut vertices = after.mesh.vertices().iter();
    assert!(vertices.all(|at| all.contains(&bits(at))));
}

fn bits(at: &[f64; 3]) -> [u64; 3] {
    at.map(f64::to_bits)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn solids_stay_solids_within_the_tolerance(text in combined(), cell in 0.2..0.5, part in 0.001..1.0) {
        let bounds = Bounds::new([-4.0, -3.0, -3.5], [4.0, 4.5, 3.0]).unwrap();
        if let Ok(before) = meshed(&text, bounds, cell) {
            let before = before.mesh;
            let tolerance = part * cell;
            let after = simplify(&before, &SimplifySettings::within(tolerance), ON).unwrap();
            check(&before, &after, tolerance);
            let wanted = before.triangles().len() / 3;
            let fewer = simplify(&before, &SimplifySettings::to(wanted), ON).unwrap();
            check(&before, &fewer, f64::INFINITY);
            let left = fewer.mesh.triangles().len();
            // What is thinner than a cell is lace and crumbs: each hole and each piece keeps some triangles.
            let topology = before.topology();
            let holes = topology.genus().unwrap_or_default() as usize;
            let least = 200 + 40 * holes + 20 * topology.components;
            prop_assert!(left <= wanted || left <= least, "{left} and not {wanted}: {topology:?}");
            prop_assert!(left + 2 > wanted);
        }
    }
}

#[test]
fn flat_faces_become_few_triangles_and_edges_stay() {
    let text = "max(max(abs(x) - 3, abs(y) - 2), abs(z) - 1)";
    let before = meshed(text, cube(4.0), 0.25).unwrap().mesh;
    let after = simplify(&before, &SimplifySettings::within(1e-4), ON).unwrap();
    check(&before, &after, 1e-4);
    assert!(before.triangles().len() > 2000);
    assert_eq!(after.mesh.triangles().len(), 12);
    assert!((after.mesh.volume() - 48.0).abs() < 1e-3);
    // With a hole through it, whose rims are edges, too.
    let text = "max(max(max(abs(x) - 3, abs(y) - 2), abs(z) - 1), 1 - max(abs(x), abs(y)))";
    let before = meshed(text, cube(4.0), 0.25).unwrap().mesh;
    let after = simplify(&before, &SimplifySettings::within(1e-4), ON).unwrap();
    check(&before, &after, 1e-4);
    assert!(after.mesh.triangles().len() <= 40);
    assert!((after.mesh.volume() - 40.0).abs() < 1e-3);
}

#[test]
fn round_ones_become_as_coarse_as_they_may() {
    let before = meshed("length(pos) - 5", cube(6.0), 0.2).unwrap().mesh;
    let mut counts = Vec::new();
    for tolerance in [0.02, 0.08, 0.32] {
        let after = simplify(&before, &SimplifySettings::within(tolerance), ON).unwrap();
        check(&before, &after, tolerance);
        counts.push(after.mesh.triangles().len());
    }
    // Triangles whose sides are s long stand off by s^2 / 6r at least: 4 times the tolerance, a quarter of them.
    let ideal = |tolerance: f64| 100.0 * std::f64::consts::PI / (0.433 * 6.0 * 5.0 * tolerance);
    println!("{} of {counts:?}", before.triangles().len());
    for (count, tolerance) in counts.iter().zip([0.02, 0.08, 0.32]) {
        let ideal = ideal(tolerance);
        assert!((*count as f64) < 5.0 * ideal, "{count} {ideal}");
    }
}

#[test]
fn what_is_open_stays_at_its_rim() {
    let whole = meshed("length(pos) - 5", cube(6.0), 0.4).unwrap().mesh;
    let (vertices, triangles) = whole.into_parts();
    let upper = |t: &[u32; 3]| t.iter().all(|&corner| vertices[corner as usize][2] > 1.0);
    let cut: Vec<[u32; 3]> = triangles.iter().copied().filter(upper).collect();
    let before = TriangleMesh::new(vertices, cut).unwrap();
    let after = simplify(&before, &SimplifySettings::within(0.1), ON).unwrap();
    let (was, is) = (before.topology(), after.mesh.topology());
    assert!(is.triangles * 2 < was.triangles);
    assert_eq!(is.open_edges, was.open_edges);
    assert!(is.is_manifold() && is.is_oriented() && is.degenerate_triangles == 0);
    assert!(one_sided(&before, &after.mesh) <= after.deviation);
}

#[test]
fn it_is_the_same_on_any_number_of_threads_and_ends_when_asked() {
    let before = meshed(
        "length(vec3(length(vec3(x, y, 0)) - 4, z, 0)) - 1.5",
        cube(6.0),
        0.2,
    );
    let before = before.unwrap().mesh;
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let how = SimplifySettings::within(0.02);
        pool.unwrap()
            .install(|| simplify(&before, &how, ON).unwrap())
    };
    assert!(with(1) == with(3));
    let none = simplify(&before, &SimplifySettings::within(0.0), ON).unwrap();
    check(&before, &none, 0.0);
    let ended = simplify(&before, &SimplifySettings::to(4), &stop);
    assert!(ended.is_err());
    let few = simplify(&before, &SimplifySettings::to(4), ON).unwrap();
    check(&before, &few, f64::INFINITY);
    let count = few.mesh.triangles().len();
    assert!(count < 100, "{count}");
    let nothing = TriangleMesh::default();
    let simple = simplify(&nothing, &SimplifySettings::to(0), ON).unwrap();
    assert_eq!(simple.mesh, nothing);
}

#[test]
fn bodies_that_share_an_edge_keep_their_insides() {
    let vertices = vec![
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 0.5],
        [0.9, 0.3, 0.5],
        [-1.0, 0.0, 0.5],
        [-0.9, -0.3, 0.5],
    ];
    let body = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, d, b], [a, c, d], [b, d, c]];
    let triangles = [body([0, 1, 2, 3]), body([0, 1, 4, 5])].concat();
    let before = TriangleMesh::new(vertices, triangles).unwrap();
    assert_eq!(before.topology().branching_edges, 1);
    let after = simplify(&before, &SimplifySettings::to(4), ON)
        .unwrap()
        .mesh;
    let sides: std::collections::BTreeSet<[u32; 3]> = after
        .triangles()
        .iter()
        .map(|&(mut corners)| {
            corners.sort_unstable();
            corners
        })
        .collect();
    assert_eq!(sides.len(), after.triangles().len(), "two sides of one");
    assert!((after.volume() - before.volume()).abs() < 1e-12);
}

#[test]
fn what_is_no_tolerance_is_refused_and_the_beginning_ends_when_asked() {
    let before = meshed("length(pos) - 5", cube(6.0), 0.2).unwrap().mesh;
    for tolerance in [f64::NAN, -0.1] {
        let refused = simplify(&before, &SimplifySettings::within(tolerance), ON).err();
        assert_eq!(refused.map(|error| error.code()), Some("invalid_value"));
    }
    // So many are few enough at once, so that only the beginning, and the search for cuts, can be ended.
    let all = SimplifySettings::to(usize::MAX);
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let count = |_, _| {
        asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    simplify(&before, &all, &count).unwrap();
    let asked = asked.into_inner();
    assert!(asked >= before.vertices().len() / 1024, "{asked}");
    for last in [0, 2, asked / 2] {
        let left = std::sync::atomic::AtomicUsize::new(last);
        let until = |_, _| {
            let is_last = left.fetch_sub(1, std::sync::atomic::Ordering::Relaxed) == 0;
            stop_if(is_last)
        };
        let ended = simplify(&before, &all, &until).err();
        assert_eq!(ended.map(|error| error.code()), Some("cancelled"));
    }
}

#[test]
fn cuts_are_avoided_only_within_the_number_of_triangles_that_is_asked_for() {
    // A ball and a turned ring within a box, whose walls meet in cells that are large for them.
    let ball = "length(vec3(x, y - 1.921875, z - 1.1875)) - 2.265625";
    let [cos, sin] = [-0.872_587_211_224_059_2, 0.488_458_349_102_785_8];
    let [x, y, z] = ["(x - 1.890625)", "(y + 0.078125)", "(z - 0.0625)"];
    let turned = format!("({cos} * {y} - {sin} * {x})");
    let [u, v, w] = [
        format!("{cos} * {x} + {sin} * {y}"),
        format!("{cos} * {turned} + {sin} * {z}"),
        format!("{cos} * {z} - {sin} * {turned}"),
    ];
    let ring =
        format!("length(vec3(length(vec3({u}, {v}, 0)) - 1.515625, {w}, 0)) - 1.390625 * 0.4");
    let walls = "max(max(abs(x - 0.5) - 2.046875, abs(y + 1.90625) - 1.8125), abs(z + 0.140625) - 1.765625)";
    let text = format!("max(min({ball}, {ring}), {walls})");
    let bounds = Bounds::new([-4.0, -3.0, -3.5], [4.0, 4.5, 3.0]).unwrap();
    let before = meshed(&text, bounds, 0.26807).unwrap().mesh;
    let mut cuts = 0;
    for wanted in [400, 300, 226, 150, 100] {
        let fewer = simplify(&before, &SimplifySettings::to(wanted), ON).unwrap();
        assert_eq!(fewer.mesh.triangles().len(), wanted);
        assert!(fewer.deviation < 0.5, "{wanted}: {}", fewer.deviation);
        cuts += fewer.cutting_pairs.len();
    }
    assert!(cuts > 0);
}
