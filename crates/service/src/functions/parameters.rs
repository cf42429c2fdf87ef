//! Parameters of functions: named constants, listed and set by name.

use fibula_core::edit::{Edit, LinkEdit};
use fibula_core::graph::{Document, Function, FunctionId, NamedConstant, NodeId};
use fibula_nodes::{Value, names};
use serde_json::Value as Json;

use crate::functions::definitions;
use crate::named_constants;
use crate::paging::Paging;
use crate::project::change::Snapshot;
use crate::refusal::{Refusal, Result, did_you_mean, quoted};
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
        /// How to make parameters, if there are none.
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
        let Snapshot { document, head } = project.at(request.revision)?;
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

    /// Finds a function graph or image function by name: one of this very name, else the only one of this name in another
    /// case; in the current state or that of a revision.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such function, with the nearest names, or several, with their ids.
    pub fn function_named(
        &self,
        project: Option<&str>,
        revision: Option<u64>,
        name: &str,
    ) -> Result<FunctionId> {
        find_function(&self.project(project)?.at(revision)?.document, name)
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

/// As [`Service::function_named`].
pub(crate) fn find_function(document: &Document, name: &str) -> Result<FunctionId> {
    let all = || definitions::all(document).map(|(id, entry)| (id, entry.name()));
    let exact = || all().filter(|(_, other)| *other == name);
    let folded = || all().filter(|(_, other)| other.eq_ignore_ascii_case(name));
    let found: Vec<u32> = match exact().next() {
        Some(_) => exact().map(|(id, _)| id).collect(),
        None => folded().map(|(id, _)| id).collect(),
    };
    match found[..] {
        [id] => Ok(FunctionId(id)),
        [] => {
            let message = format!("no function has the name {}", quoted(name));
            let nearest = names::nearest(name, all().map(|(_, name)| name));
            Err(Refusal::new("unknown_function", message)
                .hint(did_you_mean(&nearest, "list_functions lists them")))
        }
        _ => {
            let message = format!("{} functions have the name {}", found.len(), quoted(name));
            Err(Refusal::new("ambiguous_name", message).hint(format!(
                "pass one of their ids: {}",
                named_constants::first_few(found.iter().map(u32::to_string))
            )))
        }
    }
}

/// Edit that sets a parameter.
pub(crate) struct SetParameter {
    pub(crate) edit: Edit,
    /// The constant.
    pub(crate) node_id: NodeId,
    pub(crate) previous: Value,
}

/// Returns the edit that sets the parameter of a name.
///
/// # Errors
/// A [`Refusal`] if there is no such function or parameter, several nodes have the name, or the value has another type.
pub(crate) fn set_parameter(
    document: &Document,
    function_id: FunctionId,
    name: &str,
    value: &Json,
) -> Result<SetParameter> {
    let constant = named_constants::find(document.function(function_id)?, name)?;
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
