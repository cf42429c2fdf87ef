//! Beam lattices against a plain model: a beam's surface as thousands of points.

use std::sync::Arc;

use fibula::graph::Content;
use fibula::oracle::{Ball, Beam, BeamError, BeamLattice, Cap, End};
use fibula_nodes::{Oracle, Query};
use proptest::prelude::*;

use super::laws::{check_block, check_bounds, check_gradient, check_nowhere, dot, length, sub};

fn oracle(lattice: &BeamLattice) -> Arc<dyn Oracle> {
    let query = Query::BeamLattice {
        accurate_range: 1.0,
    };
    lattice.oracle(query).expect("it is a lattice")
}

fn beam(radii: [f64; 2], caps: [Cap; 2]) -> Beam {
    let end = |k: usize| End {
        vertex: k as u32,
        radius: radii[k],
        cap: caps[k],
    };
    Beam {
        ends: [end(0), end(1)],
    }
}

/// A beam along the x axis from 0, in the half-plane of the places (x, distance from the axis).
#[derive(Debug, Clone)]
struct Model {
    long: f64,
    radii: [f64; 2],
    caps: [Cap; 2],
    surface: Vec<[f64; 2]>,
}

impl Model {
    fn new(long: f64, radii: [f64; 2], caps: [Cap; 2]) -> Model {
        const STEPS: u32 = 3000;
        let mut model = Model {
            long,
            radii,
            caps,
            surface: Vec::new(),
        };
        let mut points = Vec::new();
        for share in (0..=STEPS).map(|k| f64::from(k) / f64::from(STEPS)) {
            points.push([share * long, radii[0] + (radii[1] - radii[0]) * share]);
            for end in 0..2 {
                let (middle, outward) = if end == 0 { (0.0, -1.0) } else { (long, 1.0) };
                let turn = share * std::f64::consts::PI;
                let circle = [middle + radii[end] * turn.cos(), radii[end] * turn.sin()];
                match caps[end] {
                    Cap::Butt => points.push([middle, share * radii[end]]),
                    Cap::Hemisphere if (circle[0] - middle) * outward < 0.0 => {}
                    Cap::Hemisphere | Cap::Sphere => points.push(circle),
                }
            }
        }
        points.retain(|&at| !model.holds(at, 1e-9));
        model.surface = points;
        model
    }

    /// True if a place is inside of the beam, and not just at its surface.
    fn holds(&self, [x, out]: [f64; 2], margin: f64) -> bool {
        let radius = self.radii[0] + (self.radii[1] - self.radii[0]) * x / self.long;
        // The flat sides between a frustum and its half balls are no surface.
        let open = self
            .caps
            .map(|cap| if cap == Cap::Butt { margin } else { -margin });
        let frustum = x > open[0] && x < self.long - open[1] && out < radius - margin;
        let ball = |end: usize| {
            let from = if end == 0 { x } else { self.long - x };
            let inside = from.hypot(out) < self.radii[end] - margin;
            match self.caps[end] {
                Cap::Butt => false,
                Cap::Hemisphere => inside && from < margin,
                Cap::Sphere => inside,
            }
        };
        frustum || ball(0) || ball(1)
    }

    fn distance(&self, at: [f64; 2]) -> f64 {
        let away = |p: &[f64; 2]| (p[0] - at[0]).hypot(p[1] - at[1]);
        let nearest = self.surface.iter().map(away).fold(f64::INFINITY, f64::min);
        if self.holds(at, 0.0) {
            -nearest
        } else {
            nearest
        }
    }
}

fn cap() -> impl Strategy<Value = Cap> {
    prop::sample::select(vec![Cap::Sphere, Cap::Hemisphere, Cap::Butt])
}

fn share() -> impl Strategy<Value = [f64; 3]> {
    [0.0..=1.0, 0.0..=1.0, 0.0..=1.0]
}

/// Lengths and radii as of real beams, and of short and thick ones where caps reach through each other.
fn model() -> impl Strategy<Value = Model> {
    let long = prop::sample::select(vec![0.05, 0.3, 0.6, 1.0, 2.0]);
    let radius = || prop::sample::select(vec![0.0, 0.1, 0.25, 0.5, 0.9]);
    (long, [radius(), radius()], [cap(), cap()])
        .prop_filter("a line has no inside", |(_, radii, _)| {
            radii[0] + radii[1] > 0.0
        })
        .prop_map(|(long, radii, caps)| Model::new(long, radii, caps))
}

