//! Errors of graphs, with their codes.

use std::fmt;

use fibula_nodes::{InputDetails, ResourceId, ResourceKind, Type, UnknownType, Value, ValueError};
use serde::Serialize;

use super::{FunctionId, NodeId};

/// Identifies a node in messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeLabel {
    /// The node's id.
    pub node_id: NodeId,
    /// The name of its kind.
    pub node_type: &'static str,
    /// Name given by the user.
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

/// Identifies an end of a link in messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Endpoint {
    /// The node.
    #[serde(flatten)]
    pub node: NodeLabel,
    /// The parameter or port.
    pub name: String,
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.name, self.node)
    }
}

/// Error returned when a graph would become invalid, or an id or name is unknown.
///
/// The variant's name in snake case is its stable code; texts may change.
#[derive(Debug, Clone, PartialEq, Serialize, thiserror::Error)]
#[serde(untagged)]
#[expect(missing_docs, reason = "fields are named for what they hold")]
pub enum GraphError {
    /// There is no such function.
    #[error("function {function_id} is not in this project; {}", one_of("functions", .functions))]
    UnknownFunction {
        function_id: FunctionId,
        /// The ids nearest to it, with names.
        functions: Vec<String>,
    },
    /// The function is an image, which has no graph.
    #[error(
        "function {function_id} ({name}) reads image {image} and has no graph of nodes; it can be evaluated, and called \
         in expressions as in call({function_id}, pos).red"
    )]
    NoGraph {
        function_id: FunctionId,
        name: String,
        image: ResourceId,
    },
    /// There is no such node.
    #[error("function {function_id} has no node {node_id}; {}", one_of("nodes", .nodes))]
    UnknownNode {
        function_id: FunctionId,
        node_id: NodeId,
        /// The ids nearest to it, with kinds.
        nodes: Vec<String>,
    },
    /// There is no such kind of node.
    #[error("unknown node type '{node_type}'; {}", did_you_mean(.nearest, "list_node_types lists them all"))]
    UnknownNodeType {
        node_type: String,
        /// The nearest names.
        nearest: Vec<String>,
    },
    /// The node has no such port.
    #[error("{node} has no port '{port}'; {}", names_of("its ports are", .ports, .nearest))]
    UnknownPort {
        node: NodeLabel,
        port: String,
        /// The nearest names.
        nearest: Vec<String>,
        ports: Vec<String>,
    },
    /// The node has no such parameter, or the function no such input or output.
    #[error("{node} has no parameter '{parameter}'; {}", names_of("its parameters are", .parameters, .nearest))]
    UnknownParameter {
        node: NodeLabel,
        parameter: String,
        /// The nearest names.
        nearest: Vec<String>,
        parameters: Vec<String>,
    },
    /// The parameter never takes the type of the port.
    #[error("{target} takes a {}, but {source_end} is a {got}{}", either(.expected), bridge_hint(.bridges))]
    TypeMismatch {
        target: Endpoint,
        #[serde(rename = "source")]
        source_end: Endpoint,
        expected: Vec<Type>,
        got: Type,
        /// Kinds that convert between the two.
        bridges: Vec<&'static str>,
    },
    /// No overload of the node takes the types of its inputs.
    #[error(
        "{node} has no overload for {}; it has {}{}", .bindings.join(", "), .overloads.join(" or "),
        bridge_hint(.bridges)
    )]
    NoOverload {
        node: NodeLabel,
        bindings: Vec<String>,
        overloads: Vec<String>,
        /// Kinds that convert the new type to the one that the present bindings need.
        bridges: Vec<&'static str>,
    },
    /// Source and target of a link are the same node.
    #[error("{node} cannot be linked to itself; link from another node")]
    SelfLink { node: NodeLabel },
    /// A link would close a cycle.
    #[error("the link would close a cycle: {}; function graphs are acyclic", path_text(.path))]
    Cycle {
        /// The nodes of the cycle, in the direction of the links; the first is named again at the end.
        path: Vec<NodeId>,
    },
    /// The parameter is linked already.
    #[error(
        "{target} is already linked to {source_end}; pass replace: true to replace the link, or first delete it"
    )]
    AlreadyLinked {
        target: Endpoint,
        #[serde(rename = "source")]
        source_end: Endpoint,
    },
    /// A call would close a cycle of the call graph.
    #[error("the call would be recursive: {}; functions cannot call themselves, directly or indirectly",
        path_text(.path))]
    RecursiveCall {
        /// The functions, each calling the next; the first is named again at the end.
        path: Vec<FunctionId>,
    },
    /// A reference names a resource of another kind.
    #[error("{target} needs the id of a {wants}, but {is}")]
    ResourceKindMismatch {
        target: Endpoint,
        wants: ResourceKind,
        is: String,
    },
    /// A linked parameter takes no literal.
    #[error(
        "{target} is linked to {source_end} and cannot have a value; first delete the link, or set the value of the \
         source"
    )]
    ParameterLinked {
        target: Endpoint,
        #[serde(rename = "source")]
        source_end: Endpoint,
    },
    /// The value does not fit the parameter.
    #[error("{target}: {error}")]
    InvalidValue {
        target: Endpoint,
        #[serde(serialize_with = "as_text")]
        error: InvalidValue,
    },
    /// The id is in use.
    #[error(
        "{what} {id} already exists; {}",
        if id.starts_with(|c: char| c.is_ascii_digit()) { "omit the id to get a free one" } else { "choose another name" }
    )]
    DuplicateId {
        /// Kind of the element, such as "node".
        what: &'static str,
        id: String,
    },
    /// `Begin` and `End` follow the interface of the function.
    #[error("{what}; Begin and End follow the function's inputs and outputs; change those instead")]
    ProtectedNode { what: String },
    /// Others depend on what would be removed.
    #[error("{what} is in use: {}; {hint}", .users.join(", "))]
    InUse {
        what: String,
        users: Vec<String>,
        hint: String,
    },
    /// A name is empty, too long, or contains forbidden characters.
    #[error("{what} {problem}")]
    InvalidName { what: &'static str, problem: String },
    /// The default, unit or limits of an input are invalid.
    #[error("'{name}' {problem}")]
    InvalidPort { name: String, problem: String },
    /// A limit is exceeded.
    #[error("{what} is limited to {limit} {of}")]
    TooLarge {
        what: &'static str,
        limit: usize,
        of: &'static str,
    },
}

