//! Laws of every mesh, of whatever shape.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fibula::geometry::{Bounds, MeshError, MeshSettings, Shape, ShapeMesh, mesh};
use fibula::graph::{Content, Document};
use fibula::{eval::Tape, expression, library};
use fibula_nodes::{Oracle, Query, ResourceKind};
use proptest::prelude::*;

use super::{ON, cube, meshed, tape};
use crate::calls::stop;
use crate::measure::solids::random;

/// The volume by a random point of each of many small boxes: sides of shapes may be parallel to theirs.
fn sampled_volume(tape: &Tape, bounds: Bounds, count: usize) -> f64 {
    let step = bounds.size().map(|size| size / count as f64);
    let mut evaluator = tape.evaluator();
    let mut inside = 0;
    for number in 0..count.pow(3) {
        let place = [
            number % count,
            number / count % count,
            number / count / count,
        ];
        let at: [f64; 3] = std::array::from_fn(|axis| {
            let share = random((3 * number + axis) as u64);
            bounds.low()[axis] + (place[axis] as f64 + share) * step[axis]
        });
        let mut value = vec![0.0; tape.output_width()];
        evaluator.run(&at, &mut value);
        inside += usize::from(value[0] < 0.0);
    }
    inside as f64 * step[0] * step[1] * step[2]
}

/// Asserts the laws of every mesh, however large the cells are.
fn sound(name: &str, tape: &Tape, bounds: Bounds, cell: f64) -> Result<ShapeMesh, MeshError> {
    let shape = Shape::new(tape).unwrap();
    let meshed = mesh(&shape, &MeshSettings::new(bounds, cell), ON)?;
    let topology = meshed.mesh.topology();
    assert!(topology.is_sound(), "{name}: {topology:?}");
    let [low, high] = meshed.mesh.bounding_box().unwrap();
    for axis in 0..3 {
        let slack = 1e-6 * bounds.size()[axis];
        assert!(low[axis] >= bounds.low()[axis] - slack, "{name}");
        assert!(high[axis] <= bounds.high()[axis] + slack, "{name}");
    }
    Ok(meshed)
}

/// That, and how much the volume may differ from the sampled one, in cells of surface.
fn check(name: &str, tape: &Tape, bounds: Bounds, cell: f64) -> ShapeMesh {
    let meshed = sound(name, tape, bounds, cell).unwrap();
    let count = 40;
    let (volume, sampled) = (meshed.mesh.volume(), sampled_volume(tape, bounds, count));
    let layer = meshed.mesh.area() * (0.1 * cell + 0.2 * bounds.size()[0] / count as f64);
    let off = (volume - sampled).abs();
    assert!(off < layer, "{name}: {volume} and {sampled}, {layer}");
    meshed
}

/// The examples of the library, which are some units large.
#[test]
fn every_shape_of_the_library_has_a_sound_mesh() {
    let mut count = 0;
    for function in library::functions() {
        let mut document = Document::default();
        let id = library::add_function(&mut document, "example", &function.example).unwrap();
        let tape = Tape::new(&document, id).unwrap();
        check(&function.name, &tape, cube(6.0), 0.75);
        count += 1;
    }
    assert!(count > 20, "{count}");
}

/// Text of a shape about the origin.
fn solid() -> impl Strategy<Value = String> {
    let number = |low: f64, high: f64| (low..high).prop_map(|x| (x * 64.0).round() / 64.0);
    let place = [number(-2.0, 2.0), number(-2.0, 2.0), number(-2.0, 2.0)];
    let half = [number(0.5, 2.5), number(0.5, 2.5), number(0.5, 2.5)];
    (place, half, 0.0..3.0, 0..3, any::<bool>()).prop_map(|(place, half, angle, kind, turned)| {
        let angle = if turned { angle } else { 0.0 };
        let (s, c) = f64::sin_cos(angle);
        let [x, y, z] = place;
        // Round numbers and no angle make faces that coincide with each other.
        let x1 = format!("({c} * (x - {x}) + {s} * (y - {y}))");
        let y1 = format!("({c} * (y - {y}) - {s} * (x - {x}))");
        let y2 = format!("({c} * {y1} + {s} * (z - {z}))");
        let z2 = format!("({c} * (z - {z}) - {s} * {y1})");
        let [a, b, d] = half;
        match kind {
            0 => format!("(length(vec3({x1}, {y2}, {z2})) - {a})"),
            1 => format!("max(max(abs({x1}) - {a}, abs({y2}) - {b}), abs({z2}) - {d})"),
            _ => format!("(length(vec3(length(vec3({x1}, {y2}, 0)) - {a}, {z2}, 0)) - {b} * 0.4)"),
        }
    })
}

