//! Meshes are measured as they are: exact sums over their triangles.

use std::f64::consts::PI;

use fibula::geometry::{Count, Figure};
use fibula::service::{Measure, MeasureResult, Service, Subject};
use serde_json::{Value as Json, json};

use super::holds;
use super::service::told;
use crate::calls::apply;

/// Vertices, and triangles that face outwards.
type Surface = (Vec<[f64; 3]>, Vec<[u32; 3]>);

/// A prism with a regular polygon around the z axis.
fn prism(sides: u32, radius: f64, height: f64) -> Surface {
    let corner = |index: u32, z: f64| {
        let angle = 2.0 * PI * f64::from(index) / f64::from(sides);
        [radius * angle.cos(), radius * angle.sin(), z]
    };
    let lower = (0..sides).map(|index| corner(index, 0.0));
    let vertices = lower.chain((0..sides).map(|index| corner(index, height)));
    let mut triangles = Vec::new();
    for index in 0..sides {
        let next = (index + 1) % sides;
        triangles.extend([
            [index, next, sides + next],
            [index, sides + next, sides + index],
        ]);
        if index > 1 {
            triangles.extend([
                [0, index, index - 1],
                [sides, sides + index - 1, sides + index],
            ]);
        }
    }
    (vertices.collect(), triangles)
}

/// A cuboid between two corners.
fn cuboid(low: [f64; 3], high: [f64; 3]) -> Surface {
    let (vertices, triangles) = prism(4, 1.0, 1.0);
    // The polygon has its corners on the axes.
    let turned = vertices
        .into_iter()
        .map(|[x, y, z]| [x - y + 1.0, x + y + 1.0, 2.0 * z]);
    let place = |at: [f64; 3]| {
        [0, 1, 2].map(|axis| low[axis] + (high[axis] - low[axis]) * (at[axis] / 2.0).round())
    };
    (turned.map(place).collect(), triangles)
}

/// Four triangles above and four below a square.
fn diamond() -> Surface {
    let vertices = [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]];
    let mut vertices: Vec<[f64; 3]> = vertices.iter().map(|at| at.map(f64::from)).collect();
    vertices.extend([[0.0, 0.0, 0.5], [0.0, 0.0, -0.5]]);
    let sides = (0..4).flat_map(|side| {
        let next = (side + 1) % 4;
        [[side, next, 4], [next, side, 5]]
    });
    (vertices, sides.collect())
}

fn inverted((vertices, triangles): Surface) -> Surface {
    (
        vertices,
        triangles.into_iter().map(|[a, b, c]| [a, c, b]).collect(),
    )
}

/// Both in one mesh.
fn joined(one: Surface, other: Surface) -> Surface {
    let first = one.0.len() as u32;
    let others = other
        .1
        .into_iter()
        .map(|corners| corners.map(|corner| first + corner));
    (
        [one.0, other.0].concat(),
        one.1.into_iter().chain(others).collect(),
    )
}

/// Measures the build of some meshes, each with a transform, as agents ask for it.
fn built(meshes: &[(Surface, Option<[f64; 12]>)], request: &Measure) -> MeasureResult {
    let service = Service::default();
    let mut edits = Vec::new();
    for (number, ((vertices, triangles), transform)) in meshes.iter().enumerate() {
        let alias = format!("$mesh{number}");
        edits.push(
            json!({"set_mesh": {"alias": alias, "vertices": vertices, "triangles": triangles}}),
        );
        let mut item = json!({"object_id": alias});
        if let Some(transform) = transform {
            item["transform"] = json!(transform);
        }
        edits.push(json!({"create_build_item": item}));
    }
    apply(&service, Json::Array(edits)).expect("meshes");
    let seen = service.resolve_shape(None, None, &Subject::default());
    told(&seen.expect("a build"), request).expect("measures")
}

fn whole(surface: Surface) -> Vec<(Surface, Option<[f64; 12]>)> {
    vec![(surface, None)]
}

/// Sums over triangles that face opposite ways are those of no solid.
#[test]
fn turned_triangles_are_measured_on_a_grid() {
    let (vertices, mut triangles) = cuboid([0.0; 3], [10.0; 3]);
    triangles[0].swap(1, 2);
    let measured = built(&whole((vertices, triangles)), &Measure::default());
    let warnings = measured.warnings.join("; ");
    assert_contains!(warnings => "3 edges of the mesh have triangles that face opposite ways");
    let holds = |figure, truth: f64| super::holds(&warnings, figure, truth, 0.01 * truth);
    holds(measured.measures.volume, 1000.0);
    holds(measured.measures.area, 600.0);
}

