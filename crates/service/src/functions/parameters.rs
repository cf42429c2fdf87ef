//! Parameters of functions: named constants, listed and set by name.

use fibula_core::edit::{Edit, LinkEdit, PortEdit};
use fibula_core::graph::{Document, Function, FunctionId, NamedConstant, NodeId, Side};
use fibula_nodes::Value;
use serde_json::Value as Json;

use crate::name_lookup;
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
    }

    /// A parameter of a function: a constant node with a name.
    pub answer struct ParameterValue {
        pub name: String,
        #[schemars(with = "ValueForm")]
        pub value: Json,
        pub node_id: NodeId,
    }
}

impl Service {
    /// Lists the parameters of a function, or of all functions: constants that a `let` names, and other constant nodes
    /// with a display name.
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
            None => document.functions().collect(),
        };
        let parameters = functions.into_iter().flat_map(|function| {
            let constants = function.named_constants();
            constants.map(move |constant| FunctionParameter {
                function_id: function.id(),
                function: function.name().to_owned(),
                parameter: ParameterValue::from(&constant),
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

impl From<&NamedConstant<'_>> for ParameterValue {
    fn from(constant: &NamedConstant<'_>) -> Self {
        ParameterValue {
            name: constant.name.to_owned(),
            value: constant.value.to_json(),
            node_id: constant.node.id(),
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

/// Returns the edit that sets the default of the input of a name, unless it has none or a constant has the name.
fn set_default(function: &Function, name: &str, value: &Json) -> Result<Option<SetParameter>> {
    let inputs = function.inputs();
    let mut constants = function.named_constants();
    let input = inputs.iter().find(|input| input.name == name);
    let (Some(input), Some(node_id)) = (input, function.begin()) else {
        return Ok(None);
    };
    let Some(previous) = input.default_value() else {
        return Ok(None);
    };
    if constants.any(|constant| constant.name == name) {
        return Ok(None);
    }
    let refuse = |problem: String| {
        let message = format!("the default of input {}: {problem}", quoted(name));
        Refusal::new("invalid_value", message).hint(format!("the input is {input}"))
    };
    let parsed = Value::from_json(input.ty, value).map_err(|error| refuse(error.to_string()))?;
    if let Some(violation) = input.violation(&parsed) {
        return Err(refuse(violation));
    }
    let edit = PortEdit::Retype {
        function_id: function.id(),
        side: Side::Input,
        name: name.to_owned(),
        ty: None,
        default: Some(Some(parsed.to_json())),
        unit: None,
        min: None,
        max: None,
    };
    Ok(Some(SetParameter {
        edit: Edit::Port(edit),
        node_id,
        previous: previous.clone(),
    }))
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
    if let Some(set) = set_default(function, name, value)? {
        return Ok(set);
    }
    let constant = name_lookup::constant(function, name)?;
    let parsed = Value::from_json(constant.value.ty(), value).map_err(|error| {
        let message = format!(
            "parameter {} is a {}: {error}",
            quoted(name),
            constant.value.ty()
        );
        Refusal::new("invalid_value", message)
    })?;
    let node_id = constant.node.id();
    let scalars = constant
        .node
        .signature()
        .parameters
        .iter()
        .zip(parsed.scalars());
    let mut edits: Vec<Edit> = scalars
        .map(|(parameter, &scalar)| {
            Edit::Link(LinkEdit::SetValue {
                function_id,
                node_id,
                parameter_name: parameter.name.to_string(),
                value: scalar.into(),
            })
        })
        .collect();
    let edit = match edits.len() {
        1 => edits.remove(0),
        _ => Edit::Batch(edits),
    };
    Ok(SetParameter {
        edit,
        node_id,
        previous: constant.value,
    })
}