pub(crate) fn combined() -> impl Strategy<Value = String> {
    let others = prop::collection::vec((solid(), 0..3), 0..4);
    (solid(), others).prop_map(|(first, others)| {
        others
            .into_iter()
            .fold(first, |text, (other, how)| match how {
                0 => format!("min({text}, {other})"),
                1 => format!("max({text}, {other})"),
                _ => format!("max({text}, -{other})"),
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn what_is_cut_out_of_solids_has_a_sound_mesh(text in combined(), cell in 0.35..0.7) {
        let tape = tape(&text);
        let bounds = Bounds::new([-4.0, -3.0, -3.5], [4.0, 4.5, 3.0]).unwrap();
        cut_out(&text, &tape, bounds, cell);
    }
}

/// Asserts the laws of meshes with cells of a size and a fourth of it, and whether a sample of theirs is inside.
fn cut_out(text: &str, tape: &Tape, bounds: Bounds, cell: f64) -> [bool; 2] {
    let mesh = |cell| match sound(text, tape, bounds, cell) {
        Ok(meshed) => Some(meshed.mesh),
        Err(MeshError::Empty { .. }) => None,
        Err(error) => panic!("{text}: {error}"),
    };
    let coarse = mesh(cell).is_some();
    let most = 20.0 * cell.powi(3);
    assert!(coarse || sampled_volume(tape, bounds, 24) < most, "{text}");
    // What is thinner than a cell may be lost, and the thinnest parts are 0.4 thick; slivers where they are cut are lost
    // still, and may be all that there is.
    let cell = cell / 4.0;
    let fine = mesh(cell);
    let (volume, area) = fine
        .as_ref()
        .map_or((0.0, 0.0), |mesh| (mesh.volume(), mesh.area()));
    let sampled = sampled_volume(tape, bounds, 40);
    let layer = area * (0.1 * cell + 0.2 * bounds.size()[0] / 40.0);
    assert!(
        (volume - sampled).abs() < layer + 0.3,
        "{text}: {volume} and {sampled}, {layer}"
    );
    [coarse, fine.is_some()]
}

/// A lens about a sample of the coarser grid, thinner than the cells of the finer one.
#[test]
fn what_is_seen_in_large_cells_may_lie_between_samples_of_small_ones() {
    let tape = tape("max(length(pos - vec3(0, 0, 0.99)) - 1, length(pos + vec3(0, 0, 0.99)) - 1)");
    let sample = 0.5 * (7.0 - 0.381_966_011_250_105);
    let bounds = Bounds::new([-sample; 3], [8.0 - sample; 3]).unwrap();
    assert_eq!(cut_out("lens", &tape, bounds, 0.5), [true, false]);
}

#[test]
fn what_touches_at_round_places_is_one() {
    // Two boxes with a common face, and a box that is cut off where it ends anyway.
    let box_at = |low: f64, high: f64| {
        format!("max(max(abs(x) - 1, abs(y) - 1), max({low} - z, z - {high}))")
    };
    let stack = format!("min({}, {})", box_at(-2.0, 0.0), box_at(0.0, 1.5));
    let mesh = meshed(&stack, cube(3.0), 0.5).unwrap().mesh;
    assert_eq!(mesh.topology().components, 1);
    assert!((mesh.volume() - 14.0).abs() < 1e-4);
    let cut = format!("max({}, -({}))", box_at(-2.0, 1.0), box_at(0.0, 1.0));
    let mesh = meshed(&cut, cube(3.0), 0.5).unwrap().mesh;
    assert!(mesh.topology().is_sound());
    assert!((mesh.volume() - 8.0).abs() < 1e-4);
}

#[test]
fn zeros_and_undefined_values_are_outside() {
    // Where the value jumps to 0, the surface is anywhere up to there.
    let text = "select(x, 0, z - 1, 0)";
    let mesh = meshed(text, cube(2.0), 0.5).unwrap().mesh;
    assert!(mesh.topology().is_sound());
    let volume = mesh.volume();
    assert!((23.9..24.1 + 0.5 * 12.0).contains(&volume), "{volume}");
    let undefined = "max(length(pos) - 1.5, 0 * sqrt(x) - 1)";
    let meshed = meshed(&format!("{undefined} + 0 * log(x)"), cube(2.0), 0.5).unwrap();
    assert!(meshed.mesh.topology().is_sound());
    let half_ball = std::f64::consts::PI * 2.25;
    let volume = meshed.mesh.volume();
    assert!((volume / half_ball - 1.0).abs() < 0.1, "{volume}");
    let undefined = meshed.undefined.unwrap();
    assert!(undefined.samples > 10 && undefined.at[0] < 0.0);
}

#[test]
fn constants_fill_the_box_or_nothing() {
    let bounds = Bounds::new([1.0, 2.0, 3.0], [2.0, 4.0, 6.0]).unwrap();
    let mesh = meshed("0 * x - 1", bounds, 0.3).unwrap().mesh;
    assert!(mesh.topology().is_sound() && (mesh.volume() - 6.0).abs() < 1e-6);
    // In one cell along each axis.
    let mesh = meshed("0 * x - 1", bounds, 10.0).unwrap().mesh;
    assert!(mesh.topology().is_sound() && (mesh.volume() - 6.0).abs() < 1e-6);
    let error = meshed("0 * x + 1", bounds, 0.3).unwrap_err();
    assert_eq!(error.code(), "empty_shape");
}

#[test]
fn threads_and_precision_leave_the_mesh_as_it_is() {
    let text =
        "max(abs(sin(x) * cos(y) + sin(y) * cos(z) + sin(z) * cos(x)) - 0.4, length(pos) - 6)";
    let tape = tape(text);
    let meshing = MeshSettings::new(cube(7.0), 0.35);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| mesh(&Shape::new(&tape).unwrap(), &meshing, ON).unwrap())
    };
    let one = with(1);
    assert!(one.mesh.topology().is_sound());
    for threads in [2, 5] {
        assert!(with(threads) == one, "{threads} threads");
    }
    let double = MeshSettings {
        double: true,
        ..meshing
    };
    let double = mesh(&Shape::new(&tape).unwrap(), &double, ON).unwrap();
    assert_eq!(double.mesh.triangles().len(), one.mesh.triangles().len());
    assert!((double.mesh.volume() / one.mesh.volume() - 1.0).abs() < 1e-5);
}

#[test]
fn a_far_box_is_computed_in_double_precision() {
    let bounds = Bounds::new([1e6, -1.0, -1.0], [1e6 + 2.0, 1.0, 1.0]).unwrap();
    let mesh = meshed("length(pos - vec3(1000001, 0, 0)) - 0.8", bounds, 0.2)
        .unwrap()
        .mesh;
    assert!(mesh.topology().is_sound());
    let volume = mesh.volume();
    assert!((volume / 2.1447 - 1.0).abs() < 0.02, "{volume}");
}

#[test]
fn what_is_no_shape_is_refused() {
    let code = |text: &str, bounds, cell| {
        let error = meshed(text, bounds, cell).unwrap_err();
        (error.code(), error.to_string())
    };
    for cell in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(code("x", cube(1.0), cell).0, "invalid_value");
    }
    for (text, expected) in [("pos", "no_field"), ("x + radius", "no_position")] {
        let tape = tape(text);
        assert_eq!(Shape::new(&tape).unwrap_err().code(), expected);
    }
    let far = Bounds::new([1e9; 3], [1e9 + 1e-3; 3]).unwrap();
    assert_eq!(code("x", far, 1e-6).0, "invalid_value");
    // The size that an error names passes.
    let (too_fine, text) = code("length(pos) - 1", cube(2.0), 1e-7);
    assert_eq!(too_fine, "too_large");
    let passes = text
        .rsplit_once("size of ")
        .unwrap()
        .1
        .split(' ')
        .next()
        .unwrap();
    let cells = MeshSettings::new(cube(2.0), passes.parse().unwrap())
        .cells()
        .unwrap();
    assert!(cells > 5e11, "{text} {cells}");
    let tape = tape("length(pos) - 1");
    let few = |cell| MeshSettings {
        most_triangles: 2000,
        ..MeshSettings::new(cube(2.0), cell)
    };
    let shape = Shape::new(&tape).unwrap();
    let Err(MeshError::TooManyTriangles {
        passes, triangles, ..
    }) = mesh(&shape, &few(0.05), ON)
    else {
        panic!("there are more than 2000 triangles")
    };
    let all = mesh(&shape, &MeshSettings::new(cube(2.0), 0.05), ON).unwrap();
    assert_eq!(all.mesh.triangles().len() as u64, triangles);
    let fewer = mesh(&shape, &few(passes), ON).unwrap().mesh;
    let fewer = fewer.triangles().len();
    assert!((1000..=2000).contains(&fewer), "{fewer}");
    let none = MeshSettings {
        most_triangles: 0,
        ..few(0.05)
    };
    let error = mesh(&shape, &none, ON).unwrap_err();
    assert!(matches!(error, MeshError::TooManyTriangles { passes, .. } if passes.is_finite()));
    // All samples along a side are held, however thin the box is.
    let thread = Bounds::new([0.0; 3], [1e6, 1e-5, 1e-5]).unwrap();
    assert_eq!(code("length(pos) - 1", thread, 1e-5).0, "too_large");
}

#[test]
fn a_surface_is_found_where_values_beside_it_are_huge_or_flat() {
    let farthest = |text: &str, double: bool| {
        let tape = tape(text);
        let meshing = MeshSettings {
            double,
            ..MeshSettings::new(cube(6.0), 0.5)
        };
        let meshed = mesh(&Shape::new(&tape).unwrap(), &meshing, ON).unwrap();
        assert!(meshed.mesh.topology().is_sound());
        let radii = meshed.mesh.vertices().iter().map(|at| {
            let square: f64 = at.iter().map(|x| x * x).sum();
            square.sqrt()
        });
        radii.map(|radius| (radius - 5.0).abs()).fold(0.0, f64::max)
    };
    let plain = farthest("length(pos) - 5", true);
    assert!(plain < 0.02, "{plain}");
    for text in [
        "1 - exp(4000 * (5 - length(pos)))",
        "(length(pos) - 5) * (length(pos) - 5) * (length(pos) - 5)",
        "(length(pos) - 5) * 1e30",
    ] {
        for double in [false, true] {
            let own = farthest(text, double);
            assert!(own < plain + 0.002, "{own} instead of {plain}: {text}");
        }
    }
}

#[test]
fn work_tells_how_far_it_is_and_ends_when_asked() {
    let tape = tape("length(pos) - 1");
    let meshing = MeshSettings::new(cube(2.0), 0.04);
    let most = AtomicU64::new(0);
    let watch = |done: u64, total: u64| {
        assert!(done <= total && total > 1);
        most.fetch_max(done, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    mesh(&Shape::new(&tape).unwrap(), &meshing, &watch).unwrap();
    assert!(most.into_inner() > 1);
    let ended = mesh(&Shape::new(&tape).unwrap(), &meshing, &stop);
    assert_eq!(ended.unwrap_err().code(), "cancelled");
}

/// A ball that says that it is not where x is negative.
#[derive(Debug)]
struct Liar;

impl Content for Liar {
    fn kind(&self) -> ResourceKind {
        ResourceKind::Mesh
    }

    fn oracle(&self, _query: Query) -> Option<Arc<dyn Oracle>> {
        Some(Arc::new(Liar))
    }
}

impl Oracle for Liar {
    fn sample(&self, at: [f64; 3], _channel: u8) -> f64 {
        at.iter().map(|x| x * x).sum::<f64>().sqrt() - 1.5
    }

    fn gradient(&self, at: [f64; 3], _channel: u8) -> [f64; 3] {
        at
    }

    fn bounds(&self, _low: [f64; 3], high: [f64; 3], _channel: u8) -> fibula_nodes::Bounds {
        let low = if high[0] < 0.1 { 1.0 } else { -4.0 };
        fibula_nodes::Bounds::new(low, 8.0)
    }
}

#[test]
fn bounds_that_lie_are_told() {
    let mut document = Document::default();
    let id = document.add(Liar).unwrap();
    let text = format!("mesh({id}, pos)");
    let function = expression::add_function(&mut document, "ball", &text).unwrap();
    let tape = Tape::new(&document, function).unwrap();
    let shape = Shape::new(&tape).unwrap();
    let error = mesh(&shape, &MeshSettings::new(cube(2.0), 0.1), ON).unwrap_err();
    assert_eq!(error.code(), "contradiction");
}
