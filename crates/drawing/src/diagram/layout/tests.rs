use std::ops::ControlFlow;

use proptest::prelude::*;

use super::*;

/// A node with so many inputs and outputs.
fn block(inputs: usize, outputs: usize, rank: Rank) -> Block {
    let ports = |count: usize| (0..count).map(|port| 30.0 + 18.0 * port as f64).collect();
    Block {
        size: [
            60.0 + 10.0 * (inputs % 4) as f64,
            24.0 + 18.0 * inputs.max(outputs).max(1) as f64,
        ],
        inputs: ports(inputs),
        outputs: ports(outputs),
        rank,
    }
}

fn laid_out(graph: &Graph) -> Places {
    lay_out(
        graph,
        &Spacing::default(),
        &mut || ControlFlow::Continue(()),
    )
    .expect("it has no cycle")
}

/// A graph of numbers: for each node its inputs, outputs and what its inputs are linked to.
fn graph(seeds: &[(u8, u8, Vec<u16>)]) -> Graph {
    let count = seeds.len();
    let mut graph = Graph::default();
    for (node, (inputs, outputs, links)) in seeds.iter().enumerate() {
        let rank = match node {
            0 => Rank::First,
            _ if node + 1 == count => Rank::Last,
            _ => Rank::Free,
        };
        let inputs = if node == 0 {
            0
        } else {
            usize::from(inputs % 5)
        };
        let outputs = if rank == Rank::Last {
            0
        } else {
            1 + usize::from(outputs % 3)
        };
        graph.nodes.push(block(inputs, outputs, rank));
        for (input, &link) in links.iter().enumerate().take(inputs) {
            // Near ones are more likely.
            let back = 1 + usize::from(link) % node.clamp(1, 9);
            let source = if link > 60_000 { 0 } else { node - back };
            let port = usize::from(link / 7) % graph.nodes[source].outputs.len();
            graph.wires.push(Wire {
                from: [source, port],
                to: [node, input],
            });
        }
    }
    graph
}

fn graphs(most: usize) -> impl Strategy<Value = Graph> {
    let node = (
        any::<u8>(),
        any::<u8>(),
        prop::collection::vec(any::<u16>(), 0..5),
    );
    prop::collection::vec(node, 2..most).prop_map(|seeds| graph(&seeds))
}

