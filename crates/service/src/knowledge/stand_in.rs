//! Nodes that stand for what edges name and nobody has made yet.

use fibula_knowledge::NodeRef;

use super::form::GivenNode;
use super::writer::{Writer, merge};
use crate::refusal::Refusal;

/// The type of such nodes.
const UNKNOWN: &str = "unknown";
/// What they have among their data.
const MARK: &str = "undefined";

/// Whether a node is one of them.
pub(super) fn is(node: NodeRef<'_>) -> bool {
    node.types().eq([UNKNOWN]) && node.data_map().get(MARK) == Some(&true.into())
}

/// Makes one.
pub(super) fn put(writer: &mut Writer<'_>, id: &str, label: &str) -> Result<(), Refusal> {
    let mut given = GivenNode {
        label: label.to_owned(),
        types: vec![UNKNOWN.to_owned()],
        ..GivenNode::default()
    };
    given.data.insert(MARK.to_owned(), true.into());
    writer.make(id.to_owned(), given)
}

/// Makes the node of it that is meant; what it got meanwhile stays.
pub(super) fn define(writer: &mut Writer<'_>, id: &str, given: GivenNode) -> Result<(), Refusal> {
    let (at, by) = writer.now();
    let mut node = writer.named(id)?.written();
    // It comes to be now, behind all that is there.
    (node.created, node.order) = (at, writer.graph().next_node());
    node.label = given.label;
    node.types = given.types;
    node.data.remove(MARK);
    merge(&mut node.data, given.data);
    node.creator = given.creator.unwrap_or_else(|| by.to_owned());
    let notes = given.observations.into_iter();
    let notes = notes.map(|one| one.noted(at, &node.creator));
    node.observations.extend(notes);
    node.position = given.position.or(node.position);
    writer.rewritten(node)
}
