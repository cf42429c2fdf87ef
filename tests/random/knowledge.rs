//! Random edits of the knowledge graph.

use fibula::edit::KnowledgeEdit;
use fibula::graph::Document;
use fibula::knowledge::{
    Direction, Edge, EdgeType, Knowledge, Node, NodeType, Observation, ObservationChange, Schema,
    Strictness,
};
use serde_json::{Map, json};

use super::Seed;

/// The edit that a seed means for this document.
pub(crate) fn edit(document: &Document, seed: &Seed) -> KnowledgeEdit {
    let knowledge = document.knowledge();
    let nodes = knowledge.sorted_nodes();
    let edges = knowledge.sorted_edges();
    let id = |number: u8| match nodes.get(number as usize % (nodes.len() + 1)) {
        Some(node) => node.id().to_owned(),
        None => format!("n{}", number % 9),
    };
    let edge_id = || match edges.get(seed.a as usize % (edges.len() + 1)) {
        Some(edge) => edge.id().to_owned(),
        None => knowledge.free_edge_id(),
    };
    let end = |number: u8| match number {
        0..20 => "fn:1".to_owned(),
        20..40 => "fn:1/2".to_owned(),
        _ => id(number),
    };
    match seed.b % 16 {
        0..=4 => KnowledgeEdit::PutNode(Box::new(node(knowledge, id(seed.a), seed))),
        5..=9 => KnowledgeEdit::PutEdge(Box::new(Edge {
            id: edge_id(),
            source: end(seed.c),
            target: end(seed.d),
            ty: ["supports", "Supports", "part of"][seed.a as usize % 3].to_owned(),
            label: seed.flag.then(|| format!("label {}", seed.c)),
            data: data(seed.d),
            weight: seed.c.is_multiple_of(3).then_some(f64::from(seed.d) / 3.0),
            valid_from: seed.flag.then_some(i64::from(seed.c)),
            valid_to: seed.d.is_multiple_of(5).then_some(i64::from(seed.d)),
            creator: creator(seed.a),
            created: i64::from(seed.a),
            modified: i64::from(seed.b),
            order: knowledge
                .edge(&edge_id())
                .map_or(knowledge.next_edge(), |edge| edge.order()),
        })),
        10 | 11 => {
            let id = id(seed.a);
            let count = knowledge
                .node(&id)
                .map_or(0, |node| node.observations().len() as u32);
            let remove = (0..count).filter(|place| seed.c >> (place % 8) & 1 == 1);
            KnowledgeEdit::Observe(ObservationChange {
                id,
                remove: remove.collect(),
                insert: (0..u32::from(seed.d % 3))
                    .map(|place| (place, noted(seed.c)))
                    .collect(),
                modified: i64::from(seed.d),
                version: u32::from(seed.c),
            })
        }
        12 => KnowledgeEdit::RemoveEdge { id: edge_id() },
        13 => KnowledgeEdit::MoveNode {
            id: id(seed.a),
            position: seed.flag.then_some([f64::from(seed.c), -0.0]),
        },
        14 => {
            // One with edges, if there is one.
            let joined = nodes.iter().find(|node| node.degree(Direction::Both) > 0);
            let joined = joined
                .filter(|_| seed.flag)
                .map(|node| node.id().to_owned());
            KnowledgeEdit::RemoveNode {
                id: joined.unwrap_or_else(|| id(seed.a)),
            }
        }
        _ => KnowledgeEdit::SetSchema(Schema {
            node_types: vec![NodeType {
                key: format!("Type {}", seed.c),
                description: seed.flag.then(|| "What it means.".to_owned()),
                ..NodeType::default()
            }],
            edge_types: vec![EdgeType {
                key: "supports".to_owned(),
                domain: vec![format!("Type {}", seed.c)],
                ..EdgeType::default()
            }],
            strict: [Strictness::Off, Strictness::Warn, Strictness::Reject][seed.d as usize % 3],
            synonyms: vec![
                vec!["wall".to_owned(), format!("sheet{}", seed.c)];
                usize::from(seed.flag)
            ],
        }),
    }
}

fn node(knowledge: &Knowledge, id: String, seed: &Seed) -> Node {
    let mut types = vec![["Gene", "gene", "Claim"][seed.c as usize % 3].to_owned()];
    types.extend(seed.flag.then(|| "Thing".to_owned()));
    Node {
        order: knowledge
            .node(&id)
            .map_or(knowledge.next_node(), |node| node.order()),
        id,
        label: ["Größe", "GRÖSSE", "TP53", ""][seed.d as usize % 4].to_owned(),
        types,
        data: data(seed.c),
        observations: (0..seed.d % 4)
            .map(|by| noted(seed.c.wrapping_add(by)))
            .collect(),
        position: seed
            .c
            .is_multiple_of(4)
            .then_some([f64::from(seed.c), -0.0]),
        creator: creator(seed.d),
        created: i64::from(seed.c),
        modified: -i64::from(seed.d),
        version: u32::from(seed.a),
    }
}

fn noted(what: u8) -> Observation {
    Observation {
        text: format!("noted {what}"),
        at: i64::from(what),
        by: creator(what),
    }
}

fn creator(what: u8) -> String {
    ["ann", "bob", ""][what as usize % 3].to_owned()
}

fn data(what: u8) -> Map<String, serde_json::Value> {
    let mut data = Map::new();
    if what.is_multiple_of(2) {
        data.insert("z".to_owned(), json!([what, { "x": null, "a": 0.1 }]));
        data.insert("a".to_owned(), json!("text"));
    }
    data
}
