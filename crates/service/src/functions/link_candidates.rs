//! Candidates of a link that is being drawn: parameters or ports of the function, node types and functions to call.

use fibula_core::graph::{FunctionId, GraphError, LinkStart, NewNodeCandidate, NodeId};
use fibula_nodes::Type;

use crate::refusal::{Refusal, Result, quoted};
use crate::service::Service;

json_structs! {
    /// Start of a link: a port or a parameter.
    pub request struct GetCompatibleLinks {
        project,
        /// The function.
        pub function_id: FunctionId,
        /// Port at which the link starts, such as "3.result".
        pub from: Option<String>,
        /// Or parameter to which it leads, such as "0.shape".
        pub to: Option<String>,
        revision,
    }

    /// Ends to which a link could lead. `reason` is present for one that is not possible; a `conversion` is the node type that
    /// create_link inserts with insert_conversion.
    pub answer struct CompatibleLinks {
        pub success: bool,
        /// Type of the port, or types that the parameter takes.
        #[schemars(with = "Vec<String>")]
        pub types: Vec<Type>,
        /// Parameters, or ports, of the other nodes.
        pub ends: Vec<CompatibleNode>,
        /// Types of new nodes, with their first end that fits.
        pub node_types: Vec<CompatibleNodeType>,
        /// Functions that a new node could call.
        pub functions: Vec<CompatibleFunction>,
        pub revision: u64,
    }

    /// Parameter or port of a node.
    pub answer struct CompatibleNode {
        pub node_id: NodeId,
        pub name: String,
        /// Port that is linked now, such as "4.result".
        pub replaces: Option<String>,
        pub conversion: Option<&'static str>,
        /// Code of the refusal.
        pub code: Option<&'static str>,
        pub reason: Option<String>,
    }

    /// Node type, and its first parameter or port that fits.
    pub answer struct CompatibleNodeType {
        pub node_type: &'static str,
        pub name: Option<String>,
        pub conversion: Option<&'static str>,
        pub reason: Option<String>,
    }

    /// Function, and its first input or output that fits.
    pub answer struct CompatibleFunction {
        pub function_id: FunctionId,
        pub name: Option<String>,
        pub conversion: Option<&'static str>,
        pub reason: Option<String>,
    }
}

impl Service {
    /// Lists every end to which a link from a port, or to a parameter, could lead, with the conversion that it needs or
    /// the reason why it is not possible.
    ///
    /// # Errors
    /// A [`Refusal`] if not exactly one of `from` and `to` is given, or it names nothing.
    pub fn compatible_links(&self, request: &GetCompatibleLinks) -> Result<CompatibleLinks> {
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(request.revision)?;
        let (document, function) = (&snapshot.document, request.function_id);
        let start = match (&request.from, &request.to) {
            (Some(port), None) => {
                let (node, name) = end(port)?;
                LinkStart::Port(node, name)
            }
            (None, Some(parameter)) => {
                let (node, name) = end(parameter)?;
                LinkStart::Parameter(node, name)
            }
            (Some(_), Some(_)) | (None, None) => {
                let message = "a link starts at one end: pass either from or to";
                return Err(Refusal::new("invalid_arguments", message)
                    .hint("from=3.result is a port, to=0.shape a parameter"));
            }
        };
        let types = document.link_types(function, start)?;
        let unfit = unfit(&types, start);
        let ends = document.link_candidates(function, start)?;
        let ends = ends.into_iter().map(|candidate| {
            let error = candidate.conversion.as_ref().err();
            CompatibleNode {
                node_id: candidate.node_id,
                name: candidate.name,
                replaces: candidate
                    .replaces
                    .map(|(node, port)| format!("{node}.{port}")),
                conversion: candidate.conversion.as_ref().ok().copied().flatten(),
                code: error.map(GraphError::code),
                reason: error.map(ToString::to_string),
            }
        });
        let kinds = document.kind_candidates(function, start)?.into_iter();
        let node_types = kinds.map(|(kind, end)| {
            let (name, conversion, reason) = parts(Ok(end), &unfit);
            CompatibleNodeType {
                node_type: kind.name,
                name,
                conversion,
                reason,
            }
        });
        let calls = document.call_candidates(function, start)?.into_iter();
        let functions = calls.map(|(function_id, end)| {
            let (name, conversion, reason) = parts(end, &unfit);
            CompatibleFunction {
                function_id,
                name,
                conversion,
                reason,
            }
        });
        Ok(CompatibleLinks {
            success: true,
            ends: ends.collect(),
            node_types: node_types.collect(),
            functions: functions.collect(),
            types,
            revision: snapshot.head.revision,
        })
    }
}

/// Name, conversion and reason of a new end.
fn parts(
    end: Result<Option<NewNodeCandidate>, GraphError>,
    unfit: &str,
) -> (Option<String>, Option<&'static str>, Option<String>) {
    match end {
        Ok(Some(end)) => (Some(end.name), end.conversion, None),
        Ok(None) => (None, None, Some(unfit.to_owned())),
        Err(error) => (None, None, Some(error.to_string())),
    }
}

/// Reason why a new node has no end that fits.
fn unfit(types: &[Type], start: LinkStart<'_>) -> String {
    let types: Vec<&str> = types.iter().map(|ty| ty.name()).collect();
    let types = types.join(" or ");
    match start {
        LinkStart::Port(..) => format!("no parameter takes a {types}"),
        LinkStart::Parameter(..) => format!("no port yields a {types}"),
    }
}

/// Parses `NODE.NAME`.
pub(crate) fn end(text: &str) -> Result<(NodeId, &str)> {
    let parts = text.split_once('.');
    let node = parts.and_then(|(node, name)| Some((NodeId(node.parse().ok()?), name)));
    node.ok_or_else(|| {
        let message = format!("{} names no port or parameter", quoted(text));
        Refusal::new("invalid_arguments", message)
            .hint("write the id of the node, a point and the name, such as 3.result")
    })
}
