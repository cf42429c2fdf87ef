//! The graph's own word on what was read: functions are built, and what it refuses is told with its place in the file.

use fibula_core::graph::{
    Document, Endpoint, FunctionData, GraphError, ImageFunction, NodeId, NodeLabel, Resource,
};
use fibula_nodes::ResourceId;

use super::error::{Location, Problem, ReadError, brief};
use super::raw::Function;

/// Builds a function; `rows` says for each node of `data` which element of the file it is.
///
/// # Errors
/// Whatever the graph refuses.
pub(super) fn function(
    document: &mut Document,
    function: &Function,
    data: &FunctionData,
    rows: &[Option<usize>],
) -> Result<(), ReadError> {
    let refused = |error: GraphError| {
        let at =
            node(&error).and_then(|id| data.nodes.iter().position(|node| node.node_id == Some(id)));
        let node = at.and_then(|at| rows[at]).map(|row| &function.nodes[row]);
        let place = match node {
            Some(node) => Location {
                node: Some(brief(&node.identifier)),
                ..function.place.at_line(node.element.line)
            },
            None => function.place.clone(),
        };
        Problem::from(Box::new(error)).at(place)
    };
    document.insert(data).map(|_| ()).map_err(refused)
}

/// Adds a function that is an image.
///
/// # Errors
/// Whatever the graph refuses.
pub(super) fn image_function(
    document: &mut Document,
    id: ResourceId,
    function: &ImageFunction,
    place: &Location,
) -> Result<(), ReadError> {
    let resource = Resource::ImageFunction(function.clone());
    document
        .insert_resource(id, resource)
        .map_err(|error| Problem::from(Box::new(error)).at(place.clone()))
}

/// The node that a refusal is about.
fn node(error: &GraphError) -> Option<NodeId> {
    let label = |label: &NodeLabel| Some(label.node_id);
    let end = |end: &Endpoint| Some(end.node.node_id);
    match error {
        GraphError::UnknownNode { node_id, .. } => Some(*node_id),
        GraphError::UnknownPort { node, .. }
        | GraphError::UnknownParameter { node, .. }
        | GraphError::NoOverload { node, .. }
        | GraphError::SelfLink { node } => label(node),
        GraphError::TypeMismatch { target, .. }
        | GraphError::AlreadyLinked { target, .. }
        | GraphError::ResourceKindMismatch { target, .. }
        | GraphError::ParameterLinked { target, .. }
        | GraphError::InvalidValue { target, .. } => end(target),
        GraphError::Cycle { path } => path.first().copied(),
        GraphError::UnknownFunction { .. }
        | GraphError::UnknownNodeType { .. }
        | GraphError::RecursiveCall { .. }
        | GraphError::DuplicateId { .. }
        | GraphError::ProtectedNode { .. }
        | GraphError::InUse { .. }
        | GraphError::InvalidName { .. }
        | GraphError::TooLarge { .. } => None,
    }
}