#[test]
fn sums_over_triangles_are_exact() {
    const MIRRORED: [f64; 12] = [-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 40.0, 0.0, 7.0];
    let polygon =
        |sides: f64, radius: f64| sides / 2.0 * radius * radius * (2.0 * PI / sides).sin();
    let round = |sides: f64, radius: f64| 2.0 * sides * radius * (PI / sides).sin();
    let brick = || cuboid([10.0, -20.0, 5.0], [12.0, -17.0, 9.0]);
    let hollow = || {
        joined(
            cuboid([0.0; 3], [4.0; 3]),
            inverted(cuboid([1.0; 3], [2.0, 3.0, 3.0])),
        )
    };
    // Volume, area, pieces, cavities and overhang.
    let cases = [
        (
            whole(prism(24, 3.0, 5.0)),
            polygon(24.0, 3.0) * 5.0,
            2.0 * polygon(24.0, 3.0) + round(24.0, 3.0) * 5.0,
            [1, 0],
            0.0,
        ),
        (whole(brick()), 24.0, 52.0, [1, 0], 0.0),
        (whole(inverted(brick())), 24.0, 52.0, [1, 0], 0.0),
        (whole(hollow()), 60.0, 96.0 + 16.0, [1, 1], 2.0),
        (
            whole(diamond()),
            2.0 / 3.0,
            4.0 * 1.5_f64.sqrt(),
            [1, 0],
            2.0 * 1.5_f64.sqrt(),
        ),
        (
            vec![
                (brick(), None),
                (prism(7, 2.0, 1.0), Some(MIRRORED)),
                (hollow(), None),
            ],
            84.0 + polygon(7.0, 2.0),
            164.0 + 2.0 * polygon(7.0, 2.0) + round(7.0, 2.0),
            [3, 1],
            // The undersides of the first two, and the ceiling of the hollow.
            6.0 + polygon(7.0, 2.0) + 2.0,
        ),
    ];
    for (meshes, volume, area, [pieces, cavities], overhang) in cases {
        let measures = built(&meshes, &Measure::default()).measures;
        let what = format!("{measures:?}");
        let holds = |figure: Figure, truth: f64| {
            // The truths here have rounding errors themselves.
            let Figure { value, error } = figure;
            let figure = Figure {
                value,
                error: error.max(1e-14 * area),
            };
            super::holds(&what, figure, truth, 1e-11 * area.max(volume));
        };
        holds(measures.volume, volume);
        holds(measures.area, area);
        holds(measures.overhang, overhang);
        let count = |value| Count { value, error: 0 };
        assert_eq!(measures.components, count(pieces), "{what}");
        assert_eq!(measures.cavities, count(cavities), "{what}");
        assert_eq!(measures.genus, count(0), "{what}");
        assert!(
            measures.closed && measures.manifold && measures.oriented,
            "{what}"
        );
        let triangles: usize = meshes
            .iter()
            .map(|((_, triangles), _)| triangles.len())
            .sum();
        assert_eq!(measures.triangles, triangles);
        assert!(measures.cell <= 0.0, "{what}");
        assert!(measures.bounds.error <= 0.0, "{what}");
    }
}

#[test]
fn boxes_walls_and_gaps_of_meshes_hold() {
    let brick = cuboid([10.0, -20.0, 5.0], [12.0, -17.0, 9.0]);
    let other = cuboid([12.25, -20.0, 5.0], [16.0, -17.0, 9.0]);
    let request = with_defaults!(Measure, thickness_at: Some([13.0, -18.0, 7.0]));
    let measures = built(&[(brick, None), (other, None)], &request).measures;
    assert_eq!(
        measures.bounds.value,
        [[10.0, -20.0, 5.0], [16.0, -17.0, 9.0]]
    );
    for (what, span, truth) in [
        ("wall", measures.wall, 2.0),
        ("gap", measures.gap, 0.25),
        ("thickness", measures.thickness, 3.0),
    ] {
        let span = span.unwrap_or_else(|| panic!("{what}"));
        let figure = Figure {
            value: span.value,
            error: span.error + 1e-12,
        };
        holds(what, figure, truth, 0.1);
    }
}

#[test]
fn unions_and_open_meshes_are_measured_on_a_grid() {
    let one = cuboid([0.0; 3], [4.0; 3]);
    let shifted = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 1.0, 0.5];
    let measured = built(
        &[(one.clone(), None), (one.clone(), Some(shifted))],
        &Measure::default(),
    );
    holds(
        "union",
        measured.measures.volume,
        128.0 - 2.0 * 3.0 * 3.5,
        0.5,
    );
    assert_contains!(measured.warnings.join("\n") => "share volume");
    // The same as shells of one mesh; one within the other; and one that faces inwards, beside the other.
    let moved = |(vertices, triangles): &(Vec<[f64; 3]>, Vec<[u32; 3]>), by: f64, size: f64| {
        let vertices = vertices.iter().map(|at| at.map(|part| part * size + by));
        (vertices.collect::<Vec<_>>(), triangles.clone())
    };
    let small = moved(&one, 1.0, 0.25);
    let (vertices, triangles) = moved(&one, 9.0, 0.5);
    let inverted = (
        vertices,
        triangles.into_iter().map(|[a, b, c]| [a, c, b]).collect(),
    );
    for (other, volume) in [
        (moved(&one, 2.0, 1.0), 120.0),
        (small, 64.0),
        (inverted, 64.0),
    ] {
        let (mut vertices, mut triangles) = one.clone();
        let first = vertices.len() as u32;
        vertices.extend(other.0);
        triangles.extend(
            other
                .1
                .into_iter()
                .map(|corners| corners.map(|corner| first + corner)),
        );
        let measured = built(&whole((vertices, triangles)), &Measure::default());
        holds("shells", measured.measures.volume, volume, 0.5);
        assert_contains!(measured.warnings.join("\n") => "share volume");
    }
    let (vertices, mut triangles) = prism(12, 2.0, 3.0);
    triangles.pop();
    let measured = built(&whole((vertices, triangles)), &Measure::default());
    assert!(!measured.measures.closed);
    assert_contains!(measured.warnings.join("\n") => "not closed, 3 edges");
}
