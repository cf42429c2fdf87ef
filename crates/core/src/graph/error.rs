//! Why a graph cannot be the way that was asked: the closed set of refusals, each with its code.

use std::fmt;

use fibula_nodes::{ResourceId, ResourceKind, Type, UnknownType, ValueError};
use serde::Serialize;

use super::{FunctionId, NodeId};

/// A node, as messages call it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeLabel {
    /// The node's id.
    pub node_id: NodeId,
    /// The name of its kind.
    pub node_type: &'static str,
    /// What a person calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
}

impl fmt::Display for NodeLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {} ({}", self.node_id, self.node_type)?;
        match &self.display_name {
            Some(name) => write!(f, " '{name}')"),
            None => write!(f, ")"),
        }
    }
}

/// Where a link goes, or comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct End {
    /// The node.
    #[serde(flatten)]
    pub node: NodeLabel,
    /// The parameter or port.
    pub name: String,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.name, self.node)
    }
}

/// Why a graph cannot be the way that was asked.
///
/// The variant's name in snake case is its stable code; texts may change.
#[derive(Debug, Clone, PartialEq, Serialize, thiserror::Error)]
#[serde(untagged)]
pub enum GraphError {
    /// There is no such function.
    #[error("function {function_id} is not in this project; {}", one_of("functions", .functions))]
    UnknownFunction {
        /// What was asked for.
        function_id: FunctionId,
        /// The ids nearest to it, with names.
        functions: Vec<String>,
    },
    /// There is no such node.
    #[error("function {function_id} has no node {node_id}; {}", one_of("nodes", .nodes))]
    UnknownNode {
        /// The function.
        function_id: FunctionId,
        /// What was asked for.
        node_id: NodeId,
        /// The ids nearest to it, with kinds.
        nodes: Vec<String>,
    },
    /// There is no such kind of node.
    #[error("there is no node type '{node_type}'; {}", did_you_mean(.nearest, "list_node_types lists them all"))]
    UnknownNodeType {
        /// What was asked for.
        node_type: String,
        /// The nearest names.
        nearest: Vec<String>,
    },
    /// The node has no such port.
    #[error("{node} has no port '{port}'; {}", names_of("its ports are", .ports, .nearest))]
    UnknownPort {
        /// The node.
        node: NodeLabel,
        /// What was asked for.
        port: String,
        /// The nearest names.
        nearest: Vec<String>,
        /// Every name.
        ports: Vec<String>,
    },
    /// The node has no such parameter, or the function no such input or output.
    #[error("{node} has no parameter '{parameter}'; {}", names_of("its parameters are", .parameters, .nearest))]
    UnknownParameter {
        /// The node.
        node: NodeLabel,
        /// What was asked for.
        parameter: String,
        /// The nearest names.
        nearest: Vec<String>,
        /// Every name.
        parameters: Vec<String>,
    },
    /// The parameter never takes the type of the port.
    #[error("{target} takes a {}, but {source_end} yields a {got}{}", either(.expected), bridge_hint(.bridges))]
    TypeMismatch {
        /// The parameter.
        target: End,
        /// The port.
        #[serde(rename = "source")]
        source_end: End,
        /// The types that the parameter takes.
        expected: Vec<Type>,
        /// The type of the port.
        got: Type,
        /// Kinds that convert between the two.
        bridges: Vec<&'static str>,
    },
    /// No overload of the node takes the types that it is given.
    #[error(
        "{node} has no overload for {}; it takes {}{}", .bindings.join(", "), .overloads.join(" or "), bridge_hint(.bridges)
    )]
    NoOverload {
        /// The node.
        node: NodeLabel,
        /// What its parameters would be given.
        bindings: Vec<String>,
        /// What it takes.
        overloads: Vec<String>,
        /// Kinds that convert the new type to the one that the present bindings need.
        bridges: Vec<&'static str>,
    },
    /// A node would be linked to itself.
    #[error("{node} cannot be linked to itself; link from another node")]
    SelfLink {
        /// The node.
        node: NodeLabel,
    },
    /// A node would depend on itself.
    #[error("the link would close a cycle: {}; a function graph has none", path_text(.path))]
    Cycle {
        /// The nodes of the cycle, in the direction of the links; the first is named again at the end.
        path: Vec<NodeId>,
    },
    /// The parameter is linked already.
    #[error(
        "{target} is already linked to {source_end}; give replace: true to link it anew, or delete that link first"
    )]
    AlreadyLinked {
        /// The parameter.
        target: End,
        /// What it is linked to.
        #[serde(rename = "source")]
        source_end: End,
    },
    /// A function would call itself.
    #[error("the call would be recursive: {}; functions never call themselves, directly or indirectly", path_text(.path))]
    RecursiveCall {
        /// The functions, each calling the next; the first is named again at the end.
        path: Vec<FunctionId>,
    },
    /// A reference names a resource that is not what it must be.
    #[error("{target} needs the id of a {wants}, but {is}")]
    ResourceKindMismatch {
        /// The parameter.
        target: End,
        /// What it needs.
        wants: ResourceKind,
        /// What it was given.
        is: String,
    },
    /// A literal was given to a linked parameter.
    #[error(
        "{target} is linked to {source_end}, so it takes no value; delete the link first, or set the value there"
    )]
    ParameterLinked {
        /// The parameter.
        target: End,
        /// What it is linked to.
        #[serde(rename = "source")]
        source_end: End,
    },
    /// The value does not fit the parameter.
    #[error("{target}: {error}")]
    InvalidValue {
        /// The parameter.
        target: End,
        /// Why.
        #[serde(serialize_with = "as_text")]
        error: InvalidValue,
    },
    /// The id is in use.
    #[error("{what} {id} exists already; {}", if id.starts_with(|c: char| c.is_ascii_digit()) { "leave the id out to get a free one" } else { "choose another name" })]
    DuplicateId {
        /// What has the id, such as "node".
        what: &'static str,
        /// The id.
        id: String,
    },
    /// `Begin` and `End` belong to the function.
    #[error("{what}; Begin and End follow the function's inputs and outputs: change those instead")]
    ProtectedNode {
        /// What was asked.
        what: String,
    },
    /// Something else depends on what would go.
    #[error("{what} is in use: {}; {hint}", .users.join(", "))]
    InUse {
        /// What would go.
        what: String,
        /// What depends on it.
        users: Vec<String>,
        /// What can be done.
        hint: String,
    },
    /// A name is empty, too long, or has characters that no name has.
    #[error("{what} {problem}")]
    InvalidName {
        /// What was to be named.
        what: &'static str,
        /// What is wrong with the name.
        problem: String,
    },
    /// There is no room for more.
    #[error("{what} has no room for more than {limit}{}", if *limit == super::build::MOST_NODES { " nodes" } else { "" })]
    TooLarge {
        /// What is full.
        what: &'static str,
        /// How much it holds.
        limit: usize,
    },
}

