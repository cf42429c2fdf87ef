//! What pictures promise of labels and edges.

use fibula_knowledge::Knowledge;

use super::*;
use crate::scene::bezier;
use crate::scene::{Scene, Segment, Shape};
use crate::sketch::tests::{boxes, check, edge, node, scene, seen};
use crate::sketch::{Flow, Method};

/// A graph with a hub, whose other vertices are linked to nothing else.
fn star(leaves: usize) -> Knowledge {
    let mut graph = Knowledge::default();
    graph.put_node(node("hub", "the hub", "Hub", 0));
    for leaf in 0..leaves {
        let id = format!("n{leaf}");
        graph.put_node(node(&id, "leaf with a long name", "Leaf", 1 + leaf as u64));
        graph.put_edge(edge(leaf, "hub", &id, "links to"));
    }
    graph
}

#[test]
fn the_largest_hub_has_its_label() {
    for leaves in [3, 30, 200] {
        let graph = star(leaves);
        for marks in [Marks::Discs, Marks::Boxes] {
            for method in [
                Method::default(),
                Method::Radial { centre: None },
                Method::Circle,
                Method::Grid,
                Method::Layered(Flow::Down),
            ] {
                let options = Options {
                    size: Some([500, 400]),
                    marks,
                    // These are labelled before it.
                    highlight: (0..leaves.min(40)).map(|leaf| format!("n{leaf}")).collect(),
                    ..Options::default()
                };
                let drawn = scene(&seen(&graph), method, &options);
                check(&drawn);
                let mut shapes = drawn.groups.iter().flat_map(|group| &group.shapes);
                let is_label = |shape: &Shape| matches!(shape, Shape::Text { text, .. } if text.starts_with("the"));
                assert!(shapes.any(is_label), "{leaves} {marks:?} {method:?}");
            }
        }
    }
}

#[test]
fn layered_edges_avoid_marks_and_labels() {
    let mut graph = Knowledge::default();
    for number in 0..12 {
        graph.put_node(node(
            &format!("n{number}"),
            &format!("the node {number}"),
            "Node",
            number,
        ));
    }
    let ends = [
        (0, 1),
        (1, 2),
        (2, 3),
        (3, 4),
        (0, 2),
        (0, 4),
        (1, 3),
        (1, 5),
        (1, 6),
        (5, 7),
        (6, 7),
        (0, 7),
        (7, 8),
        (2, 8),
        (8, 9),
        (4, 9),
        (3, 10),
        (10, 11),
        (0, 11),
    ];
    for (number, (source, target)) in ends.into_iter().enumerate() {
        graph.put_edge(edge(
            number,
            &format!("n{source}"),
            &format!("n{target}"),
            "to",
        ));
    }
    for (marks, flow) in [
        (Marks::Discs, Flow::Down),
        (Marks::Boxes, Flow::Down),
        (Marks::Boxes, Flow::Right),
    ] {
        let options = Options {
            marks,
            ..Options::default()
        };
        let drawn = scene(&seen(&graph), Method::Layered(flow), &options);
        let mut obstacles = Vec::new();
        for group in &drawn.groups {
            let one = Scene {
                groups: vec![group.clone()],
                ..drawn.clone()
            };
            let texts = group.shapes.iter().filter_map(|shape| match shape {
                Shape::Text { text, .. } => Some(text.as_str()),
                _ => None,
            });
            let owner = texts.chain(group.title.lines()).next().unwrap_or_default();
            let boxes = boxes(&one, false).into_iter().chain(boxes(&one, true));
            obstacles.extend(boxes.map(|own| (owner, own)));
        }
        let mut crossed = 0;
        for group in &drawn.groups {
            let Some(Shape::Path {
                start, segments, ..
            }) = group.shapes.first()
            else {
                continue;
            };
            let curve = match segments[..] {
                [Segment::Curve([first, second, end])] => [*start, first, second, end],
                [Segment::Line(end)] => [*start, *start, end, end],
                _ => panic!("{segments:?}"),
            };
            let points: Vec<[f64; 2]> = (0..=100)
                .map(|at| bezier::point(&curve, f64::from(at) / 100.0))
                .collect();
            let ends = group.title.lines().next().unwrap_or_default();
            let ends: Vec<&str> = ends.split(" \u{2192} ").collect();
            assert_eq!(ends.len(), 2, "{ends:?}");
            let is_crossed = |(owner, own): &&(&str, [[f64; 2]; 2])| {
                let within = |at: &[f64; 2]| {
                    (0..2).all(|axis| (own[0][axis]..own[1][axis]).contains(&at[axis]))
                };
                !ends.contains(owner) && points.iter().any(within)
            };
            crossed += obstacles.iter().filter(is_crossed).count();
        }
        assert_eq!(crossed, 0, "{marks:?} {flow:?}");
    }
}
