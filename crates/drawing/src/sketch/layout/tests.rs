//! Laws of all methods over random multigraphs, and layouts of small graphs.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use fibula_knowledge::progress::Cancelled;
use proptest::prelude::*;

use super::*;

fn methods() -> Vec<Method> {
    let force = Force {
        rounds: Some(60),
        ..Force::default()
    };
    vec![
        Method::Force(force),
        Method::Force(Force {
            lin_log: true,
            strong_gravity: true,
            ..force
        }),
        Method::Layered(Flow::Down),
        Method::Layered(Flow::Right),
        Method::Radial { centre: None },
        Method::Grid,
        Method::Circle,
    ]
}

/// Largest distance of a position from the origin.
fn extent(positions: &[[f64; 2]]) -> f64 {
    let distances = positions
        .iter()
        .map(|position| position[0].hypot(position[1]));
    distances.fold(0.0, f64::max)
}

fn plan() -> impl Strategy<Value = Plan> {
    (0..40_usize).prop_flat_map(|count| {
        let sizes = prop::collection::vec([0.0..90.0, 0.0..40.0], count);
        let last = count.max(1);
        let edges = prop::collection::vec(
            (0..last, 0..last, prop_oneof![Just(1.0), 0.0..1e300]),
            0..80,
        );
        let position = prop_oneof![
            Just(None),
            Just(Some([0.0; 2])),
            [-1e300..1e300, -1.0..1.0].prop_map(Some)
        ];
        let start = prop_oneof![
            Just(Vec::new()).boxed(),
            prop::collection::vec(position, count).boxed()
        ];
        let groups = prop_oneof![
            Just(Vec::new()).boxed(),
            prop::collection::vec(0..4_usize, count).boxed()
        ];
        (sizes, edges, start, groups).prop_map(move |(sizes, edges, start, groups)| Plan {
            sizes,
            edges: if count > 0 { edges } else { Vec::new() },
            groups,
            start,
        })
    })
}

fn laid_out(plan: &Plan, method: &Method) -> Vec<[f64; 2]> {
    plan.lay_out(method, &|_, _| ControlFlow::Continue(()))
        .unwrap()
}

fn check(plan: &Plan, method: &Method) {
    let positions = laid_out(plan, method);
    assert_eq!(positions.len(), plan.sizes.len());
    let mut parts = positions.iter().flatten();
    assert!(parts.all(|part| part.is_finite()), "{method:?}");
    for one in 0..positions.len() {
        for other in one + 1..positions.len() {
            let is_free = (0..2).any(|axis| {
                let away = (positions[one][axis] - positions[other][axis]).abs();
                away >= f64::midpoint(plan.sizes[one][axis], plan.sizes[other][axis])
            });
            assert!(
                is_free,
                "{method:?}: {one} and {other} overlap: {positions:?}"
            );
        }
    }
    let bounds = packing::bounds(positions.iter().copied().zip(plan.sizes.iter().copied()));
    if !positions.is_empty() {
        let [low, high] = bounds;
        for (low, high) in low.iter().zip(high) {
            assert!((low + high).abs() <= 1e-9 * high.max(1.0));
        }
    }
    assert_eq!(positions, laid_out(plan, method), "{method:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn nodes_do_not_overlap(plan in plan()) {
        for method in methods() {
            check(&plan, &method);
        }
    }
}

/// A pseudo-random graph of clusters.
pub(crate) fn clustered(nodes: usize, edges: usize) -> Plan {
    let mut state = 12_345_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let size = 25.min(nodes);
    let edges = (0..edges).map(|edge| {
        let source = if edge < nodes { edge } else { random(nodes) };
        let near = source / size * size;
        let target = match edge % 8 {
            0 => random(nodes),
            _ => near + random(size.min(nodes - near)),
        };
        (source, target, 1.0)
    });
    Plan {
        sizes: vec![[20.0, 20.0]; nodes],
        edges: edges.collect(),
        ..Plan::default()
    }
}

#[test]
fn layouts_do_not_depend_on_the_number_of_threads() {
    let plan = clustered(900, 1_500);
    let method = Method::default();
    let pool = |threads: usize| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
    };
    let [one, many] = [1, 5].map(|threads| pool(threads).install(|| laid_out(&plan, &method)));
    assert_eq!(one, many);
}

#[test]
fn edges_point_forward_in_layers() {
    let mut plan = clustered(300, 420);
    plan.edges.retain(|edge| edge.0 < edge.1);
    for (flow, axis) in [(Flow::Down, 1), (Flow::Right, 0)] {
        let positions = laid_out(&plan, &Method::Layered(flow));
        for &(source, target, _) in &plan.edges {
            assert!(positions[source][axis] + 20.0 < positions[target][axis]);
        }
    }
}