/// Reason why a value does not fit a parameter.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InvalidValue {
    /// The JSON is no value of the type.
    #[error(transparent)]
    Form(#[from] ValueError),
    /// The type is known, but other parameters of the node bind it to another one.
    #[error("{0}")]
    Bound(String),
    /// The value is outside of the limits of the input that the parameter stands for.
    #[error("{0}")]
    Limit(String),
    /// The text is no name of a type.
    #[error(transparent)]
    Type(#[from] UnknownType),
}

fn as_text<S: serde::Serializer>(error: &InvalidValue, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(error)
}

impl GraphError {
    /// Checks a literal of `target` against the limits of an input.
    pub(crate) fn check_limits(
        details: Option<&InputDetails>,
        value: &Value,
        target: impl FnOnce() -> Endpoint,
    ) -> Result<(), Self> {
        let Some(violation) = details.and_then(|details| details.violation(value)) else {
            return Ok(());
        };
        let error = InvalidValue::Limit(violation);
        let target = target();
        Err(GraphError::InvalidValue { target, error })
    }

    pub(crate) fn duplicate(what: &'static str, id: &dyn fmt::Display) -> Self {
        let id = id.to_string();
        GraphError::DuplicateId { what, id }
    }

    /// Error of a reference to a resource of the kind `is`.
    pub(crate) fn wrong_kind(
        target: Endpoint,
        wants: ResourceKind,
        id: ResourceId,
        is: ResourceKind,
    ) -> Self {
        let is = format!("{id} is a {is}");
        GraphError::ResourceKindMismatch { target, wants, is }
    }

    /// Error of exhausted ids.
    pub fn out_of_ids(what: &'static str) -> Self {
        let limit = u32::MAX as usize;
        let of = "ids";
        GraphError::TooLarge { what, limit, of }
    }

    /// Stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            GraphError::UnknownFunction { .. } => "unknown_function",
            GraphError::NoGraph { .. } => "no_graph",
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
            GraphError::InvalidValue { .. } | GraphError::InvalidPort { .. } => "invalid_value",
            GraphError::DuplicateId { .. } => "duplicate_id",
            GraphError::ProtectedNode { .. } => "protected_node",
            GraphError::InUse { .. } => "in_use",
            GraphError::InvalidName { .. } => "invalid_name",
            GraphError::TooLarge { .. } => "too_large",
        }
    }

    /// The kind that `insert_conversion` inserts between the ends of the rejected link, if there is one.
    pub fn conversion(&self) -> Option<&'static str> {
        let (GraphError::TypeMismatch { bridges, .. } | GraphError::NoOverload { bridges, .. }) =
            self
        else {
            return None;
        };
        implied_conversion(bridges)
    }
}

/// The kind that `insert_conversion` inserts, of those that convert between two types.
pub(super) fn implied_conversion(bridges: &[&'static str]) -> Option<&'static str> {
    bridges
        .first()
        .copied()
        .filter(|kind| INSERTED.contains(kind))
}

/// The kinds that `insert_conversion` inserts: they have one input, and one output is implied.
const INSERTED: [&str; 2] = ["VectorFromScalar", "DecomposeVector"];

/// Kinds that convert between two types, best first.
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

fn one_of(what: &str, known: &[String]) -> String {
    match known {
        [] => format!("there are no {what}"),
        known => format!("similar {what} are {}", known.join(", ")),
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
            "; extract a component with DecomposeVector, or use Length (insert_conversion: true adds \
             DecomposeVector)".to_owned()
        }
        [first, ..] if INSERTED.contains(first) => {
            format!("; insert a {first} between them (insert_conversion: true does)")
        }
        [first, ..] => format!("; insert a {first} between them"),
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
