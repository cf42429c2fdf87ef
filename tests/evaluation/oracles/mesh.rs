//! Meshes: distances against the plain model, and the sign in the cases that are known to go wrong.

#![expect(clippy::float_cmp, reason = "what is compared so has one exact value")]

use std::sync::Arc;

use fibula::graph::Content;
use fibula::oracle::{Mesh, MeshError};
use fibula_nodes::{Filter, Oracle, Query, TileStyle};
use proptest::prelude::*;

use super::laws::{check_block, check_bounds, check_gradient, check_nowhere, length, sub};
use super::shapes::{
    Soup, block, both, distance, inverted, mesh, moved, sphere, star, torus, winding,
};

fn signed(soup: &Soup) -> Arc<dyn Oracle> {
    mesh(soup.clone()).oracle(Query::SignedDistance).unwrap()
}

fn unsigned(soup: &Soup) -> Arc<dyn Oracle> {
    mesh(soup.clone()).oracle(Query::UnsignedDistance).unwrap()
}

/// Shapes that are closed, of about size 1.
fn shapes() -> Vec<Soup> {
    let overlapping = both(
        block([-1.0, -0.5, -0.5], [0.3, 0.5, 0.5]),
        block([-0.3, -0.4, -0.4], [1.0, 0.6, 0.6]),
    );
    let hollow = both(
        sphere(16, 8),
        inverted(moved(sphere(9, 7), |at| at.map(|x| x * 0.5))),
    );
    let needle = moved(star(5, 1.0), |[x, y, z]| [x, y * 1e-3, z * 0.1]);
    let far_off = moved(torus(0.7, 0.2, 12, 8), |at| at.map(|x| x + 1e5));
    let turned = moved(block([-1.0, -0.3, -0.2], [1.0, 0.3, 0.2]), |[x, y, z]| {
        let (s, c) = 0.7_f64.sin_cos();
        [c * x - s * y, s * x + c * y, z + 0.3 * x]
    });
    vec![
        sphere(24, 12),
        torus(0.7, 0.2, 20, 10),
        block([-1.0; 3], [0.5, 1.0, 0.25]),
        star(7, 1.0),
        star(5, 0.02),
        inverted(star(6, 0.5)),
        overlapping,
        hollow,
        needle,
        far_off,
        turned,
    ]
}

fn share() -> impl Strategy<Value = [f64; 3]> {
    [0.0..=1.0, 0.0..=1.0, 0.0..=1.0]
}