#[test]
fn forces_bring_linked_nodes_together() {
    let plan = clustered(400, 800);
    for lin_log in [false, true] {
        let positions = laid_out(
            &plan,
            &Method::Force(Force {
                lin_log,
                ..Force::default()
            }),
        );
        let far = |one: usize, other: usize| {
            f64::hypot(
                positions[one][0] - positions[other][0],
                positions[one][1] - positions[other][1],
            )
        };
        let joined: f64 = plan
            .edges
            .iter()
            .map(|edge| far(edge.0, edge.1))
            .sum::<f64>()
            / plan.edges.len() as f64;
        let any: f64 = (0..400)
            .map(|node| far(node, (node * 7 + 200) % 400))
            .sum::<f64>()
            / 400.0;
        assert!(joined * 2.0 < any, "{joined} {any}");
    }
    // With its own result as the initial layout it changes little.
    let first = laid_out(&plan, &Method::default());
    let again = Plan {
        start: first.iter().copied().map(Some).collect(),
        ..plan
    };
    let second = laid_out(&again, &Method::default());
    let extent = extent(&first);
    let moved = first
        .iter()
        .zip(&second)
        .map(|(one, other)| f64::hypot(one[0] - other[0], one[1] - other[1]));
    let moved = moved.sum::<f64>() / 400.0;
    assert!(moved < extent / 5.0, "{moved} of {extent}");
}

#[test]
fn rings_follow_distances() {
    let plan = Plan {
        sizes: vec![[20.0; 2]; 11],
        edges: (1..11).map(|node| (node, (node - 1) / 3, 1.0)).collect(),
        ..Plan::default()
    };
    let positions = laid_out(&plan, &Method::Radial { centre: Some(0) });
    let far = |node: usize| {
        f64::hypot(
            positions[node][0] - positions[0][0],
            positions[node][1] - positions[0][1],
        )
    };
    for node in 1..4 {
        assert!((far(node) - far(1)).abs() < 1e-6 && far(node) + 30.0 < far(4));
    }
    // A star has more than one ring, and is not wider than it must be.
    let star = Plan {
        sizes: vec![[20.0; 2]; 2_001],
        edges: (1..2_001).map(|node| (0, node, 1.0)).collect(),
        ..Plan::default()
    };
    let positions = laid_out(&star, &Method::Radial { centre: None });
    let widest = extent(&positions);
    assert!(widest < 2_000.0, "{widest}");
}

#[test]
fn invalid_plans_are_rejected() {
    let plan = |change: &dyn Fn(&mut Plan)| {
        let mut plan = Plan {
            sizes: vec![[10.0; 2]; 3],
            edges: vec![(0, 1, 1.0)],
            ..Plan::default()
        };
        change(&mut plan);
        let refused = plan.lay_out(&Method::Grid, &|_, _| ControlFlow::Continue(()));
        let refused = refused.unwrap_err();
        format!("{}: {refused}", refused.code())
    };
    let messages = [
        plan(&|plan| plan.start = vec![Some([0.0, f64::NAN]), None, None]),
        plan(&|plan| plan.start = vec![None]),
        plan(&|plan| plan.groups = vec![0; 4]),
        plan(&|plan| plan.edges.push((2, 3, 1.0))),
        plan(&|plan| plan.edges.push((2, 1, -1.0))),
        plan(&|plan| plan.edges.push((2, 1, f64::INFINITY))),
        plan(&|plan| plan.sizes[1] = [1.0, f64::NAN]),
        plan(&|plan| plan.sizes = vec![[1.0; 2]; MAX_NODES + 1]),
        plan(&|plan| plan.edges = vec![(0, 1, 1.0); MAX_EDGES + 1]),
    ];
    insta::assert_snapshot!(messages.join("\n"));
    let method = Method::Radial { centre: Some(1) };
    let refused = Plan::default().lay_out(&method, &|_, _| ControlFlow::Continue(()));
    assert_eq!(refused.unwrap_err().code(), "unknown_node");
    let changes: [fn(&mut Force); 3] = [
        |force| force.gravity = f64::NAN,
        |force| force.scaling = 0.0,
        |force| force.rounds = Some(10_001),
    ];
    for change in changes {
        let mut force = Force::default();
        change(&mut force);
        let refused =
            Plan::default().lay_out(&Method::Force(force), &|_, _| ControlFlow::Continue(()));
        assert_eq!(refused.unwrap_err().code(), "invalid_value");
    }
}

#[test]
fn layouts_can_be_cancelled() {
    let plan = clustered(3_000, 5_000);
    for method in methods() {
        let asked = AtomicU64::new(0);
        let ended = plan.lay_out(&method, &|done, total| {
            assert!(done <= total);
            match asked.fetch_add(1, Ordering::Relaxed) {
                0 => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        });
        assert_eq!(ended, Err(SketchError::Cancelled(Cancelled)), "{method:?}");
        assert!(asked.into_inner() < 60, "{method:?}");
    }
}

#[test]
fn a_long_chain_needs_no_deep_stack() {
    let work = || {
        let count = 20_000;
        let plan = Plan {
            sizes: vec![[4.0; 2]; count],
            edges: (1..count).map(|node| (node, node - 1, 1.0)).collect(),
            ..Plan::default()
        };
        for method in methods() {
            let method = match method {
                Method::Force(force) => Method::Force(Force {
                    rounds: Some(2),
                    ..force
                }),
                Method::Layered(_) | Method::Radial { .. } | Method::Grid | Method::Circle => {
                    method
                }
            };
            assert_eq!(laid_out(&plan, &method).len(), count);
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work);
    thread.unwrap().join().unwrap();
}
