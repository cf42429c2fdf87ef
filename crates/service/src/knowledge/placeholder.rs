//! Placeholder nodes for the ends of edges that have not been created yet.

use fibula_knowledge::NodeRef;

use super::records::GivenNode;
use super::writer::{Writer, merge};
use crate::refusal::Result;

/// Type of placeholders.
const UNKNOWN: &str = "unknown";
/// Data member that marks them.
const MARK: &str = "undefined";

/// True if a node is a placeholder.
pub(super) fn is_placeholder(node: NodeRef<'_>) -> bool {
    node.types().eq([UNKNOWN]) && node.data_map().get(MARK) == Some(&true.into())
}

/// Creates a placeholder.
pub(super) fn create(writer: &mut Writer<'_>, id: &str, label: &str) -> Result<()> {
    let mut node = GivenNode {
        label: label.to_owned(),
        types: vec![UNKNOWN.to_owned()],
        ..GivenNode::default()
    };
    node.data.insert(MARK.to_owned(), true.into());
    writer.make(id.to_owned(), node)
}

/// Turns a placeholder into the real node, keeping what was added to it.
pub(super) fn define(writer: &mut Writer<'_>, id: &str, definition: GivenNode) -> Result<()> {
    let (at, by) = writer.now();
    let mut node = writer.named(id)?.written();
    // Its creation counts from now, after all other nodes.
    (node.created, node.order) = (at, writer.graph().next_node());
    node.label = definition.label;
    node.types = definition.types;
    node.data.remove(MARK);
    merge(&mut node.data, definition.data);
    node.creator = definition.creator.unwrap_or_else(|| by.to_owned());
    let notes = definition.observations.into_iter();
    let notes = notes.map(|one| one.noted(at, &node.creator));
    node.observations.extend(notes);
    node.position = definition.position.or(node.position);
    writer.replace(node)
}
