//! The facts of nodes and edges, under the names that [`fields`](super::fields) reads first.

use std::borrow::Cow;

use fibula_knowledge::{EdgeRef, NodeRef, Observation};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value as Json};

use super::fields::{DATA, Sort};

/// Named values in an order that people read.
#[derive(Debug, Default)]
pub(super) struct Facts<'a>(pub(super) Vec<(Cow<'a, str>, Json)>);

impl<'a> Facts<'a> {
    pub(super) fn add(&mut self, name: &'a str, value: impl Into<Json>) {
        self.0.push((Cow::Borrowed(name), value.into()));
    }

    fn add_some(&mut self, name: &'a str, value: Option<impl Into<Json>>) {
        if let Some(value) = value {
            self.add(name, value);
        }
    }

    /// Adds data under its own names, and what would be taken for something else in an object called "data".
    pub(super) fn add_data(&mut self, sort: Sort, data: Map<String, Json>) {
        let (known, own): (Map<_, _>, Map<_, _>) =
            data.into_iter().partition(|(name, _)| sort.knows(name));
        if !known.is_empty() {
            self.add(DATA, known);
        }
        self.0.extend(
            own.into_iter()
                .map(|(name, value)| (Cow::Owned(name), value)),
        );
    }
}

impl Serialize for Facts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// What is known of a node, but for its data.
pub(super) fn node<'a>(node: &NodeRef<'_>) -> Facts<'a> {
    let mut facts = Facts::default();
    facts.add("id", node.id());
    facts.add("label", node.label());
    facts.add_some("type", node.types().next());
    if node.types().nth(1).is_some() {
        facts.add("types", node.types().collect::<Vec<&str>>());
    }
    if !node.observations().is_empty() {
        let observations = node.observations().iter().map(observation);
        facts.add("observations", observations.collect::<Vec<Json>>());
    }
    if let Some([x, y]) = node.position() {
        facts.add("x", x);
        facts.add("y", y);
    }
    facts.add("creator", node.creator());
    facts.add("created", node.created());
    facts.add("modified", node.modified());
    facts.add("version", node.version());
    facts.add("order", node.order());
    facts
}

/// What is known of an edge, but for its data.
pub(super) fn edge<'a>(edge: &EdgeRef<'_>) -> Facts<'a> {
    let mut facts = Facts::default();
    facts.add("id", edge.id());
    facts.add("source", edge.source());
    facts.add("target", edge.target());
    facts.add("type", edge.ty());
    facts.add_some("label", edge.label());
    facts.add_some("weight", edge.weight());
    let [from, to] = edge.validity();
    facts.add_some("valid_from", from);
    facts.add_some("valid_to", to);
    facts.add("creator", edge.creator());
    facts.add("created", edge.created());
    facts.add("modified", edge.modified());
    facts.add("order", edge.order());
    facts
}

/// What stands for a function at an end of an edge, where each end has to be listed.
pub(super) fn function<'a>(id: &str) -> Facts<'a> {
    let mut facts = Facts::default();
    facts.add("id", id);
    facts.add("label", id);
    facts.add("type", super::gather::FUNCTION);
    facts
}

fn observation(observation: &Observation) -> Json {
    serde_json::json!({ "text": observation.text, "at": observation.at, "by": observation.by })
}

/// The data that a node or an edge keeps as text.
pub(super) fn data(text: Option<&str>) -> Map<String, Json> {
    let read = |text| serde_json::from_str(text).expect("data was written from an object");
    text.map(read).unwrap_or_default()
}
