//! Vertices and edges by number, and what is near.

use proptest::prelude::*;

use super::plain::{Plain, filter, plain};
use super::*;

/// Distances from some vertices by which edges are followed that pass, one level after the other.
fn distances(plain: &Plain, starts: &[usize], walk: &NeighbourhoodQuery) -> Vec<Option<u32>> {
    let mut far = vec![None; plain.vertices()];
    for &start in starts {
        far[start] = Some(0);
    }
    for depth in 0..walk.depth {
        for vertex in 0..plain.vertices() {
            if far[vertex] != Some(depth) {
                continue;
            }
            for (edge, to) in plain.steps(vertex, walk.filter.direction) {
                let passes = !walk.cut || plain.passes_vertex(to, &walk.filter);
                if far[to].is_none() && passes && plain.passes_edge(edge, &walk.filter) {
                    far[to] = Some(depth + 1);
                }
            }
        }
    }
    far
}

proptest! {
    #[test]
    fn numbers_name_what_is_there(plain in plain(14)) {
        let knowledge = plain.knowledge();
        let network = Network::new(&knowledge);
        prop_assert!(network.is_of(&knowledge));
        prop_assert_eq!(network.vertex_count(), plain.vertices());
        for (number, id) in (0..).zip(&plain.ids) {
            prop_assert_eq!(network.vertex(id).unwrap(), number);
            prop_assert_eq!(network.id(number), id);
            let types = network.node(number).map(|node| node.types().next().unwrap());
            prop_assert_eq!(types, plain.types.get(number as usize).copied());
        }
        prop_assert_eq!(network.edge_count(), plain.edges.len());
        for (number, edge) in (0..).zip(&plain.edges) {
            prop_assert_eq!(network.edge(number).id(), format!("e{number}"));
            prop_assert_eq!(network.ends(number).map(|end| end as usize), edge.ends);
            prop_assert_eq!(network.weight(number), plain.length(number as usize, true));
        }
    }

    #[test]
    fn what_is_near_is_found_as_by_levels(
        plain in plain(20),
        filter in filter(),
        depth in 0..5_u32,
        cut in any::<bool>(),
        starts in prop::collection::vec(0..10_usize, 0..3),
        (offset, limit, edges) in (0..4_usize, 0..6_usize, 0..4_usize),
    ) {
        let starts: Vec<usize> = starts.into_iter().map(|start| start % plain.vertices()).collect();
        let network = Network::new(&plain.knowledge());
        let ids = starts.iter().map(|&start| plain.ids[start].clone());
        let walk = NeighbourhoodQuery { starts: ids.collect(), depth, filter, cut, edges, offset, limit };
        let near = network.neighbours(&walk).unwrap();
        let far = distances(&plain, &starts, &walk);
        let found = (0..plain.vertices()).filter_map(|vertex| Some((far[vertex]?, vertex)));
        let mut found: Vec<(u32, usize)> = found
            .filter(|(distance, vertex)| *distance > 0 && plain.passes_vertex(*vertex, &walk.filter))
            .collect();
        found.sort_unstable();
        prop_assert_eq!(near.total, found.len());
        let told = |near: &Neighbourhood| -> Vec<(u32, usize)> {
            near.reached.iter().map(|one| (one.distance, one.vertex as usize)).collect()
        };
        let whole = NeighbourhoodQuery { offset: 0, limit: usize::MAX, ..walk.clone() };
        let mut whole = told(&network.neighbours(&whole).unwrap());
        let page: Vec<(u32, usize)> = whole.iter().copied().skip(offset).take(limit).collect();
        prop_assert_eq!(&told(&near), &page);
        // The nearest come first, and those that are as near as they are come upon.
        prop_assert!(whole.is_sorted_by_key(|(distance, _)| *distance));
        whole.sort_unstable();
        prop_assert_eq!(&whole, &found);
        for reached in &near.reached {
            // The edge leads there from something that is one edge nearer.
            let by = reached.by as usize;
            prop_assert!(plain.passes_edge(by, &walk.filter));
            let before = (0..plain.vertices()).find(|&vertex| {
                let steps = plain.steps(vertex, walk.filter.direction);
                far[vertex] == Some(reached.distance - 1) && steps.contains(&(by, reached.vertex as usize))
            });
            prop_assert!(before.is_some());
        }
        let inner = |end: usize| starts.contains(&end) || page.iter().any(|one| one.1 == end);
        let among = (0..plain.edges.len()).filter(|&edge| {
            plain.passes_edge(edge, &walk.filter) && plain.edges[edge].ends.into_iter().all(inner)
        });
        let among: Vec<u32> = among.map(|edge| edge as u32).collect();
        if edges > 0 {
            prop_assert_eq!(near.edges_total, among.len());
            prop_assert_eq!(&near.edges[..], &among[..among.len().min(edges)]);
        }
    }
}

#[test]
fn a_copy_that_was_changed_is_not_what_the_network_is_of() {
    let knowledge = graph(3, [[0, 1], [1, 2]]);
    let network = Network::new(&knowledge);
    let mut copy = knowledge.clone();
    assert!(network.is_of(&copy));
    copy.remove_edge("e1").unwrap();
    assert!(!network.is_of(&copy));
    assert_eq!(network.edge(1).id(), "e1");
}

#[test]
fn what_is_reached_is_reached_by_the_first_edge() {
    // Two edges to n1, of which the first one counts; n3 by way of n2, which is reached before n1.
    let knowledge = graph(4, [[0, 2], [0, 1], [0, 1], [1, 3], [2, 3]]);
    let network = Network::new(&knowledge);
    let walk = NeighbourhoodQuery {
        starts: vec!["n0".to_owned()],
        depth: 2,
        filter: towards(Direction::Outgoing),
        cut: false,
        edges: 10,
        offset: 0,
        limit: 10,
    };
    let near = network.neighbours(&walk).unwrap();
    let by = near.reached.iter().map(|one| (one.vertex, one.by));
    assert_eq!(by.collect::<Vec<_>>(), [(2, 0), (1, 1), (3, 4)]);
    assert_eq!(near.edges, [0, 1, 2, 3, 4]);
}