/// Why a value does not fit a parameter.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InvalidValue {
    /// The JSON says no value of the type.
    #[error(transparent)]
    Form(#[from] ValueError),
    /// The type is known, but other parameters of the node bind it to another one.
    #[error("{0}")]
    Bound(String),
    /// A type's name was expected.
    #[error(transparent)]
    Type(#[from] UnknownType),
}

fn as_text<S: serde::Serializer>(error: &InvalidValue, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(error)
}

impl GraphError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            GraphError::UnknownFunction { .. } => "unknown_function",
            GraphError::UnknownNode { .. } => "unknown_node",
            GraphError::UnknownNodeType { .. } => "unknown_node_type",
            GraphError::UnknownPort { .. } => "unknown_port",
            GraphError::UnknownParameter { .. } => "unknown_parameter",
            GraphError::TypeMismatch { .. } => "type_mismatch",
            GraphError::NoOverload { .. } => "no_overload",
            GraphError::SelfLink { .. } => "self_link",
            GraphError::Cycle { .. } => "cycle",
            GraphError::AlreadyLinked { .. } => "already_linked",
            GraphError::RecursiveCall { .. } => "recursive_call",
            GraphError::ResourceKindMismatch { .. } => "resource_kind_mismatch",
            GraphError::ParameterLinked { .. } => "parameter_linked",
            GraphError::InvalidValue { .. } => "invalid_value",
            GraphError::DuplicateId { .. } => "duplicate_id",
            GraphError::ProtectedNode { .. } => "protected_node",
            GraphError::InUse { .. } => "in_use",
            GraphError::InvalidName { .. } => "invalid_name",
            GraphError::TooLarge { .. } => "too_large",
        }
    }

    /// The kind that `insert_conversion` puts between the ends of the refused link, if one value becomes one value.
    pub fn conversion(&self) -> Option<&'static str> {
        let (GraphError::TypeMismatch { bridges, .. } | GraphError::NoOverload { bridges, .. }) =
            self
        else {
            return None;
        };
        bridges
            .first()
            .copied()
            .filter(|kind| INSERTED.contains(kind))
    }
}

