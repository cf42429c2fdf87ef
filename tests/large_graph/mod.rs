//! A graph with ports for layouts, in tests and benches.

use fibula::format::diagram::layout::{Block, Graph, Rank, Wire};

/// A graph like that of a large function: most links are short, a few go far.
pub(crate) fn large_graph(count: usize) -> Graph {
    let mut graph = Graph::default();
    let mut state = 7_u64;
    let mut random = |most: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % most
    };
    for node in 0..count {
        graph.nodes.push(Block {
            size: [120.0, 70.0],
            inputs: vec![40.0, 58.0],
            outputs: vec![40.0],
            rank: Rank::Free,
        });
        for input in 0..2 {
            if node > 0 {
                let back = if random(20) == 0 {
                    1 + random(node)
                } else {
                    1 + random(node.min(60))
                };
                graph.wires.push(Wire {
                    from: [node - back, 0],
                    to: [node, input],
                });
            }
        }
    }
    graph
}
