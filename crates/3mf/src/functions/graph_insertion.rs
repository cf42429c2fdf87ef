//! Insertion of functions into a document, whose errors are reported at their locations in the file.

use fibula_core::graph::{
    Document, Endpoint, FunctionData, GraphError, ImageFunction, NodeId, NodeLabel, Resource,
};
use fibula_nodes::ResourceId;

use super::parsed::ParsedFunction;
use crate::error::{Location, Problem, ReadError, brief};

/// Inserts a function; `rows` has the element of the file for each node of `data`.
///
/// # Errors
/// The error of the document.
pub(crate) fn insert_function(
    document: &mut Document,
    function: &ParsedFunction,
    data: &FunctionData,
    rows: &[Option<usize>],
) -> Result<(), ReadError> {
    let refused = |error: GraphError| {
        let at = error_node(&error)
            .and_then(|id| data.nodes.iter().position(|node| node.node_id == Some(id)));
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

/// Inserts an image function.
///
/// # Errors
/// The error of the document.
pub(crate) fn insert_image_function(
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

/// Node that an error is about.
fn error_node(error: &GraphError) -> Option<NodeId> {
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
        | GraphError::NoGraph { .. }
        | GraphError::UnknownNodeType { .. }
        | GraphError::RecursiveCall { .. }
        | GraphError::DuplicateId { .. }
        | GraphError::ProtectedNode { .. }
        | GraphError::InUse { .. }
        | GraphError::InvalidName { .. }
        | GraphError::InvalidPort { .. }
        | GraphError::TooLarge { .. } => None,
    }
}