/// The kinds that `insert_conversion` adds: they take one value. The others need more than one, or give many.
const INSERTED: [&str; 2] = ["VectorFromScalar", "DecomposeVector"];

/// The kinds that turn a value of one type into one of another, best first.
pub fn bridges(from: Type, to: Type) -> &'static [&'static str] {
    match (from, to) {
        (Type::Float, Type::Float3) => &["VectorFromScalar", "ComposeVector"],
        (Type::Float3, Type::Float) => &["DecomposeVector", "Length"],
        (Type::Matrix4x4, Type::Float) => &["DecomposeMatrix"],
        (Type::Float, Type::Matrix4x4) => &["ComposeMatrix"],
        (Type::Float3, Type::Matrix4x4) => &["ComposeMatrixFromRows", "ComposeMatrixFromColumns"],
        (
            Type::Float
            | Type::Float3
            | Type::Matrix4x4
            | Type::Integer
            | Type::String
            | Type::ResourceId,
            _,
        ) => &[],
    }
}

/// A resource's id in a message, with what it is.
pub(crate) fn resource_text(id: ResourceId, kind: ResourceKind) -> String {
    format!("{id} is the id of a {kind}")
}

fn one_of(what: &str, known: &[String]) -> String {
    match known {
        [] => format!("there are no {what} yet"),
        known => format!("the nearest {what} are {}", known.join(", ")),
    }
}

fn did_you_mean(nearest: &[String], otherwise: &str) -> String {
    match nearest {
        [] => otherwise.to_owned(),
        [only] => format!("did you mean {only}?"),
        names => format!("did you mean one of {}?", names.join(", ")),
    }
}

fn names_of(what: &str, all: &[String], nearest: &[String]) -> String {
    const MANY: usize = 20;
    match (all, nearest) {
        ([], _) => "it has none".to_owned(),
        (all, _) if all.len() <= MANY => format!("{what} {}", all.join(", ")),
        (all, nearest) => did_you_mean(nearest, &format!("{what} {}, ...", all[..MANY].join(", "))),
    }
}

fn either(types: &[Type]) -> String {
    let names: Vec<_> = types.iter().map(|ty| ty.name()).collect();
    names.join(" or ")
}

fn bridge_hint(bridges: &[&'static str]) -> String {
    match bridges {
        [] => String::new(),
        ["DecomposeVector", ..] => {
            "; take one component with DecomposeVector, or the Length (insert_conversion: true adds the first)".to_owned()
        }
        [first, ..] if INSERTED.contains(first) => {
            format!("; put a {first} between them (insert_conversion: true adds it)")
        }
        [first, ..] => format!("; put a {first} between them"),
    }
}

fn path_text<T: fmt::Display>(path: &[T]) -> String {
    const SHOWN: usize = 12;
    let mut names: Vec<String> = path.iter().map(T::to_string).collect();
    if names.len() > SHOWN {
        let left_out = names.len() - SHOWN;
        names.splice(
            SHOWN / 2..SHOWN / 2 + left_out,
            [format!("({left_out} more)")],
        );
    }
    names.join(" -> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_paths_are_shortened() {
        let path: Vec<u32> = (0..100).collect();
        assert_eq!(
            path_text(&path),
            "0 -> 1 -> 2 -> 3 -> 4 -> 5 -> (88 more) -> 94 -> 95 -> 96 -> 97 -> 98 -> 99"
        );
    }
}
