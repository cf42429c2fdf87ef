//! Laws of all measures: moving a part leaves them, scaling scales them, smaller cells keep to the errors.

use fibula::geometry::{Bounds, Figure, Measures};
use proptest::prelude::*;

use super::{cube, measured};

/// The coordinates of a part, as expressions of those in which it is measured.
type Coordinates = [String; 3];

/// A part with walls and gaps that are known, about 3 large.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// A block with a round hole through it, at some distance from a side.
    Block {
        half: [f64; 3],
        radius: f64,
        wall: f64,
    },
    /// A ball with a round hollow in it.
    Shell {
        radius: f64,
        hollow: f64,
        aside: f64,
    },
    /// A ring.
    Ring { large: f64, small: f64 },
}

impl Part {
    fn text(self, [x, y, z]: &Coordinates) -> String {
        match self {
            Part::Block {
                half: [a, b, c],
                radius,
                wall,
            } => {
                let at = a - wall - radius;
                format!(
                    "max(max(max(abs({x}) - {a}, abs({y}) - {b}), abs({z}) - {c}), \
                     {radius} - length(vec3({x} - {at}, {y}, 0)))"
                )
            }
            Part::Shell {
                radius,
                hollow,
                aside,
            } => format!(
                "max(length(vec3({x}, {y}, {z})) - {radius}, {hollow} - length(vec3({x}, {y} - {aside}, {z})))"
            ),
            Part::Ring { large, small } => {
                format!("length(vec3(length(vec3({x}, {y}, 0)) - {large}, {z}, 0)) - {small}")
            }
        }
    }

    /// The thinnest wall and the narrowest gap.
    fn narrowest(self) -> [f64; 2] {
        match self {
            Part::Block { radius, wall, .. } => [wall, 2.0 * radius],
            Part::Shell {
                radius,
                hollow,
                aside,
            } => [radius - hollow - aside, 2.0 * hollow],
            Part::Ring { large, small } => [2.0 * small, 2.0 * (large - small)],
        }
    }

    /// Pieces, cavities and holes.
    fn counts(self) -> [u64; 3] {
        match self {
            Part::Block { .. } | Part::Ring { .. } => [1, 0, 1],
            Part::Shell { .. } => [1, 1, 0],
        }
    }
}

fn part() -> impl Strategy<Value = Part> {
    let block = ([2.2..2.8, 2.0..2.4, 1.0..1.6_f64], 0.6..1.0, 0.6..0.9);
    let shell = (2.2..2.8, 1.0..1.4, 0.0..0.3_f64);
    prop_oneof![
        block.prop_map(|(half, radius, wall)| Part::Block { half, radius, wall }),
        shell.prop_map(|(radius, hollow, aside)| Part::Shell {
            radius,
            hollow,
            aside
        }),
        (1.7..1.9, 0.8..1.0).prop_map(|(large, small)| Part::Ring { large, small }),
    ]
}

fn plain() -> Coordinates {
    ["x", "y", "z"].map(str::to_owned)
}

/// The coordinates before a part was turned about two axes and moved.
fn moved(one: f64, two: f64, by: [f64; 3]) -> Coordinates {
    let ((s, c), (t, d)) = (one.sin_cos(), two.sin_cos());
    let [x, y, z] = ["x", "y", "z"];
    let [x, y, z] = [x, y, z]
        .into_iter()
        .zip(by)
        .map(|(name, by)| format!("({name} - {by})"))
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
    [[c, s, 0.0], [-s * d, c * d, t], [s * t, -c * t, d]]
        .map(|[a, b, e]| format!("({a} * {x} + {b} * {y} + {e} * {z})"))
}

/// Two figures that are of one number, but for a factor.
fn agree(what: &str, one: Figure, other: Figure, factor: f64) -> Result<(), TestCaseError> {
    let apart = (one.value * factor - other.value).abs();
    prop_assert!(
        apart <= one.error * factor + other.error,
        "{what}: {one:?} times {factor} and {other:?}"
    );
    Ok(())
}

fn all_agree(one: &Measures, other: &Measures, scale: f64) -> Result<(), TestCaseError> {
    agree("volume", one.volume, other.volume, scale.powi(3))?;
    agree("area", one.area, other.area, scale.powi(2))?;
    for axis in 0..3 {
        let moment = |measures: &Measures| Figure {
            value: measures.moments.value[axis],
            error: measures.moments.error,
        };
        agree("moments", moment(one), moment(other), scale.powi(5))?;
    }
    for (what, one, other) in [("wall", one.wall, other.wall), ("gap", one.gap, other.gap)] {
        let [one, other] = [one, other].map(|span| {
            let span = span.expect("there is one");
            Figure {
                value: span.value,
                error: span.error,
            }
        });
        agree(what, one, other, scale)?;
    }
    Ok(())
}

/// On a long and gentle slope the search ends before the narrowest place, and the error says so.
#[test]
fn walls_of_almost_even_thickness_have_true_errors() {
    for aside in [0.002_600_245_814_890_228_4, 0.001, 0.005, 0.01, 0.03] {
        let (radius, hollow) = (2.260_282_731_647_078, 1.301_757_508_683_545_3);
        let part = Part::Shell {
            radius,
            hollow,
            aside,
        };
        let wall = measured(&part.text(&plain()), cube(4.2), 0.25).wall;
        let (wall, truth) = (wall.expect("there is one"), radius - hollow - aside);
        assert!(
            (wall.value - truth).abs() <= wall.error,
            "{aside}: {wall:?}, {truth}"
        );
        assert!(wall.error < 0.02, "{aside}: {wall:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(6) })]

    #[test]
    fn measures_move_and_scale_with_the_part(
        part in part(),
        angles in [0.1..1.4, -1.4..1.4],
        by in [-1.0..1.0, -1.0..1.0, -1.0..1.0_f64],
        scale in 0.01..40.0_f64,
    ) {
        let still = measured(&part.text(&plain()), cube(4.2), 0.25);
        let [wall, gap] = part.narrowest();
        for (what, span, truth) in [("wall", still.wall, wall), ("gap", still.gap, gap)] {
            let span = span.expect("there is one");
            prop_assert!((span.value - truth).abs() <= span.error, "{what}: {span:?}, {truth}");
            prop_assert!(span.error < 0.2, "{what}: {span:?}, {truth}");
        }
        let counts = [still.components, still.cavities, still.genus];
        prop_assert_eq!(counts.map(|count| count.value), part.counts());

        let turned = measured(&part.text(&moved(angles[0], angles[1], by)), cube(5.2), 0.25);
        all_agree(&still, &turned, 1.0)?;
        let [low, high] = turned.bounds.value;
        prop_assert!(by.iter().zip(low).all(|(by, low)| low < *by), "{by:?} {:?}", turned.bounds);
        prop_assert!(by.iter().zip(high).all(|(by, high)| high > *by), "{by:?} {:?}", turned.bounds);

        let smaller = plain().map(|name| format!("({name} / {scale})"));
        let bounds = Bounds::new([-4.2 * scale; 3], [4.2 * scale; 3]).unwrap();
        let scaled = measured(&part.text(&smaller), bounds, 0.25 * scale);
        all_agree(&still, &scaled, scale)?;

        let finer = measured(&part.text(&plain()), cube(4.2), 0.18);
        all_agree(&still, &finer, 1.0)?;
        prop_assert!(finer.volume.error < still.volume.error, "{:?} {:?}", finer.volume, still.volume);
    }
}
