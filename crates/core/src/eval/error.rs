//! Errors of evaluation.

use fibula_nodes::{LowerError, PortSpec, Type};
use serde::Serialize;

use crate::graph::{FunctionId, GraphError, NodeLabel};

/// A required parameter that is neither set nor linked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct UnsetInput {
    /// Id of the function.
    pub function_id: FunctionId,
    /// Name of the function.
    pub function_name: String,
    /// The node.
    #[serde(flatten)]
    pub node: NodeLabel,
    /// Name of the parameter.
    pub parameter: String,
    /// Type of the parameter.
    #[serde(rename = "type")]
    pub ty: Type,
}

impl std::fmt::Display for UnsetInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let UnsetInput {
            function_id,
            function_name,
            node,
            parameter,
            ty,
        } = self;
        write!(
            f,
            "{parameter} ({ty}) of {node} in function {function_id} ({function_name})"
        )
    }
}

/// Error returned when a function cannot be evaluated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "fields are named for what they hold")]
pub enum EvalError {
    /// The function does not exist.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// Required parameters are neither set nor linked.
    #[error("{} set or linked yet: {}; set or link {}", missing_verb(.0), missing_list(.0), if .0.len() == 1 { "it" } else { "them" })]
    MissingInput(Vec<UnsetInput>),
    /// The function has no such output.
    #[error("function {function_id} has no output '{output}'; it has {}",
        if .outputs.is_empty() { "none".to_owned() } else { .outputs.join(", ") })]
    UnknownOutput {
        function_id: FunctionId,
        output: String,
        outputs: Vec<String>,
    },
    /// A node could not be lowered to kernel operations.
    #[error("{node} in function {function_id} ({function_name}): {error}")]
    Lower {
        function_id: FunctionId,
        function_name: String,
        node: Box<NodeLabel>,
        #[source]
        error: LowerError,
    },
    /// The image of an image function could not be queried.
    #[error("image function {function_id}: {error}")]
    Image {
        function_id: FunctionId,
        #[source]
        error: LowerError,
    },
    /// Arguments are missing or of other types than the inputs.
    #[error("the function takes {}, but got {got}", inputs_text(.inputs))]
    Arguments { inputs: Vec<PortSpec>, got: String },
}

impl EvalError {
    /// Stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            EvalError::Graph(error) => error.code(),
            EvalError::MissingInput(_) => "missing_input",
            EvalError::UnknownOutput { .. } => "unknown_output",
            EvalError::Lower { error, .. } | EvalError::Image { error, .. } => lower_code(error),
            EvalError::Arguments { .. } => "invalid_arguments",
        }
    }
}

/// Stable code of an error of lowering.
pub(super) fn lower_code(error: &LowerError) -> &'static str {
    match error {
        LowerError::NoFunction(_) => "unknown_function",
        LowerError::NoResource { .. } => "missing_resource",
        LowerError::NotLoaded { .. } => "missing_content",
        LowerError::WrongResource { .. } => "resource_kind_mismatch",
        LowerError::NoSuchPort { .. } => "unknown_port",
        LowerError::OutOfRange { .. } | LowerError::NotConstant(_) => "invalid_value",
        LowerError::TooLarge(_) => "too_large",
    }
}

fn missing_verb(missing: &[UnsetInput]) -> String {
    match missing.len() {
        1 => "one input is not".to_owned(),
        count => format!("{count} inputs are not"),
    }
}

/// The first parameters, and the number of the others.
fn missing_list(missing: &[UnsetInput]) -> String {
    const SHOWN: usize = 20;
    let mut texts: Vec<String> = missing
        .iter()
        .take(SHOWN)
        .map(UnsetInput::to_string)
        .collect();
    if missing.len() > SHOWN {
        texts.push(format!("and {} more", missing.len() - SHOWN));
    }
    texts.join("; ")
}

fn inputs_text(inputs: &[PortSpec]) -> String {
    match inputs {
        [] => "no arguments".to_owned(),
        inputs => fibula_nodes::port::list(inputs),
    }
}
