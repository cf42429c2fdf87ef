//! Lattices: sheets, and shares of space.

use super::super::{LibraryFunction, UpperLimit, functions};
use super::{length, points, slope, tape};

/// Sheets have the same thickness everywhere: both their sides are half of it away from the surface.
#[test]
fn sheets_are_as_thick_as_they_say() {
    const PERIOD: f64 = 5.0;
    const SURFACES: [(&str, &str); 4] = [
        ("gyroid", "s.x * c.y + s.y * c.z + s.z * c.x"),
        ("schwarz_p", "c.x + c.y + c.z"),
        ("schwarz_d", "c.x * c.y * c.z - s.x * s.y * s.z"),
        (
            "iwp",
            "2 * (c.x * c.y + c.y * c.z + c.z * c.x) - (cos(2 * u.x) + cos(2 * u.y) + cos(2 * u.z))",
        ),
    ];
    let along = |at: [f64; 3], by: f64, normal: [f64; 3]| {
        [0, 1, 2].map(|axis| at[axis] + by * normal[axis])
    };
    for (name, formula) in SURFACES {
        let surface = tape(&format!(
            "let u = pos * 2 * pi / {PERIOD}; let s = sin(u); let c = cos(u); {formula}"
        ));
        // The signed distance to the plane of a level at a point, and its unit normal.
        let plane = |at: [f64; 3]| {
            let (value, gradient, _) = slope(&surface, at);
            let steepness = length(gradient);
            (value / steepness, gradient.map(|part| part / steepness))
        };
        let at_most = if name == "iwp" { 0.15 } else { 0.2 };
        for share in [0.04, 0.1, at_most] {
            let half = share * PERIOD / 2.0;
            let sheet = tape(&format!("{name}_sheet(pos, {PERIOD}, {})", 2.0 * half));
            // Where the gradient vanishes.
            for corner in [0.0, 0.125, 0.25, 0.5] {
                let value = sheet.at([corner * PERIOD; 3])[0];
                assert!(value < PERIOD, "{name} {share}: {value} at {corner}");
            }
            let (mut sides, mut solid) = (0, 0);
            for point in points().step_by(5) {
                let mut foot = point;
                for _ in 0..60 {
                    let (off, normal) = plane(foot);
                    foot = along(foot, -off.clamp(-0.3, 0.3), normal);
                }
                let (off, normal) = plane(foot);
                if off.abs() < 1e-12 {
                    for side in [-half, half] {
                        let value = sheet.at(along(foot, side, normal))[0];
                        assert!(value.abs() < 0.02 * half, "{name} {share}: {value}");
                        sides += 1;
                    }
                }
                assert!(sheet.at(point)[0] < PERIOD, "{name} {share} at {point:?}");
                if sheet.at(point)[0] < 0.0 {
                    let mut foot = point;
                    for _ in 0..60 {
                        let (off, normal) = plane(foot);
                        let to_foot = [0, 1, 2].map(|axis| foot[axis] - point[axis]);
                        let height = (0..3).map(|axis| to_foot[axis] * normal[axis]).sum::<f64>();
                        foot = along(point, height - off, normal);
                    }
                    let (rest, _) = plane(foot);
                    let distance = length([0, 1, 2].map(|axis| foot[axis] - point[axis]));
                    assert!(rest.abs() < 1e-6, "{name} {share}: {rest} at {point:?}");
                    assert!(
                        distance < 1.02 * half,
                        "{name} {share}: {distance} at {point:?}"
                    );
                    solid += 1;
                }
            }
            assert!(
                sides > 1_000 && solid > 50,
                "{name} {share}: {sides} {solid}"
            );
        }
    }
}

/// The share of space that lattices fill is the one that was asked for, within half a percentage point.
#[test]
fn lattices_fill_the_share_that_was_asked_for() {
    let is_sized =
        |function: &&LibraryFunction| function.inputs.iter().any(|input| input.name == "fraction");
    let mut count = 0;
    for function in functions().iter().filter(is_sized) {
        let name = &function.name;
        for share in [0.06, 0.15, 0.3, 0.5, 0.7, 0.8, 0.9] {
            let fraction = function
                .inputs
                .iter()
                .find(|input| input.name == "fraction");
            let fraction = fraction.expect("it is sized");
            let at_most = match fraction.at_most {
                Some(UpperLimit::Number(most)) => most,
                _ => f64::INFINITY,
            };
            if fraction.above.is_some_and(|least| share <= least) || share > at_most {
                continue;
            }
            let call = if function.takes_point() {
                format!("{name}(pos, 5, {share})")
            } else {
                let (lattice, _) = name.rsplit_once('_').expect("a lattice and its size");
                format!("{lattice}(pos, 5, {name}(5, {share}))")
            };
            let tape = tape(&call);
            let mut evaluator = tape.evaluator();
            let total = 30_000;
            let steps = [
                0.819_172_513_396_2,
                0.671_043_606_703_8,
                0.549_700_477_901_9,
            ];
            let places =
                (1..=total).map(|index| steps.map(|step| 5.0 * (f64::from(index) * step).fract()));
            let solid = places.filter(|place| {
                let mut value = [0.0];
                evaluator.run(place, &mut value);
                value[0] < 0.0
            });
            let found = solid.count() as f64 / f64::from(total);
            assert!((found - share).abs() < 0.006, "{call} fills {found}");
            count += 1;
        }
    }
    assert_eq!(count, 104);
}