/// The points of a curve, for whoever asks what it touches.
fn curve(from: [f64; 2], to: [f64; 2]) -> impl Iterator<Item = [f64; 2]> {
    (0..=16).map(move |step| {
        let t = f64::from(step) / 16.0;
        let ease = t * t * (3.0 - 2.0 * t);
        let x = from[0] + (to[0] - from[0]) * t;
        [x, from[1] + (to[1] - from[1]) * ease]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn nodes_keep_apart_and_links_lead_to_the_right(graph in graphs(40)) {
        let places = laid_out(&graph);
        prop_assert!(places.crossings <= places.crossings_before);
        let boxes: Vec<[[f64; 2]; 2]> = (0..graph.nodes.len())
            .map(|node| {
                let ([x, y], [width, height]) = (places.nodes[node], graph.nodes[node].size);
                [[x, x + width], [y, y + height]]
            })
            .collect();
        let most = places.layers.iter().max().copied().unwrap_or(0);
        for (one, first) in boxes.iter().enumerate() {
            for ([low, high], size) in first.iter().zip(places.size) {
                prop_assert!(*low >= -1e-9 && *high <= size + 1e-9);
            }
            for second in &boxes[..one] {
                let apart = |axis: usize| {
                    first[axis][0].max(second[axis][0]) - first[axis][1].min(second[axis][1])
                };
                prop_assert!(apart(0) >= 43.999 || apart(1) >= 23.999, "{first:?} {second:?}");
            }
        }
        prop_assert_eq!(places.layers[0], 0);
        prop_assert_eq!(places.layers[graph.nodes.len() - 1], most);
        for (index, wire) in graph.wires.iter().enumerate() {
            let [from, to] = [wire.from, wire.to];
            prop_assert!(places.layers[from[0]] < places.layers[to[0]]);
            let path = places.path(index);
            let (source, target) = (&graph.nodes[from[0]], &graph.nodes[to[0]]);
            let start = [boxes[from[0]][0][1], boxes[from[0]][1][0] + source.outputs[from[1]]];
            let end = [boxes[to[0]][0][0], boxes[to[0]][1][0] + target.inputs[to[1]]];
            let at = |one: [f64; 2], other: [f64; 2]| {
                (one[0] - other[0]).hypot(one[1] - other[1]) < 1e-9
            };
            prop_assert!(at(path[0], start) && at(path[path.len() - 1], end));
            for (part, ends) in path.windows(2).enumerate() {
                prop_assert!(ends[0][0] <= ends[1][0], "to the right");
                prop_assert!(part % 2 == 1 || (ends[0][1] - ends[1][1]).abs() < 1e-9, "straight");
                for [x, y] in curve(ends[0], ends[1]) {
                    for [across, down] in &boxes {
                        let inside = |sides: &[f64; 2], at: f64| at > sides[0] + 1e-6 && at < sides[1] - 1e-6;
                        prop_assert!(!(inside(across, x) && inside(down, y)), "through a node");
                    }
                }
            }
        }
    }

    #[test]
    fn equal_graphs_have_equal_places(graph in graphs(30)) {
        prop_assert_eq!(laid_out(&graph), laid_out(&graph.clone()));
        // The order of links is not seen.
        let mut turned = graph.clone();
        turned.wires.reverse();
        let mut places = laid_out(&turned);
        places.branches.reverse();
        prop_assert_eq!(laid_out(&graph), places);
    }
}

/// A chain, whose links are all straight.
#[test]
fn chains_are_straight() {
    let mut graph = Graph::default();
    for node in 0..6 {
        graph
            .nodes
            .push(block(1 + node % 3, 1 + node % 2, Rank::Free));
        if node > 0 {
            let wire = Wire {
                from: [node - 1, (node - 1) % 2],
                to: [node, node % 3],
            };
            graph.wires.push(wire);
        }
    }
    let places = laid_out(&graph);
    for wire in 0..graph.wires.len() {
        let path = places.path(wire);
        assert!(
            path.iter()
                .all(|point| (point[1] - path[0][1]).abs() < 1e-9),
            "{path:?}"
        );
    }
}

/// Two nodes whose links cross as they come, and need not.
#[test]
fn links_that_need_not_cross_do_not() {
    let mut graph = Graph::default();
    graph.nodes.push(block(0, 8, Rank::First));
    for node in 1..=8 {
        graph.nodes.push(block(1, 1, Rank::Free));
        graph.wires.push(Wire {
            from: [0, 8 - node],
            to: [node, 0],
        });
    }
    graph.nodes.push(block(8, 0, Rank::Last));
    for node in 1..=8 {
        graph.wires.push(Wire {
            from: [node, 0],
            to: [9, 8 - node],
        });
    }
    let places = laid_out(&graph);
    assert_eq!(places.crossings, 0);
    let tops: Vec<f64> = (1..=8).map(|node| places.nodes[node][1]).collect();
    assert!(tops.windows(2).all(|pair| pair[0] > pair[1]), "{tops:?}");
}

#[test]
fn what_cannot_be_is_refused() {
    let mut graph = Graph {
        nodes: vec![block(1, 1, Rank::Free), block(1, 1, Rank::Free)],
        wires: vec![
            Wire {
                from: [0, 0],
                to: [1, 0],
            },
            Wire {
                from: [1, 0],
                to: [0, 0],
            },
        ],
    };
    let go_on = &mut || ControlFlow::Continue(());
    let spacing = Spacing::default();
    assert_eq!(lay_out(&graph, &spacing, go_on), Err(Unplaceable::Cyclic));
    graph.wires.pop();
    let stop = &mut || ControlFlow::Break(());
    assert_eq!(lay_out(&graph, &spacing, stop), Err(Unplaceable::Cancelled));
    let empty = lay_out(&Graph::default(), &spacing, go_on).expect("nothing is somewhere");
    assert!(empty.size.iter().all(|side| *side <= 0.0));
    // Every node of a chain hands over to the last one, past all others.
    let count = 2_000;
    let mut long = Graph::default();
    for node in 0..count {
        long.nodes.push(block(1, 1, Rank::Free));
        if node > 0 {
            long.wires.push(Wire {
                from: [node - 1, 0],
                to: [node, 0],
            });
        }
    }
    long.nodes.push(block(count, 0, Rank::Last));
    for node in 0..count {
        long.wires.push(Wire {
            from: [node, 0],
            to: [count, node],
        });
    }
    assert!(matches!(
        lay_out(&long, &spacing, go_on),
        Err(Unplaceable::TooLarge(_))
    ));
}
