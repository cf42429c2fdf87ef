//! Walls that are thinner than the default cells: found, or refused.

use std::f64::consts::PI;

use fibula::service::{MakeMesh, Measure, make_mesh};

use super::holds;
use super::service::{seen, told};
use crate::calls::on;

/// Parts 40 or 10 units long, so that default cells are 0.4 or 0.1, with their volumes.
const THIN: [(&str, &str, f64); 3] = [
    (
        "fins",
        "max(max(abs(mod(x, 10) - 5) - 0.12, abs(x) - 20), max(abs(y) - 5, abs(z) - 5))",
        4.0 * 0.24 * 100.0,
    ),
    (
        "zone of a shell",
        "max(abs(length(pos) - 5) - 0.03, abs(z) - 0.5)",
        PI * 0.6,
    ),
    (
        "plate",
        "max(max(abs(x + 0.3 * y) - 5, abs(y) - 2), abs(z + 0.2 * x) - 0.03)",
        10.0 * 4.0 * 0.06,
    ),
];

#[test]
fn volumes_of_thin_walls_hold() {
    for (what, text, truth) in THIN {
        let part = seen(text, "millimeter");
        let measured = told(&part, &Measure::default()).expect(what);
        // Coarser meshes may miss all walls, so that the error is as large as the volume; it holds.
        holds(what, measured.measures.volume, truth, 1.01 * truth);
        let made = make_mesh(&part, &MakeMesh::default(), &mut on).expect(what);
        let off = (made.info.volume - truth).abs();
        assert!(off < 0.03 * truth, "{what}: {:?}", made.info);
    }
}

#[test]
fn walls_far_thinner_than_cells_are_refused() {
    // Default cells are 0.4, and 16 times smaller ones are 0.025.
    let fins = "max(max(abs(mod(x, 10) - 5) - 0.005, abs(x) - 20), max(abs(y) - 2, abs(z) - 2))";
    let truth = 4.0 * 0.01 * 16.0;
    let part = seen(fins, "millimeter");
    let measured = told(&part, &Measure::default()).expect_err("figures would be wrong");
    let made = make_mesh(&part, &MakeMesh::default(), &mut on).expect_err("walls would be lost");
    for refusal in [measured, made] {
        assert_eq!(refusal.code, "unresolved", "{refusal}");
        let details = &refusal.details;
        let cell = details["cell"].as_f64().expect("a number");
        assert!((0.002..0.01).contains(&cell), "{refusal}");
        let [value, error] = ["value", "error"].map(|name| {
            let number = details["volume"][name].as_f64();
            number.expect("a number")
        });
        assert!((value - truth).abs() <= error, "{value} +- {error}");
    }
}

#[test]
fn cells_that_were_asked_for_are_kept() {
    let (_, fins, truth) = THIN[0];
    let part = seen(fins, "millimeter");
    let coarse = with_defaults!(Measure, cell: Some(0.7));
    let refusal = told(&part, &coarse).expect_err("figures would be wrong");
    assert_eq!(refusal.code, "unresolved", "{refusal}");
    let coarse = with_defaults!(MakeMesh, cell: Some(0.7));
    match make_mesh(&part, &coarse, &mut on) {
        Ok(made) => {
            assert!((made.info.volume - truth).abs() > 0.1 * truth);
            let warnings = made.info.warnings.join("\n");
            assert_contains!(warnings => "too large for walls or gaps");
        }
        Err(refusal) => assert_eq!(refusal.code, "empty_shape"),
    }
}

/// Where a box cuts the walls of a gyroid, meshes have short ways that the function refuses, and many walls taper to nothing.
#[test]
fn walls_and_gaps_of_a_gyroid_in_a_box_are_known() {
    let part = seen(
        "max(gyroid(pos, 10, 1), box(pos, vec3(20, 20, 20)))",
        "millimeter",
    );
    // The least that is found with cells of many sizes, and from 400 000 points of the surface straight to the next side.
    // At some sizes oblique ways were found, which are shorter.
    for cell in [0.3, 0.4, 0.75] {
        let request = with_defaults!(Measure, cell: Some(cell));
        let measures = told(&part, &request).expect("measures").measures;
        for (what, span, truth) in [
            ("wall", measures.wall, 1.023_34),
            ("gap", measures.gap, 3.290_68),
        ] {
            let span = span.expect(what);
            let off = (span.value - truth).abs();
            assert!(
                off <= span.error && span.error < 0.51 * cell && off < 0.1 * cell,
                "{what}: {span:?} with cells of {cell}"
            );
        }
    }
}