/// A shape, and points: anywhere around it, and close to its corners, edges and faces.
fn scene() -> impl Strategy<Value = (Soup, Vec<[f64; 3]>)> {
    let which = (0..shapes().len()).prop_map(|k| shapes().swap_remove(k));
    which.prop_flat_map(|soup| {
        let vertices = soup.0.clone();
        let triangles = soup.1.clone();
        let centre = {
            let count = vertices.len() as f64;
            [0, 1, 2].map(|k| vertices.iter().map(|at| at[k]).sum::<f64>() / count)
        };
        let scale = prop::sample::select(vec![0.0, 1e-9, 1e-4, 0.01, 0.3, 3.0, 1e4]);
        let near = (0..triangles.len(), 0..4_u8, share(), share(), scale);
        let near = near.prop_map(move |(triangle, place, [u, v, _], off, scale)| {
            let [a, b, c] = triangles[triangle].map(|corner| vertices[corner as usize]);
            let [v, w] = match place {
                0 => [0.0, 0.0],
                1 => [u, 0.0],
                _ => [u * (1.0 - v), u * v],
            };
            std::array::from_fn(|k| {
                a[k] + (b[k] - a[k]) * v + (c[k] - a[k]) * w + (off[k] - 0.5) * scale
            })
        });
        let around =
            share().prop_map(move |s| std::array::from_fn(|k| centre[k] + 3.0 * (s[k] - 0.5)));
        let points = prop::collection::vec(prop_oneof![3 => near, 1 => around], 12);
        (Just(soup), points)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn distances_are_those_to_the_nearest_of_all_triangles((soup, points) in scene()) {
        let (signed, unsigned) = (signed(&soup), unsigned(&soup));
        let turned = if shapes()[5] == soup { -1.0 } else { 1.0 };
        let size = soup.0.iter().map(|at| sub(*at, soup.0[0])).map(length).fold(0.0, f64::max);
        for &at in &points {
            let expected = distance(&soup, at);
            // A few roundings of where things are, and of the distance.
            let place = at.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
            let tolerance = 1e-15 * (4.0 * place + expected) + 1e-14 * size;
            let got = unsigned.sample(at, 0);
            prop_assert!((got - expected).abs() <= tolerance, "{got} is not {expected} at {at:?}");
            let with_sign = signed.sample(at, 0);
            prop_assert_eq!(with_sign.abs().to_bits(), got.to_bits());
            let winding = winding(&soup, at) * turned;
            // Where the plain sum is sure: on the surface itself either sign is right.
            if (winding - winding.round()).abs() < 0.01 && expected > 10.0 * tolerance {
                prop_assert_eq!(with_sign < 0.0, winding > 0.5, "{} at {:?}, winding {}", with_sign, at, winding);
            }
        }
        check_block(&*signed, &points, 0);
        check_block(&*unsigned, &points, 0);
    }

    #[test]
    fn neighbours_in_a_block_change_nothing((soup, points) in scene(), step in share()) {
        // A line of points, close together or not, so that what is known from one holds for the next or does not.
        let line: Vec<[f64; 3]> = (0..40)
            .map(|k| std::array::from_fn(|axis| points[0][axis] + (step[axis] - 0.5) * 0.1 * f64::from(k)))
            .collect();
        check_block(&*signed(&soup), &line, 0);
        check_block(&*unsigned(&soup), &line, 0);
    }

    #[test]
    fn bounds_hold((soup, points) in scene(), shares in prop::collection::vec(share(), 20)) {
        for oracle in [signed(&soup), unsigned(&soup)] {
            for pair in points.chunks_exact(2) {
                check_bounds(&*oracle, [pair[0], pair[1]], &shares, 0);
            }
            let small = std::array::from_fn(|k| points[0][k] + 0.01 * shares[0][k]);
            let bounds = check_bounds(&*oracle, [points[0], small], &shares, 0);
            prop_assert!(bounds.high - bounds.low <= 0.036, "{:?} in a small box", bounds);
        }
    }

    #[test]
    fn gradients_are_unit_vectors_away_from_the_surface((soup, points) in scene()) {
        for oracle in [signed(&soup), unsigned(&soup)] {
            for &at in &points {
                let gradient = oracle.gradient(at, 0);
                prop_assert!((length(gradient) - 1.0).abs() < 1e-12, "{:?} at {:?}", gradient, at);
                let distance = oracle.sample(at, 0).abs();
                if distance > 0.01 && distance < 10.0 && at[0] < 1e3 {
                    check_gradient(&*oracle, at, 0, 1e-6);
                }
            }
        }
    }
}

#[test]
fn gradients_are_checked_at_many_places() {
    let oracle = signed(&torus(0.7, 0.2, 20, 10));
    let places =
        (0..1000).map(|k| [k % 10, k / 10 % 10, k / 100].map(|k| f64::from(k) * 0.21 - 1.0));
    let smooth = places
        .filter(|&at| check_gradient(&*oracle, at, 0, 1e-6))
        .count();
    assert!(smooth > 900, "{smooth}");
}

#[test]
fn a_sphere_of_triangles_is_nearly_one() {
    let oracle = signed(&sphere(64, 32));
    for k in 0..200 {
        let at = [0.3, -1.1, 0.7].map(|x: f64| x * f64::from(k) / 50.0);
        let error = oracle.sample(at, 0) - (length(at) - 1.0);
        // A chord of 1/64 of a turn is at most 1 - cos(pi / 64) from its arc, in either direction.
        assert!((0.0..2.5e-3).contains(&error), "{error} at {at:?}");
    }
    assert!((oracle.gradient([2.0, 0.0, 0.0], 0)[0] - 1.0).abs() < 1e-12);
    assert!(oracle.gradient([0.5, 0.0, 0.0], 0)[0] > 0.99);
}

/// The nearest point is at a corner where faces look both ways: the sum of their normals, or the normal of just one
/// of them, may look to the wrong side.
#[test]
fn the_sign_is_right_at_sharp_corners() {
    for height in [1.0, 0.02, 1e-6] {
        for points in [3, 5, 9] {
            let soup = star(points, height);
            let oracle = signed(&soup);
            for &corner in &soup.0 {
                let out = corner.map(|x| x * (1.0 + 1e-6));
                let inward = |x: f64, middle: f64| middle + (x - middle) * (1.0 - 1e-6);
                let inside = [
                    corner[0] * (1.0 - 1e-6),
                    corner[1] * (1.0 - 1e-6),
                    inward(corner[2], -0.01),
                ];
                assert!(oracle.sample(out, 0) > 0.0, "outside of {corner:?}");
                assert!(oracle.sample(inside, 0) < 0.0, "inside of {corner:?}");
            }
        }
    }
}

#[test]
fn a_point_in_line_with_edges_and_corners_has_the_right_sign() {
    // Rays from these points along any axis run through corners, along edges and in faces.
    let soup = both(block([-1.0; 3], [1.0; 3]), block([0.0; 3], [2.0; 3]));
    let oracle = signed(&soup);
    let inside = |at: [f64; 3]| {
        at.iter().all(|x| x.abs() < 1.0)
            || at
                .iter()
                .all(|x| (0.0..=2.0).contains(x) && *x > 0.0 && *x < 2.0)
    };
    for k in 0..11 * 11 * 11 {
        let at = [k % 11, k / 11 % 11, k / 121].map(|k| f64::from(k) * 0.5 - 2.0);
        if distance(&soup, at) > 0.0 {
            assert_eq!(oracle.sample(at, 0) < 0.0, inside(at), "{at:?}");
        } else {
            assert_eq!(oracle.sample(at, 0).to_bits(), 0.0_f64.to_bits(), "{at:?}");
        }
    }
}

/// Points that are a few roundings from a face: which side they are on is known from whole numbers.
#[test]
fn the_sign_is_right_to_the_last_digit() {
    let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let vertices: Vec<[f64; 3]> = unit
        .into_iter()
        .chain(unit.map(|at| at.map(|x| -x)))
        .collect();
    let faces = (0..8).map(|k| {
        let [a, b, c] = [k & 1, k >> 1 & 1, k >> 2 & 1];
        let corners = [3 * a, 3 * b + 1, 3 * c + 2];
        if (a + b + c) % 2 == 0 {
            corners
        } else {
            [corners[1], corners[0], corners[2]]
        }
    });
    let oracle = signed(&(vertices, faces.collect()));
    let whole = |x: f64| (x * 60.0_f64.exp2()) as i128;
    let mut close = 0;
    for k in 0..4000 {
        let (x, y) = (
            f64::from(k % 40 + 4) / 97.0,
            f64::from(k / 40 % 20 + 4) / 89.0,
        );
        let z = (1.0 - x - y) * (1.0 + f64::from(k / 800 - 2) * f64::EPSILON);
        let beyond = whole(x) + whole(y) + whole(z) - whole(1.0);
        let got = oracle.sample([x, y, z], 0);
        if got != 0.0 && beyond != 0 {
            assert_eq!(got > 0.0, beyond > 0, "{x} {y} {z}: {got}");
            close += 1;
        }
    }
    assert!(close > 1000, "{close}");
}

#[test]
fn shells_add_up_and_those_turned_inside_out_take_away() {
    let outer = block([-1.0; 3], [1.0; 3]);
    let inner = block([-0.5; 3], [0.5; 3]);
    let through = block([-0.2, -0.2, -2.0], [0.2, 0.2, 2.0]);
    let sample = |soup: &Soup, at: [f64; 3]| signed(soup).sample(at, 0);
    let near =
        |got: f64, expected: f64| assert!((got - expected).abs() < 1e-15, "{got} {expected}");
    check_each! { near;
        sample(&both(outer.clone(), inner.clone()), [0.0; 3]) => -0.5;
        sample(&both(outer.clone(), inverted(inner.clone())), [0.0; 3]) => 0.5;
        sample(&both(outer.clone(), inverted(inner)), [0.8, 0.0, 0.0]) => -0.2;
    }
    // A hole is cut by a shell that sticks out, and nothing is where only that shell is.
    let cut = both(outer.clone(), inverted(through));
    near(sample(&cut, [0.0; 3]), 0.2);
    near(sample(&cut, [0.0, 0.0, 1.5]), 0.2);
    near(sample(&cut, [0.6, 0.0, 0.0]), -0.4);
    // As a whole it does not matter how it is turned.
    near(sample(&inverted(outer), [0.0; 3]), -1.0);
}

#[test]
fn triangles_that_disagree_leave_an_even_mesh_its_inside() {
    let (vertices, mut triangles) = block([-1.0; 3], [1.0; 3]);
    for corners in triangles.iter_mut().step_by(3) {
        corners.swap(0, 1);
    }
    let mesh = mesh((vertices, triangles));
    assert!(mesh.is_closed() && !mesh.is_oriented_manifold());
    let oracle = mesh.oracle(Query::SignedDistance).unwrap();
    for k in 0..7 * 7 * 7 {
        let at = [k % 7, k / 7 % 7, k / 49].map(|k| f64::from(k) * 0.45 - 1.37);
        let inside = at.iter().all(|x| x.abs() < 1.0);
        assert_eq!(oracle.sample(at, 0) < 0.0, inside, "{at:?}");
    }
}

#[test]
fn a_mesh_with_a_hole_has_an_inside_all_the_same() {
    let (vertices, mut triangles) = sphere(24, 12);
    triangles.remove(100);
    triangles.remove(300);
    let soup = (vertices, triangles);
    let open = mesh(soup.clone());
    assert!(!open.is_closed());
    assert_eq!((open.edges().open, open.edges().branching), (6, 0));
    let oracle = open.oracle(Query::SignedDistance).unwrap();
    let mut sure = 0;
    for k in 0..9 * 9 * 9 {
        let at = [k % 9, k / 9 % 9, k / 81].map(|k| f64::from(k) * 0.34 - 1.37);
        let exact = winding(&soup, at);
        if (exact - 0.5).abs() > 0.02 {
            assert_eq!(oracle.sample(at, 0) < 0.0, exact > 0.5, "{at:?}: {exact}");
            sure += 1;
        }
        if k % 8 == 0 {
            let other = at.map(|x| x + 0.3);
            check_bounds(&*oracle, [at, other], &[[0.3, 0.5, 0.9], [0.5; 3]], 0);
        }
    }
    assert!(sure > 700, "{sure}");
    // A half sphere: half of it is still inside.
    let (vertices, triangles) = sphere(24, 12);
    let half = (vertices, triangles[..triangles.len() / 2].to_vec());
    let oracle = signed(&half);
    assert!(oracle.sample([0.0, 0.0, -0.5], 0) < 0.0);
    assert!(oracle.sample([0.0, 0.0, 0.5], 0) > 0.0);
    let line: Vec<[f64; 3]> = (0..100)
        .map(|k| [0.01, 0.02, f64::from(k) * 0.02 - 1.0])
        .collect();
    check_block(&*oracle, &line, 0);
}

#[test]
fn vertices_at_one_place_are_one_and_thin_triangles_are_measured() {
    // As an STL file has it: three vertices for each triangle.
    let (vertices, triangles) = torus(0.7, 0.2, 20, 10);
    let soup: Vec<[f64; 3]> = triangles
        .iter()
        .flatten()
        .map(|&corner| vertices[corner as usize])
        .collect();
    let indexes = (0..soup.len() as u32 / 3)
        .map(|k| [3 * k, 3 * k + 1, 3 * k + 2])
        .collect();
    assert!(mesh((soup, indexes)).is_oriented_manifold());
    // The poles of the sphere are triangles without area, which are left out.
    assert!(mesh(sphere(24, 12)).is_oriented_manifold());
    // Corners in one line: an edge of the floor is cut by a corner of the wall, and a triangle fills the slit.
    let mut slit = block([-1.0; 3], [1.0; 3]);
    slit.0.push([0.1, -1.0, -1.0]);
    let edge = slit
        .1
        .iter()
        .position(|corners| corners.contains(&0) && corners.contains(&1))
        .unwrap();
    let corners = slit.1[edge];
    let other = corners.iter().copied().find(|corner| *corner > 1).unwrap();
    let place = corners.iter().position(|corner| *corner == other).unwrap();
    let (from, to) = (corners[(place + 1) % 3], corners[(place + 2) % 3]);
    slit.1[edge] = [other, from, 8];
    slit.1.extend([[other, 8, to], [8, from, to]]);
    let closed = mesh(slit.clone());
    assert!(closed.is_oriented_manifold());
    let oracle = closed.oracle(Query::SignedDistance).unwrap();
    for at in [
        [0.0, -1.01, -1.01],
        [0.1, -1.0, -1.1],
        [0.3, -0.99, -0.99],
        [0.1, -0.9, -0.9],
    ] {
        let expected = distance(&block([-1.0; 3], [1.0; 3]), at);
        let got = oracle.sample(at, 0);
        assert!((got.abs() - expected).abs() < 1e-15, "{got} {expected}");
        assert_eq!(got < 0.0, at[1] > -1.0);
        assert!((length(oracle.gradient(at, 0)) - 1.0).abs() < 1e-12);
    }
}

/// A triangle ten million times as long as it is high: naive normals and weights are wrong in the tenth digit.
#[test]
fn distances_from_slivers_are_right_to_the_last_digits() {
    for height in [1e-3, 1e-5, 1e-7, 1e-9] {
        for middle in [0.0, 0.3, 0.5, 1.0] {
            let soup = (
                vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [middle, height, 0.0]],
                vec![[0, 1, 2]],
            );
            // Turned, so that nothing is aligned; turns round, by less than is allowed.
            let (s, c) = 1.1_f64.sin_cos();
            let turn = |[x, y, z]: [f64; 3]| {
                [
                    c * x - s * y,
                    (s * x + c * y) * 0.6 - z * 0.8,
                    (s * x + c * y) * 0.8 + z * 0.6,
                ]
            };
            let oracle = unsigned(&moved(soup, turn));
            for x in [0.2, 0.5, 0.9] {
                let top = height
                    * if x < middle {
                        x / middle
                    } else {
                        (1.0 - x) / (1.0 - middle).max(1e-300)
                    };
                for y in [0.0, 0.3, 0.9] {
                    for z in [0.0, 1e-8, 1e-3, 1.0, 10.0] {
                        let got = oracle.sample(turn([x, y * top, z]), 0);
                        assert!(
                            (got - z).abs() < 1e-14 * (1.0 + z),
                            "{got} is not {z}: {height} {middle} {x} {y}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn far_away_is_no_other_place() {
    let soup = torus(0.7, 0.2, 40, 20);
    let oracle = signed(&soup);
    for power in 0..17 {
        let far = 10.0_f64.powi(power);
        for direction in [[1.0, 0.0, 0.0], [0.3, -0.5, 0.2], [0.0, 1e-5, 1.0]] {
            let at = direction.map(|x: f64| x * far);
            let (got, expected) = (oracle.sample(at, 0), distance(&soup, at));
            let most = 1e-15 * (4.0 + 2.0 * expected);
            assert!((got - expected).abs() <= most, "{got} {expected}");
            check_bounds(&*oracle, [at, at.map(|x| x * 1.5)], &[[0.5; 3]], 0);
            check_bounds(&*oracle, [at, at.map(|x| x + 0.1)], &[[0.5; 3]], 0);
        }
    }
    assert_eq!(oracle.sample([0.0, 1e200, 0.0], 0), 1e200);
    assert_eq!(oracle.sample([0.0, f64::MAX, 0.0], 0), f64::MAX);
    assert_eq!(oracle.gradient([0.0, f64::MAX, 0.0], 0), [0.0, 1.0, 0.0]);
    check_bounds(&*oracle, [[-1e200; 3], [1e200; 3]], &[[0.5; 3]], 0);
}

#[test]
fn size_does_not_matter() {
    for scale in [1e-30, 1e-3, 1e3, 1e30] {
        let oracle = signed(&moved(block([-1.0; 3], [1.0; 3]), |at| {
            at.map(|x| x * scale)
        }));
        for (x, expected) in [(0.5, -0.5), (3.0, 2.0)] {
            let got = oracle.sample([x * scale, 0.0, 0.0], 0) / scale;
            assert!((got - expected).abs() < 1e-15, "{got} {expected}");
        }
    }
}

#[test]
fn on_the_surface_the_gradient_is_the_normal() {
    let soup = block([-1.0; 3], [1.0; 3]);
    for soup in [soup.clone(), inverted(soup)] {
        assert_each_eq! {
            signed(&soup).gradient([1.0, 0.2, 0.3], 0) => [1.0, 0.0, 0.0];
            signed(&soup).gradient([0.2, -1.0, 0.3], 0) => [0.0, -1.0, 0.0];
            signed(&soup).gradient([0.9, 0.2, 0.3], 0) => [1.0, 0.0, 0.0];
            unsigned(&soup).gradient([0.9, 0.2, 0.3], 0) => [-1.0, 0.0, 0.0];
        }
    }
}

#[test]
fn no_place_has_no_distance() {
    check_nowhere(&*signed(&sphere(8, 4)), 0);
    check_nowhere(&*unsigned(&sphere(8, 4)), 0);
}

#[test]
fn what_is_no_mesh_is_refused() {
    let corners = || vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let error = |vertices, triangles| Mesh::new(vertices, triangles).unwrap_err();
    let cases: [(MeshError, &str, &str); 6] = cases![
        error(vec![[0.0; 3], [f64::NAN; 3]], vec![]) => "invalid_value", "vertex 1 is at [NaN, NaN, NaN]";
        error(vec![[1e101; 3]], vec![]) => "invalid_value", "must be between -1e100 and 1e100";
        error(corners(), vec![[0, 1, 3]]) => "unknown_vertex", "triangle 0 refers to vertex 3, but there are 3 vertices";
        error(corners(), vec![]) => "empty_mesh", "all 0 triangles are degenerate";
        error(corners(), vec![[0, 1, 1]]) => "empty_mesh", "all 1 triangles are degenerate";
        error(vec![[0.0; 3], [1.0; 3], [2.0; 3]], vec![[0, 1, 2]]) => "empty_mesh", "non-collinear";
    ];
    for (error, code, text) in cases {
        assert_eq!(error.code(), code);
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[test]
fn a_mesh_is_asked_for_distances_only() {
    let mesh = mesh(sphere(8, 4));
    let lattice = Query::BeamLattice {
        accurate_range: 1.0,
    };
    assert!(mesh.oracle(lattice).is_none());
    let image = Query::Image {
        filter: Filter::Linear,
        tiles: [TileStyle::Wrap; 3],
    };
    assert!(mesh.oracle(image).is_none());
}