#[test]
fn gradients_on_the_axis_have_the_length_1() {
    // What rounding leaves of the way from the axis has any direction there.
    let (start, axis) = ([3.0, 4.0, 5.0], [0.48, -0.6, 0.64]);
    let point = |x: f64| std::array::from_fn(|k| start[k] + axis[k] * x);
    let ends = vec![point(0.0), point(1.0)];
    let beams = [beam([0.0, 0.1], [Cap::Sphere; 2])];
    let oracle = oracle(&BeamLattice::new(ends, &beams, &[]).unwrap());
    for step in 1..1000 {
        let at = point(f64::from(step) / 1000.0);
        let gradient = oracle.gradient(at, 0);
        let long = length(gradient);
        assert!((long - 1.0).abs() < 1e-12, "{long} at {at:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_beam_is_as_far_as_its_surface(model in model(), places in prop::collection::vec([-1.5..3.5, 0.0..1.5], 40)) {
        // The same beam lies somewhere in space, turned.
        let axis = [0.48, -0.6, 0.64];
        let (across, start) = ([0.8, 0.6, -0.0375], [3.0, 4.0, 5.0]);
        let out = sub(across, axis.map(|x| x * dot(across, axis)));
        let out = out.map(|x| x / length(out));
        let point = |[x, y]: [f64; 2]| std::array::from_fn(|k| start[k] + axis[k] * x + out[k] * y);
        let lattice = BeamLattice::new(vec![point([0.0; 2]), point([model.long, 0.0])], &[beam(model.radii, model.caps)], &[]).unwrap();
        let oracle = oracle(&lattice);
        for place in places {
            let (got, expected) = (oracle.sample(point(place), 0), model.distance(place));
            // The points of the surface are at most a thousandth apart.
            prop_assert!((got - expected).abs() < 1.1e-3, "{got} is not {expected} at {place:?}");
            if got.abs() > 0.01 {
                check_gradient(&*oracle, point(place), 0, 1e-6);
            }
            let gradient = oracle.gradient(point(place), 0);
            prop_assert!((length(gradient) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_lattice_is_the_nearest_of_its_beams(
        vertices in prop::collection::vec(share(), 2..12),
        chosen in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), [0.0..0.3, 0.0..0.3], [cap(), cap()]), 1..30),
        balls in prop::collection::vec((any::<prop::sample::Index>(), 0.0..0.3), 0..4),
        points in prop::collection::vec(share(), 20),
    ) {
        let count = vertices.len();
        let index = |index: prop::sample::Index| index.index(count) as u32;
        let beams: Vec<Beam> = chosen
            .into_iter()
            .map(|(from, to, radii, caps)| {
                let mut beam = beam(radii, caps);
                beam.ends[0].vertex = index(from);
                beam.ends[1].vertex = index(to);
                beam
            })
            .collect();
        let mut balls: Vec<Ball> = balls.into_iter().map(|(vertex, radius)| Ball { vertex: index(vertex), radius }).collect();
        balls.push(Ball { vertex: 0, radius: 0.01 });
        let whole = oracle(&BeamLattice::new(vertices.clone(), &beams, &balls).unwrap());
        let alone: Vec<_> = beams
            .iter()
            .filter_map(|beam| BeamLattice::new(vertices.clone(), &[*beam], &[]).ok())
            .chain(balls.iter().map(|ball| BeamLattice::new(vertices.clone(), &[], &[*ball]).unwrap()))
            .map(|lattice| oracle(&lattice))
            .collect();
        let points: Vec<[f64; 3]> = points.into_iter().map(|at| at.map(|x| 2.0 * x - 0.5)).collect();
        for &at in &points {
            let least = alone.iter().map(|oracle| oracle.sample(at, 0)).fold(f64::INFINITY, f64::min);
            let got = whole.sample(at, 0);
            prop_assert!((got - least).abs() < 1e-14, "{got} is not {least} at {at:?}");
        }
        check_block(&*whole, &points, 0);
        for pair in points.chunks_exact(2) {
            check_bounds(&*whole, [pair[0], pair[1]], &points[..5].iter().map(|at| at.map(|x| x.clamp(0.0, 1.0))).collect::<Vec<_>>(), 0);
            check_bounds(&*whole, [pair[0], pair[0].map(|x| x + 0.02)], &[[0.5; 3]], 0);
        }
    }
}

#[test]
fn caps_are_those_of_the_beam_lattice_extension() {
    // From radius 1 at 0 to radius 0.5 at 4; how it ends at the thick end, and what is beyond that.
    let vertices = vec![[0.0; 3], [4.0, 0.0, 0.0]];
    let cases = [
        (Cap::Butt, [-0.5, 0.0, 0.0], 0.5),
        (Cap::Butt, [-3.0, 5.0, 0.0], 5.0),
        (Cap::Butt, [0.1, 0.0, 0.0], -0.1),
        (Cap::Hemisphere, [-0.5, 0.0, 0.0], -0.5),
        (Cap::Hemisphere, [-3.0, 4.0, 0.0], 4.0),
        (Cap::Sphere, [-3.0, 4.0, 0.0], 4.0),
    ];
    for (cap, at, expected) in cases {
        let lattice =
            BeamLattice::new(vertices.clone(), &[beam([1.0, 0.5], [cap, Cap::Butt])], &[]).unwrap();
        let got = oracle(&lattice).sample(at, 0);
        assert!((got - expected).abs() < 1e-15, "{cap:?} at {at:?}: {got}");
    }
    // Where the beam narrows the ball sticks out of it, and the half ball does not.
    let at = [0.12, 0.99, 0.0];
    let sample = |cap| {
        let lattice =
            BeamLattice::new(vertices.clone(), &[beam([1.0, 0.5], [cap, Cap::Butt])], &[]);
        oracle(&lattice.unwrap()).sample(at, 0)
    };
    assert!(sample(Cap::Sphere) < 0.0 && sample(Cap::Hemisphere) > 0.0);
}

#[test]
fn a_ball_is_a_ball_and_far_away_is_no_other_place() {
    let vertices = vec![[1.0, 2.0, 3.0]];
    let lattice = BeamLattice::new(
        vertices,
        &[],
        &[Ball {
            vertex: 0,
            radius: 2.0,
        }],
    )
    .unwrap();
    let oracle = oracle(&lattice);
    for power in 0..30 {
        let away = 10.0_f64.powi(power);
        let got = oracle.sample([1.0, 2.0, 3.0 + away], 0);
        let expected = (3.0 + away) - 3.0 - 2.0;
        let most = 1e-15 * (3.0 + away);
        assert!((got - expected).abs() <= most, "{got} {expected}");
    }
    let distance = oracle.sample([1.0, 2.0, 3.0], 0);
    assert_eq!(distance.to_bits(), (-2.0_f64).to_bits());
    check_bounds(&*oracle, [[-1e200; 3], [1e200; 3]], &[[0.5; 3]], 0);
    check_nowhere(&*oracle, 0);
}

#[test]
fn what_is_no_lattice_is_refused() {
    let two = || vec![[0.0; 3], [1.0; 3]];
    let round = |vertices, radius| Beam::round(vertices, radius);
    let error = |vertices, beams: &[Beam], balls: &[Ball]| {
        BeamLattice::new(vertices, beams, balls).unwrap_err()
    };
    let cases: [(BeamError, &str, &str); 7] = cases![
        error(vec![[f64::INFINITY; 3]], &[], &[]) => "invalid_value", "vertex 0 is at [inf, inf, inf]";
        error(two(), &[round([0, 2], 1.0)], &[]) => "unknown_vertex", "beam 0 refers to vertex 2, but there are 2 vertices";
        error(two(), &[], &[Ball { vertex: 5, radius: 1.0, }]) => "unknown_vertex", "ball 0 refers to vertex 5";
        error(two(), &[round([0, 1], -1.0)], &[]) => "invalid_value", "beam 0 has radius -1";
        error(two(), &[round([0, 1], f64::NAN)], &[]) => "invalid_value", "beam 0 has radius NaN";
        error(two(), &[round([1, 1], 1.0)], &[]) => "empty_lattice", "none of the 1 beams has a length";
        error(two(), &[], &[]) => "empty_lattice", "none of the 0 beams";
    ];
    for (error, code, text) in cases {
        assert_eq!(error.code(), code);
        assert!(error.to_string().contains(text), "{error}");
    }
    let lattice = BeamLattice::new(two(), &[round([0, 1], 1.0)], &[]).unwrap();
    assert!(lattice.oracle(Query::SignedDistance).is_none());
}
