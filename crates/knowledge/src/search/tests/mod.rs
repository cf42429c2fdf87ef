//! Searches against a plain model, and what agents will ask.

mod golden;
mod laws;
mod model;
mod substring_index;

use serde_json::{Value as Json, json};

use super::{Query, SearchIndex, SearchResults};
use crate::graph::{Knowledge, Node, NodeRef, Observation};

/// A node with a label, types, texts that were noted, and data.
fn node(id: &str, label: &str, types: &[&str], noted: &[&str], data: &Json, order: u64) -> Node {
    let observation = |text: &&str| Observation {
        text: (*text).to_owned(),
        at: 0,
        by: "ann".to_owned(),
    };
    Node {
        id: id.to_owned(),
        label: label.to_owned(),
        types: types.iter().map(|&ty| ty.to_owned()).collect(),
        data: data.as_object().cloned().unwrap_or_default(),
        observations: noted.iter().map(observation).collect(),
        creator: "Ann".to_owned(),
        created: order as i64,
        modified: -(order as i64),
        order,
        ..Node::default()
    }
}
/// A graph of nodes with an id and a label each.
pub(super) fn labelled(nodes: &[(&str, &str)]) -> Knowledge {
    let mut knowledge = Knowledge::default();
    for (order, (id, label)) in (0..).zip(nodes) {
        knowledge.put_node(node(id, label, &["note"], &[], &json!({}), order));
    }
    knowledge
}

fn indexed(knowledge: &Knowledge) -> SearchIndex {
    let mut index = SearchIndex::default();
    index.update(knowledge);
    index
}

fn asking(text: &str) -> Query {
    let text = text.to_owned();
    Query {
        text,
        ..Query::default()
    }
}

fn ids(found: &SearchResults<'_>) -> Vec<String> {
    let ids = found.hits.iter().map(|hit| hit.node.id().to_owned());
    ids.collect()
}
