//! Parameters of functions: named constants and defaults of inputs, listed and set by name.

use fibula_core::edit::{Edit, LinkEdit, PortEdit};
use fibula_core::graph::{Document, Function, FunctionId, NamedConstant, NodeId, Side};
use fibula_core::library;
use fibula_nodes::{PortSpec, Value};
use serde_json::Value as Json;

use crate::name_lookup::{self, Parameter};
use crate::paging::Paging;
use crate::project::change::Snapshot;
use crate::refusal::{Refusal, Result, quoted};
use crate::schema_types::{ObjectForm, ValueForm};
use crate::service::Service;

json_structs! {
    /// Selection of parameters.
    pub request(Default) struct ListParameters {
        project,
        /// Only those of this function.
        #[serde(alias = "function")]
        pub function_id: Option<FunctionId>,
        revision,
        limit,
        cursor,
    }

    /// Parameters by function and node id.
    pub answer struct ParametersListed {
        pub success: bool,
        #[schemars(with = "Vec<ObjectForm>")]
        pub parameters: Vec<FunctionParameter>,
        pub total: usize,
        pub revision: u64,
        pub next_cursor: Option<String>,
        /// Suggestion to make parameters, if there are none.
        pub next: Option<String>,
    }

    /// A parameter with the function that it is of.
    pub answer struct FunctionParameter {
        pub function_id: FunctionId,
        /// Name of the function.
        pub function: String,
        #[serde(flatten)]
        pub parameter: ParameterValue,
        /// True for an input: the value is its default, the node its `Begin`.
        #[serde(rename = "input")]
        pub is_input: Option<bool>,
        /// Unit of an input.
        pub unit: Option<String>,
        /// Smallest value of each number of an input.
        pub min: Option<f64>,
        /// Largest value of each number of an input.
        pub max: Option<f64>,
    }

    /// A parameter of a function: a constant node with a name, or the default of an input.
    pub answer struct ParameterValue {
        pub name: String,
        #[schemars(with = "ValueForm")]
        pub value: Json,
        pub node_id: NodeId,
    }
}

impl Service {
    /// Lists the parameters of a function, or of all functions but copies of the library: constants that a `let` names, other constant nodes with a
    /// display name, and inputs that have a default.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such function, or `limit` or `cursor` is invalid.
    pub fn list_parameters(&self, request: &ListParameters) -> Result<ParametersListed> {
        let paging = Paging::new(request.limit, request.cursor.as_deref())?;
        let project = self.project(request.project.as_deref())?;
        let Snapshot { document, head, .. } = project.at(request.revision)?;
        let functions: Vec<&Function> = match request.function_id {
            // An image has no nodes, so it has no named constants.
            Some(id) if document.image_function(id.into()).is_some() => Vec::new(),
            Some(id) => vec![document.function(id)?],
            // What came with an expression has no values of this project.
            None => {
                let own = document.functions();
                own.filter(|function| !library::is_copy(function)).collect()
            }
        };
        let parameters = functions.into_iter().flat_map(|function| {
            let own = Parameter::all(function).into_iter();
            own.filter_map(|parameter| {
                let name = parameter.name().to_owned();
                let details = match &parameter {
                    Parameter::Input(input, _) => input.details.clone(),
                    Parameter::Constant(_) => None,
                };
                let details = details.map(|details| *details).unwrap_or_default();
                Some(FunctionParameter {
                    function_id: function.id(),
                    function: function.name().to_owned(),
                    parameter: ParameterValue::new(name, parameter.value()?, parameter.node_id()),
                    is_input: matches!(parameter, Parameter::Input(..)).then_some(true),
                    unit: details.unit,
                    min: details.min,
                    max: details.max,
                })
            })
        });
        let parameters: Vec<FunctionParameter> = parameters.collect();
        let total = parameters.len();
        let page = paging.page((0..).zip(parameters), |parameter| parameter);
        let hint = "name constants in expressions, as in let wall = 2; length(pos) - wall";
        Ok(ParametersListed {
            success: true,
            parameters: page.items,
            total,
            revision: head.revision,
            next_cursor: page.next_cursor,
            next: (total == 0).then(|| hint.to_owned()),
        })
    }
}

impl ParameterValue {
    pub(crate) fn new(name: String, value: &Value, node_id: NodeId) -> Self {
        ParameterValue {
            name,
            value: value.to_json(),
            node_id,
        }
    }
}

/// Edit that sets a parameter.
pub(crate) struct SetParameter {
    pub(crate) edit: Edit,
    /// The constant, or the `Begin` with the input.
    pub(crate) node_id: NodeId,
    pub(crate) previous: Value,
}

/// Returns the edit that sets the default of an input to the value that it gets.
fn set_default(function_id: FunctionId, input: &PortSpec, value: &Json) -> Result<(Edit, Value)> {
    let name = quoted(&input.name);
    let Some(previous) = input.default_value() else {
        let message = format!(
            "{name} is an input of function {function_id} without a default, not a parameter"
        );
        return Err(Refusal::new("unknown_parameter", message).hint(
            "its callers and evaluate pass its value; set it there, or give it a default with the edit retype_port",
        ));
    };
    let refuse = |problem: String| {
        let message = format!("the default of input {name}: {problem}");
        Refusal::new("invalid_value", message).hint(format!("the input is {input}"))
    };
    let parsed = Value::from_json(input.ty, value).map_err(|error| refuse(error.to_string()))?;
    if let Some(violation) = input.violation(&parsed) {
        return Err(refuse(violation));
    }
    let edit = PortEdit::Retype {
        function_id,
        side: Side::Input,
        name: input.name.clone(),
        ty: None,
        default: Some(Some(parsed.to_json())),
        unit: None,
        min: None,
        max: None,
    };
    Ok((Edit::Port(edit), previous.clone()))
}

/// Returns the edit that sets a named constant.
fn set_constant(
    function_id: FunctionId,
    constant: &NamedConstant<'_>,
    value: &Json,
) -> Result<Edit> {
    let ty = constant.value.ty();
    let parsed = Value::from_json(ty, value).map_err(|error| {
        let message = format!("parameter {} is a {ty}: {error}", quoted(constant.name));
        Refusal::new("invalid_value", message)
    })?;
    let parameters = constant.node.signature().parameters.iter();
    let mut edits: Vec<Edit> = parameters
        .zip(parsed.scalars())
        .map(|(parameter, &scalar)| {
            Edit::Link(LinkEdit::SetValue {
                function_id,
                node_id: constant.node.id(),
                parameter_name: parameter.name.to_string(),
                value: scalar.into(),
            })
        })
        .collect();
    Ok(match edits.len() {
        1 => edits.remove(0),
        _ => Edit::Batch(edits),
    })
}

/// Returns the edit that sets the parameter of a name: the value of a named constant, or the default of an input that has
/// one.
///
/// # Errors
/// A [`Refusal`] if there is no such function or parameter, several nodes have the name, or the value has another type.
pub(crate) fn set_parameter(
    document: &Document,
    function_id: FunctionId,
    name: &str,
    value: &Json,
) -> Result<SetParameter> {
    let function = document.function(function_id)?;
    let parameter = name_lookup::parameter(function, name)?;
    let (edit, previous) = match &parameter {
        Parameter::Input(input, _) => set_default(function_id, input, value)?,
        Parameter::Constant(constant) => {
            let edit = set_constant(function_id, constant, value)?;
            (edit, constant.value.clone())
        }
    };
    Ok(SetParameter {
        edit,
        node_id: parameter.node_id(),
        previous,
    })
}
