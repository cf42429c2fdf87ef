use std::ops::ControlFlow;

use proptest::prelude::*;

use super::*;

fn wire(from: [usize; 2], to: [usize; 2]) -> Wire {
    Wire { from, to }
}

/// A node with a number of inputs and outputs.
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

fn laid_out(graph: &Graph) -> Placement {
    lay_out(
        graph,
        &Spacing::default(),
        &mut || ControlFlow::Continue(()),
    )
    .expect("it has no cycle")
}

/// A graph of seeds: for each node the numbers of its inputs and outputs, and the sources of its inputs.
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
            // Short links are more likely.
            let back = 1 + usize::from(link) % node.clamp(1, 9);
            let source = if link > 60_000 { 0 } else { node - back };
            let port = usize::from(link / 7) % graph.nodes[source].outputs.len();
            graph.wires.push(wire([source, port], [node, input]));
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

/// Points of a curve.
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
    fn nodes_do_not_overlap_and_links_point_to_the_right(graph in graphs(40)) {
        let placement = laid_out(&graph);
        prop_assert!(placement.crossings <= placement.crossings_before);
        let boxes: Vec<[[f64; 2]; 2]> = (0..graph.nodes.len())
            .map(|node| {
                let ([x, y], [width, height]) = (placement.nodes[node], graph.nodes[node].size);
                [[x, x + width], [y, y + height]]
            })
            .collect();
        let most = placement.layers.iter().max().copied().unwrap_or(0);
        for (one, first) in boxes.iter().enumerate() {
            for ([low, high], size) in first.iter().zip(placement.size) {
                prop_assert!(*low >= -1e-9 && *high <= size + 1e-9);
            }
            for second in &boxes[..one] {
                let apart = |axis: usize| {
                    first[axis][0].max(second[axis][0]) - first[axis][1].min(second[axis][1])
                };
                prop_assert!(apart(0) >= 43.999 || apart(1) >= 23.999, "{first:?} {second:?}");
            }
        }
        prop_assert_eq!(placement.layers[0], 0);
        prop_assert_eq!(placement.layers[graph.nodes.len() - 1], most);
        for (index, wire) in graph.wires.iter().enumerate() {
            let [from, to] = [wire.from, wire.to];
            prop_assert!(placement.layers[from[0]] < placement.layers[to[0]]);
            let path = placement.path(index);
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
    fn layouts_are_deterministic(graph in graphs(30)) {
        prop_assert_eq!(laid_out(&graph), laid_out(&graph.clone()));
        // The order of links does not matter.
        let mut turned = graph.clone();
        turned.wires.reverse();
        let mut placement = laid_out(&turned);
        placement.branches.reverse();
        prop_assert_eq!(laid_out(&graph), placement);
    }
}

#[test]
fn chains_are_straight() {
    let mut graph = Graph::default();
    for node in 0..6 {
        graph
            .nodes
            .push(block(1 + node % 3, 1 + node % 2, Rank::Free));
        if node > 0 {
            let wire = wire([node - 1, (node - 1) % 2], [node, node % 3]);
            graph.wires.push(wire);
        }
    }
    let placement = laid_out(&graph);
    for wire in 0..graph.wires.len() {
        let path = placement.path(wire);
        let mut rises = path.iter().map(|point| (point[1] - path[0][1]).abs());
        assert!(rises.all(|rise| rise < 1e-9), "{path:?}");
    }
}

/// Links that cross in the initial order.
#[test]
fn avoidable_crossings_are_removed() {
    let mut graph = Graph::default();
    graph.nodes.push(block(0, 8, Rank::First));
    for node in 1..=8 {
        graph.nodes.push(block(1, 1, Rank::Free));
        graph.wires.push(wire([0, 8 - node], [node, 0]));
    }
    graph.nodes.push(block(8, 0, Rank::Last));
    for node in 1..=8 {
        graph.wires.push(wire([node, 0], [9, 8 - node]));
    }
    let placement = laid_out(&graph);
    assert_eq!(placement.crossings, 0);
    let tops: Vec<f64> = (1..=8).map(|node| placement.nodes[node][1]).collect();
    assert!(tops.windows(2).all(|pair| pair[0] > pair[1]), "{tops:?}");
}

#[test]
fn invalid_graphs_are_rejected() {
    let mut graph = Graph {
        nodes: vec![block(1, 1, Rank::Free), block(1, 1, Rank::Free)],
        wires: vec![wire([0, 0], [1, 0]), wire([1, 0], [0, 0])],
    };
    let go_on = &mut || ControlFlow::Continue(());
    let spacing = Spacing::default();
    assert_eq!(lay_out(&graph, &spacing, go_on), Err(LayoutError::Cyclic));
    graph.wires.pop();
    let stop = &mut || ControlFlow::Break(());
    assert_eq!(lay_out(&graph, &spacing, stop), Err(LayoutError::Cancelled));
    let empty = lay_out(&Graph::default(), &spacing, go_on).expect("nothing is somewhere");
    assert!(empty.size.iter().all(|side| *side <= 0.0));
    // Every node of a chain is linked to the last one, past all others.
    let count = 2_000;
    let mut long = Graph::default();
    for node in 0..count {
        long.nodes.push(block(1, 1, Rank::Free));
        if node > 0 {
            long.wires.push(wire([node - 1, 0], [node, 0]));
        }
    }
    long.nodes.push(block(count, 0, Rank::Last));
    for node in 0..count {
        long.wires.push(wire([node, 0], [count, node]));
    }
    assert!(matches!(
        lay_out(&long, &spacing, go_on),
        Err(LayoutError::TooLarge(_))
    ));
}
